//! Tables that enter and leave a backend by ranges of columns, or by the rows of each rank, so that
//! the host never holds all of one: from a source to the arguments of a run, and from its results
//! to a destination.

use std::ops::Range;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;

#[cfg(feature = "files")]
use star_base::Code;
#[cfg(feature = "files")]
use star_bind::{Leave, Observer, TableFile};
#[cfg(feature = "files")]
use star_io::FileError;
use star_ir::{Extent, Ty};
use star_value::{Argument, BitTable, Value};
use star_vm::columns::{columns_at_once, no_table, ranges};
#[cfg(feature = "files")]
use star_vm::exchange::Place;
use star_vm::{BackendError, DynBackend, DynValue, Part};

/// Arguments of a run on a backend, in order.
pub struct PlacedArguments {
    backend: Rc<DynBackend>,
    pub(super) values: Vec<DynValue>,
    pub(super) n_parts: u64,
    /// The bytes of files that this rank read by rows.
    pub(super) own_bytes: u64,
}

/// Why a table could not be placed.
#[derive(Debug)]
pub enum PlaceError<E> {
    /// The error of its source.
    Source(E),
    /// The error of the backend.
    Backend(BackendError),
}

impl PlacedArguments {
    /// Creates an empty list.
    pub(super) fn new(backend: Rc<DynBackend>) -> Self {
        PlacedArguments { backend, values: Vec::new(), n_parts: 0, own_bytes: 0 }
    }

    /// Adds a value.
    ///
    /// # Errors
    /// As for [`star_vm::Backend::load`].
    pub fn add(&mut self, argument: Argument) -> Result<(), BackendError> {
        self.values.push(self.backend.load(argument.value, argument.fixed)?);
        Ok(())
    }

    /// Adds a table, given from outside, with these numbers of rows and columns. `read` receives
    /// the number of columns that the backend wants at once, and a sink for those columns and the
    /// index of the first one; it ends when the sink returns `false`. The device copies a part
    /// while the next one is read.
    ///
    /// # Errors
    /// That of `read`, or of [`star_vm::Backend::load`] and [`star_vm::Backend::load_columns`].
    pub fn add_columns<E>(
        &mut self,
        (n_rows, n_cols): (usize, usize),
        read: impl FnOnce(usize, &mut dyn FnMut(usize, BitTable) -> bool) -> Result<(), E>,
    ) -> Result<(), PlaceError<E>> {
        let part_bytes = self.backend.caps().part_bytes;
        let at_once = part_bytes.map_or(n_cols, |bytes| columns_at_once(n_rows, bytes));
        let value = self.backend.load(Value::Unset, true).map_err(PlaceError::Backend)?;
        let (mut value, mut refused) = (value, None);
        let done = read(at_once, &mut |start, columns| {
            self.n_parts += u64::from(part_bytes.is_some());
            let placed = match part_bytes {
                Some(_) => self.backend.load_columns(&mut value, n_cols, start, &columns),
                None => self.backend.load(columns.into(), true).map(|whole| value = whole),
            };
            refused = placed.err();
            refused.is_none()
        });
        match (refused, done) {
            (Some(error), _) => Err(PlaceError::Backend(error)),
            (None, Err(error)) => Err(PlaceError::Source(error)),
            (None, Ok(())) => {
                self.values.push(value);
                Ok(())
            }
        }
    }
}

/// Returns the tables that the loader of files leaves to [`PlacedArguments::add_file`].
#[cfg(feature = "files")]
pub(super) fn left_for(backend: &DynBackend) -> Option<Leave> {
    let leave = backend.caps().part_bytes.map(Leave::above)?;
    Some(match backend.ranks() {
        None => leave,
        Some((exchange, partition)) => {
            let (n_holders, least_rows) = (exchange.n_ranks(), partition.least_rows());
            Leave { n_holders, least_rows, ..leave }
        }
    })
}

#[cfg(feature = "files")]
impl PlacedArguments {
    /// Adds a table that is still in its file. One whose rows are distributed over ranks is read by
    /// rows, each by its owner, and all ranks end with the same error or none.
    ///
    /// # Errors
    /// Those of [`TableFile::read`] and [`PlacedArguments::add_columns`].
    pub fn add_file(
        &mut self,
        mut table: TableFile,
        observer: &dyn Observer,
    ) -> Result<(), PlaceError<FileError>> {
        let shape = table.shape();
        let ranks = self.backend.ranks().filter(|_| table.has_rows());
        let own = ranks.and_then(|(exchange, partition)| Some((exchange, partition.own(shape.0)?)));
        let Some((exchange, own)) = own else {
            return self.add_columns(shape, |at_once, sink| table.read(observer, at_once, sink));
        };
        let read = table.read_rows(observer, own);
        let share = read.as_ref().map_or([1, 0], |rows| [0, u64::from(rows.share)]);
        let place = Place { loc: 0, what: "rows of a file" };
        let shares = exchange.gather(place, &share, &vec![share.len(); exchange.n_ranks()]);
        let shares = shares.map_err(|lost| BackendError::DeviceLost { why: lost.why });
        let shares = shares.map_err(PlaceError::Backend)?;
        let (failed, sums): (Vec<_>, Vec<_>) =
            shares.chunks_exact(share.len()).map(|share| (share[0], share[1])).unzip();
        let failed = failed.iter().position(|failed| *failed != 0);
        match (read, failed) {
            (Ok(rows), None) if sums.iter().fold(0, |sum, share| sum ^ share) == 0 => {
                self.own_bytes += rows.n_bytes;
                let value = self.backend.load_rows(shape.0, rows.table);
                self.values.push(value.map_err(PlaceError::Backend)?);
                Ok(())
            }
            (read, failed) => {
                // The reader of the whole file finds the same fault on all ranks.
                let name = table.name().to_owned();
                table.read(observer, 1, &mut |_, _| true).map_err(PlaceError::Source)?;
                let message = match failed {
                    Some(rank) => format!("rank {rank} cannot read its rows"),
                    None => "the file changed while it was read".to_owned(),
                };
                let other = FileError::new(Code::CannotOpen, name, message);
                Err(PlaceError::Source(read.err().unwrap_or(other)))
            }
        }
    }
}

/// A result of a run.
pub enum RoutineResult {
    /// A value.
    Value(Value),
    /// A table that is still on the backend.
    Table(PlacedTable),
}

/// A table on a backend, which is released with this.
pub struct PlacedTable {
    backend: Rc<DynBackend>,
    value: DynValue,
    shape: (usize, usize),
    part_bytes: u64,
}

impl PlacedTable {
    /// Leaves a value on its backend if it is a table of several parts, and returns any other one.
    pub(super) fn new(backend: &Rc<DynBackend>, value: DynValue) -> Result<Self, DynValue> {
        let size = |extent| match extent {
            Extent::Const(size) => usize::try_from(size).ok(),
            _ => None,
        };
        let shape = match backend.ty(&value).map(|info| info.ty) {
            Some(Ty::Table(rows, columns)) => size(rows).zip(size(columns)),
            _ => None,
        };
        match shape.zip(backend.caps().part_bytes) {
            Some((shape, part_bytes)) if columns_at_once(shape.0, part_bytes) < shape.1 => {
                Ok(PlacedTable { backend: Rc::clone(backend), value, shape, part_bytes })
            }
            Some(_) | None => Err(value),
        }
    }

    /// Returns the numbers of rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        self.shape
    }

    /// Yields its parts, in order.
    pub fn parts(&self) -> impl Iterator<Item = Range<usize>> {
        ranges(self.shape, self.part_bytes)
    }

    /// Reads columns, from 0.
    ///
    /// # Errors
    /// As for [`star_vm::Backend::store`].
    pub fn columns(
        &self,
        columns: Range<usize>,
        interrupt: &AtomicBool,
    ) -> Result<BitTable, BackendError> {
        let stored = self.backend.store(&self.value, Part::Columns(columns), interrupt)?;
        stored.into_columns().ok_or_else(no_table)
    }
}
