//! The memory that the reading of a file may take.

use std::cell::Cell;
use std::rc::Rc;

/// How much memory may be taken, and how much was asked for. Clones ask together.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    max_bytes: u64,
    /// Taken by something else as long as this is used.
    beside: u64,
    most: Rc<Cell<u64>>,
}

impl From<u64> for Budget {
    fn from(max_bytes: u64) -> Self {
        Budget { max_bytes, beside: 0, most: Rc::default() }
    }
}

impl Budget {
    /// Bytes that may be taken.
    pub(crate) fn max_bytes(&self) -> u64 {
        self.max_bytes
    }

    /// What is left while so many bytes are taken, which may be.
    pub(crate) fn rest(&self, taken: u64) -> Budget {
        let max_bytes = self.max_bytes.saturating_sub(taken);
        Budget { max_bytes, beside: self.beside.saturating_add(taken), most: Rc::clone(&self.most) }
    }

    /// May so many bytes be taken at once? If they may, they count.
    pub(crate) fn allows(&self, n_bytes: u128) -> bool {
        match u64::try_from(n_bytes) {
            Ok(n_bytes) if n_bytes <= self.max_bytes => {
                self.most.set(self.most.get().max(self.beside.saturating_add(n_bytes)));
                true
            }
            Ok(_) | Err(_) => false,
        }
    }

    /// The most bytes that were asked for and allowed: with this budget the file could have been read, too.
    pub(crate) fn most(&self) -> u64 {
        self.most.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_allowed_counts_and_the_most_of_it_is_kept() {
        let budget = Budget::from(100);
        let other = budget.clone();
        assert!(budget.allows(70) && other.allows(100) && other.allows(3));
        assert!(!budget.allows(101) && !budget.allows(u128::MAX));
        assert_eq!((budget.most(), budget.max_bytes()), (100, 100));
    }

    #[test]
    fn what_is_taken_beside_counts_too() {
        let budget = Budget::from(100);
        let rest = budget.rest(60);
        assert!(rest.allows(30) && !rest.allows(41));
        assert_eq!((budget.most(), rest.max_bytes()), (90, 40));
    }
}
