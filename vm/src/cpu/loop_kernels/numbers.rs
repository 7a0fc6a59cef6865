//! Numbers of an iteration, computed from its index and from numbers outside the loop.
//!
//! Note [Shifted columns]. A body may access columns at an offset from its index: `COL(i+j,W)`,
//! `COL((k-1)*h+i,T)`. Its additions, subtractions and multiplications for that are linear in the
//! index. Each of these numbers therefore has its least and its greatest value in the first and the
//! last iteration: it is computed for both before anything changes, with all checks, and the guards
//! are tested for both. If the index of a column increases by one with that of the iteration, its
//! offset is the same in all iterations. A table that is written has one column for each iteration,
//! so no iteration reads the result of another one.

use star_ir::IntOp;

use super::super::interpreter::Interpreter;
use super::super::operand::Number;

/// The position of a number in the list of those that a body computes.
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
    /// The index of the iteration.
    Index,
    /// A number that no iteration changes.
    Outer(Number),
    Computed(NumberId),
}

/// The values of a number in the iterations with the least and the greatest index.
pub(super) type Extremes = [i64; 2];

impl Interpreter<'_, '_, '_> {
    /// Computes the numbers of all iterations; false if one of them overflows.
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
