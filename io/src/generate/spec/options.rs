//! The kinds of data and their options: one table for the command line, its help, and
//! specifications in text.

use super::value::ValueKind::{
    self, Count, Counts, File, Flag, Gray, Integer, Scale, Share, Short, Size,
};

/// The kinds of generated data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeneratorKind {
    /// A random graph, each arc with the same probability.
    Gnp,
    /// A random graph with a given number of arcs.
    Gnm,
    /// A random graph without cycles.
    Dag,
    /// An R-MAT graph.
    Rmat,
    /// A grid of streets.
    Road,
    /// A table of random numbers.
    Table,
    /// Heights.
    Terrain,
    /// A grid with blocked transitions.
    Blocks,
    /// Heights and a threshold.
    Country,
    /// An image.
    Curve,
    /// An update stream.
    Updates,
}

/// The description of a kind of data for users.
#[derive(Debug)]
pub struct KindSpec {
    /// The kind.
    pub kind: GeneratorKind,
    /// Its name.
    pub name: &'static str,
    /// A one-line description.
    pub about: &'static str,
    /// Example commands.
    pub examples: &'static [&'static str],
    /// Its options, in groups.
    groups: &'static [&'static [OptionSpec]],
}

impl KindSpec {
    /// Its options, the common ones last.
    pub fn options(&self) -> impl Iterator<Item = &'static OptionSpec> {
        self.groups.iter().copied().chain([COMMON]).flatten()
    }
}

/// An option, `--NAME VALUE`.
#[derive(Debug)]
pub struct OptionSpec {
    /// The name after two dashes.
    pub long: &'static str,
    /// The letter after one dash.
    pub short: Option<char>,
    /// The name of the value in the help; empty for a flag.
    pub value_name: &'static str,
    /// The valid values.
    pub value: ValueKind,
    /// The help in one line.
    pub help: &'static str,
    /// A second paragraph of the help.
    pub more_help: Option<&'static str>,
    /// Whether the option is required.
    pub presence: Presence,
}

/// Whether an option is required.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It may be omitted.
    Optional,
    /// It must be present.
    Required,
    /// Exactly one of the options of the kind with this variant must be present.
    OneOf,
    /// The default value.
    Default(&'static str),
}

impl OptionSpec {
    const fn new(
        long: &'static str,
        value_name: &'static str,
        value: ValueKind,
        help: &'static str,
    ) -> Self {
        let (short, more_help, presence) = (None, None, Presence::Required);
        OptionSpec { long, short, value_name, value, help, more_help, presence }
    }

    const fn flag(long: &'static str, help: &'static str) -> Self {
        OptionSpec::new(long, "", Flag, help).optional()
    }

    const fn short(mut self, short: char) -> Self {
        self.short = Some(short);
        self
    }

    const fn presence(mut self, presence: Presence) -> Self {
        self.presence = presence;
        self
    }

    const fn optional(self) -> Self {
        self.presence(Presence::Optional)
    }

    const fn one_of(self) -> Self {
        self.presence(Presence::OneOf)
    }

    const fn default(self, text: &'static str) -> Self {
        self.presence(Presence::Default(text))
    }
}

const fn option(
    long: &'static str,
    value_name: &'static str,
    value: ValueKind,
    help: &'static str,
) -> OptionSpec {
    OptionSpec::new(long, value_name, value, help)
}

const VERTICES: OptionSpec = option("vertices", "N", Count, "Number of vertices").short('n');
const ARCS: OptionSpec = option("arcs", "M", Count, "Number of arcs").short('m');
const UNDIRECTED: OptionSpec = OptionSpec::flag("undirected", "Generate edges instead of arcs");

const IMPASSABLE: OptionSpec = option(
    "impassable",
    "P",
    Share,
    "Share of blocked transitions between neighbours, from 0 to 1",
);

/// Options of all graphs.
const GRAPH: &[OptionSpec] = &[
    option("max-weight", "W", Integer, "Weights from 1 to W, all equally likely; none without it")
        .optional(),
    OptionSpec::flag("shuffle", "Number the vertices randomly"),
];

/// Options of all kinds. The command line adds one for the file.
const COMMON: &[OptionSpec] = &[
    option("seed", "N", Count, "Seed of the random numbers").default("1"),
    OptionSpec {
        more_help: Some("Default: three quarters of the available memory."),
        ..option("max-memory", "SIZE", Size, "Memory limit in bytes: `512M`, `2G`").optional()
    },
    OptionSpec::flag("quiet", "Suppress the summary").short('q'),
];

/// All kinds of generated data.
pub static KINDS: &[KindSpec] = &[
    KindSpec {
        kind: GeneratorKind::Gnp,
        name: "gnp",
        about: "G(n, p): every arc with the same probability",
        examples: &["gnp -n 1000 -p 0.01 --max-weight 100 -o sparse.gr"],
        groups: &[
            &[
                VERTICES,
                option("probability", "P", Share, "Probability of each arc, from 0 to 1")
                    .short('p'),
                UNDIRECTED,
            ],
            GRAPH,
        ],
    },
    KindSpec {
        kind: GeneratorKind::Gnm,
        name: "gnm",
        about: "G(n, m): a given number of arcs, all sets equally likely",
        examples: &["gnm -n 1000 -m 5000 --undirected --seed 7 -o edges.mtx"],
        groups: &[&[VERTICES, ARCS, UNDIRECTED], GRAPH],
    },
    KindSpec {
        kind: GeneratorKind::Dag,
        name: "dag",
        about: "A directed graph without cycles",
        examples: &["dag -n 1000 -m 5000 --shuffle -o tasks.mtx"],
        groups: &[
            &[
                VERTICES,
                option(
                    "probability",
                    "P",
                    Share,
                    "Probability of each arc to a later vertex, from 0 to 1",
                )
                .short('p')
                .one_of(),
                ARCS.one_of(),
            ],
            GRAPH,
        ],
    },
    KindSpec {
        kind: GeneratorKind::Rmat,
        name: "rmat",
        about: "R-MAT: few vertices of high degree, many of low degree",
        examples: &["rmat --scale 16 --edge-factor 8 -o web.gr"],
        groups: &[
            &[
                VERTICES.one_of(),
                option("scale", "S", Scale, "Number of vertices as the power 2^S").one_of(),
                option("edge-factor", "N", Count, "Number of arcs per vertex").default("16"),
                option("a", "A", Share, "Probability of the first quarter, top left")
                    .short('a')
                    .default("0.57"),
                option("b", "B", Share, "Top right").short('b').default("0.19"),
                option("c", "C", Share, "Bottom left; the last quarter gets the rest to 1")
                    .short('c')
                    .default("0.19"),
                OptionSpec::flag("keep-repeats", "Keep loops and parallel arcs"),
            ],
            GRAPH,
        ],
    },
    KindSpec {
        kind: GeneratorKind::Road,
        name: "road",
        about: "A grid of streets with their lengths",
        examples: &["road --rows 100 --columns 200 --missing 0.2 --connected -o road.gr"],
        groups: &[&[
            option("rows", "N", Count, "Rows of crossings"),
            option("columns", "N", Count, "Columns of crossings"),
            option("missing", "P", Share, "Probability that a street is missing").default("0.1"),
            option("diagonals", "P", Share, "Probability that a block has a diagonal")
                .default("0.05"),
            OptionSpec::flag("connected", "Keep only the largest connected component"),
            option("max-weight", "W", Integer, "Lengths of streets from 1 to W").default("1000"),
        ]],
    },
    KindSpec {
        kind: GeneratorKind::Table,
        name: "table",
        about: "A table of random numbers side by side",
        examples: &["table --rows 10000 --widths 16,16,1 -o records.stb"],
        groups: &[&[
            option("rows", "N", Count, "Number of rows"),
            option(
                "widths",
                "W,…",
                Counts,
                "Widths of the fields in bits, from left to right: `16,16,1`",
            ),
            option("density", "P", Share, "Probability that a bit is one; 0.5 by default")
                .optional(),
        ]],
    },
    KindSpec {
        kind: GeneratorKind::Terrain,
        name: "terrain",
        about: "Heights of hills, by the diamond-square algorithm",
        examples: &["terrain --size 8 --roughness 0.3 --bits 12 -o heights.stb"],
        groups: &[&[
            option("size", "K", Short, "The side has 2^K + 1 cells"),
            option("roughness", "R", Share, "From 0, soft hills, to 1, jagged rock").default("0.4"),
            option("bits", "N", Short, "Bits of a height").default("8"),
        ]],
    },
    KindSpec {
        kind: GeneratorKind::Blocks,
        name: "blocks",
        about: "A grid with individually blocked transitions, for `star:wave`",
        examples: &["blocks --rows 200 --columns 200 --impassable 0.4 -o blocks.npz"],
        groups: &[&[
            option("rows", "N", Count, "Rows of cells"),
            option("columns", "N", Count, "Columns of cells"),
            IMPASSABLE,
        ]],
    },
    KindSpec {
        kind: GeneratorKind::Country,
        name: "country",
        about: "Heights with a threshold that blocks transitions, for `star:wave`",
        examples: &["country --rows 200 --columns 200 --impassable 0.4 -o country.npy"],
        groups: &[&[
            option("rows", "N", Count, "Rows of cells"),
            option("columns", "N", Count, "Columns of cells"),
            IMPASSABLE,
            option("roughness", "R", Share, "From 0, soft hills, to 1, jagged rock").default("0.7"),
            option("bits", "N", Short, "Bits of a height").default("16"),
        ]],
    },
    KindSpec {
        kind: GeneratorKind::Curve,
        name: "curve",
        about: "A smooth curve under noise, 8-bit gray",
        examples: &["curve --rows 200 --columns 300 --noise 40 -o image.stb --mask curve.stb"],
        groups: &[&[
            option("rows", "N", Count, "Rows of pixels"),
            option("columns", "N", Count, "Columns of pixels"),
            option("thickness", "N", Count, "Thickness of the curve in pixels").default("3"),
            option("bends", "N", Count, "Number of pieces of the curve: more pieces, more bends")
                .default("6"),
            option("line", "GRAY", Gray, "Gray of the curve").default("180"),
            option("ground", "GRAY", Gray, "Gray of everything else").default("100"),
            option("noise", "GRAY", Gray, "Standard deviation of the noise").default("30"),
            option("mask", "FILE", File, "Write the true curve to FILE").optional(),
        ]],
    },
    KindSpec {
        kind: GeneratorKind::Updates,
        name: "updates",
        about: "A sequence of changes and queries of a graph",
        examples: &[
            "updates --graph road.gr --undirected -k 1000 -o road.updates",
            "updates -n 100 -k 1000 --delete 0 -o growth.updates",
        ],
        groups: &[&[
            option("vertices", "N", Count, "Number of vertices of an initial graph without arcs")
                .short('n')
                .one_of(),
            option("graph", "FILE", File, "Initial graph").one_of(),
            option("operations", "K", Count, "Number of operations").short('k'),
            UNDIRECTED,
            option(
                "max-weight",
                "W",
                Integer,
                "Weights from 1 to W; default: the maximum weight of the graph, and no weights if \
                    it has none",
            )
            .optional(),
            option("insert", "SHARE", Short, "Share of insertions among the operations")
                .default("3"),
            option(
                "delete",
                "SHARE",
                Short,
                "Share of deletions; an impossible deletion or insertion becomes a query",
            )
            .default("2"),
            option("change", "SHARE", Short, "Share of changes of weights, if there are weights")
                .default("1"),
            option(
                "whole-vertices",
                "SHARE",
                Short,
                "Share of deletions and insertions of vertices",
            )
            .default("0"),
            option("ask", "SHARE", Short, "Share of queries").default("2"),
        ]],
    },
];
