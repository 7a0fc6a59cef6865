//! The variables of a session: names with types and sizes. Their values are stored elsewhere.

use std::collections::BTreeMap;

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
    pub beside: Option<String>,
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
