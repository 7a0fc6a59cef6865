//! How a batch is carried out.

use star_base::BitVector;

use super::super::code::Reg;
use super::super::machine::Machine;
use super::super::strip::{Cell, Source, StripOp, Strips};
use super::{Batch, Port};
use crate::stop::{Step, broken};

impl Batch {
    /// The slices that change, and the buffer that each takes.
    fn stores(&mut self) -> Vec<(Reg, usize)> {
        let values = std::mem::take(&mut self.values);
        let mut stores = Vec::with_capacity(values.len());
        for (reg, source) in values {
            match source {
                Source::Buffer(buffer) => stores.push((reg, buffer)),
                Source::Port(port) if self.ports[port] == Port::Slice(reg) => {}
                Source::Port(_) => {
                    let to = self.buffer();
                    self.users[to] += 1;
                    self.ops.push(StripOp::Copy { to, from: source });
                    stores.push((reg, to));
                }
            }
        }
        stores
    }

    /// Takes out the operations whose results nobody wants any more.
    fn drop_dead(&mut self) {
        let mut wanted: Vec<bool> = self.users.iter().map(|n_users| *n_users > 0).collect();
        let mut kept = Vec::with_capacity(self.ops.len());
        for op in self.ops.drain(..).rev() {
            if std::mem::take(&mut wanted[op.to()]) {
                op.sources().for_each(|source| {
                    if let Source::Buffer(buffer) = source {
                        wanted[buffer] = true;
                    }
                });
                kept.push(op);
            }
        }
        self.ops.extend(kept.into_iter().rev());
    }
}

impl Machine<'_, '_, '_> {
    /// Carries out what is pending, if anything is. Only a flag stops that; the slices lie between two states
    /// then.
    pub(in crate::cpu) fn carry_out(&mut self) -> Step<()> {
        if !self.batch.is_open() {
            return Ok(());
        }
        let mut batch = std::mem::take(&mut self.batch);
        let stores = batch.stores();
        batch.drop_dead();
        let mut taken = Vec::with_capacity(stores.len());
        for (reg, _) in &stores {
            taken.push(std::mem::take(&mut self.bits_slot_mut(*reg).bits));
        }
        let done = self.run_strips(&batch, &stores, &mut taken);
        for ((reg, _), bits) in stores.iter().zip(taken) {
            self.bits_slot_mut(*reg).bits = bits;
        }
        batch.clear();
        self.batch = batch;
        done
    }

    /// `taken` are the bits of the slices that are stored.
    fn run_strips(
        &self,
        batch: &Batch,
        stores: &[(Reg, usize)],
        taken: &mut [BitVector],
    ) -> Step<()> {
        if stores.is_empty() {
            return Ok(());
        }
        let mut cells: Vec<Cell<'_>> =
            taken.iter_mut().map(|bits| Cell::Written(bits.limbs_mut())).collect();
        // A port that no operation reads has no cell, and nobody asks for it.
        let mut ports = vec![usize::MAX; batch.ports.len()];
        let sources = batch.ops.iter().flat_map(|op| op.sources());
        for source in sources {
            let Source::Port(port) = source else { continue };
            if ports[port] != usize::MAX {
                continue;
            }
            let stored = |reg| stores.iter().position(|(stored, _)| *stored == reg);
            ports[port] = cells.len();
            match batch.ports[port] {
                Port::Slice(reg) => match stored(reg) {
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
        let stores: Vec<(usize, usize)> =
            stores.iter().enumerate().map(|(cell, (_, buffer))| (cell, *buffer)).collect();
        let strips = Strips {
            spread: &self.spread,
            n_rows: batch.n_rows,
            ops: &batch.ops,
            n_buffers: batch.users.len(),
            ports: &ports,
            stores: &stores,
        };
        strips.run(cells)
    }
}
