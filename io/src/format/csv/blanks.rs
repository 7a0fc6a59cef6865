//! Removal of the blanks before a quoted field. The parser would take the quote for a character of
//! the field.

/// The state of the removal, between two pieces of the file.
pub(super) struct Blanks {
    separator: u8,
    state: State,
    /// Blanks at the beginning of a field, followed by nothing so far.
    held: Vec<u8>,
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
    /// In a field without quotes, or after its quotes.
    Plain,
}

impl Blanks {
    pub(super) fn new(separator: u8) -> Self {
        Blanks { separator, state: State::Start, held: Vec::new() }
    }

    /// Appends the bytes of the next piece to `kept`. Calls `removed` with the number of blanks
    /// before a quoted field and the length of `kept` there.
    pub(super) fn pass(
        &mut self,
        piece: &[u8],
        kept: &mut Vec<u8>,
        removed: &mut impl FnMut(usize, usize),
    ) {
        if self.state != State::Quoted && self.held.is_empty() && !piece.contains(&b'"') {
            let n_blanks = piece.iter().rev().take_while(|byte| self.is_blank(**byte)).count();
            let (plain, blanks) = piece.split_at(piece.len() - n_blanks);
            let starts = |byte: &u8| *byte == self.separator || matches!(byte, b'\n' | b'\r');
            match plain.last() {
                Some(last) if starts(last) => self.state = State::Start,
                Some(_) => self.state = State::Plain,
                None => {}
            }
            kept.extend_from_slice(plain);
            match self.state {
                State::Start => self.held.extend_from_slice(blanks),
                State::Quoted | State::Closed | State::Plain => {
                    kept.extend_from_slice(blanks);
                    if !blanks.is_empty() {
                        self.state = State::Plain;
                    }
                }
            }
            return;
        }
        for &byte in piece {
            let ends = byte == self.separator || matches!(byte, b'\n' | b'\r');
            let next = match (self.state, byte) {
                (State::Start, blank) if self.is_blank(blank) => {
                    self.held.push(blank);
                    continue;
                }
                (State::Start, b'"') => {
                    if !self.held.is_empty() {
                        removed(self.held.len(), kept.len());
                        self.held.clear();
                    }
                    State::Quoted
                }
                (State::Quoted, b'"') => State::Closed,
                (State::Closed, b'"') | (State::Quoted, _) => State::Quoted,
                (State::Start | State::Closed | State::Plain, _) if ends => State::Start,
                (State::Start | State::Closed | State::Plain, _) => State::Plain,
            };
            kept.append(&mut self.held);
            kept.push(byte);
            self.state = next;
        }
    }

    /// Appends the blanks that are held at the end of the file.
    pub(super) fn finish(&mut self, kept: &mut Vec<u8>) {
        kept.append(&mut self.held);
    }

    fn is_blank(&self, byte: u8) -> bool {
        matches!(byte, b' ' | b'\t') && byte != self.separator
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kept bytes of a text in pieces of this length, and the number of removed blanks.
    fn passed(text: &str, len: usize) -> (String, usize) {
        let (mut kept, mut n_removed) = (Vec::new(), 0);
        let mut blanks = Blanks::new(b',');
        for piece in text.as_bytes().chunks(len) {
            blanks.pass(piece, &mut kept, &mut |n_blanks, _| n_removed += n_blanks);
        }
        blanks.finish(&mut kept);
        (String::from_utf8(kept).unwrap(), n_removed)
    }

    #[test]
    fn only_blanks_before_quoted_fields_are_removed() {
        for (text, expected) in [
            ("1, \"x\"\n", "1,\"x\"\n"),
            (" \t\"a\",  \"b, \"\"c\" , d\n", "\"a\",\"b, \"\"c\" , d\n"),
            ("a, b \"c\", \"d\"", "a, b \"c\",\"d\""),
            ("\"x\n, \"\" \",1", "\"x\n, \"\" \",1"),
            ("\"x\" \"y\", \"z\"", "\"x\" \"y\",\"z\""),
            ("1,   \n  \n 2,  ", "1,   \n  \n 2,  "),
            ("", ""),
        ] {
            for len in 1..=text.len().max(1) {
                let found = passed(text, len);
                assert_eq!(found, (expected.to_owned(), text.len() - expected.len()), "{text:?}");
            }
        }
    }
}
