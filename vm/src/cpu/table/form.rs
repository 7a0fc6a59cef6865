//! One form of a table: packed lines, one after another, with the operations on the whole form or
//! across its lines.

use star_value::{BitTable, Limbs};

use crate::cpu::parallelism::{Parallelism, pieces};
use crate::interrupt::{Exec, internal_error};
use crate::kernels::Columns;

/// Rows or columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cpu) enum Line {
    Row,
    Column,
}

/// Returns the bytes of packed bits, in whole limbs.
pub(in crate::cpu) fn bytes_of(len: usize) -> u64 {
    len.div_ceil(64) as u64 * 8
}

/// Limbs of a cache line, and of a page, which the system allocates on first access.
const LINE_LIMBS: usize = 8;
const PAGE_LIMBS: usize = 512;

/// Returns the cost, in limbs per column, of an access to one bit of each column.
fn limbs_touched(stride: usize) -> usize {
    if stride < PAGE_LIMBS { LINE_LIMBS } else { PAGE_LIMBS }
}

/// Returns `form` as the kernels see it.
pub(in crate::cpu) fn columns_of(form: &BitTable) -> Columns<'_> {
    Columns { storage: form.storage(), stride: form.stride(), n_cols: form.n_cols() }
}

/// Reads row `idx` of `form`.
pub(in crate::cpu) fn gather(
    form: &BitTable,
    idx: usize,
    dst: &mut [u64],
    parallelism: &Parallelism<'_>,
) -> Exec<()> {
    let all = columns_of(form);
    // 64 accesses for a limb, each of which may miss every cache.
    parallelism.fill(dst, 64 * limbs_touched(all.stride), |start, part| {
        let from = start * 64;
        let columns = Columns {
            storage: all.storage.get(from * all.stride..).unwrap_or(&[]),
            stride: all.stride,
            n_cols: all.n_cols.saturating_sub(from).min(part.len() * 64),
        };
        parallelism.kernels.gather_row(columns, idx, part);
    })
}

/// Writes the bits of `src` to row `idx` of `form`.
pub(in crate::cpu) fn scatter(
    form: &mut BitTable,
    idx: usize,
    src: &[u64],
    parallelism: &Parallelism<'_>,
) -> Exec<()> {
    let (stride, n_cols, kernels) = (form.stride(), form.n_cols(), parallelism.kernels);
    let per_column = limbs_touched(stride);
    let n_touched = n_cols.saturating_mul(per_column);
    let limbs_at_once = (parallelism.settings.piece_limbs / (64 * per_column)).max(1);
    let chunk = stride.saturating_mul(64 * limbs_at_once);
    parallelism.chunks(
        form.storage_mut(),
        chunk,
        n_touched,
        || (),
        |(), chunk_idx, storage| {
            let from = chunk_idx * limbs_at_once;
            let n_cols = (n_cols - from * 64).min(limbs_at_once * 64);
            kernels.scatter_row(storage, stride, n_cols, idx, &src[from..]);
        },
    )
}

/// Copies `form`, to used memory if there is some of its size; `None` if the system has no memory
/// for it.
pub(in crate::cpu) fn copy_of(
    form: &BitTable,
    used: Option<Limbs>,
    parallelism: &Parallelism<'_>,
) -> Exec<Option<BitTable>> {
    let (n_rows, n_cols) = (form.n_rows(), form.n_cols());
    let copy = match used.filter(|used| used.len() == form.storage().len()) {
        Some(used) => Ok(BitTable::in_used(n_rows, n_cols, used)),
        None => BitTable::zeros(n_rows, n_cols),
    };
    let Ok(mut copy) = copy else { return Ok(None) };
    let from = form.storage();
    parallelism.fill(copy.storage_mut(), 1, |start, part| {
        part.copy_from_slice(&from[start..start + part.len()]);
    })?;
    Ok(Some(copy))
}

/// Copies `n_cols` columns of `from`, from `from_idx` on, to the columns of `to` from `to_idx` on.
/// Both have the same number of rows.
pub(in crate::cpu) fn copy_columns(
    from: &BitTable,
    from_idx: usize,
    to: &mut BitTable,
    to_idx: usize,
    n_cols: usize,
    parallelism: &Parallelism<'_>,
) -> Exec<()> {
    // Columns of one length have the same stride in every table, so they are one run of limbs.
    let stride = to.stride();
    if n_cols == 0 || stride == 0 {
        return Ok(());
    }
    if from.stride() != stride {
        return Err(internal_error("columns of one length with different strides"));
    }
    let from = &from.storage()[from_idx * stride..(from_idx + n_cols) * stride];
    let to = &mut to.storage_mut()[to_idx * stride..(to_idx + n_cols) * stride];
    parallelism.fill(to, 1, |start, part| {
        part.copy_from_slice(&from[start..start + part.len()]);
    })
}

/// Returns the transpose of `form`; `None` if the system has no memory for it.
pub(in crate::cpu) fn transpose(
    form: &BitTable,
    parallelism: &Parallelism<'_>,
) -> Exec<Option<BitTable>> {
    let (n_rows, n_cols) = (form.n_rows(), form.n_cols());
    let Ok(mut transposed) = BitTable::zeros(n_cols, n_rows) else { return Ok(None) };
    let stride = transposed.stride();
    // Eight limbs of every source column form 512 destination columns.
    const LIMBS: usize = 8;
    let all = columns_of(form);
    if n_rows == 0 || n_cols == 0 {
        return Ok(Some(transposed));
    }
    // The number of source columns between two checks of the flags, in whole limbs.
    let at_once =
        (parallelism.settings.poll_limbs / all.stride.max(1)).next_multiple_of(64).max(64);
    for part in pieces(0..n_cols, at_once) {
        let source = Columns {
            storage: &all.storage[part.start * all.stride..],
            stride: all.stride,
            n_cols: part.len(),
        };
        let storage = &mut transposed.storage_mut()[part.start / 64..];
        let n_limbs = part.len().saturating_mul(all.stride);
        parallelism.chunks(
            storage,
            64 * LIMBS * stride,
            n_limbs,
            || (),
            |(), idx, dst| {
                let from = idx * LIMBS;
                let to = (from + LIMBS).min(n_rows.div_ceil(64));
                parallelism.kernels.transpose_limbs(source, n_rows, from..to, dst, stride);
            },
        )?;
    }
    Ok(Some(transposed))
}
