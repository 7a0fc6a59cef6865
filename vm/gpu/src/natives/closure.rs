//! WARSHALL and its variants, in place: a round of 64 pivots is one dispatch.

use star_shaders::natives::{CLOSURE_BYTES, CLOSURE_LIMBS, CLOSURE_PIVOTS};

use super::{NativeResult, NotTaken};
use crate::grid::{Launch, MAX_GROUPS};
use crate::run::Call;

/// Lines that a workgroup has in multiples of: making the ORs has to pay.
const LINES: u64 = 128;
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
    let table = call.object(1)?;
    // Lines begin at even places, so that the kernel counts pairs of limbs.
    let (lines, pairs) = (table.sizes.columns, table.stride / 2);
    let tiles = pairs.div_ceil(CLOSURE_LIMBS / 2);
    let share = (u64::from(lines) * u64::from(tiles)).div_ceil(GROUPS);
    let share = share.next_multiple_of(LINES).min(MOST_LINES) as u32;
    let groups = [tiles, lines.div_ceil(share)];
    if groups.iter().any(|&n| n > MAX_GROUPS) || call.grid()?.shared_bytes() < CLOSURE_BYTES {
        return Err(NotTaken::Declined);
    }
    // Bits of the pivots in every line, a pair each, and the lines of the pivots, for two rounds.
    let of_pivots = u64::from(CLOSURE_PIVOTS) * u64::from(pairs);
    let beside = call.beside(4 * (u64::from(lines) + of_pivots))?;
    let kernel = call.kernel(&star_shaders::natives::closure())?;
    let bits = |round: u32| beside.at / 2 + round % 2 * lines;
    let pivots = |round: u32| beside.at / 2 + 2 * lines + round % 2 * of_pivots as u32;
    let launch = |n: u32, round: u32, next: u32| {
        let mut given = [0; 32];
        given[..4].copy_from_slice(&[table.at / 2, pairs, lines, 0]);
        given[4..8].copy_from_slice(&[n, round, next, share]);
        given[8..12].copy_from_slice(&[bits(next + 1), bits(next), pivots(next + 1), pivots(next)]);
        Launch { kernel, groups, given }
    };
    // A round without pivots only writes what the first one needs.
    let rounds = (0..n.div_ceil(CLOSURE_PIVOTS)).map(|round| launch(n, round, round + 1));
    let launches: Vec<Launch> = std::iter::once(launch(0, 0, 0)).chain(rounds).collect();
    call.launch(&launches, 2 * u64::from(lines) * u64::from(table.stride))
}
