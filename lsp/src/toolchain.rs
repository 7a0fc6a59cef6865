//! The toolchain as the server sees it: other modules name its crates only through this one.
//!
//! * [`check`] reads and checks a file with its imports; [`plan`] lowers and optimises it.
//! * [`FileLoader`] reads files, with open documents in place of those on disk.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) use star_base::builtins::{Form, ResultKind, Special};
pub(crate) use star_base::{
    Builtin, Code, Diagnostic, FileId, Severity, SourceFile, Span, certain_fixes, language, text,
};
pub(crate) use star_compiler::hir::{self, LocalId, RoutineId};
pub(crate) use star_compiler::{
    Access, Compilation, Formatter, Index, LoadError, MAX_SOURCE_BYTES, Meaning, Source,
    SourceLoader, Use,
};
pub(crate) use star_doc::catalogue::ModuleKind;
pub(crate) use star_doc::{Catalogue, markdown};
pub(crate) use star_harness::{Header, HeaderKind, Purpose};
pub(crate) use star_io::{Layout, NumberLayout};
pub(crate) use star_stdlib::LIBRARY;
pub(crate) use star_syntax::ast;
pub(crate) use star_syntax::cursor;
pub(crate) use star_syntax::doc::{self, RoutineDoc};
pub(crate) use star_syntax::token::Token;
pub(crate) use star_syntax::{Parsed, is_reserved, lexemes, outline, parse};

use star::pipeline::{Build, optimise};
use star_compiler::LowerOptions;
use star_io::packing::Packing;
use star_io::{Data, Decimal, Format, LoadedFile, ReadOptions, meaning};
use star_ir::{Extent, Ty, VarId};
use star_opt::Options;

/// Maximum size of the data of which columns are read.
const MAX_DATA_BYTES: u64 = 16 << 20;

/// The beginning of the names of imported library modules.
pub(crate) const MODULE: &str = "star:";

/// Reads and checks a file, and finds the meaning of each name.
pub(crate) fn check(path: &str, loader: &mut dyn SourceLoader) -> (Compilation, Index) {
    star_compiler::check_and_index(path, loader, &LIBRARY)
}

/// Returns the headers of tests and benchmarks in a file, and their errors.
pub(crate) fn headers(file: FileId, text: &str) -> (Vec<Header>, Vec<Diagnostic>) {
    star_harness::header::checked(file, text)
}

/// The result of the passes for the loops of a file, and the sizes of variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    /// The loops in source order.
    pub(crate) loops: Vec<PlannedLoop>,
    /// The sizes of variables by routine and name, as text: `n`, or rows and columns.
    pub(crate) sizes: BTreeMap<(RoutineId, String), Vec<String>>,
}

/// The result of the passes for a loop.
#[derive(Clone, Debug)]
pub(crate) struct PlannedLoop {
    /// The position of its head.
    pub(crate) span: Span,
    /// The transformations, or the reason why there are none.
    pub(crate) became: String,
    /// Was it transformed?
    pub(crate) transformed: bool,
    /// The position of the reason.
    pub(crate) because: Option<Span>,
}

/// Lowers and optimises a program without errors; `None` if the toolchain fails.
pub(crate) fn plan(compilation: &Compilation) -> Option<Plan> {
    let file = compilation.root_file()?;
    let Build { lowered, .. } = Build::new(compilation, &LowerOptions::default(), None).ok()?;
    let mut sizes = BTreeMap::new();
    for entry in compilation.entries() {
        let Some(id) = lowered.routine(entry.id) else { continue };
        let routine = lowered.program.routine(id);
        for (name, found) in sizes_of(routine) {
            sizes.insert((entry.id, name), found);
        }
    }
    let mut program = lowered.program;
    let report = optimise(&mut program, &Options::default()).ok()?;
    let loops = star_opt::plan(&report.remarks, &program, file).into_iter().filter_map(|note| {
        let (_, became) = note.message.split_once(": ")?;
        let transformed = !became.starts_with("as written");
        let because = note.labels.get(1).map(|label| label.span);
        Some(PlannedLoop { span: note.span()?, became: became.to_owned(), transformed, because })
    });
    Some(Plan { loops: loops.collect(), sizes })
}

/// Returns the sizes on which all webs of a source variable agree.
fn sizes_of(routine: &star_ir::Routine) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Option<Vec<String>>> = BTreeMap::new();
    for var in &routine.vars {
        let Some(source) = &var.source else { continue };
        let extents: &[Extent] = match &var.ty {
            Ty::Slice(n) | Ty::Word(n) => &[*n],
            Ty::Table(rows, columns) => &[*rows, *columns],
            Ty::Int | Ty::Bool | Ty::Str | Ty::Handle => continue,
        };
        let sizes: Option<Vec<String>> =
            extents.iter().map(|extent| size_text(routine, *extent)).collect();
        let known = found.entry(source.clone()).or_insert_with(|| sizes.clone());
        if *known != sizes {
            *known = None;
        }
    }
    found.into_iter().filter_map(|(name, sizes)| Some((name, sizes?))).collect()
}

/// Returns a size in terms of the source; `None` if it is not constant.
fn size_text(routine: &star_ir::Routine, extent: Extent) -> Option<String> {
    let of_var = |id: VarId| {
        if let Some(name) = routine.source_name(id) {
            return Some(name.to_owned());
        }
        let (name, what) = routine.vars.get(id.0 as usize)?.name.rsplit_once('.')?;
        match what {
            "rows" => Some(format!("rows({name})")),
            "columns" => Some(format!("size({name})")),
            "length" => Some(format!("length({name})")),
            _ => None,
        }
    };
    match extent {
        Extent::Const(n) => Some(n.to_string()),
        Extent::Var(id) => of_var(id),
        Extent::Dynamic => None,
    }
}

/// Returns whether files of this name have named columns.
pub(crate) fn has_columns(path: &str) -> bool {
    let (_, path) = Packing::of_path(path);
    matches!(Format::of_path(path), Some(Format::Csv))
}

/// Returns the columns of a data file with what they hold; none if it has another form.
pub(crate) fn columns(path: &str, bytes: &[u8]) -> Vec<(String, String)> {
    let Ok(format) = Format::of_file(path, bytes) else { return Vec::new() };
    let mut options = ReadOptions::new(path, MAX_DATA_BYTES);
    // Fractions and gaps need a setting in a program; here they are accepted.
    options.scale = Decimal::parse("1");
    options.fields.empty = Some("0");
    let Ok(LoadedFile { data: Data::Numbers(numbers), .. }) =
        star_io::read(format, &mut { bytes }, &mut options)
    else {
        return Vec::new();
    };
    let about = |meaning: &meaning::Meaning| match meaning {
        meaning::Meaning::Number | meaning::Meaning::Scaled(_) => "numbers".to_owned(),
        meaning::Meaning::Texts(texts) => {
            let first: Vec<&str> = texts.as_slice().iter().take(4).map(String::as_str).collect();
            format!("texts: {}", first.join(", "))
        }
        meaning::Meaning::Date => "dates".to_owned(),
        meaning::Meaning::Clock => "times".to_owned(),
        meaning::Meaning::DateTime => "dates and times".to_owned(),
    };
    numbers.fields.into_iter().map(|field| (field.name, about(&field.meaning))).collect()
}

/// The texts of open documents by the canonical paths of their files.
pub(crate) type Overlay = BTreeMap<PathBuf, Arc<SourceFile>>;

/// Loader of source files: open documents, then the disk. A file can be imported if it lies in the
/// folder of the file that is checked or below, or in a granted folder.
pub(crate) struct FileLoader<'a> {
    overlay: &'a Overlay,
    granted: Vec<PathBuf>,
    names: BTreeMap<PathBuf, String>,
}

impl<'a> FileLoader<'a> {
    /// Creates a loader that also permits imports from `granted` folders.
    pub(crate) fn new(overlay: &'a Overlay, granted: &[PathBuf]) -> Self {
        let granted = granted.iter().filter_map(|folder| fs::canonicalize(folder).ok());
        FileLoader { overlay, granted: granted.collect(), names: BTreeMap::new() }
    }

    /// Returns the paths of the files that were read, with their names in messages.
    pub(crate) fn into_names(self) -> BTreeMap<PathBuf, String> {
        self.names
    }

    fn read(&mut self, path: &Path, shown: String) -> Result<Source, LoadError> {
        if let Some(name) = self.names.get(path) {
            // The compiler needs only its name.
            return Ok(Source { name: name.clone(), bytes: Vec::new() });
        }
        let bytes = match self.overlay.get(path) {
            Some(open) => open.text().as_bytes().to_vec(),
            None => {
                let unreadable =
                    |error: std::io::Error| LoadError::Unreadable(star_base::text::reason(&error));
                let metadata = fs::metadata(path).map_err(unreadable)?;
                if !metadata.is_file() {
                    return Err(LoadError::Unreadable("it is not a regular file".to_owned()));
                }
                if metadata.len() > MAX_SOURCE_BYTES as u64 {
                    return Err(LoadError::TooLarge);
                }
                fs::read(path).map_err(unreadable)?
            }
        };
        self.names.insert(path.to_owned(), shown.clone());
        Ok(Source { name: shown, bytes })
    }
}

impl SourceLoader for FileLoader<'_> {
    fn load(&mut self, path: &str, importer: Option<&str>) -> Result<Source, LoadError> {
        let Some(importer) = importer else {
            let canonical = canonical(Path::new(path));
            if let Some(folder) = canonical.parent() {
                self.granted.push(folder.to_owned());
            }
            return self.read(&canonical, path.to_owned());
        };
        let folder = Path::new(importer).parent().unwrap_or(Path::new(""));
        let canonical = canonical(&folder.join(path));
        if !self.granted.iter().any(|folder| canonical.starts_with(folder)) {
            return Err(LoadError::NotAllowed {
                why: "it is outside the folder of the program".to_owned(),
                help: "the setting `allowRead` grants a folder".to_owned(),
            });
        }
        if canonical.extension() != Some("star".as_ref()) {
            return Err(LoadError::Unreadable("an import must name a `.star` file".to_owned()));
        }
        let shown = canonical.display().to_string();
        self.read(&canonical, shown)
    }
}

/// Returns the canonical path of a file; of one that does not exist, its path without `.` and `..`.
pub(crate) fn canonical(path: &Path) -> PathBuf {
    if let Ok(found) = fs::canonicalize(path) {
        return found;
    }
    let parts = path.components().fold(PathBuf::new(), |mut parts, part| {
        match part {
            std::path::Component::ParentDir => {
                parts.pop();
            }
            std::path::Component::CurDir => {}
            std::path::Component::Prefix(_)
            | std::path::Component::RootDir
            | std::path::Component::Normal(_) => parts.push(part),
        }
        parts
    });
    match (parts.parent().and_then(|parent| fs::canonicalize(parent).ok()), parts.file_name()) {
        (Some(parent), Some(name)) => parent.join(name),
        (_, _) => parts,
    }
}
