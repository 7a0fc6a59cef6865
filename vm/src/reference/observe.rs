//! Observation of a run, statement by statement: for stepping.
//!
//! Only the reference can be observed: it runs SIR as given, so an observer sees exactly the source
//! program. An observer only reads; its only effect can be to end the run.

use std::ops::ControlFlow;

use star_ir::{LimitKind, LocId, Routine, Stmt, VarId};
use star_value::Value as HostValue;

use super::frame::Frame;
use super::interpreter::Interpreter;
use super::value::Data;
use crate::interrupt::{Exec, Stop};

/// An observer of a run.
pub trait Observer {
    /// Called before each step. `Break` ends the run as an interrupt does.
    fn at(&mut self, moment: Moment<'_>, scene: &Scene<'_>) -> ControlFlow<()>;
}

/// The next step.
#[derive(Clone, Copy, Debug)]
pub enum Moment<'a> {
    /// A statement. A construct or call is only begun.
    Statement(&'a Stmt),
    /// An iteration of the loop at [`Scene::loc`]; its variable does not have the next value yet.
    Iteration,
    /// The end of the routine.
    End,
}

/// The innermost active routine.
pub struct Scene<'a> {
    frame: &'a Frame<'a>,
    depth: usize,
    loc: LocId,
    operations: u64,
}

impl Scene<'_> {
    /// Returns the routine.
    pub fn routine(&self) -> &Routine {
        self.frame.routine
    }

    /// Returns the number of active routines; 1 in the entry.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Returns the location of the next step.
    pub fn loc(&self) -> LocId {
        self.loc
    }

    /// Returns the number of elementary operations counted so far.
    pub fn operations(&self) -> u64 {
        self.operations
    }

    /// Returns a copy of the value of a variable of the routine.
    pub fn value(&self, var: VarId) -> HostValue {
        let slot = self.frame.slots.get(var.0 as usize);
        slot.and_then(|slot| slot.data.as_ref()).map_or(HostValue::Unset, Data::to_host)
    }
}

impl Interpreter<'_, '_, '_> {
    /// Notifies the observer, if there is one.
    pub(super) fn observe(&mut self, moment: Moment<'_>) -> Exec<()> {
        let (Some(observer), Some(frame)) = (&mut self.observer, self.frames.last()) else {
            return Ok(());
        };
        let scene = Scene {
            frame,
            depth: self.frames.len(),
            loc: self.loc,
            operations: self.control.stats.operations,
        };
        match observer.at(moment, &scene) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Stop::Limit(LimitKind::Interrupted)),
        }
    }
}
