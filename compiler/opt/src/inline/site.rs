//! Selection of the calls to inline: the small ones, those in loops first, within a budget of
//! growth.

use star_ir::analysis::effects::{self, Effect};
use star_ir::analysis::n_statements;
use star_ir::analysis::recursion::is_recursive;
use star_ir::analysis::walk::{Belief, Inspect, Point, walk};
use star_ir::{
    Arg, Check, Extent, LocId, MAX_DEPTH, Program, Routine, RoutineId, Simple, Stmt, StmtKind,
    VarId, visit,
};

/// The maximum weight of an inlined routine ([`weight`]).
const MAX_CALLEE: usize = 60;
/// The maximum growth of a routine.
const MAX_GROWTH: usize = 200;

/// A call to be inlined.
pub(super) struct Site {
    /// The number of its statement.
    pub(super) at: usize,
    pub(super) loc: LocId,
    pub(super) callee: RoutineId,
    pub(super) args: Vec<Arg>,
    pub(super) dst: Option<VarId>,
    /// Whether it is in a loop and so may be repeated.
    pub(super) is_in_loop: bool,
    /// Variables that are passed by reference and may have no size yet.
    pub(super) unsized_args: Vec<VarId>,
}

/// Returns the calls of a routine that are worth inlining, in textual order.
pub(super) fn find(program: &Program, id: RoutineId) -> Vec<Site> {
    let Some(routine) = program.routines.get(id.0 as usize) else { return Vec::new() };
    let mut finder = Finder { program, id, at: 0, found: Vec::new() };
    finder.block(&routine.body, Nesting::default());
    let mut found = finder.found;
    if found.is_empty() {
        return Vec::new();
    }
    // The most frequently executed calls come first.
    found.sort_by_key(|(nesting, site)| (std::cmp::Reverse(nesting.n_loops), site.at));
    let mut growth = 0;
    found.retain(|(_, site)| {
        let more = growth + weight(&program.routine(site.callee).body);
        let fits = more <= MAX_GROWTH;
        if fits {
            growth = more;
        }
        fits
    });
    let mut sites: Vec<Site> = found.into_iter().map(|(_, site)| site).collect();
    sites.sort_by_key(|site| site.at);
    sites.retain(|site| keeps_sizes(program, routine, site));
    if !sites.is_empty() {
        walk(program, routine, Belief::Header, &mut Sizes { sites: &mut sites });
    }
    sites
}

/// Determines the variables with a known size where they are passed.
struct Sizes<'s> {
    sites: &'s mut [Site],
}

impl Inspect for Sizes<'_> {
    fn before(&mut self, at: usize, _: &Stmt, point: &mut Point<'_, '_>) {
        let Ok(idx) = self.sites.binary_search_by_key(&at, |site| site.at) else { return };
        let site = &mut self.sites[idx];
        let lent = site.args.iter().filter_map(|arg| match arg {
            Arg::Ref(var) => Some(*var),
            Arg::Value(_) | Arg::Move(_) => None,
        });
        site.unsized_args = lent.filter(|var| !point.facts.is_sized(*var)).collect();
    }
}

/// The nesting depth of a statement.
#[derive(Clone, Copy, Default)]
struct Nesting {
    n_loops: usize,
    depth: usize,
}

struct Finder<'p> {
    program: &'p Program,
    id: RoutineId,
    at: usize,
    found: Vec<(Nesting, Site)>,
}

impl Finder<'_> {
    fn block(&mut self, block: &[Stmt], nesting: Nesting) {
        for stmt in block {
            let at = self.at;
            self.at += 1;
            if let StmtKind::Simple(Simple::Call { callee, args, dst }) = &stmt.kind
                && self.suits(*callee, stmt.loc, nesting)
            {
                let is_in_loop = nesting.n_loops > 0;
                let (callee, args, dst, loc) = (*callee, args.clone(), *dst, stmt.loc);
                let unsized_args = Vec::new();
                let site = Site { at, loc, callee, args, dst, is_in_loop, unsized_args };
                self.found.push((nesting, site));
            }
            if matches!(stmt.kind, StmtKind::Forall { .. }) {
                self.at += visit::blocks(&stmt.kind).into_iter().map(n_statements).sum::<usize>();
                continue;
            }
            let n_loops = nesting.n_loops + usize::from(effects::is_loop(&stmt.kind));
            let inside = Nesting { n_loops, depth: nesting.depth + 1 };
            visit::blocks(&stmt.kind).into_iter().for_each(|inner| self.block(inner, inside));
        }
    }

    fn suits(&self, callee: RoutineId, loc: LocId, nesting: Nesting) -> bool {
        let Some(routine) = self.program.routines.get(callee.0 as usize) else { return false };
        let is_source =
            self.program.locations.get(loc).is_some_and(|location| location.inlined.is_empty());
        let mut gives_result = true;
        visit::walk(&routine.body, &mut |stmt| {
            gives_result &= !matches!(stmt.kind, StmtKind::Simple(Simple::Check(Check::Result(_))));
        });
        callee != self.id
            && is_source
            && gives_result
            && routine.intrinsic.is_none()
            && weight(&routine.body) <= MAX_CALLEE
            && nesting.depth + depth(&routine.body) + 1 < MAX_DEPTH
            && !is_recursive(self.program, callee)
    }
}

/// Returns the number of working statements: checks and size operations are mostly eliminated at
/// the call, and the cost of a block is not an instruction.
fn weight(block: &[Stmt]) -> usize {
    let mut n = 0;
    visit::walk(block, &mut |stmt| {
        n += usize::from(!matches!(
            stmt.kind,
            StmtKind::Simple(Simple::Check(_) | Simple::Size(_) | Simple::Cost { .. })
        ));
    });
    n
}

/// Returns the nesting depth of blocks.
fn depth(block: &[Stmt]) -> usize {
    let of = |stmt: &Stmt| visit::blocks(&stmt.kind).into_iter().map(depth).max().unwrap_or(0);
    if block.is_empty() { 0 } else { 1 + block.iter().map(of).max().unwrap_or(0) }
}

/// Returns whether no variable can come back with a size other than its extents state, except for
/// conditions that remain to be proven.
fn keeps_sizes(program: &Program, routine: &Routine, site: &Site) -> bool {
    let callee = program.routine(site.callee);
    let (params, args) = (&callee.params, &site.args);
    params.iter().zip(args).all(|(param, arg)| {
        let Arg::Ref(var) = arg else { return true };
        let theirs = callee.var(param.var).ty.extents();
        let ours = routine.var(*var).ty.extents();
        only_contents(callee, param.var)
            || ours.into_iter().zip(theirs).all(|pair| match pair {
                (Extent::Dynamic, _) => true,
                (Extent::Const(_) | Extent::Var(_), Extent::Dynamic) => false,
                (Extent::Const(ours), Extent::Const(theirs)) => ours == theirs,
                (Extent::Var(_), Extent::Const(_)) => false,
                // To be proven.
                (Extent::Const(_) | Extent::Var(_), Extent::Var(_)) => true,
            })
    })
}

/// Returns whether the routine changes the variable only in place.
pub(super) fn only_contents(routine: &Routine, var: VarId) -> bool {
    let mut only = true;
    visit::walk(&routine.body, &mut |stmt| {
        visit::accesses(&stmt.kind, &mut |accessed, access| {
            if accessed == var
                && let Some(Effect { contents: _, settled, replaced, unset }) =
                    Effect::of(access, routine.var(var))
            {
                only &= !(settled || replaced || unset);
            }
        });
    });
    only
}
