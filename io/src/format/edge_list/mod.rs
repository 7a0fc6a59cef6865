//! Edge lists: lines `FROM TO` or `FROM TO WEIGHT`, separated by blanks, tabs or a comma, and
//! comments from `#` or `%` (SNAP and similar lists).
//!
//! Vertices are arbitrary numbers below 2^64. Exactly 1..n are used directly; all others are
//! numbered in ascending order and kept as labels. If the first line is that of KONECT, its edges
//! have no direction after `sym`; `bip` is rejected. Times after the weights, as in KONECT, are
//! skipped if the options say so. Our own writer's comment before the first
//! edge fixes the number of vertices and is exact; the counts in a SNAP comment are often wrong and
//! only cause a warning. A file without an edge and without our comment is rejected.

mod ids;
mod remarks;

use std::io::{self, Write};

use star_base::Code;

use self::ids::RawArc;
use self::remarks::{Announced, Konect, Remarks};
use super::{ARC_BYTES, GraphRef, MIN_ENTRY_BYTES, ReadResult, ReaderNotes};
use crate::data::{Data, OutputRef};
use crate::error::Fault;
use crate::graph::{Arc, Graph};
use crate::growing::Growing;
use crate::scan::Scanner;
use crate::source::Source;

/// Memory of an edge: as read, renumbered, its two ends among the labels, and its key when
/// duplicates are counted.
const RAW_BYTES: u64 = size_of::<RawArc>() as u64 + 2 * 8 + ARC_BYTES;

/// Reads a graph.
pub(crate) fn read(source: Source) -> Result<ReadResult, Fault> {
    let mut scanner = Scanner::new(source)?;
    let mut remarks = Remarks::default();
    let mut text = Vec::new();
    let mut raw: Growing<RawArc> = Growing::new(scanner.source().budget(), RAW_BYTES);
    let (mut weighted, mut no_weights) = (None, None);
    let mut n_times = 0;
    while let Some(first) = scanner.next_entry()? {
        if matches!(first, b'#' | b'%') {
            scanner.take_line(&mut text, remarks::MAX_BYTES)?;
            let before_edges = raw.len() == 0;
            let line = scanner.line().saturating_sub(1).max(1);
            if let Some(announced) = remarks.note(&text, before_edges) {
                raw.reserve(announced, scanner.source().size_hint(), MIN_ENTRY_BYTES);
            }
            if remarks.konect == Some(Konect::Bipartite) {
                return Err(bipartite(&scanner, line));
            }
            continue;
        }
        if let Some(Announced { n_arcs, .. }) = remarks.exact
            && raw.len() as u64 == n_arcs
        {
            return Err(super::too_many(&scanner, n_arcs));
        }
        let arc = read_edge(&mut scanner, &remarks, &mut weighted, &mut no_weights, &mut n_times)
            .map_err(
            |fault| if raw.len() == 0 { perhaps_a_table(fault, first) } else { fault },
        )?;
        raw.push(arc).map_err(|e| scanner.out_of_memory(&e))?;
    }
    let (mut warnings, mut notes) = (Vec::new(), Vec::new());
    let raw = raw.into_vec();
    let mut numbered = match remarks.exact {
        Some(Announced { n_arcs, .. }) if (raw.len() as u64) < n_arcs => {
            return Err(super::too_few(&scanner, raw.len() as u64, n_arcs));
        }
        Some(Announced { n_vertices, .. }) => {
            ids::take_from_1(&raw, n_vertices, scanner.source_mut())?
        }
        None if raw.is_empty() => {
            return Err(scanner.here(Code::Truncated, "the file holds no edge"));
        }
        None => ids::compact(&raw, scanner.source_mut())?,
    };
    let from_0 = |labels: &[u64]| {
        labels.first() == Some(&0) && labels.last() == Some(&(labels.len() as u64 - 1))
    };
    if let Some(labels) = numbered.labels.as_deref().filter(|labels| !from_0(labels)) {
        notes.push(format!(
            "the vertices are not numbered 0..n−1 or 1..n: the {} distinct numbers are used in \
                ascending order",
            labels.len()
        ));
    }
    let symmetric = remarks.konect == Some(Konect::Symmetric);
    if symmetric {
        notes.push("the comment `% sym` says that the edges have no direction".to_owned());
    }
    if n_times > 0 {
        notes.push("the times after the weights are skipped".to_owned());
    }
    warnings.extend(remarks.disagreement(numbered.n_vertices, numbered.arcs.len()));
    if let Some(fault) = &no_weights {
        warnings.push(super::leave_weights_out(&mut numbered.arcs, fault));
    }
    let graph = Graph {
        n_vertices: numbered.n_vertices,
        arcs: numbered.arcs,
        weighted: weighted.unwrap_or(false) && no_weights.is_none(),
        symmetric,
        labels: numbered.labels,
        no_weights,
    };
    warnings.extend(super::arc_warnings(&graph, scanner.source_mut())?);
    Ok((Data::Graph(graph), ReaderNotes { warnings, notes }))
}

/// Writes a graph with the labels of its vertices, or the graph of an adjacency table.
pub(crate) fn write(value: OutputRef<'_>, out: &mut dyn Write) -> Result<(), Fault> {
    let graph = GraphRef::new(value, "an edge list")?;
    write_edges(graph, out).map_err(|e| super::cannot_write(&e))
}

fn write_edges(graph: GraphRef<'_>, out: &mut dyn Write) -> io::Result<()> {
    let announced = Announced { n_vertices: graph.n_vertices() as u64, n_arcs: graph.n_arcs() };
    // Labels are not numbers from 1, and the comment that fixes the sizes would declare them so.
    let labels = graph.labels();
    writeln!(
        out,
        "{}",
        match labels {
            None => remarks::exact_comment(&announced),
            Some(_) => remarks::claim(&announced),
        }
    )?;
    let name = |vertex: u32| {
        let label = labels.and_then(|labels| labels.get(vertex as usize));
        label.copied().unwrap_or(u64::from(vertex) + 1)
    };
    let weighted = graph.is_weighted();
    graph.try_for_arcs(|Arc { tail, head, weight }| match weighted {
        true => writeln!(out, "{} {} {weight}", name(tail), name(head)),
        false => writeln!(out, "{} {}", name(tail), name(head)),
    })
}

/// Reads one line; the first one determines whether there are weights.
#[inline]
fn read_edge(
    scanner: &mut Scanner,
    remarks: &Remarks,
    weighted: &mut Option<bool>,
    no_weights: &mut Option<Fault>,
    n_times: &mut u64,
) -> Result<RawArc, Fault> {
    let tail = read_end(scanner, remarks, "the first vertex")?;
    skip_separator(scanner)?;
    let head = read_end(scanner, remarks, "the second vertex")?;
    let more = skip_separator(scanner)? || !scanner.at_line_end()?;
    match *weighted {
        None => *weighted = Some(more),
        Some(before) if before == more => {}
        Some(before) => {
            let (before, now) = if before { (3, 2) } else { (2, 3) };
            let message = format!(
                "{now} fields in a line, expected {before} as in the lines \
                before"
            );
            return Err(scanner.here(Code::BadFormat, message));
        }
    }
    let weight = match more {
        true => scanner.weight("the weight", no_weights)?,
        false => 1,
    };
    if more && (skip_separator(scanner)? || !scanner.at_line_end()?) {
        if scanner.source().skips_times() {
            scanner.take_word(&mut Vec::new())?;
            *n_times += 1;
        } else {
            return Err(fourth_field(scanner));
        }
    }
    scanner.end_line()?;
    Ok(RawArc { tail, head, weight })
}

/// The error for a field after the weight.
#[cold]
fn fourth_field(scanner: &mut Scanner) -> Fault {
    match scanner.end_line() {
        Ok(()) => scanner.here(Code::BadFormat, "expected the end of the line, found `,`"),
        Err(fault) => Box::new(
            fault
                .note("a fourth field stands where the line should end")
                .help("if it is a time, `times=skip` reads the graph without times"),
        ),
    }
}

/// The error for separate numbers of the two sides of a graph, announced in this line.
fn bipartite(scanner: &Scanner, line: u64) -> Fault {
    let message = "unsupported comment `% bip`: the two ends of its edges are numbered separately";
    let fault = scanner.source().fault(Code::BadFormat, message).at(line, 1);
    Box::new(fault.help(
        "add the number of vertices on the left to the second number of every line, and remove \
            the comment",
    ))
}

/// The error for a first line without vertices, with a remark if it begins like the header of a
/// table.
fn perhaps_a_table(fault: Fault, first: u8) -> Fault {
    match first.is_ascii_alphabetic() || first == b'"' {
        true => Box::new(
            fault
                .note(
                    "the file is read as an edge list, with lines `FROM TO` or `FROM TO WEIGHT` \
                        of integers",
                )
                .help(
                    "a table must be in a file that ends in `.csv`, where tabs and semicolons \
                        between the fields are recognised, too",
                ),
        ),
        false => fault,
    }
}

/// Reads a vertex; counts from 0 if the file gives the number of vertices.
#[inline]
fn read_end(scanner: &mut Scanner, remarks: &Remarks, what: &str) -> Result<u64, Fault> {
    match remarks.exact {
        None => scanner.unsigned(what),
        Some(Announced { n_vertices, .. }) => {
            Ok(u64::from(scanner.index(what, n_vertices, "vertices")?))
        }
    }
}

/// Skips blanks with at most one comma among them; returns whether there was one.
#[inline]
fn skip_separator(scanner: &mut Scanner) -> Result<bool, Fault> {
    let comma = scanner.skip_blanks()? == Some(b',');
    if comma {
        scanner.bump();
    }
    Ok(comma)
}
