//! Expressions that are integers, with the interval of their values.

use star_base::Builtin;

use super::scope::Known;
use super::source::{Expr, ExprType, expr};
use super::{Gen, call};

/// An integer expression whose value is in `lo ..= hi`.
pub(super) struct Ranged {
    pub(super) expr: Expr,
    pub(super) lo: i64,
    pub(super) hi: i64,
}

/// Larger values are not used in computations.
const LARGE: i128 = 1 << 50;

impl Gen {
    /// Generates any integer.
    pub(super) fn int(&mut self, depth: usize) -> Ranged {
        if depth == 0 || self.random.chance(25) {
            return self.int_leaf();
        }
        match self.random.below(18) {
            0..=3 => self.arithmetic(depth),
            12..=17 => match self.int_of_records(depth - 1) {
                Some(ranged) => ranged,
                None => self.arithmetic(depth),
            },
            4 => {
                let (operand, size) = self.any_bits(depth - 1);
                let builtin = [Builtin::Fnd, Builtin::Numb][self.random.below(2)];
                ranged(self.builtin(builtin, ExprType::Int, vec![operand]), 0, size as i64)
            }
            5 => self.component(),
            6 => self.bit(),
            7 => {
                let size = self.word_size(62);
                let word = self.bits(ExprType::Word, size, depth - 1);
                ranged(self.builtin(Builtin::Int, ExprType::Int, vec![word]), 0, ones(size))
            }
            8 => self.step(),
            9 => self.function_int(depth - 1),
            10 => {
                let Ranged { expr, lo, hi } = self.int(depth - 1);
                ranged(expr!(ExprType::Int; "(-", expr, ")"), -hi, -lo)
            }
            _ => self.sum_of_rows(depth - 1),
        }
    }

    /// Generates an integer in `lo ..= hi`, where lo ≤ hi.
    pub(super) fn int_in(&mut self, lo: i64, hi: i64, depth: usize) -> Expr {
        let inside = self
            .routine
            .scope
            .readable(|var| var.kind == ExprType::Int && lo <= var.domain.0 && var.domain.1 <= hi);
        if let (Some(idx), true) = (self.choose(&inside), self.random.chance(55)) {
            return self.read(idx);
        }
        if depth == 0 || self.random.chance(40) {
            let within = |value: i64| lo <= value && value <= hi;
            let measured = self.measure();
            if let (Some(Ranged { expr, lo, .. }), true) = (measured, self.random.chance(20))
                && within(lo)
            {
                return expr;
            }
            return self.number(lo, hi);
        }
        let Ranged { expr, lo: from, hi: to } = self.int(depth - 1);
        let Some(n) = hi.checked_sub(lo).and_then(|n| n.checked_add(1)) else { return expr };
        if lo <= from && to <= hi {
            expr
        } else if from >= 0 {
            let rest = expr!(ExprType::Int; "(", expr, format!(" mod {n}"), ")");
            if lo == 0 { rest } else { expr!(ExprType::Int; "(", literal(lo), "+", rest, ")") }
        } else {
            let rest = expr!(ExprType::Int; "(", expr, format!(" mod {n}"), ")");
            let rest = expr!(ExprType::Int; "((", rest, format!("+{n}) mod {n})"));
            if lo == 0 { rest } else { expr!(ExprType::Int; "(", literal(lo), "+", rest, ")") }
        }
    }

    /// Generates an index into something of `size` parts, which is not 0.
    pub(super) fn index(&mut self, size: usize) -> Expr {
        let depth = usize::from(self.random.chance(30));
        self.int_in(1, size as i64, depth)
    }

    /// Generates a number, more often at the ends of the interval.
    fn number(&mut self, lo: i64, hi: i64) -> Expr {
        let n = hi.saturating_sub(lo).saturating_add(1) as u64;
        let value = match self.random.below(4) {
            0 => lo,
            1 => hi,
            _ => lo + (self.random.bits64() % n) as i64,
        };
        literal(value)
    }

    fn int_leaf(&mut self) -> Ranged {
        let vars = self.routine.scope.readable(|var| var.kind == ExprType::Int);
        if let (Some(idx), true) = (self.choose(&vars), self.random.chance(60)) {
            let (lo, hi) = self.var(idx).domain;
            return ranged(self.read(idx), lo, hi);
        }
        if let (Some(measured), true) = (self.measure(), self.random.chance(40)) {
            return measured;
        }
        let value = [0, 1, 2, 3, 7, 31, 64, 1000, -1][self.random.below(9)];
        ranged(literal(value), value, value)
    }

    /// Generates a size of some variable.
    fn measure(&mut self) -> Option<Ranged> {
        let vars =
            self.routine.scope.readable(|var| !matches!(var.known, Known::Scalar | Known::Unset));
        let idx = self.choose(&vars)?;
        let (builtin, size) = match self.var(idx).known {
            Known::Bits(size) => (Builtin::Length, size),
            Known::Table(rows, columns) => {
                if self.random.chance(50) {
                    (Builtin::Rows, rows)
                } else {
                    (Builtin::Size, columns)
                }
            }
            Known::Unset | Known::Scalar => return None,
        };
        let operand = self.read(idx);
        let size = size as i64;
        Some(ranged(self.builtin(builtin, ExprType::Int, vec![operand]), size, size))
    }

    fn arithmetic(&mut self, depth: usize) -> Ranged {
        let (left, right) = (self.int(depth - 1), self.int(depth - 1));
        let (a, b) = (i128::from(left.lo), i128::from(left.hi));
        let (c, d) = (i128::from(right.lo), i128::from(right.hi));
        let products = [a * c, a * d, b * c, b * d];
        let least = products.iter().copied().min().unwrap_or(0);
        let greatest = products.iter().copied().max().unwrap_or(0);
        let magnitude = a.abs().max(b.abs());
        let divides = !(c <= 0 && 0 <= d);
        let (op, lo, hi) = match self.random.below(5) {
            0 => ("+", a + c, b + d),
            1 => ("-", a - d, b - c),
            2 => ("*", least, greatest),
            3 if divides => (" div ", -magnitude, magnitude),
            4 if divides => {
                let most = c.abs().max(d.abs()) - 1;
                (" mod ", if a < 0 { -most } else { 0 }, if b > 0 { most } else { 0 })
            }
            _ => ("+", a + c, b + d),
        };
        match (i64::try_from(lo), i64::try_from(hi)) {
            (Ok(from), Ok(to)) if -LARGE <= lo && hi <= LARGE => {
                ranged(expr!(ExprType::Int; "(", left.expr, op, right.expr, ")"), from, to)
            }
            _ => left,
        }
    }

    /// `Y(i)`
    pub(super) fn component(&mut self) -> Ranged {
        let vars = self.routine.scope.readable(|var| var.bits().is_some_and(|size| size > 0));
        let Some(idx) = self.choose(&vars) else { return self.int_leaf() };
        let index = self.index(self.var(idx).bits().unwrap_or(1));
        self.charge(1);
        ranged(expr!(ExprType::Int; &self.var(idx).name, "(", index, ")"), 0, 1)
    }

    /// `T(i,j)`
    pub(super) fn bit(&mut self) -> Ranged {
        let not_empty = |(rows, columns): (usize, usize)| rows > 0 && columns > 0;
        let vars = self.routine.scope.readable(|var| var.table().is_some_and(not_empty));
        let Some(idx) = self.choose(&vars) else { return self.component() };
        let (rows, columns) = self.var(idx).table().unwrap_or((1, 1));
        let (row, column) = (self.index(rows), self.index(columns));
        self.charge(1);
        let name = &self.var(idx).name;
        ranged(expr!(ExprType::Int; name, "(", row, ",", column, ")"), 0, 1)
    }

    /// `STEP(Y)` as a value.
    pub(super) fn step(&mut self) -> Ranged {
        let vars = self
            .routine
            .scope
            .writable(|var| var.bits().is_some() && !var.hidden && !var.is_field());
        let Some(idx) = self.choose(&vars) else { return self.int_leaf() };
        let size = self.var(idx).bits().unwrap_or(0) as i64;
        let operand = self.read(idx);
        ranged(self.builtin(Builtin::Step, ExprType::Int, vec![operand]), 0, size)
    }

    fn sum_of_rows(&mut self, depth: usize) -> Ranged {
        let vars = self
            .routine
            .scope
            .readable(|var| var.table().is_some_and(|(rows, columns)| rows > 0 && columns <= 33));
        let Some(idx) = self.choose(&vars) else { return self.int_leaf() };
        let (rows, columns) = self.var(idx).table().unwrap_or((1, 1));
        if !self.affords(4.0 * columns as f64) {
            return self.int_leaf();
        }
        self.charge(4 * columns + 4);
        const NAMES: [&str; 12] = [
            "SUMROWS",
            "SUMROWS",
            "MINOR",
            "MAXOR",
            "NUMBITS",
            "LEAST",
            "GREATEST",
            "SLEAST",
            "SGREATEST",
            "SMINOR",
            "SMAXOR",
            "SSUMROWS",
        ];
        let name = NAMES[self.random.below(NAMES.len())];
        *self.counts.library.entry(name).or_default() += 1;
        if name == "NUMBITS" {
            let args = vec![self.int_in(-3, 1000, depth)];
            return ranged(Expr { kind: ExprType::Int, parts: call(name, args) }, 0, 10);
        }
        if name == "SSUMROWS" && self.random.chance(30) {
            let name = "SIGNEDINT";
            *self.counts.library.entry(name).or_default() += 1;
            let size = self.word_size(30);
            let args = vec![self.bits(ExprType::Word, size, depth)];
            let call = Expr { kind: ExprType::Int, parts: call(name, args) };
            return ranged(call, -ones(size), ones(size));
        }
        let is_signed = name.starts_with('S') && name != "SUMROWS";
        let is_sum = name.ends_with("SUMROWS");
        // Of no row there is no least number.
        let needs_a_row = name.ends_with("LEAST") || name.ends_with("GREATEST");
        let rows_of = match needs_a_row {
            true => Expr::leaf(ExprType::Slice, format!("'{}'", "1".repeat(rows))),
            false => self.bits(ExprType::Slice, rows, depth),
        };
        let mut args = vec![self.read(idx), rows_of];
        if !is_sum && !needs_a_row {
            args.push(literal(0));
        }
        let most = match is_sum {
            true => ones(columns).saturating_mul(rows as i64),
            false => ones(columns),
        };
        let least = if is_signed { -most } else { 0 };
        ranged(Expr { kind: ExprType::Int, parts: call(name, args) }, least, most)
    }

    /// Chooses a word size, at most `most`.
    pub(super) fn word_size(&mut self, most: usize) -> usize {
        let fits = |size: &usize| *size <= most;
        let vars = self
            .routine
            .scope
            .readable(|var| var.kind == ExprType::Word && var.bits().as_ref().is_some_and(fits));
        match self.choose(&vars) {
            Some(idx) if self.random.chance(80) => self.var(idx).bits().unwrap_or(1),
            Some(_) | None => super::sizes::size(&mut self.random, most),
        }
    }
}

pub(super) fn ranged(expr: Expr, lo: i64, hi: i64) -> Ranged {
    Ranged { expr, lo, hi }
}

/// Generates a number, negative ones in brackets.
pub(super) fn literal(value: i64) -> Expr {
    let text = if value < 0 { format!("({value})") } else { value.to_string() };
    Expr::leaf(ExprType::Int, text)
}

/// Returns 2^size − 1, for sizes up to 62.
pub(super) fn ones(size: usize) -> i64 {
    (1_i64 << size.min(62)) - 1
}
