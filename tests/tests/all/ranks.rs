//! The CPU backend on ranks that are threads: the same results as the reference, with as few
//! exchanges as documented. `.ci/run` runs the suites of operations and rules on ranks, too.

use star_harness::{Mode, TEAMS};
use star_ir::LocId;
use star_opt::Options;
use star_tests::backends::{Compiled, Machine};
use star_tests::case::Random;
use star_tests::differ::{Agreement, InBothModes, Same, same};
use star_tests::run::{LIMITS, Program};
use star_value::{Argument, BitTable, BitVector, SparseLines, SparseTable, Value};
use star_vm::Stats;

pub(super) const UNSET: Value = Value::Unset;

pub(super) const TEXT: &str = "
procedure moves(X: slice(n); k: integer; var A,B,C,D: slice(n); var w: word(n));
begin
  A:=X; A:=SHIFT(X,down,k); B:=SHIFT(X,up,k); C:=MIRROR(X); D:=ROTATE(X,k);
  w:=CONVERT(X);
end;

procedure queries(X,Y: slice(n); var some,none,same: boolean; var first,count,sum: integer);
var Z: slice(n); i: integer;
begin
  some:=SOME(X and Y); none:=ZERO(X); first:=FND(X); count:=NUMB(X or Y); same:=X=Y;
  sum:=0; Z:=X;
  while SOME(Z) do
  begin
    i:=STEP(Z); sum:=sum + i;
    if Y(i)=1 then Y(i):=0;
  end;
  foreach i in Y do sum:=sum + 1000*i;
end;

procedure lines(T: table(n,m); X: slice(n); var U: table(n,m); var w,v: word(m); var Y: slice(n));
var i: integer;
begin
  U:=T; w:=ROW(FND(X),T);
  foreach i in X do ROW(i,U):=ROW(i,U) or w;
  v:=ROW(1,T);
  foreach i in X do v:=v or ROW(i,T);
  Y:=COL(m,T) and X;
  MATCH(T,X,w,Y);
  COL(1,U):=Y;
end;

procedure extremes(T: table(n); X: slice(n); var Y,Z: slice(n); var i: integer);
begin
  MIN(T,X,Y); MAX(T,X,Z); i:=FND(Y);
end;

procedure closure(n: integer; var P: table);
var X: slice(P); w: word(P); i,k: integer;
begin
  for k:=1 to n do
  begin
    X:=COL(k,P); w:=ROW(k,P);
    foreach i in X do ROW(i,P):=ROW(i,P) or w;
  end;
end;

procedure traps(X: slice(n); T: table(n); var k: integer; var U: table(n));
var i: integer;
begin
  U:=T;
  foreach i in X do
  begin
    ROW(i,U):=not ROW(i,U);
    k:=k + i;
    assert(k < n);
  end;
end;
";

/// Returns the reference and every team.
fn machines() -> Vec<Machine> {
    let teams = TEAMS.iter().map(|spec| spec.machine().expect("it is there"));
    std::iter::once(Machine::reference()).chain(teams).collect()
}

struct OnRanks {
    program: Program,
    compiled: InBothModes,
}

impl OnRanks {
    fn new() -> Self {
        OnRanks::of(TEXT)
    }

    fn of(text: &str) -> Self {
        let program = Program::new(text);
        let compiled = InBothModes::new(&program.lowered.program, &machines());
        OnRanks { program, compiled }
    }

    /// Runs a routine on all machines, which must agree.
    fn agree(&self, routine: &str, args: &[Value]) -> Box<Agreement> {
        match same(&self.program, &self.compiled, routine, args, LIMITS) {
            Same::Yes(agreement) => agreement,
            Same::No(difference) => panic!("{routine}({args:?}): {difference}"),
        }
    }

    /// Returns the number of exchanges of an optimised run on three ranks, without the one at the
    /// end.
    fn exchanges(&self, routine: &str, args: &[Value]) -> u64 {
        self.stats_on_three(routine, args).counters.exchanges - 1
    }

    /// Does the same without intrinsics.
    fn exchanges_as_written(&self, routine: &str, args: &[Value]) -> u64 {
        let limits = Mode::Optimised.limits(LIMITS);
        let run = self.on_three(false).run(self.program.entry(routine), args, limits);
        run.stats.counters.exchanges - 1
    }

    /// Returns the counts of rank 0 in an optimised run on three ranks.
    fn stats_on_three(&self, routine: &str, args: &[Value]) -> Stats {
        self.agree(routine, args);
        let limits = Mode::Optimised.limits(LIMITS);
        self.on_three(true).run(self.program.entry(routine), args, limits).stats
    }

    /// Returns the exchanges of the outermost loops of a routine: in each iteration, and in inner
    /// loops.
    fn exchanges_of_loops(&self, routine: &str, args: &[Value]) -> Vec<[Vec<&'static str>; 2]> {
        let (entry, args) = (self.program.entry(routine), args.iter().map(Argument::of).collect());
        let loaded = self.on_three(true).load(entry, args).expect("memory");
        let names =
            |named: Vec<(&'static str, LocId)>| named.iter().map(|(name, _)| *name).collect();
        let loops = loaded.explain().exchanges.into_iter();
        let loops = loops.filter(|exchanges| exchanges.routine == entry);
        loops.map(|exchanges| [names(exchanges.each), names(exchanges.inner)]).collect()
    }

    /// Returns the optimised program on three ranks.
    fn on_three(&self, intrinsics: bool) -> Compiled {
        self.on("ranks-3", intrinsics)
    }

    /// Returns the optimised program on this team.
    fn on(&self, team: &str, intrinsics: bool) -> Compiled {
        let mut program = self.program.lowered.program.clone();
        star_opt::optimise(&mut program, &Options::default()).expect("the passes are correct");
        let machine = machines().into_iter().find(|machine| machine.name == team);
        let mut machine = machine.expect("it is there");
        machine.options.intrinsics = intrinsics;
        machine.compile(program).expect("it compiles")
    }
}

pub(super) fn slice(n: usize, every: usize) -> Value {
    let bits: Vec<bool> = (0..n).map(|idx| idx % every == 1 % every).collect();
    Value::Slice(BitVector::from_bools(&bits))
}

pub(super) fn table(n_rows: usize, n_cols: usize) -> Value {
    let mut bits = BitTable::zeros(n_rows, n_cols).expect("memory");
    for (row, col) in (0..n_rows).flat_map(|row| (0..n_cols).map(move |col| (row, col))) {
        bits.put(row, col, (row * 7 + col * 5 + row * col).is_multiple_of(4));
    }
    bits.into()
}

pub(super) const SIZES: [usize; 8] = [1, 2, 3, 7, 64, 65, 130, 200];

#[test]
fn operations_on_parts_agree_with_the_reference() {
    let ranks = OnRanks::new();
    for n in SIZES {
        for k in [0, 1, 63, 64, 65, 199] {
            let args = [slice(n, 3), Value::Int(k), UNSET, UNSET, UNSET, UNSET, UNSET];
            ranks.agree("moves", &args);
        }
        for every in [1, 2, 5, n + 1] {
            let results = std::iter::repeat_n(UNSET, 6);
            let args: Vec<_> = [slice(n, every), slice(n, 3)].into_iter().chain(results).collect();
            ranks.agree("queries", &args);
            let args = [table(n, 9), slice(n, every), UNSET, UNSET, UNSET, UNSET];
            ranks.agree("lines", &args);
            let args = [table(n, 9), slice(n, every), UNSET, UNSET, UNSET];
            ranks.agree("extremes", &args);
            let args = [slice(n, every), table(n, 9), Value::Int(0), UNSET];
            ranks.agree("traps", &args);
        }
        ranks.agree("closure", &[Value::Int(n as i64), table(n, n)]);
    }
}

#[test]
fn a_closure_exchanges_one_row_in_each_iteration() {
    let ranks = OnRanks::new();
    for n in [3, 64, 130] {
        let args = [Value::Int(n), table(n as usize, n as usize)];
        assert_eq!(ranks.exchanges_as_written("closure", &args), n as u64);
    }
}

#[test]
fn a_query_is_one_exchange_and_columns_are_none() {
    let ranks = OnRanks::new();
    let results = std::iter::repeat_n(UNSET, 6);
    // Five queries; no rows are visited.
    let zeros = Value::Slice(BitVector::zeros(64));
    let args: Vec<_> = [zeros.clone(), zeros].into_iter().chain(results).collect();
    // The ends of `while` and `foreach` are queries, too.
    assert_eq!(ranks.exchanges("queries", &args), 7);
    // MIN and MAX gather a word of each rank, FND reduces.
    let args = [table(64, 9), slice(64, 2), UNSET, UNSET, UNSET];
    assert_eq!(ranks.exchanges("extremes", &args), 3);
}

#[test]
fn operations_on_long_slices_are_recorded_on_each_rank() {
    let ranks = OnRanks::new();
    // This team records operations on slices of a limb and more.
    let args = [table(512, 9), slice(512, 2), UNSET, UNSET, UNSET, UNSET];
    ranks.agree("lines", &args);
    let (entry, limits) = (ranks.program.entry("lines"), Mode::Optimised.limits(LIMITS));
    let counters = ranks.on("ranks-2", true).run(entry, &args, limits).stats.counters;
    // MATCH has nine columns.
    assert!(counters.ops_recorded >= 18 && counters.tapes_flushed > 0, "{counters:?}");
}

const MOVES: &str = "
procedure down(X: slice(n); k: integer; var Y: slice(n)); begin Y:=SHIFT(X,down,k) end;
procedure up(X: slice(n); k: integer; var Y: slice(n)); begin Y:=SHIFT(X,up,k) end;
procedure turn(X: slice(n); k: integer; var Y: slice(n)); begin Y:=ROTATE(X,k) end;
procedure back(X: slice(n); k: integer; var Y: slice(n)); begin Y:=MIRROR(X) end;
procedure mix(X: slice(n); k: integer; var Y: slice(n)); begin Y:=SHUFFLE(X) end;
procedure own(X: slice(n); k: integer; var Y: slice(n));
begin Y:=X; Y:=SHIFT(Y,down,k); Y:=ROTATE(Y,k); Y:=MIRROR(Y); Y:=SHIFT(Y,up,k) end;
";

#[test]
fn components_move_between_their_owners_alone() {
    let ranks = OnRanks::of(MOVES);
    for n in [2, 3, 7, 64, 130, 200, 450] {
        for k in [0, 1, 63, 64, 65, n, n + 1] {
            let args = [slice(n, 3), Value::Int(k as i64), UNSET];
            for routine in ["down", "up", "turn", "back", "own"] {
                ranks.agree(routine, &args);
            }
            if n.is_multiple_of(2) {
                ranks.agree("mix", &args);
            }
        }
    }
    let given = |routine: &str, k| {
        let stats = ranks.stats_on_three(routine, &[slice(30_000, 3), Value::Int(k), UNSET]);
        // The end of the run is another exchange, of two numbers.
        (stats.counters.exchanges - 1, stats.counters.exchanged_bytes - 16)
    };
    // Rank 0 gives its border to rank 1, or to rank 2.
    assert_eq!(given("down", 1), (1, 8));
    assert_eq!(given("down", 65), (1, 16));
    assert_eq!(given("up", 1), (1, 0));
    assert_eq!(given("turn", 1), (1, 8));
    assert_eq!(given("turn", -1), (1, 8));
    // It needs the components of rank 2, and gives its own.
    assert_eq!(given("back", 0), (1, 10_000_u64.div_ceil(64) * 8));
    assert_eq!(given("down", 0), (0, 0));
    assert_eq!(given("turn", 30_000), (0, 0));
    assert_eq!(given("down", 30_000), (0, 0));
}

const LOOPS: &str = "
procedure rows(X: slice(n); T: table(n,m); var w: word(m); var k: integer);
var Z: slice(n); i: integer;
begin
  w:=ROW(1,T); k:=0; Z:=X;
  while SOME(Z) do
  begin
    i:=STEP(Z); w:=w or ROW(i,T);
    if i > 0 then k:=k + i
  end
end;

procedure nest(X: slice(n); T: table(n,m); var w: word(m); var k: integer);
var Y: slice(n); i,j: integer;
begin
  w:=ROW(1,T); k:=0;
  for j:=1 to m do
  begin
    Y:=COL(j,T) and X; k:=k + NUMB(Y);
    foreach i in Y do if k > i then w:=not ROW(i,T)
  end
end;

procedure none(X: slice(n); T: table(n,m); var w: word(m); var k: integer);
var Y: slice(n); j: integer;
begin
  Y:=X; for j:=1 to m do Y:=Y and COL(j,T);
  w:=ROW(1,T); k:=NUMB(Y)
end;
";

#[test]
fn exchanges_of_loops_are_those_of_runs() {
    let ranks = OnRanks::of(LOOPS);
    let args = [slice(64, 3), table(64, 9), UNSET, UNSET];
    let loops = |routine| ranks.exchanges_of_loops(routine, &args);
    let n_ones = 21;
    // A pass makes it a `foreach`.
    assert_eq!(loops("rows"), [[vec!["foreach", "ROW"], vec![]]]);
    // The row before the loop, and the end of the loop.
    assert_eq!(ranks.exchanges("rows", &args), 2 * n_ones + 2);
    let [[each, inner]] = &loops("nest")[..] else { panic!("{:?}", loops("nest")) };
    assert_eq!((&each[..], &inner[..]), (&["NUMB"][..], &["foreach", "ROW"][..]));
    assert_eq!(loops("none"), Vec::<[Vec<&str>; 2]>::new());
    assert_eq!(ranks.exchanges("none", &args), 2);

    let ranks = OnRanks::new();
    let closure = [Value::Int(64), table(64, 64)];
    assert_eq!(ranks.exchanges_of_loops("closure", &closure), [[vec!["ROW"], vec![]]]);
    assert_eq!(ranks.exchanges_as_written("closure", &closure), 64);
}

const SPARSE: &str = "
import \"star:arcs\";
import \"star:paths\";
import \"star:adjacency\";

procedure lines(G: table(n,n); var H: table; var w: word(n); var X: slice(n); var c: integer);
begin
  H:=G; w:=ROW(3,G); X:=COL(2,G); ROW(1,H):=w; COL(4,H):=X; H(2,2):=1;
  c:=NUMB(X);
  if G(1,2)=1 then c:=c + 1000;
end;

procedure transposed(G: table(n,n); var H,K: table);
begin TRANSPOSE(G,H); TRANSPOSE(H,K) end;

procedure levels(s,n: integer; both: boolean; left,right: table(m,b); S: slice(m); var Dist: table);
begin BFS(s,n,both,left,right,S,Dist) end;

procedure twice(s,n: integer; both: boolean; left,right: table(m,b); S: slice(m); var Dist: table);
begin BFS(s,n,both,left,right,S,Dist); BFS(s,n,both,left,right,S,Dist) end;

procedure labels(n: integer; left,right: table(m,b); S: slice(m); var Label: table);
begin COMPONENTS(n,left,right,S,Label) end;

procedure lengths(s,n,h: integer; both: boolean; left,right: table(m,b); weight: table(m);
                  S: slice(m); var Dist: table);
begin SSSP(s,n,h,both,left,right,weight,S,Dist) end;

procedure trees(s,n,h: integer; both: boolean; left,right: table(m,b); weight: table(m);
                S: slice(m); var D,Dist,Pred: table; var T: slice(m));
begin
  SSSP_TREE(s,n,h,both,left,right,weight,S,D,Pred,T);
  SSSP_TREE(s,n,h,both,left,right,weight,S,Dist,Pred,T);
end;
";

/// A list of `m` arcs between `n` vertices with codes of `b` bits, weights of 5 bits, and marks.
fn arcs(n: usize, m: usize, b: usize, seed: u64) -> [Value; 4] {
    let mut random = Random::new(seed);
    let rows: Vec<[usize; 3]> =
        (0..m).map(|_| [1 + random.below(n), 1 + random.below(n), random.below(20)]).collect();
    let column = |place: usize, width: usize| -> Value {
        let mut table = BitTable::zeros(m, width).expect("memory");
        for (row, bit) in (0..m).flat_map(|row| (0..width).map(move |bit| (row, bit))) {
            table.put(row, width - 1 - bit, rows[row][place] >> bit & 1 == 1);
        }
        table.into()
    };
    let among: Vec<bool> = (0..m).map(|_| random.below(9) > 0).collect();
    let among = Value::Slice(BitVector::from_bools(&among));
    [column(0, b), column(1, b), column(2, 5), among]
}

#[test]
fn searches_on_parts_agree_with_the_reference() {
    let ranks = OnRanks::of(SPARSE);
    let number = |n: usize| Value::Int(n as i64);
    for (n, m, both, h) in
        [(2, 2, false, 12), (9, 20, true, 12), (5, 9, false, 6), (40, 70, true, 12)]
    {
        let [left, right, weight, among] = arcs(n, m, 7, n as u64);
        let (s, n, both) = (number(n), number(n), Value::Bool(both));
        let ends = || [left.clone(), right.clone()];
        let with = |head: &[Value], last: &[Value], n_results: usize| -> Vec<Value> {
            let results = std::iter::repeat_n(UNSET, n_results);
            head.iter().cloned().chain(ends()).chain(last.iter().cloned()).chain(results).collect()
        };
        let among = std::slice::from_ref(&among);
        ranks.agree("levels", &with(&[s.clone(), n.clone(), both.clone()], among, 1));
        ranks.agree("labels", &with(std::slice::from_ref(&n), among, 1));
        // Some distances are too great for 6 bits.
        let last = [weight.clone(), among[0].clone()];
        let head = [s, n, number(h), both];
        ranks.agree("lengths", &with(&head, &last, 1));
        ranks.agree("trees", &with(&head, &last, 4));
    }
}

/// A path through all vertices: each level has one vertex.
#[test]
fn breadth_first_search_on_parts_is_two_exchanges_for_each_level() {
    let ranks = OnRanks::of(SPARSE);
    for n in [40_usize, 60] {
        let code = |row: usize, bit: usize, add: usize| (row + add) >> (6 - bit) & 1 == 1;
        let [left, right] = [1, 2].map(|add| {
            let mut table = BitTable::zeros(n - 1, 7).expect("memory");
            for (row, bit) in (0..n - 1).flat_map(|row| (0..7).map(move |bit| (row, bit))) {
                table.put(row, bit, code(row, bit, add));
            }
            Value::from(table)
        });
        let (one, n_value) = (Value::Int(1), Value::Int(n as i64));
        let args = [one, n_value, Value::Bool(false), left, right, slice(n - 1, 1), UNSET];
        let stats = ranks.stats_on_three("levels", &args);
        assert_eq!(stats.intrinsics, 1);
        // All agree six times, share the arcs in six exchanges, and trade the levels in two; the
        // last level is empty. All agree after the search and at the end.
        assert_eq!(stats.counters.exchanges, 6 + 6 + 2 * n as u64 + 2 + 2);
        // Two numbers and a limb for each rank a level, and each arc and level once.
        let once = (n - 1) + n / 2;
        assert!(stats.counters.exchanged_bytes < 8 * (5 * n + once + 60) as u64, "{stats:?}");
        // The arcs stay with their owners for the next search, before which all agree four times.
        let again = ranks.stats_on_three("twice", &args);
        assert_eq!((again.intrinsics, again.counters.structures_kept), (2, 1));
        let n_more = again.counters.exchanges - stats.counters.exchanges;
        assert_eq!(n_more, 4 + 2 * n as u64 + 2 + 1);
    }
}

#[test]
fn gathered_tables_are_kept_with_their_parts() {
    let ranks = OnRanks::of(SPARSE);
    let [left, right, weight, among] = arcs(50, 90, 7, 8);
    let number = Value::Int;
    let head = [number(1), number(50), number(12), Value::Bool(true), left, right, weight, among];
    let args: Vec<Value> = head.into_iter().chain(std::iter::repeat_n(UNSET, 4)).collect();
    let stats = ranks.stats_on_three("trees", &args);
    assert_eq!(stats.intrinsics, 2);
    // The first call gathers three forms, three tables and the marks, the second one the marks;
    // both ask whether tables are kept, whether they fit, and whether all have run.
    assert_eq!(stats.counters.exchanges, (3 + 3 + 1) + 1 + 2 * 3 + 1);
    assert_eq!(stats.counters.structures_kept, 1);
}

#[test]
fn rows_of_a_set_are_found_on_the_parts_of_each_rank() {
    let text = "procedure chosen(T: table(n,k); X: slice(n); S: table(m,k); var Z: slice(n));
        begin AMONG(T,X,S,Z) end;";
    let ranks = OnRanks::of(text);
    let (all, some) = (table(200, 9), slice(200, 3));
    let stats = ranks.stats_on_three("chosen", &[all.clone(), some.clone(), table(2, 9), UNSET]);
    assert_eq!(stats.intrinsics, 1);
    // All agree before the search and after it; no row moves.
    assert!(stats.counters.exchanged_bytes < 100, "{stats:?}");
    // A distributed set is searched for row by row.
    let stats = ranks.stats_on_three("chosen", &[all, some, table(150, 9), UNSET]);
    assert_eq!(stats.intrinsics, 0);
}

/// A sparse table of 12,000 rows has 18 MB of packed bits, and each rank a third of them.
#[test]
fn sparse_parts_stay_sparse() {
    let ranks = OnRanks::of(SPARSE);
    for by_rows in [true, false] {
        let sparse = |n: usize| {
            let mut lines = SparseLines::zeros(n, n, 4 * n).expect("memory");
            for (idx, at) in (0..n).flat_map(|idx| (1..4).map(move |by| (idx, by))) {
                lines.put(idx, (idx * at + at) % n, true).expect("memory");
            }
            Value::Table(SparseTable { lines, by_rows }.into())
        };
        let results = || std::iter::repeat_n(UNSET, 4);
        let args = |n: usize| -> Vec<Value> { [sparse(n)].into_iter().chain(results()).collect() };
        ranks.agree("lines", &args(150));
        ranks.agree("transposed", &args(150)[..3]);
        let on_three = ranks.on_three(true);
        let run = |routine: &str, args: &[Value]| {
            let run = on_three.run(ranks.program.entry(routine), args, LIMITS);
            assert!(run.stats.counters.tables_made_dense == 0, "{routine}: {:?}", run.stats);
            run.stats
        };
        let n = 12_000;
        let stats = run("lines", &args(n));
        assert!(stats.counters.sparse_lines > 0);
        assert!(stats.peak_bytes < 3 << 20, "{}", stats.peak_bytes);
        let stats = run("transposed", &args(n)[..3]);
        assert_eq!(stats.intrinsics, 2);
        assert!(stats.peak_bytes < 6 << 20, "{}", stats.peak_bytes);
    }
}
