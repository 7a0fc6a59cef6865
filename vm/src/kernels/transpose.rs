//! Corner turns, in tiles of 512 × 512 bits: whole lines of 64 bytes are read and written.
//!
//! Eight blocks of 64 × 64 bits that lie next to each other are turned at once, one in each lane of eight
//! limbs, so that no step moves anything from lane to lane.

use std::ops::Range;

use super::{Columns, n_limbs};

/// 64 × 64 bits.
pub(super) type Block = [u64; 64];

/// Limb i = 8 q + r of eight blocks, one in each lane. See Note [Two orders].
type Turning = [[u64; 64]; 8];

/// The bits whose index has a zero in the place of `1 << step`.
const MASKS: [u64; 6] = [
    0x5555_5555_5555_5555,
    0x3333_3333_3333_3333,
    0x0f0f_0f0f_0f0f_0f0f,
    0x00ff_00ff_00ff_00ff,
    0x0000_ffff_0000_ffff,
    0x0000_0000_ffff_ffff,
];

/// Exchanges the upper bits of `low` with the lower bits of `high`, in groups of `1 << step` bits.
#[inline(always)]
fn exchange(low: &mut u64, high: &mut u64, step: usize) {
    let swapped = (*low >> (1 << step) ^ *high) & MASKS[step];
    *high ^= swapped;
    *low ^= swapped << (1 << step);
}

/// Three steps, `top` the highest of them, on limbs whose indices differ in these places.
#[inline(always)]
fn three_steps([a, b, c, d, e, f, g, h]: &mut [u64; 8], top: usize) {
    exchange(a, e, top);
    exchange(b, f, top);
    exchange(c, g, top);
    exchange(d, h, top);
    exchange(a, c, top - 1);
    exchange(b, d, top - 1);
    exchange(e, g, top - 1);
    exchange(f, h, top - 1);
    exchange(a, b, top - 2);
    exchange(c, d, top - 2);
    exchange(e, f, top - 2);
    exchange(g, h, top - 2);
}

/// Three steps between the eight runs: a plain loop, which becomes one over vectors.
#[inline(always)]
fn between_runs([a, b, c, d, e, f, g, h]: &mut Turning, top: usize) {
    (0..64).for_each(|i| {
        let mut limbs = [a[i], b[i], c[i], d[i], e[i], f[i], g[i], h[i]];
        three_steps(&mut limbs, top);
        [a[i], b[i], c[i], d[i], e[i], f[i], g[i], h[i]] = limbs;
    });
}

/// Turns eight blocks.
///
/// Note [Two orders]. The steps 2, 1 and 0 pair limbs whose r differ, 5, 4 and 3 those whose q differ.
/// `by_r` holds limb 8 q + r, lane l, at `[r][8 q + l]`; `by_q` at `[q][8 r + l]`. So each half of
/// the steps goes between whole runs of 64 limbs.
#[inline(always)]
fn turn(by_r: &mut Turning, by_q: &mut Turning) {
    between_runs(by_r, 2);
    for (r, run) in by_r.iter().enumerate() {
        for (lanes, turned) in run.as_chunks::<8>().0.iter().zip(&mut *by_q) {
            turned.as_chunks_mut::<8>().0[r] = *lanes;
        }
    }
    between_runs(by_q, 5);
}

#[inline(always)]
pub(super) fn transpose_block(block: &mut Block) {
    for top in [5, 2] {
        let apart = 1 << (top - 2);
        (0..8).for_each(|idx| {
            let first = if top == 5 { idx } else { 8 * idx };
            let mut limbs = std::array::from_fn(|k| block[first + k * apart]);
            three_steps(&mut limbs, top);
            for (k, limb) in limbs.into_iter().enumerate() {
                block[first + k * apart] = limb;
            }
        });
    }
}

#[inline(always)]
pub(super) fn transpose(src: Columns<'_>, n_rows: usize, dst: &mut [u64], dst_stride: usize) {
    transpose_limbs(src, n_rows, 0..n_limbs(n_rows), dst, dst_stride);
}

#[inline(always)]
pub(super) fn transpose_limbs(
    src: Columns<'_>,
    n_rows: usize,
    limbs: Range<usize>,
    dst: &mut [u64],
    dst_stride: usize,
) {
    let Columns { storage, stride, n_cols } = src;
    let n_dst_limbs = n_limbs(n_cols);
    let mut by_r = [[0; 64]; 8];
    // Eight blocks on top of each other times eight beside each other.
    let mut tile = [[[0; 64]; 8]; 8];
    for first_limb in limbs.clone().step_by(8) {
        let width = (limbs.end - first_limb).min(8);
        let first_row = first_limb * 64;
        let n_dst_cols = (width * 64).min(n_rows.saturating_sub(first_row));
        let dst_start = (first_row - limbs.start * 64) * dst_stride;
        for first_block in (0..n_dst_limbs).step_by(8) {
            let height = (n_dst_limbs - first_block).min(8);
            for (k, by_q) in tile[..height].iter_mut().enumerate() {
                let first_col = (first_block + k) * 64;
                let n_here = (n_cols - first_col).min(64);
                if n_here < 64 || width < 8 {
                    by_r = [[0; 64]; 8];
                }
                for idx in 0..n_here {
                    let at = (first_col + idx) * stride + first_limb;
                    let lanes = &mut by_r[idx % 8].as_chunks_mut::<8>().0[idx / 8];
                    if let (8, Some(whole)) = (width, storage[at..].first_chunk::<8>()) {
                        *lanes = *whole;
                    } else {
                        lanes[..width].copy_from_slice(&storage[at..at + width]);
                    }
                }
                turn(&mut by_r, by_q);
            }
            for row in 0..n_dst_cols {
                let (lane, idx) = (row / 64, row % 64);
                let (q, from) = (idx / 8, idx % 8 * 8 + lane);
                let at = dst_start + row * dst_stride + first_block;
                if let (8, Some(whole)) = (height, dst[at..].first_chunk_mut::<8>()) {
                    *whole = std::array::from_fn(|k| tile[k][q][from]);
                } else {
                    for (limb, by_q) in dst[at..at + height].iter_mut().zip(&tile) {
                        *limb = by_q[q][from];
                    }
                }
            }
        }
    }
}
