//! `star man`: manual pages.

use std::path::PathBuf;

use clap::{Args, Command};
use clap_mangen::Man;
use star_base::{Code, Diagnostic, text};
use star_os::failure::Failure;
use star_os::file_set::FileSet;
use star_os::flags::Flags;
use star_os::report::Reporter;

/// Arguments of `star man`.
#[derive(Args, Debug)]
#[command(
    after_help = "A page has the name of its command, such as `star-run.1`; `man -l FILE` shows it.

Example: star man ~/.local/share/man/man1"
)]
pub(crate) struct ManArgs {
    /// Folder for the pages, which is created if it is missing
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Writes a page for `star` and each of its subcommands: all or none.
pub(crate) fn run(args: &ManArgs, command: Command, reporter: &Reporter) -> Result<(), Failure> {
    let flags = Flags::default();
    flags.catch_or_warn(reporter, "the command with a part of the pages");
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    collect(&command, &mut pages)?;
    let mut set = FileSet::default();
    set.create_folder(&args.folder, &args.folder.display().to_string())?;
    for (name, page) in &pages {
        if let Some(code) = flags.stop() {
            return Err(Diagnostic::new(code, "interrupted; no page was written").into());
        }
        set.add(&args.folder.join(name), page, &flags)?;
    }
    set.commit()?;
    let pages = text::count(pages.len(), "page");
    reporter.summary(&format!("{}: {pages} written", args.folder.display()));
    Ok(())
}

/// Adds the names and texts of the pages of a command and its subcommands.
fn collect(command: &Command, pages: &mut Vec<(String, String)>) -> Result<(), Diagnostic> {
    for subcommand in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        collect(subcommand, pages)?;
    }
    let page = Man::new(command.clone());
    let (name, mut text) = (page.get_filename(), Vec::new());
    page.render(&mut text)
        .map_err(|error| Diagnostic::new(Code::CannotWrite, format!("{name}: {error}")))?;
    pages.push((name, String::from_utf8_lossy(&text).into_owned()));
    Ok(())
}
