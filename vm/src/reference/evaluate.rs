//! Evaluation of operations by the functions of `bits`, `words` and `tables`.

use star_ir::{Op, Operand, SizeOperand, Ty};

use super::bits::{self, size};
use super::frame::Frame;
use super::value::Data;
use super::{tables, words};
use crate::budget::MemoryBudget;
use crate::interrupt::{Exec, internal_error};

/// Returns the value of the operation, for a variable of type `ty`, without side effects.
pub(super) fn evaluate(
    frame: &Frame<'_>,
    budget: &mut MemoryBudget<'_>,
    ty: Ty,
    op: &Op,
) -> Exec<Data> {
    let as_bits = |bits| Data::from_bits(ty, bits);
    Ok(match op {
        Op::Copy(operand) => copy(frame, budget, operand)?,
        Op::Int(op, left, right) => {
            let (left, right) = (frame.int(left)?, frame.int(right)?);
            let result = op.apply(left, right);
            Data::Int(result.ok_or_else(|| internal_error("integer arithmetic without a result"))?)
        }
        Op::Compare(relation, left, right) => {
            let (left, right) = (frame.int(left)?, frame.int(right)?);
            Data::Bool(relation.holds(left.cmp(&right)))
        }
        Op::Not(operand) => Data::Bool(!frame.boolean(operand)?),
        Op::Logic(op, left, right) => {
            let (left, right) = (frame.boolean(left)?, frame.boolean(right)?);
            Data::Bool(op.apply(left, right))
        }

        Op::Fill(len, bit) => as_bits(bits::fill(budget, size(frame.int(len)?)?, *bit)?),
        Op::Literal(literal) => as_bits(budget.make(literal.len(), |idx| literal.get(idx))?),
        Op::BitsNot(x) => as_bits(bits::not(budget, frame.bits(*x)?)?),
        Op::BitsLogic(op, x, y) => {
            as_bits(bits::logic(budget, *op, frame.bits(*x)?, frame.bits(*y)?)?)
        }
        Op::BitsEqual(x, y) => Data::Bool(bits::equal(frame.bits(*x)?, frame.bits(*y)?)?),
        Op::Component(x, index) => {
            let bit = bits::component(frame.bits(*x)?, frame.int(index)?)?;
            Data::Int(i64::from(bit))
        }
        Op::Query(query, x) => match bits::query(*query, frame.bits(*x)?) {
            test if query.is_test() => Data::Bool(test == 1),
            number => Data::Int(number),
        },
        Op::Convert(x) => as_bits(bits::convert(budget, frame.bits(*x)?)?),
        Op::KeepFirst(x) => as_bits(bits::keep_first(budget, frame.bits(*x)?)?),
        Op::Mask { size: len, from, to } => {
            let len = size(frame.int(len)?)?;
            as_bits(bits::mask(budget, len, frame.int(from)?, frame.int(to)?)?)
        }
        Op::Shift(x, direction, by) => {
            as_bits(bits::shift(budget, frame.bits(*x)?, *direction, frame.int(by)?)?)
        }
        Op::Rotate(x, by) => as_bits(bits::rotate(budget, frame.bits(*x)?, frame.int(by)?)?),
        Op::Mirror(x) => as_bits(bits::mirror(budget, frame.bits(*x)?)?),
        Op::Shuffle(x) => as_bits(bits::shuffle(budget, frame.bits(*x)?)?),
        Op::Length(x) => Data::Int(frame.size(&SizeOperand::Length(*x))? as i64),

        Op::Trim { word, base, width } => {
            as_bits(words::trim(budget, frame.bits(*word)?, frame.int(base)?, frame.int(width)?)?)
        }
        Op::WordCompare(relation, v, w) => {
            let ordering = words::compare(frame.bits(*v)?, frame.bits(*w)?)?;
            Data::Bool(relation.holds(ordering))
        }
        Op::WordAdd(v, w) => as_bits(words::add(budget, frame.bits(*v)?, frame.bits(*w)?)?),
        Op::WordSub(v, w) => as_bits(words::sub(budget, frame.bits(*v)?, frame.bits(*w)?)?),
        Op::WordToInt(w) => Data::Int(words::to_int(frame.bits(*w)?)?),
        Op::IntToWord { value, width } => {
            as_bits(words::from_int(budget, frame.int(value)?, frame.int(width)?)?)
        }

        Op::Column(table, index) => {
            as_bits(tables::column(budget, frame.table(*table)?, frame.int(index)?)?)
        }
        Op::Row(table, index) => {
            as_bits(tables::row(budget, frame.table(*table)?, frame.int(index)?)?)
        }
        Op::Bit(table, row, column) => {
            let bit = tables::get(frame.table(*table)?, frame.int(row)?, frame.int(column)?)?;
            Data::Int(i64::from(bit))
        }
        Op::Field { table, base, width } => Data::Table(tables::field(
            budget,
            frame.table(*table)?,
            frame.int(base)?,
            frame.int(width)?,
        )?),
        Op::Rows(table) => Data::Int(frame.size(&SizeOperand::Rows(*table))? as i64),
        // A table without rows has no columns either.
        Op::Columns(table) => {
            Data::Int(frame.measure(&SizeOperand::Columns(*table))?.unwrap_or(0) as i64)
        }
        Op::NewTable(rows, columns) => {
            let rows = size(frame.int(rows)?)?;
            Data::Table(tables::zeros(budget, rows, size(frame.int(columns)?)?)?)
        }
        Op::HandlePart(handle, part) => {
            let table = frame.handle(*handle)?.part(part);
            let table =
                table.ok_or_else(|| internal_error("a part that a handle does not hold"))?;
            Data::Table(budget.copy_table(table)?)
        }
        Op::Extreme { table, mask, sense } => {
            as_bits(tables::extreme(budget, frame.table(*table)?, frame.bits(*mask)?, *sense)?)
        }
    })
}

/// Returns a copy of the value.
pub(super) fn copy(
    frame: &Frame<'_>,
    budget: &mut MemoryBudget<'_>,
    operand: &Operand,
) -> Exec<Data> {
    Ok(match operand {
        Operand::Var(var) => budget.copy(frame.data(*var)?)?,
        Operand::Int(number) => Data::Int(*number),
        Operand::Bool(truth) => Data::Bool(*truth),
        Operand::Str(text) => Data::Str(text.clone()),
    })
}
