//! Combination of lines of sparse tables with a slice or word.

use star_value::{BitVector, SparseLines};

use super::super::interpreter::Interpreter;
use super::super::operand::Reg;
use super::super::summary::{Blocks, Known};
use super::super::table::form::Line;
use crate::interrupt::{Exec, internal_error};

impl Interpreter<'_, '_, '_> {
    /// Does a sparse table have this kind of lines, and does the function return its first operand
    /// where a line equals its ground?
    pub(in crate::cpu) fn combines_sparse(&self, table: Reg, line: Line, function: u8) -> bool {
        let Some(table) = self.table_slot(table).table.get() else { return false };
        let ground = table.sparse_lines().and_then(SparseLines::common_ground);
        let keeps_for = |ground| match ground {
            false => function & 0b101 == 0b100,
            true => function >> 1 & 0b101 == 0b100,
        };
        table.lies_along(line) && ground.is_some_and(keeps_for)
    }

    /// Sets bits to a function of themselves and of each of these lines, one after another; see
    /// [`Interpreter::combines_sparse`].
    pub(in crate::cpu) fn combine_sparse(
        &mut self,
        (bits, known): (&mut BitVector, &mut Known),
        table: Reg,
        function: u8,
        indices: &[usize],
    ) -> Exec<()> {
        let of = self.table(table)?;
        let lines =
            of.sparse_lines().ok_or_else(|| internal_error("a table that is not sparse"))?;
        // If lines change more blocks than summaries pay for, they change without tracking.
        let settings = &self.parallelism.settings;
        let per_line = 1 + lines.n_limbs() / lines.n_lines().max(1);
        let n_limbs = indices.len().saturating_mul(per_line);
        let keeps = Blocks::of(bits.len(), settings).is_some_and(|of| of.pays(n_limbs, settings));
        if !keeps {
            known.forget();
        }
        let ground = lines.common_ground() == Some(true);
        // Results for zeros and ones where a line differs from its ground.
        let at = if ground { [0, 2] } else { [1, 3] };
        let [of_zero, of_one] = at.map(|at| function >> at & 1 == 1);
        let known = keeps.then_some(known);
        let to = (bits.limbs_mut(), known);
        match (of_zero, of_one) {
            (true, true) => self.combine_each(to, (lines, ground), indices, |to, line| to | line),
            (true, false) => self.combine_each(to, (lines, ground), indices, |to, line| to ^ line),
            (false, false) => {
                self.combine_each(to, (lines, ground), indices, |to, line| to & !line)
            }
            (false, true) => Ok(()),
        }?;
        self.paths.sparse_lines += indices.len() as u64;
        Ok(())
    }

    /// Sets limbs to a function of themselves and of the positions where these lines differ from
    /// this ground.
    #[inline]
    fn combine_each(
        &self,
        (to, mut known): (&mut [u64], Option<&mut Known>),
        (lines, ground): (&SparseLines, bool),
        indices: &[usize],
        function: impl Fn(u64, u64) -> u64,
    ) -> Exec<()> {
        for (iteration, idx) in indices.iter().enumerate() {
            if iteration.is_multiple_of(1 << 14) {
                self.parallelism.poll()?;
            }
            let line = lines.line(*idx);
            if let Some(known) = &mut known {
                known.may_hold(line.places, &self.parallelism.settings);
            }
            for (place, limb) in line.each() {
                let place = place as usize;
                let others = if ground { limb ^ lines.ground_limb(true, place) } else { limb };
                to[place] = function(to[place], others);
            }
        }
        Ok(())
    }
}
