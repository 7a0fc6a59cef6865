//! Operands, sizes, operations, guards; the last two follow [`crate::table`].

use star_value::BitVector;

use super::scan::Token;
use super::{Parsed, Parser};
use crate::check::{Check, SizeOperand};
use crate::op::{Op, Operand};
use crate::program::{HandlePart, VarId};
use crate::stmt::PrintItem;

impl Parser<'_> {
    pub(crate) fn operand(&mut self) -> Parsed<Operand> {
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

    /// A value of `print`: an operand, or the name of a vertex.
    pub(super) fn print_item(&mut self) -> Parsed<PrintItem> {
        match self.take_word("name")? {
            true => Ok(PrintItem::Name(self.operand()?)),
            false => Ok(PrintItem::Value(self.operand()?)),
        }
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

    pub(crate) fn measure(&mut self) -> Parsed<SizeOperand> {
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

    /// `"module", "name"`
    pub(crate) fn part_name(&mut self) -> Parsed<HandlePart> {
        let module = self.string("a module name")?.into();
        self.comma()?;
        Ok(HandlePart { module, name: self.string("a part name")?.into() })
    }

    /// `, "module", "name"`
    pub(super) fn next_part_name(&mut self) -> Parsed<HandlePart> {
        self.comma()?;
        self.part_name()
    }

    /// `true` or `false`.
    pub(crate) fn flag(&mut self) -> Parsed<bool> {
        let flag = self.is_word("true");
        if !flag && !self.is_word("false") {
            return self.expected("`true` or `false`");
        }
        self.advance()?;
        Ok(flag)
    }

    /// Bits in quotes.
    pub(crate) fn constant(&mut self) -> Parsed<BitVector> {
        let Token::Bits(bits) = &self.token else {
            return self.expected("a bit constant");
        };
        let bits = bits.clone();
        self.advance()?;
        Ok(bits)
    }

    /// Parses the operation `word`, whose operands follow.
    pub(super) fn op(&mut self, word: &str, at: usize) -> Parsed<Op> {
        match Op::read(word, self)? {
            Some(op) => Ok(op),
            None => {
                self.start = at;
                self.fault(format!("unknown operation `{word}`"))
            }
        }
    }

    pub(super) fn check(&mut self) -> Parsed<Check> {
        let at = self.start;
        let word = self.any_word("a guard")?;
        match Check::read(word, self)? {
            Some(check) => Ok(check),
            None => {
                self.start = at;
                self.fault(format!("unknown guard `{word}`"))
            }
        }
    }
}
