//! Expressions over columns, with the interval of their numbers: relations and reductions.

use super::Gen;
use super::ints::{Ranged, literal, ranged};
use super::records::{FieldKind, Records};
use super::source::{Expr, ExprType, Part, expr};

/// Larger numbers are not turned into integers.
const LARGE: i128 = 1 << 50;

/// The operands of an expression over columns, next to fields of the table and numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum From {
    /// None, so that each evaluation gives the same.
    Fields,
    /// Integers and words.
    Scalars,
    /// Integers, words and slices, which may be declared with a size.
    Anything,
}

/// A number for each row, in `lo ..= hi`.
pub(super) struct Numbers {
    pub(super) expr: Expr,
    pub(super) lo: i128,
    pub(super) hi: i128,
    /// The width of the widest field, for each kind.
    widest: Widest,
}

#[derive(Clone, Copy, Default)]
struct Widest {
    uint: Option<usize>,
    int: Option<usize>,
}

impl Widest {
    fn joined(self, other: Widest) -> Widest {
        Widest { uint: self.uint.max(other.uint), int: self.int.max(other.int) }
    }
}

impl Numbers {
    fn scalar(expr: Expr, lo: i128, hi: i128) -> Self {
        Numbers { expr, lo, hi, widest: Widest::default() }
    }

    /// Returns the interval, if integers have it.
    pub(super) fn domain(&self) -> Option<(i64, i64)> {
        let fits = -LARGE <= self.lo && self.hi <= LARGE;
        fits.then_some((self.lo as i64, self.hi as i64))
    }
}

impl Gen {
    /// Generates numbers of the rows of a table of records.
    pub(super) fn numbers(&mut self, of: usize, depth: usize, from: From) -> Numbers {
        if depth == 0 || self.random.chance(25) || !self.allows(1) {
            let Records { name, shape, .. } = self.routine.records[of].clone();
            let field = self.number_field(shape, |_| true);
            self.construct("field as a value");
            self.charge(field.width);
            let (lo, hi) = field.range();
            let expr = Expr::leaf(ExprType::Table, format!("{name}.{}", field.name));
            let width = Some(field.width);
            let widest = match field.kind {
                FieldKind::Int => Widest { int: width, uint: None },
                FieldKind::Uint | FieldKind::Bits | FieldKind::Bit => {
                    Widest { uint: width, int: None }
                }
            };
            return Numbers { expr, lo, hi, widest };
        }
        self.construct("column expression");
        let mut left = self.numbers(of, depth - 1, from);
        if self.random.chance(30) && self.allows(2) {
            let other = self.operand(of, depth - 1, from);
            return self.choice(left, other);
        }
        let mut parts: Vec<Part> = vec!["(".into()];
        for nth in 0..1 + self.random.below(2) {
            let right = self.operand(of, depth - 1, from);
            let (op, joined) = self.chained(&left, &right);
            if nth == 0 {
                parts.push(left.expr.into());
            }
            parts.extend([op.into(), right.expr.into()]);
            left = joined;
        }
        parts.push(")".into());
        self.charge(400 / 8);
        Numbers { expr: Expr { kind: ExprType::Table, parts }, ..left }
    }

    /// Chooses an operator; returns what it makes of two operands, without the text.
    fn chained(&mut self, left: &Numbers, right: &Numbers) -> (&'static str, Numbers) {
        let widest = left.widest.joined(right.widest);
        let (lo, hi) = (left.lo + right.lo, left.hi + right.hi);
        let none = Expr::leaf(ExprType::Table, "");
        let op = self.random.below(4);
        let op = if op == 0 && !self.allows(2) { 2 } else { op };
        match (op, widest) {
            (0, Widest { uint: Some(width), int: None }) => {
                let most = (1 << width) - 1;
                (" +| ", Numbers { expr: none, lo: lo.min(most), hi: hi.min(most), widest })
            }
            (0, Widest { uint: None, int: Some(width) }) => {
                let (least, most) = (-(1 << (width - 1)), (1 << (width - 1)) - 1);
                let (lo, hi) = (lo.clamp(least, most), hi.clamp(least, most));
                (" +| ", Numbers { expr: none, lo, hi, widest })
            }
            (1, _) => {
                let (lo, hi) = (left.lo - right.hi, left.hi - right.lo);
                (" - ", Numbers { expr: none, lo, hi, widest })
            }
            _ => (" + ", Numbers { expr: none, lo, hi, widest }),
        }
    }

    /// `min(a,b)`, `max(a,b)`, `absdiff(a,b)`
    fn choice(&mut self, left: Numbers, right: Numbers) -> Numbers {
        let (a, b) = ((left.lo, left.hi), (right.lo, right.hi));
        let widest = left.widest.joined(right.widest);
        let (name, lo, hi) = match self.random.below(3) {
            0 => ("min(", a.0.min(b.0), a.1.min(b.1)),
            1 => ("max(", a.0.max(b.0), a.1.max(b.1)),
            _ => ("absdiff(", 0, (a.1 - b.0).max(b.1 - a.0)),
        };
        self.charge(60);
        let args = match self.random.chance(50) {
            true => [left.expr, right.expr],
            false => [right.expr, left.expr],
        };
        let [first, second] = args;
        let expr = expr!(ExprType::Table; name, first, ",", second, ")");
        Numbers { expr, lo, hi, widest }
    }

    /// Generates an operand next to a number for each row.
    fn operand(&mut self, of: usize, depth: usize, from: From) -> Numbers {
        let Records { name, rows, shape, .. } = self.routine.records[of].clone();
        let n_kinds = match from {
            From::Fields => 6,
            From::Scalars => 8,
            From::Anything => 9,
        };
        match self.random.below(n_kinds) {
            0 | 1 => self.numbers(of, depth, from),
            2..=4 => {
                let value = [0, 1, -1, 2, 7, -8, 1000][self.random.below(7)];
                Numbers::scalar(literal(value), value.into(), value.into())
            }
            5 => {
                let bit = self.bit_field(shape).map(|bit| format!("{name}.{bit}"));
                let Some(bit) = bit else { return self.numbers(of, 0, from) };
                let widest = Widest { uint: Some(1), int: None };
                Numbers { expr: Expr::leaf(ExprType::Slice, bit), lo: 0, hi: 1, widest }
            }
            6 => {
                let size = self.word_size(65);
                let word = self.bits_leaf(ExprType::Word, size);
                Numbers::scalar(word, 0, (1 << size) - 1)
            }
            7 => {
                let Ranged { expr, lo, hi } = self.int(1);
                Numbers::scalar(expr, lo.into(), hi.into())
            }
            _ => {
                let rows = self.bits(ExprType::Slice, rows, 1);
                let is_field = rows.to_string().contains('.');
                // One of a field of one column counts as a field.
                if is_field { self.numbers(of, 0, from) } else { Numbers::scalar(rows, 0, 1) }
            }
        }
    }

    /// Generates a relation: a slice.
    pub(super) fn relation(&mut self, of: usize, from: From) -> Expr {
        self.construct("relation");
        self.charge(40);
        let left = self.numbers(of, 1, from).expr;
        let right = self.operand(of, 1, from).expr;
        let op = ["=", "<>", "<", "<=", ">", ">="][self.random.below(6)];
        let [left, right] = if self.random.chance(70) { [left, right] } else { [right, left] };
        expr!(ExprType::Slice; "(", left, op, right, ")")
    }

    /// Generates a slice with this number of rows from the fields of some table, if there is one.
    pub(super) fn slice_of_records(&mut self, rows: usize) -> Option<Expr> {
        let of = self.records_with(|records| records.rows == rows)?;
        if !self.affords(150.0) || !self.allows(1) {
            return None;
        }
        if self.random.chance(75) {
            return Some(self.relation(of, From::Anything));
        }
        let is_least = self.random.chance(50);
        self.construct(if is_least { "kmin" } else { "kmax" });
        self.charge(100);
        let name = if is_least { "kmin(" } else { "kmax(" };
        let k = self.int_in(-1, rows as i64 + 1, 1);
        let numbers = self.numbers(of, 1, From::Anything).expr;
        let filter = self.filter(of, true);
        Some(expr!(ExprType::Slice; name, k, ",", numbers, filter, ")"))
    }

    /// Generates a word of this size joined from the rows of a table, if there is one.
    pub(super) fn word_of_records(&mut self, size: usize) -> Option<Expr> {
        let tables = self
            .routine
            .scope
            .readable(|var| var.table().is_some_and(|(_, columns)| columns == size));
        let idx = self.choose(&tables)?;
        let (rows, _) = self.var(idx).table()?;
        if !self.affords(4.0 * size as f64 + 20.0) || !self.allows(1) {
            return None;
        }
        self.charge(4 * size + 20);
        let name = ["orrows", "androws", "xorrows"][self.random.below(3)];
        self.construct(name);
        self.note_field(idx, "field as a value");
        let table = self.read(idx);
        let filter = self.filter_of(rows, None);
        Some(expr!(ExprType::Word; name, "(", table, filter, ")"))
    }

    /// Generates a reduction to an integer, or the number of a row, if there are records.
    pub(super) fn int_of_records(&mut self, depth: usize) -> Option<Ranged> {
        let of = self.records_with(|_| true)?;
        let Records { name, rows, shape, .. } = self.routine.records[of].clone();
        if !self.affords(200.0) || !self.allows(1) {
            return None;
        }
        self.charge(60);
        let most = rows as i64;
        match self.random.below(10) {
            0 | 8 => {
                self.construct("count");
                let slice = self.bits(ExprType::Slice, rows, depth);
                let filter = self.filter(of, true);
                Some(ranged(expr!(ExprType::Int; "count(", slice, filter, ")"), 0, most))
            }
            1 if rows > 0 => {
                self.construct("field of a row");
                let field = self.number_field(shape, |field| field.fits_integers());
                let (lo, hi) = field.range();
                let index = self.index(rows);
                let after = format!("].{}", field.name);
                let expr = expr!(ExprType::Int; format!("{name}["), index, after);
                field.fits_integers().then(|| ranged(expr, lo as i64, hi as i64))
            }
            2 => {
                self.construct("high or low");
                let field = self.number_field(shape, |field| field.fits_integers());
                let (lo, hi) = field.range();
                let is_high = self.random.chance(50);
                let of = format!("{name}.{}", field.name);
                let (extreme, value) = if is_high { ("high", hi) } else { ("low", lo) };
                let expr = Expr::leaf(ExprType::Int, format!("{extreme}({of})"));
                field.fits_integers().then(|| ranged(expr, value as i64, value as i64))
            }
            3 | 4 | 9 => {
                let is_least = self.random.chance(50);
                self.construct(if is_least { "argmin" } else { "argmax" });
                let name = if is_least { "argmin(" } else { "argmax(" };
                let numbers = self.numbers(of, 1, From::Anything).expr;
                let filter = self.filter(of, true);
                Some(ranged(expr!(ExprType::Int; name, numbers, filter, ")"), 0, most))
            }
            5 => {
                let numbers = self.numbers(of, 1, From::Anything);
                let (lo, hi) = numbers.domain()?;
                self.construct("sum");
                let filter = self.filter(of, true);
                let (lo, hi) = (lo.min(0).checked_mul(most)?, hi.max(0).checked_mul(most)?);
                let expr = expr!(ExprType::Int; "sum(", numbers.expr, filter, ")");
                Some(ranged(expr, lo, hi))
            }
            _ => {
                let numbers = self.numbers(of, 1, From::Anything);
                let (lo, hi) = numbers.domain()?;
                let is_least = self.random.chance(50);
                self.construct(if is_least { "min" } else { "max" });
                let name = if is_least { "min(" } else { "max(" };
                if rows > 0 && self.random.chance(25) {
                    let expr = expr!(ExprType::Int; name, numbers.expr, ")");
                    return Some(ranged(expr, lo, hi));
                }
                let filter = self.filter(of, false);
                let otherwise = literal([0, -1, 99][self.random.below(3)]);
                let expr =
                    expr!(ExprType::Int; name, numbers.expr, filter, " else ", otherwise, ")");
                Some(ranged(expr, lo.min(-1), hi.max(99)))
            }
        }
    }

    /// Generates the filter of a reduction, which may be omitted; sometimes of no row.
    pub(super) fn filter(&mut self, of: usize, optional: bool) -> Expr {
        if optional && self.random.chance(25) {
            return Expr::leaf(ExprType::Slice, "");
        }
        let rows = self.routine.records[of].rows;
        self.filter_of(rows, Some(of))
    }

    fn filter_of(&mut self, rows: usize, of: Option<usize>) -> Expr {
        let slice = match (of, self.random.below(5)) {
            (Some(of), 0 | 1) if self.allows(1) => self.relation(of, From::Anything),
            (_, 2) => {
                self.construct("selection of no row");
                let slice = self.bits_leaf(ExprType::Slice, rows);
                expr!(ExprType::Slice; slice.clone(), " and not ", slice)
            }
            _ => self.bits(ExprType::Slice, rows, 1),
        };
        expr!(ExprType::Slice; " where ", slice)
    }

    /// Chooses a table of records that is suitable.
    pub(super) fn records_with(&mut self, suits: impl Fn(&Records) -> bool) -> Option<usize> {
        let records = &self.routine.records;
        let those: Vec<usize> = (0..records.len()).filter(|&idx| suits(&records[idx])).collect();
        self.choose(&those)
    }
}
