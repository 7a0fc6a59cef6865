//! What becomes of the values of a Matrix Market file: whole ones are weights, and all are with the user's
//! scale; other real values only say where an entry is, and there are no weights then.

use crate::decimal::Decimal;
use crate::error::Fault;
use crate::scaling::Scaling;
use crate::scan::Scanner;

/// The values seen so far.
pub(super) struct Values<'r> {
    scaling: Option<&'r Scaling>,
    n_zeros: u64,
    /// The first one that is no whole number of 64 bits, and the fault that it is to who wants weights.
    fraction: Option<(Decimal, Fault)>,
}

impl<'r> Values<'r> {
    /// Values are weights only `in_graph`s.
    pub(super) fn new(scanner: &Scanner<'r, '_>, in_graph: bool) -> Self {
        let scaling = scanner.source().scaling().filter(|_| in_graph);
        Values { scaling, n_zeros: 0, fraction: None }
    }

    /// Reads a whole value: is it other than zero, and its weight.
    #[inline]
    pub(super) fn read_whole(&mut self, scanner: &mut Scanner) -> Result<(bool, i64), Fault> {
        let value = scanner.signed("the value")?;
        match self.scaling {
            None => Ok((value != 0, value)),
            Some(scaling) => Ok((value != 0, scanner.scaled("the value", value.into(), scaling)?)),
        }
    }

    /// Reads a real value: is it other than zero, and its weight.
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

    /// The first value that is no weight as it stands.
    pub(super) fn fraction(&self) -> Option<Decimal> {
        self.fraction.as_ref().map(|(value, _)| *value)
    }

    /// Why there are no weights, if there are none.
    pub(super) fn into_fault(self) -> Option<Fault> {
        self.fraction.map(|(_, fault)| fault)
    }

    /// Real values that are zero.
    pub(super) fn n_zeros(&self) -> u64 {
        self.n_zeros
    }
}
