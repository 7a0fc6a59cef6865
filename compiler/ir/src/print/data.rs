//! Operands, measures, operations, guards.

use super::Printer;
use crate::check::{Check, SizeOperand};
use crate::mnemonic::Mnemonic;
use crate::op::{Op, Operand};
use crate::program::VarId;

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

    fn words(&mut self, words: &[&str]) {
        words.iter().for_each(|word| self.put(word));
        self.put(" ");
    }

    /// Variables, then operands, with commas.
    fn comma(&mut self, vars: &[VarId], operands: &[&Operand]) {
        self.list(vars, |printer, &var| printer.var(var));
        if !vars.is_empty() && !operands.is_empty() {
            self.put(", ");
        }
        self.list(operands, |printer, operand| printer.operand(operand));
    }

    fn form(&mut self, word: &str, vars: &[VarId], operands: &[&Operand]) {
        self.words(&[word]);
        self.comma(vars, operands);
    }

    pub(super) fn op(&mut self, op: &Op) {
        match op {
            Op::Copy(a) => self.form("copy", &[], &[a]),
            Op::Int(op, a, b) => self.form(op.text(), &[], &[a, b]),
            Op::Compare(relation, a, b) => self.form(relation.text(), &[], &[a, b]),
            Op::Not(a) => self.form("not", &[], &[a]),
            Op::Logic(op, a, b) => self.form(op.text(), &[], &[a, b]),
            Op::Fill(size, ones) => self.form("fill", &[], &[size, &Operand::Bool(*ones)]),
            Op::Literal(bits) => self.fmt(format_args!("literal '{bits}'")),
            Op::BitsNot(v) => self.form("bits_not", &[*v], &[]),
            Op::BitsLogic(op, v, w) => {
                self.words(&["bits_", op.text()]);
                self.comma(&[*v, *w], &[]);
            }
            Op::BitsEqual(v, w) => self.form("bits_equal", &[*v, *w], &[]),
            Op::Component(v, index) => self.form("component", &[*v], &[index]),
            Op::First(v) => self.form("first", &[*v], &[]),
            Op::Count(v) => self.form("count", &[*v], &[]),
            Op::Some(v) => self.form("some", &[*v], &[]),
            Op::All(v) => self.form("all", &[*v], &[]),
            Op::None(v) => self.form("none", &[*v], &[]),
            Op::Convert(v) => self.form("convert", &[*v], &[]),
            Op::KeepFirst(v) => self.form("keep_first", &[*v], &[]),
            Op::Mask { size, from, to } => self.form("mask", &[], &[size, from, to]),
            Op::Shift(v, direction, by) => {
                self.words(&["shift_", direction.text()]);
                self.comma(&[*v], &[by]);
            }
            Op::Rotate(v, by) => self.form("rotate", &[*v], &[by]),
            Op::Mirror(v) => self.form("mirror", &[*v], &[]),
            Op::Shuffle(v) => self.form("shuffle", &[*v], &[]),
            Op::Length(v) => self.form("length", &[*v], &[]),
            Op::Trim { word, base, width } => self.form("trim", &[*word], &[base, width]),
            Op::WordCompare(relation, v, w) => {
                self.words(&["word_", relation.text()]);
                self.comma(&[*v, *w], &[]);
            }
            Op::WordAdd(v, w) => self.form("word_add", &[*v, *w], &[]),
            Op::WordSub(v, w) => self.form("word_sub", &[*v, *w], &[]),
            Op::WordToInt(v) => self.form("word_to_int", &[*v], &[]),
            Op::IntToWord { value, width } => self.form("int_to_word", &[], &[value, width]),
            Op::Column(table, index) => self.form("column", &[*table], &[index]),
            Op::Row(table, index) => self.form("row", &[*table], &[index]),
            Op::Bit(table, row, column) => self.form("bit", &[*table], &[row, column]),
            Op::Field { table, base, width } => self.form("field", &[*table], &[base, width]),
            Op::Rows(table) => self.form("rows", &[*table], &[]),
            Op::Columns(table) => self.form("columns", &[*table], &[]),
            Op::NewTable(rows, columns) => self.form("new_table", &[], &[rows, columns]),
            Op::Extreme { table, mask, sense } => {
                self.words(&["extreme_", sense.text()]);
                self.comma(&[*table, *mask], &[]);
            }
        }
    }

    pub(super) fn check(&mut self, check: &Check) {
        match check {
            Check::Set(v) => self.form("set", &[*v], &[]),
            Check::Sized(v) => self.form("sized", &[*v], &[]),
            Check::Result(v) => self.form("result", &[*v], &[]),
            Check::Index(index, limit) => {
                self.form("index", &[], &[index]);
                self.put(", ");
                self.measure(limit);
            }
            Check::NewColumn(table, index) => self.form("new_column", &[*table], &[index]),
            Check::Size(left, right) => {
                self.put("size ");
                self.measure(left);
                self.put(", ");
                self.measure(right);
            }
            Check::Range { base, width, limit } => {
                self.form("range", &[], &[base, width]);
                self.put(", ");
                self.measure(limit);
            }
            Check::Int(op, a, b) => self.form(op.text(), &[], &[a, b]),
            Check::Bit(bit) => self.form("bit", &[], &[bit]),
            Check::NotNegative(value) => self.form("not_negative", &[], &[value]),
            Check::Fits { value, width } => self.form("fits", &[], &[value, width]),
            Check::FitsInt(v) => self.form("fits_int", &[*v], &[]),
            Check::Even(v) => self.form("even", &[*v], &[]),
            Check::NoCarry(op, v, w) => {
                self.words(&["no_carry ", op.text()]);
                self.comma(&[*v, *w], &[]);
            }
            Check::Assert(condition, message) => self.form("assert", &[], &[condition, message]),
        }
    }
}
