//! Random instances, the same on every machine.

use std::panic::{AssertUnwindSafe, catch_unwind};

use star_base::Random;
use star_io::{Arc, Graph};
use star_value::BitVector;

/// Random numbers, and instances of them.
pub(super) struct Rng(Random);

impl Rng {
    pub(super) fn new(seed: u64) -> Self {
        Rng(Random::new(seed))
    }

    /// Returns a number below `bound`, which is not 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        (self.0.next_u64() % bound as u64) as usize
    }

    /// Returns a number from `low` to `high`.
    pub(super) fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as usize) as i64
    }

    /// Returns true once in `k` times.
    pub(super) fn once_in(&mut self, k: usize) -> bool {
        self.below(k) == 0
    }

    /// Returns one of the items.
    pub(super) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// Returns random bits, which are all ones once in three times.
    pub(super) fn bits(&mut self, len: usize) -> BitVector {
        let full = self.once_in(3);
        let bits: Vec<bool> = (0..len).map(|_| full || !self.once_in(4)).collect();
        BitVector::from_bools(&bits)
    }

    /// Returns a number of vertices, `least` to `most`; small ones are not rare.
    pub(super) fn n_vertices(&mut self, least: usize, most: usize) -> usize {
        match self.below(8) {
            0 => least + self.below(3),
            _ => least + self.below(most - least + 1),
        }
    }

    /// Returns a graph with arbitrary arcs, including loops and parallel ones, sparse or dense;
    /// weights from a small or a large range, none below `least`.
    pub(super) fn graph(&mut self, n: usize, least: i64) -> Graph {
        let most = self.pick(&[1, 4, 63]);
        let m = match self.below(5) {
            0 => self.below(n + 1),
            1 => n * n,
            _ => n + self.below(2 * n + 1),
        };
        let m = if n == 0 { 0 } else { m };
        self.graph_of(n, m, least.min(most), most)
    }

    /// Returns a graph of `m` arcs, all drawn independently.
    pub(super) fn graph_of(&mut self, n: usize, m: usize, least: i64, most: i64) -> Graph {
        let arcs = (0..m).map(|_| Arc {
            tail: self.below(n) as u32,
            head: self.below(n) as u32,
            weight: self.between(least, most),
        });
        graph(n, arcs.collect())
    }
}

/// Returns the graph with these arcs.
pub(super) fn graph(n: usize, arcs: Vec<Arc>) -> Graph {
    Graph { n_vertices: n, arcs, weighted: true, ..Graph::default() }
}

/// Runs a test with the seeds from 0; a failing seed is reported.
pub(super) fn each_seed(n_seeds: u64, test: impl Fn(&mut Rng)) {
    for seed in 0..n_seeds {
        let run = AssertUnwindSafe(|| test(&mut Rng::new(seed)));
        if let Err(payload) = catch_unwind(run) {
            let text = payload.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
            panic!("with the seed {seed}: {}", text.unwrap_or("panicked"));
        }
    }
}
