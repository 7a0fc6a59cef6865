//! Failed allocations, one by one: a run ends at the limit on memory, or well where it can do
//! without the memory; it never panics, and the values left are usable. The same holds for readers
//! and layouts.

use std::sync::atomic::AtomicBool;

use star_base::Code;
use star_compiler::LowerOptions;
use star_io::{Data, FileError, Format, Graph, Layout, OutputRef, ReadOptions, Widths, lay_out};
use star_ir::LimitKind;
use star_tests::case::Random;
use star_tests::run::{LIMITS, Printed, Program};
use star_value::limbs::fault;
use star_value::{BitTable, BitVector, Value};
use star_vm::kernels::Kernels;
use star_vm::{Backend, BackendError, CompileOptions, Control, Cpu, Outcome, Part, Stats};

/// Stops refusing allocations when dropped.
struct Refusing;

impl Refusing {
    fn after(n: u64) -> Self {
        fault::refuse_after(Some(n));
        Refusing
    }

    /// Returns whether an allocation was refused, and stops refusing.
    fn end(self) -> bool {
        fault::struck()
    }
}

impl Drop for Refusing {
    fn drop(&mut self) {
        fault::refuse_after(None);
    }
}

/// Calls `attempt` with refusals at 0, 1, 2 …, until nothing is refused any more, and returns their
/// number.
fn for_every_refusal(mut attempt: impl FnMut(u64) -> bool) -> u64 {
    let mut n = 0;
    while attempt(n) {
        n += 1;
        assert!(n < 100_000, "it does not end");
    }
    n
}

/// Returns the CPU backend on this thread alone, with the default sizes, with tiny ones, and with
/// sparse tables.
fn machines() -> [Cpu; 3] {
    let usual = star_vm::cpu::Settings::default();
    let (tiny, sparse) = (star_vm::cpu::Settings::tiny(), star_vm::cpu::Settings::sparse());
    [usual, tiny, sparse].map(|settings| {
        let settings = star_vm::cpu::Settings { threads: Some(1), ..settings };
        Cpu::with(settings, Kernels::detect())
    })
}

/// Prepares a program to run from a routine.
fn planned(cpu: &Cpu, program: &Program, routine: &str) -> star_vm::cpu::Plan {
    let made = cpu.compile(program.lowered.program.clone(), &CompileOptions::default(), None);
    let plan = made.and_then(|made| cpu.plan(&made.code, program.entry(routine), &[]));
    plan.expect("the program can run")
}

/// A run during which an allocation may have been refused.
struct Attempt {
    outcome: Outcome,
    values: Vec<star_vm::cpu::Value>,
    host: Printed,
    refused: bool,
}

fn run(
    cpu: &Cpu,
    plan: &star_vm::cpu::Plan,
    mut values: Vec<star_vm::cpu::Value>,
    refuse: Option<u64>,
) -> Attempt {
    let flag = AtomicBool::new(false);
    let mut host = Printed::default();
    let random = &mut Random::new(7);
    host.files.insert("memory:T".to_owned(), table(random, 70, 9));
    host.files.insert("memory:X".to_owned(), slice(random, 70));
    let (limits, stats) = (LIMITS, Stats::default());
    let mut control = Control {
        interrupt: &flag,
        deadline: &flag,
        limits,
        host: &mut host,
        profile: None,
        stats,
    };
    let refusing = refuse.map(Refusing::after);
    let outcome = cpu.run(plan, &mut values, &mut control);
    let refused = refusing.is_some_and(Refusing::end);
    Attempt { outcome, values, host, refused }
}

/// Runs a routine with each allocation refused once, on each machine, and returns their number.
fn sweep(text: &str, routine: &str, args: &[Value]) {
    let program = Program::with(text, &LowerOptions::default());
    for cpu in machines() {
        let plan = planned(&cpu, &program, routine);
        let load = || -> Vec<_> {
            let load = |arg: &Value| cpu.load(arg.clone(), *arg != Value::Unset).expect("memory");
            args.iter().map(load).collect()
        };
        let store = |values: &[star_vm::cpu::Value]| -> Vec<Value> {
            let flag = AtomicBool::new(false);
            values
                .iter()
                .map(|value| cpu.store(value, Part::Whole, &flag).expect("memory"))
                .collect()
        };
        let well = run(&cpu, &plan, load(), None);
        assert_eq!(well.outcome, Outcome::Done, "{routine}");
        let expected = (store(&well.values), well.host.text, well.host.files);
        let n_refused = for_every_refusal(|n| {
            let Attempt { outcome, values, host, refused } = run(&cpu, &plan, load(), Some(n));
            // Whatever their contents, the values can be read, and the machine accepts them again.
            let left = store(&values);
            match outcome {
                Outcome::Done => {
                    assert_eq!((left, host.text, host.files), expected, "{routine}, {n}");
                }
                Outcome::Limit { kind: LimitKind::Memory { limit, wanted }, .. } => {
                    assert!(refused && wanted > limit, "{routine}, {n}: {limit}, {wanted}");
                    let kinds = args.iter().zip(&left).all(|(arg, left)| same_kind(arg, left));
                    assert!(kinds, "{routine}, {n}: {left:?}");
                }
                other => panic!("{routine}, {n}: {other:?}"),
            }
            let again = run(&cpu, &plan, values, None).outcome;
            assert!(matches!(again, Outcome::Done | Outcome::Trap(_)), "{routine}, {n}: {again:?}");
            let fresh = run(&cpu, &plan, load(), None);
            let found = (store(&fresh.values), fresh.host.text, fresh.host.files);
            assert_eq!(found, expected, "{routine}, {n}");
            refused
        });
        assert!(n_refused > 0, "{routine} takes no memory");
    }
}

/// Returns whether the kind was kept. A variable that was unset may hold any value.
fn same_kind(before: &Value, after: &Value) -> bool {
    let kind = std::mem::discriminant::<Value>;
    *before == Value::Unset || kind(before) == kind(after)
}

fn table(random: &mut Random, n_rows: usize, n_cols: usize) -> Value {
    let columns: Vec<BitVector> = (0..n_cols).map(|_| bits(random, n_rows)).collect();
    Value::from(BitTable::from_columns(n_rows, &columns))
}

fn bits(random: &mut Random, len: usize) -> BitVector {
    BitVector::from_bools(&random.bits(len, 40))
}

fn slice(random: &mut Random, len: usize) -> Value {
    Value::Slice(bits(random, len))
}

fn word(random: &mut Random, len: usize) -> Value {
    Value::Word(bits(random, len))
}

#[test]
fn operations_on_bits_end_at_the_limit() {
    let text = "
procedure bits(X: slice; v: word; var Y: slice; var w: word; var n: integer);
var Z: slice(70); u: word;
begin
  Y := X; SET(Z); Z := X and not Y or Z; Y := Y xor MIRROR(Z); Z := SHIFT(Y,down,3); Y := ROTATE(Y,5);
  Z := MASK(Z,2,5); Y := SHUFFLE(Y); FRST(Y); Y := FRST(X); w := CONVERT(X); u := TRIM(2,4,w); w := u;
  u := ADD(v,v); u := SUBT(u,v); w := u; REP(2,3,'01',w); n := NUMB(Y) + NUMB(X xor Z) + FND(X and Z);
  w := WORD(n,40); if u = v then n := n + 1; n := n + STEP(Z); CLR(Y); Y(3) := 1; w := not w
end;
procedure sized(n: integer; var X: slice(n)); begin SET(X); X := not X or X end;
";
    let random = &mut Random::new(1);
    let unset = Value::Unset;
    let args = [slice(random, 70), word(random, 9), unset.clone(), unset.clone(), unset.clone()];
    sweep(text, "bits", &args);
    sweep(text, "sized", &[Value::Int(200), unset]);
}

#[test]
fn variables_account_for_their_contents_however_often_set() {
    let text = "program P; var X,Y: slice(100000); i: integer;
                begin SET(Y); for i := 1 to 100 do begin X := Y; X := not Y; Y := X end end.";
    let limits = star_vm::Limits { memory: Some(40_000), ..LIMITS };
    let run = Program::new(text).run_within("P", Vec::new(), limits);
    assert_eq!(run.outcome, Outcome::Done);
}

#[test]
fn growing_and_copied_tables_end_at_the_limit() {
    let text = "
procedure grow(X: slice; var T: table);
var i: integer;
begin for i := 1 to 40 do COL(i,T) := X; COL(60,T) := X end;
procedure copies(T: table; var F,R: table);
var A: table; i: integer;
begin
  F := T; R := F; COL(1,R) := not COL(2,T); A := R; ROW(1,A) := ROW(2,F); F := A; A(2,2) := 1;
  for i := 1 to rows(T) do ROW(i,F) := ROW(i,T) xor ROW(1,R)
end;
procedure fields(T: table; var F,R: table);
begin
  TCOPY(T,F); TCOPY1(T,2,3,F); R := T; CLEAR(9,R); TCOPY2(F,2,3,R); WCOPY(ROW(1,T),COL(1,T),R); TMERGE(T,COL(2,T),R)
end;
";
    let random = &mut Random::new(2);
    let unset = Value::Unset;
    sweep(text, "grow", &[slice(random, 130), unset.clone()]);
    let tables = [table(random, 70, 9), unset.clone(), unset];
    sweep(text, "copies", &tables);
    sweep(text, "fields", &tables);
}

#[test]
fn extremes_and_transposed_tables_end_at_the_limit() {
    let text = "
procedure extremes(T: table(n); X: slice(n); var Y,Z: slice(n));
var F: table; i: integer;
begin
  MIN(T,X,Y); MAX(T,X,Z); MIN(T,Y,Y); F := T;
  for i := 1 to rows(F) do ROW(i,F) := not ROW(i,F);
  MAX(F,X,Z); MIN(F,Z,Y); SETMIN(T,F,X,Y)
end;
procedure transposed(var T: table; var w: word; var X: slice);
var i: integer;
begin
  for i := 1 to rows(T) do ROW(i,T) := not ROW(i,T);
  for i := 1 to size(T) do COL(i,T) := not COL(i,T);
  for i := 1 to rows(T) do w := ROW(i,T);
  for i := 1 to size(T) do X := COL(i,T);
  ROW(1,T) := w; write(T,\"memory:out\"); T(1,1) := 1;
end;
";
    let random = &mut Random::new(3);
    let unset = Value::Unset;
    let args = [table(random, 130, 9), slice(random, 130), unset.clone(), unset.clone()];
    sweep(text, "extremes", &args);
    sweep(text, "transposed", &[table(random, 70, 67), unset.clone(), unset]);
}

#[test]
fn calls_end_at_the_limit() {
    let text = "
procedure outer(T: table; X: slice; v: word; var F: table; var Y: slice);
begin
  inner(T,X,v,F,Y); other(Y,F,Y); inner(F,Y,v,F,Y); deep(5,X,Y); if some_bit(Y,F) then Y := Y xor X
end;
procedure inner(T: table; X: slice; v: word; var F: table; var Y: slice);
begin COL(1,T) := X; X := not X; v := not v; F := T; ROW(1,F) := v; Y := X end;
procedure other(X: slice; T: table; var Y: slice);
begin ROW(1,T) := ROW(2,T); Y := X and COL(1,T) end;
procedure deep(n: integer; X: slice; var Y: slice);
begin if n = 0 then Y := X else begin deep(n-1, not X, Y); Y := not Y end end;
function some_bit(X: slice; T: table): boolean;
begin COL(1,T) := X; some_bit := SOME(X xor COL(2,T)) end;
";
    let random = &mut Random::new(4);
    let unset = Value::Unset;
    let args = [table(random, 70, 9), slice(random, 70), word(random, 9), unset.clone(), unset];
    sweep(text, "outer", &args);
}

#[test]
fn file_operations_of_programs_end_at_the_limit() {
    let text = "
procedure files(var T: table; var X: slice);
var F: table;
begin
  read(T,\"memory:T\"); read(X,\"memory:X\"); COL(1,T) := X; read(F,\"memory:T\"); ROW(1,F) := ROW(2,T);
  write(F,\"memory:F\"); write(X,\"memory:Y\"); print(F); print(X)
end;
";
    sweep(text, "files", &[Value::Unset, Value::Unset]);
}

#[test]
fn library_algorithms_end_at_the_limit() {
    let text = "
import \"star:closure\"; import \"star:mst\";
procedure all(left,right,weight,G: table; S: slice; var P: table; var R: slice);
begin P := G; WARSHALL(rows(G),P); KRUSKAL(left,right,weight,S,R) end;
";
    let graph = graph();
    let widths = Widths { h: graph.path_width().unwrap(), b: graph.code_width() };
    let layout = |layout| match lay_out(layout, &graph, widths, 1 << 20, "f").unwrap() {
        star_io::LayoutValue::Table(table) => Value::from(table),
        star_io::LayoutValue::Slice(bits) => Value::Slice(bits),
    };
    let mut args: Vec<Value> =
        [Layout::Left, Layout::Right, Layout::Weight, Layout::Adjacency, Layout::Edges]
            .map(layout)
            .to_vec();
    args.extend([Value::Unset, Value::Unset]);
    sweep(text, "all", &args);
}

#[test]
fn reading_columns_back_reports_missing_memory_or_interrupts() {
    let (never, set) = (AtomicBool::new(false), AtomicBool::new(true));
    let text = "procedure transpose(var T: table);
                var i: integer; begin for i := 1 to rows(T) do ROW(i,T) := not ROW(i,T) end;";
    let program = Program::with(text, &LowerOptions::default());
    let sizes = [(70, 67), (1 << 12, 300)];
    for (cpu, (n_rows, n_cols)) in machines().iter().flat_map(|cpu| sizes.map(|size| (cpu, size))) {
        let loaded = cpu.load(table(&mut Random::new(6), n_rows, n_cols), true).expect("memory");
        let plan = planned(cpu, &program, "transpose");
        let Attempt { outcome, values, .. } = run(cpu, &plan, vec![loaded.clone()], None);
        assert_eq!(outcome, Outcome::Done);
        // One is stored by columns, the other by rows.
        for value in [&loaded, &values[0]] {
            let whole = cpu.store(value, Part::Whole, &never).expect("memory");
            let whole = whole.columns().expect("a table");
            let expected: Vec<_> = (3..n_cols).map(|idx| whole.column(idx)).collect();
            let expected = Value::from(BitTable::from_columns(n_rows, &expected));
            let columns = |columns, flag| cpu.store(value, Part::Columns(columns), flag);
            let n_refused = for_every_refusal(|n| {
                let refusing = Refusing::after(n);
                let found = columns(3..n_cols, &never);
                let refused = refusing.end();
                match found {
                    Ok(found) => assert!(!refused && found == expected, "{n}"),
                    Err(BackendError::OutOfMemory(_)) => assert!(refused, "{n}"),
                    Err(other) => panic!("{n}: {other}"),
                }
                refused
            });
            assert!(n_refused > 0, "columns take no memory");
            assert_eq!(columns(3..n_cols, &set), Err(BackendError::Interrupted));
            let beyond = columns(0..n_cols + 1, &never);
            assert!(matches!(beyond, Err(BackendError::Internal(_))));
        }
        let number = cpu.load(Value::Int(1), false).expect("memory");
        let none = cpu.store(&number, Part::Columns(0..0), &never);
        assert!(matches!(none, Err(BackendError::Internal(_))));
    }
}

fn graph() -> Graph {
    let text = "p sp 5 6\na 1 2 3\na 2 3 4\na 3 1 5\na 4 5 1\na 5 1 7\na 2 4 2\n";
    match read(Format::Dimacs, text.as_bytes()) {
        Ok(Data::Graph(graph)) => graph,
        other => panic!("{other:?}"),
    }
}

fn read(format: Format, mut bytes: &[u8]) -> Result<Data, Box<FileError>> {
    let mut options = ReadOptions::new("f", 1 << 20);
    options.size_hint = Some(bytes.len() as u64);
    Ok(star_io::read(format, &mut bytes, &mut options)?.data)
}

#[test]
fn readers_report_insufficient_memory() {
    let random = &mut Random::new(5);
    let values = [table(random, 200, 70), slice(random, 200), word(random, 70)];
    let square = table(random, 20, 20);
    let mut total = 0;
    for &format in Format::ALL {
        for value in values.iter().chain([&square]) {
            let value = OutputRef::Bits(value.bits().expect("bits"));
            let mut bytes = Vec::new();
            if star_io::write(format, value, &mut bytes).is_err() {
                continue;
            }
            let expected = read(format, &bytes).unwrap();
            total += for_every_refusal(|n| {
                let refusing = Refusing::after(n);
                let found = read(format, &bytes);
                let refused = refusing.end();
                match found {
                    Ok(data) => assert_eq!(data, expected, "{format:?}, {n}"),
                    Err(error) => {
                        assert!(refused, "{format:?}, {n}: {error}");
                        assert_eq!(error.code, Code::DoesNotFit, "{format:?}, {n}: {error}");
                    }
                }
                refused
            });
        }
    }
    assert!(total > 0, "no reader takes memory");
}

#[test]
fn layouts_report_insufficient_memory() {
    let graph = graph();
    for &layout in Layout::ALL {
        let widths = layout.least_widths(&graph).unwrap();
        let expected = lay_out(layout, &graph, widths, 1 << 20, "f").unwrap();
        let n_refused = for_every_refusal(|n| {
            let refusing = Refusing::after(n);
            let found = lay_out(layout, &graph, widths, 1 << 20, "f");
            let refused = refusing.end();
            match found {
                Ok(value) => assert!(!refused && value == expected, "{layout:?}, {n}"),
                Err(error) => {
                    assert!(refused, "{layout:?}, {n}: {error}");
                    assert_eq!(error.code, Code::DoesNotFit, "{layout:?}, {n}: {error}");
                }
            }
            refused
        });
        assert!(n_refused > 0, "{layout:?} takes no memory");
    }
}
