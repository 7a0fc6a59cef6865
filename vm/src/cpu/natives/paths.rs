//! FLOYD, by [`min_plus_closure`], and DIJKSTRA, by [`ShortestPaths`].

use star_base::SparseLines;
use star_natives::min_plus::{NONE, min_plus_closure};
use star_natives::{
    Environment, InterruptPoller, Lines, Matrix, ShortestPaths, WeightedArcs, read_numbers,
    write_numbers,
};

use super::{NativeCall, NativeResult, NotTaken};

/// `FLOYD(n,h,inf,D)`
pub(super) fn min_plus(call: &mut NativeCall) -> NativeResult {
    let (n, h) = (call.size(0)?, call.size(1)?);
    if n == 0 {
        return Ok(());
    }
    if !(1..=32).contains(&h) || call.bits(2)?.count_ones() != h as u64 {
        return Err(NotTaken::declined());
    }
    call.turn(3, Lines::Columns)?;
    // The lengths, a block of lines, and a field.
    let n_lines = (n as u64).saturating_add(65);
    call.reserve((n as u64).saturating_mul(n_lines).saturating_mul(4))?;
    let environment = call.environment();
    let mut poller = InterruptPoller::new(&environment);
    let mut lengths: Vec<u32> = Vec::new();
    lengths.try_reserve_exact(n * n).map_err(|_| NotTaken::declined())?;
    let inf = u32::MAX >> (32 - h);
    let (mut greatest, mut is_open) = (0, false);
    // A field for each vertex: the lengths to it.
    for to in 0..n {
        let field = read_numbers(call.lines(3, Lines::Columns)?, to * h, h, &mut poller)?;
        is_open |= field[to] == inf;
        for length in field {
            lengths.push(if length == inf { NONE } else { length });
            greatest = if length == inf { greatest } else { greatest.max(length) };
        }
    }
    // A path has so many arcs at most; a cycle has one more, and counts where there was no way from a vertex to itself.
    let n_arcs = if is_open { n } else { (n - 1).max(1) };
    if u128::from(greatest) * n_arcs as u128 >= u128::from(NONE).min(1 << (h - 1)) {
        return Err(NotTaken::declined());
    }
    call.own(3, Some(Lines::Columns))?;
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
pub(super) fn dijkstra(call: &mut NativeCall) -> NativeResult {
    let (start, width, [n, _]) = (call.index(0)?, call.size(1)?, call.table_size(3)?);
    let is_within = n <= WeightedArcs::MOST_VERTICES && width <= WeightedArcs::MOST_BITS;
    if !is_within || call.bits(2)?.count_ones() != width as u64 {
        return Err(NotTaken::declined());
    }
    call.turn(5, Lines::Columns)?;
    let [_, code_width] = call.table_size(5)?;
    // The least of all numbers, with those of 32 bits that lengths are written by.
    call.reserve(ShortestPaths::n_bytes(n).saturating_add(4 * n as u64))?;
    let mut distances = call.reserve_table(6, n, width, Lines::Columns)?;
    let mut codes_before = call.reserve_table(7, n, code_width, Lines::Columns)?;
    let environment = call.environment();
    let mut poller = InterruptPoller::new(&environment);
    let codes = call.lines(5, Lines::Columns)?;
    let is_coded = |place: usize| {
        let any = (0..code_width).fold(0, |any, bit| any | codes.column_limbs(bit)[place]);
        any.count_ones() as usize == (n - place * 64).min(64)
    };
    if !(0..n.div_ceil(64)).all(is_coded) {
        return Err(NotTaken::declined());
    }
    let turned = heads_by_rows(call, &environment)?;
    let heads = match &turned {
        Some(turned) => Matrix::Sparse(turned),
        None => match call.matrix(3)? {
            (sparse @ Matrix::Sparse(_), _) => sparse,
            (Matrix::Dense(_), _) => Matrix::Dense(call.lines(3, Lines::Rows)?),
        },
    };
    let (lengths, along) = call.matrix(4)?;
    let arcs = WeightedArcs { heads, lengths, along, width };
    let found = ShortestPaths::find(&arcs, n, start, &mut poller)?;
    let found = found.ok_or_else(NotTaken::declined)?;
    let codes = call.lines(5, Lines::Columns)?;
    for bit in 0..code_width {
        poller.spend(n / 16)?;
        found.bits_before(codes.column_limbs(bit), codes_before.column_limbs_mut(bit));
    }
    // The last 32 bits, and those in front of them.
    let mut halves: Vec<u32> = Vec::new();
    halves.try_reserve_exact(n).map_err(|_| NotTaken::declined())?;
    for (columns, shift) in
        [(width.saturating_sub(32)..width, 0), (0..width.saturating_sub(32), u32::BITS)]
    {
        halves.clear();
        halves.extend(found.lengths.iter().map(|length| (length >> shift) as u32));
        write_numbers(&mut distances, columns.start, columns.len(), &halves, &mut poller)?;
    }
    call.put_table(6, distances, Lines::Columns)?;
    call.put_table(7, codes_before, Lines::Columns)
}

/// Sees to it that a graph has the arcs that begin at a vertex in a line: one that is sparse by columns is turned into these lines, which are given back.
fn heads_by_rows(
    call: &mut NativeCall,
    environment: &dyn Environment,
) -> NativeResult<Option<SparseLines>> {
    match call.matrix(3)? {
        (Matrix::Dense(_), _) => call.turn(3, Lines::Rows)?,
        (Matrix::Sparse(lines), Lines::Columns) => {
            let n_bytes = lines.bytes_to_turn();
            call.reserve(n_bytes)?;
        }
        (Matrix::Sparse(_), Lines::Rows) => {}
    }
    match call.matrix(3)? {
        (Matrix::Sparse(lines), Lines::Columns) => {
            let turned = lines.turned(|| environment.poll().is_ok());
            environment.poll()?;
            // Lines of different grounds are left to the Star body.
            Ok(Some(turned.ok().flatten().ok_or_else(NotTaken::declined)?))
        }
        (Matrix::Sparse(_), Lines::Rows) | (Matrix::Dense(_), _) => Ok(None),
    }
}
