//! Calls of generated routines.

use super::ints::{Ranged, ranged};
use super::scope::{Known, VarIdx};
use super::source::{Expr, ExprType, Stmt, stmt};
use super::{Gen, call};

/// How a parameter is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// By value.
    Value,
    /// `var`, set before the call.
    InOut,
    /// `var`, always set by the routine.
    Out,
}

/// A parameter.
#[derive(Clone, Debug)]
pub(super) struct Param {
    pub(super) mode: Mode,
    pub(super) kind: ExprType,
    /// What is passed, or what the routine sets.
    pub(super) known: Known,
    pub(super) domain: (i64, i64),
    /// The record type of a table of records.
    pub(super) shape: Option<usize>,
}

/// A routine that can be called.
#[derive(Clone, Debug)]
pub(super) struct Callable {
    pub(super) name: String,
    pub(super) params: Vec<Param>,
    /// Kind and domain of a function's result.
    pub(super) result: Option<(ExprType, (i64, i64))>,
    /// Estimated number of elementary operations.
    pub(super) cost: f64,
}

impl Gen {
    /// Generates a call of a procedure, with the statements that must precede it.
    pub(super) fn call_procedure(&mut self, all: &mut Vec<Stmt>) {
        let suits: Vec<usize> = (0..self.callables.len())
            .filter(|&idx| self.callables[idx].result.is_none())
            .filter(|&idx| self.affords(self.callables[idx].cost))
            .collect();
        if suits.is_empty() {
            self.call_library(all);
            return;
        }
        let callee = self.callables[suits[self.random.below(suits.len())]].clone();
        self.count("call procedure");
        self.routine.spent += self.routine.iterations * callee.cost;
        let call = self.call_of_routine(&callee.name, &callee.params, all);
        all.push(call);
    }

    /// Generates a call as a statement.
    pub(super) fn call_of_routine(
        &mut self,
        name: &str,
        params: &[Param],
        all: &mut Vec<Stmt>,
    ) -> Stmt {
        let lent = self.lend(params, all);
        let args = self.arguments(params, &lent);
        for (param, idx) in params.iter().zip(&lent) {
            if let (Mode::Out, Some(idx)) = (param.mode, *idx) {
                self.var_mut(idx).known = param.known;
            }
        }
        Stmt { parts: call(name, args) }
    }

    /// Chooses variables for the `var` parameters, all different.
    fn lend(&mut self, params: &[Param], all: &mut Vec<Stmt>) -> Vec<Option<VarIdx>> {
        let mut lent: Vec<Option<VarIdx>> = Vec::new();
        for param in params {
            let taken: Vec<VarIdx> = lent.iter().flatten().copied().collect();
            lent.push(match param.mode {
                Mode::Value => None,
                Mode::InOut => Some(self.lend_set(param, &taken, all)),
                Mode::Out => Some(self.lend_any(param, &taken)),
            });
        }
        lent
    }

    /// Chooses a variable that is set as the parameter requires.
    fn lend_set(&mut self, param: &Param, taken: &[VarIdx], all: &mut Vec<Stmt>) -> VarIdx {
        if let Some(idx) = self.variable_like(param, taken) {
            self.note_field(idx, "field as a `var` argument");
            return idx;
        }
        if let (Some(shape), Known::Table(rows, _)) = (param.shape, param.known) {
            let records = self.declare_records(rows, shape);
            return self.routine.records[records].table;
        }
        let value = match param.kind {
            ExprType::Int => self.int_in(param.domain.0, param.domain.1, 1),
            ExprType::Bool => self.boolean(1),
            ExprType::Str => Expr::leaf(ExprType::Str, "\"s\""),
            // A table with declared sizes is set from the beginning.
            ExprType::Table => return self.declare(ExprType::Table, Some(param.known), (0, 0)),
            ExprType::Slice | ExprType::Word => {
                let Known::Bits(size) = param.known else { return 0 };
                self.bits(param.kind, size, 1)
            }
        };
        let idx = self.declare(param.kind, None, param.domain);
        self.var_mut(idx).known = param.known;
        all.push(stmt!(&self.var(idx).name, ":=", value));
        idx
    }

    fn variable_like(&mut self, param: &Param, taken: &[VarIdx]) -> Option<VarIdx> {
        let mut suits = match param.shape {
            Some(shape) => self.tables_of(shape, param.known),
            None => self.routine.scope.writable(|var| {
                var.kind == param.kind && var.known == param.known && var.domain == param.domain
            }),
        };
        suits.retain(|&idx| !taken.iter().any(|&other| self.overlap(idx, other)));
        self.choose(&suits)
    }

    /// Returns the tables of records of this type and number of rows.
    fn tables_of(&self, shape: usize, known: Known) -> Vec<VarIdx> {
        let those = self.routine.records.iter().filter(|records| {
            records.shape == shape && matches!(known, Known::Table(rows, _) if rows == records.rows)
        });
        those.map(|records| records.table).collect()
    }

    /// Returns whether two variables are the same, or one is a field of the other.
    pub(super) fn overlap(&self, one: VarIdx, other: VarIdx) -> bool {
        let [one, other] = [one, other].map(|idx| self.var(idx).name.as_str());
        let is_field = |field: &str, table| {
            field.strip_prefix(table).is_some_and(|rest| rest.starts_with('.'))
        };
        one == other || is_field(one, other) || is_field(other, one)
    }

    /// Chooses a variable that accepts what the routine sets.
    fn lend_any(&mut self, param: &Param, taken: &[VarIdx]) -> VarIdx {
        if let (Some(idx), true) = (self.variable_like(param, taken), self.random.chance(70)) {
            self.note_field(idx, "field as a `var` argument");
            return idx;
        }
        match param.known {
            Known::Table(rows, columns) => self.new_table(rows, columns),
            // A variable created inside a loop is declared with its size, because it has that size
            // in the next iteration.
            Known::Bits(_) => {
                let declared = (self.routine.depth > 0).then_some(param.known);
                self.declare(param.kind, declared, param.domain)
            }
            Known::Scalar | Known::Unset => self.declare(param.kind, None, param.domain),
        }
    }

    fn arguments(&mut self, params: &[Param], lent: &[Option<VarIdx>]) -> Vec<Expr> {
        let mut args = Vec::new();
        for (param, lent) in params.iter().zip(lent) {
            args.push(match lent {
                Some(idx) => self.read(*idx),
                None => self.value_argument(param),
            });
        }
        args
    }

    fn value_argument(&mut self, param: &Param) -> Expr {
        if let (Some(shape), Known::Table(rows, _)) = (param.shape, param.known) {
            let tables = self.tables_of(shape, param.known);
            let table = match self.choose(&tables) {
                Some(table) => table,
                None => {
                    let records = self.declare_records(rows, shape);
                    self.routine.records[records].table
                }
            };
            return self.read(table);
        }
        match (param.kind, param.known) {
            (ExprType::Int, _) => self.int_in(param.domain.0, param.domain.1, 2),
            (ExprType::Bool, _) => self.boolean(1),
            (ExprType::Slice | ExprType::Word, Known::Bits(size)) => {
                self.typed_operand(param.kind, size, 2)
            }
            (ExprType::Table, Known::Table(rows, columns)) => {
                let idx = self.table_like(rows, columns);
                self.read(idx)
            }
            _ => Expr::leaf(ExprType::Str, "\"text\""),
        }
    }

    /// Chooses a table of these sizes that is set.
    pub(super) fn table_like(&mut self, rows: usize, columns: usize) -> VarIdx {
        let known = Known::Table(rows, columns);
        let suits = self.routine.scope.readable(|var| var.known == known);
        match self.choose(&suits) {
            Some(idx) => {
                self.note_field(idx, "field as a value");
                idx
            }
            None => self.declare(ExprType::Table, Some(known), (0, 0)),
        }
    }

    /// Creates a table for a result of these sizes. One created inside a loop keeps them, because
    /// it has them in the next iteration.
    pub(super) fn new_table(&mut self, rows: usize, columns: usize) -> VarIdx {
        let known = Known::Table(rows, columns);
        if self.random.chance(30) {
            return self.declare(ExprType::Table, Some(known), (0, 0));
        }
        let idx = self.declare(ExprType::Table, None, (0, 0));
        if self.routine.depth > 0 {
            self.var_mut(idx).fixed = Some(known);
        }
        idx
    }

    /// Generates a function call that yields an integer.
    pub(super) fn function_int(&mut self, depth: usize) -> Ranged {
        match self.function(ExprType::Int) {
            Some((expr, (lo, hi))) => ranged(expr, lo, hi),
            None => self.int(depth),
        }
    }

    /// Generates a function call that yields a truth value.
    pub(super) fn function_bool(&mut self, depth: usize) -> Expr {
        match self.function(ExprType::Bool) {
            Some((expr, _)) => expr,
            None => self.boolean(depth),
        }
    }

    fn function(&mut self, kind: ExprType) -> Option<(Expr, (i64, i64))> {
        let suits: Vec<usize> = (0..self.callables.len())
            .filter(|&idx| self.callables[idx].result.is_some_and(|(result, _)| result == kind))
            .filter(|&idx| self.affords(self.callables[idx].cost))
            .collect();
        if suits.is_empty() {
            return None;
        }
        let callee = self.callables[suits[self.random.below(suits.len())]].clone();
        // Inside an expression nothing can be prepared: the variables for `var` arguments must
        // exist.
        let mut lent: Vec<Option<VarIdx>> = Vec::new();
        for param in &callee.params {
            let taken: Vec<VarIdx> = lent.iter().flatten().copied().collect();
            lent.push(match param.mode {
                Mode::Value => None,
                Mode::InOut | Mode::Out => {
                    let idx = self.variable_like(param, &taken)?;
                    self.note_field(idx, "field as a `var` argument");
                    Some(idx)
                }
            });
        }
        self.routine.spent += self.routine.iterations * callee.cost;
        let args = self.arguments(&callee.params, &lent);
        let (_, domain) = callee.result?;
        Some((Expr { kind, parts: call(&callee.name, args) }, domain))
    }
}
