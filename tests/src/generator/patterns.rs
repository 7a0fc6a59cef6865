//! Loops in the form of the published programs, and loops that are nearly in that form: loops that
//! passes recognise, and loops that they must leave alone.

mod fields;
mod queries;
mod several;

use star_base::Builtin;

use super::Gen;
use super::ints::literal;
use super::scope::{Known, VarIdx};
use super::source::{Expr, ExprType, Part, Stmt, expr, stmt};

impl Gen {
    pub(super) fn pattern(&mut self, all: &mut Vec<Stmt>) {
        // Passes recognise few loops over the columns of a field, so most are over whole tables.
        let with_fields = self.random.chance(20);
        let tables = self.routine.scope.writable(|var| {
            var.table().is_some_and(|(rows, columns)| rows > 0 && columns > 0)
                && (with_fields || !var.is_field())
        });
        let table = self.choose(&tables);
        let Some((table, (rows, columns))) =
            table.and_then(|idx| Some((idx, self.var(idx).table()?)))
        else {
            self.build_table(all);
            return;
        };
        let room = |units: usize, this: &Self| this.affords(units as f64);
        match self.random.below(13) {
            0 if room(4 * columns, self) => self.columns(all, table, rows, columns),
            1 if room(5 * rows, self) => self.rows(all, table, rows, columns),
            2 if room(4 * columns, self) => self.gather(all, table, rows, columns),
            3 if room(4 * rows.min(columns), self) => self.diagonal(all, table, rows, columns),
            4 if room(8 * rows * columns.min(rows), self) => {
                self.closure(all, table, rows, columns)
            }
            5 | 12 if room(12 * columns, self) => self.fields(all, table, rows, columns),
            6 if room(4 * columns, self) => self.components(all, rows),
            7 if columns > 1 && room(6 * columns, self) => self.shifted(all, table, rows, columns),
            8..10 if room(10 * rows.max(columns), self) => {
                self.several(all, table, rows, columns);
            }
            10 if room(10 * rows.max(columns), self) => {
                self.queries(all, table, rows, columns);
            }
            _ => self.build_table(all),
        }
    }

    /// Declares a new local that is set and that only this pattern uses during generation.
    fn own(&mut self, kind: ExprType, known: Known, domain: (i64, i64)) -> (VarIdx, String) {
        let idx = self.declare(kind, None, domain);
        self.var_mut(idx).known = known;
        (idx, self.var(idx).name.clone())
    }

    /// Declares a slice or word with a value.
    fn begin(&mut self, all: &mut Vec<Stmt>, kind: ExprType, size: usize) -> String {
        let value = self.bits(kind, size, 1);
        let (_, name) = self.own(kind, Known::Bits(size), (0, 0));
        all.push(stmt!(&name, ":=", value));
        name
    }

    fn col(&mut self, index: impl Into<String>, table: &str) -> Expr {
        self.line(Builtin::Col, ExprType::Slice, index.into(), table)
    }

    fn row(&mut self, index: impl Into<String>, table: &str) -> Expr {
        self.line(Builtin::Row, ExprType::Word, index.into(), table)
    }

    fn line(&mut self, builtin: Builtin, kind: ExprType, index: String, table: &str) -> Expr {
        let index = Expr::leaf(ExprType::Int, index);
        self.builtin(builtin, kind, vec![index, Expr::leaf(ExprType::Table, table)])
    }

    fn size_of(&mut self, builtin: Builtin, table: &str) -> Expr {
        self.builtin(builtin, ExprType::Int, vec![Expr::leaf(ExprType::Table, table)])
    }

    /// Computes each column from itself, or from its neighbour.
    fn columns(&mut self, all: &mut Vec<Stmt>, table: VarIdx, rows: usize, columns: usize) {
        let name = self.var(table).name.clone();
        let (_, i) = self.own(ExprType::Int, Known::Unset, (1, columns as i64));
        let value = self.iterated(columns, |this| {
            let operand = this.bits(ExprType::Slice, rows, 1);
            let other = match this.random.below(4) {
                0 => format!("1+{i} mod {columns}"),
                1 => format!("{columns}+1-{i}"),
                _ => i.clone(),
            };
            let column = this.col(other, &name);
            let op = [" and ", " or ", " xor "][this.random.below(3)];
            expr!(ExprType::Slice; column, op, operand)
        });
        let target = self.iterated(columns, |this| this.col(&*i, &name));
        let to = self.size_of(Builtin::Size, &name);
        self.count("for to");
        all.push(stmt!(
            "for ",
            i,
            ":=1 to ",
            to,
            " do ",
            Part::Body(vec![stmt!(target, ":=", value)])
        ));
    }

    /// Computes columns of a table from those at a fixed distance after or before them, of another
    /// table or of the same one.
    fn shifted(&mut self, all: &mut Vec<Stmt>, table: VarIdx, rows: usize, columns: usize) {
        let name = self.var(table).name.clone();
        let (_, copy) = self.own(ExprType::Table, Known::Table(rows, columns), (0, 0));
        self.charge(1);
        all.push(stmt!(&copy, ":=", &name));
        let carried = self.begin(all, ExprType::Slice, rows);
        let (_, i) = self.own(ExprType::Int, Known::Unset, (1, columns as i64));
        let by = 1 + self.random.below(columns - 1);
        let iterations = columns - by;
        let from = if self.random.chance(80) { &copy } else { &name };
        let beside = match self.random.below(3) {
            0 => format!("{by}+{i}"),
            1 => format!("{by}-1+{i}+1"),
            _ => format!("{i}+{by}"),
        };
        let is_read_beside = self.random.chance(60);
        let (read, written) = if is_read_beside { (&beside, &i) } else { (&i, &beside) };
        let body = self.iterated(iterations, |this| {
            let (source, target) = (this.col(read, from), this.col(written, &name));
            let op = [" and ", " or ", " xor "][this.random.below(3)];
            this.charge(3);
            let mut body = vec![stmt!(target, ":=", source, op, &carried)];
            if this.random.chance(50) {
                let source = this.col(read, from);
                body.push(stmt!(&carried, ":=", &carried, " xor ", source));
            }
            body
        });
        let range = match self.random.below(2) {
            0 => format!(":=1 to {iterations} do "),
            _ => format!(":={iterations} downto 1 do "),
        };
        self.count("for to");
        all.push(stmt!("for ", i, range, Part::Body(body)));
    }

    /// Changes the rows of a responder loop by themselves or by their neighbour.
    fn rows(&mut self, all: &mut Vec<Stmt>, table: VarIdx, rows: usize, columns: usize) {
        let name = self.var(table).name.clone();
        let x = self.begin(all, ExprType::Slice, rows);
        let w = self.begin(all, ExprType::Word, columns);
        let (_, i) = self.own(ExprType::Int, Known::Unset, (1, rows as i64));
        let (_, v) = self.own(ExprType::Word, Known::Unset, (0, 0));
        let other = if self.random.chance(20) { format!("1+{i} mod {rows}") } else { i.clone() };
        let body = self.iterated(rows, |this| {
            let step =
                this.builtin(Builtin::Step, ExprType::Int, vec![Expr::leaf(ExprType::Slice, &x)]);
            let (read, written) = (this.row(other, &name), this.row(&*i, &name));
            let op = [" or ", " xor ", " and not "][this.random.below(3)];
            this.charge(3);
            let mut body = vec![
                stmt!(&i, ":=", step),
                stmt!(&v, ":=", read),
                stmt!(&v, ":=", &v, op, &w),
                stmt!(written, ":=", &v),
            ];
            if this.random.chance(20) {
                // The following iterations see it.
                body.push(stmt!(&w, ":=", &w, " or ", &v));
            }
            body
        });
        self.count("while SOME");
        let some =
            self.builtin(Builtin::Some, ExprType::Bool, vec![Expr::leaf(ExprType::Slice, &x)]);
        all.push(stmt!("while ", some, " do ", Part::Body(body)));
    }

    /// Unions over columns, together with sums.
    fn gather(&mut self, all: &mut Vec<Stmt>, table: VarIdx, rows: usize, columns: usize) {
        let name = self.var(table).name.clone();
        let (_, j) = self.own(ExprType::Int, Known::Unset, (1, columns as i64));
        let (_, sum) = self.own(ExprType::Int, Known::Scalar, (0, (rows * columns) as i64));
        all.push(stmt!(&sum, ":=0"));
        let union = self.begin(all, ExprType::Slice, rows);
        let body = self.iterated(columns, |this| {
            let (one, two) = (this.col(&*j, &name), this.col(&*j, &name));
            let count = this.builtin(Builtin::Numb, ExprType::Int, vec![one]);
            let op = [" or ", " and ", " xor "][this.random.below(3)];
            this.charge(2);
            let mut body = vec![stmt!(&union, ":=", &union, op, two)];
            // With a sum it is not purely a reduction of lines.
            if this.random.chance(40) {
                body.insert(0, stmt!(&sum, ":=", &sum, "+", count));
            }
            body
        });
        let from = self.size_of(Builtin::Size, &name);
        self.count("for downto");
        all.push(stmt!("for ", j, ":=", from, " downto 1 do ", Part::Body(body)));
    }

    /// Uses the row and the column of the same index in one loop.
    fn diagonal(&mut self, all: &mut Vec<Stmt>, table: VarIdx, rows: usize, columns: usize) {
        let name = self.var(table).name.clone();
        let iterations = rows.min(columns);
        let (i_idx, i) = self.own(ExprType::Int, Known::Unset, (1, iterations as i64));
        let body = self.iterated(iterations, |this| {
            let var = this.var_mut(i_idx);
            (var.known, var.locked) = (Known::Scalar, true);
            let (column, row) = (this.col(&*i, &name), this.row(&*i, &name));
            let down = this.typed_operand(ExprType::Slice, rows, 2);
            let across = this.typed_operand(ExprType::Word, columns, 2);
            let mut body = vec![stmt!(column, ":=", down), stmt!(row, ":=", across)];
            if this.random.chance(50) {
                body.reverse();
            }
            if this.random.chance(50) {
                body.push(stmt!(&name, "(", &i, ",", &i, "):=", this.int_in(0, 1, 2)));
            }
            let var = this.var_mut(i_idx);
            (var.known, var.locked) = (Known::Unset, false);
            body
        });
        self.count("for to");
        all.push(stmt!("for ", i, format!(":=1 to {iterations} do "), Part::Body(body)));
    }

    /// Generates Warshall's algorithm, in full or on the first vertices.
    fn closure(&mut self, all: &mut Vec<Stmt>, table: VarIdx, rows: usize, columns: usize) {
        let name = self.var(table).name.clone();
        let iterations = rows.min(columns);
        let (_, k) = self.own(ExprType::Int, Known::Unset, (1, iterations as i64));
        let (_, i) = self.own(ExprType::Int, Known::Unset, (1, rows as i64));
        let (_, x) = self.own(ExprType::Slice, Known::Unset, (0, 0));
        let (_, v) = self.own(ExprType::Word, Known::Unset, (0, 0));
        let (_, w) = self.own(ExprType::Word, Known::Unset, (0, 0));
        let list = Expr::leaf(ExprType::Slice, &x);
        let body = self.iterated(iterations, |this| {
            let (column, row) = (this.col(&*k, &name), this.row(&*k, &name));
            let some = this.builtin(Builtin::Some, ExprType::Bool, vec![list.clone()]);
            let inner = this.iterated(rows, |this| {
                let step = this.builtin(Builtin::Step, ExprType::Int, vec![list.clone()]);
                let (read, written) = (this.row(&*i, &name), this.row(&*i, &name));
                this.charge(2);
                vec![
                    stmt!(&i, ":=", step),
                    stmt!(&v, ":=", read),
                    stmt!(&v, ":=", &v, " or ", &w),
                    stmt!(written, ":=", &v),
                ]
            });
            vec![
                stmt!(&x, ":=", column),
                stmt!(&w, ":=", row),
                stmt!("while ", some, " do ", Part::Body(inner)),
            ]
        });
        let to = 1 + self.random.below(iterations);
        let to = if self.random.chance(60) { iterations } else { to };
        self.count("for to");
        self.count("while SOME");
        all.push(stmt!("for ", k, ":=1 to ", literal(to as i64), " do ", Part::Body(body)));
    }

    /// Computes components of one slice from another, some of them from the neighbour.
    fn components(&mut self, all: &mut Vec<Stmt>, rows: usize) {
        let iterations = rows.min(40);
        let (_, i) = self.own(ExprType::Int, Known::Unset, (1, iterations as i64));
        let x = self.begin(all, ExprType::Slice, rows);
        let y = self.begin(all, ExprType::Slice, rows);
        let from = [&x, &y][self.random.below(2)].clone();
        let body = match self.random.below(3) {
            0 => stmt!(&x, "(", &i, "):=", &from, format!("(1+{i} mod {rows})")),
            1 => stmt!(&x, "(", &i, "):=1-", &from, "(", &i, ")"),
            _ => stmt!("if ", &y, "(", &i, ")=1 then ", &x, "(", &i, "):=", &from, "(1)"),
        };
        self.routine.spent += self.routine.iterations * 3.0 * iterations as f64;
        self.count("for to");
        self.count("assign component");
        all.push(stmt!("for ", i, format!(":=1 to {iterations} do "), Part::Body(vec![body])));
    }

    /// Builds a table column by column.
    pub(super) fn build_table(&mut self, all: &mut Vec<Stmt>) {
        let (rows, columns) =
            (self.sizes.row(&mut self.random), self.sizes.column(&mut self.random));
        if columns == 0 || !self.affords(3.0 * columns as f64) {
            return;
        }
        // At the head of a loop the table is either unset or already of these sizes, so it needs a
        // separate table.
        let table = self.new_table(rows, columns);
        let name = self.var(table).name.clone();
        let (j_idx, j) = self.own(ExprType::Int, Known::Unset, (1, columns as i64));
        self.var_mut(table).known = Known::Unset;
        let body = self.iterated(columns, |this| {
            let var = this.var_mut(j_idx);
            (var.known, var.locked) = (Known::Scalar, true);
            let target = this.col(&*j, &name);
            let value = this.typed_operand(ExprType::Slice, rows, 2);
            let var = this.var_mut(j_idx);
            (var.known, var.locked) = (Known::Unset, false);
            vec![stmt!(target, ":=", value)]
        });
        self.var_mut(table).known = Known::Table(rows, columns);
        self.count("for to");
        self.count("assign column");
        all.push(stmt!("for ", j, format!(":=1 to {columns} do "), Part::Body(body)));
    }
}
