//! Rules 11 and 12: variables that are read are set, and guards hold; see Note [Facts] in
//! [`crate::analysis`].

use super::{Subject, Wording};
use crate::analysis::facts::Facts;
use crate::analysis::requirements::{self, Requirement};
use crate::analysis::walk::{self, Belief, Inspect, Point, sizes_of};
use crate::check::{Check, SizeOperand};
use crate::op::{IntOp, Op, Operand};
use crate::print;
use crate::program::{Extent, VarId};
use crate::stmt::{Arg, Simple, SizeOp, Stmt, StmtKind};
use crate::visit::{self, Access};

pub(super) fn check(subject: &mut Subject<'_, '_>) {
    let (program, routine) = (subject.program, subject.routine);
    walk::walk(program, routine, Belief::Header, &mut Guards { subject });
}

struct Guards<'s, 'a, 'e> {
    subject: &'s mut Subject<'a, 'e>,
}

impl Guards<'_, '_, '_> {
    /// Checks that variables that are read are set.
    fn reads(&mut self, stmt: &Stmt, point: &mut Point<'_, '_>) {
        // The condition of a `while` is read after its head.
        if matches!(stmt.kind, StmtKind::While { .. }) {
            return;
        }
        let mut needed = Vec::new();
        visit::accesses(&stmt.kind, &mut |var, access| match access {
            Access::Read | Access::Update | Access::Move => needed.push(var),
            Access::ReadSize
            | Access::Observe
            | Access::Write
            | Access::InitSize
            | Access::LoopVar
            | Access::Kill
            | Access::Ref => {}
        });
        for var in needed {
            self.require_set(stmt, var, point);
        }
    }

    fn require_set(&mut self, stmt: &Stmt, var: VarId, point: &mut Point<'_, '_>) {
        if !point.facts.is_set(var) {
            // Report it once.
            point.facts.set(var);
            let message = format!("{} may be unset here", self.subject.name(var));
            self.subject.fault(Some(stmt), message);
            self.about(&Requirement::Check(Check::Set(var)));
        }
    }

    fn needs(&mut self, stmt: &Stmt, point: &mut Point<'_, '_>) {
        if let StmtKind::Simple(Simple::Assign(dst, Op::Int(IntOp::Add, ..))) = &stmt.kind
            && point.sums.contains(dst)
        {
            return;
        }
        let needs = requirements::of_statement(&stmt.kind);
        for need in needs.into_iter().chain(self.extents_kept(&stmt.kind, point)) {
            let facts = &mut *point.facts;
            let message = match &need {
                Requirement::Check(check) if facts.holds(check) => continue,
                Requirement::Check(Check::Set(var)) => {
                    self.require_set(stmt, *var, point);
                    continue;
                }
                Requirement::Check(check) => {
                    // Report it once.
                    facts.learn(check);
                    match self.subject.wording {
                        Wording::LeftOut => String::new(),
                        Wording::Full => {
                            let Subject { program, id, .. } = *self.subject;
                            let text = print::print_check(program, id, check);
                            format!("`check {text}` is not established")
                        }
                    }
                }
                Requirement::Part { base, width, limit } => {
                    if facts.holds_part(base, width, limit) {
                        continue;
                    }
                    "it is not established that the part is inside".into()
                }
                Requirement::Mask { size, from, to } => {
                    if holds_mask(facts, size, from, to) {
                        continue;
                    }
                    "it is not established that the ones are inside".into()
                }
            };
            self.subject.fault(Some(stmt), message);
            self.about(&need);
        }
    }

    /// Records the variables that the last fault concerns.
    fn about(&mut self, need: &Requirement) {
        let mut vars = Vec::new();
        need.accesses(&mut |var| vars.push(var));
        if let Some(error) = self.subject.errors.last_mut() {
            error.vars = vars;
        }
    }

    /// Returns the requirements that a variable given a size gets the one of its type. The extents
    /// of parameters are trusted, a variable that is already set is unchanged, and an extent that
    /// only receives the size of this variable follows.
    fn extents_kept(&self, kind: &StmtKind, point: &Point<'_, '_>) -> Vec<Requirement> {
        let zero = Operand::Int(0);
        let StmtKind::Simple(Simple::Size(op)) = kind else { return Vec::new() };
        let (var, sizes) = match op {
            SizeOp::SetRows { table, rows } => {
                (*table, vec![rows.clone(), SizeOperand::Value(zero)])
            }
            SizeOp::Init { table, rows, columns } => (
                *table,
                vec![SizeOperand::Value(rows.clone()), SizeOperand::Value(columns.clone())],
            ),
            SizeOp::Fix { bits, size } => (*bits, vec![SizeOperand::Value(size.clone())]),
            SizeOp::Latch { .. }
            | SizeOp::EnsureColumns { .. }
            | SizeOp::Adapt { .. }
            | SizeOp::Unset(_) => return Vec::new(),
        };
        if point.facts.is_set(var) || self.is_param(var) {
            return Vec::new();
        }
        let own = sizes_of(var, self.subject.ty(var));
        let kept = |((size, own), extent)| {
            let extent = match extent {
                Extent::Const(n) => Operand::Int(i64::try_from(n).ok()?),
                Extent::Var(v) if point.latches.follows(v, &own) => return None,
                Extent::Var(v) => Operand::Var(v),
                Extent::Dynamic => return None,
            };
            Some(Requirement::Check(Check::Size(size, SizeOperand::Value(extent))))
        };
        let extents = self.subject.ty(var).extents();
        sizes.into_iter().zip(own).zip(extents).filter_map(kept).collect()
    }

    fn is_param(&self, var: VarId) -> bool {
        self.subject.routine.params.iter().any(|param| param.var == var)
    }

    /// Checks arguments passed by reference that may be unset: they come back with any size.
    fn passes_any_size(&mut self, stmt: &Stmt, args: &[Arg], point: &Point<'_, '_>) {
        for arg in args {
            let Arg::Ref(var) = arg else { continue };
            let set = point.facts.is_set(*var);
            let dynamic = self.subject.ty(*var).extents() == [Extent::Dynamic; 2];
            if !set && !dynamic && !self.subject.routine.var(*var).sized && !self.is_param(*var) {
                let name = self.subject.name(*var);
                let message = format!("{name} may be unset and come back with another size");
                self.subject.fault(Some(stmt), message);
                self.about(&Requirement::Check(Check::Set(*var)));
            }
        }
    }
}

impl Inspect for Guards<'_, '_, '_> {
    fn before(&mut self, _: usize, stmt: &Stmt, point: &mut Point<'_, '_>) {
        self.reads(stmt, point);
        self.needs(stmt, point);
        if let StmtKind::Simple(Simple::Call { args, .. }) = &stmt.kind {
            self.passes_any_size(stmt, args, point);
        }
    }

    fn test(&mut self, stmt: &Stmt, test: &Operand, point: &mut Point<'_, '_>) {
        if let Operand::Var(v) = test {
            self.require_set(stmt, *v, point);
        }
    }

    fn end(&mut self, exit: Option<&Stmt>, point: &mut Point<'_, '_>) {
        let routine = self.subject.routine;
        let promised = routine.params.iter().filter(|param| param.set_at_end);
        let unset: Vec<VarId> = routine
            .result
            .into_iter()
            .chain(promised.map(|param| param.var))
            .filter(|&var| !point.facts.is_set(var))
            .collect();
        for var in unset {
            let what = if Some(var) == routine.result { "result" } else { "parameter" };
            let name = self.subject.name(var);
            self.subject.fault(exit, format!("the {what} {name} may be unset here"));
        }
    }
}

fn holds_mask(facts: &Facts<'_>, size: &Operand, from: &Operand, to: &Operand) -> bool {
    let limit = SizeOperand::Value(size.clone());
    let inside = |index: &Operand| facts.holds(&Check::Index(index.clone(), limit.clone()));
    if inside(from) && inside(to) {
        return true;
    }
    facts.results(IntOp::Sub, from, &Operand::Int(1)).into_iter().any(|base| {
        let widths = facts.results(IntOp::Sub, to, &base);
        facts.holds_range(&[base], &widths, &limit)
    })
}
