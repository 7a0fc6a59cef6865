//! Recorded values in SSA form, each of them the content of a port or a function of others.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use foldhash::fast::FixedState;
use star_ir::Query;

use super::lut::Lut;

/// The number of a port: external memory that is loaded or stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PortId(pub(crate) u32);

/// The number of a value; greater than those of its operands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ValueId(pub(super) u32);

/// The definition of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Node {
    /// The content of the port before the tape runs.
    Load(PortId),
    Lut(Lut<ValueId>),
}

/// A reduction of a value that is computed in the same pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reduction {
    /// Index of the first one.
    First,
    /// Number of ones.
    Count,
    /// Whether all are one.
    All,
}

/// The result of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Index of the first one, from 0.
    First(Option<usize>),
    Count(u64),
    All(bool),
}

/// The reduction that answers a query.
impl From<Query> for Reduction {
    fn from(query: Query) -> Reduction {
        match query {
            Query::Any | Query::None | Query::First => Reduction::First,
            Query::All => Reduction::All,
            Query::Count => Reduction::Count,
        }
    }
}

impl Answer {
    /// Returns the answer to a query, from the result of its reduction; a boolean is 0 or 1.
    #[inline]
    pub(crate) fn to(self, query: Query) -> i64 {
        match (self, query) {
            (Answer::First(first), Query::Any) => i64::from(first.is_some()),
            (Answer::First(first), Query::None) => i64::from(first.is_none()),
            (Answer::First(first), _) => first.map_or(0, |idx| idx as i64 + 1),
            (Answer::Count(count), _) => count as i64,
            (Answer::All(all), _) => i64::from(all),
        }
    }
}

/// The content of a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PortValues {
    /// Before the tape runs, if that is read.
    pub(super) loaded: Option<ValueId>,
    /// At the end, if it is stored to.
    pub(super) stored: Option<ValueId>,
}

/// Recorded operations.
#[derive(Debug, Default)]
pub(crate) struct Tape {
    pub(super) nodes: Vec<Node>,
    /// Equal functions are one value.
    numbers: HashMap<Lut<ValueId>, ValueId, FixedState>,
    pub(super) ports: Vec<PortValues>,
    pub(super) reductions: Vec<(Reduction, ValueId)>,
    n_stores: usize,
}

impl Tape {
    /// Creates a new port.
    pub(crate) fn port(&mut self) -> PortId {
        self.ports.push(PortValues::default());
        PortId(self.ports.len() as u32 - 1)
    }

    /// Returns the current content of a port.
    pub(crate) fn load(&mut self, port: PortId) -> ValueId {
        let PortValues { loaded, stored } = self.ports[port.0 as usize];
        stored.or(loaded).unwrap_or_else(|| {
            let value = self.make(Node::Load(port));
            self.ports[port.0 as usize].loaded = Some(value);
            value
        })
    }

    /// Creates a function of values; see Note [Truth tables] in `lut`. The table's upper bits are
    /// ignored.
    pub(crate) fn lut(&mut self, table: u8, of: &[ValueId]) -> ValueId {
        let mut lut = Lut::new(table, of);
        // Constants and complements become part of the function.
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

    /// Creates a value with all bits equal.
    pub(crate) fn constant(&mut self, bit: bool) -> ValueId {
        self.number(Lut::constant(bit))
    }

    /// Returns the value of a function, reusing that of an equal one.
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

    /// Stores the value in the port.
    pub(crate) fn store(&mut self, port: PortId, value: ValueId) {
        let before = self.ports[port.0 as usize].stored.replace(value);
        self.n_stores += usize::from(before.is_none());
    }

    /// Drops the pending store to the port.
    pub(crate) fn drop_store(&mut self, port: PortId) {
        let before = self.ports[port.0 as usize].stored.take();
        self.n_stores -= usize::from(before.is_some());
    }

    /// Returns the pending store to the port.
    pub(crate) fn stored(&self, port: PortId) -> Option<ValueId> {
        self.ports[port.0 as usize].stored
    }

    /// Returns whether there is a store or a reduction.
    pub(crate) fn has_effect(&self) -> bool {
        self.n_stores > 0 || !self.reductions.is_empty()
    }

    /// Returns whether the previous content of the port is still read.
    pub(crate) fn is_loaded(&self, port: PortId) -> bool {
        self.ports[port.0 as usize].loaded.is_some()
    }

    /// Returns whether nothing was recorded but copies of ports.
    pub(crate) fn has_only_copies(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Returns the port whose content before the tape runs is this value.
    pub(crate) fn loaded_from(&self, value: ValueId) -> Option<PortId> {
        match self.nodes[value.0 as usize] {
            Node::Load(port) => Some(port),
            Node::Lut(_) => None,
        }
    }

    /// Adds the reduction of a value that answers a query; the results are in the order of calls.
    pub(crate) fn query(&mut self, query: Query, of: ValueId) {
        self.reductions.push((query.into(), of));
    }

    /// Returns whether it is the same computation on the same ports.
    pub(crate) fn does_the_same(&self, other: &Tape) -> bool {
        self.nodes == other.nodes
            && self.ports == other.ports
            && self.reductions == other.reductions
    }

    /// Returns a copy of the recorded operations; nothing can be appended to it, since it does not
    /// know equal functions.
    pub(crate) fn snapshot(&self) -> Tape {
        let Tape { nodes, numbers: _, ports, reductions, n_stores } = self;
        let (nodes, ports, reductions) = (nodes.clone(), ports.clone(), reductions.clone());
        Tape { nodes, numbers: HashMap::default(), ports, reductions, n_stores: *n_stores }
    }

    /// Drops all recorded operations; the memory is kept.
    pub(crate) fn clear(&mut self) {
        let Tape { nodes, numbers, ports, reductions, n_stores } = self;
        nodes.clear();
        numbers.clear();
        ports.clear();
        reductions.clear();
        *n_stores = 0;
    }
}
