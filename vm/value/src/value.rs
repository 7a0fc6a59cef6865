//! Inputs and results of programs.

use std::fmt;

use star_base::Kind;

use crate::bits::{BitTable, BitVector};
use crate::bits_ref::BitsRef;
use crate::display::{self, Shown};
use crate::sparse::SparseTable;
use crate::table::Table;

/// A value outside any backend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
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
impl From<BitsRef<'_>> for Value {
    fn from(bits: BitsRef<'_>) -> Self {
        match bits {
            BitsRef::Slice(bits) => Value::Slice(bits.clone()),
            BitsRef::Word(bits) => Value::Word(bits.clone()),
            BitsRef::Table(table) => Value::Table(table.to_owned()),
        }
    }
}

macro_rules! from {
    ($($ty:ty => $value:ident)*) => {
        $(impl From<$ty> for Value {
            fn from(value: $ty) -> Self {
                Value::$value(value.into())
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
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&display::long(Shown::from(self)))
    }
}

impl Value {
    /// Returns the bits of a slice, word or table; `None` if it is something else.
    pub fn bits(&self) -> Option<BitsRef<'_>> {
        match self {
            Value::Slice(bits) => Some(BitsRef::Slice(bits)),
            Value::Word(bits) => Some(BitsRef::Word(bits)),
            Value::Table(table) => Some(BitsRef::Table(table.view())),
            Value::Unset | Value::Int(_) | Value::Bool(_) | Value::Str(_) => None,
        }
    }

    /// Returns the table packed by columns; `None` if it is something else, or has another form.
    pub fn columns(&self) -> Option<&BitTable> {
        if let Value::Table(table) = self { table.columns() } else { None }
    }

    /// Returns the table packed by columns; `None` if it is something else, or has another form.
    pub fn into_columns(self) -> Option<BitTable> {
        match self {
            Value::Table(Table::Columns(columns)) => Some(columns),
            _ => None,
        }
    }

    /// Returns the kind of the value; `None` if it is unset.
    pub fn kind(&self) -> Option<Kind> {
        Some(match self {
            Value::Unset => return None,
            Value::Int(_) => Kind::Int,
            Value::Bool(_) => Kind::Bool,
            Value::Str(_) => Kind::Str,
            Value::Slice(_) => Kind::Slice,
            Value::Word(_) => Kind::Word,
            Value::Table(_) => Kind::Table,
        })
    }
}

/// An argument of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// The value.
    pub value: Value,
    /// Whether it was given from outside: it keeps its size and does not grow.
    pub fixed: bool,
}

impl Argument {
    /// Creates an argument from a value; a set one is given from outside.
    pub fn of(value: &Value) -> Self {
        Argument::new(value.clone(), *value != Value::Unset)
    }

    /// Creates an argument from a value, and whether it is given from outside.
    pub fn new(value: Value, fixed: bool) -> Self {
        Argument { value, fixed }
    }
}
