//! The wave over a whole grid: tiles on several threads, in lockstep.
//!
//! All tiles advance by one window of waves at a time, so that every label is exact when the window
//! is done. One thread does this while the wave is short (*alone*); on a long one, all threads work
//! and wait for each other at a [`Gate`]: they exchange messages until there are none. The tiles of
//! a worker belong to it in either case, as does everything it writes.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use super::board::WINDOW;
use super::field::{Bands, Field};
use super::gate::Gate;
use super::grid::{Cell, Grid, Neighbourhood};
use super::label::Labels;
use super::locked;
use super::worker::Worker;
use crate::environment::{Ended, Environment, install};

/// Boards for each thread from which waiting for others pays off; with half as many it does not.
pub(super) const LONG: usize = 48;

/// Added to the sum of a gate by the thread that wants to stop.
const INTERRUPTED: u64 = 1 << 60;

/// Added by a thread that cannot allocate memory for its messages.
const OUT_OF_MEMORY: u64 = 1 << 40;

/// Added by the thread whose tiles contain the cell that ends the wave.
const FOUND: u64 = 1 << 50;

/// Counters of a wave, used by tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FloodStats {
    /// Waves advanced by one thread.
    pub n_alone: u32,
    /// Waves advanced by all threads.
    pub n_together: u32,
    /// How often a tile went back in a window because of a late arrival.
    pub n_returns: u32,
    /// Bytes of a label, relative to the base number of its tile, in the tile that needs most of
    /// them.
    pub n_bytes: u8,
}

/// Reasons for threads to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pause {
    /// There is no front any more, or the target cell is reached.
    Done,
    /// The run was interrupted.
    Interrupted,
    /// Memory allocation for messages failed.
    OutOfMemory,
    /// Few boards: one thread is faster.
    Short,
    /// Many boards.
    Long,
}

/// A wave in progress.
struct Flood<'a> {
    field: Field<'a>,
    workers: Vec<Mutex<Worker>>,
    long: usize,
    stop_at: Option<Cell>,
    /// Time t produces label t − 1.
    time: u32,
    /// Exchanges of messages.
    round: u32,
    stats: FloodStats,
    environment: &'a dyn Environment,
}

/// An upper bound on the bytes that a wave needs in addition to the grid and the labels.
pub(super) fn n_bytes(width: usize, height: usize) -> u64 {
    // The lists that have an entry for each thread are short.
    Field::n_bytes(width, height).saturating_add(1 << 20)
}

/// Computes the labels of all cells: waves from `goals`, which have label 0. With `stop_at`, the
/// wave ends when that cell is reached. All threads work on fronts of more than `long` boards for
/// each of them.
///
/// # Errors
/// If the run is interrupted or memory allocation fails.
pub(super) fn flood(
    long: usize,
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
        // At most one thread for each band.
        let field = Field::new(grid, neighbourhood, n_threads)?;
        let workers = (0..n_threads).map(|idx| Worker::new(idx, &field).map(Mutex::new));
        let workers = workers.collect::<Result<_, Ended>>()?;
        let stats = FloodStats::default();
        let (time, round) = (0, 0);
        let mut flood = Flood { field, workers, long, stop_at, time, round, stats, environment };
        let mut labels = Labels::lowest(&flood.field)?;
        flood.begin(goals, &mut labels)?;
        flood.spread(&mut labels)?;
        let mut stats = flood.stats;
        let workers = flood.workers.into_iter();
        let parts = workers.map(|worker| {
            let mut worker = worker.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
            stats.n_returns += worker.n_returns();
            worker.take_labels()
        });
        let labels = Labels::new(&flood.field, labels, parts)?;
        stats.n_bytes = labels.n_bytes();
        Ok((labels, stats))
    })
}

impl Flood<'_> {
    fn begin(&mut self, goals: &[Cell], labels: &mut [u8]) -> Result<(), Ended> {
        let bands = self.field.deal(labels)?;
        for (worker, mut bands) in self.workers.iter_mut().zip(bands) {
            let worker = worker.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner());
            for goal in goals {
                worker.begin_at(goal.x, goal.y, &self.field, &mut bands);
            }
        }
        Ok(())
    }

    /// Advances until nothing changes.
    fn spread(&mut self, labels: &mut [u8]) -> Result<(), Ended> {
        let bands = self.field.deal(labels)?;
        let bands: Vec<Mutex<Bands<'_>>> = bands.into_iter().map(Mutex::new).collect();
        let mut pause = Pause::Short;
        loop {
            pause = match pause {
                Pause::Short => self.alone(&bands),
                Pause::Long => self.together(&bands),
                Pause::Done => break,
                Pause::Interrupted => return Err(Ended::Interrupted),
                Pause::OutOfMemory => return Err(Ended::OutOfMemory),
            };
        }
        let (field, time) = (&self.field, self.time);
        let settle = |worker: &Mutex<Worker>, bands: &Mutex<Bands<'_>>| {
            locked(worker).settle(time, field, &mut locked(bands))
        };
        match self.workers.as_slice() {
            [worker] => settle(worker, &bands[0]),
            workers => rayon::broadcast(|context| {
                let own = workers.get(context.index()).zip(bands.get(context.index()));
                own.map_or(Ok(()), |(worker, bands)| settle(worker, bands))
            })
            .into_iter()
            .collect(),
        }
    }

    /// Advances the tiles of all workers on one thread.
    fn alone(&mut self, bands: &[Mutex<Bands<'_>>]) -> Pause {
        let Flood { field, workers, long, stop_at, time, round, stats, environment } = self;
        let n_workers = workers.len();
        let mut own: Vec<_> =
            workers.iter().zip(bands).map(|(w, b)| (locked(w), locked(b))).collect();
        loop {
            let (begin, until) = window(*time);
            own.iter_mut().for_each(|(worker, _)| worker.open(begin));
            loop {
                let mut n_messages = 0;
                for (worker, bands) in &mut own {
                    match worker.work(*round, until, field, bands) {
                        Ok(n) => n_messages += n,
                        Err(_) => return Pause::OutOfMemory,
                    }
                }
                *round += 1;
                if n_messages == 0 {
                    break;
                }
            }
            stats.n_alone += until - *time;
            *time = until;
            let found = stop_at.and_then(|Cell { x, y }| {
                own.iter().find_map(|(worker, _)| worker.when(x, y, field))
            });
            if let Some(found) = found {
                own.iter_mut().for_each(|(worker, _)| worker.rewind(found));
                *time = found;
                return Pause::Done;
            }
            let left = own.iter_mut().map(|(worker, bands)| worker.close(until, field, bands));
            let Ok(n_left) = left.sum::<Result<usize, Ended>>() else {
                return Pause::OutOfMemory;
            };
            if environment.poll().is_err() {
                return Pause::Interrupted;
            }
            if n_left == 0 {
                return Pause::Done;
            }
            if n_workers > 1 && n_left > *long * n_workers {
                return Pause::Long;
            }
        }
    }

    /// Advances the tiles of each thread in parallel.
    fn together(&mut self, bands: &[Mutex<Bands<'_>>]) -> Pause {
        let Flood { field, workers, long, stop_at, time, round, stats, environment } = self;
        let n_workers = workers.len();
        let gate = Gate::new(n_workers);
        let (start, first_round, stop_at) = (*time, *round, *stop_at);
        let short = *long / 2 * n_workers;
        let found = AtomicU32::new(0);
        let paces = rayon::broadcast(|context| {
            let idx = context.index();
            let worker = workers.get(idx)?;
            let passer = gate.passer();
            let (mut worker, mut bands) = (locked(worker), locked(&bands[idx]));
            let (mut time, mut round) = (start, first_round);
            loop {
                let (begin, until) = window(time);
                worker.open(begin);
                let closed = |worker: &mut Worker, bands: &mut Bands<'_>| {
                    worker.close(until, field, bands).map_or(OUT_OF_MEMORY, |n_left| n_left as u64)
                };
                let mut sum;
                loop {
                    sum = match worker.work(round, until, field, &mut bands) {
                        Ok(n_messages) => n_messages as u64,
                        Err(_) => OUT_OF_MEMORY,
                    };
                    round += 1;
                    sum = passer.pass(sum)?;
                    if sum == 0 || sum >= OUT_OF_MEMORY {
                        break;
                    }
                }
                if sum >= OUT_OF_MEMORY {
                    return Some((time, round, Pause::OutOfMemory));
                }
                time = until;
                let when = stop_at.and_then(|cell| worker.when(cell.x, cell.y, field));
                let mut sum = 0;
                if let Some(when) = when {
                    found.store(when, Ordering::Relaxed);
                    sum = FOUND;
                }
                if idx == 0 && environment.poll().is_err() {
                    sum += INTERRUPTED;
                }
                if stop_at.is_none() {
                    sum += closed(&mut worker, &mut bands);
                }
                sum = passer.pass(sum)?;
                if sum % INTERRUPTED >= FOUND {
                    time = found.load(Ordering::Relaxed);
                    worker.rewind(time);
                } else if stop_at.is_some() {
                    let n_left = closed(&mut worker, &mut bands);
                    sum = sum / FOUND * FOUND + passer.pass(n_left)?;
                }
                // All threads get the same sums, so they draw the same conclusions.
                let pause = match sum {
                    INTERRUPTED.. => Pause::Interrupted,
                    FOUND.. => Pause::Done,
                    OUT_OF_MEMORY.. => Pause::OutOfMemory,
                    0 => Pause::Done,
                    _ if sum < short as u64 => Pause::Short,
                    _ => continue,
                };
                return Some((time, round, pause));
            }
        });
        let Some((end, round, pause)) = paces.into_iter().flatten().next() else {
            return Pause::Interrupted;
        };
        stats.n_together += end - start;
        self.time = end;
        self.round = round;
        pause
    }
}

/// The first and the last time of the window after a time. The goals have a window to themselves.
fn window(time: u32) -> (u32, u32) {
    (time + 1, if time == 0 { 1 } else { time + WINDOW as u32 })
}
