//! Loops over lines that combine several effects, and the values left by the last iteration.

use star_base::Builtin;

use super::super::Gen;
use super::super::scope::{Known, VarIdx};
use super::super::source::{Expr, ExprType, Part, Stmt, stmt};

/// The variables of an iteration.
struct Names {
    kind: ExprType,
    line: Builtin,
    index: String,
    tables: [String; 2],
    /// Assigned in each iteration.
    own: [String; 2],
    /// Never assigned in the loop.
    outer: String,
    /// Combined into.
    union: String,
}

impl Gen {
    /// Loads, combines, clears, stores and gathers rows or columns of two tables, in any order. One
    /// table may need the old or the new value of the other; later statements use the values that
    /// the loop leaves.
    pub(super) fn several(
        &mut self,
        all: &mut Vec<Stmt>,
        table: VarIdx,
        rows: usize,
        columns: usize,
    ) {
        let by_rows = self.random.chance(50);
        let (kind, line, n_lines, len) = match by_rows {
            true => (ExprType::Word, Builtin::Row, rows, columns),
            false => (ExprType::Slice, Builtin::Col, columns, rows),
        };
        let name = self.var(table).name.clone();
        let (_, other) = self.own(ExprType::Table, Known::Table(rows, columns), (0, 0));
        self.charge(1);
        all.push(stmt!(&other, ":=", &name));
        let own = [self.begin(all, kind, len), self.begin(all, kind, len)];
        let outer = self.begin(all, kind, len);
        let union = self.begin(all, kind, len);
        let list = self.random.chance(40).then(|| {
            let of = if by_rows { ExprType::Slice } else { ExprType::Word };
            self.begin(all, of, n_lines)
        });
        let (i_idx, index) = self.own(ExprType::Int, Known::Scalar, (0, n_lines as i64));
        all.push(stmt!(&index, ":=0"));
        self.var_mut(i_idx).locked = true;
        let names = Names { kind, line, index, tables: [name, other], own, outer, union };
        let mut body = self.iterated(n_lines, |this| {
            let mut body = Vec::new();
            for at in 0..2 {
                if this.random.chance(80) {
                    body.push(this.load(&names, at));
                }
            }
            for _ in 0..1 + this.random.below(4) {
                body.push(this.step_of_iteration(&names));
            }
            let stored = this.line_of(&names, 0);
            body.push(stmt!(stored, ":=", &names.own[0]));
            body
        });
        let (i, n) = (&names.index, n_lines);
        self.var_mut(i_idx).locked = false;
        match list {
            Some(list) => {
                let of = if by_rows { ExprType::Slice } else { ExprType::Word };
                let list = Expr::leaf(of, &list);
                let some = self.builtin(Builtin::Some, ExprType::Bool, vec![list.clone()]);
                let step = self.builtin(Builtin::Step, ExprType::Int, vec![list]);
                body.insert(0, stmt!(i, ":=", step));
                self.count("while SOME");
                all.push(stmt!("while ", some, " do ", Part::Body(body)));
            }
            None if self.random.chance(50) => {
                self.count("for downto");
                all.push(stmt!("for ", i, format!(":={n} downto 1 do "), Part::Body(body)));
            }
            None => {
                self.count("for to");
                all.push(stmt!("for ", i, format!(":=1 to {n} do "), Part::Body(body)));
            }
        }
    }

    /// Generates the line of the iteration, rarely another one.
    fn line_of(&mut self, names: &Names, table: usize) -> Expr {
        let index = if self.random.chance(3) { "1" } else { &names.index }.to_owned();
        self.charge(1);
        self.line(names.line, names.kind, index, &names.tables[table])
    }

    fn load(&mut self, names: &Names, into: usize) -> Stmt {
        let table = self.random.below(2);
        let line = self.line_of(names, table);
        stmt!(&names.own[into], ":=", line)
    }

    fn step_of_iteration(&mut self, names: &Names) -> Stmt {
        let into = self.random.below(2);
        let own = names.own[into].clone();
        let of = match self.random.below(5) {
            0..2 => &names.own[0],
            2..4 => &names.own[1],
            _ => &names.outer,
        };
        let of = of.clone();
        let op = [" and ", " or ", " xor "][self.random.below(3)];
        self.charge(1);
        match self.random.below(10) {
            0..2 => self.load(names, into),
            2 => stmt!(["CLR(", "SET("][self.random.below(2)], own, ")"),
            3..6 => stmt!(&own, ":=", &own, op, of),
            6..8 => {
                let stored = self.line_of(names, 1);
                stmt!(stored, ":=", of)
            }
            _ => stmt!(&names.union, ":=", &names.union, op, own),
        }
    }
}
