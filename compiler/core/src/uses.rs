//! Uses: the meaning of every name in a text, and the files and constants of a program. Editors
//! need them; a compilation does without.

use star_base::{Builtin, FileId, Span};

use crate::hir::{LocalId, Program, RoutineId};
use crate::loader::Unit;
use crate::scope::World;

/// The meaning of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Meaning {
    /// A variable of a routine.
    Local(RoutineId, LocalId),
    /// A routine.
    Routine(RoutineId),
    /// A constant, as an index into [`Index::constants`].
    Constant(u32),
    /// A built-in.
    Builtin(Builtin),
}

/// What a text does with a name. The last one counts if a text does several things with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    /// It reads a variable, calls a routine or names a constant.
    Reads,
    /// It may change a variable.
    Writes,
    /// It declares the name.
    Declares,
}

/// A name in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Use {
    /// The position of the name.
    pub span: Span,
    /// What is done with it.
    pub access: Access,
    /// The meaning of the name.
    pub meaning: Meaning,
}

/// A constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// The name.
    pub name: String,
    /// The position of the name in its declaration.
    pub span: Span,
    /// The position of the value.
    pub value: Span,
}

/// A file of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexedFile {
    /// The file.
    pub file: FileId,
    /// Is it part of the library?
    pub library: bool,
    /// Is it visible to every program?
    pub basic: bool,
    /// The imported files, each with the position of its path.
    pub imports: Vec<(FileId, Span)>,
}

/// The uses of names in the files of a program, the library excepted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Index {
    /// The uses in the order of their positions; no two overlap.
    pub uses: Vec<Use>,
    /// The constants of all files.
    pub constants: Vec<Constant>,
    /// The files.
    pub files: Vec<IndexedFile>,
}

impl Index {
    /// Returns the use that contains a byte of a file or ends directly before it.
    pub fn at(&self, file: FileId, offset: u32) -> Option<&Use> {
        let next =
            self.uses.partition_point(|one| (one.span.file, one.span.start) <= (file, offset));
        let found = &self.uses[next.checked_sub(1)?];
        (found.span.file == file && offset <= found.span.end).then_some(found)
    }

    /// Returns the uses of a name in all files.
    pub fn uses_of(&self, meaning: Meaning) -> impl Iterator<Item = &Use> {
        self.uses.iter().filter(move |one| one.meaning == meaning)
    }

    /// Returns the uses in a range of a file.
    pub fn uses_in(&self, within: Span) -> &[Use] {
        let place = |one: &Use| (one.span.file, one.span.start);
        let first = self.uses.partition_point(|one| place(one) < (within.file, within.start));
        let end = self.uses.partition_point(|one| place(one) < (within.file, within.end));
        &self.uses[first..end.max(first)]
    }

    /// Returns the files whose declarations a file sees: itself, its imports, the basic library.
    pub fn visible(&self, from: FileId) -> Vec<FileId> {
        let own = self.files.iter().find(|one| one.file == from);
        let imports = own.iter().flat_map(|one| one.imports.iter().map(|&(file, _)| file));
        let basic = self.files.iter().filter(|one| one.basic).map(|one| one.file);
        let mut files = vec![from];
        for file in imports.chain(basic) {
            if !files.contains(&file) {
                files.push(file);
            }
        }
        files
    }

    /// Creates the index from the uses that the checker found.
    pub(crate) fn new(world: &World<'_>, program: &Program, mut uses: Vec<Use>) -> Self {
        let file_of = |unit: &Unit| unit.file;
        let files = world.units.iter().map(|unit| IndexedFile {
            file: unit.file,
            library: unit.library,
            basic: unit.basic,
            imports: unit
                .imports
                .iter()
                .map(|&(imported, span)| (file_of(&world.units[imported]), span))
                .collect(),
        });
        let constants = world.constants.iter().map(|one| Constant {
            name: one.name.name.to_string(),
            span: one.name.span,
            value: one.value.span,
        });
        let (files, constants): (Vec<_>, Vec<Constant>) = (files.collect(), constants.collect());
        let declares = |span, meaning| Use { span, access: Access::Declares, meaning };
        for (idx, signature) in world.signatures.iter().enumerate() {
            if !world.units[signature.unit].library {
                let span = program.routines[idx].name_span;
                uses.push(declares(span, Meaning::Routine(RoutineId(idx as u32))));
            }
        }
        for (idx, one) in world.constants.iter().enumerate() {
            if !world.units[one.unit].library {
                uses.push(declares(one.name.span, Meaning::Constant(idx as u32)));
            }
        }
        // The strongest access of a name comes first and is kept.
        uses.sort_by_key(|one| (one.span, std::cmp::Reverse(one.access)));
        uses.dedup_by_key(|one| one.span);
        Index { uses, constants, files }
    }
}

/// The list that receives the uses of a program.
pub(crate) struct Recorder<'a> {
    uses: &'a mut Vec<Use>,
}

impl<'a> Recorder<'a> {
    pub(crate) fn new(uses: &'a mut Vec<Use>) -> Self {
        Recorder { uses }
    }

    /// Adds the use of a name.
    pub(crate) fn add(&mut self, span: Span, meaning: Meaning, access: Access) {
        self.uses.push(Use { span, access, meaning });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LoadError, Source, SourceLoader, check_and_index};

    struct Files;

    impl SourceLoader for Files {
        fn load(&mut self, path: &str, _: Option<&str>) -> Result<Source, LoadError> {
            let text = match path {
                "a.star" => MAIN,
                _ => "const m = 3; procedure OTHER(var X: slice); begin SET(X) end;",
            };
            Ok(Source { name: path.to_owned(), bytes: text.as_bytes().to_vec() })
        }
    }

    const MAIN: &str = "import \"b.star\"; const n = m;
function F(k: integer): integer; begin F := k + n end;
procedure P(T: table(r,c); var X: slice(r));
var i: integer;
begin OTHER((X)); X(i) := F(r); COL(i,T) := X; foreach i in X do Q(c) end;";

    fn shown(index: &Index) -> Vec<String> {
        let of = |one: &Use| {
            let sign = match one.access {
                Access::Reads => "",
                Access::Writes => "!",
                Access::Declares => "=",
            };
            format!("{}{sign}", &MAIN[one.span.range()])
        };
        let root = index.files.last().map(|_| ());
        assert!(root.is_some());
        let file = index.files.iter().find(|one| !one.imports.is_empty()).unwrap().file;
        index.uses.iter().filter(|one| one.span.file == file).map(of).collect()
    }

    #[test]
    fn every_name_of_a_file_has_a_meaning() {
        let library = star_base::Library::default();
        let (compilation, index) = check_and_index("a.star", &mut Files, &library);
        let codes: Vec<_> = compilation.diagnostics.iter().map(|one| one.code.as_str()).collect();
        assert_eq!(codes, ["E0202"], "{:?}", compilation.diagnostics);
        let expected = "n= m F= k= F! k n P= T= r= c= X= r i= OTHER X! X! i F r COL! i T! X i! X";
        assert_eq!(shown(&index).join(" "), expected);
        let file = compilation.root_file().unwrap();
        let use_of = |text: &str, add: usize| {
            *index.at(file, (MAIN.find(text).unwrap() + add) as u32).unwrap()
        };
        assert_eq!(use_of("F(r)", 0).meaning, use_of("F(k", 0).meaning);
        assert_eq!(index.uses_of(use_of("F(r)", 1).meaning).count(), 3);
        let other = use_of("OTHER", 5);
        assert_eq!(index.uses_of(other.meaning).filter(|one| one.span.file != file).count(), 1);
        assert_eq!(index.at(file, 0), None);
        assert_eq!(index.visible(file).len(), 2);
    }
}
