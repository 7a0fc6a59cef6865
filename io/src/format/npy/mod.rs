//! NumPy arrays, `.npy`, versions 1 to 3: truth values, integers of 8 to 64 bits, floating-point
//! numbers of 16 to 64 bits, in both byte orders, row by row or column by column; records of these.
//!
//! An array of two dimensions is a grid, one of one dimension a list, a single number a list of
//! one. Truth values have one bit, unsigned numbers the width of their type, at most 63; signed and
//! floating-point numbers have the bits that they need. Floating-point numbers must be whole or
//! need `scale=`.
//!
//! A table is written as an array of truth values, numbers in the smallest type that holds all of
//! them, several fields as records; a field with missing numbers that have no number in files as
//! floating-point numbers with NaN. Texts that are the notations of numbers become these, with -1
//! for an empty one, other texts their codes.

mod header;
mod input;
mod literal;
mod values;

use std::io::{self, Write};

use star_base::Code;
use star_value::BitsRef;

pub(super) use self::header::Header;
use self::header::{Column, ElementKind, Item};
pub(super) use self::input::Input;
use super::{ReadResult, ReaderNotes, cannot_hold, cannot_write};
use crate::data::{Data, OutputRef};
use crate::error::Fault;
use crate::meaning::Meaning;
use crate::numbers::{Field, Numbers, Shape};
use crate::source::Source;
use crate::whole::NO_NUMBER;

/// The first bytes of every file.
pub(crate) const MAGIC: [u8; 6] = *b"\x93NUMPY";

/// The name of a field without a name in the file.
const NAME: &str = "value";

/// Reads an array.
pub(crate) fn read(mut source: Source) -> Result<ReadResult, Fault> {
    let (file, scaling) = (source.file().to_owned(), source.scaling());
    let (n_left, budget) = (source.size_hint(), source.budget().clone());
    let nan_is_missing = source.nan_is_missing();
    let mut fill = |buffer: &mut [u8]| source.fill(buffer);
    let mut input = Input { fill: &mut fill, file, n_left, budget, scaling, nan_is_missing };
    let header = Header::read(&mut input)?;
    let numbers = read_array(&mut input, &header, NAME)?;
    Ok((Data::Numbers(numbers), ReaderNotes::default()))
}

/// Reads everything after the header; `name` is for a field without a name.
pub(super) fn read_array(
    input: &mut Input<'_>,
    header: &Header,
    name: &str,
) -> Result<Numbers, Fault> {
    let shape = match header.shape[..] {
        [] => Shape::List(1),
        [len] => Shape::List(side(input, len)?),
        [height, width] => Shape::Grid { height: side(input, height)?, width: side(input, width)? },
        [_, _, _, ..] => {
            let n_dims = header.shape.len();
            let fault = input.fault(Code::BadFormat, format!("an array with {n_dims} dimensions"));
            let fault = fault.note("a grid has two dimensions, a list has one");
            return Err(Box::new(fault.help("save one layer: `a[:, :, 0]`")));
        }
    };
    let transposed = match shape {
        Shape::Grid { height, width } if header.is_by_columns => Some((height, width)),
        Shape::Grid { .. } | Shape::List(_) => None,
    };
    let columns = values::read(input, header, transposed)?;
    let mut fields = Vec::with_capacity(columns.len());
    for (column, values) in header.item.columns.iter().zip(columns) {
        let bits = match (input.scaling, column.kind) {
            (Some(_), _) | (None, ElementKind::Signed | ElementKind::Float) => None,
            (None, ElementKind::Bool) => Some(1),
            // A number has at most 63 bits.
            (None, ElementKind::Unsigned) => Some((column.n_bytes * 8).min(63)),
        };
        let name = column.name.as_deref().unwrap_or(name).to_owned();
        let may_miss = input.nan_is_missing && column.kind == ElementKind::Float;
        let nodata = Some(NO_NUMBER).filter(|number| may_miss && values.contains(number));
        let field = Field { nodata, ..Field::new(name, bits, values) };
        fields.push(field.scaled(input.scaling));
    }
    Ok(Numbers { shape, fields })
}

/// Writes any value except a graph.
pub(crate) fn write(value: OutputRef<'_>, out: &mut dyn Write) -> Result<(), Fault> {
    write_array(value, out, "NumPy")
}

/// Writes an array with its header.
pub(super) fn write_array(
    value: OutputRef<'_>,
    out: &mut dyn Write,
    format: &str,
) -> Result<(), Fault> {
    let (shape, bits) = match value {
        OutputRef::Bits(bits) => {
            let (n_rows, n_cols) = bits.shape();
            let shape = match bits {
                BitsRef::Table(_) => vec![n_rows as u64, n_cols as u64],
                BitsRef::Slice(_) => vec![n_rows as u64],
                BitsRef::Word(_) => vec![n_cols as u64],
            };
            (shape, bits)
        }
        OutputRef::Numbers(numbers) => return write_numbers(numbers, out, format),
        OutputRef::Graph(_) => {
            let fault = cannot_hold(value, format, "arrays of bits and numbers");
            return Err(Box::new(fault.help("write it to a `.mtx` file")));
        }
    };
    let column = Column { name: None, kind: ElementKind::Bool, n_bytes: 1, is_big: false, at: 0 };
    let header = Header { item: Item::of(vec![column]), is_by_columns: false, shape };
    header.write(out).map_err(|e| cannot_write(&e))?;
    bits.try_for_rows(|row| out.write_all(row)).map_err(|e| cannot_write(&e))
}

fn write_numbers(numbers: &Numbers, out: &mut dyn Write, format: &str) -> Result<(), Fault> {
    numbers.check("")?;
    let Numbers { shape, fields } = numbers;
    let value = OutputRef::Numbers(numbers);
    if fields.is_empty() {
        return Err(Box::new(cannot_hold(value, format, "numbers")));
    }
    let n_records = shape.n_records();
    let of_texts: Vec<Option<Vec<i128>>> = fields.iter().map(Field::numbers_of_texts).collect();
    let number = |code: i64, of_texts: &Option<Vec<i128>>| match of_texts {
        Some(numbers) => numbers[code as usize], // each code has a number
        None => i128::from(code),
    };
    let columns = fields.iter().zip(&of_texts).map(|(field, of_texts)| {
        let Field { name, bits, meaning, nodata: _, shared: _, values, elsewhere: _ } = field;
        let name = (fields.len() > 1).then(|| name.clone());
        if matches!(meaning, Meaning::Scaled(_)) || values.iter().any(|&value| field.lacks(value)) {
            // Only a floating-point number can have a fraction or be missing.
            return Column { name, kind: ElementKind::Float, n_bytes: 8, is_big: false, at: 0 };
        }
        Column::least(name, *bits, values.iter().map(|&value| number(value, of_texts)))
    });
    let columns: Vec<Column> = columns.collect();
    for (column, field) in columns.iter().zip(fields) {
        let is_exact = |number: i64| number.unsigned_abs() <= 1 << 53;
        if column.kind == ElementKind::Float && !field.present().all(is_exact) {
            let name = crate::text::quote(field.name.as_bytes());
            let what = "missing or scaled numbers next to those of 53 bits";
            let fault = cannot_hold(value, format, what);
            return Err(Box::new(fault.note(format!("field {name} has greater ones"))));
        }
    }
    let shape = match *shape {
        Shape::List(len) => vec![len as u64],
        Shape::Grid { height, width } => vec![height as u64, width as u64],
    };
    let header = Header { item: Item::of(columns), is_by_columns: false, shape };
    let mut write = || -> io::Result<()> {
        header.write(out)?;
        let mut bytes = Vec::new();
        for idx in 0..n_records {
            for ((column, field), of_texts) in header.item.columns.iter().zip(fields).zip(&of_texts)
            {
                // Numbers keep their low bytes; `least` checked that the high ones carry no
                // information.
                let value = field.values[idx];
                if column.kind == ElementKind::Float {
                    let float = field.float(value).unwrap_or(f64::NAN);
                    bytes.extend_from_slice(&float.to_le_bytes());
                    continue;
                }
                let number = number(value, of_texts);
                bytes.extend_from_slice(&number.to_le_bytes()[..column.n_bytes]);
            }
            if bytes.len() >= 1 << 16 {
                out.write_all(&bytes)?;
                bytes.clear();
            }
        }
        out.write_all(&bytes)
    };
    write().map_err(|e| cannot_write(&e))
}

fn side(input: &Input<'_>, len: u64) -> Result<usize, Fault> {
    usize::try_from(len).map_err(|_| input.out_of_memory(u128::from(len) * 8))
}
