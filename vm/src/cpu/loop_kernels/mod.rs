//! Loop kernels: `for` loops over columns whose iterations are logic on columns and slices.
//!
//! Note [Loop kernels]. MATCH, SETMIN and ADDC go from column to column and carry slices from one
//! iteration to the next. With short slices, recording an operation takes as long as executing it.
//! A kernel of SIR (Note [Kernels in order] in star-ir) is therefore planned at compile time: one
//! tape for each *way* through its conditions, which may only test components of words at the
//! index of the iteration. An iteration then executes the few operations of its way, in place.
//!
//! For columns at an offset from the index see Note [Shifted columns] in `numbers`.
//!
//! Before anything changes, every guard is tested for all iterations. If one would fail, or a table
//! is not stored by columns, the loop runs as written, and traps where that traps. Long slices are
//! left to the tape, which reads them once for all columns.
//!
//! Note [Few limbs]. ADDC, SETMIN and WMERGE take the rows of a slice, often only a few: the arcs
//! that leave a vertex, or the edges of a component. Where such a mask is zero, the iterations
//! change nothing or store zeros (Note [Outside] in `crate::tape::few`), so they run only on the
//! limbs in which the mask has a one: eight of these limbs at a time, all iterations on them before
//! the next eight. Carried values stay in place. Iterations on short slices run in the same way, on
//! all limbs.
//!
//! The columns of some dozens of iterations are gathered at once (`gather`), so that one kernel
//! runs these iterations, and its loads are far from the stores before them. The columns may be
//! those of a sparse table. Where a sparse table gets zeros outside of the mask, its columns become
//! these limbs alone, so that the cost does not depend on the length of the slices; columns of a
//! dense table are cleared if they may have ones (Note [Zeros outside] in `table/zeros`). Long
//! slices, which are otherwise recorded, are treated in this way, too, if the mask has a summary;
//! the slices that are written keep their summaries.
//!
//! MATCH and HIT only narrow a slice: several columns are combined at once, so that it is not
//! written in every iteration. MATCH runs on few limbs, too, if the table has an index of rows
//! (`words`).

mod gather;
mod numbers;
mod run;
mod sparse_mask;
mod words;

use std::collections::BTreeSet;
use std::ops::Range;

use star_value::Limbs;

use super::operand::{Reg, Size};
use crate::tape::{Plan, Tape};

use numbers::{Extremes, NumberId};

pub(super) use numbers::{Computed, Term};

/// A body whose iterations are logic on columns at linear functions of the index, and on slices.
#[derive(Clone, Debug, Default)]
pub(super) struct LoopKernel {
    /// The loop's state; see `ForBegin`.
    pub(super) state: Reg,
    pub(super) down: bool,
    /// The words that branches test: way w is taken if the component of word i is bit i of w.
    pub(super) words: Vec<Reg>,
    pub(super) ways: Vec<Way>,
    /// The ports of all plans; at most [`MOST_PORTS`].
    pub(super) ports: Vec<Port>,
    /// Tables with indexed columns, and those that must be set.
    pub(super) tables: Vec<Reg>,
    /// Slices and words that must be set.
    pub(super) bits: Vec<Reg>,
    /// Numbers that must be set.
    pub(super) numbers: Vec<Reg>,
    /// Numbers computed from the index.
    pub(super) computed: Vec<Computed>,
    /// The maximum of the index, or of a number computed from it, which is at least 1.
    pub(super) limits: Vec<(Option<NumberId>, Size)>,
    /// Sizes that must agree.
    pub(super) sizes: Vec<(Size, Size)>,
    n_buffers: usize,
    /// Its execution on the limbs of a mask, if it has one.
    few: Option<sparse_mask::Few>,
    /// Its iterations, if they only narrow one slice.
    narrowing: Option<sparse_mask::Narrowings>,
    /// Its use of rows and a word, if it does nothing else.
    rows: Option<words::RowsAndWord>,
}

impl LoopKernel {
    /// Adds the plans of the ways with these tapes, if they have an effect. `live` are the slices
    /// that are used after the loop, `carried` those that an iteration reads from the previous one.
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

    /// Tests whether a port's column is unchanged outside of the limbs of the mask.
    fn keeps_rest_of(&self, port: usize, masked: Option<sparse_mask::MaskedIterations>) -> bool {
        let few = self.few.as_ref().zip(masked);
        few.is_some_and(|(few, masked)| few.keeps_rest_of(port, masked))
    }

    /// Tests whether a port's column becomes zero outside of the limbs of the mask.
    fn clears_rest_of(&self, port: usize, masked: Option<sparse_mask::MaskedIterations>) -> bool {
        let few =
            self.few.as_ref().filter(|_| masked == Some(sparse_mask::MaskedIterations::Masked));
        few.is_some_and(|few| few.makes_all_of(port, sparse_mask::MaskedIterations::Masked))
    }

    /// Tests whether it accesses columns at an offset from the index.
    fn is_shifted(&self) -> bool {
        self.ports.iter().any(|port| matches!(port.source, Source::Column(_, Some(_))))
    }

    /// Tests whether it can run on the limbs of a mask only.
    pub(super) fn is_masked(&self) -> bool {
        self.few.as_ref().is_some_and(sparse_mask::Few::is_masked)
    }
}

/// A way through the branches of a body.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub(super) plan: Plan,
    /// Elementary operations of an iteration.
    pub(super) cost: u64,
    /// Its instructions, for a profile.
    pub(super) insts: Vec<Range<usize>>,
}

/// A port of the plans.
#[derive(Clone, Copy, Debug)]
pub(super) struct Port {
    pub(super) source: Source,
    pub(super) is_written: bool,
    /// Whether it is a slice that every way sets before reading it.
    pub(super) is_new: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The column of the index, or of a number computed from it.
    Column(Reg, Option<NumberId>),
    /// A slice.
    Slice(Reg),
}

/// The maximum number of ports of a kernel.
const MOST_PORTS: usize = 16;

/// The maximum number of words that branches test.
pub(super) const MOST_WORDS: usize = 2;

/// The maximum number of ways through a body.
const MOST_WAYS: usize = 1 << MOST_WORDS;

/// Memory that is reused by all kernels.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    buffers: Vec<Vec<u64>>,
    /// For MIN and MAX.
    pub(super) spare: Limbs,
    /// The limbs of the mask, if they are few.
    few: Vec<u64>,
    /// The limbs with rows that get a word, if they are few.
    marked: Vec<u64>,
    /// The column of each iteration, from 0, and its way; shifted columns are counted from that of
    /// the least index.
    iterations: Vec<(usize, usize)>,
    /// The numbers that iterations compute.
    values: Vec<Extremes>,
    /// Blocks of limbs for iterations on few limbs: those in slots, then those of the columns of
    /// some iterations.
    blocks: Vec<[u64; gather::BLOCK]>,
    /// The results of a kernel during its execution; empty between kernels.
    outputs: Option<Box<run::Outputs>>,
    /// The new columns of a sparse table by iteration, each as long as the list of limbs.
    made: Vec<u64>,
}

/// The number of executions of each way.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Taken([u64; MOST_WAYS]);
