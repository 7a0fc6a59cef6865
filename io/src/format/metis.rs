//! METIS graphs, `.graph`: a line `N M [FORMAT [NCON]]`, then one line for each vertex with its
//! neighbours, from 1; an empty line is a vertex without edges. Every edge occurs in the lines of
//! both its ends, with the same weight; comments are lines from `%`.
//!
//! The digits of FORMAT say, from the right, whether there are edge weights (after every
//! neighbour), vertex weights (NCON of them before the neighbours), and vertex sizes (before the
//! vertex weights). The first end of an edge is the vertex with the greater number, in whose line
//! it is read; its edges keep the order of that line, and the vertices keep theirs. Vertex weights
//! are read and dropped, since graphs do not store them. Extensions to the manual: parallel edges,
//! and weights that are 0 or negative.

use std::io;

use star_base::Code;

use super::{ARC_BYTES, GraphRef, ReadResult, vertex_count};
use crate::data::OutputRef;
use crate::error::Fault;
use crate::graph::{Arc, Graph};
use crate::growing::Growing;
use crate::scan::Scanner;
use crate::sink::Sink;
use crate::sort::{AT_ONCE, count_pairs, sort_by_key};
use crate::source::Source;
use crate::text;

/// Maximum number of weights of a vertex.
const MAX_NCON: u64 = 1000;

/// The contents of the first line.
struct Header {
    n_vertices: u32,
    n_edges: u64,
    /// Line and column of that number.
    place: (u64, u64),
    edge_weights: bool,
    /// Number of values of a vertex before its neighbours.
    n_before: u64,
}

/// The places of vertices and weights.
struct Places {
    /// The line of each vertex.
    lines: Growing<u64>,
    /// The columns of the weights of the arcs to smaller vertices, in file order.
    columns: Growing<u32>,
}

/// Reads a graph.
pub(crate) fn read(source: Source) -> Result<ReadResult, Fault> {
    let mut scanner = Scanner::new(source)?;
    let header = read_header(&mut scanner)?;
    let budget = scanner.source().budget().clone();
    // Every arc once, and both directions once more for the comparison.
    let mut arcs: Growing<Arc> = Growing::new(&budget, 2 * ARC_BYTES);
    arcs.reserve(header.n_edges.saturating_mul(2), scanner.source().size_hint(), 2);
    let mut no_weights = None;
    let mut places = Places {
        lines: Growing::new(&budget, size_of::<u64>() as u64),
        columns: Growing::new(&budget, size_of::<u32>() as u64),
    };
    for vertex in 0..header.n_vertices {
        while scanner.skip_blanks()? == Some(b'%') {
            scanner.skip_line()?;
        }
        if scanner.peek()?.is_none() && vertex + 1 < header.n_vertices {
            let message = format!(
                "the file ends after {vertex} of the {} vertices of its header",
                header.n_vertices
            );
            return Err(scanner.here(Code::Truncated, message));
        }
        places.lines.push(scanner.line()).map_err(|e| scanner.out_of_memory(&e))?;
        read_vertex(&mut scanner, vertex, &header, &mut arcs, &mut places, &mut no_weights)?;
    }
    refuse_more_lines(&mut scanner, header.n_vertices)?;
    // If the number of edges is wrong, the reason may be an edge in only one line.
    let (mut arcs, mut warnings) = (arcs.into_vec(), Vec::new());
    let are_read = scanner.source().edge_fields().reads_weights();
    let can_weigh = super::settle_weights(&mut arcs, are_read, &mut no_weights, &mut warnings);
    let edges = one_of_each(&mut scanner, arcs, places)?;
    if edges.len() as u64 != header.n_edges {
        let (announced, found) = (text::counted(header.n_edges, "edges"), edges.len());
        let message =
            format!("{announced} in the header, but the lines of the vertices have {found}");
        let (line, column) = header.place;
        let fault = scanner.source().fault(Code::HeaderLies, message).at(line, column);
        let why = "every edge occurs in the lines of both its ends and is counted once";
        return Err(Box::new(fault.note(why)));
    }
    let graph = Graph {
        n_vertices: header.n_vertices as usize,
        arcs: edges,
        weighted: header.edge_weights && can_weigh,
        symmetric: true,
        names: None,
        no_weights,
        ..Graph::default()
    };
    if header.n_before > 0 && header.n_vertices > 0 {
        warnings.push("vertex weights and sizes are dropped".to_owned());
    }
    super::finish(graph, warnings.into(), scanner.source_mut())
}

/// Writes an undirected graph, or the graph of a symmetric adjacency table.
pub(crate) fn write(value: OutputRef<'_>, out: &mut dyn Sink) -> Result<(), Fault> {
    let graph = GraphRef::new(value, "METIS")?;
    let refused = |what: &str| {
        let fault = super::cannot_hold(value, "METIS", "undirected graphs without loops");
        let fault = fault.note(format!("this one has {what}"));
        Err(Box::new(fault.help("write it to a `.mtx` or `.gr` file")))
    };
    let n_arcs = graph.n_arcs();
    let (mut arcs, mut mirror) = (reserved(n_arcs)?, reserved(n_arcs)?);
    let mut has_loops = false;
    graph.try_for_arcs(|arc| {
        has_loops |= arc.tail == arc.head;
        arcs.push(arc);
        mirror.push(mirrored(arc));
        if arcs.len() % AT_ONCE == 0 { go_on(out) } else { Ok(()) }
    })?;
    if has_loops {
        return refused("loops");
    }
    order(&mut arcs, &mut || go_on(out))?;
    order(&mut mirror, &mut || go_on(out))?;
    if arcs != mirror {
        return refused("arcs without their mirror images");
    }
    drop(mirror);
    write_lines(graph, &arcs, out).map_err(|e| super::cannot_write(&e))
}

fn go_on(out: &mut dyn Sink) -> Result<(), Fault> {
    out.go_on().map_err(|e| super::cannot_write(&e))
}

/// Allocates room for arcs.
fn reserved(n_arcs: u64) -> Result<Vec<Arc>, Fault> {
    let n_bytes = u128::from(n_arcs) * size_of::<Arc>() as u128;
    let mut arcs = Vec::new();
    let reserved = usize::try_from(n_arcs).ok().map(|n_arcs| arcs.try_reserve_exact(n_arcs));
    match reserved {
        Some(Ok(())) => Ok(arcs),
        Some(Err(_)) | None => Err(crate::source::out_of_memory("", n_bytes, u64::MAX)),
    }
}

fn write_lines(graph: GraphRef<'_>, arcs: &[Arc], out: &mut dyn Sink) -> io::Result<()> {
    let weighted = graph.is_weighted();
    let format = if weighted { " 1" } else { "" };
    writeln!(out, "{} {}{format}", graph.n_vertices(), arcs.len() / 2)?;
    let mut rest = arcs;
    for vertex in 0..graph.n_vertices() {
        let n_own = rest.iter().take_while(|arc| arc.tail as usize == vertex).count();
        let (own, later) = rest.split_at(n_own);
        rest = later;
        for (place, arc) in own.iter().enumerate() {
            let gap = if place > 0 { " " } else { "" };
            write!(out, "{gap}{}", u64::from(arc.head) + 1)?;
            if weighted {
                write!(out, " {}", arc.weight)?;
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

fn read_header(scanner: &mut Scanner) -> Result<Header, Fault> {
    while scanner.next_entry()? == Some(b'%') {
        scanner.skip_line()?;
    }
    if scanner.peek()?.is_none() {
        let message = "the file ends before the size line";
        return Err(scanner.here(Code::Truncated, message));
    }
    let n_vertices = vertex_count(scanner, "the number of vertices")?;
    let n_edges = scanner.unsigned("the number of edges")?;
    let place = scanner.place_of_token();
    let mut digits = Vec::new();
    scanner.take_word(&mut digits)?;
    let known = digits.len() <= 3 && digits.iter().all(|digit| matches!(digit, b'0' | b'1'));
    if !known {
        let quoted = scanner.quoted();
        let fault = scanner.at_token(Code::BadFormat, format!("unknown format {quoted}"));
        let why = "the digits indicate sizes of vertices, weights of vertices, and weights of \
            edges: `0`, `1`, `10`, `11`, `100` …";
        return Err(Box::new(fault.note(why)));
    }
    let digit = |from_right: usize| digits.iter().rev().nth(from_right) == Some(&b'1');
    let mut n_con = u64::from(digit(1));
    if !scanner.at_line_end()? {
        let given = scanner.unsigned("the number of weights of a vertex")?;
        if given > MAX_NCON || (n_con == 0 && given > 0) {
            let message = format!("{given} weights for each vertex");
            let fault = scanner.at_token(Code::BadFormat, message);
            let why = format!("there are at most {MAX_NCON}, and the format must announce them");
            return Err(Box::new(fault.note(why)));
        }
        n_con = given;
    }
    scanner.end_line()?;
    let n_before = n_con + u64::from(digit(2));
    Ok(Header { n_vertices, n_edges, place, edge_weights: digit(0), n_before })
}

/// Reads the line of a vertex up to its end.
fn read_vertex(
    scanner: &mut Scanner,
    vertex: u32,
    header: &Header,
    arcs: &mut Growing<Arc>,
    places: &mut Places,
    no_weights: &mut Option<Fault>,
) -> Result<(), Fault> {
    if header.n_before > 0 && scanner.peek()?.is_some() {
        for _ in 0..header.n_before {
            scanner.signed("a weight of the vertex")?;
        }
    }
    while !scanner.at_line_end()? {
        let head = scanner.index("the neighbour", u64::from(header.n_vertices), "vertices")?;
        if head == vertex {
            let message = format!("vertex {} is its own neighbour", u64::from(vertex) + 1);
            let fault = scanner.at_token(Code::BadFormat, message);
            return Err(Box::new(fault.note("a METIS graph has no loops")));
        }
        let weight = match header.edge_weights {
            true => scanner.weight("the weight of the edge", no_weights)?,
            false => 1,
        };
        if header.edge_weights && head < vertex {
            let (_, column) = scanner.place_of_token();
            let column = u32::try_from(column).unwrap_or(u32::MAX);
            places.columns.push(column).map_err(|e| scanner.out_of_memory(&e))?;
        }
        arcs.push(Arc { tail: vertex, head, weight }).map_err(|e| scanner.out_of_memory(&e))?;
    }
    scanner.end_line()
}

fn refuse_more_lines(scanner: &mut Scanner, n_vertices: u32) -> Result<(), Fault> {
    while let Some(byte) = scanner.next_entry()? {
        if byte != b'%' {
            let all = text::counted(n_vertices, "vertices");
            let message = format!("a line after the {all} of the header");
            return Err(scanner.here(Code::HeaderLies, message));
        }
        scanner.skip_line()?;
    }
    Ok(())
}

/// The arcs to smaller vertices in file order, if each has its mirror image.
fn one_of_each(scanner: &mut Scanner, arcs: Vec<Arc>, places: Places) -> Result<Vec<Arc>, Fault> {
    let n_bytes = arcs.len() as u128 * size_of::<Arc>() as u128;
    let (mut down, mut up) = (Vec::new(), Vec::new());
    let mut n_down = 0;
    for arcs in arcs.chunks(AT_ONCE) {
        n_down += arcs.iter().filter(|arc| arc.tail > arc.head).count();
        scanner.source_mut().go_on()?;
    }
    down.try_reserve_exact(n_down)
        .and_then(|()| up.try_reserve_exact(arcs.len() - n_down))
        .map_err(|_| scanner.source().out_of_memory(n_bytes))?;
    for arcs in arcs.chunks(AT_ONCE) {
        down.extend(arcs.iter().copied().filter(|arc| arc.tail > arc.head));
        up.extend(arcs.iter().copied().filter(|arc| arc.tail < arc.head).map(mirrored));
        scanner.source_mut().go_on()?;
    }
    drop(arcs);
    let mut sorted = Vec::new();
    sorted.try_reserve_exact(n_down).map_err(|_| scanner.source().out_of_memory(n_bytes))?;
    let go_on = &mut || scanner.source_mut().go_on();
    for down in down.chunks(AT_ONCE) {
        sorted.extend_from_slice(down);
        go_on()?;
    }
    order(&mut up, go_on)?;
    order(&mut sorted, go_on)?;
    let mut n_common = 0;
    for (down, up) in sorted.chunks(AT_ONCE).zip(up.chunks(AT_ONCE)) {
        let n_equal = down.iter().zip(up).take_while(|(a, b)| a == b).count();
        n_common += n_equal;
        go_on()?;
        if n_equal < down.len() {
            break;
        }
    }
    let lonely = match (sorted.get(n_common), up.get(n_common)) {
        (None, None) => return Ok(down),
        (Some(&arc), None) => arc,
        (None, Some(&arc)) => mirrored(arc),
        (Some(&a), Some(&b)) if key(&a) < key(&b) => a,
        (Some(_), Some(&b)) => mirrored(b),
    };
    let lines = places.lines.into_vec();
    let line = |vertex: u32| lines.get(vertex as usize).copied().unwrap_or(1);
    let name = |vertex: u32| u64::from(vertex) + 1;
    let (message, place) = match (sorted.get(n_common), up.get(n_common)) {
        (Some(own), Some(other)) if is_reweighted(own, other, &sorted, &up) => {
            let (tail, head) = (name(own.tail), name(own.head));
            let message = format!(
                "the edge from {tail} to {head} has weight {} here, but weight {} in line {}, that \
                    of vertex {head}",
                own.weight,
                other.weight,
                line(own.head)
            );
            let idx = down.iter().position(|arc| arc == own);
            let columns = places.columns.into_vec();
            let column = idx.and_then(|idx| columns.get(idx).copied()).unwrap_or(1);
            (message, (line(own.tail), u64::from(column)))
        }
        _ => {
            let (tail, head) = (name(lonely.tail), name(lonely.head));
            let message =
                format!("the edge from {tail} to {head} is missing in the line of {head}");
            (message, (line(lonely.tail), 1))
        }
    };
    let fault = scanner.source().fault(Code::BadFormat, message).at(place.0, place.1);
    Err(Box::new(
        fault.note("every edge occurs in the lines of both its ends, with the same weight"),
    ))
}

/// Returns whether two sorted arcs have the same ends, and both lists have equally many arcs with
/// these ends: only their weights differ.
fn is_reweighted(own: &Arc, other: &Arc, down: &[Arc], up: &[Arc]) -> bool {
    let ends = |arc: &Arc| (arc.tail, arc.head);
    let n_arcs = |arcs: &[Arc]| {
        let first = arcs.partition_point(|arc| ends(arc) < ends(own));
        arcs[first..].partition_point(|arc| ends(arc) == ends(own))
    };
    ends(own) == ends(other) && n_arcs(down) == n_arcs(up)
}

/// Sorts arcs by [`key`]; they may already be in this order.
fn order<E>(arcs: &mut [Arc], go_on: &mut impl FnMut() -> Result<(), E>) -> Result<(), E> {
    match count_pairs(arcs, 1, |a, b| key(a) > key(b), go_on)? {
        0 => Ok(()),
        _ => sort_by_key(arcs, u128::BITS, &key, go_on),
    }
}

/// The sort key: tail, head and weight.
fn key(arc: &Arc) -> u128 {
    // Orders negative weights first.
    let weight = arc.weight.cast_unsigned() ^ 1 << (u64::BITS - 1);
    u128::from(arc.tail) << 96 | u128::from(arc.head) << 64 | u128::from(weight)
}

fn mirrored(arc: Arc) -> Arc {
    Arc { tail: arc.head, head: arc.tail, weight: arc.weight }
}
