//! Iterations on few limbs: gathers these limbs from columns into blocks, and scatters them back.

use star_value::SparseLines;

use crate::tape::Lane;

/// The number of limbs of a block.
pub(super) const BLOCK: usize = 8;

/// The limbs of a block.
pub(super) struct BlockLimbs<'l> {
    limbs: &'l [u64],
    /// Whether they are adjacent.
    is_run: bool,
    /// The valid bits of the last limb.
    last_bits: u64,
}

impl<'l> BlockLimbs<'l> {
    /// Takes at least one limb and at most a block of them.
    pub(super) fn of(limbs: &'l [u64], n_rows: usize) -> Self {
        let (first, last) = (limbs[0] as usize, limbs[limbs.len() - 1] as usize);
        let n_beyond = ((last + 1) * 64).saturating_sub(n_rows);
        BlockLimbs { limbs, is_run: last - first + 1 == limbs.len(), last_bits: !0 >> n_beyond }
    }

    /// Loads these limbs of lines, given by the first and the last line; the others lie between
    /// them in this order. The rest of a block is unspecified.
    pub(super) fn load(&self, lane: &Lane<'_>, lines: (usize, usize), to: &mut [[u64; BLOCK]]) {
        let (limbs, stride): (&[u64], usize) = match lane {
            Lane::Read { limbs, stride } => (limbs, *stride),
            Lane::Written { limbs, stride } => (limbs, *stride),
        };
        let down = lines.1 < lines.0;
        let storage = &limbs[stride * lines.0.min(lines.1)..];
        let (first, step) = (self.limbs[0] as usize, stride.max(1));
        if self.is_run && storage.len() >= stride * (to.len() - 1) + first + BLOCK {
            let runs = storage[first..].windows(BLOCK).step_by(step);
            let copy = |(to, run): (&mut [u64; BLOCK], &[u64])| to.copy_from_slice(run);
            match down {
                false => to.iter_mut().zip(runs).for_each(copy),
                true => to.iter_mut().rev().zip(runs).for_each(copy),
            }
            return;
        }
        for (place, at) in self.limbs.iter().enumerate().take(BLOCK) {
            let of_lines = storage[*at as usize..].iter().step_by(step);
            let copy = |(to, limb): (&mut [u64; BLOCK], &u64)| to[place] = *limb;
            match down {
                false => to.iter_mut().zip(of_lines).for_each(copy),
                true => to.iter_mut().rev().zip(of_lines).for_each(copy),
            }
        }
    }

    /// Loads these limbs of the columns of iterations from a sparse table.
    pub(super) fn load_sparse(
        &self,
        lines: &SparseLines,
        iterations: &[(usize, usize)],
        to: &mut [[u64; BLOCK]],
    ) {
        for (to, (column, _)) in to.iter_mut().zip(iterations) {
            for (to, at) in to.iter_mut().zip(self.limbs) {
                *to = lines.limb(*column, *at as usize);
            }
        }
    }

    /// Copies a result, without invalid bits.
    pub(super) fn keep(&self, to: &mut [u64], from: &[u64; BLOCK]) {
        for (place, (to, from)) in to.iter_mut().zip(from).enumerate() {
            *to = from & self.bits(place);
        }
    }

    /// Stores to these limbs of lines, which are given as for [`BlockLimbs::load`].
    pub(super) fn store(&self, lane: &mut Lane<'_>, lines: (usize, usize), from: &[[u64; BLOCK]]) {
        let Lane::Written { limbs, stride } = lane else { return };
        let down = lines.1 < lines.0;
        let storage = &mut limbs[*stride * lines.0.min(lines.1)..];
        for (place, at) in self.limbs.iter().enumerate().take(BLOCK) {
            let bits = self.bits(place);
            let of_lines = storage[*at as usize..].iter_mut().step_by((*stride).max(1));
            let copy = |(from, limb): (&[u64; BLOCK], &mut u64)| *limb = from[place] & bits;
            match down {
                false => from.iter().zip(of_lines).for_each(copy),
                true => from.iter().rev().zip(of_lines).for_each(copy),
            }
        }
    }

    /// Returns the valid bits of a limb.
    fn bits(&self, place: usize) -> u64 {
        if place + 1 == self.limbs.len() { self.last_bits } else { !0 }
    }
}
