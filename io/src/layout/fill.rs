//! Filling of the layouts. Tables arrive with their size and all zeros; all arcs are known to end
//! inside the graph, and all numbers to fit.

use std::ops::Range;

use star_value::bits::zero_tail;
use star_value::transpose::transpose_block;
use star_value::{BitTable, BitVector};

use super::End;
use super::groups::Groups;
use super::poller::InterruptPoller;
use super::target::Target;
use crate::error::FileError;
use crate::graph::Graph;

/// A table that fits in the caches is filled in any order.
const SMALL_BYTES: u64 = 1 << 22;
/// Cost of building a limb bit by bit, in steps.
const LIMB_STEPS: usize = 1;

/// Direction of the weights in a row.
#[derive(Clone, Copy)]
pub(super) enum Direction {
    /// Field k of row i is the weight of the arc from k to i.
    Out,
    /// Field k of row i is the weight of the arc from i to k.
    In,
}

/// Fills an n × n adjacency matrix. The ones of a line are set together: in a large table this is
/// several times as fast as in file order, since pages are touched once and sequentially.
pub(super) fn adjacency(
    mut table: Target,
    graph: &Graph,
    poller: &mut InterruptPoller<'_>,
) -> Result<Target, FileError> {
    let by_rows = table.by_rows();
    let lines = match table.lines_mut().n_bytes() > SMALL_BYTES {
        true => {
            let arcs = graph.directed_arcs().map(|arc| match by_rows {
                true => (arc.tail, arc.head),
                false => (arc.head, arc.tail),
            });
            let n_arcs = graph.arcs.len().saturating_mul(1 + usize::from(graph.symmetric));
            Groups::of(graph.n_vertices, n_arcs, arcs, poller)?
        }
        false => None,
    };
    let Some(lines) = lines else {
        for arc in graph.directed_arcs() {
            table.put(arc.tail as usize, arc.head as usize, true);
            poller.step(1)?;
        }
        return Ok(table);
    };
    for line in 0..graph.n_vertices {
        let ones = lines.line(line);
        poller.step(1)?;
        if ones.is_empty() {
            continue;
        }
        let limbs = table.lines_mut().column_limbs_mut(line);
        for &place in ones {
            limbs[place as usize / 64] |= 1 << (place % 64);
            poller.step(1)?;
        }
    }
    Ok(table)
}

/// Fills an n × n·h weight matrix.
pub(super) fn weights(
    table: Target,
    graph: &Graph,
    h: usize,
    direction: Direction,
    poller: &mut InterruptPoller<'_>,
) -> Result<Target, FileError> {
    let bit = |weight: i64, exponent: usize| bit_of(weight.unsigned_abs(), exponent);
    least_weights(table, graph, h, direction, bit, poller)
}

/// Fills an n × n·h weight matrix in two's complement. This is the biased number, whose order is
/// unsigned, with the first bit inverted: all ones, which mean no arc, become 01…1.
pub(super) fn signed_weights(
    table: Target,
    graph: &Graph,
    h: usize,
    poller: &mut InterruptPoller<'_>,
) -> Result<Target, FileError> {
    let biased_bit = |weight: i64, exponent: usize| match exponent + 1 == h {
        true => weight >= 0,
        false => weight >> exponent.min(63) & 1 == 1,
    };
    let mut table = least_weights(table, graph, h, Direction::Out, biased_bit, poller)?;
    let n_rows = table.n_rows();
    if table.by_rows() {
        for row in 0..n_rows {
            for field in 0..graph.n_vertices {
                let bit = table.get(row, field * h);
                table.put(row, field * h, !bit);
                poller.step(1)?;
            }
        }
        return Ok(table);
    }
    let columns = table.lines_mut();
    for field in 0..graph.n_vertices {
        let limbs = columns.column_limbs_mut(field * h);
        for limb in limbs.iter_mut() {
            *limb = !*limb;
            poller.step(LIMB_STEPS)?;
        }
        zero_tail(columns.column_limbs_mut(field * h), n_rows);
    }
    Ok(table)
}

/// Fills an n × n·h matrix with ones and the smallest weights of parallel arcs; `bit` returns the
/// bit of a weight at an exponent.
fn least_weights(
    mut table: Target,
    graph: &Graph,
    h: usize,
    direction: Direction,
    bit: impl Fn(i64, usize) -> bool,
    poller: &mut InterruptPoller<'_>,
) -> Result<Target, FileError> {
    table.set_all(poller)?;
    for arc in graph.directed_arcs() {
        let (tail, head) = (arc.tail as usize, arc.head as usize);
        let (row, field) = match direction {
            Direction::Out => (head, tail),
            Direction::In => (tail, head),
        };
        let bit = |exponent| bit(arc.weight, exponent);
        if is_less(&table, row, field * h, h, bit) {
            put_number(&mut table, row, field * h, h, bit);
        }
        poller.step(h)?;
    }
    Ok(table)
}

/// Writes 0 into the fields on the diagonal.
pub(super) fn no_distance_to_itself(
    mut table: Target,
    h: usize,
    poller: &mut InterruptPoller<'_>,
) -> Result<Target, FileError> {
    for row in 0..table.n_rows() {
        put_number(&mut table, row, row * h, h, |_| false);
        poller.step(h)?;
    }
    Ok(table)
}

/// Fills the single column of `table` with ones.
pub(super) fn ones(
    mut table: Target,
    poller: &mut InterruptPoller<'_>,
) -> Result<BitVector, FileError> {
    table.set_all(poller)?;
    Ok(table.into_lines().into_first_column())
}

/// Fills an m × n matrix with ones at the selected ends of every arc.
pub(super) fn ends(
    mut table: Target,
    graph: &Graph,
    ends: &[End],
    poller: &mut InterruptPoller<'_>,
) -> Result<Target, FileError> {
    for (row, arc) in graph.arcs.iter().enumerate() {
        for end in ends {
            let vertex = match end {
                End::Tail => arc.tail,
                End::Head => arc.head,
            };
            table.put(row, vertex as usize, true);
        }
        poller.step(ends.len())?;
    }
    Ok(table)
}

/// Writes the number of every row into these columns. The table is stored by columns.
pub(super) fn numbers(
    mut table: Target,
    columns: Range<usize>,
    number: impl Fn(usize) -> u64,
    poller: &mut InterruptPoller<'_>,
) -> Result<Target, FileError> {
    fill_numbers(table.lines_mut(), columns, number, poller)?;
    Ok(table)
}

/// Limbs of a column that are written together: those of a cache line.
const AT_ONCE: usize = 8;

/// Writes the number of every row into these columns of zeros, the most significant bit first;
/// columns before the last 64 are not touched. Every number is read once.
pub(super) fn fill_numbers(
    table: &mut BitTable,
    columns: Range<usize>,
    number: impl Fn(usize) -> u64,
    poller: &mut InterruptPoller<'_>,
) -> Result<(), FileError> {
    let n_rows = table.n_rows();
    let mut planes = [[0; AT_ONCE]; 64];
    for first in (0..n_rows).step_by(64 * AT_ONCE) {
        let rows = first..n_rows.min(first + 64 * AT_ONCE);
        let limbs = first / 64..rows.end.div_ceil(64);
        for place in 0..limbs.len() {
            let start = first + 64 * place;
            let mut block = [0; 64];
            for (limb, row) in block.iter_mut().zip(start..rows.end) {
                *limb = number(row);
            }
            transpose_block(&mut block);
            for (plane, limb) in planes.iter_mut().zip(block) {
                plane[place] = limb;
            }
        }
        for (column, plane) in columns.clone().rev().zip(&planes) {
            let plane = &plane[..limbs.len()];
            if plane.iter().any(|limb| *limb != 0) {
                table.column_limbs_mut(column)[limbs.clone()].copy_from_slice(plane);
            }
        }
        poller.step(columns.len() + rows.len() / 32)?;
    }
    Ok(())
}

/// Sets the bits of a column of zeros; limbs without ones are not touched.
pub(super) fn fill_column(
    table: &mut BitTable,
    col: usize,
    bit: impl Fn(usize) -> bool,
    poller: &mut InterruptPoller<'_>,
) -> Result<(), FileError> {
    let n_rows = table.n_rows();
    for (limb_idx, limb) in table.column_limbs_mut(col).iter_mut().enumerate() {
        let first = limb_idx * 64;
        let rows = first..n_rows.min(first + 64);
        let bits = rows.fold(0u64, |bits, row| bits | u64::from(bit(row)) << (row - first));
        if bits != 0 {
            *limb = bits;
        }
        poller.step(LIMB_STEPS)?;
    }
    Ok(())
}

/// Writes a number, most significant bit first, into `width` columns from `first`. `bit` returns
/// its bits by exponent.
fn put_number(
    table: &mut Target,
    row: usize,
    first: usize,
    width: usize,
    bit: impl Fn(usize) -> bool,
) {
    for place in 0..width {
        table.put(row, first + place, bit(width - 1 - place));
    }
}

/// Returns whether the number with the bits `bit` is less than the number in `width` columns from
/// `first`.
fn is_less(
    table: &Target,
    row: usize,
    first: usize,
    width: usize,
    bit: impl Fn(usize) -> bool,
) -> bool {
    let differing = (0..width).find_map(|place| {
        let stored = table.get(row, first + place);
        (stored != bit(width - 1 - place)).then_some(stored)
    });
    differing.unwrap_or(false)
}

/// Bit `exponent` of a number; zero beyond its 64 bits.
fn bit_of(number: u64, exponent: usize) -> bool {
    exponent < 64 && number >> exponent & 1 == 1
}
