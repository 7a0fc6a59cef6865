//! Execution of a routine with an intrinsic: its arguments, the resources of the intrinsic, and the
//! continuation of the run. `results`: what it leaves.

mod results;

pub(crate) use results::Reserved;

use super::{DeviceRun, End};
use crate::code::Inst;
use crate::compile::Site;
use crate::grid::{Grid, Kernel, Launch};
use crate::heap::{Block, Heap};
use crate::intrinsics::{Executor, IntrinsicResult, NotTaken, find};
use crate::program::internal;
use crate::value::{ObjectKind, Sizes};
use star_base::Intrinsic;
use star_base::intrinsics::{ParamMode, SizeTerm};
use star_ir::{HandlePart, LimitKind, RoutineId, Ty};
use star_shaders::Shader;
use star_shaders::layout::{DESC_WORDS, FRAME_HEAD, descriptor, flag, state};
use star_vm::interrupt::Stop;
use star_vm::{BackendError, Declined};
use std::sync::atomic::Ordering;

/// A call of an intrinsic.
pub(crate) struct Call<'c, 'r, 'h> {
    run: &'c mut DeviceRun<'r, 'h>,
    routine: RoutineId,
    intrinsic: Intrinsic,
    given: Vec<Option<Given>>,
    /// Additional memory, which is freed at the end.
    extra: Vec<Block>,
}

/// An argument that is set.
#[derive(Clone, Debug)]
enum Given {
    Number(i64),
    Object(Placed),
    /// The parts of a handle, for each part of the plan.
    Handle(Vec<Option<Placed>>),
}

/// The location of an argument.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    pub(crate) at: u32,
    pub(crate) stride: u32,
    pub(crate) sizes: Sizes,
}

impl Call<'_, '_, '_> {
    /// Returns an integer.
    pub(crate) fn int(&self, param: usize) -> Result<i64, NotTaken> {
        match self.given.get(param) {
            Some(Some(Given::Number(number))) => Ok(*number),
            Some(Some(Given::Object(_) | Given::Handle(_)) | None) | None => {
                Err(internal_error("a number"))
            }
        }
    }

    /// Returns a number that is a size.
    pub(crate) fn size(&self, param: usize) -> Result<u32, NotTaken> {
        u32::try_from(self.int(param)?).map_err(|_| NotTaken::Declined(Declined::Range))
    }

    /// Returns a table, slice or word.
    pub(crate) fn object(&self, param: usize) -> Result<Placed, NotTaken> {
        match self.given.get(param) {
            Some(Some(Given::Object(placed))) => Ok(*placed),
            Some(Some(Given::Number(_) | Given::Handle(_)) | None) | None => {
                Err(internal_error("an object"))
            }
        }
    }

    /// Returns a part of a handle of the module, if the handle holds it.
    pub(crate) fn part(&self, param: usize, name: &str) -> Result<Option<Placed>, NotTaken> {
        let Some(idx) = self.part_idx(name) else { return Ok(None) };
        match self.given.get(param) {
            Some(Some(Given::Handle(parts))) => Ok(parts.get(idx).copied().flatten()),
            Some(None) => Ok(None),
            Some(Some(Given::Number(_) | Given::Object(_))) | None => {
                Err(internal_error("a handle"))
            }
        }
    }

    /// Returns the place of a part of the module among those of the plan.
    fn part_idx(&self, name: &str) -> Option<usize> {
        let module = self.intrinsic.signature().module;
        let is_it = |part: &HandlePart| (&*part.module, &*part.name) == (module, name);
        self.run.plan.parts.iter().position(is_it)
    }

    fn allocate(
        &mut self,
        words: u64,
        take: fn(&mut Heap, u64) -> Result<Block, BackendError>,
    ) -> Result<Block, NotTaken> {
        let bytes = words.saturating_mul(4);
        let taken: u64 = self.extra.iter().map(|block| u64::from(block.words) * 4).sum();
        let wanted = self.run.alive.saturating_add(taken).saturating_add(bytes);
        if wanted > self.run.limit {
            return Err(NotTaken::Declined(Declined::Memory));
        }
        match take(self.run.heap, words) {
            Ok(block) => {
                self.extra.push(block);
                let peak = &mut self.run.control.stats.peak_bytes;
                *peak = wanted.max(*peak);
                Ok(block)
            }
            Err(BackendError::OutOfMemory(_)) => Err(NotTaken::Declined(Declined::Memory)),
            Err(error) => Err(error.into()),
        }
    }

    /// Reads words that dispatches have written.
    pub(crate) fn words<const N: usize>(&mut self, at: u32) -> Result<[u32; N], NotTaken> {
        (self as &mut dyn Executor).words(at)
    }
}

impl Executor for Call<'_, '_, '_> {
    fn grid(&mut self) -> Result<&mut dyn Grid, NotTaken> {
        self.run.heap.unit.grid().ok_or_else(|| internal_error("a grid"))
    }

    /// If the driver rejects the kernel, the body runs.
    fn kernel(&mut self, shader: &Shader) -> Result<Kernel, NotTaken> {
        let [kernel] = self.run.kernels([shader])?.ok_or(NotTaken::Declined(Declined::Body))?;
        Ok(kernel)
    }

    fn extra(&mut self, words: u64) -> Result<Block, NotTaken> {
        self.allocate(words, Heap::take)
    }

    /// Most likely, the host reads these words at no cost.
    fn notes(&mut self, words: u32) -> Result<u32, NotTaken> {
        Ok(self.allocate(u64::from(words), Heap::take_near)?.at)
    }

    fn read(&mut self, at: u32, into: &mut [u32]) -> IntrinsicResult {
        Ok(self.run.heap.unit.read(at, into)?)
    }

    fn write(&mut self, at: u32, words: &[u32]) -> IntrinsicResult {
        Ok(self.run.heap.unit.write(at, words)?)
    }

    fn copy(&mut self, from: u32, to: u32, words: u32) -> IntrinsicResult {
        Ok(self.run.heap.unit.copy(from, to, words)?)
    }

    fn launch(&mut self, launches: &[Launch], limbs: u64) -> IntrinsicResult {
        Ok(self.run.launch(launches, limbs)?)
    }
}

fn internal_error(what: &str) -> NotTaken {
    internal(format!("an intrinsic could not find {what}")).into()
}

impl DeviceRun<'_, '_> {
    /// Returns the kernels of these shaders; `None` if the driver rejects one. They are requested
    /// after all memory is allocated: that may have added a bank, which changes the text of each
    /// shader.
    pub(super) fn kernels<const N: usize>(
        &mut self,
        shaders: [&Shader; N],
    ) -> Result<Option<[Kernel; N]>, BackendError> {
        let grid = self.heap.unit.grid().ok_or_else(|| internal("kernels without a grid"))?;
        let mut kernels = [Kernel(0); N];
        for (kernel, shader) in kernels.iter_mut().zip(shaders) {
            *kernel = match grid.kernel(shader) {
                Err(BackendError::Unsupported { .. }) => return Ok(None),
                other => other?,
            };
        }
        Ok(Some(kernels))
    }

    /// Runs dispatches that access this number of limbs each, in submissions between which the user
    /// may end the run.
    pub(super) fn launch(&mut self, launches: &[Launch], limbs: u64) -> Result<(), End> {
        self.launch_and_read(launches, limbs, (0, 0)).map(drop)
    }

    /// Runs dispatches, and returns a few words at an address.
    pub(super) fn launch_and_read(
        &mut self,
        launches: &[Launch],
        limbs: u64,
        returned: (u32, u32),
    ) -> Result<Vec<u32>, End> {
        let grid = self.heap.unit.grid().ok_or_else(|| internal("kernels without a grid"))?;
        let at_once = grid.launches_at_once(limbs);
        let banks = grid.banks() as u64;
        let mut words = Vec::new();
        let mut chunks = launches.chunks(at_once).peekable();
        while let Some(some) = chunks.next() {
            if self.control.interrupt.load(Ordering::Relaxed) {
                return Err(Stop::Limit(LimitKind::Interrupted).into());
            }
            if self.control.deadline.load(Ordering::Relaxed) {
                return Err(Stop::Limit(LimitKind::Time).into());
            }
            let returned = if chunks.peek().is_some() { (0, 0) } else { returned };
            let done = grid.launch(some, returned)?;
            words = done.words;
            let paths = &mut self.control.stats.counters;
            paths.grid_kernels += some.len() as u64;
            if banks > 1 {
                paths.grid_banks = paths.grid_banks.max(banks);
            }
            paths.grid_nanoseconds += done.nanoseconds.unwrap_or(0);
        }
        Ok(words)
    }

    /// Runs the intrinsic of the routine that has just begun; returns false if its body must run.
    pub(super) fn intrinsic(
        &mut self,
        intrinsic: Intrinsic,
        (id, inst): (RoutineId, &Inst),
        site: &Site,
    ) -> Result<(), End> {
        let Some(found) = find(intrinsic) else { return Err(internal("unknown intrinsic").into()) };
        let given = self.given(id, site)?;
        let signature = intrinsic.signature();
        let mut call = Call { run: self, routine: id, intrinsic, given, extra: Vec::new() };
        let object_size = |idx: usize, size: fn(Sizes) -> u32| match call.given.get(idx) {
            Some(Some(Given::Object(placed))) => Some(i64::from(size(placed.sizes))),
            Some(Some(Given::Number(_) | Given::Handle(_)) | None) | None => None,
        };
        let part_size = |idx: usize, name: &str, size: fn(Sizes) -> u32| {
            let part = call.part(idx, name).ok().flatten()?;
            Some(i64::from(size(part.sizes)))
        };
        let value = |term: SizeTerm| match term {
            SizeTerm::Value(idx) => match call.given.get(idx) {
                Some(Some(Given::Number(number))) => Some(*number),
                Some(Some(Given::Object(_) | Given::Handle(_)) | None) | None => None,
            },
            SizeTerm::Length(idx) | SizeTerm::Rows(idx) => object_size(idx, |sizes| sizes.rows),
            SizeTerm::Columns(idx) => object_size(idx, |sizes| sizes.columns),
            SizeTerm::PartRows(idx, name) => part_size(idx, name, |sizes| sizes.rows),
            SizeTerm::PartColumns(idx, name) => part_size(idx, name, |sizes| sizes.columns),
        };
        let is_there = |(param, given): (&star_base::intrinsics::Param, &Option<Given>)| {
            given.is_some() || param.mode == ParamMode::Made
        };
        if !signature.params.iter().zip(&call.given).all(is_there) || !signature.holds(value) {
            return Ok(());
        }
        let done = (found.run)(&mut call);
        for block in std::mem::take(&mut call.extra) {
            self.heap.give(block);
        }
        match done {
            Ok(()) => {
                self.control.stats.intrinsics += 1;
                self.go_on(id, inst)
            }
            Err(NotTaken::Declined(reason)) => {
                self.control.stats.counters.decline(reason);
                Ok(())
            }
            Err(NotTaken::Ended(end)) => Err(end),
        }
    }

    /// Continues the run after the instruction that stopped it.
    pub(super) fn go_on(&mut self, id: RoutineId, inst: &Inst) -> Result<(), End> {
        let linked = self.plan.routines.get(id.0 as usize).and_then(Option::as_ref);
        let linked = linked.ok_or_else(|| internal("a routine without code"))?;
        self.put(state::PC, linked.base + inst.target);
        Ok(())
    }

    /// Returns the arguments of the innermost routine, which has just begun.
    fn given(&mut self, id: RoutineId, site: &Site) -> Result<Vec<Option<Given>>, BackendError> {
        let plan = self.plan;
        let (sir, code) = (plan.program.routine(id), plan.routine(id)?);
        let here = super::Active { at: self.get(state::FRAME), routine: id, back: 0 };
        let mut given = Vec::with_capacity(sir.params.len());
        for param in &sir.params {
            given.push(match code.object_of[param.var.0 as usize] {
                None => match site.numbers.iter().find(|(known, _)| *known == param.var) {
                    Some((_, number)) => self.number(*number, &here, false)?.map(Given::Number),
                    None => None,
                },
                Some(object) if sir.var(param.var).ty == Ty::Handle => {
                    let (first, n) = (object.0, plan.parts.len() as u32);
                    let parts =
                        (first..first + n).map(|part| self.placed_as(ObjectKind::Table, part));
                    let parts = parts.collect::<Result<Vec<Option<Placed>>, BackendError>>()?;
                    parts.iter().any(Option::is_some).then_some(Given::Handle(parts))
                }
                Some(object) => {
                    let placed = self.placed(sir.var(param.var).ty, object.0)?;
                    placed.map(Given::Object)
                }
            });
        }
        Ok(given)
    }

    /// Returns the location of an object of the innermost routine, if it is set.
    pub(super) fn placed(&mut self, ty: Ty, object: u32) -> Result<Option<Placed>, BackendError> {
        let kind = ObjectKind::of(ty).ok_or_else(|| internal("a number instead of an object"))?;
        self.placed_as(kind, object)
    }

    fn placed_as(&mut self, kind: ObjectKind, object: u32) -> Result<Option<Placed>, BackendError> {
        let pointer = self.words(self.get(state::FRAME) + FRAME_HEAD + object, 1)?[0];
        let words = self.words(pointer, DESC_WORDS)?;
        let has = |word: u32| words[word as usize];
        let (at, stride) = (has(descriptor::AT), has(descriptor::STRIDE));
        let sizes = Sizes { kind, rows: has(descriptor::ROWS), columns: has(descriptor::COLUMNS) };
        let is_set = has(descriptor::FLAGS) & flag::SET != 0;
        Ok(is_set.then_some(Placed { at, stride, sizes }))
    }
}
