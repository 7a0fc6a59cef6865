//! Webs: maximal unions of def-use chains that meet, as in Muchnick's book; and definite
//! assignment.
//!
//! Note [Webs]. A slice or word that is declared without a size may get another size at every
//! assignment, and the published programs do so (`w` of DIJKSTRA is first a row of the graph, then
//! a vertex code). Each web becomes a separate SIR variable with one symbolic size. A walk in
//! evaluation order gives every definition a node; where paths meet, a node joins the nodes of the
//! paths, like a φ. Only joins visible to a mention unite webs. The same nodes show where a
//! variable may be unset.

mod ties;
mod walk;

use std::collections::BTreeSet;

use crate::hir::{LocalId, Role, Routine, Site, Ty, TyKind, VarUse};
use crate::visit;

pub(crate) use walk::analyse;

/// The result of analysing a routine.
pub(crate) struct Webs {
    /// The web of every mention; `None` in unreachable code.
    site_web: Vec<Option<u32>>,
    /// For each variable: is it split into webs?
    split: Vec<bool>,
    /// May the variable be unset at each mention?
    maybe_unset: Vec<bool>,
    /// Is it definitely unset there?
    never_set: Vec<bool>,
    /// Is the value that the variable has after each mention certainly not read?
    unread: Vec<bool>,
    /// The variable of every web.
    pub(crate) web_local: Vec<LocalId>,
    /// The web of each variable at the start.
    entry_web: Vec<u32>,
    /// For each parameter: is it definitely set at the end?
    pub(crate) assigns: Vec<bool>,
    /// For each parameter: may the value given by the caller be read? If not, it is only a result.
    pub(crate) takes: Vec<bool>,
    /// May a function's result be unset at the end?
    pub(crate) result_maybe_unset: bool,
    /// Mentions that read a variable where it may have no value after a `forall` or at the start
    /// of an iteration.
    pub(crate) forgotten: Vec<VarUse>,
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

    pub(crate) fn unread(&self, site: Site) -> bool {
        self.unread[site.0 as usize]
    }

    pub(crate) fn entry_web(&self, local: LocalId) -> u32 {
        self.entry_web[local.0 as usize]
    }
}

/// Returns whether the variable is split into webs. Sized variables and scalars have one size
/// anyway; a `var` parameter is the caller's variable.
fn is_split(routine: &Routine, in_sizes: &BTreeSet<LocalId>, local: LocalId) -> bool {
    let declared = routine.local(local);
    matches!(declared.role, Role::Local | Role::Value)
        && declared.ty.is_unsized()
        && matches!(declared.ty.kind(), TyKind::Slice | TyKind::Word | TyKind::Table)
        && !in_sizes.contains(&local)
}

/// Returns the variables mentioned in declared sizes.
pub(crate) fn in_sizes(routine: &Routine) -> BTreeSet<LocalId> {
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
    /// Without a value after an iteration of a `forall`.
    Forgotten,
    /// A `var` parameter at the start: possibly set.
    FromCaller,
    /// Set.
    Def,
    /// A join of paths.
    Join(Vec<u32>),
    /// Changed in place.
    Through { before: u32, after: After },
}

/// The state of a variable after a change in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum After {
    /// Definitely set.
    Set,
    /// Set if it was set before.
    AsBefore,
    /// Possibly unset: the header of a callee may require another size.
    MaybeUnset,
}
