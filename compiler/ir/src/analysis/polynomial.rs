//! Polynomials in atoms, with products of two atoms at most: what integers are to `ranges`.

/// Terms of a polynomial.
const MAX_TERMS: usize = 16;

/// An atom, by its number.
pub(super) type AtomId = u32;

/// A product of at most two atoms: their numbers and 1, ascending, and 0 where there is none. Without atoms it is 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Monomial([u32; 2]);

impl Monomial {
    const ONE: Monomial = Monomial([0, 0]);

    pub(super) fn atom(atom: AtomId) -> Self {
        Monomial([atom + 1, 0])
    }

    /// `None` if these are more than two atoms.
    pub(super) fn times(self, other: Monomial) -> Option<Monomial> {
        match (self.0, other.0) {
            (_, [0, _]) => Some(self),
            ([0, _], _) => Some(other),
            ([a, 0], [b, 0]) => Some(Monomial([a.min(b), a.max(b)])),
            (_, _) => None,
        }
    }

    pub(super) fn factors(self) -> [Option<AtomId>; 2] {
        self.0.map(|number| number.checked_sub(1))
    }
}

/// A sum of products with their factors, none of which is 0, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Polynomial(pub(super) Vec<(Monomial, i128)>);

impl Polynomial {
    pub(super) fn number(number: i128) -> Self {
        let mut polynomial = Polynomial::default();
        if number != 0 {
            polynomial.0.push((Monomial::ONE, number));
        }
        polynomial
    }

    pub(super) fn atom(atom: AtomId) -> Self {
        Polynomial(vec![(Monomial::atom(atom), 1)])
    }

    /// Adds a term; `None` if its factor is too great.
    pub(super) fn add(&mut self, monomial: Monomial, times: i128) -> Option<()> {
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

    /// This and `factor` times the other one.
    pub(super) fn plus(&self, factor: i128, other: &Polynomial) -> Option<Polynomial> {
        let mut sum = Polynomial(Vec::with_capacity(self.0.len() + other.0.len()));
        sum.0.extend(&self.0);
        for (monomial, times) in &other.0 {
            sum.add(*monomial, times.checked_mul(factor)?)?;
        }
        (sum.0.len() <= MAX_TERMS).then_some(sum)
    }

    /// The product, if no term has more than two atoms.
    pub(super) fn times(&self, other: &Polynomial) -> Option<Polynomial> {
        let mut product = Polynomial::default();
        for (left, a) in &self.0 {
            for (right, b) in &other.0 {
                product.add(left.times(*right)?, a.checked_mul(*b)?)?;
            }
        }
        (product.0.len() <= MAX_TERMS).then_some(product)
    }

    /// The cofactor of an atom and the rest; `None` if the atom stands in a square.
    pub(super) fn split(&self, atom: AtomId) -> Option<(Polynomial, Polynomial)> {
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

    pub(super) fn atoms(&self) -> Vec<AtomId> {
        let factors = self.0.iter().flat_map(|(monomial, _)| monomial.factors());
        let mut atoms: Vec<AtomId> = factors.flatten().collect();
        atoms.sort_unstable();
        atoms.dedup();
        atoms
    }
}
