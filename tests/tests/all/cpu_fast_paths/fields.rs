//! Loops over fields that are `forall`, and the fallback loops after their conditions.

use star_ir::{Check, Op, Operand, Simple, Stmt, StmtKind, visit};
use star_tests::run::{LIMITS, Program, done};
use star_value::Value;

use super::{slice, table, word};

/// Packed numbers, field by field: masked, searched, compared, counted in place, and built from
/// zero.
const TEXT: &str = "
procedure mask(h,m: integer; X: slice(n); v: word(h); var R: table(n));
var F: table(n,h); Y: slice(n); i,j: integer;
begin
  for i:=1 to m do
  begin
    TCOPY1(R,i,h,F);
    MATCH(F,X,v,Y);
    for j:=1 to h do COL(j,F):=COL(j,F) and not Y;
    TCOPY2(F,i,h,R);
  end;
end;
procedure search(T: table(n); h,m: integer; v: word(h); X: slice(n); var Z: table(n,m));
var F: table(n,h); Y: slice(n); i: integer;
begin
  for i:=1 to m do
  begin
    TCOPY1(T,i,h,F);
    MATCH(F,X,v,Y);
    COL(i,Z):=Y;
  end;
end;
procedure place(h,m: integer; X: slice(n); var R: table(n));
var i,j: integer;
begin
  for i:=m downto 1 do
    for j:=1 to h do COL((i-1)*h+j,R):=COL((i-1)*h+j,R) xor X;
end;
procedure grow(T: table(n,h); m: integer; var R: table(n));
var i: integer;
begin
  for i:=1 to m do TCOPY2(T,i,h,R);
end;
procedure responders(h: integer; X: slice(n); w: word; var R: table(n); var last: integer);
var F: table(n,h); i: integer;
begin
  last:=0;
  foreach i in w do
  begin
    TCOPY1(R,i,h,F);
    COL(1,F):=COL(1,F) or X;
    TCOPY2(F,i,h,R);
    last:=i;
  end;
end;
procedure left(h,m: integer; X: slice(n); var R: table(n); var i: integer);
var F: table(n,h);
begin
  i:=77;
  for i:=2 to m do
  begin
    TCOPY1(R,i,h,F);
    COL(1,F):=COL(1,F) or X;
    TCOPY2(F,i,h,R);
  end;
end;
";

/// Returns the optimised program in which the fallback loops trap.
fn without_loops(program: &Program) -> (Program, usize) {
    let mut changed = Program::new(TEXT);
    let mut optimised = program.lowered.program.clone();
    star_opt::apply(&mut optimised, &["all"]).expect("passes");
    let mut n = 0;
    for routine in optimised.routines_mut() {
        visit_mut(&mut routine.body, &mut |stmt| {
            let StmtKind::If { then, otherwise, .. } = &mut stmt.kind else { return };
            let mut has_fields = false;
            visit::walk(then, &mut |stmt| {
                if let StmtKind::Forall { body, .. } = &stmt.kind {
                    visit::walk(body, &mut |stmt| {
                        has_fields |= matches!(
                            stmt.kind,
                            StmtKind::Simple(
                                Simple::Assign(_, Op::Field { .. }) | Simple::PutField { .. }
                            ) | StmtKind::For { .. }
                        );
                    });
                }
            });
            if has_fields && !otherwise.is_empty() {
                let never = Check::Assert(Operand::Bool(false), Operand::Str("a loop".into()));
                *otherwise =
                    vec![Stmt { kind: StmtKind::Simple(Simple::Check(never)), loc: stmt.loc }];
                n += 1;
            }
        });
    }
    changed.lowered.program = optimised;
    (changed, n)
}

fn visit_mut(block: &mut [Stmt], f: &mut impl FnMut(&mut Stmt)) {
    for stmt in block {
        f(stmt);
        visit::blocks_mut(&mut stmt.kind).into_iter().flatten().for_each(|it| visit_mut(it, f));
    }
}

/// Returns names of procedures, and arguments for `n` rows and `m` fields of `h` bits.
fn cases(n: usize, h: usize, m: usize) -> Vec<(&'static str, Vec<Value>)> {
    let [h_, m_] = [h, m].map(|number| Value::Int(number as i64));
    let (t, x, v) = (table(n, h * m, 5), slice(n, 3), word(h, 7));
    let unset = Value::Unset;
    vec![
        ("mask", vec![h_.clone(), m_.clone(), x.clone(), v.clone(), t.clone()]),
        ("search", vec![t.clone(), h_.clone(), m_.clone(), v, x.clone(), unset.clone()]),
        ("place", vec![h_.clone(), m_.clone(), x.clone(), t.clone()]),
        ("grow", vec![table(n, h, 9), m_.clone(), unset.clone()]),
        ("responders", vec![h_.clone(), x.clone(), word(m, 11), t.clone(), unset.clone()]),
        ("left", vec![h_, m_, x, t, unset]),
    ]
}

#[test]
fn field_iterations_run_at_once_if_their_conditions_hold() {
    let program = Program::new(TEXT);
    let (alone, n) = without_loops(&program);
    assert_eq!(n, 5, "one is declined: a value of an iteration is read after the loop");
    for (rows, h, m) in [(1, 1, 1), (64, 3, 5), (70, 4, 3), (600, 9, 4), (5000, 12, 6)] {
        for (name, args) in cases(rows, h, m) {
            let loops = done(program.agree(name, args.clone(), LIMITS).run);
            if name != "responders" {
                let fields = done(alone.agree(name, args, LIMITS).run);
                assert_eq!(fields, loops, "{name}: {rows} x {m} x {h}");
            }
        }
    }
}

#[test]
fn where_a_condition_fails_the_loop_runs_and_traps_in_place() {
    let program = Program::new(TEXT);
    let (alone, _) = without_loops(&program);
    // One field too many, zero fields, invalid widths, and no iteration.
    for (h, m) in [(4, 4), (4, 0), (0, 3), (-1, 3), (3, -2)] {
        for (name, mut args) in cases(70, 4, 3) {
            let ints = args.iter_mut().filter(|arg| matches!(arg, Value::Int(_)));
            ints.zip([h, m]).for_each(|(arg, value)| *arg = Value::Int(value));
            program.agree(name, args, LIMITS);
        }
    }
    let (_, args) = cases(70, 4, 4).swap_remove(2);
    let args = [&args[..3], &[table(70, 15, 2)]].concat();
    let ran = alone.agree("place", args, LIMITS).run;
    assert!(matches!(ran.outcome, star_vm::Outcome::Trap(_)), "the fallback loop ran");
}

#[test]
fn read_only_fields_are_views() {
    let (program, _) = without_loops(&Program::new(TEXT));
    for (n, h, m) in [(3000, 24, 4), (5000, 12, 6)] {
        let (name, args) = cases(n, h, m).swap_remove(1);
        let agreement = program.agree(name, args, LIMITS);
        // Other backends record operations on this many rows.
        let paths = agreement.optimised("cpu");
        assert!(paths.field_views >= m as u64 && paths.loop_kernels >= m as u64, "{paths:?}");
    }
}
