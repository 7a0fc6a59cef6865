//! A run looked at from outside, statement by statement: for stepping.
//!
//! Only the reference can be observed: it runs SIR as given, so that what an observer sees is what the
//! source says. An observer looks; all it can do is end the run.

use std::ops::ControlFlow;

use star_ir::{LimitKind, LocId, Routine, Stmt, VarId};

use super::frame::Frame;
use super::interpreter::Interpreter;
use super::value::Data;
use crate::interrupt::{Exec, Stop};
use crate::value::HostValue;

/// Looks at a run.
pub trait Observer {
    /// Something is about to happen. `Break` ends the run as an interruption does.
    fn at(&mut self, moment: Moment<'_>, scene: &Scene<'_>) -> ControlFlow<()>;
}

/// What is about to happen.
#[derive(Clone, Copy, Debug)]
pub enum Moment<'a> {
    /// A statement. A construct or call is only begun.
    Statement(&'a Stmt),
    /// A turn of the loop at [`Scene::loc`]; its variable has not taken the next value yet.
    Turn,
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
    /// The routine.
    pub fn routine(&self) -> &Routine {
        self.frame.routine
    }

    /// Number of active routines; 1 in the entry.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The place of what is about to happen.
    pub fn loc(&self) -> LocId {
        self.loc
    }

    /// Elementary operations counted so far.
    pub fn operations(&self) -> u64 {
        self.operations
    }

    /// A copy of what a variable of the routine holds.
    pub fn value(&self, var: VarId) -> HostValue {
        let slot = self.frame.slots.get(var.0 as usize);
        slot.and_then(|slot| slot.data.as_ref()).map_or(HostValue::Unset, Data::to_host)
    }
}

impl Interpreter<'_, '_, '_> {
    /// Tells the observer, if there is one.
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
