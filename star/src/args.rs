//! Arguments of a call, by name.

use star_base::Kind;
use star_value::{Argument, BitTable, BitVector, Value};

use crate::error::Error;
use crate::program::{Parameter, Routine};

/// Arguments by the names of their parameters; see [`crate::args!`].
///
/// A text of `0` and `1` is accepted for a slice or a word, and one of rows separated by blanks for
/// a table. A `var` parameter without an argument is unset before the call.
#[derive(Clone, Debug, Default)]
pub struct Args {
    pub(crate) values: Vec<(String, Value)>,
    #[cfg(feature = "files")]
    pub(crate) files: crate::files::FileArgs,
}

/// Arguments by name: `args![n = 3, P = table]`.
#[macro_export]
macro_rules! args {
    ($($name:ident = $value:expr),* $(,)?) => {
        $crate::Args::new()$(.with(stringify!($name), $value))*
    };
}

impl Args {
    /// Creates an empty list.
    pub fn new() -> Self {
        Args::default()
    }

    /// Adds an argument. The last one of a name counts.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.values.push((name.to_owned(), value.into()));
        self
    }

    /// Returns the values of the parameters, in order.
    pub(crate) fn bind(self, routine: &Routine) -> Result<Vec<Argument>, Error> {
        let params = &routine.params;
        let mut bound: Vec<Option<Value>> = params.iter().map(|_| None).collect();
        for (name, value) in self.values {
            let idx = routine.param(&name)?;
            bound[idx] = Some(of_kind(&params[idx], value)?);
        }
        let arguments = bound.into_iter().zip(params).map(|(value, param)| match value {
            None if !param.by_ref => {
                let (routine, name) = (routine.name().to_owned(), param.name.clone());
                Err(Error::MissingArgument { routine, name })
            }
            value => {
                let value = value.unwrap_or(Value::Unset);
                let is_set = value != Value::Unset;
                Ok(Argument::new(value, is_set))
            }
        });
        arguments.collect()
    }
}

/// Returns the value as one of the kind of the parameter.
pub(crate) fn of_kind(param: &Parameter, value: Value) -> Result<Value, Error> {
    match fitted(param.kind, value) {
        Ok(value) => Ok(value),
        Err(value) => {
            let found = value.kind();
            let (name, expected) = (param.name.clone(), param.kind);
            Err(Error::WrongKind { name, expected, found })
        }
    }
}

/// Returns the value as one of this kind, or itself if it is none.
pub(crate) fn fitted(kind: Kind, value: Value) -> Result<Value, Value> {
    Ok(match (kind, value) {
        (_, Value::Unset) => Value::Unset,
        (Kind::Int, value @ Value::Int(_))
        | (Kind::Bool, value @ Value::Bool(_))
        | (Kind::Str, value @ Value::Str(_))
        | (Kind::Table, value @ Value::Table(_)) => value,
        (Kind::Slice, Value::Slice(bits) | Value::Word(bits)) => Value::Slice(bits),
        (Kind::Word, Value::Slice(bits) | Value::Word(bits)) => Value::Word(bits),
        (Kind::Slice, Value::Str(text)) => match BitVector::parse(&text) {
            Some(bits) => Value::Slice(bits),
            None => return Err(Value::Str(text)),
        },
        (Kind::Word, Value::Str(text)) => match BitVector::parse(&text) {
            Some(bits) => Value::Word(bits),
            None => return Err(Value::Str(text)),
        },
        (Kind::Table, Value::Str(text)) => {
            let rows: Vec<&str> = text.split_whitespace().collect();
            match BitTable::parse(&rows) {
                Some(table) => table.into(),
                None => return Err(Value::Str(text)),
            }
        }
        (
            Kind::Int
            | Kind::Bool
            | Kind::Str
            | Kind::Slice
            | Kind::Word
            | Kind::Table
            | Kind::Handle,
            value,
        ) => return Err(value),
    })
}
