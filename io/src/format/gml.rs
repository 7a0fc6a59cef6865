//! GML, `.gml`: nested lists `graph [ directed 1 node [ id 0 label "Oslo" ] edge [ source 0 target
//! 1 weight 3 ] ]`. Vertices have their labels as names if all have different ones, otherwise their
//! ids. Other keys are ignored.

use std::io::Write;

use star_base::Code;

use super::network::{Document, Network, names_of_labels};
use super::{GraphRef, ReadResult, ReaderNotes, cannot_hold};
use crate::data::OutputRef;
use crate::error::Fault;
use crate::source::Source;

/// Maximum depth of lists.
const MAX_DEPTH: usize = 100;

/// Number of tokens between two polls for interruption.
const AT_ONCE: usize = 1 << 14;

enum Token<'t> {
    Word(&'t str),
    Text(&'t str),
    Open,
    Close,
}

/// A node or an edge being read.
#[derive(Default)]
struct Item<'t> {
    at: usize,
    id: Option<&'t str>,
    label: Option<&'t str>,
    source: Option<&'t str>,
    target: Option<&'t str>,
    values: Vec<(&'t str, &'t str)>,
}

/// Reads a graph.
pub(crate) fn read(mut source: Source) -> Result<ReadResult, Fault> {
    let document = Document::read(&mut source)?;
    let mut network = Network::new(&source, &document);
    let mut tokens = Tokens { document: &document, pos: 0 };
    let mut labels: Vec<Option<String>> = Vec::new();
    let mut directed = false;
    let (mut stack, mut has_graph): (Vec<&str>, bool) = (Vec::new(), false);
    let mut item = Item::default();
    for n_tokens in 1usize.. {
        if n_tokens.is_multiple_of(AT_ONCE) {
            source.go_on()?;
        }
        let Some((at, token)) = tokens.next()? else { break };
        let fault = |message: &str| document.fault(at, Code::BadFormat, message);
        let place = |code, message: String| document.fault(at, code, message);
        match token {
            Token::Close => match (stack.pop(), stack.as_slice()) {
                (None, _) => return Err(fault("`]` without a list before it")),
                (Some("node"), ["graph"]) => {
                    let item = std::mem::take(&mut item);
                    let Some(id) = item.id else {
                        return Err(document.fault(
                            item.at,
                            Code::BadFormat,
                            "a node needs an `id`",
                        ));
                    };
                    let vertex = network.declare(id, &place)?;
                    labels.resize(network.n_vertices(), None);
                    labels[vertex as usize] = item.label.map(unescaped);
                }
                (Some("edge"), ["graph"]) => {
                    let item = std::mem::take(&mut item);
                    let (Some(tail), Some(head)) = (item.source, item.target) else {
                        let message = "an edge needs `source` and `target`";
                        return Err(document.fault(item.at, Code::BadFormat, message));
                    };
                    let place = |code, message: String| document.fault(item.at, code, message);
                    let ends = (network.vertex(tail, &place)?, network.vertex(head, &place)?);
                    let weight = network.weight(item.values.iter().copied(), &place)?;
                    network.arc(ends, weight, false, &place)?;
                }
                (Some(_), _) => {}
            },
            Token::Open | Token::Text(_) => return Err(fault("expected a key")),
            Token::Word(key) => {
                let Some((value_at, value)) = tokens.next()? else {
                    return Err(document.fault(at, Code::Truncated, "a key without a value"));
                };
                let is_text = matches!(value, Token::Text(_));
                let value = match value {
                    Token::Word(value) | Token::Text(value) => value,
                    Token::Close => {
                        return Err(document.fault(
                            value_at,
                            Code::BadFormat,
                            "a key without a value",
                        ));
                    }
                    Token::Open => {
                        if stack.len() >= MAX_DEPTH {
                            return Err(fault("lists are nested too deeply"));
                        }
                        if stack.is_empty() && key == "graph" {
                            if has_graph {
                                return Err(fault("a second graph in the file"));
                            }
                            has_graph = true;
                        }
                        if stack == ["graph"] {
                            item = Item { at, ..Item::default() };
                        }
                        stack.push(key);
                        continue;
                    }
                };
                match (stack.as_slice(), key) {
                    (["graph"], "directed") => {
                        directed = match (value, is_text) {
                            ("0", false) => false,
                            ("1", false) => true,
                            _ => return Err(fault("expected `directed 0` or `directed 1`")),
                        };
                    }
                    (["graph", "node"], "id") => item.id = Some(value),
                    (["graph", "node"], "label") => item.label = Some(value),
                    (["graph", "edge"], "source") => item.source = Some(value),
                    (["graph", "edge"], "target") => item.target = Some(value),
                    (["graph", "edge"], _) => item.values.push((key, value)),
                    _ => {}
                }
            }
        }
    }
    let end = document.text().len();
    if !has_graph || !stack.is_empty() {
        let message = match has_graph {
            true => "the file ends inside of a list",
            false => "the file holds no list `graph [ … ]`",
        };
        return Err(document.fault(end, Code::Truncated, message));
    }
    labels.resize(network.n_vertices(), None);
    let (names, note) = names_of_labels(labels, "ids");
    let notes = ReaderNotes { notes: note.into_iter().collect(), ..Default::default() };
    // `directed` may come after the edges.
    if !directed {
        network.all_edges();
    }
    network.finish(!directed, names, notes, &mut source)
}

/// Refuses every value: the format is only read.
pub(crate) fn write(value: OutputRef<'_>, _: &mut dyn Write) -> Result<(), Fault> {
    let _ = GraphRef::new(value, "GML")?;
    let fault = cannot_hold(value, "GML", "graphs, which are only read from it");
    Err(Box::new(fault.help("write it to a `.graphml` or `.json` file")))
}

/// The text of a label: entities are replaced.
fn unescaped(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let mut result = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        result.push_str(before);
        let entity = after.split_once(';').and_then(|(name, after)| {
            let character = match name {
                "amp" => '&',
                "lt" => '<',
                "gt" => '>',
                "quot" => '"',
                "apos" => '\'',
                _ => char::from_u32(name.strip_prefix('#')?.parse().ok()?)?,
            };
            Some((character, after))
        });
        match entity {
            Some((character, after)) => {
                result.push(character);
                rest = after;
            }
            None => {
                result.push('&');
                rest = after;
            }
        }
    }
    result + rest
}

/// The tokens of a document.
struct Tokens<'t> {
    document: &'t Document,
    pos: usize,
}

impl<'t> Tokens<'t> {
    /// The next token and its place.
    fn next(&mut self) -> Result<Option<(usize, Token<'t>)>, Fault> {
        let text = self.document.text();
        let bytes = text.as_bytes();
        loop {
            match bytes.get(self.pos) {
                None => return Ok(None),
                Some(byte) if byte.is_ascii_whitespace() => self.pos += 1,
                Some(b'#') => {
                    let rest = &bytes[self.pos..];
                    self.pos += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
                }
                Some(_) => break,
            }
        }
        let start = self.pos;
        let token = match bytes[start] {
            b'[' => {
                self.pos += 1;
                Token::Open
            }
            b']' => {
                self.pos += 1;
                Token::Close
            }
            b'"' => {
                let Some(len) = text[start + 1..].find('"') else {
                    let message = "a text without its closing quote";
                    return Err(self.document.fault(start, Code::Truncated, message));
                };
                self.pos = start + len + 2;
                Token::Text(&text[start + 1..start + 1 + len])
            }
            _ => {
                let is_end = |c: char| c.is_ascii_whitespace() || matches!(c, '[' | ']' | '"');
                let len = text[start..].find(is_end).unwrap_or(text.len() - start);
                self.pos = start + len;
                Token::Word(&text[start..start + len])
            }
        };
        Ok(Some((start, token)))
    }
}
