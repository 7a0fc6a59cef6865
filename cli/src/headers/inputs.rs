//! The values of one case of a header: bound and read as in `star run`, with files relative to the
//! file of the header.

use std::path::Path;

use star::pipeline::Argument;
use star_base::{Code, Diagnostic, Kind, Span};
use star_bind::arg_value::{self, ArgValue};
use star_bind::settings::SETTINGS;
use star_bind::{Binding, Origin, Param, Reading, Signature, UnknownNames, bind, generated, load};
use star_compiler::Entry;
use star_harness::{Case, Header};
use star_io::FileError;
use star_os::access::Access;
use star_os::entry::signature;
use star_os::files::{Beside, Console};
use star_os::flags::Flags;
use star_os::report::Reporter;
use star_value::Value;

use super::test_file::Routine;
use crate::text;

/// The name in a header that corresponds to `--graph` of `star run`, unless a parameter has it.
const GRAPH: &str = "graph";

/// The context of reading.
#[derive(Clone, Copy)]
pub(crate) struct ReadContext<'a> {
    /// The folder of the file with the header.
    pub(crate) folder: &'a Path,
    /// The files that the program may read.
    pub(crate) access: &'a Access,
    /// The flags that request a stop.
    pub(crate) flags: &'a Flags,
    /// Receives the notes and warnings of readers.
    pub(crate) reporter: &'a Reporter,
    /// Maximum total size of the values in bytes.
    pub(crate) max_bytes: u64,
}

/// The values of one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Inputs {
    /// The arguments of the routine in order, followed by one for the result of a function.
    pub(crate) arguments: Vec<Argument>,
    /// Names in the header that are not parameters, with their integers.
    pub(crate) sizes: Vec<(String, i64)>,
}

/// Binds and reads the values of a case.
///
/// # Errors
/// The errors of `star run`, with the position in the header.
pub(crate) fn inputs(
    routine: &Routine,
    header: &Header,
    case: &Case,
    around: ReadContext<'_>,
) -> Result<Inputs, Vec<Diagnostic>> {
    let Bound { signature, mut binding, graph, sizes } = bound(&routine.entry, header, case)?;
    let graph = graph.map(|graph| placed(&graph, around.folder));
    let place = HeaderLocation { header, case };
    let mut arguments = read(&signature, &mut binding, graph.as_deref(), around)
        .map_err(|error| vec![place.of_file(&error)])?;
    if routine.point.result.is_some() {
        arguments.push(Argument::new(Value::Unset, false));
    }
    Ok(Inputs { arguments, sizes })
}

/// The values of a case before files are read.
pub(super) struct Bound {
    signature: Signature,
    binding: Binding,
    /// The graph that the header names.
    graph: Option<String>,
    sizes: Vec<(String, i64)>,
}

/// Binds the values of a case, without reading files.
///
/// # Errors
/// The errors of `star run`, with the position in the header.
pub(super) fn bound(entry: &Entry, header: &Header, case: &Case) -> Result<Bound, Vec<Diagnostic>> {
    let signature = signature(entry).map_err(|fault| vec![fault])?;
    let is_param = |name: &str| signature.params.iter().any(|param| param.name == name);
    let place = HeaderLocation { header, case };
    let mut sizes = Vec::new();
    let mut graph = None;
    let mut texts = Vec::new();
    let mut faults = Vec::new();
    for given in &case.given {
        let name = given.name.as_str();
        if name == GRAPH && !is_param(name) {
            graph = Some(given.text.clone());
            continue;
        }
        if !is_param(name) {
            match case.integer(name) {
                Some(number) => sizes.push((name.to_owned(), number)),
                None if SETTINGS.contains(&name) => {}
                None => faults.push(stranger(&signature, name, given.span)),
            }
        }
        texts.push(format!("{name}={}", given.text));
    }
    match bind(&signature, &texts, graph.is_some(), UnknownNames::Ignored) {
        Ok(binding) if faults.is_empty() => Ok(Bound { signature, binding, graph, sizes }),
        bound => {
            let others = bound.err().unwrap_or_default();
            faults.extend(others.into_iter().map(|fault| place.of(fault)));
            Err(faults)
        }
    }
}

/// Parses a text as a value of the expected kind.
///
/// # Errors
/// The errors of `star run`, with this position.
pub(crate) fn value(
    name: &str,
    kind: Kind,
    text: &str,
    span: Span,
    around: ReadContext<'_>,
) -> Result<Value, Vec<Diagnostic>> {
    let param = Param::value(name, kind);
    let entry = Signature { name: name.to_owned(), params: vec![param] };
    let at = |fault: Diagnostic| fault.label(span, "");
    let arguments = [format!("{name}={text}")];
    let mut binding = bind(&entry, &arguments, false, UnknownNames::Ignored)
        .map_err(|faults| faults.into_iter().map(at).collect::<Vec<_>>())?;
    let read = read(&entry, &mut binding, None, around);
    let mut values = read.map_err(|error| vec![at(error.to_diagnostic())])?;
    Ok(values.pop().map_or(Value::Unset, |argument| argument.value))
}

/// Reads the values of the binding.
fn read(
    entry: &Signature,
    binding: &mut Binding,
    graph: Option<&str>,
    around: ReadContext<'_>,
) -> Result<Vec<Argument>, FileError> {
    for origin in &mut binding.origins {
        match origin {
            Origin::Argument(ArgValue::File { path, .. }) => *path = placed(path, around.folder),
            Origin::Argument(ArgValue::Value(_) | ArgValue::Vertex(_))
            | Origin::Offer(_)
            | Origin::Unset => {}
        }
    }
    let settings = binding.settings.clone();
    let ReadContext { flags, reporter, max_bytes, access, folder: _ } = around;
    let console = Console { flags, reporter };
    let reading = Reading { files: &Beside(access), observer: &console, settings: &settings };
    let binding = Binding {
        origins: std::mem::take(&mut binding.origins),
        widths: binding.widths,
        wishes: binding.wishes.clone(),
        leave: None,
        kept: Vec::new(),
        keeps_arcs: None,
        settings: settings.clone(),
        // A header has separate names.
        unless_stream: Vec::new(),
    };
    load(entry, binding, graph, reading, max_bytes).map(|loaded| loaded.arguments)
}

/// Returns the name of a file or generated data relative to the current folder.
fn placed(name: &str, folder: &Path) -> String {
    let name = name.trim();
    let file = |name: &str| folder.join(name).display().to_string();
    if generated::options(name).is_none() {
        return file(name);
    }
    let mut after_graph = false;
    let words = name.split_whitespace().map(|word| {
        let is_file = std::mem::replace(&mut after_graph, word == "--graph");
        if is_file { file(word) } else { word.to_owned() }
    });
    words.collect::<Vec<String>>().join(" ")
}

/// Returns the command that runs the routine of a header with only these values.
pub(crate) fn command_line(
    file: &str,
    header: &Header,
    routine: &Routine,
    values: &[(String, String)],
    folder: &Path,
) -> String {
    let entry = &routine.entry;
    // A name that looks like an option.
    let file = if file.starts_with('-') { format!("./{file}") } else { file.to_owned() };
    let mut words = vec!["star".to_owned(), "run".to_owned(), text::shell_word(&file)];
    if entry.kind != star_syntax::ast::RoutineKind::Program {
        words.extend(["--proc".to_owned(), text::shell_word(&entry.name)]);
    }
    words.extend(header.options.as_ref().map(|options| options.text.clone()));
    for (name, value) in values {
        let param = entry.params.iter().find(|param| param.name == *name);
        let kind = param.and_then(|param| param.kind.known()).filter(|kind| kind.is_data());
        let value = match kind {
            Some(kind) => file_in(name, value, kind, folder),
            None => value.clone(),
        };
        if param.is_none() && name == GRAPH {
            let graph = text::shell_word(&placed(&value, folder));
            words.extend(["--graph".to_owned(), graph]);
        } else if param.is_some() || matches!(name.as_str(), "scale" | "widths") {
            words.push(text::shell_word(&format!("{name}={value}")));
        }
    }
    words.join(" ")
}

/// Returns a value with its file, if any, relative to the current folder.
fn file_in(name: &str, value: &str, kind: Kind, folder: &Path) -> String {
    match arg_value::parse(name, kind, value) {
        Ok(ArgValue::File { layout: Some(layout), path }) => {
            format!("{layout}:{}", placed(&path, folder))
        }
        Ok(ArgValue::File { layout: None, path }) => placed(&path, folder),
        Ok(ArgValue::Value(_) | ArgValue::Vertex(_)) | Err(_) => value.to_owned(),
    }
}

/// The position of an error: that of the definition that it names, or else that of the header.
struct HeaderLocation<'a> {
    header: &'a Header,
    case: &'a Case,
}

impl HeaderLocation<'_> {
    fn of(&self, fault: Diagnostic) -> Diagnostic {
        let is_named = |name: &str| fault.message.contains(&format!("`{name}`"));
        let mut given = self.case.given.iter();
        let definition = given.find(|given| is_named(&given.name)).map(|given| given.span);
        fault.label(definition.unwrap_or(self.header.span), "")
    }

    /// Locates an error of a file at the definition that names the file.
    fn of_file(&self, error: &FileError) -> Diagnostic {
        let names_it = |text: &str| {
            let path = text.split_once(':').map_or(text, |(_, path)| path);
            let path = path.trim();
            !path.is_empty() && error.file.ends_with(path) && path.parse::<i64>().is_err()
        };
        let mut given = self.case.given.iter();
        let definition = given.find(|given| names_it(&given.text)).map(|given| given.span);
        error.to_diagnostic().label(definition.unwrap_or(self.header.span), "")
    }
}

fn stranger(entry: &Signature, name: &str, span: Span) -> Diagnostic {
    let names = entry.params.iter().map(|param| &param.name);
    let message = format!("`{}` has no parameter `{name}`", entry.name);
    Diagnostic::at(Code::NoSuchParameter, span, message)
        .note(format!("its parameters are {}", text::quoted_list(names)))
        .note("other names in a header are integers, `graph` is a graph")
}
