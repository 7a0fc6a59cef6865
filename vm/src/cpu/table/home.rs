//! Changes of the home form in the table's own memory; see Note [Forms].

use std::sync::atomic::Ordering;

use super::{Table, TransposeRoom};
use crate::cpu::form::Line;
use crate::cpu::parallelism::Parallelism;
use crate::cpu::transpose::{Transposition, spare_bytes};
use crate::interrupt::Exec;

impl Table {
    /// Makes the form along such lines the home form without a copy beside it, if the accesses so far have cost as much as some turns,
    /// and there is room for that; is it now?
    pub(super) fn change_home(
        &mut self,
        line: Line,
        room: TransposeRoom,
        parallelism: &Parallelism<'_>,
    ) -> Exec<bool> {
        let so_far = self.against.load(Ordering::Relaxed) / 64;
        let turns = (self.n_rows.saturating_mul(self.n_cols) / 4096).saturating_mul(2);
        let is_due = parallelism.settings.eager_turns
            || so_far.checked_shr(self.n_changes).is_some_and(|so_far| so_far >= turns);
        if !room.change || !is_due {
            return Ok(false);
        }
        let is_changed = self.turn_in_place(line, room.spare, parallelism)?;
        if is_changed {
            self.n_changes = self.n_changes.saturating_add(1);
            *self.against.get_mut() = 0;
        }
        Ok(is_changed)
    }

    /// Makes such lines lie together in the table's own memory and so many bytes beside it, if there is no form of them and that is
    /// enough; do they now? When a flag stops that, the table is half turned.
    pub(in crate::cpu) fn turn_in_place(
        &mut self,
        line: Line,
        spare: u64,
        parallelism: &Parallelism<'_>,
    ) -> Exec<bool> {
        self.end_turn(parallelism)?;
        if self.has(line) || self.sparse.is_some() || spare_bytes(&self.home) > spare {
            return Ok(self.has(line));
        }
        self.all_changes();
        match Transposition::of(std::mem::take(&mut self.home)) {
            Ok(transposition) => self.half_turned = Some(Box::new(transposition)),
            Err(home) => {
                self.home = home;
                return Ok(false);
            }
        }
        self.end_turn(parallelism)?;
        Ok(true)
    }

    /// How often its home form has changed for want of memory for a copy.
    pub(in crate::cpu) fn n_changes(&self) -> u32 {
        self.n_changes
    }

    /// Has a flag stopped a turn of it?
    pub(in crate::cpu) fn is_half_turned(&self) -> bool {
        self.half_turned.is_some()
    }

    /// Brings a turn to its end that a flag has stopped.
    pub(in crate::cpu) fn end_turn(&mut self, parallelism: &Parallelism<'_>) -> Exec<()> {
        if let Some(transposition) = &mut self.half_turned {
            transposition.go_on(parallelism)?;
        }
        if let Some(transposition) = self.half_turned.take() {
            self.home = transposition.into_form();
            self.by_rows = !self.by_rows;
            *self.against.get_mut() = 0;
        }
        Ok(())
    }
}
