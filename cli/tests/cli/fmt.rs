//! `star fmt`: changed files, unchanged files and messages.

use std::fs;
use std::process::Stdio;

use crate::support::{Folder, Ran};

const UGLY: &str = "PROGRAM P;\nvar x:integer;\nBegin x = 1 ;\nPrint( x );\nend .\n";
const FINE: &str = "program P;\nvar x: integer;\nbegin\n  x:=1;\n  print(x);\nend.\n";
const WRONG: &str = "program P;\nbegin\n  x := ;\nend.\n";

fn read(folder: &Folder, name: &str) -> String {
    fs::read_to_string(folder.path(name)).unwrap()
}

#[test]
fn files_and_folders_are_formatted_in_place() {
    let folder = Folder::new(&[
        ("a.star", UGLY),
        ("fine.star", FINE),
        ("sub/deep/b.star", UGLY),
        ("sub/note.txt", UGLY),
        ("sub/.hidden/c.star", UGLY),
    ]);
    let before = fs::metadata(folder.path("fine.star")).unwrap().modified().unwrap();
    let ran = folder.star(&["fmt", "a.star", "fine.star", "sub"]);
    ran.prints("");
    assert_eq!(ran.stderr, "2 files formatted\n");
    assert_eq!(read(&folder, "a.star"), FINE);
    assert_eq!(read(&folder, "sub/deep/b.star"), FINE);
    assert_eq!(read(&folder, "sub/note.txt"), UGLY);
    assert_eq!(read(&folder, "sub/.hidden/c.star"), UGLY);
    assert_eq!(fs::metadata(folder.path("fine.star")).unwrap().modified().unwrap(), before);
    let again = folder.star(&["fmt", "."]);
    again.prints("");
    assert_eq!(again.stderr, "");
}

#[test]
fn check_and_diff_write_nothing() {
    let folder = Folder::new(&[("a.star", UGLY), ("fine.star", FINE)]);
    let ran = folder.star(&["fmt", "--check", "."]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, "a.star\n"), "{ran:?}");
    ran.fails(1, &["1 file would change"]);
    let ran = folder.star(&["fmt", "--diff", "a.star"]);
    let expected = "\
--- a.star
+++ a.star (formatted)
@@ -1,5 +1,6 @@
-PROGRAM P;
-var x:integer;
-Begin x = 1 ;
-Print( x );
-end .
+program P;
+var x: integer;
+begin
+  x:=1;
+  print(x);
+end.
";
    assert_eq!((ran.code, ran.stdout.as_str()), (1, expected), "{ran:?}");
    assert_eq!(read(&folder, "a.star"), UGLY);
    folder.star(&["fmt", "--check", "--diff", "fine.star"]).prints("");
    let ran = folder.star(&["fmt", "--check", "--diff", "a.star"]);
    assert_eq!(ran.stdout, format!("a.star\n{expected}"));
}

#[test]
fn stdin_is_formatted_to_stdout() {
    let folder = Folder::new(&[]);
    folder.star_with_input(&["fmt", "--stdin"], UGLY).prints(FINE);
    folder.star_with_input(&["fmt", "-"], UGLY).prints(FINE);
    folder.star_with_input(&["fmt", "--stdin"], "").prints("");
    let ran = folder.star_with_input(&["fmt", "--stdin"], WRONG);
    assert_eq!(ran.stdout, "");
    ran.fails(1, &["E0105", "<stdin>:3:8"]);
    let ran = folder.star_with_input(&["fmt", "--stdin", "--check"], UGLY);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, "<stdin>\n"));
    folder.star(&["fmt", "--stdin", "a.star"]).fails(2, &["cannot be used with"]);
}

#[test]
fn files_with_errors_are_skipped_and_the_others_formatted() {
    let folder = Folder::new(&[("a.star", UGLY), ("b.star", WRONG), ("c.star", UGLY)]);
    let ran = folder.star(&["fmt", "a.star", "b.star", "c.star"]);
    ran.fails(1, &["E0105", "b.star:3:8", "2 files formatted, 1 file not formatted"]);
    assert_eq!(read(&folder, "a.star"), FINE);
    assert_eq!(read(&folder, "b.star"), WRONG);
    assert_eq!(read(&folder, "c.star"), FINE);
}

#[test]
fn reports_why_a_file_cannot_be_formatted() {
    let folder = Folder::new(&[("empty.star", ""), ("sub/note.txt", "")]);
    folder.write("bytes.star", b"program \xff;");
    folder.star(&["fmt"]).fails(2, &["PATH", "--help"]);
    folder.star(&["fmt", "none.star"]).fails(1, &["E0111", "none.star", "no such file"]);
    folder.star(&["fmt", "bytes.star"]).fails(1, &["E0110", "is not valid UTF-8"]);
    folder.star(&["fmt", "empty.star"]).prints("");
    let ran = folder.star(&["fmt", "sub"]);
    assert_eq!(ran.code, 0);
    assert!(ran.stderr.contains("no `.star` files below `sub`"), "{ran:?}");
}

#[cfg(unix)]
#[test]
fn permissions_links_and_read_only_files_are_preserved() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = Folder::new(&[("a.star", UGLY), ("ro.star", UGLY), ("far/b.star", UGLY)]);
    let mode = |name: &str| fs::metadata(folder.path(name)).unwrap().permissions().mode() & 0o777;
    let set = |name: &str, mode: u32| {
        fs::set_permissions(folder.path(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    set("a.star", 0o640);
    set("ro.star", 0o444);
    folder.star(&["fmt", "a.star"]).prints("");
    assert_eq!((mode("a.star"), read(&folder, "a.star").as_str()), (0o640, FINE));
    folder.star(&["fmt", "ro.star"]).fails(5, &["E0509", "ro.star: the file is read-only"]);
    assert_eq!(read(&folder, "ro.star"), UGLY);
    // A named link is followed, a link below a folder is not.
    fs::create_dir(folder.path("sub")).unwrap();
    symlink(folder.path("far"), folder.path("sub/loop")).unwrap();
    symlink(folder.path("far/b.star"), folder.path("sub/link.star")).unwrap();
    folder.star(&["fmt", "sub"]).prints("");
    assert_eq!(read(&folder, "far/b.star"), UGLY);
    folder.star(&["fmt", "sub/link.star"]).prints("");
    assert_eq!(read(&folder, "far/b.star"), FINE);
    assert!(fs::symlink_metadata(folder.path("sub/link.star")).unwrap().is_symlink());
    folder.star(&["fmt", "/dev/null"]).fails(1, &["it is not a regular file"]);
}

#[test]
fn closed_stdout_ends_quietly() {
    let folder = Folder::new(&[]);
    let many = "const A = 1;\n".repeat(20_000);
    folder.write("long.star", many.as_bytes());
    let ran = folder.shell("\"$STAR\" fmt --stdin < long.star | head -1; exit ${PIPESTATUS[0]}");
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (141, "const A = 1;\n", ""));
}

#[test]
fn library_and_examples_are_formatted() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = Folder::new(&[]);
    let mut command = folder.command(&["fmt", "--check", "stdlib", "examples"]);
    command.current_dir(root).stdin(Stdio::null());
    Ran::of(command.output().unwrap()).prints("");
}
