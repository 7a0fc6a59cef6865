//! Statements.

use super::Printer;
use crate::mnemonic::Mnemonic;
use crate::op::Operand;
use crate::program::VarId;
use crate::stmt::{Arg, ForallRange, PartKind, PrintItem, Simple, SizeOp, Stmt, StmtKind};

impl Printer<'_> {
    /// Prints each statement on a separate line.
    pub(super) fn statements(&mut self, block: &[Stmt]) {
        for stmt in block {
            self.line();
            self.statement(stmt);
        }
    }

    pub(super) fn braces(&mut self, block: &[Stmt]) {
        self.put(" {");
        self.indent += 1;
        self.statements(block);
        self.indent -= 1;
        self.line();
        self.put("}");
    }

    fn statement(&mut self, stmt: &Stmt) {
        self.head(&stmt.kind);
        self.loc(stmt.loc);
        match &stmt.kind {
            StmtKind::For { body, .. }
            | StmtKind::Foreach { body, .. }
            | StmtKind::Forall { body, .. }
            | StmtKind::Block { body, .. } => self.braces(body),
            StmtKind::While { head, test, body, .. } => {
                self.braces(head);
                self.put(" test ");
                self.operand(test);
                self.braces(body);
            }
            StmtKind::Kernel(kernel) => self.kernel(kernel),
            StmtKind::If { then, otherwise, .. } => {
                self.braces(then);
                if !otherwise.is_empty() {
                    self.put(" else");
                    self.braces(otherwise);
                }
            }
            StmtKind::Simple(_) | StmtKind::Break(_) | StmtKind::Continue(_) | StmtKind::Exit => {}
        }
    }

    fn target(&mut self, dst: VarId) {
        self.var(dst);
        self.put(" = ");
    }

    /// Prints the statement up to its location and its blocks.
    pub(super) fn head(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Simple(simple) => self.simple(simple),
            StmtKind::For { label, var, from, to, down, body: _ } => {
                self.fmt(format_args!("for {label} "));
                self.target(*var);
                self.operand(from);
                self.put(if *down { " downto " } else { " to " });
                self.operand(to);
            }
            StmtKind::Kernel(kernel) => self.kernel_head(kernel),
            StmtKind::While { label, .. } => self.fmt(format_args!("while {label}")),
            StmtKind::Foreach { label, var, over, .. } => {
                self.fmt(format_args!("foreach {label} "));
                self.var(*var);
                self.put(" in ");
                self.var(*over);
            }
            StmtKind::Forall { .. } => self.forall(kind),
            StmtKind::If { test, .. } => {
                self.put("if ");
                self.operand(test);
            }
            StmtKind::Block { label, body: _ } => self.fmt(format_args!("block {label}")),
            StmtKind::Break(label) => self.fmt(format_args!("break {label}")),
            StmtKind::Continue(label) => self.fmt(format_args!("continue {label}")),
            StmtKind::Exit => self.put("exit"),
        }
    }

    fn simple(&mut self, simple: &Simple) {
        match simple {
            Simple::Assign(dst, op) => {
                self.target(*dst);
                self.op(op);
            }
            Simple::Step { dst, bits } => {
                self.target(*dst);
                self.put("step ");
                self.var(*bits);
            }
            Simple::Put { bits, index, bit } => self.store("put", *bits, &[index, bit], None),
            Simple::Replace { word, base, value } => {
                self.store("replace", *word, &[base], Some(*value));
            }
            Simple::PutColumn { table, index, value } => {
                self.store("put_column", *table, &[index], Some(*value))
            }
            Simple::PutRow { table, index, value } => {
                self.store("put_row", *table, &[index], Some(*value))
            }
            Simple::PutBit { table, row, column, bit } => {
                self.store("put_bit", *table, &[row, column, bit], None)
            }
            Simple::PutField { table, base, value } => {
                self.store("put_field", *table, &[base], Some(*value));
            }
            Simple::PutHandlePart { handle, part, value } => {
                self.store("put_handle_part", *handle, &[], None);
                self.put(", ");
                self.part_name(part);
                self.put(", ");
                self.var(*value);
            }
            Simple::Size(op) => self.size_op(op),
            Simple::Check(check) => {
                self.put("check ");
                self.check(check);
            }
            Simple::Cost { units, times } => {
                self.fmt(format_args!("cost {units}"));
                if let Some(times) = times {
                    self.put(" times ");
                    self.measure(times);
                }
            }
            Simple::Call { callee, args, dst } => {
                if let Some(dst) = dst {
                    self.target(*dst);
                }
                self.fmt(format_args!("call {} ", callee.0));
                if let Some(routine) = self.program.routines.get(callee.0 as usize) {
                    self.string(&routine.name);
                    self.put(" ");
                }
                self.args(args);
            }
            Simple::Print(values) => {
                self.put("print");
                if !values.is_empty() {
                    self.put(" ");
                }
                self.list(values, |printer, item| {
                    if let PrintItem::Name(_) = item {
                        printer.put("name ");
                    }
                    printer.operand(item.operand());
                });
            }
            Simple::Read { dst, file, layout } => {
                self.target(*dst);
                self.put("read ");
                self.operand(file);
                if let Some(layout) = layout {
                    self.put(" layout ");
                    self.operand(layout);
                }
            }
            Simple::Write { src, file } => self.store("write", *src, &[file], None),
            Simple::Exchange { word, op } => {
                self.put("exchange ");
                self.store(op.text(), *word, &[], None);
            }
            Simple::ExchangeRow { word, table, index, before } => {
                self.target(*word);
                self.store("exchange_row", *table, &[index, before], None);
            }
        }
    }

    fn store(&mut self, word: &str, var: VarId, operands: &[&Operand], value: Option<VarId>) {
        self.put(word);
        self.put(" ");
        self.var(var);
        for operand in operands {
            self.put(", ");
            self.operand(operand);
        }
        if let Some(value) = value {
            self.put(", ");
            self.var(value);
        }
    }

    fn args(&mut self, args: &[Arg]) {
        self.put("(");
        self.list(args, |printer, arg| match arg {
            Arg::Value(value) => {
                printer.put("value ");
                printer.operand(value);
            }
            Arg::Move(v) => {
                printer.put("move ");
                printer.var(*v);
            }
            Arg::Ref(v) => {
                printer.put("ref ");
                printer.var(*v);
            }
        });
        self.put(")");
    }

    fn size_op(&mut self, op: &SizeOp) {
        let (word, var, measure) = match op {
            SizeOp::Latch { dst, size } => ("latch", dst, size),
            SizeOp::SetRows { table, rows } => ("set_rows", table, rows),
            SizeOp::EnsureColumns { table, columns } => ("ensure_columns", table, columns),
            SizeOp::Init { table, rows, columns } => {
                return self.store("init", *table, &[rows, columns], None);
            }
            SizeOp::Adapt { bits, size } => return self.store("adapt", *bits, &[size], None),
            SizeOp::Fix { bits, size } => return self.store("fix", *bits, &[size], None),
            SizeOp::Unset(var) => return self.store("unset", *var, &[], None),
        };
        self.store(word, *var, &[], None);
        self.put(", ");
        self.measure(measure);
    }

    fn privates(&mut self, privates: &[VarId]) {
        if !privates.is_empty() {
            self.put(" privates [");
            self.list(privates, |printer, &var| printer.var(var));
            self.put("]");
        }
    }

    fn forall(&mut self, kind: &StmtKind) {
        let StmtKind::Forall { label, var, range, writes, privates, reductions, body: _ } = kind
        else {
            return;
        };
        self.fmt(format_args!("forall {label} "));
        self.var(*var);
        match range {
            ForallRange::Range(from, to) => {
                self.put(" = ");
                self.operand(from);
                self.put(" to ");
                self.operand(to);
            }
            ForallRange::Ones(bits) => {
                self.put(" in ");
                self.var(*bits);
            }
        }
        if !writes.is_empty() {
            self.put(" writes [");
            self.list(writes, |printer, part| match &part.kind {
                PartKind::Column => printer.store("column", part.var, &[], None),
                PartKind::Row => printer.store("row", part.var, &[], None),
                PartKind::Component => printer.store("component", part.var, &[], None),
                PartKind::Field { base, width } => {
                    printer.store("field", part.var, &[], None);
                    printer.put(" ");
                    printer.operand(width);
                    if *base != Operand::Int(0) {
                        printer.put(" behind ");
                        printer.operand(base);
                    }
                }
            });
            self.put("]");
        }
        self.privates(privates);
        if !reductions.is_empty() {
            self.put(" reductions [");
            self.list(reductions, |printer, reduction| {
                printer.store(reduction.op.text(), reduction.var, &[], None);
            });
            self.put("]");
        }
    }
}
