//! Deferred operations on long slices, executed together.
//!
//! Note [Recording]. A slice larger than the caches is read and written at the speed of memory, so
//! that MATCH, one operation after another, would move every column three times. An operation that
//! combines such slices component by component, or loads or stores a column, is therefore only
//! recorded, on a tape (Note [Tapes] in `crate::tape`). The tape is flushed as soon as an
//! instruction reads a pending value or changes an input. Unlike fusion at compile time, this does
//! not depend on loops and branches: everything that a program executes between two reductions of
//! slices is one pass over memory, and the reduction is computed in the same pass.
//!
//! Recording is not observable. Everything that may fail happens when an operation is recorded:
//! guards are tested before, memory is reserved, the result is set and has its length, and a table
//! that is stored to is uniquely owned and stored by columns. Before a run ends with a trap or a
//! limit, the tape is flushed; only after Ctrl-C or at the deadline it is not, and values are then
//! in an intermediate state anyway. Calls and returns do not end a tape, except as described in
//! Note [Calls on tape].
//!
//! Ports are registers, numbered across all frames, and columns of tables in registers by their
//! index, which is known here: two columns are the same if table and index are. Two registers may
//! share a table, since it becomes uniquely owned before a store to it is recorded.

mod calls;
mod copies;
mod flush;
mod join;
mod plans;

use std::collections::HashMap;

use foldhash::fast::FixedState;

use crate::tape::{PortId, Tape, ValueId};
use plans::Plans;

/// The recorded operations. Registers are numbered across all frames.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    tape: Tape,
    plans: Plans,
    /// Number of components of every slice on the tape.
    n_rows: usize,
    /// The register or column of each port.
    ports: Vec<Port>,
    /// The port of each slice, if it has one.
    slices: Vec<Option<PortId>>,
    columns: HashMap<(usize, usize), PortId, FixedState>,
    /// Tables of which columns are loaded or stored.
    tables: Vec<TableUse>,
    /// The recorded instructions.
    deferred: Vec<Deferred>,
    /// Are there recorded operations?
    is_open: bool,
}

/// A recorded instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Deferred {
    /// The number of its routine.
    pub(super) routine: usize,
    pub(super) pc: usize,
}

/// An input or output of the tape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Port {
    Slice(usize),
    /// A column of a table, with its zero-based index.
    Column(usize, usize),
    /// A released register of a routine that has returned, which is no longer read or written.
    Gone,
}

/// A table on the tape.
#[derive(Clone, Copy, Debug)]
struct TableUse {
    table: usize,
    is_stored: bool,
}

impl Recorder {
    /// Must the next instruction be checked against recorded operations?
    #[inline]
    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Is the value of a slice pending?
    fn is_pending(&self, at: usize) -> bool {
        self.slice_port(at).is_some_and(|port| self.tape.stored(port).is_some())
    }

    /// Is it pending, or is its value still to be read?
    fn touches(&self, at: usize) -> bool {
        self.slice_port(at)
            .is_some_and(|port| self.tape.stored(port).is_some() || self.tape.is_loaded(port))
    }

    /// Are columns of the table loaded or stored?
    pub(super) fn touches_table(&self, table: usize) -> bool {
        self.tables.iter().any(|used| used.table == table)
    }

    /// Are columns of it pending?
    fn stores_to(&self, table: usize) -> bool {
        self.tables.iter().any(|used| used.table == table && used.is_stored)
    }

    fn slice_port(&self, at: usize) -> Option<PortId> {
        self.slices.get(at).copied().flatten()
    }

    fn put_slice_port(&mut self, at: usize, port: PortId) {
        if self.slices.len() <= at {
            self.slices.resize(at + 1, None);
        }
        self.slices[at] = Some(port);
    }

    fn slice(&mut self, at: usize) -> PortId {
        if let Some(port) = self.slice_port(at) {
            return port;
        }
        let port = self.tape.port();
        self.ports.push(Port::Slice(at));
        self.put_slice_port(at, port);
        port
    }

    /// Returns the value of a slice.
    fn value(&mut self, at: usize) -> ValueId {
        let port = self.slice(at);
        self.tape.load(port)
    }

    fn column(&mut self, table: usize, col_idx: usize, is_stored: bool) -> PortId {
        match self.tables.iter_mut().find(|used| used.table == table) {
            Some(used) => used.is_stored |= is_stored,
            None => self.tables.push(TableUse { table, is_stored }),
        }
        *self.columns.entry((table, col_idx)).or_insert_with(|| {
            self.ports.push(Port::Column(table, col_idx));
            self.tape.port()
        })
    }

    /// Keeps only the stores to the ports that satisfy `wanted`.
    fn keep(&mut self, wanted: impl Fn(Port) -> bool) {
        for (idx, port) in self.ports.iter().enumerate() {
            if !wanted(*port) {
                self.tape.drop_store(PortId(idx as u32));
            }
        }
    }

    /// Discards all records; the memory is kept.
    fn clear(&mut self) {
        let Recorder {
            tape,
            plans: _,
            n_rows: _,
            ports,
            slices,
            columns,
            tables,
            deferred,
            is_open,
        } = self;
        tape.clear();
        // Takes time proportional to the number of ports; there may be many more registers.
        for port in ports.drain(..) {
            if let Port::Slice(at) = port {
                slices[at] = None;
            }
        }
        columns.clear();
        tables.clear();
        deferred.clear();
        *is_open = false;
    }
}
