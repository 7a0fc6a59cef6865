//! Remarks: what became of the loops that passes look at, and why not more, in the words of the source.

use star_ir::{Check, IntOp, LocId, Operand, Routine, RoutineId, SizeOperand, VarId, visit};

/// What a pass has to say about a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Name of the pass.
    pub pass: &'static str,
    /// The routine of the loop.
    pub routine: RoutineId,
    /// The location of the loop, which it keeps through all passes.
    pub loc: LocId,
    /// What became of it.
    pub outcome: LoopOutcome,
    /// The place in its body that the outcome is about, if there is one.
    pub at: Option<LocId>,
}

/// What became of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoopOutcome {
    /// This, as `a foreach`.
    Became(String),
    /// This, as a whole; the loop is kept for where that cannot be, and what becomes of it is of less interest.
    Whole(String),
    /// It stays, because of this condition, as "`X` is read in its body".
    Stayed(String),
}

/// Why a loop stays, and the place in its body that this is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stay {
    pub(crate) why: String,
    pub(crate) at: Option<LocId>,
}

impl From<String> for Stay {
    fn from(why: String) -> Self {
        Stay { why, at: None }
    }
}

/// That a check may fail, in the names of the source.
pub(crate) fn may_fail(routine: &Routine, check: &Check) -> String {
    format!("a check in its body may fail: {}", what_fails(routine, check))
}

/// Likewise, where only the turn itself finds out.
pub(crate) fn depends(routine: &Routine, check: &Check) -> String {
    format!("a check in its body depends on what the turn computes: {}", what_fails(routine, check))
}

fn what_fails(routine: &Routine, check: &Check) -> String {
    let name = |var: VarId| name(routine, var);
    let value = |operand: &Operand| match operand {
        Operand::Var(var) => name(*var),
        Operand::Int(number) => number.to_string(),
        Operand::Bool(truth) => truth.to_string(),
        Operand::Str(_) => "a text".to_owned(),
    };
    let size = |size: &SizeOperand| match size {
        SizeOperand::Length(var) => format!("the size of {}", name(*var)),
        SizeOperand::Rows(var) => format!("the rows of {}", name(*var)),
        SizeOperand::Columns(var) => format!("the columns of {}", name(*var)),
        SizeOperand::Value(operand) => value(operand),
    };
    let whole = |limit: &SizeOperand| visit::measured(limit).map_or_else(|| size(limit), name);
    match check {
        Check::Set(var) | Check::Result(var) => format!("{} may be unset", name(*var)),
        Check::Sized(var) => format!("{} may have no size", name(*var)),
        Check::HandlePart(var, _) => format!("{} may hold no such table", name(*var)),
        Check::Index(index, limit) => {
            format!("{} may be no index of {}", value(index), whole(limit))
        }
        Check::NewColumn(table, index) => {
            format!("{} may be no column of {}", value(index), name(*table))
        }
        Check::Size(left, right) => {
            format!("{} and {} may be different", size(left), size(right))
        }
        Check::Range { base: _, width: _, limit } => {
            format!("a part may lie outside of {}", whole(limit))
        }
        Check::Int(IntOp::Div | IntOp::Mod, _, by) => {
            format!("{} may be 0, or the quotient overflow", value(by))
        }
        Check::Int(IntOp::Add, left, right) => {
            format!("the sum of {} and {} may overflow", value(left), value(right))
        }
        Check::Int(IntOp::Sub, left, right) => {
            format!("the difference of {} and {} may overflow", value(left), value(right))
        }
        Check::Int(IntOp::Mul, left, right) => {
            format!("the product of {} and {} may overflow", value(left), value(right))
        }
        Check::Bit(bit) => format!("{} may be neither 0 nor 1", value(bit)),
        Check::NotNegative(number) => format!("{} may be negative", value(number)),
        Check::Fits { value: number, width } => {
            format!("{} may need more than {} bits", value(number), value(width))
        }
        Check::FitsInt(word) => format!("{} may be no integer", name(*word)),
        Check::Even(bits) => format!("the size of {} may be odd", name(*bits)),
        Check::NoCarry(_, left, right) => {
            format!("what is made of {} and {} may need a further bit", name(*left), name(*right))
        }
        Check::Assert(..) => "an `assert` may fail".to_owned(),
    }
}

/// What the source calls a variable, for a remark.
pub(crate) fn name(routine: &Routine, var: VarId) -> String {
    match routine.source_name(var) {
        Some(name) => format!("`{name}`"),
        None => "a value in between".to_owned(),
    }
}
