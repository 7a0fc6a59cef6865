//! The statements of a distributed routine.

use std::collections::BTreeMap;

use star_ir::{
    Block, Extent, IntOp, LocId, LogicOp, Op, Operand, Program, Query, ReductionOp, Relation,
    Routine, Simple, Stmt, StmtKind, Ty, Var, VarId,
};

use super::trap_names::TrapNames;
use super::{Share, internal};
use crate::backend::BackendError;

/// The result of a step of the translation.
pub(super) type Step<T> = Result<T, BackendError>;

/// A routine, and the statements of the block that is being made.
pub(super) struct Rewriter<'p> {
    pub(super) program: &'p Program,
    pub(super) source: &'p Routine,
    pub(super) share: Share,
    /// The new routine, without its statements.
    pub(super) made: Routine,
    /// The number of components or rows on all ranks, for each slice and table: −1 if unknown.
    pub(super) all: BTreeMap<VarId, VarId>,
    /// Elementary operations that only this rank counts.
    pub(super) own_operations: VarId,
    /// The integers of which the iterations of a `forall` state a copy for the least or greatest.
    pub(super) extremes: Vec<(VarId, Relation)>,
    pub(super) trap_names: TrapNames,
    out: Block,
    pub(super) loc: LocId,
}

/// The rows of this rank: those before them, and their number.
#[derive(Clone, Copy)]
pub(super) struct Own {
    pub(super) before: VarId,
    pub(super) n: VarId,
}

impl<'p> Rewriter<'p> {
    pub(super) fn new(program: &'p Program, source: &'p Routine, share: Share) -> Self {
        let made = Routine { body: Block::new(), intrinsic: None, ..source.clone() };
        let mut rewriter = Rewriter {
            program,
            source,
            share,
            made,
            all: BTreeMap::new(),
            own_operations: VarId(0),
            extremes: Vec::new(),
            trap_names: TrapNames::default(),
            out: Block::new(),
            loc: source.loc,
        };
        rewriter.own_operations = rewriter.new_var("own", Ty::Int);
        for (idx, var) in source.vars.iter().enumerate() {
            if let Ty::Slice(_) | Ty::Table(..) = var.ty {
                let all = rewriter.new_var(&format!("{}.all", var.name), Ty::Int);
                rewriter.all.insert(VarId(idx as u32), all);
            }
        }
        for var in &mut rewriter.made.vars {
            var.ty = match var.ty {
                Ty::Slice(_) => Ty::Slice(Extent::Dynamic),
                Ty::Table(_, columns) => Ty::Table(Extent::Dynamic, columns),
                other => other,
            };
        }
        rewriter
    }

    /// Returns the error that a construct at the current location cannot be distributed.
    pub(super) fn unsupported(&self, what: &str) -> BackendError {
        let span = self.program.locations.get(self.loc).map(|location| location.span);
        BackendError::NotDistributed { what: what.to_owned(), span }
    }

    fn new_var(&mut self, stem: &str, ty: Ty) -> VarId {
        let number = self.made.vars.len() as u32;
        let name = format!("{stem}.r{number}");
        self.made.vars.push(Var { name, ty, source: None, sized: false });
        VarId(number)
    }

    pub(super) fn new_int(&mut self) -> VarId {
        self.new_var("rank", Ty::Int)
    }

    pub(super) fn new_word(&mut self) -> VarId {
        self.new_var("rank", Ty::Word(Extent::Dynamic))
    }

    pub(super) fn new_slice(&mut self) -> VarId {
        let slice = self.new_var("rank", Ty::Slice(Extent::Dynamic));
        let all = self.new_var("rank", Ty::Int);
        self.all.insert(slice, all);
        slice
    }

    pub(super) fn ty(&self, var: VarId) -> Ty {
        self.made.var(var).ty
    }

    pub(super) fn is_divided(&self, var: VarId) -> bool {
        self.all.contains_key(&var)
    }

    pub(super) fn is_slice(&self, var: VarId) -> bool {
        matches!(self.ty(var), Ty::Slice(_))
    }

    /// Returns the variable with the number of components or rows on all ranks.
    pub(super) fn all_of(&self, var: VarId) -> Step<VarId> {
        self.all.get(&var).copied().ok_or_else(|| internal("a size of something whole"))
    }

    pub(super) fn emit(&mut self, kind: impl Into<StmtKind>) {
        self.out.push(Stmt { kind: kind.into(), loc: self.loc });
    }

    pub(super) fn set(&mut self, dst: VarId, op: Op) {
        self.emit(Simple::Assign(dst, op));
    }

    /// Sets an integer or a truth value.
    pub(super) fn copy(&mut self, dst: VarId, from: Operand) {
        self.set(dst, Op::Copy(from));
    }

    pub(super) fn int(&mut self, op: Op) -> VarId {
        let dst = self.new_int();
        self.set(dst, op);
        dst
    }

    pub(super) fn arithmetic(&mut self, op: IntOp, left: Operand, right: Operand) -> VarId {
        self.int(Op::Int(op, left, right))
    }

    pub(super) fn compare(&mut self, relation: Relation, left: Operand, right: Operand) -> VarId {
        self.truth(Op::Compare(relation, left, right))
    }

    pub(super) fn truth(&mut self, op: Op) -> VarId {
        let dst = self.new_var("rank", Ty::Bool);
        self.set(dst, op);
        dst
    }

    pub(super) fn both(&mut self, left: VarId, right: VarId) -> VarId {
        self.truth(Op::Logic(LogicOp::And, Operand::Var(left), Operand::Var(right)))
    }

    /// Makes a block, whose statements may have other locations.
    pub(super) fn nested(&mut self, fill: impl FnOnce(&mut Self) -> Step<()>) -> Step<Block> {
        let (outer, loc) = (std::mem::take(&mut self.out), self.loc);
        let filled = fill(self);
        let block = std::mem::replace(&mut self.out, outer);
        self.loc = loc;
        filled.map(|()| block)
    }

    pub(super) fn branch(
        &mut self,
        test: VarId,
        then: impl FnOnce(&mut Self) -> Step<()>,
        otherwise: impl FnOnce(&mut Self) -> Step<()>,
    ) -> Step<()> {
        let (then, otherwise) = (self.nested(then)?, self.nested(otherwise)?);
        self.emit(StmtKind::If { test: Operand::Var(test), then, otherwise });
        Ok(())
    }

    /// Computes the share of this rank in a number of rows, as `Partition::range` does.
    pub(super) fn own(&mut self, n: Operand) -> Step<Own> {
        let Share { rank, n_ranks, block_rows } = self.share;
        let blocks = self.arithmetic(IntOp::Add, n.clone(), Operand::Int(block_rows - 1));
        let blocks = self.arithmetic(IntOp::Div, Operand::Var(blocks), Operand::Int(block_rows));
        let first = |this: &mut Self, rank: i64| -> Step<VarId> {
            if rank == n_ranks {
                return Ok(this.int(Op::Copy(n.clone())));
            }
            let part = this.arithmetic(IntOp::Mul, Operand::Var(blocks), Operand::Int(rank));
            let part = this.arithmetic(IntOp::Div, Operand::Var(part), Operand::Int(n_ranks));
            let rows = this.arithmetic(IntOp::Mul, Operand::Var(part), Operand::Int(block_rows));
            let beyond = this.compare(Relation::Gt, Operand::Var(rows), n.clone());
            let n = n.clone();
            let cut = |this: &mut Self| {
                this.copy(rows, n);
                Ok(())
            };
            this.branch(beyond, cut, |_| Ok(()))?;
            Ok(rows)
        };
        let (before, end) = (first(self, rank)?, first(self, rank + 1)?);
        let n = self.arithmetic(IntOp::Sub, Operand::Var(end), Operand::Var(before));
        Ok(Own { before, n })
    }

    /// Returns the share of this rank in the rows of a slice or table.
    pub(super) fn own_of(&mut self, var: VarId) -> Step<Own> {
        let all = self.all_of(var)?;
        self.own(Operand::Var(all))
    }

    /// Returns the index in the part of this rank, and whether the component or row is in it.
    pub(super) fn inside(&mut self, of: VarId, index: &Operand) -> Step<(VarId, VarId)> {
        let own = self.own_of(of)?;
        let index = self.arithmetic(IntOp::Sub, index.clone(), Operand::Var(own.before));
        let from = self.compare(Relation::Ge, Operand::Var(index), Operand::Int(1));
        let to = self.compare(Relation::Le, Operand::Var(index), Operand::Var(own.n));
        Ok((index, self.both(from, to)))
    }

    /// Combines an integer that is not negative.
    pub(super) fn exchange(&mut self, number: VarId, op: ReductionOp) {
        let word = self.new_word();
        let (value, width) = (Operand::Var(number), Operand::Int(64));
        self.set(word, Op::IntToWord { value, width });
        self.emit(Simple::Exchange { word, op });
        self.set(number, Op::WordToInt(word));
    }

    /// Combines a truth value by `or`.
    pub(super) fn exchange_truth(&mut self, truth: VarId) -> Step<()> {
        let number = self.int(Op::Copy(Operand::Int(0)));
        let mark = |this: &mut Self| {
            this.copy(number, Operand::Int(1));
            Ok(())
        };
        self.branch(truth, mark, |_| Ok(()))?;
        self.exchange(number, ReductionOp::Or);
        self.set(truth, Op::Compare(Relation::Ne, Operand::Var(number), Operand::Int(0)));
        Ok(())
    }

    /// Returns the index of the first one on all ranks, or 0.
    pub(super) fn first(&mut self, slice: VarId) -> Step<VarId> {
        let none = Operand::Int(i64::MAX);
        let (first, own) = (self.int(Op::Query(Query::First, slice)), self.own_of(slice)?);
        let is_here = self.compare(Relation::Gt, Operand::Var(first), Operand::Int(0));
        let found = self.int(Op::Copy(none.clone()));
        let here = |this: &mut Self| {
            let (left, right) = (Operand::Var(first), Operand::Var(own.before));
            this.set(found, Op::Int(IntOp::Add, left, right));
            Ok(())
        };
        self.branch(is_here, here, |_| Ok(()))?;
        self.exchange(found, ReductionOp::Min);
        let nowhere = self.compare(Relation::Eq, Operand::Var(found), none);
        let zero = |this: &mut Self| {
            this.copy(found, Operand::Int(0));
            Ok(())
        };
        self.branch(nowhere, zero, |_| Ok(()))?;
        Ok(found)
    }

    /// Gathers a slice as a word.
    pub(super) fn gather(&mut self, slice: VarId, whole: VarId) -> Step<()> {
        let (all, own) = (self.all_of(slice)?, self.own_of(slice)?);
        let part = self.new_word();
        self.set(part, Op::Convert(slice));
        self.set(whole, Op::Fill(Operand::Var(all), false));
        let (word, base) = (whole, Operand::Var(own.before));
        self.emit(Simple::Replace { word, base, value: part });
        self.emit(Simple::Exchange { word, op: ReductionOp::Or });
        Ok(())
    }

    /// Sets a slice to the part of a word.
    pub(super) fn scatter(&mut self, word: VarId, slice: VarId) -> Step<()> {
        let all = self.all_of(slice)?;
        self.set(all, Op::Length(word));
        let own = self.own(Operand::Var(all))?;
        let part = self.new_word();
        let (base, width) = (Operand::Var(own.before), Operand::Var(own.n));
        self.set(part, Op::Trim { word, base, width });
        self.set(slice, Op::Convert(part));
        Ok(())
    }
}
