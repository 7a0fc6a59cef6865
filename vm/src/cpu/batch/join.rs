//! Which instructions a batch takes, which leave it alone, and which want it carried out first.

use star_ir::{LogicOp, Mode};

use super::super::bits::index_in;
use super::super::code::{Reg, RegRef, RoutineCode, Test};
use super::super::inst::{BitsInst, Inst, SizeInst, TableInst};
use super::super::interpreter::Interpreter;
use super::super::probe::Probe;
use super::super::strip::StripOp;
use super::super::table::{Line, Table};
use super::super::value::bytes_of;
use super::{Batch, Port};
use crate::stop::Run;

/// What a batch takes: an instruction that makes a slice of slices, limb by limb, or of a column.
#[derive(Clone, Copy)]
struct Joining {
    dst: Reg,
    /// Components of all its slices.
    n_rows: usize,
    makes: Makes,
}

#[derive(Clone, Copy)]
enum Makes {
    Copy(Reg),
    Fill(bool),
    Not(Reg),
    Logic(LogicOp, Reg, Reg),
    LogicLogic(LogicOp, LogicOp, [Reg; 3]),
    Logic2(u8, Reg, Reg),
    Column(Port),
}

impl Interpreter<'_, '_, '_> {
    /// Notes an instruction whose operands have `len` components, if that is many; otherwise the answer is
    /// false, and it has to be carried out.
    #[inline]
    pub(in crate::cpu) fn note_long(&mut self, inst: Inst, len: usize) -> Run<bool> {
        if len / 64 < self.parallelism.settings.batch_limbs {
            return Ok(false);
        }
        self.note(inst)
    }

    /// Notes an instruction while the batch is open. If that cannot be, the answer is false: the instruction
    /// has to be carried out, and the batch was, if the instruction could see a difference.
    pub(in crate::cpu) fn join<P: Probe>(
        &mut self,
        inst: Inst,
        routine: &RoutineCode,
        probe: &mut P,
    ) -> Run<bool> {
        if self.note(inst)? {
            return Ok(true);
        }
        if let Inst::Return = inst {
            self.batch.keep(|reg| leaves(routine, reg));
        } else if let Inst::Unset(RegRef::Slice(reg) | RegRef::Word(reg)) = inst {
            self.batch.forget(reg);
        }
        if !self.is_apart(inst) {
            probe.batch(&self.batch.deferred);
            self.flush()?;
            probe.batch_over();
        }
        Ok(false)
    }

    /// Notes an instruction if it is one of those that a batch takes, and this batch can.
    fn note(&mut self, inst: Inst) -> Run<bool> {
        let Some(Joining { dst, n_rows, makes }) = self.joining(inst) else { return Ok(false) };
        if self.batch.is_open()
            && (self.batch.n_rows != n_rows
                || self.batch.deferred.len() >= self.parallelism.settings.batch_ops)
        {
            return Ok(false);
        }
        self.claim(dst, n_rows)?;
        let batch = &mut self.batch;
        batch.n_rows = n_rows;
        batch.deferred.push(self.pc);
        match makes {
            Makes::Copy(src) => {
                let from = batch.source(src);
                batch.assign(dst, from);
            }
            Makes::Column(port) => {
                let from = batch.port(port);
                batch.assign(dst, from);
            }
            Makes::Fill(bit) => batch.make(dst, |to| StripOp::Fill { to, bit }),
            Makes::Not(src) => {
                let from = batch.source(src);
                batch.make(dst, |to| StripOp::Not { to, from });
            }
            Makes::Logic(op, left, right) => {
                let (left, right) = (batch.source(left), batch.source(right));
                batch.make(dst, |to| StripOp::Logic { op, to, left, right });
            }
            Makes::Logic2(table, left, right) => {
                let (left, right) = (batch.source(left), batch.source(right));
                batch.make(dst, |to| StripOp::Logic2 { table, to, left, right });
            }
            Makes::LogicLogic(inner, outer, operands) => {
                let operands = operands.map(|reg| batch.source(reg));
                batch.make(dst, |to| StripOp::LogicLogic { inner, outer, to, operands });
            }
        }
        Ok(true)
    }

    /// The instruction as one for a batch, if it is such a one.
    fn joining(&self, inst: Inst) -> Option<Joining> {
        let (dst, operand, makes) = if let Inst::LogicBits { op, dst, left, right } = inst {
            (dst, left, Makes::Logic(op, left, right))
        } else if let Inst::Column { dst, table, index } = inst {
            let columns = self.table_slot(table).table.get();
            let columns = columns.filter(|table| table.has(Line::Column))?;
            let col_idx = index_in(self.number(index), columns.n_cols()).ok()?;
            let makes = Makes::Column(Port::Column(table, col_idx));
            return Some(Joining { dst, n_rows: columns.n_rows(), makes });
        } else if let Inst::Bits(BitsInst::Copy { dst, src }) = inst {
            (dst, src, Makes::Copy(src))
        } else if let Inst::Bits(BitsInst::Not { dst, src }) = inst {
            (dst, src, Makes::Not(src))
        } else if let Inst::Bits(BitsInst::Logic2 { table, dst, left, right }) = inst {
            (dst, left, Makes::Logic2(table, left, right))
        } else if let Inst::Bits(BitsInst::LogicLogic { inner, outer, dst, a, b, c }) = inst {
            (dst, a, Makes::LogicLogic(inner, outer, [a, b, c]))
        } else if let Inst::Bits(BitsInst::Fill { dst, len, bit }) = inst {
            let n_rows = usize::try_from(self.number(len)).ok()?;
            return Some(Joining { dst, n_rows, makes: Makes::Fill(bit) });
        } else {
            return None;
        };
        Some(Joining { dst, n_rows: self.bits(operand).len(), makes })
    }

    /// The result of an operation that is noted has its length from now on, and room.
    fn claim(&mut self, dst: Reg, len: usize) -> Run<()> {
        self.budget.reserve(bytes_of(len))?;
        let at = self.base.bits + dst as usize;
        let before = self.bits[at].n_bytes();
        if self.bits[at].bits.len() != len {
            let resized = self.bits[at].bits.resize(len);
            resized.map_err(|wanted| self.out_of_memory(wanted))?;
        }
        let slot = &mut self.bits[at];
        slot.is_set = true;
        slot.zeros = 0;
        self.budget.exchange(before, bytes_of(len));
        Ok(())
    }

    /// May the instruction be carried out while the batch is not? It must not look at what is pending, nor
    /// change what is read or pending.
    fn is_apart(&self, inst: Inst) -> bool {
        let batch = &self.batch;
        let keeps = |reg| !batch.touches(reg);
        let knows = |reg| !batch.is_pending(reg);
        match inst {
            Inst::Set { .. }
            | Inst::Int { .. }
            | Inst::Compare { .. }
            | Inst::Not { .. }
            | Inst::Logic { .. }
            | Inst::SizeOperand { .. }
            | Inst::SetText { .. }
            | Inst::CopyText { .. }
            | Inst::Cost { .. }
            | Inst::CostTimes { .. }
            | Inst::Jump(_)
            | Inst::Unless { .. }
            | Inst::ForBegin { .. }
            | Inst::ForNext { .. }
            | Inst::WhileTest { .. }
            | Inst::Size(SizeInst::Latch { .. })
            | Inst::Unset(RegRef::Int(_) | RegRef::Bool(_) | RegRef::Text(_))
            | Inst::Table(TableInst::Bit { .. }) => true,
            Inst::Guard { test, .. } => match test {
                Test::FitsInt(word) => knows(word),
                Test::NoCarry(_, left, right) => knows(left) && knows(right),
                Test::NumberSet(_)
                | Test::BitsSet(_)
                | Test::TableSet(_)
                | Test::TextSet(_)
                | Test::BitsSized(_)
                | Test::Index(..)
                | Test::NewColumn(..)
                | Test::Size(..)
                | Test::Range { .. }
                | Test::Int(..)
                | Test::Bit(_)
                | Test::NotNegative(_)
                | Test::Fits { .. }
                | Test::Even(_)
                | Test::Holds(_) => true,
            },
            Inst::Ask { of, .. } | Inst::ForeachNext { over: of, .. } => knows(of),
            Inst::Literal { dst, .. } | Inst::Row { dst, .. } => keeps(dst),
            Inst::Unset(RegRef::Slice(reg) | RegRef::Word(reg)) | Inst::Step { bits: reg, .. } => {
                keeps(reg)
            }
            // Those that a batch takes are of another size here, or it is full.
            Inst::LogicBits { dst, left, right, .. } => keeps(dst) && knows(left) && knows(right),
            Inst::Column { dst, table, .. } => {
                let n_rows = self.table_slot(table).table.get().map(Table::n_rows);
                keeps(dst) && n_rows != Some(batch.n_rows)
            }
            Inst::Bits(inst) => is_bits_inst_apart(batch, inst),
            Inst::PutColumn { .. }
            | Inst::PutRow { .. }
            | Inst::Table(_)
            | Inst::Size(_)
            | Inst::ForallBegin(_)
            | Inst::ForallNext { .. }
            | Inst::TileBegin { .. }
            | Inst::TileEnd
            | Inst::Unset(_)
            | Inst::Call(_)
            | Inst::Return
            | Inst::Native(_)
            | Inst::Print(_)
            | Inst::Read(_)
            | Inst::Write(_) => false,
        }
    }
}

fn is_bits_inst_apart(batch: &Batch, inst: BitsInst) -> bool {
    let keeps = |reg| !batch.touches(reg);
    let knows = |reg| !batch.is_pending(reg);
    match inst {
        BitsInst::Fill { dst, .. }
        | BitsInst::Mask { dst, .. }
        | BitsInst::IntToWord { dst, .. }
        | BitsInst::Put { bits: dst, .. } => keeps(dst),
        BitsInst::Copy { dst, src }
        | BitsInst::Not { dst, src }
        | BitsInst::KeepFirst { dst, src }
        | BitsInst::Shift { dst, src, .. }
        | BitsInst::Rotate { dst, src, .. }
        | BitsInst::Mirror { dst, src }
        | BitsInst::Shuffle { dst, src }
        | BitsInst::Trim { dst, word: src, .. }
        | BitsInst::Replace { word: dst, value: src, .. } => keeps(dst) && knows(src),
        BitsInst::Logic2 { dst, left, right, .. }
        | BitsInst::AddWords { dst, left, right }
        | BitsInst::SubWords { dst, left, right } => keeps(dst) && knows(left) && knows(right),
        BitsInst::LogicLogic { dst, a, b, c, .. } => keeps(dst) && [a, b, c].into_iter().all(knows),
        BitsInst::Equal { left, right, .. }
        | BitsInst::CompareWords { left, right, .. }
        | BitsInst::SearchLogic { left, right, .. }
        | BitsInst::CountLogic { left, right, .. } => knows(left) && knows(right),
        BitsInst::Component { bits, .. } | BitsInst::WordToInt { word: bits, .. } => knows(bits),
    }
}

/// Does the value of a register outlive the routine?
fn leaves(routine: &RoutineCode, reg: Reg) -> bool {
    let mut results = routine.params.iter().filter(|(_, mode)| *mode == Mode::Ref);
    results.any(|(place, _)| place.bits() == Some(reg))
        || routine.result.and_then(RegRef::bits) == Some(reg)
}
