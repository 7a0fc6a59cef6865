//! Short helpers for "this text does that" on every backend: what it prints, leaves in its
//! arguments, or traps with.

use star_base::{Diagnostic, SourceMap, Span};
use star_compiler::LowerOptions;
use star_value::Value;
use star_vm::Outcome;

use crate::run::{Program, RunResult};

/// Runs the `program` of a text, which has no parameters and ends well, and returns what it
/// printed.
///
/// # Panics
/// If it does not compile or does not end well.
pub fn prints(text: &str) -> String {
    let program = Program::new(text);
    let run = main_of(&program);
    assert_eq!(run.outcome, Outcome::Done, "{}", ending(&program, &run));
    run.printed
}

/// Runs the `program` of a text, which has no parameters, and returns its trap as [`render`] writes
/// it.
///
/// # Panics
/// If it does not compile, or does not trap.
pub fn traps(text: &str) -> String {
    traps_with(text, &LowerOptions::default())
}

/// Runs the `program` of a text compiled with these options and returns its trap as [`render`]
/// writes it.
///
/// # Panics
/// If it does not compile, or does not trap.
pub fn traps_with(text: &str, options: &LowerOptions) -> String {
    let program = Program::with(text, options);
    let run = main_of(&program);
    assert!(matches!(run.outcome, Outcome::Trap(_)), "{:?}", run.outcome);
    ending(&program, &run)
}

fn main_of(program: &Program) -> RunResult {
    let entries = program.compilation.entries();
    let main = entries
        .iter()
        .find(|entry| entry.kind == star_syntax::ast::RoutineKind::Program)
        .expect("a program");
    program.run(&main.name, Vec::new())
}

/// Runs a routine that ends well and returns its arguments afterwards.
///
/// # Panics
/// If it does not compile or does not end well.
pub fn ends(text: &str, routine: &str, args: Vec<Value>) -> Vec<Value> {
    let program = Program::new(text);
    let run = program.run(routine, args);
    assert_eq!(run.outcome, Outcome::Done, "{}", ending(&program, &run));
    run.values
}

/// Runs a routine that traps and returns its trap as [`render`] writes it.
///
/// # Panics
/// If it does not compile, or does not trap.
pub fn call_traps(text: &str, routine: &str, args: Vec<Value>) -> String {
    let program = Program::new(text);
    let run = program.run(routine, args);
    assert!(matches!(run.outcome, Outcome::Trap(_)), "{:?}", run.outcome);
    ending(&program, &run)
}

/// Describes how a run ended: its trap or limit, or an empty text.
pub fn ending(program: &Program, run: &RunResult) -> String {
    let sir = &program.lowered.program;
    let diagnostic = match &run.outcome {
        Outcome::Done => return String::new(),
        Outcome::Trap(trap) => star_compiler::describe_trap(trap, sir),
        Outcome::Limit { kind, loc } => star_compiler::describe_limit(*kind, *loc, sir),
        Outcome::Unsupported { what } => return format!("not supported: {what}"),
        Outcome::DeviceLost { why } => return format!("device lost: {why}"),
        Outcome::Internal(why) => return format!("internal: {why}"),
    };
    render(&program.compilation.sources, &diagnostic)
}

/// Renders a message as plain text, one line for each part:
/// ```text
/// E0301 2:5 expected a slice, found a word: what the first label says
///   at 1:3: what a further label says
///   note: why
///   help: what to write
///   fix 2:5-2:6 write `:=` => ":="
/// ```
/// Locations in files other than `test.star` are prefixed with the file name.
pub fn render(sources: &SourceMap, diagnostic: &Diagnostic) -> String {
    let Diagnostic { code, message, labels, place: _, notes, help, fixes } = diagnostic;
    let mut text = code.to_string();
    if let Some(first) = labels.first() {
        text.push_str(&format!(" {}", place(sources, first.span)));
    }
    text.push_str(&format!(" {message}"));
    if let Some(first) = labels.first().filter(|first| !first.text.is_empty()) {
        text.push_str(&format!(": {}", first.text));
    }
    text.push('\n');
    for label in labels.iter().skip(1) {
        text.push_str(&format!("  at {}: {}\n", place(sources, label.span), label.text));
    }
    for note in notes {
        text.push_str(&format!("  note: {}\n", note.replace('\n', "\n        ")));
    }
    for line in help {
        text.push_str(&format!("  help: {}\n", line.replace('\n', "\n        ")));
    }
    for fix in fixes {
        let (from, to) = (place(sources, fix.span), place(sources, fix.span.after()));
        text.push_str(&format!("  fix {from}-{to} {} => {:?}\n", fix.title, fix.replacement));
    }
    text
}

fn place(sources: &SourceMap, span: Span) -> String {
    let Some(file) = sources.get(span.file) else {
        return "?".to_owned();
    };
    let at = file.line_column(span.start as usize);
    match file.name() {
        "test.star" => format!("{}:{}", at.line, at.column),
        name => format!("{name}:{}:{}", at.line, at.column),
    }
}

/// Pseudorandom numbers that are the same in every run.
#[derive(Clone, Debug)]
pub struct Random(star_base::Random);

impl Random {
    /// Creates the generator for this seed.
    pub fn new(seed: u64) -> Self {
        Random(star_base::Random::new(seed))
    }

    /// Returns the next 64 bits.
    pub fn bits64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns a number below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits64() % n as u64) as usize
    }

    /// Returns true in `percent` of 100 cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Returns bits of which `percent` of 100 are ones.
    pub fn bits(&mut self, len: usize, percent: usize) -> Vec<bool> {
        (0..len).map(|_| self.chance(percent)).collect()
    }
}
