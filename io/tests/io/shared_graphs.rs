//! The graphs of the shared data folder against the counts in its description.

use std::fs::{self, File};
use std::path::Path;

use star_io::{Data, Format, Graph, ReadOptions, read};

use crate::support::BUDGET;

struct Expected {
    file: &'static str,
    n_vertices: usize,
    n_arcs: usize,
    n_loops: usize,
    weights: Option<(i64, i64)>,
    n_warnings: usize,
}

#[rustfmt::skip]
const EXPECTED: &[Expected] = &[
    Expected { file: "DE.gr", n_vertices: 49109, n_arcs: 121024, n_loops: 448, weights: Some((0, 3818)), n_warnings: 2 },
    Expected { file: "cryg2500.mtx", n_vertices: 2500, n_arcs: 12349, n_loops: 2500, weights: None, n_warnings: 2 },
    Expected { file: "isle-of-man.gr", n_vertices: 11641, n_arcs: 26146, n_loops: 0, weights: Some((0, 266_192)), n_warnings: 0 },
    Expected { file: "jagmesh7.mtx", n_vertices: 1138, n_arcs: 4294, n_loops: 1138, weights: None, n_warnings: 1 },
    Expected { file: "karate.mtx", n_vertices: 34, n_arcs: 78, n_loops: 0, weights: None, n_warnings: 0 },
    Expected { file: "liechtenstein.gr", n_vertices: 6743, n_arcs: 14798, n_loops: 0, weights: Some((0, 4433)), n_warnings: 0 },
    Expected { file: "p2p-Gnutella05.txt", n_vertices: 8846, n_arcs: 31839, n_loops: 0, weights: None, n_warnings: 0 },
    Expected { file: "rome99.gr", n_vertices: 3353, n_arcs: 8870, n_loops: 0, weights: Some((1, 12711)), n_warnings: 1 },
    Expected { file: "test_FW_1000.mtx", n_vertices: 1000, n_arcs: 3996, n_loops: 1000, weights: None, n_warnings: 2 },
    Expected { file: "test_FW_2500.mtx", n_vertices: 2500, n_arcs: 7852, n_loops: 1996, weights: None, n_warnings: 2 },
    Expected { file: "west0067.mtx", n_vertices: 67, n_arcs: 294, n_loops: 2, weights: None, n_warnings: 2 },
    Expected { file: "wiki-Vote.txt", n_vertices: 7115, n_arcs: 103_689, n_loops: 0, weights: None, n_warnings: 1 },
];

fn load(path: &Path) -> (Graph, Vec<String>) {
    let name = path.display().to_string();
    let format = Format::of_path(&name).expect("a known extension");
    let mut options = ReadOptions::new(&name, BUDGET);
    options.size_hint = fs::metadata(path).ok().map(|metadata| metadata.len());
    let mut file = File::open(path).expect("the file is there");
    match read(format, &mut file, &mut options) {
        Ok(loaded) => match loaded.data {
            Data::Graph(graph) => (graph, loaded.warnings),
            other => panic!("{other:?} instead of a graph"),
        },
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn counts_agree_with_the_description() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/graphs");
    for expected in EXPECTED {
        let path = folder.join(expected.file);
        if !path.exists() {
            skip(expected.file);
            continue;
        }
        let (graph, warnings) = load(&path);
        assert_eq!(graph.n_vertices, expected.n_vertices, "{}", expected.file);
        assert_eq!(graph.n_edges(), expected.n_arcs, "{}", expected.file);
        let n_loops = graph.arcs.iter().filter(|arc| arc.tail == arc.head).count();
        assert_eq!(n_loops, expected.n_loops, "{}", expected.file);
        if let Some(weights) = expected.weights {
            let least = graph.arcs.iter().map(|arc| arc.weight).min();
            assert_eq!((least, graph.max_weight()), (Some(weights.0), weights.1));
        }
        assert_eq!(warnings.len(), expected.n_warnings, "{}: {warnings:?}", expected.file);
    }
}

#[test]
fn quirks_are_told() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/graphs");
    for (file, part) in [
        ("DE.gr", "1280 parallel arcs"),
        ("rome99.gr", "11 parallel arcs"),
        ("test_FW_1000.mtx", "1000 stored zeros"),
        ("wiki-Vote.txt", "7115 distinct numbers"),
    ] {
        let path = folder.join(file);
        if path.exists() {
            let (_, warnings) = load(&path);
            assert!(warnings.iter().any(|text| text.contains(part)), "{file}: {warnings:?}");
        } else {
            skip(file);
        }
    }
}

#[allow(clippy::print_stderr)] // a test that does nothing says so
fn skip(file: &str) {
    eprintln!("skipped: {file} is not in shared/data/graphs");
}
