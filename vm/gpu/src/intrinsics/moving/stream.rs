//! Moving objects of a stream of batches, on a device without a program.

use std::collections::HashMap;

use star_intrinsics::Ended;
use star_intrinsics::moving::{
    AnswerForm, AnswerHash, BatchAnswers, Point, Query, Rect, Statistics, Update, Updates,
};
use star_ir::LimitKind;
use star_shaders::Shader;
use star_shaders::intrinsics::moving::{
    self as shaders, NOTES, OBJECT_WORDS, OUTCOME, Outcome, UNKNOWN_FIRST,
};
use star_vm::interrupt::Stop;
use star_vm::{BackendError, Declined};

use super::super::work::{Batch, Executor};
use super::super::{IntrinsicResult, NotTaken};
use super::index::{Index, Layout};
use super::{Groups, TOO_LARGE};
use crate::device::{Device, DeviceSettings};
use crate::grid::{Grid, Kernel, Launch};
use crate::heap::{Block, Heap};
use crate::program::internal;
use crate::run::End;

/// Objects that are read back at once.
const OBJECTS_AT_ONCE: u32 = 1 << 20;

/// Moving objects on a graphics card, which receive batches of updates and queries.
///
/// Ids index a table of the device, which grows to the greatest one.
pub struct Movers {
    heap: Heap,
    area: Option<Rect>,
    /// The number of possible ids.
    n: u32,
    held: Option<Held>,
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
        let statistics = Statistics::default();
        Ok(Movers { heap, area, n: 0, held: None, statistics, nanoseconds: 0 })
    }

    /// Returns the name of the device.
    pub fn device(&self) -> String {
        self.heap.unit.device()
    }

    /// Runs one period: answers the queries, which see all earlier batches and nothing of this one,
    /// and then applies the updates. Of several updates of an id, the last one counts.
    ///
    /// # Errors
    /// If memory is refused, `is_stopped` returns true, or the device fails.
    pub fn period(
        &mut self,
        updates: &[Update],
        queries: &[Query],
        form: AnswerForm,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<BatchAnswers, MoversError> {
        let Movers { heap, area, n, held, statistics, nanoseconds } = self;
        let mut on = OnDevice { heap, taken: Vec::new(), is_stopped, nanoseconds: 0 };
        let stream = Stream { area: *area, n, held, statistics };
        let done = stream.period(&mut on, updates, queries, form);
        on.taken.iter().for_each(|&block| on.heap.give(block));
        *nanoseconds += on.nanoseconds;
        Ok(done?)
    }

    /// Calls `each` for every object, in the order of ids.
    ///
    /// # Errors
    /// If the device fails.
    pub fn for_each(&mut self, mut each: impl FnMut(u32, Point)) -> Result<(), MoversError> {
        let Some(Held { index, .. }) = self.held else { return Ok(()) };
        let heap = &mut self.heap;
        let mut on = OnDevice { heap, taken: Vec::new(), is_stopped: &|| false, nanoseconds: 0 };
        let objects = index.objects();
        for first in (0..self.n).step_by(OBJECTS_AT_ONCE as usize) {
            let n = OBJECTS_AT_ONCE.min(self.n - first);
            let mut words = vec![0; (OBJECT_WORDS * n) as usize];
            on.read(objects + OBJECT_WORDS * first, &mut words)?;
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
    }

    /// Returns the area that is divided into cells, or `None` before the first batch.
    pub fn area(&self) -> Option<Rect> {
        self.held.map(|held| held.area)
    }

    /// Returns layout and activity of the index; which cells queries touch is not counted.
    ///
    /// # Errors
    /// If the device fails.
    pub fn statistics(&mut self) -> Result<Statistics, MoversError> {
        let n_bytes = self.n_bytes();
        let heap = &mut self.heap;
        let mut on = OnDevice { heap, taken: Vec::new(), is_stopped: &|| false, nanoseconds: 0 };
        let further_buckets = match &self.held {
            Some(held) => held.index.n_further_buckets(&mut on)?.into(),
            None => 0,
        };
        Ok(Statistics { n_bytes, further_buckets, ..self.statistics })
    }

    /// Returns the time on the device so far in nanoseconds; 0 if it is not measured.
    pub fn device_nanoseconds(&self) -> u64 {
        self.nanoseconds
    }

    /// Returns the memory in use, in bytes.
    pub fn n_bytes(&self) -> u64 {
        self.heap.n_bytes()
    }

    /// Returns a lower bound on the memory in use, in bytes, once an object has this id.
    pub fn n_bytes_with(&self, id: u32) -> u64 {
        let n_more = (u64::from(id) + 1).saturating_sub(self.n.into());
        self.n_bytes() + 4 * u64::from(OBJECT_WORDS) * n_more
    }
}

/// The objects apart from the device.
struct Stream<'m> {
    area: Option<Rect>,
    n: &'m mut u32,
    held: &'m mut Option<Held>,
    statistics: &'m mut Statistics,
}

impl Stream<'_> {
    fn period(
        self,
        on: &mut OnDevice<'_>,
        updates: &[Update],
        queries: &[Query],
        form: AnswerForm,
    ) -> Result<BatchAnswers, NotTaken> {
        let groups = Groups::of(on)?;
        let notes = on.notes(NOTES)?;
        let index = self.held.map(|held| held.index.with_notes(notes));
        let answers = match &index {
            Some(index) if !queries.is_empty() => answer(on, groups, index, queries, form)?,
            Some(_) | None => match form {
                AnswerForm::Pairs => BatchAnswers::Pairs(Vec::new()),
                AnswerForm::Hash => BatchAnswers::Hash(AnswerHash::default()),
            },
        };
        let answering = &mut self.statistics.answering;
        answering.queries += queries.len() as u64;
        answering.hits += match &answers {
            BatchAnswers::Pairs(pairs) => pairs.len() as u64,
            BatchAnswers::Hash(hash) => hash.hits,
        };
        if !updates.is_empty() {
            self.take(on, groups.threads, notes, index, updates)?;
        }
        Ok(answers)
    }

    /// Applies updates, in the cells of the index if they are still good.
    fn take(
        self,
        on: &mut OnDevice<'_>,
        threads: u32,
        notes: u32,
        index: Option<Index>,
        updates: &[Update],
    ) -> IntrinsicResult {
        let n = u32::try_from(updates.len()).map_err(|_| TOO_LARGE)?;
        let greatest = updates.iter().map(|update| update.id).max().unwrap_or(0);
        let is_kept = match &index {
            Some(index) => greatest < *self.n && index.takes(on, n)?,
            None => false,
        };
        let objects = match &index {
            Some(index) if greatest < *self.n => index.objects(),
            Some(_) | None => {
                let wanted = greatest.checked_add(1).ok_or(TOO_LARGE)?;
                let more = wanted.max(self.n.saturating_mul(2));
                let at = on.extra(u64::from(OBJECT_WORDS) * u64::from(more))?.at;
                if let Some(index) = &index {
                    on.copy(index.objects(), at, OBJECT_WORDS * *self.n)?;
                }
                *self.n = more;
                at
            }
        };
        let bare = Index::bare(threads, *self.n, objects, notes);
        let kept = index.filter(|_| is_kept);
        let changed = kept.as_ref().unwrap_or(&bare);
        let (at, n_unknown) = upload(on, updates)?;
        let [first, step] = changed.stamps();
        let [gone, first_gone] = [0, 1].map(|set| at + 3 * n + set * n.div_ceil(u32::BITS));
        let of_updates = [n, at, at + n, at + 2 * n, gone, first, step, first_gone, 1];
        let given = [&changed.words()[..], &of_updates].concat();
        changed.clear_notes(on)?;
        let mut batch = Batch::default();
        batch.add(on, changed.over(n), &shaders::stamp(threads), &given)?;
        batch.add(on, changed.over(n), &shaders::change(threads), &given)?;
        batch.run(on)?;
        let found = changed.notes(on)?;
        count(self.statistics, &found, n, n_unknown);
        if let (Some(index), Some(held)) = (&kept, self.held.as_mut()) {
            held.index = index.after(n);
            if found[shaders::FULL as usize] == 0 {
                return Ok(());
            }
        }
        // All objects enter new cells.
        let layout = Layout::choose(on, &bare, self.area)?;
        let block = on.heap.take(layout.words());
        let block = block.map_err(|error| match error {
            BackendError::OutOfMemory(_) => NotTaken::Declined(Declined::Memory),
            error => error.into(),
        })?;
        let index = Index::build(on, &layout, &bare, block.at)?;
        if let Some(old) = self.held.replace(Held { index, block, area: layout.area() }) {
            on.heap.give(old.block);
        }
        self.statistics.choices += 1;
        self.statistics.cells = index.n_cells().into();
        Ok(())
    }
}

/// Adds the outcomes of a batch of `n` updates, of which some remove objects that the batch has
/// removed before.
fn count(statistics: &mut Statistics, notes: &[u32; NOTES as usize], n: u32, n_unknown: u64) {
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

/// Writes updates as lists: objects from 1, both coordinates; the set of removals, and of those
/// whose object no earlier update concerns. Returns their address, and how many removals follow
/// another one of their object.
fn upload(on: &mut OnDevice<'_>, updates: &[Update]) -> Result<(u32, u64), NotTaken> {
    let n = updates.len();
    let mut words = Vec::with_capacity(3 * n + 2 * n.div_ceil(32));
    words.extend(updates.iter().map(|update| update.id + 1));
    let to = |update: &Update| update.to.unwrap_or_default();
    words.extend(updates.iter().map(|update| to(update).x() as u32));
    words.extend(updates.iter().map(|update| to(update).y() as u32));
    let mut sets = vec![0; 2 * n.div_ceil(32)];
    let (gone, first_gone) = sets.split_at_mut(n.div_ceil(32));
    let mut n_unknown = 0;
    if updates.iter().any(|update| update.to.is_none()) {
        let mut is_gone = HashMap::with_capacity(n);
        for (idx, update) in updates.iter().enumerate() {
            let removes = update.to.is_none();
            let bit = u32::from(removes) << (idx % 32);
            gone[idx / 32] |= bit;
            match is_gone.insert(update.id, removes) {
                None => first_gone[idx / 32] |= bit,
                Some(before) => n_unknown += u64::from(before && removes),
            }
        }
    }
    words.extend(sets);
    let at = on.extra(words.len() as u64)?.at;
    on.write(at, &words)?;
    Ok((at, n_unknown))
}

/// Answers queries.
fn answer(
    on: &mut OnDevice<'_>,
    groups: Groups,
    index: &Index,
    queries: &[Query],
    form: AnswerForm,
) -> Result<BatchAnswers, NotTaken> {
    let n = u32::try_from(queries.len()).map_err(|_| TOO_LARGE)?;
    let corner =
        |coordinate: fn(&Query) -> i32| queries.iter().map(move |it| coordinate(it) as u32);
    let mut words: Vec<u32> = corner(|query| query.range.low().x()).collect();
    words.extend(corner(|query| query.range.low().y()));
    words.extend(corner(|query| query.range.high().x()));
    words.extend(corner(|query| query.range.high().y()));
    words.extend(queries.iter().map(|query| query.number));
    let at = on.extra(words.len() as u64)?.at;
    on.write(at, &words)?;
    let corners = [at, at + n, at + 2 * n, at + 3 * n];
    let records = super::in_ranges(on, groups, index, n, corners)?;
    match form {
        AnswerForm::Pairs => {
            let mut pairs = Vec::new();
            records.read(on, |number, object| {
                let query = queries.get(number as usize - 1);
                pairs.extend(query.map(|query| (query.number, object - 1)));
            })?;
            Ok(BatchAnswers::Pairs(pairs))
        }
        AnswerForm::Hash => {
            let hash = records.hash(on, groups.threads, at + 4 * n)?;
            Ok(BatchAnswers::Hash(AnswerHash { hits: records.n.into(), hash }))
        }
    }
}

/// A device without a program.
struct OnDevice<'d> {
    heap: &'d mut Heap,
    /// Memory that is freed at the end of a batch.
    taken: Vec<Block>,
    is_stopped: &'d dyn Fn() -> bool,
    nanoseconds: u64,
}

impl OnDevice<'_> {
    fn took(&mut self, block: Result<Block, BackendError>) -> Result<Block, NotTaken> {
        match block {
            Ok(block) => {
                self.taken.push(block);
                Ok(block)
            }
            Err(BackendError::OutOfMemory(_)) => Err(NotTaken::Declined(Declined::Memory)),
            Err(error) => Err(error.into()),
        }
    }
}

impl Executor for OnDevice<'_> {
    fn grid(&mut self) -> Result<&mut dyn Grid, NotTaken> {
        self.heap.unit.grid().ok_or_else(|| internal("kernels without a grid").into())
    }

    fn kernel(&mut self, shader: &Shader) -> Result<Kernel, NotTaken> {
        Ok(self.grid()?.kernel(shader)?)
    }

    fn extra(&mut self, words: u64) -> Result<Block, NotTaken> {
        let block = self.heap.take(words);
        self.took(block)
    }

    fn notes(&mut self, words: u32) -> Result<u32, NotTaken> {
        let block = self.heap.take_near(words.into());
        Ok(self.took(block)?.at)
    }

    fn read(&mut self, at: u32, into: &mut [u32]) -> IntrinsicResult {
        Ok(self.heap.unit.read(at, into)?)
    }

    fn write(&mut self, at: u32, words: &[u32]) -> IntrinsicResult {
        Ok(self.heap.unit.write(at, words)?)
    }

    fn copy(&mut self, from: u32, to: u32, words: u32) -> IntrinsicResult {
        Ok(self.heap.unit.copy(from, to, words)?)
    }

    fn launch(&mut self, launches: &[Launch], limbs: u64) -> IntrinsicResult {
        let at_once = self.grid()?.launches_at_once(limbs);
        for some in launches.chunks(at_once) {
            if (self.is_stopped)() {
                return Err(Stop::Limit(LimitKind::Interrupted).into());
            }
            let took = self.grid()?.launch(some)?;
            self.nanoseconds += took.unwrap_or(0);
        }
        Ok(())
    }
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
