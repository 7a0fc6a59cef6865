//! Removal of tests of flags and of shapes whose results are known.
//!
//! A forward dataflow analysis finds for each variable whether it may be set and whether it may be
//! unset. An object whose extents are constants, or variables that are assigned once, keeps its
//! size while it is set.

use std::collections::BTreeSet;

use star_ir::{Extent, Mode, Routine, Ty};
use star_shaders::Op;
use star_shaders::layout::{REGISTERS, measure};

use super::{Home, Site};
use crate::code::{Inst, NO_TARGET, Object, Reg};

const UNSET: u8 = 1;
const SET: u8 = 2;
/// Unset, with a size that is known.
const SIZED: u8 = 4;

/// The variables that are looked at: the numbers by their own numbers, then the objects.
pub(super) struct Tracked {
    n_vars: usize,
    /// For each object: set when the routine begins?
    initial: Vec<u8>,
    /// For each object: has it one size as long as it is set?
    is_static: Vec<bool>,
}

impl Tracked {
    pub(super) fn new(routine: &Routine, object_of: &[Option<Object>], n_parts: usize) -> Self {
        let size_of = |ty: Ty| match ty {
            Ty::Int | Ty::Bool | Ty::Str => 0,
            Ty::Slice(_) | Ty::Word(_) | Ty::Table(..) => 1,
            Ty::Handle => n_parts,
        };
        let n_objects = routine.vars.iter().map(|var| size_of(var.ty)).sum();
        let (mut initial, mut is_static) = (vec![UNSET; n_objects], vec![false; n_objects]);
        for (var, object) in routine.vars.iter().zip(object_of) {
            if let Some(object) = object {
                let fixed = |extent: Extent| !matches!(extent, Extent::Dynamic);
                let has_one_size = match var.ty {
                    Ty::Slice(n) | Ty::Word(n) => fixed(n),
                    Ty::Table(rows, columns) => fixed(rows) && fixed(columns),
                    Ty::Int | Ty::Bool | Ty::Str | Ty::Handle => false,
                };
                let own = object.0 as usize..object.0 as usize + size_of(var.ty);
                is_static[own].fill(has_one_size);
            }
        }
        for param in &routine.params {
            if let Some(object) = object_of[param.var.0 as usize] {
                let ty = routine.var(param.var).ty;
                let own = object.0 as usize..object.0 as usize + size_of(ty);
                // A handle may hold any of its parts.
                let is_set = param.mode == Mode::Value && ty != Ty::Handle;
                initial[own.clone()].fill(if is_set { SET } else { SET | UNSET });
                // What comes from outside has its size checked only behind the header.
                is_static[own].fill(false);
            }
        }
        Tracked { n_vars: routine.vars.len(), initial, is_static }
    }

    /// The place of a register that says whether a variable is set.
    fn flag(&self, reg: Reg) -> Option<usize> {
        let place = reg.0.checked_sub(REGISTERS)? as usize;
        (place % 2 == 1 && place / 2 < self.n_vars).then_some(place / 2)
    }

    fn object(&self, object: Object) -> usize {
        self.n_vars + object.0 as usize
    }

    /// Returns the places whose state the instruction changes, with the new states.
    fn changes(&self, inst: &Inst) -> [Option<(usize, u8)>; 2] {
        let flag = inst.d.and_then(|d| self.flag(d)).map(|place| {
            let known = match (inst.op, inst.imm) {
                (Op::Load, 0) => UNSET,
                (Op::Load, _) => SET,
                _ => SET | UNSET,
            };
            (place, known)
        });
        let (object, known) = match inst.op {
            Op::Shape | Op::ShapeLike | Op::Take | Op::Host => (inst.x, SET),
            Op::Unset => (inst.x, UNSET),
            Op::Fix => (inst.x, UNSET | SIZED),
            Op::Give => (inst.y, UNSET),
            Op::Lend if inst.imm != 0 => (inst.y, SET | UNSET),
            _ => (None, 0),
        };
        [flag, object.map(|object| (self.object(object), known))]
    }

    fn known(&self, state: &[u8], object: Object) -> u8 {
        state.get(self.object(object)).copied().unwrap_or(SET | UNSET)
    }
}

/// Applies changes to a state.
fn change(state: &mut Vec<u8>, changes: [Option<(usize, u8)>; 2]) {
    for (place, known) in changes.into_iter().flatten() {
        if place >= state.len() {
            state.resize(place + 1, SET | UNSET);
        }
        state[place] = known;
    }
}

/// Merges a state into that of a position; returns whether the latter changes.
fn merge(known: &mut Option<Vec<u8>>, state: &[u8]) -> bool {
    let Some(known) = known else {
        *known = Some(state.to_vec());
        return true;
    };
    // What a state does not mention may be set or not.
    let n_before = known.len();
    known.resize(n_before.max(state.len()), SET | UNSET);
    let mut changed = false;
    for (place, known) in known.iter_mut().enumerate() {
        let merged = *known | state.get(place).copied().unwrap_or(SET | UNSET);
        changed |= merged != *known;
        *known = merged;
    }
    changed
}

/// Returns the state at the begin and at each jump target; `None` elsewhere, and where control does
/// not come. Positions are processed in their order, so that the paths that meet at one are merged
/// before it is passed.
fn states(
    tracked: &Tracked,
    insts: &[Inst],
    labels: &[usize],
    is_target: &[bool],
) -> Vec<Option<Vec<u8>>> {
    let mut states: Vec<Option<Vec<u8>>> = vec![None; insts.len() + 1];
    // Registers hold nothing before they are loaded, at the begin of the routine.
    let mut first = vec![SET | UNSET; tracked.n_vars];
    first.extend(&tracked.initial);
    states[0] = Some(first);
    let mut pending = BTreeSet::from([0]);
    while let Some(begin) = pending.pop_first() {
        let Some(mut state) = states[begin].clone() else { continue };
        let mut at = begin;
        while let Some(inst) = insts.get(at) {
            change(&mut state, tracked.changes(inst));
            let target = is_jump(inst).then(|| labels[inst.target as usize]);
            if let Some(target) = target
                && merge(&mut states[target], &state)
            {
                pending.insert(target);
            }
            at += 1;
            if matches!(inst.op, Op::Jump | Op::Return) {
                break;
            }
            if is_target[at] {
                if merge(&mut states[at], &state) {
                    pending.insert(at);
                }
                break;
            }
        }
    }
    states
}

/// Leaves out what is known.
pub(super) fn apply(
    tracked: &Tracked,
    insts: &mut Vec<Inst>,
    labels: &mut [usize],
    sites: &mut [Site],
) {
    // What is left out may leave other code behind where control does not come.
    for _ in 0..2 {
        let mut is_target = vec![false; insts.len() + 1];
        for inst in insts.iter().filter(|inst| is_jump(inst)) {
            is_target[labels[inst.target as usize]] = true;
        }
        let mut states = states(tracked, insts, labels, &is_target);
        let mut state = states[0].take();
        let mut kept: Vec<Option<Inst>> = Vec::with_capacity(insts.len());
        for (at, inst) in std::mem::take(insts).into_iter().enumerate() {
            if is_target[at] && at > 0 {
                state = states[at].take();
            }
            let Some(known) = &mut state else {
                kept.push(None);
                continue;
            };
            let last = if is_target[at] { None } else { kept.last().and_then(Option::as_ref) };
            let (changes, is_end) =
                (tracked.changes(&inst), matches!(inst.op, Op::Jump | Op::Return));
            kept.push(simplified(tracked, inst, known, last, sites));
            change(known, changes);
            if is_end {
                state = None;
            }
        }
        *insts = keep(kept, labels);
    }
}

/// The instruction without what is known; `None` if nothing is left of it.
fn simplified(
    tracked: &Tracked,
    mut inst: Inst,
    state: &[u8],
    last: Option<&Inst>,
    sites: &mut [Site],
) -> Option<Inst> {
    if let Some(site) = inst.site {
        let numbers = &mut sites[site as usize].numbers;
        let observed = &mut inst.observed;
        numbers.retain_mut(|(_, number)| {
            let Some(Home::Register(flag)) = number.flag else { return true };
            let Some(place) = tracked.flag(Reg(flag)) else { return true };
            if state[place] == SET {
                number.flag = None;
                observed.retain(|reg| reg.0 != flag);
            } else if state[place] == UNSET {
                observed.retain(|reg| reg.0 != flag && Home::Register(reg.0) != number.at);
            }
            state[place] != UNSET
        });
    }
    if inst.op == Op::Show
        && let Some(place) = inst.b.and_then(|b| tracked.flag(b))
        && state[place] == SET
    {
        inst.b = None;
    }
    let loaded = |inst: &Inst, imm: i64| {
        let mut load = Inst::new(Op::Load, inst.loc);
        (load.d, load.imm) = (inst.d, imm);
        Some(load)
    };
    // The value of the first operand, if it is known to be 0 or not to be.
    let operand = inst.a.and_then(|a| match tracked.flag(a) {
        Some(place) if state[place] == SET => Some(1),
        Some(place) if state[place] == UNSET => Some(0),
        Some(_) => None,
        None => last.filter(|last| last.op == Op::Load && last.d == Some(a)).map(|last| last.imm),
    });
    match (inst.op, operand) {
        (Op::Shape | Op::ShapeLike, _) => {
            let object = inst.x?;
            let place = object.0 as usize;
            let keeps = tracked.is_static.get(place).copied().unwrap_or(false);
            (!(keeps && tracked.known(state, object) == SET)).then_some(inst)
        }
        (Op::Unset, _) if tracked.known(state, inst.x?) == UNSET => None,
        (Op::Size, _) => {
            let known = tracked.known(state, inst.y?);
            let asks = inst.imm == i64::from(measure::SET) || inst.imm == i64::from(measure::KNOWN);
            match known {
                SET if asks => loaded(&inst, 1),
                UNSET if inst.imm == i64::from(measure::SET) => loaded(&inst, 0),
                _ => Some(inst),
            }
        }
        (Op::TrapZero | Op::JumpZero, Some(known)) if known != 0 => None,
        (Op::TrapNonzero | Op::JumpNonzero, Some(0)) => None,
        (Op::JumpZero | Op::JumpNonzero, Some(_)) => {
            let mut jump = Inst::new(Op::Jump, inst.loc);
            jump.target = inst.target;
            Some(jump)
        }
        (Op::Move, Some(known)) if inst.a.is_some_and(|a| tracked.flag(a).is_some()) => {
            loaded(&inst, known)
        }
        _ => Some(inst),
    }
}

pub(super) fn is_jump(inst: &Inst) -> bool {
    inst.target != NO_TARGET && inst.op != Op::Call
}

/// The instructions that are left; labels move along.
pub(super) fn keep(insts: Vec<Option<Inst>>, labels: &mut [usize]) -> Vec<Inst> {
    let mut moved = Vec::with_capacity(insts.len() + 1);
    let mut kept = Vec::with_capacity(insts.len());
    for inst in insts {
        moved.push(kept.len());
        kept.extend(inst);
    }
    moved.push(kept.len());
    for label in labels {
        *label = moved.get(*label).copied().unwrap_or(usize::MAX);
    }
    kept
}
