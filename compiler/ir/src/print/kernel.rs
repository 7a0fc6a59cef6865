//! Kernels.

use super::Printer;
use crate::kernel::{Effect, Kernel, Line, Value, ValueId};
use crate::mnemonic::Mnemonic;
use crate::program::VarId;

impl Printer<'_> {
    pub(super) fn kernel_head(&mut self, kernel: &Kernel) {
        self.put(match kernel.line {
            Line::Row => "kernel rows ",
            Line::Column => "kernel columns ",
        });
        self.var(kernel.table);
    }

    pub(super) fn kernel(&mut self, kernel: &Kernel) {
        self.put(" {");
        self.indent += 1;
        for guard in &kernel.guards {
            self.line();
            self.put("guard ");
            self.check(guard);
        }
        if kernel.cost > 0 {
            self.line();
            self.fmt(format_args!("cost {}", kernel.cost));
        }
        for (number, value) in kernel.values.iter().enumerate() {
            self.line();
            self.fmt(format_args!("{number} = "));
            self.value(value);
        }
        for effect in &kernel.effects {
            self.line();
            self.effect(effect);
        }
        self.indent -= 1;
        self.line();
        self.put("} fallback");
        self.braces(&kernel.fallback);
    }

    fn value(&mut self, value: &Value) {
        let one = |printer: &mut Self, word: &str, of: &ValueId| {
            printer.fmt(format_args!("{word} {}", of.0));
        };
        let two = |printer: &mut Self, word: &str, left: &ValueId, right: &ValueId| {
            printer.fmt(format_args!("{word} {} {}", left.0, right.0));
        };
        let of_var = |printer: &mut Self, word: &str, var: &VarId| {
            printer.put(word);
            printer.var(*var);
        };
        match value {
            Value::Line(table, index) => {
                of_var(self, "line ", table);
                self.optional("at", *index);
            }
            Value::Whole(bits) => of_var(self, "whole ", bits),
            Value::Component(bits) => of_var(self, "component ", bits),
            Value::Carried(bits) => of_var(self, "carried ", bits),
            Value::Fill(bit) => self.fmt(format_args!("fill {bit}")),
            Value::Not(of) => one(self, "not", of),
            Value::Logic(op, left, right) => two(self, op.text(), left, right),
            Value::Int(op, left, right) => two(self, op.text(), left, right),
            Value::Compare(relation, left, right) => two(self, relation.text(), left, right),
            Value::Select(test, then, otherwise) => {
                self.fmt(format_args!("select {} {} {}", test.0, then.0, otherwise.0));
            }
            Value::Query(query, of) => one(self, query.text(), of),
            Value::Index => self.put("index"),
            Value::Scalar(operand) => {
                self.put("scalar ");
                self.operand(operand);
            }
        }
    }

    fn effect(&mut self, effect: &Effect) {
        let when = match effect {
            Effect::Store { table, index, value } => {
                self.put("store ");
                self.var(*table);
                self.fmt(format_args!(" {}", value.0));
                return self.optional("at", *index);
            }
            Effect::Carry { into, value, is_result } => {
                self.put(if *is_result { "result " } else { "carry " });
                self.var(*into);
                self.fmt(format_args!(" {}", value.0));
                None
            }
            Effect::Reduce { into, op, value, when } => {
                self.fmt(format_args!("reduce {} ", op.text()));
                self.var(*into);
                self.fmt(format_args!(" {}", value.0));
                *when
            }
            Effect::Put { bits, value, when } => {
                self.put("put ");
                self.var(*bits);
                self.fmt(format_args!(" {}", value.0));
                *when
            }
            Effect::Cost { units, when } => {
                self.fmt(format_args!("cost {units}"));
                Some(*when)
            }
        };
        self.optional("when", when);
    }

    fn optional(&mut self, word: &str, id: Option<ValueId>) {
        if let Some(id) = id {
            self.fmt(format_args!(" {word} {}", id.0));
        }
    }
}
