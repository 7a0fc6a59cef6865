//! WARSHALL and its variants, in place: a round of 64 pivots is one dispatch.

use star_shaders::natives::{CLOSURE_BYTES, CLOSURE_LANES, CLOSURE_PIVOTS, CLOSURE_THREADS};

use super::{NativeResult, NotTaken};
use crate::grid::{Launch, MAX_GROUPS};
use crate::run::Call;

/// Workgroups that are enough to keep a device busy.
const GROUPS: u64 = 1024;
/// Most lines of a workgroup: llvmpipe ends long loops without a word.
const MOST_LINES: u64 = 4096;

/// `WARSHALL(n,P)`
pub(super) fn closure(call: &mut Call<'_, '_, '_>) -> NativeResult {
    let n = call.size(0)?;
    if n == 0 {
        return Ok(());
    }
    let table = call.table(1)?;
    let (lines, limbs) = (table.sizes.columns, table.sizes.rows.div_ceil(32));
    let tiles = limbs.div_ceil(CLOSURE_LANES);
    let threads = u64::from(CLOSURE_THREADS);
    let share = (u64::from(lines) * u64::from(tiles)).div_ceil(GROUPS).next_multiple_of(threads);
    let share = share.min(MOST_LINES) as u32;
    let groups = [tiles, lines.div_ceil(share)];
    if groups.iter().any(|&n| n > MAX_GROUPS) || call.grid()?.shared_bytes() < CLOSURE_BYTES {
        return Err(NotTaken::Declined);
    }
    let kernel = call.kernel(&star_shaders::natives::closure())?;
    // Bits of the pivots in every line, and the lines of the pivots, each for two rounds.
    let (bits, pivots) = (2 * u64::from(lines), u64::from(CLOSURE_PIVOTS) * u64::from(limbs));
    let beside = call.beside(2 * (bits + pivots))?;
    let bits = |round: u32| beside.at + round % 2 * bits as u32;
    let pivots = |round: u32| beside.at + 4 * lines + round % 2 * pivots as u32;
    let launch = |n: u32, round: u32, next: u32| {
        let mut given = [0; 32];
        given[..4].copy_from_slice(&[table.at, table.stride, lines, limbs]);
        given[4..8].copy_from_slice(&[n, round, next, share]);
        given[8..12].copy_from_slice(&[bits(next + 1), bits(next), pivots(next + 1), pivots(next)]);
        Launch { kernel, groups, given }
    };
    // A round without pivots only writes what the first one needs.
    let rounds = (0..n.div_ceil(CLOSURE_PIVOTS)).map(|round| launch(n, round, round + 1));
    let launches: Vec<Launch> = std::iter::once(launch(0, 0, 0)).chain(rounds).collect();
    call.launch(&launches, 2 * u64::from(lines) * u64::from(limbs))
}
