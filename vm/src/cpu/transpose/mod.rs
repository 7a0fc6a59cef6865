//! In-place transpose, for a table that leaves no memory for a second form.
//!
//! Note [Half transposed]. A flag may interrupt a transpose between two moves. The result is still
//! a table: the [`Transposition`] records the positions of its bits. Runs do not work with this
//! kind of table: the transpose is completed before a run begins, and before the host writes to it.
//! The host can read it in this state ([`Transposition::read_line`]), so that an interrupted run
//! ends at once.

mod panels;
mod square;

use star_value::BitTable;

use super::parallelism::Parallelism;
use crate::interrupt::Exec;

use panels::Panels;
use square::Square;

/// A transpose in progress.
#[derive(Debug)]
pub(super) enum Transposition {
    Square(Square),
    Panels(Panels),
}

/// Returns the bytes that a transpose of `form` needs in addition to it, except for a few tiles.
pub(super) fn spare_bytes(form: &BitTable) -> u64 {
    match form.n_rows() == form.n_cols() {
        true => 0,
        false => panels::spare_bytes(form.n_rows(), form.n_cols()),
    }
}

impl Transposition {
    /// Prepares a transpose; returns the form if the system has no memory for the additional
    /// buffers.
    pub(super) fn of(form: BitTable) -> Result<Self, BitTable> {
        match form.n_rows() == form.n_cols() {
            true => Ok(Transposition::Square(Square::of(form))),
            false => Panels::of(form).map(Transposition::Panels),
        }
    }

    /// Continues until the transpose is complete or a flag interrupts it.
    pub(super) fn go_on(&mut self, parallelism: &Parallelism<'_>) -> Exec<()> {
        match self {
            Transposition::Square(square) => square.go_on(parallelism),
            Transposition::Panels(panels) => panels.go_on(parallelism),
        }
    }

    /// Returns the form after a complete transpose: the original columns are its rows.
    pub(super) fn into_form(self) -> BitTable {
        match self {
            Transposition::Square(square) => square.into_form(),
            Transposition::Panels(panels) => panels.into_form(),
        }
    }

    /// Returns a copy; `None` if the system has no memory for it.
    pub(super) fn try_clone(&self, parallelism: &Parallelism<'_>) -> Exec<Option<Self>> {
        match self {
            Transposition::Square(square) => {
                Ok(square.try_clone(parallelism)?.map(Transposition::Square))
            }
            Transposition::Panels(panels) => Ok(panels.try_clone().map(Transposition::Panels)),
        }
    }

    /// Copies line `idx` of the original form, or with `transposed` of the transpose, to `dst`.
    pub(super) fn read_line(&self, transposed: bool, idx: usize, dst: &mut [u64]) {
        match self {
            Transposition::Square(square) => square.read_line(transposed, idx, dst),
            Transposition::Panels(panels) => panels.read_line(transposed, idx, dst),
        }
    }

    #[cfg(test)]
    pub(super) fn is_at_its_end(&self) -> bool {
        match self {
            Transposition::Square(square) => square.is_done(),
            Transposition::Panels(panels) => panels.is_done(),
        }
    }

    /// Returns a transpose of `form` that was interrupted after `n` moves.
    #[cfg(test)]
    pub(super) fn stopped_after(form: BitTable, n: usize, parallelism: &Parallelism<'_>) -> Self {
        let mut transposition = Transposition::of(form).expect("memory");
        for _ in 0..n {
            match &mut transposition {
                Transposition::Square(square) => _ = square.step(parallelism),
                Transposition::Panels(panels) => _ = panels.step(parallelism),
            }
        }
        transposition
    }
}

#[cfg(test)]
mod tests;
