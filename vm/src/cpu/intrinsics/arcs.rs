//! The intrinsics of the module `arcs`, on [`ArcTables`] and [`GroupedArcs`]. The grouped arcs are
//! kept for the next call: see Note [Structures] in `table/structure.rs`.

use std::sync::Arc;

use star_intrinsics::{
    ArcTables, Distances, Environment, GroupedArcs, InterruptPoller, LineOrder, WeightedEnd,
    write_long_numbers, write_numbers,
};
use star_value::BitTable;

use super::shared_arcs;
use super::{IntrinsicCall, IntrinsicResult, NotTaken};

/// `BFS(s,n,both,left,right,S,Dist)`
pub(super) fn bfs(call: &mut IntrinsicCall) -> IntrinsicResult {
    if let Some(ranks) = call.peers(3)? {
        return shared_arcs::bfs(call, &ranks);
    }
    let (start, n, both) = (call.index(0)?, call.size(1)?, call.truth(2)?);
    let mut distances = reserve(call, n, [3, 4], 6, both)?;
    let arcs = grouped(call, (n, Some(both)), [3, 4], 5)?;
    let environment = call.environment();
    write(&mut distances, &arcs.levels(start, &environment)?, &environment)?;
    call.put_table(6, distances, LineOrder::Columns)
}

/// `SSSP(s,n,h,both,left,right,weight,S,Dist)`
pub(super) fn sssp(call: &mut IntrinsicCall) -> IntrinsicResult {
    if let Some(ranks) = call.peers(4)? {
        return shared_arcs::sssp(call, &ranks);
    }
    let (start, h) = (call.index(0)?, call.size(2)?);
    let table = reserve_distances(call)?;
    let arcs = grouped_weighted(call)?;
    let found = within(arcs.distances(start, &call.environment())?, h)?;
    put_distances(call, table, &found)
}

/// `SSSP_TREE(s,n,h,both,left,right,weight,S,Dist,Pred,T)`
pub(super) fn sssp_tree(call: &mut IntrinsicCall) -> IntrinsicResult {
    let (start, n, h) = (call.index(0)?, call.size(1)?, call.size(2)?);
    let both = call.truth(3)?;
    let table = reserve_distances(call)?;
    let [m, code_width] = call.table_size(4)?;
    let mut before = call.reserve_table(9, n, code_width, LineOrder::Columns)?;
    let mut marked = call.reserve_bits(10, m)?;
    // The arcs of shortest paths and a heap of them, if some weights are zero.
    call.reserve((m as u64).saturating_mul(2 * (24 + 4 + 16)))?;
    let arcs = grouped_weighted(call)?;
    let found = within(arcs.distances(start, &call.environment())?, h)?;
    let environment = call.environment();
    let weight = call.lines(6, LineOrder::Columns)?;
    let tree = tables(call, n, [4, 5], 7)?.tree(weight, &found, (start, both), &environment)?;
    write(&mut before, &tree.before, &environment)?;
    marked.limbs_mut().copy_from_slice(&tree.rows);
    put_distances(call, table, &found)?;
    call.put_table(9, before, LineOrder::Columns)?;
    call.put_bits(10, marked)
}

/// `COMPONENTS(n,left,right,S,Label)`
pub(super) fn components(call: &mut IntrinsicCall) -> IntrinsicResult {
    if let Some(ranks) = call.peers(1)? {
        return shared_arcs::components(call, &ranks);
    }
    let n = call.size(0)?;
    by_columns(call, [1, 2])?;
    let [_, code_width] = call.table_size(1)?;
    let mut labels = call.reserve_table(4, n, code_width, LineOrder::Columns)?;
    call.reserve(GroupedArcs::component_bytes(n))?;
    let arcs = grouped(call, (n, None), [1, 2], 3)?;
    let environment = call.environment();
    write(&mut labels, &arcs.components(&environment)?, &environment)?;
    call.put_table(4, labels, LineOrder::Columns)
}

/// `STRONG(n,left,right,S,Label)`
pub(super) fn strong(call: &mut IntrinsicCall) -> IntrinsicResult {
    let n = call.size(0)?;
    let mut labels = reserve(call, n, [1, 2], 4, false)?;
    let arcs = grouped(call, (n, Some(false)), [1, 2], 3)?;
    let environment = call.environment();
    write(&mut labels, &arcs.strong(&environment)?, &environment)?;
    call.put_table(4, labels, LineOrder::Columns)
}

/// `TOPOLOGICAL(n,left,right,S,Place,acyclic)`
pub(super) fn topological(call: &mut IntrinsicCall) -> IntrinsicResult {
    let n = call.size(0)?;
    let mut places = reserve(call, n, [1, 2], 4, false)?;
    let arcs = grouped(call, (n, Some(false)), [1, 2], 3)?;
    let environment = call.environment();
    let order = arcs.topological(&environment)?;
    write(&mut places, &order.places, &environment)?;
    call.put_table(4, places, LineOrder::Columns)?;
    call.put_truth(5, order.is_acyclic)
}

/// `COUNT_CODES(n,w,T,S,Count)`
pub(super) fn count_codes(call: &mut IntrinsicCall) -> IntrinsicResult {
    let (n, width) = (call.size(0)?, call.size(1)?);
    call.transpose(2, LineOrder::Columns)?;
    let mut table = call.reserve_table(4, n, width, LineOrder::Columns)?;
    call.reserve((n as u64).saturating_mul(4))?;
    let environment = call.environment();
    let (codes, among) = (call.lines(2, LineOrder::Columns)?, call.bits(3)?.limbs());
    let counts = star_intrinsics::count_codes(codes, among, n, &environment)?;
    let counts = counts.ok_or_else(NotTaken::declined)?;
    if counts.iter().any(|count| u64::from(*count) >> width != 0) {
        return Err(NotTaken::declined());
    }
    write(&mut table, &counts, &environment)?;
    call.put_table(4, table, LineOrder::Columns)
}

/// `GATHER(T,Code,X,R)`
pub(super) fn gather(call: &mut IntrinsicCall) -> IntrinsicResult {
    call.transpose(0, LineOrder::Columns)?;
    call.transpose(1, LineOrder::Columns)?;
    let ([n_rows, width], [n, _]) = (call.table_size(0)?, call.table_size(1)?);
    let mut table = call.reserve_table(3, n, width, LineOrder::Columns)?;
    call.reserve((n_rows as u64).saturating_mul(4))?;
    let environment = call.environment();
    let (from, codes) = (call.lines(0, LineOrder::Columns)?, call.lines(1, LineOrder::Columns)?);
    let among = call.bits(2)?.limbs();
    if !star_intrinsics::gather(from, codes, among, &mut table, &environment)? {
        return Err(NotTaken::declined());
    }
    call.put_table(3, table, LineOrder::Columns)
}

/// Ensures that the arcs can be read by columns.
pub(super) fn by_columns(call: &mut IntrinsicCall, ends: [usize; 2]) -> IntrinsicResult {
    if call.table_size(ends[0])?[0] > ArcTables::MOST_ROWS {
        return Err(NotTaken::declined());
    }
    ends.into_iter().try_for_each(|table| call.transpose(table, LineOrder::Columns))
}

/// Does the same, and reserves the memory of a search and of a result with a code for each vertex.
fn reserve(
    call: &mut IntrinsicCall,
    n: usize,
    ends: [usize; 2],
    result: usize,
    both: bool,
) -> IntrinsicResult<BitTable> {
    by_columns(call, ends)?;
    let [m, code_width] = call.table_size(ends[0])?;
    let zeros = call.reserve_table(result, n, code_width, LineOrder::Columns)?;
    call.reserve(GroupedArcs::<u32>::search_bytes(n, m, both))?;
    Ok(zeros)
}

/// Returns the arcs in the rows `among`, grouped by their tails; with `both`, each also by its
/// head. `None`: the direction is of no importance.
fn grouped(
    call: &mut IntrinsicCall,
    (n, both): (usize, Option<bool>),
    ends: [usize; 2],
    among: usize,
) -> IntrinsicResult<Arc<GroupedArcs<u32>>> {
    let kept = call.kept(&ends, |kept: &GroupedArcs<u32>, call| {
        Ok(kept.is_of(n, both, call.bits(among)?.limbs()))
    })?;
    if let Some(kept) = kept {
        return Ok(kept);
    }
    let both = both.unwrap_or(false);
    let n_bytes = GroupedArcs::<u32>::n_bytes(n, call.table_size(ends[0])?[0], both);
    call.reserve(n_bytes)?;
    let environment = call.environment();
    let arcs = tables(call, n, ends, among)?.group(both, &environment)?;
    let arcs = Arc::new(arcs.ok_or_else(NotTaken::declined)?);
    call.keep(&ends, arcs.clone(), n_bytes)?;
    Ok(arcs)
}

/// Does the same for `SSSP` and `SSSP_TREE` with the weights, if they are below half of the range
/// of `h` bits.
fn grouped_weighted(call: &mut IntrinsicCall) -> IntrinsicResult<Arc<GroupedArcs<WeightedEnd>>> {
    let (n, most_bits, both) = (call.size(1)?, call.size(2)? - 1, call.truth(3)?);
    let kept = call.kept(&[4, 5, 6], |kept: &GroupedArcs<WeightedEnd>, call| {
        Ok(kept.is_of(n, Some(both), call.bits(7)?.limbs()))
    })?;
    if let Some(kept) = kept {
        return if kept.fit(most_bits) { Ok(kept) } else { Err(NotTaken::declined()) };
    }
    let n_bytes = GroupedArcs::<WeightedEnd>::n_bytes(n, call.table_size(4)?[0], both);
    call.reserve(n_bytes)?;
    let environment = call.environment();
    let weight = call.lines(6, LineOrder::Columns)?;
    let arcs = tables(call, n, [4, 5], 7)?.group_weighted(weight, most_bits, both, &environment)?;
    let arcs = Arc::new(arcs.ok_or_else(NotTaken::declined)?);
    call.keep(&[4, 5, 6], arcs.clone(), n_bytes)?;
    Ok(arcs)
}

pub(super) fn tables<'c>(
    call: &'c IntrinsicCall,
    n: usize,
    [left, right]: [usize; 2],
    among: usize,
) -> IntrinsicResult<ArcTables<'c>> {
    Ok(ArcTables {
        n,
        left: call.lines(left, LineOrder::Columns)?,
        right: call.lines(right, LineOrder::Columns)?,
        among: call.bits(among)?.limbs(),
    })
}

/// Writes a number for each row.
pub(super) fn write(
    table: &mut BitTable,
    numbers: &[u32],
    environment: &dyn Environment,
) -> IntrinsicResult {
    let (width, mut poller) = (table.n_cols(), InterruptPoller::new(environment));
    Ok(write_numbers(table, 0, width, numbers, &mut poller)?)
}

/// Reserves the memory of the distances of `SSSP` and `SSSP_TREE`.
fn reserve_distances(call: &mut IntrinsicCall) -> IntrinsicResult<BitTable> {
    let (n, h, both) = (call.size(1)?, call.size(2)?, call.truth(3)?);
    by_columns(call, [4, 5])?;
    call.transpose(6, LineOrder::Columns)?;
    let [m, _] = call.table_size(4)?;
    let zeros = call.reserve_table(8, n, h, LineOrder::Columns)?;
    call.reserve(GroupedArcs::<WeightedEnd>::search_bytes(n, m, both))?;
    Ok(zeros)
}

/// Returns the distances if all are below half of the range of `h` bits.
pub(super) fn within(found: Distances, h: usize) -> IntrinsicResult<Distances> {
    if found.fit(h - 1) { Ok(found) } else { Err(NotTaken::declined()) }
}

fn put_distances(
    call: &mut IntrinsicCall,
    mut table: BitTable,
    found: &Distances,
) -> IntrinsicResult {
    write_distances(&mut table, found, &call.environment())?;
    call.put_table(8, table, LineOrder::Columns)
}

/// Writes a distance for each row; all ones: no path.
pub(super) fn write_distances(
    table: &mut BitTable,
    found: &Distances,
    environment: &dyn Environment,
) -> IntrinsicResult {
    let number = |vertex| found.get(vertex as u32).unwrap_or(u64::MAX);
    Ok(write_long_numbers(table, number, &mut InterruptPoller::new(environment))?)
}
