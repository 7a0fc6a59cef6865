//! Transpose of blocks of 64 rows and at most 32 columns: between the limbs of columns and numbers.

use multiversion::multiversion;

/// Rows of a block: those of a limb.
pub(crate) const ROWS: usize = 64;

/// Columns of a block.
pub(crate) const COLUMNS: usize = 32;

/// Columns that are transposed together: the blocks of 16 × 16 bits need few steps.
const LANE: usize = 16;

/// Transposes the four blocks of 16 × 16 bits in the lanes of the limbs: afterwards bit k of lane l
/// of limb r is what bit r of lane l of limb k was.
#[inline(always)]
fn transpose(limbs: &mut [u64; LANE]) {
    stage::<8>(limbs, 0x00ff_00ff_00ff_00ff);
    stage::<4>(limbs, 0x0f0f_0f0f_0f0f_0f0f);
    stage::<2>(limbs, 0x3333_3333_3333_3333);
    stage::<1>(limbs, 0x5555_5555_5555_5555);
}

/// Exchanges the squares of `WIDTH` bits next to the diagonal.
#[inline(always)]
fn stage<const WIDTH: usize>(limbs: &mut [u64; LANE], mask: u64) {
    for pair in limbs.chunks_exact_mut(2 * WIDTH) {
        let (upper, lower) = pair.split_at_mut(WIDTH);
        for (upper, lower) in upper.iter_mut().zip(lower) {
            let exchanged = (*upper >> WIDTH ^ *lower) & mask;
            *lower ^= exchanged;
            *upper ^= exchanged << WIDTH;
        }
    }
}

/// Reads the numbers of 64 rows in at most 16 columns, and adds them at bit `shift`.
#[inline(always)]
fn add_lanes(columns: &[&[u64]], limb: usize, shift: u32, numbers: &mut [u32; ROWS]) {
    let mut limbs = [0; LANE];
    for (to, column) in limbs.iter_mut().zip(columns.iter().rev()) {
        *to = column[limb];
    }
    transpose(&mut limbs);
    for (lane, numbers) in numbers.chunks_exact_mut(LANE).enumerate() {
        for (number, limb) in numbers.iter_mut().zip(limbs) {
            *number |= ((limb >> (LANE * lane)) as u32 & 0xffff) << shift;
        }
    }
}

/// Reads the numbers of the rows from limb `first` on: a number for each row, of the bits in the
/// given columns, the first of which is the most significant. Columns before the last 32 are
/// ignored.
#[multiversion(targets(
    "x86_64+avx2+avx512bitalg+avx512bw+avx512dq+avx512f+avx512vl+avx512vpopcntdq+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
pub(crate) fn read_blocks(columns: &[&[u64]], first: usize, numbers: &mut [u32]) {
    let columns = &columns[columns.len().saturating_sub(COLUMNS)..];
    let (high, low) = columns.split_at(columns.len().saturating_sub(LANE));
    for (block, numbers) in numbers.chunks_mut(ROWS).enumerate() {
        let mut read = [0; ROWS];
        add_lanes(low, first + block, 0, &mut read);
        if !high.is_empty() {
            add_lanes(high, first + block, LANE as u32, &mut read);
        }
        numbers.copy_from_slice(&read[..numbers.len()]);
    }
}

/// The limbs of columns, by significance: limb `block` of plane k has bit k of 64 numbers.
pub(crate) type Planes = [[u64; BLOCKS]; COLUMNS];

/// Blocks of numbers in [`Planes`].
pub(crate) const BLOCKS: usize = 64;

/// Transposes at most 64 · [`BLOCKS`] numbers. Bits after the last number in its limb become zero;
/// later limbs are unchanged.
#[multiversion(targets(
    "x86_64+avx2+avx512bitalg+avx512bw+avx512dq+avx512f+avx512vl+avx512vpopcntdq+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
pub(crate) fn write_blocks(numbers: &[u32], planes: &mut Planes) {
    for (block, numbers) in numbers.chunks(ROWS).enumerate() {
        for (half, planes) in planes.chunks_exact_mut(LANE).enumerate() {
            let mut limbs = [0; LANE];
            for (lane, numbers) in numbers.chunks(LANE).enumerate() {
                for (limb, number) in limbs.iter_mut().zip(numbers) {
                    *limb |= u64::from(number >> (LANE * half) & 0xffff) << (LANE * lane);
                }
            }
            transpose(&mut limbs);
            for (limb, plane) in limbs.iter().zip(planes) {
                plane[block] = *limb;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use star_base::Random;

    use super::*;

    #[test]
    fn blocks_are_transposed_and_back() {
        let mut random = Random::new(32);
        for n in [0, 1, 31, 32, 33, 63, 64, 65, 200] {
            let numbers: Vec<u32> = (0..n).map(|_| random.next_u64() as u32).collect();
            let mut planes = [[u64::MAX; BLOCKS]; COLUMNS];
            write_blocks(&numbers, &mut planes);
            for (row, number) in numbers.iter().enumerate() {
                for (bit, plane) in planes.iter().enumerate() {
                    assert_eq!(plane[row / 64] >> (row % 64) & 1, u64::from(number >> bit & 1));
                }
            }
            // The first column is the most significant one.
            for width in [0, 1, 7, 32] {
                let columns: Vec<&[u64]> =
                    planes[..width].iter().rev().map(|plane| &plane[..]).collect();
                let mask = u32::MAX.checked_shr(32 - width as u32).unwrap_or(0);
                let expected: Vec<u32> = numbers.iter().map(|number| number & mask).collect();
                let mut found = vec![7; n];
                read_blocks(&columns, 0, &mut found);
                assert_eq!(found, expected, "{width} bits");
                let mut found = vec![7; n.saturating_sub(64)];
                read_blocks(&columns, 1, &mut found);
                assert_eq!(found, expected[n.min(64)..], "{width} bits");
            }
        }
    }
}
