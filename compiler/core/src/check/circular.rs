//! Declared sizes that depend on themselves or on a long chain of others.
//!
//! Lowering follows the links between sizes recursively, so it must see neither. This pass walks
//! them with an explicit stack, in time linear in the declarations.

use std::collections::BTreeSet;

use star_base::{Code, Diagnostic};

use super::Checker;
use crate::hir::{Expr, ExprKind, LocalId, SizeTerm, Ty, TyKind};
use crate::visit;

/// Maximum length of a chain of sizes declared through other sizes.
const MAX_LINKS: usize = 64;

/// A size of a variable: 0 for the length of bits or the rows of a table, 1 for its columns.
type SizeId = (LocalId, usize);

/// State of the walk for one size.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    New,
    /// The walk is among its dependencies.
    Open,
    /// Finished; the number of links in the longest chain from it.
    Done(usize),
    /// Unknown, or dependent on an unknown size.
    Refused,
}

/// A size that is being visited.
struct Visit {
    id: SizeId,
    /// The sizes on which it depends.
    links: Vec<SizeId>,
    /// The number of dependencies that are finished.
    n_done: usize,
    n_links: usize,
    refused: bool,
}

impl Checker<'_> {
    /// Reports declared sizes that cannot be determined, and drops them.
    pub(super) fn refuse_circular_sizes(&mut self) {
        let mut progress = vec![[Progress::New; 2]; self.locals.len()];
        let mut reported = BTreeSet::new();
        for idx in 0..self.locals.len() {
            for dim in 0..2 {
                self.walk_sizes((LocalId(idx as u32), dim), &mut progress, &mut reported);
            }
        }
        for (local, progress) in self.locals.iter_mut().zip(progress) {
            for (dim, progress) in progress.into_iter().enumerate() {
                if progress == Progress::Refused
                    && let Some(size) = declared_mut(&mut local.ty, dim)
                {
                    (size.kind, size.ty) = (ExprKind::Error, TyKind::Error);
                }
            }
        }
    }

    /// Visits everything on which a size depends.
    fn walk_sizes(
        &mut self,
        from: SizeId,
        progress: &mut [[Progress; 2]],
        reported: &mut BTreeSet<LocalId>,
    ) {
        let mut open = Vec::new();
        if progress[from.0.0 as usize][from.1] == Progress::New {
            open.push(self.visit_size(from, progress));
        }
        while let Some(visit) = open.last_mut() {
            let id = visit.id;
            let Some(&link) = visit.links.get(visit.n_done) else {
                let (refused, n_links) = (visit.refused, visit.n_links);
                open.pop();
                let too_long = !refused && n_links > MAX_LINKS;
                if too_long {
                    self.report_size(id, "is declared through too many others");
                }
                let done =
                    if refused || too_long { Progress::Refused } else { Progress::Done(n_links) };
                progress[id.0.0 as usize][id.1] = done;
                continue;
            };
            match progress[link.0.0 as usize][link.1] {
                Progress::New => {
                    open.push(self.visit_size(link, progress));
                    continue;
                }
                Progress::Open => {
                    visit.refused = true;
                    if reported.insert(link.0) {
                        self.report_size(link, "depends on itself");
                    }
                }
                Progress::Done(n_links) => visit.n_links = visit.n_links.max(n_links + 1),
                Progress::Refused => visit.refused = true,
            }
            visit.n_done += 1;
        }
    }

    fn visit_size(&self, id: SizeId, progress: &mut [[Progress; 2]]) -> Visit {
        progress[id.0.0 as usize][id.1] = Progress::Open;
        let mut links = Vec::new();
        if let Some(size) = self.declared(id) {
            visit::any_expr(size, &mut |expr| {
                let dims = match expr.as_size() {
                    SizeTerm::Rows(_) => 0..1,
                    SizeTerm::Columns(_) => 1..2,
                    SizeTerm::Number(_)
                    | SizeTerm::Int(_)
                    | SizeTerm::Length(_)
                    | SizeTerm::Computed => 0..2,
                };
                visit::own_uses(expr, &mut |place| {
                    let sizes = dims.clone().map(|dim| (place.local, dim));
                    links.extend(sizes.filter(|&size| self.declared(size).is_some()));
                });
                false
            });
        }
        Visit { id, links, n_done: 0, n_links: 0, refused: false }
    }

    fn declared(&self, (local, dim): SizeId) -> Option<&Expr> {
        match (&self.local(local).ty, dim) {
            (Ty::Slice(size) | Ty::Word(size) | Ty::Table(size, _), 0) => size.as_deref(),
            (Ty::Table(_, size), _) => size.as_deref(),
            (Ty::Int | Ty::Bool | Ty::Str | Ty::Handle | Ty::Slice(_) | Ty::Word(_), _) => None,
        }
    }

    fn report_size(&mut self, size: SizeId, what: &str) {
        let local = self.local(size.0);
        let span = self.declared(size).map_or(local.span, |size| size.span);
        let message = format!("the size of `{}` {what}", local.name);
        let declared = local.span;
        self.report(
            Diagnostic::at(Code::UnknownSize, span, message)
                .label(declared, "declared here")
                .help("declare one of the sizes by a number, a constant or a parameter"),
        );
    }
}

fn declared_mut(ty: &mut Ty, dim: usize) -> Option<&mut Expr> {
    match (ty, dim) {
        (Ty::Slice(size) | Ty::Word(size) | Ty::Table(size, _), 0) => size.as_deref_mut(),
        (Ty::Table(_, size), _) => size.as_deref_mut(),
        (Ty::Int | Ty::Bool | Ty::Str | Ty::Handle | Ty::Slice(_) | Ty::Word(_), _) => None,
    }
}
