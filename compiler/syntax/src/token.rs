//! Tokens. Keywords are recognised in any letter case; names are kept as written.

use logos::{Lexer, Logos};
use std::fmt;

/// What is wrong with a piece of text that is no token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LexError {
    /// A character that begins no token.
    #[default]
    UnexpectedCharacter,
    /// A comment without its end; the rest of the file is swallowed.
    UnterminatedComment,
    /// A string or bit constant that does not end on its line.
    UnterminatedQuote,
    /// A number above 2⁶³.
    NumberTooLarge,
}

/// What a piece of a fragment is, if it is no item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Statements.
    Statements,
    /// An expression.
    Value,
    /// Declarations of variables.
    Variables,
}

/// A token. Those that are no keyword or sign carry their text.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(error = LexError, skip r"[ \t\r\n\f\u{FEFF}\u{A0}]+")]
#[allow(missing_docs, reason = "keywords and signs say what they are")]
pub enum Token<'s> {
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
    Word(&'s str),
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
    #[regex("(?i:type|record|array|of|forall|where|elsewhere)", priority = 20)]
    Reserved(&'s str),

    #[regex(r"[\p{XID_Start}_][\p{XID_Continue}]*")]
    Name(&'s str),
    /// A name where a type stands: `handle` is no keyword elsewhere.
    Handle,
    /// Stands in front of a piece of a fragment that is no item, and in no text.
    Begins(Start),
    #[regex(r"[0-9]+", number)]
    Number(u64),
    #[regex(r"'[^'\n]*'", unquote)]
    #[regex(r"'[^'\n]*", |_| Err(LexError::UnterminatedQuote))]
    Bits(&'s str),
    #[regex(r#""[^"\n]*""#, unquote)]
    #[regex(r#""[^"\n]*"#, |_| Err(LexError::UnterminatedQuote))]
    Str(&'s str),
    #[token("Θ", priority = 20)]
    #[token("∅")]
    Theta,

    #[regex(":[ \t]*=")]
    Assign(&'s str),
    #[token(":")]
    Colon,
    #[token(";")]
    Semicolon,
    #[token(",")]
    Comma,
    #[token(".")]
    Dot,
    #[token("(")]
    Open,
    #[token(")")]
    Close,
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
    #[token("-")]
    Minus,
    #[token("*")]
    Times,

    #[regex(r"//[^\n]*", allow_greedy = true)]
    #[token("/*", |lexer| comment(lexer, "*/"))]
    #[token("(*", |lexer| comment(lexer, "*)"))]
    #[token("{", |lexer| comment(lexer, "}"))]
    Comment,
}

fn comment<'s>(lexer: &mut Lexer<'s, Token<'s>>, end: &str) -> Result<(), LexError> {
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

fn number<'s>(lexer: &mut Lexer<'s, Token<'s>>) -> Result<u64, LexError> {
    let limit = i64::MAX as u64 + 1; // legal behind a minus sign
    lexer.slice().parse().ok().filter(|&n| n <= limit).ok_or(LexError::NumberTooLarge)
}

fn unquote<'s>(lexer: &mut Lexer<'s, Token<'s>>) -> &'s str {
    let text = lexer.slice();
    &text[1..text.len() - 1]
}

/// The token as a message shows it.
impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Token::Proc => "proc",
            Token::Procedure => "procedure",
            Token::Function => "function",
            Token::Program => "program",
            Token::Import => "import",
            Token::Const => "const",
            Token::Var => "var",
            Token::Begin => "begin",
            Token::End => "end",
            Token::If => "if",
            Token::Then => "then",
            Token::Else => "else",
            Token::While => "while",
            Token::Do => "do",
            Token::For => "for",
            Token::To => "to",
            Token::Downto => "downto",
            Token::Foreach => "foreach",
            Token::In => "in",
            Token::Repeat => "repeat",
            Token::Until => "until",
            Token::Goto => "goto",
            Token::Integer => "integer",
            Token::Boolean => "boolean",
            Token::String => "string",
            Token::Slice => "slice",
            Token::Word(_) => "word",
            Token::Table => "table",
            Token::Handle => "handle",
            Token::Begins(Start::Statements) => "statements",
            Token::Begins(Start::Value) => "an expression",
            Token::Begins(Start::Variables) => "variables",
            Token::True => "true",
            Token::False => "false",
            Token::And => "and",
            Token::Or => "or",
            Token::Xor => "xor",
            Token::Not => "not",
            Token::Div => "div",
            Token::Mod => "mod",
            Token::Reserved(text) | Token::Name(text) => text,
            Token::Number(number) => return write!(f, "{number}"),
            Token::Bits(text) => return write!(f, "'{text}'"),
            Token::Str(text) => return write!(f, "\"{text}\""),
            Token::Theta => "Θ",
            Token::Assign(_) => ":=",
            Token::Colon => ":",
            Token::Semicolon => ";",
            Token::Comma => ",",
            Token::Dot => ".",
            Token::Open => "(",
            Token::Close => ")",
            Token::Equals => "=",
            Token::Differs => "<>",
            Token::AtMost => "<=",
            Token::Less => "<",
            Token::AtLeast => ">=",
            Token::Greater => ">",
            Token::Plus => "+",
            Token::Minus => "-",
            Token::Times => "*",
            Token::Comment => "comment",
        };
        f.write_str(text)
    }
}
