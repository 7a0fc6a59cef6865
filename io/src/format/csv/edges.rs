//! Writing of the arcs of a graph as CSV, with divided weights and quoted formulas.

use std::io::Write;

use super::write::{end_line, push_cell};
use crate::data::OutputRef;
use crate::error::Fault;
use crate::format::edge_list::names_of_ends;
use crate::format::{GraphRef, cannot_write};
use crate::graph::{Arc, Graph};
use crate::meaning::{Meaning, quoting_formula};
use crate::options::EdgeStyle;

/// Writes one record for each arc or edge.
pub(crate) fn write(graph: &Graph, style: EdgeStyle, out: &mut dyn Write) -> Result<(), Fault> {
    let graph = GraphRef::new(OutputRef::Graph(graph), "CSV")?;
    let weighted = graph.is_weighted();
    let mut line = String::new();
    let mut record = |fields: [&str; 3]| {
        for field in fields.into_iter().take(2 + usize::from(weighted)) {
            // A line of an edge list that begins like this is a comment.
            push_cell(&mut line, field, field.starts_with(['#', '%', '{']));
        }
        end_line(&mut line, out)
    };
    let [from, to] = names_of_ends(graph);
    let written = record([from, to, "weight"]).and_then(|()| {
        graph.try_for_edges(|Arc { tail, head, weight }| {
            let [tail, head] = [tail, head].map(|vertex| {
                let name = graph.name(vertex).to_string();
                match style.quotes_formulas {
                    true => quoting_formula(&name).into_owned(),
                    false => name,
                }
            });
            let weight = match style.scale {
                Some(scale) => Meaning::Scaled(scale).text(weight).into_owned(),
                None => weight.to_string(),
            };
            record([&tail, &head, &weight])
        })
    });
    written.map_err(|error| cannot_write(&error))
}
