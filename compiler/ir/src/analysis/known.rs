//! A set of facts that is copied at every branch and changes little in between; see Note [Layers].
//!
//! Note [Layers]. A set is a stack of layers. Each layer records what became known or was forgotten
//! since the layer below. A branch freezes the top layer, and both sides share it; where they meet,
//! only the changes of either side are compared. A layer that is no longer shared is merged with
//! the layer above it, so the number of layers is at most the nesting depth of branches and loops.
//! A routine of n statements therefore takes time linear in n, for any number of branches.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher};
use std::ops::Deref;
use std::rc::Rc;

use foldhash::fast::{FixedState, RandomState};

use crate::check::{Check, SizeOperand};
use crate::op::{IntOp, Operand};
use crate::program::VarId;
use crate::visit;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Fact {
    /// The guard holds.
    Check(Check),
    /// The variable is the result of the operation.
    Result(VarId, IntOp, Operand, Operand),
    /// The first number plus the offset is at most the second.
    Order(SizeOperand, u32, SizeOperand),
    /// `ensure_columns` was executed with this number.
    Ensured(VarId, Operand),
}

/// The search key of a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Var(VarId),
    Int(i64),
}

/// What invalidates facts. Lists are kept separately for each class, so that a change does not
/// examine facts that outlive it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Class {
    /// Equal sizes.
    Size,
    /// Results of operations.
    Result,
    /// The order of two numbers.
    Order,
    /// Facts that a change in place ends.
    Contents,
    /// Parts of handles.
    Part,
    /// A column that may be stored to.
    NewColumn,
    /// All others.
    Other,
}

impl Class {
    pub(super) const ALL: [Class; 7] = [
        Class::Size,
        Class::Result,
        Class::Order,
        Class::Contents,
        Class::Part,
        Class::NewColumn,
        Class::Other,
    ];

    fn of(fact: &Fact) -> Class {
        match fact {
            Fact::Check(Check::Size(..)) => Class::Size,
            Fact::Result(..) => Class::Result,
            Fact::Order(..) => Class::Order,
            Fact::Check(Check::FitsInt(_) | Check::NoCarry(..) | Check::Assert(..)) => {
                Class::Contents
            }
            Fact::Check(Check::HandlePart(..)) => Class::Part,
            Fact::Check(Check::NewColumn(..)) => Class::NewColumn,
            Fact::Check(
                Check::Set(_)
                | Check::Sized(_)
                | Check::Result(_)
                | Check::Index(..)
                | Check::Range { .. }
                | Check::Int(..)
                | Check::Bit(_)
                | Check::NotNegative(_)
                | Check::Fits { .. }
                | Check::FitsRow { .. }
                | Check::Even(_),
            )
            | Fact::Ensured(..) => Class::Other,
        }
    }
}

/// A fact with its hash, which is computed once: each layer is searched for it.
#[derive(Debug, PartialEq, Eq)]
struct Hashed {
    hash: u64,
    fact: Fact,
}

impl Hashed {
    fn new(fact: Fact) -> Self {
        Hashed { hash: FixedState::default().hash_one(&fact), fact }
    }
}

impl Hash for Hashed {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

impl Deref for Hashed {
    type Target = Fact;

    fn deref(&self) -> &Fact {
        &self.fact
    }
}

/// An identity hash function.
#[derive(Clone, Copy, Debug, Default)]
struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = FixedState::default().hash_one(bytes);
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// Facts about a key, by their class.
type Lists = HashMap<Key, [Vec<Rc<Hashed>>; Class::ALL.len()], RandomState>;

/// The changes since the layer below.
#[derive(Debug, Default)]
struct Delta {
    /// Facts that became known (`true`) or were forgotten.
    changed: HashMap<Rc<Hashed>, bool, BuildHasherDefault<IdentityHasher>>,
    /// Facts that became known; some may have been invalidated.
    lists: Lists,
}

impl Delta {
    fn add(&mut self, fact: Rc<Hashed>) {
        // The fact itself is the one that lists contain.
        self.changed.remove(&fact);
        self.changed.insert(Rc::clone(&fact), true);
        each_key(&fact, |key| self.room(key, Class::of(&fact), 1).push(Rc::clone(&fact)));
    }

    /// Returns the list to which the given number of facts will be added. Invalidated facts are
    /// removed before it grows.
    fn room(&mut self, key: Key, class: Class, n_facts: usize) -> &mut Vec<Rc<Hashed>> {
        let list = &mut self.lists.entry(key).or_default()[class as usize];
        if list.len() >= 32 && list.len() + n_facts > list.capacity() {
            list.retain(|fact| is_alive(&self.changed, fact));
        }
        list
    }

    /// Returns the facts of a class about a key, including invalidated ones.
    fn list(&self, key: Key, class: Class) -> &[Rc<Hashed>] {
        self.lists.get(&key).map_or(&[], |lists| &lists[class as usize])
    }
}

fn is_alive(
    changed: &HashMap<Rc<Hashed>, bool, BuildHasherDefault<IdentityHasher>>,
    fact: &Rc<Hashed>,
) -> bool {
    let found = changed.get_key_value(&**fact);
    found.is_some_and(|(key, alive)| *alive && Rc::ptr_eq(key, fact))
}

#[derive(Debug)]
struct Layer {
    below: Option<Rc<Layer>>,
    delta: Delta,
}

/// A set of facts; see Note [Layers].
#[derive(Debug, Default)]
pub(super) struct FactSet {
    below: Option<Rc<Layer>>,
    top: Delta,
}

impl FactSet {
    pub(super) fn contains(&self, fact: Fact) -> bool {
        self.holds(&Hashed::new(fact))
    }

    fn holds(&self, fact: &Hashed) -> bool {
        let (mut delta, mut below) = (&self.top, &self.below);
        loop {
            if let Some(alive) = delta.changed.get(fact) {
                return *alive;
            }
            let Some(layer) = below else { return false };
            (delta, below) = (&layer.delta, &layer.below);
        }
    }

    pub(super) fn insert(&mut self, fact: Fact) {
        let fact = Hashed::new(fact);
        if !self.holds(&fact) {
            self.top.add(Rc::new(fact));
        }
    }

    /// Returns the facts of a class about a key, in the order in which they became known.
    pub(super) fn about(&self, key: Key, class: Class) -> impl Iterator<Item = &Fact> {
        // The number of layers is small.
        let n_layers = self.deltas().count();
        let upwards = (0..n_layers).rev().filter_map(|depth| self.deltas().nth(depth));
        upwards
            .flat_map(move |delta| delta.list(key, class))
            .filter(|fact| self.holds(fact))
            .map(|fact| &fact.fact)
    }

    /// Forgets the facts of these classes about a variable for which `dies` holds.
    pub(super) fn forget(&mut self, var: VarId, classes: &[Class], dies: impl Fn(&Fact) -> bool) {
        let key = Key::Var(var);
        let mut dead: Vec<Rc<Hashed>> = Vec::new();
        for delta in self.deltas().skip(1) {
            let Some(lists) = delta.lists.get(&key) else { continue };
            let facts = classes.iter().flat_map(|&class| &lists[class as usize]);
            dead.extend(facts.filter(|fact| dies(fact)).cloned());
        }
        dead.retain(|fact| self.holds(fact));
        if let Some(lists) = self.top.lists.get_mut(&key) {
            for &class in classes {
                let changed = &self.top.changed;
                lists[class as usize].retain(|fact| {
                    let alive = is_alive(changed, fact);
                    if alive && dies(fact) {
                        dead.push(Rc::clone(fact));
                        return false;
                    }
                    alive
                });
            }
        }
        dead.iter().for_each(|fact| self.remove(fact));
    }

    fn remove(&mut self, fact: &Rc<Hashed>) {
        if self.below.is_none() {
            self.top.changed.remove(&**fact);
        } else {
            self.top.changed.insert(Rc::clone(fact), false);
        }
    }

    /// Returns a copy of the set. Its contents are shared from now on.
    pub(super) fn branch(&mut self) -> FactSet {
        self.compress();
        if !self.top.changed.is_empty() {
            let delta = std::mem::take(&mut self.top);
            self.below = Some(Rc::new(Layer { below: self.below.take(), delta }));
        }
        FactSet { below: self.below.clone(), top: Delta::default() }
    }

    /// Keeps only the facts that `other` also knows.
    pub(super) fn meet(&mut self, other: FactSet) {
        let shared = self.shared_with(&other);
        let changed = self.since(shared.as_ref()).chain(other.since(shared.as_ref()));
        let mut delta = Delta::default();
        let base = FactSet { below: shared.clone(), top: Delta::default() };
        for fact in changed.flat_map(|delta| delta.changed.keys()) {
            let was = base.holds(fact);
            let is = self.holds(fact) && other.holds(fact);
            if is != was {
                delta.changed.insert(Rc::clone(fact), is);
            }
        }
        // Lists keep the order of `self`.
        let mut own: Vec<&Delta> = self.since(shared.as_ref()).collect();
        own.reverse();
        for (&key, lists) in own.into_iter().flat_map(|delta| &delta.lists) {
            for (&class, list) in Class::ALL.iter().zip(lists) {
                let alive = list.iter().filter(|fact| delta.changed.get(&***fact) == Some(&true));
                let alive: Vec<Rc<Hashed>> = alive.cloned().collect();
                if !alive.is_empty() {
                    delta.room(key, class, alive.len()).extend(alive);
                }
            }
        }
        drop((base, other));
        *self = FactSet { below: shared, top: delta };
        self.compress();
    }

    /// Merges layers that are no longer shared with the layers above them.
    fn compress(&mut self) {
        while let Some(below) = self.below.take() {
            let layer = match Rc::try_unwrap(below) {
                Ok(layer) => layer,
                Err(shared) => {
                    self.below = Some(shared);
                    return;
                }
            };
            let above = std::mem::replace(&mut self.top, layer.delta);
            self.below = layer.below;
            for (fact, alive) in above.changed {
                self.top.changed.remove(&fact);
                if alive || self.below.is_some() {
                    self.top.changed.insert(fact, alive);
                }
            }
            for (key, lists) in above.lists {
                for (&class, list) in Class::ALL.iter().zip(lists) {
                    if !list.is_empty() {
                        self.top.room(key, class, list.len()).extend(list);
                    }
                }
            }
        }
    }

    /// Returns the layers from top to bottom.
    fn deltas(&self) -> impl Iterator<Item = &Delta> {
        self.since(None)
    }

    /// Returns the layers above the given one, from top to bottom.
    fn since<'k>(&'k self, layer: Option<&'k Rc<Layer>>) -> impl Iterator<Item = &'k Delta> {
        let frozen = std::iter::successors(self.below.as_ref(), |at| at.below.as_ref());
        let frozen = frozen.take_while(move |at| layer.is_none_or(|layer| !Rc::ptr_eq(at, layer)));
        std::iter::once(&self.top).chain(frozen.map(|layer| &layer.delta))
    }

    /// Returns the topmost layer that both sets share.
    fn shared_with(&self, other: &FactSet) -> Option<Rc<Layer>> {
        let layers = |known: &FactSet| {
            let first = known.below.clone();
            std::iter::successors(first, |at| at.below.clone()).collect::<Vec<_>>()
        };
        let (mine, theirs) = (layers(self), layers(other));
        let from_below = mine.iter().rev().zip(theirs.iter().rev());
        let same = from_below.take_while(|(a, b)| Rc::ptr_eq(a, b));
        same.last().map(|(layer, _)| Rc::clone(layer))
    }
}

pub(super) fn operand_key(operand: &Operand) -> Option<Key> {
    match operand {
        Operand::Var(v) => Some(Key::Var(*v)),
        Operand::Int(n) => Some(Key::Int(*n)),
        Operand::Bool(_) | Operand::Str(_) => None,
    }
}

pub(super) fn measure_key(measure: &SizeOperand) -> Option<Key> {
    match measure {
        SizeOperand::Length(v) | SizeOperand::Rows(v) | SizeOperand::Columns(v) => {
            Some(Key::Var(*v))
        }
        SizeOperand::Value(value) => operand_key(value),
    }
}

/// Returns whether the size is the variable or a size of it.
pub(super) fn mentions(size: &SizeOperand, var: VarId) -> bool {
    match size {
        SizeOperand::Length(of) | SizeOperand::Rows(of) | SizeOperand::Columns(of) => *of == var,
        SizeOperand::Value(value) => *value == Operand::Var(var),
    }
}

/// Visits each key that a fact mentions once, in the order of first mention: equal sizes are
/// followed in a fixed order.
fn each_key(fact: &Fact, mut visit: impl FnMut(Key)) {
    // No fact mentions more, except a part of a handle, whose sizes may.
    let mut few = [None; 6];
    let mut more: Vec<Key> = Vec::new();
    let mut add = |key: Key| {
        if few.contains(&Some(key)) || more.contains(&key) {
            return;
        }
        match few.iter_mut().find(|place| place.is_none()) {
            Some(place) => *place = Some(key),
            None => more.push(key),
        }
        visit(key);
    };
    match fact {
        Fact::Check(check) => {
            visit::check_accesses(check, &mut |var, _| add(Key::Var(var)));
            if let Check::Size(a, b) = check {
                [measure_key(a), measure_key(b)].into_iter().flatten().for_each(add);
            }
        }
        Fact::Result(dst, _, a, b) => {
            add(Key::Var(*dst));
            [operand_key(a), operand_key(b)].into_iter().flatten().for_each(add);
        }
        Fact::Order(less, _, more) => {
            [measure_key(less), measure_key(more)].into_iter().flatten().for_each(add);
        }
        Fact::Ensured(table, columns) => {
            add(Key::Var(*table));
            operand_key(columns).into_iter().for_each(add);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn fact(number: u64) -> Fact {
        let var = VarId((number % 3) as u32);
        Fact::Ensured(var, Operand::Int(number as i64))
    }

    /// A set and its model in the simplest form.
    struct Both(FactSet, BTreeSet<u64>);

    impl Both {
        fn compare(&self) {
            for number in 0..24 {
                assert_eq!(self.0.contains(fact(number)), self.1.contains(&number));
            }
            for var in 0..3 {
                let found = self.0.about(Key::Var(VarId(var)), Class::Other);
                let found: BTreeSet<i64> = found.map(number_of).collect();
                let wanted = self.1.iter().filter(|number| *number % 3 == u64::from(var));
                assert_eq!(found, wanted.map(|&number| number as i64).collect());
            }
        }
    }

    fn number_of(fact: &Fact) -> i64 {
        match fact {
            Fact::Ensured(_, Operand::Int(number)) => *number,
            Fact::Check(_) | Fact::Result(..) | Fact::Order(..) | Fact::Ensured(..) => {
                panic!("{fact:?}")
            }
        }
    }

    /// Compares branches that nest and meet in any order with sets that are copied.
    #[test]
    fn layered_set_matches_copied_sets() {
        let mut state = 1_u64;
        let mut next = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        let mut open = vec![Both(FactSet::default(), BTreeSet::new())];
        for _ in 0..20_000 {
            let number = next(24);
            let choice = next(9);
            let Some(at) = open.last_mut() else { panic!("one is always open") };
            match choice {
                0..=3 => {
                    at.0.insert(fact(number));
                    at.1.insert(number);
                }
                4 | 5 => {
                    let var = number % 3;
                    at.0.forget(VarId(var as u32), &Class::ALL, |fact| number_of(fact) % 2 == 0);
                    at.1.retain(|number| number % 3 != var || number % 2 == 1);
                }
                6 => {
                    let other = Both(at.0.branch(), at.1.clone());
                    if open.len() < 6 {
                        open.push(other);
                    }
                }
                _ if open.len() > 1 => {
                    let Some(Both(known, plain)) = open.pop() else { continue };
                    let Some(at) = open.last_mut() else { continue };
                    at.0.meet(known);
                    at.1 = &at.1 & &plain;
                    let depth = at.0.deltas().count();
                    assert!(depth <= 7, "{depth} layers");
                }
                _ => {}
            }
            open.iter().for_each(Both::compare);
        }
    }
}
