//! Values for calls, and access to their contents.

use star_io::{Graph, Layout, LayoutValue, Weights, Widths, lay_out};
use star_value::{BitTable, BitVector, Table, Value};

/// Builds a number as an argument.
pub(super) fn int(value: usize) -> Value {
    Value::Int(value as i64)
}

/// Builds a vertex, from 0, as an argument.
pub(super) fn vertex(idx: usize) -> Value {
    int(idx + 1)
}

/// Builds the word of `h` bits that holds a number.
pub(super) fn word(number: u64, h: usize) -> Value {
    Value::Word(number_bits(number, h))
}

/// Builds the word of `h` ones.
pub(super) fn infinity(h: usize) -> Value {
    word(infinite(h), h)
}

/// Returns the number that represents infinity in `h` bits.
pub(super) fn infinite(h: usize) -> u64 {
    (1 << h) - 1
}

/// Returns a number modulo 2^h, most significant bit first.
pub(super) fn number_bits(number: u64, h: usize) -> BitVector {
    let bits: Vec<bool> = (0..h).rev().map(|place| number >> place & 1 == 1).collect();
    BitVector::from_bools(&bits)
}

/// Builds a table of zeros.
pub(super) fn zeros(n_rows: usize, n_cols: usize) -> BitTable {
    BitTable::zeros(n_rows, n_cols).expect("a small table")
}

/// Returns number `j`, from 0, of the row `row`, as a field of `h` bits.
pub(super) fn field(table: &BitTable, row: usize, j: usize, h: usize) -> u64 {
    (0..h).fold(0, |number, place| 2 * number + u64::from(table.get(row, j * h + place)))
}

/// Writes a number modulo 2^h into field `j`, from 0.
pub(super) fn put_field(table: &mut BitTable, row: usize, j: usize, h: usize, number: u64) {
    for place in 0..h {
        table.put(row, j * h + place, number >> (h - 1 - place) & 1 == 1);
    }
}

/// Builds a table with a number in every row.
pub(super) fn numbers(numbers: &[u64], h: usize) -> BitTable {
    let mut table = zeros(numbers.len(), h);
    for (row, &number) in numbers.iter().enumerate() {
        put_field(&mut table, row, 0, h, number);
    }
    table
}

/// Builds the codes 1..n.
pub(super) fn codes(n: usize, b: usize) -> BitTable {
    let codes: Vec<u64> = (1..=n as u64).collect();
    numbers(&codes, b)
}

/// Returns the least `b` with n < 2^b, at least 1.
pub(super) fn code_width(n: usize) -> usize {
    (usize::BITS - n.leading_zeros()).max(1) as usize
}

/// Returns the width that `paths` requires.
pub(super) fn path_width(graph: &Graph) -> usize {
    graph.path_width().expect("weights that are not negative")
}

/// Lays out a graph as a table, with h = [`path_width`], or the width that signs require, and b =
/// [`code_width`] of the codes; layouts without weights accept negative ones.
pub(super) fn laid_out(layout: Layout, graph: &Graph) -> BitTable {
    let h = match layout.weights() {
        Weights::Signed => graph.signed_width().expect("small weights"),
        Weights::None | Weights::Listed | Weights::Added => graph.path_width().unwrap_or(1),
    };
    let widths = Widths { h, b: code_width(layout.codes() * graph.n_vertices) };
    match lay_out(layout, graph, widths, 1 << 24, "random").expect("it fits") {
        LayoutValue::Table(Table::Columns(table)) => table,
        other => panic!("{layout:?} is {other:?}"),
    }
}

/// Returns the indices, from 0, of the ones.
pub(super) fn ones(bits: &BitVector) -> Vec<usize> {
    (0..bits.len()).filter(|&idx| bits.get(idx)).collect()
}

/// Builds bits from a set of indices.
pub(super) fn bits_at(len: usize, indices: impl IntoIterator<Item = usize>) -> BitVector {
    let mut bits = BitVector::zeros(len);
    for idx in indices {
        bits.put(idx, true);
    }
    bits
}
