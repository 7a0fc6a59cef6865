//! Memory budget for reading a file.

use std::cell::Cell;
use std::rc::Rc;

/// A limit on memory and the peak use under it. Clones share the peak.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    max_bytes: u64,
    /// Bytes in use elsewhere for as long as this budget is used.
    beside: u64,
    most: Rc<Cell<u64>>,
}

impl From<u64> for Budget {
    fn from(max_bytes: u64) -> Self {
        Budget { max_bytes, beside: 0, most: Rc::default() }
    }
}

impl Budget {
    /// The limit in bytes.
    pub(crate) fn max_bytes(&self) -> u64 {
        self.max_bytes
    }

    /// Returns the budget that remains while `taken` bytes are in use.
    pub(crate) fn rest(&self, taken: u64) -> Budget {
        let max_bytes = self.max_bytes.saturating_sub(taken);
        Budget { max_bytes, beside: self.beside.saturating_add(taken), most: Rc::clone(&self.most) }
    }

    /// Returns whether `n_bytes` fit at once; if they do, they count towards the peak.
    pub(crate) fn allows(&self, n_bytes: u128) -> bool {
        match u64::try_from(n_bytes) {
            Ok(n_bytes) if n_bytes <= self.max_bytes => {
                self.most.set(self.most.get().max(self.beside.saturating_add(n_bytes)));
                true
            }
            Ok(_) | Err(_) => false,
        }
    }

    /// The peak of the allowed requests: this budget would also have sufficed to read the file.
    pub(crate) fn most(&self) -> u64 {
        self.most.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peak_counts_only_allowed_requests() {
        let budget = Budget::from(100);
        let other = budget.clone();
        assert!(budget.allows(70) && other.allows(100) && other.allows(3));
        assert!(!budget.allows(101) && !budget.allows(u128::MAX));
        assert_eq!((budget.most(), budget.max_bytes()), (100, 100));
    }

    #[test]
    fn peak_includes_bytes_in_use_elsewhere() {
        let budget = Budget::from(100);
        let rest = budget.rest(60);
        assert!(rest.allows(30) && !rest.allows(41));
        assert_eq!((budget.most(), rest.max_bytes()), (90, 40));
    }
}
