//! Consecutive iterations of a loop on a block of limbs.

use super::lut::Sums;

/// Position of a block: the same in every iteration, or advancing by one with each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockPlace {
    first: u16,
    /// All ones if it advances by one with each iteration.
    per_iteration: u16,
}

impl BlockPlace {
    /// Returns the block with this number in every iteration.
    pub fn fixed(at: u16) -> BlockPlace {
        BlockPlace { first: at, per_iteration: 0 }
    }

    /// Returns the block with this number in the first iteration, the next one in the second.
    pub fn of_iterations(first: u16) -> BlockPlace {
        BlockPlace { first, per_iteration: u16::MAX }
    }

    #[inline(always)]
    fn at(self, iteration: usize) -> usize {
        usize::from(self.first) + (iteration & usize::from(self.per_iteration))
    }
}

/// A function of up to three blocks of limbs.
#[derive(Clone, Copy, Debug)]
pub struct BlockOp {
    /// The function where the first input is zero, and the change where it is one.
    zero: Sums,
    change: Sums,
    of: [BlockPlace; 3],
    to: BlockPlace,
    /// Whether the first input is ignored.
    is_of_two: bool,
}

impl BlockOp {
    /// Creates the function with this truth table of the blocks at `of`, of which there are at most
    /// three.
    pub fn new(table: u8, of: &[BlockPlace], to: BlockPlace) -> BlockOp {
        // Adds ignored inputs before the others.
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

/// The operations of an iteration.
pub type BlockIteration = Vec<BlockOp>;

#[inline(always)]
pub(super) fn iterations(
    ways: &[BlockIteration],
    iterations: &[(usize, usize)],
    blocks: &mut [[u64; 8]],
    n_limbs: usize,
) {
    match n_limbs {
        ..=4 => run::<4>(ways, iterations, blocks),
        _ => run::<8>(ways, iterations, blocks),
    }
}

/// Runs the iterations on the first limbs of all blocks. All inputs of an operation are read before
/// it writes, which vectorisation requires.
#[inline(always)]
fn run<const N: usize>(
    ways: &[BlockIteration],
    iterations: &[(usize, usize)],
    blocks: &mut [[u64; 8]],
) {
    for (iteration, (_, way)) in iterations.iter().enumerate() {
        for op in &ways[*way] {
            let (zero, change) = (op.zero, op.change);
            let [mut made, mut x, mut y, mut z] = [[0; N]; 4];
            y.copy_from_slice(&blocks[op.of[1].at(iteration)][..N]);
            z.copy_from_slice(&blocks[op.of[2].at(iteration)][..N]);
            for at in 0..N {
                made[at] = zero.two(y[at], z[at]);
            }
            // The paths of a loop mostly have the same shape, so this branch is well predicted.
            if !op.is_of_two {
                x.copy_from_slice(&blocks[op.of[0].at(iteration)][..N]);
                for at in 0..N {
                    made[at] ^= x[at] & change.two(y[at], z[at]);
                }
            }
            blocks[op.to.at(iteration)][..N].copy_from_slice(&made);
        }
    }
}
