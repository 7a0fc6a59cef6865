//! Counts of copies that are pending.
//!
//! Note [Pending copies]. A sum over columns copies one column after another to a slice, and counts
//! the ones of it and a mask. A flush for each count would write every copy, which costs twice as
//! much as reading it. So if nothing was recorded but copies, the ones are counted where the copies
//! come from, and the copies stay pending: the next one often replaces them.

use super::super::class::Bitwise;
use super::super::interpreter::Interpreter;
use super::super::operand::Reg;
use super::Port;
use crate::interrupt::Exec;

impl Interpreter<'_, '_, '_> {
    /// Counts the ones of a function of one or two slices, if one of them is pending and nothing
    /// but copies was recorded.
    pub(super) fn count_of_copies(&self, of: &Bitwise) -> Exec<Option<u64>> {
        let is_pending = of.of().iter().any(|reg| self.is_pending(*reg));
        if !is_pending || !self.recorder.tape.has_only_copies() {
            return Ok(None);
        }
        let limbs = |reg: &Reg| self.limbs_copied(*reg);
        match of.of() {
            [only] => limbs(only).map(|limbs| self.parallelism.count(limbs)).transpose(),
            [left, right] => match (limbs(left), limbs(right)) {
                (Some(left), Some(right)) if left.len() == right.len() => {
                    self.count_function(of.table, left, right).map(Some)
                }
                (Some(_) | None, Some(_) | None) => Ok(None),
            },
            _ => Ok(None),
        }
    }

    /// Returns the limbs that a slice has, or will have as a pending copy; `None` if they have no
    /// memory.
    fn limbs_copied(&self, reg: Reg) -> Option<&[u64]> {
        let tape = &self.recorder.tape;
        let Some(port) = self.recorder.slice_port(self.bits_at(reg)) else {
            return Some(self.bits(reg).limbs());
        };
        let Some(value) = tape.stored(port) else { return Some(self.bits(reg).limbs()) };
        match self.recorder.ports[tape.loaded_from(value)?.0 as usize] {
            Port::Slice(at) => Some(self.bits[at].bits.limbs()),
            Port::Column(at, col_idx) => self.column_limbs(at, col_idx),
            Port::Gone => None,
        }
    }
}
