//! Comments of an edge list: SNAP's `# Nodes: N Edges: M`, our own `# vertices N, arcs M, numbered
//! from 1`, and the first line of KONECT, `% sym positive`.

use crate::text;

/// Bytes of a comment that are examined.
pub(super) const MAX_BYTES: usize = 200;

/// Numbers of vertices and arcs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Announced {
    pub(super) n_vertices: u64,
    pub(super) n_arcs: u64,
}

/// The sizes found so far.
#[derive(Default)]
pub(super) struct Remarks {
    /// From our own comment: exact.
    pub(super) exact: Option<Announced>,
    /// From SNAP's comment: not reliable.
    pub(super) claimed: Option<Announced>,
    /// From KONECT's comment.
    pub(super) konect: Option<Konect>,
    /// Whether SNAP's comment says that the edges have no direction.
    pub(super) is_undirected: bool,
}

/// The kinds of graphs of KONECT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Konect {
    /// `sym`: every line is an undirected edge.
    Symmetric,
    /// `asym`: every line is an arc.
    Directed,
    /// `bip`: the two ends of an edge are numbered separately.
    Bipartite,
}

/// The kinds of weights of KONECT, the second word of its comment.
const KONECT_WEIGHTS: [&str; 9] = [
    "unweighted",
    "positive",
    "posweighted",
    "signed",
    "multisigned",
    "weighted",
    "multiweighted",
    "multiposweighted",
    "dynamic",
];

impl Remarks {
    /// Parses a comment line; if it announces sizes, returns the number of arcs. Our own comment
    /// counts only `before_edges`, and the first of several comments of a kind wins.
    pub(super) fn note(&mut self, line: &[u8], before_edges: bool) -> Option<u64> {
        let line = std::str::from_utf8(line).ok()?;
        if before_edges && self.konect.is_none() {
            self.konect = parse_konect(line);
        }
        self.is_undirected |= before_edges && says_undirected(line);
        if before_edges
            && self.exact.is_none()
            && let Some(exact) = parse_exact(line)
        {
            self.exact = Some(exact);
            return Some(exact.n_arcs);
        }
        if self.claimed.is_some() {
            return None;
        }
        self.claimed = parse_claimed(line);
        self.claimed.map(|claimed| claimed.n_arcs)
    }

    /// A warning if SNAP's numbers differ from those found.
    pub(super) fn disagreement(&self, n_vertices: usize, n_arcs: usize) -> Option<String> {
        let claimed = self.claimed?;
        let agrees = (claimed.n_vertices, claimed.n_arcs) == (n_vertices as u64, n_arcs as u64);
        (!agrees).then(|| {
            format!(
                "a comment announces {} and {}, the file has {n_vertices} and {n_arcs}",
                text::counted(claimed.n_vertices, "nodes"),
                text::counted(claimed.n_arcs, "edges")
            )
        })
    }
}

/// Formats our own comment.
pub(super) fn exact_comment(announced: &Announced) -> String {
    let Announced { n_vertices, n_arcs } = announced;
    format!("# vertices {n_vertices}, arcs {n_arcs}, numbered from 1")
}

/// Formats SNAP's comment.
pub(super) fn claim(announced: &Announced) -> String {
    let Announced { n_vertices, n_arcs } = announced;
    format!("# Nodes: {n_vertices} Edges: {n_arcs}")
}

fn parse_exact(line: &str) -> Option<Announced> {
    let rest = line.trim_end().strip_prefix("# vertices ")?;
    let rest = rest.strip_suffix(", numbered from 1")?;
    let (n_vertices, n_arcs) = rest.split_once(", arcs ")?;
    let n_vertices = n_vertices.parse::<u32>().ok()?;
    Some(Announced { n_vertices: u64::from(n_vertices), n_arcs: n_arcs.parse().ok()? })
}

fn parse_konect(line: &str) -> Option<Konect> {
    let mut words = line.strip_prefix('%')?.split_ascii_whitespace();
    let kind = match words.next()? {
        "sym" => Konect::Symmetric,
        "asym" => Konect::Directed,
        "bip" => Konect::Bipartite,
        _ => return None,
    };
    // A sentence may begin like this, too.
    let is_konect = words.next().is_none_or(|word| KONECT_WEIGHTS.contains(&word));
    (is_konect && words.next().is_none()).then_some(kind)
}

/// Returns whether a comment begins like `# Undirected graph: web.txt`.
fn says_undirected(line: &str) -> bool {
    let mut words = line.trim_start_matches('#').split_ascii_whitespace();
    let mut is_next = |expected: &str| {
        let word = words.next().map(|word| word.trim_end_matches([':', '.']));
        word.is_some_and(|word| word.eq_ignore_ascii_case(expected))
    };
    line.starts_with('#') && is_next("undirected") && is_next("graph")
}

fn parse_claimed(line: &str) -> Option<Announced> {
    let mut words = line.trim_start_matches(['#', '%']).split_ascii_whitespace();
    let mut number_after = |name: &str| {
        let word = words.next()?.trim_end_matches(':');
        let number = word.eq_ignore_ascii_case(name).then(|| words.next())??;
        number.trim_end_matches(',').parse().ok()
    };
    Some(Announced { n_vertices: number_after("nodes")?, n_arcs: number_after("edges")? })
}
