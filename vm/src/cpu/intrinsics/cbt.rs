//! The routines of module `cbt`, with a [`Tree`] in the handle.

use star_intrinsics::LineOrder;
use star_intrinsics::cbt::{Depth, Heap, LEVEL_BITS, Node, Tree, TreeError};

use super::{IntrinsicCall, IntrinsicResult, NotTaken, Target};

impl From<TreeError> for NotTaken {
    /// The Star body reports the error.
    fn from(_: TreeError) -> Self {
        NotTaken::declined()
    }
}

/// Stores a new tree of a given depth.
fn make(
    call: &mut IntrinsicCall,
    idx: usize,
    depth: Depth,
    make: impl FnOnce(&mut IntrinsicCall) -> IntrinsicResult<Tree>,
) -> IntrinsicResult {
    // The tree, and the two fields that it represents.
    call.reserve(Tree::most_bytes(depth) + 16 * depth.n_limbs() as u64)?;
    let tree = make(call)?;
    call.put_state(idx, tree)
}

/// Returns the node that an integer parameter identifies.
fn node(call: &IntrinsicCall, idx: usize, tree: &Tree) -> IntrinsicResult<Node> {
    let index = u64::try_from(call.int(idx)?).ok();
    index.and_then(|index| tree.depth().node(index)).ok_or_else(NotTaken::declined)
}

/// `CBT_INIT(D,d,H)`
pub(super) fn init(call: &mut IntrinsicCall) -> IntrinsicResult {
    let (depth, level) = (Depth::new(call.int(0)?)?, call.size(1)?);
    let level = u32::try_from(level).map_err(|_| NotTaken::declined())?;
    make(call, 2, depth, |_| Ok(Tree::at_level(depth, level)?))
}

/// `CBT_OF(B,H)`
pub(super) fn of(call: &mut IntrinsicCall) -> IntrinsicResult {
    let depth = Depth::of_bits(call.bits(0)?.len())?;
    make(call, 1, depth, |call| Ok(Tree::of_bits(depth, call.bits(0)?.limbs())?))
}

/// `CBT_FIELD(H,B)`
pub(super) fn field(call: &mut IntrinsicCall) -> IntrinsicResult {
    let tree = call.state::<Tree>(0)?;
    let mut bits = call.reserve_bits(1, tree.depth().n_bits())?;
    bits.limbs_mut().iter_mut().zip(tree.live_bits()).for_each(|(to, limb)| *to = limb);
    call.put_bits(1, bits)
}

/// Changes the node `k` of `…(k,H)`.
fn change_node<R>(
    call: &mut IntrinsicCall,
    change: impl FnOnce(&Tree, Node) -> R,
) -> IntrinsicResult<R> {
    let node = node(call, 0, &*call.state::<Tree>(1)?)?;
    call.own_state::<Tree>(1)?;
    call.change_state(1, |tree: &mut Tree, _| Ok(change(tree, node)))
}

/// `CBT_SPLIT(k,H,done)`
pub(super) fn split(call: &mut IntrinsicCall) -> IntrinsicResult {
    let done = change_node(call, Tree::split)?;
    call.put_truth(2, done)
}

/// `CBT_MERGE(k,H,done)`
pub(super) fn merge(call: &mut IntrinsicCall) -> IntrinsicResult {
    let done = change_node(call, Tree::merge)?;
    call.put_truth(2, done)
}

/// `CBT_SPLIT_RAW(k,H)`
pub(super) fn split_raw(call: &mut IntrinsicCall) -> IntrinsicResult {
    change_node(call, Tree::split_raw)
}

/// `CBT_MERGE_RAW(k,H)`
pub(super) fn merge_raw(call: &mut IntrinsicCall) -> IntrinsicResult {
    change_node(call, Tree::merge_raw)
}

/// `CBT_CHANGE(S,M,H,splits,merges)`
pub(super) fn change(call: &mut IntrinsicCall) -> IntrinsicResult {
    // If the field does not encode a tree, the Star body reports it.
    call.state::<Tree>(2)?.check_live()?;
    call.own_state::<Tree>(2)?;
    let environment = call.environment();
    let [splits, merges] = call.change_state(2, |tree: &mut Tree, call| {
        let [splits, merges] = [call.bits(0)?.limbs(), call.bits(1)?.limbs()];
        Ok(tree.change_marked(splits, merges, &environment)?)
    })?;
    call.put_int(3, splits as i64)?;
    call.put_int(4, merges as i64)
}

/// `CBT_REDUCE(H)`
pub(super) fn reduce(call: &mut IntrinsicCall) -> IntrinsicResult {
    call.own_state::<Tree>(0)?;
    let environment = call.environment();
    call.change_state(0, |tree: &mut Tree, _| Ok(tree.reduce(&environment)?))
}

/// `CBT_COUNT(H,k)`
pub(super) fn count(call: &mut IntrinsicCall) -> IntrinsicResult {
    let tree = call.state::<Tree>(0)?;
    let count = tree.count_under(node(call, 1, &tree)?);
    call.put_int(Target::Value, count as i64)
}

/// `CBT_LEAF(H,l,k,d)`
pub(super) fn leaf(call: &mut IntrinsicCall) -> IntrinsicResult {
    let tree = call.state::<Tree>(0)?;
    let leaf = tree.leaf(call.index(1)?).ok_or_else(NotTaken::declined)?;
    call.put_int(2, i64::from(leaf.node.index()))?;
    call.put_int(3, i64::from(leaf.level))
}

/// `CBT_LEAVES(H,K,V)`
pub(super) fn leaves(call: &mut IntrinsicCall) -> IntrinsicResult {
    let tree = call.state::<Tree>(0)?;
    tree.check()?;
    let (n, width) = (tree.count(), tree.depth().levels() as usize + 1);
    let mut indices = call.reserve_table(1, n, width, LineOrder::Columns)?;
    let mut levels = call.reserve_table(2, n, LEVEL_BITS, LineOrder::Columns)?;
    call.reserve(tree.leaf_bytes())?;
    tree.leaf_tables([&mut indices, &mut levels], &call.environment())?;
    call.put_table(1, indices, LineOrder::Columns)?;
    call.put_table(2, levels, LineOrder::Columns)
}

/// `CBT_HEAP(H,P)`
pub(super) fn heap(call: &mut IntrinsicCall) -> IntrinsicResult {
    let tree = call.state::<Tree>(0)?;
    let mut bits = call.reserve_bits(1, 4 * tree.depth().n_bits())?;
    tree.pack(bits.limbs_mut(), &call.environment())?;
    call.put_bits(1, bits)
}

/// `CBT_OF_HEAP(P,H)`
pub(super) fn of_heap(call: &mut IntrinsicCall) -> IntrinsicResult {
    let n_bits = call.bits(0)?.len();
    let depth = Depth::of_bits(n_bits / 4)?;
    if !n_bits.is_multiple_of(4) {
        return Err(NotTaken::declined());
    }
    // A second one for the comparison.
    call.reserve(Heap::most_bytes(depth))?;
    make(call, 1, depth, |call| {
        Ok(Tree::of_heap(depth, call.bits(0)?.limbs(), &call.environment())??)
    })
}
