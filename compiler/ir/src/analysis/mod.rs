//! Dataflow analyses over SIR, for the verifier, the passes and the backends alike.
//!
//! * [`effects`]: what a statement or loop does to variables; [`summary`]: what a call may do.
//! * [`walk`]: one walk in the order of execution that finds [`facts`]: guards that hold, variables that are
//!   set, equal sizes. `definite_assignment`, `known`, `latches`, `ranges`, `requirements`, [`size_ops`] and `tested`
//!   serve it.
//! * [`parts`]: are two columns, rows or components the same? [`mod@polynomial`]: what numbers are there.
//! * [`forward`]: the frame of forward analyses; [`reaching`]: reaching definitions.
//! * [`liveness`]: backwards, to a fixed point.
//! * [`mod@line_accesses`]: are the tables of a routine touched by rows or by columns?
//! * [`cost`]: what a rewrite may not change.
//!
//! Control flow is structured, so that there are no basic blocks and no graph: an analysis walks over the
//! tree. Results are found by the number of a statement: its place in the order of [`crate::visit::walk`], each
//! statement before the blocks inside it, from 0.

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
pub mod reaching;
pub(crate) mod requirements;
pub mod size_ops;
pub mod summary;
mod tested;
mod var_set;
pub mod walk;

pub use var_set::VarSet;

use crate::stmt::Stmt;
use crate::visit;

/// How many statements there are in `block` and in the blocks inside it: their numbers are smaller.
pub fn n_statements(block: &[Stmt]) -> usize {
    let mut n = 0;
    visit::walk(block, &mut |_| n += 1);
    n
}
