//! Tables that go from a file to a backend, and back, by ranges of columns, or by the rows of each
//! rank.

#![allow(
    clippy::result_large_err,
    reason = "an error is created at most once per file, and its fields are public"
)]

use std::cell::Cell;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use star::pipeline::{PlaceError, Printed, RoutineResult};
use star_base::Code;
use star_harness::MachineSpec;
use star_io::{
    FileError, Format, OutputRef, Packing, ReadOptions, read_columns, write, write_columns,
};
use star_tests::backends::{Compiled, Machine};
use star_tests::case::Random;
use star_tests::on_ranks::{on_ranks, passed};
use star_tests::run::{LIMITS, Program};
use star_value::{Argument, BitTable, BitsRef, Value};
use star_vm::columns::{PART_BYTES, columns_at_once};
use star_vm::{BackendError, Control, Limits, Outcome, Stats, Wanted};

/// The result has the columns of the argument in the opposite order, each complemented.
const TURN: &str = "\
procedure TURN(m: integer; T: table; var U: table);
var X: slice; i: integer;
begin
  for i := 1 to m do begin
    X := not COL(i, T);
    COL(m + 1 - i, U) := X
  end
end;
";

/// The machines: those of the host, the emulator, and the adapters where there is one.
fn machines() -> Vec<Machine> {
    let always = ["reference", "reference-backward", "cpu", "gpu-emulator", "gpu-emulator-tiny"];
    let find = |name: &str| MachineSpec::find(name).expect("a machine").machine();
    let mut machines: Vec<Machine> =
        always.iter().map(|name| find(name).expect("it needs no device")).collect();
    for name in ["gpu", "gpu-tiny", "gpu-banks"] {
        match find(name) {
            Ok(machine) => machines.push(machine),
            Err(why) => assert!(std::env::var_os("STAR_REQUIRE_ADAPTER").is_none(), "{why}"),
        }
    }
    machines
}

fn random_table(n_rows: usize, n_cols: usize) -> BitTable {
    let mut random = Random::new((n_rows * 1000 + n_cols) as u64);
    let mut table = BitTable::zeros(n_rows, n_cols).expect("memory");
    for col in 0..n_cols {
        (0..n_rows).for_each(|row| table.put(row, col, random.below(2) == 1));
    }
    table
}

fn file_of(table: &BitTable) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(Format::Stb, OutputRef::Bits(BitsRef::from(table)), &mut bytes).expect("memory");
    bytes
}

/// Loads a file of this length by parts, runs the program, and writes its result by parts.
fn through(
    machine: &Machine,
    (compiled, program): (&Compiled, &Program),
    shape: (usize, usize),
    (bytes, n_bytes): (&[u8], u64),
) -> Result<(Vec<u8>, Stats), PlaceError<FileError>> {
    let (never, mut host, entry) =
        (AtomicBool::new(false), Printed::default(), program.entry("TURN"));
    let mut placed = compiled.place();
    let n_cols = Value::Int(shape.1 as i64);
    placed.add(Argument::new(n_cols, true)).map_err(PlaceError::Backend)?;
    placed.add_columns(shape, |at_once, sink| {
        let mut options = ReadOptions::new("t.stb", u64::MAX);
        options.size_hint = Some(n_bytes);
        read_columns(&mut &bytes[..], &mut options, at_once, sink)
    })?;
    placed.add(Argument::new(Value::Unset, false)).map_err(PlaceError::Backend)?;
    let mut loaded = compiled.plan(entry, placed).map_err(PlaceError::Backend)?;
    let mut control = Control {
        interrupt: &never,
        deadline: &never,
        limits: Limits { steps: None, ..LIMITS },
        host: &mut host,
        profile: None,
        stats: Stats::default(),
    };
    assert_eq!(loaded.run(&mut control), Outcome::Done, "{}", machine.name);
    let mut stats = control.stats;
    let results = loaded.into_results_as(&|_| Wanted::Columns, &|_| true, &never);
    let results = results.map_err(PlaceError::Backend)?;
    let mut bytes = Vec::new();
    match &results[..] {
        [RoutineResult::Value(value)] => {
            let value = OutputRef::Bits(value.bits().expect("a table"));
            write(Format::Stb, value, &mut bytes).map_err(PlaceError::Source)?;
        }
        [RoutineResult::Table(table)] => {
            let mut parts = table.parts();
            let mut next = || {
                stats.counters.parts_stored += 1;
                let columns = parts.next().expect("another part");
                Ok(table.columns(columns, &never).expect("columns of the table"))
            };
            let plain = Packing::Plain;
            write_columns(plain, table.shape(), &mut next, &mut bytes, &mut || true)
                .map_err(PlaceError::Source)?;
        }
        _ => panic!("one result"),
    }
    Ok((bytes, stats))
}

#[test]
fn files_of_all_shapes_pass_through_every_machine() {
    let program = Program::new(TURN);
    for machine in machines() {
        let compiled = machine.compile(program.lowered.program.clone()).expect("it compiles");
        let part_bytes = machine.caps().part_bytes;
        for (n_rows, n_cols) in [(1, 1), (1, 70), (64, 33), (65, 1), (200, 40), (2500, 5)] {
            let table = random_table(n_rows, n_cols);
            let mut turned = BitTable::zeros(n_rows, n_cols).expect("memory");
            for col in 0..n_cols {
                (0..n_rows).for_each(|row| turned.put(row, n_cols - 1 - col, !table.get(row, col)));
            }
            let bytes = file_of(&table);
            let file = (&bytes[..], bytes.len() as u64);
            let passed = through(&machine, (&compiled, &program), (n_rows, n_cols), file);
            let (found, stats) = passed.unwrap_or_else(|why| panic!("{}: {why:?}", machine.name));
            let case = format!("{n_rows} × {n_cols} on `{}`", machine.name);
            assert!(found == file_of(&turned), "{case}");
            // A machine that keeps the memory of the host has no parts.
            let n_parts = part_bytes
                .map_or(0, |bytes| n_cols.div_ceil(columns_at_once(n_rows, bytes)) as u64);
            assert_eq!(stats.counters.parts_loaded, n_parts, "{case}");
            let stored = if n_parts > 1 { n_parts } else { 0 };
            assert_eq!(stats.counters.parts_stored, stored, "{case}");
            if machine.name.ends_with("-tiny") && n_cols >= 33 {
                assert!(n_parts > 1, "{case}");
            }
        }
    }
}

#[test]
fn parts_have_at_most_their_size_or_one_column() {
    assert_eq!(columns_at_once(1 << 30, PART_BYTES), 1);
    assert_eq!(columns_at_once(1 << 29, PART_BYTES), 1);
    assert_eq!(columns_at_once(1 << 28, PART_BYTES), 2);
    assert_eq!(columns_at_once(1, PART_BYTES), 1 << 23);
    assert_eq!(columns_at_once(0, PART_BYTES), 1 << 23);
    assert_eq!(columns_at_once(65, 1), 1);
}

#[test]
fn bad_files_leave_no_argument() {
    let program = Program::new(TURN);
    let table = random_table(200, 40);
    let good = file_of(&table);
    let n_bytes = good.len() as u64;
    let long = [&good[..], b"x"].concat();
    let mut changed = good.clone();
    *changed.last_mut().expect("a checksum") ^= 1;
    let cases: [(&[u8], Code); 4] = [
        (&good[..good.len() / 2], Code::Truncated),
        (&good[..good.len() - 1], Code::Truncated),
        (&long, Code::HeaderLies),
        (&changed, Code::BadFormat),
    ];
    for machine in machines() {
        let compiled = machine.compile(program.lowered.program.clone()).expect("it compiles");
        for (bytes, code) in cases {
            match through(&machine, (&compiled, &program), (200, 40), (bytes, n_bytes)) {
                Err(PlaceError::Source(error)) => assert_eq!(error.code, code),
                other => panic!("{}: {other:?}", machine.name),
            }
        }
        // The memory of the failed ones is free.
        let file = (&good[..], n_bytes);
        assert!(through(&machine, (&compiled, &program), (200, 40), file).is_ok());
    }
}

#[test]
fn a_backend_that_refuses_a_part_ends_the_reading() {
    let spec = MachineSpec::find("gpu-emulator-tiny").expect("a machine");
    let machine = spec.machine().expect("it needs no device");
    let program = Program::new(TURN);
    let compiled = machine.compile(program.lowered.program.clone()).expect("it compiles");
    let (seen, mut placed) = (Cell::new(0), compiled.place());
    // More words than the emulator has.
    let shape = (1 << 20, 1 << 14);
    let added = placed.add_columns(shape, |at_once, sink| {
        assert_eq!(at_once, 1);
        for start in 0..9 {
            seen.set(seen.get() + 1);
            if !sink(start, BitTable::zeros(shape.0, 1).expect("memory")) {
                return Err("ended");
            }
        }
        Ok(())
    });
    let Err(PlaceError::Backend(BackendError::OutOfMemory(refused))) = added else {
        panic!("{added:?}")
    };
    assert_eq!((refused.n_bytes, seen.get()), (1 << 31, 1));
}

#[test]
fn the_library_places_files_by_parts() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let table = random_table(70, 5);
    let path = folder.join("parts.stb").display().to_string();
    std::fs::write(&path, file_of(&table)).expect("a file");
    let program = star::Program::parse(TURN).expect("it has no errors");
    let call = |machine: &str| {
        let machine = MachineSpec::find(machine).expect("a machine").machine().expect("no device");
        let mut run = program.run("TURN").expect("a routine").on(&machine);
        run.call(star::args![m = 5].text(&format!("T={path}")))
    };
    for (machine, n_parts) in [("reference-backward", 5), ("reference", 0), ("cpu", 0)] {
        let out = call(machine).unwrap_or_else(|error| panic!("{machine}: {error}"));
        assert_eq!(out.stats().counters.parts_loaded, n_parts, "{machine}");
        let turned = out.table("U").expect("a table");
        let columns = (0..5).map(|col| turned.column_limbs(4 - col).into_owned());
        assert!(columns.enumerate().all(|(col, limbs)| {
            let ones = |limbs: &[u64]| limbs.iter().map(|limb| limb.count_ones()).sum::<u32>();
            let is_disjoint = limbs.iter().zip(table.column_limbs(col)).all(|(a, b)| a & b == 0);
            is_disjoint && ones(&limbs) + ones(table.column_limbs(col)) == 70
        }));
    }
    let mut damaged = file_of(&table);
    damaged[40] ^= 1;
    std::fs::write(&path, damaged).expect("a file");
    for machine in ["reference-backward", "cpu"] {
        let error = call(machine).expect_err("a damaged file");
        let star::Error::Refused(refused) = &error else { panic!("{machine}: {error}") };
        assert_eq!(refused.code, Code::BadFormat, "{machine}: {error}");
    }
}

#[test]
fn ranks_gather_results_by_parts() {
    for n_ranks in [2, 3, 7] {
        for (n_rows, n_cols) in [(1, 3), (200, 40), (129, 5)] {
            let bytes = file_of(&random_table(n_rows, n_cols));
            let results = on_ranks(n_ranks, |machine| {
                let program = Program::new(TURN);
                let compiled = machine.compile(program.lowered.program.clone()).expect("compiled");
                let file = (&bytes[..], bytes.len() as u64);
                through(machine, (&compiled, &program), (n_rows, n_cols), file).expect("results")
            });
            let machine = Machine::reference();
            let program = Program::new(TURN);
            let compiled = machine.compile(program.lowered.program.clone()).expect("it compiles");
            let file = (&bytes[..], bytes.len() as u64);
            let expected = through(&machine, (&compiled, &program), (n_rows, n_cols), file);
            let expected = expected.expect("a result").0;
            for (found, stats) in results {
                assert!(found == expected, "{n_rows} × {n_cols} on {n_ranks} ranks");
                assert_eq!(stats.counters.parts_stored, n_cols as u64);
            }
        }
    }
}

#[test]
fn each_rank_reads_its_rows_of_a_file() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let program = star::Program::parse(TURN).expect("it has no errors");
    let text = |path: &Path| star::args![m = 5].text(&format!("T={}", path.display()));
    for n_ranks in [2, 3, 7] {
        for n_rows in [7, 64, 450, 1000] {
            let table = random_table(n_rows, 5);
            let (bytes, path) = (file_of(&table), folder.join(format!("rows-{n_ranks}.stb")));
            std::fs::write(&path, &bytes).expect("a file");
            let expected = program.run("TURN").expect("a routine").call(text(&path));
            let expected = expected.expect("a result").table("U").expect("a table").clone();
            let n_read = on_ranks(n_ranks, |machine| {
                let program = star::Program::parse(TURN).expect("it has no errors");
                let out = program.run("TURN").expect("a routine").on(machine).call(text(&path));
                let out = out.expect("a result");
                assert!(*out.table("U").expect("a table") == expected);
                (out.stats().counters.own_bytes_loaded, out.stats().counters.parts_loaded)
            });
            // Limbs with rows of two ranks are read by both.
            let most = (n_rows.div_ceil(n_ranks) + 127).div_ceil(64) * 8 * 5 + 36;
            for n in &n_read {
                assert!(n.0 > 0 && n.0 <= most as u64 && n.1 == 0, "{n_rows} rows: {n_read:?}");
            }
            assert!(n_read.iter().map(|n| n.0).sum::<u64>() >= bytes.len() as u64);
        }
    }
}

#[test]
fn damaged_files_have_the_same_error_on_all_ranks() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let path = folder.join("damaged-rows.stb");
    let good = file_of(&random_table(450, 5));
    let n = good.len();
    // In the header, of each rank, beyond the last row, in the checksum.
    for at in [24, 40, 60, 85, n - 5, n - 1] {
        let mut bytes = good.clone();
        bytes[at] ^= 0x80;
        std::fs::write(&path, &bytes).expect("a file");
        let call = |machine: &Machine| {
            let program = star::Program::parse(TURN).expect("it has no errors");
            let mut run = program.run("TURN").expect("a routine").on(machine);
            let called = run.call(star::args![m = 5].text(&format!("T={}", path.display())));
            called.expect_err("a damaged file").to_string()
        };
        let expected = call(&Machine::reference());
        let found = on_ranks(3, call);
        assert!(found.iter().all(|error| *error == expected), "{at}: {found:?}, not {expected}");
    }
}

/// Returns records with numbers, some of them negative or missing, texts and dates.
fn list_of(n_records: usize) -> String {
    let mut random = Random::new(n_records as u64);
    let mut text = "a,b,c,d\n".to_owned();
    for at in 0..n_records {
        let (number, date) = (random.below(2000) as i64 - 900, 1 + random.below(28));
        let name = match random.below(4) {
            0 => String::new(),
            1 => format!("\"a, {}\"", at / 40),
            _ => format!("Ålesund{}", at / 60),
        };
        text += &format!("{number},{name},2024-05-{date:02},{}\n", random.below(5));
    }
    text
}

#[test]
fn each_rank_reads_its_lines_of_a_list() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    for n_ranks in [2, 3, 7] {
        for (n_records, packed) in [(150, "records:"), (700, ""), (700, "field:b:")] {
            let text = list_of(n_records);
            let path = folder.join(format!("lines-{n_ranks}.csv"));
            std::fs::write(&path, &text).expect("a file");
            let path = path.display();
            let code = format!("w=code:c=2024-05-03:{path}");
            let arguments = [format!("T={packed}{path}"), code, "codes=own".to_owned()];
            let expected = passed(&Machine::reference(), &arguments).0;
            assert_eq!(expected.as_ref().expect("a list").n_rows(), n_records);
            let found = on_ranks(n_ranks, |machine| passed(machine, &arguments));
            assert!(found.iter().all(|(table, _)| *table == expected), "{n_ranks} ranks");
            let most = text.len().div_ceil(n_ranks) as u64 + 80;
            let n_read: Vec<u64> = found.iter().map(|(_, n_bytes)| *n_bytes).collect();
            assert!(n_read.iter().all(|n| *n > 0 && *n <= most), "{n_read:?} of {}", text.len());
            assert_eq!(n_read.iter().sum::<u64>(), text.len() as u64);
        }
    }
}

#[test]
fn each_rank_reads_its_lines_of_typed_records() {
    let program = "\
type Trip(k) = record a: int(k); c: uint(15); d: uint(3) end;
procedure LATE(k: integer; T: table(m) of Trip(k); var X: slice(T));
begin X := T.a < 0 end;
";
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("typed-lines.csv");
    let text = list_of(400);
    std::fs::write(&path, &text).expect("a file");
    let call = |machine: &Machine, more: &[&str]| {
        let program = star::Program::parse(program).expect("it has no errors");
        let texts = more.iter().fold(star::args![], |all, one| all.text(one));
        let texts = texts.text(&format!("T={}", path.display()));
        let called = program.run("LATE").expect("a routine").on(machine).call(texts);
        called.map_err(|error| error.to_string()).map(|out| {
            (out.bits("X").expect("a slice").clone(), out.stats().counters.own_bytes_loaded)
        })
    };
    for more in [&[][..], &["k=20"], &["k=4"]] {
        let expected = call(&Machine::reference(), more).map(|(x, _)| x);
        assert_eq!(expected.is_err(), more == ["k=4"], "{expected:?}");
        let found = on_ranks(3, |machine| call(machine, more));
        let n_read = found.iter().flatten().map(|(_, n_bytes)| n_bytes).sum::<u64>();
        assert_eq!(n_read, if expected.is_ok() { text.len() as u64 } else { 0 });
        for found in found {
            assert!(found.map(|(x, _)| x) == expected);
        }
    }
}

#[test]
fn lists_with_errors_have_the_same_message_on_all_ranks() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("wrong-lines.csv");
    let good = list_of(300);
    let lines: Vec<&str> = good.lines().collect();
    let wrong = |at: usize, line: &str| {
        let mut lines = lines.clone();
        lines[at] = line;
        lines.join("\n")
    };
    let wide: &[&str] = &["widths=9,9,15,3"];
    let cases = [
        (wrong(20, "x,Paris,2024-05-01,3"), &[][..]),
        (wrong(150, "1,Paris,2024-05-01,3,4"), &[]),
        (wrong(150, "1,Paris,2024-05-99,3"), &[]),
        (wrong(299, "1,\"Paris,2024-05-01,3"), &[]),
        (wrong(170, "1,Paris\0,2024-05-01,3"), &[]),
        (good.clone(), wide),
        (good.clone(), &["widths=9,9"]),
        (wrong(150, "99999999999999999999,Paris,2024-05-01,3"), &[]),
    ];
    for (text, more) in cases {
        std::fs::write(&path, &text).expect("a file");
        for layout in ["records", "unsigned"] {
            let mut arguments = vec![format!("T={layout}:{}", path.display()), "w=0".to_owned()];
            arguments.extend(more.iter().map(|&more| more.to_owned()));
            let expected = passed(&Machine::reference(), &arguments).0;
            assert!(expected.is_err(), "{arguments:?}");
            for (found, _) in on_ranks(3, |machine| passed(machine, &arguments)) {
                assert_eq!(found, expected, "{arguments:?}");
            }
        }
    }
}

#[test]
fn lists_that_are_not_divided_are_read_whole() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("whole-lines.csv");
    let good = list_of(300);
    let long = "x\n".repeat(6000);
    let broken = format!("a,b,c,d\n1,\"{long}\",2024-05-01,3\n{}", &good[8..]);
    let late = format!("a,b,c,d\n{}{}", "1,,2024-05-01,\n".repeat(300), &good[8..]);
    let cases = [
        (broken, &[][..]),
        (late, &["empty=2"]),
        (good.clone(), &["nodata=-1"]),
        ("a\n1\n2\n".to_owned(), &[]),
    ];
    for (text, more) in cases {
        std::fs::write(&path, &text).expect("a file");
        let mut arguments = vec![format!("T=records:{}", path.display()), "w=0".to_owned()];
        arguments.extend(more.iter().map(|&more| more.to_owned()));
        let expected = passed(&Machine::reference(), &arguments).0;
        assert!(expected.is_ok(), "{expected:?}");
        for (found, n_read) in on_ranks(3, |machine| passed(machine, &arguments)) {
            assert!(found == expected && n_read == 0, "{arguments:?}");
        }
    }
}

/// The results are the lists of arcs of a graph.
const LISTS: &str = "\
procedure LISTS(n,m,b,h,weight_offset: integer; left,right,weight,code: table; S: slice;
                var L,R,W,C: table; var X: slice; var k: integer);
begin
  L := left; R := right; W := weight; C := code; X := S;
  k := n + 1000 * (m + 1000 * (b + 100 * (h + 100 * weight_offset)))
end;
";

/// Runs a routine with the graph of a file; returns the text of its results, or the error, and the
/// bytes that this rank read of its part.
fn with_graph(
    machine: &Machine,
    (program, routine): (&str, &str),
    graph: &Path,
    arguments: &[&str],
) -> (Result<String, String>, u64) {
    let program = star::Program::parse(program).expect("it has no errors");
    let args = arguments.iter().fold(star::args![], |all, one| all.text(one));
    let args = args.graph(&graph.display().to_string()).expect("a file");
    match program.run(routine).expect("a routine").on(machine).call(args) {
        Ok(out) => {
            let values = out.iter().map(|(name, value)| format!("{name} = {value:?}"));
            (Ok(values.collect()), out.stats().counters.own_bytes_loaded)
        }
        Err(error) => (Err(error.to_string()), 0),
    }
}

/// Returns the lines of random arcs.
fn arcs_of(n_arcs: usize, line: impl Fn(usize, usize, usize) -> String) -> String {
    let mut random = Random::new(n_arcs as u64);
    (0..n_arcs).map(|_| line(random.below(90), random.below(90), random.below(70))).collect()
}

#[test]
fn each_rank_reads_its_arcs_of_a_graph() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let dimacs = arcs_of(500, |tail, head, weight| {
        format!("a {} {} {}\n", tail + 1, head + 1, weight as i64 - 5)
    });
    let graphs = [
        ("gr", format!("c a graph\np sp 95 500\n{dimacs}")),
        ("txt", arcs_of(500, |tail, head, weight| format!("{} {} {weight}\n", 3 * tail, 7 * head))),
        ("csv", format!("from,to,km\n{}", arcs_of(500, |a, b, w| format!("{a},{b},{w}\n")))),
    ];
    for n_ranks in [2, 3] {
        for (extension, text) in &graphs {
            let path = folder.join(format!("arcs-{n_ranks}.{extension}"));
            std::fs::write(&path, text).expect("a file");
            let call = |machine: &Machine| with_graph(machine, (LISTS, "LISTS"), &path, &[]);
            let expected = call(&Machine::reference()).0;
            assert!(expected.is_ok(), "{expected:?}");
            let found = on_ranks(n_ranks, call);
            assert!(found.iter().all(|(values, _)| *values == expected), "{extension}");
            // Three tables.
            let n_read: Vec<u64> = found.iter().map(|(_, n_bytes)| *n_bytes).collect();
            assert!(n_read.iter().all(|n| *n > 0), "{n_read:?} of {}", text.len());
            assert_eq!(n_read.iter().sum::<u64>(), 3 * text.len() as u64);
        }
    }
}

#[test]
fn layouts_of_arcs_come_from_parts_of_a_graph() {
    let program = "procedure PASS(A: table; w: table; var U,V: table); begin U := A; V := w end;";
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("layout-arcs.txt");
    std::fs::write(&path, arcs_of(400, |a, b, w| format!("{a} {b} {w}\n"))).expect("a file");
    let call = |machine: &Machine, layouts: [&str; 2]| {
        let program = star::Program::parse(program).expect("it has no errors");
        let texts = ["A", "w"].iter().zip(layouts);
        let args = texts.fold(star::args![], |all, (name, layout)| {
            all.text(&format!("{name}={layout}:{}", path.display()))
        });
        let out = program.run("PASS").expect("a routine").on(machine).call(args);
        let out = out.expect("results");
        let table =
            |name| out.table(name).expect("a table").clone().into_columns().expect("memory");
        ([table("U"), table("V")], out.stats().counters.own_bytes_loaded)
    };
    for (layouts, is_shared) in [
        (["arcs", "weight"], true),
        (["left", "code"], true),
        (["left", "adjacency"], false),
        (["weights-out", "right"], false),
    ] {
        let expected = call(&Machine::reference(), layouts).0;
        for (found, n_bytes) in on_ranks(3, |machine| call(machine, layouts)) {
            assert!(found == expected, "{layouts:?}");
            assert_eq!(n_bytes > 0, is_shared, "{layouts:?}");
        }
    }
}

#[test]
fn graphs_with_errors_have_the_same_message_on_all_ranks() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("wrong-arcs.gr");
    let arcs = arcs_of(300, |a, b, w| format!("a {} {} {w}\n", a + 1, b + 1));
    let good = format!("p sp 90 300\n{arcs}");
    let lines: Vec<&str> = good.lines().collect();
    let wrong = |at: usize, line: &str| {
        let mut lines = lines.clone();
        lines[at] = line;
        lines.join("\n")
    };
    let cases = [
        (wrong(20, "a 3 x 4"), &[][..]),
        (wrong(150, "a 3 91 4"), &[]),
        (wrong(299, "a 3 4"), &[]),
        (wrong(0, "p sp 90 299"), &[]),
        (wrong(0, "p sp 90 301"), &[]),
        (wrong(0, "p sp 30 300"), &[]),
        (good.clone(), &["h=3"]),
        (good.clone(), &["b=3"]),
        (wrong(250, "a 3 4 99999999999999999999"), &[]),
        (wrong(250, "a 3 4 2.5"), &[]),
        (good.replace("a 7 ", "b 7 "), &[]),
    ];
    for (text, more) in cases {
        std::fs::write(&path, &text).expect("a file");
        let call = |machine: &Machine| with_graph(machine, (LISTS, "LISTS"), &path, more);
        let expected = call(&Machine::reference()).0;
        assert!(expected.is_err(), "{expected:?}");
        for (found, _) in on_ranks(3, call) {
            assert_eq!(found, expected);
        }
    }
    // The program does not know the offset.
    let program = "procedure W(weight: table; var U: table); begin U := weight end;";
    for line in ["a 5 6 -3", "a 5 6 3"] {
        std::fs::write(&path, wrong(290, line)).expect("a file");
        let call = |machine: &Machine| with_graph(machine, (program, "W"), &path, &[]);
        let expected = call(&Machine::reference()).0;
        assert_eq!(expected.is_err(), line.contains('-'), "{expected:?}");
        for (found, _) in on_ranks(3, call) {
            assert_eq!(found, expected);
        }
    }
}

#[test]
fn graphs_that_are_not_divided_are_read_whole() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("whole-arcs.txt");
    let list = arcs_of(300, |a, b, w| format!("{a} {b} {w}\n"));
    let cases = [
        arcs_of(300, |a, b, w| format!("x{a} x{b} {w}\n")),
        format!("# Undirected graph: x\n{list}"),
        format!("% bip\n{list}"),
        "1 2 3\n4 5 6\n".to_owned(),
    ];
    for text in cases {
        std::fs::write(&path, &text).expect("a file");
        let call = |machine: &Machine| with_graph(machine, (LISTS, "LISTS"), &path, &[]);
        let expected = call(&Machine::reference()).0;
        for (found, n_read) in on_ranks(3, call) {
            assert!(found == expected && n_read == 0, "{text}");
        }
    }
}
