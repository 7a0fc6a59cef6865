//! Host of a running program: `print`, `read` and `write`.

use star_base::Code;
use star_bind::{Reading, RecordList, Settings, request};
use star_io::{FileError, Graph};
use star_ir::Ty;
use star_value::{BitsRef, Value};
use star_vm::{Checkpoints, Host, HostError};

use crate::access::Access;
use crate::checkpoint::CheckpointFolder;
use crate::files::Console;
use crate::output::Output;
use crate::save;

/// Receiver of what a program prints.
pub trait Printer {
    /// Prints a line, including its line break; returns `false` if the reader closed the output.
    fn print(&mut self, line: &str) -> bool;

    /// Passes on what was printed; returns `false` if that is impossible.
    fn flush(&mut self) -> bool {
        true
    }
}

impl Printer for Output {
    fn print(&mut self, line: &str) -> bool {
        self.write(line)
    }

    fn flush(&mut self) -> bool {
        Output::flush(self)
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
    /// The checkpoints of the run.
    pub checkpoints: Option<CheckpointFolder>,
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
        let (advice, lists) = (Advice::default(), Vec::new());
        let (graph, checkpoints) = (None, None);
        RunHost { output, access, console, settings, advice, lists, graph, checkpoints }
    }

    fn fail(&mut self, error: FileError) -> HostError {
        let message = error.to_string();
        self.advice = Advice { notes: error.notes, help: error.help };
        HostError { code: error.code, message }
    }
}

impl Host for RunHost<'_> {
    fn print(&mut self, line: &str) -> Result<(), HostError> {
        if let Some(checkpoints) = &mut self.checkpoints {
            checkpoints.printed += line.len() as u64;
        }
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
    ) -> Result<Value, HostError> {
        let reading =
            Reading { files: self.access, observer: &self.console, settings: self.settings };
        let max_bytes = max_bytes.unwrap_or(u64::MAX);
        let read = request::read_value(reading, file, layout, ty.kind(), max_bytes);
        let read = read.map_err(|error| self.fail(error))?;
        if let Some(list) = read.list {
            list.join(&mut self.lists);
        }
        Ok(read.value)
    }

    fn write(&mut self, file: &str, value: BitsRef<'_>) -> Result<(), HostError> {
        let path = |file: &str| self.access.for_writing(file);
        let written =
            save::write_named(file, value, &path, self.settings.write_style(), self.console.flags);
        written.map_err(|error| self.fail(error))
    }

    fn checkpoints(&mut self) -> Option<&mut dyn Checkpoints> {
        let checkpoints = self.checkpoints.as_mut()?;
        // A failure is found by the next line, or at the end.
        self.output.flush();
        Some(checkpoints)
    }
}
