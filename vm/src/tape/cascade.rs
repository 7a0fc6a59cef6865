//! Cascades: chains of operations with two results, a mask and the rows found.
//!
//! Note [Cascades]. Searches by value proceed from column to column with two slices: the rows that
//! are still undecided (the *mask*), and those that were accepted (the rows *found*). A step reads
//! one or two values x and computes
//!
//! > `found := found or (mask and give(x)); mask := mask and keep(x)`
//!
//! for some functions `keep` and `give`; either may be missing. As operations of three inputs these
//! are one or two for each column, and each of them reads a single line from memory, which is slow
//! (Note [Chains] in `chain`). So up to [`LENGTH`] steps are one operation, which reads all their
//! lines at once and keeps both slices in registers. Either slice may be stored as its complement,
//! so that conjunctions count as well. Values between the steps must have no other uses.
//!
//! Sequences of steps are found from the last one to the first, in the recorded operations and not
//! in their cover (Note [Covering] in `cover`), which joins adjacent steps in other ways. `step`
//! finds one.

use super::narrow::{Under, narrow};
use super::record::ValueId;
use super::step::{Link, Users};

/// Maximum number of steps of one operation.
pub(crate) const LENGTH: usize = 4;

/// A step: functions of two inputs, or of one input given twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step<T> {
    pub(crate) inputs: [T; 2],
    /// Where the mask remains.
    pub(crate) keep: u8,
    /// Where rows of the mask are found.
    pub(crate) give: u8,
}

/// Steps that form one operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cascade<T> {
    /// At least one, at most [`LENGTH`].
    pub(crate) steps: Vec<Step<T>>,
    pub(crate) is_complemented: Complements,
}

/// Which of the two slices is stored as its complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Complements {
    pub(crate) mask: bool,
    pub(crate) found: bool,
}

impl<T: Copy + PartialEq> Cascade<T> {
    pub(crate) fn inputs(&self) -> impl Iterator<Item = T> {
        self.steps.iter().flat_map(|step| step.inputs)
    }

    /// Returns the same cascade with other inputs.
    pub(crate) fn map<U>(&self, map: impl Fn(T) -> U) -> Cascade<U> {
        let steps = self.steps.iter().map(|step| {
            let Step { inputs, keep, give } = *step;
            Step { inputs: inputs.map(&map), keep, give }
        });
        Cascade { steps: steps.collect(), is_complemented: self.is_complemented }
    }
}

/// A cascade between values.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    pub(super) before: State,
    pub(super) after: State,
    pub(super) cascade: Cascade<ValueId>,
    /// The rows to which the search is restricted that begins with it.
    pub(super) under: Option<Under>,
    /// The values that it replaces.
    pub(super) members: Vec<ValueId>,
    /// Its position in the order of values: users of its results come after it.
    pub(super) end: ValueId,
}

/// The two values between two steps. `found` is missing before the first row is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State {
    pub(super) mask: ValueId,
    pub(super) found: Option<ValueId>,
}

impl State {
    /// Yields the values computed by a step to this state.
    pub(super) fn made_since(self, before: State) -> impl Iterator<Item = ValueId> {
        let mask = (self.mask != before.mask).then_some(self.mask);
        mask.into_iter().chain(self.found.filter(|found| before.found != Some(*found)))
    }
}

impl Pair {
    /// Yields all values that it reads.
    pub(super) fn inputs(&self) -> impl Iterator<Item = ValueId> {
        let State { mask, found } = self.before;
        let under = self.under.map(|under| under.rows);
        self.cascade.inputs().chain([mask]).chain(found).chain(under)
    }
}

/// Returns the recorded operations as pairs, in the order of their ends.
pub(super) fn cascades(users: &mut Users<'_>) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for value in users.values().rev() {
        if let Some((links, is_complemented)) = users.row(value) {
            cut(links, is_complemented, users, &mut pairs);
        }
    }
    pairs.sort_unstable_by_key(|pair| pair.end);
    narrow(&mut pairs, users);
    pairs
}

/// Splits steps, from the last one to the first, into pairs. It splits where a value between two
/// steps has another use.
fn cut(
    mut links: Vec<Link>,
    is_complemented: Complements,
    users: &mut Users<'_>,
    pairs: &mut Vec<Pair>,
) {
    links.reverse();
    // Before any row is found, conjunctions suffice.
    let first = links.iter().position(|link| link.before.found != link.after.found);
    links.drain(..first.unwrap_or_default());
    let members: Vec<ValueId> =
        links.iter().flat_map(|link| link.members.iter().copied()).collect();
    let is_input = |value: ValueId| links.iter().any(|link| link.step.inputs.contains(&value));
    let is_needed = |value| is_input(value) || users.is_used_beside(value, &members);
    let ends = links.iter().map(|link| link.after.made_since(link.before).any(is_needed));
    let ends: Vec<bool> = ends.collect();
    let mut start = 0;
    for (idx, is_end) in ends.iter().enumerate() {
        if *is_end || idx + 1 == links.len() {
            // As equal as possible, so that no step is left alone.
            let n_pairs = (idx + 1 - start).div_ceil(LENGTH);
            for links in links[start..=idx].chunks((idx + 1 - start).div_ceil(n_pairs)) {
                pairs.extend(pair(links, is_complemented, users));
            }
            start = idx + 1;
        }
    }
}

/// Creates a pair of some steps if there are several, and if all users of its results come after
/// the whole pair.
fn pair(links: &[Link], is_complemented: Complements, users: &mut Users<'_>) -> Option<Pair> {
    let ([first, _, ..], Some(last)) = (links, links.last()) else { return None };
    let (before, after) = (first.before, last.after);
    let mut members: Vec<ValueId> =
        links.iter().flat_map(|link| link.members.iter().copied()).collect();
    members.sort_unstable();
    let end = members.last().copied()?;
    let is_early = |value| users.of(value).any(|user| user < end && !members.contains(&user));
    if after.made_since(before).any(is_early) {
        return None;
    }
    users.take(&members);
    let steps = links.iter().map(|link| link.step).collect();
    let cascade = Cascade { steps, is_complemented };
    Some(Pair { before, after, cascade, under: None, members, end })
}
