//! The numbers of text files: indices, identifiers, integers and real values, each with its place.
//!
//! A number is followed by a blank, a tab, a comma or the end of its line. Numbers of any length
//! need no memory.

use star_base::Code;

use super::{KEPT, MAX_WORD_BYTES, Scanner};
use crate::decimal::Decimal;
use crate::error::{Fault, FileError};
use crate::scaling::{Scaling, advice, exceeds_63_bits};
use crate::text;

/// Number of digits that always fit in a `u64`.
const SAFE_DIGITS: usize = 19;

impl Scanner<'_, '_> {
    /// Reads a number from 0 to 2^64 − 1; `what` names it in messages.
    #[inline]
    pub(crate) fn unsigned(&mut self, what: &str) -> Result<u64, Fault> {
        if self.skip_blanks()? == Some(b'-') {
            return Err(self.negative(what));
        }
        self.begin_token();
        self.magnitude(what)
    }

    /// Reads a number from 1 to `limit` and returns it from 0; `of` names the limit in messages.
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

    /// Reads a number from −2^63 to 2^63 − 1.
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

    /// Reads a value: an integer, or with a scale the rounded product of any number.
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

    /// Reads the weight of an arc. Arcs are also usable without weights: the first weight that is
    /// not an integer, without a scale, is stored as the error for layouts that need weights, and
    /// it and all later weights become 1.
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
            Err(fault) => match self.as_decimal(&fault) {
                Some(value) => match value.to_whole() {
                    Some(weight) => Ok(weight), // written like 3.0
                    None => {
                        *no_weights = Some(fault);
                        Ok(1)
                    }
                },
                None => Err(fault),
            },
            weight => weight,
        }
    }

    /// Returns the last token, which was read to its end, as a number with a point or an exponent,
    /// if that is the fault.
    #[cold]
    fn as_decimal(&mut self, fault: &FileError) -> Option<Decimal> {
        let token = self.token_bytes();
        let value = std::str::from_utf8(&token).ok().and_then(Decimal::parse);
        value.filter(|_| fault.code == Code::BadFormat && token.len() < KEPT)
    }

    /// Reads a value that is not negative.
    pub(crate) fn unsigned_value(&mut self, what: &str) -> Result<i64, Fault> {
        match self.skip_blanks()? {
            Some(b'-') => Err(self.negative(what)),
            Some(_) | None => self.value(what),
        }
    }

    /// Scales the last number read.
    pub(crate) fn scaled(
        &mut self,
        what: &str,
        value: Decimal,
        scaling: &Scaling,
    ) -> Result<i64, Fault> {
        scaling.decimal(value).ok_or_else(|| {
            let message = format!("{what} times the scale exceeds 63 bits");
            self.at_token(Code::OutOfRange, message)
        })
    }

    /// Reads a decimal fraction with or without an exponent.
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

    /// Reads digits to the end of the number, whose token has begun and whose sign was skipped.
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

    /// Does the same for a number that is long, invalid, or only partly in the buffer.
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

    /// Skips digits and passes them to `each`; returns their number.
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

    /// Rejects a number with more digits than any file needs.
    #[inline]
    fn refuse_endless(&self, n_digits: u64) -> Result<(), Fault> {
        match n_digits > MAX_WORD_BYTES as u64 {
            true => {
                let message = format!("a number has more than {MAX_WORD_BYTES} digits");
                Err(self.at_token(Code::BadFormat, message))
            }
            false => Ok(()),
        }
    }

    /// Begins the token of a required field; returns its first byte.
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
                let message = format!("expected {what}, found the end of the file");
                self.here(Code::Truncated, message)
            }
            Ok(Some(_)) => {
                let message = format!("expected {what}, found the end of the line");
                self.here(Code::BadFormat, message)
            }
        }
    }

    /// Adds to the fault the scale that would make the token an integer, if it has a fraction.
    #[cold]
    fn advised(&mut self, fault: Fault) -> Fault {
        if fault.code != Code::BadFormat {
            return fault;
        }
        let token = self.token_bytes();
        match std::str::from_utf8(&token).ok().and_then(Decimal::parse) {
            Some(value) if exceeds_63_bits(value) => {
                let quoted = text::quote(&token);
                self.at_token(Code::OutOfRange, format!("{quoted} exceeds 63 bits"))
            }
            Some(value) => Box::new(fault.help(advice(value))),
            None => fault,
        }
    }

    /// The error for a token, a value without a scale, that is not a weight: it has a fraction or
    /// is too large.
    #[cold]
    pub(crate) fn no_weight(&mut self, what: &str, value: Decimal) -> Fault {
        match exceeds_63_bits(value) {
            false => Box::new(self.no_number("a whole number").help(advice(value))),
            true => self.too_large(what, "63"),
        }
    }

    #[cold]
    fn no_number(&mut self, kind: &str) -> Fault {
        let token = self.token_bytes();
        let quoted = text::quote(&token);
        match text::utf8(&token) {
            Err(problem) if token.len() < KEPT => {
                let fault = self.at_token(Code::BadFormat, format!("{quoted} {problem}"));
                Box::new(fault.help("save the file as UTF-8"))
            }
            Ok(_) | Err(_) => {
                let fault = self.at_token(Code::BadFormat, format!("{quoted} is not {kind}"));
                match token.first() {
                    Some(b'"') => Box::new(fault.help("write numbers without quotes")),
                    Some(_) | None => fault,
                }
            }
        }
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
        let message = format!("{what} {quoted} exceeds {n_bits} bits");
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
        let message = format!("{what} {quoted} exceeds the {all} of the header");
        self.at_token(Code::OutOfRange, message)
    }
}

/// Returns whether this byte may follow a number.
#[inline]
fn ends_number(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b',' | b'\r' | b'\n')
}
