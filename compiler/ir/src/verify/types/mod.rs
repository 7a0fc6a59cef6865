//! Rules 3 and 4: kinds of operands and destinations, calls.

mod op;

use star_base::intrinsics;

use super::Subject;
use crate::check::{Check, SizeOperand};
use crate::kind::{OperandKind, type_text};
use crate::op::{IntOp, Operand};
use crate::program::{Extent, Mode, Param, RoutineId, Ty, VarId};
use crate::stmt::{
    Arg, ForallRange, Part, PartKind, PrintItem, Reduction, ReductionOp, Simple, SizeOp, Stmt,
    StmtKind,
};
use crate::table::Field;
use crate::visit;

pub(super) fn check(subject: &mut Subject<'_, '_>) {
    intrinsic(subject);
    let body = &subject.routine.body;
    visit::walk(body, &mut |stmt| {
        Types { subject: &mut *subject, stmt }.statement();
    });
}

/// Checks that a routine with an intrinsic has the parameters of the catalogue.
fn intrinsic(subject: &mut Subject<'_, '_>) {
    let routine = subject.routine;
    let Some(intrinsic) = routine.intrinsic else { return };
    let params = intrinsic.signature().params;
    let suits = |var: VarId, kind| routine.var(var).ty.kind() == kind;
    let is_one = |(param, wanted): (&Param, &intrinsics::Param)| {
        let mode = if wanted.mode.is_by_ref() { Mode::Ref } else { Mode::Value };
        param.mode == mode && suits(param.var, wanted.kind)
    };
    let same_result = match (routine.result, intrinsic.signature().result) {
        (Some(var), Some(kind)) => suits(var, kind),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    };
    let same = routine.params.len() == params.len() && same_result;
    if !same || !routine.params.iter().zip(params).all(is_one) {
        subject.fault(None, format!("the parameters do not match the intrinsic `{intrinsic}`"));
    }
}

struct Types<'s, 'a, 'e> {
    subject: &'s mut Subject<'a, 'e>,
    stmt: &'s Stmt,
}

impl Types<'_, '_, '_> {
    fn fault(&mut self, message: String) {
        self.subject.fault(Some(self.stmt), message);
    }

    fn var(&mut self, var: VarId, kind: OperandKind) {
        let ty = self.subject.ty(var);
        if !kind.takes(ty) {
            let name = self.subject.name(var);
            self.fault(format!("{name} is {}, not {}", type_text(ty), kind.text()));
        }
    }

    fn operand_type(&self, operand: &Operand) -> Ty {
        match operand {
            Operand::Var(v) => self.subject.ty(*v),
            Operand::Int(_) => Ty::Int,
            Operand::Bool(_) => Ty::Bool,
            Operand::Str(_) => Ty::Str,
        }
    }

    fn operand(&mut self, operand: &Operand, kind: OperandKind) {
        let ty = self.operand_type(operand);
        if let Operand::Var(v) = operand {
            self.var(*v, kind);
        } else if !kind.takes(ty) {
            let message = format!("a constant is {}, not {}", type_text(ty), kind.text());
            self.fault(message);
        }
    }

    fn ints(&mut self, operands: &[&Operand]) {
        operands.iter().for_each(|operand| self.operand(operand, OperandKind::Int));
    }

    fn same(&mut self, v: VarId, w: VarId) {
        if !self.subject.ty(v).same_kind(self.subject.ty(w)) {
            let (v, w) = (self.subject.name(v), self.subject.name(w));
            self.fault(format!("{v} and {w} are of different kinds"));
        }
    }

    fn measure(&mut self, measure: &SizeOperand) {
        match measure {
            SizeOperand::Length(v) => self.var(*v, OperandKind::Bits),
            SizeOperand::Rows(v) | SizeOperand::Columns(v) => self.var(*v, OperandKind::Table),
            SizeOperand::Value(value) => self.operand(value, OperandKind::Int),
        }
    }

    fn statement(&mut self) {
        let stmt = self.stmt;
        match &stmt.kind {
            StmtKind::Simple(simple) => self.simple(simple),
            StmtKind::For { label: _, var, from, to, down: _, body: _ } => {
                self.var(*var, OperandKind::Int);
                self.ints(&[from, to]);
            }
            StmtKind::While { label: _, head: _, test, body: _ }
            | StmtKind::If { test, then: _, otherwise: _ } => self.operand(test, OperandKind::Bool),
            StmtKind::Foreach { label: _, var, over, body: _ } => {
                self.var(*var, OperandKind::Int);
                self.var(*over, OperandKind::Bits);
            }
            StmtKind::Forall { label: _, var, range, writes, privates: _, reductions, body: _ } => {
                self.var(*var, OperandKind::Int);
                match range {
                    ForallRange::Range(from, to) => self.ints(&[from, to]),
                    ForallRange::Ones(bits) => self.var(*bits, OperandKind::Bits),
                }
                self.parts(writes);
                self.reductions(reductions);
            }
            // Rule 10 checks its types.
            StmtKind::Kernel(_)
            | StmtKind::Block { label: _, body: _ }
            | StmtKind::Break(_)
            | StmtKind::Continue(_)
            | StmtKind::Exit => {}
        }
    }

    fn simple(&mut self, simple: &Simple) {
        match simple {
            Simple::Assign(dst, op) => self.op(*dst, op),
            Simple::Step { dst, bits } => {
                self.var(*dst, OperandKind::Int);
                self.var(*bits, OperandKind::Bits);
            }
            Simple::Put { bits, index, bit } => {
                self.var(*bits, OperandKind::Bits);
                self.ints(&[index, bit]);
            }
            Simple::Replace { word, base, value } => {
                self.var(*word, OperandKind::Word);
                self.operand(base, OperandKind::Int);
                self.var(*value, OperandKind::Word);
            }
            Simple::PutColumn { table, index, value } => {
                self.var(*table, OperandKind::Table);
                self.operand(index, OperandKind::Int);
                self.var(*value, OperandKind::Slice);
            }
            Simple::PutRow { table, index, value } => {
                self.var(*table, OperandKind::Table);
                self.operand(index, OperandKind::Int);
                self.var(*value, OperandKind::Word);
            }
            Simple::PutBit { table, row, column, bit } => {
                self.var(*table, OperandKind::Table);
                self.ints(&[row, column, bit]);
            }
            Simple::PutHandlePart { handle, part: _, value } => {
                self.var(*handle, OperandKind::Handle);
                self.var(*value, OperandKind::Table);
            }
            Simple::PutField { table, base, value } => {
                self.var(*table, OperandKind::Table);
                self.operand(base, OperandKind::Int);
                self.var(*value, OperandKind::Table);
            }
            Simple::Size(op) => self.size_op(op),
            Simple::Check(check) => self.check(check),
            Simple::Cost { units: _, times } => {
                if let Some(times) = times {
                    self.measure(times);
                }
            }
            Simple::Call { callee, args, dst } => self.call(*callee, args, *dst),
            Simple::Print(values) => {
                for item in values {
                    match item {
                        PrintItem::Value(value) => self.operand(value, OperandKind::Shown),
                        PrintItem::Name(vertex) => self.operand(vertex, OperandKind::Int),
                    }
                }
            }
            Simple::Read { dst, file, layout } => {
                self.var(*dst, OperandKind::Stored);
                self.operand(file, OperandKind::Str);
                if let Some(layout) = layout {
                    self.operand(layout, OperandKind::Str);
                }
            }
            Simple::Write { src, file } => {
                self.var(*src, OperandKind::Stored);
                self.operand(file, OperandKind::Str);
            }
            Simple::Exchange { word, op: _ } => self.var(*word, OperandKind::Word),
            Simple::ExchangeRow { word, table, index, before } => {
                self.var(*word, OperandKind::Word);
                self.var(*table, OperandKind::Table);
                self.ints(&[index, before]);
            }
        }
    }

    fn parts(&mut self, parts: &[Part]) {
        for Part { var, kind } in parts {
            match kind {
                PartKind::Column | PartKind::Row => self.var(*var, OperandKind::Table),
                PartKind::Field { base, width } => {
                    self.var(*var, OperandKind::Table);
                    self.ints(&[base, width]);
                }
                PartKind::Component => self.var(*var, OperandKind::Bits),
            }
        }
    }

    fn reductions(&mut self, reductions: &[Reduction]) {
        for &Reduction { var, op } in reductions {
            let kind = match op {
                ReductionOp::Or | ReductionOp::And | ReductionOp::Xor => OperandKind::Logic,
                ReductionOp::Min | ReductionOp::Max | ReductionOp::Add => OperandKind::Int,
            };
            self.var(var, kind);
        }
    }

    fn size_op(&mut self, op: &SizeOp) {
        match op {
            SizeOp::Latch { dst, size } => {
                self.var(*dst, OperandKind::Int);
                self.measure(size);
            }
            SizeOp::SetRows { table, rows } => {
                self.var(*table, OperandKind::Table);
                self.measure(rows);
            }
            SizeOp::EnsureColumns { table, columns } => {
                self.var(*table, OperandKind::Table);
                self.measure(columns);
                let Ty::Table(_, extent) = self.subject.ty(*table) else { return };
                let extent = match extent {
                    Extent::Const(extent) => Some(Operand::Int(extent as i64)),
                    Extent::Var(extent) => Some(Operand::Var(extent)),
                    Extent::Dynamic => None,
                };
                if extent.is_some_and(|extent| *columns != SizeOperand::Value(extent)) {
                    let name = self.subject.name(*table);
                    self.fault(format!("{name} has other columns"));
                }
            }
            SizeOp::Init { table, rows, columns } => {
                self.var(*table, OperandKind::Table);
                self.ints(&[rows, columns]);
            }
            SizeOp::Adapt { bits, size } | SizeOp::Fix { bits, size } => {
                self.var(*bits, OperandKind::Bits);
                self.operand(size, OperandKind::Int);
            }
            SizeOp::Unset(var) => self.var(*var, OperandKind::Any),
        }
    }

    fn check(&mut self, check: &Check) {
        if let Check::Result(v) = check
            && self.subject.routine.result != Some(*v)
        {
            let name = self.subject.name(*v);
            self.fault(format!("{name} is not the result"));
        }
        if let Check::NoCarry(IntOp::Mul | IntOp::Div | IntOp::Mod, ..) = check {
            self.fault("words are only added and subtracted".into());
        }
        let mut first = None;
        check.fields(&mut |field| self.field(field, &mut first));
    }

    /// Checks that an operand has the kind required by the table; `first` is the first variable.
    fn field(&mut self, field: Field<'_>, first: &mut Option<VarId>) {
        match field {
            Field::Read(var, kind) | Field::Measured(var, kind) => {
                self.var(var, kind);
                first.get_or_insert(var);
            }
            Field::Alike(var) => {
                if let Some(first) = *first {
                    self.same(first, var);
                }
            }
            Field::Scalar(operand, kind) => self.operand(operand, kind),
            Field::Size(size) => self.measure(size),
            Field::Flag(_) | Field::Constant(_) | Field::Part(_) | Field::Word(_) => {}
        }
    }

    fn call(&mut self, callee: RoutineId, args: &[Arg], dst: Option<VarId>) {
        let callee = self.subject.program.routine(callee);
        if callee.params.len() != args.len() {
            let (n_params, n_args) = (callee.params.len(), args.len());
            self.fault(format!("{n_args} arguments for {n_params} parameters"));
        }
        for (at, (param, arg)) in (1..).zip(callee.params.iter().zip(args)) {
            let (ty, mode) = match arg {
                Arg::Value(value) => (self.operand_type(value), Mode::Value),
                Arg::Move(v) => (self.subject.ty(*v), Mode::Value),
                Arg::Ref(v) => (self.subject.ty(*v), Mode::Ref),
            };
            if mode != param.mode {
                let passed = match param.mode {
                    Mode::Value => "value",
                    Mode::Ref => "reference",
                };
                self.fault(format!("argument {at} must be passed by {passed}"));
            }
            let param_ty = callee.var(param.var).ty;
            if !ty.same_kind(param_ty) {
                let (is, takes) = (type_text(ty), type_text(param_ty));
                self.fault(format!("argument {at} is {is}, not {takes}"));
            }
        }
        let Some(dst) = dst else { return };
        let Some(result) = callee.result else {
            return self.fault("the called routine has no result".into());
        };
        let (ty, dst_ty) = (callee.var(result).ty, self.subject.ty(dst));
        if !ty.same_kind(dst_ty) {
            let name = self.subject.name(dst);
            let (is, takes) = (type_text(ty), type_text(dst_ty));
            self.fault(format!("{name} is {takes}, the result is {is}"));
        }
    }
}
