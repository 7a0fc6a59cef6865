//! The guards that statements require, inserted before them.
//!
//! This is written independently of the verifier's list, so that each finds what the other misses.

use star_ir::{
    Access, Arg, Block, Check, Op, Operand, Program, Simple, SizeOp, SizeOperand, Stmt, StmtKind,
    Ty, Var, VarId, visit,
};

/// Inserts the guards of every statement before it, whether or not they are known to hold.
pub fn guard(program: &mut Program) {
    for routine in program.routines_mut() {
        let vars = routine.vars.clone();
        block(&mut routine.body, &vars, &mut Vec::new(), &mut Vec::new());
    }
}

/// `rows` are the row counts of the enclosing kernel, `iterations` the variables of the enclosing
/// loops,
/// `reduced` the variables that an enclosing `forall` combines, which nothing else may read.
fn block(stmts: &mut Block, vars: &[Var], iterations: &mut Vec<VarId>, reduced: &mut Vec<VarId>) {
    let mut guarded = Block::with_capacity(2 * stmts.len());
    for mut stmt in std::mem::take(stmts) {
        let loc = stmt.loc;
        let mut checks = checks_of(&stmt.kind, vars);
        checks.retain(|check| !matches!(check, Check::Set(var) if iterations.contains(var)));
        checks.retain(|check| !mentions(check, reduced));
        guarded.extend(
            checks
                .into_iter()
                .map(|check| Stmt { kind: StmtKind::Simple(Simple::Check(check)), loc }),
        );
        let test = match &stmt.kind {
            StmtKind::While { test: Operand::Var(var), .. } => Some(*var),
            _ => None,
        };
        let (n_iterations, n_reduced) = (iterations.len(), reduced.len());
        if let StmtKind::Forall { reductions, .. } = &stmt.kind {
            reduced.extend(reductions.iter().map(|reduction| reduction.var));
        }
        if let StmtKind::For { var, .. }
        | StmtKind::Foreach { var, .. }
        | StmtKind::Forall { var, .. } = &stmt.kind
        {
            iterations.push(*var);
        }
        for (idx, inner) in visit::blocks_mut(&mut stmt.kind).into_iter().flatten().enumerate() {
            block(inner, vars, iterations, reduced);
            // The condition is read after the head, and checked there.
            let checks = test.filter(|_| idx == 0).map(Check::Set);
            inner.extend(checks.map(|it| Stmt { kind: StmtKind::Simple(Simple::Check(it)), loc }));
        }
        iterations.truncate(n_iterations);
        reduced.truncate(n_reduced);
        guarded.push(stmt);
    }
    *stmts = guarded;
}

/// Returns whether the guard mentions one of these variables.
fn mentions(check: &Check, vars: &[VarId]) -> bool {
    let mut found = false;
    visit::check_accesses(check, &mut |var, _| found |= vars.contains(&var));
    found
}

fn checks_of(kind: &StmtKind, vars: &[Var]) -> Vec<Check> {
    let mut checks = Vec::new();
    let mut read = |var: VarId| {
        if !matches!(vars[var.0 as usize].ty, Ty::Str) {
            checks.push(Check::Set(var));
        }
    };
    match kind {
        // A kernel is made from guarded statements, after these guards were written.
        StmtKind::Simple(Simple::Check(_)) | StmtKind::While { .. } | StmtKind::Kernel(_) => {}
        StmtKind::Forall { .. } => visit::accesses(kind, &mut |var, access| {
            if matches!(access, Access::Read | Access::Update) {
                read(var);
            }
        }),
        StmtKind::Simple(Simple::Assign(_, Op::Length(of))) => checks.push(Check::Sized(*of)),
        StmtKind::Simple(_)
        | StmtKind::For { .. }
        | StmtKind::Foreach { .. }
        | StmtKind::If { .. }
        | StmtKind::Block { .. }
        | StmtKind::Break(_)
        | StmtKind::Continue(_)
        | StmtKind::Exit => visit::accesses(kind, &mut |var, access| match access {
            Access::Read | Access::Update | Access::Move => read(var),
            Access::ReadSize
            | Access::Observe
            | Access::Write
            | Access::InitSize
            | Access::LoopVar
            | Access::Kill
            | Access::Ref => {}
        }),
    }
    match kind {
        StmtKind::Simple(Simple::Assign(_, op)) => of_op(op, &mut checks),
        StmtKind::Simple(Simple::Put { bits, index, bit }) => {
            checks.push(Check::Index(index.clone(), SizeOperand::Length(*bits)));
            checks.push(Check::Bit(bit.clone()));
        }
        StmtKind::Simple(Simple::PutColumn { table, index, value }) => {
            checks.push(Check::Index(index.clone(), SizeOperand::Columns(*table)));
            checks.push(Check::Size(SizeOperand::Rows(*table), SizeOperand::Length(*value)));
        }
        StmtKind::Simple(Simple::PutRow { table, index, value }) => {
            checks.push(Check::Index(index.clone(), SizeOperand::Rows(*table)));
            checks.push(Check::Size(SizeOperand::Columns(*table), SizeOperand::Length(*value)));
        }
        StmtKind::Simple(Simple::PutBit { table, row, column, bit }) => {
            checks.push(Check::Index(row.clone(), SizeOperand::Rows(*table)));
            checks.push(Check::Index(column.clone(), SizeOperand::Columns(*table)));
            checks.push(Check::Bit(bit.clone()));
        }
        StmtKind::Simple(Simple::Size(SizeOp::EnsureColumns { table, .. })) => {
            checks.push(Check::Set(*table))
        }
        StmtKind::Simple(Simple::Size(SizeOp::SetRows {
            rows: SizeOperand::Value(rows), ..
        })) => {
            checks.push(Check::NotNegative(rows.clone()));
        }
        StmtKind::Simple(Simple::Size(SizeOp::Init { rows, columns, .. })) => {
            checks.push(Check::NotNegative(rows.clone()));
            checks.push(Check::NotNegative(columns.clone()));
        }
        StmtKind::Simple(Simple::Size(SizeOp::Fix { size, .. })) => {
            checks.push(Check::NotNegative(size.clone()))
        }
        StmtKind::Simple(Simple::Call { args, .. }) => {
            checks.extend(args.iter().filter_map(|arg| match arg {
                Arg::Value(Operand::Var(var)) | Arg::Move(var) => Some(Check::Set(*var)),
                Arg::Value(_) | Arg::Ref(_) => None,
            }))
        }
        StmtKind::Simple(
            Simple::Size(
                SizeOp::Latch { .. }
                | SizeOp::SetRows { .. }
                | SizeOp::Adapt { .. }
                | SizeOp::Unset(_),
            )
            | Simple::Step { .. }
            | Simple::Replace { .. }
            | Simple::PutField { .. }
            | Simple::PutHandlePart { .. }
            | Simple::Check(_)
            | Simple::Cost { .. }
            | Simple::Print(_)
            | Simple::Read { .. }
            | Simple::Write { .. }
            | Simple::Exchange { .. }
            | Simple::ExchangeRow { .. },
        )
        | StmtKind::For { .. }
        | StmtKind::While { .. }
        | StmtKind::Foreach { .. }
        | StmtKind::Forall { .. }
        | StmtKind::Kernel(_)
        | StmtKind::If { .. }
        | StmtKind::Block { .. }
        | StmtKind::Break(_)
        | StmtKind::Continue(_)
        | StmtKind::Exit => {}
    }
    checks.dedup();
    checks
}

fn of_op(op: &Op, checks: &mut Vec<Check>) {
    use SizeOperand::{Columns, Length, Rows};
    let index = |index: &Operand, limit| Check::Index(index.clone(), limit);
    match op {
        Op::Int(op, left, right) => checks.push(Check::Int(*op, left.clone(), right.clone())),
        Op::Fill(size, _) => checks.push(Check::NotNegative(size.clone())),
        Op::BitsLogic(_, v, w)
        | Op::BitsEqual(v, w)
        | Op::WordCompare(_, v, w)
        | Op::WordAdd(v, w)
        | Op::WordSub(v, w) => checks.push(Check::Size(Length(*v), Length(*w))),
        Op::Component(v, at) => checks.push(index(at, Length(*v))),
        Op::Mask { size, from, to } => {
            checks.push(index(from, SizeOperand::Value(size.clone())));
            checks.push(index(to, SizeOperand::Value(size.clone())));
        }
        Op::Shift(_, _, by) => checks.push(Check::NotNegative(by.clone())),
        Op::Shuffle(v) => checks.push(Check::Even(*v)),
        Op::Trim { word, base, width } => {
            let (base, width) = (base.clone(), width.clone());
            checks.push(Check::Range { base, width, limit: Length(*word) });
        }
        Op::WordToInt(v) => checks.push(Check::FitsInt(*v)),
        Op::IntToWord { value, width } => {
            checks.push(Check::Fits { value: value.clone(), width: width.clone() });
        }
        Op::Column(table, at) => checks.push(index(at, Columns(*table))),
        Op::Row(table, at) => checks.push(index(at, Rows(*table))),
        Op::Bit(table, row, column) => {
            checks.push(index(row, Rows(*table)));
            checks.push(index(column, Columns(*table)));
        }
        Op::Field { table, base, width } => {
            let (base, width) = (base.clone(), width.clone());
            checks.push(Check::Range { base, width, limit: Columns(*table) });
        }
        Op::NewTable(rows, columns) => {
            checks.push(Check::NotNegative(rows.clone()));
            checks.push(Check::NotNegative(columns.clone()));
        }
        Op::Extreme { table, mask, sense: _ } => {
            checks.push(Check::Size(Rows(*table), Length(*mask)));
        }
        Op::HandlePart(handle, part) => {
            checks.push(Check::HandlePart(*handle, part.clone()));
        }
        Op::Length(_)
        | Op::Copy(_)
        | Op::Compare(..)
        | Op::Not(_)
        | Op::Logic(..)
        | Op::Literal(_)
        | Op::BitsNot(_)
        | Op::Query(..)
        | Op::Convert(_)
        | Op::KeepFirst(_)
        | Op::Rotate(..)
        | Op::Mirror(_)
        | Op::Rows(_)
        | Op::Columns(_) => {}
    }
}
