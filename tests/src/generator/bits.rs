//! Expressions that are slices or words of a given size.

use star_base::Builtin;

use super::Gen;
use super::ints::{literal, ones};
use super::source::{Expr, ExprType, Part, expr};

/// The greatest length of bit constants.
const MAX_CONSTANT: usize = 33;

impl Gen {
    /// Chooses slice or word.
    pub(super) fn bits_kind(&mut self) -> ExprType {
        [ExprType::Slice, ExprType::Slice, ExprType::Word][self.random.below(3)]
    }

    /// Chooses a size that variables of this kind have.
    pub(super) fn usual_size(&mut self, kind: ExprType) -> usize {
        let vars = self.routine.scope.readable(|var| var.kind == kind && var.bits().is_some());
        match self.choose(&vars) {
            Some(idx) if self.random.chance(85) => self.var(idx).bits().unwrap_or(1),
            Some(_) | None if kind == ExprType::Slice => self.sizes.row(&mut self.random),
            Some(_) | None => self.sizes.column(&mut self.random),
        }
    }

    /// Generates a slice or word of some size, and returns that size.
    pub(super) fn any_bits(&mut self, depth: usize) -> (Expr, usize) {
        let kind = self.bits_kind();
        let size = self.usual_size(kind);
        (self.bits(kind, size, depth), size)
    }

    /// Generates an operand where the context determines slice or word: perhaps a constant.
    pub(super) fn typed_operand(&mut self, kind: ExprType, size: usize, depth: usize) -> Expr {
        if size <= MAX_CONSTANT && self.random.chance(12) {
            return self.constant(kind, size);
        }
        self.bits(kind, size, depth)
    }

    /// Generates an operand where the other operand determines slice or word and the size: perhaps
    /// `Θ`.
    pub(super) fn right_operand(&mut self, kind: ExprType, size: usize, depth: usize) -> Expr {
        if self.random.chance(6) {
            return Expr::leaf(kind, ["Θ", "∅"][self.random.below(2)]);
        }
        self.typed_operand(kind, size, depth)
    }

    fn constant(&mut self, kind: ExprType, size: usize) -> Expr {
        let percent = [10, 50, 90][self.random.below(3)];
        let text: String = self
            .random
            .bits(size, percent)
            .iter()
            .map(|&bit| if bit { '1' } else { '0' })
            .collect();
        Expr::leaf(kind, format!("'{text}'"))
    }

    /// Generates a slice or word of `size` bits.
    pub(super) fn bits(&mut self, kind: ExprType, size: usize, depth: usize) -> Expr {
        if depth == 0 || self.random.chance(20) {
            return self.bits_leaf(kind, size);
        }
        let depth = depth - 1;
        match self.random.below(16) {
            0..=3 => self.logic(kind, size, depth),
            4 => {
                let operand = self.bits(kind, size, depth);
                self.charge(1);
                expr!(kind; "(not ", operand, ")")
            }
            5 => {
                let other = if kind == ExprType::Slice { ExprType::Word } else { ExprType::Slice };
                let operand = self.bits(other, size, depth);
                self.builtin(Builtin::Convert, kind, vec![operand])
            }
            6 => {
                let operand = self.bits(kind, size, depth);
                let builtin = [Builtin::Frst, Builtin::Mirror][self.random.below(2)];
                self.builtin(builtin, kind, vec![operand])
            }
            7 if size > 0 => {
                let from = self.random.below(size) + 1;
                let to = from + self.random.below(size - from + 1);
                let from = self.int_in(1, from as i64, 1);
                let to = self.int_in(to as i64, size as i64, 1);
                let operand = self.bits(kind, size, depth);
                self.builtin(Builtin::Mask, kind, vec![operand, from, to])
            }
            8 => {
                let operand = self.bits(kind, size, depth);
                let direction = ["up", "Down", "down"][self.random.below(3)];
                let by = self.int_in(0, size as i64 + 2, 1);
                let direction = Expr::leaf(ExprType::Str, direction);
                self.builtin(Builtin::Shift, kind, vec![operand, direction, by])
            }
            9 => {
                let operand = self.bits(kind, size, depth);
                let by = self.int(1).expr;
                self.builtin(Builtin::Rotate, kind, vec![operand, by])
            }
            10 if size.is_multiple_of(2) => {
                let operand = self.bits(kind, size, depth);
                self.builtin(Builtin::Shuffle, kind, vec![operand])
            }
            11 | 12 if kind == ExprType::Word => self.word(size, depth),
            14 | 15 => {
                let joined = if kind == ExprType::Slice {
                    self.slice_of_records(size)
                } else {
                    self.word_of_records(size)
                };
                joined.unwrap_or_else(|| self.line_of_table(kind, size))
            }
            _ => self.line_of_table(kind, size),
        }
    }

    /// Generates a chain of `and`, `or` and `xor`.
    fn logic(&mut self, kind: ExprType, size: usize, depth: usize) -> Expr {
        let mut parts: Vec<Part> = vec!["(".into(), self.bits(kind, size, depth).into()];
        for _ in 0..1 + self.random.below(2) {
            parts.push([" and ", " or ", " xor ", " and not "][self.random.below(4)].into());
            parts.push(self.right_operand(kind, size, depth).into());
            self.charge(1);
        }
        parts.push(")".into());
        Expr { kind, parts }
    }

    /// Generates a word from words and numbers.
    fn word(&mut self, size: usize, depth: usize) -> Expr {
        match self.random.below(4) {
            0 => {
                let operands = vec![
                    self.bits(ExprType::Word, size, depth),
                    self.typed_operand(ExprType::Word, size, depth),
                ];
                let builtin = [Builtin::Add, Builtin::Subt][self.random.below(2)];
                self.builtin(builtin, ExprType::Word, operands)
            }
            1 => self.number_as_word(size),
            _ => self.trim(size, depth),
        }
    }

    /// Generates a part of a longer word.
    fn trim(&mut self, size: usize, depth: usize) -> Expr {
        let longer = self.routine.scope.readable(|var| {
            var.kind == ExprType::Word && var.bits().is_some_and(|bits| bits >= size)
        });
        let (Some(idx), true) = (self.choose(&longer), size > 0) else {
            return self.bits_leaf(ExprType::Word, size);
        };
        let whole = self.var(idx).bits().unwrap_or(size);
        let from = 1 + self.random.below(whole - size + 1);
        let args = vec![
            literal(from as i64),
            literal((from + size - 1) as i64),
            self.bits(ExprType::Word, whole, depth),
        ];
        self.builtin(Builtin::Trim, ExprType::Word, args)
    }

    /// `WORD(i,h)`
    fn number_as_word(&mut self, size: usize) -> Expr {
        let most = ones(size.min(40));
        let number = self.int_in(0, most, 1);
        let length = self.int_in(size as i64, size as i64, 0);
        self.builtin(Builtin::Word, ExprType::Word, vec![number, length])
    }

    /// `COL(i,T)` or `ROW(i,T)`
    fn line_of_table(&mut self, kind: ExprType, size: usize) -> Expr {
        let tables = self.routine.scope.readable(|var| {
            var.table().is_some_and(|(rows, columns)| match kind {
                ExprType::Slice => rows == size && columns > 0,
                ExprType::Int
                | ExprType::Bool
                | ExprType::Str
                | ExprType::Word
                | ExprType::Table => columns == size && rows > 0,
            })
        });
        let Some(idx) = self.choose(&tables) else { return self.bits_leaf(kind, size) };
        let (rows, columns) = self.var(idx).table().unwrap_or((1, 1));
        let (builtin, n) = match kind {
            ExprType::Slice => (Builtin::Col, columns),
            ExprType::Int | ExprType::Bool | ExprType::Str | ExprType::Word | ExprType::Table => {
                (Builtin::Row, rows)
            }
        };
        let args = vec![self.index(n), self.read(idx)];
        self.builtin(builtin, kind, args)
    }

    pub(super) fn bits_leaf(&mut self, kind: ExprType, size: usize) -> Expr {
        let vars = self.routine.scope.readable(|var| var.is_bits(kind, size));
        if let (Some(idx), true) = (self.choose(&vars), !self.random.chance(3)) {
            return self.read(idx);
        }
        let word = self.number_as_word(size);
        match kind {
            ExprType::Slice => self.builtin(Builtin::Convert, kind, vec![word]),
            ExprType::Int | ExprType::Bool | ExprType::Str | ExprType::Word | ExprType::Table => {
                word
            }
        }
    }
}
