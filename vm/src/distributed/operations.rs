//! Operations, stores, sizes and guards on the rows of a rank.

use star_ir::{
    Check, IntOp, NamedSize, Names, Op, Operand, Query, ReductionOp, Relation, Sense, Simple,
    SizeOp, SizeOperand, Ty, VarId,
};

use super::emit::{Rewriter, Step};

impl Rewriter<'_> {
    /// Returns a slice or word with this value that is a slice or not as required.
    fn like(&mut self, var: VarId, slice: bool) -> Step<VarId> {
        match (self.is_slice(var), slice) {
            (true, false) => {
                let word = self.new_word();
                self.gather(var, word)?;
                Ok(word)
            }
            (false, true) => {
                let slice = self.new_slice();
                self.scatter(var, slice)?;
                Ok(slice)
            }
            (true, true) | (false, false) => Ok(var),
        }
    }

    /// Sets a slice, and its size on all ranks to that of another slice or table.
    fn set_like(&mut self, dst: VarId, op: Op, like: VarId) -> Step<()> {
        self.set(dst, op);
        let (all, like) = (self.all_of(dst)?, self.all_of(like)?);
        if all != like {
            self.copy(all, Operand::Var(like));
        }
        Ok(())
    }

    /// Runs an operation that moves components on whole words.
    fn moved(&mut self, dst: VarId, of: VarId, op: impl FnOnce(VarId) -> Op) -> Step<()> {
        let whole = self.like(of, false)?;
        let moved = self.new_word();
        self.set(moved, op(whole));
        self.scatter(moved, dst)
    }

    pub(super) fn assign(&mut self, dst: VarId, op: &Op) -> Step<()> {
        let extreme = self.extremes.iter().find(|(var, _)| *var == dst).copied();
        if let (Some((_, relation)), Op::Copy(value)) = (extreme, op) {
            let is_better = self.compare(relation, value.clone(), Operand::Var(dst));
            let keep = |this: &mut Self| {
                this.copy(dst, value.clone());
                Ok(())
            };
            return self.branch(is_better, keep, |_| Ok(()));
        }
        let to_slice = self.is_slice(dst);
        match op {
            Op::Copy(Operand::Var(of)) if self.is_divided(*of) || self.is_divided(dst) => {
                let of = match self.ty(*of) {
                    Ty::Table(..) => *of,
                    _ => self.like(*of, to_slice)?,
                };
                match self.is_divided(dst) {
                    true => self.set_like(dst, Op::Copy(Operand::Var(of)), of)?,
                    false => self.set(dst, Op::Copy(Operand::Var(of))),
                }
            }
            Op::Fill(size, bit) if to_slice => {
                let all = self.all_of(dst)?;
                self.copy(all, size.clone());
                let own = self.own(Operand::Var(all))?;
                self.set(dst, Op::Fill(Operand::Var(own.n), *bit));
            }
            Op::Literal(_) if to_slice => {
                let word = self.new_word();
                self.set(word, op.clone());
                self.scatter(word, dst)?;
            }
            Op::BitsNot(of) if to_slice || self.is_slice(*of) => {
                let of = self.like(*of, to_slice)?;
                match to_slice {
                    true => self.set_like(dst, Op::BitsNot(of), of)?,
                    false => self.set(dst, Op::BitsNot(of)),
                }
            }
            Op::BitsLogic(op, left, right)
                if to_slice || self.is_slice(*left) || self.is_slice(*right) =>
            {
                let (left, right) = (self.like(*left, to_slice)?, self.like(*right, to_slice)?);
                match to_slice {
                    true => self.set_like(dst, Op::BitsLogic(*op, left, right), left)?,
                    false => self.set(dst, Op::BitsLogic(*op, left, right)),
                }
            }
            Op::BitsEqual(left, right) if self.is_slice(*left) || self.is_slice(*right) => {
                let (left, right) = (self.like(*left, true)?, self.like(*right, true)?);
                let equal = self.truth(Op::BitsEqual(left, right));
                let differ = self.truth(Op::Not(Operand::Var(equal)));
                self.exchange_truth(differ)?;
                self.set(dst, Op::Not(Operand::Var(differ)));
            }
            Op::Component(of, index) if self.is_slice(*of) => {
                let found = self.int(Op::Copy(Operand::Int(0)));
                let (index, is_here) = self.inside(*of, index)?;
                let read = |this: &mut Self| {
                    this.set(found, Op::Component(*of, Operand::Var(index)));
                    Ok(())
                };
                self.branch(is_here, read, |_| Ok(()))?;
                self.exchange(found, ReductionOp::Or);
                self.copy(dst, Operand::Var(found));
            }
            Op::Query(query, of) if self.is_slice(*of) => self.query(dst, *query, *of)?,
            Op::Convert(of) if to_slice || self.is_slice(*of) => {
                match (to_slice, self.is_slice(*of)) {
                    (true, true) => self.set_like(dst, Op::Copy(Operand::Var(*of)), *of)?,
                    (true, false) => self.scatter(*of, dst)?,
                    (false, _) => self.gather(*of, dst)?,
                }
            }
            Op::KeepFirst(of) if to_slice => {
                let of = self.like(*of, true)?;
                let first = self.first(of)?;
                let (index, is_here) = self.inside(of, &Operand::Var(first))?;
                let made = self.new_slice();
                let own = self.own_of(of)?;
                self.set_like(made, Op::Fill(Operand::Var(own.n), false), of)?;
                let mark = |this: &mut Self| {
                    let (index, bit) = (Operand::Var(index), Operand::Int(1));
                    this.emit(Simple::Put { bits: made, index, bit });
                    Ok(())
                };
                self.branch(is_here, mark, |_| Ok(()))?;
                self.set_like(dst, Op::Copy(Operand::Var(made)), made)?;
            }
            Op::Mask { .. } if to_slice => {
                let word = self.new_word();
                self.set(word, op.clone());
                self.scatter(word, dst)?;
            }
            Op::Shift(of, direction, by) if to_slice => {
                self.moved(dst, *of, |word| Op::Shift(word, *direction, by.clone()))?;
            }
            Op::Rotate(of, by) if to_slice => {
                self.moved(dst, *of, |word| Op::Rotate(word, by.clone()))?;
            }
            Op::Mirror(of) if to_slice => self.moved(dst, *of, Op::Mirror)?,
            Op::Shuffle(of) if to_slice => self.moved(dst, *of, Op::Shuffle)?,
            Op::KeepFirst(of)
            | Op::Shift(of, ..)
            | Op::Rotate(of, _)
            | Op::Mirror(of)
            | Op::Shuffle(of)
                if self.is_slice(*of) =>
            {
                return Err(
                    self.unsupported("a word made of the components of a slice in other places")
                );
            }
            Op::Length(of) if self.is_slice(*of) => {
                let all = self.all_of(*of)?;
                self.copy(dst, Operand::Var(all));
            }
            Op::Rows(of) => {
                let all = self.all_of(*of)?;
                self.copy(dst, Operand::Var(all));
            }
            Op::Column(table, index) => {
                let op = Op::Column(*table, index.clone());
                if to_slice {
                    self.set_like(dst, op, *table)?;
                } else {
                    let column = self.new_slice();
                    self.set_like(column, op, *table)?;
                    self.gather(column, dst)?;
                }
            }
            Op::Row(table, index) if to_slice => {
                let word = self.new_word();
                self.row(word, *table, index)?;
                self.scatter(word, dst)?;
            }
            Op::Row(table, index) => self.row(dst, *table, index)?,
            Op::Bit(table, row, column) => {
                let found = self.int(Op::Copy(Operand::Int(0)));
                let (row, is_here) = self.inside(*table, row)?;
                let read = |this: &mut Self| {
                    this.set(found, Op::Bit(*table, Operand::Var(row), column.clone()));
                    Ok(())
                };
                self.branch(is_here, read, |_| Ok(()))?;
                self.exchange(found, ReductionOp::Or);
                self.copy(dst, Operand::Var(found));
            }
            Op::Field { table, .. } => self.set_like(dst, op.clone(), *table)?,
            Op::NewTable(rows, columns) => {
                let all = self.all_of(dst)?;
                self.copy(all, rows.clone());
                let own = self.own(Operand::Var(all))?;
                self.set(dst, Op::NewTable(Operand::Var(own.n), columns.clone()));
            }
            Op::Extreme { table, mask, sense } => self.extreme(dst, *table, *mask, *sense)?,
            Op::HandlePart(..) => return Err(self.unsupported("handles")),
            Op::Copy(_)
            | Op::Int(..)
            | Op::Compare(..)
            | Op::Not(_)
            | Op::Logic(..)
            | Op::Fill(..)
            | Op::Literal(_)
            | Op::BitsNot(_)
            | Op::BitsLogic(..)
            | Op::BitsEqual(..)
            | Op::Component(..)
            | Op::Query(..)
            | Op::Convert(_)
            | Op::KeepFirst(_)
            | Op::Mask { .. }
            | Op::Shift(..)
            | Op::Rotate(..)
            | Op::Mirror(_)
            | Op::Shuffle(_)
            | Op::Length(_)
            | Op::Trim { .. }
            | Op::WordCompare(..)
            | Op::WordAdd(..)
            | Op::WordSub(..)
            | Op::WordToInt(_)
            | Op::IntToWord { .. }
            | Op::Columns(_) => self.set(dst, op.clone()),
        }
        Ok(())
    }

    fn query(&mut self, dst: VarId, query: Query, of: VarId) -> Step<()> {
        let (of, relation) = match query {
            Query::First => {
                let first = self.first(of)?;
                self.copy(dst, Operand::Var(first));
                return Ok(());
            }
            Query::Count => {
                let count = self.int(Op::Query(Query::Count, of));
                self.exchange(count, ReductionOp::Add);
                self.copy(dst, Operand::Var(count));
                return Ok(());
            }
            Query::Any => (of, Relation::Ne),
            Query::None => (of, Relation::Eq),
            Query::All => {
                let zeros = self.new_slice();
                self.set_like(zeros, Op::BitsNot(of), of)?;
                (zeros, Relation::Eq)
            }
        };
        let first = self.int(Op::Query(Query::First, of));
        self.exchange(first, ReductionOp::Or);
        self.set(dst, Op::Compare(relation, Operand::Var(first), Operand::Int(0)));
        Ok(())
    }

    /// Sets a word to a row, which its owner has.
    fn row(&mut self, dst: VarId, table: VarId, index: &Operand) -> Step<()> {
        let before = Operand::Var(self.own_of(table)?.before);
        self.emit(Simple::ExchangeRow { word: dst, table, index: index.clone(), before });
        Ok(())
    }

    /// MIN and MAX: the extreme of the extremes of all ranks.
    fn extreme(&mut self, dst: VarId, table: VarId, mask: VarId, sense: Sense) -> Step<()> {
        let found = self.new_slice();
        self.set_like(found, Op::Extreme { table, mask, sense }, mask)?;
        let first = self.int(Op::Query(Query::First, found));
        let is_any = self.compare(Relation::Gt, Operand::Var(first), Operand::Int(0));
        let columns = self.int(Op::Columns(table));
        let (own, best) = (self.new_word(), self.new_word());
        let (no_row, op) = match sense {
            Sense::Min => (true, ReductionOp::Min),
            Sense::Max => (false, ReductionOp::Max),
        };
        let read = |this: &mut Self| {
            this.set(own, Op::Row(table, Operand::Var(first)));
            Ok(())
        };
        let none = |this: &mut Self| {
            this.set(own, Op::Fill(Operand::Var(columns), no_row));
            Ok(())
        };
        self.branch(is_any, read, none)?;
        self.set(best, Op::Copy(Operand::Var(own)));
        self.emit(Simple::Exchange { word: best, op });
        let is_best = self.truth(Op::WordCompare(Relation::Eq, own, best));
        let keep = |this: &mut Self| this.set_like(dst, Op::Copy(Operand::Var(found)), found);
        let clear = |this: &mut Self| {
            let own = this.own_of(found)?;
            this.set_like(dst, Op::Fill(Operand::Var(own.n), false), found)
        };
        self.branch(is_best, keep, clear)
    }

    /// A store.
    pub(super) fn store(&mut self, simple: &Simple) -> Step<()> {
        match simple {
            Simple::Step { dst, bits } if self.is_slice(*bits) => {
                let first = self.first(*bits)?;
                let (index, is_here) = self.inside(*bits, &Operand::Var(first))?;
                let clear = |this: &mut Self| {
                    let (index, bit) = (Operand::Var(index), Operand::Int(0));
                    this.emit(Simple::Put { bits: *bits, index, bit });
                    Ok(())
                };
                self.branch(is_here, clear, |_| Ok(()))?;
                self.copy(*dst, Operand::Var(first));
                Ok(())
            }
            Simple::Put { bits, index, bit } if self.is_slice(*bits) => {
                let (index, is_here) = self.inside(*bits, index)?;
                let put = |this: &mut Self| {
                    let (index, bit) = (Operand::Var(index), bit.clone());
                    this.emit(Simple::Put { bits: *bits, index, bit });
                    Ok(())
                };
                self.branch(is_here, put, |_| Ok(()))
            }
            Simple::PutRow { table, index, value } => {
                let value = self.like(*value, false)?;
                let (index, is_here) = self.inside(*table, index)?;
                let put = |this: &mut Self| {
                    this.emit(Simple::PutRow { table: *table, index: Operand::Var(index), value });
                    Ok(())
                };
                self.branch(is_here, put, |_| Ok(()))
            }
            Simple::PutBit { table, row, column, bit } => {
                let (row, is_here) = self.inside(*table, row)?;
                let put = |this: &mut Self| {
                    let (row, column, bit) = (Operand::Var(row), column.clone(), bit.clone());
                    this.emit(Simple::PutBit { table: *table, row, column, bit });
                    Ok(())
                };
                self.branch(is_here, put, |_| Ok(()))
            }
            Simple::PutColumn { table, index, value } => {
                let (index, value) = (index.clone(), self.like(*value, true)?);
                self.emit(Simple::PutColumn { table: *table, index, value });
                Ok(())
            }
            other => {
                self.emit(other.clone());
                Ok(())
            }
        }
    }

    /// Runs `emit` if all these slices and tables have a known size.
    pub(super) fn if_known(
        &mut self,
        of: &[&SizeOperand],
        emit: impl FnOnce(&mut Self) -> Step<()>,
    ) -> Step<()> {
        let mut test = None;
        for size in of {
            let (SizeOperand::Length(var) | SizeOperand::Rows(var)) = size else { continue };
            let Some(all) = self.all.get(var).copied() else { continue };
            let known = self.compare(Relation::Ge, Operand::Var(all), Operand::Int(0));
            test = Some(match test {
                Some(others) => self.both(others, known),
                None => known,
            });
        }
        match test {
            Some(test) => self.branch(test, emit, |_| Ok(())),
            None => emit(self),
        }
    }

    /// Returns a size on all ranks.
    pub(super) fn measure(&self, size: &SizeOperand) -> SizeOperand {
        match size {
            SizeOperand::Length(var) | SizeOperand::Rows(var) => match self.all.get(var) {
                Some(all) => SizeOperand::Value(Operand::Var(*all)),
                None => size.clone(),
            },
            SizeOperand::Columns(_) | SizeOperand::Value(_) => size.clone(),
        }
    }

    /// Returns a known size on all ranks.
    pub(super) fn number(&mut self, size: &SizeOperand) -> Operand {
        match self.measure(size) {
            SizeOperand::Value(number) => number,
            SizeOperand::Length(word) => Operand::Var(self.int(Op::Length(word))),
            SizeOperand::Rows(table) => Operand::Var(self.int(Op::Rows(table))),
            SizeOperand::Columns(table) => Operand::Var(self.int(Op::Columns(table))),
        }
    }

    /// A change of size.
    pub(super) fn resize(&mut self, op: &SizeOp) -> Step<()> {
        match op {
            SizeOp::Latch { dst, size } => {
                let measured = self.measure(size);
                self.if_known(&[size], |this| {
                    this.emit(Simple::Size(SizeOp::Latch { dst: *dst, size: measured }));
                    Ok(())
                })
            }
            SizeOp::SetRows { table, rows } => {
                let rows = self.number(rows);
                let own = self.sized_now(*table, rows)?;
                let rows = SizeOperand::Value(Operand::Var(own));
                self.emit(Simple::Size(SizeOp::SetRows { table: *table, rows }));
                Ok(())
            }
            SizeOp::Init { table, rows, columns } => {
                let own = self.sized_now(*table, rows.clone())?;
                let (rows, columns) = (Operand::Var(own), columns.clone());
                self.emit(Simple::Size(SizeOp::Init { table: *table, rows, columns }));
                Ok(())
            }
            SizeOp::EnsureColumns { table, columns } => {
                let columns = self.measure(columns);
                self.emit(Simple::Size(SizeOp::EnsureColumns { table: *table, columns }));
                Ok(())
            }
            SizeOp::Fix { bits, size } if self.is_slice(*bits) => {
                let own = self.sized_now(*bits, size.clone())?;
                self.emit(Simple::Size(SizeOp::Fix { bits: *bits, size: Operand::Var(own) }));
                Ok(())
            }
            SizeOp::Adapt { bits, size } if self.is_slice(*bits) => self.adapt(*bits, size),
            SizeOp::Unset(var) => {
                self.emit(Simple::Size(op.clone()));
                if let Some(all) = self.all.get(var).copied() {
                    self.copy(all, Operand::Int(-1));
                }
                Ok(())
            }
            SizeOp::Fix { .. } | SizeOp::Adapt { .. } => {
                self.emit(Simple::Size(op.clone()));
                Ok(())
            }
        }
    }

    /// Gives a slice or table its size, unless it has one, and returns the part of this rank.
    fn sized_now(&mut self, var: VarId, size: Operand) -> Step<VarId> {
        let all = self.all_of(var)?;
        let unknown = self.compare(Relation::Lt, Operand::Var(all), Operand::Int(0));
        let give = |this: &mut Self| {
            this.copy(all, size);
            Ok(())
        };
        self.branch(unknown, give, |_| Ok(()))?;
        Ok(self.own(Operand::Var(all))?.n)
    }

    /// A slice of another size becomes unset, on all ranks alike.
    fn adapt(&mut self, bits: VarId, size: &Operand) -> Step<()> {
        let is_sized = self.source.vars.get(bits.0 as usize).is_some_and(|var| var.sized)
            && !self.source.params.iter().any(|param| param.var == bits);
        if is_sized {
            return Ok(());
        }
        let all = self.all_of(bits)?;
        let known = self.compare(Relation::Ge, Operand::Var(all), Operand::Int(0));
        let other = self.compare(Relation::Ne, Operand::Var(all), size.clone());
        let test = self.both(known, other);
        let unset = |this: &mut Self| {
            let n = this.int(Op::Length(bits));
            let size = this.arithmetic(IntOp::Add, Operand::Var(n), Operand::Int(1));
            this.emit(Simple::Size(SizeOp::Adapt { bits, size: Operand::Var(size) }));
            this.copy(all, Operand::Int(-1));
            Ok(())
        };
        self.branch(test, unset, |_| Ok(()))
    }

    /// Returns the name of a size in the source.
    fn named(&self, size: &SizeOperand) -> NamedSize {
        let place = self.program.locations.get(self.loc);
        NamedSize::of(size, Names { routine: self.source, place })
    }

    pub(super) fn check(&mut self, check: &Check) -> Step<()> {
        if let Check::Index(_, limit) | Check::Range { limit, .. } = check {
            let limit = self.named(limit);
            self.trap_names.note_limit(self.loc, limit);
        }
        if let Check::Size(left, right) = check {
            let pair = [self.named(left), self.named(right)];
            self.trap_names.note_pair(self.loc, pair);
        }
        match check {
            Check::Index(index, limit) => {
                let limit = self.measure(limit);
                self.emit(Simple::Check(Check::Index(index.clone(), limit)));
                Ok(())
            }
            Check::Size(left, right) => {
                let measured = Check::Size(self.measure(left), self.measure(right));
                self.if_known(&[left, right], |this| {
                    this.emit(Simple::Check(measured));
                    Ok(())
                })
            }
            Check::Range { base, width, limit } => {
                let (base, width, limit) = (base.clone(), width.clone(), self.measure(limit));
                self.emit(Simple::Check(Check::Range { base, width, limit }));
                Ok(())
            }
            Check::Even(bits) if self.is_slice(*bits) => {
                let word = self.new_word();
                self.gather(*bits, word)?;
                self.emit(Simple::Check(Check::Even(word)));
                Ok(())
            }
            Check::HandlePart(..) => Err(self.unsupported("handles")),
            Check::Set(_)
            | Check::Sized(_)
            | Check::Result(_)
            | Check::NewColumn(..)
            | Check::Int(..)
            | Check::Bit(_)
            | Check::NotNegative(_)
            | Check::Fits { .. }
            | Check::FitsRow { .. }
            | Check::FitsInt(_)
            | Check::Even(_)
            | Check::NoCarry(..)
            | Check::Assert(..) => {
                self.emit(Simple::Check(check.clone()));
                Ok(())
            }
        }
    }
}
