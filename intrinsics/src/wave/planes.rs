//! Conversion of the planes of a board to bytes.

use multiversion::multiversion;

use super::board::{GROUP, SIDE};

/// The steps whose codes are in eight planes, for the 64 columns of eight rows; 0 where cells are
/// fresh.
#[multiversion(targets(
    "x86_64+avx2+avx512bitalg+avx512bw+avx512dq+avx512f+avx512vl+avx512vpopcntdq+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
pub(super) fn transpose(
    planes: &[[u64; GROUP]; 8],
    fresh: &[u64; GROUP],
    bytes: &mut [[u8; SIDE]; GROUP],
) {
    let mut words = *planes;
    // From Gray code to binary numbers, and zero where the wave has not been.
    for place in (0..7).rev() {
        let above = words[place + 1];
        words[place].iter_mut().zip(above).for_each(|(word, above)| *word ^= above);
    }
    for word in &mut words {
        word.iter_mut().zip(fresh).for_each(|(word, fresh)| *word &= !fresh);
    }
    // Bits of bytes: byte m of word j becomes the byte of column 8m + j.
    for (distance, mask) in
        [(4, 0x0f0f_0f0f_0f0f_0f0f), (2, 0x3333_3333_3333_3333), (1, 0x5555_5555_5555_5555)]
    {
        swap(&mut words, distance, distance, mask);
    }
    // Bytes of words: byte j of word m becomes that of column 8m + j.
    for (distance, mask) in
        [(4, 0x0000_0000_ffff_ffff), (2, 0x0000_ffff_0000_ffff), (1, 0x00ff_00ff_00ff_00ff)]
    {
        swap(&mut words, distance, 8 * distance, mask);
    }
    for (y, row) in bytes.iter_mut().enumerate() {
        for (eight, word) in row.chunks_exact_mut(8).zip(&words) {
            eight.copy_from_slice(&word[y].to_le_bytes());
        }
    }
}

/// Adds a number to the steps and writes the bits of the sums from a position on, where there are
/// steps.
#[multiversion(targets(
    "x86_64+avx2+avx512bitalg+avx512bw+avx512dq+avx512f+avx512vl+avx512vpopcntdq+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
pub(super) fn add(steps: &[u8], number: u32, place: u32, to: &mut [u8]) {
    for (to, &step) in to.iter_mut().zip(steps) {
        let byte = (number + u32::from(step)) >> place;
        *to = if step == 0 { *to } else { byte as u8 };
    }
}

/// Exchanges the upper bits of each word with the lower bits of the one at a distance.
#[inline(always)]
fn swap(words: &mut [[u64; GROUP]; 8], distance: usize, shift: usize, mask: u64) {
    for low in (0..8).filter(|word| word & distance == 0) {
        let (lower, upper) = words.split_at_mut(low + distance);
        for (a, b) in lower[low].iter_mut().zip(&mut upper[0]) {
            let differing = (*a >> shift ^ *b) & mask;
            *b ^= differing;
            *a ^= differing << shift;
        }
    }
}
