//! From noted operations to those that are carried out: without what nobody wants, in chains, with few buffers.
//!
//! Note [Chains]. Memory gives one stream of bits after another more slowly than several at a time (17 GB/s
//! for one column, 28 for four, on the machine of `docs/figures.md`). So operations that each take the result of
//! the one before, and another operand, become one loop over all their operands, four at most. Each is a function
//! of two bits, given by its truth table; the chain changes its buffer in place.

use star_ir::LogicOp;

use super::super::fuse;
use super::{Source, StripOp};
use crate::scalars;

/// Most operands of a chain beside its buffer.
pub(in crate::cpu) const MOST_STEPS: usize = 4;

/// A step of a chain: a function of what there is and of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cpu) struct Link {
    pub(in crate::cpu) table: u8,
    pub(in crate::cpu) with: Source,
}

/// What is carried out.
#[derive(Clone, Debug, Default)]
pub(in crate::cpu) struct Plan {
    pub(in crate::cpu) ops: Vec<StripOp>,
    pub(in crate::cpu) n_buffers: usize,
}

/// Makes a plan of operations of which the i-th writes buffer i. `wanted` are the buffers that somebody looks
/// at afterwards; it takes their new numbers.
pub(in crate::cpu) fn plan(ops: &[StripOp], wanted: &mut [usize]) -> Plan {
    let mut uses = vec![Uses::default(); ops.len()];
    for buffer in &*wanted {
        uses[*buffer] = Uses { number: 2, last: usize::MAX };
    }
    for (idx, op) in ops.iter().enumerate().rev() {
        if uses[idx].number == 0 {
            continue;
        }
        for source in op.sources() {
            if let Source::Buffer(buffer) = source {
                let Uses { number, last } = &mut uses[buffer];
                *last = if *number == 0 { idx } else { *last };
                *number += 1;
            }
        }
    }
    let mut planner = Planner {
        plan: Plan::default(),
        uses,
        places: vec![0; ops.len()],
        free: Vec::new(),
        last: None,
    };
    for (idx, op) in ops.iter().enumerate() {
        if planner.uses[idx].number > 0 {
            planner.add(idx, *op);
        }
    }
    for buffer in wanted {
        *buffer = planner.places[*buffer];
    }
    planner.plan
}

/// Who looks at a result.
#[derive(Clone, Copy, Debug, Default)]
struct Uses {
    number: usize,
    /// The last operation that does.
    last: usize,
}

struct Planner {
    plan: Plan,
    uses: Vec<Uses>,
    /// The buffer of each result.
    places: Vec<usize>,
    free: Vec<usize>,
    /// The result of the last operation planned.
    last: Option<usize>,
}

impl Planner {
    fn add(&mut self, idx: usize, op: StripOp) {
        match self.links(op) {
            Some(links) => self.chain(idx, &links),
            None => {
                let to = self.free.pop().unwrap_or_else(|| {
                    self.plan.n_buffers += 1;
                    self.plan.n_buffers - 1
                });
                self.places[idx] = to;
                let op = op.moved(to, |source| self.moved(source));
                self.plan.ops.push(op);
            }
        }
        for source in op.sources() {
            if let Source::Buffer(buffer) = source
                && self.uses[buffer].last == idx
                && self.places[buffer] != self.places[idx]
                && !self.free.contains(&self.places[buffer])
            {
                self.free.push(self.places[buffer]);
            }
        }
        self.last = Some(idx);
    }

    /// Where bits lie now.
    fn moved(&self, source: Source) -> Source {
        match source {
            Source::Buffer(buffer) => Source::Buffer(self.places[buffer]),
            Source::Port(_) => source,
        }
    }

    /// The operation as links behind the last one, if nobody else looks at the result of that.
    fn links(&self, op: StripOp) -> Option<Vec<Link>> {
        let last = self.last.filter(|last| self.uses[*last].number == 1)?;
        let so_far = Source::Buffer(last);
        match op {
            StripOp::Logic { op, left, right, .. } => {
                let with = other(so_far, left, right)?;
                Some(vec![Link { table: table_of(op), with }])
            }
            StripOp::Logic2 { table, left, right, .. } => {
                let with = other(so_far, left, right)?;
                let table = if left == so_far { table } else { fuse::swapped(table) };
                Some(vec![Link { table, with }])
            }
            StripOp::LogicLogic { inner, outer, operands: [a, b, c], .. } => {
                let with = other(so_far, a, b).filter(|_| c != so_far)?;
                Some(vec![
                    Link { table: table_of(inner), with },
                    Link { table: table_of(outer), with: c },
                ])
            }
            StripOp::Copy { .. }
            | StripOp::Fill { .. }
            | StripOp::Not { .. }
            | StripOp::Chain { .. } => None,
        }
    }

    /// The last buffer goes through the links, too.
    fn chain(&mut self, idx: usize, links: &[Link]) {
        let to = self.last.map_or(0, |last| self.places[last]);
        self.places[idx] = to;
        for link in links {
            let link = Link { with: self.moved(link.with), ..*link };
            let budget = match self.plan.ops.last_mut() {
                Some(StripOp::Chain { links, .. }) => links.iter_mut().find(|link| link.is_none()),
                Some(_) | None => None,
            };
            match budget {
                Some(budget) => *budget = Some(link),
                None => {
                    let mut links = [None; MOST_STEPS];
                    links[0] = Some(link);
                    self.plan.ops.push(StripOp::Chain { to, links });
                }
            }
        }
    }
}

/// The operand beside `one`, if exactly one of the two is that.
fn other(one: Source, left: Source, right: Source) -> Option<Source> {
    match (left == one, right == one) {
        (true, false) => Some(right),
        (false, true) => Some(left),
        (true, true) | (false, false) => None,
    }
}

fn table_of(op: LogicOp) -> u8 {
    fuse::table(|a, b| scalars::logic(op, a, b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn and(to: usize, left: Source, right: Source) -> StripOp {
        StripOp::Logic { op: LogicOp::And, to, left, right }
    }

    /// What the operations give, each bit of a port being its number's.
    fn value(ops: &[StripOp], buffer: usize, ports: u64) -> bool {
        let mut buffers = [false; 16];
        for op in ops {
            let of = |source: Source| match source {
                Source::Buffer(buffer) => buffers[buffer],
                Source::Port(port) => ports >> port & 1 == 1,
            };
            let apply =
                |table: u8, a: bool, b: bool| table >> (u8::from(a) * 2 + u8::from(b)) & 1 == 1;
            let made = match *op {
                StripOp::Copy { from, .. } => of(from),
                StripOp::Fill { bit, .. } => bit,
                StripOp::Not { from, .. } => !of(from),
                StripOp::Logic { op, left, right, .. } => scalars::logic(op, of(left), of(right)),
                StripOp::LogicLogic { inner, outer, operands: [a, b, c], .. } => {
                    scalars::logic(outer, scalars::logic(inner, of(a), of(b)), of(c))
                }
                StripOp::Logic2 { table, left, right, .. } => apply(table, of(left), of(right)),
                StripOp::Chain { to, links } => {
                    let links = links.iter().flatten();
                    links.fold(buffers[to], |bit, link| apply(link.table, bit, of(link.with)))
                }
            };
            buffers[op.to()] = made;
        }
        buffers[buffer]
    }

    fn holds_the_same(ops: &[StripOp], wanted: &[usize]) -> Plan {
        let mut places = wanted.to_vec();
        let plan = plan(ops, &mut places);
        for ports in 0..256 {
            for (before, after) in wanted.iter().zip(&places) {
                assert_eq!(value(ops, *before, ports), value(&plan.ops, *after, ports), "{plan:?}");
            }
        }
        plan
    }

    #[test]
    fn what_takes_the_result_before_it_becomes_a_chain() {
        let (port, buffer) = (Source::Port, Source::Buffer);
        let ops = [
            and(0, port(0), port(1)),
            StripOp::Logic2 { table: 4, to: 1, left: buffer(0), right: port(2) },
            StripOp::Logic2 { table: 2, to: 2, left: port(3), right: buffer(1) },
            StripOp::LogicLogic {
                inner: LogicOp::Xor,
                outer: LogicOp::Or,
                to: 3,
                operands: [port(4), buffer(2), port(5)],
            },
            and(4, buffer(3), port(6)),
        ];
        let plan = holds_the_same(&ops, &[4]);
        assert_eq!((plan.ops.len(), plan.n_buffers), (3, 1), "{plan:?}");
    }

    #[test]
    fn a_result_that_others_look_at_stays() {
        let (port, buffer) = (Source::Port, Source::Buffer);
        let ops = [
            and(0, port(0), port(1)),
            and(1, buffer(0), port(2)),
            StripOp::Not { to: 2, from: buffer(0) },
            StripOp::Logic { op: LogicOp::Xor, to: 3, left: buffer(2), right: buffer(1) },
            StripOp::Logic { op: LogicOp::Xor, to: 4, left: buffer(3), right: buffer(3) },
            StripOp::Copy { to: 5, from: port(7) },
        ];
        holds_the_same(&ops, &[4, 3, 5]);
        holds_the_same(&ops, &[1, 0]);
        assert_eq!(holds_the_same(&ops, &[1]).ops.len(), 2);
        assert_eq!(holds_the_same(&ops, &[5]).ops.len(), 1);
    }
}
