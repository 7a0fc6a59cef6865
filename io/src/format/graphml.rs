//! GraphML, `.graphml`: `edgedefault` says whether edges have a direction, unless they say it
//! themselves. The weight is the attribute of edges that the user names, or one with a usual name.
//! Hyperedges, ports, nested graphs and other attributes are refused or ignored.

use std::collections::BTreeMap;
use std::io::{self, Write};

use quick_xml::XmlVersion;
use quick_xml::escape::{escape, resolve_predefined_entity};
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;
use star_base::Code;

use super::network::{Document, Network, parser_message};
use super::{GraphRef, ReadResult, ReaderNotes};
use crate::data::OutputRef;
use crate::error::Fault;
use crate::graph::Arc;
use crate::source::Source;
use crate::text;

/// Number of events between two polls for interruption.
const AT_ONCE: usize = 1 << 14;

/// A declared attribute of edges.
struct Key {
    name: String,
    default: Option<String>,
}

/// The edge being read.
struct Edge {
    at: usize,
    ends: (u32, u32),
    is_undirected: bool,
    /// The values of its attributes, by their keys.
    values: Vec<(String, String)>,
}

/// Reads a graph.
pub(crate) fn read(mut source: Source) -> Result<ReadResult, Fault> {
    let document = Document::read(&mut source)?;
    let wanted = source.edge_fields().weight;
    let mut network = Network::new(&source, &document);
    let mut reader = Reader::from_str(document.text());
    let mut keys: BTreeMap<String, Key> = BTreeMap::new();
    let mut is_undirected = None;
    let mut edge: Option<Edge> = None;
    // The key whose default is being read, the attribute of the edge, and the text of either.
    let (mut key, mut data, mut text) = (None::<String>, None::<String>, None::<String>);
    let mut depth_ignored = 0usize;
    for n_events in 1usize.. {
        if n_events.is_multiple_of(AT_ONCE) {
            source.go_on()?;
        }
        let at = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX);
        let fault = |message: String| document.fault(at, Code::BadFormat, parser_message(&message));
        let event = reader.read_event().map_err(|error| {
            let at = usize::try_from(reader.error_position()).unwrap_or(at);
            document.fault(at, Code::BadFormat, parser_message(&error.to_string()))
        })?;
        let is_empty = matches!(event, Event::Empty(_));
        match event {
            Event::Start(tag) | Event::Empty(tag) => {
                let name = tag.local_name();
                let get = |name: &str| attribute(&tag, name).map_err(&fault);
                let need = |name: &str| {
                    get(name)?
                        .ok_or_else(|| fault(format!("the element needs the attribute `{name}`")))
                };
                let place = |code, message: String| document.fault(at, code, message);
                match name.as_ref() {
                    "key" => {
                        let is_of_edges = get("for")?.is_none_or(|of| of == "edge" || of == "all");
                        if is_of_edges && let Some(id) = get("id")? {
                            let name = get("attr.name")?.unwrap_or_else(|| id.clone());
                            keys.insert(id.clone(), Key { name, default: None });
                            key = (!is_empty).then_some(id);
                        }
                    }
                    "default" => text = Some(String::new()),
                    "graph" if is_undirected.is_some() => {
                        return Err(Box::new(
                            fault("a second graph in the file".to_owned())
                                .note("graphs in vertices, and several graphs, are not read"),
                        ));
                    }
                    "graph" => {
                        is_undirected = Some(get("edgedefault")?.as_deref() == Some("undirected"))
                    }
                    "node" => {
                        network.declare(&need("id")?, &place)?;
                    }
                    "hyperedge" => {
                        return Err(fault("hyperedges are not supported".to_owned()));
                    }
                    "edge" => {
                        let (tail, head) = (need("source")?, need("target")?);
                        let ends = (network.vertex(&tail, &place)?, network.vertex(&head, &place)?);
                        let is_undirected = match get("directed")?.as_deref() {
                            Some("true" | "1") => false,
                            Some("false" | "0") => true,
                            Some(_) | None => is_undirected.unwrap_or(false),
                        };
                        let new = Edge { at, ends, is_undirected, values: Vec::new() };
                        match is_empty {
                            true => add(&mut network, new, &keys, wanted, &document)?,
                            false => edge = Some(new),
                        }
                    }
                    "data" if edge.is_some() && !is_empty => {
                        data = Some(need("key")?);
                        text = Some(String::new());
                    }
                    _ => {}
                }
                depth_ignored += usize::from(!is_empty);
            }
            Event::Text(part) => push(&mut text, &part.xml10_content()),
            Event::CData(part) => push(&mut text, &part.xml10_content()),
            Event::GeneralRef(reference) => {
                let character = reference.resolve_char_ref().map_err(|e| fault(e.to_string()))?;
                let entity = resolve_predefined_entity(&reference);
                match (character, entity) {
                    (Some(character), _) => push(&mut text, character.encode_utf8(&mut [0; 4])),
                    (None, Some(entity)) => push(&mut text, entity),
                    (None, None) => {
                        let name = text::quote(reference.as_bytes());
                        return Err(fault(format!("unknown entity {name}")));
                    }
                }
            }
            Event::End(tag) => {
                depth_ignored = depth_ignored.saturating_sub(1);
                match tag.local_name().as_ref() {
                    "edge" => {
                        if let Some(edge) = edge.take() {
                            add(&mut network, edge, &keys, wanted, &document)?;
                        }
                    }
                    "data" => {
                        if let (Some(edge), Some(data), Some(text)) =
                            (&mut edge, data.take(), text.take())
                        {
                            edge.values.push((data, text.trim().to_owned()));
                        }
                    }
                    "key" => key = None,
                    "default" => {
                        if let Some(key) = key.as_ref().and_then(|key| keys.get_mut(key)) {
                            key.default = text.take().map(|text| text.trim().to_owned());
                        }
                    }
                    _ => {}
                }
            }
            Event::Eof => break,
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
    }
    let end = document.text().len();
    let Some(is_undirected) = is_undirected else {
        return Err(document.fault(end, Code::Truncated, "the file holds no element `graph`"));
    };
    if depth_ignored > 0 {
        return Err(document.fault(end, Code::Truncated, "the file ends inside of an element"));
    }
    network.finish(is_undirected, None, ReaderNotes::default(), &mut source)
}

/// Appends a part of the text of an element, if that is read.
fn push(text: &mut Option<String>, part: &str) {
    if let Some(text) = text {
        text.push_str(part);
    }
}

/// Adds an edge with its weight. The user may choose an attribute by its name or its key.
fn add(
    network: &mut Network<'_>,
    edge: Edge,
    keys: &BTreeMap<String, Key>,
    wanted: Option<&str>,
    document: &Document,
) -> Result<(), Fault> {
    let place = |code, message: String| document.fault(edge.at, code, message);
    let values = keys.iter().flat_map(|(id, key)| {
        let name = if wanted == Some(id) { id } else { &key.name };
        let own = edge.values.iter().filter(move |(of, _)| of == id).map(|(_, value)| value);
        let is_absent = own.clone().next().is_none();
        let default = key.default.iter().filter(move |_| is_absent);
        own.chain(default).map(move |value| (&**name, &**value))
    });
    let weight = network.weight(values, &place)?;
    network.arc(edge.ends, weight, edge.is_undirected, &place)
}

/// The value of an attribute.
fn attribute(tag: &BytesStart<'_>, name: &str) -> Result<Option<String>, String> {
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(|error| error.to_string())?;
        if attribute.key.as_ref() == name {
            let value = attribute.normalized_value(XmlVersion::Implicit1_0);
            return Ok(Some(value.map_err(|error| error.to_string())?.into_owned()));
        }
    }
    Ok(None)
}

/// Writes a graph, or the graph of an adjacency table.
pub(crate) fn write(value: OutputRef<'_>, out: &mut dyn Write) -> Result<(), Fault> {
    let graph = GraphRef::new(value, "GraphML")?;
    write_graph(graph, out).map_err(|e| super::cannot_write(&e))
}

fn write_graph(graph: GraphRef<'_>, out: &mut dyn Write) -> io::Result<()> {
    let name = |vertex: u32| escape(graph.name(vertex).to_string()).into_owned();
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">")?;
    if graph.is_weighted() {
        writeln!(out, "  <key id=\"w\" for=\"edge\" attr.name=\"weight\" attr.type=\"long\"/>")?;
    }
    let default = if graph.is_symmetric() { "undirected" } else { "directed" };
    writeln!(out, "  <graph edgedefault=\"{default}\">")?;
    for vertex in 0..graph.n_vertices() {
        // A graph has fewer than 2^32 vertices.
        writeln!(out, "    <node id=\"{}\"/>", name(vertex as u32))?;
    }
    let weighted = graph.is_weighted();
    graph.try_for_edges(|Arc { tail, head, weight }| {
        let (tail, head) = (name(tail), name(head));
        write!(out, "    <edge source=\"{tail}\" target=\"{head}\"")?;
        match weighted {
            true => writeln!(out, "><data key=\"w\">{weight}</data></edge>"),
            false => writeln!(out, "/>"),
        }
    })?;
    writeln!(out, "  </graph>\n</graphml>")
}
