//! Natives against the Star bodies that they are the twins of: for every entry of the catalogue, called and
//! as the entry, random arguments for which the preconditions hold, and such for which just one fails.

use std::fmt::Write as _;

use star_base::natives::catalogue::closure::CLOSURE;
use star_base::natives::{Kind, Native, Param, ParamMode, Signature, SizeTerm};
use star_base::{BitTable, BitVector};
use star_ir::LimitKind;
use star_tests::backends::{Mode, WITH_NATIVES, backends};
use star_tests::case::{Random, prints, traps};
use star_tests::differ::difference;
use star_tests::run::{LIMITS, Program};
use star_tests::{check, messages};
use star_vm::{HostValue, Limits, Outcome};

/// Sizes around the borders of limbs and lines.
const SIZES: [usize; 14] = [0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 65, 96, 127, 129];

/// Calls with random arguments, for each routine.
const CALLS: usize = 400;

#[test]
fn every_native_does_what_its_star_body_does() {
    for &native in Native::ALL {
        for routine in native.signature().routines {
            compare(native, routine);
        }
    }
}

/// A routine that is called: its native, and its name.
type Called = (Native, &'static str);

/// The routine, after one that makes the handle that it reads.
fn calls_of(native: Native, routine: &'static str) -> Vec<Called> {
    let module = native.signature().module;
    let is_handle =
        |param: &&Param, mode: ParamMode| param.kind == Kind::Handle && param.mode == mode;
    let params = native.signature().params;
    let mut calls = vec![(native, routine)];
    if params.iter().any(|param| is_handle(&param, ParamMode::Value)) {
        let maker = Native::ALL.iter().find(|maker| {
            let Signature { module: of, params, .. } = maker.signature();
            *of == module && params.iter().any(|param| is_handle(&param, ParamMode::Made))
        });
        let maker = *maker.expect("something makes the handle");
        calls.insert(0, (maker, maker.signature().routines[0]));
    }
    calls
}

fn compare(native: Native, routine: &'static str) {
    let calls = calls_of(native, routine);
    let signature = native.signature();
    let program = Program::new(&caller(&calls));
    let mut entries = vec![program.entry("TRY")];
    if signature.params.iter().all(|param| param.kind != Kind::Handle) {
        entries.push(program.lowered.program.find(routine).expect("it is called"));
    }
    let compiled = program.compile_on(&backends());
    let (first, others) = compiled.split_first().expect("a backend");
    let mut random = Random::new(2016);
    let mut n_held = 0;
    let mut n_failed = vec![0; signature.preconditions.len()];
    for _ in 0..CALLS {
        let given = arguments(&calls, &mut random);
        let all = |(of, _): &Called| given.suit(of.signature());
        let n_taken = calls.iter().take_while(|&call| all(call)).count();
        n_held += usize::from(n_taken == calls.len());
        if n_taken + 1 >= calls.len() {
            let value = |term| given.value(signature, term);
            let failed = (0..signature.preconditions.len())
                .filter(|&idx| !signature.preconditions[idx].holds(value))
                .collect::<Vec<usize>>();
            if let [only] = failed[..] {
                n_failed[only] += 1;
            }
        }
        let args: Vec<HostValue> = given.0.iter().map(|(_, value)| value.clone()).collect();
        for &entry in &entries {
            let expected = first.run(entry, &args, LIMITS);
            for other in others {
                let found = other.run(entry, &args, LIMITS);
                let context = || format!("{routine} on `{}`, {args:?}", other.name);
                if let Some(difference) = difference(&program, &expected, &found, Mode::AsLowered) {
                    panic!("{}: {difference}", context());
                }
                let has = WITH_NATIVES.contains(&other.name);
                let n_taken = if has { n_taken as u64 } else { 0 };
                assert_eq!(found.stats.natives, n_taken, "{}", context());
            }
        }
    }
    assert!(n_held * 40 >= CALLS, "{routine} was taken {n_held} times only");
    for (need, n_failed) in signature.preconditions.iter().zip(n_failed) {
        assert!(n_failed > 0, "{routine}: `{}` never failed alone", signature.word(*need));
    }
}

/// The keyword of a kind.
fn keyword(kind: Kind) -> &'static str {
    match kind {
        Kind::Int => "integer",
        Kind::Bool => "boolean",
        Kind::Text => "string",
        Kind::Slice => "slice",
        Kind::Word => "word",
        Kind::Table => "table",
        Kind::Handle => "handle",
    }
}

/// A program that does nothing but make the calls; handles are its own.
fn caller(calls: &[Called]) -> String {
    let (mut header, mut body) = (Vec::new(), String::new());
    for (native, routine) in calls {
        let Signature { params, result, .. } = native.signature();
        for Param { name, kind, mode } in params.iter().filter(|param| param.kind != Kind::Handle) {
            let var = if mode.is_by_ref() { "var " } else { "" };
            header.push(format!("{var}{name}: {}", keyword(*kind)));
        }
        let names: Vec<&str> = params.iter().map(|param| param.name).collect();
        let call = format!("{routine}({})", names.join(","));
        match result {
            Some(kind) => {
                header.push(format!("var R: {}", keyword(*kind)));
                let _ = write!(body, "R:={call}; "); // a String takes any text
            }
            None => body += &format!("{call}; "),
        }
    }
    let module = calls[0].0.signature().module;
    let header = header.join("; ");
    format!("import \"star:{module}\"; procedure TRY({header}); var H: handle; begin {body}end;")
}

/// The arguments of the caller, with the names of its parameters.
struct Arguments(Vec<(&'static str, HostValue)>);

impl Arguments {
    /// Would the native of this signature be taken?
    fn suit(&self, signature: &Signature) -> bool {
        let fits = |param: &Param| match (param.mode, self.named(param.name)) {
            (ParamMode::Value, _) | (_, None) => true,
            (ParamMode::Changed, Some(value)) => *value != HostValue::Unset,
            // A slice that is given keeps its size.
            (ParamMode::Made, Some(HostValue::Slice(bits))) => Some(bits.len()) == self.n_rows("H"),
            (ParamMode::Made, Some(_)) => true,
        };
        signature.params.iter().all(fits) && signature.holds(|term| self.value(signature, term))
    }

    fn named(&self, name: &str) -> Option<&HostValue> {
        self.0.iter().find(|(given, _)| *given == name).map(|(_, value)| value)
    }

    /// Rows and columns of a table, or of the graph that a handle is made of.
    fn n_rows(&self, name: &str) -> Option<usize> {
        self.table(name).map(BitTable::n_rows)
    }

    fn table(&self, name: &str) -> Option<&BitTable> {
        match self.named(if name == "H" { "G" } else { name }) {
            Some(HostValue::Table(table)) => Some(table),
            Some(_) | None => None,
        }
    }

    fn value(&self, signature: &Signature, term: SizeTerm) -> Option<i64> {
        let name = |idx: usize| signature.params[idx].name;
        match term {
            SizeTerm::Value(idx) => match self.named(name(idx)) {
                Some(HostValue::Int(number)) => Some(*number),
                Some(_) | None => None,
            },
            SizeTerm::Length(idx) => match self.named(name(idx)) {
                Some(HostValue::Slice(bits)) => Some(bits.len() as i64),
                Some(_) | None => None,
            },
            SizeTerm::Rows(idx) | SizeTerm::PartRows(idx, _) => {
                self.n_rows(name(idx)).map(|n| n as i64)
            }
            SizeTerm::Columns(idx) | SizeTerm::PartColumns(idx, _) => {
                self.table(name(idx)).map(|table| table.n_cols() as i64)
            }
        }
    }
}

/// Arguments whose sizes and numbers lie near each other, so that preconditions hold often, and fail by little.
fn arguments(calls: &[Called], random: &mut Random) -> Arguments {
    let size = SIZES[random.below(SIZES.len())];
    let near = |random: &mut Random| size + [0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 70][random.below(11)];
    let mut given = Vec::new();
    for (native, _) in calls {
        let Signature { params, result, .. } = native.signature();
        for Param { name, kind, mode } in *params {
            let value = match kind {
                Kind::Handle => continue,
                Kind::Text => HostValue::Str("text".to_owned()),
                Kind::Word => {
                    let len = near(random);
                    HostValue::Word(BitVector::from_bools(&random.bits(len, 50)))
                }
                Kind::Bool => HostValue::Bool(random.chance(50)),
                Kind::Int => HostValue::Int(match random.below(8) {
                    0 => 0,
                    1 => -1,
                    2 | 3 => random.below(size + 2) as i64,
                    _ => size as i64 + [0, 0, 0, 1, 1, -1][random.below(6)],
                }),
                Kind::Slice if random.chance(70) => HostValue::Unset,
                Kind::Slice => {
                    let len = near(random);
                    HostValue::Slice(BitVector::from_bools(&random.bits(len, 50)))
                }
                Kind::Table if *mode != ParamMode::Value && random.chance(5) => HostValue::Unset,
                Kind::Table => {
                    let (n_rows, n_cols) = (near(random), near(random));
                    HostValue::Table(table(n_rows, n_cols, random))
                }
            };
            given.push((*name, value));
        }
        if result.is_some() {
            given.push(("R", HostValue::Unset));
        }
    }
    Arguments(given)
}

/// A table with few or many ones, on both sides of the diagonal or on one.
fn table(n_rows: usize, n_cols: usize, random: &mut Random) -> BitTable {
    let one_in = [1, 2, 8, 1 + n_rows / 2, 1 + n_rows, 1 + 4 * n_rows][random.below(6)];
    let keeps = [|_, _| true, |row, col| row < col, |row, col| row > col, |row, col| row != col];
    let keeps: fn(usize, usize) -> bool = keeps[random.below(keeps.len())];
    let columns: Vec<BitVector> = (0..n_cols)
        .map(|col| {
            let bits = (0..n_rows).map(|row| keeps(row, col) && random.below(one_in) == 0);
            BitVector::from_bools(&bits.collect::<Vec<bool>>())
        })
        .collect();
    BitTable::from_columns(n_rows, &columns)
}

#[test]
fn a_routine_of_the_same_name_is_no_twin() {
    let text = "import \"star:closure\";
        procedure WARSHALL(n: integer; var P: table); begin P(1,1):=n; end;
        procedure TRY(var P: table); begin WARSHALL(1,P); end;";
    let program = Program::new(text);
    let natives = program.lowered.program.routines.iter().filter_map(|routine| routine.native);
    assert_eq!(natives.count(), 0);
}

#[test]
fn without_room_for_a_native_the_star_body_runs() {
    let program = Program::new(&caller(&[(CLOSURE, "WARSHALL")]));
    let mut random = Random::new(1);
    let args = [HostValue::Int(64), HostValue::Table(table(64, 64, &mut random))];
    let entry = program.entry("TRY");
    // The table, and a few lines.
    let tight = Limits { memory: Some(64 * 8 + 100), ..LIMITS };
    let mut machines = backends();
    machines.retain(|machine| WITH_NATIVES.contains(&machine.name));
    for compiled in program.compile_on(&machines) {
        let [wide, tight] = [LIMITS, tight].map(|limits| compiled.run(entry, &args, limits));
        assert_eq!((wide.stats.natives, tight.stats.natives), (1, 0), "{}", compiled.name);
        assert_eq!(difference(&program, &tight, &wide, Mode::AsLowered), None);
        assert!(wide.stats.operations < tight.stats.operations);
    }
}

#[test]
fn a_table_in_which_nothing_changes_is_not_copied() {
    let text = "import \"star:closure\";
        procedure TRY(n: integer; G: table; var P: table); begin P:=G; WARSHALL(n,P); end;";
    let program = Program::new(text);
    let entry = program.entry("TRY");
    let n = 512;
    let mut one = BitTable::zeros(n, n).expect("memory");
    let mut chain = one.clone();
    (1..n).for_each(|vertex| chain.put(vertex - 1, vertex, true));
    let mut closed = one.clone();
    (0..n).for_each(|vertex| (0..vertex).for_each(|to| closed.put(vertex, to, true)));
    one.put(n - 2, n - 1, true);
    // The table, and half as much: enough for the native, but not for a second table.
    let tight = Limits { memory: Some(one.n_bytes() / 2 * 3), ..LIMITS };
    let least = Limits { memory: Some(one.n_bytes()), ..LIMITS };
    let mut machines = backends();
    machines.retain(|machine| WITH_NATIVES.contains(&machine.name));
    for compiled in program.compile_on(&machines) {
        let run = |n: usize, graph: &BitTable, limits| {
            let args =
                [HostValue::Int(n as i64), HostValue::Table(graph.clone()), HostValue::Unset];
            let run = compiled.run(entry, &args, limits);
            (run.outcome.clone(), run.stats.natives, run.values.get(2).cloned())
        };
        for (n, graph, limits) in
            [(n, &closed, tight), (n - 2, &one, tight), (n, &one, tight), (0, &chain, least)]
        {
            let expected = (Outcome::Done, 1, Some(HostValue::Table(graph.clone())));
            assert_eq!(run(n, graph, limits), expected, "{}, n={n}", compiled.name);
        }
        let (outcome, natives, _) = run(n, &chain, tight);
        assert!(
            matches!(outcome, Outcome::Limit { kind: LimitKind::Memory { .. }, .. }),
            "{outcome:?}"
        );
        assert_eq!(natives, 0);
    }
}

#[test]
fn a_handle_keeps_what_it_was_made_of() {
    let text = "import \"star:closure\";
        procedure ASK(H: handle; G: table; var X,Y: slice); var K: handle;
        begin
          REACHABLE(H,1,X);
          CONDENSE(rows(G),G,K);
          REACHABLE(K,1,Y);
        end;
        procedure AGAIN(G: table; var H: handle);
        begin CONDENSE(rows(G),G,H); end;
        program TRY;
        var G,N: table(3,3); H: handle; X,Y: slice; i: integer;
        begin
          G(1,2):=1;
          AGAIN(G,H);
          ASK(H,G,X,Y); print(X, \" \", Y);
          G(2,3):=1;
          ASK(H,G,X,Y); print(X, \" \", Y);
          for i:=1 to 2 do begin AGAIN(N,H); print(REACHES(H,1,2)); AGAIN(G,H); end;
          print(REACHES(H,1,3));
        end.";
    assert_eq!(prints(text), "010 010\n010 011\nfalse\nfalse\ntrue\n");
}

#[test]
fn a_kept_state_becomes_its_table_however_tight_the_memory_is() {
    let text = "import \"star:closure\";
        procedure TRY(n: integer; G: table); var H: handle;
        begin
          CONDENSE(n,G,H);
          if REACHES(H,n+1,1) then print(n);
        end;";
    let program = Program::new(text);
    let entry = program.entry("TRY");
    let n = 512;
    // Every vertex is a component.
    let mut chain = BitTable::zeros(n, n).expect("memory");
    (1..n).for_each(|vertex| chain.put(vertex - 1, vertex, true));
    // The graph, its closure, and what finding that takes: enough for a state, but not for its table beside it.
    let limits = Limits { memory: Some(2 * chain.n_bytes() + 30 * n as u64 + 4096), ..LIMITS };
    let args = [HostValue::Int(n as i64), HostValue::Table(chain)];
    let mut machines = backends();
    machines.retain(|machine| WITH_NATIVES.contains(&machine.name));
    for compiled in program.compile_on(&machines) {
        let outcome = compiled.run(entry, &args, limits).outcome;
        assert!(matches!(outcome, Outcome::Trap(_)), "{}: {outcome:?}", compiled.name);
    }
}

#[test]
fn a_handle_that_was_never_made_is_a_trap() {
    let text = "import \"star:closure\";
        program TRY; var H: handle; G: table(1,1); b: boolean;
        begin
          if G(1,1)=1 then CONDENSE(1,G,H);
          b:=REACHES(H,1,1);
        end.";
    assert!(traps(text).contains("T0103"), "{}", traps(text));
}

#[test]
fn a_handle_is_only_passed_on() {
    let head = "import \"star:closure\"; procedure P(var H,K: handle; T: table); begin ";
    for (body, found) in [
        ("print(H)", "E0314"),
        ("H:=K", "E0314"),
        ("H:=T", "E0314"),
        ("if H=K then", "E0314"),
        ("print(ROW(1,H))", "E0301"),
        ("print(H(1,1))", "E0"),
        ("CONDENSE(1,H,K)", "E0314"),
        ("H.closure:=T", "E0314"),
        ("T:=H.closure", "E0314"),
        ("WARSHALL(1,H.closure)", "E0"),
        ("T.closure:=T", "E0301"),
        ("T:=L.closure", "E0201"),
        ("CONDENSE(1,T,T)", "E0301"),
        ("write(H,\"f\")", "E03"),
        ("CONDENSE(1,T,H)", ""),
    ] {
        let messages = messages(&check(&format!("{head}{body}; end;")));
        let errors: Vec<&String> = messages.iter().filter(|text| text.starts_with('E')).collect();
        match found {
            "" => assert!(errors.is_empty(), "{body}: {errors:?}"),
            _ => {
                assert!(errors.first().is_some_and(|e| e.starts_with(found)), "{body}: {errors:?}")
            }
        }
    }
    // Elsewhere it is a name like any other.
    assert_eq!(
        prints("program P; var handle: integer; begin handle:=3; print(handle); end."),
        "3\n"
    );
}
