//! PBM: bits; 1 is black.

use std::io::Write;

use crate::data::OutputRef;
use crate::error::Fault;
use crate::format::picture::{Channels, Picture};
use crate::format::{ReadResult, cannot_hold, cannot_write};
use crate::source::Source;

/// Reads a picture.
pub(crate) fn read(source: Source) -> Result<ReadResult, Fault> {
    super::read(source)
}

/// Writes a table, or a grid of one field of zeros and ones.
pub(crate) fn write(value: OutputRef<'_>, out: &mut dyn Write) -> Result<(), Fault> {
    let picture = Picture::new(value, "PBM")?;
    if picture.channels != Channels::Gray || picture.bits > 1 {
        let fault = cannot_hold(value, "PBM", "a table, or a grid of one field of one bit");
        return Err(Box::new(fault.help("a `.pgm` or `.png` file holds larger numbers")));
    }
    let Picture { width, height, .. } = picture;
    writeln!(out, "P4\n{width} {height}").map_err(|e| cannot_write(&e))?;
    let mut packed = Vec::new();
    picture.try_for_rows(|row| {
        packed.clear();
        packed.extend(row.chunks(8).map(|bits| {
            let place = |(idx, &bit): (usize, &u16)| (bit as u8) << (7 - idx);
            bits.iter().enumerate().map(place).fold(0, |byte, bit| byte | bit)
        }));
        out.write_all(&packed).map_err(|e| cannot_write(&e))
    })
}
