//! An index of moving objects: a grid with operation splitting, after source 004 (G-LFPP).
//!
//! The area is divided into cells, chosen from the data ([`grid`]); a cell holds a chain of buckets
//! of fixed length ([`region`]); the id index stores for each object its cell, bucket and slot
//! ([`ids`]). An update whose object stays in its cell is made in place; any other is split into a
//! deletion and an insertion, which are queued for the owners of the two cells ([`split`]). Each
//! region of cells has one owner while a batch is processed, so no locks are needed. The range
//! queries of a batch are answered together ([`query`]): candidate cells, a candidate-set map and a
//! query-confirmation table.
//!
//! Note [Catching up]. There are two indexes. In each period, the updates of the batch go to one
//! while queries run on the other at the same time; then the two are swapped. So a query sees all
//! earlier batches and nothing of the current one. The index that receives a batch is older: it
//! missed the one that arrived while it was queried. Both have applied the same operations in the
//! same order since the cells were chosen, and the location of an object follows from these alone
//! ([`region`]). The operations that the other index applied in the last period, including bucket
//! and slot of every deletion, are therefore valid for this one, too. They are kept, and a region
//! applies them just before the new ones. Nothing is looked up or split twice, and one id index,
//! that of the index that is ahead, is enough for both.
//!
//! Note [Choosing cells]. Cells are chosen when the first batch arrives, and again only when there
//! are more further buckets than cells, and at least as many updates since then as there were
//! objects: the cost per update is constant. No other batch rebuilds anything.

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
pub use grid::Tiling;
pub use index::MovingIndex;
pub use nearest::Neighbour;
pub use state::Movers;
pub use statistics::{Answering, Statistics, Updates};

use star_base::mix64;

use crate::environment::Ended;

/// An object that is added, moved or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Update {
    /// The object. The id index has an entry for every number up to the greatest id.
    pub id: u32,
    /// The new position, or `None` if the object is removed.
    pub to: Option<Point>,
}

/// A query for all objects in a rectangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Query {
    /// The number that identifies it in answers.
    pub number: u32,
    /// The rectangle, including its border.
    pub range: Rect,
}

/// Collects answers: each part of the work fills one collector, and these are combined.
pub trait Collector: Default + Send {
    /// Reserves space for `n` more objects.
    ///
    /// # Errors
    /// If memory allocation fails.
    fn reserve(&mut self, n: usize) -> Result<(), Ended>;

    /// Records that query `number` has found object `id`.
    fn hit(&mut self, number: u32, id: u32);

    /// Adds the answers of another collector; space for them is reserved.
    fn absorb(&mut self, other: Self);

    /// The number of objects that it needs space for.
    fn n_kept(&self) -> usize;
}

/// Single answers: number of the query and id, in unspecified order.
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

/// The number of answers and their hash: Σ mix64(query · 2³² + id) mod 2⁶⁴, which does not depend
/// on their order.
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

/// The answers to the queries of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BatchAnswers {
    /// The number of a query and an id each, in any order.
    Pairs(Vec<(u32, u32)>),
    /// Their number and hash.
    Hash(AnswerHash),
}

/// The requested form of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerForm {
    /// [`BatchAnswers::Pairs`].
    Pairs,
    /// [`BatchAnswers::Hash`].
    Hash,
}

/// The size of a list in bytes.
fn bytes<T>(list: &Vec<T>) -> u64 {
    (list.capacity() * size_of::<T>()) as u64
}

/// Extends a list to at least `n` elements.
fn grow<T: Default>(list: &mut Vec<T>, n: usize) -> Result<(), Ended> {
    let n_more = n.saturating_sub(list.len());
    list.try_reserve(n_more).map_err(|_| Ended::OutOfMemory)?;
    list.resize_with(list.len() + n_more, T::default);
    Ok(())
}
