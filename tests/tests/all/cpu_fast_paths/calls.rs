//! Arguments that are lent instead of copied, and tables that are shared until a write.

use star_tests::run::{LIMITS, Program};
use star_value::Value;
use star_vm::Counters;

use super::{CPUS, slice, table, word};

const TEXT: &str = "
procedure both(X,Y: slice; var Z: slice); begin Z:=X and not Y end;
procedure keeps(X: slice; var Z: slice); var k: integer; begin k:=STEP(X); Z:=X end;
procedure marks(v: word; k: integer; var w: word); begin w:=v; w(k):=1 end;
function ones(X: slice): integer; begin ones:=NUMB(X) end;
procedure deep(X: slice; d: integer; var k: integer);
begin if d > 0 then deep(X,d-1,k) else k:=NUMB(X) end;
procedure reads(T: table; var X: slice); begin X:=COL(1,T) end;
procedure writes(T: table; X: slice; var Z: slice); begin COL(1,T):=X; Z:=COL(1,T) end;

procedure different(X,Y: slice; var Z: slice); begin both(X,Y,Z) end;
procedure twice(X: slice; var Z: slice); begin both(X,X,Z); Z:=Z or X end;
procedure itself(X: slice; var Z: slice); begin Z:=X; both(Z,X,Z) end;
procedure changed(X: slice; var Y,Z: slice); begin keeps(X,Z); Y:=X end;
procedure words(v: word; var u,w: word); begin marks(v,1,w); u:=v end;
procedure values(X: slice; var k: integer); begin k:=ones(X)+ones(X); if SOME(X) then k:=k+1 end;
procedure nested(X: slice; var k: integer; var Y: slice); begin deep(X,5,k); Y:=X end;
procedure stepped(X: slice; var k: integer; var Z: slice); begin both(X,X,Z); k:=STEP(X); both(X,Z,Z) end;
procedure looked(T: table; var X: slice); var F: table; begin F:=T; reads(F,X); reads(T,X) end;
procedure written(T: table; X: slice; var Z,Y: slice); begin writes(T,X,Z); Y:=COL(1,T) end;
procedure wanders(T: table(n); k: integer; var v: word);
var i: integer; begin for i:=1 to 40 do begin v:=ROW(k,T); k:=(k+i*i) mod n+1 end end;
procedure looks(T: table; z: integer; var X: slice);
var i,j: integer; begin for i:=1 to z do for j:=1 to z do X:=COL(1,T) end;
procedure mixed(T: table; z: integer; var X: slice; var v: word);
var U: table; begin looks(T,z,X); U:=T; wanders(T,1,v); X:=COL(2,T); wanders(T,2,v); COL(1,U):=X; wanders(U,1,v) end;
procedure own(T: table; z: integer; var X: slice; var v: word);
begin looks(T,z,X); wanders(T,1,v); X:=COL(2,T); wanders(T,2,v) end;";

/// Returns the statistic of a routine, which must be the same on every CPU backend.
#[track_caller]
fn taken(program: &Program, routine: &str, args: Vec<Value>, of: fn(Counters) -> u64) -> u64 {
    let agreement = program.agree(routine, args, LIMITS);
    let taken = CPUS.map(|machine| of(agreement.optimised(machine)));
    assert!(taken.iter().all(|count| *count == taken[0]), "{taken:?}");
    taken[0]
}

const UNSET: Value = Value::Unset;

#[test]
fn read_only_arguments_are_lent() {
    let program = Program::new(TEXT);
    let lent = |routine, args| taken(&program, routine, args, |paths| paths.lent_arguments);
    for n in [0, 1, 64, 65, 300] {
        let (x, y) = (slice(n, 1), slice(n, 2));
        assert_eq!(lent("different", vec![x.clone(), y.clone(), UNSET]), 2);
        // A variable cannot be lent twice, nor together with a reference to it.
        assert_eq!(lent("twice", vec![x.clone(), UNSET]), 0);
        assert!(lent("itself", vec![x.clone(), UNSET]) <= 2);
        assert_eq!(lent("changed", vec![x.clone(), UNSET, UNSET]), 0);
        assert_eq!(lent("values", vec![x.clone(), UNSET]), 2);
        assert_eq!(lent("nested", vec![x.clone(), UNSET, UNSET]), 6);
        assert!(lent("stepped", vec![x, UNSET, UNSET]) >= 1);
        if n > 0 {
            assert_eq!(lent("words", vec![word(n, 1), UNSET, UNSET]), 1);
        }
    }
}

#[test]
fn an_unshared_table_is_transposed_in_place_if_memory_is_short() {
    let program = Program::new(TEXT);
    for (n_rows, n_cols) in [(2, 2), (65, 65), (65, 3), (3, 130), (513, 513)] {
        for routine in ["own", "mixed"] {
            // A branch that is never executed makes the plan prefer columns, so that the table is
            // not transposed before the run.
            let args = vec![table(n_rows, n_cols, 1), Value::Int(0), UNSET, UNSET];
            let agreement = program.agree(routine, args, LIMITS);
            let changed = agreement.optimised("cpu-baseline").homes_changed;
            assert!(changed > 0, "{routine} {n_rows} x {n_cols}: {changed}");
            for machine in ["cpu", "cpu-tiny"] {
                assert_eq!(agreement.optimised(machine).homes_changed, 0, "{machine}");
            }
        }
    }
}

#[test]
fn a_shared_table_is_copied_only_when_written() {
    let program = Program::new(TEXT);
    let copies = |routine, args| taken(&program, routine, args, |paths| paths.table_copies);
    for n in [1, 64, 65] {
        assert_eq!(copies("looked", vec![table(n, 3, 1), UNSET]), 0);
        assert_eq!(copies("written", vec![table(n, 3, 1), slice(n, 9), UNSET, UNSET]), 1);
    }
}
