//! Loops that query lines: sums, extremes, truth values and components from the results.

use star_base::Builtin;

use super::super::Gen;
use super::super::scope::{Known, VarIdx};
use super::super::source::{Expr, ExprType, Part, Stmt, expr, stmt};

/// The variables of an iteration.
struct Names {
    kind: ExprType,
    line: String,
    number: String,
    sum: String,
    extreme: String,
    flag: String,
    marks: String,
    index: String,
}

impl Gen {
    /// Queries the lines of a table and sums the results, compares them, and derives components
    /// from them.
    pub(super) fn queries(
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
        let marks = if by_rows { ExprType::Slice } else { ExprType::Word };
        let name = self.var(table).name.clone();
        let outer = self.begin(all, kind, len);
        let marks = self.begin(all, marks, n_lines);
        let most = len.max(n_lines).max(3) as i64;
        let number =
            |this: &mut Self, most: i64| this.own(ExprType::Int, Known::Scalar, (0, most)).1;
        let (sum, extreme) = (number(self, 8 * n_lines as i64 * most), number(self, most));
        let (_, answer) = self.own(ExprType::Int, Known::Scalar, (0, most));
        let (_, flag) = self.own(ExprType::Bool, Known::Scalar, (0, 1));
        let truth = ["true", "false"][self.random.below(2)];
        all.push(stmt!(&sum, ":=", "0"));
        all.push(stmt!(&extreme, ":=", ["0", "2"][self.random.below(2)]));
        all.push(stmt!(&answer, ":=0"));
        all.push(stmt!(&flag, ":=", truth));
        let (_, v) = self.own(kind, Known::Unset, (0, 0));
        let (i_idx, index) = self.own(ExprType::Int, Known::Scalar, (0, n_lines as i64));
        all.push(stmt!(&index, ":=0"));
        self.var_mut(i_idx).locked = true;
        let names = Names { kind, line: v, number: answer, sum, extreme, flag, marks, index };
        let body = self.iterated(n_lines, |this| {
            let loaded = this.line(line, kind, names.index.clone(), &name);
            this.charge(6);
            let op = [" and ", " or ", " and not "][this.random.below(3)];
            let mut body = vec![match this.random.below(2) {
                0 => stmt!(&names.line, ":=", loaded),
                _ => stmt!(&names.line, ":=", loaded, op, &outer),
            }];
            let line = Expr::leaf(kind, &names.line);
            let asked = match this.random.below(3) {
                0 => this.builtin(Builtin::Fnd, ExprType::Int, vec![line]),
                _ => this.builtin(Builtin::Numb, ExprType::Int, vec![line]),
            };
            body.push(stmt!(&names.number, ":=", asked));
            for _ in 0..1 + this.random.below(3) {
                body.push(this.decision(&names));
            }
            body
        });
        self.var_mut(i_idx).locked = false;
        let (i, n) = (&names.index, n_lines);
        self.count("for to");
        match self.random.below(2) {
            0 => all.push(stmt!("for ", i, format!(":=1 to {n} do "), Part::Body(body))),
            _ => all.push(stmt!("for ", i, format!(":={n} downto 1 do "), Part::Body(body))),
        }
    }

    /// Generates the use of a query's result in an iteration.
    fn decision(&mut self, names: &Names) -> Stmt {
        let Names { sum, extreme, number, flag, marks, index, .. } = names;
        // Rarely a component other than that of the iteration.
        let index = if self.random.chance(3) { "1" } else { index };
        match self.random.below(7) {
            0 => stmt!(sum, ":=", sum, "+", number),
            1 => {
                let relation = [">", ">=", "<", "<="][self.random.below(4)];
                let then = Part::Body(match self.random.below(8) {
                    // The comparison controls more than what is compared.
                    0 => vec![stmt!(extreme, ":=", number), stmt!(flag, ":=true")],
                    _ => vec![stmt!(extreme, ":=", number)],
                });
                match self.random.chance(50) {
                    true => stmt!("if ", number, relation, extreme, " then ", then),
                    false => stmt!("if ", extreme, relation, number, " then ", then),
                }
            }
            2 => {
                let test = self.test(names);
                let bit = ["true", "false"][self.random.below(2)];
                stmt!("if ", test, " then ", flag, ":=", bit)
            }
            3 => {
                let test = self.test(names);
                let then =
                    Part::Body(vec![stmt!(sum, ":=", sum, "+2"), stmt!(marks, "(", index, "):=1")]);
                let otherwise = Part::Body(vec![stmt!(marks, "(", index, "):=0")]);
                stmt!("if ", test, " then ", then, " else ", otherwise)
            }
            4 => {
                let test = self.test(names);
                let inner = self.test(names);
                let then =
                    Part::Body(vec![stmt!("if ", inner, " then ", marks, "(", index, "):=1")]);
                stmt!("if ", test, " then ", then)
            }
            5 => {
                let test = self.test(names);
                stmt!("if ", test, " then ", sum, ":=", sum, "+1")
            }
            // The partial combination is read.
            _ => stmt!("if ", sum, ">3 then ", marks, "(", index, "):=1"),
        }
    }

    fn test(&mut self, names: &Names) -> Expr {
        let line = Expr::leaf(names.kind, &names.line);
        match self.random.below(5) {
            0 => self.builtin(Builtin::Some, ExprType::Bool, vec![line]),
            1 => self.builtin(Builtin::Zero, ExprType::Bool, vec![line]),
            2 => self.builtin(Builtin::One, ExprType::Bool, vec![line]),
            3 => expr!(ExprType::Bool; &names.number, ">2"),
            _ => expr!(ExprType::Bool; &names.index, "<=", &names.number),
        }
    }
}
