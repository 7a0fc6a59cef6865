//! Memory for packed bits: limbs of 64 bits, aligned to lines of 64 bytes, initially zero, with
//! failure of the allocator as an error.

use std::fmt;
use std::ops::{Deref, DerefMut};

use crate::zeros::Zeros;

/// The number of limbs of a line.
const LINE: usize = 8;

/// A list of limbs that is aligned to a line of 64 bytes.
///
/// Note [Lazy zeros]. The allocation requests zeros without additional alignment, and the list
/// begins at the first line inside: with both requests, the allocator would write every zero
/// itself, and a table of gigabytes would use all its pages before it contains a one.
#[derive(Default)]
pub struct Limbs {
    /// Zero before `start` and from `start + len` on; at least [`LINE`]` - 1` longer than `len`
    /// unless nothing was allocated.
    limbs: Zeros<u64>,
    start: usize,
    len: usize,
}

/// The system refuses the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory {
    /// The requested number of bytes.
    pub n_bytes: u128,
}

impl fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the system refuses {} bytes", self.n_bytes)
    }
}

impl std::error::Error for OutOfMemory {}

impl Limbs {
    /// Creates `len` zeros. The system allocates pages of a large list when they are first written.
    ///
    /// # Errors
    /// [`OutOfMemory`]; nothing was allocated then.
    pub fn zeros(len: usize) -> Result<Self, OutOfMemory> {
        if len > 0 && fault::strikes() {
            return Err(OutOfMemory { n_bytes: len as u128 * 8 });
        }
        Limbs::taken(len)
    }

    /// Returns a copy.
    ///
    /// # Errors
    /// [`OutOfMemory`]; nothing was allocated then.
    pub fn try_clone(&self) -> Result<Self, OutOfMemory> {
        let mut copy = Limbs::zeros(self.len)?;
        copy.copy_from_slice(self);
        Ok(copy)
    }

    /// Changes the number of limbs; new ones are zero. A list that grows often should grow by a
    /// constant fraction of its length, since it may be moved.
    ///
    /// # Errors
    /// [`OutOfMemory`]; the list is unchanged then.
    pub fn resize(&mut self, len: usize) -> Result<(), OutOfMemory> {
        let few = len < self.limbs.capacity() / 2 && self.limbs.capacity() > MOST_SPARE;
        if self.len == 0 || few && len == 0 {
            // Untouched zeros cost nothing.
            *self = Limbs::zeros(len)?;
            return Ok(());
        }
        if few {
            let mut smaller = Limbs::zeros(len)?;
            smaller.copy_from_slice(&self[..len]);
            *self = smaller;
            return Ok(());
        }
        let out_of_memory = OutOfMemory { n_bytes: len as u128 * 8 };
        let n_limbs = padded(len).ok_or(out_of_memory)?;
        if n_limbs > self.limbs.len() {
            if len > 0 && fault::strikes() {
                return Err(out_of_memory);
            }
            self.limbs.lengthen(n_limbs).map_err(|_refused| out_of_memory)?;
            self.begin_on_a_line();
        }
        let end = self.start + self.len;
        if len < self.len {
            self.limbs[self.start + len..end].fill(0);
        }
        self.len = len;
        Ok(())
    }

    /// Reserves memory for `len` limbs in total, which do not exist yet. A reallocation adds at
    /// least `spare` limbs more, if the system provides them.
    pub(crate) fn reserve(&mut self, len: usize, spare: usize) {
        let is_enough = |n_limbs| n_limbs <= self.limbs.capacity();
        // An empty list uses untouched zeros.
        if self.len == 0 || padded(len).is_some_and(is_enough) {
            return;
        }
        if let Some(n_limbs) = padded(self.len.saturating_add(spare).max(len))
            && let Some(more) = n_limbs.checked_sub(self.limbs.len())
            && self.limbs.reserve(more)
        {
            self.begin_on_a_line();
        }
    }

    /// Returns the limbs and the trailing zeros, in whole lines of 64 bytes.
    #[inline]
    pub fn whole_lines(&self) -> &[u64] {
        &self.limbs[self.start..self.start + self.len.next_multiple_of(LINE)]
    }

    /// Keeps the first `len` limbs, or all if there are fewer. Their memory is kept.
    pub fn truncate(&mut self, len: usize) {
        if len < self.len {
            self.limbs[self.start + len..self.start + self.len].fill(0);
            self.len = len;
        }
    }

    fn taken(len: usize) -> Result<Self, OutOfMemory> {
        let out_of_memory = OutOfMemory { n_bytes: len as u128 * 8 };
        let n_limbs = padded(len).ok_or(out_of_memory)?;
        let limbs = Zeros::new(n_limbs).map_err(|_refused| out_of_memory)?;
        let start = first_line(&limbs);
        Ok(Limbs { limbs, start, len })
    }

    /// Moves the limbs to the first line, after the allocator has moved the list.
    fn begin_on_a_line(&mut self) {
        let start = first_line(&self.limbs);
        if start == self.start {
            return;
        }
        self.limbs.copy_within(self.start..self.start + self.len, start);
        self.start = start;
        self.limbs[..start].fill(0);
        // They were moved by less than a line.
        let end = start + self.len;
        let after = (end + LINE).min(self.limbs.len());
        self.limbs[end..after].fill(0);
    }
}

/// The maximum number of spare limbs that a much shortened list keeps.
const MOST_SPARE: usize = 1 << 17;

/// Returns the number of limbs to allocate for `len` of them, for any position of the first line;
/// `None` beyond the addressable range.
fn padded(len: usize) -> Option<usize> {
    let n_limbs = len.checked_next_multiple_of(LINE)?.checked_add(LINE - 1)?;
    (n_limbs <= isize::MAX as usize / size_of::<u64>()).then_some(n_limbs)
}

/// Returns the index of the first limb at the start of a line; below [`LINE`].
fn first_line(limbs: &[u64]) -> usize {
    (limbs.as_ptr().addr() / size_of::<u64>()).wrapping_neg() % LINE
}

impl Deref for Limbs {
    type Target = [u64];

    #[inline]
    fn deref(&self) -> &[u64] {
        &self.limbs[self.start..self.start + self.len]
    }
}

impl DerefMut for Limbs {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u64] {
        &mut self.limbs[self.start..self.start + self.len]
    }
}

/// Copies the limbs.
///
/// # Panics
/// If the system refuses the memory, as every `Clone` does.
impl Clone for Limbs {
    fn clone(&self) -> Self {
        let mut copy = Limbs::taken(self.len).unwrap_or_else(|error| panic!("{error}"));
        copy.copy_from_slice(self);
        copy
    }
}

impl PartialEq for Limbs {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Limbs {}

impl std::hash::Hash for Limbs {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl fmt::Debug for Limbs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Simulated allocation failures for tests.
pub mod fault {
    #[cfg(feature = "fault-injection")]
    std::thread_local! {
        static LEFT: std::cell::Cell<Option<u64>> = const { std::cell::Cell::new(None) };
    }

    /// From now on in this thread, lets `n` allocations of limbs succeed and refuses the next one;
    /// `None` refuses none. [`struck`] reports whether one was refused.
    #[cfg(feature = "fault-injection")]
    pub fn refuse_after(n: Option<u64>) {
        LEFT.set(n.map(|n| n + 1));
    }

    /// Returns whether the allocation selected by [`refuse_after`] was refused.
    #[cfg(feature = "fault-injection")]
    pub fn struck() -> bool {
        LEFT.get() == Some(0)
    }

    /// Returns whether this allocation is refused.
    #[cfg(feature = "fault-injection")]
    pub(crate) fn strikes() -> bool {
        match LEFT.get() {
            None | Some(0) => false,
            Some(left) => {
                LEFT.set(Some(left - 1));
                left == 1
            }
        }
    }

    /// Returns whether this allocation is refused: never, outside tests.
    #[cfg(not(feature = "fault-injection"))]
    #[inline]
    pub(crate) fn strikes() -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_aligned_and_zero() {
        for len in [0, 1, 7, 8, 9, 1000] {
            let limbs = Limbs::zeros(len).unwrap();
            assert_eq!(limbs.len(), len);
            assert!(limbs.iter().all(|&limb| limb == 0));
            assert_eq!(limbs.as_ptr().addr() % 64, 0);
            assert_eq!(limbs.whole_lines().len(), len.next_multiple_of(8));
        }
    }

    #[test]
    fn padding_of_the_last_line_is_zero() {
        let mut limbs = Limbs::zeros(30).unwrap();
        for len in [30, 21, 17, 60, 59, 3] {
            limbs.resize(len).unwrap();
            limbs.fill(u64::MAX);
            assert!(limbs.whole_lines()[len..].iter().all(|&limb| limb == 0));
        }
    }

    #[test]
    fn a_list_that_shrinks_and_grows_again_has_zeros() {
        let mut limbs = Limbs::zeros(20).unwrap();
        limbs.fill(u64::MAX);
        limbs.resize(9).unwrap();
        limbs.resize(30).unwrap();
        assert!(limbs[..9].iter().all(|&limb| limb == u64::MAX));
        assert!(limbs[9..].iter().all(|&limb| limb == 0));
    }

    #[test]
    fn limbs_stay_when_the_list_moves() {
        let mut limbs = Limbs::zeros(5).unwrap();
        limbs.copy_from_slice(&[1, 2, 3, 4, 5]);
        for len in (6..3000).step_by(37) {
            limbs.resize(len).unwrap();
            assert_eq!(limbs.as_ptr().addr() % 64, 0);
            assert_eq!(limbs[..5], [1, 2, 3, 4, 5]);
            assert!(limbs[5..].iter().all(|&limb| limb == 0));
            assert_eq!(limbs.clone(), limbs);
        }
    }

    #[test]
    fn frequent_growth_rarely_reallocates() {
        let mut limbs = Limbs::default();
        let mut capacities = std::collections::BTreeSet::new();
        for len in 1..1000 {
            limbs.reserve(len, limbs.len() / 2);
            limbs.resize(len).unwrap();
            capacities.insert(limbs.limbs.capacity());
        }
        assert!(capacities.len() < 25, "{capacities:?}");
    }

    #[test]
    fn sizes_beyond_the_address_space_are_refused() {
        assert!(Limbs::zeros(usize::MAX).is_err());
        let mut limbs = Limbs::zeros(3).unwrap();
        assert!(limbs.resize(usize::MAX - 7).is_err());
        assert_eq!(limbs.len(), 3);
    }
}
