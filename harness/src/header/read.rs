//! Parser of the headers in the comments of a file.

use star_base::{Code, Diagnostic, FileId, Span, did_you_mean};
use star_syntax::Parsed;
use star_syntax::ast::Item;
use star_syntax::doc::{CommentLine, header_word, lines};

use super::{
    Definition, Expectation, Expected, Header, HeaderKind, Name, bad, place, published, values,
};
use crate::template::Joined;

/// The words that a header begins with.
const WORDS: [&str; 2] = ["test", "bench"];

/// The words that its lines begin with, except for lines with a name and `=`.
const LINES: [&str; 8] =
    ["run", "expect", "ensures", "same as", "fails", "prints", "bench", "published"];

/// Returns the headers in the text of `file`, which was parsed to `parsed`, and their errors.
pub fn headers(file: FileId, text: &str, parsed: &Parsed) -> (Vec<Header>, Vec<Diagnostic>) {
    let mut headers = Vec::new();
    let mut faults = Vec::new();
    for &comment in &parsed.comments {
        let Some(word) = header_word(text, comment) else { continue };
        let is_line = text[comment.range()].starts_with("//");
        let lines = lines(text, &[comment]);
        let at = lines.iter().find(|line| !line.is_blank()).map_or(comment.start, |line| line.at);
        let here = Span::new(file, at, at + 1 + word.len() as u32);
        let kind = match word {
            "test" => HeaderKind::Test,
            "bench" => HeaderKind::Bench,
            _ if is_line => continue,
            _ => {
                faults.push(unknown_word(here, word));
                continue;
            }
        };
        if is_line {
            let fault = bad(here, "a header in a comment of one line");
            faults.push(fault.help(format!("write `/* @{word} …` and close it with `*/`")));
            continue;
        }
        if let Some(fault) = inside_routine(parsed, comment, here) {
            faults.push(fault);
            continue;
        }
        let n_before = faults.len();
        let header = empty(kind, here);
        let mut reader = Reader { file, header, others: Vec::new(), faults: &mut faults };
        reader.read(&lines, word);
        let Reader { header, others, .. } = reader;
        // Published times are those of the first routine.
        let more = others.into_iter().map(|routine| Header {
            routine: Some(routine),
            published: Vec::new(),
            ..header.clone()
        });
        let more: Vec<Header> = more.collect();
        headers.push(header);
        headers.extend(more);
        if text[comment.range()].starts_with('{') {
            // A likely cause of any error here.
            let why = "a comment between `{` and `}` ends with its first `}`";
            faults[n_before..].iter_mut().for_each(|fault| fault.notes.push(why.to_owned()));
        }
    }
    (headers, faults)
}

fn unknown_word(here: Span, word: &str) -> Diagnostic {
    let fault = bad(here, format!("unknown header `@{word}`"))
        .note("a comment that begins with `@` is a header: `@test` or `@bench`");
    match did_you_mean(word, WORDS) {
        Some(meant) => fault.help(format!("did you mean `@{meant}`?")),
        None => fault,
    }
}

/// Reports a header inside a routine: headers must be between items.
fn inside_routine(parsed: &Parsed, comment: Span, here: Span) -> Option<Diagnostic> {
    parsed.file.items.iter().find_map(|item| match item {
        Item::Routine(routine)
            if routine.span.start < comment.start && comment.end < routine.span.end =>
        {
            Some(bad(here, "a header inside a routine").label(routine.name.span, "this routine"))
        }
        Item::Routine(_) | Item::Import { .. } | Item::Const { .. } | Item::Type(_) => None,
    })
}

fn empty(kind: HeaderKind, span: Span) -> Header {
    Header {
        kind,
        title: String::new(),
        span,
        routine: None,
        options: None,
        definitions: Vec::new(),
        bench: Vec::new(),
        expectations: Vec::new(),
        published: Vec::new(),
    }
}

struct Reader<'a> {
    file: FileId,
    header: Header,
    /// The routines after the first one.
    others: Vec<Name>,
    faults: &'a mut Vec<Diagnostic>,
}

impl Reader<'_> {
    /// Parses the lines of a header that begins with `word`.
    fn read(&mut self, lines: &[CommentLine], word: &str) {
        let first = lines.iter().position(|line| !line.is_blank()).unwrap_or(0);
        let (title, body) = match lines.get(first..) {
            Some([title, body @ ..]) => (title, body),
            _ => return,
        };
        let rest = title.text.get(1 + word.len()..).unwrap_or_default();
        self.header.title = rest.trim().to_owned();
        self.header.span = place(self.file, title.at, &title.text);
        let mut body = body;
        while let Some((line, others)) = body.split_first() {
            if line.is_blank() || line.text.starts_with("//") {
                body = others;
                continue;
            }
            let n_more = others
                .iter()
                .position(|other| !other.is_blank() && other.indent <= line.indent)
                .unwrap_or(others.len());
            let (more, behind) = others.split_at(n_more);
            body = behind;
            if let Err(fault) = self.entry(line, more) {
                self.faults.push(fault);
            }
        }
    }

    /// Parses a line with its continuation lines, which are indented further.
    fn entry(&mut self, line: &CommentLine, more: &[CommentLine]) -> Result<(), Diagnostic> {
        let file = self.file;
        let prints = after_word(&line.text, "prints").filter(|rest| !rest.starts_with('='));
        if let Some(rest) = prints {
            return self.prints(line, rest, more);
        }
        let all = std::iter::once(line).chain(more);
        let joined = Joined::new(file, all.map(|line| (line.text.as_str(), line.at)));
        let text = joined.text();
        let span = joined.span_of(text);
        if let Some(rest) = after_word(text, "published").filter(|rest| !rest.starts_with('=')) {
            self.header.published.push(published::read(&joined, rest)?);
            return Ok(());
        }
        if let Some(definition) = definition(&joined, text)? {
            return add(&mut self.header.definitions, definition);
        }
        if let Some(rest) = after_word(text, "bench") {
            let Some(definition) = definition(&joined, rest)? else {
                return Err(bad(span, "expected a name with values after `bench`")
                    .help("write `bench n = 500, 1000, 2000`"));
            };
            if self.header.kind == HeaderKind::Bench {
                return Err(bad(span, "`bench` inside a benchmark").help(
                    "write the name without `bench`: all values of `@bench` are for \
                        benchmarks",
                ));
            }
            return add(&mut self.header.bench, definition);
        }
        if let Some(rest) = after_word(text, "run") {
            return self.run(&joined, rest);
        }
        let what = if let Some(rest) = after_word(text, "expect") {
            expect(&joined, rest)?
        } else if let Some(rest) = after_word(text, "ensures") {
            Expected::Ensures(routine(&joined, rest, "ensures")?)
        } else if let Some(rest) = after_word(text, "same").and_then(|rest| after_word(rest, "as"))
        {
            Expected::SameAs(routine(&joined, rest, "same as")?)
        } else if let Some(rest) = after_word(text, "fails") {
            fails(&joined, rest)?
        } else {
            return Err(unknown_line(&joined));
        };
        self.expect(what, span)
    }

    fn expect(&mut self, what: Expected, span: Span) -> Result<(), Diagnostic> {
        let twice = |others: &[Expectation], same: &dyn Fn(&Expected) -> bool| {
            others.iter().find(|other| same(&other.what)).map(|other| other.span)
        };
        let earlier = match &what {
            Expected::Value { name, .. } => twice(
                &self.header.expectations,
                &|other| matches!(other, Expected::Value { name: it, .. } if it.text == name.text),
            ),
            Expected::Fails { .. } => {
                twice(&self.header.expectations, &|other| matches!(other, Expected::Fails { .. }))
            }
            Expected::Prints(_) => {
                twice(&self.header.expectations, &|other| matches!(other, Expected::Prints(_)))
            }
            Expected::Ensures(_) | Expected::SameAs(_) => None,
        };
        if let Some(earlier) = earlier {
            return Err(bad(span, "duplicate line").label(earlier, "first given here"));
        }
        self.header.expectations.push(Expectation { what, span });
        Ok(())
    }

    /// `run ROUTINE, ROUTINE OPTIONS`.
    fn run(&mut self, joined: &Joined, rest: &str) -> Result<(), Diagnostic> {
        let span = joined.span_of(joined.text());
        if self.header.routine.is_some() || self.header.options.is_some() {
            return Err(bad(span, "duplicate `run`"));
        }
        if rest.is_empty() {
            return Err(bad(span, "expected a routine after `run`"));
        }
        let named = |text: &str| Name { text: text.to_owned(), span: joined.span_of(text) };
        let at_option =
            |&(at, _): &(usize, &str)| at == 0 || rest[..at].ends_with(char::is_whitespace);
        let end = rest.match_indices('-').find(at_option).map_or(rest.len(), |(at, _)| at);
        let (names, options) = (rest[..end].trim_end(), &rest[end..]);
        let mut routines: Vec<Name> = Vec::new();
        for name in names.split(',').filter(|_| !names.is_empty()) {
            let (name, more) = split_word(name.trim());
            if name.is_empty() {
                return Err(bad(span, "expected a routine next to `,`"));
            }
            if !more.is_empty() {
                return Err(bad(joined.span_of(more), "expected only options after the routine")
                    .help("write values on separate lines, as in `n = 5`")
                    .help("write several routines with commas, as in `run A, B`"));
            }
            if let Some(first) = routines.iter().find(|routine| routine.text == name) {
                return Err(bad(joined.span_of(name), format!("duplicate routine `{name}`"))
                    .label(first.span, "first given here"));
            }
            routines.push(named(name));
        }
        let mut routines = routines.into_iter();
        self.header.routine = routines.next();
        self.others = routines.collect();
        self.header.options = (!options.is_empty()).then(|| named(options));
        Ok(())
    }

    /// `prints`, with the text on the same line or on the lines that are indented further.
    fn prints(
        &mut self,
        line: &CommentLine,
        rest: &str,
        more: &[CommentLine],
    ) -> Result<(), Diagnostic> {
        let here = place(self.file, line.at, &line.text);
        let shared = more.iter().filter(|line| !line.is_blank()).map(|line| line.indent).min();
        let mut texts: Vec<String> = Vec::new();
        if !rest.is_empty() {
            texts.push(rest.to_owned());
        }
        for line in more {
            let indent = if line.is_blank() { 0 } else { line.indent - shared.unwrap_or(0) };
            texts.push(format!("{:indent$}{}", "", line.text));
        }
        while texts.last().is_some_and(String::is_empty) {
            texts.pop();
        }
        let text = texts.iter().map(|line| format!("{line}\n")).collect();
        let last = more.iter().rfind(|line| !line.is_blank());
        let span = last.map_or(here, |last| here.to(place(self.file, last.at, &last.text)));
        self.expect(Expected::Prints(text), span)
    }
}

/// Returns the text after the word, if the text begins with it.
fn after_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let rest = text.strip_prefix(word)?;
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| rest.trim())
}

/// Splits off the first word.
fn split_word(text: &str) -> (&str, &str) {
    match text.split_once(char::is_whitespace) {
        Some((first, rest)) => (first, rest.trim()),
        None => (text, ""),
    }
}

/// Parses `NAME = VALUES`; `None` if it has another form.
fn definition(joined: &Joined, text: &str) -> Result<Option<Definition>, Diagnostic> {
    let Some((name, values)) = text.split_once('=') else { return Ok(None) };
    let name = name.trim_end();
    if name.contains(char::is_whitespace) {
        return Ok(None);
    }
    if !is_name(name) {
        return Err(bad(joined.span_of(text), format!("`{name}` is not a name")));
    }
    define(joined, name, values.trim()).map(Some)
}

/// Returns the definition of a name; both arguments are pieces of the text.
fn define(joined: &Joined, name: &str, right: &str) -> Result<Definition, Diagnostic> {
    let span = joined.span_of(name);
    let values = values::read(joined, name, right)?;
    Ok(Definition {
        name: Name { text: name.to_owned(), span },
        values,
        span: span.to(joined.span_of(right)),
    })
}

fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && chars.all(|c| c.is_alphanumeric() || c == '_')
}

fn add(definitions: &mut Vec<Definition>, new: Definition) -> Result<(), Diagnostic> {
    if let Some(old) = definitions.iter().find(|old| old.name.text == new.name.text) {
        return Err(bad(new.name.span, format!("duplicate values of `{}`", new.name.text))
            .label(old.name.span, "first given here"));
    }
    definitions.push(new);
    Ok(())
}

/// Parses the text after `expect`: `NAME = VALUE`.
fn expect(joined: &Joined, rest: &str) -> Result<Expected, Diagnostic> {
    let whole = joined.span_of(joined.text());
    let form = "write `expect P = 011 001 000`, or `expect value = 3` for the result of a function";
    let Some((name, value)) = rest.split_once('=') else {
        return Err(bad(whole, "expected a name with a value after `expect`").help(form));
    };
    let (name, value) = (name.trim_end(), value.trim());
    if !is_name(name) {
        return Err(bad(whole, format!("`{name}` is not a name")).help(form));
    }
    if value.is_empty() {
        return Err(bad(whole, format!("missing value of `{name}`")).help(form));
    }
    let name = Name { text: name.to_owned(), span: joined.span_of(name) };
    Ok(Expected::Value { name, value: values::one(joined, value)? })
}

/// Parses the single routine after a word.
fn routine(joined: &Joined, rest: &str, word: &str) -> Result<Name, Diagnostic> {
    match split_word(rest) {
        ("", _) => Err(bad(
            joined.span_of(joined.text()),
            format!(
                "expected a routine after \
            `{word}`"
            ),
        )),
        (name, "") => Ok(Name { text: name.to_owned(), span: joined.span_of(name) }),
        (_, more) => {
            let fault =
                bad(joined.span_of(more), format!("expected only one routine after `{word}`"));
            Err(fault.help("write one line for each"))
        }
    }
}

/// Parses the text after `fails`: `CODE`, `CODE line N`.
fn fails(joined: &Joined, rest: &str) -> Result<Expected, Diagnostic> {
    let form = "write `fails T0101`, or `fails T0101 line 12`";
    let (word, more) = split_word(rest);
    if word.is_empty() {
        return Err(bad(joined.span_of(joined.text()), "expected a code after `fails`").help(form));
    }
    let Some(code) = Code::parse(word).filter(|code| can_fail(*code)) else {
        let names = Code::ALL.iter().filter(|code| can_fail(**code)).map(|code| code.as_str());
        let fault = bad(joined.span_of(word), format!("no run ends with the code `{word}`"))
            .note("codes of errors begin with `E`, of traps with `T`, of limits with `L`");
        return Err(match did_you_mean(word, names) {
            Some(meant) => fault.help(format!("did you mean `{meant}`?")),
            None => fault,
        });
    };
    let line = match after_word(more, "line").map(str::parse) {
        Some(Ok(line)) => Some(line),
        None if more.is_empty() => None,
        Some(Err(_)) | None => {
            return Err(bad(joined.span_of(more), "expected `line N` after the code").help(form));
        }
    };
    Ok(Expected::Fails { code, line })
}

/// Can a run fail with this code? Errors, traps and limits end a run or prevent it; warnings and
/// interrupts do not.
fn can_fail(code: Code) -> bool {
    let text = code.as_str();
    text.starts_with(['E', 'T', 'L']) && !text.starts_with("E07") && code != Code::Interrupted
}

fn unknown_line(joined: &Joined) -> Diagnostic {
    let (first, _) = split_word(joined.text());
    let fault = bad(joined.span_of(first), format!("unknown line of a header: `{first}`")).note(
        "lines begin with `run`, `expect`, `ensures`, `same as`, `fails`, `prints`, \
            `bench`, `published` or `NAME =`",
    );
    match did_you_mean(first, LINES) {
        Some(meant) => fault.help(format!("did you mean `{meant}`?")),
        None => fault,
    }
}
