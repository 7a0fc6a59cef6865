//! Lints of what a file declares and does not use: variables, parameters, routines, imports.
//!
//! Only programs without errors are examined, because a statement with an error may be meant to use
//! the name. Sessions are not examined: a later line may use what an earlier one declares.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use star_base::{Code, Diagnostic, FileId, SourceFile, SourceMap, Span, text};
use star_syntax::ast::RoutineKind;
use star_syntax::doc::{self, Label};
use star_syntax::token::Token;

use crate::check::MAX_DIAGNOSTICS;
use crate::flow::summary::callees_of;
use crate::flow::usage::{Usage, usage};
use crate::hir::{ExprKind, Local, LocalId, Program, Role, Routine, RoutineId, SizeTerm};
use crate::visit;

/// Lints imports of which no declaration is used, and those of the same file as another import
/// before them. `imports` are the positions of their paths and of those of the other imports.
pub(crate) fn imports(
    imports: &[(Span, Option<Span>)],
    sources: &SourceMap,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for &(path, before) in imports.iter().take(MAX_DIAGNOSTICS) {
        let name = sources.slice(path).replace('"', "`");
        let mut diagnostic = match before {
            Some(before) => {
                let message = format!("{name} is imported twice");
                Diagnostic::at(Code::UnusedImport, path, message).label(before, "imported here")
            }
            None => {
                let message = format!("nothing in this file uses {name}");
                Diagnostic::at(Code::UnusedImport, path, message)
            }
        };
        let text = sources.get(path.file).map_or("", SourceFile::text);
        if let Some(import) = import_around(text, path.range()) {
            diagnostic = diagnostic.fix("remove the import", span(path, import), "");
        }
        diagnostics.push(diagnostic);
    }
}

/// Lints the variables and parameters of all routines, and the routines of a program: `entries` are
/// those of the file itself.
pub(crate) fn declarations(
    program: &Program,
    entries: &[RoutineId],
    sources: &SourceMap,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut comments = Comments { sources, known: BTreeMap::new() };
    for routine in program.routines.iter().filter(|routine| !routine.library) {
        locals(routine, sources, &mut comments, diagnostics);
    }
    routines(program, entries, &mut comments, diagnostics);
}

fn locals(
    routine: &Routine,
    sources: &SourceMap,
    comments: &mut Comments<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let usage = usage(routine);
    let file = routine.header.file;
    let source = sources.get(file).map_or("", SourceFile::text);
    let declarations = LazyCell::new(|| Declarations::new(source, routine.header.end as usize));
    // If all fixes are applied at once, the section must not lose its last declaration.
    let is_local = |local: &&Local| local.role == Role::Local && !local.is_hidden();
    let n_locals = routine.locals.iter().filter(is_local).count();
    let unused = routine.locals.iter().zip(&usage).filter(|(_, usage)| **usage == Usage::None);
    let n_unused = unused.filter(|(local, _)| is_local(local)).count();
    let kept = match n_locals > 1 && n_unused == n_locals {
        true => routine.locals.iter().rposition(|local| is_local(&local)),
        false => None,
    };
    for (idx, (local, usage)) in routine.locals.iter().zip(&usage).enumerate() {
        if diagnostics.len() >= MAX_DIAGNOSTICS {
            return;
        }
        let name = &local.name;
        let report = |code, message| Diagnostic::at(code, local.span, message);
        diagnostics.push(match (*usage, local.role) {
            (Usage::None, Role::Local) => {
                let diagnostic =
                    report(Code::UnusedVariable, format!("the variable `{name}` is never used"));
                let title = format!("remove `{name}`");
                let removed = declarations.without(local.span.range());
                // With a type, it is a whole group.
                let keeps = |removed: &Range<usize>| {
                    kept == Some(idx) && source[removed.clone()].contains(':')
                };
                let removed =
                    removed.filter(|range| !keeps(range) && has_plain_sizes(routine, local));
                match removed {
                    Some(removed) => diagnostic.fix(title, span(local.span, removed), ""),
                    None => diagnostic.help(title),
                }
            }
            (Usage::Stored, Role::Local) => {
                let message = format!("the variable `{name}` is set but never read");
                let diagnostic = report(Code::UnusedVariable, message);
                let effect = effect_of_stores(routine, LocalId(idx as u32));
                let shown = effect.map(|(span, _)| text::one_line(sources.slice(span)));
                diagnostic.help(match (effect, shown) {
                    (Some((_, Effect::Step)), Some(shown)) => {
                        format!("remove it, but keep the statement `{shown}`, which has an effect")
                    }
                    (Some((_, Effect::Call)), Some(shown)) => format!(
                        "remove it, together with the statements that set it, unless `{shown}` has \
                            an effect"
                    ),
                    _ => "remove it, together with the statements that set it".to_owned(),
                })
            }
            // A declared size is compared with the argument, or determined by it. The parameters of
            // a test are given by their names.
            (Usage::None, Role::Value | Role::Ref)
                if local.ty.has_no_declared_size()
                    && !comments.of(file).in_headers(&routine.name) =>
            {
                report(Code::UnusedParameter, format!("the parameter `{name}` is never used"))
                    .help("remove it, here and in the calls")
            }
            (Usage::None | Usage::Stored | Usage::Read, _) => continue,
        });
    }
}

/// An effect of an expression in addition to its value.
#[derive(Clone, Copy)]
enum Effect {
    /// That of `STEP`, which can be a statement.
    Step,
    /// Perhaps that of a function.
    Call,
}

/// Returns the first expression with an effect in the values that are assigned to a variable.
fn effect_of_stores(routine: &Routine, local: LocalId) -> Option<(Span, Effect)> {
    let mut found = None;
    visit::any_stmt(&routine.body, &mut |stmt| {
        visit::stored_to(stmt).is_some_and(|place| place.local == local)
            && visit::any_expr_of(stmt, &mut |expr| {
                found = match &expr.kind {
                    ExprKind::Step(_) => Some((expr.span, Effect::Step)),
                    ExprKind::Call(..) => Some((expr.span, Effect::Call)),
                    _ => None,
                };
                found.is_some()
            })
    });
    found
}

/// Returns whether the declared sizes have no effect: they call nothing and cannot trap.
fn has_plain_sizes(routine: &Routine, local: &Local) -> bool {
    local.ty.declared_sizes().all(|size| match size.as_size() {
        SizeTerm::Number(number) => number >= 0,
        SizeTerm::Int(of) => routine.local(of.local).role == Role::Binding,
        SizeTerm::Rows(of) | SizeTerm::Columns(of) | SizeTerm::Length(of) => {
            routine.local(of.local).role == Role::Value
        }
        SizeTerm::Computed => false,
    })
}

/// Lints routines that a `program` does not call, directly or not. A file without a `program` is a
/// module: other files may call its routines.
fn routines(
    program: &Program,
    entries: &[RoutineId],
    comments: &mut Comments<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let is_program = |id: &RoutineId| program.routine(*id).kind == RoutineKind::Program;
    let Some(&root) = entries.iter().find(|id| is_program(id)) else { return };
    let mut called = vec![false; program.routines.len()];
    let mut work = vec![root];
    reach(program, &mut work, &mut called);
    if entries.iter().all(|id| called[id.0 as usize]) {
        return;
    }
    let Routine { header, name_span, .. } = program.routine(root);
    let comments = comments.of(header.file);
    work.extend(entries.iter().filter(|id| comments.run(&program.routine(**id).name)));
    reach(program, &mut work, &mut called);
    for id in entries.iter().filter(|id| !called[id.0 as usize]) {
        let Routine { name, name_span: span, .. } = program.routine(*id);
        diagnostics.push(
            Diagnostic::at(Code::UnusedRoutine, *span, format!("`{name}` is never called"))
                .label(*name_span, "the program, which does not need it")
                .help("call it, remove it, or move it to a file without a `program`"),
        );
    }
}

/// Marks the routines in `work` and all that they call.
fn reach(program: &Program, work: &mut Vec<RoutineId>, called: &mut [bool]) {
    while let Some(id) = work.pop() {
        if !std::mem::replace(&mut called[id.0 as usize], true) {
            let callees = callees_of(program.routine(id));
            work.extend(callees.into_iter().map(|callee| RoutineId(callee as u32)));
        }
    }
}

/// The names that the comments of files mention, found on demand.
struct Comments<'a> {
    sources: &'a SourceMap,
    known: BTreeMap<FileId, Mentions>,
}

impl Comments<'_> {
    fn of(&mut self, file: FileId) -> &Mentions {
        let text = self.sources.get(file).map_or("", SourceFile::text);
        self.known.entry(file).or_insert_with(|| Mentions::new(file, text))
    }
}

/// Words of the comments of a file, in lower case.
struct Mentions {
    /// Those in headers for tools, such as `@test`.
    headers: BTreeSet<String>,
    /// Those in examples, and after the option `--proc`.
    examples: BTreeSet<String>,
}

impl Mentions {
    fn new(file: FileId, text: &str) -> Self {
        let parsed = star_syntax::outline(file, text);
        let (mut headers, mut examples) = (BTreeSet::new(), BTreeSet::new());
        for comment in &parsed.comments {
            let mut words = words(&text[comment.range()]);
            if doc::header_word(text, *comment).is_some() {
                headers.extend(words);
            } else {
                while words.any(|word| word == "--proc") {
                    examples.extend(words.next());
                }
            }
        }
        let (docs, _) = doc::documentation(file, text, &parsed);
        let docs = docs.head.into_iter().chain(docs.routines.into_iter().filter_map(|one| one.doc));
        let of_docs = docs.filter_map(|doc| doc.section(Label::Example).map(doc::Section::text));
        of_docs.for_each(|example| examples.extend(words(&example)));
        Mentions { headers, examples }
    }

    /// Returns whether a test or benchmark mentions a routine.
    fn in_headers(&self, name: &str) -> bool {
        self.headers.contains(&name.to_lowercase())
    }

    /// Returns whether a test, a benchmark, an example or a command in a comment runs a routine.
    fn run(&self, name: &str) -> bool {
        self.in_headers(name) || self.examples.contains(&name.to_lowercase())
    }
}

fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'));
    words.filter(|word| !word.is_empty()).map(str::to_lowercase)
}

fn span(near: Span, range: Range<usize>) -> Span {
    Span::new(near.file, range.start as u32, range.end as u32)
}

/// Returns the range of the import with this path, and of its line if nothing else is there.
fn import_around(text: &str, path: Range<usize>) -> Option<Range<usize>> {
    const KEYWORD: &str = "import";
    let before = text[..path.start].trim_end();
    let start = before.len().checked_sub(KEYWORD.len())?;
    let is_keyword = before.get(start..).is_some_and(|word| word.eq_ignore_ascii_case(KEYWORD));
    let after = text[path.end..].trim_start();
    let end = text.len() - after.strip_prefix(';')?.len();
    is_keyword.then(|| with_blanks(text, start..end))
}

/// The declarations of the variables of a routine, as tokens and comments.
struct Declarations<'t> {
    text: &'t str,
    tokens: Vec<(Token, Range<usize>)>,
}

impl<'t> Declarations<'t> {
    fn new(text: &'t str, after_header: usize) -> Self {
        let tokens = star_syntax::lexemes(&text[after_header..])
            .map(|(token, at)| (token, at.start + after_header..at.end + after_header))
            .take_while(|(token, _)| *token != Token::Begin);
        Declarations { text, tokens: tokens.collect() }
    }

    /// Returns the range to remove so that the variable at `name` is no longer declared. `None` if
    /// a comment is in or next to it.
    fn without(&self, name: Range<usize>) -> Option<Range<usize>> {
        let tokens = &self.tokens;
        let at = tokens.binary_search_by_key(&name.start, |(_, range)| range.start).ok()?;
        let (before, after) = (tokens.get(at.checked_sub(1)?)?, tokens.get(at + 1)?);
        if before.0 == Token::Comment || after.0 == Token::Comment {
            return None;
        }
        if before.0 == Token::Comma {
            return Some(before.1.start..name.end);
        }
        if after.0 == Token::Comma {
            return Some(name.start..tokens.get(at + 2)?.1.start);
        }
        // The only name of its group.
        let n_after = tokens[at..].iter().position(|(token, _)| *token == Token::Semicolon)?;
        let has_comment = tokens[at..].iter().take(n_after).any(|one| one.0 == Token::Comment);
        let end = tokens[at + n_after].1.end;
        match (before.0, tokens.get(at + n_after + 1)) {
            _ if has_comment => None,
            (_, Some((Token::Comment, _))) => None,
            (Token::Var, Some((_, next))) => Some(name.start..next.start),
            (Token::Var, None) => Some(with_blanks(self.text, before.1.start..end)),
            _ => Some(with_blanks(self.text, name.start..end)),
        }
    }
}

/// Returns a range with the blanks that it would leave: those before it and the line break if it
/// fills its lines, else the spaces after it.
fn with_blanks(text: &str, range: Range<usize>) -> Range<usize> {
    let is_space = |c: char| c == ' ' || c == '\t';
    let line_start = text[..range.start].trim_end_matches(is_space).len();
    let rest = text[range.end..].trim_start_matches(is_space);
    let is_first = line_start == 0 || text[..line_start].ends_with('\n');
    let line_end = text.len() - rest.len();
    let after_break = rest.strip_prefix("\r\n").or(rest.strip_prefix('\n'));
    match after_break {
        Some(next_line) if is_first => line_start..text.len() - next_line.len(),
        None if rest.is_empty() && is_first => line_start..line_end,
        Some(_) => line_start..range.end,
        None => range.start..line_end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Removes `name` from the declarations of a routine.
    fn without(text: &str, name: &str) -> Option<String> {
        let after_header = text.find(';').unwrap();
        let at = text.find(name).unwrap();
        let removed = Declarations::new(text, after_header).without(at..at + name.len())?;
        Some(text[..removed.start].to_owned() + &text[removed.end..])
    }

    #[test]
    fn a_variable_is_removed_with_its_comma_group_or_section() {
        let removed = |text, expected: &str| {
            assert_eq!(without(text, "i1").as_deref(), Some(expected), "{text}");
        };
        removed("proc P; var i1, j, k: word; begin end", "proc P; var j, k: word; begin end");
        removed("proc P; var j, i1, k: word; begin end", "proc P; var j, k: word; begin end");
        removed("proc P; var j, i1: word; begin end", "proc P; var j: word; begin end");
        removed("proc P; var i1: word(r(1)); begin end", "proc P; begin end");
        removed("proc P;\n  var i1: word;\nbegin end", "proc P;\nbegin end");
        removed("proc P; var i1: word; j: word; begin end", "proc P; var j: word; begin end");
        removed(
            "proc P;\nvar i1: word;\n  j: word;\nbegin end",
            "proc P;\nvar j: word;\nbegin end",
        );
        removed("proc P;\nvar j: word; i1: word;\nbegin end", "proc P;\nvar j: word;\nbegin end");
        removed(
            "proc P;\nvar j: word;\n  i1: word;\nbegin end",
            "proc P;\nvar j: word;\nbegin end",
        );
    }

    #[test]
    fn a_variable_with_a_comment_stays() {
        assert_eq!(without("proc P; var i1: word; { w } begin end", "i1"), None);
        assert_eq!(without("proc P; var i1 /* w */ : word; j: word; begin end", "i1"), None);
        assert_eq!(without("proc P; var i1 /* w */, j: word; begin end", "i1"), None);
        assert_eq!(without("proc P; var j, /* w */ i1: word; begin end", "i1"), None);
        assert_eq!(without("proc P; var { w } i1: word; begin end", "i1"), None);
    }

    #[test]
    fn an_import_is_removed_with_its_line() {
        let removed = |text: &str| {
            let path = text.find('"').unwrap()..text.rfind('"').unwrap() + 1;
            let import = import_around(text, path)?;
            Some(text[..import.start].to_owned() + &text[import.end..])
        };
        assert_eq!(removed("Import \"a\" ;\nproc").as_deref(), Some("proc"));
        assert_eq!(removed("{} import \"a\"; proc").as_deref(), Some("{} proc"));
        assert_eq!(removed("import \"a\"").as_deref(), None);
        assert_eq!(removed("import /**/ \"a\";").as_deref(), None);
    }
}
