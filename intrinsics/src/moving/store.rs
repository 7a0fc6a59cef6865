//! One of the two indexes: all cells with their objects.

use std::hint;

use rayon::prelude::*;

use crate::environment::{Ended, Environment};
use crate::moving::geometry::{Point, Rect};
use crate::moving::grid::{CellId, Grid};
use crate::moving::ids::{IdIndex, Location, Place};
use crate::moving::region::{Region, StoredObject, for_each_slot};
use crate::moving::split::{Insertion, Operations};

/// Operations of a region whose cache lines are prefetched before any operation is made, so that
/// the first reads overlap. A batch of usual size has fewer; the operations of a larger one share
/// cache lines.
const TOUCHED: usize = 1 << 9;

/// The objects of all cells.
#[derive(Debug)]
pub(super) struct Store {
    regions: Vec<Region>,
}

impl Store {
    /// Creates empty cells.
    pub(super) fn new(grid: &Grid) -> Result<Store, Ended> {
        let regions = grid.region_cells().par_iter().map(|&n_cells| Region::new(n_cells));
        Ok(Store { regions: regions.collect::<Result<_, _>>()? })
    }

    /// The memory in use, in bytes.
    pub(super) fn n_bytes(&self) -> u64 {
        self.regions.iter().map(Region::n_bytes).sum()
    }

    /// The number of buckets after the first ones of their cells.
    pub(super) fn n_further_buckets(&self) -> u64 {
        self.regions.iter().map(|region| region.n_buckets().1).sum()
    }

    /// Applies the operations that the other index has already applied (`behind`), then the new
    /// ones, and records the new object locations in the id index. Each region has one owner, so no
    /// synchronisation is needed.
    pub(super) fn apply(
        &mut self,
        behind: &Operations,
        new: &Operations,
        ids: &IdIndex,
        environment: &dyn Environment,
    ) -> Result<(), Ended> {
        self.regions.par_iter_mut().enumerate().try_for_each(|(idx, region)| {
            environment.poll()?;
            region.apply(behind, idx, |_| 0, |_, _, _| {})?;
            let inserted = |id, cell, place| {
                ids.put(id, Location { cell: CellId { region: idx as u32, cell }, place });
            };
            region.apply(new, idx, |id| ids.touch(id), inserted)
        })
    }

    /// The region with this number.
    pub(super) fn region(&self, region: u32) -> &Region {
        &self.regions[region as usize]
    }

    /// Calls `each` for every object.
    pub(super) fn for_each(&self, mut each: impl FnMut(u32, Point)) {
        for region in &self.regions {
            region.for_each(|entry| each(entry.id, entry.at));
        }
    }

    /// The number of objects in the cells that a rectangle touches.
    pub(super) fn n_near(&self, grid: &Grid, rect: Rect) -> usize {
        let mut n = 0;
        grid.touch(rect, |CellId { region, cell }, _| n += self.region(region).n_objects(cell));
        n as usize
    }

    /// Calls `each` for every object in a rectangle, one cell after another.
    pub(super) fn for_each_in(&self, grid: &Grid, rect: Rect, mut each: impl FnMut(StoredObject)) {
        grid.touch(rect, |CellId { region, cell }, _| {
            self.region(region).for_each_bucket(cell, |used, lines| {
                for_each_slot(used, |line, place| {
                    let entry = lines[line].entry(place);
                    if rect.holds(entry.at) {
                        each(entry);
                    }
                });
            });
        });
    }
}

impl Region {
    /// Applies all deletions, then all insertions, then the moves within cells.
    fn apply(
        &mut self,
        operations: &Operations,
        idx: usize,
        mut touch_id: impl FnMut(u32) -> u64,
        mut inserted: impl FnMut(u32, u32, Place),
    ) -> Result<(), Ended> {
        for deletions in operations.deletions(idx) {
            for &place in deletions {
                self.delete(place);
            }
        }
        let mut touched = 0;
        let mut n_left = TOUCHED;
        for insertions in operations.insertions(idx) {
            let insertions = &insertions[..insertions.len().min(n_left)];
            n_left -= insertions.len();
            for Insertion { cell, entry } in insertions {
                touched ^= u64::from(self.touch_hole(*cell)) ^ touch_id(entry.id);
            }
        }
        let mut n_left = TOUCHED;
        for relocations in operations.relocations(idx) {
            let relocations = &relocations[..relocations.len().min(n_left)];
            n_left -= relocations.len();
            for relocation in relocations {
                touched ^= u64::from(self.touch_place(relocation.place));
            }
        }
        hint::black_box(touched);
        for insertions in operations.insertions(idx) {
            for &Insertion { cell, entry } in insertions {
                let place = self.insert(cell, entry)?;
                inserted(entry.id, cell, place);
            }
        }
        for relocations in operations.relocations(idx) {
            for relocation in relocations {
                self.relocate(relocation.place, relocation.to);
            }
        }
        Ok(())
    }
}
