//! Comparison of the graphs in the shared data folder with the counts in its description.

use std::fs::{self, File};
use std::path::Path;

use star_io::{Data, Format, Graph, LoadedFile, ReadOptions, Shape, read};

use crate::support::BUDGET;

struct Expected {
    file: &'static str,
    n_vertices: usize,
    /// Entries of the list; the edges of a symmetric graph count once.
    n_arcs: usize,
    n_loops: usize,
    weights: Option<(i64, i64)>,
    /// Weakly connected components, if given in the description.
    n_components: Option<usize>,
    n_warnings: usize,
}

#[rustfmt::skip]
const EXPECTED: &[Expected] = &[
    Expected { file: "DE.gr", n_vertices: 49109, n_arcs: 121_024, n_loops: 448, weights: Some((0, 3818)), n_components: Some(82), n_warnings: 2 },
    Expected { file: "PGPgiantcompo.graph", n_vertices: 10680, n_arcs: 24316, n_loops: 0, weights: None, n_components: Some(1), n_warnings: 0 },
    Expected { file: "airfoil1.graph", n_vertices: 4253, n_arcs: 12289, n_loops: 0, weights: None, n_components: Some(1), n_warnings: 0 },
    Expected { file: "celegans_metabolic.graph", n_vertices: 453, n_arcs: 2025, n_loops: 0, weights: None, n_components: Some(1), n_warnings: 0 },
    Expected { file: "cryg2500.mtx", n_vertices: 2500, n_arcs: 12349, n_loops: 2500, weights: None, n_components: None, n_warnings: 2 },
    Expected { file: "isle-of-man.gr", n_vertices: 11641, n_arcs: 26146, n_loops: 0, weights: Some((0, 266_192)), n_components: Some(101), n_warnings: 0 },
    Expected { file: "jagmesh7.mtx", n_vertices: 1138, n_arcs: 4294, n_loops: 1138, weights: None, n_components: None, n_warnings: 1 },
    Expected { file: "karate.mtx", n_vertices: 34, n_arcs: 78, n_loops: 0, weights: None, n_components: None, n_warnings: 0 },
    Expected { file: "lesmis.graph", n_vertices: 77, n_arcs: 254, n_loops: 0, weights: Some((1, 31)), n_components: Some(1), n_warnings: 0 },
    Expected { file: "liechtenstein.gr", n_vertices: 6743, n_arcs: 14798, n_loops: 0, weights: Some((0, 4433)), n_components: Some(145), n_warnings: 0 },
    Expected { file: "p2p-Gnutella05.txt", n_vertices: 8846, n_arcs: 31839, n_loops: 0, weights: None, n_components: Some(3), n_warnings: 0 },
    Expected { file: "polblogs.graph", n_vertices: 1490, n_arcs: 16715, n_loops: 0, weights: None, n_components: Some(268), n_warnings: 0 },
    Expected { file: "power.graph", n_vertices: 4941, n_arcs: 6594, n_loops: 0, weights: None, n_components: Some(1), n_warnings: 0 },
    Expected { file: "rome99.gr", n_vertices: 3353, n_arcs: 8870, n_loops: 0, weights: Some((1, 12711)), n_components: Some(1), n_warnings: 1 },
    Expected { file: "test_FW_1000.mtx", n_vertices: 1000, n_arcs: 3996, n_loops: 1000, weights: Some((0, 457)), n_components: Some(1), n_warnings: 1 },
    Expected { file: "test_FW_2500.mtx", n_vertices: 2500, n_arcs: 7852, n_loops: 1996, weights: Some((1, 5679)), n_components: None, n_warnings: 1 },
    Expected { file: "west0067.mtx", n_vertices: 67, n_arcs: 294, n_loops: 2, weights: None, n_components: None, n_warnings: 2 },
    Expected { file: "wiki-Vote.txt", n_vertices: 7115, n_arcs: 103_689, n_loops: 0, weights: None, n_components: Some(24), n_warnings: 1 },
];

/// Number of weakly connected components of the graph.
fn n_components(graph: &Graph) -> usize {
    let mut parents: Vec<usize> = (0..graph.n_vertices).collect();
    let root = |parents: &mut Vec<usize>, mut vertex: usize| {
        while parents[vertex] != vertex {
            parents[vertex] = parents[parents[vertex]];
            vertex = parents[vertex];
        }
        vertex
    };
    for arc in &graph.arcs {
        let (a, b) = (arc.tail as usize, arc.head as usize);
        let (a, b) = (root(&mut parents, a), root(&mut parents, b));
        parents[a] = b;
    }
    (0..graph.n_vertices).filter(|&vertex| parents[vertex] == vertex).count()
}

fn load(path: &Path) -> (Graph, Vec<String>) {
    let name = path.display().to_string();
    let format = Format::of_path(&name).expect("a known extension");
    let mut options = ReadOptions::new(&name, BUDGET);
    options.size_hint = fs::metadata(path).ok().map(|metadata| metadata.len());
    let mut file = File::open(path).expect("the file is there");
    match read(format, &mut file, &mut options) {
        Ok(loaded) => match loaded.data {
            Data::Graph(graph) => (graph, [loaded.warnings, loaded.notes].concat()),
            other => panic!("{other:?} instead of a graph"),
        },
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn counts_match_the_description() {
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
        assert_eq!(graph.weighted, expected.weights.is_some(), "{}", expected.file);
        if let Some(n) = expected.n_components {
            assert_eq!(n_components(&graph), n, "{}", expected.file);
        }
        if let Some(weights) = expected.weights {
            let least = graph.arcs.iter().map(|arc| arc.weight).min();
            assert_eq!((least, graph.max_weight()), (Some(weights.0), weights.1));
        }
        assert_eq!(warnings.len(), expected.n_warnings, "{}: {warnings:?}", expected.file);
    }
}

#[test]
fn quirks_are_reported() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/graphs");
    for (file, part) in [
        ("DE.gr", "1280 parallel arcs"),
        ("rome99.gr", "11 parallel arcs"),
        ("cryg2500.mtx", "read as a pattern"),
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

#[test]
fn every_file_is_described() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/graphs");
    let Ok(entries) = fs::read_dir(&folder) else { return skip("the folder") };
    for entry in entries {
        let name = entry.expect("an entry").file_name().into_string().expect("text");
        let known = EXPECTED.iter().any(|expected| expected.file == name);
        assert!(known || name.ends_with(".co"), "{name}");
    }
}

#[test]
fn stored_zeros_are_weights() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/graphs");
    let path = folder.join("test_FW_1000.mtx");
    if !path.exists() {
        return skip("test_FW_1000.mtx");
    }
    let (graph, _) = load(&path);
    assert_eq!(graph.arcs.iter().filter(|arc| arc.weight == 0).count(), 1000);
}

#[test]
fn coordinates_match_their_graphs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/graphs");
    for (file, n_vertices, latitudes) in [
        ("isle-of-man.co", 11641, 53_300_000..54_700_000),
        ("liechtenstein.co", 6743, 47_040_000..47_280_000),
    ] {
        let path = folder.join(file);
        if !path.exists() {
            skip(file);
            continue;
        }
        let mut input = File::open(&path).expect("the file is there");
        let mut options = ReadOptions::new(file, BUDGET);
        let Ok(LoadedFile { data: Data::Numbers(numbers), .. }) =
            read(Format::Coordinates, &mut input, &mut options)
        else {
            panic!("{file} holds no numbers")
        };
        assert_eq!(numbers.shape, Shape::List(n_vertices), "{file}");
        let mut latitude = numbers.fields[1].values.iter();
        assert!(latitude.all(|y| latitudes.contains(y)), "{file}");
    }
}

#[allow(clippy::print_stderr)] // a skipped test must say so
fn skip(file: &str) {
    eprintln!("skipped: {file} is not in shared/data/graphs");
}
