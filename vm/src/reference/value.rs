//! Values of the reference backend: plain vectors of truth values.

use std::collections::BTreeMap;
use std::sync::Arc;

use star_ir::{Extent, HandlePart, Ty};
use star_value::display::{Shown, ShownTable};
use star_value::{BitTable, BitVector, Value as HostValue};

/// The slot of a variable: its value, if any, and whether its size is fixed.
#[derive(Clone, Debug, Default)]
pub struct Value {
    /// The value; `None` if it was never set (for a table: if it has no rows yet).
    pub(super) data: Option<Data>,
    /// The number of components of a slice or word that was never set, if it is known; see
    /// `SizeOp::Fix`. Meaningless while there is data.
    pub(super) size: Option<usize>,
    /// Whether a slice or word keeps its size, or a table cannot grow.
    pub(super) fixed: bool,
    /// Identifies variables of one run, whichever routine holds them; see `races`.
    pub(super) tag: u64,
}

/// The value of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Data {
    Int(i64),
    Bool(bool),
    Str(Arc<str>),
    Slice(Vec<bool>),
    Word(Vec<bool>),
    Table(Table),
    /// The library's data in a handle.
    Handle(Handle),
}

/// The content of a handle: tables of one library module, in the order of their names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Handle {
    pub(super) module: Arc<str>,
    pub(super) parts: BTreeMap<Arc<str>, Table>,
}

/// A table: bit j of row i is `columns[j - 1][i - 1]`. Every column has `rows` components.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) struct Table {
    pub(super) rows: usize,
    pub(super) columns: Vec<Vec<bool>>,
}

impl Value {
    pub(super) fn new(data: Option<Data>, fixed: bool) -> Self {
        Value { data, size: None, fixed, tag: 0 }
    }

    /// Returns the bytes of its data; see [`Data::bytes`].
    pub(super) fn bytes(&self) -> u64 {
        self.data.as_ref().map_or(0, Data::bytes)
    }
}

/// Returns the bytes of `len` bits as every backend counts them: whole limbs of 64.
pub(super) fn bytes_of_bits(len: usize) -> u64 {
    (len as u64).div_ceil(64) * 8
}

impl Data {
    /// Returns the bytes as every backend counts them: columns, slices and words in whole limbs,
    /// scalars as zero.
    pub(super) fn bytes(&self) -> u64 {
        match self {
            Data::Int(_) | Data::Bool(_) | Data::Str(_) => 0,
            Data::Slice(bits) | Data::Word(bits) => bytes_of_bits(bits.len()),
            Data::Table(table) => table.bytes(),
            Data::Handle(Handle { module: _, parts }) => {
                parts.values().fold(0, |bytes, table| table.bytes().saturating_add(bytes))
            }
        }
    }

    pub(super) fn as_int(&self) -> Option<i64> {
        if let Data::Int(number) = self { Some(*number) } else { None }
    }

    pub(super) fn as_bool(&self) -> Option<bool> {
        if let Data::Bool(truth) = self { Some(*truth) } else { None }
    }

    pub(super) fn as_text(&self) -> Option<&Arc<str>> {
        if let Data::Str(text) = self { Some(text) } else { None }
    }

    /// Returns the components of a slice or word.
    pub(super) fn as_bits(&self) -> Option<&[bool]> {
        if let Data::Slice(bits) | Data::Word(bits) = self { Some(bits) } else { None }
    }

    pub(super) fn as_bits_mut(&mut self) -> Option<&mut [bool]> {
        if let Data::Slice(bits) | Data::Word(bits) = self { Some(bits) } else { None }
    }

    pub(super) fn as_table(&self) -> Option<&Table> {
        if let Data::Table(table) = self { Some(table) } else { None }
    }

    pub(super) fn as_table_mut(&mut self) -> Option<&mut Table> {
        if let Data::Table(table) = self { Some(table) } else { None }
    }

    pub(super) fn as_handle(&self) -> Option<&Handle> {
        if let Data::Handle(handle) = self { Some(handle) } else { None }
    }

    /// Returns the type with its sizes.
    pub(super) fn ty(&self) -> Ty {
        let extent = |n: usize| Extent::Const(n as u64);
        match self {
            Data::Int(_) => Ty::Int,
            Data::Bool(_) => Ty::Bool,
            Data::Str(_) => Ty::Str,
            Data::Slice(bits) => Ty::Slice(extent(bits.len())),
            Data::Word(bits) => Ty::Word(extent(bits.len())),
            Data::Table(table) => Ty::Table(extent(table.rows), extent(table.columns.len())),
            Data::Handle(_) => Ty::Handle,
        }
    }

    /// Converts bits to a slice or word, according to `ty`.
    pub(super) fn from_bits(ty: Ty, bits: Vec<bool>) -> Data {
        if matches!(ty, Ty::Word(_)) { Data::Word(bits) } else { Data::Slice(bits) }
    }

    /// Converts a host value.
    pub(super) fn from_host(value: HostValue) -> Option<Data> {
        let bools = |bits: BitVector| bits.iter().collect();
        match value {
            HostValue::Unset => None,
            HostValue::Int(number) => Some(Data::Int(number)),
            HostValue::Bool(truth) => Some(Data::Bool(truth)),
            HostValue::Str(text) => Some(Data::Str(text.into())),
            HostValue::Slice(bits) => Some(Data::Slice(bools(bits))),
            HostValue::Word(bits) => Some(Data::Word(bools(bits))),
            HostValue::Table(table) => {
                let (rows, n_cols) = (table.n_rows(), table.n_cols());
                let column =
                    |col_idx| (0..rows).map(|row_idx| table.get(row_idx, col_idx)).collect();
                Some(Data::Table(Table { rows, columns: (0..n_cols).map(column).collect() }))
            }
        }
    }

    /// Converts to a host value; a handle has none.
    pub(super) fn to_host(&self) -> HostValue {
        match self {
            Data::Int(number) => HostValue::Int(*number),
            Data::Bool(truth) => HostValue::Bool(*truth),
            Data::Str(text) => HostValue::Str(text.to_string()),
            Data::Slice(bits) => HostValue::Slice(BitVector::from_bools(bits)),
            Data::Word(bits) => HostValue::Word(BitVector::from_bools(bits)),
            Data::Table(table) => table.to_host(&table.columns).into(),
            Data::Handle(_) => HostValue::Unset,
        }
    }

    /// Returns the view for `print` and traps.
    pub(super) fn shown(&self) -> Shown<'_> {
        match self {
            Data::Int(number) => Shown::Int(*number),
            Data::Bool(truth) => Shown::Bool(*truth),
            Data::Str(text) => Shown::Str(text),
            Data::Slice(bits) | Data::Word(bits) => Shown::Bits(bits),
            Data::Table(table) => Shown::Table(table),
            Data::Handle(_) => Shown::Unset,
        }
    }
}

impl Handle {
    /// Returns the table with this name.
    pub(super) fn part(&self, part: &HandlePart) -> Option<&Table> {
        let HandlePart { module, name } = part;
        if self.module == *module { self.parts.get(name) } else { None }
    }
}

impl Table {
    /// Returns the bytes; see [`Data::bytes`].
    fn bytes(&self) -> u64 {
        bytes_of_bits(self.rows).saturating_mul(self.columns.len() as u64)
    }

    /// Converts some of its columns to a host table.
    pub(super) fn to_host(&self, columns: &[Vec<bool>]) -> BitTable {
        let columns: Vec<BitVector> =
            columns.iter().map(|column| BitVector::from_bools(column)).collect();
        BitTable::from_columns(self.rows, &columns)
    }
}

impl ShownTable for Table {
    fn n_rows(&self) -> usize {
        self.rows
    }
    fn n_cols(&self) -> usize {
        self.columns.len()
    }
    fn bit(&self, row_idx: usize, col_idx: usize) -> bool {
        self.columns[col_idx][row_idx]
    }
    fn n_ones(&self) -> u64 {
        let count = |column: &Vec<bool>| column.iter().filter(|&&bit| bit).count() as u64;
        self.columns.iter().map(count).sum()
    }
}
