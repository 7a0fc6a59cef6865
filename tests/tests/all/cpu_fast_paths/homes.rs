//! The layouts of tables at the start of a run.

use std::sync::atomic::AtomicBool;

use star_harness::machines::MachineSpec;
use star_tests::run::Program;
use star_value::{Argument, Value};

use super::table;

const TEXT: &str = "procedure alone(T: table; var k: integer);
var w: word; i: integer;
begin k:=0; for i:=1 to rows(T) do begin w:=ROW(i,T); k:=k+NUMB(w) end end;
procedure both(T: table; var k: integer);
var w: word; X: slice(T); i: integer;
begin
  X:=COL(1,T); k:=NUMB(X);
  for i:=1 to rows(T) do begin w:=ROW(i,T); k:=k+NUMB(w) end
end;
procedure once(T: table; var k: integer);
var w: word;
begin w:=ROW(1,T); k:=NUMB(w) end;";

/// Returns the layout of a table of 70 x 130, given by columns, before a run.
fn lies(machine: &str, routine: &str) -> String {
    let program = Program::new(TEXT);
    let machine = MachineSpec::find(machine).and_then(|it| it.machine().ok());
    let compiled = machine.expect("a machine").compile(program.lowered.program.clone());
    let arguments = vec![Argument::of(&table(70, 130, 1)), Argument::of(&Value::Unset)];
    let loaded = compiled.expect("it compiles").load_laid_out(
        program.entry(routine),
        arguments,
        None,
        &AtomicBool::new(false),
    );
    format!("{:?}", loaded.expect("it fits").explain())
}

#[test]
fn a_large_table_read_only_by_rows_has_no_second_layout() {
    // Every table is large there.
    for (routine, form) in [("alone", "rows"), ("both", "columns"), ("once", "columns")] {
        let lies = lies("cpu-tiny", routine);
        assert!(lies.contains(&format!("`T` is dense by {form}")), "{routine}: {lies}");
    }
    assert!(lies("cpu", "alone").contains("`T` is dense by columns"));
}
