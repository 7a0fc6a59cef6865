//! Numbers of a turn as polynomials: in the index of the turn, those of loops inside it, and what
//! the loop leaves alone.
//!
//! A condition on such a number holds in all turns if it holds where the indices are least or
//! greatest: no index stands in a square. Then it says something of what the loop leaves alone,
//! which is known when the pass runs or can be tested in front of the loop. What the test computes
//! does not overflow as long as its numbers lie between 0 and [`LIMIT`]: that is tested first.

use std::collections::BTreeSet;

use star_ir::analysis::polynomial::{AtomId, Monomial, Polynomial};
use star_ir::{Operand, SizeOperand, VarId, visit};

/// What a guard computes with is at most this.
pub(super) const LIMIT: i64 = 1 << 30;
/// A number is at most this if what it is made of is at most [`LIMIT`].
const MAX_NUMBER: i128 = 1 << 62;
/// A guard has at most so many conditions.
const MAX_CONDITIONS: usize = 24;

/// What numbers are made of.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Atom {
    /// An index, from the first to the last of these.
    Index(VarId, Polynomial, Polynomial),
    /// What the loop leaves alone.
    Outer(SizeOperand),
}

/// The numbers of a turn, and what has to hold of them.
#[derive(Default)]
pub(super) struct Places {
    pub(super) atoms: Vec<Atom>,
    /// The loops that are open, the outermost one first.
    open: Vec<AtomId>,
    /// What is to be between 0 and [`LIMIT`].
    pub(super) bounded: BTreeSet<AtomId>,
    /// What is not to be negative, made of what the loop leaves alone.
    pub(super) conditions: Vec<Polynomial>,
}

impl Places {
    /// What the loop leaves alone.
    pub(super) fn outer(&mut self, size: &SizeOperand) -> Polynomial {
        if let SizeOperand::Value(Operand::Int(number)) = size {
            return Polynomial::number((*number).into());
        }
        let atom = Atom::Outer(size.clone());
        let known = self.atoms.iter().position(|known| *known == atom);
        let at = known.unwrap_or_else(|| {
            self.atoms.push(atom);
            self.atoms.len() - 1
        });
        Polynomial::atom(at as AtomId)
    }

    /// A loop begins, over an index from the first to the last number.
    pub(super) fn open(&mut self, index: VarId, first: Polynomial, last: Polynomial) -> AtomId {
        self.atoms.push(Atom::Index(index, first, last));
        let atom = self.atoms.len() as AtomId - 1;
        self.open.push(atom);
        atom
    }

    /// The innermost loop ends.
    pub(super) fn close(&mut self) {
        self.open.pop();
    }

    /// The loops that are open now.
    pub(super) fn loops(&self) -> Vec<AtomId> {
        self.open.clone()
    }

    /// The number where the indices of loops inside a turn are least, if it rises with them.
    pub(super) fn first(&self, of: &Polynomial, loops: &[AtomId]) -> Option<Polynomial> {
        let mut of = of.clone();
        for &index in loops.iter().skip(1).rev() {
            let Some(Atom::Index(_, first, _)) = self.atoms.get(index as usize) else { continue };
            of = of.with(index, first)?;
        }
        Some(of)
    }

    /// Is the number not negative in any turn of these loops? What is not known becomes a
    /// condition.
    pub(super) fn require(&mut self, number: &Polynomial, loops: &[AtomId]) -> bool {
        let mut corners = vec![number.clone()];
        for &index in loops.iter().rev() {
            let Some(Atom::Index(_, first, last)) = self.atoms.get(index as usize) else {
                continue;
            };
            let ends = [first.clone(), last.clone()];
            let mut next: Vec<Polynomial> = Vec::new();
            for corner in &corners {
                let Some((step, _)) = corner.split(index) else { return false };
                // Where it is known whether the number rises with the index, one end is enough.
                let ends = match self.sign(&step) {
                    Some(true) => &ends[..1],
                    Some(false) => &ends[1..],
                    None => &ends[..],
                };
                for end in ends {
                    let Some(put_in) = corner.with(index, end) else { return false };
                    if !next.contains(&put_in) {
                        next.push(put_in);
                    }
                }
            }
            corners = next;
        }
        corners.iter().all(|corner| self.condition(corner))
    }

    /// Is the number, made of what the loop leaves alone and is not to be negative, not negative
    /// itself, or not positive?
    fn sign(&mut self, number: &Polynomial) -> Option<bool> {
        let rises = number.terms().all(|(_, factor)| factor > 0);
        let falls = number.terms().all(|(_, factor)| factor < 0);
        let is_known = (rises || falls) && self.is_outer(number);
        (is_known && self.fits(number)).then_some(rises)
    }

    fn condition(&mut self, corner: &Polynomial) -> bool {
        if let Some(number) = corner.as_number() {
            return number >= 0;
        }
        let never = corner.terms().all(|(_, factor)| factor < 0);
        if never || !self.is_outer(corner) || !self.fits(corner) {
            return false;
        }
        let is_sum = corner.terms().all(|(_, factor)| factor > 0);
        if !is_sum && !self.conditions.contains(corner) {
            self.conditions.push(corner.clone());
        }
        self.conditions.len() <= MAX_CONDITIONS
    }

    /// Is it made of what the loop leaves alone? Then it can be computed in front.
    pub(super) fn is_outer(&self, number: &Polynomial) -> bool {
        number.atoms().into_iter().all(|atom| self.size(atom).is_some())
    }

    /// Is the number one of 64 bits where its atoms are bounded? They are to be.
    pub(super) fn fits(&mut self, number: &Polynomial) -> bool {
        let mut most: i128 = 0;
        for (monomial, factor) in number.terms() {
            let Some(product) = self.most(monomial) else { return false };
            let Some(term) = product.checked_mul(factor.abs()) else { return false };
            most = most.saturating_add(term);
        }
        if most > MAX_NUMBER {
            return false;
        }
        number.atoms().into_iter().for_each(|atom| self.bound(atom));
        true
    }

    fn most(&self, monomial: Monomial) -> Option<i128> {
        monomial.factors().into_iter().flatten().try_fold(1_i128, |product, atom| {
            let most = match self.atoms.get(atom as usize)? {
                Atom::Outer(_) => i128::from(LIMIT),
                Atom::Index(_, first, last) => self.most_of(first)?.max(self.most_of(last)?),
            };
            product.checked_mul(most)
        })
    }

    fn most_of(&self, number: &Polynomial) -> Option<i128> {
        number.terms().try_fold(0_i128, |sum, (monomial, factor)| {
            sum.checked_add(self.most(monomial)?.checked_mul(factor.abs())?)
        })
    }

    fn bound(&mut self, atom: AtomId) {
        match self.atoms.get(atom as usize) {
            Some(Atom::Outer(_)) => drop(self.bounded.insert(atom)),
            Some(Atom::Index(_, first, last)) => {
                let ends = first.atoms().into_iter().chain(last.atoms());
                ends.collect::<Vec<_>>().into_iter().for_each(|atom| self.bound(atom));
            }
            None => {}
        }
    }

    /// What an atom is, if the loop leaves it alone.
    pub(super) fn size(&self, atom: AtomId) -> Option<&SizeOperand> {
        match self.atoms.get(atom as usize)? {
            Atom::Outer(size) => Some(size),
            Atom::Index(..) => None,
        }
    }

    /// The variables whose values or sizes the atoms are.
    pub(super) fn looked_at<'s>(
        &'s self,
        atoms: impl Iterator<Item = AtomId> + 's,
    ) -> impl Iterator<Item = VarId> + 's {
        atoms.filter_map(|atom| match self.size(atom)? {
            SizeOperand::Value(Operand::Var(var)) => Some(*var),
            size => visit::measured(size),
        })
    }
}
