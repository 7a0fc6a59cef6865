//! The documented items: the words of the language, the elementary operations, the library, the
//! user's files. Names are resolved here; nothing is printed.

use std::collections::BTreeSet;

use star_base::builtins::OVERVIEW;
use star_base::{
    Builtin, Code, Diagnostic, Library, SourceFile, SourceMap, Span, did_you_mean, language, text,
};
use star_compiler::{SourceLoader, read_source};
use star_syntax::ast::RoutineKind;
use star_syntax::doc::{self, About, Doc, FileDoc, RoutineDoc};

/// The title of the module of elementary operations.
const OPERATIONS: &str = "operations";
/// The title of the module of the words of the language.
const LANGUAGE: &str = "language";

/// The beginning of the names of imported modules.
const MODULE: &str = "star:";

/// The origin of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModuleKind {
    /// The words of the language.
    Language,
    /// The elementary operations, which have no source in Star.
    Operations,
    /// A part of the library that is visible in every program.
    Basic,
    /// A part of the library that is imported.
    Imported,
    /// A file of the user.
    File,
}

/// A file with its documentation.
#[derive(Debug)]
pub struct Module {
    /// Its origin.
    pub kind: ModuleKind,
    /// `star:mst`, `library/search.star`, or the name of the file.
    pub title: String,
    /// The source texts of its places.
    pub sources: SourceMap,
    /// The documentation of the module itself.
    pub head: Option<Doc>,
    /// Its routines and record types in order.
    pub routines: Vec<RoutineDoc>,
    /// Faults in the form of the comments.
    pub faults: Vec<Diagnostic>,
    /// Errors of the parser.
    pub unreadable: Vec<Diagnostic>,
}

/// A module, or a routine of it, as indices into a [`Catalogue`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Topic {
    /// The module.
    pub module: usize,
    /// The routine; `None` for the module as a whole.
    pub routine: Option<usize>,
}

/// All available modules.
#[derive(Debug)]
pub struct Catalogue {
    modules: Vec<Module>,
}

impl Module {
    fn new(kind: ModuleKind, title: &str, file: SourceFile) -> Self {
        let mut sources = SourceMap::new();
        let id = sources.add(file);
        let text = sources.get(id).map_or("", SourceFile::text);
        let parsed = star_syntax::parse(id, text);
        let (FileDoc { head, routines }, faults) = doc::documentation(id, text, &parsed);
        let unreadable: Vec<Diagnostic> =
            parsed.diagnostics.into_iter().filter(Diagnostic::is_error).collect();
        Module { kind, title: title.to_owned(), sources, head, routines, faults, unreadable }
    }

    /// Creates the module of the user's file `path`.
    ///
    /// # Errors
    /// E0110 to E0112 if it cannot be read.
    pub fn of_file(path: &str, loader: &mut dyn SourceLoader) -> Result<Self, Diagnostic> {
        let file = read_source(path, loader).map_err(|diagnostic| *diagnostic)?;
        let title = file.name().to_owned();
        Ok(Module::new(ModuleKind::File, &title, file))
    }

    /// Returns the module of the elementary operations.
    fn operations() -> Self {
        let topics = Builtin::ALL.iter();
        let topics = topics.map(|one| (one.name(), one.usage(), one.documentation()));
        Module::of_texts(ModuleKind::Operations, OPERATIONS, OVERVIEW, topics)
    }

    /// Returns the module of the words of the language.
    fn language() -> Self {
        let topics = language::TOPICS.iter().chain(language::REDUCTIONS);
        let topics = topics.map(|one| (one.name, one.usage, one.documentation()));
        Module::of_texts(ModuleKind::Language, LANGUAGE, language::OVERVIEW, topics)
    }

    /// Creates a module from names with their usage and documentation, each text as a separate
    /// file.
    fn of_texts<'t>(
        kind: ModuleKind,
        title: &str,
        overview: &str,
        topics: impl Iterator<Item = (&'t str, &'t str, String)>,
    ) -> Self {
        let mut sources = SourceMap::new();
        let mut faults = Vec::new();
        let mut read = |name: &str, text: &str, about: About<'_>| {
            let file = sources.add(SourceFile::new(name, text.to_owned()));
            let (doc, found) = doc::parse(file, text, about);
            faults.extend(found);
            (doc, Span::file_start(file))
        };
        let (head, _) = read(title, overview, About::File);
        let routines = topics.map(|(name, usage, text)| {
            let (doc, header) = read(name, &text, About::Routine(&[]));
            RoutineDoc {
                name: name.to_owned(),
                kind: Some(RoutineKind::Procedure),
                header,
                signature: usage.to_owned(),
                doc: Some(doc),
            }
        });
        let routines = routines.collect();
        Module {
            kind,
            title: title.to_owned(),
            routines,
            sources,
            head: Some(head),
            faults,
            unreadable: Vec::new(),
        }
    }

    /// Returns the text of its file.
    fn text(&self) -> Option<&str> {
        self.sources.files().next().map(|(_, file)| file.text())
    }

    /// Returns the last part of the title, without its extension: `mst`, `search`.
    pub fn short_name(&self) -> &str {
        let last = self.title.rsplit(['/', '\\', ':']).next().unwrap_or(&self.title);
        last.strip_suffix(".star").unwrap_or(last)
    }

    /// Describes how a program accesses it.
    pub fn access(&self) -> String {
        match self.kind {
            ModuleKind::Language | ModuleKind::Operations | ModuleKind::Basic => {
                "in every program".to_owned()
            }
            ModuleKind::Imported | ModuleKind::File => format!("import \"{}\";", self.title),
        }
    }
}

impl Catalogue {
    /// Creates a shelf with the words of the language, the elementary operations and a library.
    #[must_use]
    pub fn library(library: &Library) -> Self {
        let of = |kind: ModuleKind, title: &str, name: &str, text: &str| {
            Module::new(kind, title, SourceFile::new(name, text.to_owned()))
        };
        let basic =
            library.basic.iter().map(|(name, text)| of(ModuleKind::Basic, name, name, text));
        let imported = library.modules.iter().map(|(name, text)| {
            let title = format!("star:{name}");
            of(ModuleKind::Imported, &title, &title, text)
        });
        let own = [Module::language(), Module::operations()];
        let modules = own.into_iter().chain(basic).chain(imported);
        Catalogue { modules: modules.collect() }
    }

    /// Adds a module and returns its index.
    pub fn add(&mut self, module: Module) -> usize {
        self.modules.push(module);
        self.modules.len() - 1
    }

    /// Returns the module with this index, which must be from this shelf.
    pub fn at(&self, idx: usize) -> &Module {
        &self.modules[idx]
    }

    /// Returns the library module with exactly the same text as this file: it has the same
    /// permissions.
    pub fn same_text(&self, file: &Module) -> Option<usize> {
        let of_library =
            |one: &Module| matches!(one.kind, ModuleKind::Basic | ModuleKind::Imported);
        self.modules.iter().position(|one| of_library(one) && one.text() == file.text())
    }

    /// Iterates over all modules with their indices.
    pub fn modules(&self) -> impl Iterator<Item = (usize, &Module)> {
        self.modules.iter().enumerate()
    }

    /// Returns the module with this title or short name: `star:mst`, `mst`.
    pub fn module(&self, name: &str) -> Option<usize> {
        let mut modules = self.modules.iter();
        modules.position(|module| module.title == name || module.short_name() == name)
    }

    /// Returns everything with this name: modules, routines, elementary operations. Names match
    /// exactly, otherwise ignoring letter case; blanks around hyphens do not matter.
    ///
    /// # Errors
    /// E0608 if there is none.
    pub fn find(&self, name: &str) -> Result<Vec<Topic>, Diagnostic> {
        let wanted: String = name.split_whitespace().collect();
        let exact = self.matching(&wanted, |known| known == wanted);
        if !exact.is_empty() {
            return Ok(exact);
        }
        let lower = wanted.to_lowercase();
        let alike = self.matching(&lower, |known| known.to_lowercase() == lower);
        if alike.is_empty() { Err(self.unknown(name, &wanted)) } else { Ok(alike) }
    }

    fn matching(&self, module: &str, matches: impl Fn(&str) -> bool) -> Vec<Topic> {
        let whole = self.module(module).map(|module| Topic { module, routine: None });
        let routines = self.modules().flat_map(|(module, of)| {
            let routines = of.routines.iter().enumerate();
            let found = routines.filter(|(_, routine)| words(&routine.name).any(&matches));
            found.map(move |(routine, _)| Topic { module, routine: Some(routine) })
        });
        whole.into_iter().chain(routines.collect::<Vec<_>>()).collect()
    }

    fn unknown(&self, name: &str, wanted: &str) -> Diagnostic {
        let message = format!("no documentation found for `{}`", text::one_line(name));
        let diagnostic = Diagnostic::new(Code::Usage, message);
        let routines = self.modules.iter().flat_map(|module| &module.routines);
        let names = routines.flat_map(|routine| words(&routine.name));
        let modules = self.modules.iter().flat_map(|one| [one.title.as_str(), one.short_name()]);
        let diagnostic = match did_you_mean(wanted, names.chain(modules)) {
            Some(meant) => diagnostic.help(format!("did you mean `star doc {meant}`?")),
            None => diagnostic,
        };
        let diagnostic = match self.is_unknown_module(wanted) {
            true => {
                let modules = self.modules().map(|(_, module)| module.title.as_str());
                let modules = modules.filter(|title| title.starts_with(MODULE));
                diagnostic.note(format!("the modules are {}", text::quoted_list(modules)))
            }
            false => diagnostic,
        };
        diagnostic.help("`star doc` lists the library; file names end in `.star`")
    }

    /// Returns whether this is written like the name of a module, and there is none.
    pub fn is_unknown_module(&self, name: &str) -> bool {
        let is_module = name.get(..MODULE.len()).is_some_and(|it| it.eq_ignore_ascii_case(MODULE));
        is_module && self.module(&name.to_lowercase()).is_none()
    }
}

/// Returns the names of an item: a topic of the language has several.
fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split('/')
}

/// Returns the modules that contain the topics, each once, in the order of the topics.
pub fn modules_of(topics: &[Topic]) -> Vec<usize> {
    let mut seen = BTreeSet::new();
    topics.iter().map(|topic| topic.module).filter(|&module| seen.insert(module)).collect()
}

#[cfg(test)]
mod tests {
    use star_stdlib::LIBRARY;

    use super::*;

    fn titles(name: &str) -> Vec<String> {
        let catalogue = Catalogue::library(&LIBRARY);
        let topics = catalogue.find(name).unwrap();
        let title = |topic: &Topic| {
            let module = catalogue.at(topic.module);
            let routine = topic.routine.map(|routine| module.routines[routine].name.as_str());
            format!("{} {}", module.title, routine.unwrap_or("-"))
        };
        topics.iter().map(title).collect()
    }

    #[test]
    fn a_name_returns_everything_with_that_name() {
        assert_eq!(titles("MATCH"), ["library/search.star MATCH"]);
        assert_eq!(titles("match"), ["library/search.star MATCH"]);
        assert_eq!(titles("LESS"), ["operations LESS", "library/search.star LESS"]);
        assert_eq!(titles("WARSHALL - C"), ["star:closure WARSHALL-C"]);
        for name in ["star:mst", "mst"] {
            assert_eq!(titles(name), ["star:mst -"]);
        }
        assert_eq!(titles("MST"), ["star:arcs MST"]);
        assert_eq!(titles("Operations"), ["operations -"]);
        assert_eq!(titles("word"), ["language word"]);
        assert_eq!(titles("WORD"), ["operations WORD"]);
        for name in ["if", "THEN", "else"] {
            assert_eq!(titles(name), ["language if/then/else"]);
        }
    }

    #[test]
    fn unknown_names_are_errors_with_a_suggestion() {
        let catalogue = Catalogue::library(&LIBRARY);
        let meant = |name: &str| catalogue.find(name).unwrap_err().help[0].clone();
        assert_eq!(meant("MATHC"), "did you mean `star doc MATCH`?");
        assert_eq!(meant("star:msst"), "did you mean `star doc star:mst`?");
        assert_eq!(catalogue.find("\u{1b}").unwrap_err().code, Code::Usage);
    }

    #[test]
    fn the_texts_of_the_elementary_operations_are_well_formed() {
        let operations = Module::operations();
        assert_eq!(operations.faults, []);
        assert_eq!(operations.routines.len(), Builtin::ALL.len());
        assert_eq!(Module::language().faults, []);
    }

    #[test]
    fn a_library_file_is_recognised_by_its_text() {
        let catalogue = Catalogue::library(&LIBRARY);
        let (name, text) = LIBRARY.modules[0];
        let file = |text: &str| {
            Module::new(
                ModuleKind::File,
                "some.star",
                SourceFile::new("some.star", text.to_owned()),
            )
        };
        let found = catalogue.same_text(&file(text)).map(|idx| catalogue.at(idx).title.clone());
        assert_eq!(found, Some(format!("star:{name}")));
        assert_eq!(catalogue.same_text(&file(&format!("{text} "))), None);
    }
}
