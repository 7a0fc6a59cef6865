//! Sums of weighted gradients over the pixels of links, many links in parallel.
//!
//! A pixel adds |u·Δy − v·Δx|: the sum of a pair of 16-bit products, for which vector units have
//! one instruction. No loop compiles to it, so an intrinsic is used where the features are
//! available. Intrinsics on values are safe.

use multiversion::multiversion;
use multiversion::target::match_target;

/// Links that are summed at once if their pixels are at arbitrary positions.
pub(super) const N_APART: usize = 8;

/// Links that are summed at once if their pixels are adjacent in memory.
pub(super) const N_TOGETHER: usize = 16;

/// Adjacent links of a long run that are summed at once: the pixel offsets are looked up once for
/// all of them.
pub(super) const FULL_RUN: usize = 4 * N_TOGETHER;

/// The sums of the weighted vectors at these offsets, for all windows of [`N_TOGETHER`] neighbours.
#[multiversion(targets(
    "x86_64+avx2+avx512bw+avx512dq+avx512f+avx512vl+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
pub(super) fn sum_together(
    vectors: &[[i16; 2]],
    offsets: &[u32],
    weights: [i16; 2],
) -> [u32; N_TOGETHER] {
    match_target! {
        "x86_64+avx512bw+avx512f" => pairs::sum_by_16::<1, _>(windows(vectors, offsets), weights),
        "x86_64+avx2" => pairs::sum_by_8::<2, _>(windows(vectors, offsets), weights),
        _ => portable(windows(vectors, offsets), weights),
    }
}

/// The sums for [`FULL_RUN`] neighbours.
#[multiversion(targets(
    "x86_64+avx2+avx512bw+avx512dq+avx512f+avx512vl+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
pub(super) fn sum_run(vectors: &[[i16; 2]], offsets: &[u32], weights: [i16; 2]) -> [u32; FULL_RUN] {
    match_target! {
        "x86_64+avx512bw+avx512f" => pairs::sum_by_16::<4, _>(windows(vectors, offsets), weights),
        "x86_64+avx2" => pairs::sum_by_8::<8, _>(windows(vectors, offsets), weights),
        _ => portable(windows(vectors, offsets), weights),
    }
}

/// The sums of the weighted vectors at these offsets, for each part; all parts have the same
/// length.
#[multiversion(targets(
    "x86_64+avx2+avx512bw+avx512dq+avx512f+avx512vl+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
pub(super) fn sum_apart(
    parts: [&[[i16; 2]]; N_APART],
    offsets: &[u32],
    weights: [i16; 2],
) -> [u32; N_APART] {
    // One comparison for all parts.
    let len = parts[0].len();
    let parts = parts.map(|part| &part[..len]);
    let vectors = offsets.iter().map(|&offset| parts.map(|part| part[offset as usize]));
    match_target! {
        "x86_64+avx2" => pairs::sum_by_8::<1, _>(vectors, weights),
        _ => portable(vectors, weights),
    }
}

/// The vectors at these offsets, with their neighbours.
#[inline(always)]
fn windows<const N: usize>(
    vectors: &[[i16; 2]],
    offsets: &[u32],
) -> impl Iterator<Item = [[i16; 2]; N]> {
    offsets.iter().map_while(|&offset| vectors.get(offset as usize..)?.first_chunk().copied())
}

/// The version without intrinsics.
#[inline(always)]
fn portable<const N: usize>(
    windows: impl Iterator<Item = [[i16; 2]; N]>,
    weights: [i16; 2],
) -> [u32; N] {
    let mut sums = [0; N];
    for window in windows {
        for (sum, [u, v]) in sums.iter_mut().zip(window) {
            let [u, v] =
                [i32::from(u) * i32::from(weights[0]), i32::from(v) * i32::from(weights[1])];
            *sum += (u + v).unsigned_abs();
        }
    }
    sums
}

/// Pairs of products in one instruction.
#[cfg(target_arch = "x86_64")]
mod pairs {
    use std::arch::x86_64::{
        _mm256_abs_epi32, _mm256_add_epi32, _mm256_madd_epi16, _mm256_set1_epi32,
        _mm256_setzero_si256, _mm512_abs_epi32, _mm512_add_epi32, _mm512_madd_epi16,
        _mm512_set1_epi32, _mm512_setzero_si512,
    };

    use bytemuck::cast;

    /// `N` links, in registers of 16.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn sum_by_16<const REGISTERS: usize, const N: usize>(
        windows: impl Iterator<Item = [[i16; 2]; N]>,
        weights: [i16; 2],
    ) -> [u32; N] {
        let weights = _mm512_set1_epi32(cast(weights));
        let mut sums = [_mm512_setzero_si512(); REGISTERS];
        for window in windows {
            for (sum, vectors) in sums.iter_mut().zip(window.as_chunks::<16>().0) {
                let products = _mm512_madd_epi16(cast(*vectors), weights);
                *sum = _mm512_add_epi32(*sum, _mm512_abs_epi32(products));
            }
        }
        let mut all = [0; N];
        for (part, sum) in all.as_chunks_mut::<16>().0.iter_mut().zip(sums) {
            *part = cast(sum);
        }
        all
    }

    /// `N` links, in registers of 8.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn sum_by_8<const REGISTERS: usize, const N: usize>(
        windows: impl Iterator<Item = [[i16; 2]; N]>,
        weights: [i16; 2],
    ) -> [u32; N] {
        let weights = _mm256_set1_epi32(cast(weights));
        let mut sums = [_mm256_setzero_si256(); REGISTERS];
        for window in windows {
            for (sum, vectors) in sums.iter_mut().zip(window.as_chunks::<8>().0) {
                let products = _mm256_madd_epi16(cast(*vectors), weights);
                *sum = _mm256_add_epi32(*sum, _mm256_abs_epi32(products));
            }
        }
        let mut all = [0; N];
        for (part, sum) in all.as_chunks_mut::<8>().0.iter_mut().zip(sums) {
            *part = cast(sum);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use star_base::Random;

    use super::*;

    #[test]
    fn sums_with_and_without_intrinsics_are_equal() {
        let mut random = Random::new(5);
        let mut component = || (random.next_u64() % 32_769) as i16 - 16_384;
        let mut vectors: Vec<[i16; 2]> = (0..400).map(|_| [component(), component()]).collect();
        vectors[7] = [-16_384, 16_384];
        let offsets: Vec<u32> = (0..300).map(|idx| idx * 7 % 330).collect();
        // As many pixels as their sums can hold.
        let cases = [([0, 0], 300), ([1, -1], 300), ([-300, 4096], 50), ([32_767, -32_768], 4)];
        for (weights, n_pixels) in cases {
            let offsets = &offsets[..n_pixels];
            let run = sum_run(&vectors, offsets, weights);
            assert_eq!(run, portable(windows(&vectors, offsets), weights), "{weights:?}");
            let few = sum_together(&vectors, offsets, weights);
            assert_eq!(few, portable(windows(&vectors, offsets), weights), "{weights:?}");
            let parts = [0, 9, 3, 3, 60, 1, 2, 50].map(|start| &vectors[start..][..331]);
            let each = parts.map(|part| {
                let [sum] = portable(windows(part, offsets), weights);
                sum
            });
            assert_eq!(sum_apart(parts, offsets, weights), each, "{weights:?}");
        }
    }
}
