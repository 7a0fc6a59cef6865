//! The beginning of a routine: the sizes bound by its header, the agreement of its arguments, the
//! sizes in its declarations.

use std::collections::BTreeSet;

use star_ir::{Check, Op, Operand, Simple, SizeOp, SizeOperand, VarId};

use super::sizes::{Ext, SizeKey};
use super::{Fact, Lowerer};
use crate::hir::{LocalId, RecordArg, Role, TyKind};

impl Lowerer<'_> {
    /// Assigns the sizes bound by the header.
    pub(super) fn bind_sizes(&mut self) {
        let mut bound = BTreeSet::new();
        for from_ref in [false, true] {
            for &param in &self.r.params {
                let is_ref = self.r.local(param).role == Role::Ref;
                if is_ref != from_ref {
                    continue;
                }
                for dim in 0..2 {
                    let Some(SizeKey::Int(name)) = self.declared_key(param, dim) else {
                        continue;
                    };
                    if self.r.local(name).role != Role::Binding || bound.contains(&name) {
                        continue;
                    }
                    let dst = self.local_var(name);
                    let var = self.local_var(param);
                    self.loc = self.location(self.r.local(param).span, &[(var, param)], true);
                    if is_ref {
                        // The first argument with a size determines it.
                        self.emit(Simple::Size(SizeOp::Latch {
                            dst,
                            size: self.measure(param, var, dim),
                        }));
                    } else {
                        bound.insert(name);
                        self.assign(dst, self.measure_op(param, var, dim));
                    }
                }
            }
        }
        for (idx, local) in self.r.locals.iter().enumerate() {
            let name = LocalId(idx as u32);
            if local.role == Role::Binding && !bound.contains(&name) {
                let var = self.local_var(name);
                self.loc = self.location(local.span, &[(var, name)], true);
                self.emit(Simple::Check(Check::Set(var)));
                self.emit(Simple::Check(Check::NotNegative(Operand::Var(var))));
            }
        }
    }

    pub(super) fn measure(&self, local: LocalId, var: VarId, dim: u8) -> SizeOperand {
        size_operand(self.r.local(local).ty.kind(), var, dim)
    }

    pub(super) fn measure_op(&self, local: LocalId, var: VarId, dim: u8) -> Op {
        match self.measure(local, var, dim) {
            SizeOperand::Rows(var) => Op::Rows(var),
            SizeOperand::Columns(var) => Op::Columns(var),
            SizeOperand::Length(var) => Op::Length(var),
            SizeOperand::Value(value) => Op::Copy(value),
        }
    }

    /// Checks that all arguments agree on the sizes of the header.
    pub(super) fn check_header(&mut self) {
        for &param in &self.r.params {
            let var = self.local_var(param);
            let local = self.r.local(param);
            let is_ref = local.role == Role::Ref;
            for dim in 0..2 {
                let Some(key) = self.declared_key(param, dim) else {
                    continue;
                };
                self.loc = self.location(local.span, &[(var, param)], true);
                let wanted = self.checked_size(key);
                let measure = self.measure(param, var, dim);
                if is_ref {
                    let size = SizeOperand::Value(wanted.clone());
                    match (local.ty.kind(), dim) {
                        (TyKind::Table, 0) => {
                            self.emit(Simple::Size(SizeOp::SetRows { table: var, rows: size }));
                        }
                        (TyKind::Table, _) => {
                            self.emit(Simple::Size(SizeOp::EnsureColumns {
                                table: var,
                                columns: size,
                            }));
                        }
                        (
                            TyKind::Slice
                            | TyKind::Word
                            | TyKind::Int
                            | TyKind::Bool
                            | TyKind::Str
                            | TyKind::Handle
                            | TyKind::Error,
                            _,
                        ) => self
                            .emit(Simple::Size(SizeOp::Adapt { bits: var, size: wanted.clone() })),
                    }
                }
                self.emit(Simple::Check(Check::Size(measure, SizeOperand::Value(wanted))));
            }
        }
    }

    /// Checks that the arguments of record types are not negative, so that no field is.
    pub(super) fn check_records(&mut self) {
        for (idx, local) in self.r.locals.iter().enumerate() {
            let args = local.record.iter().flat_map(|record| &record.args);
            for &arg in args {
                if let RecordArg::Var(arg) = arg {
                    let var = self.local_var(LocalId(idx as u32));
                    let is_param = local.role != Role::Local;
                    self.loc = self.location(local.span, &[(var, LocalId(idx as u32))], is_param);
                    self.checked_size(SizeKey::Int(arg));
                }
            }
        }
    }

    /// Evaluates the sizes declared for local variables, if they are known already.
    pub(super) fn sizes_at_entry(&mut self) {
        self.loc = self.location(self.r.header, &[], false);
        let mut keys: BTreeSet<SizeKey> = self
            .web_exts
            .iter()
            .flat_map(|exts| [exts.0, exts.1])
            .filter_map(|ext| match ext {
                Ext::Known(key) => Some(key),
                Ext::Unknown | Ext::Dynamic => None,
            })
            .collect();
        for (idx, local) in self.r.locals.iter().enumerate() {
            if local.role == Role::Local {
                keys.extend((0..2).filter_map(|dim| self.declared_key(LocalId(idx as u32), dim)));
            }
        }
        for key in keys {
            if self.known_at_entry(key) {
                self.size(key);
            }
        }
        for (idx, local) in self.r.locals.iter().enumerate() {
            let id = LocalId(idx as u32);
            let all_known = (0..2)
                .filter_map(|dim| self.declared_key(id, dim))
                .all(|key| self.known_at_entry(key));
            if local.role == Role::Local
                && local.ty.kind() == TyKind::Table
                && !local.ty.is_unsized()
                && all_known
            {
                self.loc = self.location(local.span, &[], false);
                self.make_table(id);
            }
        }
    }

    /// Ensures that a table with declared sizes, or the size of a slice, exists before it is used.
    pub(super) fn touch(&mut self, local: LocalId) {
        let declared = self.r.local(local);
        if declared.role != Role::Local || declared.ty.is_unsized() {
            return;
        }
        match declared.ty.kind() {
            TyKind::Table => self.make_table(local),
            TyKind::Slice | TyKind::Word => {
                if let Some(key) = self.declared_key(local, 0) {
                    self.size(key);
                }
            }
            TyKind::Int | TyKind::Bool | TyKind::Str | TyKind::Handle | TyKind::Error => {}
        }
    }

    pub(super) fn make_table(&mut self, local: LocalId) {
        if self.facts.contains(&Fact::Made(local)) {
            return;
        }
        let Some(rows) = self.declared_key(local, 0) else {
            return;
        };
        let columns = self.declared_key(local, 1);
        let table = self.local_var(local);
        let rows = self.checked_size(rows);
        match columns {
            Some(columns) => {
                let columns = self.checked_size(columns);
                self.emit(Simple::Size(SizeOp::Init { table, rows, columns }));
            }
            None => {
                self.emit(Simple::Size(SizeOp::SetRows { table, rows: SizeOperand::Value(rows) }));
            }
        }
        self.facts.insert(Fact::Made(local));
    }

    /// Returns a size that is known not to be negative.
    pub(super) fn checked_size(&mut self, key: SizeKey) -> Operand {
        let size = self.size(key);
        // All others were measured, or checked when computed.
        if let SizeKey::Int(local) = key
            && matches!(self.r.local(local).role, Role::Value | Role::Implicit)
            && self.facts.insert(Fact::NotNegative(local))
        {
            self.emit(Simple::Check(Check::NotNegative(size.clone())));
        }
        size
    }
}

/// Returns the size of a variable of this kind in a dimension: 0 the rows or the length, 1 the
/// columns.
pub(super) fn size_operand(kind: TyKind, var: VarId, dim: u8) -> SizeOperand {
    match (kind, dim) {
        (TyKind::Table, 0) => SizeOperand::Rows(var),
        (TyKind::Table, _) => SizeOperand::Columns(var),
        (
            TyKind::Slice
            | TyKind::Word
            | TyKind::Int
            | TyKind::Bool
            | TyKind::Str
            | TyKind::Handle
            | TyKind::Error,
            _,
        ) => SizeOperand::Length(var),
    }
}
