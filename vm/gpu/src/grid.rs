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

    /// Bits of a table from which on it pays to stop for the host: for a loop with turns of its own, and for one dispatch.
    fn least_bits(&self) -> [u64; 2];

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

/// Bits of a table whose loops are worth a stop: a few turns of the control unit take as long.
pub(crate) const LEAST_BITS: [u64; 2] = [1 << 10, 1 << 24];

/// Most workgroups of a dispatch in one direction.
pub(crate) const MAX_GROUPS: u32 = 65_535;
