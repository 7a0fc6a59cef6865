//! Backends as objects: one type for all types of values, code and plans.
//!
//! The command line, the REPL and the harness use backends in this form only. A value, code or plan
//! that is passed to a backend other than the one that created it is an internal error; the methods
//! that report no errors return nothing for it.

use std::any::Any;
use std::ops::Range;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use star_ir::{Program, RoutineId, Ty};
use star_value::{BitTable, TableWish, Value as HostValue};

use crate::backend::{
    Backend, BackendError, Capabilities, CompileOptions, Compiled, Control, Outcome, Part,
    TypeInfo, Wanted,
};
use crate::exchange::{Exchange, Partition};
use crate::explain::Explanation;

/// A [`Backend`] as an object.
pub type DynBackend = dyn Backend<Value = DynValue, Code = DynCode, Plan = DynPlan>;

/// A value of some backend: an `Option` of it, which is `None` while a run owns it.
#[derive(Debug)]
pub struct DynValue(Box<dyn Any>);

/// A compiled program of some backend.
#[derive(Debug)]
pub struct DynCode(Box<dyn Any>);

/// A plan of some backend.
#[derive(Debug)]
pub struct DynPlan(Box<dyn Any>);

/// Converts a backend to an object.
pub fn erase<B: Backend + 'static>(backend: B) -> Box<DynBackend> {
    Box::new(Erased(backend))
}

struct Erased<B>(B);

/// Downcasts a value, code or plan to the type of this backend.
fn of<T: 'static>(any: &dyn Any) -> Result<&T, BackendError> {
    any.downcast_ref().ok_or_else(foreign)
}

fn value_of<V: 'static>(value: &DynValue) -> Result<&V, BackendError> {
    of::<Option<V>>(&*value.0)?.as_ref().ok_or_else(foreign)
}

fn slot_of<V: 'static>(value: &mut DynValue) -> Result<&mut Option<V>, BackendError> {
    value.0.downcast_mut().ok_or_else(foreign)
}

fn foreign() -> BackendError {
    BackendError::Internal("a value, code or plan of another backend".to_owned())
}

impl<B: Backend + 'static> Backend for Erased<B> {
    type Value = DynValue;
    type Code = DynCode;
    type Plan = DynPlan;

    fn caps(&self) -> Capabilities {
        self.0.caps()
    }

    fn load(&self, value: HostValue, fixed: bool) -> Result<DynValue, BackendError> {
        self.0.load(value, fixed).map(|value| DynValue(Box::new(Some(value))))
    }

    fn load_columns(
        &self,
        value: &mut DynValue,
        n_cols: usize,
        start: usize,
        columns: &BitTable,
    ) -> Result<(), BackendError> {
        let value = slot_of::<B::Value>(value)?.as_mut().ok_or_else(foreign)?;
        self.0.load_columns(value, n_cols, start, columns)
    }

    fn ranks(&self) -> Option<(Rc<dyn Exchange>, Partition)> {
        self.0.ranks()
    }

    fn load_rows(&self, n_rows: usize, own: BitTable) -> Result<DynValue, BackendError> {
        self.0.load_rows(n_rows, own).map(|value| DynValue(Box::new(Some(value))))
    }

    fn store_rows(
        &self,
        value: &DynValue,
        columns: Range<usize>,
        interrupt: &AtomicBool,
    ) -> Result<BitTable, BackendError> {
        self.0.store_rows(value_of::<B::Value>(value)?, columns, interrupt)
    }

    fn ty(&self, value: &DynValue) -> Option<TypeInfo> {
        self.0.ty(value_of::<B::Value>(value).ok()?)
    }

    fn store(
        &self,
        value: &DynValue,
        part: Part,
        interrupt: &AtomicBool,
    ) -> Result<HostValue, BackendError> {
        self.0.store(value_of::<B::Value>(value)?, part, interrupt)
    }

    fn unload(
        &self,
        mut value: DynValue,
        wanted: Wanted,
        interrupt: &AtomicBool,
    ) -> Result<HostValue, BackendError> {
        let value = slot_of::<B::Value>(&mut value)?.take().ok_or_else(foreign)?;
        self.0.unload(value, wanted, interrupt)
    }

    fn compile(
        &self,
        program: Program,
        options: &CompileOptions,
        earlier: Option<&DynCode>,
    ) -> Result<Compiled<DynCode>, BackendError> {
        let earlier = earlier.map(|code| of::<B::Code>(&*code.0)).transpose()?;
        let Compiled { code, n_kept } = self.0.compile(program, options, earlier)?;
        Ok(Compiled { code: DynCode(Box::new(code)), n_kept })
    }

    fn preferences(&self, code: &DynCode, entry: RoutineId) -> Vec<TableWish> {
        let code = of::<B::Code>(&*code.0);
        code.map_or(Vec::new(), |code| self.0.preferences(code, entry))
    }

    fn plan(
        &self,
        code: &DynCode,
        entry: RoutineId,
        args: &[Option<Ty>],
    ) -> Result<DynPlan, BackendError> {
        let plan = self.0.plan(of::<B::Code>(&*code.0)?, entry, args)?;
        Ok(DynPlan(Box::new(plan)))
    }

    fn lay_out(
        &self,
        plan: &DynPlan,
        values: &mut [DynValue],
        memory: Option<u64>,
        interrupt: &AtomicBool,
    ) -> Result<(), BackendError> {
        let plan = of::<B::Plan>(&*plan.0)?;
        with_all(values, |values| self.0.lay_out(plan, values, memory, interrupt))?
    }

    fn explain(&self, plan: &DynPlan) -> Explanation {
        let plan = of::<B::Plan>(&*plan.0);
        plan.map_or_else(|_| Explanation::default(), |plan| self.0.explain(plan))
    }

    fn run(&self, plan: &DynPlan, values: &mut [DynValue], control: &mut Control<'_>) -> Outcome {
        let internal = |error: BackendError| Outcome::Internal(error.to_string());
        let plan = match of::<B::Plan>(&*plan.0) {
            Ok(plan) => plan,
            Err(error) => return internal(error),
        };
        let ran = with_all(values, |values| self.0.run(plan, values, control));
        ran.unwrap_or_else(internal)
    }
}

/// Runs `work` on the values of a backend and puts them back afterwards.
fn with_all<V: 'static, T>(
    values: &mut [DynValue],
    work: impl FnOnce(&mut [V]) -> T,
) -> Result<T, BackendError> {
    // All values are checked before one is removed.
    if let Some(error) = values.iter().find_map(|value| value_of::<V>(value).err()) {
        return Err(error);
    }
    let taken = values.iter_mut().map(|value| slot_of::<V>(value).ok()?.take());
    let mut taken: Vec<V> = taken.flatten().collect();
    let done = work(&mut taken);
    for (value, result) in values.iter_mut().zip(taken) {
        *slot_of(value)? = Some(result);
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;
    use crate::{Cpu, Reference};

    #[test]
    fn a_value_of_another_backend_is_an_internal_error() {
        let (cpu, reference) = (erase(Cpu::new()), erase(Reference::new()));
        let value = reference.load(HostValue::Int(7), false).unwrap();
        let never = AtomicBool::new(false);
        assert_eq!(reference.store(&value, Part::Whole, &never), Ok(HostValue::Int(7)));
        let stored = cpu.store(&value, Part::Whole, &never);
        assert!(matches!(stored, Err(BackendError::Internal(_))));
        assert_eq!((reference.ty(&value), cpu.ty(&value)), (Some(Ty::Int.into()), None));
        let unloaded = cpu.unload(value, Wanted::Columns, &never);
        assert!(matches!(unloaded, Err(BackendError::Internal(_))));
    }

    #[test]
    fn tables_are_transferred_by_ranges_of_columns() {
        let table = BitTable::parse(&["01101", "11000", "00111"]).unwrap();
        let never = AtomicBool::new(false);
        for backend in [erase(Cpu::new()), erase(Reference::new())] {
            let part = |columns: Range<usize>| {
                let columns: Vec<_> = columns.map(|idx| table.column(idx)).collect();
                BitTable::from_columns(3, &columns)
            };
            let mut value = backend.load(HostValue::Unset, true).unwrap();
            backend.load_columns(&mut value, 5, 3, &part(3..5)).unwrap();
            backend.load_columns(&mut value, 5, 0, &part(0..3)).unwrap();
            let store = |value: &_, part| backend.store(value, part, &never);
            let whole = Ok(HostValue::from(table.clone()));
            assert_eq!(store(&value, Part::Whole), whole);
            assert_eq!(store(&value, Part::Columns(1..4)), Ok(part(1..4).into()));
            let narrow = BitTable::zeros(2, 1).unwrap();
            for (n_cols, start, columns) in [(5, 4, part(0..2)), (5, 0, narrow), (6, 0, part(0..1))]
            {
                let refused = backend.load_columns(&mut value, n_cols, start, &columns);
                assert!(matches!(refused, Err(BackendError::Internal(_))));
            }
            let beyond = store(&value, Part::Columns(4..6));
            assert!(matches!(beyond, Err(BackendError::Internal(_))));
            assert_eq!(store(&value, Part::Whole), whole);
        }
    }
}
