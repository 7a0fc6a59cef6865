//! Arrow files, also called Feather: batches of columns in their memory layout.

use std::io::Write;

#[cfg(feature = "arrow")]
use std::io::{self, Cursor};

#[cfg(feature = "arrow")]
use arrow_ipc::reader::FileReader;
#[cfg(feature = "arrow")]
use arrow_ipc::writer::FileWriter;
#[cfg(feature = "arrow")]
use arrow_schema::ArrowError;
#[cfg(feature = "arrow")]
use star_base::Code;

#[cfg(feature = "arrow")]
use super::gather::{damaged, gather, guarded, open};
#[cfg(not(feature = "arrow"))]
use super::refuse_to_write;
use crate::data::OutputRef;
use crate::error::Fault;
use crate::format::ReadResult;
#[cfg(feature = "arrow")]
use crate::format::cannot_write;
use crate::source::Source;

/// The first and last bytes of every file.
pub(crate) const MAGIC: [u8; 6] = *b"ARROW1";

const FORMAT: &str = "Arrow";

/// Reads the columns.
#[cfg(feature = "arrow")]
pub(crate) fn read(mut source: Source) -> Result<ReadResult, Fault> {
    guarded(&mut source, FORMAT, |source| {
        let bytes = open(source, &MAGIC, FORMAT)?;
        let n_file_bytes = bytes.len() as u64;
        if !blocks_lie_inside(&bytes) {
            let why = "its directory is cut off or refers to data after the end";
            return Err(source.fault(Code::Truncated, format!("incomplete {FORMAT} file: {why}")));
        }
        let found = FileReader::try_new(Cursor::new(bytes), None);
        let gathered = found.map_err(|error| damaged(source, FORMAT, &error)).and_then(|batches| {
            let schema = batches.schema();
            gather(source, FORMAT, n_file_bytes, &schema, batches)
        });
        // The decoder reports compression only at the first batch, of a dictionary or of columns.
        gathered.map_err(|fault| match fault.message.contains("IPC decompression requires") {
            true => Box::new(fault.help("write it without compression, or as Parquet")),
            false => fault,
        })
    })
}

/// Returns whether all batches in the directory at the end of the file lie within the file. The
/// decoder allocates memory for a batch according to the directory.
#[cfg(feature = "arrow")]
fn blocks_lie_inside(bytes: &[u8]) -> bool {
    let directory = || {
        let rest = bytes.strip_suffix(&MAGIC)?;
        let (rest, length) = rest.split_last_chunk::<4>()?;
        let n_bytes = usize::try_from(i32::from_le_bytes(*length)).ok()?;
        let start = rest.len().checked_sub(n_bytes)?;
        arrow_ipc::root_as_footer(&rest[start..]).ok()
    };
    let Some(directory) = directory() else { return false };
    let blocks = [directory.recordBatches(), directory.dictionaries()].into_iter().flatten();
    blocks.flatten().all(|block| {
        let parts = [block.offset(), block.metaDataLength().into(), block.bodyLength()];
        let end = parts.iter().try_fold(0_i64, |end, &part| end.checked_add(part));
        let is_inside = end.and_then(|end| usize::try_from(end).ok());
        parts.iter().all(|part| *part >= 0) && is_inside.is_some_and(|end| end <= bytes.len())
    })
}

/// Rejects all files.
#[cfg(not(feature = "arrow"))]
pub(crate) fn read(source: Source) -> Result<ReadResult, Fault> {
    Err(super::left_out(&source, FORMAT))
}

/// Writes any value whose rows are numbers, texts, dates or times.
#[cfg(feature = "arrow")]
pub(crate) fn write(value: OutputRef<'_>, out: &mut dyn Write) -> Result<(), Fault> {
    let batch = super::write::batch(value, FORMAT)?;
    let written = FileWriter::try_new(out, &batch.schema()).and_then(|mut writer| {
        writer.write(&batch)?;
        writer.finish()
    });
    written.map_err(|error| match error {
        ArrowError::IoError(_, error) => cannot_write(&error),
        error => cannot_write(&io::Error::other(error)),
    })
}

/// Rejects all values.
#[cfg(not(feature = "arrow"))]
pub(crate) fn write(value: OutputRef<'_>, _: &mut dyn Write) -> Result<(), Fault> {
    Err(refuse_to_write(value, FORMAT))
}
