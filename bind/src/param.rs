//! A routine as values are bound to it: its name, and the names and kinds of its parameters.

pub use star_base::Kind;

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
