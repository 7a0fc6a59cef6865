//! The concurrent binary tree: a full binary tree as a bit field, whose leaves many threads split
//! and merge at once.
//!
//! The depth D is from 1 to 30. A node has a heap index k: 1 is the root, 2k and 2k+1 are the
//! children of k, and its level is the position of the highest set bit of k. A field of 2^D bits
//! holds the tree: a bit is set where a leaf begins, and the leaf extends to the next set bit. Node
//! k of level d begins at bit k·2^(D−d) − 2^D and is 2^(D−d) bits wide. Splitting k sets the first
//! bit of 2k+1; merging the children of k clears it.
//!
//! Note [Two fields]. Changes go to the *live* field, bit by bit and with atomics. Operations on
//! all leaves (count, leaf by ordinal, decoding, a batch) use the field of the last *reduce*, which
//! copies the live field and counts its ones. So leaves can be decoded while others are split, and
//! every thread sees the same tree from before the change. Level D is live; all other counts are
//! those of the last reduce.
//!
//! Source: Grachev, Ushakov 2023, "A research on concurrent binary tree properties" [000]; Dupuy
//! 2020, "Concurrent binary trees (with application to longest edge bisection)".

mod batch;
#[cfg(target_arch = "x86_64")]
mod compress;
mod decode;
mod heap;
mod marks;
mod node;
mod patterns;
mod reduce;
mod state;
mod sums;
mod tree;
mod watch;

pub use batch::Change;
pub use heap::Heap;
pub use node::{Depth, Leaf, Node, TreeError};
pub use state::LEVEL_BITS;
pub use tree::Tree;
pub use watch::{Verdict, Watch};

#[cfg(test)]
pub(crate) mod tests;
