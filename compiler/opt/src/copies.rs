//! `copies`: copy propagation and redundant-load elimination. The original is used instead of the
//! copy, so that the copy is dead.
//!
//! * After `y = copy x`, reads of `y` become reads of `x`: between the copy and its last use, `x`
//!   and `y` must not be written.
//! * After `y = column T, i` or `y = row T, i`, a repeated load becomes a copy of `y`: `i` must not
//!   be written, nor `T` except for parts proven different; an index of unknown value counts as the
//!   same index.
//! * `t = op; y = copy t` becomes `y = op` where `t` is not live afterwards (`temporaries`).
//!
//! A variable that a trap would name stays. The body of a `forall` is unchanged: it may
//! read only what it declares. The copy itself is removed by `dead`.

use std::collections::{BTreeMap, BTreeSet};

use star_ir::analysis::effects::Effects;
use star_ir::analysis::forward::{self, Forward};
use star_ir::analysis::parts::{self, Alias};
use star_ir::analysis::walk::{self, Belief, Inspect, Point};
use star_ir::rewrite::{for_each, map, map::Mapper};
use star_ir::{
    Access, Arg, Check, Op, Operand, Program, Routine, RoutineId, Simple, SizeOp, SizeOperand,
    Stmt, StmtKind, Var, VarId, visit,
};

use crate::context::Context;
use crate::rewrite::guarded;
use crate::temporaries;

pub(crate) fn run(program: &mut Program, id: RoutineId, context: &mut Context) -> usize {
    // First, since a read of `y` replaced by one of `t` would keep `t` alive.
    let joined = temporaries::run(program, id, context);
    let Some(routine) = program.routines.get(id.0 as usize) else { return joined };
    let apart = Apart::of(program, routine);
    let mut copies = Copies { routine, apart, parallel: 0, found: BTreeMap::new() };
    forward::run(routine, &mut copies, Available::default());
    let found = copies.found;
    let propagated = guarded(program, id, context, |routine| {
        let Routine { vars, body, .. } = routine;
        let mut fired = 0;
        for_each(body, &mut |at, stmt| {
            if let Some(found) = found.get(&at) {
                fired += found.apply(stmt, vars);
            }
        });
        fired
    });
    joined + propagated
}

/// A column or row of a table.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Line {
    Column(VarId, Operand),
    Row(VarId, Operand),
}

impl Line {
    fn of(op: &Op) -> Option<Line> {
        if let Op::Column(table, index) = op {
            Some(Line::Column(*table, index.clone()))
        } else if let Op::Row(table, index) = op {
            Some(Line::Row(*table, index.clone()))
        } else {
            None
        }
    }

    fn table(&self) -> VarId {
        match self {
            Line::Column(table, _) | Line::Row(table, _) => *table,
        }
    }

    fn index(&self) -> &Operand {
        match self {
            Line::Column(_, index) | Line::Row(_, index) => index,
        }
    }
}

/// The maximum number of copies and lines that are tracked, and of indices of one table that are
/// compared.
const MAX_FOLLOWED: usize = 256;

/// Variables with the same value as something else.
#[derive(Clone, Default)]
struct Available {
    /// Copies with their originals.
    copies: BTreeMap<VarId, VarId>,
    /// Variables that contain a line.
    lines: Vec<(VarId, Line)>,
}

impl Available {
    /// Bounds the size of the state independently of the routine: it is copied at every branch.
    fn bound(&mut self) {
        if self.copies.len() + self.lines.len() > MAX_FOLLOWED {
            *self = Available::default();
        }
    }

    /// Handles a variable that gets another value.
    fn forget(&mut self, var: VarId) {
        self.copies.retain(|copy, of| *copy != var && *of != var);
        self.lines.retain(|(holder, line)| {
            *holder != var && line.table() != var && *line.index() != Operand::Var(var)
        });
    }
}

/// Replacements for the reads of a statement.
#[derive(Default)]
struct Replacements {
    reads: BTreeMap<VarId, VarId>,
    /// The variable that already contains the line that the statement loads.
    loaded: Option<VarId>,
}

struct Copies<'r> {
    routine: &'r Routine,
    apart: Apart,
    /// The number of enclosing `forall` statements.
    parallel: usize,
    found: BTreeMap<usize, Replacements>,
}

impl Copies<'_> {
    fn reads(&mut self, at: usize, var: VarId, state: &Available) {
        if self.parallel == 0
            && let Some(&source) = state.copies.get(&var)
        {
            self.found.entry(at).or_default().reads.insert(var, source);
        }
    }

    /// Removes variables that the statement writes, as copies and as originals.
    fn forget_written(&self, at: usize, stmt: &Stmt, state: &mut Available) {
        let store = Store::of(&stmt.kind);
        visit::accesses(&stmt.kind, &mut |var, access| {
            if !access.writes() {
                return;
            }
            match &store {
                Some((table, store)) if *table == var => {
                    state.copies.retain(|copy, of| *copy != var && *of != var);
                    state.lines.retain(|(_, line)| {
                        line.table() != var || self.apart.is_apart(at, store, line)
                    });
                }
                Some(_) | None => state.forget(var),
            }
        });
    }
}

impl Forward for Copies<'_> {
    type State = Available;

    fn join(&mut self, state: &mut Available, other: &Available) {
        state.copies.retain(|copy, of| other.copies.get(copy) == Some(of));
        state.lines.retain(|line| other.lines.contains(line));
    }

    fn statement(&mut self, at: usize, stmt: &Stmt, state: &mut Available) {
        match &stmt.kind {
            StmtKind::Forall { .. } => self.parallel += 1,
            // It reads its slice in every iteration: see `head`.
            StmtKind::Foreach { .. } => {}
            StmtKind::Simple(_)
            | StmtKind::For { .. }
            | StmtKind::While { .. }
            | StmtKind::Kernel(_)
            | StmtKind::If { .. }
            | StmtKind::Block { .. }
            | StmtKind::Break(_)
            | StmtKind::Continue(_)
            | StmtKind::Exit => visit::accesses(&stmt.kind, &mut |var, access| {
                if access == Access::Read {
                    self.reads(at, var, state);
                }
            }),
        }
        state.bound();
        let mut known = None;
        if let StmtKind::Simple(Simple::Assign(dst, op)) = &stmt.kind {
            let same_kind = |a: VarId| self.routine.var(a).ty.same_kind(self.routine.var(*dst).ty);
            if let Op::Copy(Operand::Var(src)) = op
                && same_kind(*src)
            {
                let of = state.copies.get(src).copied().unwrap_or(*src);
                known = (of != *dst).then_some((*dst, of));
            }
            if let Some(line) = Line::of(op) {
                let holder = state.lines.iter().find(|(_, known)| *known == line);
                let holder = holder.map(|(holder, _)| *holder);
                if let Some(holder) = holder
                    && self.parallel == 0
                    && holder != *dst
                {
                    self.found.entry(at).or_default().loaded = Some(holder);
                    known = Some((*dst, holder));
                }
                let reads_dst = *line.index() == Operand::Var(*dst);
                self.forget_written(at, stmt, state);
                if !reads_dst {
                    state.lines.push((*dst, line));
                }
                state.copies.extend(known);
                return;
            }
        }
        self.forget_written(at, stmt, state);
        state.copies.extend(known);
    }

    fn head(&mut self, at: usize, stmt: &Stmt, written: &Effects, state: &mut Available) {
        written.keys().for_each(|&var| state.forget(var));
        self.forget_written(at, stmt, state);
        if let StmtKind::Foreach { over, .. } = &stmt.kind {
            self.reads(at, *over, state);
        }
    }

    fn iteration(&mut self, at: usize, stmt: &Stmt, state: &mut Available) {
        self.forget_written(at, stmt, state);
    }

    fn tested(&mut self, at: usize, test: &Operand, _: bool, state: &mut Available) {
        if let Operand::Var(var) = test {
            self.reads(at, *var, state);
        }
    }

    fn close(&mut self, at: usize, stmt: &Stmt, state: &mut Available) {
        self.parallel = self.parallel.saturating_sub(1);
        self.forget_written(at, stmt, state);
    }
}

impl Replacements {
    /// Returns the number of replaced reads.
    fn apply(&self, stmt: &mut Stmt, vars: &[Var]) -> usize {
        if let (StmtKind::Simple(Simple::Assign(_, op)), Some(holder)) =
            (&mut stmt.kind, self.loaded)
        {
            *op = Op::Copy(Operand::Var(holder));
            return 1;
        }
        let mut reads = Reads { reads: &self.reads, fired: 0 };
        match &mut stmt.kind {
            StmtKind::Simple(Simple::Check(check)) => {
                if may_say_otherwise(check, &self.reads, vars) {
                    return 0;
                }
                check.map(&mut reads);
            }
            StmtKind::Simple(Simple::Call { args, .. }) => {
                // A lent or moved variable must not also be another argument.
                let taken: BTreeSet<VarId> = args
                    .iter()
                    .filter_map(|arg| match arg {
                        Arg::Ref(var) | Arg::Move(var) => Some(*var),
                        Arg::Value(_) => None,
                    })
                    .collect();
                if self.reads.values().any(|var| taken.contains(var)) {
                    return 0;
                }
                map::statement(stmt, &mut reads);
            }
            // Other sizes are those of types.
            StmtKind::Simple(Simple::Size(_)) | StmtKind::Forall { .. } | StmtKind::Kernel(_) => {}
            StmtKind::Simple(_)
            | StmtKind::For { .. }
            | StmtKind::While { .. }
            | StmtKind::Foreach { .. }
            | StmtKind::If { .. }
            | StmtKind::Block { .. }
            | StmtKind::Break(_)
            | StmtKind::Continue(_)
            | StmtKind::Exit => map::statement(stmt, &mut reads),
        }
        reads.fired
    }
}

/// Returns whether a trap of the check would name a variable differently.
fn may_say_otherwise(check: &Check, reads: &BTreeMap<VarId, VarId>, vars: &[Var]) -> bool {
    let source = |var: VarId| vars[var.0 as usize].source.as_deref();
    let other = |var: VarId| reads.get(&var).is_some_and(|&of| source(of) != source(var));
    let other_number = |operand: &Operand| match operand {
        Operand::Var(var) => other(*var),
        Operand::Int(_) | Operand::Bool(_) | Operand::Str(_) => false,
    };
    let other_size = |size: &SizeOperand| match size {
        SizeOperand::Value(value) => other_number(value),
        SizeOperand::Length(_) | SizeOperand::Rows(_) | SizeOperand::Columns(_) => false,
    };
    match check {
        Check::NotNegative(value) => other_number(value),
        Check::Fits { value: _, width } | Check::FitsRow { row: _, width } => other_number(width),
        Check::Size(left, right) => other_size(left) || other_size(right),
        Check::FitsInt(var) => other(*var),
        // These name the measured variable, which does not change.
        Check::Set(_)
        | Check::Sized(_)
        | Check::HandlePart(..)
        | Check::Result(_)
        | Check::Index(..)
        | Check::NewColumn(..)
        | Check::Range { .. }
        | Check::Int(..)
        | Check::Bit(_)
        | Check::Even(_)
        | Check::NoCarry(..)
        | Check::Assert(..) => false,
    }
}

/// Maps reads.
struct Reads<'f> {
    reads: &'f BTreeMap<VarId, VarId>,
    fired: usize,
}

impl Mapper for Reads<'_> {
    fn read(&mut self, var: &mut VarId) {
        if let Some(of) = self.reads.get(var) {
            *var = *of;
            self.fired += 1;
        }
    }

    fn operand(&mut self, operand: &mut Operand) {
        if let Operand::Var(var) = operand {
            self.read(var);
        }
    }
}

/// A store to parts of a table.
enum Store<'s> {
    Column(&'s Operand),
    Row(&'s Operand),
    Bit(&'s Operand, &'s Operand),
    /// Columns are appended to the existing ones.
    Columns,
}

impl<'s> Store<'s> {
    fn of(kind: &'s StmtKind) -> Option<(VarId, Store<'s>)> {
        match kind {
            StmtKind::Simple(Simple::PutColumn { table, index, value: _ }) => {
                Some((*table, Store::Column(index)))
            }
            StmtKind::Simple(Simple::PutRow { table, index, value: _ }) => {
                Some((*table, Store::Row(index)))
            }
            StmtKind::Simple(Simple::PutBit { table, row, column, bit: _ }) => {
                Some((*table, Store::Bit(row, column)))
            }
            StmtKind::Simple(Simple::Size(SizeOp::EnsureColumns { table, columns: _ })) => {
                Some((*table, Store::Columns))
            }
            _ => None,
        }
    }
}

/// Stores that do not affect lines because their indices are proven different at the store.
struct Apart {
    /// Indices of loads, for each table.
    loads: BTreeMap<VarId, Vec<Operand>>,
    /// By the number of a store: its index and that of a load.
    different: BTreeMap<usize, Vec<(Operand, Operand)>>,
}

impl Apart {
    fn of(program: &Program, routine: &Routine) -> Self {
        let mut loads: BTreeMap<VarId, Vec<Operand>> = BTreeMap::new();
        visit::walk(&routine.body, &mut |stmt| {
            if let StmtKind::Simple(Simple::Assign(_, op)) = &stmt.kind
                && let Some(line) = Line::of(op)
            {
                let loads = loads.entry(line.table()).or_default();
                if loads.len() < MAX_FOLLOWED && !loads.contains(line.index()) {
                    loads.push(line.index().clone());
                }
            }
        });
        // Facts are computed only where they can be useful.
        let mut stored = BTreeSet::new();
        visit::walk(&routine.body, &mut |stmt| {
            stored.extend(Store::of(&stmt.kind).map(|(table, _)| table));
        });
        loads.retain(|table, _| stored.contains(table));
        let mut apart = Apart { loads, different: BTreeMap::new() };
        if !apart.loads.is_empty() {
            walk::walk(program, routine, Belief::Header, &mut apart);
        }
        apart
    }

    /// Returns whether the store with number `at` leaves the line unchanged.
    fn is_apart(&self, at: usize, store: &Store<'_>, line: &Line) -> bool {
        let differ = |stored: &Operand, loaded: &Operand| {
            let different = self.different.get(&at).into_iter().flatten();
            different.into_iter().any(|(a, b)| a == stored && b == loaded)
        };
        match (store, line) {
            (Store::Column(stored), Line::Column(_, loaded))
            | (Store::Row(stored), Line::Row(_, loaded))
            | (Store::Bit(stored, _), Line::Row(_, loaded))
            | (Store::Bit(_, stored), Line::Column(_, loaded)) => differ(stored, loaded),
            (Store::Columns, Line::Column(..)) => true,
            (Store::Column(_) | Store::Columns, Line::Row(..))
            | (Store::Row(_), Line::Column(..)) => false,
        }
    }
}

impl Inspect for Apart {
    fn before(&mut self, at: usize, stmt: &Stmt, point: &mut Point<'_, '_>) {
        let Some((table, store)) = Store::of(&stmt.kind) else { return };
        let Some(loads) = self.loads.get(&table) else { return };
        let stored = match store {
            Store::Column(index) | Store::Row(index) => vec![index],
            Store::Bit(row, column) => vec![row, column],
            Store::Columns => Vec::new(),
        };
        for stored in stored {
            for loaded in loads {
                match parts::compare(point.facts, stored, loaded) {
                    Alias::Different => {
                        let different = self.different.entry(at).or_default();
                        different.push((stored.clone(), loaded.clone()));
                    }
                    Alias::Same | Alias::Unknown => {}
                }
            }
        }
    }
}
