//! Preconditions: comparisons of sizes and values, of their sums, products and powers.

use std::fmt::Write as _;

use super::Signature;

/// A condition at the start of an intrinsic. It fails if a side has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precondition {
    /// The left side is at most the right one.
    AtMost(SizeExpr, SizeExpr),
    /// Both sides are equal.
    Equal(SizeExpr, SizeExpr),
    /// The middle is at least the first and at most the last: `1 <= i <= n`.
    Within(SizeExpr, SizeExpr, SizeExpr),
}

/// A side of a precondition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeExpr {
    /// A number.
    Number(i64),
    /// A number of an argument.
    Of(SizeTerm),
    /// A sum. It has no value if it does not fit 64 bits.
    Sum(&'static [SizeExpr]),
    /// A product. It has no value if it does not fit 64 bits.
    Product(&'static [SizeExpr]),
    /// A power of two. It has no value if the exponent is negative or it does not fit 64 bits.
    TwoTo(&'static SizeExpr),
}

/// A number of an argument. Parameters count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SizeTerm {
    /// The value of an integer parameter.
    Value(usize),
    /// The components of a slice or word.
    Length(usize),
    /// The rows of a table.
    Rows(usize),
    /// The columns of a table: the width of its numbers.
    Columns(usize),
    /// The rows of a table in a handle.
    PartRows(usize, &'static str),
    /// The columns of a table in a handle.
    PartColumns(usize, &'static str),
}

impl SizeExpr {
    /// The value of an integer parameter.
    pub const fn value(param: usize) -> Self {
        SizeExpr::Of(SizeTerm::Value(param))
    }

    /// The components of a slice or word.
    pub const fn length(param: usize) -> Self {
        SizeExpr::Of(SizeTerm::Length(param))
    }

    /// The rows of a table.
    pub const fn rows(param: usize) -> Self {
        SizeExpr::Of(SizeTerm::Rows(param))
    }

    /// The columns of a table.
    pub const fn columns(param: usize) -> Self {
        SizeExpr::Of(SizeTerm::Columns(param))
    }

    /// The rows of a table in a handle.
    pub const fn part_rows(param: usize, name: &'static str) -> Self {
        SizeExpr::Of(SizeTerm::PartRows(param, name))
    }

    /// The columns of a table in a handle.
    pub const fn part_columns(param: usize, name: &'static str) -> Self {
        SizeExpr::Of(SizeTerm::PartColumns(param, name))
    }

    /// Returns its value; `None` if a term has none, such as the rows of a table that was never
    /// set, or if it does not fit 64 bits.
    pub fn eval(self, value: &impl Fn(SizeTerm) -> Option<i64>) -> Option<i64> {
        match self {
            SizeExpr::Number(number) => Some(number),
            SizeExpr::Of(term) => value(term),
            SizeExpr::Sum(terms) => {
                terms.iter().try_fold(0_i64, |sum, term| sum.checked_add(term.eval(value)?))
            }
            SizeExpr::Product(terms) => {
                terms.iter().try_fold(1_i64, |product, term| product.checked_mul(term.eval(value)?))
            }
            SizeExpr::TwoTo(exponent) => {
                let exponent = u32::try_from(exponent.eval(value)?).ok()?;
                2_i64.checked_pow(exponent)
            }
        }
    }

    /// Calls `f` for every term.
    pub fn terms(self, f: &mut impl FnMut(SizeTerm)) {
        match self {
            SizeExpr::Number(_) => {}
            SizeExpr::Of(term) => f(term),
            SizeExpr::Sum(terms) | SizeExpr::Product(terms) => {
                terms.iter().for_each(|term| term.terms(f));
            }
            SizeExpr::TwoTo(exponent) => exponent.terms(f),
        }
    }
}

impl SizeTerm {
    /// Returns the parameter that it refers to.
    pub fn param(self) -> usize {
        match self {
            SizeTerm::Value(idx)
            | SizeTerm::Length(idx)
            | SizeTerm::Rows(idx)
            | SizeTerm::Columns(idx)
            | SizeTerm::PartRows(idx, _)
            | SizeTerm::PartColumns(idx, _) => idx,
        }
    }
}

impl Precondition {
    /// Returns whether the precondition holds; `value` returns the value of a term.
    pub fn holds(self, value: impl Fn(SizeTerm) -> Option<i64>) -> bool {
        let eval = |side: SizeExpr| side.eval(&value);
        match self {
            Precondition::AtMost(left, right) => {
                matches!((eval(left), eval(right)), (Some(left), Some(right)) if left <= right)
            }
            Precondition::Equal(left, right) => {
                matches!((eval(left), eval(right)), (Some(left), Some(right)) if left == right)
            }
            Precondition::Within(low, middle, high) => {
                let sides = (eval(low), eval(middle), eval(high));
                matches!(sides, (Some(low), Some(middle), Some(high)) if (low..=high).contains(&middle))
            }
        }
    }

    /// Calls `f` for every side.
    pub fn sides(self, f: &mut impl FnMut(SizeExpr)) {
        match self {
            Precondition::AtMost(left, right) | Precondition::Equal(left, right) => {
                [left, right].into_iter().for_each(f);
            }
            Precondition::Within(low, middle, high) => {
                [low, middle, high].into_iter().for_each(f);
            }
        }
    }
}

impl Signature {
    /// Returns whether all preconditions hold; `value` returns the value of a term.
    pub fn holds(&self, value: impl Fn(SizeTerm) -> Option<i64>) -> bool {
        self.preconditions.iter().all(|condition| condition.holds(&value))
    }

    /// Returns a precondition as text, with the names of the parameters: `n <= rows(P)`.
    pub fn word(&self, condition: Precondition) -> String {
        let side = |side| self.word_side(side);
        match condition {
            Precondition::AtMost(left, right) => format!("{} <= {}", side(left), side(right)),
            Precondition::Equal(left, right) => format!("{} = {}", side(left), side(right)),
            Precondition::Within(low, middle, high) => {
                format!("{} <= {} <= {}", side(low), side(middle), side(high))
            }
        }
    }

    fn word_side(&self, side: SizeExpr) -> String {
        let name = |idx: usize| self.params.get(idx).map_or("?", |param| param.name);
        match side {
            SizeExpr::Number(number) => number.to_string(),
            SizeExpr::Of(SizeTerm::Value(idx)) => name(idx).to_owned(),
            SizeExpr::Of(SizeTerm::Length(idx)) => format!("length({})", name(idx)),
            SizeExpr::Of(SizeTerm::Rows(idx)) => format!("rows({})", name(idx)),
            SizeExpr::Of(SizeTerm::Columns(idx)) => format!("size({})", name(idx)),
            SizeExpr::Of(SizeTerm::PartRows(idx, part)) => format!("rows({}.{part})", name(idx)),
            SizeExpr::Of(SizeTerm::PartColumns(idx, part)) => {
                format!("size({}.{part})", name(idx))
            }
            SizeExpr::Sum(terms) => self.word_list(terms, " + "),
            SizeExpr::Product(terms) => self.word_list(terms, " * "),
            SizeExpr::TwoTo(exponent) => format!("2^{}", self.word_side(*exponent)),
        }
    }

    fn word_list(&self, terms: &[SizeExpr], sign: &str) -> String {
        let mut text = String::from("(");
        for (idx, term) in terms.iter().enumerate() {
            let sign = if idx == 0 { "" } else { sign };
            // Writing to a `String` cannot fail.
            let _ = write!(text, "{sign}{}", self.word_side(*term));
        }
        text + ")"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intrinsics::catalogue::closure::CLOSURE;
    use crate::intrinsics::{Intrinsic, Kind};

    #[test]
    fn terms_refer_to_parameters_of_their_kind() {
        for &intrinsic in Intrinsic::ALL {
            let signature = intrinsic.signature();
            for condition in signature.preconditions {
                condition.sides(&mut |side| {
                    side.terms(&mut |term| {
                        let kind = signature.params.get(term.param()).map(|param| param.kind);
                        let fits = match term {
                            SizeTerm::Value(_) => kind == Some(Kind::Int),
                            SizeTerm::Length(_) => matches!(kind, Some(Kind::Slice | Kind::Word)),
                            SizeTerm::Rows(_) | SizeTerm::Columns(_) => kind == Some(Kind::Table),
                            SizeTerm::PartRows(..) | SizeTerm::PartColumns(..) => {
                                kind == Some(Kind::Handle)
                            }
                        };
                        assert!(fits, "{intrinsic}: {term:?}");
                    });
                });
            }
        }
    }

    #[test]
    fn a_term_without_a_value_fails() {
        let signature = CLOSURE.signature();
        let value = |rows: Option<i64>| {
            move |term| match term {
                SizeTerm::Value(_) => Some(3),
                SizeTerm::Rows(_) => rows,
                SizeTerm::Columns(_) => Some(7),
                SizeTerm::Length(_) | SizeTerm::PartRows(..) | SizeTerm::PartColumns(..) => None,
            }
        };
        assert!(signature.holds(value(Some(3))));
        assert!(!signature.holds(value(Some(2))));
        assert!(!signature.holds(value(None)));
        assert_eq!(signature.word(signature.preconditions[1]), "n <= rows(P)");
        let sides = [SizeExpr::rows(1), SizeExpr::value(0)];
        for condition in [
            Precondition::AtMost(sides[0], sides[1]),
            Precondition::Equal(sides[0], sides[1]),
            Precondition::Within(SizeExpr::Number(0), sides[0], sides[1]),
        ] {
            assert!(condition.holds(value(Some(3))));
            assert!(!condition.holds(value(Some(4))));
            assert!(!condition.holds(value(None)));
        }
    }

    #[test]
    fn sums_products_and_powers_are_checked() {
        const N: SizeExpr = SizeExpr::value(0);
        const TWICE: SizeExpr = SizeExpr::Sum(&[N, N]);
        const SQUARE: SizeExpr = SizeExpr::Product(&[N, N]);
        const SQUARE_AND_ONE: SizeExpr = SizeExpr::Sum(&[SQUARE, SizeExpr::Number(1)]);
        let value = |number: i64| move |_| Some(number);
        assert_eq!(TWICE.eval(&value(21)), Some(42));
        assert_eq!(SQUARE_AND_ONE.eval(&value(5)), Some(26));
        assert_eq!(SizeExpr::TwoTo(&N).eval(&value(0)), Some(1));
        assert_eq!(SizeExpr::TwoTo(&N).eval(&value(62)), Some(1 << 62));
        for beyond in [63, -1, i64::MAX, i64::MIN] {
            assert_eq!(SizeExpr::TwoTo(&N).eval(&value(beyond)), None);
        }
        for beyond in [TWICE, SQUARE] {
            assert_eq!(beyond.eval(&value(i64::MAX)), None);
            assert!(!Precondition::AtMost(beyond, N).holds(value(i64::MAX)));
            assert!(!Precondition::AtMost(N, beyond).holds(value(i64::MAX)));
        }
        let word = |condition| CLOSURE.signature().word(condition);
        let rows = SizeExpr::rows(1);
        assert_eq!(word(Precondition::AtMost(SQUARE_AND_ONE, rows)), "((n * n) + 1) <= rows(P)");
        assert_eq!(word(Precondition::Equal(rows, SizeExpr::TwoTo(&N))), "rows(P) = 2^n");
        let range = Precondition::Within(SizeExpr::Number(1), N, SizeExpr::columns(1));
        assert_eq!(word(range), "1 <= n <= size(P)");
    }
}
