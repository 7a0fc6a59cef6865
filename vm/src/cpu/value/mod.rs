//! Values of the CPU backend: packed bits, and tables in up to two forms.

pub(super) mod handle;

use std::sync::Arc;

use star_ir::{Extent, Ty};
use star_value::{BitVector, OutOfMemory, Value as HostValue};

use super::parallelism::Parallelism;
use super::table::Table;
use super::table::form::bytes_of;
use super::value::handle::Handle;
use crate::backend::BackendError;

/// A variable outside a run: its value, if any, and whether its size is fixed.
#[derive(Clone, Debug, Default)]
pub struct Value {
    pub(super) data: ValueData,
    /// The number of components of an unset slice or word, if known.
    pub(super) size: Option<usize>,
    /// Does a slice or word keep its size, or a table not grow?
    pub(super) fixed: bool,
    /// Number of components or rows that other ranks own.
    pub(super) elsewhere: usize,
}

impl Value {
    /// Returns the type with its sizes on all ranks; `None` if unset.
    pub(super) fn ty(&self) -> Option<Ty> {
        let more = |extent: Extent| match extent {
            Extent::Const(n) => Extent::Const(n + self.elsewhere as u64),
            Extent::Var(_) | Extent::Dynamic => extent,
        };
        self.data.ty().map(|ty| match ty {
            Ty::Slice(n) => Ty::Slice(more(n)),
            Ty::Table(rows, columns) => Ty::Table(more(rows), columns),
            Ty::Int | Ty::Bool | Ty::Str | Ty::Handle | Ty::Word(_) => ty,
        })
    }
}

/// Data of a value.
#[derive(Clone, Debug, Default)]
pub(super) enum ValueData {
    #[default]
    Nothing,
    Int(i64),
    Bool(bool),
    Text(Arc<str>),
    Slice(BitVector),
    Word(BitVector),
    /// Tables are shared until one of their owners writes.
    Table(Arc<Table>),
    /// State of the library, opaque to everything else.
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
            HostValue::Table(table) => ValueData::Table(Arc::new(Table::of_host(table))),
        }
    }

    /// Returns the type with its sizes; `None` if unset.
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

    /// Returns the bytes of packed bits.
    pub(super) fn n_bytes(&self) -> u64 {
        match self {
            ValueData::Nothing | ValueData::Int(_) | ValueData::Bool(_) | ValueData::Text(_) => 0,
            ValueData::Slice(bits) | ValueData::Word(bits) => bytes_of(bits.len()),
            ValueData::Table(table) => table.n_bytes(),
            ValueData::Handle(handle) => handle.n_bytes(),
        }
    }

    /// Converts the value for the host.
    ///
    /// # Errors
    /// If the system refuses the memory, or a flag is set.
    pub(super) fn to_host(&self, parallelism: &Parallelism<'_>) -> Result<HostValue, BackendError> {
        // Only a flag stops work on a value.
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
                table.to_host(parallelism).map_err(interrupted)?.ok_or(refused)?.into()
            }
        })
    }
}
