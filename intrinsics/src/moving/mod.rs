//! An index of moving objects: a grid with operation splitting, after source 004 (G-LFPP).
//!
//! The area is cut into cells, chosen from the data ([`grid`]); a cell holds a chain of buckets of fixed length
//! ([`region`]); the id index says for each object its cell, bucket and slot ([`ids`]). An update whose object stays in
//! its cell is made in place; any other is split into a deletion and an insertion, which are queued for the owners of
//! the two cells ([`split`]). Each region of cells has one owner while a batch is worked in, so that there are no
//! locks. The range queries of a batch are answered together ([`query`]): candidate cells, a candidate-set map and
//! a query-confirmation table.
//!
//! Note [Catching up]. There are two indexes. In each period the updates of the batch go to one, while queries run
//! on the other, at the same time; then the two change places. So a query sees all earlier batches and none of its own.
//! The index that takes a batch is one batch behind: it missed the one that came while it was asked. Both
//! took the same operations in the same order ever since the cells were chosen, and where an object goes follows from
//! these alone ([`region`]); so the operations that the other index took in the last period, bucket and slot of every
//! deletion included, are right for this one too. They are kept, and a region takes them just before the new ones.
//! Nothing is looked up or split twice, and one id index, that of the index that is ahead, is enough for both.
//!
//! Note [Choosing cells]. Cells are chosen when the first batch comes, and again only when there are more buckets behind
//! the first ones of their cells than cells, and at least as many updates came since as there were objects: per update
//! that is a constant. No other batch rebuilds anything.

mod geometry;
mod grid;
mod ids;
mod index;
mod nearest;
mod query;
mod region;
mod room;
mod split;
mod state;
mod statistics;
mod store;
#[cfg(test)]
mod tests;

pub use geometry::{Point, Rect};
pub use index::MovingIndex;
pub use nearest::Neighbour;
pub use state::Movers;
pub use statistics::{Answering, Statistics, Updates};

use star_base::mix64;

use crate::environment::Ended;

/// An object that comes, moves or goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Update {
    /// The object. The id index has an entry for every number up to the greatest id.
    pub id: u32,
    /// Where it is; `None` if it is removed.
    pub to: Option<Point>,
}

/// A question for all objects in a rectangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Query {
    /// What it is called in answers.
    pub number: u32,
    /// The rectangle, its border included.
    pub range: Rect,
}

/// Takes answers: each piece of the work fills one, and they are put together.
pub trait Collector: Default + Send {
    /// Makes room for so many objects more.
    ///
    /// # Errors
    /// If the system refuses the memory.
    fn reserve(&mut self, n: usize) -> Result<(), Ended>;

    /// Query `number` has found an object.
    fn hit(&mut self, number: u32, id: u32);

    /// Takes what another piece has found; there is room for it.
    fn absorb(&mut self, other: Self);

    /// How many objects it needs room for.
    fn n_kept(&self) -> usize;
}

/// Answers one by one: number of the query and id, in no order.
impl Collector for Vec<(u32, u32)> {
    fn reserve(&mut self, n: usize) -> Result<(), Ended> {
        self.try_reserve(n).map_err(|_| Ended::OutOfMemory)
    }

    #[inline]
    fn hit(&mut self, number: u32, id: u32) {
        self.push((number, id));
    }

    fn absorb(&mut self, mut other: Self) {
        self.append(&mut other);
    }

    fn n_kept(&self) -> usize {
        self.len()
    }
}

/// How many answers there are, and their hash: Σ mix64(query · 2³² + id) mod 2⁶⁴, which does not depend on their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnswerHash {
    /// Objects found.
    pub hits: u64,
    /// The sum.
    pub hash: u64,
}

impl Collector for AnswerHash {
    fn reserve(&mut self, _: usize) -> Result<(), Ended> {
        Ok(())
    }

    #[inline]
    fn hit(&mut self, number: u32, id: u32) {
        self.hits += 1;
        self.hash = self.hash.wrapping_add(mix64(u64::from(number) << 32 | u64::from(id)));
    }

    fn absorb(&mut self, other: Self) {
        self.hits += other.hits;
        self.hash = self.hash.wrapping_add(other.hash);
    }

    fn n_kept(&self) -> usize {
        0
    }
}

/// Bytes of a list.
fn bytes<T>(list: &Vec<T>) -> u64 {
    (list.capacity() * size_of::<T>()) as u64
}

/// Makes a list at least so long.
fn grow<T: Default>(list: &mut Vec<T>, n: usize) -> Result<(), Ended> {
    let n_more = n.saturating_sub(list.len());
    list.try_reserve(n_more).map_err(|_| Ended::OutOfMemory)?;
    list.resize_with(list.len() + n_more, T::default);
    Ok(())
}
