//! Kernels, and loops around one, that run over a grid of workgroups.

use std::collections::HashMap;

use star_ir::kernel::{Effect, Line, Value, ValueId};
use star_ir::{
    Access, Check, ForallRange, IntOp, Kernel, Op, Operand, Query, Routine, Simple, SizeOp,
    SizeOperand, Stmt, StmtKind, Ty, VarId, visit,
};

use super::text::{MOST_PORT_WORDS, Text};
use super::{Lifted, Node, Over, Pivots, Port, Step, Sum};
use crate::compile::is_number;

/// Returns whether a statement is a kernel that stores lines, or a loop around a kernel.
pub(super) fn may_be(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Kernel(kernel) => {
            kernel.iterations().is_some() && matches!(kernel.effects[..], [Effect::Store { .. }])
        }
        StmtKind::For { body, .. } => has_kernel(body),
        _ => false,
    }
}

fn has_kernel(block: &[Stmt]) -> bool {
    let mut has_kernel = false;
    visit::walk(block, &mut |stmt| has_kernel |= matches!(stmt.kind, StmtKind::Kernel(_)));
    has_kernel
}

/// The analysis of a loop so far.
pub(super) struct Finder<'r> {
    routine: &'r Routine,
    nodes: Vec<Node>,
    numbers: HashMap<Node, usize>,
    /// The values of slices and words of the loop, and their lengths.
    bits: HashMap<VarId, (usize, SizeOperand)>,
    /// Variables that the loop assigns, so far.
    assigned: Vec<VarId>,
    /// Variables that it reads before it assigns them, if it does.
    outer: Vec<VarId>,
    steps: Vec<Step>,
    latched: Vec<VarId>,
    pivot: Option<VarId>,
    pivot_cost: u64,
    /// The table of which other processes have rows, and the number of rows that precede its own.
    divided: Option<(VarId, Operand)>,
    /// The integers that are a number of ones in an iteration, times a factor; sums of them.
    counts: Vec<Count>,
    sums: Vec<Count>,
    /// Whether an iteration uses one of them otherwise.
    uses_counts: bool,
    /// The kernel, once it was seen: nothing but costs comes after it.
    stores: Option<Stores>,
}

/// An integer that is the number of ones of a value, times a factor.
struct Count {
    var: VarId,
    of: usize,
    factor: i64,
}

/// A kernel that stores lines.
struct Stores {
    target: VarId,
    line: Line,
    over: Over,
    iteration: VarId,
    /// The iterations, if not all of a range.
    some: Option<usize>,
    /// The new line.
    made: usize,
    cost: u64,
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
            latched: Vec::new(),
            pivot: None,
            pivot_cost: 0,
            divided: None,
            counts: Vec::new(),
            sums: Vec::new(),
            uses_counts: false,
            stores: None,
        }
    }

    /// Returns the loop over a grid; `None` if a grid cannot run it, or if a variable that it
    /// assigns is live afterwards.
    pub(super) fn lifted(mut self, stmt: &Stmt, lives: &dyn Fn(VarId) -> bool) -> Option<Lifted> {
        let pivots = match &stmt.kind {
            StmtKind::For { label: _, var, from, to, down, body } => {
                self.pivot = Some(*var);
                self.assigned.push(*var);
                self.block(body)?;
                let pivots = Pivots { var: *var, from: from.clone(), to: to.clone(), down: *down };
                Some(pivots)
            }
            _ => {
                self.statement(stmt)?;
                None
            }
        };
        let Stores { target, line, over, iteration, some, made, cost } = self.stores.take()?;
        // The host returns these.
        let is_known = |var: &VarId| {
            Some(*var) == self.pivot
                || self.latched.contains(var)
                || self.sums.iter().any(|sum| sum.var == *var)
        };
        if self.assigned.iter().any(|var| lives(*var) && !is_known(var)) {
            return None;
        }
        // An iteration of the outer loop may not read what an earlier one assigned.
        if self.outer.iter().any(|var| self.assigned.contains(var)) {
            return None;
        }
        // Dispatches count only the iterations.
        if self.uses_counts || self.sums.iter().any(|sum| Some(sum.of) != some) {
            return None;
        }
        self.outer.sort_unstable();
        self.outer.dedup();
        let objects =
            self.outer.iter().copied().filter(|var| !is_number(self.routine.var(*var).ty));
        let objects = objects.collect();
        let (shader, ports) = Text::new(&self.nodes, target, line).kernel(some, made)?;
        (ports.iter().map(|port| port.words()).sum::<usize>() <= MOST_PORT_WORDS).then_some(())?;
        let before = match self.divided {
            Some((table, before)) => {
                // The rows of pivots are all that comes from other processes.
                let is_word = |port: &Port| matches!(port, Port::Bits(_, Line::Row));
                let is_whole = table == target && ports.iter().all(is_word);
                let by_rows = line == Line::Row && some.is_some();
                (is_whole && by_rows).then_some(Some(before))?
            }
            None => None,
        };
        let Finder { steps, latched, pivot_cost, sums, .. } = self;
        let sums = sums.into_iter().map(|Count { var, of: _, factor }| Sum { var, factor });
        Some(Lifted {
            pivots,
            target,
            line,
            over,
            iteration,
            objects,
            steps,
            shader,
            ports,
            pivot_cost,
            cost,
            latched,
            before,
            sums: sums.collect(),
        })
    }

    fn node(&mut self, node: Node) -> usize {
        let next = self.nodes.len();
        *self.numbers.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            next
        })
    }

    /// Records the variables that the statement reads and the loop has not assigned.
    fn note(&mut self, stmt: &Stmt) {
        let latched = match &stmt.kind {
            StmtKind::Simple(Simple::Size(SizeOp::Latch { dst, size: _ })) => Some(*dst),
            _ => None,
        };
        visit::accesses(&stmt.kind, &mut |var, access| {
            if Some(var) != latched {
                self.access(var, access);
            }
        });
    }

    fn access(&mut self, var: VarId, access: Access) {
        self.uses_counts |= self.counts.iter().chain(&self.sums).any(|count| count.var == var);
        if access.reads() && !self.assigned.contains(&var) {
            self.outer.push(var);
        }
    }

    fn block(&mut self, block: &[Stmt]) -> Option<()> {
        block.iter().try_for_each(|stmt| self.statement(stmt))
    }

    /// A statement of the outer loop.
    fn statement(&mut self, stmt: &Stmt) -> Option<()> {
        if let StmtKind::Simple(Simple::Cost { units, times: None }) = stmt.kind {
            self.pivot_cost = self.pivot_cost.checked_add(units)?;
            return Some(());
        }
        self.stores.is_none().then_some(())?;
        if let StmtKind::Simple(Simple::Assign(dst, op)) = &stmt.kind
            && let Some(of_ones) = self.count(*dst, op)
        {
            return of_ones;
        }
        self.note(stmt);
        match &stmt.kind {
            StmtKind::If { test, then, otherwise } if self.is_choice(then, otherwise) => {
                let (then, otherwise) = (self.numbers_of(then)?, self.numbers_of(otherwise)?);
                self.steps.push(Step::Choice(test.clone(), then, otherwise));
                Some(())
            }
            StmtKind::If { test, then, otherwise: _ } => {
                self.steps.push(Step::Holds(test.clone()));
                self.block(then)
            }
            StmtKind::Kernel(kernel) => self.kernel(kernel),
            // A jump out of it is none of the statements below.
            StmtKind::Block { label: _, body } => self.block(body),
            StmtKind::Simple(Simple::Size(SizeOp::Latch { dst, size })) => {
                self.assigned.push(*dst);
                self.latched.push(*dst);
                self.steps.push(Step::Latch(*dst, size.clone()));
                Some(())
            }
            StmtKind::Simple(Simple::Assign(dst, op)) => self.assign(*dst, op),
            StmtKind::Simple(Simple::Check(check)) => self.check(check),
            StmtKind::Simple(Simple::ExchangeRow { word, table, index, before }) => {
                let divided = (*table, before.clone());
                (*self.divided.get_or_insert_with(|| divided.clone()) == divided).then_some(())?;
                self.assign(*word, &Op::Row(*table, index.clone()))
            }
            _ => None,
        }
    }

    /// Records an integer that is the number of ones of a value, a multiple of it, or the sum of
    /// these over the iterations. `None` if the operation is another one; `Some(None)` if other
    /// statements change the sum.
    fn count(&mut self, dst: VarId, op: &Op) -> Option<Option<()>> {
        let known = |operand: &Operand| match operand {
            Operand::Var(var) => self.counts.iter().rposition(|count| count.var == *var),
            _ => None,
        };
        let (of, factor) = match op {
            Op::Query(Query::Count, bits) => (self.value(*bits).0, 1),
            Op::Int(IntOp::Mul, count, Operand::Int(by)) => {
                let count = &self.counts[known(count)?];
                (count.of, count.factor.checked_mul(*by)?)
            }
            Op::Int(IntOp::Add, Operand::Var(sum), count) if *sum == dst => {
                let Count { var: _, of, factor } = self.counts[known(count)?];
                let is_new = !self.assigned.contains(&dst) && !self.outer.contains(&dst);
                self.assigned.push(dst);
                self.sums.push(Count { var: dst, of, factor });
                return Some(is_new.then_some(()));
            }
            _ => return None,
        };
        self.assigned.push(dst);
        self.counts.push(Count { var: dst, of, factor });
        Some(Some(()))
    }

    /// Returns whether both branches only compute numbers.
    fn is_choice(&self, then: &[Stmt], otherwise: &[Stmt]) -> bool {
        then.iter().chain(otherwise).all(|stmt| match &stmt.kind {
            StmtKind::Simple(Simple::Assign(dst, op)) => self.is_number(*dst, op),
            _ => false,
        })
    }

    /// The steps of a branch.
    fn numbers_of(&mut self, block: &[Stmt]) -> Option<Vec<Step>> {
        let outer = std::mem::take(&mut self.steps);
        let done = self.block(block);
        let steps = std::mem::replace(&mut self.steps, outer);
        done.map(|()| steps)
    }

    /// Returns whether the host can compute the number.
    fn is_number(&self, dst: VarId, op: &Op) -> bool {
        matches!(self.routine.var(dst).ty, Ty::Int | Ty::Bool)
            && matches!(
                op,
                Op::Copy(_)
                    | Op::Int(..)
                    | Op::Compare(..)
                    | Op::Not(_)
                    | Op::Logic(..)
                    | Op::Length(_)
                    | Op::Rows(_)
                    | Op::Columns(_)
            )
    }

    /// A kernel that stores lines.
    fn kernel(&mut self, kernel: &Kernel) -> Option<()> {
        let [Effect::Store { table: target, index: None, value: made }] = kernel.effects[..] else {
            return None;
        };
        let iterations = kernel.iterations()?;
        kernel.fallback.iter().for_each(|stmt| self.note(stmt));
        self.assigned.push(iterations.var);
        self.assigned.extend(iterations.privates);
        for guard in &kernel.guards {
            visit::check_accesses(guard, &mut |var, access| self.access(var, access));
        }
        let (over, some) = match iterations.range {
            ForallRange::Range(from, to) => (Over::Range(from.clone(), to.clone()), None),
            ForallRange::Ones(over) => {
                let (some, length) = self.value(*over);
                (Over::Ones(length), Some(some))
            }
        };
        let mut nodes = Vec::with_capacity(kernel.values.len());
        for value in &kernel.values {
            let of = |id: &ValueId| nodes[id.0 as usize];
            let node = match value {
                Value::Line(table, _) => Node::Own(*table),
                Value::Whole(var) => {
                    nodes.push(self.value(*var).0);
                    continue;
                }
                Value::Fill(bit) => Node::Constant(*bit),
                Value::Not(id) => Node::Not(of(id)),
                Value::Logic(op, left, right) => Node::Logic(*op, of(left), of(right)),
                _ => return None,
            };
            nodes.push(self.node(node));
        }
        kernel.guards.iter().try_for_each(|guard| self.check(guard))?;
        self.stores = Some(Stores {
            target,
            line: kernel.line,
            over,
            iteration: iterations.var,
            some,
            made: nodes[made.0 as usize],
            cost: kernel.cost,
        });
        Some(())
    }

    /// An assignment in an iteration around the kernel.
    fn assign(&mut self, dst: VarId, op: &Op) -> Option<()> {
        let (node, length) = match op {
            Op::Column(table, index) => self.load(Line::Column, *table, index)?,
            Op::Row(table, index) => self.load(Line::Row, *table, index)?,
            Op::BitsNot(of) => {
                let (of, length) = self.value(*of);
                (self.node(Node::Not(of)), length)
            }
            Op::BitsLogic(op, left, right) => {
                let ((left, length), (right, _)) = (self.value(*left), self.value(*right));
                (self.node(Node::Logic(*op, left, right)), length)
            }
            Op::Copy(Operand::Var(of)) if self.routine.var(*of).ty.is_bits() => self.value(*of),
            _ if self.is_number(dst, op) => {
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

    /// The load of a pivot.
    fn load(&mut self, line: Line, table: VarId, index: &Operand) -> Option<(usize, SizeOperand)> {
        let is_own = matches!(index, Operand::Var(index) if Some(*index) == self.pivot);
        let length = match line {
            Line::Row => SizeOperand::Columns(table),
            Line::Column => SizeOperand::Rows(table),
        };
        is_own.then(|| (self.node(Node::Pivot(line, table)), length))
    }

    /// The value of a slice or word, and its length.
    fn value(&mut self, var: VarId) -> (usize, SizeOperand) {
        match self.bits.get(&var) {
            Some(known) => known.clone(),
            None => (self.node(Node::Outer(var)), SizeOperand::Length(var)),
        }
    }

    /// The checks that can be made for all pivots at once.
    fn check(&mut self, check: &Check) -> Option<()> {
        match check {
            Check::Set(_) | Check::Index(..) | Check::Size(..) | Check::NotNegative(_) => {
                self.steps.push(Step::Check(check.clone()));
                Some(())
            }
            _ => None,
        }
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
