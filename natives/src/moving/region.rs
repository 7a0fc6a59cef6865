//! The objects of some neighbouring cells, in chains of buckets: what one owner works on.
//!
//! Bucket i is the first one of cell i; the buckets behind these continue a cell whose first is full. Deletion leaves
//! a hole and never moves an object, so that what the id index says of the others stays true. The buckets of a cell
//! behind its first that have holes are linked in a second list: an insertion finds a place at once, however long
//! the chain is.
//!
//! What an insertion decides depends only on the operations before it. Two regions that take the same operations
//! in the same order therefore put every object into the same place: see Note [Catching up] in `mod.rs`.

use crate::environment::Ended;
use crate::moving::geometry::Point;
use crate::moving::ids::Place;
use crate::reserved;

/// Places of a bucket.
pub(super) const N_SLOTS: usize = 20;
/// A bucket without a hole.
const FULL: u32 = (1 << N_SLOTS) - 1;
/// No bucket.
const NONE: u32 = u32::MAX;

/// An object and where it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) at: Point,
    pub(super) id: u32,
}

/// Four cache lines, two pairs that processors like to fetch together.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(128))]
struct Bucket {
    /// Which slots hold an object.
    used: u32,
    /// The next bucket of the cell.
    next: u32,
    /// The next bucket with a hole; of the first bucket of a cell: the first such bucket behind it.
    with_hole: u32,
    /// The cell.
    cell: u32,
    slots: [Entry; N_SLOTS],
}

impl Bucket {
    fn new(cell: u32) -> Bucket {
        Bucket { used: 0, next: NONE, with_hole: NONE, cell, slots: [Entry::default(); N_SLOTS] }
    }
}

/// The buckets of some neighbouring cells.
#[derive(Debug)]
pub(super) struct Region {
    n_cells: u32,
    buckets: Vec<Bucket>,
}

impl Region {
    /// Empty cells.
    pub(super) fn new(n_cells: u32) -> Result<Region, Ended> {
        let n = n_cells as usize;
        // Room for the few cells that need a second bucket.
        let mut buckets = reserved(n + n / 8)?;
        buckets.extend((0..n_cells).map(Bucket::new));
        Ok(Region { n_cells, buckets })
    }

    /// Bytes that it takes.
    pub(super) fn n_bytes(&self) -> u64 {
        (self.buckets.capacity() * size_of::<Bucket>()) as u64
    }

    /// Buckets, the first ones of cells and those behind.
    pub(super) fn n_buckets(&self) -> (u64, u64) {
        let first = u64::from(self.n_cells);
        (first, self.buckets.len() as u64 - first)
    }

    /// Takes an object out of its place.
    #[inline]
    pub(super) fn delete(&mut self, place: Place) {
        let (idx, slot) = (place.bucket(), place.slot());
        let Bucket { used, cell, .. } = self.buckets[idx as usize];
        self.buckets[idx as usize].used = used & !(1 << slot);
        if used == FULL && idx >= self.n_cells {
            let first = self.buckets[cell as usize].with_hole;
            self.buckets[idx as usize].with_hole = first;
            self.buckets[cell as usize].with_hole = idx;
        }
    }

    /// Puts an object into a cell, and says where.
    #[inline]
    pub(super) fn insert(&mut self, cell: u32, entry: Entry) -> Result<Place, Ended> {
        let mut idx = cell;
        let first = &self.buckets[cell as usize];
        if first.used == FULL {
            idx = first.with_hole;
            if idx == NONE {
                idx = self.lengthen(cell)?;
            }
        }
        let bucket = &mut self.buckets[idx as usize];
        let slot = bucket.used.trailing_ones();
        bucket.used |= 1 << slot;
        bucket.slots[slot as usize] = entry;
        if bucket.used == FULL && idx != cell {
            let next = bucket.with_hole;
            self.buckets[cell as usize].with_hole = next;
        }
        Ok(Place::new(idx, slot))
    }

    /// A further bucket for a cell without holes.
    #[cold]
    fn lengthen(&mut self, cell: u32) -> Result<u32, Ended> {
        let idx = u32::try_from(self.buckets.len()).ok().filter(|&idx| idx < Place::MOST_BUCKETS);
        let idx = idx.ok_or(Ended::OutOfMemory)?;
        self.buckets.try_reserve(1).map_err(|_| Ended::OutOfMemory)?;
        let mut bucket = Bucket::new(cell);
        let first = &mut self.buckets[cell as usize];
        bucket.next = first.next;
        first.next = idx;
        first.with_hole = idx;
        self.buckets.push(bucket);
        Ok(idx)
    }

    /// Moves an object within its cell.
    #[inline]
    pub(super) fn relocate(&mut self, place: Place, to: Point) {
        self.buckets[place.bucket() as usize].slots[place.slot() as usize].at = to;
    }

    /// Where the object in a place is.
    pub(super) fn at(&self, place: Place) -> Point {
        self.buckets[place.bucket() as usize].slots[place.slot() as usize].at
    }

    /// Reads a number of each cache line of the first bucket of a cell. Callers do so for many cells before they use
    /// them: the reads wait for nothing, so that memory serves several at once. What comes is of no use.
    #[inline]
    pub(super) fn touch(&self, cell: u32) -> u32 {
        let bucket = &self.buckets[cell as usize];
        bucket.used ^ bucket.slots[5].id ^ bucket.slots[10].id ^ bucket.slots[15].id
    }

    /// Likewise of the line with the head of a bucket.
    #[inline]
    pub(super) fn touch_head(&self, bucket: u32) -> u32 {
        self.buckets[bucket as usize].used
    }

    /// Number of objects in a cell.
    #[inline]
    pub(super) fn n_objects(&self, cell: u32) -> u32 {
        let mut n = 0;
        let mut idx = cell;
        while idx != NONE {
            let bucket = &self.buckets[idx as usize];
            n += bucket.used.count_ones();
            idx = bucket.next;
        }
        n
    }

    /// Calls `each` with the slots of every bucket of a cell, and the mask of those that hold an object.
    #[inline]
    pub(super) fn for_each_bucket(&self, cell: u32, mut each: impl FnMut(u32, &[Entry; N_SLOTS])) {
        let mut idx = cell;
        while idx != NONE {
            let bucket = &self.buckets[idx as usize];
            each(bucket.used, &bucket.slots);
            idx = bucket.next;
        }
    }

    /// Calls `each` for every object.
    pub(super) fn for_each(&self, mut each: impl FnMut(Entry)) {
        for bucket in &self.buckets {
            let mut used = bucket.used;
            while used != 0 {
                each(bucket.slots[used.trailing_zeros() as usize]);
                used &= used - 1;
            }
        }
    }
}
