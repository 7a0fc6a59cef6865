//! Remarks: the results of passes for loops and the reasons for unchanged ones, in terms of the
//! source.

use star_ir::{Check, IntOp, LocId, Operand, Routine, RoutineId, SizeOperand, VarId, visit};

/// A remark of a pass about a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Name of the pass.
    pub pass: &'static str,
    /// The routine of the loop.
    pub routine: RoutineId,
    /// The location of the loop, which is the same in all passes.
    pub loc: LocId,
    /// The result.
    pub outcome: LoopOutcome,
    /// The place in its body that the outcome concerns, if there is one.
    pub at: Option<LocId>,
}

/// The result of a pass for a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoopOutcome {
    /// The new form, such as `a foreach`.
    Became(String),
    /// The algorithm of the whole loop; the loop is kept as a fallback, and its further
    /// transformation is less relevant.
    Whole(String),
    /// The loop is unchanged because of this condition, such as "`X` is read in its body".
    Stayed(String),
}

/// The reason why a loop is unchanged, and its place.
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

/// Returns the remark that a check may fail, with source names.
pub(crate) fn may_fail(routine: &Routine, check: &Check) -> String {
    format!("a check in its body may fail: {}", what_fails(routine, check))
}

/// Returns the remark that a check depends on the iteration itself.
pub(crate) fn depends(routine: &Routine, check: &Check) -> String {
    format!(
        "a check in its body depends on values computed in the iteration: {}",
        what_fails(routine, check)
    )
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
        Check::Sized(var) => format!("the size of {} may be unknown", name(*var)),
        Check::HandlePart(var, _) => format!("{} may contain no table of this name", name(*var)),
        Check::Index(index, limit) => {
            format!("{} may be an invalid index of {}", value(index), whole(limit))
        }
        Check::NewColumn(table, index) => {
            format!("{} may be an invalid column of {}", value(index), name(*table))
        }
        Check::Size(left, right) => {
            format!("{} and {} may be different", size(left), size(right))
        }
        Check::Range { base: _, width: _, limit } => {
            format!("a part may be outside {}", whole(limit))
        }
        Check::Int(IntOp::Div | IntOp::Mod, _, by) => {
            format!("{} may be 0, or the quotient may overflow", value(by))
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
        Check::FitsRow { row: _, width } => {
            format!("a number may need more than {} bits", value(width))
        }
        Check::FitsInt(word) => format!("{} may not fit an integer", name(*word)),
        Check::Even(bits) => format!("the size of {} may be odd", name(*bits)),
        Check::NoCarry(_, left, right) => {
            format!("the result of {} and {} may need an additional bit", name(*left), name(*right))
        }
        Check::Assert(..) => "an `assert` may fail".to_owned(),
    }
}

/// Returns the source name of a variable, for a remark.
pub(crate) fn name(routine: &Routine, var: VarId) -> String {
    match routine.source_name(var) {
        Some(name) => format!("`{name}`"),
        None => "an intermediate value".to_owned(),
    }
}
