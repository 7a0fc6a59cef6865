//! Natives: library routines that this backend does in its own way, one file each.
//!
//! The code of a routine with a native begins with one instruction, [`Inst::Native`](super::code::Inst),
//! which runs when the routine was entered, by a call or as the entry, and its arguments are in its
//! registers; without natives there is no such instruction. If every argument is set and the preconditions of the catalogue hold, the
//! native sets the `var` parameters and the routine returns; otherwise its body runs. So a native has no
//! trap, and what it needs it looks at before it changes anything: it asks for its memory first, and if there is
//! not enough the body runs too. Only when the user or the clock ends the run does a `var` parameter hold
//! something in between.

mod closure;
mod reach;

use star_base::natives::{Native, ParamMode, SizeExpr};
use star_ir::{LogicOp, Mode};
use star_natives::{Ended, Environment};

use super::code::{Number, Reg, RegRef, Size};
use super::interpreter::Interpreter;
use super::parallelism::Parallelism;
use crate::stop::{Run, broken};

impl Environment for Parallelism<'_> {
    fn poll_limbs(&self) -> usize {
        self.settings.poll_limbs
    }

    fn poll(&self) -> Result<(), Ended> {
        Parallelism::poll(self).map_err(|_| Ended::Interrupted)
    }

    fn fill(
        &self,
        to: &mut [u64],
        piece: &(dyn Fn(usize, &mut [u64]) + Sync),
    ) -> Result<(), Ended> {
        Parallelism::fill(self, to, 1, piece).map_err(|_| Ended::Interrupted)
    }

    fn or_assign(&self, to: &mut [u64], line: &[u64]) -> Result<(), Ended> {
        let or = |start: usize, part: &mut [u64]| {
            self.kernels.logic_assign(LogicOp::Or, part, &line[start..start + part.len()]);
        };
        Parallelism::fill(self, to, 1, or).map_err(|_| Ended::Interrupted)
    }

    fn threads(&self) -> usize {
        self.n_threads()
    }

    fn install(&self, work: &mut (dyn FnMut() + Send)) -> Result<(), Ended> {
        match Parallelism::install(self, work) {
            true => Ok(()),
            false => Err(Ended::OutOfMemory),
        }
    }
}

impl Interpreter<'_, '_, '_> {
    /// Does what the routine that was just entered does; false if its body has to.
    pub(super) fn native(&mut self, native: Native) -> Run<bool> {
        if !self.native_may(native)? {
            return Ok(false);
        }
        self.budget.poll()?;
        let done = match native {
            Native::Closure => self.native_closure()?,
            Native::Condense => self.native_condense()?,
            Native::Reaches => self.native_reaches()?,
            Native::Reachable => self.native_reachable()?,
        };
        if done {
            self.count_native();
        }
        Ok(done)
    }

    /// The result of an algorithm; `None` if the system refuses the memory.
    pub(super) fn finished<T>(&self, result: Result<T, Ended>) -> Run<Option<T>> {
        match result {
            Ok(result) => Ok(Some(result)),
            Err(Ended::OutOfMemory) => Ok(None),
            Err(Ended::Interrupted) => {
                self.parallelism.poll()?;
                Err(broken("a native that ended for no reason"))
            }
        }
    }

    /// Are the arguments set, and do the preconditions hold?
    fn native_may(&self, native: Native) -> Run<bool> {
        let params = &self.routine()?.params;
        let signature = native.signature();
        let is_set = |((place, _), mode): (&(RegRef, Mode), ParamMode)| match (place, mode) {
            // Value arguments are set.
            (_, ParamMode::Value | ParamMode::Made) => true,
            (place, ParamMode::Changed) => self.holds_value(*place),
        };
        let value = |term: SizeExpr| {
            let size = |idx: usize, size: fn(Reg) -> Size| match params.get(idx) {
                Some((RegRef::Table(reg), _)) => self.size(size(*reg)),
                // A square table, if a native has made it.
                Some((RegRef::Handle(reg), _)) => {
                    let state = self.handle_slot(*reg).as_ref().and_then(|handle| handle.state());
                    let table = state.and_then(|state| state.tables().first().copied());
                    table.map(|table| table.n_rows as u64)
                }
                Some(_) | None => None,
            };
            match term {
                SizeExpr::Number(number) => Some(number),
                SizeExpr::Value(idx) => self.int_param(idx).ok(),
                SizeExpr::Rows(idx) => size(idx, Size::Rows).and_then(|n| i64::try_from(n).ok()),
                SizeExpr::Columns(idx) => {
                    size(idx, Size::Columns).and_then(|n| i64::try_from(n).ok())
                }
            }
        };
        let ways = signature.params.iter().map(|param| param.mode);
        Ok(params.iter().zip(ways).all(is_set) && signature.holds(value))
    }

    /// The integer that is parameter `idx`, from 0.
    fn int_param(&self, idx: usize) -> Run<i64> {
        match self.routine()?.params.get(idx) {
            Some((RegRef::Int(reg), _)) => Ok(self.number(Number(*reg))),
            Some(_) | None => Err(broken("a native without that integer")),
        }
    }

    /// The register of the handle that is parameter `idx`, from 0.
    fn handle_param(&self, idx: usize) -> Run<Reg> {
        match self.routine()?.params.get(idx) {
            Some((RegRef::Handle(reg), _)) => Ok(*reg),
            Some(_) | None => Err(broken("a native without that handle")),
        }
    }

    /// The register of the table that is parameter `idx`, from 0.
    fn table_param(&self, idx: usize) -> Run<Reg> {
        match self.routine()?.params.get(idx) {
            Some((RegRef::Table(reg), _)) => Ok(*reg),
            Some(_) | None => Err(broken("a native without that table")),
        }
    }
}
