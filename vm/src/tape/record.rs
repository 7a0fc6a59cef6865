//! What is recorded: values in SSA form, each of them a port's or a function of others.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::lut::Lut;

/// Number of a port: of something outside that is loaded or stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PortId(pub(crate) u32);

/// Number of a value; greater than those of the values it is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ValueId(pub(super) u32);

/// How a value is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Node {
    /// What the port holds before the tape is run.
    Load(PortId),
    Lut(Lut<ValueId>),
}

/// A question about a value that is answered in the same pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reduction {
    /// Where is the first one?
    First,
    /// How many are one?
    Count,
    /// Are all of them one?
    All,
}

/// The answer to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Index of the first one, from 0.
    First(Option<usize>),
    Count(u64),
    All(bool),
}

/// What a port holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PortValues {
    /// Before the tape is run, if that is read.
    pub(super) loaded: Option<ValueId>,
    /// In the end, if it is stored to.
    pub(super) stored: Option<ValueId>,
}

/// Operations that are recorded.
#[derive(Debug, Default)]
pub(crate) struct Tape {
    pub(super) nodes: Vec<Node>,
    /// Equal functions are one value.
    numbers: HashMap<Lut<ValueId>, ValueId>,
    pub(super) ports: Vec<PortValues>,
    pub(super) reductions: Vec<(Reduction, ValueId)>,
    n_stores: usize,
}

impl Tape {
    /// A port of its own.
    pub(crate) fn port(&mut self) -> PortId {
        self.ports.push(PortValues::default());
        PortId(self.ports.len() as u32 - 1)
    }

    /// What a port holds now.
    pub(crate) fn load(&mut self, port: PortId) -> ValueId {
        let PortValues { loaded, stored } = self.ports[port.0 as usize];
        stored.or(loaded).unwrap_or_else(|| {
            let value = self.make(Node::Load(port));
            self.ports[port.0 as usize].loaded = Some(value);
            value
        })
    }

    /// A function of values; see Note [Truth tables] in `lut`. The table's upper bits do not count.
    pub(crate) fn lut(&mut self, table: u8, of: &[ValueId]) -> ValueId {
        let mut lut = Lut::new(table, of);
        // Constants and complements are part of the function.
        for input in of {
            if let Node::Lut(by) = self.nodes[input.0 as usize]
                && by.inputs().len() < 2
                && lut.inputs().contains(input)
                && let Some(with) = lut.with(*input, &by)
            {
                lut = with;
            }
        }
        match lut.as_copy() {
            Some(value) => value,
            None => self.number(lut.sorted()),
        }
    }

    /// All bits the same.
    pub(crate) fn constant(&mut self, bit: bool) -> ValueId {
        self.number(Lut::constant(bit))
    }

    /// The value of a function: an equal one has its number.
    fn number(&mut self, lut: Lut<ValueId>) -> ValueId {
        let next = ValueId(self.nodes.len() as u32);
        match self.numbers.entry(lut) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                self.nodes.push(Node::Lut(lut));
                *new.insert(next)
            }
        }
    }

    fn make(&mut self, node: Node) -> ValueId {
        self.nodes.push(node);
        ValueId(self.nodes.len() as u32 - 1)
    }

    /// The port holds the value from now on.
    pub(crate) fn store(&mut self, port: PortId, value: ValueId) {
        let before = self.ports[port.0 as usize].stored.replace(value);
        self.n_stores += usize::from(before.is_none());
    }

    /// What is to be stored in the port is not wanted any more.
    pub(crate) fn drop_store(&mut self, port: PortId) {
        let before = self.ports[port.0 as usize].stored.take();
        self.n_stores -= usize::from(before.is_some());
    }

    /// What is to be stored in the port.
    pub(crate) fn stored(&self, port: PortId) -> Option<ValueId> {
        self.ports[port.0 as usize].stored
    }

    /// Is anything stored or found out?
    pub(crate) fn has_effect(&self) -> bool {
        self.n_stores > 0 || !self.reductions.is_empty()
    }

    /// Is what the port held before still to be read?
    pub(crate) fn is_loaded(&self, port: PortId) -> bool {
        self.ports[port.0 as usize].loaded.is_some()
    }

    /// Finds something out about a value; answers come in the order of the questions.
    pub(crate) fn reduce(&mut self, reduction: Reduction, of: ValueId) {
        self.reductions.push((reduction, of));
    }

    /// Is it the same computation of the same ports?
    pub(crate) fn does_the_same(&self, other: &Tape) -> bool {
        self.nodes == other.nodes
            && self.ports == other.ports
            && self.reductions == other.reductions
    }

    /// What is recorded so far; nothing can be recorded behind it, since equal functions are not known.
    pub(crate) fn snapshot(&self) -> Tape {
        let Tape { nodes, numbers: _, ports, reductions, n_stores } = self;
        let (nodes, ports, reductions) = (nodes.clone(), ports.clone(), reductions.clone());
        Tape { nodes, numbers: HashMap::new(), ports, reductions, n_stores: *n_stores }
    }

    /// Nothing is recorded any more; the memory stays.
    pub(crate) fn clear(&mut self) {
        let Tape { nodes, numbers, ports, reductions, n_stores } = self;
        nodes.clear();
        numbers.clear();
        ports.clear();
        reductions.clear();
        *n_stores = 0;
    }
}
