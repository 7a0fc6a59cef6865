//! The CPU backend: packed bits, SIMD kernels, threads.
//!
//! * [`Value`]: packed limbs; tables in up to two forms (`table`).
//! * `compile` translates SIR to register code (`code`, `inst`); `class` classifies instructions by
//!   their effects; `explain` reports the decisions.
//! * The interpreter (`interpreter`): frames of `registers`, `calls`, `forall`, kernels over
//!   `lines`, `recording` of operations on long slices and in tile kernels, `guards`; instructions
//!   on `bits` (also `moves`, `words`, `queries`), on `tables` and on `sizes`; files and output
//!   (`host`), values for display (`shown`). `table_use` computes how a program uses its table
//!   arguments, `copies` counts their second forms.
//! * `probe`: the data that a profile collects at every instruction; `exec::random_forms`: random
//!   changes of forms, for tests.
//! * `checkpoints`: the state of a run, to be continued later.
//! * Intrinsics (`intrinsics`): library routines with a built-in implementation.
//! * [`Settings`]: distribution of work over pieces and threads (`parallelism`, `pool`). They
//!   change no result.
//!
//! The reference backend defines each operation; this backend gives the same bits, traps and
//! counts.

mod bits;
mod blocks;
mod calls;
mod checkpoints;
mod class;
mod code;
mod compile;
mod copies;
mod counts;
mod exec;
mod explain;
mod extremes;
mod forall;
mod guards;
mod host;
mod inst;
mod interpreter;
mod intrinsics;
mod lines;
mod loop_kernels;
mod moves;
mod operand;
pub(crate) mod parallelism;
pub(crate) mod pool;
mod probe;
mod queries;
mod ranks;
mod recording;
mod registers;
mod settings;
mod shown;
mod sizes;
mod sparse;
mod summary;
mod table;
mod table_use;
mod transpose;
mod value;
mod views;
mod window;
mod words;

use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use star_base::Intrinsic;
use star_ir::{Program, RoutineId, Ty};
use star_value::{BitTable, OutOfMemory, TableWish, Value as HostValue};

use crate::backend::{
    Backend, BackendError, Capabilities, CompileOptions, Compiled, Control, Outcome, Part,
    TypeInfo, Wanted, check_entry,
};
use crate::budget::MemoryBudget;
use crate::columns::{check_part, no_table};
use crate::exchange::{Exchange, Partition, PartitionSettings};
use crate::explain::Explanation;
use crate::kernels::Kernels;

pub use intrinsics::{
    CpuIntrinsic, HandlePart, IntrinsicCall, IntrinsicFn, IntrinsicResult, NotTaken, SparseGround,
    Target,
};
pub use settings::Settings;
pub use value::Value;

use copies::Copies;
use parallelism::Parallelism;
use pool::Pool;
use table_use::{accesses_of, wants_rows, wants_rows_alone, wish_of};
use value::ValueData;

/// The CPU backend.
#[derive(Clone, Debug)]
pub struct Cpu {
    settings: Settings,
    kernels: Kernels,
    pool: &'static Pool,
    intrinsics: Vec<CpuIntrinsic>,
    /// The other ranks, with whom it shares the rows.
    ranks: Option<(Rc<dyn Exchange>, Partition)>,
}

/// A compiled program.
#[derive(Clone, Debug)]
pub struct Code(Arc<code::Code>);

/// A compiled program and its entry.
#[derive(Clone, Debug)]
pub struct Plan {
    code: Arc<code::Code>,
    entry: RoutineId,
    kernels: Kernels,
    pool: &'static Pool,
    n_ranks: usize,
}

impl Default for Cpu {
    fn default() -> Self {
        Cpu::new()
    }
}

/// A flag that is never set.
static NEVER: AtomicBool = AtomicBool::new(false);

impl Cpu {
    /// Creates the backend with the best kernels for this processor and one thread for each core.
    pub fn new() -> Self {
        Cpu::with(Settings::default(), Kernels::detect())
    }

    /// Creates the backend with other settings. [`Backend::explain`] reports threads that the
    /// system refused.
    pub fn with(settings: Settings, kernels: Kernels) -> Self {
        let pool = Pool::of(settings.threads);
        Cpu { settings, kernels, pool, intrinsics: intrinsics::TABLE.to_vec(), ranks: None }
    }

    /// Adds an intrinsic. If there are several for one entry, the first counts.
    #[must_use]
    pub fn with_intrinsic(mut self, candidate: CpuIntrinsic) -> Self {
        self.intrinsics.push(candidate);
        self
    }

    /// Makes it one of several ranks: each holds a part of the rows of slices and tables. All ranks
    /// take the same steps with the same programs and values, in the same order.
    #[must_use]
    pub fn on_rank(mut self, exchange: Rc<dyn Exchange>, settings: PartitionSettings) -> Self {
        let partition = Partition::new(settings, exchange.rank(), exchange.n_ranks());
        // Forms keep the same rows.
        self.settings.random_forms = None;
        self.ranks = Some((exchange, partition));
        self
    }

    /// Returns its kernels.
    pub fn kernels(&self) -> Kernels {
        self.kernels
    }

    /// Returns the maximum number of threads.
    pub fn threads(&self) -> usize {
        self.pool.wanted()
    }

    /// Returns the catalogue entries of its intrinsics, in the same order.
    fn entries(&self) -> Vec<Intrinsic> {
        self.intrinsics.iter().map(|candidate| candidate.intrinsic).collect()
    }

    /// Returns its intrinsics without duplicates.
    fn each_intrinsic(&self) -> Vec<Intrinsic> {
        let mut intrinsics: Vec<Intrinsic> = Vec::with_capacity(self.intrinsics.len());
        for candidate in &self.intrinsics {
            if !intrinsics.contains(&candidate.intrinsic) {
                intrinsics.push(candidate.intrinsic);
            }
        }
        intrinsics
    }

    fn parallelism<'a>(&self, budget: &MemoryBudget<'a>) -> Parallelism<'a> {
        Parallelism::new(self.kernels, self.settings, budget.flags(), self.pool)
    }
}

impl Backend for Cpu {
    type Value = Value;
    type Code = Code;
    type Plan = Plan;

    fn caps(&self) -> Capabilities {
        Capabilities {
            name: if self.ranks.is_some() { "ranks" } else { "cpu" },
            device: match &self.ranks {
                None => format!("{} kernels", self.kernels.level().name()),
                Some((_, partition)) => {
                    let (rank, n_ranks) = (partition.rank(), partition.n_ranks());
                    let kernels = self.kernels.level().name();
                    format!("{kernels} kernels, rank {rank} of {n_ranks}")
                }
            },
            is_adapter: false,
            threads: self.threads(),
            expansion: 1,
            max_bytes: u64::MAX,
            part_bytes: self.ranks.as_ref().map(|(_, partition)| partition.part_bytes()),
            has_sparse: true,
            intrinsics: self.each_intrinsic(),
        }
    }

    fn load(&self, value: HostValue, fixed: bool) -> Result<Value, BackendError> {
        let is_by_columns = value.columns().is_some();
        let mut data = ValueData::from_host(value);
        if let (ValueData::Table(table), true) =
            (&mut data, self.settings.all_sparse && is_by_columns)
        {
            let never = MemoryBudget::new(&NEVER, &NEVER, u64::MAX);
            *table = Arc::new(table.sparse_copy(&self.parallelism(&never))?);
        }
        let elsewhere = self.keep_part(&mut data)?;
        Ok(Value { data, size: None, fixed, elsewhere })
    }

    fn load_columns(
        &self,
        value: &mut Value,
        n_cols: usize,
        start: usize,
        columns: &BitTable,
    ) -> Result<(), BackendError> {
        let n_rows = columns.n_rows();
        let own = self.own_rows(columns)?;
        let columns = own.as_ref().unwrap_or(columns);
        if let ValueData::Nothing = value.data {
            let n_own = columns.n_rows();
            let n_bytes = n_own.div_ceil(64) as u128 * 8 * n_cols as u128;
            let zeros = BitTable::zeros(n_own, n_cols).map_err(|_| OutOfMemory { n_bytes })?;
            let data = ValueData::Table(Arc::new(table::Table::new(zeros)));
            let elsewhere = n_rows - n_own;
            *value = Value { data, size: None, fixed: value.fixed, elsewhere };
        }
        let ValueData::Table(shared) = &mut value.data else { return Err(no_table()) };
        check_part((shared.n_rows(), shared.n_cols()), n_cols, start, columns)?;
        if columns.n_cols() == 0 {
            return Ok(());
        }
        let never = MemoryBudget::new(&NEVER, &NEVER, u64::MAX);
        let parallelism = self.parallelism(&never);
        let table = shared_mut(shared, &parallelism)?;
        let refused = OutOfMemory { n_bytes: u128::from(table.dense_bytes()) };
        let is_sparse = table.is_sparse();
        let made = table.make_dense(&parallelism).map_err(|_stop| BackendError::Interrupted)?;
        if is_sparse && !made {
            return Err(refused.into());
        }
        table.set_columns(start, columns);
        Ok(())
    }

    fn ranks(&self) -> Option<(Rc<dyn Exchange>, Partition)> {
        self.ranks.clone()
    }

    fn load_rows(&self, n_rows: usize, own: BitTable) -> Result<Value, BackendError> {
        let partition = self.ranks.as_ref().map(|(_, partition)| partition);
        let n_own = partition.and_then(|partition| partition.own(n_rows)).map(|own| own.len());
        if n_own != Some(own.n_rows()) {
            let why = format!("{} of {n_rows} rows, not those of this rank", own.n_rows());
            return Err(BackendError::Internal(why));
        }
        let elsewhere = n_rows - own.n_rows();
        let data = ValueData::Table(Arc::new(table::Table::new(own)));
        Ok(Value { data, size: None, fixed: true, elsewhere })
    }

    fn store_rows(
        &self,
        value: &Value,
        columns: Range<usize>,
        interrupt: &AtomicBool,
    ) -> Result<BitTable, BackendError> {
        let budget = MemoryBudget::new(interrupt, &NEVER, u64::MAX);
        let ValueData::Table(table) = &value.data else { return Err(no_table()) };
        let columns = table.some_columns(columns, &self.parallelism(&budget))?;
        match value.elsewhere {
            0 => self.own_rows(&columns)?.ok_or_else(no_table),
            _ => Ok(columns),
        }
    }

    fn ty(&self, value: &Value) -> Option<TypeInfo> {
        let layout = match &value.data {
            ValueData::Table(table) => Some(table.layout()),
            ValueData::Nothing
            | ValueData::Int(_)
            | ValueData::Bool(_)
            | ValueData::Slice(_)
            | ValueData::Word(_)
            | ValueData::Text(_)
            | ValueData::Handle(_) => None,
        };
        value.ty().map(|ty| TypeInfo { ty, layout })
    }

    fn store(
        &self,
        value: &Value,
        part: Part,
        interrupt: &AtomicBool,
    ) -> Result<HostValue, BackendError> {
        let budget = MemoryBudget::new(interrupt, &NEVER, u64::MAX);
        let parallelism = self.parallelism(&budget);
        if value.elsewhere > 0 {
            return self.gather(value, part, Wanted::Columns, &parallelism);
        }
        match (&value.data, part) {
            (data, Part::Whole) => data.to_host(&parallelism),
            (ValueData::Table(table), Part::Columns(columns)) => {
                table.some_columns(columns, &parallelism).map(HostValue::from)
            }
            (_, Part::Columns(_)) => Err(no_table()),
        }
    }

    fn unload(
        &self,
        value: Value,
        wanted: Wanted,
        interrupt: &AtomicBool,
    ) -> Result<HostValue, BackendError> {
        let budget = MemoryBudget::new(interrupt, &NEVER, u64::MAX);
        let parallelism = self.parallelism(&budget);
        if value.elsewhere > 0 {
            return self.gather(&value, Part::Whole, wanted, &parallelism);
        }
        let mut table = match value.data {
            ValueData::Table(table) => table,
            ValueData::Slice(bits) => return Ok(HostValue::Slice(bits)),
            ValueData::Word(bits) => return Ok(HostValue::Word(bits)),
            data @ (ValueData::Nothing
            | ValueData::Int(_)
            | ValueData::Bool(_)
            | ValueData::Text(_)
            | ValueData::Handle(_)) => {
                return data.to_host(&parallelism);
            }
        };
        if let Wanted::Sparse { from_bytes } = wanted
            && table.is_sparse()
            && table.dense_bytes() >= from_bytes
        {
            let taken = Arc::try_unwrap(table).map(table::Table::into_sparse);
            table = match taken {
                Ok(Ok(sparse)) => return Ok(sparse.into()),
                Ok(Err(table)) => Arc::new(table),
                Err(shared) => match shared.copy_of_sparse() {
                    Some(sparse) => return Ok(sparse.into()),
                    None => shared,
                },
            };
        }
        if let Some(table) = Arc::get_mut(&mut table)
            && table.n_bytes() >= self.settings.in_place_bytes
        {
            // A table with few columns, which would need the same memory again, gets a second form.
            let spare = table.n_bytes() / 4;
            let transposed =
                table.transpose_in_place(table::form::Line::Column, spare, &parallelism);
            transposed.map_err(|_stop| BackendError::Interrupted)?;
        }
        let shared = match Arc::try_unwrap(table).map(table::Table::into_columns) {
            Ok(Ok(columns)) => return Ok(columns.into()),
            Ok(Err(table)) => Arc::new(table),
            Err(shared) => shared,
        };
        ValueData::Table(shared).to_host(&parallelism)
    }

    fn compile(
        &self,
        program: Program,
        options: &CompileOptions,
        earlier: Option<&Code>,
    ) -> Result<Compiled<Code>, BackendError> {
        let earlier = earlier.map(|code| &*code.0);
        let code = compile::compile(program, *options, &self.entries(), earlier)?;
        let n_kept = code.n_kept;
        Ok(Compiled { code: Code(Arc::new(code)), n_kept })
    }

    fn plan(
        &self,
        code: &Code,
        entry: RoutineId,
        _args: &[Option<Ty>],
    ) -> Result<Plan, BackendError> {
        check_entry(&code.0.program, entry)?;
        let n_ranks = self.ranks.as_ref().map_or(1, |(_, partition)| partition.n_ranks());
        Ok(Plan { code: code.0.clone(), entry, kernels: self.kernels, pool: self.pool, n_ranks })
    }

    fn preferences(&self, code: &Code, entry: RoutineId) -> Vec<TableWish> {
        let accesses = accesses_of(&self.intrinsics, &code.0, entry).into_iter();
        accesses.map(wish_of).collect()
    }

    fn lay_out(
        &self,
        plan: &Plan,
        values: &mut [Value],
        memory: Option<u64>,
        interrupt: &AtomicBool,
    ) -> Result<(), BackendError> {
        let mut budget = MemoryBudget::new(interrupt, &NEVER, memory.unwrap_or(u64::MAX));
        values.iter().for_each(|value| budget.commit(value.data.n_bytes()));
        let copies = Copies::new(&self.settings);
        let is_large = |table: &table::Table| table.n_bytes() >= self.settings.in_place_bytes;
        // The program is examined only if a table has no second form next to the first.
        let may_transpose = |value: &Value| {
            let ValueData::Table(table) = &value.data else { return false };
            let fits = copies.may_add(&budget, table.n_bytes());
            !table.is_sparse() && (is_large(table) || !fits)
        };
        if !values.iter().any(may_transpose) {
            return Ok(());
        }
        let parallelism = self.parallelism(&budget);
        let wanted = accesses_of(&self.intrinsics, &plan.code, plan.entry);
        for (value, accesses) in values.iter_mut().zip(wanted) {
            let ValueData::Table(shared) = &mut value.data else { continue };
            // A large table of which only rows are used needs no second form.
            let needs_columns = !wants_rows_alone(accesses) || !is_large(shared);
            if shared.is_sparse()
                || !wants_rows(accesses)
                || (needs_columns && copies.may_add(&budget, shared.n_bytes()))
            {
                continue;
            }
            // A shared table keeps its layout.
            if let Some(table) = Arc::get_mut(shared) {
                let spare = budget.available();
                let transposed =
                    table.transpose_in_place(table::form::Line::Row, spare, &parallelism);
                // Only a flag stops this.
                transposed.map_err(|_stop| BackendError::Interrupted)?;
            }
        }
        Ok(())
    }

    fn explain(&self, plan: &Plan) -> Explanation {
        explain::explain(&self.intrinsics, plan)
    }

    fn run(&self, plan: &Plan, values: &mut [Value], control: &mut Control<'_>) -> Outcome {
        let budget = MemoryBudget::new(control.interrupt, control.deadline, u64::MAX);
        let mut parallelism = self.parallelism(&budget);
        let (code, entry) = (&*plan.code, plan.entry);
        if !code.options.optimise {
            // No slice has this length, so nothing is recorded.
            parallelism.settings.record_limbs = usize::MAX;
        }
        if let Some((exchange, partition)) = &self.ranks {
            if control.profile.is_some() {
                return Outcome::Unsupported { what: "profiles on several ranks".to_owned() };
            }
            let ranks = Some(ranks::Ranks::new(Rc::clone(exchange), *partition));
            let (intrinsics, mut probe) = (&self.intrinsics, probe::AcrossRanks);
            let parts = (parallelism, ranks);
            return interpreter::run(code, intrinsics, parts, entry, values, control, &mut probe);
        }
        let parallelism = (parallelism, None);
        let Some(profile) = control.profile.take() else {
            if let Some(seed) = self.settings.random_forms {
                let mut probe = exec::random_forms::RandomForms::new(seed);
                let intrinsics = &self.intrinsics;
                return interpreter::run(
                    code,
                    intrinsics,
                    parallelism,
                    entry,
                    values,
                    control,
                    &mut probe,
                );
            }
            return interpreter::run(
                code,
                &self.intrinsics,
                parallelism,
                entry,
                values,
                control,
                &mut probe::NoProbe,
            );
        };
        if !code.options.profile {
            return Outcome::not_profiled();
        }
        let mut probe = probe::ProfilingProbe::new(code, entry, profile);
        let outcome = interpreter::run(
            code,
            &self.intrinsics,
            parallelism,
            entry,
            values,
            control,
            &mut probe,
        );
        probe.end();
        outcome
    }
}

/// Returns unique, mutable access to the table.
fn shared_mut<'t>(
    shared: &'t mut Arc<table::Table>,
    parallelism: &Parallelism<'_>,
) -> Result<&'t mut table::Table, BackendError> {
    if Arc::get_mut(shared).is_none() {
        let copy =
            shared.try_clone(None, parallelism).map_err(|_stop| BackendError::Interrupted)?;
        let refused = OutOfMemory { n_bytes: u128::from(shared.n_bytes()) };
        *shared = Arc::new(copy.ok_or(refused)?);
    }
    let refused = || BackendError::Internal("a table that was just copied is shared".to_owned());
    let table = Arc::get_mut(shared).ok_or_else(refused)?;
    table.end_transpose(parallelism).map_err(|_stop| BackendError::Interrupted)?;
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_by_rows_transpose_to_columns_in_place_and_copied() {
        let (never, always) = (AtomicBool::new(false), AtomicBool::new(true));
        for (n_rows, n_cols) in [(1, 1), (65, 65), (513, 513), (65, 130)] {
            let bit = |row: usize, col: usize| (row * 31 + col * 17).is_multiple_of(7);
            let mut columns = BitTable::zeros(n_rows, n_cols).expect("memory");
            let mut rows = BitTable::zeros(n_cols, n_rows).expect("memory");
            for (row, col) in (0..n_rows).flat_map(|row| (0..n_cols).map(move |col| (row, col))) {
                columns.put(row, col, bit(row, col));
                rows.put(col, row, bit(row, col));
            }
            for settings in [Settings::tiny(), Settings::default()] {
                let cpu = Cpu::with(settings, Kernels::detect());
                let rows = star_value::Table::Rows(rows.clone());
                let load = || cpu.load(rows.clone().into(), true).expect("memory");
                let unload = |flag| cpu.unload(load(), Wanted::Columns, flag);
                let given_up = unload(&never).expect("memory");
                assert!(given_up == HostValue::from(columns.clone()), "{n_rows} x {n_cols}");
                assert_eq!(unload(&always), Err(BackendError::Interrupted));
            }
        }
    }

    #[test]
    fn each_intrinsic_is_listed_once() {
        let cpu = Cpu::new();
        let (names, candidate) = (cpu.caps().intrinsics, cpu.intrinsics[0]);
        assert_eq!(cpu.with_intrinsic(candidate).caps().intrinsics, names);
    }
}
