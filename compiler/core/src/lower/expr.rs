//! Expressions: scalars become operands, slices and words become variables or operations.

use star_base::Builtin;
use star_ir::{Check, IntOp, LogicOp, Measure, Op, Operand, Relation, StmtKind, Ty, VarId};

use super::Lowerer;
use super::sizes::{Ext, Exts};
use crate::hir::{ChainOp, Expr, ExprKind, Kind, Place};

/// A slice, word or table about to be stored: the operation, and how large its result is.
pub(super) struct Rvalue {
    pub(super) op: Op,
    pub(super) size: Measure,
    pub(super) exts: Exts,
}

impl Lowerer<'_> {
    /// A scalar.
    pub(super) fn operand(&mut self, expr: &Expr) -> Operand {
        let outer = self.loc;
        self.loc = self.expr_loc(expr);
        let operand = self.scalar(expr);
        self.loc = outer;
        operand
    }

    fn into_temp(&mut self, ty: Ty, op: Op) -> Operand {
        let temp = self.temp(ty);
        self.assign(temp, op);
        Operand::Var(temp)
    }

    fn scalar(&mut self, expr: &Expr) -> Operand {
        match &expr.kind {
            ExprKind::Int(value) => Operand::Int(*value),
            ExprKind::Bool(value) => Operand::Bool(*value),
            ExprKind::Str(text) => Operand::Str(text.as_str().into()),
            ExprKind::Var(place) => {
                self.check_set(*place);
                Operand::Var(self.place_var(*place))
            }
            ExprKind::Chain(first, links) => match links.first() {
                Some((ChainOp::Int(_), _)) => self.int_chain(first, links),
                _ => self.bool_chain(first, links),
            },
            ExprKind::Neg(operand) => {
                let operand = self.operand(operand);
                self.int_op(IntOp::Sub, Operand::Int(0), operand)
            }
            ExprKind::Compare(relation, left, right) => {
                let [left, right] = self.both(left, right);
                self.into_temp(Ty::Bool, Op::Compare(*relation, left, right))
            }
            ExprKind::BoolDiffers(left, right) => {
                let [left, right] = self.both(left, right);
                self.into_temp(Ty::Bool, Op::Logic(LogicOp::Xor, left, right))
            }
            ExprKind::Not(operand) => match self.operand(operand) {
                Operand::Bool(value) => Operand::Bool(!value),
                operand => self.into_temp(Ty::Bool, Op::Not(operand)),
            },
            ExprKind::BitsEqual(left, right) => {
                let (left, right) = self.two_bits(left, right);
                self.count(1);
                self.into_temp(Ty::Bool, Op::BitsEqual(left, right))
            }
            ExprKind::Component(place, index) => {
                let index = self.operand(index);
                self.check_set(*place);
                let bits = self.place_var(*place);
                self.check(Check::Index(index.clone(), Measure::Length(bits)));
                self.count(1);
                self.into_temp(Ty::Int, Op::Component(bits, index))
            }
            ExprKind::Bit(place, row, column) => {
                let [row, column] = self.both(row, column);
                self.check_table(*place);
                let table = self.place_var(*place);
                self.check(Check::Index(row.clone(), Measure::Rows(table)));
                self.check(Check::Index(column.clone(), Measure::Columns(table)));
                self.count(1);
                self.into_temp(Ty::Int, Op::Bit(table, row, column))
            }
            ExprKind::Step(place) => {
                let temp = self.temp(Ty::Int);
                self.step(temp, *place);
                Operand::Var(temp)
            }
            ExprKind::NCols(place) => {
                self.touch(place.local);
                let table = self.place_var(*place);
                self.into_temp(Ty::Int, Op::Columns(table))
            }
            ExprKind::NRows(place) => {
                self.check_table(*place);
                let table = self.place_var(*place);
                self.into_temp(Ty::Int, Op::Rows(table))
            }
            ExprKind::Builtin(builtin, args) => self.scalar_builtin(*builtin, args),
            ExprKind::Call(callee, args) => {
                let ty = match expr.ty {
                    Kind::Bool => Ty::Bool,
                    Kind::Str => Ty::Str,
                    Kind::Int | Kind::Slice | Kind::Word | Kind::Table | Kind::Error => Ty::Int,
                };
                let dst = self.temp(ty);
                self.call(*callee, args, Some(dst));
                Operand::Var(dst)
            }
            // A program with errors is not lowered, and the others are no scalars.
            ExprKind::Error
            | ExprKind::Bits(_)
            | ExprKind::Theta
            | ExprKind::BitsNot(_)
            | ExprKind::Shift(..)
            | ExprKind::Col(..)
            | ExprKind::Row(..) => Operand::Int(0),
        }
    }

    pub(super) fn step(&mut self, dst: VarId, place: Place) {
        self.check_set(place);
        let bits = self.place_var(place);
        self.count(Builtin::Step.cost());
        self.emit(StmtKind::Step { dst, bits });
    }

    /// Checks that a table has rows, and makes one with declared sizes.
    pub(super) fn check_table(&mut self, place: Place) {
        self.touch(place.local);
        self.check_set(place);
    }

    /// Two scalars, the left one first.
    pub(super) fn both(&mut self, left: &Expr, right: &Expr) -> [Operand; 2] {
        let first = self.operand(left);
        let first = self.keep(first, left.ty, right.effects);
        [first, self.operand(right)]
    }

    /// An operand that must keep its value while something with effects is evaluated.
    pub(super) fn keep(&mut self, operand: Operand, kind: Kind, effects: bool) -> Operand {
        match operand {
            Operand::Var(_) if effects => {
                let temp = self.temp_of(kind, (Ext::Dynamic, Ext::Dynamic));
                self.assign(temp, Op::Copy(operand));
                Operand::Var(temp)
            }
            operand => operand,
        }
    }

    fn int_op(&mut self, op: IntOp, left: Operand, right: Operand) -> Operand {
        if let (&Operand::Int(a), &Operand::Int(b)) = (&left, &right) {
            let folded = match op {
                IntOp::Add => a.checked_add(b),
                IntOp::Sub => a.checked_sub(b),
                IntOp::Mul => a.checked_mul(b),
                IntOp::Div => a.checked_div(b),
                IntOp::Mod => a.checked_rem(b),
            };
            if let Some(value) = folded {
                return Operand::Int(value);
            }
        }
        self.check(Check::Int(op, left.clone(), right.clone()));
        self.into_temp(Ty::Int, Op::Int(op, left, right))
    }

    fn int_chain(&mut self, first: &Expr, links: &[(ChainOp, Expr)]) -> Operand {
        let mut value = self.operand(first);
        for (op, operand) in links {
            value = self.keep(value, Kind::Int, operand.effects);
            let right = self.operand(operand);
            if let ChainOp::Int(op) = op {
                value = self.int_op(*op, value, right);
            }
        }
        value
    }

    /// `and` and `or` evaluate the right side only if it matters.
    fn bool_chain(&mut self, first: &Expr, links: &[(ChainOp, Expr)]) -> Operand {
        let first = self.operand(first);
        let value = self.temp(Ty::Bool);
        self.assign(value, Op::Copy(first));
        for (op, operand) in links {
            let logic = match op {
                ChainOp::Bool(logic) | ChainOp::Bits(logic) => *logic,
                ChainOp::Int(_) => continue,
            };
            match logic {
                LogicOp::Xor => {
                    let right = self.operand(operand);
                    self.assign(value, Op::Logic(LogicOp::Xor, Operand::Var(value), right));
                }
                LogicOp::And | LogicOp::Or => {
                    let (block, ()) = self.nested(|this| {
                        let right = this.operand(operand);
                        this.assign(value, Op::Copy(right));
                    });
                    let (then, otherwise) = if logic == LogicOp::And {
                        (block, Vec::new())
                    } else {
                        (Vec::new(), block)
                    };
                    self.emit(StmtKind::If { test: Operand::Var(value), then, otherwise });
                }
            }
        }
        Operand::Var(value)
    }

    fn scalar_builtin(&mut self, builtin: Builtin, args: &[Expr]) -> Operand {
        self.count(builtin.cost());
        match (builtin, args) {
            (Builtin::Fnd, [bits]) => self.of_bits(bits, Ty::Int, Op::First),
            (Builtin::Numb, [bits]) => self.of_bits(bits, Ty::Int, Op::Count),
            (Builtin::Some, [bits]) => self.of_bits(bits, Ty::Bool, Op::Some),
            (Builtin::One, [bits]) => self.of_bits(bits, Ty::Bool, Op::All),
            (Builtin::Zero, [bits]) => self.of_bits(bits, Ty::Bool, Op::None),
            (Builtin::Length, [bits]) => {
                // A size is known before the variable is set, if it is declared.
                if let ExprKind::Var(place) = bits.kind
                    && let Some(key) = self.declared_key(place.local, 0)
                {
                    return self.size(key);
                }
                self.of_bits(bits, Ty::Int, Op::Length)
            }
            (Builtin::Eq, [v, w]) => self.word_compare(Relation::Eq, v, w),
            (Builtin::NotEq, [v, w]) => self.word_compare(Relation::Ne, v, w),
            (Builtin::Less, [v, w]) => self.word_compare(Relation::Lt, v, w),
            (Builtin::LessEq, [v, w]) => self.word_compare(Relation::Le, v, w),
            (Builtin::Great, [v, w]) => self.word_compare(Relation::Gt, v, w),
            (Builtin::GreatEq, [v, w]) => self.word_compare(Relation::Ge, v, w),
            (Builtin::Int, [word]) => {
                let word = self.bits(word, None);
                self.check(Check::FitsInt(word));
                self.into_temp(Ty::Int, Op::WordToInt(word))
            }
            // All others give no scalar.
            _ => Operand::Int(0),
        }
    }

    fn of_bits(&mut self, bits: &Expr, ty: Ty, op: impl FnOnce(VarId) -> Op) -> Operand {
        let bits = self.bits(bits, None);
        self.into_temp(ty, op(bits))
    }

    fn word_compare(&mut self, relation: Relation, left: &Expr, right: &Expr) -> Operand {
        let (left, right) = self.two_bits(left, right);
        self.into_temp(Ty::Bool, Op::WordCompare(relation, left, right))
    }

    // ---- slices and words ----

    /// A slice, word or table as a variable: the one that is named, or a temporary. `size` is what `Θ`
    /// takes.
    pub(super) fn bits(&mut self, expr: &Expr, size: Option<Measure>) -> VarId {
        let outer = self.loc;
        self.loc = self.expr_loc(expr);
        let var = if let ExprKind::Var(place) = expr.kind {
            self.touch(place.local);
            self.check_set(place);
            self.place_var(place)
        } else {
            let value = self.rvalue(expr, size);
            let temp = self.temp_of(expr.ty, value.exts);
            self.assign(temp, value.op);
            temp
        };
        self.loc = outer;
        var
    }

    /// Two slices or words of one size, the left one first.
    fn two_bits(&mut self, left: &Expr, right: &Expr) -> (VarId, VarId) {
        if matches!(left.kind, ExprKind::Theta) {
            let right_var = self.bits(right, None);
            let left_var = self.bits(left, Some(Measure::Length(right_var)));
            return (left_var, right_var);
        }
        let first = self.bits(left, None);
        let first = self.keep_bits(first, left, right.effects);
        let second = self.bits(right, Some(Measure::Length(first)));
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
            self.check(Check::Size(Measure::Length(left), Measure::Length(right)));
        }
    }

    /// A slice, word or table as an operation.
    pub(super) fn rvalue(&mut self, expr: &Expr, size: Option<Measure>) -> Rvalue {
        let exts = self.exts_of(expr);
        let like = |var: VarId, op: Op| Rvalue { op, size: Measure::Length(var), exts };
        match &expr.kind {
            ExprKind::Var(_) => {
                let var = self.bits(expr, size);
                let size =
                    if expr.ty == Kind::Table { Measure::Rows(var) } else { Measure::Length(var) };
                Rvalue { op: Op::Copy(Operand::Var(var)), size, exts }
            }
            ExprKind::Bits(value) => Rvalue {
                op: Op::Literal(value.clone()),
                size: Measure::Value(Operand::Int(value.len() as i64)),
                exts,
            },
            ExprKind::Theta => {
                let size = self.measured(size.unwrap_or(Measure::Value(Operand::Int(0))));
                Rvalue { op: Op::Fill(size.clone(), false), size: Measure::Value(size), exts }
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
                self.check(Check::Index(index.clone(), Measure::Columns(table)));
                self.count(1);
                Rvalue { op: Op::Column(table, index), size: Measure::Rows(table), exts }
            }
            ExprKind::Row(index, place) => {
                let index = self.operand(index);
                self.check_table(*place);
                let table = self.place_var(*place);
                self.check(Check::Index(index.clone(), Measure::Rows(table)));
                self.count(1);
                Rvalue { op: Op::Row(table, index), size: Measure::Columns(table), exts }
            }
            ExprKind::Builtin(builtin, args) => self.bits_builtin(*builtin, args, size, exts),
            // A program with errors is not lowered, and the others are scalars.
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
            | ExprKind::Step(_)
            | ExprKind::NCols(_)
            | ExprKind::NRows(_)
            | ExprKind::Call(..) => Rvalue {
                op: Op::Fill(Operand::Int(0), false),
                size: Measure::Value(Operand::Int(0)),
                exts,
            },
        }
    }

    /// A measure as a number.
    pub(super) fn measured(&mut self, measure: Measure) -> Operand {
        match measure {
            Measure::Value(operand) => operand,
            Measure::Length(var) => self.into_temp(Ty::Int, Op::Length(var)),
            Measure::Rows(var) => self.into_temp(Ty::Int, Op::Rows(var)),
            Measure::Columns(var) => self.into_temp(Ty::Int, Op::Columns(var)),
        }
    }

    fn bits_chain(
        &mut self,
        first: &Expr,
        links: &[(ChainOp, Expr)],
        size: Option<Measure>,
        exts: Exts,
    ) -> Rvalue {
        let later_effects = links.iter().any(|(_, operand)| operand.effects);
        // `Θ` in front takes its size from the first operand that has one.
        let size = match (&first.kind, links.first()) {
            (ExprKind::Theta, Some((_, operand))) if !matches!(operand.kind, ExprKind::Theta) => {
                let operand = self.bits(operand, size.clone());
                Some(Measure::Length(operand))
            }
            _ => size,
        };
        let mut value = self.bits(first, size);
        value = self.keep_bits(value, first, later_effects);
        let mut result = Op::Copy(Operand::Var(value));
        let last = links.len().saturating_sub(1);
        for (idx, (op, operand)) in links.iter().enumerate() {
            let right = self.bits(operand, Some(Measure::Length(value)));
            if !self.exts_of(first).0.same(self.exts_of(operand).0) && value != right {
                self.must_agree(first, operand);
                self.check(Check::Size(Measure::Length(value), Measure::Length(right)));
            }
            if let ChainOp::Bits(op) | ChainOp::Bool(op) = op {
                self.count(1);
                result = Op::BitsLogic(*op, value, right);
            }
            if idx < last {
                let temp = self.temp_of(first.ty, exts);
                self.assign(temp, result.clone());
                value = temp;
            }
        }
        Rvalue { op: result, size: Measure::Length(value), exts }
    }

    fn bits_builtin(
        &mut self,
        builtin: Builtin,
        args: &[Expr],
        size: Option<Measure>,
        exts: Exts,
    ) -> Rvalue {
        let like = |var: VarId, op: Op| Rvalue { op, size: Measure::Length(var), exts };
        match (builtin, args) {
            (Builtin::Convert, [bits]) => {
                let bits = self.bits(bits, size);
                self.count(builtin.cost());
                like(bits, Op::Convert(bits))
            }
            (Builtin::Frst, [bits]) => {
                let bits = self.bits(bits, size);
                self.count(builtin.cost());
                like(bits, Op::KeepFirst(bits))
            }
            (Builtin::Mirror, [bits]) => {
                let bits = self.bits(bits, size);
                self.count(builtin.cost());
                like(bits, Op::Mirror(bits))
            }
            (Builtin::Shuffle, [bits]) => {
                let bits = self.bits(bits, size);
                self.check(Check::Even(bits));
                self.count(builtin.cost());
                like(bits, Op::Shuffle(bits))
            }
            (Builtin::Rotate, [bits, by]) => {
                let var = self.bits(bits, size);
                let var = self.keep_bits(var, bits, by.effects);
                let by = self.operand(by);
                self.count(builtin.cost());
                like(var, Op::Rotate(var, by))
            }
            (Builtin::Mask, [bits, from, to]) => {
                let var = self.bits(bits, size);
                let var = self.keep_bits(var, bits, from.effects || to.effects);
                let (base, width, to) = self.part(from, to, Measure::Length(var));
                let from = self.int_op(IntOp::Add, base, Operand::Int(1));
                let _ = width;
                let size = self.measured(Measure::Length(var));
                self.count(builtin.cost());
                Rvalue {
                    op: Op::Mask { size: size.clone(), from, to },
                    size: Measure::Value(size),
                    exts,
                }
            }
            (Builtin::Trim, [from, to, word]) => {
                let (from_op, to_op) = self.ends(from, to, word.effects);
                let var = self.bits(word, None);
                let (base, width) =
                    self.base_and_width(from, to, from_op, to_op, Measure::Length(var));
                self.count(builtin.cost());
                let op = Op::Trim { word: var, base, width: width.clone() };
                Rvalue { op, size: Measure::Value(width), exts }
            }
            (Builtin::Add | Builtin::Subt, [left, right]) => {
                let (left, right) = self.two_bits(left, right);
                let op = if builtin == Builtin::Add { IntOp::Add } else { IntOp::Sub };
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
            (Builtin::Word, [value, width]) => {
                let [value, width] = self.both(value, width);
                self.check(Check::Fits { value: value.clone(), width: width.clone() });
                Rvalue {
                    op: Op::IntToWord { value, width: width.clone() },
                    size: Measure::Value(width),
                    exts,
                }
            }
            // All others give a scalar.
            _ => Rvalue {
                op: Op::Fill(Operand::Int(0), false),
                size: Measure::Value(Operand::Int(0)),
                exts,
            },
        }
    }

    /// The ends of a part, evaluated in order.
    fn ends(&mut self, from: &Expr, to: &Expr, later_effects: bool) -> (Operand, Operand) {
        let [from_op, to_op] = self.both(from, to);
        (self.keep(from_op, Kind::Int, later_effects), self.keep(to_op, Kind::Int, later_effects))
    }

    /// The part `from ..= to` of a whole: what stands to its left, its width, and `to`.
    pub(super) fn part(
        &mut self,
        from: &Expr,
        to: &Expr,
        whole: Measure,
    ) -> (Operand, Operand, Operand) {
        let (from_op, to_op) = self.ends(from, to, false);
        let (base, width) = self.base_and_width(from, to, from_op, to_op.clone(), whole);
        (base, width, to_op)
    }

    /// Base and width of a part, and the checks that `1 ≤ from ≤ to ≤ whole`.
    pub(super) fn base_and_width(
        &mut self,
        from: &Expr,
        to: &Expr,
        from_op: Operand,
        to_op: Operand,
        whole: Measure,
    ) -> (Operand, Operand) {
        let base = self.int_op(IntOp::Sub, from_op, Operand::Int(1));
        let width = match self.width_ext(from, to) {
            Ext::Known(key) => self.size(key),
            Ext::Unknown | Ext::Dynamic => self.int_op(IntOp::Sub, to_op, base.clone()),
        };
        self.check(Check::Range { base: base.clone(), width: width.clone(), limit: whole });
        (base, width)
    }
}
