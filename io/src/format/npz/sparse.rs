//! Sparse matrices of SciPy, `scipy.sparse.save_npz`: compressed rows (CSR) or columns (CSC), or
//! coordinates (COO). Entry (i, j) is the arc from vertex i to vertex j, counted from 0.

use std::io::Read;

use star_base::Code;

use super::{Archive, Part, ReadResult, ReaderNotes, SUFFIX, with_part, zip_fault};
use crate::error::{Fault, FileError};
use crate::format::npy::{self, Header};
use crate::format::{ARC_BYTES, finish, settle_weights};
use crate::graph::{Arc, Graph};
use crate::growing::Growing;
use crate::names::VertexNames;
use crate::source::Source;
use crate::text;

/// Bytes of the array `format` that are read.
const MAX_FORMAT: u64 = 4096;

/// Number of arcs between two polls for interruption.
const AT_ONCE: usize = 1 << 16;

/// Returns whether an archive holds a sparse matrix.
pub(super) fn is_matrix(archive: &Archive<'_>) -> bool {
    let has = |name: &str| index(archive, name).is_some();
    has("format") && has("shape") && (has("indptr") || has("row") || has("offsets"))
}

fn index(archive: &Archive<'_>, name: &str) -> Option<usize> {
    (0..archive.len()).find(|&idx| {
        archive.name_for_index(idx).and_then(|name| name.strip_suffix(SUFFIX)) == Some(name)
    })
}

/// Reads the matrix as a graph.
pub(super) fn read(
    source: &mut Source,
    archive: &mut Archive<'_>,
    n_file_bytes: usize,
) -> Result<ReadResult, Fault> {
    let mut arrays = Arrays { source, archive, n_bytes: n_file_bytes };
    let format = arrays.format()?;
    if !["csr", "csc", "coo"].contains(&format.as_str()) {
        let form = format.escape_debug();
        let message = format!("sparse matrices of the form `{form}` are not read");
        let fault = arrays.source.fault(Code::BadFormat, message);
        return Err(Box::new(fault.help("save it as `matrix.tocsr()`")));
    }
    let shape = arrays.numbers("shape")?;
    let &[n_rows, n_cols] = &shape[..] else {
        let message = format!("a matrix with {} dimensions", shape.len());
        return Err(arrays.source.fault(Code::BadFormat, message));
    };
    if n_rows != n_cols {
        let message = format!("a matrix of {n_rows} × {n_cols} is no graph");
        let fault = arrays.source.fault(Code::BadFormat, message);
        return Err(Box::new(
            fault
                .note("the matrix of a graph has equal numbers of rows and columns")
                .help("`scipy.io.mmwrite(\"m.mtx\", matrix)` saves it as a table"),
        ));
    }
    let n_vertices = u32::try_from(n_rows).map_err(|_| {
        arrays.source.fault(Code::OutOfRange, format!("{n_rows} rows are not supported"))
    })?;
    let (values, is_bits, mut no_weights) = match arrays.array("data") {
        Ok((numbers, bits)) => (Some(numbers), bits, None),
        Err(fault) if fault.help.iter().any(|help| help.contains("scale=")) => {
            (None, false, Some(fault))
        }
        Err(fault) => return Err(fault),
    };
    let (ends, swapped) = match format.as_str() {
        "coo" => {
            let (rows, columns) = (arrays.numbers("row")?, arrays.numbers("col")?);
            (Ends::Pairs(rows, columns), false)
        }
        _ => {
            let lines = arrays.numbers("indptr")?;
            let indices = arrays.numbers("indices")?;
            (Ends::Lines(lines, indices), format == "csc")
        }
    };
    let n_bytes = arrays.n_bytes;
    let source = arrays.source;
    let n_entries = ends.len();
    let fault = |message: String| source.fault(Code::BadFormat, message);
    if values.as_ref().is_some_and(|values| values.len() != n_entries) {
        return Err(fault(format!(
            "`data` does not hold a number for each of {n_entries} entries"
        )));
    }
    let mut arcs = Growing::new(&source.budget().rest(n_bytes as u64), ARC_BYTES);
    let mut push = |row: i64, column: i64, entry: usize| {
        let vertex = |number: i64| {
            u32::try_from(number).ok().filter(|&number| number < n_vertices).ok_or_else(|| {
                fault(format!("entry {entry} is in row or column {number} of {n_vertices}"))
            })
        };
        let (tail, head) = (vertex(row)?, vertex(column)?);
        let (tail, head) = if swapped { (head, tail) } else { (tail, head) };
        let weight = values.as_ref().map_or(1, |values: &Vec<i64>| values[entry]);
        arcs.push(Arc { tail, head, weight }).map_err(|e| source.out_of_memory(e.0))
    };
    match &ends {
        Ends::Pairs(rows, columns) => {
            if rows.len() != columns.len() {
                return Err(fault("`row` and `col` have different lengths".to_owned()));
            }
            for (entry, (&row, &column)) in rows.iter().zip(columns).enumerate() {
                push(row, column, entry)?;
            }
        }
        Ends::Lines(lines, columns) => {
            let starts_at_0 = lines.first() == Some(&0);
            if lines.len() != n_vertices as usize + 1 || !starts_at_0 || !lines.is_sorted() {
                let message = format!("`indptr` must be {n_vertices} + 1 ascending numbers from 0");
                return Err(fault(message));
            }
            if lines.last() != Some(&(columns.len() as i64)) {
                return Err(fault("the last number of `indptr` is not that of entries".to_owned()));
            }
            for (row, line) in (0..).zip(lines.windows(2)) {
                let range = line[0] as usize..line[1] as usize;
                for (entry, &column) in range.clone().zip(&columns[range]) {
                    push(row, column, entry)?;
                }
            }
        }
    }
    let mut notes = ReaderNotes { assumes_arcs: true, ..ReaderNotes::default() };
    notes.notes.push("the vertices are counted from 0".to_owned());
    let mut arcs = arcs.into_vec();
    for _ in arcs.chunks(AT_ONCE) {
        source.go_on()?;
    }
    let all_ones = arcs.iter().all(|arc| arc.weight == 1);
    if is_bits {
        let n_before = arcs.len();
        arcs.retain(|arc| arc.weight != 0);
        if arcs.len() < n_before {
            let zeros = text::count((n_before - arcs.len()) as u64, "stored zero");
            notes.notes.push(format!("{zeros}: no arcs"));
        }
    }
    let are_read = source.edge_fields().reads_weights();
    let can_weigh = settle_weights(&mut arcs, are_read, &mut no_weights, &mut notes.warnings);
    let graph = Graph {
        n_vertices: n_vertices as usize,
        arcs,
        weighted: !is_bits && !all_ones && can_weigh,
        symmetric: false,
        names: from_0(n_vertices),
        no_weights,
        ..Graph::default()
    };
    finish(graph, notes, source)
}

/// The names of vertices that are counted from 0.
fn from_0(n_vertices: u32) -> Option<VertexNames> {
    Some(VertexNames::Numbers((0..u64::from(n_vertices)).collect()))
}

/// The places of the entries.
enum Ends {
    /// The starts of the rows, and the columns.
    Lines(Vec<i64>, Vec<i64>),
    /// The rows and the columns.
    Pairs(Vec<i64>, Vec<i64>),
}

impl Ends {
    fn len(&self) -> usize {
        match self {
            Ends::Lines(_, columns) | Ends::Pairs(_, columns) => columns.len(),
        }
    }
}

/// The arrays of the archive.
struct Arrays<'s, 'a, 'b, 'r, 'o> {
    source: &'s mut Source<'r, 'o>,
    archive: &'a mut Archive<'b>,
    /// The bytes of the file and of the arrays read so far.
    n_bytes: usize,
}

impl Arrays<'_, '_, '_, '_, '_> {
    fn part(&self, name: &str) -> Result<Part, Fault> {
        match index(self.archive, name) {
            Some(idx) => Ok(Part { name: name.to_owned(), idx, shape: Vec::new() }),
            None => {
                let message = format!("the sparse matrix has no array `{name}`");
                Err(self.source.fault(Code::BadFormat, message))
            }
        }
    }

    /// The text in the array `format`.
    fn format(&mut self) -> Result<String, Fault> {
        let part = self.part("format")?;
        let file = part.shown(self.source);
        let entry = self.archive.by_index(part.idx).map_err(|e| zip_fault(&file, &e))?;
        let mut bytes = Vec::new();
        let read = entry.take(MAX_FORMAT).read_to_end(&mut bytes);
        read.map_err(|error| {
            Box::new(FileError::new(
                Code::BadFormat,
                &file,
                crate::format::network::parser_message(&error.to_string()),
            ))
        })?;
        bytes.retain(|&byte| byte != 0);
        let name = bytes.rsplit(|byte| !byte.is_ascii_lowercase()).next().unwrap_or_default();
        Ok(String::from_utf8_lossy(name).into_owned())
    }

    /// The integers of an array; a scale does not concern them.
    fn numbers(&mut self, name: &str) -> Result<Vec<i64>, Fault> {
        Ok(self.read(name, false)?.0)
    }

    /// The values of an array, and whether they are truth values.
    fn array(&mut self, name: &str) -> Result<(Vec<i64>, bool), Fault> {
        self.read(name, true)
    }

    fn read(&mut self, name: &str, is_scaled: bool) -> Result<(Vec<i64>, bool), Fault> {
        let part = self.part(name)?;
        let numbers = with_part(self.source, self.archive, &part, self.n_bytes, |input| {
            if !is_scaled {
                input.scaling = None;
            }
            // An entry is there or not.
            input.nan_is_missing = false;
            let header = Header::read(input)?;
            npy::read_array(input, &header, name)
        })?;
        let mut fields = numbers.fields;
        match fields.pop() {
            Some(field) if fields.is_empty() => {
                self.n_bytes = self.n_bytes.saturating_add(8 * field.values.len());
                Ok((field.values, field.bits == Some(1)))
            }
            Some(_) | None => {
                let message = format!("the array `{name}` does not hold numbers");
                Err(self.source.fault(Code::BadFormat, message))
            }
        }
    }
}
