//! From the numbers that a file gives its vertices to numbers without gaps.

use std::collections::TryReserveError;

use crate::graph::Arc;

/// An edge as the file has it.
#[derive(Clone, Copy)]
pub(super) struct RawArc {
    pub(super) tail: u64,
    pub(super) head: u64,
    pub(super) weight: i64,
}

/// Edges between vertices from 0.
pub(super) struct Numbered {
    pub(super) n_vertices: usize,
    pub(super) arcs: Vec<Arc>,
    pub(super) labels: Option<Vec<u64>>,
}

/// Edges whose ends were checked to be below `n_vertices`. The error is the bytes that were needed.
pub(super) fn take_from_1(raw: Vec<RawArc>, n_vertices: u64) -> Result<Numbered, u128> {
    Ok(Numbered {
        n_vertices: usize::try_from(n_vertices).map_err(|_| u128::from(n_vertices))?,
        arcs: renumber(&raw, |id| id as u32)?, // checked by the caller
        labels: None,
    })
}

/// Edges with arbitrary ends. The error is the bytes that were needed.
pub(super) fn compact(raw: Vec<RawArc>) -> Result<Numbered, u128> {
    let ids = distinct(&raw).map_err(|_| raw.len() as u128 * super::RAW_BYTES as u128)?;
    let n_vertices = ids.len();
    // Below 2^32 vertices every rank is a `u32`.
    if n_vertices > u32::MAX as usize {
        return Err(n_vertices as u128 * super::RAW_BYTES as u128);
    }
    let (first, last) = match (ids.first(), ids.last()) {
        (Some(&first), Some(&last)) => (first, last),
        _ => (0, 0),
    };
    let gapless = (last - first) as u128 + 1 == n_vertices as u128;
    let arcs = if gapless {
        renumber(&raw, |id| (id - first) as u32)?
    } else if last < 2 * raw.len() as u64 {
        // Few gaps: a table of ranks is quicker than searching, and no larger than the edges.
        let mut ranks = reserved(last as usize + 1)?;
        ranks.resize(last as usize + 1, 0u32);
        for (rank, &id) in ids.iter().enumerate() {
            ranks[id as usize] = rank as u32;
        }
        renumber(&raw, |id| ranks[id as usize])?
    } else {
        renumber(&raw, |id| ids.partition_point(|&other| other < id) as u32)?
    };
    let labels = (!gapless || first > 1).then_some(ids);
    Ok(Numbered { n_vertices, arcs, labels })
}

/// The distinct ends in ascending order.
fn distinct(raw: &[RawArc]) -> Result<Vec<u64>, TryReserveError> {
    let last = raw.iter().map(|arc| arc.tail.max(arc.head)).max();
    let mut ids = Vec::new();
    match last.and_then(|last| usize::try_from(last).ok()) {
        Some(last) if last / 64 < raw.len() => {
            let mut seen: Vec<u64> = Vec::new();
            seen.try_reserve_exact(last / 64 + 1)?;
            seen.resize(last / 64 + 1, 0);
            for id in raw.iter().flat_map(|arc| [arc.tail, arc.head]) {
                seen[id as usize / 64] |= 1 << (id % 64);
            }
            let n_ids = seen.iter().map(|limb| limb.count_ones() as usize).sum();
            ids.try_reserve_exact(n_ids)?;
            for (limb_idx, &limb) in seen.iter().enumerate() {
                let ones = (0..64).filter(|bit| limb >> bit & 1 == 1);
                ids.extend(ones.map(|bit| limb_idx as u64 * 64 + bit));
            }
        }
        _ => {
            ids.try_reserve_exact(2 * raw.len())?;
            ids.extend(raw.iter().flat_map(|arc| [arc.tail, arc.head]));
            ids.sort_unstable();
            ids.dedup();
            ids.shrink_to_fit();
        }
    }
    Ok(ids)
}

fn renumber(raw: &[RawArc], number: impl Fn(u64) -> u32) -> Result<Vec<Arc>, u128> {
    let mut arcs = reserved(raw.len())?;
    arcs.extend(raw.iter().map(|arc| Arc {
        tail: number(arc.tail),
        head: number(arc.head),
        weight: arc.weight,
    }));
    Ok(arcs)
}

/// Room for `len` items; the error is the bytes that were needed.
fn reserved<T>(len: usize) -> Result<Vec<T>, u128> {
    let mut items = Vec::new();
    let room = items.try_reserve_exact(len);
    room.map_err(|_| len as u128 * size_of::<T>() as u128)?;
    Ok(items)
}
