//! Lexing, and corrections that are easier on tokens than in a grammar: comments of other
//! languages, line numbers of pasted listings, `case` statements of Pascal, the structure of
//! statements, declarations of other languages and inside routines, reserved words, the type
//! `handle`, labels, excessive nesting.

use logos::Logos;
use star_base::{Code, Diagnostic, FileId, Span};

use crate::declarations::{self, Removed};
use crate::errors::{COLLECTIONS, begins_statements};
use crate::parser::MAX_ERRORS;
use crate::state::{MAX_DEPTH, begins_item};
use crate::structure;
use crate::token::{LexError, Token, number_in};
use crate::words::FieldNames;

/// A token with the bytes at which it begins and ends.
pub(crate) type Spanned = (u32, Token, u32);

/// The tokens of a file.
pub(crate) struct Lexed {
    pub(crate) tokens: Vec<Spanned>,
    pub(crate) comments: Vec<Span>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Text that is not a token, in order: syntax errors next to it only repeat the message.
    pub(crate) gaps: Vec<Gap>,
    /// Declarations that were removed from the tokens of routines, in order.
    pub(crate) removed: Vec<Removed>,
}

/// A piece of text that could not be divided into tokens, which was reported.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gap {
    pub(crate) error: LexError,
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// The end of its last line.
    pub(crate) line_end: u32,
}

impl Gap {
    fn new(error: LexError, text: &str, span: Span) -> Self {
        let line = text[span.end as usize..].find('\n');
        let line_end = line.map_or(text.len(), |at| span.end as usize + at) as u32;
        Gap { error, start: span.start, end: span.end, line_end }
    }
}

/// Divides `text` into tokens for a parser.
pub(crate) fn lex(file: FileId, text: &str) -> Lexed {
    let mut lexed = scan(file, text);
    drop_foreign_comments(file, text, &mut lexed);
    drop_line_numbers(file, text, &mut lexed);
    drop_cases(file, text, &mut lexed);
    structure::drop_empty_parentheses(file, &mut lexed);
    structure::divide_words(file, text, &mut lexed);
    structure::add_keywords(file, text, &mut lexed);
    structure::match_elses(file, &mut lexed);
    find_handles(text, &mut lexed);
    declarations::remove(file, text, &mut lexed);
    declarations::find_labels(&mut lexed);
    bound_nesting(file, &mut lexed);
    lexed
}

fn scan(file: FileId, text: &str) -> Lexed {
    let mut lexed = Lexed {
        tokens: Vec::new(),
        comments: Vec::new(),
        diagnostics: Vec::new(),
        gaps: Vec::new(),
        removed: Vec::new(),
    };
    let mut strange: Option<Span> = None; // adjacent invalid characters give one message
    let mut fields = FieldNames::default();
    for (token, range) in Token::lexer(text).spanned() {
        let token = match token {
            Ok(Token::Comment) | Err(_) => token,
            Ok(token) => Ok(fields.token(token, text, range.clone())),
        };
        let span = Span::new(file, range.start as u32, range.end as u32);
        if let Some(before) = strange {
            if token == Err(LexError::UnexpectedCharacter) && before.end == span.start {
                strange = Some(before.to(span));
                continue;
            }
            // An assignment of other languages: `x /= 2`.
            let is_operator = matches!(&text[before.range()], "/" | "%" | "^" | "&" | "|");
            if is_operator && token == Ok(Token::Equals) && before.end == span.start {
                strange = Some(before.to(span));
                continue;
            }
            lexed.strange(text, before);
            strange = None;
        }
        if lexed.diagnostics.len() >= MAX_ERRORS {
            break;
        }
        match token {
            // The line for the shell documents nothing.
            Ok(Token::Comment) if text[range.clone()].starts_with("#!") => {}
            Ok(Token::Comment) => lexed.comments.push(span),
            Ok(Token::Reserved) => {
                let word = &text[range];
                let is_type = ["array", "record"].iter().any(|it| it.eq_ignore_ascii_case(word));
                let blocks = ["forall", "where", "elsewhere"];
                let is_block = blocks.iter().any(|it| it.eq_ignore_ascii_case(word));
                let message = format!("`{word}` is a reserved word");
                lexed.diagnostics.push(
                    Diagnostic::at(Code::ReservedWord, span, message)
                        .note(if is_block {
                            "it is a keyword of blocks and loops over rows"
                        } else {
                            "it is a keyword of record types"
                        })
                        .help(if is_type { COLLECTIONS } else { "use another name" }),
                );
                lexed.tokens.push((span.start, Token::Name, span.end));
            }
            Ok(token) => lexed.tokens.push((span.start, token, span.end)),
            Err(LexError::UnexpectedCharacter) => strange = Some(span),
            Err(error) => {
                lexed.diagnostics.push(lex_error(error, text, span));
                lexed.gaps.push(Gap::new(error, text, span));
                // Let the parser continue as if a valid token had been there.
                if let Some(token) = stand_in(error, &text[range]) {
                    lexed.tokens.push((span.start, token, span.end));
                }
            }
        }
    }
    if let Some(span) = strange {
        lexed.strange(text, span);
    }
    lexed
}

impl Lexed {
    /// Returns whether invalid text begins between these bytes.
    pub(crate) fn has_gap(&self, start: u32, end: u32) -> bool {
        let next = self.gaps.partition_point(|gap| gap.start < start);
        self.gaps.get(next).is_some_and(|gap| gap.start < end)
    }

    fn strange(&mut self, text: &str, span: Span) {
        self.diagnostics.push(strange_characters(text, span));
        self.gaps.push(Gap::new(LexError::UnexpectedCharacter, text, span));
    }
}

fn stand_in(error: LexError, text: &str) -> Option<Token> {
    match error {
        LexError::NumberTooLarge => Some(Token::Number),
        LexError::UnterminatedQuote if text.starts_with('"') => Some(Token::Str),
        LexError::UnterminatedQuote => Some(Token::Bits),
        LexError::UnexpectedCharacter | LexError::UnterminatedComment => None,
    }
}

/// Marks `handle` as a type after a colon; it is an ordinary name everywhere else.
fn find_handles(text: &str, lexed: &mut Lexed) {
    let mut after_colon = false;
    for (start, token, end) in &mut lexed.tokens {
        *token = as_type(*token, &text[*start as usize..*end as usize], &mut after_colon);
    }
}

/// Returns the token, or [`Token::Handle`] for that name after a colon. `after_colon` refers to the
/// preceding token, and is updated for this one.
pub(crate) fn as_type(token: Token, text: &str, after_colon: &mut bool) -> Token {
    let behind = std::mem::replace(after_colon, matches!(token, Token::Colon));
    match token {
        Token::Name if behind && text.eq_ignore_ascii_case("handle") => Token::Handle,
        _ => token,
    }
}

fn strange_characters(text: &str, span: Span) -> Diagnostic {
    let found = &text[span.range()];
    let message = match found.chars().next() {
        Some(c) if found.chars().nth(1).is_none() && c.is_control() => {
            format!("the control character U+{:04X} has no meaning in Star", c as u32)
        }
        Some(c) if found.chars().all(|other| other == c) => {
            format!("`{}` has no meaning in Star", c.escape_debug())
        }
        _ if found.ends_with('=') => format!("`{found}` has no meaning in Star"),
        _ => "these characters have no meaning in Star".to_owned(),
    };
    let diagnostic = Diagnostic::at(Code::UnexpectedCharacter, span, message);
    match found {
        "!=" | "!" => diagnostic.help("write `<>` for “not equal” and `not` for negation"),
        "&" | "&&" => diagnostic.help("write `and`"),
        "|" | "||" => diagnostic.help("write `or`"),
        "^" => diagnostic.help("write `xor` for bits; there is no power of integers"),
        "/=" => diagnostic.help("write `x := x div 2`"),
        "%=" => diagnostic.help("write `x := x mod 2`"),
        "^=" | "&=" | "|=" => diagnostic.help("write the whole assignment: `X := X and Y`"),
        "/" => diagnostic.help("write `div` for integer division"),
        "%" => diagnostic.help("write `mod` for the remainder"),
        _ if found.contains('\0') => diagnostic.note("is this a binary file?"),
        _ => diagnostic,
    }
}

fn lex_error(error: LexError, text: &str, span: Span) -> Diagnostic {
    match error {
        LexError::UnexpectedCharacter => strange_characters(text, span),
        LexError::UnterminatedComment => {
            let opening = if text[span.range()].starts_with('{') { 1 } else { 2 };
            let start = Span::new(span.file, span.start, span.start + opening);
            Diagnostic::at(Code::Unterminated, start, "this comment is not closed").note(COMMENTS)
        }
        LexError::UnterminatedQuote => {
            let what = if text[span.range()].starts_with('"') { "string" } else { "bit constant" };
            Diagnostic::at(
                Code::Unterminated,
                span,
                format!("this {what} is not closed on its line"),
            )
        }
        LexError::NumberTooLarge => {
            Diagnostic::at(Code::NumberTooLarge, span, "this number does not fit in 64 bits")
                .note("an integer is between -9223372036854775808 and 9223372036854775807")
                .help("longer numbers are words: `'0110…'`")
        }
    }
}

/// The note on the forms of comments.
const COMMENTS: &str =
    "comments are `/* … */`, `(* … *)`, `{ … }` and `// …` to the end of the line";

/// Reports comments of other languages, after `--`, `#` or, at the beginning of a line, `%`, and
/// removes their text.
fn drop_foreign_comments(file: FileId, text: &str, lexed: &mut Lexed) {
    let is_first = |at: u32| {
        let line = text[..at as usize].rsplit('\n').next();
        line.is_some_and(|before| before.trim().is_empty())
    };
    let mut marks: Vec<Span> = Vec::new();
    for pair in lexed.tokens.windows(2) {
        let [(start, Token::Minus, middle), (next, Token::Minus, end)] = *pair else { continue };
        let is_blank = text[end as usize..].starts_with(char::is_whitespace);
        if middle == next && (is_blank || is_first(start)) {
            marks.push(Span::new(file, start, end));
        }
    }
    for gap in &lexed.gaps {
        let found = &text[gap.start as usize..gap.end as usize];
        let begins = |mark: char| found.starts_with(mark);
        if begins('#') || begins('%') && is_first(gap.start) {
            marks.push(Span::new(file, gap.start, gap.start + 1));
        }
    }
    if marks.is_empty() {
        return;
    }
    marks.sort_unstable();
    let mut comments: Vec<(Span, Span)> = Vec::new();
    for mark in marks {
        if comments.last().is_none_or(|(_, comment)| comment.end <= mark.start) {
            let line = text[mark.end as usize..].find('\n');
            let end = line.map_or(text.len(), |n_bytes| mark.end as usize + n_bytes);
            comments.push((mark, Span::new(file, mark.start, end as u32)));
        }
    }
    // Their text is not that of a program.
    let is_outside = |at: u32| {
        let before = comments.partition_point(|(_, comment)| comment.start <= at);
        before.checked_sub(1).is_none_or(|idx| comments[idx].1.end <= at)
    };
    lexed.tokens.retain(|&(start, ..)| is_outside(start));
    lexed.diagnostics.retain(|one| one.span().is_none_or(|span| is_outside(span.start)));
    lexed.gaps.retain(|gap| is_outside(gap.start));
    let n_free = MAX_ERRORS.saturating_sub(lexed.diagnostics.len());
    lexed.diagnostics.extend(comments.into_iter().take(n_free).map(|(mark, comment)| {
        let message = format!("`{}` does not begin a comment", &text[mark.range()]);
        let diagnostic = Diagnostic::at(Code::UnexpectedToken, mark, message).note(COMMENTS);
        let behind = text[mark.end as usize..comment.end as usize].trim_end();
        if !behind.ends_with(';') && !behind.contains(":=") {
            return diagnostic.fix("write `//`", mark, "//");
        }
        // It may be a statement.
        let diagnostic = diagnostic.help("write `//` if this is a comment");
        match behind.split(|c: char| !c.is_alphanumeric() && c != '_').next() {
            Some(name) if !name.is_empty() && text[mark.range()] == *"--" => {
                diagnostic.help(format!("write `{name} := {name} - 1` if one is subtracted"))
            }
            Some(_) | None => diagnostic,
        }
    }));
}

/// Removes the line numbers of pasted listings.
fn drop_line_numbers(file: FileId, text: &str, lexed: &mut Lexed) {
    let mut numbers: Vec<usize> = Vec::new();
    let mut last = 0;
    let mut end_before = 0;
    for (idx, &(start, token, end)) in lexed.tokens.iter().enumerate() {
        let first_on_line = idx == 0 || text[end_before as usize..start as usize].contains('\n');
        end_before = end;
        if !first_on_line {
            continue;
        }
        match token {
            // An expression over several lines, such as `1 +`; the first line of a listing begins
            // with a statement or a declaration.
            Token::Number if numbers.is_empty() && operator_at(&lexed.tokens, idx + 1) => return,
            Token::Number => match number_in(&text[start as usize..end as usize]) {
                Some(number) if number > last => {
                    last = number;
                    numbers.push(idx);
                }
                Some(_) | None => return,
            },
            _ => return,
        }
    }
    if numbers.len() < 2 {
        return;
    }
    let span_of = |idx: usize| {
        let (start, _, end) = lexed.tokens[idx];
        Span::new(file, start, end)
    };
    let mut diagnostic = Diagnostic::at(
        Code::LineNumbers,
        span_of(numbers[0]),
        "every line begins with a line number",
    )
    .help("delete the numbers: they are not part of the program");
    for &idx in &numbers {
        diagnostic = diagnostic.fix("remove the line number", span_of(idx), "");
    }
    lexed.diagnostics.push(diagnostic);
    let mut at = 0;
    let mut next = numbers.iter().copied().peekable();
    let mut number_end = None;
    lexed.tokens.retain(|&(start, token, end)| {
        // `1.`, `1)` and `1:` are line numbers too.
        let sign = matches!(token, Token::Dot | Token::Close | Token::Colon);
        let drop = next.next_if_eq(&at).is_some() || sign && number_end == Some(start);
        number_end = (drop && !sign).then_some(end);
        at += 1;
        !drop
    });
}

/// Reports and removes `case` statements, which other dialects have.
fn drop_cases(file: FileId, text: &str, lexed: &mut Lexed) {
    let is = |&(start, token, end): &Spanned, word: &str| {
        token == Token::Name && text[start as usize..end as usize].eq_ignore_ascii_case(word)
    };
    let is_of = |spanned: &Spanned| spanned.1 == Token::Of || is(spanned, "of");
    let mut from = 0;
    while let Some(at) = lexed.tokens[from..].iter().position(|token| is(token, "case")) {
        let at = from + at;
        from = at + 1;
        let follows = at.checked_sub(1).is_none_or(|idx| begins_statements(lexed.tokens[idx].1));
        let head = lexed.tokens[from..].iter().take_while(|(_, token, _)| in_expression(*token));
        if !follows || !head.clone().any(is_of) {
            continue;
        }
        // Its `end`, or the end of the item.
        let mut depth = 1_usize;
        let mut end = from;
        while let Some(token) = lexed.tokens.get(end).filter(|(_, token, _)| !begins_item(token)) {
            match token.1 {
                Token::Begin | Token::WhereBlock => depth += 1,
                Token::End => depth -= 1,
                _ if is(token, "case") => depth += 1,
                _ => {}
            }
            end += 1;
            if depth == 0 {
                break;
            }
        }
        let whole = Span::new(file, lexed.tokens[at].0, lexed.tokens[end - 1].2);
        let inside = |span: Span| whole.start <= span.start && span.end <= whole.end;
        let is_reserved = |one: &Diagnostic| one.code == Code::ReservedWord;
        lexed.diagnostics.retain(|one| !(is_reserved(one) && one.span().is_some_and(inside)));
        let word = Span::new(file, whole.start, lexed.tokens[at].2);
        let message = "there is no `case` statement";
        lexed.diagnostics.push(
            Diagnostic::at(Code::UnexpectedToken, word, message)
                .help("write `if x = 1 then … else if x = 2 then … else …`"),
        );
        lexed.tokens.drain(at..end);
        from = at;
    }
}

/// Returns whether the token can occur in an expression, or is the name after it.
pub(crate) fn in_expression(token: Token) -> bool {
    !matches!(
        token,
        Token::Semicolon
            | Token::Colon
            | Token::Assign
            | Token::Begin
            | Token::WhereBlock
            | Token::Elsewhere
            | Token::End
            | Token::Then
            | Token::Else
            | Token::Do
            | Token::Repeat
            | Token::Until
    ) && !begins_item(&token)
}

/// Returns whether there is a binary operator.
fn operator_at(tokens: &[Spanned], idx: usize) -> bool {
    tokens.get(idx).is_some_and(|(_, token, _)| {
        matches!(
            token,
            Token::Plus
                | Token::PlusBar
                | Token::Minus
                | Token::Times
                | Token::Div
                | Token::Mod
                | Token::And
                | Token::Or
                | Token::Xor
                | Token::Equals
                | Token::Differs
                | Token::AtMost
                | Token::Less
                | Token::AtLeast
                | Token::Greater
        )
    })
}

/// Truncates the text where brackets nest too deeply; see Note [Depth] for all other nesting.
fn bound_nesting(file: FileId, lexed: &mut Lexed) {
    let mut depth = 0_usize;
    for (idx, &(start, token, end)) in lexed.tokens.iter().enumerate() {
        match token {
            Token::Open
            | Token::OpenBracket
            | Token::Begin
            | Token::Repeat
            | Token::WhereBlock
            | Token::Record => depth += 1,
            Token::Close | Token::CloseBracket | Token::End | Token::Until => {
                depth = depth.saturating_sub(1);
            }
            _ => {}
        }
        if depth > MAX_DEPTH as usize {
            lexed.diagnostics.push(too_deep(Span::new(file, start, end)));
            // Open constructs stay open: messages about them would be redundant.
            let begun = lexed.tokens[..idx].iter().rposition(|(_, token, _)| {
                matches!(token, Token::Proc | Token::Procedure | Token::Function | Token::Program)
            });
            lexed.tokens.truncate(begun.unwrap_or(0));
            return;
        }
    }
}

/// The message about text that is nested more than [`MAX_DEPTH`] levels deep.
pub(crate) fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::at(Code::NestedTooDeeply, span, format!("nested more than {MAX_DEPTH} levels deep"))
        .help("move a part into a separate routine or variable")
}
