//! Which loops that ask about lines are some instructions of the control unit.
//!
//! Note [Planes]. Where the body of a `forall` asks something about lines of its index (NUMB, SOME,
//! ONE, ZERO), the truth values of all iterations are a slice, a *plane*, with a component for
//! each. Plane 0 says which iterations there are. SOME of the lines is what one instruction over
//! lines (Note [Lines]) combines the other way: the rows of a table have a one where any of its
//! columns has. Logic of truth values is logic of planes, a branch is a plane under which its
//! statements have their effect, a component of the own index is a plane that is there already. So
//! a few instructions do all iterations: a sum of NUMB is all ones of the lines under a plane, a
//! sum of a number as often as the plane has ones, `Z(i):=1` is Z or the plane. Numbers of each
//! iteration's own would take a table; only sums take them, and whether they are 0.

use std::collections::HashMap;

use star_ir::{
    Check, ForallRange, IntOp, LogicOp, Op, Operand, PartKind, Reduction, ReductionOp, Routine,
    Stmt, StmtKind, VarId, visit,
};

use super::find::{Finder, loaded, logic};
use super::lines::{Made, Nodes};
use super::{Line, Node, Step};

/// A `forall` that asks about lines.
#[derive(Clone, Debug)]
pub(crate) struct Questions {
    pub(crate) line: Line,
    pub(crate) iteration: VarId,
    /// What has to hold before.
    pub(crate) steps: Vec<Step>,
    /// Numbers and truth values that have to be set before.
    pub(crate) set: Vec<VarId>,
    pub(crate) acts: Vec<Act>,
    /// Elementary operations of every iteration.
    pub(crate) cost: u64,
}

/// A truth value of each iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    /// It holds in all of them.
    Always,
    /// In none.
    Never,
    /// In those where plane number so much has a one.
    Plane(usize),
}

/// What a sum takes in an iteration.
#[derive(Clone, Debug)]
pub(crate) enum Addend {
    /// The number of ones of a line.
    Ones(Made),
    /// A number from outside.
    Number(Operand),
    /// 0 or 1.
    Bit(usize),
}

/// What is done for all iterations. The first four make the next plane, the others have their
/// effect under a plane.
#[derive(Clone, Debug)]
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

/// A number of each iteration.
#[derive(Clone, Debug)]
enum Number {
    /// The number of ones of what this node makes.
    Ones(usize),
    Bit(usize),
}

/// The loop, if it is one.
pub(crate) fn questions(routine: &Routine, stmt: &Stmt) -> Option<Questions> {
    let StmtKind::Forall { label: _, var, range, writes, privates, reductions, body } = &stmt.kind
    else {
        return None;
    };
    let is_component = |part: &star_ir::Part| part.kind == PartKind::Component;
    writes.iter().all(is_component).then_some(())?;
    let (table, line) = loaded(body, *var)?;
    let mut finder = Finder::new(routine);
    finder.assigned.push(*var);
    finder.assigned.extend(privates);
    let written = writes.iter().map(|part| part.var).collect();
    let mut asking = Asking {
        routine,
        finder,
        own: (table, line),
        iteration: *var,
        reductions,
        written,
        numbers: HashMap::new(),
        truths: HashMap::new(),
        n_planes: 1,
        acts: Vec::new(),
    };
    if let ForallRange::Ones(over) = range {
        (!asking.written.contains(over)).then_some(())?;
    }
    asking.block(body, 0)?;
    let Asking { finder, acts, .. } = asking;
    let Finder { steps, cost, .. } = finder;
    let set = reductions.iter().map(|reduction| reduction.var).collect();
    Some(Questions { line, iteration: *var, steps, set, acts, cost })
}

struct Asking<'r> {
    routine: &'r Routine,
    finder: Finder<'r>,
    own: (VarId, Line),
    iteration: VarId,
    reductions: &'r [Reduction],
    /// Slices and words of which each iteration writes its component.
    written: Vec<VarId>,
    numbers: HashMap<VarId, Number>,
    truths: HashMap<VarId, Truth>,
    n_planes: usize,
    acts: Vec<Act>,
}

impl Asking<'_> {
    fn block(&mut self, block: &[Stmt], when: usize) -> Option<()> {
        block.iter().try_for_each(|stmt| self.statement(stmt, when))
    }

    /// A statement in the iterations of this plane.
    fn statement(&mut self, stmt: &Stmt, when: usize) -> Option<()> {
        match &stmt.kind {
            StmtKind::Cost { units, times: None } if when > 0 => {
                self.acts.push(Act::Cost { units: *units, when });
                Some(())
            }
            StmtKind::Check(Check::Set(var)) if self.is_own(*var) => Some(()),
            StmtKind::Check(Check::Bit(bit)) => self.bit(bit).map(|_| ()),
            StmtKind::Check(_) => {
                let mut takes_own = false;
                visit::accesses(&stmt.kind, &mut |var, _| takes_own |= self.is_own(var));
                (!takes_own).then_some(())?;
                self.of_line(stmt)
            }
            StmtKind::Assign(dst, op) => match self.reduction(*dst) {
                Some(reduction) => self.combine(*dst, reduction, op, when),
                None => self.assign(stmt, *dst, op, when),
            },
            StmtKind::Put { bits, index, bit } => {
                let is_component =
                    self.written.contains(bits) && *index == Operand::Var(self.iteration);
                is_component.then_some(())?;
                let of = self.bit(bit)?;
                self.acts.push(Act::Put { into: *bits, of, when });
                Some(())
            }
            StmtKind::If { test, then, otherwise } => {
                let test = self.truth(test)?;
                if let Some(when) = self.both(when, test) {
                    self.block(then, when)?;
                }
                if otherwise.is_empty() {
                    return Some(());
                }
                let fails = self.not(test);
                match self.both(when, fails) {
                    Some(when) => self.block(otherwise, when),
                    None => Some(()),
                }
            }
            StmtKind::Cost { units: _, times: None } => self.of_line(stmt),
            _ => None,
        }
    }

    /// Has the variable another value in each iteration, or is it combined?
    fn is_own(&self, var: VarId) -> bool {
        self.numbers.contains_key(&var)
            || self.truths.contains_key(&var)
            || self.reduction(var).is_some()
    }

    fn reduction(&self, var: VarId) -> Option<ReductionOp> {
        self.reductions.iter().find(|reduction| reduction.var == var).map(|reduction| reduction.op)
    }

    /// What is done to lines.
    fn of_line(&mut self, stmt: &Stmt) -> Option<()> {
        self.finder.of_iteration(stmt, self.iteration, self.own, &mut None)
    }

    fn assign(&mut self, stmt: &Stmt, dst: VarId, op: &Op, when: usize) -> Option<()> {
        if self.routine.var(dst).ty.is_bits() {
            // Nothing of the body's own is read before it is made, nor is what it writes.
            let mut is_written = false;
            visit::accesses(&stmt.kind, &mut |var, _| is_written |= self.written.contains(&var));
            (when == 0 && !is_written).then_some(())?;
            return self.of_line(stmt);
        }
        // Under a branch it would keep what an iteration had.
        (when == 0).then_some(())?;
        let number = match op {
            Op::Count(of) => Some(Number::Ones(self.line(*of)?)),
            Op::Component(bits, index) => {
                let is_own = *index == Operand::Var(self.iteration) && self.is_outside(*bits);
                is_own.then_some(())?;
                Some(Number::Bit(self.plane(Act::Component(*bits))))
            }
            Op::Copy(Operand::Var(var)) => self.numbers.get(var).cloned(),
            _ => None,
        };
        if let Some(number) = number {
            self.numbers.insert(dst, number);
            return Some(());
        }
        let truth = match op {
            Op::Some(of) => self.some(*of, false)?,
            Op::None(of) => {
                let some = self.some(*of, false)?;
                self.not(some)
            }
            Op::All(of) => {
                let some = self.some(*of, true)?;
                self.not(some)
            }
            Op::Compare(relation, Operand::Var(var), Operand::Int(with)) => {
                self.compared(var, *with, |number| relation.holds(number.cmp(with)))?
            }
            Op::Compare(relation, Operand::Int(with), Operand::Var(var)) => {
                self.compared(var, *with, |number| relation.holds(with.cmp(&number)))?
            }
            Op::Copy(of) => self.truth(of)?,
            Op::Not(of) => {
                let of = self.truth(of)?;
                self.not(of)
            }
            Op::Logic(op, left, right) => {
                let (left, right) = (self.truth(left)?, self.truth(right)?);
                self.logic(*op, left, right)
            }
            _ => return None,
        };
        self.truths.insert(dst, truth);
        Some(())
    }

    /// A step of a reduction.
    fn combine(&mut self, into: VarId, by: ReductionOp, op: &Op, when: usize) -> Option<()> {
        let other = |left: &Operand, right: &Operand| match (left, right) {
            (Operand::Var(var), other) | (other, Operand::Var(var)) if *var == into => {
                Some(other.clone())
            }
            _ => None,
        };
        match op {
            Op::Int(IntOp::Add, left, right) if by == ReductionOp::Add => {
                let of = match other(left, right)? {
                    Operand::Var(var) if self.is_own(var) => match self.numbers.get(&var)? {
                        Number::Ones(node) => Addend::Ones(self.joined(*node)?),
                        Number::Bit(plane) => Addend::Bit(*plane),
                    },
                    // An iteration's index, or what it left.
                    Operand::Var(var) if self.finder.assigned.contains(&var) => return None,
                    number @ (Operand::Var(_) | Operand::Int(_)) => Addend::Number(number),
                    Operand::Bool(_) | Operand::Str(_) => return None,
                };
                self.acts.push(Act::Sum { into, of, when });
            }
            Op::Logic(op, left, right) if logic(by) == Some(*op) => {
                let of = self.truth(&other(left, right)?)?;
                self.acts.push(Act::Combine { into, op: *op, of, when });
            }
            _ => return None,
        }
        Some(())
    }

    /// The node of a slice or word that holds something of the iteration's own lines.
    fn line(&mut self, bits: VarId) -> Option<usize> {
        (!self.written.contains(&bits)).then(|| self.finder.value(bits).0)
    }

    /// Has a slice or word a one, or a zero?
    fn some(&mut self, bits: VarId, zero: bool) -> Option<Truth> {
        let node = self.line(bits)?;
        let node = if zero { self.finder.node(Node::Not(node)) } else { node };
        self.some_of(node)
    }

    fn some_of(&mut self, node: usize) -> Option<Truth> {
        let made = self.joined(node)?;
        Some(Truth::Plane(self.plane(Act::Some(made))))
    }

    fn joined(&self, node: usize) -> Option<Made> {
        Nodes(&self.finder.nodes).joined(node, self.own.1, LogicOp::Or)
    }

    /// Is it a slice or word that the loop leaves alone?
    fn is_outside(&self, bits: VarId) -> bool {
        !self.written.contains(&bits) && !self.finder.assigned.contains(&bits)
    }

    /// What holds of a number of each iteration, if it is enough to know whether that is 0.
    fn compared(&mut self, var: &VarId, with: i64, holds: impl Fn(i64) -> bool) -> Option<Truth> {
        let some = match *self.numbers.get(var)? {
            Number::Bit(plane) => Truth::Plane(plane),
            Number::Ones(node) => {
                (with <= 1 && holds(1) == holds(2)).then_some(())?;
                self.some_of(node)?
            }
        };
        Some(match (holds(0), holds(1)) {
            (true, true) => Truth::Always,
            (false, false) => Truth::Never,
            (false, true) => some,
            (true, false) => self.not(some),
        })
    }

    fn truth(&self, operand: &Operand) -> Option<Truth> {
        match operand {
            Operand::Bool(true) => Some(Truth::Always),
            Operand::Bool(false) => Some(Truth::Never),
            Operand::Var(var) => self.truths.get(var).copied(),
            Operand::Int(_) | Operand::Str(_) => None,
        }
    }

    /// A component that is written.
    fn bit(&self, bit: &Operand) -> Option<Truth> {
        match bit {
            Operand::Int(0) => Some(Truth::Never),
            Operand::Int(1) => Some(Truth::Always),
            Operand::Var(var) => match self.numbers.get(var)? {
                Number::Bit(plane) => Some(Truth::Plane(*plane)),
                Number::Ones(_) => None,
            },
            Operand::Int(_) | Operand::Bool(_) | Operand::Str(_) => None,
        }
    }

    /// The number of a new plane.
    fn plane(&mut self, act: Act) -> usize {
        self.acts.push(act);
        self.n_planes += 1;
        self.n_planes - 1
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

    /// The plane of iterations of a plane in which something holds; `None` if it never does.
    fn both(&mut self, when: usize, truth: Truth) -> Option<usize> {
        match self.logic(LogicOp::And, Truth::Plane(when), truth) {
            Truth::Plane(plane) => Some(plane),
            Truth::Always | Truth::Never => None,
        }
    }
}
