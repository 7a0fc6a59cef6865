//! The first part of a state: numbers and texts, which are stored as a slice.

use star_base::Code;
use star_value::{BitVector, Value};

use crate::backend::HostError;

/// Numbers and texts, while they are written.
#[derive(Default)]
pub(super) struct HeadWriter(Vec<u64>);

impl HeadWriter {
    pub(super) fn number(&mut self, number: u64) {
        self.0.push(number);
    }

    pub(super) fn size(&mut self, size: usize) {
        self.number(size as u64);
    }

    pub(super) fn option(&mut self, size: Option<usize>) {
        self.number(size.map_or(0, |size| size as u64 + 1));
    }

    pub(super) fn text(&mut self, text: &str) {
        self.size(text.len());
        for chunk in text.as_bytes().chunks(8) {
            let mut limb = [0; 8];
            limb[..chunk.len()].copy_from_slice(chunk);
            self.number(u64::from_le_bytes(limb));
        }
    }

    /// Returns the slice.
    pub(super) fn into_slice(self) -> Result<BitVector, HostError> {
        BitVector::from_limbs(self.0.len() * 64, &self.0).ok_or_else(|| damaged("its size"))
    }
}

/// Numbers and texts, while they are read.
pub(super) struct HeadReader {
    bits: BitVector,
    at: usize,
}

impl HeadReader {
    /// Reads the first part of a state.
    pub(super) fn new(value: Value) -> Result<Self, HostError> {
        Ok(HeadReader { bits: slice(value)?, at: 0 })
    }

    pub(super) fn number(&mut self) -> Result<u64, HostError> {
        let limb = self.bits.limbs()[..self.bits.len() / 64].get(self.at);
        self.at += 1;
        limb.copied().ok_or_else(|| damaged("its size"))
    }

    pub(super) fn size(&mut self) -> Result<usize, HostError> {
        usize::try_from(self.number()?).map_err(|_| damaged("a size"))
    }

    pub(super) fn option(&mut self) -> Result<Option<usize>, HostError> {
        Ok(self.size()?.checked_sub(1))
    }

    /// Reads a number of something that takes at least one number each.
    pub(super) fn count(&mut self) -> Result<usize, HostError> {
        let count = self.size()?;
        if count > self.bits.len() / 64 { Err(damaged("a count")) } else { Ok(count) }
    }

    pub(super) fn text(&mut self) -> Result<String, HostError> {
        let n_bytes = self.size()?;
        if n_bytes > self.bits.len() / 8 {
            return Err(damaged("a text"));
        }
        let mut bytes = Vec::with_capacity(n_bytes.next_multiple_of(8));
        while bytes.len() < n_bytes {
            bytes.extend(self.number()?.to_le_bytes());
        }
        bytes.truncate(n_bytes);
        String::from_utf8(bytes).map_err(|_| damaged("a text"))
    }
}

/// Returns the bits of a slice of a state.
pub(super) fn slice(value: Value) -> Result<BitVector, HostError> {
    match value {
        Value::Slice(bits) => Ok(bits),
        _ => Err(damaged("the kind of a value")),
    }
}

/// Returns the error for a state that no run has written.
pub(super) fn damaged(what: &str) -> HostError {
    let message = format!("the state of the run is invalid: {what}");
    HostError { code: Code::BadFormat, message }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_texts_come_back_and_ends_are_found() {
        let mut head = HeadWriter::default();
        head.number(u64::MAX);
        head.option(None);
        head.option(Some(0));
        head.text("");
        head.text("eight ch");
        head.text("nine char");
        let slice = head.into_slice().expect("small");
        let mut head = HeadReader::new(Value::Slice(slice)).expect("a slice");
        assert_eq!(head.number(), Ok(u64::MAX));
        assert_eq!((head.option(), head.option()), (Ok(None), Ok(Some(0))));
        assert_eq!(head.text().as_deref(), Ok(""));
        assert_eq!(head.text().as_deref(), Ok("eight ch"));
        assert_eq!(head.text().as_deref(), Ok("nine char"));
        assert_eq!(head.number().map_err(|error| error.code), Err(Code::BadFormat));
        assert!(HeadReader::new(Value::Int(1)).is_err());
    }
}
