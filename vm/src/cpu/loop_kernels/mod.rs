//! Loop kernels: a `for` over columns whose turns are logic on columns and slices.
//!
//! Note [Loop kernels]. MATCH, SETMIN, ADDC go from column to column and carry slices from turn to
//! turn. Where slices are too short to be recorded, an instruction takes as long as its bits. So
//! a kernel of SIR (Note [Kernels in order] in star-ir) is planned when it is compiled: one tape for
//! each *way* through its conditions, which may only ask for components of words by the index of
//! the turn. A turn then is the few operations of its way, on columns where they lie.
//!
//! Columns beside that of the turn are found in Note [Shifted columns] in `numbers`.
//!
//! Before anything changes every guard is tested for all turns; if one would fail, or a table does
//! not lie by columns, the loop runs as it is written, and traps where that traps. Long slices are
//! left to the tape, which reads them once for all columns.
//!
//! Note [Few limbs]. ADDC, SETMIN, WMERGE take the rows of a slice, which are often few: arcs that
//! leave a vertex, or edges of a component. Where such a mask is zero the turns change nothing or
//! store zeros (Note [Outside] in `crate::tape::few`), so that they run on those limbs in which it
//! has a one: eight of them at a time, all turns on these before the next eight, and what is
//! carried along stays where it is. So do the turns on short slices, whole. The columns of some
//! dozens of turns are gathered at once (`places`), so that one kernel runs these turns, and what
//! it loads was stored long before. Columns may be those of a sparse table then, and where a sparse
//! table gets zeros outside of the mask, its columns become those limbs alone, so that nothing
//! costs what slices are long; columns of a dense table are cleared where they may be something
//! else (Note [Zeros outside] in `table/zeros`). Long slices, which are recorded otherwise, are
//! worked on so, too, if the mask has a summary; the slices that are written keep theirs. MATCH and
//! HIT only narrow a slice: several columns at once then, so that it is not written in every turn.
//! MATCH runs on few limbs, too, if the table has an index that says which (`words`).

mod numbers;
mod places;
mod run;
mod sparse_mask;
mod words;

use std::collections::BTreeSet;
use std::ops::Range;

use star_base::Limbs;

use super::operand::{Reg, Size};
use crate::tape::{Plan, Tape};

use numbers::{Extremes, NumberId};

pub(super) use numbers::{Computed, Term};

/// A body whose turns are logic on the columns of their index, and on slices.
#[derive(Clone, Debug, Default)]
pub(super) struct LoopKernel {
    /// The loop's state; see `ForBegin`.
    pub(super) state: Reg,
    pub(super) down: bool,
    /// The words that branches ask: way w is taken where the component of word i is bit i of w.
    pub(super) words: Vec<Reg>,
    pub(super) ways: Vec<Way>,
    /// What the ports of all plans stand for; at most [`MOST_PORTS`].
    pub(super) ports: Vec<Port>,
    /// Tables whose columns are indexed, or that have to be set.
    pub(super) tables: Vec<Reg>,
    /// Slices and words that have to be set.
    pub(super) bits: Vec<Reg>,
    /// Numbers that have to be set.
    pub(super) numbers: Vec<Reg>,
    /// What is computed of the index.
    pub(super) computed: Vec<Computed>,
    /// What the index is at most, or a number that is computed of it and at least 1.
    pub(super) limits: Vec<(Option<NumberId>, Size)>,
    /// Sizes that have to agree.
    pub(super) sizes: Vec<(Size, Size)>,
    n_buffers: usize,
    /// How it runs on some limbs alone.
    few: Option<sparse_mask::Few>,
    /// How its turns narrow one slice, if they do that alone.
    narrowing: Option<sparse_mask::Narrowings>,
    /// What it does with rows and a word, if it does nothing else.
    rows: Option<words::RowsAndWord>,
}

impl LoopKernel {
    /// Adds the plans of the ways with these tapes, if they change anything. `live` are the slices
    /// that are needed behind the loop, `carried` those that a turn reads of the one before it.
    pub(super) fn plan(
        mut self,
        mut tapes: Vec<Tape>,
        costs: &[u64],
        live: &BTreeSet<Reg>,
        carried: &BTreeSet<Reg>,
    ) -> Option<LoopKernel> {
        for (tape, cost) in tapes.iter().zip(costs) {
            let plan = Plan::new(tape);
            self.n_buffers = self.n_buffers.max(plan.n_buffers);
            for (port, used) in self.ports.iter_mut().zip(&plan.ports) {
                port.is_written |= used.is_written;
            }
            self.ways.push(Way { plan, cost: *cost, insts: Vec::new() });
        }
        for port in &mut self.ports {
            match port.source {
                Source::Slice(reg) => port.is_new = port.is_written && !carried.contains(&reg),
                Source::Column(..) => {}
            }
        }
        let has_effect = self.ports.iter().any(|port| port.is_written);
        (has_effect && self.ports.len() <= MOST_PORTS).then_some(())?;
        self.few = sparse_mask::Few::of(&self.ports, &mut tapes, live);
        self.narrowing = sparse_mask::Narrowings::of(&self.ports, &tapes);
        self.rows = words::RowsAndWord::of(&self, &tapes);
        Some(self)
    }

    /// Does a port's column stay as it is but on the limbs that are worked on?
    fn keeps_rest_of(&self, port: usize, masked: Option<sparse_mask::MaskedIterations>) -> bool {
        let few = self.few.as_ref().zip(masked);
        few.is_some_and(|(few, masked)| few.keeps_rest_of(port, masked))
    }

    /// Does a port's column become zero but for the limbs of the mask that are worked on?
    fn clears_rest_of(&self, port: usize, masked: Option<sparse_mask::MaskedIterations>) -> bool {
        let few =
            self.few.as_ref().filter(|_| masked == Some(sparse_mask::MaskedIterations::Masked));
        few.is_some_and(|few| few.makes_all_of(port, sparse_mask::MaskedIterations::Masked))
    }

    /// Does it look at columns beside that of the turn?
    fn is_shifted(&self) -> bool {
        self.ports.iter().any(|port| matches!(port.source, Source::Column(_, Some(_))))
    }

    /// Can it run on the limbs of a mask alone?
    pub(super) fn is_masked(&self) -> bool {
        self.few.as_ref().is_some_and(sparse_mask::Few::is_masked)
    }
}

/// A way through the branches of a body.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub(super) plan: Plan,
    /// Elementary operations of a turn.
    pub(super) cost: u64,
    /// The instructions that it stands for, in a profile.
    pub(super) insts: Vec<Range<usize>>,
}

/// What a port stands for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Port {
    pub(super) source: Source,
    pub(super) is_written: bool,
    /// Is it a slice that every way sets before it reads it?
    pub(super) is_new: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The column of the turn, or the one with the number that is computed of the index.
    Column(Reg, Option<NumberId>),
    /// A slice.
    Slice(Reg),
}

/// Most ports of a kernel.
const MOST_PORTS: usize = 16;

/// Most words that branches ask.
pub(super) const MOST_WORDS: usize = 2;

/// Most ways through a body.
const MOST_WAYS: usize = 1 << MOST_WORDS;

/// Memory that kernels use one after another.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    buffers: Vec<Vec<u64>>,
    /// For MIN and MAX.
    pub(super) spare: Limbs,
    /// The limbs that are worked on, if these are few.
    few: Vec<u64>,
    /// The limbs of the rows that take a word, if these are few.
    marked: Vec<u64>,
    /// The column of each turn, from 0, and its way; where columns are shifted, counted from that
    /// of the least index.
    turns: Vec<(usize, usize)>,
    /// The numbers that turns compute.
    values: Vec<Extremes>,
    /// Blocks of limbs that turns on few limbs work with: those in slots, then those of the columns
    /// of some turns.
    blocks: Vec<[u64; places::BLOCK]>,
    /// What a kernel writes while it runs; empty between kernels.
    outputs: Option<Box<run::Outputs>>,
    /// What columns of a sparse table become, turn by turn: as many limbs as are worked on.
    made: Vec<u64>,
}

/// How often each way was taken.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Taken([u64; MOST_WAYS]);
