//! Which bodies ask about lines, and the steps that become of them.

use std::collections::HashMap;

use star_ir::{IntOp, LogicOp, ReductionOp};

use super::super::super::class::Class;
use super::super::super::code::Forall;
use super::super::super::inst::{Ask, BitsInst, Inst, Search};
use super::super::super::operand::{Number, Pc, Reg, Size, Test};
use super::super::compile::Maker;
use super::steps::{Num, Step, Truth};
use super::{LineQuestions, Outside};
use crate::tape::Reduction;

impl LineQuestions {
    /// Compiles the instructions of a body, the first of which has the number `first`; `None` if it
    /// does anything else.
    pub(in crate::cpu) fn compile(
        forall: &Forall,
        first: Pc,
        body: &[Inst],
    ) -> Option<LineQuestions> {
        let (line, table) = body.iter().find_map(|inst| match inst.class() {
            Class::Load { table, line, .. } => Some((line, table)),
            _ => None,
        })?;
        let mut reductions = Vec::new();
        for (place, op) in &forall.reductions {
            reductions.push((place.number()?, *op));
        }
        let mut asker = Asker {
            maker: Maker::new(forall, line, None),
            known: HashMap::new(),
            n_questions: 0,
            n_numbers: 0,
            n_truths: 0,
            branches: Vec::new(),
            steps: Vec::new(),
            reductions,
            components: Vec::new(),
            outside: Outside::default(),
        };
        for (pc, inst) in (first..).zip(body) {
            asker.inst(pc, *inst)?;
        }
        let Asker { maker, steps, reductions, components, outside, .. } = asker;
        let (body, cost) = maker.made()?;
        // Nothing of what is written is read.
        let mut used = body.outer.iter().chain(&outside.read);
        used.all(|reg| !components.contains(reg)).then_some(())?;
        Some(LineQuestions { body, table, steps, reductions, components, outside, cost })
    }
}

/// What a register of numbers holds.
#[derive(Clone, Copy)]
enum Known {
    Number(Num),
    Truth(Truth),
    /// A number or truth value from outside, the one with this number.
    Outer(usize),
}

/// A branch whose instructions end before `end`, and where it is taken.
struct Branch {
    end: Pc,
    test: Truth,
    /// Where the branch around it is taken.
    around: Truth,
    when: Truth,
}

struct Asker<'a> {
    maker: Maker<'a>,
    known: HashMap<Reg, Known>,
    n_questions: usize,
    n_numbers: usize,
    n_truths: usize,
    branches: Vec<Branch>,
    steps: Vec<Step>,
    reductions: Vec<(Reg, ReductionOp)>,
    components: Vec<Reg>,
    outside: Outside,
}

impl Asker<'_> {
    fn inst(&mut self, pc: Pc, inst: Inst) -> Option<()> {
        while self.branches.last().is_some_and(|branch| branch.end <= pc) {
            self.branches.pop();
        }
        let when = self.branches.last().map_or(Truth::Always, |branch| branch.when);
        match inst {
            Inst::Unless { test, to } => {
                let test = self.truth(test)?;
                (to > pc).then_some(())?;
                let taken = self.both(when, test);
                self.branches.push(Branch { end: to, test, around: when, when: taken });
                return Some(());
            }
            Inst::Jump(to) => {
                // From the end of a branch over the other one.
                let Branch { end, test, around, .. } = self.branches.pop()?;
                (end == pc + 1 && to > pc).then_some(())?;
                let not = self.truth_of(Step::Not(test));
                let taken = self.both(around, not);
                self.branches.push(Branch { end: to, test: not, around, when: taken });
                return Some(());
            }
            Inst::Bits(BitsInst::Put { bits, index, bit }) => {
                let of = self.truth(bit)?;
                self.own_component(bits, index)?;
                let component = place(&mut self.components, bits);
                self.steps.push(Step::Put { component, of, when });
                return Some(());
            }
            Inst::Cost { units } if when != Truth::Always => {
                self.steps.push(Step::Cost { units: u64::from(units), when });
                return Some(());
            }
            _ => {}
        }
        if self.combine(inst, when).is_some() {
            return Some(());
        }
        match inst.class() {
            Class::Reduce { .. } | Class::Scalar | Class::Other(_) => {
                (when == Truth::Always).then_some(())?;
                self.answer(inst)
            }
            Class::Guard(test) => self.guard(test),
            Class::Cost { .. } => self.maker.inst(inst.class()),
            Class::Bitwise(_) | Class::Load { .. } | Class::Fill { .. } => {
                (when == Truth::Always).then_some(())?;
                self.maker.inst(inst.class())
            }
            Class::Store { .. } | Class::Control => None,
        }
    }

    /// What holds in every iteration if it holds before the first one.
    fn guard(&mut self, test: Test) -> Option<()> {
        match test {
            Test::Index(index, Size::Length(of)) => self.own_component(of, index),
            Test::BitsSet(reg) if !self.maker.is_private_bits(reg) => {
                place(&mut self.outside.bits_set, reg);
                Some(())
            }
            Test::Bit(number) => match self.lookup(number.0)? {
                Known::Truth(_) => Some(()),
                Known::Outer(_) => {
                    place(&mut self.outside.bits, number);
                    Some(())
                }
                Known::Number(_) => None,
            },
            Test::NumberSet(reg) if self.combined(reg).is_some() => Some(()),
            Test::NumberSet(reg) => {
                if let Known::Outer(_) = self.lookup(reg)? {
                    place(&mut self.outside.numbers_set, reg);
                }
                Some(())
            }
            test => self.maker.inst(Class::Guard(test)),
        }
    }

    /// The component of the iteration's own, of a slice or word from outside: that it is there is
    /// looked at before.
    fn own_component(&mut self, of: Reg, index: Number) -> Option<()> {
        let is_own = index == Number(self.maker.forall.var) && !self.maker.is_private_bits(of);
        is_own.then(|| {
            place(&mut self.outside.indexed, of);
        })
    }

    /// The number of the reduction that combines into this register.
    fn combined(&self, reg: Reg) -> Option<usize> {
        self.reductions.iter().position(|(dst, _)| *dst == reg)
    }

    /// A number or truth value of the iteration's own takes what an instruction makes.
    fn answer(&mut self, inst: Inst) -> Option<()> {
        if let Class::Reduce { dst, ask, of } = inst.class() {
            let of = self.maker.bitwise(&of)?;
            self.maker.tape.reduce(Reduction::from(ask), of);
            let question = self.n_questions;
            self.n_questions += 1;
            let made = match ask {
                Ask::Count | Ask::Search(Search::First) => {
                    self.make_number(Step::Number { question })
                }
                Ask::All | Ask::Search(Search::Some) => self.make_truth(Step::Truth { question }),
                Ask::Search(Search::None) => {
                    let some = self.truth_of(Step::Truth { question });
                    self.make_truth(Step::Not(some))
                }
            };
            return self.assign(dst, made);
        }
        match inst {
            Inst::Set { dst, value: Number(of) } => {
                let known = self.lookup(of)?;
                self.assign(dst, known)
            }
            Inst::Compare { relation, dst, left, right } => {
                let (left, right) = (self.number(left)?, self.number(right)?);
                let made = self.make_truth(Step::Compare { relation, left, right });
                self.assign(dst, made)
            }
            Inst::Not { dst, of } => {
                let of = self.truth(of)?;
                let made = self.make_truth(Step::Not(of));
                self.assign(dst, made)
            }
            Inst::Logic { op, dst, left, right } => {
                let (left, right) = (self.truth(left)?, self.truth(right)?);
                let made = self.make_truth(Step::Logic(op, left, right));
                self.assign(dst, made)
            }
            Inst::Bits(BitsInst::Component { dst, bits, index }) => {
                self.own_component(bits, index)?;
                let of = place(&mut self.outside.read, bits);
                let made = self.make_number(Step::Component { of });
                self.assign(dst, made)
            }
            _ => None,
        }
    }

    /// What is combined takes what an instruction adds to it.
    fn combine(&mut self, inst: Inst, when: Truth) -> Option<()> {
        let other = |dst: Reg, left: Number, right: Number| {
            let is_own = |of: Number| of == Number(dst);
            (is_own(left) != is_own(right)).then_some(if is_own(left) { right } else { left })
        };
        let step = match inst {
            Inst::Int { op: IntOp::Add, dst, left, right } => {
                let into = self.combined(dst)?;
                let op = ReductionOp::Add;
                (self.reductions[into].1 == op).then_some(())?;
                Step::Combine { into, op, of: self.number(other(dst, left, right)?)?, when }
            }
            Inst::Set { dst, value } => {
                let into = self.combined(dst)?;
                let op = self.reductions[into].1;
                matches!(op, ReductionOp::Min | ReductionOp::Max).then_some(())?;
                Step::Combine { into, op, of: self.number(value)?, when }
            }
            Inst::Logic { op, dst, left, right } => {
                let into = self.combined(dst)?;
                let combines = match op {
                    LogicOp::And => ReductionOp::And,
                    LogicOp::Or => ReductionOp::Or,
                    LogicOp::Xor => ReductionOp::Xor,
                };
                (self.reductions[into].1 == combines).then_some(())?;
                Step::CombineTruth { into, op, of: self.truth(other(dst, left, right)?)?, when }
            }
            _ => return None,
        };
        self.steps.push(step);
        Some(())
    }

    fn assign(&mut self, dst: Reg, known: Known) -> Option<()> {
        self.is_private(dst).then(|| {
            self.known.insert(dst, known);
        })
    }

    fn is_private(&self, reg: Reg) -> bool {
        self.maker.forall.privates.iter().any(|place| place.number() == Some(reg))
    }

    /// What a register holds; one from outside is given to the steps.
    fn lookup(&mut self, reg: Reg) -> Option<Known> {
        if let Some(known) = self.known.get(&reg) {
            return Some(*known);
        }
        if reg == self.maker.forall.var {
            return Some(Known::Number(Num::Index));
        }
        let is_outer = !self.is_private(reg) && self.combined(reg).is_none();
        is_outer.then(|| Known::Outer(place(&mut self.outside.numbers, Number(reg))))
    }

    fn number(&mut self, Number(reg): Number) -> Option<Num> {
        match self.lookup(reg)? {
            Known::Number(number) => Some(number),
            Known::Outer(outer) => Some(Num::Outer(outer)),
            Known::Truth(_) => None,
        }
    }

    fn truth(&mut self, Number(reg): Number) -> Option<Truth> {
        match self.lookup(reg)? {
            Known::Truth(truth) => Some(truth),
            Known::Outer(outer) => Some(Truth::Outer(outer)),
            Known::Number(_) => None,
        }
    }

    fn make_number(&mut self, step: Step) -> Known {
        self.steps.push(step);
        self.n_numbers += 1;
        Known::Number(Num::Made(self.n_numbers - 1))
    }

    fn make_truth(&mut self, step: Step) -> Known {
        Known::Truth(self.truth_of(step))
    }

    fn truth_of(&mut self, step: Step) -> Truth {
        self.steps.push(step);
        self.n_truths += 1;
        Truth::Made(self.n_truths - 1)
    }

    fn both(&mut self, left: Truth, right: Truth) -> Truth {
        match left {
            Truth::Always => right,
            Truth::Made(_) | Truth::Outer(_) => {
                self.truth_of(Step::Logic(LogicOp::And, left, right))
            }
        }
    }
}

/// The place of an item in a list that gets it if it is not there.
fn place<T: PartialEq>(list: &mut Vec<T>, item: T) -> usize {
    match list.iter().position(|known| *known == item) {
        Some(place) => place,
        None => {
            list.push(item);
            list.len() - 1
        }
    }
}
