//! Statements in sequence.

use star_base::Builtin;

use super::Gen;
use super::scope::{Known, VarIdx};
use super::source::{Expr, ExprType, Part, Stmt, expr, stmt};

/// Every kind of statement that a program can contain.
pub const KINDS: [&str; 24] = [
    "assign variable",
    "assign component",
    "assign column",
    "assign row",
    "assign bit",
    "copy table",
    "built-in in place",
    "if",
    "else if",
    "block",
    "for to",
    "for downto",
    "foreach",
    "while SOME",
    "while STEP",
    "while",
    "repeat",
    "break",
    "continue",
    "exit",
    "call procedure",
    "call library",
    "recursion",
    "print",
];

/// The depth of expressions.
const DEPTH: usize = 2;

impl Gen {
    /// Counts a statement of one of [`KINDS`].
    pub(super) fn count(&mut self, kind: &'static str) {
        *self.counts.statements.entry(kind).or_default() += 1;
    }

    /// Generates this number of statements, or a few more.
    pub(super) fn statements(&mut self, n: usize) -> Vec<Stmt> {
        let mut all = Vec::new();
        for _ in 0..n {
            self.statement(&mut all);
        }
        all
    }

    /// Generates the statements of a loop or branch. What was known before is known afterwards.
    pub(super) fn inside(&mut self, iterations: usize, n: usize) -> Vec<Stmt> {
        let before = self.routine.scope.clone();
        let all = self.iterated(iterations, |this| this.statements(n));
        self.routine.scope.leave(&before);
        all
    }

    /// Calls `make` one level deeper, for code executed the given number of times.
    pub(super) fn iterated<T>(
        &mut self,
        iterations: usize,
        make: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let outside = self.routine.iterations;
        self.routine.iterations *= iterations.max(1) as f64;
        self.routine.depth += 1;
        let made = make(self);
        self.routine.depth -= 1;
        self.routine.iterations = outside;
        made
    }

    fn statement(&mut self, all: &mut Vec<Stmt>) {
        if self.near_misses > 0 && self.random.chance(8) {
            self.near_misses -= 1;
            self.near_miss(all);
        }
        match self.random.below(100) {
            0..14 => return self.records(all),
            14..17 => return self.forall(all),
            _ => {}
        }
        let compound = self.routine.depth < 3 && self.affords(20.0);
        match self.random.below(if compound { 34 } else { 20 }) {
            0..=3 => all.push(self.assign_bits()),
            4 => all.push(self.assign_int()),
            5 => all.push(self.assign_bool()),
            6 => all.push(self.assign_component()),
            7 | 8 => all.push(self.assign_line()),
            9 => all.push(self.assign_bit()),
            10 => all.push(self.in_place()),
            11 => all.push(self.copy_table()),
            12 | 13 => self.call_procedure(all),
            14..=16 => self.call_library(all),
            17 => all.push(self.print()),
            18 => self.rarely(all),
            19 => self.jump(all),
            20..=22 => all.push(self.branch()),
            23 => {
                self.count("block");
                let n = 1 + self.random.below(3);
                let body = self.inside(1, n);
                all.push(stmt!(Part::Body(body)));
            }
            24..=29 => self.a_loop(all),
            _ => self.pattern(all),
        }
    }

    /// Chooses a variable that accepts a slice or word of this size here.
    fn takes_bits(&mut self, kind: ExprType, size: usize) -> VarIdx {
        let outside = self.routine.depth == 0;
        let suits = self.routine.scope.writable(|var| {
            var.kind == kind
                && match (var.fixed, var.known) {
                    (Some(fixed), _) => fixed == Known::Bits(size),
                    (None, Known::Unset) => true,
                    (None, known) => outside || known == Known::Bits(size),
                }
        });
        match self.choose(&suits) {
            Some(idx) if !self.random.chance(6) => idx,
            Some(_) | None => {
                let fixed = self.random.chance(50).then_some(Known::Bits(size));
                self.declare(kind, fixed, (0, 0))
            }
        }
    }

    /// `X := …`
    fn assign_bits(&mut self) -> Stmt {
        self.count("assign variable");
        let kind = self.bits_kind();
        let size = self.usual_size(kind);
        let value = self.typed_operand(kind, size, DEPTH + 1);
        let target = self.takes_bits(kind, size);
        self.var_mut(target).known = Known::Bits(size);
        let becomes = if self.var(target).is_field() { ":=" } else { self.becomes() };
        stmt!(&self.var(target).name, becomes, value)
    }

    /// Returns `:=`, sometimes in a published spelling.
    pub(super) fn becomes(&mut self) -> &'static str {
        if self.random.chance(2) { " = " } else { ":=" }
    }

    /// Chooses a variable of integers of this domain, locked or not; perhaps a new one.
    pub(super) fn int_variable(&mut self, lo: i64, hi: i64) -> VarIdx {
        let suits = self.routine.scope.writable(|var| {
            var.kind == ExprType::Int && var.fixed.is_none() && var.domain == (lo, hi)
        });
        match self.choose(&suits) {
            Some(idx) => idx,
            None => self.declare(ExprType::Int, None, (lo, hi)),
        }
    }

    fn assign_int(&mut self) -> Stmt {
        self.count("assign variable");
        let suits = self.routine.scope.writable(|var| var.kind == ExprType::Int);
        let target = match self.choose(&suits) {
            Some(idx) if !self.random.chance(20) => idx,
            Some(_) | None => {
                let hi = [1, 7, 100, 1 << 40][self.random.below(4)];
                let lo = [0, 1, -hi][self.random.below(3)];
                self.declare(ExprType::Int, None, (lo, hi))
            }
        };
        let (lo, hi) = self.var(target).domain;
        let value = self.int_in(lo, hi, DEPTH + 1);
        self.var_mut(target).known = Known::Scalar;
        stmt!(&self.var(target).name, self.becomes(), value)
    }

    fn assign_bool(&mut self) -> Stmt {
        self.count("assign variable");
        let suits = self.routine.scope.writable(|var| var.kind == ExprType::Bool);
        let target = match self.choose(&suits) {
            Some(idx) if !self.random.chance(20) => idx,
            Some(_) | None => self.declare(ExprType::Bool, None, (0, 0)),
        };
        let value = self.boolean(DEPTH + 1);
        self.var_mut(target).known = Known::Scalar;
        stmt!(&self.var(target).name, ":=", value)
    }

    /// Generates a zero or one for a component.
    fn zero_or_one(&mut self) -> Expr {
        match self.random.below(4) {
            0 => Expr::leaf(ExprType::Int, ["'0'", "'1'"][self.random.below(2)]),
            1 => {
                let super::ints::Ranged { expr, lo, hi } = self.component();
                if 0 <= lo && hi <= 1 { expr } else { self.int_in(0, 1, 0) }
            }
            _ => self.int_in(0, 1, DEPTH),
        }
    }

    /// `X(i) := …`
    fn assign_component(&mut self) -> Stmt {
        let vars = self.routine.scope.writable(|var| var.bits().is_some_and(|size| size > 0));
        let Some(idx) = self.choose(&vars) else { return self.assign_bits() };
        self.count("assign component");
        let index = self.index(self.var(idx).bits().unwrap_or(1));
        let value = self.zero_or_one();
        self.charge(1);
        stmt!(&self.var(idx).name, "(", index, "):=", value)
    }

    /// Chooses a table that is set and can be written.
    pub(super) fn table_to_write(
        &mut self,
        least: (usize, usize),
    ) -> Option<(VarIdx, usize, usize)> {
        let vars = self.routine.scope.writable(|var| {
            var.table().is_some_and(|(rows, columns)| rows >= least.0 && columns >= least.1)
        });
        let idx = self.choose(&vars)?;
        let (rows, columns) = self.var(idx).table()?;
        Some((idx, rows, columns))
    }

    /// `COL(i,T) := …` or `ROW(i,T) := …`
    fn assign_line(&mut self) -> Stmt {
        let by_column = self.random.chance(60);
        let least = if by_column { (0, 1) } else { (1, 0) };
        let Some((idx, rows, columns)) = self.table_to_write(least) else {
            return self.assign_bits();
        };
        if !by_column {
            self.count("assign row");
            let args = vec![self.index(rows), self.read(idx)];
            let line = self.builtin(Builtin::Row, ExprType::Word, args);
            let value = self.typed_operand(ExprType::Word, columns, DEPTH);
            return stmt!(line, ":=", value);
        }
        self.count("assign column");
        // A table without declared sizes grows, but only where that happens for certain and once.
        let grows = self.routine.depth == 0
            && self.var(idx).fixed.is_none()
            && columns < 130
            && self.random.chance(30);
        let index = if grows {
            let column = columns + 1 + self.random.below(3);
            self.var_mut(idx).known = Known::Table(rows, column);
            super::ints::literal(column as i64)
        } else {
            self.index(columns)
        };
        let args = vec![index, self.read(idx)];
        let line = self.builtin(Builtin::Col, ExprType::Slice, args);
        let hidden = std::mem::replace(&mut self.var_mut(idx).hidden, grows);
        let value = self.typed_operand(ExprType::Slice, rows, DEPTH);
        self.var_mut(idx).hidden = hidden;
        stmt!(line, ":=", value)
    }

    /// `T(i,j) := …`
    fn assign_bit(&mut self) -> Stmt {
        let Some((idx, rows, columns)) = self.table_to_write((1, 1)) else {
            return self.assign_component();
        };
        self.count("assign bit");
        let (row, column) = (self.index(rows), self.index(columns));
        let value = self.zero_or_one();
        self.charge(1);
        stmt!(&self.var(idx).name, "(", row, ",", column, "):=", value)
    }

    /// `F := T`
    fn copy_table(&mut self) -> Stmt {
        let tables = self.routine.scope.readable(|var| var.table().is_some());
        let Some(from) = self.choose(&tables) else { return self.assign_bits() };
        let Some((rows, columns)) = self.var(from).table() else { return self.assign_bits() };
        self.count("copy table");
        let target = self.takes_table(rows, columns, from);
        self.var_mut(target).known = Known::Table(rows, columns);
        stmt!(&self.var(target).name, ":=", self.read(from))
    }

    /// Chooses a table other than `not` that accepts these sizes here.
    pub(super) fn takes_table(&mut self, rows: usize, columns: usize, not: VarIdx) -> VarIdx {
        let known = Known::Table(rows, columns);
        let outside = self.routine.depth == 0;
        let mut suits = self.routine.scope.writable(|var| {
            var.kind == ExprType::Table
                && match var.fixed {
                    Some(fixed) => fixed == known,
                    None => outside || var.known == Known::Unset || var.known == known,
                }
        });
        suits.retain(|&idx| idx != not);
        match self.choose(&suits) {
            Some(idx) if !self.random.chance(20) => idx,
            Some(_) | None => {
                let fixed = self.random.chance(30).then_some(known);
                self.declare(ExprType::Table, fixed, (0, 0))
            }
        }
    }

    /// Generates SET, CLR, STEP, FRST and REP.
    fn in_place(&mut self) -> Stmt {
        let vars = self
            .routine
            .scope
            .writable(|var| var.bits().is_some() || matches!(var.fixed, Some(Known::Bits(_))));
        let Some(idx) = self.choose(&vars) else { return self.assign_bits() };
        self.count("built-in in place");
        let operand = self.read(idx);
        let size = self.var(idx).bits();
        match (self.random.below(6), size) {
            (0, Some(_)) if !self.var(idx).is_field() => {
                self.builtin_stmt(Builtin::Step, vec![operand])
            }
            (1, Some(_)) => self.builtin_stmt(Builtin::Frst, vec![operand]),
            (2 | 3, Some(size)) if size > 0 && self.var(idx).kind == ExprType::Word => {
                let from = 1 + self.random.below(size);
                let part = 1 + self.random.below(size - from + 1);
                let args = vec![
                    super::ints::literal(from as i64),
                    super::ints::literal((from + part - 1) as i64),
                    self.typed_operand(ExprType::Word, part, 1),
                    operand,
                ];
                self.builtin_stmt(Builtin::Rep, args)
            }
            _ => {
                if let Some(fixed) = self.var(idx).fixed {
                    self.var_mut(idx).known = fixed;
                }
                let builtin = [Builtin::Set, Builtin::Clr][self.random.below(2)];
                self.builtin_stmt(builtin, vec![operand])
            }
        }
    }

    fn print(&mut self) -> Stmt {
        self.count("print");
        self.charge(20);
        let mut args = Vec::new();
        for _ in 0..1 + self.random.below(3) {
            let arg = match self.random.below(5) {
                0 => Expr::leaf(ExprType::Str, "\" a text \""),
                1 => {
                    let row = self.int(DEPTH).expr;
                    match args.is_empty() {
                        true => row,
                        false => self.builtin(Builtin::Name, ExprType::Str, vec![row]),
                    }
                }
                2 => self.boolean(DEPTH),
                3 => self.any_bits(DEPTH).0,
                _ => {
                    let vars = self.routine.scope.readable(|_| true);
                    match self.choose(&vars) {
                        Some(idx) => self.read(idx),
                        None => Expr::leaf(ExprType::Str, "\"\""),
                    }
                }
            };
            args.push(arg);
        }
        self.builtin_stmt(Builtin::Print, args)
    }

    /// Generates assertions that hold, and file operations.
    fn rarely(&mut self, all: &mut Vec<Stmt>) {
        let vars = self
            .routine
            .scope
            .readable(|var| !matches!(var.known, Known::Scalar | Known::Unset) && !var.is_field());
        if self.random.chance(50) {
            let condition = self.boolean(DEPTH);
            let holds = expr!(ExprType::Bool; "(", condition, " or true)");
            let mut args = vec![holds];
            if self.random.chance(50) {
                args.push(Expr::leaf(ExprType::Str, "\"it holds\""));
            }
            all.push(self.builtin_stmt(Builtin::Assert, args));
        } else if let Some(idx) = self.choose(&vars) {
            let name = self.name("memory:");
            let file = Expr::leaf(ExprType::Str, format!("\"{name}\""));
            let args = vec![self.read(idx), file.clone()];
            all.push(self.builtin_stmt(Builtin::Write, args));
            let (kind, known) = (self.var(idx).kind, self.var(idx).known);
            let target = match known {
                Known::Bits(size) => match self.takes_bits(kind, size) {
                    idx if self.var(idx).is_field() => self.declare(kind, None, (0, 0)),
                    idx => idx,
                },
                Known::Table(..) => self.declare(ExprType::Table, None, (0, 0)),
                Known::Unset | Known::Scalar => return,
            };
            let mut args = vec![self.read(target), file];
            if self.random.chance(50) {
                args.push(Expr::leaf(ExprType::Str, "\"layout\""));
            }
            // A table read from a file does not grow.
            let var = self.var_mut(target);
            var.known = known;
            if kind == ExprType::Table {
                var.fixed = Some(known);
            }
            all.push(self.builtin_stmt(Builtin::Read, args));
        }
    }

    /// Generates `if`, with or without `else`, or a chain of them.
    fn branch(&mut self) -> Stmt {
        self.count("if");
        let condition = self.boolean(DEPTH + 1);
        let mut parts: Vec<Part> = vec!["if ".into(), condition.into(), " then ".into()];
        let n = 1 + self.random.below(3);
        parts.push(Part::Body(self.inside(1, n)));
        let n_more = [0, 0, 0, 1, 2][self.random.below(5)];
        for _ in 0..n_more {
            self.count("else if");
            parts.push(" else if ".into());
            parts.push(self.boolean(DEPTH).into());
            parts.push(" then ".into());
            parts.push(Part::Body(self.inside(1, 1)));
        }
        if self.random.chance(50) {
            let n = 1 + self.random.below(2);
            parts.push(" else ".into());
            parts.push(Part::Body(self.inside(1, n)));
        }
        Stmt { parts }
    }

    /// Generates `if … then break`, `continue` or `exit`.
    fn jump(&mut self, all: &mut Vec<Stmt>) {
        use super::Jumps;
        let (kind, builtin) = match (self.routine.jumps, self.random.below(3)) {
            (Jumps::All | Jumps::Break, 0) => ("break", Builtin::Break),
            (Jumps::All, 1) => ("continue", Builtin::Continue),
            (_, 2) if self.routine.may_exit && self.random.chance(25) => ("exit", Builtin::Exit),
            (Jumps::All | Jumps::Break | Jumps::None, _) => {
                all.push(self.assign_bits());
                return;
            }
        };
        self.count(kind);
        // What follows a jump that is always taken is unreachable, which is otherwise rare.
        let condition = match self.boolean(DEPTH) {
            _ if self.n_names.is_multiple_of(8) => Expr::leaf(ExprType::Bool, "true"),
            condition => condition,
        };
        let jump = self.builtin_stmt(builtin, Vec::new());
        all.push(stmt!("if ", condition, " then ", Part::Body(vec![jump])));
    }
}
