//! How a straight kernel runs strip by strip.

use star_base::{BitTable, BitVector};

use super::super::bits::index_in;
use super::super::code::Reg;
use super::super::interpreter::Interpreter;
use super::super::registers::CowTable;
use super::super::strip::{Cell, Source, Strips};
use super::super::table::Line;
use super::super::value::bytes_of;
use super::Tile;
use super::block::{Port, TileBlock};
use crate::paths::Declined;
use crate::stop::{Run, broken};

/// What a port stands for at one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BoundPort {
    Slice(Reg),
    /// A column, from 0.
    Column(Reg, usize),
}

/// What a kernel writes, taken out of its registers.
struct Taken {
    slices: Vec<(Reg, BitVector)>,
    tables: Vec<(Reg, CowTable)>,
}

impl Interpreter<'_, '_, '_> {
    /// Runs a straight kernel, if that can be done in blocks; otherwise nothing has happened.
    pub(super) fn run_strips_of(&mut self, tile: &Tile) -> Run<Result<(), Declined>> {
        let Some(code) = &tile.block else { return Ok(Err(Declined::Body)) };
        // Steps are counted one by one where they are limited.
        if self.has_step_limit() {
            return Ok(Err(Declined::StepLimit));
        }
        let n_rows = usize::try_from(self.number(code.rows)).unwrap_or(0);
        if n_rows == 0 {
            return Ok(Err(Declined::Empty));
        }
        if !self.guards_hold(code, n_rows) {
            return Ok(Err(Declined::Guard));
        }
        let (bounds, cells) = match self.resolve(code, n_rows) {
            Ok(resolved) => resolved,
            Err(reason) => return Ok(Err(reason)),
        };
        let written: Vec<usize> = code.stores.iter().map(|(port, _)| cells[*port]).collect();
        for (idx, bound) in bounds.iter().enumerate() {
            if let BoundPort::Column(table, _) = *bound
                && written.contains(&idx)
                && !self.own_lines(table, Line::Column)?
            {
                return Ok(Err(Declined::Form));
            }
        }
        let mut taken = self.take_written(&bounds, &written, n_rows)?;
        let done = self.work_on(code, &bounds, &cells, &written, &mut taken, n_rows);
        for (reg, bits) in taken.slices {
            self.bits_slot_mut(reg).put(bits);
        }
        for (reg, table) in taken.tables {
            self.table_slot_mut(reg).table = table;
        }
        done?;
        self.cost(code.cost)?;
        Ok(Ok(()))
    }

    fn guards_hold(&self, code: &TileBlock, n_rows: usize) -> bool {
        code.tests.iter().all(|test| self.holds(*test))
            && code.sizes.iter().all(|size| self.size(*size) == Some(n_rows as u64))
    }

    /// The different locations that are read and written, and which of them each port is, unless one is
    /// not as the kernel needs it.
    fn resolve(
        &self,
        code: &TileBlock,
        n_rows: usize,
    ) -> Result<(Vec<BoundPort>, Vec<usize>), Declined> {
        let mut bounds = Vec::new();
        let mut cells = Vec::new();
        for (idx, port) in code.ports.iter().enumerate() {
            let bound = match *port {
                Port::Slice(reg) => {
                    let slot = self.bits_slot(reg);
                    let is_stored = code.stores.iter().any(|(port, _)| *port == idx);
                    let is_whole = slot.is_set && slot.bits.len() == n_rows;
                    if !is_whole && (!is_stored || reads(code, idx)) {
                        return Err(Declined::Guard);
                    }
                    BoundPort::Slice(reg)
                }
                Port::Column(reg, index) => {
                    let table = self.table_slot(reg).table.get().ok_or(Declined::Guard)?;
                    let col_idx = index_in(self.number(index), table.n_cols());
                    let col_idx = col_idx.map_err(|_| Declined::Guard)?;
                    if table.n_rows() != n_rows {
                        return Err(Declined::Guard);
                    }
                    if !table.has(Line::Column) {
                        return Err(Declined::Form);
                    }
                    BoundPort::Column(reg, col_idx)
                }
            };
            let known = bounds.iter().position(|known| *known == bound);
            cells.push(known.unwrap_or_else(|| {
                bounds.push(bound);
                bounds.len() - 1
            }));
        }
        let apart = code.apart.iter().all(|(a, b)| cells[*a] != cells[*b]);
        if apart { Ok((bounds, cells)) } else { Err(Declined::Alias) }
    }

    /// Takes what is written out of its registers, slices with as many components as there are rows.
    fn take_written(
        &mut self,
        bounds: &[BoundPort],
        written: &[usize],
        n_rows: usize,
    ) -> Run<Taken> {
        let mut taken = Taken { slices: Vec::new(), tables: Vec::new() };
        // Whatever needs room comes first: without it, everything is as before.
        let alive = self.budget.alive();
        let mut made = Vec::new();
        for bound in written.iter().map(|idx| bounds[*idx]) {
            let BoundPort::Slice(reg) = bound else { continue };
            match self.reserve_bits(reg, n_rows) {
                Ok(bits) => made.push((reg, bits)),
                Err(stop) => {
                    self.budget.recount(alive);
                    return Err(stop);
                }
            }
        }
        for (reg, bits) in made {
            let slot = self.bits_slot_mut(reg);
            slot.is_set = true;
            if let Some(bits) = bits {
                slot.put(bits);
            }
        }
        for bound in written.iter().map(|idx| bounds[*idx]) {
            match bound {
                BoundPort::Slice(reg) => {
                    let bits = std::mem::take(&mut self.bits_slot_mut(reg).bits);
                    taken.slices.push((reg, bits));
                }
                BoundPort::Column(reg, _) => {
                    if taken.tables.iter().all(|(known, _)| *known != reg) {
                        let table = std::mem::take(&mut self.table_slot_mut(reg).table);
                        taken.tables.push((reg, table));
                    }
                }
            }
        }
        Ok(taken)
    }

    /// Makes room for the bits of a slice as long as there are rows, counted in place of what the register
    /// holds, which stays: bits of their own, or none if those of the register will do.
    fn reserve_bits(&mut self, reg: Reg, n_rows: usize) -> Run<Option<BitVector>> {
        let n_bytes = bytes_of(n_rows);
        self.budget.reserve(n_bytes)?;
        let slot = self.bits_slot_mut(reg);
        let before = slot.n_bytes();
        let made = match slot.is_set {
            true if slot.bits.len() == n_rows => Ok(None),
            true => BitVector::try_zeros(n_rows).map(Some),
            // Nobody sees what an unset slice keeps.
            false => slot.bits.resize(n_rows).map(|()| None),
        };
        let made = made.map_err(|refused| self.out_of_memory(refused))?;
        self.budget.exchange(before, n_bytes);
        Ok(made)
    }

    fn work_on(
        &self,
        code: &TileBlock,
        bounds: &[BoundPort],
        cells: &[usize],
        written: &[usize],
        taken: &mut Taken,
        n_rows: usize,
    ) -> Run<()> {
        let n_limbs = n_rows.div_ceil(64);
        let mut found: Vec<Option<Cell<'_>>> = bounds.iter().map(|_| None).collect();
        for (reg, bits) in &mut taken.slices {
            let idx = bounds.iter().position(|bound| *bound == BoundPort::Slice(*reg));
            let idx = idx.ok_or_else(|| broken("a slice that is no place"))?;
            found[idx] = Some(Cell::Written(bits.limbs_mut()));
        }
        for (reg, holding) in &mut taken.tables {
            let table = holding.get_mut().ok_or_else(|| broken("a table that is still shared"))?;
            let form = table.lines_mut(Line::Column);
            let stride = form.stride().max(1);
            for (col_idx, column) in form.storage_mut().chunks_mut(stride).enumerate() {
                let bound = BoundPort::Column(*reg, col_idx);
                if let Some(idx) = bounds.iter().position(|known| *known == bound) {
                    let limbs = &mut column[..n_limbs];
                    found[idx] = Some(match written.contains(&idx) {
                        true => Cell::Written(limbs),
                        false => Cell::Read(limbs),
                    });
                }
            }
        }
        for (bound, found) in bounds.iter().zip(&mut found) {
            if found.is_none() {
                *found = Some(Cell::Read(self.limbs_of(*bound)?));
            }
        }
        let stores: Vec<(usize, usize)> =
            code.stores.iter().map(|(port, buffer)| (cells[*port], *buffer)).collect();
        let strips = Strips {
            parallelism: &self.parallelism,
            n_rows,
            plan: &code.plan,
            ports: cells,
            stores: &stores,
        };
        strips.run(found.into_iter().flatten().collect())
    }

    /// What lies at a place that is only read.
    fn limbs_of(&self, bound: BoundPort) -> Run<&[u64]> {
        match bound {
            BoundPort::Slice(reg) => Ok(self.bits(reg).limbs()),
            BoundPort::Column(reg, col_idx) => {
                let form: Option<&BitTable> = self.table(reg)?.as_columns();
                Ok(form.ok_or_else(|| broken("a table by rows"))?.column_limbs(col_idx))
            }
        }
    }
}

/// Does an operation read the port?
fn reads(code: &TileBlock, port: usize) -> bool {
    code.plan.ops.iter().any(|op| op.sources().any(|source| source == Source::Port(port)))
}
