//! Integer expressions as polynomials, to recognise simple differences of two of them.

use std::collections::BTreeMap;

use star_ir::IntOp;

use crate::hir::{ChainOp, Expr, ExprKind, LocalId};

/// A sum of products of variables; `None` for an expression that is not a polynomial or is too
/// large.
pub(super) struct Poly(Option<BTreeMap<Vec<LocalId>, i64>>);

/// A polynomial of one term.
pub(super) enum Single {
    /// A number.
    Const(i64),
    /// A variable.
    Local(LocalId),
}

/// Maximum number of terms; larger polynomials are not analysed.
const MAX_TERMS: usize = 16;

impl Poly {
    /// Returns the polynomial of an expression without effects.
    pub(super) fn of(expr: &Expr) -> Poly {
        Poly(terms(expr).filter(|_| !expr.effects))
    }

    pub(super) fn minus(self, other: &Poly) -> Poly {
        let both = self.0.zip(other.0.as_ref());
        Poly(both.and_then(|(mine, theirs)| add(mine, theirs, -1)))
    }

    pub(super) fn plus_const(self, n: i64) -> Poly {
        Poly(self.0.and_then(|terms| add(terms, &BTreeMap::from([(Vec::new(), n)]), 1)))
    }

    /// Returns the term, if it is the only one.
    pub(super) fn single(&self) -> Option<Single> {
        let mut terms = self.0.as_ref()?.iter();
        match (terms.next(), terms.next()) {
            (None, _) => Some(Single::Const(0)),
            (Some((vars, &factor)), None) => match (vars.as_slice(), factor) {
                ([], n) => Some(Single::Const(n)),
                ([local], 1) => Some(Single::Local(*local)),
                ([_], _) | ([_, _, ..], _) => None,
            },
            (Some(_), Some(_)) => None,
        }
    }
}

fn terms(expr: &Expr) -> Option<BTreeMap<Vec<LocalId>, i64>> {
    match &expr.kind {
        ExprKind::Int(value) => Some(constant(*value)),
        ExprKind::Var(place) => Some(BTreeMap::from([(vec![place.local], 1)])),
        ExprKind::Neg(operand) => add(BTreeMap::new(), &terms(operand)?, -1),
        ExprKind::Chain(first, links) => {
            let mut sum = terms(first)?;
            for (op, operand) in links {
                let operand = terms(operand)?;
                sum = match op {
                    ChainOp::Int(IntOp::Add) => add(sum, &operand, 1)?,
                    ChainOp::Int(IntOp::Sub) => add(sum, &operand, -1)?,
                    ChainOp::Int(IntOp::Mul) => multiply(&sum, &operand)?,
                    ChainOp::Int(IntOp::Div | IntOp::Mod) | ChainOp::Bool(_) | ChainOp::Bits(_) => {
                        return None;
                    }
                };
            }
            Some(sum)
        }
        ExprKind::Error
        | ExprKind::Bool(_)
        | ExprKind::Str(_)
        | ExprKind::Bits(_)
        | ExprKind::Theta
        | ExprKind::Compare(..)
        | ExprKind::BoolDiffers(..)
        | ExprKind::Not(_)
        | ExprKind::BitsNot(_)
        | ExprKind::BitsEqual(..)
        | ExprKind::Component(..)
        | ExprKind::Bit(..)
        | ExprKind::Part(..)
        | ExprKind::Field(_)
        | ExprKind::Cell(..)
        | ExprKind::Inside(..)
        | ExprKind::Ones(_)
        | ExprKind::Numbers(_)
        | ExprKind::Relation(..)
        | ExprKind::Result(_)
        | ExprKind::Step(_)
        | ExprKind::Shift(..)
        | ExprKind::Col(..)
        | ExprKind::Row(..)
        | ExprKind::NCols(_)
        | ExprKind::NRows(_)
        | ExprKind::Builtin(..)
        | ExprKind::Call(..) => None,
    }
}

fn constant(value: i64) -> BTreeMap<Vec<LocalId>, i64> {
    if value == 0 { BTreeMap::new() } else { BTreeMap::from([(Vec::new(), value)]) }
}

fn add(
    mut sum: BTreeMap<Vec<LocalId>, i64>,
    other: &BTreeMap<Vec<LocalId>, i64>,
    sign: i64,
) -> Option<BTreeMap<Vec<LocalId>, i64>> {
    for (vars, factor) in other {
        let entry = sum.entry(vars.clone()).or_insert(0);
        *entry = entry.checked_add(factor.checked_mul(sign)?)?;
    }
    sum.retain(|_, factor| *factor != 0);
    (sum.len() <= MAX_TERMS).then_some(sum)
}

fn multiply(
    left: &BTreeMap<Vec<LocalId>, i64>,
    right: &BTreeMap<Vec<LocalId>, i64>,
) -> Option<BTreeMap<Vec<LocalId>, i64>> {
    let mut product = BTreeMap::new();
    for (a, x) in left {
        for (b, y) in right {
            let mut vars: Vec<LocalId> = a.iter().chain(b).copied().collect();
            vars.sort_unstable();
            let term = BTreeMap::from([(vars, x.checked_mul(*y)?)]);
            product = add(product, &term, 1)?;
        }
    }
    Some(product)
}
