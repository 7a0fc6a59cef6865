//! Operations on long slices that are carried out together.
//!
//! Note [Batches]. A slice beyond the caches is read and written at the speed of memory, so that MATCH, one
//! operation after another, would move every column three times. An operation that combines such slices limb by
//! limb, or takes a column, is therefore only noted, in a *batch*; the batch is carried out strip by strip (Note
//! [Strips]) as soon as an instruction looks at what is pending or changes what is read. Where that is does not
//! depend on loops and branches, as it would for code that is fused when it is compiled: whatever a program
//! runs through between two questions about slices is one batch.
//!
//! Nobody can see that. What may fail happens when an operation is noted: guards are tested before, room is
//! asked for, the result is set and has its length. Before a run ends with a trap or a limit the batch is
//! carried out; only after Ctrl-C or at the time limit it is not, and then values lie between two states anyway.
//! A batch belongs to one frame: it is carried out before a call, and before a return too, without what the
//! routine does not give back.

mod join;
mod run;

use super::code::Reg;
use super::strip::{Source, StripOp};

/// What is noted. Registers are those of the frame that is running.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// Components of every slice in it.
    n_rows: usize,
    /// What is read as it was before.
    ports: Vec<Port>,
    /// Each writes the buffer of its number.
    ops: Vec<StripOp>,
    /// What the slices hold that are pending.
    values: Vec<(Reg, Source)>,
    /// The instructions noted.
    deferred: Vec<usize>,
}

/// Something outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Port {
    Slice(Reg),
    /// Of a table, the column of this index, from 0.
    Column(Reg, usize),
}

impl Batch {
    /// Is anything noted?
    #[inline]
    pub(super) fn is_open(&self) -> bool {
        !self.deferred.is_empty()
    }

    /// Does a slice wait for its value?
    fn is_pending(&self, reg: Reg) -> bool {
        self.values.iter().any(|(pending, _)| *pending == reg)
    }

    /// Is it pending, or is what it holds still to be read?
    fn touches(&self, reg: Reg) -> bool {
        self.is_pending(reg) || self.ports.contains(&Port::Slice(reg))
    }

    /// What a slice holds.
    fn source(&mut self, reg: Reg) -> Source {
        match self.values.iter().find(|(pending, _)| *pending == reg) {
            Some((_, source)) => *source,
            None => self.port(Port::Slice(reg)),
        }
    }

    fn port(&mut self, port: Port) -> Source {
        let known = self.ports.iter().position(|known| *known == port);
        Source::Port(known.unwrap_or_else(|| {
            self.ports.push(port);
            self.ports.len() - 1
        }))
    }

    /// A slice takes what an operation makes.
    fn make(&mut self, dst: Reg, op: impl FnOnce(usize) -> StripOp) {
        let to = self.ops.len();
        self.ops.push(op(to));
        self.assign(dst, Source::Buffer(to));
    }

    /// A slice takes what lies there.
    fn assign(&mut self, dst: Reg, source: Source) {
        self.forget(dst);
        self.values.push((dst, source));
    }

    /// Nobody wants the value of a slice any more.
    fn forget(&mut self, reg: Reg) {
        self.keep(|pending| pending != reg);
    }

    /// Only those of the pending slices are wanted that `wanted` names.
    fn keep(&mut self, wanted: impl Fn(Reg) -> bool) {
        self.values.retain(|(reg, _)| wanted(*reg));
    }

    /// Nothing is noted any more; the memory stays.
    fn clear(&mut self) {
        let Batch { n_rows: _, ports, ops, values, deferred } = self;
        ports.clear();
        ops.clear();
        values.clear();
        deferred.clear();
    }
}
