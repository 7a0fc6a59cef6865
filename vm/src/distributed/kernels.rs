//! Kernels on the rows of a rank.

use std::collections::BTreeSet;

use star_ir::kernel::{Effect, Line, Value};
use star_ir::{
    Block, Check, Extent, ForallRange, IntOp, Kernel, Op, Operand, Query, ReductionOp, Relation,
    Simple, SizeOp, SizeOperand, Stmt, StmtKind, Ty, VarId, visit,
};

use super::emit::{Own, Rewriter, Step};
use super::internal;

impl Rewriter<'_> {
    /// A kernel runs on the rows of this rank if no iteration needs others, and if all slices and
    /// tables have as many rows. Otherwise its iterations run in order on all ranks.
    pub(super) fn kernel(&mut self, kernel: &Kernel) -> Step<()> {
        if !self.needs_own_rows_only(kernel) {
            return self.block(&kernel.fallback);
        }
        let table = self.all_of(kernel.table)?;
        let mut tests = Vec::new();
        let extent = self.extent(kernel.table);
        let divided = self.divided_in(kernel);
        for var in divided.into_iter().filter(|var| *var != kernel.table) {
            // With the extent of the table, it has no other size.
            if extent.is_some() && self.extent(var) == extent {
                continue;
            }
            let all = self.all_of(var)?;
            tests.push(self.compare(Relation::Eq, Operand::Var(all), Operand::Var(table)));
        }
        self.guard_tests(kernel, table, &mut tests);
        match tests.into_iter().reduce(|all, test| self.both(all, test)) {
            None => self.own_kernel(kernel),
            Some(test) => self.branch(
                test,
                |this| this.own_kernel(kernel),
                |this| this.block(&kernel.fallback),
            ),
        }
    }

    /// Returns the slices and tables that must have as many rows as the table of the kernel.
    fn divided_in(&self, kernel: &Kernel) -> BTreeSet<VarId> {
        let mut divided = BTreeSet::new();
        let mut note = |var: VarId| {
            divided.extend(self.is_divided(var).then_some(var));
        };
        kernel.vars(&mut note);
        for guard in &kernel.guards {
            visit::check_accesses(guard, &mut |var, _| note(var));
        }
        if let Some(ForallRange::Ones(over)) = kernel.iterations().map(|all| all.range) {
            note(*over);
        }
        divided
    }

    /// Adds tests of the guards that the ranks could answer differently.
    fn guard_tests(&mut self, kernel: &Kernel, table: VarId, tests: &mut Vec<VarId>) {
        for guard in &kernel.guards {
            if let Check::Size(left, right) = guard
                && (kernel.line == Line::Row || self.is_of_rows(left) || self.is_of_rows(right))
                && !self.are_equal(left, right)
            {
                let (left, right) = (self.number(left), self.number(right));
                tests.push(self.compare(Relation::Eq, left, right));
            }
        }
        let Some(iterations) = kernel.iterations().filter(|_| kernel.line == Line::Row) else {
            return;
        };
        let last = match iterations.range {
            ForallRange::Ones(_) => Operand::Var(table),
            ForallRange::Range(from, to) => {
                tests.push(self.compare(Relation::Ge, from.clone(), Operand::Int(1)));
                tests.push(self.compare(Relation::Le, to.clone(), Operand::Var(table)));
                to.clone()
            }
        };
        for guard in &kernel.guards {
            let Check::Index(index, limit) = guard else { continue };
            if self.is_of_rows(limit) && *index == Operand::Var(iterations.var) {
                continue;
            }
            let limit = self.number(limit);
            let index = match *index == Operand::Var(iterations.var) {
                true => last.clone(),
                false => {
                    tests.push(self.compare(Relation::Ge, index.clone(), Operand::Int(1)));
                    index.clone()
                }
            };
            tests.push(self.compare(Relation::Le, index, limit));
        }
    }

    /// Returns the constant or variable that is the number of components or rows of a variable of
    /// the source whenever it has one.
    fn extent(&self, var: VarId) -> Option<Operand> {
        let var = self.source.vars.get(var.0 as usize)?;
        match var.ty.extents()[0] {
            Extent::Const(n) => Some(Operand::Int(i64::try_from(n).ok()?)),
            Extent::Var(n) => Some(Operand::Var(n)),
            Extent::Dynamic => None,
        }
    }

    /// Do their types say that two numbers of components or rows are equal?
    fn are_equal(&self, left: &SizeOperand, right: &SizeOperand) -> bool {
        let extent = |size: &SizeOperand| match size {
            SizeOperand::Length(var) | SizeOperand::Rows(var) => self.extent(*var),
            SizeOperand::Value(number) => Some(number.clone()),
            SizeOperand::Columns(_) => None,
        };
        extent(left).is_some_and(|left| extent(right) == Some(left))
    }

    /// Is it the number of components or rows of something that is divided?
    fn is_of_rows(&self, size: &SizeOperand) -> bool {
        match size {
            SizeOperand::Length(var) | SizeOperand::Rows(var) => self.is_divided(*var),
            SizeOperand::Columns(_) | SizeOperand::Value(_) => false,
        }
    }

    /// Does every iteration need the rows of this rank only?
    fn needs_own_rows_only(&self, kernel: &Kernel) -> bool {
        let by_rows = kernel.line == Line::Row;
        let range = kernel.iterations().map(|iterations| iterations.range);
        let values = kernel.values.iter().all(|value| match value {
            Value::Query(..) => by_rows,
            Value::Index => !by_rows,
            Value::Component(bits) => self.is_slice(*bits) == by_rows,
            Value::Whole(bits) | Value::Carried(bits) => self.is_slice(*bits) != by_rows,
            _ => true,
        });
        let effects = kernel.effects.iter().all(|effect| match effect {
            Effect::Put { bits, .. } => self.is_slice(*bits) == by_rows,
            Effect::Reduce { into, op, value, .. } if by_rows => match (op, self.ty(*into)) {
                (ReductionOp::Or | ReductionOp::And, Ty::Bool | Ty::Word(_)) => true,
                (ReductionOp::Add, Ty::Int) => {
                    let value = kernel.values.get(value.0 as usize);
                    matches!(value, Some(Value::Query(Query::Count | Query::First, _)))
                }
                _ => false,
            },
            Effect::Reduce { into, .. } => !matches!(self.ty(*into), Ty::Word(_)),
            Effect::Store { index, .. } => !by_rows || index.is_none(),
            Effect::Carry { into, .. } => !by_rows && self.is_slice(*into),
            Effect::Cost { .. } => !by_rows,
        });
        let range = match range {
            Some(ForallRange::Ones(over)) => self.is_slice(*over) == by_rows,
            Some(ForallRange::Range(..)) => true,
            None => !by_rows,
        };
        let is_known = |guard: &Check| matches!(guard, Check::Size(..) | Check::Index(..));
        let guards = kernel.guards.iter().all(is_known);
        let mut sizes = true;
        visit::walk(&kernel.fallback, &mut |stmt| {
            sizes &= !matches!(
                stmt.kind,
                StmtKind::Simple(Simple::Size(SizeOp::SetRows { .. } | SizeOp::Init { .. }))
            );
        });
        values && effects && range && guards && sizes
    }

    fn own_kernel(&mut self, kernel: &Kernel) -> Step<()> {
        let mut fills = false;
        visit::walk(&kernel.fallback, &mut |stmt| {
            fills |= matches!(stmt.kind, StmtKind::Simple(Simple::Assign(_, Op::Fill(..))));
        });
        // Without its arithmetic, a kernel over columns is part of a longer run of operations.
        let own = match kernel.line == Line::Row || fills {
            true => Some(self.own_of(kernel.table)?),
            false => None,
        };
        let mut kernel = kernel.clone();
        kernel.guards.retain(|guard| match guard {
            Check::Size(left, right) => !self.is_of_rows(left) && !self.is_of_rows(right),
            _ => true,
        });
        self.keep_own(&mut kernel.fallback, own.map(|own| own.n));
        if let (Line::Row, Some(own)) = (kernel.line, own) {
            return self.kernel_on_own_rows(kernel, own);
        }
        let table = self.all_of(kernel.table)?;
        let mut results = Vec::new();
        for effect in &kernel.effects {
            if let Effect::Carry { into, .. } | Effect::Reduce { into, .. } = effect
                && self.is_divided(*into)
            {
                results.push(self.all_of(*into)?);
            }
        }
        self.emit(StmtKind::Kernel(Box::new(kernel)));
        results.into_iter().for_each(|all| self.copy(all, Operand::Var(table)));
        Ok(())
    }

    /// Lets the loop of a kernel work on the `n` rows of this rank. The sizes of slices and tables
    /// agree; numbers count the rows of all ranks.
    fn keep_own(&self, block: &mut Block, n: Option<VarId>) {
        block.retain(|stmt| match &stmt.kind {
            StmtKind::Simple(Simple::Check(Check::Size(left, right))) => {
                !self.is_of_rows(left) && !self.is_of_rows(right)
            }
            StmtKind::Simple(Simple::Size(
                SizeOp::Adapt { bits, .. } | SizeOp::Fix { bits, .. },
            )) => !self.is_slice(*bits),
            _ => true,
        });
        for Stmt { kind, .. } in block {
            match kind {
                StmtKind::Simple(Simple::Assign(dst, Op::Fill(size, _))) if self.is_slice(*dst) => {
                    if let Some(n) = n {
                        *size = Operand::Var(n);
                    }
                }
                StmtKind::Simple(Simple::Assign(_, op)) => {
                    if let Op::Length(of) | Op::Rows(of) = op
                        && let Some(all) = self.all.get(of)
                    {
                        *op = Op::Copy(Operand::Var(*all));
                    }
                }
                StmtKind::Simple(
                    Simple::Check(Check::Index(_, size))
                    | Simple::Cost { times: Some(size), .. }
                    | Simple::Size(SizeOp::Latch { size, .. }),
                ) => *size = self.measure(size),
                _ => {}
            }
            for inner in visit::blocks_mut(kind).into_iter().flatten() {
                self.keep_own(inner, n);
            }
        }
    }

    fn kernel_on_own_rows(&mut self, mut kernel: Kernel, own: Own) -> Step<()> {
        let count = self.new_int();
        let fallback = kernel.fallback.first_mut().map(|stmt| &mut stmt.kind);
        let Some(StmtKind::Forall { range, .. }) = fallback else {
            return Err(internal("a kernel over rows without its loop"));
        };
        match range {
            ForallRange::Range(from, to) => {
                let (one, n) = (Operand::Int(1), Operand::Var(own.n));
                let first = self.arithmetic(IntOp::Sub, from.clone(), Operand::Var(own.before));
                let last = self.arithmetic(IntOp::Sub, to.clone(), Operand::Var(own.before));
                for (bound, relation, limit) in
                    [(first, Relation::Lt, one), (last, Relation::Gt, n)]
                {
                    let beyond = self.compare(relation, Operand::Var(bound), limit.clone());
                    let cut = |this: &mut Self| {
                        this.copy(bound, limit);
                        Ok(())
                    };
                    self.branch(beyond, cut, |_| Ok(()))?;
                }
                (*from, *to) = (Operand::Var(first), Operand::Var(last));
                self.set(count, Op::Int(IntOp::Sub, Operand::Var(last), Operand::Var(first)));
                self.set(count, Op::Int(IntOp::Add, Operand::Var(count), Operand::Int(1)));
                let none = self.compare(Relation::Lt, Operand::Var(count), Operand::Int(0));
                let zero = |this: &mut Self| {
                    this.copy(count, Operand::Int(0));
                    Ok(())
                };
                self.branch(none, zero, |_| Ok(()))?;
            }
            ForallRange::Ones(over) => self.set(count, Op::Query(Query::Count, *over)),
        }
        // Other ranks do not count these.
        let cost = Operand::Int(i64::try_from(kernel.cost).unwrap_or(i64::MAX));
        let own_cost = self.arithmetic(IntOp::Mul, Operand::Var(count), cost);
        let counted = self.own_operations;
        self.set(counted, Op::Int(IntOp::Add, Operand::Var(counted), Operand::Var(own_cost)));
        kernel.cost = 0;
        without_costs(&mut kernel.fallback);
        let reductions: Vec<(VarId, ReductionOp)> = kernel
            .effects
            .iter()
            .filter_map(|effect| match effect {
                Effect::Reduce { into, op, .. } => Some((*into, *op)),
                _ => None,
            })
            .collect();
        let mut before = Vec::new();
        for (into, op) in &reductions {
            if *op == ReductionOp::Add {
                before.push((*into, self.int(Op::Copy(Operand::Var(*into)))));
                self.copy(*into, Operand::Int(0));
            }
        }
        self.emit(StmtKind::Kernel(Box::new(kernel)));
        for (into, op) in reductions {
            self.combine(into, op)?;
        }
        for (into, before) in before {
            let (left, right) = (Operand::Var(before), Operand::Var(into));
            self.set(into, Op::Int(IntOp::Add, left, right));
        }
        Ok(())
    }

    /// Combines what the kernels of all ranks have combined.
    fn combine(&mut self, into: VarId, op: ReductionOp) -> Step<()> {
        match (self.ty(into), op) {
            (Ty::Int, op) => self.exchange(into, op),
            (Ty::Bool, ReductionOp::Or) => self.exchange_truth(into)?,
            (Ty::Bool, _) => {
                self.set(into, Op::Not(Operand::Var(into)));
                self.exchange_truth(into)?;
                self.set(into, Op::Not(Operand::Var(into)));
            }
            (_, ReductionOp::And) => {
                self.set(into, Op::BitsNot(into));
                self.emit(Simple::Exchange { word: into, op: ReductionOp::Or });
                self.set(into, Op::BitsNot(into));
            }
            (_, op) => self.emit(Simple::Exchange { word: into, op }),
        }
        Ok(())
    }
}

/// Removes the costs of the statements.
fn without_costs(block: &mut Block) {
    block.retain(|stmt| !matches!(stmt.kind, StmtKind::Simple(Simple::Cost { .. })));
    for stmt in block {
        visit::blocks_mut(&mut stmt.kind).into_iter().flatten().for_each(without_costs);
    }
}
