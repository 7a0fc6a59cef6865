//! Values of the CPU backend: packed bits, and tables in up to two forms.

use std::sync::Arc;

use star_base::BitVector;
use star_base::limbs::OutOfMemory;
use star_ir::{Extent, Ty};

use super::natives::Reach;
use super::spread::Spread;
use super::table::Table;
use crate::backend::StoreError;
use crate::value::HostValue;

/// A variable's place outside a run: what it holds, if anything, and whether its size is fixed.
#[derive(Clone, Debug, Default)]
pub struct Value {
    pub(super) held: Held,
    /// The number of components of a slice or word that was never set, if it is known.
    pub(super) size: Option<usize>,
    /// A slice or word keeps its size, a table does not grow.
    pub(super) fixed: bool,
}

/// What a value is.
#[derive(Clone, Debug, Default)]
pub(super) enum Held {
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
    Handle(Kept),
}

/// What a handle holds.
#[derive(Clone, Debug)]
pub(super) enum Kept {
    /// What a Star body has put there.
    Table(Arc<Table>),
    /// What a native keeps instead of the closure of a graph.
    Reach(Arc<Reach>),
}

impl Kept {
    /// Bytes, as memory counts them.
    fn n_bytes(&self) -> u64 {
        match self {
            Kept::Table(table) => table.n_bytes(),
            Kept::Reach(reach) => reach.n_bytes(),
        }
    }
}

impl Held {
    pub(super) fn from_host(value: HostValue) -> Held {
        match value {
            HostValue::Unset => Held::Nothing,
            HostValue::Int(number) => Held::Int(number),
            HostValue::Bool(truth) => Held::Bool(truth),
            HostValue::Str(text) => Held::Text(text.into()),
            HostValue::Slice(bits) => Held::Slice(bits),
            HostValue::Word(bits) => Held::Word(bits),
            HostValue::Table(table) => Held::Table(Arc::new(Table::new(table))),
        }
    }

    /// The type with its sizes; `None` if there is nothing.
    pub(super) fn ty(&self) -> Option<Ty> {
        let extent = |n: usize| Extent::Const(n as u64);
        Some(match self {
            Held::Nothing => return None,
            Held::Int(_) => Ty::Int,
            Held::Bool(_) => Ty::Bool,
            Held::Text(_) => Ty::Str,
            Held::Slice(bits) => Ty::Slice(extent(bits.len())),
            Held::Word(bits) => Ty::Word(extent(bits.len())),
            Held::Table(table) => Ty::Table(extent(table.n_rows()), extent(table.n_cols())),
            Held::Handle(_) => Ty::Handle,
        })
    }

    /// Bytes of packed bits.
    pub(super) fn n_bytes(&self) -> u64 {
        match self {
            Held::Nothing | Held::Int(_) | Held::Bool(_) | Held::Text(_) => 0,
            Held::Slice(bits) | Held::Word(bits) => bytes_of(bits.len()),
            Held::Table(table) => table.n_bytes(),
            Held::Handle(kept) => kept.n_bytes(),
        }
    }

    /// The value as a host takes it.
    ///
    /// # Errors
    /// If the system refuses the memory, or a flag is set.
    pub(super) fn to_host(&self, spread: &Spread<'_>) -> Result<HostValue, StoreError> {
        // Nothing but a flag stops work on a value.
        let interrupted = |_stop| StoreError::Interrupted;
        Ok(match self {
            Held::Nothing | Held::Handle(_) => HostValue::Unset,
            Held::Int(number) => HostValue::Int(*number),
            Held::Bool(truth) => HostValue::Bool(*truth),
            Held::Text(text) => HostValue::Str(text.to_string()),
            Held::Slice(bits) => HostValue::Slice(spread.copy(bits).map_err(interrupted)??),
            Held::Word(bits) => HostValue::Word(spread.copy(bits).map_err(interrupted)??),
            Held::Table(table) => {
                let refused = OutOfMemory { n_bytes: u128::from(table.n_bytes()) };
                HostValue::Table(table.to_host(spread).map_err(interrupted)?.ok_or(refused)?)
            }
        })
    }
}

/// Bytes of packed bits, whole limbs.
pub(super) fn bytes_of(len: usize) -> u64 {
    len.div_ceil(64) as u64 * 8
}
