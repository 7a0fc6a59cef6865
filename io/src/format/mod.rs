//! The formats, one file or folder each, and what several of them share. The registry is the only
//! one to call them.

pub(crate) mod dimacs;
pub(crate) mod edge_list;
pub(crate) mod matrix_market;
pub(crate) mod stb;

use std::io;

use star_base::{BitTable, Code};

use crate::data::{Data, OutputRef};
use crate::error::{Fault, FileError};
use crate::graph::{Arc, Graph};
use crate::scan::Scanner;
use crate::source::Source;
use crate::text;

/// What a reader found, and what the user should know about it.
pub(crate) type Found = (Data, Vec<String>);

/// Memory that an arc takes while a graph is read: itself, and its key when repeated arcs are
/// counted.
const ARC_BYTES: u64 = size_of::<Arc>() as u64 + 8;

/// Bytes of the shortest line of a graph file: `1 2` and a line end.
const MIN_ENTRY_BYTES: u64 = 4;

/// Reads a number of vertices, rows or columns.
fn vertex_count(scanner: &mut Scanner, what: &str) -> Result<u32, Fault> {
    let number = scanner.unsigned(what)?;
    u32::try_from(number).map_err(|_| {
        let message = format!("{what} {number} is beyond 32 bits");
        scanner.at_token(Code::OutOfRange, message)
    })
}

/// The fault that the file ends with too few entries.
fn too_few(scanner: &Scanner, n_found: u64, n_announced: u64) -> Fault {
    let message =
        format!("the file ends after {n_found} of the {n_announced} entries of its header");
    scanner.here(Code::Truncated, message)
}

/// The fault that one more entry begins here than the header announced.
fn too_many(scanner: &Scanner, n_announced: u64) -> Fault {
    let message =
        format!("an entry beyond the number of them in the header, which is {n_announced}");
    scanner.here(Code::HeaderLies, message)
}

/// What the user should know about the arcs of a graph.
fn arc_warnings(graph: &Graph, source: &Source) -> Result<Vec<String>, Fault> {
    let n_key_bytes = graph.arcs.len() as u128 * u128::from(ARC_BYTES);
    let census = graph.census().map_err(|_| source.no_room(n_key_bytes))?;
    let mut warnings = Vec::new();
    let arc = if graph.symmetric { "edge" } else { "arc" };
    if census.n_parallel > 0 {
        let arcs = text::count(census.n_parallel as u128, &format!("parallel {arc}"));
        warnings.push(match graph.weighted {
            true => format!("{arcs}: the least weight counts"),
            false => format!("{arcs}: a bit of a table shows them once"),
        });
    }
    match census.n_loops {
        0 => {}
        1 => warnings.push("1 loop is kept".to_owned()),
        n_loops => warnings.push(format!("{n_loops} loops are kept")),
    }
    Ok(warnings)
}

/// The table, if `value` is one with as many rows as columns, as a graph format needs it.
fn square<'a>(value: OutputRef<'a>, format: &str) -> Result<&'a BitTable, Fault> {
    let kind = match value {
        OutputRef::Table(table) if table.n_rows() == table.n_cols() => return Ok(table),
        OutputRef::Table(table) => format!("a table of {} × {}", table.n_rows(), table.n_cols()),
        OutputRef::Slice(slice) => format!("a slice of {}", slice.len()),
        OutputRef::Word(word) => format!("a word of {}", word.len()),
    };
    let message = format!("{kind} cannot be written as {format}");
    let error = FileError::new(Code::NoSuchLayout, "", message)
        .note(format!("{format} holds a graph: a table of n × n"))
        .help("write it to a `.mtx` or `.stb` file");
    Err(Box::new(error))
}

/// The fault that the output takes no more.
pub(crate) fn cannot_write(error: &io::Error) -> Fault {
    let message = format!("cannot write: {error}");
    Box::new(FileError::new(Code::CannotWrite, "", message))
}
