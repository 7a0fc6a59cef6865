//! Files whose values are right only if the readers believe them: codes that are compared, headers,
//! numbers of vertices, kinds of graphs, arrays.

use crate::support::{Folder, Ran};

const SAME: &str = "\
program SAME(A,B: table);
var X,Z: slice(A);
begin
  SET(X);
  HIT(A,B,X,Z); print(\"equal \",Z);
  SETMIN(A,B,X,Z); print(\"less \",Z);
end.
";

const BACK: &str = "\
procedure BACK(T: table; var S: slice(T));
begin SET(S) end;
";

fn back(folder: &Folder, arguments: &[&str]) -> Ran {
    folder.star(&[&["run", "back.star"], arguments, &["--out", "S=rows of T:csv:-"]].concat())
}

#[test]
fn texts_of_two_fields_are_compared_by_what_was_written_or_refused() {
    let cities = "from,to\nA,B\nB,B\nA,A\n";
    let folder = Folder::new(&[("same.star", SAME), ("g.csv", cities)]);
    let same = ["run", "same.star", "A=field:from:g.csv", "B=field:to:g.csv"];
    let ran = folder.star(&same);
    ran.fails(5, &["E0507", "field `from` for `A` and field `to` for `B`", "`codes=shared`"]);
    let ran = folder.star(&[&same[..], &["codes=shared"]].concat());
    assert!(ran.stdout.starts_with("equal 011\nless 100\n"), "{ran:?}");
    let ran = folder.star(&[&same[..], &["codes=own"]].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    folder.star(&[&same[..], &["codes=equal"]].concat()).fails(2, &["E0605", "`codes=shared`"]);
    // Codes that agree are not refused.
    folder.write("g.csv", b"from,to\nA,A\nB,A\nA,B\n");
    let ran = folder.star(&same);
    assert!(ran.stdout.starts_with("equal 100\n"), "{ran:?}");
}

#[test]
fn words_have_the_codes_of_shared_fields() {
    let find = "program FIND(A,B: table(n,k); v: word(k));
var X,Z: slice(A);
begin SET(X); MATCH(A,X,v,Z); print(Z); MATCH(B,X,v,Z); print(Z) end.";
    let cities = "from,to\nA,B\nB,B\nA,C\n";
    let folder = Folder::new(&[("find.star", find), ("g.csv", cities)]);
    let ran = folder.star(&[
        "run",
        "find.star",
        "A=field:from:g.csv",
        "B=field:to:g.csv",
        "v=code:from=B:g.csv",
        "codes=shared",
    ]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "010\n110\n"), "{ran:?}");
}

#[test]
fn signed_fields_are_compared_by_their_numbers_or_refused() {
    let ranges = "low,high\n-10,4\n5,6\n-3,-4\n";
    let folder = Folder::new(&[("same.star", SAME), ("g.csv", ranges)]);
    let same = ["run", "same.star", "A=field:low:g.csv", "B=field:high:g.csv"];
    let ran = folder.star(&[&same[..], &["widths=8,8"]].concat());
    ran.fails(5, &["E0507", "different offsets", "`codes=shared`"]);
    for widths in [&["codes=shared", "widths=8,8"][..], &["codes=shared"]] {
        let ran = folder.star(&[&same[..], widths].concat());
        assert!(ran.stdout.starts_with("equal 000\nless 110\n"), "{ran:?}");
    }
}

#[test]
fn shared_fields_have_one_width() {
    let show = "program SHOW(A,B: table); begin print(size(A),\" \",size(B)) end.";
    let folder = Folder::new(&[("show.star", show)]);
    for numbers in ["298,3", "298,-3"] {
        folder.write("h.csv", format!("a,b\n{numbers}\n").as_bytes());
        let files = ["A=field:a:h.csv", "B=field:b:h.csv"];
        let ran = folder.star(&[&["run", "show.star", "codes=shared"][..], &files].concat());
        ran.prints("9 9\n");
    }
}

#[test]
fn names_of_two_fields_are_refused() {
    let bits = "program BITS(T: table); begin print(T) end.";
    let folder = Folder::new(&[("bits.star", bits), ("g.csv", "id,id,name\n1,2,Alice\n")]);
    let run = |value: &str| folder.star(&["run", "bits.star", value]);
    run("T=field:id:g.csv").fails(5, &["E0507", "2 fields are called `id`", "1, 2"]);
    let ran = run("T=field:2:g.csv");
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn tables_without_a_header_may_hold_texts() {
    let folder = Folder::new(&[("back.star", BACK), ("g.csv", "ann,red\nbob,blue\n")]);
    let ran = back(&folder, &["T=records:g.csv", "header=no"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.ends_with("ann,red\nbob,blue\n"), "{ran:?}");
    back(&folder, &["T=records:g.csv"]).prints("ann,red\nbob,blue\n");
    back(&folder, &["T=records:g.csv", "header=maybe"]).fails(2, &["E0605", "`header=no`"]);
}

#[test]
fn cells_with_line_ends_and_blanks_before_quotes_are_read() {
    let folder = Folder::new(&[
        ("back.star", BACK),
        ("a.csv", "col1\n\"cell with\nnewline\"\n"),
        ("b.csv", "\"foo\",\"bar\"\n\"p\", \"Surname, Firstname\"\n"),
    ]);
    back(&folder, &["T=records:a.csv"]).prints("col1\n\"cell with\nnewline\"\n");
    back(&folder, &["T=records:b.csv"]).prints("foo,bar\np,\"Surname, Firstname\"\n");
}

#[test]
fn tables_in_graph_files_and_unreadable_dates_are_refused_with_help() {
    let folder = Folder::new(&[
        ("back.star", BACK),
        ("g.tsv", "Id\tA\tB\n1\t537\t228\n2\t325\t47\n"),
        ("n.tsv", "1\t537\t228\n2\t325\t47\n"),
        ("d.csv", "d\n2024-02-30\n"),
    ]);
    back(&folder, &["T=records:g.tsv"]).fails(5, &["g.tsv:1:1", "edge list", "`.csv`"]);
    back(&folder, &["T=records:n.tsv"]).fails(5, &["n.tsv", "edge list", "`.csv`"]);
    back(&folder, &["T=records:d.csv"]).fails(5, &["d.csv:2:1", "date", "`texts=NAME`"]);
}

#[test]
fn vertices_from_0_come_back_as_they_were() {
    let folder = Folder::new(&[("g.txt", "0 1 2\n1 2 5\n")]);
    let dijkstra = ["run", "star:paths", "--proc", "DIJKSTRA", "--graph", "g.txt", "s=0"];
    let ran = folder.star(&[&dijkstra[..], &["--out", "Dist=distances:csv:-"]].concat());
    ran.prints("vertex,distance\n0,0\n1,2\n2,7\n");
    let kruskal = ["run", "star:mst", "--proc", "KRUSKAL", "--graph", "g.txt", "--out", "T=txt:-"];
    let ran = folder.star(&kruskal);
    assert!(ran.code == 0 && ran.stdout.ends_with("0 1 2\n1 2 5\n"), "{ran:?}");
}

#[test]
fn konect_graphs_have_their_direction_and_lose_their_times() {
    let folder = Folder::new(&[
        ("out.path", "% sym positive\n% 2 3 3\n1 2 3\n2 3 4\n"),
        ("out.t", "% asym weighted\n1 2 1 1082008561\n2 3 1 1082008562\n"),
        ("adj.star", "program ADJ(G: table); begin print(rows(G)) end."),
    ]);
    let dijkstra = ["run", "star:paths", "--proc", "DIJKSTRA", "--graph", "out.path", "s=3"];
    let ran = folder.star(&[&dijkstra[..], &["--out", "Dist=distances:csv:-"]].concat());
    ran.prints("vertex,distance\n1,7\n2,4\n3,0\n");
    let times = ["run", "adj.star", "G=out.t"];
    let ran = folder.star(&times);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "3\n"), "{ran:?}");
    assert!(ran.stderr.contains("the times after the weights are skipped"), "{ran:?}");
    folder.write("t.txt", b"1 2 1 1082008561\n2 3 1 1082008562\n");
    let times = ["run", "adj.star", "G=t.txt"];
    folder.star(&times).fails(5, &["t.txt:1:7", "where the line should end", "`times=skip`"]);
    let ran = folder.star(&[&times[..], &["times=skip"]].concat());
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "3\n"), "{ran:?}");
}

/// A NumPy file of 3 × 3 signed bytes.
fn array(numbers: [i8; 9]) -> Vec<u8> {
    let mut header = "{'descr': '|i1', 'fortran_order': False, 'shape': (3, 3), }".to_owned();
    while !(10 + header.len() + 1).is_multiple_of(64) {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\0".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(numbers.map(|number| number as u8));
    bytes
}

#[test]
fn arrays_are_laid_out_by_what_a_parameter_is_for() {
    let folder = Folder::new(&[("adj.star", "program ADJ(G: table); begin print(G) end.")]);
    folder.write("w.npy", &array([0, 3, -1, -1, 0, 4, -1, -1, 0]));
    folder.write("g.npy", &array([0, 1, 0, 0, 0, 1, 0, 0, 0]));
    folder.write("cost.star", b"program P(Cost: table); begin print(Cost) end.");
    let cost = ["run", "cost.star", "Cost=w.npy"];
    // Field k of row i is the weight of the arc from k to i.
    let ran = folder.star(&[&cost[..], &["nodata=-1"]].concat());
    let rows = "111111111111111\n000111111111111\n111110010011111";
    assert!(ran.code == 0 && ran.stdout.contains(rows), "{ran:?}");
    folder.write("z.npy", &array([0, 3, 0, 0, 0, 4, 0, 0, 0]));
    folder.star(&["run", "cost.star", "Cost=z.npy"]).fails(5, &["E0507", "`nodata=0`"]);
    let ran = folder.star(&["run", "cost.star", "Cost=z.npy", "nodata=0"]);
    assert!(ran.code == 0 && ran.stdout.contains(rows), "{ran:?}");
    folder.star(&["run", "adj.star", "G=w.npy"]).fails(5, &["E0507", "adjacency", "`grid:FILE`"]);
    let ran = folder.star(&["run", "adj.star", "G=g.npy"]);
    assert!(ran.code == 0 && ran.stdout.contains("010\n001\n000"), "{ran:?}");
}
