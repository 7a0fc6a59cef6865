//! Upper bounds on the memory that a batch may need, requested before anything is changed.
//!
//! The bounds follow from the growth of the parts: lists have exactly the required length or twice
//! their old length, and the buckets of a region grow by steps ([`Region`]). They are loose; the
//! actual memory in use is [`MovingIndex::n_bytes`].

use super::grid::MOST_REGIONS;
use super::index::{Indexes, MovingIndex};
use super::region::Region;
use super::split::GROUP_BITS;
use super::{Neighbour, Query, Update};

/// The maximum number of tasks of a batch for each thread.
const TASKS_PER_THREAD: u64 = 4;
/// Bytes of an update on its way through a batch: in its chunk, its group, after lookup, and in the
/// queue of a region; each in a list that may have twice the required capacity.
const PER_UPDATE: u64 = 2 * (16 + 16 + 24 + 8 + 3 * (24 + 20));
/// Bytes of a pair of cell and query in the tables of a batch, also with twice the required
/// capacity.
const PER_CONFIRMATION: u64 = 2 * (12 + 8 + 8 + 20);
/// Bytes of a cell: its first bucket, and an eighth as much for further ones; in two indexes.
const PER_CELL: u64 = 2 * (Region::BUCKET_BYTES + Region::BUCKET_BYTES / 8);

impl MovingIndex {
    /// Bytes of the entries for `n` ids.
    pub fn id_bytes(n: usize) -> u64 {
        8 * n.max(4) as u64
    }

    /// An upper bound on the additional bytes of the index during and after a batch of `n_updates`
    /// updates, with ids below those that it has capacity for.
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

    /// An upper bound on the bytes needed to answer some queries, including the list of answers.
    pub fn most_for_queries(&self, queries: &[Query]) -> u64 {
        let Some(Indexes { grid, ahead, .. }) = self.indexes() else { return 0 };
        queries.iter().fold(0, |all, query| {
            let hits = ahead.n_near(grid, query.range) as u64;
            // A hit is stored in a buffer, in the list of a piece and in the common list, which may
            // have twice the required capacity.
            let bytes = PER_CONFIRMATION * grid.n_touched(query.range) + 8 * 5 * hits;
            all.saturating_add(bytes)
        })
    }

    /// An upper bound on the bytes needed to find the nearest objects, including the answers.
    pub fn most_for_nearest(&self, n_points: usize, k: usize, n_threads: usize) -> u64 {
        let one = size_of::<Neighbour>() as u64;
        let k = self.n_objects().min(k as u64);
        let found = (n_points as u64).saturating_mul(24 + one * k);
        // A square may contain all objects, in a list with twice the required capacity.
        found.saturating_mul(2).saturating_add(2 * one * self.n_objects() * n_threads as u64)
    }
}

/// Bytes needed to split a batch.
fn splitting(n_updates: u64, n_ids: u64, n_threads: usize) -> u64 {
    let n_groups = (n_ids >> GROUP_BITS) + 3;
    let starts = 8 * (n_groups + 3 * (MOST_REGIONS as u64 + 3));
    let sets = 2 << (GROUP_BITS - 3);
    let per_task = starts + sets + 1024;
    let fixed = TASKS_PER_THREAD * (n_threads as u64 + 1) * per_task;
    n_updates.saturating_mul(PER_UPDATE).saturating_add(fixed)
}

/// Bytes needed to choose cells for `n_objects` objects and to insert these.
fn choosing(n_objects: u64, n_ids: u64, n_threads: usize) -> u64 {
    let listed = n_objects.saturating_mul((size_of::<Update>() + 8) as u64);
    // Sides of tiles are rounded, in the worst case to four cells for 25 objects, and each of 2¹⁴
    // tiles has at least one cell.
    let n_cells = n_objects / 6 + (1 << 14);
    let further = 2 * Region::most_growth(n_cells, n_objects / 8);
    splitting(n_objects, n_ids, n_threads)
        .saturating_add(listed)
        .saturating_add(n_cells.saturating_mul(PER_CELL))
        .saturating_add(further)
        .saturating_add(24 << 14)
}
