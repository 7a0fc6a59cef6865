//! Completion, hints and colours while a line is typed, as functions of the text and of the
//! [`Names`] known to a session.
//!
//! * [`names`]: the names to complete; [`known`]: those of a session, and the existing files.

mod known;
mod names;

use std::borrow::Cow;

use star_base::{Builtin, language, text};
use star_syntax::cursor::{Context, Part, context, is_word};

use super::command::{Argument, Command};

pub use known::{Disk, names};
pub use names::{Files, Names, Signature};

/// Maximum number of candidates.
const MAX_LISTED: usize = 200;
/// Maximum length in bytes of a text with hints and colours. Longer texts are pasted.
const MAX_TYPED: usize = 10_000;
/// Maximum length of a hint; longer ones are truncated.
const MAX_HINT: usize = 70;

/// Candidates for the text from `start` to the cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completions {
    /// Byte offset at which the candidates begin.
    pub start: usize,
    /// The candidates in alphabetical order.
    pub candidates: Vec<String>,
}

/// Returns the candidates for the text before the byte `position`.
pub fn complete(text: &str, position: usize, names: &Names, files: &dyn Files) -> Completions {
    let text = text.get(..position).unwrap_or(text);
    let start_of_line = text.len() - text.trim_start().len();
    match text[start_of_line..].strip_prefix(':') {
        Some(command) => in_command(command, start_of_line + 1, names, files),
        None => in_code(text, 0, names, files),
    }
}

/// Returns the signature of the routine whose parentheses are open at the end of the text, to be
/// shown after it.
pub fn hint(text: &str, names: &Names) -> Option<String> {
    if text.len() > MAX_TYPED {
        return None;
    }
    let Context { open, closed_off, .. } = context(text);
    let open = open.iter().rev().find(|open| !open.name.is_empty()).filter(|_| !closed_off)?;
    let signature = signature(&open.name, names).or_else(|| {
        // A minus, not a hyphen.
        let (_, last) = open.name.rsplit_once('-')?;
        signature(last, names)
    })?;
    let signature = text::one_line(&signature);
    let cut = match signature.chars().nth(MAX_HINT) {
        None => signature,
        Some(_) => signature.chars().take(MAX_HINT - 1).chain(['…']).collect(),
    };
    Some(format!("   {cut}"))
}

/// Returns the declaration of a routine, or the usage of a built-in.
fn signature(name: &str, names: &Names) -> Option<String> {
    let routine = |alike: &dyn Fn(&Signature) -> bool| {
        let unimported = names.unimported.iter().map(|(routine, _)| routine);
        names.routines.iter().chain(unimported).find(|routine| alike(routine)).map(|routine| {
            let Signature { name, params } = routine;
            format!("{name}{params}")
        })
    };
    let builtin = || Builtin::find(name).map(|builtin| builtin.usage().to_owned());
    routine(&|routine| routine.name == name)
        .or_else(builtin)
        .or_else(|| routine(&|routine| routine.name.eq_ignore_ascii_case(name)))
}

/// Returns the text from the byte `from` with coloured keywords, strings and comments; its width is
/// unchanged.
pub fn coloured(text: &str, from: usize) -> Cow<'_, str> {
    let plain = Cow::Borrowed(text.get(from..).unwrap_or_default());
    const KEYWORD: &str = "\x1b[1m";
    const QUOTED: &str = "\x1b[32m";
    const COMMENT: &str = "\x1b[2m";
    const END: &str = "\x1b[0m";
    if text.len() > MAX_TYPED || text.trim_start().starts_with(':') {
        return plain;
    }
    let mut shown = String::new();
    let mut at = from;
    for (range, part) in context(text).parts.into_iter().filter(|(range, _)| range.end > from) {
        let range = range.start.max(from)..range.end;
        let word = &text[range.clone()];
        let is_keyword = || language::keywords().any(|keyword| keyword.eq_ignore_ascii_case(word));
        let colour = match part {
            Part::Word if is_keyword() => KEYWORD,
            Part::Word => continue,
            Part::Quoted => QUOTED,
            Part::Comment => COMMENT,
        };
        shown += &text[at..range.start];
        shown += &format!("{colour}{word}{END}");
        at = range.end;
    }
    if at == from {
        return plain;
    }
    Cow::Owned(shown + &text[at..])
}

/// Completes a command after the colon; `text` begins at byte `start` of the line.
fn in_command(text: &str, start: usize, names: &Names, files: &dyn Files) -> Completions {
    let Some(blank) = text.find(char::is_whitespace) else {
        let commands = Command::ALL.iter().map(|command| command.name());
        let mut found = of(start, text, commands);
        // Append the character that follows a unique candidate.
        if let [only] = found.candidates.as_mut_slice()
            && Command::ALL
                .iter()
                .any(|command| command.name() == only && command.argument() != Argument::None)
        {
            only.push(' ');
        }
        return found;
    };
    let (name, rest) = text.split_at(blank);
    let Some(command) = Command::ALL.into_iter().find(|command| command.name() == name) else {
        return Completions::default();
    };
    let rest_start = start + blank;
    let word = rest.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let word_start = rest_start + word;
    let word = &rest[word..];
    let is_first = rest.trim_start().len() == word.len();
    let values = || names.values.iter().map(String::as_str);
    let routines = || names.routines.iter().map(|routine| routine.name.as_str());
    let builtins = || Builtin::ALL.iter().map(|builtin| builtin.name());
    let modules = || names.modules.iter().map(String::as_str);
    match command.argument() {
        Argument::None => Completions::default(),
        Argument::Topic => of(word_start, word, builtins().chain(routines()).chain(modules())),
        Argument::Name | Argument::DeletableNames => {
            of(word_start, word, values().chain(routines()).chain(builtins()))
        }
        Argument::File => in_files(word_start, word, files),
        Argument::Names => of(word_start, word, values().chain(["fields", "rows", "columns"])),
        Argument::NameAndFile if is_first => of(word_start, word, values()),
        Argument::NameAndFile => in_files(word_start, word, files),
        Argument::TimedCode if is_first && !word.is_empty() && "off".starts_with(word) => {
            of(word_start, word, ["on", "off"].into_iter())
        }
        Argument::Code | Argument::TimedCode => in_code(rest, rest_start, names, files),
        Argument::Switch => of(word_start, word, ["on", "off"].into_iter()),
        Argument::Backend => of(word_start, word, names.backends.iter().map(String::as_str)),
        Argument::Limits => of(word_start, word, ["steps=", "memory=", "time="].into_iter()),
    }
}

/// Completes program text; `text` begins at byte `start` of the line.
fn in_code(text: &str, start: usize, names: &Names, files: &dyn Files) -> Completions {
    let context = context(text);
    if context.closed_off {
        return Completions::default();
    }
    if let Some(quote) = context.string {
        let inside = start + quote + 1;
        return in_string(&text[quote + 1..], inside, text, &context, names, files);
    }
    let is_hyphenated = |c: char| is_word(c) || c == '-';
    let begin = |is_part: &dyn Fn(char) -> bool| {
        text.char_indices()
            .rev()
            .take_while(|&(_, c)| is_part(c))
            .last()
            .map_or(text.len(), |(at, _)| at)
    };
    // A routine with hyphens in its name is called in a statement, where a subtraction is
    // impossible.
    let whole = begin(&is_hyphenated);
    if text[whole..].contains('-') {
        let hyphenated = names.routines.iter().map(|routine| routine.name.as_str());
        let found = of(start + whole, &text[whole..], hyphenated.filter(|name| name.contains('-')));
        if !found.candidates.is_empty() {
            return found;
        }
    }
    let word_start = begin(&is_word);
    let word = &text[word_start..];
    if let Some(fields) = fields_before(&text[..word_start], names) {
        return of(start + word_start, word, fields.iter().map(String::as_str));
    }
    if word.is_empty() || word.starts_with(|c: char| c.is_ascii_digit()) {
        return Completions::default();
    }
    let known = (names.values.iter().map(String::as_str))
        .chain(names.routines.iter().map(|routine| routine.name.as_str()))
        .chain(Builtin::ALL.iter().map(|builtin| builtin.name()))
        .chain(language::keywords().map(|word| word as &str));
    let found = of(start + word_start, word, known);
    if found.candidates.is_empty() { in_modules(text, word_start, start, names) } else { found }
}

/// Completes the name of a routine in a module that is not imported. A single candidate is inserted
/// with its import, if the text is the beginning of an entry.
fn in_modules(text: &str, word_start: usize, start: usize, names: &Names) -> Completions {
    let word = &text[word_start..];
    let routines = || names.unimported.iter();
    let found = of(start + word_start, word, routines().map(|(routine, _)| routine.name.as_str()));
    let [only] = found.candidates.as_slice() else { return found };
    let mut modules = routines().filter(|(routine, _)| routine.name == *only);
    match (modules.next(), modules.next()) {
        (Some((_, module)), None) if start == 0 && !text.contains('\n') => {
            let before = &text[..word_start];
            let import = format!("import \"{module}\"; ");
            let import = if before.contains(import.trim_end()) { "" } else { &import };
            Completions { start: 0, candidates: vec![format!("{import}{before}{only}")] }
        }
        _ => found,
    }
}

/// Returns the fields of the table before the dot at the end of the text: `E.`, `E[i].`.
fn fields_before<'n>(text: &str, names: &'n Names) -> Option<&'n [String]> {
    let mut table = text.strip_suffix('.')?;
    if table.ends_with(']') {
        let mut open = 0_usize;
        let (at, _) = table.char_indices().rev().find(|&(_, c)| {
            open = match c {
                ']' => open + 1,
                '[' => open.saturating_sub(1),
                _ => open,
            };
            open == 0
        })?;
        table = &table[..at];
    }
    let name = table.rsplit(|c| !is_word(c)).next()?;
    names.fields.get(name).map(Vec::as_slice)
}

/// Completes a string that begins at byte `start` of the line.
fn in_string(
    inside: &str,
    start: usize,
    text: &str,
    context: &Context,
    names: &Names,
    files: &dyn Files,
) -> Completions {
    let word = context.word.clone().map_or("", |word| &text[word]);
    if word.eq_ignore_ascii_case("import") {
        let modules = of(start, inside, names.modules.iter().map(String::as_str));
        // `star:` is not a folder.
        if !modules.candidates.is_empty() && !inside.is_empty() {
            return modules;
        }
        let mut found = in_files(start, inside, files);
        found.candidates.retain(|name| name.ends_with('/') || name.ends_with(".star"));
        found.candidates.extend(modules.candidates);
        found.candidates.sort();
        return found;
    }
    match context.open.last() {
        Some(open) if open.name.eq_ignore_ascii_case("read") && open.argument == 2 => {
            of(start, inside, names.layouts.iter().map(String::as_str))
        }
        Some(_) | None => in_files(start, inside, files),
    }
}

/// Completes file names with the prefix `path`, which begins at byte `start` of the line.
fn in_files(start: usize, path: &str, files: &dyn Files) -> Completions {
    let split = path.rfind('/').map_or(0, |at| at + 1);
    let (folder, name) = path.split_at(split);
    let hidden = name.starts_with('.');
    let listed = files.names_in(folder);
    let mut candidates: Vec<String> = listed
        .into_iter()
        .filter(|found| found.starts_with(name) && (hidden || !found.starts_with('.')))
        // Exclude names with control characters, which a terminal would interpret.
        .filter(|found| !found.chars().any(char::is_control))
        .map(|found| format!("{folder}{found}"))
        .collect();
    candidates.sort();
    candidates.truncate(MAX_LISTED);
    Completions { start, candidates }
}

/// Returns the names in `known` with the prefix `word`, or else those that match it in another
/// letter case.
fn of<'a>(start: usize, word: &str, known: impl Iterator<Item = &'a str>) -> Completions {
    let known: Vec<&str> = known.collect();
    let exact: Vec<&str> = known.iter().copied().filter(|name| name.starts_with(word)).collect();
    let alike = |name: &&str| {
        let head = name.get(..word.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(word))
    };
    let found = match exact.is_empty() {
        true => known.into_iter().filter(alike).collect(),
        false => exact,
    };
    let mut candidates: Vec<String> = found.into_iter().map(str::to_owned).collect();
    candidates.sort();
    candidates.dedup();
    candidates.truncate(MAX_LISTED);
    Completions { start, candidates }
}

#[cfg(test)]
mod tests;
