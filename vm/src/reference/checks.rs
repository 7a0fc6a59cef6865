//! Guards: one function per check. `None` means that it holds.

use star_ir::{Check, IntOp, Measure, Operand, TrapKind, Ty, VarId};

use super::frame::Frame;
use super::words;
use crate::stop::{Step, broken};

/// What the check finds.
pub(super) fn check(frame: &Frame<'_>, check: &Check) -> Step<Option<TrapKind>> {
    match check {
        Check::Set(var) => set(frame, *var),
        Check::Sized(var) => sized(frame, *var),
        Check::Result(var) => result(frame, *var),
        Check::Index(index, limit) => self::index(frame, index, limit),
        Check::NewColumn(table, index) => new_column(frame, *table, index),
        Check::Size(left, right) => size(frame, left, right),
        Check::Range { base, width, limit } => range(frame, base, width, limit),
        Check::Int(op, left, right) => int(frame, *op, left, right),
        Check::Bit(number) => bit(frame, number),
        Check::NotNegative(number) => not_negative(frame, number),
        Check::Fits { value, width } => fits(frame, value, width),
        Check::FitsInt(word) => fits_int(frame, *word),
        Check::Even(bits) => even(frame, *bits),
        Check::NoCarry(op, left, right) => no_carry(frame, *op, *left, *right),
        Check::Assert(condition, message) => assert(frame, condition, message),
    }
}

fn trap_unless(holds: bool, kind: TrapKind) -> Option<TrapKind> {
    (!holds).then_some(kind)
}

/// The variable was set; a table has rows.
fn set(frame: &Frame<'_>, var: VarId) -> Step<Option<TrapKind>> {
    let kind = if matches!(frame.ty(var)?, Ty::Table(..)) {
        TrapKind::NoSize(var)
    } else {
        TrapKind::Unset(var)
    };
    Ok(trap_unless(frame.slot(var)?.data.is_some(), kind))
}

/// The slice or word was set, or its size was fixed; a table has rows.
fn sized(frame: &Frame<'_>, var: VarId) -> Step<Option<TrapKind>> {
    let slot = frame.slot(var)?;
    Ok(trap_unless(slot.data.is_some() || slot.size.is_some(), TrapKind::NoSize(var)))
}

/// The function's result was set.
fn result(frame: &Frame<'_>, var: VarId) -> Step<Option<TrapKind>> {
    let is_set = frame.slot(var)?.data.is_some();
    Ok(trap_unless(is_set, TrapKind::NoResult))
}

/// `1 ≤ index ≤ limit`.
fn index(frame: &Frame<'_>, index: &Operand, limit: &Measure) -> Step<Option<TrapKind>> {
    let index = frame.int(index)?;
    let high = high(frame, limit)?;
    Ok(index_in(index, high, limit.clone()))
}

/// `1 ≤ index`, and `index ≤ columns` if the table does not grow.
fn new_column(frame: &Frame<'_>, table: VarId, index: &Operand) -> Step<Option<TrapKind>> {
    let index = frame.int(index)?;
    let columns = Measure::Columns(table);
    let high = if frame.slot(table)?.fixed {
        frame.measure(&columns)?.unwrap_or(0)
    } else {
        i64::MAX as u64
    };
    Ok(index_in(index, high, columns))
}

fn index_in(index: i64, high: u64, of: Measure) -> Option<TrapKind> {
    let holds = index >= 1 && index as u64 <= high;
    trap_unless(holds, TrapKind::Index { index, high, of })
}

/// The limit of an index or part; 0 if it is a negative number, or a size that is not known.
fn high(frame: &Frame<'_>, limit: &Measure) -> Step<u64> {
    match limit {
        Measure::Value(number) => Ok(u64::try_from(frame.int(number)?).unwrap_or(0)),
        Measure::Length(_) | Measure::Rows(_) | Measure::Columns(_) => {
            Ok(frame.measure(limit)?.unwrap_or(0))
        }
    }
}

/// The sizes are equal, or one of them is not known. A negative number is no size.
fn size(frame: &Frame<'_>, left: &Measure, right: &Measure) -> Step<Option<TrapKind>> {
    for measure in [left, right] {
        if let Measure::Value(number) = measure
            && let Some(trap) = not_negative(frame, number)?
        {
            return Ok(Some(trap));
        }
    }
    Ok(match (frame.measure(left)?, frame.measure(right)?) {
        (Some(n), Some(m)) => trap_unless(
            n == m,
            TrapKind::Size { left: (left.clone(), n), right: (right.clone(), m) },
        ),
        (None, _) | (_, None) => None,
    })
}

/// `0 ≤ base`, `0 ≤ width`, `base + width ≤ limit`.
fn range(
    frame: &Frame<'_>,
    base: &Operand,
    width: &Operand,
    limit: &Measure,
) -> Step<Option<TrapKind>> {
    let (base, width) = (frame.int(base)?, frame.int(width)?);
    let high = high(frame, limit)?;
    let end = i128::from(base) + i128::from(width);
    let holds = base >= 0 && width >= 0 && end <= i128::from(high);
    let from = base.saturating_add(1);
    let to = base.saturating_add(width);
    let of = limit.clone();
    Ok(trap_unless(holds, TrapKind::Range { from, to, high, of }))
}

/// The operation has a 64-bit result.
fn int(frame: &Frame<'_>, op: IntOp, left: &Operand, right: &Operand) -> Step<Option<TrapKind>> {
    let (left, right) = (frame.int(left)?, frame.int(right)?);
    let kind = if matches!(op, IntOp::Div | IntOp::Mod) && right == 0 {
        TrapKind::Division { op, left }
    } else {
        TrapKind::Overflow { op, left, right }
    };
    let holds = op.apply(left, right).is_some();
    Ok(trap_unless(holds, kind))
}

/// The number is 0 or 1.
fn bit(frame: &Frame<'_>, number: &Operand) -> Step<Option<TrapKind>> {
    let number = frame.int(number)?;
    Ok(trap_unless(matches!(number, 0 | 1), TrapKind::Bit(number)))
}

/// The number is not negative.
fn not_negative(frame: &Frame<'_>, number: &Operand) -> Step<Option<TrapKind>> {
    let value = frame.int(number)?;
    let what = number.clone();
    Ok(trap_unless(value >= 0, TrapKind::Negative { value, what }))
}

/// The number is an unsigned one of `width` bits, and `width` is not negative.
fn fits(frame: &Frame<'_>, value: &Operand, width: &Operand) -> Step<Option<TrapKind>> {
    if let Some(trap) = not_negative(frame, width)? {
        return Ok(Some(trap));
    }
    let (value, width) = (frame.int(value)?, frame.int(width)?);
    let holds = words::fits(value, usize::try_from(width).unwrap_or(0));
    Ok(trap_unless(holds, TrapKind::Fit { value, width }))
}

/// The word is a number below 2⁶³.
fn fits_int(frame: &Frame<'_>, word: VarId) -> Step<Option<TrapKind>> {
    let holds = words::fits_int(frame.bits(word)?);
    Ok(trap_unless(holds, TrapKind::FitInt(word)))
}

/// The number of components is even.
fn even(frame: &Frame<'_>, bits: VarId) -> Step<Option<TrapKind>> {
    let len = frame.bits(bits)?.len() as u64;
    Ok(trap_unless(len.is_multiple_of(2), TrapKind::Odd(len)))
}

/// The sum or difference of two words needs no further bit.
fn no_carry(frame: &Frame<'_>, op: IntOp, left: VarId, right: VarId) -> Step<Option<TrapKind>> {
    let (v, w) = (frame.bits(left)?, frame.bits(right)?);
    let carries = match op {
        IntOp::Add => words::add_carries(v, w)?,
        IntOp::Sub => words::sub_borrows(v, w)?,
        IntOp::Mul | IntOp::Div | IntOp::Mod => {
            return Err(broken("a carry of something other than a sum or difference"));
        }
    };
    Ok(trap_unless(!carries, TrapKind::Carry { op }))
}

/// The condition holds.
fn assert(frame: &Frame<'_>, condition: &Operand, message: &Operand) -> Step<Option<TrapKind>> {
    if frame.boolean(condition)? {
        return Ok(None);
    }
    Ok(Some(TrapKind::Assert(frame.text(message)?.to_string())))
}
