//! Concurrent binary trees beside libcbt, on the same heaps.
//!
//! * `libcbt`: the C library as a process that is compiled on the spot, if its folder is named.
//! * `marks`: what the cycles split and merge.
//! * `terrain`: a mesh that follows a viewpoint.
//!
//! Rounds take turns: ours, the peer, ours …; figures are medians. Before them both carry out a random sequence of splits and
//! merges and compare the bytes of their heaps after each, and every timed decoding is compared by a sum over all leaves.
//!
//! Two cycles: that of the source's figures, reduce and decode; and a whole one, which decodes all leaves, splits and
//! merges a part of them that is marked, and reduces. The whole ones undo each other, two by two.

mod libcbt;
mod marks;
mod terrain;

use std::hint::black_box;
use std::time::Instant;

use star_base::Random;
use star_intrinsics::cbt::{Depth, Heap, Tree};
use star_intrinsics::{Environment, Workers};

use crate::say::say;
use crate::timing::median;
use libcbt::Libcbt;
use marks::Turns;
pub(crate) use terrain::run as terrain;

/// What the random trees and operations begin with.
const SEED: u64 = 13;
/// Operations whose heaps are compared.
const N_OPERATIONS: usize = 10_000;

/// What is asked for.
pub(crate) struct Options {
    libcbt: Option<String>,
    most: i64,
    threads: Vec<usize>,
    rounds: usize,
}

impl Options {
    /// `[--libcbt DIR] [--most DEPTH] [--threads N[,N…]] [--rounds N]`.
    pub(crate) fn of(args: &[String]) -> Option<Options> {
        let mut options = Options { libcbt: None, most: 20, threads: vec![1], rounds: 7 };
        for pair in args.chunks(2) {
            let [name, value] = pair else { return None };
            match name.as_str() {
                "--libcbt" => options.libcbt = Some(value.clone()),
                "--most" => options.most = value.parse().ok()?,
                "--threads" => {
                    let threads = value.split(',').map(str::parse);
                    options.threads = threads.collect::<Result<_, _>>().ok()?;
                }
                "--rounds" => options.rounds = value.parse().ok().filter(|&rounds| rounds > 0)?,
                _ => return None,
            }
        }
        Some(options)
    }
}

/// Which leaves a tree has.
#[derive(Clone, Copy)]
enum Shape {
    /// All of level D.
    Perfect,
    /// All of level D − 2: a quarter.
    Quarter,
    /// As many, split at random.
    RandomQuarter,
}

/// So many threads.
fn workers(n: usize) -> Result<Workers<'static>, String> {
    Workers::new(Some(n), Workers::NEVER).map_err(|_| format!("the system refuses {n} threads"))
}

/// Measures trees of depth 10 and more.
pub(crate) fn run(options: &Options) -> Result<(), String> {
    let environments = options
        .threads
        .iter()
        .map(|&n| workers(n))
        .collect::<Result<Vec<Workers<'_>>, String>>()?;
    let Some(first) = environments.first() else { return Err("no threads".to_owned()) };
    let mut peer = options.libcbt.as_deref().map(Libcbt::start).transpose()?;
    say!("{} rounds, seed {SEED}; medians in µs", options.rounds);
    match &mut peer {
        Some(peer) => compare_heaps(peer, first)?,
        None => {
            say!("libcbt takes no part: name its folder with --libcbt (github.com/jdupuy/libcbt)")
        }
    }
    say!(
        "{:>2} {:15} {:>9} {:>7} {:>10} {:>9} {:>9} {:>12} {:>10} {:>9} {:>9} {:>12} {:>11} {:>8} {:>7} {:>7}",
        "D",
        "tree",
        "leaves",
        "threads",
        "decode",
        "reduce",
        "pack",
        "red.+decode",
        "cycle",
        "splits",
        "merges",
        "libcbt dec.",
        "reduce",
        "decode ×",
        "red. ×",
        "pack ×"
    );
    for depth in [10, 15, 17, 20, 23, 25, 26].into_iter().filter(|&depth| depth <= options.most) {
        for shape in [Shape::Perfect, Shape::Quarter, Shape::RandomQuarter] {
            measure(depth, shape, options.rounds, &mut peer, &environments)?;
        }
    }
    Ok(())
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

fn measure(
    levels: i64,
    shape: Shape,
    rounds: usize,
    peer: &mut Option<Libcbt>,
    environments: &[Workers<'_>],
) -> Result<(), String> {
    let [first, ..] = environments else { return Ok(()) };
    let mut tree = make(levels, shape, first)?;
    let n = tree.count();
    let (mut indices, mut levels_of) = (vec![0; n], vec![0; n]);
    tree.decode(&mut indices, &mut levels_of, first).map_err(ended)?;
    let turns = Turns::of(&tree, &indices);
    let mut heap = Heap::zeros(tree.depth()).map_err(|error| error.to_string())?;
    heap.pack(&tree, first).map_err(ended)?;
    if let Some(peer) = peer {
        peer.load(&heap, n)?;
    }
    let turn = |tree: &mut Tree, turn: usize, environment: &Workers<'_>| {
        let [splits, merges] = turns.batch(turn);
        tree.change_marked(splits, merges, environment).map_err(ended)
    };
    // There and back.
    let [splits, merges] = turn(&mut tree, 0, first)?;
    let most = n.max(tree.count());
    turn(&mut tree, 1, first)?;
    if tree.count() != n {
        return Err("two cycles leave another tree".to_owned());
    }
    indices.resize(most, 0);
    levels_of.resize(most, 0);
    // A short run is repeated, so that neither the clock nor what the peer left in the caches counts; cycles come in pairs.
    let repeat = 1 << 23 >> levels.min(22);
    let mut times = vec![Job::ALL.map(|_| Vec::new()); environments.len()];
    let mut peer_times = [Vec::new(), Vec::new()];
    for round in 0..=rounds {
        for (environment, times) in environments.iter().zip(&mut times) {
            for (job, times) in Job::ALL.into_iter().zip(times) {
                let start = Instant::now();
                for step in 0..repeat {
                    let mut decode = |tree: &Tree| {
                        let n = tree.count();
                        tree.decode(&mut indices[..n], &mut levels_of[..n], environment)
                    };
                    match job {
                        Job::Decode => decode(&tree).map_err(ended)?,
                        Job::Reduce => tree.reduce(environment).map_err(ended)?,
                        Job::Pack => heap.pack(&tree, environment).map_err(ended)?,
                        Job::Both => {
                            tree.reduce(environment).map_err(ended)?;
                            decode(&tree).map_err(ended)?;
                        }
                        Job::Cycle => {
                            decode(&tree).map_err(ended)?;
                            turn(&mut tree, step, environment)?;
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
        Shape::Quarter => "25 %, one level",
        Shape::RandomQuarter => "25 %, random",
    };
    let [peer_decode, peer_reduce] = peer_times.map(median);
    for (environment, times) in environments.iter().zip(times) {
        let [decode, reduce, pack, both, cycle] = times.map(median);
        let threads = environment.threads();
        let mut text = format!(
            "{levels:>2} {name:15} {n:>9} {threads:>7} {decode:>10.2} {reduce:>9.2} {pack:>9.2} \
             {both:>12.2} {cycle:>10.2} {splits:>9} {merges:>9}"
        );
        if peer.is_some() {
            text += &format!(
                " {peer_decode:>12.1} {peer_reduce:>11.1} {:>8.0} {:>7.0} {:>7.1}",
                peer_decode / decode,
                peer_reduce / reduce,
                peer_reduce / pack
            );
        }
        say!("{text}");
    }
    Ok(())
}

/// A random sequence of splits and merges: the bytes of both heaps after each.
fn compare_heaps(peer: &mut Libcbt, environment: &Workers<'_>) -> Result<(), String> {
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
