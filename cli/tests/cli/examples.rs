//! The commands of `examples/README.md`, run verbatim, and their output.
//!
//! `STAR_BLESS=1 cargo test -p star-cli examples` updates the outputs: review the diff.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Ran, star_in};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The programs in the table and their commands: the first and last cell of each row.
fn commands() -> Vec<(String, String)> {
    let text = fs::read_to_string(root().join("examples/README.md")).unwrap();
    let rows = text.lines().filter_map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [program, .., command] = cells.as_slice() else { return None };
        let unquoted = |cell: &str| cell.strip_prefix('`')?.strip_suffix('`').map(str::to_owned);
        Some((unquoted(program)?, unquoted(command)?))
    });
    rows.filter(|(program, _)| program.ends_with(".star")).collect()
}

#[test]
fn every_command_prints_the_expected_output() {
    let blessing = std::env::var_os("STAR_BLESS").is_some_and(|value| value == "1");
    let mut seen = BTreeSet::new();
    for (program, command) in commands() {
        let mut words = command.split_whitespace();
        assert_eq!(words.next(), Some("star"), "{command}");
        let arguments: Vec<&str> = words.collect();
        let ran: Ran = star_in(&root(), &arguments);
        assert_eq!(ran.code, 0, "{command}: {ran:#?}");
        let name = program.strip_suffix(".star").unwrap();
        // A program listed again has different arguments.
        let n_before =
            seen.iter().filter(|(known, _): &&(String, usize)| *known == program).count();
        let file = match n_before {
            0 => format!("{name}.txt"),
            n => format!("{name}.{}.txt", n + 1),
        };
        let path = root().join("cli/tests/cli/examples").join(file);
        if blessing {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, &ran.stdout).unwrap();
        }
        let known = fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(
            ran.stdout, known,
            "{command}\nIf that is meant: STAR_BLESS=1 cargo test -p star-cli examples"
        );
        seen.insert((program, n_before));
    }
    let listed: BTreeSet<String> = seen.into_iter().map(|(program, _)| program).collect();
    let files = fs::read_dir(root().join("examples")).unwrap();
    let names = files.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let programs: BTreeSet<String> = names.filter(|name| name.ends_with(".star")).collect();
    assert_eq!(listed, programs, "the programs of the table and those of the folder");
}
