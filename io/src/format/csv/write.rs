//! Writing of CSV: values under the names of their fields, or rows of bits as numbers.

use std::io::{self, Write};

use super::{edges, header};
use crate::data::OutputRef;
use crate::error::Fault;
use crate::format::{cannot_hold, cannot_write};
use crate::numbers::Numbers;
use crate::options::EdgeStyle;

/// Writes a graph as an edge list, numbers, the cells of a grid row by row, or bits: each row of a
/// table is one number of the field `bits`, a slice is a column, a word a row.
pub(crate) fn write(value: OutputRef<'_>, out: &mut dyn Write) -> Result<(), Fault> {
    let bits = match value {
        OutputRef::Numbers(numbers) => return write_numbers(value, numbers, out),
        OutputRef::Bits(bits) => bits,
        OutputRef::Graph(graph) => return edges::write(graph, EdgeStyle::default(), out),
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
    let is_unclear = names.iter().any(|name| name.contains([';', '\t']));
    let mut line = String::new();
    names.iter().for_each(|name| push_cell(&mut line, name, is_unclear));
    let mut write = || {
        end_line(&mut line, out)?;
        (0..numbers.shape.n_records()).try_for_each(|record| {
            for field in &numbers.fields {
                push_cell(&mut line, &field.text(field.values[record]), false);
            }
            end_line(&mut line, out)
        })
    };
    write().map_err(|error| cannot_write(&error))
}

/// Appends a cell with a comma after it, in quotes if that is requested or if a reader would not
/// restore it otherwise.
pub(super) fn push_cell(line: &mut String, text: &str, is_quoted: bool) {
    let is_blank = |byte: Option<&u8>| matches!(byte, Some(b' ' | b'\t' | b'\x0c'));
    let bytes = text.as_bytes();
    if is_quoted
        || text.contains([',', '"', '\r', '\n'])
        || is_blank(bytes.first())
        || is_blank(bytes.last())
    {
        line.push('"');
        line.push_str(&text.replace('"', "\"\""));
        line.push('"');
    } else {
        line.push_str(text);
    }
    line.push(',');
}

/// Writes a line of cells and clears it. Its only cell is in quotes if it is empty, since a reader
/// ignores a blank line at the end of the file.
pub(super) fn end_line(line: &mut String, out: &mut dyn Write) -> io::Result<()> {
    line.pop();
    if line.is_empty() {
        line.push_str("\"\"");
    }
    line.push('\n');
    out.write_all(line.as_bytes())?;
    line.clear();
    Ok(())
}
