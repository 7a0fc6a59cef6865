//! Kernels: independent iterations over lines of tables, as data flow.
//!
//! A kernel is made from a `forall` that works on the lines, rows or columns, with its index. It
//! states what an iteration computes without control flow: values in SSA form, and effects that
//! happen where a boolean holds. A backend runs the kernel as it can, or its fallback, which has
//! the same results. The index and its range are those of the fallback.

use crate::check::Check;
use crate::op::{LogicOp, Operand, Relation};
use crate::program::VarId;
use crate::stmt::{Block, ForallRange, ReductionOp, Stmt, StmtKind};

/// Independent iterations over lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// The direction of the lines.
    pub line: Line,
    /// A table with a line for each index.
    pub table: VarId,
    /// The values of an iteration, each computed from those before it.
    pub values: Vec<Value>,
    /// The changes that an iteration makes, in order, after all values are computed.
    pub effects: Vec<Effect>,
    /// Conditions that hold in all iterations if they hold before the first one. If one does not
    /// hold, the fallback runs. An index is that of the iterations, and must be valid in each.
    pub guards: Vec<Check>,
    /// Elementary operations of each iteration.
    pub cost: u64,
    /// The `forall` from which it was made.
    pub fallback: Block,
}

/// Rows or columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Line {
    /// Words.
    Row,
    /// Slices.
    Column,
}

/// The number of a value in a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ValueId(pub u32);

/// A value of an iteration.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// Bits: the line of the table with the index of the iteration, as it was before.
    Line(VarId),
    /// Bits: a slice or word from outside, as long as the lines.
    Whole(VarId),
    /// Bits, all of them this one, as long as the lines.
    Fill(bool),
    /// The complement of bits or of a boolean.
    Not(ValueId),
    /// Logic of bits or of booleans.
    Logic(LogicOp, ValueId, ValueId),
    /// The answer to a query about bits: a boolean or an integer.
    Query(Query, ValueId),
    /// The index, an integer.
    Index,
    /// An integer or boolean from outside.
    Scalar(Operand),
    /// The component of a slice or word from outside that has the index: 0 or 1.
    Component(VarId),
    /// A comparison of integers.
    Compare(Relation, ValueId, ValueId),
}

/// A query about the bits of a slice or word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Query {
    /// SOME: is a bit 1?
    Any,
    /// ZERO: is no bit 1?
    None,
    /// ONE: are all bits 1?
    All,
    /// FND: the index of the first 1, or 0.
    First,
    /// NUMB: the number of ones.
    Count,
}

/// A change that an iteration makes. `when` is a boolean value; without one, the change happens in
/// every iteration.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// The line with the index is set to bits.
    Store {
        /// The table.
        table: VarId,
        /// The bits.
        value: ValueId,
    },
    /// The variable is combined with bits, an integer or a boolean.
    Reduce {
        /// The variable, which is used for nothing else.
        into: VarId,
        /// The combining operation.
        op: ReductionOp,
        /// The other operand.
        value: ValueId,
        /// The iterations that combine.
        when: Option<ValueId>,
    },
    /// The component with the index is set to an integer, 0 or 1.
    Put {
        /// The slice or word, which is used for nothing else.
        bits: VarId,
        /// The component.
        value: ValueId,
        /// The iterations that set it.
        when: Option<ValueId>,
    },
    /// Counts elementary operations.
    Cost {
        /// Their number.
        units: u64,
        /// The iterations that count.
        when: ValueId,
    },
}

/// The `forall` of a kernel.
#[derive(Clone, Copy)]
pub struct Iterations<'k> {
    /// The index of an iteration.
    pub var: VarId,
    /// The indices.
    pub range: &'k ForallRange,
    /// Variables that are unset afterwards, apart from the index.
    pub privates: &'k [VarId],
}

impl Kernel {
    /// Returns the iterations, those of the fallback; `None` in a kernel that the verifier rejects.
    pub fn iterations(&self) -> Option<Iterations<'_>> {
        match &self.fallback[..] {
            [Stmt { kind: StmtKind::Forall { var, range, privates, .. }, .. }] => {
                Some(Iterations { var: *var, range, privates })
            }
            _ => None,
        }
    }

    /// Calls `f` for every variable of values, effects and guards.
    pub fn vars(&self, f: &mut impl FnMut(VarId)) {
        let mut copy = self.clone();
        copy.vars_mut(&mut |var| f(*var));
    }

    /// Like [`Kernel::vars`], with mutable references.
    pub fn vars_mut(&mut self, f: &mut impl FnMut(&mut VarId)) {
        f(&mut self.table);
        for value in &mut self.values {
            match value {
                Value::Line(var) | Value::Whole(var) | Value::Component(var) => f(var),
                Value::Scalar(Operand::Var(var)) => f(var),
                Value::Scalar(Operand::Int(_) | Operand::Bool(_) | Operand::Str(_))
                | Value::Fill(_)
                | Value::Not(_)
                | Value::Logic(..)
                | Value::Query(..)
                | Value::Index
                | Value::Compare(..) => {}
            }
        }
        for effect in &mut self.effects {
            match effect {
                Effect::Store { table: var, .. }
                | Effect::Reduce { into: var, .. }
                | Effect::Put { bits: var, .. } => f(var),
                Effect::Cost { .. } => {}
            }
        }
    }
}

impl Line {
    /// Returns the other direction.
    pub fn other(self) -> Line {
        match self {
            Line::Row => Line::Column,
            Line::Column => Line::Row,
        }
    }
}

impl Value {
    /// Returns the values from which it is computed.
    pub fn operands(&self) -> impl Iterator<Item = ValueId> {
        let operands = match self {
            Value::Not(of) | Value::Query(_, of) => [Some(*of), None],
            Value::Logic(_, left, right) | Value::Compare(_, left, right) => {
                [Some(*left), Some(*right)]
            }
            Value::Line(_)
            | Value::Whole(_)
            | Value::Fill(_)
            | Value::Index
            | Value::Scalar(_)
            | Value::Component(_) => [None, None],
        };
        operands.into_iter().flatten()
    }
}

impl Effect {
    /// Returns the values that it uses.
    pub fn operands(&self) -> impl Iterator<Item = ValueId> {
        let (value, when) = match self {
            Effect::Store { value, .. } => (Some(*value), None),
            Effect::Reduce { value, when, .. } | Effect::Put { value, when, .. } => {
                (Some(*value), *when)
            }
            Effect::Cost { when, .. } => (None, Some(*when)),
        };
        value.into_iter().chain(when)
    }
}
