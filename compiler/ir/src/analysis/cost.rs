//! The cost invariant of rewrites: the sum of `cost` on every path.
//!
//! [`CostForm::of`] is the cost of a routine as an expression over its control flow: runs of `cost`
//! statements are added up, one sum of units for each operand of `times`; branches, loops, blocks
//! and jumps keep their places. Everything else leaves no trace, and neither does control flow
//! without any cost or jump in it.
//!
//! Equal forms prove that both routines count the same if they execute the same branches and
//! iterations and the measured values agree. They do not prove that branches agree: that is the
//! pass's responsibility. Unequal forms prove nothing, since a pass may know that a branch is never
//! executed; [`CostForm::paths`] compares less: the sets of sums over all paths, where a loop has
//! one iteration or none.

use std::collections::{BTreeMap, BTreeSet};

use crate::check::SizeOperand;
use crate::program::{LabelId, Routine};
use crate::stmt::{Simple, Stmt, StmtKind};
use crate::visit;

/// A sum of units by their multiplier: `None` for 1, otherwise the text of the operand.
pub type Sum = BTreeMap<Option<String>, u128>;

/// The cost of a sequence of statements.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct CostForm(Vec<Item>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Item {
    Sum(Sum),
    If(CostForm, CostForm),
    /// A loop (its kind, head and body) or a block.
    Around(&'static str, LabelId, CostForm, CostForm),
    Break(LabelId),
    Continue(LabelId),
    Exit,
    /// A call, which counts what its callee counts.
    Call(u32),
}

/// The maximum number of different sums that are distinguished.
const MAX_PATHS: usize = 4096;

impl CostForm {
    /// Returns the cost of a routine.
    pub fn of(routine: &Routine) -> Self {
        block(&routine.body)
    }

    /// Returns the sums over all paths; a loop is passed at most once, and jumps end a path. `None`
    /// if there are too many.
    pub fn paths(&self) -> Option<BTreeSet<Sum>> {
        let mut done = BTreeSet::new();
        let through = walk(self, BTreeSet::from([Sum::new()]), &mut done)?;
        done.extend(through);
        Some(done)
    }
}

fn add(sum: &mut Sum, other: &Sum) {
    for (times, units) in other {
        *sum.entry(times.clone()).or_default() += units;
    }
}

fn block(stmts: &[Stmt]) -> CostForm {
    let mut items: Vec<Item> = Vec::new();
    for stmt in stmts {
        match item(&stmt.kind) {
            None => {}
            Some(Item::Sum(more)) => match items.last_mut() {
                Some(Item::Sum(sum)) => add(sum, &more),
                Some(_) | None => items.push(Item::Sum(more)),
            },
            Some(item) => {
                let ends = matches!(item, Item::Break(_) | Item::Continue(_) | Item::Exit);
                items.push(item);
                if ends {
                    break;
                }
            }
        }
    }
    CostForm(items)
}

fn item(kind: &StmtKind) -> Option<Item> {
    let costs = |form: &CostForm| !form.0.is_empty();
    let around = |what, label, blocks: [&[Stmt]; 2]| {
        let [first, second] = blocks.map(block);
        (costs(&first) || costs(&second)).then_some(Item::Around(what, label, first, second))
    };
    match kind {
        StmtKind::Simple(Simple::Cost { units, times }) => {
            let times = times.as_ref().map(text);
            Some(Item::Sum(BTreeMap::from([(times, u128::from(*units))])))
        }
        StmtKind::If { test: _, then, otherwise } => {
            let (then, otherwise) = (block(then), block(otherwise));
            (costs(&then) || costs(&otherwise)).then_some(Item::If(then, otherwise))
        }
        StmtKind::For { label, .. } => around("for", *label, visit::blocks(kind)),
        StmtKind::While { label, .. } => around("while", *label, visit::blocks(kind)),
        StmtKind::Foreach { label, .. } => around("foreach", *label, visit::blocks(kind)),
        StmtKind::Forall { label, .. } => around("forall", *label, visit::blocks(kind)),
        StmtKind::Block { label, .. } => around("block", *label, visit::blocks(kind)),
        StmtKind::Kernel(kernel) => kernel.fallback.first().and_then(|stmt| item(&stmt.kind)),
        StmtKind::Break(label) => Some(Item::Break(*label)),
        StmtKind::Continue(label) => Some(Item::Continue(*label)),
        StmtKind::Exit => Some(Item::Exit),
        StmtKind::Simple(Simple::Call { callee, .. }) => Some(Item::Call(callee.0)),
        StmtKind::Simple(_) => None,
    }
}

fn text(times: &SizeOperand) -> String {
    format!("{times:?}")
}

/// Computes the sums after the form; the sums of paths that a jump ends are added to `done`.
fn walk(
    form: &CostForm,
    mut sums: BTreeSet<Sum>,
    done: &mut BTreeSet<Sum>,
) -> Option<BTreeSet<Sum>> {
    let plus = |sums: BTreeSet<Sum>, more: &Sum| -> BTreeSet<Sum> {
        let sums = sums.into_iter().map(|mut sum| {
            add(&mut sum, more);
            sum
        });
        sums.collect()
    };
    for item in &form.0 {
        sums = match item {
            Item::Sum(more) => plus(sums, more),
            Item::Call(callee) => {
                plus(sums, &BTreeMap::from([(Some(format!("call {callee}")), 1)]))
            }
            Item::If(then, otherwise) => {
                let mut both = walk(then, sums.clone(), done)?;
                both.extend(walk(otherwise, sums, done)?);
                both
            }
            // The head of a `while` runs once more than its body.
            Item::Around("while", _, head, body) => {
                let mut after = walk(head, sums, done)?;
                let iteration = walk(body, after.clone(), done)?;
                after.extend(walk(head, iteration, done)?);
                after
            }
            Item::Around("block", _, body, _) => walk(body, sums, done)?,
            Item::Around(_, _, body, _) => {
                let iteration = walk(body, sums.clone(), done)?;
                sums.extend(iteration);
                sums
            }
            Item::Break(_) | Item::Continue(_) | Item::Exit => {
                done.extend(sums);
                return Some(BTreeSet::new());
            }
        };
        if sums.len() + done.len() > MAX_PATHS {
            return None;
        }
    }
    Some(sums)
}
