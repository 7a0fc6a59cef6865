//! Kernels over a grid, on an adapter: intrinsics and parallelised loops, at the boundaries of
//! limbs, rounds and workgroups, compared with independent algorithms and with the reference.
//!
//! `STAR_REQUIRE_ADAPTER` makes a missing adapter a failure.

use std::sync::atomic::AtomicBool;

use star_base::Code;
use star_gpu::{DeviceSettings, Gpu, Mode};
use star_ir::{RoutineId, Ty, parse, verify};
use star_value::{BitTable, BitVector, BitsRef, Value as HostValue};
use star_vm::{
    Backend, BackendError, CompileOptions, Control, Declined, Host, HostError, Limits, Outcome,
    Part, Reference, Stats,
};

/// Around the boundaries of limbs, of rounds and of workgroups.
const SIZES: [usize; 15] = [0, 1, 31, 32, 33, 63, 64, 65, 127, 128, 129, 300, 511, 512, 513];

const LIMITS: Limits = Limits { steps: None, memory: None, output: None, depth: 100 };

struct Nobody;

impl Host for Nobody {
    fn print(&mut self, _: &str) -> Result<(), HostError> {
        Ok(())
    }

    fn read(
        &mut self,
        _: &str,
        _: Option<&str>,
        _: Ty,
        _: Option<u64>,
    ) -> Result<HostValue, HostError> {
        Err(HostError { code: Code::CannotOpen, message: String::new() })
    }

    fn write(&mut self, _: &str, _: BitsRef<'_>) -> Result<(), HostError> {
        Err(HostError { code: Code::CannotWrite, message: String::new() })
    }
}

/// Opens the device with usual sizes, with tiny ones, and with memory in many buffers; `None`
/// without an adapter, unless one is required.
fn devices() -> Option<[Gpu; 3]> {
    let settings =
        [DeviceSettings::default(), DeviceSettings::tiny(), DeviceSettings::tiny_banks()];
    let opened: Result<Vec<Gpu>, String> = settings.iter().map(Gpu::open).collect();
    match opened {
        Ok(opened) => opened.try_into().ok(),
        Err(why) => {
            assert!(std::env::var_os("STAR_REQUIRE_ADAPTER").is_none(), "{why}");
            None
        }
    }
}

/// Returns the outcome of the first routine of a program, its final arguments, and the resources
/// used.
fn run<B: Backend>(
    backend: &B,
    text: &str,
    args: &[HostValue],
    limits: Limits,
) -> (Outcome, Vec<HostValue>, Stats) {
    let mut program = parse(text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    verify(&program).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    star_opt::apply(&mut program, &["kernels"]).expect("a pass");
    let code =
        backend.compile(program, &CompileOptions::default(), None).expect("it compiles").code;
    let plan = backend.plan(&code, RoutineId(0), &[]).expect("a plan");
    let load = |value: &HostValue| backend.load(value.clone(), true).expect("a value");
    let mut values: Vec<B::Value> = args.iter().map(load).collect();
    let flag = AtomicBool::new(false);
    let mut control = Control {
        interrupt: &flag,
        deadline: &flag,
        limits,
        host: &mut Nobody,
        profile: None,
        stats: Stats::default(),
    };
    let outcome = backend.run(&plan, &mut values, &mut control);
    let stats = control.stats;
    let values =
        values.iter().map(|value| backend.store(value, Part::Whole, &flag).expect("a value"));
    (outcome, values.collect(), stats)
}

/// Random numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        self.0 >> 33
    }

    fn bits(&mut self, len: usize, percent: u64) -> BitVector {
        let mut bits = BitVector::zeros(len);
        (0..len).for_each(|idx| bits.put(idx, self.next() % 100 < percent));
        bits
    }

    /// Creates a table in which each bit is one with this percentage, with a chain through some of
    /// its vertices.
    fn table(&mut self, (rows, columns): (usize, usize), percent: u64) -> BitTable {
        let mut table = BitTable::zeros(rows, columns).expect("small");
        for column in 0..columns {
            (0..rows).for_each(|row| table.put(row, column, self.next() % 100 < percent));
        }
        for vertex in 1..rows.min(columns) / 2 {
            table.put(vertex * 2 - 2, vertex * 2, true);
        }
        table
    }
}

/// Warshall's algorithm, bit by bit.
fn closed(mut graph: BitTable, n: usize) -> BitTable {
    for k in 0..n {
        let pivot = graph.column_limbs(k).to_vec();
        for column in 0..graph.n_cols() {
            if graph.get(k, column) {
                let limbs = graph.column_limbs_mut(column);
                limbs.iter_mut().zip(&pivot).for_each(|(limb, more)| *limb |= more);
            }
        }
    }
    graph
}

/// The textbook closure by rows as the passes leave it; `intrinsic` is its intrinsic, or empty.
fn by_rows(intrinsic: &str) -> String {
    format!(
        r#"routine 0 "WARSHALL"{intrinsic} (value %n: int as "n", ref %P) !0 {{
  var %P.rows: int
  var %P.columns: int
  var %P: table[%P.rows, %P.columns] as "P"
  var %k: int as "k"
  var %X: slice[%P.rows] sized as "X"
  var %w: word[%P.columns] as "w"
  var %i: int as "i"
  var %v: word[%P.columns] as "v"
  var %v.2: word[%P.columns] as "v"
  for @0 %k = 1 to %n !0 {{
    check set %P !0
    check index %k, columns %P !0
    latch %P.rows, rows %P !0
    %X = column %P, %k !0
    check index %k, rows %P !0
    latch %P.columns, columns %P !0
    %w = row %P, %k !0
    cost 2 !0
    forall @1 %i in %X writes [row %P] privates [%v, %v.2] !0 {{
      cost 1 !0
      %v = row %P, %i !0
      %v.2 = bits_or %v, %w !0
      put_row %P, %i, %v.2 !0
      cost 4 !0
    }}
    cost 1 !0
  }}
}}
locations {{
  !0 = 6:0..44 names [#3 "P"]
}}
"#
    )
}

/// The same by columns, over this range of pivots, with a guard around the `forall`.
fn by_columns(range: &str) -> String {
    format!(
        r#"routine 0 "WARSHALL-C" (value %n: int as "n", ref %P) !0 {{
  var %P.rows: int
  var %P: table[%P.rows, ?] as "P"
  var %k: int as "k"
  var %x: word[?] as "x"
  var %W: slice[%P.rows] as "W"
  var %i: int as "i"
  var %V: slice[%P.rows] as "V"
  var %V.2: slice[%P.rows] as "V"
  var %1: int
  var %2: int
  var %3: bool
  for @0 %k = {range} !0 {{
    check set %P !0
    check index %k, rows %P !0
    %x = row %P, %k !0
    check index %k, columns %P !0
    latch %P.rows, rows %P !0
    %W = column %P, %k !0
    cost 3 !0
    %1 = columns %P !0
    %2 = length %x !0
    %3 = le %2, %1 !0
    if %3 !0 {{
      forall @1 %i in %x writes [column %P] privates [%V, %V.2] !0 {{
        check index %i, columns %P !0
        %V = column %P, %i !0
        %V.2 = bits_or %V, %W !0
        put_column %P, %i, %V.2 !0
        cost 4 !0
      }}
    }} else {{
      foreach @2 %i in %x !0 {{
        check index %i, columns %P !0
        %V = column %P, %i !0
        %V.2 = bits_or %V, %W !0
        put_column %P, %i, %V.2 !0
        cost 4 !0
      }}
    }}
  }}
}}
locations {{
  !0 = 6:0..44 names [#1 "P"]
}}
"#
    )
}

/// One dispatch: lines of T combined with those of U, a line from outside, and their complement.
const COMBINED: &str = r#"routine 0 "COMBINE" (value %a: int, value %b: int, value %U, value %w, ref %T) !0 {
  var %U: table[?, ?] as "U"
  var %w: word[?] as "w"
  var %T: table[?, ?] as "T"
  var %i: int as "i"
  var %v: word[?]
  var %u: word[?]
  var %x: word[?]
  var %y: word[?]
  var %z: word[?]
  check set %T !0
  check set %U !0
  forall @0 %i = %a to %b writes [row %T] privates [%v, %u, %x, %y, %z] !0 {
    check index %i, rows %T !0
    %v = row %T, %i !0
    check index %i, rows %U !0
    %u = row %U, %i !0
    check size length %v, length %u !0
    %x = bits_xor %v, %u !0
    check size length %x, length %w !0
    %y = bits_and %x, %w !0
    %z = bits_not %y !0
    check size columns %T, length %z !0
    put_row %T, %i, %z !0
    cost 7 !0
  }
}
locations {
  !0 = 6:0..44
}
"#;

#[test]
fn the_closure_intrinsic_is_correct_at_every_boundary() {
    let Some([usual, tiny, banks]) = devices() else { return };
    // With the shared memory of minimal devices.
    let settings = DeviceSettings { shared_bytes: Some(1 << 15), ..DeviceSettings::default() };
    let devices = [usual, Gpu::open(&settings).expect("an adapter"), tiny, banks];
    let mut random = Random(5);
    for size in SIZES {
        // The number of vertices equals that of rows and columns; or is smaller, in tables that are
        // not square.
        for shape in [(size, size), (size + 70, size + 3), (size, size + 130)] {
            let percent = [0, 1, 50][random.next() as usize % 3];
            let graph = random.table(shape, percent);
            let args = [HostValue::Int(size as i64), HostValue::from(graph.clone())];
            let expected = HostValue::from(closed(graph, size));
            for (device, is_small) in devices.iter().zip([true, true, false, false]) {
                let context = format!("{size} of {shape:?}, {percent} %");
                let text = by_rows(" intrinsic closure");
                let (outcome, values, stats) = run(device, &text, &args, LIMITS);
                if shape.0 == 0 || shape.1 == 0 {
                    continue;
                }
                assert_eq!(outcome, Outcome::Done, "{context}");
                assert_eq!((stats.intrinsics, stats.operations), (1, 0), "{context}");
                let is_small = is_small || shape.0 * shape.1 < 16;
                let kernels = match is_small {
                    true => size.div_ceil(128) + usize::from(size > 0),
                    false => 2 * size.div_ceil(64),
                };
                assert_eq!(stats.counters.grid_kernels, kernels as u64, "{context}");
                assert!(values[1] == expected, "{context}");
            }
        }
    }
}

#[test]
fn memory_beyond_one_binding_uses_several_buffers() {
    let Some([one, _, many]) = devices() else { return };
    let mut random = Random(14);
    for (text, size) in [(by_rows(" intrinsic closure"), 1300), (by_rows(""), 1000)] {
        let graph = random.table((size, size), 1);
        let args = [HostValue::Int(size as i64), HostValue::from(graph.clone())];
        let expected = HostValue::from(closed(graph, size));
        let banks = [&one, &many].map(|device| {
            let (outcome, values, stats) = run(device, &text, &args, LIMITS);
            assert_eq!(outcome, Outcome::Done, "{size}");
            assert!(values[1] == expected, "{size}");
            assert!(stats.counters.grid_kernels > 0, "{size}");
            // The state is sent and returned with each dispatch; that is more than some registers.
            let (paths, least) = (stats.counters, 64 * stats.counters.unit_dispatches);
            assert!(paths.device_reads >= paths.unit_dispatches, "{paths:?}");
            assert!(paths.bytes_to_device.min(paths.bytes_from_device) > least, "{paths:?}");
            stats.counters.grid_banks
        });
        assert_eq!(banks[0], 0, "{size}");
        assert!(banks[1] > 4, "{size}: {banks:?}");
    }
    // There are 16 of them, of 32 KiB.
    let wide = HostValue::from(random.table((2100, 2100), 1));
    let refused = many.load(wide, true).err();
    assert!(matches!(refused, Some(BackendError::OutOfMemory(_))), "{refused:?}");
}

#[test]
fn a_declined_intrinsic_gives_the_result_of_its_body() {
    let Some(devices) = devices() else { return };
    let mut random = Random(6);
    let text = by_rows(" intrinsic closure");
    let tight = Limits { memory: Some(64 * 8 + 500), ..LIMITS };
    for (n, shape, limits) in [
        (-1, (40, 40), LIMITS),
        (40, (40, 39), LIMITS),
        (40, (39, 40), LIMITS),
        (64, (64, 64), tight),
    ] {
        let args = [HostValue::Int(n), HostValue::from(random.table(shape, 4))];
        let (expected, wanted, counted) = run(&Reference::new(), &text, &args, LIMITS);
        for device in &devices {
            let (outcome, values, stats) = run(device, &text, &args, limits);
            assert_eq!((&outcome, &values), (&expected, &wanted), "{n} of {shape:?}");
            assert_eq!(stats.intrinsics, 0);
            assert_eq!(stats.operations, counted.operations);
        }
    }
}

#[test]
fn textbook_closures_run_eight_pivots_at_a_time() {
    let Some(devices) = devices() else { return };
    let mut random = Random(7);
    for size in SIZES.into_iter().filter(|size| *size > 0) {
        for shape in [(size, size), (size + 70, size + 3), (size, size + 130)] {
            let percent = [0, 1, 50][random.next() as usize % 3];
            let graph = random.table(shape, percent);
            let args = [HostValue::Int(size as i64), HostValue::from(graph.clone())];
            let expected = HostValue::from(closed(graph, size));
            for text in [by_rows(""), by_columns("1 to %n")] {
                // The reference is slow.
                let counted = (size <= 65).then(|| run(&Reference::new(), &text, &args, LIMITS).2);
                for (device, least) in devices.iter().zip([1 << 10, 1, 1]) {
                    let context = format!("{size} of {shape:?}, {percent} %, from {least} bits on");
                    let (outcome, values, stats) = run(device, &text, &args, LIMITS);
                    assert_eq!(outcome, Outcome::Done, "{context}");
                    assert!(values[1] == expected, "{context}");
                    let is_lifted = shape.0 * shape.1 >= least;
                    assert_eq!(stats.counters.grid_loops, u64::from(is_lifted), "{context}");
                    let kernels = if is_lifted { (size as u64).div_ceil(8) + 1 } else { 0 };
                    assert!(stats.counters.grid_kernels >= kernels, "{context}");
                    if let Some(counted) = counted {
                        assert_eq!(stats.operations, counted.operations, "{context}");
                    }
                }
            }
        }
    }
}

#[test]
fn loops_may_count_down_and_begin_anywhere() {
    let Some(devices) = devices() else { return };
    let mut random = Random(8);
    for range in ["%n downto 1", "3 to %n", "%n to 45", "%n to %n", "50 downto %n"] {
        let args = [HostValue::Int(40), HostValue::from(random.table((50, 60), 3))];
        let text = by_columns(range);
        let (expected, wanted, counted) = run(&Reference::new(), &text, &args, LIMITS);
        for device in &devices {
            let (outcome, values, stats) = run(device, &text, &args, LIMITS);
            assert_eq!((&outcome, &values), (&expected, &wanted), "{range}");
            assert_eq!(stats.counters.grid_loops, 1, "{range}");
            assert_eq!(stats.operations, counted.operations, "{range}");
        }
    }
}

#[test]
fn an_iteration_that_would_trap_traps_as_written() {
    let Some([device, ..]) = devices() else { return };
    let mut random = Random(9);
    let cases = [
        (by_rows(""), 41, (40, 50), Declined::Guard),
        (by_rows(""), 41, (50, 40), Declined::Guard),
        (by_rows(""), 0, (50, 40), Declined::Empty),
        (by_columns("-2 to %n"), 5, (50, 40), Declined::Range),
        (by_columns("51 downto %n"), 5, (50, 50), Declined::Guard),
    ];
    for (text, n, shape, reason) in cases {
        let args = [HostValue::Int(n), HostValue::from(random.table(shape, 3))];
        let (expected, wanted, counted) = run(&Reference::new(), &text, &args, LIMITS);
        let (outcome, values, stats) = run(&device, &text, &args, LIMITS);
        assert_eq!((&outcome, &values), (&expected, &wanted), "{n} of {shape:?}");
        assert_eq!((stats.counters.grid_loops, stats.counters.declined(reason)), (0, 1));
        assert_eq!(stats.operations, counted.operations);
    }
}

#[test]
fn a_loop_of_one_dispatch_combines_lines() {
    let Some([_, device, _]) = devices() else { return };
    let mut random = Random(10);
    for (rows, columns) in [(1, 1), (40, 33), (65, 7), (129, 300), (513, 64)] {
        let n = rows as i64;
        for (a, b) in [(1, n), (n / 2 + 1, n), (1, 0), (1, n + 1)] {
            let args = [
                HostValue::Int(a),
                HostValue::Int(b),
                HostValue::from(random.table((rows, columns), 40)),
                HostValue::Word(random.bits(columns, 70)),
                HostValue::from(random.table((rows, columns), 50)),
            ];
            let (expected, wanted, counted) = run(&Reference::new(), COMBINED, &args, LIMITS);
            let (outcome, values, stats) = run(&device, COMBINED, &args, LIMITS);
            assert_eq!((&outcome, &values), (&expected, &wanted), "{a} to {b} of {rows}×{columns}");
            let is_lifted = b >= a && b <= n;
            assert_eq!(stats.counters.grid_loops, u64::from(is_lifted));
            assert_eq!(stats.operations, counted.operations);
        }
    }
}

/// The rows that hold the least and the greatest number, `%Z` and the marked rows.
const EXTREMES: &str = r#"routine 0 "EXTREMES" (value %T, value %X, ref %Y, ref %Z) !0 {
  var %T: table[?, ?] as "T"
  var %X: slice[?] as "X"
  var %Y: slice[?] as "Y"
  var %Z: slice[?] as "Z"
  check set %T !0
  check size length %X, rows %T !0
  %Y = extreme_min %T, %X !0
  check set %Z !0
  check size length %Z, rows %T !0
  %Z = extreme_max %T, %Z !0
}
locations {
  !0 = 6:0..44
}
"#;

#[test]
fn extremes_run_as_kernels() {
    let Some([_, tiny, banks]) = devices() else { return };
    let mut random = Random(12);
    // Of short numbers, many rows hold the least; of long ones, one row in a block of rows.
    let shapes =
        [(1, 1), (31, 3), (33, 40), (64, 7), (129, 70), (400, 5), (33_000, 9), (70_000, 3)];
    for (rows, columns) in shapes {
        for percent in [0, 3, 50, 100] {
            let args = [
                HostValue::from(random.table((rows, columns), percent)),
                HostValue::Slice(random.bits(rows, 60)),
                HostValue::Unset,
                HostValue::Slice(random.bits(rows, percent / 4)),
            ];
            let (expected, wanted, _) = run(&Reference::new(), EXTREMES, &args, LIMITS);
            for device in [&tiny, &banks] {
                let (outcome, values, stats) = run(device, EXTREMES, &args, LIMITS);
                assert_eq!(outcome, expected, "{rows}×{columns}, {percent} %");
                assert!(values == wanted, "{rows}×{columns}, {percent} %");
                assert_eq!(stats.counters.grid_runs, 2, "{rows}×{columns}, {percent} %");
            }
        }
    }
}

#[test]
fn modes_are_obeyed_or_rejected() {
    let Some([device, ..]) = devices() else { return };
    let of = |mode: Mode| {
        Gpu::open(&DeviceSettings { mode, ..DeviceSettings::default() }).expect("an adapter")
    };
    let args = [HostValue::Int(70), HostValue::from(Random(11).table((70, 70), 3))];
    for (text, loops, intrinsics) in [(by_rows(""), 1, 0), (by_rows(" intrinsic closure"), 0, 1)] {
        let (_, expected, _) = run(&device, &text, &args, LIMITS);
        let (_, values, stats) = run(&of(Mode::Lifted), &text, &args, LIMITS);
        assert!(values == expected);
        assert_eq!((stats.counters.grid_loops, stats.intrinsics), (loops, intrinsics));
        let (_, values, stats) = run(&of(Mode::Resident), &text, &args, LIMITS);
        assert!(values == expected);
        assert_eq!((stats.counters.grid_kernels, stats.intrinsics), (0, 0));
    }
    let text = "routine 0 \"NOTHING\" () !0 {\n}\nlocations {\n  !0 = 6:0..44\n}\n";
    let program = parse(text).expect("it is SIR");
    let lifted = of(Mode::Lifted);
    let code = lifted.compile(program, &CompileOptions::default(), None).expect("it compiles").code;
    let refused = lifted.plan(&code, RoutineId(0), &[]).expect_err("nothing is a kernel");
    assert!(matches!(&refused, BackendError::Unsupported { what } if what.contains("kernels")));
}
