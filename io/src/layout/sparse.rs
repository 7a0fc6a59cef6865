//! Graphs as sparse tables, without a dense one in between.

use star_base::SparseLines;

use super::columns::Columns;
use super::poller::InterruptPoller;
use super::{Layout, LayoutOptions, product};
use crate::error::FileError;
use crate::graph::Graph;
use crate::source;

/// Bytes that a layout of a graph takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayoutBytes {
    /// As a dense table, by rows or by columns.
    pub dense: u128,
    /// As a sparse one, at most.
    pub sparse: u64,
}

/// What a layout takes in both forms; `None` if it has no sparse one: it is no matrix, or mostly ones where there is no arc.
pub fn bytes_of_forms(layout: Layout, graph: &Graph) -> Option<LayoutBytes> {
    match layout {
        Layout::Adjacency => {
            let n = graph.n_vertices;
            let n_ones = graph.n_edges().saturating_mul(1 + usize::from(graph.symmetric));
            let dense = product(n.div_ceil(64), n).saturating_mul(8);
            Some(LayoutBytes { dense, sparse: SparseLines::bytes_for(n, n_ones) })
        }
        Layout::WeightsOut
        | Layout::SignedOut
        | Layout::WeightsIn
        | Layout::Distances
        | Layout::Left
        | Layout::Right
        | Layout::Weight
        | Layout::Arcs
        | Layout::Code
        | Layout::CodeDouble
        | Layout::Edges
        | Layout::Incidence
        | Layout::Tails
        | Layout::Heads => None,
    }
}

/// Lays out the adjacency table of a graph sparse: its rows, or its columns, as the options say. Takes the memory of the result, and 4 bytes for
/// each arc and 8 for each vertex meanwhile.
///
/// # Errors
/// [`Code::DoesNotFit`](star_base::Code) before anything is taken if that is more than `options.max_bytes`, or if the system has less;
/// [`Code::OutOfRange`](star_base::Code) if an arc ends at a vertex that the graph does not have; [`Code::Interrupted`](star_base::Code) if `options.go_on` says so.
pub fn lay_out_sparse(
    graph: &Graph,
    options: &mut LayoutOptions<'_>,
) -> Result<SparseLines, FileError> {
    let LayoutOptions { file, max_bytes, by_rows, .. } = *options;
    let n = graph.n_vertices;
    graph.check_ends(file)?;
    let n_ones = graph.n_edges().saturating_mul(1 + usize::from(graph.symmetric));
    let n_bytes = SparseLines::bytes_for(n, n_ones);
    let meanwhile = (n as u64).saturating_mul(8).saturating_add((n_ones as u64).saturating_mul(4));
    let out_of_memory = || {
        let wanted = u128::from(n_bytes.saturating_add(meanwhile));
        let mut error = FileError::from(source::out_of_memory(file, wanted, max_bytes));
        error.message = format!("a sparse table of {n} × {n}: {}", error.message);
        error
    };
    if n_bytes.saturating_add(meanwhile) > max_bytes {
        return Err(out_of_memory());
    }
    let mut poller = InterruptPoller::new(options);
    let places = Columns::of(graph, by_rows, &mut poller)?.ok_or_else(out_of_memory)?;
    let mut lines = SparseLines::zeros(n, n, n_ones).map_err(|_| out_of_memory())?;
    let (mut ones, mut limbs): (Vec<u32>, Vec<(u32, u64)>) = (Vec::new(), Vec::new());
    for line in 0..n {
        ones.clear();
        ones.extend_from_slice(places.rows(line));
        ones.sort_unstable();
        limbs.clear();
        for one in &ones {
            let (place, mask) = (one / 64, 1 << (one % 64));
            match limbs.last_mut() {
                Some((last, limb)) if *last == place => *limb |= mask,
                Some(_) | None => limbs.push((place, mask)),
            }
        }
        lines.set(line, limbs.iter().copied()).map_err(|_| out_of_memory())?;
        poller.step(1 + ones.len())?;
    }
    Ok(lines)
}
