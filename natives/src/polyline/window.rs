//! The greatest row of a window that only moves forwards.

/// Neighbouring points of a guide that are worked on at once.
pub(super) const N_LANES: usize = 64;

/// A number for each of them.
pub(super) type Lanes = [i32; N_LANES];

/// What is less than every score.
pub(super) const NONE: i32 = i32::MIN;

/// Rows of numbers, and the maxima, lane by lane, over a window of rows whose ends never move back.
///
/// It is a queue of two stacks: rows before `split` hold the maximum from themselves to there, and `behind` is that
/// of the rows from there to the end of the window. So every row is compared three times, however long the window
/// is.
pub(super) struct Window {
    rows: Vec<Lanes>,
    split: usize,
    end: usize,
    behind: Lanes,
}

impl Window {
    /// An empty window at the first row.
    pub(super) fn new(rows: Vec<Lanes>) -> Self {
        Window { rows, split: 0, end: 0, behind: [NONE; N_LANES] }
    }

    /// The maxima of the rows from `start` to `end`, without that one; neither is less than in the last call.
    pub(super) fn maxima(&mut self, start: usize, end: usize) -> Lanes {
        while self.end < end {
            raise(&mut self.behind, &self.rows[self.end]);
            self.end += 1;
        }
        if start >= end {
            return [NONE; N_LANES];
        }
        if start >= self.split {
            for idx in (start..end - 1).rev() {
                let (row, next) = self.rows.split_at_mut(idx + 1);
                raise(&mut row[idx], &next[0]);
            }
            self.split = end;
            self.behind = [NONE; N_LANES];
        }
        let mut maxima = self.rows[start];
        raise(&mut maxima, &self.behind);
        maxima
    }
}

/// Each lane becomes the greater one.
fn raise(lanes: &mut Lanes, others: &Lanes) {
    for (lane, other) in lanes.iter_mut().zip(others) {
        *lane = (*lane).max(*other);
    }
}
