//! Parquet: columns in compressed pages, with a description at the end of the file.

use std::io::Write;

#[cfg(feature = "arrow")]
use ::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
#[cfg(feature = "arrow")]
use bytes::Bytes;

#[cfg(feature = "arrow")]
use super::gather::{damaged, gather, guarded, open};
use super::refuse_to_write;
use crate::data::OutputRef;
use crate::error::Fault;
use crate::format::ReadResult;
use crate::source::Source;

/// The first bytes of every file.
pub(crate) const MAGIC: [u8; 4] = *b"PAR1";

const FORMAT: &str = "Parquet";

/// Reads the columns.
#[cfg(feature = "arrow")]
pub(crate) fn read(mut source: Source) -> Result<ReadResult, Fault> {
    guarded(&mut source, FORMAT, |source| {
        let bytes = open(source, &MAGIC, FORMAT)?;
        let n_file_bytes = bytes.len() as u64;
        let found = ParquetRecordBatchReaderBuilder::try_new(Bytes::from(bytes))
            .and_then(|builder| Ok((builder.schema().clone(), builder.build()?)));
        let (schema, batches) = found.map_err(|error| damaged(source, FORMAT, &error))?;
        gather(source, FORMAT, n_file_bytes, &schema, batches)
    })
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
