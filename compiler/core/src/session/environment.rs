//! The variables of a session: names with types and sizes. Their values are elsewhere.

use std::collections::BTreeMap;

use star_base::Span;

use crate::hir::TyKind;

/// A variable of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its type.
    pub kind: TyKind,
    /// What its declaration says: components of a slice or word, rows and columns of a table. A size that
    /// is not declared may change.
    pub sizes: [Option<u64>; 2],
    /// Where it was declared, or first assigned.
    pub span: Span,
    /// The table that its declaration or first assignment mentions, whose rows or columns it
    /// probably has.
    pub beside: Option<String>,
}

/// All variables of a session.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    variables: BTreeMap<String, Variable>,
}

impl Environment {
    /// The variable of this name.
    pub fn get(&self, name: &str) -> Option<&Variable> {
        self.variables.get(name)
    }

    /// The variables in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Variable)> {
        self.variables.iter().map(|(name, variable)| (name.as_str(), variable))
    }

    /// Declares a variable, or declares it anew.
    pub fn declare(&mut self, name: &str, variable: Variable) {
        self.variables.insert(name.to_owned(), variable);
    }

    /// Removes a variable.
    pub fn forget(&mut self, name: &str) {
        self.variables.remove(name);
    }
}
