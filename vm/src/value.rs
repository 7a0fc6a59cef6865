//! Host values: inputs and results of programs.

use std::fmt;

use star_base::{BitTable, BitVector, BitsRef, SparseTable, Table, text};
use star_ir::{Extent, Ty};

use crate::display::{self, Shown};

/// A value outside any backend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostValue {
    /// A variable that was never set (only for `var` parameters).
    Unset,
    /// An integer.
    Int(i64),
    /// A truth value.
    Bool(bool),
    /// A text.
    Str(String),
    /// A slice.
    Slice(BitVector),
    /// A word.
    Word(BitVector),
    /// A table in one of its forms.
    Table(Table),
}

/// Copies the value.
impl From<BitsRef<'_>> for HostValue {
    fn from(bits: BitsRef<'_>) -> Self {
        match bits {
            BitsRef::Slice(bits) => HostValue::Slice(bits.clone()),
            BitsRef::Word(bits) => HostValue::Word(bits.clone()),
            BitsRef::Table(table) => HostValue::Table(table.to_owned()),
        }
    }
}

macro_rules! from {
    ($($ty:ty => $value:ident)*) => {
        $(impl From<$ty> for HostValue {
            fn from(value: $ty) -> Self {
                HostValue::$value(value.into())
            }
        })*
    };
}

from! {
    i32 => Int
    i64 => Int
    u32 => Int
    bool => Bool
    &str => Str
    String => Str
    BitVector => Slice
    BitTable => Table
    SparseTable => Table
    Table => Table
}

/// The text that `print` shows: large tables and long slices are elided.
impl fmt::Display for HostValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&display::long(Shown::from(self)))
    }
}

impl HostValue {
    /// Returns the bits of a slice, word or table; `None` if it is something else.
    pub fn bits(&self) -> Option<BitsRef<'_>> {
        match self {
            HostValue::Slice(bits) => Some(BitsRef::Slice(bits)),
            HostValue::Word(bits) => Some(BitsRef::Word(bits)),
            HostValue::Table(table) => Some(BitsRef::Table(table.view())),
            HostValue::Unset | HostValue::Int(_) | HostValue::Bool(_) | HostValue::Str(_) => None,
        }
    }

    /// Returns the table packed by columns; `None` if it is something else, or has another form.
    pub fn columns(&self) -> Option<&BitTable> {
        if let HostValue::Table(table) = self { table.columns() } else { None }
    }

    /// Returns the table packed by columns; `None` if it is something else, or has another form.
    pub fn into_columns(self) -> Option<BitTable> {
        match self {
            HostValue::Table(Table::Columns(columns)) => Some(columns),
            _ => None,
        }
    }

    /// Returns the type of the value, sizes included; `None` if it is unset.
    pub fn ty(&self) -> Option<Ty> {
        let extent = |n: usize| Extent::Const(n as u64);
        match self {
            HostValue::Unset => None,
            HostValue::Int(_) => Some(Ty::Int),
            HostValue::Bool(_) => Some(Ty::Bool),
            HostValue::Str(_) => Some(Ty::Str),
            HostValue::Slice(bits) => Some(Ty::Slice(extent(bits.len()))),
            HostValue::Word(bits) => Some(Ty::Word(extent(bits.len()))),
            HostValue::Table(table) => {
                Some(Ty::Table(extent(table.n_rows()), extent(table.n_cols())))
            }
        }
    }
}

/// The order of the lines in which a backend stores a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TableForm {
    /// Column by column.
    #[default]
    Columns,
    /// Row by row.
    Rows,
}

/// The layout of a table on a backend; displayed as `sparse by rows, 72.5 MiB instead of 116.4
/// GiB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableLayout {
    /// The storage order.
    pub form: TableForm,
    /// Its size in bytes, without a copy in the other form.
    pub n_bytes: u64,
    /// The size in bytes of the dense form, if it is sparse.
    pub dense_bytes: Option<u64>,
}

/// Byte counts below this are shown exactly.
const SHOWN_AS_THEY_ARE: u64 = 1 << 20;

impl fmt::Display for TableLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = match self.form {
            TableForm::Columns => "columns",
            TableForm::Rows => "rows",
        };
        let shown = |n_bytes: u64| match n_bytes {
            0..SHOWN_AS_THEY_ARE => format!("{n_bytes} bytes"),
            SHOWN_AS_THEY_ARE.. => text::bytes(n_bytes),
        };
        let n_bytes = shown(self.n_bytes);
        match self.dense_bytes {
            Some(dense) => write!(f, "sparse by {lines}, {n_bytes} instead of {}", shown(dense)),
            None => write!(f, "dense by {lines}, {n_bytes}"),
        }
    }
}

/// An argument of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// The value.
    pub value: HostValue,
    /// Whether it was given from outside: it keeps its size and does not grow.
    pub fixed: bool,
}

impl Argument {
    /// Creates an argument from a value; a set one is given from outside.
    pub fn of(value: &HostValue) -> Self {
        Argument::new(value.clone(), *value != HostValue::Unset)
    }

    /// Creates an argument from a value, and whether it is given from outside.
    pub fn new(value: HostValue, fixed: bool) -> Self {
        Argument { value, fixed }
    }
}
