//! Serial kernels over packed limbs, used by the CPU backend.
//!
//! * [`Level`], [`Kernels`]: the instruction sets, and all kernels compiled for one of them.
//! * `elementwise`, `lut`: logic, limb by limb, of one line or of several (`lines`). `reduce`:
//!   SOME, NUMB, FND. `moves`: shifts, rotation, parts. `words`: big-endian numbers. `tables`,
//!   `transpose`: rows of tables stored by columns, transposes. `extreme`: MIN and MAX over
//!   columns. `iterations`: the iterations of a loop on a block of limbs. `narrow`: iterations that
//!   only narrow a slice. `sums`: sums of columns.
//!
//! The kernels do not know SIR values, different sizes, threads or flags: a caller has checked all
//! that, and splits large operands.
//!
//! Note [Limbs]. Bit `i` (from 0) is bit `i % 64` of limb `i / 64`. Bits beyond the length are zero
//! in every operand and in every result. `len` is a number of bits; a kernel without it processes
//! whole operands, and keeps the bits beyond the length zero. A destination may have arbitrary
//! content on entry. Operands have the same number of limbs as the destination, or as `len`
//! requires; further limbs are left unchanged, fewer cause a panic, as with indexing.
//!
//! Note [Levels]. Each kernel is plain safe code, an `inline(always)` function, which the compiler
//! vectorises once per level. A level is a table of function pointers, selected once by
//! [`Kernels::detect`]; a call costs one indirect jump. A helper that is not `inline(always)`, or a
//! large closure passed to an iterator, is compiled for the baseline only, and is slow.

mod dispatch;
mod elementwise;
mod extreme;
mod iterations;
mod level;
mod lines;
mod lut;
mod moves;
mod narrow;
mod reduce;
mod sums;
mod tables;
mod transpose;
mod words;

#[cfg(test)]
mod tests;

pub use dispatch::Kernels;
pub use extreme::{NUMBERED_COLUMNS, NUMBERED_LIMBS};
pub use iterations::{BlockIteration, BlockOp, BlockPlace};
pub use level::Level;
pub use lines::{LimbOfLines, Lines, LinesMut, LinesOf, Spacing};
pub use narrow::NARROWED_AT_ONCE;
pub use sums::ADDED_AT_ONCE;
pub use tables::Columns;

/// Returns the number of limbs of `len` bits.
#[inline(always)]
fn n_limbs(len: usize) -> usize {
    len.div_ceil(64)
}
