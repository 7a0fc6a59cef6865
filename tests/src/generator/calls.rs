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
    /// `var`, and set before the call.
    InOut,
    /// `var`, and set by the routine, whatever comes.
    Out,
}

/// A parameter.
#[derive(Clone, Debug)]
pub(super) struct Param {
    pub(super) mode: Mode,
    pub(super) kind: ExprType,
    /// What is passed, or set by the routine.
    pub(super) known: Known,
    pub(super) domain: (i64, i64),
}

/// A routine that can be called.
#[derive(Clone, Debug)]
pub(super) struct Callable {
    pub(super) name: String,
    pub(super) params: Vec<Param>,
    /// ExprType and domain of a function's value.
    pub(super) result: Option<(ExprType, (i64, i64))>,
    /// Elementary operations, by a rough estimate.
    pub(super) cost: f64,
}

impl Gen {
    /// A call of a procedure, with what has to stand before it.
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
        self.routine.spent += self.routine.turns * callee.cost;
        let call = self.call_of_routine(&callee.name, &callee.params, all);
        all.push(call);
    }

    /// A call as a statement.
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

    /// Variables for the `var` parameters, all different.
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

    /// A variable that is set as the parameter asks.
    fn lend_set(&mut self, param: &Param, taken: &[VarIdx], all: &mut Vec<Stmt>) -> VarIdx {
        if let Some(idx) = self.variable_like(param, taken) {
            return idx;
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
        let mut suits = self.routine.scope.writable(|var| {
            var.kind == param.kind && var.known == param.known && var.domain == param.domain
        });
        suits.retain(|idx| !taken.contains(idx));
        self.choose(&suits)
    }

    /// A variable that takes what the routine sets.
    fn lend_any(&mut self, param: &Param, taken: &[VarIdx]) -> VarIdx {
        if let (Some(idx), true) = (self.variable_like(param, taken), self.random.chance(70)) {
            return idx;
        }
        match param.known {
            Known::Table(rows, columns) => self.new_table(rows, columns),
            // One that is made inside a loop is declared with its size, since it has that in the next turn.
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

    /// A table of these sizes that is set.
    pub(super) fn table_like(&mut self, rows: usize, columns: usize) -> VarIdx {
        let known = Known::Table(rows, columns);
        let suits = self.routine.scope.readable(|var| var.known == known);
        match self.choose(&suits) {
            Some(idx) => idx,
            None => self.declare(ExprType::Table, Some(known), (0, 0)),
        }
    }

    /// A new table for a result of these sizes. One that is made inside a loop keeps them, since it has
    /// them in the next turn.
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

    /// The value of a function that is an integer.
    pub(super) fn function_int(&mut self, depth: usize) -> Ranged {
        match self.function(ExprType::Int) {
            Some((expr, (lo, hi))) => ranged(expr, lo, hi),
            None => self.int(depth),
        }
    }

    /// The value of a function that is a truth value.
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
        // Inside an expression nothing can be prepared: `var` arguments have to be there.
        let mut lent: Vec<Option<VarIdx>> = Vec::new();
        for param in &callee.params {
            let taken: Vec<VarIdx> = lent.iter().flatten().copied().collect();
            lent.push(match param.mode {
                Mode::Value => None,
                Mode::InOut | Mode::Out => Some(self.variable_like(param, &taken)?),
            });
        }
        self.routine.spent += self.routine.turns * callee.cost;
        let args = self.arguments(&callee.params, &lent);
        let (_, domain) = callee.result?;
        Some((Expr { kind, parts: call(&callee.name, args) }, domain))
    }
}
