//! Replacement of a loop over fields: its conditions, one `forall`, and the sequential loop as the
//! fallback.

use std::collections::BTreeMap;

use star_ir::analysis::polynomial::{AtomId, Monomial, Polynomial};
use star_ir::rewrite::map;
use star_ir::rewrite::{Edit, Edits, Labels, edit, fresh_var};
use star_ir::{
    Block, Extent, ForallRange, IntOp, LogicOp, Op, Operand, Part, PartKind, Relation, Routine,
    Simple, SizeOp, SizeOperand, StmtKind, Ty, Var, VarId,
};

use super::super::fields::{Fields, Own};
use super::super::index_polynomials::{IndexPolynomials, LIMIT};
use super::{Maker, Names};

/// Replaces the loops that were found by their `forall` form.
pub(in super::super) fn rewrite(routine: &mut Routine, found: BTreeMap<usize, Fields>) {
    let mut labels = Labels::new(routine);
    let mut edits = Edits::new();
    for (at, fields) in found {
        let maker = Maker { routine: &mut *routine, labels: &mut labels, loc: fields.stmt.loc };
        edits.insert(at, Edit::Splice(maker.over_fields(fields)));
    }
    edit(&mut routine.body, &edits);
}

/// The values that have been read and computed.
#[derive(Clone, Default)]
struct Known {
    atoms: BTreeMap<AtomId, Operand>,
    products: BTreeMap<Monomial, Operand>,
}

impl Maker<'_> {
    /// Returns the replacement of the loop.
    fn over_fields(mut self, fields: Fields) -> Block {
        let Fields { stmt, label, var, range, writes, mut privates, mut body, polynomials, .. } =
            fields;
        let (grows, is_live) = (fields.grows, fields.is_live);
        let mut stmts = Block::new();
        let mut known = Known::default();
        let test = self.conditions(&mut stmts, &polynomials, &grows, &mut known);
        if test.is_some() {
            self.rename_extents(&mut privates, &mut body);
        }
        let mut parallel = Block::new();
        let mut parts = Vec::new();
        for (var, own) in writes {
            let kind = match own {
                Own::Line(kind) => kind,
                Own::Field { base, width } => {
                    let [base, width] = [base, width].map(|number| {
                        self.evaluate(&mut parallel, &polynomials, &number, &mut known)
                    });
                    PartKind::Field { base, width }
                }
            };
            parts.push(Part { var, kind });
        }
        self.parallel_form(
            &mut parallel,
            (label, var, range, parts, privates, body),
            is_live.then_some(matches!(stmt.kind, StmtKind::For { down: true, .. })),
        );
        self.versioned(&mut stmts, test, parallel, &stmt);
        stmts
    }

    /// Renames numbers that are extents: such a number is assigned in one place. If the loop is
    /// kept, the iterations of the `forall` need other numbers, and other variables of those sizes.
    fn rename_extents(&mut self, privates: &mut [VarId], body: &mut Block) {
        let is_extent = |routine: &Routine, of: VarId| {
            let of = Extent::Var(of);
            routine.vars.iter().any(|var| var.ty.extents().contains(&of))
        };
        let mut renamed = BTreeMap::new();
        let extents: Vec<VarId> =
            privates.iter().copied().filter(|var| is_extent(self.routine, *var)).collect();
        for of in extents {
            renamed.insert(of, self.renamed_copy(of, &BTreeMap::new()));
        }
        for of in privates.iter() {
            let extents = self.routine.var(*of).ty.extents();
            if extents
                .iter()
                .any(|extent| matches!(extent, Extent::Var(of) if renamed.contains_key(of)))
            {
                let renamed_copy = self.renamed_copy(*of, &renamed);
                renamed.insert(*of, renamed_copy);
            }
        }
        let mut names = Names(renamed);
        map::block(body, &mut names);
        privates.iter_mut().for_each(|var| names.rename(var));
    }

    /// Returns a new variable like this one, with the renamed sizes.
    fn renamed_copy(&mut self, of: VarId, renamed: &BTreeMap<VarId, VarId>) -> VarId {
        let Var { name, ty, source, sized } = self.routine.var(of).clone();
        let extent = |extent: Extent| match extent {
            Extent::Var(of) => Extent::Var(renamed.get(&of).copied().unwrap_or(of)),
            Extent::Const(_) | Extent::Dynamic => extent,
        };
        let ty = match ty {
            Ty::Slice(n) => Ty::Slice(extent(n)),
            Ty::Word(n) => Ty::Word(extent(n)),
            Ty::Table(rows, columns) => Ty::Table(extent(rows), extent(columns)),
            Ty::Int | Ty::Bool | Ty::Str | Ty::Handle => ty,
        };
        let renamed_copy = fresh_var(self.routine, &name, ty);
        let copy = &mut self.routine.vars[renamed_copy.0 as usize];
        (copy.source, copy.sized) = (source, sized);
        renamed_copy
    }

    /// Emits the `forall`. If the index is live after it, it is assigned its last value, in the
    /// direction of the loop.
    fn parallel_form(
        &mut self,
        stmts: &mut Block,
        forall: (star_ir::LabelId, VarId, ForallRange, Vec<Part>, Vec<VarId>, Block),
        live: Option<bool>,
    ) {
        let (label, var, mut range, writes, privates, mut body) = forall;
        self.bounds_once(stmts, &mut range, |of| of == var || privates.contains(&of));
        let (reductions, mut index) = (Vec::new(), var);
        let Some(is_down) = live else {
            let forall = StmtKind::Forall { label, var, range, writes, privates, reductions, body };
            stmts.push(self.at(forall));
            return;
        };
        let ty = self.routine.var(var).ty;
        let mut names = Names(BTreeMap::from([(var, fresh_var(self.routine, "iteration", ty))]));
        map::block(&mut body, &mut names);
        names.rename(&mut index);
        let mut inner = Block::new();
        let (begins, last) = self.begins_and_last(stmts, &mut inner, &range, is_down, true);
        let forall =
            StmtKind::Forall { label, var: index, range, writes, privates, reductions, body };
        inner.push(self.at(forall));
        if let Some(last) = last {
            inner.push(self.at(StmtKind::Simple(Simple::Assign(var, Op::Copy(last)))));
        }
        stmts.push(self.at(StmtKind::If { test: begins, then: inner, otherwise: Vec::new() }));
    }

    /// Emits the tests, step by step: numbers are small enough to compute with, the conditions
    /// hold, and the tables that grow have got their columns. Returns the conjunction, if there is
    /// anything to test.
    fn conditions(
        &mut self,
        stmts: &mut Block,
        polynomials: &IndexPolynomials,
        grows: &[(VarId, Polynomial)],
        known: &mut Known,
    ) -> Option<Operand> {
        let mut tests = Vec::new();
        for &atom in &polynomials.bounded {
            let value = self.look_up(stmts, polynomials, atom, known);
            if matches!(polynomials.size(atom), Some(SizeOperand::Value(_))) {
                tests.push(Op::Compare(Relation::Ge, value.clone(), Operand::Int(0)));
            }
            tests.push(Op::Compare(Relation::Le, value, Operand::Int(LIMIT)));
        }
        let mut holds = self.all(stmts, tests)?;
        if !polynomials.conditions.is_empty() {
            let mut inner = Block::new();
            let mut tests = Vec::new();
            let mut known = known.clone();
            for condition in &polynomials.conditions {
                let number = self.evaluate(&mut inner, polynomials, condition, &mut known);
                tests.push(Op::Compare(Relation::Ge, number, Operand::Int(0)));
            }
            holds = self.test_nested(stmts, holds, inner, tests);
        }
        if !grows.is_empty() {
            let mut inner = Block::new();
            let mut tests = Vec::new();
            let mut known = known.clone();
            for (table, columns) in grows {
                let columns = self.evaluate(&mut inner, polynomials, columns, &mut known);
                let size = SizeOperand::Value(columns.clone());
                let op = SizeOp::EnsureColumns { table: *table, columns: size };
                inner.push(self.at(StmtKind::Simple(Simple::Size(op))));
                // A table of a fixed size has not grown.
                let has = self.measure(&mut inner, &SizeOperand::Columns(*table));
                tests.push(Op::Compare(Relation::Ge, has, columns));
            }
            holds = self.test_nested(stmts, holds, inner, tests);
        }
        Some(holds)
    }

    /// Emits tests of values that are computed only if an earlier test holds.
    fn test_nested(
        &mut self,
        stmts: &mut Block,
        holds: Operand,
        mut inner: Block,
        tests: Vec<Op>,
    ) -> Operand {
        let all = self.define(stmts, "fits", Ty::Bool, Op::Copy(Operand::Bool(false)));
        if let Some(test) = self.all(&mut inner, tests) {
            inner.push(self.at(StmtKind::Simple(Simple::Assign(all, Op::Copy(test)))));
        }
        stmts.push(self.at(StmtKind::If { test: holds, then: inner, otherwise: Vec::new() }));
        Operand::Var(all)
    }

    /// Emits the conjunction of all tests; returns nothing if there are none.
    fn all(&mut self, stmts: &mut Block, tests: Vec<Op>) -> Option<Operand> {
        let mut holds: Option<Operand> = None;
        for op in tests {
            let test = Operand::Var(self.define(stmts, "fits", Ty::Bool, op));
            holds = Some(match holds.take() {
                None => test,
                Some(before) => {
                    let op = Op::Logic(LogicOp::And, before, test);
                    Operand::Var(self.define(stmts, "fits", Ty::Bool, op))
                }
            });
        }
        holds
    }

    /// Returns the value of an atom before the loop.
    fn look_up(
        &mut self,
        stmts: &mut Block,
        polynomials: &IndexPolynomials,
        atom: AtomId,
        known: &mut Known,
    ) -> Operand {
        if let Some(operand) = known.atoms.get(&atom) {
            return operand.clone();
        }
        // Indices have no value before their loop.
        let Some(size) = polynomials.size(atom) else { return Operand::Int(0) };
        let operand = self.measure(stmts, size);
        known.atoms.insert(atom, operand.clone());
        operand
    }

    /// Returns a product of atoms, if there are any.
    fn product(
        &mut self,
        stmts: &mut Block,
        polynomials: &IndexPolynomials,
        monomial: Monomial,
        known: &mut Known,
    ) -> Option<Operand> {
        let [first, second] = monomial.factors();
        let first = self.look_up(stmts, polynomials, first?, known);
        let Some(second) = second else { return Some(first) };
        if let Some(product) = known.products.get(&monomial) {
            return Some(product.clone());
        }
        let second = self.look_up(stmts, polynomials, second, known);
        let product = self.number(stmts, IntOp::Mul, first, second);
        known.products.insert(monomial, product.clone());
        Some(product)
    }

    /// Emits the computation of a number; it fits into 64 bits, and so do all partial sums.
    fn evaluate(
        &mut self,
        stmts: &mut Block,
        polynomials: &IndexPolynomials,
        number: &Polynomial,
        known: &mut Known,
    ) -> Operand {
        let mut sum: Option<Operand> = None;
        // Positive terms come before negative ones.
        let (mut added, mut taken) = (Vec::new(), Vec::new());
        for term in number.terms() {
            if term.1 > 0 { added.push(term) } else { taken.push(term) }
        }
        for (monomial, factor) in added.into_iter().chain(taken) {
            let times = i64::try_from(factor.abs()).unwrap_or(i64::MAX);
            let product = match self.product(stmts, polynomials, monomial, known) {
                None => Operand::Int(times),
                Some(product) if times == 1 => product,
                Some(product) => self.number(stmts, IntOp::Mul, Operand::Int(times), product),
            };
            sum = Some(match (sum, factor > 0) {
                (None, true) => product,
                (None, false) => self.number(stmts, IntOp::Sub, Operand::Int(0), product),
                (Some(sum), true) => self.number(stmts, IntOp::Add, sum, product),
                (Some(sum), false) => self.number(stmts, IntOp::Sub, sum, product),
            });
        }
        sum.unwrap_or(Operand::Int(0))
    }
}
