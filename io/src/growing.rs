//! A list within a budget that grows with the data read, not with the size in a header.

use crate::budget::Budget;

/// A list with a budget.
pub(crate) struct Growing<T> {
    budget: Budget,
    items: Vec<T>,
    item_bytes: u64,
    max_items: usize,
}

/// The number of bytes that the list would have needed.
#[derive(Debug)]
pub(crate) struct OutOfBudget(pub(crate) u128);

impl<T> Growing<T> {
    /// Creates an empty list. Every item uses `item_bytes` of the budget, including the memory of
    /// later steps.
    pub(crate) fn new(budget: &Budget, item_bytes: u64) -> Self {
        let max_items = budget.max_bytes() / item_bytes.max(1);
        Growing {
            budget: budget.clone(),
            items: Vec::new(),
            item_bytes,
            max_items: usize::try_from(max_items).unwrap_or(usize::MAX),
        }
    }

    /// Reserves memory for the `announced` items of a header, but not for more than a file of
    /// `size_hint` bytes can hold, with at least `min_bytes` each. This only saves copying, so a
    /// failure is ignored.
    pub(crate) fn reserve(&mut self, announced: u64, size_hint: Option<u64>, min_bytes: u64) {
        let possible = size_hint.unwrap_or(0) / min_bytes.max(1);
        let wanted = usize::try_from(announced.min(possible)).unwrap_or(usize::MAX);
        let _ = self.items.try_reserve_exact(wanted.min(self.max_items));
    }

    /// Appends an item.
    #[inline]
    pub(crate) fn push(&mut self, item: T) -> Result<(), OutOfBudget> {
        if self.items.len() == self.items.capacity() || self.items.len() >= self.max_items {
            self.grow()?;
        }
        self.items.push(item);
        Ok(())
    }

    #[cold]
    fn grow(&mut self) -> Result<(), OutOfBudget> {
        let len = self.items.len();
        let refused = OutOfBudget((len as u128 + 1) * u128::from(self.item_bytes));
        if len >= self.max_items {
            return Err(refused);
        }
        let target = len.saturating_mul(2).max(64).min(self.max_items);
        let grown = self.items.try_reserve_exact(target - len);
        grown.map_err(|_| refused)
    }

    /// Replaces every item.
    pub(crate) fn fill(&mut self, item: T)
    where
        T: Clone,
    {
        self.items.fill(item);
    }

    /// Returns the items.
    pub(crate) fn as_slice(&self) -> &[T] {
        &self.items
    }

    /// Removes all items.
    pub(crate) fn clear(&mut self) {
        self.items.clear();
    }

    /// Number of items.
    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns the items and records their memory in the budget.
    pub(crate) fn into_vec(self) -> Vec<T> {
        // The number of items is within the budget.
        self.budget.allows(self.items.len() as u128 * u128::from(self.item_bytes));
        self.items
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn item_over_budget_is_rejected() {
        let budget = Budget::from(10 * 8);
        let mut list = Growing::new(&budget, 8);
        for item in 0..10u64 {
            list.push(item).unwrap();
        }
        assert_eq!(list.push(10).unwrap_err().0, 88);
        assert_eq!(list.into_vec(), (0..10).collect::<Vec<u64>>());
        assert_eq!(budget.most(), 80);
    }

    #[test]
    fn header_reserves_only_what_fits_in_the_file() {
        let mut list = Growing::<u64>::new(&Budget::from(u64::MAX), 8);
        list.reserve(u64::MAX, None, 4);
        assert_eq!(list.items.capacity(), 0);
        list.reserve(u64::MAX, Some(40), 4);
        assert_eq!(list.items.capacity(), 10);
    }
}
