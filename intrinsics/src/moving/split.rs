//! Operation splitting: a batch of updates becomes deletions, insertions and moves for the owners
//! of the cells.
//!
//! First the updates are grouped by id, separately for each chunk of the batch; the order within a
//! group is that of the batch. A group is small enough for its entries of the id index to fit in a
//! cache, and belongs to one task. The task finds the updates that are superseded by a later one of
//! the same id, looks up the locations of the objects, and queues the operations for the owner of
//! each region. There is no sorting and no lock.

use std::hint;

use rayon::prelude::*;

use crate::environment::{Ended, Environment};
use crate::moving::geometry::Point;
use crate::moving::grid::{CellId, Grid};
use crate::moving::ids::{IdIndex, Known, Place};
use crate::moving::region::StoredObject;
use crate::moving::statistics::Updates;
use crate::moving::{Update, bytes, grow};

/// A group holds 2¹⁶ ids: half a megabyte of the id index.
pub(super) const GROUP_BITS: u32 = 16;
/// Updates per task.
const PER_TASK: usize = 1 << 12;
/// Tasks for each thread, to balance the load.
const TASKS_PER_THREAD: usize = 4;

/// An object that enters a cell.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Insertion {
    pub(super) cell: u32,
    pub(super) entry: StoredObject,
}

/// An object that stays in its cell.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Relocation {
    pub(super) place: Place,
    pub(super) to: Point,
}

/// The items queued by region, in one list.
#[derive(Debug)]
struct Lanes<T> {
    /// In the order in which they were found, with their regions.
    found: Vec<(u32, T)>,
    /// The start of the items of each region, and the end of the last ones.
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T> Default for Lanes<T> {
    fn default() -> Self {
        Lanes { found: Vec::new(), starts: Vec::new(), items: Vec::new() }
    }
}

impl<T: Copy + Default> Lanes<T> {
    fn clear(&mut self) {
        self.found.clear();
    }

    /// Reserves space for `n` more items.
    fn reserve(&mut self, n: usize) -> Result<(), Ended> {
        self.found.try_reserve(n).map_err(|_| Ended::OutOfMemory)
    }

    /// Groups the items by region, in the order in which they were found.
    fn arrange(&mut self, n_regions: usize) -> Result<(), Ended> {
        self.starts.clear();
        let refused = |_| Ended::OutOfMemory;
        self.starts.try_reserve(n_regions + 2).map_err(refused)?;
        self.starts.resize(n_regions + 2, 0);
        self.found.iter().for_each(|&(region, _)| self.starts[region as usize + 2] += 1);
        for idx in 2..self.starts.len() {
            self.starts[idx] += self.starts[idx - 1];
        }
        let n_more = self.found.len().saturating_sub(self.items.len());
        self.items.try_reserve(n_more).map_err(refused)?;
        self.items.resize(self.found.len(), T::default());
        for &(region, item) in &self.found {
            let next = &mut self.starts[region as usize + 1];
            self.items[*next as usize] = item;
            *next += 1;
        }
        Ok(())
    }

    fn n_bytes(&self) -> u64 {
        bytes(&self.found) + bytes(&self.starts) + bytes(&self.items)
    }

    fn of(&self, region: usize) -> &[T] {
        &self.items[self.starts[region] as usize..self.starts[region + 1] as usize]
    }
}

/// The operations that one task has queued for the owners.
#[derive(Debug, Default)]
struct Queue {
    deletions: Lanes<Place>,
    insertions: Lanes<Insertion>,
    relocations: Lanes<Relocation>,
    counted: Updates,
    scratch: Scratch,
}

#[derive(Debug, Default)]
struct Scratch {
    /// The updates of a group, in order.
    updates: Vec<Update>,
    /// The ids of the group already seen, counted from the end of the batch, and those seen twice.
    seen: Vec<u64>,
    twice: Vec<u64>,
    /// The updates that are not superseded, and the locations of their objects.
    last: Vec<(Update, Known)>,
    /// The updates whose ids occur more than once: id and number in the group.
    repeated: Vec<(u32, u32)>,
}

/// A chunk of the batch by groups.
#[derive(Debug, Default)]
struct Chunk {
    starts: Vec<u32>,
    updates: Vec<Update>,
}

/// A batch after splitting: the log that each of the two indexes applies.
#[derive(Debug, Default)]
pub(super) struct Operations {
    chunks: Vec<Chunk>,
    queues: Vec<Queue>,
    n_queues: usize,
    /// Updates of the last batch.
    n_updates: usize,
}

impl Operations {
    /// The operations for a region: all deletions, then all insertions, then the moves within
    /// cells.
    pub(super) fn deletions(&self, region: usize) -> impl Iterator<Item = &[Place]> {
        self.queues[..self.n_queues].iter().map(move |queue| queue.deletions.of(region))
    }

    pub(super) fn insertions(&self, region: usize) -> impl Iterator<Item = &[Insertion]> {
        self.queues[..self.n_queues].iter().map(move |queue| queue.insertions.of(region))
    }

    pub(super) fn relocations(&self, region: usize) -> impl Iterator<Item = &[Relocation]> {
        self.queues[..self.n_queues].iter().map(move |queue| queue.relocations.of(region))
    }

    /// Updates of the batch.
    pub(super) fn n_updates(&self) -> u64 {
        self.n_updates as u64
    }

    /// The memory in use, in bytes.
    pub(super) fn n_bytes(&self) -> u64 {
        let chunks = self.chunks.iter().map(|chunk| bytes(&chunk.starts) + bytes(&chunk.updates));
        let queues = self.queues.iter().map(Queue::n_bytes);
        chunks.sum::<u64>() + queues.sum::<u64>()
    }

    /// Splits a batch: object locations come from the id index, which drops removed objects.
    pub(super) fn split(
        &mut self,
        updates: &[Update],
        ids: &IdIndex,
        grid: &Grid,
        environment: &dyn Environment,
    ) -> Result<Updates, Ended> {
        // A large batch, as the first one often is, should not leave large buffers allocated.
        if self.n_updates / 8 > updates.len().max(1 << 16) {
            *self = Operations::default();
        }
        self.n_updates = updates.len();
        self.n_queues = 0;
        if updates.is_empty() {
            return Ok(Updates::default());
        }
        let n_groups = ids.len().div_ceil(1 << GROUP_BITS).max(1);
        let n_tasks = updates.len().div_ceil(PER_TASK);
        let n_tasks = n_tasks.min(TASKS_PER_THREAD * rayon::current_num_threads());

        let per_chunk = updates.len().div_ceil(n_tasks);
        let n_chunks = updates.len().div_ceil(per_chunk);
        grow(&mut self.chunks, n_chunks)?;
        let chunks = &mut self.chunks[..n_chunks];
        chunks.par_iter_mut().zip(updates.par_chunks(per_chunk)).try_for_each(
            |(chunk, updates)| {
                environment.poll()?;
                chunk.fill(updates, n_groups)
            },
        )?;

        let chunks = &*chunks;
        let per_queue = n_groups.div_ceil(n_tasks);
        let n_queues = n_groups.div_ceil(per_queue);
        grow(&mut self.queues, n_queues)?;
        self.queues[..n_queues].par_iter_mut().enumerate().try_for_each(|(idx, queue)| {
            environment.poll()?;
            queue.clear()?;
            for group in idx * per_queue..((idx + 1) * per_queue).min(n_groups) {
                queue.split(chunks, group, ids, grid)?;
            }
            queue.arrange(grid.region_cells().len())
        })?;
        self.n_queues = n_queues;
        let mut counted = Updates::default();
        self.queues[..n_queues].iter().for_each(|queue| counted.add(queue.counted));
        counted.updates = updates.len() as u64;
        Ok(counted)
    }
}

impl Chunk {
    fn fill(&mut self, updates: &[Update], n_groups: usize) -> Result<(), Ended> {
        let refused = |_| Ended::OutOfMemory;
        self.starts.clear();
        self.starts.try_reserve(n_groups + 2).map_err(refused)?;
        self.starts.resize(n_groups + 2, 0);
        let group = |update: &Update| (update.id >> GROUP_BITS) as usize;
        updates.iter().for_each(|update| self.starts[group(update) + 2] += 1);
        for idx in 2..self.starts.len() {
            self.starts[idx] += self.starts[idx - 1];
        }
        self.updates
            .try_reserve(updates.len().saturating_sub(self.updates.len()))
            .map_err(refused)?;
        self.updates.resize(updates.len(), Update { id: 0, to: None });
        for update in updates {
            let next = &mut self.starts[group(update) + 1];
            self.updates[*next as usize] = *update;
            *next += 1;
        }
        Ok(())
    }

    fn group(&self, group: usize) -> &[Update] {
        &self.updates[self.starts[group] as usize..self.starts[group + 1] as usize]
    }
}

impl Queue {
    fn clear(&mut self) -> Result<(), Ended> {
        self.deletions.clear();
        self.insertions.clear();
        self.relocations.clear();
        self.counted = Updates::default();
        for set in [&mut self.scratch.seen, &mut self.scratch.twice] {
            set.try_reserve(seen_len().saturating_sub(set.len()))
                .map_err(|_| Ended::OutOfMemory)?;
            set.resize(seen_len(), 0);
        }
        Ok(())
    }

    fn n_bytes(&self) -> u64 {
        let Queue { deletions, insertions, relocations, counted: _, scratch } = self;
        let Scratch { updates, seen, twice, last, repeated } = scratch;
        let of_scratch =
            bytes(updates) + bytes(seen) + bytes(twice) + bytes(last) + bytes(repeated);
        deletions.n_bytes() + insertions.n_bytes() + relocations.n_bytes() + of_scratch
    }

    fn arrange(&mut self, n_regions: usize) -> Result<(), Ended> {
        self.deletions.arrange(n_regions)?;
        self.insertions.arrange(n_regions)?;
        self.relocations.arrange(n_regions)
    }

    fn split(
        &mut self,
        chunks: &[Chunk],
        group: usize,
        ids: &IdIndex,
        grid: &Grid,
    ) -> Result<(), Ended> {
        self.scratch.take(chunks, group, ids)?;
        let n = self.scratch.last.len();
        self.deletions.reserve(n)?;
        self.insertions.reserve(n)?;
        self.relocations.reserve(n)?;
        let (n_unknown, n_again) = self.count_repeated(ids);
        for &(Update { id, to }, known) in &self.scratch.last {
            match (known.location(), to) {
                (None, None) => self.counted.unknown_removals += 1,
                (None, Some(at)) => {
                    self.counted.inserted += 1;
                    let CellId { region, cell } = grid.cell_of(at);
                    self.insertions
                        .found
                        .push((region, Insertion { cell, entry: StoredObject { at, id } }));
                }
                (Some(old), None) => {
                    self.counted.removed += 1;
                    ids.forget(id);
                    self.deletions.found.push((old.cell.region, old.place));
                }
                (Some(old), Some(at)) => {
                    let CellId { region, cell } = grid.cell_of(at);
                    if old.cell == (CellId { region, cell }) {
                        self.counted.in_place += 1;
                        self.relocations
                            .found
                            .push((region, Relocation { place: old.place, to: at }));
                    } else {
                        self.counted.split += 1;
                        self.deletions.found.push((old.cell.region, old.place));
                        let entry = StoredObject { at, id };
                        self.insertions.found.push((region, Insertion { cell, entry }));
                    }
                }
            }
        }
        self.counted.unknown_removals += n_unknown;
        self.counted.unknown_removals -= n_again;
        Ok(())
    }

    /// For ids that occur more than once: how many removals find no object, applying one update
    /// after another, and how many seem to when only the last update of each is considered.
    fn count_repeated(&mut self, ids: &IdIndex) -> (u64, u64) {
        let Scratch { updates, last, repeated, .. } = &mut self.scratch;
        let (mut n_unknown, mut n_again) = (0, 0);
        self.counted.superseded += (updates.len() - last.len()) as u64;
        repeated.sort_unstable();
        for of_id in repeated.chunk_by(|one, next| one.0 == next.0) {
            let was_known = ids.get(of_id[0].0).location().is_some();
            let mut is_known = was_known;
            for &(_, idx) in of_id {
                let is_removal = updates[idx as usize].to.is_none();
                n_unknown += u64::from(is_removal && !is_known);
                is_known = !is_removal;
            }
            n_again += u64::from(!is_known && !was_known);
        }
        (n_unknown, n_again)
    }
}

impl Scratch {
    /// Reads the updates of a group and finds the last one of each id.
    fn take(&mut self, chunks: &[Chunk], group: usize, ids: &IdIndex) -> Result<(), Ended> {
        let Scratch { updates, seen, twice, last, repeated } = self;
        let refused = |_| Ended::OutOfMemory;
        updates.clear();
        last.clear();
        repeated.clear();
        let n: usize = chunks.iter().map(|chunk| chunk.group(group).len()).sum();
        updates.try_reserve(n).map_err(refused)?;
        last.try_reserve(n).map_err(refused)?;
        chunks.iter().for_each(|chunk| updates.extend_from_slice(chunk.group(group)));
        hint::black_box(updates.iter().fold(0, |all, update| all ^ ids.touch(update.id)));
        let place = |id: u32| ((id >> 6) as usize & (seen_len() - 1), 1u64 << (id & 63));
        for update in updates.iter().rev() {
            let (word, bit) = place(update.id);
            if seen[word] & bit == 0 {
                seen[word] |= bit;
                last.push((*update, ids.get(update.id)));
            } else {
                twice[word] |= bit;
            }
        }
        if last.len() < updates.len() {
            repeated.try_reserve(n).map_err(refused)?;
            for (idx, update) in updates.iter().enumerate() {
                let (word, bit) = place(update.id);
                if twice[word] & bit != 0 {
                    repeated.push((update.id, idx as u32));
                }
            }
        }
        for update in updates.iter() {
            let (word, _) = place(update.id);
            seen[word] = 0;
            twice[word] = 0;
        }
        Ok(())
    }
}

/// Words of a set of the ids of a group.
const fn seen_len() -> usize {
    1 << (GROUP_BITS - 6)
}
