//! Scanner: characters to tokens.

use std::fmt;

use star_value::BitVector;

use super::{Fault, Parsed};
use crate::mnemonic::is_bare_char;

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// `check`.
    Word(&'a str),
    /// `%x` or `%"x y"`.
    Var(String),
    /// `#7`.
    VarNumber(u32),
    /// `@3`.
    Label(u32),
    /// `!3`.
    Loc(u32),
    /// `-5`.
    Number(i128),
    /// `"text"`.
    Str(String),
    /// `'0110'`.
    Bits(BitVector),
    /// `{`, `->`, `..`.
    Mark(&'a str),
    /// The end of the text.
    End,
}

impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Word(text) | Token::Mark(text) => write!(f, "`{text}`"),
            Token::Var(name) => write!(f, "`%{name}`"),
            Token::VarNumber(n) => write!(f, "`#{n}`"),
            Token::Label(n) => write!(f, "`@{n}`"),
            Token::Loc(n) => write!(f, "`!{n}`"),
            Token::Number(n) => write!(f, "`{n}`"),
            Token::Str(_) => f.write_str("a string"),
            Token::Bits(_) => f.write_str("a bit constant"),
            Token::End => f.write_str("the end"),
        }
    }
}

/// A position in the text.
#[derive(Clone, Copy)]
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Scanner { text, at: 0 }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Returns whether a `:` follows.
    pub(super) fn next_is_colon(mut self) -> bool {
        self.skip_blanks();
        self.rest().starts_with(':')
    }

    /// Consumes the characters for which `keep` holds.
    fn take(&mut self, keep: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !keep(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Scans a word; a hyphen between letters belongs to it, as in the names of intrinsics.
    fn word(&mut self) -> &'a str {
        let (rest, start) = (self.rest(), self.at);
        loop {
            self.take(|c| c.is_ascii_alphanumeric() || c == '_');
            let goes_on = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphabetic());
            match self.rest().strip_prefix('-') {
                Some(behind) if goes_on(behind) => self.at += 1,
                Some(_) | None => return &rest[..self.at - start],
            }
        }
    }

    fn skip_blanks(&mut self) {
        loop {
            self.take(char::is_whitespace);
            if !self.rest().starts_with(';') {
                return;
            }
            self.take(|c| c != '\n');
        }
    }

    /// Returns the next token and its start offset.
    pub(super) fn next(&mut self) -> Parsed<(usize, Token<'a>)> {
        self.skip_blanks();
        let start = self.at;
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            return Ok((start, Token::End));
        };
        let token = match first {
            'a'..='z' | 'A'..='Z' | '_' => Token::Word(self.word()),
            '0'..='9' => Token::Number(self.digits()?),
            '-' if rest.starts_with("->") => self.take_mark(2),
            '-' => {
                self.at += 1;
                Token::Number(-self.digits()?)
            }
            '.' if rest.starts_with("..") => self.take_mark(2),
            '%' => {
                self.at += 1;
                if self.rest().starts_with('"') {
                    Token::Var(self.quoted()?)
                } else {
                    match self.take(is_bare_char) {
                        "" => return self.fault("expected a name after `%`"),
                        name => Token::Var(name.to_owned()),
                    }
                }
            }
            '#' => Token::VarNumber(self.id()?),
            '@' => Token::Label(self.id()?),
            '!' => Token::Loc(self.id()?),
            '"' => Token::Str(self.quoted()?),
            '\'' => {
                self.at += 1;
                let bits = self.take(|c| c == '0' || c == '1');
                if !self.rest().starts_with('\'') {
                    return self.fault("expected `0`, `1` or `'`");
                }
                self.at += 1;
                match BitVector::parse(bits) {
                    Some(bits) => Token::Bits(bits),
                    None => return self.fault("not a bit constant"),
                }
            }
            '(' | ')' | '{' | '}' | '[' | ']' | ',' | ':' | '=' | '?' => self.take_mark(1),
            other => return self.fault(format!("unexpected character `{}`", other.escape_debug())),
        };
        Ok((start, token))
    }

    fn fault<T>(&self, message: impl Into<String>) -> Parsed<T> {
        Err(Fault { at: self.at, message: message.into() })
    }

    fn take_mark(&mut self, len: usize) -> Token<'a> {
        let mark = &self.rest()[..len];
        self.at += len;
        Token::Mark(mark)
    }

    fn digits(&mut self) -> Parsed<i128> {
        let start = self.at;
        match self.take(|c| c.is_ascii_digit()).parse::<u64>() {
            Ok(number) => Ok(i128::from(number)),
            Err(_) => {
                self.at = start;
                self.fault("expected a number of at most 64 bits")
            }
        }
    }

    /// Scans the number after `#`, `@` or `!`.
    fn id(&mut self) -> Parsed<u32> {
        self.at += 1;
        let start = self.at;
        match self.take(|c| c.is_ascii_digit()).parse() {
            Ok(number) => Ok(number),
            Err(_) => {
                self.at = start;
                self.fault("expected a number of at most 32 bits")
            }
        }
    }

    fn quoted(&mut self) -> Parsed<String> {
        self.at += 1;
        let mut text = String::new();
        loop {
            text.push_str(self.take(|c| !matches!(c, '"' | '\\' | '\n')));
            let rest = self.rest();
            let (taken, c) = if rest.starts_with('"') {
                self.at += 1;
                return Ok(text);
            } else if rest.starts_with("\\\"") {
                (2, '"')
            } else if rest.starts_with("\\\\") {
                (2, '\\')
            } else if rest.starts_with("\\n") {
                (2, '\n')
            } else if rest.starts_with("\\t") {
                (2, '\t')
            } else if let Some((hex, _)) =
                rest.strip_prefix("\\u{").and_then(|rest| rest.split_once('}'))
            {
                let code = u32::from_str_radix(hex, 16).ok();
                match code.and_then(char::from_u32) {
                    Some(c) => (hex.len() + 4, c),
                    None => return self.fault("invalid character code"),
                }
            } else if rest.starts_with('\\') {
                return self.fault("unknown escape in a string");
            } else {
                return self.fault("unterminated string");
            };
            self.at += taken;
            text.push(c);
        }
    }
}
