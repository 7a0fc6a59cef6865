//! Register allocation by linear scan (Poletto and Sarkar 1999): over the live intervals of virtual
//! registers, that with the furthest end is spilled to a cell of the frame. Dead code goes before.

use star_shaders::Op;
use star_shaders::layout::{REGISTERS, STAGING};

use super::bits::Bits;
use super::facts::{is_jump, keep};
use super::peephole::{combine, skip_jumps};
use super::{Home, Site};
use crate::code::{Inst, Reg};

/// Registers for what lies in cells: three operands and a result.
const SCRATCH: [u32; 4] = [STAGING - 4, STAGING - 3, STAGING - 2, STAGING - 1];
/// Registers that are given out.
const SHARED: u32 = STAGING - 4;

pub(super) struct BasicBlock {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) successors: Vec<usize>,
    live_in: Bits,
    pub(super) live_out: Bits,
}

/// Gives every register one of the device, or a cell behind those that are `taken`; how many cells
/// that are.
pub(super) fn allocate(
    insts: &mut Vec<Inst>,
    labels: &mut [usize],
    (n_regs, taken): (u32, u32),
    sites: &mut [Site],
) -> u32 {
    skip_jumps(insts, labels);
    let mut blocks = liveness(insts, labels, n_regs);
    loop {
        let before = insts.len();
        eliminate_dead_code(insts, labels, &blocks);
        blocks = liveness(insts, labels, n_regs);
        if insts.len() == before {
            break;
        }
    }
    combine(insts, labels, &blocks);
    blocks = liveness(insts, labels, n_regs);
    let (homes, cells) = linear_scan(&intervals(insts, &blocks, n_regs), taken);
    for inst in insts.iter() {
        if let Some(site) = inst.site {
            for (_, number) in &mut sites[site as usize].numbers {
                for home in [Some(&mut number.at), number.flag.as_mut()].into_iter().flatten() {
                    if let Home::Register(reg) = *home
                        && let Some(found) = homes.get(reg as usize).copied().flatten()
                    {
                        *home = found;
                    }
                }
            }
        }
    }
    rewrite(insts, labels, &homes);
    cells
}

/// The blocks, and where control goes behind each. Nothing is live yet.
pub(super) fn basic_blocks(insts: &[Inst], labels: &[usize], n_regs: u32) -> Vec<BasicBlock> {
    let mut starts = vec![false; insts.len() + 1];
    starts[0] = true;
    for (at, inst) in insts.iter().enumerate() {
        if is_jump(inst) {
            starts[labels[inst.target as usize]] = true;
        }
        if is_jump(inst) || inst.op == Op::Return {
            starts[at + 1] = true;
        }
    }
    let starts: Vec<usize> = (0..insts.len()).filter(|&at| starts[at]).collect();
    let number = |at: usize| starts.binary_search(&at).ok();
    let mut blocks: Vec<BasicBlock> = Vec::with_capacity(starts.len());
    for (idx, &start) in starts.iter().enumerate() {
        let end = starts.get(idx + 1).copied().unwrap_or(insts.len());
        let last = &insts[end - 1];
        let mut successors = Vec::new();
        if is_jump(last) {
            successors.extend(number(labels[last.target as usize]));
        }
        if last.falls_through() {
            successors.extend(number(end));
        }
        let none = Bits::new(n_regs as usize);
        let (live_in, live_out) = (none.clone(), none);
        blocks.push(BasicBlock { start, end, successors, live_in, live_out });
    }
    blocks
}

fn liveness(insts: &[Inst], labels: &[usize], n_regs: u32) -> Vec<BasicBlock> {
    let mut blocks = basic_blocks(insts, labels, n_regs);
    loop {
        let mut changed = false;
        for idx in (0..blocks.len()).rev() {
            let mut live = blocks[idx].live_out.clone();
            for &next in &blocks[idx].successors {
                live.join(&blocks[next].live_in);
            }
            blocks[idx].live_out = live.clone();
            for inst in insts[blocks[idx].start..blocks[idx].end].iter().rev() {
                backwards(inst, &mut live);
            }
            changed |= live != blocks[idx].live_in;
            blocks[idx].live_in = live;
        }
        if !changed {
            return blocks;
        }
    }
}

/// What is live before the instruction, of what is live behind it.
pub(super) fn backwards(inst: &Inst, live: &mut Bits) {
    if let Some(d) = inst.d {
        live.remove(d.0 as usize);
    }
    inst.reads().for_each(|reg| live.insert(reg.0 as usize));
}

/// Leaves out results that nobody reads.
fn eliminate_dead_code(insts: &mut Vec<Inst>, labels: &mut [usize], blocks: &[BasicBlock]) {
    let mut kept: Vec<Option<Inst>> = std::mem::take(insts).into_iter().map(Some).collect();
    for block in blocks {
        let mut live = block.live_out.clone();
        for place in kept[block.start..block.end].iter_mut().rev() {
            let Some(inst) = place else { continue };
            let is_read = inst.d.is_none_or(|d| d.0 < REGISTERS || live.contains(d.0 as usize));
            if inst.is_pure() && !is_read {
                *place = None;
                continue;
            }
            backwards(inst, &mut live);
        }
    }
    *insts = keep(kept, labels);
}

/// From where to where each register is live.
fn intervals(insts: &[Inst], blocks: &[BasicBlock], n_regs: u32) -> Vec<Option<(usize, usize)>> {
    let mut intervals: Vec<Option<(usize, usize)>> = vec![None; n_regs as usize];
    let mut live_at = |reg: usize, at: usize| {
        let interval = &mut intervals[reg];
        let (start, end) = interval.unwrap_or((at, at));
        *interval = Some((start.min(at), end.max(at)));
    };
    for block in blocks {
        block.live_in.iter().for_each(|reg| live_at(reg, block.start));
        block.live_out.iter().for_each(|reg| live_at(reg, block.end));
        for (at, inst) in insts.iter().enumerate().take(block.end).skip(block.start) {
            inst.reads().for_each(|reg| live_at(reg.0 as usize, at));
            // A result is not read before the next instruction.
            if let Some(d) = inst.d {
                live_at(d.0 as usize, at);
                live_at(d.0 as usize, at + 1);
            }
        }
    }
    intervals
}

/// Where each virtual register goes.
fn linear_scan(intervals: &[Option<(usize, usize)>], taken: u32) -> (Vec<Option<Home>>, u32) {
    let mut homes = vec![None; intervals.len()];
    let mut waiting: Vec<(usize, usize, usize)> = intervals
        .iter()
        .enumerate()
        .skip(REGISTERS as usize)
        .filter_map(|(reg, interval)| interval.map(|(start, end)| (start, end, reg)))
        .collect();
    waiting.sort_unstable();
    let mut free: Vec<u32> = (0..SHARED).rev().collect();
    let mut active: Vec<(usize, usize, u32)> = Vec::new();
    let mut cells = taken;
    for (start, end, reg) in waiting {
        active.retain(|&(last, _, at)| {
            if last < start {
                free.push(at);
            }
            last >= start
        });
        let mut own = (end, reg);
        let at = match free.pop() {
            Some(at) => Some(at),
            None => {
                let longest = active.iter_mut().max_by_key(|(last, _, _)| *last);
                longest.filter(|(last, _, _)| *last > end).map(|longest| {
                    let (last, other, at) = *longest;
                    own = (last, other);
                    *longest = (end, reg, at);
                    homes[reg] = Some(Home::Register(at));
                    at
                })
            }
        };
        match at {
            Some(at) if own.1 == reg => {
                homes[reg] = Some(Home::Register(at));
                active.push((end, reg, at));
            }
            Some(_) | None => {
                homes[own.1] = Some(Home::Cell(cells));
                cells += 1;
            }
        }
    }
    (homes, cells)
}

/// Names the registers of the device; what lies in a cell is fetched and put back.
fn rewrite(insts: &mut Vec<Inst>, labels: &mut [usize], homes: &[Option<Home>]) {
    let mut moved = Vec::with_capacity(insts.len() + 1);
    let mut done: Vec<Inst> = Vec::with_capacity(insts.len());
    for mut inst in std::mem::take(insts) {
        moved.push(done.len());
        let loc = inst.loc;
        let home = |reg: Reg| homes.get(reg.0 as usize).copied().flatten();
        for (operand, scratch) in [&mut inst.a, &mut inst.b, &mut inst.c].into_iter().zip(SCRATCH) {
            match operand.and_then(home) {
                Some(Home::Register(at)) => *operand = Some(Reg(at)),
                Some(Home::Cell(cell)) => {
                    let mut fill = Inst::new(Op::Fill, loc);
                    (fill.d, fill.imm) = (Some(Reg(scratch)), i64::from(cell));
                    done.push(fill);
                    *operand = Some(Reg(scratch));
                }
                None => {}
            }
        }
        inst.observed.clear();
        let mut behind = None;
        match inst.d.and_then(home) {
            Some(Home::Register(at)) => inst.d = Some(Reg(at)),
            Some(Home::Cell(cell)) => {
                let mut spill = Inst::new(Op::Spill, loc);
                (spill.a, spill.imm) = (Some(Reg(SCRATCH[3])), i64::from(cell));
                inst.d = Some(Reg(SCRATCH[3]));
                // The cell is filled before control goes elsewhere.
                behind = Some((spill, inst.split()));
            }
            None => {}
        }
        done.push(inst);
        if let Some((spill, decision)) = behind {
            done.push(spill);
            done.extend(decision);
        }
    }
    moved.push(done.len());
    for label in labels {
        *label = moved.get(*label).copied().unwrap_or(usize::MAX);
    }
    *insts = done;
}
