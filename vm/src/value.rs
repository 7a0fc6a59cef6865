//! Host values: what a program is given and what it gives back.

use star_base::{BitTable, BitVector, BitsRef, SparseLines};
use star_ir::{Extent, Ty};

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
    /// A table.
    Table(BitTable),
}

/// A copy of the value.
impl From<BitsRef<'_>> for HostValue {
    fn from(bits: BitsRef<'_>) -> Self {
        match bits {
            BitsRef::Sparse(table) => table.to_dense().map_or(HostValue::Unset, HostValue::Table),
            BitsRef::Slice(bits) => HostValue::Slice(bits.clone()),
            BitsRef::Word(bits) => HostValue::Word(bits.clone()),
            BitsRef::Table(table) => HostValue::Table(table.clone()),
        }
    }
}

impl HostValue {
    /// The bits of a slice, word or table; `None` if it is something else.
    pub fn bits(&self) -> Option<BitsRef<'_>> {
        match self {
            HostValue::Slice(bits) => Some(BitsRef::Slice(bits)),
            HostValue::Word(bits) => Some(BitsRef::Word(bits)),
            HostValue::Table(table) => Some(BitsRef::Table(table)),
            HostValue::Unset | HostValue::Int(_) | HostValue::Bool(_) | HostValue::Str(_) => None,
        }
    }

    /// The type of the value, sizes included; `None` if it is unset.
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

/// How the bits of a table lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TableForm {
    /// Each column together, as everywhere outside a backend.
    #[default]
    Columns,
    /// Each row together.
    Rows,
}

/// An argument of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Its value. The rows of a table by rows are the columns of this one.
    pub value: HostValue,
    /// Given from outside: it keeps its size and does not grow.
    pub fixed: bool,
    /// How it lies if it is a table.
    pub form: TableForm,
    /// The table, if it is sparse: its columns or rows, as `form` says. `value` is unset then.
    pub sparse: Option<SparseLines>,
}

impl Argument {
    /// A value; one that is set is given from outside.
    pub fn of(value: &HostValue) -> Self {
        Argument::new(value.clone(), *value != HostValue::Unset)
    }

    /// A value, and whether it is given from outside.
    pub fn new(value: HostValue, fixed: bool) -> Self {
        Argument { value, fixed, form: TableForm::Columns, sparse: None }
    }
}
