//! Parser for the header of an array, a Python literal: a dictionary of texts, truth values,
//! integers, tuples and lists.

/// Maximum nesting depth of lists.
const MAX_DEPTH: usize = 8;

/// A literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Literal {
    Text(String),
    Bool(bool),
    Int(u64),
    /// A tuple or a list.
    List(Vec<Literal>),
    Dict(Vec<(String, Literal)>),
}

impl Literal {
    /// Parses a literal, ignoring surrounding white space.
    pub(super) fn parse(text: &str) -> Option<Literal> {
        let mut parser = Parser { rest: text };
        let literal = parser.literal(0)?;
        parser.skip_space();
        parser.rest.is_empty().then_some(literal)
    }
}

struct Parser<'a> {
    rest: &'a str,
}

impl Parser<'_> {
    fn literal(&mut self, depth: usize) -> Option<Literal> {
        if depth > MAX_DEPTH {
            return None;
        }
        self.skip_space();
        match self.rest.chars().next()? {
            '\'' | '"' => self.text().map(Literal::Text),
            '(' => self.list(')', depth),
            '[' => self.list(']', depth),
            '{' => self.dict(depth),
            '0'..='9' => self.int(),
            _ if self.take("True") => Some(Literal::Bool(true)),
            _ if self.take("False") => Some(Literal::Bool(false)),
            _ => None,
        }
    }

    fn list(&mut self, close: char, depth: usize) -> Option<Literal> {
        self.rest = &self.rest[1..]; // the bracket is one byte
        let mut items = Vec::new();
        while !self.take_char(close) {
            items.push(self.literal(depth + 1)?);
            if !self.take_char(',') {
                return self.take_char(close).then_some(Literal::List(items));
            }
        }
        Some(Literal::List(items))
    }

    fn dict(&mut self, depth: usize) -> Option<Literal> {
        self.rest = &self.rest[1..]; // the bracket is one byte
        let mut entries = Vec::new();
        while !self.take_char('}') {
            self.skip_space();
            let key = self.text()?;
            if !self.take_char(':') {
                return None;
            }
            entries.push((key, self.literal(depth + 1)?));
            if !self.take_char(',') {
                return self.take_char('}').then_some(Literal::Dict(entries));
            }
        }
        Some(Literal::Dict(entries))
    }

    /// Parses a text in quotes of either kind; a character after a backslash is kept unchanged, so
    /// escapes in names are not decoded.
    fn text(&mut self) -> Option<String> {
        let quote = self.rest.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
        let mut text = String::new();
        let mut characters = self.rest.char_indices().skip(1);
        while let Some((at, character)) = characters.next() {
            match character {
                '\\' => text.push(characters.next()?.1),
                _ if character == quote => {
                    self.rest = &self.rest[at + 1..]; // a quote is one byte
                    return Some(text);
                }
                _ => text.push(character),
            }
        }
        None
    }

    /// Parses an integer; Python 2 appended an `L`.
    fn int(&mut self) -> Option<Literal> {
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        self.rest = rest.strip_prefix('L').unwrap_or(rest);
        digits.parse().ok().map(Literal::Int)
    }

    fn take(&mut self, word: &str) -> bool {
        let rest = self.rest.strip_prefix(word);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn take_char(&mut self, character: char) -> bool {
        self.skip_space();
        let rest = self.rest.strip_prefix(character);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_header_dictionaries() {
        let text = "{'descr': [('a', '<i4'), (\"b\", '|u1'), ], 'fortran_order': True, 'shape': (3L,), } \n";
        let pair = |name: &str, descr: &str| {
            Literal::List(vec![Literal::Text(name.into()), Literal::Text(descr.into())])
        };
        let expected = Literal::Dict(vec![
            ("descr".into(), Literal::List(vec![pair("a", "<i4"), pair("b", "|u1")])),
            ("fortran_order".into(), Literal::Bool(true)),
            ("shape".into(), Literal::List(vec![Literal::Int(3)])),
        ]);
        assert_eq!(Literal::parse(text), Some(expected));
        assert_eq!(Literal::parse("()"), Some(Literal::List(Vec::new())));
        assert_eq!(Literal::parse("'a\\'b'"), Some(Literal::Text("a'b".into())));
    }

    #[test]
    fn rejects_everything_else() {
        for text in [
            "",
            "{",
            "{'a'}",
            "{'a': }",
            "{'a': 1",
            "(1, 2",
            "(1 2)",
            "'a",
            "-1",
            "None",
            "1 2",
            "99999999999999999999",
            "(,)",
            "[1)",
            "{1: 2}",
            "'\\",
        ] {
            assert_eq!(Literal::parse(text), None, "{text}");
        }
        let deep = "(".repeat(100_000);
        assert_eq!(Literal::parse(&deep), None);
    }
}
