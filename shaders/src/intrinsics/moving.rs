//! Moving objects: kernels over an index of the objects of a handle or a stream.
//!
//! Every kernel of the index receives how many objects there may be, the number of its first
//! workgroup, the workgroups in the first dimension, and an unused word; then the words of
//! [`IndexWords`]; then what its function states. Addresses are those of words.
//!
//! Note [Objects and buckets]. An object has four words: one more than its place, the stamp of its
//! last update in a batch, its coordinates. A place is a slot of a bucket; a bucket has a mask of
//! the slots in use, the next bucket of its cell or 0, and the objects in its slots. The first
//! bucket of a cell has the number of the cell. An object enters a cell by setting a bit of a mask
//! that was zero, and leaves it by clearing the bit, so updates need no order and no owners. Places
//! depend on the order of threads, but no answer depends on places.
//!
//! Note [Records]. An answer is a record of four words, added in any order and then sorted: runs in
//! shared memory, then pairs of runs by binary search.
//!
//! Note [Phases]. A stream submits batches before the outcomes of earlier ones are known. Each
//! batch has two phases, its queries and its updates, numbered in order. A phase that lacks room
//! for its answers or buckets stores the number of the first phase that is not due any more.
//! Updates of phases from there on change nothing, and answers count for nothing, until the host
//! has provided the room and submits them again.

use super::numbers::{GIVEN, WIDE};
use crate::{Limb, Shader};

macro_rules! part {
    ($name:literal) => {
        include_str!(concat!("../../wgsl/intrinsics/moving/", $name, ".wgsl"))
    };
}

/// Words of an object.
pub const OBJECT_WORDS: u32 = 4;
/// Slots of a bucket.
pub const SLOTS: u32 = 32;
/// Words of the head of a bucket.
pub const HEAD_WORDS: u32 = 2;
/// Words of a tile: the cells along a side, and the first one.
pub const TILE_WORDS: u32 = 2;
/// Words of a record.
pub const RECORD_WORDS: u32 = 4;
/// There are fewer records.
pub const MOST_RECORDS: u32 = 1 << 31;
/// The first word of an object without a place.
pub const WAITS: u32 = u32::MAX;

/// Words of the results of all kernels, by their contents: the bounding box takes four.
pub const NOTES: u32 = 16;
/// The number of objects.
pub const COUNT: u32 = 4;
/// Whether there are no more buckets.
pub const FULL: u32 = 5;
/// Whether a batch has updates of other objects, or a circle has too few objects.
pub const WRONG: u32 = 6;

/// How many of the last updates had each outcome.
pub const OUTCOME: u32 = 8;

/// An outcome of an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The object stayed in its cell.
    InPlace = 0,
    /// It moved to another one.
    Split = 1,
    /// It is new.
    Inserted = 2,
    /// It was removed.
    Removed = 3,
    /// There was no such object to remove.
    Unknown = 4,
}

/// The marks of an update of a stream, next to its object: of a removal, and of one of an object
/// that no earlier update of the batch concerns. Objects have smaller numbers.
pub const GONE: u32 = 1 << 31;
/// See [`GONE`].
pub const FIRST_REMOVAL: u32 = 1 << 30;
/// Words of an update of a stream.
pub const UPDATE_WORDS: u32 = 3;
/// Words of a sum: the hash and the number of answers.
pub const SUM_WORDS: u32 = 4;

/// The source of a batch of updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Given: how many updates there are, their objects from 1, both coordinates; the set of those
    /// that remove their object, the stamps of objects, zeros, and their distance, another word.
    Lists,
    /// Given: how many updates there are, the first one ([`UPDATE_WORDS`]), two unused words; the
    /// word with the first phase that is not due, the stamps of objects, zeros, and their distance,
    /// the phase (Note \[Phases\]).
    Stream,
}

impl Source {
    fn text(self) -> &'static str {
        match self {
            Source::Lists => LISTS,
            Source::Stream => part!("stream"),
        }
    }
}

/// How many removals without an earlier update of their object find none.
pub const UNKNOWN_FIRST: u32 = OUTCOME + OUTCOMES;

/// The number of outcomes.
pub const OUTCOMES: u32 = 5;

/// The parameters of all kernels of an index.
pub type IndexWords = [u32; 16];

const INDEX: &str = part!("index");
const UPDATE: &str = part!("update");
const LISTS: &str = part!("lists");
const RECTANGLE: &str = part!("rectangle");
const WALK: &str = part!("walk");
const RECORDS: &str = part!("records");
const NEAR: &str = part!("near");
const ORDER: &str = part!("order");

/// Returns the kernel that reads objects from tables. Given: the tables of both coordinates, their
/// stride and columns; the set of objects. A thread has an object.
pub fn fill(threads: u32) -> Shader {
    kernel(threads, &[INDEX, part!("fill")])
}

/// Returns the kernel that finds the bounding box and the number of objects. Given: the objects of
/// a thread.
pub fn bounds(threads: u32) -> Shader {
    kernel(threads, &[INDEX, part!("bounds")])
}

/// Returns the kernel that counts objects by tiles. Given: the counts, zeros. A thread has an
/// object.
pub fn tiles(threads: u32) -> Shader {
    kernel(threads, &[INDEX, part!("tiles")])
}

/// Returns the kernel that counts objects by cells. Given: the counts, zeros. A thread has an
/// object.
pub fn count(threads: u32) -> Shader {
    kernel(threads, &[INDEX, part!("count")])
}

/// Returns the kernel that reserves buckets. Given: the counts of cells. A thread has a cell.
pub fn reserve(threads: u32) -> Shader {
    kernel(threads, &[INDEX, part!("reserve")])
}

/// Returns the kernel that puts all objects into buckets. Given: the counts of cells. A thread has
/// an object.
pub fn place(threads: u32) -> Shader {
    kernel(threads, &[INDEX, part!("place")])
}

/// Returns the kernel that checks the objects of a batch of updates. Given as for
/// [`Source::Lists`]. A thread has an update.
pub fn check(threads: u32) -> Shader {
    kernel(threads, &[INDEX, LISTS, UPDATE, part!("check")])
}

/// Returns the kernel that stamps the last updates of objects. Given: those of the source. A thread
/// has an update.
pub fn stamp(threads: u32, source: Source) -> Shader {
    kernel(threads, &[INDEX, source.text(), UPDATE, part!("stamp")])
}

/// Returns the kernel that stores the last updates in tables. Given as for [`Source::Lists`], with
/// the set of objects in the last word; then the tables of both coordinates, their stride and
/// columns.
pub fn planes(threads: u32) -> Shader {
    kernel(threads, &[INDEX, LISTS, UPDATE, part!("planes")])
}

/// Returns the kernel that stores the last updates in the index, or without heads of buckets in the
/// objects alone. Given: those of the source; it leaves stamps of zero.
pub fn change(threads: u32, source: Source) -> Shader {
    kernel(threads, &[INDEX, source.text(), UPDATE, part!("change")])
}

/// Returns the kernel that finds the objects in rectangles. Given: the records, how many there is
/// room for, their counter, which a mark follows, the word with the first phase that is not due;
/// the rectangles, the workgroups of each, the phase, an unused word; both coordinates of the first
/// corners and of the second ones.
pub fn ranges(threads: u32) -> Shader {
    kernel(threads, &[INDEX, WALK, RECTANGLE, RECORDS, part!("ranges")])
}

/// Returns the kernel that counts the objects in rectangles and adds their hashes. Given: the sums,
/// how many there are, the numbers of queries, an unused word; then as for [`ranges`].
pub fn sums(threads: u32) -> Shader {
    kernel(threads, &[INDEX, WALK, RECTANGLE, part!("sums")])
}

/// Returns the kernel that begins a search for nearest objects. Given: the records, how many there
/// is room for, their counter, an unused word; both coordinates of the points, their radii, marks
/// of the finished ones; the points, the wanted objects. A thread has a point.
pub fn begin(threads: u32) -> Shader {
    kernel(threads, &[INDEX, WALK, NEAR, "fn meet(idx: u32, at: vec2<i32>) {}\n", part!("begin")])
}

/// Returns the kernel that widens circles with too few objects. Given as for [`begin`]. A workgroup
/// has a point.
pub fn widen(threads: u32) -> Shader {
    kernel(threads, &[INDEX, WALK, NEAR, part!("widen")])
}

/// Returns the kernel that finds the objects in circles. Given as for [`begin`]. A workgroup has a
/// point.
pub fn circles(threads: u32) -> Shader {
    kernel(threads, &[INDEX, WALK, NEAR, RECORDS, part!("circles")])
}

/// Returns the kernel that sorts runs of records, one for each workgroup. Given: the records, how
/// many there are, the sorted ones. A thread has a record.
pub fn sort(threads: u32) -> Shader {
    kernel(threads, &[ORDER, part!("sort")])
}

/// Returns the kernel that merges pairs of runs. Given as for [`sort`]; then the length of a run. A
/// thread has a record.
pub fn merge(threads: u32) -> Shader {
    kernel(threads, &[ORDER, part!("merge")])
}

/// Returns the kernel that lists questions and objects of the first sorted records of each
/// question. Given: the records, how many there are, both lists; the records of a question. A
/// thread has a record.
pub fn take(threads: u32) -> Shader {
    kernel(threads, &[ORDER, part!("take")])
}

/// Returns the kernel that lists questions and objects of all records. Given: the records, how many
/// there are, both lists. A thread has a record.
pub fn split(threads: u32) -> Shader {
    kernel(threads, &[part!("split")])
}

/// Returns all kernels with their names.
pub fn all(threads: u32) -> [(&'static str, Shader); 21] {
    [
        ("fill", fill(threads)),
        ("bounds", bounds(threads)),
        ("tiles", tiles(threads)),
        ("count", count(threads)),
        ("reserve", reserve(threads)),
        ("place", place(threads)),
        ("check", check(threads)),
        ("stamp", stamp(threads, Source::Lists)),
        ("stream-stamp", stamp(threads, Source::Stream)),
        ("planes", planes(threads)),
        ("change", change(threads, Source::Lists)),
        ("stream-change", change(threads, Source::Stream)),
        ("ranges", ranges(threads)),
        ("sums", sums(threads)),
        ("begin", begin(threads)),
        ("widen", widen(threads)),
        ("circles", circles(threads)),
        ("sort", sort(threads)),
        ("merge", merge(threads)),
        ("take", take(threads)),
        ("split", split(threads)),
    ]
}

fn kernel(threads: u32, parts: &[&str]) -> Shader {
    let constants = [
        ("THREADS", threads),
        ("SLOTS", SLOTS),
        ("LANES", threads.min(SLOTS)),
        ("GONE", GONE),
        ("FIRST_REMOVAL", FIRST_REMOVAL),
        ("STAMP", 1),
        ("X", 2),
        ("MOST_RECORDS", MOST_RECORDS),
        ("WAITS", WAITS),
        // One more is no place.
        ("NO_PLACE", u32::MAX),
        ("FULL", FULL),
        ("WRONG", WRONG),
        ("OUTCOME", OUTCOME),
        ("UNKNOWN_FIRST", UNKNOWN_FIRST),
        ("OUTCOMES", OUTCOMES),
        ("IN_PLACE", Outcome::InPlace as u32),
        ("SPLIT", Outcome::Split as u32),
        ("INSERTED", Outcome::Inserted as u32),
        ("REMOVED", Outcome::Removed as u32),
        ("UNKNOWN", Outcome::Unknown as u32),
    ];
    let constants = constants.map(|(name, value)| format!("const {name} = {value}u;\n")).concat();
    let head = [&*constants, GIVEN, WIDE];
    Shader { limb: Limb::Joined, body: head.into_iter().chain(parts.iter().copied()).collect() }
}
