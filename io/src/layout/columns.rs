//! The arcs of a graph by the columns that they set in an adjacency table, or by the rows.

use super::poller::InterruptPoller;
use crate::error::FileError;
use crate::graph::{Arc, Graph};

/// The rows of the ones of every column, parallel arcs included; the columns of the ones of every row, if that is wanted.
pub(super) struct Columns {
    /// Rows of column j, from 0, lie from `ends[j - 1]` to `ends[j]`.
    ends: Vec<usize>,
    rows: Vec<u32>,
}

impl Columns {
    /// Sorts by counting. `None` if the system refuses the memory.
    pub(super) fn of(
        graph: &Graph,
        by_rows: bool,
        poller: &mut InterruptPoller<'_>,
    ) -> Result<Option<Self>, FileError> {
        let (mut ends, mut rows) = (Vec::new(), Vec::new());
        let n_rows = graph.arcs.len().saturating_mul(1 + usize::from(graph.symmetric));
        if ends.try_reserve_exact(graph.n_vertices).is_err()
            || rows.try_reserve_exact(n_rows).is_err()
        {
            return Ok(None);
        }
        ends.resize(graph.n_vertices, 0usize);
        let line = |arc: &Arc| if by_rows { (arc.tail, arc.head) } else { (arc.head, arc.tail) };
        for arc in graph.directed_arcs() {
            ends[line(&arc).0 as usize] += 1;
            poller.step(1)?;
        }
        let mut sum = 0;
        for end in &mut ends {
            // For now where the column begins; every row moves it on.
            sum += std::mem::replace(end, sum);
        }
        rows.resize(sum, 0u32);
        for arc in graph.directed_arcs() {
            let (line, place) = line(&arc);
            let end = &mut ends[line as usize];
            rows[*end] = place;
            *end += 1;
            poller.step(1)?;
        }
        Ok(Some(Columns { ends, rows }))
    }

    /// The rows of a column, in the order of the arcs.
    pub(super) fn rows(&self, col: usize) -> &[u32] {
        let start = if col == 0 { 0 } else { self.ends[col - 1] };
        &self.rows[start..self.ends[col]]
    }
}
