//! Transposes, in tiles of 512 × 512 bits: whole cache lines of 64 bytes are read and written.
//!
//! Eight adjacent blocks of 64 × 64 bits are transposed at once, one in each lane of eight limbs,
//! so that no step moves data between lanes.

use std::ops::Range;

use star_value::transpose::{three_steps, transpose_block};

use super::{Columns, n_limbs};

/// Limb i = 8 q + r of eight blocks, one in each lane. See Note [Two orders].
type Transposition = [[u64; 64]; 8];

/// Performs three steps between the eight runs: a plain loop, which the compiler vectorises.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "eight runs at once; a closure would not be inlined")]
fn between_runs([a, b, c, d, e, f, g, h]: &mut Transposition, top: usize) {
    for i in 0..64 {
        let limbs = [a[i], b[i], c[i], d[i], e[i], f[i], g[i], h[i]];
        [a[i], b[i], c[i], d[i], e[i], f[i], g[i], h[i]] = three_steps(limbs, top);
    }
}

/// Transposes eight blocks.
///
/// Note [Two orders]. The steps 2, 1 and 0 pair limbs whose r differ, 5, 4 and 3 those whose q
/// differ. `by_r` holds limb 8 q + r, lane l, at `[r][8 q + l]`; `by_q` at `[q][8 r + l]`. So each
/// half of the steps operates on whole runs of 64 limbs.
#[inline(always)]
fn transpose(by_r: &mut Transposition, by_q: &mut Transposition) {
    between_runs(by_r, 2);
    for (r, run) in by_r.iter().enumerate() {
        for (lanes, transposed) in run.as_chunks::<8>().0.iter().zip(&mut *by_q) {
            transposed.as_chunks_mut::<8>().0[r] = *lanes;
        }
    }
    between_runs(by_q, 5);
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
    if limbs.len() < 4 || n_dst_limbs < 4 {
        transpose_small(src, n_rows, limbs, dst, dst_stride);
        return;
    }
    let mut by_r = [[0; 64]; 8];
    // Eight blocks vertically by eight blocks horizontally.
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
                let start = first_col * stride + first_limb;
                // Two loops, as only copies of a known size become single instructions.
                if width == 8 {
                    for idx in 0..n_here {
                        let whole = storage[start + idx * stride..].first_chunk::<8>();
                        let lanes = &mut by_r[idx % 8].as_chunks_mut::<8>().0[idx / 8 % 8];
                        *lanes = *whole.expect("a source as large as it is said to be");
                    }
                } else {
                    for idx in 0..n_here {
                        let at = start + idx * stride;
                        let lanes = &mut by_r[idx % 8][idx / 8 * 8..][..width];
                        lanes.copy_from_slice(&storage[at..at + width]);
                    }
                }
                transpose(&mut by_r, by_q);
            }
            for row in 0..n_dst_cols {
                let (lane, q, r) = (row / 64 % 8, row / 8 % 8, row % 8);
                let line = &mut dst[dst_start + row * dst_stride + first_block..];
                if let (8, Some(whole)) = (height, line.first_chunk_mut::<8>()) {
                    for (limb, by_q) in whole.iter_mut().zip(&tile) {
                        *limb = by_q[q][8 * r + lane];
                    }
                } else {
                    for (limb, by_q) in line[..height].iter_mut().zip(&tile) {
                        *limb = by_q[q][8 * r + lane];
                    }
                }
            }
        }
    }
}

/// Transposes block by block: for tables so small that most of a tile would be empty.
#[inline(always)]
fn transpose_small(
    src: Columns<'_>,
    n_rows: usize,
    limbs: Range<usize>,
    dst: &mut [u64],
    dst_stride: usize,
) {
    let Columns { storage, stride, n_cols } = src;
    for limb_idx in limbs.clone() {
        let n_dst_cols = n_rows.saturating_sub(limb_idx * 64).min(64);
        let dst_start = (limb_idx - limbs.start) * 64 * dst_stride;
        for first_col in (0..n_cols).step_by(64) {
            let n_here = (n_cols - first_col).min(64);
            let mut block = [0; 64];
            for (idx, limb) in block[..n_here].iter_mut().enumerate() {
                *limb = storage[(first_col + idx) * stride + limb_idx];
            }
            transpose_block(&mut block);
            for (idx, &limb) in block[..n_dst_cols].iter().enumerate() {
                dst[dst_start + idx * dst_stride + first_col / 64] = limb;
            }
        }
    }
}
