//! Writing of CSV: values under the names of their fields, or rows of bits as numbers.

use std::io::{self, Write};

use csv::{ErrorKind, QuoteStyle, Terminator, WriterBuilder};

use super::header;
use crate::data::OutputRef;
use crate::error::Fault;
use crate::format::{GraphRef, cannot_hold, cannot_write};
use crate::graph::Arc;
use crate::numbers::Numbers;

/// Writes a graph as an edge list, numbers, the cells of a grid row by row, or bits: each row of a table is one number of
/// the field `bits`, a slice is a column, a word a row.
pub(crate) fn write(value: OutputRef<'_>, out: &mut dyn Write) -> Result<(), Fault> {
    let bits = match value {
        OutputRef::Numbers(numbers) => return write_numbers(value, numbers, out),
        OutputRef::Bits(bits) => bits,
        OutputRef::Graph(_) => return write_edges(GraphRef::new(value, "CSV")?, out),
    };
    let (n_rows, n_cols) = bits.shape();
    if n_cols >= 64 {
        let holds = "numbers of at most 63 bits, one per row";
        return Err(Box::new(cannot_hold(value, "CSV", holds)));
    }
    let write = |out: &mut dyn Write| {
        writeln!(out, "bits:{n_cols}")?;
        (0..n_rows).try_for_each(|row| {
            let number = (0..n_cols).fold(0u64, |n, col| n << 1 | u64::from(bits.get(row, col)));
            writeln!(out, "{number}")
        })
    };
    write(out).map_err(|e| cannot_write(&e))
}

/// Writes an edge list: one record for each arc or edge.
fn write_edges(graph: GraphRef<'_>, out: &mut dyn Write) -> Result<(), Fault> {
    let mut writer = WriterBuilder::new().terminator(Terminator::Any(b'\n')).from_writer(out);
    let weighted = graph.is_weighted();
    let record = |fields: [String; 3]| fields.into_iter().take(2 + usize::from(weighted));
    let mut write = || {
        writer.write_record(record(["from", "to", "weight"].map(str::to_owned)))?;
        graph.try_for_edges(|Arc { tail, head, weight }| {
            let (tail, head) = (graph.name(tail), graph.name(head));
            writer.write_record(record([tail.to_string(), head.to_string(), weight.to_string()]))
        })?;
        writer.flush().map_err(csv::Error::from)
    };
    write().map_err(|error: csv::Error| match error.into_kind() {
        ErrorKind::Io(error) => cannot_write(&error),
        other => cannot_write(&io::Error::other(format!("{other:?}"))),
    })
}

fn write_numbers(
    value: OutputRef<'_>,
    numbers: &Numbers,
    out: &mut dyn Write,
) -> Result<(), Fault> {
    numbers.check("")?;
    if numbers.fields.is_empty() {
        let fault = cannot_hold(value, "CSV", "lists of fields");
        return Err(Box::new(fault.note("the value has no fields")));
    }
    let names = header::of_fields(&numbers.fields);
    // A reader detects the separator from the first line.
    let quotes = match names.iter().any(|name| name.contains([';', '\t'])) {
        true => QuoteStyle::Always,
        false => QuoteStyle::Necessary,
    };
    let mut writer = WriterBuilder::new();
    writer.terminator(Terminator::Any(b'\n'));
    let mut header = writer.quote_style(quotes).from_writer(&mut *out);
    let written = header.write_record(names).and_then(|()| Ok(header.flush()?));
    drop(header);
    let mut writer = writer.quote_style(QuoteStyle::Necessary).from_writer(out);
    let mut write = || {
        (0..numbers.shape.n_records()).try_for_each(|record| {
            let texts = numbers.fields.iter().map(|field| field.meaning.text(field.values[record]));
            writer.write_record(texts.map(|text| text.into_owned()))
        })?;
        writer.flush().map_err(csv::Error::from)
    };
    written.and_then(|()| write()).map_err(|error: csv::Error| match error.into_kind() {
        ErrorKind::Io(error) => cannot_write(&error),
        // The writer has no other error: all records have the same number of fields.
        other => cannot_write(&io::Error::other(format!("{other:?}"))),
    })
}
