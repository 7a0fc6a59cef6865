//! Dataflow analyses over SIR, for the verifier, the passes and the backends.
//!
//! * [`effects`]: the effects of a statement or loop on variables; [`recursion`]: cycles of calls.
//! * [`walk`]: one walk in execution order that finds [`facts`]: guards that hold, variables that
//!   are set, equal sizes. `definite_assignment`, `known`, `latches`, `ranges`, `requirements`,
//!   [`size_ops`] and `tested` support it.
//! * [`parts`]: equality of columns, rows and components; [`mod@polynomial`]: the form of numbers
//!   there.
//! * [`forward`]: the framework of forward analyses.
//! * [`liveness`]: backwards, to a fixed point.
//! * [`mod@line_accesses`]: accesses to the tables of a routine by rows and by columns.
//! * [`cost`]: the cost invariant of rewrites.
//!
//! Control flow is structured, so there are no basic blocks and no graph: an analysis walks over
//! the tree. Results are indexed by the number of a statement: its position in the order of
//! [`crate::visit::walk`], each statement before the blocks inside it, from 0.

mod assign;
pub mod cost;
pub(crate) mod definite_assignment;
pub mod effects;
pub mod facts;
pub mod forward;
mod known;
pub(crate) mod latches;
pub mod line_accesses;
pub mod liveness;
mod loops;
pub mod parts;
pub mod polynomial;
mod ranges;
pub mod recursion;
pub(crate) mod requirements;
pub use requirements::sizes as result_sizes;
pub mod size_ops;
mod tested;
mod var_set;
pub mod walk;

pub use var_set::VarSet;

use crate::stmt::Stmt;
use crate::visit;

/// Returns the number of statements in `block` and in the blocks inside it: their numbers are
/// smaller.
pub fn n_statements(block: &[Stmt]) -> usize {
    let mut n = 0;
    visit::walk(block, &mut |_| n += 1);
    n
}
