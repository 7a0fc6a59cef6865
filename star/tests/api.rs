//! The interface of the crate: results, errors, limits, sessions.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use star::{Args, Bits, Code, Error, Kind, Limits, Machine, Program, Session, Table, Value, args};

const TEXT: &str = "
procedure HALVE(var n: integer; k: integer);
begin
  n := n + 1;
  print(\"n = \", n);
  n := n div k;
end;
function SUM(a, b: integer): integer; begin SUM := a + b end;
procedure PICK(T: table; X: slice(T); w: word; s: string; b: boolean; var Y: slice(T));
begin
  if b then print(s);
  MATCH(T, X, w, Y);
end;
procedure COUNT(var k: integer);
begin
  k := 0;
  while true do k := k + 1;
end;
procedure DEEP(n: integer); begin DEEP(n + 1) end;
";

fn program() -> Program {
    Program::parse(TEXT).expect("it has no errors")
}

fn fails(name: &str, args: Args) -> Error {
    match program().call(name, args) {
        Err(error) => error,
        Ok(out) => panic!("{out:?}"),
    }
}

#[test]
fn results_have_names_and_kinds() {
    let program = program();
    let out = program.call("HALVE", args![n = 9, k = 2]).unwrap();
    assert_eq!((out.int("n").unwrap(), out.printed()), (5, "n = 10\n"));
    assert_eq!(out["n"], Value::Int(5));
    assert_eq!(out.stats().output_bytes, 7);
    let out = program.call("SUM", args![b = 2, a = 40]).unwrap();
    assert_eq!(out.int("SUM").unwrap(), 42);
    assert!(matches!(out.int("n"), Err(Error::UnknownResult { name }) if name == "n"));
    assert!(matches!(out.table("SUM"), Err(Error::WrongKind { expected: Kind::Table, .. })));
    let table = Table::parse(&["01", "11", "01"]).unwrap();
    let given = args![T = table, X = Bits::parse("110").unwrap(), w = "01", s = "hi", b = true];
    let mut out = program.call("PICK", given).unwrap();
    assert_eq!(out.bits("Y").unwrap().to_string(), "100");
    assert_eq!(out.printed(), "hi\n");
    assert_eq!(out.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["Y"]);
    assert_eq!(out.take("Y").unwrap().to_string(), "100");
    assert_eq!(out["Y"], Value::Unset);
}

#[test]
fn arguments_that_do_not_fit_are_named() {
    let message = |name: &str, args: Args| fails(name, args).to_string();
    assert_eq!(message("HALF", args![]), "unknown routine `HALF`; did you mean `HALVE`?");
    assert_eq!(message("SUM", args![a = 1]), "`SUM` needs a value for `b`");
    assert_eq!(message("SUM", args![a = 1, c = 1]), "`SUM` has no parameter `c`");
    let wrong = message("SUM", args![a = true, b = 1]);
    assert_eq!(wrong, "`a`: expected an integer, found a boolean");
    let wrong = message("PICK", args![T = "01 2"]);
    assert_eq!(wrong, "`T`: expected a table, found a string");
    let params = program().parameters("HALVE").map(<[_]>::to_vec).unwrap();
    let shown: Vec<_> = params.iter().map(|it| (it.name.as_str(), it.kind, it.by_ref)).collect();
    assert_eq!(shown, [("n", Kind::Int, true), ("k", Kind::Int, false)]);
}

#[test]
fn traps_have_places_and_values() {
    let error = fails("HALVE", args![n = 7, k = 0]);
    let stopped = error.stopped().unwrap();
    assert_eq!(stopped.outputs["n"], Value::Int(8));
    assert_eq!(stopped.outputs.printed(), "n = 8\n");
    let diagnostics = error.diagnostics().unwrap();
    let place = diagnostics.place(&diagnostics.list()[0]);
    assert_eq!(place, Some(("program.star", 6, 8)));
    assert!(error.to_string().starts_with("program.star:6:8: error["), "{error}");
    fn is_send<T: Send + Sync + std::error::Error + 'static>(_: &T) {}
    is_send(&error);
}

#[test]
fn limits_and_flags_end_runs() {
    let program = program();
    let ends = |limits: Limits, name: &str, args: Args| {
        let error = program.run(name).unwrap().limits(limits).call(args).unwrap_err();
        error.stopped().unwrap_or_else(|| panic!("{error}")).code
    };
    let steps = Limits { steps: Some(100), ..Limits::default() };
    assert_eq!(ends(steps, "COUNT", args![]), Code::StepLimit);
    assert_eq!(ends(Limits::default(), "DEEP", args![n = 0]), Code::DepthLimit);
    let stop = AtomicBool::new(true);
    let ended = program.run("COUNT").unwrap().interrupt(&stop).call(args![]);
    assert_eq!(ended.unwrap_err().stopped().unwrap().code, Code::Interrupted);
    let ended = program.run("COUNT").unwrap().deadline(&stop).call(args![]);
    assert_eq!(ended.unwrap_err().stopped().unwrap().code, Code::TimeLimit);
    let memory = Limits { memory: Some(1000), ..Limits::default() };
    let error = program.run("PICK").unwrap().limits(memory).call(args![
        T = Table::zeros(1000, 10).unwrap(),
        X = Bits::zeros(1000),
        w = Bits::zeros(10),
        s = "",
        b = false
    ]);
    assert_eq!(error.unwrap_err().stopped().unwrap().code, Code::MemoryLimit);
}

#[test]
fn machines_agree() {
    let program = program();
    for machine in [Machine::cpu(), Machine::reference(), Machine::cpu().as_lowered()] {
        let mut run = program.run("HALVE").unwrap().on(&machine);
        for n in 0..3 {
            assert_eq!(run.call(args![n = n, k = 1]).unwrap()["n"], Value::Int(n + 1));
        }
    }
    assert!(Machine::find("abacus").is_err());
}

#[test]
fn overflow_traps_on_request() {
    let text = "procedure P(v, w: word; var u: word); begin u := ADD(v, w) end;";
    let program = Program::parse(text).unwrap();
    let given = || args![v = "11", w = "01"];
    assert_eq!(program.call("P", given()).unwrap()["u"].to_string(), "00");
    let error = program.trap_overflow().call("P", given()).unwrap_err();
    assert!(error.stopped().is_some(), "{error}");
}

#[test]
fn sessions_define_redefine_trap_and_continue() {
    let mut session = Session::new();
    let entered = session.enter("procedure INC(var n: integer); begin n := n + 1 end;").unwrap();
    assert_eq!(entered.defined, ["INC"]);
    session.enter("procedure TWICE(var n: integer); begin INC(n); INC(n) end;").unwrap();
    let entered = session.enter("k := 1; TWICE(k); print(k); k").unwrap();
    assert_eq!((entered.value, entered.printed.as_str()), (Some(Value::Int(3)), "3\n"));
    let redefined = "procedure INC(var n: integer; by: integer); begin n := n + by end;";
    assert_eq!(session.enter(redefined).unwrap().invalidated, ["TWICE"]);
    assert!(matches!(session.enter("TWICE(k)"), Err(Error::Invalid(_))));
    session.enter("var X: slice(3); T: table(2, 2);").unwrap();
    assert_eq!(session.value("X").unwrap(), Value::Unset);
    assert_eq!(session.value("T").unwrap().to_string(), "00\n00");
    session.set("X", "011").unwrap();
    assert!(matches!(session.set("X", 1), Err(Error::WrongKind { expected: Kind::Slice, .. })));
    session.set("Y", Bits::parse("110").unwrap()).unwrap();
    assert_eq!(session.enter("X and Y").unwrap().value.unwrap().to_string(), "010");
    let error = session.enter("k := 10; k := k div 0; k := 20").unwrap_err();
    assert!(error.to_string().contains("‹"), "{error}");
    assert_eq!(session.enter("k").unwrap().value, Some(Value::Int(10)));
    let names: Vec<_> = session.variables().map(|(name, _)| name.to_owned()).collect();
    assert_eq!(names, ["T", "X", "Y", "k"]);
    assert!(session.value("z").is_err());
    session.limit(Limits { steps: Some(50), ..Limits::default() });
    let error = session.enter("while true do k := k + 1").unwrap_err();
    assert_eq!(error.stopped().unwrap().code, Code::StepLimit);
    session.limit(Limits::default());
    session.interrupt(Arc::new(AtomicBool::new(true)));
    let error = session.enter("while true do k := k + 1").unwrap_err();
    assert_eq!(error.stopped().unwrap().code, Code::Interrupted);
}

#[cfg(feature = "render")]
#[test]
fn messages_show_the_source() {
    let error = Program::parse("procedure P(var n: integer); begin n := m end;").err().unwrap();
    let rendered = error.diagnostics().unwrap().render();
    assert!(rendered.contains("n := m"), "{rendered}");
}

#[cfg(feature = "files")]
#[test]
fn graphs_and_programs_come_from_files() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("files");
    std::fs::create_dir_all(&folder).unwrap();
    let graph = folder.join("path.gr");
    std::fs::write(&graph, "p sp 3 2\na 1 2 1\na 2 3 1\n").unwrap();
    let graph = graph.display().to_string();
    let path = folder.join("main.star");
    let part = "procedure CLOSE(n: integer; var P: table); begin WARSHALL(n, P) end;";
    std::fs::write(folder.join("part.star"), format!("import \"star:closure\";\n{part}")).unwrap();
    let all = "procedure ALL(n: integer; var P: table); begin CLOSE(n, P) end;";
    std::fs::write(&path, format!("import \"part.star\";\n{all}")).unwrap();
    let program = Program::open(&path).unwrap_or_else(|error| panic!("{error}"));
    let out = program.call("ALL", Args::new().graph(&graph).unwrap());
    let out = out.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(out.table("P").unwrap().to_rows(), ["011", "001", "000"]);
    let file = format!("P=adjacency:{graph}");
    let out = program.call("ALL", args![n = 3].text(&file)).unwrap();
    assert_eq!(out.table("P").unwrap().to_rows(), ["011", "001", "000"]);
    assert!(matches!(Args::new().graph("no such file"), Err(Error::Refused(_))));
    std::fs::write(&path, "import \"../outside.star\";").unwrap();
    assert!(matches!(Program::open(&path), Err(Error::Invalid(_))));
    // A device has no end.
    #[cfg(unix)]
    assert!(matches!(Program::open("/dev/zero"), Err(Error::Invalid(_))));
}
