//! Every limit on the default backend, exceeded and just met.

use crate::support::{ENDLESS, Folder, PATH, WARSHALL};

const PROGRAM: &str = "\
procedure P(T: table; var R: table);
var F: table; i: integer;
begin
  F := T; COL(1,F) := not COL(2,T);
  for i := 1 to size(T) do begin ROW(i,F) := ROW(1,T); print(i) end;
  R := F
end;
procedure DEEP(n: integer); begin if n > 0 then DEEP(n - 1) end;
";

/// The numbers of `--cost`: steps, peak bytes while loading and running, bytes printed.
fn cost(folder: &Folder, arguments: &[&str]) -> [u64; 4] {
    let mut arguments = arguments.to_vec();
    arguments.push("--cost");
    let ran = folder.star(&arguments);
    assert_eq!(ran.code, 0, "{ran:?}");
    ["steps", "peak bytes of loading", "peak bytes of values", "bytes printed"].map(|what| {
        let line = ran.stderr.lines().find(|line| line.starts_with(what));
        let number = line.and_then(|line| line.rsplit(' ').next()).unwrap();
        number.parse().unwrap()
    })
}

fn bounded(folder: &Folder, arguments: &[&str], limit: &str, bound: u64) -> crate::support::Ran {
    let bound = bound.to_string();
    let mut arguments = arguments.to_vec();
    arguments.extend([limit, &bound]);
    folder.star(&arguments)
}

#[test]
fn advice_on_memory_is_given_once() {
    let folder = Folder::new(&[("w.star", WARSHALL)]);
    folder.write("a.mtx", b"%%MatrixMarket matrix coordinate pattern general\n9999 9999 0\n");
    for values in ["P=gen gnp -n 1000 -p 0.5", "P=a.mtx"] {
        let ran = folder.star(&["run", "w.star", "n=9", values, "--max-memory", "1K"]);
        ran.fails(4, &["E0511"]);
        assert_eq!(ran.stderr.matches("`--max-memory` sets the budget").count(), 1, "{ran:?}");
    }
}

#[test]
fn runs_succeed_exactly_at_their_limits() {
    let table =
        format!("{}3 3 2\n1 2\n2 3\n", "%%MatrixMarket matrix coordinate pattern general\n");
    let folder = Folder::new(&[("w.star", WARSHALL), ("p.star", PROGRAM), ("t.mtx", &table)]);
    let runs: [&[&str]; 2] =
        [&["run", "w.star", "n=3", "P=t.mtx"], &["run", "p.star", "--proc", "P", "T=t.mtx"]];
    for arguments in runs {
        let well = folder.star(arguments);
        let [steps, loading, peak, printed] = cost(&folder, arguments);
        assert!(loading <= peak, "{loading} {peak}");
        for (limit, need, code) in [
            ("--max-steps", steps, "L0101"),
            ("--max-memory", peak, "L0102"),
            ("--max-output", printed, "L0104"),
        ] {
            let enough = bounded(&folder, arguments, limit, need);
            assert_eq!(enough.stdout, well.stdout, "{limit} {need}: {enough:?}");
            assert_eq!(enough.code, 0, "{limit} {need}: {enough:?}");
            if need > 0 {
                // Passes may reduce the memory; with a limit on steps, the program is not
                // optimised.
                let all_steps = format!("--max-steps={steps}");
                let as_lowered: &[&str] = match limit {
                    "--max-steps" => &[],
                    _ => &[&all_steps],
                };
                let arguments = [arguments, as_lowered].concat();
                let less = bounded(&folder, &arguments, limit, need - 1);
                less.fails(4, &[&format!("error[{code}]")]);
            }
        }
    }
}

/// Reading edges from a file uses more memory than the table itself.
#[test]
fn loading_succeeds_exactly_at_its_limit() {
    let (n_arcs, n) = (100_000, 500);
    let edges: String = (0..n_arcs).map(|i| format!("{} {}\n", i % n, (i / n) * 7 % n)).collect();
    let numbers: String = (0..n_arcs).map(|i| format!("{},{}\n", i % n, i / n)).collect();
    let program = "procedure P(T: table); begin print(rows(T)) end;";
    let files = [("p.star", program), ("e.txt", &edges), ("l.csv", &numbers)];
    let folder = Folder::new(&files);
    let made = format!("T=gen gnm -n {n} -m {n_arcs}");
    for argument in ["T=e.txt", "T=weights-out:e.txt", "T=l.csv", &made] {
        let arguments = ["run", "p.star", argument];
        let well = folder.star(&arguments);
        let [_, loading, peak, _] = cost(&folder, &arguments);
        assert!(loading > peak, "{argument}: {loading} {peak}");
        let enough = bounded(&folder, &arguments, "--max-memory", loading);
        assert_eq!((enough.code, &enough.stdout), (0, &well.stdout), "{argument}: {enough:?}");
        let less = bounded(&folder, &arguments, "--max-memory", loading - 1);
        less.fails(4, &["error[E0511]"]);
    }
    let less = bounded(&folder, &["run", "p.star", "T=e.txt"], "--max-memory", 6_399_999);
    less.fails(4, &["6400000 bytes of memory are needed, but the budget is 6399999"]);
}

#[test]
fn calls_may_reach_the_maximum_depth() {
    let folder = Folder::new(&[("p.star", PROGRAM)]);
    let deep = |n: u64| ["run".to_owned(), "p.star".to_owned(), format!("n={n}")];
    for n in [0, 1, 10, 9_999, 300_000] {
        let arguments = deep(n);
        let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        arguments.extend(["--proc", "DEEP"]);
        bounded(&folder, &arguments, "--max-depth", n).prints("");
        if n > 0 {
            let less = bounded(&folder, &arguments, "--max-depth", n - 1);
            less.fails(4, &["error[L0105]"]);
        }
    }
}

#[test]
fn time_limits_do_not_affect_runs_that_end_in_time() {
    let folder = Folder::new(&[("p.star", PROGRAM)]);
    let quick = ["run", "p.star", "--proc", "DEEP", "n=10", "--max-time", "1h"];
    folder.star(&quick).prints("");
    let endless =
        "program E; var X: slice(100000); begin SET(X); while SOME(X) do X := not not X end.";
    folder.write("e.star", endless.as_bytes());
    folder.star(&["run", "e.star", "--max-time", "30ms"]).fails(4, &["error[L0103]"]);
}

#[test]
fn a_time_limit_of_zero_is_refused() {
    let folder = Folder::new(&[("e.star", ENDLESS), ("g.gr", PATH)]);
    for command in ["check e.star", "run e.star", "view g.gr", "bench --quick", "repl"] {
        let words: Vec<&str> = command.split(' ').chain(["--max-time", "0s"]).collect();
        folder.star(&words).fails(2, &["a time limit must be greater than 0"]);
    }
    let session = folder.star_with_input(&["repl"], ":limits time=0\n");
    session.fails(2, &["a time limit must be greater than 0"]);
}

#[test]
fn memory_limits_have_one_exit_code() {
    let read = "program P; var T: table; begin read(T,\"e.gr\",\"adjacency\"); print(rows(T)) end.";
    let folder = Folder::new(&[
        ("p.star", read),
        ("w.star", WARSHALL),
        ("e.gr", "p sp 9000 1\na 1 2 3\n"),
        ("u.csv", "t,id,x,y\n1,1,2,3\n"),
        (
            "b.star",
            &format!("/* @bench of it\n   run WARSHALL\n   n = 3\n   P = e.gr */\n{WARSHALL}"),
        ),
    ]);
    for line in [
        "run w.star n=3 P=e.gr --max-memory 1",
        "run p.star --max-memory 1000",
        "view e.gr --out v.svg --max-memory 1",
        "moving u.csv --max-memory 1",
        "gen gnp -n 100000 -p 1 -o f.gr --max-memory 1M",
        "bench b.star --quick --max-memory 1",
    ] {
        let ran = folder.star(&line.split(' ').collect::<Vec<_>>());
        assert_eq!(ran.code, 4, "{line}: {ran:?}");
    }
    let ran = folder.star(&["run", "p.star", "--max-memory", "1000"]);
    ran.fails(4, &["error[L0102]", "[E0511]"]);
}

#[test]
fn small_sizes_are_shown_in_bytes() {
    let folder = Folder::new(&[("u.csv", "t,id,x,y\n1,1,2,3\n")]);
    let ran = folder.star(&["moving", "u.csv", "--max-memory", "1"]);
    ran.fails(4, &["but the budget is 1 byte\n"]);
    assert!(!ran.stderr.contains("0.0 MiB"), "{ran:?}");
    let ran = folder.star_with_input(&["repl"], ":limits memory=1K\n");
    assert!(ran.stdout.contains("memory  1.0 KiB\n"), "{ran:?}");
}

#[test]
fn the_time_limit_covers_the_writing_of_results() {
    let program = "procedure P(G: table(n,n); n: integer; var R: table(n,n)); begin R := G end;";
    let folder = Folder::new(&[("p.star", program)]);
    let run = |time: &str| {
        let arguments =
            ["run", "p.star", "--graph", "gen gnm -n 3000 -m 2000000", "--max-time", time];
        folder.star(&[&arguments[..], &["--out", "R=o.json.gz"]].concat())
    };
    // The shortest time in which everything but writing succeeds is not known.
    let times = (0..12).map(|step| format!("{}ms", 250 << (step / 2)));
    let mut ran = times.map(|time| run(&time));
    let written = ran.find(|ran| ran.code != 4 || ran.stderr.contains("while writing"));
    let written = written.expect("a run that ends in time");
    written.fails(4, &["error[L0103]", "o.json.gz: time limit reached while writing"]);
    assert_eq!(folder.names(), ["p.star"]);
}
