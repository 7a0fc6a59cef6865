//! The parameters of the dispatches of a loop.

use crate::grid::{Given, Kernel, Launch};
use crate::lift::{ACROSS, DOWN, FIRST_PORT, PIVOTS_AT_ONCE, SHARE};
use crate::value::Sizes;

/// The pivots of a loop, in order: `n` of them from `first` on, counted from 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pivots {
    pub(super) first: u32,
    /// 1 or, modulo 2³², −1.
    pub(super) step: u32,
    pub(super) n: u32,
}

impl Pivots {
    /// Returns the line of a pivot.
    fn line(&self, pivot: u32) -> u32 {
        self.first.wrapping_add(self.step.wrapping_mul(pivot))
    }

    /// Returns the least line of `n` pivots from this one on.
    pub(super) fn least_line(&self, pivot: u32, n: u32) -> u32 {
        self.line(pivot).min(self.line(pivot + n.max(1) - 1))
    }
}

/// A table that dispatches change.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) at: u32,
    pub(super) stride: u32,
    pub(super) rows: u32,
    pub(super) columns: u32,
    /// The copies of the columns of the pivots of a dispatch, and of the next one.
    pub(super) copies: u32,
    /// The numbers of iterations.
    pub(super) counts: u32,
}

impl Part {
    pub(super) fn limbs(&self) -> u32 {
        self.rows.div_ceil(32)
    }

    /// Returns the number of limbs that a dispatch with this number of pivots could access in its
    /// time: eight pivots at once take as long as three to five.
    pub(super) fn work(&self, n_pivots: u32) -> u64 {
        u64::from(self.limbs()) * u64::from(self.columns) * u64::from(n_pivots.div_ceil(2))
    }

    pub(super) fn groups(&self) -> [u32; 2] {
        [self.limbs().div_ceil(ACROSS), self.columns.div_ceil(DOWN * SHARE)]
    }
}

/// A table of copied rows: the first bit of each column is this row.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rows {
    pub(super) at: u32,
    pub(super) stride: u32,
    pub(super) first: u32,
}

impl Rows {
    /// Returns the table for the rows of a dispatch; the next dispatch has another one.
    pub(super) fn of_dispatch(at: u32, columns: u32, number: u32, least_line: u32) -> Rows {
        let stride = Rows::STRIDE;
        Rows { at: at + number % 2 * stride * columns, stride, first: least_line & !31 }
    }

    /// Words of a column: few rows may be in two limbs.
    pub(super) const STRIDE: u32 = 2;
}

/// Rows that a dispatch copies.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Kept {
    pub(super) to: Rows,
    /// The first one.
    pub(super) from: u32,
    pub(super) n: u32,
}

/// The parameters that all dispatches of a loop have in common.
pub(super) struct Dispatches {
    pub(super) kernel: Kernel,
    pub(super) pivots: Pivots,
    /// The iterations.
    pub(super) range: (u32, u32),
    pub(super) ports: Vec<u32>,
}

impl Dispatches {
    /// Returns dispatch `number` of a part, with `n` pivots from `pivot` on, whose rows are in
    /// `rows`. It copies the columns of the next `n_next` pivots, and rows.
    pub(super) fn launch(
        &self,
        part: &Part,
        (number, pivot, n, n_next): (u32, u32, u32, u32),
        rows: Rows,
        kept: Kept,
    ) -> Launch {
        let pivots = &self.pivots;
        let copies = |number: u32| part.copies + number % 2 * PIVOTS_AT_ONCE * part.limbs();
        let Kept { to, from, n: n_kept } = kept;
        let mut given: Given = [0; 32];
        given[..22].copy_from_slice(&[
            part.at,
            part.stride,
            part.rows,
            part.columns,
            pivots.line(pivot),
            pivots.step,
            n,
            pivots.line(pivot + n),
            copies(number),
            copies(number + 1),
            rows.at,
            to.at,
            part.counts,
            self.range.0,
            self.range.1,
            n_next,
            rows.stride,
            rows.first,
            to.stride,
            to.first,
            from,
            from + n_kept,
        ]);
        given[FIRST_PORT..FIRST_PORT + self.ports.len()].copy_from_slice(&self.ports);
        Launch { kernel: self.kernel, groups: part.groups(), given }
    }

    /// Returns all dispatches of a table that has the rows of all pivots; copies of rows are from
    /// `rows_at` on.
    pub(super) fn whole(&self, part: &Part, rows_at: u32, has_pivots: bool) -> Vec<Launch> {
        let at_once = if has_pivots { PIVOTS_AT_ONCE } else { 1 };
        let n_pivots = self.pivots.n;
        let launch = |number: u32, pivot: u32, n: u32| {
            let next = pivot + n;
            let n_next = (n_pivots - next).min(at_once);
            let rows = |number: u32, pivot: u32, n: u32| {
                Rows::of_dispatch(rows_at, part.columns, number, self.pivots.least_line(pivot, n))
            };
            let kept = match n_next {
                0 => Kept::default(),
                n => {
                    let from = self.pivots.least_line(next, n);
                    Kept { to: rows(number + 1, next, n), from, n }
                }
            };
            self.launch(part, (number, pivot, n, n_next), rows(number, pivot, n), kept)
        };
        let before = has_pivots.then(|| launch(1, 0, 0));
        let pivots = (0..n_pivots.div_ceil(at_once)).map(|number| {
            let pivot = number * at_once;
            launch(number, pivot, (n_pivots - pivot).min(at_once))
        });
        before.into_iter().chain(pivots).collect()
    }
}

impl From<&crate::run::Placed> for Part {
    fn from(placed: &crate::run::Placed) -> Self {
        let Sizes { kind: _, rows, columns } = placed.sizes;
        Part { at: placed.at, stride: placed.stride, rows, columns, copies: 0, counts: 0 }
    }
}
