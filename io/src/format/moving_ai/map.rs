//! MovingAI maps, `.map`: the lines `type octile`, `height H`, `width W`, `map`, then H lines of W
//! characters. The result is a grid with the field `passable`: 1 for ground (`.`, `G`) and swamp
//! (`S`), 0 for out of bounds (`@`, `O`), trees (`T`) and water (`W`).

use std::io::{self, Write};

use star_base::Code;

use super::{expect, take};
use crate::data::{Data, OutputRef};
use crate::error::Fault;
use crate::format::{ReadResult, ReaderNotes, cannot_hold, cannot_write, vertex_count};
use crate::growing::Growing;
use crate::numbers::{Field, Numbers, Shape};
use crate::scan::Scanner;
use crate::source::Source;
use crate::text;

/// Reads a grid.
pub(crate) fn read(source: Source) -> Result<ReadResult, Fault> {
    let mut scanner = Scanner::new(source)?;
    let (height, width) = read_header(&mut scanner)?;
    let n_cells = u64::from(height) * u64::from(width);
    let mut cells = Growing::new(scanner.source().budget(), size_of::<i64>() as u64);
    cells.reserve(n_cells, scanner.source().size_hint(), 1);
    let mut n_water = 0u64;
    for row in 0..height {
        if scanner.peek()?.is_none() {
            let all = text::counted(height, "rows");
            let message = format!("the file ends after {row} of the {all} of its header");
            return Err(scanner.here(Code::Truncated, message));
        }
        for _ in 0..width {
            let passable = match scanner.peek()? {
                Some(b'.' | b'G' | b'S') => 1,
                Some(b'@' | b'O' | b'T') => 0,
                Some(b'W') => {
                    n_water += 1;
                    0
                }
                found => return Err(no_terrain(&mut scanner, found, width)),
            };
            scanner.bump();
            cells.push(passable).map_err(|e| scanner.out_of_memory(&e))?;
        }
        scanner.end_line()?;
    }
    if scanner.next_entry()?.is_some() {
        let all = text::counted(height, "rows");
        let message = format!("a line after the {all} of the header");
        return Err(scanner.here(Code::HeaderLies, message));
    }
    let field = Field::new("passable", Some(1), cells.into_vec());
    let shape = Shape::Grid { height: height as usize, width: width as usize };
    let notes = match n_water {
        0 => Vec::new(),
        1 => vec!["1 water cell is not passable".to_owned()],
        n => vec![format!("{n} water cells are not passable")],
    };
    Ok((
        Data::Numbers(Numbers { shape, fields: vec![field] }),
        ReaderNotes { notes, ..ReaderNotes::default() },
    ))
}

/// Writes a grid of zeros and ones, or a table: `.` for one, `@` for zero.
pub(crate) fn write(value: OutputRef<'_>, out: &mut dyn Write) -> Result<(), Fault> {
    let bits = match value {
        OutputRef::Bits(bits) => bits,
        OutputRef::Numbers(Numbers { shape: Shape::Grid { height, width }, fields })
            if let [field] = fields.as_slice()
                && field.is_bits() =>
        {
            if let OutputRef::Numbers(numbers) = value {
                numbers.check("")?;
            }
            let cell = |row: usize, col: usize| field.values[row * width + col] == 1;
            return write_cells(*height, *width, cell, out).map_err(|e| cannot_write(&e));
        }
        OutputRef::Graph(_) | OutputRef::Numbers(_) => {
            let holds = "tables of bits, and grids of zeros and ones";
            return Err(Box::new(cannot_hold(value, "a MovingAI map", holds)));
        }
    };
    let (height, width) = bits.shape();
    write_cells(height, width, |row, col| bits.get(row, col), out).map_err(|e| cannot_write(&e))
}

fn write_cells(
    height: usize,
    width: usize,
    passable: impl Fn(usize, usize) -> bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "type octile\nheight {height}\nwidth {width}\nmap")?;
    let mut line = Vec::new();
    for row in 0..height {
        line.clear();
        line.extend((0..width).map(|col| if passable(row, col) { b'.' } else { b'@' }));
        line.push(b'\n');
        out.write_all(&line)?;
    }
    Ok(())
}

/// Height and width, in either order.
fn read_header(scanner: &mut Scanner) -> Result<(u32, u32), Fault> {
    if scanner.next_entry()?.is_none() {
        return Err(scanner.here(Code::Truncated, "the file is empty"));
    }
    expect(scanner, "type")?;
    let mut word = Vec::new();
    take(scanner, &mut word, "the kind of the map")?;
    scanner.end_line()?;
    let (mut height, mut width) = (None, None);
    let (height, width) = loop {
        scanner.next_entry()?;
        take(scanner, &mut word, "`height`, `width` or `map`")?;
        match (word.as_slice(), height, width) {
            (b"height", None, _) => height = Some(vertex_count(scanner, "the height")?),
            (b"width", _, None) => width = Some(vertex_count(scanner, "the width")?),
            (b"map", Some(height), Some(width)) => break (height, width),
            _ => {
                let quoted = scanner.quoted();
                let message = format!("unexpected {quoted} in the header of the map");
                let fault = scanner.at_token(Code::BadFormat, message);
                return Err(Box::new(
                    fault.note("the header is `type octile`, `height H`, `width W`, `map`"),
                ));
            }
        }
        scanner.end_line()?;
    };
    scanner.end_line()?;
    Ok((height, width))
}

fn no_terrain(scanner: &mut Scanner, found: Option<u8>, width: u32) -> Fault {
    match found {
        None => scanner.here(Code::Truncated, "the file ends in the middle of a row"),
        Some(b'\r' | b'\n') => {
            let message = format!("a row shorter than the width of {width}");
            scanner.here(Code::BadFormat, message)
        }
        Some(byte) => {
            let message = format!("unknown terrain {}", text::quote(&[byte]));
            let fault = scanner.here(Code::BadFormat, message);
            Box::new(fault.note("the terrain is one of `.`, `G`, `S`, `@`, `O`, `T` and `W`"))
        }
    }
}
