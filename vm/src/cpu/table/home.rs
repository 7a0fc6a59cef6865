//! In-place changes of the home layout; see Note [Forms].

use std::sync::atomic::Ordering;

use super::{Table, TransposeRoom};
use crate::cpu::parallelism::Parallelism;
use crate::cpu::table::form::Line;
use crate::cpu::transpose::{Transposition, spare_bytes};
use crate::interrupt::Exec;

impl Table {
    /// Makes the form by these lines the home form without a copy, if the accesses so far have cost
    /// as much as several transposes and there is memory. Returns whether it is the home form now.
    pub(super) fn change_home(
        &mut self,
        line: Line,
        room: TransposeRoom,
        parallelism: &Parallelism<'_>,
    ) -> Exec<bool> {
        let so_far = self.against.load(Ordering::Relaxed) / 64;
        let transposes = (self.n_rows.saturating_mul(self.n_cols) / 4096).saturating_mul(2);
        let is_due = parallelism.settings.eager_transposes
            || so_far.checked_shr(self.n_changes).is_some_and(|so_far| so_far >= transposes);
        if !room.change || !is_due {
            return Ok(false);
        }
        let is_changed = self.transpose_in_place(line, room.spare, parallelism)?;
        if is_changed {
            self.n_changes = self.n_changes.saturating_add(1);
            *self.against.get_mut() = 0;
        }
        Ok(is_changed)
    }

    /// Makes lines of this kind contiguous, in place with a number of additional bytes, if there is
    /// no form of them and the bytes suffice. Returns whether they are contiguous now. If a flag
    /// interrupts this, the table is half transposed.
    pub(in crate::cpu) fn transpose_in_place(
        &mut self,
        line: Line,
        spare: u64,
        parallelism: &Parallelism<'_>,
    ) -> Exec<bool> {
        self.end_transpose(parallelism)?;
        if self.has(line) || self.sparse.is_some() || spare_bytes(&self.home) > spare {
            return Ok(self.has(line));
        }
        self.all_changes();
        match Transposition::of(std::mem::take(&mut self.home)) {
            Ok(transposition) => self.half_transposed = Some(Box::new(transposition)),
            Err(home) => {
                self.home = home;
                return Ok(false);
            }
        }
        self.end_transpose(parallelism)?;
        Ok(true)
    }

    /// Returns the number of changes of the home layout caused by a lack of memory for a copy.
    pub(in crate::cpu) fn n_changes(&self) -> u32 {
        self.n_changes
    }

    /// Has a flag interrupted a transpose?
    pub(in crate::cpu) fn is_half_transposed(&self) -> bool {
        self.half_transposed.is_some()
    }

    /// Completes an interrupted transpose.
    pub(in crate::cpu) fn end_transpose(&mut self, parallelism: &Parallelism<'_>) -> Exec<()> {
        if let Some(transposition) = &mut self.half_transposed {
            transposition.go_on(parallelism)?;
        }
        if let Some(transposition) = self.half_transposed.take() {
            self.home = transposition.into_form();
            self.by_rows = !self.by_rows;
            *self.against.get_mut() = 0;
        }
        Ok(())
    }
}
