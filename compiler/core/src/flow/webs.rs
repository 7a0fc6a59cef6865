//! Webs: maximal unions of def-use chains that meet, as in Muchnick's book; and definite assignment.
//!
//! Note [Webs]. A slice or word that is declared without a size may take another size at every
//! assignment, and the published programs do so (`w` of DIJKSTRA is now a row of the graph, now a
//! vertex code). Each web becomes a SIR variable of its own, with one symbolic size. A walk in the order
//! of evaluation gives every definition a node; where paths meet, a node joins the nodes of the paths, as a φ does.
//! Only joins that a mention really sees tie webs together. The same nodes tell where a variable may be
//! unset.

mod ties;
mod walk;

use std::collections::BTreeSet;

use crate::hir::{LocalId, Role, Routine, Site, Ty, TyKind};
use crate::visit;

pub(crate) use walk::analyse;

/// What the analysis found out about a routine.
pub(crate) struct Webs {
    /// The web of every mention; `None` where the program does not get.
    site_web: Vec<Option<u32>>,
    /// Of each variable: is it split into webs?
    split: Vec<bool>,
    /// May the variable be unset where it is mentioned?
    maybe_unset: Vec<bool>,
    /// Is it surely unset there?
    never_set: Vec<bool>,
    /// The variable of every web.
    pub(crate) web_local: Vec<LocalId>,
    /// The web that a variable is in at the start.
    entry_web: Vec<u32>,
    /// Of each parameter: is it surely set at the end?
    pub(crate) assigns: Vec<bool>,
    /// Of each parameter: may what the caller gave be looked at? If not, it is a result only.
    pub(crate) takes: Vec<bool>,
    /// May a function's result be unset at the end?
    pub(crate) result_maybe_unset: bool,
}

impl Webs {
    pub(crate) fn web(&self, site: Site) -> Option<u32> {
        self.site_web[site.0 as usize]
    }

    pub(crate) fn is_split(&self, local: LocalId) -> bool {
        self.split[local.0 as usize]
    }

    pub(crate) fn maybe_unset(&self, site: Site) -> bool {
        self.maybe_unset[site.0 as usize]
    }

    pub(crate) fn never_set(&self, site: Site) -> bool {
        self.never_set[site.0 as usize]
    }

    pub(crate) fn entry_web(&self, local: LocalId) -> u32 {
        self.entry_web[local.0 as usize]
    }
}

/// Is the variable split into webs? Sized ones and scalars have one size anyway; a `var` parameter is
/// the caller's variable.
fn is_split(routine: &Routine, in_sizes: &BTreeSet<LocalId>, local: LocalId) -> bool {
    let declared = routine.local(local);
    matches!(declared.role, Role::Local | Role::Value)
        && declared.ty.is_unsized()
        && matches!(declared.ty.kind(), TyKind::Slice | TyKind::Word | TyKind::Table)
        && !in_sizes.contains(&local)
}

/// The variables that declared sizes mention.
fn in_sizes(routine: &Routine) -> BTreeSet<LocalId> {
    let mut found = BTreeSet::new();
    for local in &routine.locals {
        let sizes = match &local.ty {
            Ty::Int | Ty::Bool | Ty::Str | Ty::Handle => [None, None],
            Ty::Slice(size) | Ty::Word(size) => [size.as_deref(), None],
            Ty::Table(rows, columns) => [rows.as_deref(), columns.as_deref()],
        };
        for size in sizes.into_iter().flatten() {
            visit::uses_of_expr(size, &mut |place| {
                found.insert(place.local);
            });
        }
    }
    found
}

#[derive(Debug)]
enum Node {
    /// Never set.
    Unset,
    /// A `var` parameter at the start: set or not.
    FromCaller,
    /// Set.
    Def,
    /// A join of paths.
    Join(Vec<u32>),
    /// Changed in place.
    Through { before: u32, after: After },
}

/// What a change in place says about the variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum After {
    /// It is surely set.
    Set,
    /// It is set if it was set before.
    AsBefore,
    /// It may be unset: the header of a callee may ask for another size.
    MaybeUnset,
}
