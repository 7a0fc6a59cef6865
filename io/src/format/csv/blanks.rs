//! Removal of the blanks around fields, outside quotes, and marking of the blank lines that are
//! records. The parser would keep or remove blanks inside quotes and outside alike, and it skips
//! blank lines.

/// An empty quoted field: a line that the parser does not skip.
const EMPTY_FIELD: &[u8] = b"\"\"";

/// The state of the removal, between two pieces of the file.
pub(super) struct Blanks {
    separator: u8,
    state: State,
    /// Blanks that are removed unless more of their field follows.
    held: Vec<u8>,
    /// Whether the current line contains only blanks so far.
    is_blank_line: bool,
    /// Whether the last byte is a carriage return that ends a line.
    after_return: bool,
    /// Blank lines that are records unless nothing follows them.
    held_lines: Vec<u8>,
    first: FirstRecord,
    /// Number of blank lines before the first record.
    n_leading: usize,
    /// Index in the kept bytes of the last piece of the first character after a closing quote.
    after_quote: Option<usize>,
}

/// The position in a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Before its first byte other than a blank.
    Start,
    /// In quotes.
    Quoted,
    /// After a quote that closes the field or is the first one of two.
    Closed,
    /// In a field without quotes, or after a character that follows its closing quote.
    Plain,
}

/// The progress in the first record, which determines the number of fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FirstRecord {
    /// Before it.
    Ahead,
    /// In its only field so far.
    InOneField,
    /// After its first separator.
    InSeveralFields,
    /// After it: records have one field.
    OneField,
    /// After it: records have several fields.
    SeveralFields,
}

impl Blanks {
    pub(super) fn new(separator: u8) -> Self {
        Blanks {
            separator,
            state: State::Start,
            held: Vec::new(),
            is_blank_line: true,
            after_return: false,
            held_lines: Vec::new(),
            first: FirstRecord::Ahead,
            n_leading: 0,
            after_quote: None,
        }
    }

    /// The index in the kept bytes of the last piece of a character that follows the closing quote
    /// of its field, which is an error.
    pub(super) fn after_quote(&self) -> Option<usize> {
        self.after_quote
    }

    /// Number of blank lines before the first record.
    pub(super) fn n_leading(&self) -> usize {
        self.n_leading
    }

    /// Appends the bytes of the next piece to `kept`. Calls `removed` with the number of blanks
    /// that are removed and the length of `kept` there.
    pub(super) fn pass(
        &mut self,
        piece: &[u8],
        kept: &mut Vec<u8>,
        removed: &mut impl FnMut(usize, usize),
    ) {
        if self.changes_nothing_in(piece) {
            if let Some(&last) = piece.last() {
                self.is_blank_line = is_line_end(last);
                self.after_return = last == b'\r';
                let ends = last == self.separator || self.is_blank_line;
                self.state = if ends { State::Start } else { State::Plain };
            }
            kept.extend_from_slice(piece);
            return;
        }
        let mut rest = piece;
        while let Some((&byte, after)) = rest.split_first() {
            let n_inner = self.n_inner(rest);
            if n_inner > 0 {
                kept.extend_from_slice(&rest[..n_inner]);
                rest = &rest[n_inner..];
                continue;
            }
            self.step(byte, kept, removed);
            rest = after;
        }
    }

    /// Returns whether the parser may receive a piece unchanged.
    fn changes_nothing_in(&self, piece: &[u8]) -> bool {
        let is_special = |byte: &u8| *byte == b'"' || self.is_blank(*byte);
        self.first == FirstRecord::SeveralFields
            && self.state != State::Quoted
            && self.held.is_empty()
            && self.held_lines.is_empty()
            && !piece.iter().any(is_special)
    }

    /// Number of the next bytes that belong to the current field.
    fn n_inner(&self, rest: &[u8]) -> usize {
        let ends_run = |byte: &u8| match self.state {
            State::Quoted => *byte == b'"',
            State::Plain => *byte == self.separator || is_line_end(*byte) || self.is_blank(*byte),
            State::Start | State::Closed => true,
        };
        match self.held.is_empty() {
            true => rest.iter().position(ends_run).unwrap_or(rest.len()),
            false => 0,
        }
    }

    fn step(&mut self, byte: u8, kept: &mut Vec<u8>, removed: &mut impl FnMut(usize, usize)) {
        if self.state == State::Quoted {
            kept.push(byte);
            if byte == b'"' {
                self.state = State::Closed;
            }
            return;
        }
        let is_second_half = byte == b'\n' && std::mem::take(&mut self.after_return);
        self.after_return = byte == b'\r';
        if is_second_half {
            let lines = if self.held_lines.is_empty() { kept } else { &mut self.held_lines };
            lines.push(byte);
            return;
        }
        if self.is_blank(byte) {
            self.held.push(byte);
            return;
        }
        if is_line_end(byte) && self.is_blank_line {
            self.blank_line(byte, kept);
            return;
        }
        self.is_blank_line = false;
        kept.append(&mut self.held_lines);
        let ends = byte == self.separator || is_line_end(byte);
        self.first = match self.first {
            FirstRecord::Ahead | FirstRecord::InOneField if byte == self.separator => {
                FirstRecord::InSeveralFields
            }
            FirstRecord::InOneField if ends => FirstRecord::OneField,
            FirstRecord::InSeveralFields if is_line_end(byte) => FirstRecord::SeveralFields,
            FirstRecord::Ahead => FirstRecord::InOneField,
            other => other,
        };
        // Two quotes are one character of the field only if they are adjacent.
        let is_double = self.state == State::Closed && self.held.is_empty();
        let next = match (self.state, byte) {
            _ if ends => State::Start,
            (State::Start, b'"') => State::Quoted,
            (State::Closed, b'"') if is_double => State::Quoted,
            (State::Start | State::Closed | State::Plain | State::Quoted, _) => State::Plain,
        };
        if self.state == State::Start || ends {
            if !self.held.is_empty() {
                removed(self.held.len(), kept.len());
                self.held.clear();
            }
        } else {
            kept.append(&mut self.held);
        }
        if self.state == State::Closed && next == State::Plain {
            self.after_quote.get_or_insert(kept.len());
        }
        kept.push(byte);
        self.state = next;
        if is_line_end(byte) {
            self.is_blank_line = true;
        }
    }

    /// Passes the end of a line that contains only blanks. It is a record if records have one
    /// field, or if it contains any blanks.
    fn blank_line(&mut self, byte: u8, kept: &mut Vec<u8>) {
        let has_blanks = !std::mem::take(&mut self.held).is_empty();
        let is_record = match self.first {
            FirstRecord::Ahead => {
                self.n_leading += 1;
                false
            }
            FirstRecord::OneField => true,
            FirstRecord::SeveralFields | FirstRecord::InOneField | FirstRecord::InSeveralFields => {
                has_blanks
            }
        };
        if is_record {
            self.held_lines.extend_from_slice(EMPTY_FIELD);
        }
        let lines = match self.held_lines.is_empty() {
            true => kept,
            false => &mut self.held_lines,
        };
        lines.push(byte);
    }

    fn is_blank(&self, byte: u8) -> bool {
        matches!(byte, b' ' | b'\t' | b'\x0c') && byte != self.separator
    }
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kept bytes of a text in pieces of this length.
    fn passed(text: &str, len: usize) -> String {
        let mut kept = Vec::new();
        let mut blanks = Blanks::new(b',');
        for piece in text.as_bytes().chunks(len) {
            blanks.pass(piece, &mut kept, &mut |_, _| {});
        }
        String::from_utf8(kept).unwrap()
    }

    #[test]
    fn only_blanks_outside_quotes_are_removed() {
        for (text, expected) in [
            ("1, \"x\"\n", "1,\"x\"\n"),
            (" \t\"a\",  \"b, \"\"c\" , d\n", "\"a\",\"b, \"\"c\",d\n"),
            ("a, b \"c\" , \"d\"", "a,b \"c\",\"d\""),
            ("\"x\n, \"\" \" ,1", "\"x\n, \"\" \",1"),
            ("\"x\" \"y\", \"z\"", "\"x\" \"y\",\"z\""),
            ("a,b\n\" x \", y z \r\n", "a,b\n\" x \",y z\r\n"),
            ("a,b\n1,2\n3,4", "a,b\n1,2\n3,4"),
            ("1,   \n  \n 2,  ", "1,\n\"\"\n2,"),
            ("", ""),
        ] {
            for len in 1..=text.len().max(1) {
                assert_eq!(passed(text, len), expected, "{text:?} in pieces of {len}");
            }
        }
    }

    #[test]
    fn characters_after_a_closing_quote_are_found() {
        for (text, expected) in [
            ("\"x\"y", Some(3)),
            ("a,\"x\" \"y\"", Some(6)),
            (" \"x\"\"\"  z,1", Some(7)),
            ("\"x\"\"y\" ,x\"y\"\n\"\"\n", None),
        ] {
            let (mut blanks, mut kept) = (Blanks::new(b','), Vec::new());
            blanks.pass(text.as_bytes(), &mut kept, &mut |_, _| {});
            assert_eq!(blanks.after_quote(), expected, "{text:?}");
        }
    }

    #[test]
    fn blank_lines_between_records_of_one_field_are_kept() {
        for (text, expected) in [
            ("a\n\n1\n", "a\n\"\"\n1\n"),
            ("a\r\n\r\n \r\n1\r\n\r\n", "a\r\n\"\"\r\n\"\"\r\n1\r\n"),
            ("\n\na\n1\n\n\n", "\n\na\n1\n"),
            ("\"a\n\n\"\n\n1", "\"a\n\n\"\n\"\"\n1"),
            ("a\r\r1\r", "a\r\"\"\r1\r"),
            ("a,b\n\n1,2\n\n", "a,b\n\n1,2\n\n"),
            ("\"a,b\"\n\n1\n", "\"a,b\"\n\"\"\n1\n"),
        ] {
            for len in 1..=text.len() {
                assert_eq!(passed(text, len), expected, "{text:?} in pieces of {len}");
            }
        }
    }
}
