//! Results of a run, by name.

use std::ops::Index;
use std::sync::Arc;

use star_base::Kind;
use star_value::{BitVector, Table, Value};
use star_vm::Stats;

use crate::error::Error;

/// Results of a run, by name: the `var` parameters, and the value of a function under its name.
#[derive(Clone, Debug, Default)]
pub struct Outputs {
    pub(crate) names: Arc<[String]>,
    pub(crate) values: Vec<Value>,
    pub(crate) printed: String,
    pub(crate) stats: Stats,
}

impl Outputs {
    /// Returns the result of this name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(self.names.iter().position(|known| known == name)?)
    }

    /// Returns the results with their names, in the order of the parameters.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.names.iter().map(String::as_str).zip(&self.values)
    }

    /// Removes the result of this name and returns it; later the result is unset.
    pub fn take(&mut self, name: &str) -> Option<Value> {
        let idx = self.names.iter().position(|known| known == name)?;
        self.values.get_mut(idx).map(|value| std::mem::replace(value, Value::Unset))
    }

    /// Returns a result that is a table.
    ///
    /// # Errors
    /// [`Error::UnknownResult`], [`Error::WrongKind`].
    pub fn table(&self, name: &str) -> Result<&Table, Error> {
        self.of_kind(name, Kind::Table, |value| {
            let Value::Table(table) = value else { return None };
            Some(table)
        })
    }

    /// Returns the bits of a result that is a slice or a word.
    ///
    /// # Errors
    /// [`Error::UnknownResult`], [`Error::WrongKind`].
    pub fn bits(&self, name: &str) -> Result<&BitVector, Error> {
        self.of_kind(name, Kind::Slice, |value| {
            let (Value::Slice(bits) | Value::Word(bits)) = value else { return None };
            Some(bits)
        })
    }

    /// Returns a result that is an integer.
    ///
    /// # Errors
    /// [`Error::UnknownResult`], [`Error::WrongKind`].
    pub fn int(&self, name: &str) -> Result<i64, Error> {
        self.of_kind(name, Kind::Int, |value| {
            let Value::Int(int) = value else { return None };
            Some(*int)
        })
    }

    /// Returns the text that the run printed, unless [`crate::Run::print`] received it.
    pub fn printed(&self) -> &str {
        &self.printed
    }

    /// Returns the resources that the run used.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    fn of_kind<'a, T>(
        &'a self,
        name: &str,
        expected: Kind,
        pick: impl Fn(&'a Value) -> Option<T>,
    ) -> Result<T, Error> {
        let name = name.to_owned();
        let Some(value) = self.get(&name) else { return Err(Error::UnknownResult { name }) };
        let found = value.kind();
        pick(value).ok_or(Error::WrongKind { name, expected, found })
    }
}

/// Panics if there is no result of this name, as indexing does.
impl Index<&str> for Outputs {
    type Output = Value;

    fn index(&self, name: &str) -> &Value {
        self.get(name).unwrap_or_else(|| panic!("there is no result `{name}`"))
    }
}
