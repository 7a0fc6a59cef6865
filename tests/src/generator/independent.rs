//! Loops with independent iterations: `forall`.

use star_base::Builtin;

use super::Gen;
use super::ints::literal;
use super::records::Records;
use super::scope::VarIdx;
use super::source::{Expr, ExprType, Part, Stmt, expr, stmt};

/// The iterations of a loop.
struct Iterations {
    /// The greatest index.
    n: usize,
    index: String,
    /// The variables that iterations write, and those that overlap them.
    written: Vec<VarIdx>,
    /// The type of a set of indices.
    over: ExprType,
    body: Vec<Stmt>,
}

impl Gen {
    /// `forall i in … where … do …`
    pub(super) fn forall(&mut self, all: &mut Vec<Stmt>) {
        let iterations = match self.random.below(4) {
            0 => self.cells(),
            1 | 2 => self.lines(),
            _ => self.own_components(),
        };
        let Some(Iterations { n, index, written, over, body }) = iterations else { return };
        self.construct("forall");
        let mut parts: Vec<Part> = vec![format!("forall {index} in ").into()];
        if self.random.chance(50) {
            let from = 1 + self.random.below(n);
            let to = from + self.random.below(n - from + 1);
            parts.push(format!("{from}..{to}").into());
        } else {
            parts.push(self.bits_leaf(over, n).into());
        }
        if self.random.chance(50) {
            self.construct("forall with a condition");
            let condition = self.without(&written, |this| match this.random.below(3) {
                0 => this.boolean(0),
                1 => expr!(ExprType::Bool; &index, "<>", this.int(0).expr),
                _ => expr!(ExprType::Bool; this.component_at(over, n, &index), "=1"),
            });
            parts.extend([" where ".into(), condition.into()]);
        }
        parts.extend([" do ".into(), Part::Body(body)]);
        all.push(Stmt { parts });
    }

    /// Generates a component of a variable with this index.
    fn component_at(&mut self, kind: ExprType, size: usize, index: &str) -> Expr {
        let vars = self.routine.scope.readable(|var| var.is_bits(kind, size));
        match self.choose(&vars) {
            Some(idx) => Expr::leaf(ExprType::Int, format!("{}({index})", self.var(idx).name)),
            None => Expr::leaf(ExprType::Int, "1"),
        }
    }

    /// Declares the variable of a loop.
    fn loop_index(&mut self, size: usize) -> String {
        let idx = self.declare(ExprType::Int, None, (1, size as i64));
        self.var(idx).name.clone()
    }

    /// Generates iterations that write numbers of rows.
    fn cells(&mut self) -> Option<Iterations> {
        let of = self.records_with(|records| records.rows > 0)?;
        let Records { name, table, rows, shape } = self.routine.records[of].clone();
        let field = self.number_field(shape, |field| field.fits_integers());
        if !field.fits_integers() || !self.affords(5.0 * rows as f64) {
            return None;
        }
        self.charge(5 * rows);
        let i = self.loop_index(rows);
        let written = self.overlapping(table);
        let cell = format!("{name}[{i}].{}", field.name);
        let (lo, hi) = field.range();
        let value = match self.random.below(3) {
            0 => expr!(ExprType::Int; literal((lo + hi) as i64), "-", &cell),
            1 if hi >= rows as i128 => Expr::leaf(ExprType::Int, &i),
            _ => self.without(&written, |this| this.int_in(lo as i64, hi as i64, 0)),
        };
        let body = vec![stmt!(cell, ":=", value)];
        Some(Iterations { n: rows, index: i, written, over: ExprType::Slice, body })
    }

    /// Generates iterations that write rows or columns of a table.
    fn lines(&mut self) -> Option<Iterations> {
        let (table, rows, columns) = self.table_to_write((1, 1))?;
        if self.var(table).is_field() {
            return None;
        }
        let (builtin, kind, n, size) = match self.random.chance(50) {
            true => (Builtin::Row, ExprType::Word, rows, columns),
            false => (Builtin::Col, ExprType::Slice, columns, rows),
        };
        if !self.affords(5.0 * n as f64) {
            return None;
        }
        self.charge(5 * n);
        let i = self.loop_index(n);
        let local = self.declare(kind, None, (0, 0));
        let local = self.var(local).name.clone();
        let written = self.overlapping(table);
        let line = |this: &mut Self, index: Expr| {
            let args = vec![index, this.read(table)];
            this.builtin(builtin, kind, args)
        };
        let own = Expr::leaf(ExprType::Int, &i);
        let (read, target) = (line(self, own.clone()), line(self, own));
        let op = [" and ", " or ", " xor ", " and not "][self.random.below(4)];
        let operand = if self.random.chance(60) {
            // Another line, as it was before the loop.
            self.construct("forall that keeps a line");
            let index = literal(1 + self.random.below(n) as i64);
            line(self, index)
        } else {
            self.without(&written, |this| this.bits_leaf(kind, size))
        };
        let body = vec![
            stmt!(&local, ":=", read),
            stmt!(&local, ":=", &local, op, operand),
            stmt!(target, ":=", &local),
        ];
        let over = if kind == ExprType::Word { ExprType::Slice } else { ExprType::Word };
        Some(Iterations { n, index: i, written, over, body })
    }

    /// Generates iterations that write components.
    fn own_components(&mut self) -> Option<Iterations> {
        let vars = self
            .routine
            .scope
            .writable(|var| var.bits().is_some_and(|size| size > 0) && !var.is_field());
        let idx = self.choose(&vars)?;
        let (kind, size) = (self.var(idx).kind, self.var(idx).bits()?);
        if !self.affords(4.0 * size as f64) {
            return None;
        }
        self.charge(4 * size);
        let i = self.loop_index(size);
        let written = self.overlapping(idx);
        let name = self.var(idx).name.clone();
        let own = format!("{name}({i})");
        let value = match self.random.below(3) {
            0 => expr!(ExprType::Int; "1-", &own),
            1 => self.without(&written, |this| this.component_at(kind, size, &i)),
            _ => self.without(&written, |this| this.int_in(0, 1, 0)),
        };
        let body = vec![stmt!(own, ":=", value)];
        Some(Iterations { n: size, index: i, written, over: kind, body })
    }

    /// Returns a variable, the fields of its rows, and the table that it is a field of.
    fn overlapping(&self, idx: VarIdx) -> Vec<VarIdx> {
        (0..self.routine.scope.vars.len()).filter(|&other| self.overlap(idx, other)).collect()
    }

    /// Generates an expression that reads none of these variables.
    fn without<T>(&mut self, hidden: &[VarIdx], make: impl FnOnce(&mut Self) -> T) -> T {
        let before: Vec<bool> = hidden.iter().map(|&idx| self.var(idx).hidden).collect();
        for &idx in hidden {
            self.var_mut(idx).hidden = true;
        }
        let made = make(self);
        for (&idx, before) in hidden.iter().zip(before) {
            self.var_mut(idx).hidden = before;
        }
        made
    }
}
