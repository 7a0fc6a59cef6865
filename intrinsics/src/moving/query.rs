//! Range queries of a batch, processed together.
//!
//! The cells that any query touches are the *candidate cells*. The *query-confirmation table* lists
//! for each of them the queries that touch it. The *candidate-set map*, prefix sums over the
//! contents of the cells, holds the amount of work before each cell, so that the work can be
//! divided into equal pieces regardless of the load of the cells. Every object of a candidate cell
//! is read once for all queries of the batch; queries that cover the cell fully test nothing.

use std::hint;

use multiversion::multiversion;
use rayon::prelude::*;

use crate::environment::{Ended, Environment};
use crate::moving::geometry::Rect;
use crate::moving::grid::Grid;
use crate::moving::region::{RegionLine, for_each_slot};
use crate::moving::statistics::Answering;
use crate::moving::store::Store;
use crate::moving::{Collector, Query, bytes, grow};

/// Entries of the confirmation table that are created at once: wide queries are answered in several
/// passes.
const MOST_CONFIRMATIONS: u64 = 1 << 22;
/// Queries per task.
const PER_TASK: usize = 1 << 9;
/// Tasks and pieces for each thread, to balance the load.
const TASKS_PER_THREAD: usize = 4;
/// Tests per piece.
const PER_PIECE: u64 = 1 << 12;
/// Cells whose buckets are prefetched before they are read.
const TOUCHED: usize = 16;

/// A candidate cell and a query that touches it.
#[derive(Clone, Copy, Debug, Default)]
struct Confirmation {
    /// The cell in its region.
    cell: u32,
    /// Twice the index of the query in the batch, plus one if it covers the cell.
    query: u32,
}

impl Confirmation {
    fn query(self) -> usize {
        (self.query >> 1) as usize
    }

    fn covers(self) -> bool {
        self.query & 1 == 1
    }
}

/// Confirmations of some queries, by region.
#[derive(Debug, Default)]
struct Part {
    found: Vec<(u32, Confirmation)>,
    starts: Vec<u32>,
    items: Vec<Confirmation>,
}

impl Part {
    fn fill(&mut self, first: usize, queries: &[Query], grid: &Grid) -> Result<(), Ended> {
        let Part { found, starts, items } = self;
        let refused = |_| Ended::OutOfMemory;
        found.clear();
        for (idx, query) in queries.iter().enumerate() {
            let idx = (first + idx) as u32;
            if found.capacity() - found.len() < 64 {
                let n = grid.n_touched(query.range) as usize;
                found.try_reserve(n).map_err(refused)?;
            }
            grid.touch(query.range, |id, covers| {
                let query = idx << 1 | u32::from(covers);
                found.push((id.region, Confirmation { cell: id.cell, query }));
            });
        }
        let n_regions = grid.region_cells().len();
        starts.clear();
        starts.try_reserve(n_regions + 2).map_err(refused)?;
        starts.resize(n_regions + 2, 0);
        found.iter().for_each(|&(region, _)| starts[region as usize + 2] += 1);
        for idx in 2..starts.len() {
            starts[idx] += starts[idx - 1];
        }
        items.try_reserve(found.len().saturating_sub(items.len())).map_err(refused)?;
        items.resize(found.len(), Confirmation::default());
        for &(region, item) in found.iter() {
            let next = &mut starts[region as usize + 1];
            items[*next as usize] = item;
            *next += 1;
        }
        Ok(())
    }

    fn of(&self, region: usize) -> &[Confirmation] {
        &self.items[self.starts[region] as usize..self.starts[region + 1] as usize]
    }
}

/// A candidate cell.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    region: u32,
    cell: u32,
    /// The start and end of its confirmations.
    from: u32,
    to: u32,
    n_objects: u32,
}

/// The candidate cells of some regions, and their part of the confirmation table.
#[derive(Debug, Default)]
struct Candidates {
    cells: Vec<Candidate>,
    table: Vec<Confirmation>,
}

impl Candidates {
    fn fill(
        &mut self,
        regions: std::ops::Range<usize>,
        parts: &[Part],
        store: &Store,
    ) -> Result<(), Ended> {
        let Candidates { cells, table } = self;
        cells.clear();
        table.clear();
        let n: usize = regions
            .clone()
            .map(|region| parts.iter().map(|part| part.of(region).len()).sum::<usize>())
            .sum();
        let refused = |_| Ended::OutOfMemory;
        table.try_reserve(n).map_err(refused)?;
        cells.try_reserve(n).map_err(refused)?;
        for idx in regions {
            let start = table.len();
            parts.iter().for_each(|part| table.extend_from_slice(part.of(idx)));
            table[start..].sort_unstable_by_key(|entry| entry.cell);
            let mut from = start as u32;
            for entries in table[start..].chunk_by(|one, next| one.cell == next.cell) {
                let to = from + entries.len() as u32;
                cells.push(Candidate {
                    region: idx as u32,
                    cell: entries[0].cell,
                    from,
                    to,
                    n_objects: 0,
                });
                from = to;
            }
        }
        // Prefetch of each bucket: many reads overlap.
        for candidate in cells.iter_mut() {
            candidate.n_objects = store.region(candidate.region).n_objects(candidate.cell);
        }
        Ok(())
    }

    /// The number of tests needed for the answers.
    fn work(&self) -> u64 {
        self.cells.iter().map(Candidate::work).sum()
    }
}

impl Candidate {
    fn work(&self) -> u64 {
        4 + u64::from(self.n_objects) * u64::from(self.to - self.from)
    }
}

/// Buffers that are reused for answering.
#[derive(Debug, Default)]
pub(super) struct Answerer {
    parts: Vec<Part>,
    candidates: Vec<Candidates>,
}

impl Answerer {
    /// The memory in use, in bytes.
    pub(super) fn n_bytes(&self) -> u64 {
        let parts = self
            .parts
            .iter()
            .map(|Part { found, starts, items }| bytes(found) + bytes(starts) + bytes(items));
        let candidates = self.candidates.iter();
        let candidates = candidates.map(|Candidates { cells, table }| bytes(cells) + bytes(table));
        parts.sum::<u64>() + candidates.sum::<u64>()
    }

    /// Answers range queries.
    pub(super) fn answer<C: Collector>(
        &mut self,
        queries: &[Query],
        grid: &Grid,
        store: &Store,
        collector: &mut C,
        environment: &dyn Environment,
    ) -> Result<Answering, Ended> {
        let mut counted = Answering::default();
        let mut rest = queries;
        while !rest.is_empty() {
            let mut n_confirmations = 0;
            let n = rest.iter().take_while(|query| {
                let is_first = n_confirmations == 0;
                n_confirmations += grid.n_touched(query.range);
                is_first || n_confirmations <= MOST_CONFIRMATIONS
            });
            let (turn, later) = rest.split_at(n.count());
            rest = later;
            counted.add(self.turn(turn, grid, store, collector, environment)?);
        }
        Ok(counted)
    }

    fn turn<C: Collector>(
        &mut self,
        queries: &[Query],
        grid: &Grid,
        store: &Store,
        collector: &mut C,
        environment: &dyn Environment,
    ) -> Result<Answering, Ended> {
        let most_tasks = TASKS_PER_THREAD * rayon::current_num_threads();
        let per_part = queries.len().div_ceil(queries.len().div_ceil(PER_TASK).min(most_tasks));
        let n_parts = queries.len().div_ceil(per_part);
        grow(&mut self.parts, n_parts)?;
        let parts = &mut self.parts[..n_parts];
        parts.par_iter_mut().zip(queries.par_chunks(per_part)).enumerate().try_for_each(
            |(idx, (part, queries))| {
                environment.poll()?;
                part.fill(idx * per_part, queries, grid)
            },
        )?;

        let parts = &*parts;
        let n_regions = grid.region_cells().len();
        let per_task = n_regions.div_ceil(n_parts);
        let n_tasks = n_regions.div_ceil(per_task);
        grow(&mut self.candidates, n_tasks)?;
        let candidates = &mut self.candidates[..n_tasks];
        candidates.par_iter_mut().enumerate().try_for_each(|(idx, candidates)| {
            environment.poll()?;
            let regions = idx * per_task..((idx + 1) * per_task).min(n_regions);
            candidates.fill(regions, parts, store)
        })?;

        let candidates = &*candidates;
        let work: u64 = candidates.iter().map(Candidates::work).sum();
        let per_piece = work.div_ceil(most_tasks as u64).max(PER_PIECE);
        let mut pieces: Vec<(&[Candidate], &[Confirmation])> = Vec::new();
        for Candidates { cells, table } in candidates {
            let mut from = 0;
            let mut in_front = 0;
            for (idx, cell) in cells.iter().enumerate() {
                in_front += cell.work();
                if in_front >= per_piece || idx + 1 == cells.len() {
                    pieces.try_reserve(1).map_err(|_| Ended::OutOfMemory)?;
                    pieces.push((&cells[from..=idx], table));
                    from = idx + 1;
                    in_front = 0;
                }
            }
        }
        let found: Result<Vec<(C, Answering)>, Ended> = pieces
            .par_iter()
            .map(|(cells, table)| {
                let mut collector = C::default();
                let mut counted = Answering::default();
                let mut hits = Vec::new();
                for (idx, block) in cells.chunks(TOUCHED).enumerate() {
                    if idx % 16 == 0 {
                        environment.poll()?;
                    }
                    for candidate in block {
                        counted.candidate_cells += 1;
                        counted.candidates += u64::from(candidate.n_objects);
                        counted.confirmations += u64::from(candidate.to - candidate.from);
                    }
                    let most: u64 = block.iter().map(Candidate::work).sum();
                    hits.try_reserve(most as usize).map_err(|_| Ended::OutOfMemory)?;
                    counted.covered += scan(block, table, queries, store, &mut hits);
                    counted.hits += hits.len() as u64;
                    collector.reserve(hits.len())?;
                    hits.drain(..).for_each(|(number, id)| collector.hit(number, id));
                }
                Ok((collector, counted))
            })
            .collect();
        let mut counted = Answering { queries: queries.len() as u64, ..Answering::default() };
        let found = found?;
        collector.reserve(found.iter().map(|(piece, _)| piece.n_kept()).sum())?;
        for (piece, its) in found {
            collector.absorb(piece);
            counted.add(its);
        }
        Ok(counted)
    }
}

/// Reads the objects of some cells once, for all queries that touch them. Returns how many queries
/// cover a cell fully.
#[multiversion(targets(
    "x86_64+avx512f+avx512vl+avx2+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
fn scan(
    cells: &[Candidate],
    table: &[Confirmation],
    queries: &[Query],
    store: &Store,
    hits: &mut Vec<(u32, u32)>,
) -> u64 {
    let touch = |one: &Candidate| store.region(one.region).touch(one.cell);
    hint::black_box(cells.iter().fold(0, |all, one| all ^ touch(one)));
    let mut n_covered = 0;
    for &Candidate { region, cell, from, to, .. } in cells {
        let table = &table[from as usize..to as usize];
        store.region(region).for_each_bucket(cell, |used, lines| {
            for confirmation in table {
                let query = &queries[confirmation.query()];
                let mut inside = used;
                if !confirmation.covers() {
                    inside &= mask(query.range, lines);
                }
                for_each_slot(inside, |line, place| {
                    hits.push((query.number, lines[line].id(place)))
                });
            }
        });
        n_covered += table.iter().filter(|confirmation| confirmation.covers()).count() as u64;
    }
    n_covered
}

/// The slots whose points lie in a rectangle; holes have arbitrary bits.
#[inline]
fn mask(rect: Rect, lines: &[RegionLine]) -> u32 {
    let masks = lines.iter().zip([0, 8, 16, 24]).map(|(line, bit)| line.inside(rect) << bit);
    masks.fold(0, |all, mask| all | mask)
}
