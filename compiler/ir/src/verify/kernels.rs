//! Rule 10: kernels.

use std::collections::{BTreeMap, BTreeSet};

use super::Subject;
use crate::check::Check;
use crate::kernel::{self, Effect, Iterations, Kernel, Line, Value, ValueId};
use crate::op::Operand;
use crate::program::{Ty, VarId};
use crate::stmt::{PartKind, ReductionOp, Stmt, StmtKind};
use crate::visit::{self, Access};

pub(super) fn check(subject: &mut Subject<'_, '_>) {
    let body = &subject.routine.body;
    visit::walk(body, &mut |stmt| {
        if let StmtKind::Kernel(kernel) = &stmt.kind {
            let (var, privates, written) = match (kernel.iterations(), kernel.in_order()) {
                (Some(Iterations { var, privates, .. }), _) => (var, privates, BTreeSet::new()),
                (None, Some(in_order)) => {
                    (in_order.var, &[][..], kernel::written(&kernel.fallback))
                }
                (None, None) => {
                    let message = "the fallback of a kernel is not one `forall` or `for`";
                    return subject.fault(Some(stmt), message);
                }
            };
            let slopes = kernel::slopes(&kernel.values);
            Rule { subject, stmt, kernel, var, privates, written, slopes }.check();
        }
    });
}

/// The kind of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bits,
    Int,
    Bool,
}

impl Kind {
    fn text(self) -> &'static str {
        match self {
            Kind::Bits => "bits",
            Kind::Int => "an integer",
            Kind::Bool => "a boolean",
        }
    }
}

struct Rule<'s, 'a, 'e> {
    subject: &'s mut Subject<'a, 'e>,
    stmt: &'s Stmt,
    kernel: &'s Kernel,
    /// The index.
    var: VarId,
    privates: &'s [VarId],
    /// In order, the variables that the fallback writes.
    written: BTreeSet<VarId>,
    slopes: Vec<Option<i64>>,
}

impl Rule<'_, '_, '_> {
    fn check(mut self) {
        let kernel = self.kernel;
        if holds_kernel(&kernel.fallback) {
            self.fault("a kernel in the fallback of a kernel".into());
        }
        self.is_table(kernel.table);
        let mut kinds: Vec<Option<Kind>> = Vec::with_capacity(kernel.values.len());
        for value in &kernel.values {
            let kind = self.value(value, &kinds);
            kinds.push(kind);
        }
        for effect in &kernel.effects {
            self.effect(effect, &kinds);
        }
        for guard in &kernel.guards {
            self.guard(guard);
        }
        match kernel.in_order() {
            Some(_) => self.in_order(),
            None => self.declared(),
        }
    }

    /// Checks that a stored table has one column in each iteration, that the fallback writes what
    /// the effects change, and no other table.
    fn in_order(&mut self) {
        let Kernel { line, values, effects, .. } = self.kernel;
        if *line != Line::Column {
            self.fault("a kernel in order over rows".into());
        }
        let (mut stored, mut changed) = (BTreeMap::new(), BTreeSet::new());
        for effect in effects {
            match effect {
                Effect::Store { table, index, .. } => {
                    let before = stored.insert(*table, *index);
                    if before.is_some_and(|before| before != *index) {
                        self.uses_another_column(*table);
                    }
                }
                Effect::Carry { into, .. } => {
                    changed.insert(*into);
                }
                Effect::Reduce { .. } | Effect::Put { .. } | Effect::Cost { .. } => {}
            }
        }
        for value in values {
            match value {
                Value::Carried(var) if !changed.contains(var) => {
                    let name = self.subject.name(*var);
                    self.fault(format!("{name} is carried and not set"));
                }
                Value::Line(table, index) if stored.get(table).is_some_and(|it| it != index) => {
                    self.uses_another_column(*table);
                }
                _ => {}
            }
        }
        let written = std::mem::take(&mut self.written);
        for var in changed.iter().chain(stored.keys()).filter(|var| !written.contains(var)) {
            let name = self.subject.name(*var);
            self.fault(format!("the fallback of the kernel does not change {name}"));
        }
        for var in written {
            if matches!(self.ty(var), Ty::Table(..)) && !stored.contains_key(&var) {
                let name = self.subject.name(var);
                self.fault(format!("the kernel does not change {name} as its fallback does"));
            }
        }
    }

    fn uses_another_column(&mut self, table: VarId) {
        let name = self.subject.name(table);
        self.fault(format!("an iteration stores to {name} and uses another column of it"));
    }

    fn fault(&mut self, message: String) {
        self.subject.fault(Some(self.stmt), message);
    }

    fn ty(&self, var: VarId) -> Ty {
        self.subject.ty(var)
    }

    fn is_table(&mut self, var: VarId) {
        if !matches!(self.ty(var), Ty::Table(..)) {
            let name = self.subject.name(var);
            self.fault(format!("{name} is not a table"));
        }
    }

    fn is_bits(&mut self, var: VarId) {
        if !self.ty(var).is_bits() {
            let name = self.subject.name(var);
            self.fault(format!("{name} is not a slice or word"));
        }
    }

    /// Returns the kind of a value; `None` if it has a fault.
    fn value(&mut self, value: &Value, kinds: &[Option<Kind>]) -> Option<Kind> {
        let of = |rule: &mut Self, id: ValueId| rule.kind(id, kinds);
        Some(match value {
            Value::Line(table, index) => {
                self.is_table(*table);
                self.is_next_to_index(*index, kinds);
                Kind::Bits
            }
            Value::Whole(var) => {
                // A row is a word and a column a slice, but a line may be converted.
                self.is_bits(*var);
                self.is_outside(*var);
                Kind::Bits
            }
            Value::Component(var) => {
                self.is_bits(*var);
                self.is_outside(*var);
                Kind::Int
            }
            Value::Fill(_) => Kind::Bits,
            Value::Index => Kind::Int,
            Value::Scalar(Operand::Int(_)) => Kind::Int,
            Value::Scalar(Operand::Bool(_)) => Kind::Bool,
            Value::Scalar(Operand::Var(var)) => {
                self.is_outside(*var);
                match self.ty(*var) {
                    Ty::Int => Kind::Int,
                    Ty::Bool => Kind::Bool,
                    Ty::Str | Ty::Slice(_) | Ty::Word(_) | Ty::Table(..) | Ty::Handle => {
                        let name = self.subject.name(*var);
                        self.fault(format!("{name} is not an integer or boolean"));
                        return None;
                    }
                }
            }
            Value::Scalar(Operand::Str(_)) => {
                self.fault("a string in a kernel".into());
                return None;
            }
            Value::Not(id) => match of(self, *id)? {
                Kind::Int => return self.wrong("bits or a boolean", *id),
                kind => kind,
            },
            Value::Logic(_, left, right) => {
                let (kind, other) = (of(self, *left)?, of(self, *right)?);
                if kind == Kind::Int || kind != other {
                    return self.wrong("operands of one kind, bits or booleans", *right);
                }
                kind
            }
            Value::Query(query, id) => {
                self.needs_order(false);
                if of(self, *id)? != Kind::Bits {
                    return self.wrong("bits", *id);
                }
                if query.is_test() { Kind::Bool } else { Kind::Int }
            }
            Value::Compare(_, left, right) => {
                if (of(self, *left)?, of(self, *right)?) != (Kind::Int, Kind::Int) {
                    return self.wrong("integers", *left);
                }
                Kind::Bool
            }
            Value::Carried(var) => {
                self.needs_order(true);
                self.is_bits(*var);
                Kind::Bits
            }
            Value::Select(test, then, otherwise) => {
                self.needs_order(true);
                if of(self, *test)? != Kind::Bool {
                    return self.wrong("a boolean", *test);
                }
                for id in [then, otherwise] {
                    if of(self, *id)? != Kind::Bits {
                        return self.wrong("bits", *id);
                    }
                }
                Kind::Bits
            }
            Value::Int(_, left, right) => {
                self.needs_order(true);
                if (of(self, *left)?, of(self, *right)?) != (Kind::Int, Kind::Int) {
                    return self.wrong("integers", *left);
                }
                if self.slopes[kinds.len()].is_none() {
                    self.fault(format!("value {} of a kernel is not linear", kinds.len()));
                }
                Kind::Int
            }
        })
    }

    /// Checks that a value or effect has its place in a kernel in order, or in another one.
    fn needs_order(&mut self, order: bool) {
        if self.kernel.in_order().is_some() != order {
            let place = if order { "only in kernels in order" } else { "not in kernels in order" };
            self.fault(format!("a value or effect that is {place}"));
        }
    }

    /// Checks that a value, if any, is the index plus a number.
    fn is_next_to_index(&mut self, id: Option<ValueId>, kinds: &[Option<Kind>]) {
        let Some(id) = id else { return };
        self.needs_order(true);
        if self.kind(id, kinds).is_some() && self.slopes[id.0 as usize] != Some(1) {
            let _ = self.wrong("the index plus a number", id);
        }
    }

    fn wrong(&mut self, wanted: &str, id: ValueId) -> Option<Kind> {
        self.fault(format!("value {} of a kernel: expected {wanted}", id.0));
        None
    }

    fn kind(&mut self, id: ValueId, kinds: &[Option<Kind>]) -> Option<Kind> {
        match kinds.get(id.0 as usize) {
            Some(kind) => *kind,
            None => {
                self.fault(format!("value {} of a kernel is used before it is computed", id.0));
                None
            }
        }
    }

    /// Checks that no iteration changes the variable.
    fn is_outside(&mut self, var: VarId) {
        let changed = self.kernel.effects.iter().any(|effect| match effect {
            Effect::Store { table: changed, .. }
            | Effect::Reduce { into: changed, .. }
            | Effect::Put { bits: changed, .. } => *changed == var,
            Effect::Carry { .. } | Effect::Cost { .. } => false,
        });
        match changed || self.written.contains(&var) {
            true => self.differs(var),
            false => self.is_shared(var),
        }
    }

    fn effect(&mut self, effect: &Effect, kinds: &[Option<Kind>]) {
        match effect {
            Effect::Carry { .. } => self.needs_order(true),
            Effect::Reduce { .. } | Effect::Put { .. } => self.needs_order(false),
            Effect::Store { .. } | Effect::Cost { .. } => {}
        }
        let (value, when, wanted) = match effect {
            Effect::Store { table, index, value } => {
                self.is_table(*table);
                self.is_next_to_index(*index, kinds);
                (Some(*value), None, Kind::Bits)
            }
            Effect::Reduce { into, op, value, when } => {
                let kind = match self.ty(*into) {
                    Ty::Int => Kind::Int,
                    Ty::Bool => Kind::Bool,
                    Ty::Slice(_) | Ty::Word(_) | Ty::Str | Ty::Table(..) | Ty::Handle => Kind::Bits,
                };
                let suits = match op {
                    ReductionOp::Or | ReductionOp::And | ReductionOp::Xor => kind != Kind::Int,
                    ReductionOp::Min | ReductionOp::Max | ReductionOp::Add => kind == Kind::Int,
                };
                if !suits {
                    let name = self.subject.name(*into);
                    self.fault(format!("{name} has another kind than its reduction"));
                }
                (Some(*value), *when, kind)
            }
            Effect::Put { value, when, .. } => (Some(*value), *when, Kind::Int),
            Effect::Carry { into, value, .. } => {
                self.is_bits(*into);
                (Some(*value), None, Kind::Bits)
            }
            Effect::Cost { when, .. } => (None, Some(*when), Kind::Bool),
        };
        for (id, wanted) in [(value, wanted), (when, Kind::Bool)] {
            if let Some(id) = id
                && self.kind(id, kinds).is_some_and(|kind| kind != wanted)
            {
                let _ = self.wrong(wanted.text(), id);
            }
        }
    }

    fn guard(&mut self, guard: &Check) {
        let mut vars = Vec::new();
        match guard {
            Check::Index(index, limit) if *index == Operand::Var(self.var) => {
                visit::measure(limit, &mut |var, access| vars.push((var, access)));
            }
            Check::Set(_) | Check::Size(..) | Check::NotNegative(_) | Check::Bit(_) => {
                visit::check_accesses(guard, &mut |var, access| vars.push((var, access)));
            }
            _ => self.fault("a guard that does not hold in all iterations at once".into()),
        }
        for (var, access) in vars {
            match matches!(guard, Check::Set(_)) || access == Access::ReadSize {
                // Effects neither unset a variable nor change its size.
                true => self.is_shared(var),
                false => self.is_outside(var),
            }
        }
    }

    /// Checks that the variable does not belong to one iteration.
    fn is_shared(&mut self, var: VarId) {
        let is_written = self.written.contains(&var) && !matches!(self.ty(var), Ty::Table(..));
        if var == self.var || self.privates.contains(&var) || is_written {
            self.differs(var);
        }
    }

    fn differs(&mut self, var: VarId) {
        let name = self.subject.name(var);
        self.fault(format!("{name} is not the same in all iterations of a kernel"));
    }

    /// Checks that the effects are those that the fallback declares.
    fn declared(&mut self) {
        let [Stmt { kind: StmtKind::Forall { writes, reductions, .. }, .. }] =
            &self.kernel.fallback[..]
        else {
            return;
        };
        let own = match self.kernel.line {
            Line::Row => PartKind::Row,
            Line::Column => PartKind::Column,
        };
        let mut undeclared = Vec::new();
        for effect in &self.kernel.effects {
            let (var, is_declared) = match effect {
                Effect::Store { table, .. } => {
                    (table, writes.iter().any(|part| part.var == *table && part.kind == own))
                }
                Effect::Put { bits, .. } => {
                    let is_it = |part: &crate::stmt::Part| {
                        part.var == *bits && part.kind == PartKind::Component
                    };
                    (bits, writes.iter().any(is_it))
                }
                Effect::Reduce { into, op, .. } => {
                    (into, reductions.iter().any(|it| it.var == *into && it.op == *op))
                }
                Effect::Carry { .. } | Effect::Cost { .. } => continue,
            };
            if !is_declared {
                undeclared.push(*var);
            }
        }
        for var in undeclared {
            let name = self.subject.name(var);
            self.fault(format!("the fallback of the kernel does not declare its effect on {name}"));
        }
    }
}

fn holds_kernel(block: &[Stmt]) -> bool {
    let mut holds = false;
    visit::walk(block, &mut |stmt| holds |= matches!(stmt.kind, StmtKind::Kernel(_)));
    holds
}
