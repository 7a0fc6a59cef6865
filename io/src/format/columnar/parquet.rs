//! Parquet: columns in compressed pages, with a description at the end of the file.

use std::io::Write;

#[cfg(feature = "arrow")]
use std::io;

#[cfg(feature = "arrow")]
use ::parquet::arrow::ArrowWriter;
#[cfg(feature = "arrow")]
use ::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
#[cfg(feature = "arrow")]
use bytes::Bytes;
#[cfg(feature = "arrow")]
use star_base::Code;

#[cfg(feature = "arrow")]
use super::gather::{damaged, gather, guarded, open};
#[cfg(feature = "arrow")]
use super::pages::{self, Refused};
#[cfg(not(feature = "arrow"))]
use super::refuse_to_write;
use crate::data::OutputRef;
use crate::error::Fault;
use crate::format::ReadResult;
#[cfg(feature = "arrow")]
use crate::format::cannot_write;
use crate::source::Source;

/// The first bytes of every file.
pub(crate) const MAGIC: [u8; 4] = *b"PAR1";

pub(super) const FORMAT: &str = "Parquet";

/// Reads the columns.
#[cfg(feature = "arrow")]
pub(crate) fn read(mut source: Source) -> Result<ReadResult, Fault> {
    guarded(&mut source, FORMAT, |source| {
        let bytes = open(source, &MAGIC, FORMAT)?;
        let n_file_bytes = bytes.len() as u64;
        let bytes = Bytes::from(bytes);
        let builder = ParquetRecordBatchReaderBuilder::try_new(bytes.clone());
        let builder = builder.map_err(|error| damaged(source, FORMAT, &error))?;
        let checked = pages::check(
            &bytes,
            builder.metadata(),
            source.budget().rest(n_file_bytes).max_bytes(),
        );
        checked.map_err(|refused| fault(source, refused, n_file_bytes))?;
        let schema = builder.schema().clone();
        let batches = builder.build().map_err(|error| damaged(source, FORMAT, &error))?;
        gather(source, FORMAT, n_file_bytes, &schema, batches)
    })
}

/// The error for rejected pages.
#[cfg(feature = "arrow")]
pub(super) fn fault(source: &Source, refused: Refused, n_file_bytes: u64) -> Fault {
    match refused {
        Refused::Damaged(why) => damaged(source, FORMAT, &why),
        Refused::Memory(n_bytes) => {
            source.out_of_memory(u128::from(n_bytes) + u128::from(n_file_bytes))
        }
        Refused::Unknown(what) => {
            let fault = source.fault(Code::BadFormat, format!("cannot read {what}"));
            let help =
                "write plain or dictionary pages, packed with Snappy, gzip or LZ4, or not packed";
            Box::new(fault.help(help))
        }
    }
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
    // The encoder accepts only writers that another thread could own.
    let mut bytes = Vec::new();
    let encoded = ArrowWriter::try_new(&mut bytes, batch.schema(), None).and_then(|mut writer| {
        writer.write(&batch)?;
        writer.close()
    });
    encoded.map_err(|error| cannot_write(&io::Error::other(error)))?;
    out.write_all(&bytes).map_err(|error| cannot_write(&error))
}

/// Rejects all values.
#[cfg(not(feature = "arrow"))]
pub(crate) fn write(value: OutputRef<'_>, _: &mut dyn Write) -> Result<(), Fault> {
    Err(refuse_to_write(value, FORMAT))
}
