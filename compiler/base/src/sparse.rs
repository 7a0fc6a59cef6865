//! Tables of few ones: of each line only the limbs that are not zero.
//!
//! Note [Lines of limbs]. The limbs of all lines lie in one pool, those of a line together and in order, each with its place in
//! the line: 12 bytes for a limb that is not zero, 16 for a line. A line that outgrows its room moves to the end of the pool and gets half as
//! much again; when half of the pool is abandoned, all lines move to a new one. Memory is asked for before anything changes.

use crate::bits::BitTable;
use crate::limbs::{OutOfMemory, fault};

/// Lines of `len` bits, all of the same length, of which most limbs are zero.
#[derive(Debug, Default)]
pub struct SparseLines {
    len: usize,
    spans: Vec<Span>,
    /// Which limb of its line each limb of the pool is, ascending in a line.
    places: Vec<u32>,
    /// Not zero where a line has them.
    limbs: Vec<u64>,
    /// Limbs that lines have.
    n_used: usize,
}

/// Where a line lies in the pool.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    start: usize,
    len: u32,
    room: u32,
}

/// Bytes of a limb in the pool, with its place.
const LIMB_BYTES: u64 = 12;
/// Bytes of a line beside its limbs.
const LINE_BYTES: u64 = size_of::<Span>() as u64;
/// Least room of a line that grows.
const LEAST_ROOM: usize = 4;

impl SparseLines {
    /// `n_lines` lines of `len` zeros, with room for so many limbs.
    ///
    /// # Errors
    /// [`OutOfMemory`] if the system refuses the memory, or a line has more than 2³² limbs.
    pub fn zeros(len: usize, n_lines: usize, n_limbs: usize) -> Result<Self, OutOfMemory> {
        let n_bytes = u128::from(SparseLines::bytes_for(n_lines, n_limbs));
        if u32::try_from(len.div_ceil(64)).is_err() {
            return Err(OutOfMemory { n_bytes });
        }
        let mut lines = SparseLines { len, ..SparseLines::default() };
        lines.add_lines(n_lines)?;
        reserve(&mut lines.places, n_limbs)?;
        reserve(&mut lines.limbs, n_limbs)?;
        Ok(lines)
    }

    /// The lines that are the columns of `table`.
    ///
    /// # Errors
    /// Those of [`SparseLines::zeros`].
    pub fn of_columns(table: &BitTable) -> Result<Self, OutOfMemory> {
        let n_limbs = table.storage().iter().filter(|limb| **limb != 0).count();
        let mut lines = SparseLines::zeros(table.n_rows(), table.n_cols(), n_limbs)?;
        for idx in 0..table.n_cols() {
            lines.set(idx, table.column_limbs(idx).iter().copied().zip(0..).map(swap))?;
        }
        Ok(lines)
    }

    /// Bytes of so many lines with so many limbs.
    pub fn bytes_for(n_lines: usize, n_limbs: usize) -> u64 {
        let of_lines = (n_lines as u64).saturating_mul(LINE_BYTES);
        of_lines.saturating_add((n_limbs as u64).saturating_mul(LIMB_BYTES))
    }

    /// Bits of a line.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Are there no bits at all?
    pub fn is_empty(&self) -> bool {
        self.len == 0 || self.spans.is_empty()
    }

    /// Number of lines.
    #[inline]
    pub fn n_lines(&self) -> usize {
        self.spans.len()
    }

    /// Limbs that are not zero.
    pub fn n_limbs(&self) -> usize {
        self.n_used
    }

    /// Bytes that it takes, unused room included.
    pub fn n_bytes(&self) -> u64 {
        SparseLines::bytes_for(
            self.spans.capacity(),
            self.places.capacity().max(self.limbs.capacity()),
        )
    }

    /// Bytes of the same bits, packed.
    pub fn dense_bytes(&self) -> u64 {
        (self.len.div_ceil(64) as u64 * 8).saturating_mul(self.spans.len() as u64)
    }

    /// The limbs of a line that are not zero, and their places. Panics beyond the lines, as indexing does.
    #[inline]
    pub fn line(&self, idx: usize) -> (&[u32], &[u64]) {
        let Span { start, len, .. } = self.spans[idx];
        let range = start..start + len as usize;
        (&self.places[range.clone()], &self.limbs[range])
    }

    /// Bit `at` of a line. Panics outside, as indexing does.
    pub fn get(&self, idx: usize, at: usize) -> bool {
        assert!(at < self.len, "bit {at} of lines of {}", self.len);
        let (places, limbs) = self.line(idx);
        let found = places.binary_search(&((at / 64) as u32));
        found.is_ok_and(|found| limbs[found] >> (at % 64) & 1 == 1)
    }

    /// Bytes that it takes for a while if a line is given so many limbs: those of a greater pool, beside this one.
    /// 0 if there is room.
    pub fn bytes_to_grow(&self, idx: usize, n_limbs: usize) -> u64 {
        match self.room_for(idx, n_limbs) {
            Room::Here | Room::End(_) => 0,
            Room::NewPool(n_limbs) => SparseLines::bytes_for(0, n_limbs),
        }
    }

    /// Likewise if so many lines are added.
    pub fn bytes_to_add(&self, n_lines: usize) -> u64 {
        match self.spans.capacity() - self.spans.len() < n_lines {
            true => (self.spans.len() + self.spans.len() / 2 + n_lines) as u64 * LINE_BYTES,
            false => 0,
        }
    }

    /// A line takes these limbs, in the order of their places; zeros are left out.
    ///
    /// # Errors
    /// [`OutOfMemory`]; nothing has changed then.
    pub fn set(
        &mut self,
        idx: usize,
        limbs: impl Iterator<Item = (u32, u64)> + Clone,
    ) -> Result<(), OutOfMemory> {
        let limbs = limbs.filter(|(_, limb)| *limb != 0);
        let n_limbs = limbs.clone().count();
        self.make_room(idx, n_limbs)?;
        let Span { start, len, .. } = self.spans[idx];
        let places = &mut self.places[start..start + n_limbs];
        let to = places.iter_mut().zip(&mut self.limbs[start..start + n_limbs]);
        for ((to_place, to_limb), (place, limb)) in to.zip(limbs) {
            (*to_place, *to_limb) = (place, limb);
        }
        self.spans[idx].len = n_limbs as u32;
        self.n_used = self.n_used - len as usize + n_limbs;
        Ok(())
    }

    /// Bit `at` of a line takes a value. Panics outside, as indexing does.
    ///
    /// # Errors
    /// [`OutOfMemory`]; nothing has changed then.
    pub fn put(&mut self, idx: usize, at: usize, bit: bool) -> Result<(), OutOfMemory> {
        assert!(at < self.len, "bit {at} of lines of {}", self.len);
        let (place, mask) = ((at / 64) as u32, 1 << (at % 64));
        let Span { start, len, .. } = self.spans[idx];
        let end = start + len as usize;
        match (self.places[start..end].binary_search(&place), bit) {
            (Ok(found), true) => self.limbs[start + found] |= mask,
            (Ok(found), false) => {
                self.limbs[start + found] &= !mask;
                if self.limbs[start + found] == 0 {
                    self.places.copy_within(start + found + 1..end, start + found);
                    self.limbs.copy_within(start + found + 1..end, start + found);
                    self.spans[idx].len -= 1;
                    self.n_used -= 1;
                }
            }
            (Err(_), false) => {}
            (Err(before), true) => {
                self.make_room(idx, len as usize + 1)?;
                let Span { start, .. } = self.spans[idx];
                let (at, end) = (start + before, start + len as usize);
                self.places.copy_within(at..end, at + 1);
                self.limbs.copy_within(at..end, at + 1);
                (self.places[at], self.limbs[at]) = (place, mask);
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

    /// Makes every line longer; what is added is zero.
    ///
    /// # Errors
    /// [`OutOfMemory`] if a line has more than 2³² limbs then; nothing has changed.
    pub fn lengthen(&mut self, len: usize) -> Result<(), OutOfMemory> {
        if u32::try_from(len.div_ceil(64)).is_err() {
            return Err(OutOfMemory { n_bytes: u128::from(self.n_bytes()) });
        }
        self.len = self.len.max(len);
        Ok(())
    }

    /// A copy, without unused room.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn try_clone(&self) -> Result<Self, OutOfMemory> {
        let mut copy = SparseLines::zeros(self.len, self.n_lines(), self.n_used)?;
        for idx in 0..self.n_lines() {
            let (places, limbs) = self.line(idx);
            copy.set(idx, places.iter().copied().zip(limbs.iter().copied()))?;
        }
        Ok(copy)
    }

    /// The corner turn: its lines are the bits of the same index of all lines. It takes time for every one and every line;
    /// `go_on` is asked now and then whether to.
    ///
    /// # Errors
    /// [`OutOfMemory`]; `None` if `go_on` says no.
    pub fn turned(&self, mut go_on: impl FnMut() -> bool) -> Result<Option<Self>, OutOfMemory> {
        // A limb of the turned table for each line and each 64 lines that have a one there.
        let mut n_limbs = vec_of(self.len)?;
        let mut last = vec_of(self.len)?;
        for idx in 0..self.n_lines() {
            if idx % POLL_LINES == 0 && !go_on() {
                return Ok(None);
            }
            self.ones(idx, |at| {
                if std::mem::replace(&mut last[at], idx as u32 / 64 + 1) != idx as u32 / 64 + 1 {
                    n_limbs[at] += 1;
                }
            });
        }
        let total = n_limbs.iter().map(|n| *n as usize).sum();
        let mut turned = SparseLines::zeros(self.n_lines(), self.len, total)?;
        turned.places.resize(total, 0);
        turned.limbs.resize(total, 0);
        turned.n_used = total;
        let mut start = 0;
        for (span, n) in turned.spans.iter_mut().zip(&n_limbs) {
            *span = Span { start, len: 0, room: *n };
            start += *n as usize;
        }
        for idx in 0..self.n_lines() {
            if idx % POLL_LINES == 0 && !go_on() {
                return Ok(None);
            }
            let (place, mask) = ((idx / 64) as u32, 1 << (idx % 64));
            self.ones(idx, |at| {
                let Span { start, len, .. } = &mut turned.spans[at];
                let end = *start + *len as usize;
                if *len > 0 && turned.places[end - 1] == place {
                    turned.limbs[end - 1] |= mask;
                } else {
                    (turned.places[end], turned.limbs[end]) = (place, mask);
                    *len += 1;
                }
            });
        }
        Ok(Some(turned))
    }

    /// Calls `each` with the indices of the ones of a line, ascending.
    pub fn ones(&self, idx: usize, mut each: impl FnMut(usize)) {
        let (places, limbs) = self.line(idx);
        for (place, limb) in places.iter().zip(limbs) {
            let (first, mut rest) = (*place as usize * 64, *limb);
            while rest != 0 {
                each(first + rest.trailing_zeros() as usize);
                rest &= rest - 1;
            }
        }
    }

    /// Number of ones.
    pub fn count_ones(&self) -> u64 {
        let counts = (0..self.n_lines()).map(|idx| {
            self.line(idx).1.iter().map(|limb| u64::from(limb.count_ones())).sum::<u64>()
        });
        counts.sum()
    }

    /// Where a line finds room for so many limbs.
    fn room_for(&self, idx: usize, n_limbs: usize) -> Room {
        let Span { room, len, .. } = self.spans[idx];
        if n_limbs <= room as usize {
            return Room::Here;
        }
        // A line that grows gets more than it asks for; one that is filled once does not.
        let room = if len == 0 { n_limbs } else { (n_limbs + n_limbs / 2).max(LEAST_ROOM) };
        let end = self.places.len() + room;
        if end <= self.places.capacity().min(self.limbs.capacity()) {
            return Room::End(room);
        }
        let wanted = self.n_used + room;
        Room::NewPool(wanted + wanted / 2)
    }

    /// Gives a line room for so many limbs; it keeps those that it has.
    fn make_room(&mut self, idx: usize, n_limbs: usize) -> Result<(), OutOfMemory> {
        match self.room_for(idx, n_limbs) {
            Room::Here => return Ok(()),
            Room::End(room) => self.move_to_end(idx, room),
            Room::NewPool(n_pool) => {
                self.move_all(n_pool)?;
                return self.make_room(idx, n_limbs);
            }
        }
        Ok(())
    }

    /// A line moves to the end of the pool, which has so much room.
    fn move_to_end(&mut self, idx: usize, room: usize) {
        let Span { start, len, .. } = self.spans[idx];
        let (from, to) = (start..start + len as usize, self.places.len());
        self.places.resize(to + room, 0);
        self.limbs.resize(to + room, 0);
        self.places.copy_within(from.clone(), to);
        self.limbs.copy_within(from, to);
        self.spans[idx] = Span { start: to, len, room: room as u32 };
    }

    /// All lines move to a new pool with room for so many limbs.
    fn move_all(&mut self, n_limbs: usize) -> Result<(), OutOfMemory> {
        let (mut places, mut limbs) = (Vec::new(), Vec::new());
        reserve(&mut places, n_limbs)?;
        reserve(&mut limbs, n_limbs)?;
        for span in &mut self.spans {
            let from = span.start..span.start + span.len as usize;
            *span = Span { start: places.len(), len: span.len, room: span.len };
            places.extend_from_slice(&self.places[from.clone()]);
            limbs.extend_from_slice(&self.limbs[from]);
        }
        (self.places, self.limbs) = (places, limbs);
        Ok(())
    }
}

/// Lines between two looks at whether to go on.
const POLL_LINES: usize = 1 << 16;

/// Where a line finds room.
enum Room {
    /// Where it lies.
    Here,
    /// At the end of the pool, for so many limbs.
    End(usize),
    /// In a new pool of so many limbs.
    NewPool(usize),
}

fn swap((limb, place): (u64, u32)) -> (u32, u64) {
    (place, limb)
}

/// Room for so many more.
fn reserve<T>(list: &mut Vec<T>, n_more: usize) -> Result<(), OutOfMemory> {
    let n_bytes = n_more as u128 * size_of::<T>() as u128;
    if (n_more > 0 && fault::strikes()) || list.try_reserve_exact(n_more).is_err() {
        return Err(OutOfMemory { n_bytes });
    }
    Ok(())
}

/// So many zeros.
fn vec_of(len: usize) -> Result<Vec<u32>, OutOfMemory> {
    let mut list = Vec::new();
    reserve(&mut list, len)?;
    list.resize(len, 0);
    Ok(list)
}

/// The same bits, however they lie in their pools.
impl PartialEq for SparseLines {
    fn eq(&self, other: &Self) -> bool {
        (self.len, self.n_lines(), self.n_used) == (other.len, other.n_lines(), other.n_used)
            && (0..self.n_lines()).all(|idx| self.line(idx) == other.line(idx))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// What lines should be: a list of truth values for each.
    fn assert_same(lines: &SparseLines, model: &[Vec<bool>]) {
        assert_eq!(lines.n_lines(), model.len());
        for (idx, line) in model.iter().enumerate() {
            let mut ones = Vec::new();
            lines.ones(idx, |at| ones.push(at));
            let wanted: Vec<usize> = (0..line.len()).filter(|at| line[*at]).collect();
            assert_eq!(ones, wanted, "line {idx}");
            assert!((0..line.len()).all(|at| lines.get(idx, at) == line[at]));
            assert!(lines.line(idx).1.iter().all(|limb| *limb != 0));
        }
        let n_limbs: usize = (0..model.len()).map(|idx| lines.line(idx).0.len()).sum();
        assert_eq!(lines.n_limbs(), n_limbs);
    }

    #[test]
    fn writes_of_bits_and_lines_and_growth_do_what_a_list_of_truth_values_does() {
        let mut random = Random::new(1);
        for len in [1, 63, 64, 65, 200, 1000] {
            let mut model = vec![vec![false; len]; 7];
            let mut lines = SparseLines::zeros(len, 7, 0).unwrap();
            for turn in 0..600 {
                let (idx, n) = (random.below(model.len()), model[0].len());
                match random.below(12) {
                    0 => {
                        let bits: Vec<bool> = (0..n).map(|_| random.below(9) == 0).collect();
                        let limb = |place: usize| {
                            let bits = bits[place * 64..].iter().take(64).zip(0..);
                            bits.fold(0, |limb, (bit, at)| limb | u64::from(*bit) << at)
                        };
                        let limbs = (0..n.div_ceil(64)).map(|place| (place as u32, limb(place)));
                        lines.set(idx, limbs).unwrap();
                        model[idx] = bits;
                    }
                    1 if turn % 50 == 0 => {
                        lines.add_lines(2).unwrap();
                        model.resize(model.len() + 2, vec![false; n]);
                    }
                    2 if turn % 50 == 0 => {
                        lines.lengthen(n + 3).unwrap();
                        model.iter_mut().for_each(|line| line.resize(n + 3, false));
                    }
                    _ => {
                        let (at, bit) = (random.below(n), random.below(3) > 0);
                        lines.put(idx, at, bit).unwrap();
                        model[idx][at] = bit;
                    }
                }
            }
            assert_same(&lines, &model);
            assert_eq!(lines.try_clone().unwrap(), lines);
            let turned = lines.turned(|| true).unwrap().unwrap();
            let columns = |at: usize| model.iter().map(|line| line[at]).collect::<Vec<bool>>();
            let by_columns: Vec<Vec<bool>> = (0..model[0].len()).map(columns).collect();
            assert_same(&turned, &by_columns);
            assert_eq!(turned.turned(|| true).unwrap().unwrap(), lines);
            assert!(lines.turned(|| false).unwrap().is_none());
        }
    }

    #[test]
    fn columns_of_a_table_become_lines() {
        let table = BitTable::parse(&["010", "000", "011"]).unwrap();
        let lines = SparseLines::of_columns(&table).unwrap();
        assert_eq!((lines.len(), lines.n_lines(), lines.n_limbs()), (3, 3, 2));
        assert_eq!(lines.line(1), (&[0][..], &[0b101][..]));
        assert_eq!(lines.count_ones(), 3);
    }

    #[test]
    fn memory_grows_with_what_is_in_it_only() {
        let mut lines = SparseLines::zeros(1 << 20, 1000, 0).unwrap();
        for idx in 0..1000 {
            let wanted = lines.bytes_to_grow(idx, 1);
            let before = lines.n_bytes();
            lines.put(idx, idx * 1000, true).unwrap();
            assert!(lines.n_bytes() <= before + wanted, "it says before what it takes");
        }
        assert!(lines.n_bytes() < 50_000, "{}", lines.n_bytes());
        assert_eq!(lines.dense_bytes(), 1000 << 17);
        assert!(SparseLines::zeros(usize::MAX, 1, 0).is_err());
    }

    #[test]
    #[cfg(feature = "fault-injection")]
    fn what_is_refused_changes_nothing() {
        use crate::limbs::fault::refuse_after;
        for n in 0..8 {
            let mut lines = SparseLines::zeros(100, 3, 0).unwrap();
            lines.put(1, 7, true).unwrap();
            refuse_after(Some(n));
            let done = (0..3).all(|idx| (0..2).all(|at| lines.put(idx, at * 64, true).is_ok()));
            refuse_after(None);
            assert!(lines.get(1, 7) && (!done || lines.n_limbs() == 6));
        }
    }
}
