//! The source files of a compilation: the root, its imports, and the library.
//!
//! All text comes from a [`SourceLoader`]; this module opens no files.

use star_base::{Code, Diagnostic, FileId, Library, SourceFile, SourceMap, Span};
use star_syntax::ast;

/// Maximum size of a source file (256 MiB): spans count bytes in 32 bits.
pub const MAX_SOURCE_BYTES: usize = 256 << 20;

/// The prefix of a library module in an import.
pub(crate) const MODULE_PREFIX: &str = "star:";

/// Finds and reads source files.
pub trait SourceLoader {
    /// Reads the file `path` as named by `importer` (`None`: by the user).
    ///
    /// # Errors
    /// The reason why it cannot be read.
    fn load(&mut self, path: &str, importer: Option<&str>) -> Result<Source, LoadError>;
}

/// The contents of a source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The name for display; two imports with the same name are one file.
    pub name: String,
    /// The contents.
    pub bytes: Vec<u8>,
}

/// The reason why a source file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoadError {
    /// The reason.
    Unreadable(String),
    /// There is no such program, and the intended one can be guessed.
    Mistaken {
        /// The reason.
        why: String,
        /// The suggested action.
        help: String,
    },
    /// An import that the user has not permitted.
    NotAllowed {
        /// The reason.
        why: String,
        /// The suggested action.
        help: String,
    },
    /// Larger than [`MAX_SOURCE_BYTES`].
    TooLarge,
}

/// Returns the importable modules with a suitable item of this name, in any letter case.
pub(crate) fn modules_with(
    library: &Library,
    name: &str,
    suits: impl Fn(&ast::Item) -> bool,
) -> Vec<&'static str> {
    let declares = |text: &str| {
        // Parsing takes longer than searching, and most names occur in no module.
        let mut words = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'));
        words.any(|word| word.eq_ignore_ascii_case(name))
            && star_syntax::outline(FileId(0), text).file.items.iter().any(|item| {
                let known = match item {
                    ast::Item::Import { .. } => return false,
                    ast::Item::Const { name, .. } => name,
                    ast::Item::Type(one) => &one.name,
                    ast::Item::Routine(routine) => &routine.name,
                };
                known.name.eq_ignore_ascii_case(name) && suits(item)
            })
    };
    let modules = library.modules.iter().filter(|(_, text)| declares(text));
    modules.map(|(module, _)| *module).collect()
}

/// A file with its syntax tree.
pub(crate) struct Unit {
    pub(crate) file: FileId,
    pub(crate) tree: ast::File,
    /// The imported units, with the position of the path.
    pub(crate) imports: Vec<(usize, Span)>,
    /// Did an import fail? Its declarations are then unknown, and an unknown name may be valid.
    pub(crate) import_failed: bool,
    /// Could an item not be read? An unknown routine or type may be that one.
    pub(crate) is_incomplete: bool,
    pub(crate) library: bool,
    /// Is it a library module that every program sees?
    pub(crate) basic: bool,
}

impl Unit {
    /// Returns the name of a library module, such as `closure`, or of a file of basic procedures,
    /// such as `order`.
    pub(crate) fn module<'s>(&self, sources: &'s SourceMap) -> Option<&'s str> {
        let name = sources.get(self.file).map(SourceFile::name).filter(|_| self.library)?;
        match self.basic {
            true => name.rsplit('/').next()?.strip_suffix(".star"),
            false => name.strip_prefix(MODULE_PREFIX),
        }
    }
}

/// All files of a compilation: the library's basic modules, then the root, then its imports. (In a
/// session the imports precede the root.)
pub(crate) struct Units {
    pub(crate) sources: SourceMap,
    pub(crate) units: Vec<Unit>,
    /// The index of the root; `None` if it cannot be read.
    pub(crate) root: Option<usize>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Reads and parses the root, which may be a module of the library, and all its dependencies.
pub(crate) fn load(path: &str, loader: &mut dyn SourceLoader, library: &Library) -> Units {
    let mut units = Units::new(library);
    let module = path.strip_prefix(MODULE_PREFIX);
    let known = library.modules.iter().find(|(name, _)| module == Some(*name));
    if let Some((_, text)) = known {
        units.root = Some(units.add_library(path, text, false));
    } else {
        match read_source(path, loader) {
            Ok(file) => units.root = Some(units.add(file)),
            Err(diagnostic) => {
                let missing = module.map(|module| no_module(module, library));
                units.diagnostics.push(missing.unwrap_or(*diagnostic));
            }
        }
    }
    let mut next = units.root.unwrap_or(units.units.len());
    while next < units.units.len() {
        units.follow_imports(next, loader, library);
        next += 1;
    }
    units
}

/// Reads one source file named by the user, without its imports.
///
/// # Errors
/// E0110 to E0112 if it cannot be read, is not text or is too large.
pub fn read_source(
    path: &str,
    loader: &mut dyn SourceLoader,
) -> Result<SourceFile, Box<Diagnostic>> {
    match loader.load(path, None) {
        Ok(source) => text_of(source),
        Err(LoadError::Unreadable(why)) => {
            let message = format!("cannot read `{path}`: {why}");
            Err(Box::new(Diagnostic::new(Code::SourceUnreadable, message)))
        }
        Err(LoadError::Mistaken { why, help }) => {
            let message = format!("cannot read `{path}`: {why}");
            Err(Box::new(Diagnostic::new(Code::SourceUnreadable, message).help(help)))
        }
        Err(LoadError::NotAllowed { why, help }) => {
            let message = format!("cannot read `{path}`: {why}");
            Err(Box::new(Diagnostic::new(Code::NotAllowed, message).help(help)))
        }
        Err(LoadError::TooLarge) => Err(Box::new(too_large(path))),
    }
}

pub(crate) fn text_of(source: Source) -> Result<SourceFile, Box<Diagnostic>> {
    if source.bytes.len() > MAX_SOURCE_BYTES {
        return Err(Box::new(too_large(&source.name)));
    }
    let error = match String::from_utf8(source.bytes) {
        Ok(text) => return Ok(SourceFile::new(source.name, text)),
        Err(error) => error,
    };
    let good = error.utf8_error().valid_up_to();
    let bytes = error.as_bytes();
    let before = SourceFile::new("", String::from_utf8_lossy(&bytes[..good]).into_owned());
    let at = before.line_column(good);
    let message = format!(
        "{}:{}:{}: byte {:#04x} is not valid UTF-8",
        source.name, at.line, at.column, bytes[good]
    );
    let diagnostic = Diagnostic::new(Code::NotUtf8, message);
    Err(Box::new(diagnostic.help("save the file in UTF-8 encoding")))
}

pub(crate) fn too_large(path: &str) -> Diagnostic {
    Diagnostic::new(
        Code::SourceTooLarge,
        format!("`{path}` is larger than {} MiB", MAX_SOURCE_BYTES >> 20),
    )
}

/// Reports that the library has no module of this name, and lists its modules.
fn no_module(module: &str, library: &Library) -> Diagnostic {
    let names = library.modules.iter().map(|(name, _)| *name);
    let message = format!("the library has no module `{module}`");
    let mut diagnostic = Diagnostic::new(Code::ImportNotFound, message);
    if let Some(meant) = star_base::did_you_mean(module, names.clone()) {
        diagnostic = diagnostic.help(format!("did you mean `star:{meant}`?"));
    }
    let names: Vec<&str> = names.collect();
    diagnostic
        .note(format!("its modules are {}", names.join(", ")))
        .note("the basic procedures need no import")
}

impl Units {
    /// Loads the library's basic modules.
    pub(crate) fn new(library: &Library) -> Self {
        let mut units = Units {
            sources: SourceMap::new(),
            units: Vec::new(),
            root: None,
            diagnostics: Vec::new(),
        };
        for (name, text) in library.basic {
            units.add_library(name, text, true);
        }
        units
    }

    /// Reads and parses a file imported by `importer`, unless it is loaded already, and all its
    /// dependencies.
    pub(crate) fn import_all(
        &mut self,
        path: &str,
        span: Span,
        importer: &str,
        loader: &mut dyn SourceLoader,
        library: &Library,
    ) -> Option<usize> {
        let mut next = self.units.len();
        let imported = self.import(path, span, importer, loader, library);
        while next < self.units.len() {
            self.follow_imports(next, loader, library);
            next += 1;
        }
        imported
    }

    fn follow_imports(&mut self, unit: usize, loader: &mut dyn SourceLoader, library: &Library) {
        let importer = self.name_of(unit).to_owned();
        let imports: Vec<(String, Span)> = self.units[unit]
            .tree
            .items
            .iter()
            .filter_map(|item| match item {
                ast::Item::Import { path, span } => Some((path.clone(), *span)),
                ast::Item::Const { .. } | ast::Item::Type(_) | ast::Item::Routine(_) => None,
            })
            .collect();
        for (path, span) in imports {
            match self.import(&path, span, &importer, loader, library) {
                Some(imported) => self.units[unit].imports.push((imported, span)),
                None => self.units[unit].import_failed = true,
            }
        }
    }

    fn import(
        &mut self,
        path: &str,
        span: Span,
        importer: &str,
        loader: &mut dyn SourceLoader,
        library: &Library,
    ) -> Option<usize> {
        if let Some(module) = path.strip_prefix(MODULE_PREFIX) {
            if let Some(found) = self.find(path) {
                return Some(found);
            }
            if let Some((_, text)) = library.modules.iter().find(|(name, _)| *name == module) {
                return Some(self.add_library(path, text, false));
            }
            self.diagnostics.push(no_module(module, library).label(span, ""));
            return None;
        }
        match loader.load(path, Some(importer)) {
            Ok(source) => match (self.find(&source.name), text_of(source)) {
                (Some(known), _) => Some(known),
                (None, Ok(file)) => Some(self.add(file)),
                (None, Err(diagnostic)) => {
                    self.diagnostics.push(diagnostic.label(span, "imported here"));
                    None
                }
            },
            Err(LoadError::Unreadable(why) | LoadError::Mistaken { why, .. }) => {
                self.diagnostics.push(
                    Diagnostic::at(
                        Code::ImportNotFound,
                        span,
                        format!("cannot read `{path}`: {why}"),
                    )
                    .note("a path is relative to the folder of the importing file"),
                );
                None
            }
            Err(LoadError::NotAllowed { why, help }) => {
                let message = format!("cannot import `{path}`: {why}");
                self.diagnostics.push(Diagnostic::at(Code::NotAllowed, span, message).help(help));
                None
            }
            Err(LoadError::TooLarge) => {
                self.diagnostics.push(too_large(path).label(span, ""));
                None
            }
        }
    }

    fn name_of(&self, unit: usize) -> &str {
        self.sources.get(self.units[unit].file).map_or("", SourceFile::name)
    }

    fn find(&self, name: &str) -> Option<usize> {
        (0..self.units.len()).find(|&unit| self.name_of(unit) == name)
    }

    fn add_library(&mut self, name: &str, text: &str, basic: bool) -> usize {
        let file = self.sources.add(SourceFile::new(name, text.to_owned()));
        self.parse(file, true, basic)
    }

    fn add(&mut self, file: SourceFile) -> usize {
        let file = self.sources.add(file);
        self.parse(file, false, false)
    }

    fn parse(&mut self, file: FileId, library: bool, basic: bool) -> usize {
        let text = self.sources.get(file).map_or("", SourceFile::text);
        let parsed = star_syntax::parse(file, text);
        self.diagnostics.extend(parsed.diagnostics);
        self.units.push(Unit {
            file,
            tree: parsed.file,
            imports: Vec::new(),
            import_failed: false,
            is_incomplete: parsed.is_incomplete,
            library,
            basic,
        });
        self.units.len() - 1
    }
}
