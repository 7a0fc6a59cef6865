//! The target `read`: every reader of data files, and the writer of the same format.

use star_base::BitTable;
use star_io::{
    Data, FileError, Format, Layout, LayoutValue, Loaded, OutputRef, ReadOptions, Widths,
};
use star_io::{lay_out, write};

use crate::MEMORY;

/// What a reader may take.
const BUDGET: u64 = 1 << 20;

/// What a reader may take beside it: buffers, and for a moment a table once more.
const BESIDE: usize = (1 << 20) + (2 << 20);

/// Reads the bytes behind the first one, which picks the format. Nothing panics; memory stays within the
/// budget; whether the length is known matters to the checks of a header only; what was read is laid
/// out in every way, and is the same after it was written and read again.
pub fn read(bytes: &[u8]) {
    let Some((&first, bytes)) = bytes.split_first() else { return };
    let _ = Format::detect(bytes);
    let format = Format::ALL[usize::from(first) % Format::ALL.len()];
    let plain = read_as(format, bytes, None);
    let hinted = read_as(format, bytes, Some(bytes.len() as u64));
    match (&plain, &hinted) {
        (Ok(plain), Ok(hinted)) => assert_eq!(plain, hinted),
        // One may find the fault in the header and the other behind it.
        (Err(_), Err(_)) => {}
        (Ok(_), Err(error)) | (Err(error), Ok(_)) => {
            panic!("the length decides whether it is read: {error}")
        }
    }
    if let Ok(Loaded { data, .. }) = plain {
        try_layouts(&data);
        rewrite(format, &data);
    }
}

/// Reads, and checks how much memory that takes.
fn read_as(format: Format, mut bytes: &[u8], size_hint: Option<u64>) -> Result<Loaded, FileError> {
    let mut options = ReadOptions::new("f", BUDGET);
    options.size_hint = size_hint;
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    let loaded = star_io::read(format, &mut bytes, &mut options);
    let taken = MEMORY.peak_usage().saturating_sub(before);
    assert!(taken <= BUDGET as usize + BESIDE, "reading {} takes {taken} bytes", format.name());
    loaded
}

fn try_layouts(data: &Data) {
    if let Data::Graph(graph) = data {
        let widths = Widths { h: graph.path_width().unwrap_or(5), b: graph.code_width() };
        for &layout in Layout::ALL {
            let _ = lay_out(layout, graph, widths, BUDGET, "f");
        }
    }
}

/// Writes what can be written in its own format, and reads it again.
fn rewrite(format: Format, data: &Data) {
    match data {
        Data::Graph(_) => {
            // Graphs are written as tables.
            let Some(table) = adjacency(data) else { return };
            if let Some(again) = write_and_read(format, OutputRef::Table(&table)) {
                assert_eq!(adjacency(&again), Some(table));
            }
        }
        Data::Table(table) => {
            let again = write_and_read(format, OutputRef::Table(table));
            assert!(again.is_none_or(|again| again == *data));
        }
        Data::Slice(bits) => {
            let again = write_and_read(format, OutputRef::Slice(bits));
            assert!(again.is_none_or(|again| again == *data));
        }
        Data::Word(bits) => {
            let again = write_and_read(format, OutputRef::Word(bits));
            assert!(again.is_none_or(|again| again == *data));
        }
        Data::Numbers(_) => {}
    }
}

fn adjacency(data: &Data) -> Option<BitTable> {
    let graph = match data {
        Data::Graph(graph) => graph,
        Data::Table(table) => return Some(table.clone()),
        Data::Slice(_) | Data::Word(_) | Data::Numbers(_) => return None,
    };
    match lay_out(Layout::Adjacency, graph, Widths { h: 0, b: 0 }, BUDGET, "f") {
        Ok(LayoutValue::Table(table)) => Some(table),
        Ok(LayoutValue::Slice(_)) | Err(_) => None,
    }
}

/// Writes a value and reads it again; `None` if the format does not hold such a value.
fn write_and_read(format: Format, value: OutputRef<'_>) -> Option<Data> {
    let mut bytes = Vec::new();
    write(format, value, &mut bytes).ok()?;
    let mut options = ReadOptions::new("f", 64 * BUDGET);
    options.size_hint = Some(bytes.len() as u64);
    match star_io::read(format, &mut &bytes[..], &mut options) {
        Ok(loaded) => Some(loaded.data),
        Err(error) => panic!("what was written as {} does not read: {error}", format.name()),
    }
}
