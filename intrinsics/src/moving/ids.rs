//! The id index: the cell, bucket and slot of each object.
//!
//! Entries are atomic numbers since owners of different cells write them at the same time. Each
//! entry has only one writer, so relaxed loads and stores suffice.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::environment::Ended;
use crate::moving::grid::CellId;

const SLOT_BITS: u32 = 5;
const BUCKET_BITS: u32 = 27;
const CELL_BITS: u32 = 18;

/// The entry of an unknown object: entries are zero at first, so that memory is used only for those
/// that are written.
const UNKNOWN: u64 = 0;

/// A bucket of a region and a slot in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Place(u32);

impl Place {
    /// The maximum number of buckets in a region.
    pub(super) const MOST_BUCKETS: u32 = 1 << BUCKET_BITS;

    #[inline]
    pub(super) fn new(bucket: u32, slot: u32) -> Place {
        Place(bucket << SLOT_BITS | slot)
    }

    #[inline]
    pub(super) fn bucket(self) -> u32 {
        self.0 >> SLOT_BITS
    }

    #[inline]
    pub(super) fn slot(self) -> u32 {
        self.0 & ((1 << SLOT_BITS) - 1)
    }
}

/// The location of an object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Location {
    pub(super) cell: CellId,
    pub(super) place: Place,
}

impl Location {
    #[inline]
    fn pack(self) -> u64 {
        let CellId { region, cell } = self.cell;
        let cell = u64::from(region) << CELL_BITS | u64::from(cell);
        !(cell << (SLOT_BITS + BUCKET_BITS) | u64::from(self.place.0))
    }

    #[inline]
    fn unpack(packed: u64) -> Location {
        let packed = !packed;
        let cell = packed >> (SLOT_BITS + BUCKET_BITS);
        Location {
            cell: CellId {
                region: (cell >> CELL_BITS) as u32,
                cell: (cell & ((1 << CELL_BITS) - 1)) as u32,
            },
            place: Place(packed as u32),
        }
    }
}

/// An entry of the id index, as it is stored.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known(u64);

impl Known {
    /// The location of the object, or `None` if it is unknown.
    #[inline]
    pub(super) fn location(self) -> Option<Location> {
        (self.0 != UNKNOWN).then(|| Location::unpack(self.0))
    }
}

/// The location of the object of each id.
#[derive(Debug, Default)]
pub(super) struct IdIndex {
    /// At least `n` entries.
    entries: Vec<AtomicU64>,
    n: usize,
}

impl IdIndex {
    /// Ids below this number have an entry.
    pub(super) fn len(&self) -> usize {
        self.n
    }

    /// The memory in use, in bytes.
    pub(super) fn n_bytes(&self) -> u64 {
        8 * self.entries.len() as u64
    }

    /// Adds entries for all ids below `n`.
    pub(super) fn grow(&mut self, n: usize) -> Result<(), Ended> {
        let n_before = self.entries.len();
        if n > n_before {
            // Ids that increase from batch to batch are copied a constant number of times.
            let n_entries = n.max(n_before + n_before / 2);
            let mut entries = bytemuck::allocation::try_zeroed_vec(n_entries)
                .or_else(|()| bytemuck::allocation::try_zeroed_vec(n))
                .map_err(|()| Ended::OutOfMemory)?;
            for (new, old) in entries.iter_mut().zip(&mut self.entries) {
                if *old.get_mut() != UNKNOWN {
                    std::mem::swap(new, old);
                }
            }
            self.entries = entries;
        }
        self.n = self.n.max(n);
        Ok(())
    }

    #[inline]
    pub(super) fn get(&self, id: u32) -> Known {
        Known(self.entries[id as usize].load(Ordering::Relaxed))
    }

    /// Reads the entry ahead of its use, so that the memory latencies of many entries overlap. The
    /// result must be ignored.
    #[inline]
    pub(super) fn touch(&self, id: u32) -> u64 {
        self.entries[id as usize].load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn put(&self, id: u32, location: Location) {
        self.entries[id as usize].store(location.pack(), Ordering::Relaxed);
    }

    #[inline]
    pub(super) fn forget(&self, id: u32) {
        self.entries[id as usize].store(UNKNOWN, Ordering::Relaxed);
    }
}
