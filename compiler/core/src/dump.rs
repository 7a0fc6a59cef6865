//! HIR as text, for compiler developers: variables with their declared sizes, then the statements,
//! one per line. `@` precedes the site of a mention; operators and callees are named.

use std::fmt::{self, Display, Formatter, Write};

use crate::hir::{
    Arg, ChainOp, Column, ColumnStep, Expr, ExprKind, Field, NumberField, Program, Routine, Size,
    Stmt, StmtKind, Target, Ty, VarUse,
};

/// Prints one routine.
pub(crate) fn routine(program: &Program, routine: &Routine) -> String {
    let mut printer = Printer { program, routine, text: String::new(), depth: 1 };
    let of = Names { program, routine };
    // Writing to a string cannot fail.
    let _ = writeln!(printer.text, "{:?} `{}`", routine.kind, routine.name);
    for (idx, local) in routine.locals.iter().enumerate() {
        let ty = of.ty(&local.ty);
        printer.line(format_args!("local {idx} `{}`: {:?} {ty}", local.name, local.role));
    }
    printer.stmts(&routine.body);
    printer.text
}

/// The writer of statements.
struct Printer<'a> {
    program: &'a Program,
    routine: &'a Routine,
    text: String,
    depth: usize,
}

impl Printer<'_> {
    fn line(&mut self, line: fmt::Arguments<'_>) {
        let _ = writeln!(self.text, "{:1$}{line}", "", 2 * self.depth);
    }

    fn inside(&mut self, body: &[Stmt]) {
        self.depth += 1;
        self.stmts(body);
        self.depth -= 1;
    }

    fn stmts(&mut self, body: &[Stmt]) {
        for stmt in body {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let of = Names { program: self.program, routine: self.routine };
        match &stmt.kind {
            StmtKind::Assign(target, value) => {
                self.line(format_args!("{} := {}", of.target(target), of.expr(value)));
            }
            StmtKind::Fill(place, value) => {
                self.line(format_args!("fill {} {value}", of.place(place)));
            }
            StmtKind::KeepFirst(place) => self.line(format_args!("keep first {}", of.place(place))),
            StmtKind::Step(place) => self.line(format_args!("step {}", of.place(place))),
            StmtKind::Replace { from, to, value, word } => {
                let (word, part) = (of.place(word), [from, to, value].map(|expr| &**expr));
                self.line(format_args!("replace {word} {}", of.list(&part)));
            }
            StmtKind::Call(callee, args) => {
                let name = &self.program.routine(*callee).name;
                self.line(format_args!("call {name}{}", of.args(args)));
            }
            StmtKind::Print(items) => self.line(format_args!("print {}", of.list(items))),
            StmtKind::Read(place, file, layout) => {
                let from: Vec<&Expr> =
                    std::iter::once(file).chain(layout).map(|expr| &**expr).collect();
                self.line(format_args!("read {} {}", of.place(place), of.list(&from)));
            }
            StmtKind::Write(place, file) => {
                self.line(format_args!("write {} {}", of.place(place), of.expr(file)));
            }
            StmtKind::Assert(test, message) => {
                let items: Vec<&Expr> = std::iter::once(test).chain(message.as_deref()).collect();
                self.line(format_args!("assert {}", of.list(&items)));
            }
            StmtKind::Block(body) => {
                self.line(format_args!("block"));
                self.inside(body);
            }
            StmtKind::If(arms, otherwise) => {
                for (test, then) in arms {
                    self.line(format_args!("if {}", of.expr(test)));
                    self.inside(then);
                }
                if !otherwise.is_empty() {
                    self.line(format_args!("else"));
                    self.inside(otherwise);
                }
            }
            StmtKind::While(test, body) => {
                self.line(format_args!("while {}", of.expr(test)));
                self.inside(body);
            }
            StmtKind::Repeat(body, until) => {
                self.line(format_args!("repeat"));
                self.inside(body);
                self.line(format_args!("until {}", of.expr(until)));
            }
            StmtKind::For { var, from, to, down, body } => {
                let to_word = if *down { "downto" } else { "to" };
                let (var, from, to) = (of.place(var), of.expr(from), of.expr(to));
                self.line(format_args!("for {var} := {from} {to_word} {to}"));
                self.inside(body);
            }
            StmtKind::Foreach { var, over, body } => {
                self.line(format_args!("foreach {} in {}", of.place(var), of.expr(over)));
                self.inside(body);
            }
            StmtKind::Forget(locals) => {
                let names: Vec<&str> =
                    locals.iter().map(|local| self.routine.local(*local).name.as_str()).collect();
                self.line(format_args!("forget {}", names.join(", ")));
            }
            StmtKind::Exit => self.line(format_args!("exit")),
            StmtKind::Break => self.line(format_args!("break")),
            StmtKind::Continue => self.line(format_args!("continue")),
        }
    }
}

/// The names of variables and routines. Its methods return values that `format!` accepts, so that a
/// deep tree is written in one pass.
#[derive(Clone, Copy)]
struct Names<'a> {
    program: &'a Program,
    routine: &'a Routine,
}

/// A value displayed by a function.
struct Shown<F>(F);

impl<F: Fn(&mut Formatter<'_>) -> fmt::Result> Display for Shown<F> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0(f)
    }
}

impl<'a> Names<'a> {
    fn place(self, place: &'a VarUse) -> impl Display {
        Shown(move |f: &mut Formatter<'_>| {
            write!(f, "{}@{}", self.routine.local(place.local).name, place.site.0)
        })
    }

    fn ty(self, ty: &'a Ty) -> impl Display {
        Shown(move |f: &mut Formatter<'_>| {
            f.write_str(ty.kind().name())?;
            let sizes = match ty {
                Ty::Int | Ty::Bool | Ty::Str | Ty::Handle => [&None, &None],
                Ty::Slice(size) | Ty::Word(size) => [size, &None],
                Ty::Table(rows, columns) => [rows, columns],
            };
            let sizes: Vec<&Expr> = sizes.into_iter().filter_map(Size::as_deref).collect();
            if sizes.is_empty() { Ok(()) } else { write!(f, "{}", self.list(&sizes)) }
        })
    }

    fn target(self, target: &'a Target) -> impl Display {
        Shown(move |f: &mut Formatter<'_>| match target {
            Target::Var(place) => write!(f, "{}", self.place(place)),
            Target::Component(place, index) => {
                write!(f, "{}({})", self.place(place), self.expr(index))
            }
            Target::Bit(place, row, column) => {
                write!(f, "{}{}", self.place(place), self.list(&[&**row, &**column]))
            }
            Target::Part(place, part) => write!(f, "{}.{}", self.place(place), part.name),
            Target::Field(field) => write!(f, "{}", self.field(field)),
            Target::Numbers(target) => {
                let NumberField { field, is_signed, mask } = &**target;
                let sign = if *is_signed { "int " } else { "" };
                write!(f, "{sign}{}", self.field(field))?;
                mask.iter().try_for_each(|mask| write!(f, " where {}", self.place(mask)))
            }
            Target::Cell(row, field) => {
                write!(f, "ROW({}, {})", self.expr(row), self.field(field))
            }
            Target::Col(index, place) => {
                write!(f, "COL({}, {})", self.expr(index), self.place(place))
            }
            Target::Row(index, place) => {
                write!(f, "ROW({}, {})", self.expr(index), self.place(place))
            }
        })
    }

    fn field(self, field: &'a Field) -> impl Display {
        Shown(move |f: &mut Formatter<'_>| {
            let Field { table, base, width, number: _, span: _ } = field;
            write!(f, "{}[{} + {}]", self.place(table), self.expr(base), self.expr(width))
        })
    }

    fn column(self, column: &'a Column) -> impl Display {
        Shown(move |f: &mut Formatter<'_>| {
            let Column { steps, offset } = column;
            for step in steps {
                match step {
                    ColumnStep::Operand { value, is_signed, is_target } => {
                        let sign = if *is_signed { "int " } else { "" };
                        let own = if *is_target { "own " } else { "" };
                        write!(f, "{own}{sign}{} ", self.expr(value))?;
                    }
                    ColumnStep::Apply(op) => write!(f, "{op:?} ")?,
                }
            }
            f.write_str(if *offset { "offset" } else { "plain" })
        })
    }

    /// Displays expressions in parentheses.
    fn list<E: std::borrow::Borrow<Expr>>(self, items: &[E]) -> impl Display {
        Shown(move |f: &mut Formatter<'_>| {
            f.write_char('(')?;
            for (idx, item) in items.iter().enumerate() {
                let comma = if idx == 0 { "" } else { ", " };
                write!(f, "{comma}{}", self.expr(item.borrow()))?;
            }
            f.write_char(')')
        })
    }

    fn args(self, args: &'a [Arg]) -> impl Display {
        Shown(move |f: &mut Formatter<'_>| {
            f.write_char('(')?;
            for (idx, arg) in args.iter().enumerate() {
                f.write_str(if idx == 0 { "" } else { ", " })?;
                match arg {
                    Arg::Value(value) => write!(f, "{}", self.expr(value))?,
                    Arg::Ref(place) => write!(f, "var {}", self.place(place))?,
                    Arg::Field(field, kind) => {
                        write!(f, "var {} {}", kind.name(), self.field(field))?;
                    }
                }
            }
            f.write_char(')')
        })
    }

    fn expr(self, expr: &'a Expr) -> impl Display {
        Shown(move |f: &mut Formatter<'_>| self.write(f, expr))
    }

    fn write(self, f: &mut Formatter<'_>, expr: &'a Expr) -> fmt::Result {
        match &expr.kind {
            ExprKind::Error => write!(f, "error"),
            ExprKind::Int(value) => write!(f, "{value}"),
            ExprKind::Bool(value) => write!(f, "{value}"),
            ExprKind::Str(text) => write!(f, "{text:?}"),
            ExprKind::Bits(value) => write!(f, "'{value}'"),
            ExprKind::Theta => write!(f, "Θ"),
            ExprKind::Var(place) => write!(f, "{}", self.place(place)),
            ExprKind::Chain(first, links) => {
                write!(f, "({}", self.expr(first))?;
                for (op, operand) in links {
                    match op {
                        ChainOp::Int(op) => write!(f, " {op:?} ")?,
                        ChainOp::Bool(op) | ChainOp::Bits(op) => write!(f, " {op:?} ")?,
                    }
                    self.write(f, operand)?;
                }
                write!(f, ")")
            }
            ExprKind::Neg(operand) => write!(f, "Neg({})", self.expr(operand)),
            ExprKind::Not(operand) => write!(f, "Not({})", self.expr(operand)),
            ExprKind::BitsNot(operand) => write!(f, "BitsNot({})", self.expr(operand)),
            ExprKind::Compare(relation, left, right) => {
                write!(f, "({} {relation:?} {})", self.expr(left), self.expr(right))
            }
            ExprKind::BoolDiffers(left, right) => {
                write!(f, "({} BoolDiffers {})", self.expr(left), self.expr(right))
            }
            ExprKind::BitsEqual(left, right) => {
                write!(f, "({} BitsEqual {})", self.expr(left), self.expr(right))
            }
            ExprKind::Component(place, index) => {
                write!(f, "{}({})", self.place(place), self.expr(index))
            }
            ExprKind::Bit(place, row, column) => {
                write!(f, "{}({}, {})", self.place(place), self.expr(row), self.expr(column))
            }
            ExprKind::Part(place, part) => write!(f, "{}.{}", self.place(place), part.name),
            ExprKind::Field(field) => write!(f, "{}", self.field(field)),
            ExprKind::Cell(row, field) => {
                write!(f, "ROW({}, {})", self.expr(row), self.field(field))
            }
            ExprKind::Ones(size) => write!(f, "ones({})", self.expr(size)),
            ExprKind::Numbers(column) => write!(f, "numbers({})", self.column(column)),
            ExprKind::Relation(relation, column) => {
                write!(f, "{relation:?}({})", self.column(column))
            }
            ExprKind::Result(result) => {
                let name = &self.program.routine(result.callee).name;
                write!(f, "{name}{} => {}", self.args(&result.args), self.place(&result.value))
            }
            ExprKind::Inside(index, limit) => {
                write!(f, "{} in 1..{}", self.expr(index), self.expr(limit))
            }
            ExprKind::Step(place) => write!(f, "STEP({})", self.place(place)),
            ExprKind::Shift(operand, direction, by) => {
                write!(f, "SHIFT({}, {direction:?}, {})", self.expr(operand), self.expr(by))
            }
            ExprKind::Col(index, place) => {
                write!(f, "COL({}, {})", self.expr(index), self.place(place))
            }
            ExprKind::Row(index, place) => {
                write!(f, "ROW({}, {})", self.expr(index), self.place(place))
            }
            ExprKind::NCols(place) => write!(f, "size({})", self.place(place)),
            ExprKind::NRows(place) => write!(f, "rows({})", self.place(place)),
            ExprKind::Builtin(builtin, args) => {
                write!(f, "{}{}", builtin.name(), self.list(args))
            }
            ExprKind::Call(callee, args) => {
                write!(f, "{}{}", self.program.routine(*callee).name, self.args(args))
            }
        }
    }
}
