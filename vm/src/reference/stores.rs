//! Statements that change one variable: STEP, stores to a part, changes of size.

use star_ir::{Measure, Operand, SizeOp, VarId};

use super::bits::{self, size};
use super::frame::Frame;
use super::value::Data;
use super::{tables, words};
use crate::room::Room;
use crate::stop::Step;

/// STEP: `dst` takes the index of the first one of `bits`, which is cleared.
pub(super) fn step(
    frame: &mut Frame<'_>,
    room: &mut Room<'_>,
    dst: VarId,
    bits: VarId,
) -> Step<()> {
    let mut index = 0;
    frame.change_bits(bits, |x, _| {
        index = bits::step(x);
        Ok(())
    })?;
    frame.store(room, dst, Data::Int(index))
}

/// A component takes a new value.
pub(super) fn put(frame: &mut Frame<'_>, bits: VarId, index: &Operand, bit: &Operand) -> Step<()> {
    frame.change_bits(bits, |x, frame| bits::put(x, frame.int(index)?, frame.int(bit)?))
}

/// REP. A word put into itself fills it, and nothing changes.
pub(super) fn replace(
    frame: &mut Frame<'_>,
    word: VarId,
    base: &Operand,
    value: VarId,
) -> Step<()> {
    if word == value {
        return Ok(());
    }
    frame.change_bits(word, |w, frame| words::replace(w, frame.int(base)?, frame.bits(value)?))
}

/// A column takes a slice.
pub(super) fn put_column(
    frame: &mut Frame<'_>,
    table: VarId,
    index: &Operand,
    value: VarId,
) -> Step<()> {
    frame.change_table(table, |table, frame| {
        tables::put_column(table, frame.int(index)?, frame.bits(value)?)
    })
}

/// A row takes a word.
pub(super) fn put_row(
    frame: &mut Frame<'_>,
    table: VarId,
    index: &Operand,
    value: VarId,
) -> Step<()> {
    frame.change_table(table, |table, frame| {
        tables::put_row(table, frame.int(index)?, frame.bits(value)?)
    })
}

/// A bit takes a new value.
pub(super) fn put_bit(
    frame: &mut Frame<'_>,
    table: VarId,
    row: &Operand,
    column: &Operand,
    bit: &Operand,
) -> Step<()> {
    frame.change_table(table, |table, frame| {
        tables::put_bit(table, frame.int(row)?, frame.int(column)?, frame.int(bit)?)
    })
}

/// A field takes a table. A table put into itself fills it, and nothing changes.
pub(super) fn put_field(
    frame: &mut Frame<'_>,
    room: &Room<'_>,
    table: VarId,
    base: &Operand,
    value: VarId,
) -> Step<()> {
    if table == value {
        return Ok(());
    }
    frame.change_table(table, |table, frame| {
        tables::put_field(room, table, frame.int(base)?, frame.table(value)?)
    })
}

/// A change of size.
pub(super) fn resize(frame: &mut Frame<'_>, room: &mut Room<'_>, op: &SizeOp) -> Step<()> {
    match op {
        SizeOp::Latch { dst, size } => latch(frame, room, *dst, size),
        SizeOp::SetRows { table, rows } => set_rows(frame, room, *table, rows),
        SizeOp::EnsureColumns { table, columns } => ensure_columns(frame, room, *table, columns),
        SizeOp::Init { table, rows, columns } => init(frame, room, *table, rows, columns),
        SizeOp::Adapt { bits, size } => adapt(frame, room, *bits, size),
        SizeOp::Fix { bits, size } => fix(frame, *bits, size),
    }
}

/// An integer that was never set takes a size, if one is known.
fn latch(frame: &mut Frame<'_>, room: &mut Room<'_>, dst: VarId, size: &Measure) -> Step<()> {
    if frame.slot(dst)?.data.is_some() {
        return Ok(());
    }
    let number = match size {
        Measure::Value(number) => Some(frame.int(number)?),
        Measure::Length(_) | Measure::Rows(_) | Measure::Columns(_) => {
            frame.measure(size)?.map(|size| size as i64)
        }
    };
    match number {
        Some(number) => frame.store(room, dst, Data::Int(number)),
        None => Ok(()),
    }
}

/// A table without rows gets rows, and no columns.
fn set_rows(frame: &mut Frame<'_>, room: &mut Room<'_>, table: VarId, rows: &Measure) -> Step<()> {
    if frame.slot(table)?.data.is_some() {
        return Ok(());
    }
    let rows = frame.rows_here(frame.size(rows)?)?;
    frame.table_without_columns(room, table, rows)
}

/// A table that grows gets columns of zeros up to `columns`.
fn ensure_columns(
    frame: &mut Frame<'_>,
    room: &mut Room<'_>,
    table: VarId,
    columns: &Measure,
) -> Step<()> {
    if frame.slot(table)?.fixed {
        return Ok(());
    }
    let columns = columns_wanted(frame, columns)?;
    let before = frame.data(table)?.bytes();
    frame.change_table(table, |table, _| tables::ensure_columns(room, table, columns))?;
    room.take(frame.data(table)?.bytes().saturating_sub(before));
    Ok(())
}

/// A number of columns; a negative one asks for none.
pub(super) fn columns_wanted(frame: &Frame<'_>, columns: &Measure) -> Step<usize> {
    match columns {
        Measure::Value(number) => size(frame.int(number)?.max(0)),
        Measure::Length(_) | Measure::Rows(_) | Measure::Columns(_) => frame.size(columns),
    }
}

/// A table without sizes becomes zeros.
fn init(
    frame: &mut Frame<'_>,
    room: &mut Room<'_>,
    table: VarId,
    rows: &Operand,
    columns: &Operand,
) -> Step<()> {
    if frame.slot(table)?.data.is_some() {
        return Ok(());
    }
    let rows = frame.rows_here(size(frame.int(rows)?)?)?;
    let zeros = tables::zeros(room, rows, size(frame.int(columns)?)?)?;
    frame.store(room, table, Data::Table(zeros))
}

/// A slice or word that is not sized and has another size becomes unset and of no known size.
fn adapt(frame: &mut Frame<'_>, room: &mut Room<'_>, bits: VarId, size: &Operand) -> Step<()> {
    let wanted = frame.int(size)?;
    let length = frame.measure(&Measure::Length(bits))?;
    let differs = length.is_some_and(|length| u64::try_from(wanted) != Ok(length));
    if differs && !frame.slot(bits)?.fixed {
        frame.unset(room, bits)?;
    }
    Ok(())
}

/// The size of a slice or word that was never set is known.
fn fix(frame: &mut Frame<'_>, bits: VarId, wanted: &Operand) -> Step<()> {
    let wanted = size(frame.int(wanted)?)?;
    if fixes(frame, bits)? {
        frame.slot_mut(bits)?.size = Some(wanted);
    }
    Ok(())
}

/// Does `fix` give the slice or word a size? One that is sized keeps the size that it has.
pub(super) fn fixes(frame: &Frame<'_>, bits: VarId) -> Step<bool> {
    let slot = frame.slot(bits)?;
    Ok(slot.data.is_none() && !(slot.fixed && slot.size.is_some()))
}
