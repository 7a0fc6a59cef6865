//! Kernels over a grid of workgroups, in addition to the control unit and on the same memory.

use star_shaders::Shader;
use star_vm::BackendError;

/// The parameters of a kernel: words that are the same for every thread.
pub(crate) type Given = [u32; 32];

/// A compiled kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kernel(pub(crate) usize);

/// A dispatch of a kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launch {
    pub(crate) kernel: Kernel,
    /// Workgroups in both dimensions.
    pub(crate) groups: [u32; 2],
    pub(crate) given: Given,
}

/// Appends words to those that are sent.
pub(crate) type Words<'w> = dyn FnMut(&[u32]) + 'w;

/// The result of a submission that was begun.
#[derive(Debug)]
pub(crate) struct Returned {
    pub(crate) words: Vec<u32>,
    /// Nanoseconds of device time, if they are measured.
    pub(crate) nanoseconds: Option<u64>,
}

/// An executor of kernels over a grid.
pub(crate) trait Grid {
    /// Returns the shared memory of a workgroup in bytes.
    fn shared_bytes(&self) -> u32;

    /// Returns the maximum number of workgroups of a dispatch in one dimension.
    fn max_groups(&self) -> u32;

    /// Returns whether workgroups have the smallest sizes that a kernel allows.
    fn has_small_groups(&self) -> bool;

    /// Returns the number of limbs that the dispatches of one submission may access, so that it
    /// takes some ten milliseconds.
    fn limbs_at_once(&self) -> u64;

    /// Returns the loop iterations of a thread after which the adapter may end a shader.
    fn most_iterations(&self) -> u32;

    /// Returns the number of dispatches of a submission if each accesses this number of limbs.
    fn launches_at_once(&self, limbs: u64) -> usize {
        (self.limbs_at_once() / limbs.max(1)).clamp(1, 1 << 16) as usize
    }

    /// Returns the numbers of bits from which on a stop for the host pays.
    fn least_bits(&self) -> LeastBits;

    /// Returns the kernel of a shader that binds its parameters as `given`; compiled once.
    ///
    /// # Errors
    /// [`BackendError::Unsupported`] if the driver rejects it.
    fn kernel(&mut self, shader: &Shader) -> Result<Kernel, BackendError>;

    /// Returns the number of memory buffers.
    fn banks(&self) -> usize;

    /// Runs dispatches one after another, each of which sees the writes of the previous ones, and
    /// waits for their end. Returns the words at an address, and the nanoseconds of device time, if
    /// they are measured.
    fn launch(
        &mut self,
        launches: &[Launch],
        returned: (u32, u32),
    ) -> Result<Returned, BackendError>;

    /// Begins a submission without waiting for it: sends words to an address, which `write` appends
    /// in order; runs dispatches; returns the words at some addresses. Until it is finished, reads
    /// of memory wait for it.
    fn begin(
        &mut self,
        sent: (u32, u32),
        write: &mut dyn FnMut(&mut Words<'_>),
        launches: &[Launch],
        returned: &[(u32, u32)],
    ) -> Result<(), BackendError>;

    /// Waits for the first submission that was begun and not yet finished, if there is one.
    fn finish(&mut self) -> Result<Option<Returned>, BackendError>;
}

/// Minimum numbers of bits that are worth a stop for the host: it takes as long as a few iterations
/// of the control unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LeastBits {
    /// For a table processed by a loop whose kernels run several pivots each.
    pub(crate) pivots: u64,
    /// For the result of one dispatch.
    pub(crate) single: u64,
    /// For a result of no more than [`FEW_LINES`] lines, or all lines of a table in one
    /// instruction.
    pub(crate) few_lines: u64,
}

impl LeastBits {
    /// Returns the same number for all cases.
    pub(crate) fn all(bits: u64) -> Self {
        LeastBits { pivots: bits, single: bits, few_lines: bits }
    }

    /// Returns the minimum for an operation on this number of lines.
    pub(crate) fn of_lines(self, lines: u64) -> u64 {
        if lines <= FEW_LINES { self.few_lines } else { self.single }
    }
}

/// Values for a graphics card. A few adjacent lines take some 20 µs each as wide lines (Note \[Wide
/// lines\]), and so does a loop over lines of a table (Note \[Lines\]); that is less than a stop,
/// until memory bandwidth dominates.
pub(crate) const LEAST_BITS: LeastBits =
    LeastBits { pivots: 1 << 10, single: 1 << 24, few_lines: 1 << 31 };

/// Maximum number of lines that count as few.
const FEW_LINES: u64 = 8;

/// Maximum number of workgroups of a dispatch in one dimension.
pub(crate) const MAX_GROUPS: u32 = 65_535;
