//! Liveness: a backward dataflow analysis over structured control flow. A variable is live where a
//! use of its current value may follow.
//!
//! Uses are reads, reads of a size, updates in place, lent variables, and what a trap observes
//! ([`Observation`]); an access to a slice, word or table uses the variables that are its extents.
//! Only a whole new value is a definition. At the end of a routine the result and the `ref`
//! parameters are live.
//!
//! The head of a loop is a fixed point: live there are the variables that the loop leaves to the
//! following code and those that an iteration needs. It is kept from one visit to the next, so that
//! the innermost of d loops is walked d + 1 times and not 2ᵈ times.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::var_set::VarSet;
use crate::op::Operand;
use crate::program::{Extent, LabelId, Mode, Program, Routine, RoutineId, VarId};
use crate::stmt::{ForallRange, PartKind, Simple, SizeOp, Stmt, StmtKind};
use crate::visit::{self, Access, Observation};

/// The variables that are live after each statement of a routine.
pub struct Liveness {
    after: Vec<VarSet>,
    entry: VarSet,
    exit: VarSet,
}

/// The maximum size of the sets of a routine, in bits; in a larger routine everything counts as
/// live.
const MAX_BITS: usize = 1 << 28;

impl Liveness {
    /// Analyses the routine with number `id`.
    pub fn of(program: &Program, id: RoutineId) -> Self {
        let routine = program.routine(id);
        let lent = routine.params.iter().filter(|param| match param.mode {
            Mode::Ref => true,
            Mode::Value => false,
        });
        let mut exit = VarSet::default();
        lent.map(|param| param.var).chain(routine.result).for_each(|var| exit.insert(var));
        let n = super::n_statements(&routine.body);
        if n.saturating_mul(routine.vars.len()) > MAX_BITS {
            (0..).map(VarId).take(routine.vars.len()).for_each(|var| exit.insert(var));
            return Liveness { after: Vec::new(), entry: exit.clone(), exit };
        }
        let mut sizes = Sizes::default();
        number(&routine.body, &mut sizes);
        let mut walk = Backward {
            routine,
            observation: Observation::new(program, routine),
            sizes,
            after: vec![VarSet::default(); n],
            heads: HashMap::default(),
            targets: Vec::new(),
            defined: Vec::new(),
            used: Vec::new(),
            exit: exit.clone(),
        };
        let mut entry = exit.clone();
        walk.block(&routine.body, 0, &mut entry);
        Liveness { after: walk.after, entry, exit }
    }

    /// Returns whether the variable is live after the statement with number `at`
    /// ([`super::n_statements`]). At the end of the body of a loop, this is the point before the
    /// next iteration.
    pub fn is_live_after(&self, at: usize, var: VarId) -> bool {
        self.after.get(at).is_none_or(|live| live.contains(var))
    }

    /// Returns whether the value of the variable outlives the routine.
    pub fn is_live_at_exit(&self, var: VarId) -> bool {
        self.exit.contains(var)
    }

    /// Returns whether the variable is live at the entry of the routine.
    pub fn is_live_at_entry(&self, var: VarId) -> bool {
        self.entry.contains(var)
    }
}

/// The number of statements in each compound statement, itself included, by its address in the
/// body.
type Sizes = HashMap<*const Stmt, usize, FixedState>;

fn number(block: &[Stmt], sizes: &mut Sizes) -> usize {
    let mut total = 0;
    for stmt in block {
        let inner: usize = visit::blocks(&stmt.kind).into_iter().map(|b| number(b, sizes)).sum();
        if inner > 0 {
            sizes.insert(stmt, inner + 1);
        }
        total += inner + 1;
    }
    total
}

/// The target of a jump and the variables that are live there.
struct Target {
    label: LabelId,
    on_break: VarSet,
    on_continue: VarSet,
}

struct Backward<'p> {
    routine: &'p Routine,
    observation: Observation<'p>,
    sizes: Sizes,
    after: Vec<VarSet>,
    /// The variables live at the head of each loop, as known so far.
    heads: HashMap<usize, VarSet, FixedState>,
    targets: Vec<Target>,
    /// The definitions and uses of a statement; the buffers are reused.
    defined: Vec<VarId>,
    used: Vec<VarId>,
    exit: VarSet,
}

impl Backward<'_> {
    fn size(&self, stmt: &Stmt) -> usize {
        self.sizes.get(&std::ptr::from_ref(stmt)).copied().unwrap_or(1)
    }

    fn n_statements(&self, block: &[Stmt]) -> usize {
        block.iter().map(|stmt| self.size(stmt)).sum()
    }

    /// Updates `live` from the variables live after the block to those live before it. `first` is
    /// the number of its first statement.
    fn block(&mut self, block: &[Stmt], first: usize, live: &mut VarSet) {
        let mut at = first + self.n_statements(block);
        for stmt in block.iter().rev() {
            at -= self.size(stmt);
            self.after[at].clone_from(live);
            self.statement(stmt, at, live);
        }
    }

    fn statement(&mut self, stmt: &Stmt, at: usize, live: &mut VarSet) {
        match &stmt.kind {
            StmtKind::Simple(_) => self.simple(stmt, live),
            StmtKind::Break(label) => self.jump(*label, live, |target| &target.on_break),
            StmtKind::Continue(label) => self.jump(*label, live, |target| &target.on_continue),
            StmtKind::Exit => live.clone_from(&self.exit),
            StmtKind::If { test, then, otherwise } => {
                let mut before_then = live.clone();
                self.block(then, at + 1, &mut before_then);
                self.block(otherwise, at + 1 + self.n_statements(then), live);
                live.join(&before_then);
                self.operand(test, live);
            }
            StmtKind::Kernel(kernel) => self.block(&kernel.fallback, at + 1, live),
            StmtKind::Block { label, body } => {
                // No `continue` refers to a block.
                let on_continue = live.clone();
                self.targets.push(Target { label: *label, on_break: live.clone(), on_continue });
                self.block(body, at + 1, live);
                self.targets.pop();
            }
            StmtKind::For { label, var, from, to, down: _, body } => {
                self.iterations(*label, &[*var], &VarSet::default(), body, at, live);
                self.operand(from, live);
                self.operand(to, live);
                self.extents(*var, live);
            }
            StmtKind::Foreach { label, var, over, body } => {
                let mut read = VarSet::default();
                read.insert(*over);
                self.iterations(*label, &[*var], &read, body, at, live);
                self.operand(&Operand::Var(*over), live);
            }
            StmtKind::While { label, head, test, body } => {
                self.while_loop(*label, (head, test, body), at, live);
            }
            StmtKind::Forall { label, var, range, writes, privates, reductions, body } => {
                // The reductions are combined at the end of an iteration.
                let mut read = VarSet::default();
                reductions.iter().for_each(|reduction| read.insert(reduction.var));
                let mut own = privates.clone();
                own.push(*var);
                self.iterations(*label, &own, &read, body, at, live);
                match range {
                    ForallRange::Range(from, to) => {
                        self.operand(from, live);
                        self.operand(to, live);
                    }
                    ForallRange::Ones(bits) => self.operand(&Operand::Var(*bits), live),
                }
                for part in writes {
                    live.insert(part.var);
                    self.extents(part.var, live);
                    match &part.kind {
                        PartKind::Field { base, width } => {
                            self.operand(base, live);
                            self.operand(width, live);
                        }
                        PartKind::Column | PartKind::Row | PartKind::Component => {}
                    }
                }
            }
        }
    }

    /// Handles a statement without blocks or jumps: definitions, then uses.
    fn simple(&mut self, stmt: &Stmt, live: &mut VarSet) {
        // The old value is not read.
        if let StmtKind::Simple(Simple::Size(SizeOp::Unset(var))) = &stmt.kind {
            return live.remove(*var);
        }
        let (mut defined, mut used) =
            (std::mem::take(&mut self.defined), std::mem::take(&mut self.used));
        self.observation.accesses(stmt, &mut |var, access| match access {
            Access::Write => defined.push(var),
            Access::Read
            | Access::ReadSize
            | Access::Observe
            | Access::Update
            | Access::InitSize
            | Access::LoopVar
            | Access::Kill
            | Access::Move
            | Access::Ref => used.push(var),
        });
        defined.iter().for_each(|&var| live.remove(var));
        for &var in &used {
            live.insert(var);
        }
        for &var in defined.iter().chain(&used) {
            self.extents(var, live);
        }
        defined.clear();
        used.clear();
        (self.defined, self.used) = (defined, used);
    }

    fn jump(&self, label: LabelId, live: &mut VarSet, of: impl Fn(&Target) -> &VarSet) {
        if let Some(target) = self.targets.iter().rfind(|target| target.label == label) {
            live.clone_from(of(target));
        }
    }

    /// Handles a loop whose iterations begin with new values of `own`; `read` is read at its head.
    fn iterations(
        &mut self,
        label: LabelId,
        own: &[VarId],
        read: &VarSet,
        body: &[Stmt],
        at: usize,
        live: &mut VarSet,
    ) {
        let mut head = self.heads.remove(&at).unwrap_or_default();
        head.join(live);
        head.join(read);
        loop {
            let (on_break, on_continue) = (live.clone(), head.clone());
            self.targets.push(Target { label, on_break, on_continue });
            let mut iteration = head.clone();
            self.block(body, at + 1, &mut iteration);
            self.targets.pop();
            own.iter().for_each(|&var| iteration.remove(var));
            if head.covers(&iteration) {
                break;
            }
            head.join(&iteration);
        }
        *live = head.clone();
        self.heads.insert(at, head);
    }

    fn while_loop(
        &mut self,
        label: LabelId,
        (head_block, test, body): (&[Stmt], &Operand, &[Stmt]),
        at: usize,
        live: &mut VarSet,
    ) {
        let body_at = at + 1 + self.n_statements(head_block);
        let mut head = self.heads.remove(&at).unwrap_or_default();
        loop {
            let (on_break, on_continue) = (live.clone(), head.clone());
            self.targets.push(Target { label, on_break, on_continue });
            let mut iteration = head.clone();
            self.block(body, body_at, &mut iteration);
            match test {
                // Only a jump, a limit or Ctrl-C ends such a loop, and these leave the current
                // values of the `ref` parameters to the caller.
                Operand::Bool(true) => iteration.join(&self.exit),
                Operand::Var(_) | Operand::Bool(false) | Operand::Int(_) | Operand::Str(_) => {
                    iteration.join(live);
                }
            }
            self.operand(test, &mut iteration);
            self.block(head_block, at + 1, &mut iteration);
            self.targets.pop();
            if head.covers(&iteration) {
                break;
            }
            head.join(&iteration);
        }
        *live = head.clone();
        self.heads.insert(at, head);
    }

    fn operand(&self, operand: &Operand, live: &mut VarSet) {
        match operand {
            Operand::Var(var) => {
                live.insert(*var);
                self.extents(*var, live);
            }
            Operand::Int(_) | Operand::Bool(_) | Operand::Str(_) => {}
        }
    }

    /// Adds the variables that are the extents of `var`.
    fn extents(&self, var: VarId, live: &mut VarSet) {
        for extent in self.routine.var(var).ty.extents() {
            match extent {
                Extent::Var(extent) => live.insert(extent),
                Extent::Const(_) | Extent::Dynamic => {}
            }
        }
    }
}
