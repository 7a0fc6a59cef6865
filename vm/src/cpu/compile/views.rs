//! Variables that may become views: see Note [Views] in `cpu/views.rs`.

use std::collections::{HashMap, HashSet};

use star_ir::visit::{self, Access};
use star_ir::{
    Arg, Op, Operand, Program, Routine, RoutineId, Simple, SizeOp, Stmt, StmtKind, VarId,
};

use super::ParamUse;
use super::in_order::runs_in_order;

/// Uses of a table in a routine.
#[derive(Default)]
struct Use {
    /// The tables whose fields it becomes.
    fields_of: HashSet<VarId>,
    /// Is it changed in any other way?
    is_changed: bool,
    /// Does it get rows or columns where it has too few, as a `var` parameter does in the header?
    may_grow: bool,
    /// Is anything other than its columns, fields and sizes read?
    is_whole: bool,
    /// Is it set to zeros or unset? A view may be either.
    is_renewed: bool,
    /// Are fields extracted from it?
    has_fields: bool,
}

/// A parameter of a called routine, by its number.
type Passed = (RoutineId, usize);

/// Removes from `all[..].by_columns` the tables of which more than columns and sizes is read: in
/// the routine, or in one that it passes them to. Routines with code that is `kept` stay as they
/// are.
pub(super) fn find_by_columns(program: &Program, all: &mut [ParamUse], kept: &[bool]) {
    let mut passes: Vec<(usize, VarId, Passed)> = Vec::new();
    for (id, routine) in program.routines.iter().enumerate() {
        if kept[id] || all[id].by_columns.is_empty() {
            continue;
        }
        let mut uses = HashMap::new();
        visit::walk(&routine.body, &mut |stmt| {
            note(stmt, &mut uses, &mut |to, var| {
                passes.push((id, var, to));
                true
            });
        });
        all[id].by_columns.retain(|var| {
            uses.get(var).is_none_or(|used| {
                used.fields_of.is_empty()
                    && !(used.is_changed || used.may_grow)
                    && !(used.is_whole || used.is_renewed || used.has_fields)
            })
        });
    }
    // A routine may call itself.
    loop {
        let refuted = passes.iter().find(|(id, var, to)| {
            all[*id].by_columns.contains(var) && !is_by_columns(program, all, *to)
        });
        let Some((id, var, _)) = refuted else { break };
        all[*id].by_columns.remove(var);
    }
}

fn is_by_columns(program: &Program, all: &[ParamUse], (callee, idx): Passed) -> bool {
    let param = program.routine(callee).params.get(idx);
    param.is_some_and(|param| all[callee.0 as usize].by_columns.contains(&param.var))
}

/// Returns the variables that become only fields of unchanged tables, and of which only columns and
/// sizes are read, outside of `tile` and of a `forall` that may be a kernel.
pub(super) fn views(program: &Program, routine: &Routine, all: &[ParamUse]) -> HashSet<VarId> {
    let mut uses: HashMap<VarId, Use> = HashMap::new();
    visit::walk(&routine.body, &mut |stmt| {
        note(stmt, &mut uses, &mut |to, _| is_by_columns(program, all, to));
    });
    let is_outside = |var: VarId| {
        routine.result == Some(var) || routine.params.iter().any(|param| param.var == var)
    };
    let stays = |var: &VarId| {
        uses.get(var).is_some_and(|used| {
            used.fields_of.is_empty() && !used.is_changed && !used.is_whole && !used.is_renewed
        })
    };
    let may_view = |used: &Use| {
        let is_taken_only = !used.fields_of.is_empty() && !used.is_changed && !used.may_grow;
        is_taken_only && !used.is_whole && !used.has_fields && used.fields_of.iter().all(stays)
    };
    let views = uses.iter().filter(|(var, used)| !is_outside(**var) && may_view(used));
    views.map(|(var, _)| *var).collect()
}

/// Notes the uses in a statement. `passes` tells whether only columns and sizes are read of a table
/// that is passed by value.
fn note(
    stmt: &Stmt,
    uses: &mut HashMap<VarId, Use>,
    passes: &mut impl FnMut(Passed, VarId) -> bool,
) {
    // A kernel over lines selects the lines that it reads itself.
    if let StmtKind::Forall { body, .. } = &stmt.kind
        && !runs_in_order(&stmt.kind)
    {
        visit::walk(body, &mut |stmt| {
            visit::accesses(&stmt.kind, &mut |var, _| uses.entry(var).or_default().is_whole = true);
        });
    }
    if let StmtKind::Simple(Simple::Assign(dst, Op::Field { table, .. })) = &stmt.kind {
        uses.entry(*dst).or_default().fields_of.insert(*table);
        uses.entry(*table).or_default().has_fields = true;
        return;
    }
    if let StmtKind::Simple(Simple::Size(op)) = &stmt.kind {
        match op {
            SizeOp::Init { table: var, .. } | SizeOp::Unset(var) => {
                uses.entry(*var).or_default().is_renewed = true;
                return;
            }
            SizeOp::SetRows { table: var, .. } | SizeOp::EnsureColumns { table: var, .. } => {
                uses.entry(*var).or_default().may_grow = true;
                return;
            }
            SizeOp::Latch { .. } | SizeOp::Adapt { .. } | SizeOp::Fix { .. } => {}
        }
    }
    if let StmtKind::Simple(Simple::Call { callee, args, dst }) = &stmt.kind {
        for (idx, arg) in args.iter().enumerate() {
            match arg {
                Arg::Value(Operand::Var(var)) if passes((*callee, idx), *var) => {}
                Arg::Value(Operand::Var(var)) => uses.entry(*var).or_default().is_whole = true,
                Arg::Value(_) => {}
                Arg::Ref(var) | Arg::Move(var) => uses.entry(*var).or_default().is_changed = true,
            }
        }
        if let Some(dst) = dst {
            uses.entry(*dst).or_default().is_changed = true;
        }
        return;
    }
    let looks = looks_at_lines(&stmt.kind);
    let in_order = runs_in_order(&stmt.kind);
    visit::accesses(&stmt.kind, &mut |var, access| {
        let used = uses.entry(var).or_default();
        if in_order && access == Access::Kill {
            used.is_renewed = true;
            return;
        }
        used.is_changed |= access.writes();
        used.is_whole |= !access.writes() && !looks;
    });
}

/// Does it read nothing of tables but columns and sizes?
fn looks_at_lines(kind: &StmtKind) -> bool {
    match kind {
        StmtKind::Simple(Simple::Assign(_, op)) => {
            matches!(op, Op::Column(..) | Op::Rows(_) | Op::Columns(_))
        }
        // The fallback of a kernel reads what it reads.
        StmtKind::Simple(Simple::Size(_) | Simple::Check(_) | Simple::Cost { .. })
        | StmtKind::Kernel(_) => true,
        _ => false,
    }
}
