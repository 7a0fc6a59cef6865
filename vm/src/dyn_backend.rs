//! Type-erased backends: one form of [`Backend`] for all types of values, code and plans.
//!
//! The command line, the REPL and the harness use backends in this form only. A value, code or plan
//! that is passed to a backend other than the one that created it is an internal error.

use std::any::Any;
use std::ops::Range;
use std::sync::atomic::AtomicBool;

use star_base::{BitTable, SparseLines, SparseTable};
use star_ir::analysis::line_accesses::TableUse;
use star_ir::{Program, RoutineId, Ty};

use crate::backend::{Backend, BackendError, Capabilities, CompileOptions, Control, Outcome};
use crate::explain::Explanation;
use crate::value::{HostValue, TableForm, TableLayout};

/// A [`Backend`] as an object; see that trait for the methods.
#[allow(missing_docs, clippy::missing_errors_doc, reason = "they are those of `Backend`")]
pub trait DynBackend {
    fn caps(&self) -> Capabilities;
    fn load(&self, value: HostValue, fixed: bool) -> Result<DynValue, BackendError>;
    fn new_table(
        &self,
        n_rows: usize,
        n_cols: usize,
        fixed: bool,
    ) -> Result<DynValue, BackendError>;
    fn load_columns(
        &self,
        value: &mut DynValue,
        start: usize,
        columns: &BitTable,
    ) -> Result<(), BackendError>;
    fn load_rows(&self, rows: BitTable, fixed: bool) -> Result<DynValue, BackendError>;
    fn load_sparse(
        &self,
        lines: SparseLines,
        form: TableForm,
        fixed: bool,
    ) -> Result<DynValue, BackendError>;
    fn sparse_tables(
        &self,
        code: &DynCode,
        entry: RoutineId,
    ) -> Result<Option<Vec<TableUse>>, BackendError>;
    fn table_layout(&self, value: &DynValue) -> Result<Option<TableLayout>, BackendError>;
    fn ty(&self, value: &DynValue) -> Result<Option<Ty>, BackendError>;
    fn store(&self, value: &DynValue, interrupt: &AtomicBool) -> Result<HostValue, BackendError>;
    fn store_columns(
        &self,
        value: &DynValue,
        columns: Range<usize>,
        interrupt: &AtomicBool,
    ) -> Result<BitTable, BackendError>;
    fn unload(&self, value: DynValue, interrupt: &AtomicBool) -> Result<HostValue, BackendError>;
    fn unload_sparse(
        &self,
        value: DynValue,
        wanted: &dyn Fn(u64) -> bool,
    ) -> Result<Result<SparseTable, DynValue>, BackendError>;
    fn compile(&self, program: Program, options: &CompileOptions) -> Result<DynCode, BackendError>;
    fn recompile(
        &self,
        program: Program,
        options: &CompileOptions,
        earlier: &DynCode,
    ) -> Result<(DynCode, usize), BackendError>;
    fn plan(
        &self,
        code: &DynCode,
        entry: RoutineId,
        args: &[Option<Ty>],
    ) -> Result<DynPlan, BackendError>;
    fn home_forms(&self, code: &DynCode, entry: RoutineId) -> Result<Vec<TableForm>, BackendError>;
    fn lay_out(
        &self,
        plan: &DynPlan,
        values: &mut [DynValue],
        memory: Option<u64>,
        interrupt: &AtomicBool,
    ) -> Result<(), BackendError>;
    fn explain(&self, plan: &DynPlan) -> Result<Explanation, BackendError>;
    fn run(&self, plan: &DynPlan, values: &mut [DynValue], control: &mut Control<'_>) -> Outcome;
}

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
pub fn erase<B: Backend + 'static>(backend: B) -> Box<dyn DynBackend> {
    Box::new(Erased(backend))
}

struct Erased<B>(B);

impl<B: Backend + 'static> Erased<B> {
    fn value(value: B::Value) -> DynValue {
        DynValue(Box::new(Some(value)))
    }
}

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

impl<B: Backend + 'static> DynBackend for Erased<B> {
    fn caps(&self) -> Capabilities {
        self.0.caps()
    }

    fn load(&self, value: HostValue, fixed: bool) -> Result<DynValue, BackendError> {
        self.0.load(value, fixed).map(Self::value)
    }

    fn new_table(
        &self,
        n_rows: usize,
        n_cols: usize,
        fixed: bool,
    ) -> Result<DynValue, BackendError> {
        self.0.new_table(n_rows, n_cols, fixed).map(Self::value)
    }

    fn load_columns(
        &self,
        value: &mut DynValue,
        start: usize,
        columns: &BitTable,
    ) -> Result<(), BackendError> {
        let value = slot_of::<B::Value>(value)?.as_mut().ok_or_else(foreign)?;
        self.0.load_columns(value, start, columns)
    }

    fn load_rows(&self, rows: BitTable, fixed: bool) -> Result<DynValue, BackendError> {
        self.0.load_rows(rows, fixed).map(Self::value)
    }

    fn load_sparse(
        &self,
        lines: SparseLines,
        form: TableForm,
        fixed: bool,
    ) -> Result<DynValue, BackendError> {
        self.0.load_sparse(lines, form, fixed).map(Self::value)
    }

    fn sparse_tables(
        &self,
        code: &DynCode,
        entry: RoutineId,
    ) -> Result<Option<Vec<TableUse>>, BackendError> {
        Ok(self.0.sparse_tables(of::<B::Code>(&*code.0)?, entry))
    }

    fn table_layout(&self, value: &DynValue) -> Result<Option<TableLayout>, BackendError> {
        Ok(self.0.table_layout(value_of::<B::Value>(value)?))
    }

    fn ty(&self, value: &DynValue) -> Result<Option<Ty>, BackendError> {
        Ok(self.0.ty(value_of::<B::Value>(value)?))
    }

    fn store(&self, value: &DynValue, interrupt: &AtomicBool) -> Result<HostValue, BackendError> {
        self.0.store(value_of::<B::Value>(value)?, interrupt)
    }

    fn store_columns(
        &self,
        value: &DynValue,
        columns: Range<usize>,
        interrupt: &AtomicBool,
    ) -> Result<BitTable, BackendError> {
        self.0.store_columns(value_of::<B::Value>(value)?, columns, interrupt)
    }

    fn unload(
        &self,
        mut value: DynValue,
        interrupt: &AtomicBool,
    ) -> Result<HostValue, BackendError> {
        let value = slot_of::<B::Value>(&mut value)?.take().ok_or_else(foreign)?;
        self.0.unload(value, interrupt)
    }

    fn unload_sparse(
        &self,
        mut value: DynValue,
        wanted: &dyn Fn(u64) -> bool,
    ) -> Result<Result<SparseTable, DynValue>, BackendError> {
        let value = slot_of::<B::Value>(&mut value)?.take().ok_or_else(foreign)?;
        Ok(self.0.unload_sparse(value, wanted).map_err(Self::value))
    }

    fn compile(&self, program: Program, options: &CompileOptions) -> Result<DynCode, BackendError> {
        self.0.compile(program, options).map(|code| DynCode(Box::new(code)))
    }

    fn recompile(
        &self,
        program: Program,
        options: &CompileOptions,
        earlier: &DynCode,
    ) -> Result<(DynCode, usize), BackendError> {
        let (code, n_kept) = self.0.recompile(program, options, of::<B::Code>(&*earlier.0)?)?;
        Ok((DynCode(Box::new(code)), n_kept))
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

    fn home_forms(&self, code: &DynCode, entry: RoutineId) -> Result<Vec<TableForm>, BackendError> {
        Ok(self.0.home_forms(of::<B::Code>(&*code.0)?, entry))
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

    fn explain(&self, plan: &DynPlan) -> Result<Explanation, BackendError> {
        Ok(self.0.explain(of::<B::Plan>(&*plan.0)?))
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
    use super::*;
    use crate::{Cpu, Reference};

    #[test]
    fn a_value_of_another_backend_is_an_internal_error() {
        let (cpu, reference) = (erase(Cpu::new()), erase(Reference::new()));
        let value = reference.load(HostValue::Int(7), false).unwrap();
        let never = AtomicBool::new(false);
        assert_eq!(reference.store(&value, &never), Ok(HostValue::Int(7)));
        assert!(matches!(cpu.store(&value, &never), Err(BackendError::Internal(_))));
        assert!(matches!(cpu.ty(&value), Err(BackendError::Internal(_))));
        assert!(matches!(cpu.unload(value, &never), Err(BackendError::Internal(_))));
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
            let mut value = backend.new_table(3, 5, true).unwrap();
            backend.load_columns(&mut value, 3, &part(3..5)).unwrap();
            backend.load_columns(&mut value, 0, &part(0..3)).unwrap();
            assert_eq!(backend.store(&value, &never), Ok(HostValue::Table(table.clone())));
            assert_eq!(backend.store_columns(&value, 1..4, &never), Ok(part(1..4)));
            let beyond = backend.load_columns(&mut value, 4, &part(0..2));
            assert!(matches!(beyond, Err(BackendError::Internal(_))));
            let narrow = BitTable::zeros(2, 1).unwrap();
            let narrow = backend.load_columns(&mut value, 0, &narrow);
            assert!(matches!(narrow, Err(BackendError::Internal(_))));
            let beyond = backend.store_columns(&value, 4..6, &never);
            assert!(matches!(beyond, Err(BackendError::Internal(_))));
            assert_eq!(backend.store(&value, &never), Ok(HostValue::Table(table.clone())));
        }
    }
}
