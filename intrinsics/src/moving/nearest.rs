//! The k nearest objects of a point.
//!
//! The search collects the objects of a square around the point, and enlarges the square until the
//! k-th of them is no farther than its border: nothing outside can then be nearer. Distances are
//! exact; ties go to the smaller id.

use crate::environment::Ended;
use crate::moving::geometry::{Point, Rect};
use crate::moving::grid::Grid;
use crate::moving::store::Store;

/// An object near a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Neighbour {
    /// The square of its distance.
    pub distance_squared: u64,
    /// Its id.
    pub id: u32,
}

/// Finds the `k` nearest objects of a point, or all objects if there are fewer.
///
/// # Errors
/// If memory allocation fails.
pub(super) fn nearest(
    store: &Store,
    grid: &Grid,
    from: Point,
    k: usize,
    found: &mut Vec<Neighbour>,
) -> Result<(), Ended> {
    found.clear();
    if k == 0 {
        return Ok(());
    }
    let mut reach = grid.cell_side(from);
    loop {
        let rect = Rect::around(from, reach);
        let is_all = rect == Rect::EVERYWHERE;
        found.clear();
        let n_near = store.n_near(grid, rect);
        found.try_reserve(n_near).map_err(|_| Ended::OutOfMemory)?;
        store.for_each_in(grid, rect, |entry| {
            let distance_squared = entry.at.distance_squared(from);
            found.push(Neighbour { distance_squared, id: entry.id });
        });
        let within = u64::from(reach).pow(2);
        if is_all || found.iter().filter(|one| one.distance_squared <= within).nth(k - 1).is_some()
        {
            break;
        }
        reach = reach.saturating_mul(2);
    }
    if found.len() > k {
        found.select_nth_unstable(k - 1);
        found.truncate(k);
    }
    found.sort_unstable();
    Ok(())
}
