//! Statements that change one variable: STEP, stores to a part, changes of size.

use std::collections::BTreeMap;

use star_ir::{HandlePart, Operand, SizeOp, SizeOperand, VarId};

use super::bits::{self, size};
use super::frame::Frame;
use super::value::{Data, Handle};
use super::{tables, words};
use crate::budget::MemoryBudget;
use crate::interrupt::Exec;

/// STEP: `dst` becomes the index of the first one of `bits`, which is cleared.
pub(super) fn step(
    frame: &mut Frame<'_>,
    budget: &mut MemoryBudget<'_>,
    dst: VarId,
    bits: VarId,
) -> Exec<()> {
    let mut index = 0;
    frame.change_bits(bits, |x, _| {
        index = bits::step(x);
        Ok(())
    })?;
    frame.store(budget, dst, Data::Int(index))
}

/// Sets a component.
pub(super) fn put(frame: &mut Frame<'_>, bits: VarId, index: &Operand, bit: &Operand) -> Exec<()> {
    frame.change_bits(bits, |x, frame| bits::put(x, frame.int(index)?, frame.int(bit)?))
}

/// REP. A word put into itself covers it, and nothing changes.
pub(super) fn replace(
    frame: &mut Frame<'_>,
    word: VarId,
    base: &Operand,
    value: VarId,
) -> Exec<()> {
    if word == value {
        return Ok(());
    }
    frame.change_bits(word, |w, frame| words::replace(w, frame.int(base)?, frame.bits(value)?))
}

/// Sets a column to a slice.
pub(super) fn put_column(
    frame: &mut Frame<'_>,
    table: VarId,
    index: &Operand,
    value: VarId,
) -> Exec<()> {
    frame.change_table(table, |table, frame| {
        tables::put_column(table, frame.int(index)?, frame.bits(value)?)
    })
}

/// Sets a row to a word.
pub(super) fn put_row(
    frame: &mut Frame<'_>,
    table: VarId,
    index: &Operand,
    value: VarId,
) -> Exec<()> {
    frame.change_table(table, |table, frame| {
        tables::put_row(table, frame.int(index)?, frame.bits(value)?)
    })
}

/// Sets a bit.
pub(super) fn put_bit(
    frame: &mut Frame<'_>,
    table: VarId,
    row: &Operand,
    column: &Operand,
    bit: &Operand,
) -> Exec<()> {
    frame.change_table(table, |table, frame| {
        tables::put_bit(table, frame.int(row)?, frame.int(column)?, frame.int(bit)?)
    })
}

/// Sets a field to a table. A table put into itself covers it, and nothing changes.
pub(super) fn put_field(
    frame: &mut Frame<'_>,
    budget: &MemoryBudget<'_>,
    table: VarId,
    base: &Operand,
    value: VarId,
) -> Exec<()> {
    if table == value {
        return Ok(());
    }
    frame.change_table(table, |table, frame| {
        tables::put_field(budget, table, frame.int(base)?, frame.table(value)?)
    })
}

/// Stores a table in a handle under a name, and drops the parts of other modules.
pub(super) fn put_handle_part(
    frame: &mut Frame<'_>,
    budget: &mut MemoryBudget<'_>,
    handle: VarId,
    part: &HandlePart,
    value: VarId,
) -> Exec<()> {
    let HandlePart { module, name } = part;
    let table = budget.copy_table(frame.table(value)?)?;
    let slot = frame.slot_mut(handle)?;
    let before = slot.bytes();
    let mut held = match slot.data.take() {
        Some(Data::Handle(held)) if held.module == *module => held,
        Some(_) | None => Handle { module: module.clone(), parts: BTreeMap::new() },
    };
    held.parts.insert(name.clone(), table);
    slot.data = Some(Data::Handle(held));
    budget.exchange(before, slot.bytes());
    Ok(())
}

/// Performs a change of size.
pub(super) fn resize(
    frame: &mut Frame<'_>,
    budget: &mut MemoryBudget<'_>,
    op: &SizeOp,
) -> Exec<()> {
    match op {
        SizeOp::Latch { dst, size } => latch(frame, budget, *dst, size),
        SizeOp::SetRows { table, rows } => set_rows(frame, budget, *table, rows),
        SizeOp::EnsureColumns { table, columns } => ensure_columns(frame, budget, *table, columns),
        SizeOp::Init { table, rows, columns } => init(frame, budget, *table, rows, columns),
        SizeOp::Adapt { bits, size } => adapt(frame, budget, *bits, size),
        SizeOp::Fix { bits, size } => fix(frame, *bits, size),
        SizeOp::Unset(var) => frame.unset(budget, *var),
    }
}

/// Sets an integer that was never set to a size, if one is known.
fn latch(
    frame: &mut Frame<'_>,
    budget: &mut MemoryBudget<'_>,
    dst: VarId,
    size: &SizeOperand,
) -> Exec<()> {
    if frame.slot(dst)?.data.is_some() {
        return Ok(());
    }
    let number = match size {
        SizeOperand::Value(number) => Some(frame.int(number)?),
        SizeOperand::Length(_) | SizeOperand::Rows(_) | SizeOperand::Columns(_) => {
            frame.measure(size)?.map(|size| size as i64)
        }
    };
    match number {
        Some(number) => frame.store(budget, dst, Data::Int(number)),
        None => Ok(()),
    }
}

/// Adds rows to a table without rows, and no columns.
fn set_rows(
    frame: &mut Frame<'_>,
    budget: &mut MemoryBudget<'_>,
    table: VarId,
    rows: &SizeOperand,
) -> Exec<()> {
    if frame.slot(table)?.data.is_some() {
        return Ok(());
    }
    let rows = frame.size(rows)?;
    frame.table_without_columns(budget, table, rows)
}

/// Appends columns of zeros to a growing table, up to `columns`.
fn ensure_columns(
    frame: &mut Frame<'_>,
    budget: &mut MemoryBudget<'_>,
    table: VarId,
    columns: &SizeOperand,
) -> Exec<()> {
    if frame.slot(table)?.fixed {
        return Ok(());
    }
    let columns = columns_wanted(frame, columns)?;
    let before = frame.data(table)?.bytes();
    frame.change_table(table, |table, _| tables::ensure_columns(budget, table, columns))?;
    budget.commit(frame.data(table)?.bytes().saturating_sub(before));
    Ok(())
}

/// Returns a number of columns; a negative one counts as zero.
pub(super) fn columns_wanted(frame: &Frame<'_>, columns: &SizeOperand) -> Exec<usize> {
    match columns {
        SizeOperand::Value(number) => size(frame.int(number)?.max(0)),
        SizeOperand::Length(_) | SizeOperand::Rows(_) | SizeOperand::Columns(_) => {
            frame.size(columns)
        }
    }
}

/// Sets a table without sizes to zeros.
fn init(
    frame: &mut Frame<'_>,
    budget: &mut MemoryBudget<'_>,
    table: VarId,
    rows: &Operand,
    columns: &Operand,
) -> Exec<()> {
    if frame.slot(table)?.data.is_some() {
        return Ok(());
    }
    let rows = size(frame.int(rows)?)?;
    let zeros = tables::zeros(budget, rows, size(frame.int(columns)?)?)?;
    frame.store(budget, table, Data::Table(zeros))
}

/// Unsets a slice or word that is not sized and has another size, and forgets its size.
fn adapt(
    frame: &mut Frame<'_>,
    budget: &mut MemoryBudget<'_>,
    bits: VarId,
    size: &Operand,
) -> Exec<()> {
    let wanted = frame.int(size)?;
    let length = frame.measure(&SizeOperand::Length(bits))?;
    let differs = length.is_some_and(|length| u64::try_from(wanted) != Ok(length));
    if differs && !frame.slot(bits)?.fixed {
        frame.unset(budget, bits)?;
    }
    Ok(())
}

/// Fixes the size of a slice or word that was never set.
fn fix(frame: &mut Frame<'_>, bits: VarId, wanted: &Operand) -> Exec<()> {
    let wanted = size(frame.int(wanted)?)?;
    if fixes(frame, bits)? {
        frame.slot_mut(bits)?.size = Some(wanted);
    }
    Ok(())
}

/// Returns whether `fix` determines the size of the slice or word. One that is sized keeps its
/// size.
pub(super) fn fixes(frame: &Frame<'_>, bits: VarId) -> Exec<bool> {
    let slot = frame.slot(bits)?;
    Ok(slot.data.is_none() && !(slot.fixed && slot.size.is_some()))
}
