//! The memory that a tape processes, and its division into pieces.

use super::record::PortId;

/// The memory of a port: one line, or a family of lines of which line i begins at limb `i *
/// stride`. With a stride of 0 all lines are the same.
pub(crate) enum Lane<'m> {
    Read { limbs: &'m [u64], stride: usize },
    Written { limbs: &'m mut [u64], stride: usize },
}

impl Default for Lane<'_> {
    fn default() -> Self {
        Lane::Read { limbs: &[], stride: 0 }
    }
}

impl<'m> Lane<'m> {
    /// Splits off the first limbs.
    pub(super) fn split(&mut self, n_limbs: usize) -> Lane<'m> {
        match self {
            Lane::Read { limbs, stride } => {
                let (first, rest) = limbs.split_at(n_limbs.min(limbs.len()));
                *limbs = rest;
                Lane::Read { limbs: first, stride: *stride }
            }
            Lane::Written { limbs, stride } => {
                let n_limbs = n_limbs.min(limbs.len());
                let (first, rest) = std::mem::take(limbs).split_at_mut(n_limbs);
                *limbs = rest;
                Lane::Written { limbs: first, stride: *stride }
            }
        }
    }

    /// Splits off the first lines; the shared line remains.
    pub(super) fn split_lines(&mut self, n_lines: usize) -> Lane<'m> {
        match self {
            Lane::Read { limbs, stride: 0 } => Lane::Read { limbs, stride: 0 },
            Lane::Read { stride, .. } | Lane::Written { stride, .. } => {
                let n_limbs = n_lines.saturating_mul(*stride);
                self.split(n_limbs)
            }
        }
    }

    /// Returns whether it holds this number of limbs of every line, or zeros after them.
    pub(super) fn holds(&self, n_limbs: usize) -> bool {
        match self {
            Lane::Read { limbs, stride: 0 } => limbs.len() >= n_limbs,
            Lane::Read { stride, .. } | Lane::Written { stride, .. } => *stride >= n_limbs,
        }
    }

    /// Returns whether it holds a separate line for each line.
    pub(super) fn has_lines(&self) -> bool {
        match self {
            Lane::Read { stride, .. } | Lane::Written { stride, .. } => *stride > 0,
        }
    }
}

/// Destination of an additional copy of one limb of each written line.
pub(crate) struct Echo<'m> {
    /// The port that is written.
    pub(crate) port: PortId,
    /// The index of the limb in its lines.
    pub(crate) limb: usize,
    /// That limb of all lines.
    pub(crate) limbs: &'m mut [u64],
}

impl<'m> Echo<'m> {
    /// Splits off the first lines.
    pub(super) fn split_lines(&mut self, n_lines: usize) -> Echo<'m> {
        let (first, rest) = std::mem::take(&mut self.limbs).split_at_mut(n_lines);
        self.limbs = rest;
        Echo { limbs: first, ..*self }
    }
}

/// Some limbs of all lanes, or some of their lines.
pub(super) struct Piece<'m> {
    /// The first limb.
    pub(super) start: usize,
    pub(super) n_limbs: usize,
    /// The first line, and the lines to process.
    pub(super) first_line: usize,
    pub(super) lines: &'m [usize],
    pub(super) lanes: Vec<Lane<'m>>,
    pub(super) echo: Option<Echo<'m>>,
}

/// The rest of the lanes, from some line on.
pub(super) struct Rest<'m> {
    pub(super) first_line: usize,
    pub(super) lanes: Vec<Lane<'m>>,
    pub(super) echo: Option<Echo<'m>>,
}

impl<'m> Rest<'m> {
    /// Splits off the part of these ascending lines.
    pub(super) fn split(&mut self, lines: &[usize]) -> Rest<'m> {
        let (Some(first), Some(last)) = (lines.first(), lines.last()) else {
            return Rest { first_line: self.first_line, lanes: Vec::new(), echo: None };
        };
        let (before, n_lines) = (first - self.first_line, last + 1 - first);
        let lanes = self.lanes.iter_mut().map(|lane| {
            lane.split_lines(before);
            lane.split_lines(n_lines)
        });
        let lanes = lanes.collect();
        let echo = self.echo.as_mut().map(|echo| {
            echo.split_lines(before);
            echo.split_lines(n_lines)
        });
        self.first_line = last + 1;
        Rest { first_line: *first, lanes, echo }
    }
}

/// Splits the first limbs off all lanes.
pub(super) fn split<'m>(lanes: &mut [Lane<'m>], n_limbs: usize) -> Vec<Lane<'m>> {
    lanes.iter_mut().map(|lane| lane.split(n_limbs)).collect()
}
