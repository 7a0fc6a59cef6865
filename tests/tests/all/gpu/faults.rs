//! Device failures: the device is lost, out of memory, rejects a kernel, or runs an endless
//! program. Nothing hangs, and the failure is reported.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use star_gpu::{DeviceSettings, EmulatorSettings, Gpu};
use star_ir::{LimitKind, RoutineId, Ty};
use star_tests::sir::{self, guards};
use star_value::{BitTable, BitsRef, Value};
use star_vm::{
    Backend, BackendError, CompileOptions, Control, Host, HostError, Limits, Outcome, Part, Stats,
};

use super::wide::SHIFTS;
use crate::cpu_fast_paths::{slice, table};

/// A world that accepts output and has no files.
#[derive(Default)]
struct World {
    printed: String,
}

impl Host for World {
    fn print(&mut self, line: &str) -> Result<(), HostError> {
        self.printed += line;
        Ok(())
    }

    fn read(
        &mut self,
        _file: &str,
        _layout: Option<&str>,
        _ty: Ty,
        _max_bytes: Option<u64>,
    ) -> Result<Value, HostError> {
        Err(HostError { code: star_base::Code::CannotOpen, message: "no files".to_owned() })
    }

    fn write(&mut self, _file: &str, _value: BitsRef<'_>) -> Result<(), HostError> {
        Err(HostError { code: star_base::Code::CannotOpen, message: "no files".to_owned() })
    }
}

/// The result of a run: its outcome, its output, and the arguments.
pub(super) type Left = (Outcome, String, Vec<Result<Value, BackendError>>);

/// Runs the first routine of a SIR text.
pub(super) fn run(gpu: &Gpu, text: &str, args: &[Value], interrupt: &AtomicBool) -> Left {
    let program = star_ir::parse(text).unwrap_or_else(|error| panic!("{error}"));
    star_ir::verify(&program).unwrap_or_else(|errors| panic!("{errors:?}"));
    let mut values: Vec<_> =
        args.iter().map(|value| gpu.load(value.clone(), false).expect("memory")).collect();
    let code = gpu.compile(program, &CompileOptions::default(), None).expect("compiled").code;
    let plan = gpu.plan(&code, RoutineId(0), &[]).expect("planned");
    let (mut world, deadline) = (World::default(), AtomicBool::new(false));
    let mut control = Control {
        interrupt,
        deadline: &deadline,
        limits: Limits { steps: None, memory: None, output: None, depth: 200 },
        host: &mut world,
        profile: None,
        stats: Stats::default(),
    };
    let outcome = gpu.run(&plan, &mut values, &mut control);
    let never = AtomicBool::new(false);
    let values = values.iter().map(|value| gpu.store(value, Part::Whole, &never)).collect();
    (outcome, world.printed, values)
}

/// Prints the numbers from 1 to n, and sets every component of a slice, one after another.
const COUNTS: &str = "routine 0 \"F\" (value %n: int, ref %x: slice[?]) !0 {
  var %i: int
  check not_negative %n !0
  %x = fill %n, false !0
  for @0 %i = 1 to %n !0 {
    print %i !0
    check index %i, length %x !0
    put %x, %i, 1 !0
  }
}
locations {
  !0 = 0:0..0
}
";

const ENDLESS: &str = "routine 0 \"F\" (ref %n: int) !0 {
  var %t: bool
  %n = copy 0 !0
  %t = copy true !0
  while @0 !0 {
  } test %t {
    %n = copy 1 !0
  }
}
locations {
  !0 = 0:0..0
}
";

/// A table that doubles until memory is exhausted.
const GROWS: &str = "routine 0 \"F\" (ref %T: table[?, ?]) !0 {
  var %n: int
  var %t: bool
  %n = copy 1 !0
  %t = copy true !0
  while @0 !0 {
  } test %t {
    check add %n, %n !0
    %n = add %n, %n !0
    check not_negative %n !0
    %T = new_table 64, %n !0
  }
}
locations {
  !0 = 0:0..0
}
";

#[test]
fn lines_too_long_for_an_adapter_end_the_run_cleanly() {
    let gpu = Gpu::emulator(EmulatorSettings { most_iterations: 0, ..EmulatorSettings::TINY });
    let args = [Value::Int(5), Value::Unset];
    let (outcome, _, _) = run(&gpu, COUNTS, &args, &AtomicBool::new(false));
    let Outcome::Unsupported { what } = outcome else { panic!("{outcome:?}") };
    assert!(what.starts_with("lines of ") && what.ends_with(" on this adapter"), "{what}");
}

#[test]
fn a_device_lost_at_any_dispatch_ends_the_run_with_an_error() {
    let never = AtomicBool::new(false);
    let args = [Value::Int(5), Value::Unset];
    let mut done = 0;
    for lost_after in 0..200 {
        let gpu = Gpu::emulator(EmulatorSettings { lost_after, ..EmulatorSettings::TINY });
        let (outcome, printed, values) = run(&gpu, COUNTS, &args, &never);
        match outcome {
            Outcome::DeviceLost { why } => {
                assert!(done == 0 && why.contains("the test"), "{lost_after}: {why}");
                assert!(matches!(values[1], Ok(Value::Unset) | Err(_)), "{values:?}");
                // It stays lost, and nothing waits for it.
                let again = run(&gpu, COUNTS, &args, &never).0;
                assert!(matches!(again, Outcome::DeviceLost { .. }), "{again:?}");
            }
            outcome => {
                // It is lost just after the end, or not at all.
                assert_eq!((outcome, printed.as_str()), (Outcome::Done, "1\n2\n3\n4\n5\n"));
                done += 1;
            }
        }
    }
    assert!((1..195).contains(&done), "{done} of 200 came to their end");
}

#[test]
fn out_of_memory_is_a_limit_with_the_requested_size() {
    let never = AtomicBool::new(false);
    let gpu = Gpu::emulator(EmulatorSettings { most_words: 1 << 12, ..EmulatorSettings::TINY });
    let (outcome, _, _) = run(&gpu, GROWS, &[Value::Unset], &never);
    match outcome {
        Outcome::Limit { kind: LimitKind::Memory { limit, wanted }, .. } => {
            assert!(limit <= 1 << 14 && wanted > limit && wanted <= 1 << 16, "{limit} {wanted}");
        }
        outcome => panic!("{outcome:?}"),
    }
    // Its memory is free again.
    let (outcome, printed, _) = run(&gpu, COUNTS, &[Value::Int(2), Value::Unset], &never);
    assert_eq!((outcome, printed.as_str()), (Outcome::Done, "1\n2\n"));
    // For a value that does not fit, the size is reported.
    let table = BitTable::zeros(64, 5000).expect("memory");
    match gpu.load(Value::from(table), false) {
        Err(BackendError::OutOfMemory(refused)) => assert_eq!(refused.n_bytes, 40_000),
        other => panic!("{:?}", other.err()),
    }
}

/// Returns the emulator, and an adapter if there is one.
fn all() -> Vec<Gpu> {
    let mut all = vec![Gpu::emulator(EmulatorSettings::USUAL)];
    match Gpu::open(&DeviceSettings::default()) {
        Ok(gpu) => all.push(gpu),
        Err(why) => assert!(std::env::var_os("STAR_REQUIRE_ADAPTER").is_none(), "{why}"),
    }
    all
}

#[test]
fn an_endless_program_is_interrupted_at_the_next_batch() {
    for gpu in all() {
        let device = gpu.caps().device;
        let is_card = !["emulator", "llvmpipe"].iter().any(|name| device.contains(name));
        // Of the control unit alone, of wide lines, and of loops over all lines of a table.
        let (rows, n) = if is_card { (30_000_000, 8192) } else { (2_000_000, 100) };
        let endless = Value::Int(i64::MAX);
        let programs = [
            (ENDLESS, vec![Value::Unset]),
            (SHIFTS, vec![slice(rows, 1), endless.clone()]),
            (JOINS, vec![table(n, n, 1), endless, Value::Unset]),
        ];
        for (text, args) in programs {
            // A driver compiles each kernel only once.
            let took = [150, 230].map(|wait| ends_after(&gpu, text, &args, wait));
            #[expect(clippy::print_stdout, reason = "the figures are for people")]
            {
                println!("{device}: {took:?}");
            }
            // A batch takes some ten milliseconds on a graphics card; a processor may be busy with
            // other tests.
            let most = Duration::from_millis(if is_card { 100 } else { 2000 });
            assert!(took[1] < most, "{device}, {took:?}");
        }
    }
}

/// Interrupts a run the given number of milliseconds after its start and returns how long it
/// continues.
fn ends_after(gpu: &Gpu, text: &str, args: &[Value], wait: u64) -> Duration {
    // Without locations.
    let text = text.split("locations").next().unwrap_or_default().replace(" !0", "");
    let mut program = sir::read(&text);
    guards::guard(&mut program);
    star_ir::verify(&program).unwrap_or_else(|errors| panic!("{errors:?}"));
    let code = gpu.compile(program, &CompileOptions::default(), None).expect("compiled").code;
    let plan = gpu.plan(&code, RoutineId(0), &[]).expect("planned");
    let mut values: Vec<_> =
        args.iter().map(|value| gpu.load(value.clone(), false).expect("memory")).collect();
    let (interrupt, deadline) = (AtomicBool::new(false), AtomicBool::new(false));
    let mut world = World::default();
    let mut control = Control {
        interrupt: &interrupt,
        deadline: &deadline,
        limits: Limits { steps: None, memory: None, output: None, depth: 200 },
        host: &mut world,
        profile: None,
        stats: Stats::default(),
    };
    std::thread::scope(|scope| {
        let pressed = scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(wait));
            interrupt.store(true, Ordering::Relaxed);
            Instant::now()
        });
        let outcome = gpu.run(&plan, &mut values, &mut control);
        let ended = Instant::now();
        let limit = LimitKind::Interrupted;
        assert!(matches!(&outcome, Outcome::Limit { kind, .. } if *kind == limit), "{outcome:?}");
        ended.duration_since(pressed.join().expect("it sleeps only"))
    })
}

/// Combines all rows, the given number of times.
const JOINS: &str = "routine 0 \"F\" (value %P: table[?, ?], value %n: int, ref %z) {
  var %m: int
  var %z: word[%m]
  var %i: int
  var %k: int
  var %r: int
  var %v: word[?]
  %m = columns %P
  %r = rows %P
  %z = fill %m, false
  for @0 %k = 1 to %n {
    forall @1 %i = 1 to %r privates [%v] reductions [xor %z] {
      %v = row %P, %i
      %z = bits_xor %z, %v
    }
  }
}";

#[test]
fn an_adapter_that_rejects_the_control_unit_is_unavailable() {
    if let Err(why) = Gpu::open(&DeviceSettings::default()) {
        assert!(std::env::var_os("STAR_REQUIRE_ADAPTER").is_none(), "{why}");
        return;
    }
    let settings = DeviceSettings { threads: Some(1 << 20), ..Default::default() };
    let refused = Gpu::open(&settings).err().unwrap_or_default();
    assert!(refused.contains("rejects the control unit"), "{refused:?}");
    let settings = DeviceSettings { adapter: Some("abacus".to_owned()), ..Default::default() };
    let none = Gpu::open(&settings).err().unwrap_or_default();
    assert!(none.contains("no adapter name contains `abacus`; available adapters: "), "{none:?}");
}
