//! Messages of stopped programs: traps and limits, as data.

use star_base::Code;

use crate::check::SizeOperand;
use crate::op::IntOp;
use crate::program::{HandlePart, LocId, Location, Program, Routine, RoutineId, VarId};

/// A trap: the failed guard, its location and its values. Variables have their source names, so
/// that inlining does not change the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trap {
    /// The failure.
    pub kind: TrapKind,
    /// The location of the check.
    pub loc: LocId,
    /// Active routines, outermost first; inlined code belongs to the routine that contains it
    /// ([`Trap::call_stack`]).
    pub frames: Vec<Frame>,
    /// The source variables at the location with their values as text.
    pub values: Vec<(String, String)>,
}

impl Trap {
    /// Returns the active source routines, outermost first: a routine whose code was inlined has a
    /// frame, too.
    pub fn call_stack(&self, program: &Program) -> Vec<Frame> {
        let mut stack = Vec::new();
        let inlined = |stack: &mut Vec<Frame>, loc: LocId| {
            let calls = &program.location(loc).inlined;
            stack.extend(
                calls.iter().map(|call| Frame { routine: call.routine, call: Some(call.call) }),
            );
        };
        for &frame in &self.frames {
            if let Some(call) = frame.call {
                inlined(&mut stack, call);
            }
            stack.push(frame);
        }
        inlined(&mut stack, self.loc);
        stack
    }
}

/// An active routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The routine.
    pub routine: RoutineId,
    /// The location of the call; `None` for the outermost one.
    pub call: Option<LocId>,
}

/// The measured size, with the source name of the variable; `None` for variables that the compiler
/// introduced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamedSize {
    /// Number of components of a slice or word.
    Length(Option<String>),
    /// Number of rows of a table.
    Rows(Option<String>),
    /// Number of columns of a table.
    Columns(Option<String>),
    /// A given number.
    Number,
}

/// Source names of the variables of a routine at a location.
#[derive(Clone, Copy, Debug)]
pub struct Names<'p> {
    /// The routine.
    pub routine: &'p Routine,
    /// The location. Inlined code names a variable of its caller as in its original routine.
    pub place: Option<&'p Location>,
}

impl<'p> Names<'p> {
    /// Returns the source name of the variable; `None` for variables that the compiler introduced.
    pub fn of(self, var: VarId) -> Option<&'p str> {
        let inlined = self.place.filter(|place| !place.inlined.is_empty());
        let named = inlined.and_then(|place| place.operands.iter().find(|named| named.var == var));
        named.map(|named| named.name.as_str()).or_else(|| self.routine.source_name(var))
    }
}

impl NamedSize {
    /// Converts the operand with the source names at a location.
    pub fn of(operand: &SizeOperand, names: Names<'_>) -> Self {
        let name = |var: VarId| names.of(var).map(str::to_owned);
        match operand {
            SizeOperand::Length(var) => NamedSize::Length(name(*var)),
            SizeOperand::Rows(var) => NamedSize::Rows(name(*var)),
            SizeOperand::Columns(var) => NamedSize::Columns(name(*var)),
            SizeOperand::Value(_) => NamedSize::Number,
        }
    }
}

/// The failed guard, with the numbers that made it fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrapKind {
    /// An index outside 1 ..= high.
    Index {
        /// The index.
        index: i64,
        /// The largest valid index.
        high: u64,
        /// The indexed variable.
        of: NamedSize,
    },
    /// Two sizes that differ.
    Size {
        /// The left size and its value.
        left: (NamedSize, u64),
        /// The right size and its value.
        right: (NamedSize, u64),
    },
    /// A variable that was never set, by its source name.
    Unset(Option<String>),
    /// A handle, by its source name, that contains no table with this part name.
    NoPart(Option<String>, HandlePart),
    /// A table whose number of rows is unknown, or a slice or word of unknown size.
    NoSize(Option<String>),
    /// A result that does not fit 64 bits.
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
        /// First component.
        from: i64,
        /// Last component.
        to: i64,
        /// Size of the whole.
        high: u64,
        /// The whole that it is a part of.
        of: NamedSize,
    },
    /// Something other than 0 and 1 for a component.
    Bit(i64),
    /// A number that is not an unsigned number of `width` bits.
    Fit {
        /// The number.
        value: i64,
        /// The number of bits.
        width: i64,
    },
    /// A row whose number does not fit into a field.
    FitRow {
        /// The row.
        row: i64,
        /// The number of bits of the field.
        width: i64,
    },
    /// A word of `2⁶³` or more as an integer.
    FitInt(Option<String>),
    /// An odd number of components.
    Odd(u64),
    /// Overflow of `ADD` or `SUBT` under `--checked`.
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
        /// The source name of the variable with this value.
        name: Option<String>,
    },
    /// A file that could not be read or written, with the message of the host.
    File {
        /// The code of the message.
        code: Code,
        /// The message.
        message: String,
    },
}

/// A limit that ended a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitKind {
    /// Elementary operations plus loop iterations and calls.
    Steps {
        /// The limit.
        limit: u64,
    },
    /// Bytes of values.
    Memory {
        /// The limit.
        limit: u64,
        /// The total that was requested.
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
    /// Returns the code of the message. An index compared with a given number is the end of a part
    /// (only those are compared in this way), so the part is outside.
    pub fn code(&self) -> Code {
        match self {
            TrapKind::Index { of: NamedSize::Number, .. } => Code::RangeTrap,
            TrapKind::Index { .. } => Code::IndexTrap,
            TrapKind::Size { .. } => Code::SizeTrap,
            TrapKind::Unset(_) | TrapKind::NoPart(..) => Code::UnsetTrap,
            TrapKind::NoSize(_) => Code::NoSizeTrap,
            TrapKind::Overflow { .. } => Code::OverflowTrap,
            TrapKind::Division { .. } => Code::DivisionTrap,
            TrapKind::Range { .. } => Code::RangeTrap,
            TrapKind::Bit(_) => Code::BitTrap,
            TrapKind::Fit { .. } | TrapKind::FitRow { .. } | TrapKind::FitInt(_) => Code::FitTrap,
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
    /// Returns the code of the message.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inlined_calls_have_separate_frames() {
        let text = "routine 0 \"A\" () !0 { } routine 1 \"B\" () !0 { }
            routine 2 \"C\" () !0 { } routine 3 \"D\" () !0 { }
            locations { !0 = 0:0..0 !1 = 0:1..2 !2 = 0:3..4
              !3 = 0:5..6 inlined [1 at !1] !4 = 0:7..8 inlined [3 at !2] }";
        let program = crate::parse(text).unwrap();
        let frame = |routine: u32, call: Option<u32>| Frame {
            routine: RoutineId(routine),
            call: call.map(LocId),
        };
        let trap = Trap {
            kind: TrapKind::NoResult,
            loc: LocId(4),
            frames: vec![frame(0, None), frame(2, Some(3))],
            values: Vec::new(),
        };
        // A calls B at !1, B calls C at !3, C calls D at !2, where it traps; B and D were inlined.
        let stack = [frame(0, None), frame(1, Some(1)), frame(2, Some(3)), frame(3, Some(2))];
        assert_eq!(trap.call_stack(&program), stack);
    }
}
