//! Scalable Vector Graphics (W3C, SVG 1.1): a line through places, for browsers and drawing
//! programs. Write only.
//!
//! A list with the fields `x` and `y` becomes one polyline. The drawing has one unit per pixel, and
//! its upper left corner is that of the pixel (1,1): laid over a picture of the same places, the
//! line passes through the centres of its pixels. Places to the left of it or above it are outside
//! the drawing.

use std::io::{self, Write};

use star_base::Code;

use super::{ReadResult, cannot_hold, cannot_write};
use crate::data::OutputRef;
use crate::error::Fault;
use crate::numbers::Shape;
use crate::scan::Scanner;
use crate::source::Source;

/// The writable values, for messages.
const HOLDS: &str = "lists with two fields, which are `x` and `y`";

/// Rejects all files.
pub(crate) fn read(source: Source) -> Result<ReadResult, Fault> {
    let mut scanner = Scanner::new(source)?;
    scanner.peek()?;
    Err(scanner.here(Code::BadFormat, "cannot read SVG drawings, only write them"))
}

/// Writes a list of places.
pub(crate) fn write(value: OutputRef<'_>, out: &mut dyn Write) -> Result<(), Fault> {
    let OutputRef::Numbers(numbers) = value else {
        return Err(Box::new(cannot_hold(value, "SVG", HOLDS)));
    };
    match (numbers.shape, numbers.fields.as_slice()) {
        (Shape::List(_), [x, y]) if x.name == "x" && y.name == "y" => {
            numbers.check("")?;
            write_line(&x.values, &y.values, out).map_err(|e| cannot_write(&e))
        }
        _ => Err(Box::new(cannot_hold(value, "SVG", HOLDS))),
    }
}

fn write_line(x: &[i64], y: &[i64], out: &mut dyn Write) -> io::Result<()> {
    let [width, height] = [x, y].map(|places| places.iter().fold(1, |most, &at| at.max(most)));
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0.5 0.5 {width} {height}\">"
    )?;
    write!(out, "<polyline fill=\"none\" stroke=\"red\" stroke-width=\"2\" points=\"")?;
    for (record, (x, y)) in x.iter().zip(y).enumerate() {
        let blank = if record == 0 { "" } else { " " };
        write!(out, "{blank}{x},{y}")?;
    }
    writeln!(out, "\"/>\n</svg>")
}
