//! Graphs as lists of arcs: searches, components and spanning forests.
//!
//! Every kernel receives the number of vertices, the number of its first workgroup, the workgroups
//! in the first dimension, and the number of rows; then the words of a list, 0 where it has none:
//! the arcs (tails, heads and weights, a word for each row), notes, 1 if all arcs lead in both
//! directions, the costs; the places (two words for each vertex), the ends, the parents and the
//! keys; then what its function states. Addresses are those of words.
//!
//! Note [Windows and buckets]. A search is delta-stepping (Meyer, Sanders 2003) with two piles of
//! vertices (Davidson, Baxter, Garland, Owens 2014). A *bucket* is the costs with the same upper
//! bits. The queue has the vertices whose cost has become less and is in the present bucket or
//! before it; no list has the others, which are all vertices with a finite cost after the bucket. A
//! window is one dispatch: it follows the arcs of the queued vertices; if none are queued, it
//! queues the vertices of the next bucket. Each vertex is queued in parts of [`Groups::chunk`]
//! arcs, so that workgroups share those of a hub, and once for each window: it has the number of
//! the last window that it was queued for.
//!
//! *Costs are exact.* Each is that of a path, they only decrease, and a vertex is queued after each
//! change, now or when its bucket is due; so at the end no arc would lower any. A sum that would
//! overflow is not made: then the cost of the tail is beyond a limit, which the host tests at the
//! end. So no result depends on the order of threads.
//!
//! *Three windows.* Length, least cost and end of the bucket are three words each, which windows
//! use cyclically: one reads its own, writes that of the next one and clears that of the previous
//! one.
//! Least costs are stored as complements: 0 is none.
//!
//! Note [Sets]. Disjoint sets (Tarjan 1975) in the form of Patwary, Blair, Manne 2010: only roots
//! are linked, and to smaller vertices, so the root of a set is its first vertex, in any order of
//! threads. A thread ends after [`Groups::steps`] steps; then the host repeats the kernel after
//! [`jump`] has made all paths short.
//!
//! Note [Ties]. The text of SSSP_TREE adds the vertex with the least distance, by the first arc of
//! that length. Among vertices of one distance, only those that arcs without weight connect depend
//! on each other: such vertices are a *set*, and vertices of other distances are all present before
//! or after them. A round adds the first arc to each set, so all sets grow at the same time, and
//! without such arcs one round is enough.

use crate::{Limb, Shader};

use super::numbers::GIVEN;

/// No vertex.
pub const NONE: u32 = u32::MAX;
/// The cost of the start.
pub const FIRST: u32 = 1;
/// The cost of a vertex that was not reached.
pub const UNREACHED: u32 = u32::MAX;

/// Words of the results of all kernels.
pub const NOTES: u32 = 19;
/// The numbers of queued parts for three windows.
pub const LENGTH: u32 = 0;
/// The complements of the least costs after the bucket for three windows.
pub const LEAST: u32 = 3;
/// The last costs of the bucket for three windows.
const LAST: u32 = 6;
/// 1 if an arc ends at no vertex, or a weight is too large.
pub const WRONG: u32 = 9;
/// The greatest weight.
pub const HEAVIEST: u32 = 10;
/// A sum of mean numbers of bits of weights, over workgroups; the next word is their number.
pub const BITS: u32 = 11;
/// The number of placed arcs.
pub const PLACED: u32 = 13;
/// The number of parts that all windows have processed, modulo 2³².
pub const PROCESSED: u32 = 14;
/// The greatest number written.
pub const GREATEST: u32 = 15;
/// 1 if an arc without weight connects vertices at the same distance.
pub const ZEROS: u32 = 16;
/// 1 if two sets could not be joined yet.
pub const UNFINISHED: u32 = 17;
/// The number of arcs in the tree, modulo 2³².
pub const TAKEN: u32 = 18;

/// Steps of [`jump`].
const JUMPS: u32 = 8;

/// Sizes of workgroups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Groups {
    /// Threads of all kernels, each for a row or a vertex.
    pub threads: u32,
    /// Threads of a window that share a part of a vertex.
    pub team: u32,
    /// Arcs of such a part.
    pub chunk: u32,
    /// Steps towards the roots of sets in one dispatch.
    pub steps: u32,
    /// The binary logarithm of the number of arcs of mean weight in a bucket, divided by the mean
    /// number of arcs that leave a vertex.
    pub bucket_bits: u32,
}

impl Groups {
    /// The usual sizes.
    pub const USUAL: Groups =
        Groups { threads: 256, team: 8, chunk: 32, steps: 1024, bucket_bits: 5 };
    /// The smallest sizes.
    pub const SMALL: Groups = Groups { threads: 4, team: 2, chunk: 4, steps: 4, bucket_bits: 0 };

    /// Returns the bytes of shared memory that suffice for all kernels.
    pub const fn shared_bytes(self) -> u32 {
        4 * (2 * self.threads / self.team * self.chunk + 4)
    }

    /// Returns the parts that a workgroup of a window has at once.
    pub const fn teams(self) -> u32 {
        self.threads / self.team
    }

    /// Returns a bound on the loop iterations of a thread for the parts that its workgroup has at
    /// once, without those that queue parts after the first one of a vertex.
    pub const fn iterations(self) -> u32 {
        3 * (self.chunk / self.team) + 2
    }
}

/// What an end of an arc in the lists of vertices has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// The head; every weight is 1.
    Heads = 1,
    /// The head and the weight.
    Weights = 2,
}

/// Returns the kernel that reads the arcs and counts those that leave each vertex. Given: address
/// and stride of the tails and of the heads; their columns, the slice of the arcs, the code of the
/// first vertex, the most bits of a weight; address, stride and columns of the weights. A workgroup
/// has [`Groups::threads`] rows.
pub fn read(groups: Groups, ends: Ends) -> Shader {
    kernel(groups, ends, &[include_str!("../../wgsl/intrinsics/arcs/read.wgsl")])
}

/// Returns the kernel that finds a place for the arcs of each vertex. A workgroup has
/// [`Groups::threads`] vertices.
pub fn place(groups: Groups) -> Shader {
    kernel(groups, Ends::Heads, &[include_str!("../../wgsl/intrinsics/arcs/place.wgsl")])
}

/// Returns the kernel that stores the arcs at their places. A workgroup has [`Groups::threads`]
/// rows.
pub fn fill(groups: Groups, ends: Ends) -> Shader {
    kernel(groups, ends, &[include_str!("../../wgsl/intrinsics/arcs/fill.wgsl")])
}

/// Returns the kernel that begins a search, if there are costs, and stores a set for each vertex,
/// if there are parents. Given: the start. A workgroup has [`Groups::threads`] vertices.
pub fn begin(groups: Groups) -> Shader {
    kernel(groups, Ends::Heads, &[include_str!("../../wgsl/intrinsics/arcs/begin.wgsl")])
}

/// Returns the kernel of a window. The number of the first workgroup is that of the window, and the
/// next parameter is the number of workgroups. Given: the marks of queued vertices, the queue, that
/// of the next window, the number of bits of costs in a bucket; the greatest cost to which every
/// weight can be added. Any number of workgroups in one dimension.
pub fn window(groups: Groups, ends: Ends) -> Shader {
    kernel(groups, ends, &[include_str!("../../wgsl/intrinsics/arcs/window.wgsl")])
}

/// Returns the kernel that writes a number for each vertex. Given: the numbers, address and stride
/// of the table, its columns; what is added to each number. A workgroup has [`Groups::threads`]
/// words of 32 vertices.
pub fn write(groups: Groups) -> Shader {
    kernel(groups, Ends::Heads, &[include_str!("../../wgsl/intrinsics/arcs/write.wgsl")])
}

/// Returns the kernel that joins the sets of vertices. Given: 1 for those at the same distance that
/// arcs without weight connect. A workgroup has [`Groups::threads`] rows.
pub fn link(groups: Groups, ends: Ends) -> Shader {
    kernel(groups, ends, &[SETS, include_str!("../../wgsl/intrinsics/arcs/link.wgsl")])
}

/// Returns the kernel that makes the paths to the roots of all sets shorter, to an eighth rounded
/// up. A workgroup has [`Groups::threads`] vertices.
pub fn jump(groups: Groups) -> Shader {
    kernel(groups, Ends::Heads, &[include_str!("../../wgsl/intrinsics/arcs/jump.wgsl")])
}

/// Returns the number of dispatches of [`jump`] after which the parent of each of `n` vertices is
/// its root.
pub fn jumps(n: u32) -> usize {
    n.checked_ilog(JUMPS).map_or(1, |log| log as usize + 1)
}

/// Returns the kernel of half a round of a tree of shortest paths. Given: whether it is the second
/// half, the tails of the arcs to each vertex, the slice of the arcs of the tree, the start. A
/// workgroup has [`Groups::threads`] rows.
pub fn tree(groups: Groups) -> Shader {
    kernel(groups, Ends::Weights, &[include_str!("../../wgsl/intrinsics/arcs/tree.wgsl")])
}

/// Returns the kernel that finds the least weights of the arcs that leave each set, or the first
/// rows of these. Given: the rows, whether it finds these. A workgroup has [`Groups::threads`]
/// rows.
pub fn least(groups: Groups) -> Shader {
    kernel(groups, Ends::Weights, &[include_str!("../../wgsl/intrinsics/arcs/least.wgsl")])
}

/// Returns the kernel that adds the chosen arcs to a forest. Given: the rows, the slice of the arcs
/// of the forest. A workgroup has [`Groups::threads`] vertices.
pub fn pick(groups: Groups) -> Shader {
    let text = include_str!("../../wgsl/intrinsics/arcs/pick.wgsl");
    kernel(groups, Ends::Weights, &[SETS, text])
}

/// Returns all kernels with their names.
pub fn all(groups: Groups) -> [(&'static str, Shader); 15] {
    [
        ("read", read(groups, Ends::Heads)),
        ("read-weights", read(groups, Ends::Weights)),
        ("place", place(groups)),
        ("fill", fill(groups, Ends::Heads)),
        ("fill-weights", fill(groups, Ends::Weights)),
        ("begin", begin(groups)),
        ("window", window(groups, Ends::Heads)),
        ("window-weights", window(groups, Ends::Weights)),
        ("write", write(groups)),
        ("link", link(groups, Ends::Heads)),
        ("link-weights", link(groups, Ends::Weights)),
        ("jump", jump(groups)),
        ("tree", tree(groups)),
        ("least", least(groups)),
        ("pick", pick(groups)),
    ]
}

const LIST: &str = include_str!("../../wgsl/intrinsics/arcs/list.wgsl");
const SETS: &str = include_str!("../../wgsl/intrinsics/arcs/sets.wgsl");

fn kernel(groups: Groups, ends: Ends, parts: &[&str]) -> Shader {
    let Groups { threads, team, chunk, steps, bucket_bits: _ } = groups;
    let constants = [
        ("THREADS", threads),
        ("TEAM", team),
        ("CHUNK", chunk),
        ("STEPS", steps),
        ("JUMPS", JUMPS - 1),
        ("END_WORDS", ends as u32),
        ("NONE", NONE),
        ("FIRST", FIRST),
        ("UNREACHED", UNREACHED),
        ("LENGTH", LENGTH),
        ("LEAST", LEAST),
        ("LAST", LAST),
        ("WRONG", WRONG),
        ("HEAVIEST", HEAVIEST),
        ("BITS", BITS),
        ("PARTS", BITS + 1),
        ("PLACED", PLACED),
        ("PROCESSED", PROCESSED),
        ("GREATEST", GREATEST),
        ("ZEROS", ZEROS),
        ("UNFINISHED", UNFINISHED),
        ("TAKEN", TAKEN),
    ];
    let constants = constants.map(|(name, value)| format!("const {name} = {value}u;\n")).concat();
    let head = [&*constants, GIVEN, LIST];
    Shader { limb: Limb::Joined, body: head.into_iter().chain(parts.iter().copied()).collect() }
}
