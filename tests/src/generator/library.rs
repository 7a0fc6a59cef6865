//! Calls of the library's procedures.

use super::ints::literal;
use super::scope::{Known, VarIdx};
use super::source::{Expr, ExprType, Stmt};
use super::{Gen, call};

/// The procedures and functions visible to every program.
#[rustfmt::skip]
pub const PROCEDURES: [&str; 77] = [
    "MATCH", "AMONG", "MIN", "MAX", "LESS", "GREAT", "GEL", "HIT", "SETMIN", "SETMAX",
    "NEARLESS", "NEARGREAT", "NEAREST",
    "SLESS", "SGREAT", "SGEL", "SMIN", "SMAX", "SSETMIN", "SSETMAX",
    "CLEAR", "TCOPY", "TCOPY1", "TCOPY2", "WCOPY", "WMERGE", "TMERGE", "COMPRESS",
    "ADDV", "SUBTV", "ADDC", "SUBTC", "MULTV", "MULTC", "DIVV", "DIVC", "SUMROWS",
    "ADDVO", "SUBTVO", "ADDCO", "SUBTCO", "ADDVS", "SUBTVS", "ADDCS", "SUBTCS",
    "KTHMIN", "RANK", "ORDER", "HIST", "SUMGROUPS",
    "KMIN", "KMAX", "LEAST", "GREATEST", "MINOR", "MAXOR",
    "SLEAST", "SGREATEST", "SMINOR", "SMAXOR", "SSUMROWS", "TWOS", "SIGNEDWORD", "SIGNEDINT",
    "ORROWS", "ANDROWS", "XORROWS",
    "EQUALS", "BELOW", "ABOVE", "EQUALSWORD", "BELOWWORD", "ABOVEWORD", "EQUALSROWS", "BELOWROWS",
    "NUMBITS", "FITWORD",
];

/// The procedures that compare the rows of a table with a number, a word or rows of any width.
const RELATIONS: [&str; 8] =
    ["EQUALS", "BELOW", "ABOVE", "EQUALSWORD", "BELOWWORD", "ABOVEWORD", "EQUALSROWS", "BELOWROWS"];

/// The procedures that search a table for rows, and whether they are given a word to compare with.
const SEARCHES: [(&str, bool); 15] = [
    ("MATCH", true),
    ("LESS", true),
    ("GREAT", true),
    ("GEL", true),
    ("MIN", false),
    ("MAX", false),
    ("NEARLESS", true),
    ("NEARGREAT", true),
    ("NEAREST", true),
    ("SLESS", true),
    ("SGREAT", true),
    ("SGEL", true),
    ("SMIN", false),
    ("SMAX", false),
    ("KTHMIN", false),
];

/// The procedures that compare two tables.
const COMPARISONS: [&str; 6] = ["HIT", "SETMIN", "SETMAX", "SSETMIN", "SSETMAX", "AMONG"];

/// The procedures for sums and differences: those with a V in their names work on two tables, those
/// with a C on a table and a word; those with an O mark the rows that overflow.
const SUMS: [&str; 12] = [
    "ADDV", "SUBTV", "ADDC", "SUBTC", "ADDVO", "SUBTVO", "ADDCO", "SUBTCO", "ADDVS", "SUBTVS",
    "ADDCS", "SUBTCS",
];

impl Gen {
    /// Generates a call of a library procedure with these arguments.
    pub(super) fn library_stmt(&mut self, name: &'static str, args: Vec<Expr>) -> Stmt {
        *self.counts.library.entry(name).or_default() += 1;
        Stmt { parts: call(name, args) }
    }

    /// Generates a call of a library procedure with arguments given as texts.
    pub(super) fn library_call(&mut self, name: &'static str, args: &[&str]) -> Stmt {
        let args = args.iter().map(|arg| Expr::leaf(ExprType::Int, arg)).collect();
        self.library_stmt(name, args)
    }

    /// Generates a call of a library procedure on some table.
    pub(super) fn call_library(&mut self, all: &mut Vec<Stmt>) {
        let tables = self.routine.scope.readable(|var| var.table().is_some());
        let Some(table) = self.choose(&tables) else {
            self.build_table(all);
            return;
        };
        let Some((rows, columns)) = self.var(table).table() else { return };
        if !self.affords(8.0 * columns as f64) {
            return;
        }
        self.count("call library");
        self.note_field(table, "field as a value");
        let made = match self.random.below(14) {
            0..=2 => self.search(table, rows, columns),
            3 => self.compare(table, rows, columns),
            4 | 5 => self.sum(table, rows, columns),
            6 => self.product(table, rows, columns),
            7 => self.merge(table, rows, columns),
            8 => self.field(table, rows, columns),
            9 => self.order(table, rows, columns),
            10 => self.join_rows(table, rows, columns),
            11 | 12 => self.relate(table, rows, columns),
            _ => self.copy(table, rows, columns),
        };
        all.push(made);
    }

    /// Chooses a slice for a result, none of `taken`.
    fn result_slice(&mut self, rows: usize, taken: &[VarIdx]) -> VarIdx {
        self.result_bits(ExprType::Slice, rows, taken)
    }

    /// Chooses a slice or word for a result, none of `taken`.
    fn result_bits(&mut self, kind: ExprType, size: usize, taken: &[VarIdx]) -> VarIdx {
        let known = Known::Bits(size);
        let mut suits = self.routine.scope.writable(|var| {
            var.kind == kind
                && (var.fixed == Some(known) || var.fixed.is_none() && var.known == known)
        });
        suits.retain(|idx| !taken.contains(idx));
        let idx = match self.choose(&suits) {
            Some(idx) if self.random.chance(85) => idx,
            Some(_) | None => {
                let fixed = self.random.chance(40).then_some(known);
                self.declare(kind, fixed, (0, 0))
            }
        };
        self.note_field(idx, "field as a `var` argument");
        self.var_mut(idx).known = known;
        idx
    }

    /// Chooses a table for a result, none of `taken`.
    fn result_table(&mut self, rows: usize, columns: usize, taken: &[VarIdx]) -> VarIdx {
        let known = Known::Table(rows, columns);
        let mut suits =
            self.routine.scope.writable(|var| var.kind == ExprType::Table && var.known == known);
        suits.retain(|idx| !taken.contains(idx));
        let idx = match self.choose(&suits) {
            Some(idx) if self.random.chance(70) => idx,
            Some(_) | None => self.new_table(rows, columns),
        };
        self.note_field(idx, "field as a `var` argument");
        self.var_mut(idx).known = known;
        idx
    }

    fn control(&mut self, rows: usize) -> Expr {
        self.typed_operand(ExprType::Slice, rows, 1)
    }

    /// Generates a comparand: often a row of the table.
    fn comparand(&mut self, columns: usize) -> Expr {
        self.typed_operand(ExprType::Word, columns, 2)
    }

    /// Generates a search: see [`SEARCHES`].
    fn search(&mut self, table: VarIdx, rows: usize, columns: usize) -> Stmt {
        self.charge(13 * columns + 13);
        let mut args = vec![self.read(table), self.control(rows)];
        let (name, by_word) = SEARCHES[self.random.below(SEARCHES.len())];
        if by_word {
            args.push(self.comparand(columns));
        }
        if name == "KTHMIN" {
            args.push(self.int_in(0, rows as i64 + 1, 1));
        }
        let mut results = Vec::new();
        for _ in 0..if name.ends_with("GEL") { 3 } else { 1 } {
            let idx = self.result_slice(rows, &results);
            results.push(idx);
            args.push(self.read(idx));
        }
        self.library_stmt(name, args)
    }

    /// Generates a comparison: see [`COMPARISONS`].
    fn compare(&mut self, table: VarIdx, rows: usize, columns: usize) -> Stmt {
        self.charge(8 * columns + 6);
        let other = self.table_like(rows, columns);
        let control = self.control(rows);
        let result = self.result_slice(rows, &[]);
        let mut name = COMPARISONS[self.random.below(COMPARISONS.len())];
        let mut args = vec![self.read(table), self.read(other), control, self.read(result)];
        if name == "AMONG" {
            // A search for each row.
            let n_steps = rows * (6 * columns + 8);
            match self.affords(n_steps as f64) {
                true => {
                    self.charge(n_steps);
                    args.swap(1, 2);
                }
                false => name = "HIT",
            }
        }
        self.library_stmt(name, args)
    }

    /// Generates a sum or difference: see [`SUMS`].
    fn sum(&mut self, table: VarIdx, rows: usize, columns: usize) -> Stmt {
        self.charge(14 * columns + 11);
        let name = SUMS[self.random.below(SUMS.len())];
        let mut args = vec![self.read(table)];
        if name.contains('V') {
            let other = self.table_like(rows, columns);
            args.push(self.read(other));
        }
        args.push(self.control(rows));
        if name.contains('C') {
            args.push(self.comparand(columns));
        }
        let result = self.result_table(rows, columns, &[]);
        args.push(self.read(result));
        if name.ends_with('O') {
            let marks = self.result_slice(rows, &[]);
            args.push(self.read(marks));
        }
        self.library_stmt(name, args)
    }

    /// Generates MULTV, MULTC, DIVV or DIVC, or a sum if they cost too much.
    fn product(&mut self, table: VarIdx, rows: usize, columns: usize) -> Stmt {
        let width = self.word_size(5).max(1);
        let cost = 13 * columns * width + 12 * columns + 20;
        if columns == 0 || !self.affords(cost as f64) {
            return self.sum(table, rows, columns);
        }
        self.charge(cost);
        let name = ["MULTV", "MULTC", "DIVV", "DIVC"][self.random.below(4)];
        let mut args = vec![self.read(table)];
        if name.ends_with('V') {
            let other = self.table_like(rows, width);
            args.extend([self.read(other), self.control(rows)]);
        } else {
            args.extend([self.control(rows), self.comparand(width)]);
        }
        if name.starts_with("MULT") {
            let result = self.result_table(rows, columns + width, &[]);
            args.push(self.read(result));
        } else {
            let quotient = self.result_table(rows, columns, &[]);
            let rest = self.result_table(rows, width, &[quotient]);
            args.extend([self.read(quotient), self.read(rest)]);
        }
        self.library_stmt(name, args)
    }

    /// Generates RANK, ORDER, HIST, SUMGROUPS or COMPRESS, or a search if they cost too much.
    fn order(&mut self, table: VarIdx, rows: usize, columns: usize) -> Stmt {
        let cost = rows * (7 * columns + 8) + columns + 70;
        if !self.affords(cost as f64) {
            return self.search(table, rows, columns);
        }
        self.charge(cost);
        // This number of bits holds every count of rows.
        let width = (usize::BITS - rows.leading_zeros()) as usize;
        let wide_enough = literal(width as i64);
        let mut args = vec![self.read(table)];
        // An integer holds every sum.
        let n_names = if columns + width <= 62 { 5 } else { 4 };
        let names = ["RANK", "ORDER", "HIST", "COMPRESS", "SUMGROUPS"];
        let name = names[self.random.below(n_names)];
        let sizes = match name {
            "RANK" => {
                args.extend([self.control(rows), wide_enough]);
                (rows, width)
            }
            "ORDER" => {
                let other = self.table_like(rows, columns);
                args.extend([self.read(other), self.control(rows)]);
                (rows, columns)
            }
            "HIST" => {
                let n_values = 1 + self.random.below(8);
                args.extend([self.control(rows), literal(n_values as i64), wide_enough]);
                (n_values, width)
            }
            "SUMGROUPS" => {
                let (other, n_values) = (self.table_like(rows, columns), 1 + self.random.below(8));
                let width = columns + width;
                args.extend([self.read(other), self.control(rows), literal(n_values as i64)]);
                args.push(literal(width as i64));
                (n_values, width)
            }
            _ => {
                args.push(self.control(rows));
                (rows, columns)
            }
        };
        let result = self.result_table(sizes.0, sizes.1, &[]);
        args.push(self.read(result));
        self.library_stmt(name, args)
    }

    /// KMIN, KMAX, ORROWS, ANDROWS, XORROWS.
    fn join_rows(&mut self, table: VarIdx, rows: usize, columns: usize) -> Stmt {
        let cost = 6 * columns + 4 * rows + 4;
        if !self.affords(cost as f64) {
            return self.search(table, rows, columns);
        }
        self.charge(cost);
        let name = ["KMIN", "KMAX", "ORROWS", "ANDROWS", "XORROWS"][self.random.below(5)];
        let selects = name.starts_with('K');
        let mut args = Vec::new();
        if selects {
            args.push(self.int_in(0, rows as i64 + 1, 1));
        }
        args.extend([self.read(table), self.control(rows)]);
        let result = match selects {
            true => self.result_slice(rows, &[]),
            false => self.result_bits(ExprType::Word, columns, &[]),
        };
        args.push(self.read(result));
        self.library_stmt(name, args)
    }

    /// Generates a relation, see [`RELATIONS`], FITWORD, TWOS or SIGNEDWORD.
    fn relate(&mut self, table: VarIdx, rows: usize, columns: usize) -> Stmt {
        let size = self.word_size(9);
        self.charge(9 * columns + 4 * size + 9);
        if self.random.chance(10) {
            let word = self.comparand(size);
            let fitted = self.result_bits(ExprType::Word, columns, &[]);
            let fits = self.declare(ExprType::Bool, None, (0, 0));
            self.var_mut(fits).known = Known::Scalar;
            let args = vec![word, literal(columns as i64), self.read(fitted), self.read(fits)];
            return self.library_stmt("FITWORD", args);
        }
        if self.random.chance(10) {
            let value = self.random.below(60) as i64 - 30;
            let least = 65 - (value ^ (value >> 63)).leading_zeros() as usize;
            let is_least = self.random.chance(50);
            let width = if is_least { least } else { least + self.random.below(3) };
            let word = self.result_bits(ExprType::Word, width, &[]);
            let word = self.read(word);
            return match is_least {
                true => self.library_stmt("TWOS", vec![literal(value), word]),
                false => {
                    let width = literal(width as i64);
                    self.library_stmt("SIGNEDWORD", vec![literal(value), width, word])
                }
            };
        }
        let name = RELATIONS[self.random.below(RELATIONS.len())];
        let mut args = vec![self.read(table)];
        args.push(if name.ends_with("WORD") {
            self.comparand(size)
        } else if name.ends_with("ROWS") {
            let other = self.table_like(rows, size);
            self.read(other)
        } else {
            self.int_in(-1, 1 << columns.min(40), 1)
        });
        let result = self.result_slice(rows, &[]);
        args.push(self.read(result));
        self.library_stmt(name, args)
    }

    /// WCOPY, WMERGE, TMERGE.
    fn merge(&mut self, table: VarIdx, rows: usize, columns: usize) -> Stmt {
        self.charge(7 * columns);
        let control = self.control(rows);
        let name = ["WCOPY", "WMERGE", "TMERGE"][self.random.below(3)];
        let mut args = match name {
            "TMERGE" => vec![self.read(table), control],
            _ => vec![self.comparand(columns), control],
        };
        let known = Known::Table(rows, columns);
        let suits = self.routine.scope.writable(|var| var.known == known);
        let result = match (name, self.choose(&suits)) {
            (_, Some(idx)) => idx,
            ("WCOPY", None) => self.result_table(rows, columns, &[]),
            (_, None) => self.declare(ExprType::Table, Some(known), (0, 0)),
        };
        args.push(self.read(result));
        self.library_stmt(name, args)
    }

    /// TCOPY1, TCOPY2.
    fn field(&mut self, table: VarIdx, rows: usize, columns: usize) -> Stmt {
        if columns == 0 {
            return self.copy(table, rows, columns);
        }
        self.charge(2 * columns);
        let width = 1 + self.random.below(columns);
        let place = 1 + self.random.below(columns / width);
        if let (Some((to, to_rows, to_columns)), true) =
            (self.table_to_write((0, 1)), self.random.chance(50))
        {
            let width = 1 + self.random.below(to_columns.min(8));
            let place = 1 + self.random.below(to_columns / width);
            let from = self.table_like(to_rows, width);
            let args = vec![
                self.read(from),
                self.int_in(place as i64, place as i64, 1),
                self.int_in(width as i64, width as i64, 0),
                self.read(to),
            ];
            return self.library_stmt("TCOPY2", args);
        }
        let place = self.int_in(place as i64, place as i64, 1);
        let result = self.result_table(rows, width, &[]);
        let args = vec![self.read(table), place, literal(width as i64), self.read(result)];
        self.library_stmt("TCOPY1", args)
    }

    /// TCOPY, CLEAR.
    fn copy(&mut self, table: VarIdx, rows: usize, columns: usize) -> Stmt {
        self.charge(2 * columns + 1);
        if let (Some((to, _, to_columns)), true) =
            (self.table_to_write((0, 0)), self.random.chance(50))
        {
            let args = vec![self.int_in(0, to_columns as i64, 1), self.read(to)];
            return self.library_stmt("CLEAR", args);
        }
        let result = self.result_table(rows, columns, &[]);
        let args = vec![self.read(table), self.read(result)];
        self.library_stmt("TCOPY", args)
    }
}
