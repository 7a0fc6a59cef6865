//! Construction of lines from external lists.

use super::{Span, SparseLines, ground_limb, reserve};
use crate::limbs::OutOfMemory;

/// The reason why lists are invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrongParts {
    /// The system refuses the memory, or a line has 2³¹ limbs or more.
    OutOfMemory(OutOfMemory),
    /// The positions of this line (from 0) do not ascend or exceed its end; a limb has ones beyond
    /// the end or is equal to the ground; or the lists end before the line does.
    Line(usize),
    /// The lists continue after the last line.
    TooLong,
}

impl From<OutOfMemory> for WrongParts {
    fn from(refused: OutOfMemory) -> Self {
        WrongParts::OutOfMemory(refused)
    }
}

impl SparseLines {
    /// Creates lines of `len` bits: for each one its ground and the number of limbs that differ
    /// from it; the positions and limbs of all lines, one line after another.
    ///
    /// # Errors
    /// If the lists are invalid for lines of this length, or the system refuses the memory.
    pub fn from_parts(
        len: usize,
        of_lines: impl ExactSizeIterator<Item = (bool, u32)>,
        places: Vec<u32>,
        limbs: Vec<u64>,
    ) -> Result<Self, WrongParts> {
        let mut lines = SparseLines::zeros(len, 0, 0)?;
        reserve(&mut lines.spans, of_lines.len())?;
        let n_places = len.div_ceil(64);
        let mut start = 0;
        for (idx, (ground, n_limbs)) in of_lines.enumerate() {
            let wrong = WrongParts::Line(idx);
            let end = start + n_limbs as usize;
            let (Some(places), Some(limbs)) = (places.get(start..end), limbs.get(start..end))
            else {
                return Err(wrong);
            };
            let is_in_order = places.is_sorted_by(|before, after| before < after)
                && places.last().is_none_or(|last| (*last as usize) < n_places);
            let is_right = |(place, limb): (&u32, &u64)| {
                let place = *place as usize;
                *limb != ground_limb(len, ground, place)
                    && limb & !ground_limb(len, true, place) == 0
            };
            if !is_in_order || !places.iter().zip(limbs).all(is_right) {
                return Err(wrong);
            }
            lines.spans.push(Span::new(start, n_limbs, n_limbs as usize, ground));
            lines.n_on_ones += usize::from(ground);
            start = end;
        }
        if (start, start) != (places.len(), limbs.len()) {
            return Err(WrongParts::TooLong);
        }
        (lines.places, lines.limbs, lines.n_used) = (places, limbs, start);
        Ok(lines)
    }
}
