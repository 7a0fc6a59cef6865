//! Shrinking of failing inputs: removes vertices, rows and columns, and clears ones.
//!
//! Related sizes are kept equal: all rows, columns, components and integers with the same number
//! shrink together, so that a graph of n vertices remains a graph; a symmetric table stays
//! symmetric.

use std::ops::Range;

use star_value::{BitTable, BitVector, Table, Value};

/// Shrinks `values` as long as they fail, with at most `max_tries` calls of `fails`.
pub fn shrink(
    values: Vec<Value>,
    max_tries: usize,
    fails: &mut dyn FnMut(&[Value]) -> bool,
) -> Vec<Value> {
    let mut shrinker = Shrinker { values, left: max_tries, fails };
    while shrinker.pass() {}
    shrinker.values
}

struct Shrinker<'f> {
    values: Vec<Value>,
    /// Remaining calls.
    left: usize,
    fails: &'f mut dyn FnMut(&[Value]) -> bool,
}

impl Shrinker<'_> {
    /// Tries every reduction once; returns whether anything became smaller.
    fn pass(&mut self) -> bool {
        let mut smaller = false;
        for size in sizes(&self.values) {
            smaller |= self.take_parts(size);
        }
        for idx in 0..self.values.len() {
            smaller |= self.clear_ones(idx);
        }
        smaller && self.left > 0
    }

    /// Removes parts from everything that has `size` of them, many at a time first, from the end.
    fn take_parts(&mut self, size: usize) -> bool {
        let mut size = size;
        let mut smaller = false;
        let mut len = size.div_ceil(2);
        while len > 0 {
            let mut end = size;
            while end > 0 {
                let piece = end.saturating_sub(len)..end;
                end = piece.start;
                if piece.len() == size {
                    // Empty values are rarely informative, and a sweep would begin with them.
                    continue;
                }
                if let Some(values) = without(&self.values, size, &piece)
                    && self.takes(values)
                {
                    size -= piece.len();
                    smaller = true;
                }
            }
            len = if len == 1 { 0 } else { len.div_ceil(2) };
        }
        smaller
    }

    /// Clears ones of a value, many at a time first.
    fn clear_ones(&mut self, idx: usize) -> bool {
        let mut smaller = false;
        let mut len = ones(&self.values[idx]).len().div_ceil(2);
        while len > 0 {
            let mut end = ones(&self.values[idx]).len();
            while end > 0 {
                let places = ones(&self.values[idx]);
                end = end.min(places.len());
                let start = end.saturating_sub(len);
                let mut values = self.values.clone();
                if let Some(value) = cleared(&values[idx], &places[start..end]) {
                    values[idx] = value;
                    smaller |= self.takes(values);
                }
                end = start;
            }
            len = if len == 1 { 0 } else { len.div_ceil(2) };
        }
        smaller
    }

    fn takes(&mut self, values: Vec<Value>) -> bool {
        if self.left == 0 || values == self.values {
            return false;
        }
        self.left -= 1;
        let fails = (self.fails)(&values);
        if fails {
            self.values = values;
        }
        fails
    }
}

/// Returns the numbers of rows, columns and components, largest first.
fn sizes(values: &[Value]) -> Vec<usize> {
    let mut sizes: Vec<usize> = values
        .iter()
        .flat_map(|value| match value {
            Value::Table(table) => vec![table.n_rows(), table.n_cols()],
            Value::Slice(bits) | Value::Word(bits) => vec![bits.len()],
            Value::Unset | Value::Int(_) | Value::Bool(_) | Value::Str(_) => Vec::new(),
        })
        .filter(|&size| size > 0)
        .collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    sizes.dedup();
    sizes
}

/// Returns the values with a piece removed from everything that has `size` parts; `None` if nothing
/// has, or there is no memory.
fn without(values: &[Value], size: usize, piece: &Range<usize>) -> Option<Vec<Value>> {
    let less = |n: usize| if n == size { n - piece.len() } else { n };
    // The old index of the part with the new index `idx`.
    let from = |n: usize, idx: usize| match n == size && idx >= piece.start {
        true => idx + piece.len(),
        false => idx,
    };
    let vector = |bits: &BitVector| {
        let n = bits.len();
        let kept: Vec<bool> = (0..less(n)).map(|idx| bits.get(from(n, idx))).collect();
        BitVector::from_bools(&kept)
    };
    let small = values.iter().map(|value| {
        Some(match value {
            Value::Table(table) => {
                let (n_rows, n_cols) = (table.n_rows(), table.n_cols());
                let mut small = BitTable::zeros(less(n_rows), less(n_cols)).ok()?;
                for row in 0..less(n_rows) {
                    for col in 0..less(n_cols) {
                        if table.get(from(n_rows, row), from(n_cols, col)) {
                            small.put(row, col, true);
                        }
                    }
                }
                Value::from(small)
            }
            Value::Slice(bits) => Value::Slice(vector(bits)),
            Value::Word(bits) => Value::Word(vector(bits)),
            Value::Int(number) if *number == size as i64 => Value::Int(number - piece.len() as i64),
            Value::Unset | Value::Int(_) | Value::Bool(_) | Value::Str(_) => value.clone(),
        })
    });
    small.collect()
}

/// Returns the positions of ones: rows and columns of a table, those above the diagonal of a
/// symmetric one.
fn ones(value: &Value) -> Vec<(usize, usize)> {
    let of_bits = |bits: &BitVector| {
        (0..bits.len()).filter(|&idx| bits.get(idx)).map(|idx| (idx, 0)).collect()
    };
    match value {
        Value::Table(table) => {
            let symmetric = is_symmetric(table);
            let places = (0..table.n_rows())
                .flat_map(|row| (0..table.n_cols()).map(move |col| (row, col)))
                .filter(|&(row, col)| table.get(row, col) && (!symmetric || row <= col));
            places.collect()
        }
        Value::Slice(bits) | Value::Word(bits) => of_bits(bits),
        Value::Unset | Value::Int(_) | Value::Bool(_) | Value::Str(_) => Vec::new(),
    }
}

/// Returns the value with these ones cleared.
fn cleared(value: &Value, places: &[(usize, usize)]) -> Option<Value> {
    let of_bits = |bits: &BitVector| {
        let mut bits = bits.clone();
        places.iter().for_each(|&(idx, _)| bits.put(idx, false));
        bits
    };
    match value {
        Value::Table(table) => {
            let symmetric = is_symmetric(table);
            let mut table = table.columns()?.try_clone().ok()?;
            for &(row, col) in places {
                table.put(row, col, false);
                if symmetric {
                    table.put(col, row, false);
                }
            }
            Some(Value::from(table))
        }
        Value::Slice(bits) => Some(Value::Slice(of_bits(bits))),
        Value::Word(bits) => Some(Value::Word(of_bits(bits))),
        Value::Unset | Value::Int(_) | Value::Bool(_) | Value::Str(_) => None,
    }
}

fn is_symmetric(table: &Table) -> bool {
    let n = table.n_rows();
    n == table.n_cols()
        && (0..n).all(|row| (0..row).all(|col| table.get(row, col) == table.get(col, row)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[&str]) -> Value {
        Value::from(BitTable::parse(rows).unwrap())
    }

    #[test]
    fn equal_sizes_shrink_together() {
        // A path of 40 vertices; it fails if it has a path of two arcs.
        let mut path = BitTable::zeros(40, 40).unwrap();
        (1..40).for_each(|vertex| path.put(vertex - 1, vertex, true));
        let values = vec![Value::Int(40), Value::from(path), Value::Int(2)];
        let mut n_asked = 0;
        let small = shrink(values, 500, &mut |values| {
            n_asked += 1;
            let [Value::Int(n), Value::Table(table), Value::Int(2)] = values else {
                panic!("{values:?}")
            };
            let n = *n as usize;
            assert_eq!((table.n_rows(), table.n_cols()), (n, n));
            let step = |from: usize, to: usize| table.get(from, to);
            (0..n).any(|a| (0..n).any(|b| step(a, b) && (0..n).any(|c| step(b, c))))
        });
        assert_eq!(small[..2], [Value::Int(3), table(&["010", "001", "000"])]);
        assert!(n_asked < 100, "{n_asked}");
    }

    #[test]
    fn clearing_ones_keeps_symmetry() {
        let values = vec![table(&["0111", "1011", "1101", "1110"])];
        let small = shrink(values, 500, &mut |values| match &values[0] {
            Value::Table(table) => {
                assert!(is_symmetric(table));
                table.n_rows() == 4 && table.get(2, 1)
            }
            _ => false,
        });
        assert_eq!(small, [table(&["0000", "0010", "0100", "0000"])]);
        let bits = Value::Slice(BitVector::parse("11011").unwrap());
        let small = shrink(vec![bits], 500, &mut |values| match &values[0] {
            Value::Slice(bits) => bits.count_ones() >= 2,
            _ => false,
        });
        assert_eq!(small, [Value::Slice(BitVector::parse("11").unwrap())]);
    }

    #[test]
    fn tries_are_bounded() {
        let values = vec![Value::Slice(BitVector::from_bools(&[true; 1000]))];
        let mut n_asked = 0;
        shrink(values, 7, &mut |_| {
            n_asked += 1;
            false
        });
        assert_eq!(n_asked, 7);
    }
}
