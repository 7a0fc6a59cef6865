//! Moving objects: the index of star-intrinsics on source 004's workload, in turn with a naive grid and the crate `rstar`.
//!
//! A batch goes to each contestant before the next one is made; only the contestants' time counts, and answers are
//! compared by number and hash. The peers use one thread, and so does one of ours beside them.

use std::time::{Duration, Instant};

use rstar::primitives::GeomWithData;
use rstar::{AABB, RTree};
use star_intrinsics::Workers;
use star_intrinsics::moving::{AnswerHash, Collector, MovingIndex, Point, Query, Rect, Update};
use star_io::generate::{GenerateOptions, Hubs, MovingObjects};
use star_io::moving::{Position, Window};

use crate::say::say;

const SEED: u64 = 1;
const PER_BATCH: u64 = 100_000;
/// The side of the area in centimetres: 100 km.
const SIDE: u64 = 10_000_000;
/// The side of a question for ten hits on average among 10 M objects: uniform, and in hubs.
const QUERY_SIDES: [u64; 2] = [10_000, 3_500];
/// The source's Tesla K40, seconds for 40 M updates and 4 M questions.
const SOURCE: f64 = 3.1175;
/// Objects up to which `rstar` takes part.
const MOST_FOR_RSTAR: u64 = 1_000_000;

/// Whoever keeps the objects.
trait Contestant {
    fn name(&self) -> String;

    /// A batch: questions see what was before.
    fn batch(&mut self, updates: &[Position], queries: &[Window]);

    /// Number and hash of all answers.
    fn answers(&self) -> AnswerHash;
}

/// Our index.
struct Ours {
    index: MovingIndex,
    workers: Workers<'static>,
    threads: usize,
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
        Ok(Ours {
            index: MovingIndex::new(None),
            workers,
            threads,
            updates,
            queries,
            answers,
            time,
        })
    }
}

impl Contestant for Ours {
    fn name(&self) -> String {
        format!("ours, {} threads", self.threads)
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
        done.expect("there is memory, and nobody stops it");
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
    fn name(&self) -> String {
        "Vec grid, 1 thread".to_owned()
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
    fn name(&self) -> String {
        "rstar, 1 thread".to_owned()
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

/// What is measured.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Both,
    Updates,
    Queries,
}

/// A job, and who works on it.
struct Job {
    name: &'static str,
    part: Part,
    per_hundred: u64,
    hubs: bool,
    query_side: u64,
    peers: bool,
}

/// Runs all jobs with so many objects and batches of 100,000 updates.
pub(crate) fn run(n_objects: u64, n_batches: u64) -> Result<(), String> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    say!(
        "moving objects: {n_objects} objects, {n_batches} batches of {PER_BATCH} updates, seed {SEED}, {threads} threads"
    );
    let [uniform, gathered] = QUERY_SIDES;
    let job = |name, part, per_hundred, hubs, query_side, peers| Job {
        name,
        part,
        per_hundred,
        hubs,
        query_side,
        peers,
    };
    let jobs = [
        job("whole job, uniform", Part::Both, 10, false, uniform, true),
        job("whole job, hubs", Part::Both, 10, true, gathered, true),
        job("hubs, squares of 100 m", Part::Both, 10, true, uniform, false),
        job("updates only, uniform", Part::Updates, 0, false, uniform, true),
        job("updates only, hubs", Part::Updates, 0, true, gathered, false),
        job("questions only, uniform", Part::Queries, 10, false, uniform, true),
        job("questions only, hubs", Part::Queries, 10, true, gathered, false),
        job("100 : 8, uniform", Part::Both, 8, false, uniform, false),
        job("100 : 6, uniform", Part::Both, 6, false, uniform, false),
        job("100 : 4, uniform", Part::Both, 4, false, uniform, false),
        job("100 : 2, uniform", Part::Both, 2, false, uniform, false),
        job("100 : 1, uniform", Part::Both, 1, false, uniform, false),
    ];
    jobs.iter().try_for_each(|job| measure(job, n_objects, n_batches, threads))
}

fn measure(job: &Job, n_objects: u64, n_batches: u64, threads: usize) -> Result<(), String> {
    let workload = MovingObjects {
        n_objects,
        n_updates: n_batches * PER_BATCH,
        per_batch: PER_BATCH,
        per_hundred: job.per_hundred,
        side: SIDE,
        query_side: job.query_side,
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
    let mut everybody = |updates: &[Position], queries: &[Window], counts: bool| {
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
    everybody(&placed, &[], false);
    drop(placed);
    let (mut updates, mut queries) = (Vec::new(), Vec::new());
    let (mut n_updates, mut n_queries) = (0, 0);
    while steps.step(&mut updates, &mut queries) {
        match job.part {
            Part::Both => everybody(&updates, &queries, true),
            Part::Updates => everybody(&updates, &[], true),
            Part::Queries => everybody(&[], &queries, true),
        }
        n_updates += if job.part == Part::Queries { 0 } else { updates.len() };
        n_queries += if job.part == Part::Updates { 0 } else { queries.len() };
    }

    let found = ours.answers();
    let show = |name: &str, time: Duration, ratio: Option<f64>| {
        let seconds = time.as_secs_f64();
        let whole = seconds * (40_000_000.0 / (n_batches * PER_BATCH) as f64);
        let rate = |n: usize| n as f64 / seconds / 1e6;
        let ratio =
            ratio.map_or_else(String::new, |ratio| format!("; {ratio:.1} times ours alone"));
        say!(
            "  {name}: {seconds:.3} s; {:.2} M updates/s, {:.3} M questions/s; 40 M updates in {whole:.2} s{ratio}",
            rate(n_updates),
            rate(n_queries)
        );
    };
    say!("{}: {n_updates} updates, {n_queries} questions, {} answers", job.name, found.hits);
    show(&ours.name(), ours.time, None);
    let its = ours.index.statistics();
    let per_hit = ours.time.as_nanos() as f64 / found.hits.max(1) as f64;
    say!(
        "    {} cells, {} further buckets, {} in place, {} split, {:.1} ns a hit, {:.2} of the source's time on a K40",
        its.cells,
        its.further_buckets,
        its.updates.in_place,
        its.updates.split,
        per_hit,
        ours.time.as_secs_f64() * 400.0 / n_batches as f64 / SOURCE
    );
    let Some(alone) = alone else { return Ok(()) };
    show(&alone.name(), alone.time, None);
    for (peer, time) in &peers {
        show(&peer.name(), *time, Some(time.as_secs_f64() / alone.time.as_secs_f64()));
        if peer.answers() != found {
            return Err(format!(
                "{} answers otherwise: {:?}, {found:?}",
                peer.name(),
                peer.answers()
            ));
        }
    }
    if alone.answers() != found {
        return Err("one thread answers otherwise".to_owned());
    }
    Ok(())
}
