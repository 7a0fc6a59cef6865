//! `star dev`: levels, SIR text, passes.

use crate::support::{Folder, WARSHALL};

/// A routine with unreachable statements.
const UNREACHABLE: &str = "routine 0 \"F\" (value %n: int) -> %r !0 {
  var %r: int
  %r = copy %n !0
  exit !0
  %r = copy 2 !0
}
locations {
  !0 = 0:0..9
}
";

#[test]
fn dumped_levels_can_be_read_back() {
    let folder = Folder::new(&[("w.star", WARSHALL)]);
    let dump = |level| folder.star(&["dev", "--dump", level, "w.star"]);
    assert!(dump("ast").stdout.contains("Routine"));
    assert!(dump("hir").stdout.contains("WARSHALL"));
    let sir = dump("sir").stdout;
    assert!(sir.starts_with("routine 0 \"WARSHALL\""), "{sir}");
    folder.write("w.sir", sir.as_bytes());
    folder.star(&["dev", "--verify", "w.sir"]).prints("");
    folder.star(&["dev", "--verify", "w.star"]).prints("");
    folder.star(&["dev", "w.sir"]).prints(&sir);
    folder.star(&["dev", "w.star"]).prints(&sir);
    #[cfg(feature = "gpu")]
    for listing in [dump("registers"), folder.star(&["dev", "--dump", "registers", "w.sir"])] {
        assert!(listing.stdout.starts_with("WARSHALL: "), "{listing:?}");
        assert!(listing.stdout.contains("row-put"), "{listing:?}");
        // Rows and columns of the table do not change, and each is queried once.
        for measure in [" := size y=o0 #1\n", " := size y=o0 #2\n"] {
            assert_eq!(listing.stdout.matches(measure).count(), 1, "{listing:?}");
        }
        assert!(listing.stdout.contains(", jump-nonzero ->"), "{listing:?}");
    }
}

#[test]
fn passes_apply_in_order_and_their_output_can_be_read_back() {
    let folder = Folder::new(&[("f.sir", UNREACHABLE), ("w.star", WARSHALL)]);
    let after = UNREACHABLE.replace("  %r = copy 2 !0\n", "");
    let expected = format!("; unreachable: 1\n; unreachable: 0\n{after}");
    let ran = folder.star(&["dev", "--passes", "unreachable,unreachable", "f.sir"]);
    ran.prints(&expected);
    folder.write("g.sir", ran.stdout.as_bytes());
    folder.star(&["dev", "g.sir"]).prints(&after);
    folder.star(&["dev", "--passes", "unreachable", "--verify", "f.sir"]).prints("");
    let all = folder.star(&["dev", "--passes", "all", "w.star"]);
    assert!(all.stdout.starts_with("; ") && all.code == 0, "{all:?}");
    for pass in star_opt::PASSES {
        assert!(all.stdout.contains(&format!("; {}: ", pass.name)), "{all:?}");
    }
}

#[test]
fn unknown_pass_lists_the_available_passes() {
    let folder = Folder::new(&[("f.sir", UNREACHABLE)]);
    let ran = folder.star(&["dev", "--passes", "unreachabel", "f.sir"]);
    ran.fails(2, &["error[E0610]", "available passes: `", "did you mean `unreachable`?"]);
    assert_eq!(ran.stdout, "");
}

#[test]
fn rejects_levels_that_a_file_does_not_have() {
    let folder = Folder::new(&[("f.sir", UNREACHABLE), ("w.star", WARSHALL)]);
    folder
        .star(&["dev", "--dump", "ast", "f.sir"])
        .fails(2, &["error[E0608]", "has no syntax tree and no HIR"]);
    let passes = ["dev", "--dump", "hir", "--passes", "all", "w.star"];
    folder
        .star(&passes)
        .fails(2, &["error[E0608]", "`--verify`, `--passes` and `--run` require SIR"]);
    let run = ["dev", "--dump", "registers", "--run", "w.star"];
    folder.star(&run).fails(2, &["error[E0608]", "`--verify` and `--run` require SIR"]);
    folder.star(&["dev"]).fails(2, &["error[E0608]"]);
    folder.write("bad.sir", b"routine 7");
    folder.star(&["dev", "bad.sir"]).fails(1, &["bad.sir:1:9"]);
    folder.star(&["dev", "none.sir"]).fails(5, &["error[E0501]"]);
}

/// A function with a loop, a `var` parameter, and a routine that it calls.
const RUNNABLE: &str = "routine 0 \"F\" (value %n: int, ref %X: slice[?]) -> %r !0 {
  var %r: int
  %r = copy 0 !0
  check set %X !0
  %X = bits_not %X !0
  cost 1 !0
  %r = call 1 \"G\" (value %n) !0
}
routine 1 \"G\" (value %n: int) -> %r !1 {
  var %r: int
  check add %n, 1 !1
  %r = add %n, 1 !1
  print \"n = \", %r !1
  exit !1
  cost 9 !1
}
locations {
  !0 = 0:0..9
  !1 = 0:0..9 names [#0 \"n\"]
}
";

#[test]
fn sir_runs_on_a_backend_with_results_and_counts() {
    let folder = Folder::new(&[("f.sir", RUNNABLE), ("w.star", WARSHALL)]);
    for backend in ["cpu", "reference"] {
        let run =
            ["dev", "--passes", "all", "--run", "--backend", backend, "f.sir", "n=4", "X=0110"];
        let ran = folder.star(&run);
        assert_eq!((ran.code, ran.stdout.as_str()), (0, "n = 5\nX = 1001\nF = 5\n"), "{ran:?}");
        let counted = |line: &str| {
            line.starts_with("elementary operations") && line.split_whitespace().last() == Some("1")
        };
        assert!(ran.stderr.lines().any(counted), "{ran:?}");
    }
    let proc = folder.star(&["dev", "--run", "--proc", "G", "f.sir", "n=1"]);
    assert_eq!((proc.code, proc.stdout.as_str()), (0, "n = 2\nG = 2\n"));
    let star = folder.star(&["dev", "--run", "w.star", "n=2", "P=01 10"]);
    assert!(star.code == 0 && star.stdout.starts_with("P = 2 × 2, 4 ones\n"), "{star:?}");
    let overflow = ["dev", "--run", "f.sir", "n=9223372036854775807", "X=1"];
    folder.star(&overflow).fails(3, &["error[T0104]", "elementary operations"]);
    folder.star(&["dev", "--run", "f.sir", "X=1"]).fails(2, &["error[E0604]"]);
    folder.star(&["dev", "--run", "--proc", "H", "f.sir"]).fails(2, &["error[E0602]", "`F`, `G`"]);
    folder.star(&["dev", "f.sir", "n=4"]).fails(2, &["error[E0608]"]);
}

#[test]
fn passes_can_be_skipped_in_runs_tests_and_benchmarks() {
    let text = format!(
        "{WARSHALL}\n/* @test closure\n   run WARSHALL\n   n = 2\n   P = 01 10\n   expect P = 11 11 */\n"
    );
    let folder = Folder::new(&[("w.star", &text)]);
    for command in [
        &["run", "w.star", "n=2", "P=01 10"][..],
        &["run", "w.star", "n=2", "P=01 10", "--cost"],
        &["test", "w.star"],
    ] {
        let with = folder.star(command);
        let without = folder.star(&[command, &["--no-pass", "unreachable"]].concat());
        assert_eq!((with.code, without.code), (0, 0), "{with:?} {without:?}");
        if command[0] == "run" {
            assert_eq!((with.stdout, with.stderr), (without.stdout, without.stderr));
        }
    }
    for command in
        [&["run", "w.star", "n=2", "P=01 10"][..], &["test", "w.star"], &["bench", "w.star"]]
    {
        let ran = folder.star(&[command, &["--no-pass", "unreachabel"]].concat());
        ran.fails(2, &["error[E0610]", "did you mean `unreachable`?"]);
    }
}
