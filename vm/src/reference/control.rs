//! Control flow: active constructs, their iterations, and jumps out of them.

use star_ir::{Block, ForallRange, LabelId, LocId, Operand, Stmt, StmtKind, VarId};

use super::forall::Forall;
use super::frame::{Frame, top};
use super::interpreter::Interpreter;
use super::kernel::Expected;
use super::touch::Touch;
use super::value::Data;
use crate::interrupt::{Exec, internal_error};

/// An active construct. Above a loop is the block of the running iteration.
pub(super) enum Region<'p> {
    /// A sequence of statements.
    Block {
        label: Option<LabelId>,
        rest: std::slice::Iter<'p, Stmt>,
    },
    For {
        label: LabelId,
        loc: LocId,
        var: VarId,
        /// The value of the next iteration, if there is one.
        next: Option<i64>,
        to: i64,
        down: bool,
        body: &'p Block,
    },
    While {
        label: LabelId,
        loc: LocId,
        head: &'p Block,
        test: &'p Operand,
        body: &'p Block,
        /// The head has run, the test is next.
        at_test: bool,
    },
    Foreach {
        label: LabelId,
        loc: LocId,
        var: VarId,
        over: VarId,
        /// The last visited component, counted from 1.
        at: usize,
        body: &'p Block,
    },
    Forall(Box<Forall<'p>>),
    /// The fallback of a kernel, and the results that it must have, if the kernel can run.
    Kernel(Option<Box<Expected>>),
}

impl<'p> Region<'p> {
    /// Creates a region of statements without a name.
    pub(super) fn block(stmts: &'p [Stmt]) -> Self {
        let rest = stmts.iter();
        Region::Block { label: None, rest }
    }

    fn label(&self) -> Option<LabelId> {
        match self {
            Region::Block { label, .. } => *label,
            Region::For { label, .. }
            | Region::While { label, .. }
            | Region::Foreach { label, .. } => Some(*label),
            Region::Forall(forall) => Some(forall.label),
            Region::Kernel(_) => None,
        }
    }

    /// Abandons the construct because the run stops inside it: variables that it holds return to
    /// their slots.
    pub(super) fn abandon(self, frame: &mut Frame<'_>) {
        match self {
            Region::Block { .. }
            | Region::For { .. }
            | Region::While { .. }
            | Region::Foreach { .. }
            | Region::Kernel(_) => {}
            Region::Forall(forall) => forall.abandon(frame),
        }
    }
}

impl<'p> Interpreter<'p, '_, '_> {
    /// Begins a construct, or jumps.
    pub(super) fn begin(&mut self, kind: &'p StmtKind, loc: LocId) -> Exec<()> {
        if let StmtKind::Kernel(kernel) = kind {
            let expected = self.kernel(kernel)?.map(Box::new);
            return self.again(Region::Kernel(expected), &kernel.fallback);
        }
        let frame = top(&mut self.frames)?;
        let region = match kind {
            StmtKind::For { label, var, from, to, down, body } => Region::For {
                label: *label,
                loc,
                var: *var,
                next: Some(frame.int(from)?),
                to: frame.int(to)?,
                down: *down,
                body,
            },
            StmtKind::While { label, head, test, body } => {
                Region::While { label: *label, loc, head, test, body, at_test: false }
            }
            StmtKind::Foreach { label, var, over, body } => {
                Region::Foreach { label: *label, loc, var: *var, over: *over, at: 0, body }
            }
            StmtKind::Forall { label, var, range, writes, privates, reductions, body } => {
                let range: &ForallRange = range;
                let forall =
                    Forall::new(frame, loc, *label, *var, range, privates, reductions, body)?;
                let detector = forall.detector(frame, writes)?;
                self.race_detectors.push(detector);
                Region::Forall(Box::new(forall))
            }
            StmtKind::If { test, then, otherwise } => {
                let holds = frame.boolean(test)?;
                Region::block(if holds { then } else { otherwise })
            }
            StmtKind::Block { label, body } => {
                Region::Block { label: Some(*label), rest: body.iter() }
            }
            StmtKind::Break(label) => {
                leave_inner(frame, *label)?;
                return leave_region(frame);
            }
            StmtKind::Continue(label) => {
                leave_inner(frame, *label)?;
                return match frame.regions.last_mut() {
                    // The head comes next, whatever remains of the iteration.
                    Some(Region::While { at_test, .. }) => {
                        *at_test = false;
                        Ok(())
                    }
                    Some(Region::Block { .. } | Region::Kernel(_)) | None => {
                        Err(internal_error(format!("{label} is not a loop")))
                    }
                    Some(Region::For { .. } | Region::Foreach { .. } | Region::Forall(_)) => Ok(()),
                };
            }
            StmtKind::Exit => {
                while !frame.regions.is_empty() {
                    leave_region(frame)?;
                }
                return Ok(());
            }
            StmtKind::Simple(_) | StmtKind::Kernel(_) => {
                return Err(internal_error("this statement is not a construct"));
            }
        };
        frame.regions.push(region);
        Ok(())
    }

    /// Begins the next iteration of the innermost construct, or ends it.
    pub(super) fn iteration(&mut self) -> Exec<()> {
        let Some(region) = top(&mut self.frames)?.regions.pop() else {
            return Err(internal_error("no active construct"));
        };
        match region {
            Region::Block { .. } => Err(internal_error("a block has no iterations")),
            Region::For { .. } => self.for_iteration(region),
            Region::While { .. } => self.while_iteration(region),
            Region::Foreach { .. } => self.foreach_iteration(region),
            Region::Forall(forall) => self.forall_iteration(forall),
            Region::Kernel(Some(expected)) => self.same_as_kernel(*expected),
            Region::Kernel(None) => Ok(()),
        }
    }

    /// Begins another iteration of `region`, with `body`.
    pub(super) fn again(&mut self, region: Region<'p>, body: &'p [Stmt]) -> Exec<()> {
        let regions = &mut top(&mut self.frames)?.regions;
        regions.push(region);
        regions.push(Region::block(body));
        Ok(())
    }

    fn for_iteration(&mut self, mut region: Region<'p>) -> Exec<()> {
        let Region::For { loc, var, ref mut next, to, down, body, .. } = region else {
            return Err(internal_error("not a `for`"));
        };
        self.looks_for_iteration(body, loc);
        let Some(value) = next.filter(|&value| if down { value >= to } else { value <= to }) else {
            return Ok(());
        };
        // There is no value after the last one, which may be the greatest integer.
        *next = match (value == to, down) {
            (true, _) => None,
            (false, true) => value.checked_sub(1),
            (false, false) => value.checked_add(1),
        };
        self.loc = loc;
        self.count_iteration()?;
        top(&mut self.frames)?.store(&mut self.budget, var, Data::Int(value))?;
        self.again(region, body)
    }

    fn while_iteration(&mut self, mut region: Region<'p>) -> Exec<()> {
        let Region::While { loc, head, test, body, ref mut at_test, .. } = region else {
            return Err(internal_error("not a `while`"));
        };
        *at_test = !*at_test;
        if *at_test {
            return self.again(region, head);
        }
        self.looks_for_iteration(body, loc);
        if let Operand::Var(var) = test {
            self.record(&[Touch::read(*var)])?;
        }
        if !top(&mut self.frames)?.boolean(test)? {
            return Ok(());
        }
        self.count_iteration()?;
        self.again(region, body)
    }

    fn foreach_iteration(&mut self, mut region: Region<'p>) -> Exec<()> {
        let Region::Foreach { loc, var, over, ref mut at, body, .. } = region else {
            return Err(internal_error("not a `foreach`"));
        };
        self.looks_for_iteration(body, loc);
        let frame = top(&mut self.frames)?;
        let bits = frame.bits(over)?;
        let Some(idx) = (*at..bits.len()).find(|&idx| bits[idx]) else {
            return Ok(());
        };
        *at = idx + 1;
        self.loc = loc;
        self.count_iteration()?;
        top(&mut self.frames)?.store(&mut self.budget, var, Data::Int(idx as i64 + 1))?;
        self.again(region, body)
    }
}

/// Leaves all constructs inside the one with this name.
fn leave_inner(frame: &mut Frame<'_>, label: LabelId) -> Exec<()> {
    loop {
        match frame.regions.last() {
            Some(region) if region.label() == Some(label) => return Ok(()),
            Some(_) => leave_region(frame)?,
            None => return Err(internal_error(format!("no enclosing construct {label}"))),
        }
    }
}

/// Leaves the innermost construct by a jump.
fn leave_region(frame: &mut Frame<'_>) -> Exec<()> {
    match frame.regions.last() {
        Some(Region::Forall(_) | Region::Kernel(_)) => {
            Err(internal_error("a jump out of a `forall`"))
        }
        Some(
            Region::Block { .. }
            | Region::For { .. }
            | Region::While { .. }
            | Region::Foreach { .. },
        )
        | None => {
            frame.regions.pop();
            Ok(())
        }
    }
}
