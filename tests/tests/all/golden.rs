//! Messages and SIR as files: `golden/diagnostics/*.star` with their messages in `.txt`, and
//! `golden/sir/*.star` with their SIR in `.sir`.
//!
//! `STAR_BLESS=1 cargo test -p star-tests golden` rewrites the files.

use std::path::{Path, PathBuf};

use star_base::Code;
use star_compiler::{Compilation, LoadError, LowerOptions, Source, SourceLoader};
use star_tests::LIBRARY;
use star_tests::case::render;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(name)
}

/// Files of a golden folder; the root is named `test.star` in messages.
struct Folder {
    path: PathBuf,
    root: String,
}

impl SourceLoader for Folder {
    fn load(&mut self, path: &str, importer: Option<&str>) -> Result<Source, LoadError> {
        let (name, file) = match importer {
            None => ("test.star", self.root.as_str()),
            Some(_) => (path, path),
        };
        match std::fs::read(self.path.join(file)) {
            Ok(bytes) => Ok(Source { name: name.to_owned(), bytes }),
            Err(_) => Err(LoadError::Unreadable("no such file".to_owned())),
        }
    }
}

fn compile(path: &Path, root: &str) -> Compilation {
    let mut loader = Folder { path: path.to_owned(), root: root.to_owned() };
    star_compiler::check("test.star", &mut loader, &LIBRARY)
}

fn all_messages(compilation: &Compilation) -> String {
    let all = compilation.diagnostics.iter();
    all.map(|diagnostic| render(&compilation.sources, diagnostic)).collect()
}

/// Returns the names of the Star files of a folder, without `.star`.
fn sources(path: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(path)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter_map(|name| name.strip_suffix(".star").map(str::to_owned))
        .collect();
    names.sort();
    assert!(!names.is_empty(), "no files in {}", path.display());
    names
}

fn blessing() -> bool {
    std::env::var_os("STAR_BLESS").is_some_and(|value| value == "1")
}

/// Compares a text with a file, or writes the file, and returns the difference, if any.
fn compare(file: &Path, text: &str) -> Option<String> {
    if blessing() {
        std::fs::write(file, text).expect("the golden file can be written");
        return None;
    }
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    match std::fs::read_to_string(file) {
        Ok(golden) if golden == text => None,
        Ok(golden) => Some(format!("{name} differs:\n{}", difference(&golden, text))),
        Err(error) => Some(format!("{name}: {error}")),
    }
}

/// Returns the lines between the first and the last difference, `-` golden and `+` found, with one
/// line of context.
fn difference(golden: &str, found: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (golden.lines().collect(), found.lines().collect());
    let same = |(a, b): &(&&str, &&str)| a == b;
    let head = old.iter().zip(&new).take_while(same).count();
    let rest = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(same).count().min(rest);
    let mut text = String::new();
    let mut push = |sign: char, lines: &[&str]| {
        lines.iter().for_each(|line| text.push_str(&format!("{sign} {line}\n")));
    };
    push(' ', &old[head.saturating_sub(1)..head]);
    push('-', &old[head..old.len() - tail]);
    push('+', &new[head..new.len() - tail]);
    push(' ', &old[old.len() - tail..(old.len() - tail + 1).min(old.len())]);
    text
}

fn report(differences: &[String]) {
    assert!(
        differences.is_empty(),
        "{}\nIf that is meant: STAR_BLESS=1 cargo test -p star-tests golden",
        differences.join("\n")
    );
}

#[test]
fn golden_messages() {
    let path = folder("diagnostics");
    let mut differences = Vec::new();
    for name in sources(&path) {
        let text = all_messages(&compile(&path, &format!("{name}.star")));
        differences.extend(compare(&path.join(format!("{name}.txt")), &text));
        if name.parse_code().is_some_and(|code| !text.contains(&format!("{code} "))) {
            differences.push(format!("{name}.star does not give {name}"));
        }
    }
    for (name, error) in [
        ("E0111", LoadError::Unreadable("permission denied".to_owned())),
        ("E0112", LoadError::TooLarge),
    ] {
        let compilation = star_compiler::check("test.star", &mut Refuses(error), &LIBRARY);
        let file = path.join(format!("{name}.txt"));
        differences.extend(compare(&file, &all_messages(&compilation)));
    }
    report(&differences);
}

/// A loader that cannot read anything.
struct Refuses(LoadError);

impl SourceLoader for Refuses {
    fn load(&mut self, _: &str, _: Option<&str>) -> Result<Source, LoadError> {
        Err(self.0.clone())
    }
}

trait ParseCode {
    fn parse_code(&self) -> Option<Code>;
}

impl ParseCode for String {
    fn parse_code(&self) -> Option<Code> {
        Code::parse(self)
    }
}

#[test]
fn every_code_of_the_language_has_golden_messages() {
    let path = folder("diagnostics");
    for code in Code::ALL {
        let code = code.as_str();
        let of_language = ["E01", "E02", "E03", "E04", "W01"];
        // When blessing, the test above is writing the files at the same time.
        if !blessing() && of_language.iter().any(|prefix| code.starts_with(prefix)) {
            assert!(path.join(format!("{code}.txt")).exists(), "no golden messages for {code}");
        }
    }
}

#[test]
fn messages_are_the_same_in_every_run() {
    let path = folder("diagnostics");
    for name in sources(&path) {
        let root = format!("{name}.star");
        let once = all_messages(&compile(&path, &root));
        assert_eq!(once, all_messages(&compile(&path, &root)), "{name}");
    }
}

#[test]
fn golden_sir() {
    let path = folder("sir");
    let mut differences = Vec::new();
    for name in sources(&path) {
        let compilation = compile(&path, &format!("{name}.star"));
        assert!(!compilation.has_errors(), "{name}: {}", all_messages(&compilation));
        let program =
            star_compiler::lower(&compilation, &LowerOptions::default()).expect("verified").program;
        let text = star_ir::print(&program);
        differences.extend(compare(&path.join(format!("{name}.sir")), &text));
        if let Err(errors) = star_ir::verify(&program) {
            differences.push(format!("{name} does not verify: {errors:#?}"));
        }
        match star_ir::parse(&text) {
            Ok(read) if read == program => {}
            Ok(read) => {
                let again = difference(&text, &star_ir::print(&read));
                differences.push(format!("{name} reads back as something else:\n{again}"));
            }
            Err(error) => differences.push(format!("{name} does not read back: {error:?}")),
        }
    }
    report(&differences);
}

/// The properties that the golden files of §2 and §6 of the design demonstrate.
#[test]
fn dijkstra_has_webs_fields_and_extremes() {
    let path = folder("sir");
    let compilation = compile(&path, "dijkstra.star");
    let program =
        star_compiler::lower(&compilation, &LowerOptions::default()).expect("verified").program;
    let dijkstra = program.routines.iter().find(|routine| routine.name == "DIJKSTRA");
    let dijkstra = dijkstra.expect("DIJKSTRA is lowered");
    let n_w = dijkstra.vars.iter().filter(|var| var.source.as_deref() == Some("w")).count();
    assert!(n_w >= 2, "`w` is now a row of the graph, now a vertex code");
    let text = star_ir::print(&program);
    assert!(text.contains("extreme") || text.contains("= min"), "MIN is one operation");
    assert!(text.contains("field"), "TCOPY1 is one operation");
    let called = |name: &str| program.routines.iter().any(|routine| routine.name == name);
    assert!(!called("MIN") && !called("TCOPY1") && called("ADDC"));
}
