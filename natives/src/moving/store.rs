//! One of the two indexes: all cells with their objects.

use std::hint;

use rayon::prelude::*;

use crate::environment::{Ended, Environment};
use crate::moving::geometry::Rect;
use crate::moving::grid::{CellId, Grid};
use crate::moving::ids::{IdIndex, Location, Place};
use crate::moving::region::{Entry, Region};
use crate::moving::split::{Insertion, Operations};

/// Buckets that are touched before they are changed: their first reads wait together.
const TOUCHED: usize = 32;

/// The objects of all cells.
#[derive(Debug, Default)]
pub(super) struct Store {
    regions: Vec<Region>,
}

impl Store {
    /// Empty cells.
    pub(super) fn new(grid: &Grid) -> Result<Store, Ended> {
        let regions = grid.region_cells().par_iter().map(|&n_cells| Region::new(n_cells));
        Ok(Store { regions: regions.collect::<Result<_, _>>()? })
    }

    /// Bytes that it takes.
    pub(super) fn n_bytes(&self) -> u64 {
        self.regions.iter().map(Region::n_bytes).sum()
    }

    /// Buckets behind the first ones of their cells.
    pub(super) fn n_further_buckets(&self) -> u64 {
        self.regions.iter().map(|region| region.n_buckets().1).sum()
    }

    /// Takes over what the other index has taken before (`behind`), then what is new, and tells the id index where
    /// the objects of that are. Each region has one owner: nobody waits for anybody.
    pub(super) fn apply(
        &mut self,
        behind: &Operations,
        new: &Operations,
        ids: &IdIndex,
        environment: &dyn Environment,
    ) -> Result<(), Ended> {
        self.regions.par_iter_mut().enumerate().try_for_each(|(idx, region)| {
            environment.poll()?;
            region.apply(behind, idx, |_, _, _| {})?;
            region.apply(new, idx, |id, cell, place| {
                ids.put(id, Location { cell: CellId { region: idx as u32, cell }, place });
            })
        })
    }

    /// The region of that number.
    pub(super) fn region(&self, region: u32) -> &Region {
        &self.regions[region as usize]
    }

    /// All regions.
    pub(super) fn regions(&self) -> &[Region] {
        &self.regions
    }

    /// Calls `each` for every object in a rectangle, one cell after another.
    pub(super) fn for_each_in(&self, grid: &Grid, rect: Rect, mut each: impl FnMut(Entry)) {
        grid.touch(rect, |CellId { region, cell }, _| {
            self.region(region).for_each_bucket(cell, |mut used, slots| {
                while used != 0 {
                    let entry = slots[used.trailing_zeros() as usize];
                    used &= used - 1;
                    if rect.holds(entry.at) {
                        each(entry);
                    }
                }
            });
        });
    }
}

impl Region {
    /// All deletions, then all insertions, then the moves within cells.
    fn apply(
        &mut self,
        operations: &Operations,
        idx: usize,
        mut inserted: impl FnMut(u32, u32, Place),
    ) -> Result<(), Ended> {
        for deletions in operations.deletions(idx) {
            for deletions in deletions.chunks(TOUCHED) {
                let touch = |place: &Place| self.touch_head(place.bucket());
                hint::black_box(deletions.iter().fold(0, |all, place| all ^ touch(place)));
                deletions.iter().for_each(|&place| self.delete(place));
            }
        }
        for insertions in operations.insertions(idx) {
            for insertions in insertions.chunks(TOUCHED) {
                let touch = |insertion: &Insertion| self.touch_head(insertion.cell);
                hint::black_box(insertions.iter().fold(0, |all, one| all ^ touch(one)));
                for insertion in insertions {
                    let place = self.insert(insertion.cell, insertion.entry)?;
                    inserted(insertion.entry.id, insertion.cell, place);
                }
            }
        }
        for relocations in operations.relocations(idx) {
            relocations
                .iter()
                .for_each(|relocation| self.relocate(relocation.place, relocation.to));
        }
        Ok(())
    }
}
