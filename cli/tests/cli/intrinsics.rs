//! Intrinsics of library routines, and handles on the command line.

use crate::support::Folder;

/// The closure of a path of three vertices, and one query.
const CLOSE: &str = "\
import \"star:closure\";
program CLOSE;
var P: table(3,3); H: handle;
begin
  P(1,2) := 1; P(2,3) := 1;
  CONDENSE(3,P,H);
  WARSHALL(3,P);
  print(P);
  print(REACHES(H,1,3), REACHES(H,3,1))
end.
";

const CLOSED: &str = "011\n001\n000\ntruefalse\n";

#[test]
fn results_are_the_same_with_and_without_intrinsics() {
    let folder = Folder::new(&[("c.star", CLOSE)]);
    for options in [
        &[][..],
        &["--no-intrinsics"],
        &["--no-natives"],
        &["--backend", "reference"],
        &["--max-steps", "1000"],
    ] {
        let arguments: Vec<&str> = ["run", "c.star"].iter().chain(options).copied().collect();
        folder.star(&arguments).prints(CLOSED);
    }
}

#[test]
fn counting_operations_disables_natives() {
    let folder = Folder::new(&[("c.star", CLOSE)]);
    let count = |options: &[&str]| {
        let arguments: Vec<&str> =
            ["run", "c.star", "--cost"].iter().chain(options).copied().collect();
        let ran = folder.star(&arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (0, CLOSED));
        ran.stderr
    };
    let counted = |options: &[&str]| {
        let text = count(options);
        let line = text.lines().find_map(|line| line.strip_prefix("elementary operations"));
        line.map(|number| number.trim().to_owned())
    };
    // Two bits set, two closures of 3*3 + 5*3 operations, two bits queried.
    for options in [&[][..], &["--backend", "reference"]] {
        assert_eq!(counted(options).as_deref(), Some("52"), "{options:?}");
    }
    // A limit that the closures alone exceed.
    folder.star(&["run", "c.star", "--max-steps", "20"]).fails(4, &["L0101"]);
}

#[test]
fn call_depth_limits_count_calls_in_bodies() {
    let folder = Folder::new(&[("c.star", CLOSE)]);
    // CONDENSE calls WARSHALL.
    for options in [&[][..], &["--no-intrinsics"], &["--backend", "reference"]] {
        let run = |depth: &str| {
            let limit = ["run", "c.star", "--max-depth", depth];
            let arguments: Vec<&str> = limit.iter().chain(options).copied().collect();
            folder.star(&arguments)
        };
        run("1").fails(4, &["error[L0105]"]);
        run("2").prints(CLOSED);
    }
}

#[test]
fn library_routines_run_by_name() {
    let folder = Folder::new(&[("g.gr", "p sp 3 2\na 1 2 1\na 2 3 1\n")]);
    let arguments = ["run", "star:closure", "--proc", "WARSHALL", "--graph", "g.gr"];
    let intrinsic = folder.star(&arguments);
    let written = folder.star(&[&arguments[..], &["--no-intrinsics"]].concat());
    assert_eq!((intrinsic.code, &intrinsic.stdout), (0, &written.stdout), "{intrinsic:#?}");
    assert!(intrinsic.stdout.contains("011"), "{intrinsic:#?}");
    folder
        .star(&["run", "star:closer"])
        .fails(1, &["error[E0204]", "did you mean `star:closure`?"]);
}

#[test]
fn doctor_lists_the_intrinsics_of_each_backend() {
    let folder = Folder::new(&[]);
    let ran = folder.star(&["doctor"]);
    assert!(
        ran.stdout.contains("WARSHALL, WARSHALL-C, WARSHALL-adapt of star:closure"),
        "{}",
        ran.stdout
    );
    let json: serde_json::Value =
        serde_json::from_str(&folder.star(&["doctor", "--json"]).stdout).unwrap();
    let intrinsics = |name: &str| {
        let mut backends = json["backends"].as_array().unwrap().iter();
        backends.find(|backend| backend["name"] == name).unwrap()["intrinsics"].clone()
    };
    assert!(
        intrinsics("cpu")
            .as_array()
            .unwrap()
            .iter()
            .any(|intrinsic| intrinsic["name"] == "closure")
    );
    assert_eq!(intrinsics("reference"), serde_json::json!([]));
}

#[test]
fn handles_cannot_be_given_on_the_command_line() {
    let folder = Folder::new(&[(
        "h.star",
        "import \"star:closure\";\nprocedure P(H: handle);\nbegin\n  print(REACHES(H,1,1))\nend;",
    )]);
    let why = "can only be created inside a program";
    folder.star(&["run", "h.star"]).fails(2, &["`H`", why]);
    folder.star(&["run", "h.star", "H=x.mtx"]).fails(2, &["`H`", why]);
}

#[test]
fn explain_reports_table_layouts_and_natives() {
    let folder = Folder::new(&[]);
    let reach = ["run", "star:reach", "--proc", "BFS", "s=1", "G='010 001 000'", "--explain"];
    let ran = folder.star(&reach);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("table `BFS`: `G` by rows: "), "{}", ran.stderr);
    assert!(ran.stderr.contains("\nthreads: "), "{}", ran.stderr);
    let closure = ["run", "star:closure", "--proc", "WARSHALL", "n=2", "P='01 10'", "--explain"];
    let ran = folder.star(&closure);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("intrinsic `WARSHALL`: "), "{}", ran.stderr);
    let ran = folder.star(&[&closure[..], &["--no-intrinsics"]].concat());
    assert!(
        ran.stderr.contains("intrinsic `WARSHALL`: as written: intrinsics are off"),
        "{}",
        ran.stderr
    );
}

#[test]
fn explain_reports_loop_transformations_and_obstacles() {
    let text = "procedure F(var P: table; var c: integer);
var X: slice(P); w: word(P); i,k: integer;
begin
  for k:=1 to rows(P) do
  begin
    X:=COL(k,P);
    w:=ROW(k,P);
    while SOME(X) do
    begin
      i:=STEP(X);
      ROW(i,P):=ROW(i,P) or w;
    end;
    X:=COL(1,P);
    while SOME(X) do
    begin
      i:=STEP(X);
      c:=NUMB(X);
    end;
  end;
end;
";
    let folder = Folder::new(&[("f.star", text)]);
    let ran = folder.star(&["run", "f.star", "P='01 10'", "c=0", "--explain-plan"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for line in [
        "loop `F` (f.star:4): as written: ",
        "loop `F` (f.star:8): foreach, then forall, then a kernel over the rows of `P`; many lines \
         at a time\n",
        "loop `F` (f.star:14): as written: its body reads `X`",
    ] {
        assert!(ran.stderr.contains(line), "{line}: {}", ran.stderr);
    }
    // The same as notes at the loops, without a run.
    let checked = folder.star(&["check", "--plan", "f.star"]);
    assert_eq!(checked.code, 0, "{}", checked.stderr);
    for part in [
        "note[N0101]: this loop of `F`: foreach, then forall",
        "note[N0101]: this loop of `F`: as written: its body reads `X`",
    ] {
        assert!(checked.stderr.contains(part), "{part}: {}", checked.stderr);
    }
    let checked = folder.star(&["check", "--plan", "--no-pass", "lift", "f.star"]);
    let part = "note[N0101]: this loop of `F`: foreach\n";
    assert!(checked.stderr.contains(part), "{}", checked.stderr);
    assert_eq!(folder.star(&["check", "f.star"]).stderr, "ok, 1 file\n");
}

/// The distance from the first vertex of a graph to the second.
const DISTANCE: &str = "\
import \"star:paths\";
procedure DISTANCE(n,h: integer; inf: word(h); D: table(n,n*h));
var w: word;
begin
  FLOYD(n,h,inf,D);
  w := ROW(1,D); w := TRIM(h+1,2*h,w);
  print(INT(w))
end;
";

#[test]
fn auto_selects_a_suitable_backend_and_states_the_reason() {
    let graph = |n: usize| format!("p sp {n} 1\na 1 2 3\n");
    let (few, many) = (graph(20), graph(300));
    let folder = Folder::new(&[
        ("c.star", CLOSE),
        ("d.star", DISTANCE),
        ("few.gr", few.as_str()),
        ("many.gr", many.as_str()),
    ]);
    let ran = folder.star(&["run", "c.star", "--backend", "auto"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, CLOSED), "{}", ran.stderr);
    assert!(ran.stderr.contains("backend cpu: "), "{}", ran.stderr);
    let ran = folder.star(&["run", "c.star", "--backend", "auto", "--cost"]);
    assert!(ran.stderr.contains("backend cpu: steps"), "{}", ran.stderr);
    // The CPU has an intrinsic, too: a GPU is faster only with more vertices.
    let why = if cfg!(feature = "gpu") { "is faster on a card" } else { "" };
    for (graph, found) in [("few.gr", "backend cpu: "), ("many.gr", why)] {
        let ran = folder.star(&["run", "d.star", "--backend", "auto", "--graph", graph]);
        assert_eq!((ran.code, ran.stdout.as_str()), (0, "3\n"), "{graph}: {}", ran.stderr);
        assert!(ran.stderr.contains(found), "{graph}: {}", ran.stderr);
    }
}
