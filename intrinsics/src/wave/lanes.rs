//! Steps of a board in vectors: all rows of a tile are in sixteen registers during a window.
//!
//! A step has no branches that depend on the wave, except for arrivals over the left or right
//! border. The position of the front is unpredictable, so processing only the groups of rows that
//! it touches takes longer than moving all of them.
//!
//! Intrinsics are used because loops over rows become loads that wait for the stores of the
//! previous step. They work on values alone, so they are safe where the features are available.

use std::arch::x86_64::{
    __m512i, _mm_cvtsi128_si64, _mm_extract_epi64, _mm512_alignr_epi64, _mm512_and_si512,
    _mm512_andnot_si512, _mm512_castsi512_si128, _mm512_extracti64x2_epi64,
    _mm512_maskz_set1_epi64, _mm512_movepi64_mask, _mm512_or_si512, _mm512_set1_epi64,
    _mm512_setzero_si512, _mm512_slli_epi64, _mm512_srli_epi64, _mm512_test_epi64_mask,
    _mm512_xor_si512,
};

use bytemuck::cast;

use super::board::{Board, Border, GROUP, SIDE, part, part_mut};

/// Groups of rows, one register each.
const N_GROUPS: usize = SIDE / GROUP;

/// The cells moved by one bit to both sides through open transitions.
#[inline]
#[target_feature(enable = "avx512f")]
fn aside(cells: __m512i, open: __m512i) -> __m512i {
    let up = _mm512_slli_epi64(_mm512_and_si512(cells, open), 1);
    _mm512_or_si512(up, _mm512_and_si512(_mm512_srli_epi64(cells, 1), open))
}

/// Loads eight rows.
#[inline]
#[target_feature(enable = "avx512f")]
fn rows(all: &[u64], first: usize) -> __m512i {
    cast(*part::<GROUP>(all, first))
}

/// Stores eight rows.
#[inline]
#[target_feature(enable = "avx512f")]
fn put(all: &mut [u64], first: usize, rows: __m512i) {
    *part_mut::<GROUP>(all, first) = cast(rows);
}

/// Advances a board whose arrivals come only over its border, from a time of the window on. Returns
/// for each side the times at which it was reached.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn run<const DIAGONALS: bool>(board: &mut Board, from: u32, until: u32) -> [u64; 4] {
    let zero = _mm512_setzero_si512();
    let one = _mm512_set1_epi64(1);
    let (mut front, mut fresh) = ([zero; N_GROUPS], [zero; N_GROUPS]);
    let mut step = from.wrapping_sub(board.base) as u8;
    let mut code = (step - 1) ^ (step - 1) >> 1;
    for group in 0..N_GROUPS {
        let first = group * GROUP;
        front[group] = rows(&board.front, GROUP + first);
        fresh[group] = rows(&board.fresh, first);
        let mut changing = board.codes[group] ^ code;
        while changing != 0 {
            let plane = &mut board.planes[changing.trailing_zeros() as usize % 8];
            changing &= changing - 1;
            let changed = _mm512_xor_si512(rows(plane, first), fresh[group]);
            put(plane, first, changed);
        }
    }
    let mut moved = [0u64; 4];
    let mut idx = (from - board.begin) as usize;
    let last = (until - board.begin) as usize;
    let mut seen = board.seen[idx];
    let mut reached_ever = zero;
    let mut any = groups_of(&front);
    while idx <= last {
        if any == 0 && board.expected >> idx == 0 {
            break;
        }
        let coming = board.inbox[idx];
        let plane = &mut board.planes[step.trailing_zeros() as usize % 8];
        let mut spread = [zero; N_GROUPS];
        let mut above = zero;
        for group in 0..N_GROUPS {
            let first = group * GROUP;
            let here = front[group];
            let next = if group + 1 < N_GROUPS { front[group + 1] } else { zero };
            let below = _mm512_alignr_epi64(next, here, 1);
            let down = rows(&board.open.down, first + 1);
            let mut falls = _mm512_and_si512(here, down);
            let mut rises = _mm512_and_si512(below, down);
            if DIAGONALS {
                let squares = rows(&board.open.squares, first + 1);
                falls = _mm512_or_si512(falls, aside(here, squares));
                rises = _mm512_or_si512(rises, aside(below, squares));
            }
            let aside = aside(here, rows(&board.open.right, first));
            let fallen = _mm512_alignr_epi64(falls, above, 7);
            above = falls;
            spread[group] = _mm512_or_si512(_mm512_or_si512(aside, fallen), rises);
        }
        let top = _mm512_maskz_set1_epi64(1, coming.top as i64);
        spread[0] = _mm512_or_si512(spread[0], top);
        let bottom = _mm512_maskz_set1_epi64(1 << 7, coming.bottom as i64);
        spread[N_GROUPS - 1] = _mm512_or_si512(spread[N_GROUPS - 1], bottom);
        if coming.left | coming.right != 0 {
            for (group, spread) in spread.iter_mut().enumerate() {
                let first = group * GROUP;
                let left = _mm512_maskz_set1_epi64((coming.left >> first) as u8, 1);
                let right = _mm512_maskz_set1_epi64((coming.right >> first) as u8, i64::MIN);
                *spread = _mm512_or_si512(_mm512_or_si512(*spread, left), right);
            }
        }
        let (mut left, mut right) = (0u64, 0u64);
        let mut all = zero;
        for group in 0..N_GROUPS {
            let first = group * GROUP;
            let changed = _mm512_xor_si512(rows(plane, first), fresh[group]);
            put(plane, first, changed);
            let reached = _mm512_and_si512(spread[group], fresh[group]);
            fresh[group] = _mm512_andnot_si512(reached, fresh[group]);
            front[group] = reached;
            all = _mm512_or_si512(all, reached);
            left |= u64::from(_mm512_test_epi64_mask(reached, one)) << first;
            right |= u64::from(_mm512_movepi64_mask(reached)) << first;
        }
        any = _mm512_test_epi64_mask(all, all);
        reached_ever = _mm512_or_si512(reached_ever, all);
        let top = !(_mm_cvtsi128_si64(_mm512_castsi512_si128(fresh[0])) as u64);
        let bottom = _mm512_extracti64x2_epi64(fresh[N_GROUPS - 1], 3);
        let bottom = !(_mm_extract_epi64(bottom, 1) as u64);
        moved[0] |= u64::from(top != seen.top) << idx;
        moved[1] |= u64::from(bottom != seen.bottom) << idx;
        moved[2] |= u64::from(left != 0) << idx;
        moved[3] |= u64::from(right != 0) << idx;
        seen = Border { top, bottom, left: seen.left | left, right: seen.right | right };
        idx += 1;
        board.seen[idx] = seen;
        code = step ^ step >> 1;
        step = step.wrapping_add(1);
    }
    board.seen[idx..=last + 1].fill(seen);
    board.codes = [code; N_GROUPS];
    board.groups = 0;
    for group in 0..N_GROUPS {
        let first = group * GROUP;
        put(&mut board.front, GROUP + first, front[group]);
        put(&mut board.fresh, first, fresh[group]);
        let is_front = _mm512_test_epi64_mask(front[group], front[group]) != 0;
        board.groups |= u8::from(is_front) << group;
    }
    board.is_written |= _mm512_test_epi64_mask(reached_ever, reached_ever) != 0;
    board.done = until;
    moved
}

/// Returns a mask that is nonzero if any row is nonempty.
#[inline]
#[target_feature(enable = "avx512f")]
fn groups_of(front: &[__m512i; N_GROUPS]) -> u8 {
    let mut all = front[0];
    for &rows in &front[1..] {
        all = _mm512_or_si512(all, rows);
    }
    _mm512_test_epi64_mask(all, all)
}
