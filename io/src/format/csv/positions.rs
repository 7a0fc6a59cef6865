//! Where the fields of the last record stand. The parser tells where it began to look for a record; the
//! line ends that it passed over and what it took off the fields are looked up here.

use crate::source::CHUNK;

/// The last bytes that the parser was given, as many as it has at once and so many before: the last
/// record is in them unless it is longer.
#[derive(Default)]
pub(super) struct Recent {
    /// Bytes of the file in front of them.
    offset: u64,
    bytes: Vec<u8>,
}

impl Recent {
    /// Keeps a piece, of at most a chunk, and a chunk before it.
    pub(super) fn push(&mut self, piece: &[u8]) {
        if self.bytes.len() + piece.len() > 2 * CHUNK {
            let n_old = self.bytes.len().saturating_sub(CHUNK);
            self.bytes.drain(..n_old);
            self.offset += n_old as u64;
        }
        self.bytes.extend_from_slice(piece);
    }

    /// Line and column of field `idx`, from 0, of the record that was looked for from byte `start` on, in
    /// `line`. The first column of that line if the bytes are gone.
    pub(super) fn place(&self, start: u64, line: u64, idx: usize, separator: u8) -> (u64, u64) {
        let at = start.checked_sub(self.offset).and_then(|at| usize::try_from(at).ok());
        let Some(bytes) = at.and_then(|at| self.bytes.get(at..)) else { return (line, 1) };
        let mut cursor = Cursor { bytes, line, column: 1 };
        while let Some(b'\r' | b'\n') = cursor.bytes.first() {
            cursor.bump();
        }
        for _ in 0..idx {
            cursor.skip_field(separator);
        }
        while let Some(b' ' | b'\t') = cursor.bytes.first()
            && cursor.bytes.first() != Some(&separator)
        {
            cursor.bump();
        }
        (cursor.line, cursor.column)
    }
}

/// A place in the bytes.
struct Cursor<'a> {
    bytes: &'a [u8],
    line: u64,
    column: u64,
}

impl Cursor<'_> {
    fn bump(&mut self) {
        let Some((byte, rest)) = self.bytes.split_first() else { return };
        self.bytes = rest;
        match byte {
            b'\n' => (self.line, self.column) = (self.line + 1, 1),
            b'\r' => {}
            _ => self.column += 1,
        }
    }

    /// Passes over a field and the separator behind it.
    fn skip_field(&mut self, separator: u8) {
        let is_quoted = self.bytes.first() == Some(&b'"');
        let mut is_inside = false;
        while let Some(byte) = self.bytes.first() {
            let ends = *byte == separator && !is_inside;
            // A quote that is doubled closes and opens again.
            is_inside ^= is_quoted && *byte == b'"';
            self.bump();
            if ends {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_behind_blank_lines_quotes_and_blanks() {
        let mut recent = Recent::default();
        recent.push(b"a,b\r\n\r\n  1,2\r\n");
        assert_eq!(recent.place(0, 1, 1, b','), (1, 3));
        let behind_return = 4; // the parser has read no further
        assert_eq!(recent.place(behind_return, 1, 0, b','), (3, 3));
        assert_eq!(recent.place(behind_return, 1, 1, b','), (3, 5));
        let mut quoted = Recent::default();
        quoted.push(b"\"1\"\"\n,\",\"2,");
        quoted.push(b"\n\",\"3,\",  7,x\n");
        for (idx, place) in [(1, (2, 4)), (2, (3, 3)), (3, (3, 10)), (4, (3, 12))] {
            assert_eq!(quoted.place(0, 1, idx, b','), place, "{idx}");
        }
    }

    #[test]
    fn bytes_that_are_gone_leave_the_line() {
        let mut recent = Recent::default();
        for _ in 0..3 {
            recent.push(&b"1,2\n".repeat(CHUNK / 4));
        }
        assert_eq!(recent.bytes.len(), 2 * CHUNK);
        let n_lines = CHUNK as u64 / 4;
        assert_eq!(recent.place(4, 2, 1, b','), (2, 1));
        assert_eq!(recent.place(4 * n_lines, n_lines + 1, 1, b','), (n_lines + 1, 3));
        assert_eq!(recent.place(u64::MAX, 9, 1, b','), (9, 1));
    }
}
