//! Types without sizes: the kinds of parameters, results and values.

/// A type without sizes: the kind of a parameter, a result or a value.
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

impl Kind {
    /// Returns the keyword.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Int => "integer",
            Kind::Bool => "boolean",
            Kind::Str => "string",
            Kind::Slice => "slice",
            Kind::Word => "word",
            Kind::Table => "table",
            Kind::Handle => "handle",
        }
    }

    /// Returns the name with an article: `an integer`.
    pub fn with_article(self) -> String {
        let article = if self == Kind::Int { "an" } else { "a" };
        format!("{article} {}", self.name())
    }

    /// Returns whether it is a slice or a word.
    pub fn is_bits(self) -> bool {
        match self {
            Kind::Slice | Kind::Word => true,
            Kind::Int | Kind::Bool | Kind::Str | Kind::Table | Kind::Handle => false,
        }
    }

    /// Returns whether files can contain it.
    pub fn is_data(self) -> bool {
        self.is_bits() || self == Kind::Table
    }
}
