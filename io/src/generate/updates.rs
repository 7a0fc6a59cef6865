//! Random update streams: changes of a graph and questions about it, every one possible when its turn
//! comes.

use std::collections::HashMap;

use super::pacer::Pacer;
use super::random::{Purpose, Random};
use super::{GenerateOptions, bad, check_max_weight, check_range};
use crate::error::{Fault, FileError};
use crate::graph::Graph;
use crate::numbers::Numbers;
use crate::updates::{FIELDS, Update, to_numbers};

/// Bytes of memory that an arc takes: its ends, and its place among the others.
const ARC_BYTES: u128 = 40;

/// Bytes of memory that an operation takes, as made and field by field.
const OPERATION_BYTES: u128 = 2 * size_of::<[i64; FIELDS.len()]>() as u128;

/// How often a pair without an arc is looked for before another operation is taken.
const TRIES: usize = 64;

/// The parameters of a random stream.
#[derive(Clone, Copy, Debug)]
pub struct UpdateStream<'a> {
    /// The graph before the first operation. Its weights, loops and parallel arcs do not matter.
    pub start: &'a Graph,
    /// Do the operations mean edges, one between two vertices, in place of arcs?
    pub undirected: bool,
    /// How many operations there are; one more record stands in front, for the magic line.
    pub n_operations: u64,
    /// How often each kind comes.
    pub shares: Shares,
    /// Weights from 1 to this, all equally likely; `None` for a stream without weights, in which none
    /// is changed.
    pub max_weight: Option<i64>,
}

/// How often each kind of operation comes: a kind of share 2 twice as often as one of share 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    /// Insertions of arcs that are not there.
    pub insert: u32,
    /// Deletions of arcs that are there.
    pub delete: u32,
    /// Other weights for arcs that are there.
    pub change: u32,
    /// Deletions and insertions of vertices.
    pub vertices: u32,
    /// Questions: half of them about two vertices, a quarter each about one and about the graph.
    pub ask: u32,
}

impl Shares {
    fn total(self) -> u64 {
        let Shares { insert, delete, change, vertices, ask } = self;
        [insert, delete, change, vertices, ask].into_iter().map(u64::from).sum()
    }
}

impl UpdateStream<'_> {
    /// Makes the stream. Where an operation is not possible, as a deletion without an arc, a question
    /// about the graph takes its place. Time is in proportion to the operations and arcs, and for every
    /// vertex that is deleted to the arcs there are.
    ///
    /// # Errors
    /// [`star_base::Code::BadArgument`] if a parameter is outside its range,
    /// [`star_base::Code::DoesNotFit`] if the memory is beyond the budget: 64 bytes for each operation, 40
    /// for each arc and 4 for each vertex; [`star_base::Code::Interrupted`] if the progress sink said so.
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
        // There is nothing to ask a graph without vertices about.
        check_range("vertices", self.start.n_vertices as u64, 1, u64::from(u32::MAX))?;
        check_max_weight(self.max_weight)?;
        check_range("operations", self.n_operations, 0, u64::from(u32::MAX))?;
        match self.shares.total() {
            0 => Err(bad("shares", 0, "above 0 for one kind of operation")),
            _ => Ok(()),
        }
    }

    /// The next operation; `None` if that of the kind drawn is not possible.
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

/// The graph as it is after the operations so far. Vertices count from 1.
struct Model {
    undirected: bool,
    arcs: Vec<(u32, u32)>,
    /// Where in `arcs` an arc stands; looked up, never gone through.
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

    /// The pair as `places` knows it.
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

    /// Two vertices without an arc.
    fn absent(&self, random: &mut Random) -> Option<(u32, u32)> {
        let mut pairs = (0..TRIES).map(|_| (self.vertex(random), self.vertex(random)));
        pairs.find(|&(tail, head)| {
            tail != head && !self.places.contains_key(&self.key((tail, head)))
        })
    }

    /// An arc, from either end if it is an edge.
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
            // What takes the place of an arc comes from behind it, and was looked at.
            if let Some(&arc) = self.arcs.get(place)
                && (arc.0 == vertex || arc.1 == vertex)
            {
                self.delete(arc);
            }
            pacer.step()?;
        }
        Ok(vertex)
    }

    /// Inserts a vertex that is gone; there is one.
    fn revive(&mut self, random: &mut Random) -> u32 {
        let vertex = self.gone.swap_remove(random.below(self.gone.len() as u64) as usize);
        self.alive.push(vertex);
        vertex
    }
}
