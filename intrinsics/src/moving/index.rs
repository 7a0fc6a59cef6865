//! The two indexes and their exchange.

use rayon::prelude::*;

use crate::environment::{Ended, Environment, install};
use crate::moving::geometry::{Point, Rect};
use crate::moving::grid::Grid;
use crate::moving::ids::IdIndex;
use crate::moving::nearest::{Neighbour, nearest};
use crate::moving::query::Answerer;
use crate::moving::region::Region;
use crate::moving::split::Operations;
use crate::moving::statistics::{Answering, Statistics, Updates};
use crate::moving::store::Store;
use crate::moving::{Collector, Query, Update};
use crate::reserved;

/// An index of moving objects. See the module documentation.
#[derive(Debug, Default)]
pub struct MovingIndex {
    /// The area to divide into cells, if it is not the bounding box of the objects.
    area: Option<Rect>,
    ids: IdIndex,
    /// `None` before the first batch.
    indexes: Option<Indexes>,
    /// The current batch.
    new: Operations,
    answerer: Answerer,
    n_objects: u64,
    choices: u64,
    batches: u64,
    updates: Updates,
    answering: Answering,
}

/// The two indexes, and their common cells.
#[derive(Debug)]
pub(super) struct Indexes {
    pub(super) grid: Grid,
    /// The index that contains all batches.
    pub(super) ahead: Store,
    /// The index that lacks the last batch.
    behind: Store,
    /// The last batch, which the older index has yet to apply.
    log: Operations,
    /// The number of objects when the cells were chosen, and of updates since.
    n_chosen_for: u64,
    n_since: u64,
}

impl Indexes {
    /// Chooses cells for these points and creates empty indexes.
    fn choose(points: &[Point], area: Option<Rect>) -> Result<Indexes, Ended> {
        let grid = Grid::choose(points, area)?;
        let (ahead, behind) = (Store::new(&grid)?, Store::new(&grid)?);
        let (log, n_chosen_for) = (Operations::default(), points.len() as u64);
        Ok(Indexes { grid, ahead, behind, log, n_chosen_for, n_since: 0 })
    }

    /// Returns whether new cells should be chosen. See Note [Choosing cells].
    fn are_outgrown(&self) -> bool {
        self.n_since >= self.n_chosen_for.max(1)
            && self.ahead.n_further_buckets() > self.grid.n_cells()
    }

    /// Returns whether new cells may be needed after `n_updates` more updates.
    pub(super) fn may_be_outgrown(&self, n_updates: u64) -> bool {
        self.n_since.saturating_add(n_updates) >= self.n_chosen_for.max(1)
            && self.ahead.n_further_buckets().saturating_add(n_updates) > self.grid.n_cells()
    }

    /// An upper bound on the bytes of further buckets that `n_updates` updates may add to one of
    /// the indexes.
    pub(super) fn most_further(&self, n_updates: u64) -> u64 {
        // The older index applies the last batch, too.
        let n_updates = n_updates.saturating_add(self.log.n_updates());
        let n_buckets = self.grid.n_cells() + self.ahead.n_further_buckets();
        Region::most_growth(n_buckets, n_updates)
    }

    fn n_bytes(&self) -> u64 {
        let Indexes { grid, ahead, behind, log, n_chosen_for: _, n_since: _ } = self;
        grid.n_bytes() + ahead.n_bytes() + behind.n_bytes() + log.n_bytes()
    }
}

impl MovingIndex {
    /// Creates an index without objects. Objects outside the area are stored and found like others,
    /// but more slowly.
    pub fn new(area: Option<Rect>) -> MovingIndex {
        MovingIndex { area, ..MovingIndex::default() }
    }

    /// Allocates entries for the ids below `n`, which otherwise happens when they appear.
    ///
    /// # Errors
    /// If memory allocation fails.
    pub fn reserve_ids(&mut self, n: usize) -> Result<(), Ended> {
        self.ids.grow(n)
    }

    /// Runs one period: answers the queries, which see all earlier batches and nothing of this one,
    /// while the updates are applied. Of several updates of an id, the last one counts.
    ///
    /// # Errors
    /// If memory allocation fails or the run is interrupted: the index must then be discarded.
    pub fn period<C: Collector>(
        &mut self,
        updates: &[Update],
        queries: &[Query],
        collector: &mut C,
        environment: &dyn Environment,
    ) -> Result<(), Ended> {
        install(environment, || {
            if updates.is_empty() {
                return self.answer(queries, collector, environment);
            }
            let greatest = updates.par_iter().map(|update| update.id).max();
            self.ids.grow(greatest.map_or(0, |id| id as usize + 1))?;
            let is_first = self.indexes.is_none();
            let indexes = match &mut self.indexes {
                Some(indexes) => indexes,
                none @ None => {
                    let mut points = reserved(updates.len())?;
                    points.extend(updates.iter().filter_map(|update| update.to));
                    self.choices += 1;
                    none.insert(Indexes::choose(&points, self.area)?)
                }
            };
            let Indexes { grid, ahead, behind, log, .. } = indexes;
            let (ids, new, answerer) = (&self.ids, &mut self.new, &mut self.answerer);
            let taken = || -> Result<Updates, Ended> {
                let counted = new.split(updates, ids, grid, environment)?;
                behind.apply(log, new, ids, environment)?;
                Ok(counted)
            };
            let answered = || answerer.answer(queries, grid, ahead, collector, environment);
            let (counted, answered) = rayon::join(taken, answered);
            let (counted, answered) = (counted?, answered?);
            std::mem::swap(ahead, behind);
            std::mem::swap(log, new);
            self.n_objects += counted.inserted;
            self.n_objects -= counted.removed;
            indexes.n_since += if is_first { 0 } else { counted.updates };
            self.batches += 1;
            self.updates.add(counted);
            self.answering.add(answered);
            if indexes.are_outgrown() {
                *indexes =
                    chosen_again(indexes, self.n_objects, self.area, &self.ids, environment)?;
                self.choices += 1;
            }
            Ok(())
        })
    }

    fn answer<C: Collector>(
        &mut self,
        queries: &[Query],
        collector: &mut C,
        environment: &dyn Environment,
    ) -> Result<(), Ended> {
        let Some(Indexes { grid, ahead, .. }) = &self.indexes else {
            self.answering.queries += queries.len() as u64;
            return Ok(());
        };
        let answered = self.answerer.answer(queries, grid, ahead, collector, environment)?;
        self.answering.add(answered);
        Ok(())
    }

    /// Answers queries, which see all batches, without keeping state for later queries or updating
    /// the statistics.
    ///
    /// # Errors
    /// If memory allocation fails or the run is interrupted; the index is unchanged.
    pub fn ask<C: Collector>(
        &self,
        queries: &[Query],
        collector: &mut C,
        environment: &dyn Environment,
    ) -> Result<(), Ended> {
        let Some(Indexes { grid, ahead, .. }) = &self.indexes else { return Ok(()) };
        install(environment, || {
            let mut answerer = Answerer::default();
            answerer.answer(queries, grid, ahead, collector, environment).map(|_| ())
        })
    }

    /// Finds the `k` nearest objects of each point, by distance and then by id, or all objects if
    /// there are fewer. The search sees all batches.
    ///
    /// # Errors
    /// If memory allocation fails or the run is interrupted; the index is unchanged.
    pub fn nearest(
        &self,
        points: &[Point],
        k: usize,
        environment: &dyn Environment,
    ) -> Result<Vec<Vec<Neighbour>>, Ended> {
        let indexes = self.indexes.as_ref();
        install(environment, || {
            let of_point = |scratch: &mut Vec<Neighbour>, &point: &Point| {
                environment.poll()?;
                scratch.clear();
                if let Some(Indexes { grid, ahead, .. }) = indexes {
                    nearest(ahead, grid, point, k, scratch)?;
                }
                let mut found = reserved(scratch.len())?;
                found.extend_from_slice(scratch);
                Ok(found)
            };
            points.par_iter().map_init(Vec::new, of_point).collect()
        })
    }

    /// The position of an object, or `None` if there is none with this id.
    pub fn position(&self, id: u32) -> Option<Point> {
        if id as usize >= self.ids.len() {
            return None;
        }
        let location = self.ids.get(id).location()?;
        Some(self.indexes.as_ref()?.ahead.region(location.cell.region).at(location.place))
    }

    /// Calls `each` for every object, in unspecified order.
    pub fn for_each(&self, each: impl FnMut(u32, Point)) {
        if let Some(indexes) = &self.indexes {
            indexes.ahead.for_each(each);
        }
    }

    /// Ids below this number have an entry.
    pub(super) fn n_ids(&self) -> usize {
        self.ids.len()
    }

    pub(super) fn indexes(&self) -> Option<&Indexes> {
        self.indexes.as_ref()
    }

    /// The number of objects.
    pub fn n_objects(&self) -> u64 {
        self.n_objects
    }

    /// The area that is divided into cells, or `None` before the first batch.
    pub fn area(&self) -> Option<Rect> {
        self.indexes.as_ref().map(|indexes| indexes.grid.area())
    }

    /// Memory layout and activity of the index.
    pub fn statistics(&self) -> Statistics {
        let indexes = self.indexes.as_ref();
        Statistics {
            objects: self.n_objects,
            cells: indexes.map_or(0, |its| its.grid.n_cells()),
            regions: indexes.map_or(0, |its| its.grid.region_cells().len() as u64),
            further_buckets: indexes.map_or(0, |its| its.ahead.n_further_buckets()),
            n_bytes: self.n_bytes(),
            choices: self.choices,
            batches: self.batches,
            updates: self.updates,
            answering: self.answering,
        }
    }

    /// A lower bound on the memory in use, in bytes, once it holds an object with this id.
    pub fn n_bytes_with(&self, id: u32) -> u64 {
        self.n_bytes() + (8 * (u64::from(id) + 1)).saturating_sub(self.ids.n_bytes())
    }

    /// The memory in use, in bytes, including what is kept for the next batch.
    pub fn n_bytes(&self) -> u64 {
        let indexes = self.indexes.as_ref().map_or(0, Indexes::n_bytes);
        indexes + self.ids.n_bytes() + self.new.n_bytes() + self.answerer.n_bytes()
    }
}

/// The same objects in cells that are chosen for their current positions.
fn chosen_again(
    old: &Indexes,
    n_objects: u64,
    area: Option<Rect>,
    ids: &IdIndex,
    environment: &dyn Environment,
) -> Result<Indexes, Ended> {
    let n = n_objects as usize;
    let (mut objects, mut points) = (reserved(n)?, reserved(n)?);
    old.ahead.for_each(|id, at| {
        objects.push(Update { id, to: Some(at) });
        points.push(at);
    });
    let mut chosen = Indexes::choose(&points, area)?;
    // All objects are new.
    objects.iter().for_each(|object| ids.forget(object.id));
    chosen.log.split(&objects, ids, &chosen.grid, environment)?;
    chosen.ahead.apply(&Operations::default(), &chosen.log, ids, environment)?;
    Ok(chosen)
}
