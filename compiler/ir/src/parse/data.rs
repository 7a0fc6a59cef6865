//! Operands, measures, operations, guards.

use super::scan::Token;
use super::{Parsed, Parser};
use crate::check::{Check, SizeOperand};
use crate::mnemonic::Mnemonic;
use crate::op::{Direction, IntOp, LogicOp, Op, Operand, Relation, Sense};
use crate::program::VarId;

impl Parser<'_> {
    pub(super) fn operand(&mut self) -> Parsed<Operand> {
        let operand = match &self.token {
            Token::Var(_) | Token::VarNumber(_) => return Ok(Operand::Var(self.var()?)),
            Token::Number(_) => return Ok(Operand::Int(self.number("an integer")?)),
            Token::Str(text) => Operand::Str(text.as_str().into()),
            Token::Word("true") => Operand::Bool(true),
            Token::Word("false") => Operand::Bool(false),
            _ => return self.expected("an operand"),
        };
        self.advance()?;
        Ok(operand)
    }

    /// `, operand`.
    pub(super) fn next_operand(&mut self) -> Parsed<Operand> {
        self.comma()?;
        self.operand()
    }

    /// `, variable`.
    pub(super) fn next_var(&mut self) -> Parsed<VarId> {
        self.comma()?;
        self.var()
    }

    pub(super) fn measure(&mut self) -> Parsed<SizeOperand> {
        if self.take_word("length")? {
            Ok(SizeOperand::Length(self.var()?))
        } else if self.take_word("rows")? {
            Ok(SizeOperand::Rows(self.var()?))
        } else if self.take_word("columns")? {
            Ok(SizeOperand::Columns(self.var()?))
        } else {
            Ok(SizeOperand::Value(self.operand()?))
        }
    }

    /// `, measure`.
    pub(super) fn next_measure(&mut self) -> Parsed<SizeOperand> {
        self.comma()?;
        self.measure()
    }

    /// The operation `word`, its operands still to come.
    #[inline(never)]
    pub(super) fn op(&mut self, word: &str, at: usize) -> Parsed<Op> {
        Ok(match word {
            "copy" => Op::Copy(self.operand()?),
            "not" => Op::Not(self.operand()?),
            "fill" => {
                let size = self.operand()?;
                self.comma()?;
                let ones = self.is_word("true");
                if !ones && !self.is_word("false") {
                    return self.expected("`true` or `false`");
                }
                self.advance()?;
                Op::Fill(size, ones)
            }
            "literal" => {
                let Token::Bits(bits) = &self.token else {
                    return self.expected("a bit constant");
                };
                let bits = bits.clone();
                self.advance()?;
                Op::Literal(bits)
            }
            "bits_not" => Op::BitsNot(self.var()?),
            "bits_equal" => Op::BitsEqual(self.var()?, self.next_var()?),
            "component" => Op::Component(self.var()?, self.next_operand()?),
            "first" => Op::First(self.var()?),
            "count" => Op::Count(self.var()?),
            "some" => Op::Some(self.var()?),
            "all" => Op::All(self.var()?),
            "none" => Op::None(self.var()?),
            "convert" => Op::Convert(self.var()?),
            "keep_first" => Op::KeepFirst(self.var()?),
            "mask" => Op::Mask {
                size: self.operand()?,
                from: self.next_operand()?,
                to: self.next_operand()?,
            },
            "rotate" => Op::Rotate(self.var()?, self.next_operand()?),
            "mirror" => Op::Mirror(self.var()?),
            "shuffle" => Op::Shuffle(self.var()?),
            "length" => Op::Length(self.var()?),
            "trim" => Op::Trim {
                word: self.var()?,
                base: self.next_operand()?,
                width: self.next_operand()?,
            },
            "word_add" => Op::WordAdd(self.var()?, self.next_var()?),
            "word_sub" => Op::WordSub(self.var()?, self.next_var()?),
            "word_to_int" => Op::WordToInt(self.var()?),
            "int_to_word" => Op::IntToWord { value: self.operand()?, width: self.next_operand()? },
            "column" => Op::Column(self.var()?, self.next_operand()?),
            "row" => Op::Row(self.var()?, self.next_operand()?),
            "bit" => Op::Bit(self.var()?, self.next_operand()?, self.next_operand()?),
            "field" => Op::Field {
                table: self.var()?,
                base: self.next_operand()?,
                width: self.next_operand()?,
            },
            "rows" => Op::Rows(self.var()?),
            "columns" => Op::Columns(self.var()?),
            "new_table" => Op::NewTable(self.operand()?, self.next_operand()?),
            _ => return self.composed_op(word, at),
        })
    }

    /// The operations whose word says an argument too: `add`, `bits_and`, `shift_up`.
    fn composed_op(&mut self, word: &str, at: usize) -> Parsed<Op> {
        if let Some(op) = IntOp::from_text(word) {
            return Ok(Op::Int(op, self.operand()?, self.next_operand()?));
        }
        if let Some(relation) = Relation::from_text(word) {
            return Ok(Op::Compare(relation, self.operand()?, self.next_operand()?));
        }
        if let Some(op) = LogicOp::from_text(word) {
            return Ok(Op::Logic(op, self.operand()?, self.next_operand()?));
        }
        if let Some(op) = word.strip_prefix("bits_").and_then(LogicOp::from_text) {
            return Ok(Op::BitsLogic(op, self.var()?, self.next_var()?));
        }
        if let Some(direction) = word.strip_prefix("shift_").and_then(Direction::from_text) {
            return Ok(Op::Shift(self.var()?, direction, self.next_operand()?));
        }
        if let Some(relation) = word.strip_prefix("word_").and_then(Relation::from_text) {
            return Ok(Op::WordCompare(relation, self.var()?, self.next_var()?));
        }
        if let Some(sense) = word.strip_prefix("extreme_").and_then(Sense::from_text) {
            return Ok(Op::Extreme { table: self.var()?, mask: self.next_var()?, sense });
        }
        self.start = at;
        self.fault(format!("no operation is named `{word}`"))
    }

    #[inline(never)]
    pub(super) fn check(&mut self) -> Parsed<Check> {
        let at = self.start;
        let word = self.any_word("a guard")?;
        Ok(match word {
            "set" => Check::Set(self.var()?),
            "sized" => Check::Sized(self.var()?),
            "result" => Check::Result(self.var()?),
            "index" => Check::Index(self.operand()?, self.next_measure()?),
            "new_column" => Check::NewColumn(self.var()?, self.next_operand()?),
            "size" => Check::Size(self.measure()?, self.next_measure()?),
            "range" => Check::Range {
                base: self.operand()?,
                width: self.next_operand()?,
                limit: self.next_measure()?,
            },
            "bit" => Check::Bit(self.operand()?),
            "not_negative" => Check::NotNegative(self.operand()?),
            "fits" => Check::Fits { value: self.operand()?, width: self.next_operand()? },
            "fits_int" => Check::FitsInt(self.var()?),
            "even" => Check::Even(self.var()?),
            "no_carry" => {
                let op = self.mnemonic("`add` or `sub`")?;
                Check::NoCarry(op, self.var()?, self.next_var()?)
            }
            "assert" => Check::Assert(self.operand()?, self.next_operand()?),
            _ => match IntOp::from_text(word) {
                Some(op) => Check::Int(op, self.operand()?, self.next_operand()?),
                None => {
                    self.start = at;
                    return self.fault(format!("no guard is named `{word}`"));
                }
            },
        })
    }
}
