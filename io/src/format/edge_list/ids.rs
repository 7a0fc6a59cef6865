//! Renumbering of the vertices of a file without gaps.

use star_value::Limbs;

use crate::error::Fault;
use crate::graph::Arc;
use crate::names::VertexNames;
use crate::sort::{AT_ONCE, dedup, sort};
use crate::source::Source;

/// An edge with the vertex numbers of the file.
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
    /// The numbers of the file, if they are not 1..n.
    pub(super) names: Option<VertexNames>,
}

/// Numbers edges whose ends are known to be below `n_vertices`.
pub(super) fn take_from_1(
    raw: &[RawArc],
    n_vertices: u64,
    source: &mut Source,
) -> Result<Numbered, Fault> {
    let out_of_memory = |_| source.out_of_memory(u128::from(n_vertices));
    Ok(Numbered {
        n_vertices: usize::try_from(n_vertices).map_err(out_of_memory)?,
        arcs: renumber(raw, |id| id as u32, source)?, // checked by the caller
        names: None,
    })
}

/// Numbers edges whose ends are among `ids`, which are ascending.
pub(super) fn compact(
    raw: &[RawArc],
    ids: Vec<u64>,
    source: &mut Source,
) -> Result<Numbered, Fault> {
    let n_vertices = ids.len();
    // With fewer than 2^32 vertices every rank is a `u32`.
    if n_vertices > u32::MAX as usize {
        return Err(source.out_of_memory(n_vertices as u128 * super::RAW_BYTES as u128));
    }
    let (first, last) = match (ids.first(), ids.last()) {
        (Some(&first), Some(&last)) => (first, last),
        _ => (0, 0),
    };
    let gapless = (last - first) as u128 + 1 == n_vertices as u128;
    let arcs = if gapless {
        renumber(raw, |id| (id - first) as u32, source)?
    } else if last < 2 * raw.len() as u64 {
        // With few gaps a rank table is faster than a search and no larger than the edges.
        let mut ranks: Vec<u32> = reserved(last as usize + 1, source)?;
        for (ids, rank) in ids.chunks(AT_ONCE).zip((0u32..).step_by(AT_ONCE)) {
            for (&id, rank) in ids.iter().zip(rank..) {
                // Entries between two ranks are never read.
                while id as usize - ranks.len() > AT_ONCE {
                    ranks.resize(ranks.len() + AT_ONCE, 0);
                    source.go_on()?;
                }
                ranks.resize(id as usize, 0);
                ranks.push(rank);
            }
            source.go_on()?;
        }
        renumber(raw, |id| ranks[id as usize], source)?
    } else {
        renumber(raw, |id| ids.partition_point(|&other| other < id) as u32, source)?
    };
    let names = (!gapless || first != 1).then_some(VertexNames::Numbers(ids));
    Ok(Numbered { n_vertices, arcs, names })
}

/// Packs ascending numbers: as a bit for each number up to the last one if that is shorter. The
/// first limb says whether they are bits.
pub(super) fn packed(ids: &[u64]) -> Vec<u64> {
    let n_limbs = ids.last().map_or(0, |last| last / 64 + 1);
    if n_limbs >= ids.len() as u64 {
        return [&[0], ids].concat();
    }
    let mut limbs = vec![0; 1 + n_limbs as usize];
    limbs[0] = 1;
    ids.iter().for_each(|id| limbs[1 + *id as usize / 64] |= 1 << (id % 64));
    limbs
}

/// The distinct numbers of several packed ones, ascending.
pub(super) fn union<'a>(parts: impl Iterator<Item = &'a [u64]>) -> Vec<u64> {
    parts.fold(Vec::new(), |all, part| {
        let ids = match part.split_first() {
            Some((1, limbs)) => {
                let limbs = limbs.iter().zip((0u64..).step_by(64));
                let ones = limbs.flat_map(|(limb, start)| {
                    (0..64).filter(move |bit| limb >> bit & 1 == 1).map(move |bit| start + bit)
                });
                ones.collect()
            }
            Some((_, ids)) => ids.to_vec(),
            None => Vec::new(),
        };
        merged(&all, &ids)
    })
}

/// The distinct numbers of two ascending lists.
fn merged(left: &[u64], right: &[u64]) -> Vec<u64> {
    let mut all = Vec::with_capacity(left.len().max(right.len()));
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        let least = **a.min(b);
        left.next_if(|id| **id == least);
        right.next_if(|id| **id == least);
        all.push(least);
    }
    all.extend(left.chain(right));
    all
}

/// The distinct ends in ascending order.
pub(super) fn distinct(raw: &[RawArc], source: &mut Source) -> Result<Vec<u64>, Fault> {
    let mut last = 0;
    for raw in raw.chunks(AT_ONCE) {
        last = raw.iter().fold(last, |last, arc| last.max(arc.tail).max(arc.head));
        source.go_on()?;
    }
    match usize::try_from(last) {
        Ok(last) if last / 64 < raw.len() => by_bits(raw, last, source),
        Ok(_) | Err(_) => by_sorting(raw, last, source),
    }
}

/// The distinct ends, found with a bit for each number up to the maximum `last`.
fn by_bits(raw: &[RawArc], last: usize, source: &mut Source) -> Result<Vec<u64>, Fault> {
    let n_limbs = last / 64 + 1;
    let mut seen =
        Limbs::zeros(n_limbs).map_err(|refused| source.out_of_memory(refused.n_bytes))?;
    for raw in raw.chunks(AT_ONCE) {
        for id in raw.iter().flat_map(|arc| [arc.tail, arc.head]) {
            seen[id as usize / 64] |= 1 << (id % 64);
        }
        source.go_on()?;
    }
    let n_ids = seen.iter().map(|limb| limb.count_ones() as usize).sum();
    let mut ids = reserved(n_ids, source)?;
    for (limbs, start) in seen.chunks(AT_ONCE).zip((0u64..).step_by(64 * AT_ONCE)) {
        for (&limb, start) in limbs.iter().zip((start..).step_by(64)) {
            let ones = (0..64).filter(|bit| limb >> bit & 1 == 1);
            ids.extend(ones.map(|bit| start + bit));
        }
        source.go_on()?;
    }
    Ok(ids)
}

/// The distinct ends, found by sorting, for sparse numbers.
fn by_sorting(raw: &[RawArc], last: u64, source: &mut Source) -> Result<Vec<u64>, Fault> {
    let mut ids = reserved(2 * raw.len(), source)?;
    for raw in raw.chunks(AT_ONCE) {
        ids.extend(raw.iter().flat_map(|arc| [arc.tail, arc.head]));
        source.go_on()?;
    }
    let go_on = &mut || source.go_on();
    sort(&mut ids, u64::BITS - last.leading_zeros(), go_on)?;
    dedup(&mut ids, go_on)?;
    ids.shrink_to_fit();
    Ok(ids)
}

fn renumber(
    raw: &[RawArc],
    number: impl Fn(u64) -> u32,
    source: &mut Source,
) -> Result<Vec<Arc>, Fault> {
    let mut arcs = reserved(raw.len(), source)?;
    for raw in raw.chunks(AT_ONCE) {
        arcs.extend(raw.iter().map(|arc| Arc {
            tail: number(arc.tail),
            head: number(arc.head),
            weight: arc.weight,
        }));
        source.go_on()?;
    }
    Ok(arcs)
}

/// Allocates room for `len` items.
fn reserved<T>(len: usize, source: &Source) -> Result<Vec<T>, Fault> {
    let mut items = Vec::new();
    let reserved = items.try_reserve_exact(len);
    reserved.map_err(|_| source.out_of_memory(len as u128 * size_of::<T>() as u128))?;
    Ok(items)
}
