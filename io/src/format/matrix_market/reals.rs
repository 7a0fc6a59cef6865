//! What becomes of the real values of a Matrix Market file: whole ones are weights, others are
//! multiplied with the user's scale and rounded; without a scale they only say where an entry is.

use star_base::Code;

use crate::decimal::Decimal;
use crate::error::Fault;
use crate::scan::Scanner;

/// The real values seen so far.
pub(super) struct Reals {
    scale: Option<Decimal>,
    n_zeros: u64,
    /// Is there one that is no whole number of 64 bits?
    fraction: bool,
}

impl Reals {
    pub(super) fn new(scanner: &Scanner) -> Self {
        Reals { scale: scanner.source().scale(), n_zeros: 0, fraction: false }
    }

    /// Reads a value: is it other than zero, and its weight.
    pub(super) fn read(&mut self, scanner: &mut Scanner) -> Result<(bool, i64), Fault> {
        let value = scanner.real("the value")?;
        self.n_zeros += u64::from(!value.is_nonzero());
        let weight = match self.scale {
            None => value.to_whole(),
            Some(scale) => match value.scaled(scale) {
                Some(weight) => Some(weight),
                None => {
                    let message = "the value times the scale is beyond 63 bits";
                    return Err(scanner.at_token(Code::OutOfRange, message));
                }
            },
        };
        self.fraction |= weight.is_none();
        Ok((value.is_nonzero(), weight.unwrap_or(1)))
    }

    /// Are all weights those of the file?
    pub(super) fn are_weights(&self) -> bool {
        !self.fraction
    }

    /// Values that are zero.
    pub(super) fn n_zeros(&self) -> u64 {
        self.n_zeros
    }
}
