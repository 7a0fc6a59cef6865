//! The closure as sparse lines: all members of a component reach the same vertices, so their lines
//! are equal.

use star_value::{Limbs, SparseLines};

use super::{Above, Reach, ones};
use crate::environment::{Ended, Environment, InterruptPoller};
use crate::{put, reserved};

impl Reach {
    /// A lower bound on the bytes of the closure as sparse lines on zeros, if it has `n_ones` ones.
    pub fn least_sparse_bytes(&self, n_ones: u64) -> u64 {
        let n_limbs = usize::try_from(n_ones.div_ceil(64)).unwrap_or(usize::MAX);
        SparseLines::bytes_for(self.n, n_limbs)
    }

    /// Bytes that [`Reach::count_ones`], [`Reach::n_limbs`] and [`Reach::to_sparse`] need in
    /// addition to the lines.
    pub fn line_bytes(&self) -> u64 {
        let of_search = match &self.above {
            Above::Closed(_) => 0,
            Above::Searched(arcs) => arcs.bytes_to_count().saturating_add(self.question_bytes()),
        };
        (self.n.div_ceil(64) as u64 + 1).saturating_mul(8 + 4).saturating_add(of_search)
    }

    /// The number of ones of the closure; counting stops once it exceeds `most`.
    ///
    /// # Errors
    /// If memory allocation fails, or the run is interrupted.
    pub fn count_ones(&self, most: u64, environment: &dyn Environment) -> Result<u64, Ended> {
        let (mut poller, mut n_ones) = (InterruptPoller::new(environment), 0_u64);
        let n_members = |component| self.components.members(component).len() as u64;
        if let Above::Searched(arcs) = &self.above {
            let at_least = arcs.least_ones(&self.components)?;
            if at_least > most {
                return Ok(at_least);
            }
        }
        let mut room = self.line_room()?;
        for from in 0..self.components.len() {
            let n_reached: u64 =
                ones(self.line(from, &mut room, &mut poller)?).map(n_members).sum();
            n_ones = n_ones.saturating_add(n_members(from).saturating_mul(n_reached));
            if n_ones > most {
                break;
            }
        }
        Ok(n_ones)
    }

    /// The number of nonzero limbs of the closure; counting stops once it exceeds `most`.
    ///
    /// # Errors
    /// If memory allocation fails, or the run is interrupted.
    pub fn n_limbs(&self, most: usize, poller: &mut InterruptPoller<'_>) -> Result<usize, Ended> {
        let mut n_limbs = 0_usize;
        self.each_line(poller, |from, places, _| {
            let n_members = self.components.members(from).len();
            n_limbs = n_limbs.saturating_add(n_members.saturating_mul(places.len()));
            Ok(n_limbs <= most)
        })?;
        Ok(n_limbs)
    }

    /// The closure, whose number of limbs [`Reach::n_limbs`] returns, along the lines from which it
    /// was built.
    ///
    /// # Errors
    /// If memory allocation fails, or the run is interrupted.
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
            Ok(true)
        })?;
        Ok(lines)
    }

    /// Calls `each` with every component, the positions of the nonzero limbs of its line,
    /// ascending, and the line, until it returns false.
    fn each_line(
        &self,
        poller: &mut InterruptPoller<'_>,
        mut each: impl FnMut(usize, &[u32], &[u64]) -> Result<bool, Ended>,
    ) -> Result<(), Ended> {
        let mut line = Limbs::zeros(self.n.div_ceil(64))?;
        let mut places: Vec<u32> = reserved(line.len())?;
        let mut room = self.line_room()?;
        for from in 0..self.components.len() {
            for component in ones(self.line(from, &mut room, poller)?) {
                let members = self.components.members(component);
                poller.spend(members.len())?;
                for member in members {
                    if line[member / 64] == 0 {
                        places.push((member / 64) as u32);
                    }
                    put(&mut line, member);
                }
            }
            poller.spend(places.len())?;
            places.sort_unstable();
            if !each(from, &places, &line)? {
                break;
            }
            places.drain(..).for_each(|place| line[place as usize] = 0);
        }
        Ok(())
    }
}
