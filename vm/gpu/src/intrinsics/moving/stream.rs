//! Moving objects of a stream of batches, on a device without a program. `batch`: a batch in memory
//! of the device. `on_device`: the executor of kernels.
//!
//! The device processes some batches while the host prepares the next one (Note \[Phases\] in
//! star-shaders). The outcome of a batch is known when its submission is collected; batches that
//! were not due are submitted again.

use std::collections::VecDeque;

use star_intrinsics::Ended;
use star_intrinsics::moving::{
    AnswerForm, AnswerHash, BatchAnswers, Point, Query, Rect, Statistics, Update, Updates,
};
use star_shaders::intrinsics::moving::{
    self as shaders, FULL, NOTES, OBJECT_WORDS, OUTCOME, Outcome, RECORD_WORDS, SUM_WORDS, Source,
    UNKNOWN_FIRST, UPDATE_WORDS,
};
use star_vm::{BackendError, Declined};

use self::batch::{Batch, Plan, RESULTS, SUMS};
use self::on_device::OnDevice;
use super::super::work::{Batch as Launches, Executor};
use super::super::{IntrinsicResult, NotTaken};
use super::index::{Index, Layout};
use super::{Groups, TOO_LARGE, parts_of_queries};
use crate::device::{Device, DeviceSettings};
use crate::grid::{Kernel, Launch, Returned, Words};
use crate::heap::{Block, Heap};
use crate::program::internal;
use crate::run::End;

mod batch;
mod on_device;

/// Objects that are read back at once.
const OBJECTS_AT_ONCE: u32 = 1 << 20;
/// Batches that the device processes while the host prepares the next one.
const IN_FLIGHT: usize = 3;

/// Moving objects on a graphics card, which receive batches of updates and queries.
///
/// Ids index a table of the device, which grows to the greatest one.
pub struct Movers {
    heap: Heap,
    stream: State,
}

/// The objects apart from the device.
struct State {
    area: Option<Rect>,
    /// The number of possible ids.
    n: u32,
    held: Option<Held>,
    kernels: Option<Kernels>,
    /// The word with the first phase that is not due.
    not_due: u32,
    /// The first phase of the next batch.
    phase: u32,
    /// Batches that the device processes, and unused ones.
    in_flight: VecDeque<Batch>,
    unused: Vec<Batch>,
    /// Answers that were not taken yet.
    answers: VecDeque<BatchAnswers>,
    statistics: Statistics,
    /// Time on the device so far, if it is measured.
    nanoseconds: u64,
}

/// An index, its memory, and the area of its cells.
#[derive(Clone, Copy)]
struct Held {
    index: Index,
    block: Block,
    area: Rect,
    /// The number of further buckets after the last batch that was collected.
    n_further: u32,
}

/// The kernels of batches.
#[derive(Clone, Copy)]
struct Kernels {
    ranges: Kernel,
    sums: Kernel,
    stamp: Kernel,
    change: Kernel,
}

/// The reason why a batch was not completed: the objects must then be discarded.
#[derive(Debug)]
pub enum MoversError {
    /// As for the index of the CPU.
    Ended(Ended),
    /// The device failed.
    Device(BackendError),
}

impl Movers {
    /// Opens a device without objects. Without an area, cells divide that of the first batch.
    ///
    /// # Errors
    /// The reason why there is no device, as text.
    pub fn open(settings: &DeviceSettings, area: Option<Rect>) -> Result<Movers, String> {
        let heap = Heap::new(Box::new(Device::open(settings)?));
        let stream = State {
            area,
            n: 0,
            held: None,
            kernels: None,
            not_due: 0,
            phase: 0,
            in_flight: VecDeque::new(),
            unused: Vec::new(),
            answers: VecDeque::new(),
            statistics: Statistics::default(),
            nanoseconds: 0,
        };
        Ok(Movers { heap, stream })
    }

    /// Returns the name of the device.
    pub fn device(&self) -> String {
        self.heap.unit.device()
    }

    /// Begins one period: answers the queries, which see all earlier batches and nothing of this
    /// one, and then applies the updates. Of several updates of an id, the last one counts. The
    /// answers can be taken after some later periods, or after [`Movers::finish`].
    ///
    /// # Errors
    /// If memory is refused, `is_stopped` returns true, or the device fails, also in an earlier
    /// period.
    pub fn begin(
        &mut self,
        updates: &[Update],
        queries: &[Query],
        form: AnswerForm,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<(), MoversError> {
        self.run(is_stopped, |stream| stream.period(updates, queries, form))
    }

    /// Completes all periods.
    ///
    /// # Errors
    /// As for [`Movers::begin`].
    pub fn finish(&mut self, is_stopped: &dyn Fn() -> bool) -> Result<(), MoversError> {
        self.run(is_stopped, |stream| stream.finish())
    }

    /// Takes the answers of the first completed period whose answers were not taken.
    pub fn take_answers(&mut self) -> Option<BatchAnswers> {
        self.stream.answers.pop_front()
    }

    fn run<T>(
        &mut self,
        is_stopped: &dyn Fn() -> bool,
        run: impl FnOnce(&mut Stream<'_>) -> Result<T, NotTaken>,
    ) -> Result<T, MoversError> {
        let on = OnDevice { heap: &mut self.heap, taken: Vec::new(), is_stopped, nanoseconds: 0 };
        let mut stream = Stream { on, state: &mut self.stream };
        let done = run(&mut stream);
        let Stream { on, state } = stream;
        on.taken.iter().for_each(|&block| on.heap.give(block));
        state.nanoseconds += on.nanoseconds;
        Ok(done?)
    }

    /// Calls `each` for every object, in the order of ids, after all periods.
    ///
    /// # Errors
    /// As for [`Movers::finish`].
    pub fn for_each(&mut self, mut each: impl FnMut(u32, Point)) -> Result<(), MoversError> {
        self.run(&|| false, |stream| {
            stream.finish()?;
            let Some(Held { index, .. }) = stream.state.held else { return Ok(()) };
            let (objects, n_ids) = (index.objects(), stream.state.n);
            for first in (0..n_ids).step_by(OBJECTS_AT_ONCE as usize) {
                let n = OBJECTS_AT_ONCE.min(n_ids - first);
                let mut words = vec![0; (OBJECT_WORDS * n) as usize];
                stream.on.read(objects + OBJECT_WORDS * first, &mut words)?;
                for (id, object) in (first..).zip(words.chunks(OBJECT_WORDS as usize)) {
                    if let [place, _, x, y] = *object
                        && place != 0
                        && let Some(at) = Point::new((x as i32).into(), (y as i32).into())
                    {
                        each(id, at);
                    }
                }
            }
            Ok(())
        })
    }

    /// Returns the area that is divided into cells, or `None` before the first batch.
    pub fn area(&self) -> Option<Rect> {
        self.stream.held.map(|held| held.area)
    }

    /// Returns layout and activity of the index after all periods; which cells queries touch is not
    /// counted.
    ///
    /// # Errors
    /// As for [`Movers::finish`].
    pub fn statistics(&mut self) -> Result<Statistics, MoversError> {
        let further_buckets = self.run(&|| false, |stream| {
            stream.finish()?;
            Ok(stream.state.held.map_or(0, |held| held.n_further.into()))
        })?;
        let n_bytes = self.n_bytes();
        Ok(Statistics { n_bytes, further_buckets, ..self.stream.statistics })
    }

    /// Returns the time of completed periods on the device in nanoseconds; 0 if it is not measured.
    pub fn device_nanoseconds(&self) -> u64 {
        self.stream.nanoseconds
    }

    /// Returns the memory in use, in bytes.
    pub fn n_bytes(&self) -> u64 {
        self.heap.n_bytes()
    }

    /// Returns a lower bound on the memory in use, in bytes, once an object has this id.
    pub fn n_bytes_with(&self, id: u32) -> u64 {
        let n_more = (u64::from(id) + 1).saturating_sub(self.stream.n.into());
        self.n_bytes() + 4 * u64::from(OBJECT_WORDS) * n_more
    }
}

/// The objects on a device.
struct Stream<'m> {
    on: OnDevice<'m>,
    state: &'m mut State,
}

impl Stream<'_> {
    fn period(
        &mut self,
        updates: &[Update],
        queries: &[Query],
        form: AnswerForm,
    ) -> IntrinsicResult {
        let plan = Plan::of(updates)?;
        let n = u32::try_from(updates.len()).map_err(|_| TOO_LARGE)?;
        while self.state.in_flight.len() >= IN_FLIGHT {
            self.collect()?;
        }
        let Some(Held { index, n_further, .. }) = self.state.held else {
            self.state.statistics.answering.queries += queries.len() as u64;
            self.state.answers.push_back(no_answers(form));
            return if updates.is_empty() { Ok(()) } else { self.rebuild(updates, &plan) };
        };
        let is_kept = plan.n_ids <= self.state.n && index.takes(n, || Ok(n_further))?;
        if is_kept || updates.is_empty() {
            return self.submit(updates, &plan, queries, form);
        }
        self.submit(&[], &Plan::default(), queries, form)?;
        self.finish()?;
        self.rebuild(updates, &plan)
    }

    fn finish(&mut self) -> IntrinsicResult {
        while !self.state.in_flight.is_empty() {
            self.collect()?;
        }
        Ok(())
    }

    /// Submits a batch that the index can take.
    fn submit(
        &mut self,
        updates: &[Update],
        plan: &Plan,
        queries: &[Query],
        form: AnswerForm,
    ) -> IntrinsicResult {
        let words = batch::words(updates.len(), queries.len())?;
        let mut batch = self.state.unused.pop().unwrap_or_else(Batch::new);
        if batch.block.words < words {
            self.on.heap.give(std::mem::take(&mut batch.block));
            batch.block = self.on.keep(words.into())?;
        }
        (batch.n_updates, batch.n_unknown, batch.form) =
            (updates.len() as u32, plan.n_unknown, form);
        batch.numbers.clear();
        batch.numbers.extend(queries.iter().map(|query| query.number));
        if batch.room() < batch.n_returned() {
            self.on.heap.give(std::mem::take(&mut batch.records));
            let words = u64::from(RECORD_WORDS) * u64::from(batch.n_returned());
            batch.records = self.on.keep(words)?;
        }
        batch.phase = self.state.phase;
        self.state.phase += 2;
        self.enter(batch, words, &mut |to| {
            to(&[0; RESULTS as usize]);
            plan.write(updates, to);
            batch::write_queries(queries, to);
        })
    }

    /// Submits a batch, and sends its first words.
    fn enter(
        &mut self,
        mut batch: Batch,
        words: u32,
        write: &mut dyn FnMut(&mut Words<'_>),
    ) -> IntrinsicResult {
        let held = self.state.held.ok_or_else(|| internal("a batch without an index"))?;
        let (launches, limbs) = self.launches(&held.index, &batch)?;
        let mut returned = vec![(batch.block.at, RESULTS), (held.index.counter(), 1)];
        returned.push((batch.records.at, RECORD_WORDS * batch.n_returned()));
        let grid = self.on.grid()?;
        let at_once = grid.launches_at_once(limbs);
        let (mut first, mut sent) = (0, (batch.block.at, words));
        batch.n_begun = 0;
        loop {
            self.on.check()?;
            let end = launches.len().min(first + at_once);
            let is_last = end == launches.len();
            let returned: &[(u32, u32)] = if is_last { &returned } else { &[] };
            self.on.grid()?.begin(sent, write, &launches[first..end], returned)?;
            batch.n_begun += 1;
            (first, sent) = (end, (0, 0));
            if is_last {
                break;
            }
        }
        self.state.in_flight.push_back(batch);
        Ok(())
    }

    /// Returns the dispatches of a batch, and the limbs that each accesses.
    fn launches(&mut self, index: &Index, batch: &Batch) -> Result<(Vec<Launch>, u64), NotTaken> {
        let on: &mut dyn Executor = &mut self.on;
        let groups = Groups::of(on)?;
        let (threads, query_threads) = (groups.threads, groups.query_threads);
        let kernels = match self.state.kernels {
            Some(kernels) => kernels,
            None => Kernels {
                ranges: on.kernel(&shaders::ranges(query_threads))?,
                sums: on.kernel(&shaders::sums(query_threads))?,
                stamp: on.kernel(&shaders::stamp(threads, Source::Stream))?,
                change: on.kernel(&shaders::change(threads, Source::Stream))?,
            },
        };
        self.state.kernels = Some(kernels);
        let (index, not_due) = (index.with_notes(batch.notes()), self.state.not_due);
        let mut launches = Launches::default();
        let n = batch.n_queries();
        if n > 0 {
            let n_parts = parts_of_queries(n);
            let (kernel, answers) = match batch.form {
                AnswerForm::Pairs => {
                    (kernels.ranges, [batch.records.at, batch.room(), batch.counter(), not_due])
                }
                AnswerForm::Hash => (kernels.sums, [batch.sums(), SUMS, batch.numbers_at(), 0]),
            };
            let given = [[n, n_parts, batch.phase, 0], batch.corners()].concat();
            let given = [&index.words()[..], &answers, &given].concat();
            let units = groups.for_queries(&index, u64::from(n) * u64::from(n_parts));
            launches.add_kernel(on, units, kernel, &given)?;
        }
        if batch.n_updates > 0 {
            let given =
                of_updates(&index, batch.n_updates, batch.updates(), not_due, batch.phase + 1);
            launches.add_kernel(on, index.over(batch.n_updates), kernels.stamp, &given)?;
            launches.add_kernel(on, index.over(batch.n_updates), kernels.change, &given)?;
        }
        Ok(launches.into_parts())
    }

    /// Waits for the submissions of the first batch, and returns its results.
    fn returned(&mut self, batch: &Batch) -> Result<Vec<u32>, NotTaken> {
        let mut words = Vec::new();
        for _ in 0..batch.n_begun {
            self.on.check()?;
            let returned = self.on.grid()?.finish()?;
            let returned = returned.ok_or_else(|| internal("a batch without a submission"))?;
            let Returned { words: its, nanoseconds } = returned;
            self.on.nanoseconds += nanoseconds.unwrap_or(0);
            words = its;
        }
        Ok(words)
    }

    /// Completes the first batch.
    fn collect(&mut self) -> IntrinsicResult {
        let Some(mut batch) = self.state.in_flight.pop_front() else { return Ok(()) };
        let words = self.returned(&batch)?;
        let (of_batch, rest) = words.split_at(RESULTS as usize);
        let (counter, records) = rest.split_at(1);
        let (notes, rest) = of_batch.split_at(NOTES as usize);
        let (sums, counters) = rest.split_at((SUMS * SUM_WORDS) as usize);
        let (n, is_too_large) = (counters[0], counters[1] != 0);
        if is_too_large {
            return Err(TOO_LARGE);
        }
        if n > batch.room() {
            self.on.heap.give(std::mem::take(&mut batch.records));
            batch.records = self.on.keep(u64::from(RECORD_WORDS) * u64::from(n))?;
            return self.again(Some(batch));
        }
        let answers = match batch.form {
            AnswerForm::Hash => BatchAnswers::Hash(batch::total(sums)),
            AnswerForm::Pairs => BatchAnswers::Pairs(self.pairs(&batch, n, records)?),
        };
        let State { statistics, held, answers: of_batches, unused, .. } = &mut *self.state;
        let answering = &mut statistics.answering;
        answering.queries += batch.numbers.len() as u64;
        answering.hits += match &answers {
            BatchAnswers::Pairs(pairs) => pairs.len() as u64,
            BatchAnswers::Hash(hash) => hash.hits,
        };
        of_batches.push_back(answers);
        if let Some(held) = held {
            held.n_further = held.index.n_further(counter[0]);
            held.index = held.index.after(batch.n_updates);
        }
        if batch.n_updates > 0 {
            count(statistics, notes, batch.n_updates, batch.n_unknown);
        }
        unused.push(batch);
        if notes[FULL as usize] != 0 {
            self.again(None)?;
        }
        Ok(())
    }

    /// Submits the batches that were not due again: after one whose queries were not answered, or
    /// after all objects have entered new cells.
    fn again(&mut self, first: Option<Batch>) -> IntrinsicResult {
        let mut rest = std::mem::take(&mut self.state.in_flight);
        for batch in &rest {
            self.returned(batch)?;
        }
        match first {
            Some(batch) => rest.push_front(batch),
            None => self.rebuild(&[], &Plan::default())?,
        }
        self.on.write(self.state.not_due, &[0])?;
        for batch in rest {
            self.enter(batch, RESULTS, &mut |to| to(&[0; RESULTS as usize]))?;
        }
        Ok(())
    }

    /// Returns the numbers of queries and the ids of records, the first of which have returned.
    fn pairs(
        &mut self,
        batch: &Batch,
        n: u32,
        returned: &[u32],
    ) -> Result<Vec<(u32, u32)>, NotTaken> {
        let n_words = (RECORD_WORDS * n) as usize;
        let mut rest = vec![0; n_words.saturating_sub(returned.len())];
        self.on.read(batch.records.at + returned.len() as u32, &mut rest)?;
        let returned = &returned[..n_words.min(returned.len())];
        let records =
            [returned, &rest].into_iter().flat_map(|all| all.chunks(RECORD_WORDS as usize));
        let pair = |record: &[u32]| match *record {
            [query, _, _, object] => {
                Some((*batch.numbers.get(query.wrapping_sub(1) as usize)?, object - 1))
            }
            _ => None,
        };
        Ok(records.filter_map(pair).collect())
    }

    /// Applies updates and puts all objects into new cells. No batch is in flight.
    fn rebuild(&mut self, updates: &[Update], plan: &Plan) -> IntrinsicResult {
        let Stream { on, state } = self;
        let threads = Groups::of(on)?.threads;
        if state.not_due == 0 {
            state.not_due = on.keep(1)?.at;
        }
        let notes = on.notes(NOTES)?;
        let held = state.held.map(|held| held.index.objects());
        let objects = match held {
            Some(objects) if plan.n_ids <= state.n => objects,
            Some(_) | None => {
                let more = plan.n_ids.max(state.n.saturating_mul(2));
                let at = on.extra(u64::from(OBJECT_WORDS) * u64::from(more))?.at;
                if let Some(objects) = held {
                    on.copy(objects, at, OBJECT_WORDS * state.n)?;
                }
                state.n = more;
                at
            }
        };
        let bare = Index::bare(threads, state.n, objects, notes);
        if !updates.is_empty() {
            let n = updates.len() as u32;
            let mut words = Vec::with_capacity(UPDATE_WORDS as usize * updates.len());
            plan.write(updates, &mut |some| words.extend_from_slice(some));
            let at = on.extra(words.len() as u64)?.at;
            on.write(at, &words)?;
            drop(words);
            let given = of_updates(&bare, n, at, 0, 0);
            let mut launches = Launches::default();
            launches.add(on, bare.over(n), &shaders::stamp(threads, Source::Stream), &given)?;
            launches.add(on, bare.over(n), &shaders::change(threads, Source::Stream), &given)?;
            launches.run(on)?;
            count(&mut state.statistics, &bare.notes(on)?, n, plan.n_unknown);
        }
        let layout = Layout::choose(on, &bare, state.area)?;
        let block = on.keep(layout.words())?;
        let index = Index::build(on, &layout, &bare, block.at)?;
        let n_further = index.n_further_buckets(on)?;
        if let Some(old) = state.held.replace(Held { index, block, area: layout.area(), n_further })
        {
            on.heap.give(old.block);
        }
        state.statistics.choices += 1;
        state.statistics.cells = index.n_cells().into();
        Ok(())
    }
}

/// The parameters of the kernels that apply updates.
fn of_updates(index: &Index, n: u32, at: u32, not_due: u32, phase: u32) -> Vec<u32> {
    let [first, step] = index.stamps();
    [&index.words()[..], &[n, at, 0, 0, not_due, first, step, phase]].concat()
}

fn no_answers(form: AnswerForm) -> BatchAnswers {
    match form {
        AnswerForm::Pairs => BatchAnswers::Pairs(Vec::new()),
        AnswerForm::Hash => BatchAnswers::Hash(AnswerHash::default()),
    }
}

/// Adds the outcomes of a batch of `n` updates, of which some remove objects that the batch has
/// removed before.
fn count(statistics: &mut Statistics, notes: &[u32], n: u32, n_unknown: u64) {
    let of = |outcome: Outcome| u64::from(notes[(OUTCOME + outcome as u32) as usize]);
    let (in_place, split) = (of(Outcome::InPlace), of(Outcome::Split));
    let (inserted, removed) = (of(Outcome::Inserted), of(Outcome::Removed));
    let n_last = in_place + split + inserted + removed + of(Outcome::Unknown);
    let unknown_removals = n_unknown + u64::from(notes[UNKNOWN_FIRST as usize]);
    let superseded = u64::from(n).saturating_sub(n_last);
    let updates = n.into();
    statistics.updates.add(Updates {
        updates,
        superseded,
        in_place,
        split,
        inserted,
        removed,
        unknown_removals,
    });
    statistics.objects = (statistics.objects + inserted).saturating_sub(removed);
    statistics.batches += 1;
}

impl From<NotTaken> for MoversError {
    fn from(why: NotTaken) -> MoversError {
        match why {
            NotTaken::Declined(Declined::Memory | Declined::Range) => {
                MoversError::Ended(Ended::OutOfMemory)
            }
            NotTaken::Declined(_) => MoversError::Device(internal("a kernel was declined")),
            NotTaken::Ended(End::Failed(error)) => MoversError::Device(error),
            NotTaken::Ended(End::Stop(_) | End::Behind(_)) => {
                MoversError::Ended(Ended::Interrupted)
            }
        }
    }
}
