//! MIN and MAX over the columns of a table, column 0 most significant, in two passes over blocks of
//! limbs: the first finds the extreme number of each block, from which the caller selects the
//! extreme; the second marks the rows that hold it.

use std::ops::Range;

use star_ir::Sense;

use super::Columns;
use super::reduce::{list_nonzero, some};

/// Returns the limbs of column `col_idx` in the range.
#[inline(always)]
fn part<'a>(columns: &Columns<'a>, col_idx: usize, limbs: &Range<usize>) -> &'a [u64] {
    let start = col_idx * columns.stride;
    &columns.storage[start + limbs.start..start + limbs.end]
}

/// Removes limbs without candidates from both ends.
#[inline(always)]
fn trim(candidates: &[u64], live: Range<usize>) -> Range<usize> {
    let Range { mut start, mut end } = live;
    while start < end && candidates[start] == 0 {
        start += 1;
    }
    while start < end && candidates[end - 1] == 0 {
        end -= 1;
    }
    start..end
}

/// Computes `dst[i] = a[i] & (b[i] ^ flip)` and returns whether a bit is left.
#[inline(always)]
fn narrow(dst: &mut [u64], a: &[u64], b: &[u64], flip: u64) -> bool {
    let mut left = 0;
    for ((d, &x), &y) in dst.iter_mut().zip(a).zip(b) {
        *d = x & (y ^ flip);
        left |= *d;
    }
    left != 0
}

#[inline(always)]
pub(super) fn block_extreme(
    columns: Columns<'_>,
    limbs: Range<usize>,
    mask: &[u64],
    sense: Sense,
    scratch: &mut [u64],
    out_word: &mut [u64],
) -> bool {
    let n = limbs.len();
    let (mut candidates, spare) = scratch.split_at_mut(n);
    let mut narrowed = &mut spare[..n];
    out_word[..columns.n_cols.div_ceil(64)].fill(0);
    candidates.copy_from_slice(&mask[limbs.clone()]);
    let mut live = trim(candidates, 0..n);
    if live.is_empty() {
        return false;
    }
    let (flip, better) = match sense {
        Sense::Min => (!0, 0),
        Sense::Max => (0, 1),
    };
    for col_idx in 0..columns.n_cols {
        let within = limbs.start + live.start..limbs.start + live.end;
        let column = part(&columns, col_idx, &within);
        let found = narrow(&mut narrowed[live.clone()], &candidates[live.clone()], column, flip);
        let bit = if found { better } else { 1 - better };
        out_word[col_idx / 64] |= bit << (col_idx % 64);
        if found {
            std::mem::swap(&mut candidates, &mut narrowed);
            live = trim(candidates, live);
        }
    }
    true
}

/// Maximum number of limbs of a block whose extreme number is one limb.
pub const NUMBERED_LIMBS: usize = 8;
/// Maximum number of columns for which that holds.
pub const NUMBERED_COLUMNS: usize = 63;

#[inline(always)]
pub(super) fn block_number(
    columns: Columns<'_>,
    limbs: Range<usize>,
    mask: &[u64],
    sense: Sense,
) -> u64 {
    let n = limbs.len();
    let mut candidates = [0; NUMBERED_LIMBS];
    candidates[..n].copy_from_slice(&mask[limbs.clone()]);
    if !some(&candidates) {
        return u64::MAX;
    }
    let flip = match sense {
        Sense::Min => !0,
        Sense::Max => 0,
    };
    let mut number = 0;
    for col_idx in 0..columns.n_cols {
        let limbs_of = part(&columns, col_idx, &limbs);
        let mut column = [0; NUMBERED_LIMBS];
        match limbs_of.first_chunk() {
            Some(limbs) => column = *limbs,
            None => column[..n].copy_from_slice(limbs_of),
        }
        let mut left = 0;
        for (limb, candidates) in column.iter_mut().zip(&candidates) {
            *limb = candidates & (*limb ^ flip);
            left |= *limb;
        }
        number = number << 1 | u64::from(left == 0);
        if left != 0 {
            candidates = column;
        }
    }
    number
}

/// Limbs with candidates are sparse if at most one limb in this number is one.
const FEW: usize = 8;

#[inline(always)]
pub(super) fn extreme(
    columns: Columns<'_>,
    mask: &[u64],
    sense: Sense,
    spare: &mut [u64],
    out: &mut [u64],
) {
    let n = out.len();
    let spare = &mut spare[..n];
    out.copy_from_slice(&mask[..n]);
    let flip = match sense {
        Sense::Min => !0,
        Sense::Max => 0,
    };
    let whole = 0..n;
    // The candidates are in `out` or in `spare`.
    let (mut is_out, mut col_idx) = (true, 0);
    while col_idx < columns.n_cols {
        let (candidates, narrowed) = match is_out {
            true => (&mut *out, &mut *spare),
            false => (&mut *spare, &mut *out),
        };
        let column = part(&columns, col_idx, &whole);
        col_idx += 1;
        let n_left = narrow_and_count(narrowed, candidates, column, flip);
        if n_left > 0 {
            is_out = !is_out;
            if n_left <= n / FEW {
                break;
            }
        }
    }
    if !is_out {
        out.copy_from_slice(spare);
    }
    if col_idx < columns.n_cols {
        let n_left = list_nonzero(out, spare).unwrap_or(n);
        narrow_few(columns, col_idx, flip, &mut spare[..n_left], out);
    }
}

/// Does what [`narrow`] does and returns the number of limbs that have a bit left.
#[inline(always)]
fn narrow_and_count(dst: &mut [u64], a: &[u64], b: &[u64], flip: u64) -> usize {
    let mut left = 0_u64;
    for ((d, &x), &y) in dst.iter_mut().zip(a).zip(b) {
        *d = x & (y ^ flip);
        left += u64::from(*d != 0);
    }
    left as usize
}

/// Narrows the candidates in these limbs by the columns from `from` on.
#[inline(always)]
fn narrow_few(columns: Columns<'_>, from: usize, flip: u64, few: &mut [u64], out: &mut [u64]) {
    let mut n = few.len();
    for col_idx in from..columns.n_cols {
        let column = part(&columns, col_idx, &(0..out.len()));
        let left = few[..n].iter().fold(0, |left, &at| {
            let at = at as usize;
            left | out[at] & (column[at] ^ flip)
        });
        if left == 0 {
            continue;
        }
        let mut n_left = 0;
        for place in 0..n {
            let at = few[place] as usize;
            out[at] &= column[at] ^ flip;
            few[n_left] = few[place];
            n_left += usize::from(out[at] != 0);
        }
        n = n_left;
    }
}

#[inline(always)]
pub(super) fn block_match(
    columns: Columns<'_>,
    limbs: Range<usize>,
    mask: &[u64],
    word: &[u64],
    out: &mut [u64],
) -> bool {
    let out = &mut out[..limbs.len()];
    out.copy_from_slice(&mask[limbs.clone()]);
    let flip = |col_idx: usize| if word[col_idx / 64] >> (col_idx % 64) & 1 == 1 { 0 } else { !0 };
    if let Some(eight) = out.as_mut_array::<NUMBERED_LIMBS>() {
        // A vector, which is cheaper than searching for the remaining candidates.
        let mut candidates = *eight;
        for col_idx in 0..columns.n_cols {
            let flip = flip(col_idx);
            if let Some(column) = part(&columns, col_idx, &limbs).as_array::<NUMBERED_LIMBS>() {
                for (candidates, limb) in candidates.iter_mut().zip(column) {
                    *candidates &= limb ^ flip;
                }
            }
        }
        *eight = candidates;
        return some(&candidates);
    }
    let mut live = trim(out, 0..limbs.len());
    for col_idx in 0..columns.n_cols {
        if live.is_empty() {
            return false;
        }
        let flip = flip(col_idx);
        let within = limbs.start + live.start..limbs.start + live.end;
        let column = part(&columns, col_idx, &within);
        for (d, &limb) in out[live.clone()].iter_mut().zip(column) {
            *d &= limb ^ flip;
        }
        live = trim(out, live);
    }
    some(&out[live])
}
