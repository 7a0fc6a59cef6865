//! Numbers of a turn: what a body computes of its index and of numbers from outside.
//!
//! Note [Shifted columns]. A body may look at columns beside that of its index: `COL(i+j,W)`,
//! `COL((k-1)*h+i,T)`. What it adds, subtracts and multiplies for that is linear in the index, with
//! numbers from outside. So each of these takes its least and greatest value in the first and the
//! last turn: they are computed for both before anything changes, with all checks, and what a guard
//! asks of them is asked of both. A column whose index goes up by one with that of the turn lies as
//! far from the column of the turn in all turns. A table that is written has one column to a turn,
//! so that no turn sees what another one wrote.

use std::collections::BTreeMap;

use star_ir::IntOp;

use super::super::interpreter::Interpreter;
use super::super::operand::{Number, Reg};

/// Number of a value in the list of those that a body computes.
pub(super) type NumberId = usize;

/// The numbers that a body computes, each from those before it.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbers(Vec<Computed>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Computed {
    op: IntOp,
    left: Term,
    right: Term,
    /// By how much it grows when the index does by one.
    slope: i64,
}

/// An operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Term {
    /// The index of the turn.
    Index,
    /// A number that no turn changes.
    Outer(Number),
    Computed(NumberId),
}

/// The values of a number in the turns with the least and with the greatest index.
pub(super) type Extremes = [i64; 2];

impl Numbers {
    fn slope(&self, term: Term) -> i64 {
        match term {
            Term::Index => 1,
            Term::Outer(_) => 0,
            Term::Computed(id) => self.0[id].slope,
        }
    }

    /// The number that this is, which may be there already; `None` if it is not linear in the
    /// index.
    pub(super) fn compute(&mut self, op: IntOp, left: Term, right: Term) -> Option<NumberId> {
        let slopes = (self.slope(left), self.slope(right));
        let slope = match (op, slopes) {
            (IntOp::Add, (a, b)) => a.checked_add(b)?,
            (IntOp::Sub, (a, b)) => a.checked_sub(b)?,
            (IntOp::Mul, (0, 0)) => 0,
            (IntOp::Mul | IntOp::Div | IntOp::Mod, _) => return None,
        };
        let computed = Computed { op, left, right, slope };
        let known = self.0.iter().position(|other| *other == computed);
        Some(known.unwrap_or_else(|| {
            self.0.push(computed);
            self.0.len() - 1
        }))
    }

    /// Does the number go up by one with the index?
    pub(super) fn is_shifted_index(&self, id: NumberId) -> bool {
        self.0[id].slope == 1
    }
}

/// The numbers that were computed in a turn so far, by their registers.
#[derive(Default)]
pub(super) struct Known(BTreeMap<Reg, NumberId>);

impl Known {
    pub(super) fn learn(&mut self, reg: Reg, id: NumberId) {
        self.0.insert(reg, id);
    }

    pub(super) fn get(&self, number: Number) -> Option<NumberId> {
        self.0.get(&number.0).copied()
    }
}

impl Interpreter<'_, '_, '_> {
    /// Computes the numbers of all turns; false if one of them overflows.
    pub(super) fn find_numbers(
        &self,
        numbers: &Numbers,
        indices: Extremes,
        values: &mut Vec<Extremes>,
    ) -> bool {
        values.clear();
        for Computed { op, left, right, slope: _ } in &numbers.0 {
            let value = |term: Term, nth: usize| match term {
                Term::Index => indices[nth],
                Term::Outer(number) => self.number(number),
                Term::Computed(id) => values[id][nth],
            };
            let at = |nth: usize| op.apply(value(*left, nth), value(*right, nth));
            let (Some(least), Some(greatest)) = (at(0), at(1)) else { return false };
            values.push([least, greatest]);
        }
        true
    }
}
