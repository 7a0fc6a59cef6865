//! Planning of recorded operations.
//!
//! Note [In place]. A stored value is computed at its destination, if nothing that is computed
//! later needs the previous content of the port; the operation that computes it may read that
//! itself if it has two operands. Other values have a buffer of one strip while they are live. If a
//! port receives the content of another one that is stored to as well, a buffer holds it meanwhile.

use super::adder::{Adder, Addition, additions};
use super::cascade::{Cascade, Complements, Pair, cascades};
use super::chain::{Function, Work, chains};
use super::cover::cover;
use super::lut::Lut;
use super::record::{Node, PortId, Reduction, Tape, ValueId};
use super::step::Users;

/// The location of a value of a strip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    Buffer(u32),
    Port(PortId),
}

impl Default for Location {
    fn default() -> Self {
        Location::Buffer(0)
    }
}

/// An operation on a strip.
#[derive(Clone, Debug)]
pub(crate) enum PlannedOp {
    One {
        to: Location,
        function: Function<Location>,
    },
    /// Steps in place, in the buffers of the mask and of the rows found.
    Two {
        mask: u32,
        found: u32,
        cascade: Cascade<Location>,
    },
    /// Sums of columns; the carry is in place.
    Sums {
        carry: Location,
        adder: Adder<Location>,
    },
    /// The reduction with this number: of a value, or of a function of two values.
    Reduce {
        nth: usize,
        of: Lut<Location>,
    },
}

impl PlannedOp {
    /// Returns whether it maps zeros to zeros.
    fn keeps_zeros(&self) -> bool {
        match self {
            PlannedOp::One { to: _, function } => !function.of_zeros(),
            PlannedOp::Two { mask: _, found: _, cascade } => {
                let Complements { mask, found } = cascade.is_complemented;
                !mask && !found
            }
            PlannedOp::Sums { .. } | PlannedOp::Reduce { .. } => true,
        }
    }
}

/// The work for every strip: operations, among them the reductions, then copies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    pub(crate) ops: Vec<PlannedOp>,
    pub(super) reductions: Vec<Reduction>,
    pub(crate) copies: Vec<(PortId, Location)>,
    pub(crate) n_buffers: usize,
    /// Whether every operation maps zeros to zeros.
    pub(crate) keeps_zeros: bool,
    /// Searches that are restricted to the rows of a conjunction.
    pub(crate) n_narrowed: usize,
    /// For each port, whether it is read and written.
    pub(crate) ports: Vec<PortUse>,
}

/// The use of a port by a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PortUse {
    pub(crate) is_read: bool,
    pub(crate) is_written: bool,
}

impl Plan {
    pub(crate) fn new(tape: &Tape) -> Plan {
        let stores: Vec<(PortId, ValueId)> = tape.stores().collect();
        let stored = stores.iter().map(|(_, value)| *value);
        let roots = stored.clone().chain(tape.reductions.iter().map(|(_, value)| *value));
        let mut users = Users::new(&tape.nodes, roots.clone());
        let sums = additions(&mut users, &stores, |value| tape.loaded(value));
        let pairs = cascades(&mut users);
        let n_narrowed = pairs.iter().filter(|pair| pair.under.is_some()).count();
        let members = sums.iter().map(|addition| &addition.members);
        let members: Vec<ValueId> =
            members.chain(pairs.iter().map(|pair| &pair.members)).flatten().copied().collect();
        let mut several: Vec<Work> =
            sums.into_iter().map(Work::Sums).chain(pairs.into_iter().map(Work::Two)).collect();
        // The pairs of a narrowed search have the same end.
        several.sort_by_key(Work::end);
        let needed = roots.clone().chain(several.iter().flat_map(Work::inputs));
        let luts = cover(&tape.nodes, needed, members.into_iter());
        let works = chains(luts, several, roots.clone(), tape.nodes.len());
        let mut last_uses = vec![None; tape.nodes.len()];
        for (at, work) in works.iter().enumerate() {
            for value in work.results() {
                // A value that is only reduced is used up at once.
                last_uses[value.0 as usize] = Some(at);
            }
            work.inputs().into_iter().for_each(|input| last_uses[input.0 as usize] = Some(at));
        }
        for value in stored {
            last_uses[value.0 as usize] = Some(usize::MAX);
        }
        let mut planner = Planner {
            nodes: &tape.nodes,
            loads: tape.ports.iter().map(|port| port.loaded).collect(),
            last_uses,
            locations: vec![Location::default(); tape.nodes.len()],
            free: Vec::new(),
            plan: Plan {
                ports: vec![PortUse::default(); tape.ports.len()],
                n_narrowed,
                ..Plan::default()
            },
        };
        for (idx, node) in tape.nodes.iter().enumerate() {
            if let Node::Load(port) = node {
                planner.locations[idx] = Location::Port(*port);
            }
        }
        // The port in which each value is computed, if any; it is copied to the others.
        let mut homes: Vec<Option<PortId>> = vec![None; tape.nodes.len()];
        for (port, value) in &stores {
            homes[value.0 as usize].get_or_insert(*port);
        }
        let asked = |value: ValueId| {
            let all = tape.reductions.iter().enumerate();
            all.filter(move |(_, (_, of))| *of == value).map(|(nth, _)| nth)
        };
        for (idx, location) in planner.locations.iter().enumerate() {
            if let Node::Load(_) = tape.nodes[idx] {
                let of = asked(ValueId(idx as u32));
                planner
                    .plan
                    .ops
                    .extend(of.map(|nth| PlannedOp::Reduce { nth, of: Lut::copy(*location) }));
            }
        }
        for (at, work) in works.iter().enumerate() {
            match work {
                Work::One(value, Function::Lut(lut))
                    if let Some(nth) = planner.reduced_at_once(at, *value, lut, tape) =>
                {
                    planner.reduce(at, nth, lut);
                    continue;
                }
                Work::One(value, function) => {
                    planner.op(at, *value, function, homes[value.0 as usize]);
                }
                Work::Two(pair) => planner.pair(at, pair),
                Work::Sums(addition) => planner.sums(at, addition, &homes),
            }
            for value in work.results() {
                let of = Lut::copy(planner.locations[value.0 as usize]);
                planner.plan.ops.extend(asked(value).map(|nth| PlannedOp::Reduce { nth, of }));
            }
        }
        planner.stores(&stores);
        let mut plan = planner.plan;
        plan.reductions.extend(tape.reductions.iter().map(|(reduction, _)| *reduction));
        plan.mark_ports();
        plan.keeps_zeros = plan.ops.iter().all(PlannedOp::keeps_zeros);
        plan
    }

    /// Returns the number of ports that are read or written.
    pub(crate) fn n_streams(&self) -> usize {
        self.ports.iter().filter(|port| port.is_read || port.is_written).count()
    }

    /// Returns the number of columns that are added with a carry.
    pub(crate) fn n_added(&self) -> usize {
        let added = self.ops.iter().map(|op| match op {
            PlannedOp::Sums { carry: _, adder } => adder.columns.len(),
            PlannedOp::One { .. } | PlannedOp::Two { .. } | PlannedOp::Reduce { .. } => 0,
        });
        added.sum()
    }

    /// Returns the number of carries that are in a port.
    #[cfg(test)]
    pub(super) fn n_carries_in_ports(&self) -> usize {
        let is_in_port =
            |op: &&PlannedOp| matches!(op, PlannedOp::Sums { carry: Location::Port(_), .. });
        self.ops.iter().filter(is_in_port).count()
    }

    /// Returns the number of operations with two results.
    pub(crate) fn n_cascades(&self) -> usize {
        self.ops.iter().filter(|op| matches!(op, PlannedOp::Two { .. })).count()
    }

    fn mark_ports(&mut self) {
        let Plan { ops, copies, ports, .. } = self;
        let mut reads = |location: Location| match location {
            Location::Port(port) => ports[port.0 as usize].is_read = true,
            Location::Buffer(_) => {}
        };
        for op in &*ops {
            match op {
                PlannedOp::One { to: _, function } => {
                    function.inputs().iter().copied().for_each(&mut reads);
                }
                PlannedOp::Two { mask: _, found: _, cascade } => {
                    cascade.inputs().for_each(&mut reads);
                }
                PlannedOp::Reduce { nth: _, of } => {
                    of.inputs().iter().copied().for_each(&mut reads)
                }
                PlannedOp::Sums { carry, adder } => {
                    adder.inputs().chain([*carry]).for_each(&mut reads)
                }
            }
        }
        copies.iter().for_each(|(_, from)| reads(*from));
        let mut writes = |location: Location| match location {
            Location::Port(port) => ports[port.0 as usize].is_written = true,
            Location::Buffer(_) => {}
        };
        for op in &*ops {
            match op {
                PlannedOp::One { to, function: _ } => writes(*to),
                PlannedOp::Two { .. } | PlannedOp::Reduce { .. } => {}
                PlannedOp::Sums { carry, adder } => {
                    adder.sums().chain([*carry]).for_each(&mut writes)
                }
            }
        }
        for (port, _) in &*copies {
            ports[port.0 as usize].is_written = true;
        }
    }
}

impl Tape {
    /// Returns the port of which a value is the content before the tape runs.
    fn loaded(&self, value: ValueId) -> Option<PortId> {
        match self.nodes[value.0 as usize] {
            Node::Load(port) => Some(port),
            Node::Lut(_) => None,
        }
    }

    /// Yields the stores that change something.
    fn stores(&self) -> impl Iterator<Item = (PortId, ValueId)> {
        let ports = self.ports.iter().enumerate();
        let stores = ports.filter_map(|(idx, port)| Some((PortId(idx as u32), port.stored?)));
        stores.filter(|(port, value)| self.nodes[value.0 as usize] != Node::Load(*port))
    }
}

struct Planner<'t> {
    nodes: &'t [Node],
    /// The previous content of each port, if it is read.
    loads: Vec<Option<ValueId>>,
    /// For each value the last operation that uses it, `usize::MAX` if it is needed at the end.
    last_uses: Vec<Option<usize>>,
    locations: Vec<Location>,
    free: Vec<u32>,
    plan: Plan,
}

impl Planner<'_> {
    /// Returns the number of the reduction if nothing else is done with a function of two values,
    /// and if the reduction reads both.
    fn reduced_at_once(
        &self,
        at: usize,
        value: ValueId,
        lut: &Lut<ValueId>,
        tape: &Tape,
    ) -> Option<usize> {
        let mut all = tape.reductions.iter().enumerate().filter(|(_, (_, of))| *of == value);
        let (nth, (reduction, _)) = all.next()?;
        let is_read = match reduction {
            Reduction::First | Reduction::Count => lut.inputs().len() == 2,
            Reduction::All => false,
        };
        let is_alone = all.next().is_none() && self.last_uses[value.0 as usize] == Some(at);
        // Zeros beyond the length remain zeros.
        (is_alone && is_read && !lut.value(|_| false)).then_some(nth)
    }

    fn reduce(&mut self, at: usize, nth: usize, lut: &Lut<ValueId>) {
        let of = lut.map(|input| self.locations[input.0 as usize]);
        self.plan.ops.push(PlannedOp::Reduce { nth, of });
        let gone: Vec<u32> =
            lut.inputs().iter().filter_map(|input| self.last_used(*input, at)).collect();
        self.free.extend(gone);
    }

    fn op(
        &mut self,
        at: usize,
        value: ValueId,
        function: &Function<ValueId>,
        home: Option<PortId>,
    ) {
        let home = home.filter(|port| self.is_free(*port, at, function));
        let to = match home {
            Some(port) => Location::Port(port),
            None => self.buffer(),
        };
        let locations = &self.locations;
        let from = function.map(|input| locations[input.0 as usize]);
        self.plan.ops.push(PlannedOp::One { to, function: from });
        self.locations[value.0 as usize] = to;
        let gone = function.inputs().iter().chain([&value]);
        let gone: Vec<u32> = gone.filter_map(|gone| self.last_used(*gone, at)).collect();
        self.free.extend(gone);
    }

    /// Plans a cascade, whose two slices are in buffers, where its steps change them.
    fn pair(&mut self, at: usize, pair: &Pair) {
        let Pair { before, after, cascade, under, members: _, end: _ } = pair;
        let rows = under.map(|under| under.rows);
        let inputs: Vec<ValueId> = cascade.inputs().chain(rows).collect();
        let mask = self.accumulator(at, Some(before.mask), false, &inputs);
        let found = before.found.filter(|found| *found != before.mask);
        let found = self.accumulator(at, found, cascade.is_complemented.found, &inputs);
        if let Some(under) = under {
            let Complements { mask: by_mask, found: by_found } = cascade.is_complemented;
            let found = before.found.map(|_| (found, by_found));
            for (buffer, is_complemented) in [(mask, by_mask)].into_iter().chain(found) {
                let of = [Location::Buffer(buffer), self.locations[under.rows.0 as usize]];
                let function = Function::Lut(Lut::new(under.table(is_complemented), &of));
                self.plan.ops.push(PlannedOp::One { to: of[0], function });
            }
        }
        let locations = &self.locations;
        let steps = cascade.map(|input| locations[input.0 as usize]);
        self.plan.ops.push(PlannedOp::Two { mask, found, cascade: steps });
        let mut dead: Vec<u32> =
            pair.inputs().filter_map(|input| self.last_used(input, at)).collect();
        let results =
            [(Some(after.mask), Some(before.mask), mask), (after.found, before.found, found)];
        for (after, before, buffer) in results {
            match after.filter(|after| Some(*after) != before) {
                Some(value) => {
                    self.locations[value.0 as usize] = Location::Buffer(buffer);
                    dead.retain(|known| *known != buffer);
                    if self.last_uses[value.0 as usize] == Some(at) {
                        dead.push(buffer);
                    }
                }
                None => dead.push(buffer),
            }
        }
        dead.sort_unstable();
        dead.dedup();
        self.free.extend(dead);
    }

    /// Returns the buffer of a value that is not needed after operation `at`.
    fn last_used(&self, value: ValueId, at: usize) -> Option<u32> {
        match self.locations[value.0 as usize] {
            Location::Buffer(buffer) if self.last_uses[value.0 as usize] == Some(at) => {
                Some(buffer)
            }
            Location::Buffer(_) | Location::Port(_) => None,
        }
    }

    /// Plans sums, whose carry is changed in place: in a buffer, or in the port to which the last
    /// one is stored.
    fn sums(&mut self, at: usize, addition: &Addition, homes: &[Option<PortId>]) {
        let Addition { before, after, adder, members: _ } = addition;
        let inputs: Vec<ValueId> = adder.inputs().collect();
        let is_last = self.last_uses[before.0 as usize] == Some(at) && !inputs.contains(before);
        let carry = match (self.locations[before.0 as usize], homes[after.0 as usize]) {
            (Location::Port(port), Some(home)) if port == home && is_last => Location::Port(port),
            _ => Location::Buffer(self.accumulator(at, Some(*before), false, &inputs)),
        };
        for sum in adder.sums() {
            let home = homes[sum.0 as usize].filter(|port| self.is_unused(*port, at));
            self.locations[sum.0 as usize] = home.map_or_else(|| self.buffer(), Location::Port);
        }
        let mut dead: Vec<u32> =
            inputs.iter().filter_map(|input| self.last_used(*input, at)).collect();
        let locations = &self.locations;
        let adder = adder.map(|value| locations[value.0 as usize]);
        self.plan.ops.push(PlannedOp::Sums { carry, adder });
        self.locations[after.0 as usize] = carry;
        if let (Location::Buffer(buffer), true) =
            (carry, self.last_uses[after.0 as usize] == Some(at))
        {
            dead.push(buffer);
        }
        dead.sort_unstable();
        dead.dedup();
        self.free.extend(dead);
    }

    /// Returns a buffer with the value, or filled with `bit`, that an operation with these inputs
    /// may change.
    fn accumulator(
        &mut self,
        at: usize,
        value: Option<ValueId>,
        bit: bool,
        inputs: &[ValueId],
    ) -> u32 {
        let own = value.filter(|value| !inputs.contains(value));
        if let Some(buffer) = own.and_then(|value| self.last_used(value, at)) {
            return buffer;
        }
        let lut =
            value.map_or(Lut::constant(bit), |value| Lut::copy(self.locations[value.0 as usize]));
        let buffer = self.free_buffer();
        let to = Location::Buffer(buffer);
        self.plan.ops.push(PlannedOp::One { to, function: Function::Lut(lut) });
        buffer
    }

    /// Returns whether operation `at` may write the port.
    fn is_free(&self, port: PortId, at: usize, function: &Function<ValueId>) -> bool {
        let Some(load) = self.loads[port.0 as usize] else { return true };
        match self.last_uses[load.0 as usize] {
            None => true,
            Some(last) => last < at || (last == at && function.inputs().len() == 2),
        }
    }

    /// Returns whether the previous content of the port was last read before operation `at`.
    fn is_unused(&self, port: PortId, at: usize) -> bool {
        let last = self.loads[port.0 as usize].and_then(|load| self.last_uses[load.0 as usize]);
        last.is_none_or(|last| last < at)
    }

    fn buffer(&mut self) -> Location {
        Location::Buffer(self.free_buffer())
    }

    fn free_buffer(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.plan.n_buffers += 1;
            self.plan.n_buffers as u32 - 1
        })
    }

    /// Copies values that were not computed at their destination.
    fn stores(&mut self, stores: &[(PortId, ValueId)]) {
        let is_stored = |port: PortId| stores.iter().any(|(stored, _)| *stored == port);
        for (port, value) in stores {
            let mut from = self.locations[value.0 as usize];
            if from == Location::Port(*port) {
                continue;
            }
            if let Node::Load(other) = self.nodes[value.0 as usize]
                && is_stored(other)
                && from == Location::Port(other)
            {
                let to = self.buffer();
                self.plan.ops.push(PlannedOp::One { to, function: Function::Lut(Lut::copy(from)) });
                // Later uses find it there, too.
                self.locations[value.0 as usize] = to;
                from = to;
            }
            self.plan.copies.push((*port, from));
        }
    }
}
