//! Results that are still on a backend, and go from there to files by ranges of columns.

use std::collections::BTreeMap;
use std::ops::Range;

use star::pipeline::{PlacedTable, RoutineResult};
use star_bind::RecordList;
use star_bind::results::table_summary;
use star_io::FileError;
use star_os::failure::refused_by_backend;
use star_os::flags::Flags;
use star_os::output::Output;
use star_os::save::Written;
use star_os::shared_file::DistributedTable;
use star_value::display::Excerpt;
use star_value::{BitTable, Value};
use star_vm::BackendError;

use crate::output_target::Outlet;

/// The tables that are still on a backend, by the indices of results, whose values are unset.
pub(crate) struct PlacedResults<'l> {
    tables: BTreeMap<usize, PlacedResult>,
    /// The lists whose records may be in their rows.
    lists: &'l [RecordList],
    /// The parts that were written.
    pub(crate) n_parts: u64,
    /// The bytes of rows that this rank wrote.
    pub(crate) own_bytes: u64,
}

struct PlacedResult {
    table: PlacedTable,
    /// Whether its rows are shown as records.
    has_records: bool,
    /// What its text needs, once it was written.
    excerpt: Option<Excerpt>,
}

impl PlacedResult {
    /// Creates the excerpt of zeros that its text needs.
    fn excerpt(&self) -> Excerpt {
        match self.has_records {
            true => Excerpt::of_records(self.table.shape()),
            false => Excerpt::new(self.table.shape()),
        }
    }
}

impl<'l> PlacedResults<'l> {
    /// Separates the tables from the values of the results with these names.
    pub(crate) fn split(
        results: Vec<RoutineResult>,
        names: &[Option<&str>],
        lists: &'l [RecordList],
    ) -> (Vec<Value>, Self) {
        let mut tables = BTreeMap::new();
        let results = results.into_iter().enumerate().map(|(idx, result)| match result {
            RoutineResult::Value(value) => value,
            RoutineResult::Table(table) => {
                let name = names.get(idx).copied().flatten();
                let list = name.and_then(|name| RecordList::of_param(lists, name, table.shape().1));
                let has_records = list.is_some();
                tables.insert(idx, PlacedResult { table, has_records, excerpt: None });
                Value::Unset
            }
        });
        let results = results.collect();
        (results, PlacedResults { tables, lists, n_parts: 0, own_bytes: 0 })
    }

    /// Tests whether a result is still on a backend.
    pub(crate) fn has(&self, idx: usize) -> bool {
        self.tables.contains_key(&idx)
    }

    /// Returns the sizes of a result that is still on a backend.
    pub(crate) fn shape(&self, idx: usize) -> Option<(usize, usize)> {
        self.tables.get(&idx).map(|placed| placed.table.shape())
    }

    /// Writes a table that is still on a backend, as [`Outlet::write`] does.
    ///
    /// # Errors
    /// Those of [`Outlet::write`], and those of the backend.
    pub(crate) fn write(
        &mut self,
        idx: usize,
        outlet: Outlet,
        flags: &Flags,
        output: &mut Output,
    ) -> Result<(Option<Written>, u64), FileError> {
        let name = outlet.name().to_owned();
        let internal = |why: &str| BackendError::Internal(why.to_owned());
        let Some(placed) = self.tables.get_mut(&idx) else {
            return Err(of_file(&name, &internal("a result that is not on the backend")));
        };
        let mut seen = placed.excerpt();
        let PlacedResult { table, excerpt, .. } = placed;
        let outlet = match write_rows(table, outlet, seen.clone(), flags)? {
            Ok((written, n_bytes, seen)) => {
                self.own_bytes += n_bytes;
                *excerpt = Some(seen);
                return Ok((written, n_bytes));
            }
            Err(outlet) => outlet,
        };
        let mut parts = table.parts();
        let mut next = || -> Option<Result<BitTable, BackendError>> {
            let columns = parts.next()?;
            let start = columns.start;
            let part = table.columns(columns, &flags.interrupt);
            self.n_parts += 1;
            Some(part.inspect(|part| seen.add(start, part)))
        };
        let mut next_of_file = || {
            let part = next().unwrap_or_else(|| Err(internal("columns beyond the last one")));
            part.map_err(|error| of_file(&name, &error))
        };
        let written = outlet.write_columns(table.shape(), &mut next_of_file, flags, output);
        // The text needs those that were not written, and ranks read all of them together.
        while flags.stop().is_none()
            && let Some(part) = next()
        {
            part.map_err(|error| of_file(&name, &error))?;
        }
        *excerpt = Some(seen);
        written
    }

    /// Reads the tables of at most `max_bits` bits into `results`.
    ///
    /// # Errors
    /// Those of the backend.
    pub(crate) fn read_short(
        &mut self,
        max_bits: usize,
        results: &mut [Value],
        flags: &Flags,
    ) -> Result<(), BackendError> {
        let is_short = |placed: &PlacedResult| {
            let (n_rows, n_cols) = placed.table.shape();
            n_rows.saturating_mul(n_cols.max(1)) <= max_bits
        };
        for (idx, PlacedResult { table, .. }) in self.tables.extract_if(.., |_, it| is_short(it)) {
            let columns = table.columns(0..table.shape().1, &flags.interrupt)?;
            results[idx] = Value::Table(columns.into());
        }
        Ok(())
    }

    /// Reads the tables that were not written, for their texts.
    ///
    /// # Errors
    /// Those of the backend.
    pub(crate) fn read_rest(&mut self, flags: &Flags) -> Result<(), BackendError> {
        for placed in self.tables.values_mut() {
            if placed.excerpt.is_none() {
                let mut seen = placed.excerpt();
                for columns in placed.table.parts() {
                    let start = columns.start;
                    seen.add(start, &placed.table.columns(columns, &flags.interrupt)?);
                }
                placed.excerpt = Some(seen);
            }
        }
        Ok(())
    }

    /// Returns the text of a result that [`star_bind::results::summary`] gives for the whole table;
    /// `None` if it is not on a backend, or was not read.
    pub(crate) fn summary(&self, idx: usize, name: &str) -> Option<String> {
        let excerpt = self.tables.get(&idx)?.excerpt.as_ref()?;
        Some(table_summary(name, excerpt, self.lists))
    }
}

/// A file that the ranks have written, the bytes of this one, and what the text of the table needs.
type RowsWritten = (Option<Written>, u64, Excerpt);

/// Writes the rows of this rank, if the ranks hold and write one table together; otherwise returns
/// the outlet. `seen` is the excerpt of zeros.
fn write_rows(
    table: &PlacedTable,
    outlet: Outlet,
    mut seen: Excerpt,
    flags: &Flags,
) -> Result<Result<RowsWritten, Outlet>, FileError> {
    let Some(shared) = table.shared_rows() else { return Ok(Err(outlet)) };
    let (name, shape) = (outlet.name().to_owned(), table.shape());
    let (peers, rows, first) = (shared.peers(), shared.rows(), shared.rows().start);
    let mut columns = |columns: Range<usize>| {
        let start = columns.start;
        let part = shared.columns(columns, &flags.interrupt);
        let part = part.inspect(|part| seen.add_rows(first, start, part));
        part.map_err(|error| of_file(&name, &error))
    };
    let parts = table.parts().collect();
    let distributed = DistributedTable { peers, shape, rows, parts, columns: &mut columns };
    let (written, n_bytes) = match outlet.write_rows(distributed, flags)? {
        Ok(written) => written,
        Err(outlet) => return Ok(Err(outlet)),
    };
    let lost = |why| of_file(&name, &BackendError::DeviceLost { why });
    let all = peers.gather(&seen.to_bytes()).map_err(lost)?;
    let seen = seen.join(&all).ok_or_else(|| {
        of_file(&name, &BackendError::Internal("excerpts of other tables".to_owned()))
    })?;
    Ok(Ok((written, n_bytes, seen)))
}

/// Returns the error of a backend for the file that a result was to be written to.
fn of_file(name: &str, error: &BackendError) -> FileError {
    let refused = refused_by_backend("no memory for the results", error);
    let error = FileError::new(refused.code, name, refused.message);
    let error = refused.notes.into_iter().fold(error, FileError::note);
    refused.help.into_iter().fold(error, FileError::help)
}
