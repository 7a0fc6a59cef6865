//! One form of a table: packed lines, one after another, and what is done to all of it or across its lines.

use star_base::BitTable;

use super::parallelism::{Parallelism, pieces};
use crate::interrupt::{Exec, internal_error};
use crate::kernels::Columns;

/// Rows or columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    Row,
    Column,
}

/// Bytes of packed bits, whole limbs.
pub(super) fn bytes_of(len: usize) -> u64 {
    len.div_ceil(64) as u64 * 8
}

/// Limbs of a line of the cache, and of a page, which the system takes its time to make when it is touched
/// first.
const LINE_LIMBS: usize = 8;
const PAGE_LIMBS: usize = 512;

/// How many limbs an access to one bit of each column costs as much as, for each column.
fn limbs_touched(stride: usize) -> usize {
    if stride < PAGE_LIMBS { LINE_LIMBS } else { PAGE_LIMBS }
}

/// `form` as seen by the kernels.
pub(super) fn columns_of(form: &BitTable) -> Columns<'_> {
    Columns { storage: form.storage(), stride: form.stride(), n_cols: form.n_cols() }
}

/// Row `idx` of `form`.
pub(super) fn gather(
    form: &BitTable,
    idx: usize,
    dst: &mut [u64],
    parallelism: &Parallelism<'_>,
) -> Exec<()> {
    let all = columns_of(form);
    // 64 accesses for a limb, and each may miss every cache.
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

/// Row `idx` of `form` takes the bits of `src`.
pub(super) fn scatter(
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

/// A copy of `form`; `None` if the system has no room for it.
pub(super) fn copy_of(form: &BitTable, parallelism: &Parallelism<'_>) -> Exec<Option<BitTable>> {
    let Ok(mut copy) = BitTable::zeros(form.n_rows(), form.n_cols()) else { return Ok(None) };
    let from = form.storage();
    parallelism.fill(copy.storage_mut(), 1, |start, part| {
        part.copy_from_slice(&from[start..start + part.len()]);
    })?;
    Ok(Some(copy))
}

/// `n_cols` columns of `to`, from `to_idx` on, take those of `from`, from `from_idx` on, which has as many rows.
pub(super) fn copy_columns(
    from: &BitTable,
    from_idx: usize,
    to: &mut BitTable,
    to_idx: usize,
    n_cols: usize,
    parallelism: &Parallelism<'_>,
) -> Exec<()> {
    // Columns of one length lie as far apart in every table, so that they are one run of limbs.
    let stride = to.stride();
    if n_cols == 0 || stride == 0 {
        return Ok(());
    }
    if from.stride() != stride {
        return Err(internal_error("columns of one length that lie differently far apart"));
    }
    let from = &from.storage()[from_idx * stride..(from_idx + n_cols) * stride];
    let to = &mut to.storage_mut()[to_idx * stride..(to_idx + n_cols) * stride];
    parallelism.fill(to, 1, |start, part| {
        part.copy_from_slice(&from[start..start + part.len()]);
    })
}

/// The corner turn of `form`; `None` if the system has no room for it.
pub(super) fn turn(form: &BitTable, parallelism: &Parallelism<'_>) -> Exec<Option<BitTable>> {
    let (n_rows, n_cols) = (form.n_rows(), form.n_cols());
    let Ok(mut turned) = BitTable::zeros(n_cols, n_rows) else { return Ok(None) };
    let stride = turned.stride();
    // Eight limbs of every source column make 512 destination columns.
    const LIMBS: usize = 8;
    let all = columns_of(form);
    if n_rows == 0 || n_cols == 0 {
        return Ok(Some(turned));
    }
    // So many source columns at a time that the flags are looked at often enough, whole limbs of them.
    let at_once =
        (parallelism.settings.poll_limbs / all.stride.max(1)).next_multiple_of(64).max(64);
    for part in pieces(0..n_cols, at_once) {
        let source = Columns {
            storage: &all.storage[part.start * all.stride..],
            stride: all.stride,
            n_cols: part.len(),
        };
        let storage = &mut turned.storage_mut()[part.start / 64..];
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
    Ok(Some(turned))
}
