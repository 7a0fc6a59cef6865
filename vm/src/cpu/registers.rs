//! Registers: what variables hold while a program runs.

use std::sync::Arc;

use star_base::BitVector;
use star_ir::LocId;

use super::form::bytes_of;
use super::operand::{Pc, RegRef};
use super::summary::Known;
use super::table::Table;
use super::value::ValueData;

/// A register of bits: a slice or word. What it held last stays as memory for what it holds next.
#[derive(Default)]
pub(super) struct BitsSlot {
    pub(super) bits: BitVector,
    pub(super) is_set: bool,
    /// The number of components if it was never set, if it is known.
    pub(super) size: Option<usize>,
    pub(super) fixed: bool,
    /// What is known of `bits` as they lie there, set or not.
    pub(super) known: Known,
}

impl BitsSlot {
    /// It takes bits.
    pub(super) fn put(&mut self, bits: BitVector) {
        self.bits = bits;
        self.is_set = true;
        self.known.forget();
    }

    /// It gives its bits up, if it holds any.
    pub(super) fn take(&mut self) -> Option<BitVector> {
        std::mem::take(&mut self.is_set).then(|| {
            self.known.forget();
            std::mem::take(&mut self.bits)
        })
    }

    /// It is another variable's from now on, and keeps its memory.
    pub(super) fn renew(&mut self) {
        self.is_set = false;
        self.size = None;
        self.fixed = false;
    }

    /// Bytes that it keeps when its routine is gone, if these are many.
    pub(super) fn long_bytes(&self) -> Option<u64> {
        let n_bytes = bytes_of(self.bits.len());
        (n_bytes > MOST_BYTES_OF_GONE).then_some(n_bytes)
    }

    /// Bytes of what it holds.
    pub(super) fn n_bytes(&self) -> u64 {
        if self.is_set { bytes_of(self.bits.len()) } else { 0 }
    }
}

/// Most bytes that a register of bits keeps when its routine is gone, and the registers that keep any: the first ones. So what is kept is
/// 16 MiB at most, however deep calls went.
pub(super) const MOST_BYTES_OF_GONE: u64 = 1 << 14;
pub(super) const MOST_OF_GONE: usize = 1 << 10;

/// Most bytes of those registers that keep more, since a summary says what lies there: the next call then writes only the blocks that it changes.
pub(super) const MOST_SUMMARISED_BYTES_OF_GONE: u64 = 1 << 24;

/// Most bytes that a register of bits keeps when it holds nothing any more.
pub(super) const MOST_KEPT_BYTES: u64 = 1 << 20;

/// A register of a table.
#[derive(Default)]
pub(super) struct TableSlot {
    pub(super) table: CowTable,
    pub(super) fixed: bool,
}

/// How a register has a table.
#[derive(Debug, Default)]
pub(super) enum CowTable {
    /// Not at all.
    #[default]
    None,
    /// Alone: it may write.
    Own(Box<Table>),
    /// Perhaps with others.
    Shared(Arc<Table>),
}

impl CowTable {
    /// The table, if there is one.
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

    /// The table, if it is there alone and no view.
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

    /// The same table for another register.
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

    /// The table as a value outside.
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
    /// The instruction of its caller that comes next.
    pub(super) back: Pc,
    /// The call it came from: its number and place in the caller.
    pub(super) call: Option<(u32, LocId)>,
    /// `forall` loops that its callers are in.
    pub(super) n_foralls: usize,
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

/// A `forall` that is running.
#[derive(Debug)]
pub(super) struct Running {
    /// The index of the next iteration, or the first component to look at for it.
    pub(super) next: Option<i64>,
    pub(super) to: i64,
    /// The slice or word as it was when the loop began.
    pub(super) over: Option<BitVector>,
    pub(super) has_begun: bool,
    /// What the iterations so far combine to, for each reduction.
    pub(super) combined: Vec<(RegRef, ValueData)>,
}
