//! How much memory a batch may take at most: what is asked for before anything is changed.
//!
//! The bounds follow from how the parts grow: lists are made as long as they have to be or twice as long as they
//! were, and the buckets of a region grow by steps ([`Region`]). They are loose; what the index does take is
//! [`MovingIndex::n_bytes`].

use super::grid::MOST_REGIONS;
use super::index::{Indexes, MovingIndex};
use super::region::Region;
use super::split::GROUP_BITS;
use super::{Neighbour, Query, Update};

/// Tasks of a batch for each thread, at most.
const TASKS_PER_THREAD: u64 = 4;
/// Bytes of an update on its way through a batch: in its chunk, its group, found, and in the queue of a region; each
/// in a list that may be twice as long as it has to be.
const PER_UPDATE: u64 = 2 * (16 + 16 + 24 + 8 + 3 * (24 + 20));
/// Bytes of a pair of cell and query in the tables of a batch, likewise.
const PER_CONFIRMATION: u64 = 2 * (12 + 8 + 8 + 20);
/// Bytes of a cell: its first bucket, and an eighth as much for further ones; in two indexes.
const PER_CELL: u64 = 2 * (Region::BUCKET_BYTES + Region::BUCKET_BYTES / 8);

impl MovingIndex {
    /// Bytes that entries for `n` ids take.
    pub fn id_bytes(n: usize) -> u64 {
        8 * n.max(4) as u64
    }

    /// Bytes that the index may take more during and after a batch of so many updates with ids below those that it
    /// has room for, at most.
    pub fn most_growth(&self, n_updates: usize, n_threads: usize) -> u64 {
        let n = n_updates as u64;
        if n == 0 {
            return 0;
        }
        let n_ids = self.n_ids() as u64;
        let split = splitting(n, n_ids, n_threads);
        match self.indexes() {
            None => split.saturating_add(choosing(n, n_ids, n_threads)),
            Some(indexes) => {
                let further = 2 * indexes.most_further(n);
                let outgrown = match indexes.may_be_outgrown(n) {
                    true => choosing(self.n_objects().saturating_add(n), n_ids, n_threads),
                    false => 0,
                };
                split.saturating_add(further).saturating_add(outgrown)
            }
        }
    }

    /// Bytes that answering some queries may take, the answers in a list included, at most.
    pub fn most_for_queries(&self, queries: &[Query]) -> u64 {
        let Some(Indexes { grid, ahead, .. }) = self.indexes() else { return 0 };
        queries.iter().fold(0, |all, query| {
            let hits = ahead.n_near(grid, query.range) as u64;
            // A hit lies in a buffer, in the list of a piece and in that of all, which may be twice as long.
            let bytes = PER_CONFIRMATION * grid.n_touched(query.range) + 8 * 5 * hits;
            all.saturating_add(bytes)
        })
    }

    /// Bytes that looking for the nearest objects may take, the answers included, at most.
    pub fn most_for_nearest(&self, n_points: usize, k: usize, n_threads: usize) -> u64 {
        let one = size_of::<Neighbour>() as u64;
        let k = self.n_objects().min(k as u64);
        let found = (n_points as u64).saturating_mul(24 + one * k);
        // A square may hold all objects, in a list that is twice as long.
        found.saturating_mul(2).saturating_add(2 * one * self.n_objects() * n_threads as u64)
    }
}

/// Bytes of splitting a batch.
fn splitting(n_updates: u64, n_ids: u64, n_threads: usize) -> u64 {
    let n_groups = (n_ids >> GROUP_BITS) + 3;
    let starts = 8 * (n_groups + 3 * (MOST_REGIONS as u64 + 3));
    let sets = 2 << (GROUP_BITS - 3);
    let per_task = starts + sets + 1024;
    let fixed = TASKS_PER_THREAD * (n_threads as u64 + 1) * per_task;
    n_updates.saturating_mul(PER_UPDATE).saturating_add(fixed)
}

/// Bytes of choosing cells for so many objects, and of putting these there.
fn choosing(n_objects: u64, n_ids: u64, n_threads: usize) -> u64 {
    let listed = n_objects.saturating_mul((size_of::<Update>() + 8) as u64);
    // Sides of tiles are rounded, to four cells for 25 objects at worst, and each of 2¹⁴ tiles has a cell at least.
    let n_cells = n_objects / 6 + (1 << 14);
    let further = 2 * Region::most_growth(n_cells, n_objects / 8);
    splitting(n_objects, n_ids, n_threads)
        .saturating_add(listed)
        .saturating_add(n_cells.saturating_mul(PER_CELL))
        .saturating_add(further)
        .saturating_add(24 << 14)
}
