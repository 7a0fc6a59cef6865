//! `star graph`: runs a graph program of the examples on a file, as `star run` does.

use clap::{Args, ValueEnum};
use star_base::{Code, Diagnostic};
use star_bind::ResultForm;
use star_compiler::{LoadError, Source, SourceLoader};
use star_io::Format;
use star_os::exit::Exit;
use star_os::failure::Failure;
use star_os::output::Output;
use star_os::report::Reporter;

use super::run::{LongRunArgs, Prints, RunArgs, RunFormat, RunOptions, run_with};
use crate::text;

/// Arguments of `star graph`.
#[derive(Args, Debug)]
#[command(after_help = "\
Each task is a Star program, which `--program` prints and `star run` runs.
`star run --help` lists settings such as `from=`, `to=` and `weight=`.

Examples:
  star graph components roads.csv
  star graph paths roads.csv Oslo --undirected
  star graph paths roads.csv Oslo Narvik --view route.svg
  star graph tree roads.csv --out tree.csv
  star graph paths --program > paths.star")]
pub(crate) struct GraphArgs {
    /// What to compute
    #[arg(value_name = "TASK")]
    task: Task,

    /// Graph: an edge list or another format; `csv:-` is standard input
    ///
    /// `undirected:FILE` reads arcs as edges, `reverse:FILE` reverses them, `directed:FILE` reads
    /// them as they are.
    #[arg(value_name = "FILE", required_unless_present = "program")]
    file: Option<String>,

    /// Vertices of `paths`, and values for parameters and settings
    ///
    /// The first vertex is the start, as in `s=Oslo`, the second one the end, as in `t=Narvik`.
    /// `s=a=b` starts at the vertex `a=b`.
    #[arg(value_name = "VERTEX|NAME=VALUE")]
    arguments: Vec<String>,

    /// Write the result to FILE instead of printing it
    ///
    /// The extension selects the format; `csv:-` is standard output. Formats for graphs contain the
    /// tree of `paths` and `tree`, and the pairs of `closure`.
    #[arg(short, long, value_name = "FILE")]
    out: Option<String>,

    /// Draw the graph with the result to an `.svg` or `.png` file
    ///
    /// Marked are the paths, the tree, the largest component or the vertices of the greatest
    /// degree; a closure is drawn as its bits.
    #[arg(long, value_name = "FILE")]
    view: Option<String>,

    /// Print the program of the task
    #[arg(long)]
    program: bool,

    #[command(flatten)]
    options: RunOptions,
}

/// What `star graph` computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Task {
    /// Components, regardless of directions, and their sizes
    Components,
    /// Strong components: sets of vertices that reach each other
    Strong,
    /// Shortest paths from a vertex, or to another one
    Paths,
    /// Minimum spanning forest, regardless of directions
    Tree,
    /// Pairs of vertices such that the first one reaches the second one
    Closure,
    /// Numbers of arcs that leave and enter each vertex
    Degrees,
}

/// A program of the examples.
struct Program {
    /// The name of its file.
    file: &'static str,
    text: &'static str,
}

const COMPONENTS: Program = Program {
    file: "graph_components.star",
    text: include_str!("../../../examples/graph_components.star"),
};
const PATHS: Program =
    Program { file: "graph_paths.star", text: include_str!("../../../examples/graph_paths.star") };
const TREE: Program =
    Program { file: "graph_tree.star", text: include_str!("../../../examples/graph_tree.star") };
const CLOSURE: Program = Program {
    file: "graph_closure.star",
    text: include_str!("../../../examples/graph_closure.star"),
};
const DEGREES: Program = Program {
    file: "graph_degrees.star",
    text: include_str!("../../../examples/graph_degrees.star"),
};

/// The routine for one path.
const PATH: &str = "PATH";

impl Task {
    fn program(self) -> &'static Program {
        match self {
            Task::Components | Task::Strong => &COMPONENTS,
            Task::Paths => &PATHS,
            Task::Tree => &TREE,
            Task::Closure => &CLOSURE,
            Task::Degrees => &DEGREES,
        }
    }

    /// Returns the routine to run, if it is not the program: `n_vertices` are given.
    fn procedure(self, n_vertices: usize) -> Option<&'static str> {
        match (self, n_vertices) {
            (Task::Paths, 2) => Some(PATH),
            (Task::Strong, _) => Some("STRONG_COMPONENTS"),
            _ => None,
        }
    }

    /// Returns the columns of the table, and of the graph for formats that hold no list.
    fn columns(self) -> &'static [&'static str] {
        match self {
            Task::Components | Task::Strong => &["component=codes, size=vertices"],
            Task::Paths => &["distance=distances, before=codes", "tree=rows of graph"],
            Task::Tree => &["tree=rows of graph"],
            Task::Closure => &["pairs=adjacency"],
            Task::Degrees => &["outdegree=vertices, indegree=vertices, degree=vertices"],
        }
    }

    /// Returns the columns that a format holds, otherwise those that are printed.
    fn columns_in(self, format: Option<Format>) -> &'static str {
        let holds = |columns: &&&str| {
            let mut forms = columns.split(',').filter_map(|column| column.split_once('='));
            format.is_some_and(|format| {
                forms.all(|(_, form)| {
                    ResultForm::parse(form, "").is_ok_and(|form| form.held_by(format).is_ok())
                })
            })
        };
        let columns = self.columns();
        columns.iter().find(holds).or(columns.first()).copied().unwrap_or_default()
    }

    /// Returns the result that is drawn, and its form.
    fn picture(self) -> [&'static str; 2] {
        match self {
            Task::Components | Task::Strong => ["largest", "vertices:"],
            Task::Paths | Task::Tree => ["tree", ""],
            Task::Closure => ["pairs", ""],
            Task::Degrees => ["greatest", "vertices:"],
        }
    }

    /// Returns the name of the parameter for each vertex.
    fn vertices(self) -> &'static [&'static str] {
        match self {
            Task::Paths => &["s", "t"],
            Task::Components | Task::Strong | Task::Tree | Task::Closure | Task::Degrees => &[],
        }
    }

    fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}

/// Runs the program of a task, or prints it.
///
/// # Errors
/// Those of `star run`.
pub(crate) fn run(
    args: &GraphArgs,
    reporter: &Reporter,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let program = args.task.program();
    if args.program {
        output.write(program.text);
        return Ok(Exit::Success);
    }
    let run = run_args(args)?;
    let done = run_with(&mut Embedded(program), program.file, &run, reporter, output);
    done.map_err(|failure| with_vertices(failure, args))
}

/// Adds to each unknown parameter what to write if the argument is the name of a vertex.
fn with_vertices(mut failure: Failure, args: &GraphArgs) -> Failure {
    let unknown = failure.diagnostics.iter_mut().filter(|one| one.code == Code::NoSuchParameter);
    for diagnostic in unknown.filter(|_| !args.task.vertices().is_empty()) {
        let is_meant = |argument: &&String| {
            let name = argument.split_once('=').map_or("", |(name, _)| name);
            diagnostic.message.ends_with(&format!(" `{name}`"))
        };
        if let Some(argument) = args.arguments.iter().find(is_meant) {
            diagnostic.help.push(as_vertex(argument));
        }
    }
    failure
}

/// Returns what to write for the vertex whose name is an argument with `=`.
fn as_vertex(argument: &str) -> String {
    let argument = text::one_line(argument);
    format!("for a vertex called `{argument}` write `s={argument}`")
}

/// Returns the arguments of `star run` for a task.
///
/// # Errors
/// E0604 if a vertex is missing, E0608 if there are too many.
fn run_args(args: &GraphArgs) -> Result<RunArgs, Diagnostic> {
    let GraphArgs { task, file, arguments, out, view, program: _, options } = args;
    let graph = file.clone().unwrap_or_default();
    let arguments = named(*task, &graph, arguments)?;
    let is_given = |name: &&&str| {
        arguments.iter().any(|argument| argument.split_once('=').is_some_and(|it| it.0 == **name))
    };
    let n_vertices = task.vertices().iter().filter(is_given).count();
    let out = out.as_ref().map(|file| {
        let format = Format::of_path(file);
        format!("{}:{file}", task.columns_in(format))
    });
    let procedure = task.procedure(n_vertices);
    let (names, prints) = match &out {
        // The program prints the path itself, in its order.
        None if procedure == Some(PATH) => (None, Prints::Lines),
        None => (Some(task.columns_in(None).to_owned()), Prints::All),
        Some(_) => (None, Prints::Lines),
    };
    let [drawn, form] = task.picture();
    Ok(RunArgs {
        file: task.program().file.to_owned(),
        arguments,
        proc: procedure.map(str::to_owned),
        out: out.into_iter().collect(),
        names,
        view: view.iter().map(|file| format!("{drawn}={form}{file}")).collect(),
        graph: Some(graph),
        format: RunFormat::Text,
        checked: false,
        warnings: false,
        allow_read: Vec::new(),
        allow_write: Vec::new(),
        confined: None,
        long: LongRunArgs::default(),
        options: options.clone(),
        prints,
        hides_details: true,
    })
}

/// Returns the arguments with the names of parameters before the vertices.
fn named(task: Task, file: &str, arguments: &[String]) -> Result<Vec<String>, Diagnostic> {
    let (name, file) = (task.name(), text::shell_word(file));
    let mut vertices = task.vertices().iter();
    let mut named = Vec::with_capacity(arguments.len());
    for argument in arguments {
        if argument.contains('=') {
            named.push(argument.clone());
            continue;
        }
        let Some(vertex) = vertices.next() else {
            let argument = text::one_line(argument);
            let message = format!("unexpected argument of `star graph {name}`: `{argument}`");
            let at_most = text::count(task.vertices().len(), "vertex");
            return Err(Diagnostic::new(Code::Usage, message).note(match task.vertices() {
                [] => "it takes no vertices".to_owned(),
                _ => format!("it takes at most {at_most}"),
            }));
        };
        named.push(format!("{vertex}={argument}"));
    }
    let start = task.vertices().first();
    match start.filter(|start| !named.iter().any(|it| it.starts_with(&format!("{start}=")))) {
        None => Ok(named),
        Some(_) => {
            let message = format!("`star graph {name}` needs a vertex to start at");
            let help = format!("write its name after the file: `star graph {name} {file} VERTEX`");
            let error = Diagnostic::new(Code::MissingArgument, message);
            // It may be a vertex whose name contains `=`.
            Err(error.help(match arguments.first() {
                Some(argument) => as_vertex(argument),
                None => help,
            }))
        }
    }
}

/// Loads a program of the examples, which imports only the library.
struct Embedded(&'static Program);

impl SourceLoader for Embedded {
    fn load(&mut self, path: &str, _: Option<&str>) -> Result<Source, LoadError> {
        let Program { file, text } = self.0;
        match path == *file {
            true => Ok(Source { name: path.to_owned(), bytes: text.as_bytes().to_vec() }),
            false => Err(LoadError::Unreadable("no such file".to_owned())),
        }
    }
}
