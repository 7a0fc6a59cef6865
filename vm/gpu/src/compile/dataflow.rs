//! A forward dataflow analysis over basic blocks, by a worklist (Kildall 1973).

use std::collections::BTreeSet;
use std::ops::Range;

use super::registers::BasicBlock;

/// Returns the state at the beginning of each block that holds on all paths to it; `None` for an
/// unreachable block. `transfer` applies the instructions of a block to a state; `meet` intersects
/// a state with that of another path and returns whether it changed.
pub(super) fn on_all_paths<S: Clone>(
    blocks: &[BasicBlock],
    entry: S,
    mut transfer: impl FnMut(Range<usize>, &mut S),
    meet: impl Fn(&mut S, &S) -> bool,
) -> Vec<Option<S>> {
    let mut before: Vec<Option<S>> = vec![None; blocks.len()];
    // In program order, the paths that meet at a block are merged before it is passed.
    let mut work = BTreeSet::new();
    if let Some(first) = before.first_mut() {
        *first = Some(entry);
        work.insert(0);
    }
    while let Some(idx) = work.pop_first() {
        let (Some(mut known), block) = (before[idx].clone(), &blocks[idx]) else { continue };
        transfer(block.start..block.end, &mut known);
        for &next in &block.successors {
            let changed = match &mut before[next] {
                place @ None => {
                    *place = Some(known.clone());
                    true
                }
                Some(place) => meet(place, &known),
            };
            if changed {
                work.insert(next);
            }
        }
    }
    before
}
