//! The trait of a backend, and what a run is given from outside.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use star_base::limbs::OutOfMemory;
use star_base::{BitTable, Code};
use star_ir::{LimitKind, LocId, Program, RoutineId, Trap, Ty};

use crate::paths::PathStats;
use crate::profile::Profile;
use crate::value::{HostRef, HostValue};

/// A compiler from SIR to an executable form of its own, and a machine that runs it.
///
/// The steps are `compile` once per program, `plan` once per entry and argument sizes, `run` as often
/// as wanted. Values outlive programs: a REPL's variables are values.
pub trait Backend {
    /// A value in the backend's own form.
    type Value;
    /// A compiled program.
    type Code;
    /// A compiled program made ready for an entry and the sizes of its arguments.
    type Plan;

    /// The name for `--backend`.
    fn name(&self) -> &'static str;

    /// Takes a value in. A `fixed` slice or word keeps its size and a `fixed` table does not grow.
    fn load(&self, value: HostValue, fixed: bool) -> Self::Value;

    /// The type of a value with its sizes; `None` if it is unset (or a table without rows).
    fn ty(&self, value: &Self::Value) -> Option<Ty>;

    /// Reads a value back whole, as a copy, unless `interrupt` is set meanwhile.
    ///
    /// # Errors
    /// If there is no memory for it, or the user wants the end.
    fn store(&self, value: &Self::Value, interrupt: &AtomicBool) -> Result<HostValue, StoreError>;

    /// Gives a value up, as [`Backend::store`] reads it.
    ///
    /// # Errors
    /// As for [`Backend::store`]; the value is gone then.
    fn unload(&self, value: Self::Value, interrupt: &AtomicBool) -> Result<HostValue, StoreError> {
        self.store(&value, interrupt)
    }

    /// Reads columns (counted from 0) of a table back, unless `interrupt` is set meanwhile; `None` if the
    /// value is no table, or has fewer columns.
    ///
    /// # Errors
    /// As for [`Backend::store`].
    fn store_columns(
        &self,
        value: &Self::Value,
        columns: Range<usize>,
        interrupt: &AtomicBool,
    ) -> Result<Option<BitTable>, StoreError>;

    /// Compiles a verified program.
    fn compile(&self, program: Program) -> Self::Code;

    /// Makes ready to run `entry` with arguments of these types.
    fn plan(&self, code: &Self::Code, entry: RoutineId, args: &[Option<Ty>]) -> Self::Plan;

    /// What the plan will do, for people.
    fn explain(&self, plan: &Self::Plan) -> String;

    /// Runs the entry. `values` are its arguments in order; those of `var` parameters hold the results
    /// afterwards, and whatever the run left there if it did not end well. Value arguments are
    /// unchanged.
    fn run(
        &self,
        plan: &Self::Plan,
        values: &mut [Self::Value],
        control: &mut Control<'_>,
    ) -> Outcome;

    /// The same, and charges what it spends to lines and routines; a profile is good for one run.
    fn run_profiled(
        &self,
        plan: &Self::Plan,
        values: &mut [Self::Value],
        control: &mut Control<'_>,
        profile: &mut Profile,
    ) -> Outcome;
}

/// Why a value could not be read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreError {
    /// The system refuses memory that this needs.
    OutOfMemory(OutOfMemory),
    /// The user wanted the end.
    Interrupted,
}

impl From<OutOfMemory> for StoreError {
    fn from(refused: OutOfMemory) -> Self {
        StoreError::OutOfMemory(refused)
    }
}

/// What a run is given from outside.
pub struct Control<'a> {
    /// Set when the user wants the run to end; looked at every few milliseconds.
    pub interrupt: &'a AtomicBool,
    /// Set when the time is up; likewise.
    pub deadline: &'a AtomicBool,
    /// Bounds on what the run may use.
    pub limits: Limits,
    /// Serves `print`, `read` and `write`.
    pub host: &'a mut dyn Host,
    /// What the run used; filled in while it runs, so that it is right after a trap too.
    pub stats: Stats,
}

/// Bounds on what a run may use; `None` is no bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Elementary operations plus loop turns and calls.
    pub steps: Option<u64>,
    /// Bytes of slices, words and tables alive at once.
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
    /// Calls of library routines that the backend did in its own way ([`star_base::natives`]). These count
    /// no operations, and no steps but that of the call.
    pub natives: u64,
    /// Fast paths taken and declined.
    pub paths: PathStats,
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
    /// At an inconsistency that no source program can cause: a fault of the toolchain.
    Internal(String),
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
    fn write(&mut self, file: &str, value: HostRef<'_>) -> Result<(), HostError>;
}

/// Why the host could not serve the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostError {
    /// What kind of fault it is.
    pub code: Code,
    /// The message.
    pub message: String,
}
