//! Sets of small numbers as bits.

/// A set of small numbers.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    /// Returns the empty set, with space for numbers below `n`.
    pub(super) fn new(n: usize) -> Self {
        Bits(vec![0; n.div_ceil(64)])
    }

    pub(super) fn insert(&mut self, number: usize) {
        if number / 64 >= self.0.len() {
            self.0.resize(number / 64 + 1, 0);
        }
        self.0[number / 64] |= 1 << (number % 64);
    }

    pub(super) fn remove(&mut self, number: usize) {
        if let Some(word) = self.0.get_mut(number / 64) {
            *word &= !(1 << (number % 64));
        }
    }

    pub(super) fn contains(&self, number: usize) -> bool {
        self.0.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Adds the members of the other set, which has no more space.
    pub(super) fn join(&mut self, other: &Bits) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word |= other);
    }

    /// Removes the members of the other set.
    pub(super) fn subtract(&mut self, other: &Bits) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word &= !other);
    }

    /// Keeps the members of the other set; returns whether there were others.
    pub(super) fn intersect(&mut self, other: &Bits) -> bool {
        let mut changed = false;
        for (idx, word) in self.0.iter_mut().enumerate() {
            let both = *word & other.0.get(idx).copied().unwrap_or(0);
            changed |= both != *word;
            *word = both;
        }
        changed
    }

    /// Returns the members in ascending order.
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        let words = self.0.iter().enumerate().filter(|(_, word)| **word != 0);
        words.flat_map(|(idx, word)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| idx * 64 + bit)
        })
    }
}
