//! Registers: the values of variables during a run.

pub(super) mod access;

use std::sync::Arc;

use star_ir::LocId;
use star_value::BitVector;

use super::operand::{Pc, RegRef};
use super::summary::Known;
use super::table::Table;
use super::table::form::bytes_of;
use super::value::ValueData;

/// A register of bits: a slice or word. The memory of its last value is reused for the next one.
#[derive(Default)]
pub(super) struct BitsSlot {
    pub(super) bits: BitVector,
    pub(super) is_set: bool,
    /// The number of components of an unset variable, if known.
    pub(super) size: Option<usize>,
    pub(super) fixed: bool,
    /// Number of components that other ranks own.
    pub(super) elsewhere: usize,
    /// Known facts about the contents of `bits`, set or not.
    pub(super) known: Known,
}

impl BitsSlot {
    /// Stores bits.
    pub(super) fn put(&mut self, bits: BitVector) {
        self.bits = bits;
        self.is_set = true;
        self.known.forget();
    }

    /// Removes and returns its bits, if it is set.
    pub(super) fn take(&mut self) -> Option<BitVector> {
        std::mem::take(&mut self.is_set).then(|| {
            self.known.forget();
            std::mem::take(&mut self.bits)
        })
    }

    /// Assigns the register to another variable; its memory is kept.
    pub(super) fn renew(&mut self) {
        self.is_set = false;
        self.size = None;
        self.fixed = false;
        self.elsewhere = 0;
    }

    /// Returns the bytes that it keeps after its routine has returned, if these are many.
    pub(super) fn long_bytes(&self) -> Option<u64> {
        let n_bytes = bytes_of(self.bits.len());
        (n_bytes > MOST_BYTES_OF_GONE).then_some(n_bytes)
    }

    /// Returns the bytes of its value.
    pub(super) fn n_bytes(&self) -> u64 {
        if self.is_set { bytes_of(self.bits.len()) } else { 0 }
    }
}

/// Maximum number of bytes that a register of bits keeps after its routine has returned, and of
/// registers that keep any: the first ones. So at most 16 MiB are kept, regardless of the depth of
/// calls.
pub(super) const MOST_BYTES_OF_GONE: u64 = 1 << 14;
pub(super) const MOST_OF_GONE: usize = 1 << 10;

/// Maximum number of bytes in registers that keep more because a summary describes the contents:
/// the next call then writes only the blocks that it changes.
pub(super) const MOST_SUMMARISED_BYTES_OF_GONE: u64 = 1 << 24;

/// Maximum number of bytes that an unset register of bits keeps.
pub(super) const MOST_KEPT_BYTES: u64 = 1 << 20;

/// A register of a table.
#[derive(Default)]
pub(super) struct TableSlot {
    pub(super) table: CowTable,
    pub(super) fixed: bool,
    /// Number of rows that other ranks own.
    pub(super) elsewhere: usize,
}

/// Ownership of a table by a register.
#[derive(Debug, Default)]
pub(super) enum CowTable {
    /// No table.
    #[default]
    None,
    /// Uniquely owned and writable.
    Own(Box<Table>),
    /// Possibly shared.
    Shared(Arc<Table>),
}

impl CowTable {
    /// Returns the table, if there is one.
    #[inline]
    pub(super) fn get(&self) -> Option<&Table> {
        match self {
            CowTable::None => None,
            CowTable::Own(table) => Some(table),
            CowTable::Shared(table) => Some(table),
        }
    }

    #[inline]
    pub(super) fn is_none(&self) -> bool {
        matches!(self, CowTable::None)
    }

    /// Returns the table for changes, if it is uniquely owned and not a view.
    #[inline]
    pub(super) fn get_mut(&mut self) -> Option<&mut Table> {
        if let CowTable::Shared(table) = self
            && !table.is_view()
            && let Some(own) = Arc::get_mut(table)
        {
            let own = std::mem::take(own);
            *self = CowTable::Own(Box::new(own));
        }
        match self {
            CowTable::Own(table) => Some(table),
            CowTable::None | CowTable::Shared(_) => None,
        }
    }

    /// Returns the same table for another register.
    pub(super) fn share(&mut self) -> CowTable {
        let shared = match std::mem::take(self) {
            CowTable::None => return CowTable::None,
            CowTable::Own(table) => Arc::from(table),
            CowTable::Shared(table) => table,
        };
        *self = CowTable::Shared(shared.clone());
        CowTable::Shared(shared)
    }

    /// Do both registers share one table?
    pub(super) fn is_same(&self, other: &CowTable) -> bool {
        match (self, other) {
            (CowTable::Shared(table), CowTable::Shared(other)) => Arc::ptr_eq(table, other),
            (CowTable::None | CowTable::Own(_) | CowTable::Shared(_), _) => false,
        }
    }

    /// Returns the table as a value of the host.
    pub(super) fn into_shared(self) -> Option<Arc<Table>> {
        match self {
            CowTable::None => None,
            CowTable::Own(table) => Some(Arc::from(table)),
            CowTable::Shared(table) => Some(table),
        }
    }
}

/// An active routine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) routine: usize,
    /// Its first registers.
    pub(super) base: Base,
    /// The next instruction of its caller.
    pub(super) back: Pc,
    /// The call that created it: its number and location in the caller.
    pub(super) call: Option<(u32, LocId)>,
    /// Number of `forall` loops that its callers are in.
    pub(super) n_foralls: usize,
    /// Is no caller in a loop?
    pub(super) is_outermost: bool,
}

/// The first register of each kind.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Base {
    pub(super) numbers: usize,
    pub(super) bits: usize,
    pub(super) tables: usize,
    pub(super) texts: usize,
    pub(super) handles: usize,
}

/// A running `forall`.
#[derive(Debug)]
pub(super) struct Running {
    /// The index of the next iteration, or the component where the search for it starts.
    pub(super) next: Option<i64>,
    pub(super) to: i64,
    /// The slice or word at the start of the loop.
    pub(super) over: Option<BitVector>,
    pub(super) has_begun: bool,
    /// The combined result of the iterations so far, for each reduction.
    pub(super) combined: Vec<(RegRef, ValueData)>,
}
