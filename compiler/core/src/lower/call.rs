//! Calls, and the library procedures that are a single operation.

use star_ir::{Arg, Check, IntOp, Op, Operand, Sense, Simple, SizeOp, SizeOperand, Ty, VarId};

use super::sizes::{Ext, bound_size};
use super::{Fact, Lowerer};
use crate::hir::{self, Expr, ExprKind, LocalId, MachineOp, Role, RoutineId, TyKind};

impl Lowerer<'_> {
    /// Lowers a call; its operands are evaluated from left to right.
    pub(super) fn call(&mut self, callee: RoutineId, args: &[hir::Arg], dst: Option<VarId>) {
        self.arguments_must_agree(callee, args);
        self.must_not_compare_texts(callee);
        let is_field = |arg: &hir::Arg| matches!(arg, hir::Arg::Field(..));
        if let Some(op) = self.machine_op(callee).filter(|_| !args.iter().any(is_field)) {
            self.machine(op, args);
            return;
        }
        let Some(id) = self.ids[callee.0 as usize] else {
            return self.fault("a call of a routine that is not lowered");
        };
        if args.len() != self.program.routine(callee).params.len() {
            return self.fault("wrong number of arguments in a call");
        }
        let has_effects = |arg: &hir::Arg| matches!(arg, hir::Arg::Value(value) if value.effects);
        let last_effect = args.iter().rposition(has_effects).unwrap_or(0);
        let mut lowered = Vec::with_capacity(args.len());
        let mut fields = Vec::new();
        let params = &self.program.routine(callee).params;
        for (idx, (arg, &param)) in args.iter().zip(params).enumerate() {
            let effects = idx < last_effect;
            lowered.push(match arg {
                hir::Arg::Ref(place) => {
                    self.touch(place.local);
                    if takes_size(self.program.routine(callee), param) {
                        self.fix_size(*place);
                    }
                    Arg::Ref(self.place_var(*place))
                }
                hir::Arg::Field(field, kind) => {
                    let copy = self.copy_field(field, *kind);
                    let var = copy.var;
                    fields.push((idx, copy));
                    Arg::Ref(var)
                }
                hir::Arg::Value(value) => {
                    let same_object = is_variable_of(value, args);
                    match self.value_argument(value, effects) {
                        Operand::Var(var) if same_object => Arg::Move(self.copy(var, value)),
                        operand => Arg::Value(operand),
                    }
                }
            });
        }
        self.records_must_agree(callee, args, &lowered);
        self.settle_returned_sizes(callee, args);
        self.flush_cost();
        self.emit(Simple::Call { callee: id, args: lowered, dst });
        for (idx, copy) in fields {
            let is_set = self.summaries.assigns(callee, idx);
            self.store_copy(copy, is_set);
        }
        // A variable that a callee may have unset or resized is no longer known to be set.
        for arg in args {
            if let hir::Arg::Ref(place) = arg {
                let var = self.place_var(*place);
                self.facts.remove(&Fact::Set(var));
                self.facts.remove(&Fact::Sized(var));
            }
        }
    }

    /// Evaluates the sizes of the slices and words that the call sets, where they are known.
    fn settle_returned_sizes(&mut self, callee: RoutineId, args: &[hir::Arg]) {
        let params = &self.program.routine(callee).params;
        for (&param, arg) in params.iter().zip(args) {
            if let hir::Arg::Ref(place) = arg
                && let Ext::Known(key) = self.place_exts(*place).0
                && self.returned_size(callee, param, args) == Ext::Known(key)
            {
                self.size(key);
            }
        }
    }

    /// Passes the declared size of a slice or word along before it is set: the callee may clear it,
    /// or bind a name to its size.
    fn fix_size(&mut self, place: hir::VarUse) {
        let is_bits = self.r.local(place.local).ty.kind().is_bits();
        if let Some(key) = self.declared_key(place.local, 0)
            && is_bits
            && self.may_be_unset(place)
        {
            let size = self.checked_size(key);
            let bits = self.place_var(place);
            self.emit(Simple::Size(SizeOp::Fix { bits, size }));
        }
    }

    fn value_argument(&mut self, value: &Expr, effects: bool) -> Operand {
        match value.ty {
            TyKind::Slice | TyKind::Word | TyKind::Table => {
                let var = self.bits(value, None);
                Operand::Var(self.keep_bits(var, value, effects))
            }
            TyKind::Int | TyKind::Bool | TyKind::Str | TyKind::Handle | TyKind::Error => {
                let operand = self.operand(value);
                self.keep(operand, value.ty, effects)
            }
        }
    }

    fn copy(&mut self, var: VarId, of: &Expr) -> VarId {
        let temp = self.temp_of(of.ty, self.exts_of(of));
        self.assign(temp, Op::Copy(Operand::Var(var)));
        temp
    }

    /// Lowers MIN, MAX, TCOPY1 and TCOPY2.
    fn machine(&mut self, op: MachineOp, args: &[hir::Arg]) {
        match (op, args) {
            (
                MachineOp::Min | MachineOp::Max,
                [hir::Arg::Value(table), hir::Arg::Value(mask), hir::Arg::Ref(to)],
            ) => {
                let table_var = self.bits(table, None);
                let table_var = self.keep_bits(table_var, table, mask.effects);
                let mask_var = self.bits(mask, None);
                if !self.exts_of(table).0.same(self.exts_of(mask).0) {
                    self.check(Check::Size(
                        SizeOperand::Rows(table_var),
                        SizeOperand::Length(mask_var),
                    ));
                }
                self.adapt_parameter(*to, mask_var);
                let (sense, per_column) =
                    if op == MachineOp::Min { (Sense::Min, 4) } else { (Sense::Max, 3) };
                self.flush_cost();
                self.emit(Simple::Cost {
                    units: per_column,
                    times: Some(SizeOperand::Columns(table_var)),
                });
                let value = super::bits::Rvalue {
                    op: Op::Extreme { table: table_var, mask: mask_var, sense },
                    size: SizeOperand::Length(mask_var),
                    exts: self.exts_of(mask),
                };
                self.store_bits(*to, value);
            }
            (
                MachineOp::LoadField,
                [
                    hir::Arg::Value(table),
                    hir::Arg::Value(index),
                    hir::Arg::Value(width),
                    hir::Arg::Ref(to),
                ],
            ) => {
                let table_var = self.bits(table, None);
                let effects = index.effects || width.effects;
                let table_var = self.keep_bits(table_var, table, effects);
                let (base, width) = self.field(index, width);
                self.check(Check::Range {
                    base: base.clone(),
                    width: width.clone(),
                    limit: SizeOperand::Columns(table_var),
                });
                self.flush_cost();
                self.emit(Simple::Cost {
                    units: 2,
                    times: Some(SizeOperand::Value(width.clone())),
                });
                let rows = SizeOperand::Rows(table_var);
                let exts = (self.exts_of(table).0, Ext::Dynamic);
                let op = Op::Field { table: table_var, base, width: width.clone() };
                self.store_table(*to, op, rows, SizeOperand::Value(width), exts);
            }
            (
                MachineOp::StoreField,
                [
                    hir::Arg::Value(value),
                    hir::Arg::Value(index),
                    hir::Arg::Value(width),
                    hir::Arg::Ref(to),
                ],
            ) => {
                let value_var = self.bits(value, None);
                let effects = index.effects || width.effects;
                let value_var = if is_variable_of(value, args) {
                    self.copy(value_var, value)
                } else {
                    self.keep_bits(value_var, value, effects)
                };
                let (base, width) = self.field(index, width);
                self.check(Check::Size(
                    SizeOperand::Columns(value_var),
                    SizeOperand::Value(width.clone()),
                ));
                self.touch(to.local);
                let table = self.place_var(*to);
                let rows = SizeOperand::Rows(value_var);
                if self.webs.is_split(to.local) {
                    self.settled(self.place_exts(*to).0);
                }
                self.emit(Simple::Size(SizeOp::SetRows { table, rows: rows.clone() }));
                self.check(Check::Size(SizeOperand::Rows(table), rows));
                let end = self.sum(base.clone(), width.clone());
                self.check(Check::NotNegative(end.clone()));
                if self.declared_key(to.local, 1).is_none() {
                    let columns = SizeOperand::Value(end);
                    self.emit(Simple::Size(SizeOp::EnsureColumns { table, columns }));
                }
                let limit = SizeOperand::Columns(table);
                self.check(Check::Range { base: base.clone(), width: width.clone(), limit });
                self.flush_cost();
                self.emit(Simple::Cost { units: 2, times: Some(SizeOperand::Value(width)) });
                self.emit(Simple::PutField { table, base, value: value_var });
            }
            (MachineOp::Min | MachineOp::Max | MachineOp::LoadField | MachineOp::StoreField, _) => {
                self.fault("wrong arguments of a machine operation")
            }
        }
    }

    /// Gives a `var` parameter without a size that of `model`, unless the variable passed for it
    /// has a size to keep: then the call of the library procedure traps, not that of the calling
    /// routine.
    fn adapt_parameter(&mut self, to: hir::VarUse, model: VarId) {
        let local = self.r.local(to.local);
        if local.role != Role::Ref || !local.ty.is_unsized() {
            return;
        }
        let bits = self.place_var(to);
        if bits == model {
            return;
        }
        let wanted = self.temp(Ty::Int);
        self.assign(wanted, Op::Length(model));
        let wanted = Operand::Var(wanted);
        self.emit(Simple::Size(SizeOp::Adapt { bits, size: wanted.clone() }));
        self.check(Check::Size(SizeOperand::Length(bits), SizeOperand::Value(wanted)));
    }

    /// Lowers base and width of the field with this index (from 1).
    fn field(&mut self, index: &Expr, width: &Expr) -> (Operand, Operand) {
        let [index, width] = self.both(index, width);
        let before = self.int(IntOp::Sub, index, Operand::Int(1));
        (self.int(IntOp::Mul, before, width.clone()), width)
    }

    fn sum(&mut self, left: Operand, right: Operand) -> Operand {
        self.int(IntOp::Add, left, right)
    }

    fn int(&mut self, op: IntOp, left: Operand, right: Operand) -> Operand {
        self.check(Check::Int(op, left.clone(), right.clone()));
        let temp = self.temp(Ty::Int);
        self.assign(temp, Op::Int(op, left, right));
        Operand::Var(temp)
    }
}

/// Returns whether the routine uses the size that the variable of this `var` parameter has before
/// it is set: if the parameter has no size, or one that only `var` parameters bind.
fn takes_size(routine: &hir::Routine, param: LocalId) -> bool {
    let is_measured = |name: LocalId| {
        let values = routine.params.iter().filter(|&&one| routine.local(one).role == Role::Value);
        values.into_iter().any(|&one| (0..2).any(|dim| bound_size(routine, one, dim) == Some(name)))
    };
    let bound = bound_size(routine, param, 0);
    routine.local(param).ty.is_unsized() || bound.is_some_and(|name| !is_measured(name))
}

/// Returns whether the value argument is a variable that is also passed by `var`.
fn is_variable_of(value: &Expr, args: &[hir::Arg]) -> bool {
    let ExprKind::Var(place) = value.kind else {
        return false;
    };
    args.iter().any(|arg| matches!(arg, hir::Arg::Ref(other) if other.local == place.local))
}
