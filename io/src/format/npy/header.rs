//! The header of an array: the type of its items, their order, its shape.
//!
//! The crate npyz is not used for it: it allocates as many bytes as the header claims, parses
//! nested lists without a depth limit, and rejects fields with a title.

use std::io::{self, Write};

use star_base::Code;

use super::MAGIC;
use super::input::Input;
use super::literal::Literal;
use crate::error::Fault;
use crate::graph::bit_length;
use crate::text;

/// Maximum header length; records with thousands of fields fit.
const MAX_HEADER_BYTES: usize = 1 << 20;

/// The contents of the header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) item: Item,
    /// Whether the first index varies fastest.
    pub(crate) is_by_columns: bool,
    /// The lengths of the dimensions.
    pub(crate) shape: Vec<u64>,
}

/// An item of an array: a number, or a record of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) columns: Vec<Column>,
    pub(crate) n_bytes: usize,
}

/// One number of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    /// Its name; `None` if the item is not a record.
    pub(crate) name: Option<String>,
    pub(crate) kind: ElementKind,
    pub(crate) n_bytes: usize,
    /// Whether the most significant byte comes first.
    pub(crate) is_big: bool,
    /// Its offset in the item.
    pub(crate) at: usize,
}

/// The type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ElementKind {
    Bool,
    Unsigned,
    Signed,
    Float,
}

impl Header {
    /// Reads the header, up to the first number.
    pub(crate) fn read(input: &mut Input<'_>) -> Result<Self, Fault> {
        let mut start = [0; 8];
        let n_bytes = input.fill(&mut start)?;
        let known = n_bytes.min(MAGIC.len());
        if n_bytes > 0 && start[..known] != MAGIC[..known] {
            let quoted = text::quote(&start[..known]);
            let message = format!("expected `NUMPY` at the start of the file, found {quoted}");
            return Err(Box::new(input.fault(Code::BadFormat, message)));
        }
        if n_bytes < start.len() {
            return Err(Box::new(input.fault(Code::Truncated, "the file ends in its header")));
        }
        let len = match start[6] {
            1 => {
                let mut len = [0; 2];
                input.fill_whole(&mut len, "its header")?;
                usize::from(u16::from_le_bytes(len))
            }
            2 | 3 => {
                let mut len = [0; 4];
                input.fill_whole(&mut len, "its header")?;
                u32::from_le_bytes(len) as usize
            }
            other => {
                let message = format!(
                    "unsupported version {other} of the format; versions 1 to 3 \
                    are supported"
                );
                return Err(Box::new(input.fault(Code::BadFormat, message)));
            }
        };
        if len > MAX_HEADER_BYTES {
            let message = format!("a header of {}", text::size(len as u128));
            return Err(Box::new(input.fault(Code::BadFormat, message)));
        }
        let mut bytes = vec![0; len];
        input.fill_whole(&mut bytes, "its header")?;
        // Versions 1 and 2 use Latin-1; only the ASCII part of a name is kept.
        let header = Header::parse(&String::from_utf8_lossy(&bytes));
        header.map_err(|message| Box::new(input.fault(Code::BadFormat, message)))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let broken = || {
            let quoted = text::quote(text.trim_ascii().as_bytes());
            format!("the header {quoted} does not describe an array")
        };
        let Some(Literal::Dict(entries)) = Literal::parse(text) else { return Err(broken()) };
        let (mut item, mut is_by_columns, mut shape) = (None, None, None);
        for (key, value) in &entries {
            match (key.as_str(), value) {
                ("descr", descr) => item = Some(Item::parse(descr)?),
                ("fortran_order", Literal::Bool(order)) => is_by_columns = Some(*order),
                ("shape", Literal::List(lens)) => {
                    let len = |len: &Literal| match len {
                        Literal::Int(len) => Some(*len),
                        Literal::Text(_)
                        | Literal::Bool(_)
                        | Literal::List(_)
                        | Literal::Dict(_) => None,
                    };
                    shape = lens.iter().map(len).collect::<Option<Vec<u64>>>();
                }
                _ => return Err(broken()),
            }
        }
        match (item, is_by_columns, shape) {
            (Some(item), Some(is_by_columns), Some(shape)) => {
                Ok(Header { item, is_by_columns, shape })
            }
            _ => Err(broken()),
        }
    }

    /// Writes the header, padded so that the numbers begin at a multiple of 64 bytes.
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let Header { item, is_by_columns, shape } = self;
        let descr = match &item.columns[..] {
            [Column { name: None, .. }] => format!("'{}'", item.columns[0].descr()),
            columns => {
                let columns = columns.iter().map(|column| {
                    let name = column.name.as_deref().unwrap_or_default();
                    let name = name.replace(char::is_control, "_");
                    let name = name.replace('\\', "\\\\").replace('\'', "\\'");
                    format!("('{name}', '{}'), ", column.descr())
                });
                format!("[{}]", columns.collect::<String>())
            }
        };
        let lens: String = shape.iter().map(|len| format!("{len}, ")).collect();
        let order = if *is_by_columns { "True" } else { "False" };
        let text = format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': ({lens}), }}");
        // Version 1 has a two-byte length and only ASCII characters.
        let is_first = text.len() < 60_000 && text.is_ascii();
        let n_before = MAGIC.len() + 2 + if is_first { 2 } else { 4 };
        let n_padded = (n_before + text.len() + 1).next_multiple_of(64) - n_before;
        out.write_all(&MAGIC)?;
        if is_first {
            out.write_all(&[1, 0])?;
            out.write_all(&(n_padded as u16).to_le_bytes())?;
        } else {
            let n_padded = u32::try_from(n_padded).map_err(io::Error::other)?;
            out.write_all(&[3, 0])?;
            out.write_all(&n_padded.to_le_bytes())?;
        }
        let spaces = " ".repeat(n_padded - text.len() - 1);
        writeln!(out, "{text}{spaces}")
    }
}

impl Item {
    /// Creates an item of consecutive numbers.
    pub(crate) fn of(mut columns: Vec<Column>) -> Self {
        let mut n_bytes = 0;
        for column in &mut columns {
            column.at = n_bytes;
            n_bytes += column.n_bytes;
        }
        Item { columns, n_bytes }
    }

    fn parse(descr: &Literal) -> Result<Self, String> {
        let parts = match descr {
            Literal::Text(descr) => return Column::parse(None, descr).map(|c| Item::of(vec![c])),
            Literal::List(parts) if !parts.is_empty() => parts,
            Literal::List(_) | Literal::Bool(_) | Literal::Int(_) | Literal::Dict(_) => {
                return Err("items of unknown type".to_owned());
            }
        };
        let (mut columns, mut n_bytes) = (Vec::new(), 0usize);
        for part in parts {
            let Literal::List(part) = part else {
                return Err("a field of unknown type".to_owned());
            };
            let nested = || "a field that is an array or a record".to_owned();
            let [name, Literal::Text(descr)] = &part[..] else { return Err(nested()) };
            let name = match name {
                Literal::Text(name) => name,
                // A title and a name.
                Literal::List(names) => match &names[..] {
                    [_, Literal::Text(name)] => name,
                    _ => return Err("a field of unknown type".to_owned()),
                },
                Literal::Bool(_) | Literal::Int(_) | Literal::Dict(_) => return Err(nested()),
            };
            let n_part_bytes = match descr.strip_prefix("|V") {
                // Padding between fields, which has no name.
                Some(n_bytes) if name.is_empty() => {
                    n_bytes.parse().map_err(|_| "a field of unknown type".to_owned())?
                }
                _ => {
                    let mut column = Column::parse(Some(name.clone()), descr)?;
                    column.at = n_bytes;
                    let n_bytes = column.n_bytes;
                    columns.push(column);
                    n_bytes
                }
            };
            n_bytes = n_bytes.saturating_add(n_part_bytes);
        }
        match (columns.is_empty(), n_bytes) {
            (false, ..=MAX_HEADER_BYTES) => Ok(Item { columns, n_bytes }),
            (true, _) => Err("items without numbers".to_owned()),
            (false, _) => Err(format!("items of {}", text::size(n_bytes as u128))),
        }
    }
}

impl Column {
    /// The smallest type that holds all values, with at least `bits` bits.
    pub(crate) fn least(
        name: Option<String>,
        bits: Option<usize>,
        values: impl Iterator<Item = i128>,
    ) -> Self {
        let (least, greatest) =
            values.fold((0, 0), |(least, greatest), v| (v.min(least), v.max(greatest)));
        // A sign, and the bits of the magnitude; negative numbers are counted from -1.
        let sign = usize::from(least < 0);
        let n_value_bits = sign + bit_length(greatest.max(!least).unsigned_abs());
        let kind = match (least < 0, bits) {
            (true, _) => ElementKind::Signed,
            (false, Some(1)) if n_value_bits <= 1 => ElementKind::Bool,
            (false, _) => ElementKind::Unsigned,
        };
        let n_bits = n_value_bits.max(bits.filter(|&bits| bits <= 64).unwrap_or(1));
        let n_bytes = n_bits.div_ceil(8).next_power_of_two();
        Column { name, kind, n_bytes, is_big: false, at: 0 }
    }

    fn parse(name: Option<String>, descr: &str) -> Result<Self, String> {
        let unknown = || {
            let quoted = text::quote(descr.as_bytes());
            let is_float = descr.trim_start_matches(['<', '>', '|', '=']).starts_with('f');
            match is_float {
                true => format!(
                    "items of the type {quoted}, an unsupported floating-point type: 16, 32 and 64 \
                        bits are supported"
                ),
                false => format!(
                    "items of the type {quoted}, which is neither an integer nor a floating-point \
                        type"
                ),
            }
        };
        let mut characters = descr.chars();
        let is_big = match characters.next() {
            Some('<' | '|' | '=') => false,
            Some('>') => true,
            Some(_) | None => return Err(unknown()),
        };
        let (kind, n_bytes) = match characters.as_str() {
            "b1" => (ElementKind::Bool, 1),
            "u1" => (ElementKind::Unsigned, 1),
            "u2" => (ElementKind::Unsigned, 2),
            "u4" => (ElementKind::Unsigned, 4),
            "u8" => (ElementKind::Unsigned, 8),
            "i1" => (ElementKind::Signed, 1),
            "i2" => (ElementKind::Signed, 2),
            "i4" => (ElementKind::Signed, 4),
            "i8" => (ElementKind::Signed, 8),
            "f2" => (ElementKind::Float, 2),
            "f4" => (ElementKind::Float, 4),
            "f8" => (ElementKind::Float, 8),
            _ => return Err(unknown()),
        };
        Ok(Column { name, kind, n_bytes, is_big, at: 0 })
    }

    fn descr(&self) -> String {
        let Column { name: _, kind, n_bytes, is_big, at: _ } = self;
        let order = match (n_bytes, is_big) {
            (1, _) => '|',
            (_, false) => '<',
            (_, true) => '>',
        };
        let letter = match kind {
            ElementKind::Bool => 'b',
            ElementKind::Unsigned => 'u',
            ElementKind::Signed => 'i',
            ElementKind::Float => 'f',
        };
        format!("{order}{letter}{n_bytes}")
    }
}
