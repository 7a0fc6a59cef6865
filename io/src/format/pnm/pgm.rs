//! PGM: gray. A table is written as gray with the maximum value 1, so that ones are white.

use std::io::Write;

use crate::data::OutputRef;
use crate::error::Fault;
use crate::format::ReadResult;
use crate::format::picture::Channels;
use crate::source::Source;

/// Reads a picture.
pub(crate) fn read(source: Source) -> Result<ReadResult, Fault> {
    super::read(source)
}

/// Writes a table or a grid of one field.
pub(crate) fn write(value: OutputRef<'_>, out: &mut dyn Write) -> Result<(), Fault> {
    super::write_samples(value, out, "PGM", "P5", Channels::Gray)
}
