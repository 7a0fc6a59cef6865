//! PPM: red, green and blue.

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

/// Writes a grid of three fields.
pub(crate) fn write(value: OutputRef<'_>, out: &mut dyn Write) -> Result<(), Fault> {
    super::write_samples(value, out, "PPM", "P6", Channels::Rgb)
}
