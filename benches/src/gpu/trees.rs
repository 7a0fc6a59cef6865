//! Concurrent binary trees on the device: the sum reduction and the decoding of all leaves into
//! tables of heap indices and levels, which stay there.

use std::sync::atomic::AtomicBool;

use star_base::Random;
use star_value::{Argument, BitVector, Value};

use super::{Bench, SEED, int, lowered};
use crate::results::Figure;
use crate::say::say;

/// Each routine does its work once and then k times more: the difference is free of what a run
/// costs.
const TEXT: &str = "import \"star:cbt\";
procedure CYCLES(F: slice; k: integer; var K,V: table);
var H: handle; i: integer;
begin
  CBT_OF(F,H); CBT_LEAVES(H,K,V);
  for i:=1 to k do begin CBT_REDUCE(H); CBT_LEAVES(H,K,V) end
end;
procedure DECODES(F: slice; k: integer; var K,V: table);
var H: handle; i: integer;
begin
  CBT_OF(F,H); CBT_LEAVES(H,K,V);
  for i:=1 to k do CBT_LEAVES(H,K,V)
end;
procedure HEAPS(F: slice; k: integer; var P: slice);
var H: handle; i: integer;
begin
  CBT_OF(F,H); CBT_HEAP(H,P);
  for i:=1 to k do begin CBT_REDUCE(H); CBT_HEAP(H,P) end
end;";

/// Repetitions of the work in a run.
const REPEATS: usize = 8;
/// The greatest depth of trees whose heap is measured.
const MOST_OF_HEAPS: usize = 28;
/// Levels of the random subtrees of a tree.
const RANDOM_LEVELS: usize = 8;

/// Milliseconds of the work once: on the device, and of the run.
#[derive(Clone, Copy)]
struct Each {
    device: f64,
    run: f64,
}

impl Bench {
    /// Reduces and decodes trees of depth n, a perfect one and random ones with about a quarter of
    /// its leaves.
    pub(super) fn trees(&self, n: usize) -> Result<Vec<Figure>, String> {
        if !(1..=30).contains(&n) {
            return Err("a depth is from 1 to 30".to_owned());
        }
        let mut figures = Vec::new();
        for (input, field) in [("perfect", perfect(n)), ("random, 25 %", random(n))] {
            let n_leaves = field.count_ones();
            let field = Value::Slice(field);
            let cycle = self.each("CYCLES", &field, 2)?;
            let decode = self.each("DECODES", &field, 2)?;
            let mut figure = Figure::new(input, ("D", n), cycle.device / 1e3, &[]);
            let mut variants = vec![("decode alone", decode.device), ("run", cycle.run)];
            let mut heap = String::new();
            if n <= MOST_OF_HEAPS {
                let each = self.each("HEAPS", &field, 1)?;
                variants.push(("reduce and packed heap", each.device));
                heap = format!(", reduce and packed heap {:.4}", each.device);
            }
            let variants = variants.into_iter().map(|(name, time)| (name.to_owned(), time / 1e3));
            figure.variants.extend(variants);
            say!(
                "trees, D = {n}, {input}, {n_leaves} leaves: reduce and decode: device {:.4}, run {:.3}; device: decode alone {:.4}{heap}",
                cycle.device,
                cycle.run,
                decode.device,
            );
            figures.push(figure);
        }
        Ok(figures)
    }

    /// Medians of a routine of [`TEXT`] with this number of results.
    fn each(&self, name: &str, field: &Value, n_results: usize) -> Result<Each, String> {
        let entry = lowered(TEXT).find(name).ok_or("no such routine")?;
        let compiled = self.compiled(&self.gpu, TEXT, &[])?;
        let mut medians = [Each { device: 0.0, run: 0.0 }; 2];
        for (repeats, median) in [REPEATS, 0].into_iter().zip(&mut medians) {
            let mut args = vec![field.clone(), int(repeats)];
            args.extend(vec![Value::Unset; n_results]);
            let given = args.iter().map(Argument::of).collect();
            let mut loaded = compiled.load(entry, given).map_err(|error| error.to_string())?;
            let (device, run, stats) = self.median(&mut loaded)?;
            if stats.intrinsics < repeats as u64 {
                return Err(format!("{name}: {} intrinsics", stats.intrinsics));
            }
            *median = Each { device, run };
            if repeats == 0 && self.compares {
                let found = loaded.values(&AtomicBool::new(false));
                let found = found.map_err(|error| error.to_string())?;
                self.on_cpu((TEXT, name, &[]), &args, &found)?;
            }
        }
        let [many, one] = medians;
        let of_one = |many: f64, one: f64| (many - one) / REPEATS as f64;
        Ok(Each { device: of_one(many.device, one.device), run: of_one(many.run, one.run) })
    }
}

/// Returns the field whose leaves are all nodes of level `depth`.
fn perfect(depth: usize) -> BitVector {
    let mut field = BitVector::zeros(1 << depth);
    field.limbs_mut().fill(u64::MAX);
    star_value::bits::zero_tail(field.limbs_mut(), 1 << depth);
    field
}

/// Returns the field of a tree whose subtrees of up to [`RANDOM_LEVELS`] levels split at random: on
/// their upper half with a probability of 0.9, then of 0.7, which leaves a quarter of all leaves.
fn random(depth: usize) -> BitVector {
    let levels = depth.min(RANDOM_LEVELS);
    let mut random = Random::new(SEED);
    let mut field = BitVector::zeros(1 << depth);
    let limbs = field.limbs_mut();
    let mut nodes = Vec::new();
    for first in (0..1_usize << depth).step_by(1 << levels) {
        nodes.push((first, levels));
        while let Some((bit, above)) = nodes.pop() {
            let percent = if 2 * above > RANDOM_LEVELS { 90 } else { 70 };
            if above > 0 && random.below(100) < percent {
                nodes.extend([(bit, above - 1), (bit + (1 << (above - 1)), above - 1)]);
            } else {
                limbs[bit / 64] |= 1 << (bit % 64);
            }
        }
    }
    field
}
