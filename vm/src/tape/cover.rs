//! Covering: as few functions of three inputs as do the work.
//!
//! Note [Covering]. A value that is used once goes into the function that uses it, if that has three inputs at
//! most then. One that is used several times goes into all of its users or stays: then a full adder is two
//! functions, not five, and no value is made twice where it was made once.

use super::lut::Lut;
use super::record::{Node, ValueId};

/// Most users of a value that goes into them.
const MOST_USERS: usize = 4;

/// The users of a value, if they are few.
#[derive(Clone, Copy, Debug, Default)]
struct Users {
    list: [u32; MOST_USERS],
    n: usize,
    /// Somebody outside needs it, or too many functions do.
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

/// The functions that are needed for `roots`, in an order in which each comes behind those it uses, without those that
/// are made elsewhere.
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

/// A value goes into all its users, if each has three inputs at most then.
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
