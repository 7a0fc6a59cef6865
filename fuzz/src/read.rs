//! The target `read`: every reader of data files, and the writer of the same format.

use std::sync::LazyLock;

use star_io::{
    Data, FileError, Format, Graph, Layout, LayoutValue, LoadedFile, Numbers, ReadOptions, Widths,
    lay_out, write,
};
use star_value::Table;

use crate::MEMORY;

/// Memory budget of a reader.
const BUDGET: u64 = 1 << 20;

/// Additional memory of a reader: buffers, and temporarily a second copy of a table.
const BESIDE: usize = (1 << 20) + (2 << 20);

/// The format with the extension in `STAR_FORMAT`, so that one reader can be fuzzed alone.
static ALONE: LazyLock<Option<Format>> = LazyLock::new(|| {
    let extension = std::env::var("STAR_FORMAT").ok()?;
    let format = Format::of_path(&format!("f.{extension}"));
    Some(format.unwrap_or_else(|| panic!("STAR_FORMAT: no format has the extension `{extension}`")))
});

/// Reads a file: in the format that the first byte selects, without that byte, or the whole input
/// in the format of `STAR_FORMAT`.
pub fn read(bytes: &[u8]) {
    if let Some(format) = *ALONE {
        return read_file(format, bytes);
    }
    if let Some((&first, bytes)) = bytes.split_first() {
        read_file(Format::ALL[usize::from(first) % Format::ALL.len()], bytes);
    }
}

/// Nothing panics; memory stays within the budget; a known length affects only the checks of a
/// header; the data is converted to every layout, and is the same after it was written and read
/// again.
fn read_file(format: Format, bytes: &[u8]) {
    let _ = Format::detect(bytes);
    let plain = read_as(format, bytes, None, false);
    let hinted = read_as(format, bytes, Some(bytes.len() as u64), false);
    if let Ok(LoadedFile { data, .. }) = read_as(format, bytes, None, true) {
        try_layouts(&data);
    }
    match (&plain, &hinted) {
        // A list of known length allocates exactly its length, a growing one up to twice that.
        (Ok(plain), Ok(hinted)) => {
            assert!(hinted.n_bytes <= plain.n_bytes);
            assert_eq!((&plain.data, plain.format), (&hinted.data, hinted.format));
            assert_eq!((&plain.warnings, &plain.notes), (&hinted.warnings, &hinted.notes));
        }
        // One may find the error in the header and the other after it.
        (Err(_), Err(_)) => {}
        (Ok(_), Err(error)) | (Err(error), Ok(_)) => {
            panic!("the result depends on whether the length is known: {error}")
        }
    }
    if let Ok(LoadedFile { data, .. }) = plain {
        try_layouts(&data);
        rewrite(format, &data);
    }
}

/// Reads a file and checks the memory use.
fn read_as(
    format: Format,
    mut bytes: &[u8],
    size_hint: Option<u64>,
    as_graph: bool,
) -> Result<LoadedFile, Box<FileError>> {
    let mut options = ReadOptions::new("f", BUDGET);
    options.as_graph = as_graph;
    options.direction.undirected = as_graph;
    options.size_hint = size_hint;
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    let loaded = star_io::read(format, &mut bytes, &mut options);
    let taken = MEMORY.peak_usage().saturating_sub(before);
    assert!(taken <= BUDGET as usize + BESIDE, "reading {} allocates {taken} bytes", format.name());
    loaded.map_err(Box::new)
}

fn try_layouts(data: &Data) {
    if let Data::Graph(graph) = data {
        for &layout in Layout::ALL {
            let widths = layout.least_widths(graph).unwrap_or(Widths { h: 5, b: 5 });
            let _ = lay_out(layout, graph, widths, BUDGET, "f");
        }
    }
}

/// Writes the data in its format, and reads it again.
fn rewrite(format: Format, data: &Data) {
    let mut bytes = Vec::new();
    if write(format, data.as_output(), &mut bytes).is_err() {
        // Not every format can be written, or can store everything that it reads.
        return;
    }
    let mut options = ReadOptions::new("f", 64 * BUDGET);
    options.size_hint = Some(bytes.len() as u64);
    match star_io::read(format, &mut &bytes[..], &mut options) {
        Ok(again) => check_same(format, data, &again.data),
        Err(error) => panic!("cannot read the file written as {}: {error}", format.name()),
    }
}

/// Checks that the data is unchanged. Formats may discard the order of vertices and arcs, the names
/// of fields and in formats without them those of vertices, whether edges are bidirectional, and
/// everything of a graph except its table.
fn check_same(format: Format, before: &Data, after: &Data) {
    let name = format.name();
    match (before, after) {
        (Data::Graph(before), Data::Graph(after)) => {
            assert_eq!(before.n_vertices, after.n_vertices, "{name}");
            let named = after.names.is_some();
            assert_eq!(arcs(before, named), arcs(after, named), "{name}");
        }
        (Data::Numbers(before), Data::Numbers(after)) => {
            assert_eq!(before.shape, after.shape, "{name}");
            let values = |numbers: &Numbers| -> Vec<Vec<i64>> {
                numbers.fields.iter().map(|field| field.values.clone()).collect()
            };
            assert_eq!(values(before), values(after), "{name}");
        }
        (Data::Table(before), Data::Graph(_)) => {
            assert!(adjacency(after).is_none_or(|after| after == *before), "{name}");
        }
        (Data::Table(_) | Data::Slice(_) | Data::Word(_), _)
        | (Data::Graph(_) | Data::Numbers(_), _) => assert_eq!(before, after, "{name}"),
    }
}

/// Returns all arcs in order, with the names of vertices or their rows.
fn arcs(graph: &Graph, named: bool) -> Vec<(String, String, i64)> {
    let name = |vertex: u32| match named {
        true => graph.name(vertex as usize).to_string(),
        false => vertex.to_string(),
    };
    let arcs = graph.directed_arcs().map(|arc| (name(arc.tail), name(arc.head), arc.weight));
    let mut arcs: Vec<_> = arcs.collect();
    arcs.sort_unstable();
    arcs
}

fn adjacency(data: &Data) -> Option<Table> {
    let Data::Graph(graph) = data else { return None };
    match lay_out(Layout::Adjacency, graph, Widths { h: 0, b: 0 }, BUDGET, "f") {
        Ok(LayoutValue::Table(table)) => Some(table),
        Ok(LayoutValue::Slice(_)) | Err(_) => None,
    }
}
