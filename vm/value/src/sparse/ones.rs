//! Iteration over the ones, and transposition. Note [Lines of limbs] describes the layout.

use super::{Span, SparseLines, bits_of, reserve};
use crate::limbs::OutOfMemory;

impl SparseLines {
    /// Returns the transpose, if all lines have the same ground: its lines are the bits of the same
    /// index of all lines. The time is proportional to the number of bits that differ from the
    /// ground plus the number of lines; `go_on` is called from time to time and can cancel.
    ///
    /// # Errors
    /// [`OutOfMemory`]; `None` if `go_on` returns false, or lines have different grounds.
    pub fn transposed(&self, mut go_on: impl FnMut() -> bool) -> Result<Option<Self>, OutOfMemory> {
        let Some(ground) = self.common_ground() else { return Ok(None) };
        // A limb of the transposed table for each line and each 64 lines that differ from the
        // ground there.
        let mut n_limbs = vec_of(self.len)?;
        let mut last = vec_of(self.len)?;
        for idx in 0..self.n_lines() {
            if idx % POLL_LINES == 0 && !go_on() {
                return Ok(None);
            }
            self.others(idx, |at| {
                if std::mem::replace(&mut last[at], idx as u32 / 64 + 1) != idx as u32 / 64 + 1 {
                    n_limbs[at] += 1;
                }
            });
        }
        let total = n_limbs.iter().map(|n| *n as usize).sum();
        let mut transposed = SparseLines::zeros(self.n_lines(), self.len, total)?;
        transposed.places.resize(total, 0);
        transposed.limbs.resize(total, 0);
        transposed.n_used = total;
        transposed.n_on_ones = if ground { self.len } else { 0 };
        let mut start = 0;
        for (span, n) in transposed.spans.iter_mut().zip(&n_limbs) {
            *span = Span::new(start, 0, *n as usize, ground);
            start += *n as usize;
        }
        for idx in 0..self.n_lines() {
            if idx % POLL_LINES == 0 && !go_on() {
                return Ok(None);
            }
            let (place, mask) = ((idx / 64) as u32, 1 << (idx % 64));
            let of_ground = transposed.ground_limb(ground, idx / 64);
            self.others(idx, |at| {
                let Span { start, len, .. } = &mut transposed.spans[at];
                let end = *start + *len as usize;
                if *len > 0 && transposed.places[end - 1] == place {
                    transposed.limbs[end - 1] ^= mask;
                } else {
                    (transposed.places[end], transposed.limbs[end]) = (place, of_ground ^ mask);
                    *len += 1;
                }
            });
        }
        Ok(Some(transposed))
    }

    /// Returns the maximum number of bytes for the transposition.
    pub fn bytes_to_transpose(&self) -> u64 {
        let others = (0..self.n_lines()).map(|idx| {
            let line = self.line(idx);
            let of_ground = |place: u32| self.ground_limb(line.ground, place as usize);
            line.each()
                .map(|(at, limb)| (limb ^ of_ground(at)).count_ones() as usize)
                .sum::<usize>()
        });
        SparseLines::bytes_for(self.len, others.sum())
    }

    /// Calls `each` with the indices of the bits of a line that differ from its ground, ascending.
    fn others(&self, idx: usize, mut each: impl FnMut(usize)) {
        let line = self.line(idx);
        for (place, limb) in line.each() {
            bits_of(
                place as usize,
                limb ^ self.ground_limb(line.ground, place as usize),
                &mut each,
            );
        }
    }

    /// Calls `each` with the indices of the ones of a line, ascending.
    pub fn ones(&self, idx: usize, mut each: impl FnMut(usize)) {
        let line = self.line(idx);
        if line.ground {
            for place in 0..self.len.div_ceil(64) {
                bits_of(place, self.limb(idx, place), &mut each);
            }
            return;
        }
        line.each().for_each(|(place, limb)| bits_of(place as usize, limb, &mut each));
    }

    /// Returns the number of ones.
    pub fn count_ones(&self) -> u64 {
        let counts = (0..self.n_lines()).map(|idx| {
            let line = self.line(idx);
            let listed: u64 = line.limbs.iter().map(|limb| u64::from(limb.count_ones())).sum();
            let of_ground =
                |place: &u32| u64::from(self.ground_limb(true, *place as usize).count_ones());
            match line.ground {
                true => self.len as u64 - line.places.iter().map(of_ground).sum::<u64>() + listed,
                false => listed,
            }
        });
        counts.sum()
    }
}

/// The number of lines between two calls of `go_on`.
const POLL_LINES: usize = 1 << 16;

/// Returns a vector of `len` zeros.
fn vec_of(len: usize) -> Result<Vec<u32>, OutOfMemory> {
    let mut list = Vec::new();
    reserve(&mut list, len)?;
    list.resize(len, 0);
    Ok(list)
}
