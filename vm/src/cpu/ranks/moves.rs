//! SHIFT, ROTATE, MIRROR and SHUFFLE of partitioned slices.
//!
//! The part of the result that a rank owns consists of few ranges of components of the operand.
//! Each rank gets those of them that others own: borders for a short shift, blocks otherwise.

use std::ops::Range;

use star_value::BitVector;

use crate::cpu::interpreter::Interpreter;
use crate::cpu::operand::Reg;
use crate::cpu::table::form::bytes_of;
use crate::interrupt::Exec;

use super::lost;

/// A range of components of the operand, from 0, and its place in the memory of a rank.
struct Piece {
    to: usize,
    from: Range<usize>,
}

/// A movement of components.
#[derive(Clone, Copy)]
pub(super) enum Move {
    /// SHIFT towards the first component.
    Up(usize),
    /// SHIFT towards the last component.
    Down(usize),
    /// ROTATE, by any number.
    Rotate(i64),
    Mirror,
    Shuffle,
}

impl Move {
    /// Returns what a rank needs for the components `own` of the result: the ranges, and the length
    /// of the memory for all of them.
    fn pieces(self, n: usize, own: &Range<usize>) -> (Vec<Piece>, usize) {
        let (start, end) = (own.start, own.end);
        match self {
            Move::Up(by) => {
                let by = by.min(n);
                let from = n.min(start + by)..n.min(end + by);
                (vec![Piece { to: 0, from }], own.len())
            }
            Move::Down(by) => {
                let by = by.min(n);
                let first = end.min(start.max(by));
                let from = first - by.min(first)..end - by.min(end);
                (vec![Piece { to: first - start, from }], own.len())
            }
            Move::Rotate(by) => {
                let by = by.rem_euclid(n as i64) as usize;
                let cut = by.clamp(start, end);
                let ending = Piece { to: 0, from: start + n - by..cut + n - by };
                let beginning =
                    Piece { to: cut - start, from: cut - by.min(cut)..end - by.min(end) };
                (vec![ending, beginning], own.len())
            }
            Move::Mirror => (vec![Piece { to: 0, from: n - end..n - start }], own.len()),
            Move::Shuffle => {
                let half = start / 2..end.div_ceil(2);
                let second = half.start + n / 2..half.end + n / 2;
                let (to, len) = (half.len(), half.len() * 2);
                (vec![Piece { to: 0, from: half }, Piece { to, from: second }], len)
            }
        }
    }
}

impl Interpreter<'_, '_, '_> {
    /// Moves the components of a partitioned slice to other positions.
    pub(super) fn move_across(&mut self, dst: Reg, src: Reg, moved: Move) -> Exec<()> {
        let slot = self.bits_slot(src);
        let n = slot.bits.len() + slot.elsewhere;
        let partition = self.ranks()?.partition;
        let own = partition.range(n, partition.rank());
        let mut bits = self.fetch(src, n, moved)?;
        let kernels = self.parallelism.kernels;
        match moved {
            Move::Up(_) | Move::Down(_) | Move::Rotate(_) => {}
            Move::Mirror => {
                let mut mirrored = self.zero_components(own.len())?;
                kernels.mirror(mirrored.limbs_mut(), bits.limbs(), own.len());
                bits = mirrored;
            }
            Move::Shuffle => {
                let mut shuffled = self.zero_components(bits.len())?;
                kernels.shuffle(shuffled.limbs_mut(), bits.limbs(), bits.len(), 0);
                let mut part = self.zero_components(own.len())?;
                let limbs = part.limbs_mut();
                kernels.copy_bits(limbs, 0, shuffled.limbs(), own.start % 2, own.len());
                bits = part;
            }
        }
        self.put_new_bits(dst, bits);
        self.bits_slot_mut(dst).elsewhere = n - own.len();
        Ok(())
    }

    fn zero_components(&mut self, n: usize) -> Exec<BitVector> {
        self.budget.reserve(bytes_of(n))?;
        BitVector::try_zeros(n).map_err(|wanted| self.out_of_memory(wanted))
    }

    /// Returns the components of a slice of `n` that this rank needs.
    fn fetch(&mut self, src: Reg, n: usize, moved: Move) -> Exec<BitVector> {
        let partition = self.ranks()?.partition;
        let (rank, n_ranks) = (partition.rank(), partition.n_ranks());
        let own = partition.range(n, rank);
        let kernels = self.parallelism.kernels;
        let (pieces, len) = moved.pieces(n, &own);
        let mut fetched = self.zero_components(len)?;
        for Piece { to, from } in &pieces {
            let here = common(from, &own);
            if !here.is_empty() {
                let (to, first) = (to + here.start - from.start, here.start - own.start);
                let limbs = self.bits(src).limbs();
                kernels.copy_bits(fetched.limbs_mut(), to, limbs, first, here.len());
            }
        }
        let is_at_home = |rank: usize| {
            let own = partition.range(n, rank);
            let is_own = |Piece { from, .. }: &Piece| common(from, &own).len() == from.len();
            moved.pieces(n, &own).0.iter().all(is_own)
        };
        if (0..n_ranks).all(is_at_home) {
            return Ok(fetched);
        }
        let mut given = vec![Vec::new(); n_ranks];
        let others = given.iter_mut().enumerate().filter(|(to, _)| *to != rank);
        for (to, given) in others {
            for Piece { from, .. } in moved.pieces(n, &partition.range(n, to)).0 {
                let here = common(&from, &own);
                let start = given.len();
                given.resize(start + here.len().div_ceil(64), 0);
                let limbs = self.bits(src).limbs();
                let first = here.start - own.start;
                kernels.copy_bits(&mut given[start..], 0, limbs, first, here.len());
            }
        }
        let from_rank = |from: usize| -> usize {
            let theirs = partition.range(n, from);
            let n_limbs = |piece: &Piece| common(&piece.from, &theirs).len().div_ceil(64);
            if from == rank { 0 } else { pieces.iter().map(n_limbs).sum() }
        };
        let lens: Vec<usize> = (0..n_ranks).map(from_rank).collect();
        let (exchange, place) =
            self.exchange("components that move", given.iter().map(Vec::len).sum())?;
        let taken = exchange.trade(place, &given, &lens).map_err(lost)?;
        let mut rest = &taken[..];
        for from in (0..n_ranks).filter(|from| *from != rank) {
            let theirs = partition.range(n, from);
            for piece in &pieces {
                let there = common(&piece.from, &theirs);
                let (limbs, others) = rest.split_at(there.len().div_ceil(64));
                if !there.is_empty() {
                    let to = piece.to + there.start - piece.from.start;
                    kernels.copy_bits(fetched.limbs_mut(), to, limbs, 0, there.len());
                }
                rest = others;
            }
        }
        Ok(fetched)
    }
}

/// Returns the common part of two ranges; an empty one lies within the second.
fn common(one: &Range<usize>, other: &Range<usize>) -> Range<usize> {
    let start = one.start.clamp(other.start, other.end);
    start..one.end.clamp(start, other.end)
}
