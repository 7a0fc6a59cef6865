//! Operations on slices and words. Components count from 1; `x(i)` in the definitions is component
//! i.

use star_ir::{Direction, LogicOp, Query};

use crate::budget::MemoryBudget;
use crate::interrupt::{Exec, internal_error};

/// Returns the position from 0 of a component, row or column counted from 1, if there is one among
/// `limit`.
pub(super) fn place(index: i64, limit: usize) -> Exec<usize> {
    usize::try_from(index)
        .ok()
        .and_then(|index| index.checked_sub(1))
        .filter(|&idx| idx < limit)
        .ok_or_else(|| internal_error(format!("index {index} outside 1..{limit}")))
}

/// Converts a number to a size.
pub(super) fn size(number: i64) -> Exec<usize> {
    usize::try_from(number).map_err(|_| internal_error(format!("a size of {number}")))
}

/// Returns the positions `base + 1 ..= base + width` among `limit`, as a range from 0.
pub(super) fn part(base: i64, width: usize, limit: usize) -> Exec<std::ops::Range<usize>> {
    let start = size(base)?;
    match start.checked_add(width) {
        Some(end) if end <= limit => Ok(start..end),
        _ => Err(internal_error(format!("{width} positions after {base} of {limit}"))),
    }
}

/// Converts the number 0 or 1 to a bit.
pub(super) fn bit(number: i64) -> Exec<bool> {
    match number {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(internal_error(format!("{number} as a bit"))),
    }
}

/// Checks that two sizes are equal.
pub(super) fn same_size(left: usize, right: usize) -> Exec<()> {
    if left == right {
        Ok(())
    } else {
        Err(internal_error(format!("sizes {left} and {right} in one operation")))
    }
}

/// SET, CLR: every one of `len` components is `bit`.
pub(super) fn fill(budget: &mut MemoryBudget<'_>, len: usize, bit: bool) -> Exec<Vec<bool>> {
    budget.make(len, |_| bit)
}

/// `not x`: z(i) = 1 − x(i).
pub(super) fn not(budget: &mut MemoryBudget<'_>, x: &[bool]) -> Exec<Vec<bool>> {
    budget.make(x.len(), |idx| !x[idx])
}

/// `x op y`: z(i) = x(i) op y(i).
pub(super) fn logic(
    budget: &mut MemoryBudget<'_>,
    op: LogicOp,
    x: &[bool],
    y: &[bool],
) -> Exec<Vec<bool>> {
    same_size(x.len(), y.len())?;
    budget.make(x.len(), |idx| op.apply(x[idx], y[idx]))
}

/// `x = y`: x(i) = y(i) for every i.
pub(super) fn equal(x: &[bool], y: &[bool]) -> Exec<bool> {
    same_size(x.len(), y.len())?;
    Ok(x == y)
}

/// Returns x(index).
pub(super) fn component(x: &[bool], index: i64) -> Exec<bool> {
    Ok(x[place(index, x.len())?])
}

/// SOME, ZERO, ONE: is there an i with x(i) = 1, is there none, is x(i) = 1 for every i? The answer
/// is 0 or 1. FND: the least i with x(i) = 1, 0 if there is none. NUMB: the number of i with x(i) =
/// 1.
pub(super) fn query(query: Query, x: &[bool]) -> i64 {
    let first = x.iter().position(|&bit| bit);
    match query {
        Query::Any => i64::from(first.is_some()),
        Query::None => i64::from(first.is_none()),
        Query::All => i64::from(x.iter().all(|&bit| bit)),
        Query::First => first.map_or(0, |idx| idx as i64 + 1),
        Query::Count => x.iter().map(|&bit| i64::from(bit)).sum(),
    }
}

/// CONVERT: z(i) = x(i); only the kind differs.
pub(super) fn convert(budget: &mut MemoryBudget<'_>, x: &[bool]) -> Exec<Vec<bool>> {
    budget.make(x.len(), |idx| x[idx])
}

/// FRST: z(i) = 1 exactly for i = FND(x).
pub(super) fn keep_first(budget: &mut MemoryBudget<'_>, x: &[bool]) -> Exec<Vec<bool>> {
    let first = query(Query::First, x);
    budget.make(x.len(), |idx| idx as i64 + 1 == first)
}

/// MASK: z(i) = 1 exactly for from ≤ i ≤ to. Nothing is marked for from = to + 1; otherwise 1 ≤
/// from ≤ to ≤ len.
pub(super) fn mask(
    budget: &mut MemoryBudget<'_>,
    len: usize,
    from: i64,
    to: i64,
) -> Exec<Vec<bool>> {
    let base =
        from.checked_sub(1).ok_or_else(|| internal_error("a mask from the least integer"))?;
    let width =
        to.checked_sub(base).ok_or_else(|| internal_error("a mask of more than 2⁶³ places"))?;
    let ones = part(base, size(width)?, len)?;
    budget.make(len, |idx| ones.contains(&idx))
}

/// SHIFT: z(i) = x(i + by) for `Up`, x(i − by) for `Down`; 0 where there is no such component.
pub(super) fn shift(
    budget: &mut MemoryBudget<'_>,
    x: &[bool],
    direction: Direction,
    by: i64,
) -> Exec<Vec<bool>> {
    let by = size(by)?;
    budget.make(x.len(), |idx| {
        let source = match direction {
            Direction::Up => idx.checked_add(by),
            Direction::Down => idx.checked_sub(by),
        };
        source.and_then(|idx| x.get(idx)).copied().unwrap_or(false)
    })
}

/// ROTATE: z(j) = x(i) for j = i + by, counted cyclically.
pub(super) fn rotate(budget: &mut MemoryBudget<'_>, x: &[bool], by: i64) -> Exec<Vec<bool>> {
    let len = x.len();
    // An allocation has at most 2⁶³ − 1 bytes.
    let by = by.rem_euclid((len as i64).max(1)) as usize;
    budget.make(len, |idx| if idx >= by { x[idx - by] } else { x[idx + len - by] })
}

/// MIRROR: z(i) = x(n + 1 − i).
pub(super) fn mirror(budget: &mut MemoryBudget<'_>, x: &[bool]) -> Exec<Vec<bool>> {
    budget.make(x.len(), |idx| x[x.len() - 1 - idx])
}

/// SHUFFLE: z(2i − 1) = x(i), z(2i) = x(n/2 + i).
pub(super) fn shuffle(budget: &mut MemoryBudget<'_>, x: &[bool]) -> Exec<Vec<bool>> {
    if !x.len().is_multiple_of(2) {
        return Err(internal_error(format!("a shuffle of {} components", x.len())));
    }
    let half = x.len() / 2;
    budget.make(x.len(), |idx| if idx % 2 == 0 { x[idx / 2] } else { x[half + idx / 2] })
}

/// STEP: FND(x); if that is not 0, this component becomes 0.
pub(super) fn step(x: &mut [bool]) -> i64 {
    let first = query(Query::First, x);
    if first > 0 {
        x[first as usize - 1] = false;
    }
    first
}

/// Sets x(index) to the given number.
pub(super) fn put(x: &mut [bool], index: i64, number: i64) -> Exec<()> {
    let idx = place(index, x.len())?;
    x[idx] = bit(number)?;
    Ok(())
}
