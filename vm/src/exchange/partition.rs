//! Partition of the rows of slices and tables over ranks.

use std::ops::Range;

use crate::columns::PART_BYTES;

/// The minimum sizes of a partition. They change no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartitionSettings {
    /// Rows that belong to one rank together; at least 1.
    pub block_rows: usize,
    /// Minimum number of rows to be partitioned: slices and tables with fewer are replicated.
    pub least_rows: usize,
    /// Maximum size of the ranges of columns in which tables are gathered for files, unless one
    /// column has more bytes; smaller files are read whole.
    pub part_bytes: u64,
}

impl Default for PartitionSettings {
    /// Blocks of 512 rows, a cache line of each column; 16,384 rows; [`PART_BYTES`].
    fn default() -> Self {
        PartitionSettings { block_rows: 1 << 9, least_rows: 1 << 14, part_bytes: PART_BYTES }
    }
}

impl PartitionSettings {
    /// Everything minimal, so that the short data of tests is distributed and goes by parts.
    pub fn tiny() -> Self {
        PartitionSettings { block_rows: 1, least_rows: 2, part_bytes: 1 }
    }
}

/// Assigns rows to ranks: a range of whole blocks to each rank, depending on the number of rows
/// only. A partitioned row space has at least one row on every rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partition {
    settings: PartitionSettings,
    rank: usize,
    n_ranks: usize,
}

impl Partition {
    /// Creates the partition over `n_ranks` ranks, seen from one of them.
    pub fn new(settings: PartitionSettings, rank: usize, n_ranks: usize) -> Self {
        Partition { settings, rank, n_ranks }
    }

    /// Returns the number of this rank.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Returns the number of ranks.
    pub fn n_ranks(&self) -> usize {
        self.n_ranks
    }

    /// Returns the maximum size of the parts in which tables go to and from files.
    pub fn part_bytes(&self) -> u64 {
        self.settings.part_bytes
    }

    /// Returns the minimum number of rows that are partitioned.
    pub fn least_rows(&self) -> usize {
        let with_blocks = (self.n_ranks - 1).saturating_mul(self.block_rows()).saturating_add(1);
        self.settings.least_rows.max(with_blocks)
    }

    /// Returns the rows of this rank, from 0; `None` if this number of rows is replicated.
    pub fn own(&self, n_rows: usize) -> Option<Range<usize>> {
        self.divides(n_rows).then(|| self.range(n_rows, self.rank))
    }

    /// Is a slice or table with this number of rows partitioned?
    pub fn divides(&self, n_rows: usize) -> bool {
        self.n_ranks > 1 && n_rows >= self.least_rows()
    }

    /// Returns the rows of a rank, from 0, if rows are partitioned.
    pub fn range(&self, n_rows: usize, rank: usize) -> Range<usize> {
        let n_blocks = self.n_blocks(n_rows) as u128;
        let first = |rank: usize| {
            let block = n_blocks * rank as u128 / self.n_ranks as u128;
            (block as usize).saturating_mul(self.block_rows()).min(n_rows)
        };
        first(rank)..first(rank + 1)
    }

    /// Returns the rank that owns a row, counted from 0, if rows are partitioned.
    pub fn owner(&self, n_rows: usize, row_idx: usize) -> usize {
        let block = (row_idx / self.block_rows()) as u128;
        let n_blocks = self.n_blocks(n_rows).max(1) as u128;
        ((block + 1) * self.n_ranks as u128).div_ceil(n_blocks) as usize - 1
    }

    /// Returns the number of rows that belong to one rank together.
    pub(crate) fn block_rows(&self) -> usize {
        self.settings.block_rows.max(1)
    }

    fn n_blocks(&self, n_rows: usize) -> usize {
        n_rows.div_ceil(self.block_rows())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_one_owner_and_every_rank_has_rows() {
        for (block_rows, n_ranks) in [(1, 2), (1, 7), (3, 3), (64, 5)] {
            let settings = PartitionSettings { block_rows, least_rows: 4, ..Default::default() };
            for n_rows in [4, 5, 7, 20, 21, 64, 320, 321, 1000] {
                let partition = Partition::new(settings, n_ranks - 1, n_ranks);
                let Some(own) = partition.own(n_rows) else {
                    assert!(n_rows.div_ceil(block_rows) < n_ranks, "{n_rows} rows");
                    continue;
                };
                assert_eq!(own.end, n_rows);
                let ranges = (0..n_ranks).map(|rank| (rank, partition.range(n_rows, rank)));
                let owners = ranges.flat_map(|(rank, range)| {
                    assert!(!range.is_empty());
                    range.map(move |row| (row, rank))
                });
                let owners: Vec<(usize, usize)> = owners.collect();
                let expected = (0..n_rows).map(|row| (row, partition.owner(n_rows, row)));
                assert_eq!(owners, expected.collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn few_rows_and_one_rank_are_replicated() {
        let settings = PartitionSettings { block_rows: 4, least_rows: 10, ..Default::default() };
        assert_eq!(Partition::new(settings, 0, 2).own(9), None);
        assert_eq!(Partition::new(settings, 0, 2).own(10), Some(0..4));
        assert_eq!(Partition::new(settings, 0, 4).own(10), None);
        assert_eq!(Partition::new(settings, 0, 1).own(1000), None);
    }
}
