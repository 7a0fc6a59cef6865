//! `star graph`: its tasks give the results of networkx on small graphs, with the names of the
//! file.

use std::fs;
use std::path::Path;

use crate::support::{Folder, Ran};

/// Roads in two parts.
const ROADS: &str = "from,to,km\nOslo,Bergen,463\nOslo,Trondheim,494\nTrondheim,\"Mo i Rana\",478\n\
    Mo i Rana,Narvik,395\nOslo,Stockholm,521\nStockholm,Narvik,1403\nRome,Naples,225\n";

/// A cycle, a vertex after it, and a loop.
const NUMBERS: &str = "10 20 1\n20 30 2\n30 10 4\n30 40 8\n50 50 3\n";

fn folder() -> Folder {
    Folder::new(&[("r.csv", ROADS), ("n.txt", NUMBERS)])
}

fn graph(folder: &Folder, words: &[&str]) -> Ran {
    folder.star(&[&["graph"], words].concat())
}

#[test]
fn components_have_sizes_and_names() {
    let folder = folder();
    graph(&folder, &["components", "r.csv"]).prints(
        "components: 2\n  with Oslo: 6\n  with Rome: 2\n\
         vertex     component  size\n\
         Oslo       Oslo          6\n\
         Bergen     Oslo          6\n\
         Trondheim  Oslo          6\n\
         Mo i Rana  Oslo          6\n\
         Narvik     Oslo          6\n\
         Stockholm  Oslo          6\n\
         Rome       Rome          2\n\
         Naples     Rome          2\n",
    );
    let ran = graph(&folder, &["components", "n.txt", "--out", "csv:-"]);
    ran.prints("vertex,component,size\n10,10,4\n20,10,4\n30,10,4\n40,10,4\n50,50,1\n");
    assert!(ran.stderr.contains("components: 2\n  with 10: 4\n"), "{ran:?}");
}

#[test]
fn strong_components_follow_directions() {
    let folder = folder();
    let ran = graph(&folder, &["strong", "n.txt", "--out", "csv:-"]);
    ran.prints("vertex,component,size\n10,10,3\n20,10,3\n30,10,3\n40,40,1\n50,50,1\n");
    let ran = graph(&folder, &["strong", "n.txt", "--undirected"]);
    assert!(ran.stdout.starts_with("components: 2\n"), "{ran:?}");
}

#[test]
fn paths_lead_along_arcs_or_edges() {
    let folder = folder();
    graph(&folder, &["paths", "r.csv", "Oslo"]).prints(
        "from Oslo to 5 of 7 vertices\n\
         vertex     distance  before\n\
         Oslo              0\n\
         Bergen          463  Oslo\n\
         Trondheim       494  Oslo\n\
         Mo i Rana       972  Trondheim\n\
         Narvik         1367  Mo i Rana\n\
         Stockholm       521  Oslo\n",
    );
    let expected = "vertex,distance,before\nOslo,463,Bergen\nBergen,0,\nTrondheim,957,Oslo\n\
        Mo i Rana,1435,Trondheim\nNarvik,1830,Mo i Rana\nStockholm,984,Oslo\n";
    for words in [
        ["paths", "r.csv", "Bergen", "--undirected", "--out=csv:-"],
        ["paths", "undirected:r.csv", "s=Bergen", "--backend=reference", "-ocsv:-"],
    ] {
        graph(&folder, &words).prints(expected);
    }
    let back = graph(&folder, &["paths", "r.csv", "Narvik", "--reverse", "--out", "csv:-"]);
    let expected = "vertex,distance,before\nOslo,1367,Trondheim\nTrondheim,873,Mo i Rana\n\
        Mo i Rana,395,Narvik\nNarvik,0,\nStockholm,1403,Narvik\n";
    back.prints(expected);
    let hops = graph(&folder, &["paths", "r.csv", "Oslo", "weight=none", "--out", "csv:-"]);
    assert!(hops.stdout.contains("Narvik,2,Stockholm\n"), "{hops:?}");
}

#[test]
fn one_path_is_printed_step_by_step() {
    let folder = folder();
    let steps = "from Bergen to Narvik: 1830\n  Bergen -> Oslo  after 463\n  \
        Oslo -> Trondheim  after 957\n  Trondheim -> Mo i Rana  after 1435\n  \
        Mo i Rana -> Narvik  after 1830\n";
    for end in ["Narvik", "t=Narvik"] {
        let ran = graph(&folder, &["paths", "r.csv", "Bergen", end, "--undirected"]);
        ran.prints(steps);
    }
    let ran = graph(
        &folder,
        &["paths", "r.csv", "Bergen", "Narvik", "--undirected", "--out", "p.graphml"],
    );
    ran.prints(steps);
    let edges = graph(&folder, &["tree", "p.graphml", "--out", "csv:-"]);
    assert_eq!(edges.stdout.lines().count(), 5, "{edges:?}");
    assert!(edges.stdout.contains("Trondheim,Mo i Rana,478\n"), "{edges:?}");
}

#[test]
fn unreachable_vertices_have_no_path() {
    let folder = folder();
    graph(&folder, &["paths", "r.csv", "Oslo", "Rome"]).prints("no path from Oslo to Rome\n");
    graph(&folder, &["paths", "n.txt", "50", "10", "--out", "csv:-"])
        .prints("vertex,distance,before\n");
    let alone = graph(&folder, &["paths", "n.txt", "40", "--out", "csv:-"]);
    alone.prints("vertex,distance,before\n40,0,\n");
}

#[test]
fn tree_is_a_spanning_forest() {
    let folder = folder();
    graph(&folder, &["tree", "r.csv"]).prints(
        "trees: 2\nedges: 6 of 7\nweight: 2576\n\
         from       to         weight\n\
         Oslo       Bergen        463\n\
         Oslo       Trondheim     494\n\
         Trondheim  Mo i Rana     478\n\
         Mo i Rana  Narvik        395\n\
         Oslo       Stockholm     521\n\
         Rome       Naples        225\n",
    );
    // Weights of trees may be negative.
    folder.write("neg.csv", b"from,to,weight\na,b,-5\nb,c,-1\na,c,2\n");
    let ran = graph(&folder, &["tree", "neg.csv"]);
    assert!(ran.stdout.starts_with("trees: 1\nedges: 2 of 3\nweight: -6\n"), "{ran:?}");
    // Only a sum beyond the greatest integer is not printed.
    for (text, weight) in [
        ("a,b,-9223372036854775807\nb,c,1\n", "-9223372036854775806\n"),
        ("a,b,9223372036854775807\nb,c,-1\nc,d,1\n", "9223372036854775807\n"),
        ("a,b,-9223372036854775808\n", "-9223372036854775808\n"),
        ("a,b,-5\nb,c,-5\n", "-10\n"),
        ("a,b,9223372036854775807\nb,c,9223372036854775807\n", "beyond 63 bits; `scale=0.001`"),
        ("a,b,-9223372036854775808\nb,c,-1\n", "beyond 63 bits; `scale=0.001`"),
    ] {
        folder.write("wide.csv", text.as_bytes());
        let ran = graph(&folder, &["tree", "wide.csv"]);
        assert!(ran.stdout.contains(&format!("weight: {weight}")), "{ran:?}");
        assert!(ran.stdout.contains("\na ") && ran.code == 0, "{ran:?}");
    }
}

#[test]
fn closure_lists_pairs() {
    let folder = folder();
    let ran = graph(&folder, &["closure", "n.txt"]);
    let pairs = "10 10\n10 20\n10 30\n10 40\n20 10\n20 20\n20 30\n20 40\n30 10\n30 20\n30 30\n\
        30 40\n50 50\n";
    let printed: String =
        ran.stdout.lines().skip(3).map(|line| line.replace("    ", " ") + "\n").collect();
    assert_eq!(printed, pairs, "{ran:?}");
    assert!(ran.stdout.starts_with("pairs: 13 of 25\nvertices on cycles: 4\n"), "{ran:?}");
    let ran = graph(&folder, &["closure", "r.csv", "--out", "csv:-"]);
    ran.prints(
        "from,to\nOslo,Bergen\nOslo,Trondheim\nOslo,Mo i Rana\nOslo,Narvik\nOslo,Stockholm\n\
         Trondheim,Mo i Rana\nTrondheim,Narvik\nMo i Rana,Narvik\nStockholm,Narvik\nRome,Naples\n",
    );
}

#[test]
fn degrees_count_arcs_or_edges() {
    let folder = folder();
    graph(&folder, &["degrees", "r.csv", "--out", "csv:-"]).prints(
        "vertex,outdegree,indegree,degree\nOslo,3,0,3\nBergen,0,1,1\nTrondheim,1,1,2\n\
         Mo i Rana,1,1,2\nNarvik,0,2,2\nStockholm,1,1,2\nRome,1,0,1\nNaples,0,1,1\n",
    );
    graph(&folder, &["degrees", "n.txt", "--undirected"]).prints(
        "vertices: 5\nedges: 5\ngreatest degree: 3, of 30\n\
         vertex  degree\n10           2\n20           2\n30           3\n40           1\n\
         50           2\n",
    );
}

#[test]
fn unknown_vertices_get_a_suggestion() {
    let folder = folder();
    graph(&folder, &["paths", "r.csv", "Bergn"])
        .fails(2, &["error[E0605]: r.csv: no vertex `Bergn` for `s`", "did you mean `s=Bergen`?"]);
    graph(&folder, &["paths", "r.csv", "Oslo", "Narvk"])
        .fails(2, &["error[E0605]: r.csv: no vertex `Narvk` for `t`", "did you mean `t=Narvik`?"]);
    graph(&folder, &["paths", "n.txt", "11"]).fails(2, &["no vertex `11`", "from `10` to `50`"]);
    graph(&folder, &["paths", "r.csv"])
        .fails(2, &["error[E0604]: `star graph paths` needs a vertex to start at", "r.csv VERTEX"]);
    graph(&folder, &["components", "r.csv", "Oslo"])
        .fails(2, &["unexpected argument of `star graph components`: `Oslo`"]);
    graph(&folder, &["paths", "r.csv", "Oslo", "Bergen", "Rome"])
        .fails(2, &["unexpected argument of `star graph paths`: `Rome`", "at most 2 vertices"]);
    graph(&folder, &["path", "r.csv"]).fails(2, &["`path`", "paths"]);
}

#[test]
fn vertices_may_begin_with_a_sign() {
    let folder = Folder::new(&[("m.csv", "from,to,weight\n-5x,b,1\nb,c,4\n")]);
    graph(&folder, &["paths", "m.csv", "-5x"]).fails(2, &["unexpected argument `-5x`", "`-- -5x`"]);
    graph(&folder, &["paths", "m.csv", "--", "-5x", "c"])
        .prints("from -5x to c: 5\n  -5x -> b  after 1\n  b -> c  after 5\n");
}

#[test]
fn matrices_that_are_not_square_are_refused() {
    let matrix = "%%MatrixMarket matrix coordinate pattern general\n2 3 1\n1 2\n";
    let folder = Folder::new(&[("r.mtx", matrix)]);
    graph(&folder, &["tree", "r.mtx"]).fails(
        5,
        &["E0507", "r.mtx: a table of 2 × 3 is no graph", "equal numbers of rows and columns"],
    );
}

#[test]
fn long_paths_of_heavy_arcs_have_distances_that_fit() {
    let arc = |i: u32| format!("v{i},v{},{}\n", i + 1, if i == 0 { 1u64 << 60 } else { 1 });
    let chain: String = (0..20).map(arc).collect();
    let folder = Folder::new(&[("c.csv", &format!("from,to,weight\n{chain}"))]);
    let ran = graph(&folder, &["paths", "c.csv", "v0", "--out", "csv:-"]);
    assert!(ran.stdout.contains("v20,1152921504606846995,v19\n"), "{ran:?}");
    let ran = graph(&folder, &["paths", "c.csv", "v1"]);
    assert!(ran.stdout.contains("\nv20           19  v19\n"), "{ran:?}");
    let ran = graph(&folder, &["paths", "c.csv", "v0", "v20"]);
    assert!(ran.stdout.contains("from v0 to v20: 1152921504606846995\n"), "{ran:?}");
}

#[test]
fn distances_up_to_63_bits_are_shown() {
    let most = i64::MAX;
    let files = [
        ("one.csv", format!("from,to,weight\na,b,{most}\n")),
        ("sum.csv", format!("from,to,weight\na,b,{}\nb,c,{}\n", 1_i64 << 62, (1_i64 << 62) - 1)),
        ("more.csv", format!("from,to,weight\na,b,{most}\nb,c,1\n")),
    ];
    let folder = Folder::new(&files.each_ref().map(|(name, text)| (*name, text.as_str())));
    let ran = graph(&folder, &["paths", "one.csv", "a", "--out", "csv:-"]);
    ran.prints(&format!("vertex,distance,before\na,0,\nb,{most},a\n"));
    let ran = graph(&folder, &["paths", "sum.csv", "a", "--out", "csv:-"]);
    ran.prints(&format!("vertex,distance,before\na,0,\nb,{},a\nc,{most},b\n", 1_i64 << 62));
    let ran = graph(&folder, &["paths", "sum.csv", "a", "c"]);
    assert!(ran.stdout.contains(&format!("from a to c: {most}\n")), "{ran:?}");
    for (file, weight) in [("one.csv", most.to_string()), ("sum.csv", most.to_string())] {
        let ran = graph(&folder, &["tree", file]);
        assert!(ran.stdout.contains(&format!("weight: {weight}\n")), "{ran:?}");
    }
    graph(&folder, &["paths", "more.csv", "a"])
        .fails(5, &["error[E0507]: the row of the vertex `c` exceeds 63 bits", "`scale=0.001`"]);
    let ran = graph(&folder, &["tree", "more.csv"]);
    assert!(ran.stdout.contains("weight: beyond 63 bits; `scale=0.001` reads"), "{ran:?}");
}

#[test]
fn vertices_may_contain_a_sign_of_equality() {
    let folder = Folder::new(&[("e.csv", "from,to\ns=1,b\nb,x=y\n")]);
    let ran = graph(&folder, &["paths", "e.csv", "s=s=1", "t=x=y"]);
    assert!(ran.stdout.starts_with("from s=1 to x=y: 2\n"), "{ran:?}");
    graph(&folder, &["paths", "e.csv", "s=1"])
        .fails(2, &["E0605", "no vertex `1` for `s`", "write `s=s=1` for the vertex `s=1`"]);
    graph(&folder, &["paths", "e.csv", "b", "t=y"]).fails(2, &["no vertex `y` for `t`"]);
    graph(&folder, &["paths", "e.csv", "x=y"])
        .fails(2, &["E0604", "for a vertex called `x=y` write `s=x=y`"]);
    graph(&folder, &["paths", "e.csv", "x=y", "b"])
        .fails(2, &["E0603", "for a vertex called `x=y` write `s=x=y`"]);
}

#[test]
fn negative_weights_are_refused_for_paths() {
    let folder = Folder::new(&[("neg.csv", "from,to,weight\na,b,-5\nb,c,-1\na,c,2\n")]);
    let ran = graph(&folder, &["paths", "neg.csv", "a"]);
    ran.fails(5, &["neg.csv", "negative"]);
}

#[test]
fn small_graphs_are_graphs() {
    let folder = Folder::new(&[
        ("none.csv", ""),
        ("header.csv", "from,to,km\n"),
        ("one.gr", "p sp 1 0\n"),
        ("loop.txt", "7 7\n"),
    ]);
    for task in ["components", "strong", "tree", "closure", "degrees"] {
        let ran = graph(&folder, &[task, "none.csv"]);
        assert!(ran.code == 5 && ran.stderr.contains("none.csv"), "{task}: {ran:?}");
        for file in ["one.gr", "loop.txt"] {
            let ran = graph(&folder, &[task, file]);
            assert_eq!(ran.code, 0, "{task} {file}: {ran:?}");
        }
    }
    graph(&folder, &["paths", "one.gr", "1", "--out", "csv:-"])
        .prints("vertex,distance,before\n1,0,\n");
    graph(&folder, &["components", "one.gr", "--out", "csv:-"])
        .prints("vertex,component,size\n1,1,1\n");
    graph(&folder, &["degrees", "loop.txt", "--out", "csv:-"])
        .prints("vertex,outdegree,indegree,degree\n7,1,1,2\n");
    graph(&folder, &["closure", "loop.txt", "--out", "csv:-"]).prints("from,to\n7,7\n");
    graph(&folder, &["tree", "loop.txt"]).prints("trees: 1\nedges: 0 of 1\nweight: 0\nfrom  to\n");
}

#[test]
fn files_are_checked_before_the_run() {
    let folder = folder();
    graph(&folder, &["components", "r.csv", "--out", "r.csv"])
        .fails(5, &["E0509", "r.csv", "`--out` would replace it"]);
    assert_eq!(fs::read_to_string(folder.path("r.csv")).unwrap(), ROADS);
    graph(&folder, &["components", "r.csv", "--out", "c.xyz"])
        .fails(5, &["E0506", "cannot determine the output format", "`.csv`"]);
    graph(&folder, &["components", "r.csv", "--out", "c.graphml"]).fails(5, &["E0507"]);
    for file in ["t.png", "t.npy"] {
        let ran = graph(&folder, &["tree", "r.csv", "--out", file]);
        ran.fails(5, &["E0507", "arcs of a graph cannot be written", "`.csv`", "`.graphml`"]);
        assert!(!ran.stderr.contains("`.npz`") && ran.stdout.is_empty(), "{ran:?}");
    }
    graph(&folder, &["tree", "r.csv", "--view", "t.gif"]).fails(5, &["unknown picture format"]);
    graph(&folder, &["tree", "no.csv"]).fails(5, &["no.csv", "cannot open"]);
    assert_eq!(folder.names(), ["n.txt", "r.csv"]);
}

#[test]
fn results_go_to_files_and_pictures() {
    let folder = folder();
    let ran = graph(&folder, &["tree", "r.csv", "--out", "t.json", "--view", "t.svg"]);
    ran.prints("trees: 2\nedges: 6 of 7\nweight: 2576\n");
    let again = graph(&folder, &["tree", "t.json"]);
    assert!(again.stdout.starts_with("trees: 2\nedges: 6 of 6\nweight: 2576\n"), "{again:?}");
    let drawn = fs::read_to_string(folder.path("t.svg")).unwrap();
    for text in ["Mo i Rana", ">395<", ">1403<"] {
        assert!(drawn.contains(text), "no {text}");
    }
    for (task, marked) in [("components", "6 vertices marked"), ("degrees", "1 vertex marked")] {
        // The marks are vertices, even if there are as many arcs.
        folder.write("same.csv", b"a,b\nb,c\nc,a\n");
        let ran = graph(&folder, &[task, "r.csv", "--out", "x.csv", "--view", "x.svg"]);
        assert!(ran.stderr.contains(marked), "{ran:?}");
        let ran = graph(&folder, &[task, "same.csv", "--view", "x.svg"]);
        assert!(ran.stderr.contains("3 vertices marked"), "{ran:?}");
    }
    let ran = graph(&folder, &["closure", "n.txt", "--view", "c.png"]);
    assert!(ran.stderr.contains("c.png: a table of 5 × 5"), "{ran:?}");
}

#[test]
fn input_may_be_a_pipe_and_output_may_be_closed() {
    let folder = folder();
    let ran = folder.shell("$STAR graph components csv:- < r.csv | head -1");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "components: 2\n"), "{ran:?}");
    let many: String = (1..20_000).map(|x| format!("{x} {}\n", x + 1)).collect();
    folder.write("many.txt", many.as_bytes());
    let ran = folder.shell("$STAR graph degrees many.txt | head -2");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "vertices: 20000\narcs: 19999\n"), "{ran:?}");
    assert!(!ran.stderr.contains("error"), "{ran:?}");
}

#[test]
fn tasks_are_the_examples() {
    let folder = folder();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let columns = "distance=distances, before=codes";
    for (task, file) in [
        ("components", "graph_components.star"),
        ("strong", "graph_components.star"),
        ("paths", "graph_paths.star"),
        ("tree", "graph_tree.star"),
        ("closure", "graph_closure.star"),
        ("degrees", "graph_degrees.star"),
    ] {
        let text = fs::read_to_string(examples.join(file)).unwrap();
        graph(&folder, &[task, "--program"]).prints(&text);
        assert!(text.contains(&format!("star graph {task}")), "{file}");
        folder.write(file, text.as_bytes());
    }
    let by_task = graph(&folder, &["paths", "r.csv", "Oslo"]);
    let names = format!("--names={columns}");
    let by_run = ["run", "graph_paths.star", "--graph", "r.csv", "s=Oslo", &names];
    folder.star(&by_run).prints(&by_task.stdout);
    assert!(folder.star(&by_run).stderr.contains("note: r.csv: h = "));
    assert!(!by_task.stderr.contains("h = "), "{by_task:?}");
}

#[test]
fn matrices_are_no_numbers_of_vertices() {
    let folder = Folder::new(&[("r.csv", "from,to,km\na,b,2\nb,c,3\n")]);
    let run = |proc: &str, more: &[&str]| {
        let library = if proc == "FLOYD" { "star:paths" } else { "star:closure" };
        let run = ["run", library, "--proc", proc, "--graph", "r.csv"];
        folder.star(&[&run[..], more].concat())
    };
    run("FLOYD", &["--out", "D=distances:csv:-"]).fails(
        5,
        &["E0507", "`D` has a number for each pair", "3 numbers of 4 bits", "a=4 b=4 c=4:FILE`"],
    );
    run("FLOYD", &["--out", "D=records a=4 b=4 c=4:csv:-"])
        .prints("a,b,c\n0,2,5\n15,0,3\n15,15,0\n");
    assert!(!run("FLOYD", &["--names"]).stdout.contains("vertex"));
    run("WARSHALL", &["--out", "P=distances:csv:-"])
        .fails(5, &["E0507", "`P` has a number for each pair", "`P=adjacency:FILE`"]);
    run("WARSHALL", &["--out", "P=adjacency:csv:-"]).prints("from,to\na,b\na,c\nb,c\n");
}

#[test]
fn names_show_results_of_any_routine() {
    let folder = folder();
    let dijkstra = ["run", "star:paths", "--proc", "DIJKSTRA", "--graph", "r.csv", "s=Oslo"];
    let ran = folder.star(&[&dijkstra[..], &["--names"]].concat());
    assert!(ran.stdout.contains("Mo i Rana   972  Trondheim\n"), "{ran:?}");
    assert!(!ran.stdout.contains("Rome"), "{ran:?}");
    let ran = folder.star(&[&dijkstra[..], &["--names=Pred=codes"]].concat());
    assert!(ran.stdout.starts_with("vertex     code\nOslo\nBergen     Oslo\n"), "{ran:?}");
    let out = ["--out", "Dist=distances, Pred=codes:csv:-"];
    let ran = folder.star(&[&dijkstra[..], &out].concat());
    assert!(ran.stdout.starts_with("vertex,Dist,Pred\nOslo,0,\nBergen,463,Oslo\n"), "{ran:?}");
    folder
        .star(&[&dijkstra[..], &["--names=Pre=codes"]].concat())
        .fails(2, &["E0606", "did you mean `--names Pred=…`?"]);
    let ran = folder.star(&[&dijkstra[..], &["--names=Pred=foo"]].concat());
    ran.fails(5, &["E0507", "unknown form `foo`", "the forms are", "`distances`"]);
    assert!(!ran.stderr.contains("file name"), "{ran:?}");
    let kruskal = ["run", "star:mst", "--proc", "KRUSKAL", "--graph", "r.csv", "--names"];
    let ran = folder.star(&kruskal);
    assert!(
        ran.stdout.starts_with("T:\nfrom       to         weight\nOslo       Bergen"),
        "{ran:?}"
    );
    let slice = "program P(G: table(n,n); var X: slice(n)); begin X:=COL(1,G) end.";
    folder.write("p.star", slice.as_bytes());
    folder
        .star(&["run", "p.star", "--graph", "reverse:r.csv", "--names=X=vertices"])
        .prints("vertex\nBergen\nTrondheim\nStockholm\n");
}

#[test]
fn programs_print_names_of_vertices() {
    let program = "program P(n: integer); var i: integer; begin\n  \
        i:=n; print(name(1),\" \",name(i),\" \",name(i+1),\" \",name(-1)) end.";
    let folder = folder();
    folder.write("p.star", program.as_bytes());
    for backend in ["cpu", "reference"] {
        let run = ["run", "p.star", "--backend", backend];
        let ran = folder.star(&[&run[..], &["--graph", "r.csv"]].concat());
        ran.prints("Oslo Naples 9 -1\n");
        folder.star(&[&run[..], &["--graph", "n.txt"]].concat()).prints("10 50 6 -1\n");
        folder.star(&[&run[..], &["n=4"]].concat()).prints("1 4 5 -1\n");
    }
    for wrong in ["assert(1=2,name(1))", "read(T,name(1))", "Q(name(1))"] {
        let text = format!(
            "procedure Q(s: string); begin print(s) end;\nprogram P; var T: table; begin {wrong} end."
        );
        folder.write("w.star", text.as_bytes());
        folder
            .star(&["run", "w.star"])
            .fails(1, &["error[E0301]: `name` can only be an argument of `print`"]);
    }
    // A program may have its own function of this name.
    let own = "function name(i: integer): integer; begin name:=i*2 end;\n\
        program P; begin print(name(4)) end.";
    folder.write("own.star", own.as_bytes());
    folder.star(&["run", "own.star"]).prints("8\n");
}
