//! Kernels over lines: a `forall` over rows or columns of tables, many of them at a time.
//!
//! Note [Lines]. A body that loads lines of its index, combines them with each other and with
//! slices or words from outside, and stores one, needs no registers: it is a tape whose ports are
//! families of lines, planned once and run over blocks of them (Note [Strips] in
//! `crate::tape::run`). Before anything changes, every guard is tested for all iterations at once.
//! If one would fail, or a table is not stored in the required layout, the loop runs as written,
//! and traps where that traps.

mod queries;
mod reduce;
mod run;

use super::loop_kernels::LoopKernel;
use super::operand::{Reg, Size};
use super::table::form::Line;
use crate::tape::Plan;

pub(super) use queries::{LineQueries, Num, Outside, Scratch as QueryScratch, Step, Truth};
pub(super) use reduce::LineReduction;

/// The kernel of a body that works on lines.
#[derive(Clone, Debug)]
pub(super) enum Kernel {
    /// It stores lines.
    Lines(Box<LineKernel>),
    /// It combines lines.
    Reduction(LineReduction),
    /// It queries lines, and combines the results or writes components.
    Queries(Box<LineQueries>),
}

/// A body that stores lines.
#[derive(Clone, Debug)]
pub(super) struct LineKernel {
    /// The table that is written.
    target: Reg,
    body: LineTape,
    /// Elementary operations of an iteration.
    cost: u64,
    /// The same kernel over columns, for masks with few ones: it visits only the limbs with ones.
    masked: Option<Box<LoopKernel>>,
}

/// The operations on lines.
#[derive(Clone, Debug)]
pub(super) struct LineTape {
    pub(super) line: Line,
    pub(super) plan: Plan,
    /// The sources of the ports of the plan.
    pub(super) ports: Vec<Port>,
    /// Tables whose lines are indexed.
    pub(super) tables: Vec<Reg>,
    /// Slices and words from outside.
    pub(super) outer: Vec<Reg>,
    pub(super) guards: Guards,
}

/// Conditions on sizes.
#[derive(Clone, Debug, Default)]
pub(super) struct Guards {
    /// Sizes that the indices must not exceed.
    pub(super) limits: Vec<Size>,
    /// Sizes that must agree.
    pub(super) sizes: Vec<(LineSize, LineSize)>,
}

/// The source of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Port {
    /// The lines of a table.
    Lines(Reg),
    /// A slice or word that is the same for all lines.
    Outer(Reg),
}

/// A size in a guard: that of a line, or one from outside.
#[derive(Clone, Copy, Debug)]
pub(super) enum LineSize {
    Line,
    Outer(Size),
}

/// The operands of a kernel.
pub(super) struct Operands<'k> {
    pub(super) line: Line,
    /// Tables whose lines are indexed.
    pub(super) tables: Vec<Reg>,
    /// Slices and words from outside.
    pub(super) outer: Vec<Reg>,
    pub(super) guards: &'k Guards,
    /// The slice or word into which lines are combined, with the truth table; see
    /// [`LineReduction`].
    pub(super) combined: Option<(Reg, u8)>,
    /// Whether an iteration depends on its line only through its components.
    pub(super) is_bitwise: bool,
}

impl Kernel {
    /// Returns its operands.
    pub(super) fn operands(&self) -> Operands<'_> {
        match self {
            Kernel::Lines(kernel) => {
                let LineKernel { target, body, cost: _, masked: _ } = &**kernel;
                let tables = body.tables.iter().copied().chain([*target]).collect();
                let (line, outer, guards) = (body.line, body.outer.clone(), &body.guards);
                Operands { line, tables, outer, guards, combined: None, is_bitwise: true }
            }
            Kernel::Reduction(reduction) => reduction.operands(),
            Kernel::Queries(queries) => queries.operands(),
        }
    }
}

impl LineKernel {
    pub(super) fn new(target: Reg, body: LineTape, cost: u64) -> Self {
        LineKernel { target, body, cost, masked: None }
    }

    /// Lets the kernel run as this loop if its mask has few ones.
    pub(super) fn or_masked(mut self, masked: Option<Box<LoopKernel>>) -> Self {
        self.masked = masked.filter(|masked| masked.is_masked());
        self
    }
}

impl Line {
    /// Returns the number of such lines of the table.
    pub(super) fn number_of(self, table: Reg) -> Size {
        match self {
            Line::Row => Size::Rows(table),
            Line::Column => Size::Columns(table),
        }
    }

    /// Returns their length.
    pub(super) fn length_of(self, table: Reg) -> Size {
        match self {
            Line::Row => Size::Columns(table),
            Line::Column => Size::Rows(table),
        }
    }
}
