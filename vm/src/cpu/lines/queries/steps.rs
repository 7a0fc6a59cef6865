//! Steps on the results of queries, for up to 64 iterations at once; see Note [Line queries].

use star_ir::{LogicOp, Query, ReductionOp, Relation};

use crate::tape::Answer;

/// The number of iterations of a block: the number of bits of a limb.
pub(super) const BLOCK: usize = 64;

/// The capacity for written limbs that is kept from one kernel to the next.
const MOST_KEPT: usize = 1 << 10;

/// A number of every iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cpu) enum Num {
    /// The one made by the step with this number among the steps that make numbers.
    Made(usize),
    /// The index of the iteration.
    Index,
    /// The one with this number among the numbers from outside.
    Outer(usize),
}

/// A truth value of every iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cpu) enum Truth {
    /// The one made by the step with this number among the steps that make truth values.
    Made(usize),
    /// The one with this number among the numbers from outside.
    Outer(usize),
    /// True in all iterations.
    Always,
}

/// A step. The first ones make a number or a truth value, the others have an effect in the
/// iterations in which `when` holds.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) enum Step {
    /// A number: the answer to this query.
    Number { query: Query, answer: usize },
    /// A truth value: the answer to this query.
    Test { query: Query, answer: usize },
    /// A number: the component of this slice or word among those that are read.
    Component { of: usize },
    /// A truth value.
    Compare { relation: Relation, left: Num, right: Num },
    /// A truth value.
    Not(Truth),
    /// A truth value.
    Logic(LogicOp, Truth, Truth),
    /// A number is added to a sum, or combined with a minimum or maximum.
    Combine { into: usize, op: ReductionOp, of: Num, when: Truth },
    /// A truth value is combined with another one.
    CombineTruth { into: usize, op: LogicOp, of: Truth, when: Truth },
    /// A component is written.
    Put { component: usize, of: Truth, when: Truth },
    /// Elementary operations.
    Cost { units: u64, when: Truth },
}

impl Step {
    /// Tests whether it has an effect in some iterations only.
    pub(super) fn is_conditional(&self) -> bool {
        match self {
            Step::Combine { when, .. }
            | Step::CombineTruth { when, .. }
            | Step::Put { when, .. }
            | Step::Cost { when, .. } => *when != Truth::Always,
            Step::Number { .. }
            | Step::Test { .. }
            | Step::Component { .. }
            | Step::Compare { .. }
            | Step::Not(_)
            | Step::Logic(..) => false,
        }
    }
}

/// The inputs of steps other than results of queries.
#[derive(Clone, Copy)]
pub(super) struct Given<'m> {
    /// Numbers and truth values from outside.
    pub(super) outer: &'m [i64],
    /// Limbs of the slices and words whose components are read.
    pub(super) read: &'m [&'m [u64]],
}

/// The changes of a limb.
#[derive(Clone, Copy, Debug)]
pub(super) struct Written {
    pub(super) limb: usize,
    pub(super) ones: u64,
    pub(super) zeros: u64,
}

/// The combined results of some iterations.
#[derive(Debug, Default)]
pub(super) struct Partial {
    combined: Vec<i128>,
    written: Vec<Vec<Written>>,
    cost: u64,
    /// Numbers and truth values of a block.
    numbers: Vec<[i64; BLOCK]>,
    truths: Vec<u64>,
    /// The writes of a block to each component: the iterations that write, and their bits.
    puts: Vec<(u64, u64)>,
}

impl Partial {
    /// Returns the results of no iteration.
    pub(super) fn new(ops: impl Iterator<Item = ReductionOp>, n_components: usize) -> Self {
        let mut partial = Partial::default();
        partial.begin(ops, n_components);
        partial
    }

    /// Starts again, with the same memory.
    pub(super) fn begin(&mut self, ops: impl Iterator<Item = ReductionOp>, n_components: usize) {
        let Partial { combined, written, cost, numbers: _, truths: _, puts } = self;
        combined.clear();
        combined.extend(ops.map(neutral));
        written.truncate(n_components);
        written.iter_mut().for_each(Vec::clear);
        written.resize_with(n_components, Vec::new);
        *cost = 0;
        puts.clear();
        puts.resize(n_components, (0, 0));
    }

    /// Returns the combined values, the changes of components, and the number of elementary
    /// operations.
    pub(super) fn parts(&self) -> (&[i128], &[Vec<Written>], u64) {
        (&self.combined, &self.written, self.cost)
    }

    /// Releases the memory that long slices needed.
    pub(super) fn shrink(&mut self) {
        self.written.iter_mut().for_each(|written| {
            written.clear();
            written.shrink_to(MOST_KEPT);
        });
    }

    /// Combines with the results of other iterations.
    pub(super) fn join(&mut self, ops: impl Iterator<Item = ReductionOp>, other: Partial) {
        for ((op, into), of) in ops.zip(&mut self.combined).zip(other.combined) {
            *into = join(op, *into, of);
        }
        for (into, of) in self.written.iter_mut().zip(other.written) {
            into.extend(of);
        }
        self.cost = self.cost.saturating_add(other.cost);
    }

    /// Runs the steps for the iterations with these indices, from 0; the results are ordered by
    /// query.
    pub(super) fn take(
        &mut self,
        steps: &[Step],
        given: Given<'_>,
        lines: &[usize],
        answers: &[Answer],
    ) {
        for start in (0..lines.len()).step_by(BLOCK) {
            let block = &lines[start..lines.len().min(start + BLOCK)];
            let answer = |query: usize| &answers[query * lines.len() + start..][..block.len()];
            self.block(steps, given, block, answer);
        }
    }

    fn block<'a>(
        &mut self,
        steps: &[Step],
        given: Given<'_>,
        lines: &[usize],
        answers: impl Fn(usize) -> &'a [Answer],
    ) {
        let all = !0 >> (BLOCK - lines.len());
        self.numbers.clear();
        self.truths.clear();
        self.puts.fill((0, 0));
        for step in steps {
            match *step {
                Step::Number { query, answer } => {
                    let mut made = [0; BLOCK];
                    for (made, found) in made.iter_mut().zip(answers(answer)) {
                        *made = found.to(query);
                    }
                    self.numbers.push(made);
                }
                Step::Test { query, answer } => {
                    self.truths.push(bits(answers(answer), |found| found.to(query) == 1));
                }
                Step::Component { of } => {
                    let (limbs, mut made) = (given.read[of], [0; BLOCK]);
                    for (made, line) in made.iter_mut().zip(lines) {
                        *made = (limbs[line / 64] >> (line % 64) & 1) as i64;
                    }
                    self.numbers.push(made);
                }
                Step::Compare { relation, left, right } => {
                    let [left, right] = [left, right].map(|of| self.number(of, given, lines));
                    let n = lines.len();
                    self.truths.push(compare(relation, &left[..n], &right[..n]));
                }
                Step::Not(of) => {
                    let of = self.truth(of, given, all);
                    self.truths.push(!of & all);
                }
                Step::Logic(op, left, right) => {
                    let [left, right] = [left, right].map(|of| self.truth(of, given, all));
                    self.truths.push(match op {
                        LogicOp::And => left & right,
                        LogicOp::Or => left | right,
                        LogicOp::Xor => left ^ right,
                    });
                }
                Step::Combine { into, op, of, when } => {
                    let when = self.truth(when, given, all);
                    let of = self.number(of, given, lines);
                    let combined = &mut self.combined[into];
                    *combined = join(op, *combined, combine(op, &of[..lines.len()], when));
                }
                Step::CombineTruth { into, op, of, when } => {
                    let when = self.truth(when, given, all);
                    let of = self.truth(of, given, all) & when;
                    let combined = &mut self.combined[into];
                    match op {
                        LogicOp::And => *combined &= i128::from(of == when),
                        LogicOp::Or => *combined |= i128::from(of != 0),
                        LogicOp::Xor => *combined ^= i128::from(of.count_ones() % 2),
                    }
                }
                Step::Put { component, of, when } => {
                    let when = self.truth(when, given, all);
                    let of = self.truth(of, given, all);
                    let (written, ones) = &mut self.puts[component];
                    *written |= when;
                    *ones = *ones & !when | of & when;
                }
                Step::Cost { units, when } => {
                    let n = u64::from(self.truth(when, given, all).count_ones());
                    self.cost = self.cost.saturating_add(units.saturating_mul(n));
                }
            }
        }
        for ((written, ones), into) in self.puts.iter().zip(&mut self.written) {
            put(lines, *written, *ones, into);
        }
    }

    fn number(&self, of: Num, given: Given<'_>, lines: &[usize]) -> [i64; BLOCK] {
        match of {
            Num::Made(made) => self.numbers[made],
            Num::Outer(outer) => [given.outer[outer]; BLOCK],
            Num::Index => {
                let mut indices = [0; BLOCK];
                for (index, line) in indices.iter_mut().zip(lines) {
                    *index = *line as i64 + 1;
                }
                indices
            }
        }
    }

    fn truth(&self, of: Truth, given: Given<'_>, all: u64) -> u64 {
        match of {
            Truth::Made(made) => self.truths[made],
            Truth::Outer(outer) if given.outer[outer] != 0 => all,
            Truth::Outer(_) => 0,
            Truth::Always => all,
        }
    }
}

/// Returns the truth values of a block as a limb.
fn bits<T>(of: &[T], truth: impl Fn(&T) -> bool) -> u64 {
    of.iter().enumerate().fold(0, |bits, (idx, of)| bits | u64::from(truth(of)) << idx)
}

/// Adds the changes of the components with these ascending indices, limb by limb: those that are
/// `written` become the bits of `ones`.
fn put(lines: &[usize], mut written: u64, ones: u64, into: &mut Vec<Written>) {
    while written != 0 {
        let idx = written.trailing_zeros() as usize;
        written &= written - 1;
        let (limb, bit) = (lines[idx] / 64, 1 << (lines[idx] % 64));
        if into.last().is_none_or(|last| last.limb != limb) {
            into.push(Written { limb, ones: 0, zeros: 0 });
        }
        let Some(at) = into.last_mut() else { return };
        match ones >> idx & 1 {
            1 => at.ones |= bit,
            _ => at.zeros |= bit,
        }
    }
}

/// Returns the iterations in which the relation holds.
fn compare(relation: Relation, left: &[i64], right: &[i64]) -> u64 {
    let bits = |holds: fn(&i64, &i64) -> bool| {
        let pairs = left.iter().zip(right).enumerate();
        pairs.fold(0, |bits, (idx, (left, right))| bits | u64::from(holds(left, right)) << idx)
    };
    match relation {
        Relation::Eq => bits(i64::eq),
        Relation::Ne => bits(i64::ne),
        Relation::Lt => bits(i64::lt),
        Relation::Le => bits(i64::le),
        Relation::Gt => bits(i64::gt),
        Relation::Ge => bits(i64::ge),
    }
}

/// Combines the numbers of the iterations that are marked.
fn combine(op: ReductionOp, of: &[i64], when: u64) -> i128 {
    let marked = of.iter().enumerate().filter(|(idx, _)| when >> idx & 1 == 1);
    let marked = marked.map(|(_, number)| *number);
    let found = match op {
        ReductionOp::Min => marked.min().map(i128::from),
        ReductionOp::Max => marked.max().map(i128::from),
        ReductionOp::Add | ReductionOp::Or | ReductionOp::And | ReductionOp::Xor => {
            Some(marked.map(i128::from).sum())
        }
    };
    found.unwrap_or_else(|| neutral(op))
}

/// Returns the neutral element.
fn neutral(op: ReductionOp) -> i128 {
    match op {
        ReductionOp::Or | ReductionOp::Xor | ReductionOp::Add => 0,
        ReductionOp::And => 1,
        ReductionOp::Min => i128::from(i64::MAX),
        ReductionOp::Max => i128::from(i64::MIN),
    }
}

/// Combines two values; sums of 64-bit numbers fit.
pub(super) fn join(op: ReductionOp, left: i128, right: i128) -> i128 {
    match op {
        ReductionOp::Or => left | right,
        ReductionOp::And => left & right,
        ReductionOp::Xor => left ^ right,
        ReductionOp::Min => left.min(right),
        ReductionOp::Max => left.max(right),
        ReductionOp::Add => left + right,
    }
}
