//! Note [Windows]. A line against the home layout of a table is one bit of a limb of every line
//! along it, each in a separate cache line. The next line read is usually the neighbouring bit of
//! the same limbs. So when a limb is used for the second time in a row, that limb of all lines is
//! gathered, for 64 lines against the layout: the window. Writes along the layout update it; any
//! other change drops it. It counts in the same way as a second form.

use star_value::Limbs;

use super::parallelism::Parallelism;
use super::table::form::bytes_of;
use crate::interrupt::Exec;
use crate::kernels::Columns;

/// One limb of every line of a form, if there is one.
#[derive(Debug, Default)]
pub(super) struct Window {
    /// The index of the limb; the window has no lines if it does not exist.
    limb: usize,
    limbs: Limbs,
    /// The limb used last.
    last: Option<usize>,
}

impl Window {
    /// Returns the bytes of a window over `n_lines` lines.
    pub(super) fn n_bytes_of(n_lines: usize) -> u64 {
        (n_lines as u64).saturating_mul(bytes_of(1))
    }

    /// Returns the bytes that it uses.
    pub(super) fn n_bytes(&self) -> u64 {
        Window::n_bytes_of(self.limbs.len())
    }

    /// Removes the window.
    pub(super) fn drop(&mut self) {
        if !self.limbs.is_empty() {
            self.limbs = Limbs::default();
        }
        self.last = None;
    }

    /// Returns the limb index and that limb of all lines, for changes; `None` if there is no
    /// window.
    pub(super) fn get_mut(&mut self) -> Option<(usize, &mut [u64])> {
        (!self.limbs.is_empty()).then_some((self.limb, &mut *self.limbs))
    }

    /// Updates the window after a write of these limbs to line `idx` of the form.
    #[inline]
    pub(super) fn write(&mut self, idx: usize, limbs: &[u64]) {
        if let Some(to) = self.limbs.get_mut(idx)
            && let Some(from) = limbs.get(self.limb)
        {
            *to = *from;
        }
    }

    /// Updates the window after a write to bit `at` of line `idx`.
    pub(super) fn put(&mut self, idx: usize, at: usize, bit: bool) {
        if at / 64 == self.limb
            && let Some(limb) = self.limbs.get_mut(idx)
        {
            *limb = *limb & !(1 << (at % 64)) | u64::from(bit) << (at % 64);
        }
    }

    /// Copies bit `at` of all lines to `dst` if the window contains it, or if it may be `moved`
    /// there.
    pub(super) fn read(
        &mut self,
        form: Columns<'_>,
        at: usize,
        dst: &mut [u64],
        parallelism: &Parallelism<'_>,
        may_move: bool,
    ) -> Exec<bool> {
        let limb = at / 64;
        if self.limbs.is_empty() || self.limb != limb {
            let is_asked_again = self.last.replace(limb) == Some(limb);
            if !(is_asked_again && may_move && self.make(form, limb, parallelism)?) {
                return Ok(false);
            }
        }
        let limbs = &*self.limbs;
        // Each limb of the destination reads 64 limbs.
        parallelism.fill(dst, 64, |start, part| {
            let end = (64 * (start + part.len())).min(limbs.len());
            parallelism.kernels.gather_bit(&limbs[64 * start..end], at % 64, part);
        })?;
        Ok(true)
    }

    /// Gathers a limb of all lines; false if the system has no memory for it.
    fn make(
        &mut self,
        form: Columns<'_>,
        limb: usize,
        parallelism: &Parallelism<'_>,
    ) -> Exec<bool> {
        let n_lines = form.n_cols;
        if self.limbs.len() != n_lines {
            let Ok(limbs) = Limbs::zeros(n_lines) else { return Ok(false) };
            self.limbs = limbs;
        }
        self.limb = limb;
        // Each access may miss every cache.
        let done = parallelism.fill(&mut self.limbs, 8, |start, part| {
            let lines = form.storage[start * form.stride..].chunks(form.stride.max(1));
            for (to, line) in part.iter_mut().zip(lines) {
                *to = line[limb];
            }
        });
        if done.is_err() {
            self.drop();
        }
        done.map(|()| true)
    }
}
