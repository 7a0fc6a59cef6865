//! Evaluation of guards. `None` means that the check holds. A backend may test a guard in another
//! way; the text of the trap is produced here, also for backends in other crates.

use std::sync::Arc;

use star_ir::{Check, HandlePart, IntOp, NamedSize, Names, Operand, SizeOperand, TrapKind, VarId};

use crate::interrupt::{Exec, internal_error};
use crate::scalars;

/// The variables of a running routine, as guards read them. An error is a fault of the program, not
/// of the queried value.
pub trait GuardContext {
    /// Returns the source names of the variables at the guard.
    ///
    /// # Errors
    /// As for all of these methods: if there is no such item, a fault of the program.
    fn names(&self) -> Exec<Names<'_>>;
    /// Returns the value of an integer operand.
    fn int(&self, operand: &Operand) -> Exec<i64>;
    /// Returns the value of a boolean operand.
    fn boolean(&self, operand: &Operand) -> Exec<bool>;
    /// Returns the value of a text operand.
    fn text(&self, operand: &Operand) -> Exec<Arc<str>>;
    /// Returns a size; `None` if the measured variable has no known size.
    fn measure(&self, measure: &SizeOperand) -> Exec<Option<u64>>;
    /// Returns whether the variable is a table.
    fn is_table(&self, var: VarId) -> Exec<bool>;
    /// Returns whether the variable is set.
    fn is_set(&self, var: VarId) -> Exec<bool>;
    /// Returns whether a slice or word was set or its size was fixed, or whether a table has rows.
    fn is_sized(&self, var: VarId) -> Exec<bool>;
    /// Returns whether a table cannot grow.
    fn is_fixed(&self, var: VarId) -> Exec<bool>;
    /// Returns the number of components of a slice or word that was set.
    fn length(&self, bits: VarId) -> Exec<u64>;
    /// Returns whether the word is a number below 2⁶³.
    fn fits_int(&self, word: VarId) -> Exec<bool>;
    /// Returns whether the handle was set and holds a table under this name.
    fn has_part(&self, handle: VarId, part: &HandlePart) -> Exec<bool>;
    /// Returns whether the sum of two words needs a further bit (`Add`), or their difference is
    /// negative (`Sub`).
    fn carries(&self, op: IntOp, left: VarId, right: VarId) -> Exec<bool>;
}

/// Evaluates a check and returns its trap, if any.
///
/// # Errors
/// If the program breaks a rule that the verifier should have enforced.
pub fn check(frame: &impl GuardContext, check: &Check) -> Exec<Option<TrapKind>> {
    match check {
        Check::Set(var) => set(frame, *var),
        Check::Sized(var) => sized(frame, *var),
        Check::HandlePart(handle, part) => {
            let kind = TrapKind::NoPart(name_of(frame, *handle)?, part.clone());
            Ok(trap_unless(frame.has_part(*handle, part)?, kind))
        }
        Check::Result(var) => result(frame, *var),
        Check::Index(index, limit) => self::index(frame, index, limit),
        Check::NewColumn(table, index) => new_column(frame, *table, index),
        Check::Size(left, right) => size(frame, left, right),
        Check::Range { base, width, limit } => range(frame, base, width, limit),
        Check::Int(op, left, right) => int(frame, *op, left, right),
        Check::Bit(number) => bit(frame, number),
        Check::NotNegative(number) => not_negative(frame, number),
        Check::Fits { value, width } => fits(frame, value, width),
        Check::FitsRow { row, width } => {
            let (row, width) = (frame.int(row)?, frame.int(width)?);
            Ok(trap_unless(row == 0, TrapKind::FitRow { row, width }))
        }
        Check::FitsInt(word) => fits_int(frame, *word),
        Check::Even(bits) => even(frame, *bits),
        Check::NoCarry(op, left, right) => no_carry(frame, *op, *left, *right),
        Check::Assert(condition, message) => assert(frame, condition, message),
    }
}

fn name_of(frame: &impl GuardContext, var: VarId) -> Exec<Option<String>> {
    Ok(frame.names()?.of(var).map(str::to_owned))
}

fn size_of(frame: &impl GuardContext, operand: &SizeOperand) -> Exec<NamedSize> {
    Ok(NamedSize::of(operand, frame.names()?))
}

fn trap_unless(holds: bool, kind: TrapKind) -> Option<TrapKind> {
    (!holds).then_some(kind)
}

/// Checks that the variable was set; a table must have rows.
fn set(frame: &impl GuardContext, var: VarId) -> Exec<Option<TrapKind>> {
    let name = name_of(frame, var)?;
    let kind = if frame.is_table(var)? { TrapKind::NoSize(name) } else { TrapKind::Unset(name) };
    Ok(trap_unless(frame.is_set(var)?, kind))
}

/// Checks that the slice or word was set, or its size was fixed; a table must have rows.
fn sized(frame: &impl GuardContext, var: VarId) -> Exec<Option<TrapKind>> {
    Ok(trap_unless(frame.is_sized(var)?, TrapKind::NoSize(name_of(frame, var)?)))
}

/// Checks that the function's result was set.
fn result(frame: &impl GuardContext, var: VarId) -> Exec<Option<TrapKind>> {
    Ok(trap_unless(frame.is_set(var)?, TrapKind::NoResult))
}

/// Checks `1 ≤ index ≤ limit`.
fn index(
    frame: &impl GuardContext,
    index: &Operand,
    limit: &SizeOperand,
) -> Exec<Option<TrapKind>> {
    let index = frame.int(index)?;
    let high = high(frame, limit)?;
    Ok(index_in(index, high, size_of(frame, limit)?))
}

/// Checks `1 ≤ index`, and `index ≤ columns` if the table cannot grow.
fn new_column(frame: &impl GuardContext, table: VarId, index: &Operand) -> Exec<Option<TrapKind>> {
    let index = frame.int(index)?;
    let columns = SizeOperand::Columns(table);
    let high = if frame.is_fixed(table)? {
        frame.measure(&columns)?.unwrap_or(0)
    } else {
        i64::MAX as u64
    };
    Ok(index_in(index, high, size_of(frame, &columns)?))
}

fn index_in(index: i64, high: u64, of: NamedSize) -> Option<TrapKind> {
    let holds = index >= 1 && index as u64 <= high;
    trap_unless(holds, TrapKind::Index { index, high, of })
}

/// Returns the limit of an index or part; 0 if it is negative, or an unknown size.
fn high(frame: &impl GuardContext, limit: &SizeOperand) -> Exec<u64> {
    match limit {
        SizeOperand::Value(number) => Ok(u64::try_from(frame.int(number)?).unwrap_or(0)),
        SizeOperand::Length(_) | SizeOperand::Rows(_) | SizeOperand::Columns(_) => {
            Ok(frame.measure(limit)?.unwrap_or(0))
        }
    }
}

/// Checks that the sizes are equal, or one of them is not known. A negative number is not a size.
fn size(
    frame: &impl GuardContext,
    left: &SizeOperand,
    right: &SizeOperand,
) -> Exec<Option<TrapKind>> {
    for measure in [left, right] {
        if let SizeOperand::Value(number) = measure
            && let Some(trap) = not_negative(frame, number)?
        {
            return Ok(Some(trap));
        }
    }
    Ok(match (frame.measure(left)?, frame.measure(right)?) {
        (Some(n), Some(m)) => {
            let (left, right) = (size_of(frame, left)?, size_of(frame, right)?);
            trap_unless(n == m, TrapKind::Size { left: (left, n), right: (right, m) })
        }
        (None, _) | (_, None) => None,
    })
}

/// Checks `0 ≤ base`, `0 ≤ width`, `base + width ≤ limit`.
fn range(
    frame: &impl GuardContext,
    base: &Operand,
    width: &Operand,
    limit: &SizeOperand,
) -> Exec<Option<TrapKind>> {
    let (base, width) = (frame.int(base)?, frame.int(width)?);
    let high = high(frame, limit)?;
    let end = i128::from(base) + i128::from(width);
    let holds = base >= 0 && width >= 0 && end <= i128::from(high);
    let from = base.saturating_add(1);
    let to = base.saturating_add(width);
    let of = size_of(frame, limit)?;
    Ok(trap_unless(holds, TrapKind::Range { from, to, high, of }))
}

/// Checks that the operation has a 64-bit result.
fn int(
    frame: &impl GuardContext,
    op: IntOp,
    left: &Operand,
    right: &Operand,
) -> Exec<Option<TrapKind>> {
    let (left, right) = (frame.int(left)?, frame.int(right)?);
    let kind = if matches!(op, IntOp::Div | IntOp::Mod) && right == 0 {
        TrapKind::Division { op, left }
    } else {
        TrapKind::Overflow { op, left, right }
    };
    let holds = op.apply(left, right).is_some();
    Ok(trap_unless(holds, kind))
}

/// Checks that the number is 0 or 1.
fn bit(frame: &impl GuardContext, number: &Operand) -> Exec<Option<TrapKind>> {
    let number = frame.int(number)?;
    Ok(trap_unless(matches!(number, 0 | 1), TrapKind::Bit(number)))
}

/// Checks that the number is not negative.
fn not_negative(frame: &impl GuardContext, number: &Operand) -> Exec<Option<TrapKind>> {
    let value = frame.int(number)?;
    let name = match number {
        Operand::Var(var) => name_of(frame, *var)?,
        Operand::Int(_) | Operand::Bool(_) | Operand::Str(_) => None,
    };
    Ok(trap_unless(value >= 0, TrapKind::Negative { value, name }))
}

/// Checks that the number is an unsigned one of `width` bits, and that `width` is not negative.
fn fits(frame: &impl GuardContext, value: &Operand, width: &Operand) -> Exec<Option<TrapKind>> {
    if let Some(trap) = not_negative(frame, width)? {
        return Ok(Some(trap));
    }
    let (value, width) = (frame.int(value)?, frame.int(width)?);
    let holds = scalars::fits(value, usize::try_from(width).unwrap_or(0));
    Ok(trap_unless(holds, TrapKind::Fit { value, width }))
}

/// Checks that the word is a number below 2⁶³.
fn fits_int(frame: &impl GuardContext, word: VarId) -> Exec<Option<TrapKind>> {
    let holds = frame.fits_int(word)?;
    Ok(trap_unless(holds, TrapKind::FitInt(name_of(frame, word)?)))
}

/// Checks that the number of components is even.
fn even(frame: &impl GuardContext, bits: VarId) -> Exec<Option<TrapKind>> {
    let len = frame.length(bits)?;
    Ok(trap_unless(len.is_multiple_of(2), TrapKind::Odd(len)))
}

/// Checks that the sum or difference of two words needs no further bit.
fn no_carry(
    frame: &impl GuardContext,
    op: IntOp,
    left: VarId,
    right: VarId,
) -> Exec<Option<TrapKind>> {
    let carries = match op {
        IntOp::Add | IntOp::Sub => frame.carries(op, left, right)?,
        IntOp::Mul | IntOp::Div | IntOp::Mod => {
            return Err(internal_error("a carry of something other than a sum or difference"));
        }
    };
    Ok(trap_unless(!carries, TrapKind::Carry { op }))
}

/// Checks that the condition holds.
fn assert(
    frame: &impl GuardContext,
    condition: &Operand,
    message: &Operand,
) -> Exec<Option<TrapKind>> {
    if frame.boolean(condition)? {
        return Ok(None);
    }
    Ok(Some(TrapKind::Assert(frame.text(message)?.to_string())))
}
