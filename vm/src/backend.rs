//! The backend trait and the inputs of a run.
//!
//! `dyn_backend` makes any backend an object, and `star::pipeline` lists them. A host takes the
//! following steps in this order; most may fail with a [`BackendError`]:
//!
//! 1. [`Backend::caps`]: capabilities of the device.
//! 2. [`Backend::compile`]: SIR to the backend's executable form, once per program, or for the next
//!    line of a session.
//! 3. [`Backend::preferences`]: preferred layouts of the arguments of an entry.
//! 4. [`Backend::load`], [`Backend::load_columns`] by ranges of columns, or on several ranks
//!    [`Backend::load_rows`]: arguments, in the forms of step 3 if possible.
//! 5. [`Backend::plan`]: preparation for an entry and the types of its arguments ([`Backend::ty`]
//!    of each), one for each parameter; [`Backend::explain`] describes the resulting plan.
//! 6. [`Backend::lay_out`], then [`Backend::run`], any number of times, also with values of sizes
//!    other than the planned ones.
//! 7. [`Backend::store`]: results; [`Backend::unload`] where the value is no longer needed.
//!
//! Values outlive programs and plans: the variables of a REPL are values, and a line is a routine
//! whose `var` parameters they are. A handle is a value without a host form: a run creates it,
//! [`Backend::ty`] returns [`Ty::Handle`], and [`Backend::store`] returns [`HostValue::Unset`].
//! Dropping a value releases its device resources. A backend is used by one thread; its methods
//! accept `&self`, so caches need interior mutability.
//!
//! Note [A new backend]. [`mod@crate::reference`] is the specification of every statement and
//! operation of SIR: it has one function for each and checks what the guards promise; it makes no
//! statement about speed. All backends share the wording of traps and the values in them
//! ([`crate::checks::check`] with a [`crate::checks::GuardContext`]), the text of values for
//! `print` ([`star_value::display`]), ranges of columns ([`crate::columns`]), and the reasons why a
//! run ends ([`crate::interrupt`]). `vm/gpu` is a backend in a separate crate. The tests compare
//! each backend with the reference (`harness/src/compare.rs`).

use std::fmt;
use std::ops::Range;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use star_base::{Code, Intrinsic, Span};
use star_ir::{LimitKind, LocId, Program, ReductionOp, RoutineId, Trap, Ty};
use star_value::{
    BitTable, BitVector, BitsRef, OutOfMemory, TableLayout, TableWish, Value as HostValue,
};

use crate::checkpoint::Checkpoints;
use crate::counters::Counters;
use crate::exchange::{Exchange, Lost, Partition};
use crate::explain::Explanation;
use crate::profile::Profile;

/// A compiler from SIR to an executable form, and a machine that runs it.
pub trait Backend {
    /// A value in the backend's form: on the host, on a device, or in parts on several.
    type Value;
    /// A compiled program.
    type Code;
    /// A compiled program prepared for an entry and the sizes of its arguments.
    type Plan;

    /// Returns the name and the limits of the backend.
    fn caps(&self) -> Capabilities;

    /// Loads a value. A `fixed` slice or word keeps its size, and a `fixed` table does not grow. A
    /// backend without the form of a table converts it by
    /// [`by_columns`](crate::columns::by_columns).
    ///
    /// # Errors
    /// If there is no memory for it, or the backend cannot hold this value.
    fn load(&self, value: HostValue, fixed: bool) -> Result<Self::Value, BackendError>;

    /// Replaces the columns of a table of `n_cols` columns from `start` (counted from 0) by those
    /// of `columns`, which has the same number of rows. An unset value becomes a table of these
    /// sizes first, with zeros.
    ///
    /// # Errors
    /// As for [`Backend::load`]; [`BackendError::Internal`] if the value is no such table, or the
    /// columns are not part of it.
    fn load_columns(
        &self,
        value: &mut Self::Value,
        n_cols: usize,
        start: usize,
        columns: &BitTable,
    ) -> Result<(), BackendError>;

    /// Returns the other ranks, and the partition of rows among them, if the rows of slices and
    /// tables are distributed over several processes.
    fn ranks(&self) -> Option<(Rc<dyn Exchange>, Partition)> {
        None
    }

    /// Loads a table of `n_rows` rows, of which each rank passes those that it owns.
    ///
    /// # Errors
    /// As for [`Backend::load`]; [`BackendError::Internal`] if `own` has another number of rows.
    fn load_rows(&self, n_rows: usize, _own: BitTable) -> Result<Self::Value, BackendError> {
        Err(BackendError::Internal(format!("{n_rows} rows for a process without ranks")))
    }

    /// Returns the rows that this rank owns of some columns of a table whose rows are distributed.
    ///
    /// # Errors
    /// As for [`Backend::store`]; [`BackendError::Internal`] if the rows are not distributed.
    fn store_rows(
        &self,
        _value: &Self::Value,
        columns: Range<usize>,
        _interrupt: &AtomicBool,
    ) -> Result<BitTable, BackendError> {
        let n_cols = columns.len();
        Err(BackendError::Internal(format!("rows of {n_cols} columns of a process without ranks")))
    }

    /// Returns the type of a value with its sizes, and the layout of a table; `None` if it is unset
    /// (or a table without rows).
    fn ty(&self, value: &Self::Value) -> Option<TypeInfo>;

    /// Reads a value or a part of it back, as a copy, unless `interrupt` is set meanwhile. Tables
    /// are by columns.
    ///
    /// # Errors
    /// If there is no memory for it, the user interrupts, or the value was lost with its device;
    /// [`BackendError::Internal`] for columns that are not part of a table.
    fn store(
        &self,
        value: &Self::Value,
        part: Part,
        interrupt: &AtomicBool,
    ) -> Result<HostValue, BackendError>;

    /// Consumes a value and returns it, a table in the `wanted` form.
    ///
    /// # Errors
    /// As for [`Backend::store`]; the value is lost then.
    fn unload(
        &self,
        value: Self::Value,
        _wanted: Wanted,
        interrupt: &AtomicBool,
    ) -> Result<HostValue, BackendError> {
        self.store(&value, Part::Whole, interrupt)
    }

    /// Compiles a verified program, which may continue the one of `earlier`: a line of a session,
    /// after the previous one. Routines that both share (Note \[Shared routines\] in star-ir) may
    /// keep their compiled form, in backends that compile routine by routine.
    ///
    /// # Errors
    /// [`BackendError::Unsupported`] if the backend cannot run it, [`BackendError::Internal`] if it
    /// breaks a rule that the verifier should have enforced.
    fn compile(
        &self,
        program: Program,
        options: &CompileOptions,
        earlier: Option<&Self::Code>,
    ) -> Result<Compiled<Self::Code>, BackendError>;

    /// Prepares a run of `entry` with arguments of these types; `None` is an argument that is
    /// unset, or not known yet.
    ///
    /// # Errors
    /// As for [`Backend::compile`], or if there is no memory for it.
    fn plan(
        &self,
        code: &Self::Code,
        entry: RoutineId,
        args: &[Option<Ty>],
    ) -> Result<Self::Plan, BackendError>;

    /// Returns the preferred layouts of the parameters of an entry, in order; by columns and not
    /// sparse beyond the end of the list. Those of parameters that are not tables mean nothing.
    fn preferences(&self, _code: &Self::Code, _entry: RoutineId) -> Vec<TableWish> {
        Vec::new()
    }

    /// Arranges the arguments of a plan as its entry accesses them, where a run within `memory`
    /// could not do that itself: a table too large for a second form next to the first is converted
    /// to the form of which the program reads more lines.
    ///
    /// # Errors
    /// If `interrupt` is set meanwhile. The values are unchanged then, whatever their layouts.
    fn lay_out(
        &self,
        _plan: &Self::Plan,
        _values: &mut [Self::Value],
        _memory: Option<u64>,
        _interrupt: &AtomicBool,
    ) -> Result<(), BackendError> {
        Ok(())
    }

    /// Describes how the program was compiled.
    fn explain(&self, plan: &Self::Plan) -> Explanation;

    /// Runs the entry. `values` are its arguments in order, one for each parameter; those of `var`
    /// parameters hold the results afterwards. After a trap, or a limit of steps, depth or output,
    /// they hold what SIR had stored by then, bit for bit as with every other backend. After the
    /// limit of memory, which backends may reach at different points, an interrupt or the deadline,
    /// they hold what an incomplete statement left. Value arguments are unchanged.
    ///
    /// [`Control::stats`] is reset first. A set flag ends the run as [`LimitKind::Interrupted`] or
    /// [`LimitKind::Time`], refused memory as [`LimitKind::Memory`], an error of the host as a trap
    /// [`TrapKind::File`](star_ir::TrapKind::File); the backend counts output before it passes it
    /// to the host. A limit names the statement that was to run next, if it is known.
    fn run(
        &self,
        plan: &Self::Plan,
        values: &mut [Self::Value],
        control: &mut Control<'_>,
    ) -> Outcome;
}

/// Name and limits of a backend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// The name for `--backend`.
    pub name: &'static str,
    /// The computing device, for display: the kernels of a processor, or an adapter.
    pub device: String,
    /// Whether that is an adapter with separate memory.
    pub is_adapter: bool,
    /// Maximum number of host threads.
    pub threads: usize,
    /// Bytes of memory for each packed byte of values.
    pub expansion: u64,
    /// Maximum number of packed bytes of values that it can hold.
    pub max_bytes: u64,
    /// Bytes of the columns of a table that enter and leave it at once, at least one column: the
    /// host holds no more of the table. `None` if it keeps the memory of the host's tables, so that
    /// parts would cost a copy.
    pub part_bytes: Option<u64>,
    /// Whether it has sparse tables.
    pub has_sparse: bool,
    /// The library routines for which it has an intrinsic.
    pub intrinsics: Vec<Intrinsic>,
}

/// The type of a value, and its layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeInfo {
    /// The type with its sizes.
    pub ty: Ty,
    /// The layout of a table; `None` if it is not a table, or the backend has only one form.
    pub layout: Option<TableLayout>,
}

impl From<Ty> for TypeInfo {
    /// Creates the description of a value without a layout.
    fn from(ty: Ty) -> Self {
        TypeInfo { ty, layout: None }
    }
}

/// What is read of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    Whole,
    /// A range of columns of a table, counted from 0.
    Columns(Range<usize>),
}

/// The form in which a table leaves a backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// By columns.
    Columns,
    /// Sparse if it is sparse on the backend, and by columns otherwise.
    Sparse {
        /// Minimum size of its dense form in bytes; smaller tables are by columns.
        from_bytes: u64,
    },
}

/// A compiled program.
#[derive(Clone, Debug)]
pub struct Compiled<C> {
    /// The program in the backend's form.
    pub code: C,
    /// The number of routines that kept the form of an earlier program.
    pub n_kept: usize,
}

impl<C> Compiled<C> {
    /// Creates a program of which every routine was compiled.
    pub fn new(code: C) -> Self {
        Compiled { code, n_kept: 0 }
    }
}

/// How a program is compiled. No choice changes results, traps or elementary operations, except
/// that intrinsics count none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompileOptions {
    /// Replace library routines by their intrinsics.
    pub intrinsics: bool,
    /// The backend may fuse operations, run iterations together, or change their order in other
    /// unobservable ways. Without it, SIR runs as it was lowered: for limits on steps, and for
    /// counting.
    pub optimise: bool,
    /// A run may charge a profile ([`Control::profile`]).
    pub profile: bool,
    /// A run may be saved, and continued, at the iterations of outermost loops
    /// ([`Host::checkpoints`]).
    pub checkpoints: bool,
}

impl CompileOptions {
    /// SIR as it was lowered.
    pub const AS_LOWERED: CompileOptions =
        CompileOptions { intrinsics: false, optimise: false, profile: false, checkpoints: false };
}

impl Default for CompileOptions {
    /// As fast as the backend can run, without a profile.
    fn default() -> Self {
        CompileOptions { intrinsics: true, optimise: true, profile: false, checkpoints: false }
    }
}

/// Why a backend could not complete a step. A run ends with an [`Outcome`] instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BackendError {
    /// The backend does not support this.
    Unsupported {
        /// The unsupported feature, as in "tables with more than 2^32 rows".
        what: String,
    },
    /// The program has a construct that ranks with graphics cards do not run.
    NotDistributed {
        /// The construct, as in "`write`".
        what: String,
        /// Its place in the source text, if it has one.
        span: Option<Span>,
    },
    /// The system or the device refuses the memory for this.
    OutOfMemory(OutOfMemory),
    /// The device is lost, with all values on it.
    DeviceLost {
        /// The message of the device.
        why: String,
    },
    /// The user interrupted the step.
    Interrupted,
    /// An inconsistency that no program can cause: a defect of the toolchain.
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
            BackendError::NotDistributed { what, .. } => {
                write!(
                    f,
                    "the backend does not support {what} on several ranks with graphics cards"
                )
            }
            BackendError::OutOfMemory(refused) => write!(f, "{refused}"),
            BackendError::DeviceLost { why } => write!(f, "the device is lost: {why}"),
            BackendError::Interrupted => write!(f, "interrupted"),
            BackendError::Internal(what) => write!(f, "{what}"),
        }
    }
}

impl std::error::Error for BackendError {}

/// The inputs of a run.
pub struct Control<'a> {
    /// Set when the user wants the run to end; polled every few milliseconds.
    pub interrupt: &'a AtomicBool,
    /// Set at the deadline; polled every few milliseconds.
    pub deadline: &'a AtomicBool,
    /// Bounds on the resources of the run. A limit on steps requires code that was compiled as it
    /// was lowered ([`CompileOptions::AS_LOWERED`]): with other code a run may exceed it, and does
    /// not report the location.
    pub limits: Limits,
    /// Serves `print`, `read` and `write`.
    pub host: &'a mut dyn Host,
    /// The profile that receives the costs of lines and routines, if the code was compiled for
    /// that; valid for one run.
    pub profile: Option<&'a mut Profile>,
    /// The resources that the run used; updated while it runs, so that they are correct after a
    /// trap too.
    pub stats: Stats,
}

/// Bounds on the resources of a run; `None` is no bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Elementary operations plus loop iterations and calls.
    pub steps: Option<u64>,
    /// Bytes of slices, words and tables alive at once, arguments included: packed bits, without a
    /// backend's additional data. Each backend counts its own representation, so two backends may
    /// reach the limit at different points.
    pub memory: Option<u64>,
    /// Bytes printed.
    pub output: Option<u64>,
    /// Nested calls; always bounded, to protect the machine's stack.
    pub depth: u64,
}

impl Limits {
    /// The default limit of nested calls.
    pub const DEPTH: u64 = 10_000;
}

impl Default for Limits {
    /// No limits but [`Limits::DEPTH`].
    fn default() -> Self {
        Limits { steps: None, memory: None, output: None, depth: Limits::DEPTH }
    }
}

/// The resources that a run used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Elementary operations of the STAR-machine, as the papers count them.
    pub operations: u64,
    /// Elementary operations plus loop iterations and calls.
    pub steps: u64,
    /// Maximum number of bytes of values alive at once.
    pub peak_bytes: u64,
    /// Bytes printed.
    pub output_bytes: u64,
    /// Calls of library routines that ran as intrinsics ([`star_base::intrinsics`]). These count no
    /// operations, and no steps except that of the call.
    pub intrinsics: u64,
    /// Fast paths taken and declined.
    pub counters: Counters,
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The entry ended.
    Done,
    /// A guard failed.
    Trap(Box<Trap>),
    /// A limit was reached.
    Limit {
        /// The limit.
        kind: LimitKind,
        /// The location in the program.
        loc: LocId,
    },
    /// The run reached values that the backend does not support.
    Unsupported {
        /// The unsupported feature, as in "lines of 2^32 components".
        what: String,
    },
    /// The device was lost, with the values on it.
    DeviceLost {
        /// The message of the device.
        why: String,
    },
    /// An inconsistency that no source program can cause: a defect of the toolchain.
    Internal(String),
}

impl Outcome {
    /// Returns the outcome of a run with a profile, of code that was not compiled for one.
    pub fn not_profiled() -> Outcome {
        Outcome::Internal("cannot profile code that was compiled without profiling".to_owned())
    }
}

/// The environment of the machine.
pub trait Host {
    /// Prints a line, which ends with a line break.
    ///
    /// # Errors
    /// If the reader closed the output.
    fn print(&mut self, line: &str) -> Result<(), HostError>;

    /// Returns the name of the vertex with this row, if the values come from a graph with names.
    fn name(&self, row: i64) -> Option<String> {
        let _ = row;
        None
    }

    /// Reads a file for a variable of type `ty` (sizes in it do not matter). `max_bytes` is the
    /// memory that the value may use.
    ///
    /// # Errors
    /// If the file may not or cannot be read, or does not contain a value of that type.
    fn read(
        &mut self,
        file: &str,
        layout: Option<&str>,
        ty: Ty,
        max_bytes: Option<u64>,
    ) -> Result<HostValue, HostError>;

    /// Writes a file, completely or not at all.
    ///
    /// # Errors
    /// If the file may not or cannot be written.
    fn write(&mut self, file: &str, value: BitsRef<'_>) -> Result<(), HostError>;

    /// Combines a word with those of all processes that run the program on their rows.
    ///
    /// # Errors
    /// If another process has ended, or there is none.
    fn exchange(&mut self, op: ReductionOp, word: &BitVector) -> Result<BitVector, Lost> {
        let _ = (op, word);
        Err(Lost { why: "this process runs alone".to_owned() })
    }

    /// Returns the storage of checkpoints, if the run has one. What was printed before has then
    /// left the process.
    fn checkpoints(&mut self) -> Option<&mut dyn Checkpoints> {
        None
    }
}

/// Why the host could not serve a request of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostError {
    /// The kind of error.
    pub code: Code,
    /// The message.
    pub message: String,
}

/// Checks that the routine exists.
///
/// # Errors
/// [`BackendError::Internal`] if it does not.
pub fn check_entry(program: &Program, entry: RoutineId) -> Result<(), BackendError> {
    match program.routines.get(entry.0 as usize) {
        Some(_) => Ok(()),
        None => Err(BackendError::Internal(format!("the program has no routine {}", entry.0))),
    }
}
