//! Loops and runs of operations that may be kernels over a grid: the host is asked in front of
//! them.

use std::sync::Arc;

use star_ir::{Stmt, visit};
use star_shaders::Op;
use star_shaders::layout::measure;

use super::builder::{Builder, Label};
use super::{Extreme, SiteKind, Unsupported, is_number, passed_cells};
use crate::code::{Object, Reg};
use crate::fuse::Fused;
use crate::grid::LeastBits;
use crate::lift::Lifted;

impl Builder<'_> {
    /// The loop as kernels, if the table is large enough to be worth a stop and the host finds that
    /// its checks hold; otherwise as it is written.
    pub(super) fn lifted_loop(
        &mut self,
        stmt: &Stmt,
        lifted: Lifted,
        least_bits: u64,
    ) -> Result<(), Unsupported> {
        let (as_written, taken, end) = (self.label(), self.label(), self.label());
        // Processes that share the rows decide together.
        if lifted.before.is_none() {
            let table = self.object(lifted.target);
            let rows = self.size(table, measure::ROWS);
            let columns = self.size(table, measure::COLUMNS);
            let bits = self.alu(Op::Mul, rows, columns);
            let least = i64::try_from(least_bits).unwrap_or(i64::MAX);
            let is_small = self.alu_imm(Op::Lt, bits, least);
            self.jump_if(Op::JumpNonzero, is_small, as_written);
        }
        let mut named = Vec::new();
        visit::walk(std::slice::from_ref(stmt), &mut |stmt| {
            visit::accesses(&stmt.kind, &mut |var, _| named.push(var));
        });
        named.sort_unstable();
        named.dedup();
        named.retain(|var| is_number(self.routine.var(*var).ty));
        let last = lifted.pivots.as_ref().map(|pivots| (pivots.var, pivots.to.clone()));
        self.observed = named;
        let sums = lifted.sums.iter().map(|sum| sum.var);
        let results: Vec<_> = lifted.latched.iter().copied().chain(sums).collect();
        let cells = passed_cells(self.routine);
        let site = self.site(SiteKind::Lifted(Arc::new(lifted), cells));
        let observed = self.looked_at(site);
        self.emit(Op::Host, |it| {
            (it.site, it.observed, it.target) = (Some(site), observed, taken.0);
        });
        self.here(as_written);
        self.statement(stmt)?;
        self.jump(end);
        self.here(taken);
        self.loc = stmt.loc;
        self.fill(&results);
        if let Some((var, to)) = last {
            let to = self.value(&to);
            self.assign(var, to);
        }
        self.here(end);
        Ok(())
    }

    /// The run that the block begins with as a kernel, if its lines are long enough to be worth a
    /// stop and the host finds that its checks hold; otherwise as it is written. How many
    /// statements it is.
    pub(super) fn fused_run(&mut self, block: &[Stmt], fused: Fused) -> Result<usize, Unsupported> {
        let n = fused.body.len();
        let has_own = fused.numbers.iter().any(|var| self.other_numbers.contains_key(var));
        let (Some(least), false) = (self.source.choices.lifts, has_own) else {
            block[..n].iter().try_for_each(|stmt| self.statement(stmt))?;
            return Ok(n);
        };
        let (as_written, taken, end) = (self.label(), self.label(), self.label());
        self.loc = block[0].loc;
        let is_table = self.is_table(fused.row_space);
        let measure = if is_table { measure::ROWS } else { measure::LENGTH };
        let rows = self.size(self.object(fused.row_space), measure);
        let least =
            i64::try_from(least.of_lines(fused.weight).div_ceil(fused.weight)).unwrap_or(i64::MAX);
        let is_short = self.alu_imm(Op::Lt, rows, least);
        self.jump_if(Op::JumpNonzero, is_short, as_written);
        self.observed = fused.numbers.clone();
        let results = fused.results.clone();
        let cells = passed_cells(self.routine);
        let site = self.site(SiteKind::Fused(Arc::new(fused), cells));
        let observed = self.looked_at(site);
        self.emit(Op::Host, |it| {
            (it.site, it.observed, it.target) = (Some(site), observed, taken.0);
        });
        self.here(as_written);
        block[..n].iter().try_for_each(|stmt| self.statement(stmt))?;
        self.jump(end);
        self.here(taken);
        self.loc = block[0].loc;
        self.fill(&results);
        self.here(end);
        Ok(n)
    }

    /// Columns that are enough for a copy by the device; behind it the code goes on at `end`.
    pub(super) fn wide_copy(
        &mut self,
        (x, to): (Object, Option<Reg>),
        (y, from): (Object, Option<Reg>),
        width: Reg,
        end: Label,
    ) {
        let Some(LeastBits { single: least, .. }) = self.source.choices.lifts else { return };
        let as_written = self.label();
        let rows = self.size(x, measure::ROWS);
        let bits = self.alu(Op::Mul, rows, width);
        let is_small = self.alu_imm(Op::Lt, bits, i64::try_from(least).unwrap_or(i64::MAX));
        self.jump_if(Op::JumpNonzero, is_small, as_written);
        let shown = std::mem::take(&mut self.observed);
        let site = self.site(SiteKind::Copied(x, y));
        self.observed = shown;
        self.emit(Op::Host, |it| {
            (it.a, it.b, it.c) = (to, from, Some(width));
            (it.site, it.target) = (Some(site), end.0);
        });
        self.here(as_written);
    }

    /// MIN or MAX of a table that is large enough as kernels: behind them the code goes on at
    /// `end`.
    pub(super) fn wide_extreme(&mut self, extreme: Extreme, end: Label) {
        let Some(LeastBits { single: least, .. }) = self.source.choices.lifts else { return };
        let as_written = self.label();
        let table = self.object(extreme.table);
        let rows = self.size(table, measure::ROWS);
        let columns = self.size(table, measure::COLUMNS);
        let bits = self.alu(Op::Mul, rows, columns);
        let is_small = self.alu_imm(Op::Lt, bits, i64::try_from(least).unwrap_or(i64::MAX));
        self.jump_if(Op::JumpNonzero, is_small, as_written);
        let site = self.site(SiteKind::Extreme(extreme));
        let observed = self.looked_at(site);
        self.emit(Op::Host, |it| {
            (it.site, it.observed, it.target) = (Some(site), observed, end.0);
        });
        self.here(as_written);
    }
}
