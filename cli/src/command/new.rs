//! `star new`: creates a folder with a program, a test, a benchmark and data.

use std::fs;
use std::path::Path;

use clap::Args;
use star_base::{Code, Diagnostic, text};
use star_os::exit::Exit;
use star_os::failure::Failure;
use star_os::file_set::FileSet;
use star_os::flags::Flags;
use star_os::output::Output;
use star_os::report::Reporter;

/// The files of a new folder: their names, in which `{name}` is replaced by the name of the folder,
/// and their texts.
const FILES: [(&str, &str); 3] = [
    ("{name}.star", include_str!("new/program.star")),
    ("data/flights.txt", include_str!("new/flights.txt")),
    ("README.md", include_str!("new/readme.md")),
];

/// Suggested commands and their purposes.
const COMMANDS: [(&str, &str); 5] = [
    ("star run {name}.star --graph data/flights.txt", "run the program"),
    ("star test", "run its test"),
    ("star bench", "run its benchmark"),
    ("star view data/flights.txt", "draw its data"),
    ("star check {name}.star --plan", "show how its loops are transformed"),
];

/// Arguments of `star new`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  star new degrees
  cd degrees && star test")]
pub(crate) struct NewArgs {
    /// Folder to create; its name becomes that of the program
    #[arg(value_name = "NAME")]
    name: String,
}

/// Creates the folder and prints suggested commands.
///
/// # Errors
/// E0608 if the name is not valid for a file or already exists; E0509 if the system refuses.
pub(crate) fn run(
    args: &NewArgs,
    reporter: &Reporter,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let folder = Path::new(&args.name);
    let name = folder.file_name().and_then(|name| name.to_str()).filter(|name| is_plain(name));
    let Some(name) = name else {
        let message = format!("`{}` is not a valid program name", text::one_line(&args.name));
        let help = "a name must begin with a letter and contain only letters, digits, `-` and `_`";
        return Err(Diagnostic::new(Code::Usage, message).help(help).into());
    };
    if fs::symlink_metadata(folder).is_ok() {
        let message = format!("`{}` already exists", text::one_line(&args.name));
        return Err(Diagnostic::new(Code::Usage, message).help("choose another name").into());
    }
    let filled = |text: &str| text.replace("{name}", name);
    let flags = Flags::default();
    flags.catch_or_warn(reporter, "the command with an incomplete folder");
    let mut set = FileSet::default();
    let mut written = String::new();
    for (file, text) in FILES {
        let path = folder.join(filled(file));
        if let Some(parent) = path.parent() {
            set.create_folder(parent, &parent.display().to_string())?;
        }
        set.add(&path, &filled(text))?;
        written += &format!("{}\n", path.display());
    }
    if let Some(code) = flags.stop() {
        return Err(Diagnostic::new(code, "interrupted; no folder was created").into());
    }
    set.commit()?;
    output.write(&written);
    let commands = COMMANDS.map(|(command, about)| (filled(command), about));
    let widest = commands.iter().map(|(command, _)| command.chars().count()).max().unwrap_or(0);
    let cd = text::shell_word(&args.name);
    output.write(&format!("\nBegin with `cd {cd}`, then:\n\n"));
    for (command, about) in &commands {
        output.write(&format!("  {command:<widest$}  {about}\n"));
    }
    Ok(Exit::Success)
}

/// Tests whether the name needs no quotes on a command line or in a program.
fn is_plain(name: &str) -> bool {
    let inner = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(inner)
}
