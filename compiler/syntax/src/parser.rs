//! Parsing of a file's tokens to its tree, item by item.
//!
//! Routines do not nest, so a keyword that begins an item always does: the tokens are cut there and
//! every piece is parsed separately. An error from which the grammar cannot recover costs one item.

use std::collections::BTreeMap;

use logos::Logos;
use star_base::{Code, Diagnostic, FileId, SourceMap, Span};

use crate::ast::{File, Item};
use crate::consequences;
use crate::grammar::PieceParser;
use crate::prepass::{self, Spanned};
use crate::repl_input::PieceKind;
use crate::state::{Bodies, State, begins_item};
use crate::token::Token;

/// Maximum number of messages of a file; the rest would mostly repeat them.
pub const MAX_ERRORS: usize = 40;

/// A parsed file.
#[derive(Debug)]
pub struct Parsed {
    /// The tree.
    pub file: File,
    /// The comments, in order.
    pub comments: Vec<Span>,
    /// The errors, in text order.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether an item, or a field of a record type, could not be read: a name that is not declared
    /// may be its name.
    pub is_incomplete: bool,
}

/// Parses the text of a file. Takes time and memory linear in the text, whatever its contents.
pub fn parse(file: FileId, text: &str) -> Parsed {
    read(file, text, Bodies::Kept)
}

/// Parses the text of a file like [`parse`], with the same messages, but leaves the bodies of
/// routines empty. Takes memory for the tokens of the text, but not for statements.
pub fn outline(file: FileId, text: &str) -> Parsed {
    read(file, text, Bodies::Dropped)
}

fn read(file: FileId, text: &str, bodies: Bodies) -> Parsed {
    let lexed = prepass::lex(file, text);
    let state = State::new(file, text, &lexed.tokens, &lexed.gaps, lexed.diagnostics);
    let mut state = state.with_bodies(bodies);
    let mut tree = File::default();
    let mut is_incomplete = false;
    let mut removed = lexed.removed.iter().peekable();
    for piece in pieces(&lexed.tokens) {
        if state.diagnostics.len() >= MAX_ERRORS {
            break;
        }
        let end = piece.last().map_or(0, |&(_, _, end)| end);
        let mut variables = Vec::new();
        while let Some(declarations) = removed.next_if(|removed| removed.start < end) {
            match parse_piece(&mut state, &declarations.tokens) {
                Some(PieceKind::Item(constant)) => tree.items.push(constant),
                Some(PieceKind::Variables(more)) => variables.extend(more),
                Some(PieceKind::Statements(_) | PieceKind::Value(_)) | None => {}
            }
        }
        let n_before = state.diagnostics.len();
        match parse_piece(&mut state, piece) {
            // Its other fields are not enough to check what uses it.
            Some(PieceKind::Item(Item::Type(_))) if state.diagnostics.len() > n_before => {
                is_incomplete = true;
            }
            Some(PieceKind::Item(mut item)) => {
                if let Item::Routine(routine) = &mut item {
                    routine.vars.extend(variables);
                }
                tree.items.push(item);
            }
            Some(PieceKind::Variables(_) | PieceKind::Statements(_) | PieceKind::Value(_))
            | None => is_incomplete = true,
        }
    }
    let mut diagnostics = state.diagnostics;
    diagnostics.sort_by_key(|diagnostic| diagnostic.span().map_or(0, |span| span.start));
    let is_cut = diagnostics.len() >= MAX_ERRORS;
    consequences::omit(&mut diagnostics, pieces(&lexed.tokens), text);
    if is_cut {
        diagnostics.truncate(MAX_ERRORS - 1);
        let end = Span::new(file, text.len() as u32, text.len() as u32);
        diagnostics.push(
            Diagnostic::at(Code::UnexpectedToken, end, "too many errors; the rest was not checked")
                .note("the first ones often cause those that follow"),
        );
    }
    Parsed { file: tree, comments: lexed.comments, diagnostics, is_incomplete }
}

/// Parses a piece; reports a syntax error from which the grammar does not recover.
fn parse_piece(state: &mut State<'_>, piece: &[Spanned]) -> Option<PieceKind> {
    let tokens = piece.iter().map(|&(start, token, end)| Ok((start, token, end)));
    let parsed = PieceParser::new().parse(state, tokens);
    parsed.map_err(|error| state.syntax_error(error)).ok()
}

/// Returns the names mentioned in the text of `within`, each with its positions in order.
pub fn mentions(sources: &SourceMap, within: Span) -> BTreeMap<&str, Vec<Span>> {
    let mut mentions: BTreeMap<&str, Vec<Span>> = BTreeMap::new();
    let text = sources.slice(within);
    for (token, range) in Token::lexer(text).spanned() {
        if token == Ok(Token::Name) {
            let (start, end) = (range.start as u32, range.end as u32);
            let span = Span::new(within.file, within.start + start, within.start + end);
            mentions.entry(&text[range]).or_default().push(span);
        }
    }
    mentions
}

/// Returns whether the word is reserved for an extension of the language. Its use as a name is
/// reported.
pub fn is_reserved(word: &str) -> bool {
    let mut tokens = Token::lexer(word);
    let reserved = [
        Token::Reserved,
        Token::Type,
        Token::Record,
        Token::Array,
        Token::Of,
        Token::Where,
        Token::Elsewhere,
        Token::Forall,
    ];
    let is_one = |token| reserved.contains(&token);
    matches!((tokens.next(), tokens.next()), (Some(Ok(token)), None) if is_one(token))
}

/// Returns the tokens of each item: a piece begins at every keyword that begins an item.
fn pieces(tokens: &[Spanned]) -> impl Iterator<Item = &[Spanned]> {
    tokens
        .chunk_by(move |_, (_, next, _)| !begins_item(next))
        .filter(|piece| !piece.iter().all(|(_, token, _)| matches!(token, Token::Semicolon)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ast::{AssignKind, StmtKind};

    fn codes(text: &str) -> Vec<(&'static str, u32)> {
        parse(FileId(0), text)
            .diagnostics
            .iter()
            .map(|diagnostic| (diagnostic.code.as_str(), diagnostic.span().expect("a place").start))
            .collect()
    }

    fn body(text: &str) -> Vec<StmtKind> {
        let text = format!("proc P; begin {text} end;");
        let parsed = parse(FileId(0), &text);
        assert_eq!(parsed.diagnostics, [], "{text}");
        match parsed.file.items.into_iter().next() {
            Some(Item::Routine(routine)) => {
                routine.body.into_iter().map(|stmt| stmt.kind).collect()
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_outline_is_the_tree_without_bodies() {
        let texts = [
            "const n = 2; /* c */ proc P(x: integer); var y: word; begin y := 1; begin x := y end end; program M; begin P end.",
            "proc P; begin end; function F: integer; begin repeat F := 1; F := 2 until F = 2 end;",
            "proc P; begin x := ; y = 1 end; proc Q begin end; proc R; begin if a then b; else c end",
        ];
        for text in texts {
            let (mut whole, outline) = (parse(FileId(0), text), super::outline(FileId(0), text));
            for item in &mut whole.file.items {
                if let Item::Routine(routine) = item {
                    assert!(!std::mem::take(&mut routine.body).is_empty(), "{text}");
                }
            }
            assert_eq!(outline.file, whole.file);
            assert_eq!(outline.comments, whole.comments);
            assert_eq!(outline.diagnostics, whole.diagnostics);
        }
    }

    #[test]
    fn all_three_signs_assign() {
        let kinds: Vec<AssignKind> = body("x:=1; x : \t = 1; x=1")
            .into_iter()
            .map(|stmt| match stmt {
                StmtKind::Assign { assign, .. } => assign.kind,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(kinds, [AssignKind::ColonEquals, AssignKind::Spaced, AssignKind::Equals]);
    }

    #[test]
    fn an_else_if_chain_is_one_flat_statement() {
        match &body("if a then X else if b then Y else if c then Z else W")[..] {
            [StmtKind::If { arms, otherwise }] => {
                assert_eq!(arms.len(), 3);
                assert!(otherwise.is_some());
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_dangling_else_belongs_to_the_nearest_if() {
        match &body("if a then if b then X else Y")[..] {
            [StmtKind::If { arms, otherwise: None }] => assert_eq!(arms.len(), 1),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn hyphenated_names_are_joined_without_spaces() {
        assert!(matches!(&body("WARSHALL - adapt(n, P)")[..],
            [StmtKind::Call(call)] if call.name.name == "WARSHALL-adapt"));
    }

    #[test]
    fn several_errors_are_found_in_one_run() {
        let text =
            "proc A; begin x := ; y := 1 1; end;\nproc B(; begin end;\nproc C; begin x := 1 end;";
        let parsed = parse(FileId(0), text);
        assert_eq!(parsed.diagnostics.len(), 3, "{:#?}", parsed.diagnostics);
        assert_eq!(parsed.file.items.len(), 2);
    }

    #[test]
    fn forms_of_other_languages_get_help() {
        let cases = [
            ("if a < b and c < d then", "put comparisons in parentheses"),
            ("if a == b then", "to compare, write `=`"),
            ("if a := b then", "to compare, write `=`"),
            ("i -= 2 * i", "write `i := i - (…)`"),
            ("return i * 2", "other results are assigned to `var` parameters"),
            ("n := X(1:2)", "`TRIM(i,j,w)` is the part of the word w from i to j"),
            ("n := F(a, X(i..j + 1))", "`MASK(X,i,j)` has ones from i to j"),
            ("for i in 1", "`for i := 1 to 3 do` counts"),
            ("i := 1; var y: integer", "variables are declared between"),
        ];
        for (text, help) in cases {
            let text = format!("proc P(a: integer); begin {text} end;");
            let found = &parse(FileId(0), &text).diagnostics[0];
            assert!(found.help.iter().any(|it| it.contains(help)), "{text}: {found:#?}");
        }
        for (text, help) in [
            ("function F: integer; begin return 2 end;", "`F := …`; `exit` leaves it"),
            ("proc P; var X: word(1:8); begin end;", "a size is a number"),
            ("proc P(in T: table); begin end;", "`var` precedes a result"),
        ] {
            let found = &parse(FileId(0), text).diagnostics[0];
            assert!(found.help.iter().any(|it| it.contains(help)), "{text}: {found:#?}");
        }
        for (ty, help) in
            [("real", "there are no reals"), ("Array", "`slice`"), ("int", "`integer`")]
        {
            let text = format!("proc P; var a: {ty}; begin end;");
            let found = parse(FileId(0), &text).diagnostics;
            assert_eq!(found.len(), 1, "{text}: {found:#?}");
            assert!(found[0].help.iter().any(|it| it.contains(help)), "{text}: {found:#?}");
        }
    }

    #[test]
    fn items_inside_routines_are_reported_in_place() {
        let first = |text: &str| {
            let diagnostic = parse(FileId(0), text).diagnostics.remove(0);
            let start = diagnostic.span().expect("a place").start as usize;
            (diagnostic.message, text[start..].split(' ').next().unwrap_or_default().to_owned())
        };
        let text = "program P; const n = 1; begin end.";
        let expected = "`const` is not allowed inside a routine";
        assert_eq!(first(text), (expected.to_owned(), "const".to_owned()));
        let text = "program P; procedure Q; begin end; begin end.";
        let expected = "`procedure` is not allowed inside a routine";
        assert_eq!(first(text), (expected.to_owned(), "procedure".to_owned()));
        let text = "proc P; var x: integer; begin x := 1; proc Q; begin end;";
        assert_eq!(first(text).0, "missing `end`");
        let text = "const n = 1; m = 2; proc P; begin end;";
        assert_eq!(first(text), ("missing `const`".to_owned(), "m".to_owned()));
        let text = "proc P; begin x := 1; const n = 2; proc Q; begin end;";
        assert_eq!(first(text).0, "missing `end`");
    }

    #[test]
    fn declarations_inside_routines_declare_their_names() {
        let parsed = |text: &str| {
            let Parsed { file, diagnostics, .. } = parse(FileId(0), text);
            let [found] = &diagnostics[..] else { panic!("{text}: {diagnostics:#?}") };
            (found.message.clone(), file.items)
        };
        for text in [
            "proc P; begin var j, k: integer; m: slice(j + 1); j := 1; m(k) := j end;",
            "proc P; begin j := 1; var j, k: integer; m: word; m := j end;",
            "proc P; var a: word; begin if a then begin var j, k: integer := 1; m: word end end;",
            "proc P; begin repeat var j, k: integer; m: handle; j := 1 until j = 1 end;",
        ] {
            let (message, items) = parsed(text);
            assert_eq!(message, "`var` is not allowed after `begin`", "{text}");
            let [Item::Routine(routine)] = &items[..] else { panic!("{items:?}") };
            let names = routine.vars.iter().flat_map(|vars| &vars.names);
            let names: Vec<&str> = names.map(|name| &*name.name).collect();
            assert!(names.ends_with(&["j", "k", "m"]), "{text}: {names:?}");
        }
        for text in [
            "proc P; begin x := 1; const n = 2; x := n end;",
            "program P; const n = 2; var x: word(n); begin end.",
            "program P; const n = 2; m = n; begin x := m end.",
            "proc P; begin const n = 2; const m = 3; x := n + m end;",
        ] {
            let (message, items) = parsed(text);
            assert_eq!(message, "`const` is not allowed inside a routine", "{text}");
            assert!(matches!(items[..], [Item::Const { .. }, .., Item::Routine(_)]), "{items:?}");
        }
    }

    #[test]
    fn statements_of_other_languages_give_one_message() {
        let messages = |body: &str| {
            let found = parse(FileId(0), &format!("proc P; var i: integer;\n{body}\nend;"));
            let messages = found.diagnostics.into_iter().map(|found| found.message);
            messages.collect::<Vec<String>>()
        };
        for (body, message) in [
            ("begin\n  do\n    i := 1\n  while i < 3;\n  i := 2", "unexpected `do`"),
            ("begin\n  -- don't: begin\n  i := 2", "`--` does not begin a comment"),
            ("begin\n  i := 2; -- end\n  i := 3", "`--` does not begin a comment"),
            ("begin\n  i := i --1", "unexpected `-`"),
            ("begin if i = 1 then i := 2 elseif i = 2 then i := 3", "missing blank in `elseif`"),
            ("  i := 1; i := 2", "missing `begin`"),
            ("  j = 1", "missing `begin`"),
            ("  print(i)", "missing `begin`"),
            ("  if i = 1 then i := 2", "missing `begin`"),
        ] {
            assert_eq!(messages(body), [message], "{body}");
        }
        assert_eq!(messages("begin 1: i := 2; if i = 1 then 2: i := 3"), Vec::<String>::new());
        assert_eq!(codes("proc P(a: integer; b := 1); begin end;").len(), 1);
        let text = "proc P; begin if a then b elif c then d end;";
        let found = parse(FileId(0), text).diagnostics.remove(0);
        let fixes: Vec<_> =
            found.fixes.iter().map(|fix| (&*fix.title, &*fix.replacement)).collect();
        assert_eq!((fixes, found.help.len()), (vec![("write `else if`", "else if")], 0));
        let text = "proc P; begin if a then b; elif c then d end;";
        let found = parse(FileId(0), text).diagnostics.remove(0);
        assert_eq!(found.fixes[0].replacement, "else if");
    }

    #[test]
    fn forms_of_c_and_python_get_help() {
        for (text, part) in [
            ("while (a > 0) { b }", "`{ … }` is a comment"),
            ("print a; b", "write arguments in parentheses: `print(…)`"),
            ("PRINT \"a\"", "write arguments in parentheses: `PRINT(…)`"),
            ("for (i = 1; i < 2; i++) b", "`for i := 1 to n do …`"),
            ("a /= 2", "write `x := x div 2`"),
            ("a %= 2; b", "write `x := x mod 2`"),
            ("a := 2 ^ 3", "there is no power of integers"),
            ("a := 2 ** 3", "there is no power of integers"),
        ] {
            let text = format!("proc P; begin {text} end;");
            let found = &parse(FileId(0), &text).diagnostics[0];
            let parts = || found.notes.iter().chain(&found.help);
            assert!(parts().any(|it| it.contains(part)), "{text}: {found:#?}");
        }
    }

    /// Returns the messages of a text, and the text after all fixes.
    fn fixed(text: &str) -> (Vec<String>, String) {
        let found = parse(FileId(0), text).diagnostics;
        let mut fixes: Vec<_> = found.iter().flat_map(|found| &found.fixes).collect();
        fixes.sort_by_key(|fix| std::cmp::Reverse(fix.span.start));
        let mut text = text.to_owned();
        for fix in fixes {
            text.replace_range(fix.span.range(), &fix.replacement);
        }
        (found.into_iter().map(|found| found.message).collect(), text)
    }

    #[test]
    fn comments_of_other_languages_and_empty_parentheses_are_corrected() {
        for (text, message, expected) in [
            ("a; # then (\n b", "`#` does not begin a comment", "a; // then (\n b"),
            ("\n % else ]\n b", "`%` does not begin a comment", "\n // else ]\n b"),
            ("a; -- if /=\n b", "`--` does not begin a comment", "a; // if /=\n b"),
        ] {
            let whole = |body: &str| format!("proc P; begin {body} end;");
            let (messages, fixed) = fixed(&whole(text));
            assert_eq!((messages, fixed), (vec![message.to_owned()], whole(expected)), "{text}");
        }
        // Only the first line may name the program that runs the text.
        let (messages, _) = fixed("#!/usr/bin/env -S star run\nproc P; begin b end;");
        assert!(messages.is_empty(), "{messages:?}");
        let (messages, _) = fixed("proc P; begin\n#!/usr/bin/env\nb end;");
        assert_eq!(messages[0], "`#` does not begin a comment");
        // What may be a statement is not made a comment.
        for text in ["\n--x; y := 5;\n b", "a := a;\n --2;\n b", "a; -- b := 1\n b"] {
            let text = format!("proc P; begin {text} end;");
            let (messages, fixed) = fixed(&text);
            assert_eq!((&*messages[0], fixed), ("`--` does not begin a comment", text));
        }
        let found = &parse(FileId(0), "proc P; begin\n--x;\nb end;").diagnostics[0];
        assert_eq!(found.help[1], "write `x := x - 1` if one is subtracted");
        let (messages, fixed) = fixed("proc P();\nbegin end;");
        assert_eq!((messages.len(), &*fixed), (1, "proc P;\nbegin end;"));
        // The sign is one of an expression.
        let text = "proc P; begin a := 5\n mod 3 % 2 end;";
        assert_eq!(codes(text)[0].0, "E0101");
    }

    #[test]
    fn fixes_lead_to_a_text_without_errors() {
        for (text, message) in [
            ("if a then begin b; c else d", "missing `end` before `else`"),
            ("if a then begin b; else d; if a then e", "missing `end` before `else`"),
            ("if a then begin b; while c do begin d else e", "missing `end end` before `else`"),
            ("if a then if b then begin c else d else e", "missing `end` before `else`"),
            ("if a then b; else c", "no semicolon before `else`"),
            ("ifa=1 then b; a := 2", "missing blank in `ifa`"),
            ("ifnot a then b", "missing blank in `ifnot`"),
            ("IFa then b(a)", "missing blank in `IFa`"),
            ("whilea do b(a)", "missing blank in `whilea`"),
            ("fora := 1 to 2 do b(a)", "missing blank in `fora`"),
            ("foreacha in X do b(a)", "missing blank in `foreacha`"),
            ("if a thenb; b := 1", "missing blank in `thenb`"),
            ("if a thenbegin b end", "missing blank in `thenbegin`"),
            ("if a then b elsec := 1; c := 2", "missing blank in `elsec`"),
            ("for a := 1 tob do b", "missing blank in `tob`"),
            ("for a := 1 to2 do b", "missing blank in `to2`"),
            ("a := b andc; c := 1", "missing blank in `andc`"),
            ("if a = 1 b := 2", "missing `then`"),
            ("if a = 1 b(2) else c", "missing `then`"),
            ("if (a = 1) begin b end", "missing `then`"),
            ("if a if b then c", "missing `then`"),
            ("while SOME(X) a := STEP(X)", "missing `do`"),
            ("while a\n  b := 2; c", "missing `do`"),
            ("while a begin b end", "missing `do`"),
            ("for a := 1 to b c := 2", "missing `do`"),
            ("for a = 1 downto 2 begin c end", "missing `do`"),
            ("foreach a in X b", "missing `do`"),
            ("if a = 1: b := 2", "unexpected `:`"),
            ("while a: b(2)", "unexpected `:`"),
            ("if a do b", "unexpected `do`"),
            ("for a := 1 to 2 then b", "unexpected `then`"),
            ("n += 1", "`+=` has no meaning in Star"),
            ("if a then n -= b", "`-=` has no meaning in Star"),
            ("n *= 2; a", "`*=` has no meaning in Star"),
            ("n++", "`++` has no meaning in Star"),
            ("L: n--; a", "`--` has no meaning in Star"),
            ("for a := 1:3 do b", "unexpected `:` between the bounds of a loop"),
            ("for a := 1 .. n + 2 do b(a)", "unexpected `..` between the bounds of a loop"),
            ("for a := n..m do b(a)", "unexpected `..` between the bounds of a loop"),
        ] {
            let text = format!("proc P; begin {text} end;");
            let (messages, fixed) = fixed(&text);
            assert_eq!(messages, [message], "{text}");
            assert_eq!(parse(FileId(0), &fixed).diagnostics, [], "{text}\n{fixed}");
        }
        for (text, message) in [
            ("program P; label 1, 2; var i: integer; begin end.", "there is no `label` section"),
            ("program P; uses crt; begin end.", "there is no `uses` section"),
            ("uses a, b; program P; begin end.", "there is no `uses` section"),
            ("proc P; begin end; Uses a; proc Q; begin end;", "there is no `uses` section"),
            (
                "proc P; var x, y: word(3) := '010'; z: word; begin z := y end;",
                "unexpected `:=` in a declaration",
            ),
            (
                "proc P(n: integer); var x: integer = n + 1; begin end;",
                "unexpected `=` in a declaration",
            ),
            ("const N := 5; proc P; begin end;", "unexpected `:=`"),
            ("const N: integer = 5; proc P; begin end;", "unexpected type of the constant `N`"),
            ("import \"a.star\" proc P; begin end;", "missing `;`"),
            ("import \"a.star\"", "missing `;`"),
            ("const n = 5 proc P; begin end;", "missing `;`"),
            ("programP; begin end.", "unexpected `programP`"),
            ("proc P; beginx := 1 end;", "unexpected `beginx`"),
        ] {
            let (messages, fixed) = fixed(text);
            assert_eq!(messages, [message], "{text}");
            assert_eq!(parse(FileId(0), &fixed).diagnostics, [], "{text}\n{fixed}");
        }
    }

    #[test]
    fn an_else_without_if_gives_one_message() {
        for text in [
            "if a then b; c; else d; e",
            "a else b; c",
            "else b",
            "begin else b end; c",
            "repeat else a until b",
        ] {
            let found = parse(FileId(0), &format!("proc P; begin {text} end;")).diagnostics;
            let messages: Vec<&str> = found.iter().map(|found| &*found.message).collect();
            assert_eq!(messages, ["`else` without `if`"], "{text}");
        }
        let found = parse(FileId(0), "proc P; begin if a then repeat b else c end;").diagnostics;
        assert_eq!(found[0].message, "`repeat` without `until`");
    }

    #[test]
    fn names_that_begin_like_keywords_are_names() {
        for text in [
            "iff := 1; whiled := iff; dot(to2, order); thenx := 2; do2 := donald + andy",
            "label := 1; uses := 2; if label = uses then uses",
            "if a then forb(b) else ifc := c",
        ] {
            body(text);
        }
        let text = "proc P(label: integer); var uses: integer; label, b: word; begin end;";
        assert_eq!(codes(text), []);
    }

    #[test]
    fn a_case_statement_gives_one_message() {
        let codes_of = |body: &str| codes(&format!("proc P; begin {body} end; proc Q; begin end;"));
        for case in [
            "case i of 1: print(1); 2: begin print(2) end; else print(3) end",
            "x := 1; CASE f(i) + 1 of 1..2: case j of 3: ; end; end; y := 2",
            "if a then case i of 1, 2: x := 1 end else x := 2",
        ] {
            let found = codes_of(case);
            assert_eq!((found.len(), found[0].0), (1, "E0105"), "{case}: {found:?}");
        }
        assert_eq!(codes_of("case := 1; case(x); P(case)"), []);
    }

    #[test]
    fn common_slips_have_their_own_codes() {
        assert_eq!(codes("proc P; begin if a then b := 1; else b := 2 end;"), [("E0106", 30)]);
        assert_eq!(codes("1 proc P;\n2 begin\n3 end;"), [("E0107", 0)]);
        assert_eq!(codes("proc P; begin x := 1 @ 2 end;")[0], ("E0101", 21));
        assert_eq!(codes("proc P; begin end; /* no end"), [("E0102", 19)]);
        assert_eq!(codes("proc P; var record: integer; begin end;"), [("E0113", 12)]);
        assert_eq!(codes("proc P; begin x := 9223372036854775809 end;"), [("E0104", 19)]);
        assert_eq!(codes("proc P; begin x := 1\n y := 2 end;"), [("E0105", 20)]);
    }

    #[test]
    fn excessive_nesting_gives_one_message() {
        let n = 100_000;
        let deep = |open: &str, middle: &str, close: &str| {
            format!("proc P; begin {}{middle}{} end;", open.repeat(n), close.repeat(n))
        };
        for text in [
            deep("x := ((", "1", "))").replace("x := ((x", "((x"),
            format!("proc P; begin x := {}1{} end;", "(".repeat(n), ")".repeat(n)),
            format!("proc P; begin x := {}1{} end;", "f(".repeat(n), ")".repeat(n)),
            format!("proc P; begin x := {}a end;", "not ".repeat(n)),
            deep("begin ", "", " end"),
            deep("while a do ", "x := 1", ""),
            deep("if a then ", "x := 1", ""),
            deep("L: ", "x := 1", ""),
            deep("repeat ", "", " until a"),
            format!("proc P; begin {}", "begin ".repeat(n)),
        ] {
            let codes = codes(&text);
            assert!(
                codes.len() == 1 && codes[0].0 == "E0108",
                "{}…: {codes:?}",
                text.chars().take(40).collect::<String>()
            );
        }
    }

    #[test]
    fn long_flat_chains_are_not_nesting() {
        let n = 100_000;
        body(&format!("x := 1{}", " + 1".repeat(n)));
        body(&format!("{}x := 1", "if a then x := 1 else ".repeat(n)));
        body(&"x := 1;".repeat(n));
    }

    proptest::proptest! {
        #[test]
        fn parser_never_panics_on_text(text in "(proc |begin |end|if |then |else |;|:=|x|\\(|\\)|'01'|/\\*|\n|1|-|\\PC){0,60}") {
            parse(FileId(0), &text);
        }
    }
}
