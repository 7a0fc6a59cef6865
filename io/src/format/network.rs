//! The common part of readers of graphs with named vertices: a document in memory with the places
//! of its errors, and the vertices and arcs found in it.

use star_base::Code;

use super::weights::{self, At, WeightRule};
use super::{ARC_BYTES, ReadResult, ReaderNotes, settle_weights};
use crate::error::{Fault, FileError};
use crate::graph::{Arc, Graph};
use crate::growing::Growing;
use crate::meaning::{Meaning, Texts};
use crate::names::{VertexNames, plain_number};
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
    /// The attribute of weights that the user chose.
    wanted: Option<&'a str>,
    /// The attribute in which weights were found.
    attribute: Option<String>,
    /// The vertices that are declared, not only the end of an arc.
    is_declared: Vec<bool>,
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
            weights: WeightRule::new(source),
            wanted: source.edge_fields().weight,
            attribute: None,
            is_declared: Vec::new(),
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

    /// Declares a vertex, perhaps after its arcs.
    ///
    /// # Errors
    /// If it is declared.
    pub(super) fn declare(&mut self, name: &str, at: At<'_>) -> Result<u32, Fault> {
        let vertex = self.vertex(name, at)?;
        self.is_declared.resize(self.n_vertices(), false);
        if std::mem::replace(&mut self.is_declared[vertex as usize], true) {
            let name = text::quote(name.as_bytes());
            return Err(at(Code::BadFormat, format!("a second vertex {name}")));
        }
        Ok(vertex)
    }

    /// Returns whether an attribute with this name may hold the weights.
    pub(super) fn may_be_weight(&self, name: &str) -> bool {
        self.wanted.map_or_else(|| weights::is_usual(name), |wanted| name == wanted)
    }

    /// Returns the weight among the attributes of an edge. Its attribute is the one that the user
    /// chose, or the most usual one of the first edge that has any.
    ///
    /// # Errors
    /// If the edge has two values of it.
    pub(super) fn weight<'v>(
        &mut self,
        values: impl Iterator<Item = (&'v str, &'v str)> + Clone,
        at: At<'_>,
    ) -> Result<Option<&'v str>, Fault> {
        let rank =
            |name: &str| weights::NAMES.iter().position(|known| known.eq_ignore_ascii_case(name));
        let candidates = values.filter(|(name, _)| match &self.attribute {
            Some(attribute) => name == attribute,
            None => self.may_be_weight(name),
        });
        let Some((name, weight)) = candidates.clone().min_by_key(|(name, _)| rank(name)) else {
            return Ok(None);
        };
        if candidates.filter(|(other, _)| *other == name).count() > 1 {
            let name = text::quote(name.as_bytes());
            return Err(at(Code::BadFormat, format!("an edge with two values of {name}")));
        }
        self.attribute.get_or_insert_with(|| name.to_owned());
        Ok(Some(weight))
    }

    /// The name of the file.
    pub(super) fn file(&self) -> String {
        self.file.clone()
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

    /// Returns whether the ends of edges that are not declared are numbers below that of the
    /// declared vertices, none of which is called by a number.
    pub(super) fn has_places(&self) -> bool {
        let is_declared = |vertex: usize| self.is_declared.get(vertex) == Some(&true);
        let n_declared = self.is_declared.iter().filter(|it| **it).count() as u64;
        let numbers = self.names.all().map(plain_number).enumerate();
        n_declared > 0
            && n_declared < self.n_vertices() as u64
            && numbers.into_iter().all(|(vertex, number)| match is_declared(vertex) {
                true => number.is_none(),
                false => number.is_some_and(|number| number < n_declared),
            })
    }

    /// A note about vertices that are not declared, if others are.
    fn undeclared(&self) -> Option<String> {
        const NAMED: usize = 3;
        let is_declared = |vertex: usize| self.is_declared.get(vertex) == Some(&true);
        let others = (0..self.n_vertices()).filter(|&vertex| !is_declared(vertex));
        let n_others = others.clone().count();
        if n_others == 0 || n_others == self.n_vertices() {
            return None;
        }
        let quote = |vertex: usize| text::quote(self.names.as_slice()[vertex].as_bytes());
        let named: Vec<String> = others.take(NAMED).map(quote).collect();
        let more = if n_others > NAMED { ", …" } else { "" };
        let vertices = text::counted(n_others as u64, "vertices");
        Some(format!("{vertices} only at the ends of edges: {}{more}", named.join(", ")))
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
        notes.notes.extend(self.undeclared());
        let Network { names, arcs, weights, attribute, is_edge, n_edges, .. } = self;
        let mut arcs = arcs.into_vec();
        let n_vertices = names.as_slice().len();
        let is_mixed = n_edges > 0 && n_edges < arcs.len();
        if is_mixed {
            let both = arcs.iter().zip(&is_edge).flat_map(|(&arc, &is_edge)| {
                let mirror = Arc { tail: arc.head, head: arc.tail, ..arc };
                std::iter::once(arc).chain((is_edge && arc.tail != arc.head).then_some(mirror))
            });
            arcs = both.collect();
            // A loop has only one direction.
            let n_doubled = arcs.len() - is_edge.len();
            let edges = text::count(n_doubled as u64, "edge");
            notes.notes.push(format!("{edges} without direction became two arcs each"));
        }
        let symmetric = if arcs.is_empty() { symmetric } else { n_edges > 0 && !is_mixed };
        let (weighted, mut no_weights) = weights.finish()?;
        settle_weights(&mut arcs, true, &mut no_weights, &mut notes.warnings);
        if weighted && let Some(attribute) = attribute {
            let attribute = text::quote(attribute.as_bytes());
            notes.notes.push(format!("the weights are in the attribute {attribute}"));
        }
        let names = VertexNames::of_texts(other_names.unwrap_or(names));
        let graph =
            Graph { n_vertices, arcs, weighted, symmetric, names, no_weights, ..Graph::default() };
        super::finish(graph, notes, source)
    }
}

/// The message of a parser in the form of ours.
pub(super) fn parser_message(message: &str) -> String {
    const MAX_CHARS: usize = 160;
    let visible = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    // The place within a part of the text, as in `at 1..2: unrecognized entity`.
    let rest = message.strip_prefix("at ").and_then(|rest| rest.split_once(": "));
    let is_place = |place: &str| place.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let message = rest.filter(|(place, _)| is_place(place)).map_or(message, |(_, rest)| rest);
    let mut chars = message.trim_end_matches('.').chars().map(visible);
    let first: String = chars.next().into_iter().flat_map(char::to_lowercase).collect();
    let text: String = first.chars().chain(chars).take(MAX_CHARS).collect();
    text.trim_end_matches(['.', ' ']).to_owned()
}

/// Returns the labels of all vertices as their names if they differ; otherwise a note, that the
/// names are `others`.
pub(super) fn names_of_labels(
    labels: Vec<Option<String>>,
    others: &str,
) -> (Option<Texts>, Option<String>) {
    let n_vertices = labels.len();
    let labels: Vec<String> = labels.into_iter().flatten().collect();
    let n_labels = labels.len();
    let is_name = |text: &String| !text.is_empty() && !text.contains(char::is_control);
    let are_names = labels.iter().all(is_name);
    let texts = Texts::of(labels);
    let vertices = text::counted(n_vertices as u64, "vertices");
    let reason = match texts.as_slice().len() {
        _ if n_labels == 0 => return (None, None),
        _ if !are_names => "a label is empty or has a control character".to_owned(),
        _ if n_labels < n_vertices => format!("{n_labels} of {vertices} have a label"),
        n_texts if n_texts < n_vertices => format!("{vertices} have {n_texts} different labels"),
        _ => return (Some(texts), None),
    };
    (None, Some(format!("the names are the {others}: {reason}")))
}
