//! Declarations of other languages: `const` inside routines and `var` after `begin`, which are
//! parsed separately, so that uses of the names give no errors; sections `label` and `uses`; values
//! of variables, and types of constants. They are reported and removed.

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
            (Token::Begin | Token::Repeat | Token::WhereBlock, Place::Body(n)) => {
                Place::Body(n + 1)
            }
            (Token::End | Token::Until, Place::Body(1)) => Place::Outside,
            (Token::End | Token::Until, Place::Body(n)) => Place::Body(n - 1),
            (_, place) => place,
        }
    }
}

/// Reports and removes these declarations.
pub(crate) fn remove(file: FileId, text: &str, lexed: &mut Lexed) {
    correct_constants(file, text, lexed);
    let (mut place, mut idx, mut n_kept) = (Place::Outside, 0, 0_usize);
    // Whether the last tokens are those of a `var` before the body of a routine, or in a session.
    let (mut in_vars, mut depth) = (false, 0_usize);
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
        let kept = &lexed.tokens[..n_kept];
        let foreign = match token {
            _ if lexed.diagnostics.len() >= MAX_ERRORS => None,
            Token::Name => section(file, text, place, kept, rest),
            Token::Assign | Token::Equals if in_vars => value(file, text, kept, rest),
            _ => None,
        };
        if let Some((diagnostic, n_tokens)) = foreign {
            lexed.diagnostics.push(diagnostic);
            idx += n_tokens;
            continue;
        }
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
        depth = match token {
            Token::Open | Token::OpenBracket => depth + 1,
            Token::Close | Token::CloseBracket => depth.saturating_sub(1),
            _ if begins_item(&token) => 0,
            _ => depth,
        };
        let is_body = matches!(place, Place::Body(_));
        in_vars =
            !is_body && !begins_item(&token) && (in_vars || token == Token::Var && depth == 0);
        lexed.tokens[n_kept] = (start, token, end);
        n_kept += 1;
        idx += 1;
    }
    lexed.tokens.truncate(n_kept);
}

/// Reports a section `label 1, 2;` or `uses a, b;` of other languages, whose tokens `rest` begins
/// with; returns the number of these tokens.
fn section(
    file: FileId,
    text: &str,
    place: Place,
    kept: &[Spanned],
    rest: &[Spanned],
) -> Option<(Diagnostic, usize)> {
    let word = |&(start, _, end): &Spanned| &text[start as usize..end as usize];
    let is_labels = word(&rest[0]).eq_ignore_ascii_case("label");
    let is_uses = word(&rest[0]).eq_ignore_ascii_case("uses");
    let begins = match kept.last() {
        None => true,
        Some((_, Token::Semicolon, _)) => true,
        Some((_, Token::Dot | Token::End, _)) => place == Place::Outside,
        Some(_) => false,
    };
    if !(is_labels || is_uses) || !begins || matches!(place, Place::Body(_)) {
        return None;
    }
    let mut at = 1;
    let end = loop {
        if !matches!(rest.get(at)?.1, Token::Name | Token::Number) {
            return None;
        }
        match rest.get(at + 1)?.1 {
            Token::Comma => at += 2,
            Token::Semicolon => break at + 1,
            _ => return None,
        }
    };
    let whole = Span::new(file, rest[0].0, rest[end].2);
    let error = |message| Diagnostic::at(Code::UnexpectedToken, whole, message);
    let diagnostic = if is_labels {
        error("there is no `label` section")
            .note("a label needs no declaration: `1:` before a statement is enough")
            .fix("remove the section", whole, "")
    } else {
        let names = rest[1..end].iter().filter(|(_, token, _)| *token != Token::Comma);
        let imports: Vec<String> =
            names.map(|name| format!("import \"{}.star\";", word(name))).collect();
        let imports = imports.join(" ");
        let diagnostic = error("there is no `uses` section")
            .note("`import \"star:paths\";` imports a module of the library");
        match place {
            Place::Outside => diagnostic.fix("write `import`", whole, imports),
            Place::Header | Place::Body(_) => diagnostic
                .help(format!("write `{imports}` above the routines"))
                .fix("remove the section", whole, ""),
        }
    };
    Some((diagnostic, end + 1))
}

/// Reports the value of a variable in its declaration, which is before the sign that `rest` begins
/// with; returns the number of tokens of the sign and the value.
fn value(
    file: FileId,
    text: &str,
    kept: &[Spanned],
    rest: &[Spanned],
) -> Option<(Diagnostic, usize)> {
    let begin = kept.iter().rposition(|&(_, token, _)| {
        matches!(token, Token::Semicolon | Token::Var) || begins_item(&token)
    })?;
    let declaration = &kept[begin + 1..];
    let colon = declaration.iter().position(|&(_, token, _)| token == Token::Colon)?;
    let has_type = declaration.get(colon + 1).is_some_and(|&(_, token, _)| token.is_type());
    let ends = |&(_, token, _): &Spanned| {
        begins_item(&token) || matches!(token, Token::Semicolon | Token::Begin | Token::End)
    };
    let n_tokens = rest.iter().position(ends).unwrap_or(rest.len());
    let is_whole = rest.get(n_tokens).is_none_or(|&(_, token, _)| token == Token::Semicolon);
    if !has_type || !is_whole || n_tokens < 2 {
        return None;
    }
    let (.., before) = *declaration.last()?;
    let &(_, sign, sign_end) = rest.first()?;
    let value = text[sign_end as usize..rest[n_tokens - 1].2 as usize].trim();
    let names = declaration[..colon].iter().filter(|(_, token, _)| *token == Token::Name);
    let assigns: String = names
        .map(|&(start, _, end)| format!(" {} := {value};", &text[start as usize..end as usize]))
        .collect();
    let at = Span::new(file, rest[0].0, sign_end);
    let sign = if sign == Token::Assign { ":=" } else { "=" };
    let mut diagnostic =
        Diagnostic::at(Code::UnexpectedToken, at, format!("unexpected `{sign}` in a declaration"))
            .note("a variable gets its value in a statement")
            .fix("remove the value", Span::new(file, before, rest[n_tokens - 1].2), "");
    let body = rest.iter().take_while(|(_, token, _)| !begins_item(token));
    if let Some(&(.., begin)) = body.clone().find(|(_, token, _)| *token == Token::Begin) {
        let begin = Span::new(file, begin, begin);
        diagnostic = diagnostic.fix("assign it after `begin`", begin, assigns);
    } else {
        diagnostic =
            diagnostic.help(format!("assign it in a statement:{}", assigns.trim_end_matches(';')));
    }
    Some((diagnostic, n_tokens))
}

/// Reports and corrects constants with `:=`, or with a type.
fn correct_constants(file: FileId, text: &str, lexed: &mut Lexed) {
    let mut idx = 0;
    while let Some(at) = lexed.tokens[idx..].iter().position(|it| it.1 == Token::Const) {
        idx += at + 1;
        let token = |at: usize| lexed.tokens.get(idx + at).map(|&(_, token, _)| token);
        if token(0) != Some(Token::Name) || lexed.diagnostics.len() >= MAX_ERRORS {
            continue;
        }
        let has_type =
            token(1) == Some(Token::Colon) && token(2).is_some_and(|token| token.is_type());
        let n_type = if has_type { 2 } else { 0 };
        let Some(sign @ (Token::Assign | Token::Equals)) = token(1 + n_type) else { continue };
        let span = |first: usize, last: usize| {
            Span::new(file, lexed.tokens[idx + first].0, lexed.tokens[idx + last].2)
        };
        let error = |at, message: String| Diagnostic::at(Code::UnexpectedToken, at, message);
        if has_type {
            let (at, name) = (span(1, 2), span(0, 0));
            let message = format!("unexpected type of the constant `{}`", &text[name.range()]);
            lexed.diagnostics.push(
                error(at, message).note("a constant has the type of its value").fix(
                    "remove the type",
                    at,
                    "",
                ),
            );
        }
        if sign == Token::Assign {
            let at = span(1 + n_type, 1 + n_type);
            let diagnostic = error(at, format!("unexpected `{}`", &text[at.range()]));
            lexed.diagnostics.push(
                diagnostic
                    .note("`=` gives a constant its value, and `:=` assigns to a variable")
                    .fix("write `=`", at, "="),
            );
            lexed.tokens[idx + 1 + n_type].1 = Token::Equals;
        }
        lexed.tokens.drain(idx + 1..idx + 1 + n_type);
    }
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
