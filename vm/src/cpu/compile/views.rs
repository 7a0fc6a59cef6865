//! Variables that may become views: see Note [Views] in `cpu/views.rs`.

use std::collections::{HashMap, HashSet};

use star_ir::visit::{self, Access};
use star_ir::{Op, Routine, Simple, SizeOp, Stmt, StmtKind, VarId};

use super::in_order::runs_in_order;

/// Uses of a table in a routine.
#[derive(Default)]
struct Use {
    /// The tables whose fields it becomes.
    fields_of: HashSet<VarId>,
    /// Is it changed in any other way?
    is_changed: bool,
    /// Is anything other than its columns, fields and sizes read?
    is_whole: bool,
    /// Is it set to zeros or unset? A view may be either.
    is_renewed: bool,
    /// Are fields extracted from it?
    has_fields: bool,
}

/// Returns the variables that become only fields of unchanged tables, and of which only columns and
/// sizes are read, outside of `tile` and of a `forall` that may be a kernel.
pub(super) fn views(routine: &Routine) -> HashSet<VarId> {
    let mut uses: HashMap<VarId, Use> = HashMap::new();
    visit::walk(&routine.body, &mut |stmt| note(stmt, &mut uses));
    let is_outside = |var: VarId| {
        routine.result == Some(var) || routine.params.iter().any(|param| param.var == var)
    };
    let stays = |var: &VarId| {
        uses.get(var).is_some_and(|used| {
            used.fields_of.is_empty() && !used.is_changed && !used.is_whole && !used.is_renewed
        })
    };
    let may_view = |used: &Use| {
        let is_taken_only = !used.fields_of.is_empty() && !used.is_changed;
        is_taken_only && !used.is_whole && !used.has_fields && used.fields_of.iter().all(stays)
    };
    let views = uses.iter().filter(|(var, used)| !is_outside(**var) && may_view(used));
    views.map(|(var, _)| *var).collect()
}

fn note(stmt: &Stmt, uses: &mut HashMap<VarId, Use>) {
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
    if let StmtKind::Simple(Simple::Size(SizeOp::Init { table: var, .. } | SizeOp::Unset(var))) =
        &stmt.kind
    {
        uses.entry(*var).or_default().is_renewed = true;
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
