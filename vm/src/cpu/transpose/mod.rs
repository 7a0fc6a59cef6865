//! The corner turn of a table in its own memory, for one that leaves no memory for a second form.
//!
//! Note [Half turned]. A flag may stop a turn between two moves. What it leaves is a table still: the [`Transposition`] knows which
//! bits lie where. No run works with such a table. It is turned to the end before one begins, and before the host writes to it; the host reads
//! it as it is ([`Transposition::read_line`]), so that a run that was interrupted ends at once.

mod panels;
mod square;

use star_base::BitTable;

use super::parallelism::Parallelism;
use crate::interrupt::Exec;

use panels::Panels;
use square::Square;

/// A form on its way to the other one.
#[derive(Debug)]
pub(super) enum Transposition {
    Square(Square),
    Panels(Panels),
}

/// Bytes that a turn of `form` takes beside it, but for a few tiles.
pub(super) fn spare_bytes(form: &BitTable) -> u64 {
    match form.n_rows() == form.n_cols() {
        true => 0,
        false => panels::spare_bytes(form.n_rows(), form.n_cols()),
    }
}

impl Transposition {
    /// Nothing is moved yet; the form itself if the system has no room for what a turn takes beside it.
    pub(super) fn of(form: BitTable) -> Result<Self, BitTable> {
        match form.n_rows() == form.n_cols() {
            true => Ok(Transposition::Square(Square::of(form))),
            false => Panels::of(form).map(Transposition::Panels),
        }
    }

    /// Turns to the end, or until a flag stops it.
    pub(super) fn go_on(&mut self, parallelism: &Parallelism<'_>) -> Exec<()> {
        match self {
            Transposition::Square(square) => square.go_on(parallelism),
            Transposition::Panels(panels) => panels.go_on(parallelism),
        }
    }

    /// The form that it is after a turn to the end: the columns before are its rows.
    pub(super) fn into_form(self) -> BitTable {
        match self {
            Transposition::Square(square) => square.into_form(),
            Transposition::Panels(panels) => panels.into_form(),
        }
    }

    /// A copy; `None` if the system has no room for it.
    pub(super) fn try_clone(&self, parallelism: &Parallelism<'_>) -> Exec<Option<Self>> {
        match self {
            Transposition::Square(square) => {
                Ok(square.try_clone(parallelism)?.map(Transposition::Square))
            }
            Transposition::Panels(panels) => Ok(panels.try_clone().map(Transposition::Panels)),
        }
    }

    /// `dst` takes line `idx` of what the form was before, or with `turned` of what it is to become.
    pub(super) fn read_line(&self, turned: bool, idx: usize, dst: &mut [u64]) {
        match self {
            Transposition::Square(square) => square.read_line(turned, idx, dst),
            Transposition::Panels(panels) => panels.read_line(turned, idx, dst),
        }
    }

    #[cfg(test)]
    pub(super) fn is_at_its_end(&self) -> bool {
        match self {
            Transposition::Square(square) => square.is_done(),
            Transposition::Panels(panels) => panels.is_done(),
        }
    }

    /// A turn of `form` that a flag has stopped after so many moves.
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
