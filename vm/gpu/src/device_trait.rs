//! What a control unit is to the host: memory, code, and dispatches.

use star_shaders::layout::{JOINED_WORDS, STATE_WORDS};
use star_vm::BackendError;

use crate::grid::Grid;

/// The state of a run between two dispatches (Note \[State\] in star-shaders).
pub(crate) type State = [u32; STATE_WORDS as usize];

/// What a kernel over a grid makes for the control unit, and how many of its dispatches a submission holds (Note \[Wide lines\] in `run/wide.rs`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wide {
    /// Limbs that a line has at most which the control unit makes itself; not 0.
    pub limbs: u32,
    /// Limbs of four columns that it takes at most for an instruction over lines.
    pub items: u32,
    /// Limbs of 32 columns that such an instruction takes at most in one dispatch of the kernel.
    pub blocks: u32,
    /// Limbs of a result that threads of several workgroups join, at most.
    pub joined: u32,
    /// Workgroups of the kernel, each with as many threads as the control unit.
    pub groups: u32,
    /// Limbs that this kernel makes while the control unit takes a turn of a loop; not 0.
    pub rate: u32,
    /// Dispatches of the kernel in a submission, at most; not 0.
    pub chain: u32,
}

impl Wide {
    /// Of a card, and of an adapter that is a processor: where both ways take as long, roughly.
    pub const CARD: Wide = Wide {
        limbs: 1 << 14,
        items: 1 << 13,
        blocks: 1 << 25,
        joined: JOINED_WORDS,
        groups: 1024,
        rate: 1 << 12,
        chain: 64,
    };
    /// See [`CARD`](Self::CARD). Loops of a shader may have some ten thousand turns there.
    pub const PROCESSOR: Wide =
        Wide { items: 1 << 13, blocks: 1 << 22, groups: 256, rate: 8, chain: 16, ..Wide::CARD };
    /// Everything as small as can be.
    pub const TINY: Wide =
        Wide { limbs: 1, items: 2, blocks: 3, joined: 2, groups: 3, rate: 4, chain: 2 };
}

/// What went between host and device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Moved {
    /// Times that the host waited for words.
    pub(crate) reads: u64,
    /// Bytes there, and back.
    pub(crate) sent: u64,
    pub(crate) back: u64,
}

/// Words that the objects of a frame get ahead usually: forty lines of 100,000 components.
pub(crate) const AHEAD_WORDS: u32 = 1 << 17;

/// A control unit with its memory of words of 32 bits. Address 0 is nobody's.
pub(crate) trait ControlUnit {
    /// What computes, for people.
    fn device(&self) -> String;

    /// Threads of a workgroup.
    fn threads(&self) -> u32;

    /// What is for the kernel of wide lines.
    fn wide(&self) -> Wide;

    /// Turns of loops that a dispatch may take at most, the first of a run being number 1.
    fn budget(&self, dispatch: u32) -> u32;

    /// Words that the objects of a frame may get before they ask.
    fn ahead_words(&self) -> u32;

    /// Words that lines may take until the host prints them, at most [`JOURNAL_WORDS`](star_shaders::layout::JOURNAL_WORDS).
    fn journal_words(&self) -> u32;

    /// Turns of loops that one instruction may take at most: beyond them a driver may end a shader without a word.
    fn max_turns(&self) -> u32;

    /// Words that its memory may have at most.
    fn max_words(&self) -> u64;

    /// Words of a buffer of its memory: larger memory is in several.
    fn bank_words(&self) -> u32;

    /// Words that its memory has.
    fn words(&self) -> u32;

    /// What went between host and device since that was opened; nothing if they are one.
    fn moved(&self) -> Moved {
        Moved::default()
    }

    /// Makes the memory larger, with zeros behind what is there.
    fn grow(&mut self, words: u32) -> Result<(), BackendError>;

    /// Reads words from `at` on.
    fn read(&mut self, at: u32, into: &mut [u32]) -> Result<(), BackendError>;

    /// Writes words from `at` on.
    fn write(&mut self, at: u32, from: &[u32]) -> Result<(), BackendError>;

    /// Copies words; the places do not overlap.
    fn copy(&mut self, from: u32, to: u32, words: u32) -> Result<(), BackendError>;

    /// Writes zeros.
    fn clear(&mut self, at: u32, words: u32) -> Result<(), BackendError>;

    /// The code of the dispatches that follow.
    fn load_code(&mut self, code: &[u32]) -> Result<(), BackendError>;

    /// What runs kernels over a grid on the same memory, if there is such a thing.
    fn grid(&mut self) -> Option<&mut dyn Grid>;

    /// What the last dispatch wrote to the journal (Note \[Journal\] in star-shaders).
    fn journal(&self) -> &[u32];

    /// A dispatch of the control unit, and behind it so many times the kernel of wide lines and the control unit again; if the state says that a
    /// wide line waits, those alone. Nanoseconds that the device took, if it can tell.
    fn dispatch(&mut self, state: &mut State, n_wide: u32) -> Result<Option<u64>, BackendError>;
}
