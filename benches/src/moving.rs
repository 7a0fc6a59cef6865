//! Moving objects: the index of `star-intrinsics` on source 004's workload, alternately with a
//! naive grid and the crate `rstar`.
//!
//! A batch goes to each contestant before the next one is generated; only the contestants' time
//! counts, and answers are compared by number and hash. The peers use one thread, and so does the
//! instance of ours that they are compared with.

use std::time::{Duration, Instant};

use rstar::primitives::GeomWithData;
use rstar::{AABB, RTree};
use star_intrinsics::Workers;
use star_intrinsics::moving::{AnswerHash, Collector, MovingIndex, Point, Query, Rect, Update};
use star_io::generate::{GenerateOptions, Hubs, MovingObjects};
use star_io::moving::{Position, Window};

use crate::results::Figure;

const SEED: u64 = 1;
const PER_BATCH: u64 = 100_000;
/// The side of the area in centimetres: 100 km.
const SIDE: u64 = 10_000_000;
/// The side of a query for ten hits on average among 10 M objects: uniform, and in hubs.
const QUERY_SIDES: [u64; 2] = [10_000, 3_500];
/// Objects up to which `rstar` takes part.
const MOST_FOR_RSTAR: u64 = 1_000_000;

/// An index of the objects.
trait Contestant {
    fn name(&self) -> &'static str;

    /// Carries out a batch; queries see the objects before it.
    fn batch(&mut self, updates: &[Position], queries: &[Window]);

    /// Number and hash of all answers.
    fn answers(&self) -> AnswerHash;
}

/// Our index.
struct Ours {
    index: MovingIndex,
    workers: Workers<'static>,
    updates: Vec<Update>,
    queries: Vec<Query>,
    answers: AnswerHash,
    time: Duration,
}

impl Ours {
    fn new(threads: usize) -> Result<Ours, String> {
        let workers = Workers::new(Some(threads), Workers::NEVER).map_err(|_| "no threads")?;
        let (updates, queries) = (Vec::new(), Vec::new());
        let (answers, time) = (AnswerHash::default(), Duration::ZERO);
        Ok(Ours { index: MovingIndex::new(None), workers, updates, queries, answers, time })
    }
}

impl Contestant for Ours {
    fn name(&self) -> &'static str {
        "ours on one thread"
    }

    fn batch(&mut self, updates: &[Position], queries: &[Window]) {
        let point = |[x, y]: [i32; 2]| Point::new(x.into(), y.into()).expect("made in range");
        self.updates.clear();
        self.updates.extend(updates.iter().map(|its| Update { id: its.id, to: its.at.map(point) }));
        self.queries.clear();
        self.queries.extend(queries.iter().map(|its| Query {
            number: its.number,
            range: Rect::new(point(its.low), point(its.high)),
        }));
        let begin = Instant::now();
        let (updates, queries) = (&self.updates, &self.queries);
        let done = self.index.period(updates, queries, &mut self.answers, &self.workers);
        self.time += begin.elapsed();
        done.expect("there is memory, and nothing interrupts it");
    }

    fn answers(&self) -> AnswerHash {
        self.answers
    }
}

/// A list of objects for each cell, and the cell of each object.
struct Naive {
    cells: Vec<Vec<(u32, [i32; 2])>>,
    cell_of: Vec<u32>,
    per_side: usize,
    answers: AnswerHash,
}

impl Naive {
    /// Cells for about ten objects, as source 004 has them.
    fn new(n_objects: u64) -> Naive {
        let per_side = ((n_objects / 10) as usize).isqrt().max(1);
        Naive {
            cells: vec![Vec::new(); per_side * per_side],
            cell_of: vec![u32::MAX; n_objects as usize + 1],
            per_side,
            answers: AnswerHash::default(),
        }
    }

    fn column(&self, c: i32) -> usize {
        (c.max(0) as usize * self.per_side / (SIDE as usize + 1)).min(self.per_side - 1)
    }
}

impl Contestant for Naive {
    fn name(&self) -> &'static str {
        "grid of vectors, one thread"
    }

    fn batch(&mut self, updates: &[Position], queries: &[Window]) {
        for Window { number, low, high } in queries {
            for row in self.column(low[1])..=self.column(high[1]) {
                for column in self.column(low[0])..=self.column(high[0]) {
                    for (id, at) in &self.cells[row * self.per_side + column] {
                        if (0..2).all(|axis| low[axis] <= at[axis] && at[axis] <= high[axis]) {
                            self.answers.hit(*number, *id);
                        }
                    }
                }
            }
        }
        for Position { id, at } in updates {
            let old = self.cell_of[*id as usize] as usize;
            if let Some(cell) = self.cells.get_mut(old)
                && let Some(idx) = cell.iter().position(|(other, _)| other == id)
            {
                cell.swap_remove(idx);
            }
            if let Some(at) = *at {
                let cell = self.column(at[1]) * self.per_side + self.column(at[0]);
                self.cells[cell].push((*id, at));
                self.cell_of[*id as usize] = cell as u32;
            }
        }
    }

    fn answers(&self) -> AnswerHash {
        self.answers
    }
}

/// Areas are formed in the type of the coordinates: 32 bits are too few.
type Object = GeomWithData<[i64; 2], u32>;

/// The crate `rstar`.
struct Rstar {
    tree: RTree<Object>,
    at: Vec<Option<[i32; 2]>>,
    answers: AnswerHash,
}

impl Contestant for Rstar {
    fn name(&self) -> &'static str {
        "rstar, one thread"
    }

    fn batch(&mut self, updates: &[Position], queries: &[Window]) {
        for Window { number, low, high } in queries {
            let envelope = AABB::from_corners(low.map(i64::from), high.map(i64::from));
            for object in self.tree.locate_in_envelope(envelope) {
                self.answers.hit(*number, object.data);
            }
        }
        if self.tree.size() == 0 {
            let placed =
                updates.iter().filter_map(|its| Some(Object::new(its.at?.map(i64::from), its.id)));
            self.tree = RTree::bulk_load(placed.collect());
            updates.iter().for_each(|its| self.at[its.id as usize] = its.at);
            return;
        }
        for Position { id, at } in updates {
            if let Some(old) = std::mem::replace(&mut self.at[*id as usize], *at) {
                self.tree.remove(&Object::new(old.map(i64::from), *id));
            }
            if let Some(at) = at {
                self.tree.insert(Object::new(at.map(i64::from), *id));
            }
        }
    }

    fn answers(&self) -> AnswerHash {
        self.answers
    }
}

/// A measurement.
#[derive(Clone, Copy)]
pub(crate) struct Job {
    pub(crate) n_objects: u64,
    /// Batches of 100,000 updates.
    pub(crate) n_batches: u64,
    /// Are 10,000 queries in each batch?
    pub(crate) queries: bool,
    /// Are the objects in hubs?
    pub(crate) hubs: bool,
    /// Do the peers take part?
    pub(crate) peers: bool,
}

/// Measures ours on all threads and, with peers, on one thread, and the peers. The time is for all
/// batches.
///
/// # Errors
/// If the answers differ.
pub(crate) fn measure(job: Job) -> Result<Figure, String> {
    let Job { n_objects, n_batches, .. } = job;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let workload = MovingObjects {
        n_objects,
        n_updates: n_batches * PER_BATCH,
        per_batch: PER_BATCH,
        per_hundred: if job.queries { 10 } else { 0 },
        side: SIDE,
        query_side: QUERY_SIDES[usize::from(job.hubs)],
        hubs: job.hubs.then_some(Hubs { n: 100, deviation: 100_000 }),
    };
    let mut options = GenerateOptions::new(SEED, u64::MAX);
    let mut steps = workload.start(&mut options).map_err(|error| error.to_string())?;
    let mut ours = Ours::new(threads)?;
    let mut alone = if job.peers { Some(Ours::new(1)?) } else { None };
    let mut peers: Vec<(Box<dyn Contestant>, Duration)> = Vec::new();
    if job.peers {
        peers.push((Box::new(Naive::new(n_objects)), Duration::ZERO));
    }
    if job.peers && n_objects <= MOST_FOR_RSTAR {
        let at = vec![None; n_objects as usize + 1];
        let rstar = Rstar { tree: RTree::new(), at, answers: AnswerHash::default() };
        peers.push((Box::new(rstar), Duration::ZERO));
    }
    let mut all_contestants = |updates: &[Position], queries: &[Window], counts: bool| {
        for ours in alone.iter_mut().chain([&mut ours]) {
            let before = ours.time;
            ours.batch(updates, queries);
            if !counts {
                ours.time = before;
            }
        }
        for (peer, time) in &mut peers {
            let begin = Instant::now();
            peer.batch(updates, queries);
            *time += if counts { begin.elapsed() } else { Duration::ZERO };
        }
    };
    let placed: Vec<Position> = steps.positions().collect();
    all_contestants(&placed, &[], false);
    drop(placed);
    let (mut updates, mut queries) = (Vec::new(), Vec::new());
    while steps.step(&mut updates, &mut queries) {
        all_contestants(&updates, &queries, true);
    }
    let found = ours.answers();
    let others = alone.iter().map(|ours| (ours as &dyn Contestant, ours.time));
    let others = others.chain(peers.iter().map(|(peer, time)| (&**peer, *time)));
    let mut times = Vec::new();
    for (peer, time) in others {
        if peer.answers() != found {
            return Err(format!("{} answers {:?}, ours {found:?}", peer.name(), peer.answers()));
        }
        times.push((peer.name(), time.as_secs_f64()));
    }
    let all = ours.time.as_secs_f64();
    // The peers use one thread: they are compared with ours on one.
    let (time, n_threads) = alone.map_or((all, threads), |ours| (ours.time.as_secs_f64(), 1));
    let peers = times.get(1..).unwrap_or_default();
    let input = if job.hubs { "hubs" } else { "uniform" };
    let seconds_of_40_m = all * 400.0 / n_batches as f64;
    Ok(Figure {
        threads: n_threads,
        variants: [(format!("on {threads} threads"), all)].into(),
        note: format!(
            "{n_batches} batches, {} answers; 40 M updates on {threads} threads: {seconds_of_40_m:.2} s",
            found.hits
        ),
        ..Figure::new(input, ("objects", n_objects as usize), time, peers)
    })
}
