//! The bits of the layouts. Every table comes with its size and all zeros; every arc was checked
//! to end inside the graph, every number to fit.

use star_base::{BitTable, BitVector};

use super::End;
use crate::graph::Graph;

/// Which weights stand in a row.
#[derive(Clone, Copy)]
pub(super) enum Direction {
    /// Field k of row i is the weight of the arc from k to i.
    Out,
    /// Field k of row i is the weight of the arc from i to k.
    In,
}

/// n × n.
pub(super) fn adjacency(mut table: BitTable, graph: &Graph) -> BitTable {
    for arc in graph.directed_arcs() {
        table.put(arc.tail as usize, arc.head as usize, true);
    }
    table
}

/// n × n·h.
pub(super) fn weights(table: BitTable, graph: &Graph, h: usize, direction: Direction) -> BitTable {
    let mut table = all_ones(table);
    for arc in graph.directed_arcs() {
        let (tail, head) = (arc.tail as usize, arc.head as usize);
        let (row, field) = match direction {
            Direction::Out => (head, tail),
            Direction::In => (tail, head),
        };
        let weight = arc.weight.unsigned_abs();
        if is_less(&table, row, field * h, h, weight) {
            put_number(&mut table, row, field * h, h, weight);
        }
    }
    table
}

/// Writes 0 into the fields on the diagonal.
pub(super) fn no_distance_to_itself(mut table: BitTable, h: usize) -> BitTable {
    for row in 0..table.n_rows() {
        put_number(&mut table, row, row * h, h, 0);
    }
    table
}

/// The codes of the vertices that the arcs leave, in `width` columns from `first`.
pub(super) fn tail_codes(table: BitTable, graph: &Graph, first: usize, width: usize) -> BitTable {
    let codes = graph.arcs.iter().map(|arc| u64::from(arc.tail) + 1);
    numbers(table, codes, first, width)
}

/// The codes of the vertices that the arcs enter, in `width` columns from `first`.
pub(super) fn head_codes(table: BitTable, graph: &Graph, first: usize, width: usize) -> BitTable {
    let codes = graph.arcs.iter().map(|arc| u64::from(arc.head) + 1);
    numbers(table, codes, first, width)
}

/// The weights of the arcs, in `width` columns from `first`.
pub(super) fn weight_list(table: BitTable, graph: &Graph, first: usize, width: usize) -> BitTable {
    let weights = graph.arcs.iter().map(|arc| arc.weight.unsigned_abs());
    numbers(table, weights, first, width)
}

/// n × b.
pub(super) fn codes(table: BitTable, b: usize) -> BitTable {
    let n = table.n_rows() as u64;
    numbers(table, 1..=n, 0, b)
}

/// The slice of ones as long as the only column of `table`.
pub(super) fn ones(table: BitTable) -> BitVector {
    all_ones(table).into_first_column()
}

/// m × n: ones at these ends of every arc.
pub(super) fn ends(mut table: BitTable, graph: &Graph, ends: &[End]) -> BitTable {
    for (row, arc) in graph.arcs.iter().enumerate() {
        for end in ends {
            let vertex = match end {
                End::Tail => arc.tail,
                End::Head => arc.head,
            };
            table.put(row, vertex as usize, true);
        }
    }
    table
}

fn numbers(
    mut table: BitTable,
    numbers: impl Iterator<Item = u64>,
    first: usize,
    width: usize,
) -> BitTable {
    for (row, number) in numbers.enumerate() {
        put_number(&mut table, row, first, width, number);
    }
    table
}

fn all_ones(mut table: BitTable) -> BitTable {
    let (n_rows, n_cols) = (table.n_rows(), table.n_cols());
    if n_rows == 0 {
        return table;
    }
    for col in 0..n_cols {
        let limbs = table.column_limbs_mut(col);
        limbs.fill(u64::MAX);
        if let Some(last) = limbs.last_mut()
            && n_rows % 64 > 0
        {
            *last = (1 << (n_rows % 64)) - 1;
        }
    }
    table
}

/// Writes a number, most significant bit first, into `width` columns from `first`.
fn put_number(table: &mut BitTable, row: usize, first: usize, width: usize, number: u64) {
    for place in 0..width {
        table.put(row, first + place, bit_of(number, width - 1 - place));
    }
}

/// Is `number` less than what stands in `width` columns from `first`?
fn is_less(table: &BitTable, row: usize, first: usize, width: usize, number: u64) -> bool {
    let differing = (0..width).find_map(|place| {
        let stored = table.get(row, first + place);
        (stored != bit_of(number, width - 1 - place)).then_some(stored)
    });
    differing.unwrap_or(false)
}

/// Bit `exponent` of a number, zero beyond its 64.
fn bit_of(number: u64, exponent: usize) -> bool {
    exponent < 64 && number >> exponent & 1 == 1
}
