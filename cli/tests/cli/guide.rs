//! The contents of `docs/guide.md` are correct: a block `star NAME` or `text NAME` is a file, `sh`
//! is run, and `output` is the output of the preceding commands.

use std::fmt::Write as _;
use std::path::Path;

use crate::support::Folder;

#[test]
fn guide_commands_print_the_shown_output() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/guide.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let folder = Folder::new(&[]);
    let blocks: Vec<(&str, &str)> = guide
        .split("\n```")
        .skip(1)
        .step_by(2)
        .map(|block| block.split_once('\n').unwrap())
        .collect();
    // A file may be shown after the command that reads it.
    for (kind, text) in &blocks {
        if let Some((_, name)) = kind.split_once(' ') {
            folder.write(name, format!("{text}\n").as_bytes());
        }
    }
    let mut printed = String::new();
    let mut n_commands = 0;
    for (kind, text) in &blocks {
        match *kind {
            "sh" => {
                for line in text.lines() {
                    let command = line.strip_prefix("star ").unwrap();
                    let ran = folder.shell(&format!("$STAR {command}"));
                    assert_eq!(ran.code, 0, "{line}: {ran:#?}");
                    let _ = write!(printed, "{}{}", ran.stdout, ran.stderr);
                    n_commands += 1;
                }
            }
            "output" => {
                assert_eq!(printed.trim_end(), *text, "after {n_commands} commands");
                printed.clear();
            }
            file => assert!(file.starts_with("star ") || file.starts_with("text "), "{file}"),
        }
    }
    assert!(n_commands >= 4 && printed.is_empty(), "{printed}");
}
