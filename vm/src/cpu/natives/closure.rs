//! WARSHALL and its variants, in place, on the form that the table is at home in.

use star_natives::{Closing, InterruptPoller};

use crate::cpu::code::Reg;
use crate::cpu::interpreter::Interpreter;
use crate::stop::Run;

impl Interpreter<'_, '_, '_> {
    /// `WARSHALL(n,P)`; false if there is too little memory for it.
    pub(super) fn native_closure(&mut self) -> Run<bool> {
        let (Ok(n), table) = (usize::try_from(self.int_param(0)?), self.table_param(1)?) else {
            return Ok(false);
        };
        if n == 0 {
            return Ok(true);
        }
        // Vertices are numbered in 32 bits.
        if u32::try_from(n).is_err() {
            return Ok(false);
        }
        let lines = self.table(table)?;
        let beside = Closing::n_bytes(n, lines.n_rows().max(lines.n_cols()).div_ceil(64));
        if self.budget.available() < beside {
            return Ok(false);
        }
        self.budget.commit(beside);
        let done = self.close_table(table, n);
        self.budget.release(beside);
        done
    }

    /// False, and nothing happened, if there is too little memory for it.
    fn close_table(&mut self, reg: Reg, n: usize) -> Run<bool> {
        let mut poller = InterruptPoller::new(&self.parallelism);
        let (lines, _) = self.table(reg)?.home();
        let Some(mut closing) = self.finished(Closing::find(lines, n, &mut poller))? else {
            return Ok(false);
        };
        // A table that others have too is copied, but only if anything changes in it.
        let Some(true) = self.finished(closing.next(lines, &mut poller))? else { return Ok(true) };
        let bytes = self.table(reg)?.n_bytes();
        if !self.owns(reg) && self.budget.available() < bytes {
            return Ok(false);
        }
        self.change(reg, |table, interpreter| {
            let mut poller = InterruptPoller::new(&interpreter.parallelism);
            interpreter.finished(closing.close(table.home_mut(), &mut poller)).map(|_| ())
        })?;
        Ok(true)
    }
}
