//! Jobs on graphs: the tables that the routines ask for, and what their results say.

use star_io::{
    Graph, Layout, LayoutBytes, LayoutOptions, LayoutValue, Widths, bytes_of_forms, lay_out,
    lay_out_sparse, lay_out_with,
};
use star_value::{BitTable, TableForm, Value};

use super::super::digest::{Digest, UNREACHABLE};
use super::super::failure::Failure;
use super::super::peer_args::PeerArgs;
use super::super::read::{matrix_of, network_of};
use super::{DigestOf, MAX_BYTES, Ready, field};
use crate::instance::{int, ones, weight_of, word};

/// The library's procedure, which the backend has an intrinsic for.
const CLOSURE: &str = "import \"star:closure\";
procedure CLOSE(n: integer; var P: table); begin WARSHALL(n,P) end;";

pub(super) fn closure(given: &PeerArgs) -> Result<Ready, Failure> {
    let matrix = matrix_of(given)?;
    Ok(Ready {
        text: CLOSURE.to_owned(),
        module: None,
        routine: "CLOSE",
        args: vec![int(matrix.n_rows()), Value::from(matrix)],
        changing: vec![1],
        digest: of_table(Digest::of_columns),
    })
}

pub(super) fn floyd(given: &PeerArgs) -> Result<Ready, Failure> {
    let graph = network_of(given)?;
    let (n, widths) = (graph.n_vertices, path_widths(&graph)?);
    let (h, infinite) = (widths.h, infinity(widths.h)?);
    let all_pairs = move |found: &BitTable| {
        let columns: Vec<Vec<u64>> = (0..n).map(|j| field(found, j * h, h)).collect();
        Digest::of((0..n * n).map(|pair| finite(columns[pair % n][pair / n], infinite)))
    };
    Ok(Ready {
        text: module("paths")?,
        module: Some("paths"),
        routine: "FLOYD",
        args: vec![int(n), int(h), word(infinite, h), table(&graph, Layout::Distances, widths)?],
        changing: vec![3],
        digest: of_table(all_pairs),
    })
}

pub(super) fn paths(given: &PeerArgs) -> Result<Ready, Failure> {
    let graph = network_of(given)?;
    let widths = path_widths(&graph)?;
    let (h, infinite) = (widths.h, infinity(widths.h)?);
    let args = vec![
        int(given.number("source")?),
        int(h),
        word(infinite, h),
        matrix(&graph, (Layout::Adjacency, TableForm::Rows), widths)?,
        matrix(&graph, (Layout::WeightsOut, TableForm::Columns), widths)?,
        table(&graph, Layout::Code, widths)?,
        Value::Unset,
        Value::Unset,
    ];
    let lengths = move |found: &BitTable| {
        Digest::of(field(found, 0, h).into_iter().map(|length| finite(length, infinite)))
    };
    Ok(Ready {
        text: module("paths")?,
        module: Some("paths"),
        routine: "DIJKSTRA",
        args,
        changing: vec![7, 6],
        digest: of_table(lengths),
    })
}

pub(super) fn levels(given: &PeerArgs) -> Result<Ready, Failure> {
    let graph = network_of(given)?;
    let widths = Widths { h: 1, b: graph.code_width() };
    let args = vec![
        int(given.number("source")?),
        matrix(&graph, (Layout::Adjacency, TableForm::Rows), widths)?,
        Value::Unset,
    ];
    let levels = |found: &BitTable| {
        let mut levels = vec![UNREACHABLE; found.n_rows()];
        for level in 0..found.n_cols() {
            for (at, _) in found.column(level).iter().enumerate().filter(|(_, bit)| *bit) {
                levels[at] = level as u64;
            }
        }
        Digest::of(levels)
    };
    Ok(Ready {
        text: module("reach")?,
        module: Some("reach"),
        routine: "BFS",
        args,
        changing: vec![2],
        digest: of_table(levels),
    })
}

/// A job of the module `arcs`, whose text imports another one.
const ARCS: &str = "import \"star:arcs\";
procedure PATHS(s,n,h: integer; both: boolean; left,right: table(m,b); weight: table(m); S: slice(m);
                var Dist: table);
begin SSSP(s,n,h,both,left,right,weight,S,Dist) end;
procedure LEVELS(s,n: integer; both: boolean; left,right: table(m,b); S: slice(m); var Dist: table);
begin BFS(s,n,both,left,right,S,Dist) end;
procedure LABELS(n: integer; left,right: table(m,b); S: slice(m); var Label: table);
begin COMPONENTS(n,left,right,S,Label) end;";

fn on_arcs(
    routine: &'static str,
    args: Vec<Value>,
    digest: impl Fn(&BitTable) -> Digest + 'static,
) -> Ready {
    Ready {
        text: ARCS.to_owned(),
        module: None,
        routine,
        changing: vec![args.len() - 1],
        args,
        digest: of_table(digest),
    }
}

pub(super) fn arc_paths(given: &PeerArgs) -> Result<Ready, Failure> {
    let graph = network_of(given)?;
    let (h, n) = (path_widths(&graph)?.h, graph.n_vertices);
    let (widths, infinite) =
        (Widths { h: graph.weight_width()?, b: graph.code_width() }, infinity(h)?);
    let mut args = vec![int(given.number("source")?), int(n), int(h)];
    args.push(Value::Bool(graph.symmetric));
    args.extend(lists(&graph, widths)?);
    args.extend([ones(graph.n_edges()), Value::Unset]);
    Ok(on_arcs("PATHS", args, move |found| {
        Digest::of(field(found, 0, h).into_iter().map(|length| finite(length, infinite)))
    }))
}

pub(super) fn arc_levels(given: &PeerArgs) -> Result<Ready, Failure> {
    let graph = network_of(given)?;
    let widths = Widths { h: 1, b: graph.code_width() };
    let (b, infinite) = (widths.b, infinity(widths.b)?);
    let mut args = vec![int(given.number("source")?), int(graph.n_vertices)];
    args.push(Value::Bool(graph.symmetric));
    args.extend([table(&graph, Layout::Left, widths)?, table(&graph, Layout::Right, widths)?]);
    args.extend([ones(graph.n_edges()), Value::Unset]);
    Ok(on_arcs("LEVELS", args, move |found| {
        Digest::of(field(found, 0, b).into_iter().map(|length| finite(length, infinite)))
    }))
}

pub(super) fn components(given: &PeerArgs) -> Result<Ready, Failure> {
    let graph = network_of(given)?;
    let widths = Widths { h: 1, b: graph.code_width() };
    let args = vec![
        int(graph.n_vertices),
        table(&graph, Layout::Left, widths)?,
        table(&graph, Layout::Right, widths)?,
        ones(graph.n_edges()),
        Value::Unset,
    ];
    Ok(on_arcs("LABELS", args, move |found| Digest::of(field(found, 0, widths.b))))
}

pub(super) fn kruskal(given: &PeerArgs) -> Result<Ready, Failure> {
    let graph = network_of(given)?;
    let mut args = lists(&graph, Widths { h: graph.weight_width()?, b: graph.code_width() })?;
    args.extend([ones(graph.n_edges()), Value::Unset]);
    Ok(Ready {
        text: module("mst")?,
        module: Some("mst"),
        routine: "KRUSKAL",
        args,
        changing: vec![4],
        digest: of_weight(graph),
    })
}

pub(super) fn prim(given: &PeerArgs) -> Result<Ready, Failure> {
    let graph = network_of(given)?;
    let widths = Widths { h: graph.weight_width()?, b: graph.code_width() };
    let mut args = lists(&graph, widths)?;
    args.extend([ones(graph.n_edges()), word(1, widths.b), Value::Unset]);
    Ok(Ready {
        text: module("mst")?,
        module: Some("mst"),
        routine: "PRIM",
        args,
        changing: vec![5],
        digest: of_weight(graph),
    })
}

pub(super) fn branching(given: &PeerArgs) -> Result<Ready, Failure> {
    let graph = network_of(given)?;
    let n = graph.n_vertices;
    // Codes for the vertices that come of contractions, and a spare bit for sums of weights.
    let doubled = Graph { n_vertices: 2 * n, ..Graph::default() };
    let widths = Widths { h: graph.sum_width()?, b: doubled.code_width() };
    let mut args = vec![int(n)];
    args.extend(lists(&graph, widths)?);
    args.push(table(&graph, Layout::CodeDouble, widths)?);
    args.extend([ones(graph.n_edges()), Value::Unset]);
    Ok(Ready {
        text: module("edmonds")?,
        module: Some("edmonds"),
        routine: "EDMONDS",
        args,
        changing: vec![6],
        digest: of_weight(graph),
    })
}

/// Tails, heads and weights.
fn lists(graph: &Graph, widths: Widths) -> Result<Vec<Value>, Failure> {
    let layouts = [Layout::Left, Layout::Right, Layout::Weight];
    layouts.into_iter().map(|layout| table(graph, layout, widths)).collect()
}

fn table(graph: &Graph, layout: Layout, widths: Widths) -> Result<Value, Failure> {
    laid_out(lay_out(layout, graph, widths, MAX_BYTES, "the table of ours")?)
}

fn laid_out(value: LayoutValue) -> Result<Value, Failure> {
    match value {
        LayoutValue::Table(table) => Ok(Value::Table(table)),
        LayoutValue::Slice(slice) => Ok(Value::Slice(slice)),
    }
}

/// The matrix of a graph, sparse where `star run` has it so, and by rows where it has a dense one
/// so.
fn matrix(
    graph: &Graph,
    (layout, form): (Layout, TableForm),
    widths: Widths,
) -> Result<Value, Failure> {
    let by_rows = form == TableForm::Rows;
    let bytes = bytes_of_forms(layout, graph, widths, by_rows);
    let is_sparse = bytes.is_some_and(LayoutBytes::favours_sparse);
    let mut options =
        LayoutOptions { by_rows, ..LayoutOptions::new("the table of ours", MAX_BYTES) };
    if is_sparse && let Some(table) = lay_out_sparse(layout, graph, widths, &mut options)? {
        return Ok(table.into());
    }
    laid_out(lay_out_with(layout, graph, widths, &mut options)?)
}

fn path_widths(graph: &Graph) -> Result<Widths, Failure> {
    Ok(Widths { h: graph.path_width()?, b: graph.code_width() })
}

/// The length that stands for "no path".
fn infinity(h: usize) -> Result<u64, Failure> {
    match h {
        0..=63 => Ok((1 << h) - 1),
        _ => Err(Failure::peer(format!("lengths of {h} bits"))),
    }
}

fn finite(length: u64, infinite: u64) -> u64 {
    if length == infinite { UNREACHABLE } else { length }
}

fn module(name: &str) -> Result<String, Failure> {
    let found = star_stdlib::MODULES.iter().find(|(known, _)| *known == name);
    let (_, text) = found.ok_or_else(|| Failure::peer(format!("no module `{name}`")))?;
    Ok((*text).to_owned())
}

fn of_table(digest: impl Fn(&BitTable) -> Digest + 'static) -> DigestOf {
    Box::new(move |value| match value {
        Value::Table(table) => table.columns().map(&digest),
        Value::Unset
        | Value::Int(_)
        | Value::Bool(_)
        | Value::Str(_)
        | Value::Slice(_)
        | Value::Word(_) => None,
    })
}

/// Of the weight of the arcs that a slice marks.
fn of_weight(graph: Graph) -> DigestOf {
    Box::new(move |value| match value {
        Value::Slice(marked) => Some(Digest::of([weight_of(&graph, marked) as u64])),
        Value::Unset
        | Value::Int(_)
        | Value::Bool(_)
        | Value::Str(_)
        | Value::Word(_)
        | Value::Table(_) => None,
    })
}
