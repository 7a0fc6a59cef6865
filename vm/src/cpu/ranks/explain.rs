//! Exchanges of instructions, for people.

use std::collections::BTreeMap;
use std::sync::Arc;

use star_ir::{Query, Sense};

use crate::cpu::code::RoutineCode;
use crate::cpu::inst::{BitsInst, Inst, TableInst};
use crate::cpu::intrinsics::CpuIntrinsic;
use crate::cpu::lines::Kernel;
use crate::cpu::operand::{Pc, Reg, RegRef};
use crate::cpu::table::form::Line;
use crate::explain::LoopExchanges;

/// An exchange of an instruction: its name in the language, and what is exchanged.
#[derive(Clone, Copy)]
pub(in crate::cpu) struct ExchangeOf {
    name: &'static str,
    pub(in crate::cpu) how: &'static str,
}

const QUERY: &str = "each time: one reduction of 8 bytes";
const GATHERED: &str = "each time: the slice is gathered on all ranks";

const MOVED: &str = "each time: ranks trade the components that move to others";

fn exchange(name: &'static str, how: &'static str) -> Option<ExchangeOf> {
    Some(ExchangeOf { name, how })
}

/// Returns the exchanges of the iterations of each outermost loop of a routine, if there are any.
pub(in crate::cpu) fn exchanges_of_loops(
    code: &RoutineCode,
    all: &[Arc<RoutineCode>],
) -> Vec<LoopExchanges> {
    // The last instruction of each loop, by its first one, which begins every iteration.
    let mut loops: BTreeMap<usize, usize> = BTreeMap::new();
    for (pc, inst) in code.insts.iter().enumerate() {
        if let Inst::Jump(to) = inst
            && *to as usize <= pc
        {
            loops.insert(*to as usize, pc);
        }
    }
    let mut found = Vec::new();
    let mut after = 0;
    for (&head, &end) in &loops {
        if head < after {
            continue;
        }
        after = end + 1;
        let is_inner = |pc: usize| loops.range(head + 1..pc + 1).any(|(_, &last)| pc <= last);
        let mut exchanges = LoopExchanges {
            routine: code.id,
            loc: code.locs[end],
            each: Vec::new(),
            inner: Vec::new(),
        };
        for pc in head..=end {
            let named = match code.insts[pc] {
                Inst::Call(call) => of_call(&code.calls[call as usize].callee.0, all),
                inst if is_in_kernel(code, pc) => {
                    exchange_of(inst, code).filter(|_| matches!(inst, Inst::ForallBegin(_)))
                }
                inst => exchange_of(inst, code),
            };
            let Some(ExchangeOf { name, .. }) = named else { continue };
            let list = if is_inner(pc) { &mut exchanges.inner } else { &mut exchanges.each };
            list.push((name, code.locs[pc]));
        }
        if !exchanges.each.is_empty() || !exchanges.inner.is_empty() {
            found.push(exchanges);
        }
    }
    found
}

/// Returns the exchanges of a call of a routine with any.
fn of_call(callee: &u32, all: &[Arc<RoutineCode>]) -> Option<ExchangeOf> {
    let mut seen = vec![false; all.len()];
    let mut waiting = vec![*callee];
    while let Some(next) = waiting.pop() {
        let Some(code) = all.get(next as usize) else { continue };
        if std::mem::replace(&mut seen[next as usize], true) {
            continue;
        }
        if code.insts.iter().any(|inst| exchange_of(*inst, code).is_some()) {
            return exchange("a call", "those of the routine");
        }
        waiting.extend(code.calls.iter().map(|call| call.callee.0));
    }
    None
}

/// Is an instruction part of a `forall` that runs as a kernel, with the exchange of its beginning
/// alone?
fn is_in_kernel(code: &RoutineCode, pc: usize) -> bool {
    code.insts[..pc].iter().enumerate().any(|(begin, inst)| match inst {
        Inst::ForallBegin(forall) => {
            let is_kernel = of_forall(code.foralls[*forall as usize].kernel.as_deref())
                .is_none_or(|exchange| exchange.name == COMBINED);
            let exit = code.insts[begin..].iter().find_map(|inst| match inst {
                Inst::ForallNext { forall: next, exit } if next == forall => Some(*exit),
                _ => None,
            });
            is_kernel && exit.is_some_and(|exit: Pc| pc < exit as usize)
        }
        _ => false,
    })
}

/// Returns what an instruction exchanges if its slices and tables are partitioned; `None` if it
/// exchanges nothing.
pub(in crate::cpu) fn exchange_of(inst: Inst, code: &RoutineCode) -> Option<ExchangeOf> {
    let is_slice = |reg: Reg| code.slices.get(reg as usize) == Some(&true);
    match inst {
        Inst::Query { query, of: reg, .. } => {
            exchange(name_of(query), QUERY).filter(|_| is_slice(reg))
        }
        Inst::Step { bits: reg, .. } => exchange("STEP", QUERY).filter(|_| is_slice(reg)),
        Inst::ForeachNext { over: reg, .. } => exchange("foreach", QUERY).filter(|_| is_slice(reg)),
        Inst::Row { .. } => exchange("ROW", "each time: its owner broadcasts the row"),
        Inst::Bits(inst) => of_bits(inst, is_slice),
        Inst::Table(inst) => of_table(inst),
        Inst::ForallBegin(forall) => of_forall(code.foralls[forall as usize].kernel.as_deref()),
        Inst::Write(file) | Inst::Read(file) => {
            let place = code.files[file as usize].var;
            let is_divided = matches!(place, RegRef::Slice(_) | RegRef::Table(_));
            let name = if matches!(inst, Inst::Write(_)) { "write" } else { "read" };
            let how = "each time: rank 0 has the file and all ranks the whole value";
            exchange(name, how).filter(|_| is_divided)
        }
        Inst::Print(_) => {
            exchange("print", "each time: one broadcast of the end; printed values are gathered")
        }
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
        | Inst::SafePoint { .. }
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

/// Returns what an intrinsic exchanges if its arguments are partitioned.
pub(in crate::cpu) fn exchange_of_intrinsic(candidate: &CpuIntrinsic) -> &'static str {
    match candidate.works_on_parts {
        true => "built in: it works on a part on each rank, with a few exchanges a level or round",
        false => "built in: distributed arguments are gathered on all ranks, each of which runs it",
    }
}

fn name_of(query: Query) -> &'static str {
    match query {
        Query::Any => "SOME",
        Query::None => "ZERO",
        Query::All => "ONE",
        Query::First => "FND",
        Query::Count => "NUMB",
    }
}

fn of_bits(inst: BitsInst, is_slice: impl Fn(Reg) -> bool) -> Option<ExchangeOf> {
    let (name, how, reg) = match inst {
        BitsInst::Equal { left: reg, .. } => ("a comparison", QUERY, reg),
        BitsInst::QueryLut { query, left: reg, .. } => (name_of(query), QUERY, reg),
        BitsInst::KeepFirst { src, .. } => ("FRST", QUERY, src),
        BitsInst::Component { bits, .. } => {
            ("a component", "each time: its owner broadcasts the component", bits)
        }
        BitsInst::Copy { dst, src } if !is_slice(dst) => ("CONVERT", GATHERED, src),
        BitsInst::Shift { src, .. } => ("SHIFT", MOVED, src),
        BitsInst::Rotate { src, .. } => ("ROTATE", MOVED, src),
        BitsInst::Mirror { src, .. } => ("MIRROR", MOVED, src),
        BitsInst::Shuffle { src, .. } => ("SHUFFLE", MOVED, src),
        BitsInst::CompareWords { left: src, .. } => ("a comparison", GATHERED, src),
        BitsInst::Copy { .. }
        | BitsInst::Fill { .. }
        | BitsInst::Not { .. }
        | BitsInst::Mask { .. }
        | BitsInst::Trim { .. }
        | BitsInst::AddWords { .. }
        | BitsInst::SubWords { .. }
        | BitsInst::IntToWord { .. }
        | BitsInst::WordToInt { .. }
        | BitsInst::Put { .. }
        | BitsInst::Replace { .. } => return None,
    };
    exchange(name, how).filter(|_| is_slice(reg))
}

fn of_table(inst: TableInst) -> Option<ExchangeOf> {
    match inst {
        TableInst::Bit { .. } => exchange("a bit", "each time: its owner broadcasts the bit"),
        TableInst::Extreme { sense, .. } => {
            let name = match sense {
                Sense::Min => "MIN",
                Sense::Max => "MAX",
            };
            exchange(name, "each time: a word of each rank is gathered")
        }
        TableInst::CountColumn { .. } => exchange(name_of(Query::Count), QUERY),
        TableInst::PutPart { .. } => {
            exchange("a table of a handle", "each time: the table is gathered on all ranks")
        }
        TableInst::Copy { .. }
        | TableInst::Field { .. }
        | TableInst::New { .. }
        | TableInst::Part { .. }
        | TableInst::CopyHandle { .. }
        | TableInst::PutBit { .. }
        | TableInst::PutField { .. } => None,
    }
}

/// The name of the exchange of a kernel that combines rows into a word.
const COMBINED: &str = "combined rows";

fn of_forall(kernel: Option<&Kernel>) -> Option<ExchangeOf> {
    let in_order = exchange("a loop in order", "the loop runs in order on all ranks");
    let Some(operands) = kernel.map(Kernel::operands) else { return in_order };
    match (operands.line, operands.is_bitwise, operands.combined) {
        (Line::Column, true, _) | (Line::Row, true, None) => None,
        (Line::Row, true, Some(_)) => exchange(COMBINED, "after the loop: one reduction of a word"),
        (_, false, _) => in_order,
    }
}
