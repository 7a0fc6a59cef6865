//! Corner turns, in tiles of 512 × 512 bits: whole lines of 64 bytes are read and written.
//!
//! Eight blocks of 64 × 64 bits that lie next to each other are turned at once, one in each lane of eight
//! limbs, so that no step moves anything from lane to lane.

use std::ops::Range;

use super::{Columns, n_limbs};

/// 64 × 64 bits.
pub(super) type Block = [u64; 64];

/// The same limb of eight blocks.
type Lanes<const N: usize> = [u64; N];

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
fn exchange<const N: usize>(low: &mut Lanes<N>, high: &mut Lanes<N>, step: usize) {
    for (x, y) in low.iter_mut().zip(high) {
        let swapped = (*x >> (1 << step) ^ *y) & MASKS[step];
        *y ^= swapped;
        *x ^= swapped << (1 << step);
    }
}

/// Three steps, `top` the highest of them, on eight limbs whose indices differ in these places.
#[inline(always)]
fn three_steps<const N: usize>(group: &mut [Lanes<N>; 8], top: usize) {
    let [a, b, c, d, e, f, g, h] = group;
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

/// Turns the blocks of all lanes.
#[inline(always)]
fn turn<const N: usize>(blocks: &mut [Lanes<N>; 64]) {
    for first in 0..8 {
        let mut group = [[0; N]; 8];
        for (idx, limbs) in group.iter_mut().enumerate() {
            *limbs = blocks[first + 8 * idx];
        }
        three_steps(&mut group, 5);
        for (idx, limbs) in group.iter().enumerate() {
            blocks[first + 8 * idx] = *limbs;
        }
    }
    for group in blocks.as_chunks_mut::<8>().0 {
        let mut limbs = *group;
        three_steps(&mut limbs, 2);
        *group = limbs;
    }
}

#[inline(always)]
pub(super) fn transpose_block(block: &mut Block) {
    let mut lanes = [[0]; 64];
    for (lane, &limb) in lanes.iter_mut().zip(&*block) {
        *lane = [limb];
    }
    turn(&mut lanes);
    for (limb, &[lane]) in block.iter_mut().zip(&lanes) {
        *limb = lane;
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
    // Tile [i][k][l]: limb i of block (k, l), later destination limb k of column 64 l + i.
    let mut tile = [[[0; 8]; 64]; 8];
    for first_limb in limbs.clone().step_by(8) {
        let width = (limbs.end - first_limb).min(8);
        let first_row = first_limb * 64;
        let n_dst_cols = (width * 64).min(n_rows.saturating_sub(first_row));
        let dst_start = (first_row - limbs.start * 64) * dst_stride;
        for first_block in (0..n_dst_limbs).step_by(8) {
            let height = (n_dst_limbs - first_block).min(8);
            for (k, blocks) in tile[..height].iter_mut().enumerate() {
                let first_col = (first_block + k) * 64;
                let n_here = (n_cols - first_col).min(64);
                for (idx, lanes) in blocks[..n_here].iter_mut().enumerate() {
                    let at = (first_col + idx) * stride + first_limb;
                    if let (8, Some(whole)) = (width, storage[at..].first_chunk::<8>()) {
                        *lanes = *whole;
                    } else {
                        *lanes = [0; 8];
                        lanes[..width].copy_from_slice(&storage[at..at + width]);
                    }
                }
                blocks[n_here..].fill([0; 8]);
                turn(blocks);
            }
            for row in 0..n_dst_cols {
                let (lane, idx) = (row / 64, row % 64);
                let at = dst_start + row * dst_stride + first_block;
                if let (8, Some(whole)) = (height, dst[at..].first_chunk_mut::<8>()) {
                    for (limb, blocks) in whole.iter_mut().zip(&tile) {
                        *limb = blocks[idx][lane];
                    }
                } else {
                    for (limb, blocks) in dst[at..at + height].iter_mut().zip(&tile) {
                        *limb = blocks[idx][lane];
                    }
                }
            }
        }
    }
}
