//! Zeros: memory of values and of large results.

use std::fmt;
use std::ops::{Deref, DerefMut};

use bytemuck::Pod;
use bytemuck::allocation::try_zeroed_slice_box;
use memmap2::MmapMut;

use crate::limbs::OutOfMemory;

/// Bytes of a large page. From so many on memory is asked of the system in such pages.
const LARGE_PAGE: usize = 2 << 20;

/// Up to how many: a longer list may hold ones in a few places only, and each of them would take a large page.
const MOST_LARGE: usize = 1 << 30;

/// Values that begin as zeros, which the system gives when they are written to.
///
/// Note [Large pages]. Where there are many, they lie on pages of 2 MiB if the system has such: a page of 4 KiB costs it about as much time as
/// writing the page takes, and a program that goes from column to column misses the TLB at each of them. A list that grows moves to small pages, since
/// those move without being copied.
pub struct Zeros<T>(Memory<T>);

enum Memory<T> {
    Heap(Vec<T>),
    /// So many bytes, and what is left of the last page.
    Mapped(MmapMut, usize),
}

impl<T> Default for Zeros<T> {
    fn default() -> Self {
        Zeros(Memory::Heap(Vec::new()))
    }
}

impl<T: Pod> Zeros<T> {
    /// So many zeros.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn new(len: usize) -> Result<Self, OutOfMemory> {
        let out_of_memory = OutOfMemory { n_bytes: len as u128 * size_of::<T>() as u128 };
        let n_bytes = len.checked_mul(size_of::<T>()).ok_or(out_of_memory)?;
        if !(LARGE_PAGE..=MOST_LARGE).contains(&n_bytes) {
            let zeros = try_zeroed_slice_box(len).map_err(|()| out_of_memory)?;
            return Ok(Zeros(Memory::Heap(zeros.into_vec())));
        }
        // Whole pages begin where such a page may.
        let map =
            MmapMut::map_anon(n_bytes.next_multiple_of(LARGE_PAGE)).map_err(|_| out_of_memory)?;
        #[cfg(target_os = "linux")]
        // Where there are no large pages small ones do.
        let _ = map.advise(memmap2::Advice::HugePage);
        Ok(Zeros(Memory::Mapped(map, n_bytes)))
    }

    /// Becomes longer by zeros, if it is not as long as that already.
    ///
    /// # Errors
    /// [`OutOfMemory`]; it is as before then.
    pub(crate) fn lengthen(&mut self, len: usize) -> Result<(), OutOfMemory> {
        let Some(more @ 1..) = len.checked_sub(self.len()) else { return Ok(()) };
        let out_of_memory = OutOfMemory { n_bytes: len as u128 * size_of::<T>() as u128 };
        let values = self.on_heap(more).ok_or(out_of_memory)?;
        values.resize(len, T::zeroed());
        Ok(())
    }

    /// Makes room for so many more, if the system gives it.
    pub(crate) fn reserve(&mut self, more: usize) -> bool {
        self.on_heap(more).is_some()
    }

    /// How many there is memory for.
    pub(crate) fn capacity(&self) -> usize {
        match &self.0 {
            Memory::Heap(values) => values.capacity(),
            Memory::Mapped(..) => self.len(),
        }
    }

    /// The values in memory that can grow, with room for so many more; `None`, and nothing has changed, if the system refuses it.
    fn on_heap(&mut self, more: usize) -> Option<&mut Vec<T>> {
        if let Memory::Mapped(..) = self.0 {
            let values = &**self;
            let mut moved = Vec::new();
            moved.try_reserve_exact(values.len().checked_add(more)?).ok()?;
            moved.extend_from_slice(values);
            self.0 = Memory::Heap(moved);
        }
        match &mut self.0 {
            Memory::Heap(values) => {
                values.try_reserve_exact(more).ok()?;
                Some(values)
            }
            Memory::Mapped(..) => None,
        }
    }

    /// Is it memory of its own, asked of the system?
    #[cfg(test)]
    fn is_mapped(&self) -> bool {
        matches!(self.0, Memory::Mapped(..))
    }
}

impl<T: Pod> Deref for Zeros<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.0 {
            Memory::Heap(values) => values,
            Memory::Mapped(map, n_bytes) => bytemuck::cast_slice(&map[..*n_bytes]),
        }
    }
}

impl<T: Pod> DerefMut for Zeros<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.0 {
            Memory::Heap(values) => values,
            Memory::Mapped(map, n_bytes) => bytemuck::cast_slice_mut(&mut map[..*n_bytes]),
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
    use super::{LARGE_PAGE, MOST_LARGE, Zeros};

    #[test]
    fn small_and_large_ones_are_zeros_that_can_be_written() {
        let most = MOST_LARGE / 2;
        for (len, is_mapped) in
            [(0, false), (7, false), (LARGE_PAGE / 2 + 3, true), (most + 1, false)]
        {
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

    #[test]
    fn a_large_list_that_grows_keeps_its_values_and_grows_by_zeros() {
        let n = LARGE_PAGE / 8;
        let mut zeros = Zeros::<u64>::new(n).unwrap();
        zeros.fill(5);
        assert!(zeros.lengthen(usize::MAX / 16).is_err());
        assert!(zeros.is_mapped() && zeros.iter().all(|&value| value == 5));
        zeros.lengthen(n + 10).unwrap();
        assert!(!zeros.is_mapped());
        assert!(zeros[..n].iter().all(|&value| value == 5) && zeros[n..] == [0; 10]);
    }
}
