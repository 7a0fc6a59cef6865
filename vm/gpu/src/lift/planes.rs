//! Kernels with queries, which are a few instructions of the control unit.
//!
//! Note [Planes]. If a kernel queries its lines by NUMB, SOME, ONE or ZERO, the truth values of all
//! iterations are a slice, a *plane*, with a component for each. Plane 0 marks the iterations. SOME
//! of the lines is one instruction over lines (Note [Lines]) that combines in the other direction:
//! a row of a table has a one if any of its columns has. Logic of truth values is logic of planes,
//! a condition is a plane under which an effect happens, and the component with the own index is a
//! plane from outside. So a few instructions run all iterations: a sum of NUMB is the number of
//! ones of all lines under a plane, a sum of a number is its product with the ones of the plane,
//! and `Z(i):=1` is Z or the plane. Separate numbers for each iteration would need a table; numbers
//! occur only in sums, and in comparisons that depend only on whether a number is 0.

use star_ir::kernel::{Effect, Value, ValueId};
use star_ir::{ForallRange, Kernel, LogicOp, Operand, Query, ReductionOp, VarId};

use super::lines::{Made, joined};

/// A truth value of each iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    /// It holds in all of them.
    Always,
    /// In none.
    Never,
    /// In those where the plane with this number has a one.
    Plane(usize),
}

/// The addend of a sum in an iteration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Addend {
    /// The number of ones of a line.
    Ones(Made),
    /// A number from outside.
    Number(Operand),
    /// 0 or 1.
    Bit(usize),
}

/// An instruction for all iterations. The first four make the next plane, the others have their
/// effect under a plane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// Has the line a one?
    Some(Made),
    /// The component of a slice or word.
    Component(VarId),
    Not(usize),
    Logic(LogicOp, usize, usize),
    Sum {
        into: VarId,
        of: Addend,
        when: usize,
    },
    Combine {
        into: VarId,
        op: LogicOp,
        of: Truth,
        when: usize,
    },
    Put {
        into: VarId,
        of: Truth,
        when: usize,
    },
    Cost {
        units: u64,
        when: usize,
    },
}

/// Returns the kernel as acts, if these can do what it does.
pub(crate) fn acts(kernel: &Kernel) -> Option<Vec<Act>> {
    let mut planner = Planner { kernel, planes: Vec::new(), acts: Vec::new() };
    kernel.effects.iter().try_for_each(|effect| planner.effect(effect))?;
    Some(planner.acts)
}

struct Planner<'k> {
    kernel: &'k Kernel,
    /// The acts that make planes, from plane 1.
    planes: Vec<Act>,
    acts: Vec<Act>,
}

impl Planner<'_> {
    fn value(&self, id: ValueId) -> &Value {
        &self.kernel.values[id.0 as usize]
    }

    fn effect(&mut self, effect: &Effect) -> Option<()> {
        let when = match effect {
            Effect::Store { .. } | Effect::Carry { .. } => return None,
            Effect::Reduce { when, .. } | Effect::Put { when, .. } => *when,
            Effect::Cost { when, .. } => Some(*when),
        };
        let when = match when {
            None => Truth::Plane(0),
            Some(when) => {
                let when = self.truth(when)?;
                self.logic(LogicOp::And, Truth::Plane(0), when)
            }
        };
        // Even an effect that never happens must be one that planes can have.
        let act = match *effect {
            Effect::Store { .. } | Effect::Carry { .. } => return None,
            Effect::Reduce { into, op: ReductionOp::Add, value, when: _ } => {
                let of = self.addend(value)?;
                let Truth::Plane(when) = when else { return Some(()) };
                Act::Sum { into, of, when }
            }
            Effect::Reduce { into, op, value, when: _ } => {
                let (op, of) = (op.logic()?, self.truth(value)?);
                let Truth::Plane(when) = when else { return Some(()) };
                Act::Combine { into, op, of, when }
            }
            Effect::Put { bits, value, when: _ } => {
                let range = self.kernel.iterations()?.range;
                (!matches!(range, ForallRange::Ones(over) if *over == bits)).then_some(())?;
                let of = self.bit(value)?;
                let Truth::Plane(when) = when else { return Some(()) };
                Act::Put { into: bits, of, when }
            }
            Effect::Cost { units, when: _ } => {
                let Truth::Plane(when) = when else { return Some(()) };
                Act::Cost { units, when }
            }
        };
        self.acts.push(act);
        Some(())
    }

    fn addend(&mut self, id: ValueId) -> Option<Addend> {
        match self.value(id) {
            Value::Query(Query::Count, of) => {
                joined(self.kernel, *of, LogicOp::Or, |bit| bit).map(Addend::Ones)
            }
            Value::Component(bits) => {
                let bits = *bits;
                Some(Addend::Bit(self.plane(Act::Component(bits))))
            }
            Value::Scalar(number @ (Operand::Var(_) | Operand::Int(_))) => {
                Some(Addend::Number(number.clone()))
            }
            _ => None,
        }
    }

    /// A component that is written.
    fn bit(&mut self, id: ValueId) -> Option<Truth> {
        match *self.value(id) {
            Value::Scalar(Operand::Int(0)) => Some(Truth::Never),
            Value::Scalar(Operand::Int(1)) => Some(Truth::Always),
            Value::Component(bits) => Some(Truth::Plane(self.plane(Act::Component(bits)))),
            _ => None,
        }
    }

    fn truth(&mut self, id: ValueId) -> Option<Truth> {
        match *self.value(id) {
            Value::Scalar(Operand::Bool(true)) => Some(Truth::Always),
            Value::Scalar(Operand::Bool(false)) => Some(Truth::Never),
            Value::Query(Query::Any, of) => self.some(of, |bit| bit),
            Value::Query(Query::None, of) => {
                let some = self.some(of, |bit| bit)?;
                Some(self.not(some))
            }
            Value::Query(Query::All, of) => {
                let some = self.some(of, |bit| !bit)?;
                Some(self.not(some))
            }
            Value::Not(of) => {
                let of = self.truth(of)?;
                Some(self.not(of))
            }
            Value::Logic(op, left, right) => {
                let (left, right) = (self.truth(left)?, self.truth(right)?);
                Some(self.logic(op, left, right))
            }
            Value::Compare(relation, left, right) => match (self.value(left), self.value(right)) {
                (_, &Value::Scalar(Operand::Int(with))) => {
                    self.compared(left, with, |number| relation.holds(number.cmp(&with)))
                }
                (&Value::Scalar(Operand::Int(with)), _) => {
                    self.compared(right, with, |number| relation.holds(with.cmp(&number)))
                }
                _ => None,
            },
            Value::Line(..)
            | Value::Whole(_)
            | Value::Fill(_)
            | Value::Query(Query::First | Query::Count, _)
            | Value::Index
            | Value::Scalar(_)
            | Value::Component(_)
            | Value::Carried(_)
            | Value::Select(..)
            | Value::Int(..) => None,
        }
    }

    /// The truth of a comparison of a number in each iteration, if it depends only on whether the
    /// number is 0.
    fn compared(&mut self, id: ValueId, with: i64, holds: impl Fn(i64) -> bool) -> Option<Truth> {
        let some = match *self.value(id) {
            Value::Component(bits) => Truth::Plane(self.plane(Act::Component(bits))),
            Value::Query(Query::Count, of) => {
                (with <= 1 && holds(1) == holds(2)).then_some(())?;
                self.some(of, |bit| bit)?
            }
            _ => return None,
        };
        Some(match (holds(0), holds(1)) {
            (true, true) => Truth::Always,
            (false, false) => Truth::Never,
            (false, true) => some,
            (true, false) => self.not(some),
        })
    }

    /// Has a line any such bit?
    fn some(&mut self, of: ValueId, of_bit: impl Fn(bool) -> bool) -> Option<Truth> {
        let made = joined(self.kernel, of, LogicOp::Or, of_bit)?;
        Some(Truth::Plane(self.plane(Act::Some(made))))
    }

    /// The number of a plane, which may be there already.
    fn plane(&mut self, act: Act) -> usize {
        let known = self.planes.iter().position(|known| *known == act);
        1 + known.unwrap_or_else(|| {
            self.acts.push(act.clone());
            self.planes.push(act);
            self.planes.len() - 1
        })
    }

    fn not(&mut self, truth: Truth) -> Truth {
        match truth {
            Truth::Always => Truth::Never,
            Truth::Never => Truth::Always,
            Truth::Plane(plane) => Truth::Plane(self.plane(Act::Not(plane))),
        }
    }

    fn logic(&mut self, op: LogicOp, left: Truth, right: Truth) -> Truth {
        match (op, left, right) {
            (op, Truth::Plane(left), Truth::Plane(right)) => {
                Truth::Plane(self.plane(Act::Logic(op, left, right)))
            }
            (LogicOp::And, Truth::Always, other) | (LogicOp::And, other, Truth::Always) => other,
            (LogicOp::Or, Truth::Never, other) | (LogicOp::Or, other, Truth::Never) => other,
            (LogicOp::Xor, Truth::Never, other) | (LogicOp::Xor, other, Truth::Never) => other,
            (LogicOp::And, Truth::Never, _) | (LogicOp::And, _, Truth::Never) => Truth::Never,
            (LogicOp::Or, Truth::Always, _) | (LogicOp::Or, _, Truth::Always) => Truth::Always,
            (LogicOp::Xor, Truth::Always, other) | (LogicOp::Xor, other, Truth::Always) => {
                self.not(other)
            }
        }
    }
}
