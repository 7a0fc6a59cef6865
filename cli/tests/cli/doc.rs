//! `star doc`: documentation from comments, and their examples.

use std::fs;
use std::path::Path;

use crate::support::Folder;

/// A user file with two documented routines and one undocumented one.
const MINE: &str = "\
/* Things of <mine> & others. */

/* Y becomes the opposite of X.  See MATCH.

   X, Y: n bits.
   Cost: 1.
   Source: ours.
   Example:
     var Y: slice(3);
     INVERT('100',Y);
     print(Y);
   Prints:
     011                          */
procedure INVERT(X: slice(n); var Y: slice(n));
begin Y:=not X end;

/* Calls INVERT twice.

   Example:
     var Y: slice(2);
     TWICE('10',Y);
     assert(Y(1)=1,\"not the same\"); */
procedure TWICE(X: slice(n); var Y: slice(n));
var Z: slice(n);
begin INVERT(X,Z); INVERT(Z,Y) end;

procedure NOTHING;
begin end;
";

#[test]
fn contents_list_everything() {
    let ran = Folder::new(&[]).star(&["doc"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    for line in ["operations: ", "   FND  ", "library/search.star: ", "   MATCH  ", "star:mst: "] {
        assert!(ran.stdout.lines().any(|found| found.starts_with(line)), "{line} in {ran:?}");
    }
    assert!(ran.stdout.lines().all(|line| line.chars().count() <= 80), "{ran:?}");
}

#[test]
fn shows_routines_operations_and_modules_by_name() {
    let folder = Folder::new(&[]);
    let shown = |name: &str, parts: &[&str]| {
        let ran = folder.star(&["doc", name]);
        assert_eq!(ran.code, 0, "{ran:?}");
        for part in parts {
            assert!(ran.stdout.contains(part), "no `{part}` in {ran:#?}");
        }
    };
    shown("match", &["   procedure MATCH(T: table(n,k);", "\nCost: 4*size(T) - NUMB(v).\n"]);
    shown("FND", &["   FND(Y)\n", "\nCost: 1.\n", "\nPrints:\n   2\n   0\n"]);
    shown("LESS", &["   LESS(v,w)\n", "   procedure LESS(T: table(n,k);"]);
    shown("star:mst", &["import \"star:mst\";", "KRUSKAL, of star:mst", "PRIM, of star:mst"]);
}

#[test]
fn shows_keywords_by_name() {
    let folder = Folder::new(&[]);
    let shown = |name: &str, part: &str| {
        let ran = folder.star(&["doc", name]);
        assert!(ran.code == 0 && ran.stdout.contains(part), "no `{part}` in {ran:#?}");
    };
    shown("foreach", "foreach/in, of language (in every program)\n\n   foreach i in Y do s\n");
    shown("XOR", "   X and Y, X or Y, X xor Y, not X\n");
    shown("table", "\nPrints:\n   010\n   101\n");
    let tested = folder.star(&["doc", "--test", "language"]);
    assert!(tested.code == 0 && tested.stderr.contains(" run, 0 failed"), "{tested:?}");
    folder.star(&["doc", "forech"]).fails(2, &["`star doc foreach`?"]);
}

#[test]
fn library_files_are_tested_as_modules() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../stdlib/modules/closure.star");
    let text = fs::read_to_string(path).unwrap();
    let folder = Folder::new(&[("closure.star", text.as_str())]);
    for file in [path, "closure.star"] {
        let ran = folder.star(&["doc", "--test", file]);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(ran.stderr.starts_with("star:closure: "), "{ran:?}");
    }
    folder.write("closure.star", format!("{text}\n").as_bytes());
    let help = "`star doc --test star:closure`";
    folder.star(&["doc", "--test", "closure.star"]).fails(1, &["E0314", help]);
}

#[test]
fn unknown_names_are_errors() {
    let folder = Folder::new(&[("empty.star", ""), ("bad.star", "proc"), ("d/x.star", "")]);
    let fails =
        |what: &str, code: i32, parts: &[&str]| folder.star(&["doc", what]).fails(code, parts);
    fails("MACTH", 2, &["error[E0608]: no documentation found for `MACTH`", "`star doc MATCH`?"]);
    let unknown = "no documentation found for `star:pths`";
    fails("star:pths", 2, &["error[E0608]", unknown, "`star doc star:paths`?"]);
    fails("star:nope", 2, &["error[E0608]", "the modules are `star:", "`star:mst`"]);
    fails("STAR:zzz9", 2, &["error[E0608]"]);
    fails("none.star", 1, &["error[E0111]: cannot read `none.star`"]);
    fails("d/", 1, &["error[E0111]: cannot read `d/`: it is a directory"]);
    fails("bad.star", 1, &["error[E0105]", "bad.star:1:5"]);
    folder.star(&["doc", "empty.star"]).prints("empty.star (import \"empty.star\";)\n");
    folder.write("latin.star", b"/* \xe9 */");
    fails("latin.star", 1, &["error[E0110]", "latin.star:1:4"]);
}

#[test]
fn user_files_are_shown_written_and_read_from_stdin() {
    let folder = Folder::new(&[("mine.star", MINE)]);
    let ran = folder.star(&["doc", "mine.star"]);
    for part in ["Things of <mine> & others.", "INVERT, of mine.star", "No documentation comment."]
    {
        assert!(ran.stdout.contains(part), "{ran:#?}");
    }
    folder.star(&["doc", "mine.star", "--out", "mine.txt"]).prints("");
    assert_eq!(fs::read_to_string(folder.path("mine.txt")).unwrap(), ran.stdout);
    let piped = folder.star_with_input(&["doc", "-"], MINE);
    assert!(piped.stdout.contains("INVERT, of <stdin>"), "{piped:#?}");
    folder
        .star(&["doc", "--out", "no/mine.txt"])
        .fails(5, &["error[E0509]", "folder `no` does not exist"]);
}

#[test]
fn text_is_wrapped_and_closed_stdout_is_quiet() {
    let folder = Folder::new(&[]);
    let narrow = folder.shell("COLUMNS=40 $STAR doc WARSHALL | sed -n '/^Idea/,/^Cost/p'");
    assert!(narrow.stdout.lines().count() > 3, "{narrow:?}");
    assert!(narrow.stdout.lines().all(|line| line.chars().count() <= 40), "{narrow:?}");
    // The reader closes the pipe before anything is written.
    let line = "(sleep 0.3; exec $STAR doc star:dynmst star:paths operations) | true; echo ${PIPESTATUS[0]}";
    let closed = folder.shell(line);
    assert_eq!((closed.stdout.as_str(), closed.stderr.as_str()), ("141\n", ""));
}

#[test]
fn check_reports_invalid_comments() {
    let text = "/* It.\n\n   Prints:\n     1\n   Cost: 1. */\nprocedure P;\nbegin end;\n";
    let folder = Folder::new(&[("mine.star", MINE), ("bad.star", text)]);
    assert_eq!(folder.star(&["doc", "bad.star"]).code, 0);
    let good = folder.star(&["doc", "--check", "mine.star"]);
    good.prints("");
    assert_eq!(good.stderr, "mine.star: 3 routines, 2 documented, 2 with an example\n");
    let parts = ["error[E0701]: `Prints` without `Example`", "bad.star:3:4", "follows `Prints`"];
    folder.star(&["doc", "--check", "bad.star"]).fails(1, &parts);
    folder.star(&["doc", "--check", "--format", "html"]).fails(2, &["error[E0608]"]);
}

#[test]
fn runs_examples_of_user_files() {
    let folder = Folder::new(&[("sub/mine.star", MINE)]);
    for backend in ["cpu", "reference"] {
        let ran = folder.star(&["doc", "--test", "--backend", backend, "sub/mine.star"]);
        ran.prints("");
        assert_eq!(ran.stderr, "sub/mine.star: 2 examples run, 0 failed\n");
    }
    let wrong = MINE.replace("     011 ", "     010 ").replace("\"not the same\"", "\"so\"");
    folder.write("wrong.star", wrong.replace("(Y(1)=1", "(Y(1)=0").as_bytes());
    let ran = folder.star(&["doc", "--test", "wrong.star"]);
    ran.fails(
        1,
        &[
            "error[E0702]: the output of the example of `INVERT` differs\n   ┌─ wrong.star:12:4",
            "= note: expected\n       010\n",
            "= note: printed\n       011\n",
            "error[T0111]",
            "wrong.star (example of TWICE):22:6",
            "error[E0702]: the example of `TWICE` ends with exit code 3",
            "wrong.star: 2 examples run, 2 failed\n",
        ],
    );
    let only = folder.star(&["doc", "--test", "FND", "star:none"]);
    only.fails(2, &["no documentation found for `star:none`"]);
    let nowhere = folder.star(&["doc", "--test", "--backend", "abacus", "sub/mine.star"]);
    nowhere.fails(2, &["error[E0607]"]);
    assert!(!nowhere.stderr.contains("E0702"), "{nowhere:?}");
    let piped = folder.star_with_input(&["doc", "--test", "-"], MINE);
    assert_eq!(piped.stderr, "<stdin>: 2 examples run, 0 failed\n");
}

#[test]
fn examples_accept_run_arguments_but_no_output_files() {
    let text = |arguments: &str| {
        format!(
            "/* It.\n\n   Example, {arguments}:\n     program E(n: integer; var G: table);\n     \
             begin print(n,\" \",rows(G)) end.\n   Prints:\n     2 2\n     G = 2 × 2, 1 one\n     \
             01\n     00 */\nprocedure P;\nbegin end;\n"
        )
    };
    let folder = Folder::new(&[("g.gr", "p sp 2 1\na 1 2 7\n")]);
    let test = |arguments: &str| {
        folder.write("p.star", text(arguments).as_bytes());
        folder.star(&["doc", "--test", "p.star"])
    };
    test("--graph g.gr n=2").prints("");
    test("G=adjacency:g.gr n=2").prints("");
    test("--graph g.gr --out G=h.gr")
        .fails(1, &["error[E0701]", "must not name output files", "p.star:3:4"]);
    test("--graph g.gr n=2 --allow-read ..").fails(1, &["error[E0701]", "or allow access"]);
    test("--grph g.gr").fails(1, &["error[E0701]", "unexpected argument `--grph`"]);
    test("--graph none.gr").fails(1, &["error[E0501]", "ends with exit code 5"]);
    assert_eq!(folder.names(), ["g.gr", "p.star"]);
}

#[test]
fn examples_read_only_files_beside_them() {
    let text = "/* It.\n\n   Example, --graph g.gr:\n     program E(n: integer);\n     \
                begin print(n) end.\n   Prints:\n     2 */\nprocedure P;\nbegin end;\n\n\
                /* It.\n\n   Example, n=1:\n     program E(n: integer);\n     var T: table;\n     \
                begin read(T,\"../g.gr\"); print(rows(T)) end.\n   Prints:\n     2 */\n\
                procedure Q;\nbegin end;\n";
    let folder = Folder::new(&[("g.gr", "p sp 2 1\na 1 2 7\n")]);
    fs::create_dir(folder.path("sub")).unwrap();
    folder.write("sub/p.star", text.as_bytes());
    let ran = folder.star(&["doc", "--test", "sub/p.star"]);
    ran.fails(1, &["error[E0510]: g.gr", "error[T0115]: ../g.gr", "2 examples run, 2 failed"]);
    let ran = folder.star(&["doc", "--test", "sub/p.star", "--allow-read", "."]);
    assert!(ran.stderr.contains("2 examples run, 0 failed"), "{ran:?}");
}

#[test]
fn library_examples_run_from_the_root() {
    let folder = Folder::new(&[]);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for backend in ["cpu", "reference"] {
        let mut command = folder.command(&["doc", "--test", "--backend", backend]);
        let ran = crate::support::Ran::of(command.current_dir(root).output().unwrap());
        ran.fails(0, &["operations: 39 examples run, 0 failed"]);
    }
}

#[test]
fn max_time_limits_the_examples_of_a_file() {
    let text = "/* Goes round.\n\n   Example:\n     var i: integer;\n     while true do i := 1; */\n\
                procedure ROUND(n: integer);\nbegin end;\n";
    let folder = Folder::new(&[("p.star", text)]);
    let begun = std::time::Instant::now();
    let ran = folder.star(&["doc", "--test", "--max-time", "200ms", "p.star"]);
    ran.fails(1, &["error[L0103]", "ends with exit code 4"]);
    // Without the limit, an example may take a minute.
    assert!(begun.elapsed().as_secs() < 40, "{:?}", begun.elapsed());
}
