//! Lines that are too long for one workgroup.
//!
//! Note [Wide lines]. The control unit is one workgroup, and a line of millions of components takes it a millisecond, where memory would take some
//! microseconds. So it leaves lines of more than [`Wide::limbs`] limbs to a kernel over a grid (`wide.wgsl` in star-shaders): it writes the operands
//! as addresses and sizes into the state, and its dispatch ends with `WIDE`. The kernel makes all limbs, and what is found out about
//! them goes into the state by atomics. The control unit begins with the same instruction again, and does what is left of it: result, exchange,
//! `clears`. Which limbs there are is said once for both (`limbs.wgsl`).
//!
//! The host need not know of a line: it records both kernels in turn, a *chain*, in one submission. Whoever has nothing to do returns at
//! once, which takes some microseconds: the kernel where no line waits; the control unit, but for the first in a submission, where no line was made, so that
//! the host is served first. A chain is as long as needed: twice as long as the one before where that ended with a
//! line that waits, and no longer than its lines where it did not. The dispatches of a chain have one budget, of which a line takes its share.
//!
//! Several workgroups that run the same control together and exchange what they find would need no dispatch for a line; but they would have to wait for each
//! other, which no adapter promises.
//!
//! Threads must agree whether a line is wide, and sizes are in memory, so they have to tell each other: where no object is so long yet, they do not
//! ask.

use star_shaders::layout::{state, status};

use super::Run;
use crate::unit::Wide;

/// Turns of loops that a limb takes at most: one of a row reads 32 columns, eight at a time.
const LIMB_TURNS: u32 = 5;

impl Run<'_, '_> {
    /// Says which lines are wide, and how many the next submission has room for.
    pub(super) fn let_be_wide(&mut self, wide: Wide) -> u32 {
        let waits = self.get(state::STATUS) == status::WIDE;
        if !waits {
            self.put(state::STATUS, status::RUNNING);
        }
        if self.longest <= wide.limbs {
            self.put(state::WIDE_LIMBS, 0);
            return 0;
        }
        self.put(state::WIDE_LIMBS, wide.limbs);
        self.put(state::WIDE_RATE, wide.rate);
        self.put(state::WIDE_GROUPS, wide.groups);
        self.chain
    }

    /// How long the next chain is.
    pub(super) fn saw_wide(&mut self, wide: Wide) {
        let so_far = u64::from(self.get(state::N_WIDE));
        let were = so_far.saturating_sub(self.control.stats.paths.wide_lines);
        self.control.stats.paths.wide_lines = so_far;
        self.chain = match self.get(state::STATUS) {
            status::WIDE => (2 * self.chain).clamp(1, wide.chain),
            _ => (self.chain / 2).max(were as u32),
        };
    }

    /// Turns of loops that a thread takes for a wide line.
    pub(super) fn wide_turns(&self, wide: Wide) -> u32 {
        let threads = self.heap.unit.threads().saturating_mul(wide.groups);
        let of_row = self.widest.div_ceil(32).div_ceil(threads).saturating_mul(LIMB_TURNS);
        self.longest.div_ceil(threads).max(of_row)
    }
}
