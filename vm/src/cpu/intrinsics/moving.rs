//! The routines of module `moving` with a handle, with [`Movers`] in it.

use star_intrinsics::moving::{Movers, Point, Query, Rect, Update};
use star_intrinsics::{
    Ended, Environment, InterruptPoller, IntrinsicState, LineOrder, read_numbers, write_numbers,
};
use star_value::BitTable;

use super::{IntrinsicCall, IntrinsicResult, NotTaken};

/// `MOVING_INIT(n,k,H)`
pub(super) fn init(call: &mut IntrinsicCall) -> IntrinsicResult {
    let [n, bits] = [0, 1].map(|idx| u32::try_from(call.int(idx)?).map_err(|_| declined()));
    let [n, bits] = [n?, bits?];
    // The id index, and the tables that it represents.
    let tables = (2 * u64::from(bits) + 1).saturating_mul(8 * u64::from(n).div_ceil(64));
    call.reserve(Movers::new_bytes(n).saturating_add(tables))?;
    let movers = Movers::new(n, bits)?.ok_or_else(NotTaken::declined)?;
    call.put_state(2, movers)
}

/// `MOVING_PUT(i,v,w,H)`
pub(super) fn put(call: &mut IntrinsicCall) -> IntrinsicResult {
    let number = |idx: usize| {
        let bits = call.bits(idx)?;
        Ok(bits.iter().fold(0u32, |number, bit| number << 1 | u32::from(bit)))
    };
    let [x, y]: [IntrinsicResult<u32>; 2] = [number(1), number(2)];
    let to = Some(point(x?, y?)?);
    let id = u32::try_from(call.int(0)?).map_err(|_| declined())?;
    take(call, 3, &[Update { id, to }])
}

/// `MOVING_DROP(i,H)`
pub(super) fn drop_object(call: &mut IntrinsicCall) -> IntrinsicResult {
    let id = u32::try_from(call.int(0)?).map_err(|_| declined())?;
    take(call, 1, &[Update { id, to: None }])
}

/// `MOVING_MOVES(I,U,V,G,H)`
pub(super) fn moves(call: &mut IntrinsicCall) -> IntrinsicResult {
    let n = call.state::<Movers>(4)?.n();
    let [ids, xs, ys] = fields(call, [0, 1, 2])?;
    let mut updates = list(call, ids.len())?;
    for (((id, x), y), is_gone) in ids.into_iter().zip(xs).zip(ys).zip(call.bits(3)?.iter()) {
        if !(1..=n).contains(&id) {
            return Err(declined());
        }
        updates.push(Update { id, to: if is_gone { None } else { Some(point(x, y)?) } });
    }
    take(call, 4, &updates)
}

/// `MOVING_RANGES(A,B,C,D,H,Q,J)`
pub(super) fn ranges(call: &mut IntrinsicCall) -> IntrinsicResult {
    let movers = call.state::<Movers>(4)?;
    let [x1, y1, x2, y2] = fields(call, [0, 1, 2, 3])?;
    let n_questions = x1.len();
    let mut queries = list(call, n_questions)?;
    for ((((number, x1), y1), x2), y2) in (1..).zip(x1).zip(y1).zip(x2).zip(y2) {
        let [low, high] = [point(x1, y1)?, point(x2, y2)?];
        // The interval from a number to a smaller one is empty.
        if x1 <= x2 && y1 <= y2 {
            queries.push(Query { number, range: Rect::new(low, high) });
        }
    }
    let environment = call.environment();
    call.reserve(movers.index().most_for_queries(&queries))?;
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    movers.index().ask(&queries, &mut pairs, &environment)?;
    pairs.sort_unstable();
    put_pairs(call, [5, 6], [n_questions, movers.n() as usize], &pairs)
}

/// `MOVING_NEAREST(V,W,m,H,Q,J)`
pub(super) fn nearest(call: &mut IntrinsicCall) -> IntrinsicResult {
    let movers = call.state::<Movers>(3)?;
    let [xs, ys] = fields(call, [0, 1])?;
    let (n_points, k) = (xs.len(), call.size(2)?);
    let mut points = list(call, n_points)?;
    for (x, y) in xs.into_iter().zip(ys) {
        points.push(point(x, y)?);
    }
    let environment = call.environment();
    call.reserve(movers.index().most_for_nearest(n_points, k, environment.threads()))?;
    let found = movers.index().nearest(&points, k, &environment)?;
    let mut pairs = list(call, found.iter().map(Vec::len).sum())?;
    for (number, found) in (1..).zip(found) {
        pairs.extend(found.iter().map(|one| (number, one.id)));
    }
    put_pairs(call, [4, 5], [n_points, movers.n() as usize], &pairs)
}

/// `MOVING_TABLES(H,X,Y,P)`
pub(super) fn tables(call: &mut IntrinsicCall) -> IntrinsicResult {
    let movers = call.state::<Movers>(0)?;
    let (n, bits) = (movers.n() as usize, movers.bits() as usize);
    let mut x = call.reserve_table(1, n, bits, LineOrder::Columns)?;
    let mut y = call.reserve_table(2, n, bits, LineOrder::Columns)?;
    let mut there = call.reserve_bits(3, n)?;
    call.reserve(8 * n.div_ceil(64) as u64)?;
    let mut column = BitTable::zeros(n, 1).map_err(|_| declined())?;
    let environment = call.environment();
    for (idx, table) in [&mut x, &mut y, &mut column].into_iter().enumerate() {
        movers.write(idx, table, &environment)?;
    }
    there.limbs_mut().copy_from_slice(column.column_limbs(0));
    call.put_table(1, x, LineOrder::Columns)?;
    call.put_table(2, y, LineOrder::Columns)?;
    call.put_bits(3, there)
}

fn declined() -> NotTaken {
    NotTaken::declined()
}

/// A point with coordinates of at most 30 bits.
fn point(x: u32, y: u32) -> IntrinsicResult<Point> {
    Point::new(x.into(), y.into()).ok_or_else(NotTaken::declined)
}

/// Returns an empty list with room for `n` items.
fn list<T>(call: &mut IntrinsicCall, n: usize) -> IntrinsicResult<Vec<T>> {
    call.reserve((n as u64).saturating_mul(size_of::<T>() as u64))?;
    let mut list = Vec::new();
    list.try_reserve_exact(n).map_err(|_| Ended::OutOfMemory)?;
    Ok(list)
}

/// Returns the numbers in the rows of several tables.
fn fields<const N: usize>(
    call: &mut IntrinsicCall,
    params: [usize; N],
) -> IntrinsicResult<[Vec<u32>; N]> {
    let mut all = [const { Vec::new() }; N];
    for (field, idx) in all.iter_mut().zip(params) {
        let [n_rows, n_cols] = call.table_size(idx)?;
        call.transpose(idx, LineOrder::Columns)?;
        call.reserve(4 * n_rows as u64)?;
        let environment = call.environment();
        let mut poller = InterruptPoller::new(&environment);
        *field = read_numbers(call.lines(idx, LineOrder::Columns)?, 0, n_cols, &mut poller)?;
    }
    Ok(all)
}

/// Applies a batch of moves.
fn take(call: &mut IntrinsicCall, handle: usize, updates: &[Update]) -> IntrinsicResult {
    let environment = call.environment();
    let growth = {
        let movers = call.state::<Movers>(handle)?;
        movers.index().most_growth(updates.len(), environment.threads())
    };
    call.reserve(growth)?;
    call.own_state::<Movers>(handle)?;
    call.change_state(handle, |movers: &mut Movers, _| Ok(movers.take(updates, &environment)?))
}

/// Stores the parts of pairs of numbers in two tables, with the minimum number of bits for numbers
/// up to `most`.
fn put_pairs(
    call: &mut IntrinsicCall,
    params: [usize; 2],
    most: [usize; 2],
    pairs: &[(u32, u32)],
) -> IntrinsicResult {
    let environment = call.environment();
    let mut poller = InterruptPoller::new(&environment);
    let mut numbers = list(call, pairs.len())?;
    let mut made = Vec::new();
    for (side, (idx, most)) in params.into_iter().zip(most).enumerate() {
        let width = (usize::BITS - most.leading_zeros()).max(1) as usize;
        let mut table = call.reserve_table(idx, pairs.len(), width, LineOrder::Columns)?;
        numbers.clear();
        numbers.extend(pairs.iter().map(|&(first, second)| [first, second][side]));
        write_numbers(&mut table, 0, width, &numbers, &mut poller)?;
        made.push((idx, table));
    }
    made.into_iter().try_for_each(|(idx, table)| call.put_table(idx, table, LineOrder::Columns))
}
