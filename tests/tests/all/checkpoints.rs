//! Runs that are interrupted at a checkpoint and continued in a new run, again and again: results,
//! output and counts are those of a run from beginning to end, alone and on ranks.

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use star_base::Code;
use star_ir::{LimitKind, RoutineId, Ty};
use star_opt::Options;
use star_tests::case::Random;
use star_tests::generator::generate;
use star_tests::run::{LIMITS, Printed, Program};
use star_value::{BitVector, BitsRef, Value};
use star_vm::cpu::{Cpu, Settings};
use star_vm::exchange::{Exchange, PartitionSettings, Threads};
use star_vm::kernels::Kernels;
use star_vm::{
    Backend, Checkpoints, CompileOptions, Control, Host, HostError, Limits, Outcome, Part,
    RunIdentity, Stats,
};

/// What outlives a run: the checkpoint, the output and the files.
#[derive(Clone, Default)]
struct Kept {
    /// The parts that the ranks are writing, and those of the last checkpoint.
    pending: Vec<Vec<Value>>,
    committed: Option<Vec<Vec<Value>>>,
    program: Option<u64>,
    /// What rank 0 has printed and written, and that before the last checkpoint.
    host: Printed,
    host_then: Printed,
}

/// The store of one rank. The run is interrupted after some checkpoints.
struct Store<'a> {
    kept: &'a Mutex<Kept>,
    due: Arc<AtomicBool>,
    interrupt: &'a AtomicBool,
    rank: usize,
    state: VecDeque<Value>,
    /// Number of checkpoints until then.
    left: usize,
    n_committed: &'a Mutex<usize>,
    refused: Option<HostError>,
    /// The part that cannot be written, counted from the last.
    fails_at: Option<usize>,
}

impl<'a> Store<'a> {
    fn kept(&self) -> MutexGuard<'a, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Checkpoints for Store<'_> {
    fn due(&self) -> Arc<AtomicBool> {
        self.due.clone()
    }

    fn open(&mut self, run: RunIdentity) -> Result<bool, HostError> {
        assert_eq!(run.rank, self.rank);
        let mut kept = self.kept();
        let before = *kept.program.get_or_insert(run.program);
        assert_eq!(before, run.program, "the digest of the same program");
        kept.pending.resize(run.n_ranks, Vec::new());
        let Some(parts) = &kept.committed else { return Ok(false) };
        self.state = parts[run.rank].clone().into();
        Ok(true)
    }

    fn take(&mut self) -> Result<Value, HostError> {
        let refused = || HostError { code: Code::Truncated, message: "no more parts".to_owned() };
        self.state.pop_front().ok_or_else(refused)
    }

    fn refuse(&mut self, error: HostError) {
        self.refused = Some(error);
    }

    fn next_number(&self) -> u64 {
        1
    }

    fn begin(&mut self, number: u64) -> Result<(), HostError> {
        assert_eq!(number, 1);
        self.kept().pending[self.rank].clear();
        Ok(())
    }

    fn put(&mut self, part: BitsRef<'_>) -> Result<(), HostError> {
        if self.fails_at.is_some_and(|at| self.kept().pending[self.rank].len() == at) {
            return Err(HostError { code: Code::CannotWrite, message: "it is full".to_owned() });
        }
        self.kept().pending[self.rank].push(part.into());
        Ok(())
    }

    fn end(&mut self) -> Result<(), HostError> {
        Ok(())
    }

    fn commit(&mut self) -> Result<(), HostError> {
        let mut kept = self.kept();
        kept.committed = Some(kept.pending.clone());
        kept.host_then = kept.host.clone();
        *self.n_committed.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.left -= 1;
        if self.left == 0 {
            self.interrupt.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    fn finish(&mut self, failed: Option<HostError>) {
        self.refused = failed;
    }
}

struct TestHost<'a>(Store<'a>);

impl Host for TestHost<'_> {
    fn print(&mut self, line: &str) -> Result<(), HostError> {
        self.0.kept().host.print(line)
    }

    fn read(
        &mut self,
        file: &str,
        layout: Option<&str>,
        ty: Ty,
        max_bytes: Option<u64>,
    ) -> Result<Value, HostError> {
        self.0.kept().host.read(file, layout, ty, max_bytes)
    }

    fn write(&mut self, file: &str, value: BitsRef<'_>) -> Result<(), HostError> {
        self.0.kept().host.write(file, value)
    }

    fn checkpoints(&mut self) -> Option<&mut dyn Checkpoints> {
        Some(&mut self.0)
    }
}

/// A program on a machine: alone, or on ranks.
struct Job<'a> {
    program: &'a star_ir::Program,
    entry: RoutineId,
    args: &'a [Value],
    settings: Settings,
    options: CompileOptions,
    limits: Limits,
    n_ranks: usize,
}

/// The end of a run.
#[derive(Debug)]
struct End {
    outcome: Outcome,
    values: Vec<Value>,
    stats: Stats,
    refused: Option<HostError>,
}

impl Job<'_> {
    /// Runs this rank until `left` more checkpoints are written.
    fn on_rank(
        &self,
        exchange: Option<Threads>,
        kept: &Mutex<Kept>,
        (left, n_committed, fails_at): (usize, &Mutex<usize>, Option<usize>),
        interrupt: &AtomicBool,
    ) -> End {
        let mut cpu = Cpu::with(self.settings, Kernels::detect());
        let rank = exchange.as_ref().map_or(0, |exchange| exchange.rank());
        if let Some(exchange) = exchange {
            cpu = cpu.on_rank(Rc::new(exchange), PartitionSettings::tiny());
        }
        let compiled = cpu.compile(self.program.clone(), &self.options, None);
        let plan = compiled.and_then(|made| cpu.plan(&made.code, self.entry, &[]));
        let plan = plan.expect("the program can run");
        let load = |arg: &Value| cpu.load(arg.clone(), *arg != Value::Unset).expect("memory");
        let mut values: Vec<_> = self.args.iter().map(load).collect();
        let due = Arc::new(AtomicBool::new(left > 0));
        let (state, refused) = (VecDeque::new(), None);
        let store =
            Store { kept, due, interrupt, rank, state, left, n_committed, refused, fails_at };
        let mut host = TestHost(store);
        let never = AtomicBool::new(false);
        let mut control = Control {
            interrupt,
            deadline: &never,
            limits: self.limits,
            host: &mut host,
            profile: None,
            stats: Stats::default(),
        };
        let outcome = cpu.run(&plan, &mut values, &mut control);
        let stats = control.stats;
        let is_over = !is_interrupted(&outcome);
        let store = |value| match is_over {
            true => cpu.store(value, Part::Whole, &never).expect("memory"),
            false => Value::Unset,
        };
        let values = values.iter().map(store).collect();
        End { outcome, values, stats, refused: host.0.refused }
    }

    /// Runs all ranks until `left` more checkpoints are written; 0 is none. Returns the end on rank
    /// 0 and the number of checkpoints.
    fn run(&self, kept: &Mutex<Kept>, left: usize, fails_at: Option<usize>) -> (End, usize) {
        let interrupt = AtomicBool::new(false);
        let n_committed = Mutex::new(0);
        let until = (left, &n_committed, fails_at);
        let end = if self.n_ranks == 0 {
            self.on_rank(None, kept, until, &interrupt)
        } else {
            let exchanges = Threads::new(self.n_ranks, self.n_ranks as u64);
            std::thread::scope(|scope| {
                let of_rank = |exchange| {
                    let (interrupt, until) = (&interrupt, &until);
                    scope.spawn(move || self.on_rank(Some(exchange), kept, *until, interrupt))
                };
                let running: Vec<_> = exchanges.into_iter().map(of_rank).collect();
                let ended = running.into_iter().map(|rank| rank.join().expect("no rank panics"));
                ended.collect::<Vec<End>>().swap_remove(0)
            })
        };
        (end, n_committed.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Compares a run from beginning to end with one that is interrupted. Returns the number of
    /// times that it was continued.
    fn agrees(&self, random: &mut Random, what: &str) -> usize {
        let whole = Mutex::new(Kept::default());
        let (expected, _) = self.run(&whole, 0, None);
        let expected_host = whole.into_inner().expect("no panic").host;
        let kept = Mutex::new(Kept::default());
        let mut n_continued = 0;
        loop {
            let left = if n_continued < 6 { 1 + random.below(4) } else { 0 };
            let (end, n_committed) = self.run(&kept, left, None);
            if left > 0 && n_committed == left && is_interrupted(&end.outcome) {
                // What was printed after the checkpoint is printed again.
                let mut kept = kept.lock().expect("no panic");
                kept.host = kept.host_then.clone();
                n_continued += 1;
                continue;
            }
            let host = kept.into_inner().expect("no panic").host;
            assert_eq!(end.outcome, expected.outcome, "{what}, {n_continued}");
            assert_eq!(end.values, expected.values, "{what}, {n_continued}");
            assert_eq!(host.text, expected_host.text, "{what}, {n_continued}");
            assert_eq!(host.files, expected_host.files, "{what}, {n_continued}");
            assert_eq!(end.stats.output_bytes, expected.stats.output_bytes, "{what}");
            if !self.options.intrinsics {
                let counts = |stats: Stats| (stats.operations, stats.steps);
                assert_eq!(counts(end.stats), counts(expected.stats), "{what}, {n_continued}");
            }
            return n_continued;
        }
    }
}

fn is_interrupted(outcome: &Outcome) -> bool {
    matches!(
        outcome,
        Outcome::Limit { kind: LimitKind::Interrupted, .. } | Outcome::DeviceLost { .. }
    )
}

/// The machines: alone with the usual sizes, with tiny ones and with sparse tables; and two ranks.
fn machines() -> [(&'static str, Settings, usize); 5] {
    let one = |settings: Settings| Settings { threads: Some(1), ..settings };
    let (usual, tiny, sparse) = (Settings::default(), Settings::tiny(), Settings::sparse());
    [
        ("usual", one(usual), 0),
        ("tiny", one(tiny), 0),
        ("sparse", one(sparse), 0),
        ("two ranks", one(usual), 2),
        ("three ranks", one(tiny), 3),
    ]
}

/// Runs a program in both modes on all machines; returns the number of times that it was continued.
fn continued(program: &Program, name: &str, args: &[Value], seed: u64) -> usize {
    let mut optimised = program.lowered.program.clone();
    star_opt::optimise(&mut optimised, &Options::default()).expect("the passes are correct");
    let entry = program.entry(name);
    let as_lowered = CompileOptions { checkpoints: true, ..CompileOptions::AS_LOWERED };
    let usual = CompileOptions { checkpoints: true, ..CompileOptions::default() };
    let mut n_continued = 0;
    for (machine, settings, n_ranks) in machines() {
        for (program, options) in [(&program.lowered.program, as_lowered), (&optimised, usual)] {
            let limits = Limits { steps: None, ..LIMITS };
            let job = Job { program, entry, args, settings, options, limits, n_ranks };
            let what = format!("{machine}, {options:?}, seed {seed}");
            n_continued += job.agrees(&mut Random::new(seed), &what);
        }
    }
    n_continued
}

#[test]
fn generated_programs_end_alike_when_they_are_continued() {
    let n = std::env::var("STAR_CHECKPOINT_PROGRAMS").ok().and_then(|text| text.parse().ok());
    let mut n_continued = 0;
    for seed in 1..=n.unwrap_or(60) {
        let generated = generate(seed);
        if generated.ends_well() {
            let program = Program::with(&generated.source.to_string(), &generated.options);
            n_continued += continued(&program, &generated.entry, &generated.args, seed);
        }
    }
    assert!(n_continued > 500, "{n_continued}");
}

const TEXT: &str = "
import \"star:closure\";

procedure handles(n: integer; G: table(n,n); var X: slice; var k: integer);
var H: handle; i: integer; Y: slice;
begin
  k:=0;
  CONDENSE(n,G,H);
  for i:=1 to n do
  begin
    REACHABLE(H,i,Y); X:=Y;
    if REACHES(H,i,1 + i mod n) then k:=k + i;
    if i=3 then CONDENSE(n,G,H);
    print(i,\" \",Y)
  end
end;

procedure fill(n: integer; var T: table);
var i: integer;
begin for i:=1 to n do ROW(i,T):=ROW(i,T) or ROW(1,T) end;

procedure texts(T: table(n,m); s: string; X: slice(n); var U: table(n,m); var Y: slice(n);
  var k: integer);
var V: table; w: word(m); i,j: integer; t: string; Z: slice(n);
begin
  t:=\"first\"; V:=T; U:=V; k:=0; Y:=X; w:=ROW(1,T);
  for i:=1 to n do
  begin
    if i > 2 then t:=s;
    ROW(i,U):=w; w:=not w; Z:=COL(1,U); Y:=Y and not Z;
    fill(n,U); write(Y,\"memory:y\"); read(Z,\"memory:y\");
    foreach j in Z do k:=k + j;
    print(t,\" \",i,\" \",Y);
  end;
  while k > 7 do k:=k div 2;
  foreach i in X do begin ROW(i,V):=ROW(i,U); print(i) end;
  U:=V; Y:=COL(2,U);
end;

procedure traps(X: slice; var k: integer);
var i: integer;
begin
  k:=0;
  foreach i in X do begin k:=k + i; print(k); assert(k < 20, \"too large\") end;
end;
";

#[test]
fn texts_files_shared_tables_handles_and_traps_are_continued() {
    let program = Program::new(TEXT);
    let table = star_tests::table(&["0110", "1011", "0001", "1110", "0101"]).into();
    let slice = Value::Slice(star_tests::bits("11011"));
    let args = [
        table,
        Value::Str("second".to_owned()),
        slice.clone(),
        Value::Unset,
        Value::Unset,
        Value::Unset,
    ];
    assert!(continued(&program, "texts", &args, 3) > 20);
    let graph = star_tests::table(&["01000", "00100", "00010", "01001", "00000"]).into();
    let args = [Value::Int(5), graph, Value::Unset, Value::Unset];
    assert!(continued(&program, "handles", &args, 5) > 20);
    let long = Value::Slice(star_tests::bits(&"1".repeat(30)));
    assert!(continued(&program, "traps", &[long, Value::Unset], 4) > 5);
}

#[test]
fn a_checkpoint_that_fails_does_not_end_the_run() {
    let program = Program::new(TEXT);
    let args = [Value::Slice(star_tests::bits("1111")), Value::Unset];
    for (machine, settings, n_ranks) in machines() {
        let options = CompileOptions { checkpoints: true, ..CompileOptions::default() };
        let (program, entry) = (&program.lowered.program, program.entry("traps"));
        let job = Job { program, entry, args: &args, settings, options, limits: LIMITS, n_ranks };
        let kept = Mutex::new(Kept::default());
        let (end, n_committed) = job.run(&kept, 9, Some(1));
        assert_eq!((&end.outcome, n_committed), (&Outcome::Done, 0), "{machine}");
        assert_eq!(end.values[1], Value::Int(10), "{machine}");
        let error = end.refused.expect("the last attempt failed");
        let expected = if n_ranks > 0 { "rank 0: it is full" } else { "it is full" };
        assert_eq!((error.code, &error.message[..]), (Code::CannotWrite, expected), "{machine}");
    }
}

#[test]
fn a_damaged_state_is_refused_on_all_ranks() {
    let program = Program::new(TEXT);
    let args = [Value::Slice(star_tests::bits("1111")), Value::Unset];
    for (machine, settings, n_ranks) in machines() {
        let options = CompileOptions { checkpoints: true, ..CompileOptions::default() };
        let (program, entry) = (&program.lowered.program, program.entry("traps"));
        let job = Job { program, entry, args: &args, settings, options, limits: LIMITS, n_ranks };
        let kept = Mutex::new(Kept::default());
        let (_, n_committed) = job.run(&kept, 2, None);
        assert_eq!(n_committed, 2, "{machine}");
        let complete = kept.into_inner().expect("no panic");
        let last = complete.committed.as_ref().map_or(0, Vec::len) - 1;
        let resumed = |change: &dyn Fn(&mut Vec<Value>)| {
            let mut kept = complete.clone();
            change(&mut kept.committed.as_mut().expect("it is there")[last]);
            let (end, _) = job.run(&Mutex::new(kept), 0, None);
            let refused = end.refused.expect("it is refused");
            assert!(matches!(end.outcome, Outcome::Unsupported { .. }), "{machine}");
            refused.code
        };
        let Value::Slice(head) = &complete.committed.as_ref().expect("it is there")[last][0] else {
            panic!("the first part is no slice")
        };
        // A state without its end, and one of another routine.
        for n_limbs in 0..head.limbs().len() {
            let head = BitVector::from_limbs(64 * n_limbs, &head.limbs()[..n_limbs]);
            let head = Value::Slice(head.expect("it is shorter"));
            let code = resumed(&|parts| parts[0] = head.clone());
            assert_eq!(code, Code::BadFormat, "{machine}, {n_limbs}");
        }
        for (at, number) in [(0, 0), (0, u64::MAX), (1, 0), (1, 1 << 40), (2, 7), (2, u64::MAX)] {
            let mut head = head.clone();
            head.limbs_mut()[at] = number;
            let code = resumed(&|parts| parts[0] = Value::Slice(head.clone()));
            assert_eq!(code, Code::BadFormat, "{machine}, {at}, {number}");
        }
        let code = resumed(&|parts| parts[1] = Value::Word(BitVector::zeros(4)));
        assert_eq!(code, Code::BadFormat, "{machine}");
        let code = resumed(&|parts| drop(parts.pop()));
        assert_eq!(code, Code::Truncated, "{machine}");
    }
}
