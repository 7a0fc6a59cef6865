//! Operations on long slices that are deferred, and executed together.
//!
//! Note [Recording]. A slice beyond the caches is read and written at the speed of memory, so that MATCH, one
//! operation after another, would move every column three times. An operation that combines such slices
//! component by component, loads a column or stores one, is therefore only recorded, on a tape (Note [Tapes] in
//! `crate::tape`); the tape is flushed as soon as an instruction looks at what is pending or changes what is
//! read. Where that is does not depend on loops and branches, as it would for code that is fused when it is
//! compiled: whatever a program runs through between two questions about slices is one pass over memory, and the
//! question is answered in the same pass.
//!
//! Nobody can see that. What may fail happens when an operation is recorded: guards are tested before, memory is
//! reserved, the result is set and has its length, a table that is stored to is nobody else's and lies by
//! columns. Before a run ends with a trap or a limit the tape is flushed; only after Ctrl-C or at the time limit
//! it is not, and then values lie between two states anyway. Calls and returns do not end a tape, but for what
//! Note [Calls on tape] says.
//!
//! Ports are registers, numbered through all frames, and columns of tables in registers by their index, which is
//! known here: two columns are the same one if table and index are. Two registers that share a table are no trouble,
//! since a table is its register's own before a store to it is recorded.

mod calls;
mod flush;
mod join;
mod plans;
mod tile;

use std::collections::HashMap;

use super::inst::Ask;
use super::operand::{Reg, RegRef};
use super::value::ValueData;
use crate::tape::{PortId, Tape, ValueId};
use plans::Plans;

/// What is recorded. Registers are numbered through all frames.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    tape: Tape,
    plans: Plans,
    /// Components of every slice on it.
    n_rows: usize,
    /// What each port stands for.
    ports: Vec<Port>,
    /// The port of each slice that has one.
    slices: Vec<Option<PortId>>,
    columns: HashMap<(usize, usize), PortId>,
    /// Tables of which columns are loaded or stored.
    tables: Vec<TableUse>,
    /// The instructions recorded.
    deferred: Vec<Deferred>,
    /// Is there anything recorded, or a tile kernel running?
    is_open: bool,
}

/// An instruction that is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Deferred {
    /// The number of its routine.
    pub(super) routine: usize,
    pub(super) pc: usize,
}

/// Something outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Port {
    Slice(usize),
    /// Of a table, the column of this index, from 0.
    Column(usize, usize),
    /// A register of a routine that has returned, which nobody reads or writes any more.
    Gone,
}

/// A table on the tape.
#[derive(Clone, Copy, Debug)]
struct TableUse {
    table: usize,
    is_stored: bool,
}

impl Recorder {
    /// Does the next instruction have to look at what is recorded?
    #[inline]
    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    /// The instructions that are recorded.
    pub(super) fn deferred(&self) -> &[Deferred] {
        &self.deferred
    }

    /// Does a slice wait for its value?
    fn is_pending(&self, at: usize) -> bool {
        self.slice_port(at).is_some_and(|port| self.tape.stored(port).is_some())
    }

    /// Is it pending, or is what it holds still to be read?
    fn touches(&self, at: usize) -> bool {
        self.slice_port(at)
            .is_some_and(|port| self.tape.stored(port).is_some() || self.tape.is_loaded(port))
    }

    /// Are columns of the table loaded or stored?
    pub(super) fn touches_table(&self, table: usize) -> bool {
        self.tables.iter().any(|used| used.table == table)
    }

    /// Do columns of it wait for their values?
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

    /// What a slice holds.
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

    /// Only what is stored to these ports is wanted.
    fn keep(&mut self, wanted: impl Fn(Port) -> bool) {
        for (idx, port) in self.ports.iter().enumerate() {
            if !wanted(*port) {
                self.tape.drop_store(PortId(idx as u32));
            }
        }
    }

    /// Nothing is recorded any more; the memory stays.
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
        // As many as there are ports, of registers that may be many more.
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

/// A tile kernel.
#[derive(Clone, Debug)]
pub(super) struct Tile {
    /// Its private slices and tables.
    pub(super) privates: Vec<RegRef>,
    /// Other slices and tables that it writes, if it has guards.
    pub(super) written: Vec<RegRef>,
    /// Numbers found out about slices at its end.
    pub(super) reductions: Vec<(Reg, Ask, Reg)>,
}

/// A tile kernel that is running.
#[derive(Debug)]
pub(super) struct TileScope {
    tile: u32,
    /// What variables held before, of those that do not hold it any more.
    before: Vec<(RegRef, ValueData)>,
    /// Is everything in there that it writes?
    is_kept: bool,
}
