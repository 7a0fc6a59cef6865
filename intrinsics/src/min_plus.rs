//! The closure of a table of lengths over minimum and sum: the distances between all pairs of
//! vertices.
//!
//! Floyd's algorithm in blocks of [`PIVOTS`] pivots. The lines of the pivots are closed among each
//! other first. Then every other line is updated with each of them in one step, since paths via
//! later pivots of the block are already in the pivots' lines. A step reads and writes a line once
//! for [`AT_ONCE`] pivots. Where there is no path, the length is [`NONE`], whose sums do not wrap.

use multiversion::multiversion;
use rayon::prelude::*;

use crate::environment::{Ended, Environment, install};

/// No path: all lengths are smaller, and the sum of two is still representable.
pub const NONE: u32 = 1 << 30;

/// Pivots of a block.
const PIVOTS: usize = 64;

/// Pivots that are applied to a line in one read and write.
const AT_ONCE: usize = 8;

/// Number of lengths from which lines are distributed to threads.
const SPREAD: usize = 1 << 16;

/// Replaces the lengths of the arcs between `n` vertices, line by line, by the distances from or to
/// the vertex of the line. The sum of the lengths of a path, and of a cycle where a vertex has no
/// arc to itself, must be less than [`NONE`].
///
/// # Errors
/// If the run is interrupted, or memory allocation fails.
pub fn min_plus_closure(
    lengths: &mut [u32],
    n: usize,
    environment: &dyn Environment,
) -> Result<(), Ended> {
    if n == 0 {
        return Ok(());
    }
    let mut pivots = Vec::new();
    pivots.try_reserve_exact(PIVOTS * n).map_err(|_| Ended::OutOfMemory)?;
    for first in (0..n).step_by(PIVOTS) {
        environment.poll()?;
        let block = first..n.min(first + PIVOTS);
        pivots.clear();
        pivots.extend_from_slice(&lengths[block.start * n..block.end * n]);
        for k in 0..block.len() {
            let (before, rest) = pivots.split_at_mut(k * n);
            let (pivot, behind) = rest.split_at_mut(n);
            for line in before.chunks_mut(n).chain(behind.chunks_mut(n)) {
                by_way_of(line, pivot, first + k..first + k + 1);
            }
        }
        lengths[block.start * n..block.end * n].copy_from_slice(&pivots);
        let pivots = &pivots[..];
        let is_other = |line: &usize| !block.contains(line);
        if lengths.len() < SPREAD {
            for (_, line) in lengths.chunks_mut(n).enumerate().filter(|(at, _)| is_other(at)) {
                by_way_of(line, pivots, block.clone());
            }
            continue;
        }
        install(environment, || {
            let lines = lengths.par_chunks_mut(n).enumerate();
            lines.filter(|(at, _)| is_other(at)).try_for_each(|(_, line)| {
                environment.poll()?;
                by_way_of(line, pivots, block.clone());
                Ok(())
            })
        })?;
    }
    Ok(())
}

/// Lowers the lengths of a line by paths via these pivots, whose lines are contiguous.
#[multiversion(targets(
    "x86_64+avx2+avx512bw+avx512dq+avx512f+avx512vl+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
fn by_way_of(line: &mut [u32], pivots: &[u32], block: std::ops::Range<usize>) {
    let n = line.len();
    let mut groups = pivots.chunks_exact(AT_ONCE * n);
    let mut next = block.start;
    for group in &mut groups {
        let to: [u32; AT_ONCE] = std::array::from_fn(|at| line[next + at]);
        next += AT_ONCE;
        if to.iter().all(|to| *to == NONE) {
            continue;
        }
        let from: [&[u32]; AT_ONCE] = std::array::from_fn(|at| &group[at * n..][..n]);
        for idx in 0..n {
            let mut least = line[idx];
            for at in 0..AT_ONCE {
                least = least.min(to[at] + from[at][idx]);
            }
            line[idx] = least;
        }
    }
    for pivot in groups.remainder().chunks(n) {
        let to = line[next];
        next += 1;
        if to != NONE {
            for (length, from) in line.iter_mut().zip(pivot) {
                *length = (*length).min(to + from);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::Plain;

    fn floyd(mut lengths: Vec<u32>, n: usize) -> Vec<u32> {
        for k in 0..n {
            for i in 0..n {
                for j in 0..n {
                    let way = lengths[i * n + k] + lengths[k * n + j];
                    lengths[i * n + j] = lengths[i * n + j].min(way);
                }
            }
        }
        lengths
    }

    #[test]
    fn distances_equal_those_of_floyd() {
        let mut random = star_base::Random::new(7);
        for n in [0, 1, 2, 7, 8, 9, 63, 64, 65, 130, 260] {
            for rarity in [1, 4, n.max(1)] {
                let arc = |at: usize, random: &mut star_base::Random| match at % (n + 1) {
                    0 if n % 2 == 0 => 0,
                    _ if random.below(rarity) > 0 => NONE,
                    _ => random.below(1000) as u32,
                };
                let lengths: Vec<u32> = (0..n * n).map(|at| arc(at, &mut random)).collect();
                let mut found = lengths.clone();
                min_plus_closure(&mut found, n, &Plain::default()).unwrap();
                assert!(found == floyd(lengths, n), "{n} vertices, one arc in {rarity}");
            }
        }
    }

    #[test]
    fn the_greatest_lengths_do_not_wrap() {
        let n = 3;
        let most = (1 << 29) - 1;
        let mut lengths = vec![0, most, NONE, NONE, 0, most, most, NONE, 0];
        min_plus_closure(&mut lengths, n, &Plain::default()).unwrap();
        assert_eq!(lengths, [0, most, 2 * most, 2 * most, 0, most, most, 2 * most, 0]);
    }
}
