//! Operations, guards, costs and sizes: one instruction each, fused with the preceding one where
//! that is faster.

use star_ir::analysis::liveness::Liveness;
use star_ir::{Check, LocId, Op, Operand, Query, SizeOp, SizeOperand, VarId};

use super::super::class::Class;
use super::super::inst::{BitsInst, Inst, SizeInst, TableInst};
use super::super::operand::{Pc, Reg, RegRef, Size, Test};
use super::{Compiler, peephole};
use crate::tape::table2;

impl Compiler<'_> {
    pub(super) fn cost(&mut self, units: u64, times: Option<&SizeOperand>) {
        let inst = match (u32::try_from(units), times) {
            (Ok(units), None) => Inst::Cost { units },
            (_, times) => {
                let times = match times {
                    Some(times) => self.size(times),
                    None => Size::Value(self.constant(1)),
                };
                Inst::CostTimes { units: self.constant(units as i64), times }
            }
        };
        self.emit(inst);
    }

    pub(super) fn size_op(&mut self, op: &SizeOp) {
        let inst = match op {
            SizeOp::Latch { dst, size } => {
                SizeInst::Latch { dst: self.reg(*dst), size: self.size(size) }
            }
            SizeOp::SetRows { table, rows } => {
                SizeInst::SetRows { table: self.reg(*table), rows: self.size(rows) }
            }
            SizeOp::EnsureColumns { table, columns } => {
                SizeInst::EnsureColumns { table: self.reg(*table), columns: self.size(columns) }
            }
            SizeOp::Init { table, rows, columns } => {
                let (rows, columns) = (self.number(rows), self.number(columns));
                SizeInst::Init { table: self.reg(*table), rows, columns }
            }
            SizeOp::Adapt { bits, size } => {
                SizeInst::Adapt { bits: self.reg(*bits), size: self.number(size) }
            }
            SizeOp::Fix { bits, size } => {
                SizeInst::Fix { bits: self.reg(*bits), size: self.number(size) }
            }
            SizeOp::Unset(var) => {
                self.emit(Inst::Unset(self.place(*var)));
                return;
            }
        };
        self.emit(Inst::Size(inst));
    }

    /// Returns the test of a guard.
    pub(super) fn test(&mut self, check: &Check) -> Test {
        let is_set = |var: VarId| match self.place(var) {
            RegRef::Int(reg) | RegRef::Bool(reg) => Test::NumberSet(reg),
            RegRef::Slice(reg) | RegRef::Word(reg) => Test::BitsSet(reg),
            RegRef::Table(reg) => Test::TableSet(reg),
            RegRef::Handle(reg) => Test::HandleSet(reg),
            RegRef::Text(reg) => Test::TextSet(reg),
        };
        match check {
            Check::Set(var) | Check::Result(var) => is_set(*var),
            Check::HandlePart(handle, part) => Test::HandlePart(self.reg(*handle), self.part(part)),
            Check::Sized(var) => match self.place(*var).bits() {
                Some(reg) => Test::BitsSized(reg),
                None => is_set(*var),
            },
            Check::Index(index, limit) => Test::Index(self.number(index), self.size(limit)),
            Check::NewColumn(table, index) => Test::NewColumn(self.reg(*table), self.number(index)),
            Check::Size(left, right) => Test::Size(self.size(left), self.size(right)),
            Check::Range { base, width, limit } => Test::Range {
                base: self.number(base),
                width: self.number(width),
                limit: self.size(limit),
            },
            Check::Int(op, left, right) => Test::Int(*op, self.number(left), self.number(right)),
            Check::Bit(number) => Test::Bit(self.number(number)),
            Check::NotNegative(number) => Test::NotNegative(self.number(number)),
            Check::Fits { value, width } => {
                Test::Fits { value: self.number(value), width: self.number(width) }
            }
            Check::FitsRow { row, width } => {
                Test::FitsRow { row: self.number(row), width: self.number(width) }
            }
            Check::FitsInt(word) => Test::FitsInt(self.reg(*word)),
            Check::Even(bits) => Test::Even(self.reg(*bits)),
            Check::NoCarry(op, left, right) => {
                Test::NoCarry(*op, self.reg(*left), self.reg(*right))
            }
            Check::Assert(condition, _) => Test::Holds(self.number(condition)),
        }
    }

    pub(super) fn check(&mut self, check: &Check) {
        let test = self.test(check);
        if peephole::is_known(&self.code.insts[self.settled..], test) {
            // The last instruction of the straight run was executed equally often.
            self.code.covered.push((self.code.insts.len() as Pc - 1, self.loc));
            return;
        }
        self.code.checks.push(check.clone());
        let check = self.code.checks.len() as u32 - 1;
        self.emit(Inst::Guard { test, check });
    }

    pub(super) fn assign(&mut self, var: VarId, op: &Op) {
        let dst = self.reg(var);
        let inst = match op {
            Op::Copy(operand) => match (self.place(var), operand) {
                (RegRef::Slice(_) | RegRef::Word(_), Operand::Var(src)) => {
                    Inst::Bits(BitsInst::Copy { dst, src: self.reg(*src) })
                }
                (RegRef::Table(_), Operand::Var(src)) => {
                    Inst::Table(TableInst::Copy { dst, src: self.reg(*src) })
                }
                (RegRef::Handle(_), Operand::Var(src)) => {
                    Inst::Table(TableInst::CopyHandle { dst, src: self.reg(*src) })
                }
                (RegRef::Text(_), Operand::Var(src)) => Inst::CopyText { dst, src: self.reg(*src) },
                (RegRef::Text(_), constant) => {
                    self.code.prints.push(vec![constant.clone().into()]);
                    Inst::SetText { dst, text: self.code.prints.len() as u32 - 1 }
                }
                (
                    RegRef::Int(_)
                    | RegRef::Bool(_)
                    | RegRef::Slice(_)
                    | RegRef::Word(_)
                    | RegRef::Table(_)
                    | RegRef::Handle(_),
                    operand,
                ) => Inst::Set { dst, value: self.number(operand) },
            },
            Op::Int(op, left, right) => {
                Inst::Int { op: *op, dst, left: self.number(left), right: self.number(right) }
            }
            Op::Compare(relation, left, right) => Inst::Compare {
                relation: *relation,
                dst,
                left: self.number(left),
                right: self.number(right),
            },
            Op::Not(of) => Inst::Not { dst, of: self.number(of) },
            Op::Logic(op, left, right) => {
                Inst::Logic { op: *op, dst, left: self.number(left), right: self.number(right) }
            }
            Op::Fill(len, bit) => {
                Inst::Bits(BitsInst::Fill { dst, len: self.number(len), bit: *bit })
            }
            Op::Literal(bits) => {
                self.code.literals.push(bits.clone());
                Inst::Literal { dst, literal: self.code.literals.len() as u32 - 1 }
            }
            Op::BitsNot(x) => Inst::Bits(BitsInst::Not { dst, src: self.reg(*x) }),
            Op::BitsLogic(op, x, y) => {
                let table = table2(|a, b| op.apply(a, b));
                Inst::Lut2 { table, dst, left: self.reg(*x), right: self.reg(*y) }
            }
            Op::BitsEqual(x, y) => {
                Inst::Bits(BitsInst::Equal { dst, left: self.reg(*x), right: self.reg(*y) })
            }
            Op::Component(x, index) => Inst::Bits(BitsInst::Component {
                dst,
                bits: self.reg(*x),
                index: self.number(index),
            }),
            Op::Query(query, x) => Inst::Query { query: *query, dst, of: self.reg(*x) },
            Op::Convert(x) => Inst::Bits(BitsInst::Copy { dst, src: self.reg(*x) }),
            Op::KeepFirst(x) => Inst::Bits(BitsInst::KeepFirst { dst, src: self.reg(*x) }),
            Op::Mask { size, from, to } => Inst::Bits(BitsInst::Mask {
                dst,
                size: self.number(size),
                from: self.number(from),
                to: self.number(to),
            }),
            Op::Shift(x, direction, by) => Inst::Bits(BitsInst::Shift {
                dst,
                src: self.reg(*x),
                direction: *direction,
                by: self.number(by),
            }),
            Op::Rotate(x, by) => {
                Inst::Bits(BitsInst::Rotate { dst, src: self.reg(*x), by: self.number(by) })
            }
            Op::Mirror(x) => Inst::Bits(BitsInst::Mirror { dst, src: self.reg(*x) }),
            Op::Shuffle(x) => Inst::Bits(BitsInst::Shuffle { dst, src: self.reg(*x) }),
            Op::Length(x) => Inst::SizeOperand { dst, size: Size::Length(self.reg(*x)) },
            Op::Trim { word, base, width } => Inst::Bits(BitsInst::Trim {
                dst,
                word: self.reg(*word),
                base: self.number(base),
                width: self.number(width),
            }),
            Op::WordCompare(relation, v, w) => Inst::Bits(BitsInst::CompareWords {
                relation: *relation,
                dst,
                left: self.reg(*v),
                right: self.reg(*w),
            }),
            Op::WordAdd(v, w) => {
                Inst::Bits(BitsInst::AddWords { dst, left: self.reg(*v), right: self.reg(*w) })
            }
            Op::WordSub(v, w) => {
                Inst::Bits(BitsInst::SubWords { dst, left: self.reg(*v), right: self.reg(*w) })
            }
            Op::WordToInt(w) => Inst::Bits(BitsInst::WordToInt { dst, word: self.reg(*w) }),
            Op::IntToWord { value, width } => Inst::Bits(BitsInst::IntToWord {
                dst,
                value: self.number(value),
                width: self.number(width),
            }),
            Op::Column(table, index) => {
                Inst::Column { dst, table: self.reg(*table), index: self.number(index) }
            }
            Op::Row(table, index) => {
                Inst::Row { dst, table: self.reg(*table), index: self.number(index) }
            }
            Op::Bit(table, row, column) => Inst::Table(TableInst::Bit {
                dst,
                table: self.reg(*table),
                row: self.number(row),
                column: self.number(column),
            }),
            Op::Field { table, base, width } => Inst::Table(TableInst::Field {
                dst,
                table: self.reg(*table),
                base: self.number(base),
                width: self.number(width),
                may_view: self.views.contains(&var),
            }),
            Op::Rows(table) => Inst::SizeOperand { dst, size: Size::Rows(self.reg(*table)) },
            Op::Columns(table) => Inst::SizeOperand { dst, size: Size::Columns(self.reg(*table)) },
            Op::NewTable(rows, columns) => Inst::Table(TableInst::New {
                dst,
                rows: self.number(rows),
                columns: self.number(columns),
            }),
            Op::HandlePart(handle, part) => {
                let (handle, part) = (self.reg(*handle), self.part(part));
                Inst::Table(TableInst::Part { dst, handle, part })
            }
            Op::Extreme { table, mask, sense } => Inst::Table(TableInst::Extreme {
                dst,
                table: self.reg(*table),
                mask: self.reg(*mask),
                sense: *sense,
                first: false,
            }),
        };
        if let Inst::Query { query: Query::Any | Query::None | Query::First, of, .. } = inst {
            self.only_first(of);
        }
        self.fused(inst);
    }

    /// Records that only the first one of a slice is used. If MIN or MAX has just produced the
    /// slice and it is dead afterwards, the instruction needs to find only that one.
    fn only_first(&mut self, of: Reg) {
        if !self.options.optimise {
            return;
        }
        let is_guard = |inst: &&mut Inst| matches!(inst.class(), Class::Guard(_) | Class::Cost);
        let mut run = self.code.insts[self.settled..].iter_mut().rev().skip_while(is_guard);
        if let Some(Inst::Table(TableInst::Extreme { dst, first, .. })) = run.next()
            && *dst == of
        {
            let (program, id, at) = (self.program, self.code.id, self.at);
            let liveness = self.liveness.get_or_insert_with(|| Liveness::of(program, id));
            let var = self.code.places.iter().position(|place| place.bits() == Some(of));
            *first = var.is_some_and(|var| !liveness.is_live_after(at, VarId(var as u32)));
        }
    }

    /// Emits an instruction, fused with the one that produced its operand if the operand has no
    /// other use.
    fn fused(&mut self, inst: Inst) {
        let mut inst = inst;
        loop {
            let temporary = |reg: Reg| self.temporaries.contains(&reg);
            let run = match self.options.optimise {
                true => &self.code.insts[self.settled..],
                false => &[],
            };
            let Some((at, fused)) = peephole::fuse(run, inst, temporary) else { break };
            self.fuse_into_next(self.settled + at);
            inst = fused;
        }
        let inst = self.counted(inst);
        self.emit(inst);
    }

    /// Removes an instruction whose work the next one also does.
    pub(super) fn fuse_into_next(&mut self, at: usize) {
        self.code.insts.remove(at);
        let loc = self.code.locs.remove(at);
        self.code.summary.fused += 1;
        self.covers(at, loc);
    }

    /// Records that the next instruction also does the work of the removed one, which had the
    /// number `removed` and the location `loc`.
    fn covers(&mut self, removed: usize, loc: LocId) {
        let (removed, next) = (removed as Pc, self.code.insts.len() as Pc);
        let covered = &mut self.code.covered;
        // The entries are in the order of the instructions.
        let begin = covered.partition_point(|(pc, _)| *pc < removed);
        let tail = covered.split_off(begin);
        let (moved, kept): (Vec<_>, Vec<_>) = tail.into_iter().partition(|(pc, _)| *pc == removed);
        covered.extend(kept.into_iter().map(|(pc, loc)| (pc - 1, loc)));
        covered.extend(moved.into_iter().map(|(_, loc)| (next, loc)));
        covered.push((next, loc));
    }
}
