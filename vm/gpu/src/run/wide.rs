//! Lines that are too long for one workgroup.
//!
//! Note [Wide lines]. The control unit is one workgroup, and a line of millions of components takes it a millisecond, where memory would take some
//! microseconds. So it leaves lines of more than [`Wide::limbs`] limbs to a kernel over a grid (`wide.wgsl` in star-shaders): it writes the operands
//! as addresses and sizes into a queue in the state. The kernel makes all limbs, and what is found out about
//! them goes into the state by atomics. Which limbs there are is said once for both (`limb.wgsl`, `limbs.wgsl`).
//!
//! Its dispatch ends with `WIDE` where a line asks something, since what comes next may depend on it: it begins with the same instruction again, and
//! does what is left of it: result, exchange, `clears`. It ends, too, in front of what needs a barrier, since a thread of the kernel goes from line to
//! line without waiting for others, and of whatever looks at limbs and is no line. So lines that follow one another and do not cross limbs are one dispatch.
//! What would have ended the dispatch for another reason waits in the state until they are made (`AFTER`).
//!
//! An instruction over lines (Note \[Lines\] in `lift`) of more than [`Wide::items`], or of more columns or limbs than can be listed, is made there, too. Threads
//! that find something about the same limb of a result join it by atomics in the state; the control unit brings it where it belongs. Where that
//! would take a dispatch too long, or there is no room for the result, it is done some columns after others.
//!
//! The host need not know of a line: it records both kernels in turn, a *chain*, in one submission. Whoever has nothing to do returns at
//! once, which takes some microseconds: the kernel where no line waits; the control unit, but for the first in a submission, where no line was made, so that
//! the host is served first. A chain is as long as needed: twice as long as the one before where that ended with
//! lines that wait, and no longer than was used where it did not. The dispatches of a chain have one budget, of which a line takes its share.
//!
//! Several workgroups that run the same control together and exchange what they find would need no dispatch for a line; but they would have to wait for each
//! other, which no adapter promises.
//!
//! Threads must agree whether a line is wide, and sizes are in memory, so they have to tell each other: where no object is so long yet, they do not
//! ask.

use star_shaders::layout::{state, status};

use super::DeviceRun;
use crate::device_trait::Wide;

/// Turns of loops that a limb takes at most: one of a row reads 32 columns, eight at a time.
const LIMB_TURNS: u32 = 5;
/// Likewise one of an instruction over lines: 32 columns, four at a time.
const LINES_TURNS: u32 = 10;

impl DeviceRun<'_, '_> {
    /// Says what is wide. Do lines wait?
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

    /// How long the next chain is, behind one of which so many kernels made lines.
    pub(super) fn saw_wide(&mut self, wide: Wide, kernels: u32) {
        self.control.stats.counters.wide_lines = u64::from(self.get(state::N_WIDE));
        self.control.stats.counters.wide_kernels += u64::from(kernels);
        self.chain = match self.get(state::STATUS) {
            status::WIDE => (2 * self.chain).clamp(1, wide.chain),
            _ => (self.chain / 2).max(kernels),
        };
    }

    /// Turns of loops that a thread takes for a wide line.
    pub(super) fn wide_turns(&self, wide: Wide) -> u32 {
        let threads = self.heap.unit.threads().saturating_mul(wide.groups);
        let of_row = self.widest.div_ceil(32).div_ceil(threads).saturating_mul(LIMB_TURNS);
        let of_lines = if self.plan.has_lines { LINES_TURNS } else { 1 };
        self.longest.div_ceil(threads).saturating_mul(of_lines).max(of_row)
    }
}
