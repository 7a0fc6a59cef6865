//! Host of a running program: `print`, `read` and `write`.

use star_base::{BitsRef, Code, Diagnostic, text};
use star_bind::{Fields, Kind, Reading, RecordList, ResultForm, Settings, encoding, request};
use star_compiler::describe_trap;
use star_io::{FileError, Graph, OutputRef};
use star_ir::{LimitKind, Program, Trap, TrapKind, Ty};
use star_vm::{Host, HostError, HostValue};

use crate::access::Access;
use crate::file_roles::Writer;
use crate::files::Console;
use crate::output::Output;
use crate::save::Target;

/// Receiver of what a program prints.
pub trait Printer {
    /// Prints a line, including its line break; returns `false` if the reader closed the output.
    fn print(&mut self, line: &str) -> bool;
}

impl Printer for Output {
    fn print(&mut self, line: &str) -> bool {
        self.write(line)
    }
}

/// The host of a run.
pub struct RunHost<'a> {
    output: &'a mut dyn Printer,
    access: &'a Access,
    console: Console<'a>,
    settings: &'a Settings,
    /// Notes and help for the last error, whose message is a single line.
    pub advice: Advice,
    /// The lists that were read as tables.
    pub lists: Vec<RecordList>,
    /// The graph that the arguments come from.
    pub graph: Option<&'a Graph>,
}

/// Additional lines of a message.
#[derive(Debug, Default)]
pub struct Advice {
    /// The causes.
    pub notes: Vec<String>,
    /// The suggested actions.
    pub help: Vec<String>,
}

impl<'a> RunHost<'a> {
    /// Creates a host that prints to `output` and accesses the files that `access` allows.
    pub fn new(
        output: &'a mut dyn Printer,
        access: &'a Access,
        console: Console<'a>,
        settings: &'a Settings,
    ) -> Self {
        let (advice, lists, graph) = (Advice::default(), Vec::new(), None);
        RunHost { output, access, console, settings, advice, lists, graph }
    }

    fn fail(&mut self, error: FileError) -> HostError {
        let message = error.to_string();
        self.advice = Advice { notes: error.notes, help: error.help };
        HostError { code: error.code, message }
    }
}

impl Host for RunHost<'_> {
    fn print(&mut self, line: &str) -> Result<(), HostError> {
        match self.output.print(line) {
            true => Ok(()),
            false => Err(HostError {
                code: Code::CannotWrite,
                message: "cannot write the output".to_owned(),
            }),
        }
    }

    fn name(&self, row: i64) -> Option<String> {
        let graph = self.graph.filter(|graph| graph.names.is_some())?;
        let vertex = usize::try_from(row).ok()?.checked_sub(1)?;
        (vertex < graph.n_vertices).then(|| graph.name(vertex).to_string())
    }

    fn read(
        &mut self,
        file: &str,
        layout: Option<&str>,
        ty: Ty,
        max_bytes: Option<u64>,
    ) -> Result<HostValue, HostError> {
        let reading =
            Reading { files: self.access, observer: &self.console, settings: self.settings };
        let max_bytes = max_bytes.unwrap_or(u64::MAX);
        let read = request::read_value(reading, file, layout, ty, max_bytes);
        let read = read.map_err(|error| self.fail(error))?;
        if let Some(list) = read.list {
            list.join(&mut self.lists);
        }
        Ok(read.value)
    }

    fn write(&mut self, file: &str, value: BitsRef<'_>) -> Result<(), HostError> {
        let written = fields_of(file).and_then(|(fields, file)| {
            let path = self.access.for_writing(file)?;
            if let Some(fields) = fields {
                let target =
                    Target::by(Writer::Program, &path, file, &|format| fields.held_by(format))?;
                let target = target.with(self.settings.formulas);
                let numbers = fields.numbers(value, file)?;
                let numbers = OutputRef::Numbers(&numbers);
                return target.write_data(numbers, self.console.flags)?.0.commit();
            }
            let kind = match value {
                BitsRef::Slice(_) => Kind::Slice,
                BitsRef::Word(_) => Kind::Word,
                BitsRef::Table(_) | BitsRef::Sparse(_) => Kind::Table,
            };
            let target =
                Target::by(Writer::Program, &path, file, &|format| encoding::holds(kind, format))?;
            target.write_bits(value, self.console.flags)?.commit()
        });
        written.map_err(|error| self.fail(error))
    }
}

/// Splits `[FIELDS:]FILE`; refuses the forms of results, which refer to parameters.
fn fields_of(text: &str) -> Result<(Option<Fields>, &str), FileError> {
    match ResultForm::split(text)? {
        (None, file) => Ok((None, file)),
        (Some(ResultForm::Fields(fields)), file) => Ok((Some(fields), file)),
        (Some(_), file) => {
            let form = text[..text.len() - file.len()].trim_end_matches(':');
            let message = format!("`write` has no form `{}`", text::one_line(form));
            let error = FileError::new(Code::NoSuchLayout, file, message)
                .note("the form refers to the parameters of the command line");
            Err(error.help(format!(
                "name the fields and their bits, as in `records x=16 y=16:{file}`; or make the \
                    value a `var` parameter, for `--out`"
            )))
        }
    }
}

/// Describes a trap; a file that exceeds the memory limit is a limit.
pub fn describe_file_trap(trap: &Trap, program: &Program) -> Diagnostic {
    let mut diagnostic = describe_trap(trap, program);
    if matches!(trap.kind, TrapKind::File { code: Code::DoesNotFit, .. }) {
        diagnostic.code = Code::MemoryLimit;
    }
    diagnostic
}

/// Returns the limit if the user or the deadline ended the run while a file was being read or
/// written.
pub fn stopped_in_host(trap: &Trap) -> Option<LimitKind> {
    let TrapKind::File { code, .. } = &trap.kind else { return None };
    let ends = [(Code::Interrupted, LimitKind::Interrupted), (Code::TimeLimit, LimitKind::Time)];
    ends.into_iter().find(|(known, _)| known == code).map(|(_, kind)| kind)
}
