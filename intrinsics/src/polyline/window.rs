//! The maximum row of a window that only moves forwards.

use crate::environment::Ended;

/// Neighbouring points of a guide that are processed at once.
pub(super) const N_LANES: usize = 64;

/// One number for each of them.
pub(super) type Lanes = [i32; N_LANES];

/// Less than every score.
pub(super) const NONE: i32 = i32::MIN;

/// Rows of numbers, and the maxima, lane by lane, over a window of rows whose ends never move back.
///
/// It is a queue of two stacks: rows before `split` hold the maximum from themselves to `split`,
/// and `behind` is the maximum of the rows from there to the end of the window. So every row is
/// compared three times, regardless of the length of the window. A row is fetched when the window
/// reaches it, while it is still in the cache.
pub(super) struct Window<'a> {
    /// The rows up to the end of the window.
    rows: &'a mut Vec<Lanes>,
    split: usize,
    behind: Lanes,
}

impl<'a> Window<'a> {
    /// An empty window before row 0 of at most `n_rows`; the memory for the rows is reused.
    pub(super) fn new(rows: &'a mut Vec<Lanes>, n_rows: usize) -> Result<Self, Ended> {
        rows.clear();
        rows.try_reserve_exact(n_rows).map_err(|_| Ended::OutOfMemory)?;
        Ok(Window { rows, split: 0, behind: [NONE; N_LANES] })
    }

    /// Adds the maxima of the rows from `start` to `end`, exclusive, to a row; neither bound may be
    /// less than in the last call. Rows come from `fetch`, in order.
    #[inline(always)]
    pub(super) fn add_maxima(
        &mut self,
        (start, end): (usize, usize),
        fetch: impl Fn(usize) -> Lanes,
        to: &mut Lanes,
    ) {
        while self.rows.len() < end {
            let row = fetch(self.rows.len());
            raise(&mut self.behind, &row);
            self.rows.push(row);
        }
        if start >= end {
            *to = [NONE; N_LANES];
            return;
        }
        if start >= self.split {
            for idx in (start..end - 1).rev() {
                let (row, next) = self.rows.split_at_mut(idx + 1);
                raise(&mut row[idx], &next[0]);
            }
            self.split = end;
            self.behind = [NONE; N_LANES];
        }
        for ((to, front), behind) in to.iter_mut().zip(&self.rows[start]).zip(&self.behind) {
            // Adding a score to [`NONE`] leaves it below zero: all scores of a polyline are below
            // 2^31.
            *to += (*front).max(*behind);
        }
    }
}

/// Each lane becomes the greater of the two.
#[inline(always)]
fn raise(lanes: &mut Lanes, others: &Lanes) {
    for (lane, other) in lanes.iter_mut().zip(others) {
        *lane = (*lane).max(*other);
    }
}
