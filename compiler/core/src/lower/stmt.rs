//! Statements.

use star_base::Builtin;
use star_ir::{Check, Op, Operand, PrintItem, Simple, SizeOp, SizeOperand, StmtKind, Ty};

use super::bits::Rvalue;
use super::sizes::{Ext, Exts};
use super::{Jump, Lowerer};
use crate::hir::{self, Expr, ExprKind, Stmt, Target, TyKind, VarUse};

impl Lowerer<'_> {
    /// Lowers statements in order. Returns whether control continues after the last one;
    /// unreachable ones are not lowered.
    pub(super) fn stmts(&mut self, body: &[Stmt]) -> bool {
        body.iter().all(|stmt| self.stmt(stmt))
    }

    /// Emits the end of a routine.
    pub(super) fn leave(&mut self) {
        if self.webs.result_maybe_unset
            && let Some(result) = self.r.result
        {
            let var = self.local_var(result);
            let outer = self.loc;
            self.loc = self.location(self.r.name_span, &[], false);
            self.check(Check::Result(var));
            self.loc = outer;
        }
    }

    fn stmt(&mut self, stmt: &Stmt) -> bool {
        let (outer, n_locations) = (self.loc, self.locations.len());
        self.loc = self.stmt_loc(stmt);
        let falls_through = self.stmt_here(stmt);
        if self.options.by_statement {
            self.flush_cost();
        }
        self.loc = outer;
        self.emitted(n_locations);
        falls_through
    }

    fn stmt_here(&mut self, stmt: &Stmt) -> bool {
        match &stmt.kind {
            hir::StmtKind::Assign(target, value) => self.assignment(target, value),
            hir::StmtKind::Fill(place, bit) => self.fill(*place, *bit),
            hir::StmtKind::KeepFirst(place) => {
                self.check_set(*place);
                let var = self.place_var(*place);
                self.count(Builtin::Frst.cost());
                self.assign(var, Op::KeepFirst(var));
            }
            hir::StmtKind::Step(place) => {
                let unused = self.temp(Ty::Int);
                self.step(unused, *place);
            }
            hir::StmtKind::Replace { from, to, value, word } => {
                let (from_op, to_op) = self.ends(from, to, value.effects);
                let value = self.bits(value, None);
                self.check_set(*word);
                let var = self.place_var(*word);
                let whole = SizeOperand::Length(var);
                let width = self.width_ext(from, to);
                let (base, width) = self.base_and_width(from_op, to_op, width, whole);
                self.check(Check::Size(SizeOperand::Length(value), SizeOperand::Value(width)));
                self.count(Builtin::Rep.cost());
                self.emit(Simple::Replace { word: var, base, value });
            }
            hir::StmtKind::Call(callee, args) => self.call(*callee, args, None),
            hir::StmtKind::Print(items) => self.print(items),
            hir::StmtKind::Read(place, file, layout) => {
                let file = self.operand(file);
                let layout = layout.as_ref().map(|layout| self.operand(layout));
                self.read(*place, file, layout);
            }
            hir::StmtKind::Write(place, file) => {
                self.check_table(*place);
                let src = self.place_var(*place);
                let file = self.operand(file);
                self.flush_cost();
                self.emit(Simple::Write { src, file });
            }
            hir::StmtKind::Assert(test, message) => {
                let test = self.operand(test);
                let message = match message {
                    Some(message) => self.operand(message),
                    None => Operand::Str("".into()),
                };
                self.check(Check::Assert(test, message));
            }
            hir::StmtKind::Block(body) => return self.stmts(body),
            hir::StmtKind::If(arms, otherwise) => return self.choice(arms, otherwise),
            hir::StmtKind::While(test, body) => self.while_loop(test, body),
            hir::StmtKind::Repeat(body, until) => return self.repeat_loop(body, until),
            hir::StmtKind::For { var, from, to, down, body } => {
                let [from, to] = self.both(from, to);
                let var = self.place_var(*var);
                let label = self.label();
                self.forget_set();
                let body = self.loop_body(label, Jump::Continue(label), body);
                self.emit(StmtKind::For { label, var, from, to, down: *down, body });
            }
            hir::StmtKind::Foreach { var, over, body } => self.foreach_loop(*var, over, body),
            hir::StmtKind::Forget(_) => {}
            hir::StmtKind::Exit => {
                self.leave();
                self.flush_cost();
                self.emit(StmtKind::Exit);
                return false;
            }
            hir::StmtKind::Break => {
                self.flush_cost();
                match self.loops.last_mut() {
                    Some(labels) => {
                        labels.broken = true;
                        let label = labels.on_break;
                        self.emit(StmtKind::Break(label));
                    }
                    None => self.fault("`break` outside a loop"),
                }
                return false;
            }
            hir::StmtKind::Continue => {
                self.flush_cost();
                match self.loops.last_mut() {
                    Some(labels) => {
                        labels.continued = true;
                        let kind = match labels.on_continue {
                            Jump::Break(label) => StmtKind::Break(label),
                            Jump::Continue(label) => StmtKind::Continue(label),
                        };
                        self.emit(kind);
                    }
                    None => self.fault("`continue` outside a loop"),
                }
                return false;
            }
        }
        true
    }

    // ---- stores ----

    fn assignment(&mut self, target: &Target, value: &Expr) {
        match target {
            Target::Var(place) => self.assign_variable(*place, value),
            Target::Component(place, index) => {
                let index = self.operand(index);
                let index = self.keep(index, TyKind::Int, value.effects);
                let bit = self.operand(value);
                self.touch(place.local);
                self.check_set(*place);
                let bits = self.place_var(*place);
                self.check(Check::Index(index.clone(), SizeOperand::Length(bits)));
                self.check_bit(&bit, value);
                self.count(1);
                self.emit(Simple::Put { bits, index, bit });
            }
            Target::Bit(place, row, column) => {
                let [row, column] = self.both(row, column);
                let row = self.keep(row, TyKind::Int, value.effects);
                let column = self.keep(column, TyKind::Int, value.effects);
                let bit = self.operand(value);
                self.must_have_rows(*place);
                self.check_table(*place);
                let table = self.place_var(*place);
                self.check(Check::Index(row.clone(), SizeOperand::Rows(table)));
                self.check(Check::Index(column.clone(), SizeOperand::Columns(table)));
                self.check_bit(&bit, value);
                self.count(1);
                self.emit(Simple::PutBit { table, row, column, bit });
            }
            Target::Field(field) => self.put_field(field, value),
            Target::Numbers(target) => self.put_numbers(target, value),
            Target::Cell(row, field) => self.put_cell(row, field, value),
            Target::Part(place, part) => {
                let value = self.bits(value, None);
                self.touch(place.local);
                let handle = self.place_var(*place);
                self.emit(Simple::PutHandlePart { handle, part: (**part).clone(), value });
            }
            Target::Col(index, place) => {
                let index = self.operand(index);
                let index = self.keep(index, TyKind::Int, value.effects);
                self.touch(place.local);
                let table = self.place_var(*place);
                if value.is_sizeless() {
                    self.check_table(*place);
                }
                self.must_fit(place.local, 0, value);
                let slice = self.bits(value, Some(SizeOperand::Rows(table)));
                let grows = self.declared_key(place.local, 1).is_none();
                match grows {
                    true => self.check(Check::NewColumn(table, index.clone())),
                    false => self.check(Check::Index(index.clone(), SizeOperand::Columns(table))),
                }
                if self.webs.maybe_unset(place.site) {
                    let rows = SizeOperand::Length(slice);
                    self.emit(Simple::Size(SizeOp::SetRows { table, rows }));
                }
                if !self.place_exts(*place).0.same(self.exts_of(value).0) {
                    self.check(Check::Size(SizeOperand::Rows(table), SizeOperand::Length(slice)));
                }
                if grows {
                    let columns = SizeOperand::Value(index.clone());
                    self.emit(Simple::Size(SizeOp::EnsureColumns { table, columns }));
                }
                self.count(1);
                self.emit(Simple::PutColumn { table, index, value: slice });
            }
            Target::Row(index, place) => {
                let index = self.operand(index);
                let index = self.keep(index, TyKind::Int, value.effects);
                self.touch(place.local);
                let table = self.place_var(*place);
                if value.is_sizeless() {
                    self.check_table(*place);
                }
                self.must_have_rows(*place);
                self.must_fit(place.local, 1, value);
                let word = self.bits(value, Some(SizeOperand::Columns(table)));
                self.check_table(*place);
                self.check(Check::Index(index.clone(), SizeOperand::Rows(table)));
                if !self.place_exts(*place).1.same(self.exts_of(value).0) {
                    self.check(Check::Size(SizeOperand::Columns(table), SizeOperand::Length(word)));
                }
                self.count(1);
                self.emit(Simple::PutRow { table, index, value: word });
            }
        }
    }

    /// Checks that a component is assigned 0 or 1.
    fn check_bit(&mut self, bit: &Operand, value: &Expr) {
        if !is_bit(value) {
            self.check(Check::Bit(bit.clone()));
        }
    }

    fn assign_variable(&mut self, place: VarUse, value: &Expr) {
        match value.ty {
            TyKind::Slice | TyKind::Word => {
                let size = match self.declared_key(place.local, 0) {
                    Some(key) if value.is_sizeless() => {
                        Some(SizeOperand::Value(self.checked_size(key)))
                    }
                    None if value.is_sizeless() => {
                        self.check_sized(place);
                        Some(SizeOperand::Length(self.place_var(place)))
                    }
                    Some(_) | None => None,
                };
                self.must_fit(place.local, 0, value);
                let value = self.rvalue(value, size);
                self.store_bits(place, value);
            }
            TyKind::Table => {
                let from = self.bits(value, None);
                let exts = self.exts_of(value);
                let op = Op::Copy(Operand::Var(from));
                self.store_table(
                    place,
                    op,
                    SizeOperand::Rows(from),
                    SizeOperand::Columns(from),
                    exts,
                );
            }
            TyKind::Error => self.fault("a value without a type"),
            TyKind::Int | TyKind::Bool | TyKind::Str | TyKind::Handle => {
                if let hir::ExprKind::Step(bits) = value.kind {
                    let dst = self.place_var(place);
                    self.step(dst, bits);
                    return;
                }
                let value = self.operand(value);
                let dst = self.place_var(place);
                self.assign(dst, Op::Copy(value));
            }
        }
    }

    /// Stores a slice or word into a variable, checking its size if one is declared.
    pub(super) fn store_bits(&mut self, place: VarUse, value: Rvalue) {
        let exts = self.place_exts(place);
        if let Some(key) = self.declared_key(place.local, 0) {
            let wanted = self.checked_size(key);
            if !exts.0.same(value.exts.0) {
                self.check(Check::Size(value.size, SizeOperand::Value(wanted)));
            }
        } else {
            self.settled(exts.0);
        }
        let dst = self.place_var(place);
        self.assign(dst, value.op);
    }

    /// Stores a table into a variable, checking its sizes if they are declared.
    pub(super) fn store_table(
        &mut self,
        place: VarUse,
        op: Op,
        rows: SizeOperand,
        columns: SizeOperand,
        from: Exts,
    ) {
        let exts = self.place_exts(place);
        for (dim, measure, mine, theirs) in
            [(0, rows, exts.0, from.0), (1, columns, exts.1, from.1)]
        {
            if let Some(key) = self.declared_key(place.local, dim) {
                let wanted = self.checked_size(key);
                if !mine.same(theirs) {
                    self.check(Check::Size(measure, SizeOperand::Value(wanted)));
                }
            } else if self.webs.is_split(place.local) {
                self.settled(mine);
            }
        }
        let dst = self.place_var(place);
        self.assign(dst, op);
    }

    fn fill(&mut self, place: VarUse, bit: bool) {
        let size = match self.declared_key(place.local, 0) {
            Some(key) => self.checked_size(key),
            None => {
                self.check_sized(place);
                let var = self.place_var(place);
                self.measured(SizeOperand::Length(var))
            }
        };
        let dst = self.place_var(place);
        self.count(Builtin::Set.cost());
        self.assign(dst, Op::Fill(size, bit));
    }

    // ---- input and output ----

    fn print(&mut self, items: &[Expr]) {
        let mut printed: Vec<PrintItem> = Vec::with_capacity(items.len());
        let last_effect = items.iter().rposition(|item| item.effects).unwrap_or(0);
        for (idx, item) in items.iter().enumerate() {
            let effects = idx < last_effect;
            let vertex = match &item.kind {
                ExprKind::Builtin(Builtin::Name, args) => args.first(),
                _ => None,
            };
            let is_name = vertex.is_some();
            let item = vertex.unwrap_or(item);
            let operand = match item.ty {
                TyKind::Slice | TyKind::Word | TyKind::Table => {
                    let var = self.bits(item, None);
                    Operand::Var(self.keep_bits(var, item, effects))
                }
                TyKind::Int | TyKind::Bool | TyKind::Str | TyKind::Handle | TyKind::Error => {
                    let operand = self.operand(item);
                    self.keep(operand, item.ty, effects)
                }
            };
            printed.push(match is_name {
                true => PrintItem::Name(operand),
                false => PrintItem::Value(operand),
            });
        }
        self.flush_cost();
        self.emit(Simple::Print(printed));
    }

    /// The result of a read is a new value: it is checked against declared sizes before it is
    /// stored.
    fn read(&mut self, place: VarUse, file: Operand, layout: Option<Operand>) {
        let kind = self.r.local(place.local).ty.kind();
        self.flush_cost();
        if self.r.local(place.local).ty.is_unsized() {
            let dst = self.place_var(place);
            self.emit(Simple::Read { dst, file, layout });
            return;
        }
        let temp = self.temp_of(kind, (Ext::Dynamic, Ext::Dynamic));
        self.emit(Simple::Read { dst: temp, file, layout });
        let op = Op::Copy(Operand::Var(temp));
        let unknown = (Ext::Dynamic, Ext::Dynamic);
        if kind == TyKind::Table {
            self.store_table(
                place,
                op,
                SizeOperand::Rows(temp),
                SizeOperand::Columns(temp),
                unknown,
            );
        } else {
            self.store_bits(place, Rvalue { op, size: SizeOperand::Length(temp), exts: unknown });
        }
    }
}

/// Returns whether an integer is 0 or 1 by construction: a constant or a component.
pub(super) fn is_bit(value: &Expr) -> bool {
    matches!(value.kind, ExprKind::Int(0 | 1) | ExprKind::Component(..) | ExprKind::Bit(..))
}
