//! Reuse of the work of earlier lines.

use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use star::Machine;
use star_ir::RoutineId;
use star_os::access::Grants;
use star_os::limits::LimitArgs;
use star_os::report::{ErrorFormat, Reporter};
use star_value::{BitTable, Value};
use star_vm::{CompileOptions, Control, Limits, Outcome, Stats};

use crate::event::{Event, Sink};
use crate::session::{Flow, Session, Settings, Work};
use crate::step::tests::NoHost;
use star::pipeline::{Job, Values};

/// Collects the output.
#[derive(Default)]
struct Printed(String);

impl Sink for Printed {
    fn show(&mut self, event: Event<'_>) -> bool {
        match event {
            Event::Printed(line) => self.0 += line,
            Event::Message(_, message) => self.0 += &format!("{}\n", message.message),
            Event::Answer(text) if text.contains("peak of values") => self.0 += text,
            Event::Value { .. } | Event::Note(_) | Event::Answer(_) | Event::Picture(_) => {}
        }
        true
    }

    fn width(&self) -> usize {
        80
    }
}

fn session(checked: bool) -> Session {
    let machine = Machine::find("cpu").unwrap();
    let limits = LimitArgs::default();
    let settings = Settings { limits, memory: 1 << 30, checked, ..Settings::default() };
    Session::new(machine, settings, Reporter::new(ErrorFormat::Text), Grants::default()).unwrap()
}

/// Returns the output of a line, and the numbers of routines lowered, optimised and compiled for
/// it.
fn line(session: &mut Session, text: &str) -> (String, [usize; 3]) {
    let Work { lowered, optimised, compiled } = session.work();
    let mut sink = Printed::default();
    assert_ne!(session.block(text, &mut sink), Flow::Quit);
    let now = session.work();
    (sink.0, [now.lowered - lowered, now.optimised - optimised, now.compiled - compiled])
}

const TWICE: &str = "procedure TWICE(n: integer; var m: integer);\nbegin ONCE(n,m); ONCE(m,m) end;";

fn once(body: &str) -> String {
    format!("procedure ONCE(n: integer; var m: integer);\nbegin {body} end;")
}

#[test]
fn a_line_processes_only_its_own_routine() {
    for checked in [false, true] {
        let mut session = session(checked);
        line(&mut session, "import \"star:paths\"; x := 1; COL(1,T) := CONVERT('1')");
        line(&mut session, "MIN(T, COL(1,T), w)");
        let (_, first) = line(&mut session, "FLOYD(1, 1, '1', T)");
        assert!(first.iter().all(|made| *made > 1), "{first:?}");
        assert_eq!(line(&mut session, "FLOYD(1, 1, '1', T)").1, [1, 1, 1]);
        // Two lines with the same text, and a value between them.
        assert_eq!(line(&mut session, "FLOYD(1, 1, '1', T); x + 1").1[0], 2);
        assert_eq!(line(&mut session, "FLOYD(1, 1, '1', T)").1, [1, 1, 1]);
    }
}

#[test]
fn redefinition_affects_only_the_callers() {
    let mut session = session(false);
    line(&mut session, &once("m := n + 1"));
    line(&mut session, TWICE);
    line(&mut session, "procedure APART(var m: integer);\nbegin m := 7 end;");
    line(&mut session, "x := 0; y := 0");
    assert_eq!(line(&mut session, "TWICE(1, x); APART(y); print(x); print(y)").0, "3\n7\n");
    // Lowered at its definition, together with its caller.
    let (said, made) = line(&mut session, &once("m := n * 10"));
    assert_eq!((said.as_str(), made), ("", [2, 0, 0]));
    let (said, made) = line(&mut session, "TWICE(1, x); APART(y); print(x); print(y)");
    assert_eq!((said.as_str(), made), ("100\n7\n", [1, 3, 3]));
    // With another parameter, the caller no longer matches; the rest is unchanged.
    line(&mut session, "procedure ONCE(var m: integer);\nbegin m := 5 end;");
    let (said, made) = line(&mut session, "TWICE(1, x)");
    assert!(!said.is_empty());
    assert_eq!(made, [0, 0, 0]);
    // The new definition was lowered when it was read; its caller has no code.
    assert_eq!(line(&mut session, "APART(y); print(y)"), ("7\n".to_owned(), [1, 3, 3]));
    assert_eq!(line(&mut session, "APART(y); print(y)"), ("7\n".to_owned(), [1, 1, 1]));
    line(&mut session, &once("m := n"));
    assert_eq!(line(&mut session, "TWICE(4, x); print(x)").0, "4\n");
}

#[test]
fn changed_constants_and_new_imports_take_effect() {
    let mut session = session(false);
    line(&mut session, "const N = 3;");
    line(&mut session, "procedure SHOW;\nbegin print(N) end;");
    assert_eq!(line(&mut session, "SHOW").0, "3\n");
    line(&mut session, "const N = 4;");
    assert_eq!(line(&mut session, "SHOW").0, "4\n");
    // All routines of the session are renumbered.
    line(&mut session, "import \"star:closure\"");
    assert_eq!(line(&mut session, "SHOW").0, "4\n");
    assert_eq!(line(&mut session, "SHOW").1, [1, 1, 1]);
}

#[test]
fn redefinitions_do_not_accumulate() {
    let mut session = session(false);
    line(&mut session, TWICE.replace("TWICE", "ONCE").as_str());
    for n in 0..40 {
        line(&mut session, &once(&format!("m := n + {n}")));
        line(&mut session, TWICE);
        let (said, _) = line(&mut session, "TWICE(1, x); print(x)");
        assert_eq!(said, format!("{}\n", 1 + 2 * n));
    }
}

/// Reads the rows of its table one after another and puts it back.
const LOOKS: &str = r#"routine 0 "LOOKS" (ref %T, ref %v) !0 {
  var %T.rows: int
  var %T.columns: int
  var %T: table[%T.rows, %T.columns] as "T"
  var %v: word[%T.columns] sized as "v"
  var %i: int as "i"
  var %n: int
  check set %T !0
  %n = rows %T !0
  for @0 %i = 1 to %n !0 {
    %v = row %T, %i !0
    put_row %T, %i, %v !0
  }
}
"#;

#[test]
fn tables_accessed_by_rows_are_row_major_before_the_run() {
    let backend = Machine::find("cpu").unwrap().backend;
    let table = BitTable::zeros(1024, 1024).unwrap();
    let memory = Some(table.n_bytes() * 3 / 2);
    let limits = Limits { steps: None, memory, output: None, depth: 100 };
    let flag = AtomicBool::new(false);
    let mut nobody = NoHost;
    let mut control = Control {
        interrupt: &flag,
        deadline: &flag,
        limits,
        host: &mut nobody,
        profile: None,
        stats: Stats::default(),
    };
    let program = star_ir::parse(LOOKS).unwrap();
    let options = CompileOptions::default();

    let mut values = Values::new(Rc::clone(&backend));
    values.load("T", Value::from(table.clone()), false).unwrap();
    let slots = ["T".to_owned(), "v".to_owned()];
    let entry = RoutineId(0);
    let job = Job { program: program.clone(), entry, slots: &slots, options };
    assert!(matches!(values.run(job, &mut control).unwrap(), Outcome::Done));
    assert_eq!(control.stats.counters.homes_changed, 0);

    // Without this, the run itself transposes the table.
    let code = backend.compile(program, &options, None).unwrap().code;
    let plan = backend.plan(&code, entry, &[None, None]).unwrap();
    let load = |value| backend.load(value, false).unwrap();
    let mut values = [load(Value::from(table)), load(Value::Unset)];
    assert!(matches!(backend.run(&plan, &mut values, &mut control), Outcome::Done));
    assert_eq!(control.stats.counters.homes_changed, 1);
}

#[test]
fn timed_runs_begin_with_the_same_values_and_show_their_output_once() {
    let mut session = session(false);
    line(&mut session, "x := 1; COL(1,T) := CONVERT('01')");
    let (said, _) = line(&mut session, ":time 20 x := x + 1; COL(x,T) := COL(1,T); print(x)");
    let (printed, summary) = said.split_once('\n').unwrap();
    assert_eq!(printed, "2");
    assert!(summary.starts_with("20 runs: median ") && summary.contains(", minimum "), "{said}");
    assert_eq!(line(&mut session, "print(x)").0, "2\n");
    let (said, _) = line(&mut session, ":time x := x + 1");
    assert!(said.starts_with("time ") && said.contains(", peak of values "), "{said}");
    assert_eq!(line(&mut session, "print(x)").0, "3\n");
    // All runs together are one entry, and entries that only print are skipped.
    line(&mut session, ":undo");
    line(&mut session, ":undo");
    assert_eq!(line(&mut session, "print(x)").0, "1\n");
}

#[test]
fn entries_whose_copies_exceed_the_memory_cannot_be_undone() {
    let machine = Machine::find("cpu").unwrap();
    let settings = Settings { memory: 1 << 20, ..Settings::default() };
    let reporter = Reporter::new(ErrorFormat::Text);
    let mut session = Session::new(machine, settings, reporter, Grants::default()).unwrap();
    line(&mut session, "var T: table(4096, 512)");
    line(&mut session, "x := 1");
    line(&mut session, "x := 2; T(1,1) := '1'");
    assert_eq!(line(&mut session, ":undo").0, "`x := 2; T(1,1) := '1'` cannot be undone\n");
    assert_eq!(line(&mut session, "print(x)").0, "2\n");
    line(&mut session, "x := 3");
    line(&mut session, ":undo");
    assert_eq!(line(&mut session, "print(x)").0, "2\n");
    // An entry that only reads the table needs no copy of it.
    line(&mut session, "x := 5; COL(2,T); print(NUMB(ROW(1,T)))");
    assert_eq!(line(&mut session, ":undo").0, "");
    assert_eq!(line(&mut session, "print(x)").0, "2\n");
    // Copies of several entries: only the last ones are kept.
    line(&mut session, "var X: slice(300000)");
    for _ in 0..9 {
        line(&mut session, "SET(X)");
    }
    let undone = (0..9).take_while(|_| line(&mut session, ":undo").0.is_empty()).count();
    assert!((1..9).contains(&undone), "{undone}");
}
