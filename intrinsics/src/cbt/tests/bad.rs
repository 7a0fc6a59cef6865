//! Tests of invalid input.

use super::super::{Depth, Heap, Tree, TreeError};
use super::{depth, one, random_tree};

#[test]
fn depths_are_from_1_to_30() {
    for levels in [i64::MIN, -1, 0, 31, 1 << 32, i64::MAX] {
        assert_eq!(Depth::new(levels), Err(TreeError::Depth(levels)));
    }
    for n_bits in [0, 1, 3, 1 << 31, usize::MAX] {
        assert_eq!(Depth::of_bits(n_bits), Err(TreeError::Length { n_bits }));
    }
    assert_eq!(Depth::of_bits(1 << 30), Ok(Depth::MAX));
    let level = Tree::at_level(depth(4), 5).map(|_| ());
    assert_eq!(level, Err(TreeError::Level { level: 5, depth: 4 }));
    assert_eq!(depth(4).node(0), None);
    assert_eq!(depth(4).node(32), None);
    assert_eq!(Depth::MAX.node(1 << 32), None);
}

#[test]
fn rejects_fields_that_code_no_tree_at_the_first_bad_leaf() {
    let tree = |levels, bits: &[u64]| Tree::of_bits(depth(levels), bits).map(|_| ());
    let refused = |bit| Err(TreeError::NoTree { bit });
    assert_eq!(tree(3, &[0b1111_1111]), Ok(()));
    assert_eq!(tree(3, &[0b0011_0001]), refused(5)); // three bits wide
    assert_eq!(tree(3, &[0b0001_0110]), refused(0));
    assert_eq!(tree(3, &[0b0000_1011]), refused(1)); // two bits from an odd position
    assert_eq!(tree(3, &[0b0001_0001_0001]), refused(8)); // after the field
    assert_eq!(tree(7, &[1, 0]), Ok(()));
    assert_eq!(tree(7, &[1, 2]), refused(0));
    assert_eq!(tree(7, &[1 | 1 << 63, 0]), refused(0));
}

#[test]
fn rejects_damaged_heaps() {
    let environment = one();
    for levels in [1, 3, 5, 9, 13] {
        let tree = random_tree(levels, 3 << (levels / 2), 9);
        let mut heap = Heap::zeros(tree.depth()).unwrap();
        heap.pack(&tree, environment).unwrap();
        let bytes: Vec<u8> = heap.bytes().collect();
        let read = |bytes: &[u8]| Heap::of_bytes(bytes)?.tree(environment).unwrap().map(|_| ());
        assert_eq!(read(&bytes), Ok(()));
        // Truncated.
        let n_bits = 8 * (bytes.len() - 1);
        if !bytes.len().is_multiple_of(2) || bytes.len() > 2 {
            assert_eq!(read(&bytes[1..]), Err(TreeError::Length { n_bits }));
        }
        assert_eq!(read(&[]), Err(TreeError::Length { n_bits: 0 }));
        // Every single flipped bit. The marker of the text is valid, too.
        for place in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[place / 8] ^= 1 << (place % 8);
            assert!(read(&damaged).is_err(), "depth {levels}, bit {place}");
        }
        let mut marked = bytes;
        let levels = levels as usize;
        marked[levels / 8] ^= 1 << (levels % 8);
        marked[(levels + 2) / 8] ^= 1 << ((levels + 2) % 8);
        assert_eq!(read(&marked), Ok(()));
    }
}
