//! TRANSPOSE and SYMMETRISE, dense and sparse.

use star_intrinsics::{Environment, InterruptPoller, LineOrder};
use star_value::SparseLines;

use super::{IntrinsicCall, IntrinsicResult, NotTaken};

/// `TRANSPOSE(G,H)`
pub(super) fn transpose(call: &mut IntrinsicCall) -> IntrinsicResult {
    let [n_rows, n_cols] = call.table_size(0)?;
    if let Some((lines, order)) = call.sparse(0)? {
        let n_bytes = lines.n_bytes();
        call.reserve_sparse(1, [n_cols, n_rows], n_bytes)?;
        let (lines, _) = call.sparse(0)?.ok_or_else(NotTaken::declined)?;
        // A row of the table is a column of the transpose.
        let copy = lines.try_clone().map_err(|_| NotTaken::declined())?;
        return call.put_sparse(1, copy, other(order));
    }
    let environment = call.environment();
    let mut poller = InterruptPoller::new(&environment);
    let order = other(call.home(0)?.1);
    let mut copy = call.reserve_table(1, n_cols, n_rows, order)?;
    let (lines, _) = call.home(0)?;
    for line in 0..lines.n_cols() {
        poller.copy(copy.column_limbs_mut(line), lines.column_limbs(line))?;
    }
    call.put_table(1, copy, order)
}

/// `SYMMETRISE(G,H)`
pub(super) fn symmetrise(call: &mut IntrinsicCall) -> IntrinsicResult {
    let [n, _] = call.table_size(0)?;
    let environment = call.environment();
    let mut poller = InterruptPoller::new(&environment);
    if let Some((lines, order)) = call.sparse(0)? {
        let n_limbs = 2 * lines.n_limbs();
        let n_bytes = lines.bytes_to_transpose().saturating_add(SparseLines::bytes_for(n, n_limbs));
        call.reserve_sparse(1, [n, n], n_bytes)?;
        let (lines, _) = call.sparse(0)?.ok_or_else(NotTaken::declined)?;
        let transposed = lines.transposed(|| environment.poll().is_ok());
        environment.poll()?;
        let transposed = transposed.ok().flatten().ok_or_else(NotTaken::declined)?;
        let merged = merge([lines, &transposed], n, n_limbs, &mut poller)?;
        drop(transposed);
        return call.put_sparse(1, merged, order);
    }
    call.transpose(0, LineOrder::Columns)?;
    call.transpose(0, LineOrder::Rows)?;
    let mut merged = call.reserve_table(1, n, n, LineOrder::Columns)?;
    let columns = call.lines(0, LineOrder::Columns)?;
    let rows = call.lines(0, LineOrder::Rows)?;
    for line in 0..n {
        poller.copy(merged.column_limbs_mut(line), columns.column_limbs(line))?;
        poller.or(merged.column_limbs_mut(line), rows.column_limbs(line))?;
    }
    call.put_table(1, merged, LineOrder::Columns)
}

/// The unions of the lines of two tables of `n` lines on grounds of zeros.
fn merge(
    [one, other]: [&SparseLines; 2],
    n: usize,
    n_limbs: usize,
    poller: &mut InterruptPoller<'_>,
) -> IntrinsicResult<SparseLines> {
    let refused = |_| NotTaken::declined();
    let mut merged = SparseLines::zeros(one.len(), n, n_limbs).map_err(refused)?;
    let mut limbs: Vec<(u32, u64)> = Vec::new();
    for line in 0..n {
        limbs.clear();
        let lines = [one.line(line), other.line(line)];
        let mut second = lines[1].each().peekable();
        for (place, limb) in lines[0].each() {
            while let Some(before) = second.next_if(|(other, _)| *other < place) {
                limbs.push(before);
            }
            let same = second.next_if(|(other, _)| *other == place);
            limbs.push((place, limb | same.map_or(0, |(_, limb)| limb)));
        }
        limbs.extend(second);
        poller.spend(4 + limbs.len())?;
        merged.set(line, false, limbs.iter().copied()).map_err(refused)?;
    }
    Ok(merged)
}

fn other(order: LineOrder) -> LineOrder {
    match order {
        LineOrder::Rows => LineOrder::Columns,
        LineOrder::Columns => LineOrder::Rows,
    }
}
