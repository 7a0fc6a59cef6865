//! WARSHALL and its variants, in place, on the home form of the table.
//!
//! Note [Sparse closures]. For a sparse graph, the strong components and the reachability between
//! them are computed. They give the number of ones in the closure. It is written as sparse lines if
//! these need at most half of the memory of the dense table; otherwise the table becomes dense, and
//! is closed in place. If the closure fits in neither form, the run ends at the limit at once: the
//! Star body would need minutes to reach it. Counting ends as soon as this is certain.

use star_intrinsics::{Closing, Components, InterruptPoller, Reach};
use star_value::SparseLines;

use super::reach::sparse_reach;
use super::{IntrinsicCall, IntrinsicResult, NotTaken};

/// `WARSHALL(n,P)`
pub(super) fn closure(call: &mut IntrinsicCall) -> IntrinsicResult {
    let n = call.size(0)?;
    if n == 0 {
        return Ok(());
    }
    // Vertices are numbered in 31 bits, and one number is reserved.
    if n > Components::MOST_SPARSE {
        return Err(NotTaken::declined());
    }
    let [n_rows, n_cols] = call.table_size(1)?;
    if call.sparse(1)?.is_some() && (!call.is_worth_sparse(1)? || !closed_sparse(call, n)?) {
        call.make_dense(1)?;
    }
    if call.sparse(1)?.is_some() {
        return Ok(());
    }
    call.reserve(Closing::n_bytes(n, n_rows.max(n_cols).div_ceil(64)))?;
    let environment = call.environment();
    let mut poller = InterruptPoller::new(&environment);
    let (lines, _) = call.home(1)?;
    let mut closing = Closing::find(lines, n, &mut poller)?;
    // A shared table is copied, but only if it changes.
    if !closing.next(lines, &mut poller)? {
        return Ok(());
    }
    call.own(1, None)?;
    call.change_lines(1, |lines, _, _| Ok(closing.close(lines, &mut poller)?))
}

/// Closes a sparse graph as sparse lines; false if the dense table is better. See Note [Sparse
/// closures].
fn closed_sparse(call: &mut IntrinsicCall, n: usize) -> IntrinsicResult<bool> {
    if call.table_size(1)? != [n, n] {
        return Ok(false);
    }
    let reach = sparse_reach(call, n)?;
    call.reserve(reach.line_bytes())?;
    let (dense, available) = (Reach::closure_bytes(n), call.available());
    // With more limbs, a sparse table does not pay or does not fit.
    let most = SparseLines::limbs_in(n, available.min(dense / 2));
    let environment = call.environment();
    let n_ones = reach.count_ones((most as u64).saturating_mul(64), &environment)?;
    let mut n_bytes = reach.least_sparse_bytes(n_ones);
    let mut n_limbs = 0;
    if n_bytes <= available.min(dense / 2) {
        n_limbs = reach.n_limbs(most, &mut InterruptPoller::new(&environment))?;
        n_bytes = SparseLines::bytes_for(n, n_limbs);
    }
    if n_bytes > dense / 2 {
        return Ok(false);
    }
    if !call.reserve_if_free(n_bytes)? {
        return Err(call.over_the_limit(n_bytes));
    }
    let (_, lines) = call.sparse(1)?.ok_or_else(NotTaken::declined)?;
    let made = reach.to_sparse(n_limbs, &mut InterruptPoller::new(&environment))?;
    call.put_sparse(1, made, lines)?;
    Ok(true)
}
