//! Decoding with vector compress instructions: 64 bits at a time, with leaves of any level.
//!
//! Compressing the bit positions of a limb by its leaf-start bits yields the first bits of its
//! leaves. Compressing the following positions by the leaf-end bits, each just before a start,
//! yields their ends. The difference is the width.
//!
//! Intrinsics are used because no loop compiles to a compress instruction: random trees are decoded
//! in less than half the time of the pattern method. They work on values alone, so they are safe
//! where the features are available.

use std::arch::x86_64::{
    __m128i, __m512i, _mm512_add_epi32, _mm512_cvtepu8_epi32, _mm512_maskz_compress_epi8,
    _mm512_popcnt_epi8, _mm512_set1_epi8, _mm512_set1_epi32, _mm512_srlv_epi32, _mm512_sub_epi8,
    _mm512_test_epi64_mask,
};

use bytemuck::cast;

use super::decode::{LANES, Scan};
use super::tree::width_at;

/// Limbs that are processed together.
const GROUP: usize = 64;

/// The bit positions of a limb.
const PLACES: [u8; 64] = places(0);
/// The bit positions shifted by one.
const BEHIND: [u8; 64] = places(1);

const fn places(first: u8) -> [u8; 64] {
    let (mut places, mut at) = ([0; 64], 0);
    while at < 64 {
        places[at] = first + at as u8;
        at += 1;
    }
    places
}

/// The leaves of a limb: their first bits, and how many levels above level D each is, minus
/// `above`.
struct Leaves {
    /// Bit 0 of the limb, with the leading bit of level D.
    base: u32,
    above: u32,
    starts: [__m128i; 4],
    ups: [__m128i; 4],
}

impl Leaves {
    /// Returns the heap indices of one vector of leaves.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn indices(&self, part: usize) -> [u32; LANES] {
        let starts = _mm512_cvtepu8_epi32(self.starts[part]);
        let ups = _mm512_cvtepu8_epi32(self.ups[part]);
        let starts = _mm512_add_epi32(_mm512_set1_epi32(self.base as i32), starts);
        let ups = _mm512_add_epi32(_mm512_set1_epi32(self.above as i32), ups);
        cast(_mm512_srlv_epi32(starts, ups))
    }
}

/// Decodes the leaves that begin in the given limbs of a tree of depth 6 or more.
#[target_feature(
    enable = "avx512f,avx512bitalg,avx512bw,avx512dq,avx512vbmi2,avx512vl,bmi1,bmi2,lzcnt,popcnt"
)]
pub(super) fn scan(Scan { depth, bits, limbs, indices, levels }: Scan<'_>) {
    let (places, behind): (__m512i, __m512i) = (cast(PLACES), cast(BEHIND));
    let mut at = 0;
    for first in limbs.clone().step_by(GROUP) {
        let group = &bits[first..limbs.end.min(first + GROUP)];
        let mut others = not_zero(group);
        while others != 0 {
            let idx = others.trailing_zeros() as usize;
            others &= others - 1;
            let (limb, next) = (group[idx], group.len().min(others.trailing_zeros() as usize));
            // Zeros follow a limb only if it has one leaf, which covers them: the last leaf, beyond
            // the group.
            let above = match (others, limb) {
                (0, 1) => width_at(bits, depth, (first + idx) * 64) / 64,
                _ => next - idx,
            };
            let above = above.ilog2();
            let starts = _mm512_maskz_compress_epi8(limb, places);
            let ends = _mm512_maskz_compress_epi8(limb >> 1 | 1 << 63, behind);
            // A width is a power of two: width − 1 has one bit per level.
            let widths = _mm512_sub_epi8(ends, starts);
            let ups = _mm512_popcnt_epi8(_mm512_sub_epi8(widths, _mm512_set1_epi8(1)));
            let top = _mm512_set1_epi8((depth.levels() - above) as i8);
            let limb_levels: [u8; 64] = cast(_mm512_sub_epi8(top, ups));
            let base = (depth.n_bits() + (first + idx) * 64) as u32;
            let leaves = Leaves { base, above, starts: cast(starts), ups: cast(ups) };
            let n = limb.count_ones() as usize;
            let to = indices.get_mut(at..).and_then(|rest| rest.first_chunk_mut::<64>());
            let to_levels = levels.get_mut(at..).and_then(|rest| rest.first_chunk_mut::<64>());
            if let (Some(to), Some(to_levels)) = (to, to_levels) {
                *to_levels = limb_levels;
                for (part, to) in to.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
                    // At least two parts are always written: a branch on so few leaves would be
                    // unpredictable.
                    if part > 1 && part * LANES >= n {
                        break;
                    }
                    *to = leaves.indices(part);
                }
            } else {
                let all: [u32; 64] = cast([0, 1, 2, 3].map(|part| leaves.indices(part)));
                indices[at..at + n].copy_from_slice(&all[..n]);
                levels[at..at + n].copy_from_slice(&limb_levels[..n]);
            }
            at += n;
        }
    }
}

/// Returns a mask of the nonzero limbs of a group.
#[inline]
#[target_feature(enable = "avx512f")]
fn not_zero(group: &[u64]) -> u64 {
    let (eights, rest) = group.as_chunks::<8>();
    let eights = eights.iter().rev().fold(0, |limbs, &eight| {
        let eight: __m512i = cast(eight);
        limbs << 8 | u64::from(_mm512_test_epi64_mask(eight, eight))
    });
    // The remaining limbs, fewer than eight.
    rest.iter().rev().fold(eights, |limbs, &limb| limbs << 1 | u64::from(limb != 0))
}
