//! The formatter of source files. `docs/src/modules.md` has its rules.
//!
//! * [`parts`]: division of a text into parts; [`tokens`]: the tokens of a part with their comments
//!   and widths.
//! * [`tree`]: the structure of the tokens; [`read`] builds it; [`names`]: changes of spelling.
//! * [`layout`], [`fill`] and [`gaps`]: the line and column of each token and comment; [`writer`]:
//!   lines, and the comments at their ends.
//! * [`verify`]: a text is returned only if it has the same tokens and comments.
//!
//! The formatter does not check types or meaning: any text that can be parsed can be formatted.

mod fill;
mod gaps;
mod layout;
mod names;
mod parts;
mod read;
#[cfg(test)]
mod tests;
mod tokens;
mod tree;
mod verify;
mod writer;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeMap;

use star_base::{Code, Diagnostic, FileId, Library, SourceFile};
use star_syntax::ast::{File, Item};
use star_syntax::lexemes;

use crate::loader::{MODULE_PREFIX, SourceLoader};
use names::{Declared, Origin, Outside, Speller};
use parts::Parts;
use writer::Writer;

/// The file that positions in the formatter's messages refer to.
const FILE: FileId = FileId(0);

/// Minimum number of tokens of a part; large enough for the fixed cost of a part to be negligible.
const PART: usize = 4096;

/// A formatter of files.
#[derive(Default)]
pub struct Formatter {
    library: Library,
    /// Declarations of the library modules visible to every program; read on demand.
    basic: OnceCell<Vec<Declared>>,
}

impl Formatter {
    /// Creates a formatter of programs that see this library.
    pub fn new(library: Library) -> Self {
        Formatter { library, basic: OnceCell::new() }
    }

    /// Formats `source`: the same tokens and comments, assignments as `:=`, keywords in lower case,
    /// built-ins and library routines as published. To find their names, it reads the imported
    /// files with `loader`; if one cannot be read, names are unchanged. Formatting is idempotent
    /// and takes time linear in the text.
    ///
    /// # Errors
    /// The errors in the text, if it cannot be parsed; positions refer to file 0. An internal error
    /// if something would be lost, which is a bug in this crate.
    pub fn format(
        &self,
        source: &SourceFile,
        loader: &mut dyn SourceLoader,
    ) -> Result<String, Vec<Diagnostic>> {
        self.format_parts(source, loader, PART)
    }

    /// Formats a text in parts of at least `least` tokens.
    fn format_parts(
        &self,
        source: &SourceFile,
        loader: &mut dyn SourceLoader,
        least: usize,
    ) -> Result<String, Vec<Diagnostic>> {
        let outline = star_syntax::outline(FILE, source.text());
        if outline.diagnostics.iter().any(Diagnostic::is_error) {
            return Err(outline.diagnostics);
        }
        let tree = outline.file;
        let (text, ends) = unix_lines(source.text());
        let imported = OnceCell::new();
        let own = Declared::of(&tree);
        let mut outside = || {
            let read = || imports(&tree, source.name(), loader, &self.library);
            outside(
                imported.get_or_init(read),
                self.basic.get_or_init(|| read_all(self.library.basic)),
            )
        };
        let formatted = set(&text, least, Speller::new(&own, &mut outside));
        let Some(formatted) = formatted else { return Err(vec![lost()]) };
        let mark = if text.starts_with('\u{feff}') { "\u{feff}" } else { "" };
        Ok(match ends {
            "\n" if mark.is_empty() => formatted,
            _ => format!("{mark}{}", formatted.replace('\n', ends)),
        })
    }
}

/// Returns the formatted text, or `None` if something would be lost.
fn set<'s>(text: &'s str, least: usize, mut speller: Speller<'s, '_, '_>) -> Option<String> {
    let mut writer = Writer::new(text.len());
    let mut after_routine = None;
    for mut part in Parts::new(text, lexemes(text), least) {
        let tree = read::read(&part, &mut speller)?;
        speller.spell(&mut part.toks);
        part.measure();
        after_routine = layout::print(&part, &tree, &mut writer, after_routine);
        writer.settle();
    }
    let formatted = writer.finish();
    verify::same(text, speller.changes(), &formatted).then_some(formatted)
}

/// Returns the text with `\n` as line endings, and the ending of its first line.
fn unix_lines(text: &str) -> (Cow<'_, str>, &'static str) {
    if !text.contains("\r\n") {
        return (Cow::Borrowed(text), "\n");
    }
    let mut unix = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match line.strip_suffix('\n') {
            Some(line) => {
                unix.push_str(line.trim_end_matches('\r'));
                unix.push('\n');
            }
            None => unix.push_str(line),
        }
    }
    let first = text.find('\n').unwrap_or(0);
    (Cow::Owned(unix), if text[..first].ends_with('\r') { "\r\n" } else { "\n" })
}

fn read_all(texts: &[(&str, &str)]) -> Vec<Declared> {
    texts.iter().map(|(_, text)| declared(text)).collect()
}

fn declared(text: &str) -> Declared {
    Declared::of(&star_syntax::outline(FILE, text).file)
}

/// The declarations in the imports of a file; `None` for one that cannot be read.
type Imports = Vec<Option<(Declared, Origin)>>;

/// Reads the imports of a file, each file once.
fn imports(
    tree: &File,
    importer: &str,
    loader: &mut dyn SourceLoader,
    library: &Library,
) -> Imports {
    let mut seen = BTreeMap::new();
    let paths = tree.items.iter().filter_map(|item| match item {
        Item::Import { path, span: _ } => Some(path.as_str()),
        Item::Const { .. } | Item::Type(_) | Item::Routine(_) => None,
    });
    for path in paths {
        seen.entry(path).or_insert_with(|| import(path, importer, loader, library));
    }
    seen.into_values().collect()
}

fn import(
    path: &str,
    importer: &str,
    loader: &mut dyn SourceLoader,
    library: &Library,
) -> Option<(Declared, Origin)> {
    if let Some(module) = path.strip_prefix(MODULE_PREFIX) {
        let (_, text) = library.modules.iter().find(|(name, _)| *name == module)?;
        return Some((declared(text), Origin::Library));
    }
    let source = loader.load(path, Some(importer)).ok()?;
    let text = String::from_utf8(source.bytes).ok()?;
    let parsed = star_syntax::outline(FILE, &text);
    // A file that cannot be read may declare anything.
    let readable = !parsed.diagnostics.iter().any(Diagnostic::is_error);
    readable.then(|| (Declared::of(&parsed.file), Origin::User))
}

fn outside<'a>(imports: &'a Imports, basic: &'a [Declared]) -> Outside<'a> {
    let complete = imports.iter().all(Option::is_some);
    let imported = imports.iter().flatten().map(|(declared, origin)| (declared, *origin));
    let basic = basic.iter().map(|declared| (declared, Origin::Library));
    Outside { files: imported.chain(basic).collect(), complete }
}

fn lost() -> Diagnostic {
    let message = "internal error: formatting would have changed the program";
    Diagnostic::new(Code::Internal, message)
        .help("this is a bug in the toolchain, not in the program: please report it")
}
