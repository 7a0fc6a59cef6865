//! Specifications of generated data: a kind and its options, from a command line or from text.
//!
//! * [`options`]: the kinds and their options. * [`value`]: option values.
//! * [`words`]: a specification in text.
//!
//! Callers with parsed options, such as a command line, use [`Specification::new`].

pub mod options;
pub mod value;
pub mod words;

use star_base::Code;

use self::options::{GeneratorKind, KindSpec, Presence};
use self::value::Value;
use super::{
    Blocks, Country, Density, GenerateOptions, GraphKind, Labels, NoisyCurve, Parts, RandomTable,
    Repeats, Rmat, Road, Shares, Terrain, UniformGraph, UpdateStream,
};
use crate::data::Data;
use crate::error::FileError;
use crate::graph::Graph;

/// A generator with its parameters and options.
#[derive(Clone, Debug, PartialEq)]
pub struct Specification {
    /// The generator.
    pub generator: Generator,
    /// The seed of the random numbers.
    pub seed: u64,
    /// The memory budget in bytes.
    pub max_bytes: Option<u64>,
    /// The output file for the true curve of an image.
    pub mask: Option<String>,
}

/// A generator with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum Generator {
    /// A graph in which all arcs are equally likely.
    Uniform(UniformGraph),
    /// An R-MAT graph.
    Rmat(Rmat),
    /// A grid of streets.
    Road(Road),
    /// A table.
    Table(RandomTable),
    /// Heights.
    Terrain(Terrain),
    /// A grid with blocked transitions.
    Blocks(Blocks),
    /// Heights and a threshold.
    Country(Country),
    /// An image.
    Curve(NoisyCurve),
    /// An update stream.
    Updates(UpdateOptions),
}

/// The parameters of an update stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpdateOptions {
    /// The initial graph.
    pub start: Start,
    /// Whether the graph has edges instead of arcs.
    pub undirected: bool,
    /// Number of operations.
    pub n_operations: u64,
    /// Shares of the operations.
    pub shares: Shares,
    /// The maximum weight, if it is not that of the graph.
    pub max_weight: Option<i64>,
}

/// The initial graph of an update stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// A graph with this number of vertices and no arcs.
    Bare(u64),
    /// The graph of a file.
    File(String),
}

/// The result of a generator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// The requested data.
    pub data: Data,
    /// The true curve of an image.
    pub mask: Option<Data>,
    /// Its sizes with their names, for a summary.
    pub sizes: Vec<(&'static str, u64)>,
}

/// Option values by their long names; several for list options.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OptionValues {
    values: Vec<(&'static str, Value)>,
}

impl OptionValues {
    /// Adds a value.
    pub fn push(&mut self, option: &'static str, value: Value) {
        self.values.push((option, value));
    }

    /// Adds the defaults of the options that have no value.
    fn add_defaults(&mut self, kind: &KindSpec) {
        for option in kind.options() {
            if let Presence::Default(text) = option.presence
                && !self.has(option.long)
                && let Ok(value) = option.value.parse(text)
            {
                self.push(option.long, value);
            }
        }
    }

    fn has(&self, option: &str) -> bool {
        self.all(option).next().is_some()
    }

    fn all(&self, option: &str) -> impl Iterator<Item = &Value> {
        self.values.iter().filter(move |(name, _)| *name == option).map(|(_, value)| value)
    }

    fn find<T>(&self, option: &str, take: fn(&Value) -> Option<T>) -> Option<T> {
        self.all(option).next().and_then(take)
    }

    /// The value of an option that must be present: the parser guarantees it.
    fn get<T>(&self, option: &str, take: fn(&Value) -> Option<T>) -> Result<T, FileError> {
        self.find(option, take).ok_or_else(|| {
            let message = format!("internal error: no value for the option `--{option}`");
            FileError::new(Code::Internal, "", message)
        })
    }

    fn count(&self, option: &str) -> Result<u64, FileError> {
        self.get(option, count)
    }

    /// A 32-bit number.
    fn short(&self, option: &str) -> Result<u32, FileError> {
        self.get(option, |value| count(value)?.try_into().ok())
    }

    fn gray(&self, option: &str) -> Result<u8, FileError> {
        self.get(option, |value| count(value)?.try_into().ok())
    }

    fn share(&self, option: &str) -> Result<f64, FileError> {
        self.get(option, share)
    }

    fn labels(&self) -> Labels {
        if self.has("shuffle") { Labels::Shuffled } else { Labels::InOrder }
    }

    fn uniform(&self, kind: GraphKind, density: Density) -> Result<Generator, FileError> {
        Ok(Generator::Uniform(UniformGraph {
            n_vertices: self.count("vertices")?,
            density,
            kind,
            labels: self.labels(),
            max_weight: self.find("max-weight", integer),
        }))
    }

    fn directed(&self) -> GraphKind {
        if self.has("undirected") { GraphKind::Undirected } else { GraphKind::Directed }
    }
}

fn count(value: &Value) -> Option<u64> {
    if let Value::Count(number) = value { Some(*number) } else { None }
}

fn integer(value: &Value) -> Option<i64> {
    if let Value::Integer(number) = value { Some(*number) } else { None }
}

fn share(value: &Value) -> Option<f64> {
    if let Value::Share(number) = value { Some(*number) } else { None }
}

fn text(value: &Value) -> Option<String> {
    if let Value::Text(text) = value { Some(text.clone()) } else { None }
}

impl Specification {
    /// Creates a specification from options, adding defaults.
    ///
    /// # Errors
    /// An internal error if a required option of the kind is missing.
    pub fn new(kind: GeneratorKind, options: &OptionValues) -> Result<Self, FileError> {
        let generator = match kind {
            GeneratorKind::Gnp => {
                let density = Density::Probability(options.share("probability")?);
                options.uniform(options.directed(), density)?
            }
            GeneratorKind::Gnm => {
                options.uniform(options.directed(), Density::Arcs(options.count("arcs")?))?
            }
            GeneratorKind::Dag => {
                let density = match options.find("arcs", count) {
                    Some(n_arcs) => Density::Arcs(n_arcs),
                    None => Density::Probability(options.share("probability")?),
                };
                options.uniform(GraphKind::Acyclic, density)?
            }
            GeneratorKind::Rmat => {
                let n_vertices = match options.find("scale", count) {
                    Some(scale) => 1 << scale,
                    None => options.count("vertices")?,
                };
                let repeats =
                    if options.has("keep-repeats") { Repeats::Kept } else { Repeats::Dropped };
                Generator::Rmat(Rmat {
                    n_vertices,
                    n_arcs: n_vertices.saturating_mul(options.count("edge-factor")?),
                    corners: [options.share("a")?, options.share("b")?, options.share("c")?],
                    repeats,
                    labels: options.labels(),
                    max_weight: options.find("max-weight", integer),
                })
            }
            GeneratorKind::Road => Generator::Road(Road {
                height: options.count("rows")?,
                width: options.count("columns")?,
                missing: options.share("missing")?,
                diagonals: options.share("diagonals")?,
                parts: if options.has("connected") { Parts::Largest } else { Parts::All },
                max_weight: Some(options.get("max-weight", integer)?),
            }),
            GeneratorKind::Table => Generator::Table(RandomTable {
                n_rows: options.count("rows")?,
                widths: options.all("widths").filter_map(count).collect(),
                density: options.find("density", share),
            }),
            GeneratorKind::Terrain => Generator::Terrain(Terrain {
                size_log2: options.short("size")?,
                roughness: options.share("roughness")?,
                bits: options.short("bits")?,
            }),
            GeneratorKind::Blocks => Generator::Blocks(Blocks {
                height: options.count("rows")?,
                width: options.count("columns")?,
                impassable: options.share("impassable")?,
            }),
            GeneratorKind::Country => Generator::Country(Country {
                height: options.count("rows")?,
                width: options.count("columns")?,
                impassable: options.share("impassable")?,
                roughness: options.share("roughness")?,
                bits: options.short("bits")?,
            }),
            GeneratorKind::Curve => Generator::Curve(NoisyCurve {
                height: options.count("rows")?,
                width: options.count("columns")?,
                thickness: options.count("thickness")?,
                bends: options.count("bends")?,
                line: options.gray("line")?,
                ground: options.gray("ground")?,
                noise: options.gray("noise")?,
            }),
            GeneratorKind::Updates => Generator::Updates(UpdateOptions {
                start: match options.find("graph", text) {
                    Some(file) => Start::File(file),
                    None => Start::Bare(options.count("vertices")?),
                },
                undirected: options.has("undirected"),
                n_operations: options.count("operations")?,
                shares: Shares {
                    insert: options.short("insert")?,
                    delete: options.short("delete")?,
                    change: options.short("change")?,
                    vertices: options.short("whole-vertices")?,
                    ask: options.short("ask")?,
                },
                max_weight: options.find("max-weight", integer),
            }),
        };
        Ok(Specification {
            generator,
            seed: options.count("seed")?,
            max_bytes: options.find("max-memory", count),
            mask: options.find("mask", text),
        })
    }
}

impl Generator {
    /// The file of the initial graph.
    pub fn start(&self) -> Option<&str> {
        match self {
            Generator::Updates(UpdateOptions { start: Start::File(file), .. }) => Some(file),
            Generator::Updates(UpdateOptions { start: Start::Bare(_), .. })
            | Generator::Uniform(_)
            | Generator::Rmat(_)
            | Generator::Road(_)
            | Generator::Table(_)
            | Generator::Terrain(_)
            | Generator::Blocks(_)
            | Generator::Country(_)
            | Generator::Curve(_) => None,
        }
    }

    /// Generates the data; `graph` is the contents of [`Generator::start`].
    ///
    /// # Errors
    /// Those of the generators.
    pub fn make(
        &self,
        graph: Option<&Graph>,
        options: &mut GenerateOptions<'_>,
    ) -> Result<Made, FileError> {
        let of_data = |data, sizes| Ok(Made { data, mask: None, sizes });
        match self {
            Generator::Uniform(uniform) => Ok(of_graph(uniform.generate(options)?, None)),
            // Loops and parallel arcs are drawn and then dropped.
            Generator::Rmat(rmat) => {
                Ok(of_graph(rmat.generate(options)?, Some(("drawn", rmat.n_arcs))))
            }
            Generator::Road(road) => {
                let network = road.generate(options)?;
                let n_connected = network.n_connected as u64;
                Ok(of_graph(network.graph, Some(("connected", n_connected))))
            }
            Generator::Table(table) => {
                let table = table.generate(options)?;
                let (n_rows, n_cols) = (table.n_rows() as u64, table.n_cols() as u64);
                let sizes =
                    vec![("rows", n_rows), ("columns", n_cols), ("ones", table.count_ones())];
                of_data(Data::Table(table.into()), sizes)
            }
            Generator::Terrain(terrain) => {
                let numbers = terrain.generate(options)?;
                let side = (1 << terrain.size_log2) + 1;
                of_data(Data::Numbers(numbers), vec![("rows", side), ("columns", side)])
            }
            Generator::Blocks(blocks) => {
                let made = blocks.generate(options)?;
                let sizes = vec![
                    ("rows", blocks.height),
                    ("columns", blocks.width),
                    ("blocked", made.n_blocked),
                ];
                of_data(Data::Numbers(made.open), sizes)
            }
            Generator::Country(country) => {
                let made = country.generate(options)?;
                let sizes = vec![
                    ("rows", country.height),
                    ("columns", country.width),
                    ("threshold", made.threshold),
                    ("blocked", made.n_blocked),
                ];
                of_data(Data::Numbers(made.heights), sizes)
            }
            Generator::Curve(curve) => {
                let made = curve.generate(options)?;
                let n_ones = made.mask.count_ones();
                let sizes =
                    vec![("rows", curve.height), ("columns", curve.width), ("on-curve", n_ones)];
                let mask = Some(Data::Table(made.mask.into()));
                Ok(Made { data: Data::Numbers(made.image), mask, sizes })
            }
            Generator::Updates(updates) => {
                let bare = updates.bare();
                let start = graph.unwrap_or(&bare);
                let numbers = updates.stream(start).generate(options)?;
                let n_vertices = start.n_vertices as u64;
                let sizes = vec![("vertices", n_vertices), ("operations", updates.n_operations)];
                of_data(Data::Numbers(numbers), sizes)
            }
        }
    }
}

impl UpdateOptions {
    /// The initial graph without arcs, if no file is given.
    fn bare(&self) -> Graph {
        let n_vertices = match self.start {
            Start::Bare(n_vertices) => usize::try_from(n_vertices).unwrap_or(usize::MAX),
            Start::File(_) => 0,
        };
        Graph { n_vertices, ..Graph::default() }
    }

    fn stream<'g>(&self, start: &'g Graph) -> UpdateStream<'g> {
        let heaviest = start.weighted.then(|| start.max_weight().max(1));
        let max_weight = self.max_weight.or(heaviest);
        let mut shares = self.shares;
        if max_weight.is_none() {
            shares.change = 0;
        }
        let (undirected, n_operations) = (self.undirected, self.n_operations);
        UpdateStream { start, undirected, n_operations, shares, max_weight }
    }
}

fn of_graph(graph: Graph, more: Option<(&'static str, u64)>) -> Made {
    let arcs = if graph.symmetric { "edges" } else { "arcs" };
    let mut sizes = vec![("vertices", graph.n_vertices as u64), (arcs, graph.n_edges() as u64)];
    sizes.extend(more);
    Made { data: Data::Graph(graph), mask: None, sizes }
}
