//! The routines WEIGHED_WAVE and WEIGHED_WAVE8 of module `weighed`: windows over the tiles that are
//! due at the least bucket of costs (Note \[Tiles and buckets\] in star-shaders), in parts whose
//! costs have 32 bits (Note \[Parts\]).

use star_shaders::Shader;
use star_shaders::intrinsics::wave::Diagonals;
use star_shaders::intrinsics::weighed::{
    self as shaders, BITS, HEAVIEST, LEAST, MAX_WEIGHT, NOTES, PROCESSED, Tiles, WRONG,
};
use star_vm::Declined;

use super::wave::{
    DECLINED, Grid, LEAST_WINDOWS, MOST_WINDOWS, TOO_LARGE, WINDOW_GROUPS, label_bits,
};
use super::work::{Executor, Work};
use super::{IntrinsicResult, NotTaken};
use crate::grid::{Given, Launch};
use crate::run::{Call, Placed};
use crate::value::ObjectKind;

/// The greatest number of bits of a price.
const MAX_PRICE_BITS: u32 = 63;
/// The greatest cost of a step. A part is at least as long.
const MAX_STEP: u64 = 1 << 31;
/// The greatest binary logarithm of the costs in a bucket.
const MAX_SHIFT: u32 = 30;
/// Limbs whose processing takes as long as all rounds of a tile.
const LIMBS_OF_A_TILE: u64 = 1 << 18;

/// The costs of steps, and the arguments after the grid.
#[derive(Clone, Copy, Debug)]
struct Steps {
    straight: u32,
    diagonal: u32,
    goals: usize,
    weights: usize,
    prices: usize,
}

/// `WEIGHED_WAVE(w,moore,straight,diagonal,Right,Down,Goals,Weight,Price)`
pub(super) fn weighed_wave(call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
    let squares = if call.int(1)? == 0 { Diagonals::None } else { Diagonals::Squares };
    let grid = Grid::given(call, [4, 5], squares)?;
    let (straight, diagonal) = (call.size(2)?, call.size(3)?);
    spread(call, &grid, Steps { straight, diagonal, goals: 6, weights: 7, prices: 8 })
}

/// `WEIGHED_WAVE8(w,straight,diagonal,Right,Down,Fall,Rise,Goals,Weight,Price)`
pub(super) fn weighed_wave8(call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
    let grid = Grid::given(call, [3, 4, 5, 6], Diagonals::Any)?;
    let (straight, diagonal) = (call.size(1)?, call.size(2)?);
    spread(call, &grid, Steps { straight, diagonal, goals: 7, weights: 8, prices: 9 })
}

/// A wave whose memory is allocated.
#[derive(Clone, Copy, Debug)]
struct Wave {
    grid: Grid,
    tiles: Tiles,
    /// Tiles across, and all.
    across: u32,
    n_tiles: u32,
    costs: u32,
    cells: u32,
    /// Two lists of the buckets at which tiles are due.
    dues: u32,
    notes: u32,
}

/// The buckets of a wave.
#[derive(Clone, Copy, Debug)]
struct Buckets {
    /// The binary logarithm of the costs in each.
    shift: u32,
    /// The number of them in a part.
    n: u32,
}

/// Computes the prices of all cells.
fn spread(call: &mut Call<'_, '_, '_>, grid: &Grid, steps: Steps) -> IntrinsicResult {
    let Steps { straight, diagonal, goals, weights, prices } = steps;
    let n_cells = grid.n_cells();
    let Placed { at: planes, stride, sizes } = call.object(weights)?;
    let goals = call.object(goals)?.at;
    let columns = sizes.columns + label_bits(straight.max(diagonal)) + label_bits(n_cells);
    if columns > MAX_PRICE_BITS || straight.min(diagonal) == 0 {
        return Err(DECLINED);
    }
    let tiles = if call.grid()?.has_small_groups() { Tiles::SMALL } else { Tiles::USUAL };
    if tiles.shared_bytes() > call.grid()?.shared_bytes() {
        return Err(NotTaken::Declined(Declined::Body));
    }
    let table = call.reserve(prices, ObjectKind::Table, [n_cells.into(), columns.into()])?;
    let across = grid.width.div_ceil(tiles.side);
    let n_tiles = u64::from(across) * u64::from(grid.height.div_ceil(tiles.side));
    let costs = call.extra(n_cells.into())?.at;
    let cells = call.extra(n_cells.into())?.at;
    let dues = call.extra(2 * n_tiles)?.at;
    let notes = call.notes(NOTES)?;
    let n_tiles = u32::try_from(n_tiles).map_err(|_| TOO_LARGE)?;
    let wave = Wave { grid: *grid, tiles, across, n_tiles, costs, cells, dues, notes };

    let of_weights = [goals, planes, stride, sizes.columns];
    let of_cells = [costs, cells, notes, grid.diagonals as u32];
    let given = [grid.slices, of_weights, of_cells, [dues, across, 0, 0]].concat();
    wave.over_cells(call, &shaders::begin(tiles), sizes.columns + 24, given)?;
    let found = call.words::<{ NOTES as usize }>(notes)?;
    let heaviest = found[HEAVIEST as usize];
    if found[WRONG as usize] != 0 {
        return Err(DECLINED);
    }
    let greatest = match grid.diagonals {
        Diagonals::None => straight,
        Diagonals::Squares | Diagonals::Any => straight.max(diagonal),
    };
    let greatest = u64::from(greatest) * u64::from(heaviest);
    if heaviest > MAX_WEIGHT || greatest >= MAX_STEP {
        return Err(TOO_LARGE);
    }
    let mean_bits = found[BITS as usize] / found[BITS as usize + 1].max(1);
    // About the costs of all steps across a tile.
    let shift = (mean_bits + straight.ilog2() + tiles.side.ilog2()).min(MAX_SHIFT);
    let room = u32::MAX - shaders::FIRST - greatest as u32;
    let buckets = Buckets { shift, n: (room >> shift).min(tiles.buckets) };

    let given = [table.at(), table.sizes.stride(), columns];
    let mut base = u64::MAX;
    let mut window = 0;
    loop {
        let [due] = call.words(notes + LEAST + window % 3)?;
        if due == 0 {
            wave.price(call, given, base, None)?;
            return call.put(prices, table);
        }
        if !due < buckets.n {
            window = wave.windows(call, [straight, diagonal], buckets, window)?;
            continue;
        }
        let end = buckets.n << buckets.shift;
        wave.price(call, given, base, Some(end))?;
        let list = dues + window % 2 * n_tiles;
        let of_part = [costs, end, buckets.n, notes + LEAST + window % 3];
        let given = [&of_part[..], &[list, n_tiles]].concat();
        wave.over_cells(call, &shaders::rebase(tiles), 2, given)?;
        base = base.wrapping_add(u64::from(end - shaders::FIRST));
    }
}

impl Wave {
    /// Runs a kernel with a thread for each cell, which accesses this number of words.
    fn over_cells(
        &self,
        call: &mut Call<'_, '_, '_>,
        shader: &Shader,
        words: u32,
        given: Vec<u32>,
    ) -> IntrinsicResult {
        let n_groups = self.grid.n_cells().div_ceil(self.tiles.threads);
        let limbs = u64::from(self.tiles.threads) * u64::from(words) / 2;
        let head = [self.grid.width, self.grid.height];
        let launches = Work { head, n_groups, limbs, given }.launches(call, shader)?;
        call.launch(&launches, u64::from(self.grid.n_cells()) * u64::from(words) / 2)
    }

    /// Stores the prices of costs below `end`, or of all.
    fn price(
        &self,
        call: &mut Call<'_, '_, '_>,
        [table, stride, columns]: [u32; 3],
        base: u64,
        end: Option<u32>,
    ) -> IntrinsicResult {
        let of_base = [base as u32, (base >> u32::BITS) as u32];
        let of_end = [end.unwrap_or(shaders::UNREACHED), u32::from(end.is_none())];
        let given = [&[self.costs, table, stride, columns], &of_base[..], &of_end].concat();
        let n = u64::from(self.grid.n_cells().div_ceil(u32::BITS)) * u64::from(columns);
        let n = u32::try_from(n).map_err(|_| TOO_LARGE)?;
        let limbs = u64::from(self.tiles.threads) * u64::from(u32::BITS) / 2;
        let n_groups = n.div_ceil(self.tiles.threads);
        let head = [self.grid.width, self.grid.height];
        let work = Work { head, n_groups, limbs, given };
        let launches = work.launches(call, &shaders::prices(self.tiles))?;
        call.launch(&launches, u64::from(n) * u64::from(u32::BITS) / 2)
    }

    /// Runs some windows from the given one on; returns the number of the next one.
    fn windows(
        &self,
        call: &mut Call<'_, '_, '_>,
        steps: [u32; 2],
        buckets: Buckets,
        window: u32,
    ) -> Result<u32, NotTaken> {
        let Wave { grid, tiles, across, n_tiles, costs, cells, dues, notes } = *self;
        let most_tiles = call.grid()?.most_iterations() / tiles.iterations();
        let groups = n_tiles.min(WINDOW_GROUPS).max(n_tiles.div_ceil(most_tiles));
        let groups = groups.min(call.grid()?.max_groups());
        if n_tiles.div_ceil(groups) > most_tiles {
            return Err(TOO_LARGE);
        }
        let kernel = call.kernel(&shaders::window(tiles, grid.diagonals != Diagonals::None))?;
        let n = (window / 2).clamp(LEAST_WINDOWS, MOST_WINDOWS);
        let launches = (window..window + n).map(|window| {
            let lists = [window, window + 1].map(|window| dues + window % 2 * n_tiles);
            let mut given: Given = [0; 32];
            given[..4].copy_from_slice(&[grid.width, window, groups, grid.height]);
            given[4..8].copy_from_slice(&[costs, cells, notes, 0]);
            given[8..12].copy_from_slice(&[lists[0], lists[1], across, n_tiles]);
            given[12..16].copy_from_slice(&[steps[0], steps[1], buckets.shift, buckets.n]);
            Launch { kernel, groups: [groups, 1], given }
        });
        let launches: Vec<Launch> = launches.collect();
        // Of the windows before; the front grows between reads.
        let [processed] = call.words(notes + PROCESSED)?;
        let tiles_at_once = (2 * (processed / window.max(1)) + LEAST_WINDOWS).min(n_tiles);
        call.launch(&launches, LIMBS_OF_A_TILE * u64::from(tiles_at_once))?;
        Ok(window + n)
    }
}
