//! The tape: work that combines packed bits limb by limb, recorded, planned and run as one.
//!
//! * [`Lut`]: functions of up to three bits. [`Tape`]: what is recorded, values in SSA form (`record`).
//! * [`Plan`]: what is run (`plan`, `cover`, `chain`, `cascade`): without dead code, in as few operations of three inputs
//!   as they fit in, conjunctions and searches in longer ones, with a buffer for each value that lives.
//! * [`Given`], [`BlockProgram`]: a tape on those limbs alone that a mask has ones in (`few`).
//! * [`Lane`], [`Strips`]: memory behind the ports, and the loop over it (`run`).
//!
//! Nothing here knows who records a tape, nor what its ports stand for: a recorder gives ports numbers, and
//! binds them to memory when the plan is run. A backend that makes code of plans needs `record` and `plan` only.
//!
//! Note [Tapes]. All loads of a tape see what was there before it; all stores happen after them, strip by strip.
//! A port that is stored to and loaded later is not memory but an SSA value: stores are forwarded. So the order
//! of loads and stores does not count, and strips may run in any order, on any thread.

mod cascade;
mod chain;
mod cover;
mod lane;
mod lut;
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
pub(crate) use record::{Answer, PortId, Reduction, Tape, ValueId};
pub(crate) use run::{Strips, Turns};
pub(crate) use sparse_mask::{BlockProgram, COPY, Given, N_SLOTS, Narrowing, SlotOp};
