//! Symbolic sizes: the size of a web, and the SIR variable that holds it.

use star_ir::{Check, Extent, Op, Operand, Simple, SizeOp, SizeOperand, Ty, VarId};

use super::poly::{Poly, Single};
use super::shape::{Bits, Shape, shape};
use super::{Fact, Lowerer};
use crate::hir::{self, Expr, ExprKind, LocalId, Role, Routine, SizeTerm, TyKind};

/// A size that is constant while the routine runs, once known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SizeKey {
    /// A number.
    Const(u64),
    /// The value of an integer that is never assigned.
    Int(LocalId),
    /// The number of rows of a table that is never assigned as a whole.
    Rows(LocalId),
    /// The number of columns of a table that is never assigned as a whole and does not grow.
    Cols(LocalId),
    /// The number of components of a value argument.
    Length(LocalId),
    /// The declared size of a variable: its only size or rows (0), or columns (1).
    Declared(LocalId, u8),
}

/// The knowledge about a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ext {
    /// Nothing has been assigned yet.
    Unknown,
    /// Equal to this size.
    Known(SizeKey),
    /// Different between assignments.
    Dynamic,
}

impl Ext {
    pub(super) fn join(self, other: Ext) -> Ext {
        match (self, other) {
            (Ext::Unknown, ext) | (ext, Ext::Unknown) => ext,
            (Ext::Known(a), Ext::Known(b)) if a == b => self,
            (Ext::Known(_) | Ext::Dynamic, Ext::Known(_) | Ext::Dynamic) => Ext::Dynamic,
        }
    }

    /// Returns whether two sizes are definitely equal.
    pub(super) fn same(self, other: Ext) -> bool {
        matches!((self, other), (Ext::Known(a), Ext::Known(b)) if a == b)
    }
}

/// The sizes of a web: length and `Unknown`, or rows and columns.
pub(super) type Exts = (Ext, Ext);

impl Lowerer<'_> {
    /// Returns the size given by a declaration: of bits, or the rows (0) or columns (1) of a table.
    pub(super) fn declared_key(&self, local: LocalId, dim: u8) -> Option<SizeKey> {
        // Declarations with circular references end at `Declared`.
        self.declared_key_within(local, dim, self.r.locals.len())
    }

    fn declared_key_within(&self, local: LocalId, dim: u8, fuel: usize) -> Option<SizeKey> {
        let size = declared_size(self.r, local, dim)?;
        let declared = SizeKey::Declared(local, dim);
        if fuel == 0 {
            return Some(declared);
        }
        let within = |place: hir::VarUse, dim| self.declared_key_within(place.local, dim, fuel - 1);
        let effects = |place: hir::VarUse| self.effects(place.local);
        Some(match size.as_size() {
            SizeTerm::Number(value) => u64::try_from(value).map_or(declared, SizeKey::Const),
            SizeTerm::Int(place) if self.is_fixed_int(place.local) => SizeKey::Int(place.local),
            SizeTerm::Rows(place) => match within(place, 0) {
                Some(key) => key,
                None if !effects(place).replaced => SizeKey::Rows(place.local),
                None => declared,
            },
            SizeTerm::Columns(place) => match within(place, 1) {
                Some(key) => key,
                None if !effects(place).replaced && !effects(place).grown => {
                    self.kept_columns(place.local)
                }
                None => declared,
            },
            SizeTerm::Length(place) => within(place, 0).unwrap_or(declared),
            SizeTerm::Int(_) | SizeTerm::Computed => declared,
        })
    }

    fn is_fixed_int(&self, local: LocalId) -> bool {
        let declared = self.r.local(local);
        declared.ty.kind() == TyKind::Int
            && match declared.role {
                Role::Binding | Role::Implicit => true,
                Role::Value => !self.effects(local).written,
                Role::Ref | Role::Local | Role::Result => false,
            }
    }

    /// Returns the number of columns of a table that is neither replaced nor grown. A variable with
    /// declared rows begins without columns.
    fn kept_columns(&self, local: LocalId) -> SizeKey {
        let begins_empty =
            self.r.local(local).role == Role::Local && declared_size(self.r, local, 0).is_some();
        if begins_empty { SizeKey::Const(0) } else { SizeKey::Cols(local) }
    }

    /// Returns whether the size is known when the routine begins.
    pub(super) fn known_at_entry(&self, key: SizeKey) -> bool {
        match key {
            SizeKey::Const(_) | SizeKey::Int(_) | SizeKey::Length(_) => true,
            SizeKey::Rows(local) | SizeKey::Cols(local) => self.r.local(local).role == Role::Value,
            SizeKey::Declared(local, dim) => {
                declared_size(self.r, local, dim).is_some_and(|size| self.evaluable_at_entry(size))
            }
        }
    }

    fn evaluable_at_entry(&self, expr: &Expr) -> bool {
        let mut known = true;
        crate::visit::uses_of_expr(expr, &mut |place| {
            let role = self.r.local(place.local).role;
            known &= matches!(role, Role::Value | Role::Binding | Role::Implicit);
        });
        known
    }

    /// Returns the integer variable that holds a size that is not constant.
    pub(super) fn size_var(&mut self, key: SizeKey) -> VarId {
        if let Some(&var) = self.size_vars.get(&key) {
            return var;
        }
        let name = |local: LocalId, what: &str| format!("{}.{what}", self.r.local(local).name);
        let name = match key {
            SizeKey::Const(n) => format!("const.{n}"),
            SizeKey::Int(local) => {
                let var = self.local_var(local);
                self.size_vars.insert(key, var);
                return var;
            }
            SizeKey::Rows(local) => name(local, "rows"),
            SizeKey::Cols(local) => name(local, "columns"),
            SizeKey::Length(local) => name(local, "length"),
            SizeKey::Declared(local, 0) => name(local, "size"),
            SizeKey::Declared(local, _) => name(local, "width"),
        };
        let var = self.new_var(&name, Ty::Int, None, false);
        self.size_vars.insert(key, var);
        var
    }

    pub(super) fn extent(&mut self, ext: Ext) -> Extent {
        match ext {
            Ext::Known(SizeKey::Const(n)) => Extent::Const(n),
            Ext::Known(key) => Extent::Var(self.size_var(key)),
            Ext::Unknown | Ext::Dynamic => Extent::Dynamic,
        }
    }

    /// Returns the size as an operand; emits its evaluation unless that was done on every path
    /// here.
    pub(super) fn size(&mut self, key: SizeKey) -> Operand {
        if let SizeKey::Const(n) = key {
            return Operand::Int(n as i64);
        }
        let var = self.size_var(key);
        if !self.facts.contains(&Fact::Size(key)) {
            self.find_size(key, var);
            self.facts.insert(Fact::Size(key));
        }
        Operand::Var(var)
    }

    fn find_size(&mut self, key: SizeKey, var: VarId) {
        match key {
            SizeKey::Const(_) | SizeKey::Int(_) => {}
            SizeKey::Rows(local) => self.find_table_size(var, local, Op::Rows, SizeOperand::Rows),
            SizeKey::Cols(local) => {
                self.find_table_size(var, local, Op::Columns, SizeOperand::Columns);
            }
            SizeKey::Length(local) => {
                let bits = self.local_var(local);
                self.assign(var, Op::Length(bits));
            }
            SizeKey::Declared(local, dim) => {
                let at_entry = self.known_at_entry(key);
                let Some(size) = declared_size(self.r, local, dim) else {
                    return self.fault("a declared size without a declaration");
                };
                let loc = self.loc;
                self.loc = self.expr_loc(size);
                let value = self.size_operand(size);
                self.emit(Simple::Check(Check::NotNegative(value.clone())));
                if at_entry {
                    self.assign(var, Op::Copy(value));
                } else {
                    self.emit(Simple::Size(SizeOp::Latch {
                        dst: var,
                        size: SizeOperand::Value(value),
                    }));
                }
                self.loc = loc;
            }
        }
    }

    /// Sets `var` to the rows or columns of a table.
    fn find_table_size(
        &mut self,
        var: VarId,
        local: LocalId,
        op: fn(VarId) -> Op,
        size: fn(VarId) -> SizeOperand,
    ) {
        let table = self.local_var(local);
        if self.r.local(local).role == Role::Value {
            self.assign(var, op(table));
        } else {
            self.check_set_var(local, table);
            self.emit(Simple::Size(SizeOp::Latch { dst: var, size: size(table) }));
        }
    }

    /// Lowers a size expression. Its variables are looked up directly, because sizes are not
    /// mentions in a web.
    fn size_operand(&mut self, expr: &Expr) -> Operand {
        let in_size = std::mem::replace(&mut self.in_size, true);
        let operand = self.operand(expr);
        self.in_size = in_size;
        operand
    }

    /// Returns the sizes of a variable that is not split, as given by its declaration or role.
    pub(super) fn own_exts(&self, local: LocalId) -> Exts {
        let effects = self.effects(local);
        let declared = self.r.local(local);
        let known = |dim| self.declared_key(local, dim).map(Ext::Known);
        match declared.ty.kind() {
            TyKind::Table => {
                let rows = match known(0) {
                    Some(rows) => rows,
                    None if !effects.replaced => Ext::Known(SizeKey::Rows(local)),
                    None => Ext::Dynamic,
                };
                let columns = match known(1) {
                    Some(columns) => columns,
                    None if !effects.replaced && !effects.grown => {
                        Ext::Known(self.kept_columns(local))
                    }
                    None => Ext::Dynamic,
                };
                (rows, columns)
            }
            TyKind::Slice | TyKind::Word => (known(0).unwrap_or(Ext::Dynamic), Ext::Unknown),
            TyKind::Int | TyKind::Bool | TyKind::Str | TyKind::Handle | TyKind::Error => {
                (Ext::Unknown, Ext::Unknown)
            }
        }
    }

    /// Infers the sizes of all webs: those on which all definitions of a web agree.
    pub(super) fn infer_exts(&mut self) {
        let n_webs = self.webs.web_local.len();
        self.web_exts = vec![(Ext::Unknown, Ext::Unknown); n_webs];
        for web in 0..n_webs {
            let local = self.webs.web_local[web];
            if !self.webs.is_split(local) {
                self.web_exts[web] = self.own_exts(local);
            }
        }
        for &param in &self.r.params {
            let web = self.webs.entry_web(param) as usize;
            if self.r.local(param).role == Role::Value && self.webs.is_split(param) {
                self.web_exts[web] = match self.r.local(param).ty.kind().is_bits() {
                    true => (Ext::Known(SizeKey::Length(param)), Ext::Unknown),
                    false => self.own_exts(param),
                };
            }
        }
        let routine = self.r;
        loop {
            let mut changed = false;
            crate::visit::any_stmt(&routine.body, &mut |stmt| {
                changed |= self.infer_stmt(stmt);
                false
            });
            if !changed {
                return;
            }
        }
    }

    fn infer_stmt(&mut self, stmt: &hir::Stmt) -> bool {
        let mut changed = false;
        match &stmt.kind {
            hir::StmtKind::Assign(hir::Target::Var(place), value) => {
                let exts = self.exts_of(value);
                changed |= self.widen(*place, exts);
            }
            hir::StmtKind::Assign(hir::Target::Col(_, place), value) => {
                let rows = self.exts_of(value).0;
                changed |= self.widen(*place, (rows, Ext::Dynamic));
            }
            hir::StmtKind::Read(place, ..) => {
                changed |= self.widen(*place, (Ext::Dynamic, Ext::Dynamic))
            }
            hir::StmtKind::Call(callee, args) => changed |= self.infer_call(*callee, args),
            hir::StmtKind::Assign(
                hir::Target::Component(..)
                | hir::Target::Bit(..)
                | hir::Target::Row(..)
                | hir::Target::Part(..)
                | hir::Target::Field(_)
                | hir::Target::Numbers(_)
                | hir::Target::Cell(..),
                _,
            )
            | hir::StmtKind::Fill(..)
            | hir::StmtKind::KeepFirst(_)
            | hir::StmtKind::Step(_)
            | hir::StmtKind::Replace { .. }
            | hir::StmtKind::Print(_)
            | hir::StmtKind::Write(..)
            | hir::StmtKind::Assert(..)
            | hir::StmtKind::Block(_)
            | hir::StmtKind::If(..)
            | hir::StmtKind::While(..)
            | hir::StmtKind::Repeat(..)
            | hir::StmtKind::For { .. }
            | hir::StmtKind::Foreach { .. }
            | hir::StmtKind::Forget(_)
            | hir::StmtKind::Exit
            | hir::StmtKind::Break
            | hir::StmtKind::Continue => {}
        }
        crate::visit::any_expr_of(stmt, &mut |expr| {
            changed |= match &expr.kind {
                ExprKind::Call(callee, args) => self.infer_args(*callee, args),
                ExprKind::Result(result) => self.infer_call(result.callee, &result.args),
                _ => false,
            };
            false
        });
        changed
    }

    /// Adds what a call defines to the webs of the variables that it is passed.
    fn infer_call(&mut self, callee: hir::RoutineId, args: &[hir::Arg]) -> bool {
        let mut changed = false;
        match (self.machine_op(callee), args) {
            (
                Some(hir::MachineOp::Min | hir::MachineOp::Max),
                [_, hir::Arg::Value(mask), hir::Arg::Ref(to)],
            ) => {
                let exts = self.exts_of(mask);
                changed |= self.widen(*to, exts);
            }
            (
                Some(hir::MachineOp::LoadField),
                [hir::Arg::Value(table), _, hir::Arg::Value(width), hir::Arg::Ref(to)],
            ) => {
                let rows = self.exts_of(table).0;
                let exts = (rows, self.int_ext(width));
                changed |= self.widen(*to, exts);
            }
            (Some(hir::MachineOp::StoreField), [hir::Arg::Value(value), .., hir::Arg::Ref(to)]) => {
                let rows = self.exts_of(value).0;
                changed |= self.widen(*to, (rows, Ext::Dynamic));
            }
            (Some(_) | None, _) => changed |= self.infer_args(callee, args),
        }
        changed
    }

    fn infer_args(&mut self, callee: hir::RoutineId, args: &[hir::Arg]) -> bool {
        let mut changed = false;
        let params = &self.program.routine(callee).params;
        for (&inner, arg) in params.iter().zip(args) {
            let hir::Arg::Ref(place) = arg else { continue };
            let effects = self.summaries.effects(callee, inner);
            // A callee may give a table its rows.
            let any_rows = effects.replaced || self.webs.maybe_unset(place.site);
            let rows = if any_rows { Ext::Dynamic } else { Ext::Unknown };
            let is_table = self.r.local(place.local).ty.kind() == TyKind::Table;
            let exts = if is_table {
                (rows, Ext::Dynamic)
            } else {
                (self.returned_size(callee, inner, args), Ext::Unknown)
            };
            changed |= self.widen(*place, exts);
        }
        changed
    }

    /// Returns the size that a slice or word has after it was passed for a `var` parameter: that of
    /// the value argument with the same size in the header, as in `Z: slice(n)` next to
    /// `T: table(n,k)`.
    pub(super) fn returned_size(
        &self,
        callee: hir::RoutineId,
        param: LocalId,
        args: &[hir::Arg],
    ) -> Ext {
        let routine = self.program.routine(callee);
        let Some(bound) = bound_size(routine, param, 0) else { return Ext::Dynamic };
        let values = routine.params.iter().zip(args).filter_map(|(&param, arg)| match arg {
            hir::Arg::Value(value) => Some((param, value)),
            hir::Arg::Ref(_) | hir::Arg::Field(..) => None,
        });
        for (param, value) in values {
            let (first, second) = self.exts_of(value);
            for (dim, ext) in [(0, first), (1, second)] {
                if bound_size(routine, param, dim) == Some(bound) {
                    return ext;
                }
            }
        }
        Ext::Dynamic
    }

    /// Adds a definition with these sizes to the web of `place`. Sizes of variables that are not
    /// split are known beforehand.
    fn widen(&mut self, place: hir::VarUse, exts: Exts) -> bool {
        // Nothing to widen in unreachable code, or where sizes are known beforehand.
        let Some(web) = self.webs.web(place.site).filter(|_| self.webs.is_split(place.local))
        else {
            return false;
        };
        let web = web as usize;
        let before = self.web_exts[web];
        let after = (before.0.join(exts.0), before.1.join(exts.1));
        self.web_exts[web] = after;
        before != after
    }

    /// Returns the sizes of the value of an expression.
    pub(super) fn exts_of(&self, expr: &Expr) -> Exts {
        let bits = |ext| (ext, Ext::Unknown);
        match &expr.kind {
            ExprKind::Bits(value) => bits(Ext::Known(SizeKey::Const(value.len() as u64))),
            ExprKind::Var(place) => self.place_exts(*place),
            ExprKind::Chain(first, links) => std::iter::once(&**first)
                .chain(links.iter().map(|(_, operand)| operand))
                .map(|operand| self.exts_of(operand))
                .find(|exts| matches!(exts.0, Ext::Known(_)))
                .unwrap_or_else(|| self.exts_of(first)),
            ExprKind::BitsNot(operand) | ExprKind::Shift(operand, ..) => self.exts_of(operand),
            ExprKind::Col(_, place) => bits(self.place_exts(*place).0),
            ExprKind::Row(_, place) => bits(self.place_exts(*place).1),
            ExprKind::Part(..) => (Ext::Dynamic, Ext::Dynamic),
            ExprKind::Field(field) => {
                (self.place_exts(field.table).0, self.columns_ext(&field.width))
            }
            ExprKind::Cell(_, field) => bits(self.columns_ext(&field.width)),
            ExprKind::Ones(size) => bits(match size.kind {
                ExprKind::NRows(place) => self.place_exts(place).0,
                _ => self.columns_ext(size),
            }),
            ExprKind::Numbers(column) => (self.column_rows(column), Ext::Dynamic),
            ExprKind::Relation(_, column) => bits(self.column_rows(column)),
            ExprKind::Result(result) => self.place_exts(result.value),
            ExprKind::Builtin(builtin, args) => match (shape(*builtin), &args[..]) {
                (Shape::Bits(Bits::Trim), [from, to, _]) => bits(self.width_ext(from, to)),
                (Shape::Bits(Bits::FromInt), [_, width]) => bits(self.int_ext(width)),
                (Shape::Bits(_), [operand, ..]) => self.exts_of(operand),
                (Shape::Bits(_) | Shape::Scalar(_) | Shape::Other, _) => bits(Ext::Unknown),
            },
            ExprKind::Error
            | ExprKind::Int(_)
            | ExprKind::Bool(_)
            | ExprKind::Str(_)
            | ExprKind::Theta
            | ExprKind::Neg(_)
            | ExprKind::Compare(..)
            | ExprKind::BoolDiffers(..)
            | ExprKind::Not(_)
            | ExprKind::BitsEqual(..)
            | ExprKind::Component(..)
            | ExprKind::Bit(..)
            | ExprKind::Inside(..)
            | ExprKind::Step(_)
            | ExprKind::NCols(_)
            | ExprKind::NRows(_)
            | ExprKind::Call(..) => bits(Ext::Unknown),
        }
    }

    pub(super) fn place_exts(&self, place: hir::VarUse) -> Exts {
        match self.webs.web(place.site).filter(|_| self.webs.is_split(place.local)) {
            Some(web) => self.web_exts[web as usize],
            None => self.own_exts(place.local),
        }
    }

    /// Returns the size denoted by an integer expression.
    fn int_ext(&self, expr: &Expr) -> Ext {
        match &expr.kind {
            ExprKind::Int(value) => {
                u64::try_from(*value).map_or(Ext::Dynamic, |n| Ext::Known(SizeKey::Const(n)))
            }
            ExprKind::Var(place) if self.is_fixed_int(place.local) => {
                Ext::Known(SizeKey::Int(place.local))
            }
            ExprKind::Error
            | ExprKind::Bool(_)
            | ExprKind::Str(_)
            | ExprKind::Bits(_)
            | ExprKind::Theta
            | ExprKind::Var(_)
            | ExprKind::Chain(..)
            | ExprKind::Neg(_)
            | ExprKind::Compare(..)
            | ExprKind::BoolDiffers(..)
            | ExprKind::Not(_)
            | ExprKind::BitsNot(_)
            | ExprKind::BitsEqual(..)
            | ExprKind::Component(..)
            | ExprKind::Bit(..)
            | ExprKind::Part(..)
            | ExprKind::Field(_)
            | ExprKind::Cell(..)
            | ExprKind::Inside(..)
            | ExprKind::Ones(_)
            | ExprKind::Numbers(_)
            | ExprKind::Relation(..)
            | ExprKind::Result(_)
            | ExprKind::Step(_)
            | ExprKind::Shift(..)
            | ExprKind::Col(..)
            | ExprKind::Row(..)
            | ExprKind::NCols(_)
            | ExprKind::NRows(_)
            | ExprKind::Builtin(..)
            | ExprKind::Call(..) => Ext::Dynamic,
        }
    }

    /// Returns the size `to − from + 1`, if it is a constant or one variable: `TRIM((j-1)*h+1, j*h,
    /// w)` has h components.
    pub(super) fn width_ext(&self, from: &Expr, to: &Expr) -> Ext {
        self.single_ext(Poly::of(to).minus(&Poly::of(from)).plus_const(1))
    }

    /// Returns the number of columns of a field, if it is a constant or one variable.
    fn columns_ext(&self, width: &Expr) -> Ext {
        self.single_ext(Poly::of(width))
    }

    fn single_ext(&self, width: Poly) -> Ext {
        match width.single() {
            Some(Single::Const(n)) => {
                u64::try_from(n).map_or(Ext::Dynamic, |n| Ext::Known(SizeKey::Const(n)))
            }
            Some(Single::Local(local)) if self.is_fixed_int(local) => {
                Ext::Known(SizeKey::Int(local))
            }
            Some(Single::Local(_)) | None => Ext::Dynamic,
        }
    }
}

/// Returns the size expression of a declaration: of bits, or the rows (0) or columns (1) of a
/// table.
pub(super) fn declared_size(routine: &Routine, local: LocalId, dim: u8) -> Option<&Expr> {
    match (&routine.local(local).ty, dim) {
        (hir::Ty::Slice(size) | hir::Ty::Word(size) | hir::Ty::Table(size, _), 0) => {
            size.as_deref()
        }
        (hir::Ty::Table(_, size), _) => size.as_deref(),
        (hir::Ty::Slice(_) | hir::Ty::Word(_), _)
        | (hir::Ty::Int | hir::Ty::Bool | hir::Ty::Str | hir::Ty::Handle, _) => None,
    }
}

/// Returns the name that a header binds to a size of a parameter.
pub(super) fn bound_size(routine: &Routine, param: LocalId, dim: u8) -> Option<LocalId> {
    match declared_size(routine, param, dim)?.as_size() {
        SizeTerm::Int(place) => {
            (routine.local(place.local).role == Role::Binding).then_some(place.local)
        }
        SizeTerm::Number(_)
        | SizeTerm::Rows(_)
        | SizeTerm::Columns(_)
        | SizeTerm::Length(_)
        | SizeTerm::Computed => None,
    }
}
