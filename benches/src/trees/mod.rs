//! Concurrent binary trees compared with libcbt, on the same heaps.
//!
//! * `libcbt`: the C library as a process that is compiled when it starts, if its folder is given.
//! * `marks`: what the cycles split and merge.
//!
//! Rounds alternate: ours, the peer, ours …; figures are medians. Before them both carry out a
//! random sequence of splits and merges and compare the bytes of their heaps after each, and every
//! timed decoding is compared by a sum over all leaves.
//!
//! Two cycles: that of the source's figures, reduce and decode; and a complete one, which decodes
//! all leaves, splits and merges those that are marked, and reduces. The complete ones undo each
//! other in pairs.

mod libcbt;
mod marks;

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Instant;

use star_base::Random;
use star_intrinsics::cbt::{Depth, Heap, Tree};
use star_intrinsics::{Environment, Workers};

use crate::results::Figure;
use crate::say::say;
use crate::timing::median;
pub(crate) use libcbt::Libcbt;
use marks::Iterations;

/// The seed of the random trees and operations.
const SEED: u64 = 13;
/// Operations whose heaps are compared.
const N_OPERATIONS: usize = 10_000;

/// Which leaves a tree has.
#[derive(Clone, Copy)]
pub(crate) enum Shape {
    /// All of level D.
    Perfect,
    /// All of level D − 2: a quarter.
    Quarter,
    /// As many, split at random.
    RandomQuarter,
}

fn workers(n: usize) -> Result<Workers<'static>, String> {
    Workers::new(Some(n), Workers::NEVER).map_err(|_| format!("the system refuses {n} threads"))
}

/// What is timed.
#[derive(Clone, Copy)]
enum Job {
    /// All leaves.
    Decode,
    /// The rank directory.
    Reduce,
    /// The packed heap.
    Pack,
    /// Reduce and decode.
    Both,
    /// Decode, split, merge, reduce.
    Cycle,
}

impl Job {
    const ALL: [Job; 5] = [Job::Decode, Job::Reduce, Job::Pack, Job::Both, Job::Cycle];
}

/// Measures a tree of this depth on one thread: decoding of all leaves, the sum reduction, and a
/// cycle.
///
/// # Errors
/// If the peer has other leaves, or does not answer.
pub(crate) fn measure(
    levels: i64,
    shape: Shape,
    rounds: usize,
    peer: &mut Option<Libcbt>,
) -> Result<[Figure; 3], String> {
    let first = &workers(1)?;
    let mut tree = make(levels, shape, first)?;
    let n = tree.count();
    let (mut indices, mut levels_of) = (vec![0; n], vec![0; n]);
    tree.decode(&mut indices, &mut levels_of, first).map_err(ended)?;
    let iterations = Iterations::of(&tree, &indices);
    let mut heap = Heap::zeros(tree.depth()).map_err(|error| error.to_string())?;
    heap.pack(&tree, first).map_err(ended)?;
    if let Some(peer) = peer {
        peer.load(&heap, n)?;
    }
    let iteration = |tree: &mut Tree, iteration: usize, environment: &Workers<'_>| {
        let [splits, merges] = iterations.batch(iteration);
        tree.change_marked(splits, merges, environment).map_err(ended)
    };
    // A cycle and its inverse.
    let [splits, merges] = iteration(&mut tree, 0, first)?;
    let most = n.max(tree.count());
    iteration(&mut tree, 1, first)?;
    if tree.count() != n {
        return Err("two cycles leave another tree".to_owned());
    }
    indices.resize(most, 0);
    levels_of.resize(most, 0);
    // A short run is repeated, so that neither the clock nor the caches that the peer filled count;
    // cycles come in pairs.
    let repeat = 1 << 23 >> levels.min(22);
    let mut all_times = Job::ALL.map(|_| Vec::new());
    let mut peer_times = [Vec::new(), Vec::new()];
    for round in 0..=rounds {
        for (job, times) in Job::ALL.into_iter().zip(&mut all_times) {
            let start = Instant::now();
            for step in 0..repeat {
                let mut decode = |tree: &Tree| {
                    let n = tree.count();
                    tree.decode(&mut indices[..n], &mut levels_of[..n], first)
                };
                match job {
                    Job::Decode => decode(&tree).map_err(ended)?,
                    Job::Reduce => tree.reduce(first).map_err(ended)?,
                    Job::Pack => heap.pack(&tree, first).map_err(ended)?,
                    Job::Both => {
                        tree.reduce(first).map_err(ended)?;
                        decode(&tree).map_err(ended)?;
                    }
                    Job::Cycle => {
                        decode(&tree).map_err(ended)?;
                        iteration(&mut tree, step, first)?;
                    }
                }
            }
            let time = start.elapsed().as_secs_f64() * 1e6 / repeat as f64;
            black_box((&indices, &levels_of, heap.limbs()));
            // The first round warms up.
            if round > 0 {
                times.push(time);
            }
        }
        if let Some(peer) = peer {
            tree.decode(&mut indices[..n], &mut levels_of[..n], first).map_err(ended)?;
            let leaves = indices[..n].iter().zip(&levels_of[..n]);
            let sum = leaves.fold(0_u64, |sum, (&index, &level)| {
                sum.wrapping_mul(31).wrapping_add(u64::from(index) * 32 + u64::from(level))
            });
            let [decodes, reduces] = &mut peer_times;
            // Its decoding takes seconds above depth 20: once is enough.
            match (round, levels) {
                (0, ..=20) => drop(peer.decode(sum)?),
                (0, _) | (_, ..=20) => decodes.push(peer.decode(sum)?),
                (_, _) => {}
            }
            reduces.push(peer.reduce()?);
        }
    }
    let name = match shape {
        Shape::Perfect => "perfect",
        Shape::Quarter => "25 % of the leaves, one level",
        Shape::RandomQuarter => "25 % of the leaves, random",
    };
    let [decode, reduce, pack, both, cycle] = all_times.map(|times| median(times) / 1e6);
    let [peer_decode, peer_reduce] = peer_times.map(|times| median(times) / 1e6);
    let figure = |seconds, theirs: f64, variant: Option<(&str, f64)>| {
        let peers = if theirs.is_nan() { &[][..] } else { &[("libcbt", theirs)] };
        let variants = variant.into_iter().map(|(name, time)| (name.to_owned(), time));
        Figure {
            variants: variants.collect::<BTreeMap<String, f64>>(),
            note: format!("{n} leaves"),
            ..Figure::new(name, ("D", levels as usize), seconds, peers)
        }
    };
    Ok([
        figure(decode, peer_decode, None),
        figure(reduce, peer_reduce, Some(("with the packed heap", reduce + pack))),
        figure(both, f64::NAN, Some((&format!("with {splits} splits, {merges} merges"), cycle))),
    ])
}

/// Compares the bytes of both heaps after each of a random sequence of splits and merges.
///
/// # Errors
/// If they differ, or the peer does not answer.
pub(crate) fn compare_heaps(peer: &mut Libcbt) -> Result<(), String> {
    let environment = &workers(1)?;
    // At depth 5 libcbt ends by itself when it takes a heap in.
    for levels in [6, 8, 13] {
        let mut tree = make(levels, Shape::Quarter, environment)?;
        let depth = tree.depth();
        let mut heap = Heap::zeros(depth).map_err(|error| error.to_string())?;
        heap.pack(&tree, environment).map_err(ended)?;
        peer.load(&heap, tree.count())?;
        let mut random = Random::new(SEED);
        for operation in 0..N_OPERATIONS {
            let leaf = tree.leaf(random.below(tree.count())).ok_or("a leaf that is not there")?;
            if random.below(2) == 0 {
                if tree.split(leaf.node) {
                    peer.split(leaf.node.index())?;
                }
            } else if let Some(parent) = leaf.node.parent().filter(|&parent| tree.merge(parent)) {
                peer.merge(parent.index())?;
            }
            tree.reduce(environment).map_err(ended)?;
            heap.pack(&tree, environment).map_err(ended)?;
            let hash = heap.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
            });
            if peer.hash()? != hash {
                return Err(format!(
                    "depth {levels}: the heaps differ after operation {operation}"
                ));
            }
        }
        say!("depth {levels}: heaps of the same bytes after each of {N_OPERATIONS} operations");
    }
    Ok(())
}

fn make(levels: i64, shape: Shape, environment: &dyn Environment) -> Result<Tree, String> {
    let depth = Depth::new(levels).map_err(|error| error.to_string())?;
    let level = match shape {
        Shape::Perfect => depth.levels(),
        Shape::Quarter => depth.levels() - 2,
        Shape::RandomQuarter => 0,
    };
    let mut tree = Tree::at_level(depth, level).map_err(|error| error.to_string())?;
    if let Shape::RandomQuarter = shape {
        let mut random = Random::new(SEED);
        let (mut leaves, mut count) = (vec![1_u64], 1);
        while count < depth.n_bits() / 4 {
            let index = leaves.swap_remove(random.below(leaves.len()));
            if depth.node(index).is_some_and(|node| tree.split(node)) {
                let children = [2 * index, 2 * index + 1];
                leaves.extend(children.iter().filter(|child| child.ilog2() < depth.levels()));
                count += 1;
            }
        }
        tree.reduce(environment).map_err(ended)?;
    }
    Ok(tree)
}

fn ended(ended: star_intrinsics::Ended) -> String {
    format!("{ended:?}")
}
