//! The two indexes and what goes on between them.

use rayon::prelude::*;

use crate::environment::{Ended, Environment, install};
use crate::moving::geometry::{Point, Rect};
use crate::moving::grid::Grid;
use crate::moving::ids::IdIndex;
use crate::moving::nearest::{Neighbour, nearest};
use crate::moving::query::Answerer;
use crate::moving::split::Operations;
use crate::moving::statistics::{Answering, Statistics, Updates};
use crate::moving::store::Store;
use crate::moving::{Collector, Query, Update};
use crate::reserved;

/// An index of moving objects. See the head of the module.
#[derive(Debug, Default)]
pub struct MovingIndex {
    /// The area to cut into cells, if that is not the one of the objects.
    area: Option<Rect>,
    grid: Option<Grid>,
    ids: IdIndex,
    /// The index that has taken all batches.
    ahead: Store,
    /// The index that has not taken the last batch yet.
    behind: Store,
    /// The last batch, which is yet to be taken by the index that is behind.
    log: Operations,
    /// The batch that is being taken.
    new: Operations,
    answerer: Answerer,
    n_objects: u64,
    /// Objects when the cells were chosen, and updates since.
    n_chosen_for: u64,
    n_since: u64,
    choices: u64,
    batches: u64,
    updates: Updates,
    answering: Answering,
}

impl MovingIndex {
    /// An index without objects. Objects outside the area are kept and found like others, only slower.
    pub fn new(area: Option<Rect>) -> MovingIndex {
        MovingIndex { area, ..MovingIndex::default() }
    }

    /// One period: answers the queries, which see all batches before and none of this one, while the updates are made.
    /// Of several updates of an id the last one counts.
    ///
    /// # Errors
    /// If the system refuses the memory or the run has to end: the index is then to be given up.
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
            let is_first = self.prepare(updates)?;
            let MovingIndex { grid, ids, ahead, behind, log, new, answerer, .. } = self;
            let Some(grid) = grid else { return Ok(()) };
            let taken = || -> Result<Updates, Ended> {
                let counted = new.split(updates, ids, grid, environment)?;
                behind.apply(log, new, ids, environment)?;
                Ok(counted)
            };
            let answered = || answerer.answer(queries, grid, ahead, collector, environment);
            let (counted, answered) = rayon::join(taken, answered);
            let (counted, answered) = (counted?, answered?);
            std::mem::swap(&mut self.ahead, &mut self.behind);
            std::mem::swap(&mut self.log, &mut self.new);
            self.n_objects += counted.inserted;
            self.n_objects -= counted.removed;
            self.n_since += if is_first { 0 } else { counted.updates };
            self.batches += 1;
            self.updates.add(counted);
            self.answering.add(answered);
            self.choose_again(environment)
        })
    }

    fn answer<C: Collector>(
        &mut self,
        queries: &[Query],
        collector: &mut C,
        environment: &dyn Environment,
    ) -> Result<(), Ended> {
        let Some(grid) = &self.grid else {
            self.answering.queries += queries.len() as u64;
            return Ok(());
        };
        let answered = self.answerer.answer(queries, grid, &self.ahead, collector, environment)?;
        self.answering.add(answered);
        Ok(())
    }

    /// The `k` nearest objects of each point, by distance and then by id; all there are if there are fewer. They see
    /// all batches.
    ///
    /// # Errors
    /// If the system refuses the memory or the run has to end; the index stays as it is.
    pub fn nearest(
        &self,
        points: &[Point],
        k: usize,
        environment: &dyn Environment,
    ) -> Result<Vec<Vec<Neighbour>>, Ended> {
        let Some(grid) = &self.grid else { return Ok(vec![Vec::new(); points.len()]) };
        install(environment, || {
            let of_point = |scratch: &mut Vec<Neighbour>, &point: &Point| {
                environment.poll()?;
                nearest(&self.ahead, grid, point, k, scratch);
                Ok(scratch.clone())
            };
            points.par_iter().map_init(Vec::new, of_point).collect()
        })
    }

    /// Where an object is; `None` if there is none of that id.
    pub fn position(&self, id: u32) -> Option<Point> {
        if id as usize >= self.ids.len() {
            return None;
        }
        let location = self.ids.get(id).location()?;
        Some(self.ahead.region(location.cell.region).at(location.place))
    }

    /// Calls `each` for every object, in no order.
    pub fn for_each(&self, mut each: impl FnMut(u32, Point)) {
        for region in self.ahead.regions() {
            region.for_each(|entry| each(entry.id, entry.at));
        }
    }

    /// Number of objects.
    pub fn n_objects(&self) -> u64 {
        self.n_objects
    }

    /// The area that is cut into cells; `None` before the first batch.
    pub fn area(&self) -> Option<Rect> {
        self.grid.as_ref().map(Grid::area)
    }

    /// How it lies in memory, and what it has done.
    pub fn statistics(&self) -> Statistics {
        let grid = self.grid.as_ref();
        Statistics {
            objects: self.n_objects,
            cells: grid.map_or(0, Grid::n_cells),
            regions: grid.map_or(0, |grid| grid.region_cells().len() as u64),
            further_buckets: self.ahead.n_further_buckets(),
            n_bytes: self.n_bytes(),
            choices: self.choices,
            batches: self.batches,
            updates: self.updates,
            answering: self.answering,
        }
    }

    /// Bytes that it takes.
    pub fn n_bytes(&self) -> u64 {
        let stores = self.ahead.n_bytes() + self.behind.n_bytes();
        let batches = self.log.n_bytes() + self.new.n_bytes();
        stores + batches + self.ids.n_bytes() + self.grid.as_ref().map_or(0, Grid::n_bytes)
    }

    /// Makes room for the ids of a batch, and cells if it is the first, which it says.
    fn prepare(&mut self, updates: &[Update]) -> Result<bool, Ended> {
        let greatest = updates.par_iter().map(|update| update.id).max();
        self.ids.grow(greatest.map_or(0, |id| id as usize + 1))?;
        let is_first = self.grid.is_none();
        if is_first {
            let mut points = reserved(updates.len())?;
            points.extend(updates.iter().filter_map(|update| update.to));
            self.choose(&points)?;
        }
        Ok(is_first)
    }

    /// Chooses cells for these points, and empties them.
    fn choose(&mut self, points: &[Point]) -> Result<(), Ended> {
        let grid = Grid::choose(points, self.area)?;
        self.behind = Store::new(&grid)?;
        self.ahead = Store::new(&grid)?;
        self.log.clear();
        self.grid = Some(grid);
        self.n_chosen_for = points.len() as u64;
        self.n_since = 0;
        self.choices += 1;
        Ok(())
    }

    /// Chooses the cells anew if it is time: see Note [Choosing cells].
    fn choose_again(&mut self, environment: &dyn Environment) -> Result<(), Ended> {
        let Some(grid) = &self.grid else { return Ok(()) };
        let is_time = self.n_since >= self.n_chosen_for.max(1)
            && self.ahead.n_further_buckets() > grid.n_cells();
        if !is_time {
            return Ok(());
        }
        let n = self.n_objects as usize;
        let (mut objects, mut points) = (reserved(n)?, reserved(n)?);
        self.for_each(|id, at| {
            objects.push(Update { id, to: Some(at) });
            points.push(at);
        });
        self.choose(&points)?;
        self.ids.clear();
        let Some(grid) = &self.grid else { return Ok(()) };
        self.log.split(&objects, &self.ids, grid, environment)?;
        self.ahead.apply(&Operations::default(), &self.log, &self.ids, environment)
    }
}
