//! Serial kernels over packed limbs: what the CPU backend computes with.
//!
//! * [`Level`], [`Kernels`]: the sets of instructions, and all kernels compiled for one of them.
//! * `elementwise`, `lut`: logic, limb by limb, of one line or of several (`lines`). `reduce`: SOME, NUMB, FND. `moves`: shifts,
//!   rotation, parts. `words`: big-endian numbers. `tables`, `transpose`: rows of tables stored by
//!   columns, corner turns. `extreme`: MIN and MAX over columns. `turns`: the turns of a loop on a block of limbs.
//!   `narrow`: turns that only narrow a slice.
//!
//! Nothing here knows of SIR values, sizes that differ, threads or flags: a caller has checked all that,
//! and cuts large operands into pieces.
//!
//! Note [Limbs]. Bit `i` (from 0) is bit `i % 64` of limb `i / 64`. Bits beyond the length are zero in
//! every operand and in every result. `len` is a number of bits; a kernel without it works on whole
//! operands, and keeps the bits beyond the length zero by itself. A destination may hold anything
//! before. Operands have as many limbs as the destination, or as `len` says; further ones are left
//! alone, fewer are a panic, as with indexing.
//!
//! Note [Levels]. Each kernel is plain safe code, an `inline(always)` function, which the compiler
//! vectorises once per level. A level is a table of function pointers, chosen once by
//! [`Kernels::detect`]; a call costs one indirect jump. A helper that is not `inline(always)`, or a large
//! closure given to an iterator, is compiled for the baseline only, and slow.

mod dispatch;
mod elementwise;
mod extreme;
mod level;
mod lines;
mod lut;
mod moves;
mod narrow;
mod reduce;
mod tables;
mod transpose;
mod turns;
mod words;

#[cfg(test)]
mod tests;

pub use dispatch::Kernels;
pub use extreme::{NUMBERED_COLUMNS, NUMBERED_LIMBS};
pub use level::Level;
pub use lines::{LimbOfLines, Lines, LinesMut, LinesOf, Spacing};
pub use narrow::NARROWED_AT_ONCE;
pub use tables::Columns;
pub use turns::{BlockOp, BlockPlace, BlockTurn};

/// Limbs of `len` bits.
#[inline(always)]
fn n_limbs(len: usize) -> usize {
    len.div_ceil(64)
}
