//! Statements.

use super::scan::Token;
use super::{Parsed, Parser};
use crate::op::Operand;
use crate::program::VarId;
use crate::stmt::{Arg, ForallRange, Part, PartKind, Reduction, Simple, SizeOp, Stmt, StmtKind};

impl Parser<'_> {
    pub(super) fn statement(&mut self) -> Parsed<Stmt> {
        let at = self.start;
        if matches!(self.token, Token::Var(_) | Token::VarNumber(_)) {
            return self.assignment();
        }
        match self.any_word("a statement")? {
            "for" => self.for_loop(),
            "while" => self.while_loop(),
            "foreach" => self.foreach_loop(),
            "forall" => self.forall(),
            "kernel" => self.kernel(),
            "if" => self.choice(),
            "block" => self.labelled_block(),
            word => self.plain(word, at),
        }
    }

    fn stmt(&mut self, kind: impl Into<StmtKind>) -> Parsed<Stmt> {
        let loc = self.loc()?;
        Ok(Stmt { kind: kind.into(), loc })
    }

    /// `%x = …`.
    #[inline(never)]
    fn assignment(&mut self) -> Parsed<Stmt> {
        let dst = self.var()?;
        self.mark("=")?;
        let at = self.start;
        let kind = match self.any_word("an operation")? {
            "step" => Simple::Step { dst, bits: self.var()? },
            "call" => Simple::Call { callee: self.callee()?, args: self.args()?, dst: Some(dst) },
            "read" => {
                let file = self.operand()?;
                let layout = if self.take_word("layout")? { Some(self.operand()?) } else { None };
                Simple::Read { dst, file, layout }
            }
            "exchange_row" => {
                let (table, index, before) =
                    (self.var()?, self.next_operand()?, self.next_operand()?);
                Simple::ExchangeRow { word: dst, table, index, before }
            }
            word => Simple::Assign(dst, self.op(word, at)?),
        };
        self.stmt(kind)
    }

    /// Parses a statement without blocks.
    #[inline(never)]
    fn plain(&mut self, word: &str, at: usize) -> Parsed<Stmt> {
        let kind = match word {
            "break" => {
                let label = self.label()?;
                return self.stmt(StmtKind::Break(label));
            }
            "continue" => {
                let label = self.label()?;
                return self.stmt(StmtKind::Continue(label));
            }
            "exit" => return self.stmt(StmtKind::Exit),
            "put" => Simple::Put {
                bits: self.var()?,
                index: self.next_operand()?,
                bit: self.next_operand()?,
            },
            "replace" => Simple::Replace {
                word: self.var()?,
                base: self.next_operand()?,
                value: self.next_var()?,
            },
            "put_column" => Simple::PutColumn {
                table: self.var()?,
                index: self.next_operand()?,
                value: self.next_var()?,
            },
            "put_row" => Simple::PutRow {
                table: self.var()?,
                index: self.next_operand()?,
                value: self.next_var()?,
            },
            "put_bit" => Simple::PutBit {
                table: self.var()?,
                row: self.next_operand()?,
                column: self.next_operand()?,
                bit: self.next_operand()?,
            },
            "put_field" => Simple::PutField {
                table: self.var()?,
                base: self.next_operand()?,
                value: self.next_var()?,
            },
            "put_handle_part" => Simple::PutHandlePart {
                handle: self.var()?,
                part: self.next_part_name()?,
                value: self.next_var()?,
            },
            "latch" => Simple::Size(SizeOp::Latch { dst: self.var()?, size: self.next_measure()? }),
            "set_rows" => {
                Simple::Size(SizeOp::SetRows { table: self.var()?, rows: self.next_measure()? })
            }
            "ensure_columns" => Simple::Size(SizeOp::EnsureColumns {
                table: self.var()?,
                columns: self.next_measure()?,
            }),
            "init" => Simple::Size(SizeOp::Init {
                table: self.var()?,
                rows: self.next_operand()?,
                columns: self.next_operand()?,
            }),
            "adapt" => {
                Simple::Size(SizeOp::Adapt { bits: self.var()?, size: self.next_operand()? })
            }
            "unset" => Simple::Size(SizeOp::Unset(self.var()?)),
            "fix" => Simple::Size(SizeOp::Fix { bits: self.var()?, size: self.next_operand()? }),
            "check" => Simple::Check(self.check()?),
            "cost" => {
                let units = self.number("a number of units")?;
                let times = if self.take_word("times")? { Some(self.measure()?) } else { None };
                Simple::Cost { units, times }
            }
            "call" => Simple::Call { callee: self.callee()?, args: self.args()?, dst: None },
            "print" => {
                let mut values = Vec::new();
                if !matches!(self.token, Token::Loc(_)) {
                    values.push(self.print_item()?);
                    while self.take_mark(",")? {
                        values.push(self.print_item()?);
                    }
                }
                Simple::Print(values)
            }
            "write" => Simple::Write { src: self.var()?, file: self.next_operand()? },
            "exchange" => {
                let op = self.mnemonic("a reduction")?;
                Simple::Exchange { op, word: self.var()? }
            }

            _ => {
                self.start = at;
                return self.fault(format!("unknown statement `{word}`"));
            }
        };
        self.stmt(kind)
    }

    fn args(&mut self) -> Parsed<Vec<Arg>> {
        self.mark("(")?;
        self.list(")", |parser| {
            let at = parser.start;
            match parser.any_word("`value`, `move` or `ref`")? {
                "value" => Ok(Arg::Value(parser.operand()?)),
                "move" => Ok(Arg::Move(parser.var()?)),
                "ref" => Ok(Arg::Ref(parser.var()?)),
                other => {
                    parser.start = at;
                    parser.fault(format!("expected `value`, `move` or `ref`, found `{other}`"))
                }
            }
        })
    }

    #[inline(never)]
    fn for_loop(&mut self) -> Parsed<Stmt> {
        let label = self.label()?;
        let var = self.var()?;
        self.mark("=")?;
        let from = self.operand()?;
        let down = self.take_word("downto")?;
        if !down {
            self.word("to")?;
        }
        let to = self.operand()?;
        let loc = self.loc()?;
        let body = self.block()?;
        let kind = StmtKind::For { label, var, from, to, down, body };
        Ok(Stmt { kind, loc })
    }

    #[inline(never)]
    fn while_loop(&mut self) -> Parsed<Stmt> {
        let label = self.label()?;
        let loc = self.loc()?;
        let head = self.block()?;
        self.word("test")?;
        let test = self.operand()?;
        let body = self.block()?;
        let kind = StmtKind::While { label, head, test, body };
        Ok(Stmt { kind, loc })
    }

    #[inline(never)]
    fn foreach_loop(&mut self) -> Parsed<Stmt> {
        let label = self.label()?;
        let var = self.var()?;
        self.word("in")?;
        let over = self.var()?;
        let loc = self.loc()?;
        let body = self.block()?;
        let kind = StmtKind::Foreach { label, var, over, body };
        Ok(Stmt { kind, loc })
    }

    #[inline(never)]
    fn forall(&mut self) -> Parsed<Stmt> {
        let label = self.label()?;
        let var = self.var()?;
        let range = if self.take_word("in")? {
            ForallRange::Ones(self.var()?)
        } else {
            self.mark("=")?;
            let from = self.operand()?;
            self.word("to")?;
            ForallRange::Range(from, self.operand()?)
        };
        let writes = self.bracketed("writes", Self::part)?;
        let privates = self.privates()?;
        let reductions = self.bracketed("reductions", |parser| {
            let op = parser.mnemonic("a reduction")?;
            let var = parser.var()?;
            Ok(Reduction { var, op })
        })?;
        let loc = self.loc()?;
        let body = self.block()?;
        let kind = StmtKind::Forall { label, var, range, writes, privates, reductions, body };
        Ok(Stmt { kind, loc })
    }

    fn part(&mut self) -> Parsed<Part> {
        let at = self.start;
        let word = self.any_word("`column`, `row`, `field` or `component`")?;
        let var = self.var()?;
        let kind = match word {
            "column" => PartKind::Column,
            "row" => PartKind::Row,
            "component" => PartKind::Component,
            "field" => {
                let width = self.operand()?;
                let is_behind = self.take_word("behind")?;
                let base = if is_behind { self.operand()? } else { Operand::Int(0) };
                PartKind::Field { base, width }
            }
            other => {
                self.start = at;
                return self.fault(format!("unknown part `{other}`"));
            }
        };
        Ok(Part { var, kind })
    }

    fn privates(&mut self) -> Parsed<Vec<VarId>> {
        self.bracketed("privates", Self::var)
    }

    #[inline(never)]
    fn choice(&mut self) -> Parsed<Stmt> {
        let test = self.operand()?;
        let loc = self.loc()?;
        let then = self.block()?;
        let otherwise = if self.take_word("else")? { self.block()? } else { Vec::new() };
        let kind = StmtKind::If { test, then, otherwise };
        Ok(Stmt { kind, loc })
    }

    #[inline(never)]
    fn labelled_block(&mut self) -> Parsed<Stmt> {
        let label = self.label()?;
        let loc = self.loc()?;
        let body = self.block()?;
        let kind = StmtKind::Block { label, body };
        Ok(Stmt { kind, loc })
    }
}
