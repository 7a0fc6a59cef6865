//! Patterns and vector code decode the same leaves.

use super::super::Leaf;
use super::super::decode::{BlockLeaves, Scan, scan_by_patterns};
use super::{decoded, one, random_tree};

#[test]
fn patterns_and_native_code_decode_the_same_leaves() {
    for levels in 1..=17 {
        for share in [1, 2, 4, 16, 1 << 10] {
            let tree = random_tree(levels, (1_usize << levels).div_ceil(share), 5);
            let leaves = decoded(&tree, one());
            let (mut indices, mut of) = (vec![0; leaves.len()], vec![0; leaves.len()]);
            let (depth, bits) = (tree.depth(), tree.bits());
            let limbs = 0..bits.len();
            scan_by_patterns(Scan { depth, bits, limbs, indices: &mut indices, levels: &mut of });
            let found = indices.iter().zip(&of).map(|(&index, &level)| Leaf {
                node: depth.node(u64::from(index)).unwrap(),
                level: u32::from(level),
            });
            assert!(leaves.iter().copied().eq(found), "depth {levels}, one of {share}");
            // Block by block, with leaves that are wider than a block.
            let mut block = BlockLeaves::EMPTY;
            let mut by_blocks = Vec::new();
            for idx in 0..tree.depth().n_bits().div_ceil(512) {
                let n = tree.decode_block(idx, &mut block);
                by_blocks.extend_from_slice(&block.indices[..n]);
            }
            assert!(by_blocks == indices, "depth {levels}, one of {share}");
        }
    }
}
