//! Values of several ranks between runs: each rank holds its part.

use std::sync::Arc;

use star_value::{BitTable, BitVector, Value as HostValue};

use super::parts::{gather_table, part_of_table};
use super::sparse::GatheredForm;
use crate::backend::{BackendError, Part, Wanted};
use crate::budget::MemoryBudget;
use crate::columns::no_table;
use crate::cpu::parallelism::Parallelism;
use crate::cpu::table::Table;
use crate::cpu::value::{Value, ValueData};
use crate::cpu::{Cpu, NEVER};
use crate::exchange::{Place, gather_slice, own_components, own_rows};
use crate::interrupt::Stop;

/// An exchange outside of runs.
const PLACE: Place = Place { loc: 0, what: "a value" };

impl Cpu {
    /// Keeps the part of a value that this rank owns, and returns the number of components or rows
    /// that the others own.
    pub(in crate::cpu) fn keep_part(&self, data: &mut ValueData) -> Result<usize, BackendError> {
        let Some((_, partition)) = &self.ranks else { return Ok(0) };
        match data {
            ValueData::Slice(bits) => {
                let n = bits.len();
                let Some(own) = partition.own(n) else { return Ok(0) };
                *bits = own_components(partition, bits, self.kernels)?;
                Ok(n - own.len())
            }
            ValueData::Table(table) => {
                let n = table.n_rows();
                let Some(own) = partition.own(n) else { return Ok(0) };
                let never = MemoryBudget::new(&NEVER, &NEVER, u64::MAX);
                let part = part_of_table(partition, table, &self.parallelism(&never));
                let part = part.map_err(|_stop| BackendError::Interrupted)?;
                *table = Arc::new(part?);
                Ok(n - own.len())
            }
            ValueData::Nothing
            | ValueData::Int(_)
            | ValueData::Bool(_)
            | ValueData::Text(_)
            | ValueData::Word(_)
            | ValueData::Handle(_) => Ok(0),
        }
    }

    /// Returns the rows of some columns that this rank owns, of a table that is partitioned.
    pub(in crate::cpu) fn own_rows(
        &self,
        columns: &BitTable,
    ) -> Result<Option<BitTable>, BackendError> {
        let Some((_, partition)) = &self.ranks else { return Ok(None) };
        let is_divided = partition.divides(columns.n_rows());
        let own = is_divided.then(|| own_rows(partition, columns, self.kernels));
        Ok(own.transpose()?)
    }

    /// Gathers a partitioned value: all ranks must do so.
    pub(in crate::cpu) fn gather(
        &self,
        value: &Value,
        part: Part,
        wanted: Wanted,
        parallelism: &Parallelism<'_>,
    ) -> Result<HostValue, BackendError> {
        let Some((exchange, partition)) = &self.ranks else {
            return Err(BackendError::Internal("a part of a value without ranks".to_owned()));
        };
        let with = (&**exchange, partition);
        match (&value.data, part) {
            (ValueData::Slice(bits), Part::Whole) => {
                let n = bits.len() + value.elsewhere;
                let mut whole = BitVector::try_zeros(n)?;
                gather_slice(with, PLACE, bits.limbs(), &mut whole, self.kernels)
                    .map_err(|lost| BackendError::DeviceLost { why: lost.why })?;
                Ok(HostValue::Slice(whole))
            }
            (ValueData::Table(table), part) => {
                let n = table.n_rows() + value.elsewhere;
                let part = match part {
                    Part::Whole => None,
                    Part::Columns(columns) => {
                        Some(Table::new(table.some_columns(columns, parallelism)?))
                    }
                };
                let table = part.as_ref().unwrap_or(table);
                let whole = GatheredForm::agree(with.0, PLACE, table)
                    .and_then(|form| gather_table(with, PLACE, (table, n), form, parallelism));
                let whole = whole.map_err(|stop| match stop {
                    Stop::Lost(why) => BackendError::DeviceLost { why },
                    _ => BackendError::Interrupted,
                })??;
                let is_wanted = matches!(wanted, Wanted::Sparse { from_bytes }
                    if whole.dense_bytes() >= from_bytes);
                let whole = match whole.into_columns() {
                    Ok(columns) => return Ok(columns.into()),
                    Err(other) if is_wanted => match other.into_sparse() {
                        Ok(sparse) => return Ok(sparse.into()),
                        Err(other) => other,
                    },
                    Err(other) => other,
                };
                ValueData::Table(Arc::new(whole)).to_host(parallelism)
            }
            _ => Err(no_table()),
        }
    }
}
