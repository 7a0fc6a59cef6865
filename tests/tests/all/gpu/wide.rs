//! Lines that a kernel over a grid computes for the control unit (Note [Wide lines] in star-gpu):
//! the same results below and above the threshold length, that the grid was used, and what ends
//! such a run.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use star_gpu::{EmulatorSettings, Gpu, Wide};
use star_ir::LimitKind;
use star_tests::run::{LIMITS, Program};
use star_tests::sir::{self, Sir, guards};
use star_value::Value;
use star_vm::{Limits, Outcome};

use super::faults::run;
use super::lines::{EMULATORS, agree, emulators};
use super::{machines, printed::names};
use crate::cpu_fast_paths::{slice, table, word};

/// Every generator and every query, a loop that ends when it has shifted everything out, lines that
/// are printed in between, and a routine called between them.
const MOVES: &str = "
function AND_SHIFTED(X,Y: slice; k: integer): integer;
var Z: slice(X);
begin Z:=SHIFT(X,DOWN,k); Z:=Z and not Y; AND_SHIFTED:=NUMB(Z) end;
procedure MOVES(X: slice; T: table; k: integer; w: word; var Z: slice; var n: integer);
var A,B,C: slice(X); i: integer; v: word(T);
begin
  n:=0; A:=X; B:=MIRROR(X); C:=SHUFFLE(X); Z:=MASK(X,3,k);
  C:=(C and not B) xor ROTATE(A,5);
  while SOME(A) do begin
    A:=SHIFT(A,DOWN,k); B:=SHIFT(B,UP,3); C:=C or (A and not B);
    n:=n+NUMB(A)+FND(C);
    if n mod 3=0 then print(n,\" \",SOME(B))
  end;
  i:=STEP(C); n:=n+i+AND_SHIFTED(C,X,2); i:=STEP(C); n:=n+i+AND_SHIFTED(X,C,1);
  COL(2,T):=C; B:=COL(1,T) xor COL(2,T);
  v:=ROW(2,T); ROW(1,T):=v; v:=v and not w; n:=n+NUMB(v);
  Z:=(Z and B) or SHIFT(B,UP,33)
end;";

#[test]
fn lines_of_every_length_agree_and_long_ones_are_wide() {
    let program = Program::new(MOVES);
    let names = names();
    let machines = machines(&names).expect("they are there");
    let compiled = program.compile_on(&machines);
    let entry = program.entry("MOVES");
    for (rows, columns) in
        [(30, 3), (32, 2), (34, 40), (96, 70), (1280, 5), (1282, 1300), (4000, 33)]
    {
        let args = [
            slice(rows, 1),
            table(rows, columns, 2),
            Value::Int(rows as i64 / 5),
            word(columns, 3),
            Value::Unset,
            Value::Unset,
        ];
        let limits = Limits { steps: None, ..LIMITS };
        let runs: Vec<_> =
            compiled.iter().map(|it| (&it.name, it.run(entry, &args, limits))).collect();
        let (_, expected) = &runs[0];
        assert_eq!(expected.outcome, Outcome::Done);
        for (name, run) in &runs[1..] {
            assert_eq!(run.outcome, Outcome::Done, "{name}");
            assert_eq!(run.values, expected.values, "{name}, {rows} rows");
            assert_eq!(run.printed, expected.printed, "{name}, {rows} rows");
            assert_eq!(run.stats.operations, expected.stats.operations, "{name}");
            // The most limbs of a line that is not wide.
            let most = match **name {
                "gpu-emulator" => 40,
                "gpu-emulator-tiny" | "gpu-tiny" => 1,
                _ => 1 << 14,
            };
            let wide = run.stats.counters.wide_lines;
            let is_wide = rows.max(columns).div_ceil(32) > most;
            assert_eq!(wide > 0, is_wide, "{name}, {rows} rows: {wide}");
            if rows.div_ceil(32) > most {
                assert!(wide > 20, "{name}, {rows} rows: {wide}");
                // Independent lines are computed together.
                let kernels = run.stats.counters.wide_kernels;
                assert!(kernels < wide, "{name}, {rows} rows: {wide} in {kernels}");
            }
        }
    }
}

#[test]
fn rows_of_wide_tables_are_wide() {
    let text = "routine 0 \"F\" (ref %T: table[?, ?], value %w: word[?]) {
  check set %T
  for @0 %i = 1 to 5 {
    put_row %T, %i, %w
    put_row %T, 7, %w
  }
}"
    .replace(") {\n", ") {\n  var %i: int\n");
    let mut program = sir::read(&text);
    guards::guard(&mut program);
    let program = Sir::new(&program, &emulators());
    for columns in [3, 200] {
        let args = [table(9, columns, 1), word(columns, 2)];
        let agreement = agree(&program, &args);
        // Five iterations of two rows, each without a query, from eight columns on where sizes are
        // tiny and 164 otherwise.
        for name in EMULATORS {
            let wide = agreement.optimised(name).wide_lines;
            assert_eq!(wide, if columns == 200 { 10 } else { 0 }, "{name}, {columns} columns");
        }
    }
}

/// Shifts a slice by zero, the given number of times.
pub(super) const SHIFTS: &str = "routine 0 \"F\" (ref %x: slice[?], value %n: int) !0 {
  var %i: int
  check set %x !0
  for @0 %i = 1 to %n !0 {
    %x = shift_up %x, 1 !0
    %x = bits_not %x !0
  }
}
locations {
  !0 = 0:0..0
}
";

#[test]
fn a_line_too_long_for_one_workgroup_is_computed() {
    let most = EmulatorSettings { most_iterations: 64, ahead_words: 0, ..EmulatorSettings::USUAL };
    let alone = EmulatorSettings { wide: Wide { limbs: u32::MAX, ..most.wide }, ..most };
    let args = [slice(20_000, 1), Value::Int(2)];
    let never = AtomicBool::new(false);
    let (outcome, _, _) = run(&Gpu::emulator(alone), SHIFTS, &args, &never);
    assert!(matches!(outcome, Outcome::Unsupported { .. }), "{outcome:?}");
    let (outcome, _, values) = run(&Gpu::emulator(most), SHIFTS, &args, &never);
    assert_eq!(outcome, Outcome::Done);
    let (_, _, expected) = run(&Gpu::emulator(EmulatorSettings::USUAL), SHIFTS, &args, &never);
    assert!(matches!((&values[0], &expected[0]), (Ok(one), Ok(other)) if one == other));
}

#[test]
fn an_interrupt_ends_a_run_between_two_wide_lines() {
    for settings in [EmulatorSettings::USUAL, EmulatorSettings::TINY] {
        let interrupt = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(50));
                interrupt.store(true, Ordering::Relaxed);
            });
            let begun = Instant::now();
            let args = [slice(2000, 1), Value::Int(i64::MAX)];
            let (outcome, _, _) = run(&Gpu::emulator(settings), SHIFTS, &args, &interrupt);
            let is_interrupted =
                matches!(outcome, Outcome::Limit { kind: LimitKind::Interrupted, .. });
            assert!(is_interrupted, "{outcome:?}");
            assert!(begun.elapsed() < Duration::from_secs(20));
        });
    }
}
