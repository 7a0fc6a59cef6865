//! `lift`: loop parallelisation. Loops without loop-carried dependences become `forall`, with
//! privates and reductions; where that requires checks at run time, the loop is versioned.
//!
//! Loops over lines come first, then those over fields (`fields.rs`), whose bodies may contain
//! them. The body of a loop over lines loads rows (or columns) of its index, combines them with
//! each other and with slices or words from outside, and stores rows (or columns) of its index,
//! combines them into a slice or word, or queries them (`queries.rs`). For each variable, one of
//! these must hold:
//!
//! * It is not written in the body.
//! * It is written before it is read in each iteration, and not read after the loop: private. The
//!   loop variable is private, too.
//! * It is the table that is stored to: all iterations access only the line of their index.
//! * It is a reduction: the body only computes `Z := Z op e`, always with the same operation, on
//!   lines or on results of queries.
//! * It is a slice or word of which each iteration writes only the component of its index.
//!
//! The only control flow of the body is branches around uses of query results, and the body cannot
//! trap: its checks are proven, or they compare the index, or a size that an iteration computes,
//! with a size that the loop does not change. A slice or word that is computed from lines has the
//! same length in every iteration. Such a check is hoisted to a guard before the loop. If the guard
//! fails, the sequential loop runs, which is kept as the other branch, and traps at the same place.

mod distribute;
mod emit;
mod fields;
mod index_polynomials;
mod iteration;
mod lines;
mod queries;
mod state;

use std::collections::BTreeMap;

use star_ir::analysis::liveness::Liveness;
use star_ir::analysis::walk::{Belief, Inspect, Point, walk};
use star_ir::visit;
use star_ir::{
    ForallRange, LabelId, LocId, Op, Operand, Program, Routine, RoutineId, Simple, SizeOp,
    SizeOperand, Stmt, StmtKind, VarId,
};

use crate::context::Context;
use crate::remark::{self, Stay};
use crate::rewrite::guarded;
use distribute::{Loops, Piece, Purpose};
use lines::Lines;
use queries::Queries;

pub(crate) fn run(program: &mut Program, id: RoutineId, context: &mut Context) -> usize {
    let Some(routine) = program.routines.get(id.0 as usize) else { return 0 };
    let mut finder =
        Finder { program, id, routine, liveness: None, found: BTreeMap::new(), stayed: Vec::new() };
    let mut at = 0;
    visit::walk(&routine.body, &mut |stmt| {
        finder.try_lift(at, stmt);
        at += 1;
    });
    let Finder { mut found, mut stayed, .. } = finder;
    if found.values().any(|lifted| lifted.read_before().next().is_some()) {
        let read_before = found.iter().map(|(at, lifted)| (*at, lifted.read_before().collect()));
        let mut unset = Unset { read_before: read_before.collect(), is_unset: BTreeMap::new() };
        walk(program, routine, Belief::Nothing, &mut unset);
        for (at, var) in unset.is_unset {
            if let Some(lifted) = found.remove(&at) {
                let why = format!("{} may be unset", remark::name(routine, var));
                stayed.push((lifted.stmt.loc, why.into()));
            }
        }
    }
    stayed.into_iter().for_each(|(loc, stay)| context.stayed_for(id, loc, stay));
    let locs: Vec<LocId> = found.values().map(|lifted| lifted.stmt.loc).collect();
    let fired = guarded(program, id, context, |routine| {
        let n = found.len();
        emit::rewrite(routine, found);
        n
    });
    for loc in locs {
        match fired {
            0 => context.stayed(id, loc, "the verifier finds no guard for its body"),
            _ => context.became(id, loc, "forall"),
        }
    }
    fired + fields::run(program, id, context)
}

/// A loop that can be lifted.
struct Lifted {
    /// The loop, which is kept for the case that a guard fails.
    stmt: Stmt,
    label: LabelId,
    var: VarId,
    range: ForallRange,
    /// The effects of the body, in order.
    pieces: Vec<Piece>,
    queries: Queries,
    /// Slices, words, numbers and truth values that are private to an iteration.
    privates: Vec<VarId>,
    /// The privates that are live after the loop, and the loop variable if it is live.
    live: Vec<VarId>,
    /// Numbers that hold a size that the loop does not change.
    invariants: Vec<(VarId, SizeOperand)>,
    /// Whether a variable keeps its old value if there is no iteration.
    keeps_old: bool,
    /// The conditions that are not proven.
    guards: Vec<Guard>,
}

impl Lifted {
    /// The variables that are read, or whose sizes are read, before the loop.
    fn read_before(&self) -> impl Iterator<Item = VarId> {
        let sizes = self.invariants.iter().filter_map(|(_, size)| visit::measured(size));
        let combined = self.queries.reductions.iter().map(|reduction| reduction.var);
        self.guards.iter().flat_map(Guard::measured).chain(sizes).chain(combined)
    }
}

/// A condition on sizes that the loop does not change.
#[derive(Clone, PartialEq, Eq)]
enum Guard {
    /// The indices are at most the limit.
    AtMost(Indices, SizeOperand),
    /// Both sizes are the same.
    Equal(SizeOperand, SizeOperand),
    /// The size, or the number, is at most this constant.
    Bounded(SizeOperand, i64),
}

impl Guard {
    /// The variables whose sizes are compared.
    fn measured(&self) -> impl Iterator<Item = VarId> {
        let of = match self {
            Guard::AtMost(_, size) | Guard::Bounded(size, _) => [visit::measured(size), None],
            Guard::Equal(left, right) => [visit::measured(left), visit::measured(right)],
        };
        of.into_iter().flatten()
    }
}

/// The indices that a guard compares with a limit.
#[derive(Clone, PartialEq, Eq)]
enum Indices {
    /// A range: its greatest index is compared, and its least index must be at least 1.
    Range(Operand, Operand),
    /// The components of a slice or word that are visited, up to its length.
    Length(VarId),
}

struct Finder<'p> {
    program: &'p Program,
    id: RoutineId,
    routine: &'p Routine,
    /// Computed for the first loop that is found.
    liveness: Option<Liveness>,
    found: BTreeMap<usize, Lifted>,
    /// The other loops, and the reasons why they stay.
    stayed: Vec<(LocId, Stay)>,
}

/// Finds the loops before which a measured variable may be unset: only variables that are set have
/// a size.
struct Unset {
    /// The variables that are read before each loop, by the number of the loop.
    read_before: BTreeMap<usize, Vec<VarId>>,
    is_unset: BTreeMap<usize, VarId>,
}

impl Inspect for Unset {
    fn before(&mut self, at: usize, _: &Stmt, point: &mut Point<'_, '_>) {
        let mut measured = self.read_before.get(&at).into_iter().flatten();
        if let Some(var) = measured.find(|var| !point.facts.is_set(**var)) {
            self.is_unset.insert(at, *var);
        }
    }
}

impl Finder<'_> {
    /// Tries to lift the statement with number `at`.
    fn try_lift(&mut self, at: usize, stmt: &Stmt) {
        let Some((label, var, range, body)) = range_of(stmt) else { return };
        if body.iter().any(is_on_fields) {
            return;
        }
        match self.lifted(at, stmt, (label, var, range, body)) {
            Ok(lifted) => {
                self.found.insert(at, lifted);
            }
            Err(why) => self.stayed.push((stmt.loc, why)),
        }
    }

    /// Returns the loop with number `at` as a `forall`, or the reason why it cannot be one.
    fn lifted(
        &mut self,
        at: usize,
        stmt: &Stmt,
        (label, var, range, body): (LabelId, VarId, ForallRange, &[Stmt]),
    ) -> Result<Lifted, Stay> {
        let mut lines = Lines::new(self.routine, var, body);
        for stmt in body {
            let done = lines.statement(stmt, &range);
            done.map_err(|why| Stay { why, at: Some(stmt.loc) })?;
        }
        let name = |var: VarId| remark::name(self.routine, var);
        if let Some(next) = lines.carried(body) {
            return Err(format!("{} is needed in the next iteration", name(next)).into());
        }
        if let Some(touched) = lines.touched(body) {
            return Err(format!("{} is also read or assigned as a whole", name(touched)).into());
        }
        let Lines { line, stored, reductions, queries, written, numbers, guards, .. } = lines;
        let privates: Vec<VarId> = written.iter().chain(&queries.privates).copied().collect();
        let liveness = self.liveness.get_or_insert_with(|| Liveness::of(self.program, self.id));
        let is_live = |var: &VarId| liveness.is_live_after(at, *var);
        let lasts: Vec<VarId> = privates.iter().copied().filter(is_live).collect();
        let unset = |stmt: &Stmt| match stmt.kind {
            StmtKind::Simple(Simple::Size(SizeOp::Unset(var))) if lasts.contains(&var) => Some(var),
            _ => None,
        };
        if let Some(unset) = body.iter().find_map(unset) {
            return Err(format!("{} is unset after each iteration", name(unset)).into());
        }
        let stores = stored.into_iter().map(Purpose::Store);
        let combines = reductions.into_iter().map(Purpose::Combine);
        let query = (!queries.is_empty()).then_some(Purpose::Query);
        let purposes =
            stores.chain(combines).chain(query).chain(lasts.iter().copied().map(Purpose::Last));
        let invariants: Vec<(VarId, SizeOperand)> = numbers.into_iter().collect();
        let pieces = match line {
            Some(line) => {
                let loops =
                    Loops { routine: self.routine, queries: &queries, invariants: &invariants };
                loops.pieces(body, purposes.collect(), line)?
            }
            None => Vec::new(),
        };
        if pieces.iter().all(|piece| matches!(piece.purpose, Purpose::Last(_))) {
            return Err("its body stores no row or column of its index".to_owned().into());
        }
        let live: Vec<VarId> = lasts.into_iter().chain(Some(var).filter(is_live)).collect();
        let keeps_old = !live.is_empty() || invariants.iter().any(|(var, _)| is_live(var));
        let stmt = stmt.clone();
        Ok(Lifted {
            stmt,
            label,
            var,
            range,
            pieces,
            queries,
            privates,
            live,
            invariants,
            keeps_old,
            guards,
        })
    }
}

/// Returns label, index, range and body of a loop whose iterations are counted.
fn range_of(stmt: &Stmt) -> Option<(LabelId, VarId, ForallRange, &[Stmt])> {
    Some(match &stmt.kind {
        StmtKind::For { label, var, from, to, down: false, body } => {
            (*label, *var, ForallRange::Range(from.clone(), to.clone()), body)
        }
        StmtKind::For { label, var, from, to, down: true, body } => {
            (*label, *var, ForallRange::Range(to.clone(), from.clone()), body)
        }
        StmtKind::Foreach { label, var, over, body } => {
            (*label, *var, ForallRange::Ones(*over), body)
        }
        _ => return None,
    })
}

/// Tests whether a statement works on fields.
fn is_on_fields(stmt: &Stmt) -> bool {
    let mut is_field = false;
    visit::walk(std::slice::from_ref(stmt), &mut |stmt| {
        let kind = &stmt.kind;
        is_field |= matches!(
            kind,
            StmtKind::Simple(Simple::Assign(_, Op::Field { .. }) | Simple::PutField { .. })
        );
    });
    is_field
}
