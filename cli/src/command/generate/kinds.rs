//! The kinds of data: their options, and how they are made.

use clap::{ArgGroup, Args};
use star_io::generate::{
    Density, GenerateOptions, Kind as GraphKind, Labels, NoisyCurve, Parts, RandomTable, Repeats,
    Rmat, Road, Terrain, UniformGraph,
};
use star_io::{Data, FileError, Graph};

use super::form::Subject;
use super::{Common, Kind, Made, form, values};
use crate::sizes::parse_count;

/// Options of all graphs.
#[derive(Args, Debug)]
struct GraphArgs {
    /// Weights from 1 to W, all equally likely; none without it
    #[arg(long, value_name = "W")]
    #[arg(value_parser = values::integer, allow_negative_numbers = true)]
    max_weight: Option<i64>,

    /// Number the vertices at random
    #[arg(long)]
    shuffle: bool,

    #[command(flatten)]
    common: Common,
}

impl GraphArgs {
    fn labels(&self) -> Labels {
        if self.shuffle { Labels::Shuffled } else { Labels::InOrder }
    }

    fn uniform(&self, n_vertices: u64, density: Density, kind: GraphKind) -> UniformGraph {
        let (labels, max_weight) = (self.labels(), self.max_weight);
        UniformGraph { n_vertices, density, kind, labels, max_weight }
    }
}

#[derive(Args, Debug)]
pub(super) struct GnpArgs {
    /// Number of vertices
    #[arg(short = 'n', long, value_name = "N")]
    #[arg(value_parser = parse_count, allow_negative_numbers = true)]
    vertices: u64,

    /// Probability of each arc, from 0 to 1
    #[arg(short, long, value_name = "P")]
    #[arg(value_parser = values::share, allow_negative_numbers = true)]
    probability: f64,

    /// Edges in place of arcs
    #[arg(long)]
    undirected: bool,

    #[command(flatten)]
    graph: GraphArgs,
}

#[derive(Args, Debug)]
pub(super) struct GnmArgs {
    /// Number of vertices
    #[arg(short = 'n', long, value_name = "N")]
    #[arg(value_parser = parse_count, allow_negative_numbers = true)]
    vertices: u64,

    /// Number of arcs
    #[arg(short = 'm', long, value_name = "M")]
    #[arg(value_parser = parse_count, allow_negative_numbers = true)]
    arcs: u64,

    /// Edges in place of arcs
    #[arg(long)]
    undirected: bool,

    #[command(flatten)]
    graph: GraphArgs,
}

#[derive(Args, Debug)]
#[command(group(ArgGroup::new("density").required(true)))]
pub(super) struct DagArgs {
    /// Number of vertices
    #[arg(short = 'n', long, value_name = "N")]
    #[arg(value_parser = parse_count, allow_negative_numbers = true)]
    vertices: u64,

    /// Probability of each arc to a later vertex, from 0 to 1
    #[arg(short, long, value_name = "P")]
    #[arg(group = "density")]
    #[arg(value_parser = values::share, allow_negative_numbers = true)]
    probability: Option<f64>,

    /// Number of arcs
    #[arg(short = 'm', long, value_name = "M")]
    #[arg(value_parser = parse_count, allow_negative_numbers = true)]
    #[arg(group = "density")]
    arcs: Option<u64>,

    #[command(flatten)]
    graph: GraphArgs,
}

#[derive(Args, Debug)]
#[command(group(ArgGroup::new("order").required(true)))]
pub(super) struct RmatArgs {
    /// Number of vertices
    #[arg(short = 'n', long, value_name = "N")]
    #[arg(value_parser = parse_count, allow_negative_numbers = true)]
    #[arg(group = "order")]
    vertices: Option<u64>,

    /// The same as 2^S vertices
    #[arg(long, value_name = "S", group = "order")]
    #[arg(value_parser = values::scale, allow_negative_numbers = true)]
    scale: Option<u32>,

    /// Arcs for each vertex
    #[arg(long, value_name = "N", default_value = "16")]
    #[arg(value_parser = parse_count, allow_negative_numbers = true)]
    edge_factor: u64,

    /// Probability of the first quarter, top left
    #[arg(short, long, value_name = "A", default_value = "0.57")]
    #[arg(value_parser = values::share, allow_negative_numbers = true)]
    a: f64,

    /// Top right
    #[arg(short, long, value_name = "B", default_value = "0.19")]
    #[arg(value_parser = values::share, allow_negative_numbers = true)]
    b: f64,

    /// Bottom left; the last quarter has what is left of 1
    #[arg(short, long, value_name = "C", default_value = "0.19")]
    #[arg(value_parser = values::share, allow_negative_numbers = true)]
    c: f64,

    /// Keep loops and parallel arcs
    #[arg(long)]
    keep_repeats: bool,

    #[command(flatten)]
    graph: GraphArgs,
}

#[derive(Args, Debug)]
pub(super) struct RoadArgs {
    /// Rows of crossings
    #[arg(long, value_name = "N", value_parser = parse_count, allow_negative_numbers = true)]
    rows: u64,

    /// Columns of crossings
    #[arg(long, value_name = "N", value_parser = parse_count, allow_negative_numbers = true)]
    columns: u64,

    /// Probability that a street is missing
    #[arg(long, value_name = "P", default_value = "0.1")]
    #[arg(value_parser = values::share, allow_negative_numbers = true)]
    missing: f64,

    /// Probability that a block has a diagonal
    #[arg(long, value_name = "P", default_value = "0.05")]
    #[arg(value_parser = values::share, allow_negative_numbers = true)]
    diagonals: f64,

    /// Keep the largest connected part only
    #[arg(long)]
    connected: bool,

    /// Lengths of streets from 1 to W
    #[arg(long, value_name = "W", default_value = "1000")]
    #[arg(value_parser = values::integer, allow_negative_numbers = true)]
    max_weight: i64,

    #[command(flatten)]
    common: Common,
}

#[derive(Args, Debug)]
pub(super) struct TableArgs {
    /// Number of rows
    #[arg(long, value_name = "N", value_parser = parse_count, allow_negative_numbers = true)]
    rows: u64,

    /// Widths of the fields in bits, from left to right: `16,16,1`
    #[arg(long, value_name = "W,…", value_delimiter = ',')]
    #[arg(value_parser = parse_count, allow_negative_numbers = true)]
    #[arg(required = true)]
    widths: Vec<u64>,

    /// Probability that a bit is one; a half without it
    #[arg(long, value_name = "P")]
    #[arg(value_parser = values::share, allow_negative_numbers = true)]
    density: Option<f64>,

    #[command(flatten)]
    common: Common,
}

#[derive(Args, Debug)]
pub(super) struct TerrainArgs {
    /// The side has 2^K + 1 cells
    #[arg(long, value_name = "K")]
    #[arg(value_parser = values::short, allow_negative_numbers = true)]
    size: u32,

    /// From 0, soft hills, to 1, jagged rock
    #[arg(long, value_name = "R", default_value = "0.4")]
    #[arg(value_parser = values::share, allow_negative_numbers = true)]
    roughness: f64,

    /// Bits of a height
    #[arg(long, value_name = "N", default_value = "8")]
    #[arg(value_parser = values::short, allow_negative_numbers = true)]
    bits: u32,

    #[command(flatten)]
    common: Common,
}

#[derive(Args, Debug)]
pub(super) struct CurveArgs {
    /// Rows of pixels
    #[arg(long, value_name = "N", value_parser = parse_count, allow_negative_numbers = true)]
    rows: u64,

    /// Columns of pixels
    #[arg(long, value_name = "N", value_parser = parse_count, allow_negative_numbers = true)]
    columns: u64,

    /// Thickness of the curve in pixels
    #[arg(long, value_name = "N", default_value = "3")]
    #[arg(value_parser = parse_count, allow_negative_numbers = true)]
    thickness: u64,

    /// Pieces of the curve: the more, the more it winds
    #[arg(long, value_name = "N", default_value = "6")]
    #[arg(value_parser = parse_count, allow_negative_numbers = true)]
    bends: u64,

    /// Gray of the curve
    #[arg(long, value_name = "GRAY", default_value = "180")]
    #[arg(value_parser = values::gray, allow_negative_numbers = true)]
    line: u8,

    /// Gray of everything else
    #[arg(long, value_name = "GRAY", default_value = "100")]
    #[arg(value_parser = values::gray, allow_negative_numbers = true)]
    ground: u8,

    /// Standard deviation of the noise
    #[arg(long, value_name = "GRAY", default_value = "30")]
    #[arg(value_parser = values::gray, allow_negative_numbers = true)]
    noise: u8,

    /// Write the true curve to a second file
    #[arg(long, value_name = "FILE")]
    mask: Option<String>,

    #[command(flatten)]
    common: Common,
}

impl Kind {
    /// The options of every kind.
    pub(super) fn common(&self) -> &Common {
        match self {
            Kind::Gnp(args) => &args.graph.common,
            Kind::Gnm(args) => &args.graph.common,
            Kind::Dag(args) => &args.graph.common,
            Kind::Rmat(args) => &args.graph.common,
            Kind::Road(args) => &args.common,
            Kind::Table(args) => &args.common,
            Kind::Terrain(args) => &args.common,
            Kind::Curve(args) => &args.common,
            Kind::Updates(args) => &args.common,
        }
    }

    /// The name of a second file.
    pub(super) fn mask(&self) -> Option<&str> {
        match self {
            Kind::Curve(args) => args.mask.as_deref(),
            Kind::Gnp(_)
            | Kind::Gnm(_)
            | Kind::Dag(_)
            | Kind::Rmat(_)
            | Kind::Road(_)
            | Kind::Table(_)
            | Kind::Terrain(_)
            | Kind::Updates(_) => None,
        }
    }

    /// The name of the graph with which it begins.
    pub(super) fn start(&self) -> Option<&str> {
        match self {
            Kind::Updates(args) => args.graph.as_deref(),
            Kind::Gnp(_)
            | Kind::Gnm(_)
            | Kind::Dag(_)
            | Kind::Rmat(_)
            | Kind::Road(_)
            | Kind::Table(_)
            | Kind::Terrain(_)
            | Kind::Curve(_) => None,
        }
    }

    /// What it is, and small data of the same kind.
    pub(super) fn subject(&self) -> Subject {
        let graph = |graph: &GraphArgs, undirected| {
            form::graph_example(graph.max_weight.is_some(), undirected)
        };
        let (name, example, widths) = match self {
            Kind::Gnp(args) => of_graph_kind(graph(&args.graph, args.undirected)),
            Kind::Gnm(args) => of_graph_kind(graph(&args.graph, args.undirected)),
            Kind::Dag(args) => of_graph_kind(graph(&args.graph, false)),
            Kind::Rmat(args) => of_graph_kind(graph(&args.graph, false)),
            Kind::Road(_) => of_graph_kind(form::graph_example(true, true)),
            Kind::Table(args) => {
                let n_cols = args.widths.iter().fold(0, |sum: u64, &w| sum.saturating_add(w));
                let name = format!("a table of {} × {n_cols}", args.rows);
                (name, form::table_example(args.rows == n_cols), args.widths.clone())
            }
            Kind::Terrain(args) => {
                let example = form::grid_example("height", args.bits as usize);
                ("a grid of heights".to_owned(), example, Vec::new())
            }
            Kind::Curve(_) => {
                ("a gray image".to_owned(), form::grid_example("gray", 8), Vec::new())
            }
            Kind::Updates(_) => {
                ("an update stream".to_owned(), form::updates_example(), Vec::new())
            }
        };
        Subject { name, example, widths }
    }

    /// Makes the data; `graph` is what [`Kind::start`] names.
    ///
    /// # Errors
    /// As the generators of star-io say.
    pub(super) fn make(
        &self,
        graph: Option<&Graph>,
        options: &mut GenerateOptions<'_>,
    ) -> Result<Made, FileError> {
        match self {
            Kind::Gnp(args) => {
                let density = Density::Probability(args.probability);
                let kind = directed(args.undirected);
                Ok(of_graph(args.graph.uniform(args.vertices, density, kind).generate(options)?))
            }
            Kind::Gnm(args) => {
                let (density, kind) = (Density::Arcs(args.arcs), directed(args.undirected));
                Ok(of_graph(args.graph.uniform(args.vertices, density, kind).generate(options)?))
            }
            Kind::Dag(args) => {
                // One of them is there: the command line saw to it.
                let by_probability = Density::Probability(args.probability.unwrap_or(0.0));
                let density = args.arcs.map_or(by_probability, Density::Arcs);
                let graph = args.graph.uniform(args.vertices, density, GraphKind::Acyclic);
                Ok(of_graph(graph.generate(options)?))
            }
            Kind::Rmat(args) => {
                let rmat = rmat(args);
                let mut made = of_graph(rmat.generate(options)?);
                // Loops and parallel arcs are drawn and left out.
                made.sizes.push(("drawn", rmat.n_arcs));
                Ok(made)
            }
            Kind::Road(args) => {
                let road = Road {
                    height: args.rows,
                    width: args.columns,
                    missing: args.missing,
                    diagonals: args.diagonals,
                    parts: if args.connected { Parts::Largest } else { Parts::All },
                    max_weight: Some(args.max_weight),
                };
                let network = road.generate(options)?;
                let mut made = of_graph(network.graph);
                made.sizes.push(("connected", network.n_connected as u64));
                Ok(made)
            }
            Kind::Table(TableArgs { rows, widths, density, common: _ }) => {
                let (n_rows, widths) = (*rows, widths.clone());
                let table = RandomTable { n_rows, widths, density: *density };
                let table = table.generate(options)?;
                let sizes = vec![
                    ("rows", table.n_rows() as u64),
                    ("columns", table.n_cols() as u64),
                    ("ones", table.count_ones()),
                ];
                Ok(Made { data: Data::Table(table), second: None, sizes })
            }
            Kind::Terrain(TerrainArgs { size, roughness, bits, common: _ }) => {
                let terrain = Terrain { size_log2: *size, roughness: *roughness, bits: *bits };
                let numbers = terrain.generate(options)?;
                let side = (1 << size) + 1;
                let sizes = vec![("rows", side), ("columns", side)];
                Ok(Made { data: Data::Numbers(numbers), second: None, sizes })
            }
            Kind::Curve(CurveArgs {
                rows,
                columns,
                thickness,
                bends,
                line,
                ground,
                noise,
                mask,
                common: _,
            }) => {
                let curve = NoisyCurve {
                    height: *rows,
                    width: *columns,
                    thickness: *thickness,
                    bends: *bends,
                    line: *line,
                    ground: *ground,
                    noise: *noise,
                };
                let made = curve.generate(options)?;
                let n_on_curve = made.mask.count_ones();
                let sizes = vec![("rows", *rows), ("columns", *columns), ("on-curve", n_on_curve)];
                let second = mask.is_some().then_some(Data::Table(made.mask));
                Ok(Made { data: Data::Numbers(made.image), second, sizes })
            }
            Kind::Updates(args) => args.make(graph, options),
        }
    }
}

/// What a graph like the example is called, the example, and no widths.
fn of_graph_kind(example: Data) -> (String, Data, Vec<u64>) {
    let is_undirected = matches!(&example, Data::Graph(graph) if graph.symmetric);
    let name = if is_undirected { "an undirected graph" } else { "a directed graph" };
    (name.to_owned(), example, Vec::new())
}

fn directed(undirected: bool) -> GraphKind {
    if undirected { GraphKind::Undirected } else { GraphKind::Directed }
}

fn rmat(args: &RmatArgs) -> Rmat {
    let n_vertices = match (args.vertices, args.scale) {
        (Some(n_vertices), _) => n_vertices,
        (None, scale) => 1 << scale.unwrap_or(0),
    };
    Rmat {
        n_vertices,
        n_arcs: n_vertices.saturating_mul(args.edge_factor),
        corners: [args.a, args.b, args.c],
        repeats: if args.keep_repeats { Repeats::Kept } else { Repeats::Dropped },
        labels: args.graph.labels(),
        max_weight: args.graph.max_weight,
    }
}

fn of_graph(graph: Graph) -> Made {
    let arcs = if graph.symmetric { "edges" } else { "arcs" };
    let sizes = vec![("vertices", graph.n_vertices as u64), (arcs, graph.n_edges() as u64)];
    Made { data: Data::Graph(graph), second: None, sizes }
}
