//! Moving objects: the index of `star-intrinsics` on source 004's workload, alternately with a
//! naive grid and the crate `rstar`.
//!
//! A batch goes to each contestant before the next one is generated; only the contestants' time
//! counts, and answers are compared by number and hash. The peers use one thread, and so does the
//! instance of ours that they are compared with.

use std::time::{Duration, Instant};

use rstar::primitives::GeomWithData;
use rstar::{AABB, RTree};
use star_gpu::{DeviceSettings, Movers, MoversError};
use star_intrinsics::Workers;
use star_intrinsics::moving::{
    AnswerForm, AnswerHash, BatchAnswers, Collector, MovingIndex, Point, Query, Rect, Update,
};
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
        convert(updates, queries, &mut self.updates, &mut self.queries);
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

/// Writes a batch as an index reads it.
fn convert(
    updates: &[Position],
    queries: &[Window],
    to: &mut Vec<Update>,
    to_queries: &mut Vec<Query>,
) {
    let point = |[x, y]: [i32; 2]| Point::new(x.into(), y.into()).expect("made in range");
    to.clear();
    to.extend(updates.iter().map(|its| Update { id: its.id, to: its.at.map(point) }));
    to_queries.clear();
    to_queries.extend(queries.iter().map(|its| Query {
        number: its.number,
        range: Rect::new(point(its.low), point(its.high)),
    }));
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

impl Job {
    fn workload(self) -> MovingObjects {
        MovingObjects {
            n_objects: self.n_objects,
            n_updates: self.n_batches * PER_BATCH,
            per_batch: PER_BATCH,
            per_hundred: if self.queries { 10 } else { 0 },
            side: SIDE,
            query_side: QUERY_SIDES[usize::from(self.hubs)],
            hubs: self.hubs.then_some(Hubs { n: 100, deviation: 100_000 }),
        }
    }
}

/// Batches that are generated before the contestants carry them out.
const AT_ONCE: usize = 50;

/// Carries out batches on the card, answers included, and returns the time: the card processes some
/// batches while the host prepares the next one.
fn all_on_card(
    card: &mut Movers,
    batches: &[(Vec<Update>, Vec<Query>)],
    answers: &mut AnswerHash,
) -> Result<Duration, String> {
    let failed = |error: MoversError| format!("{error:?}");
    let begin = Instant::now();
    for (updates, queries) in batches {
        card.begin(updates, queries, AnswerForm::Hash, &|| false).map_err(failed)?;
    }
    card.finish(&|| false).map_err(failed)?;
    let took = begin.elapsed();
    while let Some(found) = card.take_answers() {
        match found {
            BatchAnswers::Hash(hash) => answers.absorb(hash),
            BatchAnswers::Pairs(_) => return Err("pairs instead of a hash".to_owned()),
        }
    }
    Ok(took)
}

/// Compiles the kernels: a driver takes longer for them than for many batches.
fn compile_kernels() -> Result<Duration, String> {
    let point = |c: i64| Point::new(c, c).expect("in range");
    let updates: Vec<Update> =
        (0..99).map(|id| Update { id, to: Some(point(id.into())) }).collect();
    let queries = vec![Query { number: 0, range: Rect::new(point(0), point(50)) }];
    let batches = [(updates.clone(), Vec::new()), (updates[..9].to_vec(), queries)];
    let mut card = Movers::open(&DeviceSettings::default(), None)?;
    all_on_card(&mut card, &batches, &mut AnswerHash::default())
}

/// Measures all batches on a graphics card, uploads and the hash of answers included; the peer is
/// the index of the CPU on all threads.
///
/// # Errors
/// If there is no graphics card, or the answers differ.
pub(crate) fn on_card(job: Job) -> Result<Figure, String> {
    let Job { n_objects, n_batches, .. } = job;
    let mut card = Movers::open(&DeviceSettings::default(), None)?;
    let device = card.device();
    // A driver for the processor is not a graphics card.
    if device.contains("llvmpipe") {
        return Err("needs a graphics card".to_owned());
    }
    let compiled = compile_kernels()?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut ours = Ours::new(threads)?;
    let mut options = GenerateOptions::new(SEED, u64::MAX);
    let mut steps = job.workload().start(&mut options).map_err(|error| error.to_string())?;
    let mut answers = AnswerHash::default();
    let converted = |updates: &[Position], queries: &[Window]| {
        let mut batch = (Vec::new(), Vec::new());
        convert(updates, queries, &mut batch.0, &mut batch.1);
        batch
    };
    // The first batch only places the objects.
    let placed: Vec<Position> = steps.positions().collect();
    ours.batch(&placed, &[]);
    ours.time = Duration::ZERO;
    let load = all_on_card(&mut card, &[converted(&placed, &[])], &mut answers)?;
    drop(placed);
    let loaded = card.device_nanoseconds();
    let mut time = Duration::ZERO;
    let (mut updates, mut queries) = (Vec::new(), Vec::new());
    loop {
        let mut batches = Vec::new();
        while batches.len() < AT_ONCE && steps.step(&mut updates, &mut queries) {
            ours.batch(&updates, &queries);
            batches.push(converted(&updates, &queries));
        }
        if batches.is_empty() {
            break;
        }
        time += all_on_card(&mut card, &batches, &mut answers)?;
    }
    let on_device = card.device_nanoseconds() - loaded;
    if ours.answers() != answers {
        return Err(format!("the card answers {answers:?}, the CPU {:?}", ours.answers()));
    }
    let input = if job.hubs { "hubs" } else { "uniform" };
    let choices = card.statistics().map_err(|error| format!("{error:?}"))?.choices;
    Ok(Figure {
        variants: [
            ("device".to_owned(), on_device as f64 / 1e9),
            ("first batch".to_owned(), load.as_secs_f64()),
            ("compilation of kernels".to_owned(), compiled.as_secs_f64()),
        ]
        .into(),
        note: format!(
            "{device}: {n_batches} batches, {} answers, cells chosen {choices} times",
            answers.hits
        ),
        ..Figure::new(
            input,
            ("objects", n_objects as usize),
            time.as_secs_f64(),
            &[("CPU, all threads", ours.time.as_secs_f64())],
        )
    })
}

/// Measures ours on all threads and, with peers, on one thread, and the peers. The time is for all
/// batches.
///
/// # Errors
/// If the answers differ.
pub(crate) fn measure(job: Job) -> Result<Figure, String> {
    let Job { n_objects, n_batches, .. } = job;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let workload = job.workload();
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
