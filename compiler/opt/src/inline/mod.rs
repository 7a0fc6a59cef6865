//! `inline`: replaces a call of a small routine by the statements of that routine.
//!
//! Small library procedures (MATCH, TCOPY, ADDC …) are called in the loops of larger ones; after
//! inlining, the passes see the loop with its complete body. Callees are processed before their
//! callers, so that the calls in a copied routine have already been inlined. Not inlined are:
//!
//! * a routine in a cycle of the call graph, one with an intrinsic, one that may end without its
//!   value, and a large one;
//! * a call inside a `forall`, and one that a pass has copied here;
//! * a call through which a variable could come back with a size other than its extents state: that
//!   is a trap of the call;
//! * a call of which a message would name a variable differently from the routine.
//!
//! Inlining preserves values, since a value parameter is a copy, or is the argument itself if the
//! routine does not change it; the state, since a `ref` parameter is the argument; traps, since
//! each location is that of the routine with the call added to the calls that it was inlined
//! through, and names what the routine named ([`star_ir::Names`]); memory, since the routine's
//! variables are unset at the point of return, which is also their required state before the next
//! iteration of a loop around the call.
//!
//! The locations that it adds follow those of the program. So sessions, whose programs extend one
//! another, omit this pass ([`crate::reoptimise`]).

mod site;
mod splice;

use std::collections::BTreeSet;
use std::sync::Arc;

use star_ir::analysis::walk::{Inspect, Point, walk_doubting};
use star_ir::rewrite::{Edit, Edits, Labels, edit};
use star_ir::{Program, RoutineId, Simple, Stmt, StmtKind, VarId, verify_guards};

use crate::context::Context;
use site::Site;
use splice::{Proof, Spliced};

/// The maximum number of attempts with fewer inlined calls.
const MAX_ROUNDS: usize = 6;

pub(crate) fn run(program: &mut Program, id: RoutineId, context: &mut Context) -> usize {
    let mut sites = site::find(program, id);
    for _ in 0..MAX_ROUNDS {
        if sites.is_empty() {
            break;
        }
        let before = Arc::clone(&program.routines[id.0 as usize]);
        let n_locations = program.locations.len();
        context.n_verified += 1;
        let refused = inline(program, id, &sites);
        if refused.is_empty() {
            return sites.len();
        }
        program.routines[id.0 as usize] = before;
        program.locations.truncate(n_locations);
        let mut number = 0..;
        sites.retain(|_| number.next().is_none_or(|at| !refused.contains(&at)));
    }
    0
}

/// Inlines the calls; returns the numbers of those with an unproven condition. Then the program
/// must be reverted.
fn inline(program: &mut Program, id: RoutineId, sites: &[Site]) -> BTreeSet<usize> {
    let mut all = Vec::new();
    let mut labels = Labels::new(program.routine(id));
    for site in sites {
        match splice::splice(program, id, site, &mut labels) {
            Some(spliced) => all.push(spliced),
            None => return BTreeSet::from([all.len()]),
        }
    }
    let edits: Edits = (sites.iter().zip(&mut all))
        .map(|(site, spliced)| (site.at, Edit::Splice(spliced.take_block())))
        .collect();
    edit(&mut program.routine_mut(id).body, &edits);
    let mut refused = unproven(program, id, sites, &all);
    if let Err(errors) = verify_guards(program, id) {
        for error in errors {
            let concerns = |spliced: &Spliced| error.iter().any(|var| spliced.concerns(*var));
            let n_before = refused.len();
            refused.extend((0..all.len()).filter(|at| concerns(&all[*at])));
            if refused.len() == n_before && error.iter().all(|var| !known(&all, *var)) {
                refused.extend(0..all.len());
            }
        }
    }
    refused
}

/// Returns whether an inlined call uses the variable.
fn known(all: &[Spliced], var: VarId) -> bool {
    all.iter().any(|spliced| spliced.concerns(var))
}

/// Returns the calls for which the sizes of returned variables are not proven to be those of their
/// extents. The checks of these conditions are removed.
fn unproven(
    program: &mut Program,
    id: RoutineId,
    sites: &[Site],
    all: &[Spliced],
) -> BTreeSet<usize> {
    let proofs = all.iter().enumerate();
    let proofs =
        proofs.flat_map(|(at, spliced)| spliced.proofs.iter().map(move |proof| (at, proof)));
    let mut finder = Finder { proofs: proofs.collect(), open: BTreeSet::new(), at: Edits::new() };
    if finder.proofs.is_empty() {
        return BTreeSet::new();
    }
    // A variable that gets its size in the routine must not be trusted to have the size of its
    // extent.
    let doubted =
        finder.proofs.iter().filter(|(at, proof)| sites[*at].unsized_args.contains(&proof.of));
    let doubted: Vec<VarId> = doubted.map(|(_, proof)| proof.of).collect();
    walk_doubting(program, program.routine(id), doubted, &mut finder);
    let Finder { open, at, .. } = finder;
    edit(&mut program.routine_mut(id).body, &at);
    open
}

struct Finder<'s> {
    proofs: Vec<(usize, &'s Proof)>,
    /// Calls with a failed proof.
    open: BTreeSet<usize>,
    at: Edits,
}

impl Inspect for Finder<'_> {
    fn before(&mut self, at: usize, stmt: &Stmt, point: &mut Point<'_, '_>) {
        let StmtKind::Simple(Simple::Check(check)) = &stmt.kind else { return };
        for (site, proof) in &self.proofs {
            if proof.check == *check && proof.loc == stmt.loc {
                self.at.insert(at, Edit::Remove);
                if !point.facts.holds(check) {
                    self.open.insert(*site);
                }
            }
        }
    }
}
