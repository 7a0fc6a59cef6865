//! RANK and ORDER, by [`OrderedRows`], HIST and SUMGROUPS.

use star_intrinsics::{
    InterruptPoller, LineOrder, MOST_ORDERED_ROWS, OrderedRows, count_numbers, sum_numbers,
    write_long_numbers, write_numbers,
};

use star_value::BitTable;

use super::{IntrinsicCall, IntrinsicResult, NotTaken};

/// `RANK(T,X,h,R)`
pub(super) fn rank(call: &mut IntrinsicCall) -> IntrinsicResult {
    let ([n_rows, _], h) = (call.table_size(0)?, call.size(2)?);
    if call.bits(1)?.count_ones() >> h != 0 {
        return Err(NotTaken::declined());
    }
    let mut positions = reserve(call, 3, [n_rows, h])?;
    let ordered = ordered(call, 1)?;
    ordered.write_positions(&mut positions, &call.environment())?;
    call.put_table(3, positions, LineOrder::Columns)
}

/// `ORDER(T,F,X,R)`
pub(super) fn order(call: &mut IntrinsicCall) -> IntrinsicResult {
    let [n_rows, width] = call.table_size(1)?;
    call.transpose(1, LineOrder::Columns)?;
    let mut rows = reserve(call, 3, [n_rows, width])?;
    let ordered = ordered(call, 2)?;
    let from = call.lines(1, LineOrder::Columns)?;
    ordered.write_rows(from, &mut rows, &call.environment())?;
    call.put_table(3, rows, LineOrder::Columns)
}

/// `HIST(T,X,m,h,H)`
pub(super) fn hist(call: &mut IntrinsicCall) -> IntrinsicResult {
    by_columns(call)?;
    let (m, h) = (call.size(2)?, call.size(3)?);
    let mut table = reserve(call, 4, [m, h])?;
    call.reserve((m as u64).saturating_mul(4))?;
    let environment = call.environment();
    let (rows, among) = (call.lines(0, LineOrder::Columns)?, call.bits(1)?.limbs());
    let counts = count_numbers(rows, among, m, &environment)?;
    if counts.iter().any(|count| u64::from(*count) >> h != 0) {
        return Err(NotTaken::declined());
    }
    write_numbers(&mut table, 0, h, &counts, &mut InterruptPoller::new(&environment))?;
    call.put_table(4, table, LineOrder::Columns)
}

/// `SUMGROUPS(T,F,X,m,h,S)`
pub(super) fn sum_groups(call: &mut IntrinsicCall) -> IntrinsicResult {
    by_columns(call)?;
    call.transpose(1, LineOrder::Columns)?;
    let (m, h) = (call.size(3)?, call.size(4)?);
    let mut table = reserve(call, 5, [m, h])?;
    call.reserve((m as u64).saturating_mul(8))?;
    let environment = call.environment();
    let (rows, added) = (call.lines(0, LineOrder::Columns)?, call.lines(1, LineOrder::Columns)?);
    let sums = sum_numbers(rows, added, call.bits(2)?.limbs(), m, &environment)?;
    if sums.iter().any(|sum| sum >> h != 0) {
        return Err(NotTaken::declined());
    }
    write_long_numbers(&mut table, |row| sums[row], &mut InterruptPoller::new(&environment))?;
    call.put_table(5, table, LineOrder::Columns)
}

/// Reserves the result, of which the header states the size: with another one, the Star body traps.
fn reserve(call: &mut IntrinsicCall, param: usize, size: [usize; 2]) -> IntrinsicResult<BitTable> {
    if call.size_before(param)?.is_some_and(|before| before != size) {
        return Err(NotTaken::declined());
    }
    call.reserve_table(param, size[0], size[1], LineOrder::Columns)
}

/// Ensures that the first parameter can be read by columns, and returns the number of its rows.
fn by_columns(call: &mut IntrinsicCall) -> IntrinsicResult<usize> {
    let [n_rows, _] = call.table_size(0)?;
    if n_rows > MOST_ORDERED_ROWS {
        return Err(NotTaken::declined());
    }
    call.transpose(0, LineOrder::Columns)?;
    Ok(n_rows)
}

/// Sorts the rows of the first parameter that are marked in this one.
fn ordered(call: &mut IntrinsicCall, among: usize) -> IntrinsicResult<OrderedRows> {
    let n_rows = by_columns(call)?;
    let n_marked = call.bits(among)?.count_ones() as usize;
    call.reserve(OrderedRows::n_bytes(n_rows, n_marked))?;
    let environment = call.environment();
    let (rows, among) = (call.lines(0, LineOrder::Columns)?, call.bits(among)?.limbs());
    Ok(OrderedRows::new(rows, among, &environment)?)
}
