//! Values of a Matrix Market file: integers are weights, and so are all values with the user's
//! scale; other real values only mark the entries, and the graph has no weights.

use crate::decimal::Decimal;
use crate::error::Fault;
use crate::scaling::Scaling;
use crate::scan::Scanner;

/// The values seen so far.
pub(super) struct Values<'r> {
    scaling: Option<&'r Scaling>,
    n_zeros: u64,
    /// The first value that is not a 64-bit integer, and the error for layouts that need weights.
    fraction: Option<(Decimal, Fault)>,
}

impl<'r> Values<'r> {
    /// Creates the collector; values are weights only `in_graph`s.
    pub(super) fn new(scanner: &Scanner<'r, '_>, in_graph: bool) -> Self {
        let scaling = scanner.source().scaling().filter(|_| in_graph);
        Values { scaling, n_zeros: 0, fraction: None }
    }

    /// Reads an integer; returns whether it is nonzero, and its weight.
    #[inline]
    pub(super) fn read_whole(&mut self, scanner: &mut Scanner) -> Result<(bool, i64), Fault> {
        let value = scanner.signed("the value")?;
        match self.scaling {
            None => Ok((value != 0, value)),
            Some(scaling) => Ok((value != 0, scanner.scaled("the value", value.into(), scaling)?)),
        }
    }

    /// Reads a real value; returns whether it is nonzero, and its weight.
    pub(super) fn read_real(&mut self, scanner: &mut Scanner) -> Result<(bool, i64), Fault> {
        let value = scanner.real("the value")?;
        self.n_zeros += u64::from(!value.is_nonzero());
        let weight = match self.scaling {
            None => value.to_whole(),
            Some(scaling) => Some(scanner.scaled("the value", value, scaling)?),
        };
        if weight.is_none() && self.fraction.is_none() {
            self.fraction = Some((value, scanner.no_weight("the value", value)));
        }
        Ok((value.is_nonzero(), weight.unwrap_or(1)))
    }

    /// The first value that is not a weight without a scale.
    pub(super) fn fraction(&self) -> Option<Decimal> {
        self.fraction.as_ref().map(|(value, _)| *value)
    }

    /// The reason why there are no weights, if there are none.
    pub(super) fn into_fault(self) -> Option<Fault> {
        self.fraction.map(|(_, fault)| fault)
    }

    /// Number of real values that are zero.
    pub(super) fn n_zeros(&self) -> u64 {
        self.n_zeros
    }
}
