//! The trait of a backend, and what a run is given from outside.
//!
//! `erased` makes any backend an object, and the crate star-harness lists them. The steps in the order in which a host takes them, each of which may fail
//! with a [`BackendError`]:
//!
//! 1. [`Backend::caps`]: what the device has, before anything is given to it.
//! 2. [`Backend::compile`]: SIR to the backend's own executable form, once per program; [`Backend::recompile`] for the next line of a session.
//! 3. [`Backend::home_forms`] and [`Backend::sparse_tables`]: how the arguments of an entry had best lie.
//! 4. [`Backend::load`], or [`Backend::new_table`] and [`Backend::load_columns`]: arguments, by ranges of columns if they are large;
//!    [`Backend::load_rows`] and [`Backend::load_sparse`] where step 3 asks for it.
//! 5. [`Backend::plan`]: ready for an entry and the types of its arguments ([`Backend::ty`] of each), one for each parameter; [`Backend::explain`] says what
//!    became of it.
//! 6. [`Backend::lay_out`], then [`Backend::run`], as often as wanted, also with values of other sizes than those that were planned for.
//! 7. [`Backend::store`] or [`Backend::store_columns`]: results; [`Backend::unload`] or [`Backend::unload_sparse`] where nobody needs
//!    the value any more.
//!
//! Values outlive programs and plans: a REPL's variables are values, and a line is a routine whose `var` parameters they are. A handle is a
//! value without a form for the host: it is made by a run, [`Backend::ty`] says [`Ty::Handle`], and [`Backend::store`] gives [`HostValue::Unset`].
//! What a value holds on a device is given up when it is dropped. A backend is used by one thread; its methods take `&self`, so that caches
//! need interior mutability.
//!
//! Note [A new backend]. [`mod@crate::reference`] is the specification of every statement and operation of SIR: it has one function for each,
//! checks what the guards promise, and says nothing about speed. Shared by all backends are the wording of traps and the values in them
//! ([`crate::checks::check`] with a [`crate::checks::GuardContext`]), values as text for `print` ([`crate::display`]), ranges of columns ([`crate::columns`]), and
//! what ends a run ([`crate::interrupt`]). `vm/gpu` is a backend in a crate of its own. The tests compare each with the reference (`harness/src/compare.rs`).

use std::fmt;
use std::ops::Range;
use std::sync::atomic::AtomicBool;

use star_base::limbs::OutOfMemory;
use star_base::{BitTable, BitsRef, Code, Intrinsic, SparseLines, SparseTable};
use star_ir::analysis::line_accesses::TableUse;
use star_ir::{LimitKind, LocId, Program, RoutineId, Trap, Ty};

use crate::columns::refused;
use crate::counters::Counters;
use crate::explain::Explanation;
use crate::profile::Profile;
use crate::value::{HostValue, TableForm, TableLayout};

/// A compiler from SIR to an executable form of its own, and a machine that runs it.
pub trait Backend {
    /// A value in the backend's own form: on the host, on a device, or in parts on several.
    type Value;
    /// A compiled program.
    type Code;
    /// A compiled program made ready for an entry and the sizes of its arguments.
    type Plan;

    /// What the backend is and what it can hold.
    fn caps(&self) -> Capabilities;

    /// Takes a value in. A `fixed` slice or word keeps its size and a `fixed` table does not grow.
    ///
    /// # Errors
    /// If there is no memory for it, or the backend cannot hold such a value.
    fn load(&self, value: HostValue, fixed: bool) -> Result<Self::Value, BackendError>;

    /// A table of zeros, to be filled by [`Backend::load_columns`].
    ///
    /// # Errors
    /// As for [`Backend::load`].
    fn new_table(
        &self,
        n_rows: usize,
        n_cols: usize,
        fixed: bool,
    ) -> Result<Self::Value, BackendError>;

    /// The columns of a table from `start` (counted from 0) on become those of `columns`, which has as many rows.
    ///
    /// # Errors
    /// As for [`Backend::load`]; [`BackendError::Internal`] if the columns are not part of the table.
    fn load_columns(
        &self,
        value: &mut Self::Value,
        start: usize,
        columns: &BitTable,
    ) -> Result<(), BackendError>;

    /// The type of a value with its sizes; `None` if it is unset (or a table without rows).
    fn ty(&self, value: &Self::Value) -> Option<Ty>;

    /// Reads a value back whole, as a copy, unless `interrupt` is set meanwhile.
    ///
    /// # Errors
    /// If there is no memory for it, the user wants the end, or the value is gone with its device.
    fn store(&self, value: &Self::Value, interrupt: &AtomicBool)
    -> Result<HostValue, BackendError>;

    /// Reads columns (counted from 0) of a table back, unless `interrupt` is set meanwhile.
    ///
    /// # Errors
    /// As for [`Backend::store`]; [`BackendError::Internal`] if the columns are not part of a table.
    fn store_columns(
        &self,
        value: &Self::Value,
        columns: Range<usize>,
        interrupt: &AtomicBool,
    ) -> Result<BitTable, BackendError>;

    /// Gives a value up, as [`Backend::store`] reads it.
    ///
    /// # Errors
    /// As for [`Backend::store`]; the value is gone then.
    fn unload(
        &self,
        value: Self::Value,
        interrupt: &AtomicBool,
    ) -> Result<HostValue, BackendError> {
        self.store(&value, interrupt)
    }

    /// [`Backend::load`] of a table whose rows are the columns of `rows`.
    ///
    /// # Errors
    /// As for [`Backend::load`].
    fn load_rows(&self, rows: BitTable, fixed: bool) -> Result<Self::Value, BackendError> {
        let (n_rows, n_cols) = (rows.n_cols(), rows.n_rows());
        let mut table = BitTable::zeros(n_rows, n_cols).map_err(|_| refused(n_rows, n_cols))?;
        for col_idx in 0..n_cols {
            table.column_limbs_mut(col_idx).copy_from_slice(rows.row(col_idx).limbs());
        }
        self.load(HostValue::Table(table), fixed)
    }

    /// Gives a sparse table up as it lies; the value itself if it is none, or `wanted`, which gets the bytes of the dense table, says no.
    fn unload_sparse(
        &self,
        value: Self::Value,
        _wanted: &dyn Fn(u64) -> bool,
    ) -> Result<SparseTable, Self::Value> {
        Err(value)
    }

    /// [`Backend::load`] of a sparse table, whose columns or rows are these lines, for backends that have [`Backend::sparse_tables`].
    ///
    /// # Errors
    /// As for [`Backend::load`].
    fn load_sparse(
        &self,
        _lines: SparseLines,
        _form: TableForm,
        _fixed: bool,
    ) -> Result<Self::Value, BackendError> {
        Err(BackendError::Unsupported { what: "sparse tables".to_owned() })
    }

    /// Compiles a verified program.
    ///
    /// # Errors
    /// [`BackendError::Unsupported`] if the backend cannot run it, [`BackendError::Internal`] if it breaks a rule that
    /// the verifier should have kept.
    fn compile(
        &self,
        program: Program,
        options: &CompileOptions,
    ) -> Result<Self::Code, BackendError>;

    /// [`Backend::compile`] of a program that goes on from the one that `earlier` is of: a line of a session, after the one
    /// before it. Routines that they share (Note \[Shared routines\] in star-ir) may keep what the backend has made of them;
    /// how many did comes with the code. For backends that compile routine by routine.
    ///
    /// # Errors
    /// As for [`Backend::compile`].
    fn recompile(
        &self,
        program: Program,
        options: &CompileOptions,
        _earlier: &Self::Code,
    ) -> Result<(Self::Code, usize), BackendError> {
        self.compile(program, options).map(|code| (code, 0))
    }

    /// Makes ready to run `entry` with arguments of these types; `None` is one that is unset, or not known yet.
    ///
    /// # Errors
    /// As for [`Backend::compile`], or if there is no memory for it.
    fn plan(
        &self,
        code: &Self::Code,
        entry: RoutineId,
        args: &[Option<Ty>],
    ) -> Result<Self::Plan, BackendError>;

    /// How the parameters of an entry had best lie, for [`Backend::load_rows`]: one form for each parameter, in their order; those that are no tables, and
    /// those that the list is too short for, by columns.
    fn home_forms(&self, _code: &Self::Code, _entry: RoutineId) -> Vec<TableForm> {
        Vec::new()
    }

    /// What an entry does with its parameters, one for each, which decides whether tables among them had better be sparse. `None` if the backend has no
    /// sparse tables.
    fn sparse_tables(&self, _code: &Self::Code, _entry: RoutineId) -> Option<Vec<TableUse>> {
        None
    }

    /// How a table lies; `None` if the value is none, or the backend has one form only.
    fn table_layout(&self, _value: &Self::Value) -> Option<TableLayout> {
        None
    }

    /// Lays the arguments of a plan out as its entry touches them, where a run within `memory` could not do that on its
    /// way: a table too large for a second form beside it goes into the form of which the program reads more lines.
    ///
    /// # Errors
    /// If `interrupt` is set meanwhile. The values are the same then, however they lie.
    fn lay_out(
        &self,
        _plan: &Self::Plan,
        _values: &mut [Self::Value],
        _memory: Option<u64>,
        _interrupt: &AtomicBool,
    ) -> Result<(), BackendError> {
        Ok(())
    }

    /// What became of the program.
    fn explain(&self, plan: &Self::Plan) -> Explanation;

    /// Runs the entry. `values` are its arguments in order, one for each parameter; those of `var` parameters hold the results
    /// afterwards. After a trap, or a limit of steps, depth or output, they hold what SIR had stored by then, bit by bit as with every other
    /// backend; after the limit of memory, which backends may meet at different places, an interrupt or the deadline, what a statement left that was not at
    /// its end. Value arguments are unchanged.
    ///
    /// [`Control::stats`] is reset first. A set flag ends the run as [`LimitKind::Interrupted`] or [`LimitKind::Time`], refused memory as
    /// [`LimitKind::Memory`], an error of the host as a trap [`TrapKind::File`](star_ir::TrapKind::File); output is counted by the backend
    /// before it goes to the host. A limit names the statement that was to run next, as far as that is known.
    fn run(
        &self,
        plan: &Self::Plan,
        values: &mut [Self::Value],
        control: &mut Control<'_>,
    ) -> Outcome;
}

/// What a backend is and what it can hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// The name for `--backend`.
    pub name: &'static str,
    /// What computes, for people: the kernels of a processor, or an adapter.
    pub device: String,
    /// Is that an adapter, with memory of its own?
    pub is_adapter: bool,
    /// Threads of the host that it uses at most.
    pub threads: usize,
    /// Bytes of memory that a packed byte of values takes.
    pub expansion: u64,
    /// Most packed bytes of values that it holds at all.
    pub max_bytes: u64,
    /// The library routines that it has an intrinsic for.
    pub intrinsics: Vec<Intrinsic>,
}

/// How a program is compiled. No choice changes results, traps or elementary operations, but intrinsics count none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompileOptions {
    /// Intrinsics stand for the library routines that they are intrinsics of.
    pub intrinsics: bool,
    /// The backend may fuse operations, run iterations together, or change their order in another way that nobody sees.
    /// Without it, SIR runs as it was lowered: for limits on steps, and for counting.
    pub optimise: bool,
    /// A run may charge a profile ([`Control::profile`]).
    pub profile: bool,
}

impl CompileOptions {
    /// SIR as it was lowered.
    pub const AS_LOWERED: CompileOptions =
        CompileOptions { intrinsics: false, optimise: false, profile: false };
}

impl Default for CompileOptions {
    /// As fast as the backend can, without a profile.
    fn default() -> Self {
        CompileOptions { intrinsics: true, optimise: true, profile: false }
    }
}

/// Why a backend could not take a step. A run ends with an [`Outcome`] instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BackendError {
    /// The backend has no way to do this.
    Unsupported {
        /// What it cannot do, as in "tables with more than 2^32 rows".
        what: String,
    },
    /// The system or the device refuses memory that this needs.
    OutOfMemory(OutOfMemory),
    /// The device is gone, with all values on it.
    DeviceLost {
        /// What the device said.
        why: String,
    },
    /// The user wanted the end.
    Interrupted,
    /// An inconsistency that no program can cause: a fault of the toolchain.
    Internal(String),
}

impl From<OutOfMemory> for BackendError {
    fn from(refused: OutOfMemory) -> Self {
        BackendError::OutOfMemory(refused)
    }
}

impl fmt::Display for BackendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BackendError::Unsupported { what } => write!(f, "the backend does not support {what}"),
            BackendError::OutOfMemory(refused) => write!(f, "{refused}"),
            BackendError::DeviceLost { why } => write!(f, "the device is lost: {why}"),
            BackendError::Interrupted => write!(f, "interrupted"),
            BackendError::Internal(what) => write!(f, "{what}"),
        }
    }
}

impl std::error::Error for BackendError {}

/// What a run is given from outside.
pub struct Control<'a> {
    /// Set when the user wants the run to end; polled every few milliseconds.
    pub interrupt: &'a AtomicBool,
    /// Set when the time is up; likewise.
    pub deadline: &'a AtomicBool,
    /// Bounds on what the run may use. A limit on steps wants code that was compiled as it was lowered ([`CompileOptions::AS_LOWERED`]): elsewhere a run may
    /// pass it, and does not say where it was.
    pub limits: Limits,
    /// Serves `print`, `read` and `write`.
    pub host: &'a mut dyn Host,
    /// Is charged what lines and routines take, if the code was compiled for that; good for one run.
    pub profile: Option<&'a mut Profile>,
    /// What the run used; filled in while it runs, so that it is right after a trap too.
    pub stats: Stats,
}

/// Bounds on what a run may use; `None` is no bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Elementary operations plus loop turns and calls.
    pub steps: Option<u64>,
    /// Bytes of slices, words and tables alive at once, arguments included: packed bits, not what a backend keeps beside them. Each backend counts
    /// as it holds them, so that two may reach the limit at different places.
    pub memory: Option<u64>,
    /// Bytes printed.
    pub output: Option<u64>,
    /// Nested calls; always bounded, so that the machine's own stack is safe.
    pub depth: u64,
}

/// What a run used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Elementary operations of the STAR-machine, as the papers count them.
    pub operations: u64,
    /// Elementary operations plus loop turns and calls.
    pub steps: u64,
    /// Most bytes of values alive at once.
    pub peak_bytes: u64,
    /// Bytes printed.
    pub output_bytes: u64,
    /// Calls of library routines that the backend did in its own way ([`star_base::intrinsics`]). These count
    /// no operations, and no steps but that of the call.
    pub intrinsics: u64,
    /// Fast paths taken and declined.
    pub counters: Counters,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// At the end of the entry.
    Done,
    /// At a guard that did not hold.
    Trap(Box<Trap>),
    /// At a limit.
    Limit {
        /// Which one.
        kind: LimitKind,
        /// Where the program was.
        loc: LocId,
    },
    /// At values that the backend cannot work with, which only the run shows.
    Unsupported {
        /// What it cannot do, as in "lines of 2^32 components".
        what: String,
    },
    /// At the loss of the device; the values on it are gone.
    DeviceLost {
        /// What the device said.
        why: String,
    },
    /// At an inconsistency that no source program can cause: a fault of the toolchain.
    Internal(String),
}

impl Outcome {
    /// The end of a run with a profile of code that was not compiled for one.
    pub fn not_profiled() -> Outcome {
        Outcome::Internal("a profile of code that was compiled without".to_owned())
    }
}

/// The world outside the machine.
pub trait Host {
    /// Prints a line, which ends with a line break.
    ///
    /// # Errors
    /// If nobody reads the output any more.
    fn print(&mut self, line: &str) -> Result<(), HostError>;

    /// Reads a file for a variable of type `ty` (sizes in it do not matter). `max_bytes` is the memory
    /// that the value may take.
    ///
    /// # Errors
    /// If the file may not or cannot be read, or does not give such a value.
    fn read(
        &mut self,
        file: &str,
        layout: Option<&str>,
        ty: Ty,
        max_bytes: Option<u64>,
    ) -> Result<HostValue, HostError>;

    /// Writes a file, whole or not at all.
    ///
    /// # Errors
    /// If the file may not or cannot be written.
    fn write(&mut self, file: &str, value: BitsRef<'_>) -> Result<(), HostError>;
}

/// Why the host could not serve the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostError {
    /// What kind of fault it is.
    pub code: Code,
    /// The message.
    pub message: String,
}

/// Is there such a routine?
///
/// # Errors
/// [`BackendError::Internal`] if there is none.
pub fn check_entry(program: &Program, entry: RoutineId) -> Result<(), BackendError> {
    match program.routines.get(entry.0 as usize) {
        Some(_) => Ok(()),
        None => Err(BackendError::Internal(format!("the program has no routine {}", entry.0))),
    }
}
