//! Digests of arguments, which show whether a checkpoint is of the same ones.

use star_base::random::mix64;
use star_bind::LeftTable;
use star_value::{BitTable, SparseTable, Table, Value};

/// Returns the digest of an argument.
pub fn of_value(value: &Value) -> u64 {
    let tagged = |tag: u64, parts: u64| mix64(parts.wrapping_add(tag << 60));
    match value {
        Value::Unset => 0,
        Value::Int(number) => tagged(1, mix64(*number as u64)),
        Value::Bool(truth) => tagged(2, u64::from(*truth)),
        Value::Str(text) => text.bytes().fold(3, |sum, byte| mix64(sum ^ u64::from(byte))),
        Value::Slice(bits) => tagged(4, of_line(bits.len() as u64, bits.limbs())),
        Value::Word(bits) => tagged(5, of_line(bits.len() as u64, bits.limbs())),
        Value::Table(Table::Columns(columns)) => tagged(6, of_lines(columns)),
        Value::Table(Table::Rows(rows)) => tagged(7, of_lines(rows)),
        Value::Table(Table::Sparse(table)) => {
            tagged(6 + u64::from(table.by_rows), of_sparse(table))
        }
    }
}

/// Returns the digest of an argument that stays in its file: of its shape and its checksum.
pub fn of_file(file: &LeftTable) -> u64 {
    let (n_rows, n_cols) = file.shape();
    let checksum = file.checksum().unwrap_or(0);
    mix64(mix64(of_shape(n_rows, n_cols)) ^ checksum)
}

fn of_shape(len: usize, n_lines: usize) -> u64 {
    mix64(mix64(len as u64).wrapping_add(n_lines as u64))
}

/// A sum over the limbs that are not 0, so that it does not depend on the form of a table.
fn of_line(seed: u64, limbs: &[u64]) -> u64 {
    let start = mix64(seed);
    let placed = limbs.iter().enumerate().filter(|(_, limb)| **limb != 0);
    placed.fold(start, |sum, (place, limb)| sum.wrapping_add(of_limb(start, place, *limb)))
}

fn of_limb(line: u64, place: usize, limb: u64) -> u64 {
    mix64(limb ^ mix64(line.wrapping_add(place as u64)))
}

fn of_lines(table: &BitTable) -> u64 {
    let lines = (0..table.n_cols()).map(|idx| of_line(idx as u64, table.column_limbs(idx)));
    lines.fold(of_shape(table.n_rows(), table.n_cols()), u64::wrapping_add)
}

fn of_sparse(SparseTable { lines, by_rows: _ }: &SparseTable) -> u64 {
    let n_limbs = lines.len().div_ceil(64);
    let line = |idx| {
        let line = lines.line(idx);
        if line.ground {
            let limbs: Vec<u64> = (0..n_limbs).map(|place| lines.limb(idx, place)).collect();
            return of_line(idx as u64, &limbs);
        }
        let start = mix64(idx as u64);
        let placed = line.places.iter().zip(line.limbs);
        placed.fold(start, |sum, (place, limb)| {
            sum.wrapping_add(of_limb(start, *place as usize, *limb))
        })
    };
    let lines_of = (0..lines.n_lines()).map(line);
    lines_of.fold(of_shape(lines.len(), lines.n_lines()), u64::wrapping_add)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use star_value::{BitVector, SparseLines};

    #[test]
    fn digests_depend_on_contents_and_not_on_sparseness() {
        let mut columns = BitTable::zeros(130, 9).unwrap();
        for idx in 0..130 {
            columns.put(idx, 3, true);
            columns.put(idx, idx % 7, true);
        }
        columns.put(5, 3, false);
        let lines = SparseLines::of_columns(&columns).unwrap();
        let sparse = SparseTable { lines, by_rows: false };
        let dense = of_value(&columns.clone().into());
        assert_eq!(dense, of_value(&Value::Table(sparse.into())));
        let mut digests = BTreeSet::from([dense]);
        for (row, col) in [(0, 3), (129, 8), (64, 0), (65, 0)] {
            let mut other = columns.clone();
            other.put(row, col, !other.get(row, col));
            assert!(digests.insert(of_value(&other.into())), "{row} {col}");
        }
        let bits = BitVector::parse("0110").unwrap();
        let others = [
            Value::Unset,
            Value::Int(0),
            Value::Int(1),
            Value::Bool(false),
            Value::Bool(true),
            Value::Str(String::new()),
            Value::Str("a".to_owned()),
            Value::Slice(bits.clone()),
            Value::Word(bits),
            Value::Slice(BitVector::zeros(4)),
            Value::Slice(BitVector::zeros(5)),
        ];
        assert!(others.iter().all(|other| digests.insert(of_value(other))));
    }
}
