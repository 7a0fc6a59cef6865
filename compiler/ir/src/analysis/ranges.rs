//! Value ranges: lower and upper bounds of integers; see Note [Ranges].
//!
//! Note [Ranges]. An integer is a polynomial in *atoms*: sizes, and variables that are not known to
//! be the result of a sum, difference or product. Bounds of its atoms prove that it is not
//! negative. These are numbers (an index is at least 1, a size at least 0) or other atoms: `j ≤ n`
//! by the loop over `j`, or by a test on the path of control. An atom is replaced by one of its
//! bounds where the sign of its cofactor is known: with `1 ≤ k ≤ n` and `0 ≤ h`, `k·h ≤ n·h` is `(n
//! − k)·h ≥ 0`, which after `k := n` is `0 ≥ 0`. All operations have been checked, so results are
//! exact; a product or sum that was checked fits 64 bits: with `i ≤ p`, `j ≤ q` and the width `p +
//! q` of a table, `i + j` does.
//!
//! This proves that `j − 1` in a loop from 1 does not overflow, that a field is inside a table of
//! `n·h` columns, and that a branch is executed only for a valid index.

use std::rc::Rc;

use super::facts::Facts;
use super::known::{Class, Fact, measure_key};
use super::polynomial::{AtomId, Monomial, Polynomial};
use crate::check::{Check, SizeOperand};
use crate::op::{IntOp, Operand};
use crate::program::VarId;
use crate::visit;

/// The maximum length of a slice or word: a set value has its components in memory with 64-bit
/// addresses.
const MAX_LENGTH: i128 = 1 << 60;
/// The maximum nesting depth of results substituted for variables.
const MAX_NESTED: usize = 6;
/// The maximum number of successive replacements of atoms by bounds.
const MAX_REPLACED: usize = 4;
/// The maximum number of steps of a proof, over all alternatives.
const MAX_STEPS: usize = 200;
/// The maximum number of facts about an atom that are examined.
const MAX_FACTS: usize = 32;

/// The lower and upper bound of a number.
#[derive(Clone, Copy)]
struct Range {
    low: i128,
    high: i128,
}

impl Range {
    const INT: Range = Range { low: i64::MIN as i128, high: i64::MAX as i128 };

    fn narrow(&mut self, low: i128, high: i128) {
        (self.low, self.high) = (self.low.max(low), self.high.min(high));
    }

    fn times(self, other: Range) -> Option<Range> {
        let mut found: Option<Range> = None;
        for a in [self.low, self.high] {
            for b in [other.low, other.high] {
                let product = a.checked_mul(b)?;
                let range = found.get_or_insert(Range { low: product, high: product });
                (range.low, range.high) = (range.low.min(product), range.high.max(product));
            }
        }
        found
    }
}

/// The facts known about an atom.
struct Atom {
    /// The equal sizes and variables, starting with the atom itself.
    class: Rc<[SizeOperand]>,
    range: Range,
    /// Lower bounds: a size plus an offset.
    lows: Vec<(SizeOperand, i128)>,
    /// Upper bounds: a size minus an offset.
    highs: Vec<(SizeOperand, i128)>,
}

struct Prover<'f, 'a> {
    facts: &'f Facts<'a>,
    atoms: Vec<Atom>,
    steps: usize,
    /// Failed goals with the number of replacements that were allowed: they recur when atoms are
    /// replaced in another order.
    unproven: Vec<(Polynomial, usize)>,
}

impl Facts<'_> {
    /// Returns whether the guard holds by the ranges of the numbers in it.
    pub(super) fn holds_by_range(&self, check: &Check) -> bool {
        let value = |operand: &Operand| SizeOperand::Value(operand.clone());
        match check {
            Check::Int(op, a, b) => Prover::new(self).computes(*op, &value(a), &value(b)),
            Check::NotNegative(number) => self.is_ordered(&number_of(0), &value(number)),
            Check::Index(index, limit) => {
                self.is_ordered(&number_of(1), &value(index))
                    && self.is_ordered(&value(index), limit)
            }
            Check::NewColumn(table, index) => {
                let limit = SizeOperand::Columns(*table);
                self.holds_by_range(&Check::Index(index.clone(), limit))
            }
            Check::Range { base, width, limit } => {
                self.holds_part_by_range(base, &value(width), limit)
            }
            _ => false,
        }
    }

    /// Returns whether a part is inside by the ranges of the numbers.
    pub(super) fn holds_part_by_range(
        &self,
        base: &Operand,
        width: &SizeOperand,
        limit: &SizeOperand,
    ) -> bool {
        let base = SizeOperand::Value(base.clone());
        self.is_ordered(&number_of(0), &base)
            && self.is_ordered(&number_of(0), width)
            && Prover::new(self).is_inside(&base, width, limit)
    }

    /// Returns whether the first number is known to be at most the second.
    fn is_ordered(&self, less: &SizeOperand, more: &SizeOperand) -> bool {
        Prover::new(self).is_inside(less, &number_of(0), more)
    }
}

fn number_of(number: i64) -> SizeOperand {
    SizeOperand::Value(Operand::Int(number))
}

impl<'f, 'a> Prover<'f, 'a> {
    fn new(facts: &'f Facts<'a>) -> Self {
        Prover { facts, atoms: Vec::new(), steps: MAX_STEPS, unproven: Vec::new() }
    }

    /// Returns whether the operation is defined and its result fits 64 bits.
    fn computes(&mut self, op: IntOp, a: &SizeOperand, b: &SizeOperand) -> bool {
        let result = |prover: &mut Self| {
            let (left, right) = (prover.polynomial(a, 0)?, prover.polynomial(b, 0)?);
            match op {
                IntOp::Add => left.plus(1, &right),
                IntOp::Sub => left.plus(-1, &right),
                IntOp::Mul => left.times(&right),
                // A positive divisor is neither 0 nor −1.
                IntOp::Div | IntOp::Mod => right.plus(-1, &Polynomial::number(1)),
            }
        };
        let Some(result) = result(self) else { return false };
        match op {
            IntOp::Div | IntOp::Mod => self.is_natural(&result, MAX_REPLACED),
            IntOp::Add | IntOp::Sub | IntOp::Mul => {
                let Range { low, high } = Range::INT;
                let above = result.plus(-1, &Polynomial::number(low));
                let below = Polynomial::number(high).plus(-1, &result);
                above.zip(below).is_some_and(|both| {
                    [both.0, both.1].iter().all(|it| self.is_natural(it, MAX_REPLACED))
                })
            }
        }
    }

    /// Returns whether `base + width ≤ limit`.
    fn is_inside(&mut self, base: &SizeOperand, width: &SizeOperand, limit: &SizeOperand) -> bool {
        let room = |prover: &mut Self| {
            let (base, width) = (prover.polynomial(base, 0)?, prover.polynomial(width, 0)?);
            prover.polynomial(limit, 0)?.plus(-1, &base)?.plus(-1, &width)
        };
        room(self).is_some_and(|room| self.is_natural(&room, MAX_REPLACED))
    }

    /// Returns a number as a polynomial in atoms; `None` if it has no value or the polynomial is
    /// too long.
    fn polynomial(&mut self, of: &SizeOperand, nested: usize) -> Option<Polynomial> {
        match of {
            SizeOperand::Value(Operand::Bool(_) | Operand::Str(_)) => return None,
            SizeOperand::Value(Operand::Int(number)) => {
                return Some(Polynomial::number((*number).into()));
            }
            SizeOperand::Value(Operand::Var(_))
            | SizeOperand::Length(_)
            | SizeOperand::Rows(_)
            | SizeOperand::Columns(_) => {}
        }
        if visit::measured(of).is_some_and(|var| !self.facts.is_sized(var)) {
            return None;
        }
        let class = self.facts.class(of);
        if let Some(number) = class.iter().find_map(SizeOperand::as_int) {
            return Some(Polynomial::number(number.into()));
        }
        let results = class.iter().filter_map(variable).filter_map(|var| self.facts.result_of(var));
        let results: Vec<_> = results.filter(|_| nested < MAX_NESTED).collect();
        for (op, a, b) in results {
            if op == IntOp::Div || op == IntOp::Mod {
                continue;
            }
            let left = self.polynomial(&SizeOperand::Value(a), nested + 1);
            let right = self.polynomial(&SizeOperand::Value(b), nested + 1);
            let Some((left, right)) = left.zip(right) else { continue };
            let result = match op {
                IntOp::Add => left.plus(1, &right),
                IntOp::Sub => left.plus(-1, &right),
                IntOp::Mul => left.times(&right),
                IntOp::Div | IntOp::Mod => None,
            };
            if result.is_some() {
                return result;
            }
        }
        let known = self.atoms.iter().position(|atom| atom.class.contains(of));
        let atom = known.unwrap_or_else(|| {
            let atom = self.atom(class);
            self.atoms.push(atom);
            self.atoms.len() - 1
        });
        Some(Polynomial::atom(atom as AtomId))
    }

    /// Finds the bounds of an atom.
    fn atom(&self, class: Rc<[SizeOperand]>) -> Atom {
        let mut atom = Atom {
            class: Rc::clone(&class),
            range: Range::INT,
            lows: Vec::new(),
            highs: Vec::new(),
        };
        for size in class.iter() {
            if let Some(var) = visit::measured(size) {
                let is_held = matches!(size, SizeOperand::Length(_)) && self.facts.is_set(var);
                let most = if is_held { MAX_LENGTH } else { Range::INT.high };
                atom.range.narrow(0, most);
            }
            let Some(key) = measure_key(size) else { continue };
            for fact in self.facts.about(key, Class::Other).take(MAX_FACTS) {
                atom.learn(size, fact);
            }
            for fact in self.facts.about(key, Class::Order).take(MAX_FACTS) {
                atom.learn(size, fact);
            }
        }
        atom
    }

    /// Returns the range of a product of atoms.
    fn range(&self, monomial: Monomial) -> Option<Range> {
        let of = |atom: AtomId| &self.atoms[atom as usize];
        match monomial.factors() {
            [None, _] => Some(Range { low: 1, high: 1 }),
            [Some(atom), None] => Some(of(atom).range),
            [Some(a), Some(b)] => {
                let (a, b) = (of(a), of(b));
                let mut range = a.range.times(b.range)?;
                if self.is_computed(IntOp::Mul, a, b) {
                    range.narrow(Range::INT.low, Range::INT.high);
                }
                Some(range)
            }
        }
    }

    /// Returns whether a polynomial that is at least `least`, term by term, is not negative because
    /// its negative terms are two atoms whose sum has been checked.
    fn has_checked_sum(&self, of: &Polynomial, least: i128) -> bool {
        let falling = of.0.iter().filter_map(|&(monomial, times)| match monomial.factors() {
            [Some(atom), None] if times < 0 => Some((&self.atoms[atom as usize], times)),
            [_, _] => None,
        });
        let falling: Vec<(&Atom, i128)> = falling.collect();
        let mut pairs = falling.iter().zip(1..).flat_map(|(a, next)| {
            falling[next..].iter().filter(move |b| a.1 == b.1).map(move |b| (a.0, b.0, a.1))
        });
        pairs.any(|(a, b, times)| {
            let excess = a.range.high + b.range.high - Range::INT.high;
            let least = excess.checked_mul(-times).and_then(|more| least.checked_add(more));
            least.is_some_and(|least| least >= 0) && self.is_computed(IntOp::Add, a, b)
        })
    }

    /// Returns whether the sum or product of two atoms has been checked.
    fn is_computed(&self, op: IntOp, a: &Atom, b: &Atom) -> bool {
        let operands = |atom: &Atom| {
            let values = atom.class.iter().filter_map(variable).map(Operand::Var);
            values.collect::<Vec<_>>()
        };
        let others = operands(b);
        operands(a).iter().any(|a| {
            others.iter().any(|b| {
                self.facts.knows(Check::Int(op, a.clone(), b.clone()))
                    || self.facts.knows(Check::Int(op, b.clone(), a.clone()))
            })
        })
    }

    /// Returns a lower bound of a polynomial, term by term.
    fn least(&self, of: &Polynomial) -> Option<i128> {
        let mut least: i128 = 0;
        for &(monomial, times) in &of.0 {
            let Range { low, high } = self.range(monomial)?;
            least = least.checked_add(times.checked_mul(if times > 0 { low } else { high })?)?;
        }
        Some(least)
    }

    /// Returns whether it is known not to be negative after at most `replaced` replacements of
    /// atoms by their bounds.
    fn is_natural(&mut self, of: &Polynomial, replaced: usize) -> bool {
        if self.least(of).is_some_and(|least| least >= 0 || self.has_checked_sum(of, least)) {
            return true;
        }
        let was_tried = |(tried, more): &(Polynomial, usize)| *more >= replaced && tried == of;
        if replaced == 0 || self.steps == 0 || self.unproven.iter().any(was_tried) {
            return false;
        }
        self.steps -= 1;
        for atom in of.atoms() {
            let Some((cofactor, rest)) = of.split(atom) else { continue };
            let rises = self.least(&cofactor).is_some_and(|least| least >= 0);
            let negated = Polynomial::default().plus(-1, &cofactor);
            let falls = negated.and_then(|negated| self.least(&negated));
            let bounds = match (rises, falls.is_some_and(|least| least >= 0)) {
                (true, _) => self.bounds(atom, true),
                (false, true) => self.bounds(atom, false),
                (false, false) => continue,
            };
            for bound in bounds {
                let put_in = cofactor.times(&bound).and_then(|product| rest.plus(1, &product));
                if put_in.is_some_and(|put_in| self.is_natural(&put_in, replaced - 1)) {
                    return true;
                }
            }
        }
        self.unproven.push((of.clone(), replaced));
        false
    }

    /// Returns the lower or upper bounds of an atom.
    fn bounds(&mut self, atom: AtomId, low: bool) -> Vec<Polynomial> {
        let Atom { class: _, range, lows, highs } = &self.atoms[atom as usize];
        let (number, others, sign) =
            if low { (range.low, lows.clone(), 1) } else { (range.high, highs.clone(), -1) };
        let others = others.into_iter().filter_map(|(size, by)| {
            self.polynomial(&size, 0)?.plus(sign, &Polynomial::number(by))
        });
        let mut bounds: Vec<Polynomial> = others.collect();
        bounds.push(Polynomial::number(number));
        bounds
    }
}

impl Atom {
    /// Learns the bounds that a fact gives for something that is equal to the atom.
    fn learn(&mut self, own: &SizeOperand, fact: &Fact) {
        let is_own = |operand: &Operand| matches!(own, SizeOperand::Value(own) if own == operand);
        match fact {
            Fact::Check(Check::NotNegative(number)) if is_own(number) => {
                self.range.narrow(0, Range::INT.high);
            }
            Fact::Check(Check::Bit(number)) if is_own(number) => self.range.narrow(0, 1),
            Fact::Check(Check::Index(index, limit)) => {
                // An index is at least 1, and so is its limit.
                if is_own(index) {
                    self.range.narrow(1, Range::INT.high);
                    self.highs.push((limit.clone(), 0));
                }
                if limit == own {
                    self.range.narrow(1, Range::INT.high);
                    self.lows.push((SizeOperand::Value(index.clone()), 0));
                }
            }
            Fact::Check(Check::Range { base, width, limit: _ })
                if is_own(base) || is_own(width) =>
            {
                self.range.narrow(0, Range::INT.high);
            }
            Fact::Order(less, by, more) => {
                let by = i128::from(*by);
                if more == own {
                    match less.as_int() {
                        Some(low) => self.range.narrow(i128::from(low) + by, Range::INT.high),
                        None => self.lows.push((less.clone(), by)),
                    }
                }
                if less == own {
                    match more.as_int() {
                        Some(high) => self.range.narrow(Range::INT.low, i128::from(high) - by),
                        None => self.highs.push((more.clone(), by)),
                    }
                }
            }
            Fact::Check(
                Check::NotNegative(_)
                | Check::Bit(_)
                | Check::Range { .. }
                | Check::Set(_)
                | Check::Sized(_)
                | Check::Result(_)
                | Check::HandlePart(..)
                | Check::NewColumn(..)
                | Check::Size(..)
                | Check::Int(..)
                | Check::Fits { .. }
                | Check::FitsRow { .. }
                | Check::FitsInt(_)
                | Check::Even(_)
                | Check::NoCarry(..)
                | Check::Assert(..),
            )
            | Fact::Result(..)
            | Fact::Ensured(..) => {}
        }
    }
}

fn variable(size: &SizeOperand) -> Option<VarId> {
    match size {
        SizeOperand::Value(Operand::Var(var)) => Some(*var),
        SizeOperand::Value(Operand::Int(_) | Operand::Bool(_) | Operand::Str(_))
        | SizeOperand::Length(_)
        | SizeOperand::Rows(_)
        | SizeOperand::Columns(_) => None,
    }
}
