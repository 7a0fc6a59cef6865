//! Variable accesses of statements: shared by the verifier, the passes and the backends.
//!
//! [`accesses`] yields the operands of a statement. A dataflow analysis that moves or removes
//! definitions needs [`Observation::accesses`], which also yields the variables that a trap shows:
//! those are uses as well.
//!
//! Every struct is destructured in full, so that a new field must be handled here.

use crate::check::{Check, SizeOperand};
use crate::locations::Locations;
use crate::op::{Op, Operand};
use crate::program::{Mode, Program, Routine, Ty, VarId};
use crate::stmt::{
    Arg, Block, ForallRange, Part, PartKind, PrintItem, Reduction, Simple, SizeOp, Stmt, StmtKind,
};
use crate::table::Field;

/// The kind of access to a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Access {
    /// Its value is read.
    Read,
    /// Only its size, or whether it was set, is read.
    ReadSize,
    /// A trap of the statement shows it or leaves it to the caller ([`Observation`]). It may be
    /// unset.
    Observe,
    /// It is set to a new value, independent of the old one.
    Write,
    /// It is changed in place: a part, a reduction, `step`. It stays set and keeps its size.
    Update,
    /// It is given a value or a size if it has none; a table may grow, a handle gets a part.
    InitSize,
    /// The variable of a `for` or `foreach`: it gets new values; without an iteration it is
    /// unchanged.
    LoopVar,
    /// It may become unset: `adapt`, `unset`; a private variable or the variable of a `forall`.
    Kill,
    /// It is read and loses its value.
    Move,
    /// It is lent by reference: may be read, changed and set.
    Ref,
}

impl Access {
    /// Returns whether the value of the variable may be different afterwards.
    pub fn writes(self) -> bool {
        match self {
            Access::Read | Access::ReadSize | Access::Observe => false,
            Access::Write
            | Access::Update
            | Access::InitSize
            | Access::LoopVar
            | Access::Kill
            | Access::Move
            | Access::Ref => true,
        }
    }

    /// Returns whether the statement may depend on the old value of the variable.
    pub fn reads(self) -> bool {
        match self {
            Access::Read
            | Access::ReadSize
            | Access::Observe
            | Access::Update
            | Access::InitSize
            | Access::Move
            | Access::Ref => true,
            Access::Write | Access::LoopVar | Access::Kill => false,
        }
    }
}

/// The observations of the statements of a routine. Every statement that can trap observes the
/// operands of its location, whose values the trap shows, and everything that outlives the trap:
/// the `ref` parameters of the routine. So a store to one of these is dead only if no statement
/// that can trap precedes the next store.
pub struct Observation<'p> {
    locations: &'p Locations,
    /// The `ref` parameters.
    lent: Vec<VarId>,
}

impl<'p> Observation<'p> {
    /// Computes the observations of `routine`, a routine of `program`.
    pub fn new(program: &'p Program, routine: &Routine) -> Self {
        let lent = routine.params.iter().filter(|param| match param.mode {
            Mode::Ref => true,
            Mode::Value => false,
        });
        Observation { locations: &program.locations, lent: lent.map(|param| param.var).collect() }
    }

    /// Calls `f` for every variable that the statement itself accesses, without its inner blocks:
    /// first the observed variables, then those of [`accesses`]. A variable may occur several
    /// times.
    pub fn accesses(&self, stmt: &Stmt, f: &mut impl FnMut(VarId, Access)) {
        if may_trap(&stmt.kind) {
            let location = self.locations.get(stmt.loc);
            let shown = location.into_iter().flat_map(|location| &location.operands);
            shown.for_each(|operand| f(operand.var, Access::Observe));
            self.lent.iter().for_each(|&var| f(var, Access::Observe));
        }
        accesses(&stmt.kind, f);
    }
}

/// Returns whether the statement itself can trap or show something to the host.
pub fn may_trap(kind: &StmtKind) -> bool {
    match kind {
        StmtKind::Simple(
            Simple::Check(_)
            | Simple::Call { .. }
            | Simple::Print(_)
            | Simple::Read { .. }
            | Simple::Write { .. }
            | Simple::Exchange { .. }
            | Simple::ExchangeRow { .. },
        ) => true,
        StmtKind::Simple(
            Simple::Assign(..)
            | Simple::Step { .. }
            | Simple::Put { .. }
            | Simple::Replace { .. }
            | Simple::PutColumn { .. }
            | Simple::PutRow { .. }
            | Simple::PutBit { .. }
            | Simple::PutField { .. }
            | Simple::PutHandlePart { .. }
            | Simple::Size(_)
            | Simple::Cost { .. },
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
        | StmtKind::Exit => false,
    }
}

/// Calls `f` for every operand of `kind` itself, without its inner blocks; reads come before
/// writes. Variables observed by a trap are not included ([`Observation::accesses`]).
pub fn accesses(kind: &StmtKind, f: &mut impl FnMut(VarId, Access)) {
    match kind {
        StmtKind::Simple(simple) => simple_accesses(simple, f),
        StmtKind::For { label: _, var, from, to, down: _, body: _ } => {
            operand(from, f);
            operand(to, f);
            f(*var, Access::LoopVar);
        }
        StmtKind::While { label: _, head: _, test, body: _ } => operand(test, f),
        StmtKind::Foreach { label: _, var, over, body: _ } => {
            f(*over, Access::Read);
            f(*var, Access::LoopVar);
        }
        StmtKind::Forall { label: _, var, range, writes, privates, reductions, body: _ } => {
            forall_header(*var, range, writes, privates, reductions, f)
        }
        StmtKind::Kernel(kernel) => kernel.vars(&mut |var| f(var, Access::ReadSize)),
        StmtKind::If { test, then: _, otherwise: _ } => operand(test, f),
        StmtKind::Block { label: _, body: _ }
        | StmtKind::Break(_)
        | StmtKind::Continue(_)
        | StmtKind::Exit => {}
    }
}

fn simple_accesses(simple: &Simple, f: &mut impl FnMut(VarId, Access)) {
    match simple {
        Simple::Assign(dst, op) => {
            op_accesses(op, f);
            f(*dst, Access::Write);
        }
        Simple::Step { dst, bits } => {
            f(*bits, Access::Update);
            f(*dst, Access::Write);
        }
        Simple::Put { bits, index, bit } => {
            operand(index, f);
            operand(bit, f);
            f(*bits, Access::Update);
        }
        Simple::Replace { word, base, value } => {
            operand(base, f);
            f(*value, Access::Read);
            f(*word, Access::Update);
        }
        Simple::PutColumn { table, index, value } | Simple::PutRow { table, index, value } => {
            operand(index, f);
            f(*value, Access::Read);
            f(*table, Access::Update);
        }
        Simple::PutBit { table, row, column, bit } => {
            operand(row, f);
            operand(column, f);
            operand(bit, f);
            f(*table, Access::Update);
        }
        Simple::PutField { table, base, value } => {
            operand(base, f);
            f(*value, Access::Read);
            f(*table, Access::Update);
        }
        Simple::PutHandlePart { handle, part: _, value } => {
            f(*value, Access::Read);
            f(*handle, Access::InitSize);
        }
        Simple::Size(op) => size_op(op, f),
        Simple::Check(check) => check_accesses(check, f),
        Simple::Cost { units: _, times } => {
            if let Some(times) = times {
                measure(times, f);
            }
        }
        Simple::Call { callee: _, args, dst } => {
            arguments(args, f);
            if let Some(dst) = dst {
                f(*dst, Access::Write);
            }
        }
        Simple::Print(values) => values.iter().for_each(|item| operand(item.operand(), f)),
        Simple::Read { dst, file, layout } => {
            operand(file, f);
            if let Some(layout) = layout {
                operand(layout, f);
            }
            f(*dst, Access::Write);
        }
        Simple::Write { src, file } => {
            f(*src, Access::Read);
            operand(file, f);
        }
        Simple::Exchange { word, op: _ } => f(*word, Access::Update),
        Simple::ExchangeRow { word, table, index, before } => {
            f(*table, Access::Read);
            operand(index, f);
            operand(before, f);
            f(*word, Access::Write);
        }
    }
}

/// Calls `f` for every variable that an operation reads or measures.
pub fn op_accesses(op: &Op, f: &mut impl FnMut(VarId, Access)) {
    op.fields(&mut |field| field_accesses(field, f));
}

/// Calls `f` for every variable that a guard reads or measures.
pub fn check_accesses(check: &Check, f: &mut impl FnMut(VarId, Access)) {
    check.fields(&mut |field| field_accesses(field, f));
}

fn field_accesses(field: Field<'_>, f: &mut impl FnMut(VarId, Access)) {
    match field {
        Field::Read(var, _) | Field::Alike(var) => f(var, Access::Read),
        Field::Measured(var, _) => f(var, Access::ReadSize),
        Field::Scalar(value, _) => operand(value, f),
        Field::Size(size) => measure(size, f),
        Field::Flag(_) | Field::Constant(_) | Field::Part(_) | Field::Word(_) => {}
    }
}

/// Returns the blocks inside a statement, in execution order; missing ones are empty.
pub fn blocks(kind: &StmtKind) -> [&[Stmt]; 2] {
    match kind {
        StmtKind::For { body, .. }
        | StmtKind::Foreach { body, .. }
        | StmtKind::Forall { body, .. }
        | StmtKind::Block { body, .. } => [body, &[]],
        StmtKind::Kernel(kernel) => [&kernel.fallback, &[]],
        StmtKind::While { head, body, .. } => [head, body],
        StmtKind::If { then, otherwise, .. } => [then, otherwise],
        StmtKind::Simple(_) | StmtKind::Break(_) | StmtKind::Continue(_) | StmtKind::Exit => {
            [&[], &[]]
        }
    }
}

/// Returns whether the program prints names of vertices.
pub fn prints_names(program: &Program) -> bool {
    prints(program, |_, item| matches!(item, PrintItem::Name(_)))
}

/// Returns whether the program prints integers that it computes.
pub fn prints_integers(program: &Program) -> bool {
    prints(program, |routine, item| match item {
        PrintItem::Value(Operand::Var(var)) => routine.var(*var).ty == Ty::Int,
        PrintItem::Value(_) | PrintItem::Name(_) => false,
    })
}

/// Returns whether the program has an instruction that reads a file.
pub fn reads_files(program: &Program) -> bool {
    has(program, |_, kind| matches!(kind, StmtKind::Simple(Simple::Read { .. })))
}

/// Returns whether the program has an instruction that writes a file.
pub fn writes_files(program: &Program) -> bool {
    has(program, |_, kind| matches!(kind, StmtKind::Simple(Simple::Write { .. })))
}

/// Returns whether the program has an instruction that prints such an item.
fn prints(program: &Program, is_wanted: impl Fn(&Routine, &PrintItem) -> bool + Copy) -> bool {
    has(
        program,
        |routine, kind| matches!(kind, StmtKind::Simple(Simple::Print(items)) if items.iter().any(|item| is_wanted(routine, item))),
    )
}

/// Returns whether the program has such an instruction.
fn has(program: &Program, is_wanted: impl Fn(&Routine, &StmtKind) -> bool + Copy) -> bool {
    fn any(body: &[Stmt], is_wanted: &dyn Fn(&StmtKind) -> bool) -> bool {
        body.iter().any(|stmt| {
            let mut blocks = blocks(&stmt.kind).into_iter();
            is_wanted(&stmt.kind) || blocks.any(|block| any(block, is_wanted))
        })
    }
    let mut routines = program.routines.iter();
    routines.any(|routine| any(&routine.body, &|kind| is_wanted(routine, kind)))
}

/// Like [`blocks`], with mutable references.
pub fn blocks_mut(kind: &mut StmtKind) -> [Option<&mut Block>; 2] {
    match kind {
        StmtKind::For { body, .. }
        | StmtKind::Foreach { body, .. }
        | StmtKind::Forall { body, .. }
        | StmtKind::Block { body, .. } => [Some(body), None],
        StmtKind::Kernel(kernel) => [Some(&mut kernel.fallback), None],
        StmtKind::While { head, body, .. } => [Some(head), Some(body)],
        StmtKind::If { then, otherwise, .. } => [Some(then), Some(otherwise)],
        StmtKind::Simple(_) | StmtKind::Break(_) | StmtKind::Continue(_) | StmtKind::Exit => {
            [None, None]
        }
    }
}

/// Calls `f` for every statement of `block` and of the blocks inside it, each before its inner
/// blocks.
pub fn walk<'a>(block: &'a [Stmt], f: &mut impl FnMut(&'a Stmt)) {
    for stmt in block {
        f(stmt);
        for inner in blocks(&stmt.kind) {
            walk(inner, f);
        }
    }
}

/// Returns the variable whose size a measure is; `None` for a number.
pub fn measured(measure: &SizeOperand) -> Option<VarId> {
    match measure {
        SizeOperand::Length(v) | SizeOperand::Rows(v) | SizeOperand::Columns(v) => Some(*v),
        SizeOperand::Value(_) => None,
    }
}

fn operand(operand: &Operand, f: &mut impl FnMut(VarId, Access)) {
    match operand {
        Operand::Var(v) => f(*v, Access::Read),
        Operand::Int(_) | Operand::Bool(_) | Operand::Str(_) => {}
    }
}

/// Calls `f` for the variable of a size.
pub(crate) fn measure(measure: &SizeOperand, f: &mut impl FnMut(VarId, Access)) {
    match measure {
        SizeOperand::Length(v) | SizeOperand::Rows(v) | SizeOperand::Columns(v) => {
            f(*v, Access::ReadSize)
        }
        SizeOperand::Value(value) => operand(value, f),
    }
}

fn arguments(args: &[Arg], f: &mut impl FnMut(VarId, Access)) {
    for arg in args {
        match arg {
            Arg::Value(value) => operand(value, f),
            Arg::Move(_) | Arg::Ref(_) => {}
        }
    }
    for arg in args {
        match arg {
            Arg::Value(_) => {}
            Arg::Move(v) => f(*v, Access::Move),
            Arg::Ref(v) => f(*v, Access::Ref),
        }
    }
}

fn size_op(op: &SizeOp, f: &mut impl FnMut(VarId, Access)) {
    match op {
        SizeOp::Latch { dst, size } => {
            measure(size, f);
            f(*dst, Access::InitSize);
        }
        SizeOp::SetRows { table, rows } => {
            measure(rows, f);
            f(*table, Access::InitSize);
        }
        SizeOp::EnsureColumns { table, columns } => {
            measure(columns, f);
            f(*table, Access::InitSize);
        }
        SizeOp::Init { table, rows, columns } => {
            operand(rows, f);
            operand(columns, f);
            f(*table, Access::InitSize);
        }
        SizeOp::Adapt { bits, size } => {
            operand(size, f);
            f(*bits, Access::ReadSize);
            f(*bits, Access::Kill);
        }
        SizeOp::Fix { bits, size } => {
            operand(size, f);
            f(*bits, Access::InitSize);
        }
        SizeOp::Unset(var) => f(*var, Access::Kill),
    }
}

fn forall_header(
    var: VarId,
    range: &ForallRange,
    writes: &[Part],
    privates: &[VarId],
    reductions: &[Reduction],
    f: &mut impl FnMut(VarId, Access),
) {
    match range {
        ForallRange::Range(from, to) => {
            operand(from, f);
            operand(to, f);
        }
        ForallRange::Ones(bits) => f(*bits, Access::Read),
    }
    for Part { var: _, kind } in writes {
        match kind {
            PartKind::Field { base, width } => {
                operand(base, f);
                operand(width, f);
            }
            PartKind::Column | PartKind::Row | PartKind::Component => {}
        }
    }
    for Part { var, kind: _ } in writes {
        f(*var, Access::Update);
    }
    for &Reduction { var, op: _ } in reductions {
        f(var, Access::Update);
    }
    privates.iter().for_each(|&var| f(var, Access::Kill));
    f(var, Access::Kill);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trapping_statements_observe_location_operands_and_ref_params() {
        let text = "routine 0 \"F\" (value %n: int, ref %k: int) !0 {
              var %a: int
              %a = copy %n !1
              check add %n, 1 !1
              print !0
            }
            locations { !0 = 0:0..0 !1 = 0:0..1 names [#2 \"a\"] }";
        let program = crate::parse(text).unwrap();
        let routine = &program.routines[0];
        let observation = Observation::new(&program, routine);
        let observed = |idx: usize| {
            let mut observed = Vec::new();
            observation.accesses(&routine.body[idx], &mut |var, access| {
                if access == Access::Observe {
                    observed.push(var);
                }
            });
            observed
        };
        let (k, a) = (VarId(1), VarId(2));
        assert_eq!([observed(0), observed(1), observed(2)], [vec![], vec![a, k], vec![k]]);
    }
}
