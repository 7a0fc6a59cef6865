//! Concurrent binary trees beside libcbt, on the same heaps.
//!
//! * `libcbt`: the C library as a process that is compiled on the spot, if its folder is named.
//! * `terrain`: a mesh that follows a viewpoint.
//!
//! Rounds take turns: ours, the peer, ours …; figures are medians. Before them both carry out a random sequence of splits and
//! merges and compare the bytes of their heaps after each, and every timed decoding is compared by a sum over all leaves.

mod libcbt;
mod terrain;

use std::hint::black_box;
use std::time::Instant;

use star_natives::cbt::{Depth, Heap, Tree};
use star_natives::{Environment, Workers};

use crate::say::say;
use libcbt::Libcbt;
pub(crate) use terrain::run as terrain;

/// What the random trees and operations begin with.
const SEED: u64 = 13;
/// Operations whose heaps are compared.
const N_OPERATIONS: usize = 10_000;

/// What is asked for.
pub(crate) struct Options {
    libcbt: Option<String>,
    most: i64,
    threads: usize,
    rounds: usize,
}

impl Options {
    /// `[--libcbt DIR] [--most DEPTH] [--threads N] [--rounds N]`.
    pub(crate) fn of(args: &[String]) -> Option<Options> {
        let mut options = Options { libcbt: None, most: 20, threads: 1, rounds: 7 };
        for pair in args.chunks(2) {
            let [name, value] = pair else { return None };
            match name.as_str() {
                "--libcbt" => options.libcbt = Some(value.clone()),
                "--most" => options.most = value.parse().ok()?,
                "--threads" => options.threads = value.parse().ok()?,
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
    let environment = workers(options.threads)?;
    let mut peer = options.libcbt.as_deref().map(Libcbt::start).transpose()?;
    say!("{} threads, {} rounds, seed {SEED}; medians in µs", options.threads, options.rounds);
    match &mut peer {
        Some(peer) => compare_heaps(peer, &environment)?,
        None => {
            say!("libcbt takes no part: name its folder with --libcbt (github.com/jdupuy/libcbt)")
        }
    }
    say!(
        "{:>2} {:15} {:>9} {:>10} {:>9} {:>9} {:>10} {:>12} {:>11} {:>8} {:>7} {:>7}",
        "D",
        "tree",
        "leaves",
        "decode",
        "reduce",
        "pack",
        "cycle",
        "libcbt dec.",
        "reduce",
        "decode ×",
        "red. ×",
        "pack ×"
    );
    for depth in [10, 15, 17, 20, 23, 25, 26].into_iter().filter(|&depth| depth <= options.most) {
        for shape in [Shape::Perfect, Shape::Quarter, Shape::RandomQuarter] {
            line(depth, shape, options.rounds, &mut peer, &environment)?;
        }
    }
    Ok(())
}

fn line(
    levels: i64,
    shape: Shape,
    rounds: usize,
    peer: &mut Option<Libcbt>,
    environment: &Workers<'_>,
) -> Result<(), String> {
    let mut tree = make(levels, shape, environment)?;
    let depth = tree.depth();
    let n = tree.count();
    let (mut indices, mut levels_of) = (vec![0; n], vec![0; n]);
    let mut heap = Heap::zeros(depth).map_err(|error| error.to_string())?;
    heap.pack(&tree, environment).map_err(ended)?;
    if let Some(peer) = peer {
        peer.load(&heap, n)?;
    }
    let mut times: [Vec<f64>; 6] = Default::default();
    let [decodes, reduces, packs, cycles, peer_decodes, peer_reduces] = &mut times;
    // A short run is repeated, so that the clock does not count.
    let repeat = (1 << 20 >> levels.min(20)).max(1);
    let time = |work: &mut dyn FnMut() -> Result<(), String>| -> Result<f64, String> {
        let start = Instant::now();
        for _ in 0..repeat {
            work()?;
        }
        Ok(start.elapsed().as_secs_f64() * 1e6 / f64::from(repeat))
    };
    for round in 0..=rounds {
        let [mut decode, mut reduce, mut pack, mut cycle] = [0.0; 4];
        for (figure, step) in [(&mut decode, 0), (&mut reduce, 1), (&mut pack, 2), (&mut cycle, 3)]
        {
            *figure = time(&mut || {
                match step {
                    0 => tree.decode(&mut indices, &mut levels_of, environment),
                    1 => tree.reduce(environment),
                    2 => heap.pack(&tree, environment),
                    _ => tree
                        .reduce(environment)
                        .and_then(|()| tree.decode(&mut indices, &mut levels_of, environment)),
                }
                .map_err(ended)
            })?;
        }
        black_box((&indices, &levels_of, heap.limbs()));
        let theirs = match peer {
            Some(peer) => {
                let sum = indices.iter().zip(&levels_of).fold(0_u64, |sum, (&index, &level)| {
                    sum.wrapping_mul(31).wrapping_add(u64::from(index) * 32 + u64::from(level))
                });
                // The peer's decoding takes seconds from D = 20 on: once is enough.
                let again = round == 0 || levels <= 20;
                Some((if again { Some(peer.decode(sum)?) } else { None }, peer.reduce()?))
            }
            None => None,
        };
        // The first round warms up, but for what the peer does only once.
        if round > 0 {
            decodes.push(decode);
            reduces.push(reduce);
            packs.push(pack);
            cycles.push(cycle);
        }
        if let Some((decode, reduce)) = theirs {
            peer_decodes.extend(decode.filter(|_| round > 0 || levels > 20));
            peer_reduces.push(reduce);
        }
    }
    let [decode, reduce, pack, cycle, peer_decode, peer_reduce] = times.map(median);
    let name = match shape {
        Shape::Perfect => "perfect",
        Shape::Quarter => "25 %, one level",
        Shape::RandomQuarter => "25 %, random",
    };
    let mut text = format!(
        "{levels:>2} {name:15} {n:>9} {decode:>10.2} {reduce:>9.2} {pack:>9.2} {cycle:>10.2}"
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
        let mut random = Random(SEED);
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
        let mut random = Random(SEED);
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

fn ended(ended: star_natives::Ended) -> String {
    format!("{ended:?}")
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Random numbers: splitmix64.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(z ^ z >> 31) * end as u128) >> 64) as usize
    }
}
