//! The routines WAVE, WAVE8, TRACE, TRACE8 and PLANES of module `wave`.
//!
//! A wave makes maps of the grid, runs windows of waves on the queue of tiles until it is empty
//! (Note \[Windows\] in star-shaders), and marks the cells without a path. A path is walked in
//! several dispatches (Note \[Paths\]).

use star_shaders::intrinsics::wave::{
    self as shaders, COLUMNS, DONE, Diagonals, NOTES, Tiles, WRONG,
};
use star_vm::Declined;

use super::work::{Executor, Work};
use super::{IntrinsicResult, NotTaken};
use crate::grid::{Given, Launch};
use crate::run::{Call, Placed};
use crate::value::ObjectKind;

/// The body runs: it accepts these arguments, or reports them.
pub(super) const DECLINED: NotTaken = NotTaken::Declined(Declined::Guard);
pub(super) const TOO_LARGE: NotTaken = NotTaken::Declined(Declined::Range);

/// The maximum number of cells: addresses of bits have 32 bits.
const MAX_CELLS: u32 = 1 << 31;
/// The greatest width and height of a grid with a path: coordinates have 16 bits.
const MAX_SIDE: u32 = u16::MAX as u32;
/// Bits of a cell of a path.
const PLACE_BITS: u64 = 32;

/// Workgroups of a window: they keep a device busy, and cost little if there are fewer tiles.
pub(super) const WINDOW_GROUPS: u32 = 512;
/// Windows before the first read of the length of the queue; a read costs as much as a few windows
/// without tiles.
pub(super) const LEAST_WINDOWS: u32 = 16;
/// Windows between later reads.
pub(super) const MOST_WINDOWS: u32 = 64;
/// Limbs whose processing takes as long as a tile in a window.
const LIMBS_OF_A_TILE: u64 = 1 << 16;
/// Loop iterations of a thread in a window for each tile, in addition to those of waves.
const ITERATIONS_OF_A_TILE: u32 = 48;
/// Steps of a path in one dispatch, and limbs whose processing takes as long: some milliseconds,
/// because a single thread walks.
const STEPS: u32 = 1 << 13;
const LIMBS_OF_STEPS: u64 = 1 << 30;

/// A grid of cells, and its transitions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    tiles: Tiles,
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) diagonals: Diagonals,
    /// The slices Right, Down, Fall and Rise; 0 where there is none.
    pub(super) slices: [u32; 4],
}

/// `WAVE(w,moore,stop,Right,Down,Goals,Label)`
pub(super) fn wave(call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
    let squares = if call.int(1)? == 0 { Diagonals::None } else { Diagonals::Squares };
    let grid = Grid::given(call, [3, 4], squares)?;
    let stop = call.size(2)?;
    spread(call, &grid, stop, [5, 6])
}

/// `WAVE8(w,stop,Right,Down,Fall,Rise,Goals,Label)`
pub(super) fn wave8(call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
    let grid = Grid::given(call, [2, 3, 4, 5], Diagonals::Any)?;
    let stop = call.size(1)?;
    spread(call, &grid, stop, [6, 7])
}

/// `TRACE(w,moore,Right,Down,cell,Label,Path,On)`
pub(super) fn trace(call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
    let squares = if call.int(1)? == 0 { Diagonals::None } else { Diagonals::Squares };
    let grid = Grid::given(call, [2, 3], squares)?;
    follow(call, &grid, 4)
}

/// `TRACE8(w,Right,Down,Fall,Rise,cell,Label,Path,On)`
pub(super) fn trace8(call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
    let grid = Grid::given(call, [1, 2, 3, 4], Diagonals::Any)?;
    follow(call, &grid, 5)
}

/// `PLANES(w,C,Picture)`
pub(super) fn planes(call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
    let width = call.size(0)?;
    let cells = call.object(1)?;
    if width == 0 {
        return Err(DECLINED);
    }
    let height = cells.sizes.rows / width;
    let n_bits = u64::from(width) * u64::from(cells.sizes.columns);
    let picture = call.reserve(2, ObjectKind::Table, [height.into(), n_bits])?;
    let n_words = n_bits * u64::from(height.div_ceil(u32::BITS));
    let n_words = u32::try_from(n_words).map_err(|_| TOO_LARGE)?;
    let tiles = tiles(call)?;
    let [columns, stride] = [picture.sizes.columns, picture.sizes.stride()];
    let given = vec![cells.at, cells.stride, columns, 0, picture.at(), stride];
    let limbs = u64::from(tiles.threads) * u64::from(u32::BITS) / 2;
    let n_groups = n_words.div_ceil(tiles.threads);
    let work = Work { head: [width, height], n_groups, limbs, given };
    let launches = work.launches(call, &shaders::planes(tiles))?;
    call.launch(&launches, u64::from(n_words) * u64::from(u32::BITS) / 2)?;
    call.put(2, picture)
}

/// Returns the sizes of tiles and workgroups; the body runs if the device has too little shared
/// memory.
fn tiles(call: &mut Call<'_, '_, '_>) -> Result<Tiles, NotTaken> {
    let device = call.grid()?;
    let tiles = if device.has_small_groups() { Tiles::SMALL } else { Tiles::USUAL };
    match tiles.shared_bytes() <= device.shared_bytes() {
        true => Ok(tiles),
        false => Err(NotTaken::Declined(Declined::Body)),
    }
}

impl Grid {
    /// Returns the grid of parameter 0, the width, and of slices.
    pub(super) fn given<const N: usize>(
        call: &mut Call<'_, '_, '_>,
        params: [usize; N],
        diagonals: Diagonals,
    ) -> Result<Grid, NotTaken> {
        let width = call.size(0)?;
        let n_cells = call.object(params[0])?.sizes.rows;
        if width == 0 || !n_cells.is_multiple_of(width) {
            return Err(DECLINED);
        }
        if n_cells > MAX_CELLS {
            return Err(TOO_LARGE);
        }
        let mut slices = [0; 4];
        for (slice, param) in slices.iter_mut().zip(params) {
            *slice = call.object(param)?.at;
        }
        let tiles = tiles(call)?;
        Ok(Grid { tiles, width, height: n_cells / width, diagonals, slices })
    }

    pub(super) fn n_cells(&self) -> u32 {
        self.width * self.height
    }

    /// Returns the tiles in both dimensions.
    fn n_tiles(&self) -> [u32; 2] {
        [self.width.div_ceil(COLUMNS), self.height.div_ceil(self.tiles.rows)]
    }

    /// Returns a kernel with a thread for each of these units, which access two limbs each.
    fn work(&self, n: u32, threads: u32, given: Vec<u32>) -> Work {
        let head = [self.width, self.height];
        Work { head, n_groups: n.div_ceil(threads), limbs: 2 * u64::from(threads), given }
    }
}

/// Bits of a label: the least number h with `n_cells < 2^h`, at least 1.
pub(super) fn label_bits(n_cells: u32) -> u32 {
    n_cells.checked_ilog2().map_or(1, |log| log + 1)
}

/// Computes the labels of all cells. `stop` is the number of a cell, from 1, or 0.
fn spread(
    call: &mut Call<'_, '_, '_>,
    grid: &Grid,
    stop: u32,
    [goals, label]: [usize; 2],
) -> IntrinsicResult {
    let Grid { tiles, width, height, diagonals, slices } = *grid;
    let goals = call.object(goals)?.at;
    let columns = label_bits(grid.n_cells());
    let labels = call.reserve(label, ObjectKind::Table, [grid.n_cells().into(), columns.into()])?;
    let stride = labels.sizes.stride();

    let [across, down] = grid.n_tiles();
    let gap = down * tiles.rows + 2 * tiles.waves;
    let words = u64::from(gap) * u64::from(2 * across + 2);
    let n_tiles = u64::from(across) * u64::from(down);
    let n_maps = 2 + diagonals as u64;
    let total = (n_maps + 2) * words + 4 * n_tiles;
    if u32::try_from(total).is_err() {
        return Err(TOO_LARGE);
    }
    let maps = call.extra(n_maps * words)?.at;
    let seen = call.extra(2 * words)?.at;
    let queues = call.extra(4 * n_tiles)?.at;
    let notes = call.notes(NOTES)?;
    let (words, n_tiles) = (words as u32, n_tiles as u32);
    let marks = queues + 3 * n_tiles;
    let queue = |window: u32| queues + window % 3 * n_tiles;

    let groups = n_tiles.min(WINDOW_GROUPS).min(call.grid()?.max_groups());
    let iterations = (tiles.waves + ITERATIONS_OF_A_TILE).saturating_mul(n_tiles.div_ceil(groups));
    if iterations > call.grid()?.most_iterations() {
        return Err(TOO_LARGE);
    }
    let of_grid = [gap, words, across, down];
    let of_queue = [marks, queue(0), diagonals as u32, 0];
    let given = [of_grid, slices, [goals, maps, seen, notes], of_queue].concat();
    let work = grid.work(words, tiles.threads, given);
    let begin = work.launches(call, &shaders::maps(tiles))?;
    let kernel = call.kernel(&shaders::window(tiles, diagonals != Diagonals::None))?;
    call.launch(&begin, u64::from(words) * n_maps)?;
    let found = call.words::<{ NOTES as usize }>(notes)?;
    if found[WRONG as usize] != 0 {
        return Err(DECLINED);
    }
    let mut queued = found[0];

    let [falls, rises] = match diagonals {
        Diagonals::None => [0; 2],
        // Squares are diagonals of both kinds.
        Diagonals::Squares => [maps + 2 * words; 2],
        Diagonals::Any => [maps + 2 * words, maps + 3 * words],
    };
    let of_maps = [maps, maps + words, falls, rises];
    let stop = stop.checked_sub(1);
    // The word of the last cell in the first map of visited cells, and its bit.
    let stop_bit = stop.map(|cell| {
        let (x, y) = (cell % width, cell / width);
        (seen + (x / u32::BITS + 1) * gap + y + tiles.waves, 1 << (x % u32::BITS))
    });
    let mut window = 0;
    let mut is_stopped = false;
    while queued > 0 && !is_stopped {
        let n = (window / 2).clamp(LEAST_WINDOWS, MOST_WINDOWS);
        let launches = (window..window + n).map(|window| {
            let mut given: Given = [0; 32];
            let alternating = [seen + window % 2 * words, seen + (window + 1) % 2 * words];
            given[..4].copy_from_slice(&[width, window, groups, height]);
            given[4..8].copy_from_slice(&of_grid);
            given[8..12].copy_from_slice(&of_maps);
            given[12..16].copy_from_slice(&[alternating[0], alternating[1], notes, marks]);
            let tables = [queue(window), queue(window + 1), labels.at(), stride, columns];
            given[16..21].copy_from_slice(&tables);
            Launch { kernel, groups: [groups, 1], given }
        });
        let launches: Vec<Launch> = launches.collect();
        // The front grows between reads.
        let tiles_at_once = queued.saturating_add(LEAST_WINDOWS * n).min(n_tiles);
        call.launch(&launches, LIMBS_OF_A_TILE * u64::from(tiles_at_once))?;
        window += n;
        let lengths = call.words::<3>(notes)?;
        queued = lengths[window as usize % 3];
        if let Some((at, bit)) = stop_bit {
            let [first] = call.words(at + window % 2 * words)?;
            is_stopped = first & bit != 0;
        }
    }

    // Labels are less than this number of waves.
    let bits = label_bits((window * tiles.waves).saturating_sub(1)).min(columns);
    let of_labels = [labels.at(), stride, columns];
    let mut limit = None;
    if let Some(cell) = stop.filter(|_| is_stopped) {
        let given = [&of_labels[..], &[notes, cell]].concat();
        let launches = grid.work(1, 1, given).launches(call, &shaders::label(tiles))?;
        call.launch(&launches, 1)?;
        limit = Some(call.words::<1>(notes)?[0]);
    }
    let limits = [u32::from(limit.is_some()), limit.unwrap_or(0)];
    let given = [&of_labels[..], &[bits, goals], &limits].concat();
    let n_words = grid.n_cells().div_ceil(u32::BITS);
    let work = grid.work(n_words, tiles.threads, given);
    let end = work.launches(call, &shaders::finish(tiles))?;
    call.launch(&end, u64::from(n_words) * u64::from(columns))?;
    call.put(label, labels)
}

/// Follows the labels from a cell. The parameters after it are the labels, and the path with its
/// marks.
fn follow(call: &mut Call<'_, '_, '_>, grid: &Grid, cell: usize) -> IntrinsicResult {
    let Grid { tiles, width, height, diagonals, slices } = *grid;
    let start = call.size(cell)?.checked_sub(1).ok_or(DECLINED)?;
    let Placed { at, stride, sizes } = call.object(cell + 1)?;
    let (path, on) = (cell + 2, cell + 3);
    if width > MAX_SIDE || height > MAX_SIDE {
        return Err(TOO_LARGE);
    }
    if !(1..=u32::BITS).contains(&sizes.columns) {
        return Err(DECLINED);
    }
    let notes = call.notes(NOTES)?;
    let of_labels = [at, stride, sizes.columns, notes];
    let given = [&of_labels[..], &[start]].concat();
    let mut begin = grid.work(1, 1, given).launches(call, &shaders::label(tiles))?;
    let given = [of_labels, slices, [0, 0, diagonals as u32, 0]].concat();
    let ends = height.max(width / u32::BITS + 1);
    let work = grid.work(ends, tiles.threads, given);
    begin.extend(work.launches(call, &shaders::border(tiles))?);
    call.launch(&begin, u64::from(ends))?;
    let found = call.words::<{ NOTES as usize }>(notes)?;
    let [label, is_unreached, ..] = found;
    if found[WRONG as usize] != 0 || (is_unreached == 0 && label >= grid.n_cells()) {
        return Err(DECLINED);
    }

    let n_rows = if is_unreached == 0 { label + 1 } else { 0 };
    let marks = call.reserve(on, ObjectKind::Slice, [grid.n_cells().into(), 1])?;
    let table = call.reserve(path, ObjectKind::Table, [n_rows.into(), PLACE_BITS])?;
    if n_rows > 0 {
        let list = call.extra(n_rows.into())?.at;
        let n_steps = if tiles == Tiles::SMALL { tiles.region_rows } else { STEPS };
        let given = [of_labels, slices, [list, n_steps, 0, 0]].concat();
        let walk = grid.work(1, 1, given).launches(call, &shaders::walk(tiles, diagonals))?;
        let of_table = [table.at(), table.sizes.stride()];
        let given = [&of_labels[..], &[list, n_rows, start, marks.at()], &of_table].concat();
        let work = grid.work(n_rows, tiles.path, given);
        let end = work.launches(call, &shaders::path(tiles))?;
        let n_walks = label.div_ceil(n_steps) as usize;
        let walks: Vec<Launch> = walk.into_iter().cycle().take(n_walks).collect();
        call.launch(&walks, LIMBS_OF_STEPS)?;
        if call.words::<1>(notes + DONE)? != [label] {
            return Err(DECLINED);
        }
        call.launch(&end, u64::from(n_rows) * PLACE_BITS)?;
        if call.words::<1>(notes + WRONG)? != [0] {
            return Err(DECLINED);
        }
    }
    call.put(path, table)?;
    call.put(on, marks)
}
