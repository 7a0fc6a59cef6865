//! Graphs with few vertices of high degree and many of low degree, like web and social graphs:
//! R-MAT (Chakrabarti, Zhan and Faloutsos, 2004).
//!
//! The adjacency matrix is divided into quarters recursively, and each arc chooses one of the four
//! at every level: with probability a the top left one, b top right, c bottom left, d bottom right.

use super::numbering::{self, Labels};
use super::pacer::Pacer;
use super::random::{Purpose, Random};
use super::{ARC_BYTES, GenerateOptions, bad, check_max_weight, check_probability, check_vertices};
use crate::error::{Fault, FileError};
use crate::graph::{Arc, Graph, bit_length};
use crate::sort::sort;

/// The parameters of an R-MAT graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rmat {
    /// Number of vertices, from 0 to 2^32 − 1; usually a power of two. A range of odd length is
    /// divided so that the first half is longer.
    pub n_vertices: u64,
    /// Number of arcs drawn.
    pub n_arcs: u64,
    /// The probabilities a, b and c; d is the rest to 1. The Graph500 benchmark uses 0.57, 0.19 and
    /// 0.19.
    pub corners: [f64; 3],
    /// Treatment of loops and parallel arcs.
    pub repeats: Repeats,
    /// Numbering of the vertices. In order, the vertices of highest degree come first.
    pub labels: Labels,
    /// Weights from 1 to this, all equally likely; `None` for an unweighted graph.
    pub max_weight: Option<i64>,
}

/// Treatment of loops and parallel arcs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Repeats {
    /// They are dropped, so that the graph has fewer arcs than were drawn. The arcs are sorted by
    /// tail and head unless the vertices are shuffled.
    #[default]
    Dropped,
    /// They are kept; the arcs are in the order in which they were drawn.
    Kept,
}

/// Probabilities of the quarters, as bounds for 32 random bits.
#[derive(Clone, Copy)]
struct Bounds {
    a: u64,
    ab: u64,
    abc: u64,
}

impl Rmat {
    /// Generates the graph. The running time is proportional to the number of arcs times the
    /// logarithm of the number of vertices.
    ///
    /// # Errors
    /// [`star_base::Code::BadArgument`] if a parameter is outside its range,
    /// [`star_base::Code::DoesNotFit`] if the memory exceeds the budget: 16 bytes for each arc, 24
    /// without repeats, and 4 for each vertex if they are shuffled;
    /// [`star_base::Code::Interrupted`] if the progress sink stops the work.
    pub fn generate(&self, options: &mut GenerateOptions<'_>) -> Result<Graph, FileError> {
        let bounds = self.check()?;
        let mut pacer = Pacer::new(options);
        let arc_bytes = match self.repeats {
            Repeats::Kept => ARC_BYTES,
            Repeats::Dropped => ARC_BYTES + size_of::<u64>() as u128,
        };
        let n_bytes = u128::from(self.n_arcs) * arc_bytes + self.labels.bytes(self.n_vertices);
        pacer.check_budget(n_bytes)?;
        let arcs = match self.repeats {
            Repeats::Kept => self.all(bounds, &mut pacer)?,
            Repeats::Dropped => self.different(bounds, &mut pacer)?,
        };
        let n_vertices = self.n_vertices as usize;
        let mut graph = Graph { n_vertices, arcs, ..Graph::default() };
        numbering::finish(&mut graph, self.labels, self.max_weight, &mut pacer)?;
        Ok(graph)
    }

    fn check(&self) -> Result<Bounds, Fault> {
        check_vertices(self.n_vertices)?;
        if self.n_vertices == 0 && self.n_arcs > 0 {
            return Err(bad("arcs", self.n_arcs, "0 if there are no vertices"));
        }
        check_max_weight(self.max_weight)?;
        let [a, b, c] = self.corners;
        for (name, probability) in [("a", a), ("b", b), ("c", c)] {
            check_probability(name, probability)?;
        }
        let sum = a + b + c;
        // Decimal fractions with the exact sum 1 may have a slightly different binary sum.
        if sum > 1.0 + 1e-9 {
            return Err(bad("a + b + c", sum, "at most 1: `d` is the rest to 1"));
        }
        let bound = |probability: f64| (probability.min(1.0) * 4_294_967_296.0) as u64;
        Ok(Bounds { a: bound(a), ab: bound(a + b), abc: bound(sum) })
    }

    fn all(&self, bounds: Bounds, pacer: &mut Pacer<'_, '_>) -> Result<Vec<Arc>, Fault> {
        let mut random = Random::new(pacer.seed(), Purpose::Shape);
        let mut arcs = pacer.reserved(self.n_arcs)?;
        for _ in 0..self.n_arcs {
            let (tail, head) = self.draw(bounds, &mut random);
            arcs.push(Arc { tail: tail as u32, head: head as u32, weight: 1 });
            pacer.step()?;
        }
        Ok(arcs)
    }

    fn different(&self, bounds: Bounds, pacer: &mut Pacer<'_, '_>) -> Result<Vec<Arc>, Fault> {
        let mut random = Random::new(pacer.seed(), Purpose::Shape);
        let mut keys = pacer.reserved(self.n_arcs)?;
        for _ in 0..self.n_arcs {
            let (tail, head) = self.draw(bounds, &mut random);
            if tail != head {
                keys.push(tail * self.n_vertices + head);
            }
            pacer.step()?;
        }
        let greatest = (self.n_vertices * self.n_vertices).saturating_sub(1);
        sort(&mut keys, bit_length(u128::from(greatest)) as u32, &mut || pacer.ask())?;
        let mut arcs = pacer.reserved(keys.len() as u64)?;
        let mut last = None;
        for key in keys {
            if last.replace(key) != Some(key) {
                let (tail, head) = (key / self.n_vertices, key % self.n_vertices);
                arcs.push(Arc { tail: tail as u32, head: head as u32, weight: 1 });
            }
            pacer.step()?;
        }
        Ok(arcs)
    }

    /// Draws a tail and a head.
    #[inline]
    fn draw(&self, bounds: Bounds, random: &mut Random) -> (u64, u64) {
        let (mut tail, mut n_tails) = (0, self.n_vertices);
        let (mut head, mut n_heads) = (0, self.n_vertices);
        // The two lengths differ by at most 1, so a length of 1 is reached last.
        while n_tails > 1 || n_heads > 1 {
            let drawn = u64::from(random.bits32());
            let bottom = drawn >= bounds.ab;
            let right = (drawn >= bounds.a) ^ bottom ^ (drawn >= bounds.abc);
            (tail, n_tails) = half(tail, n_tails, bottom);
            (head, n_heads) = half(head, n_heads, right);
        }
        (tail, head)
    }
}

/// The start and length of the first or second half of a range. A range of length 1 is its own
/// first half.
#[inline]
fn half(start: u64, len: u64, second: bool) -> (u64, u64) {
    let n_first = len - len / 2;
    let n_second = len / 2;
    match second && n_second > 0 {
        true => (start + n_first, n_second),
        false => (start, n_first),
    }
}
