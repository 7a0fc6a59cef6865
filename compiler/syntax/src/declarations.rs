//! Declarations inside routines: `const`, and `var` after `begin`. They are reported, removed from
//! the tokens of the routine, and parsed separately, so that uses of the names give no errors.

use star_base::{Code, Diagnostic, FileId, Span};

use crate::errors::{CONSTANTS, VARIABLES, begins_statements};
use crate::parser::MAX_ERRORS;
use crate::prepass::{Lexed, Spanned};
use crate::state::begins_item;
use crate::token::{Start, Token};

/// Declarations that were removed from a routine, as tokens of a piece.
#[derive(Debug)]
pub(crate) struct Removed {
    /// The byte at which they began.
    pub(crate) start: u32,
    pub(crate) tokens: Vec<Spanned>,
}

/// The part of a file that contains a token.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Between routines, or in a constant.
    Outside,
    /// Between the keyword of a routine and its `begin`.
    Header,
    /// In the body of a routine, with this number of open blocks.
    Body(usize),
}

impl Place {
    /// Returns the place after this token.
    pub(crate) fn after(self, token: Token) -> Place {
        match (token, self) {
            (Token::Proc | Token::Procedure | Token::Function | Token::Program, _) => Place::Header,
            (token, _) if begins_item(&token) => Place::Outside,
            (Token::Begin, Place::Header) => Place::Body(1),
            (Token::Begin | Token::Repeat, Place::Body(n)) => Place::Body(n + 1),
            (Token::End | Token::Until, Place::Body(1)) => Place::Outside,
            (Token::End | Token::Until, Place::Body(n)) => Place::Body(n - 1),
            (_, place) => place,
        }
    }
}

/// Reports and removes the declarations inside routines.
pub(crate) fn remove(file: FileId, lexed: &mut Lexed) {
    let (mut place, mut idx, mut n_kept) = (Place::Outside, 0, 0_usize);
    while let Some(&(start, token, end)) = lexed.tokens.get(idx) {
        let before = n_kept.checked_sub(1).map(|kept| lexed.tokens[kept].1);
        let rest = &lexed.tokens[idx..];
        let n_tokens = match (token, place) {
            _ if lexed.diagnostics.len() >= MAX_ERRORS => 0,
            (Token::Const, Place::Header | Place::Body(_)) => {
                constants(rest, place, &mut lexed.removed)
            }
            (Token::Var, Place::Body(_)) if before.is_some_and(begins_statements) => {
                variables(rest, &mut lexed.removed)
            }
            _ => 0,
        };
        if n_tokens > 0 {
            let (message, help) = match token {
                Token::Const => ("`const` is not allowed inside a routine", CONSTANTS),
                _ => ("`var` is not allowed after `begin`", VARIABLES),
            };
            let span = Span::new(file, start, end);
            let diagnostic = Diagnostic::at(Code::UnexpectedToken, span, message);
            lexed.diagnostics.push(diagnostic.help(help));
            idx += n_tokens;
            continue;
        }
        place = place.after(token);
        lexed.tokens[n_kept] = (start, token, end);
        n_kept += 1;
        idx += 1;
    }
    lexed.tokens.truncate(n_kept);
}

/// Removes constants; returns the number of their tokens. Those before another item follow a
/// routine whose `end` is missing, and stay.
fn constants(tokens: &[Spanned], place: Place, removed: &mut Vec<Removed>) -> usize {
    let token = |idx: usize| tokens.get(idx).map(|&(_, token, _)| token);
    let mut found = Vec::new();
    let mut next = 0;
    loop {
        let name = match token(next) {
            Some(Token::Const) => next + 1,
            // Other languages have one `const` for several constants, but not among statements.
            Some(Token::Name) if next > 0 && place == Place::Header => next,
            _ => break,
        };
        if (token(name), token(name + 1)) != (Some(Token::Name), Some(Token::Equals)) {
            break;
        }
        let Some(end) = end_of(&tokens[name..]) else { break };
        let start = tokens[next].0;
        let mut own = vec![(start, Token::Const, start)];
        own.extend(&tokens[name..name + end]);
        close(&mut own);
        found.push(Removed { start, tokens: own });
        next = name + end;
    }
    if next == 0 || token(next).is_none_or(|token| begins_item(&token)) {
        return 0;
    }
    removed.extend(found);
    next
}

/// Removes the declarations of a `var`; returns the number of tokens, at least that of `var`.
fn variables(tokens: &[Spanned], removed: &mut Vec<Removed>) -> usize {
    let (start, ..) = tokens[0];
    let mut own = vec![(start, Token::Begins(Start::Variables), start), tokens[0]];
    let mut next = 1;
    while let Some((declaration, n_tokens)) = variable(&tokens[next..]) {
        own.extend(declaration);
        close(&mut own);
        next += n_tokens;
    }
    if next > 1 {
        removed.push(Removed { start, tokens: own });
    }
    next
}

/// Returns the names and the type of a declaration, and the number of all its tokens.
fn variable(tokens: &[Spanned]) -> Option<(&[Spanned], usize)> {
    let token = |idx: usize| tokens.get(idx).map(|&(_, token, _)| token);
    let mut at = 0;
    while (token(at), token(at + 1)) == (Some(Token::Name), Some(Token::Comma)) {
        at += 2;
    }
    let is_type = token(at + 2)?.is_type();
    if (token(at), token(at + 1)) != (Some(Token::Name), Some(Token::Colon)) || !is_type {
        return None;
    }
    let n_tokens = end_of(tokens).unwrap_or(at + 3);
    // Other languages also give the variable a value.
    let ends = |&(_, token, _): &Spanned| {
        matches!(token, Token::Semicolon | Token::Assign | Token::Equals)
    };
    let n_declared = tokens[..n_tokens].iter().position(ends).unwrap_or(n_tokens);
    Some((&tokens[..n_declared], n_tokens))
}

/// Returns the number of tokens up to the first `;`, which the last declaration of a block may
/// lack. `None` if a block or an item begins before.
fn end_of(tokens: &[Spanned]) -> Option<usize> {
    let ends = |&(_, token, _): &Spanned| {
        begins_item(&token) || matches!(token, Token::Semicolon | Token::Begin | Token::End)
    };
    let end = tokens.iter().position(ends)?;
    match tokens[end].1 {
        Token::Semicolon => Some(end + 1),
        Token::End => Some(end),
        _ => None,
    }
}

/// Adds the final `;` of a declaration unless it has one.
fn close(tokens: &mut Vec<Spanned>) {
    if let Some(&(_, token, end)) = tokens.last()
        && token != Token::Semicolon
    {
        tokens.push((end, Token::Semicolon, end));
    }
}

/// Marks the numbers that are labels of statements as names, since the grammar has no other labels.
pub(crate) fn find_labels(lexed: &mut Lexed) {
    let mut place = Place::Outside;
    for idx in 0..lexed.tokens.len() {
        let token = lexed.tokens[idx].1;
        let next = lexed.tokens.get(idx + 1).map(|&(_, token, _)| token);
        if (token, next) == (Token::Number, Some(Token::Colon))
            && matches!(place, Place::Body(_))
            && begins_statements(lexed.tokens[idx - 1].1)
        {
            lexed.tokens[idx].1 = Token::Name;
        }
        place = place.after(token);
    }
}
