//! Fields of tables of records, and the agreement of record types in calls.

use star_ir::{Arg, Check, IntOp, Op, Operand, Simple, SizeOperand, Ty, Var, VarId};

use super::Lowerer;
use super::bits::Rvalue;
use super::header::size_operand;
use super::sizes::Exts;
use super::stmt::is_bit;
use crate::hir::{
    self, Expr, ExprKind, Field, LocalId, RecordArg, Role, RoutineId, SizeTerm, TyKind,
};

/// The columns of a field.
pub(super) struct Columns {
    pub(super) table: VarId,
    pub(super) base: Operand,
    pub(super) width: Operand,
}

/// A field that is passed by reference: the machine has no references to a part of a table, so the
/// callee changes a copy, which is stored after the call.
pub(super) struct FieldCopy {
    pub(super) var: VarId,
    kind: TyKind,
    columns: Columns,
}

impl Lowerer<'_> {
    /// Lowers the columns of a field, which the table contains.
    pub(super) fn columns(&mut self, field: &Field) -> Columns {
        let [base, width] = self.both(&field.base, &field.width);
        self.check_table(field.table);
        let table = self.place_var(field.table);
        Columns { table, base, width }
    }

    pub(super) fn check_columns(&mut self, columns: &Columns, limit: SizeOperand) {
        let Columns { base, width, .. } = columns;
        self.check(Check::Range { base: base.clone(), width: width.clone(), limit });
    }

    /// Checks that an index is in `1..limit`.
    pub(super) fn inside(&mut self, index: Operand, limit: Operand) -> Operand {
        let base = self.int_op(IntOp::Sub, index.clone(), Operand::Int(1));
        let limit = SizeOperand::Value(limit);
        self.check(Check::Range { base, width: Operand::Int(1), limit });
        index
    }

    /// Lowers `E.w` to a table. It is a view: reading it costs nothing.
    pub(super) fn field_value(&mut self, field: &Field, exts: Exts) -> Rvalue {
        let columns = self.columns(field);
        self.check_columns(&columns, SizeOperand::Columns(columns.table));
        let Columns { table, base, width } = columns;
        Rvalue { op: Op::Field { table, base, width }, size: SizeOperand::Rows(table), exts }
    }

    /// Lowers `E[i].w` to a word, with the cost of `TRIM(from,to,ROW(i,E))`.
    pub(super) fn cell_value(&mut self, row: &Expr, field: &Field, exts: Exts) -> Rvalue {
        let row = self.operand(row);
        let row = self.keep(row, TyKind::Int, field.base.effects);
        let columns = self.columns(field);
        let word = self.row_of(&columns, row);
        self.check_columns(&columns, SizeOperand::Length(word));
        self.count(2);
        let Columns { base, width, .. } = columns;
        let size = SizeOperand::Value(width.clone());
        Rvalue { op: Op::Trim { word, base, width }, size, exts }
    }

    /// Loads the row that contains a cell.
    fn row_of(&mut self, columns: &Columns, row: Operand) -> VarId {
        let table = columns.table;
        self.check(Check::Index(row.clone(), SizeOperand::Rows(table)));
        let word = self.temp(Ty::Word(star_ir::Extent::Dynamic));
        self.assign(word, Op::Row(table, row));
        word
    }

    /// Lowers `E.w := T`, with the cost of TCOPY2.
    pub(super) fn put_field(&mut self, field: &Field, value: &Expr) {
        self.must_fit(field.table.local, 0, value);
        let columns = self.columns(field);
        let value_var = self.bits(value, None);
        let is_same = matches!(value.kind, ExprKind::Var(of) if of.local == field.table.local);
        let value_var = self.keep_bits(value_var, value, is_same);
        self.flush_cost();
        let times = Some(SizeOperand::Value(columns.width.clone()));
        self.emit(Simple::Cost { units: 2, times });
        self.store_columns(&columns, value_var);
    }

    fn store_columns(&mut self, columns: &Columns, value: VarId) {
        let Columns { table, base, width } = columns;
        let (table, width) = (*table, SizeOperand::Value(width.clone()));
        self.check(Check::Size(SizeOperand::Columns(value), width));
        self.check(Check::Size(SizeOperand::Rows(table), SizeOperand::Rows(value)));
        self.check_columns(columns, SizeOperand::Columns(table));
        self.emit(Simple::PutField { table, base: base.clone(), value });
    }

    /// Lowers `E[i].w := value`, with the cost of a row that is loaded, changed and stored.
    pub(super) fn put_cell(&mut self, row: &Expr, field: &Field, value: &Expr) {
        let row = self.operand(row);
        let row = self.keep(row, TyKind::Int, field.base.effects || value.effects);
        let columns = self.columns(field);
        let width = columns.width.clone();
        if let (TyKind::Int, Operand::Int(1)) = (value.ty, &width) {
            return self.put_bit(columns, row, value);
        }
        let part = if value.ty == TyKind::Word {
            let part = self.bits(value, None);
            let wanted = SizeOperand::Value(width);
            self.check(Check::Size(SizeOperand::Length(part), wanted));
            part
        } else {
            let value = self.operand(value);
            self.check(Check::Fits { value: value.clone(), width: width.clone() });
            let part = self.temp(Ty::Word(star_ir::Extent::Dynamic));
            self.assign(part, Op::IntToWord { value, width });
            part
        };
        let word = self.row_of(&columns, row.clone());
        self.check_columns(&columns, SizeOperand::Length(word));
        self.count(3);
        let Columns { table, base, .. } = columns;
        self.emit(Simple::Replace { word, base, value: part });
        self.emit(Simple::PutRow { table, index: row, value: word });
    }

    /// Lowers `E[i].alive := value`.
    fn put_bit(&mut self, columns: Columns, row: Operand, value: &Expr) {
        let bit = self.operand(value);
        let Columns { table, base, width } = columns;
        let column = self.int_op(IntOp::Add, base, Operand::Int(1));
        self.check(Check::Index(row.clone(), SizeOperand::Rows(table)));
        self.check(Check::Index(column.clone(), SizeOperand::Columns(table)));
        if !is_bit(value) {
            self.check(Check::Fits { value: bit.clone(), width });
        }
        self.count(1);
        self.emit(Simple::PutBit { table, row, column, bit });
    }

    /// Copies a field that is passed by reference.
    pub(super) fn copy_field(&mut self, field: &Field, kind: TyKind) -> FieldCopy {
        let columns = self.columns(field);
        let table = columns.table;
        self.check_columns(&columns, SizeOperand::Columns(table));
        let dynamic = star_ir::Extent::Dynamic;
        let (ty, op) = match kind {
            TyKind::Slice => {
                let column = self.int_op(IntOp::Add, columns.base.clone(), Operand::Int(1));
                self.check(Check::Index(column.clone(), SizeOperand::Columns(table)));
                (Ty::Slice(dynamic), Op::Column(table, column))
            }
            TyKind::Table
            | TyKind::Word
            | TyKind::Int
            | TyKind::Bool
            | TyKind::Str
            | TyKind::Handle
            | TyKind::Error => {
                let (base, width) = (columns.base.clone(), columns.width.clone());
                (Ty::Table(dynamic, dynamic), Op::Field { table, base, width })
            }
        };
        let name = match self.output {
            super::Output::Kept => {
                self.n_temps += 1;
                self.n_temps.to_string()
            }
            super::Output::Dropped => String::new(),
        };
        // A field keeps its size, like a variable with a declared one.
        let var = self.add_var(Var { name, ty, source: None, sized: true });
        self.assign(var, op);
        FieldCopy { var, kind, columns }
    }

    /// Stores a field that was passed by reference. Passing costs nothing.
    pub(super) fn store_copy(&mut self, copy: FieldCopy, is_set: bool) {
        let FieldCopy { var, kind, columns } = copy;
        if !is_set {
            self.check(Check::Set(var));
        }
        if kind != TyKind::Slice {
            self.store_columns(&columns, var);
            return;
        }
        let table = columns.table;
        let column = self.int_op(IntOp::Add, columns.base, Operand::Int(1));
        self.check(Check::Index(column.clone(), SizeOperand::Columns(table)));
        self.check(Check::Size(SizeOperand::Rows(table), SizeOperand::Length(var)));
        self.emit(Simple::PutColumn { table, index: column, value: var });
    }

    /// Checks that the arguments of record types agree with the header of a callee: tables of equal
    /// width may have different fields.
    pub(super) fn records_must_agree(
        &mut self,
        callee: RoutineId,
        args: &[hir::Arg],
        lowered: &[Arg],
    ) {
        let routine = self.program.routine(callee);
        let mut checked: Vec<(Operand, Operand)> = Vec::new();
        for (&param, arg) in routine.params.iter().zip(args) {
            let place = match arg {
                hir::Arg::Ref(place) => Some(*place),
                hir::Arg::Value(value) => value.as_var(),
                hir::Arg::Field(..) => None,
            };
            let Some(wanted) = &routine.local(param).record else { continue };
            let r = self.r;
            let given = place.and_then(|place| r.local(place.local).record.as_deref());
            let Some(given) = given else { continue };
            for (&wanted, &given) in wanted.args.iter().zip(&given.args) {
                let given = match given {
                    RecordArg::Number(number) => Operand::Int(number),
                    RecordArg::Var(local) => Operand::Var(self.local_var(local)),
                };
                let Some(wanted) = self.callee_number(routine, wanted, lowered) else { continue };
                if given == wanted || checked.contains(&(given.clone(), wanted.clone())) {
                    continue;
                }
                let sides = [&given, &wanted].map(|side| SizeOperand::Value(side.clone()));
                checked.push((given, wanted));
                let [given, wanted] = sides;
                self.check(Check::Size(given, wanted));
            }
        }
    }

    /// Returns the value that an argument of a record type will have in a callee.
    fn callee_number(
        &mut self,
        routine: &hir::Routine,
        arg: RecordArg,
        lowered: &[Arg],
    ) -> Option<Operand> {
        let name = match arg {
            RecordArg::Number(number) => return Some(Operand::Int(number)),
            RecordArg::Var(local) => local,
        };
        let argument = |idx: usize| lowered.get(idx);
        if let Some(idx) = routine.params.iter().position(|&param| param == name) {
            return match argument(idx)? {
                Arg::Value(operand) => Some(operand.clone()),
                Arg::Move(var) | Arg::Ref(var) => Some(Operand::Var(*var)),
            };
        }
        // A size that the header measures.
        let binds = |param: LocalId| {
            (0..2).find(|&dim| {
                super::sizes::declared_size(routine, param, dim).is_some_and(
                    |size| matches!(size.as_size(), SizeTerm::Int(of) if of.local == name),
                )
            })
        };
        let is_value = |param: &LocalId| routine.local(*param).role == Role::Value;
        let all = || routine.params.iter().enumerate();
        let binder = all()
            .find(|(_, param)| is_value(param) && binds(**param).is_some())
            .or_else(|| all().find(|(_, param)| binds(**param).is_some()));
        let (idx, &param) = binder?;
        let var = match argument(idx)? {
            Arg::Value(Operand::Var(var)) | Arg::Move(var) | Arg::Ref(var) => *var,
            Arg::Value(_) => return None,
        };
        let measure = size_operand(routine.local(param).ty.kind(), var, binds(param)?);
        match measure {
            SizeOperand::Length(var) => self.check(Check::Sized(var)),
            SizeOperand::Rows(var) | SizeOperand::Columns(var) => self.check(Check::Set(var)),
            SizeOperand::Value(_) => {}
        }
        Some(self.measured(measure))
    }
}
