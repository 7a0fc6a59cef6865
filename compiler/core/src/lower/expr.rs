//! Expressions: scalars become operands, slices and words become variables or operations.

use star_base::Builtin;
use star_ir::{
    Check, IntOp, LogicOp, Op, Operand, Relation, Simple, SizeOperand, StmtKind, Ty, VarId,
};

use super::Lowerer;
use super::shape::{Scalar, Shape, shape};
use super::sizes::Ext;
use crate::hir::{ChainOp, Expr, ExprKind, TyKind, VarUse};

impl Lowerer<'_> {
    /// Lowers a scalar.
    pub(super) fn operand(&mut self, expr: &Expr) -> Operand {
        let outer = self.loc;
        self.loc = self.expr_loc(expr);
        let operand = self.scalar(expr);
        self.loc = outer;
        operand
    }

    pub(super) fn store_temp(&mut self, ty: Ty, op: Op) -> Operand {
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
                Some((ChainOp::Bool(_), _)) => self.bool_chain(first, links),
                Some((ChainOp::Bits(_), _)) => self.fault_scalar(
                    "a slice or word where a scalar \
                    is expected",
                ),
                None => self.fault_scalar("a chain without an operator"),
            },
            ExprKind::Neg(operand) => {
                let operand = self.operand(operand);
                self.int_op(IntOp::Sub, Operand::Int(0), operand)
            }
            ExprKind::Compare(relation, left, right) => {
                let [left, right] = self.both(left, right);
                self.store_temp(Ty::Bool, Op::Compare(*relation, left, right))
            }
            ExprKind::BoolDiffers(left, right) => {
                let [left, right] = self.both(left, right);
                self.store_temp(Ty::Bool, Op::Logic(LogicOp::Xor, left, right))
            }
            ExprKind::Not(operand) => match self.operand(operand) {
                Operand::Bool(value) => Operand::Bool(!value),
                operand => self.store_temp(Ty::Bool, Op::Not(operand)),
            },
            ExprKind::BitsEqual(left, right) => {
                let (left, right) = self.two_bits(left, right);
                self.count(1);
                self.store_temp(Ty::Bool, Op::BitsEqual(left, right))
            }
            ExprKind::Component(place, index) => {
                let index = self.operand(index);
                self.check_set(*place);
                let bits = self.place_var(*place);
                self.check(Check::Index(index.clone(), SizeOperand::Length(bits)));
                self.count(1);
                self.store_temp(Ty::Int, Op::Component(bits, index))
            }
            ExprKind::Bit(place, row, column) => {
                let [row, column] = self.both(row, column);
                self.check_table(*place);
                let table = self.place_var(*place);
                self.check(Check::Index(row.clone(), SizeOperand::Rows(table)));
                self.check(Check::Index(column.clone(), SizeOperand::Columns(table)));
                self.count(1);
                self.store_temp(Ty::Int, Op::Bit(table, row, column))
            }
            ExprKind::Inside(index, limit) => {
                let [index, limit] = self.both(index, limit);
                self.inside(index, limit)
            }
            ExprKind::Step(place) => {
                let temp = self.temp(Ty::Int);
                self.step(temp, *place);
                Operand::Var(temp)
            }
            ExprKind::NCols(place) => {
                self.touch(place.local);
                let table = self.place_var(*place);
                self.store_temp(Ty::Int, Op::Columns(table))
            }
            ExprKind::NRows(place) => {
                self.check_table(*place);
                let table = self.place_var(*place);
                self.store_temp(Ty::Int, Op::Rows(table))
            }
            ExprKind::Builtin(builtin, args) => self.scalar_builtin(*builtin, args),
            ExprKind::Call(callee, args) => {
                let ty = match expr.ty {
                    TyKind::Int => Ty::Int,
                    TyKind::Bool => Ty::Bool,
                    TyKind::Str => Ty::Str,
                    TyKind::Slice
                    | TyKind::Word
                    | TyKind::Table
                    | TyKind::Handle
                    | TyKind::Error => {
                        return self.fault_scalar("a function whose value is not a scalar");
                    }
                };
                let dst = self.temp(ty);
                self.call(*callee, args, Some(dst));
                Operand::Var(dst)
            }
            // A program with errors is not lowered, and the other variants are not scalars.
            ExprKind::Error
            | ExprKind::Bits(_)
            | ExprKind::Theta
            | ExprKind::BitsNot(_)
            | ExprKind::Shift(..)
            | ExprKind::Part(..)
            | ExprKind::Field(_)
            | ExprKind::Cell(..)
            | ExprKind::Ones(_)
            | ExprKind::Numbers(_)
            | ExprKind::Relation(..)
            | ExprKind::Result(_)
            | ExprKind::Col(..)
            | ExprKind::Row(..) => self.fault_scalar("expected a scalar"),
        }
    }

    pub(super) fn step(&mut self, dst: VarId, place: VarUse) {
        self.check_set(place);
        let bits = self.place_var(place);
        self.count(Builtin::Step.cost());
        self.emit(Simple::Step { dst, bits });
    }

    /// Checks that a table has rows, and creates one with declared sizes.
    pub(super) fn check_table(&mut self, place: VarUse) {
        self.touch(place.local);
        self.check_set(place);
    }

    /// Lowers two scalars, the left one first.
    pub(super) fn both(&mut self, left: &Expr, right: &Expr) -> [Operand; 2] {
        let first = self.operand(left);
        let first = self.keep(first, left.ty, right.effects);
        [first, self.operand(right)]
    }

    /// Preserves the value of an operand while an expression with effects is evaluated.
    pub(super) fn keep(&mut self, operand: Operand, kind: TyKind, effects: bool) -> Operand {
        match operand {
            Operand::Var(_) if effects => {
                let temp = self.temp_of(kind, (Ext::Dynamic, Ext::Dynamic));
                self.assign(temp, Op::Copy(operand));
                Operand::Var(temp)
            }
            operand => operand,
        }
    }

    pub(super) fn int_op(&mut self, op: IntOp, left: Operand, right: Operand) -> Operand {
        if let (&Operand::Int(a), &Operand::Int(b)) = (&left, &right)
            && let Some(value) = op.apply(a, b)
        {
            return Operand::Int(value);
        }
        self.check(Check::Int(op, left.clone(), right.clone()));
        self.store_temp(Ty::Int, Op::Int(op, left, right))
    }

    fn int_chain(&mut self, first: &Expr, links: &[(ChainOp, Expr)]) -> Operand {
        let mut value = self.operand(first);
        for (op, operand) in links {
            value = self.keep(value, TyKind::Int, operand.effects);
            let right = self.operand(operand);
            value = match op {
                ChainOp::Int(op) => self.int_op(*op, value, right),
                ChainOp::Bool(_) | ChainOp::Bits(_) => {
                    self.fault_scalar("a chain with operators of several types")
                }
            };
        }
        value
    }

    /// Lowers `and` and `or`, which evaluate the right-hand side only if it matters.
    fn bool_chain(&mut self, first: &Expr, links: &[(ChainOp, Expr)]) -> Operand {
        let first = self.operand(first);
        let value = self.temp(Ty::Bool);
        self.assign(value, Op::Copy(first));
        for (op, operand) in links {
            let logic = match op {
                ChainOp::Bool(logic) => *logic,
                ChainOp::Bits(_) | ChainOp::Int(_) => {
                    return self.fault_scalar("a chain with operators of several types");
                }
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
        let (Shape::Scalar(op), [first, rest @ ..]) = (shape(builtin), args) else {
            return self.fault_scalar("expected a built-in that returns a scalar");
        };
        match op {
            Scalar::Query(query) => {
                let ty = if query.is_test() { Ty::Bool } else { Ty::Int };
                self.of_bits(first, ty, |of| Op::Query(query, of))
            }
            Scalar::Length => self.length(first),
            Scalar::Compare(relation) => match rest {
                [second] => self.word_compare(relation, first, second),
                [] | [_, _, ..] => self.fault_scalar("a comparison needs two words"),
            },
            Scalar::ToInt => {
                let word = self.bits(first, None);
                self.check(Check::FitsInt(word));
                self.store_temp(Ty::Int, Op::WordToInt(word))
            }
        }
    }

    fn length(&mut self, bits: &Expr) -> Operand {
        // A declared size is known before the variable is set.
        if let ExprKind::Var(place) = bits.kind {
            if let Some(key) = self.declared_key(place.local, 0) {
                return self.size(key);
            }
            self.check_sized(place);
            let var = self.place_var(place);
            return self.store_temp(Ty::Int, Op::Length(var));
        }
        self.of_bits(bits, Ty::Int, Op::Length)
    }

    fn of_bits(&mut self, bits: &Expr, ty: Ty, op: impl FnOnce(VarId) -> Op) -> Operand {
        let bits = self.bits(bits, None);
        self.store_temp(ty, op(bits))
    }

    fn word_compare(&mut self, relation: Relation, left: &Expr, right: &Expr) -> Operand {
        let (left, right) = self.two_bits(left, right);
        self.store_temp(Ty::Bool, Op::WordCompare(relation, left, right))
    }
}
