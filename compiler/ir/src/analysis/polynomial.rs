//! Polynomials in atoms, with products of at most two atoms: the representation of integers in
//! `ranges` and in passes that compare positions in tables.

/// The maximum number of terms of a polynomial.
const MAX_TERMS: usize = 16;

/// The number of an atom.
pub type AtomId = u32;

/// A product of at most two atoms: their numbers plus 1, ascending, and 0 for a missing factor.
/// Without atoms it is 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Monomial([u32; 2]);

impl Monomial {
    const ONE: Monomial = Monomial([0, 0]);

    /// Returns the monomial of a single atom.
    pub fn atom(atom: AtomId) -> Self {
        Monomial([atom + 1, 0])
    }

    /// Returns the product; `None` if it has more than two atoms.
    pub fn times(self, other: Monomial) -> Option<Monomial> {
        match (self.0, other.0) {
            (_, [0, _]) => Some(self),
            ([0, _], _) => Some(other),
            ([a, 0], [b, 0]) => Some(Monomial([a.min(b), a.max(b)])),
            (_, _) => None,
        }
    }

    /// Returns the atoms of the product.
    pub fn factors(self) -> [Option<AtomId>; 2] {
        self.0.map(|number| number.checked_sub(1))
    }
}

/// A sum of products with nonzero factors, in the order of the products.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Polynomial(pub(super) Vec<(Monomial, i128)>);

impl Polynomial {
    /// Returns a constant polynomial.
    pub fn number(number: i128) -> Self {
        let mut polynomial = Polynomial::default();
        if number != 0 {
            polynomial.0.push((Monomial::ONE, number));
        }
        polynomial
    }

    /// Returns the polynomial of a single atom.
    pub fn atom(atom: AtomId) -> Self {
        Polynomial(vec![(Monomial::atom(atom), 1)])
    }

    /// Adds a term; `None` if its factor is too large.
    pub fn add(&mut self, monomial: Monomial, times: i128) -> Option<()> {
        match self.0.binary_search_by_key(&monomial, |(of, _)| *of) {
            Ok(at) => {
                let factor = &mut self.0[at].1;
                *factor = factor.checked_add(times)?;
                if *factor == 0 {
                    self.0.remove(at);
                }
            }
            Err(at) if times != 0 => self.0.insert(at, (monomial, times)),
            Err(_) => {}
        }
        Some(())
    }

    /// Returns its products with their factors.
    pub fn terms(&self) -> impl Iterator<Item = (Monomial, i128)> + '_ {
        self.0.iter().copied()
    }

    /// Returns its value if it has no atom.
    pub fn as_number(&self) -> Option<i128> {
        match self.0[..] {
            [] => Some(0),
            [(Monomial::ONE, number)] => Some(number),
            [..] => None,
        }
    }

    /// Returns the polynomial with `by` substituted for an atom.
    pub fn with(&self, atom: AtomId, by: &Polynomial) -> Option<Polynomial> {
        let (cofactor, rest) = self.split(atom)?;
        rest.plus(1, &cofactor.times(by)?)
    }

    /// Returns the sum of this polynomial and `factor` times the other one.
    pub fn plus(&self, factor: i128, other: &Polynomial) -> Option<Polynomial> {
        let mut sum = Polynomial(Vec::with_capacity(self.0.len() + other.0.len()));
        sum.0.extend(&self.0);
        for (monomial, times) in &other.0 {
            sum.add(*monomial, times.checked_mul(factor)?)?;
        }
        (sum.0.len() <= MAX_TERMS).then_some(sum)
    }

    /// Returns the product, if no term has more than two atoms.
    pub fn times(&self, other: &Polynomial) -> Option<Polynomial> {
        let mut product = Polynomial::default();
        for (left, a) in &self.0 {
            for (right, b) in &other.0 {
                product.add(left.times(*right)?, a.checked_mul(*b)?)?;
            }
        }
        (product.0.len() <= MAX_TERMS).then_some(product)
    }

    /// Returns the cofactor of an atom and the rest; `None` if the atom occurs in a square.
    pub fn split(&self, atom: AtomId) -> Option<(Polynomial, Polynomial)> {
        let (mut cofactor, mut rest) = (Polynomial::default(), Polynomial::default());
        for &(monomial, times) in &self.0 {
            match monomial.factors() {
                [Some(a), Some(b)] if a == atom && b == atom => return None,
                [Some(a), Some(b)] if a == atom => cofactor.add(Monomial::atom(b), times)?,
                [Some(a), Some(b)] if b == atom => cofactor.add(Monomial::atom(a), times)?,
                [Some(a), None] if a == atom => cofactor.add(Monomial::ONE, times)?,
                [_, _] => rest.0.push((monomial, times)),
            }
        }
        Some((cofactor, rest))
    }

    /// Returns its atoms, ascending.
    pub fn atoms(&self) -> Vec<AtomId> {
        let factors = self.0.iter().flat_map(|(monomial, _)| monomial.factors());
        let mut atoms: Vec<AtomId> = factors.flatten().collect();
        atoms.sort_unstable();
        atoms.dedup();
        atoms
    }
}
