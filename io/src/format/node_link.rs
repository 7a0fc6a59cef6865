//! Node-link JSON, `.json`, as networkx and D3 write it: an object with a list `nodes` of objects
//! with an `id`, and a list `links` or `edges` of objects with `source`, `target` and attributes.
//! `directed` says whether the links have a direction. Other members are ignored.

use std::fmt;
use std::io::{self, Write};

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use star_base::Code;

use super::network::{Document, Network, parser_message};
use super::{GraphRef, ReadResult, ReaderNotes};
use crate::data::OutputRef;
use crate::decimal::Decimal;
use crate::error::{Fault, FileError};
use crate::graph::Arc;
use crate::names::{VertexName, VertexNames};
use crate::source::Source;

/// Reads a graph.
pub(crate) fn read(mut source: Source) -> Result<ReadResult, Fault> {
    let document = Document::read(&mut source)?;
    let mut reader = Reader {
        network: Network::new(&source, &document),
        directed: None,
        ends: Vec::new(),
        has_links: false,
        n_links: 0,
        fault: None,
    };
    source.go_on()?;
    let mut json = serde_json::Deserializer::from_str(document.text());
    let parsed = Top(&mut reader).deserialize(&mut json).and_then(|()| json.end());
    if let Err(error) = parsed {
        if let Some(fault) = reader.fault.take() {
            // The place is only known here.
            let placed = document.fault_at(error.line(), error.column(), &fault.message);
            let FileError { code, notes, help, .. } = *fault;
            return Err(Box::new(FileError { code, notes, help, ..*placed }));
        }
        let message = error.to_string();
        let message = match message.rsplit_once(" at line ") {
            _ if error.is_eof() => "the file ends in the middle of its text",
            Some((message, _)) => message,
            None => &message,
        };
        return Err(document.fault_at(error.line(), error.column(), &parser_message(message)));
    }
    if !reader.has_links {
        let message = "the file has no member `links` or `edges`";
        let fault = document.fault(0, Code::BadFormat, message);
        return Err(Box::new(fault.note(
            "a graph in JSON is an object `{\"directed\": false, \"nodes\": [{\"id\": 1}, …], \
                \"links\": [{\"source\": 1, \"target\": 2}, …]}`",
        )));
    }
    let Reader { mut network, directed, .. } = reader;
    if network.has_places() {
        let message = "the links refer to nodes by their places, from 0";
        let fault = document.fault(0, Code::BadFormat, message);
        return Err(Box::new(fault.help("write the `id` of a node as `source` and as `target`")));
    }
    let notes = ReaderNotes { assumes_arcs: directed.is_none(), ..Default::default() };
    // The member `directed` may follow the links.
    if directed == Some(false) {
        network.all_edges();
    }
    network.finish(directed == Some(false), None, notes, &mut source)
}

/// The state of reading.
struct Reader<'a> {
    network: Network<'a>,
    directed: Option<bool>,
    /// The attributes of the link being read.
    ends: Vec<(String, Option<String>)>,
    has_links: bool,
    n_links: u64,
    /// An error that is not one of JSON.
    fault: Option<Fault>,
}

impl Reader<'_> {
    /// Records an error, and returns the one of the parser that ends the reading.
    fn failed<E: Error>(&mut self, fault: Fault) -> E {
        self.fault = Some(fault);
        E::custom("refused")
    }

    fn node(&mut self, id: Option<String>) -> Result<(), Fault> {
        let at = |code, message: String| Box::new(FileError::new(code, "", message));
        let missing = || at(Code::BadFormat, "a node needs an `id`, a text or a number".to_owned());
        self.network.declare(&id.ok_or_else(missing)?, &at).map(drop)
    }

    fn link(&mut self) -> Result<(), Fault> {
        let at = |code, message: String| Box::new(FileError::new(code, "", message));
        let members = std::mem::take(&mut self.ends);
        let mut end = |name: &str| {
            let mut found = members.iter().filter(|(member, _)| member == name);
            let id = found.next().and_then(|(_, id)| id.clone()).ok_or_else(|| {
                at(Code::BadFormat, format!("a link needs `{name}`, a text or a number"))
            })?;
            if found.next().is_some() {
                return Err(at(Code::BadFormat, format!("a link with two members `{name}`")));
            }
            self.network.vertex(&id, &at)
        };
        let ends = (end("source")?, end("target")?);
        // A missing weight is an error only at the end, where its place is not known.
        self.n_links += 1;
        let (n, file) = (self.n_links, self.network.file());
        let at = |code, message: String| {
            Box::new(FileError::new(code, &file, format!("link {n}: {message}")))
        };
        let values = members.iter().filter_map(|(name, value)| Some((&**name, value.as_deref()?)));
        let weight = self.network.weight(values, &at)?;
        self.network.arc(ends, weight, false, &at)
    }
}

/// The whole document.
struct Top<'r, 'a>(&'r mut Reader<'a>);

/// A list of nodes or links.
struct Items<'r, 'a>(&'r mut Reader<'a>, bool);

/// A node or a link.
struct Item<'r, 'a>(&'r mut Reader<'a>, bool);

impl<'de> DeserializeSeed<'de> for Top<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Top<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with `nodes` and `links`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(member) = map.next_key::<String>()? {
            match member.as_str() {
                "directed" if self.0.directed.is_some() => {
                    return Err(A::Error::custom("a second member `directed`"));
                }
                "directed" => self.0.directed = Some(map.next_value()?),
                "nodes" => map.next_value_seed(Items(self.0, false))?,
                "links" | "edges" => {
                    if std::mem::replace(&mut self.0.has_links, true) {
                        return Err(A::Error::custom("a second list `links` or `edges`"));
                    }
                    map.next_value_seed(Items(self.0, true))?;
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Items<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Items<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.1 { "a list of links" } else { "a list of nodes" })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Item(self.0, self.1))?.is_some() {}
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Item<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Item<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.1 {
            true => "an object with `source` and `target`",
            false => "an object with an `id`",
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Item(reader, is_link) = self;
        let mut id = None;
        while let Some(member) = map.next_key::<String>()? {
            let is_wanted = match is_link {
                true => {
                    matches!(&*member, "source" | "target") || reader.network.may_be_weight(&member)
                }
                false => member == "id",
            };
            match is_wanted {
                true => {
                    let is_name = matches!(&*member, "source" | "target" | "id");
                    let value = scalar(map.next_value()?, is_name)?;
                    match is_link {
                        true => reader.ends.push((member, value)),
                        false if id.is_some() => {
                            return Err(A::Error::custom("a node with two members `id`"));
                        }
                        false => id = value,
                    }
                }
                false => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        let done = if is_link { reader.link() } else { reader.node(id) };
        done.map_err(|fault| reader.failed(fault))
    }
}

/// Returns a value of a node or a link as text, a number with its digits in the file; nothing for
/// null and for a value with members. A number that is a name is in its usual notation.
fn scalar<E: Error>(value: &RawValue, is_name: bool) -> Result<Option<String>, E> {
    let text = value.get();
    match text.as_bytes().first() {
        Some(b'"') => serde_json::from_str(text).map(Some).map_err(|error| {
            let message = error.to_string();
            E::custom(message.split(" at line ").next().unwrap_or_default())
        }),
        Some(b'n' | b'[' | b'{') | None => Ok(None),
        Some(b'-' | b'0'..=b'9') if is_name && text.contains(['.', 'e', 'E']) => {
            let whole = Decimal::parse(text).and_then(Decimal::to_whole);
            let number = text.parse().unwrap_or(f64::INFINITY);
            match whole {
                Some(whole) => Ok(Some(whole.to_string())),
                None if number.abs() < 2f64.powi(f64::MANTISSA_DIGITS as i32) => {
                    Ok(Some(number.to_string()))
                }
                // A number of more digits is not the one in the file.
                None => {
                    Err(E::custom("a number too large for a name, which may be a text in quotes"))
                }
            }
        }
        Some(_) => Ok(Some(text.to_owned())),
    }
}

/// Writes a graph, or the graph of an adjacency table.
pub(crate) fn write(value: OutputRef<'_>, out: &mut dyn Write) -> Result<(), Fault> {
    let graph = GraphRef::new(value, "node-link JSON")?;
    write_graph(graph, out).map_err(|e| super::cannot_write(&e))
}

fn write_graph(graph: GraphRef<'_>, out: &mut dyn Write) -> io::Result<()> {
    let is_number = !matches!(graph.names(), Some(VertexNames::Texts(_)));
    let id = |name: VertexName<'_>| match is_number {
        true => name.to_string(),
        false => serde_json::Value::from(name.to_string()).to_string(),
    };
    let directed = !graph.is_symmetric();
    write!(
        out,
        "{{\"directed\": {directed}, \"multigraph\": true, \"graph\": {{}},\n\"nodes\": ["
    )?;
    for vertex in 0..graph.n_vertices() {
        let comma = if vertex == 0 { "" } else { "," };
        // A graph has fewer than 2^32 vertices.
        write!(out, "{comma}\n{{\"id\": {}}}", id(graph.name(vertex as u32)))?;
    }
    write!(out, "],\n\"edges\": [")?;
    let (weighted, mut key) = (graph.is_weighted(), 0u64);
    graph.try_for_edges(|Arc { tail, head, weight }| {
        let comma = if key == 0 { "" } else { "," };
        let (source, target) = (id(graph.name(tail)), id(graph.name(head)));
        write!(out, "{comma}\n{{\"source\": {source}, \"target\": {target}, \"key\": {key}")?;
        key += 1;
        match weighted {
            true => write!(out, ", \"weight\": {weight}}}"),
            false => write!(out, "}}"),
        }
    })?;
    writeln!(out, "]}}")
}
