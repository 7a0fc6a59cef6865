//! Operands, sizes, operations, guards; the last two follow [`crate::table`].

use super::Printer;
use crate::check::{Check, SizeOperand};
use crate::op::{Op, Operand};
use crate::program::HandlePart;
use crate::table::Field;

impl Printer<'_> {
    pub(super) fn operand(&mut self, operand: &Operand) {
        match operand {
            Operand::Var(v) => self.var(*v),
            Operand::Int(n) => self.fmt(format_args!("{n}")),
            Operand::Bool(b) => self.fmt(format_args!("{b}")),
            Operand::Str(text) => self.string(text),
        }
    }

    pub(super) fn measure(&mut self, measure: &SizeOperand) {
        let (word, var) = match measure {
            SizeOperand::Length(v) => ("length ", v),
            SizeOperand::Rows(v) => ("rows ", v),
            SizeOperand::Columns(v) => ("columns ", v),
            SizeOperand::Value(value) => return self.operand(value),
        };
        self.put(word);
        self.var(*var);
    }

    pub(super) fn op(&mut self, op: &Op) {
        self.words(op.word());
        let mut started = false;
        op.fields(&mut |field| self.field(field, &mut started));
    }

    pub(super) fn check(&mut self, check: &Check) {
        self.words(check.word());
        let mut started = false;
        check.fields(&mut |field| self.field(field, &mut started));
    }

    fn words(&mut self, words: [&str; 2]) {
        words.iter().for_each(|word| self.put(word));
        self.put(" ");
    }

    /// `"module", "name"`
    pub(super) fn part_name(&mut self, part: &HandlePart) {
        let HandlePart { module, name } = part;
        self.string(module);
        self.put(", ");
        self.string(name);
    }

    /// Prints a field; `started` says whether another one precedes it.
    fn field(&mut self, field: Field<'_>, started: &mut bool) {
        if let Field::Word(word) = field {
            return self.words([word, ""]);
        }
        if std::mem::replace(started, true) {
            self.put(", ");
        }
        match field {
            Field::Read(var, _) | Field::Alike(var) | Field::Measured(var, _) => self.var(var),
            Field::Scalar(operand, _) => self.operand(operand),
            Field::Size(size) => self.measure(size),
            Field::Flag(flag) => self.fmt(format_args!("{flag}")),
            Field::Part(part) => self.part_name(part),
            Field::Constant(bits) => self.fmt(format_args!("'{bits}'")),
            Field::Word(_) => {}
        }
    }
}
