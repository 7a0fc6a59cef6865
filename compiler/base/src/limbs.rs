//! Memory for packed bits: limbs of 64 bits on lines of 64 bytes, zero when they are taken, and taken
//! only if the system has them.

use std::fmt;
use std::ops::{Deref, DerefMut};

use bytemuck::{Pod, Zeroable};

/// Limbs of a line.
const LINE: usize = 8;

/// A cache line; makes an allocation of lines begin on one.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Line([u64; LINE]);

/// A list of limbs that begins on a line of 64 bytes.
#[derive(Default)]
pub struct Limbs {
    /// `len.div_ceil(LINE)` of them. Limbs beyond `len` are zero.
    lines: Vec<Line>,
    len: usize,
}

/// The system refuses the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory {
    /// Bytes asked for.
    pub n_bytes: u128,
}

impl fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the system refuses {} bytes", self.n_bytes)
    }
}

impl std::error::Error for OutOfMemory {}

impl Limbs {
    /// `len` zeros. Pages of a large list are taken by the system when they are first written.
    ///
    /// # Errors
    /// [`OutOfMemory`]; nothing was taken then.
    pub fn zeros(len: usize) -> Result<Self, OutOfMemory> {
        let out_of_memory = OutOfMemory { n_bytes: len as u128 * 8 };
        let n_lines = len.div_ceil(LINE);
        let is_too_long = n_lines > isize::MAX as usize / size_of::<Line>();
        if is_too_long || (n_lines > 0 && fault::strikes()) {
            return Err(out_of_memory);
        }
        let lines = bytemuck::allocation::try_zeroed_slice_box(n_lines);
        Ok(Limbs { lines: lines.map_err(|()| out_of_memory)?.into_vec(), len })
    }

    /// A copy.
    ///
    /// # Errors
    /// [`OutOfMemory`]; nothing was taken then.
    pub fn try_clone(&self) -> Result<Self, OutOfMemory> {
        let mut copy = Limbs::zeros(self.len)?;
        copy.copy_from_slice(self);
        Ok(copy)
    }

    /// Changes the number of limbs; new ones are zero. A list that grows often should grow by a good
    /// part of its length, since it may be moved.
    ///
    /// # Errors
    /// [`OutOfMemory`]; the list is as before then.
    pub fn resize(&mut self, len: usize) -> Result<(), OutOfMemory> {
        let n_lines = len.div_ceil(LINE);
        if let Some(more) = n_lines.checked_sub(self.lines.len()) {
            let out_of_memory = OutOfMemory { n_bytes: len as u128 * 8 };
            if more > 0 && (fault::strikes() || self.lines.try_reserve_exact(more).is_err()) {
                return Err(out_of_memory);
            }
        }
        self.lines.resize(n_lines, Line::zeroed());
        self.len = self.len.min(len);
        let rest = self.len;
        bytemuck::cast_slice_mut::<Line, u64>(&mut self.lines)[rest..].fill(0);
        self.len = len;
        Ok(())
    }

    /// Keeps the first `len` limbs, or all if there are fewer. Their memory stays.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
        self.lines.truncate(self.len.div_ceil(LINE));
        let rest = self.len;
        bytemuck::cast_slice_mut::<Line, u64>(&mut self.lines)[rest..].fill(0);
    }
}

impl Deref for Limbs {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        &bytemuck::cast_slice(&self.lines)[..self.len]
    }
}

impl DerefMut for Limbs {
    fn deref_mut(&mut self) -> &mut [u64] {
        &mut bytemuck::cast_slice_mut(&mut self.lines)[..self.len]
    }
}

/// Copies the limbs.
///
/// # Panics
/// If the system refuses the memory, as every `Clone` does.
impl Clone for Limbs {
    fn clone(&self) -> Self {
        Limbs { lines: self.lines.clone(), len: self.len }
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

/// Memory that runs out when a test says so.
pub mod fault {
    #[cfg(feature = "fault-injection")]
    std::thread_local! {
        static LEFT: std::cell::Cell<Option<u64>> = const { std::cell::Cell::new(None) };
    }

    /// From now on in this thread, lets `n` allocations of limbs succeed and refuses the next one;
    /// `None` refuses none. Whether one was refused is told by [`struck`].
    #[cfg(feature = "fault-injection")]
    pub fn refuse_after(n: Option<u64>) {
        LEFT.set(n.map(|n| n + 1));
    }

    /// Was the allocation refused that [`refuse_after`] names?
    #[cfg(feature = "fault-injection")]
    pub fn struck() -> bool {
        LEFT.get() == Some(0)
    }

    /// Is this allocation refused?
    #[cfg(feature = "fault-injection")]
    pub(super) fn strikes() -> bool {
        match LEFT.get() {
            None | Some(0) => false,
            Some(left) => {
                LEFT.set(Some(left - 1));
                left == 1
            }
        }
    }

    /// Is this allocation refused? Never, outside tests.
    #[cfg(not(feature = "fault-injection"))]
    #[inline]
    pub(super) fn strikes() -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_begin_on_a_line_and_are_zero() {
        for len in [0, 1, 7, 8, 9, 1000] {
            let limbs = Limbs::zeros(len).unwrap();
            assert_eq!(limbs.len(), len);
            assert!(limbs.iter().all(|&limb| limb == 0));
            assert_eq!(limbs.as_ptr().addr() % 64, 0);
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
    fn more_than_can_be_addressed_is_refused() {
        assert!(Limbs::zeros(usize::MAX).is_err());
        let mut limbs = Limbs::zeros(3).unwrap();
        assert!(limbs.resize(usize::MAX - 7).is_err());
        assert_eq!(limbs.len(), 3);
    }
}
