//! Memory layout shared by host and device, in words of 32 bits.
//!
//! Note [State]. A dispatch begins with the state that the last one left. The host writes its
//! parameters of the dispatch after the words that the device writes. After the registers come the
//! lines that the kernel of wide lines computes (Note \[Wide lines\] in star-gpu), and after the
//! journal the words in which its threads join results.
//!
//! Note [Frames]. An activation of a routine has a frame: links, the registers of the routine while
//! it waits for a call, a pointer and a descriptor for each object, cells for spilled registers.
//! The frames of one routine form a list, so that memory of its variables is reused by its next
//! activation; the host appends to it.
//!
//! Note [Descriptors]. An object is a descriptor: the address of its limbs, its capacity in words,
//! flags, rows, columns, words from one column to the next. Slices and words are one column.
//!
//! Note [Journal]. The output of a program is recorded after the state: ending a dispatch at each
//! line would cost as much as hundreds of instructions. A line consists of the number of its
//! instruction, and the shown values: numbers as two words, objects as rows, columns and the limbs
//! of all columns. The host prints the lines when the dispatch has ended. An incomplete line is
//! restarted in the next dispatch, or printed by the host if it is the first.

/// Number of registers.
pub const REGISTERS: u32 = 64;
/// Words of the state.
pub const STATE_WORDS: u32 = state::QUEUE + QUEUE_LINES * wide::WORDS;
/// Words after the state for lines until the host prints them; see Note [Journal].
pub const JOURNAL_WORDS: u32 = 1024;
/// Words after the journal for limbs of a result that many threads of a grid join; zeros between
/// two dispatches.
pub const JOINED_WORDS: u32 = 1 << 14;
/// Words of all these parts.
pub const ALL_STATE_WORDS: u32 = STATE_WORDS + JOURNAL_WORDS + JOINED_WORDS;
/// Lines that may wait for the kernel of wide lines.
pub const QUEUE_LINES: u32 = 8;
/// Words of an instruction.
pub const INST_WORDS: u32 = 8;
/// Words of a frame before its pointers.
pub const FRAME_HEAD: u32 = 8 + 2 * REGISTERS;
/// Words of a descriptor.
pub const DESC_WORDS: u32 = 8;
/// Placeholder for no operation.
pub const NO_OP: u32 = 0xff;
/// Placeholder for a missing register.
pub const NO_REG: u32 = 0xff;
/// Placeholder for a missing object.
pub const NO_OBJECT: u32 = 0xffff;
/// Registers from here on pass numbers into a call and out of it.
pub const STAGING: u32 = 44;

/// Returns the number of limbs of a column, and of columns, up to which one workgroup runs
/// [`Op::Lines`](crate::Op::Lines): a multiple of 32.
pub fn most_listed(threads: u32) -> u32 {
    (4 * threads).clamp(32, 1024).next_multiple_of(32)
}

/// The names of all layout constants for the shaders.
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
    ("S_LINE_ITERATIONS", state::LINE_ITERATIONS),
    ("S_GATHER_ITERATIONS", state::GATHER_ITERATIONS),
    ("S_SERIAL_ITERATIONS", state::SERIAL_ITERATIONS),
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
    /// The reason why the dispatch ended.
    pub const STATUS: u32 = 1;
    /// The argument of the status, two words.
    pub const PAYLOAD: u32 = 2;
    /// The frame of the running routine.
    pub const FRAME: u32 = 4;
    /// Number of active calls.
    pub const DEPTH: u32 = 5;
    /// Elementary operations, two words.
    pub const OPERATIONS: u32 = 6;
    /// Steps, two words.
    pub const STEPS: u32 = 8;
    /// Number of dispatches that completed, of those that [began](BEGUN).
    pub const ENDED: u32 = 10;
    /// The frame of a call in preparation, or of the last return.
    pub const CALLEE: u32 = 11;
    /// Words that the dispatch has written to the journal.
    pub const JOURNAL: u32 = 12;
    /// Number of loops over lines that ran as one instruction so far.
    pub const LINES: u32 = 13;
    /// Number of dispatches with any work so far.
    pub const BEGUN: u32 = 14;
    /// Number of lines that another kernel has computed so far.
    pub const N_WIDE: u32 = 15;
    /// Remaining loop iterations of the dispatches of a chain.
    pub const BUDGET: u32 = 16;
    /// Maximum iterations of a loop over the limbs of a line.
    pub const LINE_ITERATIONS: u32 = 17;
    /// Maximum iterations of a loop over the columns of a row.
    pub const GATHER_ITERATIONS: u32 = 18;
    /// Maximum iterations of one thread over the limbs of a word.
    pub const SERIAL_ITERATIONS: u32 = 19;
    /// Maximum number of steps, two words.
    pub const STEP_LIMIT: u32 = 20;
    /// Maximum number of active calls.
    pub const DEPTH_LIMIT: u32 = 22;
    /// Address of the records of the routines.
    pub const ROUTINES: u32 = 23;
    /// Address of the constants.
    pub const LITERALS: u32 = 24;
    /// Address of the profile: the address of its record for each counter.
    pub const PROFILE: u32 = 26;
    /// Words that the dispatch may write to the journal; 0 if the host must serve each line.
    pub const JOURNAL_ROOM: u32 = 27;
    /// Maximum limbs of a line that the control unit computes; 0 if it computes all lines.
    pub const WIDE_LIMBS: u32 = 28;
    /// Limbs that the other kernel computes during one iteration.
    pub const WIDE_RATE: u32 = 29;
    /// Workgroups of that kernel.
    pub const WIDE_GROUPS: u32 = 30;
    /// Maximum limbs of four columns of an instruction over lines in the control unit.
    pub const WIDE_ITEMS: u32 = 31;
    /// Maximum limbs of 32 columns of such an instruction in a dispatch of the other kernel.
    pub const MOST_BLOCKS: u32 = 25;
    /// Maximum limbs of a result that threads of several workgroups join.
    pub const MOST_JOINED: u32 = QUEUED + 7;
    /// The registers, two words each.
    pub const REGISTERS: u32 = 32;
    /// Number of lines waiting for the other kernel.
    pub const QUEUED: u32 = REGISTERS + 2 * super::REGISTERS;
    /// Whether the last of these is the next instruction, which needs the results of its queries.
    pub const ANSWERS: u32 = QUEUED + 1;
    /// The reason why the dispatch would have ended without waiting lines.
    pub const AFTER: u32 = QUEUED + 2;
    /// The position of the first match, all ones if there is none.
    pub const NEAREST: u32 = QUEUED + 3;
    /// The number of ones, two words.
    pub const COUNT: u32 = QUEUED + 4;
    /// Number of workgroups that completed.
    pub const GROUPS: u32 = QUEUED + 6;
    /// The waiting lines; see [`super::wide`].
    pub const QUEUE: u32 = QUEUED + 8;
}

/// The operands of a line, or an instruction over lines, that the control unit leaves to another
/// kernel.
pub mod wide {
    /// The first word of the instruction.
    pub const KIND: u32 = 0;
    /// Number of components.
    pub const N: u32 = 1;
    /// Destination address of the line.
    pub const AT_X: u32 = 2;
    /// Start address of y, 0 if it is missing.
    pub const AT_Y: u32 = 3;
    /// Start address of z, 0 if it is missing.
    pub const AT_Z: u32 = 4;
    /// Components of y.
    pub const BITS_Y: u32 = 5;
    /// Words from one column of y to the next.
    pub const STRIDE_Y: u32 = 6;
    /// The operand b, two words; or the truth table of an instruction over lines.
    pub const B: u32 = 7;
    /// The operand c, clamped to −2³¹ + 1 … 2³¹ − 1; or the row to write.
    pub const LAST: u32 = 9;
    /// Address of the constant.
    pub const LITERALS: u32 = 10;
    /// Position after which the first match is sought.
    pub const BEHIND: u32 = 11;
    /// Words from one column of x to the next.
    pub const STRIDE_X: u32 = 12;
    /// The first column, from 0.
    pub const FIRST: u32 = 13;
    /// The column after the last one.
    pub const COLUMNS: u32 = 14;
    /// Columns of y.
    pub const COLUMNS_Y: u32 = 15;
    /// Limbs of z, 0 if it is missing.
    pub const LIMBS_Z: u32 = 16;
    /// Start address of w.
    pub const AT_W: u32 = 17;
    /// Its limbs, 0 if it is missing.
    pub const LIMBS_W: u32 = 18;
    /// Start address of v.
    pub const AT_V: u32 = 19;
    /// Words from one of its columns to the next.
    pub const STRIDE_V: u32 = 20;
    /// Its columns.
    pub const COLUMNS_V: u32 = 21;
    /// Its limbs, 0 if it is missing.
    pub const LIMBS_V: u32 = 22;
    /// Total number of columns.
    pub const ALL: u32 = 23;
    /// Words of a queued line.
    pub const WORDS: u32 = 24;
}

/// A frame; see Note [Frames].
pub mod frame {
    /// The next frame of the same routine, 0 if there is none.
    pub const NEXT: u32 = 0;
    /// The frame of the previously active activation of the same routine.
    pub const BEFORE: u32 = 1;
    /// The frame of the caller, 0 for the entry.
    pub const CALLER: u32 = 2;
    /// The instruction after the call.
    pub const RETURN: u32 = 3;
    /// The number of the routine.
    pub const ROUTINE: u32 = 4;
    /// Number of its objects.
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

/// The costs of a line or a routine; numbers of two words.
pub mod charged {
    /// Number of active calls from there, one word.
    pub const DEPTH: u32 = 0;
    /// Operations of the run at the beginning of the outermost of those calls.
    pub const SINCE: u32 = 2;
    /// Operations.
    pub const OWN: u32 = 4;
    /// Operations, including those of callees.
    pub const TOTAL: u32 = 6;
    /// Number of calls.
    pub const RUNS: u32 = 8;
    /// Words of a record.
    pub const WORDS: u32 = 10;
}

/// A descriptor; see Note [Descriptors].
pub mod descriptor {
    /// Address of the first limb.
    pub const AT: u32 = 0;
    /// Capacity in words from there.
    pub const CAPACITY: u32 = 1;
    /// See [`super::flag`].
    pub const FLAGS: u32 = 2;
    /// Components of a column.
    pub const ROWS: u32 = 3;
    /// Columns.
    pub const COLUMNS: u32 = 4;
    /// Words from one column to the next.
    pub const STRIDE: u32 = 5;
    /// The initial flags of an activation.
    pub const INITIAL: u32 = 6;
}

/// Flags of an object.
pub mod flag {
    /// It has a value.
    pub const SET: u32 = 1;
    /// It has no value, but a known size.
    pub const SIZED: u32 = 2;
    /// A table cannot grow, a slice or word keeps its size.
    pub const FIXED: u32 = 4;
}

/// The reason why a dispatch ended.
pub mod status {
    /// Its budget was exhausted.
    pub const RUNNING: u32 = 0;
    /// The entry has ended.
    pub const DONE: u32 = 1;
    /// The guard of the instruction failed.
    pub const TRAP: u32 = 2;
    /// The host must serve the instruction.
    pub const HOST: u32 = 3;
    /// The object of the instruction needs more memory; the payload is its descriptor.
    pub const MEMORY: u32 = 4;
    /// The routine of the instruction needs a further frame; the payload is the previous one, 0 for
    /// the first.
    pub const NO_FRAME: u32 = 5;
    /// Too many steps.
    pub const STEP_LIMIT: u32 = 6;
    /// Too many active calls.
    pub const DEPTH_LIMIT: u32 = 7;
    /// An invalid instruction.
    pub const BROKEN: u32 = 8;
    /// A line does not fit into the journal, or into its remaining space.
    pub const JOURNAL: u32 = 9;
    /// Lines are waiting for another kernel.
    pub const WIDE: u32 = 10;
}

/// Properties of an object.
pub mod measure {
    /// Components of a slice or word, set or sized.
    pub const LENGTH: u32 = 0;
    /// Rows of a table.
    pub const ROWS: u32 = 1;
    /// Columns of a table.
    pub const COLUMNS: u32 = 2;
    /// Whether it has a value.
    pub const SET: u32 = 3;
    /// Whether its size is known.
    pub const KNOWN: u32 = 4;
    /// Whether it keeps its size.
    pub const FIXED: u32 = 5;
}
