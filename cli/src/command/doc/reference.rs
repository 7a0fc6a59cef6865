//! The reference pages of the book that are generated: library, built-ins, messages, commands,
//! formats.

use std::fmt::Write as _;

use clap::Command;
use star_doc::{Catalogue, markdown};
use star_io::Format;

/// The width of help texts.
const WIDTH: usize = 80;
/// The page about formats, with a mark for the table of formats.
const FORMATS: &str = include_str!("formats.md");
/// The mark in [`FORMATS`].
const FORMAT_TABLE: &str = "{table of formats}\n";

/// Returns the pages as names of files with their texts.
pub(super) fn pages(catalogue: &Catalogue, command: &mut Command) -> Vec<(String, String)> {
    let pages = [
        ("library.md", markdown::library(catalogue)),
        ("builtins.md", markdown::builtins(catalogue)),
        ("messages.md", markdown::messages()),
        ("commands.md", commands(command)),
        ("formats.md", formats()),
    ];
    pages.into_iter().map(|(name, text)| (name.to_owned(), text)).collect()
}

/// Returns the page of the command line: the help of `star` and of each of its commands.
fn commands(star: &mut Command) -> String {
    let mut text = "# Command line\n\n`star COMMAND --help` shows the same text.\n".to_owned();
    star.build();
    add_command(star, &mut text);
    text
}

/// Adds the help of a command and of the commands below it.
fn add_command(command: &mut Command, text: &mut String) {
    let name = command.get_bin_name().unwrap_or(command.get_name()).to_owned();
    let mut resized = command.clone().term_width(WIDTH);
    let help = resized.render_long_help().to_string();
    let _ = write!(text, "\n## {name}\n\n```text\n");
    for line in help.trim_end().lines() {
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text.push_str("```\n");
    for below in command.get_subcommands_mut().filter(|below| below.get_name() != "help") {
        add_command(below, text);
    }
}

/// Returns the page of file formats.
fn formats() -> String {
    let mut table = "| format | extensions |\n|---|---|\n".to_owned();
    for format in Format::ALL {
        let extensions = format.extensions().iter().map(|one| format!("`.{one}`"));
        let extensions = extensions.collect::<Vec<_>>().join(" ");
        let _ = writeln!(table, "| {} | {extensions} |", format.name());
    }
    FORMATS.replace(FORMAT_TABLE, &table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_listed_with_their_extensions() {
        let page = formats();
        assert!(page.contains("| METIS | `.graph` `.metis` |\n"), "{page}");
        assert!(!page.contains(FORMAT_TABLE), "{page}");
    }
}
