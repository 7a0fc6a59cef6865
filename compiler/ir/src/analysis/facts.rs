//! Facts known at a point of the program: guards that hold, variables that are set, equal sizes;
//! see Note [Facts].

use std::cell::RefCell;
use std::rc::Rc;

use super::effects::Effect;
use super::known::{Class, Fact, FactSet, Key, measure_key, mentions, operand_key};
use super::var_set::VarSet;
use crate::check::{Check, SizeOperand};
use crate::op::{IntOp, Operand, Relation};
use crate::program::{Extent, Ty, Var, VarId};
use crate::visit;

/// The maximum number of equal sizes that are followed.
const MAX_CLASS: usize = 32;
/// The maximum number of cached classes.
const MAX_CLASSES: usize = 32;
/// The maximum number of facts about one number or variable that are examined to find them.
const MAX_FOLLOWED: usize = 1000;

/// The facts known at a point.
#[derive(Debug)]
pub struct Facts<'a> {
    vars: &'a [Var],
    set: VarSet,
    /// Slices and words of known size, set or not.
    sized: VarSet,
    known: FactSet,
    /// Sizes that do not follow from extents.
    untrue: Rc<[SizeOperand]>,
    /// Classes found since their foundations last changed: one guard queries the same ones several
    /// times.
    classes: RefCell<Vec<Rc<[SizeOperand]>>>,
}

impl<'a> Facts<'a> {
    pub(crate) fn new(vars: &'a [Var]) -> Self {
        Facts {
            vars,
            set: VarSet::default(),
            sized: VarSet::default(),
            known: FactSet::default(),
            untrue: Rc::from([]),
            classes: RefCell::default(),
        }
    }

    /// Creates an empty set of facts in which these sizes do not follow from extents.
    pub(crate) fn without_extents(vars: &'a [Var], untrue: Vec<SizeOperand>) -> Self {
        Facts { untrue: Rc::from(untrue), ..Facts::new(vars) }
    }

    /// Returns whether the variable has a value.
    pub fn is_set(&self, var: VarId) -> bool {
        self.set.contains(var)
    }

    /// Records that the variable has a value.
    pub(crate) fn set(&mut self, var: VarId) {
        if !self.set.contains(var) {
            self.becomes_known(var);
            self.set.insert(var);
        }
    }

    /// Returns whether its size is known. The size of a table is known when it is set.
    pub fn is_sized(&self, var: VarId) -> bool {
        self.set.contains(var) || self.sized.contains(var)
    }

    /// Records that its size is known; a table has a value.
    pub(crate) fn sized(&mut self, var: VarId) {
        if self.vars[var.0 as usize].ty.is_bits() {
            self.becomes_known(var);
            self.sized.insert(var);
        } else {
            self.set(var);
        }
    }

    /// Records that the guard holds.
    pub(crate) fn learn(&mut self, check: &Check) {
        match check {
            Check::Set(v) | Check::Result(v) => return self.set(*v),
            Check::Sized(v) => return self.sized(*v),
            Check::HandlePart(v, _) => self.set(*v),
            Check::Index(index, limit) => {
                let canonical = self.canonical(limit);
                if canonical != *limit {
                    self.known.insert(Fact::Check(Check::Index(index.clone(), canonical)));
                }
            }
            Check::Size(left, right) => {
                let (a, b) = (self.canonical(left), self.canonical(right));
                let sizes = [left, right, &a, &b];
                self.forget_classes(|size| sizes.contains(&size));
                if a != *left || b != *right {
                    self.known.insert(Fact::Check(Check::Size(a, b)));
                }
            }
            Check::Range { base, width, limit } => {
                let canonical = self.canonical(limit);
                if canonical != *limit {
                    let (base, width, limit) = (base.clone(), width.clone(), canonical);
                    self.known.insert(Fact::Check(Check::Range { base, width, limit }));
                }
            }
            Check::NewColumn(..)
            | Check::Int(..)
            | Check::Bit(_)
            | Check::NotNegative(_)
            | Check::Fits { .. }
            | Check::FitsRow { .. }
            | Check::FitsInt(_)
            | Check::Even(_)
            | Check::NoCarry(..)
            | Check::Assert(..) => {}
        }
        self.known.insert(Fact::Check(check.clone()));
    }

    /// Records that the variable holds the result of the operation.
    pub(crate) fn learn_result(&mut self, dst: VarId, op: IntOp, a: &Operand, b: &Operand) {
        self.known.insert(Fact::Result(dst, op, a.clone(), b.clone()));
    }

    /// Records that the first number plus `by` is at most the second.
    pub(crate) fn learn_order(&mut self, less: SizeOperand, by: u32, more: SizeOperand) {
        self.known.insert(Fact::Order(less, by, more));
    }

    /// Records the result of a comparison.
    pub(super) fn compared(&mut self, relation: Relation, a: Operand, b: Operand, truth: bool) {
        let (a, b) = (SizeOperand::Value(a), SizeOperand::Value(b));
        match (relation, truth) {
            (Relation::Eq, true) | (Relation::Ne, false) => {
                self.learn_order(a.clone(), 0, b.clone());
                self.learn_order(b, 0, a);
            }
            (Relation::Eq, false) | (Relation::Ne, true) => {}
            (Relation::Lt, true) | (Relation::Ge, false) => self.learn_order(a, 1, b),
            (Relation::Le, true) | (Relation::Gt, false) => self.learn_order(a, 0, b),
            (Relation::Gt, true) | (Relation::Le, false) => self.learn_order(b, 1, a),
            (Relation::Ge, true) | (Relation::Lt, false) => self.learn_order(b, 0, a),
        }
    }

    /// Records that a growable table has at least the given number of columns.
    pub(crate) fn learn_ensured(&mut self, table: VarId, columns: &Operand) {
        self.known.insert(Fact::Ensured(table, columns.clone()));
    }

    /// Records that the variable has a new value; whether it is set does not change.
    pub(crate) fn replaced(&mut self, var: VarId) {
        self.forget_classes_of(var);
        self.sized.remove(var);
        self.known.forget(var, &Class::ALL, |_| true);
    }

    /// Records that the variable is possibly unset.
    pub(crate) fn unset(&mut self, var: VarId) {
        self.forget_classes_of(var);
        self.set.remove(var);
        self.sized.remove(var);
    }

    /// Records that the variable is changed in place.
    pub(crate) fn touched(&mut self, var: VarId) {
        self.known.forget(var, &[Class::Contents], |_| true);
    }

    /// Records that the variable is given a value or size if it has none; a table grows, a handle
    /// gets a part.
    pub(crate) fn settled(&mut self, var: VarId) {
        self.forget_classes_of(var);
        if !self.is_set(var) {
            // A table that gets its rows also grows.
            let classes = [
                Class::Size,
                Class::Result,
                Class::Order,
                Class::Contents,
                Class::Part,
                Class::Other,
            ];
            return self.known.forget(var, &classes, |_| true);
        }
        let columns = SizeOperand::Columns(var);
        // Parts of another module are discarded.
        let classes = [Class::Size, Class::Order, Class::Part];
        self.known.forget(var, &classes, |fact| match fact {
            Fact::Check(Check::Size(a, b)) => *a == columns || *b == columns,
            // Upper bounds by their number are preserved.
            Fact::Order(less, _, _) => *less == columns,
            Fact::Check(Check::HandlePart(..)) => true,
            Fact::Check(_) | Fact::Result(..) | Fact::Ensured(..) => false,
        });
    }

    /// Applies effects that may happen to the variable, possibly several times.
    pub(crate) fn affected(&mut self, var: VarId, effect: Effect) {
        let Effect { contents, settled, replaced, unset } = effect;
        if replaced {
            self.replaced(var);
        }
        if unset {
            self.unset(var);
        }
        if settled {
            self.settled(var);
        }
        if contents {
            self.touched(var);
        }
    }

    /// Returns a copy for another path of control from here.
    pub(super) fn branch(&mut self) -> Facts<'a> {
        Facts {
            vars: self.vars,
            set: self.set.clone(),
            sized: self.sized.clone(),
            known: self.known.branch(),
            untrue: Rc::clone(&self.untrue),
            classes: self.classes.clone(),
        }
    }

    /// Keeps only the facts that `other` also knows.
    pub(super) fn meet(&mut self, mut other: Facts<'a>) {
        self.classes.get_mut().clear();
        self.sized.join(&self.set);
        other.sized.join(&other.set);
        self.sized.meet(&other.sized);
        self.set.meet(&other.set);
        self.known.meet(other.known);
    }

    fn extent(&self, measure: &SizeOperand) -> Extent {
        let (var, which) = match measure {
            SizeOperand::Length(v) | SizeOperand::Rows(v) => (*v, 0),
            SizeOperand::Columns(v) => (*v, 1),
            SizeOperand::Value(_) => return Extent::Dynamic,
        };
        if !self.is_sized(var) || self.untrue.contains(measure) {
            return Extent::Dynamic;
        }
        match (self.vars[var.0 as usize].ty, which) {
            (Ty::Slice(n) | Ty::Word(n) | Ty::Table(n, _), 0) | (Ty::Table(_, n), _) => n,
            (Ty::Int | Ty::Bool | Ty::Str | Ty::Handle | Ty::Slice(_) | Ty::Word(_), _) => {
                Extent::Dynamic
            }
        }
    }

    /// Returns the measure as a number or extent variable if its type provides one.
    fn canonical(&self, measure: &SizeOperand) -> SizeOperand {
        match self.extent(measure) {
            Extent::Const(n) => match i64::try_from(n) {
                Ok(n) => SizeOperand::Value(Operand::Int(n)),
                Err(_) => measure.clone(),
            },
            Extent::Var(v) if self.is_set(v) => SizeOperand::Value(Operand::Var(v)),
            Extent::Var(_) | Extent::Dynamic => measure.clone(),
        }
    }

    /// Returns the facts of a class that mention the key.
    pub(super) fn about(&self, key: Key, class: Class) -> impl Iterator<Item = &Fact> {
        self.known.about(key, class)
    }

    /// Returns the measures known to be equal to this one, starting with itself.
    pub fn class(&self, measure: &SizeOperand) -> Rc<[SizeOperand]> {
        let mut classes = self.classes.borrow_mut();
        if let Some(known) = classes.iter().find(|class| class[0] == *measure) {
            return Rc::clone(known);
        }
        let class: Rc<[SizeOperand]> = Rc::from(self.find_class(measure));
        if classes.len() == MAX_CLASSES {
            classes.clear();
        }
        classes.push(Rc::clone(&class));
        class
    }

    /// Discards the classes that contain a matching size.
    fn forget_classes(&mut self, changes: impl Fn(&SizeOperand) -> bool) {
        self.classes.get_mut().retain(|class| !class.iter().any(&changes));
    }

    /// Discards the classes that contain the variable; other classes do not depend on it.
    fn forget_classes_of(&mut self, var: VarId) {
        self.forget_classes(|size| mentions(size, var));
    }

    /// Handles a variable that gets a value or a size: adds what was known of it, or the number
    /// that is the extent of others.
    fn becomes_known(&mut self, var: VarId) {
        let is_told = self.about(Key::Var(var), Class::Size).next().is_some();
        match is_told || !self.vars[var.0 as usize].ty.is_bits() {
            true => self.classes.get_mut().clear(),
            false => self.forget_classes_of(var),
        }
    }

    /// The measure of something of unknown size agrees with every size, so nothing follows from it.
    fn is_size(&self, measure: &SizeOperand) -> bool {
        visit::measured(measure).is_none_or(|var| self.is_sized(var))
    }

    fn find_class(&self, measure: &SizeOperand) -> Vec<SizeOperand> {
        let mut class = vec![measure.clone()];
        if !self.is_size(measure) {
            return class;
        }
        let mut at = 0;
        while at < class.len() && class.len() < MAX_CLASS {
            let here = class[at].clone();
            at += 1;
            let mut add = |other: &SizeOperand| {
                if class.len() < MAX_CLASS && self.is_size(other) && !class.contains(other) {
                    class.push(other.clone());
                }
            };
            add(&self.canonical(&here));
            let Some(key) = measure_key(&here) else { continue };
            for fact in self.about(key, Class::Size).take(MAX_FOLLOWED) {
                match fact {
                    Fact::Check(Check::Size(a, b)) if *a == here => add(b),
                    Fact::Check(Check::Size(a, b)) if *b == here => add(a),
                    Fact::Check(_) | Fact::Result(..) | Fact::Order(..) | Fact::Ensured(..) => {}
                }
            }
        }
        class
    }

    /// Returns the operands known to be equal to a measure.
    pub fn values(&self, measure: &SizeOperand) -> Vec<Operand> {
        self.class(measure)
            .iter()
            .filter_map(|measure| match measure {
                SizeOperand::Value(value) => Some(value.clone()),
                SizeOperand::Length(_) | SizeOperand::Rows(_) | SizeOperand::Columns(_) => None,
            })
            .collect()
    }

    /// Returns whether `ensure_columns` was executed with this number and neither has changed
    /// since. The table may have gained columns.
    pub fn is_ensured(&self, table: VarId, columns: &Operand) -> bool {
        self.known.contains(Fact::Ensured(table, columns.clone()))
    }

    /// Returns the arithmetic operation that the variable is known to be the result of.
    pub fn result_of(&self, var: VarId) -> Option<(IntOp, Operand, Operand)> {
        self.about(Key::Var(var), Class::Result).find_map(|fact| match fact {
            Fact::Result(dst, op, a, b) if *dst == var => Some((*op, a.clone(), b.clone())),
            Fact::Result(..) | Fact::Check(_) | Fact::Order(..) | Fact::Ensured(..) => None,
        })
    }

    /// Returns the operands known to be the result of an operation.
    pub fn results(&self, op: IntOp, a: &Operand, b: &Operand) -> Vec<Operand> {
        if let (Operand::Int(a), Operand::Int(b)) = (a, b) {
            return op.apply(*a, *b).map(Operand::Int).into_iter().collect();
        }
        let key = operand_key(a).filter(|key| matches!(key, Key::Var(_)));
        let Some(key) = key.or(operand_key(b)) else {
            return Vec::new();
        };
        self.about(key, Class::Result)
            .filter_map(|fact| match fact {
                Fact::Result(dst, o, x, y) if *o == op && x == a && y == b => {
                    Some(Operand::Var(*dst))
                }
                Fact::Result(..) | Fact::Check(_) | Fact::Order(..) | Fact::Ensured(..) => None,
            })
            .collect()
    }

    /// Returns whether the guard was checked or recorded as a fact.
    pub(super) fn knows(&self, check: Check) -> bool {
        self.known.contains(Fact::Check(check))
    }

    /// Returns whether the guard holds.
    pub fn holds(&self, check: &Check) -> bool {
        // Cases that need no search.
        if let Check::Set(var) | Check::Result(var) = check {
            return self.is_set(*var);
        }
        if let Check::NotNegative(Operand::Int(0..)) = check {
            return true;
        }
        self.knows(check.clone()) || self.follows(check) || self.holds_by_range(check)
    }

    /// Returns whether the guard follows from equal sizes or from the numbers in it.
    fn follows(&self, check: &Check) -> bool {
        match check {
            Check::Set(v) | Check::Result(v) => self.is_set(*v),
            Check::Sized(v) => self.is_sized(*v),
            Check::Index(index, limit) => self.holds_index(index, limit),
            Check::NewColumn(table, index) => {
                self.holds_index(index, &SizeOperand::Columns(*table))
            }
            Check::Size(left, right) => {
                if self.knows(Check::Size(right.clone(), left.clone()))
                    || self.are_equal_by_extents(left, right)
                {
                    return true;
                }
                let lefts = self.class(left);
                lefts.contains(right) || self.class(right).iter().any(|size| lefts.contains(size))
            }
            Check::Range { base, width, limit } => {
                let widths = self.values(&SizeOperand::Value(width.clone()));
                self.holds_range(std::slice::from_ref(base), &widths, limit)
            }
            Check::Int(op, a, b) => match (a.as_int(), b.as_int()) {
                (Some(a), Some(b)) => op.apply(a, b).is_some(),
                (None, Some(b)) => match op {
                    IntOp::Div => b != 0 && b != -1,
                    IntOp::Mod => b != 0,
                    IntOp::Add | IntOp::Sub | IntOp::Mul => false,
                },
                (Some(_) | None, None) => false,
            },
            Check::Bit(bit) => self.fits(bit, &Operand::Int(1)),
            Check::NotNegative(value) => {
                self.class(&SizeOperand::Value(value.clone())).iter().any(|measure| match measure {
                    SizeOperand::Length(_) | SizeOperand::Rows(_) | SizeOperand::Columns(_) => true,
                    SizeOperand::Value(Operand::Int(n)) => *n >= 0,
                    SizeOperand::Value(value) => self.knows(Check::NotNegative(value.clone())),
                })
            }
            Check::Fits { value, width } => self.fits(value, width),
            Check::FitsRow { row, width: _ } => row.as_int() == Some(0),
            Check::FitsInt(v) => self.length_is(*v, |n| n < 64),
            Check::Even(v) => self.length_is(*v, |n| n % 2 == 0),
            Check::HandlePart(..) | Check::NoCarry(..) | Check::Assert(..) => false,
        }
    }

    fn fits(&self, value: &Operand, width: &Operand) -> bool {
        let equals = |operand: &Operand| self.values(&SizeOperand::Value(operand.clone()));
        let widths = equals(width);
        equals(value).into_iter().any(|value| {
            widths.iter().any(|width| match (value.as_int(), width.as_int()) {
                (Some(value), Some(width)) => {
                    value >= 0 && width >= 0 && (width >= 63 || value < 1 << width)
                }
                (None, Some(_)) | (Some(_) | None, None) => {
                    self.knows(Check::Fits { value: value.clone(), width: width.clone() })
                }
            })
        })
    }

    fn length_is(&self, bits: VarId, test: impl Fn(i64) -> bool) -> bool {
        self.values(&SizeOperand::Length(bits))
            .iter()
            .any(|value| matches!(value, Operand::Int(n) if test(*n)))
    }

    /// Returns whether two sizes are equal by extents or by facts about the sizes that these name.
    /// This avoids the search of all sizes that are equal to one.
    fn are_equal_by_extents(&self, left: &SizeOperand, right: &SizeOperand) -> bool {
        if !self.is_size(left) || !self.is_size(right) {
            return left == right;
        }
        let (left, right) = (self.canonical(left), self.canonical(right));
        left == right
            || self.knows(Check::Size(left.clone(), right.clone()))
            || self.knows(Check::Size(right, left))
    }

    fn holds_index(&self, index: &Operand, limit: &SizeOperand) -> bool {
        if self.knows(Check::Index(index.clone(), self.canonical(limit))) {
            return true;
        }
        let indices = self.values(&SizeOperand::Value(index.clone()));
        // Column `i` is checked and that number of columns is ensured, under one name of the number
        // or under two.
        if let SizeOperand::Columns(table) = limit
            && indices.iter().any(|index| self.is_ensured(*table, index))
            && indices.iter().any(|index| self.knows(Check::NewColumn(*table, index.clone())))
        {
            return true;
        }
        self.class(limit).iter().any(|limit| {
            indices.iter().any(|index| match (index.as_int(), limit.as_int()) {
                (Some(i), Some(n)) => 1 <= i && i <= n,
                (None, Some(_)) | (Some(_) | None, None) => {
                    self.knows(Check::Index(index.clone(), limit.clone()))
                }
            })
        })
    }

    /// Returns whether a part as wide as the measure is inside the limit.
    pub fn holds_part(&self, base: &Operand, width: &SizeOperand, limit: &SizeOperand) -> bool {
        self.holds_range(std::slice::from_ref(base), &self.values(width), limit)
            || self.holds_part_by_range(base, width, limit)
    }

    /// Returns whether a part with one of these bases and one of these widths, all equal, is inside
    /// the limit.
    pub fn holds_range(&self, bases: &[Operand], widths: &[Operand], limit: &SizeOperand) -> bool {
        self.class(limit).iter().any(|limit| {
            bases.iter().any(|base| {
                widths.iter().any(|width| {
                    let whole =
                        *base == Operand::Int(0) && SizeOperand::Value(width.clone()) == *limit;
                    whole || self.holds_plain_range(base, width, limit)
                })
            })
        })
    }

    fn holds_plain_range(&self, base: &Operand, width: &Operand, limit: &SizeOperand) -> bool {
        if let (Operand::Int(base), Operand::Int(width), SizeOperand::Value(Operand::Int(limit))) =
            (base, width, limit)
        {
            let end = base.checked_add(*width);
            return *base >= 0 && *width >= 0 && end.is_some_and(|end| end <= *limit);
        }
        self.knows(Check::Range { base: base.clone(), width: width.clone(), limit: limit.clone() })
    }
}
