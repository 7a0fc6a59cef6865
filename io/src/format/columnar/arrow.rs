//! Arrow files, also called Feather: batches of columns as they lie in memory.

use std::io::Write;

#[cfg(feature = "arrow")]
use std::io::Cursor;

#[cfg(feature = "arrow")]
use arrow_ipc::reader::FileReader;

#[cfg(feature = "arrow")]
use super::gather::{damaged, gather, open};
use super::refuse_to_write;
use crate::data::OutputRef;
use crate::error::Fault;
use crate::format::ReadResult;
use crate::source::Source;

/// The first bytes of every file.
pub(crate) const MAGIC: [u8; 6] = *b"ARROW1";

const FORMAT: &str = "Arrow";

/// Reads the columns.
#[cfg(feature = "arrow")]
pub(crate) fn read(mut source: Source) -> Result<ReadResult, Fault> {
    let source = &mut source;
    let bytes = open(source, &MAGIC, FORMAT)?;
    let n_file_bytes = bytes.len() as u64;
    let found = FileReader::try_new(Cursor::new(bytes), None);
    let batches = found.map_err(|error| damaged(source, FORMAT, &error))?;
    let schema = batches.schema();
    gather(source, FORMAT, n_file_bytes, &schema, batches)
}

/// Refuses them.
#[cfg(not(feature = "arrow"))]
pub(crate) fn read(source: Source) -> Result<ReadResult, Fault> {
    Err(super::left_out(&source, FORMAT))
}

/// Refuses to write.
pub(crate) fn write(value: OutputRef<'_>, _: &mut dyn Write) -> Result<(), Fault> {
    Err(refuse_to_write(value, FORMAT))
}
