//! Slow models, written from the definitions alone: a tree of pointers, and the packed heap bit by
//! bit.

/// A full binary tree.
pub(super) enum Pointers {
    Leaf,
    Inner(Box<[Pointers; 2]>),
}

impl Pointers {
    /// A tree whose leaves are all at one level.
    pub(super) fn at_level(level: u32) -> Pointers {
        match level {
            0 => Pointers::Leaf,
            _ => Pointers::inner([Pointers::at_level(level - 1), Pointers::at_level(level - 1)]),
        }
    }

    fn inner(children: [Pointers; 2]) -> Pointers {
        Pointers::Inner(Box::new(children))
    }

    /// The node with a heap index, by the path encoded in its bits.
    fn node(&mut self, index: u64) -> Option<&mut Pointers> {
        let mut at = self;
        for place in (0..index.ilog2()).rev() {
            match at {
                Pointers::Leaf => return None,
                Pointers::Inner(children) => at = &mut children[(index >> place & 1) as usize],
            }
        }
        Some(at)
    }

    /// Splits a leaf above the depth.
    pub(super) fn split(&mut self, index: u64, depth: u32) -> bool {
        match self.node(index) {
            Some(node @ Pointers::Leaf) if index.ilog2() < depth => {
                *node = Pointers::inner([Pointers::Leaf, Pointers::Leaf]);
                true
            }
            _ => false,
        }
    }

    /// Merges two leaves.
    pub(super) fn merge(&mut self, index: u64) -> bool {
        let Some(node) = self.node(index) else { return false };
        let Pointers::Inner(children) = &*node else { return false };
        let merges = matches!(**children, [Pointers::Leaf, Pointers::Leaf]);
        if merges {
            *node = Pointers::Leaf;
        }
        merges
    }

    /// Heap indices of the leaves from left to right.
    pub(super) fn leaves(&self) -> Vec<u64> {
        let mut leaves = Vec::new();
        self.visit(1, &mut |index, is_leaf| {
            if is_leaf {
                leaves.push(index);
            }
        });
        leaves
    }

    fn visit(&self, index: u64, each: &mut impl FnMut(u64, bool)) {
        each(index, matches!(self, Pointers::Leaf));
        if let Pointers::Inner(children) = self {
            children[0].visit(2 * index, each);
            children[1].visit(2 * index + 1, each);
        }
    }
}

/// The packed heap of leaves, by the definition of its elements: one `bool` per bit.
pub(super) fn heap(depth: u32, leaves: &[u64]) -> Vec<bool> {
    let n_bits = 4_usize << depth;
    let mut bits = vec![false; n_bits];
    bits[depth as usize] = true;
    let mut counts = vec![0_u64; 2 << depth];
    for &leaf in leaves {
        // The bit of the leaf in the field represents it at all lower levels.
        let mut node = leaf << (depth - leaf.ilog2());
        while node > 0 {
            counts[node as usize] += 1;
            node /= 2;
        }
    }
    for (index, &count) in counts.iter().enumerate().skip(1) {
        let level = index.ilog2();
        let width = (depth - level + 1) as usize;
        let start = (2 << level) + index * width;
        for place in 0..width {
            bits[start + place] = count >> place & 1 == 1;
        }
    }
    bits
}

/// Bits as limbs.
pub(super) fn limbs(bits: &[bool]) -> Vec<u64> {
    let limb = |bits: &[bool]| {
        bits.iter().enumerate().fold(0, |limb, (place, &bit)| limb | u64::from(bit) << place)
    };
    bits.chunks(64).map(limb).collect()
}
