//! Arguments of a call, by name.

use star_base::{BitTable, BitVector, Kind};
use star_vm::{Argument, HostValue};

use crate::error::Error;
use crate::program::{Parameter, Routine};

/// Arguments by the names of their parameters; see [`crate::args!`].
///
/// A text of `0` and `1` is accepted for a slice or a word, and one of rows separated by blanks for
/// a table. A `var` parameter without an argument is unset before the call.
#[derive(Clone, Debug, Default)]
pub struct Args {
    pub(crate) values: Vec<(String, HostValue)>,
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
    pub fn with(mut self, name: &str, value: impl Into<HostValue>) -> Self {
        self.values.push((name.to_owned(), value.into()));
        self
    }

    /// Returns the values of the parameters, in order.
    pub(crate) fn bind(self, routine: &Routine) -> Result<Vec<Argument>, Error> {
        let params = &routine.params;
        let mut bound: Vec<Option<HostValue>> = params.iter().map(|_| None).collect();
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
                let value = value.unwrap_or(HostValue::Unset);
                let is_set = value != HostValue::Unset;
                Ok(Argument::new(value, is_set))
            }
        });
        arguments.collect()
    }
}

/// Returns the value as one of the kind of the parameter.
pub(crate) fn of_kind(param: &Parameter, value: HostValue) -> Result<HostValue, Error> {
    match fitted(param.kind, value) {
        Ok(value) => Ok(value),
        Err(value) => {
            let found = value.ty().map(|ty| ty.kind());
            let (name, expected) = (param.name.clone(), param.kind);
            Err(Error::WrongKind { name, expected, found })
        }
    }
}

/// Returns the value as one of this kind, or itself if it is none.
pub(crate) fn fitted(kind: Kind, value: HostValue) -> Result<HostValue, HostValue> {
    Ok(match (kind, value) {
        (_, HostValue::Unset) => HostValue::Unset,
        (Kind::Int, value @ HostValue::Int(_))
        | (Kind::Bool, value @ HostValue::Bool(_))
        | (Kind::Str, value @ HostValue::Str(_))
        | (Kind::Table, value @ HostValue::Table(_)) => value,
        (Kind::Slice, HostValue::Slice(bits) | HostValue::Word(bits)) => HostValue::Slice(bits),
        (Kind::Word, HostValue::Slice(bits) | HostValue::Word(bits)) => HostValue::Word(bits),
        (Kind::Slice, HostValue::Str(text)) => match BitVector::parse(&text) {
            Some(bits) => HostValue::Slice(bits),
            None => return Err(HostValue::Str(text)),
        },
        (Kind::Word, HostValue::Str(text)) => match BitVector::parse(&text) {
            Some(bits) => HostValue::Word(bits),
            None => return Err(HostValue::Str(text)),
        },
        (Kind::Table, HostValue::Str(text)) => {
            let rows: Vec<&str> = text.split_whitespace().collect();
            match BitTable::parse(&rows) {
                Some(table) => table.into(),
                None => return Err(HostValue::Str(text)),
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
