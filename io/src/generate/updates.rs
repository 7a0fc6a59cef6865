//! Random update streams: changes of a graph and queries, each valid when it is executed.

use std::collections::HashMap;

use super::pacer::Pacer;
use super::random::{Purpose, Random};
use super::{GenerateOptions, bad, check_max_weight, check_range};
use crate::error::{Fault, FileError};
use crate::graph::Graph;
use crate::numbers::Numbers;
use crate::updates::{FIELDS, Update, to_numbers};

/// Memory of an arc in bytes: its ends, and its index in the list.
const ARC_BYTES: u128 = 40;

/// Memory of an operation in bytes: once as generated and once by field.
const OPERATION_BYTES: u128 = 2 * size_of::<[i64; FIELDS.len()]>() as u128;

/// Number of attempts to find a pair without an arc before another operation is chosen.
const TRIES: usize = 64;

/// The parameters of a random stream.
#[derive(Clone, Copy, Debug)]
pub struct UpdateStream<'a> {
    /// The initial graph. Its weights, loops and parallel arcs are ignored.
    pub start: &'a Graph,
    /// Whether the operations concern edges, at most one between two vertices, instead of arcs.
    pub undirected: bool,
    /// Number of operations; one more record at the start is the magic line.
    pub n_operations: u64,
    /// Relative frequency of each kind.
    pub shares: Shares,
    /// Weights from 1 to this, all equally likely; `None` for a stream without weights and without
    /// changes of weights.
    pub max_weight: Option<i64>,
}

/// Relative frequencies of the kinds of operations: share 2 is twice as frequent as share 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    /// Insertions of missing arcs.
    pub insert: u32,
    /// Deletions of existing arcs.
    pub delete: u32,
    /// New weights for existing arcs.
    pub change: u32,
    /// Deletions and insertions of vertices.
    pub vertices: u32,
    /// Queries: half of them about two vertices, a quarter each about one and about the graph.
    pub ask: u32,
}

impl Shares {
    fn total(self) -> u64 {
        let Shares { insert, delete, change, vertices, ask } = self;
        [insert, delete, change, vertices, ask].into_iter().map(u64::from).sum()
    }
}

impl UpdateStream<'_> {
    /// Generates the stream. An impossible operation, such as a deletion without an arc, is
    /// replaced by a query about the graph. The running time is proportional to the number of
    /// operations and arcs, and for every deleted vertex to the number of arcs.
    ///
    /// # Errors
    /// [`star_base::Code::BadArgument`] if a parameter is outside its range,
    /// [`star_base::Code::DoesNotFit`] if the memory exceeds the budget: 64 bytes for each
    /// operation, 40 for each arc and 4 for each vertex; [`star_base::Code::Interrupted`] if the
    /// progress sink stops the work.
    pub fn generate(&self, options: &mut GenerateOptions<'_>) -> Result<Numbers, FileError> {
        self.check()?;
        let mut pacer = Pacer::new(options);
        let n_arcs = 2 * self.start.arcs.len() as u128 + u128::from(self.n_operations);
        let n_records = u128::from(self.n_operations) + 1;
        let of_vertices = 4 * self.start.n_vertices as u128;
        pacer.check_budget(n_arcs * ARC_BYTES + n_records * OPERATION_BYTES + of_vertices)?;
        let mut model = Model::of(self.start, self.undirected, &mut pacer)?;
        let seed = pacer.seed();
        let mut shape = Random::new(seed, Purpose::Shape);
        let mut weights = Random::new(seed, Purpose::Weights);
        let mut records = pacer.reserved(self.n_operations + 1)?;
        records.push(Update::Nothing.record());
        for _ in 0..self.n_operations {
            let update = self.draw(&mut model, &mut shape, &mut weights, &mut pacer)?;
            records.push(update.unwrap_or(Update::AskAll).record());
            pacer.step()?;
        }
        Ok(to_numbers(&records, Some(self.start.code_width()), None))
    }

    fn check(&self) -> Result<(), Fault> {
        // A graph without vertices has no queries.
        check_range("vertices", self.start.n_vertices as u64, 1, u64::from(u32::MAX))?;
        check_max_weight(self.max_weight)?;
        check_range("operations", self.n_operations, 0, u64::from(u32::MAX))?;
        match self.shares.total() {
            0 => Err(bad("shares", 0, "above 0 for at least one kind of operation")),
            _ => Ok(()),
        }
    }

    /// The next operation; `None` if the chosen kind is not possible.
    fn draw(
        &self,
        model: &mut Model,
        random: &mut Random,
        weights: &mut Random,
        pacer: &mut Pacer<'_, '_>,
    ) -> Result<Option<Update>, Fault> {
        let Shares { insert, delete, change, vertices, ask: _ } = self.shares;
        let mut rest = random.below(self.shares.total());
        let mut falls_to = |share: u32| {
            let here = rest < u64::from(share);
            rest = rest.wrapping_sub(share.into());
            here
        };
        let mut weight = || self.max_weight.map_or(1, |most| 1 + weights.below(most as u64) as i64);
        if falls_to(insert) {
            let Some((tail, head)) = model.absent(random) else { return Ok(None) };
            model.insert((tail, head));
            return Ok(Some(Update::InsertArc { tail, head, weight: weight() }));
        }
        if falls_to(delete) {
            let Some((tail, head)) = model.present(random) else { return Ok(None) };
            model.delete((tail, head));
            return Ok(Some(Update::DeleteArc { tail, head }));
        }
        if falls_to(change) {
            let arc = model.present(random).filter(|_| self.max_weight.is_some());
            let Some((tail, head)) = arc else { return Ok(None) };
            return Ok(Some(Update::SetWeight { tail, head, weight: weight() }));
        }
        if falls_to(vertices) {
            if !model.gone.is_empty() && random.below(2) == 0 {
                return Ok(Some(Update::InsertVertex(model.revive(random))));
            }
            return match model.alive.len() {
                0 | 1 => Ok(None),
                _ => Ok(Some(Update::DeleteVertex(model.bury(random, pacer)?))),
            };
        }
        Ok(Some(match random.below(4) {
            0 => Update::AskAll,
            1 => Update::AskVertex(model.vertex(random)),
            _ => Update::AskPair(model.vertex(random), model.vertex(random)),
        }))
    }
}

/// The graph after the operations so far. Vertices count from 1.
struct Model {
    undirected: bool,
    arcs: Vec<(u32, u32)>,
    /// Index in `arcs` of each arc; used for lookup, never iterated.
    places: HashMap<(u32, u32), usize>,
    alive: Vec<u32>,
    gone: Vec<u32>,
}

impl Model {
    fn of(start: &Graph, undirected: bool, pacer: &mut Pacer<'_, '_>) -> Result<Self, Fault> {
        start.check_ends("")?;
        let mut alive = pacer.reserved(start.n_vertices as u64)?;
        alive.extend(1..=start.n_vertices as u32);
        let mut model =
            Model { undirected, arcs: Vec::new(), places: HashMap::new(), alive, gone: Vec::new() };
        for arc in start.directed_arcs() {
            if arc.tail != arc.head {
                model.insert((arc.tail + 1, arc.head + 1));
            }
            pacer.step()?;
        }
        Ok(model)
    }

    /// The key of the pair in `places`.
    fn key(&self, (tail, head): (u32, u32)) -> (u32, u32) {
        if self.undirected { (tail.max(head), tail.min(head)) } else { (tail, head) }
    }

    fn insert(&mut self, arc: (u32, u32)) {
        let key = self.key(arc);
        if !self.places.contains_key(&key) {
            self.places.insert(key, self.arcs.len());
            self.arcs.push(key);
        }
    }

    fn delete(&mut self, arc: (u32, u32)) {
        if let Some(place) = self.places.remove(&self.key(arc)) {
            self.arcs.swap_remove(place);
            if let Some(&moved) = self.arcs.get(place) {
                self.places.insert(moved, place);
            }
        }
    }

    fn vertex(&self, random: &mut Random) -> u32 {
        self.alive[random.below(self.alive.len() as u64) as usize]
    }

    /// Two vertices without an arc between them.
    fn absent(&self, random: &mut Random) -> Option<(u32, u32)> {
        let mut pairs = (0..TRIES).map(|_| (self.vertex(random), self.vertex(random)));
        pairs.find(|&(tail, head)| {
            tail != head && !self.places.contains_key(&self.key((tail, head)))
        })
    }

    /// A random arc, from either end if it is an edge.
    fn present(&self, random: &mut Random) -> Option<(u32, u32)> {
        let place = random.below(self.arcs.len() as u64) as usize;
        let &(tail, head) = self.arcs.get(place)?;
        let turned = self.undirected && random.below(2) == 0;
        Some(if turned { (head, tail) } else { (tail, head) })
    }

    /// Deletes a vertex with its arcs.
    fn bury(&mut self, random: &mut Random, pacer: &mut Pacer<'_, '_>) -> Result<u32, Fault> {
        let vertex = self.alive.swap_remove(random.below(self.alive.len() as u64) as usize);
        self.gone.push(vertex);
        for place in (0..self.arcs.len()).rev() {
            // The arc moved into the free place comes from a later index, which was already
            // examined.
            if let Some(&arc) = self.arcs.get(place)
                && (arc.0 == vertex || arc.1 == vertex)
            {
                self.delete(arc);
            }
            pacer.step()?;
        }
        Ok(vertex)
    }

    /// Inserts a deleted vertex; there is at least one.
    fn revive(&mut self, random: &mut Random) -> u32 {
        let vertex = self.gone.swap_remove(random.below(self.gone.len() as u64) as usize);
        self.alive.push(vertex);
        vertex
    }
}
