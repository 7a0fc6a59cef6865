//! The common part of readers of graphs with named vertices: a document in memory with the places
//! of its errors, and the vertices and arcs found in it.

use star_base::Code;

use super::weights::{At, WeightRule};
use super::{ARC_BYTES, ReadResult, ReaderNotes, leave_weights_out};
use crate::error::{Fault, FileError};
use crate::graph::{Arc, Graph};
use crate::growing::Growing;
use crate::meaning::{Meaning, Texts};
use crate::names::VertexNames;
use crate::source::Source;
use crate::text;

/// A text file in memory.
pub(super) struct Document {
    file: String,
    bytes: Vec<u8>,
}

impl Document {
    /// Reads the file to its end; a byte order mark is skipped.
    pub(super) fn read(source: &mut Source) -> Result<Document, Fault> {
        let mut bytes = source.read_all(&[b""])?;
        source.wants_utf8(&bytes)?;
        if bytes.starts_with(b"\xef\xbb\xbf") {
            bytes.drain(..3);
        }
        let document = Document { file: source.file().to_owned(), bytes };
        match std::str::from_utf8(&document.bytes) {
            Ok(_) => Ok(document),
            Err(error) => {
                let fault = document.fault(error.valid_up_to(), Code::BadFormat, "not UTF-8");
                Err(Box::new(fault.help("save the file as UTF-8")))
            }
        }
    }

    /// Its text.
    pub(super) fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes).unwrap_or_default() // checked when it was read
    }

    /// An error at a byte of the text.
    pub(super) fn fault(&self, offset: usize, code: Code, message: impl Into<String>) -> Fault {
        let before = &self.bytes[..offset.min(self.bytes.len())];
        let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let line = before.iter().filter(|&&byte| byte == b'\n').count() as u64 + 1;
        let column = (before.len() - start) as u64 + 1;
        let rest = self.bytes[start..].split(|&byte| byte == b'\n').next().unwrap_or_default();
        let fault = FileError::new(code, &self.file, message).at(line, column);
        Box::new(fault.showing(rest, column))
    }

    /// An error in a line and a column, from 1.
    pub(super) fn fault_at(&self, line: usize, column: usize, message: &str) -> Fault {
        let lines = self.bytes.split_inclusive(|&byte| byte == b'\n');
        let before: usize = lines.take(line.saturating_sub(1)).map(<[u8]>::len).sum();
        let offset = (before + column.saturating_sub(1)).min(self.bytes.len());
        let ended = offset == self.bytes.len();
        let code = if ended { Code::Truncated } else { Code::BadFormat };
        self.fault(offset, code, message)
    }
}

/// The vertices and arcs of a document.
pub(super) struct Network<'a> {
    file: String,
    max_bytes: u64,
    names: Texts,
    n_name_bytes: u64,
    arcs: Growing<Arc>,
    weights: WeightRule<'a>,
    /// The arcs that have no direction, while both kinds occur, by their places in `arcs`.
    is_edge: Vec<bool>,
    n_edges: usize,
}

impl<'a> Network<'a> {
    /// Starts a network, next to a document of `n_bytes`.
    pub(super) fn new(source: &Source<'a, '_>, document: &Document) -> Self {
        let budget = source.budget().rest(document.bytes.len() as u64);
        Network {
            file: source.file().to_owned(),
            max_bytes: budget.max_bytes(),
            names: Texts::default(),
            n_name_bytes: 0,
            // The second item is for the arcs that become two.
            arcs: Growing::new(&budget, 2 * ARC_BYTES),
            weights: WeightRule::new(source.scaling(), source.field_rules().empty),
            is_edge: Vec::new(),
            n_edges: 0,
        }
    }

    /// Returns the vertex with this name, a new one if there is none.
    pub(super) fn vertex(&mut self, name: &str, at: At<'_>) -> Result<u32, Fault> {
        if name.is_empty() {
            return Err(at(Code::BadFormat, "the name of a vertex is empty".to_owned()));
        }
        if name.contains(char::is_control) {
            let message = "the name of a vertex contains a control character".to_owned();
            return Err(at(Code::BadFormat, message));
        }
        let n_before = self.names.as_slice().len();
        let code = self.names.add(name);
        if self.names.as_slice().len() > n_before {
            self.n_name_bytes = self.n_name_bytes.saturating_add(Meaning::bytes_of_text(name));
            self.check_memory()?;
        }
        u32::try_from(code - 1).map_err(|_| at(Code::OutOfRange, "too many vertices".to_owned()))
    }

    /// Adds a vertex.
    ///
    /// # Errors
    /// If another one has this name.
    pub(super) fn declare(&mut self, name: &str, at: At<'_>) -> Result<u32, Fault> {
        let n_before = self.names.as_slice().len();
        let vertex = self.vertex(name, at)?;
        if self.names.as_slice().len() == n_before {
            let name = text::quote(name.as_bytes());
            return Err(at(Code::BadFormat, format!("a second vertex {name}")));
        }
        Ok(vertex)
    }

    /// Number of vertices.
    pub(super) fn n_vertices(&self) -> usize {
        self.names.as_slice().len()
    }

    /// Adds an arc, or an edge without direction.
    pub(super) fn arc(
        &mut self,
        (tail, head): (u32, u32),
        weight: Option<&str>,
        is_edge: bool,
        at: At<'_>,
    ) -> Result<(), Fault> {
        let weight = self.weights.add(weight, at)?;
        let refused = self.arcs.push(Arc { tail, head, weight });
        refused.map_err(|refused| {
            crate::source::out_of_memory(&self.file, refused.0, self.max_bytes)
        })?;
        self.n_edges += usize::from(is_edge);
        self.is_edge.push(is_edge);
        self.check_memory()
    }

    /// Makes edges without direction of all arcs.
    pub(super) fn all_edges(&mut self) {
        self.n_edges = self.is_edge.len();
        self.is_edge.fill(true);
    }

    fn check_memory(&self) -> Result<(), Fault> {
        let arcs = self.arcs.len() as u64 * (2 * ARC_BYTES + 1);
        let n_bytes = arcs.saturating_add(self.n_name_bytes);
        match n_bytes > self.max_bytes {
            true => Err(crate::source::out_of_memory(&self.file, n_bytes.into(), self.max_bytes)),
            false => Ok(()),
        }
    }

    /// Makes the graph. If some arcs have a direction and others have none, the others become two
    /// arcs each. `other_names` replace the names of the vertices; `symmetric` is for a graph
    /// without arcs.
    pub(super) fn finish(
        self,
        symmetric: bool,
        other_names: Option<Texts>,
        mut notes: ReaderNotes,
        source: &mut Source,
    ) -> Result<ReadResult, Fault> {
        let Network { names, arcs, weights, is_edge, n_edges, .. } = self;
        let mut arcs = arcs.into_vec();
        let n_vertices = names.as_slice().len();
        let is_mixed = n_edges > 0 && n_edges < arcs.len();
        if is_mixed {
            let both = arcs.iter().zip(&is_edge).flat_map(|(&arc, &is_edge)| {
                let mirror = Arc { tail: arc.head, head: arc.tail, ..arc };
                std::iter::once(arc).chain((is_edge && arc.tail != arc.head).then_some(mirror))
            });
            arcs = both.collect();
            let edges = text::count(n_edges as u64, "edge");
            notes.notes.push(format!("{edges} without direction are two arcs each"));
        }
        let symmetric = if arcs.is_empty() { symmetric } else { n_edges > 0 && !is_mixed };
        let (weighted, no_weights) = weights.finish()?;
        if let Some(fault) = &no_weights {
            notes.warnings.push(leave_weights_out(&mut arcs, fault));
        }
        let names = VertexNames::of_texts(other_names.unwrap_or(names));
        let graph = Graph { n_vertices, arcs, weighted, symmetric, names, no_weights };
        super::finish(graph, notes, source)
    }
}

/// The message of a parser in the form of ours.
pub(super) fn parser_message(message: &str) -> String {
    const MAX_CHARS: usize = 160;
    let visible = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    let mut chars = message.trim_end_matches('.').chars().map(visible);
    let first: String = chars.next().into_iter().flat_map(char::to_lowercase).collect();
    let text: String = first.chars().chain(chars).take(MAX_CHARS).collect();
    text.trim_end_matches(['.', ' ']).to_owned()
}

/// A note about the attribute that holds the weights.
pub(super) fn weights_note(attribute: Option<&str>) -> Vec<String> {
    let note = attribute
        .map(|name| format!("the weights are in the attribute {}", text::quote(name.as_bytes())));
    note.into_iter().collect()
}
