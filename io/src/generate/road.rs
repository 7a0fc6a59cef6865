//! Road-like grids: crossings in rows and columns, each slightly displaced, with streets between
//! neighbours. Some streets are missing, some blocks have a diagonal. Every street is bidirectional
//! and has its length as a weight: the distance of its ends, plus up to 30 % for bends.

use super::pacer::Pacer;
use super::random::{Chance, Purpose, Random};
use super::{ARC_BYTES, GenerateOptions, bad, check_max_weight, check_probability, check_range};
use crate::error::{Fault, FileError};
use crate::graph::{Arc, Graph};

/// Distance between rows and between columns, in coordinate units.
const SPACING: i64 = 1000;
/// Maximum displacement of a crossing in each direction.
const JITTER: i64 = 300;
/// Maximum extra length of a street due to bends, in percent.
const MAX_BEND: i64 = 30;
/// Length of the longest diagonal with maximum bends: √2 · (1000 + 2 · 300) · 1.3, rounded up.
const LONGEST: i64 = 2942;

/// The parameters of a road-like grid. The crossing in row r and column c, both from 0, is vertex
/// `r * width + c`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Road {
    /// Number of rows of crossings, from 1.
    pub height: u64,
    /// Number of columns of crossings, from 1.
    pub width: u64,
    /// Probability that a street along a row or column is missing, from 0 to 1.
    pub missing: f64,
    /// Probability that a block between four crossings has a diagonal street, from 0 to 1.
    pub diagonals: f64,
    /// The connected components to keep.
    pub parts: Parts,
    /// Lengths from 1 to this, proportional to those in the plane; the maximum is rarely reached.
    /// `None` for an unweighted graph.
    pub max_weight: Option<i64>,
}

/// The connected components to keep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Parts {
    /// All vertices, including those without streets.
    #[default]
    All,
    /// The largest connected component, the first of several; its vertices are renumbered in order.
    Largest,
}

/// A road-like grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoadNetwork {
    /// The streets: edges, stored once, with the greater vertex as tail, sorted by tail.
    pub graph: Graph,
    /// Number of vertices of the largest connected component.
    pub n_connected: usize,
}

impl Road {
    /// Generates the grid. The running time is proportional to the number of crossings.
    ///
    /// # Errors
    /// [`star_base::Code::BadArgument`] if a parameter is outside its range,
    /// [`star_base::Code::DoesNotFit`] if the memory exceeds the budget: 16 bytes for each possible
    /// street, 8 for each crossing and 17 for each column; [`star_base::Code::Interrupted`] if the
    /// progress sink stops the work.
    pub fn generate(&self, options: &mut GenerateOptions<'_>) -> Result<RoadNetwork, FileError> {
        let n_vertices = self.check()?;
        let (height, width) = (u128::from(self.height), u128::from(self.width));
        let n_diagonals = if self.diagonals > 0.0 { (height - 1) * (width - 1) } else { 0 };
        let n_streets = height * (width - 1) + width * (height - 1) + n_diagonals;
        let mut pacer = Pacer::new(options);
        let n_bytes = n_streets * ARC_BYTES + u128::from(n_vertices) * 8 + width * 48;
        pacer.check_budget(n_bytes)?;
        let arcs = self.streets(pacer.reserved(n_streets as u64)?, &mut pacer)?;
        let n_vertices = n_vertices as usize;
        let weighted = self.max_weight.is_some();
        let mut graph = Graph { n_vertices, arcs, weighted, symmetric: true, ..Graph::default() };
        let n_connected = match (connect(&graph, &mut pacer)?, self.parts) {
            (Connected { size, .. }, Parts::All) => size,
            (connected @ Connected { size, .. }, Parts::Largest) => {
                keep(&mut graph, connected, &mut pacer)?;
                size
            }
        };
        Ok(RoadNetwork { graph, n_connected })
    }

    /// Checks the parameters and returns the number of vertices.
    fn check(&self) -> Result<u64, Fault> {
        check_range("rows", self.height, 1, u64::from(u32::MAX))?;
        check_range("columns", self.width, 1, u64::from(u32::MAX))?;
        let n_vertices = self.height * self.width;
        check_range("rows × columns", n_vertices, 1, u64::from(u32::MAX))?;
        check_probability("missing", self.missing)?;
        check_probability("diagonals", self.diagonals)?;
        check_max_weight(self.max_weight)?;
        match self.max_weight {
            Some(most) if most > i64::from(u32::MAX) => {
                Err(bad("max-weight", most, "at most 4294967295"))
            }
            Some(_) | None => Ok(n_vertices),
        }
    }

    /// Visits the crossings row by row; each gets its streets to earlier crossings.
    fn streets(&self, mut arcs: Vec<Arc>, pacer: &mut Pacer<'_, '_>) -> Result<Vec<Arc>, Fault> {
        let mut random = Random::new(pacer.seed(), Purpose::Shape);
        let mut bends = Random::new(pacer.seed(), Purpose::Weights);
        let present = Chance::of(1.0 - self.missing);
        let diagonal = Chance::of(self.diagonals);
        let mut above: Vec<Point> = pacer.reserved(self.width)?;
        let mut row: Vec<Point> = pacer.reserved(self.width)?;
        let mut blocks: Vec<Block> = pacer.reserved(self.width)?;
        for row_idx in 0..self.height {
            row.clear();
            blocks.clear();
            for col_idx in 0..self.width {
                row.push(Point::near(row_idx, col_idx, &mut random));
                blocks.push(match diagonal.happens(&mut random) {
                    false => Block::Empty,
                    true if random.below(2) == 0 => Block::Falling,
                    true => Block::Rising,
                });
            }
            for col_idx in 0..self.width as usize {
                let tail = row_idx * self.width + col_idx as u64;
                let mut to = |n_back: u64, other: Point| {
                    let weight = self.weight(row[col_idx], other, &mut bends);
                    arcs.push(Arc { tail: tail as u32, head: (tail - n_back) as u32, weight });
                };
                if row_idx > 0 {
                    // The block to the left of a crossing belongs to its left neighbour.
                    if col_idx > 0 && blocks[col_idx - 1] == Block::Falling {
                        to(self.width + 1, above[col_idx - 1]);
                    }
                    if present.happens(&mut random) {
                        to(self.width, above[col_idx]);
                    }
                    if blocks[col_idx] == Block::Rising
                        && let Some(&corner) = above.get(col_idx + 1)
                    {
                        to(self.width - 1, corner);
                    }
                }
                if col_idx > 0 && present.happens(&mut random) {
                    to(1, row[col_idx - 1]);
                }
                pacer.step()?;
            }
            std::mem::swap(&mut above, &mut row);
        }
        Ok(arcs)
    }

    /// The weight of a street.
    fn weight(&self, from: Point, to: Point, bends: &mut Random) -> i64 {
        let Some(max_weight) = self.max_weight else { return 1 };
        let (dx, dy) = (from.x - to.x, from.y - to.y);
        let straight = (dx * dx + dy * dy).isqrt();
        let bend = bends.below(MAX_BEND as u64 + 1) as i64;
        let length = straight * (100 + bend) / 100;
        1 + length * (max_weight - 1) / LONGEST
    }
}

/// The diagonal street of the block between four crossings.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    /// No street.
    Empty,
    /// From the top left to the bottom right.
    Falling,
    /// From the bottom left to the top right.
    Rising,
}

/// The position of a crossing.
#[derive(Clone, Copy)]
struct Point {
    x: i64,
    y: i64,
}

impl Point {
    fn near(row_idx: u64, col_idx: u64, random: &mut Random) -> Self {
        Point {
            x: col_idx as i64 * SPACING + random.around_zero(JITTER),
            y: row_idx as i64 * SPACING + random.around_zero(JITTER),
        }
    }
}

/// The largest connected component of a graph.
struct Connected {
    /// For each vertex the representative of its component.
    roots: Vec<u32>,
    /// The representative of the largest component.
    largest: u32,
    /// Its number of vertices.
    size: usize,
}

/// Finds the connected components by union–find; the smaller root is kept.
fn connect(graph: &Graph, pacer: &mut Pacer<'_, '_>) -> Result<Connected, Fault> {
    let n_vertices = graph.n_vertices as u64;
    let mut roots: Vec<u32> = pacer.reserved(n_vertices)?;
    for vertex in 0..n_vertices {
        roots.push(vertex as u32);
        pacer.step()?;
    }
    for arc in &graph.arcs {
        let (one, other) = (find(&mut roots, arc.tail), find(&mut roots, arc.head));
        roots[one.max(other) as usize] = one.min(other);
        pacer.step()?;
    }
    let mut sizes = pacer.filled(n_vertices, 0u32)?;
    for vertex in 0..n_vertices as u32 {
        let root = find(&mut roots, vertex);
        roots[vertex as usize] = root;
        sizes[root as usize] += 1;
        pacer.step()?;
    }
    let (mut largest, mut size) = (0, 0);
    for (root, &n_members) in (0..).zip(&sizes) {
        if n_members > size {
            (largest, size) = (root, n_members);
        }
        pacer.step()?;
    }
    Ok(Connected { roots, largest, size: size as usize })
}

/// The root of a vertex; halves the path for later searches.
fn find(roots: &mut [u32], vertex: u32) -> u32 {
    let mut vertex = vertex;
    while roots[vertex as usize] != vertex {
        let next = roots[roots[vertex as usize] as usize];
        roots[vertex as usize] = next;
        vertex = next;
    }
    vertex
}

/// Keeps only the largest component.
fn keep(graph: &mut Graph, connected: Connected, pacer: &mut Pacer<'_, '_>) -> Result<(), Fault> {
    let Connected { roots: mut numbers, largest, size } = connected;
    let mut n_kept = 0;
    for number in &mut numbers {
        // Removed vertices get an invalid number.
        *number = if *number == largest { n_kept } else { u32::MAX };
        n_kept += u32::from(*number != u32::MAX);
        pacer.step()?;
    }
    let mut n_arcs = 0;
    for arc_idx in 0..graph.arcs.len() {
        let Arc { tail, head, weight } = graph.arcs[arc_idx];
        let (tail, head) = (numbers[tail as usize], numbers[head as usize]);
        if tail != u32::MAX {
            graph.arcs[n_arcs] = Arc { tail, head, weight };
            n_arcs += 1;
        }
        pacer.step()?;
    }
    graph.arcs.truncate(n_arcs);
    graph.n_vertices = size;
    Ok(())
}
