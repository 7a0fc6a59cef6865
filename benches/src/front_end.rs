//! Speed of reading, formatting and checking programs.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::time::Instant;

use star_base::{FileId, SourceFile};
use star_compiler::{Formatter, LoadError, Source, SourceLoader};
use star_stdlib::LIBRARY;
use star_syntax::ast::Item;
use star_syntax::token::Token;

use crate::say::say;

/// The library's module of shortest paths again and again, everything that it declares under new
/// names.
fn program(megabytes: usize) -> String {
    let (_, module) = star_stdlib::MODULES
        .iter()
        .find(|(name, _)| *name == "paths")
        .expect("the library has a module `paths`");
    let tree = star_syntax::parse(FileId(0), module).file;
    let declared: BTreeSet<&str> = tree.items.iter().filter_map(name).collect();
    let mut text = String::with_capacity(megabytes * 1_000_000 + 2 * module.len());
    for copy in 0.. {
        if text.len() >= megabytes * 1_000_000 {
            break;
        }
        let mut at = 0;
        for (token, range) in star_syntax::lexemes(module) {
            text.push_str(&module[at..range.end]);
            at = range.end;
            if token == Token::Name && declared.contains(&module[range.clone()]) {
                // Writing to a string does not fail.
                let _ = write!(text, "_{copy}");
            }
        }
        text.push_str(&module[at..]);
        text.push('\n');
    }
    text
}

fn name(item: &Item) -> Option<&str> {
    match item {
        Item::Import { .. } => None,
        Item::Const { name, .. } => Some(&name.name),
        Item::Type(one) => Some(&one.name.name),
        Item::Routine(routine) => Some(&routine.name.name),
    }
}

/// A text as the only file there is.
pub(crate) struct OneText(pub(crate) String);

impl SourceLoader for OneText {
    fn load(&mut self, path: &str, _: Option<&str>) -> Result<Source, LoadError> {
        Ok(Source { name: path.to_owned(), bytes: self.0.clone().into_bytes() })
    }
}

/// Returns the seconds of lexing and parsing, of formatting, and of a check with lowering.
pub(crate) fn run(megabytes: usize) -> [f64; 3] {
    let text = program(megabytes);
    let n_lines = text.lines().count();
    say!("a file of {} bytes, {n_lines} lines", text.len());
    let parse = report("lex and parse", text.len(), || {
        let parsed = star_syntax::parse(FileId(0), &text);
        assert!(parsed.diagnostics.is_empty(), "the generated program parses");
        parsed.file.items.len()
    });
    let mut loader = OneText(text.clone());
    let source = SourceFile::new("generated.star", text.clone());
    let formatter = Formatter::new(LIBRARY);
    let format = report("format", text.len(), || {
        let formatted = formatter.format(&source, &mut loader);
        formatted.map_or(0, |formatted| formatted.len())
    });
    let check = report("lex, parse, resolve, check and lower", text.len(), || {
        let compilation = star_compiler::check("generated.star", &mut loader, &LIBRARY);
        assert!(!compilation.has_errors(), "the generated program has no errors");
        compilation.hir.routines.len()
    });
    [parse, format, check]
}

/// Times `work`, prints the median speed and returns the median time.
pub(crate) fn report(what: &str, n_bytes: usize, mut work: impl FnMut() -> usize) -> f64 {
    work();
    let mut seconds: Vec<f64> = (0..9)
        .map(|_| {
            let start = Instant::now();
            std::hint::black_box(work());
            start.elapsed().as_secs_f64()
        })
        .collect();
    seconds.sort_by(f64::total_cmp);
    let speed = |seconds: f64| n_bytes as f64 / seconds / 1e6;
    say!(
        "{what}: {:.1} MB/s (median of 9; {:.1} to {:.1})",
        speed(seconds[4]),
        speed(seconds[8]),
        speed(seconds[0])
    );
    seconds[4]
}
