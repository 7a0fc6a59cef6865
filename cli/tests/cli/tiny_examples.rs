//! The examples on graphs of one and two vertices, and on grids and images of 1 × 1, 1 × n and
//! n × 1 cells.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::support::Folder;

/// The examples that take a graph, with their other arguments.
const OF_GRAPHS: [&str; 24] = [
    "bellman_ford.star s=1",
    "check_mst.star",
    "closure.star",
    "dijkstra.star s=1",
    "dynamic_closure.star updates=changes.updates",
    "dynamic_mst.star updates=changes.updates",
    "dynamic_paths.star t=1 updates=changes.updates",
    "dynamic_reach.star s=1 updates=changes.updates",
    "edmonds.star",
    "floyd.star",
    "gabow.star r=1 most=1",
    "graph_closure.star",
    "graph_components.star",
    "graph_components.star --proc STRONG_COMPONENTS",
    "graph_degrees.star",
    "graph_paths.star s=1",
    "graph_paths.star --proc PATH s=1 t=1",
    "graph_tree.star",
    "levels.star s=1",
    "mst.star",
    "prim.star s=1",
    "road.star s=1 t=1",
    "strong.star",
    "tested.star --proc TURN",
];

/// Graphs: without arcs, with a loop, and with one arc.
const GRAPHS: [(&str, &str); 5] = [
    ("one.gr", "p sp 1 0\n"),
    ("loop.gr", "p sp 1 1\na 1 1 5\n"),
    ("two.gr", "p sp 2 0\n"),
    ("arc.gr", "p sp 2 1\na 1 2 3\n"),
    ("back.gr", "p sp 2 2\na 1 2 3\na 2 1 1\n"),
];

/// The examples that take a grid or an image of `w` columns and `h` rows, from one corner to the
/// other.
const OF_GRIDS: [&str; 11] = [
    "route.star map=free.map x0=1 y0=1 xf={w} yf={h}",
    "route.star map=free.map x0={w} y0={h} xf=1 yf=1 moore=true",
    "route.star map=free.map x0=1 y0=1 xf={w} yf={h} squeeze=true",
    "route.star --proc HEIGHTS map=gray.pgm threshold=99 x0=1 y0=1 xf={w} yf={h}",
    "route.star --proc HEIGHTS map=gray.pgm threshold=99 x0=1 y0=1 xf={w} yf={h} squeeze=true",
    "route.star --proc BLOCKS map=blocks.npz x0=1 y0=1 xf={w} yf={h}",
    "route.star --proc BLOCKS map=blocks.npz x0=1 y0=1 xf={w} yf={h} moore=true",
    "route.star --proc WEIGHTS map=gray.pgm x0=1 y0=1 xf={w} yf={h} moore=true",
    "route.star --proc WEIGHTS map=gray.pgm x0=1 y0=1 xf={w} yf={h} squeeze=true",
    "trace_line.star image=gray.pgm ax=1 ay=1 bx={w} by={h} p=9 d=3 width=3 theta=180",
    "trace_truth.star image=gray.pgm truth=free.pbm ax=1 ay=1 bx={w} by={h} p=9 d=3 width=3 theta=90",
];

/// Other examples: without input, or with a list of one record.
const OTHERS: [&str; 12] = [
    "events.star m=2 t=4 a=2",
    "fees.star",
    "fnd_step.star",
    "groups.star",
    "nearest.star",
    "record_levels.star",
    "record_paths.star",
    "record_tree.star",
    "select.star",
    "search.star",
    "rentals.star From=field:from:one.csv station=code:from=Harbour:one.csv \
        Minutes=field:minutes:one.csv least=code:minutes=30:one.csv scale=price:100",
    "terrain.star Z=records:square.csv w=2 eps=0 near=0 step=1 frames=2 zoom=1 obj=true \
        picture=rgb:t.png",
];

/// A folder with the examples and these files.
fn folder(files: &[(&str, &str)]) -> Folder {
    let folder = Folder::new(files);
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "star") {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            folder.write(&name, &fs::read(&path).unwrap());
        }
    }
    folder
}

/// Runs an example, and asserts that it ends well. A graph without paths has nothing to print.
#[track_caller]
fn runs(folder: &Folder, line: &str) {
    let ran = folder.star(&["run"].into_iter().chain(line.split_whitespace()).collect::<Vec<_>>());
    assert_eq!(ran.code, 0, "{line}: {ran:#?}");
}

#[test]
fn examples_run_on_graphs_of_one_and_two_vertices() {
    let folder = folder(&GRAPHS);
    folder.write("changes.updates", b"? 1 1\n?\n");
    for (graph, _) in GRAPHS {
        for line in OF_GRAPHS {
            runs(&folder, &format!("{line} --graph {graph}"));
        }
    }
}

#[test]
fn examples_run_on_grids_of_one_row_or_column() {
    for (w, h) in [(1, 1), (2, 1), (1, 2), (7, 1), (1, 7), (65, 1), (1, 65)] {
        let cells = |cell: &str| format!("{}\n", vec![cell; w].join(" ")).repeat(h);
        let map =
            format!("type octile\nheight {h}\nwidth {w}\nmap\n{}", cells(".").replace(' ', ""));
        let (gray, truth) =
            (format!("P2\n{w} {h}\n255\n{}", cells("7")), format!("P1\n{w} {h}\n{}", cells("1")));
        let folder = folder(&[("free.map", &map), ("gray.pgm", &gray), ("free.pbm", &truth)]);
        let line = format!("gen blocks --rows {h} --columns {w} --impassable 0 -o blocks.npz");
        let made = folder.star(&line.split_whitespace().collect::<Vec<_>>());
        assert_eq!(made.code, 0, "{made:?}");
        for line in OF_GRIDS {
            // A line has two ends.
            if line.starts_with("trace") && w * h == 1 {
                continue;
            }
            let line = line.replace("{w}", &w.to_string()).replace("{h}", &h.to_string());
            runs(&folder, &line);
            if line.starts_with("route") {
                let path = fs::read_to_string(folder.path("route.csv")).unwrap();
                assert_eq!(path.lines().count(), w * h + 1, "{line}: {path}");
            }
        }
    }
}

#[test]
fn degenerate_lines_and_terrains_are_refused_by_name() {
    let folder = folder(&[("one.pgm", "P2\n1 1\n255\n7\n"), ("row.csv", "z\n3\n4\n5\n")]);
    let refused = |line: &str, part: &str| {
        let words: Vec<&str> = ["run"].into_iter().chain(line.split_whitespace()).collect();
        folder.star(&words).fails(3, &["T0111", part]);
    };
    let line = "trace_line.star image=one.pgm ax=1 ay=1 bx=1 by=1 p=3 d=3 width=3 theta=180";
    refused(line, "a and b are the same pixel");
    for (w, part) in [(1, "2 to 16385 samples in a row"), (3, "2 to 16385 rows of samples")] {
        let line = format!(
            "terrain.star Z=records:row.csv w={w} eps=0 near=0 step=1 frames=1 zoom=1 obj=true \
                picture=rgb:t.png"
        );
        refused(&line, part);
    }
}

#[test]
fn links_of_one_pixel_score_nothing_and_are_drawn() {
    // A ridge, and seven links over four pixels.
    let row = |value: &str| format!("{}\n", [value; 9].join(" "));
    let rows = [row("0").repeat(3), row("200"), row("0").repeat(3)].concat();
    let folder = folder(&[("ridge.pgm", &format!("P2\n9 7\n255\n{rows}"))]);
    let line = "run trace_line.star image=ridge.pgm ax=3 ay=4 bx=6 by=4 p=8 d=3 width=3 theta=180 \
        --out Overlay=planes#red=8#green=8#blue=8:line.ppm";
    let words: Vec<String> = line.split_whitespace().map(|word| word.replace('#', " ")).collect();
    let ran = folder.star(&words.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(ran.code, 0, "{ran:#?}");
    let nodes: Vec<&str> = ran.stdout.lines().skip(1).take(8).collect();
    assert!(ran.stdout.starts_with("score "), "{ran:#?}");
    assert_eq!((nodes[0], nodes[7]), ("3,4", "6,4"), "{ran:#?}");
    assert!(folder.path("line.ppm").exists());
}

#[test]
fn every_example_is_tried_here() {
    let lines = OF_GRAPHS.iter().chain(&OF_GRIDS).chain(&OTHERS);
    let tried: BTreeSet<&str> = lines.map(|line| line.split(' ').next().unwrap()).collect();
    let folder = folder(&[
        ("one.csv", "bike,from,to,left,minutes,price\n1,Harbour,Park,08:00,31,2.50\n"),
        ("square.csv", "z\n3\n4\n5\n-6\n"),
    ]);
    let names = folder.names();
    let examples: BTreeSet<&str> =
        names.iter().map(String::as_str).filter(|name| name.ends_with(".star")).collect();
    assert_eq!(tried, examples);
    OTHERS.iter().for_each(|line| runs(&folder, line));
}
