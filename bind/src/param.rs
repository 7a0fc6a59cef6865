//! A routine as values are bound to it: its name, and the names and kinds of its parameters.

/// A type without sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `integer`
    Int,
    /// `boolean`
    Bool,
    /// `string`
    Str,
    /// `slice`
    Slice,
    /// `word`
    Word,
    /// `table`
    Table,
    /// `handle`
    Handle,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// Its name.
    pub name: String,
    /// Is it a `var` parameter?
    pub by_ref: bool,
    /// May the routine look at what it is given? If not, it is a result only.
    pub takes_value: bool,
    /// Its type.
    pub kind: Kind,
}

/// A routine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Its name.
    pub name: String,
    /// Its parameters, in order.
    pub params: Vec<Param>,
}

impl Signature {
    /// The parameters that give something back, in order.
    pub fn results(&self) -> impl Iterator<Item = &Param> {
        self.params.iter().filter(|param| param.by_ref)
    }
}

impl Kind {
    /// With an article: `an integer`.
    pub fn with_article(self) -> &'static str {
        match self {
            Kind::Int => "an integer",
            Kind::Bool => "a boolean",
            Kind::Str => "a string",
            Kind::Slice => "a slice",
            Kind::Word => "a word",
            Kind::Table => "a table",
            Kind::Handle => "a handle",
        }
    }

    /// Can a file give it, or hold it?
    pub fn is_data(self) -> bool {
        match self {
            Kind::Slice | Kind::Word | Kind::Table => true,
            Kind::Int | Kind::Bool | Kind::Str | Kind::Handle => false,
        }
    }
}

#[cfg(test)]
pub(crate) mod examples {
    use super::*;

    /// A routine.
    pub(crate) fn signature(name: &str, params: Vec<Param>) -> Signature {
        Signature { name: name.to_owned(), params }
    }

    /// A value parameter.
    pub(crate) fn value(name: &str, kind: Kind) -> Param {
        Param { name: name.to_owned(), by_ref: false, takes_value: true, kind }
    }

    /// A `var` parameter.
    pub(crate) fn var(name: &str, kind: Kind) -> Param {
        Param { by_ref: true, ..value(name, kind) }
    }
}
