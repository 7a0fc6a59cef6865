//! Lines that are split into ranges of bits, and joined again.

use std::ops::Range;

use super::{SparseLines, ground_limb};
use crate::limbs::OutOfMemory;

impl SparseLines {
    /// Returns these bits of all lines, on the same grounds.
    ///
    /// # Errors
    /// If the system refuses the memory.
    pub fn cut(&self, range: Range<usize>) -> Result<Self, OutOfMemory> {
        let within = |places: &[u32]| {
            let first = places.partition_point(|place| (*place as usize + 1) * 64 <= range.start);
            let end = places.partition_point(|place| (*place as usize) * 64 < range.end);
            first..end.max(first)
        };
        let n_limbs = (0..self.n_lines()).map(|idx| within(self.line(idx).places).len()).sum();
        let mut part = SparseLines::zeros(range.len(), self.n_lines(), n_limbs)?;
        let mut moved = Vec::new();
        for idx in 0..self.n_lines() {
            let line = self.line(idx);
            moved.clear();
            for at in within(line.places) {
                let place = line.places[at] as usize;
                let differing = line.limbs[at] ^ self.ground_limb(line.ground, place);
                move_limb((place, differing), &range, 0, &mut moved);
            }
            part.set_differing(idx, line.ground, &moved)?;
        }
        Ok(part)
    }

    /// Returns the lines with the bits of all parts one after another; inverse of
    /// [`SparseLines::cut`]. The parts have the same number of lines.
    ///
    /// # Errors
    /// If the system refuses the memory.
    pub fn join(parts: &[SparseLines]) -> Result<Self, OutOfMemory> {
        let n_lines = parts.first().map_or(0, SparseLines::n_lines);
        let len = parts.iter().map(SparseLines::len).sum();
        let n_limbs = parts.iter().map(SparseLines::n_limbs).sum();
        let mut whole = SparseLines::zeros(len, n_lines, n_limbs)?;
        let mut moved = Vec::new();
        for idx in 0..n_lines {
            moved.clear();
            let ground = parts.iter().all(|part| part.line(idx).ground);
            let mut start = 0;
            for part in parts {
                let all = 0..part.len();
                let line = part.line(idx);
                if line.ground == ground {
                    for (place, limb) in line.each() {
                        let differing = limb ^ part.ground_limb(ground, place as usize);
                        move_limb((place as usize, differing), &all, start, &mut moved);
                    }
                } else {
                    for place in 0..part.len().div_ceil(64) {
                        let differing = part.limb(idx, place) ^ part.ground_limb(ground, place);
                        move_limb((place, differing), &all, start, &mut moved);
                    }
                }
                start += part.len();
            }
            whole.set_differing(idx, ground, &moved)?;
        }
        Ok(whole)
    }

    /// Returns the lines of all parts one after another. The lines have the same length.
    ///
    /// # Errors
    /// If the system refuses the memory.
    pub fn append_all(parts: &[SparseLines]) -> Result<Self, OutOfMemory> {
        let len = parts.first().map_or(0, SparseLines::len);
        let n_lines = parts.iter().map(SparseLines::n_lines).sum();
        let n_limbs = parts.iter().map(SparseLines::n_limbs).sum();
        let mut whole = SparseLines::zeros(len, n_lines, n_limbs)?;
        let lines = parts.iter().flat_map(|part| (0..part.n_lines()).map(|idx| part.line(idx)));
        for (idx, line) in lines.enumerate() {
            whole.set(idx, line.ground, line.each())?;
        }
        Ok(whole)
    }

    /// Replaces a line by its ground, except for these bits.
    fn set_differing(
        &mut self,
        idx: usize,
        ground: bool,
        differing: &[(u32, u64)],
    ) -> Result<(), OutOfMemory> {
        let len = self.len;
        let limbs = differing
            .iter()
            .map(|(place, limb)| (*place, limb ^ ground_limb(len, ground, *place as usize)));
        self.set(idx, ground, limbs)
    }
}

/// Appends the ones of a limb in a range of bits, as if the range began at bit `to`.
fn move_limb(
    (place, limb): (usize, u64),
    range: &Range<usize>,
    to: usize,
    moved: &mut Vec<(u32, u64)>,
) {
    let at = place * 64;
    let below = |bit: usize| match bit.saturating_sub(at) {
        n @ 0..64 => (1 << n) - 1,
        _ => !0,
    };
    let limb = limb & below(range.end) & !below(range.start);
    if limb == 0 {
        return;
    }
    let first = limb.trailing_zeros() as usize;
    let target = at + first - range.start + to;
    let (limb, shift) = (limb >> first, target % 64);
    let mut append = |place: usize, limb: u64| match moved.last_mut() {
        _ if limb == 0 => {}
        Some((last, ones)) if *last as usize == place => *ones |= limb,
        Some(_) | None => moved.push((place as u32, limb)),
    };
    append(target / 64, limb << shift);
    if shift > 0 {
        append(target / 64 + 1, limb >> (64 - shift));
    }
}
