//! Parts of slices and tables: gathering them on all ranks, and keeping that of one rank.

use star_value::{BitTable, BitVector, OutOfMemory};

use crate::cpu::code::RoutineCode;
use crate::cpu::interpreter::Interpreter;
use crate::cpu::operand::{Reg, RegRef};
use crate::cpu::parallelism::Parallelism;
use crate::cpu::registers::CowTable;
use crate::cpu::table::Table;
use crate::cpu::table::form::{Line, bytes_of};
use crate::exchange::{Exchange, Partition, Place, gather_lines, gather_slice, own_components};
use crate::interrupt::Exec;

use super::lost;
use super::sparse::{GatheredForm, gather_sparse, sparse_part};

/// Number of columns that are gathered together.
const COLUMNS_TOGETHER: usize = 64;

impl Interpreter<'_, '_, '_> {
    /// Gathers the components of a slice on every rank.
    pub(super) fn make_whole(&mut self, reg: Reg) -> Exec<()> {
        let slot = self.bits_slot(reg);
        if slot.elsewhere == 0 || !slot.is_set {
            return Ok(());
        }
        let n = slot.bits.len() + slot.elsewhere;
        self.budget.reserve(bytes_of(n))?;
        let (exchange, place) = self.exchange("a whole slice", self.bits(reg).limbs().len())?;
        let mut whole = BitVector::try_zeros(n).map_err(|wanted| self.out_of_memory(wanted))?;
        let with = (&*exchange, &self.ranks()?.partition);
        gather_slice(with, place, self.bits(reg).limbs(), &mut whole, self.parallelism.kernels)
            .map_err(lost)?;
        self.put_new_bits(reg, whole);
        self.bits_slot_mut(reg).elsewhere = 0;
        Ok(())
    }

    /// Keeps the components that this rank owns, if the register is a slice to be partitioned.
    pub(super) fn keep_part(&mut self, reg: Reg, routine: &RoutineCode) -> Exec<()> {
        let slot = self.bits_slot(reg);
        let n = slot.bits.len();
        let is_whole = slot.is_set && slot.elsewhere == 0 && routine.slices[reg as usize];
        let Some(own) = self.ranks()?.partition.own(n).filter(|_| is_whole) else {
            return Ok(());
        };
        self.budget.reserve(bytes_of(own.len()))?;
        let (partition, kernels) = (&self.ranks()?.partition, self.parallelism.kernels);
        let part = own_components(partition, self.bits(reg), kernels);
        let part = part.map_err(|wanted| self.out_of_memory(wanted))?;
        let elsewhere = n - own.len();
        self.put_new_bits(reg, part);
        self.bits_slot_mut(reg).elsewhere = elsewhere;
        Ok(())
    }

    /// Gathers the rows of a table on every rank.
    pub(super) fn make_table_whole(&mut self, reg: Reg) -> Exec<()> {
        let slot = self.table_slot(reg);
        if slot.elsewhere == 0 || slot.table.is_none() {
            return Ok(());
        }
        let (exchange, place) = self.exchange("the form of a table", 1)?;
        let form = GatheredForm::agree(&*exchange, place, self.table(reg)?)?;
        let whole = self.gathered(reg, form)?;
        self.put_table(reg, CowTable::Own(Box::new(whole)));
        self.table_slot_mut(reg).elsewhere = 0;
        Ok(())
    }

    /// Returns the whole of a partitioned table; its bytes are counted.
    pub(super) fn gathered(&mut self, reg: Reg, form: GatheredForm) -> Exec<Table> {
        let table = self.table(reg)?;
        let (n, n_cols) = (table.n_rows() + self.table_slot(reg).elsewhere, table.n_cols());
        let n_given = (table.n_bytes() / 8) as usize;
        let bytes = form.n_bytes(n, n_cols);
        let (exchange, place) = self.exchange("a whole table", n_given)?;
        self.budget.reserve(bytes)?;
        let whole = gather_table(
            (&*exchange, &self.ranks()?.partition),
            place,
            (self.table(reg)?, n),
            form,
            &self.parallelism,
        )?;
        let whole = whole.map_err(|refused| self.out_of_memory(refused))?;
        self.budget.commit(whole.n_bytes());
        Ok(whole)
    }

    /// Keeps the rows that this rank owns, if the table is to be partitioned.
    pub(super) fn keep_rows(&mut self, reg: Reg) -> Exec<()> {
        let slot = self.table_slot(reg);
        let Some(table) = slot.table.get().filter(|_| slot.elsewhere == 0) else { return Ok(()) };
        let n = table.n_rows();
        let partition = self.ranks()?.partition;
        let Some(own) = partition.own(n) else { return Ok(()) };
        let bytes = match table.is_sparse() {
            true => table.n_bytes(),
            false => bytes_of(own.len()).saturating_mul(table.n_cols() as u64),
        };
        self.budget.reserve(bytes)?;
        let part = part_of_table(&partition, self.table(reg)?, &self.parallelism)?;
        let part = part.map_err(|refused| self.out_of_memory(refused))?;
        self.budget.commit(part.n_bytes());
        self.put_table(reg, CowTable::Own(Box::new(part)));
        self.table_slot_mut(reg).elsewhere = n - own.len();
        Ok(())
    }

    /// Gathers a variable on every rank.
    pub(super) fn make_place_whole(&mut self, place: RegRef) -> Exec<()> {
        match place {
            RegRef::Slice(reg) | RegRef::Word(reg) => self.make_whole(reg),
            RegRef::Table(reg) => self.make_table_whole(reg),
            RegRef::Int(_) | RegRef::Bool(_) | RegRef::Text(_) | RegRef::Handle(_) => Ok(()),
        }
    }

    /// Keeps the part of a variable that this rank owns.
    pub(super) fn keep_part_of(&mut self, place: RegRef) -> Exec<()> {
        match place {
            RegRef::Slice(reg) => {
                let routine = self.routine()?;
                self.keep_part(reg, routine)
            }
            RegRef::Table(reg) => self.keep_rows(reg),
            RegRef::Word(_)
            | RegRef::Int(_)
            | RegRef::Bool(_)
            | RegRef::Text(_)
            | RegRef::Handle(_) => Ok(()),
        }
    }

    /// Gathers the source variables at a location, whose values a trap shows.
    pub(in crate::cpu) fn whole_at(&mut self, loc: star_ir::LocId) -> Exec<()> {
        if self.ranks.is_none() {
            return Ok(());
        }
        let program = &self.code.program;
        let Some(location) = program.locations.get(loc) else { return Ok(()) };
        for named in &location.operands {
            let place = self.routine()?.places.get(named.var.0 as usize);
            if let Some(place) = place.copied() {
                self.make_place_whole(place)?;
            }
        }
        Ok(())
    }
}

/// Gathers a table of `n` rows in the form on which the ranks have agreed.
pub(in crate::cpu) fn gather_table(
    (exchange, partition): (&dyn Exchange, &Partition),
    place: Place,
    (table, n): (&Table, usize),
    form: GatheredForm,
    parallelism: &Parallelism<'_>,
) -> Exec<Result<Table, OutOfMemory>> {
    let (n_own, n_cols) = (table.n_rows(), table.n_cols());
    let refused = OutOfMemory { n_bytes: u128::from(form.n_bytes(n, n_cols)) };
    if let GatheredForm::Sparse(line, n_limbs) = form {
        return gather_sparse((exchange, partition), place, (table, n), (line, &n_limbs));
    }
    let n_limbs = n_own.div_ceil(64);
    let Ok(mut whole) = BitTable::zeros(n, n_cols) else { return Ok(Err(refused)) };
    let mut given = Vec::new();
    for first in (0..n_cols).step_by(COLUMNS_TOGETHER) {
        let columns = first..n_cols.min(first + COLUMNS_TOGETHER);
        given.clear();
        given.resize(n_limbs * columns.len(), 0);
        for (idx, column) in columns.clone().zip(given.chunks_exact_mut(n_limbs.max(1))) {
            table.read(Line::Column, idx, column, parallelism, false)?;
        }
        let (size, kernels) = ((n, columns.len()), parallelism.kernels);
        gather_lines((exchange, partition), place, &given, size, |idx, range, part| {
            let to = whole.column_limbs_mut(first + idx);
            kernels.copy_bits(to, range.start, part, 0, range.len());
        })
        .map_err(lost)?;
    }
    Ok(Ok(Table::new(whole)))
}

/// Returns the rows of a partitioned table that this rank owns: sparse if the table is, and
/// otherwise by columns.
pub(in crate::cpu) fn part_of_table(
    partition: &Partition,
    table: &Table,
    parallelism: &Parallelism<'_>,
) -> Exec<Result<Table, OutOfMemory>> {
    if let Some(part) = sparse_part(partition, table) {
        return Ok(part);
    }
    let n = table.n_rows();
    let own = partition.range(n, partition.rank());
    let Ok(mut part) = BitTable::zeros(own.len(), table.n_cols()) else {
        let n_bytes = u128::from(bytes_of(own.len())) * table.n_cols() as u128;
        return Ok(Err(OutOfMemory { n_bytes }));
    };
    let mut column = vec![0; n.div_ceil(64)];
    for idx in 0..table.n_cols() {
        table.read(Line::Column, idx, &mut column, parallelism, false)?;
        let to = part.column_limbs_mut(idx);
        parallelism.kernels.copy_bits(to, 0, &column, own.start, own.len());
    }
    Ok(Ok(Table::new(part)))
}
