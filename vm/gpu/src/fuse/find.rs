//! Selection of the statements that form runs.

use std::collections::HashMap;

use star_ir::analysis::liveness::Liveness;
use star_ir::{
    Check, ForallRange, IntOp, Op, Operand, PartKind, Program, Routine, RoutineId, Simple, SizeOp,
    Stmt, StmtKind, Ty, VarId, visit,
};

use super::Fused;
use super::needed::Needed;
use super::text::{Text, Texts};
use crate::compile::is_number;
use crate::lift::Lifted;

/// The maximum number of statements of a run: drivers take long to compile long shaders.
const MOST_STATEMENTS: usize = 160;
/// The assumed number of iterations of a loop.
const ITERATIONS: u64 = 16;

/// Returns the runs of a routine by their first statements. Loops in `lifted` are separate kernels.
pub(crate) fn find(
    program: &Program,
    id: RoutineId,
    lifted: &HashMap<*const Stmt, Lifted>,
) -> HashMap<*const Stmt, Fused> {
    let routine = program.routine(id);
    let mut finder = Finder { routine, lifted, known: HashMap::new(), found: Vec::new() };
    if !routine.vars.iter().any(|var| matches!(var.ty, Ty::Slice(_))) {
        return HashMap::new();
    }
    finder.measure_costs(&routine.body);
    finder.runs(&routine.body, 0);
    if finder.found.is_empty() {
        return HashMap::new();
    }
    let liveness = Liveness::of(program, id);
    let fused = finder.found.into_iter().filter_map(|Run { body, last, weight }| {
        let lives = |var: VarId| liveness.is_live_after(last, var);
        Some((std::ptr::from_ref(body.first()?), fused(routine, body, weight, &lives)?))
    });
    fused.collect()
}

/// A run of statements of a block.
struct Run<'r> {
    body: &'r [Stmt],
    /// The number of its last statement in the routine.
    last: usize,
    weight: u64,
}

/// The cost of a statement, including inner statements.
#[derive(Clone, Copy)]
struct StmtCost {
    statements: usize,
    /// The number of operations on slices, if a kernel can execute the statement.
    weight: Option<u64>,
}

struct Finder<'r> {
    routine: &'r Routine,
    lifted: &'r HashMap<*const Stmt, Lifted>,
    known: HashMap<*const Stmt, StmtCost>,
    found: Vec<Run<'r>>,
}

impl<'r> Finder<'r> {
    /// Computes the costs of all statements, the inner ones first.
    fn measure_costs(&mut self, block: &'r [Stmt]) -> StmtCost {
        let mut all = StmtCost { statements: 0, weight: Some(0) };
        for stmt in block {
            let inner = visit::blocks(&stmt.kind).map(|block| self.measure_costs(block));
            let inside = inner.iter().try_fold(0_u64, |sum, known| Some(sum + known.weight?));
            let known = StmtCost {
                statements: 1 + inner[0].statements + inner[1].statements,
                weight: inside.and_then(|inside| self.weight(stmt, inside)),
            };
            self.known.insert(std::ptr::from_ref(stmt), known);
            all.statements += known.statements;
            all.weight = all.weight.zip(known.weight).map(|(all, one)| all.saturating_add(one));
        }
        all
    }

    fn of(&self, stmt: &Stmt) -> StmtCost {
        let known = self.known.get(&std::ptr::from_ref(stmt)).copied();
        known.unwrap_or(StmtCost { statements: 1, weight: None })
    }

    /// Finds the longest runs of a block; `at` is the number of its first statement.
    fn runs(&mut self, block: &'r [Stmt], mut at: usize) {
        let mut rest = block;
        while let Some(first) = rest.first() {
            let (n, weight) = self.length(rest);
            let body = &rest[..n];
            if weight > 0 {
                let before: usize = body[..n - 1].iter().map(|stmt| self.of(stmt).statements).sum();
                self.found.push(Run { body, last: at + before, weight });
                at += before + self.of(&body[n - 1]).statements;
                rest = &rest[n..];
                continue;
            }
            let mut inside = at + 1;
            for block in visit::blocks(&first.kind) {
                self.runs(block, inside);
                inside += block.iter().map(|stmt| self.of(stmt).statements).sum::<usize>();
            }
            at += self.of(first).statements;
            rest = &rest[1..];
        }
    }

    /// Returns the number of statements of the run at the start of a block, and its weight; a run
    /// begins and ends with work on slices.
    fn length(&self, block: &[Stmt]) -> (usize, u64) {
        let (mut length, mut found, mut weight, mut statements) = (0, 0, 0, 0);
        let mut queried = Vec::new();
        for (idx, stmt) in block.iter().enumerate() {
            let Some(own) = self.at_top(stmt, &mut queried) else { break };
            statements += self.of(stmt).statements;
            if (idx == 0 && own == 0) || statements > MOST_STATEMENTS {
                break;
            }
            weight += own;
            if own > 0 {
                (length, found) = (idx + 1, weight);
            }
        }
        (length, found)
    }

    /// Returns the weight of a statement at the top level of the run: it may query slices if no
    /// later statement needs the result.
    fn at_top(&self, stmt: &Stmt, queried: &mut Vec<VarId>) -> Option<u64> {
        if self.lifted.contains_key(&std::ptr::from_ref(stmt)) {
            return None;
        }
        let query = match &stmt.kind {
            StmtKind::Simple(Simple::Assign(dst, op)) if self.is_query(op) => Some(*dst),
            _ => None,
        };
        let weight = if query.is_some() { 1 } else { self.of(stmt).weight? };
        let mut is_queried = false;
        if !queried.is_empty() {
            visit::walk(std::slice::from_ref(stmt), &mut |stmt| {
                visit::accesses(&stmt.kind, &mut |var, _| is_queried |= queried.contains(&var));
            });
        }
        queried.extend(query);
        (!is_queried).then_some(weight)
    }

    /// Tests whether an operation is a query of slices.
    fn is_query(&self, op: &Op) -> bool {
        match op {
            Op::Query(_, of) => self.is_slice(*of),
            Op::BitsEqual(left, right) => self.is_slice(*left) && self.is_slice(*right),
            _ => false,
        }
    }

    fn ty(&self, var: VarId) -> Ty {
        self.routine.var(var).ty
    }

    fn is_slice(&self, var: VarId) -> bool {
        matches!(self.ty(var), Ty::Slice(_))
    }

    /// Returns the number of operations on slices of a statement, given that of its inner
    /// statements; `None` if no kernel can execute it.
    fn weight(&self, stmt: &Stmt, inside: u64) -> Option<u64> {
        match &stmt.kind {
            StmtKind::Simple(Simple::Assign(dst, op)) => match self.ty(*dst) {
                Ty::Slice(_) => self.makes_slice(op).then_some(1),
                Ty::Int | Ty::Bool => self.makes_number(op).then_some(0),
                Ty::Str | Ty::Word(_) | Ty::Table(..) | Ty::Handle => None,
            },
            StmtKind::Simple(Simple::PutColumn { .. }) => Some(1),
            StmtKind::Simple(Simple::Size(op)) => self.resizes(op).then_some(0),
            StmtKind::Simple(Simple::Check(check)) => takes_check(check).then_some(0),
            StmtKind::Simple(Simple::Cost { .. }) => Some(0),
            StmtKind::For { .. } => Some(inside.saturating_mul(ITERATIONS)),
            StmtKind::Forall { range: ForallRange::Range(..), writes, reductions, .. } => {
                let own = writes.iter().all(|part| part.kind == PartKind::Column);
                (own && reductions.is_empty()).then(|| inside.saturating_mul(ITERATIONS))
            }
            StmtKind::If { .. } | StmtKind::Kernel(_) => Some(inside),
            _ => None,
        }
    }

    fn makes_slice(&self, op: &Op) -> bool {
        match op {
            Op::Copy(Operand::Var(of)) | Op::BitsNot(of) => self.is_slice(*of),
            Op::BitsLogic(_, left, right) => self.is_slice(*left) && self.is_slice(*right),
            Op::Fill(..) | Op::Column(..) => true,
            _ => false,
        }
    }

    fn makes_number(&self, op: &Op) -> bool {
        let fits = |operand: &Operand| match operand {
            Operand::Var(var) => matches!(self.ty(*var), Ty::Int | Ty::Bool),
            Operand::Int(number) => i32::try_from(*number).is_ok_and(|number| number > i32::MIN),
            Operand::Bool(_) => true,
            Operand::Str(_) => false,
        };
        let is_var = |operand: &Operand| matches!(operand, Operand::Var(_));
        match op {
            Op::Copy(of) | Op::Not(of) => fits(of),
            // Constants may be rejected when the kernel is compiled.
            Op::Int(op, left, right) => {
                let divides = matches!(op, IntOp::Div | IntOp::Mod);
                let computed = is_var(right) || (is_var(left) && !divides);
                computed && fits(left) && fits(right)
            }
            Op::Compare(_, left, right) | Op::Logic(_, left, right) => fits(left) && fits(right),
            Op::Component(word, index) => matches!(self.ty(*word), Ty::Word(_)) && fits(index),
            Op::Length(_) | Op::Rows(_) | Op::Columns(_) => true,
            _ => false,
        }
    }

    fn resizes(&self, op: &SizeOp) -> bool {
        match op {
            SizeOp::Latch { dst, .. } => is_number(self.ty(*dst)),
            SizeOp::Adapt { bits, .. } | SizeOp::Fix { bits, .. } => self.is_slice(*bits),
            SizeOp::Unset(var) => {
                matches!(self.ty(*var), Ty::Slice(_) | Ty::Int | Ty::Bool)
            }
            SizeOp::SetRows { .. } | SizeOp::EnsureColumns { .. } | SizeOp::Init { .. } => false,
        }
    }
}

/// Tests whether the host can make the check without reading bits.
fn takes_check(check: &Check) -> bool {
    matches!(
        check,
        Check::Set(_)
            | Check::Sized(_)
            | Check::Index(..)
            | Check::NewColumn(..)
            | Check::Size(..)
            | Check::Range { .. }
            | Check::Int(..)
            | Check::Bit(_)
            | Check::NotNegative(_)
    )
}

/// Returns the kernel of a run.
fn fused(
    routine: &Routine,
    body: &[Stmt],
    weight: u64,
    lives: &dyn Fn(VarId) -> bool,
) -> Option<Fused> {
    let (mut named, mut assigned, mut row_space) = (Vec::new(), Vec::new(), None);
    visit::walk(body, &mut |stmt| {
        visit::accesses(&stmt.kind, &mut |var, access| {
            named.push(var);
            let has_rows = matches!(routine.var(var).ty, Ty::Slice(_) | Ty::Table(..));
            // A variable that the run assigns first may be unset when it begins.
            if has_rows && access.reads() && !assigned.contains(&var) {
                row_space.get_or_insert(var);
            }
            if access.writes() {
                assigned.push(var);
            }
        });
    });
    let row_space = row_space?;
    for vars in [&mut named, &mut assigned] {
        vars.sort_unstable();
        vars.dedup();
    }
    let is_handle = |var: &VarId| matches!(routine.var(*var).ty, Ty::Handle);
    if named.iter().any(is_handle) {
        return None;
    }
    let of_number = |var: &VarId| is_number(routine.var(*var).ty);
    let (numbers, objects) = named.into_iter().partition(of_number);
    assigned.retain(|var| lives(*var));
    let (results, mut slices): (Vec<VarId>, Vec<VarId>) = assigned.into_iter().partition(of_number);
    slices.retain(|var| matches!(routine.var(*var).ty, Ty::Slice(_)));
    let needed = Needed::new(routine, body);
    let numbers_of_kernel = needed.numbers.clone();
    let mut text = Text::new(routine, needed);
    text.block(body)?;
    let (text, given, queries) = text.kernel(&slices);
    let body = body.to_vec();
    let texts = Texts::new(&text, &queries);
    Some(Fused {
        body,
        numbers,
        objects,
        row_space,
        weight,
        needed: numbers_of_kernel,
        texts,
        given,
        slices,
        results,
        queries,
    })
}
