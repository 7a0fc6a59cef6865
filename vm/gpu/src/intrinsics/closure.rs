//! WARSHALL and its variants, in place: small tables in rounds of 128 pivots, one dispatch each,
//! large ones in rounds of 64, two each.

use star_shaders::intrinsics::closure::{
    BLOCK, BYTES, LANES, LISTED, MOST_BLOCKS, PAIRS, PIVOTS, THREADS, WHOLE_LINES, WHOLE_PIVOTS,
    reach, round, whole, whole_bytes,
};

use star_vm::Declined;

use super::work::Executor;
use super::{IntrinsicResult, NotTaken};
use crate::grid::{Given, Launch, MAX_GROUPS};
use crate::run::{Call, Placed};

/// A table is large from this multiple of the bits that are worth a kernel: 16,384 vertices. Below,
/// dispatches cost more than duplicate work.
const LARGE: u64 = 16;
/// Workgroups for small tables: about the number that a device with many multiprocessors runs at
/// once. One more would wait for the others.
const AT_ONCE: u32 = 128;
/// Minimum lines of a workgroup.
const LEAST_LINES: u32 = 64;
/// Workgroups that keep a device busy, for large tables.
const GROUPS: u64 = 256;
/// Minimum blocks of a workgroup, for large tables.
const LEAST_BLOCKS: u64 = 4;

/// `WARSHALL(n,P)`
pub(super) fn closure(call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
    let n = call.size(0)?;
    if n == 0 {
        return Ok(());
    }
    let table = call.object(1)?;
    let grid = call.grid()?;
    let (least, shared) = (grid.least_bits().single, grid.shared_bytes());
    if shared < BYTES {
        return Err(NotTaken::Declined(Declined::Body));
    }
    let bits = u64::from(table.sizes.rows) * u64::from(table.sizes.columns);
    let lanes = LANES.into_iter().find(|lanes| whole_bytes(*lanes) <= shared);
    match lanes.filter(|_| bits < LARGE * least) {
        Some(lanes) => small(call, n, table, lanes),
        None => large(call, n, table),
    }
}

/// Runs one dispatch for each round. Lines begin at even addresses, so kernels count pairs of
/// limbs.
fn small(call: &mut Call<'_, '_, '_>, n: u32, table: Placed, lanes: u32) -> IntrinsicResult {
    let (lines, pairs) = (table.sizes.columns, table.stride / 2);
    let tiles = pairs.div_ceil(2 * lanes);
    // The minimum number of workgroups for these lines, rounded up to as many as run at once in the
    // same number of waves.
    let least = u64::from(tiles) * u64::from(lines.div_ceil(WHOLE_LINES));
    let iterations = least.div_ceil(u64::from(AT_ONCE));
    let shares = iterations * u64::from(AT_ONCE) / u64::from(tiles);
    let share = u64::from(lines).div_ceil(shares).max(u64::from(LEAST_LINES)) as u32;
    let groups = [tiles, lines.div_ceil(share)];
    if groups.iter().any(|&n| n > MAX_GROUPS) {
        return Err(NotTaken::Declined(Declined::Range));
    }
    // Bits of the pivots in every line, two pairs each, and the lines of the pivots, for two
    // rounds.
    let of_pivots = WHOLE_PIVOTS * pairs;
    let extra = call.extra(4 * u64::from(2 * lines + of_pivots))?;
    let kernel = call.kernel(&whole(lanes))?;
    let bits = |round: u32| extra.at / 2 + round % 2 * 2 * lines;
    let pivots = |round: u32| extra.at / 2 + 4 * lines + round % 2 * of_pivots;
    let launch = |n: u32, round: u32, next: u32| {
        let mut given: Given = [0; 32];
        given[..4].copy_from_slice(&[table.at / 2, pairs, lines, 0]);
        given[4..8].copy_from_slice(&[n, round, next, share]);
        given[8..12].copy_from_slice(&[bits(next + 1), bits(next), pivots(next + 1), pivots(next)]);
        Launch { kernel, groups, given }
    };
    // A round without pivots only writes the input of the first one.
    let rounds = (0..n.div_ceil(WHOLE_PIVOTS)).map(|round| launch(n, round, round + 1));
    let rounds: Vec<Launch> = std::iter::once(launch(0, 0, 0)).chain(rounds).collect();
    call.launch(&rounds, 2 * u64::from(lines) * u64::from(table.stride))
}

/// Runs two dispatches for each round.
fn large(call: &mut Call<'_, '_, '_>, n: u32, table: Placed) -> IntrinsicResult {
    let (lines, pairs) = (table.sizes.columns, table.stride / 2);
    let (tiles, blocks) = (pairs.div_ceil(PAIRS), lines.div_ceil(BLOCK));
    let share = u64::from(blocks) * u64::from(tiles) / GROUPS;
    let share = share.clamp(LEAST_BLOCKS, u64::from(MOST_BLOCKS)) as u32;
    let groups = [tiles, blocks.div_ceil(share)];
    if [tiles, blocks].iter().any(|&n| n > MAX_GROUPS) {
        return Err(NotTaken::Declined(Declined::Range));
    }
    // The lines of the pivots, the lines that reach them, and the number of these.
    let of_pivots = (PIVOTS * pairs).next_multiple_of(8);
    let listed = LISTED * blocks;
    let extra = call.extra(2 * u64::from(of_pivots + listed + blocks))?.at / 2;
    let extra = [extra, extra + of_pivots, extra + of_pivots + listed];
    let given = |first: [u32; 8]| {
        let mut given: Given = [0; 32];
        given[..8].copy_from_slice(&first);
        given[8..11].copy_from_slice(&extra);
        given
    };
    let at = table.at / 2;
    let threads = THREADS[usize::from(call.grid()?.banks() > 1)];
    let listing = call.kernel(&round())?;
    let reaching = Launch {
        kernel: call.kernel(&reach(threads))?,
        groups,
        given: given([at, pairs, blocks, share, 0, 0, 0, 0]),
    };
    let rounds = (0..n.div_ceil(PIVOTS)).flat_map(|round| {
        let given = given([at, pairs, lines, 0, n, round, blocks, 0]);
        [Launch { kernel: listing, groups: [blocks, 1], given }, reaching]
    });
    let rounds: Vec<Launch> = rounds.collect();
    call.launch(&rounds, u64::from(lines) * u64::from(table.stride))
}
