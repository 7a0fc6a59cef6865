//! Arguments for the routine to run.

use star_value::{BitTable, BitVector, Value};

use super::calls::{Mode, Param};
use super::scope::Known;
use super::source::ExprType;
use crate::case::Random;

/// Generates a value for the parameter.
pub(super) fn argument(random: &mut Random, param: &Param) -> Value {
    if param.mode == Mode::Out {
        return Value::Unset;
    }
    match (param.kind, param.known) {
        (ExprType::Int, _) => {
            let (lo, hi) = param.domain;
            let n = hi.saturating_sub(lo).saturating_add(1) as u64;
            Value::Int(lo + (random.bits64() % n) as i64)
        }
        (ExprType::Bool, _) => Value::Bool(random.chance(50)),
        (ExprType::Slice, Known::Bits(size)) => Value::Slice(bits(random, size)),
        (ExprType::Word, Known::Bits(size)) => Value::Word(bits(random, size)),
        (ExprType::Table, Known::Table(rows, columns)) => Value::from(table(random, rows, columns)),
        (ExprType::Str | ExprType::Slice | ExprType::Word | ExprType::Table, _) => {
            Value::Str("a name".to_owned())
        }
    }
}

fn bits(random: &mut Random, size: usize) -> BitVector {
    let percent = [0, 5, 50, 50, 50, 95, 100][random.below(7)];
    BitVector::from_bools(&random.bits(size, percent))
}

/// Generates a table in which some rows are equal.
fn table(random: &mut Random, rows: usize, columns: usize) -> BitTable {
    let percent = [5, 30, 50, 70][random.below(4)];
    let mut table = BitTable::zeros(rows, columns).expect("small");
    for row in 0..rows {
        let from = if row > 0 && random.chance(20) { Some(random.below(row)) } else { None };
        for column in 0..columns {
            let bit = match from {
                Some(from) => table.get(from, column),
                None => random.chance(percent),
            };
            table.put(row, column, bit);
        }
    }
    table
}
