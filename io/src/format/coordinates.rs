//! DIMACS coordinates of vertices, `.co`: lines `c …` are comments, one line `p aux sp co N`, and N
//! lines `v VERTEX X Y` in any order, every vertex from 1 to N once (9th DIMACS challenge).
//!
//! The result is a list with the fields `x` and `y`; record i is vertex i + 1.

use std::io::{self, Write};

use star_base::Code;

use super::dimacs::{skip_kind, unknown_line};
use super::{ReadResult, ReaderNotes, vertex_count};
use crate::data::{Data, OutputRef};
use crate::error::Fault;
use crate::growing::Growing;
use crate::numbers::{Field, Numbers, Shape};
use crate::scan::Scanner;
use crate::sort::{AT_ONCE, count_pairs, sort_by_key};
use crate::source::Source;

/// A line `v`.
#[derive(Clone, Copy)]
struct VertexLine {
    vertex: u32,
    x: i64,
    y: i64,
    line: u64,
}

/// The valid kinds of lines.
const KINDS: &str = "the lines of DIMACS coordinates begin with `c`, `p` or `v`";

/// Bytes of the shortest line `v`.
const MIN_LINE_BYTES: u64 = 8;

/// Reads a list.
pub(crate) fn read(source: Source) -> Result<ReadResult, Fault> {
    let mut scanner = Scanner::new(source)?;
    let mut header: Option<u32> = None;
    // Once as read and once sorted.
    let item_bytes = size_of::<VertexLine>() as u64 + 2 * size_of::<i64>() as u64;
    let mut places: Growing<VertexLine> = Growing::new(scanner.source().budget(), item_bytes);
    while let Some(kind) = scanner.next_entry()? {
        scanner.begin_token();
        match (kind, header) {
            (b'c', _) => scanner.skip_line()?,
            (b'v', None) => {
                let message = "coordinates come before the line `p aux sp co`";
                return Err(scanner.here(Code::BadFormat, message));
            }
            (b'v', Some(n)) => {
                if places.len() as u64 == u64::from(n) {
                    return Err(super::too_many(&scanner, u64::from(n)));
                }
                let place = read_place(&mut scanner, n)?;
                places.push(place).map_err(|e| scanner.out_of_memory(&e))?;
            }
            (b'p', None) => {
                let n = read_header(&mut scanner)?;
                places.reserve(u64::from(n), scanner.source().size_hint(), MIN_LINE_BYTES);
                header = Some(n);
            }
            (b'p', Some(_)) => return Err(scanner.here(Code::BadFormat, "a second line `p`")),
            _ => return Err(unknown_line(&mut scanner, KINDS)),
        }
    }
    let Some(n) = header else {
        let message = "the file ends before the line `p aux sp co`";
        return Err(scanner.here(Code::Truncated, message));
    };
    if (places.len() as u64) < u64::from(n) {
        return Err(super::too_few(&scanner, places.len() as u64, u64::from(n)));
    }
    let places = in_order(&mut scanner, places.into_vec())?;
    let n_bytes = places.len() as u128 * u128::from(item_bytes);
    let scaling = scanner.source().scaling();
    let mut field = |name: &str, value: fn(&VertexLine) -> i64| {
        let mut values = Vec::new();
        let reserved = values.try_reserve_exact(places.len());
        reserved.map_err(|_| scanner.source().out_of_memory(n_bytes))?;
        for places in places.chunks(AT_ONCE) {
            values.extend(places.iter().map(value));
            scanner.source_mut().go_on()?;
        }
        Ok::<_, Fault>(Field::new(name, None, values).scaled(scaling))
    };
    let fields = vec![field("x", |place| place.x)?, field("y", |place| place.y)?];
    Ok((
        Data::Numbers(Numbers { shape: Shape::List(places.len()), fields }),
        ReaderNotes::default(),
    ))
}

/// Sorts the places by vertex; rejects a vertex that occurs twice.
fn in_order(scanner: &mut Scanner, mut places: Vec<VertexLine>) -> Result<Vec<VertexLine>, Fault> {
    // The line is part of the key, so that the later of two duplicates is reported.
    let key = |place: &VertexLine| u128::from(place.vertex) << u64::BITS | u128::from(place.line);
    let same = |one: &VertexLine, other: &VertexLine| one.vertex == other.vertex;
    let go_on = &mut || scanner.source_mut().go_on();
    sort_by_key(&mut places, u64::BITS + u32::BITS, &key, go_on)?;
    if count_pairs(&places, 1, same, go_on)? > 0
        && let Some(twice) = places.windows(2).find(|pair| same(&pair[0], &pair[1]))
    {
        let message = format!("vertex {} already has coordinates", u64::from(twice[1].vertex) + 1);
        let fault = scanner.source().fault(Code::BadFormat, message).at(twice[1].line, 1);
        return Err(Box::new(fault.note(format!("they are in line {}", twice[0].line))));
    }
    Ok(places)
}

/// Writes a list of two fields.
pub(crate) fn write(value: OutputRef<'_>, out: &mut dyn Write) -> Result<(), Fault> {
    let numbers = match value {
        OutputRef::Numbers(numbers) => Some(numbers),
        OutputRef::Graph(_) | OutputRef::Bits(_) => None,
    };
    match numbers.map(|numbers| (numbers, numbers.shape, numbers.fields.as_slice())) {
        Some((numbers, Shape::List(_), [x, y])) => {
            numbers.check("")?;
            write_places(&x.values, &y.values, out).map_err(|e| super::cannot_write(&e))
        }
        Some(_) | None => {
            let holds = "lists with two fields, x and y";
            Err(Box::new(super::cannot_hold(value, "DIMACS coordinates", holds)))
        }
    }
}

fn write_places(x: &[i64], y: &[i64], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "p aux sp co {}", x.len())?;
    let mut places = x.iter().zip(y).zip(1u64..);
    places.try_for_each(|((x, y), vertex)| writeln!(out, "v {vertex} {x} {y}"))
}

fn read_header(scanner: &mut Scanner) -> Result<u32, Fault> {
    let mut word = Vec::new();
    for expected in ["p", "aux", "sp", "co"] {
        scanner.take_word(&mut word)?;
        if word.is_empty() && scanner.peek()?.is_none() {
            let message = "the file ends in the middle of the line `p`";
            return Err(scanner.here(Code::Truncated, message));
        }
        if word != expected.as_bytes() {
            let quoted = scanner.quoted();
            let message = format!("expected `{expected}`, found {quoted}");
            let fault = scanner.at_token(Code::BadFormat, message);
            return Err(Box::new(fault.note("coordinates begin with a line `p aux sp co N`")));
        }
    }
    let n = vertex_count(scanner, "the number of vertices")?;
    scanner.end_line()?;
    Ok(n)
}

fn read_place(scanner: &mut Scanner, n_vertices: u32) -> Result<VertexLine, Fault> {
    let line = scanner.line();
    skip_kind(scanner, KINDS)?;
    let vertex = scanner.index("the vertex", u64::from(n_vertices), "vertices")?;
    let x = scanner.value("x")?;
    let y = scanner.value("y")?;
    scanner.end_line()?;
    Ok(VertexLine { vertex, x, y, line })
}
