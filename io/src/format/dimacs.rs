//! DIMACS shortest-path graphs, `.gr`: lines `c …` are comments, one line `p sp N M` precedes the
//! arcs, and M lines `a TAIL HEAD WEIGHT` follow, vertices from 1 (9th DIMACS challenge).
//!
//! Extensions: empty lines, loops, parallel arcs, negative weights.

use std::io::{self, Write};

use star_base::Code;

use super::{ARC_BYTES, GraphRef, MIN_ENTRY_BYTES, ReadResult, ReaderNotes};
use crate::data::OutputRef;
use crate::error::Fault;
use crate::graph::{Arc, ArcsElsewhere, Graph};
use crate::graph_part::ArcFacts;
use crate::growing::Growing;
use crate::scan::Scanner;
use crate::source::Source;

/// The valid kinds of lines.
const KINDS: &str = "the lines of a DIMACS graph begin with `c`, `p` or `a`";

/// The contents of the line `p`.
struct Header {
    n_vertices: u32,
    n_arcs: u64,
}

/// Reads a graph.
pub(crate) fn read(source: Source) -> Result<ReadResult, Fault> {
    let mut scanner = Scanner::new(source)?;
    let (mut header, mut no_weights) = (None, None);
    let mut arcs = Growing::new(scanner.source().budget(), ARC_BYTES);
    while let Some(kind) = scanner.next_entry()? {
        scanner.begin_token();
        match kind {
            b'c' => scanner.skip_line()?,
            b'a' => match &header {
                None => {
                    let message = "an arc comes before the line `p sp`";
                    return Err(scanner.here(Code::BadFormat, message));
                }
                Some(Header { n_vertices, n_arcs }) => {
                    if arcs.len() as u64 == *n_arcs {
                        return Err(super::too_many(&scanner, *n_arcs));
                    }
                    let arc = read_arc(&mut scanner, u64::from(*n_vertices), &mut no_weights)?;
                    arcs.push(arc).map_err(|e| scanner.out_of_memory(&e))?;
                }
            },
            b'p' if header.is_none() => {
                let found = read_header(&mut scanner)?;
                arcs.reserve(found.n_arcs, scanner.source().size_hint(), MIN_ENTRY_BYTES);
                header = Some(found);
            }
            b'p' => return Err(scanner.here(Code::BadFormat, "a second line `p`")),
            _ => return Err(unknown_line(&mut scanner, KINDS)),
        }
    }
    let Some(Header { n_vertices, n_arcs }) = header else {
        let message = "the file ends before the line `p sp`";
        return Err(scanner.here(Code::Truncated, message));
    };
    let sharing = scanner.source().sharing();
    if sharing.is_none() && (arcs.len() as u64) < n_arcs {
        return Err(super::too_few(&scanner, arcs.len() as u64, n_arcs));
    }
    let (mut arcs, mut notes) = (arcs.into_vec(), ReaderNotes::default());
    let are_read = scanner.source().edge_fields().reads_weights();
    let weighted = super::settle_weights(&mut arcs, are_read, &mut no_weights, &mut notes.warnings);
    let elsewhere = match sharing {
        None => ArcsElsewhere::default(),
        Some(sharing) => {
            super::check_weights_of_part(no_weights.as_deref(), scanner.source())?;
            let facts = ArcFacts::of(arcs.iter().map(|arc| arc.weight));
            let all = scanner.source().gather(sharing, facts)?;
            super::check_arcs_of_parts(sharing, &all, n_arcs, scanner.source())?;
            sharing.elsewhere(&all)
        }
    };
    let graph = Graph {
        n_vertices: n_vertices as usize,
        arcs,
        weighted,
        symmetric: false,
        names: None,
        no_weights,
        elsewhere,
    };
    super::finish(graph, notes, scanner.source_mut())
}

/// Writes a graph, or the graph of an adjacency table; without weights every weight is 1.
pub(crate) fn write(value: OutputRef<'_>, out: &mut dyn Write) -> Result<(), Fault> {
    let graph = GraphRef::new(value, "DIMACS")?;
    write_arcs(graph, out).map_err(|e| super::cannot_write(&e))
}

fn write_arcs(graph: GraphRef<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "p sp {} {}", graph.n_vertices(), graph.n_arcs())?;
    graph.try_for_arcs(|Arc { tail, head, weight }| {
        writeln!(out, "a {} {} {weight}", u64::from(tail) + 1, u64::from(head) + 1)
    })
}

fn read_header(scanner: &mut Scanner) -> Result<Header, Fault> {
    let mut word = Vec::new();
    scanner.take_word(&mut word)?;
    if word != b"p" {
        return Err(unknown_line(scanner, KINDS));
    }
    scanner.take_word(&mut word)?;
    if word.is_empty() && scanner.peek()?.is_none() {
        let message = "the file ends in the middle of the line `p`";
        return Err(scanner.here(Code::Truncated, message));
    }
    if word != b"sp" {
        let quoted = scanner.quoted();
        let message = format!("unknown problem kind {quoted}");
        let fault = scanner.at_token(Code::BadFormat, message);
        return Err(Box::new(fault.note("only shortest-path problems are supported: `p sp N M`")));
    }
    let n_vertices = super::vertex_count(scanner, "the number of vertices")?;
    let n_arcs = scanner.unsigned("the number of arcs")?;
    scanner.end_line()?;
    Ok(Header { n_vertices, n_arcs })
}

#[inline]
fn read_arc(
    scanner: &mut Scanner,
    n_vertices: u64,
    no_weights: &mut Option<Fault>,
) -> Result<Arc, Fault> {
    skip_kind(scanner, KINDS)?;
    let tail = scanner.index("the tail of the arc", n_vertices, "vertices")?;
    let head = scanner.index("the head of the arc", n_vertices, "vertices")?;
    let weight = scanner.weight("the weight", no_weights)?;
    scanner.end_line()?;
    Ok(Arc { tail, head, weight })
}

/// Skips the letter at the start of a line; `kinds` lists the valid ones.
#[inline]
pub(super) fn skip_kind(scanner: &mut Scanner, kinds: &str) -> Result<(), Fault> {
    scanner.bump();
    match scanner.peek()? {
        None | Some(b' ' | b'\t' | b'\r' | b'\n') => Ok(()),
        Some(_) => Err(unknown_line(scanner, kinds)),
    }
}

/// The error for a line that begins with a letter other than those in `kinds`.
pub(super) fn unknown_line(scanner: &mut Scanner, kinds: &str) -> Fault {
    let quoted = scanner.quoted();
    let message = format!("a line that begins with {quoted}");
    Box::new(scanner.at_token(Code::BadFormat, message).note(kinds))
}
