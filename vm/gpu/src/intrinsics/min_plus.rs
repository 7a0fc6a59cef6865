//! FLOYD over integers: numbers are stored in an additional matrix, and a round of 64 pivots is two
//! dispatches.

use star_shaders::Shader;
use star_shaders::intrinsics::min_plus::{
    BYTES, NONE, PIVOTS, SIDE, THREADS, WRITTEN, all, greatest, pivots, read, write,
};
use star_vm::Declined;

use super::work::Executor;
use super::{IntrinsicResult, NotTaken};
use crate::grid::{Given, Launch, MAX_GROUPS};
use crate::run::Call;

/// Fields that a workgroup reads.
const SHARE: u32 = 16;
/// Limbs that take as long as updating one number with all pivots of a round.
const LIMBS_OF_A_NUMBER: u64 = 8;

/// `FLOYD(n,h,inf,D)`
pub(super) fn min_plus(call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
    let (n, width) = (call.size(0)?, call.size(1)?);
    if n == 0 {
        return Ok(());
    }
    let (inf, table) = (call.object(2)?, call.object(3)?);
    let side = n.next_multiple_of(SIDE);
    let readers = [side.div_ceil(THREADS), side.div_ceil(SHARE)];
    let panels = 2 * (side / PIVOTS);
    if !(1..=u32::BITS).contains(&width)
        || n.max(panels) > MAX_GROUPS
        || call.grid()?.shared_bytes() < BYTES
    {
        return Err(NotTaken::Declined(Declined::Range));
    }
    let numbers = u64::from(side) * u64::from(side);
    let of_pivots = u64::from(PIVOTS) * u64::from(side);
    let n_notes = readers[0] * readers[1];
    let extra = call.extra(numbers + 2 * of_pivots + 2 * u64::from(n_notes) + 4)?;
    let down = extra.at + numbers as u32;
    let across = down + of_pivots as u32;
    let notes = across + of_pivots as u32;
    let found = notes + 2 * n_notes;
    let mut launch = |shader: Shader, groups: [u32; 2], given: &[u32]| {
        let mut all: Given = [0; 32];
        all[..given.len()].copy_from_slice(given);
        Ok::<Launch, NotTaken>(Launch { kernel: call.kernel(&shader)?, groups, given: all })
    };
    let bits = [table.at, table.stride, n, width, extra.at, side];
    let first = [&bits[..], &[notes, SHARE, readers[0]]].concat();
    let begin = [
        launch(read(), readers, &first)?,
        launch(greatest(), [1, 1], &[notes, n_notes, inf.at, found])?,
    ];
    let iteration = launch(pivots(), [panels, 1], &[])?;
    let [all_at, down_at, across_at] = [extra.at, down, across].map(|at| at / 4);
    let lengths = [all_at, side / 4, 0, 0, down_at, across_at];
    let lengths = launch(all(), [side / SIDE, side / SIDE], &lengths)?;
    let end = launch(write(), [n.div_ceil(WRITTEN), n], &bits)?;

    call.launch(&begin, numbers)?;
    let [greatest, has_open, inf] = call.words(found)?;
    // A sum that reaches half of inf, or of NONE, would trap, or become NONE.
    let arcs = if has_open == 0 { (n - 1).max(1) } else { n };
    let bound = NONE.min(1 << (width - 1));
    let is_bounded = u64::from(greatest) * u64::from(arcs) < u64::from(bound);
    if !is_bounded || inf != u32::MAX >> (u32::BITS - width) {
        return Err(NotTaken::Declined(Declined::Guard));
    }
    let rounds = (0..n.div_ceil(PIVOTS)).flat_map(|round| {
        let mut iteration = iteration;
        iteration.given[..6].copy_from_slice(&[all_at, side / 4, round, 0, down_at, across_at]);
        [iteration, lengths]
    });
    let rounds: Vec<Launch> = rounds.collect();
    call.launch(&rounds, LIMBS_OF_A_NUMBER / 2 * numbers)?;
    call.launch(&[end], numbers)
}
