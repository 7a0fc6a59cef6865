//! The backend: values, compilation, runs.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use star_ir::{Check, HandlePart, Op, Program, RoutineId, Simple, StmtKind, Ty, visit};
use star_value::{BitTable, Value as HostValue};
use star_vm::backend::check_entry;
use star_vm::columns::{check_columns, check_part, no_table, store_by_ranges};
use star_vm::explain::Subject;
use star_vm::{
    Backend, BackendError, Capabilities, CompileOptions, Compiled, Control, Explanation, Outcome,
    Part, TypeInfo,
};

use crate::compile::Choices;
use crate::derived;
use crate::device::Mode;
use crate::device_trait::ControlUnit;
use crate::grid::LeastBits;
use crate::heap::Heap;
use crate::intrinsics;
use crate::program::{Code, Plan, internal};
use crate::run::{self, Argument, Slot};
use crate::value::{
    Data, ObjectKind, Placed, Sizes, Value, download, download_object, place, upload_columns,
};

/// The backend that runs programs on a device.
pub struct Gpu {
    heap: Rc<RefCell<Heap>>,
    mode: Mode,
    /// Bytes of columns that enter and leave at once.
    part_bytes: u64,
    /// The parts of handles in all programs so far: a handle outlives the program that created it.
    parts: RefCell<Vec<HandlePart>>,
}

impl Gpu {
    pub(crate) fn on(unit: Box<dyn ControlUnit>, mode: Mode, part_bytes: u64) -> Self {
        let (heap, parts) = (Rc::new(RefCell::new(Heap::new(unit))), RefCell::default());
        Gpu { heap, mode, part_bytes, parts }
    }

    fn placed(&self, sizes: Sizes, block: crate::heap::Block) -> Placed {
        Placed { sizes, block, heap: Rc::clone(&self.heap) }
    }

    /// Returns the parts of handles in all programs so far, including this one.
    fn parts_with(&self, program: &Program) -> Result<Arc<[HandlePart]>, BackendError> {
        let known = self.parts.try_borrow_mut();
        let mut known = known.map_err(|_| internal("the backend is in use"))?;
        parts_of(program, &mut known);
        Ok(known.as_slice().into())
    }

    /// Returns the minimum numbers of bits from which loops over lines of a table run as kernels
    /// over a grid, if there is a grid.
    fn least_bits(&self) -> Option<LeastBits> {
        match self.mode {
            Mode::Auto | Mode::Lifted => {}
            Mode::Resident => return None,
        }
        let mut heap = self.heap.try_borrow_mut().ok()?;
        heap.unit.grid().map(|grid| grid.least_bits())
    }

    pub(crate) fn heap(&self) -> Result<std::cell::RefMut<'_, Heap>, BackendError> {
        self.heap.try_borrow_mut().map_err(|_| internal("the device is in use"))
    }
}

impl Backend for Gpu {
    type Value = Value;
    type Code = Code;
    type Plan = Plan;

    fn caps(&self) -> Capabilities {
        let (device, max_bytes) = match self.heap.try_borrow() {
            Ok(heap) => (heap.unit.device(), heap.unit.max_words().saturating_mul(4)),
            Err(_) => (String::new(), 0),
        };
        let intrinsics = match self.least_bits().is_some() {
            true => intrinsics::TABLE.iter().map(|emulator| emulator.intrinsic).collect(),
            false => Vec::new(),
        };
        Capabilities {
            name: "gpu",
            device,
            is_adapter: true,
            threads: 1,
            expansion: 1,
            max_bytes,
            part_bytes: Some(self.part_bytes),
            has_sparse: false,
            intrinsics,
        }
    }

    fn load(&self, value: HostValue, fixed: bool) -> Result<Value, BackendError> {
        let data = match value {
            HostValue::Unset => Data::Nothing,
            HostValue::Int(number) => Data::Int(number),
            HostValue::Bool(truth) => Data::Bool(truth),
            HostValue::Str(text) => Data::Text(text.into()),
            value @ (HostValue::Slice(_) | HostValue::Word(_) | HostValue::Table(_)) => {
                let (sizes, block) = place(&mut *self.heap()?, &value)?;
                Data::Object(self.placed(sizes, block))
            }
        };
        Ok(Value { data, size: None, fixed })
    }

    fn load_columns(
        &self,
        value: &mut Value,
        n_cols: usize,
        start: usize,
        columns: &BitTable,
    ) -> Result<(), BackendError> {
        if let Data::Nothing = value.data {
            let sizes = Sizes::new(ObjectKind::Table, columns.n_rows(), n_cols)?;
            let block = self.heap()?.take(sizes.words())?;
            value.data = Data::Object(self.placed(sizes, block));
        }
        let table = table_of(value)?;
        let sizes = table.sizes;
        check_part((sizes.rows as usize, sizes.columns as usize), n_cols, start, columns)?;
        let at = table.block.at + start as u32 * sizes.stride();
        upload_columns(&mut *self.heap()?, at, sizes, columns)
    }

    fn ty(&self, value: &Value) -> Option<TypeInfo> {
        let ty = match &value.data {
            Data::Nothing => return None,
            Data::Int(_) => Ty::Int,
            Data::Bool(_) => Ty::Bool,
            Data::Text(_) => Ty::Str,
            Data::Object(placed) => placed.sizes.ty(),
            Data::Handle(_) => Ty::Handle,
        };
        Some(ty.into())
    }

    fn store(
        &self,
        value: &Value,
        part: Part,
        interrupt: &AtomicBool,
    ) -> Result<HostValue, BackendError> {
        if let Part::Columns(columns) = part {
            let table = table_of(value)?;
            let sizes = table.sizes;
            check_columns(&columns, sizes.columns as usize)?;
            let refused = || internal("columns that are too large");
            let mut part =
                BitTable::zeros(sizes.rows as usize, columns.len()).map_err(|_| refused())?;
            let at = table.block.at + columns.start as u32 * sizes.stride();
            download(&mut *self.heap()?, at, (sizes.rows, columns.len()), |idx, limbs| {
                part.column_limbs_mut(idx).copy_from_slice(limbs);
            })?;
            return Ok(part.into());
        }
        Ok(match &value.data {
            Data::Nothing | Data::Handle(_) => HostValue::Unset,
            Data::Int(number) => HostValue::Int(*number),
            Data::Bool(truth) => HostValue::Bool(*truth),
            Data::Text(text) => HostValue::Str(text.to_string()),
            Data::Object(placed) if placed.sizes.kind == ObjectKind::Table => {
                let sizes = (placed.sizes.rows as usize, placed.sizes.columns as usize);
                store_by_ranges(self, value, sizes, interrupt)?.into()
            }
            Data::Object(placed) => {
                download_object(&mut *self.heap()?, placed.block.at, placed.sizes)?
            }
        })
    }

    fn compile(
        &self,
        program: Program,
        options: &CompileOptions,
        _earlier: Option<&Code>,
    ) -> Result<Compiled<Code>, BackendError> {
        let CompileOptions { intrinsics, optimise, profile, checkpoints: _ } = *options;
        let parts = self.parts_with(&program)?;
        // Loops that run over a grid are not charged to separate lines.
        let lifts = self.least_bits().filter(|_| optimise && !profile);
        let intrinsics = intrinsics && lifts.is_some();
        let choices = Choices { counts_steps: !optimise, intrinsics, lifts, profiles: profile };
        Ok(Compiled::new(Code::new(program, parts, choices)))
    }

    fn plan(
        &self,
        code: &Code,
        entry: RoutineId,
        _args: &[Option<Ty>],
    ) -> Result<Plan, BackendError> {
        check_entry(&code.program, entry)?;
        let plan = code.link(entry)?;
        match self.mode {
            Mode::Auto | Mode::Resident => Ok(plan),
            Mode::Lifted if plan.on_grid().next().is_some() => Ok(plan),
            Mode::Lifted => Err(BackendError::Unsupported {
                what:
                    "this program as kernels over a grid: it has no intrinsic of the device, and \
                        no loop that can run as kernels"
                        .to_owned(),
            }),
        }
    }

    fn explain(&self, plan: &Plan) -> Explanation {
        let mut all = Explanation::default();
        let n_insts = plan.words.len() / star_shaders::layout::INST_WORDS as usize;
        let n_routines = plan.routines.iter().flatten().count();
        let routine = plan.program.routine(plan.entry);
        let form = format!(
            "register code, {n_insts} instructions in {n_routines} routines, entry `{}`",
            routine.name
        );
        all.whole(Subject::Program, form);
        if let Ok(heap) = self.heap()
            && let Some(most) = heap.unit.wide().limbs.checked_mul(32)
        {
            let form = format!("lines of more than {most} components run as kernels over the grid");
            all.whole(Subject::Program, form);
        }
        all.whole(Subject::Device, self.caps().device);
        let mut types = routine.params.iter().map(|param| routine.var(param.var).ty);
        if types.any(|ty| matches!(ty, Ty::Table(..))) {
            let form = "all dense by columns on the device; sparse ones stay on the host";
            all.whole(Subject::Table, form);
        }
        all.items.extend(plan.on_grid());
        all.items.extend(plan.as_instructions());
        all
    }

    fn run(&self, plan: &Plan, values: &mut [Value], control: &mut Control<'_>) -> Outcome {
        if control.profile.is_some() && !plan.profiles {
            return Outcome::not_profiled();
        }
        let mut slots = Vec::with_capacity(values.len());
        for value in values.iter_mut() {
            let argument = match &mut value.data {
                Data::Nothing => Argument::Nothing,
                Data::Int(number) => Argument::Number(*number),
                Data::Bool(truth) => Argument::Number(i64::from(*truth)),
                Data::Text(text) => Argument::Text(text.clone()),
                // The run owns the block while it lasts.
                Data::Object(placed) => {
                    Argument::Object(placed.sizes, std::mem::take(&mut placed.block))
                }
                Data::Handle(parts) => {
                    let parts = parts.iter_mut().map(|(part, placed)| {
                        (part.clone(), placed.sizes, std::mem::take(&mut placed.block))
                    });
                    Argument::Handle(parts.collect())
                }
            };
            slots.push(Slot { argument, size: value.size, fixed: value.fixed });
        }
        let outcome = match self.heap() {
            Ok(mut heap) => {
                let before = heap.unit.moved();
                let outcome = run::run(&mut heap, plan, &mut slots, control);
                let (now, paths) = (heap.unit.moved(), &mut control.stats.counters);
                paths.device_reads += now.reads - before.reads;
                paths.bytes_to_device += now.sent - before.sent;
                paths.bytes_from_device += now.back - before.back;
                outcome
            }
            Err(error) => Outcome::Internal(error.to_string()),
        };
        let params = &plan.program.routine(plan.entry).params;
        for (idx, (value, slot)) in values.iter_mut().zip(slots).enumerate() {
            let ty =
                params.get(idx).map(|param| plan.program.routine(plan.entry).var(param.var).ty);
            value.size = slot.size;
            value.fixed = slot.fixed;
            value.data = match slot.argument {
                Argument::Nothing => Data::Nothing,
                Argument::Number(number) if ty == Some(Ty::Bool) => Data::Bool(number != 0),
                Argument::Number(number) => Data::Int(number),
                Argument::Text(text) => Data::Text(text),
                Argument::Object(sizes, block) => Data::Object(self.placed(sizes, block)),
                Argument::Handle(parts) => {
                    let parts = parts.into_iter();
                    let placed =
                        parts.map(|(part, sizes, block)| (part, self.placed(sizes, block)));
                    Data::Handle(placed.collect())
                }
            };
        }
        outcome
    }
}

/// Adds the parts of handles that the program names, and those that intrinsics derive from them.
pub(crate) fn parts_of(program: &Program, parts: &mut Vec<HandlePart>) {
    for routine in &program.routines {
        visit::walk(&routine.body, &mut |stmt| {
            if let StmtKind::Simple(
                Simple::PutHandlePart { part, .. }
                | Simple::Assign(_, Op::HandlePart(_, part))
                | Simple::Check(Check::HandlePart(_, part)),
            ) = &stmt.kind
                && !parts.contains(part)
            {
                parts.push(part.clone());
            }
        });
    }
    for derived in derived::ALL {
        let part = derived.part();
        if parts.iter().any(|known| derived.is_from(known)) && !parts.contains(&part) {
            parts.push(part);
        }
    }
}

fn table_of(value: &Value) -> Result<&Placed, BackendError> {
    match &value.data {
        Data::Object(placed) if placed.sizes.kind == ObjectKind::Table => Ok(placed),
        Data::Object(_)
        | Data::Handle(_)
        | Data::Nothing
        | Data::Int(_)
        | Data::Bool(_)
        | Data::Text(_) => Err(no_table()),
    }
}
