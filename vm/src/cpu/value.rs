//! Values of the CPU backend: packed bits, and tables in up to two forms.

use std::sync::Arc;

use star_base::BitVector;
use star_base::limbs::OutOfMemory;
use star_ir::{Extent, Ty};

use super::form::bytes_of;
use super::handle::Handle;
use super::parallelism::Parallelism;
use super::table::Table;
use crate::backend::BackendError;
use crate::value::HostValue;

/// A variable's place outside a run: what it holds, if anything, and whether its size is fixed.
#[derive(Clone, Debug, Default)]
pub struct Value {
    pub(super) data: ValueData,
    /// The number of components of a slice or word that was never set, if it is known.
    pub(super) size: Option<usize>,
    /// A slice or word keeps its size, a table does not grow.
    pub(super) fixed: bool,
}

/// What a value is.
#[derive(Clone, Debug, Default)]
pub(super) enum ValueData {
    #[default]
    Nothing,
    Int(i64),
    Bool(bool),
    Text(Arc<str>),
    Slice(BitVector),
    Word(BitVector),
    /// Tables are shared until one of those who have it writes.
    Table(Arc<Table>),
    /// What the library keeps, opaque to everyone outside.
    Handle(Arc<Handle>),
}

impl ValueData {
    pub(super) fn from_host(value: HostValue) -> ValueData {
        match value {
            HostValue::Unset => ValueData::Nothing,
            HostValue::Int(number) => ValueData::Int(number),
            HostValue::Bool(truth) => ValueData::Bool(truth),
            HostValue::Str(text) => ValueData::Text(text.into()),
            HostValue::Slice(bits) => ValueData::Slice(bits),
            HostValue::Word(bits) => ValueData::Word(bits),
            HostValue::Table(table) => ValueData::Table(Arc::new(Table::new(table))),
        }
    }

    /// The type with its sizes; `None` if there is nothing.
    pub(super) fn ty(&self) -> Option<Ty> {
        let extent = |n: usize| Extent::Const(n as u64);
        Some(match self {
            ValueData::Nothing => return None,
            ValueData::Int(_) => Ty::Int,
            ValueData::Bool(_) => Ty::Bool,
            ValueData::Text(_) => Ty::Str,
            ValueData::Slice(bits) => Ty::Slice(extent(bits.len())),
            ValueData::Word(bits) => Ty::Word(extent(bits.len())),
            ValueData::Table(table) => Ty::Table(extent(table.n_rows()), extent(table.n_cols())),
            ValueData::Handle(_) => Ty::Handle,
        })
    }

    /// Bytes of packed bits.
    pub(super) fn n_bytes(&self) -> u64 {
        match self {
            ValueData::Nothing | ValueData::Int(_) | ValueData::Bool(_) | ValueData::Text(_) => 0,
            ValueData::Slice(bits) | ValueData::Word(bits) => bytes_of(bits.len()),
            ValueData::Table(table) => table.n_bytes(),
            ValueData::Handle(handle) => handle.n_bytes(),
        }
    }

    /// The value as a host takes it.
    ///
    /// # Errors
    /// If the system refuses the memory, or a flag is set.
    pub(super) fn to_host(&self, parallelism: &Parallelism<'_>) -> Result<HostValue, BackendError> {
        // Nothing but a flag stops work on a value.
        let interrupted = |_stop| BackendError::Interrupted;
        Ok(match self {
            ValueData::Nothing | ValueData::Handle(_) => HostValue::Unset,
            ValueData::Int(number) => HostValue::Int(*number),
            ValueData::Bool(truth) => HostValue::Bool(*truth),
            ValueData::Text(text) => HostValue::Str(text.to_string()),
            ValueData::Slice(bits) => {
                HostValue::Slice(parallelism.copy(bits).map_err(interrupted)??)
            }
            ValueData::Word(bits) => HostValue::Word(parallelism.copy(bits).map_err(interrupted)??),
            ValueData::Table(table) => {
                let refused = OutOfMemory { n_bytes: u128::from(table.n_bytes()) };
                HostValue::Table(table.to_host(parallelism).map_err(interrupted)?.ok_or(refused)?)
            }
        })
    }
}
