//! Signatures for binding: the name of a routine, and the names and kinds of its parameters.

pub use star_base::Kind;
pub use star_base::record::{FieldText, RecordField};

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// Its name.
    pub name: String,
    /// Whether it is a `var` parameter.
    pub by_ref: bool,
    /// Whether the routine may read its initial value. If not, it is only a result.
    pub takes_value: bool,
    /// Its type.
    pub kind: Kind,
    /// The fields of its rows, if it is a table of records.
    pub fields: Vec<RecordField>,
    /// If it is not given but determined by a file: the text whose code it is.
    pub text: Option<FieldText>,
}

impl Param {
    /// Creates a value parameter that is no table of records.
    pub fn value(name: &str, kind: Kind) -> Param {
        let (name, fields, text) = (name.to_owned(), Vec::new(), None);
        Param { name, by_ref: false, takes_value: true, kind, fields, text }
    }

    /// Returns whether its fields are columns of files. Elements of arrays have no names there.
    pub fn has_columns(&self) -> bool {
        !self.fields.is_empty() && !self.fields.iter().any(|field| field.is_array)
    }
}

/// The signature of a routine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Its name.
    pub name: String,
    /// Its parameters, in order.
    pub params: Vec<Param>,
}

impl Signature {
    /// Returns the parameters that return a value, in order.
    pub fn results(&self) -> impl Iterator<Item = &Param> {
        self.params.iter().filter(|param| param.by_ref)
    }

    /// Returns the parameters to which a user gives values.
    pub fn given(&self) -> impl Iterator<Item = &Param> {
        self.params.iter().filter(|param| param.text.is_none())
    }

    /// Returns whether the widths of fields depend on this parameter.
    pub(crate) fn is_width(&self, name: &str) -> bool {
        let fields = self.params.iter().flat_map(|param| &param.fields);
        let mut names = fields.flat_map(|field| field.width.0.iter().flat_map(|(_, names)| names));
        names.any(|used| used == name)
    }
}

#[cfg(test)]
pub(crate) mod examples {
    use super::*;

    /// Creates a signature.
    pub(crate) fn signature(name: &str, params: Vec<Param>) -> Signature {
        Signature { name: name.to_owned(), params }
    }

    /// Creates a value parameter.
    pub(crate) fn value(name: &str, kind: Kind) -> Param {
        Param::value(name, kind)
    }

    /// Creates a `var` parameter.
    pub(crate) fn var(name: &str, kind: Kind) -> Param {
        Param { by_ref: true, ..value(name, kind) }
    }
}
