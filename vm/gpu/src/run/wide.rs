//! Lines that are too long for one workgroup.
//!
//! Note [Wide lines]. The control unit is one workgroup, which needs a millisecond for a line of
//! millions of components, where memory bandwidth would allow some microseconds. So it leaves lines
//! of more than [`Wide::limbs`] limbs to a kernel over a grid (`wide.wgsl` in star-shaders): it
//! writes the operands as addresses and sizes into a queue in the state. The kernel computes all
//! limbs, and adds the results of queries to the state by atomics. Both kernels share the
//! definition of the limbs (`limb.wgsl`, `limbs.wgsl`).
//!
//! Its dispatch ends with `WIDE` where a line has a query, since the next instruction may depend on
//! the result: it begins with the same instruction again, and completes it: result, exchange,
//! `clears`. It also ends before anything that needs a barrier, since a thread of the kernel
//! proceeds from line to line without waiting for others, and before anything that reads limbs and
//! is not a line. So consecutive lines that do not cross limbs are one dispatch. Another reason to
//! end the dispatch is kept in the state until they are complete (`AFTER`).
//!
//! An instruction over lines (Note \[Lines\] in `lift`) of more than [`Wide::items`], or of more
//! columns or limbs than can be listed, is also left to the grid. Threads with results for the same
//! limb join them by atomics in the state; the control unit writes them to their destination. Where
//! that would take a dispatch too long, or there is no room for the result, it is processed in
//! several groups of columns.
//!
//! The host need not know of a line: it records both kernels alternately, a *chain*, in one
//! submission. A kernel without work returns at once, which takes some microseconds: the grid
//! kernel if no line waits; the control unit, except for the first in a submission, if no line was
//! computed, so that the host is served first. The length of a chain adapts: it doubles if the
//! previous chain ended with waiting lines, and otherwise shrinks to the used length. The
//! dispatches of a chain have one budget, of which each line uses its share.
//!
//! Several workgroups that run the same control together and exchange their results would need no
//! dispatch for a line; but they would have to wait for each other, which no adapter guarantees.
//!
//! Threads must agree whether a line is wide, and sizes are in memory, so they must exchange them:
//! while no object is long enough, they omit that.

use star_shaders::layout::{state, status};

use super::DeviceRun;
use crate::device_trait::Wide;

/// Maximum number of loop iterations for a limb: one of a row reads 32 columns, eight at a time.
const LIMB_ITERATIONS: u32 = 5;
/// Maximum number of loop iterations for a limb of an instruction over lines: 32 columns, four at a
/// time.
const LINES_ITERATIONS: u32 = 10;

impl DeviceRun<'_, '_> {
    /// Writes the limits of wide lines to the state; returns whether lines wait.
    pub(super) fn let_be_wide(&mut self, wide: Wide) -> bool {
        let waits = self.get(state::STATUS) == status::WIDE;
        if !waits {
            self.put(state::STATUS, status::RUNNING);
        }
        // A row of a table is read and written column by column.
        let asks = self.longest.max(self.widest >> 2) > wide.limbs;
        self.put(state::WIDE_LIMBS, if asks { wide.limbs } else { 0 });
        self.put(state::WIDE_ITEMS, wide.items);
        self.put(state::MOST_BLOCKS, wide.blocks);
        self.put(state::MOST_JOINED, wide.joined);
        self.put(state::WIDE_RATE, wide.rate);
        self.put(state::WIDE_GROUPS, wide.groups);
        waits
    }

    /// Determines the length of the next chain, after one in which this number of kernels computed
    /// lines.
    pub(super) fn saw_wide(&mut self, wide: Wide, kernels: u32) {
        self.control.stats.counters.wide_lines = u64::from(self.get(state::N_WIDE));
        self.control.stats.counters.wide_kernels += u64::from(kernels);
        self.chain = match self.get(state::STATUS) {
            status::WIDE => (2 * self.chain).clamp(1, wide.chain),
            _ => (self.chain / 2).max(kernels),
        };
    }

    /// Returns the loop iterations of a thread for a wide line.
    pub(super) fn wide_iterations(&self, wide: Wide) -> u32 {
        let threads = self.heap.unit.threads().saturating_mul(wide.groups);
        let of_row = self.widest.div_ceil(32).div_ceil(threads).saturating_mul(LIMB_ITERATIONS);
        let of_lines = if self.plan.has_lines { LINES_ITERATIONS } else { 1 };
        self.longest.div_ceil(threads).saturating_mul(of_lines).max(of_row)
    }
}
