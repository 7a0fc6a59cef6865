//! Pajek networks, `.net`: `*Vertices N`, lines `NUMBER "LABEL" …`, then `*Arcs`, `*Edges` with
//! lines `FROM TO [WEIGHT]`, or `*Arcslist`, `*Edgeslist` with lines `FROM TO TO …`. Vertices have
//! their labels as names if all have different ones, otherwise their numbers.

use std::collections::BTreeSet;
use std::io::Write;

use star_base::Code;

use super::network::{Document, Network, names_of_labels};
use super::{GraphRef, ReadResult, ReaderNotes, cannot_hold};
use crate::data::OutputRef;
use crate::error::Fault;
use crate::source::Source;
use crate::text;

/// Number of lines between two polls for interruption.
const AT_ONCE: usize = 1 << 14;

/// Bytes of the shortest line of a vertex: vertices without a line must be justified by others.
const LEAST_LINE: usize = 2;

/// The part of the file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Start,
    Vertices,
    /// Lines of two vertices; whether they have no direction.
    Pairs(bool),
    /// Lines of a vertex and its neighbours.
    Lists(bool),
    /// `*Network NAME` and similar.
    Ignored,
}

/// Reads a graph.
pub(crate) fn read(mut source: Source) -> Result<ReadResult, Fault> {
    let document = Document::read(&mut source)?;
    let reads_weights = source.edge_fields().reads_weights();
    let mut network = Network::new(&source, &document);
    let (mut labels, mut is_listed) = (Vec::<Option<String>>::new(), Vec::new());
    let (mut section, mut n_vertices, mut has_edges) = (Section::Start, None, false);
    let mut relations = BTreeSet::new();
    let mut offset = 0;
    for (idx, line) in document.text().split('\n').enumerate() {
        if idx % AT_ONCE == 0 {
            source.go_on()?;
        }
        let start = offset;
        offset += line.len() + 1;
        let cells = match split(line) {
            Ok(cells) => cells,
            // A comment may have any quotes.
            Err(_) if line.trim_start().starts_with('%') => continue,
            Err((at, message)) => {
                return Err(document.fault(start + at, Code::BadFormat, message));
            }
        };
        let Some(&(at, first)) = cells.first() else { continue };
        let fault =
            |at: usize, message: String| document.fault(start + at, Code::BadFormat, message);
        if first.starts_with('%') {
            continue;
        }
        if let Some(name) = first.strip_prefix('*') {
            section = match name.to_ascii_lowercase().trim_end_matches(':') {
                "vertices" if n_vertices.is_some() => {
                    return Err(fault(at, "a second network in the file".to_owned()));
                }
                "vertices" => {
                    let number = cells.get(1).and_then(|(_, n)| n.parse::<u64>().ok());
                    let Some(n) = number else {
                        return Err(fault(at, "expected `*Vertices` and their number".to_owned()));
                    };
                    // Every vertex has a name, so a header cannot claim more than the file has room
                    // for.
                    let most = (document.text().len() / LEAST_LINE) as u64;
                    let Some(n) = u32::try_from(n).ok().filter(|n| u64::from(*n) <= most) else {
                        let message = format!("{n} vertices are more than the file can hold");
                        return Err(document.fault(start + at, Code::HeaderLies, message));
                    };
                    let place = |code, message: String| document.fault(start + at, code, message);
                    for vertex in 1..=n {
                        network.vertex(&vertex.to_string(), &place)?;
                    }
                    n_vertices = Some(n);
                    labels.resize(n as usize, None);
                    is_listed.resize(n as usize, false);
                    Section::Vertices
                }
                "arcs" | "edges" | "arcslist" | "edgeslist" if n_vertices.is_none() => {
                    return Err(fault(at, format!("expected `*Vertices` before `{first}`")));
                }
                "arcs" => Section::Pairs(false),
                "edges" => Section::Pairs(true),
                "arcslist" => Section::Lists(false),
                "edgeslist" => Section::Lists(true),
                "network" => Section::Ignored,
                _ => {
                    let found = text::quote(first.as_bytes());
                    let fault = fault(at, format!("unsupported section {found}"));
                    return Err(Box::new(fault.note(
                        "`*Vertices`, `*Arcs`, `*Edges`, `*Arcslist` and `*Edgeslist` are read",
                    )));
                }
            };
            if matches!(section, Section::Pairs(_) | Section::Lists(_)) {
                // `*Arcs :2 "NAME"`
                relations.extend(cells.get(1).map(|(_, relation)| *relation));
            }
            has_edges |= matches!(section, Section::Pairs(true) | Section::Lists(true));
            continue;
        }
        let n = n_vertices.unwrap_or(0);
        let vertex = |&(at, cell): &(usize, &str)| {
            let number = cell.parse::<u32>().ok().filter(|number| (1..=n).contains(number));
            number.map(|number| number - 1).ok_or_else(|| {
                let found = text::quote(cell.as_bytes());
                fault(at, format!("expected a vertex from 1 to {n}, found {found}"))
            })
        };
        match section {
            Section::Ignored => {}
            Section::Start => {
                return Err(fault(at, "expected `*Vertices` before the first line".to_owned()));
            }
            Section::Vertices => {
                let vertex = vertex(&(at, first))?;
                if std::mem::replace(&mut is_listed[vertex as usize], true) {
                    return Err(fault(at, format!("a second vertex `{}`", vertex + 1)));
                }
                labels[vertex as usize] = cells.get(1).map(|(_, label)| (*label).to_owned());
            }
            Section::Pairs(is_edge) => {
                let Some(second) = cells.get(1) else {
                    return Err(fault(line.len(), "expected a second vertex".to_owned()));
                };
                let ends = (vertex(&(at, first))?, vertex(second)?);
                let weight = cells.get(2).filter(|_| reads_weights);
                let place = |code, message: String| {
                    document.fault(start + weight.map_or(line.len(), |(at, _)| *at), code, message)
                };
                network.arc(ends, weight.map(|(_, weight)| *weight), is_edge, &place)?;
            }
            Section::Lists(is_edge) => {
                let tail = vertex(&(at, first))?;
                for cell in &cells[1..] {
                    let head = vertex(cell)?;
                    let place =
                        |code, message: String| document.fault(start + cell.0, code, message);
                    network.arc((tail, head), None, is_edge, &place)?;
                }
            }
        }
    }
    if n_vertices.is_none() {
        let end = document.text().len();
        return Err(document.fault(end, Code::Truncated, "the file holds no line `*Vertices`"));
    }
    let (names, note) = names_of_labels(labels, "numbers");
    let mut notes = ReaderNotes { notes: note.into_iter().collect(), ..Default::default() };
    if relations.len() > 1 {
        let relations = text::count(relations.len() as u64, "relation");
        notes.notes.push(format!("the arcs of {relations} are read as one graph"));
    }
    network.finish(has_edges, names, notes, &mut source)
}

/// Refuses every value: the format is only read.
pub(crate) fn write(value: OutputRef<'_>, _: &mut dyn Write) -> Result<(), Fault> {
    let _ = GraphRef::new(value, "Pajek")?;
    let fault = cannot_hold(value, "Pajek", "graphs, which are only read from it");
    Err(Box::new(fault.help("write it to a `.graphml` or `.json` file")))
}

/// The cells of a line, without the quotes around them, with their places. A label ends at a quote
/// before a blank or at the end of the line, so it may have others, which networkx writes.
///
/// # Errors
/// The place of a label without its closing quote.
fn split(line: &str) -> Result<Vec<(usize, &str)>, (usize, &'static str)> {
    let mut cells = Vec::new();
    let mut pos = 0;
    loop {
        pos += line[pos..].len() - line[pos..].trim_start().len();
        let rest = &line[pos..];
        if rest.is_empty() {
            return Ok(cells);
        }
        match rest.strip_prefix('"') {
            Some(quoted) => {
                let ends =
                    |len: &usize| quoted[len + 1..].chars().next().is_none_or(char::is_whitespace);
                let mut quotes = quoted.match_indices('"').map(|(len, _)| len);
                let Some(len) = quotes.find(ends) else {
                    return Err((pos, "a label without its closing quote"));
                };
                cells.push((pos, &quoted[..len]));
                pos += len + 2;
            }
            None => {
                let len = rest.find(char::is_whitespace).unwrap_or(rest.len());
                cells.push((pos, &rest[..len]));
                pos += len;
            }
        }
    }
}
