//! The compiler from SIR to register code, routine by routine.
//!
//! * `builder`: instructions over any number of registers, labels; `sites`: what the host has to
//!   know of them; `control`, `parallel`, `calls`, `lines`, `planes`, `operations`, `sizes`,
//!   `checks`, `handles`: a statement each.
//! * `facts`: what is surely set needs no flag and no shape; `forward`: lines take what other lines
//!   were made of; `objects`: stores that nobody sees; `invariants`: sizes go in front of loops;
//!   `peephole`: fewer instructions; `registers`: liveness, what nobody reads, registers and cells;
//!   `sync`: where threads have to wait for each other; `dataflow`: what holds on all paths, for
//!   `forward` and `peephole`.
//!
//! Note [Variables]. A number, truth value or text is a register, and so is whether it was set, as
//! 0 or 1; texts are numbers into a list. A slice, word or table is an object, and whether it was
//! set is in its descriptor.
//!
//! A handle is as many tables as there are parts in the program, those that it does not hold unset.
//! It holds parts of one module only, so that these say which one.
//!
//! Note [Values that outlive a stop]. A trap shows variables and leaves the caller's; the host
//! finds them by the site of the instruction, which says for each number where it is. So they are
//! live there, as SIR's observation says.

mod bits;
mod builder;
mod calls;
mod checks;
mod columns;
mod control;
mod dataflow;
mod facts;
mod forward;
mod handles;
mod invariants;
mod lift;
mod lines;
mod objects;
mod operations;
mod parallel;
mod peephole;
mod planes;
mod registers;
mod sites;
mod sizes;
mod sync;

use std::collections::BTreeMap;
use std::sync::Arc;

use star_base::Intrinsic;
use star_ir::{
    Check, HandlePart, LocId, Mode, Operand, PrintItem, Program, ReductionOp, Routine, RoutineId,
    Sense, Ty, VarId, visit,
};
use star_shaders::layout::{REGISTERS, STAGING, flag};
use star_value::BitVector;
use star_vm::explain::Subject;

use crate::code::{Inst, Object};
use crate::fuse::{self, Fused};
use crate::grid::LeastBits;
use crate::lift::{self as lifts, Lifted};

pub(crate) use builder::Builder;

/// A routine as register code. Jumps lead to instructions of the routine, counted from 0.
#[derive(Clone, Debug)]
pub(crate) struct RoutineCode {
    pub(crate) insts: Vec<Inst>,
    /// For each object the flags that it begins with.
    pub(crate) objects: Vec<u32>,
    /// For each variable its object, if it is one; of a handle the one of the first part.
    pub(crate) object_of: Vec<Option<Object>>,
    /// Cells of the frame, for numbers without a register.
    pub(crate) cells: u32,
    pub(crate) sites: Vec<Site>,
    /// The routines that it calls.
    pub(crate) callees: Vec<RoutineId>,
    /// What the instructions of a profile count, by their numbers in the routine.
    pub(crate) counters: Vec<Counter>,
}

/// What an instruction of a profile is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counter {
    /// How often something at this place began.
    Runs(LocId),
    /// So many operations, counted at this place.
    Cost(LocId, u64),
    /// The line of a call.
    Line(LocId),
    /// A routine that is called.
    Routine(RoutineId),
}

/// What the host has to know of an instruction.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub(crate) kind: SiteKind,
    /// Where numbers are that somebody may ask for here; none are of variables that are unset.
    pub(crate) numbers: Vec<(VarId, Number)>,
    /// The objects that the guard looks at for variables of which the code around it has its own.
    pub(crate) objects: BTreeMap<VarId, Object>,
    /// All objects that the host may look at here, or change.
    pub(crate) objects_seen: Vec<Object>,
}

/// What an instruction stops for.
#[derive(Clone, Debug)]
pub(crate) enum SiteKind {
    /// A guard.
    Check(Check),
    /// The size of what a call brought back.
    Returned(VarId),
    /// A call; `lent` are the numbers that are lent, parameter and variable.
    Call { lent: Vec<(VarId, VarId)> },
    /// `print`.
    Print(Vec<PrintItem>),
    /// `read`.
    Read { dst: VarId, file: Operand, layout: Option<Operand> },
    /// `write`.
    Write { src: VarId, file: Operand },
    /// A word is combined with those of other processes.
    Exchange { word: VarId, op: ReductionOp },
    /// A loop begins that may run as kernels; its results go through cells from this one on.
    Lifted(Arc<Lifted>, u32),
    /// A run of operations on slices begins that may be a kernel; its results go through cells from
    /// this one on.
    Fused(Arc<Fused>, u32),
    /// MIN or MAX, which may be kernels.
    Extreme(Extreme),
    /// Columns of the second become columns of the first, perhaps by a copy of the device: behind
    /// the columns in `a` and `b` of the instruction, as many as `c` says.
    Copied(Object, Object),
    /// The routine begins. If the intrinsic takes the call, the numbers that it returns are in the
    /// cells after [`passed_cells`].
    Intrinsic(Intrinsic),
    /// Steps are counted.
    Count,
}

/// MIN or MAX of the rows of a table that are marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extreme {
    pub(crate) dst: VarId,
    pub(crate) table: VarId,
    pub(crate) mask: VarId,
    pub(crate) sense: Sense,
}

impl SiteKind {
    /// What may run over the grid there, in words.
    pub(crate) fn on_grid(&self) -> Option<(Subject, String)> {
        match self {
            SiteKind::Intrinsic(intrinsic) => {
                let form = format!("intrinsic `{intrinsic}`: kernels over the grid");
                Some((Subject::Intrinsic, form))
            }
            SiteKind::Lifted(lifted, _) => {
                let kernels = match lifted.pivots {
                    Some(_) => {
                        "a kernel over the grid for every few pivots, and one before the first"
                    }
                    None => "one kernel over the grid",
                };
                let form = format!("{kernels}; a word for each line is read back at the end");
                Some((Subject::Loop, form))
            }
            SiteKind::Fused(fused, _) => {
                let n = fused.n_operations();
                let form = match n {
                    1 => "one kernel over the grid for an operation on slices".to_owned(),
                    n => format!("one kernel over the grid for {n} operations on slices"),
                };
                Some((Subject::Slices, form))
            }
            SiteKind::Extreme(_) => {
                let form =
                    "kernels over the grid: one over all columns, then the least of all blocks";
                Some((Subject::Slices, form.to_owned()))
            }
            // A copy is no kernel.
            _ => None,
        }
    }
}

/// A number at a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Number {
    pub(crate) at: Home,
    /// Where it is said whether it is set; `None` if it surely is.
    pub(crate) flag: Option<Home>,
}

/// Where a number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    Register(u32),
    Cell(u32),
}

/// The constants of a program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Constants {
    /// Texts by their numbers.
    pub(crate) texts: Vec<Arc<str>>,
    /// Words of bits.
    pub(crate) limbs: Vec<u32>,
}

impl Constants {
    /// The number of a text.
    pub(crate) fn text(&mut self, text: &Arc<str>) -> usize {
        match self.texts.iter().position(|known| known == text) {
            Some(number) => number,
            None => {
                self.texts.push(Arc::clone(text));
                self.texts.len() - 1
            }
        }
    }

    /// Where the limbs of constant bits begin.
    fn bits(&mut self, bits: &BitVector) -> usize {
        let at = self.limbs.len();
        self.limbs.extend(words_of(bits.limbs()));
        at
    }
}

/// Limbs of the host as words of the device.
pub(crate) fn words_of(limbs: &[u64]) -> impl Iterator<Item = u32> + '_ {
    limbs.iter().flat_map(|&limb| [limb as u32, (limb >> 32) as u32])
}

/// What the device has no code for, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unsupported(pub(crate) String);

/// How routines are compiled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choices {
    /// Steps are counted one by one, so that the variables of the caller are looked at wherever
    /// they are.
    pub(crate) counts_steps: bool,
    /// Routines with an intrinsic of the backend ask for it.
    pub(crate) intrinsics: bool,
    /// Loops with pivots, and single dispatches, run over a grid if their tables have at least this
    /// number of bits.
    pub(crate) lifts: Option<LeastBits>,
    /// Lines and routines are charged.
    pub(crate) profiles: bool,
}

/// What routines are compiled of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'p> {
    pub(crate) program: &'p Program,
    /// All parts that handles may hold.
    pub(crate) parts: &'p [HandlePart],
    pub(crate) choices: Choices,
}

/// The code of one routine.
///
/// # Errors
/// What in it the device has no code for.
pub(crate) fn compile(
    source: Source<'_>,
    id: RoutineId,
    constants: &mut Constants,
) -> Result<RoutineCode, Unsupported> {
    let routine = source.program.routine(id);
    let mut builder = Builder::new(source, id, constants);
    if source.choices.lifts.is_some() {
        builder.lifted = lifts::find(source.program, id);
        builder.fused = fuse::find(source.program, id, &builder.lifted);
    }
    builder.routine()?;
    let passed = passed_cells(routine) + builder.result_cells;
    let Builder { mut insts, mut labels, n_regs, objects, object_of, mut sites, .. } = builder;
    let (callees, counters) = (builder.callees, builder.counters);
    let tracked = facts::Tracked::new(routine, &object_of, source.parts.len());
    facts::apply(&tracked, &mut insts, &mut labels, &mut sites);
    let first = REGISTERS + 2 * routine.vars.len() as u32;
    peephole::reuse(&mut insts, &mut labels, first, n_regs);
    let own = |var| objects_at(routine, &object_of, source.parts.len(), var);
    let outside = objects::Outside::new(routine, own, &sites);
    forward::substitute(&outside, &mut insts, &mut labels);
    outside.eliminate_dead_stores(&mut insts, &mut labels);
    let temporaries = peephole::Temporaries::new(&insts, first, n_regs);
    invariants::hoist(&outside, &mut insts, &mut labels, &temporaries);
    peephole::reuse(&mut insts, &mut labels, first, n_regs);
    let cells = registers::allocate(&mut insts, &mut labels, (n_regs, passed), &mut sites);
    sync::place(&mut insts, &labels);
    for inst in &mut insts {
        if inst.target != crate::code::NO_TARGET && inst.op != star_shaders::Op::Call {
            inst.target = labels[inst.target as usize] as u32;
        }
    }
    Ok(RoutineCode { insts, objects, object_of, cells, sites, callees, counters })
}

/// The objects of a routine's variables in their order, and the flags that each begins with.
pub(crate) fn objects_of(routine: &Routine, n_parts: usize) -> (Vec<Option<Object>>, Vec<u32>) {
    let mut flags = Vec::new();
    let object_of = routine.vars.iter().map(|var| {
        let own = flags.len() as u32;
        match var.ty {
            Ty::Int | Ty::Bool | Ty::Str => return None,
            Ty::Handle => flags.resize(flags.len() + n_parts, 0),
            Ty::Slice(_) | Ty::Word(_) | Ty::Table(..) => {
                flags.push(if var.sized { flag::FIXED } else { 0 });
            }
        }
        Some(Object(own))
    });
    (object_of.collect(), flags)
}

/// The objects of a variable: one for each part of a handle, else its own; none of a number.
pub(crate) fn objects_at(
    routine: &Routine,
    object_of: &[Option<Object>],
    n_parts: usize,
    var: VarId,
) -> Vec<Object> {
    let n = if routine.var(var).ty == Ty::Handle { n_parts } else { 1 };
    let first = object_of[var.0 as usize].map(|object| object.0);
    first.into_iter().flat_map(|first| (first..first + n as u32).map(Object)).collect()
}

/// Where a number of this place is while it goes into a call or out of it: a register, or a cell in
/// the frame of the routine that is called.
pub(crate) fn staged(place: u32) -> Home {
    match STAGING + place {
        register if register < REGISTERS => Home::Register(register),
        beyond => Home::Cell(beyond - REGISTERS),
    }
}

/// Cells for the numbers of a call that have no register.
pub(crate) fn passed_cells(routine: &Routine) -> u32 {
    let numbers = || numbers_of(routine).map(|(_, _, mode)| mode);
    let into: u32 = numbers().map(|mode| if mode == Mode::Ref { 2 } else { 1 }).sum();
    let out = 2 * numbers().filter(|mode| *mode == Mode::Ref).count() as u32 + 1;
    (STAGING + into.max(out)).saturating_sub(REGISTERS)
}

/// Does the routine change its parameter, so that it needs one of its own?
pub(crate) fn changes(routine: &Routine, param: VarId) -> bool {
    let mut changes = false;
    visit::walk(&routine.body, &mut |stmt| {
        visit::accesses(&stmt.kind, &mut |var, access| changes |= var == param && access.writes());
    });
    changes
}

/// The numbers that go into a call, parameter by parameter, and whether each comes back, too.
pub(crate) fn numbers_of(routine: &Routine) -> impl Iterator<Item = (usize, VarId, Mode)> + '_ {
    let params = routine.params.iter().enumerate();
    params
        .filter(|(_, param)| is_number(routine.var(param.var).ty))
        .map(|(at, it)| (at, it.var, it.mode))
}

/// The numbers that a routine returns: `var` parameters, then the value of a function.
pub(crate) fn results_of(routine: &Routine) -> Vec<VarId> {
    let params = numbers_of(routine).filter(|(_, _, mode)| *mode == Mode::Ref);
    let value = routine.result.filter(|result| is_number(routine.var(*result).ty));
    params.map(|(_, var, _)| var).chain(value).collect()
}

/// Is it a number to the device: an integer, a truth value or a text?
pub(crate) fn is_number(ty: Ty) -> bool {
    match ty {
        Ty::Int | Ty::Bool | Ty::Str => true,
        Ty::Slice(_) | Ty::Word(_) | Ty::Table(..) | Ty::Handle => false,
    }
}
