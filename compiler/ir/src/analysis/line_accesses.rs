//! How often a routine touches its table parameters by rows and by columns, callees included: a backend that
//! keeps a table in one form takes the one that the program asks for more often.
//!
//! What a loop does counts as often as its bounds say if they are numbers, otherwise [`TURNS`] times. Branches count as
//! if both were taken. A recursive call counts nothing.

use crate::op::{Op, Operand};
use crate::program::{Mode, Program, Routine, RoutineId, VarId};
use crate::stmt::{Arg, Stmt, StmtKind};
use crate::visit::{self, Access};

/// Turns of a loop whose bounds are not known, as it is weighted.
pub const TURNS: u64 = 16;

/// How often a table is touched along its rows and along its columns, weighted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineAccesses {
    /// Rows that are read or written.
    pub rows: u64,
    /// Columns that are read or written; a field, or an extreme value, is one.
    pub columns: u64,
    /// What is done with it at most.
    pub used: TableUse,
}

/// What is done with a table, from the least to the most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum TableUse {
    /// Rows, columns, fields, bits and sizes are read.
    #[default]
    Looks,
    /// Lines and bits are written, the table is copied, or goes back to the caller; an intrinsic may read it.
    Changes,
    /// The whole table is worked on: fields are written, MIN or MAX is looked for in it, an intrinsic changes it, a handle takes it.
    Whole,
}

/// What the intrinsic of a routine does with a table that it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntrinsicUse {
    /// There is no intrinsic, or it is off: the body alone counts.
    None,
    /// It reads the table line by line, along whichever lines that lies.
    Lines,
    /// Whatever it likes.
    Any,
}

/// The accesses to each parameter of a routine, in their order; those that are no tables have none. `intrinsics` says by a routine and a place there what
/// its intrinsic does with that table.
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
    /// For each routine that was counted, or is being counted: then nothing.
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
                // Where the body only looks at lines, too, it has them as it likes: it runs where the intrinsic declines.
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
            let inside = weight.saturating_mul(turns(&stmt.kind));
            for block in visit::blocks(&stmt.kind) {
                self.block(routine, block, inside, found);
            }
        }
    }

    /// The accesses of a statement itself.
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
            StmtKind::Assign(_, Op::Row(table, _)) | StmtKind::PutRow { table, .. } => {
                add(*table, 1, 0, TableUse::Looks);
            }
            StmtKind::Assign(
                _,
                Op::Column(table, _) | Op::Field { table, .. } | Op::Extreme { table, .. },
            )
            | StmtKind::PutColumn { table, .. }
            | StmtKind::PutField { table, .. } => add(*table, 0, 1, TableUse::Looks),
            StmtKind::Call { callee, args, .. } => {
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
            StmtKind::Assign(..)
            | StmtKind::Step { .. }
            | StmtKind::Put { .. }
            | StmtKind::Replace { .. }
            | StmtKind::PutBit { .. }
            | StmtKind::PutHandlePart { .. }
            | StmtKind::Size(_)
            | StmtKind::Check(_)
            | StmtKind::Cost { .. }
            | StmtKind::Print(_)
            | StmtKind::Read { .. }
            | StmtKind::Write { .. }
            | StmtKind::For { .. }
            | StmtKind::While { .. }
            | StmtKind::Foreach { .. }
            | StmtKind::Forall { .. }
            | StmtKind::Tile { .. }
            | StmtKind::If { .. }
            | StmtKind::Block { .. }
            | StmtKind::Break(_)
            | StmtKind::Continue(_)
            | StmtKind::Exit => {}
        }
    }
}

/// What the statement itself does with tables. Of those that it passes on the callee says what becomes.
fn used(kind: &StmtKind) -> TableUse {
    let only_looks = matches!(
        kind,
        StmtKind::Assign(
            _,
            Op::Row(..)
                | Op::Column(..)
                | Op::Field { .. }
                | Op::Bit(..)
                | Op::Rows(_)
                | Op::Columns(_)
        ) | StmtKind::Check(_)
            | StmtKind::Call { .. }
    );
    let takes_all = matches!(
        kind,
        StmtKind::Assign(_, Op::Extreme { .. })
            | StmtKind::PutField { .. }
            | StmtKind::PutHandlePart { .. }
    );
    match (only_looks, takes_all) {
        (true, _) => TableUse::Looks,
        (false, false) => TableUse::Changes,
        (false, true) => TableUse::Whole,
    }
}

/// How often what is inside runs.
fn turns(kind: &StmtKind) -> u64 {
    match kind {
        StmtKind::For { from: Operand::Int(from), to: Operand::Int(to), down, .. } => {
            let (first, last) = if *down { (to, from) } else { (from, to) };
            let turns = i128::from(*last) - i128::from(*first) + 1;
            u64::try_from(turns.max(0)).unwrap_or(u64::MAX)
        }
        StmtKind::For { .. }
        | StmtKind::While { .. }
        | StmtKind::Foreach { .. }
        | StmtKind::Forall { .. } => TURNS,
        StmtKind::Assign(..)
        | StmtKind::Step { .. }
        | StmtKind::Put { .. }
        | StmtKind::Replace { .. }
        | StmtKind::PutColumn { .. }
        | StmtKind::PutRow { .. }
        | StmtKind::PutBit { .. }
        | StmtKind::PutHandlePart { .. }
        | StmtKind::PutField { .. }
        | StmtKind::Size(_)
        | StmtKind::Check(_)
        | StmtKind::Cost { .. }
        | StmtKind::Call { .. }
        | StmtKind::Print(_)
        | StmtKind::Read { .. }
        | StmtKind::Write { .. }
        | StmtKind::Tile { .. }
        | StmtKind::If { .. }
        | StmtKind::Block { .. }
        | StmtKind::Break(_)
        | StmtKind::Continue(_)
        | StmtKind::Exit => 1,
    }
}
