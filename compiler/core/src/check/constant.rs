//! Constants: `const NAME = value;`, evaluated at compile time, as are the layouts of record types.

use std::cell::{Cell, RefCell};

use star_base::{Code, Diagnostic, Span};
use star_syntax::ast::{self, BinaryOp, CompareOp, ExprKind};
use star_value::BitVector;

use crate::hir;
use crate::scope::World;
use crate::uses::{Access, Meaning, Use};

use super::layout::Layout;

/// The value of a constant.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Int(i64),
    Bool(bool),
    Str(String),
    Bits(BitVector),
    /// Already reported.
    Error,
}

impl Value {
    /// Returns the value as an expression. `bits` selects whether bits become a slice, a word, or
    /// an integer; a single bit can be an integer, the value of a component.
    pub(crate) fn to_expr(&self, span: Span, bits: hir::TyKind) -> hir::Expr {
        let (kind, ty) = match self {
            Value::Int(value) => (hir::ExprKind::Int(*value), hir::TyKind::Int),
            Value::Bool(value) => (hir::ExprKind::Bool(*value), hir::TyKind::Bool),
            Value::Str(value) => (hir::ExprKind::Str(value.clone()), hir::TyKind::Str),
            Value::Bits(value) if bits == hir::TyKind::Int && value.len() == 1 => {
                (hir::ExprKind::Int(i64::from(value.get(0))), hir::TyKind::Int)
            }
            Value::Bits(value) => {
                let ty = if bits == hir::TyKind::Slice { bits } else { hir::TyKind::Word };
                (hir::ExprKind::Bits(Box::new(value.clone())), ty)
            }
            Value::Error => (hir::ExprKind::Error, hir::TyKind::Error),
        };
        hir::Expr { kind, ty, span, effects: false }
    }
}

/// The values of all constants, evaluated on demand.
pub(crate) struct Constants<'a> {
    world: &'a World<'a>,
    values: RefCell<Vec<Option<Value>>>,
    /// The layouts of the record types.
    layouts: Vec<Layout>,
    /// Constants whose evaluation has begun; one that depends on itself is an error.
    begun: RefCell<Vec<bool>>,
    depth: Cell<usize>,
    /// The constants that values mention.
    uses: RefCell<Vec<Use>>,
}

/// Maximum length of a chain of constants that refer to other constants.
const MAX_CHAIN: usize = 64;

impl<'a> Constants<'a> {
    pub(crate) fn new(world: &'a World<'a>) -> Self {
        let n = world.constants.len();
        Constants {
            world,
            values: RefCell::new(vec![None; n]),
            layouts: Vec::new(),
            begun: RefCell::new(vec![false; n]),
            depth: Cell::new(0),
            uses: RefCell::default(),
        }
    }

    pub(crate) fn evaluate_all(&mut self, diagnostics: &mut Vec<Diagnostic>) {
        for idx in 0..self.world.constants.len() {
            self.evaluate(idx, diagnostics);
        }
        let types = self.world.types.iter();
        self.layouts = types.map(|decl| self.lay_out(decl, diagnostics)).collect();
    }

    /// Returns the layout of the record type `idx`. All were evaluated already.
    pub(crate) fn layout(&self, idx: usize) -> &Layout {
        &self.layouts[idx]
    }

    /// Returns the value of the constant that a name in `unit` denotes.
    pub(super) fn named(&self, unit: usize, name: &ast::Expr) -> Option<Value> {
        let ident = name.plain_name()?;
        let idx = self.world.constant(unit, &ident.name)?;
        if !self.world.units[unit].library {
            let meaning = Meaning::Constant(idx as u32);
            let mention = Use { span: ident.span, access: Access::Reads, meaning };
            self.uses.borrow_mut().push(mention);
        }
        Some(self.value(idx))
    }

    /// Returns the constants that values in files of the user mention.
    pub(crate) fn take_uses(&self) -> Vec<Use> {
        self.uses.take()
    }

    /// Returns the value of the constant `idx`. All constants have been evaluated already.
    pub(crate) fn value(&self, idx: usize) -> Value {
        self.values.borrow().get(idx).cloned().flatten().unwrap_or(Value::Error)
    }

    fn evaluate(&self, idx: usize, diagnostics: &mut Vec<Diagnostic>) -> Value {
        if let Some(value) = &self.values.borrow()[idx] {
            return value.clone();
        }
        let decl = &self.world.constants[idx];
        let value = if self.begun.borrow()[idx] || self.depth.get() >= MAX_CHAIN {
            let message = if self.begun.borrow()[idx] {
                format!("the constant `{}` depends on its own value", decl.name.name)
            } else {
                format!("the constant `{}` depends on too many others", decl.name.name)
            };
            diagnostics.push(Diagnostic::at(Code::NotConstant, decl.name.span, message));
            Value::Error
        } else {
            self.begun.borrow_mut()[idx] = true;
            self.depth.set(self.depth.get() + 1);
            let value = self.expr(decl.value, decl.unit, diagnostics);
            self.depth.set(self.depth.get() - 1);
            value
        };
        let slot = &mut self.values.borrow_mut()[idx];
        slot.get_or_insert(value).clone()
    }

    fn expr(&self, expr: &ast::Expr, unit: usize, diagnostics: &mut Vec<Diagnostic>) -> Value {
        let mut refuse = |span: Span, message: &str| {
            diagnostics.push(Diagnostic::at(Code::NotConstant, span, message).note(
                "a constant is built from numbers, bits, strings, other constants and \
                        operators",
            ));
            Value::Error
        };
        match &expr.kind {
            ExprKind::Error => Value::Error,
            ExprKind::Int(value) => match i64::try_from(*value) {
                Ok(value) => Value::Int(value),
                Err(_) => refuse(expr.span, "this number does not fit in 64 bits"),
            },
            ExprKind::Bool(value) => Value::Bool(*value),
            ExprKind::Str(text) => Value::Str(text.to_string()),
            ExprKind::Bits(text) => match BitVector::parse(text) {
                Some(bits) => Value::Bits(bits),
                None => {
                    diagnostics.push(super::expr::bad_bits(expr.span));
                    Value::Error
                }
            },
            ExprKind::Theta => refuse(expr.span, "`Θ` has no size here"),
            ExprKind::Name(name, _) => match self.world.constant(unit, name) {
                Some(idx) => {
                    if let Some(name) =
                        expr.plain_name().filter(|_| !self.world.units[unit].library)
                    {
                        let meaning = Meaning::Constant(idx as u32);
                        let mention = Use { span: name.span, access: Access::Reads, meaning };
                        self.uses.borrow_mut().push(mention);
                    }
                    self.evaluate(idx, diagnostics)
                }
                // The import that could not be read may declare it.
                None if self.world.units[unit].import_failed => Value::Error,
                None => refuse(expr.span, "this is not constant"),
            },
            ExprKind::Ref(_) | ExprKind::Path(_) | ExprKind::Filtered(_) => {
                refuse(expr.span, "this is not constant")
            }
            ExprKind::Not(operand) => match self.expr(operand, unit, diagnostics) {
                Value::Bool(value) => Value::Bool(!value),
                Value::Error => Value::Error,
                Value::Int(_) | Value::Str(_) | Value::Bits(_) => {
                    diagnostics.push(not_for_constants(expr.span));
                    Value::Error
                }
            },
            ExprKind::Neg(operand) => {
                if let ExprKind::Int(value) = operand.kind {
                    // −2⁶³ is an integer although 2⁶³ is not.
                    return Value::Int((value as i64).wrapping_neg());
                }
                match self.expr(operand, unit, diagnostics) {
                    Value::Int(value) => self.int(expr.span, value.checked_neg(), diagnostics),
                    Value::Error => Value::Error,
                    Value::Bool(_) | Value::Str(_) | Value::Bits(_) => {
                        diagnostics.push(not_for_constants(expr.span));
                        Value::Error
                    }
                }
            }
            ExprKind::Chain(chain) => {
                let mut value = self.expr(&chain.first, unit, diagnostics);
                for link in &chain.links {
                    let right = self.expr(&link.operand, unit, diagnostics);
                    value = self.binary(link.op, link.op_span, &value, &right, diagnostics);
                }
                value
            }
            ExprKind::Compare(op, sides) => {
                let [left, right] = &**sides;
                let left = self.expr(left, unit, diagnostics);
                let right = self.expr(right, unit, diagnostics);
                match (op, &left, &right) {
                    (_, Value::Error, _) | (_, _, Value::Error) => Value::Error,
                    (op, Value::Int(a), Value::Int(b)) => Value::Bool(match op {
                        CompareOp::Eq => a == b,
                        CompareOp::Ne => a != b,
                        CompareOp::Lt => a < b,
                        CompareOp::Le => a <= b,
                        CompareOp::Gt => a > b,
                        CompareOp::Ge => a >= b,
                    }),
                    (CompareOp::Eq, a, b) => Value::Bool(a == b),
                    (CompareOp::Ne, a, b) => Value::Bool(a != b),
                    (CompareOp::Lt | CompareOp::Le | CompareOp::Gt | CompareOp::Ge, _, _) => {
                        diagnostics.push(not_for_constants(expr.span));
                        Value::Error
                    }
                }
            }
        }
    }

    fn binary(
        &self,
        op: BinaryOp,
        span: Span,
        left: &Value,
        right: &Value,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Value {
        match (left, right) {
            (Value::Error, _) | (_, Value::Error) => Value::Error,
            (Value::Int(a), Value::Int(b)) => {
                let value = match op {
                    BinaryOp::Add => a.checked_add(*b),
                    BinaryOp::Sub => a.checked_sub(*b),
                    BinaryOp::Mul => a.checked_mul(*b),
                    BinaryOp::Div => a.checked_div(*b),
                    // −2⁶³ mod −1 is 0, although its quotient overflows.
                    BinaryOp::Mod if *b == -1 => Some(0),
                    BinaryOp::Mod => a.checked_rem(*b),
                    BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Saturate => {
                        diagnostics.push(not_for_constants(span));
                        return Value::Error;
                    }
                };
                self.int(span, value, diagnostics)
            }
            (Value::Bool(a), Value::Bool(b)) => match op {
                BinaryOp::And => Value::Bool(*a && *b),
                BinaryOp::Or => Value::Bool(*a || *b),
                BinaryOp::Xor => Value::Bool(a != b),
                BinaryOp::Add
                | BinaryOp::Saturate
                | BinaryOp::Sub
                | BinaryOp::Mul
                | BinaryOp::Div
                | BinaryOp::Mod => {
                    diagnostics.push(not_for_constants(span));
                    Value::Error
                }
            },
            (Value::Int(_) | Value::Bool(_) | Value::Str(_) | Value::Bits(_), _) => {
                diagnostics.push(not_for_constants(span));
                Value::Error
            }
        }
    }

    fn int(&self, span: Span, value: Option<i64>, diagnostics: &mut Vec<Diagnostic>) -> Value {
        match value {
            Some(value) => Value::Int(value),
            None => {
                diagnostics.push(Diagnostic::at(
                    Code::NotConstant,
                    span,
                    "this overflows 64 bits or divides by zero",
                ));
                Value::Error
            }
        }
    }
}

fn not_for_constants(span: Span) -> Diagnostic {
    Diagnostic::at(Code::NotConstant, span, "this operation cannot be applied to these constants")
}
