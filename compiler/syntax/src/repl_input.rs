//! Entries of a session: items, statements, expressions and declarations of variables, in any
//! order.
//!
//! The tokens are cut into pieces, like those of a file, and each piece is parsed separately. Its
//! first tokens determine its kind: a name followed by `:=` or nothing begins a statement, a name
//! followed by an operator begins an expression. Whether a call denotes a value is not known here.

use star_base::{Diagnostic, FileId, Span};

use crate::ast::{Expr, Item, Stmt, Vars};
use crate::grammar::PieceParser;
use crate::parser::MAX_ERRORS;
use crate::prepass::{self, Spanned};
use crate::state::{State, begins_item};
use crate::token::{Start, Token};

/// Help for an `else` whose `if` has already run.
const ELSE_ALONE: &str = "a complete statement runs at once: write `else` on the line of its \
    `if`, or both between `begin` and `end`";

/// A text of a session.
#[derive(Debug)]
pub struct Fragment {
    /// Its pieces, in order; unreadable ones are omitted.
    pub pieces: Vec<Piece>,
    /// The errors, in text order.
    pub diagnostics: Vec<Diagnostic>,
}

/// A part of a text that can be processed separately.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// The kind.
    pub kind: PieceKind,
    /// The position.
    pub span: Span,
}

/// The kind of a piece.
#[derive(Debug, Clone, PartialEq)]
pub enum PieceKind {
    /// An import, a constant, a type or a routine.
    Item(Item),
    /// Statements; a call among them may denote its value.
    Statements(Vec<Stmt>),
    /// An expression that is not a call.
    Value(Expr),
    /// `var` with names and types.
    Variables(Vec<Vars>),
}

/// Parses a fragment. `is_routine` recognises the routines with hyphens in their names: `a - b` is
/// a call of `a-b` if there is one. Takes time and memory linear in the text, whatever its
/// contents.
pub fn fragment(file: FileId, text: &str, is_routine: &dyn Fn(&str) -> bool) -> Fragment {
    let lexed = prepass::lex(file, text);
    let mut state = State::new(file, text, &lexed.tokens, &lexed.gaps, lexed.diagnostics);
    let mut pieces = Vec::new();
    // The routines of this text with hyphens in their names.
    let mut hyphened: Vec<String> = Vec::new();
    let mut rest = &lexed.tokens[..];
    while let Some((first, behind)) = rest.split_first() {
        if state.diagnostics.len() >= MAX_ERRORS {
            break;
        }
        if matches!(first.1, Token::Semicolon) {
            rest = behind;
            continue;
        }
        let known = |name: &str| is_routine(name) || hyphened.iter().any(|other| other == name);
        let (start, n_tokens) = cut(rest, text, &known);
        let (piece, behind) = rest.split_at(n_tokens);
        rest = behind;
        let Some(&(_, last, end)) = piece.last() else { break };
        let begin = first.0;
        // The final semicolon of a declaration may be omitted at the end of the text.
        let ends = matches!(last, Token::Semicolon);
        let wants_end = match start {
            None => matches!(first.1, Token::Import | Token::Const | Token::Type),
            Some(Start::Variables) => true,
            Some(Start::Statements | Start::Value) => false,
        };
        let marker = start.map(|start| (begin, Token::Begins(start), begin));
        let semicolon = (wants_end && !ends).then_some((end, Token::Semicolon, end));
        let tokens = marker.into_iter().chain(piece.iter().copied()).chain(semicolon);
        state.whole = match start {
            None => "routine",
            Some(Start::Statements) => "statement",
            Some(Start::Value) => "expression",
            Some(Start::Variables) => "declaration",
        };
        let n_before = state.diagnostics.len();
        match PieceParser::new().parse(&mut state, tokens.map(Ok)) {
            Ok(kind) => {
                if let PieceKind::Item(Item::Routine(routine)) = &kind
                    && routine.name.name.contains('-')
                {
                    hyphened.push(routine.name.name.to_string());
                }
                pieces.push(Piece { kind, span: Span::new(file, begin, end) });
            }
            Err(error) => state.syntax_error(error),
        }
        if let (Token::Else, Some(found)) = (first.1, state.diagnostics.get_mut(n_before)) {
            found.help.push(ELSE_ALONE.to_owned());
        }
    }
    let mut diagnostics = state.diagnostics;
    diagnostics.sort_by_key(|diagnostic| diagnostic.span().map_or(0, |span| span.start));
    Fragment { pieces, diagnostics }
}

/// Returns the kind of the piece at the beginning of `tokens` (`None`: an item), and its number of
/// tokens.
fn cut(
    tokens: &[Spanned],
    text: &str,
    is_routine: &dyn Fn(&str) -> bool,
) -> (Option<Start>, usize) {
    let n_tokens = match tokens.first() {
        Some((_, Token::Import | Token::Const, _)) => declaration(tokens),
        Some((_, Token::Var, _)) => return (Some(Start::Variables), variables(tokens)),
        Some((_, first, _)) if begins_item(first) => routine(tokens),
        Some(_) | None => {
            let n_tokens = statement(tokens);
            return (Some(start(&tokens[..n_tokens], text, is_routine)), n_tokens);
        }
    };
    (None, n_tokens)
}

/// Reads up to the semicolon, or to a token that cannot belong to the declaration.
fn declaration(tokens: &[Spanned]) -> usize {
    let end = (1..tokens.len()).find(|&idx| match tokens[idx].1 {
        Token::Semicolon => true,
        ref token => begins_item(token),
    });
    match end {
        Some(idx) if matches!(tokens[idx].1, Token::Semicolon) => idx + 1,
        Some(idx) => idx,
        None => tokens.len(),
    }
}

/// Reads groups of names with a type.
fn variables(tokens: &[Spanned]) -> usize {
    let mut behind = 0;
    loop {
        behind += declaration(&tokens[behind..]);
        if !begins_group(tokens[behind..].iter().map(|(_, token, _)| token)) {
            return behind;
        }
    }
}

/// Returns whether the tokens begin with names and a colon.
pub(crate) fn begins_group<'t>(mut tokens: impl Iterator<Item = &'t Token>) -> bool {
    loop {
        match (tokens.next(), tokens.next()) {
            (Some(Token::Name), Some(Token::Comma)) => {}
            (Some(Token::Name), Some(Token::Colon)) => return true,
            _ => return false,
        }
    }
}

/// Reads a routine: up to the `end` of its first `begin`, or to the next item.
fn routine(tokens: &[Spanned]) -> usize {
    let mut depth = 0_usize;
    for (idx, (_, token, _)) in tokens.iter().enumerate().skip(1) {
        match token {
            Token::Begin | Token::Repeat | Token::WhereBlock => depth += 1,
            Token::Until => depth = depth.saturating_sub(1),
            Token::End if depth <= 1 => {
                let mut behind = idx + 1;
                for sign in [Token::Dot, Token::Semicolon] {
                    if tokens.get(behind).is_some_and(|(_, token, _)| *token == sign) {
                        behind += 1;
                    }
                }
                return behind;
            }
            Token::End => depth -= 1,
            token if begins_item(token) => return idx,
            _ => {}
        }
    }
    tokens.len()
}

/// Reads a statement or expression: up to the semicolon that ends it.
fn statement(tokens: &[Spanned]) -> usize {
    let (mut blocks, mut parens) = (0_usize, 0_usize);
    for (idx, (_, token, _)) in tokens.iter().enumerate() {
        match token {
            Token::Begin | Token::Repeat | Token::WhereBlock => blocks += 1,
            Token::End | Token::Until => blocks = blocks.saturating_sub(1),
            Token::Open | Token::OpenBracket => parens += 1,
            Token::Close | Token::CloseBracket => parens = parens.saturating_sub(1),
            Token::Semicolon if blocks == 0 && parens == 0 => return idx,
            Token::Var if idx > 0 && blocks == 0 && parens == 0 => return idx,
            token if idx > 0 && begins_item(token) => return idx,
            _ => {}
        }
    }
    tokens.len()
}

/// Returns whether it is a statement or an expression.
fn start(tokens: &[Spanned], text: &str, is_routine: &dyn Fn(&str) -> bool) -> Start {
    match tokens.first().map(|(_, token, _)| token) {
        Some(Token::Name) => behind_name(tokens, text, is_routine),
        Some(
            Token::Number
            | Token::Bits
            | Token::Str
            | Token::Theta
            | Token::True
            | Token::False
            | Token::Not
            | Token::Minus
            | Token::Open
            | Token::Word,
        ) => Start::Value,
        Some(_) | None => Start::Statements,
    }
}

fn behind_name(tokens: &[Spanned], text: &str, is_routine: &dyn Fn(&str) -> bool) -> Start {
    let text_of = |&(start, _, end): &Spanned| &text[start as usize..end as usize];
    let rest = &tokens[1..];
    let n_args = path(rest);
    let is_path = matches!(rest.first(), Some((_, Token::Dot | Token::OpenBracket, _)))
        || n_args > arguments(rest);
    match rest.get(n_args).map(|(_, token, _)| token) {
        None if is_path => Start::Value,
        None | Some(Token::Assign | Token::Equals | Token::Colon) => Start::Statements,
        Some(Token::Minus) if n_args == 0 => {
            let mut name = text_of(&tokens[0]).to_owned();
            let mut at = 0;
            while let [(_, Token::Minus, _), part @ (_, Token::Name, _), ..] = &rest[at..] {
                name = format!("{name}-{}", text_of(part));
                at += 2;
            }
            let whole = at + arguments(&rest[at..]) == rest.len();
            if whole && is_routine(&name) { Start::Statements } else { Start::Value }
        }
        Some(
            Token::Minus
            | Token::Plus
            | Token::PlusBar
            | Token::Times
            | Token::Div
            | Token::Mod
            | Token::And
            | Token::Or
            | Token::Xor
            | Token::Differs
            | Token::Less
            | Token::AtMost
            | Token::Greater
            | Token::AtLeast,
        ) => Start::Value,
        Some(_) => Start::Statements,
    }
}

/// Returns the number of tokens of the arguments, fields and indices after a name.
fn path(tokens: &[Spanned]) -> usize {
    let mut n_tokens = 0;
    loop {
        let rest = &tokens[n_tokens..];
        n_tokens += match rest {
            [(_, Token::Dot, _), (_, Token::Name, _), ..] => 2,
            [(_, Token::Open | Token::OpenBracket, _), ..] => arguments(rest),
            _ => return n_tokens,
        };
    }
}

/// Returns the number of tokens in the leading parentheses or brackets, contents included.
fn arguments(tokens: &[Spanned]) -> usize {
    if !matches!(tokens.first(), Some((_, Token::Open | Token::OpenBracket, _))) {
        return 0;
    }
    let mut parens = 0_usize;
    for (idx, (_, token, _)) in tokens.iter().enumerate() {
        match token {
            Token::Open | Token::OpenBracket => parens += 1,
            Token::Close | Token::CloseBracket if parens == 1 => return idx + 1,
            Token::Close | Token::CloseBracket => parens -= 1,
            _ => {}
        }
    }
    tokens.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ast::StmtKind;

    fn kinds(text: &str) -> Vec<&'static str> {
        let fragment = fragment(FileId(0), text, &|name| name == "WARSHALL-C");
        assert_eq!(fragment.diagnostics, [], "{text}");
        let name = |piece: &Piece| match &piece.kind {
            PieceKind::Item(Item::Import { .. }) => "import",
            PieceKind::Item(Item::Const { .. }) => "const",
            PieceKind::Item(Item::Type(_)) => "type",
            PieceKind::Item(Item::Routine(_)) => "routine",
            PieceKind::Statements(stmts) => match stmts[0].kind {
                StmtKind::Call(_) => "call",
                StmtKind::Assign { .. } | StmtKind::AssignPath { .. } => "assignment",
                _ => "statement",
            },
            PieceKind::Value(_) => "value",
            PieceKind::Variables(_) => "variables",
        };
        fragment.pieces.iter().map(name).collect()
    }

    #[test]
    fn the_first_tokens_determine_the_kind_of_a_piece() {
        assert_eq!(
            kinds("X := 1; X + 1; X; F(X) * 2; (X = 1); X(1) := 0; '01'"),
            ["assignment", "value", "call", "value", "value", "assignment", "value"]
        );
        assert_eq!(
            kinds("x = 5; WORD(1, 2); COL(1, T) := X; not X;; ;"),
            ["assignment", "value", "assignment", "value"]
        );
        assert_eq!(
            kinds("if a then begin b := 1; c := 2 end; repeat d := 1; e := 2 until f; g"),
            ["statement", "statement", "call"]
        );
    }

    #[test]
    fn a_hyphenated_name_is_a_call_if_the_routine_exists() {
        assert_eq!(kinds("WARSHALL - C(n, P); WARSHALL-C"), ["call", "call"]);
        assert_eq!(kinds("WARSHALL-D(n, P); a - b; a - 1; a(1) - b; WARSHALL-C + 1"), ["value"; 5]);
    }

    #[test]
    fn items_and_variables_mix_with_statements() {
        let text = "const n = 5; a := 1; proc P; var i: integer; begin repeat i := 1 until true end; P
            var X, Y: slice(n); z: word; begin a := 2 end; import \"star:mst\"; program M; begin end. a";
        assert_eq!(
            kinds(text),
            [
                "const",
                "assignment",
                "routine",
                "call",
                "variables",
                "statement",
                "import",
                "routine",
                "call"
            ]
        );
    }

    #[test]
    fn the_last_semicolon_is_optional() {
        assert_eq!(kinds("const n = 5"), ["const"]);
        assert_eq!(kinds("import \"star:mst\""), ["import"]);
        assert_eq!(kinds("var X: slice"), ["variables"]);
        assert_eq!(kinds("proc P; begin end"), ["routine"]);
    }

    #[test]
    fn values_of_variables_are_reported() {
        for text in ["var i, k: integer := 3", "var i, k: integer = 3; i := 1"] {
            let found = fragment(FileId(0), text, &|_| false);
            let [diagnostic] = &found.diagnostics[..] else { panic!("{found:#?}") };
            assert!(diagnostic.message.ends_with("in a declaration"), "{diagnostic:?}");
            assert_eq!(diagnostic.help, ["assign it in a statement: i := 3; k := 3"]);
            assert!(matches!(found.pieces[0].kind, PieceKind::Variables(_)), "{found:#?}");
        }
        assert_eq!(kinds("var i: integer; i := 3"), ["variables", "assignment"]);
    }

    #[test]
    fn errors_quote_the_users_text() {
        let text = "a := ; b + ; proc P; begin x := 1";
        let found = fragment(FileId(0), text, &|_| false);
        let starts: Vec<u32> = found
            .diagnostics
            .iter()
            .map(|diagnostic| diagnostic.span().expect("a place").start)
            .collect();
        assert_eq!(starts, [4, 10, 33], "{:#?}", found.diagnostics);
    }

    proptest::proptest! {
        #[test]
        fn parser_never_panics_on_text(text in "(proc |begin |end|if |then |var |const |;|:=|x|-|\\(|\\)|'01'|/\\*|\n|1|:|,|\\PC){0,60}") {
            fragment(FileId(0), &text, &|_| true);
        }
    }
}
