//! The world outside the machine: `print`, `read` and `write` of a running program.

use star_base::Code;
use star_compiler::hir::Kind;
use star_io::FileError;
use star_ir::Ty;
use star_vm::{Host, HostError, HostRef, HostValue};

use crate::access::Access;
use crate::data::{self, Expected, GivenWidths, Reading, Wanted};
use crate::layouts::AnyLayout;
use crate::output::Output;
use crate::part::locate;
use crate::save::Target;

/// Serves a run.
pub(crate) struct RunHost<'a> {
    output: &'a mut Output,
    access: &'a Access,
    reading: Reading<'a>,
    /// Notes and help that belong to the last error, which itself has only one line.
    pub(crate) advice: Advice,
}

/// What a message says beside its line.
#[derive(Debug, Default)]
pub(crate) struct Advice {
    /// Why it is so.
    pub(crate) notes: Vec<String>,
    /// What to do instead.
    pub(crate) help: Vec<String>,
}

impl<'a> RunHost<'a> {
    /// Prints to `output`, touches what `access` allows.
    pub(crate) fn new(output: &'a mut Output, access: &'a Access, reading: Reading<'a>) -> Self {
        RunHost { output, access, reading, advice: Advice::default() }
    }

    fn fail(&mut self, error: FileError) -> HostError {
        let message = error.to_string();
        self.advice = Advice { notes: error.notes, help: error.help };
        HostError { code: error.code, message }
    }

    fn read_value(
        &self,
        file: &str,
        layout: Option<&str>,
        ty: Ty,
        max_bytes: u64,
    ) -> Result<HostValue, FileError> {
        let layout = layout.map(layout_of).transpose()?;
        let kind = match ty {
            Ty::Slice(_) => Kind::Slice,
            Ty::Word(_) => Kind::Word,
            Ty::Table(..) => Kind::Table,
            Ty::Int | Ty::Bool | Ty::Str | Ty::Handle => {
                let message = "only tables, slices and words are read from files";
                return Err(FileError::new(Code::NoSuchLayout, file, message));
            }
        };
        let located = locate(file, |file| self.access.for_reading(file))?;
        let format = layout.as_ref().and_then(AnyLayout::format);
        let expected = Expected { format, ..Expected::default() };
        let data = data::read_file(self.reading, &located, max_bytes, expected)?;
        let widths = GivenWidths::default();
        let wanted = Wanted { kind, layout: layout.as_ref(), file, max_bytes, widths };
        data::to_value(self.reading, data, wanted)
    }
}

impl Host for RunHost<'_> {
    fn print(&mut self, line: &str) -> Result<(), HostError> {
        match self.output.write(line) {
            true => Ok(()),
            false => Err(HostError {
                code: Code::CannotWrite,
                message: "the output cannot be written".to_owned(),
            }),
        }
    }

    fn read(
        &mut self,
        file: &str,
        layout: Option<&str>,
        ty: Ty,
        max_bytes: Option<u64>,
    ) -> Result<HostValue, HostError> {
        let value = self.read_value(file, layout, ty, max_bytes.unwrap_or(u64::MAX));
        value.map_err(|error| self.fail(error))
    }

    fn write(&mut self, file: &str, value: HostRef<'_>) -> Result<(), HostError> {
        let written = self.access.for_writing(file).and_then(|path| {
            Target::new(&path, file)?.write_bits(value, self.reading.flags)?.commit()
        });
        written.map_err(|error| self.fail(error))
    }
}

fn layout_of(name: &str) -> Result<AnyLayout, FileError> {
    AnyLayout::parse(name).map_err(|diagnostic| {
        let mut error = FileError::new(diagnostic.code, "", diagnostic.message);
        error.notes = diagnostic.notes;
        error.help = diagnostic.help;
        error
    })
}
