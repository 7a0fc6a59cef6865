//! The output of a program is kept on the device until a dispatch ends: the same lines, in the same
//! order, to the same limit.

use std::sync::atomic::AtomicBool;

use star_base::Code;
use star_gpu::{EmulatorSettings, Gpu};
use star_ir::{LimitKind, RoutineId, TrapKind, Ty};
use star_tests::run::{LIMITS, Printed, Program};
use star_value::{BitVector, BitsRef, Value};
use star_vm::{Backend, CompileOptions, Control, Host, HostError, Limits, Outcome, Stats};

use super::machines;

/// Prints every kind of value repeatedly, also in a called routine; the last tables are larger than
/// any journal.
const LINES: &str = "
procedure LINE(i: integer; name: string; X: slice; w: word);
var even: boolean;
begin even:=(i mod 2=0); print(name,\": \",i,\" \",even,\" \",X,\" \",w) end;
procedure LINES(n: integer; name: string; X: slice; w: word);
var T: table(3,5); U: table(600,70); i,j: integer; Y: slice(X);
    Z: slice(3); V: slice(600);
begin
  print(\"begin\");
  Y:=X;
  for i:=1 to n do begin
    LINE(i,name,Y,w);
    Y:=SHIFT(Y,DOWN,1);
    for j:=1 to 5 do begin if j=i then SET(Z) else CLR(Z); COL(j,T):=Z end;
    print(i-2*n,T,\"and\",T);
    print()
  end;
  for j:=1 to 70 do begin if j mod 3=0 then SET(V) else CLR(V); COL(j,U):=V end;
  print(U);
  print(\"end\",U)
end;";

fn arguments(n: i64) -> Vec<Value> {
    let bits =
        |len: usize| BitVector::from_bools(&(0..len).map(|at| at % 3 == 0).collect::<Vec<_>>());
    let name = Value::Str("a name".to_owned());
    vec![Value::Int(n), name, Value::Slice(bits(70)), Value::Word(bits(33))]
}

/// Returns the available machines of the GPU backend, each preceded by the reference.
pub(super) fn names() -> Vec<&'static str> {
    let mut names = vec!["gpu-emulator", "gpu-emulator-tiny"];
    match machines(&["gpu"]) {
        Ok(_) => names.extend(["gpu", "gpu-tiny"]),
        Err(why) => assert!(std::env::var_os("STAR_REQUIRE_ADAPTER").is_none(), "{why}"),
    }
    names
}

#[test]
fn printed_lines_agree_and_need_few_dispatches() {
    let program = Program::new(LINES);
    let machines = machines(&names()).expect("they are there");
    let compiled = program.compile_on(&machines);
    let entry = program.entry("LINES");
    for n in [0, 1, 40] {
        let limits = Limits { steps: None, ..LIMITS };
        let runs: Vec<_> =
            compiled.iter().map(|it| (&it.name, it.run(entry, &arguments(n), limits))).collect();
        let (_, expected) = &runs[0];
        assert_eq!(expected.outcome, Outcome::Done);
        for (name, run) in &runs {
            assert_eq!(run.outcome, Outcome::Done, "{name}");
            assert_eq!(run.printed, expected.printed, "{name}");
            assert_eq!(run.stats.output_bytes, expected.stats.output_bytes, "{name}");
            // Three lines an iteration; a dispatch ends for memory, and when the journal is full.
            let dispatches = run.stats.counters.unit_dispatches;
            assert!(
                name.contains("tiny") || dispatches < 24,
                "{name}: {dispatches} for {n} \
                iterations"
            );
        }
    }
}

#[test]
fn the_output_limit_is_reached_at_the_same_line() {
    let program = Program::new(LINES);
    let machines = machines(&["gpu-emulator", "gpu-emulator-tiny"]).expect("they are there");
    let compiled = program.compile_on(&machines);
    let entry = program.entry("LINES");
    let whole = compiled[0].run(entry, &arguments(3), LIMITS).stats.output_bytes;
    let limits = (0..whole).step_by(37).chain([whole - 1, whole, 1 << 15, 1 << 20]);
    for output in limits {
        let limits = Limits { output: Some(output), ..LIMITS };
        let runs: Vec<_> = compiled.iter().map(|it| it.run(entry, &arguments(3), limits)).collect();
        for run in &runs[1..] {
            assert_eq!(run.outcome, runs[0].outcome, "{output}");
            assert_eq!(run.printed, runs[0].printed, "{output}");
        }
        let is_met = matches!(
            runs[0].outcome,
            Outcome::Limit { kind: LimitKind::Output { limit }, .. } if limit == output
        );
        assert_eq!(is_met, output < whole, "{output}");
    }
}

/// Accepts the given number of lines.
struct Full {
    taken: Printed,
    left: usize,
}

impl Host for Full {
    fn print(&mut self, line: &str) -> Result<(), HostError> {
        let full = HostError { code: Code::CannotWrite, message: "it is full".to_owned() };
        self.left = self.left.checked_sub(1).ok_or(full)?;
        self.taken.print(line)
    }

    fn read(
        &mut self,
        file: &str,
        layout: Option<&str>,
        ty: Ty,
        max_bytes: Option<u64>,
    ) -> Result<Value, HostError> {
        self.taken.read(file, layout, ty, max_bytes)
    }

    fn write(&mut self, file: &str, value: BitsRef<'_>) -> Result<(), HostError> {
        self.taken.write(file, value)
    }
}

/// Prints the numbers from 1 to n in a separate routine, then 0.
const COUNTS: &str = "routine 0 \"COUNT\" (value %n: int) !0 {
  var %i: int
  for @0 %i = 1 to %n !0 {
    print %i !1
  }
}
routine 1 \"F\" (value %n: int) !0 {
  call 0 (value %n) !0
  print 0 !2
}
locations {
  !0 = 0:0..0
  !1 = 0:1..2
  !2 = 0:3..4
}
";

#[test]
fn a_failed_print_traps_at_that_line() {
    let never = AtomicBool::new(false);
    for settings in [EmulatorSettings::USUAL, EmulatorSettings::TINY] {
        let gpu = Gpu::emulator(settings);
        let program = star_ir::parse(COUNTS).expect("it is SIR");
        star_ir::verify(&program).expect("it verifies");
        let code = gpu.compile(program, &CompileOptions::default(), None).expect("compiled").code;
        let plan = gpu.plan(&code, RoutineId(1), &[]).expect("planned");
        for left in 0..8 {
            let mut host = Full { taken: Printed::default(), left };
            let mut control = Control {
                interrupt: &never,
                deadline: &never,
                limits: Limits { steps: None, memory: None, output: None, depth: 200 },
                host: &mut host,
                profile: None,
                stats: Stats::default(),
            };
            let mut values = vec![gpu.load(Value::Int(6), false).expect("memory")];
            let outcome = gpu.run(&plan, &mut values, &mut control);
            let lines = ["1\n", "2\n", "3\n", "4\n", "5\n", "6\n", "0\n"];
            assert_eq!(host.taken.text, lines[..left.min(7)].concat());
            if left >= 7 {
                assert_eq!(outcome, Outcome::Done);
                continue;
            }
            let Outcome::Trap(trap) = outcome else { panic!("{outcome:?}") };
            let is_full =
                |kind: &TrapKind| matches!(kind, TrapKind::File { code: Code::CannotWrite, .. });
            assert!(is_full(&trap.kind), "{trap:?}");
            assert_eq!(trap.loc.0, if left < 6 { 1 } else { 2 }, "{trap:?}");
            let routines: Vec<u32> = trap.frames.iter().map(|frame| frame.routine.0).collect();
            assert_eq!(routines, if left < 6 { vec![1, 0] } else { vec![1] }, "{trap:?}");
        }
    }
}
