//! Places of the fields of the last record. The parser reports where it began to search for a
//! record; the line ends that it skipped and the blanks that were removed around fields are
//! recovered here.

use std::collections::VecDeque;

use crate::source::CHUNK;

/// The last bytes passed to the parser: one chunk, which it may hold at once, and one chunk before
/// it. They contain the last record unless it is longer.
#[derive(Default)]
pub(super) struct Recent {
    /// Number of bytes of the file before them.
    offset: u64,
    bytes: Vec<u8>,
    /// The bytes of the file, without removed ones, before which blanks were removed, and their
    /// numbers.
    removed: Vec<(u64, u64)>,
}

impl Recent {
    /// Notes that blanks were removed before the byte at `idx` of the next piece.
    pub(super) fn note_removed(&mut self, n_blanks: usize, idx: usize) {
        let at = self.offset + self.bytes.len() as u64 + idx as u64;
        self.removed.push((at, n_blanks as u64));
    }

    /// Stores a piece of at most one chunk, and keeps one chunk before it.
    pub(super) fn push(&mut self, piece: &[u8]) {
        if self.bytes.len() + piece.len() > 2 * CHUNK {
            let n_old = self.bytes.len().saturating_sub(CHUNK);
            self.bytes.drain(..n_old);
            self.offset += n_old as u64;
            self.removed.retain(|(at, _)| *at >= self.offset);
        }
        self.bytes.extend_from_slice(piece);
    }

    /// The byte after the last one.
    pub(super) fn end(&self) -> u64 {
        self.offset + self.bytes.len() as u64
    }

    /// The place of field `idx`, from 0, of the record that the parser searched for from byte
    /// `start` in `line`.
    pub(super) fn place(&self, start: u64, line: u64, idx: usize, separator: u8) -> Place {
        self.place_of(start, line, |cursor| {
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
        })
    }

    /// The place of the byte `n_bytes` after the byte `start` in `line`.
    pub(super) fn place_at(&self, start: u64, line: u64, n_bytes: u64) -> Place {
        self.place_of(start, line, |cursor| (0..n_bytes).for_each(|_| cursor.bump()))
    }

    /// The place to which `advance` moves the cursor from byte `start` in `line`. The first column
    /// of that line if the bytes are no longer available.
    fn place_of(&self, start: u64, line: u64, advance: impl FnOnce(&mut Cursor<'_>)) -> Place {
        let at = start.checked_sub(self.offset).and_then(|at| usize::try_from(at).ok());
        let Some(bytes) = at.and_then(|at| self.bytes.get(at..)) else {
            return Place { line, column: 1, text: None };
        };
        let removed = self.removed.iter().filter(|(at, _)| *at >= start);
        let removed = removed.map(|(at, n_blanks)| ((at - start) as usize, *n_blanks)).collect();
        let mut cursor = Cursor { bytes, line, column: 1, n_passed: 0, removed, text: Vec::new() };
        cursor.skip_removed();
        advance(&mut cursor);
        let (line, column) = (cursor.line, cursor.column);
        while cursor.bytes.first().is_some_and(|byte| *byte != b'\n') {
            cursor.bump();
        }
        Place { line, column, text: Some(cursor.text) }
    }
}

/// A place in the file.
pub(super) struct Place {
    pub(super) line: u64,
    pub(super) column: u64,
    /// The text of the line, with spaces for the removed blanks.
    pub(super) text: Option<Vec<u8>>,
}

/// A position in the bytes.
struct Cursor<'a> {
    bytes: &'a [u8],
    line: u64,
    column: u64,
    n_passed: usize,
    /// The bytes, counted from the start, before which blanks were removed, and their numbers.
    removed: VecDeque<(usize, u64)>,
    /// The line up to here.
    text: Vec<u8>,
}

impl Cursor<'_> {
    fn bump(&mut self) {
        let Some((byte, rest)) = self.bytes.split_first() else { return };
        self.bytes = rest;
        match byte {
            b'\n' => {
                (self.line, self.column) = (self.line + 1, 1);
                self.text.clear();
            }
            b'\r' => {}
            _ => {
                self.column += 1;
                self.text.push(*byte);
            }
        }
        self.n_passed += 1;
        self.skip_removed();
    }

    fn skip_removed(&mut self) {
        while let Some((_, n_blanks)) = self.removed.pop_front_if(|(at, _)| *at <= self.n_passed) {
            self.column += n_blanks;
            self.text.extend((0..n_blanks).map(|_| b' '));
        }
    }

    /// Skips a field and the separator after it.
    fn skip_field(&mut self, separator: u8) {
        let is_quoted = self.bytes.first() == Some(&b'"');
        let mut is_inside = false;
        while let Some(byte) = self.bytes.first() {
            let ends = *byte == separator && !is_inside;
            // A doubled quote closes and reopens the field.
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

    impl Recent {
        fn at(&self, start: u64, line: u64, idx: usize) -> (u64, u64) {
            let place = self.place(start, line, idx, b',');
            (place.line, place.column)
        }
    }

    #[test]
    fn fields_are_found_after_blank_lines_quotes_and_blanks() {
        let mut recent = Recent::default();
        recent.push(b"a,b\r\n\r\n  1,2\r\n");
        assert_eq!(recent.at(0, 1, 1), (1, 3));
        let behind_return = 4; // the parser has read up to here
        assert_eq!(recent.at(behind_return, 1, 0), (3, 3));
        assert_eq!(recent.at(behind_return, 1, 1), (3, 5));
        let mut quoted = Recent::default();
        quoted.push(b"\"1\"\"\n,\",\"2,");
        quoted.push(b"\n\",\"3,\",  7,x\n");
        for (idx, place) in [(1, (2, 4)), (2, (3, 3)), (3, (3, 10)), (4, (3, 12))] {
            assert_eq!(quoted.at(0, 1, idx), place, "{idx}");
        }
    }

    #[test]
    fn removed_blanks_count() {
        // `1, "x", y` without the blank before the quote.
        let mut recent = Recent::default();
        recent.note_removed(1, 2);
        recent.push(b"1,\"x\", y\n");
        assert_eq!(recent.at(0, 1, 1), (1, 4));
        assert_eq!(recent.at(0, 1, 2), (1, 9));
        assert_eq!(recent.place(0, 1, 1, b',').text.as_deref(), Some(&b"1, \"x\", y"[..]));
        let place = recent.place_at(0, 1, 5);
        assert_eq!((place.line, place.column), (1, 7));
    }

    #[test]
    fn discarded_bytes_still_give_the_line() {
        let mut recent = Recent::default();
        for _ in 0..3 {
            recent.push(&b"1,2\n".repeat(CHUNK / 4));
        }
        assert_eq!(recent.bytes.len(), 2 * CHUNK);
        let n_lines = CHUNK as u64 / 4;
        assert_eq!(recent.at(4, 2, 1), (2, 1));
        assert_eq!(recent.at(4 * n_lines, n_lines + 1, 1), (n_lines + 1, 3));
        assert_eq!(recent.at(u64::MAX, 9, 1), (9, 1));
    }
}
