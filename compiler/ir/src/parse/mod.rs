//! Parser for the text form of SIR: a handwritten scanner and recursive descent. No text causes a
//! panic or a stack overflow. The rules that [`crate::verify()`] checks are not part of it.

mod data;
mod header;
mod kernel;
mod scan;
mod stmt;

use std::collections::HashMap;
use std::fmt;

use crate::mnemonic::Mnemonic;
use crate::program::{LabelId, LocId, Program, RoutineId, VarId};
use crate::stmt::Block;
use scan::{Scanner, Token};

/// The maximum nesting depth of statements, both here and in a program that verifies.
pub const MAX_DEPTH: usize = 512;

/// An error in the text form of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The message.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

/// Parses a program.
///
/// # Errors
/// Returns the first place where the text is not in the form that [`crate::print()`] writes. `;`
/// begins a comment; line breaks count as blanks.
///
/// ```
/// let routine = "routine 0 \"F\" (value %n: int) !0 {\n  print %n !0\n}\n";
/// let text = &format!("{routine}locations {{\n  !0 = 0:0..9\n}}\n");
/// let program = star_ir::parse(text).unwrap();
/// assert_eq!(&star_ir::print(&program), text);
/// ```
pub fn parse(text: &str) -> Result<Program, ParseError> {
    Parser::new(text).program().map_err(|fault| {
        let before = text.get(..fault.at).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        ParseError {
            line: before.bytes().filter(|&byte| byte == b'\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            message: fault.message,
        }
    })
}

/// An error at a byte offset.
pub(crate) struct Fault {
    at: usize,
    message: String,
}

pub(crate) type Parsed<T> = Result<T, Fault>;

pub(crate) struct Parser<'a> {
    scanner: Scanner<'a>,
    /// The next token and its offset.
    token: Token<'a>,
    start: usize,
    /// Variables of the routine by name; `None` for an ambiguous name.
    names: HashMap<String, Option<VarId>>,
    /// During the first pass over a header every name counts as known.
    declaring: bool,
    /// Calls with the name of their routine, to be compared once all routines are known.
    called: Vec<(usize, RoutineId, String)>,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Self {
        Parser {
            scanner: Scanner::new(text),
            token: Token::End,
            start: 0,
            names: HashMap::new(),
            declaring: false,
            called: Vec::new(),
            depth: 0,
        }
    }

    fn program(mut self) -> Parsed<Program> {
        self.advance()?;
        let mut program = Program::default();
        while self.is_word("routine") {
            let routine = self.routine(program.routines.len())?;
            program.push(routine);
        }
        if self.is_word("locations") {
            program.locations = self.locations()?.into();
        }
        if self.token != Token::End {
            return self.expected("a routine, the locations or the end");
        }
        for (at, callee, name) in self.called {
            match program.routines.get(callee.0 as usize) {
                Some(routine) if routine.name == name => {}
                Some(_) | None => {
                    let message = format!("routine {} is not named `{name}`", callee.0);
                    return Err(Fault { at, message });
                }
            }
        }
        Ok(program)
    }

    /// Consumes the next token and scans the following one.
    fn advance(&mut self) -> Parsed<Token<'a>> {
        let (start, next) = self.scanner.next()?;
        self.start = start;
        Ok(std::mem::replace(&mut self.token, next))
    }

    fn fault<T>(&self, message: impl Into<String>) -> Parsed<T> {
        Err(Fault { at: self.start, message: message.into() })
    }

    fn expected<T>(&self, what: &str) -> Parsed<T> {
        self.fault(format!("expected {what}, found {}", self.token))
    }

    fn is_word(&self, word: &str) -> bool {
        self.token == Token::Word(word)
    }

    fn is_mark(&self, mark: &str) -> bool {
        self.token == Token::Mark(mark)
    }

    fn take_word(&mut self, word: &str) -> Parsed<bool> {
        let found = self.is_word(word);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn take_mark(&mut self, mark: &str) -> Parsed<bool> {
        let found = self.is_mark(mark);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn word(&mut self, word: &str) -> Parsed<()> {
        if self.take_word(word)? { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }

    fn mark(&mut self, mark: &str) -> Parsed<()> {
        if self.take_mark(mark)? { Ok(()) } else { self.expected(&format!("`{mark}`")) }
    }

    pub(crate) fn comma(&mut self) -> Parsed<()> {
        self.mark(",")
    }

    /// Parses any word.
    fn any_word(&mut self, what: &str) -> Parsed<&'a str> {
        match self.token {
            Token::Word(word) => {
                self.advance()?;
                Ok(word)
            }
            _ => self.expected(what),
        }
    }

    pub(crate) fn mnemonic<M: Mnemonic>(&mut self, what: &str) -> Parsed<M> {
        let found = match self.token {
            Token::Word(word) => M::from_text(word),
            _ => None,
        };
        match found {
            Some(value) => {
                self.advance()?;
                Ok(value)
            }
            None => self.expected(what),
        }
    }

    fn number<N: TryFrom<i128>>(&mut self, what: &str) -> Parsed<N> {
        let Token::Number(number) = self.token else {
            return self.expected(what);
        };
        match N::try_from(number) {
            Ok(value) => {
                self.advance()?;
                Ok(value)
            }
            Err(_) => self.fault(format!("{number} is out of range for {what}")),
        }
    }

    fn string(&mut self, what: &str) -> Parsed<String> {
        match std::mem::replace(&mut self.token, Token::End) {
            Token::Str(text) => {
                self.advance()?;
                Ok(text)
            }
            other => {
                self.token = other;
                self.expected(what)
            }
        }
    }

    fn label(&mut self) -> Parsed<LabelId> {
        match self.token {
            Token::Label(n) => {
                self.advance()?;
                Ok(LabelId(n))
            }
            _ => self.expected("a label"),
        }
    }

    fn loc(&mut self) -> Parsed<LocId> {
        match self.token {
            Token::Loc(n) => {
                self.advance()?;
                Ok(LocId(n))
            }
            _ => self.expected("a location such as `!3`"),
        }
    }

    pub(crate) fn var(&mut self) -> Parsed<VarId> {
        let id = match &self.token {
            Token::VarNumber(n) => VarId(*n),
            Token::Var(_) if self.declaring => VarId(0),
            Token::Var(name) => match self.names.get(name) {
                Some(Some(id)) => *id,
                Some(None) => return self.fault(format!("ambiguous variable name `{name}`")),
                None => return self.fault(format!("unknown variable `{name}`")),
            },
            _ => return self.expected("a variable"),
        };
        self.advance()?;
        Ok(id)
    }

    /// `each, each, …` up to and including `close`.
    fn list<T>(
        &mut self,
        close: &str,
        mut each: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        if self.take_mark(close)? {
            return Ok(items);
        }
        loop {
            items.push(each(self)?);
            if self.take_mark(close)? {
                return Ok(items);
            }
            self.comma()?;
        }
    }

    /// `word [each, …]`, or nothing.
    fn bracketed<T>(
        &mut self,
        word: &str,
        each: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        if !self.take_word(word)? {
            return Ok(Vec::new());
        }
        self.mark("[")?;
        self.list("]", each)
    }

    /// `{ statements }`.
    fn block(&mut self) -> Parsed<Block> {
        self.mark("{")?;
        self.statements()
    }

    /// Statements up to and including `}`.
    fn statements(&mut self) -> Parsed<Block> {
        if self.depth > MAX_DEPTH {
            return self.fault(format!("nesting exceeds {MAX_DEPTH} levels"));
        }
        self.depth += 1;
        let mut block = Vec::new();
        while !self.is_mark("}") {
            let stmt = self.statement()?;
            block.push(stmt);
        }
        self.advance()?;
        self.depth -= 1;
        Ok(block)
    }
}
