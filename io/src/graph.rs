//! Graphs as lists of arcs, the result of reading every graph format.
//!
//! This module is independent of files and tables; [`crate::layout`] converts graphs to tables.

use star_base::Code;

use crate::error::FileError;
use crate::graph_part::range_of_weights;
use crate::names::{VertexName, VertexNames};
use crate::options::Direction;
use crate::sort::{AT_ONCE, count_pairs, sort, sort_by_key};

/// One arc, or one edge of a symmetric graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Arc {
    /// The vertex it leaves, from 0.
    pub tail: u32,
    /// The vertex it enters, from 0.
    pub head: u32,
    /// Its weight; 1 in an unweighted graph.
    pub weight: i64,
}

/// What a part of a graph must know of the arcs of the other parts; nothing in a whole graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ArcsElsewhere {
    /// Their number.
    pub n_arcs: usize,
    /// Their least and greatest weight.
    pub weights: Option<(i64, i64)>,
}

/// A graph. Vertex `x` (from 0) is row `x + 1` of every table built from it, and has the code `x +
/// 1`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Graph {
    /// Number of vertices.
    pub n_vertices: usize,
    /// The arcs in file order, including parallel arcs and loops.
    pub arcs: Vec<Arc>,
    /// Whether the file has weights.
    pub weighted: bool,
    /// Whether every entry of `arcs` is an undirected edge, stored once.
    pub symmetric: bool,
    /// The names of the vertices in the file, if they are not 1..n.
    pub names: Option<VertexNames>,
    /// The reason why the weights of the file are missing: the first one that is not an integer.
    /// Layouts with weights are rejected with this error, layouts without weights are not.
    pub no_weights: Option<Box<FileError>>,
    /// The arcs of the other parts, if this is one of several parts, each of which has some arcs.
    pub elsewhere: ArcsElsewhere,
}

impl Graph {
    /// Checks that the weights of the file are available.
    ///
    /// # Errors
    /// [`Code::BadFormat`] with the place of one that could not be read.
    pub fn wants_weights(&self) -> Result<(), FileError> {
        match &self.no_weights {
            None => Ok(()),
            Some(error) => Err(FileError::clone(error)),
        }
    }

    /// Number of rows of the graph's edge lists: `arcs.len()` in a whole graph.
    pub fn n_edges(&self) -> usize {
        self.arcs.len() + self.elsewhere.n_arcs
    }

    /// The least and the greatest weight, also of the other parts; `None` without arcs.
    fn weight_range(&self) -> Option<(i64, i64)> {
        let elsewhere = self.elsewhere.weights.into_iter().flat_map(|(least, most)| [least, most]);
        range_of_weights(self.arcs.iter().map(|arc| arc.weight).chain(elsewhere))
    }

    /// The arcs, with both directions of the edges of a symmetric graph; a loop occurs once.
    pub fn directed_arcs(&self) -> impl Iterator<Item = Arc> + Clone + '_ {
        self.arcs.iter().flat_map(|&arc| {
            let mirrored = self.symmetric && arc.tail != arc.head;
            let mirror =
                mirrored.then_some(Arc { tail: arc.head, head: arc.tail, weight: arc.weight });
            std::iter::once(arc).chain(mirror)
        })
    }

    /// Reverses or joins the arcs; an undirected graph is unchanged. An arc and its opposite with
    /// the same weight become one edge, at the place of the first of them. Returns the number of
    /// joined pairs; `None` if the allocation fails. Calls `go_on` periodically.
    ///
    /// # Errors
    /// Those of `go_on`.
    pub fn orient<E>(
        &mut self,
        direction: Direction,
        go_on: &mut impl FnMut() -> Result<(), E>,
    ) -> Result<Option<usize>, E> {
        let Direction { undirected, reverse } = direction;
        if self.symmetric {
            return Ok(Some(0));
        }
        if reverse {
            for arcs in self.arcs.chunks_mut(AT_ONCE) {
                for arc in arcs {
                    std::mem::swap(&mut arc.tail, &mut arc.head);
                }
                go_on()?;
            }
        }
        if !undirected {
            return Ok(Some(0));
        }
        self.symmetric = true;
        self.join_opposites(go_on)
    }

    /// Removes the later one of each arc and its opposite with the same weight.
    fn join_opposites<E>(
        &mut self,
        go_on: &mut impl FnMut() -> Result<(), E>,
    ) -> Result<Option<usize>, E> {
        let mut order: Vec<usize> = Vec::new();
        if order.try_reserve_exact(self.arcs.len()).is_err() {
            return Ok(None);
        }
        order
            .extend((0..self.arcs.len()).filter(|&idx| self.arcs[idx].tail != self.arcs[idx].head));
        let key = |arc: &Arc| {
            let ends = u64::from(arc.tail.min(arc.head)) << 32 | u64::from(arc.tail.max(arc.head));
            u128::from(ends) << 64 | u128::from(arc.weight.cast_unsigned())
        };
        sort_by_key(&mut order, u128::BITS, &|&idx: &usize| key(&self.arcs[idx]), go_on)?;
        // An arc that is removed becomes invalid.
        let removed = Arc { tail: u32::MAX, head: u32::MAX, weight: 0 };
        let mut n_joined = 0;
        let mut start = 0;
        while start < order.len() {
            let first = key(&self.arcs[order[start]]);
            let mut end = start + 1;
            while end < order.len() && key(&self.arcs[order[end]]) == first {
                end += 1;
            }
            let group = &mut order[start..end];
            group.sort_unstable();
            let is_up = |idx: &usize| self.arcs[*idx].tail < self.arcs[*idx].head;
            let (up, down): (Vec<usize>, Vec<usize>) = group.iter().partition(|idx| is_up(idx));
            for (up, down) in up.into_iter().zip(down) {
                self.arcs[up.max(down)] = removed;
                n_joined += 1;
            }
            start = end;
        }
        go_on()?;
        if n_joined > 0 {
            self.arcs.retain(|arc| *arc != removed);
        }
        Ok(Some(n_joined))
    }

    /// The greatest weight; 0 without arcs.
    pub fn max_weight(&self) -> i64 {
        self.weight_range().map_or(0, |(_, greatest)| greatest)
    }

    /// The smallest `b` with n < 2^b: the width of the codes 1..n.
    pub fn code_width(&self) -> usize {
        bit_length(self.n_vertices as u128)
    }

    /// The weight that lists of edges store as 0: the smallest one if it is negative, otherwise 0.
    pub fn weight_offset(&self) -> i64 {
        self.weight_range().map_or(0, |(least, _)| least).min(0)
    }

    /// The smallest `h` in which every weight of a list of edges, which has the offset
    /// [`Graph::weight_offset`], is below infinity (all ones).
    ///
    /// # Errors
    /// If the weights were not read. The error names no file.
    pub fn weight_width(&self) -> Result<usize, FileError> {
        self.wants_weights()?;
        let offset = self.weight_offset();
        Ok(bit_length(u128::from(self.max_weight().abs_diff(offset)) + 1))
    }

    /// The smallest `h` in which the sum of two weights, as in `EDMONDS`, is below infinity: one
    /// spare bit.
    ///
    /// # Errors
    /// [`Code::OutOfRange`] if a weight is negative. The error names no file.
    pub fn sum_width(&self) -> Result<usize, FileError> {
        self.check_lengths("")?;
        Ok(bit_length(2 * self.heaviest() + 1))
    }

    /// The smallest `h` ≥ 1 with 2·k·wmax < 2^h − 1, where k = max(n − 1, 1). Every path length is
    /// then below 2^(h−1), the first bit of weights is zero, and the sum of two lengths, as in
    /// `FLOYD`, or of two weights stays below infinity (all ones).
    ///
    /// # Errors
    /// [`Code::OutOfRange`] if a weight is negative, [`Code::DoesNotFit`] if the bound itself
    /// exceeds 128 bits. The errors name no file.
    pub fn path_width(&self) -> Result<usize, FileError> {
        self.check_lengths("")?;
        let n_steps = self.n_vertices.saturating_sub(1).max(1) as u128;
        let longest = n_steps.checked_mul(2).and_then(|steps| steps.checked_mul(self.heaviest()));
        let infinity = longest.and_then(|length| length.checked_add(1)).ok_or_else(beyond)?;
        Ok(bit_length(infinity))
    }

    /// The smallest `h` with n²·wmax < 2^(h−2), where wmax is the greatest absolute weight. Every
    /// sum in `BELLMAN_FORD`, with n passes over up to n arcs, then stays between −2^(h−2) and
    /// 2^(h−2) − 1.
    ///
    /// # Errors
    /// [`Code::DoesNotFit`] if the bound exceeds 128 bits. The error names no file.
    pub fn signed_width(&self) -> Result<usize, FileError> {
        self.wants_weights()?;
        let n = self.n_vertices as u128;
        let n_steps = n.checked_mul(n);
        let farthest = n_steps.and_then(|steps| steps.checked_mul(self.heaviest()));
        Ok(2 + bit_length(farthest.ok_or_else(beyond)?))
    }

    /// The greatest absolute weight; 0 without arcs.
    fn heaviest(&self) -> u128 {
        let range = self.weight_range();
        range.map_or(0, |(least, most)| least.unsigned_abs().max(most.unsigned_abs()).into())
    }

    /// Rejects arcs with invalid ends. Readers check this; graphs from other code may be invalid.
    pub(crate) fn check_ends(&self, file: &str) -> Result<(), FileError> {
        let outside = |vertex: u32| vertex as usize >= self.n_vertices;
        match self.arcs.iter().find(|arc| outside(arc.tail) || outside(arc.head)) {
            None => Ok(()),
            Some(arc) => {
                let (arc, n) = (self.arc_name(arc), self.n_vertices);
                let message =
                    format!("the arc {arc} ends at a vertex outside the {n} of the graph");
                Err(FileError::new(Code::OutOfRange, file, message))
            }
        }
    }

    /// Rejects negative weights, for programs that do not know the offset of a list.
    ///
    /// # Errors
    /// [`Code::OutOfRange`] with the first negative weight, which in a part of a graph is not that
    /// of the whole; another one if the weights were not read.
    pub fn check_weights(&self, file: &str) -> Result<(), FileError> {
        self.wants_weights()?;
        match self.arcs.iter().zip(1..).find(|(arc, _)| arc.weight < 0) {
            None if self.weight_offset() < 0 => {
                Err(FileError::new(Code::OutOfRange, file, "a weight of another part is negative"))
            }
            None => Ok(()),
            Some((arc, number)) => {
                let (noun, n_arcs) = (if self.symmetric { "edge" } else { "arc" }, self.n_edges());
                let message = format!(
                    "the weight {} of the arc {} is negative",
                    arc.weight,
                    self.arc_name(arc)
                );
                Err(FileError::new(Code::OutOfRange, file, message)
                    .note(format!("it is {noun} {number} of {n_arcs}, in file order")))
            }
        }
    }

    /// Rejects negative weights where they are added along paths.
    pub(crate) fn check_lengths(&self, file: &str) -> Result<(), FileError> {
        self.wants_weights()?;
        self.check_weights(file).map_err(|error| match error.code {
            Code::OutOfRange => {
                error.note("a weight is a number of bits, from 0 to below infinity").help(
                    "`BELLMAN_FORD` of `star:paths` permits negative weights in the layout \
                        `signed-out`: `Cost=signed-out:FILE`",
                )
            }
            _ => error,
        })
    }

    /// The name of a vertex, from 0: that of the file, or else its row.
    pub fn name(&self, vertex: usize) -> VertexName<'_> {
        VertexName { names: self.names.as_ref(), vertex }
    }

    /// The vertex, from 0, with this name.
    pub fn find(&self, name: &str) -> Option<usize> {
        match &self.names {
            Some(names) => names.find(name),
            None => {
                let row: usize = name.parse().ok()?;
                row.checked_sub(1).filter(|&vertex| vertex < self.n_vertices)
            }
        }
    }

    /// The name of an arc for messages.
    pub(crate) fn arc_name(&self, arc: &Arc) -> String {
        format!("`{} → {}`", self.name(arc.tail as usize), self.name(arc.head as usize))
    }

    /// Number of loops, and of arcs that repeat an earlier one (or, in a symmetric graph, its
    /// mirror image). Uses 8 bytes for each arc unless they are already sorted; `None` if the
    /// allocation fails. Calls `go_on` periodically.
    ///
    /// # Errors
    /// Those of `go_on`.
    pub(crate) fn census<E>(
        &self,
        go_on: &mut impl FnMut() -> Result<(), E>,
    ) -> Result<Option<Census>, E> {
        let (mut n_loops, mut n_above) = (0, 0);
        for arcs in self.arcs.chunks(AT_ONCE) {
            n_loops += arcs.iter().filter(|arc| arc.tail == arc.head).count();
            n_above += arcs.iter().filter(|arc| arc.tail < arc.head).count();
            go_on()?;
        }
        let one_sided = !self.symmetric || n_above == 0;
        let n_descents = |key: fn(&Arc) -> (u32, u32), go_on: &mut _| {
            count_pairs(&self.arcs, 1, |a, b| key(a) >= key(b), go_on)
        };
        if one_sided
            && (n_descents(|arc| (arc.tail, arc.head), go_on)? == 0
                || n_descents(|arc| (arc.head, arc.tail), go_on)? == 0)
        {
            return Ok(Some(Census { n_loops, n_parallel: 0 }));
        }
        let Some(keys) = self.keys(go_on)? else { return Ok(None) };
        Ok(Some(Census { n_loops, n_parallel: self.count_repeated(keys, go_on)? }))
    }

    /// Number of bits of the number of a vertex, from 0.
    fn vertex_bits(&self) -> u32 {
        bit_length(self.n_vertices.saturating_sub(1) as u128) as u32
    }

    /// A number for each arc, the same for parallel ones; `None` if the allocation fails.
    ///
    /// # Errors
    /// Those of `go_on`.
    pub(crate) fn keys<E>(
        &self,
        go_on: &mut impl FnMut() -> Result<(), E>,
    ) -> Result<Option<Vec<u64>>, E> {
        let n_bits = self.vertex_bits();
        let key = |tail: u32, head: u32| u64::from(tail) << n_bits | u64::from(head);
        let mut keys: Vec<u64> = Vec::new();
        if keys.try_reserve_exact(self.arcs.len()).is_err() {
            return Ok(None);
        }
        for arcs in self.arcs.chunks(AT_ONCE) {
            keys.extend(arcs.iter().map(|arc| match self.symmetric {
                true => key(arc.tail, arc.head).max(key(arc.head, arc.tail)),
                false => key(arc.tail, arc.head),
            }));
            go_on()?;
        }
        Ok(Some(keys))
    }

    /// Number of these keys that repeat another one.
    ///
    /// # Errors
    /// Those of `go_on`.
    pub(crate) fn count_repeated<E>(
        &self,
        mut keys: Vec<u64>,
        go_on: &mut impl FnMut() -> Result<(), E>,
    ) -> Result<usize, E> {
        sort(&mut keys, 2 * self.vertex_bits(), go_on)?;
        count_pairs(&keys, usize::MAX, |a, b| a == b, go_on)
    }
}

/// Counts of special arcs.
pub(crate) struct Census {
    /// Number of arcs from a vertex to itself.
    pub(crate) n_loops: usize,
    /// Number of arcs that repeat an earlier one.
    pub(crate) n_parallel: usize,
}

fn beyond() -> FileError {
    FileError::new(Code::DoesNotFit, "", "the lengths of paths exceed 128 bits")
}

/// The smallest `b` with `number` < 2^b.
pub(crate) fn bit_length(number: u128) -> usize {
    (u128::BITS - number.leading_zeros()) as usize
}
