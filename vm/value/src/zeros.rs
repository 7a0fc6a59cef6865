//! Zero-initialised memory of values and of large results.

use std::fmt;
use std::ops::{Deref, DerefMut};

use bytemuck::Pod;
use bytemuck::allocation::try_zeroed_slice_box;
use memmap2::MmapMut;

use crate::limbs::OutOfMemory;

/// The size of a large page in bytes. From this size on, memory is requested in such pages.
const LARGE_PAGE: usize = 2 << 20;

/// The maximum size for large pages: a longer list may have only a few ones, and each of them would
/// use a large page.
const MOST_LARGE: usize = 1 << 30;

/// Values that are initially zero; the system allocates their pages when they are first written.
///
/// Note [Large pages]. Large lists use pages of 2 MiB if the system supports them: a page of 4 KiB
/// costs the system about as much time as writing the page, and a program that accesses one column
/// after another misses the TLB at each of them. A list that grows moves to small pages, since
/// those move without being copied.
pub struct Zeros<T>(Memory<T>);

enum Memory<T> {
    Heap(Vec<T>),
    /// The number of bytes in use, and the rest of the last page.
    Mapped(MmapMut, usize),
}

impl<T> Default for Zeros<T> {
    fn default() -> Self {
        Zeros(Memory::Heap(Vec::new()))
    }
}

impl<T: Pod> Zeros<T> {
    /// Creates `len` zeros.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn new(len: usize) -> Result<Self, OutOfMemory> {
        let out_of_memory = OutOfMemory { n_bytes: len as u128 * size_of::<T>() as u128 };
        let n_bytes = len.checked_mul(size_of::<T>()).ok_or(out_of_memory)?;
        // WebAssembly has no mappings.
        if cfg!(target_family = "wasm") || !(LARGE_PAGE..=MOST_LARGE).contains(&n_bytes) {
            let zeros = try_zeroed_slice_box(len).map_err(|()| out_of_memory)?;
            return Ok(Zeros(Memory::Heap(zeros.into_vec())));
        }
        // The mapping consists of whole pages and is aligned for large pages.
        let map =
            MmapMut::map_anon(n_bytes.next_multiple_of(LARGE_PAGE)).map_err(|_| out_of_memory)?;
        #[cfg(target_os = "linux")]
        // Without large pages, small ones are used.
        let _ = map.advise(memmap2::Advice::HugePage);
        Ok(Zeros(Memory::Mapped(map, n_bytes)))
    }

    /// Extends the list by zeros to at least `len`.
    ///
    /// # Errors
    /// [`OutOfMemory`]; it is unchanged then.
    pub(crate) fn lengthen(&mut self, len: usize) -> Result<(), OutOfMemory> {
        let Some(more @ 1..) = len.checked_sub(self.len()) else { return Ok(()) };
        let out_of_memory = OutOfMemory { n_bytes: len as u128 * size_of::<T>() as u128 };
        let values = self.on_heap(more).ok_or(out_of_memory)?;
        values.resize(len, T::zeroed());
        Ok(())
    }

    /// Reserves capacity for `more` elements, if the system provides it.
    pub(crate) fn reserve(&mut self, more: usize) -> bool {
        self.on_heap(more).is_some()
    }

    /// Returns the capacity in elements.
    pub(crate) fn capacity(&self) -> usize {
        match &self.0 {
            Memory::Heap(values) => values.capacity(),
            Memory::Mapped(..) => self.len(),
        }
    }

    /// Returns the values in growable memory, with capacity for `more` elements; `None`, and
    /// nothing has changed, if the system refuses it.
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

    /// Returns whether it is a separate mapping of the system.
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
    fn small_and_large_lists_are_zero_and_writable() {
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
    fn growth_of_a_large_list_keeps_values_and_adds_zeros() {
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
