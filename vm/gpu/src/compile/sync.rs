//! Where threads wait for each other.
//!
//! A thread owns every limb whose place in its line is its own number modulo the threads: what
//! stays there needs no barrier. What crosses limbs stands between barriers: an access that some
//! thread makes to limbs of others waits for theirs. Routines begin and end with a barrier, and so
//! does whatever touches frames.

use star_shaders::{Generator, Op, Reduce};

use super::facts::is_jump;
use crate::code::{Inst, Object};

const OWN_READ: u8 = 1;
const OWN_WRITE: u8 = 2;
const CROSS_READ: u8 = 4;
const CROSS_WRITE: u8 = 8;

/// Marks the instructions that need a barrier in front.
pub(super) fn place(insts: &mut [Inst], labels: &[usize]) {
    let n_objects =
        insts.iter().flat_map(|inst| [inst.x, inst.y, inst.z, inst.w, inst.v]).flatten();
    let n_objects = n_objects.map(|object| object.0 as usize + 1).max().unwrap_or(0);
    let mut before: Vec<Option<Vec<u8>>> = vec![None; insts.len()];
    let mut work = vec![(0, vec![0; n_objects])];
    while let Some((mut at, mut pending)) = work.pop() {
        while at < insts.len() {
            let changed = match &mut before[at] {
                None => {
                    before[at] = Some(pending.clone());
                    true
                }
                Some(known) => {
                    let mut changed = false;
                    for (known, new) in known.iter_mut().zip(&mut pending) {
                        changed |= *known | *new != *known;
                        *known |= *new;
                        *new = *known;
                    }
                    changed
                }
            };
            if !changed {
                break;
            }
            let inst = &mut insts[at];
            let accesses = accesses(inst);
            if accesses.iter().any(|&(object, access)| conflict(pending[object.0 as usize], access))
            {
                inst.sync = true;
            }
            if inst.sync || is_barrier(inst.op) {
                pending.fill(0);
            }
            for (object, access) in accesses {
                pending[object.0 as usize] |= access;
            }
            if is_jump(inst) {
                work.push((labels[inst.target as usize], pending.clone()));
            }
            if !inst.falls_through() {
                break;
            }
            at += 1;
        }
    }
}

fn conflict(pending: u8, access: u8) -> bool {
    let writes = OWN_WRITE | CROSS_WRITE;
    let crosses = CROSS_READ | CROSS_WRITE;
    (pending & writes != 0 && access & crosses != 0)
        || (pending & crosses != 0 && access & writes != 0)
        || (pending & CROSS_WRITE != 0 && access != 0)
        || (pending != 0 && access & CROSS_WRITE != 0)
}

/// Does it wait by itself?
fn is_barrier(op: Op) -> bool {
    matches!(
        op,
        Op::Unset
            | Op::Fix
            | Op::Spill
            | Op::Pass
            | Op::Prepare
            | Op::Lend
            | Op::Give
            | Op::Take
            | Op::Call
            | Op::Return
            | Op::Host
    )
}

/// What it does to the limbs of objects.
fn accesses(inst: &Inst) -> Vec<(Object, u8)> {
    let mut accesses = Vec::new();
    let mut add = |object: Option<Object>, access: u8| {
        accesses.extend(object.map(|object| (object, access)));
    };
    match inst.op {
        Op::Line => {
            let Some(line) = inst.line else { return accesses };
            let of_y = match line.generator {
                Generator::Logic => OWN_READ,
                Generator::Funnel
                | Generator::Rotate
                | Generator::Mirror
                | Generator::Shuffle
                | Generator::Row
                | Generator::Replace => CROSS_READ,
                Generator::Mask | Generator::Number | Generator::Literal => 0,
            };
            add(inst.y, of_y | if line.clears { OWN_WRITE } else { 0 });
            add(inst.z, OWN_READ);
            if line.stores {
                add(inst.x, OWN_WRITE | OWN_READ);
            }
            debug_assert!(line.stores || line.reduce != Reduce::Nothing);
        }
        Op::BitGet => add(inst.y, OWN_READ),
        Op::BitPut => add(inst.x, OWN_READ | OWN_WRITE),
        Op::RowPut => {
            add(inst.x, CROSS_READ | CROSS_WRITE);
            add(inst.y, CROSS_READ);
        }
        Op::WordAdd | Op::WordSub => {
            add(inst.y, CROSS_READ);
            add(inst.z, CROSS_READ);
            add(inst.x, CROSS_WRITE);
        }
        Op::Lines => {
            for of in [inst.y, inst.z, inst.w, inst.v] {
                add(of, CROSS_READ);
            }
            add(inst.x, CROSS_READ | CROSS_WRITE);
        }
        Op::WordToInt | Op::Show => add(inst.y, CROSS_READ),
        _ => {}
    }
    accesses
}
