//! Operations on words only. A word is also an unsigned number: component 1 is its most significant
//! bit.

use std::cmp::Ordering;

use super::bits::{part, same_size, size};
use crate::budget::MemoryBudget;
use crate::interrupt::{Exec, internal_error};
use crate::scalars;

/// TRIM: z(i) = w(base + i) for 1 ≤ i ≤ width.
pub(super) fn trim(
    budget: &mut MemoryBudget<'_>,
    w: &[bool],
    base: i64,
    width: i64,
) -> Exec<Vec<bool>> {
    let places = part(base, size(width)?, w.len())?;
    budget.make(places.len(), |idx| w[places.start + idx])
}

/// REP: w(base + i) becomes v(i).
pub(super) fn replace(w: &mut [bool], base: i64, v: &[bool]) -> Exec<()> {
    let places = part(base, v.len(), w.len())?;
    w[places].copy_from_slice(v);
    Ok(())
}

/// The ordering of the numbers v and w of equal size: that of their bits in the first position at
/// which they differ.
pub(super) fn compare(v: &[bool], w: &[bool]) -> Exec<Ordering> {
    same_size(v.len(), w.len())?;
    for (x, y) in v.iter().zip(w) {
        if x != y {
            return Ok(x.cmp(y));
        }
    }
    Ok(Ordering::Equal)
}

/// ADD: the sum modulo 2 to the size, column by column from the right.
pub(super) fn add(budget: &mut MemoryBudget<'_>, v: &[bool], w: &[bool]) -> Exec<Vec<bool>> {
    same_size(v.len(), w.len())?;
    let mut sum = budget.make(v.len(), |_| false)?;
    let mut carry = false;
    for idx in (0..v.len()).rev() {
        sum[idx] = v[idx] ^ w[idx] ^ carry;
        carry = (v[idx] && w[idx]) || (carry && (v[idx] || w[idx]));
    }
    Ok(sum)
}

/// SUBT: the difference modulo 2 to the size, column by column from the right.
pub(super) fn sub(budget: &mut MemoryBudget<'_>, v: &[bool], w: &[bool]) -> Exec<Vec<bool>> {
    same_size(v.len(), w.len())?;
    let mut difference = budget.make(v.len(), |_| false)?;
    let mut borrow = false;
    for idx in (0..v.len()).rev() {
        difference[idx] = v[idx] ^ w[idx] ^ borrow;
        borrow = (!v[idx] && (w[idx] || borrow)) || (w[idx] && borrow);
    }
    Ok(difference)
}

/// Returns whether the sum needs one bit more than the words have.
pub(super) fn add_carries(v: &[bool], w: &[bool]) -> Exec<bool> {
    same_size(v.len(), w.len())?;
    let mut carry = false;
    for (&x, &y) in v.iter().zip(w).rev() {
        carry = (x && y) || (carry && (x || y));
    }
    Ok(carry)
}

/// Returns whether the difference is negative.
pub(super) fn sub_borrows(v: &[bool], w: &[bool]) -> Exec<bool> {
    Ok(compare(v, w)?.is_lt())
}

/// Returns whether the word is a number below 2⁶³.
pub(super) fn fits_int(w: &[bool]) -> bool {
    let excess = w.len().saturating_sub(63);
    !w[..excess].contains(&true)
}

/// INT: the sum of w(i) · 2ⁿ⁻ⁱ.
pub(super) fn to_int(w: &[bool]) -> Exec<i64> {
    if !fits_int(w) {
        return Err(internal_error("a word beyond the integers"));
    }
    Ok(w.iter().fold(0, |sum, &bit| sum << 1 | i64::from(bit)))
}

/// WORD: z(i) is the digit of `value` with the weight 2 to the (width − i).
pub(super) fn from_int(budget: &mut MemoryBudget<'_>, value: i64, width: i64) -> Exec<Vec<bool>> {
    let len = size(width)?;
    if !scalars::fits(value, len) {
        return Err(internal_error(format!("{value} in {width} bits")));
    }
    budget.make(len, |idx| {
        let digit = len - 1 - idx;
        digit < 63 && value >> digit & 1 == 1
    })
}
