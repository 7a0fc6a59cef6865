//! The numbers of text files: indices, identifiers, whole and real values, each with its place.
//!
//! A number is followed by a blank, a tab, a comma or the end of its line. However long it is, it
//! takes no memory.

use star_base::Code;

use super::{KEPT, MAX_WORD_BYTES, Scanner};
use crate::decimal::Decimal;
use crate::error::{Fault, FileError};
use crate::scaling::{Scaling, advice};
use crate::text;

/// Digits that a `u64` holds whatever they are.
const SAFE_DIGITS: usize = 19;

impl Scanner<'_, '_> {
    /// A number from 0 to 2^64 − 1; `what` names it in messages.
    #[inline]
    pub(crate) fn unsigned(&mut self, what: &str) -> Result<u64, Fault> {
        if self.skip_blanks()? == Some(b'-') {
            return Err(self.negative(what));
        }
        self.begin_token();
        self.magnitude(what)
    }

    /// A number from 1 to `limit`, as one from 0; `limit` is called `of` in messages.
    #[inline]
    pub(crate) fn index(&mut self, what: &str, limit: u64, of: &str) -> Result<u32, Fault> {
        let number = self.unsigned(what)?;
        if let Some(index) = number.checked_sub(1)
            && number <= limit
            && let Ok(index) = u32::try_from(index)
        {
            return Ok(index);
        }
        Err(self.bad_index(number, what, limit, of))
    }

    /// A number from −2^63 to 2^63 − 1.
    #[inline]
    pub(crate) fn signed(&mut self, what: &str) -> Result<i64, Fault> {
        let sign = self.skip_blanks()?;
        self.begin_token();
        if matches!(sign, Some(b'-' | b'+')) {
            self.bump();
        }
        let magnitude = self.magnitude(what)?;
        let value = match sign {
            Some(b'-') => 0i64.checked_sub_unsigned(magnitude),
            _ => i64::try_from(magnitude).ok(),
        };
        value.ok_or_else(|| self.too_large(what, "63"))
    }

    /// A value: a whole number, or with a scale the one next to the product of any number with it.
    #[inline]
    pub(crate) fn value(&mut self, what: &str) -> Result<i64, Fault> {
        match self.source.scaling() {
            None => self.signed(what).map_err(|fault| self.advised(fault)),
            Some(scaling) => {
                let value = self.real(what)?;
                self.scaled(what, value, scaling)
            }
        }
    }

    /// The weight of an arc. The arcs are good without weights, too: the first one that is no whole number, and has no scale,
    /// is kept as the fault that it is to who wants weights, and it and all later ones are 1.
    #[inline]
    pub(crate) fn weight(
        &mut self,
        what: &str,
        no_weights: &mut Option<Fault>,
    ) -> Result<i64, Fault> {
        if no_weights.is_some() {
            return self.real(what).map(|_| 1);
        }
        match self.value(what) {
            Err(fault) if self.is_fraction(&fault) => {
                *no_weights = Some(fault);
                Ok(1)
            }
            weight => weight,
        }
    }

    /// Is the fault that the last token, which was read to its end, is a number with a fraction?
    #[cold]
    fn is_fraction(&mut self, fault: &FileError) -> bool {
        let token = self.token_bytes();
        let value = std::str::from_utf8(&token).ok().and_then(Decimal::parse);
        fault.code == Code::BadFormat && token.len() < KEPT && value.is_some()
    }

    /// Likewise a value that is not negative.
    pub(crate) fn unsigned_value(&mut self, what: &str) -> Result<i64, Fault> {
        match self.skip_blanks()? {
            Some(b'-') => Err(self.negative(what)),
            Some(_) | None => self.value(what),
        }
    }

    /// What the number read last becomes with the scale.
    pub(crate) fn scaled(
        &mut self,
        what: &str,
        value: Decimal,
        scaling: &Scaling,
    ) -> Result<i64, Fault> {
        scaling.decimal(value).ok_or_else(|| {
            let message = format!("{what} times the scale is beyond 63 bits");
            self.at_token(Code::OutOfRange, message)
        })
    }

    /// A decimal fraction with or without an exponent.
    pub(crate) fn real(&mut self, what: &str) -> Result<Decimal, Fault> {
        let mut value = Decimal::default();
        let sign = self.begin_field(what)?;
        if let Some(b'-' | b'+') = sign {
            self.bump();
        }
        let mut n_digits = self.digits(|digit| value.push(digit, false))?;
        if self.peek()? == Some(b'.') {
            self.bump();
            n_digits += self.digits(|digit| value.push(digit, true))?;
        }
        let mut well_formed = n_digits > 0;
        if let Some(b'e' | b'E' | b'd' | b'D') = self.peek()? {
            self.bump();
            let exponent_sign = self.peek()?;
            if let Some(b'-' | b'+') = exponent_sign {
                self.bump();
            }
            let mut exponent = 0i64;
            let longer =
                |digit| exponent = exponent.saturating_mul(10).saturating_add(i64::from(digit));
            well_formed &= self.digits(longer)? > 0;
            value.shift(if exponent_sign == Some(b'-') { -exponent } else { exponent });
        }
        if well_formed && self.peek()?.is_none_or(ends_number) {
            if sign == Some(b'-') {
                value.negate();
            }
            Ok(value)
        } else {
            Err(self.no_number("a number"))
        }
    }

    /// Digits from here to the end of the number, its token begun and its sign passed over.
    #[inline]
    fn magnitude(&mut self, what: &str) -> Result<u64, Fault> {
        let rest = &self.buffer[self.pos..self.end];
        let mut value = 0u64;
        let mut n_digits = 0;
        for &byte in rest.iter().take(SAFE_DIGITS) {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            value = value * 10 + u64::from(digit);
            n_digits += 1;
        }
        if n_digits > 0 && rest.get(n_digits).is_some_and(|&byte| ends_number(byte)) {
            self.pos += n_digits;
            return Ok(value);
        }
        self.magnitude_across_chunks(what)
    }

    /// The same for a number that is long, wrong, or not wholly in the buffer.
    #[cold]
    fn magnitude_across_chunks(&mut self, what: &str) -> Result<u64, Fault> {
        let nothing_yet = self.base + self.pos as u64 == self.token.offset;
        if nothing_yet && matches!(self.peek()?, None | Some(b'\r' | b'\n')) {
            return Err(self.missing(what));
        }
        let mut value = 0u64;
        let mut n_digits = 0u64;
        while let Some(byte @ b'0'..=b'9') = self.peek()? {
            self.bump();
            n_digits += 1;
            self.refuse_endless(n_digits)?;
            let longer =
                value.checked_mul(10).and_then(|value| value.checked_add(u64::from(byte - b'0')));
            match longer {
                Some(longer) => value = longer,
                None => return Err(self.too_large(what, "64")),
            }
        }
        if n_digits > 0 && self.peek()?.is_none_or(ends_number) {
            Ok(value)
        } else {
            Err(self.no_number("a whole number"))
        }
    }

    /// Passes over digits and gives them to `each`; how many.
    fn digits(&mut self, mut each: impl FnMut(u8)) -> Result<u64, Fault> {
        let mut n_digits = 0;
        while let Some(byte @ b'0'..=b'9') = self.peek()? {
            self.bump();
            n_digits += 1;
            each(byte - b'0');
            self.refuse_endless(n_digits)?;
        }
        Ok(n_digits)
    }

    /// The fault that a number has more digits than any file has a reason for.
    #[inline]
    fn refuse_endless(&self, n_digits: u64) -> Result<(), Fault> {
        match n_digits > MAX_WORD_BYTES as u64 {
            true => {
                let message = format!("a number of more than {MAX_WORD_BYTES} digits");
                Err(self.at_token(Code::BadFormat, message))
            }
            false => Ok(()),
        }
    }

    /// Begins the token of a field that must not be missing; its first byte.
    fn begin_field(&mut self, what: &str) -> Result<Option<u8>, Fault> {
        let first = self.skip_blanks()?;
        self.begin_token();
        match first {
            None | Some(b'\r' | b'\n') => Err(self.missing(what)),
            Some(_) => Ok(first),
        }
    }

    #[cold]
    fn missing(&mut self, what: &str) -> Fault {
        match self.peek() {
            Err(fault) => fault,
            Ok(None) => {
                let message = format!("the file ends where {what} should stand");
                self.here(Code::Truncated, message)
            }
            Ok(Some(_)) => {
                let message = format!("the line ends where {what} should stand");
                self.here(Code::BadFormat, message)
            }
        }
    }

    /// The fault, with the scale that would make a whole number of the token if it has a fraction.
    #[cold]
    fn advised(&mut self, fault: Fault) -> Fault {
        if fault.code != Code::BadFormat {
            return fault;
        }
        let token = self.token_bytes();
        match std::str::from_utf8(&token).ok().and_then(Decimal::parse) {
            Some(value) => Box::new(fault.help(advice(value))),
            None => fault,
        }
    }

    /// The fault that the token, a value without a scale, is no weight: it has a fraction or is too large.
    #[cold]
    pub(crate) fn no_weight(&mut self, what: &str, value: Decimal) -> Fault {
        match value.magnitude() < 18 {
            true => Box::new(self.no_number("a whole number").help(advice(value))),
            false => self.too_large(what, "63"),
        }
    }

    #[cold]
    fn no_number(&mut self, kind: &str) -> Fault {
        let quoted = self.quoted();
        self.at_token(Code::BadFormat, format!("{quoted} is not {kind}"))
    }

    #[cold]
    fn negative(&mut self, what: &str) -> Fault {
        self.begin_token();
        self.bump();
        match self.peek() {
            Err(fault) => fault,
            Ok(Some(b'0'..=b'9')) => {
                let quoted = self.quoted();
                let message = format!("{what} {quoted} is negative");
                self.at_token(Code::OutOfRange, message)
            }
            Ok(_) => self.no_number("a whole number"),
        }
    }

    #[cold]
    fn too_large(&mut self, what: &str, n_bits: &str) -> Fault {
        let quoted = self.quoted();
        let message = format!("{what} {quoted} is beyond {n_bits} bits");
        self.at_token(Code::OutOfRange, message)
    }

    #[cold]
    fn bad_index(&mut self, number: u64, what: &str, limit: u64, of: &str) -> Fault {
        let quoted = self.quoted();
        if number == 0 {
            let fault = self.at_token(Code::OutOfRange, format!("{what} is 0"));
            return Box::new(fault.note(format!("{of} are numbered from 1 in this format")));
        }
        let all = text::counted(limit, of);
        let message = format!("{what} {quoted} is beyond the {all} of the header");
        self.at_token(Code::OutOfRange, message)
    }
}

/// Can this byte stand behind a number?
#[inline]
fn ends_number(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b',' | b'\r' | b'\n')
}
