//! Covering of the recorded functions by as few functions of three inputs as possible.
//!
//! Note [Covering]. A value that is used once is merged into the function that uses it, if that
//! then has three inputs at most. One that is used several times is merged into all of its users or
//! none: then a full adder is two functions, not five, and no computation is duplicated.

use super::lut::Lut;
use super::record::{Node, ValueId};

/// Maximum number of users of a value that is merged into them.
const MOST_USERS: usize = 4;

/// The users of a value, if there are few.
#[derive(Clone, Copy, Debug, Default)]
struct Users {
    list: [u32; MOST_USERS],
    n: usize,
    /// Whether it is needed outside, or by too many functions.
    pinned: bool,
}

impl Users {
    fn add(&mut self, user: u32) {
        if self.list[..self.n].contains(&user) {
            return;
        }
        if self.n == MOST_USERS {
            self.pinned = true;
            return;
        }
        self.list[self.n] = user;
        self.n += 1;
    }

    fn remove(&mut self, user: u32) {
        if let Some(at) = self.list[..self.n].iter().position(|known| *known == user) {
            self.n -= 1;
            self.list[at] = self.list[self.n];
        }
    }
}

/// Returns the functions that are needed for `roots` in topological order, without those that are
/// computed elsewhere.
pub(super) fn cover(
    nodes: &[Node],
    roots: impl Iterator<Item = ValueId>,
    elsewhere: impl Iterator<Item = ValueId>,
) -> Vec<(ValueId, Lut<ValueId>)> {
    let mut users = vec![Users::default(); nodes.len()];
    let mut is_elsewhere = vec![false; nodes.len()];
    elsewhere.for_each(|value| is_elsewhere[value.0 as usize] = true);
    for root in roots {
        users[root.0 as usize].pinned = true;
    }
    let mut luts: Vec<Option<Lut<ValueId>>> = vec![None; nodes.len()];
    for (idx, node) in nodes.iter().enumerate().rev() {
        if let Node::Lut(lut) = node
            && (users[idx].pinned || users[idx].n > 0)
            && !is_elsewhere[idx]
        {
            luts[idx] = Some(*lut);
            for input in lut.inputs() {
                users[input.0 as usize].add(idx as u32);
            }
        }
    }
    for idx in 0..nodes.len() {
        let Some(lut) = luts[idx] else { continue };
        let Users { list, n, pinned } = users[idx];
        if !pinned && absorb(&mut luts, ValueId(idx as u32), &lut, &list[..n]) {
            luts[idx] = None;
            for input in lut.inputs() {
                let users = &mut users[input.0 as usize];
                users.remove(idx as u32);
                for user in &list[..n] {
                    users.add(*user);
                }
            }
        }
    }
    let luts = luts.into_iter().enumerate();
    luts.filter_map(|(idx, lut)| Some((ValueId(idx as u32), lut?))).collect()
}

/// Merges a value into all its users, if each then has three inputs at most.
fn absorb(
    luts: &mut [Option<Lut<ValueId>>],
    value: ValueId,
    lut: &Lut<ValueId>,
    users: &[u32],
) -> bool {
    let mut with = [None; MOST_USERS];
    for (with, user) in with.iter_mut().zip(users) {
        *with = luts[*user as usize].and_then(|user| user.with(value, lut));
        if with.is_none() {
            return false;
        }
    }
    for (with, user) in with.into_iter().zip(users) {
        luts[*user as usize] = with;
    }
    true
}
