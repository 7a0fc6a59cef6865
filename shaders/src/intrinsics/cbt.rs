//! Concurrent binary trees: kernels over the bit field of a tree of depth D, where a bit is one if
//! a leaf begins there.
//!
//! Every kernel receives D, the number of its first workgroup, the workgroups in the first
//! dimension, and an unused word; then what its function states. Addresses are those of words.
//!
//! Note [Rank directory]. Counts of leaves are found by a directory of two stages next to the
//! field: for each block of 512 bits the leaves that begin before it in its tile, for each tile of
//! [`Groups::tile_blocks`] blocks the leaves before the tile, then the number of all leaves, and 1
//! if the field encodes no tree. [`count`] and [`scan`] write it.

use std::fmt::Write;

use super::numbers::GIVEN;
use crate::{Limb, Shader};

/// Bits of a block of the rank directory.
pub const BLOCK_BITS: u32 = 512;
/// Words of the results of [`node`], [`under`], [`ordinal`] and [`change`].
pub const NOTES: u32 = 3;

/// Threads of workgroups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Groups {
    /// Threads of [`count`], and the blocks of a tile.
    pub tile_blocks: u32,
    /// Threads of the one workgroup of [`scan`].
    pub scan: u32,
    /// Threads of [`leaves`], each for a word of the field: whole blocks.
    pub leaves: u32,
    /// Threads of the other kernels, each for a word of the result.
    pub words: u32,
}

impl Groups {
    /// The sizes for a deep tree.
    pub const USUAL: Groups = Groups { tile_blocks: 128, scan: 256, leaves: 64, words: 256 };
    /// The sizes for a tree of up to [`Groups::SHALLOW_LEVELS`] levels: more workgroups.
    pub const SHALLOW: Groups = Groups { tile_blocks: 32, ..Groups::USUAL };
    /// The greatest depth of a shallow tree.
    pub const SHALLOW_LEVELS: u32 = 20;
    /// The smallest sizes.
    pub const SMALL: Groups = Groups { tile_blocks: 2, scan: 2, leaves: 16, words: 4 };

    /// Returns the maximum bytes of shared memory: those of [`leaves`] or [`count`].
    pub const fn shared_bytes(self) -> u32 {
        let (leaves, count) = (self.leaves * 38 + 37, self.tile_blocks * 18 + 1);
        4 * if leaves > count { leaves } else { count }
    }

    /// Returns the number of tiles of a field.
    pub fn n_tiles(self, depth: u32) -> u32 {
        n_blocks(depth).div_ceil(self.tile_blocks)
    }

    /// Returns the words of the rank directory of a field.
    pub fn directory_words(self, depth: u32) -> u32 {
        n_blocks(depth) + self.n_tiles(depth) + 2
    }

    /// Returns the place in the directory of the number of leaves; the next word is 1 if the field
    /// encodes no tree.
    pub fn total(self, depth: u32) -> u32 {
        n_blocks(depth) + self.n_tiles(depth)
    }
}

/// Returns the number of blocks of a field.
pub fn n_blocks(depth: u32) -> u32 {
    (1_u32 << depth).div_ceil(BLOCK_BITS)
}

/// What [`node`] does to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Splits it if it is a leaf above level D.
    Split = 0,
    /// Merges its children if both are leaves.
    Merge = 1,
    /// Sets the first bit of its right child.
    SplitRaw = 2,
    /// Clears that bit.
    MergeRaw = 3,
}

/// Returns the kernel that writes the field whose leaves are all nodes of a level. Given: its
/// destination, the width of the leaves. A workgroup has [`Groups::words`] words.
pub fn init(groups: Groups) -> Shader {
    kernel(Limb::Word, groups, groups.words, &[include_str!("../../wgsl/intrinsics/cbt/init.wgsl")])
}

/// Returns the kernel that counts leaves by blocks and tiles, checks the field, and copies it.
/// Given: the field, the number of bits before it in its only word, two destinations of copies or
/// 0, which is no address; the directory. A workgroup has a tile.
pub fn count(groups: Groups) -> Shader {
    let parts = [DIRECTORY, include_str!("../../wgsl/intrinsics/cbt/count.wgsl")];
    kernel(Limb::Word, groups, groups.tile_blocks, &parts)
}

/// Returns the kernel that sums the counts of tiles. Given: four unused words; the directory. One
/// workgroup.
pub fn scan(groups: Groups) -> Shader {
    let parts = [DIRECTORY, include_str!("../../wgsl/intrinsics/cbt/scan.wgsl")];
    kernel(Limb::Word, groups, groups.scan, &parts)
}

/// Returns the kernel that decodes all leaves. Given: the field, its directory, two unused words;
/// address and stride of the table of heap indices and of that of levels, both of zeros. A
/// workgroup has [`Groups::leaves`] words.
pub fn leaves(groups: Groups) -> Shader {
    let text = include_str!("../../wgsl/intrinsics/cbt/leaves.wgsl");
    kernel(Limb::Joined, groups, groups.leaves, &[DIRECTORY, text, &transpose()])
}

/// Returns the kernel that splits and merges all marked leaves. Given: the field, the marks of
/// splits and those of merges, the destination of the new field; the destination of the notes,
/// zeros: splits, merges, and the number of workgroups in which the field encodes no tree. A
/// workgroup has [`Groups::words`] words.
pub fn change(groups: Groups) -> Shader {
    let text = include_str!("../../wgsl/intrinsics/cbt/change.wgsl");
    kernel(Limb::Joined, groups, groups.words, &[text])
}

/// Returns the kernel that splits or merges one node. Given: the field, the node, the [`Act`], the
/// destination of 1 if it took place. One workgroup.
pub fn node() -> Shader {
    let acts = [
        ("SPLIT", Act::Split),
        ("MERGE", Act::Merge),
        ("SPLIT_RAW", Act::SplitRaw),
        ("MERGE_RAW", Act::MergeRaw),
    ];
    let acts = acts.map(|(name, act)| format!("const {name} = {}u;\n", act as u32)).concat();
    let text = include_str!("../../wgsl/intrinsics/cbt/node.wgsl");
    kernel(Limb::Word, Groups::USUAL, 1, &[&acts, text])
}

/// Returns the kernel that counts the leaves at or below a node. Given: the live field, that of the
/// last reduce, its directory, the destination of the number; the node. One workgroup.
pub fn under(groups: Groups) -> Shader {
    let text = include_str!("../../wgsl/intrinsics/cbt/under.wgsl");
    kernel(Limb::Word, groups, 1, &[DIRECTORY, ONES, text])
}

/// Returns the kernel that finds a leaf by its ordinal, from 0. Given: the field, its directory,
/// the ordinal, the destination of three words: 1 if there is one, its heap index, its level. One
/// workgroup.
pub fn ordinal(groups: Groups) -> Shader {
    let text = include_str!("../../wgsl/intrinsics/cbt/ordinal.wgsl");
    kernel(Limb::Word, groups, 1, &[DIRECTORY, text])
}

/// Returns the kernel that packs the heap of a tree of depth 28 or less. Given: the live field,
/// that of the last reduce, its directory, the destination; another heap or 0, the destination of 1
/// if it differs, and the first two words of element 0. With another heap, nothing is stored. A
/// workgroup has [`Groups::words`] words.
pub fn heap(groups: Groups) -> Shader {
    let text = include_str!("../../wgsl/intrinsics/cbt/heap.wgsl");
    kernel(Limb::Joined, groups, groups.words, &[DIRECTORY, ONES, text])
}

/// Returns all kernels with their names.
pub fn all(groups: Groups) -> [(&'static str, Shader); 9] {
    [
        ("init", init(groups)),
        ("count", count(groups)),
        ("scan", scan(groups)),
        ("leaves", leaves(groups)),
        ("change", change(groups)),
        ("node", node()),
        ("under", under(groups)),
        ("ordinal", ordinal(groups)),
        ("heap", heap(groups)),
    ]
}

const FIELD: &str = include_str!("../../wgsl/intrinsics/cbt/field.wgsl");
pub(super) const DIRECTORY: &str = include_str!("../../wgsl/intrinsics/cbt/directory.wgsl");
const ONES: &str = include_str!("../../wgsl/intrinsics/cbt/ones.wgsl");

pub(super) fn kernel(limb: Limb, groups: Groups, threads: u32, parts: &[&str]) -> Shader {
    let tile = groups.tile_blocks;
    let constants = format!("const THREADS = {threads}u;\nconst TILE_BLOCKS = {tile}u;\n");
    let head = [&constants, GIVEN, FIELD];
    Shader { limb, body: head.into_iter().chain(parts.iter().copied()).collect() }
}

/// Returns the function that transposes the indices of 32 leaves in shared memory, and adds five
/// words of the bits of their levels: a level is the number of the highest one of the index.
fn transpose() -> String {
    let mut text = String::from("fn transpose(at: u32) {\n");
    let mut put = |line: String| {
        writeln!(text, "  {line}").expect("writing to a string does not fail");
    };
    (0..32).for_each(|i| put(format!("var a{i} = rows[at + {i}u];")));
    put("var t = 0u;".to_owned());
    let mut mask = u32::MAX;
    for step in [16, 8, 4, 2, 1] {
        mask ^= mask << step;
        for k in (0..32).filter(|k| k & step == 0) {
            let other = k + step;
            put(format!("t = ((a{k} >> {step}u) ^ a{other}) & {mask}u;"));
            put(format!("a{other} ^= t; a{k} ^= t << {step}u;"));
        }
    }
    put("var highest = 0u; var above = a31;".to_owned());
    (0..5).for_each(|bit| put(format!("var level{bit} = 0u;")));
    for d in (0..31).rev() {
        put(format!("highest = a{d} & ~above; above |= a{d};"));
        for bit in (0..5).filter(|bit| d >> bit & 1 == 1) {
            put(format!("level{bit} |= highest;"));
        }
    }
    (0..32).for_each(|i| put(format!("rows[at + {i}u] = a{i};")));
    (0..5).for_each(|bit| put(format!("rows[at + {}u] = level{bit};", 32 + bit)));
    text + "}\n"
}
