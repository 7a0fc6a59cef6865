//! Inputs: files that are written once, from a seed, and read by all.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use star_io::generate::{
    Density, GenerateOptions, GraphKind, Labels, Parts, Repeats, Rmat, Road, UniformGraph,
};
use star_io::{
    Data, Field, Format, Graph, Layout, LayoutValue, Numbers, OutputRef, Shape, Widths, lay_out,
    write,
};
use star_report::record::{Parameter, Parameters};

use super::digest::Digest;
use super::failure::Failure;
use super::ours::MAX_BYTES;
use super::peer_args::PeerArgs;
use super::read::load;
use star_base::Random;
use star_value::{BitTable, Table};

/// Weights are 1 to this.
const MAX_WEIGHT: i64 = 1000;

/// Every so many rows of a column hold the number that is searched for.
const PLANTED: usize = 1009;

/// Where an input comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The adjacency of a random directed graph with m = 1.5 n.
    Sparse {
        /// Vertices.
        n: u64,
    },
    /// That of G(n, ½).
    Dense {
        /// Vertices.
        n: u64,
    },
    /// That of a random acyclic graph with p = 0.1, numbered along its arcs.
    Acyclic {
        /// Vertices.
        n: u64,
    },
    /// That of wiki-Vote.
    WikiVote,
    /// A random directed graph with weights, few vertices of high degree, and 16 arcs drawn for
    /// each vertex.
    Rmat {
        /// Vertices.
        n: u64,
    },
    /// A random directed graph with weights.
    Arcs {
        /// Vertices.
        n: u64,
        /// Arcs.
        m: u64,
    },
    /// A road-like grid with weights, undirected and connected.
    Road {
        /// Rows and columns of crossings.
        side: u64,
    },
    /// A real road network: a file in the DIMACS format.
    Roads {
        /// Its name, without the extension.
        name: &'static str,
    },
    /// A random undirected graph with weights.
    Edges {
        /// Vertices.
        n: u64,
        /// Edges.
        m: u64,
    },
    /// Two columns of random numbers.
    Columns {
        /// Rows.
        rows: u64,
        /// Bits of each number; the first one is zero, so that sums fit.
        bits: u64,
    },
    /// Cells of a square grid, of which three in ten are blocked; the first one is free.
    Cells {
        /// Rows and columns.
        side: u64,
    },
}

/// Files made ready.
#[derive(Clone, Debug)]
pub(super) struct Input {
    /// The arguments that name the files, and what belongs to them.
    pub(super) given: PeerArgs,
    /// The files.
    pub(super) files: Vec<InputFile>,
}

/// A file of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct InputFile {
    /// Its name, without folders.
    pub(super) name: String,
    /// Its size.
    pub(super) bytes: u64,
    /// The digest of its bytes.
    pub(super) hash: String,
}

/// Where files are written and read.
#[derive(Clone, Debug)]
pub(super) struct Folders {
    /// For files that are made.
    pub(super) data: PathBuf,
    /// With the folder `graphs` of real data.
    pub(super) shared: Option<PathBuf>,
    /// Where random numbers begin.
    pub(super) seed: u64,
}

impl Source {
    /// What kind of input it is, for titles.
    pub(super) fn family(self) -> String {
        match self {
            Source::Sparse { .. } => "sparse: 3n/2 arcs".to_owned(),
            Source::Dense { .. } => "dense: G(n, 1/2)".to_owned(),
            Source::Acyclic { .. } => "acyclic: p = 0.1".to_owned(),
            Source::WikiVote => "wiki-Vote".to_owned(),
            Source::Arcs { n, m } => format!("{}n arcs", m / n.max(1)),
            Source::Road { .. } => "road-like grid".to_owned(),
            Source::Roads { name } => format!("{name}.gr"),
            Source::Rmat { .. } => "R-MAT, 16n arcs".to_owned(),
            Source::Edges { n, m } => format!("{}n edges", m / n.max(1)),
            Source::Columns { bits, .. } => format!("{bits} bits"),
            Source::Cells { .. } => "3 of 10 cells blocked".to_owned(),
        }
    }

    /// The parameter along which plots go.
    pub(super) fn size(self) -> Option<(&'static str, u64)> {
        match self {
            Source::Sparse { n }
            | Source::Dense { n }
            | Source::Acyclic { n }
            | Source::Arcs { n, .. }
            | Source::Rmat { n }
            | Source::Edges { n, .. } => Some(("n", n)),
            Source::Road { side } | Source::Cells { side } => Some(("side", side)),
            Source::Columns { rows, .. } => Some(("n", rows)),
            Source::WikiVote | Source::Roads { .. } => None,
        }
    }

    /// Of a row; those of the suite where it has the same input.
    pub(super) fn parameters(self, seed: u64) -> Parameters {
        let int = |number: u64| Parameter::Int(i64::try_from(number).unwrap_or(i64::MAX));
        let mut parameters = Parameters::new();
        if let Some((name, size)) = self.size() {
            parameters.insert(name.to_owned(), int(size));
            parameters.insert("seed".to_owned(), int(seed));
        }
        match self {
            // The suite has a variable for it.
            Source::Sparse { n } => {
                parameters.insert("m".to_owned(), int(n * 3 / 2));
            }
            Source::WikiVote | Source::Roads { .. } => {
                parameters.insert("file".to_owned(), Parameter::Text(self.family()));
            }
            Source::Dense { .. }
            | Source::Acyclic { .. }
            | Source::Arcs { .. }
            | Source::Rmat { .. }
            | Source::Road { .. }
            | Source::Edges { .. }
            | Source::Columns { .. }
            | Source::Cells { .. } => {}
        }
        parameters
    }

    /// The number of vertices, cells or rows, for limits; 0 where a file says it.
    pub(super) fn n(self) -> u64 {
        match self {
            Source::Sparse { n }
            | Source::Dense { n }
            | Source::Acyclic { n }
            | Source::Arcs { n, .. }
            | Source::Rmat { n }
            | Source::Edges { n, .. } => n,
            Source::Road { side } | Source::Cells { side } => side * side,
            Source::Columns { rows, .. } => rows,
            Source::WikiVote | Source::Roads { .. } => 0,
        }
    }

    /// Writes its files if they are not there.
    pub(super) fn prepare(self, folders: &Folders) -> Result<Input, Failure> {
        let seed = folders.seed;
        let (name, key) = match self {
            Source::Sparse { n } => (format!("sparse-n{n}-s{seed}.npy"), "matrix"),
            Source::Dense { n } => (format!("dense-n{n}-s{seed}.npy"), "matrix"),
            Source::Acyclic { n } => (format!("acyclic-n{n}-s{seed}.npy"), "matrix"),
            Source::WikiVote => ("wiki-Vote.npy".to_owned(), "matrix"),
            Source::Arcs { n, m } => (format!("arcs-n{n}-m{m}-s{seed}.mtx"), "graph"),
            Source::Road { side } => (format!("road-{side}-s{seed}.mtx"), "graph"),
            Source::Roads { name } => (format!("{name}.mtx"), "graph"),
            Source::Rmat { n } => (format!("rmat-n{n}-s{seed}.mtx"), "graph"),
            Source::Edges { n, m } => (format!("edges-n{n}-m{m}-s{seed}.mtx"), "graph"),
            Source::Columns { rows, bits } => return columns(rows, bits, folders),
            Source::Cells { side } => (format!("cells-{side}-s{seed}.npy"), "matrix"),
        };
        let file = written(&folders.data, &name, |path| match key {
            "matrix" if let Source::Cells { side } = self => {
                write_table(&cells(side as usize, seed)?, path)
            }
            "matrix" => write_matrix(&self.graph(folders)?, path),
            _ => write_to(path, Format::MatrixMarket, OutputRef::Graph(&self.graph(folders)?)),
        })?;
        // The first vertex of R-MAT need not have an arc.
        let source = match self {
            Source::Rmat { .. } => self.graph(folders)?.arcs.first().map_or(1, |arc| arc.tail + 1),
            Source::Sparse { .. }
            | Source::Dense { .. }
            | Source::Acyclic { .. }
            | Source::WikiVote
            | Source::Arcs { .. }
            | Source::Road { .. }
            | Source::Roads { .. }
            | Source::Edges { .. }
            | Source::Columns { .. }
            | Source::Cells { .. } => 1,
        };
        let given = PeerArgs::default()
            .with(key, folders.data.join(&name).display())
            .with("source", source);
        Ok(Input { given, files: vec![file] })
    }

    fn graph(self, folders: &Folders) -> Result<Graph, Failure> {
        let uniform = |n_vertices, density, kind, max_weight| {
            let labels = Labels::InOrder;
            let graph = UniformGraph { n_vertices, density, kind, labels, max_weight };
            Ok(graph.generate(&mut GenerateOptions::new(folders.seed, MAX_BYTES))?)
        };
        let weight = Some(MAX_WEIGHT);
        match self {
            Source::Sparse { n } => uniform(n, Density::Arcs(n * 3 / 2), GraphKind::Directed, None),
            Source::Dense { n } => uniform(n, Density::Probability(0.5), GraphKind::Directed, None),
            Source::Acyclic { n } => {
                uniform(n, Density::Probability(0.1), GraphKind::Acyclic, None)
            }
            Source::Arcs { n, m } => uniform(n, Density::Arcs(m), GraphKind::Directed, weight),
            Source::Edges { n, m } => uniform(n, Density::Arcs(m), GraphKind::Undirected, weight),
            Source::Road { side } => {
                let road = Road {
                    height: side,
                    width: side,
                    missing: 0.1,
                    diagonals: 0.1,
                    parts: Parts::Largest,
                    max_weight: weight,
                };
                Ok(road.generate(&mut GenerateOptions::new(folders.seed, MAX_BYTES))?.graph)
            }
            Source::WikiVote => shared(folders, "wiki-Vote.txt", Format::EdgeList),
            Source::Roads { name } => shared(folders, &format!("{name}.gr"), Format::Dimacs),
            Source::Rmat { n } => {
                let rmat = Rmat {
                    n_vertices: n,
                    n_arcs: 16 * n,
                    corners: [0.57, 0.19, 0.19],
                    repeats: Repeats::Dropped,
                    labels: Labels::Shuffled,
                    max_weight: weight,
                };
                Ok(rmat.generate(&mut GenerateOptions::new(folders.seed, MAX_BYTES))?)
            }
            Source::Columns { .. } | Source::Cells { .. } => {
                Err(Failure::peer("columns and cells are no graph"))
            }
        }
    }
}

/// A real graph, its parallel arcs as one with the least weight.
fn shared(folders: &Folders, name: &str, format: Format) -> Result<Graph, Failure> {
    let Some(folder) = &folders.shared else {
        return Err(Failure::peer(format!("{name} is in the folder that `--shared DIR` names")));
    };
    match load(format, &folder.join("graphs").join(name))?.data {
        Data::Graph(graph) => Ok(without_parallels(graph)),
        Data::Table(_) | Data::Slice(_) | Data::Word(_) | Data::Numbers(_) => {
            Err(Failure::peer(format!("{name} holds no graph")))
        }
    }
}

/// Of parallel arcs the lightest; no loops.
fn without_parallels(mut graph: Graph) -> Graph {
    graph.arcs.retain(|arc| arc.tail != arc.head);
    graph.arcs.sort_by_key(|arc| (arc.tail, arc.head, arc.weight));
    graph.arcs.dedup_by_key(|arc| (arc.tail, arc.head));
    graph
}

fn write_matrix(graph: &Graph, path: &Path) -> Result<(), Failure> {
    let widths = Widths { h: 0, b: 0 };
    let table: BitTable = match lay_out(Layout::Adjacency, graph, widths, MAX_BYTES, "")? {
        LayoutValue::Table(Table::Columns(table)) => table,
        _ => return Err(Failure::peer("an adjacency is a table")),
    };
    write_table(&table, path)
}

fn write_table(table: &BitTable, path: &Path) -> Result<(), Failure> {
    write_to(path, Format::Npy, OutputRef::Bits(table.into()))
}

/// The free cells of a grid, one row of it in each row.
fn cells(side: usize, seed: u64) -> Result<BitTable, Failure> {
    let mut random = Random::new(seed);
    let zeros = BitTable::zeros(side, side);
    let mut free = zeros.map_err(|error| Failure::peer(error.to_string()))?;
    for y in 0..side {
        for x in 0..side {
            free.put(y, x, random.next_u64() % 10 >= 3 || (x, y) == (0, 0));
        }
    }
    Ok(free)
}

fn columns(rows: u64, bits: u64, folders: &Folders) -> Result<Input, Failure> {
    let seed = folders.seed;
    let (range, n_rows) = (1_u64 << (bits - 1), rows as usize);
    let value = range / 2 + 1;
    let mut given = PeerArgs::default()
        .with("bits", bits)
        .with("value", value)
        .with("below", range / 4 * 3)
        .with("least", range / 4);
    let mut files = Vec::new();
    for (key, stream) in [("a", 0), ("b", 1)] {
        let name = format!("column-{key}-r{rows}-b{bits}-s{seed}.npy");
        let file = written(&folders.data, &name, |path| {
            let mut random = Random::new(seed.wrapping_mul(2).wrapping_add(stream));
            let number = |row: usize| match row % PLANTED {
                0 => value as i64,
                _ => (random.next_u64() % range) as i64,
            };
            let values = (0..n_rows).map(number).collect();
            let field = Field::new(key, Some(bits as usize), values);
            let numbers = Numbers { shape: Shape::List(n_rows), fields: vec![field] };
            write_to(path, Format::Npy, OutputRef::Numbers(&numbers))
        })?;
        given = given.with(key, folders.data.join(&name).display());
        files.push(file);
    }
    Ok(Input { given, files })
}

/// The file, made if it is not there; a half-made one is never taken for it.
fn written(
    folder: &Path,
    name: &str,
    make: impl FnOnce(&Path) -> Result<(), Failure>,
) -> Result<InputFile, Failure> {
    let path = folder.join(name);
    let wrong = |error: std::io::Error| Failure::peer(format!("{}: {error}", path.display()));
    if !path.exists() {
        fs::create_dir_all(folder).map_err(wrong)?;
        let part = folder.join(format!("{name}.part"));
        make(&part)?;
        fs::rename(&part, &path).map_err(wrong)?;
    }
    let bytes = fs::read(&path).map_err(wrong)?;
    let hash = Digest::of_bytes(&bytes).text();
    Ok(InputFile { name: name.to_owned(), bytes: bytes.len() as u64, hash })
}

fn write_to(path: &Path, format: Format, value: OutputRef<'_>) -> Result<(), Failure> {
    let wrong = |error: std::io::Error| Failure::peer(format!("{}: {error}", path.display()));
    let mut file = File::create(path).map_err(wrong)?;
    write(format, value, &mut file)?;
    file.flush().map_err(wrong)
}
