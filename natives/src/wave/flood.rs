//! The wave over a whole grid: tiles on several threads, in step.
//!
//! All tiles move on by one wave at a time, so that every label is exact as soon as it is there. One thread does that
//! while the wave is short (*alone*); on a long one all threads work, and wait for each other at a [`Gate`]. The tiles of a worker
//! are its own in either case, and with them everything it writes.

use std::sync::Mutex;

use super::field::{Bands, Field};
use super::gate::Gate;
use super::grid::{Cell, Grid, Neighbourhood};
use super::label::{Label, Labels, lengthened};
use super::locked;
use super::worker::Worker;
use crate::environment::{Ended, Environment, install};
use crate::zeros::Zeros;

/// Boards for each thread with which waiting for others pays.
const LONG: usize = 24;

/// Boards for each thread below which it does not.
const SHORT: usize = 12;

/// Times between two polls.
const POLL: u32 = 64;

/// Added to the sum of a gate by the thread that wants the end.
const INTERRUPTED: u64 = 1 << 60;

/// Added by the thread in whose tiles the cell lies that ends the wave.
const FOUND: u64 = 1 << 50;

/// Added by a thread that has waited long.
const WAITED: u64 = 1 << 40;

/// Times after which it is asked how often a thread has waited long.
const TRIAL: u32 = 128;

/// Times with long waiting, of so many, that show that the processors are taken by others.
const CROWD: u32 = 16;

/// Times that one thread works before all try again; twice as many after each failure.
const ALONE: u32 = 1 << 10;

/// How the wave came about; tests ask for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FloodStats {
    /// Waves by one thread.
    pub n_alone: u32,
    /// Waves by all threads.
    pub n_together: u32,
    /// Were the labels lengthened to 32 bits on the way?
    pub lengthened: bool,
}

/// Why threads stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pause {
    /// There is no front any more, or the cell that was looked for is reached.
    Done,
    /// The run is to end.
    Interrupted,
    /// The next wave has a number that no label can hold.
    LabelsFull,
    /// Few boards: one thread is faster.
    Short,
    /// Many boards.
    Long,
    /// Many boards, but other programs take the processors away: waiting for each other takes longer than one thread.
    Crowded,
}

/// The wave in the making.
struct Flood<'a> {
    field: Field<'a>,
    workers: Vec<Mutex<Worker>>,
    stop_at: Option<Cell>,
    /// Time t makes label t − 1.
    time: u32,
    /// One thread works until then.
    alone_until: u32,
    /// How long it does the next time.
    patience: u32,
    stats: FloodStats,
    environment: &'a dyn Environment,
}

/// Bytes that a wave takes beside the grid and the labels, at most.
pub(super) fn n_bytes(width: usize, height: usize) -> u64 {
    // The lists that have an entry for each thread are short.
    Field::n_bytes(width, height).saturating_add(1 << 20)
}

/// Labels of all cells: waves from `goals`, which have label 0. With `stop_at` the wave ends when that cell is reached.
///
/// # Errors
/// If the run is to end, or the system refuses the memory.
pub(super) fn flood(
    grid: &Grid,
    neighbourhood: Neighbourhood,
    goals: &[Cell],
    stop_at: Option<Cell>,
    environment: &dyn Environment,
) -> Result<(Labels, FloodStats), Ended> {
    install(environment, || {
        let n_threads = match environment.threads() {
            0 | 1 => 1,
            n => n.min(rayon::current_num_threads()),
        };
        // No more than have a band.
        let field = Field::new(grid, neighbourhood, n_threads)?;
        let workers = (0..n_threads).map(|idx| Worker::new(idx, &field).map(Mutex::new));
        let workers = workers.collect::<Result<_, Ended>>()?;
        let stats = FloodStats::default();
        let mut flood = Flood {
            field,
            workers,
            stop_at,
            time: 0,
            alone_until: 0,
            patience: ALONE,
            stats,
            environment,
        };
        let mut labels = Zeros::<u16>::new(grid.n_cells())?;
        flood.begin(goals, &mut labels)?;
        match flood.spread(&mut labels)? {
            true => Ok((Labels::Short(labels), flood.stats)),
            false => {
                let mut long = lengthened(&labels)?;
                drop(labels);
                flood.stats.lengthened = true;
                match flood.spread(&mut long)? {
                    true => Ok((Labels::Long(long), flood.stats)),
                    // There are fewer cells than labels of 32 bits.
                    false => Err(Ended::Internal("labels of 32 bits do not suffice")),
                }
            }
        }
    })
}

impl Flood<'_> {
    fn begin<L: Label>(&mut self, goals: &[Cell], labels: &mut [L]) -> Result<(), Ended> {
        let bands = self.field.deal(labels)?;
        for (worker, mut bands) in self.workers.iter_mut().zip(bands) {
            let worker = worker.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner());
            for goal in goals {
                worker.begin_at(goal.x, goal.y, &self.field, &mut bands);
            }
        }
        Ok(())
    }

    /// Goes on until nothing changes; false if the labels are full.
    fn spread<L: Label>(&mut self, labels: &mut [L]) -> Result<bool, Ended> {
        let bands = self.field.deal(labels)?;
        let bands: Vec<Mutex<Bands<'_, L>>> = bands.into_iter().map(Mutex::new).collect();
        let mut pause = Pause::Short;
        let is_done = loop {
            pause = match pause {
                Pause::Short => self.alone(&bands),
                Pause::Long => self.together(&bands),
                Pause::Crowded => {
                    self.alone_until = self.time.saturating_add(self.patience);
                    self.patience = self.patience.saturating_mul(2);
                    self.alone(&bands)
                }
                Pause::Done => break true,
                Pause::LabelsFull => break false,
                Pause::Interrupted => return Err(Ended::Interrupted),
            };
        };
        let (field, time) = (&self.field, self.time);
        let settle = |worker: &Mutex<Worker>, bands: &Mutex<Bands<'_, L>>| {
            let (mut worker, mut bands) = (locked(worker), locked(bands));
            worker.settle(time, field, &mut bands);
            worker.finish(field, &mut bands);
        };
        match self.workers.as_slice() {
            [worker] => settle(worker, &bands[0]),
            workers => {
                rayon::broadcast(|context| {
                    if let Some(worker) = workers.get(context.index()) {
                        settle(worker, &bands[context.index()]);
                    }
                });
            }
        }
        Ok(is_done)
    }

    /// One thread moves the tiles of all workers.
    fn alone<L: Label>(&mut self, bands: &[Mutex<Bands<'_, L>>]) -> Pause {
        let Flood { field, workers, stop_at, time, alone_until, stats, environment, .. } = self;
        let n_workers = workers.len();
        let mut own: Vec<_> =
            workers.iter().zip(bands).map(|(w, b)| (locked(w), locked(b))).collect();
        loop {
            if *time > L::MOST {
                return Pause::LabelsFull;
            }
            *time += 1;
            stats.n_alone += 1;
            let mut n_left = 0;
            let mut is_found = false;
            for (worker, bands) in &mut own {
                n_left += worker.advance(*time, field, bands);
                is_found |= stop_at.is_some_and(|cell| worker.has_reached(cell.x, cell.y, field));
            }
            if *time % POLL == 0 && environment.poll().is_err() {
                return Pause::Interrupted;
            }
            if n_left == 0 || is_found {
                return Pause::Done;
            }
            if n_workers > 1 && n_left > LONG * n_workers && *time >= *alone_until {
                return Pause::Long;
            }
        }
    }

    /// Each thread moves its own tiles.
    fn together<L: Label>(&mut self, bands: &[Mutex<Bands<'_, L>>]) -> Pause {
        let Flood { field, workers, stop_at, time, stats, environment, .. } = self;
        let n_workers = workers.len();
        let gate = Gate::new(n_workers);
        let (begin, stop_at) = (*time, *stop_at);
        let paces = rayon::broadcast(|context| {
            let idx = context.index();
            let worker = workers.get(idx)?;
            let passer = gate.passer();
            let (mut worker, mut bands) = (locked(worker), locked(&bands[idx]));
            let (mut time, mut has_waited, mut n_waits) = (begin, false, 0);
            loop {
                if time > L::MOST {
                    return Some((time, Pause::LabelsFull));
                }
                time += 1;
                let mut sum = worker.advance(time, field, &mut bands) as u64;
                if has_waited {
                    sum += WAITED;
                }
                if stop_at.is_some_and(|cell| worker.has_reached(cell.x, cell.y, field)) {
                    sum += FOUND;
                }
                if idx == 0 && time % POLL == 0 && environment.poll().is_err() {
                    sum += INTERRUPTED;
                }
                (sum, has_waited) = passer.pass(sum)?;
                // The sums are the same to all threads, and so is what they conclude.
                n_waits += u32::from(sum % FOUND >= WAITED);
                let is_trial = (time - begin) % TRIAL == 0;
                let is_crowded = is_trial && n_waits > CROWD;
                if is_trial {
                    n_waits = 0;
                }
                let pause = match sum {
                    INTERRUPTED.. => Pause::Interrupted,
                    FOUND.. => Pause::Done,
                    _ if sum.is_multiple_of(WAITED) => Pause::Done,
                    _ if sum % WAITED < (SHORT * n_workers) as u64 => Pause::Short,
                    _ if is_crowded => Pause::Crowded,
                    _ => continue,
                };
                return Some((time, pause));
            }
        });
        let Some((end, pause)) = paces.into_iter().flatten().next() else {
            return Pause::Interrupted;
        };
        stats.n_together += end - begin;
        *time = end;
        pause
    }
}
