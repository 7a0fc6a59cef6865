//! Kernels over a grid of workgroups, beside the control unit and on the same memory.

use star_shaders::Shader;
use star_vm::BackendError;

/// What a kernel is given: words that are the same for every thread.
pub(crate) type Given = [u32; 32];

/// A kernel that was compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kernel(pub(crate) usize);

/// A dispatch of a kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launch {
    pub(crate) kernel: Kernel,
    /// Workgroups in both directions.
    pub(crate) groups: [u32; 2],
    pub(crate) given: Given,
}

/// What runs kernels over a grid.
pub(crate) trait Grid {
    /// Bytes that a workgroup has for what its threads share.
    fn shared_bytes(&self) -> u32;

    /// Limbs that the dispatches of one submission may touch, so that it takes some ten milliseconds.
    fn limbs_at_once(&self) -> u64;

    /// Bits from which on it pays to stop for the host.
    fn least_bits(&self) -> LeastBits;

    /// The kernel of a shader that binds what it is given as `given`; compiled once.
    ///
    /// # Errors
    /// [`BackendError::Unsupported`] if the driver refuses it.
    fn kernel(&mut self, shader: &Shader) -> Result<Kernel, BackendError>;

    /// Buffers that memory has.
    fn banks(&self) -> usize;

    /// Runs dispatches one after another, each of which sees what those before it wrote, and waits for their end.
    /// Nanoseconds that the device took, if it can tell.
    fn launch(&mut self, launches: &[Launch]) -> Result<Option<u64>, BackendError>;
}

/// Bits that are worth a stop for the host: a few turns of the control unit take as long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LeastBits {
    /// Of a table that a loop with turns of its own goes over.
    pub(crate) turns: u64,
    /// Of what one dispatch makes.
    pub(crate) single: u64,
    /// Likewise, if that is no more than [`FEW_LINES`] lines, or all lines of a table as one instruction.
    pub(crate) few_lines: u64,
}

impl LeastBits {
    /// The same for all.
    pub(crate) fn all(bits: u64) -> Self {
        LeastBits { turns: bits, single: bits, few_lines: bits }
    }

    /// Of an operation on so many lines.
    pub(crate) fn of_lines(self, lines: u64) -> u64 {
        if lines <= FEW_LINES { self.few_lines } else { self.single }
    }
}

/// What suits a card. A few lines beside each other take some 20 µs each as wide lines (Note \[Wide lines\]), and so does a loop over lines of a table (Note
/// \[Lines\]), less than a stop, until memory is all that counts.
pub(crate) const LEAST_BITS: LeastBits =
    LeastBits { turns: 1 << 10, single: 1 << 24, few_lines: 1 << 31 };

/// So many lines are few.
const FEW_LINES: u64 = 8;

/// Most workgroups of a dispatch in one direction.
pub(crate) const MAX_GROUPS: u32 = 65_535;
