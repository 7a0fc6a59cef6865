//! Decoding table: the leaves that 16 bits of a field encode.
//!
//! A byte in which only leaves of at most 8 bits begin is a tree of depth 3, and there are 26 of
//! these. Two bytes are one of 26 · 26 pairs, and the entry of a pair holds the distance from the
//! first bit and the width of each leaf. The table fits in the L1 cache, and 16 leaves are computed
//! at once.

/// The leaves of 16 bits.
#[derive(Clone, Copy)]
pub(super) struct Pattern {
    /// Levels of each leaf below the node of 16 bits.
    pub(super) below: [u8; 16],
    /// The heap index of each leaf, minus that of the first node of its level here.
    pub(super) offset: [u8; 16],
}

/// Kinds of bytes: those in which no leaf begins, 26 trees, and all others; rounded up to a power
/// of two for fast multiplication.
const KINDS: usize = 32;
/// A byte that is not a tree.
const NO_TREE: u8 = 27;

/// The kind of each byte.
static KIND: [u8; 256] = kinds();
static PATTERNS: [Pattern; KINDS * KINDS] = patterns().0;
/// The number of leaves of a pattern; 0 if it does not belong to a tree whose leaves all end in
/// these bits.
static COUNTS: [u8; KINDS * KINDS] = patterns().1;

/// Returns the leaves of 16 bits and their number, which is 0 if a leaf extends beyond these bits
/// or if they are not part of a tree.
#[inline(always)]
pub(super) fn pattern(bits: u16) -> (&'static Pattern, usize) {
    let [low, high] = bits.to_le_bytes();
    let pair = KIND[high as usize] as usize * KINDS + KIND[low as usize] as usize;
    (&PATTERNS[pair], COUNTS[pair] as usize)
}

/// The width of the leaf at a bit of `n_bits`, if a leaf begins where its node ends, and it is a
/// node.
const fn width(bits: u32, n_bits: u32, at: u32) -> Option<u32> {
    let mut end = at + 1;
    while end < n_bits && bits >> end & 1 == 0 {
        end += 1;
    }
    let width = end - at;
    if width.is_power_of_two() && at.is_multiple_of(width) { Some(width) } else { None }
}

/// Returns whether the bits encode a tree.
const fn is_tree(bits: u32, n_bits: u32) -> bool {
    let mut at = 0;
    while at < n_bits {
        if bits >> at & 1 == 0 {
            return false;
        }
        match width(bits, n_bits, at) {
            Some(width) => at += width,
            None => return false,
        }
    }
    true
}

const fn kinds() -> [u8; 256] {
    let mut kinds = [NO_TREE; 256];
    let mut next = 1;
    let mut byte = 1;
    kinds[0] = 0;
    while byte < 256 {
        if is_tree(byte as u32, 8) {
            kinds[byte] = next;
            next += 1;
        }
        byte += 1;
    }
    kinds
}

const fn patterns() -> ([Pattern; KINDS * KINDS], [u8; KINDS * KINDS]) {
    let kinds = kinds();
    let none = Pattern { below: [0; 16], offset: [0; 16] };
    let (mut patterns, mut counts) = ([none; KINDS * KINDS], [0; KINDS * KINDS]);
    let mut bits = 1;
    while bits < 1 << 16 {
        if is_tree(bits, 16) {
            let (mut pattern, mut count, mut at) = (none, 0, 0);
            while at < 16 {
                let width = match width(bits, 16, at) {
                    Some(width) => width,
                    None => break,
                };
                pattern.below[count] = (4 - width.ilog2()) as u8;
                pattern.offset[count] = (at / width) as u8;
                count += 1;
                at += width;
            }
            let pair =
                kinds[bits as usize >> 8] as usize * KINDS + kinds[bits as usize & 255] as usize;
            patterns[pair] = pattern;
            counts[pair] = count as u8;
        }
        bits += 1;
    }
    (patterns, counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_of_patterns_equals_number_of_trees() {
        assert_eq!(KIND.iter().filter(|&&kind| (1..NO_TREE).contains(&kind)).count(), 26);
        // 26² + 1 trees of depth 4, including the leaf of 16 bits.
        assert_eq!(COUNTS.iter().filter(|&&count| count > 0).count(), 677);
        assert_eq!((0..=u16::MAX).filter(|&bits| pattern(bits).1 > 0).count(), 677);
    }
}
