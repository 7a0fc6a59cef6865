//! Intrinsics of module `closure`, and the state in their handles.

use star_base::intrinsics::catalogue::closure::{CLOSURE, CLOSURE_PART};
use star_compiler::LowerOptions;
use star_ir::LimitKind;
use star_tests::backends::{Machine, Mode, WITH_INTRINSICS, backends};
use star_tests::case::{Random, prints, traps};
use star_tests::differ::difference;
use star_tests::run::{LIMITS, Program};
use star_tests::{check, compile_with, messages};
use star_value::{BitTable, Value};
use star_vm::{Limits, Outcome};

use super::arguments::table;
use super::memory::memory_runs_out_no_earlier;
use super::subject::{caller, with_probes};

/// Returns the backends that have intrinsics.
fn machines_with_intrinsics() -> Vec<Machine> {
    let mut machines = backends();
    machines.retain(|machine| WITH_INTRINSICS.contains(&machine.name));
    machines
}

#[test]
fn a_routine_of_the_same_name_does_not_get_the_intrinsic() {
    let text = "import \"star:closure\";
        procedure WARSHALL(n: integer; var P: table); begin P(1,1):=n; end;
        procedure TRY(var P: table); begin WARSHALL(1,P); end;";
    let program = Program::new(text);
    let intrinsics =
        program.lowered.program.routines.iter().filter_map(|routine| routine.intrinsic);
    assert_eq!(intrinsics.count(), 0);
}

#[test]
fn without_memory_for_an_intrinsic_the_star_body_runs() {
    let program = Program::new(&caller(CLOSURE, "WARSHALL"));
    let mut random = Random::new(1);
    let args = [Value::Int(64), Value::from(table(64, 64, &mut random))];
    let entry = program.entry("TRY");
    // The table, and a few lines.
    let tight = Limits { memory: Some(64 * 8 + 100), ..LIMITS };
    for compiled in program.compile_on(&machines_with_intrinsics()) {
        let [wide, tight] = [LIMITS, tight].map(|limits| compiled.run(entry, &args, limits));
        assert_eq!((wide.stats.intrinsics, tight.stats.intrinsics), (1, 0), "{}", compiled.name);
        assert_eq!(difference(&program, &tight, &wide, Mode::AsLowered), None);
        assert!(wide.stats.operations < tight.stats.operations);
    }
}

#[test]
fn a_table_without_changes_is_not_copied() {
    let text = "import \"star:closure\";
        procedure TRY(n: integer; G: table; var P: table); begin P:=G; WARSHALL(n,P); end;";
    let program = Program::new(text);
    let entry = program.entry("TRY");
    let n = 1024;
    let mut one = BitTable::zeros(n, n).expect("memory");
    let mut chain = one.clone();
    (1..n).for_each(|vertex| chain.put(vertex - 1, vertex, true));
    let mut closed = one.clone();
    (0..n).for_each(|vertex| (0..vertex).for_each(|to| closed.put(vertex, to, true)));
    one.put(n - 2, n - 1, true);
    // The table, and half as much: enough for the intrinsic, but not for a second table.
    let tight = Limits { memory: Some(one.n_bytes() / 2 * 3), ..LIMITS };
    let least = Limits { memory: Some(one.n_bytes()), ..LIMITS };
    for compiled in program.compile_on(&machines_with_intrinsics()) {
        let run = |n: usize, graph: &BitTable, limits| {
            let args = [Value::Int(n as i64), Value::from(graph.clone()), Value::Unset];
            let run = compiled.run(entry, &args, limits);
            (run.outcome.clone(), run.stats.intrinsics, run.values.get(2).cloned())
        };
        for (n, graph, limits) in
            [(n, &closed, tight), (n - 2, &one, tight), (n, &one, tight), (0, &chain, least)]
        {
            let expected = (Outcome::Done, 1, Some(Value::from(graph.clone())));
            assert_eq!(run(n, graph, limits), expected, "{}, n={n}", compiled.name);
        }
        let (outcome, intrinsics, _) = run(n, &chain, tight);
        assert!(
            matches!(outcome, Outcome::Limit { kind: LimitKind::Memory { .. }, .. }),
            "{outcome:?}"
        );
        assert_eq!(intrinsics, 0);
    }
}

#[test]
fn a_handle_keeps_the_value_it_was_created_from() {
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
fn a_kept_state_becomes_its_table_even_with_little_memory() {
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
    // The graph, its closure, and the memory for computing it: enough for a state, but not for its
    // table in addition.
    let limits = Limits { memory: Some(2 * chain.n_bytes() + 30 * n as u64 + 4096), ..LIMITS };
    let args = [Value::Int(n as i64), Value::from(chain)];
    for compiled in program.compile_on(&machines_with_intrinsics()) {
        let outcome = compiled.run(entry, &args, limits).outcome;
        assert!(matches!(outcome, Outcome::Trap(_)), "{}: {outcome:?}", compiled.name);
    }
}

#[test]
fn memory_runs_out_no_earlier_than_without_intrinsics() {
    // PROBE0 returns the closure in the handle.
    let text = "import \"star:closure\";
        procedure TRY(n: integer; G: table; var X: slice; var P: table; var b: boolean);
        var H: handle;
        begin
          CONDENSE(n,G,H); b:=REACHES(H,1,n); REACHABLE(H,n,X);
          PROBE0(H,P); P(1,1):=0; WARSHALL(n,P); b:=REACHES(H,n,1);
        end;";
    let library = with_probes("closure", &[CLOSURE_PART.to_owned()]);
    let files = [("test.star", text)];
    let (compilation, lowered) = compile_with(&files, &LowerOptions::default(), &library);
    let mut program = Program::of(compilation, lowered);
    let entry = program.entry("TRY");
    let with_intrinsics = program.compile_on(&machines_with_intrinsics());
    for routine in program.lowered.program.routines_mut() {
        routine.intrinsic = None;
    }
    // Only the default CPU backend is relevant.
    let cpu = machines_with_intrinsics().into_iter().find(|machine| machine.name == "cpu");
    let Some(cpu) = cpu else { return };
    let plain = program.compile_on(&[cpu]);
    let n = 100;
    let mut cycle = BitTable::zeros(n, n).expect("memory");
    (0..n).for_each(|vertex| cycle.put(vertex, (vertex + 1) % n, true));
    let mut chain = cycle.clone();
    chain.put(n - 1, 0, false);
    for graph in [cycle, chain] {
        let unset = Value::Unset;
        let args = [Value::Int(n as i64), Value::from(graph), unset.clone(), unset.clone(), unset];
        let [least, most] = memory_runs_out_no_earlier(&plain[0], &with_intrinsics, entry, &args);
        assert!(least < most && most >= 4, "{least}, {most}");
    }
}

#[test]
fn an_uninitialised_handle_traps() {
    let text = "import \"star:closure\";
        program TRY; var H: handle; G: table(1,1); b: boolean;
        begin
          if G(1,1)=1 then CONDENSE(1,G,H);
          b:=REACHES(H,1,1);
        end.";
    assert!(traps(text).contains("T0103"), "{}", traps(text));
}

#[test]
fn a_handle_can_only_be_passed_on() {
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
        ("T.closure:=T", "E0315"),
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
    // Elsewhere it is an ordinary name.
    assert_eq!(
        prints("program P; var handle: integer; begin handle:=3; print(handle); end."),
        "3\n"
    );
}
