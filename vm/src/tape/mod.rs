//! The tape: operations that combine packed bits limb by limb, recorded, planned and run as one.
//!
//! * [`Lut`]: functions of up to three bits. [`Tape`]: the recorded values in SSA form (`record`).
//! * [`Plan`]: the executable form (`plan`, `cover`, `chain`, `cascade`, `narrow`, `adder`):
//!   without dead code, in as few operations of three inputs as possible, conjunctions, searches
//!   and sums in longer ones, with a buffer for each live value.
//! * [`Given`], [`BlockProgram`]: a tape on only the limbs in which a mask has ones (`few`).
//! * [`Lane`], [`Strips`]: the memory of the ports, and the loop over it (`run`), strip by strip
//!   (`block`).
//!
//! A tape is independent of its recorder and of the meaning of its ports: a recorder assigns
//! numbers to ports, and binds them to memory when the plan is run. A backend that generates code
//! from plans needs `record` and `plan` only.
//!
//! Note [Tapes]. All loads of a tape read the previous content; all stores happen after them, strip
//! by strip. A port that is stored to and loaded later is not memory but an SSA value: stores are
//! forwarded. So the order of loads and stores does not matter, and strips may run in any order, on
//! any thread.

mod adder;
mod block;
mod cascade;
mod chain;
mod cover;
mod lane;
mod lut;
mod narrow;
mod plan;
mod record;
mod run;
mod sparse_mask;
mod step;

#[cfg(test)]
mod tests;

pub(crate) use lane::{Echo, Lane};
pub(crate) use lut::{Lut, swapped, table2};
pub(crate) use plan::Plan;
pub(crate) use record::{Answer, PortId, Tape, ValueId};
pub(crate) use run::{Iterations, Strips};
pub(crate) use sparse_mask::{BlockProgram, COPY, Given, N_SLOTS, Narrowing, SlotOp};
