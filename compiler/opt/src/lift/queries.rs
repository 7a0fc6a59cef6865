//! Queries of the lines of a loop's own index, and the uses of their results.
//!
//! A query of a line (NUMB, FND, SOME, ONE, ZERO) yields a private number or truth value, and so do
//! comparisons and logic of such results. They may determine:
//!
//! * Reductions: sums of results and constants that are not negative (`s := s + d`), truth values
//!   by or, and, xor, the least or greatest number (`if d > m then m := d`), a truth value that is
//!   only ever set or only ever cleared (`if c then b := true`). The body does not read the
//!   intermediate value of a reduction otherwise.
//! * The component at the iteration's own index of a slice or word that the body does not access
//!   otherwise: `Z(i) := 1`.
//!
//! Branches may only contain these.

use std::collections::{BTreeMap, BTreeSet};

use star_ir::visit;
use star_ir::{
    Access, Block, Check, IntOp, LogicOp, Op, Operand, Reduction, ReductionOp, Relation, Routine,
    Simple, Stmt, StmtKind, VarId,
};

/// The maximum that a statement adds to a sum.
pub(super) const MAX_ADDEND: i64 = 1 << 30;
/// The maximum number of iterations of a loop that computes a sum.
pub(super) const MAX_ITERATIONS: i64 = 1 << 30;
/// The maximum of a sum before the first iteration.
pub(super) const MAX_SUM: i64 = 1 << 62;
/// The maximum number of statements that combine into one variable: three times [`MAX_ADDEND`]
/// times [`MAX_ITERATIONS`] is less than 2⁶².
const MAX_STEPS: usize = 3;

/// The queries of a body and the uses of their results.
#[derive(Default)]
pub(super) struct Queries {
    /// Numbers and truth values that are combined over all iterations.
    pub(super) reductions: Vec<Reduction>,
    /// Slices and words of which each iteration writes its own component.
    pub(super) components: Vec<VarId>,
    /// Numbers and truth values that are private to an iteration.
    pub(super) privates: Vec<VarId>,
    /// Comparisons with the current minimum or maximum: they are part of the reduction.
    comparisons: BTreeSet<VarId>,
}

impl Queries {
    pub(super) fn new(routine: &Routine, body: &[Stmt]) -> Self {
        let compared = comparisons(body);
        let mut uses = Uses::default();
        uses.of(body, &compared);
        let mut queries = Queries::default();
        for (var, steps) in &uses.steps {
            if !routine.var(*var).ty.is_bits()
                && let Some((reduction, tests)) = uses.combined(*var, steps)
            {
                queries.reductions.push(reduction);
                queries.comparisons.extend(tests);
            }
        }
        queries
    }

    /// Tests whether the body has no effect that depends on them.
    pub(super) fn is_empty(&self) -> bool {
        self.reductions.is_empty() && self.components.is_empty()
    }

    pub(super) fn combines(&self, var: VarId) -> bool {
        self.reductions.iter().any(|reduction| reduction.var == var)
    }

    /// Tests whether a variable is the comparison of a reduction to the least or greatest number.
    pub(super) fn is_comparison(&self, var: VarId) -> bool {
        self.comparisons.contains(&var)
    }

    /// Tests whether the check concerns a sum that is a reduction: the pass bounds it before the
    /// loop.
    pub(super) fn is_of_sum(&self, check: &Check) -> bool {
        matches!(check, Check::Int(IntOp::Add, left, right)
            if [left, right].into_iter().any(|of| matches!(of, Operand::Var(var) if self.combines(*var))))
    }

    /// Returns the addend of a step of a sum.
    pub(super) fn addend<'s>(&self, dst: VarId, op: &'s Op) -> Option<&'s Operand> {
        match op {
            Op::Int(IntOp::Add, left, right) if self.combines(dst) => {
                Some(if *left == Operand::Var(dst) { right } else { left })
            }
            _ => None,
        }
    }

    /// Returns the number and the variable that takes it, if this is a branch that updates a
    /// minimum or maximum.
    pub(super) fn extreme<'s>(&self, stmt: &'s Stmt) -> Option<(VarId, &'s Operand)> {
        let StmtKind::If { test: Operand::Var(test), then, otherwise: _ } = &stmt.kind else {
            return None;
        };
        let [Stmt { kind: StmtKind::Simple(Simple::Assign(dst, Op::Copy(value))), .. }] = &then[..]
        else {
            return None;
        };
        self.is_comparison(*test).then_some((*dst, value))
    }

    /// Returns the statements as those of a `forall`: reductions without their overflow checks and
    /// comparisons.
    pub(super) fn rewritten(&self, body: Block) -> Block {
        let mut stmts = Block::new();
        for mut stmt in body {
            if let Some((dst, value)) = self.extreme(&stmt) {
                stmt.kind = StmtKind::Simple(Simple::Assign(dst, Op::Copy(value.clone())));
            }
            stmt.kind = match stmt.kind {
                StmtKind::Simple(Simple::Check(check)) if self.is_of_sum(&check) => continue,
                StmtKind::Simple(Simple::Assign(dst, _)) if self.is_comparison(dst) => continue,
                StmtKind::Simple(Simple::Assign(dst, Op::Copy(Operand::Bool(bit))))
                    if self.combines(dst) =>
                {
                    let op = if bit { LogicOp::Or } else { LogicOp::And };
                    let (left, right) = (Operand::Var(dst), Operand::Bool(bit));
                    StmtKind::Simple(Simple::Assign(dst, Op::Logic(op, left, right)))
                }
                StmtKind::If { test, then, otherwise } => StmtKind::If {
                    test,
                    then: self.rewritten(then),
                    otherwise: self.rewritten(otherwise),
                },
                kind => kind,
            };
            stmts.push(stmt);
        }
        stmts
    }
}

/// A statement that combines.
struct Step {
    reduction: Reduction,
    /// The comparison that controls it.
    test: Option<VarId>,
}

/// The comparison that yields a truth value, if one statement of the body assigns it.
type Compared<'s> = BTreeMap<VarId, (Relation, &'s Operand, &'s Operand)>;

fn comparisons(body: &[Stmt]) -> Compared<'_> {
    let (mut compared, mut n_writes) = (Compared::new(), BTreeMap::new());
    visit::walk(body, &mut |stmt| {
        if let StmtKind::Simple(Simple::Assign(dst, op)) = &stmt.kind {
            *n_writes.entry(*dst).or_insert(0) += 1;
            if let Op::Compare(relation, left, right) = op {
                compared.insert(*dst, (*relation, left, right));
            }
        }
    });
    compared.retain(|test, _| n_writes.get(test) == Some(&1));
    compared
}

/// Returns the reduction that the statement is a step of, judged by its form alone.
fn step(stmt: &Stmt, compared: &Compared<'_>) -> Option<Step> {
    let once = |dst: &VarId, left: &Operand, right: &Operand| {
        let own = Operand::Var(*dst);
        (*left == own) != (*right == own)
    };
    let (var, op, test) = match &stmt.kind {
        StmtKind::Simple(Simple::Assign(dst, Op::Int(IntOp::Add, left, right)))
            if once(dst, left, right) =>
        {
            (*dst, ReductionOp::Add, None)
        }
        StmtKind::Simple(Simple::Assign(dst, Op::Logic(op, left, right)))
            if once(dst, left, right) =>
        {
            let op = match op {
                LogicOp::And => ReductionOp::And,
                LogicOp::Or => ReductionOp::Or,
                LogicOp::Xor => ReductionOp::Xor,
            };
            (*dst, op, None)
        }
        // Set or cleared: whether it is always the same is checked over all steps.
        StmtKind::Simple(Simple::Assign(dst, Op::Copy(Operand::Bool(bit)))) => {
            (*dst, if *bit { ReductionOp::Or } else { ReductionOp::And }, None)
        }
        StmtKind::If { test: Operand::Var(test), then, otherwise } if otherwise.is_empty() => {
            let [Stmt { kind: StmtKind::Simple(Simple::Assign(dst, Op::Copy(value))), .. }] =
                &then[..]
            else {
                return None;
            };
            let (relation, left, right) = compared.get(test)?;
            let so_far = Operand::Var(*dst);
            let is_greater = if **left == *value && **right == so_far {
                greater(*relation)?
            } else if **right == *value && **left == so_far {
                !greater(*relation)?
            } else {
                return None;
            };
            (*dst, if is_greater { ReductionOp::Max } else { ReductionOp::Min }, Some(*test))
        }
        _ => return None,
    };
    Some(Step { reduction: Reduction { var, op }, test })
}

/// Tests whether the left operand must be greater, for an inequality.
fn greater(relation: Relation) -> Option<bool> {
    match relation {
        Relation::Gt | Relation::Ge => Some(true),
        Relation::Lt | Relation::Le => Some(false),
        Relation::Eq | Relation::Ne => None,
    }
}

/// The uses of variables in a body.
#[derive(Default)]
struct Uses {
    /// The statements that may combine into each variable.
    steps: BTreeMap<VarId, Vec<Step>>,
    /// The comparisons that read each variable.
    comparisons: BTreeMap<VarId, BTreeSet<VarId>>,
    /// The variables in checks of sums, and those that are read or written otherwise.
    summed: BTreeSet<VarId>,
    others: BTreeSet<VarId>,
}

impl Uses {
    fn of(&mut self, body: &[Stmt], compared: &Compared<'_>) {
        for stmt in body {
            let step = step(stmt, compared);
            let (into, test) = match &step {
                Some(Step { reduction, test }) => (Some(reduction.var), *test),
                None => (None, None),
            };
            visit::accesses(&stmt.kind, &mut |var, access| {
                if access == Access::ReadSize || into == Some(var) || test == Some(var) {
                    return;
                }
                match &stmt.kind {
                    StmtKind::Simple(Simple::Check(Check::Int(IntOp::Add, ..))) => {
                        self.summed.insert(var);
                    }
                    StmtKind::Simple(Simple::Assign(dst, Op::Compare(..))) if *dst != var => {
                        self.comparisons.entry(var).or_default().insert(*dst);
                    }
                    StmtKind::Simple(Simple::Assign(_, Op::Compare(..))) => {}
                    _ => drop(self.others.insert(var)),
                }
            });
            if let Some(into) = into {
                self.steps.entry(into).or_default().extend(step);
            }
            // A copy that a comparison controls belongs to the step.
            if test.is_none() {
                visit::blocks(&stmt.kind).iter().for_each(|inner| self.of(inner, compared));
            }
        }
    }

    /// Returns the reduction that the steps form, if the variable is not used otherwise, and the
    /// comparisons that belong to it.
    fn combined(&self, var: VarId, steps: &[Step]) -> Option<(Reduction, BTreeSet<VarId>)> {
        let reduction = steps.first()?.reduction;
        let is_same = steps.iter().all(|step| step.reduction == reduction);
        let tests: BTreeSet<VarId> = steps.iter().filter_map(|step| step.test).collect();
        let compared = self.comparisons.get(&var);
        let is_only = !self.others.contains(&var)
            && (reduction.op == ReductionOp::Add || !self.summed.contains(&var))
            && compared.is_none_or(|by| by.is_subset(&tests))
            && tests.iter().all(|test| !self.others.contains(test));
        (is_same && steps.len() <= MAX_STEPS && is_only).then_some((reduction, tests))
    }
}
