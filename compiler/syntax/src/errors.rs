//! Wording of syntax errors: the unexpected text, and guesses of the intended one.

use star_base::{Builtin, Code, Diagnostic, Span, did_you_mean};

use crate::prepass::Spanned;
use crate::state::{State, begins_item};
use crate::structure::{begins_operand, begins_with};
use crate::token::Token;

impl State<'_> {
    pub(crate) fn unexpected(
        &self,
        token: Option<Token>,
        span: Span,
        expected: &[String],
    ) -> Diagnostic {
        let expects = |wanted: &str| expected.iter().any(|name| name.trim_matches('"') == wanted);
        let before = self.token_before(span.start);
        // Where a block may begin, but no other statement, the body of a routine is missing.
        let lacks_body = token.is_none() && expects("begin") && !expects("while");
        let nested = if lacks_body { self.nested_item(span, before) } else { None };
        let special = nested
            .or_else(|| self.unended_declaration(token, span, before, &expects))
            .or_else(|| self.second_constant(token, span))
            .or_else(|| self.increment(token, span, before))
            .or_else(|| self.range(token, span, &expects))
            .or_else(|| self.missing_begin(token, span, &expects))
            .or_else(|| self.unbalanced_repeat(token, span, &expects))
            .or_else(|| self.unexpected_in_where(token, span, before, &expects));
        if let Some(diagnostic) = special {
            return diagnostic;
        }
        let found = match token {
            Some(_) => format!("`{}`", elide(&self.text[span.range()])),
            None => format!("end of the {}", self.whole),
        };
        if let Some((_, before_token, before_end)) = before {
            let after = Span::new(self.file, before_end, before_end);
            let on_new_line = self.text[before_end as usize..span.start as usize].contains('\n');
            let begins = starts_statement(token) || on_new_line && !self.may_close(token, span);
            if expects(";") && token.is_some() && begins && !begins_statements(before_token) {
                return Diagnostic::at(Code::UnexpectedToken, after, "missing `;`")
                    .label(span, format!("before {found}"))
                    .fix("write `;`", after, ";");
            }
            if expects("end") && token.is_none() {
                let open = self.last_open_block(span.start);
                let word = match open {
                    Some((Token::WhereBlock, _)) => "where",
                    _ => "begin",
                };
                let place = open.map_or(self.span(span.start, span.start), |(_, place)| place);
                return Diagnostic::at(Code::UnexpectedToken, after, "missing `end`")
                    .note(format!("every `{word}` needs an `end`"))
                    .label(place, format!("perhaps for this `{word}`"));
            }
            if matches!(token, Some(Token::Equals)) && expects(":=") {
                return Diagnostic::at(Code::UnexpectedToken, span, "unexpected `=`").fix(
                    "write `:=`",
                    span,
                    ":=",
                );
            }
        }
        let place = if token.is_none() {
            before.map_or(span, |(_, _, end)| Span::new(self.file, end, end))
        } else {
            span
        };
        let mut diagnostic =
            Diagnostic::at(Code::UnexpectedToken, place, format!("unexpected {found}"));
        if let Some(wanted) = wanted(expected) {
            diagnostic = diagnostic.here(format!("expected {wanted}"));
        }
        if ELSE_IF.iter().any(|word| self.text[span.range()].eq_ignore_ascii_case(word)) {
            diagnostic = diagnostic.fix("write `else if`", span, "else if");
        } else if let Some((span, meant)) = self.meant(token, span, before, expected) {
            diagnostic = diagnostic.suggestion(format!("did you mean `{meant}`?"), span, meant);
        }
        let keyword = ["then", "do"].into_iter().find(|keyword| expects(keyword));
        if let (Some(Token::Colon | Token::Then | Token::Do), Some(keyword)) = (token, keyword) {
            let blank = if token == Some(Token::Colon) { " " } else { "" };
            let title = format!("write `{keyword}`");
            return diagnostic.fix(title, span, format!("{blank}{keyword}"));
        }
        let is_braced = before.is_some_and(|(.., end)| {
            self.text[end as usize..span.start as usize].trim_start().starts_with('{')
        });
        if is_braced {
            diagnostic =
                diagnostic.note("`{ … }` is a comment; statements are between `begin` and `end`");
        }
        if let Some(help) = self.other_language(token, span, before, &expects) {
            return diagnostic.help(help);
        }
        if let Some(help) = self.returned(before) {
            return diagnostic.help(help);
        }
        if let Some(name) = self.called_without_parentheses(token, before) {
            return diagnostic.help(format!("write arguments in parentheses: `{name}(…)`"));
        }
        match (token, before) {
            (Some(Token::Minus), Some((_, Token::Name, _))) => {
                diagnostic.note("a name with hyphens can only be called as a statement")
            }
            _ => diagnostic,
        }
    }

    /// Returns the help for a form of another language.
    fn other_language(
        &self,
        token: Option<Token>,
        span: Span,
        before: Option<Spanned>,
        expects: &impl Fn(&str) -> bool,
    ) -> Option<&'static str> {
        let is_one = |at: std::ops::Range<usize>, words: &[&str]| {
            words.iter().any(|word| self.text[at.clone()].eq_ignore_ascii_case(word))
        };
        match token? {
            _ if token?.is_type() && expects("array") => Some(KINDS_OF_FIELDS),
            Token::Name if expects("integer") => {
                if is_one(span.range(), &["real", "float", "double", "single"]) {
                    Some("there are no reals: integers with a scale stand for fractions")
                } else if is_one(span.range(), &["set", "list"]) {
                    Some(COLLECTIONS)
                } else if is_one(span.range(), &["int", "long", "longint"]) {
                    Some("write `integer`")
                } else if is_one(span.range(), &["bool"]) {
                    Some("write `boolean`")
                } else {
                    None
                }
            }
            Token::Assign if expects("in") => Some(RANGES),
            Token::To | Token::Downto if expects("..") => Some(RANGES),
            Token::Dots => Some(RANGES),
            Token::Assign if !expects(":=") => Some("`:=` assigns; to compare, write `=`"),
            Token::Times
                if before
                    .is_some_and(|(_, token, end)| (token, end) == (Token::Times, span.start)) =>
            {
                Some("there is no power of integers: multiply")
            }
            Token::And | Token::Or | Token::Xor if expects("then") || expects("do") => {
                Some(PARENTHESES)
            }
            Token::Equals if matches!(before, Some((_, Token::Equals, end)) if end == span.start) => {
                Some("to compare, write `=`")
            }
            Token::Equals
            | Token::Differs
            | Token::Less
            | Token::AtMost
            | Token::Greater
            | Token::AtLeast
                if expects("then")
                    || expects("do")
                    || expects(")")
                    || self.joins_before(span.start) =>
            {
                Some(PARENTHESES)
            }
            Token::In if expects("var") => {
                Some("a parameter without `var` is passed in; `var` precedes a result")
            }
            Token::In => {
                Some("`for i := 1 to 3 do` counts; `foreach i in X do` visits the ones of a slice")
            }
            Token::Close if expects(":") && is_one(self.last_name(before), &["output"]) => {
                Some("a program needs no `(input, output)`: `print` writes to standard output")
            }
            Token::Var => Some(VARIABLES),
            Token::Do => Some(FORMS_OF_LOOPS),
            Token::Open if matches!(before, Some((_, Token::For, _))) => {
                Some("a loop that counts is `for i := 1 to n do …`")
            }
            _ => None,
        }
    }

    /// Returns the built-in statement before an operand.
    fn called_without_parentheses(
        &self,
        token: Option<Token>,
        before: Option<Spanned>,
    ) -> Option<&str> {
        let (start, _, _) = before.filter(|_| token.is_some_and(begins_operand))?;
        let name = &self.text[self.last_name(before)];
        let is_statement = Builtin::find(name).is_some_and(Builtin::is_statement);
        // A line of a session begins with its first token.
        let opens = self.token_before(start).is_none_or(|(_, token, _)| begins_statements(token));
        (is_statement && opens).then_some(name)
    }

    /// Returns the bytes of the last token if it is a name.
    fn last_name(&self, before: Option<Spanned>) -> std::ops::Range<usize> {
        match before {
            Some((start, Token::Name, end)) => start as usize..end as usize,
            _ => 0..0,
        }
    }

    /// Reports an import or a constant without the final semicolon.
    fn unended_declaration(
        &self,
        token: Option<Token>,
        at: Span,
        before: Option<Spanned>,
        expects: &impl Fn(&str) -> bool,
    ) -> Option<Diagnostic> {
        let (_, _, end) = before.filter(|_| token.is_none() && expects(";"))?;
        let idx = self.tokens.partition_point(|&(.., end)| end <= at.start);
        let first = self.tokens[..idx].iter().rfind(|(_, token, _)| begins_item(token))?;
        let what = match first.1 {
            Token::Import => "an import ends with a semicolon",
            Token::Const => "a constant ends with a semicolon",
            Token::Type => "a type ends with a semicolon",
            _ => return None,
        };
        let end = self.span(end, end);
        let diagnostic = Diagnostic::at(Code::UnexpectedToken, end, "missing `;`");
        Some(diagnostic.note(what).fix("write `;`", end, ";"))
    }

    /// Reports `i += 1`, `i++` and similar assignments of other languages.
    fn increment(
        &self,
        token: Option<Token>,
        span: Span,
        before: Option<Spanned>,
    ) -> Option<Diagnostic> {
        let sign = |token: Token| match token {
            Token::Plus => Some("+"),
            Token::Minus => Some("-"),
            Token::Times => Some("*"),
            _ => None,
        };
        let idx = self.tokens.partition_point(|&(start, ..)| start < span.start);
        let token_at = |idx: usize| self.tokens.get(idx).copied();
        // The parser may have read the first sign as the hyphen of a call.
        let (first, second) = match (token?, before?) {
            (token, (_, Token::Name, _)) if sign(token).is_some() => (idx, idx + 1),
            (_, (_, token, _)) if sign(token).is_some() => (idx - 1, idx),
            _ => return None,
        };
        let (from, op, first_end) = token_at(first)?;
        let (start, next, end) = token_at(second)?;
        let (name_start, is_name, name_end) = token_at(first.checked_sub(1)?)?;
        let is_first = first
            .checked_sub(2)
            .and_then(token_at)
            .is_none_or(|(_, token, _)| begins_statements(token) || token == Token::Colon);
        let is_one = next == op && sign(op) != Some("*");
        let fits = start == first_end && is_name == Token::Name && is_first;
        if !fits || !(is_one || next == Token::Equals) {
            return None;
        }
        let name = &self.text[name_start as usize..name_end as usize];
        let (found, sign) = (&self.text[from as usize..end as usize], sign(op)?);
        let whole = |end| self.span(name_start, end);
        let diagnostic = Diagnostic::at(
            Code::UnexpectedToken,
            self.span(from, end),
            format!("`{found}` has no meaning in Star"),
        );
        if is_one {
            let text = format!("{name} := {name} {sign} 1");
            return Some(diagnostic.fix(format!("write `{text}`"), whole(end), text));
        }
        // The value may have operators that bind less.
        let (value_start, _, value_end) = token_at(second + 1)?;
        let value = &self.text[value_start as usize..value_end as usize];
        let is_whole = token_at(second + 2).is_none_or(|(_, token, _)| {
            matches!(token, Token::Semicolon | Token::End | Token::Else | Token::Until)
        });
        let text = format!("{name} := {name} {sign} {value}");
        Some(match is_whole {
            true => diagnostic.fix(format!("write `{text}`"), whole(value_end), text),
            false => diagnostic.help(format!("write `{name} := {name} {sign} (…)`")),
        })
    }

    /// Reports a `repeat` without `until`, and an `until` without `repeat`.
    fn unbalanced_repeat(
        &self,
        token: Option<Token>,
        span: Span,
        expects: &impl Fn(&str) -> bool,
    ) -> Option<Diagnostic> {
        let (open, at) = (self.last_open_block(span.start), token.is_some().then_some(span));
        let error = |span, message| Diagnostic::at(Code::UnexpectedToken, span, message);
        match (token, open) {
            (None | Some(Token::End | Token::Else), Some((Token::Repeat, repeat)))
                if expects("until") =>
            {
                let diagnostic = error(repeat, "`repeat` without `until`");
                let diagnostic = match at {
                    Some(at) => diagnostic.label(at, "expected `until` and a condition"),
                    None => diagnostic,
                };
                Some(diagnostic.help(FORMS_OF_LOOPS))
            }
            (Some(Token::Until), Some((Token::Begin, begin))) => {
                let is_inside = self.has_open_repeat(span.start);
                let diagnostic = match is_inside {
                    true => error(span, "missing `end` before `until`")
                        .label(begin, "perhaps for this `begin`"),
                    false => error(span, "`until` without `repeat`"),
                };
                Some(diagnostic.help(FORMS_OF_LOOPS))
            }
            (Some(Token::Until), None) => {
                Some(error(span, "`until` without `repeat`").help(FORMS_OF_LOOPS))
            }
            _ => None,
        }
    }

    /// Reports a statement where the `begin` of the body is still missing.
    fn missing_begin(
        &self,
        token: Option<Token>,
        at: Span,
        expects: &impl Fn(&str) -> bool,
    ) -> Option<Diagnostic> {
        let here = self.tokens.partition_point(|&(start, ..)| start < at.start);
        let token_at = |idx: usize| self.tokens.get(idx).map(|&(_, token, _)| token);
        // A name that begins a declaration may begin a statement.
        let first = match token? {
            Token::Assign | Token::Equals | Token::Open if expects(":") && expects(",") => {
                here.checked_sub(1)?
            }
            Token::Name if !expects("begin") || expects("name") || expects("while") => return None,
            Token::Name if matches!(token_at(here + 1), Some(Token::Colon | Token::Comma)) => {
                return None;
            }
            Token::Name => here,
            token if starts_statement(Some(token)) && expects("begin") && !expects("while") => here,
            _ => return None,
        };
        let before = &self.tokens[..first];
        let &(_, Token::Semicolon, end) = before.last()? else { return None };
        let (start, _, name_end) = self.tokens[first];
        let span = self.span(start, name_end);
        let header = before.iter().rev().take_while(|(_, token, _)| !begins_item(token));
        let is_open = header.fold(0_i64, |n, (_, token, _)| match token {
            Token::Open => n + 1,
            Token::Close => n - 1,
            _ => n,
        }) > 0;
        let word = &self.text[span.range()];
        let is_keyword =
            did_you_mean(word, ["begin", "var"]).is_some() || begins_with(word, "begin");
        if is_open || is_keyword {
            return None;
        }
        let message = "missing `begin`";
        let diagnostic = Diagnostic::at(Code::UnexpectedToken, self.span(end, end), message);
        Some(
            diagnostic
                .label(span, "before this statement")
                .note("the statements of a routine are between `begin` and `end`")
                .fix("write `begin`", self.span(start, start), "begin "),
        )
    }

    /// Returns whether `and`, `or` or `xor` stands in the same statement before byte `at`.
    fn joins_before(&self, at: u32) -> bool {
        let idx = self.tokens.partition_point(|&(_, _, end)| end <= at);
        let tokens = self.tokens[..idx].iter().rev().map(|(_, token, _)| *token);
        tokens
            .take_while(|&token| !begins_statements(token) && token != Token::Until)
            .any(|token| matches!(token, Token::And | Token::Or | Token::Xor))
    }

    /// Reports a constant or a routine inside a routine that has no body yet, which other languages
    /// allow.
    fn nested_item(&self, at: Span, before: Option<Spanned>) -> Option<Diagnostic> {
        let idx = self.tokens.partition_point(|&(start, ..)| start < at.start);
        let &(start, item, end) = self.tokens.get(idx).filter(|(_, item, _)| begins_item(item))?;
        let (span, (_, _, body)) = (self.span(start, end), before?);
        let message = format!("`{}` is not allowed inside a routine", &self.text[span.range()]);
        let help = match item {
            Token::Const => CONSTANTS,
            Token::Type => "types are declared before the routine, for the whole file",
            Token::Import => "imports are above the routines",
            _ => "routines do not nest; move it before this one",
        };
        let diagnostic = Diagnostic::at(Code::UnexpectedToken, span, message);
        let here = self.span(body, body);
        Some(diagnostic.label(here, "the `begin` of this one is still missing").help(help))
    }

    /// Reports a second constant after one `const`.
    fn second_constant(&self, token: Option<Token>, span: Span) -> Option<Diagnostic> {
        let idx = self.tokens.partition_point(|&(start, ..)| start < span.start);
        let begin = self.tokens[..idx].iter().rposition(|(_, token, _)| begins_item(token))?;
        let mut declared = self.tokens[begin..idx].iter().map(|(_, token, _)| *token);
        let is_one = declared.next() == Some(Token::Const)
            && declared.find(|token| *token == Token::Semicolon).is_some()
            && declared.next().is_none();
        let here = Span::new(self.file, span.start, span.start);
        (token == Some(Token::Name) && is_one).then(|| {
            Diagnostic::at(Code::UnexpectedToken, span, "missing `const`")
                .note("each constant needs a separate `const`")
                .fix("write `const`", here, "const ")
        })
    }

    /// Returns whether it is a name that resembles a keyword ending statements, and that does not
    /// begin a statement.
    fn may_close(&self, token: Option<Token>, span: Span) -> bool {
        let idx = self.tokens.partition_point(|&(start, ..)| start < span.end);
        let next = self.tokens.get(idx).map(|&(_, token, _)| token);
        matches!(token, Some(Token::Name))
            && !matches!(next, Some(Token::Assign | Token::Equals | Token::Open))
            && did_you_mean(&self.text[span.range()], ["end", "else", "until"]).is_some()
    }

    /// Returns the keyword that was probably meant: by a name where a keyword is expected, or by
    /// the preceding name, if it begins a statement.
    fn meant(
        &self,
        token: Option<Token>,
        span: Span,
        before: Option<Spanned>,
        expected: &[String],
    ) -> Option<(Span, String)> {
        let name = &self.text[span.range()];
        if matches!(token, Some(Token::Name)) {
            let names = expected.iter().map(|name| name.trim_matches('"'));
            let mut keywords = names.clone().filter(|name| BEFORE_NAMES.contains(name));
            if let Some(keyword) = keywords.find(|keyword| begins_with(name, keyword)) {
                let (keyword, rest) = name.split_at(keyword.len());
                return Some((span, format!("{keyword} {rest}")));
            }
            let is_keyword = |name: &&str| name.bytes().all(|byte| byte.is_ascii_lowercase());
            let keywords =
                names.filter(is_keyword).filter(|name| !["name", "number"].contains(name));
            if let Some(meant) = did_you_mean(name, keywords) {
                return Some((span, meant.to_owned()));
            }
        }
        let (start, Token::Name, end) = before? else { return None };
        let opens = match self.token_before(start) {
            Some((_, opens, _)) => begins_statements(opens),
            None => false,
        };
        let word = self.span(start, end);
        let is_else_if = |other: &&str| self.text[word.range()].eq_ignore_ascii_case(other);
        let meant = match ELSE_IF.iter().any(is_else_if) {
            true => "else if",
            false => did_you_mean(&self.text[word.range()], STATEMENT_WORDS)?,
        };
        opens.then(|| (word, meant.to_owned()))
    }

    /// Returns the last token that ends at or before byte `at`.
    fn token_before(&self, at: u32) -> Option<Spanned> {
        let idx = self.tokens.partition_point(|&(_, _, end)| end <= at);
        idx.checked_sub(1).map(|idx| self.tokens[idx])
    }

    /// Returns the last `begin`, `repeat` or `where` before byte `at` that has no end yet.
    pub(crate) fn last_open_block(&self, at: u32) -> Option<(Token, Span)> {
        self.open_blocks(at).next()
    }

    fn has_open_repeat(&self, at: u32) -> bool {
        self.open_blocks(at).any(|(token, _)| token == Token::Repeat)
    }

    /// Returns each `begin`, `repeat` and `where` before byte `at` that has no end yet, the last
    /// one first.
    fn open_blocks(&self, at: u32) -> impl Iterator<Item = (Token, Span)> {
        let idx = self.tokens.partition_point(|&(_, _, end)| end <= at);
        let mut closed = 0;
        let before = self.tokens[..idx].iter().rev();
        before.take_while(|(_, token, _)| !begins_item(token)).filter_map(
            move |&(start, token, end)| match token {
                Token::End | Token::Until => {
                    closed += 1;
                    None
                }
                Token::Begin | Token::Repeat | Token::WhereBlock if closed > 0 => {
                    closed -= 1;
                    None
                }
                Token::Begin | Token::Repeat | Token::WhereBlock => {
                    Some((token, self.span(start, end)))
                }
                _ => None,
            },
        )
    }
}

/// Words of other languages for `else if`.
const ELSE_IF: [&str; 3] = ["elif", "elsif", "elseif"];

/// Keywords before names and statements, which a blank separates from them.
const BEFORE_NAMES: [&str; 7] =
    ["procedure", "function", "program", "import", "proc", "const", "begin"];

const PARENTHESES: &str = "put comparisons in parentheses: `(a < b) and (c < d)`";

/// The place of constants.
pub(crate) const CONSTANTS: &str = "constants are declared before the routine, for the whole file";

/// The place of variables.
pub(crate) const VARIABLES: &str = "variables are declared between the header and `begin`";

/// The keywords that begin an item.
pub(crate) const ITEM_EXPECTED: &str =
    "`procedure`, `function`, `program`, `type`, `const` or `import`";

/// The two loops with a condition.
const FORMS_OF_LOOPS: &str =
    "a loop is `repeat … until c`, or with the opposite condition `while c do begin … end`";

/// The help for a loop with a range of another loop.
const RANGES: &str = "`for i := a to b do` counts; `forall i in a..b do` has iterations that do not depend on each \
     other";

/// The help for types of other languages.
pub(crate) const COLLECTIONS: &str =
    "collections of values are `slice`, `word`, `table`, and `table(m) of R` with a record type R";

/// The help for a field of another kind.
pub(crate) const KINDS_OF_FIELDS: &str =
    "a field is a `uint(k)`, `int(k)`, `bits(k)`, `bit`, or `array[1..n] of` one of these";

/// Keywords that begin a statement and are followed by another token.
const STATEMENT_WORDS: [&str; 7] = ["if", "while", "for", "foreach", "forall", "repeat", "goto"];

/// Returns whether a statement begins after the token.
pub(crate) fn begins_statements(token: Token) -> bool {
    matches!(
        token,
        Token::Begin
            | Token::Semicolon
            | Token::Then
            | Token::Else
            | Token::Do
            | Token::Repeat
            | Token::Elsewhere
    )
}

/// Returns whether the token can only begin a statement.
fn starts_statement(token: Option<Token>) -> bool {
    matches!(
        token,
        Some(
            Token::If
                | Token::While
                | Token::For
                | Token::Foreach
                | Token::Forall
                | Token::Repeat
                | Token::WhereBlock
                | Token::Begin
                | Token::Goto
        )
    )
}

/// Describes the expected tokens; `None` if the list would be long.
fn wanted(expected: &[String]) -> Option<String> {
    let mut names: Vec<&str> = expected.iter().map(|name| name.trim_matches('"')).collect();
    let has = |names: &[&str], name: &str| names.contains(&name);
    if has(&names, "not") && has(&names, "true") {
        return Some("an expression".to_owned());
    }
    if has(&names, "while") && has(&names, "if") {
        return Some("a statement".to_owned());
    }
    if has(&names, "procedure") && has(&names, "import") {
        return Some(ITEM_EXPECTED.to_owned());
    }
    if has(&names, "integer") {
        return Some("a type".to_owned());
    }
    // Operators, fields and indices can follow any name: they give little information. So does the
    // type of the rows of a table.
    let operators = [
        "+", "+|", "-", "*", "and", "or", "xor", "div", "mod", "=", "<>", "<", "<=", ">", ">=",
        "(", ".", "[", "of", "where",
    ];
    if names.iter().any(|name| !operators.contains(name)) {
        names.retain(|name| !operators.contains(name));
    }
    names.sort_unstable();
    names.dedup();
    let spell = |name: &str| match name {
        "name" | "number" | "bit constant" | "string constant" => format!("a {name}"),
        "where block" => "`where`".to_owned(),
        sign => format!("`{sign}`"),
    };
    match names.as_slice() {
        [] => None,
        [one] => Some(spell(one)),
        [some @ .., last] if some.len() <= 4 => {
            let first: Vec<String> = some.iter().map(|name| spell(name)).collect();
            Some(format!("{} or {}", first.join(", "), spell(last)))
        }
        _ => None,
    }
}

/// Returns the first characters of a long text.
fn elide(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
