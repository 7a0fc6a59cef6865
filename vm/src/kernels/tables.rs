//! Rows of tables that are stored by columns.

/// Columns of bits in one allocation: column j, from 0, begins at limb `j * stride`.
#[derive(Clone, Copy, Debug)]
pub struct Columns<'a> {
    /// All limbs of all columns. The last column may end without padding.
    pub storage: &'a [u64],
    /// Limbs from the beginning of a column to that of the next one.
    pub stride: usize,
    /// Number of columns.
    pub n_cols: usize,
}

#[inline(always)]
pub(super) fn gather_row(columns: Columns<'_>, row: usize, dst: &mut [u64]) {
    let Columns { storage, stride, n_cols } = columns;
    let (limb_idx, bit) = (row / 64, row % 64);
    for (block, d) in dst[..n_cols.div_ceil(64)].iter_mut().enumerate() {
        let n = (n_cols - block * 64).min(64);
        let mut gathered = 0;
        let mut at = block * 64 * stride + limb_idx;
        for idx in 0..n {
            gathered |= (storage[at] >> bit & 1) << idx;
            at += stride;
        }
        *d = gathered;
    }
}

#[inline(always)]
pub(super) fn gather_bit(limbs: &[u64], bit: usize, dst: &mut [u64]) {
    let (blocks, rest) = limbs.as_chunks::<64>();
    let n_limbs = limbs.len().div_ceil(64);
    for (d, block) in dst[..n_limbs].iter_mut().zip(blocks) {
        // Eight independent sums, which are combined at the end.
        let mut sums = [0u64; 8];
        for (idx, eight) in block.as_chunks::<8>().0.iter().enumerate() {
            for (at, (sum, limb)) in sums.iter_mut().zip(eight).enumerate() {
                *sum |= (limb >> bit & 1) << (8 * idx + at);
            }
        }
        *d = sums.iter().fold(0, |all, sum| all | sum);
    }
    if !rest.is_empty() {
        let bits = rest.iter().enumerate().map(|(idx, limb)| (limb >> bit & 1) << idx);
        dst[n_limbs - 1] = bits.fold(0, |all, one| all | one);
    }
}

#[inline(always)]
pub(super) fn scatter_row(
    storage: &mut [u64],
    stride: usize,
    n_cols: usize,
    row: usize,
    src: &[u64],
) {
    let (limb_idx, bit) = (row / 64, row % 64);
    for (block, &bits) in src[..n_cols.div_ceil(64)].iter().enumerate() {
        let n = (n_cols - block * 64).min(64);
        let mut at = block * 64 * stride + limb_idx;
        for idx in 0..n {
            let limb = &mut storage[at];
            *limb = *limb & !(1 << bit) | (bits >> idx & 1) << bit;
            at += stride;
        }
    }
}
