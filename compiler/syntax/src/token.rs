//! Tokens. Keywords are recognised in any letter case; names are kept as written.

use logos::{Lexer, Logos};

/// The error in a piece of text that is not a token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LexError {
    /// A character that cannot begin a token.
    #[default]
    UnexpectedCharacter,
    /// An unclosed comment; the rest of the file is skipped.
    UnterminatedComment,
    /// A string or bit constant that is not closed on its line.
    UnterminatedQuote,
    /// A number above 2⁶³.
    NumberTooLarge,
}

/// The kind of a piece of a fragment that is not an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Statements.
    Statements,
    /// An expression.
    Value,
    /// Declarations of variables.
    Variables,
}

/// A token. It contains no text, which can be found by its position, so that a list of tokens is
/// small.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(error = LexError, skip r"[ \t\r\n\f\u{FEFF}\u{A0}]+")]
#[allow(missing_docs, reason = "keywords and signs are self-explanatory")]
pub enum Token {
    #[token("proc", ignore(case))]
    Proc,
    #[token("procedure", ignore(case))]
    Procedure,
    #[token("function", ignore(case))]
    Function,
    #[token("program", ignore(case))]
    Program,
    #[token("import", ignore(case))]
    Import,
    #[token("const", ignore(case))]
    Const,
    #[token("var", ignore(case))]
    Var,
    #[token("begin", ignore(case))]
    Begin,
    #[token("end", ignore(case))]
    End,
    #[token("if", ignore(case))]
    If,
    #[token("then", ignore(case))]
    Then,
    #[token("else", ignore(case))]
    Else,
    #[token("while", ignore(case))]
    While,
    #[token("do", ignore(case))]
    Do,
    #[token("for", ignore(case))]
    For,
    #[token("to", ignore(case))]
    To,
    #[token("downto", ignore(case))]
    Downto,
    #[token("foreach", ignore(case))]
    Foreach,
    #[token("forall", ignore(case))]
    Forall,
    #[token("in", ignore(case))]
    In,
    #[token("repeat", ignore(case))]
    Repeat,
    #[token("until", ignore(case))]
    Until,
    #[token("goto", ignore(case))]
    Goto,
    #[token("integer", ignore(case))]
    Integer,
    #[token("boolean", ignore(case))]
    Boolean,
    #[token("string", ignore(case))]
    String,
    #[token("slice", ignore(case))]
    Slice,
    #[token("word", ignore(case))]
    Word,
    #[token("table", ignore(case))]
    Table,
    #[token("true", ignore(case))]
    True,
    #[token("false", ignore(case))]
    False,
    #[token("and", ignore(case))]
    And,
    #[token("or", ignore(case))]
    Or,
    #[token("xor", ignore(case))]
    Xor,
    #[token("not", ignore(case))]
    #[token("¬")]
    Not,
    #[token("div", ignore(case))]
    Div,
    #[token("mod", ignore(case))]
    Mod,
    #[token("type", ignore(case))]
    Type,
    #[token("record", ignore(case))]
    Record,
    #[token("array", ignore(case))]
    Array,
    #[token("of", ignore(case))]
    Of,
    #[token("where", ignore(case))]
    Where,
    /// `where` at the beginning of a block; [`Token::Where`] is a filter.
    WhereBlock,
    #[token("elsewhere", ignore(case))]
    Elsewhere,
    /// A keyword that has no meaning at its place.
    Reserved,

    #[regex(r"[\p{XID_Start}_][\p{XID_Continue}]*")]
    Name,
    /// A name where a type is expected: `handle` is not a keyword elsewhere.
    Handle,
    /// Precedes a piece of a fragment that is not an item, and occurs in no text.
    Begins(Start),
    #[regex(r"[0-9]+", number)]
    Number,
    #[regex(r"'[^'\n]*'")]
    #[regex(r"'[^'\n]*", unclosed)]
    Bits,
    #[regex(r#""[^"\n]*""#)]
    #[regex(r#""[^"\n]*"#, unclosed)]
    Str,
    #[token("Θ", priority = 20)]
    #[token("∅")]
    Theta,

    #[regex(":[ \t]*=")]
    Assign,
    #[token(":")]
    Colon,
    #[token(";")]
    Semicolon,
    #[token(",")]
    Comma,
    #[token(".")]
    Dot,
    #[token("..")]
    Dots,
    #[token("(")]
    Open,
    #[token(")")]
    Close,
    #[token("[")]
    OpenBracket,
    #[token("]")]
    CloseBracket,
    #[token("=")]
    Equals,
    #[token("<>")]
    #[token("≠")]
    Differs,
    #[token("<=")]
    AtMost,
    #[token("<")]
    Less,
    #[token(">=")]
    AtLeast,
    #[token(">")]
    Greater,
    #[token("+")]
    Plus,
    #[token("+|")]
    PlusBar,
    #[token("-")]
    Minus,
    #[token("*")]
    Times,

    #[regex(r"//[^\n]*", allow_greedy = true)]
    #[token("#!", first_line)]
    #[token("/*", |lexer| comment(lexer, "*/"))]
    #[token("(*", |lexer| comment(lexer, "*)"))]
    #[token("{", |lexer| comment(lexer, "}"))]
    Comment,
}

impl Token {
    /// Returns whether the token is the name of a type.
    pub fn is_type(&self) -> bool {
        matches!(
            self,
            Token::Integer
                | Token::Boolean
                | Token::String
                | Token::Slice
                | Token::Word
                | Token::Table
                | Token::Handle
        )
    }

    /// Returns whether the token is an operand of an expression, without what follows a name.
    pub fn is_operand(&self) -> bool {
        matches!(
            self,
            Token::Name
                | Token::Number
                | Token::Bits
                | Token::Str
                | Token::True
                | Token::False
                | Token::Theta
        )
    }

    /// Returns whether the token is an operator of signs, `:=` included.
    pub fn is_sign(&self) -> bool {
        matches!(
            self,
            Token::Assign
                | Token::Equals
                | Token::Differs
                | Token::AtMost
                | Token::Less
                | Token::AtLeast
                | Token::Greater
                | Token::Plus
                | Token::PlusBar
                | Token::Minus
                | Token::Times
        )
    }
}

/// Skips the first line of a text if it names the program that runs it, such as
/// `#!/usr/bin/env -S star run`.
fn first_line(lexer: &mut Lexer<'_, Token>) -> Result<(), LexError> {
    if lexer.span().start > 0 {
        return Err(LexError::UnexpectedCharacter);
    }
    lexer.bump(lexer.remainder().find('\n').unwrap_or(lexer.remainder().len()));
    Ok(())
}

fn comment(lexer: &mut Lexer<'_, Token>, end: &str) -> Result<(), LexError> {
    match lexer.remainder().find(end) {
        Some(at) => {
            lexer.bump(at + end.len());
            Ok(())
        }
        None => {
            lexer.bump(lexer.remainder().len());
            Err(LexError::UnterminatedComment)
        }
    }
}

fn number(lexer: &mut Lexer<'_, Token>) -> Result<(), LexError> {
    number_in(lexer.slice()).map(|_| ()).ok_or(LexError::NumberTooLarge)
}

/// Returns the number denoted by a token, up to 2⁶³, which is valid after a minus sign; `None` if
/// it is larger.
pub(crate) fn number_in(text: &str) -> Option<u64> {
    text.parse().ok().filter(|&number| number <= i64::MAX as u64 + 1)
}

/// Returns the text between the quotes of a token; nothing if the second one is missing.
pub(crate) fn unquoted(text: &str) -> &str {
    let mut inside = text.chars();
    match (inside.next(), inside.next_back()) {
        (Some(first), Some(last)) if first == last => inside.as_str(),
        (_, _) => "",
    }
}

/// Handles a quote that is not closed on its line.
fn unclosed(_: &mut Lexer<'_, Token>) -> Result<(), LexError> {
    Err(LexError::UnterminatedQuote)
}
