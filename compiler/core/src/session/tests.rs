//! Tests of sessions without a machine: declarations, errors and lowering.

use star_base::{Diagnostic, Library, SourceFile};
use star_syntax::{Piece, PieceKind};

use super::{Declared, Defined, Does, Environment, Session, SessionLine, Variable};
use crate::hir::TyKind;
use crate::loader::{LoadError, Source, SourceLoader};
use crate::lower::LowerOptions;

/// Files that tests load.
struct Files(Vec<(&'static str, String)>);

impl SourceLoader for Files {
    fn load(&mut self, path: &str, _importer: Option<&str>) -> Result<Source, LoadError> {
        let file = self.0.iter().find(|(name, _)| *name == path);
        let (name, text) = file.ok_or_else(|| LoadError::Unreadable("not there".to_owned()))?;
        Ok(Source { name: (*name).to_owned(), bytes: text.clone().into_bytes() })
    }
}

/// A session that declares variables as if every line ran.
struct Trial {
    session: Session,
    environment: Environment,
}

impl Trial {
    fn new() -> Self {
        Trial { session: Session::new(Library::default()), environment: Environment::default() }
    }

    fn pieces(&mut self, text: &str) -> Vec<Piece> {
        let typed = self.session.read(&self.environment, text.to_owned());
        assert_eq!(typed.diagnostics, [], "{text}");
        typed.pieces
    }

    fn check(&mut self, text: &str) -> (Vec<SessionLine>, Vec<Diagnostic>) {
        let pieces = self.pieces(text);
        let lines = self.session.lines(&self.environment, pieces, &LowerOptions::default());
        (lines.lines, lines.diagnostics)
    }

    /// Runs a text without errors; returns the slots of its lines.
    fn run(&mut self, text: &str) -> Vec<String> {
        let (lines, diagnostics) = self.check(text);
        assert_eq!(diagnostics, [], "{text}");
        let mut all = Vec::new();
        for line in lines {
            for (name, variable) in line.declares {
                self.environment.declare(&name, variable);
            }
            match line.does {
                Does::Show(name) => all.push(name),
                Does::Run { slots, variables, .. } => {
                    for Declared { name, variable, .. } in variables {
                        self.environment.declare(&name, variable);
                    }
                    all.extend(slots);
                }
            }
        }
        all
    }

    /// Returns the codes of the errors of a text, which is not run.
    fn errors(&mut self, text: &str) -> Vec<&'static str> {
        let (lines, diagnostics) = self.check(text);
        assert!(lines.is_empty() && !diagnostics.is_empty(), "{text}: {diagnostics:#?}");
        diagnostics.iter().map(|diagnostic| diagnostic.code.as_str()).collect()
    }

    fn define(&mut self, text: &str) -> Defined {
        let items = self.pieces(text).into_iter().map(|piece| match piece.kind {
            PieceKind::Item(item) => item,
            other => panic!("{other:?}"),
        });
        let items = items.collect();
        self.session.define(&self.environment, items, &mut Files(Vec::new()))
    }

    fn defines(&mut self, text: &str) {
        let defined = self.define(text);
        assert_eq!((defined.refused, defined.diagnostics), (vec![], vec![]), "{text}");
    }

    fn kind(&self, name: &str) -> Option<TyKind> {
        self.environment.get(name).map(|variable| variable.kind)
    }
}

const MARK: &str =
    "proc MARK(X: slice; var Y: slice; var n: integer); begin Y := not X; n := NUMB(Y) end;";

#[test]
fn a_first_assignment_declares_with_the_type_of_the_value() {
    let mut trial = Trial::new();
    for (text, name, kind) in [
        ("n := 5", "n", TyKind::Int),
        ("b := n = 5", "b", TyKind::Bool),
        ("s := \"text\"", "s", TyKind::Str),
        ("w := '0110'", "w", TyKind::Word),
        ("X := CONVERT(w)", "X", TyKind::Slice),
        ("COL(1, T) := X", "T", TyKind::Table),
        ("F := T", "F", TyKind::Table),
        ("Y := COL(n, T)", "Y", TyKind::Slice),
        ("for i := 1 to 3 do n := i", "i", TyKind::Int),
        ("foreach j in X do n := j", "j", TyKind::Int),
        ("read(G, \"g.gr\", \"adjacency\")", "G", TyKind::Table),
    ] {
        assert_eq!(trial.kind(name), None, "{text}");
        trial.run(text);
        assert_eq!(trial.kind(name), Some(kind), "{text}");
    }
}

#[test]
fn a_var_parameter_declares_its_argument() {
    let mut trial = Trial::new();
    trial.defines(MARK);
    trial.run("X := CONVERT('01')");
    assert_eq!(trial.run("MARK(X, Y, k); k + 1"), ["X", "Y", "k", "k", "‹value›"]);
    assert_eq!((trial.kind("Y"), trial.kind("k")), (Some(TyKind::Slice), Some(TyKind::Int)));
    // A value parameter declares nothing.
    assert_eq!(trial.errors("MARK(Z, Y, k)"), ["E0201"]);
}

#[test]
fn only_assigned_names_are_declared() {
    let mut trial = Trial::new();
    assert_eq!(trial.errors("n := m"), ["E0201"]);
    assert_eq!(trial.errors("n := n + 1"), ["E0201"]);
    assert_eq!(trial.errors("X := Θ"), ["E0311"]);
    assert_eq!(trial.errors("X(1) := 1"), ["E0201"]);
    assert_eq!(trial.errors("ROW(1, T) := '01'"), ["E0201"]);
    assert_eq!(trial.errors("SET(X)"), ["E0201"]);
    trial.defines("const c = 5; proc P; begin end;");
    assert_eq!(trial.errors("c := 1"), ["E0305"]);
    assert_eq!(trial.errors("P := 1"), ["E0306"]);
    assert_eq!(trial.errors("rows := 1"), ["E0306"]);
    // A name made unknown by an error is reported once.
    assert_eq!(trial.errors("n := m; n := n + 1"), ["E0201"]);
    assert_eq!(trial.environment.iter().count(), 0);
}

#[test]
fn later_lines_see_earlier_declarations() {
    let mut trial = Trial::new();
    assert_eq!(trial.run("n := 5; n + 1; m := n; m"), ["n", "n", "‹value›", "n", "m", "m"]);
    assert_eq!(
        trial.run("var X, Y: slice(n); Z: table(n, 2 * n)"),
        ["n", "‹size 1›", "‹size 2›", "‹size 3›"]
    );
}

#[test]
fn declared_sizes_are_kept_and_seen() {
    let mut trial = Trial::new();
    trial.run("w := '01'");
    let variable = trial.environment.get("w").unwrap().clone();
    trial.environment.declare("w", Variable { sizes: [Some(3), None], ..variable });
    assert_eq!(trial.errors("w := '01'"), ["E0401"]);
    trial.run("w := '011'");
    // Numbers are known before anything has run.
    trial.run("var X: slice(5); SET(X)");
    assert_eq!(trial.errors("var u: word(3); u := '01'"), ["E0401"]);
}

#[test]
fn calls_with_a_value_show_it() {
    let mut trial = Trial::new();
    trial.defines("function TWICE(n: integer): integer; begin TWICE := 2 * n end; const c = '01';");
    trial.defines(MARK);
    trial.run("X := CONVERT('01')");
    for text in ["TWICE(3)", "NUMB(X)", "STEP(X)", "c", "X(1)"] {
        assert_eq!(trial.run(text).last().map(String::as_str), Some("‹value›"), "{text}");
    }
    assert_eq!(trial.run("X"), ["X"]);
    assert_eq!(trial.run("FRST(X); SET(X); print(X)"), ["X"]);
}

#[test]
fn routines_cannot_see_variables_and_messages_say_so() {
    let mut trial = Trial::new();
    trial.run("X := CONVERT('01')");
    let defined = trial.define("proc P; begin X := not X end;");
    assert_eq!(defined.refused, ["P"]);
    let diagnostic = &defined.diagnostics[0];
    assert_eq!(diagnostic.code.as_str(), "E0201");
    assert!(diagnostic.notes[0].starts_with("a routine sees"), "{diagnostic:#?}");
    assert_eq!(diagnostic.help, ["pass it as an argument: `var X: slice` among the parameters"]);
}

#[test]
fn a_new_definition_applies_to_old_callers() {
    let mut trial = Trial::new();
    trial.defines("function F: integer; begin F := 1 end;");
    trial.defines("function G: integer; begin G := F + 1 end;");
    let program = |trial: &mut Trial| match trial.check("G").0.remove(0).does {
        Does::Run { program, .. } => star_ir::print(&program),
        Does::Show(name) => panic!("{name}"),
    };
    let before = program(&mut trial);
    let defined = trial.define("function F: integer; begin F := 7 end;");
    assert!(defined.items[0].replaces && defined.broken.is_empty());
    let after = program(&mut trial);
    assert!(before.contains("copy 1") && !before.contains("copy 7"), "{before}");
    assert!(after.contains("copy 7"), "{after}");
}

#[test]
fn a_definition_lists_the_callers_it_invalidates() {
    let mut trial = Trial::new();
    trial.defines("proc A(n: integer); begin print(n) end; proc B; begin A(1) end;");
    let defined = trial.define("proc A(n, m: integer); begin print(n + m) end;");
    assert_eq!((defined.refused, defined.broken), (vec![], vec!["B".to_owned()]));
    assert_eq!(trial.errors("B"), ["E0302"]);
    trial.run("A(1, 2)");
    // A definition that uses it is valid, but cannot be called either.
    trial.defines("proc C; begin B end;");
    assert_eq!(trial.errors("C"), ["E0302"]);
    let defined = trial.define("proc A(n: integer); begin print(2 * n) end;");
    assert_eq!(defined.mended, ["B"]);
    trial.run("C");
}

#[test]
fn a_wrong_definition_keeps_the_old_one() {
    let mut trial = Trial::new();
    trial.defines("proc A; begin print(1) end;");
    let defined = trial.define("proc A; begin print(x) end; proc B; begin print(2) end;");
    assert_eq!(defined.refused, ["A"]);
    assert_eq!(defined.items.len(), 1);
    trial.run("A; B");
    let defined = trial.define("proc C; begin D end; proc D; begin E end;");
    assert_eq!(defined.refused, ["C", "D"]);
    assert_eq!(defined.diagnostics.len(), 1);
    // Mutually recursive routines are defined together.
    trial.defines("proc C; begin if 1 = 2 then D end; proc D; begin C end;");
}

#[test]
fn sizes_that_cannot_agree_reject_a_definition() {
    let mut trial = Trial::new();
    let defined = trial.define("proc P; var w: word(3); begin w := '01' end;");
    assert_eq!(defined.refused, ["P"]);
    trial.defines("const k = 2; proc P; var w: word(k); begin w := '01' end;");
    let defined = trial.define("const k = 3;");
    assert_eq!(defined.broken, ["P"]);
}

#[test]
fn files_load_completely_or_not_at_all_and_reload() {
    let mut trial = Trial::new();
    let load = |trial: &mut Trial, text: &str| {
        let files = &mut Files(vec![("a.star", text.to_owned())]);
        let file = SourceFile::new("a.star", text.to_owned());
        trial.session.load(&trial.environment, file, files)
    };
    let defined = load(&mut trial, "proc A; begin x end; proc B; begin end;");
    assert_eq!(defined.refused.len(), 2);
    assert_eq!(trial.session.items().len(), 0);
    let defined =
        load(&mut trial, "proc A; begin end; proc B; begin A end; program M; begin B end.");
    assert_eq!((defined.items.len(), defined.diagnostics), (3, vec![]));
    assert_eq!(trial.session.origin("A"), Some("a.star"));
    trial.run("M");
    // B no longer exists.
    let defined = load(&mut trial, "proc A; begin end; proc C; begin A end;");
    assert_eq!(defined.refused, [""; 0]);
    assert!(trial.session.item("B").is_none() && trial.session.item("C").is_some());
    assert_eq!(trial.errors("B"), ["E0201"]);
}

#[test]
fn imports_are_read_once_and_allowed_at_any_time() {
    static LIBRARY: Library =
        Library { basic: &[], modules: &[("m", "proc GET-M(var n: integer); begin n := 3 end;")] };
    let mut trial = Trial { session: Session::new(LIBRARY), environment: Environment::default() };
    trial.defines("proc A; begin print(1) end;");
    trial.defines("import \"star:m\";");
    trial.defines("import \"star:m\";");
    assert_eq!(trial.run("GET-M(k); A; k"), ["k", "k"]);
    let defined = trial.define("import \"star:none\";");
    assert_eq!(defined.refused, ["star:none"]);
    trial.run("A");
}

#[test]
fn the_type_of_an_expression_is_known_without_running_it() {
    let mut trial = Trial::new();
    trial.run("X := CONVERT('01')");
    let mut kind = |text: &str| {
        let pieces = trial.pieces(text);
        trial.session.type_of(&trial.environment, pieces).unwrap()
    };
    assert_eq!(kind("X"), Some(TyKind::Slice));
    assert_eq!(kind("NUMB(X) + 1"), Some(TyKind::Int));
    assert_eq!(kind("not CONVERT(X)"), Some(TyKind::Word));
    assert_eq!(kind("X := X"), None);
}
