//! `star new`: creates a folder with a program, a test, a benchmark and data.

use std::fs;
use std::path::Path;

use clap::{Args, ValueEnum};
use star_base::{Code, Diagnostic, text};
use star_io::FileError;
use star_os::exit::Exit;
use star_os::failure::Failure;
use star_os::file_set::FileSet;
use star_os::flags::Flags;
use star_os::output::Output;
use star_os::report::Reporter;

/// Maximum width of the column of commands; longer ones exceed it.
const MAX_COLUMN: usize = 50;

/// The kind of a new program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Template {
    /// What can be reached in a graph
    Graph,
    /// Rows of a table, found by their contents
    Table,
    /// Routes on a grid of free cells and walls
    Grid,
    /// One task in two ways, to compare their times
    Benchmark,
}

/// The parts of a new folder.
struct Parts {
    /// The text of the program.
    program: &'static str,
    /// The name and text of a file in the folder `data`.
    data: (&'static str, &'static str),
    /// The arguments that run the program with the data.
    arguments: &'static str,
}

impl Template {
    fn parts(self) -> Parts {
        match self {
            Template::Graph => Parts {
                program: include_str!("new/graph/program.star"),
                data: ("flights.txt", include_str!("new/graph/flights.txt")),
                arguments: "--graph data/flights.txt",
            },
            Template::Table => Parts {
                program: include_str!("new/table/program.star"),
                data: ("trips.csv", include_str!("new/table/trips.csv")),
                arguments: "From=field:from:data/trips.csv Minutes=field:minutes:data/trips.csv \
                            here=code:from=Harbour:data/trips.csv",
            },
            Template::Grid => Parts {
                program: include_str!("new/grid/program.star"),
                data: ("maze.map", include_str!("new/grid/maze.map")),
                arguments: "map=data/maze.map x0=1 y0=1 xf=9 yf=1",
            },
            Template::Benchmark => Parts {
                program: include_str!("new/benchmark/program.star"),
                data: ("numbers.csv", include_str!("new/benchmark/numbers.csv")),
                arguments: "T=field:number:data/numbers.csv X=field:counts:data/numbers.csv",
            },
        }
    }

    /// Returns the suggested commands and their purposes, in the imperative.
    fn commands(self, name: &str) -> Vec<(String, &'static str)> {
        let Parts { data: (data, _), arguments, .. } = self.parts();
        let mut commands = vec![
            (format!("star run {name}.star {arguments}"), "run the program"),
            ("star test".to_owned(), "run its tests"),
            ("star bench".to_owned(), "run its benchmark"),
        ];
        let view = (format!("star view data/{data}"), "draw its data");
        let plan = (format!("star check {name}.star --plan"), "show how its loops are transformed");
        match self {
            Template::Graph => commands.extend([view, plan]),
            // Its loops are in the library.
            Template::Grid => commands.push(view),
            Template::Table | Template::Benchmark => commands.push(plan),
        }
        commands
    }
}

/// Arguments of `star new`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  star new degrees
  star new route --template grid
  cd route && star test")]
pub(crate) struct NewArgs {
    /// Folder to create; its name becomes that of the program
    #[arg(value_name = "NAME")]
    name: String,

    /// Select the program to begin with
    #[arg(long, value_name = "NAME", value_enum, default_value_t = Template::Graph)]
    template: Template,
}

/// Creates the folder and prints suggested commands.
///
/// # Errors
/// E0608 if the name is not valid for a file; E0509 if it already exists or the system refuses.
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
        let error = FileError::new(Code::CannotWrite, args.name.as_str(), "it already exists");
        return Err(error.help("choose another name").into());
    }
    let Parts { program, data: (data, data_text), .. } = args.template.parts();
    let commands = args.template.commands(name);
    let described =
        commands.iter().map(|(command, about)| format!("# {}.\n{command}\n", sentence(about)));
    let readme = include_str!("new/readme.md").replace("{name}", name);
    let readme = readme.replace("{commands}", described.collect::<String>().trim_end());
    let files = [
        (format!("{name}.star"), program),
        (format!("data/{data}"), data_text),
        ("README.md".to_owned(), readme.as_str()),
    ];
    let flags = Flags::default();
    flags.catch_or_warn(reporter, "the command with an incomplete folder");
    output.stop_at(&flags);
    let mut set = FileSet::default();
    let mut written = String::new();
    for (file, text) in files {
        let path = folder.join(file);
        if let Some(parent) = path.parent() {
            set.create_folder(parent, &parent.display().to_string())?;
        }
        set.add(&path, text, &flags)?;
        written += &format!("{}\n", path.display());
    }
    if let Some(code) = flags.stop() {
        return Err(Diagnostic::new(code, "interrupted; no folder was created").into());
    }
    set.commit()?;
    output.write(&written);
    let widths = commands.iter().map(|(command, _)| command.chars().count());
    let widest = widths.filter(|width| *width <= MAX_COLUMN).max().unwrap_or(0);
    let cd = text::shell_word(&args.name);
    output.write(&format!("\nBegin with `cd {cd}`, then:\n\n"));
    for (command, about) in &commands {
        output.write(&format!("  {command:<widest$}  {about}\n"));
    }
    Ok(Exit::Success)
}

/// Returns a text with a capital letter.
fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    characters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// Tests whether the name needs no quotes on a command line or in a program.
fn is_plain(name: &str) -> bool {
    let inner = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(inner)
}
