//! Loops that may run as kernels over a grid: the host is asked in front of them.

use std::sync::Arc;

use star_ir::{SizeOp, Stmt, visit};
use star_shaders::Op;
use star_shaders::layout::measure;

use super::builder::Builder;
use super::{SiteKind, Unsupported, is_number};
use crate::lift::Lifted;

impl Builder<'_> {
    /// The loop as kernels, if the table is large enough to be worth a stop and the host finds that its checks hold; otherwise
    /// as it is written.
    pub(super) fn lifted_loop(
        &mut self,
        stmt: &Stmt,
        lifted: Lifted,
        least_bits: u64,
    ) -> Result<(), Unsupported> {
        let (as_written, taken, end) = (self.label(), self.label(), self.label());
        let table = self.object(lifted.target);
        let rows = self.size(table, measure::ROWS);
        let columns = self.size(table, measure::COLUMNS);
        let bits = self.alu(Op::Mul, rows, columns);
        let least = i64::try_from(least_bits).unwrap_or(i64::MAX);
        let is_small = self.alu_imm(Op::Lt, bits, least);
        self.jump_if(Op::JumpNonzero, is_small, as_written);
        let mut named = Vec::new();
        visit::walk(std::slice::from_ref(stmt), &mut |stmt| {
            visit::accesses(&stmt.kind, &mut |var, _| named.push(var));
        });
        named.sort_unstable();
        named.dedup();
        named.retain(|var| is_number(self.routine.var(*var).ty));
        let latches = lifted.latches.clone();
        let last = lifted.turns.as_ref().map(|turns| (turns.var, turns.to.clone()));
        self.observed = named;
        let site = self.site(SiteKind::Lifted(Arc::new(lifted)));
        let observed = self.looked_at(site);
        self.emit(Op::Host, |it| {
            (it.site, it.observed, it.target) = (Some(site), observed, taken.0);
        });
        self.here(as_written);
        self.statement(stmt)?;
        self.jump(end);
        self.here(taken);
        self.loc = stmt.loc;
        for (dst, size) in latches {
            self.resize(&SizeOp::Latch { dst, size });
        }
        if let Some((var, to)) = last {
            let to = self.value(&to);
            self.assign(var, to);
        }
        self.here(end);
        Ok(())
    }
}
