//! Parts of lines that run over the rows: gathering them, and keeping that of one rank.

use std::ops::Range;

use star_value::{BitTable, BitVector, OutOfMemory};

use super::{Exchange, Lost, Partition, Place};
use crate::kernels::Kernels;

/// Gathers `n_lines` lines of `n` components, such as the columns of a table, and passes each part
/// to `put`: its line, its components, and its limbs. `given` are the parts of this rank.
pub(crate) fn gather_lines(
    (exchange, partition): (&dyn Exchange, &Partition),
    place: Place,
    given: &[u64],
    (n, n_lines): (usize, usize),
    mut put: impl FnMut(usize, Range<usize>, &[u64]),
) -> Result<(), Lost> {
    let ranges = || (0..partition.n_ranks()).map(|rank| partition.range(n, rank));
    let n_limbs = |range: &Range<usize>| range.len().div_ceil(64);
    let lens: Vec<usize> = ranges().map(|range| n_limbs(&range) * n_lines).collect();
    let parts = exchange.gather(place, given, &lens)?;
    let mut rest = &parts[..];
    for range in ranges() {
        for line in 0..n_lines {
            let (part, others) = rest.split_at(n_limbs(&range));
            put(line, range.clone(), part);
            rest = others;
        }
    }
    Ok(())
}

/// Gathers a slice of `n` components into `whole`.
pub(crate) fn gather_slice(
    with: (&dyn Exchange, &Partition),
    place: Place,
    part: &[u64],
    whole: &mut BitVector,
    kernels: Kernels,
) -> Result<(), Lost> {
    let n = whole.len();
    gather_lines(with, place, part, (n, 1), |_, range, part| {
        kernels.copy_bits(whole.limbs_mut(), range.start, part, 0, range.len());
    })
}

/// Returns the components of a slice that this rank owns, if slices of this length are divided.
pub(crate) fn own_components(
    partition: &Partition,
    bits: &BitVector,
    kernels: Kernels,
) -> Result<BitVector, OutOfMemory> {
    let own = partition.range(bits.len(), partition.rank());
    let mut part = BitVector::try_zeros(own.len())?;
    kernels.copy_bits(part.limbs_mut(), 0, bits.limbs(), own.start, own.len());
    Ok(part)
}

/// Returns the rows of some columns that this rank owns, if tables with these rows are divided.
pub(crate) fn own_rows(
    partition: &Partition,
    columns: &BitTable,
    kernels: Kernels,
) -> Result<BitTable, OutOfMemory> {
    let own = partition.range(columns.n_rows(), partition.rank());
    let refused = |_| OutOfMemory { n_bytes: u128::from(columns.n_bytes()) };
    let mut part = BitTable::zeros(own.len(), columns.n_cols()).map_err(refused)?;
    for idx in 0..columns.n_cols() {
        let (to, from) = (part.column_limbs_mut(idx), columns.column_limbs(idx));
        kernels.copy_bits(to, 0, from, own.start, own.len());
    }
    Ok(part)
}
