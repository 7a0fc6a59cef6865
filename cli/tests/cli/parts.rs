//! Tables of more than 64 MiB that go between files and a graphics card by ranges of columns.

use std::fs;

use crate::support::{Folder, Ran};

/// Makes a table of 640 columns with scattered ones: 80 bytes for each row.
const MAKE: &str = "\
procedure MAKE(n: integer; var T: table);
var X: slice(n); j: integer;
begin
  SET(X);
  for j := 1 to 640 do begin X := ROTATE(X, j); X(1 + j mod n) := 0; COL(j,T) := X end
end;
";

/// Exchanges the first and the last column.
const SWAP: &str = "\
procedure SWAP(var T: table);
var X, Y: slice;
begin X := COL(1,T); Y := COL(640,T); COL(1,T) := Y; COL(640,T) := X end;
";

const PARTS: &str = "tables by columns: 2 parts from files, 2 to files";

/// Runs `SWAP` on the graphics card; `None` if there is none.
fn on_card(folder: &Folder, arguments: &[&str]) -> Option<Ran> {
    let ran = folder.star(&[&["run", "swap.star", "--backend", "gpu"], arguments].concat());
    if ran.stderr.contains("E0607") {
        assert!(std::env::var_os("STAR_REQUIRE_ADAPTER").is_none(), "{ran:?}");
        return None;
    }
    Some(ran)
}

#[test]
fn large_tables_pass_by_parts() {
    let folder = Folder::new(&[("make.star", MAKE), ("swap.star", SWAP)]);
    // 76 MiB.
    let ran = folder.star(&["run", "make.star", "n=1000000", "--out", "T=t.stb"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let whole = folder.star(&["run", "swap.star", "T=t.stb", "--out", "T=whole.stb", "--explain"]);
    assert_eq!(whole.code, 0, "{whole:?}");
    assert!(!whole.stderr.contains("tables by columns"), "{}", whole.stderr);
    let expected = fs::read(folder.path("whole.stb")).unwrap();
    let arguments = ["T=t.stb", "--out", "T=parts.stb", "--explain"];
    let Some(parts) = on_card(&folder, &arguments) else { return };
    assert_eq!(parts.code, 0, "{parts:?}");
    assert!(parts.stderr.contains(PARTS), "{}", parts.stderr);
    assert!(fs::read(folder.path("parts.stb")).unwrap() == expected);
    assert_eq!(parts.stdout, whole.stdout);

    // The result replaces the file that was read.
    fs::copy(folder.path("t.stb"), folder.path("own.stb")).unwrap();
    let arguments = ["T=own.stb", "--out", "T=own.stb", "--explain"];
    let own = on_card(&folder, &arguments).expect("it was there");
    assert!(own.code == 0 && own.stderr.contains(PARTS), "{own:?}");
    assert!(fs::read(folder.path("own.stb")).unwrap() == expected);

    // Other formats and forms need the whole table.
    let arguments = ["T=t.stb", "--out", "T=parts.stb", "--out", "T=t.npy", "--explain"];
    let both = on_card(&folder, &arguments).expect("it was there");
    assert!(both.code == 0 && both.stderr.contains("2 parts from files, 0 to files"), "{both:?}");
    assert!(fs::read(folder.path("parts.stb")).unwrap() == expected);

    // A failed write leaves nothing, and the result is printed nevertheless.
    let line = "ulimit -f 70000; $STAR run swap.star --backend gpu T=t.stb --out T=half.stb";
    let half = folder.shell(line);
    half.fails(5, &["error[E0509]: half.stb: cannot write: "]);
    assert_eq!(half.stdout, whole.stdout);

    // Damaged files have the errors of the CPU backend, and leave nothing.
    let mut damaged = fs::read(folder.path("t.stb")).unwrap();
    let end = damaged.len();
    damaged[end - 1] ^= 1;
    folder.write("t.stb", &damaged);
    let names = folder.names();
    for (n_bytes, code) in [(end, "E0502"), (end - 1, "E0503"), (end - 4_000_000, "E0503")] {
        folder.write("t.stb", &damaged[..n_bytes]);
        let ran = on_card(&folder, &["T=t.stb", "--out", "T=none.stb"]).expect("it was there");
        let whole = folder.star(&["run", "swap.star", "T=t.stb", "--out", "T=none.stb"]);
        assert_eq!((ran.code, &ran.stderr), (whole.code, &whole.stderr));
        assert!(ran.stderr.contains(code), "{}", ran.stderr);
    }
    assert_eq!(folder.names(), names);
}
