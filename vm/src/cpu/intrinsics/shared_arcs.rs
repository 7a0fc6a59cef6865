//! The intrinsics of the module `arcs` that run on the rows of several ranks, on [`OwnedArcs`]. See
//! Note \[Shared arcs\] in star-intrinsics. The owned arcs are kept for the next call, as without
//! ranks.

use std::fmt;
use std::sync::Arc;

use star_intrinsics::{ArcEnd, Distances, LineOrder, OwnedArcs, Peers, WeightedEnd};
use star_value::BitTable;

use super::arcs::{by_columns, tables, within, write, write_distances};
use super::call::{Ranks, together};
use super::{IntrinsicCall, IntrinsicResult, NotTaken};

/// The arguments of a search, and its result. Numbers are those of parameters.
struct Search {
    n: usize,
    /// `None`: the direction is of no importance.
    both: Option<bool>,
    ends: [usize; 2],
    among: usize,
    /// Weights, which are below a power of two with this exponent.
    weight: Option<(usize, usize)>,
    result: usize,
    result_width: usize,
}

/// `BFS(s,n,both,left,right,S,Dist)`
pub(super) fn bfs(call: &mut IntrinsicCall, ranks: &Ranks) -> IntrinsicResult {
    let (start, n, both) = (call.index(0)?, call.size(1)?, Some(call.truth(2)?));
    let [_, result_width] = call.table_size(3)?;
    let (ends, among, weight, result) = ([3, 4], 5, None, 6);
    let search = Search { n, both, ends, among, weight, result, result_width };
    let (arcs, mut levels) = prepare::<u32>(call, ranks, &search)?;
    let environment = call.environment();
    let found = arcs.levels(start, ranks, &environment).map_err(together)?;
    write(&mut levels, &found, &environment)?;
    call.put_rows(result, levels, n)
}

/// `SSSP(s,n,h,both,left,right,weight,S,Dist)`
pub(super) fn sssp(call: &mut IntrinsicCall, ranks: &Ranks) -> IntrinsicResult {
    let (start, n, h, both) = (call.index(0)?, call.size(1)?, call.size(2)?, call.truth(3)?);
    let (ends, among, weight, result) = ([4, 5], 7, Some((6, h - 1)), 8);
    let search = Search { n, both: Some(both), ends, among, weight, result, result_width: h };
    let (arcs, mut table) = prepare::<WeightedEnd>(call, ranks, &search)?;
    let environment = call.environment();
    let found = arcs.distances(start, ranks, &environment).map_err(together)?;
    let found = ranks.agreed(within(Distances::Long(found), h))?;
    write_distances(&mut table, &found, &environment)?;
    call.put_rows(result, table, n)
}

/// `COMPONENTS(n,left,right,S,Label)`
pub(super) fn components(call: &mut IntrinsicCall, ranks: &Ranks) -> IntrinsicResult {
    let (n, [_, result_width]) = (call.size(0)?, call.table_size(1)?);
    let (ends, among, weight, result) = ([1, 2], 3, None, 4);
    let search = Search { n, both: None, ends, among, weight, result, result_width };
    let (arcs, mut labels) = prepare::<u32>(call, ranks, &search)?;
    let environment = call.environment();
    let found = arcs.components(ranks, &environment).map_err(together)?;
    write(&mut labels, &found, &environment)?;
    call.put_rows(result, labels, n)
}

/// Returns the arcs that this rank owns, and zeros for its rows of the result. All memory of the
/// search is reserved on all ranks, or all decline.
fn prepare<End: ArcEnd + fmt::Debug + Send + Sync + 'static>(
    call: &mut IntrinsicCall,
    ranks: &Ranks,
    search: &Search,
) -> IntrinsicResult<(Arc<OwnedArcs<End>>, BitTable)> {
    let prepared = begin::<End>(call, ranks, search);
    let (zeros, kept) = ranks.agreed(prepared)?;
    let mut are_kept = [i64::from(kept.is_some())];
    ranks.least(&mut are_kept)?;
    let arcs = match kept {
        Some(kept) if are_kept == [1] => kept,
        _ => share(call, ranks, search)?,
    };
    let n_bytes = OwnedArcs::<End>::search_bytes(search.n, arcs.n_own(), ranks.n_ranks());
    ranks.agreed(call.reserve(n_bytes))?;
    Ok((arcs, zeros))
}

/// Returns zeros for the result, and the arcs that an earlier call has kept.
fn begin<End: ArcEnd + Send + Sync + 'static>(
    call: &mut IntrinsicCall,
    ranks: &Ranks,
    search: &Search,
) -> IntrinsicResult<(BitTable, Option<Arc<OwnedArcs<End>>>)> {
    by_columns(call, search.ends)?;
    if let Some((weight, _)) = search.weight {
        call.transpose(weight, LineOrder::Columns)?;
    }
    let zeros = call.reserve_rows(search.result, [search.n, search.result_width], ranks)?;
    let kept = call.kept(&search.tables(), |kept: &OwnedArcs<End>, call| {
        Ok(kept.is_of(search.n, search.both, call.bits(search.among)?.limbs()))
    })?;
    match (&kept, search.weight) {
        (Some(kept), Some((_, bits))) if !kept.fit(bits) => Err(NotTaken::declined()),
        _ => Ok((zeros, kept)),
    }
}

/// Shares the arcs, and keeps those that this rank owns.
fn share<End: ArcEnd + fmt::Debug + Send + Sync + 'static>(
    call: &mut IntrinsicCall,
    ranks: &Ranks,
    search: &Search,
) -> IntrinsicResult<Arc<OwnedArcs<End>>> {
    let (n, n_ranks, both) = (search.n, ranks.n_ranks(), search.both.unwrap_or(false));
    let mut n_owned = ranks.agreed(n_for_owners(call, n_ranks, search))?;
    ranks.sum(&mut n_owned)?;
    if n_owned.iter().any(|n| *n > OwnedArcs::<End>::MOST) {
        return Err(NotTaken::declined());
    }
    let (m, n_own) = (call.table_size(search.ends[0])?[0], n_owned[ranks.rank()] as usize);
    let [kept_bytes, n_bytes] = OwnedArcs::<End>::n_bytes(n, m, n_own, n_ranks);
    ranks.agreed(call.reserve(n_bytes))?;
    let environment = call.environment();
    let weight = weight_of(call, search)?.map(|(weight, _)| weight);
    let tables = tables(call, n, search.ends, search.among)?;
    let arcs = tables.share::<End>(weight, both, n_own, ranks, &environment).map_err(together)?;
    let arcs = Arc::new(arcs);
    call.keep(&search.tables(), Arc::clone(&arcs), kept_bytes)?;
    Ok(arcs)
}

fn n_for_owners(
    call: &IntrinsicCall,
    n_ranks: usize,
    search: &Search,
) -> IntrinsicResult<Vec<i64>> {
    let tables = tables(call, search.n, search.ends, search.among)?;
    let (weight, both) = (weight_of(call, search)?, search.both.unwrap_or(false));
    let n_arcs = tables.n_for_owners(weight, both, n_ranks, &call.environment())?;
    n_arcs.ok_or_else(NotTaken::declined)
}

/// Returns the weights, and the number of bits that they may have.
fn weight_of<'c>(
    call: &'c IntrinsicCall,
    search: &Search,
) -> IntrinsicResult<Option<(&'c BitTable, usize)>> {
    let Some((weight, bits)) = search.weight else { return Ok(None) };
    Ok(Some((call.lines(weight, LineOrder::Columns)?, bits)))
}

impl Search {
    /// Returns the tables on which the arcs depend.
    fn tables(&self) -> Vec<usize> {
        self.ends.into_iter().chain(self.weight.map(|(weight, _)| weight)).collect()
    }
}
