//! Lowered routines of a session, kept from line to line.
//!
//! A routine has the same number in SIR as in HIR, so that it means the same in every line; a
//! routine that no line has needed yet is empty. A lowered routine is kept until it, or one that it
//! calls, directly or not, is redefined, as Note [Shared routines] in star-ir requires. The
//! routines of lines come last, and are dropped when the next lines come.

use std::sync::Arc;

use star_base::Diagnostic;
use star_ir::LocId;

use super::LowerOptions;
use super::program::{Analysed, Bodies, reachable};
use crate::hir::{Program, RoutineId};

/// The number of dropped routines beyond which, if it also exceeds that of the existing ones,
/// everything is rebuilt: the locations of dropped routines remain.
const MAX_GONE: usize = 64;

/// The lowered routines of a session.
pub(crate) struct LoweringCache {
    options: LowerOptions,
    analysed: Analysed,
    program: star_ir::Program,
    /// The messages from lowering each routine; `None` if it is not lowered.
    said: Vec<Option<Vec<Diagnostic>>>,
    /// Routines with an error, which are not kept.
    faulty: Vec<RoutineId>,
    /// The numbers of routines and locations before those of the last lines.
    lasting: Option<(usize, usize)>,
    /// The number of dropped routines whose locations remain.
    n_gone: usize,
    n_lowered: usize,
}

impl LoweringCache {
    pub(crate) fn new(options: LowerOptions) -> Self {
        LoweringCache {
            options,
            analysed: Analysed::default(),
            program: star_ir::Program::default(),
            said: Vec::new(),
            faulty: Vec::new(),
            lasting: None,
            n_gone: 0,
            n_lowered: 0,
        }
    }

    pub(crate) fn options(&self) -> &LowerOptions {
        &self.options
    }

    /// Returns the number of routines lowered so far.
    pub(crate) fn n_lowered(&self) -> usize {
        self.n_lowered
    }

    /// Returns the program lowered so far.
    pub(crate) fn program(&self) -> &star_ir::Program {
        &self.program
    }

    /// Returns the messages from lowering a routine.
    pub(crate) fn said(&self, id: RoutineId) -> &[Diagnostic] {
        self.said.get(id.0 as usize).and_then(Option::as_deref).unwrap_or_default()
    }

    /// Returns the routines in which the last lowering found an error.
    pub(crate) fn faulty(&self) -> &[RoutineId] {
        &self.faulty
    }

    /// Lowers `roots` and all that they call, unless already done, and verifies what is new. From
    /// number `n_items` on, routines are those of lines.
    ///
    /// # Errors
    /// If a routine lowered without an error does not verify: a bug in this crate.
    pub(crate) fn lower(
        &mut self,
        program: &Program,
        n_items: usize,
        roots: &[RoutineId],
    ) -> Result<(), Box<Diagnostic>> {
        let faulty = std::mem::take(&mut self.faulty);
        self.forget(n_items, |id| faulty.contains(&id));
        self.analysed.add(program, roots, &self.options);
        let is_lowered = |id: RoutineId| matches!(self.said.get(id.0 as usize), Some(Some(_)));
        let needed = reachable(program, roots, Bodies::lowered(&self.options), is_lowered);
        let n_routines = program.routines.len();
        let ids: Vec<_> = (0..).map(|idx| Some(star_ir::RoutineId(idx))).take(n_routines).collect();
        self.said.resize_with(n_routines, || None);
        self.program.routines.resize(n_routines, Arc::new(empty()));
        for &id in &needed {
            let idx = id.0 as usize;
            if idx >= n_items {
                self.lasting.get_or_insert((n_items, self.program.locations.len()));
            }
            let mut said = Vec::new();
            let locations = &mut self.program.locations;
            let made = self.analysed.lower(program, id, &self.options, &ids, locations, &mut said);
            if let Some((routine, _)) = made {
                self.program.routines[idx] = Arc::new(routine);
            }
            if said.iter().any(Diagnostic::is_error) {
                self.faulty.push(id);
            }
            self.said[idx] = Some(said);
        }
        self.n_lowered += needed.len();
        if !self.faulty.is_empty() {
            return Ok(());
        }
        let new: Vec<_> = needed.iter().map(|id| star_ir::RoutineId(id.0)).collect();
        crate::verified(star_ir::verify_routines(&self.program, &new)).inspect_err(|_| {
            self.faulty = needed;
        })
    }

    /// Drops the routines that changed and those that call them, directly or not. There are
    /// `n_items` now; the lines are dropped in any case.
    pub(crate) fn forget(&mut self, n_items: usize, changed: impl Fn(RoutineId) -> bool) {
        if let Some((n_routines, n_locations)) = self.lasting.take() {
            self.truncate(n_routines);
            self.program.locations.truncate(n_locations);
        }
        let gone = self.analysed.forget(|id| id.0 as usize >= n_items || changed(id));
        for id in gone {
            if let Some(said) = self.said.get_mut(id.0 as usize)
                && said.take().is_some()
            {
                self.n_gone += 1;
                self.program.routines[id.0 as usize] = Arc::new(empty());
            }
        }
        self.truncate(n_items);
        if self.n_gone > self.said.iter().flatten().count().max(MAX_GONE) {
            let n_lowered = self.n_lowered;
            *self = LoweringCache { n_lowered, ..LoweringCache::new(self.options) };
        }
    }

    fn truncate(&mut self, n_routines: usize) {
        self.analysed.truncate(n_routines);
        self.program.routines.truncate(n_routines);
        self.said.truncate(n_routines);
    }
}

/// Creates the placeholder for a routine that is not needed.
fn empty() -> star_ir::Routine {
    star_ir::Routine {
        name: String::new(),
        params: Vec::new(),
        result: None,
        vars: Vec::new(),
        body: Vec::new(),
        loc: LocId(0),
        intrinsic: None,
    }
}
