//! Random arguments of an intrinsic, near the limits of its preconditions.

use std::collections::BTreeMap;

use star_base::intrinsics::{Kind, Param, ParamMode, Precondition, Signature, SizeExpr, SizeTerm};
use star_tests::case::Random;
use star_value::{BitTable, BitVector, Value};

/// Sizes around the limits of limbs and lines.
const SIZES: [usize; 14] = [0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 65, 96, 127, 129];

/// The greatest size generated, even if a precondition requires more.
const MOST: i64 = 1 << 13;

/// Rows and columns of the tables that a handle represents, by parameter and name.
#[derive(Clone, Debug, Default)]
pub(super) struct Sizes(pub(super) BTreeMap<(usize, String), [usize; 2]>);

/// The arguments of one call; `None` is a handle.
#[derive(Debug)]
pub(super) struct Arguments {
    signature: &'static Signature,
    sizes: Sizes,
    values: Vec<Option<Value>>,
}

impl Arguments {
    /// Generates arguments for which the preconditions often hold or narrowly fail.
    pub(super) fn random(signature: &'static Signature, sizes: Sizes, random: &mut Random) -> Self {
        let mut all = Arguments { signature, sizes, values: vec![None; signature.params.len()] };
        let near = SIZES[random.below(SIZES.len())] as i64;
        // Sizes often depend on numbers.
        for wants_number in [true, false] {
            for (idx, Param { kind, mode, .. }) in signature.params.iter().enumerate() {
                if (*kind == Kind::Int) != wants_number {
                    continue;
                }
                let percent_unset = match mode {
                    ParamMode::Value => 0,
                    ParamMode::Changed => 5,
                    ParamMode::Made => 70,
                };
                all.values[idx] = match random.chance(percent_unset) {
                    true if *kind != Kind::Handle => Some(Value::Unset),
                    true | false => all.value_of(*kind, idx, near, random),
                };
            }
        }
        all
    }

    fn value_of(&self, kind: Kind, idx: usize, near: i64, random: &mut Random) -> Option<Value> {
        let bits = |random: &mut Random| {
            let len = self.size(SizeTerm::Length(idx), near, random);
            let percent = [0, 3, 50, 97, 100][random.below(5)];
            BitVector::from_bools(&random.bits(len, percent))
        };
        Some(match kind {
            Kind::Handle => return None,
            Kind::Int => Value::Int(self.number(SizeTerm::Value(idx), near, random)),
            Kind::Bool => Value::Bool(random.chance(50)),
            Kind::Str => Value::Str(["", "text"][random.below(2)].to_owned()),
            Kind::Slice => Value::Slice(bits(random)),
            Kind::Word => Value::Word(bits(random)),
            Kind::Table => {
                let n_rows = self.size(SizeTerm::Rows(idx), near, random);
                let n_cols = self.size(SizeTerm::Columns(idx), near, random);
                Value::from(table(n_rows, n_cols, random))
            }
        })
    }

    /// Chooses a number as [`Arguments::number`] does, as a size that fits in memory.
    fn size(&self, term: SizeTerm, near: i64, random: &mut Random) -> usize {
        let number = self.number(term, near, random);
        if (0..MOST).contains(&number) { number as usize } else { random.below(70) }
    }

    /// Chooses a number within the bounds of a term in the preconditions, or just outside.
    fn number(&self, term: SizeTerm, near: i64, random: &mut Random) -> i64 {
        let [low, high] = self.bounds(term);
        let outside =
            [low.map(|low| low.saturating_sub(1)), high.map(|high| high.saturating_add(1))];
        if random.chance(15)
            && let Some(number) = outside[random.below(2)]
        {
            return number;
        }
        match (low, high) {
            (Some(low), Some(high)) if low <= high => {
                let span = high.abs_diff(low).min(70) as usize + 1;
                // Small ones are more frequent: sizes may be their powers.
                let inside = low + random.below(span).min(random.below(span)) as i64;
                [low, high, inside, inside, inside][random.below(5)]
            }
            (Some(low), None) if random.chance(40) => low.max(near),
            (Some(low), _) => low.saturating_add([0, 0, 0, 0, 0, 1, 2, 70][random.below(8)]),
            (None, Some(high)) => high.saturating_sub([0, 0, 0, 0, 0, 1, 2, 70][random.below(8)]),
            (None, None) => match random.below(8) {
                0 => 0,
                1 => random.below(near as usize + 2) as i64,
                2 => near + 1,
                3 => near + 2,
                4 => -1,
                _ => near,
            },
        }
    }

    /// Returns the least and the greatest value of a term allowed by the preconditions, where the
    /// other terms are known.
    fn bounds(&self, term: SizeTerm) -> [Option<i64>; 2] {
        let eval = |side: SizeExpr| side.eval(&|term| self.value(term));
        let (mut lows, mut highs) = (Vec::new(), Vec::new());
        let mut at_most = |left: SizeExpr, right: SizeExpr| {
            if left == SizeExpr::Of(term) {
                highs.extend(eval(right));
            }
            if right == SizeExpr::Of(term) {
                lows.extend(eval(left));
            }
        };
        for condition in self.signature.preconditions {
            match *condition {
                Precondition::AtMost(left, right) => at_most(left, right),
                Precondition::Equal(left, right) => {
                    at_most(left, right);
                    at_most(right, left);
                }
                Precondition::Within(low, middle, high) => {
                    at_most(low, middle);
                    at_most(middle, high);
                }
            }
        }
        [lows.into_iter().max(), highs.into_iter().min()]
    }

    /// Returns the value of a term of a precondition, if it has one.
    pub(super) fn value(&self, term: SizeTerm) -> Option<i64> {
        let part = |idx: usize, name: &str| self.sizes.0.get(&(idx, name.to_owned()));
        let size = match (term, self.values.get(term.param())?.as_ref()) {
            (SizeTerm::Value(_), Some(Value::Int(number))) => return Some(*number),
            (SizeTerm::Length(_), Some(Value::Slice(bits) | Value::Word(bits))) => bits.len(),
            (SizeTerm::Rows(_), Some(Value::Table(table))) => table.n_rows(),
            (SizeTerm::Columns(_), Some(Value::Table(table))) => table.n_cols(),
            (SizeTerm::PartRows(idx, name), None) => part(idx, name)?[0],
            (SizeTerm::PartColumns(idx, name), None) => part(idx, name)?[1],
            (
                SizeTerm::Value(_)
                | SizeTerm::Length(_)
                | SizeTerm::Rows(_)
                | SizeTerm::Columns(_)
                | SizeTerm::PartRows(..)
                | SizeTerm::PartColumns(..),
                _,
            ) => return None,
        };
        Some(size as i64)
    }

    /// Returns whether all required arguments are set and the preconditions hold.
    pub(super) fn suit(&self) -> bool {
        let is_unset = |value: &Option<Value>| *value == Some(Value::Unset);
        let mut params = self.signature.params.iter().zip(&self.values);
        !params.any(|(param, value)| param.mode == ParamMode::Changed && is_unset(value))
            && self.signature.holds(|term| self.value(term))
    }

    /// Returns whether the intrinsic may decline suitable arguments: because of their values, or
    /// because a result differs in size from a variable with a fixed size.
    pub(super) fn may_decline(&self) -> bool {
        let mut params = self.signature.params.iter().zip(&self.values);
        self.signature.declines.is_some()
            || params.any(|(param, value)| match value {
                Some(Value::Slice(_) | Value::Word(_) | Value::Table(_)) => {
                    param.mode == ParamMode::Made
                }
                Some(Value::Unset | Value::Int(_) | Value::Bool(_) | Value::Str(_)) | None => false,
            })
    }

    /// Returns the arguments of a program that makes the call: without handles, and with the
    /// variable for a function's value.
    pub(super) fn values(&self) -> impl Iterator<Item = Value> {
        let result = self.signature.result.map(|_| Value::Unset);
        self.values.iter().flatten().cloned().chain(result)
    }
}

/// Builds a table with few or many ones, on both sides of the diagonal or on one.
pub(super) fn table(n_rows: usize, n_cols: usize, random: &mut Random) -> BitTable {
    let one_in = [1, 2, 8, 1 + n_rows / 2, 1 + n_rows, 1 + 4 * n_rows][random.below(6)];
    let keeps = [|_, _| true, |row, col| row < col, |row, col| row > col, |row, col| row != col];
    let keeps: fn(usize, usize) -> bool = keeps[random.below(keeps.len())];
    let columns: Vec<BitVector> = (0..n_cols)
        .map(|col| {
            let bits = (0..n_rows).map(|row| keeps(row, col) && random.below(one_in) == 0);
            BitVector::from_bools(&bits.collect::<Vec<bool>>())
        })
        .collect();
    BitTable::from_columns(n_rows, &columns)
}
