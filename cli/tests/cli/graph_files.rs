//! Graphs as people have them: edge lists with names, directions, and the formats of other tools.

use crate::support::Folder;

const ROADS: &str = "from,to,km\nOslo,Bergen,463\nOslo,Narvik,1400\nBergen,\"Mo i Rana\",900\n\
    Mo i Rana,Narvik,395\n";

/// Shortest distances from `s` with these further arguments.
fn distances(folder: &Folder, arguments: &[&str]) -> crate::support::Ran {
    let dijkstra = ["run", "star:paths", "--proc", "DIJKSTRA", "--out", "Dist=distances:csv:-"];
    folder.star(&[&dijkstra[..], arguments].concat())
}

#[test]
fn names_are_vertices_in_arguments_and_results() {
    let folder = Folder::new(&[("r.csv", ROADS)]);
    let ran = distances(&folder, &["--graph", "r.csv", "s=Bergen"]);
    ran.prints("vertex,distance\nBergen,0\nNarvik,1295\nMo i Rana,900\n");
    for told in [
        "note: r.csv: the arcs go from column `from` to `to`, the weights are in `km`\n",
        "note: r.csv: the arcs have a direction, from the first vertex to the second; \
            `undirected:r.csv` reads edges\n",
        "note: r.csv: `s=Bergen` is row 2\n",
    ] {
        assert!(ran.stderr.contains(told), "{told}\n{}", ran.stderr);
    }
    distances(&folder, &["--graph", "r.csv", "s=Berge"])
        .fails(2, &["error[E0605]: r.csv: no vertex `Berge` for `s`", "did you mean `s=Bergen`?"]);
    let both = [["--graph", "undirected:r.csv", "s=Narvik"], ["--graph", "r.csv", "s=Narvik"]];
    let expected = "vertex,distance\nOslo,1400\nBergen,1295\nNarvik,0\nMo i Rana,395\n";
    distances(&folder, &both[0]).prints(expected);
    distances(&folder, &[&both[1][..], &["--undirected"]].concat()).prints(expected);
    let ran =
        distances(&folder, &["--graph", "reverse:r.csv", "s=Narvik", "--out", "Pred=codes:p.csv"]);
    ran.prints(expected);
    let before = std::fs::read_to_string(folder.path("p.csv")).unwrap();
    assert_eq!(before, "vertex,code\nOslo,Narvik\nBergen,Mo i Rana\nNarvik,\nMo i Rana,Narvik\n");
}

#[test]
fn numbers_from_0_are_names() {
    let folder = Folder::new(&[("n.txt", "0 1 4\n1 5 2\n"), ("g.gr", "p sp 2 1\na 1 2 3\n")]);
    distances(&folder, &["--graph", "n.txt", "s=0"]).prints("vertex,distance\n0,0\n1,4\n5,6\n");
    distances(&folder, &["--graph", "n.txt", "s=2"])
        .fails(2, &["no vertex `2`", "from `0` to `5`"]);
    // In a file without names numbers are rows.
    distances(&folder, &["--graph", "g.gr", "s=1"]).prints("vertex,distance\n1,0\n2,3\n");
    distances(&folder, &["--graph", "g.gr", "s=A"]).fails(2, &["no vertex `A`"]);
    for number in ["1.5", "99999999999999999999"] {
        distances(&folder, &["--graph", "g.gr", &format!("s={number}")])
            .fails(2, &[&format!("`{number}` is not a valid value for `s`"), "write `s=NUMBER`"]);
    }
    folder
        .star(&["run", "star:paths", "--proc", "VERTEX", "v=1", "code='1'"])
        .prints("VERTEX = 1\n");
}

#[test]
fn arcs_of_a_result_keep_names_in_every_format() {
    let folder = Folder::new(&[("r.csv", ROADS)]);
    let kruskal = ["run", "star:mst", "--proc", "KRUSKAL", "--graph", "undirected:r.csv", "-o"];
    let tree = "Oslo,Bergen,463\nBergen,Mo i Rana,900\nMo i Rana,Narvik,395\n";
    let ran = folder.star(&[&kruskal[..], &["T=rows of graph:csv:-"]].concat());
    ran.prints(&format!("from,to,weight\n{tree}"));
    for file in ["t.json", "t.graphml", "t.csv", "t.txt"] {
        let out = format!("T=rows of graph:{file}");
        let ran = folder.star(&[&kruskal[..], &[&out, "--view", "T=t.svg"]].concat());
        assert_eq!(ran.code, 0, "{ran:?}");
        let graph = format!("undirected:{file}");
        let ran = distances(&folder, &["--graph", &graph, "s=Narvik"]);
        assert_eq!((ran.code, ran.stdout.contains("Oslo,1758\n")), (0, true), "{file}: {ran:?}");
    }
    let drawn = std::fs::read_to_string(folder.path("t.svg")).unwrap();
    assert!(drawn.contains("Mo i Rana"), "{drawn}");
    let weight = [&kruskal[..], &["T=rows of graph:csv:-", "weight=none"]].concat();
    assert!(folder.star(&weight).stdout.starts_with("from,to\n"));
}

#[test]
fn graphs_of_several_files_share_vertices_on_request() {
    let program = "procedure BOTH(A,B: table; var C: table);\nvar i: integer;\nbegin\n  C:=A;\n  \
        for i:=1 to rows(A) do ROW(i,C):=ROW(i,A) and ROW(i,B)\nend;";
    let folder = Folder::new(&[
        ("p.star", program),
        ("a.csv", "from,to\nx,y\ny,z\n"),
        ("b.csv", "from,to\nz,y\ny,z\nw,x\n"),
    ]);
    let run = |more: &[&str]| {
        let run = ["run", "p.star", "A=adjacency:a.csv", "B=adjacency:b.csv"];
        folder.star(&[&run[..], more].concat())
    };
    assert_eq!(run(&[]).code, 3);
    let ran = run(&["codes=shared"]);
    ran.prints("C = 4 × 4, 1 one\n0000\n0010\n0000\n0000\n");
    assert!(ran.stderr.contains("2 graphs share 4 vertices"), "{ran:?}");
    // The layout of a graph may be left out.
    folder.shell("mv a.csv a.el; mv b.csv b.el").prints("");
    let run = |a: &str, b: &str| folder.star(&["run", "p.star", a, b, "codes=shared"]);
    run("A=a.el", "B=b.el").prints("C = 4 × 4, 1 one\n0000\n0010\n0000\n0000\n");
    run("A=a.el", "B=reverse:b.el").prints("C = 4 × 4, 1 one\n0000\n0010\n0000\n0000\n");
}

#[test]
fn edges_without_direction_are_written_with_a_note() {
    let program = "procedure P(S: slice; var T: slice(S)); begin SET(T) end;";
    let folder = Folder::new(&[("p.star", program), ("g.csv", "from,to\na,b\nb,c\n")]);
    let run = |file: &str, out: &str| {
        let out = format!("T=rows of graph:{out}");
        folder.star(&["run", "p.star", "--graph", file, "--out", &out])
    };
    let note = "that the edges have no direction (`undirected:FILE` reads them)";
    let ran = run("undirected:g.csv", "u.csv");
    assert!(ran.stderr.contains(note), "{ran:?}");
    run("undirected:u.csv", "csv:-").prints("from,to\na,b\nb,c\n");
    assert!(!run("g.csv", "d.csv").stderr.contains("no direction"));
    assert!(!run("undirected:g.csv", "u.el").stderr.contains("no direction"));
}

#[test]
fn codes_of_vertices_are_compared_by_their_names_or_refused() {
    let program = "program SAME(A,B: table);\nvar X,Z: slice(A);\nbegin\n  SET(X); \
        HIT(A,B,X,Z); print(Z)\nend.";
    let folder = Folder::new(&[
        ("p.star", program),
        ("a.csv", "from,to\nx,y\ny,z\n"),
        ("b.csv", "from,to\nz,y\ny,x\n"),
        ("same.csv", "from,to\nx,y\nz,y\n"),
        ("n.csv", "5,7\n7,5\n"),
        ("one.csv", "1,2\n2,3\n"),
        ("c.csv", "u\nx\nz\n"),
        ("d.csv", "u\n7\n5\n"),
        ("e.csv", "u\n3\n2\n"),
        ("f.csv", "u\n-1\n2\n"),
    ]);
    let run = |a: &str, b: &str, more: &[&str]| {
        let (a, b) = (format!("A={a}"), format!("B={b}"));
        folder.star(&[&["run", "p.star", &a, &b][..], more].concat())
    };
    let refused = ["E0507", "the vertices for `A` and the vertices for `B`", "`codes=shared`"];
    for layout in ["left", "adjacency", "weights-out"] {
        let of = |file: &str| format!("{layout}:{file}");
        run(&of("a.csv"), &of("b.csv"), &[]).fails(5, &refused);
        assert_eq!(run(&of("a.csv"), &of("same.csv"), &[]).code, 0, "{layout}");
        let ran = run(&of("a.csv"), &of("b.csv"), &["codes=own"]);
        assert!(ran.code == 0 && !ran.stderr.contains("unused"), "{ran:?}");
    }
    run("left:a.csv", "left:b.csv", &["codes=shared"]).prints("01\n");
    run("left:a.csv", "right:b.csv", &["codes=shared"]).prints("00\n");
    let kinds = ["E0507", "the vertices for `A`", "`u` for `B`"];
    for (graph, list, shared) in [("a.csv", "c.csv", "01"), ("n.csv", "d.csv", "11")] {
        let (graph, list) = (format!("right:{graph}"), format!("field:u:{list}"));
        run(&graph, &list, &["texts=u"]).fails(5, &kinds);
        run(&graph, &list, &["texts=u", "codes=shared"]).prints(&format!("{shared}\n"));
    }
    run("left:n.csv", "field:u:d.csv", &["codes=shared", "b=3"]).fails(5, &kinds);
    run("left:one.csv", "field:u:e.csv", &[]).prints("01\n");
    run("left:one.csv", "field:u:f.csv", &[]).fails(5, &["different offsets"]);
}

#[test]
fn damaged_lines_are_shown() {
    let folder = Folder::new(&[("r.csv", "from,to,km\nOslo,Bergen,far\n")]);
    let ran = distances(&folder, &["--graph", "r.csv", "s=Oslo"]);
    let shown = "error[E0502]: r.csv:2:13: expected a number as the weight, found `far`\n  \
        ┌─ r.csv:2:13\n  │\n2 │ Oslo,Bergen,far\n  │             ^\n";
    assert!(ran.stderr.contains(shown), "{}", ran.stderr);
    let folder = Folder::new(&[("r.csv", "id,a,b\n1,2,3\n")]);
    let ran = distances(&folder, &["--graph", "r.csv", "s=2"]);
    ran.fails(5, &["cannot tell which columns", "`from=id to=a`"]);
    distances(&folder, &["--graph", "r.csv", "from=a", "to=b", "s=2"])
        .prints("vertex,distance\n2,0\n3,1\n");
}

#[test]
fn traps_name_vertices() {
    let program = "program P(s: integer; G: table(n,n));\nbegin assert(s=0,\"no\") end.";
    let folder = Folder::new(&[("p.star", program), ("r.csv", ROADS)]);
    let ran = folder.star(&["run", "p.star", "--graph", "r.csv", "s=Narvik"]);
    ran.fails(3, &["s = 3", "s = vertex 3 (Narvik)"]);
}

/// Weights with fractions; the spanning tree leaves out the third edge.
const FRACTIONS: &str = "from,to,km\na,b,1.5\nb,c,0.25\na,c,12\n";

#[test]
fn outputs_divide_weights_by_the_scale() {
    let folder = Folder::new(&[("f.csv", FRACTIONS)]);
    for scale in ["scale=100", "scale=km:100"] {
        let ran = distances(&folder, &["--graph", "f.csv", "s=a", scale]);
        ran.prints("vertex,distance\na,0\nb,1.5\nc,1.75\n");
        assert!(!ran.stderr.contains("warning"), "{}", ran.stderr);
        let kruskal = ["run", "star:mst", "--proc", "KRUSKAL", "--graph", "undirected:f.csv"];
        let tree = |out: &str| folder.star(&[&kruskal[..], &[scale, "--out", out]].concat());
        tree("T=rows of graph:csv:-").prints("from,to,weight\na,b,1.5\nb,c,0.25\n");
        // Other formats keep integers.
        let ran = tree("T=rows of graph:t.gr");
        ran.fails(0, &["note: t.gr: weights are multiplied by `scale=100`\n"]);
        let written = std::fs::read_to_string(folder.path("t.gr")).unwrap();
        assert!(written.contains("a 1 2 150\n"), "{written}");
    }
    // The numbers of a program that does not get the weights are not divided.
    folder.write("p.star", b"procedure P(code: table; var R: table); begin R := code end;\n");
    let plain = ["run", "p.star", "--graph", "f.csv", "scale=100", "-o", "R=distances:csv:-"];
    folder.star(&plain).prints("vertex,distance\na,1\nb,2\n");
}

#[test]
fn scales_of_other_columns_leave_weights_alone() {
    let folder = Folder::new(&[("w.csv", "from,to,km,cost\na,b,1.5,7\n")]);
    let ran = distances(&folder, &["--graph", "w.csv", "s=a", "scale=km:100"]);
    ran.prints("vertex,distance\na,0\nb,7\n");
    assert!(ran.stderr.contains("`scale=` is unused: it is for fields of CSV"), "{}", ran.stderr);
    let ran = distances(&folder, &["--graph", "w.csv", "s=a", "scale=km:100", "weight=km"]);
    ran.prints("vertex,distance\na,0\nb,1.5\n");
}

#[test]
fn unknown_columns_in_settings_are_refused() {
    let folder = Folder::new(&[("w.csv", "from,to,km\na,b,1.5\n"), ("n.txt", "1 2 3\n2 3 1\n")]);
    for (file, setting, parts) in [
        ("w.csv", "texts=form", ["unknown column `form` in `texts=`", "did you mean `from`?"]),
        ("w.csv", "scale=kms:10", ["unknown column `kms` in `scale=`", "are `from`, `to`, `km`"]),
        ("w.csv", "scale=4:10", ["unknown column `4` in `scale=`", "are `from`, `to`, `km`"]),
        ("n.txt", "texts=0", ["unknown column `0` in `texts=`", "are `1`, `2`, `3`"]),
        ("n.txt", "scale=w:10", ["unknown column `w` in `scale=`", "are `1`, `2`, `3`"]),
    ] {
        let s = if file == "w.csv" { "s=a" } else { "s=1" };
        let ran = distances(&folder, &["--graph", file, "weight=none", s, setting]);
        ran.fails(2, &[&format!("error[E0605]: {file}: {}", parts[0]), parts[1]]);
    }
    // The name may be the cause of another error.
    distances(&folder, &["--graph", "w.csv", "s=a", "scale=kms:10"])
        .fails(5, &["error[E0502]: w.csv:2:5", "note: unknown column `kms` in `scale=`"]);
    // Numbers select columns of lists with and without a header.
    let ran = distances(&folder, &["--graph", "w.csv", "s=a", "scale=3:10", "texts=1,2"]);
    ran.prints("vertex,distance\na,0\nb,1.5\n");
    distances(&folder, &["--graph", "n.txt", "s=1", "texts=1"])
        .prints("vertex:text,distance\n1,0\n2,3\n3,4\n");
}

#[test]
fn empty_graphs_have_no_vertex() {
    let folder = Folder::new(&[("e.gr", "p sp 0 0\n"), ("g.gr", "p sp 2 1\na 1 2 3\n")]);
    for s in ["1", "0", "A"] {
        let error = format!("error[E0605]: e.gr: no vertex `{s}` for `s`");
        distances(&folder, &["--graph", "e.gr", &format!("s={s}")])
            .fails(2, &[&error, "the graph has no vertices"]);
    }
    // A row of a graph without names is checked by the program.
    distances(&folder, &["--graph", "g.gr", "s=3"]).fails(3, &["error[T0101]: index 3"]);
}

#[test]
fn distances_of_signed_weights_have_no_offset() {
    let folder = Folder::new(&[("t.csv", "from,to,w\na,b,4\na,c,5\nc,b,-3\n")]);
    let bellman = ["run", "star:paths", "--proc", "BELLMAN_FORD", "--graph", "t.csv", "s=a"];
    let run = |more: &[&str]| {
        folder.star(&[&bellman[..], &["--out", "Dist=distances:csv:-"], more].concat())
    };
    run(&["Cost=signed-out:t.csv"]).prints("vertex,distance\na,0\nb,2\nc,5\n");
    run(&["Cost=signed-out:t.csv", "h=20"]).prints("vertex,distance\na,0\nb,2\nc,5\n");
    run(&["Cost=signed-out:t.csv", "scale=10"]).prints("vertex,distance\na,0\nb,2\nc,5\n");
    run(&[]).fails(5, &["error[E0504]", "`Cost=signed-out:FILE`"]);
}

#[test]
fn names_of_arcs_are_safe_for_spreadsheets() {
    let folder = Folder::new(&[("e.csv", "from,to,km\n=a,@b,3\n")]);
    let kruskal = ["run", "star:mst", "--proc", "KRUSKAL", "--graph", "undirected:e.csv"];
    let run = |more: &[&str]| {
        folder.star(&[&kruskal[..], &["--out", "T=rows of graph:csv:-"], more].concat())
    };
    run(&["--csv-safe"]).prints("from,to,weight\n'=a,'@b,3\n");
    run(&[]).prints("from,to,weight\n=a,@b,3\n");
}

#[test]
fn vertices_and_names_that_a_file_does_not_hold_are_noted() {
    let json = r#"{"nodes": [{"id": "a"}, {"id": "b"}, {"id": "c"}],
        "links": [{"source": "a", "target": "b"}]}"#;
    let folder = Folder::new(&[("e.json", json)]);
    let kruskal = ["run", "star:mst", "--proc", "KRUSKAL", "--graph", "undirected:e.json"];
    let run = |file: &str| {
        folder.star(&[&kruskal[..], &["--out", &format!("T=rows of graph:{file}")]].concat())
    };
    run("t.csv").fails(0, &["t.csv: not in the file: 1 vertex without arcs"]);
    run("t.gr")
        .fails(0, &["t.gr: the file has the numbers of the vertices", "without their names"]);
    let ran = run("t.graphml");
    assert!(!ran.stderr.contains("without"), "{ran:#?}");
    folder.write("o.txt", b"10 20 5\n20 30 1\n");
    folder
        .star(&["graph", "paths", "e.json", "a", "--out", "p.npy"])
        .fails(0, &["p.npy: field `vertex` contains texts, from `a` as 1 to `c` as 3; field `b"]);
    folder
        .star(&["graph", "paths", "o.txt", "10", "--out", "p.npy"])
        .fails(0, &["p.npy: field `before` has -1 in place of an empty text"]);
    let records: &[u8] = &[10, 0, 0xff, 20, 5, 10, 30, 6, 20];
    assert!(std::fs::read(folder.path("p.npy")).unwrap().ends_with(records));
}
