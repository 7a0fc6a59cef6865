//! Turns of a loop on a block of limbs, one after another.

use super::lut::{BlockOp, blocks};

/// What a turn does with blocks that lie in slots, and with the columns that are its own.
#[derive(Clone, Debug, Default)]
pub struct BlockTurn {
    /// Its columns, and the slots that they are loaded into.
    pub loads: Vec<(u8, u8)>,
    /// Its functions.
    pub ops: Vec<BlockOp>,
    /// Slots, and the columns that they are stored to.
    pub stores: Vec<(u8, u8)>,
    /// Slots, and those that the next turn finds them in.
    pub carried: Vec<(u8, u8)>,
}

#[inline(always)]
pub(super) fn turns(
    ways: &[BlockTurn],
    turns: &[(usize, usize)],
    slots: &mut [[u64; 8]],
    columns: &mut [[u64; 8]],
) {
    for (turn, (_, way)) in turns.iter().enumerate() {
        let BlockTurn { loads, ops, stores, carried } = &ways[*way];
        for (column, slot) in loads {
            slots[usize::from(*slot)] = columns[usize::from(*column) * turns.len() + turn];
        }
        blocks(ops, slots);
        for (slot, column) in stores {
            columns[usize::from(*column) * turns.len() + turn] = slots[usize::from(*slot)];
        }
        for (slot, to) in carried {
            slots[usize::from(*to)] = slots[usize::from(*slot)];
        }
    }
}
