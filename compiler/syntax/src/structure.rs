//! Corrections of the structure of headers and statements: empty parentheses, keywords without a
//! blank after them, a missing `then` or `do`, and an `else` that finds no `if`. Each is reported,
//! and the tokens are corrected, so that the following text gives no errors.

use std::collections::BTreeSet;

use logos::Logos;
use star_base::{Code, Diagnostic, FileId, Span, did_you_mean};

use crate::errors::begins_statements;
use crate::parser::MAX_ERRORS;
use crate::prepass::{Lexed, Spanned, in_expression};
use crate::state::begins_item;
use crate::token::Token;

/// Keywords that begin a statement with a condition or a range, with the keyword after it.
const HEADS: [(&str, Token, Token); 6] = [
    ("foreach", Token::Foreach, Token::Do),
    ("forall", Token::Forall, Token::Do),
    ("while", Token::While, Token::Do),
    ("where", Token::WhereBlock, Token::Do),
    ("for", Token::For, Token::Do),
    ("if", Token::If, Token::Then),
];

/// Keywords that follow an operand and precede another operand or a statement.
const INNER: [(&str, Token); 11] = [
    ("then", Token::Then),
    ("else", Token::Else),
    ("downto", Token::Downto),
    ("do", Token::Do),
    ("to", Token::To),
    ("in", Token::In),
    ("and", Token::And),
    ("xor", Token::Xor),
    ("or", Token::Or),
    ("div", Token::Div),
    ("mod", Token::Mod),
];

/// Reports and removes the parentheses of the header `procedure P()`.
pub(crate) fn drop_empty_parentheses(file: FileId, lexed: &mut Lexed) {
    let mut idx = 0;
    while let Some(&[head, name, open, close]) =
        lexed.tokens.get(idx..).and_then(<[_]>::first_chunk)
    {
        idx += 1;
        let is_empty = [name.1, open.1, close.1] == [Token::Name, Token::Open, Token::Close];
        if begins_item(&head.1) && is_empty && lexed.diagnostics.len() < MAX_ERRORS {
            let span = Span::new(file, open.0, close.2);
            let message = "a routine without parameters has no parentheses";
            let diagnostic = Diagnostic::at(Code::UnexpectedToken, span, message);
            lexed.diagnostics.push(diagnostic.fix("remove `()`", span, ""));
            lexed.tokens.drain(idx + 1..idx + 3);
        }
    }
}

/// Reports and divides names that are a keyword and the following name, number or keyword: `ifn=1`,
/// `dox:=1`.
pub(crate) fn divide_words(file: FileId, text: &str, lexed: &mut Lexed) {
    let word = |(start, _, end): Spanned| &text[start as usize..end as usize];
    let mut names: Option<BTreeSet<&str>> = None;
    let mut divided: Vec<(usize, Token, usize, Token)> = Vec::new();
    for (idx, &token) in lexed.tokens.iter().enumerate() {
        if token.1 != Token::Name || lexed.diagnostics.len() >= MAX_ERRORS {
            continue;
        }
        let Some(before) = idx.checked_sub(1).map(|before| lexed.tokens[before]) else { continue };
        let keyword = match before.1 {
            begins if begins_statements(begins) => head_of(word(token), &lexed.tokens[idx..]),
            ends if ends_operand(ends) && !lexed.has_gap(before.2, token.0) => {
                inner_of(word(token))
            }
            _ => None,
        };
        let Some((keyword, n_bytes)) = keyword else { continue };
        let rest = &word(token)[n_bytes..];
        let Some(next) = whole_token(rest) else { continue };
        if next == Token::Name {
            let all = || lexed.tokens.iter().filter(|(_, token, _)| *token == Token::Name);
            let names = names.get_or_insert_with(|| all().map(|&token| word(token)).collect());
            if !names.contains(rest) {
                continue;
            }
        }
        let (span, first) = (Span::new(file, token.0, token.2), &word(token)[..n_bytes]);
        let message = format!("missing blank in `{}`", word(token));
        lexed.diagnostics.push(Diagnostic::at(Code::UnexpectedToken, span, message).fix(
            format!("write `{first} {rest}`"),
            span,
            format!("{first} {rest}"),
        ));
        divided.push((idx, keyword, n_bytes, next));
    }
    for (idx, keyword, n_bytes, next) in divided.into_iter().rev() {
        let (start, _, end) = lexed.tokens[idx];
        let middle = start + n_bytes as u32;
        lexed.tokens[idx] = (middle, next, end);
        lexed.tokens.insert(idx, (start, keyword, middle));
    }
}

/// Returns the keyword that the first of these tokens, a name, begins with, if its statement has
/// the keywords that follow it; and the length of the keyword.
fn head_of(name: &str, statement: &[Spanned]) -> Option<(Token, usize)> {
    let &(head, keyword, last) = HEADS.iter().find(|(head, ..)| begins_with(name, head))?;
    let ends = |token: Token| !in_expression(token) && token != Token::Assign;
    let mut inside = statement[1..].iter().map(|(_, token, _)| *token);
    let mut middle = false;
    let end = inside.find(|&token| {
        middle |= match keyword {
            Token::For => matches!(token, Token::To | Token::Downto),
            Token::Foreach | Token::Forall => token == Token::In,
            _ => true,
        };
        ends(token)
    });
    // Without a condition it is another keyword that is misspelled.
    let is_alone = statement.get(1).map(|(_, token, _)| *token) == end;
    let is_known = !is_alone || !ends_like(name, head);
    (end == Some(last) && (middle || is_alone) && is_known).then_some((keyword, head.len()))
}

/// Returns the keyword that begins the name after an operand, and its length.
fn inner_of(name: &str) -> Option<(Token, usize)> {
    let (word, keyword) = INNER.iter().find(|(word, _)| begins_with(name, word))?;
    Some((*keyword, word.len())).filter(|_| !ends_like(name, word))
}

/// Returns whether a name begins with a keyword, in any letter case, and is longer.
pub(crate) fn begins_with(name: &str, keyword: &str) -> bool {
    let start = name.get(..keyword.len());
    name.len() > keyword.len() && start.is_some_and(|start| start.eq_ignore_ascii_case(keyword))
}

/// Returns whether the name is the keyword with its last letter twice, as in `iff`.
fn ends_like(name: &str, keyword: &str) -> bool {
    let more = &name[keyword.len()..];
    keyword.get(keyword.len() - 1..).is_some_and(|last| more.eq_ignore_ascii_case(last))
}

/// Returns the token that the whole text is.
fn whole_token(text: &str) -> Option<Token> {
    let mut tokens = Token::lexer(text);
    match (tokens.next(), tokens.next()) {
        (Some(Ok(token)), None) => Some(token),
        _ => None,
    }
}

/// Reports and adds `then` and `do` between a condition or range and a statement directly after it.
pub(crate) fn add_keywords(file: FileId, text: &str, lexed: &mut Lexed) {
    let mut missing: Vec<(usize, Token)> = Vec::new();
    for idx in 0..lexed.tokens.len() {
        let head = HEADS.iter().find(|(_, keyword, _)| *keyword == lexed.tokens[idx].1);
        let Some(&(_, keyword, last)) = head else { continue };
        if lexed.diagnostics.len() >= MAX_ERRORS {
            break;
        }
        let Some(next) = end_of_condition(lexed, idx, keyword) else { continue };
        let ((start, _, end), (.., before)) = (lexed.tokens[next], lexed.tokens[next - 1]);
        let word = if last == Token::Then { "then" } else { "do" };
        let found = &text[start as usize..end as usize];
        if did_you_mean(found, [word]).is_some() {
            continue;
        }
        let at = Span::new(file, before, before);
        lexed.diagnostics.push(
            Diagnostic::at(Code::UnexpectedToken, at, format!("missing `{word}`"))
                .label(Span::new(file, start, end), "before this statement")
                .fix(format!("write `{word}`"), at, format!(" {word}")),
        );
        missing.push((next, last));
    }
    for (next, keyword) in missing.into_iter().rev() {
        let before = lexed.tokens[next - 1].2;
        lexed.tokens.insert(next, (before, keyword, before));
    }
}

/// Returns the token that begins a statement after the condition or range of the keyword at `idx`;
/// `None` if `then` or `do` follows it, or nothing tells where it ends.
fn end_of_condition(lexed: &Lexed, idx: usize, keyword: Token) -> Option<usize> {
    let token = |idx: usize| lexed.tokens.get(idx).map(|&(_, token, _)| token);
    let (first, middle) = match keyword {
        // The sign after the variable.
        Token::For => (idx + 3, &[Token::To, Token::Downto][..]),
        Token::Foreach | Token::Forall => (idx + 1, &[Token::In][..]),
        _ => (idx + 1, &[][..]),
    };
    let mut is_whole = middle.is_empty();
    let (mut depth, mut statement) = (0_usize, None);
    let mut at = first;
    let begins = loop {
        match token(at)? {
            Token::Then | Token::Do => return None,
            Token::Begin
            | Token::WhereBlock
            | Token::If
            | Token::While
            | Token::For
            | Token::Foreach
            | Token::Forall
            | Token::Repeat
            | Token::Goto => break Some(at),
            Token::Open | Token::OpenBracket => depth += 1,
            Token::Close | Token::CloseBracket => depth = depth.saturating_sub(1),
            found if middle.contains(&found) => is_whole = true,
            found if !in_expression(found) => break None,
            found => {
                let follows = at > first && token(at - 1).is_some_and(ends_operand);
                let is_next = follows && is_whole && depth == 0 && begins_operand(found);
                statement = statement.or(is_next.then_some(at));
            }
        }
        at += 1;
    };
    let has_gap = lexed.has_gap(lexed.tokens[idx].2, lexed.tokens[at].0);
    let ended = token(at - 1).is_some_and(ends_operand) && at > first && is_whole;
    statement.or(begins.filter(|_| ended)).filter(|_| !has_gap)
}

/// Returns whether an operand ends with the token.
pub(crate) fn ends_operand(token: Token) -> bool {
    matches!(token, Token::Close | Token::CloseBracket)
        || begins_operand(token) && token != Token::Not
}

/// Returns whether an operand without parentheses begins with the token.
pub(crate) fn begins_operand(token: Token) -> bool {
    token.is_operand() || matches!(token, Token::Word | Token::Not)
}

/// The statement at the end of a block.
#[derive(Default)]
struct Block {
    /// The `begin` or `repeat`; `None` outside of all.
    open: Option<(Token, Span)>,
    /// The occurrences of `if`, `then` and `else` in its last statement.
    counts: [usize; 3],
    /// The number of those of the statement before, that had no `else`, and the `;` after it.
    before: usize,
    /// The `;` after the last statement with an `if`.
    end_of_if: Option<Span>,
}

impl Block {
    /// Returns the number of `if` without an `else` in the last statement.
    fn n_open(&self) -> usize {
        let [ifs, thens, elses] = self.counts;
        ifs.max(thens).saturating_sub(elses)
    }

    fn end_statement(&mut self, semicolon: Span) {
        self.before = self.n_open();
        if self.before > 0 {
            self.end_of_if = Some(semicolon);
        }
        self.counts = [0; 3];
    }
}

/// Reports each `else` without an `if`: after a semicolon, which is removed, inside the block of
/// the `if`, which gets an `end`, or after the `if` statement, where a semicolon replaces it.
pub(crate) fn match_elses(file: FileId, lexed: &mut Lexed) {
    let mut blocks = vec![Block::default()];
    // An `else` in parentheses belongs to an argument.
    let mut parens = 0_usize;
    let mut idx = 0;
    while let Some(&(start, token, end)) = lexed.tokens.get(idx) {
        let span = Span::new(file, start, end);
        parens = match token {
            Token::Open => parens + 1,
            Token::Close => parens.saturating_sub(1),
            token if begins_item(&token) || !in_expression(token) && token != Token::Else => 0,
            _ => parens,
        };
        if token == Token::Else && parens > 0 {
            idx += 1;
            continue;
        }
        if token == Token::Else && lexed.diagnostics.len() < MAX_ERRORS {
            let Some(at) = match_else(span, idx, &mut blocks, lexed) else { continue };
            idx = at;
        }
        let before = idx.checked_sub(1).map(|before| lexed.tokens[before].1);
        if begins_item(&token) {
            blocks.clear();
            blocks.push(Block::default());
        }
        let is_outer = blocks.len() == 1;
        if let Some(block) = blocks.last_mut() {
            match token {
                Token::If => block.counts[0] += 1,
                Token::Then => block.counts[1] += 1,
                Token::Else => block.counts[2] += 1,
                Token::Semicolon if before != Some(Token::Semicolon) => {
                    block.end_statement(span);
                }
                Token::Begin | Token::Repeat | Token::WhereBlock => {
                    let open = Some((token, span));
                    blocks.push(Block { open, ..Block::default() });
                }
                Token::End | Token::Until if !is_outer => {
                    blocks.pop();
                }
                _ => {}
            }
        }
        idx += 1;
    }
}

/// Finds the `if` of the `else` at `idx`. Returns the index of the `else` after the corrections;
/// `None` if it was removed or replaced by a semicolon.
fn match_else(span: Span, idx: usize, blocks: &mut Vec<Block>, lexed: &mut Lexed) -> Option<usize> {
    let Lexed { tokens, diagnostics, .. } = lexed;
    let before = idx.checked_sub(1).map(|before| tokens[before]);
    let (Some(block), Some((_, last, end))) = (blocks.last_mut(), before) else { return Some(idx) };
    let after_semicolon = last == Token::Semicolon;
    if !after_semicolon && block.n_open() > 0 {
        return Some(idx);
    }
    if after_semicolon && block.before > 0 {
        let is_semicolon = |&&(_, token, _): &&Spanned| token == Token::Semicolon;
        let first = idx - tokens[..idx].iter().rev().take_while(is_semicolon).count();
        for (start, _, end) in tokens.drain(first..idx).rev() {
            let semicolon = Span::new(span.file, start, end);
            diagnostics.push(
                Diagnostic::at(Code::SemicolonBeforeElse, semicolon, "no semicolon before `else`")
                    .note("a semicolon ends the whole `if` statement, so the `else` has no `if`")
                    .label(span, "this `else`")
                    .fix("remove the `;`", semicolon, ""),
            );
        }
        block.counts[0] = block.before;
        return Some(first);
    }
    let end_of_if = block.end_of_if;
    let is_if = |idx: &usize| blocks[*idx].n_open() > 0;
    let is_block = |block: &Block| matches!(block.open, Some((Token::Begin, _)));
    let n_begun = blocks.iter().rev().take_while(|block| is_block(block)).count();
    let n_blocks = blocks.len();
    let parent = (n_blocks - 1 - n_begun..n_blocks - 1).rev().find(is_if);
    let at = Span::new(span.file, end, end);
    if let Some(parent) = parent {
        let n_missing = n_blocks - 1 - parent;
        let ends = vec!["end"; n_missing].join(" ");
        let message = format!("missing `{ends}` before `else`");
        let mut diagnostic = Diagnostic::at(Code::UnexpectedToken, span, message);
        for block in blocks.drain(parent + 1..).rev() {
            if let Some((_, begin)) = block.open {
                diagnostic = diagnostic.label(begin, "perhaps for this `begin`");
            }
        }
        tokens.splice(idx..idx, vec![(end, Token::End, end); n_missing]);
        let title = format!("write `{ends}`");
        diagnostics.push(diagnostic.fix(title, at, format!(" {ends}")));
        return Some(idx + n_missing);
    }
    // The `if` may be outside of a `repeat`, which the parser reports.
    if matches!(blocks.last(), Some(Block { open: Some((Token::Repeat, _)), .. }))
        && (0..n_blocks).any(|idx| is_if(&idx))
    {
        return Some(idx);
    }
    if let Some(Block { open: Some((Token::WhereBlock, where_block)), .. }) = blocks.last() {
        let diagnostic = Diagnostic::at(Code::UnexpectedToken, span, "`else` of a `where`");
        let diagnostic = diagnostic.label(*where_block, "the other rows are `elsewhere`");
        tokens[idx].1 = Token::Elsewhere;
        // `else if c then` is a part with a condition.
        let has_condition = matches!(tokens.get(idx + 1), Some((_, Token::If, _)));
        let then = tokens[idx..].iter().position(|(_, token, _)| *token == Token::Then);
        diagnostics.push(match (has_condition, then) {
            (true, Some(then)) => {
                tokens[idx + then].1 = Token::Do;
                tokens.remove(idx + 1);
                diagnostic.help("write `elsewhere c do …` for `else if c then …`")
            }
            _ => diagnostic.fix("write `elsewhere`", span, "elsewhere"),
        });
        return Some(idx);
    }
    let diagnostic = Diagnostic::at(Code::UnexpectedToken, span, "`else` without `if`");
    diagnostics.push(match end_of_if {
        Some(semicolon) => diagnostic
            .label(semicolon, "the `if` statement ends here")
            .help("write several statements after `then` between `begin` and `end`"),
        None => diagnostic.help("write `if c then … else …`"),
    });
    if begins_statements(last) {
        tokens.remove(idx);
    } else {
        tokens[idx] = (span.start, Token::Semicolon, span.start);
    }
    None
}
