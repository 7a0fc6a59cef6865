//! Limits of the system: the stack, threads, address space and disk.

use crate::support::{Folder, PATH, Ran, WARSHALL};

const BENCHMARK: &str = "\
/* @bench of it
   run P
   T = gen gnm -n 3 -m 2 */
/* @test of it
   run P
   T = '01 10'
   R = '01 10' */
procedure P(T: table; var R: table); begin R := T end;
";

const UPDATES: &str = "t,id,x,y\n1,1,2,3\n";
const QUERIES: &str = "t,qid,x1,y1,x2,y2\n2,1,0,0,9,9\n";

fn folder() -> Folder {
    Folder::new(&[
        ("w.star", WARSHALL),
        ("b.star", BENCHMARK),
        ("g.gr", PATH),
        ("u.csv", UPDATES),
        ("q.csv", QUERIES),
    ])
}

/// Commands of every kind, and part of their output.
const COMMANDS: [(&str, &str); 15] = [
    ("--version", "star "),
    ("run w.star --graph g.gr", "P = 3 × 3, 3 ones"),
    ("run w.star --graph g.gr --backend reference --out P=stb:- | head -c 4", "STAR"),
    ("run star:closure --proc WARSHALL --graph g.gr", "3 ones"),
    ("check w.star", ""),
    ("fmt --check b.star", "b.star"),
    ("doc MATCH", "MATCH"),
    ("test b.star", ""),
    ("bench b.star --quick", "of it"),
    ("dev w.star", "routine"),
    ("gen gnm -n 10 -m 20 -o gr:-", "p sp 10"),
    ("moving u.csv q.csv -q", "2,1,1"),
    ("view g.gr --out g.svg", ""),
    ("doctor", "cpu"),
    ("repl w.star", "w.star: WARSHALL"),
];

/// Runs every command after `prefix`, which sets a limit.
fn all_succeed(folder: &Folder, run: impl Fn(&str) -> Ran) {
    for (command, part) in COMMANDS {
        let ran = run(command);
        let may_differ = command.starts_with("fmt");
        assert!(ran.code == 0 || may_differ && ran.code == 1, "{command}: {ran:?}");
        assert!(ran.stdout.contains(part), "{command}: {ran:?}");
        assert!(!ran.stderr.contains("internal error"), "{command}: {ran:?}");
    }
    assert!(folder.names().iter().all(|name| !name.starts_with(".star-")));
}

#[cfg(unix)]
#[test]
fn a_small_stack_suffices() {
    let folder = folder();
    for kib in [64, 256] {
        let line = |command: &str| format!("exec < /dev/null; ulimit -s {kib}; $STAR {command}");
        all_succeed(&folder, |command| folder.shell(&line(command)));
    }
}

#[cfg(unix)]
#[test]
fn deep_programs_do_not_depend_on_the_stack_limit() {
    let deep = format!(
        "program P; var i: integer; begin i := {}1{} end.",
        "(".repeat(5000),
        ")".repeat(5000)
    );
    let folder = Folder::new(&[("deep.star", &deep)]);
    let usual = folder.shell("$STAR check deep.star");
    for limit in ["64", "8192", "unlimited"] {
        let ran = folder.shell(&format!("ulimit -s {limit}; $STAR check deep.star"));
        assert_eq!((ran.code, &ran.stderr), (usual.code, &usual.stderr), "{limit}");
    }
}

#[cfg(unix)]
#[test]
fn a_small_address_space_is_a_limit_or_suffices() {
    let folder = folder();
    for kib in [200_000, 400_000, 1_000_000] {
        for (command, _) in COMMANDS {
            let ran = folder.shell(&format!("exec < /dev/null; ulimit -v {kib}; $STAR {command}"));
            assert!([0, 1, 4, 5].contains(&ran.code), "{kib}: {command}: {ran:?}");
            assert!(!ran.stderr.contains("internal error"), "{kib}: {command}: {ran:?}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_address_space_without_room_is_refused() {
    let folder = folder();
    let mut n_refused = 0;
    for kib in (10..240).map(|tens| tens * 1000).step_by(10) {
        let run = |command: &str| {
            folder.shell(&format!("exec < /dev/null; ulimit -v {kib}; exec $STAR {command}"))
        };
        // The system cannot load the binary.
        if run("--version").code != 0 {
            assert_eq!(n_refused, 0, "{kib}");
            continue;
        }
        for command in ["doctor", "bench b.star --quick", "check w.star", "run w.star --graph g.gr"]
        {
            let ran = run(command);
            if ran.code == 0 {
                continue;
            }
            ran.fails(4, &["error[L0102]"]);
            if ran.stderr.contains("of address space; a command needs") {
                n_refused += 1;
            }
        }
    }
    assert!(n_refused >= 4, "{n_refused}");
}

/// Small allocations must not end the process where the allocator has no room for a thread.
#[cfg(target_os = "linux")]
#[test]
fn graphs_are_read_or_refused_in_a_small_address_space() {
    let folder = Folder::new(&[]);
    let arcs: String = (0..20_000).map(|i| format!("v{i},v{}\n", i * 7919 % 20_000)).collect();
    folder.write("g.csv", format!("from,to\n{arcs}").as_bytes());
    let mut codes = std::collections::BTreeSet::new();
    for kib in (100..240).step_by(20).map(|thousands| thousands * 1000) {
        let ran = folder.shell(&format!("ulimit -v {kib}; exec $STAR graph components g.csv"));
        assert!(ran.code == 0 || ran.stderr.contains("error["), "{kib}: {ran:?}");
        codes.insert(ran.code);
    }
    assert!(codes.contains(&0) && codes.iter().all(|code| [0, 4].contains(code)), "{codes:?}");
}

/// A prefix of a shell command that runs as a user whose threads the system limits; `None` if this
/// test cannot become such a user.
#[cfg(target_os = "linux")]
fn limited_user(folder: &Folder) -> Option<&'static str> {
    let privileged = folder.shell("test $(id -u) = 0").code == 0;
    let prefix = match privileged {
        true => "exec setpriv --reuid=61234 --regid=61234 --clear-groups bash -c",
        false => "exec bash -c",
    };
    folder.shell("chmod -R a+rwX .");
    let works = folder.shell(&format!("{prefix} '$STAR --version && touch x && rm x'")).code == 0;
    works.then_some(prefix)
}

#[cfg(target_os = "linux")]
#[test]
fn commands_run_without_more_threads() {
    let folder = folder();
    let Some(prefix) = limited_user(&folder) else { return };
    let run = |command: &str| {
        // The shell could not start the other side of a pipe.
        let command = command.split(" | ").next().unwrap();
        let line = format!("ulimit -u 1; exec $STAR {command} < /dev/null");
        folder.shell(&format!("{prefix} '{line}'"))
    };
    all_succeed(&folder, |command| match command.contains(" | ") {
        true => Ran { code: 0, stdout: "STAR".to_owned(), stderr: String::new() },
        false => run(command),
    });
    for command in ["run w.star --graph g.gr --max-time 5s", "run w.star --graph g.gr --profile"] {
        run(command).fails(4, &["error[L0108]: cannot start a thread for `--"]);
    }
}

#[test]
fn too_many_threads_are_refused() {
    let folder = folder();
    let moving = |n: &str| folder.star(&["moving", "u.csv", "q.csv", "-q", "--threads", n]);
    for n in ["0", "20000", "-1", "x"] {
        moving(n).fails(2, &["error[E0608]"]);
    }
    for n in ["1", "2"] {
        moving(n).prints("t,qid,id\n2,1,1\n");
    }
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_no_part_of_a_folder() {
    let folder = folder();
    let old = b"<body class=\"documentation\">";
    folder.write("old/index.html", old);
    let before = folder.names();
    for blocks in [0, 1, 2, 4, 8] {
        for command in [
            "new net",
            "doc --format html --out site",
            "doc --format html --out site/below",
            "doc --format html --out old",
            "bench b.star --quick --svg plots",
        ] {
            let ran = folder.shell(&format!("ulimit -f {blocks}; $STAR {command}"));
            match ran.code {
                0 => {
                    folder.shell("rm -rf net plots");
                }
                _ => ran.fails(5, &["error[E0509]", "cannot write"]),
            }
            assert_eq!(folder.names(), before, "{blocks}: {command}");
            assert_eq!(std::fs::read(folder.path("old/index.html")).unwrap(), old);
            let names = std::fs::read_dir(folder.path("old")).unwrap().count();
            assert_eq!(names, 1, "{blocks}: {command}");
        }
    }
}
