//! The closure as sparse lines: all members of a component reach the same vertices, so their lines are the same.

use star_base::{Limbs, SparseLines};

use super::Reach;
use crate::environment::{Ended, InterruptPoller};
use crate::{put, reserved};

impl Reach {
    /// Bytes that the closure takes at least as sparse lines on zeros, if it has so many ones.
    pub fn least_sparse_bytes(&self, n_ones: u64) -> u64 {
        let n_limbs = usize::try_from(n_ones.div_ceil(64)).unwrap_or(usize::MAX);
        SparseLines::bytes_for(self.n, n_limbs)
    }

    /// Bytes that [`Reach::n_limbs`] and [`Reach::to_sparse`] take beside the lines.
    pub fn line_bytes(&self) -> u64 {
        (self.n.div_ceil(64) as u64 + 1).saturating_mul(8 + 4)
    }

    /// Limbs of the closure that are not zero.
    ///
    /// # Errors
    /// If the system refuses the memory, or the run is to end.
    pub fn n_limbs(&self, poller: &mut InterruptPoller<'_>) -> Result<usize, Ended> {
        let mut n_limbs = 0_usize;
        self.each_line(poller, |from, places, _| {
            let n_members = self.components.members(from).len();
            n_limbs = n_limbs.saturating_add(n_members.saturating_mul(places.len()));
            Ok(())
        })?;
        Ok(n_limbs)
    }

    /// The closure, of which [`Reach::n_limbs`] says how many limbs it has, along the lines that it was made of.
    ///
    /// # Errors
    /// If the system refuses the memory, or the run is to end.
    pub fn to_sparse(
        &self,
        n_limbs: usize,
        poller: &mut InterruptPoller<'_>,
    ) -> Result<SparseLines, Ended> {
        let mut lines = SparseLines::zeros(self.n, self.n, n_limbs)?;
        self.each_line(poller, |from, places, limbs| {
            for member in self.components.members(from) {
                let listed = places.iter().map(|place| (*place, limbs[*place as usize]));
                lines.set(member, false, listed)?;
            }
            Ok(())
        })?;
        Ok(lines)
    }

    /// Calls `each` with every component, the places of the limbs of its line that are not zero, ascending, and the line.
    fn each_line(
        &self,
        poller: &mut InterruptPoller<'_>,
        mut each: impl FnMut(usize, &[u32], &[u64]) -> Result<(), Ended>,
    ) -> Result<(), Ended> {
        let mut line = Limbs::zeros(self.n.div_ceil(64))?;
        let mut places: Vec<u32> = reserved(line.len())?;
        for from in 0..self.components.len() {
            poller.spend(self.components.len() / 64 + 1)?;
            for (first, limb) in (0..).step_by(64).zip(self.above.column_limbs(from)) {
                let mut left = *limb;
                while left != 0 {
                    let members = self.components.members(first + left.trailing_zeros() as usize);
                    left &= left - 1;
                    poller.spend(members.len())?;
                    for member in members {
                        if line[member / 64] == 0 {
                            places.push((member / 64) as u32);
                        }
                        put(&mut line, member);
                    }
                }
            }
            poller.spend(places.len())?;
            places.sort_unstable();
            each(from, &places, &line)?;
            places.drain(..).for_each(|place| line[place as usize] = 0);
        }
        Ok(())
    }
}
