//! A program as register code: routines compiled one by one, then linked for an entry.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use star_ir::{HandlePart, LocId, Operand, Program, RoutineId};
use star_shaders::Op;
use star_shaders::layout::{DESC_WORDS, FRAME_HEAD, descriptor, frame};
use star_vm::BackendError;
use star_vm::explain::{Became, Item, Subject};

use crate::code::{Inst, NO_TARGET};
use crate::compile::{
    self, Choices, Constants, Counter, RoutineCode, SiteKind, Source, Unsupported,
};

/// Routines as register code. Features for which the device has no code are detected here; they
/// matter only to an entry that reaches them.
#[derive(Debug)]
pub struct Code {
    pub(crate) program: Arc<Program>,
    parts: Arc<[HandlePart]>,
    pub(crate) routines: Vec<Result<RoutineCode, Unsupported>>,
    constants: Constants,
    profiles: bool,
}

/// Register code for an entry.
#[derive(Debug)]
pub struct Plan {
    pub(crate) program: Arc<Program>,
    pub(crate) entry: RoutineId,
    /// The possible parts of handles; each handle has an object for each of them.
    pub(crate) parts: Arc<[HandlePart]>,
    /// By routine number of the program; `None` for routines that are unreachable from the entry.
    pub(crate) routines: Vec<Option<Linked>>,
    pub(crate) constants: Constants,
    pub(crate) words: Vec<u32>,
    /// The counters of a profile, by the numbers in its instructions, and the routine of each.
    pub(crate) counters: Vec<(RoutineId, Counter)>,
    /// Whether it was compiled for a profile.
    pub(crate) profiles: bool,
    /// Whether it adds or subtracts words, which is done by one thread.
    pub(crate) has_serial: bool,
    /// Whether there is an instruction over lines.
    pub(crate) has_lines: bool,
    /// Maximum number of bytes of the constants in a printed line; `None` if nothing is printed.
    pub(crate) line_bytes: Option<u64>,
    /// Identifies the plan.
    pub(crate) number: u64,
}

/// A linked routine.
#[derive(Clone, Debug)]
pub(crate) struct Linked {
    pub(crate) id: RoutineId,
    pub(crate) code: RoutineCode,
    /// Its first instruction.
    pub(crate) base: u32,
}

impl Code {
    /// Creates the code of a program; `parts` are the possible parts of handles.
    pub(crate) fn new(program: Program, parts: Arc<[HandlePart]>, choices: Choices) -> Self {
        let mut constants = Constants::default();
        let ids = (0..program.routines.len()).map(|idx| RoutineId(idx as u32));
        let source = Source { program: &program, parts: &parts, choices };
        let routines = ids.map(|id| compile::compile(source, id, &mut constants)).collect();
        let profiles = choices.profiles;
        Code { program: Arc::new(program), parts, routines, constants, profiles }
    }

    /// Returns the code that is reachable from the entry.
    ///
    /// # Errors
    /// [`BackendError::Unsupported`] with the feature for which the device has no code, and its
    /// routine.
    pub(crate) fn link(&self, entry: RoutineId) -> Result<Plan, BackendError> {
        static NUMBER: AtomicU64 = AtomicU64::new(1);
        let mut routines: Vec<Option<Linked>> = vec![None; self.routines.len()];
        let mut work = vec![entry];
        let mut base = 0;
        while let Some(id) = work.pop() {
            let place = id.0 as usize;
            if routines[place].is_some() {
                continue;
            }
            let code = match &self.routines[place] {
                Ok(code) => code.clone(),
                Err(Unsupported(what)) => {
                    let name = &self.program.routine(id).name;
                    return Err(BackendError::Unsupported {
                        what: format!("{what} (in `{name}`)"),
                    });
                }
            };
            work.extend(&code.callees);
            let n_insts = code.insts.len() as u32;
            routines[place] = Some(Linked { id, code, base });
            base += n_insts;
        }
        let mut placed: Vec<&Linked> = routines.iter().flatten().collect();
        placed.sort_by_key(|linked| linked.base);
        let mut words = Vec::with_capacity(base as usize * 8);
        let (mut has_serial, mut has_lines, mut counters) = (false, false, Vec::new());
        for linked in placed {
            let first = counters.len() as i64;
            counters.extend(linked.code.counters.iter().map(|counter| (linked.id, *counter)));
            for inst in &linked.code.insts {
                let mut inst = inst.clone();
                has_serial |= matches!(inst.op, Op::WordAdd | Op::WordSub);
                has_lines |= inst.op == Op::Lines;
                if matches!(inst.op, Op::Tally | Op::Charge | Op::Open | Op::Close) {
                    inst.imm += first;
                }
                if inst.op == Op::Call {
                    let callee = routines.get(inst.target as usize).and_then(Option::as_ref);
                    inst.target = callee.map_or(NO_TARGET, |callee| callee.base);
                } else if inst.target != NO_TARGET {
                    inst.target += linked.base;
                }
                words.extend(inst.words());
            }
        }
        let sites = routines.iter().flatten().flat_map(|linked| &linked.code.sites);
        let line_bytes = sites.filter_map(|site| constant_bytes(&site.kind)).max();
        Ok(Plan {
            program: Arc::clone(&self.program),
            entry,
            parts: Arc::clone(&self.parts),
            routines,
            constants: self.constants.clone(),
            words,
            counters,
            profiles: self.profiles,
            has_serial,
            has_lines,
            line_bytes,
            number: NUMBER.fetch_add(1, Ordering::Relaxed),
        })
    }
}

/// Returns the maximum number of bytes for the constants of a line, including the end of the line.
fn constant_bytes(kind: &SiteKind) -> Option<u64> {
    let SiteKind::Print(items) = kind else { return None };
    let bytes = items.iter().map(|item| match item.operand() {
        Operand::Var(_) => 0,
        Operand::Int(_) | Operand::Bool(_) => 20,
        Operand::Str(text) => text.len() as u64,
    });
    Some(bytes.sum::<u64>() + 1)
}

impl Plan {
    /// Returns the instruction with this number, and its routine.
    pub(crate) fn inst(&self, pc: u32) -> Option<(RoutineId, &Inst)> {
        for (idx, linked) in self.routines.iter().enumerate() {
            let Some(Linked { code, base, .. }) = linked else { continue };
            if let Some(inst) = pc.checked_sub(*base).and_then(|at| code.insts.get(at as usize)) {
                return Some((RoutineId(idx as u32), inst));
            }
        }
        None
    }

    /// Yields the parts that may run as kernels over a grid.
    pub(crate) fn on_grid(&self) -> impl Iterator<Item = Item> + '_ {
        let routines = self.routines.iter().enumerate();
        let insts = routines.filter_map(|(id, linked)| Some((id, linked.as_ref()?)));
        insts.flat_map(|(id, Linked { code, .. })| {
            code.insts.iter().filter_map(move |inst| {
                let site = code.sites.get(inst.site? as usize)?;
                let (subject, form) = site.kind.on_grid()?;
                let (routine, loc) = (Some(RoutineId(id as u32)), Some(inst.loc));
                Some(Item { subject, routine, loc, became: Became::Form(form) })
            })
        })
    }

    /// Yields the loops over lines that are an instruction of the control unit.
    pub(crate) fn as_instructions(&self) -> impl Iterator<Item = Item> + '_ {
        let routines = self.routines.iter().enumerate();
        let insts = routines.filter_map(|(id, linked)| Some((id, linked.as_ref()?)));
        insts.flat_map(|(id, Linked { code, .. })| {
            // A loop with several queries is several instructions.
            let mut locs: BTreeMap<LocId, usize> = BTreeMap::new();
            let lines = code.insts.iter().filter(|it| it.lines.is_some_and(|lines| lines.is_loop));
            lines.for_each(|inst| *locs.entry(inst.loc).or_default() += 1);
            locs.into_iter().map(move |(loc, n)| Item {
                subject: Subject::Loop,
                routine: Some(RoutineId(id as u32)),
                loc: Some(loc),
                became: Became::Form(match n {
                    1 => "one instruction of the control unit".to_owned(),
                    n => format!("{n} instructions of the control unit"),
                }),
            })
        })
    }

    /// Returns the code of a routine.
    pub(crate) fn routine(&self, id: RoutineId) -> Result<&RoutineCode, BackendError> {
        let linked = self.routines.get(id.0 as usize).and_then(Option::as_ref);
        let linked = linked.ok_or_else(|| internal(format!("no code of routine {}", id.0)))?;
        Ok(&linked.code)
    }
}

impl RoutineCode {
    /// Returns the words of a frame.
    pub(crate) fn frame_words(&self) -> u32 {
        self.cell(0) + 2 * self.cells
    }

    /// Returns the offset in a frame of the descriptor of an object.
    pub(crate) fn descriptor(&self, object: u32) -> u32 {
        FRAME_HEAD + self.objects.len() as u32 + object * DESC_WORDS
    }

    /// Returns the offset in a frame of a cell.
    pub(crate) fn cell(&self, cell: u32) -> u32 {
        self.descriptor(self.objects.len() as u32) + 2 * cell
    }

    /// Returns a frame at `at`, with everything unset.
    pub(crate) fn new_frame(&self, id: RoutineId, at: u32) -> Vec<u32> {
        let mut words = vec![0; self.frame_words() as usize];
        words[frame::ROUTINE as usize] = id.0;
        words[frame::OBJECTS as usize] = self.objects.len() as u32;
        for (object, flags) in self.objects.iter().enumerate() {
            let own = self.descriptor(object as u32);
            words[FRAME_HEAD as usize + object] = at + own;
            words[(own + descriptor::FLAGS) as usize] = *flags;
            words[(own + descriptor::INITIAL) as usize] = *flags;
        }
        words
    }
}

/// Returns the error for a defect of the toolchain.
pub(crate) fn internal(what: impl Into<String>) -> BackendError {
    BackendError::Internal(what.into())
}
