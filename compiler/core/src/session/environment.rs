//! The variables of a session: names with types and sizes. Their values are stored elsewhere.

use std::collections::BTreeMap;
use std::ops::Range;

use star_base::Span;

use crate::hir::TyKind;

/// A variable of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The type.
    pub kind: TyKind,
    /// The declared sizes: components of a slice or word, rows and columns of a table. A size that
    /// is not declared may change.
    pub sizes: [Option<u64>; 2],
    /// The position of its declaration or first assignment.
    pub span: Span,
    /// The table mentioned in its declaration or first assignment, whose rows or columns it
    /// probably has.
    pub related: Option<String>,
    /// The record type of its rows. A variable keeps the type with which it was declared.
    pub record: Option<Box<RecordType>>,
}

impl Variable {
    /// Tests whether its size never changes: the components of a slice or word, the columns of a
    /// table.
    pub fn is_fixed(&self) -> bool {
        match self.kind {
            TyKind::Table => self.sizes[1].is_some(),
            TyKind::Slice | TyKind::Word => self.sizes[0].is_some(),
            TyKind::Int | TyKind::Bool | TyKind::Str | TyKind::Handle | TyKind::Error => false,
        }
    }
}

/// A record type with arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordType {
    /// The name.
    pub name: String,
    /// The arguments.
    pub args: Vec<i64>,
    /// The fields, in order; each element of an array separately.
    pub fields: Vec<RecordField>,
}

/// A field of a record type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordField {
    /// The name, with the index of an element.
    pub name: String,
    /// Its columns, from 0.
    pub columns: Range<usize>,
    /// What the columns are.
    pub kind: FieldKind,
}

/// The kind of a field of a record type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// `uint(k)` or `bit`: a number that is not negative.
    Unsigned,
    /// `int(k)`: a number in two's complement.
    Signed,
    /// `bits(k)`: not a number.
    Bits,
}

impl std::fmt::Display for RecordType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)?;
        let args: Vec<String> = self.args.iter().map(i64::to_string).collect();
        if args.is_empty() { Ok(()) } else { write!(f, "({})", args.join(",")) }
    }
}

/// All variables of a session.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    variables: BTreeMap<String, Variable>,
}

impl Environment {
    /// Returns the variable with this name.
    pub fn get(&self, name: &str) -> Option<&Variable> {
        self.variables.get(name)
    }

    /// Returns the variables in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Variable)> {
        self.variables.iter().map(|(name, variable)| (name.as_str(), variable))
    }

    /// Declares or redeclares a variable.
    pub fn declare(&mut self, name: &str, variable: Variable) {
        self.variables.insert(name.to_owned(), variable);
    }

    /// Removes a variable.
    pub fn forget(&mut self, name: &str) {
        self.variables.remove(name);
    }
}
