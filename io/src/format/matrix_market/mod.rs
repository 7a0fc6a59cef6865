//! Matrix Market, `.mtx`: the line `%%MatrixMarket matrix FORMAT FIELD SYMMETRY`, comments from
//! `%`, a size line, then the entries, rows and columns from 1.
//!
//! A square matrix is a graph whose entry (i, j) is the arc from i to j; any other matrix is a
//! table of bits. Values are weights. Real values are weights if all are integers or if there is a
//! scale; otherwise they only mark the entries, and layouts with weights are rejected. In the
//! format `array`, which stores every value, zero means no entry. Extensions: empty lines and
//! comments between entries, entries above the diagonal of a symmetric matrix, repeated entries.

mod array;
mod coordinate;
mod header;
mod values;

use std::io::{self, Write};

use star_value::{BitTable, BitsRef};

use self::header::{Field, Header, Storage};
use self::values::Values;
use super::ReadResult;
use crate::data::{Data, OutputRef};
use crate::error::Fault;
use crate::graph::{Arc, Graph};
use crate::scaling;
use crate::scan::Scanner;
use crate::source::Source;
use crate::text;

/// The stored entries of a matrix.
struct Entries<'r> {
    arcs: Vec<Arc>,
    values: Values<'r>,
}

/// Reads a graph or a table.
pub(crate) fn read(source: Source) -> Result<ReadResult, Fault> {
    let mut scanner = Scanner::new(source)?;
    let header = header::read(&mut scanner)?;
    let Entries { mut arcs, values } = match header.storage {
        Storage::Coordinate { n_entries } => coordinate::read(&mut scanner, &header, n_entries)?,
        Storage::Array => array::read(&mut scanner, &header)?,
    };
    let mut warnings = Vec::new();
    let are_read = scanner.source().edge_fields().reads_weights();
    let weighted = match header.field {
        Field::Pattern => false,
        Field::Integer => are_read,
        Field::Real => are_read && values.fraction().is_none() && header.n_rows == header.n_cols,
    };
    if !weighted {
        arcs.iter_mut().for_each(|arc| arc.weight = 1);
    }
    if header.field == Field::Real && !weighted {
        let what_counts = match header.storage {
            Storage::Array => "every nonzero value counts".to_owned(),
            Storage::Coordinate { .. } => {
                let zeros = text::count(values.n_zeros(), "stored zero");
                format!("every entry counts, including {zeros}")
            }
        };
        let advice = match values.fraction() {
            Some(value) if are_read && header.n_rows == header.n_cols && value.magnitude() < 18 => {
                format!("; with `scale={}` they would be weights", scaling::enough(value))
            }
            Some(_) | None => String::new(),
        };
        warnings.push(format!("the real values are read as a pattern: {what_counts}{advice}"));
    }
    let graph = Graph {
        n_vertices: header.n_rows as usize,
        arcs,
        weighted,
        symmetric: header.symmetric,
        names: None,
        no_weights: values.into_fault().filter(|_| are_read),
        ..Graph::default()
    };
    if header.n_rows == header.n_cols {
        super::finish(graph, warnings.into(), scanner.source_mut())
    } else {
        let table = table(&header, &graph.arcs, scanner.source())?;
        let n_repeated = graph.arcs.len() as u64 - table.count_ones();
        if n_repeated > 0 {
            let places = text::count(n_repeated, "repeated entry");
            warnings.push(format!("{places}: stored as one bit"));
        }
        Ok((Data::Table(table.into()), warnings.into()))
    }
}

/// Writes a graph, or the ones of bits as a pattern: a slice is a matrix of one column, a word a
/// matrix of one row.
pub(crate) fn write(value: OutputRef<'_>, out: &mut dyn Write) -> Result<(), Fault> {
    let bits = match value {
        OutputRef::Graph(graph) => {
            graph.check_ends("")?;
            return write_graph(graph, out).map_err(|e| super::cannot_write(&e));
        }
        OutputRef::Bits(bits) => bits,
        OutputRef::Numbers(_) => {
            let holds = "graphs, and tables of bits";
            return Err(Box::new(super::cannot_hold(value, "Matrix Market", holds)));
        }
    };
    write_pattern(bits, out).map_err(|e| super::cannot_write(&e))
}

fn write_pattern(bits: BitsRef<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (n_rows, n_cols) = bits.shape();
    writeln!(out, "%%MatrixMarket matrix coordinate pattern general")?;
    writeln!(out, "{n_rows} {n_cols} {}", bits.count_ones())?;
    bits.try_for_ones_by_columns(|row, col| writeln!(out, "{} {}", row + 1, col + 1))
}

/// Writes a graph; of a symmetric one only the lower triangle with the diagonal.
fn write_graph(graph: &Graph, out: &mut dyn Write) -> io::Result<()> {
    let field = if graph.weighted { "integer" } else { "pattern" };
    let symmetry = if graph.symmetric { "symmetric" } else { "general" };
    writeln!(out, "%%MatrixMarket matrix coordinate {field} {symmetry}")?;
    let n = graph.n_vertices;
    writeln!(out, "{n} {n} {}", graph.n_edges())?;
    graph.arcs.iter().try_for_each(|&Arc { tail, head, weight }| {
        let (row, col) = match graph.symmetric {
            true => (tail.max(head), tail.min(head)),
            false => (tail, head),
        };
        let (row, col) = (u64::from(row) + 1, u64::from(col) + 1);
        match graph.weighted {
            true => writeln!(out, "{row} {col} {weight}"),
            false => writeln!(out, "{row} {col}"),
        }
    })
}

/// Converts a matrix that is not square to a table.
fn table(header: &Header, arcs: &[Arc], source: &Source) -> Result<BitTable, Fault> {
    let n_bytes = u128::from(header.n_rows.div_ceil(64)) * 8 * u128::from(header.n_cols);
    if !source.budget().allows(n_bytes) {
        return Err(source.out_of_memory(n_bytes));
    }
    let mut table = BitTable::zeros(header.n_rows as usize, header.n_cols as usize)
        .map_err(|_| source.out_of_memory(n_bytes))?;
    for arc in arcs {
        table.put(arc.tail as usize, arc.head as usize, true);
    }
    Ok(table)
}
