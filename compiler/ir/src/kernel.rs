//! Kernels: iterations over lines of tables, as data flow.
//!
//! A kernel is made from a `forall` that works on the lines, rows or columns, with its index, or
//! from a `for` over columns that carries slices from one iteration to the next. It states what an
//! iteration computes without control flow: values in SSA form, and effects that happen where a
//! boolean holds. A backend runs the kernel as it can, or its fallback, which has the same results.
//! The index and its range are those of the fallback.
//!
//! Note [Kernels in order]. The iterations of a `for` are in order and at least one. Its values
//! are functions of single rows, except numbers and booleans, which are the same for all rows: so
//! a backend may compute all iterations for some rows, and then for others. A table that is stored
//! to has one column in each iteration. The kernel does not run, like one of which a guard does not
//! hold, if a column does not exist in some iteration, integer arithmetic overflows, or a carried
//! value is unset or has another length than the columns. Variables that the fallback assigns and
//! that are no results are not used afterwards.

use std::collections::BTreeSet;

use crate::check::Check;
use crate::op::{IntOp, LogicOp, Operand, Query, Relation};
use crate::program::VarId;
use crate::stmt::{Block, ForallRange, ReductionOp, Stmt, StmtKind};
use crate::visit::{self, Access};

/// Iterations over lines, independent of each other or in order.
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
    /// The `forall` or `for` from which it was made.
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
    /// Bits: the line of the table with the index of the iteration, as it was when the iteration
    /// began. In order it may be the column with another index: that of the iteration plus a number
    /// that is the same in all iterations.
    Line(VarId, Option<ValueId>),
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
    /// In order. Bits: the slice or word when the iteration begins, as long as the columns.
    Carried(VarId),
    /// In order. Bits: the second value where the boolean holds, otherwise the third.
    Select(ValueId, ValueId, ValueId),
    /// In order. Arithmetic of integers, linear in the index.
    Int(IntOp, ValueId, ValueId),
}

/// A change that an iteration makes. `when` is a boolean value; without one, the change happens in
/// every iteration.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// The line with the index, or with another one as in [`Value::Line`], is set to bits.
    Store {
        /// The table.
        table: VarId,
        /// The index, apart from that of the iteration.
        index: Option<ValueId>,
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
    /// In order. The slice or word is set to bits, for the next iteration and as a result.
    Carry {
        /// The slice or word.
        into: VarId,
        /// The bits.
        value: ValueId,
        /// Whether it is used after the kernel.
        is_result: bool,
    },
    /// Counts elementary operations.
    Cost {
        /// Their number.
        units: u64,
        /// The iterations that count.
        when: ValueId,
    },
}

/// The `for` of a kernel.
#[derive(Clone, Copy)]
pub struct InOrder<'k> {
    /// The index of an iteration.
    pub var: VarId,
    /// The first index.
    pub from: &'k Operand,
    /// The last index.
    pub to: &'k Operand,
    /// Whether the indices descend.
    pub down: bool,
    /// The statements of an iteration.
    pub body: &'k Block,
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
    /// Returns the iterations, those of the fallback, if they are independent of each other.
    pub fn iterations(&self) -> Option<Iterations<'_>> {
        match &self.fallback[..] {
            [Stmt { kind: StmtKind::Forall { var, range, privates, .. }, .. }] => {
                Some(Iterations { var: *var, range, privates })
            }
            _ => None,
        }
    }

    /// Returns the iterations, those of the fallback, if they are in order.
    pub fn in_order(&self) -> Option<InOrder<'_>> {
        match &self.fallback[..] {
            [Stmt { kind: StmtKind::For { label: _, var, from, to, down, body }, .. }] => {
                Some(InOrder { var: *var, from, to, down: *down, body })
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
                Value::Line(var, _)
                | Value::Whole(var)
                | Value::Component(var)
                | Value::Carried(var) => f(var),
                Value::Scalar(Operand::Var(var)) => f(var),
                Value::Scalar(Operand::Int(_) | Operand::Bool(_) | Operand::Str(_))
                | Value::Fill(_)
                | Value::Not(_)
                | Value::Logic(..)
                | Value::Query(..)
                | Value::Index
                | Value::Compare(..)
                | Value::Select(..)
                | Value::Int(..) => {}
            }
        }
        for effect in &mut self.effects {
            match effect {
                Effect::Store { table: var, .. }
                | Effect::Reduce { into: var, .. }
                | Effect::Carry { into: var, .. }
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
        let mut value = self.clone();
        let mut operands = Vec::new();
        value.operands_mut(&mut |operand| operands.push(*operand));
        operands.into_iter()
    }

    /// Calls `f` for the values from which it is computed.
    pub fn operands_mut(&mut self, f: &mut impl FnMut(&mut ValueId)) {
        match self {
            Value::Line(_, index) => index.iter_mut().for_each(f),
            Value::Not(of) | Value::Query(_, of) => f(of),
            Value::Logic(_, left, right)
            | Value::Compare(_, left, right)
            | Value::Int(_, left, right) => [left, right].into_iter().for_each(f),
            Value::Select(test, then, otherwise) => {
                [test, then, otherwise].into_iter().for_each(f);
            }
            Value::Whole(_)
            | Value::Fill(_)
            | Value::Index
            | Value::Scalar(_)
            | Value::Component(_)
            | Value::Carried(_) => {}
        }
    }
}

impl Effect {
    /// Returns the values that it uses.
    pub fn operands(&self) -> impl Iterator<Item = ValueId> {
        let mut effect = self.clone();
        let mut operands = Vec::new();
        effect.operands_mut(&mut |operand| operands.push(*operand));
        operands.into_iter()
    }

    /// Calls `f` for the values that it uses.
    pub fn operands_mut(&mut self, f: &mut impl FnMut(&mut ValueId)) {
        match self {
            Effect::Carry { value, .. } => f(value),
            Effect::Store { value, index: other, .. }
            | Effect::Reduce { value, when: other, .. }
            | Effect::Put { value, when: other, .. } => {
                [value].into_iter().chain(other).for_each(f);
            }
            Effect::Cost { when, .. } => f(when),
        }
    }
}

/// Returns the variables to which the statements give other values.
pub fn written(block: &[Stmt]) -> BTreeSet<VarId> {
    let mut written = BTreeSet::new();
    visit::walk(block, &mut |stmt| {
        visit::accesses(&stmt.kind, &mut |var, access| {
            written.extend((access.writes() && access != Access::InitSize).then_some(var));
        });
    });
    written
}

/// Returns for each value by how much it grows with the index: a number where it is an integer that
/// is linear in the index.
pub fn slopes(values: &[Value]) -> Vec<Option<i64>> {
    let mut slopes: Vec<Option<i64>> = Vec::with_capacity(values.len());
    for value in values {
        let of = |id: &ValueId| slopes.get(id.0 as usize).copied().flatten();
        slopes.push(match value {
            Value::Index => Some(1),
            Value::Scalar(Operand::Int(_) | Operand::Var(_)) => Some(0),
            Value::Int(op, left, right) => match (op, of(left), of(right)) {
                (IntOp::Add, Some(left), Some(right)) => left.checked_add(right),
                (IntOp::Sub, Some(left), Some(right)) => left.checked_sub(right),
                (IntOp::Mul, Some(0), Some(0)) => Some(0),
                (IntOp::Add | IntOp::Sub | IntOp::Mul | IntOp::Div | IntOp::Mod, _, _) => None,
            },
            _ => None,
        });
    }
    slopes
}
