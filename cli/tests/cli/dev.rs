//! `star dev`: levels, SIR text, passes.

use crate::support::{Folder, WARSHALL};

/// A routine with statements that control never reaches.
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
fn levels_of_the_compiler_are_dumped_and_read_back() {
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
}

#[test]
fn passes_are_applied_in_order_and_what_they_make_is_read_back() {
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
fn an_unknown_pass_is_named_with_those_there_are() {
    let folder = Folder::new(&[("f.sir", UNREACHABLE)]);
    let ran = folder.star(&["dev", "--passes", "unreachabel", "f.sir"]);
    ran.fails(2, &["error[E0610]", "the passes are `", "did you mean `unreachable`?"]);
    assert_eq!(ran.stdout, "");
}

#[test]
fn levels_that_a_file_does_not_have_are_refused() {
    let folder = Folder::new(&[("f.sir", UNREACHABLE), ("w.star", WARSHALL)]);
    folder.star(&["dev", "--dump", "ast", "f.sir"]).fails(2, &["error[E0608]", "no other level"]);
    let passes = ["dev", "--dump", "hir", "--passes", "all", "w.star"];
    folder.star(&passes).fails(2, &["error[E0608]", "work on SIR only"]);
    folder.star(&["dev"]).fails(2, &["error[E0608]"]);
    folder.write("bad.sir", b"routine 7");
    folder.star(&["dev", "bad.sir"]).fails(1, &["bad.sir:1:9"]);
    folder.star(&["dev", "none.sir"]).fails(1, &["error[E0111]"]);
}
