//! Random graphs in which all arcs are equally likely: G(n, p) and G(n, m) of Erdős, Rényi and
//! Gilbert, directed or not, and acyclic ones.

use super::numbering::{self, Labels};
use super::pacer::Pacer;
use super::pairs::Pairs;
use super::random::{Gaps, Purpose, Random};
use super::{
    ARC_BYTES, GenerateOptions, bad, check_max_weight, check_probability, check_vertices, sample,
};
use crate::error::{Fault, FileError};
use crate::graph::{Arc, Graph};
use crate::growing::Growing;

/// The parameters of a uniform random graph. It has no loops and no parallel arcs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UniformGraph {
    /// Number of vertices, from 0 to 2^32 − 1.
    pub n_vertices: u64,
    /// Number of arcs.
    pub density: Density,
    /// The possible arcs.
    pub kind: GraphKind,
    /// Numbering of the vertices.
    pub labels: Labels,
    /// Weights from 1 to this, all equally likely; `None` for an unweighted graph.
    pub max_weight: Option<i64>,
}

/// Number of arcs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Density {
    /// G(n, p): each possible arc exists with this probability, from 0 to 1.
    Probability(f64),
    /// G(n, m): this number of arcs, all sets of this size equally likely.
    Arcs(u64),
}

/// The possible arcs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphKind {
    /// From each vertex to each other.
    Directed,
    /// An edge between any two vertices; stored once, with the greater vertex as its tail.
    Undirected,
    /// From each vertex to the later ones in a topological order: that of their numbers unless
    /// these are shuffled.
    Acyclic,
}

impl UniformGraph {
    /// Generates the graph. The running time is proportional to the number of arcs, not of possible
    /// arcs (and of vertices, if they are shuffled). Unless vertices are shuffled, arcs are sorted
    /// by tail and head, and those of acyclic graphs by head and tail.
    ///
    /// # Errors
    /// [`star_base::Code::BadArgument`] if a parameter is outside its range,
    /// [`star_base::Code::DoesNotFit`] if the memory exceeds the budget: 16 bytes for each arc, in
    /// G(n, m) up to 32, and 4 for each vertex if they are shuffled;
    /// [`star_base::Code::Interrupted`] if the progress sink stops the work.
    pub fn generate(&self, options: &mut GenerateOptions<'_>) -> Result<Graph, FileError> {
        self.check()?;
        let shuffling = self.labels.bytes(self.n_vertices);
        let mut pacer = Pacer::new(options);
        let arcs = match self.density {
            Density::Probability(probability) => {
                self.by_gaps(probability, shuffling, &mut pacer)?
            }
            Density::Arcs(n_arcs) => self.by_sample(n_arcs, shuffling, &mut pacer)?,
        };
        let mut graph = Graph {
            n_vertices: self.n_vertices as usize,
            arcs,
            weighted: false,
            symmetric: self.kind == GraphKind::Undirected,
            ..Graph::default()
        };
        numbering::finish(&mut graph, self.labels, self.max_weight, &mut pacer)?;
        Ok(graph)
    }

    /// The maximum number of arcs.
    pub fn max_arcs(&self) -> u64 {
        self.pairs().count()
    }

    fn check(&self) -> Result<(), Fault> {
        check_vertices(self.n_vertices)?;
        check_max_weight(self.max_weight)?;
        match self.density {
            Density::Probability(probability) => check_probability("probability", probability),
            Density::Arcs(n_arcs) if n_arcs > self.max_arcs() => {
                let wanted = format!(
                    "at most {}, the maximum for {} vertices",
                    self.max_arcs(),
                    self.n_vertices
                );
                Err(bad("arcs", n_arcs, &wanted))
            }
            Density::Arcs(_) => Ok(()),
        }
    }

    fn pairs(&self) -> Pairs {
        match self.kind {
            GraphKind::Directed => Pairs::Ordered(self.n_vertices),
            GraphKind::Undirected | GraphKind::Acyclic => Pairs::Unordered(self.n_vertices),
        }
    }

    #[inline]
    fn arc(&self, pairs: Pairs, code: u64) -> Arc {
        let (first, second) = pairs.pair(code);
        match self.kind {
            GraphKind::Directed | GraphKind::Undirected => {
                Arc { tail: first, head: second, weight: 1 }
            }
            GraphKind::Acyclic => Arc { tail: second, head: first, weight: 1 },
        }
    }

    /// Iterates over all pairs, jumping from hit to hit.
    fn by_gaps(
        &self,
        probability: f64,
        other_bytes: u128,
        pacer: &mut Pacer<'_, '_>,
    ) -> Result<Vec<Arc>, Fault> {
        let pairs = self.pairs();
        let n_pairs = pairs.count();
        // More than ten standard deviations above the mean are not expected.
        let mean = n_pairs as f64 * probability;
        let n_likely = (mean + 10.0 * (mean * (1.0 - probability)).sqrt() + 100.0) as u64;
        let n_likely = n_likely.min(n_pairs);
        pacer.check_budget(u128::from(n_likely) * ARC_BYTES + other_bytes)?;
        let mut arcs = Growing::new(pacer.budget(), ARC_BYTES as u64);
        arcs.reserve(n_likely, Some(u64::MAX), 1);
        if probability == 0.0 {
            return Ok(arcs.into_vec());
        }
        let mut random = Random::new(pacer.seed(), Purpose::Shape);
        let gaps = Gaps::of(probability);
        let mut code = gaps.next(&mut random);
        while code < n_pairs {
            arcs.push(self.arc(pairs, code)).map_err(|refused| pacer.out_of_memory(refused.0))?;
            code = code.saturating_add(gaps.next(&mut random)).saturating_add(1);
            pacer.step()?;
        }
        Ok(arcs.into_vec())
    }

    /// Draws the pairs, or the omitted pairs if those are fewer.
    fn by_sample(
        &self,
        n_arcs: u64,
        other_bytes: u128,
        pacer: &mut Pacer<'_, '_>,
    ) -> Result<Vec<Arc>, Fault> {
        let pairs = self.pairs();
        let n_pairs = pairs.count();
        let n_drawn = n_arcs.min(n_pairs - n_arcs);
        let n_bytes = u128::from(n_arcs) * ARC_BYTES + sample::bytes(n_drawn) + other_bytes;
        pacer.check_budget(n_bytes)?;
        let mut random = Random::new(pacer.seed(), Purpose::Shape);
        let drawn = sample::ascending(n_pairs, n_drawn, &mut random, pacer)?;
        let mut arcs = pacer.reserved(n_arcs)?;
        if n_drawn == n_arcs {
            for code in drawn {
                arcs.push(self.arc(pairs, code));
                pacer.step()?;
            }
        } else {
            let mut left_out = drawn.into_iter().peekable();
            for code in 0..n_pairs {
                if left_out.next_if_eq(&code).is_none() {
                    arcs.push(self.arc(pairs, code));
                }
                pacer.step()?;
            }
        }
        Ok(arcs)
    }
}
