//! Slices with summaries and sparse tables on the default backend.

use star::Machine;
use star_base::Random;
use star_tests::run::{LIMITS, Program};
use star_value::{Argument, BitTable, SparseLines, SparseTable, Value};
use star_vm::Limits;

use super::slice;

/// The first size with a summary; one that ends inside a block and a limb; one that would be
/// recorded without a summary.
const SIZES: [usize; 3] = [1 << 17, (1 << 17) + 1000, (1 << 20) + 77];

const TEXT: &str = "import \"star:closure\";
procedure close(n: integer; var P: table(n,n)); begin WARSHALL(n,P) end;
procedure logic(X,Y: slice(n); i,j: integer; var Z,U,V,W: slice(n); var k: integer);
var A,B: slice(n); l: integer;
begin
  CLR(A); A(i):=1; A(j):=1;
  SET(B); B(i):=0;
  Z:=A or X; U:=A and Y; V:=A xor B; W:=not A;
  W:=W and (not B); Z:=Z and (not A) or (X and Y and A);
  k:=NUMB(A)*1000+FND(A); k:=k*3+NUMB(B); k:=k*3+FND(W); k:=k*3+NUMB(V);
  A:=A and B; U:=U or A;
  while SOME(A) do begin l:=STEP(A); k:=k+l; end;
  CLR(B); B(j):=1; A:=B; A:=A or B; SET(A); CLR(A);
  for l:=1 to 3 do begin B(l):=1; A:=A or B; V:=V and (not A); end;
  if ONE(A) then k:=k+1;
  if ZERO(A and X) then k:=k+2;
  k:=k+NUMB(A and B)+NUMB(A and (not B));
  A:=A xor A; V:=V or A
end;
procedure search(s: integer; G: table(n,n); var Level: table(n); var k: integer);
var F,N,R,Y: slice(G); w: word; d,x: integer;
begin
  CLR(F); F(s):=1; R:=F; d:=0; k:=0;
  while SOME(F) do
  begin
    d:=d+1; COL(d,Level):=F; CLR(N);
    while SOME(F) do
    begin x:=STEP(F); w:=ROW(x,G); Y:=CONVERT(w); N:=N or Y; k:=k+NUMB(w) end;
    F:=N and (not R); R:=R or F
  end;
  F:=COL(s,G); k:=k*2+NUMB(F)+G(s,s)
end;
procedure changes(i,j: integer; X: slice(n); var G: table(n,n); var k: integer);
var w: word; l: integer;
begin
  G(i,j):=1; G(j,j):=0; w:=ROW(i,G); ROW(j,G):=w;
  COL(i,G):=X; k:=NUMB(ROW(i,G))+NUMB(COL(i,G));
  for l:=1 to 9 do k:=k+NUMB(COL(l,G))
end;
procedure joins(X: slice(n); G: table(n,n); var N,M,A: slice(n));
var w: word; Y: slice(n); i: integer;
begin
  CLR(N); CLR(M); SET(A);
  foreach i in X do begin w:=ROW(i,G); Y:=CONVERT(w); N:=N or Y end;
  foreach i in X do begin w:=ROW(i,G); Y:=CONVERT(w); M:=M xor Y end;
  foreach i in X do begin w:=ROW(i,G); Y:=CONVERT(w); A:=A and Y end;
  foreach i in X do begin Y:=COL(i,G); A:=A or Y end
end;
procedure fields(G: table(n,n); var A,B: table; var k: integer);
begin
  TCOPY1(G,1,3,A); TCOPY1(G,2,4,B); COL(2,A):=COL(3,B);
  k:=NUMB(COL(1,A))+NUMB(ROW(n,B))
end;
procedure grows(s,d,e: integer; X: slice(n); var T: table(n); var k: integer);
var F: slice(n); i: integer;
begin
  for i:=1 to d do begin CLR(F); F(s+9*i):=1; F(n):=1; COL(i,T):=F end;
  k:=NUMB(COL(d,T));
  for i:=d+1 to d+e do COL(i,T):=X;
  for i:=1 to size(T) do k:=k+i*NUMB(COL(i,T))
end;
procedure refills(s,d: integer; X: slice(n); var T: table(n); var k: integer);
var F: slice(n); i: integer;
begin
  for i:=1 to d do begin CLR(F); F(s+9*i):=1; COL(i,T):=F end;
  for i:=1 to d do COL(i,T):=X;
  k:=NUMB(COL(d,T))
end;
procedure inverts(d: integer; G: table(n,n); var k: integer);
var T: table(n,n); w: word; i: integer;
begin
  for i:=1 to d do begin w:=ROW(i,G); w:=not w; ROW(i,T):=w end;
  k:=0;
  for i:=1 to d+1 do k:=k+NUMB(ROW(i,T))
end;
procedure doubles(X: slice(n); d: integer; var T: table(n,d); var k: integer);
var C,D: slice(n); i: integer;
begin
  CLR(C);
  for i:=d downto 1 do begin D:=X xor X; COL(i,T):=D xor C; C:=X or (C and D) end;
  k:=NUMB(COL(1,T))+NUMB(COL(d,T))
end;
procedure fills(X: slice(n); var G: table(n,n); var k: integer);
var w: word; i: integer;
begin
  w:=CONVERT(X); k:=0;
  for i:=1 to n do begin ROW(i,G):=w; k:=k+G(i,i) end
end;";

#[test]
fn operations_on_sparse_slices_process_blocks() {
    let program = Program::new(TEXT);
    for n in SIZES {
        let unset = || Value::Unset;
        let int = |number: usize| Value::Int(number as i64);
        for (i, j) in [(1, n), (n / 2, n / 2), (600, 513), (n - 1, 2)] {
            let args = [slice(n, 1), slice(n, 2), int(i), int(j)].into_iter();
            let args = args.chain([unset(), unset(), unset(), unset(), unset()]).collect();
            let paths = program.agree("logic", args, LIMITS).optimised("cpu");
            // An open tape accepts what it can.
            let least = if n < 1 << 20 { 15 } else { 3 };
            assert!(paths.block_operations >= least, "{n}: {paths:?}");
        }
    }
}

/// Builds a graph with a few bits per vertex that differ from the ground, as rows or columns.
fn graph(n: usize, degree: usize, ground: bool) -> (BitTable, [SparseLines; 2]) {
    let mut random = Random::new(5);
    let mut table = BitTable::zeros(n, n).expect("memory");
    for vertex in 0..n {
        (0..n).for_each(|other| table.put(vertex, other, ground));
        for _ in 0..degree {
            table.put(vertex, random.below(n), !ground);
        }
    }
    let mut columns = SparseLines::of_columns(&table).expect("memory");
    for idx in 0..n {
        let limbs = table.column_limbs(idx).iter().copied();
        let limbs = (0..).zip(limbs);
        columns.set(idx, ground, limbs).expect("memory");
    }
    let rows = columns.transposed(|| true).expect("memory").expect("no flag is set");
    (table, [columns, rows])
}

/// Runs a routine with a table in every layout, the second argument from the end; the results must
/// be the same.
fn in_every_form(routine: &str, before: &[Value], n: usize, after: &[Value]) {
    for ground in [false, true] {
        on_ground(ground, routine, before, n, after);
    }
}

/// Returns a sparse table with these columns or rows.
fn sparse(lines: SparseLines, by_rows: bool) -> Argument {
    Argument::new(SparseTable { lines, by_rows }.into(), true)
}

fn on_ground(ground: bool, routine: &str, before: &[Value], n: usize, after: &[Value]) {
    let program = Program::new(TEXT);
    let (table, [columns, rows]) = graph(n, 3, ground);
    let dense = (Argument::of(&Value::from(table)), false);
    let forms = [dense, (sparse(columns, false), true), (sparse(rows, true), true)];
    let mut expected = None;
    for (graph, is_sparse) in forms {
        for machine in ["cpu", "cpu-tiny", "cpu-sparse", "cpu-baseline"] {
            let machine = star_harness::machines::MachineSpec::find(machine);
            let machine: Machine = machine.and_then(|it| it.machine().ok()).expect("a machine");
            let name = machine.name;
            let compiled = machine.compile(program.lowered.program.clone()).expect("it compiles");
            let arguments = before.iter().map(Argument::of).chain([graph.clone()]);
            let arguments = arguments.chain(after.iter().map(Argument::of)).collect();
            let limits = Limits { steps: None, ..LIMITS };
            let run = compiled.run_with(program.entry(routine), arguments, limits);
            let paths = run.stats.counters;
            let left = (format!("{:?}", run.outcome), run.values);
            let expected = expected.get_or_insert_with(|| left.clone());
            assert!(left == *expected, "{routine} on {name}, sparse: {is_sparse}, {}", left.0);
            let n_taken = paths.sparse_lines + paths.tables_made_dense;
            assert!(!is_sparse || n_taken > 0, "{name}: {paths:?}");
            // Elsewhere such a small table is full at once.
            assert!(name != "cpu-sparse" || paths.sparse_lines > 0, "{name}: {paths:?}");
        }
    }
}

#[test]
fn sparse_tables_agree_with_dense_ones() {
    let int = |number: i64| Value::Int(number);
    for n in [1, 63, 64, 65, 700] {
        let (i, j) = (int(1), int(n as i64));
        let unset = [Value::Unset, Value::Unset];
        in_every_form("search", std::slice::from_ref(&i), n, &unset);
        if n > 9 {
            in_every_form("changes", &[i, j.clone(), slice(n, 3)], n, &unset[..1]);
        }
        let three = [Value::Unset, Value::Unset, Value::Unset];
        in_every_form("joins", &[slice(n, 5)], n, &three);
        in_every_form("fills", &[slice(n, 4)], n, &unset[..1]);
        if n > 9 {
            in_every_form("fields", &[], n, &three);
        }
        if n < 100 {
            // An intrinsic receives a table and converts it to dense.
            in_every_form("close", &[j], n, &[]);
        }
    }
}

#[test]
fn a_full_sparse_table_becomes_dense_once_within_memory() {
    let program = Program::new(TEXT);
    let n = 2000;
    let (_, [_, rows]) = graph(n, 1, false);
    let dense_bytes = n as u64 * (n.div_ceil(64) as u64 * 8);
    let run = |memory: u64| {
        let machine = star_harness::machines::MachineSpec::find("cpu").expect("it is there");
        let machine = machine.machine().expect("it is ready");
        let compiled = machine.compile(program.lowered.program.clone()).expect("it compiles");
        let graph = sparse(rows.clone(), true);
        let arguments = [Argument::of(&slice(n, 1)), graph, Argument::of(&Value::Unset)];
        let limits = Limits { memory: Some(memory), ..LIMITS };
        compiled.run_with(program.entry("fills"), arguments.into(), limits)
    };
    let free = run(10 * dense_bytes);
    assert_eq!(free.stats.counters.tables_made_dense, 1, "{:?}", free.stats.counters);
    assert!(matches!(free.outcome, star_vm::Outcome::Done), "{:?}", free.outcome);
    let tight = run(dense_bytes / 2);
    let ended = format!("{:?}", tight.outcome);
    assert!(ended.contains("Memory") && tight.stats.peak_bytes <= dense_bytes / 2, "{ended}");
}

#[test]
fn a_table_growing_by_sparse_columns_stays_sparse_until_full() {
    let program = Program::new(TEXT);
    let int = |number: usize| Value::Int(number as i64);
    for n in SIZES {
        // Sparse columns, followed by others.
        for (d, e, made_dense) in [(40, 0, 0), (40, 4, 0), (3, 5, 1)] {
            let args = vec![int(n / 2), int(d), int(e), slice(n, 3), Value::Unset, Value::Unset];
            let paths = program.agree("grows", args, LIMITS).optimised("cpu");
            assert!(paths.sparse_lines >= d as u64, "{n}, {d} + {e}: {paths:?}");
            // Recorded columns require it dense at once.
            let most = if n < 1 << 20 { made_dense } else { 1 };
            assert!((made_dense..=most).contains(&paths.tables_made_dense), "{n}: {paths:?}");
        }
    }
}

#[test]
fn a_large_table_of_numbers_is_dense_from_its_first_full_column_on() {
    let program = Program::new(TEXT);
    // Smaller ones become dense for the operations that follow.
    let (n, n_cols) = (1 << 24, 40);
    let machine = star_harness::machines::MachineSpec::find("cpu").expect("it is there");
    let machine = machine.machine().expect("it is ready");
    let compiled = machine.compile(program.lowered.program.clone()).expect("it compiles");
    let column = slice(n, 3);
    let Value::Slice(bits) = &column else { panic!("a slice") };
    let n_ones = bits.count_ones() as i64;
    let arguments = [column.clone(), Value::Int(n_cols), Value::Unset, Value::Unset];
    let arguments = arguments.iter().map(Argument::of).collect();
    let run = compiled.run_with(program.entry("doubles"), arguments, LIMITS);
    assert!(matches!(run.outcome, star_vm::Outcome::Done), "{:?}", run.outcome);
    assert_eq!(run.values[3], Value::Int(n_ones));
    // The column of zeros is a sparse one.
    let paths = run.stats.counters;
    assert_eq!(paths.sparse_lines, 1, "{paths:?}");
}

#[test]
fn a_growing_sparse_table_hits_the_limit_no_earlier_than_dense() {
    let program = Program::new(TEXT);
    let n = 1 << 17;
    let machine = star_harness::machines::MachineSpec::find("cpu").expect("it is there");
    let machine = machine.machine().expect("it is ready");
    let compiled = machine.compile(program.lowered.program.clone()).expect("it compiles");
    let int = |number: usize| Argument::of(&Value::Int(number as i64));
    let run = |d: usize, e: usize, memory: Option<u64>| {
        let values = [int(n / 2), int(d), int(e), Argument::of(&slice(n, 3))];
        let unset = [Argument::of(&Value::Unset), Argument::of(&Value::Unset)];
        let arguments = values.into_iter().chain(unset).collect();
        let limits = Limits { memory, ..LIMITS };
        compiled.run_with(program.entry("grows"), arguments, limits)
    };
    // Full columns convert it to dense at once.
    let dense = run(1, 63, None);
    assert_eq!(dense.stats.counters.tables_made_dense, 1, "{:?}", dense.stats.counters);
    let least = dense.stats.peak_bytes;
    for d in [40, 60] {
        let tight = run(d, 64 - d, Some(least));
        assert!(matches!(tight.outcome, star_vm::Outcome::Done), "{d}: {:?}", tight.outcome);
    }
}

#[test]
fn a_sparse_table_becomes_dense_before_memory_runs_short() {
    let program = Program::new(TEXT);
    let (n, d) = (1 << 17, 64);
    let machine = star_harness::machines::MachineSpec::find("cpu").expect("it is there");
    let machine = machine.machine().expect("it is ready");
    let compiled = machine.compile(program.lowered.program.clone()).expect("it compiles");
    let int = |number: usize| Argument::of(&Value::Int(number as i64));
    let run = |memory: Option<u64>| {
        let values = [int(n / 2), int(d), Argument::of(&slice(n, 3))];
        let unset = [Argument::of(&Value::Unset), Argument::of(&Value::Unset)];
        let limits = Limits { memory, ..LIMITS };
        let arguments = values.into_iter().chain(unset).collect();
        compiled.run_with(program.entry("refills"), arguments, limits)
    };
    // When half full, it needs half of the dense layout in addition to the dense layout.
    let free = run(None);
    assert_eq!(free.stats.counters.tables_made_dense, 1, "{:?}", free.stats.counters);
    let dense = (n / 8 * d) as u64;
    assert!(free.stats.peak_bytes > dense + dense / 2, "{}", free.stats.peak_bytes);
    let tight = run(Some(dense + dense / 4));
    assert!(matches!(tight.outcome, star_vm::Outcome::Done), "{:?}", tight.outcome);
    assert_eq!(tight.values, free.values);
}

#[test]
fn a_large_zero_table_is_stored_in_the_layout_of_its_writes() {
    let program = Program::new(TEXT);
    let (n, d) = (1 << 17, 300);
    let mut rows = SparseLines::zeros(n, n, d).expect("memory");
    for vertex in 0..d {
        rows.put(vertex, vertex * 7, true).expect("memory");
    }
    let machine = star_harness::machines::MachineSpec::find("cpu").expect("it is there");
    let machine = machine.machine().expect("it is ready");
    let compiled = machine.compile(program.lowered.program.clone()).expect("it compiles");
    let graph = sparse(rows, true);
    let arguments = vec![Argument::of(&Value::Int(d as i64)), graph, Argument::of(&Value::Unset)];
    // By columns, each of the rows would need some limbs of every column.
    let limits = Limits { memory: Some(8 << 20), ..LIMITS };
    let run = compiled.run_with(program.entry("inverts"), arguments, limits);
    assert!(matches!(run.outcome, star_vm::Outcome::Done), "{:?}", run.outcome);
    assert_eq!(run.values[2], Value::Int((d * (n - 1)) as i64));
    assert_eq!(run.stats.counters.tables_made_dense, 0, "{:?}", run.stats.counters);
}

#[test]
fn levels_of_a_long_path_cost_only_their_contents() {
    let program = Program::new(TEXT);
    let (n, n_levels) = (1 << 17, 3000);
    let mut rows = SparseLines::zeros(n, n, n_levels).expect("memory");
    for vertex in 1..n_levels {
        rows.put(vertex * 7, (vertex + 1) * 7, true).expect("memory");
    }
    let machine = star_harness::machines::MachineSpec::find("cpu").expect("it is there");
    let machine = machine.machine().expect("it is ready");
    let compiled = machine.compile(program.lowered.program.clone()).expect("it compiles");
    let graph = sparse(rows, true);
    let unset = || Argument::of(&Value::Unset);
    let arguments = vec![Argument::of(&Value::Int(8)), graph, unset(), unset()];
    let limits = Limits { memory: Some(8 << 20), steps: None, ..LIMITS };
    let run = compiled.run_with(program.entry("search"), arguments, limits);
    assert!(matches!(run.outcome, star_vm::Outcome::Done), "{:?}", run.outcome);
    let paths = run.stats.counters;
    // They would need 48 MiB dense.
    assert_eq!(paths.tables_made_dense, 0, "{paths:?}");
    assert!(paths.sparse_lines >= 2 * n_levels as u64, "{paths:?}");
    assert!(paths.block_operations >= 3 * n_levels as u64, "{paths:?}");
    let Value::Table(levels) = &run.values[2] else { panic!("{:?}", run.values[2]) };
    assert_eq!(levels.n_cols(), n_levels);
    assert!((0..n_levels).all(|level| levels.get((level + 1) * 7, level)));
    assert_eq!(levels.count_ones(), n_levels as u64);
}

#[test]
fn a_frontier_is_listed_for_its_level_and_its_loop() {
    let program = Program::new(
        "import \"star:reach\";
procedure levels(s: integer; G: table(n,n); var Level: table(n)); begin BFS(s,G,Level) end;",
    );
    // The number of paths from one vertex is so large that the blocks of a frontier are not sparse,
    // while its limbs are.
    let (n, n_ways, length) = (1 << 17, 90, 40);
    let vertex = |way: usize, step: usize| 1 + way * 1400 + step;
    let mut rows = SparseLines::zeros(n, n, n_ways * length).expect("memory");
    for way in 0..n_ways {
        rows.put(0, vertex(way, 0), true).expect("memory");
        for step in 1..length {
            rows.put(vertex(way, step - 1), vertex(way, step), true).expect("memory");
        }
    }
    let machine = star_harness::machines::MachineSpec::find("cpu").expect("it is there");
    let machine = machine.machine().expect("it is ready");
    let mut optimised = program.lowered.program.clone();
    star_opt::apply(&mut optimised, &["all"]).expect("it verifies");
    let compiled = machine.compile(optimised).expect("it compiles");
    let graph = sparse(rows, true);
    let arguments = vec![Argument::of(&Value::Int(1)), graph, Argument::of(&Value::Unset)];
    let limits = Limits { steps: None, ..LIMITS };
    let run = compiled.run_with(program.entry("levels"), arguments, limits);
    assert!(matches!(run.outcome, star_vm::Outcome::Done), "{:?}", run.outcome);
    let paths = run.stats.counters;
    assert!(paths.slices_listed >= length as u64 - 1, "{paths:?}");
    let Value::Table(levels) = &run.values[2] else { panic!("{:?}", run.values[2]) };
    assert_eq!((levels.n_cols(), levels.count_ones()), (length + 1, (1 + n_ways * length) as u64));
    for step in 0..length {
        assert!((0..n_ways).all(|way| levels.get(vertex(way, step), step + 1)), "{step}");
    }
}
