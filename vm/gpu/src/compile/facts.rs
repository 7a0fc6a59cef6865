//! What is surely set, or surely not: flags that nobody has to look at, shapes that an object has
//! already.
//!
//! A forward analysis over the instructions: for each variable whether it may be set and whether it
//! may be unset. An object whose extents are constants, or variables that are assigned once, keeps
//! its size for as long as it is set.

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

    /// What the instruction does to what is known.
    fn transfer(&self, inst: &Inst, state: &mut Vec<u8>) {
        if let Some(place) = inst.d.and_then(|d| self.flag(d)) {
            state[place] = match (inst.op, inst.imm) {
                (Op::Load, 0) => UNSET,
                (Op::Load, _) => SET,
                _ => SET | UNSET,
            };
        }
        let mut put = |object: Option<Object>, known: u8| {
            if let Some(object) = object {
                let place = self.object(object);
                if place >= state.len() {
                    state.resize(place + 1, SET | UNSET);
                }
                state[place] = known;
            }
        };
        match inst.op {
            Op::Shape | Op::ShapeLike | Op::Take | Op::Host => put(inst.x, SET),
            Op::Unset => put(inst.x, UNSET),
            Op::Fix => put(inst.x, UNSET | SIZED),
            Op::Give => put(inst.y, UNSET),
            Op::Lend if inst.imm != 0 => put(inst.y, SET | UNSET),
            _ => {}
        }
    }

    fn known(&self, state: &[u8], object: Object) -> u8 {
        state.get(self.object(object)).copied().unwrap_or(SET | UNSET)
    }
}

/// What is known before each instruction; `None` where control does not come.
fn states(tracked: &Tracked, insts: &[Inst], labels: &[usize]) -> Vec<Option<Vec<u8>>> {
    let mut states: Vec<Option<Vec<u8>>> = vec![None; insts.len()];
    // Registers hold nothing before they are loaded, at the begin of the routine.
    let mut first = vec![SET | UNSET; tracked.n_vars];
    first.extend(&tracked.initial);
    let mut work = vec![(0, first)];
    while let Some((mut at, mut state)) = work.pop() {
        while let Some(inst) = insts.get(at) {
            let known = &mut states[at];
            let changed = match known {
                None => {
                    *known = Some(state.clone());
                    true
                }
                Some(known) => {
                    let len = known.len().max(state.len());
                    known.resize(len, SET | UNSET);
                    state.resize(len, SET | UNSET);
                    let mut changed = false;
                    for (known, new) in known.iter_mut().zip(&mut state) {
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
            tracked.transfer(inst, &mut state);
            match inst.op {
                Op::Jump => at = labels[inst.target as usize],
                Op::Return => break,
                _ if is_jump(inst) => {
                    work.push((labels[inst.target as usize], state.clone()));
                    at += 1;
                }
                _ => at += 1,
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
        let states = states(tracked, insts, labels);
        let mut is_target = vec![false; insts.len() + 1];
        for inst in insts.iter().filter(|inst| is_jump(inst)) {
            is_target[labels[inst.target as usize]] = true;
        }
        let mut kept: Vec<Option<Inst>> = Vec::with_capacity(insts.len());
        for (at, (inst, state)) in std::mem::take(insts).into_iter().zip(states).enumerate() {
            let last = if is_target[at] { None } else { kept.last().and_then(Option::as_ref) };
            kept.push(state.and_then(|state| simplified(tracked, inst, &state, last, sites)));
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
