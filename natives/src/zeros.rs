//! Zeros: memory of large results that are written all over.

use std::fmt;
use std::ops::{Deref, DerefMut};

use bytemuck::Pod;
use memmap2::MmapMut;

use crate::environment::Ended;

/// From how many bytes on memory is asked of the system in large pages.
const LARGE: usize = 8 << 20;

/// A fixed number of values that begin as zeros, which the system gives when they are written to.
///
/// Where there are many, they lie on pages of 2 MiB if the system has such: a page of 4 KiB costs it about as much time as
/// writing the page takes, and a program that writes here and there misses the TLB at every row.
pub struct Zeros<T>(Memory<T>);

enum Memory<T> {
    Small(Vec<T>),
    Mapped(MmapMut),
}

impl<T: Pod> Zeros<T> {
    /// So many zeros.
    ///
    /// # Errors
    /// [`Ended::OutOfMemory`].
    pub fn new(len: usize) -> Result<Self, Ended> {
        let n_bytes = len.checked_mul(size_of::<T>()).ok_or(Ended::OutOfMemory)?;
        if n_bytes < LARGE {
            let mut values = crate::reserved(len)?;
            values.resize(len, T::zeroed());
            return Ok(Zeros(Memory::Small(values)));
        }
        let map = MmapMut::map_anon(n_bytes).map_err(|_| Ended::OutOfMemory)?;
        #[cfg(target_os = "linux")]
        // Where there are no large pages small ones do.
        let _ = map.advise(memmap2::Advice::HugePage);
        Ok(Zeros(Memory::Mapped(map)))
    }

    /// Is it memory of its own, asked of the system?
    #[cfg(test)]
    fn is_mapped(&self) -> bool {
        matches!(self.0, Memory::Mapped(_))
    }
}

impl<T: Pod> Deref for Zeros<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.0 {
            Memory::Small(values) => values,
            Memory::Mapped(map) => bytemuck::cast_slice(map),
        }
    }
}

impl<T: Pod> DerefMut for Zeros<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.0 {
            Memory::Small(values) => values,
            Memory::Mapped(map) => bytemuck::cast_slice_mut(map),
        }
    }
}

impl<T: Pod + fmt::Debug> fmt::Debug for Zeros<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: Pod + PartialEq> PartialEq for Zeros<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Pod + Eq> Eq for Zeros<T> {}

#[cfg(test)]
mod tests {
    use super::{LARGE, Zeros};

    #[test]
    fn small_and_large_ones_are_zeros_that_can_be_written() {
        for (len, is_mapped) in [(0, false), (7, false), (LARGE / 2 + 3, true)] {
            let mut zeros = Zeros::<u16>::new(len).expect("memory");
            assert_eq!((zeros.len(), zeros.is_mapped()), (len, is_mapped));
            assert!(zeros.iter().all(|&value| value == 0));
            if let Some(last) = zeros.last_mut() {
                *last = 9;
                assert_eq!(zeros[len - 1], 9);
            }
        }
        assert!(Zeros::<u64>::new(usize::MAX / 4).is_err());
    }
}
