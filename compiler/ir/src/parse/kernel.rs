//! Kernels.

use super::scan::Token;
use super::{Parsed, Parser};
use crate::kernel::{Effect, Kernel, Line, Value, ValueId};
use crate::mnemonic::Mnemonic;
use crate::op::Query;
use crate::op::{IntOp, LogicOp, Relation};
use crate::stmt::{Stmt, StmtKind};

impl Parser<'_> {
    /// `kernel rows %T !0 { … } fallback { … }`.
    #[inline(never)]
    pub(super) fn kernel(&mut self) -> Parsed<Stmt> {
        let line = match self.any_word("`rows` or `columns`")? {
            "rows" => Line::Row,
            "columns" => Line::Column,
            _ => return self.fault("expected `rows` or `columns`"),
        };
        let (table, loc) = (self.var()?, self.loc()?);
        let mut kernel = Kernel {
            line,
            table,
            values: Vec::new(),
            effects: Vec::new(),
            guards: Vec::new(),
            cost: 0,
            fallback: Vec::new(),
        };
        self.mark("{")?;
        while !self.take_mark("}")? {
            self.kernel_line(&mut kernel)?;
        }
        self.word("fallback")?;
        kernel.fallback = self.block()?;
        Ok(Stmt { kind: StmtKind::Kernel(Box::new(kernel)), loc })
    }

    fn kernel_line(&mut self, kernel: &mut Kernel) -> Parsed<()> {
        if matches!(self.token, Token::Number(_)) {
            let number: usize = self.number("the number of a value")?;
            if number != kernel.values.len() {
                return self.fault(format!("expected value {}", kernel.values.len()));
            }
            self.mark("=")?;
            let value = self.kernel_value()?;
            kernel.values.push(value);
            return Ok(());
        }
        let effect = match self.any_word("a value, an effect, `guard` or `cost`")? {
            "guard" => {
                let guard = self.check()?;
                kernel.guards.push(guard);
                return Ok(());
            }
            "cost" => {
                let units = self.number("a number of operations")?;
                match self.when()? {
                    Some(when) => Effect::Cost { units, when },
                    None => {
                        kernel.cost = units;
                        return Ok(());
                    }
                }
            }
            "store" => {
                let (table, value) = (self.var()?, self.value_id()?);
                Effect::Store { table, value, index: self.optional("at")? }
            }
            word @ ("carry" | "result") => Effect::Carry {
                into: self.var()?,
                value: self.value_id()?,
                is_result: word == "result",
            },
            "reduce" => Effect::Reduce {
                op: self.mnemonic("a reduction")?,
                into: self.var()?,
                value: self.value_id()?,
                when: self.when()?,
            },
            "put" => Effect::Put { bits: self.var()?, value: self.value_id()?, when: self.when()? },
            other => return self.fault(format!("unknown effect `{other}`")),
        };
        kernel.effects.push(effect);
        Ok(())
    }

    fn kernel_value(&mut self) -> Parsed<Value> {
        Ok(match self.any_word("a value")? {
            "line" => Value::Line(self.var()?, self.optional("at")?),
            "whole" => Value::Whole(self.var()?),
            "fill" => Value::Fill(self.flag()?),
            "not" => Value::Not(self.value_id()?),
            "index" => Value::Index,
            "scalar" => Value::Scalar(self.operand()?),
            "component" => Value::Component(self.var()?),
            "carried" => Value::Carried(self.var()?),
            "select" => Value::Select(self.value_id()?, self.value_id()?, self.value_id()?),
            word => {
                if let Some(op) = LogicOp::from_text(word) {
                    Value::Logic(op, self.value_id()?, self.value_id()?)
                } else if let Some(query) = Query::from_text(word) {
                    Value::Query(query, self.value_id()?)
                } else if let Some(relation) = Relation::from_text(word) {
                    Value::Compare(relation, self.value_id()?, self.value_id()?)
                } else if let Some(op) = IntOp::from_text(word) {
                    Value::Int(op, self.value_id()?, self.value_id()?)
                } else {
                    return self.fault(format!("unknown value `{word}`"));
                }
            }
        })
    }

    fn when(&mut self) -> Parsed<Option<ValueId>> {
        self.optional("when")
    }

    fn optional(&mut self, word: &str) -> Parsed<Option<ValueId>> {
        match self.take_word(word)? {
            true => self.value_id().map(Some),
            false => Ok(None),
        }
    }

    fn value_id(&mut self) -> Parsed<ValueId> {
        self.number("the number of a value").map(ValueId)
    }
}
