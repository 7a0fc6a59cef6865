//! Adders: chains of operations that carry one slice from column to column and store the sums.
//!
//! Note [Adders]. Additions and subtractions of columns a and b compute, from the last column on,
//!
//! > `sum := (a xor b xor carry) and mask; carry := majority(a, b, carry)`
//!
//! with a complemented in the majority if the carry is a borrow; the mask may be missing. As
//! operations of three inputs these are three for each column, and each of them reads and writes
//! whole strips. So up to [`LENGTH`] columns are one operation, which reads every column once and
//! keeps the carry in registers. Values between two columns must have no other uses.
//!
//! Columns are found from the first one that is added to the last, in the recorded operations: a
//! carry that is part of a column is a leaf of the cone of the next one (Note [Cones] in `step`).

use super::record::{PortId, ValueId};
use super::step::{Cone, Users};
use crate::kernels::ADDED_AT_ONCE;

/// Maximum number of columns of one operation.
const LENGTH: usize = ADDED_AT_ONCE;

/// Columns that are added by one operation: at least one, at most [`LENGTH`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Adder<T> {
    pub(crate) columns: Vec<AddedColumn<T>>,
    /// Where sums are stored; they are zero elsewhere.
    pub(crate) mask: Option<T>,
    pub(crate) is_borrow: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AddedColumn<T> {
    /// The first one is complemented for a borrow.
    pub(crate) summands: [T; 2],
    pub(crate) sum: T,
}

impl<T: Copy> Adder<T> {
    pub(crate) fn inputs(&self) -> impl Iterator<Item = T> {
        self.columns.iter().flat_map(|column| column.summands).chain(self.mask)
    }

    pub(crate) fn sums(&self) -> impl Iterator<Item = T> {
        self.columns.iter().map(|column| column.sum)
    }

    /// Returns the same adder of other values.
    pub(crate) fn map<U>(&self, map: impl Fn(T) -> U) -> Adder<U> {
        let columns = self.columns.iter().map(|AddedColumn { summands, sum }| AddedColumn {
            summands: summands.map(&map),
            sum: map(*sum),
        });
        let (mask, is_borrow) = (self.mask.map(&map), self.is_borrow);
        Adder { columns: columns.collect(), mask, is_borrow }
    }
}

/// An adder between two carries.
#[derive(Clone, Debug)]
pub(super) struct Addition {
    pub(super) before: ValueId,
    pub(super) after: ValueId,
    pub(super) adder: Adder<ValueId>,
    /// The values that it replaces, the last one of them at the end.
    pub(super) members: Vec<ValueId>,
}

impl Addition {
    /// Yields all values that it reads.
    pub(super) fn inputs(&self) -> impl Iterator<Item = ValueId> {
        self.adder.inputs().chain([self.before])
    }

    /// Returns its position in the order of values: users of its results come after it.
    pub(super) fn end(&self) -> Option<ValueId> {
        self.members.last().copied()
    }

    /// Returns whether all users of its results come after it.
    fn is_closed(&self, users: &Users<'_>) -> bool {
        let is_early = |value| {
            users.of(value).any(|user| Some(user) < self.end() && !self.members.contains(&user))
        };
        !self.adder.sums().chain([self.after]).any(is_early)
    }

    /// Appends the columns of the next addition, if both can be one operation.
    fn append(&mut self, next: &Addition, users: &Users<'_>) -> bool {
        let Adder { columns, mask, is_borrow } = &self.adder;
        let fits = next.before == self.after
            && (next.adder.mask, next.adder.is_borrow) == (*mask, *is_borrow)
            && columns.len() + next.adder.columns.len() <= LENGTH
            && !users.is_used_beside(self.after, &next.members)
            && next.adder.inputs().all(|input| !self.adder.sums().any(|sum| sum == input));
        if !fits {
            return false;
        }
        let mut both = self.clone();
        both.after = next.after;
        both.adder.columns.extend(&next.adder.columns);
        both.members.extend(&next.members);
        both.members.sort_unstable();
        let is_closed = both.is_closed(users);
        if is_closed {
            *self = both;
        }
        is_closed
    }
}

/// Returns the recorded operations as additions, in the order of their ends. `stores` are the ports
/// and what they receive, `loaded` returns the port of a value that is loaded.
pub(super) fn additions(
    users: &mut Users<'_>,
    stores: &[(PortId, ValueId)],
    loaded: impl Fn(ValueId) -> Option<PortId>,
) -> Vec<Addition> {
    let is_carried = |from: ValueId, to: ValueId| match loaded(from) {
        Some(port) => stores.contains(&(port, to)),
        None => true,
    };
    let mut sums: Vec<ValueId> = stores.iter().map(|(_, value)| *value).collect();
    sums.sort_unstable();
    sums.dedup();
    let mut found: Vec<Addition> = Vec::new();
    for sum in sums {
        if let Some(addition) = users.addition(sum, &is_carried) {
            users.take(&addition.members);
            let mut before = found.iter_mut().filter(|known| known.after == addition.before);
            let is_joined = before.next().is_some_and(|known| known.append(&addition, users));
            if !is_joined {
                found.push(addition);
            }
        }
    }
    found.sort_unstable_by_key(Addition::end);
    found
}

impl Users<'_> {
    /// Returns the column whose sum is this value. `is_carried` tells whether a value may become
    /// another one from column to column.
    fn addition(
        &self,
        sum: ValueId,
        is_carried: &impl Fn(ValueId, ValueId) -> bool,
    ) -> Option<Addition> {
        self.own(sum)?;
        let mut cone = Cone::of([sum]);
        while cone.grow(self) {
            let Some((of, mask)) = cone.masked_sum(sum) else { continue };
            let next = of.iter().flat_map(|leaf| self.of(*leaf));
            // The carry, perhaps of a sum of two values that is a value itself.
            let mut carries: Vec<ValueId> =
                next.flat_map(|user| self.of(user).chain([user])).collect();
            carries.sort_unstable();
            carries.dedup();
            carries.retain(|carry| *carry != sum && self.own(*carry).is_some());
            let mut all = carries.into_iter().filter_map(|after| {
                let addition = self.with_carry(sum, after, &cone, (of, mask), is_carried)?;
                addition.is_closed(self).then_some(addition)
            });
            if let Some(addition) = all.next() {
                return Some(addition);
            }
        }
        None
    }

    /// Returns the column with this sum of three values, whose cone is known, and this carry to the
    /// next column.
    fn with_carry(
        &self,
        sum: ValueId,
        after: ValueId,
        of_sum: &Cone,
        (of, mask): ([ValueId; 3], Option<ValueId>),
        is_carried: &impl Fn(ValueId, ValueId) -> bool,
    ) -> Option<Addition> {
        let mut cone = Cone::of([after]);
        while cone.grow(self) {
            let Some(complemented) = cone.majority(after, of) else { continue };
            let mut members = [of_sum.members(), cone.members()].concat();
            members.sort_unstable();
            members.dedup();
            let is_inner = |value: &ValueId| ![sum, after].contains(value);
            if members.iter().any(|it| is_inner(it) && self.is_used_beside(*it, &members)) {
                return None;
            }
            // The latest of the values that are not complemented.
            let mut carried = of.into_iter().rev();
            let before =
                carried.find(|value| complemented != Some(*value) && is_carried(*value, after))?;
            let mut summands = of.into_iter().filter(|value| *value != before);
            let mut summands = [summands.next()?, summands.next()?];
            if complemented == Some(summands[1]) {
                summands.reverse();
            }
            let columns = vec![AddedColumn { summands, sum }];
            let adder = Adder { columns, mask, is_borrow: complemented.is_some() };
            return Some(Addition { before, after, adder, members });
        }
        None
    }
}
