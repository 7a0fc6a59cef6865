//! What a body consists of: the steps of its turns, and what these write.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use star_ir::Relation;

use super::super::class::{Bitwise, Class};
use super::super::inst::{BitsInst, Inst, SizeInst};
use super::super::operand::{Number, Reg};
use super::super::table::form::Line;
use super::{Body, MOST_WORDS};

/// What a body writes.
#[derive(Default)]
pub(super) struct Written {
    pub(super) slices: BTreeSet<Reg>,
    pub(super) numbers: BTreeSet<Reg>,
    /// Those of the numbers that are computed.
    computed: BTreeSet<Reg>,
}

impl Written {
    /// `None` if the instruction does more than is known here.
    pub(super) fn inst(&mut self, inst: Inst) -> Option<()> {
        if let Inst::Compare { dst, .. }
        | Inst::Not { dst, .. }
        | Inst::Bits(BitsInst::Component { dst, .. }) = inst
        {
            self.numbers.insert(dst);
            return (!self.computed.contains(&dst)).then_some(());
        }
        // A number that is computed of the index is so once in a turn.
        if let Inst::Int { dst, .. } = inst {
            self.computed.insert(dst);
            return self.numbers.insert(dst).then_some(());
        }
        if let Inst::Unless { .. } | Inst::Jump(_) = inst {
            return Some(());
        }
        // These do nothing to tables that have the rows and columns: whether they do is asked
        // before the first turn.
        if let Inst::Size(SizeInst::SetRows { .. } | SizeInst::EnsureColumns { .. }) = inst {
            return Some(());
        }
        match inst.class() {
            Class::Bitwise(Bitwise { dst, .. })
            | Class::Fill { dst, .. }
            | Class::Load { dst, line: Line::Column, .. } => {
                self.slices.insert(dst);
            }
            Class::Store { line: Line::Column, .. }
            | Class::Guard(_)
            | Class::Cost { units: Some(_) } => {}
            Class::Load { line: Line::Row, .. }
            | Class::Store { line: Line::Row, .. }
            | Class::Cost { units: None }
            | Class::Reduce { .. }
            | Class::Scalar
            | Class::Other(_)
            | Class::Control => return None,
        }
        Some(())
    }
}

/// A part of a body.
pub(super) enum Step {
    /// The instruction at this place.
    Inst(usize),
    If {
        asked: Asked,
        then: Vec<Step>,
        otherwise: Vec<Step>,
    },
}

/// A number that says what the component of a word is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Asked {
    /// Number of the word.
    pub(super) word: usize,
    /// The number is 1 where the component is this.
    pub(super) bit: bool,
}

/// Makes steps of instructions.
pub(super) struct Reader<'a> {
    body: Body<'a>,
    pub(super) words: Vec<Reg>,
    /// Numbers that are components of words.
    asked: BTreeMap<Reg, Asked>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(body: Body<'a>) -> Self {
        Reader { body, words: Vec::new(), asked: BTreeMap::new() }
    }

    pub(super) fn steps(&mut self, range: Range<usize>) -> Option<Vec<Step>> {
        let (mut steps, mut at) = (Vec::new(), range.start);
        while at < range.end {
            let inst = self.body.insts[at];
            steps.push(Step::Inst(at));
            at += 1;
            if let Inst::Bits(BitsInst::Component { dst, bits, index }) = inst {
                (index == Number(self.body.var)).then_some(())?;
                let word = self.word(bits)?;
                self.asked.insert(dst, Asked { word, bit: true });
            } else if let Inst::Compare { relation, dst, left, right } = inst {
                let asked = self.compared(relation, left, right)?;
                self.asked.insert(dst, asked);
            } else if let Inst::Not { dst, of } = inst {
                let asked = *self.asked.get(&of.0)?;
                self.asked.insert(dst, Asked { bit: !asked.bit, ..asked });
            } else if let Inst::Unless { test, to } = inst {
                let asked = *self.asked.get(&test.0)?;
                let to = to as usize;
                (at..=range.end).contains(&to).then_some(())?;
                let over = self.over(at, to).filter(|over| (to..=range.end).contains(over));
                let before = self.asked.clone();
                let then = self.steps(at..if over.is_some() { to - 1 } else { to })?;
                let otherwise = self.steps(to..over.unwrap_or(to))?;
                self.asked.retain(|reg, asked| before.get(reg) == Some(asked));
                steps.push(Step::If { asked, then, otherwise });
                at = over.unwrap_or(to);
            } else if let Inst::Jump(_) = inst {
                return None;
            }
        }
        Some(steps)
    }

    /// Where the jump leads that ends the branch `at..to` and leaves the other one out.
    fn over(&self, at: usize, to: usize) -> Option<usize> {
        if let Inst::Jump(over) = self.body.insts[to - 1]
            && to > at
        {
            return Some(over as usize);
        }
        None
    }

    fn word(&mut self, reg: Reg) -> Option<usize> {
        match self.words.iter().position(|word| *word == reg) {
            Some(word) => Some(word),
            None => {
                self.words.push(reg);
                (self.words.len() <= MOST_WORDS).then(|| self.words.len() - 1)
            }
        }
    }

    /// The comparison of a component with 0 or 1.
    fn compared(&self, relation: Relation, left: Number, right: Number) -> Option<Asked> {
        let asked = |of: Number| self.asked.get(&of.0).copied();
        let constant = |of: Number| {
            let known = self.body.constants.iter().find(|(reg, _)| *reg == of.0);
            known.map(|(_, value)| *value)
        };
        let (asked, value) = match (asked(left), asked(right)) {
            (Some(asked), None) => (asked, constant(right)?),
            (None, Some(asked)) => (asked, constant(left)?),
            (Some(_), Some(_)) | (None, None) => return None,
        };
        let is_one = match value {
            0 => false,
            1 => true,
            _ => return None,
        };
        let is_equal = match relation {
            Relation::Eq => true,
            Relation::Ne => false,
            Relation::Lt | Relation::Le | Relation::Gt | Relation::Ge => return None,
        };
        Some(Asked { bit: asked.bit == (is_one == is_equal), ..asked })
    }
}
