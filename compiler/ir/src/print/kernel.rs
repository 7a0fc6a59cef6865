//! Kernels.

use super::Printer;
use crate::kernel::{Effect, Kernel, Line, Value, ValueId};
use crate::mnemonic::Mnemonic;

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
        match value {
            Value::Line(table) => {
                self.put("line ");
                self.var(*table);
            }
            Value::Whole(bits) => {
                self.put("whole ");
                self.var(*bits);
            }
            Value::Fill(bit) => self.fmt(format_args!("fill {bit}")),
            Value::Not(of) => one(self, "not", of),
            Value::Logic(op, left, right) => {
                self.fmt(format_args!("{} {} {}", op.text(), left.0, right.0));
            }
            Value::Query(query, of) => one(self, query.text(), of),
            Value::Index => self.put("index"),
            Value::Scalar(operand) => {
                self.put("scalar ");
                self.operand(operand);
            }
            Value::Component(bits) => {
                self.put("component ");
                self.var(*bits);
            }
            Value::Compare(relation, left, right) => {
                self.fmt(format_args!("{} {} {}", relation.text(), left.0, right.0));
            }
        }
    }

    fn effect(&mut self, effect: &Effect) {
        let when = match effect {
            Effect::Store { table, value } => {
                self.put("store ");
                self.var(*table);
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
        if let Some(when) = when {
            self.fmt(format_args!(" when {}", when.0));
        }
    }
}
