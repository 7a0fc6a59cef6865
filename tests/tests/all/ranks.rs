//! The CPU backend on ranks that are threads: the same results as the reference, with as few
//! exchanges as documented. `.ci/run` runs the suites of operations and rules on ranks, too.

use star_harness::{Mode, TEAMS};
use star_ir::LocId;
use star_opt::Options;
use star_tests::backends::{Compiled, Machine};
use star_tests::differ::{Agreement, InBothModes, Same, same};
use star_tests::run::{LIMITS, Program};
use star_value::{Argument, BitTable, BitVector, Value};
use star_vm::Stats;

const UNSET: Value = Value::Unset;

const TEXT: &str = "
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

    /// Returns the counts of rank 0 in an optimised run on three ranks.
    fn stats_on_three(&self, routine: &str, args: &[Value]) -> Stats {
        self.agree(routine, args);
        let limits = Mode::Optimised.limits(LIMITS);
        self.on_three().run(self.program.entry(routine), args, limits).stats
    }

    /// Returns the exchanges of the outermost loops of a routine: in each iteration, and in inner
    /// loops.
    fn exchanges_of_loops(&self, routine: &str, args: &[Value]) -> Vec<[Vec<&'static str>; 2]> {
        let (entry, args) = (self.program.entry(routine), args.iter().map(Argument::of).collect());
        let loaded = self.on_three().load(entry, args).expect("memory");
        let names =
            |named: Vec<(&'static str, LocId)>| named.iter().map(|(name, _)| *name).collect();
        let loops = loaded.explain().exchanges.into_iter();
        let loops = loops.filter(|exchanges| exchanges.routine == entry);
        loops.map(|exchanges| [names(exchanges.each), names(exchanges.inner)]).collect()
    }

    /// Returns the optimised program on three ranks.
    fn on_three(&self) -> Compiled {
        let mut program = self.program.lowered.program.clone();
        star_opt::optimise(&mut program, &Options::default()).expect("the passes are correct");
        let machine = machines().into_iter().find(|machine| machine.name == "ranks-3");
        machine.expect("it is there").compile(program).expect("it compiles")
    }
}

fn slice(n: usize, every: usize) -> Value {
    let bits: Vec<bool> = (0..n).map(|idx| idx % every == 1 % every).collect();
    Value::Slice(BitVector::from_bools(&bits))
}

fn table(n_rows: usize, n_cols: usize) -> Value {
    let mut bits = BitTable::zeros(n_rows, n_cols).expect("memory");
    for (row, col) in (0..n_rows).flat_map(|row| (0..n_cols).map(move |col| (row, col))) {
        bits.put(row, col, (row * 7 + col * 5 + row * col).is_multiple_of(4));
    }
    bits.into()
}

const SIZES: [usize; 8] = [1, 2, 3, 7, 64, 65, 130, 200];

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
        let exchanges = ranks.exchanges("closure", &[Value::Int(n), table(n as usize, n as usize)]);
        assert_eq!(exchanges, n as u64);
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
    assert_eq!(ranks.exchanges("closure", &closure), 64);
}
