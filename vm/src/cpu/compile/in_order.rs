//! A `forall` that cannot become a kernel over lines because its iterations work on fields or
//! contain loops. The iterations run in order, as in a loop, so that inner loops become kernels,
//! fields become views, and operations are recorded.
//!
//! An iteration begins with its private slices, words and tables unset, which limits memory. A
//! register keeps the memory of a short one, and a table that first becomes a field stays for that
//! purpose. Numbers are unset only if an iteration could observe their old value.

use star_ir::visit::{self, Access};
use star_ir::{Block, ForallRange, LabelId, Op, Simple, Stmt, StmtKind, VarId};

use super::super::operand::RegRef;
use super::Compiler;

/// Does the `forall` run in order? One that combines results does not: a trap would show the
/// results combined so far.
pub(super) fn runs_in_order(kind: &StmtKind) -> bool {
    let StmtKind::Forall { range, writes, reductions, body, .. } = kind else { return false };
    // The iterations must not visit the ones that they change.
    let changes_ones =
        matches!(range, ForallRange::Ones(over) if writes.iter().any(|part| part.var == *over));
    let mut is_more = false;
    visit::walk(body, &mut |stmt| {
        is_more |= matches!(
            stmt.kind,
            StmtKind::Simple(Simple::Assign(_, Op::Field { .. }) | Simple::PutField { .. })
                | StmtKind::For { .. }
                | StmtKind::Foreach { .. }
                | StmtKind::Forall { .. }
                | StmtKind::While { .. }
        );
    });
    is_more && reductions.is_empty() && !changes_ones
}

impl Compiler<'_> {
    /// Compiles the iterations of a `forall`, one after another.
    #[inline(never)] // Statements nest deeply; see `forall_loop`.
    pub(super) fn forall_iterations(
        &mut self,
        label: LabelId,
        var: VarId,
        range: &ForallRange,
        privates: &[VarId],
        body: &Block,
    ) {
        let loc = self.loc;
        self.decide(Err("its iterations work on fields or contain loops"));
        let stale = privates.iter().map(|private| (*private, self.place(*private)));
        let is_stale = |(private, place): &(VarId, RegRef)| match place {
            RegRef::Slice(_) | RegRef::Word(_) => true,
            // A field reuses the memory of the preceding one.
            RegRef::Table(_) => !begins_as_field(body, *private),
            RegRef::Int(_) | RegRef::Bool(_) | RegRef::Text(_) | RegRef::Handle(_) => {
                may_be_stale(body, *private)
            }
        };
        let stale: Vec<RegRef> = stale.filter(is_stale).map(|(_, place)| place).collect();
        match range {
            ForallRange::Range(from, to) => {
                let (from, to, var) = (self.number(from), self.number(to), self.reg(var));
                self.for_numbers(label, var, (from, to), false, (&stale, body), None);
            }
            ForallRange::Ones(over) => self.foreach_loop(label, var, *over, (&stale, body)),
        }
        self.loc = loc;
        for private in privates.iter().chain([&var]) {
            let place = self.place(*private);
            self.emit(super::super::inst::Inst::Unset(place));
        }
    }
}

/// Does an iteration extract the table as a field before any other use of it?
fn begins_as_field(body: &[Stmt], var: VarId) -> bool {
    let first = body.iter().find(|stmt| {
        let mut is_touched = false;
        visit::walk(std::slice::from_ref(*stmt), &mut |stmt| {
            visit::accesses(&stmt.kind, &mut |of, _| is_touched |= of == var);
        });
        is_touched
    });
    matches!(first.map(|stmt| &stmt.kind), Some(StmtKind::Simple(Simple::Assign(dst, Op::Field { .. }))) if *dst == var)
}

/// Could an iteration observe that one of its private variables is set at its beginning?
fn may_be_stale(body: &[Stmt], var: VarId) -> bool {
    let mut asks = false;
    visit::walk(body, &mut |stmt| {
        visit::accesses(&stmt.kind, &mut |of, access| {
            asks |= of == var && matches!(access, Access::ReadSize | Access::InitSize);
        });
    });
    asks
}
