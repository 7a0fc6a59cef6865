//! Lexical context of a cursor in a text that is being typed: open strings, parentheses and
//! comments.

use std::ops::Range;

/// The kind of a part of a text, for colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A name or keyword.
    Word,
    /// A string or bit constant, quotes included.
    Quoted,
    /// A comment.
    Comment,
}

/// An open parenthesis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Open {
    /// The name before it, hyphens included; empty if there is none.
    pub name: String,
    /// The index of the argument at the cursor, from 0.
    pub argument: usize,
}

/// The context at the end of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// The start of the open string, its quote included.
    pub string: Option<usize>,
    /// Whether a comment or bit constant is open.
    pub closed_off: bool,
    /// The open parentheses, outermost first.
    pub open: Vec<Open>,
    /// The last word before the open string.
    pub word: Option<Range<usize>>,
    /// The parts of the text, in order.
    pub parts: Vec<(Range<usize>, Part)>,
}

/// Scans a text to its end.
pub fn context(text: &str) -> Context {
    let mut context = Context::default();
    let mut at = 0;
    // The name to which a parenthesis here would belong, if followed only by blanks.
    let mut name: Option<Range<usize>> = None;
    while let Some(character) = text[at..].chars().next() {
        let rest = &text[at..];
        let start = at;
        let (end, part) = match character {
            '"' | '\'' => {
                let body = &rest[1..];
                match body.find([character, '\n']) {
                    Some(len) if body[len..].starts_with(character) => {
                        (at + len + 2, Some(Part::Quoted))
                    }
                    // A line break ends an unclosed string.
                    Some(len) => (at + len + 1, Some(Part::Quoted)),
                    None => {
                        match character {
                            '"' => context.string = Some(at),
                            _ => context.closed_off = true,
                        }
                        context.word = name.take();
                        (text.len(), Some(Part::Quoted))
                    }
                }
            }
            '/' | '#' if rest.starts_with("//") || at == 0 && rest.starts_with("#!") => {
                match rest.find('\n') {
                    Some(len) => (at + len, Some(Part::Comment)),
                    None => {
                        context.closed_off = true;
                        (text.len(), Some(Part::Comment))
                    }
                }
            }
            '/' if rest.starts_with("/*") => comment(&mut context, text, at, "*/"),
            '(' if rest.starts_with("(*") => comment(&mut context, text, at, "*)"),
            '{' => comment(&mut context, text, at, "}"),
            '(' => {
                let name = name.take().map(|range| text[range].to_owned());
                context.open.push(Open { name: name.unwrap_or_default(), argument: 0 });
                (at + 1, None)
            }
            ')' => {
                context.open.pop();
                (at + 1, None)
            }
            ',' => {
                if let Some(open) = context.open.last_mut() {
                    open.argument += 1;
                }
                (at + 1, None)
            }
            c if is_word(c) => {
                let len = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                let hyphen = name.as_ref().is_some_and(|name| text[name.end..at] == *"-");
                let from = match (&name, hyphen) {
                    (Some(name), true) => name.start,
                    (_, _) => at,
                };
                name = Some(from..at + len);
                (at + len, Some(Part::Word))
            }
            c => (at + c.len_utf8(), None),
        };
        if let Some(part) = part {
            context.parts.push((start..end, part));
        }
        let keeps_name = part == Some(Part::Word) || character.is_whitespace() || character == '-';
        if !keeps_name {
            name = None;
        }
        at = end;
    }
    context
}

fn comment(context: &mut Context, text: &str, at: usize, end: &str) -> (usize, Option<Part>) {
    // An opening delimiter does not close itself.
    let body = at + 1.max(end.len());
    let found = text.get(body..).and_then(|rest| rest.find(end));
    if found.is_none() {
        context.closed_off = true;
    }
    (found.map_or(text.len(), |len| body + len + end.len()), Some(Part::Comment))
}

/// Tests whether the character may occur in a name.
pub fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(text: &str) -> Vec<(String, usize)> {
        context(text).open.into_iter().map(|open| (open.name, open.argument)).collect()
    }

    #[test]
    fn open_parentheses_have_names_and_arguments() {
        let one = |name: &str, argument| vec![(name.to_owned(), argument)];
        assert_eq!(open("WARSHALL(n, "), one("WARSHALL", 1));
        assert_eq!(open("WARSHALL-C (n, P, "), one("WARSHALL-C", 2));
        assert_eq!(open("X:=COL(i,T); MATCH(T, "), one("MATCH", 1));
        assert_eq!(open("a - (b"), one("a - ".trim_end_matches([' ', '-']), 0));
        let nested = vec![("MIN".to_owned(), 1), ("COL".to_owned(), 0)];
        assert_eq!(open("MIN(T, COL("), nested);
        assert_eq!(open("P(\"(\", '(', {(} /*(*/ (*(*) 1, "), one("P", 3));
        assert_eq!(open("P(1)"), []);
    }

    #[test]
    fn detects_open_strings_and_comments() {
        let found = context("read(T, \"gra");
        assert_eq!(found.string, Some(8));
        assert!(!found.closed_off && found.open[0].argument == 1);
        assert_eq!(context("import \"star:").word, Some(0..6));
        for text in ["// X", "/* X", "(* X", "{ X", "X := '01", "/*/"] {
            assert!(context(text).closed_off, "{text}");
        }
        for text in ["// X\nY", "/* X */ Y", "(**) Y", "{} Y", "'01' ", "\"a\" ", "\"a\nY"] {
            let found = context(text);
            assert!(!found.closed_off && found.string.is_none(), "{text}");
        }
    }
}
