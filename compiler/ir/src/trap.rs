//! What a program says when it cannot go on: traps and limits, as data.

use star_base::Code;

use crate::check::SizeOperand;
use crate::op::{IntOp, Operand};
use crate::program::{LocId, RoutineId, VarId};

/// A trap: which guard failed, where, and with what values. Names are looked up in the routine of the
/// innermost frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trap {
    /// What failed.
    pub kind: TrapKind,
    /// The place of the check.
    pub loc: LocId,
    /// Active routines, the outermost first.
    pub frames: Vec<Frame>,
    /// The source variables at the place with their values as text.
    pub values: Vec<(String, String)>,
}

/// An active routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The routine.
    pub routine: RoutineId,
    /// The place of the call; `None` for the outermost one.
    pub call: Option<LocId>,
}

/// Which guard failed, with the numbers that made it fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrapKind {
    /// An index outside 1 ..= high.
    Index {
        /// The index.
        index: i64,
        /// The largest that is allowed.
        high: u64,
        /// What it is an index of.
        of: SizeOperand,
    },
    /// Two sizes that differ.
    Size {
        /// One of them, and what it measures.
        left: (SizeOperand, u64),
        /// The other one.
        right: (SizeOperand, u64),
    },
    /// A variable that was never set.
    Unset(VarId),
    /// A table whose number of rows is not known yet; a slice or word of which no size is known.
    NoSize(VarId),
    /// A result beyond 64 bits.
    Overflow {
        /// The operation.
        op: IntOp,
        /// Its left operand.
        left: i64,
        /// Its right operand.
        right: i64,
    },
    /// A zero divisor.
    Division {
        /// `Div` or `Mod`.
        op: IntOp,
        /// The dividend.
        left: i64,
    },
    /// The part `from ..= to` is not inside `1 ..= high`, or ends before it begins.
    Range {
        /// First place.
        from: i64,
        /// Last place.
        to: i64,
        /// Size of the whole.
        high: u64,
        /// What it is a part of.
        of: SizeOperand,
    },
    /// Something other than 0 and 1 for a component.
    Bit(i64),
    /// A number that is not an unsigned one of `width` bits.
    Fit {
        /// The number.
        value: i64,
        /// The bits there are.
        width: i64,
    },
    /// A word of `2⁶³` or more as an integer.
    FitInt(VarId),
    /// An odd number of components.
    Odd(u64),
    /// `ADD` or `SUBT` over the edge, under `--checked`.
    Carry {
        /// `Add` or `Sub`.
        op: IntOp,
    },
    /// An assertion with its message.
    Assert(String),
    /// A function that ended without a value.
    NoResult,
    /// A negative size or count.
    Negative {
        /// The number.
        value: i64,
        /// What had it.
        what: Operand,
    },
    /// A file that could not be read or written, in the words of who tried.
    File {
        /// The code of that message.
        code: Code,
        /// The message.
        message: String,
    },
}

/// A limit that ended a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitKind {
    /// Elementary operations plus loop turns and calls.
    Steps {
        /// The limit.
        limit: u64,
    },
    /// Bytes of values.
    Memory {
        /// The limit.
        limit: u64,
        /// What was asked for in all.
        wanted: u64,
    },
    /// The deadline.
    Time,
    /// Bytes printed.
    Output {
        /// The limit.
        limit: u64,
    },
    /// Nested calls.
    Depth {
        /// The limit.
        limit: u64,
    },
    /// The interrupt flag.
    Interrupted,
}

impl TrapKind {
    /// The code of the message. An index compared with a given number is the end of a part (only those
    /// are compared in this way), so that it is a part that does not lie inside.
    pub fn code(&self) -> Code {
        match self {
            TrapKind::Index { of: SizeOperand::Value(_), .. } => Code::RangeTrap,
            TrapKind::Index { .. } => Code::IndexTrap,
            TrapKind::Size { .. } => Code::SizeTrap,
            TrapKind::Unset(_) => Code::UnsetTrap,
            TrapKind::NoSize(_) => Code::NoSizeTrap,
            TrapKind::Overflow { .. } => Code::OverflowTrap,
            TrapKind::Division { .. } => Code::DivisionTrap,
            TrapKind::Range { .. } => Code::RangeTrap,
            TrapKind::Bit(_) => Code::BitTrap,
            TrapKind::Fit { .. } | TrapKind::FitInt(_) => Code::FitTrap,
            TrapKind::Odd(_) => Code::OddTrap,
            TrapKind::Carry { .. } => Code::CarryTrap,
            TrapKind::Assert(_) => Code::AssertTrap,
            TrapKind::NoResult => Code::NoResultTrap,
            TrapKind::Negative { .. } => Code::NegativeTrap,
            TrapKind::File { .. } => Code::FileTrap,
        }
    }
}

impl LimitKind {
    /// The code of the message.
    pub fn code(self) -> Code {
        match self {
            LimitKind::Steps { .. } => Code::StepLimit,
            LimitKind::Memory { .. } => Code::MemoryLimit,
            LimitKind::Time => Code::TimeLimit,
            LimitKind::Output { .. } => Code::OutputLimit,
            LimitKind::Depth { .. } => Code::DepthLimit,
            LimitKind::Interrupted => Code::Interrupted,
        }
    }
}
