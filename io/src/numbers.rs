//! Whole numbers as files hold them: records of a list, cells of a grid, pixels of an image.

/// Records, each with one number per field. Row `i` (from 0) of every field is one record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// How the records lie.
    pub shape: Shape,
    /// The numbers, field by field; each has [`Shape::n_records`] of them.
    pub fields: Vec<Field>,
}

/// How records lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One after another.
    List(usize),
    /// In rows and columns; record `row * width + column`, all from 0, the first row on top.
    Grid {
        /// Rows.
        height: usize,
        /// Columns.
        width: usize,
    },
}

impl Shape {
    /// How many records there are.
    pub fn n_records(self) -> usize {
        match self {
            Shape::List(len) => len,
            Shape::Grid { height, width } => height * width,
        }
    }
}

/// The numbers of one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name in the file, or what it stands for (`red`, `passable`).
    pub name: String,
    /// The bits that the file or the user gives every number; `None` for the least that is enough.
    pub bits: Option<usize>,
    /// The numbers.
    pub values: Vec<i64>,
}
