//! Tables that are not yet on a backend: still in their files, or with the records that this
//! process read.

use star_value::BitTable;

use crate::table_file::TableFile;

/// A table that is not yet on a backend.
#[derive(Debug)]
pub enum LeftTable {
    /// It is still in its file.
    File(TableFile),
    /// This process has read some of its rows: records, or arcs of a graph.
    Records(RecordRows),
}

/// The rows of a table whose records or arcs this process has read.
#[derive(Clone, Debug)]
pub struct RecordRows {
    /// The rows.
    pub table: BitTable,
    /// The place of the records in the file.
    pub place: RecordPlace,
}

/// The place of the records or arcs of each process in a file.
#[derive(Clone, Debug)]
pub struct RecordPlace {
    /// The first record of each process, from 0, and the number of records.
    pub starts: Vec<usize>,
    /// The bytes that this process has read of its part.
    pub n_bytes: u64,
    /// A checksum of the file, the same in all processes.
    pub checksum: u64,
}

impl RecordPlace {
    /// Returns the number of processes, at least 1.
    pub(crate) fn n_holders(&self) -> usize {
        self.starts.len().saturating_sub(1).max(1)
    }

    /// Returns the number of records of the file.
    pub fn n_records(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }
}

impl LeftTable {
    /// Returns the numbers of rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        match self {
            LeftTable::File(file) => file.shape(),
            LeftTable::Records(rows) => (rows.place.n_records(), rows.table.n_cols()),
        }
    }

    /// Returns the checksum of the file, if it is known without reading it whole.
    pub fn checksum(&self) -> Option<u64> {
        match self {
            LeftTable::File(file) => file.checksum().map(u64::from),
            LeftTable::Records(rows) => Some(rows.place.checksum),
        }
    }

    /// Returns the bytes of the rows that a process will hold, the same in all of them.
    pub(crate) fn held_bytes(&self) -> u64 {
        match self {
            LeftTable::File(file) => file.held_bytes(),
            LeftTable::Records(rows) => {
                let (n_rows, n_cols) = self.shape();
                let n_bytes = n_rows.div_ceil(64) as u64 * 8 * n_cols as u64;
                n_bytes.div_ceil(rows.place.n_holders() as u64)
            }
        }
    }
}
