//! Numbers of a turn: what a body computes of its index and of numbers from outside.
//!
//! Note [Shifted columns]. A body may look at columns beside that of its index: `COL(i+j,W)`,
//! `COL((k-1)*h+i,T)`. What it adds, subtracts and multiplies for that is linear in the index, with
//! numbers from outside. So each of these takes its least and greatest value in the first and the
//! last turn: they are computed for both before anything changes, with all checks, and what a guard
//! asks of them is asked of both. A column whose index goes up by one with that of the turn lies as
//! far from the column of the turn in all turns. A table that is written has one column to a turn,
//! so that no turn sees what another one wrote.

use star_ir::IntOp;

use super::super::interpreter::Interpreter;
use super::super::operand::Number;

/// Number of a value in the list of those that a body computes.
pub(in crate::cpu) type NumberId = usize;

/// A number that a body computes from those before it.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct Computed {
    pub(in crate::cpu) op: IntOp,
    pub(in crate::cpu) left: Term,
    pub(in crate::cpu) right: Term,
}

/// An operand.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) enum Term {
    /// The index of the turn.
    Index,
    /// A number that no turn changes.
    Outer(Number),
    Computed(NumberId),
}

/// The values of a number in the turns with the least and with the greatest index.
pub(super) type Extremes = [i64; 2];

impl Interpreter<'_, '_, '_> {
    /// Computes the numbers of all turns; false if one of them overflows.
    pub(super) fn find_numbers(
        &self,
        numbers: &[Computed],
        indices: Extremes,
        values: &mut Vec<Extremes>,
    ) -> bool {
        values.clear();
        for Computed { op, left, right } in numbers {
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
