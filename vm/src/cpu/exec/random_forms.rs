//! Random changes of the forms of tables during a run, for tests.
//!
//! Note [Random forms]. The form of a table must not matter at any instruction. So a machine of the
//! tests changes forms between instructions, at random from a seed: a dense table becomes sparse or
//! changes its home layout, a sparse one becomes dense. Recorded work and a `forall`
//! rely on the forms that they have found; while one of them is active, nothing changes.

use star_base::Random;

use crate::cpu::interpreter::Interpreter;
use crate::cpu::operand::Reg;
use crate::cpu::probe::Probe;
use crate::cpu::table::form::Line;
use crate::interrupt::Exec;

/// A change of a form.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct FormChange {
    /// The table, modulo the number of tables of the routine.
    pick: usize,
    /// Does a dense table become sparse? Otherwise it is transposed.
    to_sparse: bool,
}

/// No observer is installed, and forms change.
#[derive(Debug)]
pub(in crate::cpu) struct RandomForms(Random);

impl RandomForms {
    /// Returns the sequence of changes of this seed.
    pub(in crate::cpu) fn new(seed: u64) -> Self {
        RandomForms(Random::new(seed))
    }
}

/// Average number of instructions between two changes.
const INSTRUCTIONS_OF_A_CHANGE: usize = 3;

impl Probe for RandomForms {
    fn change_of_form(&mut self) -> Option<FormChange> {
        let is_due = self.0.below(INSTRUCTIONS_OF_A_CHANGE) == 0;
        let (pick, to_sparse) = (self.0.below(1 << 16), self.0.below(2) == 0);
        is_due.then_some(FormChange { pick, to_sparse })
    }
}

impl Interpreter<'_, '_, '_> {
    /// Changes the form of a table of the current routine, if nothing depends on the form and there
    /// is memory.
    pub(in crate::cpu) fn change_form(
        &mut self,
        FormChange { pick, to_sparse }: FormChange,
    ) -> Exec<()> {
        let n_tables = self.tables.len() - self.base.tables;
        let is_free = !self.recorder.is_open() && self.foralls.is_empty();
        if n_tables == 0 || !is_free {
            return Ok(());
        }
        let reg = (pick % n_tables) as Reg;
        let Some(table) = self.table_slot(reg).table.get() else { return Ok(()) };
        let is_empty = table.n_rows() == 0 || table.n_cols() == 0;
        // A private copy and both forms: a sparse one uses 16 bytes for a line and 12 for a limb.
        let lines = 16 * (table.n_rows() + table.n_cols()) as u64;
        let n_bytes = 4 * table.dense_bytes().max(table.n_bytes()).saturating_add(lines);
        if is_empty || table.is_half_transposed() || n_bytes > self.budget.available() {
            return Ok(());
        }
        let is_sparse = table.is_sparse();
        let to = if table.lies_along(Line::Row) { Line::Column } else { Line::Row };
        self.paths.forms_changed += 1;
        if is_sparse {
            return self.make_dense(reg);
        }
        self.own(reg)?;
        let at = self.table_at(reg);
        let mut holding = std::mem::take(&mut self.tables[at].table);
        let mut done = Ok(());
        if let Some(table) = holding.get_mut() {
            let (bytes, extra) = (table.n_bytes(), table.extra_bytes());
            if to_sparse {
                // If memory is refused, it stays dense.
                let _ = table.make_sparse();
            } else {
                done = table.home_along(to, &self.parallelism).map(|_| ());
            }
            self.budget.exchange(bytes, table.n_bytes());
            self.copies.count(table, extra);
        }
        self.tables[at].table = holding;
        done
    }
}
