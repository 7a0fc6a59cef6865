//! Batches of both streams in chronological order. While one batch is processed, a thread reads the
//! next, unless the system refuses the thread.

use std::ops::ControlFlow;
use std::sync::mpsc::{self, TryRecvError};
use std::thread;

use star_base::Code;
use star_bind::{Files, OpenFile, Waiting};
use star_intrinsics::moving::{Point, Query, Rect, Update};
use star_io::moving::{MovingReader, NumberLimit, Position, Record, Window};
use star_io::{FileError, ReadOptions};
use star_os::failure::{Failure, internal};
use star_os::files::Disk;
use star_os::flags::Flags;

/// Everything with the same timestamp.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) time: i64,
    pub(super) changes: Vec<Update>,
    pub(super) questions: Vec<Query>,
    /// The greatest id of the updates.
    pub(super) greatest: u32,
}

impl Batch {
    /// Returns the memory used in bytes.
    pub(super) fn n_bytes(&self) -> u64 {
        let Batch { time: _, changes, questions, greatest: _ } = self;
        (changes.capacity() * size_of::<Update>() + questions.capacity() * size_of::<Query>())
            as u64
    }
}

/// Receives a batch, and returns one whose memory can be used again.
type Emit<'a> = &'a mut dyn FnMut(Batch) -> ControlFlow<(), Batch>;

/// Both streams and their limits.
pub(super) struct Streams<'a> {
    pub(super) updates: &'a str,
    pub(super) queries: Option<&'a str>,
    /// The greatest permitted id.
    pub(super) limit: NumberLimit,
    /// Maximum size of a batch in bytes.
    pub(super) max_bytes: u64,
    pub(super) flags: &'a Flags,
}

impl Streams<'_> {
    /// Calls `each` for every batch until it breaks, and with none when the next one is not there
    /// yet. Returns the faults of the streams, after all batches that can be processed.
    ///
    /// # Errors
    /// If a file cannot be opened or has another format, and the errors of `each`.
    pub(super) fn for_each(
        &self,
        mut each: impl FnMut(Option<&mut Batch>) -> Result<ControlFlow<()>, Failure>,
    ) -> Result<Vec<FileError>, Failure> {
        thread::scope(|scope| {
            let (send, receive) = mpsc::sync_channel(1);
            let (give_back, spare) = mpsc::channel();
            let read = move || {
                let emit = &mut |batch| match send.send(batch) {
                    Ok(()) => ControlFlow::Continue(spare.try_recv().unwrap_or_default()),
                    Err(_) => ControlFlow::Break(()),
                };
                self.read(emit)
            };
            let reader = thread::Builder::new().name("reader".to_owned());
            let Ok(reader) = reader.spawn_scoped(scope, read) else {
                return self.read_here(each);
            };
            let mut next = receive.recv().ok();
            while let Some(mut batch) = next {
                if each(Some(&mut batch))?.is_break() {
                    break;
                }
                // The reader may have ended already.
                let _ = give_back.send(batch);
                next = match receive.try_recv() {
                    Ok(batch) => Some(batch),
                    Err(TryRecvError::Disconnected) => None,
                    Err(TryRecvError::Empty) if each(None)?.is_break() => None,
                    Err(TryRecvError::Empty) => receive.recv().ok(),
                };
            }
            // Dropping the receiver ends the reader.
            drop(receive);
            let broken = |_| internal("the reader thread ended unexpectedly");
            Ok(reader.join().map_err(broken)??)
        })
    }

    /// Reads each batch after the preceding one is processed.
    fn read_here(
        &self,
        mut each: impl FnMut(Option<&mut Batch>) -> Result<ControlFlow<()>, Failure>,
    ) -> Result<Vec<FileError>, Failure> {
        let mut failure = None;
        let mut both = |batch: &mut Batch| match each(Some(batch))? {
            ControlFlow::Continue(()) => each(None),
            ControlFlow::Break(()) => Ok(ControlFlow::Break(())),
        };
        let faults = self.read(&mut |mut batch| match both(&mut batch) {
            Ok(ControlFlow::Continue(())) => ControlFlow::Continue(batch),
            Ok(ControlFlow::Break(())) => ControlFlow::Break(()),
            Err(failed) => {
                failure = Some(failed);
                ControlFlow::Break(())
            }
        });
        match failure {
            Some(failure) => Err(failure),
            None => Ok(faults?),
        }
    }

    fn read(&self, emit: Emit<'_>) -> Result<Vec<FileError>, FileError> {
        self.open(self.updates, self.limit, |mut updates| match self.queries {
            None => Ok(self.merge(&mut updates, None, emit)),
            Some(name) => self.open(name, NumberLimit::None, |mut queries| {
                Ok(self.merge(&mut updates, Some(&mut queries), emit))
            }),
        })
    }

    /// Opens a stream and processes it.
    fn open<R: Record, T>(
        &self,
        name: &str,
        limit: NumberLimit,
        read: impl FnOnce(MovingReader<'_, '_, R>) -> Result<T, FileError>,
    ) -> Result<T, FileError> {
        let OpenFile { input, n_bytes, mut progress, at: _ } = Disk.open(name)?;
        let waits_on = || self.flags.stop().is_none();
        let mut input = Waiting::new(input, &waits_on);
        let mut goes_on = |n_read| {
            progress(n_read);
            self.flags.stop().is_none()
        };
        let mut options = ReadOptions::new(name, self.max_bytes);
        options.size_hint = n_bytes;
        options.progress = Some(&mut goes_on);
        let opened = MovingReader::open(&mut input, &mut options, limit);
        read(opened.map_err(|error| self.stopped(error))?)
    }

    /// Emits the batches in order; returns the faults that ended the streams.
    fn merge(
        &self,
        updates: &mut MovingReader<'_, '_, Position>,
        mut queries: Option<&mut MovingReader<'_, '_, Window>>,
        emit: Emit<'_>,
    ) -> Vec<FileError> {
        let (mut bad_update, mut bad_query) = (None, None);
        let mut batch = Batch::default();
        loop {
            let next_updates = self.kept(updates.time(), &mut bad_update).flatten();
            let next_queries = match &mut queries {
                Some(queries) => self.kept(queries.time(), &mut bad_query).flatten(),
                None => None,
            };
            // After a fault in the updates, a later query would miss updates. After a fault in the
            // queries, updates have no effect.
            let is_blind = bad_update.is_some() && next_queries > updates.last_time();
            let time = [next_updates, next_queries].into_iter().flatten().min();
            let Some(time) = time.filter(|_| bad_query.is_none() && !is_blind) else { break };
            let Batch { changes, questions, greatest, .. } = &mut batch;
            changes.clear();
            questions.clear();
            *greatest = 0;
            if next_updates == Some(time) {
                let taken = updates.batch(|Position { id, at }| {
                    // The reader has checked the range.
                    let to = at.and_then(|[x, y]| Point::new(x.into(), y.into()));
                    *greatest = id.max(*greatest);
                    self.push(changes, Update { id, to }, self.updates)
                });
                self.kept(taken, &mut bad_update);
            }
            if let Some(queries) = &mut queries
                && next_queries == Some(time)
            {
                let taken = queries.batch(|window| match query(window) {
                    Some(query) => self.push(questions, query, self.queries.unwrap_or_default()),
                    None => Ok(()),
                });
                self.kept(taken, &mut bad_query);
            }
            batch.time = time;
            match emit(batch) {
                ControlFlow::Continue(spare) => batch = spare,
                ControlFlow::Break(()) => break,
            }
        }
        bad_update.into_iter().chain(bad_query).collect()
    }

    /// Appends an item to a list, unless memory is exhausted.
    fn push<T>(&self, list: &mut Vec<T>, item: T, name: &str) -> Result<(), FileError> {
        if list.len() == list.capacity() {
            let needed = 2 * (list.capacity() * size_of::<T>()) as u64;
            if needed > self.max_bytes || list.try_reserve(1).is_err() {
                let message = "a batch exceeds the memory budget";
                return Err(FileError::new(Code::DoesNotFit, name, message));
            }
        }
        list.push(item);
        Ok(())
    }

    /// Returns the item that was read; records the fault that ends a stream.
    fn kept<T>(&self, read: Result<T, FileError>, fault: &mut Option<FileError>) -> Option<T> {
        read.map_err(|error| *fault = Some(self.stopped(error))).ok()
    }

    /// Returns the error of the flag if a flag ended the reading.
    fn stopped(&self, error: FileError) -> FileError {
        match (error.code, self.flags.stop()) {
            (Code::Interrupted, Some(Code::TimeLimit)) => {
                FileError::new(Code::TimeLimit, error.file, "the time is up while reading")
            }
            (_, Some(_) | None) => error,
        }
    }
}

/// Converts a query; `None` if its rectangle is empty.
fn query(window: Window) -> Option<Query> {
    let Window { number, low: [x1, y1], high: [x2, y2] } = window;
    let low = Point::new(x1.into(), y1.into())?;
    let high = Point::new(x2.into(), y2.into())?;
    (x1 <= x2 && y1 <= y2).then(|| Query { number, range: Rect::new(low, high) })
}
