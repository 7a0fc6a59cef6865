//! Exchanges of instructions, for people.

use crate::cpu::code::RoutineCode;
use crate::cpu::inst::{BitsInst, Inst, TableInst};
use crate::cpu::lines::Kernel;
use crate::cpu::operand::{Reg, RegRef};
use crate::cpu::table::form::Line;

/// Returns what an instruction exchanges if its slices and tables are partitioned; `None` if it
/// exchanges nothing.
pub(in crate::cpu) fn exchange_of(inst: Inst, code: &RoutineCode) -> Option<&'static str> {
    let is_slice = |reg: Reg| code.slices.get(reg as usize) == Some(&true);
    let query = "each time: one reduction of 8 bytes";
    match inst {
        Inst::Query { of: reg, .. }
        | Inst::Step { bits: reg, .. }
        | Inst::ForeachNext { over: reg, .. } => is_slice(reg).then_some(query),
        Inst::Row { .. } => Some("each time: its owner broadcasts the row"),
        Inst::Bits(inst) => of_bits(inst, is_slice),
        Inst::Table(inst) => of_table(inst),
        Inst::ForallBegin(forall) => of_forall(code.foralls[forall as usize].kernel.as_deref()),
        Inst::Write(file) | Inst::Read(file) => {
            let place = code.files[file as usize].var;
            let is_divided = matches!(place, RegRef::Slice(_) | RegRef::Table(_));
            is_divided.then_some("each time: rank 0 has the file and all ranks the whole value")
        }
        Inst::Print(_) => Some("each time: one broadcast of the end; printed values are gathered"),
        Inst::Lut2 { .. }
        | Inst::Lut3 { .. }
        | Inst::Literal { .. }
        | Inst::Column { .. }
        | Inst::PutColumn { .. }
        | Inst::PutRow { .. }
        | Inst::Size(_)
        | Inst::Guard { .. }
        | Inst::Intrinsic
        | Inst::Set { .. }
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
        | Inst::ForallNext { .. }
        | Inst::Unset(_)
        | Inst::Call(_)
        | Inst::Return => None,
    }
}

fn of_bits(inst: BitsInst, is_slice: impl Fn(Reg) -> bool) -> Option<&'static str> {
    let gathered = "each time: the slice is gathered on all ranks";
    match inst {
        BitsInst::Equal { left: reg, .. } | BitsInst::QueryLut { left: reg, .. } => {
            is_slice(reg).then_some("each time: one reduction of 8 bytes")
        }
        BitsInst::KeepFirst { src, .. } => {
            is_slice(src).then_some("each time: one reduction of 8 bytes")
        }
        BitsInst::Component { bits, .. } => {
            is_slice(bits).then_some("each time: its owner broadcasts the component")
        }
        BitsInst::Copy { dst, src } => (is_slice(src) && !is_slice(dst)).then_some(gathered),
        BitsInst::Shift { src, .. }
        | BitsInst::Rotate { src, .. }
        | BitsInst::Mirror { src, .. }
        | BitsInst::Shuffle { src, .. }
        | BitsInst::CompareWords { left: src, .. } => is_slice(src).then_some(gathered),
        BitsInst::Fill { .. }
        | BitsInst::Not { .. }
        | BitsInst::Mask { .. }
        | BitsInst::Trim { .. }
        | BitsInst::AddWords { .. }
        | BitsInst::SubWords { .. }
        | BitsInst::IntToWord { .. }
        | BitsInst::WordToInt { .. }
        | BitsInst::Put { .. }
        | BitsInst::Replace { .. } => None,
    }
}

fn of_table(inst: TableInst) -> Option<&'static str> {
    match inst {
        TableInst::Bit { .. } => Some("each time: its owner broadcasts the bit"),
        TableInst::Extreme { .. } => Some("each time: a word of each rank is gathered"),
        TableInst::PutPart { .. } => Some("each time: the table is gathered on all ranks"),
        TableInst::Copy { .. }
        | TableInst::Field { .. }
        | TableInst::New { .. }
        | TableInst::Part { .. }
        | TableInst::CopyHandle { .. }
        | TableInst::PutBit { .. }
        | TableInst::PutField { .. } => None,
    }
}

fn of_forall(kernel: Option<&Kernel>) -> Option<&'static str> {
    let operands = kernel.map(Kernel::operands);
    match operands {
        None => Some("the loop runs in order on all ranks"),
        Some(operands) => match (operands.line, operands.is_bitwise, operands.combined) {
            (Line::Column, true, _) | (Line::Row, true, None) => None,
            (Line::Row, true, Some(_)) => Some("after the loop: one reduction of a word"),
            (_, false, _) => Some("the loop runs in order on all ranks"),
        },
    }
}
