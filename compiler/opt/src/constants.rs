//! `constants`: folds operations on constants, propagates them, and selects branches whose test is
//! known.
//!
//! A variable is a constant if every path gives it the same one; a test implies the value of its
//! variable in the branch. Removed branches and loops count nothing; the replacement of a branch
//! keeps its `cost`. A number that a trap would name stays a variable there, unless the trap is
//! impossible.

use std::collections::BTreeMap;

use star_ir::analysis::effects::Effects;
use star_ir::analysis::forward::{self, Forward};
use star_ir::rewrite::{Edit, Edits, edit, for_each, map, map::Mapper};
use star_ir::{
    Check, Extent, LogicOp, Op, Operand, Program, Routine, RoutineId, Simple, SizeOp, SizeOperand,
    Stmt, StmtKind, Ty, Var, VarId, visit,
};

use crate::context::Context;
use crate::rewrite::guarded;

pub(crate) fn run(program: &mut Program, id: RoutineId, context: &mut Context) -> usize {
    guarded(program, id, context, |routine| {
        let mut analysis = Constants { at: BTreeMap::new() };
        forward::run(routine, &mut analysis, ConstantMap::new());
        let Routine { vars, body, .. } = routine;
        let mut fired = 0;
        for_each(body, &mut |at, stmt| {
            if let Some(known) = analysis.at.get(&at) {
                fired += substitute(stmt, known, vars);
            }
        });
        fired + fold_branches(body)
    })
}

/// The maximum number of constants that are tracked: the state is copied at every branch.
const MAX_FOLLOWED: usize = 1024;

/// Constants by their variables.
type ConstantMap = BTreeMap<VarId, Operand>;

struct Constants {
    /// The constants that a statement reads.
    at: BTreeMap<usize, ConstantMap>,
}

impl Constants {
    fn reads(&mut self, at: usize, var: VarId, known: &ConstantMap) {
        if let Some(value) = known.get(&var) {
            self.at.entry(at).or_default().insert(var, value.clone());
        }
    }
}

/// Forgets the variables that the statement itself writes.
fn forget_written(stmt: &Stmt, known: &mut ConstantMap) {
    visit::accesses(&stmt.kind, &mut |var, access| {
        if access.writes() {
            known.remove(&var);
        }
    });
}

impl Forward for Constants {
    type State = ConstantMap;

    fn join(&mut self, state: &mut ConstantMap, other: &ConstantMap) {
        state.retain(|var, value| other.get(var) == Some(value));
    }

    fn statement(&mut self, at: usize, stmt: &Stmt, state: &mut ConstantMap) {
        visit::accesses(&stmt.kind, &mut |var, _| self.reads(at, var, state));
        let mut value = None;
        if let StmtKind::Simple(Simple::Assign(dst, op)) = &stmt.kind {
            value = fold(op, state).map(|value| (*dst, value));
        }
        forget_written(stmt, state);
        if state.len() >= MAX_FOLLOWED {
            state.clear();
        }
        state.extend(value);
    }

    fn head(&mut self, _: usize, stmt: &Stmt, written: &Effects, state: &mut ConstantMap) {
        state.retain(|var, _| !written.contains_key(var));
        forget_written(stmt, state);
    }

    fn iteration(&mut self, _: usize, stmt: &Stmt, state: &mut ConstantMap) {
        forget_written(stmt, state);
    }

    fn tested(&mut self, at: usize, test: &Operand, holds: bool, state: &mut ConstantMap) {
        if let Operand::Var(var) = test {
            if holds {
                self.reads(at, *var, state);
            }
            state.insert(*var, Operand::Bool(holds));
        }
    }

    fn close(&mut self, _: usize, stmt: &Stmt, state: &mut ConstantMap) {
        forget_written(stmt, state);
    }
}

/// Returns the value of an operation if it is a constant.
fn fold(op: &Op, known: &ConstantMap) -> Option<Operand> {
    let value = |operand: &Operand| match operand {
        Operand::Var(var) => known.get(var).cloned(),
        Operand::Int(_) | Operand::Bool(_) | Operand::Str(_) => Some(operand.clone()),
    };
    let ints = |a: &Operand, b: &Operand| match (value(a)?, value(b)?) {
        (Operand::Int(a), Operand::Int(b)) => Some((a, b)),
        (Operand::Var(_) | Operand::Int(_) | Operand::Bool(_) | Operand::Str(_), _) => None,
    };
    let truth = |a: &Operand| match value(a)? {
        Operand::Bool(truth) => Some(truth),
        Operand::Var(_) | Operand::Int(_) | Operand::Str(_) => None,
    };
    match op {
        Op::Copy(a) => value(a),
        Op::Int(op, a, b) => ints(a, b).and_then(|(a, b)| op.apply(a, b)).map(Operand::Int),
        Op::Compare(relation, a, b) => {
            ints(a, b).map(|(a, b)| Operand::Bool(relation.holds(a.cmp(&b))))
        }
        Op::Not(a) => truth(a).map(|a| Operand::Bool(!a)),
        Op::Logic(op, a, b) => match (op, truth(a), truth(b)) {
            (LogicOp::And, Some(false), _) | (LogicOp::And, _, Some(false)) => Some(false),
            (LogicOp::Or, Some(true), _) | (LogicOp::Or, _, Some(true)) => Some(true),
            (op, Some(a), Some(b)) => Some(op.apply(a, b)),
            (LogicOp::And | LogicOp::Or | LogicOp::Xor, _, _) => None,
        }
        .map(Operand::Bool),
        _ => None,
    }
}

/// Substitutes constants for operands.
struct Substitute<'k> {
    known: &'k ConstantMap,
    fired: usize,
}

impl Mapper for Substitute<'_> {
    fn operand(&mut self, operand: &mut Operand) {
        if let Operand::Var(var) = operand
            && let Some(value) = self.known.get(var)
        {
            *operand = value.clone();
            self.fired += 1;
        }
    }
}

impl Substitute<'_> {
    /// An operand that a trap names if it is negative.
    fn size(&mut self, operand: &mut Operand) {
        if let Operand::Var(var) = operand
            && let Some(Operand::Int(0..)) = self.known.get(var)
        {
            self.operand(operand);
        }
    }

    fn check(&mut self, check: &mut Check) {
        match check {
            Check::NotNegative(value) => self.size(value),
            Check::Size(left, right) => {
                for size in [left, right] {
                    match size {
                        SizeOperand::Value(value) => self.size(value),
                        SizeOperand::Length(_) | SizeOperand::Rows(_) | SizeOperand::Columns(_) => {
                        }
                    }
                }
            }
            Check::Fits { value, width } => {
                self.operand(value);
                self.size(width);
            }
            Check::Set(_)
            | Check::Sized(_)
            | Check::HandlePart(..)
            | Check::Result(_)
            | Check::Index(..)
            | Check::NewColumn(..)
            | Check::Range { .. }
            | Check::Int(..)
            | Check::Bit(_)
            | Check::FitsRow { .. }
            | Check::FitsInt(_)
            | Check::Even(_)
            | Check::NoCarry(..)
            | Check::Assert(..) => check.map(self),
        }
    }
}

/// Substitutes the constants that a statement reads; returns the number of substitutions.
fn substitute(stmt: &mut Stmt, known: &ConstantMap, vars: &[Var]) -> usize {
    let mut substitute = Substitute { known, fired: 0 };
    match &mut stmt.kind {
        StmtKind::Simple(Simple::Assign(_, op)) => match fold(op, known) {
            Some(value) => {
                *op = Op::Copy(value);
                substitute.fired += 1;
            }
            None => op.map(&mut substitute),
        },
        StmtKind::Simple(Simple::Check(check)) => substitute.check(check),
        StmtKind::Simple(Simple::Size(SizeOp::EnsureColumns { table, columns })) => {
            // A table with an extent of columns gets that number.
            if matches!(vars[table.0 as usize].ty, Ty::Table(_, Extent::Dynamic)) {
                map::size_operand(columns, &mut substitute);
            }
        }
        // Other sizes are those of types, which name variables.
        StmtKind::Simple(Simple::Size(_) | Simple::Cost { .. }) => {}
        StmtKind::Simple(_)
        | StmtKind::For { .. }
        | StmtKind::While { .. }
        | StmtKind::If { .. } => map::statement(stmt, &mut substitute),
        _ => {}
    }
    substitute.fired
}

/// Selects the branches whose tests are constants and removes loops without iterations; returns the
/// number of changes.
fn fold_branches(body: &mut Vec<Stmt>) -> usize {
    let mut edits = Edits::new();
    let mut at = 0;
    visit::walk(body, &mut |stmt| {
        if let Some(edit) = folded(&stmt.kind) {
            edits.insert(at, edit);
        }
        at += 1;
    });
    edit(body, &edits);
    edits.len()
}

fn folded(kind: &StmtKind) -> Option<Edit> {
    match kind {
        StmtKind::If { test: Operand::Bool(true), .. } => Some(Edit::First),
        StmtKind::If { test: Operand::Bool(false), .. } => Some(Edit::Second),
        StmtKind::While { label, head, test: Operand::Bool(false), body: _ } => {
            let mut jumps = false;
            visit::walk(head, &mut |stmt| {
                if let StmtKind::Break(to) | StmtKind::Continue(to) = &stmt.kind {
                    jumps |= to == label;
                }
            });
            (!jumps).then_some(Edit::First)
        }
        StmtKind::For { from: Operand::Int(from), to: Operand::Int(to), down, .. } => {
            let runs = if *down { from >= to } else { from <= to };
            (!runs).then_some(Edit::Remove)
        }
        _ => None,
    }
}
