//! Sparse tables, with few ones or few zeros: for each line only the limbs that differ from its
//! ground are stored.
//!
//! Note [Lines of limbs]. The *ground* of a line is zeros or ones: in a matrix of weights, where
//! infinity represents a missing arc, nearly all bits are ones. The limbs of all lines that differ
//! from their ground are stored in one pool, those of a line together and in order, each with its
//! position in the line: 12 bytes for such a limb, 16 for a line. A line that exceeds its capacity
//! moves to the end of the pool and gets 1.5 times the capacity; when half of the pool is unused,
//! all lines move to a new one. Memory is allocated before any change.

mod ones;
mod parts;
mod pool;
mod ranges;
mod table;
#[cfg(test)]
mod tests;

use std::ops::Range;

pub use parts::WrongParts;
use pool::{Room, room_to_grow};
pub use table::SparseTable;

use crate::bits::BitTable;
use crate::limbs::{OutOfMemory, fault};

/// Lines of `len` bits, all of the same length, in which most limbs are all zeros or all ones.
#[derive(Debug, Default)]
pub struct SparseLines {
    len: usize,
    spans: Vec<Span>,
    /// The position in its line of each limb of the pool, ascending within a line.
    places: Vec<u32>,
    /// The limbs of the pool; those in use differ from the ground.
    limbs: Vec<u64>,
    /// The number of limbs in use.
    n_used: usize,
    /// The number of lines whose ground is ones.
    n_on_ones: usize,
}

/// The location of a line in the pool.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    start: usize,
    len: u32,
    /// The capacity in limbs; the first bit is the ground.
    room_and_ground: u32,
}

/// The bit of [`Span::room_and_ground`] that is the ground.
const GROUND: u32 = 1 << 31;

impl Span {
    fn new(start: usize, len: u32, room: usize, ground: bool) -> Self {
        let ground = if ground { GROUND } else { 0 };
        Span { start, len, room_and_ground: room as u32 & !GROUND | ground }
    }

    fn room(self) -> usize {
        (self.room_and_ground & !GROUND) as usize
    }

    #[inline]
    fn ground(self) -> bool {
        self.room_and_ground & GROUND != 0
    }
}

/// A line in its stored form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SparseLine<'l> {
    /// The bit of all limbs that are not listed.
    pub ground: bool,
    /// The positions of the listed limbs, ascending.
    pub places: &'l [u32],
    /// The listed limbs.
    pub limbs: &'l [u64],
}

impl SparseLine<'_> {
    /// Returns the listed limbs and their positions.
    #[inline]
    pub fn each(&self) -> impl Iterator<Item = (u32, u64)> + Clone + '_ {
        self.places.iter().copied().zip(self.limbs.iter().copied())
    }
}

/// Bytes of a limb in the pool, including its position.
const LIMB_BYTES: u64 = 12;
/// Bytes of a line without its limbs.
const LINE_BYTES: u64 = size_of::<Span>() as u64;
/// The minimum capacity of a line that grows.
const LEAST_ROOM: usize = 4;

impl SparseLines {
    /// Creates `n_lines` lines of `len` zeros, with capacity for the given number of limbs.
    ///
    /// # Errors
    /// [`OutOfMemory`] if the system refuses the memory, or a line has 2³¹ limbs or more.
    pub fn zeros(len: usize, n_lines: usize, n_limbs: usize) -> Result<Self, OutOfMemory> {
        let n_bytes = u128::from(SparseLines::bytes_for(n_lines, n_limbs));
        if len.div_ceil(64) >= GROUND as usize {
            return Err(OutOfMemory { n_bytes });
        }
        let mut lines = SparseLines { len, ..SparseLines::default() };
        lines.add_lines(n_lines)?;
        reserve(&mut lines.places, n_limbs)?;
        reserve(&mut lines.limbs, n_limbs)?;
        Ok(lines)
    }

    /// Creates lines from the columns of `table`.
    ///
    /// # Errors
    /// Those of [`SparseLines::zeros`].
    pub fn of_columns(table: &BitTable) -> Result<Self, OutOfMemory> {
        let mut lines = SparseLines::zeros(table.n_rows(), table.n_cols(), 0)?;
        let grounds: Vec<(bool, usize)> = (0..table.n_cols())
            .map(|idx| best_ground(table.column_limbs(idx), lines.len))
            .collect();
        let n_limbs = grounds.iter().map(|(_, n)| n).sum();
        reserve(&mut lines.places, n_limbs)?;
        reserve(&mut lines.limbs, n_limbs)?;
        for (idx, (ground, _)) in grounds.into_iter().enumerate() {
            lines.set(idx, ground, table.column_limbs(idx).iter().copied().zip(0..).map(swap))?;
        }
        Ok(lines)
    }

    /// Returns a limb of a line that is equal to its ground.
    #[inline]
    pub fn ground_limb(&self, ground: bool, place: usize) -> u64 {
        ground_limb(self.len, ground, place)
    }

    /// Returns the bytes of the given number of lines with the given number of limbs.
    pub fn bytes_for(n_lines: usize, n_limbs: usize) -> u64 {
        let of_lines = (n_lines as u64).saturating_mul(LINE_BYTES);
        of_lines.saturating_add((n_limbs as u64).saturating_mul(LIMB_BYTES))
    }

    /// Returns the number of limbs that `n_lines` lines may have in `n_bytes` bytes.
    pub fn limbs_in(n_lines: usize, n_bytes: u64) -> usize {
        let left = n_bytes.saturating_sub(SparseLines::bytes_for(n_lines, 0));
        usize::try_from(left / LIMB_BYTES).unwrap_or(usize::MAX)
    }

    /// Returns the number of bits of a line.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no bits.
    pub fn is_empty(&self) -> bool {
        self.len == 0 || self.spans.is_empty()
    }

    /// Returns the number of lines.
    #[inline]
    pub fn n_lines(&self) -> usize {
        self.spans.len()
    }

    /// Returns the number of limbs that differ from the ground of their lines.
    #[inline]
    pub fn n_limbs(&self) -> usize {
        self.n_used
    }

    /// Returns the size in bytes, including unused capacity.
    pub fn n_bytes(&self) -> u64 {
        SparseLines::bytes_for(
            self.spans.capacity(),
            self.places.capacity().max(self.limbs.capacity()),
        )
    }

    /// Returns the bytes of the same bits, packed.
    pub fn dense_bytes(&self) -> u64 {
        (self.len.div_ceil(64) as u64 * 8).saturating_mul(self.spans.len() as u64)
    }

    /// Returns the common ground of all lines, if there is one.
    pub fn common_ground(&self) -> Option<bool> {
        match self.n_on_ones {
            0 => Some(false),
            n => (n == self.n_lines()).then_some(true),
        }
    }

    /// Returns a line. Panics beyond the lines, as indexing does.
    #[inline]
    pub fn line(&self, idx: usize) -> SparseLine<'_> {
        let span = self.spans[idx];
        let range = span.start..span.start + span.len as usize;
        let (places, limbs) = (&self.places[range.clone()], &self.limbs[range]);
        SparseLine { ground: span.ground(), places, limbs }
    }

    /// Returns the positions of the limbs of a line in the pool. Panics beyond the lines, as
    /// indexing does.
    #[inline]
    pub fn limbs_of(&self, idx: usize) -> Range<usize> {
        let span = self.spans[idx];
        span.start..span.start + span.len as usize
    }

    /// Returns a limb of the pool and its position in its line. Panics beyond the pool, as indexing
    /// does.
    #[inline]
    pub fn pooled(&self, at: usize) -> (u32, u64) {
        (self.places[at], self.limbs[at])
    }

    /// Returns limb `place` of a line. Panics beyond the lines, as indexing does.
    #[inline]
    pub fn limb(&self, idx: usize, place: usize) -> u64 {
        let SparseLine { ground, places, limbs } = self.line(idx);
        match places.binary_search(&(place as u32)) {
            Ok(found) => limbs[found],
            Err(_) => self.ground_limb(ground, place),
        }
    }

    /// Returns bit `at` of a line. Panics outside, as indexing does.
    pub fn get(&self, idx: usize, at: usize) -> bool {
        assert!(at < self.len, "bit {at} of lines of {}", self.len);
        self.limb(idx, at / 64) >> (at % 64) & 1 == 1
    }

    /// Returns the bytes temporarily needed if a line is set to `n_limbs` limbs: those of a larger
    /// pool, in addition to this one. 0 if there is enough capacity.
    pub fn bytes_to_set(&self, idx: usize, n_limbs: usize) -> u64 {
        self.bytes_to_grow(idx, n_limbs, n_limbs)
    }

    /// Returns the bytes temporarily needed if a bit of a line is set.
    pub fn bytes_to_put(&self, idx: usize) -> u64 {
        let n_limbs = self.spans[idx].len as usize + 1;
        self.bytes_to_grow(idx, n_limbs, room_to_grow(n_limbs))
    }

    fn bytes_to_grow(&self, idx: usize, n_limbs: usize, room: usize) -> u64 {
        match self.room_for(idx, n_limbs, room) {
            Room::Here | Room::End => 0,
            Room::NewPool(n_limbs) => SparseLines::bytes_for(0, n_limbs),
        }
    }

    /// Returns the bytes temporarily needed if `n_lines` lines are added.
    pub fn bytes_to_add(&self, n_lines: usize) -> u64 {
        match self.spans.capacity() - self.spans.len() < n_lines {
            true => (self.spans.len() + self.spans.len() / 2 + n_lines) as u64 * LINE_BYTES,
            false => 0,
        }
    }

    /// Sets a line to these limbs, in the order of their positions, and to the ground everywhere
    /// else; limbs equal to the ground are omitted.
    ///
    /// # Errors
    /// [`OutOfMemory`]; nothing has changed then.
    pub fn set(
        &mut self,
        idx: usize,
        ground: bool,
        limbs: impl Iterator<Item = (u32, u64)> + Clone,
    ) -> Result<(), OutOfMemory> {
        let full = (self.len / 64, self.ground_limb(ground, self.len / 64));
        let whole = self.ground_limb(ground, 0);
        let of_ground = |place: u32| match place as usize == full.0 {
            true => full.1,
            false => whole,
        };
        let limbs = limbs.filter(|(place, limb)| *limb != of_ground(*place));
        let n_limbs = limbs.clone().count();
        self.make_room(idx, n_limbs, n_limbs)?;
        let span = self.spans[idx];
        let Span { start, len, .. } = span;
        let places = &mut self.places[start..start + n_limbs];
        let to = places.iter_mut().zip(&mut self.limbs[start..start + n_limbs]);
        for ((to_place, to_limb), (place, limb)) in to.zip(limbs) {
            (*to_place, *to_limb) = (place, limb);
        }
        self.n_on_ones = self.n_on_ones - usize::from(span.ground()) + usize::from(ground);
        self.spans[idx] = Span::new(start, n_limbs as u32, span.room(), ground);
        self.n_used = self.n_used - len as usize + n_limbs;
        Ok(())
    }

    /// Sets bit `at` of a line. Panics outside, as indexing does.
    ///
    /// # Errors
    /// [`OutOfMemory`]; nothing has changed then.
    pub fn put(&mut self, idx: usize, at: usize, bit: bool) -> Result<(), OutOfMemory> {
        assert!(at < self.len, "bit {at} of lines of {}", self.len);
        let (place, mask) = ((at / 64) as u32, 1 << (at % 64));
        let span = self.spans[idx];
        let Span { start, len, .. } = span;
        let of_ground = self.ground_limb(span.ground(), at / 64);
        let end = start + len as usize;
        let with = |limb: u64| if bit { limb | mask } else { limb & !mask };
        match self.places[start..end].binary_search(&place) {
            Ok(found) => {
                let at = start + found;
                self.limbs[at] = with(self.limbs[at]);
                if self.limbs[at] == of_ground {
                    self.places.copy_within(at + 1..end, at);
                    self.limbs.copy_within(at + 1..end, at);
                    self.spans[idx].len -= 1;
                    self.n_used -= 1;
                }
            }
            Err(_) if bit == span.ground() => {}
            Err(before) => {
                let n_limbs = len as usize + 1;
                self.make_room(idx, n_limbs, room_to_grow(n_limbs))?;
                let Span { start, .. } = self.spans[idx];
                let (at, end) = (start + before, start + len as usize);
                self.places.copy_within(at..end, at + 1);
                self.limbs.copy_within(at..end, at + 1);
                (self.places[at], self.limbs[at]) = (place, with(of_ground));
                self.spans[idx].len += 1;
                self.n_used += 1;
            }
        }
        Ok(())
    }

    /// Adds lines of zeros.
    ///
    /// # Errors
    /// [`OutOfMemory`]; nothing has changed then.
    pub fn add_lines(&mut self, n_lines: usize) -> Result<(), OutOfMemory> {
        if self.spans.capacity() - self.spans.len() < n_lines {
            let spare = self.spans.len() / 2;
            reserve(&mut self.spans, n_lines + spare)?;
        }
        self.spans.resize(self.spans.len() + n_lines, Span::default());
        Ok(())
    }

    /// Returns the bytes needed, temporarily or permanently, if lines become longer: all limbs of
    /// those whose ground is ones.
    pub fn bytes_to_lengthen(&self) -> u64 {
        match self.n_on_ones {
            0 => 0,
            n => {
                let n_limbs = n.saturating_mul(self.len.div_ceil(64)).saturating_add(self.n_used);
                SparseLines::bytes_for(0, n_limbs.saturating_add(n_limbs / 2))
            }
        }
    }

    /// Extends every line by zeros; no ground is ones afterwards.
    ///
    /// # Errors
    /// [`OutOfMemory`], also if a line then has 2³¹ limbs or more; no bit has changed.
    pub fn lengthen(&mut self, len: usize) -> Result<(), OutOfMemory> {
        if len.div_ceil(64) >= GROUND as usize {
            return Err(OutOfMemory { n_bytes: u128::from(self.n_bytes()) });
        }
        if len > self.len && self.n_on_ones > 0 {
            for idx in 0..self.n_lines() {
                if self.spans[idx].ground() {
                    let limbs: Vec<(u32, u64)> = (0..self.len.div_ceil(64))
                        .map(|place| (place as u32, self.limb(idx, place)))
                        .collect();
                    self.set(idx, false, limbs.into_iter())?;
                }
            }
        }
        self.len = self.len.max(len);
        Ok(())
    }

    /// Returns a copy without unused capacity.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn try_clone(&self) -> Result<Self, OutOfMemory> {
        let mut copy = SparseLines::default();
        copy.copy_from(self, 0..self.n_lines())?;
        Ok(copy)
    }

    /// Returns the bytes that [`SparseLines::copy_from`] needs for these lines of `other`.
    pub fn bytes_to_copy(other: &SparseLines, lines: Range<usize>) -> u64 {
        let n_limbs = other.spans[lines.clone()].iter().map(|span| span.len as usize).sum();
        SparseLines::bytes_for(lines.len(), n_limbs)
    }

    /// Replaces the contents by a copy of these lines of another one, reusing the allocated memory
    /// if possible. Panics beyond the lines, as indexing does.
    ///
    /// # Errors
    /// [`OutOfMemory`]; the old contents are lost then.
    pub fn copy_from(
        &mut self,
        other: &SparseLines,
        lines: Range<usize>,
    ) -> Result<(), OutOfMemory> {
        let n_limbs = other.spans[lines.clone()].iter().map(|span| span.len as usize).sum();
        self.spans.clear();
        self.places.clear();
        self.limbs.clear();
        (self.len, self.n_used, self.n_on_ones) = (other.len, 0, 0);
        reserve(&mut self.spans, lines.len())?;
        reserve(&mut self.places, n_limbs)?;
        reserve(&mut self.limbs, n_limbs)?;
        // Consecutive lines, as produced by loaders, are copied together.
        let mut run = 0..0;
        for span in &other.spans[lines] {
            let (start, len) = (self.places.len() + run.len(), span.len as usize);
            self.spans.push(Span::new(start, span.len, len, span.ground()));
            self.n_on_ones += usize::from(span.ground());
            if span.start != run.end {
                self.append(other, run);
                run = span.start..span.start;
            }
            run.end += len;
        }
        self.append(other, run);
        self.n_used = n_limbs;
        Ok(())
    }

    /// Appends these limbs of another pool to this one, which has capacity for them.
    fn append(&mut self, other: &SparseLines, limbs: Range<usize>) {
        self.places.extend_from_slice(&other.places[limbs.clone()]);
        self.limbs.extend_from_slice(&other.limbs[limbs]);
    }
}

/// Returns the ground from which fewer of the limbs of a line of `len` bits differ, and the number
/// of differing limbs.
pub fn best_ground(limbs: &[u64], len: usize) -> (bool, usize) {
    let n_some = limbs.iter().filter(|limb| **limb != 0).count();
    let is_full = |(place, limb): &(usize, &u64)| **limb == ground_limb(len, true, *place);
    let n_others = limbs.len() - limbs.iter().enumerate().filter(is_full).count();
    if n_others < n_some { (true, n_others) } else { (false, n_some) }
}

/// Returns a limb of a line of `len` bits that is equal to its ground.
#[inline]
pub fn ground_limb(len: usize, ground: bool, place: usize) -> u64 {
    match (ground, len - (place * 64).min(len)) {
        (false, _) => 0,
        (true, left @ 0..64) => (1 << left) - 1,
        (true, _) => !0,
    }
}

/// Calls `each` with the indices of the ones of the limb at a position.
fn bits_of(place: usize, mut limb: u64, each: &mut impl FnMut(usize)) {
    while limb != 0 {
        each(place * 64 + limb.trailing_zeros() as usize);
        limb &= limb - 1;
    }
}

fn swap((limb, place): (u64, u32)) -> (u32, u64) {
    (place, limb)
}

/// Reserves capacity for `n_more` more elements.
fn reserve<T>(list: &mut Vec<T>, n_more: usize) -> Result<(), OutOfMemory> {
    let n_bytes = n_more as u128 * size_of::<T>() as u128;
    if (n_more > 0 && fault::strikes()) || list.try_reserve_exact(n_more).is_err() {
        return Err(OutOfMemory { n_bytes });
    }
    Ok(())
}

/// Equality compares the bits, independent of the layout of the pools.
impl PartialEq for SparseLines {
    fn eq(&self, other: &Self) -> bool {
        let same_limbs = |idx: usize| {
            (0..self.len.div_ceil(64)).all(|place| self.limb(idx, place) == other.limb(idx, place))
        };
        (self.len, self.n_lines()) == (other.len, other.n_lines())
            && (0..self.n_lines()).all(|idx| match (self.line(idx), other.line(idx)) {
                (line, other) if line.ground == other.ground => line == other,
                _ => same_limbs(idx),
            })
    }
}

impl Eq for SparseLines {}

/// Copies the limbs.
///
/// # Panics
/// If the system refuses the memory, as every `Clone` does.
impl Clone for SparseLines {
    fn clone(&self) -> Self {
        self.try_clone().unwrap_or_else(|error| panic!("{error}"))
    }
}
