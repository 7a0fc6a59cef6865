//! Effects of routines on their parameters: which tables may get other rows or columns.

use crate::hir::{
    Arg, Expr, ExprKind, LocalId, MachineOp, Program, Role, Routine, RoutineId, Stmt, StmtKind,
    Target,
};
use crate::visit;

/// The possible effects on a variable of a routine, apart from stores to single columns, rows and
/// bits.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ParamEffects {
    /// It may be assigned as a whole, so that its rows and columns may change.
    pub(crate) replaced: bool,
    /// A column may be stored to, so that it may gain columns.
    pub(crate) grown: bool,
    /// It may be written in any way.
    pub(crate) written: bool,
}

/// The effects on all variables of the analysed routines.
#[derive(Default)]
pub(crate) struct Summaries {
    effects: Vec<Vec<ParamEffects>>,
    /// For each parameter of each routine: is it definitely set when the routine ends? Filled in as
    /// routines are analysed, callees first; false until then.
    assigns: Vec<Vec<bool>>,
    /// For each parameter of each routine: may the routine read the value given by the caller?
    /// Filled in in the same way; true until then.
    takes: Vec<Vec<bool>>,
}

impl Summaries {
    /// Analyses these routines too. Their callees are among them or were analysed already.
    pub(crate) fn add(&mut self, program: &Program, concerned: &[RoutineId]) {
        let Summaries { effects, assigns, takes } = self;
        effects.resize_with(program.routines.len(), Vec::new);
        assigns.resize_with(program.routines.len(), Vec::new);
        takes.resize_with(program.routines.len(), Vec::new);
        let mut calls: Vec<(RoutineId, LocalId, RoutineId, usize)> = Vec::new();
        for &id in concerned {
            effects[id.0 as usize] = own_effects(program, program.routine(id), id, &mut calls);
            assigns[id.0 as usize].clear();
            takes[id.0 as usize].clear();
        }
        // An effect of a callee on a parameter applies to the argument; sized parameters keep their
        // size.
        let mut changed = true;
        while changed {
            changed = false;
            for &(caller, local, callee, param) in &calls {
                let Some(&inner) = program.routine(callee).params.get(param) else {
                    continue;
                };
                let from = effects[callee.0 as usize][inner.0 as usize];
                let to = &mut effects[caller.0 as usize][local.0 as usize];
                let joined = ParamEffects {
                    replaced: to.replaced || from.replaced,
                    grown: to.grown || from.grown,
                    written: true,
                };
                changed |= joined != *to;
                *to = joined;
            }
        }
    }

    pub(crate) fn effects(&self, routine: RoutineId, local: LocalId) -> ParamEffects {
        self.effects[routine.0 as usize][local.0 as usize]
    }

    pub(crate) fn assigns(&self, routine: RoutineId, param: usize) -> bool {
        self.assigns[routine.0 as usize].get(param).copied().unwrap_or(false)
    }

    pub(crate) fn takes(&self, routine: RoutineId, param: usize) -> bool {
        self.takes[routine.0 as usize].get(param).copied().unwrap_or(true)
    }

    /// Records the results of analysing a routine.
    pub(crate) fn learn(&mut self, routine: RoutineId, assigns: Vec<bool>, takes: Vec<bool>) {
        self.assigns[routine.0 as usize] = assigns;
        self.takes[routine.0 as usize] = takes;
    }

    /// For each parameter of each routine: may the routine read the value given by the caller?
    /// Empty for routines that were not analysed.
    pub(crate) fn into_takes(self) -> Vec<Vec<bool>> {
        self.takes
    }
}

/// Returns these routines and all that they call, callees before callers except in recursion. Those
/// already `known`, and their callees, are omitted.
pub(crate) fn callees_first(
    program: &Program,
    roots: &[RoutineId],
    known: impl Fn(RoutineId) -> bool,
) -> Vec<RoutineId> {
    let mut order = Vec::new();
    let mut seen: Vec<bool> =
        (0..).map(|idx| known(RoutineId(idx))).take(program.routines.len()).collect();
    for root in roots {
        // An explicit stack: call chains may be long.
        let mut stack = vec![(root.0 as usize, None::<std::vec::IntoIter<usize>>)];
        while let Some((routine, callees)) = stack.pop() {
            let mut callees = match callees {
                Some(callees) => callees,
                None if seen[routine] => continue,
                None => {
                    seen[routine] = true;
                    callees_of(&program.routines[routine]).into_iter()
                }
            };
            match callees.next() {
                Some(callee) => {
                    stack.push((routine, Some(callees)));
                    stack.push((callee, None));
                }
                None => order.push(RoutineId(routine as u32)),
            }
        }
    }
    order
}

/// Returns the routine that an expression itself calls, with the arguments.
pub(crate) fn called(expr: &Expr) -> Option<(RoutineId, &[Arg])> {
    match &expr.kind {
        ExprKind::Call(id, args) => Some((*id, args)),
        ExprKind::Result(result) => Some((result.callee, &result.args)),
        _ => None,
    }
}

/// Returns whether a routine passes a field to a `var` parameter of the callee.
pub(crate) fn stores_to_field(routine: &Routine, callee: RoutineId) -> bool {
    let is_field = |arg: &Arg| matches!(arg, Arg::Field(..));
    let passes = |id: RoutineId, args: &[Arg]| id == callee && args.iter().any(is_field);
    visit::any_stmt(&routine.body, &mut |stmt| {
        matches!(&stmt.kind, StmtKind::Call(id, args) if passes(*id, args))
            || visit::any_expr_of(stmt, &mut |expr| {
                called(expr).is_some_and(|(id, args)| passes(id, args))
            })
    })
}

/// Returns the routines called by a routine.
pub(crate) fn callees_of(routine: &Routine) -> Vec<usize> {
    let mut callees = Vec::new();
    visit::any_stmt(&routine.body, &mut |stmt| {
        if let StmtKind::Call(id, _) = &stmt.kind {
            callees.push(id.0 as usize);
        }
        visit::any_expr_of(stmt, &mut |expr| {
            callees.extend(called(expr).map(|(id, _)| id.0 as usize));
            false
        })
    });
    callees
}

fn own_effects(
    program: &Program,
    routine: &Routine,
    id: RoutineId,
    calls: &mut Vec<(RoutineId, LocalId, RoutineId, usize)>,
) -> Vec<ParamEffects> {
    let mut effects = vec![ParamEffects::default(); routine.locals.len()];
    let mut pass = |effects: &mut Vec<ParamEffects>, callee: RoutineId, args: &[Arg]| {
        for (param, arg) in args.iter().enumerate() {
            if let Arg::Field(field, _) = arg {
                effects[field.table.local.0 as usize].written = true;
            }
            if let Arg::Ref(place) = arg {
                effects[place.local.0 as usize].written = true;
                calls.push((id, place.local, callee, param));
                // A header that declares sizes may widen an unsized argument.
                let inner = program.routine(callee).params.get(param).copied();
                if inner.is_some_and(|inner| !program.routine(callee).local(inner).ty.is_unsized())
                {
                    effects[place.local.0 as usize].grown = true;
                }
            }
        }
    };
    visit::any_stmt(&routine.body, &mut |stmt: &Stmt| {
        let mut write = |local: LocalId, replaced: bool, grown: bool| {
            let effects = &mut effects[local.0 as usize];
            effects.written = true;
            effects.replaced |= replaced;
            effects.grown |= grown;
        };
        match &stmt.kind {
            StmtKind::Assign(target, _) => match target {
                Target::Var(place) => write(place.local, true, true),
                Target::Col(_, place) => write(place.local, false, true),
                Target::Component(place, _)
                | Target::Bit(place, ..)
                | Target::Row(_, place)
                | Target::Part(place, _) => {
                    write(place.local, false, false);
                }
                Target::Numbers(target) => write(target.field.table.local, false, false),
                Target::Field(field) | Target::Cell(_, field) => {
                    write(field.table.local, false, false);
                }
            },
            StmtKind::Read(place, ..) => write(place.local, true, true),
            StmtKind::Fill(place, _)
            | StmtKind::KeepFirst(place)
            | StmtKind::Step(place)
            | StmtKind::Replace { word: place, .. } => write(place.local, false, false),
            StmtKind::For { var, .. } | StmtKind::Foreach { var, .. } => {
                write(var.local, true, false)
            }
            StmtKind::Call(callee, args) => {
                if let (Some(op), Some(Arg::Ref(place))) =
                    (program.routine(*callee).machine_op, args.last())
                {
                    match op {
                        MachineOp::Min | MachineOp::Max | MachineOp::LoadField => {
                            write(place.local, true, true);
                        }
                        MachineOp::StoreField => write(place.local, false, true),
                    }
                }
                pass(&mut effects, *callee, args);
            }
            StmtKind::Print(_)
            | StmtKind::Write(..)
            | StmtKind::Assert(..)
            | StmtKind::Block(_)
            | StmtKind::If(..)
            | StmtKind::While(..)
            | StmtKind::Repeat(..)
            | StmtKind::Forget(_)
            | StmtKind::Exit
            | StmtKind::Break
            | StmtKind::Continue => {}
        }
        visit::any_expr_of(stmt, &mut |expr: &Expr| {
            if let ExprKind::Step(place) = &expr.kind {
                effects[place.local.0 as usize].written = true;
            }
            if let Some((callee, args)) = called(expr) {
                pass(&mut effects, callee, args);
            }
            false
        })
    });
    for (local, effects) in routine.locals.iter().zip(&mut effects) {
        if local.role == Role::Binding {
            *effects = ParamEffects::default();
        }
    }
    effects
}
