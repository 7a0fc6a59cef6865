//! Tables that enter and leave a backend by ranges of columns, or by the rows of each rank, so that
//! the host never holds all of one: from a source to the arguments of a run, and from its results
//! to a destination.

use std::ops::Range;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;

#[cfg(feature = "files")]
use star_base::Code;
#[cfg(feature = "files")]
use star_bind::{Leave, LeftTable, Observer, Peers, RecordRows, TableFile};
#[cfg(feature = "files")]
use star_io::FileError;
use star_ir::{Extent, Ty};
#[cfg(feature = "files")]
use star_value::OutOfMemory;
use star_value::{Argument, BitTable, Value};
use star_vm::columns::{columns_at_once, no_table, ranges};
#[cfg(feature = "files")]
use star_vm::exchange::{Exchange, Partition, Place};
#[cfg(feature = "files")]
use star_vm::kernels::Kernels;
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

/// Returns the tables that the loader of files leaves to [`PlacedArguments::add_left`].
#[cfg(feature = "files")]
pub(super) fn left_for(backend: &DynBackend) -> Option<Leave> {
    let leave = backend.caps().part_bytes.map(Leave::above)?;
    Some(match backend.ranks() {
        None => leave,
        Some((exchange, partition)) => {
            let (n_holders, least_rows) = (exchange.n_ranks(), partition.least_rows());
            let peers: Option<Rc<dyn Peers>> = match n_holders {
                1 => None,
                _ => Some(Rc::new(Ranks(exchange))),
            };
            Leave { n_holders, least_rows, peers, ..leave }
        }
    })
}

/// The ranks of a run, which share the reading of files.
#[cfg(feature = "files")]
#[derive(Debug)]
struct Ranks(Rc<dyn Exchange>);

#[cfg(feature = "files")]
impl Peers for Ranks {
    fn rank(&self) -> usize {
        self.0.rank()
    }

    fn n_ranks(&self) -> usize {
        self.0.n_ranks()
    }

    fn trade(&self, parts: &[Vec<u64>]) -> Result<Vec<u64>, String> {
        let place = Place { loc: 0, what: "keys of arcs" };
        let n_ranks = self.0.n_ranks();
        let own: Vec<u64> = parts.iter().map(|part| part.len() as u64).collect();
        let all = self.0.gather(place, &own, &vec![n_ranks; n_ranks]).map_err(|lost| lost.why)?;
        let to_this = all.iter().skip(self.0.rank()).step_by(n_ranks);
        let lens: Vec<usize> = to_this.map(|len| *len as usize).collect();
        self.0.trade(place, parts, &lens).map_err(|lost| lost.why)
    }

    fn gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, String> {
        let place = Place { loc: 0, what: "summaries of a file" };
        let n_ranks = self.0.n_ranks();
        let n_bytes = self.0.gather(place, &[bytes.len() as u64], &vec![1; n_ranks]);
        let n_bytes = n_bytes.map_err(|lost| lost.why)?;
        let limb = |bytes: &[u8]| {
            let mut limb = [0; 8];
            limb[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(limb)
        };
        let limbs: Vec<u64> = bytes.chunks(8).map(limb).collect();
        let lens: Vec<usize> = n_bytes.iter().map(|n| n.div_ceil(8) as usize).collect();
        let gathered = self.0.gather(place, &limbs, &lens).map_err(|lost| lost.why)?;
        let mut rest = &gathered[..];
        let parts = lens.iter().zip(&n_bytes).map(|(len, n_bytes)| {
            let (part, others) = rest.split_at(*len);
            rest = others;
            let mut bytes: Vec<u8> = part.iter().flat_map(|limb| limb.to_le_bytes()).collect();
            bytes.truncate(*n_bytes as usize);
            bytes
        });
        Ok(parts.collect())
    }
}

/// Number of columns whose rows move to their owners together.
#[cfg(feature = "files")]
const COLUMNS_TOGETHER: usize = 64;

/// Returns the rows that a rank must have, of a table of which each rank holds others. `held` and
/// `wanted` return the rows of a rank, ascending ranges without gaps.
#[cfg(feature = "files")]
fn moved_rows(
    exchange: &dyn Exchange,
    table: &BitTable,
    held: &dyn Fn(usize) -> Range<usize>,
    wanted: &dyn Fn(usize) -> Range<usize>,
) -> Result<BitTable, BackendError> {
    let both = |one: Range<usize>, other: Range<usize>| {
        let start = one.start.max(other.start);
        start..one.end.min(other.end).max(start)
    };
    let (rank, n_ranks) = (exchange.rank(), exchange.n_ranks());
    let (own, to_hold) = (held(rank), wanted(rank));
    let n_bytes = to_hold.len().div_ceil(64) as u128 * 8 * table.n_cols() as u128;
    let refused = |_| BackendError::from(OutOfMemory { n_bytes });
    let mut rows = BitTable::zeros(to_hold.len(), table.n_cols()).map_err(refused)?;
    let kernels = Kernels::detect();
    let what = Place { loc: 0, what: "rows of a file" };
    for first in (0..table.n_cols()).step_by(COLUMNS_TOGETHER) {
        let columns = first..table.n_cols().min(first + COLUMNS_TOGETHER);
        let part = |to: usize| {
            let given = both(own.clone(), wanted(to));
            let n_limbs = given.len().div_ceil(64);
            let mut limbs = vec![0; n_limbs * columns.len()];
            for (col_idx, limbs) in columns.clone().zip(limbs.chunks_exact_mut(n_limbs.max(1))) {
                let from = table.column_limbs(col_idx);
                kernels.copy_bits(limbs, 0, from, given.start - own.start, given.len());
            }
            limbs
        };
        let parts: Vec<Vec<u64>> = (0..n_ranks).map(part).collect();
        let n_limbs = |from| both(held(from), to_hold.clone()).len().div_ceil(64) * columns.len();
        let lens: Vec<usize> = (0..n_ranks).map(n_limbs).collect();
        let traded = exchange.trade(what, &parts, &lens);
        let traded = traded.map_err(|lost| BackendError::DeviceLost { why: lost.why })?;
        let mut rest = &traded[..];
        for from in 0..n_ranks {
            let taken = both(held(from), to_hold.clone());
            for col_idx in columns.clone() {
                let (limbs, others) = rest.split_at(taken.len().div_ceil(64));
                let to = rows.column_limbs_mut(col_idx);
                kernels.copy_bits(to, taken.start - to_hold.start, limbs, 0, taken.len());
                rest = others;
            }
        }
    }
    Ok(rows)
}

#[cfg(feature = "files")]
impl PlacedArguments {
    /// Adds a table that is not yet whole. From a file it comes by columns, or each rank reads its
    /// rows; rows that this rank has read move to their owners.
    ///
    /// # Errors
    /// Those of the file, the same on all ranks, and those of [`PlacedArguments::add_columns`].
    pub fn add_left(
        &mut self,
        table: LeftTable,
        observer: &dyn Observer,
    ) -> Result<(), PlaceError<FileError>> {
        let rows = match table {
            LeftTable::File(table) => return self.add_file(table, observer),
            LeftTable::Records(rows) => rows,
        };
        let Some((exchange, partition)) = self.backend.ranks() else {
            let why = "rows of a file without ranks".to_owned();
            return Err(PlaceError::Backend(BackendError::Internal(why)));
        };
        let RecordRows { table, place } = rows;
        let n_rows = place.n_records();
        let held = |rank: usize| place.starts[rank]..place.starts[rank + 1];
        let wanted = |rank: usize| partition.range(n_rows, rank);
        let own = moved_rows(&*exchange, &table, &held, &wanted).map_err(PlaceError::Backend)?;
        drop(table);
        let value = self.backend.load_rows(n_rows, own).map_err(PlaceError::Backend)?;
        self.values.push(value);
        self.own_bytes += place.n_bytes;
        Ok(())
    }

    /// Adds a table that is still in its file. One whose rows are distributed over ranks is read by
    /// rows, each by its owner, and all ranks end with the same error or none.
    ///
    /// # Errors
    /// Those of [`TableFile::read`] and [`PlacedArguments::add_columns`].
    fn add_file(
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

    /// Returns the rows of the ranks, if they are distributed.
    #[cfg(feature = "files")]
    pub fn shared_rows(&self) -> Option<SharedRows<'_>> {
        let (exchange, partition) = self.backend.ranks()?;
        let divides = partition.divides(self.shape.0);
        divides.then(|| SharedRows { table: self, ranks: Ranks(exchange), partition })
    }
}

/// The rows of a table on several ranks, each of which writes its part to a file: rows from a
/// multiple of 64 to the next rank's first.
#[cfg(feature = "files")]
pub struct SharedRows<'t> {
    table: &'t PlacedTable,
    ranks: Ranks,
    partition: Partition,
}

#[cfg(feature = "files")]
impl SharedRows<'_> {
    /// Returns the ranks.
    pub fn peers(&self) -> &dyn Peers {
        &self.ranks
    }

    /// Returns the rows that this rank writes, from 0; there may be none.
    pub fn rows(&self) -> Range<usize> {
        self.rows_of(self.ranks.0.rank())
    }

    fn rows_of(&self, rank: usize) -> Range<usize> {
        let n_rows = self.table.shape.0;
        let start = |rank: usize| match rank < self.ranks.0.n_ranks() {
            true => self.partition.range(n_rows, rank).start / 64 * 64,
            false => n_rows,
        };
        start(rank)..start(rank + 1)
    }

    /// Returns these rows of columns, from 0. All ranks call this with the same columns.
    ///
    /// # Errors
    /// As for [`star_vm::Backend::store_rows`].
    pub fn columns(
        &self,
        columns: Range<usize>,
        interrupt: &AtomicBool,
    ) -> Result<BitTable, BackendError> {
        let PlacedTable { backend, value, shape, .. } = self.table;
        let own = backend.store_rows(value, columns, interrupt)?;
        let held = |rank: usize| self.partition.range(shape.0, rank);
        match (0..self.ranks.0.n_ranks()).all(|rank| held(rank) == self.rows_of(rank)) {
            true => Ok(own),
            false => moved_rows(&*self.ranks.0, &own, &held, &|rank| self.rows_of(rank)),
        }
    }
}
