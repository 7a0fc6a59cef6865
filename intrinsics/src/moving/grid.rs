//! The cells: the cell of a point, and the cells that a rectangle touches.
//!
//! The area is divided into square *tiles*, and each tile into k × k *cells*, where k follows from
//! the number of objects in the tile when the grid was chosen: cells hold about as many objects in
//! a hub as outside. Cells of consecutive tiles form a *region*, the unit that has one owner while
//! a batch is processed.
//!
//! Points outside the area belong to the nearest cell of its border, which extends without limit.
//! The mapping from a coordinate to a column of cells is monotonic, so a column strictly between
//! those of two coordinates holds only points strictly between the two. This alone decides which
//! cells a rectangle covers fully: no border of a cell is ever computed.

use crate::environment::Ended;
use crate::moving::geometry::{Point, Rect};
use crate::reserved;

/// The intended average number of objects in a cell: about two thirds of a bucket, so that few
/// cells need a second one.
const OBJECTS_PER_CELL: usize = 12;
/// The intended average number of objects in a tile.
const OBJECTS_PER_TILE: usize = 48 * OBJECTS_PER_CELL;
/// The maximum number of tiles along the longer side.
const MOST_TILES: usize = 128;
/// The maximum number of cells along the side of a tile.
const MOST_CELLS: usize = 255;
/// The maximum number of regions, not counting those of a single tile.
pub(super) const MOST_REGIONS: usize = 1024;
/// The minimum number of cells in a region.
const FEWEST_CELLS: usize = 64;
/// Fractional bits of a coordinate in tiles.
const FRACTION_BITS: u32 = 16;
/// Additional fractional bits of the scale.
const SCALE_BITS: u32 = 40;

/// A cell: its region, and its number in the region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CellId {
    pub(super) region: u32,
    pub(super) cell: u32,
}

#[derive(Clone, Copy, Debug)]
struct Tile {
    region: u16,
    /// Cells along a side.
    side: u16,
    /// The number of its first cell in the region.
    base: u32,
}

/// A coordinate along one axis, in tiles.
#[derive(Clone, Copy, Debug)]
struct Along {
    tile: u32,
    /// The position in the tile, in 2⁻¹⁶ of its side.
    fraction: u32,
}

impl Along {
    /// The cell of a tile with `side` cells along a side.
    #[inline]
    fn cell(self, side: u16) -> u32 {
        (self.fraction * u32::from(side)) >> FRACTION_BITS
    }
}

/// One axis of the area.
#[derive(Clone, Copy, Debug)]
struct Axis {
    low: i32,
    /// The greatest distance from `low`.
    last: u32,
    /// Tiles per unit, with [`FRACTION_BITS`] and [`SCALE_BITS`] fractional bits.
    scale: u64,
    n_tiles: u32,
}

impl Axis {
    fn new(low: i32, high: i32, tile: u32) -> Axis {
        let last = high.abs_diff(low);
        let scale = (1 << (FRACTION_BITS + SCALE_BITS)) / u64::from(tile);
        Axis { low, last, scale, n_tiles: last / tile + 1 }
    }

    #[inline]
    fn locate(self, c: i32) -> Along {
        let from_low = (i64::from(c) - i64::from(self.low)).clamp(0, i64::from(self.last)) as u64;
        let place = (from_low * self.scale) >> SCALE_BITS;
        Along {
            tile: (place >> FRACTION_BITS) as u32,
            fraction: (place & ((1 << FRACTION_BITS) - 1)) as u32,
        }
    }
}

/// The tiles of an area.
#[derive(Clone, Copy, Debug)]
pub struct Tiling {
    area: Rect,
    /// The side of a tile.
    side: u32,
    x: Axis,
    y: Axis,
}

impl Tiling {
    /// Tiles for this number of objects in an area.
    pub fn new(area: Rect, n_objects: usize) -> Tiling {
        let (low, high) = (area.low(), area.high());
        let longer = high.x().abs_diff(low.x()).max(high.y().abs_diff(low.y()));
        let wanted = (n_objects / OBJECTS_PER_TILE).isqrt().clamp(1, MOST_TILES) as u32;
        let side = longer / wanted + 1;
        let (x, y) = (Axis::new(low.x(), high.x(), side), Axis::new(low.y(), high.y(), side));
        Tiling { area, side, x, y }
    }

    /// The area.
    pub fn area(&self) -> Rect {
        self.area
    }

    /// The number of tiles, row by row.
    pub fn n_tiles(&self) -> usize {
        self.x.n_tiles as usize * self.y.n_tiles as usize
    }

    /// The number of tiles in a row.
    pub fn across(&self) -> u32 {
        self.x.n_tiles
    }

    /// The side of a tile.
    pub fn side(&self) -> u32 {
        self.side
    }

    /// The greatest distances of a point of the area from its low corner.
    pub fn lasts(&self) -> [u32; 2] {
        [self.x.last, self.y.last]
    }

    /// Tiles for each unit of length, in units of 2⁻⁵⁶. A coordinate in tiles is its distance from
    /// the area's least one, at most the greatest, times this, rounded down to 16 fractional bits.
    pub fn scale(&self) -> u64 {
        self.x.scale
    }

    /// The number of cells along the side of a tile with this number of objects: a column of cells
    /// is the fraction of a coordinate times this, rounded down.
    pub fn cells_along(&self, n_objects: u32) -> u32 {
        let wanted = (n_objects as usize).div_ceil(OBJECTS_PER_CELL);
        // The nearest square.
        let side = wanted.isqrt();
        let side = side + usize::from(wanted - side * side > side);
        side.clamp(1, MOST_CELLS.min(self.side as usize)) as u32
    }
}

/// The cells of an area.
#[derive(Debug)]
pub(super) struct Grid {
    area: Rect,
    x: Axis,
    y: Axis,
    tiles: Vec<Tile>,
    /// The number of cells of each region.
    region_cells: Vec<u32>,
}

impl Grid {
    /// Chooses cells so that each holds about the same number of these points; without an area,
    /// that of the points is used.
    pub(super) fn choose(points: &[Point], area: Option<Rect>) -> Result<Grid, Ended> {
        let area = area.or_else(|| Rect::bounding(points.iter().copied()));
        let area = area.unwrap_or(Rect::new(Point::default(), Point::default()));
        let tiling = Tiling::new(area, points.len());
        let n_tiles = tiling.n_tiles();
        let Tiling { x, y, .. } = tiling;

        let mut counts: Vec<u32> = reserved(n_tiles)?;
        counts.resize(n_tiles, 0);
        for point in points {
            counts[(y.locate(point.y()).tile * x.n_tiles + x.locate(point.x()).tile) as usize] += 1;
        }
        let side = |count: u32| tiling.cells_along(count) as usize;
        let n_cells: usize = counts.iter().map(|&count| side(count).pow(2)).sum();
        let per_region = n_cells.div_ceil(MOST_REGIONS).max(FEWEST_CELLS);

        let mut tiles = reserved(n_tiles)?;
        // At most one region for each tile.
        let mut region_cells: Vec<u32> = reserved(n_tiles)?;
        region_cells.push(0);
        for count in counts {
            let side = side(count);
            let mut base = region_cells.last().copied().unwrap_or(0);
            if base as usize >= per_region {
                region_cells.push(0);
                base = 0;
            }
            let region = region_cells.len() - 1;
            region_cells[region] = base + (side * side) as u32;
            tiles.push(Tile { region: region as u16, side: side as u16, base });
        }
        Ok(Grid { area, x, y, tiles, region_cells })
    }

    /// The area that is divided into cells.
    pub(super) fn area(&self) -> Rect {
        self.area
    }

    /// The number of cells of each region.
    pub(super) fn region_cells(&self) -> &[u32] {
        &self.region_cells
    }

    /// The number of cells.
    pub(super) fn n_cells(&self) -> u64 {
        self.region_cells.iter().map(|&n| u64::from(n)).sum()
    }

    /// The memory in use, in bytes.
    pub(super) fn n_bytes(&self) -> u64 {
        (size_of_val(&*self.tiles) + size_of_val(&*self.region_cells)) as u64
    }

    /// The cell that a point belongs to.
    #[inline]
    pub(super) fn cell_of(&self, point: Point) -> CellId {
        let (x, y) = (self.x.locate(point.x()), self.y.locate(point.y()));
        let tile = self.tiles[(y.tile * self.x.n_tiles + x.tile) as usize];
        let cell = tile.base + y.cell(tile.side) * u32::from(tile.side) + x.cell(tile.side);
        CellId { region: u32::from(tile.region), cell }
    }

    /// The approximate side length of the cell that a point belongs to.
    pub(super) fn cell_side(&self, point: Point) -> u32 {
        let (x, y) = (self.x.locate(point.x()), self.y.locate(point.y()));
        let tile = self.tiles[(y.tile * self.x.n_tiles + x.tile) as usize];
        let tile_side = (1u64 << (FRACTION_BITS + SCALE_BITS)) / self.x.scale;
        (tile_side / u64::from(tile.side)).max(1) as u32
    }

    /// The number of cells that a rectangle touches.
    pub(super) fn n_touched(&self, rect: Rect) -> u64 {
        let mut n = 0;
        self.touched_tiles(rect, |_, x, y| n += u64::from(x.len()) * u64::from(y.len()));
        n
    }

    /// Calls `each` for every cell that a rectangle touches, with whether it covers the cell fully.
    #[inline]
    pub(super) fn touch(&self, rect: Rect, mut each: impl FnMut(CellId, bool)) {
        self.touched_tiles(rect, |tile, x, y| {
            for row in y.from..=y.to {
                let inside = row != y.edge_from && row != y.edge_to;
                let first = tile.base + row * u32::from(tile.side);
                for column in x.from..=x.to {
                    let inside = inside && column != x.edge_from && column != x.edge_to;
                    each(CellId { region: u32::from(tile.region), cell: first + column }, inside);
                }
            }
        });
    }

    #[inline]
    fn touched_tiles(&self, rect: Rect, mut each: impl FnMut(Tile, Span, Span)) {
        let (low, high) = (rect.low(), rect.high());
        let (x1, x2) = (self.x.locate(low.x()), self.x.locate(high.x()));
        let (y1, y2) = (self.y.locate(low.y()), self.y.locate(high.y()));
        for ty in y1.tile..=y2.tile {
            for tx in x1.tile..=x2.tile {
                let tile = self.tiles[(ty * self.x.n_tiles + tx) as usize];
                each(tile, Span::new(tx, x1, x2, tile.side), Span::new(ty, y1, y2, tile.side));
            }
        }
    }
}

/// The columns or rows of one tile that a rectangle touches.
#[derive(Clone, Copy, Debug)]
struct Span {
    from: u32,
    to: u32,
    /// The columns or rows in which the rectangle begins and ends, if it does so in this tile.
    edge_from: u32,
    edge_to: u32,
}

impl Span {
    #[inline]
    fn new(tile: u32, first: Along, last: Along, side: u16) -> Span {
        let mut span =
            Span { from: 0, to: u32::from(side) - 1, edge_from: u32::MAX, edge_to: u32::MAX };
        if tile == first.tile {
            span.from = first.cell(side);
            span.edge_from = span.from;
        }
        if tile == last.tile {
            span.to = last.cell(side);
            span.edge_to = span.to;
        }
        span
    }

    fn len(self) -> u32 {
        self.to - self.from + 1
    }
}
