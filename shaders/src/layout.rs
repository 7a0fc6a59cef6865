//! Places that host and device share, in words of 32 bits.
//!
//! Note [State]. A dispatch begins with the state that the last one left. The host writes what it wants of the
//! dispatch behind what the device writes. Behind the registers are the lines that the kernel of wide lines makes (Note \[Wide lines\] in star-gpu),
//! and behind the journal what its threads join.
//!
//! Note [Frames]. An activation of a routine has a frame: links, the registers of the routine while it waits for a call,
//! a pointer and a descriptor for each object, cells for registers that did not fit. The frames of one routine are
//! a list, since memory that its variables took is there for its next activation; the host appends to it.
//!
//! Note [Descriptors]. An object is a descriptor: where its limbs are, how many words it may take, flags, rows, columns,
//! words from one column to the next. Slices and words are one column.
//!
//! Note [Journal]. What a program prints is written down behind the state: a dispatch that ended at each line would cost as
//! much as hundreds of instructions. A line is the number of its instruction, and what it shows of variables: numbers as two
//! words, objects as rows, columns and the limbs of all columns. The host prints the lines when the dispatch has ended. One
//! that is not complete is begun again in the next dispatch, or printed by the host where no other stands in front of it.

/// Registers.
pub const REGISTERS: u32 = 64;
/// Words of the state.
pub const STATE_WORDS: u32 = state::QUEUE + QUEUE_LINES * wide::WORDS;
/// Words behind the state that lines may take until the host prints them; see Note [Journal].
pub const JOURNAL_WORDS: u32 = 1024;
/// Words behind the journal for limbs of a result that many threads of a grid join; zeros between two dispatches.
pub const JOINED_WORDS: u32 = 1 << 14;
/// Words of all of that.
pub const ALL_STATE_WORDS: u32 = STATE_WORDS + JOURNAL_WORDS + JOINED_WORDS;
/// Lines that may wait for the kernel of wide lines.
pub const QUEUE_LINES: u32 = 8;
/// Words of an instruction.
pub const INST_WORDS: u32 = 8;
/// Words of a frame before its pointers.
pub const FRAME_HEAD: u32 = 8 + 2 * REGISTERS;
/// Words of a descriptor.
pub const DESC_WORDS: u32 = 8;
/// What stands for an operation where nothing is done.
pub const NO_OP: u32 = 0xff;
/// What stands for a register that is absent.
pub const NO_REG: u32 = 0xff;
/// What stands for an object that is absent.
pub const NO_OBJECT: u32 = 0xffff;
/// Registers from here on carry numbers into a call and out of it.
pub const STAGING: u32 = 44;

/// Limbs of a column, and columns, up to which one workgroup runs [`Op::Lines`](crate::Op::Lines): a multiple of 32.
pub fn most_listed(threads: u32) -> u32 {
    (4 * threads).clamp(32, 1024).next_multiple_of(32)
}

/// The names of all places for the shaders.
pub const CONSTANTS: &[(&str, u32)] = &[
    ("REGISTERS", REGISTERS),
    ("STATE_WORDS", STATE_WORDS),
    ("FRAME_HEAD", FRAME_HEAD),
    ("DESC_WORDS", DESC_WORDS),
    ("NO_REG", NO_REG),
    ("NO_OP", NO_OP),
    ("NO_OBJECT", NO_OBJECT),
    ("STAGING", STAGING),
    ("S_PC", state::PC),
    ("S_STATUS", state::STATUS),
    ("S_PAYLOAD", state::PAYLOAD),
    ("S_FRAME", state::FRAME),
    ("S_DEPTH", state::DEPTH),
    ("S_OPERATIONS", state::OPERATIONS),
    ("S_STEPS", state::STEPS),
    ("S_ENDED", state::ENDED),
    ("S_CALLEE", state::CALLEE),
    ("S_JOURNAL", state::JOURNAL),
    ("S_LINES", state::LINES),
    ("S_BEGUN", state::BEGUN),
    ("S_N_WIDE", state::N_WIDE),
    ("S_BUDGET", state::BUDGET),
    ("S_LINE_TURNS", state::LINE_TURNS),
    ("S_GATHER_TURNS", state::GATHER_TURNS),
    ("S_SERIAL_TURNS", state::SERIAL_TURNS),
    ("S_STEP_LIMIT", state::STEP_LIMIT),
    ("S_DEPTH_LIMIT", state::DEPTH_LIMIT),
    ("S_ROUTINES", state::ROUTINES),
    ("S_LITERALS", state::LITERALS),
    ("S_PROFILE", state::PROFILE),
    ("S_JOURNAL_ROOM", state::JOURNAL_ROOM),
    ("S_WIDE_LIMBS", state::WIDE_LIMBS),
    ("S_WIDE_RATE", state::WIDE_RATE),
    ("S_WIDE_GROUPS", state::WIDE_GROUPS),
    ("S_WIDE_ITEMS", state::WIDE_ITEMS),
    ("S_MOST_BLOCKS", state::MOST_BLOCKS),
    ("S_MOST_JOINED", state::MOST_JOINED),
    ("S_REGISTERS", state::REGISTERS),
    ("S_QUEUED", state::QUEUED),
    ("S_ANSWERS", state::ANSWERS),
    ("S_AFTER", state::AFTER),
    ("S_NEAREST", state::NEAREST),
    ("S_COUNT", state::COUNT),
    ("S_GROUPS", state::GROUPS),
    ("S_QUEUE", state::QUEUE),
    ("S_JOINED", STATE_WORDS + JOURNAL_WORDS),
    ("QUEUE_LINES", QUEUE_LINES),
    ("W_KIND", wide::KIND),
    ("W_N", wide::N),
    ("W_AT_X", wide::AT_X),
    ("W_AT_Y", wide::AT_Y),
    ("W_AT_Z", wide::AT_Z),
    ("W_BITS_Y", wide::BITS_Y),
    ("W_STRIDE_Y", wide::STRIDE_Y),
    ("W_B", wide::B),
    ("W_LAST", wide::LAST),
    ("W_LITERALS", wide::LITERALS),
    ("W_BEHIND", wide::BEHIND),
    ("W_STRIDE_X", wide::STRIDE_X),
    ("W_FIRST", wide::FIRST),
    ("W_COLUMNS", wide::COLUMNS),
    ("W_ALL", wide::ALL),
    ("W_COLUMNS_Y", wide::COLUMNS_Y),
    ("W_LIMBS_Z", wide::LIMBS_Z),
    ("W_AT_W", wide::AT_W),
    ("W_LIMBS_W", wide::LIMBS_W),
    ("W_AT_V", wide::AT_V),
    ("W_STRIDE_V", wide::STRIDE_V),
    ("W_COLUMNS_V", wide::COLUMNS_V),
    ("W_LIMBS_V", wide::LIMBS_V),
    ("WIDE_WORDS", wide::WORDS),
    ("F_NEXT", frame::NEXT),
    ("F_BEFORE", frame::BEFORE),
    ("F_CALLER", frame::CALLER),
    ("F_RETURN", frame::RETURN),
    ("F_ROUTINE", frame::ROUTINE),
    ("F_OBJECTS", frame::OBJECTS),
    ("F_REGISTERS", frame::REGISTERS),
    ("R_FIRST", routine::FIRST),
    ("R_CURRENT", routine::CURRENT),
    ("R_ENTRY", routine::ENTRY),
    ("R_WORDS", routine::WORDS),
    ("P_DEPTH", charged::DEPTH),
    ("P_SINCE", charged::SINCE),
    ("P_OWN", charged::OWN),
    ("P_TOTAL", charged::TOTAL),
    ("P_RUNS", charged::RUNS),
    ("D_AT", descriptor::AT),
    ("D_CAPACITY", descriptor::CAPACITY),
    ("D_FLAGS", descriptor::FLAGS),
    ("D_ROWS", descriptor::ROWS),
    ("D_COLUMNS", descriptor::COLUMNS),
    ("D_STRIDE", descriptor::STRIDE),
    ("D_INITIAL", descriptor::INITIAL),
    ("SET", flag::SET),
    ("SIZED", flag::SIZED),
    ("FIXED", flag::FIXED),
    ("RUNNING", status::RUNNING),
    ("DONE", status::DONE),
    ("TRAP", status::TRAP),
    ("HOST", status::HOST),
    ("MEMORY", status::MEMORY),
    ("NO_FRAME", status::NO_FRAME),
    ("STEP_LIMIT", status::STEP_LIMIT),
    ("DEPTH_LIMIT", status::DEPTH_LIMIT),
    ("BROKEN", status::BROKEN),
    ("JOURNAL", status::JOURNAL),
    ("WIDE", status::WIDE),
    ("M_LENGTH", measure::LENGTH),
    ("M_ROWS", measure::ROWS),
    ("M_COLUMNS", measure::COLUMNS),
    ("M_SET", measure::SET),
    ("M_KNOWN", measure::KNOWN),
    ("M_FIXED", measure::FIXED),
];

/// The state of a run between two dispatches; see Note [State].
pub mod state {
    /// The next instruction.
    pub const PC: u32 = 0;
    /// Why the dispatch ended.
    pub const STATUS: u32 = 1;
    /// What the status is about, two words.
    pub const PAYLOAD: u32 = 2;
    /// The frame of the routine that runs.
    pub const FRAME: u32 = 4;
    /// Active calls.
    pub const DEPTH: u32 = 5;
    /// Elementary operations, two words.
    pub const OPERATIONS: u32 = 6;
    /// Steps, two words.
    pub const STEPS: u32 = 8;
    /// How many dispatches came to their end, of those that [began](BEGUN).
    pub const ENDED: u32 = 10;
    /// The frame that a call is prepared in, or that was returned from.
    pub const CALLEE: u32 = 11;
    /// Words that the dispatch has written to the journal.
    pub const JOURNAL: u32 = 12;
    /// How many loops over lines were one instruction so far.
    pub const LINES: u32 = 13;
    /// How many dispatches did anything so far.
    pub const BEGUN: u32 = 14;
    /// How many lines another kernel has made so far.
    pub const N_WIDE: u32 = 15;
    /// Turns of loops that the dispatches of a chain may take, less those that they took.
    pub const BUDGET: u32 = 16;
    /// Most turns of a loop over the limbs of a line.
    pub const LINE_TURNS: u32 = 17;
    /// Most turns of a loop over the columns of a row.
    pub const GATHER_TURNS: u32 = 18;
    /// Most turns of one thread over the limbs of a word.
    pub const SERIAL_TURNS: u32 = 19;
    /// Most steps, two words.
    pub const STEP_LIMIT: u32 = 20;
    /// Most active calls.
    pub const DEPTH_LIMIT: u32 = 22;
    /// Where the records of the routines lie.
    pub const ROUTINES: u32 = 23;
    /// Where the constants lie.
    pub const LITERALS: u32 = 24;
    /// Where the profile lies: for each counter where its record is.
    pub const PROFILE: u32 = 26;
    /// Words that the dispatch may write to the journal; 0 if each line is to be served by the host.
    pub const JOURNAL_ROOM: u32 = 27;
    /// Limbs that a line has at most which the control unit makes; 0 if it makes all.
    pub const WIDE_LIMBS: u32 = 28;
    /// Limbs of others that take as long as a turn.
    pub const WIDE_RATE: u32 = 29;
    /// Workgroups of the kernel that makes those.
    pub const WIDE_GROUPS: u32 = 30;
    /// Limbs of four columns that an instruction over lines takes at most in the control unit.
    pub const WIDE_ITEMS: u32 = 31;
    /// Limbs of 32 columns that it takes at most in a dispatch of the other kernel.
    pub const MOST_BLOCKS: u32 = 25;
    /// Limbs of a result that threads of several workgroups join, at most.
    pub const MOST_JOINED: u32 = QUEUED + 7;
    /// The registers, two words each.
    pub const REGISTERS: u32 = 32;
    /// How many lines wait for the other kernel.
    pub const QUEUED: u32 = REGISTERS + 2 * super::REGISTERS;
    /// Is the last of these the instruction that comes next, which wants to know what was found?
    pub const ANSWERS: u32 = QUEUED + 1;
    /// Why the dispatch would have ended if there were none.
    pub const AFTER: u32 = QUEUED + 2;
    /// The place of what was found first, all ones if nothing was.
    pub const NEAREST: u32 = QUEUED + 3;
    /// How many ones there are, two words.
    pub const COUNT: u32 = QUEUED + 4;
    /// How many workgroups came to their end.
    pub const GROUPS: u32 = QUEUED + 6;
    /// The lines that wait; see [`super::wide`].
    pub const QUEUE: u32 = QUEUED + 8;
}

/// A line, or an instruction over lines, that the control unit leaves to another kernel: its operands.
pub mod wide {
    /// The first word of the instruction.
    pub const KIND: u32 = 0;
    /// Components.
    pub const N: u32 = 1;
    /// Where the line goes.
    pub const AT_X: u32 = 2;
    /// Where y begins, 0 if there is none.
    pub const AT_Y: u32 = 3;
    /// Likewise z.
    pub const AT_Z: u32 = 4;
    /// Components of y.
    pub const BITS_Y: u32 = 5;
    /// Words from one column of y to the next.
    pub const STRIDE_Y: u32 = 6;
    /// The operand b, two words; or the truth table of an instruction over lines.
    pub const B: u32 = 7;
    /// The operand c, not below −2³¹ + 1 and not beyond 2³¹ − 1; or the row that is written.
    pub const LAST: u32 = 9;
    /// Where the constant lies.
    pub const LITERALS: u32 = 10;
    /// What comes before what is found first.
    pub const BEHIND: u32 = 11;
    /// Words from one column of x to the next.
    pub const STRIDE_X: u32 = 12;
    /// The first column, from 0.
    pub const FIRST: u32 = 13;
    /// The column behind the last one.
    pub const COLUMNS: u32 = 14;
    /// Columns of y.
    pub const COLUMNS_Y: u32 = 15;
    /// Limbs of z, 0 if there is none.
    pub const LIMBS_Z: u32 = 16;
    /// Where w begins.
    pub const AT_W: u32 = 17;
    /// Its limbs, 0 if there is none.
    pub const LIMBS_W: u32 = 18;
    /// Where v begins.
    pub const AT_V: u32 = 19;
    /// Words from one of its columns to the next.
    pub const STRIDE_V: u32 = 20;
    /// Its columns.
    pub const COLUMNS_V: u32 = 21;
    /// Its limbs, 0 if there is none.
    pub const LIMBS_V: u32 = 22;
    /// Columns in all.
    pub const ALL: u32 = 23;
    /// Words of it.
    pub const WORDS: u32 = 24;
}

/// A frame; see Note [Frames].
pub mod frame {
    /// The next frame of the same routine, 0 if there is none.
    pub const NEXT: u32 = 0;
    /// The frame of the same routine that was active before.
    pub const BEFORE: u32 = 1;
    /// The frame of the caller, 0 for the entry.
    pub const CALLER: u32 = 2;
    /// The instruction behind the call.
    pub const RETURN: u32 = 3;
    /// The number of the routine.
    pub const ROUTINE: u32 = 4;
    /// How many objects it has.
    pub const OBJECTS: u32 = 5;
    /// The registers while a call is active.
    pub const REGISTERS: u32 = 8;
}

/// The record of a routine.
pub mod routine {
    /// Its first frame, 0 if it has none yet.
    pub const FIRST: u32 = 0;
    /// The frame of its innermost activation, 0 if there is none.
    pub const CURRENT: u32 = 1;
    /// Its first instruction.
    pub const ENTRY: u32 = 2;
    /// Words of a record.
    pub const WORDS: u32 = 4;
}

/// What a line or a routine was charged with; numbers of two words.
pub mod charged {
    /// How often it is in the middle of a call, one word.
    pub const DEPTH: u32 = 0;
    /// Operations of the run when the outermost of those calls began.
    pub const SINCE: u32 = 2;
    /// Operations.
    pub const OWN: u32 = 4;
    /// Operations, with those of what it called.
    pub const TOTAL: u32 = 6;
    /// How often it was called.
    pub const RUNS: u32 = 8;
    /// Words of a record.
    pub const WORDS: u32 = 10;
}

/// A descriptor; see Note [Descriptors].
pub mod descriptor {
    /// Where the first limb is.
    pub const AT: u32 = 0;
    /// Words that it may take from there.
    pub const CAPACITY: u32 = 1;
    /// See [`super::flag`].
    pub const FLAGS: u32 = 2;
    /// Components of a column.
    pub const ROWS: u32 = 3;
    /// Columns.
    pub const COLUMNS: u32 = 4;
    /// Words from one column to the next.
    pub const STRIDE: u32 = 5;
    /// The flags at the begin of an activation.
    pub const INITIAL: u32 = 6;
}

/// Flags of an object.
pub mod flag {
    /// It has a value.
    pub const SET: u32 = 1;
    /// It has none, but its size is known.
    pub const SIZED: u32 = 2;
    /// A table does not grow, a slice or word keeps its size.
    pub const FIXED: u32 = 4;
}

/// Why a dispatch ended.
pub mod status {
    /// Its budget was used up.
    pub const RUNNING: u32 = 0;
    /// The entry has ended.
    pub const DONE: u32 = 1;
    /// The guard of the instruction does not hold.
    pub const TRAP: u32 = 2;
    /// The instruction is served by the host.
    pub const HOST: u32 = 3;
    /// The object of the instruction needs more memory; the payload is its descriptor.
    pub const MEMORY: u32 = 4;
    /// The routine of the instruction needs a further frame; the payload is the one before it, 0 for the first.
    pub const NO_FRAME: u32 = 5;
    /// Too many steps.
    pub const STEP_LIMIT: u32 = 6;
    /// Too many active calls.
    pub const DEPTH_LIMIT: u32 = 7;
    /// An instruction that there is not.
    pub const BROKEN: u32 = 8;
    /// A line does not go into the journal, or not into what is left of it.
    pub const JOURNAL: u32 = 9;
    /// Lines are for another kernel to make.
    pub const WIDE: u32 = 10;
}

/// What may be asked about an object.
pub mod measure {
    /// Components of a slice or word, set or sized.
    pub const LENGTH: u32 = 0;
    /// Rows of a table.
    pub const ROWS: u32 = 1;
    /// Columns of a table.
    pub const COLUMNS: u32 = 2;
    /// Has it a value?
    pub const SET: u32 = 3;
    /// Is its size known?
    pub const KNOWN: u32 = 4;
    /// Does it keep its size?
    pub const FIXED: u32 = 5;
}
