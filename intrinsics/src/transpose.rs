//! Transpose of blocks of 64 rows and at most 32 columns: between the limbs of columns and numbers.

use multiversion::multiversion;

/// Rows of a block: those of a limb.
pub(crate) const ROWS: usize = 64;

/// Columns of a block.
pub(crate) const COLUMNS: usize = 32;

/// Transposes the two blocks of 32 × 32 bits in the halves of the limbs: afterwards bit k of half
/// h of limb r is what bit r of half h of limb k was.
#[inline(always)]
fn transpose(limbs: &mut [u64; COLUMNS]) {
    stage::<16>(limbs, 0x0000_ffff_0000_ffff);
    stage::<8>(limbs, 0x00ff_00ff_00ff_00ff);
    stage::<4>(limbs, 0x0f0f_0f0f_0f0f_0f0f);
    stage::<2>(limbs, 0x3333_3333_3333_3333);
    stage::<1>(limbs, 0x5555_5555_5555_5555);
}

/// Exchanges the squares of `WIDTH` bits next to the diagonal.
#[inline(always)]
fn stage<const WIDTH: usize>(limbs: &mut [u64; COLUMNS], mask: u64) {
    for pair in limbs.chunks_exact_mut(2 * WIDTH) {
        let (upper, lower) = pair.split_at_mut(WIDTH);
        for (upper, lower) in upper.iter_mut().zip(lower) {
            let exchanged = (*upper >> WIDTH ^ *lower) & mask;
            *lower ^= exchanged;
            *upper ^= exchanged << WIDTH;
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
    for (block, numbers) in numbers.chunks_mut(ROWS).enumerate() {
        let mut limbs = [0; COLUMNS];
        for (limb, column) in limbs.iter_mut().zip(columns.iter().rev()) {
            *limb = column[first + block];
        }
        transpose(&mut limbs);
        match numbers.split_at_mut_checked(ROWS / 2) {
            Some((low, high)) if high.len() == ROWS / 2 => {
                for ((low, high), limb) in low.iter_mut().zip(high).zip(limbs) {
                    *low = limb as u32;
                    *high = (limb >> 32) as u32;
                }
            }
            _ => {
                for (row, number) in numbers.iter_mut().enumerate() {
                    *number = (limbs[row % 32] >> (row / 32 * 32)) as u32;
                }
            }
        }
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
        let mut limbs = [0; COLUMNS];
        for (row, number) in numbers.iter().enumerate() {
            limbs[row % 32] |= u64::from(*number) << (row / 32 * 32);
        }
        transpose(&mut limbs);
        for (limb, plane) in limbs.iter().zip(planes.iter_mut()) {
            plane[block] = *limb;
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
