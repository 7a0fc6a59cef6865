//! The layout of a table: the one that a program prefers, and the one that it has on a backend.

use std::fmt;

use star_base::text;

/// When a table is laid out sparse, if its layout permits that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SparseWish {
    /// Never: the backend does not support sparse tables, or the user disabled them.
    #[default]
    Never,
    /// Only if explicitly requested: the program works on the whole table, dense. If only the
    /// sparse table fits, it is refused.
    WhereAsked,
    /// If it does not fit otherwise: the program changes its lines and bits.
    WhereNeeded,
    /// If it is much smaller.
    WhereSmaller,
    /// Always if possible.
    Always,
}

/// The preferred form of a table; by columns and never sparse by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableWish {
    /// The order of its lines.
    pub form: TableForm,
    /// When it is sparse.
    pub sparse: SparseWish,
}

impl TableWish {
    /// Tests whether the table should be by rows.
    pub fn by_rows(self) -> bool {
        self.form == TableForm::Rows
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
