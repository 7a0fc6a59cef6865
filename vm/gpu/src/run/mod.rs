//! A run: dispatches, and the work of the host between them.
//!
//! * `enter`: arguments into the frame of the entry, and back. `memory`: memory of objects and
//!   frames.
//! * `lifted`: loops that run as kernels over a grid; `fused`: sequences of operations on slices
//!   that run as one; `extreme`: MIN and MAX; `copied`: copies of columns between tables.
//!   `intrinsic`: library routines that run as kernels over a grid.
//! * `profile`: costs of lines and routines. `stopped`: the variables of a routine that has
//!   stopped, traps. `host`: `print`, `read` and `write`. `journal`: lines that a dispatch has left
//!   to be printed. `wide`: lines that a kernel over a grid computes for the control unit.

mod copied;
mod enter;
mod extreme;
mod fused;
mod host;
mod intrinsic;
mod journal;
mod lifted;
mod memory;
mod profile;
mod stopped;
#[cfg(test)]
mod tests;
mod wide;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use star_ir::{HandlePart, LimitKind, LocId, RoutineId, Trap};
use star_shaders::layout::{STATE_WORDS, state, status};
use star_vm::interrupt::Stop;
use star_vm::{BackendError, Control, Outcome, Stats};

use crate::code::{Inst, Reg};
use crate::device_trait::{State, Wide};
use crate::heap::{Block, Heap};
use crate::program::{Plan, internal};
use crate::value::Sizes;

pub(crate) use intrinsic::{Call, Placed, Reserved};

/// An argument before a run, or a result after it.
pub(crate) enum Argument {
    Nothing,
    Number(i64),
    Text(Arc<str>),
    Object(Sizes, Block),
    Handle(Vec<(HandlePart, Sizes, Block)>),
}

/// The input and output of a run for a parameter.
pub(crate) struct Slot {
    pub(crate) argument: Argument,
    pub(crate) size: Option<u32>,
    pub(crate) fixed: bool,
}

/// An active run.
pub(crate) struct DeviceRun<'r, 'h> {
    heap: &'r mut Heap,
    plan: &'r Plan,
    control: &'r mut Control<'h>,
    state: State,
    /// The blocks of the objects of the run, and of the arguments that it may change.
    blocks: BTreeMap<u32, Block>,
    /// The blocks of frames, records and constants.
    furniture: Vec<Block>,
    /// All frames, with their routines.
    frames: Vec<(u32, RoutineId)>,
    texts: Vec<Arc<str>>,
    /// Bytes of all objects.
    alive: u64,
    /// Maximum number of limbs of a line.
    longest: u32,
    /// Maximum number of columns of a table.
    widest: u32,
    /// Number of dispatches of the kernel of wide lines in the next submission.
    chain: u32,
    limit: u64,
}

/// Why a run stops.
#[derive(Debug)]
pub(crate) enum End {
    Stop(Stop),
    /// A line that the program has passed meanwhile could not be printed.
    Behind(Box<Trap>),
    Failed(BackendError),
}

impl From<BackendError> for End {
    fn from(error: BackendError) -> Self {
        End::Failed(error)
    }
}

impl From<Stop> for End {
    fn from(stop: Stop) -> Self {
        End::Stop(stop)
    }
}

/// An active routine.
struct Active {
    at: u32,
    routine: RoutineId,
    /// The instruction after the call in the caller.
    back: u32,
}

/// Runs the entry of a plan.
pub(crate) fn run(
    heap: &mut Heap,
    plan: &Plan,
    slots: &mut [Slot],
    control: &mut Control<'_>,
) -> Outcome {
    control.stats = Stats::default();
    let most = heap.unit.max_words().saturating_mul(4);
    let limit = control.limits.memory.unwrap_or(most).min(most);
    let mut run = DeviceRun {
        heap,
        plan,
        control,
        state: [0; STATE_WORDS as usize],
        blocks: BTreeMap::new(),
        furniture: Vec::new(),
        frames: Vec::new(),
        texts: plan.constants.texts.clone(),
        alive: 0,
        longest: 1,
        widest: 1,
        chain: 0,
        limit,
    };
    let began = run.begin(slots);
    let entered = began.is_ok();
    let (mut records, mut ended) = (None, began);
    if entered {
        match run.begin_profile() {
            Ok(made) => records = made,
            Err(error) => ended = Err(error.into()),
        }
    }
    let ended = ended.and_then(|()| run.dispatches());
    let done = ended.is_ok();
    let mut outcome = match ended {
        Ok(()) => Outcome::Done,
        Err(End::Stop(stop)) => run.stopped(stop),
        Err(End::Behind(trap)) => Outcome::Trap(trap),
        Err(End::Failed(BackendError::OutOfMemory(refused))) => {
            let wanted = u64::try_from(refused.n_bytes).unwrap_or(u64::MAX);
            let wanted = run.alive.saturating_add(wanted);
            let limit = run.limit.min(wanted.saturating_sub(1));
            run.stopped(Stop::Limit(LimitKind::Memory { limit, wanted }))
        }
        Err(End::Failed(error)) => failed(error),
    };
    if let Some(records) = records
        && let Err(error) = run.end_profile(&records)
    {
        outcome = failed(error);
    }
    if entered && let Err(error) = run.leave(slots, done) {
        outcome = failed(error);
    }
    run.give_back();
    outcome
}

/// Returns the outcome of a run after an error.
fn failed(error: BackendError) -> Outcome {
    match error {
        BackendError::DeviceLost { why } => Outcome::DeviceLost { why },
        BackendError::Interrupted => Outcome::Limit { kind: LimitKind::Interrupted, loc: LocId(0) },
        BackendError::OutOfMemory(refused) => {
            let wanted = u64::try_from(refused.n_bytes).unwrap_or(u64::MAX);
            Outcome::Limit { kind: LimitKind::Memory { limit: 0, wanted }, loc: LocId(0) }
        }
        BackendError::Unsupported { what } => Outcome::Unsupported { what },
        error @ BackendError::NotDistributed { .. } => Outcome::Internal(error.to_string()),
        BackendError::Internal(what) => Outcome::Internal(what),
    }
}

impl DeviceRun<'_, '_> {
    /// Runs one dispatch after another.
    fn dispatches(&mut self) -> Result<(), End> {
        let mut number = 0;
        loop {
            if self.control.interrupt.load(Ordering::Relaxed) {
                return Err(Stop::Limit(LimitKind::Interrupted).into());
            }
            if self.control.deadline.load(Ordering::Relaxed) {
                return Err(Stop::Limit(LimitKind::Time).into());
            }
            number += 1;
            let (threads, budget) = (self.heap.unit.threads(), self.heap.unit.budget(number));
            let wide = self.heap.unit.wide();
            // A loop over the limbs of a line may contain one over the columns of a row.
            self.put(state::LINE_ITERATIONS, 2 * self.longest.min(wide.limbs).div_ceil(threads));
            self.put(
                state::GATHER_ITERATIONS,
                33 * (self.widest.div_ceil(32)).div_ceil(threads) + self.widest.div_ceil(threads),
            );
            self.put(state::SERIAL_ITERATIONS, self.longest.max(self.widest.div_ceil(32)));
            self.look_for_long_lines(wide)?;
            self.put(state::BUDGET, budget);
            self.put(state::JOURNAL, 0);
            self.put(state::JOURNAL_ROOM, self.journal_room());
            let (waits, begun) = (self.let_be_wide(wide), self.get(state::BEGUN));
            let n_wide = self.chain;
            let took = self.heap.unit.dispatch(&mut self.state, n_wide)?;
            self.control.stats.counters.unit_dispatches += 1;
            self.control.stats.counters.unit_nanoseconds += took.unwrap_or(0);
            let now = self.get(state::BEGUN);
            if now == begun || self.get(state::ENDED) != now {
                let why = "a dispatch did not complete".to_owned();
                return Err(BackendError::DeviceLost { why }.into());
            }
            self.saw_wide(wide, now - begun - u32::from(!waits));
            self.control.stats.counters.unit_lines = u64::from(self.get(state::LINES));
            self.control.stats.operations = self.get_wide(state::OPERATIONS);
            self.control.stats.steps = self.get_wide(state::STEPS);
            self.print_journal()?;
            match self.get(state::STATUS) {
                status::RUNNING | status::WIDE => {}
                status::DONE => return Ok(()),
                status::TRAP => return Err(self.trapped()?.into()),
                status::HOST => self.serve()?,
                status::MEMORY => self.enlarge()?,
                status::NO_FRAME => self.add_frames()?,
                status::STEP_LIMIT => {
                    let limit = self.control.limits.steps.unwrap_or(u64::MAX);
                    return Err(Stop::Limit(LimitKind::Steps { limit }).into());
                }
                status::DEPTH_LIMIT => {
                    let limit = self.control.limits.depth;
                    return Err(Stop::Limit(LimitKind::Depth { limit }).into());
                }
                status => {
                    return Err(internal(format!("a dispatch ended with status {status}")).into());
                }
            }
        }
    }

    /// Rejects lines whose loops a driver would end silently.
    fn look_for_long_lines(&self, wide: Wide) -> Result<(), BackendError> {
        let most = self.heap.unit.max_iterations();
        let serial = if self.plan.has_serial { self.get(state::SERIAL_ITERATIONS) } else { 0 };
        let over_grid = self.wide_iterations(wide);
        let line = self.get(state::LINE_ITERATIONS).max(over_grid);
        let iterations = line.max(self.get(state::GATHER_ITERATIONS)).max(serial);
        match iterations <= most {
            true => Ok(()),
            false => Err(BackendError::Unsupported {
                what: format!(
                    "lines of {} components on this adapter",
                    u64::from(self.longest) * 32
                ),
            }),
        }
    }

    fn get(&self, place: u32) -> u32 {
        self.state[place as usize]
    }

    fn put(&mut self, place: u32, word: u32) {
        self.state[place as usize] = word;
    }

    fn get_wide(&self, place: u32) -> u64 {
        u64::from(self.get(place)) | u64::from(self.get(place + 1)) << 32
    }

    fn put_wide(&mut self, place: u32, number: u64) {
        self.put(place, number as u32);
        self.put(place + 1, (number >> 32) as u32);
    }

    fn register(&self, reg: Reg) -> i64 {
        self.get_wide(state::REGISTERS + 2 * reg.0) as i64
    }

    fn set_register(&mut self, reg: Reg, number: i64) {
        self.put_wide(state::REGISTERS + 2 * reg.0, number as u64);
    }

    fn words(&mut self, at: u32, n: u32) -> Result<Vec<u32>, BackendError> {
        let mut words = vec![0; n as usize];
        self.heap.unit.read(at, &mut words)?;
        Ok(words)
    }

    /// Records the size of an object, for the longest line and the widest table.
    fn saw(&mut self, sizes: Sizes) {
        self.longest = self.longest.max(sizes.rows.div_ceil(32));
        self.widest = self.widest.max(sizes.columns);
    }

    /// Returns the instruction at which the last dispatch ended.
    fn stopped_at(&self) -> Result<(RoutineId, Inst), BackendError> {
        let pc = self.get(state::PC);
        let at = match self.get(state::STATUS) {
            status::RUNNING | status::MEMORY | status::NO_FRAME | status::WIDE => pc,
            _ => pc.wrapping_sub(1),
        };
        let found = self.plan.inst(at).ok_or_else(|| internal(format!("no instruction {at}")))?;
        Ok((found.0, found.1.clone()))
    }

    /// Frees all memory of the run.
    fn give_back(&mut self) {
        for block in std::mem::take(&mut self.blocks).into_values() {
            self.heap.give(block);
        }
        for block in std::mem::take(&mut self.furniture) {
            self.heap.give(block);
        }
    }
}
