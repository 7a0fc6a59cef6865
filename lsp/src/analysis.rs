//! Analyses: what the compiler knows about one version of a document.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::OnceLock;

use crate::document::Snapshot;
use crate::position::Encoding;
use crate::protocol::types::{Location, Position, Range, Uri};
use crate::shipped;
use crate::toolchain::{
    self, Access, Compilation, Diagnostic, FileId, FileLoader, Header, Index, LocalId, Meaning,
    Parsed, Plan, RoutineId, SourceFile, Span, Use, ast, hir,
};

/// The analysis of a document.
pub(crate) struct Analysis {
    /// The URI of the document.
    pub(crate) uri: Uri,
    /// The version of its text; `None` for a file that is not open.
    pub(crate) version: Option<i32>,
    /// The checked program.
    pub(crate) compilation: Compilation,
    /// The meanings of names.
    pub(crate) index: Index,
    /// The syntax of the document.
    pub(crate) parsed: Parsed,
    /// The headers of tests and benchmarks.
    pub(crate) headers: Vec<Header>,
    /// Errors in the headers.
    pub(crate) faults: Vec<Diagnostic>,
    /// Is it a file of the library?
    pub(crate) is_library: bool,
    encoding: Encoding,
    root: FileId,
    /// The files that were read, with the versions of those that are open.
    read: BTreeMap<PathBuf, Option<i32>>,
    paths: BTreeMap<String, PathBuf>,
    generation: u64,
    plan: OnceLock<Option<Plan>>,
}

/// Returns the uses of the names of routines and parameters of a file in a header of a test or
/// benchmark.
fn uses_in(header: &Header, compilation: &Compilation, root: FileId) -> Vec<Use> {
    let routines = compilation.hir.routines.iter().enumerate();
    let own: Vec<(RoutineId, &hir::Routine)> = routines
        .filter(|(_, routine)| routine.name_span.file == root)
        .map(|(idx, routine)| (RoutineId(idx as u32), routine))
        .collect();
    let named = |name: &str| own.iter().find(|(_, one)| one.name.eq_ignore_ascii_case(name));
    let run = match (&header.routine, &own[..]) {
        (Some(name), _) => named(&name.text),
        (None, [only]) => Some(only),
        (None, _) => own.iter().find(|(_, one)| one.kind == ast::RoutineKind::Program),
    };
    let reads = |span: Span, meaning: Meaning| Use { span, access: Access::Reads, meaning };
    let routines = header.routines().into_iter();
    let routines = routines
        .filter_map(|(name, span)| named(name).map(|(id, _)| reads(span, Meaning::Routine(*id))));
    let values = header.values().into_iter().filter_map(|(name, span)| {
        let (id, routine) = run?;
        let is_it = |param: &LocalId| routine.local(*param).name.eq_ignore_ascii_case(name);
        let param = routine.params.iter().copied().find(is_it)?;
        Some(reads(span, Meaning::Local(*id, param)))
    });
    routines.chain(values).collect()
}

impl Analysis {
    /// Analyses an open document, or a file on disk; `None` if it cannot be read.
    pub(crate) fn new(snapshot: &Snapshot, uri: &Uri, encoding: Encoding) -> Option<Analysis> {
        let document = snapshot.document(uri);
        let path = match document {
            Some(document) => document.path.clone(),
            None => Some(toolchain::canonical(&crate::uri::path_of(uri)?)),
        };
        let is_library = path.as_deref().is_some_and(shipped::is_shipped);
        let (compilation, mut index, names) = match &path {
            Some(path) => {
                let mut loader = FileLoader::new(snapshot.overlay(), &snapshot.settings.allow_read);
                let name = path.display().to_string();
                let (compilation, index) = toolchain::check(&name, &mut loader);
                (compilation, index, loader.into_names())
            }
            None => {
                let document = document?;
                let mut overlay = toolchain::Overlay::new();
                let name = PathBuf::from(document.source.name());
                overlay.insert(toolchain::canonical(&name), document.source.clone());
                let mut loader = FileLoader::new(&overlay, &snapshot.settings.allow_read);
                let (compilation, index) = toolchain::check(document.source.name(), &mut loader);
                (compilation, index, BTreeMap::new())
            }
        };
        let root = compilation.root_file()?;
        let text = compilation.sources.get(root).map_or("", SourceFile::text);
        let parsed = toolchain::parse(root, text);
        let (mut headers, faults) = toolchain::headers(root, text);
        index.uses.extend(headers.iter().flat_map(|header| uses_in(header, &compilation, root)));
        index.uses.sort_unstable();
        // A header that runs several routines is read once for each.
        index.uses.dedup();
        headers.dedup_by_key(|header| header.span);
        let version_at = |path: &PathBuf| snapshot.at_path(path).map(|document| document.version);
        let read = names.keys().map(|path| (path.clone(), version_at(path))).collect();
        Some(Analysis {
            uri: uri.clone(),
            version: document.map(|document| document.version),
            compilation,
            index,
            parsed,
            headers,
            faults,
            is_library,
            encoding,
            root,
            read,
            paths: names.into_iter().map(|(path, name)| (name, path)).collect(),
            generation: snapshot.generation,
            plan: OnceLock::new(),
        })
    }

    /// Tests whether the analysis of this snapshot would be the same.
    pub(crate) fn is_current(&self, snapshot: &Snapshot) -> bool {
        let document = snapshot.document(&self.uri);
        let same = |(path, version): (&PathBuf, &Option<i32>)| {
            snapshot.at_path(path).map(|document| document.version) == *version
        };
        self.generation == snapshot.generation
            && document.map(|document| document.version) == self.version
            && self.read.iter().all(same)
    }

    /// Tests whether the analysis depends on a file.
    pub(crate) fn reads(&self, path: &std::path::Path) -> bool {
        self.read.contains_key(path)
    }

    /// Returns the document as a file.
    pub(crate) fn root(&self) -> FileId {
        self.root
    }

    /// Returns a file of the program.
    pub(crate) fn source(&self, file: FileId) -> &SourceFile {
        // Every position comes from this program; its document is always there.
        match self.compilation.sources.get(file) {
            Some(source) => source,
            None => self.document(),
        }
    }

    /// Returns the document.
    pub(crate) fn document(&self) -> &SourceFile {
        self.compilation.sources.get(self.root).expect("the root was read")
    }

    /// Returns the text of the document.
    pub(crate) fn text(&self) -> &str {
        self.document().text()
    }

    /// Returns the byte of the document at a position.
    pub(crate) fn offset(&self, position: Position) -> usize {
        self.encoding.offset(self.document(), position)
    }

    /// Returns the range of a span in its file.
    pub(crate) fn range(&self, span: Span) -> Range {
        self.encoding.range(self.source(span.file), span.range())
    }

    /// Returns a range of the document.
    pub(crate) fn range_of(&self, range: std::ops::Range<usize>) -> Range {
        self.encoding.range(self.document(), range)
    }

    /// Returns a position in the document.
    pub(crate) fn position(&self, offset: usize) -> Position {
        self.encoding.position(self.document(), offset)
    }

    /// Returns the width of a text in the unit of the client.
    pub(crate) fn width(&self, text: &str) -> u32 {
        self.encoding.width(text) as u32
    }

    /// Returns the URI of a file of the program. The library is written to disk if necessary.
    pub(crate) fn uri_of(&self, snapshot: &Snapshot, file: FileId) -> Option<Uri> {
        if file == self.root {
            return Some(self.uri.clone());
        }
        let name = self.source(file).name();
        match self.paths.get(name) {
            Some(path) => Some(snapshot.uri_of(path)),
            None => shipped::path_of(name).map(|path| crate::uri::uri_of(&path)),
        }
    }

    /// Returns the canonical path of a file of the user.
    pub(crate) fn path_of(&self, file: FileId) -> Option<&PathBuf> {
        self.paths.get(self.source(file).name())
    }

    /// Returns the location of a span.
    pub(crate) fn location(&self, snapshot: &Snapshot, span: Span) -> Option<Location> {
        Some(Location { uri: self.uri_of(snapshot, span.file)?, range: self.range(span) })
    }

    /// Returns the declaration of a name; `None` for a built-in.
    pub(crate) fn declaration(&self, meaning: Meaning) -> Option<Span> {
        match meaning {
            Meaning::Local(routine, local) => {
                self.routine(routine)?.locals.get(local.0 as usize).map(|local| local.span)
            }
            Meaning::Routine(id) => Some(self.routine(id)?.name_span),
            Meaning::Constant(idx) => self.index.constants.get(idx as usize).map(|one| one.span),
            Meaning::Builtin(_) => None,
        }
    }

    /// Returns the name with this meaning.
    pub(crate) fn name(&self, meaning: Meaning) -> &str {
        match meaning {
            Meaning::Local(routine, local) => self
                .routine(routine)
                .and_then(|routine| routine.locals.get(local.0 as usize))
                .map_or("", |local| &local.name),
            Meaning::Routine(id) => self.routine(id).map_or("", |routine| &routine.name),
            Meaning::Constant(idx) => {
                self.index.constants.get(idx as usize).map_or("", |one| &one.name)
            }
            Meaning::Builtin(builtin) => builtin.name(),
        }
    }

    /// Returns a routine of the program.
    pub(crate) fn routine(&self, id: RoutineId) -> Option<&hir::Routine> {
        self.compilation.hir.routines.get(id.0 as usize)
    }

    /// Returns the routine of the document whose name is at this position.
    pub(crate) fn routine_named_at(&self, name: Span) -> Option<(RoutineId, &hir::Routine)> {
        let mut routines = self.compilation.hir.routines.iter().enumerate();
        let found = routines.find(|(_, routine)| routine.name_span == name);
        found.map(|(idx, routine)| (RoutineId(idx as u32), routine))
    }

    /// Returns the syntax of the routines of the document.
    pub(crate) fn routines(&self) -> impl Iterator<Item = &ast::Routine> {
        self.parsed.file.items.iter().filter_map(|item| match item {
            ast::Item::Routine(routine) => Some(&**routine),
            ast::Item::Import { .. } | ast::Item::Const { .. } | ast::Item::Type(_) => None,
        })
    }

    /// Returns the routine of the document that contains a byte.
    pub(crate) fn routine_at(&self, offset: usize) -> Option<&ast::Routine> {
        self.routines().find(|routine| {
            let range = routine.span.range();
            range.start <= offset && offset <= range.end
        })
    }

    /// Returns the routines that the document can call.
    pub(crate) fn callable(&self) -> impl Iterator<Item = (RoutineId, &hir::Routine)> {
        let visible = self.index.visible(self.root);
        let routines = self.compilation.hir.routines.iter().enumerate();
        routines
            .filter(move |(_, routine)| visible.contains(&routine.name_span.file))
            .map(|(idx, routine)| (RoutineId(idx as u32), routine))
    }

    /// Tests whether a routine belongs to the library.
    pub(crate) fn is_shipped(&self, file: FileId) -> bool {
        self.index.files.iter().any(|one| one.file == file && one.library)
    }

    /// Tests whether the document has syntax errors.
    pub(crate) fn has_syntax_errors(&self) -> bool {
        self.parsed.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// Returns the messages about the document and its program.
    pub(crate) fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        self.compilation.diagnostics.iter().chain(&self.faults)
    }

    /// Returns what the passes make of the program; `None` if it has errors. Takes long.
    pub(crate) fn plan(&self) -> Option<&Plan> {
        if self.compilation.has_errors() || self.is_library {
            return None;
        }
        self.plan.get_or_init(|| toolchain::plan(&self.compilation)).as_ref()
    }

    /// Returns the plan, if it was computed already.
    pub(crate) fn known_plan(&self) -> Option<&Plan> {
        self.plan.get()?.as_ref()
    }
}
