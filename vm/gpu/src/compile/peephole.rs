//! Peephole optimisation (McKeeman 1965), and sizes that are known already. The control unit takes
//! about as long for each instruction, however little it does, so that fewer of them are faster.
//!
//! * [`reuse`]: a size that a register holds is not asked for again (available expressions), and an
//!   operand that is a constant becomes the immediate.
//! * [`skip_jumps`], [`combine`]: what is only moved is made where it goes; what only decides about
//!   a jump or a trap is one instruction with it ([`Then`]).
//!
//! Sizes and constants are renamed where temporaries hold them: registers that no variable has,
//! which one instruction writes that comes before all that read them. So whoever holds a size still
//! does where it is asked for again, and there alone the second register was read.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use star_shaders::Op;
use star_shaders::layout::REGISTERS;

use super::bits::Bits;
use super::dataflow::on_all_paths;
use super::facts::keep;
use super::registers::{BasicBlock, backwards, basic_blocks};
use crate::code::{Inst, Object, Reg, Then};

/// Which register holds a measure of an object.
type Sizes = BTreeMap<(Object, i64), Reg>;

/// Temporaries: registers from `first` on that one instruction writes.
pub(super) struct Temporaries {
    first: u32,
    n_writes: Vec<u32>,
}

impl Temporaries {
    pub(super) fn new(insts: &[Inst], first: u32, n_regs: u32) -> Self {
        let mut n_writes = vec![0; n_regs as usize];
        for d in insts.iter().filter_map(|inst| inst.d) {
            n_writes[d.0 as usize] += 1;
        }
        Temporaries { first, n_writes }
    }

    pub(super) fn has(&self, reg: Reg) -> bool {
        reg.0 >= self.first && self.n_writes[reg.0 as usize] == 1
    }
}

/// Asks for no size twice, and makes immediates of constants. Registers below `first` are those of
/// variables and of the device.
pub(super) fn reuse(insts: &mut Vec<Inst>, labels: &mut [usize], first: u32, n_regs: u32) {
    let temporaries = Temporaries::new(insts, first, n_regs);
    let mut constants = BTreeMap::new();
    for inst in insts.iter().filter(|inst| inst.op == Op::Load) {
        constants.extend(inst.d.filter(|d| temporaries.has(*d)).map(|d| (d, inst.imm)));
    }
    for inst in insts.iter_mut().filter(|inst| takes_immediate(inst.op)) {
        if let Some(number) = inst.b.and_then(|b| constants.get(&b)) {
            (inst.b, inst.imm) = (None, *number);
        }
    }
    let lent = insts.iter().filter(|inst| inst.op == Op::Lend && inst.imm != 0);
    let lent: BTreeSet<Object> = lent.filter_map(|inst| inst.y).collect();
    let blocks = basic_blocks(insts, labels, n_regs);
    let mut held_by = BTreeMap::new();
    let mut kept: Vec<Option<Inst>> = insts.iter().cloned().map(Some).collect();
    for (block, sizes) in blocks.iter().zip(available(insts, &blocks, &temporaries, &lent)) {
        let Some(mut sizes) = sizes else { continue };
        for at in block.start..block.end {
            let inst = &insts[at];
            if inst.op == Op::Size
                && let (Some(d), Some(y)) = (inst.d.filter(|d| temporaries.has(*d)), inst.y)
                && let Some(held) = sizes.get(&(y, inst.imm))
            {
                held_by.insert(d, *held);
                kept[at] = None;
            }
            pass(inst, &temporaries, &lent, &mut sizes);
        }
    }
    for inst in kept.iter_mut().flatten() {
        for operand in [&mut inst.a, &mut inst.b, &mut inst.c] {
            if let Some(held) = operand.and_then(|reg| held_by.get(&reg)) {
                *operand = Some(*held);
            }
        }
    }
    *insts = keep(kept, labels);
}

/// Is its second operand the immediate where it has no register?
fn takes_immediate(op: Op) -> bool {
    (Op::Add as u32..=Op::MulOverflows as u32).contains(&(op as u32))
}

/// The sizes that registers hold where each block begins; `None` where control does not come.
fn available(
    insts: &[Inst],
    blocks: &[BasicBlock],
    temporaries: &Temporaries,
    lent: &BTreeSet<Object>,
) -> Vec<Option<Sizes>> {
    let transfer = |range: Range<usize>, sizes: &mut Sizes| {
        insts[range].iter().for_each(|inst| pass(inst, temporaries, lent, sizes));
    };
    let meet = |known: &mut Sizes, other: &Sizes| {
        let n = known.len();
        known.retain(|size, reg| other.get(size) == Some(reg));
        known.len() < n
    };
    on_all_paths(blocks, Sizes::new(), transfer, meet)
}

/// What the instruction does to the sizes that registers hold.
fn pass(inst: &Inst, temporaries: &Temporaries, lent: &BTreeSet<Object>, sizes: &mut Sizes) {
    let mut forget = |object: Option<Object>| {
        let Some(object) = object else { return };
        let measures = (object, i64::MIN)..=(object, i64::MAX);
        while let Some((&measure, _)) = sizes.range(measures.clone()).next() {
            sizes.remove(&measure);
        }
    };
    match inst.op {
        Op::Size => {
            if let (Some(d), Some(y)) = (inst.d.filter(|d| temporaries.has(*d)), inst.y) {
                sizes.entry((y, inst.imm)).or_insert(d);
            }
        }
        Op::Shape | Op::ShapeLike | Op::Columns | Op::Unset | Op::Fix | Op::Take => forget(inst.x),
        Op::Give => forget(inst.y),
        Op::Call => sizes.retain(|(object, _), _| !lent.contains(object)),
        Op::Host => sizes.clear(),
        _ => {}
    }
}

/// Leaves out moves, jumps and traps that are one with the instruction in front, and jumps to what
/// follows.
pub(super) fn combine(insts: &mut Vec<Inst>, labels: &mut [usize], blocks: &[BasicBlock]) {
    let mut kept: Vec<Option<Inst>> = std::mem::take(insts).into_iter().map(Some).collect();
    for block in blocks {
        let mut live = block.live_out.clone();
        for at in (block.start..block.end).rev() {
            let joined = match kept[at.saturating_sub(1)..=at] {
                [Some(ref before), Some(ref inst)] if at > block.start => {
                    joined(before, inst, &live)
                }
                _ => None,
            };
            match joined {
                Some(joined) => (kept[at - 1], kept[at]) = (Some(joined), None),
                None => kept[at].iter().for_each(|inst| backwards(inst, &mut live)),
            }
        }
    }
    *insts = keep(kept, labels);
}

/// Leaves out jumps to what follows.
pub(super) fn skip_jumps(insts: &mut Vec<Inst>, labels: &mut [usize]) {
    let follows = |at: usize, inst: &Inst| {
        inst.op == Op::Jump && labels.get(inst.target as usize) == Some(&(at + 1))
    };
    let all = std::mem::take(insts).into_iter().enumerate();
    let kept = all.map(|(at, inst)| (!follows(at, &inst)).then_some(inst)).collect();
    *insts = keep(kept, labels);
}

/// Both as one, the first in front of the second; `live` is what is read behind them.
fn joined(before: &Inst, inst: &Inst, live: &Bits) -> Option<Inst> {
    let result = before.d?;
    if before.site.is_some() || before.then.is_some() {
        return None;
    }
    let is_scalar = before.op as u32 <= Op::MulOverflows as u32;
    // The registers of the device below take numbers into calls and out of them.
    let is_read_again =
        result.0 < REGISTERS || live.contains(result.0 as usize) || inst.observed.contains(&result);
    let mut joined = before.clone();
    let then = match inst.op {
        Op::Move => {
            let moves = inst.a == Some(result) && inst.d != Some(result) && !is_read_again;
            joined.d = inst.d;
            (joined.then, joined.target) = (inst.then, inst.target);
            (joined.site, joined.observed) = (inst.site, inst.observed.clone());
            if inst.then.is_some() {
                joined.loc = inst.loc;
            }
            return (moves && (is_scalar || inst.then.is_none())).then_some(joined);
        }
        Op::Jump => Then::Jump,
        Op::JumpZero => Then::JumpZero,
        Op::JumpNonzero => Then::JumpNonzero,
        Op::TrapZero => Then::TrapZero,
        Op::TrapNonzero => Then::TrapNonzero,
        _ => return None,
    };
    let decides = inst.op == Op::Jump || inst.a == Some(result);
    if !decides || !is_scalar || inst.then.is_some() {
        return None;
    }
    if inst.op != Op::Jump && !is_read_again {
        joined.d = None;
    }
    joined.then = Some(then);
    (joined.target, joined.site, joined.loc) = (inst.target, inst.site, inst.loc);
    joined.observed.clone_from(&inst.observed);
    Some(joined)
}
