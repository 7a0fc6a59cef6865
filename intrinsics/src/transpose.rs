//! Transpose of blocks of 64 rows and at most 32 columns: between the limbs of columns and numbers.

use multiversion::multiversion;
use star_value::transpose::three_steps;

/// Rows of a block: those of a limb.
pub(crate) const ROWS: usize = 64;

/// Columns of a block.
pub(crate) const COLUMNS: usize = 32;

/// Columns that are transposed together: those of the bits of a byte.
pub(crate) const BYTE: usize = 8;

/// Blocks of numbers in [`Planes`].
pub(crate) const BLOCKS: usize = 64;

/// The limbs of columns, by significance: limb `block` of plane k has bit k of 64 numbers.
pub(crate) type Planes = [[u64; BLOCKS]; COLUMNS];

/// The bits of 8 columns of some blocks, before or after a transposition.
///
/// Note [Squares]. Bit 8 g + j of limb `block` of line c is the bit of row 8 g + j in column c. The
/// steps 2, 1 and 0 exchange c and j; 5, 4 and 3 then exchange j, which is the number of the line,
/// and g. So byte j of limb `block` of line g has the bits of row 8 g + j. All blocks do the same,
/// one in each lane of a vector.
type Lines = [[u64; BLOCKS]; BYTE];

/// Performs three steps, `top` the highest of them, in each of the first blocks: a plain loop,
/// which the compiler vectorises.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "eight lines at once")]
fn between_lines([a, b, c, d, e, f, g, h]: &mut Lines, n_blocks: usize, top: usize) {
    for i in 0..n_blocks.min(BLOCKS) {
        let limbs = [a[i], b[i], c[i], d[i], e[i], f[i], g[i], h[i]];
        [a[i], b[i], c[i], d[i], e[i], f[i], g[i], h[i]] = three_steps(limbs, top);
    }
}

/// Reads at most 64 · [`BLOCKS`] numbers, those of the rows from limb `first` on: a number for each
/// row, of the bits in the given columns, the first of which is the most significant. Columns
/// before the last 32 are ignored.
#[multiversion(targets(
    "x86_64+avx2+avx512bitalg+avx512bw+avx512dq+avx512f+avx512vl+avx512vpopcntdq+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
pub(crate) fn read_blocks(columns: &[&[u64]], first: usize, numbers: &mut [u32]) {
    let n_blocks = numbers.len().div_ceil(ROWS);
    let mut lines: Lines = [[0; BLOCKS]; BYTE];
    let mut bytes = [[[0; BYTE]; BYTE]; BLOCKS];
    numbers.fill(0);
    for (byte, columns) in columns.rchunks(BYTE).take(COLUMNS / BYTE).enumerate() {
        let (used, unused) = lines.split_at_mut(columns.len());
        for (line, column) in used.iter_mut().zip(columns.iter().rev()) {
            line[..n_blocks].copy_from_slice(&column[first..first + n_blocks]);
        }
        unused.iter_mut().for_each(|line| line[..n_blocks].fill(0));
        between_lines(&mut lines, n_blocks, 2);
        between_lines(&mut lines, n_blocks, 5);
        for (idx, line) in lines.iter().enumerate() {
            for (block, limb) in bytes[..n_blocks].iter_mut().zip(line) {
                block[idx] = limb.to_le_bytes();
            }
        }
        for (number, bits) in numbers.iter_mut().zip(bytes.as_flattened().as_flattened()) {
            *number |= u32::from(*bits) << (BYTE * byte);
        }
    }
}

/// Transposes at most 64 · [`BLOCKS`] numbers, their last bits into these planes, the number of
/// which is a multiple of 8. Bits after the last number in its limb become zero; later limbs are
/// unchanged.
#[multiversion(targets(
    "x86_64+avx2+avx512bitalg+avx512bw+avx512dq+avx512f+avx512vl+avx512vpopcntdq+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
pub(crate) fn write_blocks(numbers: &[u32], planes: &mut [[u64; BLOCKS]]) {
    let n_blocks = numbers.len().div_ceil(ROWS);
    let mut bytes = [[[0; BYTE]; BYTE]; BLOCKS];
    for (byte, lines) in planes.as_chunks_mut::<BYTE>().0.iter_mut().enumerate() {
        let to = bytes.as_flattened_mut().as_flattened_mut();
        for (bits, number) in to.iter_mut().zip(numbers) {
            *bits = (number >> (BYTE * byte)) as u8;
        }
        for (idx, line) in lines.iter_mut().enumerate() {
            for (limb, block) in line.iter_mut().zip(&bytes[..n_blocks]) {
                *limb = u64::from_le_bytes(block[idx]);
            }
        }
        between_lines(lines, n_blocks, 5);
        between_lines(lines, n_blocks, 2);
    }
}

#[cfg(test)]
mod tests {
    use star_base::Random;

    use super::*;

    #[test]
    fn blocks_are_transposed_and_back() {
        let mut random = Random::new(32);
        for n in [0_usize, 1, 31, 32, 33, 63, 64, 65, 200, 4095, 4096] {
            let numbers: Vec<u32> = (0..n).map(|_| random.next_u64() as u32).collect();
            let mut planes = [[u64::MAX; BLOCKS]; COLUMNS];
            write_blocks(&numbers, &mut planes);
            for (bit, plane) in planes.iter().enumerate() {
                for row in 0..BLOCKS * ROWS {
                    let is_later = row >= n.next_multiple_of(ROWS);
                    let expected = match numbers.get(row) {
                        Some(number) => u64::from(number >> bit & 1),
                        None => u64::from(is_later),
                    };
                    assert_eq!(plane[row / 64] >> (row % 64) & 1, expected, "{n}, {row}, {bit}");
                }
            }
            let mut fewer = [[u64::MAX; BLOCKS]; 16];
            write_blocks(&numbers, &mut fewer);
            assert_eq!(fewer, planes[..16]);
            // The first column is the most significant one.
            for width in [0, 1, 7, 8, 9, 24, 32] {
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
