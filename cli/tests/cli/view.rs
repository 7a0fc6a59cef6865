//! Results in terms of their data, and pictures: `--out` with vertices, distances and edges,
//! `--view`, `star view`.

use std::fs;

use crate::support::{Folder, PATH};

/// Distances from a vertex as a table, and slices over edges and vertices.
const RESULTS: &str = "\
procedure RESULTS(n: integer; S: slice; code: table; var D: table(n,3); var T: slice(S); var X: slice(n));
var w: word(3); i: integer;
begin
  T := S; T(1) := 0;
  CLR(X); X(1) := 1; X(3) := 1;
  w := '101'; ROW(1,D) := w;
  w := '111'; ROW(2,D) := w;
  w := '000'; ROW(3,D) := w
end;
";

fn folder() -> Folder {
    Folder::new(&[("r.star", RESULTS), ("g.gr", PATH)])
}

const RUN: [&str; 4] = ["run", "r.star", "--graph", "g.gr"];

#[test]
fn results_are_written_as_vertices_distances_and_edges() {
    let folder = folder();
    let outs = ["--out", "T=t.gr", "--out", "X=vertices:x.csv", "--out", "D=distances:d.csv"];
    let ran = folder.star(&[&RUN[..], &outs[..]].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    let read = |name: &str| fs::read_to_string(folder.path(name)).unwrap();
    assert_eq!(read("x.csv"), "vertex\n1\n3\n");
    assert_eq!(read("d.csv"), "vertex,distance\n1,5\n3,0\n");
    // The second of two arcs, with its weight.
    assert!(read("t.gr").contains("p sp 3 1\n"), "{}", read("t.gr"));
    assert!(read("t.gr").ends_with("a 2 3 4\n"), "{}", read("t.gr"));
    let all = folder.star(&[&RUN[..], &["--out", "D=vertices:a.csv"]].concat());
    assert_eq!(all.code, 0, "{all:?}");
    assert_eq!(read("a.csv"), "vertex,value\n1,5\n2,7\n3,0\n");
}

#[test]
fn vertex_numbers_are_those_of_the_file_and_counts_must_match() {
    let folder = folder();
    folder.write("e.txt", b"10 20\n20 70\n");
    let run = ["run", "r.star", "--graph", "e.txt", "--out", "X=vertices:csv:-"];
    folder.star(&run).prints("vertex\n10\n70\n");
    let given = ["n=4", "--out", "X=vertices:x.csv", "--out", "D=distances:d.csv"];
    let ran = folder.star(&[&RUN[..], &given[..]].concat());
    ran.fails(5, &["error[E0507]: x.csv: 4 rows for 3 vertices"]);
    let ran = folder.star(&[&RUN[..], &["--out", "T=distances:t.csv"]].concat());
    ran.fails(5, &["`distances` requires a table"]);
    let ran = folder.star(&[&RUN[..], &["--out", "X=vertices:x.png"]].concat());
    ran.fails(5, &["a list of vertices cannot be written as PNG"]);
}

#[test]
fn summaries_list_what_a_slice_marks() {
    let ran = folder().star(&RUN);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("T = 01\n    arcs 2→3\n"), "{ran:?}");
    assert!(ran.stdout.contains("X = 101\n    vertices 1, 3\n"), "{ran:?}");
}

#[test]
fn results_are_drawn() {
    let folder = folder();
    folder.write("g.co", b"p aux sp co 3\nv 1 0 0\nv 2 10 0\nv 3 10 10\n");
    let views = ["--view", "T", "--view", "X=x.png", "--view", "D=d.svg"];
    let ran = folder.star(&[&RUN[..], &views[..]].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.stderr.contains("T.svg: a graph of 3 vertices and 2 arcs, 1 arc marked"),
        "{ran:?}"
    );
    assert!(ran.stderr.contains("x.png: a graph of 3 vertices and 2 arcs, 2 vertices marked"));
    assert!(ran.stderr.contains("d.svg: a table of 3 × 3"), "{ran:?}");
    let tree = fs::read_to_string(folder.path("T.svg")).unwrap();
    assert!(tree.starts_with("<svg ") && tree.ends_with("</svg>\n"), "{tree}");
    // Coordinates are those of the file: the second vertex is to the right of the first, at the
    // same height.
    let circles: Vec<&str> = tree.lines().filter(|line| line.starts_with("<circle")).collect();
    assert_eq!(circles.len(), 3, "{tree}");
    assert!(circles[0].contains("cx=\"40.0\" cy=\"940.0\""), "{circles:?}");
    assert!(circles[1].contains("cx=\"940.0\" cy=\"940.0\""), "{circles:?}");
    assert!(fs::read(folder.path("x.png")).unwrap().starts_with(b"\x89PNG"));
    // Drawn pictures can be read again.
    let back = folder.star(&["view", "x.png", "--out", "again.svg"]);
    assert!(back.stderr.starts_with("again.svg: a picture of "), "{back:?}");
}

#[test]
fn rejects_impossible_views_before_the_run() {
    let folder = folder();
    for (view, part) in [
        ("Q", "`Q` is not a result"),
        ("D=d.jpg", "supported extensions: `.svg`, `.png`"),
        ("D=no/d.svg", "folder `no` does not exist"),
        ("n", "`n` is not a result"),
        ("D=", "invalid argument of `--view`: `D=`"),
    ] {
        let ran = folder.star(&[&RUN[..], &["--view", view]].concat());
        assert!(ran.code != 0 && ran.stdout.is_empty(), "{view}: {ran:?}");
        assert!(ran.stderr.contains(part), "{view}: {ran:?}");
    }
    assert_eq!(folder.names(), ["g.gr", "r.star"]);
}

#[test]
fn coordinates_are_the_fields_x_and_y() {
    let folder = Folder::new(&[
        ("g.gr", PATH),
        ("p.csv", "n,x,y\n1,0,0\n2,10,0\n3,10,10\n"),
        ("names.csv", "name,city\na,Ulm\nb,Rom\nc,Ulm\n"),
        ("texts.csv", "x,y\na,1\nb,2\nc,3\n"),
        ("few.csv", "x,y\n1,1\n"),
        ("day.csv", "x,y\n1,2024-01-01\n2,2024-01-02\n2,2024-01-02\n"),
    ]);
    let view = |places: &str| folder.star(&["view", "g.gr", "--out", "g.svg", "--places", places]);
    assert_eq!(view("p.csv").code, 0);
    let drawn = fs::read_to_string(folder.path("g.svg")).unwrap();
    let circles: Vec<&str> = drawn.lines().filter(|line| line.starts_with("<circle")).collect();
    assert!(circles[0].contains("cx=\"40.0\" cy=\"940.0\""), "{circles:?}");
    assert!(circles[2].contains("cx=\"940.0\" cy=\"40.0\""), "{circles:?}");
    view("names.csv").fails(5, &["error[E0507]: names.csv: the file contains no coordinates"]);
    view("texts.csv").fails(5, &["error[E0507]: texts.csv: field `x` contains texts or times"]);
    view("day.csv").fails(5, &["day.csv: field `y` contains texts or times"]);
    view("few.csv").fails(5, &["coordinates of 1 vertex for 3"]);
}

#[test]
fn settings_control_how_a_file_is_read() {
    let folder = Folder::new(&[
        ("g.gr", PATH),
        ("p.csv", "x,y\n0,0\n0.5,0\n0.5,2.5\n"),
        ("m.pgm", "P2 2 2 255\n3 9\n5 9\n"),
    ]);
    let view = |rest: &[&str]| folder.star(&[&["view", "--out", "v.svg"], rest].concat());
    view(&["g.gr", "--places", "p.csv"]).fails(5, &["`scale=100`"]);
    let ran = view(&["g.gr", "--places", "p.csv", "scale=10"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let ran = view(&["m.pgm", "nodata=9"]);
    assert!(ran.stderr.contains("of 2 × 2, from 3 to 5"), "{ran:?}");
    view(&["m.pgm", "nodta=9"]).fails(2, &["E0603", "did you mean `nodata=…`?"]);
    view(&["m.pgm", "widths=9"]).fails(2, &["unknown setting `widths` for reading a file"]);
    view(&["m.pgm", "nodata=9", "nodata=8"]).fails(2, &["`nodata` is given twice"]);
    view(&["m.pgm", "nodata"]).fails(2, &["`nodata` is not an argument"]);
}

#[test]
fn default_picture_names_replace_no_file() {
    let folder = folder();
    let view = [&RUN[..], &["--view", "T"]].concat();
    assert_eq!(folder.star(&view).code, 0);
    let ran = folder.star(&view);
    ran.fails(5, &["error[E0509]: T.svg: the file already exists", "`--view T=T.svg` replaces"]);
    assert_eq!(folder.star(&[&RUN[..], &["--view", "T=T.svg"]].concat()).code, 0);
}

#[test]
fn graphs_with_many_arcs_are_drawn_as_bits() {
    let arcs = (1..=77).flat_map(|i| (1..=77).map(move |j| format!("{i} {j}\n")));
    let head = "%%MatrixMarket matrix coordinate pattern general\n77 77 5929\n";
    let closure = head.to_owned() + &arcs.collect::<String>();
    let ring: String = (1..=300).map(|i| format!("{i} {}\n", i % 300 + 1)).collect();
    let folder = Folder::new(&[("closure.mtx", &closure), ("ring.txt", &ring)]);
    let ran = folder.star(&["view", "closure.mtx"]);
    assert!(
        ran.stderr.contains("closure.svg: the matrix of a graph of 77 vertices and 5929 arcs"),
        "{ran:?}"
    );
    assert!(!fs::read_to_string(folder.path("closure.svg")).unwrap().contains("<circle"));
    let ran = folder.star(&["view", "ring.txt"]);
    assert!(ran.stderr.contains("ring.svg: a graph of 300 vertices and 300 arcs"), "{ran:?}");
    // With coordinates it is a map.
    let places: String = (1..=77).map(|i| format!("v {i} {} {}\n", i * i % 100, i)).collect();
    folder.write("closure.co", ("p aux sp co 77\n".to_owned() + &places).as_bytes());
    let ran = folder.star(&["view", "closure.mtx", "--out", "map.svg"]);
    assert!(ran.stderr.contains("map.svg: a graph of 77 vertices and 5929 arcs"), "{ran:?}");
}

#[test]
fn files_are_drawn_according_to_their_contents() {
    let folder = Folder::new(&[
        ("g.gr", PATH),
        ("t.csv", "name,n\na,1\n"),
        ("z.map", "type octile\nheight 2\nwidth 3\nmap\n..@\n.@.\n"),
        ("e.txt", ""),
    ]);
    for (file, about) in [
        ("g.gr", "g.svg: a graph of 3 vertices and 2 arcs\n"),
        ("z.map", "z.svg: `passable` of 2 × 3, from 0 to 1\n"),
    ] {
        let ran = folder.star(&["view", file]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, about), "{ran:?}");
    }
    let first = fs::read(folder.path("g.svg")).unwrap();
    folder.write("g.co", b"p aux sp co 1\nv 1 0 0\n");
    for other in ["g.gr", "g.co"] {
        let again = folder.star(&["view", other]);
        again.fails(5, &["error[E0509]: g.svg: the file already exists", "`--out g.svg`"]);
    }
    fs::remove_file(folder.path("g.co")).unwrap();
    folder.star(&["view", "g.gr", "--out", "g.svg"]).prints("");
    assert_eq!(fs::read(folder.path("g.svg")).unwrap(), first, "the same graph, the same picture");
    folder.star(&["view", "t.csv"]).fails(5, &["a list of records cannot be drawn"]);
    folder.star(&["view", "e.txt"]).fails(5, &["error["]);
    folder.star(&["view", "none.gr"]).fails(5, &["none.gr"]);
    folder
        .star(&["view", "g.gr", "--out", "g.svg", "--places", "t.csv"])
        .fails(5, &["error[", "`x` and `y`"]);
    folder
        .star(&["view", "g.gr", "--out", "g.jpg"])
        .fails(5, &["supported extensions: `.svg`, `.png`"]);
    let many: String = (1..=500).map(|v| format!("{v} {}\n", v + 1)).collect();
    folder.write("m.txt", many.as_bytes());
    folder.star(&["view", "m.txt"]).fails(5, &["501 vertices and 500 arcs are too many", ".co"]);
}

#[test]
fn unused_coordinates_and_programs_are_reported() {
    let folder = Folder::new(&[("a.star", "program P; begin end.\n"), ("t.csv", "x,y\n1,2\n")]);
    folder.star(&["view", "a.star"]).fails(5, &["it is a Star program, not data"]);
    let ran = folder.star(&["view", "t.csv", "--places", "nowhere.gr"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.contains("warning: `--places` is unused"), "{ran:?}");
}

#[test]
fn a_path_is_drawn_over_a_grid() {
    let folder = Folder::new(&[
        ("m.pgm", "P2\n4 3\n9\n5 6 7 8\n1 2 3 4\n9 9 9 9\n"),
        ("t.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 3 1\n1 2\n"),
        ("p.csv", "x,y\n1,1\n2,1\n3,2\n"),
        ("far.csv", "x,y\n1,1\n5,1\n"),
        ("other.csv", "a,b\n1,1\n"),
        ("g.gr", PATH),
    ]);
    let view = |arguments: &str| {
        let all: Vec<&str> = ["view"].into_iter().chain(arguments.split(' ')).collect();
        folder.star(&all)
    };
    let ran = view("m.pgm --path p.csv -o p.svg");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.contains("of 3 × 4, from 1 to 9, with a path of 2 steps"), "{ran:?}");
    let svg = fs::read_to_string(folder.path("p.svg")).unwrap();
    assert!(svg.contains(">start</text>") && svg.contains(">goal</text>"), "{svg}");
    let ran = view("t.mtx --path p.csv -o t.png");
    assert_eq!(ran.code, 0, "{ran:?}");
    // The width of a PNG file is in bytes 16 to 19.
    let png = fs::read(folder.path("t.png")).unwrap();
    let width = u32::from_be_bytes(png[16..20].try_into().unwrap());
    assert!(width >= 800, "{width} pixels");
    for (arguments, parts) in [
        (
            "m.pgm --path far.csv -o f.svg",
            ["error[E0507]: far.csv", "cell 2 of the path, (5,1), is outside of 3 × 4"],
        ),
        ("m.pgm --path other.csv -o f.svg", ["error[E0507]: other.csv", "a record for each cell"]),
        ("m.pgm --path none.csv -o f.svg", ["error[E0501]: none.csv", "no such file"]),
        ("g.gr --path p.csv -o f.svg", ["error[E0507]: p.csv", "over a grid or a table"]),
    ] {
        view(arguments).fails(5, &parts);
        assert!(!folder.path("f.svg").exists(), "{arguments}");
    }
}

#[test]
fn directed_lists_are_drawn_with_their_loops() {
    let folder = Folder::new(&[("t.csv", "from,to\nA,B\nB,C\nC,C\n")]);
    let refused = folder.star(&["view", "t.csv"]);
    refused.fails(5, &["a list of records cannot be drawn", "`directed:FILE`"]);
    let ran = folder.star(&["view", "directed:t.csv", "-o", "t.svg", "--dark"]);
    ran.fails(0, &["t.svg: a graph of 3 vertices and 3 arcs"]);
    assert!(!ran.stderr.contains("reads edges"), "{ran:?}");
    let svg = fs::read_to_string(folder.path("t.svg")).unwrap();
    assert_eq!(svg.matches("<polygon").count(), 3);
    assert!(svg.contains("height=\"100%\" fill=\"#181a1e\"") && svg.matches("<line").count() > 12);
}

#[test]
fn pictures_that_no_value_has_are_refused_before_the_run() {
    let text = RESULTS.replace("T := S;", "print(\"begun\"); T := S;");
    let folder = Folder::new(&[("r.star", &text), ("g.gr", PATH)]);
    for (view, part) in [
        ("D=distances:d.svg", "a list of records cannot be drawn"),
        ("D=codes:d.svg", "a list of records cannot be drawn"),
    ] {
        let ran = folder.star(&[&RUN[..], &["--view", view]].concat());
        ran.fails(5, &["E0507", part]);
        assert_eq!(ran.stdout, "", "{ran:?}");
    }
    let alone = ["run", "r.star", "n=3", "S=11", "code=1", "--view", "X=vertices:x.svg"];
    let ran = folder.star(&alone);
    ran.fails(5, &["E0507", "`vertices` are drawn on a graph, and none is read"]);
    assert_eq!(ran.stdout, "", "{ran:?}");
    folder.star(&[&RUN[..], &["--dark"]].concat()).fails(2, &["E0608", "--view"]);
}

#[test]
fn pipes_receive_no_pictures() {
    let folder =
        Folder::new(&[("t.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 3 1\n1 2\n")]);
    for protocol in ["auto", "kitty", "iterm2", "sixel", "none"] {
        let ran = folder.star(&["view", "t.mtx", "--inline", protocol, "--out", "t.svg"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{ran:?}");
        let warns = ran.stderr.contains("warning: `--inline` is unused");
        assert_eq!(warns, ["kitty", "iterm2", "sixel"].contains(&protocol), "{ran:?}");
    }
    folder.star(&["view", "t.mtx", "--inline", "ascii"]).fails(2, &["E0608", "sixel"]);
}
