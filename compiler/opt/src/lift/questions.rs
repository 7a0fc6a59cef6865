//! What the body of a loop finds out about the lines of its own index, and what becomes of the
//! answers.
//!
//! A question about a line (NUMB, FND, SOME, ONE, ZERO) has an answer of the iteration's own, a
//! number or truth value, and so have comparisons and logic of such answers. What they decide
//! about:
//!
//! * Reductions: sums of answers and constants that are not negative (`s := s + d`), truth values
//!   by or, and, xor, the least or greatest number (`if d > m then m := d`), a truth value that is
//!   only ever set or only ever cleared (`if c then b := true`). Nothing else in the body reads
//!   what is combined so far.
//! * The component of the iteration's own index of a slice or word, which nothing else in the body
//!   touches: `Z(i) := 1`.
//!
//! Branches stand around these alone.

use std::collections::{BTreeMap, BTreeSet};

use star_ir::visit;
use star_ir::{
    Access, Block, Check, IntOp, LogicOp, Op, Operand, Reduction, ReductionOp, Relation, Routine,
    Stmt, StmtKind, VarId,
};

/// What a statement adds to a sum is at most this.
pub(super) const MAX_ADDEND: i64 = 1 << 30;
/// A loop that sums up has at most so many turns.
pub(super) const MAX_TURNS: i64 = 1 << 30;
/// What a sum has at most before the first turn.
pub(super) const MAX_SUM: i64 = 1 << 62;
/// Statements that combine into one variable: three times [`MAX_ADDEND`] and [`MAX_TURNS`] is below
/// 2⁶².
const MAX_STEPS: usize = 3;

/// What a body does with the answers to its questions.
#[derive(Default)]
pub(super) struct Questions {
    /// Numbers and truth values that are combined over all iterations.
    pub(super) reductions: Vec<Reduction>,
    /// Slices and words of which each iteration writes its own component.
    pub(super) components: Vec<VarId>,
    /// Numbers and truth values of each iteration's own.
    pub(super) privates: Vec<VarId>,
    /// Comparisons with the least or greatest number so far: they are part of the reduction.
    comparisons: BTreeSet<VarId>,
}

impl Questions {
    pub(super) fn new(routine: &Routine, body: &[Stmt]) -> Self {
        let compared = comparisons(body);
        let mut uses = Uses::default();
        uses.of(body, &compared);
        let mut questions = Questions::default();
        for (var, steps) in &uses.steps {
            if !routine.var(*var).ty.is_bits()
                && let Some((reduction, tests)) = uses.combined(*var, steps)
            {
                questions.reductions.push(reduction);
                questions.comparisons.extend(tests);
            }
        }
        questions
    }

    /// Does the body decide about anything by them?
    pub(super) fn is_empty(&self) -> bool {
        self.reductions.is_empty() && self.components.is_empty()
    }

    pub(super) fn combines(&self, var: VarId) -> bool {
        self.reductions.iter().any(|reduction| reduction.var == var)
    }

    /// Is it the comparison of a reduction to the least or greatest number?
    pub(super) fn is_comparison(&self, var: VarId) -> bool {
        self.comparisons.contains(&var)
    }

    /// The sum that the check is about, if it is the one of a reduction: the pass bounds it before
    /// the loop.
    pub(super) fn is_of_sum(&self, check: &Check) -> bool {
        matches!(check, Check::Int(IntOp::Add, left, right)
            if [left, right].into_iter().any(|of| matches!(of, Operand::Var(var) if self.combines(*var))))
    }

    /// The addend of a step that sums up.
    pub(super) fn addend<'s>(&self, dst: VarId, op: &'s Op) -> Option<&'s Operand> {
        match op {
            Op::Int(IntOp::Add, left, right) if self.combines(dst) => {
                Some(if *left == Operand::Var(dst) { right } else { left })
            }
            _ => None,
        }
    }

    /// If this is a branch that takes a lesser or greater number: which number, and what takes it.
    pub(super) fn extreme<'s>(&self, stmt: &'s Stmt) -> Option<(VarId, &'s Operand)> {
        let StmtKind::If { test: Operand::Var(test), then, otherwise: _ } = &stmt.kind else {
            return None;
        };
        let [Stmt { kind: StmtKind::Assign(dst, Op::Copy(value)), .. }] = &then[..] else {
            return None;
        };
        self.is_comparison(*test).then_some((*dst, value))
    }

    /// The statements as those of a `forall`: reductions without what bounds and compares them.
    pub(super) fn rewritten(&self, body: Block) -> Block {
        let mut stmts = Block::new();
        for mut stmt in body {
            if let Some((dst, value)) = self.extreme(&stmt) {
                stmt.kind = StmtKind::Assign(dst, Op::Copy(value.clone()));
            }
            stmt.kind = match stmt.kind {
                StmtKind::Check(check) if self.is_of_sum(&check) => continue,
                StmtKind::Assign(dst, _) if self.is_comparison(dst) => continue,
                StmtKind::Assign(dst, Op::Copy(Operand::Bool(bit))) if self.combines(dst) => {
                    let op = if bit { LogicOp::Or } else { LogicOp::And };
                    let (left, right) = (Operand::Var(dst), Operand::Bool(bit));
                    StmtKind::Assign(dst, Op::Logic(op, left, right))
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
    /// The comparison that decides about it.
    test: Option<VarId>,
}

/// What a truth value compares, if one statement of the body assigns it.
type Compared<'s> = BTreeMap<VarId, (Relation, &'s Operand, &'s Operand)>;

fn comparisons(body: &[Stmt]) -> Compared<'_> {
    let (mut compared, mut n_writes) = (Compared::new(), BTreeMap::new());
    visit::walk(body, &mut |stmt| {
        if let StmtKind::Assign(dst, op) = &stmt.kind {
            *n_writes.entry(*dst).or_insert(0) += 1;
            if let Op::Compare(relation, left, right) = op {
                compared.insert(*dst, (*relation, left, right));
            }
        }
    });
    compared.retain(|test, _| n_writes.get(test) == Some(&1));
    compared
}

/// The reduction that the statement is a step of, by its form alone.
fn step(stmt: &Stmt, compared: &Compared<'_>) -> Option<Step> {
    let once = |dst: &VarId, left: &Operand, right: &Operand| {
        let own = Operand::Var(*dst);
        (*left == own) != (*right == own)
    };
    let (var, op, test) = match &stmt.kind {
        StmtKind::Assign(dst, Op::Int(IntOp::Add, left, right)) if once(dst, left, right) => {
            (*dst, ReductionOp::Add, None)
        }
        StmtKind::Assign(dst, Op::Logic(op, left, right)) if once(dst, left, right) => {
            let op = match op {
                LogicOp::And => ReductionOp::And,
                LogicOp::Or => ReductionOp::Or,
                LogicOp::Xor => ReductionOp::Xor,
            };
            (*dst, op, None)
        }
        // Set or cleared, always the same one: that is found out over all steps.
        StmtKind::Assign(dst, Op::Copy(Operand::Bool(bit))) => {
            (*dst, if *bit { ReductionOp::Or } else { ReductionOp::And }, None)
        }
        StmtKind::If { test: Operand::Var(test), then, otherwise } if otherwise.is_empty() => {
            let [Stmt { kind: StmtKind::Assign(dst, Op::Copy(value)), .. }] = &then[..] else {
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

/// Does what stands on the left have to be greater?
fn greater(relation: Relation) -> Option<bool> {
    match relation {
        Relation::Gt | Relation::Ge => Some(true),
        Relation::Lt | Relation::Le => Some(false),
        Relation::Eq | Relation::Ne => None,
    }
}

/// What a body does with its variables.
#[derive(Default)]
struct Uses {
    /// The statements that may combine into each.
    steps: BTreeMap<VarId, Vec<Step>>,
    /// The comparisons that read each.
    comparisons: BTreeMap<VarId, BTreeSet<VarId>>,
    /// Those in checks of sums, and those that are read or written otherwise.
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
                    StmtKind::Check(Check::Int(IntOp::Add, ..)) => drop(self.summed.insert(var)),
                    StmtKind::Assign(dst, Op::Compare(..)) if *dst != var => {
                        self.comparisons.entry(var).or_default().insert(*dst);
                    }
                    StmtKind::Assign(_, Op::Compare(..)) => {}
                    _ => drop(self.others.insert(var)),
                }
            });
            if let Some(into) = into {
                self.steps.entry(into).or_default().extend(step);
            }
            // What is copied where a comparison decides about it belongs to the step.
            if test.is_none() {
                visit::blocks(&stmt.kind).iter().for_each(|inner| self.of(inner, compared));
            }
        }
    }

    /// What the steps combine, if nothing else is done with the variable, and the comparisons that
    /// belong to it.
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
