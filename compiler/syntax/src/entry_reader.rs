//! Recognition of the ends of entries in a session, line by line, reading each line once.
//!
//! An entry is complete at the end of a line if nothing is open there: no comment, parenthesis,
//! `begin` or `repeat`, no header that waits for its body, no operator or keyword that needs a
//! continuation. An item ends where it is closed, whatever follows.

use logos::Logos;

use crate::repl_input::begins_group;
use crate::state::begins_item;
use crate::token::{LexError, Token};
use crate::words::FieldNames;

/// Accepts lines and reports whether they form an entry.
#[derive(Debug, Default)]
pub struct Feed {
    text: String,
    /// The end delimiter of the open comment.
    comment: Option<&'static str>,
    blocks: usize,
    parens: usize,
    routine: Routine,
    /// The names of fields among the tokens of the line.
    fields: FieldNames,
    /// The piece that contains the last tokens.
    piece: Piece,
    /// Does the last token need a continuation?
    unfinished: bool,
    /// The `if`s of the statement that still lack an `else`.
    ifs: usize,
    /// Is the last token a semicolon?
    after_semicolon: bool,
}

/// The state of a routine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Routine {
    /// There is none, or it is complete.
    #[default]
    None,
    /// Its body has not begun.
    Header,
    /// In its body.
    Body,
}

/// A part of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Piece {
    /// Only spaces and comments so far.
    #[default]
    Nothing,
    /// It ended with a semicolon.
    Ended,
    /// A statement or expression.
    Statement,
    /// A statement with an `if`, which an `else` may continue.
    If,
    /// Declarations of variables.
    Variables,
    /// A constant or import, still without a semicolon.
    Declaration,
    /// An item.
    Item,
}

/// The state of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// There are only spaces and comments.
    Empty,
    /// Something is open.
    Open,
    /// The entry is complete. If the next line is available, [`Feed::goes_on`] determines whether
    /// it belongs to the entry.
    Complete,
}

impl Feed {
    /// Creates an empty feed.
    pub fn new() -> Self {
        Feed::default()
    }

    /// Returns the lines so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Takes the lines so far as an entry.
    pub fn take(&mut self) -> String {
        std::mem::take(self).text
    }

    /// Returns whether there are no lines.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Returns whether the text ends inside a comment.
    pub fn in_comment(&self) -> bool {
        self.comment.is_some()
    }

    /// Adds a line.
    pub fn line(&mut self, line: &str) -> Readiness {
        self.text.push_str(line);
        self.text.push('\n');
        self.scan(line);
        self.readiness()
    }

    /// Returns the state of the entry.
    pub fn readiness(&self) -> Readiness {
        let closed = self.blocks == 0 && self.parens == 0 && self.routine == Routine::None;
        if self.comment.is_some() || !closed || self.unfinished {
            Readiness::Open
        } else if self.piece == Piece::Nothing {
            Readiness::Empty
        } else {
            Readiness::Complete
        }
    }

    /// Returns whether a next line could belong to the entry, although it is already complete.
    pub fn may_go_on(&self) -> bool {
        match self.piece {
            Piece::If => true,
            Piece::Variables => self.after_semicolon,
            Piece::Nothing | Piece::Ended | Piece::Statement | Piece::Declaration | Piece::Item => {
                false
            }
        }
    }

    /// Returns whether this next line belongs to the entry, which is complete without it. An `else`
    /// belongs to its `if`, a group of names after a semicolon to its `var`. A line without tokens
    /// decides nothing and is included.
    pub fn goes_on(&self, line: &str) -> bool {
        let mut tokens = Token::lexer(line).filter(|token| *token != Ok(Token::Comment));
        let first = match tokens.next() {
            None | Some(Err(LexError::UnterminatedComment)) => return self.may_go_on(),
            Some(Err(_)) => return false,
            Some(Ok(first)) => first,
        };
        match self.piece {
            Piece::If => first == Token::Else,
            Piece::Variables if self.after_semicolon => {
                let rest: Vec<Token> = tokens.map_while(Result::ok).collect();
                begins_group(std::iter::once(&first).chain(&rest))
            }
            Piece::Variables
            | Piece::Nothing
            | Piece::Ended
            | Piece::Statement
            | Piece::Declaration
            | Piece::Item => false,
        }
    }

    fn scan(&mut self, line: &str) {
        let mut line = line;
        let n_open = self.parens;
        if let Some(end) = self.comment {
            match line.find(end) {
                None => return,
                Some(at) => {
                    line = &line[at + end.len()..];
                    self.comment = None;
                }
            }
        }
        for (token, range) in Token::lexer(line).spanned() {
            match token {
                Ok(Token::Comment) => {}
                Ok(token) => {
                    let token = self.fields.token(token, line, range);
                    self.token(&token);
                }
                Err(LexError::UnterminatedComment) => {
                    self.comment = Some(match &line[range] {
                        opened if opened.starts_with("/*") => "*/",
                        opened if opened.starts_with("(*") => "*)",
                        _ => "}",
                    });
                }
                Err(LexError::UnterminatedQuote) => {
                    self.error();
                    self.close(&line[range], n_open);
                }
                Err(LexError::UnexpectedCharacter | LexError::NumberTooLarge) => self.error(),
            }
        }
    }

    /// Takes a part that is not a token, which a message will report.
    fn error(&mut self) {
        self.unfinished = false;
        if self.piece == Piece::Nothing {
            self.piece = Piece::Statement;
        }
    }

    /// Closes what this text would close if its quote had been closed before it: `print("a) end`.
    /// The following lines do not continue the line, on which `n_open` parentheses were open
    /// before.
    fn close(&mut self, quoted: &str, n_open: usize) {
        let ends = |token: &Token| matches!(token, Token::End | Token::Until);
        let text = quoted.get(1..).unwrap_or_default();
        for token in Token::lexer(text).filter_map(Result::ok).filter(ends) {
            self.token(&token);
        }
        self.unfinished = false;
        self.parens = self.parens.min(n_open);
    }

    fn token(&mut self, token: &Token) {
        self.unfinished = needs_more(token);
        self.after_semicolon = *token == Token::Semicolon;
        if begins_item(token) {
            // Routines do not nest: anything still open is an error.
            (self.blocks, self.parens) = (0, 0);
            (self.piece, self.routine) = match token {
                Token::Import | Token::Const => (Piece::Declaration, Routine::None),
                _ => (Piece::Item, Routine::Header),
            };
            return;
        }
        match token {
            Token::Begin | Token::Record if self.routine == Routine::Header => {
                self.blocks = 1;
                self.routine = Routine::Body;
            }
            Token::Begin | Token::Repeat | Token::WhereBlock => self.blocks += 1,
            Token::End | Token::Until => self.blocks = self.blocks.saturating_sub(1),
            Token::Open | Token::OpenBracket => self.parens += 1,
            Token::Close | Token::CloseBracket => self.parens = self.parens.saturating_sub(1),
            _ => {}
        }
        match self.routine {
            Routine::None => {}
            Routine::Header => return,
            Routine::Body => {
                if self.blocks == 0 {
                    self.routine = Routine::None;
                }
                return;
            }
        }
        if self.blocks > 0 || self.parens > 0 {
            if matches!(self.piece, Piece::Nothing | Piece::Ended) {
                self.piece = Piece::Statement;
            }
            return;
        }
        self.ifs = match token {
            Token::Semicolon => 0,
            Token::If => self.ifs + 1,
            Token::Else => self.ifs.saturating_sub(1),
            _ => self.ifs,
        };
        self.piece = match (self.piece, token) {
            (Piece::Item | Piece::Declaration, Token::Semicolon) => Piece::Item,
            (Piece::Variables, Token::Semicolon) => Piece::Variables,
            (_, Token::Semicolon) => Piece::Ended,
            (Piece::Item, Token::Dot) => Piece::Item,
            (_, Token::Var) => Piece::Variables,
            (_, Token::If) => Piece::If,
            (Piece::If, Token::Else) if self.ifs == 0 => Piece::Statement,
            (Piece::If, _) => Piece::If,
            (Piece::Variables, token) if declares(token) => Piece::Variables,
            (Piece::Declaration, _) => Piece::Declaration,
            (_, _) => Piece::Statement,
        };
    }
}

/// Returns whether the token always needs a continuation.
fn needs_more(token: &Token) -> bool {
    token.is_sign()
        || matches!(
            token,
            Token::Import
                | Token::Const
                | Token::Of
                | Token::Where
                | Token::WhereBlock
                | Token::Elsewhere
                | Token::Var
                | Token::If
                | Token::Then
                | Token::Else
                | Token::While
                | Token::Do
                | Token::For
                | Token::To
                | Token::Downto
                | Token::Foreach
                | Token::Forall
                | Token::Dots
                | Token::In
                | Token::Until
                | Token::Goto
                | Token::And
                | Token::Or
                | Token::Xor
                | Token::Not
                | Token::Div
                | Token::Mod
                | Token::Colon
                | Token::Comma
        )
}

/// Returns whether the token can occur in a declaration of variables.
fn declares(token: &Token) -> bool {
    matches!(token, Token::Name | Token::Comma | Token::Colon | Token::Close | Token::Of)
        || token.is_type()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After each line: `.` complete, `-` open, ` ` empty.
    fn feed(lines: &[&str]) -> String {
        let mut feed = Feed::new();
        let sign = |readiness| match readiness {
            Readiness::Empty => ' ',
            Readiness::Open => '-',
            Readiness::Complete => '.',
        };
        lines.iter().map(|line| sign(feed.line(line))).collect()
    }

    #[test]
    fn open_entries_wait() {
        assert_eq!(feed(&["x := 1"]), ".");
        assert_eq!(feed(&["begin", "x := 1", "end"]), "--.");
        assert_eq!(feed(&["FOO(1,", "2", ")"]), "--.");
        assert_eq!(feed(&["repeat x := 1", "until x = 1"]), "-.");
        assert_eq!(feed(&["x :=", "1 +", "2"]), "--.");
        assert_eq!(feed(&["if a then", "b := 1 else", "b := 2"]), "--.");
        assert_eq!(feed(&["for i := 1", "x"]), "..");
        let may_go_on = |text: &str| {
            let mut feed = Feed::new();
            feed.line(text);
            (feed.may_go_on(), feed.goes_on("b: word(2)"))
        };
        assert_eq!(may_go_on("var a: integer;"), (true, true));
        assert_eq!(may_go_on("var a: integer"), (false, false));
        let takes_else = |text: &str| {
            let mut feed = Feed::new();
            feed.line(text);
            feed.may_go_on() && feed.goes_on("else c")
        };
        for text in ["if a then b", "if a then b else if c then d", "if a then if b then c else d"]
        {
            assert!(takes_else(text), "{text}");
        }
        for text in ["if a then b;", "if a then b else c", "if a then if b then c else d else e"] {
            assert!(!takes_else(text), "{text}");
        }
        assert_eq!(feed(&["", "// nothing", "/* open", "begin", "*/ x"]), "  --.");
        assert_eq!(feed(&["(* a", "} */ *)", "{ b", "}"]), "- - ");
        assert_eq!(feed(&["s := \"begin (\"", "'0"]), "..");
    }

    #[test]
    fn an_open_string_does_not_continue_on_the_next_line() {
        assert_eq!(feed(&["print(\"abc)", "x"]), "..");
        assert_eq!(feed(&["print(\"abc", "x"]), "..");
        assert_eq!(feed(&["P(X, '01, (1", "x"]), "..");
        assert_eq!(feed(&["x := \"begin", "x"]), "..");
        assert_eq!(feed(&["begin print(\"abc) end", "x"]), "..");
        assert_eq!(feed(&["proc P; begin begin print(\"abc end end;", "x"]), "..");
        assert_eq!(feed(&["begin", "print(\"abc)", "x := 1", "end", "x"]), "---..");
        assert_eq!(feed(&["P(1,", "\"abc, (", "2)"]), "--.");
    }

    #[test]
    fn a_routine_waits_for_its_body() {
        assert_eq!(feed(&["proc P(x: integer);", "var y: integer;", "begin", "end;"]), "---.");
        assert_eq!(
            feed(&["proc P(x: integer;", "var y: integer);", "begin", "begin end", "end"]),
            "----."
        );
        // A routine without its end is over where the next one begins.
        assert_eq!(feed(&["proc P; begin begin", "proc Q; begin end;"]), "-.");
        assert_eq!(feed(&["const n =", "5"]), "-.");
        assert_eq!(feed(&["type R(h) = record", "end: uint(h);", "alive: bit", "end;"]), "---.");
        assert_eq!(feed(&["type R(h) =", "record w: bit end"]), "-.");
        assert_eq!(feed(&["import", "\"star:mst\";"]), "-.");
        assert_eq!(feed(&["var", "X:", "slice;"]), "--.");
    }

    #[test]
    fn some_entries_continue_depending_on_the_next_line() {
        let goes_on = |entry: &[&str], next: &str| {
            let mut feed = Feed::new();
            entry.iter().for_each(|line| {
                feed.line(line);
            });
            assert_eq!(feed.readiness(), Readiness::Complete, "{entry:?}");
            assert!(feed.may_go_on() || !feed.goes_on(next));
            feed.goes_on(next)
        };
        assert!(goes_on(&["if a then b := 1"], "ELSE b := 2"));
        assert!(goes_on(&["if a then begin b := 1 end"], "/* no */ else b := 2"));
        assert!(!goes_on(&["if a then b := 1;"], "else b := 2"));
        assert!(!goes_on(&["if a then b := 1"], "c := 2"));
        assert!(!goes_on(&["proc P; begin if a then b end;"], "function F: integer;"));
        assert!(!goes_on(&["proc P; begin end;"], ""));
        assert!(!goes_on(&["const n = 5;"], "proc P;"));
        assert!(!goes_on(&["proc P; begin end;"], "P"));
        assert!(goes_on(&["var X: slice(n);"], "Y, Z: word;"));
        assert!(!goes_on(&["var X: slice(n);"], "Y := Z"));
        assert!(!goes_on(&["var X: slice(n); X := Y"], "Y: word;"));
    }
}
