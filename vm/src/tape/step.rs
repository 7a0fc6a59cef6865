//! Recognition of one step of a cascade (Note [Cascades] in `cascade`) in the recorded operations.
//!
//! Note [Cones]. The results of a step are functions of a few earlier values, the *leaves*; between
//! these and the two results are the *members* of its cone. It grows from the results: the latest
//! leaf is replaced by its operands, until the functions of the leaves have the form of a step, or
//! there are more than four. The functions are tables of 16 bits, one for each combination of the
//! leaves' values.

use super::cascade::{Complements, LENGTH, State, Step};
use super::lut::Lut;
use super::record::{Node, ValueId};

/// Maximum number of leaves: both slices and two inputs.
const MOST_LEAVES: usize = 4;

/// Maximum number of members. A cone of few leaves may have any number of them: two slices that are
/// combined again and again.
const MOST_MEMBERS: usize = 16;

/// Maximum number of steps that are searched at once. The search continues before them.
const MOST_STEPS: usize = 16 * LENGTH;

/// The values of each leaf in all combinations, the first one the most significant digit.
const DIGITS: [u16; MOST_LEAVES] = [0xff00, 0xf0f0, 0xcccc, 0xaaaa];

/// A step between two states.
pub(super) struct Link {
    pub(super) step: Step<ValueId>,
    pub(super) before: State,
    pub(super) after: State,
    /// The values that it replaces.
    pub(super) members: Vec<ValueId>,
}

/// The recorded and needed values, and their users.
pub(super) struct Users<'t> {
    nodes: &'t [Node],
    /// Whether the value is part of a pair, or not needed.
    is_taken: Vec<bool>,
    is_root: Vec<bool>,
    /// The users of value i begin at `starts[i]`.
    users: Vec<ValueId>,
    starts: Vec<usize>,
}

impl<'t> Users<'t> {
    pub(super) fn new(nodes: &'t [Node], roots: impl Iterator<Item = ValueId>) -> Self {
        let mut is_root = vec![false; nodes.len()];
        roots.for_each(|root| is_root[root.0 as usize] = true);
        let mut is_needed = is_root.clone();
        let mut n_users = vec![0; nodes.len() + 1];
        for (idx, node) in nodes.iter().enumerate().rev() {
            if let (Node::Lut(lut), true) = (node, is_needed[idx]) {
                for input in lut.inputs() {
                    is_needed[input.0 as usize] = true;
                    n_users[input.0 as usize] += 1;
                }
            }
        }
        let mut starts = Vec::with_capacity(n_users.len());
        let mut n = 0;
        for users in n_users {
            starts.push(n);
            n += users;
        }
        let mut users = vec![ValueId(0); n];
        let mut next = starts.clone();
        for (idx, node) in nodes.iter().enumerate() {
            if let (Node::Lut(lut), true) = (node, is_needed[idx]) {
                for input in lut.inputs() {
                    users[next[input.0 as usize]] = ValueId(idx as u32);
                    next[input.0 as usize] += 1;
                }
            }
        }
        let is_taken = is_needed.iter().map(|is_needed| !is_needed).collect();
        Users { nodes, is_taken, is_root, users, starts }
    }

    /// Yields all values.
    pub(super) fn values(&self) -> impl DoubleEndedIterator<Item = ValueId> + use<> {
        (0..self.nodes.len() as u32).map(ValueId)
    }

    /// Yields the users of this value.
    pub(super) fn of(&self, value: ValueId) -> impl Iterator<Item = ValueId> {
        let idx = value.0 as usize;
        self.users[self.starts[idx]..self.starts[idx + 1]].iter().copied()
    }

    /// Returns whether the value is needed after the tape.
    pub(super) fn is_root(&self, value: ValueId) -> bool {
        self.is_root[value.0 as usize]
    }

    /// Returns whether the value has a user outside of these members.
    pub(super) fn is_used_beside(&self, value: ValueId, members: &[ValueId]) -> bool {
        self.is_root(value) || self.of(value).any(|user| !members.contains(&user))
    }

    /// Marks these values as part of a pair.
    pub(super) fn take(&mut self, members: &[ValueId]) {
        members.iter().for_each(|member| self.is_taken[member.0 as usize] = true);
    }

    /// Returns the function of a value, if it is not part of a pair yet.
    pub(super) fn own(&self, value: ValueId) -> Option<&Lut<ValueId>> {
        match &self.nodes[value.0 as usize] {
            Node::Lut(lut) if !self.is_taken[value.0 as usize] => Some(lut),
            Node::Lut(_) | Node::Load(_) => None,
        }
    }

    /// Returns the longest sequence of steps, from the last one to the first, that ends with this
    /// value found.
    pub(super) fn row(&self, found: ValueId) -> Option<(Vec<Link>, Complements)> {
        self.own(found)?;
        let mut longest: Option<(Vec<Link>, Complements)> = None;
        let mut cone = Cone::of([found]);
        while cone.grow(self) && !cone.is_chain(found) {
            let function = cone.table(found);
            for ends in cone.ends() {
                let Some(before) = ends.found else { continue };
                let [mask_digit, found_digit] = [ends.mask, before].map(|leaf| cone.table(leaf));
                for bits in 0..4_u8 {
                    let is_complemented = Complements { mask: bits & 1 == 1, found: bits & 2 == 2 };
                    let (by_mask, by_found) = is_complemented.held();
                    let [ones, all] = [found_digit ^ by_found, function ^ by_found];
                    if !adds_under(mask_digit ^ by_mask, ones, all) {
                        continue;
                    }
                    let after = State { mask: ends.mask, found: Some(found) };
                    let Some(step) = cone.step(ends, after, is_complemented) else { continue };
                    let before = State { mask: ends.mask, found: Some(before) };
                    let last = self.with_mask(before, found, is_complemented).or_else(|| {
                        let members = cone.members.clone();
                        cone.is_closed(self, after).then_some(Link { step, before, after, members })
                    });
                    let mut links: Vec<Link> = last.into_iter().collect();
                    while links.len() < MOST_STEPS
                        && let Some(link) = links.last()
                        && let Some(link) = self.link(link.before, is_complemented)
                    {
                        links.push(link);
                    }
                    if longest.as_ref().is_none_or(|(known, _)| known.len() < links.len()) {
                        longest = Some((links, is_complemented));
                    }
                }
            }
        }
        longest.filter(|(links, _)| links.len() > 1)
    }

    /// Returns the step from a state with this value found and another mask, which is needed.
    fn with_mask(
        &self,
        before: State,
        found: ValueId,
        is_complemented: Complements,
    ) -> Option<Link> {
        let masks = self.of(before.mask).filter(|mask| *mask != found);
        let mut links =
            masks.filter_map(|mask| self.link(State { mask, found: Some(found) }, is_complemented));
        links.find(|link| {
            link.before == before && self.is_used_beside(link.after.mask, &link.members)
        })
    }

    /// Returns the step to a state: one that computes both values if there is one, or else the one
    /// that replaces the most.
    fn link(&self, after: State, is_complemented: Complements) -> Option<Link> {
        let found = after.found?;
        let mut cone = Cone::of([after.mask, found]);
        let mut single = None;
        while cone.grow(self) {
            if !cone.is_closed(self, after) {
                continue;
            }
            let is_both = cone.members.contains(&after.mask) && cone.members.contains(&found);
            // The computed value may be a computed mask, rather than a loaded one.
            let found = |is_made: bool| {
                let mut ends = cone.ends().into_iter();
                ends.find_map(|ends| {
                    (self.own(ends.mask).is_some() == is_made).then_some(())?;
                    Some((ends, cone.step(ends, after, is_complemented)?))
                })
            };
            let step = found(true).or_else(|| found(false));
            let Some((before, step)) = step else { continue };
            let (members, step) = match is_both {
                true => cone.clone().widened(self, before, after, step, is_complemented),
                false => (cone.members.clone(), step),
            };
            let link = Link { step, before, after, members };
            if is_both {
                return Some(link);
            }
            single = Some(link);
        }
        single
    }
}

impl Complements {
    /// Returns tables that are one everywhere where the mask, and the rows found, are stored as
    /// complements.
    fn held(self) -> (u16, u16) {
        let held = |flag: bool| if flag { u16::MAX } else { 0 };
        (held(self.mask), held(self.found))
    }
}

/// Returns whether `after` is `before` with additional rows, all of them under the mask.
fn adds_under(mask: u16, before: u16, after: u16) -> bool {
    (after ^ before) & !mask == 0 && before & !after == 0
}

/// Some results as functions of leaves.
#[derive(Clone)]
pub(super) struct Cone {
    /// At most [`MOST_LEAVES`], ascending.
    leaves: Vec<ValueId>,
    /// Ascending.
    members: Vec<ValueId>,
    /// The functions of the members.
    tables: Vec<u16>,
}

impl Cone {
    /// Creates the cone of the results alone.
    pub(super) fn of<const N: usize>(results: [ValueId; N]) -> Cone {
        let mut leaves = results.to_vec();
        leaves.sort_unstable();
        Cone { leaves, members: Vec::new(), tables: Vec::new() }
    }

    /// Replaces the latest leaf that is a function; returns false if there are too many leaves
    /// then, or no such leaf.
    pub(super) fn grow(&mut self, users: &Users<'_>) -> bool {
        let latest = self.leaves.iter().rev().find(|leaf| users.own(**leaf).is_some());
        latest.copied().is_some_and(|leaf| self.replace(leaf, users))
    }

    fn replace(&mut self, leaf: ValueId, users: &Users<'_>) -> bool {
        let Some(lut) = users.own(leaf) else { return false };
        let mut leaves = self.leaves.clone();
        leaves.retain(|known| *known != leaf);
        for input in lut.inputs().iter().filter(|input| !self.members.contains(input)) {
            if let Err(at) = leaves.binary_search(input) {
                leaves.insert(at, *input);
            }
        }
        if leaves.len() > MOST_LEAVES || self.members.len() == MOST_MEMBERS {
            return false;
        }
        self.leaves = leaves;
        let at = self.members.partition_point(|member| *member < leaf);
        self.members.insert(at, leaf);
        self.tables.clear();
        for at in 0..self.members.len() {
            let table = users.own(self.members[at]).map_or(0, |lut| self.evaluate(lut));
            self.tables.push(table);
        }
        true
    }

    /// Evaluates a function of leaves and of members whose functions are known.
    fn evaluate(&self, lut: &Lut<ValueId>) -> u16 {
        let inputs = lut.inputs();
        (0..1 << inputs.len()).filter(|values| lut.table() >> values & 1 == 1).fold(
            0,
            |all, values| {
                let term =
                    inputs.iter().rev().enumerate().fold(u16::MAX, |term, (digit, input)| {
                        let of = self.table(*input);
                        term & if values >> digit & 1 == 1 { of } else { !of }
                    });
                all | term
            },
        )
    }

    /// Returns the table of a leaf or member.
    fn table(&self, value: ValueId) -> u16 {
        match (self.leaves.binary_search(&value), self.members.binary_search(&value)) {
            (Ok(at), _) => DIGITS[at],
            (_, Ok(at)) => self.tables[at],
            (Err(_), Err(_)) => 0,
        }
    }

    /// Returns whether it is a conjunction of all leaves, some of them complemented, or the
    /// complement of one. That is not a step.
    fn is_chain(&self, value: ValueId) -> bool {
        let n_ones = self.table(value).count_ones();
        let one = 16 >> self.leaves.len();
        self.members.len() > 1 && (n_ones == one || n_ones == 16 - one)
    }

    pub(super) fn members(&self) -> &[ValueId] {
        &self.members
    }

    /// Returns the leaves of a value that is their sum modulo 2, or the conjunction of that of
    /// three leaves with the fourth one, the mask.
    pub(super) fn masked_sum(&self, value: ValueId) -> Option<([ValueId; 3], Option<ValueId>)> {
        let table = self.table(value);
        let masks = self.leaves.iter().copied().map(Some).chain([None]);
        masks.filter(|mask| self.leaves.len() == 3 + usize::from(mask.is_some())).find_map(|mask| {
            let mut of = self.leaves.iter().copied().filter(|leaf| Some(*leaf) != mask);
            let of = [of.next()?, of.next()?, of.next()?];
            let under = mask.map_or(u16::MAX, |mask| self.table(mask));
            let sum = of.iter().fold(0, |sum, leaf| sum ^ self.table(*leaf));
            (table == sum & under).then_some((of, mask))
        })
    }

    /// Tests whether a value is the majority of three leaves, and returns the one that is
    /// complemented there, if one is.
    pub(super) fn majority(&self, value: ValueId, of: [ValueId; 3]) -> Option<Option<ValueId>> {
        if self.leaves != of {
            return None;
        }
        let mut complements = [None].into_iter().chain(of.map(Some));
        complements.find(|complemented| {
            let [x, y, z] = of.map(|leaf| match *complemented == Some(leaf) {
                true => !self.table(leaf),
                false => self.table(leaf),
            });
            self.table(value) == x & y | x & z | y & z
        })
    }

    /// Returns whether members that are not results have no other users.
    fn is_closed(&self, users: &Users<'_>, after: State) -> bool {
        let inner = self.members.iter().filter(|member| **member != after.mask);
        let mut inner = inner.filter(|member| after.found != Some(**member));
        inner.all(|member| !users.is_used_beside(*member, &self.members))
    }

    /// Returns all choices of the previous state among the leaves.
    fn ends(&self) -> Vec<State> {
        let masks = self.leaves.iter();
        let pairs = masks.flat_map(|mask| {
            let others = self.leaves.iter().filter(move |found| *found != mask);
            let some = others.map(move |found| State { mask: *mask, found: Some(*found) });
            std::iter::once(State { mask: *mask, found: None }).chain(some)
        });
        pairs.collect()
    }

    /// Returns the step from a state among the leaves to this one, if the functions have that form.
    fn step(
        &self,
        before: State,
        after: State,
        is_complemented: Complements,
    ) -> Option<Step<ValueId>> {
        let (by_mask, by_found) = is_complemented.held();
        let open = self.table(before.mask) ^ by_mask;
        let ones = before.found.map_or(0, |found| self.table(found) ^ by_found);
        let mask = self.table(after.mask) ^ by_mask;
        let found = self.table(after.found?) ^ by_found;
        if mask & !open != 0 || !adds_under(open, ones, found) {
            return None;
        }
        let mut inputs = self.leaves.iter().copied();
        let inputs: Vec<ValueId> = inputs
            .by_ref()
            .filter(|leaf| *leaf != before.mask && before.found != Some(*leaf))
            .collect();
        let inputs = match *inputs {
            [one] => [one; 2],
            [first, second] => [first, second],
            _ => return None,
        };
        let (mut keep, mut give) = (0, 0);
        for values in 0..4_u8 {
            // Where the inputs have these values, under the mask.
            let digit = |at: usize| match values >> (1 - at) & 1 {
                1 => self.table(inputs[at]),
                _ => !self.table(inputs[at]),
            };
            let here = match inputs[0] == inputs[1] {
                true => open & digit(0),
                false => open & digit(0) & digit(1),
            };
            let (kept, fresh) = (mask & here, here & !ones);
            let given = found & fresh;
            ((kept == 0 || kept == here) && (given == 0 || given == fresh)).then_some(())?;
            keep |= u8::from(kept != 0) << values;
            give |= u8::from(given != 0) << values;
        }
        Some(Step { inputs, keep, give })
    }

    /// Returns the same step with its inputs replaced by their operands, where they have no other
    /// users.
    fn widened(
        mut self,
        users: &Users<'_>,
        before: State,
        after: State,
        step: Step<ValueId>,
        is_complemented: Complements,
    ) -> (Vec<ValueId>, Step<ValueId>) {
        let mut step = step;
        'wider: loop {
            for input in step.inputs {
                let mut wider = self.clone();
                if !users.is_used_beside(input, &self.members)
                    && wider.replace(input, users)
                    && let Some(found) = wider.step(before, after, is_complemented)
                {
                    (self, step) = (wider, found);
                    continue 'wider;
                }
            }
            return (self.members, step);
        }
    }
}
