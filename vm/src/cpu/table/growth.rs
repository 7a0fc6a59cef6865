//! Growth of a table by columns.

use star_value::BitTable;

use super::Table;
use crate::cpu::parallelism::{Parallelism, pieces};
use crate::cpu::table::form::Line;
use crate::interrupt::Exec;

impl Table {
    /// Grows to `n_cols` columns, if it has fewer; false if the system has no memory.
    pub(in crate::cpu) fn grow(
        &mut self,
        n_cols: usize,
        parallelism: &Parallelism<'_>,
    ) -> Exec<bool> {
        let Some(home) = self.home_along(Line::Column, parallelism)? else { return Ok(false) };
        let before = home.n_cols();
        if n_cols <= before {
            return Ok(true);
        }
        if n_cols / 2 >= before || home.stride() == 0 {
            // Untouched zeros cost nothing.
            let Ok(mut grown) = BitTable::zeros(home.n_rows(), n_cols) else { return Ok(false) };
            let from = &home.storage()[..before * home.stride()];
            parallelism.fill(&mut grown.storage_mut()[..from.len()], 1, |start, part| {
                part.copy_from_slice(&from[start..start + part.len()]);
            })?;
            *home = grown;
            self.n_cols = n_cols;
            return Ok(true);
        }
        // The allocator gives a large table more pages without moving it, so that there are never
        // two copies.
        let at_once = (parallelism.settings.poll_limbs / home.stride().max(1)).max(1);
        let mut grow = || -> Exec<bool> {
            for columns in pieces(before..n_cols, at_once) {
                parallelism.poll()?;
                if home.resize_columns(columns.end).is_err() {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        let grown = grow();
        if let Ok(true) = grown {
            self.n_cols = n_cols;
        } else {
            // Removal of columns never fails.
            let _ = home.resize_columns(before);
        }
        grown
    }
}
