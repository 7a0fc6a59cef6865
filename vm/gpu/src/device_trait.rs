//! The interface of a control unit to the host: memory, code, and dispatches.

use star_shaders::layout::{JOINED_WORDS, STATE_WORDS};
use star_vm::BackendError;

use crate::grid::Grid;

/// The state of a run between two dispatches (Note \[State\] in star-shaders).
pub(crate) type State = [u32; STATE_WORDS as usize];

/// Limits of the kernel over a grid that works for the control unit, and the number of its
/// dispatches in a submission (Note \[Wide lines\] in `run/wide.rs`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wide {
    /// Maximum limbs of a line that the control unit computes itself; not 0.
    pub limbs: u32,
    /// Maximum limbs of four columns that it processes for an instruction over lines.
    pub items: u32,
    /// Maximum limbs of 32 columns of an instruction over lines in one dispatch of the kernel.
    pub blocks: u32,
    /// Maximum limbs of a result that threads of several workgroups join.
    pub joined: u32,
    /// Workgroups of the kernel, each with the same number of threads as the control unit.
    pub groups: u32,
    /// Limbs that this kernel computes during a loop iteration of the control unit; not 0.
    pub rate: u32,
    /// Maximum dispatches of the kernel in a submission; not 0.
    pub chain: u32,
}

impl Wide {
    /// The limits for a graphics card: roughly where both ways take the same time.
    pub const CARD: Wide = Wide {
        limbs: 1 << 14,
        items: 1 << 13,
        blocks: 1 << 25,
        joined: JOINED_WORDS,
        groups: 1024,
        rate: 1 << 12,
        chain: 64,
    };
    /// The limits for an adapter that is a processor; see [`CARD`](Self::CARD). Loops of a shader
    /// may have some ten thousand iterations there.
    pub const PROCESSOR: Wide =
        Wide { items: 1 << 13, blocks: 1 << 22, groups: 256, rate: 8, chain: 16, ..Wide::CARD };
    /// The smallest possible limits.
    pub const TINY: Wide =
        Wide { limbs: 1, items: 2, blocks: 3, joined: 2, groups: 3, rate: 4, chain: 2 };
}

/// Transfers between host and device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Moved {
    /// Number of times that the host waited for words.
    pub(crate) reads: u64,
    /// Bytes sent and received.
    pub(crate) sent: u64,
    pub(crate) back: u64,
}

/// Usual number of words allocated ahead to the objects of a frame: forty lines of 100,000
/// components.
pub(crate) const AHEAD_WORDS: u32 = 1 << 17;

/// A control unit with its memory of words of 32 bits. Address 0 is never allocated.
pub(crate) trait ControlUnit {
    /// Returns the name of the device, for display.
    fn device(&self) -> String;

    /// Returns the threads of a workgroup.
    fn threads(&self) -> u32;

    /// Returns the limits beyond which the kernel of wide lines does the work.
    fn wide(&self) -> Wide;

    /// Returns the maximum number of loop iterations of a dispatch; the first dispatch of a run is
    /// number 1.
    fn budget(&self, dispatch: u32) -> u32;

    /// Returns the number of words that are allocated to the objects of a frame ahead of requests.
    fn ahead_words(&self) -> u32;

    /// Returns the number of words of the journal for lines until the host prints them, at most
    /// [`JOURNAL_WORDS`](star_shaders::layout::JOURNAL_WORDS).
    fn journal_words(&self) -> u32;

    /// Returns the maximum number of loop iterations of one instruction: beyond it a driver may end
    /// a shader silently.
    fn max_iterations(&self) -> u32;

    /// Returns the maximum number of words of its memory.
    fn max_words(&self) -> u64;

    /// Returns the words of a buffer of its memory: larger memory is in several.
    fn bank_words(&self) -> u32;

    /// Returns the present number of words of its memory.
    fn words(&self) -> u32;

    /// Returns the transfers between host and device since it was opened; zero if they share
    /// memory.
    fn moved(&self) -> Moved {
        Moved::default()
    }

    /// Enlarges the memory, with zeros after the existing words.
    fn grow(&mut self, words: u32) -> Result<(), BackendError>;

    /// Reads words from `at` on.
    fn read(&mut self, at: u32, into: &mut [u32]) -> Result<(), BackendError>;

    /// Writes words from `at` on.
    fn write(&mut self, at: u32, from: &[u32]) -> Result<(), BackendError>;

    /// Copies words; the ranges do not overlap.
    fn copy(&mut self, from: u32, to: u32, words: u32) -> Result<(), BackendError>;

    /// Writes zeros.
    fn clear(&mut self, at: u32, words: u32) -> Result<(), BackendError>;

    /// Loads the code of the following dispatches.
    fn load_code(&mut self, code: &[u32]) -> Result<(), BackendError>;

    /// Returns the executor of kernels over a grid on the same memory, if there is one.
    fn grid(&mut self) -> Option<&mut dyn Grid>;

    /// Returns the journal of the last dispatch (Note \[Journal\] in star-shaders).
    fn journal(&self) -> &[u32];

    /// Runs a dispatch of the control unit, followed by `n_wide` times the kernel of wide lines and
    /// the control unit again; if the state contains a waiting line, only those. Returns the
    /// nanoseconds of device time, if they are measured.
    fn dispatch(&mut self, state: &mut State, n_wide: u32) -> Result<Option<u64>, BackendError>;
}
