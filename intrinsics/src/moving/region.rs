//! The objects of some neighbouring cells, in chains of buckets: the data of one owner.
//!
//! Bucket i is the first one of cell i; the buckets after these continue a cell whose first is
//! full. Deletion leaves a hole and never moves an object, so the locations in the id index remain
//! valid. The further buckets of a cell that have holes are linked in a second list: an insertion
//! finds a slot in constant time, regardless of the length of the chain.
//!
//! The used slots are not marked in the buckets but in a separate list, four bytes for each bucket:
//! those of a region fit into the L1 cache. A deletion therefore touches no bucket at all, and an
//! insertion only the cache line that it writes.
//!
//! The outcome of an insertion depends only on the operations before it. Two regions that apply the
//! same operations in the same order therefore put every object into the same slot: see Note
//! [Catching up] in `mod.rs`.

use crate::environment::Ended;
use crate::moving::bytes;
use crate::moving::geometry::{Point, Rect};
use crate::moving::grid::MOST_REGIONS;
use crate::moving::ids::Place;
use crate::reserved;

/// Objects of a cache line.
pub(super) const PER_LINE: usize = 5;
/// Cache lines of a bucket.
const N_LINES: usize = 4;
/// Bits of the used-slot mask of a bucket for each of its lines: slot 8 i + j is entry j of line i,
/// and slots with j from 5 on do not exist.
const BITS_PER_LINE: u32 = 8;
/// A bucket without a hole.
const FULL: u32 = 0x1f1f_1f1f;
/// A flag in the slot mask of the first bucket of a cell: there are further ones.
const GOES_ON: u32 = 1 << 31;
/// Capacity grows by a sixteenth of the buckets, and at least by this number.
const STEP_SHARE: u64 = 16;
const STEP: usize = 8;
/// No bucket.
const NONE: u32 = u32::MAX;

/// An object and its position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct StoredObject {
    pub(super) at: Point,
    pub(super) id: u32,
}

/// A cache line: first coordinates, second coordinates, ids. The tests of a query are vectorised.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(super) struct RegionLine {
    x: [i32; PER_LINE],
    y: [i32; PER_LINE],
    id: [u32; PER_LINE],
}

impl RegionLine {
    /// The entry at an index, which may be a hole.
    #[inline]
    pub(super) fn entry(&self, place: usize) -> StoredObject {
        StoredObject { at: Point { x: self.x[place], y: self.y[place] }, id: self.id[place] }
    }

    #[inline]
    fn put(&mut self, place: usize, StoredObject { at, id }: StoredObject) {
        self.move_to(place, at);
        self.id[place] = id;
    }

    #[inline]
    fn move_to(&mut self, place: usize, at: Point) {
        (self.x[place], self.y[place]) = (at.x, at.y);
    }

    /// The id of the entry at an index.
    #[inline]
    pub(super) fn id(&self, place: usize) -> u32 {
        self.id[place]
    }

    /// The entries whose points lie in a rectangle; holes have arbitrary bits.
    #[inline]
    pub(super) fn inside(&self, rect: Rect) -> u32 {
        let mut mask = 0;
        for (place, (&x, &y)) in self.x.iter().zip(&self.y).enumerate() {
            mask |= u32::from(rect.holds(Point { x, y })) << place;
        }
        mask
    }
}

/// Slots for objects.
type Bucket = [RegionLine; N_LINES];

/// Links between the buckets of a cell; unused while there is only the first one.
#[derive(Clone, Copy, Debug)]
struct Link {
    /// The cell.
    cell: u32,
    /// The next bucket of the cell.
    next: u32,
    /// The next bucket with a hole; for the first bucket of a cell, the first such bucket after it.
    with_hole: u32,
}

/// The buckets of some neighbouring cells.
#[derive(Debug)]
pub(super) struct Region {
    n_cells: u32,
    /// The mask of used slots of each bucket.
    used: Vec<u32>,
    links: Vec<Link>,
    buckets: Vec<Bucket>,
}

impl Region {
    /// Bytes of a bucket with its slot mask and links.
    pub(super) const BUCKET_BYTES: u64 =
        (size_of::<Bucket>() + size_of::<Link>() + size_of::<u32>()) as u64;

    /// An upper bound on the growth, in bytes, of regions with `n_buckets` buckets while `n_made`
    /// further ones are added.
    pub(super) fn most_growth(n_buckets: u64, n_made: u64) -> u64 {
        let n = n_made.saturating_add(n_buckets.saturating_add(n_made) / STEP_SHARE);
        n.saturating_add((STEP * (MOST_REGIONS + 2)) as u64).saturating_mul(Region::BUCKET_BYTES)
    }

    /// Creates empty cells.
    pub(super) fn new(n_cells: u32) -> Result<Region, Ended> {
        let n = n_cells as usize;
        // Capacity for the few cells that need a second bucket.
        let capacity = n + n / 8;
        let (mut used, mut links) = (reserved(capacity)?, reserved(capacity)?);
        let mut buckets = reserved(capacity)?;
        used.resize(n, 0);
        links.extend((0..n_cells).map(|cell| Link { cell, next: NONE, with_hole: NONE }));
        buckets.resize(n, [RegionLine::default(); N_LINES]);
        Ok(Region { n_cells, used, links, buckets })
    }

    /// The memory in use, in bytes.
    pub(super) fn n_bytes(&self) -> u64 {
        let Region { n_cells: _, used, links, buckets } = self;
        bytes(used) + bytes(links) + bytes(buckets)
    }

    /// The number of first buckets of cells, and of further ones.
    pub(super) fn n_buckets(&self) -> (u64, u64) {
        let first = u64::from(self.n_cells);
        (first, self.buckets.len() as u64 - first)
    }

    /// Removes an object from its slot.
    #[inline]
    pub(super) fn delete(&mut self, place: Place) {
        let idx = place.bucket();
        let used = &mut self.used[idx as usize];
        let was_full = *used == FULL;
        *used &= !(1 << place.slot());
        if was_full && idx >= self.n_cells {
            self.has_hole(idx);
        }
    }

    /// Registers a further bucket that was full and now has a hole.
    #[cold]
    fn has_hole(&mut self, idx: u32) {
        let cell = self.links[idx as usize].cell as usize;
        self.links[idx as usize].with_hole = self.links[cell].with_hole;
        self.links[cell].with_hole = idx;
    }

    /// Inserts an object into a cell and returns its location.
    #[inline]
    pub(super) fn insert(&mut self, cell: u32, entry: StoredObject) -> Result<Place, Ended> {
        let used = &mut self.used[cell as usize];
        if *used & FULL == FULL {
            return self.insert_behind(cell, entry);
        }
        let slot = hole(*used);
        *used |= 1 << slot;
        let (line, place) = in_lines(slot);
        self.buckets[cell as usize][line].put(place, entry);
        Ok(Place::new(cell, slot))
    }

    /// Inserts an object into a further bucket of a cell.
    #[cold]
    fn insert_behind(&mut self, cell: u32, entry: StoredObject) -> Result<Place, Ended> {
        let mut idx = self.links[cell as usize].with_hole;
        if idx == NONE {
            idx = self.lengthen(cell)?;
        }
        let used = &mut self.used[idx as usize];
        let slot = hole(*used);
        *used |= 1 << slot;
        let (line, place) = in_lines(slot);
        self.buckets[idx as usize][line].put(place, entry);
        if *used == FULL {
            self.links[cell as usize].with_hole = self.links[idx as usize].with_hole;
        }
        Ok(Place::new(idx, slot))
    }

    /// Adds a further bucket to a cell without holes.
    fn lengthen(&mut self, cell: u32) -> Result<u32, Ended> {
        let idx = u32::try_from(self.buckets.len()).ok().filter(|&idx| idx < Place::MOST_BUCKETS);
        let idx = idx.ok_or(Ended::OutOfMemory)?;
        if self.buckets.len() == self.buckets.capacity() {
            let n_more = STEP.max(self.buckets.len() / STEP_SHARE as usize);
            let refused = |_| Ended::OutOfMemory;
            self.used.try_reserve_exact(n_more).map_err(refused)?;
            self.links.try_reserve_exact(n_more).map_err(refused)?;
            self.buckets.try_reserve_exact(n_more).map_err(refused)?;
        }
        let first = &mut self.links[cell as usize];
        let link = Link { cell, next: first.next, with_hole: NONE };
        first.next = idx;
        first.with_hole = idx;
        self.used[cell as usize] |= GOES_ON;
        self.used.push(0);
        self.links.push(link);
        self.buckets.push([RegionLine::default(); N_LINES]);
        Ok(idx)
    }

    /// Moves an object within its cell.
    #[inline]
    pub(super) fn relocate(&mut self, place: Place, to: Point) {
        let (line, idx) = in_lines(place.slot());
        self.buckets[place.bucket() as usize][line].move_to(idx, to);
    }

    /// The position of the object in a slot.
    pub(super) fn at(&self, place: Place) -> Point {
        let (line, idx) = in_lines(place.slot());
        self.buckets[place.bucket() as usize][line].entry(idx).at
    }

    /// Reads a number of each cache line that holds objects of the first bucket of a cell. Callers
    /// do so for many cells before they use them, so that the memory latencies overlap. The result
    /// must be ignored.
    #[inline]
    pub(super) fn touch(&self, cell: u32) -> u32 {
        let lines = &self.buckets[cell as usize][..n_lines(self.used[cell as usize])];
        lines.iter().fold(0, |all, line| all ^ line.id[0])
    }

    /// Reads a number of the cache line into which an insertion will write. The result must be
    /// ignored.
    #[inline]
    pub(super) fn touch_hole(&self, cell: u32) -> u32 {
        let (line, _) = in_lines(hole(self.used[cell as usize]));
        self.buckets[cell as usize][line].id[0]
    }

    /// Reads a number of the cache line of an object. The result must be ignored.
    #[inline]
    pub(super) fn touch_place(&self, place: Place) -> u32 {
        let (line, _) = in_lines(place.slot());
        self.buckets[place.bucket() as usize][line].id[0]
    }

    /// The number of objects in a cell.
    #[inline]
    pub(super) fn n_objects(&self, cell: u32) -> u32 {
        let used = self.used[cell as usize];
        let mut n = (used & FULL).count_ones();
        if used & GOES_ON != 0 {
            let mut idx = self.links[cell as usize].next;
            while idx != NONE {
                n += self.used[idx as usize].count_ones();
                idx = self.links[idx as usize].next;
            }
        }
        n
    }

    /// Calls `each` with the lines of every bucket of a cell, up to the last one that holds an
    /// object, and the mask of used slots: eight bits for each line.
    #[inline]
    pub(super) fn for_each_bucket(&self, cell: u32, mut each: impl FnMut(u32, &[RegionLine])) {
        let used = self.used[cell as usize];
        each(used & FULL, &self.buckets[cell as usize][..n_lines(used)]);
        if used & GOES_ON != 0 {
            let mut idx = self.links[cell as usize].next;
            while idx != NONE {
                let used = self.used[idx as usize];
                each(used, &self.buckets[idx as usize][..n_lines(used)]);
                idx = self.links[idx as usize].next;
            }
        }
    }

    /// Calls `each` for every object.
    pub(super) fn for_each(&self, mut each: impl FnMut(StoredObject)) {
        for (&used, bucket) in self.used.iter().zip(&self.buckets) {
            for_each_slot(used & FULL, |line, place| each(bucket[line].entry(place)));
        }
    }
}

/// Calls `each` with the line and index of every slot of a mask.
#[inline]
pub(super) fn for_each_slot(mut slots: u32, mut each: impl FnMut(usize, usize)) {
    while slots != 0 {
        let (line, place) = in_lines(slots.trailing_zeros());
        each(line, place);
        slots &= slots - 1;
    }
}

/// The first hole of a bucket; for a full bucket, a slot that does not exist, in a line that does.
#[inline]
fn hole(used: u32) -> u32 {
    (!used & FULL).trailing_zeros()
}

/// Line and index of a slot.
#[inline]
fn in_lines(slot: u32) -> (usize, usize) {
    // The remainder keeps the line in range for every slot, so that no bounds check is needed.
    ((slot / BITS_PER_LINE) as usize % N_LINES, (slot % BITS_PER_LINE) as usize)
}

/// The number of lines up to the last one that holds an object.
#[inline]
fn n_lines(used: u32) -> usize {
    ((u32::BITS - (used & FULL).leading_zeros()).div_ceil(BITS_PER_LINE)) as usize
}
