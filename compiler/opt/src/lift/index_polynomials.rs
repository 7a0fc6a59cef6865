//! Numbers of an iteration as polynomials in its index, the indices of inner loops, and
//! loop-invariant values.
//!
//! A condition on such a number holds in all iterations if it holds at the least and the greatest
//! indices: no index occurs squared. It then becomes a condition on loop-invariant values, which is
//! known when the pass runs or can be tested before the loop. The computation of the test does not
//! overflow as long as its numbers lie between 0 and [`LIMIT`]: that is tested first.

use std::collections::BTreeSet;

use star_ir::analysis::polynomial::{AtomId, Monomial, Polynomial};
use star_ir::{Operand, SizeOperand, VarId, visit};

/// The maximum of the numbers that a guard computes with.
pub(super) const LIMIT: i64 = 1 << 30;
/// The maximum of a number that is computed from numbers up to [`LIMIT`].
const MAX_NUMBER: i128 = 1 << 62;
/// The maximum number of conditions of a guard.
const MAX_CONDITIONS: usize = 24;

/// The atoms of polynomials.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Atom {
    /// An index, from the first to the last of these.
    Index(VarId, Polynomial, Polynomial),
    /// A loop-invariant value.
    Outer(SizeOperand),
}

/// The numbers of an iteration, and the conditions on them.
#[derive(Default)]
pub(super) struct IndexPolynomials {
    pub(super) atoms: Vec<Atom>,
    /// The open loops, the outermost one first.
    open: Vec<AtomId>,
    /// The atoms that must lie between 0 and [`LIMIT`].
    pub(super) bounded: BTreeSet<AtomId>,
    /// Invariant polynomials that must not be negative.
    pub(super) conditions: Vec<Polynomial>,
}

impl IndexPolynomials {
    /// Returns a loop-invariant value.
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

    /// Begins a loop over an index from the first to the last number.
    pub(super) fn open(&mut self, index: VarId, first: Polynomial, last: Polynomial) -> AtomId {
        self.atoms.push(Atom::Index(index, first, last));
        let atom = self.atoms.len() as AtomId - 1;
        self.open.push(atom);
        atom
    }

    /// Ends the innermost loop.
    pub(super) fn close(&mut self) {
        self.open.pop();
    }

    /// Returns the open loops.
    pub(super) fn loops(&self) -> Vec<AtomId> {
        self.open.clone()
    }

    /// Returns the number at the least indices of the inner loops, if it increases with them.
    pub(super) fn first(&self, of: &Polynomial, loops: &[AtomId]) -> Option<Polynomial> {
        let mut of = of.clone();
        for &index in loops.iter().skip(1).rev() {
            let Some(Atom::Index(_, first, _)) = self.atoms.get(index as usize) else { continue };
            of = of.with(index, first)?;
        }
        Some(of)
    }

    /// Tests whether the number is not negative in any iteration of these loops. Unknown cases
    /// become conditions.
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
                // If it is known whether the number increases with the index, one end is enough.
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

    /// Tests whether an invariant number is known to be at least 0, or at most 0, given that
    /// invariant values are not negative.
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

    /// Tests whether the number is invariant, so that it can be computed before the loop.
    pub(super) fn is_outer(&self, number: &Polynomial) -> bool {
        number.atoms().into_iter().all(|atom| self.size(atom).is_some())
    }

    /// Tests whether the number fits into 64 bits if its atoms are bounded, and requires that they
    /// are.
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

    /// Returns the size or number of an atom that is loop-invariant.
    pub(super) fn size(&self, atom: AtomId) -> Option<&SizeOperand> {
        match self.atoms.get(atom as usize)? {
            Atom::Outer(size) => Some(size),
            Atom::Index(..) => None,
        }
    }

    /// Returns the variables whose values or sizes are atoms.
    pub(super) fn read_before<'s>(
        &'s self,
        atoms: impl Iterator<Item = AtomId> + 's,
    ) -> impl Iterator<Item = VarId> + 's {
        atoms.filter_map(|atom| match self.size(atom)? {
            SizeOperand::Value(Operand::Var(var)) => Some(*var),
            size => visit::measured(size),
        })
    }
}
