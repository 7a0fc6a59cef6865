//! How a batch is carried out.

use star_base::BitVector;

use super::super::code::Reg;
use super::super::interpreter::Interpreter;
use super::super::strip::{Cell, Plan, Source, StripOp, Strips, plan};
use super::{Batch, Port};
use crate::stop::{Run, broken};

impl Batch {
    /// The slices that change, and the buffer that each takes.
    fn stores(&mut self) -> (Vec<Reg>, Vec<usize>) {
        let values = std::mem::take(&mut self.values);
        let (mut stored, mut buffers) = (Vec::new(), Vec::new());
        for (reg, source) in values {
            let buffer = match source {
                Source::Port(port) if self.ports[port] == Port::Slice(reg) => continue,
                // What it was may be stored before.
                Source::Port(_) => {
                    let to = self.ops.len();
                    self.ops.push(StripOp::Copy { to, from: source });
                    to
                }
                Source::Buffer(buffer) => buffer,
            };
            stored.push(reg);
            buffers.push(buffer);
        }
        (stored, buffers)
    }
}

impl Interpreter<'_, '_, '_> {
    /// Carries out what is pending, if anything is. Only a flag stops that; the slices lie between two states
    /// then.
    pub(in crate::cpu) fn flush(&mut self) -> Run<()> {
        if !self.batch.is_open() {
            return Ok(());
        }
        let mut batch = std::mem::take(&mut self.batch);
        let (stored, mut buffers) = batch.stores();
        let plan = plan(&batch.ops, &mut buffers);
        let mut taken = Vec::with_capacity(stored.len());
        for reg in &stored {
            taken.push(std::mem::take(&mut self.bits_slot_mut(*reg).bits));
        }
        let stores: Vec<(usize, usize)> = buffers.into_iter().enumerate().collect();
        let done = self.run_strips(&batch, &plan, &stored, &stores, &mut taken);
        for (reg, bits) in stored.iter().zip(taken) {
            self.bits_slot_mut(*reg).bits = bits;
        }
        self.paths.tapes_flushed += 1;
        self.paths.ops_recorded += batch.deferred.len() as u64;
        batch.clear();
        self.batch = batch;
        done
    }

    /// `taken` are the bits of the slices that are stored, which take the buffers of `stores`.
    fn run_strips(
        &self,
        batch: &Batch,
        plan: &Plan,
        stored: &[Reg],
        stores: &[(usize, usize)],
        taken: &mut [BitVector],
    ) -> Run<()> {
        if stores.is_empty() {
            return Ok(());
        }
        let mut cells: Vec<Cell<'_>> =
            taken.iter_mut().map(|bits| Cell::Written(bits.limbs_mut())).collect();
        // A port that no operation reads has no cell, and nobody asks for it.
        let mut ports = vec![usize::MAX; batch.ports.len()];
        for source in plan.ops.iter().flat_map(|op| op.sources()) {
            let Source::Port(port) = source else { continue };
            if ports[port] != usize::MAX {
                continue;
            }
            ports[port] = cells.len();
            match batch.ports[port] {
                Port::Slice(reg) => match stored.iter().position(|stored| *stored == reg) {
                    Some(cell) => ports[port] = cell,
                    None => cells.push(Cell::Read(self.bits(reg).limbs())),
                },
                Port::Column(table, col_idx) => {
                    let form = self.table(table)?.as_columns();
                    let form = form.ok_or_else(|| broken("a table by rows"))?;
                    cells.push(Cell::Read(form.column_limbs(col_idx)));
                }
            }
        }
        let n_rows = batch.n_rows;
        let strips = Strips { parallelism: &self.parallelism, n_rows, plan, ports: &ports, stores };
        strips.run(cells)
    }
}
