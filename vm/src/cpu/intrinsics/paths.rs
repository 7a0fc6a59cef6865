//! FLOYD, by [`min_plus_closure`], DIJKSTRA, by [`GroupedArcs`] or [`ShortestPaths`], and
//! BELLMAN_FORD, by [`ShortestPaths`].

use std::sync::Arc;

use star_intrinsics::min_plus::{NONE, min_plus_closure};
use star_intrinsics::{
    ArcTables, Environment, GroupedArcs, InterruptPoller, LineOrder, Matrix, ShortestPaths,
    WeightedArcs, WeightedEnd, read_numbers, write_numbers,
};
use star_value::{BitTable, SparseLines};

use super::{IntrinsicCall, IntrinsicResult, NotTaken};

/// `FLOYD(n,h,inf,D)`
pub(super) fn min_plus(call: &mut IntrinsicCall) -> IntrinsicResult {
    let (n, h) = (call.size(0)?, call.size(1)?);
    if n == 0 {
        return Ok(());
    }
    if !(1..=32).contains(&h) || call.bits(2)?.count_ones() != h as u64 {
        return Err(NotTaken::declined());
    }
    call.transpose(3, LineOrder::Columns)?;
    // The lengths, a block of lines, and a field.
    let n_lines = (n as u64).saturating_add(65);
    call.reserve((n as u64).saturating_mul(n_lines).saturating_mul(4))?;
    let environment = call.environment();
    let mut poller = InterruptPoller::new(&environment);
    let mut lengths: Vec<u32> = Vec::new();
    lengths.try_reserve_exact(n * n).map_err(|_| NotTaken::declined())?;
    let inf = u32::MAX >> (32 - h);
    let (mut greatest, mut is_open) = (0, false);
    // A field for each vertex: the lengths of the paths to it.
    for to in 0..n {
        let field = read_numbers(call.lines(3, LineOrder::Columns)?, to * h, h, &mut poller)?;
        is_open |= field[to] == inf;
        for length in field {
            lengths.push(if length == inf { NONE } else { length });
            greatest = if length == inf { greatest } else { greatest.max(length) };
        }
    }
    // A path has at most this many arcs; a cycle has one more, and counts if there was no path from
    // a vertex to itself.
    let n_arcs = if is_open { n } else { (n - 1).max(1) };
    if u128::from(greatest) * n_arcs as u128 >= u128::from(NONE).min(1 << (h - 1)) {
        return Err(NotTaken::declined());
    }
    call.own(3, Some(LineOrder::Columns))?;
    min_plus_closure(&mut lengths, n, &environment)?;
    call.change_lines(3, |lines, _, _| {
        for (to, field) in lengths.chunks_mut(n).enumerate() {
            for length in &mut *field {
                *length = if *length == NONE { inf } else { *length };
            }
            write_numbers(lines, to * h, h, field, &mut poller)?;
        }
        Ok(())
    })
}

/// `DIJKSTRA(s,h,inf,G,Cost,code,Dist,Pred)`
pub(super) fn dijkstra(call: &mut IntrinsicCall) -> IntrinsicResult {
    let (start, width, [n, _]) = (call.index(0)?, call.size(1)?, call.table_size(3)?);
    if n > WeightedArcs::MOST_VERTICES || call.bits(2)?.count_ones() != width as u64 {
        return Err(NotTaken::declined());
    }
    // The minimum of all numbers, and the 32-bit numbers for writing the lengths.
    call.reserve(ShortestPaths::n_bytes(n).saturating_add(4 * n as u64))?;
    let made = Made::reserve(call, (n, width), 5, [6, 7])?;
    let environment = call.environment();
    let mut poller = InterruptPoller::new(&environment);
    let kept = call.kept(&[3, 4], |kept: &GroupedArcs<WeightedEnd>, _| {
        Ok(kept.is_of(n, Some(false), &[]) && kept.fit(width - 1))
    })?;
    if let Some(arcs) = &kept
        && let Some(found) = arcs.paths(start, width, &environment)?
    {
        return made.put(call, &found, &mut poller);
    }
    let transposed = heads_by_rows(call, 3, &environment)?;
    if kept.is_none()
        && let Some(arcs) = grouped(call, transposed.as_ref(), (n, width), [3, 4])?
        && let Some(found) = arcs.paths(start, width, &environment)?
    {
        return made.put(call, &found, &mut poller);
    }
    let arcs = weighted_arcs(call, transposed.as_ref(), [3, 4], width)?;
    let found = ShortestPaths::find(&arcs, n, start, &mut poller)?;
    made.put(call, &found.ok_or_else(NotTaken::declined)?, &mut poller)
}

/// Groups the arcs of a sparse matrix by their tails, if there is room for them and no length is
/// too great. They are kept for the next call: see Note [Structures] in `table/structure.rs`.
fn grouped(
    call: &mut IntrinsicCall,
    transposed: Option<&SparseLines>,
    (n, width): (usize, usize),
    tables: [usize; 2],
) -> IntrinsicResult<Option<Arc<GroupedArcs<WeightedEnd>>>> {
    let n_arcs = weighted_arcs(call, transposed, tables, width)?.count(n);
    let n_bytes = GroupedArcs::<WeightedEnd>::n_bytes(n, n_arcs, false);
    let search_bytes = GroupedArcs::<WeightedEnd>::search_bytes(n, n_arcs, false);
    // Lengths in a matrix that is mostly full are read once, where they are.
    let is_sparse = n_arcs.saturating_mul(128) <= n.saturating_mul(n).saturating_mul(width);
    if !is_sparse
        || n_arcs > ArcTables::MOST_ROWS
        || !call.reserve_if_free(n_bytes.saturating_add(search_bytes))?
    {
        return Ok(None);
    }
    let environment = call.environment();
    let arcs = weighted_arcs(call, transposed, tables, width)?;
    let Some(arcs) = GroupedArcs::of_matrix(&arcs, n, n_arcs, &environment)? else {
        return Ok(None);
    };
    let arcs = Arc::new(arcs);
    call.keep(&tables, arcs.clone(), n_bytes)?;
    Ok(Some(arcs))
}

/// `BELLMAN_FORD(s,n,h,inf,zero,G,Cost,code,Dist,Pred,neg)`
pub(super) fn bellman_ford(call: &mut IntrinsicCall) -> IntrinsicResult {
    let (start, n, width) = (call.index(0)?, call.size(1)?, call.size(2)?);
    let zero = call.bits(4)?;
    let is_biased = zero.get(0) && zero.count_ones() == 1;
    let is_within = n <= WeightedArcs::MOST_VERTICES && is_biased;
    if !is_within || call.bits(3)?.count_ones() != width as u64 {
        return Err(NotTaken::declined());
    }
    let made = Made::reserve(call, (n, width), 7, [8, 9])?;
    let environment = call.environment();
    let mut poller = InterruptPoller::new(&environment);
    let transposed = heads_by_rows(call, 5, &environment)?;
    let n_arcs = weighted_arcs(call, transposed.as_ref(), [5, 6], width)?.count(n);
    // Codes, first vertices of equal codes, and the 32-bit numbers for writing the lengths.
    call.reserve(ShortestPaths::n_bytes_signed(n, n_arcs).saturating_add(16 * n as u64))?;
    let codes = call.lines(7, LineOrder::Columns)?;
    let codes = read_numbers(codes, 0, codes.n_cols(), &mut poller)?;
    let namesakes = namesakes(&codes)?;
    let arcs = weighted_arcs(call, transposed.as_ref(), [5, 6], width)?;
    let from = (start, n_arcs);
    let found = ShortestPaths::find_signed(&arcs, n, from, &namesakes, &mut poller)?;
    let (found, is_negative) = found.ok_or_else(NotTaken::declined)?;
    made.put(call, &found, &mut poller)?;
    call.put_truth(10, is_negative)
}

/// Returns, for each vertex, the first vertex with the same code.
fn namesakes(codes: &[u32]) -> IntrinsicResult<Vec<u32>> {
    let (mut order, mut first) = (Vec::new(), Vec::new());
    let is_room = order.try_reserve_exact(codes.len()).is_ok();
    if !is_room || first.try_reserve_exact(codes.len()).is_err() {
        return Err(NotTaken::declined());
    }
    order.extend(0..codes.len() as u32);
    order.sort_unstable_by_key(|vertex| (codes[*vertex as usize], *vertex));
    first.resize(codes.len(), 0);
    for same in order.chunk_by(|a, b| codes[*a as usize] == codes[*b as usize]) {
        same.iter().for_each(|vertex| first[*vertex as usize] = same[0]);
    }
    Ok(first)
}

/// The distances and the codes of the predecessors, in the reserved memory of their parameters.
struct Made {
    distances: BitTable,
    codes_before: BitTable,
    width: usize,
    /// The parameters: the codes, and the results.
    code: usize,
    to: [usize; 2],
}

impl Made {
    /// Declines if a code is zero.
    fn reserve(
        call: &mut IntrinsicCall,
        (n, width): (usize, usize),
        code: usize,
        to: [usize; 2],
    ) -> IntrinsicResult<Made> {
        call.transpose(code, LineOrder::Columns)?;
        let [_, code_width] = call.table_size(code)?;
        let distances = call.reserve_table(to[0], n, width, LineOrder::Columns)?;
        let codes_before = call.reserve_table(to[1], n, code_width, LineOrder::Columns)?;
        let codes = call.lines(code, LineOrder::Columns)?;
        let is_coded = |place: usize| {
            let any = (0..code_width).fold(0, |any, bit| any | codes.column_limbs(bit)[place]);
            any.count_ones() as usize == (n - place * 64).min(64)
        };
        if !(0..n.div_ceil(64)).all(is_coded) {
            return Err(NotTaken::declined());
        }
        Ok(Made { distances, codes_before, width, code, to })
    }

    fn put(
        self,
        call: &mut IntrinsicCall,
        found: &ShortestPaths,
        poller: &mut InterruptPoller<'_>,
    ) -> IntrinsicResult {
        let Made { mut distances, mut codes_before, width, code, to } = self;
        let n = found.lengths.len();
        let codes = call.lines(code, LineOrder::Columns)?;
        for first in (0..codes.n_cols()).step_by(32) {
            let width = (codes.n_cols() - first).min(32);
            let numbers = read_numbers(codes, first, width, poller)?;
            poller.spend(n)?;
            let before = found.of_predecessors(&numbers)?;
            write_numbers(&mut codes_before, first, width, &before, poller)?;
        }
        // The last 32 bits, and the bits before them.
        let mut halves: Vec<u32> = Vec::new();
        halves.try_reserve_exact(n).map_err(|_| NotTaken::declined())?;
        for (columns, shift) in
            [(width.saturating_sub(32)..width, 0), (0..width.saturating_sub(32), u32::BITS)]
        {
            halves.clear();
            halves.extend(found.lengths.iter().map(|length| (length >> shift) as u32));
            write_numbers(&mut distances, columns.start, columns.len(), &halves, poller)?;
        }
        call.put_table(to[0], distances, LineOrder::Columns)?;
        call.put_table(to[1], codes_before, LineOrder::Columns)
    }
}

/// Returns the arcs of a graph, from `transposed` if present, with their lengths.
fn weighted_arcs<'c>(
    call: &'c IntrinsicCall,
    transposed: Option<&'c SparseLines>,
    [graph, lengths]: [usize; 2],
    width: usize,
) -> IntrinsicResult<WeightedArcs<'c>> {
    let heads = match transposed {
        Some(transposed) => Matrix::Sparse(transposed),
        None => match call.matrix(graph)? {
            (sparse @ Matrix::Sparse(_), _) => sparse,
            (Matrix::Dense(_), _) => Matrix::Dense(call.lines(graph, LineOrder::Rows)?),
        },
    };
    let (lengths, along) = call.matrix(lengths)?;
    Ok(WeightedArcs { heads, lengths, along, width })
}

/// Ensures that the arcs from each vertex are in one line: returns the transpose of a graph that is
/// sparse by columns.
fn heads_by_rows(
    call: &mut IntrinsicCall,
    graph: usize,
    environment: &dyn Environment,
) -> IntrinsicResult<Option<SparseLines>> {
    match call.matrix(graph)? {
        (Matrix::Dense(_), _) => call.transpose(graph, LineOrder::Rows)?,
        (Matrix::Sparse(lines), LineOrder::Columns) => {
            let n_bytes = lines.bytes_to_transpose();
            call.reserve(n_bytes)?;
        }
        (Matrix::Sparse(_), LineOrder::Rows) => {}
    }
    match call.matrix(graph)? {
        (Matrix::Sparse(lines), LineOrder::Columns) => {
            let transposed = lines.transposed(|| environment.poll().is_ok());
            environment.poll()?;
            // Lines on different grounds are left to the Star body.
            Ok(Some(transposed.ok().flatten().ok_or_else(NotTaken::declined)?))
        }
        (Matrix::Sparse(_), LineOrder::Rows) | (Matrix::Dense(_), _) => Ok(None),
    }
}
