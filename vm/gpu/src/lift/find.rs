//! Which loops become kernels.

use std::collections::HashMap;

use star_ir::{
    Check, ForallRange, LogicOp, Op, Operand, Part, PartKind, Reduction, ReductionOp, Routine,
    SizeOp, SizeOperand, Stmt, StmtKind, Ty, VarId, visit,
};

use super::text::Text;
use super::{Length, Lifted, Line, Node, Over, Port, Step, Turns};
use crate::compile::is_number;

/// May it be one, before anything is looked at more closely?
pub(super) fn may_be(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Forall { reductions, .. } => reductions.is_empty(),
        // The loop of its fallback may be one.
        StmtKind::Kernel(_) => false,
        StmtKind::For { body, .. } => has_forall(body),
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
        | StmtKind::Foreach { .. }
        | StmtKind::If { .. }
        | StmtKind::Block { .. }
        | StmtKind::Break(_)
        | StmtKind::Continue(_)
        | StmtKind::Exit => false,
    }
}

/// Does a statement, however deep, go over lines?
fn has_forall(block: &[Stmt]) -> bool {
    let mut has_forall = false;
    visit::walk(block, &mut |stmt| has_forall |= matches!(stmt.kind, StmtKind::Forall { .. }));
    has_forall
}

/// What is known of a loop so far.
pub(super) struct Finder<'r> {
    routine: &'r Routine,
    pub(super) nodes: Vec<Node>,
    numbers: HashMap<Node, usize>,
    /// What slices and words of the loop hold, and how long they are.
    bits: HashMap<VarId, (usize, Length)>,
    /// Variables that the loop assigns, so far.
    pub(super) assigned: Vec<VarId>,
    /// Variables that it reads before it assigns them, if it does.
    outer: Vec<VarId>,
    pub(super) steps: Vec<Step>,
    latches: Vec<(VarId, SizeOperand)>,
    turn: Option<VarId>,
    turn_cost: u64,
    pub(super) cost: u64,
    /// The `forall`, once it was seen: nothing but costs comes after it.
    kernel: Option<Kernel>,
}

/// A `forall`.
pub(super) struct Kernel {
    /// The table that changes, or whose lines are combined.
    pub(super) target: VarId,
    pub(super) line: Line,
    pub(super) over: Over,
    pub(super) iteration: VarId,
    /// Which iterations there are, if not all of a range.
    some: Option<usize>,
    /// What a line becomes, or what is combined of it.
    pub(super) made: usize,
    /// The slice or word that it is combined into, if no line is stored.
    pub(super) combined: Option<(VarId, LogicOp)>,
}

impl<'r> Finder<'r> {
    pub(super) fn new(routine: &'r Routine) -> Self {
        Finder {
            routine,
            nodes: Vec::new(),
            numbers: HashMap::new(),
            bits: HashMap::new(),
            assigned: Vec::new(),
            outer: Vec::new(),
            steps: Vec::new(),
            latches: Vec::new(),
            turn: None,
            turn_cost: 0,
            cost: 0,
            kernel: None,
        }
    }

    /// What the loop becomes; `None` if it holds anything that no kernel does, or leaves something
    /// behind that is needed.
    pub(super) fn lifted(mut self, stmt: &Stmt, lives: &dyn Fn(VarId) -> bool) -> Option<Lifted> {
        let turns = match &stmt.kind {
            StmtKind::For { label: _, var, from, to, down, body } => {
                self.turn = Some(*var);
                self.assigned.push(*var);
                self.block(body)?;
                let turns = Turns { var: *var, from: from.clone(), to: to.clone(), down: *down };
                Some(turns)
            }
            _ => {
                self.statement(stmt)?;
                None
            }
        };
        let Kernel { target, line, over, iteration, some, made, combined } = self.kernel.take()?;
        // Those that combine lines have no kernel.
        combined.is_none().then_some(())?;
        // These are found out again behind the loop.
        let is_known = |var: &VarId| {
            Some(*var) == self.turn || self.latches.iter().any(|(known, _)| known == var)
        };
        if self.assigned.iter().any(|var| lives(*var) && !is_known(var)) {
            return None;
        }
        // No turn sees what an earlier one has left in a variable.
        if self.outer.iter().any(|var| self.assigned.contains(var)) {
            return None;
        }
        self.outer.sort_unstable();
        self.outer.dedup();
        let objects =
            self.outer.iter().copied().filter(|var| !is_number(self.routine.var(*var).ty));
        let objects = objects.collect();
        let (shader, ports) = Text::new(&self.nodes, target, line).kernel(some, made)?;
        (ports.len() <= super::text::MOST_PORTS).then_some(())?;
        let Finder { steps, latches, turn_cost, cost, .. } = self;
        Some(Lifted {
            turns,
            target,
            line,
            over,
            iteration,
            objects,
            steps,
            shader,
            ports,
            turn_cost,
            cost,
            latches,
        })
    }

    /// A `forall` alone.
    pub(super) fn alone(&mut self, stmt: &Stmt) -> Option<Kernel> {
        self.statement(stmt)?;
        self.kernel.take()
    }

    pub(super) fn node(&mut self, node: Node) -> usize {
        let next = self.nodes.len();
        *self.numbers.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            next
        })
    }

    /// Notes what the statement reads that the loop has not assigned.
    fn note(&mut self, stmt: &Stmt) {
        let latched = match &stmt.kind {
            StmtKind::Size(SizeOp::Latch { dst, size: _ }) => Some(*dst),
            _ => None,
        };
        visit::accesses(&stmt.kind, &mut |var, access| {
            if access.reads() && !self.assigned.contains(&var) && Some(var) != latched {
                self.outer.push(var);
            }
        });
    }

    fn block(&mut self, block: &[Stmt]) -> Option<()> {
        block.iter().try_for_each(|stmt| self.statement(stmt))
    }

    /// A statement of a turn.
    fn statement(&mut self, stmt: &Stmt) -> Option<()> {
        if let StmtKind::Cost { units, times: None } = stmt.kind {
            self.turn_cost = self.turn_cost.checked_add(units)?;
            return Some(());
        }
        self.kernel.is_none().then_some(())?;
        self.note(stmt);
        match &stmt.kind {
            StmtKind::If { test, then, otherwise: _ } => {
                self.steps.push(Step::Holds(test.clone()));
                self.block(then)
            }
            StmtKind::Kernel(kernel) => self.block(&kernel.fallback),
            // Nothing leaves it, or it is no loop of these.
            StmtKind::Block { label: _, body } => self.block(body),
            StmtKind::Size(SizeOp::Latch { dst, size }) => {
                self.assigned.push(*dst);
                self.latches.push((*dst, size.clone()));
                self.steps.push(Step::Latch(*dst, size.clone()));
                Some(())
            }
            StmtKind::Forall { label: _, var, range, writes, privates, reductions, body } => {
                let (target, line, combined) = match (writes.as_slice(), reductions.as_slice()) {
                    ([Part { var: target, kind }], []) => {
                        let line = match kind {
                            PartKind::Row => Line::Row,
                            PartKind::Column => Line::Column,
                            PartKind::Field { .. } | PartKind::Component => return None,
                        };
                        (*target, line, None)
                    }
                    ([], [Reduction { var: into, op }]) => {
                        let (target, line) = loaded(body, *var)?;
                        (target, line, Some((*into, logic(*op)?)))
                    }
                    _ => return None,
                };
                self.assigned.push(*var);
                self.assigned.extend(privates);
                let (over, some) = match range {
                    ForallRange::Range(from, to) => (Over::Range(from.clone(), to.clone()), None),
                    ForallRange::Ones(over) => {
                        let (some, length) = self.value(*over);
                        (Over::Ones(length), Some(some))
                    }
                };
                let mut made = None;
                for stmt in body {
                    self.of_iteration(stmt, *var, (target, line), &mut made)?;
                }
                let made = match combined {
                    None => made?,
                    Some(combined) => self.combined(combined)?,
                };
                let iteration = *var;
                self.kernel = Some(Kernel { target, line, over, iteration, some, made, combined });
                Some(())
            }
            StmtKind::Assign(dst, op) => self.assign(*dst, op, None),
            StmtKind::Check(check) => self.check(check),
            _ => None,
        }
    }

    /// A statement of an iteration.
    pub(super) fn of_iteration(
        &mut self,
        stmt: &Stmt,
        var: VarId,
        (target, line): (VarId, Line),
        made: &mut Option<usize>,
    ) -> Option<()> {
        self.note(stmt);
        let stored = match &stmt.kind {
            StmtKind::Cost { units, times: None } => {
                self.cost = self.cost.checked_add(*units)?;
                return Some(());
            }
            StmtKind::Check(check) => return self.check(check),
            StmtKind::Assign(dst, op) => {
                // What was stored before is not loaded again.
                made.is_none().then_some(())?;
                return self.assign(*dst, op, Some((var, line)));
            }
            StmtKind::PutRow { table, index, value } => (*table, index, *value, Line::Row),
            StmtKind::PutColumn { table, index, value } => (*table, index, *value, Line::Column),
            _ => return None,
        };
        let (table, index, value, stored) = stored;
        let is_own = table == target && stored == line && *index == Operand::Var(var);
        (is_own && made.is_none()).then_some(())?;
        *made = Some(self.value(value).0);
        Some(())
    }

    /// An assignment, in an iteration over these lines or in a turn.
    fn assign(&mut self, dst: VarId, op: &Op, own: Option<(VarId, Line)>) -> Option<()> {
        let (node, length) = match op {
            Op::Column(table, index) => self.load(Line::Column, *table, index, own)?,
            Op::Row(table, index) => self.load(Line::Row, *table, index, own)?,
            Op::BitsNot(of) => {
                let (of, length) = self.value(*of);
                (self.node(Node::Not(of)), length)
            }
            Op::BitsLogic(op, left, right) => {
                let ((left, length), (right, _)) = (self.value(*left), self.value(*right));
                (self.node(Node::Logic(*op, left, right)), length)
            }
            Op::Fill(len, bit) if own.is_some() => {
                let is_private = matches!(len, Operand::Var(var) if self.assigned.contains(var));
                (!is_private)
                    .then(|| (self.node(Node::Constant(*bit)), Length::Number(len.clone())))?
            }
            Op::Copy(Operand::Var(of)) if self.routine.var(*of).ty.is_bits() => self.value(*of),
            Op::Copy(_)
            | Op::Int(..)
            | Op::Compare(..)
            | Op::Not(_)
            | Op::Logic(..)
            | Op::Length(_)
            | Op::Rows(_)
            | Op::Columns(_)
                if own.is_none() && matches!(self.routine.var(dst).ty, Ty::Int | Ty::Bool) =>
            {
                self.assigned.push(dst);
                self.steps.push(Step::Number(dst, op.clone()));
                return Some(());
            }
            _ => return None,
        };
        self.routine.var(dst).ty.is_bits().then_some(())?;
        self.assigned.push(dst);
        self.steps.push(Step::Bits(dst, length.clone()));
        self.bits.insert(dst, (node, length));
        Some(())
    }

    /// What an iteration combines into a slice or word that it has from the one before.
    fn combined(&mut self, (into, op): (VarId, LogicOp)) -> Option<usize> {
        self.routine.var(into).ty.is_bits().then_some(())?;
        let before = self.node(Node::Outer(into));
        let (after, _) = self.value(into);
        match self.nodes[after] {
            Node::Logic(done, of, made) | Node::Logic(done, made, of)
                if done == op && of == before =>
            {
                Some(made)
            }
            _ => None,
        }
    }

    fn load(
        &mut self,
        line: Line,
        table: VarId,
        index: &Operand,
        own: Option<(VarId, Line)>,
    ) -> Option<(usize, Length)> {
        let Operand::Var(index) = index else { return None };
        let node = match own {
            Some((var, own)) => (*index == var && own == line).then_some(Node::Own(table))?,
            None => (Some(*index) == self.turn).then_some(Node::Pivot(line, table))?,
        };
        Some((self.node(node), Length::Line(line, table)))
    }

    /// What a slice or word holds.
    pub(super) fn value(&mut self, var: VarId) -> (usize, Length) {
        match self.bits.get(&var) {
            Some(known) => known.clone(),
            None => (self.node(Node::Outer(var)), Length::Of(var)),
        }
    }

    /// The checks that can be made for all turns at once.
    fn check(&mut self, check: &Check) -> Option<()> {
        match check {
            Check::Set(_) | Check::Index(..) | Check::Size(..) | Check::NotNegative(_) => {
                self.steps.push(Step::Check(check.clone()));
                Some(())
            }
            Check::Sized(_)
            | Check::HandlePart(..)
            | Check::Result(_)
            | Check::NewColumn(..)
            | Check::Range { .. }
            | Check::Int(..)
            | Check::Bit(_)
            | Check::Fits { .. }
            | Check::FitsInt(_)
            | Check::Even(_)
            | Check::NoCarry(..)
            | Check::Assert(..) => None,
        }
    }
}

/// The lines that the iterations of a body load: of which table, and which way.
pub(super) fn loaded(body: &[Stmt], iteration: VarId) -> Option<(VarId, Line)> {
    body.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Assign(_, Op::Row(table, Operand::Var(index))) if *index == iteration => {
            Some((*table, Line::Row))
        }
        StmtKind::Assign(_, Op::Column(table, Operand::Var(index))) if *index == iteration => {
            Some((*table, Line::Column))
        }
        _ => None,
    })
}

/// Reductions that are done bit by bit.
pub(super) fn logic(op: ReductionOp) -> Option<LogicOp> {
    match op {
        ReductionOp::Or => Some(LogicOp::Or),
        ReductionOp::And => Some(LogicOp::And),
        ReductionOp::Xor => Some(LogicOp::Xor),
        ReductionOp::Min | ReductionOp::Max | ReductionOp::Add => None,
    }
}

impl Port {
    /// Words that a kernel is given for it.
    pub(super) fn words(self) -> usize {
        match self {
            Port::Bits(..) => 1,
            Port::Table(_) => 2,
        }
    }
}
