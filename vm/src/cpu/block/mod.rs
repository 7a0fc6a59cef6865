//! Two-dimensional blocks: a `forall` over rows or columns of one table, many of them at a time.
//!
//! Note [Blocks]. A body that loads lines of its own index, combines them with each other and with slices
//! or words from outside, and stores one, needs no registers: its instructions run over a block of lines,
//! each of them as a loop over the block, so that they are looked at once per block. Before anything
//! changes, every guard is tested for all iterations at once; if one would fail, or a table does not
//! lie in the form that is needed, the loop runs as it is written.

mod compile;
mod run;

use star_ir::LogicOp;

use super::code::{Reg, Size};
use super::table::Line;

pub(super) use compile::{Names, compile};

/// A body that runs over blocks.
#[derive(Clone, Debug)]
pub(super) struct BlockCode {
    line: Line,
    /// The table that is written.
    target: Reg,
    ops: Vec<BlockOp>,
    n_buffers: usize,
    /// Tables whose lines are indexed, and slices and words from outside.
    tables: Vec<Reg>,
    outer: Vec<Reg>,
    sizes: Vec<(LineSize, LineSize)>,
    /// Elementary operations of an iteration.
    cost: u64,
}

/// What is done to every line of a block.
#[derive(Clone, Copy, Debug)]
enum BlockOp {
    /// A buffer takes the line of a table.
    Load {
        to: usize,
        table: Reg,
    },
    Copy {
        to: usize,
        from: Source,
    },
    Not {
        to: usize,
        from: Source,
    },
    Logic {
        op: LogicOp,
        to: usize,
        left: Source,
        right: Source,
    },
    /// The line of the target takes bits.
    Store {
        from: Source,
    },
    /// The line of the target takes itself combined with bits from outside.
    Update {
        op: LogicOp,
        with: Reg,
    },
}

/// Where bits come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// The line's own.
    Buffer(usize),
    /// A slice or word that is the same for all lines.
    Outer(Reg),
}

/// A size in a guard: that of a line, or one from outside.
#[derive(Clone, Copy, Debug)]
enum LineSize {
    Line,
    Outer(Size),
}

impl BlockCode {
    /// How many lines the target has.
    fn n_lines(&self) -> Size {
        match self.line {
            Line::Row => Size::Rows(self.target),
            Line::Column => Size::Columns(self.target),
        }
    }

    /// How long a line of the target is.
    fn length(&self) -> Size {
        match self.line {
            Line::Row => Size::Columns(self.target),
            Line::Column => Size::Rows(self.target),
        }
    }
}
