//! Counts of the ones of columns: a column that is loaded only to be counted, alone or under a
//! mask, is counted where it is. See Note [Counts ahead].

use star_ir::Query;

use super::super::class::{Class, Effects};
use super::super::counts::{Ahead, ColumnCount};
use super::super::inst::{Inst, TableInst};
use super::super::operand::{Number, Reg};
use super::super::table::form::Line;
use super::Compiler;
use crate::tape::table2;

impl Compiler<'_> {
    /// Returns the instruction that replaces a count and the load of the column that is counted, if
    /// it is such a count.
    pub(super) fn counted(&mut self, inst: Inst) -> Inst {
        let Class::Query { dst, query: Query::Count, of } = inst.class() else { return inst };
        if !self.options.optimise {
            return inst;
        }
        let run = &self.code.insts[self.settled..];
        let found = of.of().iter().find_map(|column| {
            let (at, table, index) = loaded(run, *column)?;
            self.temporaries.contains(column).then_some((at, *column, table, index))
        });
        let Some((at, column, table, index)) = found else { return inst };
        let lut = of.lut();
        let mask = lut.inputs().iter().copied().find(|reg| *reg != column);
        let value =
            |of_column, of_mask| lut.value(|reg| if reg == column { of_column } else { of_mask });
        let function = mask.is_some().then(|| table2(value));
        self.fuse_into_next(self.settled + at);
        let count = self.code.counts.len() as u32;
        self.code.counts.push(ColumnCount { dst, index, function, ahead: None });
        let mask = mask.unwrap_or(column);
        Inst::Table(TableInst::CountColumn { count, table, column, mask })
    }

    /// Lets the counts in the body of the loop that has just been compiled, from instruction
    /// `begin` on, run ahead: those of columns with the loop's index, if every iteration runs all
    /// of its instructions, and changes neither the table nor the mask.
    pub(super) fn count_ahead(&mut self, begin: usize, var: Reg, ahead: Ahead) {
        let Some((_jump, body)) = self.code.insts[begin..].split_last() else { return };
        if body.iter().any(|inst| inst.jumps() || matches!(inst.class(), Class::Control)) {
            return;
        }
        let changes = |table: Reg, mask: Reg| {
            body.iter().any(|inst| match inst.class() {
                Class::Store { table: changed, .. } => changed == table,
                Class::Other(Effects { writes, writes_table, .. }) => {
                    let is_own = matches!(inst, Inst::Table(TableInst::CountColumn { .. }));
                    writes == Some(mask) && !is_own || writes_table == Some(table)
                }
                class => class.writes() == Some(mask),
            })
        };
        let counts = body.iter().filter_map(|inst| match inst {
            Inst::Table(TableInst::CountColumn { count, table, mask, .. }) => {
                (!changes(*table, *mask)).then_some(*count as usize)
            }
            _ => None,
        });
        let counts: Vec<usize> = counts.collect();
        let mut is_ahead = false;
        for count in counts {
            let count = &mut self.code.counts[count];
            if count.index == Number(var) {
                count.ahead = Some(ahead);
                is_ahead = true;
            }
        }
        if is_ahead {
            self.decide(Ok("the ones of all columns are counted in one pass over the rows"));
        }
    }
}

/// Returns the place in a straight run of instructions where a column is loaded into a register,
/// its table, and its index, if a load at the end of the run would load the same.
fn loaded(run: &[Inst], column: Reg) -> Option<(usize, Reg, Number)> {
    let at = run.iter().rposition(|inst| inst.class().writes() == Some(column))?;
    let Class::Load { table, line: Line::Column, index, .. } = run[at].class() else {
        return None;
    };
    let keeps = |inst: &Inst| match *inst {
        Inst::Int { dst, .. } => Number(dst) != index,
        inst => matches!(inst.class(), Class::Guard(_) | Class::Cost | Class::Bitwise(_)),
    };
    run[at + 1..].iter().all(keeps).then_some((at, table, index))
}
