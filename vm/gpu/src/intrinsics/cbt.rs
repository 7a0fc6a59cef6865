//! The routines of module `cbt`. The fields of the tree are the tables of the handle; the rank
//! directory of that of the last reduction is a part next to them ([`DIRECTORY`]), which is
//! computed where it is missing.

use star_base::intrinsics::catalogue::cbt::PARTS;
use star_shaders::intrinsics::cbt::{self, Act, Groups, NOTES};
use star_vm::Declined;

use super::work::{Executor, Work};
use super::{IntrinsicResult, NotTaken};
use crate::derived::DIRECTORY;
use crate::grid::Launch;
use crate::run::{Call, Placed, Reserved};
use crate::value::ObjectKind;

const LIVE: &str = PARTS[0];
const REDUCED: &str = PARTS[1];
/// The greatest depth.
const MOST_LEVELS: u32 = 30;
/// The greatest depth of a tree whose packed heap is a slice of the device.
const MOST_LEVELS_OF_HEAP: u32 = 28;
/// Bits of a level in a table of leaves.
const LEVEL_BITS: u64 = 5;
/// The handle holds no tree, or an argument is invalid: the body reports it.
const INVALID: NotTaken = NotTaken::Declined(Declined::Guard);

/// A tree in a handle.
#[derive(Clone, Copy, Debug)]
struct Tree {
    /// The number of the parameter.
    param: usize,
    depth: u32,
    live: Placed,
    reduced: Placed,
    directory: Option<Placed>,
}

/// A new tree.
struct NewTree {
    depth: u32,
    live: Reserved,
    reduced: Reserved,
    directory: Reserved,
}

/// `CBT_INIT(D,d,H)`
pub(super) fn init(call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
    let (depth, level) = (call.size(0)?, call.size(1)?);
    if depth > MOST_LEVELS || level > depth {
        return Err(INVALID);
    }
    let tree = NewTree::reserve(call, depth)?;
    let groups = groups(call, depth)?;
    let fill = over_words(call, depth, &[tree.live.at(), 1 << (depth - level)])?;
    let mut launches = fill.launches(call, &cbt::init(groups))?;
    launches.extend(tree.counted(call, tree.live.at(), 0)?);
    call.launch(&launches, limbs(depth))?;
    tree.put(call, 2)
}

/// `CBT_OF(B,H)`
pub(super) fn of(call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
    let field = call.object(0)?;
    let depth = depth_of(field.sizes.rows)?;
    let tree = NewTree::reserve(call, depth)?;
    let launches = tree.counted(call, field.at, 0)?;
    call.launch(&launches, limbs(depth))?;
    total(call, depth, tree.directory.at())?;
    tree.put(call, 1)
}

/// `CBT_FIELD(H,B)`
pub(super) fn field(call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
    let tree = Tree::held(call, 0)?;
    let bits = call.reserve(1, ObjectKind::Slice, [1 << tree.depth, 1])?;
    call.copy(tree.live.at, bits.at(), n_words(tree.depth))?;
    call.put(1, bits)
}

/// `CBT_SPLIT(k,H,done)`
pub(super) fn split(call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
    let done = change_node(call, Act::Split)?;
    call.put_number(2, done)
}

/// `CBT_MERGE(k,H,done)`
pub(super) fn merge(call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
    let done = change_node(call, Act::Merge)?;
    call.put_number(2, done)
}

/// `CBT_SPLIT_RAW(k,H)`
pub(super) fn split_raw(call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
    change_node(call, Act::SplitRaw).map(drop)
}

/// `CBT_MERGE_RAW(k,H)`
pub(super) fn merge_raw(call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
    change_node(call, Act::MergeRaw).map(drop)
}

/// Changes the node `k` of `…(k,H)`; returns whether that took place, as 0 or 1.
fn change_node(call: &mut Call<'_, '_, '_>, act: Act) -> Result<i64, NotTaken> {
    let tree = Tree::held(call, 1)?;
    let node = tree.node(call, 0)?;
    let notes = call.notes(NOTES)?;
    let given = vec![tree.live.at, node, act as u32, notes];
    let work = Work { head: [tree.depth, 0], n_groups: 1, limbs: 1, given };
    let launches = work.launches(call, &cbt::node())?;
    call.launch(&launches, 1)?;
    Ok(call.words::<1>(notes)?[0].into())
}

/// `CBT_CHANGE(S,M,H,splits,merges)`
pub(super) fn change(call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
    let tree = Tree::held(call, 2)?;
    let (splits, merges) = (call.object(0)?, call.object(1)?);
    let live = call.reserve_part([1 << tree.depth, 1])?;
    let directory = tree.reserve_directory(call)?;
    let notes = call.notes(NOTES)?;
    let groups = groups(call, tree.depth)?;
    let given = [tree.live.at, splits.at, merges.at, live.at(), notes];
    let work = over_words(call, tree.depth, &given)?;
    let changed = work.launches(call, &cbt::change(groups))?;
    let counted = tree.counted(call, live.at(), directory)?;
    call.launch(&changed, 2 * limbs(tree.depth))?;
    let [n_splits, n_merges, n_wrong] = call.words(notes)?;
    if n_wrong != 0 {
        return Err(INVALID);
    }
    tree.begin_reduce(call)?;
    call.launch(&counted, limbs(tree.depth))?;
    call.put_part(2, LIVE, live)?;
    tree.end_reduce(call, directory)?;
    call.put_number(3, n_splits.into())?;
    call.put_number(4, n_merges.into())
}

/// `CBT_REDUCE(H)`
pub(super) fn reduce(call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
    let tree = Tree::held(call, 0)?;
    let directory = tree.reserve_directory(call)?;
    let launches = tree.counted(call, tree.live.at, directory)?;
    tree.begin_reduce(call)?;
    call.launch(&launches, limbs(tree.depth))?;
    tree.end_reduce(call, directory)
}

/// `CBT_COUNT(H,k)`
pub(super) fn count(call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
    let tree = Tree::held(call, 0)?;
    let node = tree.node(call, 1)?;
    let (notes, groups) = (call.notes(NOTES)?, groups(call, tree.depth)?);
    let directory = tree.directory(call)?;
    let given = vec![tree.live.at, tree.reduced.at, directory, notes, node];
    let work = Work { head: [tree.depth, 0], n_groups: 1, limbs: 1, given };
    let launches = work.launches(call, &cbt::under(groups))?;
    call.launch(&launches, 1)?;
    let [n] = call.words(notes)?;
    call.put_value(n.into())
}

/// `CBT_LEAF(H,l,k,d)`
pub(super) fn leaf(call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
    let tree = Tree::held(call, 0)?;
    let ordinal = call.size(1)?.checked_sub(1).ok_or(INVALID)?;
    let (notes, groups) = (call.notes(NOTES)?, groups(call, tree.depth)?);
    let directory = tree.directory(call)?;
    let given = vec![tree.reduced.at, directory, ordinal, notes];
    let work = Work { head: [tree.depth, 0], n_groups: 1, limbs: 1, given };
    let launches = work.launches(call, &cbt::ordinal(groups))?;
    call.launch(&launches, 1)?;
    let [is_found, node, level] = call.words(notes)?;
    if is_found == 0 {
        return Err(INVALID);
    }
    call.put_number(2, node.into())?;
    call.put_number(3, level.into())
}

/// `CBT_LEAVES(H,K,V)`
pub(super) fn leaves(call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
    let tree = Tree::held(call, 0)?;
    let directory = tree.directory(call)?;
    let n = total(call, tree.depth, directory)?.into();
    let width = u64::from(tree.depth) + 1;
    let indices = call.reserve(1, ObjectKind::Table, [n, width])?;
    let levels = call.reserve(2, ObjectKind::Table, [n, LEVEL_BITS])?;
    let groups = groups(call, tree.depth)?;
    let tables = [indices, levels].map(|table| [table.at(), table.sizes.stride()]);
    let given = [&[tree.reduced.at, directory, 0, 0], tables.as_flattened()].concat();
    let n_groups = n_words(tree.depth).div_ceil(groups.leaves);
    let per_group = u64::from(groups.leaves) * 16;
    let work = Work { head: [tree.depth, 0], n_groups, limbs: per_group, given };
    let launches = work.launches(call, &cbt::leaves(groups))?;
    call.launch(&launches, n * (width + LEVEL_BITS) / 64 + limbs(tree.depth))?;
    call.put(1, indices)?;
    call.put(2, levels)
}

/// `CBT_HEAP(H,P)`
pub(super) fn heap(call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
    let tree = Tree::held(call, 0)?;
    if tree.depth > MOST_LEVELS_OF_HEAP {
        return Err(NotTaken::Declined(Declined::Range));
    }
    let heap = call.reserve(1, ObjectKind::Slice, [4 << tree.depth, 1])?;
    let directory = tree.directory(call)?;
    let given = [tree.live.at, tree.reduced.at, directory, heap.at(), 0, 0, 1 << tree.depth, 0];
    let launches = packed(call, tree.depth, &given)?;
    call.launch(&launches, 8 * limbs(tree.depth))?;
    call.put(1, heap)
}

/// `CBT_OF_HEAP(P,H)`
pub(super) fn of_heap(call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
    let heap = call.object(0)?;
    let depth = depth_of(heap.sizes.rows / 4)?;
    let [first] = call.words(heap.at)?;
    // The depth may also be marked by bit D + 2, as in the text of [000].
    let marker = first & ((8 << depth) - 1);
    let is_marked = marker == 1 << depth || marker == 4 << depth;
    if !heap.sizes.rows.is_multiple_of(4) || depth > MOST_LEVELS_OF_HEAP || !is_marked {
        return Err(INVALID);
    }
    let tree = NewTree::reserve(call, depth)?;
    let notes = call.notes(NOTES)?;
    // The field is the last quarter.
    let begin = 3 << depth;
    let mut launches = tree.counted(call, heap.at + begin / u32::BITS, begin % u32::BITS)?;
    let [live, reduced, directory] = [tree.live.at(), tree.reduced.at(), tree.directory.at()];
    let given = [live, reduced, directory, 0, heap.at, notes, marker, 0];
    launches.extend(packed(call, depth, &given)?);
    call.launch(&launches, 8 * limbs(depth))?;
    total(call, depth, directory)?;
    match call.words::<1>(notes)? {
        [0] => tree.put(call, 1),
        [_] => Err(INVALID),
    }
}

/// Returns the dispatches that pack a heap, or compare with one.
fn packed(call: &mut Call<'_, '_, '_>, depth: u32, given: &[u32]) -> Result<Vec<Launch>, NotTaken> {
    let groups = groups(call, depth)?;
    let n_groups = (4_u32 << depth).div_ceil(u32::BITS * groups.words);
    let limbs = 8 * u64::from(groups.words);
    let work = Work { head: [depth, 0], n_groups, limbs, given: given.into() };
    work.launches(call, &cbt::heap(groups))
}

impl Tree {
    /// Returns the tree in a parameter.
    fn held(call: &Call<'_, '_, '_>, param: usize) -> Result<Tree, NotTaken> {
        let part = |name: &str| call.part(param, name)?.ok_or(INVALID);
        let (live, reduced) = (part(LIVE)?, part(REDUCED)?);
        if live.sizes != reduced.sizes || live.sizes.columns != 1 {
            return Err(INVALID);
        }
        let depth = depth_of(live.sizes.rows)?;
        Ok(Tree { param, depth, live, reduced, directory: call.part(param, DIRECTORY.name)? })
    }

    /// Returns the node that an integer parameter identifies.
    fn node(&self, call: &Call<'_, '_, '_>, param: usize) -> Result<u32, NotTaken> {
        let node = call.size(param)?;
        if (1..2 << self.depth).contains(&node) { Ok(node) } else { Err(INVALID) }
    }

    /// Returns the rank directory, which is computed if it is missing.
    fn directory(&self, call: &mut Call<'_, '_, '_>) -> Result<u32, NotTaken> {
        if let Some(directory) = self.directory {
            return Ok(directory.at);
        }
        let directory = reserve_directory(call, self.depth)?;
        let launches = counted(call, (self.reduced.at, 0), [0; 2], self.depth, directory.at())?;
        call.launch(&launches, limbs(self.depth))?;
        call.put_part(self.param, DIRECTORY.name, directory)?;
        Ok(directory.at())
    }

    /// Reserves memory for the directory, if there is none.
    fn reserve_directory(&self, call: &mut Call<'_, '_, '_>) -> Result<Option<Reserved>, NotTaken> {
        match self.directory {
            Some(_) => Ok(None),
            None => reserve_directory(call, self.depth).map(Some),
        }
    }

    /// Returns the dispatches that reduce a field into this tree.
    fn counted(
        &self,
        call: &mut Call<'_, '_, '_>,
        field: u32,
        directory: Option<Reserved>,
    ) -> Result<Vec<Launch>, NotTaken> {
        let held = self.directory.map(|directory| directory.at);
        let directory = held.or(directory.map(|new| new.at())).ok_or(INVALID)?;
        counted(call, (field, 0), [self.reduced.at, 0], self.depth, directory)
    }

    /// The directory is invalid while the field and it are overwritten.
    fn begin_reduce(&self, call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
        match self.directory {
            Some(_) => call.unset_part(self.param, DIRECTORY.name),
            None => Ok(()),
        }
    }

    fn end_reduce(
        &self,
        call: &mut Call<'_, '_, '_>,
        directory: Option<Reserved>,
    ) -> IntrinsicResult {
        match directory {
            Some(new) => call.put_part(self.param, DIRECTORY.name, new),
            None => call.set_part(self.param, DIRECTORY.name),
        }
    }
}

impl NewTree {
    fn reserve(call: &mut Call<'_, '_, '_>, depth: u32) -> Result<NewTree, NotTaken> {
        let (live, reduced) =
            (call.reserve_part([1 << depth, 1])?, call.reserve_part([1 << depth, 1])?);
        Ok(NewTree { depth, live, reduced, directory: reserve_directory(call, depth)? })
    }

    /// Returns the dispatches that copy a field into this tree; `shift` is the number of bits
    /// before it in its only word.
    fn counted(
        &self,
        call: &mut Call<'_, '_, '_>,
        field: u32,
        shift: u32,
    ) -> Result<Vec<Launch>, NotTaken> {
        let live = if field == self.live.at() { 0 } else { self.live.at() };
        let copies = [live, self.reduced.at()];
        counted(call, (field, shift), copies, self.depth, self.directory.at())
    }

    fn put(self, call: &mut Call<'_, '_, '_>, param: usize) -> IntrinsicResult {
        call.unset_other_modules(param)?;
        call.put_part(param, LIVE, self.live)?;
        call.put_part(param, REDUCED, self.reduced)?;
        call.put_part(param, DIRECTORY.name, self.directory)
    }
}

fn reserve_directory(call: &mut Call<'_, '_, '_>, depth: u32) -> Result<Reserved, NotTaken> {
    let words = groups(call, depth)?.directory_words(depth);
    call.reserve_part([u64::from(words) * u64::from(u32::BITS), 1])
}

/// Returns the dispatches that copy a field, and write its rank directory.
pub(super) fn counted(
    call: &mut Call<'_, '_, '_>,
    (field, shift): (u32, u32),
    [live, reduced]: [u32; 2],
    depth: u32,
    directory: u32,
) -> Result<Vec<Launch>, NotTaken> {
    let groups = groups(call, depth)?;
    let given = vec![field, shift, live, reduced, directory];
    let limbs = u64::from(groups.tile_blocks * cbt::BLOCK_BITS / u64::BITS);
    let work = Work { head: [depth, 0], n_groups: groups.n_tiles(depth), limbs, given };
    let mut launches = work.launches(call, &cbt::count(groups))?;
    let sums = Work { n_groups: 1, ..work };
    launches.extend(sums.launches(call, &cbt::scan(groups))?);
    Ok(launches)
}

/// Returns the number of leaves in a directory; the body runs if the field encodes no tree.
fn total(call: &mut Call<'_, '_, '_>, depth: u32, directory: u32) -> Result<u32, NotTaken> {
    let total = groups(call, depth)?.total(depth);
    match call.words(directory + total)? {
        [n, 0] => Ok(n),
        [_, _] => Err(INVALID),
    }
}

/// Returns the sizes of workgroups; the body runs if the device has too little shared memory.
pub(super) fn groups(call: &mut Call<'_, '_, '_>, depth: u32) -> Result<Groups, NotTaken> {
    let grid = call.grid()?;
    let groups = match depth {
        _ if grid.has_small_groups() => Groups::SMALL,
        ..=Groups::SHALLOW_LEVELS => Groups::SHALLOW,
        _ => Groups::USUAL,
    };
    match groups.shared_bytes() <= grid.shared_bytes() {
        true => Ok(groups),
        false => Err(NotTaken::Declined(Declined::Body)),
    }
}

/// Returns the depth of a field of this number of bits.
pub(super) fn depth_of(n_bits: u32) -> Result<u32, NotTaken> {
    let depth = n_bits.checked_ilog2().filter(|depth| n_bits == 1 << depth);
    depth.filter(|depth| (1..=MOST_LEVELS).contains(depth)).ok_or(INVALID)
}

/// Returns the words of a field.
pub(super) fn n_words(depth: u32) -> u32 {
    (1_u32 << depth).div_ceil(u32::BITS)
}

/// Returns the limbs of a field.
pub(super) fn limbs(depth: u32) -> u64 {
    (1_u64 << depth).div_ceil(u64::BITS.into())
}

/// Returns a kernel whose threads have a word of the field each.
fn over_words(call: &mut Call<'_, '_, '_>, depth: u32, given: &[u32]) -> Result<Work, NotTaken> {
    let threads = groups(call, depth)?.words;
    let (n_groups, limbs) = (n_words(depth).div_ceil(threads), u64::from(threads) * 2);
    Ok(Work { head: [depth, 0], n_groups, limbs, given: given.into() })
}
