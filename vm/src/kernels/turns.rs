//! Turns of a loop on a block of limbs, one after another.

use super::lut::Sums;

/// Where a block lies: the same one in every turn, or one further with each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockPlace {
    first: u16,
    /// All ones where it is one further with each turn.
    per_turn: u16,
}

impl BlockPlace {
    /// The block with this number in every turn.
    pub fn fixed(at: u16) -> BlockPlace {
        BlockPlace { first: at, per_turn: 0 }
    }

    /// The block with this number in the first turn, the next one in the second.
    pub fn of_turns(first: u16) -> BlockPlace {
        BlockPlace { first, per_turn: u16::MAX }
    }

    #[inline(always)]
    fn at(self, turn: usize) -> usize {
        usize::from(self.first) + (turn & usize::from(self.per_turn))
    }
}

/// A function of up to three blocks of limbs.
#[derive(Clone, Copy, Debug)]
pub struct BlockOp {
    /// Where the first input is zero, and what changes where it is one.
    zero: Sums,
    change: Sums,
    of: [BlockPlace; 3],
    to: BlockPlace,
    /// Does nothing change with the first input?
    is_of_two: bool,
}

impl BlockOp {
    /// The function with this truth table of the blocks at `of`, of which there are at most three.
    pub fn new(table: u8, of: &[BlockPlace], to: BlockPlace) -> BlockOp {
        // With inputs before the others that do not count.
        let table = match of.len() {
            0 => (table & 1) * 0xff,
            1 => (table & 3) * 0b0101_0101,
            2 => (table & 15) * 0b0001_0001,
            _ => table,
        };
        let mut places = [of.first().copied().unwrap_or(to); 3];
        let n = of.len().min(3);
        places[3 - n..].copy_from_slice(&of[..n]);
        BlockOp {
            zero: Sums::of(table & 15),
            change: Sums::of((table ^ table >> 4) & 15),
            of: places,
            to,
            is_of_two: table & 15 == table >> 4,
        }
    }
}

/// What a turn does.
pub type BlockTurn = Vec<BlockOp>;

#[inline(always)]
pub(super) fn turns(
    ways: &[BlockTurn],
    turns: &[(usize, usize)],
    blocks: &mut [[u64; 8]],
    n_limbs: usize,
) {
    match n_limbs {
        ..=4 => run::<4>(ways, turns, blocks),
        _ => run::<8>(ways, turns, blocks),
    }
}

/// On the first limbs of all blocks. What an operation needs is read before it writes anything, or no vectors come of it.
#[inline(always)]
fn run<const N: usize>(ways: &[BlockTurn], turns: &[(usize, usize)], blocks: &mut [[u64; 8]]) {
    for (turn, (_, way)) in turns.iter().enumerate() {
        for op in &ways[*way] {
            let (zero, change) = (op.zero, op.change);
            let [mut made, mut x, mut y, mut z] = [[0; N]; 4];
            y.copy_from_slice(&blocks[op.of[1].at(turn)][..N]);
            z.copy_from_slice(&blocks[op.of[2].at(turn)][..N]);
            for at in 0..N {
                made[at] = zero.two(y[at], z[at]);
            }
            // Ways of one loop mostly have the same shape, so that this branch is known.
            if !op.is_of_two {
                x.copy_from_slice(&blocks[op.of[0].at(turn)][..N]);
                for at in 0..N {
                    made[at] ^= x[at] & change.two(y[at], z[at]);
                }
            }
            blocks[op.to.at(turn)][..N].copy_from_slice(&made);
        }
    }
}
