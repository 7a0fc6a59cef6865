//! The index in memory of the device: tiles, heads of buckets, their slots, objects (Note
//! \[Objects and buckets\] in star-shaders). Cells are those of the CPU's index: the device counts
//! objects by tiles, and the host divides each into cells.

use star_intrinsics::moving::{Point, Rect, Tiling};
use star_shaders::intrinsics::moving::{
    self as shaders, COUNT, HEAD_WORDS, IndexWords, NOTES, OBJECT_WORDS, SLOTS, TILE_WORDS,
};
use star_vm::Declined;

use super::super::work::{Batch, Executor, Units};
use super::super::{IntrinsicResult, NotTaken};
use crate::run::Placed;

/// Words before the tiles: what is kept of the index between calls.
const HEADER: u32 = 32;
/// The places in it of the moves since cells were chosen, and of the counter of buckets.
const SINCE: u32 = 16;
const COUNTER: u32 = 17;
/// Objects of a thread that finds the bounding box.
const SHARE: u32 = 64;
/// Buckets for moves: this many and a share of the cells, usually; and at least.
const FREE_BUCKETS: u64 = 1 << 10;
const BUCKET_SHARE: u64 = 2;
const FEW_BUCKETS: u64 = 1;
/// The share of cells that may have got another bucket before cells are chosen again.
const CHAINED_SHARE: u32 = 4;
/// Columns of the part of a handle: lines have fewer than 2³¹ components.
const PART_COLUMNS: u64 = 64;
/// Limbs whose processing takes as long as an object.
const LIMBS_OF_AN_OBJECT: u64 = 16;

/// The tables of a handle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tables {
    pub(super) xs: Placed,
    pub(super) ys: Placed,
    pub(super) there: Placed,
}

/// An index.
#[derive(Clone, Copy, Debug)]
pub(super) struct Index {
    threads: u32,
    /// How many objects there may be.
    n: u32,
    base: u32,
    words: IndexWords,
    /// The objects when cells were chosen, and the moves since.
    chosen_for: u32,
    since: u32,
}

/// The chosen cells, and what follows from them.
#[derive(Debug)]
pub(super) struct Layout {
    n: u32,
    tiling: Tiling,
    /// The cells along a side of each tile, and its first cell.
    tiles: Vec<[u32; TILE_WORDS as usize]>,
    n_objects: u32,
    n_cells: u32,
    n_buckets: u32,
}

impl Layout {
    /// Chooses cells for objects in an area; without one, in their bounding box.
    pub(super) fn choose(
        on: &mut dyn Executor,
        objects: &Index,
        area: Option<Rect>,
    ) -> Result<Layout, NotTaken> {
        objects.clear_notes(on)?;
        objects.find_bounds(on)?;
        let notes = objects.notes(on)?;
        let n_objects = notes[COUNT as usize];
        let ordered = |word: u32| i64::from((word ^ 1 << 31) as i32);
        let point = |x: u32, y: u32| Point::new(ordered(x), ordered(y)).unwrap_or_default();
        let area = area.unwrap_or(match n_objects {
            0 => Rect::new(Point::default(), Point::default()),
            _ => Rect::new(point(!notes[2], !notes[3]), point(notes[0], notes[1])),
        });
        let tiling = Tiling::new(area, n_objects as usize);
        let n_tiles = tiling.n_tiles();
        let counts = on.extra(n_tiles as u64)?.at;
        let mut counted = vec![0; n_tiles];
        if n_objects > 0 {
            let index = Index { words: words(&tiling, objects.words[0], [0; 8]), ..*objects };
            index.run(on, index.n, &shaders::tiles, &[counts])?;
            on.read(counts, &mut counted)?;
        }
        let mut n_cells = 0;
        let tiles = counted.into_iter().map(|count| {
            let (side, first) = (tiling.cells_along(count), n_cells);
            n_cells += side * side;
            [side, first]
        });
        let tiles: Vec<[u32; 2]> = tiles.collect();
        let chained = u64::from(n_objects) / u64::from(SLOTS);
        let free = match on.grid()?.has_small_groups() {
            true => FEW_BUCKETS,
            false => u64::from(n_cells) / BUCKET_SHARE + FREE_BUCKETS,
        };
        let n_buckets = u64::from(n_cells) + chained + free;
        // Places have 32 bits.
        let n_buckets = u32::try_from(n_buckets).ok().filter(|n| n.checked_mul(SLOTS).is_some());
        let n_buckets = n_buckets.ok_or(NotTaken::Declined(Declined::Range))?;
        Ok(Layout { n: objects.n, tiling, tiles, n_objects, n_cells, n_buckets })
    }

    /// The area of the cells.
    pub(super) fn area(&self) -> Rect {
        self.tiling.area()
    }

    /// The words of the index.
    pub(super) fn words(&self) -> u64 {
        u64::from(HEADER)
            + u64::from(TILE_WORDS) * self.tiles.len() as u64
            + u64::from(HEAD_WORDS + SLOTS) * u64::from(self.n_buckets)
            + u64::from(OBJECT_WORDS) * u64::from(self.n)
    }

    /// Rows and columns of a part of a handle with the index.
    pub(super) fn part_sizes(&self) -> [u64; 2] {
        [self.words().div_ceil(PART_COLUMNS) * u64::from(u32::BITS), PART_COLUMNS]
    }

    /// What is kept of the index between calls.
    fn header(&self) -> [u32; HEADER as usize] {
        let mut header = [0; HEADER as usize];
        let scale = self.tiling.scale();
        let [lasts_x, lasts_y] = self.tiling.lasts();
        let low = self.tiling.area().low();
        let known = [
            self.n,
            self.tiles.len() as u32,
            self.n_cells,
            self.n_buckets,
            low.x() as u32,
            low.y() as u32,
            lasts_x,
            lasts_y,
            scale as u32,
            (scale >> u32::BITS) as u32,
            self.tiling.across(),
            self.tiling.side(),
            self.n_objects,
        ];
        header[..known.len()].copy_from_slice(&known);
        header[COUNTER as usize] = self.n_cells;
        header
    }
}

/// The parameters of kernels without buckets.
fn words(tiling: &Tiling, objects: u32, rest: [u32; 8]) -> IndexWords {
    let [heads, slots, tiles, n_cells, counter, n_buckets, notes, side] = rest;
    let (low, [last_x, last_y], scale) = (tiling.area().low(), tiling.lasts(), tiling.scale());
    let scale = [scale as u32, (scale >> u32::BITS) as u32];
    [
        objects,
        heads,
        slots,
        tiles,
        low.x() as u32,
        low.y() as u32,
        last_x,
        last_y,
        scale[0],
        scale[1],
        tiling.across(),
        n_cells,
        counter,
        n_buckets,
        notes,
        side,
    ]
}

impl Index {
    /// Objects without cells.
    pub(super) fn bare(threads: u32, n: u32, objects: u32, notes: u32) -> Index {
        let mut words = [0; 16];
        (words[0], words[14]) = (objects, notes);
        Index { threads, n, base: 0, words, chosen_for: 0, since: 0 }
    }

    /// Returns the index at an address.
    pub(super) fn held(
        on: &mut dyn Executor,
        threads: u32,
        base: u32,
        notes: u32,
    ) -> Result<Index, NotTaken> {
        let header = on.words::<{ HEADER as usize }>(base)?;
        let [n, n_tiles, n_cells, n_buckets, low_x, low_y, last_x, last_y, ..] = header;
        let [.., scale, scale_high, across, side, chosen_for] = header[..13] else {
            return Err(NotTaken::Declined(Declined::Guard));
        };
        let tiles = base + HEADER;
        let heads = tiles + TILE_WORDS * n_tiles;
        let slots = heads + HEAD_WORDS * n_buckets;
        let objects = slots + SLOTS * n_buckets;
        let words = [
            objects,
            heads,
            slots,
            tiles,
            low_x,
            low_y,
            last_x,
            last_y,
            scale,
            scale_high,
            across,
            n_cells,
            base + COUNTER,
            n_buckets,
            notes,
            side,
        ];
        Ok(Index { threads, n, base, words, chosen_for, since: header[SINCE as usize] })
    }

    /// Puts objects into the cells of a layout, at an address with zeros.
    pub(super) fn build(
        on: &mut dyn Executor,
        layout: &Layout,
        objects: &Index,
        base: u32,
    ) -> Result<Index, NotTaken> {
        let counts = on.extra(layout.n_cells.into())?.at;
        on.write(base, &layout.header())?;
        on.write(base + HEADER, layout.tiles.as_flattened())?;
        let index = Index::held(on, objects.threads, base, objects.words[14])?;
        on.copy(objects.words[0], index.words[0], OBJECT_WORDS * index.n)?;
        let mut batch = Batch::default();
        for (n, shader) in [
            (index.n, &shaders::count as &dyn Fn(u32) -> _),
            (layout.n_cells, &shaders::reserve),
            (index.n, &shaders::place),
        ] {
            let given = [&index.words[..], &[counts]].concat();
            batch.add(on, index.over(n), &shader(index.threads), &given)?;
        }
        batch.run(on)?;
        Ok(index)
    }

    /// Reads the objects of tables.
    pub(super) fn fill(&self, on: &mut dyn Executor, tables: Tables) -> IntrinsicResult {
        let Tables { xs, ys, there } = tables;
        if xs.stride != ys.stride {
            return Err(NotTaken::Declined(Declined::Guard));
        }
        let given = [xs.at, ys.at, xs.stride, xs.sizes.columns, there.at];
        self.run(on, self.n, &shaders::fill, &given)
    }

    /// Returns the number of objects.
    pub(super) fn count(&self, on: &mut dyn Executor) -> Result<u32, NotTaken> {
        self.clear_notes(on)?;
        self.find_bounds(on)?;
        Ok(self.notes(on)?[COUNT as usize])
    }

    fn find_bounds(&self, on: &mut dyn Executor) -> IntrinsicResult {
        // Each thread of a workgroup has a share.
        let n = self.n.div_ceil(SHARE * self.threads) * self.threads;
        self.run(on, n, &shaders::bounds, &[SHARE])
    }

    /// Returns a kernel with a thread for each of `n` units.
    pub(super) fn over(&self, n: u32) -> Units {
        let limbs = LIMBS_OF_AN_OBJECT;
        Units { head: [self.n, 0], threads: self.threads, n: n.into(), limbs }
    }

    fn run(
        &self,
        on: &mut dyn Executor,
        n: u32,
        shader: &dyn Fn(u32) -> star_shaders::Shader,
        given: &[u32],
    ) -> IntrinsicResult {
        let given = [&self.words[..], given].concat();
        self.over(n).run(on, &shader(self.threads), &given)
    }

    /// Returns its parameters of kernels.
    pub(super) fn words(&self) -> IndexWords {
        self.words
    }

    /// Returns the address of the first object.
    pub(super) fn objects(&self) -> u32 {
        self.words[0]
    }

    /// Returns the address of the first stamp, and the distance to the next one.
    pub(super) fn stamps(&self) -> [u32; 2] {
        [self.words[0] + 1, OBJECT_WORDS]
    }

    /// Returns whether its cells are still good after this number of moves: cells are chosen again
    /// if as many objects have moved as there were, and need many more buckets than cells.
    pub(super) fn takes(
        &self,
        n: u32,
        n_further: impl FnOnce() -> Result<u32, NotTaken>,
    ) -> Result<bool, NotTaken> {
        if n > self.chosen_for {
            return Ok(false);
        }
        if self.since.saturating_add(n) <= self.chosen_for {
            return Ok(true);
        }
        let chained = self.chosen_for / SLOTS + self.n_cells() / CHAINED_SHARE;
        Ok(n_further()? <= chained)
    }

    /// Returns the number of cells.
    pub(super) fn n_cells(&self) -> u32 {
        self.words[11]
    }

    /// Returns the number of buckets after the first ones of cells.
    pub(super) fn n_further_buckets(&self, on: &mut dyn Executor) -> Result<u32, NotTaken> {
        let [used] = on.words(self.counter())?;
        Ok(self.n_further(used))
    }

    /// The same, given the counter of buckets.
    pub(super) fn n_further(&self, used: u32) -> u32 {
        used.min(self.words[13]) - self.n_cells()
    }

    /// Returns the address of the counter of buckets.
    pub(super) fn counter(&self) -> u32 {
        self.base + COUNTER
    }

    /// Records moves.
    pub(super) fn took(&self, on: &mut dyn Executor, n: u32) -> IntrinsicResult {
        on.write(self.base + SINCE, &[self.after(n).since])
    }

    /// The same index after moves, which only this value records.
    pub(super) fn after(&self, n: u32) -> Index {
        Index { since: self.since.saturating_add(n), ..*self }
    }

    /// The same index with other notes.
    pub(super) fn with_notes(&self, notes: u32) -> Index {
        let mut words = self.words;
        words[14] = notes;
        Index { words, ..*self }
    }

    /// Writes zeros to the notes.
    pub(super) fn clear_notes(&self, on: &mut dyn Executor) -> IntrinsicResult {
        on.write(self.words[14], &[0; NOTES as usize])
    }

    /// Returns the results of kernels.
    pub(super) fn notes(&self, on: &mut dyn Executor) -> Result<[u32; NOTES as usize], NotTaken> {
        on.words(self.words[14])
    }
}
