//! Calls of the procedures of the library.

use super::ints::literal;
use super::scope::{Known, VarIdx};
use super::source::{Expr, Kind, Stmt};
use super::{Gen, call};

/// The procedures and functions that every program sees.
pub const PROCEDURES: [&str; 23] = [
    "ADDV", "SUBTV", "ADDC", "SUBTC", "MULTV", "MULTC", "SUMROWS", "CLEAR", "TCOPY", "TCOPY1",
    "TCOPY2", "WCOPY", "WMERGE", "TMERGE", "MATCH", "MIN", "MAX", "LESS", "GREAT", "GEL", "HIT",
    "SETMIN", "SETMAX",
];

impl Gen {
    /// A call of a library procedure with these arguments.
    pub(super) fn library_stmt(&mut self, name: &'static str, args: Vec<Expr>) -> Stmt {
        *self.counts.library.entry(name).or_default() += 1;
        Stmt { parts: call(name, args) }
    }

    /// Likewise with arguments as texts.
    pub(super) fn library_call(&mut self, name: &'static str, args: &[&str]) -> Stmt {
        let args = args.iter().map(|arg| Expr::leaf(Kind::Int, arg)).collect();
        self.library_stmt(name, args)
    }

    /// A call of a library procedure on some table.
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
        let made = match self.random.below(8) {
            0 | 1 => self.search(table, rows, columns),
            2 => self.compare(table, rows, columns),
            3 | 4 => self.arithmetic_on_rows(table, rows, columns),
            5 => self.merge(table, rows, columns),
            6 => self.field(table, rows, columns),
            _ => self.copy(table, rows, columns),
        };
        all.push(made);
    }

    /// A slice for a result, none of `taken`.
    fn result_slice(&mut self, rows: usize, taken: &[VarIdx]) -> VarIdx {
        let known = Known::Bits(rows);
        let mut suits = self.routine.scope.writable(|var| {
            var.kind == Kind::Slice
                && (var.fixed == Some(known) || var.fixed.is_none() && var.known == known)
        });
        suits.retain(|idx| !taken.contains(idx));
        let idx = match self.choose(&suits) {
            Some(idx) if self.random.chance(85) => idx,
            Some(_) | None => {
                let fixed = self.random.chance(40).then_some(known);
                self.declare(Kind::Slice, fixed, (0, 0))
            }
        };
        self.var_mut(idx).known = known;
        idx
    }

    /// A table for a result.
    fn result_table(&mut self, rows: usize, columns: usize) -> VarIdx {
        let known = Known::Table(rows, columns);
        let suits =
            self.routine.scope.writable(|var| var.kind == Kind::Table && var.known == known);
        let idx = match self.choose(&suits) {
            Some(idx) if self.random.chance(70) => idx,
            Some(_) | None => self.new_table(rows, columns),
        };
        self.var_mut(idx).known = known;
        idx
    }

    fn control(&mut self, rows: usize) -> Expr {
        self.typed_operand(Kind::Slice, rows, 1)
    }

    /// A comparand: often a row of the table.
    fn comparand(&mut self, columns: usize) -> Expr {
        self.typed_operand(Kind::Word, columns, 2)
    }

    /// MATCH, LESS, GREAT, GEL, MIN, MAX.
    fn search(&mut self, table: VarIdx, rows: usize, columns: usize) -> Stmt {
        self.charge(6 * columns + 2);
        let mut args = vec![self.read(table), self.control(rows)];
        let name = ["MATCH", "LESS", "GREAT", "GEL", "MIN", "MAX"][self.random.below(6)];
        if !name.starts_with('M') || name == "MATCH" {
            args.push(self.comparand(columns));
        }
        let mut results = Vec::new();
        for _ in 0..if name == "GEL" { 3 } else { 1 } {
            let idx = self.result_slice(rows, &results);
            results.push(idx);
            args.push(self.read(idx));
        }
        self.library_stmt(name, args)
    }

    /// HIT, SETMIN, SETMAX.
    fn compare(&mut self, table: VarIdx, rows: usize, columns: usize) -> Stmt {
        self.charge(8 * columns + 2);
        let other = self.table_like(rows, columns);
        let control = self.control(rows);
        let result = self.result_slice(rows, &[]);
        let name = ["HIT", "SETMIN", "SETMAX"][self.random.below(3)];
        let args = vec![self.read(table), self.read(other), control, self.read(result)];
        self.library_stmt(name, args)
    }

    /// ADDV, SUBTV, ADDC, SUBTC, MULTV, MULTC.
    fn arithmetic_on_rows(&mut self, table: VarIdx, rows: usize, columns: usize) -> Stmt {
        let width = self.word_size(5).max(1);
        let product = 9 * columns * width + 12 * columns + 20;
        if columns > 0 && self.affords(product as f64) && self.random.chance(30) {
            self.charge(product);
            let control = self.control(rows);
            let (name, operand) = if self.random.chance(50) {
                let other = self.table_like(rows, width);
                let args = vec![self.read(table), self.read(other), control];
                ("MULTV", args)
            } else {
                let word = self.comparand(width);
                ("MULTC", vec![self.read(table), control, word])
            };
            let result = self.result_table(rows, columns + width);
            let args = operand.into_iter().chain([self.read(result)]).collect();
            return self.library_stmt(name, args);
        }
        self.charge(11 * columns + 1);
        let name = ["ADDV", "SUBTV", "ADDC", "SUBTC"][self.random.below(4)];
        let mut args = vec![self.read(table)];
        if name.ends_with('V') {
            let other = self.table_like(rows, columns);
            args.push(self.read(other));
        }
        args.push(self.control(rows));
        if name.ends_with('C') {
            args.push(self.comparand(columns));
        }
        let result = self.result_table(rows, columns);
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
            ("WCOPY", None) => self.result_table(rows, columns),
            (_, None) => self.declare(Kind::Table, Some(known), (0, 0)),
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
        let result = self.result_table(rows, width);
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
        let result = self.result_table(rows, columns);
        let args = vec![self.read(table), self.read(result)];
        self.library_stmt("TCOPY", args)
    }
}
