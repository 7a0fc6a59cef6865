//! Recognition of the distances between all pairs of vertices: Floyd's algorithm over a table of
//! numeric fields,
//!
//! ```text
//! for k:=1 to n do                A: field k of D, the lengths to k; X: its rows that are not inf
//!   for j:=1 to n do              w: field j of row k, the length from k to j
//!     if w is not inf             B: field j of D, the lengths to j
//!       in the rows X, B becomes the minimum of B and A + w; field j of D becomes B
//! ```
//!
//! That is D(i,j) := min(D(i,j), D(i,k) + D(k,j)). Additions, minima and searches are procedures of
//! the library or of the program, hundreds of statements in total, so the pattern is a program:
//! `min_plus.star` contains the algorithm in its known variants. A routine is the algorithm if it
//! has the form of one of these, apart from all names, under the preconditions of the intrinsic:
//! these prove most checks, so the checks of a header do not matter. The remaining checks are also
//! in the variants: that a sum may reach inf, or h is 0. There the intrinsic leaves the call to the
//! routine.

use std::sync::LazyLock;

use star_base::intrinsics::catalogue::paths::MIN_PLUS;
use star_ir::rewrite::fresh_var;
use star_ir::{
    Check, IntOp, Mode, Op, Operand, Param, Program, Routine, RoutineId, Simple, SizeOperand, Stmt,
    StmtKind, Ty, visit,
};

use super::Likeness;
use super::textbook::{Form, common};
use crate::group::plain;
use crate::remark::{self, Stay};

/// The output of `star dev` for `min_plus.star`.
const TEXTBOOK: &str = include_str!("min_plus.sir");

/// The routines of the program that are the algorithm.
const ROUTINES: [&str; 3] = ["CHECKED", "PLAIN", "WRITTEN_OUT"];

static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| {
    let Ok(program) = star_ir::parse(TEXTBOOK) else { return Vec::new() };
    let ids = (0..).map(RoutineId).zip(&program.routines);
    let ids = ids.filter(|(_, routine)| ROUTINES.contains(&routine.name.as_str()));
    ids.filter_map(|(id, _)| form(&program, id)).collect()
});

/// Returns whether the routine may be similar to the algorithm, before it is transformed.
pub(super) fn may_be(routine: &Routine) -> bool {
    let (mut n_loops, mut loads, mut stores) = (0, false, false);
    visit::walk(&routine.body, &mut |stmt| {
        n_loops += usize::from(matches!(stmt.kind, StmtKind::For { .. }));
        loads |= matches!(stmt.kind, StmtKind::Simple(Simple::Assign(_, Op::Field { .. })));
        stores |= matches!(stmt.kind, StmtKind::Simple(Simple::PutField { .. }));
    });
    n_loops >= 2 && loads && stores && takes(routine).is_some()
}

/// Returns the outer loop if the routine is the algorithm or begins like it.
pub(super) fn find(program: &Program, id: RoutineId) -> Option<Likeness> {
    let routine = program.routine(id);
    let pivots = routine.body.iter().find(|stmt| matches!(stmt.kind, StmtKind::For { .. }))?;
    let own = form(program, id)?;
    let likeness = |found| Some(Likeness { loc: pivots.loc, intrinsic: MIN_PLUS, found });
    if FORMS.contains(&own) {
        let [n, h, inf, d] = takes(routine)?.map(|param| remark::name(routine, param.var));
        return likeness(Ok(format!(
            "the distances in {d}, computed at once where {d} is {n} fields of {h} bits and no \
                sum of lengths reaches {inf}"
        )));
    }
    // The first statement of the routine that differs from the most similar variant.
    let nearest = FORMS.iter().max_by_key(|form| common(&own, form))?;
    let at = own.place(common(&own, nearest));
    let is_near = common(&own, nearest) * 2 >= nearest.len();
    let why = "it is similar to the distances between all pairs of vertices, but continues \
        differently from FLOYD";
    is_near.then(|| likeness(Err(Stay { why: why.to_owned(), at })))?
}

/// Returns the form of a routine under the preconditions of the intrinsic.
fn form(program: &Program, id: RoutineId) -> Option<Form> {
    let mut plain_one = program.clone();
    assume(plain_one.routine_mut(id))?;
    plain(&mut plain_one, id);
    Form::of(&plain_one, id)
}

/// Inserts the preconditions as checks at the start of a routine.
fn assume(routine: &mut Routine) -> Option<()> {
    let [n, h, inf, d] = takes(routine)?.map(|param| param.var);
    let columns = fresh_var(routine, "columns", Ty::Int);
    let [n, h, columns_of] = [n, h, columns].map(Operand::Var);
    let value = |operand: &Operand| SizeOperand::Value(operand.clone());
    let kinds = [
        StmtKind::Simple(Simple::Check(Check::NotNegative(n.clone()))),
        StmtKind::Simple(Simple::Check(Check::Size(SizeOperand::Length(inf), value(&h)))),
        StmtKind::Simple(Simple::Check(Check::Index(Operand::Int(1), value(&h)))),
        StmtKind::Simple(Simple::Check(Check::Set(d))),
        StmtKind::Simple(Simple::Check(Check::Size(SizeOperand::Rows(d), value(&n)))),
        StmtKind::Simple(Simple::Check(Check::Int(IntOp::Mul, n.clone(), h.clone()))),
        StmtKind::Simple(Simple::Assign(columns, Op::Int(IntOp::Mul, n, h))),
        StmtKind::Simple(Simple::Check(Check::Size(SizeOperand::Columns(d), value(&columns_of)))),
    ];
    let loc = routine.loc;
    routine.body.splice(0..0, kinds.map(|kind| Stmt { kind, loc }));
    Some(())
}

/// Returns the parameters of the intrinsic if the routine has them.
fn takes(routine: &Routine) -> Option<[Param; 4]> {
    let [n, h, inf, d] = routine.params[..] else { return None };
    let ty = |param: &Param| routine.var(param.var).ty;
    let fits = [&n, &h].iter().all(|param| ty(param) == Ty::Int)
        && matches!(ty(&inf), Ty::Word(_))
        && matches!(ty(&d), Ty::Table(..))
        && [&n, &h, &inf].iter().all(|param| param.mode == Mode::Value)
        && d.mode == Mode::Ref
        && routine.result.is_none();
    fits.then_some([n, h, inf, d])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variant_has_a_different_form() {
        assert_eq!(FORMS.len(), ROUTINES.len());
        for (at, form) in FORMS.iter().enumerate() {
            assert!(!FORMS[..at].contains(form));
        }
    }
}
