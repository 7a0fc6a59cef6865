//! Slices and words: as variables, or as operations about to be stored.

use star_base::Builtin;
use star_ir::{Check, IntOp, Op, Operand, SizeOperand, Ty, VarId};

use super::Lowerer;
use super::shape::{Bits, Shape, shape};
use super::sizes::{Ext, Exts};
use crate::hir::{ChainOp, Expr, ExprKind, TyKind};

/// A slice, word or table about to be stored: the operation and the size of its result.
pub(super) struct Rvalue {
    pub(super) op: Op,
    pub(super) size: SizeOperand,
    pub(super) exts: Exts,
}

impl Lowerer<'_> {
    /// Lowers a slice, word or table to a variable: the named one or a temporary. `size` is the
    /// size of `Θ`.
    pub(super) fn bits(&mut self, expr: &Expr, size: Option<SizeOperand>) -> VarId {
        let outer = self.loc;
        self.loc = self.expr_loc(expr);
        let var = if let ExprKind::Var(place) = expr.kind {
            self.touch(place.local);
            self.check_set(place);
            self.place_var(place)
        } else if let ExprKind::Result(result) = &expr.kind {
            self.call(result.callee, &result.args, None);
            self.check_set(result.value);
            self.place_var(result.value)
        } else {
            let value = self.rvalue(expr, size);
            let temp = self.temp_of(expr.ty, value.exts);
            self.assign(temp, value.op);
            temp
        };
        self.loc = outer;
        var
    }

    /// Lowers two slices or words of one size, the left one first.
    pub(super) fn two_bits(&mut self, left: &Expr, right: &Expr) -> (VarId, VarId) {
        if left.is_sizeless() {
            let right_var = self.bits(right, None);
            let left_var = self.bits(left, Some(SizeOperand::Length(right_var)));
            return (left_var, right_var);
        }
        let first = self.bits(left, None);
        let first = self.keep_bits(first, left, right.effects);
        let second = self.bits(right, Some(SizeOperand::Length(first)));
        self.check_same_size(first, left, second, right);
        (first, second)
    }

    pub(super) fn keep_bits(&mut self, var: VarId, expr: &Expr, effects: bool) -> VarId {
        if effects && matches!(expr.kind, ExprKind::Var(_)) {
            let temp = self.temp_of(expr.ty, self.exts_of(expr));
            self.assign(temp, Op::Copy(Operand::Var(var)));
            return temp;
        }
        var
    }

    fn check_same_size(&mut self, left: VarId, left_expr: &Expr, right: VarId, right_expr: &Expr) {
        let (a, b) = (self.exts_of(left_expr).0, self.exts_of(right_expr).0);
        if !a.same(b) && left != right {
            self.must_agree(left_expr, right_expr);
            self.check(Check::Size(SizeOperand::Length(left), SizeOperand::Length(right)));
        }
    }

    /// Lowers a slice, word or table to an operation.
    pub(super) fn rvalue(&mut self, expr: &Expr, size: Option<SizeOperand>) -> Rvalue {
        let exts = self.exts_of(expr);
        let like = |var: VarId, op: Op| Rvalue { op, size: SizeOperand::Length(var), exts };
        match &expr.kind {
            ExprKind::Var(_) | ExprKind::Result(_) => {
                let var = self.bits(expr, size);
                let size = if expr.ty == TyKind::Table {
                    SizeOperand::Rows(var)
                } else {
                    SizeOperand::Length(var)
                };
                Rvalue { op: Op::Copy(Operand::Var(var)), size, exts }
            }
            ExprKind::Bits(value) => Rvalue {
                op: Op::Literal((**value).clone()),
                size: SizeOperand::Value(Operand::Int(value.len() as i64)),
                exts,
            },
            ExprKind::Theta => {
                let Some(size) = size else { return self.fault_bits("`Θ` without a size", exts) };
                let size = self.measured(size);
                Rvalue { op: Op::Fill(size.clone(), false), size: SizeOperand::Value(size), exts }
            }
            ExprKind::Chain(first, links) => self.bits_chain(first, links, size, exts),
            ExprKind::BitsNot(operand) => {
                let operand = self.bits(operand, size);
                self.count(1);
                like(operand, Op::BitsNot(operand))
            }
            ExprKind::Shift(operand, direction, by) => {
                let var = self.bits(operand, size);
                let var = self.keep_bits(var, operand, by.effects);
                let by = self.operand(by);
                self.check(Check::NotNegative(by.clone()));
                self.count(1);
                like(var, Op::Shift(var, *direction, by))
            }
            ExprKind::Col(index, place) => {
                let index = self.operand(index);
                self.check_table(*place);
                let table = self.place_var(*place);
                self.check(Check::Index(index.clone(), SizeOperand::Columns(table)));
                self.count(1);
                Rvalue { op: Op::Column(table, index), size: SizeOperand::Rows(table), exts }
            }
            ExprKind::Row(index, place) => {
                let index = self.operand(index);
                self.check_table(*place);
                let table = self.place_var(*place);
                self.check(Check::Index(index.clone(), SizeOperand::Rows(table)));
                self.count(1);
                Rvalue { op: Op::Row(table, index), size: SizeOperand::Columns(table), exts }
            }
            ExprKind::Part(place, part) => {
                self.touch(place.local);
                self.check_set(*place);
                let handle = self.place_var(*place);
                self.check(Check::HandlePart(handle, (**part).clone()));
                let op = Op::HandlePart(handle, (**part).clone());
                // The sizes of a table are determined when it is stored.
                Rvalue { op, size: SizeOperand::Value(Operand::Int(0)), exts }
            }
            ExprKind::Field(field) => self.field_value(field, exts),
            ExprKind::Cell(row, field) => self.cell_value(row, field, exts),
            ExprKind::Ones(size) => {
                let rows = self.operand(size);
                self.check(Check::NotNegative(rows.clone()));
                self.count(Builtin::Set.cost());
                Rvalue { op: Op::Fill(rows.clone(), true), size: SizeOperand::Value(rows), exts }
            }
            ExprKind::Numbers(column) => self.numbers(column, exts),
            ExprKind::Relation(relation, column) => self.column_relation(*relation, column, exts),
            ExprKind::Builtin(builtin, args) => self.bits_builtin(*builtin, args, size, exts),
            // A program with errors is not lowered, and the other variants are scalars.
            ExprKind::Error
            | ExprKind::Int(_)
            | ExprKind::Bool(_)
            | ExprKind::Str(_)
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
            | ExprKind::Call(..) => self.fault_bits("expected a slice, word or table", exts),
        }
    }

    /// Returns a measure as a number.
    pub(super) fn measured(&mut self, measure: SizeOperand) -> Operand {
        match measure {
            SizeOperand::Value(operand) => operand,
            SizeOperand::Length(var) => self.store_temp(Ty::Int, Op::Length(var)),
            SizeOperand::Rows(var) => self.store_temp(Ty::Int, Op::Rows(var)),
            SizeOperand::Columns(var) => self.store_temp(Ty::Int, Op::Columns(var)),
        }
    }

    fn bits_chain(
        &mut self,
        first: &Expr,
        links: &[(ChainOp, Expr)],
        size: Option<SizeOperand>,
        exts: Exts,
    ) -> Rvalue {
        let later_effects = links.iter().any(|(_, operand)| operand.effects);
        // A leading `Θ` gets its size from the first operand that has one, which is evaluated
        // first: `Θ` itself has no effects.
        let sized = match first.is_sizeless() {
            true => links.iter().position(|(_, operand)| !operand.is_sizeless()),
            false => None,
        };
        let sized = sized.map(|idx| (idx, self.bits(&links[idx].1, None)));
        let size = sized.map(|(_, var)| SizeOperand::Length(var)).or(size);
        let mut value = self.bits(first, size);
        value = self.keep_bits(value, first, later_effects);
        let mut result = Op::Copy(Operand::Var(value));
        let last = links.len().saturating_sub(1);
        for (idx, (op, operand)) in links.iter().enumerate() {
            let right = match sized {
                Some((at, var)) if at == idx => var,
                Some(_) | None => self.bits(operand, Some(SizeOperand::Length(value))),
            };
            if !self.exts_of(first).0.same(self.exts_of(operand).0) && value != right {
                self.must_agree(first, operand);
                self.check(Check::Size(SizeOperand::Length(value), SizeOperand::Length(right)));
            }
            match op {
                ChainOp::Bits(op) => {
                    self.count(1);
                    result = Op::BitsLogic(*op, value, right);
                }
                ChainOp::Bool(_) | ChainOp::Int(_) => {
                    return self.fault_bits("a chain with operators of several types", exts);
                }
            }
            if idx < last {
                let temp = self.temp_of(first.ty, exts);
                self.assign(temp, result.clone());
                value = temp;
            }
        }
        Rvalue { op: result, size: SizeOperand::Length(value), exts }
    }

    fn bits_builtin(
        &mut self,
        builtin: Builtin,
        args: &[Expr],
        size: Option<SizeOperand>,
        exts: Exts,
    ) -> Rvalue {
        let like = |var: VarId, op: Op| Rvalue { op, size: SizeOperand::Length(var), exts };
        let arguments = "wrong arguments of a built-in";
        let (Shape::Bits(op), [first, rest @ ..]) = (shape(builtin), args) else {
            return self.fault_bits("expected a built-in that returns a slice or word", exts);
        };
        match op {
            Bits::Plain(op) => {
                let bits = self.bits(first, size);
                self.count(builtin.cost());
                like(bits, op(bits))
            }
            Bits::Shuffle => {
                let bits = self.bits(first, size);
                self.check(Check::Even(bits));
                self.count(builtin.cost());
                like(bits, Op::Shuffle(bits))
            }
            Bits::Rotate => {
                let [by] = rest else { return self.fault_bits(arguments, exts) };
                let var = self.bits(first, size);
                let var = self.keep_bits(var, first, by.effects);
                let by = self.operand(by);
                self.count(builtin.cost());
                like(var, Op::Rotate(var, by))
            }
            Bits::Mask => {
                let [from, to] = rest else { return self.fault_bits(arguments, exts) };
                let var = self.bits(first, size);
                let var = self.keep_bits(var, first, from.effects || to.effects);
                let (from_op, to_op) = self.ends(from, to, false);
                let whole = SizeOperand::Length(var);
                // The ends determine the ones; a width computed otherwise proves nothing.
                self.base_and_width(from_op.clone(), to_op.clone(), Ext::Dynamic, whole);
                let size = self.measured(SizeOperand::Length(var));
                self.count(builtin.cost());
                Rvalue {
                    op: Op::Mask { size: size.clone(), from: from_op, to: to_op },
                    size: SizeOperand::Value(size),
                    exts,
                }
            }
            Bits::Trim => {
                let (from, [to, word]) = (first, rest) else {
                    return self.fault_bits(arguments, exts);
                };
                let (from_op, to_op) = self.ends(from, to, word.effects);
                let var = self.bits(word, None);
                let width = self.width_ext(from, to);
                let (base, width) =
                    self.base_and_width(from_op, to_op, width, SizeOperand::Length(var));
                self.count(builtin.cost());
                let op = Op::Trim { word: var, base, width: width.clone() };
                Rvalue { op, size: SizeOperand::Value(width), exts }
            }
            Bits::Sum(op) => {
                let [second] = rest else { return self.fault_bits(arguments, exts) };
                let (left, right) = self.two_bits(first, second);
                if self.options.checked {
                    self.check(Check::NoCarry(op, left, right));
                }
                self.count(builtin.cost());
                let op = if op == IntOp::Add {
                    Op::WordAdd(left, right)
                } else {
                    Op::WordSub(left, right)
                };
                like(left, op)
            }
            Bits::FromInt => {
                let [width] = rest else { return self.fault_bits(arguments, exts) };
                let [value, width] = self.both(first, width);
                self.check(Check::Fits { value: value.clone(), width: width.clone() });
                Rvalue {
                    op: Op::IntToWord { value, width: width.clone() },
                    size: SizeOperand::Value(width),
                    exts,
                }
            }
        }
    }

    /// Lowers the ends of a part, evaluated in order.
    pub(super) fn ends(
        &mut self,
        from: &Expr,
        to: &Expr,
        later_effects: bool,
    ) -> (Operand, Operand) {
        let [from_op, to_op] = self.both(from, to);
        (
            self.keep(from_op, TyKind::Int, later_effects),
            self.keep(to_op, TyKind::Int, later_effects),
        )
    }

    /// Lowers base and width of a part, and the checks that `1 ≤ from ≤ to ≤ whole`. The width is
    /// computed unless it is known.
    pub(super) fn base_and_width(
        &mut self,
        from_op: Operand,
        to_op: Operand,
        width: Ext,
        whole: SizeOperand,
    ) -> (Operand, Operand) {
        if !matches!((&from_op, &to_op), (Operand::Int(from), Operand::Int(to)) if 1 <= *from && from <= to)
        {
            self.check(Check::Index(from_op.clone(), SizeOperand::Value(to_op.clone())));
        }
        let base = self.int_op(IntOp::Sub, from_op, Operand::Int(1));
        let width = match width {
            Ext::Known(key) => self.size(key),
            Ext::Unknown | Ext::Dynamic => self.int_op(IntOp::Sub, to_op, base.clone()),
        };
        self.check(Check::Range { base: base.clone(), width: width.clone(), limit: whole });
        (base, width)
    }
}
