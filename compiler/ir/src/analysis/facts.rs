//! What is known at a point of the program: guards that hold, variables that are set, equal sizes; see Note
//! [Facts].

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use foldhash::fast::RandomState;

use super::effects::Effect;
use super::var_set::VarSet;
use crate::check::{Check, SizeOperand};
use crate::op::{IntOp, Operand};
use crate::program::{Extent, Ty, Var, VarId};
use crate::visit;

/// So many equal sizes are followed up at most.
const MAX_CLASS: usize = 32;
/// So many facts about one number or variable are looked at to find them.
const MAX_FOLLOWED: usize = 1000;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Fact {
    /// The guard holds.
    Check(Check),
    /// The variable is the result of the operation.
    Result(VarId, IntOp, Operand, Operand),
    /// `ensure_columns` was done with this number.
    Ensured(VarId, Operand),
}

/// By what a fact is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    Var(VarId),
    Int(i64),
}

/// A set of facts. `known` holds those that are alive; `by_key` may list dead ones too.
#[derive(Clone, Debug)]
pub struct Facts<'a> {
    vars: &'a [Var],
    set: VarSet,
    /// Slices and words of known size, set or not.
    sized: VarSet,
    known: HashSet<Rc<Fact>, RandomState>,
    by_key: HashMap<Key, Vec<Rc<Fact>>, RandomState>,
    /// Sizes that do not follow from extents.
    untrue: Rc<[SizeOperand]>,
}

impl<'a> Facts<'a> {
    pub(crate) fn new(vars: &'a [Var]) -> Self {
        Facts {
            vars,
            set: VarSet::default(),
            sized: VarSet::default(),
            known: HashSet::default(),
            by_key: HashMap::default(),
            untrue: Rc::from([]),
        }
    }

    /// Nothing is known, and these sizes do not follow from extents.
    pub(crate) fn without_extents(vars: &'a [Var], untrue: Vec<SizeOperand>) -> Self {
        Facts { untrue: Rc::from(untrue), ..Facts::new(vars) }
    }

    /// Does the variable have a value?
    pub fn is_set(&self, var: VarId) -> bool {
        self.set.contains(var)
    }

    /// The variable has a value.
    pub(crate) fn set(&mut self, var: VarId) {
        self.set.insert(var);
    }

    /// Is its size known? That of a table is when it is set.
    pub fn is_sized(&self, var: VarId) -> bool {
        self.set.contains(var) || self.sized.contains(var)
    }

    /// Its size is known; a table has a value.
    pub(crate) fn sized(&mut self, var: VarId) {
        if self.vars[var.0 as usize].ty.is_bits() {
            self.sized.insert(var);
        } else {
            self.set(var);
        }
    }

    /// The guard holds.
    pub(crate) fn learn(&mut self, check: &Check) {
        match check {
            Check::Set(v) | Check::Result(v) => return self.set(*v),
            Check::Sized(v) => return self.sized(*v),
            Check::HandlePart(v, _) => self.set(*v),
            Check::Index(index, limit) => {
                let canonical = self.canonical(limit);
                self.insert(Fact::Check(Check::Index(index.clone(), canonical)));
            }
            Check::Size(left, right) => {
                let (a, b) = (self.canonical(left), self.canonical(right));
                self.insert(Fact::Check(Check::Size(a, b)));
            }
            Check::Range { base, width, limit } => {
                let limit = self.canonical(limit);
                let (base, width) = (base.clone(), width.clone());
                self.insert(Fact::Check(Check::Range { base, width, limit }));
            }
            Check::NewColumn(..)
            | Check::Int(..)
            | Check::Bit(_)
            | Check::NotNegative(_)
            | Check::Fits { .. }
            | Check::FitsInt(_)
            | Check::Even(_)
            | Check::NoCarry(..)
            | Check::Assert(..) => {}
        }
        self.insert(Fact::Check(check.clone()));
    }

    /// The variable holds the result of the operation.
    pub(crate) fn learn_result(&mut self, dst: VarId, op: IntOp, a: &Operand, b: &Operand) {
        self.insert(Fact::Result(dst, op, a.clone(), b.clone()));
    }

    /// A growable table has at least so many columns.
    pub(crate) fn learn_ensured(&mut self, table: VarId, columns: &Operand) {
        self.insert(Fact::Ensured(table, columns.clone()));
    }

    fn insert(&mut self, fact: Fact) {
        let fact = Rc::new(fact);
        if !self.known.insert(Rc::clone(&fact)) {
            return;
        }
        for key in keys(&fact) {
            let facts = self.by_key.entry(key).or_default();
            // A list is cleared of what died before it grows.
            if facts.len() >= 32 && facts.len() == facts.capacity() {
                facts.retain(|fact| {
                    self.known.get(fact).is_some_and(|alive| Rc::ptr_eq(alive, fact))
                });
            }
            facts.push(Rc::clone(&fact));
        }
    }

    fn forget_if(&mut self, var: VarId, dies: impl Fn(&Fact) -> bool) {
        let Some(mut facts) = self.by_key.remove(&Key::Var(var)) else {
            return;
        };
        facts.retain(|fact| {
            let dead = dies(fact);
            if dead {
                self.known.remove(fact);
            }
            !dead && self.known.contains(fact)
        });
        if !facts.is_empty() {
            self.by_key.insert(Key::Var(var), facts);
        }
    }

    /// The variable has another value; whether it is set stays as it is.
    pub(crate) fn replaced(&mut self, var: VarId) {
        self.sized.remove(var);
        self.forget_if(var, |_| true);
    }

    /// The variable is perhaps unset.
    pub(crate) fn unset(&mut self, var: VarId) {
        self.set.remove(var);
        self.sized.remove(var);
    }

    /// The variable is changed in place.
    pub(crate) fn touched(&mut self, var: VarId) {
        self.forget_if(var, |fact| {
            matches!(fact, Fact::Check(Check::FitsInt(_) | Check::NoCarry(..) | Check::Assert(..)))
        });
    }

    /// The variable is given a value or size if it has none; a table grows, a handle gets a part.
    pub(crate) fn settled(&mut self, var: VarId) {
        if !self.is_set(var) {
            // A table that gets its rows grows as before.
            return self.forget_if(var, |fact| !matches!(fact, Fact::Check(Check::NewColumn(..))));
        }
        let columns = SizeOperand::Columns(var);
        self.forget_if(var, |fact| match fact {
            Fact::Check(Check::Size(a, b)) => *a == columns || *b == columns,
            // Parts of another module are given up.
            Fact::Check(Check::HandlePart(..)) => true,
            Fact::Check(_) | Fact::Result(..) | Fact::Ensured(..) => false,
        });
    }

    /// What may happen to the variable, perhaps several times.
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

    /// Keeps what `other` knows too.
    pub(crate) fn meet(&mut self, other: &Facts<'a>) {
        self.sized.join(&self.set);
        let mut theirs = other.sized.clone();
        theirs.join(&other.set);
        self.sized.meet(&theirs);
        self.set.meet(&other.set);
        self.known.retain(|fact| other.known.contains(fact));
        let known = &self.known;
        self.by_key.retain(|_, facts| {
            facts.retain(|fact| known.contains(fact));
            !facts.is_empty()
        });
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

    /// The measure as a number or extent variable, if its type says so.
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

    fn facts(&self, key: Key) -> impl Iterator<Item = &Fact> {
        self.by_key
            .get(&key)
            .into_iter()
            .flatten()
            .map(|fact| &**fact)
            .filter(|fact| self.known.contains(*fact))
    }

    /// The measures known to be equal to this one, itself first.
    pub fn class(&self, measure: &SizeOperand) -> Vec<SizeOperand> {
        // The measure of something of no known size agrees with every size: nothing follows from it.
        let is_size =
            |measure: &SizeOperand| visit::measured(measure).is_none_or(|var| self.is_sized(var));
        let mut class = vec![measure.clone()];
        if !is_size(measure) {
            return class;
        }
        let mut at = 0;
        while at < class.len() && class.len() < MAX_CLASS {
            let here = class[at].clone();
            at += 1;
            let mut found = vec![self.canonical(&here)];
            if let Some(key) = measure_key(&here) {
                for fact in self.facts(key).take(MAX_FOLLOWED) {
                    match fact {
                        Fact::Check(Check::Size(a, b)) if *a == here => found.push(b.clone()),
                        Fact::Check(Check::Size(a, b)) if *b == here => found.push(a.clone()),
                        Fact::Check(_) | Fact::Result(..) | Fact::Ensured(..) => {}
                    }
                }
            }
            for other in found {
                if class.len() < MAX_CLASS && is_size(&other) && !class.contains(&other) {
                    class.push(other);
                }
            }
        }
        class
    }

    /// The operands known to be equal to a measure.
    pub fn values(&self, measure: &SizeOperand) -> Vec<Operand> {
        self.class(measure)
            .into_iter()
            .filter_map(|measure| match measure {
                SizeOperand::Value(value) => Some(value),
                SizeOperand::Length(_) | SizeOperand::Rows(_) | SizeOperand::Columns(_) => None,
            })
            .collect()
    }

    /// Was `ensure_columns` done with this number, and neither has changed since? The table may have got
    /// more columns.
    pub fn is_ensured(&self, table: VarId, columns: &Operand) -> bool {
        self.known.contains(&Fact::Ensured(table, columns.clone()))
    }

    /// The arithmetic that a variable is known to be the result of.
    pub fn result_of(&self, var: VarId) -> Option<(IntOp, Operand, Operand)> {
        self.facts(Key::Var(var)).find_map(|fact| match fact {
            Fact::Result(dst, op, a, b) if *dst == var => Some((*op, a.clone(), b.clone())),
            Fact::Result(..) | Fact::Check(_) | Fact::Ensured(..) => None,
        })
    }

    /// The operands known to be the result of an operation.
    pub fn results(&self, op: IntOp, a: &Operand, b: &Operand) -> Vec<Operand> {
        if let (Operand::Int(a), Operand::Int(b)) = (a, b) {
            return op.apply(*a, *b).map(Operand::Int).into_iter().collect();
        }
        let key = operand_key(a).filter(|key| matches!(key, Key::Var(_)));
        let Some(key) = key.or(operand_key(b)) else {
            return Vec::new();
        };
        self.facts(key)
            .filter_map(|fact| match fact {
                Fact::Result(dst, o, x, y) if *o == op && x == a && y == b => {
                    Some(Operand::Var(*dst))
                }
                Fact::Result(..) | Fact::Check(_) | Fact::Ensured(..) => None,
            })
            .collect()
    }

    fn knows(&self, check: Check) -> bool {
        self.known.contains(&Fact::Check(check))
    }

    /// Does the guard hold?
    pub fn holds(&self, check: &Check) -> bool {
        if self.knows(check.clone()) {
            return true;
        }
        match check {
            Check::Set(v) | Check::Result(v) => self.is_set(*v),
            Check::Sized(v) => self.is_sized(*v),
            Check::Index(index, limit) => self.holds_index(index, limit),
            Check::NewColumn(table, index) => {
                self.holds_index(index, &SizeOperand::Columns(*table))
            }
            Check::Size(left, right) => {
                let (left, right) = (left.clone(), right.clone());
                let lefts = self.class(&left);
                let meet = self.class(&right).iter().any(|size| lefts.contains(size));
                meet || self.knows(Check::Size(right, left))
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
            Check::Bit(bit) => matches!(bit, Operand::Int(0 | 1)),
            Check::NotNegative(value) => {
                self.class(&SizeOperand::Value(value.clone())).iter().any(|measure| match measure {
                    SizeOperand::Length(_) | SizeOperand::Rows(_) | SizeOperand::Columns(_) => true,
                    SizeOperand::Value(Operand::Int(n)) => *n >= 0,
                    SizeOperand::Value(value) => self.knows(Check::NotNegative(value.clone())),
                })
            }
            Check::Fits { value, width } => {
                value.as_int().zip(width.as_int()).is_some_and(|(value, width)| {
                    value >= 0 && width >= 0 && (width >= 63 || value < 1 << width)
                })
            }
            Check::FitsInt(v) => self.length_is(*v, |n| n < 64),
            Check::Even(v) => self.length_is(*v, |n| n % 2 == 0),
            Check::HandlePart(..) | Check::NoCarry(..) | Check::Assert(..) => false,
        }
    }

    fn length_is(&self, bits: VarId, test: impl Fn(i64) -> bool) -> bool {
        self.values(&SizeOperand::Length(bits))
            .iter()
            .any(|value| matches!(value, Operand::Int(n) if test(*n)))
    }

    fn holds_index(&self, index: &Operand, limit: &SizeOperand) -> bool {
        if let SizeOperand::Columns(table) = limit
            && self.knows(Check::NewColumn(*table, index.clone()))
            && (self.known).contains(&Fact::Ensured(*table, index.clone()))
        {
            return true;
        }
        let indices = self.values(&SizeOperand::Value(index.clone()));
        self.class(limit).iter().any(|limit| {
            indices.iter().any(|index| match (index.as_int(), limit.as_int()) {
                (Some(i), Some(n)) => 1 <= i && i <= n,
                (None, Some(_)) | (Some(_) | None, None) => {
                    self.knows(Check::Index(index.clone(), limit.clone()))
                }
            })
        })
    }

    /// Is a part with one of these bases and one of these widths, all equal, inside the limit?
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

fn operand_key(operand: &Operand) -> Option<Key> {
    match operand {
        Operand::Var(v) => Some(Key::Var(*v)),
        Operand::Int(n) => Some(Key::Int(*n)),
        Operand::Bool(_) | Operand::Str(_) => None,
    }
}

fn measure_key(measure: &SizeOperand) -> Option<Key> {
    match measure {
        SizeOperand::Length(v) | SizeOperand::Rows(v) | SizeOperand::Columns(v) => {
            Some(Key::Var(*v))
        }
        SizeOperand::Value(value) => operand_key(value),
    }
}

fn keys(fact: &Fact) -> Vec<Key> {
    let mut keys = Vec::new();
    match fact {
        Fact::Check(check) => {
            visit::check_accesses(check, &mut |var, _| keys.push(Key::Var(var)));
            if let Check::Size(a, b) = check {
                keys.extend([measure_key(a), measure_key(b)].into_iter().flatten());
            }
        }
        Fact::Result(dst, _, a, b) => {
            keys.push(Key::Var(*dst));
            keys.extend([operand_key(a), operand_key(b)].into_iter().flatten());
        }
        Fact::Ensured(table, columns) => {
            keys.push(Key::Var(*table));
            keys.extend(operand_key(columns));
        }
    }
    // In the order of first mention: equal sizes are followed up in a fixed order.
    let mut unique = Vec::with_capacity(keys.len());
    for key in keys {
        if !unique.contains(&key) {
            unique.push(key);
        }
    }
    unique
}
