//! Selection of rows and columns that fit in the available space.

use std::ops::Range;

use star_value::BitVector;

/// Ascending indices from 0, with gaps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Places {
    runs: Vec<Range<usize>>,
}

/// A row or column of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    /// A shown index.
    Destination(usize),
    /// A gap.
    Gap,
}

impl Places {
    /// Returns all of `range`, or its two ends with a gap between them if it has more than `room`
    /// indices; gap and ends fill the room.
    pub(super) fn ends(range: Range<usize>, room: usize) -> Self {
        let room = room.max(3);
        if range.len() <= room {
            return Places { runs: vec![range] };
        }
        let tail = (room - 1) / 2;
        let head = room - 1 - tail;
        Places { runs: vec![range.start..range.start + head, range.end - tail..range.end] }
    }

    /// Returns all of `range` if it fits; otherwise parts of its ends, and between them the indices
    /// marked by `marks`.
    pub(super) fn marked(range: Range<usize>, room: usize, marks: Option<&BitVector>) -> Self {
        let Some(marks) = marks.filter(|_| range.len() > room) else {
            return Places::ends(range, room);
        };
        // Every shown index may be followed by a gap.
        let ends = (room / 5).max(1);
        let middle = range.start + ends..range.end - ends;
        let mut left = (room.saturating_sub(2 * ends) / 2).max(1);
        let mut places = Places::of(range.start..range.start + ends, ends);
        for place in Ones::new(marks, middle) {
            if left == 0 {
                break;
            }
            left -= 1;
            places.push(place);
        }
        if left > 0 && places.runs.len() == 1 {
            return Places::ends(range, room);
        }
        for place in range.end - ends..range.end {
            places.push(place);
        }
        places
    }

    /// Returns these ascending indices, at most `room` of them.
    pub(super) fn of(places: impl Iterator<Item = usize>, room: usize) -> Self {
        let mut shown = Places::default();
        places.take(room).for_each(|place| shown.push(place));
        shown
    }

    fn push(&mut self, place: usize) {
        match self.runs.last_mut() {
            Some(run) if run.end == place => run.end += 1,
            _ => self.runs.push(place..place + 1),
        }
    }

    /// Returns runs without gaps.
    pub(super) fn runs(&self) -> impl Iterator<Item = Range<usize>> {
        self.runs.iter().filter(|run| !run.is_empty()).cloned()
    }

    /// Returns the indices, with gaps between runs.
    pub(super) fn positions(&self) -> impl Iterator<Item = At> {
        self.runs().enumerate().flat_map(|(idx, run)| {
            (idx > 0).then_some(At::Gap).into_iter().chain(run.map(At::Destination))
        })
    }

    /// Tests whether nothing is shown.
    pub(super) fn is_empty(&self) -> bool {
        self.runs().next().is_none()
    }

    /// Returns the last index shown.
    pub(super) fn last(&self) -> Option<usize> {
        self.runs().last().map(|run| run.end - 1)
    }
}

/// The set bits of a vector within a range, found limb by limb.
struct Ones<'a> {
    bits: &'a BitVector,
    next: usize,
    end: usize,
}

impl<'a> Ones<'a> {
    fn new(bits: &'a BitVector, range: Range<usize>) -> Self {
        Ones { bits, next: range.start, end: range.end.min(bits.len()) }
    }
}

impl Iterator for Ones<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        while self.next < self.end {
            let rest = self.bits.limbs().get(self.next / 64)? >> (self.next % 64);
            if rest == 0 {
                self.next = (self.next / 64 + 1) * 64;
                continue;
            }
            let place = self.next + rest.trailing_zeros() as usize;
            self.next = place + 1;
            return (place < self.end).then_some(place);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(places: &Places) -> String {
        let shown = places.positions().map(|at| match at {
            At::Destination(place) => place.to_string(),
            At::Gap => "…".to_owned(),
        });
        shown.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn ends_and_gap_fill_the_available_space() {
        assert_eq!(text(&Places::ends(0..5, 5)), "0 1 2 3 4");
        assert_eq!(text(&Places::ends(0..6, 5)), "0 1 … 4 5");
        assert_eq!(text(&Places::ends(10..20, 4)), "10 11 … 19");
        assert_eq!(text(&Places::ends(3..3, 4)), "");
    }

    #[test]
    fn marked_indices_are_shown_between_the_ends() {
        let mut marks = BitVector::zeros(1000);
        for place in [0, 70, 71, 640, 641, 642, 999] {
            marks.put(place, true);
        }
        let shown = Places::marked(0..1000, 10, Some(&marks));
        assert_eq!(text(&shown), "0 1 … 70 71 … 640 … 998 999");
        let none = BitVector::zeros(1000);
        assert_eq!(Places::marked(0..1000, 9, Some(&none)), Places::ends(0..1000, 9));
        assert_eq!(text(&Places::marked(0..3, 9, Some(&marks))), "0 1 2");
    }
}
