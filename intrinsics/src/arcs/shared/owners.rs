//! Owners of vertices.

use std::ops::Range;

/// Vertices with consecutive numbers that have the same owner: the bits of a limb.
const GROUP: u32 = 64;

/// Assignment of `n` vertices to processes, and their places.
///
/// Note [Places]. The place of a vertex is its number in an order in which the vertices of each
/// process are consecutive. All processes have the same number of places; some have no vertex.
///
/// Numbers of vertices often go with their degrees, or with the levels of a search. So the owners
/// are distributed: of as many consecutive groups as there are processes, a round, each process
/// owns one, and a multiplicative hash of the round tells the owner of the first.
///
/// The vertices of a process have the same order as their places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Owners {
    n: usize,
    n_ranks: u32,
    /// Groups of each process.
    n_rounds: u32,
}

impl Owners {
    /// `None` if the places have more than 32 bits.
    pub(super) fn new(n: usize, n_ranks: usize) -> Option<Self> {
        let n_rounds = n.div_ceil(GROUP as usize).div_ceil(n_ranks).max(1);
        let n_places = n_rounds.checked_mul(n_ranks)?.checked_mul(GROUP as usize)?;
        let fits = u32::try_from(n_places).is_ok();
        fits.then_some(Owners { n, n_ranks: n_ranks as u32, n_rounds: n_rounds as u32 })
    }

    /// Returns the number of vertices.
    pub(super) fn n(&self) -> usize {
        self.n
    }

    /// Returns the number of places of each process, a multiple of 64.
    pub(super) fn n_own(&self) -> usize {
        (self.n_rounds * GROUP) as usize
    }

    /// Returns the number of all places.
    pub(super) fn n_places(&self) -> usize {
        self.n_own() * self.n_ranks as usize
    }

    /// Returns the places of a process.
    pub(super) fn places(&self, rank: usize) -> Range<usize> {
        rank * self.n_own()..(rank + 1) * self.n_own()
    }

    /// Returns the owner of the first group of a round.
    fn first_owner(&self, round: u32) -> u32 {
        let hash = u64::from(round.wrapping_mul(0x9E37_79B9));
        ((hash * u64::from(self.n_ranks)) >> 32) as u32
    }

    /// Returns the owner of a vertex, and its place among those of the owner.
    #[inline]
    pub(super) fn owner(&self, vertex: u32) -> (u32, u32) {
        let group = vertex / GROUP;
        let (round, turn) = (group / self.n_ranks, group % self.n_ranks);
        let owner = turn + self.first_owner(round);
        let owner = if owner < self.n_ranks { owner } else { owner - self.n_ranks };
        (owner, round * GROUP + vertex % GROUP)
    }

    /// Returns the place of a vertex.
    #[inline]
    pub(super) fn place(&self, vertex: u32) -> u32 {
        self.place_of(self.owner(vertex))
    }

    /// Returns the place of a vertex with this owner and place among those of the owner.
    #[inline]
    pub(super) fn place_of(&self, (owner, own): (u32, u32)) -> u32 {
        owner * self.n_rounds * GROUP + own
    }

    /// Returns the vertex at a place of a process; it has `n` or more if the place has none.
    pub(super) fn vertex(&self, rank: usize, own: usize) -> usize {
        let (round, rank) = (own as u32 / GROUP, rank as u32);
        let first = self.first_owner(round);
        let turn = if rank < first { rank + self.n_ranks - first } else { rank - first };
        let group = round as usize * self.n_ranks as usize + turn as usize;
        group * GROUP as usize + own % GROUP as usize
    }

    /// Returns how many vertices of a process come before a vertex.
    pub(super) fn n_before(&self, rank: usize, vertex: usize) -> usize {
        let round = vertex / GROUP as usize / self.n_ranks as usize;
        let start = round * GROUP as usize;
        if start >= self.n_own() {
            return self.n_own();
        }
        let first = self.vertex(rank, start);
        start + vertex.saturating_sub(first).min(GROUP as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_the_owners_in_order() {
        for (n, n_ranks) in [(1, 2), (63, 2), (64, 3), (65, 3), (1000, 7), (4099, 5), (640, 5)] {
            let owners = Owners::new(n, n_ranks).unwrap();
            let mut n_known = 0;
            for rank in 0..n_ranks {
                let vertices: Vec<usize> =
                    (0..owners.n_own()).map(|own| owners.vertex(rank, own)).collect();
                assert!(vertices.is_sorted());
                for (own, &vertex) in vertices.iter().enumerate().filter(|(_, v)| **v < n) {
                    assert_eq!(owners.owner(vertex as u32), (rank as u32, own as u32));
                    assert_eq!(
                        owners.place(vertex as u32) as usize,
                        owners.places(rank).start + own
                    );
                    n_known += 1;
                }
                for vertex in 0..=n {
                    let before = vertices.iter().filter(|known| **known < vertex).count();
                    assert_eq!(owners.n_before(rank, vertex), before, "{rank}: {vertex} of {n}");
                }
            }
            assert_eq!(n_known, n);
        }
    }

    #[test]
    fn every_process_owns_some_of_the_first_vertices() {
        let owners = Owners::new(1 << 20, 16).unwrap();
        // Vertices with numbers that are multiples of 1024 are in the same turn of their rounds.
        let mut n_owned = [0; 16];
        (0..1 << 20).step_by(1024).for_each(|v| n_owned[owners.owner(v).0 as usize] += 1);
        assert!(n_owned.iter().all(|n| (48..=80).contains(n)), "{n_owned:?}");
        assert_eq!(Owners::new(usize::MAX, 2), None);
        assert_eq!(Owners::new(u32::MAX as usize, 2), None);
    }
}
