//! Direct layout of graphs as sparse tables, without an intermediate dense table.

use star_value::{OutOfMemory, SparseLines, SparseTable};

use super::groups::Groups;
use super::poller::InterruptPoller;
use super::{Layout, LayoutOptions, Widths, check, product};
use crate::error::FileError;
use crate::graph::Graph;
use crate::source;

/// Minimum size, as a dense table, for which a sparse table is considered.
pub const LEAST_DENSE_BYTES: u64 = 1 << 26;
/// A sparse table must be smaller than the dense one by this factor.
const SPARSE_SHARE: u128 = 16;

/// Sizes of a layout of a graph in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayoutBytes {
    /// Size as a dense table, by rows or by columns.
    pub dense: u128,
    /// Maximum size as a sparse table.
    pub sparse: u64,
}

impl LayoutBytes {
    /// Returns whether the dense table is large and the sparse one much smaller.
    pub fn favours_sparse(self) -> bool {
        self.dense >= u128::from(LEAST_DENSE_BYTES)
            && u128::from(self.sparse) <= self.dense / SPARSE_SHARE
    }
}

/// The size of a sparse table.
#[derive(Clone, Copy)]
struct Extent {
    n_rows: usize,
    n_cols: u128,
    /// Whether its lines are rows.
    by_rows: bool,
    /// Maximum number of limbs that differ from the ground of their lines.
    n_limbs: usize,
    /// Number of places that are sorted by line, and bytes of each.
    n_items: usize,
    item_bytes: u64,
}

/// A place in a line, and its weight.
type Weighed = (u32, i64);

impl Extent {
    /// `None` if the layout has no sparse form because it is not a matrix.
    fn of(layout: Layout, graph: &Graph, widths: Widths, by_rows: bool) -> Option<Extent> {
        let (n, m, h) = (graph.n_vertices, graph.n_edges(), widths.h);
        let n_arcs = m.saturating_mul(1 + usize::from(graph.symmetric));
        let pattern = |n_rows: usize, n_ones: usize| Extent {
            n_rows,
            n_cols: n as u128,
            by_rows,
            n_limbs: n_ones,
            n_items: n_ones,
            item_bytes: size_of::<u32>() as u64,
        };
        // In two's complement the first column of a field has a different ground.
        let by_rows = by_rows && layout != Layout::SignedOut;
        let weights = |n_items: usize| Extent {
            n_rows: n,
            n_cols: product(n, h),
            by_rows,
            n_limbs: n_items.saturating_mul(if by_rows { h / 64 + 2 } else { h }),
            n_items,
            item_bytes: size_of::<Weighed>() as u64,
        };
        match layout {
            Layout::Adjacency => Some(pattern(n, n_arcs)),
            Layout::Incidence => Some(pattern(m, m.saturating_mul(2))),
            Layout::Tails | Layout::Heads => Some(pattern(m, m)),
            Layout::WeightsOut | Layout::SignedOut | Layout::WeightsIn => Some(weights(n_arcs)),
            Layout::Distances => Some(weights(n_arcs.saturating_add(n))),
            Layout::Left
            | Layout::Right
            | Layout::Weight
            | Layout::Arcs
            | Layout::Code
            | Layout::CodeDouble
            | Layout::Edges => None,
        }
    }

    /// Length and number of lines, if they are in range.
    fn lines(&self) -> Option<(usize, usize)> {
        let n_cols = usize::try_from(self.n_cols).ok()?;
        Some(if self.by_rows { (n_cols, self.n_rows) } else { (self.n_rows, n_cols) })
    }

    fn bytes(&self) -> LayoutBytes {
        let (n_rows, n_cols) = (self.n_rows as u128, self.n_cols);
        let (len, n_lines) = if self.by_rows { (n_cols, n_rows) } else { (n_rows, n_cols) };
        let dense = len.div_ceil(64).saturating_mul(8).saturating_mul(n_lines);
        let n_lines = usize::try_from(n_lines).unwrap_or(usize::MAX);
        LayoutBytes { dense, sparse: SparseLines::bytes_for(n_lines, self.n_limbs) }
    }
}

/// Sizes of a layout in both forms; `None` if it has no sparse form because it is not a matrix.
pub fn bytes_of_forms(
    layout: Layout,
    graph: &Graph,
    widths: Widths,
    by_rows: bool,
) -> Option<LayoutBytes> {
    Extent::of(layout, graph, widths, by_rows).map(|extent| extent.bytes())
}

/// Lays out a graph as a sparse table by rows or columns, as the options say; a two's complement
/// layout is always stored by columns. `None` if the layout has no sparse form. Needs the memory of
/// the result, and temporarily up to 16 bytes for each arc and 8 for each vertex.
///
/// # Errors
/// Those of [`lay_out_with`](super::lay_out_with).
pub fn lay_out_sparse(
    layout: Layout,
    graph: &Graph,
    widths: Widths,
    options: &mut LayoutOptions<'_>,
) -> Result<Option<SparseTable>, FileError> {
    let LayoutOptions { file, max_bytes, by_rows, .. } = *options;
    check(layout, graph, widths, file)?;
    let Some(extent) = Extent::of(layout, graph, widths, by_rows) else { return Ok(None) };
    let of_items = (extent.n_items as u64).saturating_mul(extent.item_bytes);
    let meanwhile = (graph.n_vertices as u64).saturating_mul(8).saturating_add(of_items);
    let n_bytes = extent.bytes().sparse.saturating_add(meanwhile);
    let out_of_memory = || {
        let mut error = FileError::from(source::out_of_memory(file, n_bytes.into(), max_bytes));
        let Extent { n_rows, n_cols, .. } = extent;
        error.message = format!("a sparse table of {n_rows} × {n_cols}: {}", error.message);
        error
    };
    let Some((len, n_lines)) = extent.lines().filter(|_| n_bytes <= max_bytes) else {
        return Err(out_of_memory());
    };
    let lines = SparseLines::zeros(len, n_lines, extent.n_limbs).map_err(|_| out_of_memory())?;
    let mut filling = Filling {
        lines,
        extent,
        poller: InterruptPoller::new(options),
        limbs: Vec::new(),
        out_of_memory: &out_of_memory,
    };
    let arcs = graph.arcs.iter().zip(0_u32..);
    match layout {
        Layout::Adjacency => {
            filling.pattern(graph.directed_arcs().map(|arc| (arc.tail, arc.head)))?
        }
        Layout::Incidence => {
            filling.pattern(arcs.flat_map(|(arc, row)| [(row, arc.tail), (row, arc.head)]))?;
        }
        Layout::Tails => filling.pattern(arcs.map(|(arc, row)| (row, arc.tail)))?,
        Layout::Heads => filling.pattern(arcs.map(|(arc, row)| (row, arc.head)))?,
        Layout::WeightsOut | Layout::SignedOut => {
            let arcs = graph.directed_arcs().map(|arc| (arc.head, arc.tail, arc.weight));
            filling.weights(arcs, widths.h, layout == Layout::SignedOut)?;
        }
        Layout::WeightsIn => {
            let arcs = graph.directed_arcs().map(|arc| (arc.tail, arc.head, arc.weight));
            filling.weights(arcs, widths.h, false)?;
        }
        Layout::Distances => {
            let arcs = graph.directed_arcs().map(|arc| (arc.tail, arc.head, arc.weight));
            let diagonal = (0..graph.n_vertices as u32).map(|vertex| (vertex, vertex, 0));
            filling.weights(arcs.chain(diagonal), widths.h, false)?;
        }
        Layout::Left
        | Layout::Right
        | Layout::Weight
        | Layout::Arcs
        | Layout::Code
        | Layout::CodeDouble
        | Layout::Edges => {}
    }
    Ok(Some(SparseTable { lines: filling.lines, by_rows: extent.by_rows }))
}

/// A sparse table during filling.
struct Filling<'f> {
    lines: SparseLines,
    extent: Extent,
    poller: InterruptPoller<'f>,
    /// The limbs of a line.
    limbs: Vec<(u32, u64)>,
    out_of_memory: &'f dyn Fn() -> FileError,
}

impl Filling<'_> {
    /// Sets ones at these rows and columns.
    fn pattern(&mut self, ones: impl Iterator<Item = (u32, u32)> + Clone) -> Result<(), FileError> {
        let Extent { by_rows, n_items, .. } = self.extent;
        let n_lines = self.lines.n_lines();
        let items = ones.map(|(row, col)| if by_rows { (row, col) } else { (col, row) });
        let groups = Groups::of(n_lines, n_items, items, &mut self.poller)?;
        let mut groups = groups.ok_or_else(self.out_of_memory)?;
        for idx in 0..n_lines {
            let ones = groups.line_mut(idx);
            ones.sort_unstable();
            self.poller.step(1 + ones.len())?;
            self.set_line(idx, false, ones.iter().map(|one| *one as usize))?;
        }
        Ok(())
    }

    /// Sets numbers of `h` bits in fields of rows: the smallest of parallel weights; all ones, or
    /// in two's complement 01…1, for no arc.
    fn weights(
        &mut self,
        weights: impl Iterator<Item = (u32, u32, i64)> + Clone,
        h: usize,
        is_signed: bool,
    ) -> Result<(), FileError> {
        let Extent { n_rows: n, by_rows, n_items, .. } = self.extent;
        let items = weights.map(|(row, field, weight)| match by_rows {
            true => (row, (field, weight)),
            false => (field, (row, weight)),
        });
        let groups = Groups::<Weighed>::of(n, n_items, items, &mut self.poller)?;
        let mut groups = groups.ok_or_else(self.out_of_memory)?;
        // For `exponent` beyond the 64 bits of a weight, the bit is that of the sign.
        let bit = |weight: i64, exponent: usize| weight >> exponent.min(63) & 1 == 1;
        let mut least: Vec<Weighed> = Vec::new();
        for group in 0..n {
            let weights = groups.line_mut(group);
            // The smallest weight comes first.
            weights.sort_unstable();
            least.clear();
            least.extend_from_slice(weights);
            least.dedup_by_key(|(place, _)| *place);
            self.poller.step(1 + least.len() * h)?;
            if by_rows {
                let zeros = least.iter().flat_map(|(field, weight)| {
                    let exponents = (0..h).rev().zip(*field as usize * h..);
                    exponents.filter(|(exponent, _)| !bit(*weight, *exponent)).map(|(_, at)| at)
                });
                self.set_line(group, true, zeros)?;
                continue;
            }
            for place in 0..h {
                let ground = !(is_signed && place == 0);
                let others =
                    least.iter().filter(|(_, weight)| bit(*weight, h - 1 - place) != ground);
                let others = others.map(|(row, _)| *row as usize);
                self.set_line(group * h + place, ground, others)?;
            }
        }
        Ok(())
    }

    /// Sets a line to its ground except for these bits, which are in ascending order with possible
    /// duplicates.
    fn set_line(
        &mut self,
        idx: usize,
        ground: bool,
        others: impl Iterator<Item = usize>,
    ) -> Result<(), FileError> {
        self.limbs.clear();
        for at in others {
            let (place, mask) = ((at / 64) as u32, 1 << (at % 64));
            match self.limbs.last_mut() {
                Some((last, limb)) if *last == place => *limb |= mask,
                Some(_) | None => self.limbs.push((place, mask)),
            }
        }
        for (place, limb) in &mut self.limbs {
            *limb ^= self.lines.ground_limb(ground, *place as usize);
        }
        let set = self.lines.set(idx, ground, self.limbs.iter().copied());
        set.map_err(|OutOfMemory { .. }| (self.out_of_memory)())
    }
}
