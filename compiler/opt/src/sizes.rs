//! `sizes`: removes size operations that change nothing.
//!
//! * `latch` of an integer that is set; `fix` of a slice or word whose size is known;
//! * `set_rows`, `init` of a table that is set;
//! * `ensure_columns` of a table that has the columns, or got them by the same statement before; of one that
//!   does not grow;
//! * `adapt` of a slice or word that has the size already, or keeps its own.

use star_ir::analysis::facts::Facts;
use star_ir::{Check, Program, Routine, RoutineId, SizeOp, SizeOperand, Stmt, StmtKind, VarId};

use crate::context::Context;
use crate::rewrite::remove_redundant;

pub(crate) fn run(program: &mut Program, id: RoutineId, context: &mut Context) -> usize {
    remove_redundant(program, id, context, |routine, Stmt { kind, loc: _ }, facts| match kind {
        StmtKind::Size(op) => changes_nothing(routine, op, facts),
        StmtKind::Assign(..)
        | StmtKind::Step { .. }
        | StmtKind::Put { .. }
        | StmtKind::Replace { .. }
        | StmtKind::PutColumn { .. }
        | StmtKind::PutRow { .. }
        | StmtKind::PutBit { .. }
        | StmtKind::PutField { .. }
        | StmtKind::PutHandlePart { .. }
        | StmtKind::Check(_)
        | StmtKind::Cost { .. }
        | StmtKind::Call { .. }
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
        | StmtKind::Exit => false,
    })
}

fn changes_nothing(routine: &Routine, op: &SizeOp, facts: &Facts<'_>) -> bool {
    // A parameter has this property from the variable passed to it.
    let is_sized =
        |var: VarId| routine.var(var).sized && routine.params.iter().all(|param| param.var != var);
    match op {
        SizeOp::Latch { dst, size: _ } => facts.is_set(*dst),
        SizeOp::SetRows { table, rows: _ } | SizeOp::Init { table, rows: _, columns: _ } => {
            facts.is_set(*table)
        }
        SizeOp::EnsureColumns { table, columns } => {
            is_sized(*table)
                || match columns {
                    SizeOperand::Value(value) => {
                        let inside = Check::Index(value.clone(), SizeOperand::Columns(*table));
                        facts.is_ensured(*table, value) || facts.holds(&inside)
                    }
                    SizeOperand::Length(_) | SizeOperand::Rows(_) | SizeOperand::Columns(_) => {
                        let of = SizeOperand::Columns(*table);
                        facts.is_set(*table) && facts.holds(&Check::Size(of, columns.clone()))
                    }
                }
        }
        SizeOp::Adapt { bits, size } => {
            let (own, wanted) = (SizeOperand::Length(*bits), SizeOperand::Value(size.clone()));
            is_sized(*bits) || facts.is_set(*bits) && facts.holds(&Check::Size(own, wanted))
        }
        SizeOp::Fix { bits, size: _ } => facts.is_sized(*bits),
        // It gives up memory.
        SizeOp::Unset(_) => false,
    }
}
