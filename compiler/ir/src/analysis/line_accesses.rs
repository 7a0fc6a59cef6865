//! Frequency of row and column accesses of a routine to its table parameters, callees included. A
//! backend that keeps a table in one layout chooses the more frequent one.
//!
//! Statements in a loop are weighted by its bounds if these are numbers, otherwise by
//! [`ITERATIONS`]. Branches count as if both sides were executed. A recursive call counts nothing.

use crate::op::{Op, Operand};
use crate::program::{Mode, Program, Routine, RoutineId, VarId};
use crate::stmt::{Arg, Simple, Stmt, StmtKind};
use crate::visit::{self, Access};

/// The assumed number of iterations of a loop with unknown bounds.
pub const ITERATIONS: u64 = 16;

/// Weighted numbers of accesses to a table along its rows and along its columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineAccesses {
    /// Rows read or written.
    pub rows: u64,
    /// Columns read or written; a field or an extreme value counts as one.
    pub columns: u64,
    /// The strongest use of the table.
    pub used: TableUse,
}

/// Uses of a table, from weakest to strongest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum TableUse {
    /// Rows, columns, fields, bits and sizes are read.
    #[default]
    Looks,
    /// Lines and bits are written, the table is copied or returned to the caller; an intrinsic may
    /// read it.
    Changes,
    /// The whole table is processed: fields are written, MIN or MAX is computed, an intrinsic
    /// changes it, or it becomes part of a handle.
    Whole,
}

/// How the intrinsic of a routine uses a table argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntrinsicUse {
    /// There is no intrinsic, or it is disabled: only the body counts.
    None,
    /// It reads the table line by line, in either layout.
    Lines,
    /// Any use.
    Any,
}

/// Returns the accesses to each parameter of a routine, in order; parameters that are not tables
/// have none. `intrinsics` maps a routine and a parameter index to the use of that table by the
/// intrinsic.
pub fn line_accesses(
    program: &Program,
    routine: RoutineId,
    intrinsics: &dyn Fn(&Routine, usize) -> IntrinsicUse,
) -> Vec<LineAccesses> {
    let known = vec![None; program.routines.len()];
    let mut counting = Counting { program, intrinsics, known };
    counting.routine(routine)
}

struct Counting<'p> {
    program: &'p Program,
    intrinsics: &'p dyn Fn(&Routine, usize) -> IntrinsicUse,
    /// For each routine that was counted or is being counted (then empty).
    known: Vec<Option<Vec<LineAccesses>>>,
}

impl Counting<'_> {
    fn routine(&mut self, id: RoutineId) -> Vec<LineAccesses> {
        let idx = id.0 as usize;
        let Some(routine) = self.program.routines.get(idx) else { return Vec::new() };
        if let Some(known) = &self.known[idx] {
            return known.clone();
        }
        self.known[idx] = Some(vec![LineAccesses::default(); routine.params.len()]);
        let mut found = vec![LineAccesses::default(); routine.params.len()];
        self.block(routine, &routine.body, 1, &mut found);
        for (place, (param, found)) in routine.params.iter().zip(&mut found).enumerate() {
            let intrinsic = (self.intrinsics)(routine, place);
            if intrinsic == IntrinsicUse::Lines {
                // If the body also only reads lines, it accepts either layout: it runs where the
                // intrinsic declines.
                if param.mode == Mode::Value && found.used <= TableUse::Looks {
                    found.used = TableUse::Looks;
                    continue;
                }
                *found = LineAccesses { rows: 1, columns: 1, used: TableUse::Looks };
                continue;
            }
            // A routine with an intrinsic may do with its tables whatever the intrinsic does.
            found.used = found.used.max(match (param.mode, intrinsic) {
                (Mode::Ref, IntrinsicUse::Any) => TableUse::Whole,
                (Mode::Ref, IntrinsicUse::None | IntrinsicUse::Lines)
                | (Mode::Value, IntrinsicUse::Any) => TableUse::Changes,
                (Mode::Value, IntrinsicUse::None | IntrinsicUse::Lines) => TableUse::Looks,
            });
        }
        self.known[idx] = Some(found.clone());
        found
    }

    fn block(
        &mut self,
        routine: &Routine,
        block: &[Stmt],
        weight: u64,
        found: &mut [LineAccesses],
    ) {
        for stmt in block {
            self.stmt(routine, &stmt.kind, weight, found);
            let inside = weight.saturating_mul(iterations(&stmt.kind));
            for block in visit::blocks(&stmt.kind) {
                self.block(routine, block, inside, found);
            }
        }
    }

    /// Adds the accesses of a statement itself.
    fn stmt(
        &mut self,
        routine: &Routine,
        kind: &StmtKind,
        weight: u64,
        found: &mut [LineAccesses],
    ) {
        let param = |var: VarId| routine.params.iter().position(|param| param.var == var);
        let used = used(kind);
        if used > TableUse::Looks {
            visit::accesses(kind, &mut |var, access| {
                if !matches!(access, Access::ReadSize | Access::Observe)
                    && let Some(counts) = param(var).and_then(|idx| found.get_mut(idx))
                {
                    counts.used = counts.used.max(used);
                }
            });
        }
        let mut add = |var: VarId, by_rows: u64, by_columns: u64, used: TableUse| {
            if let Some(counts) = param(var).and_then(|idx| found.get_mut(idx)) {
                counts.rows = counts.rows.saturating_add(weight.saturating_mul(by_rows));
                counts.columns = counts.columns.saturating_add(weight.saturating_mul(by_columns));
                counts.used = counts.used.max(used);
            }
        };
        match kind {
            StmtKind::Simple(
                Simple::Assign(_, Op::Row(table, _)) | Simple::PutRow { table, .. },
            ) => {
                add(*table, 1, 0, TableUse::Looks);
            }
            StmtKind::Simple(
                Simple::Assign(
                    _,
                    Op::Column(table, _) | Op::Field { table, .. } | Op::Extreme { table, .. },
                )
                | Simple::PutColumn { table, .. }
                | Simple::PutField { table, .. },
            ) => add(*table, 0, 1, TableUse::Looks),
            StmtKind::Simple(Simple::Call { callee, args, .. }) => {
                let inside = self.routine(*callee);
                for (arg, LineAccesses { rows, columns, used }) in args.iter().zip(inside) {
                    match arg {
                        Arg::Value(Operand::Var(var)) | Arg::Move(var) | Arg::Ref(var) => {
                            add(*var, rows, columns, used);
                        }
                        Arg::Value(Operand::Int(_) | Operand::Bool(_) | Operand::Str(_)) => {}
                    }
                }
            }
            _ => {}
        }
    }
}

/// Returns the use of tables by the statement itself. The use of tables passed to a callee is
/// determined by the callee.
fn used(kind: &StmtKind) -> TableUse {
    let only_looks = matches!(
        kind,
        StmtKind::Simple(
            Simple::Assign(
                _,
                Op::Row(..)
                    | Op::Column(..)
                    | Op::Field { .. }
                    | Op::Bit(..)
                    | Op::Rows(_)
                    | Op::Columns(_)
            ) | Simple::Check(_)
                | Simple::Call { .. }
        ) | StmtKind::Kernel(_)
    );
    let takes_all = matches!(
        kind,
        StmtKind::Simple(
            Simple::Assign(_, Op::Extreme { .. })
                | Simple::PutField { .. }
                | Simple::PutHandlePart { .. }
        )
    );
    match (only_looks, takes_all) {
        (true, _) => TableUse::Looks,
        (false, false) => TableUse::Changes,
        (false, true) => TableUse::Whole,
    }
}

/// Returns the number of executions of the inner statements.
fn iterations(kind: &StmtKind) -> u64 {
    match kind {
        StmtKind::For { from: Operand::Int(from), to: Operand::Int(to), down, .. } => {
            let (first, last) = if *down { (to, from) } else { (from, to) };
            let iterations = i128::from(*last) - i128::from(*first) + 1;
            u64::try_from(iterations.max(0)).unwrap_or(u64::MAX)
        }
        StmtKind::For { .. }
        | StmtKind::While { .. }
        | StmtKind::Foreach { .. }
        | StmtKind::Forall { .. } => ITERATIONS,
        StmtKind::Simple(_)
        | StmtKind::Kernel(_)
        | StmtKind::If { .. }
        | StmtKind::Block { .. }
        | StmtKind::Break(_)
        | StmtKind::Continue(_)
        | StmtKind::Exit => 1,
    }
}
