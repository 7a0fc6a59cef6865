//! A detector of data races between the iterations of a `forall`, its loop-carried dependences: for
//! every bit of every shared variable, it records the iterations that wrote and read it.
//!
//! Two iterations that access the same bit, one of them writing, indicate a defect of the pass that
//! created the `forall`; so does a write outside of the parts that belong to the iteration.

use std::collections::BTreeMap;
use std::ops::Range;

use super::frame::top;
use super::interpreter::Interpreter;
use super::touch::Touch;
use crate::interrupt::{Exec, internal_error};

/// A detector for one `forall`.
pub(super) struct RaceDetector {
    /// The shared variables by tag.
    shared: BTreeMap<u64, Shared>,
    iteration: Option<i64>,
}

/// A variable that the iterations share.
struct Shared {
    name: String,
    own: Option<Own>,
    sizes: Cell,
    /// By column and row; slices, words and scalars have one column.
    cells: Vec<Vec<Cell>>,
}

/// The part of a variable that belongs to the iteration with index i.
#[derive(Clone, Copy)]
pub(super) enum Own {
    /// Columns base + (i−1)·width + 1 ..= base + i·width.
    Columns { base: i64, width: usize },
    /// Row or component i.
    Row,
}

/// Rows and columns from 0; components of slices and words are rows.
#[derive(Clone)]
pub(super) struct Area {
    pub(super) rows: Range<usize>,
    pub(super) columns: Range<usize>,
}

/// The accesses to a bit.
#[derive(Clone, Copy, Default)]
struct Cell {
    written_by: Option<i64>,
    read_by: Readers,
}

#[derive(Clone, Copy, Default)]
enum Readers {
    #[default]
    None,
    One(i64),
    Several,
}

impl Cell {
    /// Returns another iteration that conflicts with this access.
    fn touch(&mut self, iteration: i64, writes: bool) -> Option<Other> {
        let other_writer = self.written_by.filter(|&writer| writer != iteration);
        let other_reader = match self.read_by {
            Readers::None => None,
            Readers::One(reader) if reader == iteration => None,
            Readers::One(reader) => Some(Other::One(reader)),
            Readers::Several => Some(Other::Some),
        };
        if writes {
            self.written_by = Some(iteration);
            other_writer.map(Other::One).or(other_reader)
        } else {
            self.read_by = match self.read_by {
                Readers::None => Readers::One(iteration),
                Readers::One(reader) if reader == iteration => Readers::One(iteration),
                Readers::One(_) | Readers::Several => Readers::Several,
            };
            other_writer.map(Other::One)
        }
    }
}

/// The other iteration of a conflict.
enum Other {
    One(i64),
    Some,
}

impl RaceDetector {
    pub(super) fn new() -> Self {
        RaceDetector { shared: BTreeMap::new(), iteration: None }
    }

    /// Registers a variable.
    pub(super) fn watch(&mut self, tag: u64, name: &str) {
        let shared =
            Shared { name: name.to_owned(), own: None, sizes: Cell::default(), cells: Vec::new() };
        self.shared.insert(tag, shared);
    }

    /// Allows every iteration to write its part of the variable.
    pub(super) fn allow(&mut self, tag: u64, own: Own) {
        if let Some(shared) = self.shared.get_mut(&tag) {
            shared.own = Some(own);
        }
    }

    /// Begins an iteration.
    pub(super) fn begin(&mut self, iteration: i64) {
        self.iteration = Some(iteration);
    }

    /// Records that the iteration accesses an area, or the sizes, of a variable.
    fn touch(&mut self, tag: u64, touch: &Touch, area: &Area, sizes: bool) -> Exec<()> {
        let (Some(iteration), Some(shared)) = (self.iteration, self.shared.get_mut(&tag)) else {
            return Ok(());
        };
        let is_own = !sizes && shared.owns(iteration, area);
        if touch.writes && !is_own {
            return Err(internal_error(format!(
                "iteration {iteration} of a `forall` writes {} of `{}`, outside of its part",
                touch.region, shared.name
            )));
        }
        if let Some(other) = shared.touch(iteration, touch.writes, area, sizes) {
            let other = match other {
                Other::One(other) => format!("iteration {other}"),
                Other::Some => "other iterations".to_owned(),
            };
            return Err(internal_error(format!(
                "iteration {iteration} and {other} of a `forall` conflict in {} of `{}`",
                touch.region, shared.name
            )));
        }
        Ok(())
    }
}

impl Shared {
    fn owns(&self, iteration: i64, area: &Area) -> bool {
        let Some(before) = iteration.checked_sub(1).map(i128::from) else {
            return false;
        };
        let inside = |range: &Range<usize>, from: i128, len: i128| {
            range.is_empty() || (from <= range.start as i128 && range.end as i128 <= from + len)
        };
        match self.own {
            None => false,
            Some(Own::Row) => inside(&area.rows, before, 1),
            Some(Own::Columns { base, width }) => {
                let width = width as i128;
                inside(&area.columns, i128::from(base) + before * width, width)
            }
        }
    }

    fn touch(&mut self, iteration: i64, writes: bool, area: &Area, sizes: bool) -> Option<Other> {
        let mut other = None;
        if sizes {
            other = self.sizes.touch(iteration, writes);
        }
        if self.cells.len() < area.columns.end {
            self.cells.resize_with(area.columns.end, Vec::new);
        }
        for column in &mut self.cells[area.columns.clone()] {
            if column.len() < area.rows.end {
                column.resize(area.rows.end, Cell::default());
            }
            for cell in &mut column[area.rows.clone()] {
                other = other.or(cell.touch(iteration, writes));
            }
        }
        other
    }
}

impl Interpreter<'_, '_, '_> {
    /// Passes the accesses of the innermost routine to every active `forall`.
    pub(super) fn record(&mut self, touches: &[Touch]) -> Exec<()> {
        if self.race_detectors.is_empty() {
            return Ok(());
        }
        let frame = top(&mut self.frames)?;
        for touch in touches {
            let tag = frame.slot(touch.var)?.tag;
            let (area, sizes) = touch.area(frame)?;
            for detector in &mut self.race_detectors {
                detector.touch(tag, touch, &area, sizes)?;
            }
        }
        Ok(())
    }
}
