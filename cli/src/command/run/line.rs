//! Command line of `star run`: sources of values and destinations of results.

use std::path::Path;

use star::pipeline::Compiled;
use star_base::{Code, Diagnostic};
use star_bind::rows::GRAPH;
use star_bind::{ArgValue, Binding, Origin, Signature, UnknownNames, bind, part};
use star_io::FileError;
use star_ir::RoutineId;
use star_os::access::Grants;
use star_os::failure::Failure;
use star_os::file_roles::Identity;
use star_value::{SparseWish, TableWish, Value};

use super::{Prints, RunArgs, RunFormat};
use crate::results::{self, Names, Out};
use crate::view::{self, Look, View};

/// Resolves the command line for the entry; reports all errors together.
pub(super) fn read(args: &RunArgs, entry: &Signature) -> Result<(Binding, Outputs), Failure> {
    let with_graph = args.graph.is_some();
    let binding = bind(entry, &args.arguments, with_graph, UnknownNames::Refused);
    let arcs = match &binding {
        Ok(binding) => binding.arcs(entry, with_graph),
        Err(_) => Some(GRAPH.to_owned()),
    };
    let updates = |name: &str, file: &str| {
        let read = binding.iter().flat_map(|binding| files_read(entry, binding));
        let mut own = read.filter(|(param, _)| *param == name);
        let written = Identity::of(Path::new(file));
        written.is_some_and(|written| {
            own.any(|(_, file)| Identity::of(Path::new(file)).is_some_and(|own| own.is(&written)))
        })
    };
    let outs = results::outs(entry, &args.out, arcs.as_deref(), &updates);
    let look = Look { palette: view::palette(args.options.dark), inline: args.options.inline };
    let views = view::views(entry, &args.view, look);
    let names = args.names.as_deref().map(|columns| Names::parse(entry, columns)).transpose();
    match (binding, outs, views, names) {
        (Ok(binding), Ok(outs), Ok(views), Ok(names)) => {
            let prints = match args.format {
                // Printed lines do not mix with data on standard output.
                RunFormat::Text if results::use_stdout(&outs) => Prints::Messages,
                RunFormat::Text => args.prints,
                RunFormat::Json if results::use_stdout(&outs) => {
                    let message = "`--format json` and a result use standard output";
                    let fault = Diagnostic::new(Code::CannotWrite, message);
                    return Err(fault.help("write the result to a file").into());
                }
                RunFormat::Json => Prints::Values,
            };
            let wanted = Outputs { outs, views, names, prints };
            let faults = replaced_inputs(args, entry, &binding, &wanted);
            if faults.is_empty() { Ok((binding, wanted)) } else { Err(faults.into()) }
        }
        (binding, outs, views, names) => {
            let mut faults = binding.err().unwrap_or_default();
            faults.extend(outs.err().unwrap_or_default());
            faults.extend(views.err().unwrap_or_default());
            faults.extend(names.err());
            Err(faults.into())
        }
    }
}

/// Additional uses of the results.
pub(super) struct Outputs {
    /// Results written to files.
    pub(super) outs: Vec<Out>,
    /// Results drawn.
    pub(super) views: Vec<View>,
    /// Results printed with names.
    pub(super) names: Option<Names>,
    /// What is printed.
    pub(super) prints: Prints,
}

impl Outputs {
    /// Tests whether the graph that provided the values is needed.
    pub(super) fn need_graph(&self) -> bool {
        !self.views.is_empty() || self.names.is_some() || results::name_vertices(&self.outs)
    }
}

/// Returns errors for results that would overwrite an input file, which may be the only copy. A
/// parameter read from a file and written to it again is intentional.
fn replaced_inputs(
    args: &RunArgs,
    entry: &Signature,
    binding: &Binding,
    wanted: &Outputs,
) -> Vec<Diagnostic> {
    let graph = args.graph.iter().map(|file| ("--graph", file.as_str()));
    let inputs: Vec<(&str, &str)> = graph.chain(files_read(entry, binding)).collect();
    let names: Vec<&str> = entry.results().map(|param| param.name.as_str()).collect();
    let fault = |name: &str, by: &str, option: &str| {
        let message =
            format!("the run reads this file, as `{by}`, and `{option}` would replace it");
        let error = FileError::new(Code::CannotWrite, name, message);
        error.help("write the result to another file").to_diagnostic()
    };
    let mut faults = Vec::new();
    for out in &wanted.outs {
        let result = out.only_result().and_then(|result| names.get(result).copied());
        let result = result.unwrap_or_default();
        let read = inputs.iter().find(|(by, file)| *by != result && out.outlet().replaces(file));
        faults.extend(read.map(|(by, _)| fault(out.outlet().name(), by, "--out")));
    }
    for view in &wanted.views {
        let read = inputs.iter().find(|(_, file)| view.frame().replaces(file));
        faults.extend(read.map(|(by, _)| fault(&view.frame().name, by, "--view")));
    }
    faults
}

/// Returns the files of parameters, with the names of the parameters.
fn files_read<'a>(
    entry: &'a Signature,
    binding: &'a Binding,
) -> impl Iterator<Item = (&'a str, &'a str)> {
    entry.params.iter().zip(&binding.origins).flat_map(|(param, origin)| {
        let path = match origin {
            Origin::Argument(ArgValue::File { path, .. }) => Some(path),
            Origin::Argument(ArgValue::Value(_) | ArgValue::Vertex(_))
            | Origin::Offer(_)
            | Origin::Unset => None,
        };
        // `FILE#ARRAY` names the file.
        let files = path
            .into_iter()
            .flat_map(|path| std::iter::once(path.as_str()).chain(part::files(path)));
        files.map(|file| (param.name.as_str(), file))
    })
}

/// Returns the files granted by the command line: files of parameters are readable, those of
/// `--out` writable, and those in strings both.
pub(super) fn grants<'a>(args: &'a RunArgs, binding: &Binding) -> Grants<'a> {
    let mut read_names: Vec<String> = args.graph.iter().cloned().collect();
    let outs = args.out.iter().chain(&args.view).filter_map(|out| out.split_once('='));
    let mut write_names: Vec<String> = outs.map(|(_, file)| file.to_owned()).collect();
    for origin in &binding.origins {
        match origin {
            Origin::Argument(ArgValue::File { path, .. }) => read_names.push(path.clone()),
            Origin::Argument(ArgValue::Value(Value::Str(text))) => {
                read_names.push(text.clone());
                write_names.push(text.clone());
            }
            Origin::Argument(ArgValue::Value(_) | ArgValue::Vertex(_))
            | Origin::Offer(_)
            | Origin::Unset => {}
        }
    }
    // `FILE#ARRAY` names the file.
    let files = read_names.iter().flat_map(|name| part::files(name).map(str::to_owned));
    let files: Vec<String> = files.collect();
    read_names.extend(files);
    Grants { read: &args.allow_read, write: &args.allow_write, read_names, write_names }
}

/// Returns the forms of tables: those that the plan prefers, sparse only as the command line says.
pub(super) fn table_wishes(
    args: &RunArgs,
    compiled: &Compiled,
    entry: RoutineId,
) -> Result<Vec<TableWish>, Failure> {
    let form = args.options.table_form.as_deref();
    if form == Some("sparse") && !compiled.takes_sparse() {
        let message =
            format!("the backend `{}` does not support sparse tables", args.options.backend);
        let error = Diagnostic::new(Code::Usage, message);
        return Err(error.help("omit `--table-form`, or use `--backend cpu`").into());
    }
    let wish = |wish: TableWish| {
        let sparse = match form {
            Some("dense") => SparseWish::Never,
            Some(_) => SparseWish::Always,
            None => wish.sparse,
        };
        TableWish { sparse, ..wish }
    };
    Ok(compiled.preferences(entry).into_iter().map(wish).collect())
}
