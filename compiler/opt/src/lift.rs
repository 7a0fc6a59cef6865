//! `lift`: loop parallelisation. Loops without loop-carried dependences become `forall`, with
//! privates and reductions; where that takes checks at run time, the loop is versioned.
//!
//! Loops over lines come first, then those over fields (`fields.rs`), whose bodies may hold them.
//! Of a loop over lines the body loads rows (or columns) of its own index, combines them with each
//! other and with slices or words from outside, and stores rows (or columns) of its own index,
//! combines them into a slice or word, or asks something about them (`questions.rs`). Of each
//! variable one of these has to hold:
//!
//! * It is not written in the body.
//! * It is written before it is read in each iteration, and not read behind the loop: private. So
//!   is the loop variable.
//! * It is the table that is stored to: all iterations access only the line of their own index.
//! * It is a reduction: the body does nothing with it but `Z := Z op e`, always with the same
//!   operation, on lines or on answers.
//! * It is a slice or word of which all iterations write only the component of their own index.
//!
//! The body has no control flow but branches around what becomes of answers, and cannot trap: its
//! checks are proven, or compare the index, or the size of what an iteration makes, with a size
//! that the loop leaves alone. A slice or word that is made of lines is as long as these, in every
//! iteration. Such a check is hoisted, to a guard in front: where it fails the sequential loop
//! runs, which is kept behind it, and traps where it did.

mod distribute;
mod emit;
mod fields;
mod lines;
mod places;
mod questions;
mod state;
mod turn;

use std::collections::BTreeMap;

use star_ir::analysis::liveness::Liveness;
use star_ir::analysis::walk::{Belief, Inspect, Point, walk};
use star_ir::visit;
use star_ir::{
    ForallRange, LabelId, LocId, Op, Operand, Program, Routine, RoutineId, SizeOp, SizeOperand,
    Stmt, StmtKind, VarId,
};

use crate::context::Context;
use crate::remark::{self, Stay};
use crate::rewrite::guarded;
use distribute::{Does, Loops, Piece};
use lines::Lines;
use questions::Questions;

pub(crate) fn run(program: &mut Program, id: RoutineId, context: &mut Context) -> usize {
    let Some(routine) = program.routines.get(id.0 as usize) else { return 0 };
    let mut finder =
        Finder { program, id, routine, liveness: None, found: BTreeMap::new(), stayed: Vec::new() };
    let mut at = 0;
    visit::walk(&routine.body, &mut |stmt| {
        finder.look(at, stmt);
        at += 1;
    });
    let Finder { mut found, mut stayed, .. } = finder;
    if found.values().any(|lifted| lifted.looked_at().next().is_some()) {
        let looked_at = found.iter().map(|(at, lifted)| (*at, lifted.looked_at().collect()));
        let mut unset = Unset { looked_at: looked_at.collect(), is_unset: BTreeMap::new() };
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
    /// The loop, which is kept behind the guards.
    stmt: Stmt,
    label: LabelId,
    var: VarId,
    range: ForallRange,
    /// What the body does, one thing after another.
    pieces: Vec<Piece>,
    questions: Questions,
    /// Slices, words, numbers and truth values of which each iteration has its own.
    privates: Vec<VarId>,
    /// Those that are live behind the loop, and the loop variable, if it is.
    live: Vec<VarId>,
    /// Numbers that are a size which the loop leaves alone.
    invariants: Vec<(VarId, SizeOperand)>,
    /// Does anything keep what it was if there is no iteration?
    keeps_old: bool,
    /// What has to hold that is not proven.
    guards: Vec<Guard>,
}

impl Lifted {
    /// The variables that are looked at in front of the loop, or their sizes.
    fn looked_at(&self) -> impl Iterator<Item = VarId> {
        let sizes = self.invariants.iter().filter_map(|(_, size)| visit::measured(size));
        let combined = self.questions.reductions.iter().map(|reduction| reduction.var);
        self.guards.iter().flat_map(Guard::measured).chain(sizes).chain(combined)
    }
}

/// A condition on sizes that the loop leaves alone.
#[derive(Clone, PartialEq, Eq)]
enum Guard {
    /// This is at most the limit.
    AtMost(Least, SizeOperand),
    /// Both sizes are the same.
    Equal(SizeOperand, SizeOperand),
    /// The size, or the number, is at most this.
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

/// What is at most the limit.
#[derive(Clone, PartialEq, Eq)]
enum Least {
    /// The greatest index of a range; the least one is at least 1.
    Range(Operand, Operand),
    /// The number of components that are visited.
    Length(VarId),
}

struct Finder<'p> {
    program: &'p Program,
    id: RoutineId,
    routine: &'p Routine,
    /// Made when the first loop is met.
    liveness: Option<Liveness>,
    found: BTreeMap<usize, Lifted>,
    /// The other loops, and why they stay.
    stayed: Vec<(LocId, Stay)>,
}

/// The loops in front of which something that is measured there may be unset: sizes are taken of
/// what has one.
struct Unset {
    /// By the numbers of loops what is looked at in front of them.
    looked_at: BTreeMap<usize, Vec<VarId>>,
    is_unset: BTreeMap<usize, VarId>,
}

impl Inspect for Unset {
    fn before(&mut self, at: usize, _: &Stmt, point: &mut Point<'_, '_>) {
        let mut measured = self.looked_at.get(&at).into_iter().flatten();
        if let Some(var) = measured.find(|var| !point.facts.is_set(**var)) {
            self.is_unset.insert(at, *var);
        }
    }
}

impl Finder<'_> {
    /// Looks at the statement with number `at`.
    fn look(&mut self, at: usize, stmt: &Stmt) {
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

    /// The loop with number `at` as a `forall`, or why it is none.
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
            return Err(format!("{} is needed in the next turn", name(next)).into());
        }
        if let Some(touched) = lines.touched(body) {
            return Err(format!("{} is read or assigned whole, too", name(touched)).into());
        }
        let Lines { line, stored, reductions, questions, written, numbers, guards, .. } = lines;
        let privates: Vec<VarId> = written.iter().chain(&questions.privates).copied().collect();
        let liveness = self.liveness.get_or_insert_with(|| Liveness::of(self.program, self.id));
        let is_live = |var: &VarId| liveness.is_live_after(at, *var);
        let lasts: Vec<VarId> = privates.iter().copied().filter(is_live).collect();
        let unset = |stmt: &Stmt| match stmt.kind {
            StmtKind::Size(SizeOp::Unset(var)) if lasts.contains(&var) => Some(var),
            _ => None,
        };
        if let Some(unset) = body.iter().find_map(unset) {
            return Err(format!("{} is unset behind each turn", name(unset)).into());
        }
        let stores = stored.into_iter().map(Does::Store);
        let combines = reductions.into_iter().map(Does::Combine);
        let asks = (!questions.is_empty()).then_some(Does::Ask);
        let does = stores.chain(combines).chain(asks).chain(lasts.iter().copied().map(Does::Last));
        let invariants: Vec<(VarId, SizeOperand)> = numbers.into_iter().collect();
        let pieces = match line {
            Some(line) => {
                let loops =
                    Loops { routine: self.routine, questions: &questions, invariants: &invariants };
                loops.pieces(body, does.collect(), line)?
            }
            None => Vec::new(),
        };
        if pieces.iter().all(|piece| matches!(piece.does, Does::Last(_))) {
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
            questions,
            privates,
            live,
            invariants,
            keeps_old,
            guards,
        })
    }
}

/// The loop, if it is one whose turns are counted: its label and index, what this goes through, and
/// the body.
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
        StmtKind::Assign(..)
        | StmtKind::Step { .. }
        | StmtKind::Put { .. }
        | StmtKind::Replace { .. }
        | StmtKind::PutColumn { .. }
        | StmtKind::PutRow { .. }
        | StmtKind::PutBit { .. }
        | StmtKind::PutField { .. }
        | StmtKind::PutHandlePart { .. }
        | StmtKind::Size(_)
        | StmtKind::Check(_)
        | StmtKind::Cost { .. }
        | StmtKind::Call { .. }
        | StmtKind::Print(_)
        | StmtKind::Read { .. }
        | StmtKind::Write { .. }
        | StmtKind::While { .. }
        | StmtKind::Forall { .. }
        | StmtKind::Kernel(_)
        | StmtKind::If { .. }
        | StmtKind::Block { .. }
        | StmtKind::Break(_)
        | StmtKind::Continue(_)
        | StmtKind::Exit => return None,
    })
}

/// Does it work on fields?
fn is_on_fields(stmt: &Stmt) -> bool {
    let mut is_field = false;
    visit::walk(std::slice::from_ref(stmt), &mut |stmt| {
        let kind = &stmt.kind;
        is_field |=
            matches!(kind, StmtKind::Assign(_, Op::Field { .. }) | StmtKind::PutField { .. });
    });
    is_field
}
