//! The world outside the machine: `print`, `read` and `write` of a running program.

use star_base::{Code, Diagnostic};
use star_compiler::hir::Kind;
use star_io::{FileError, GraphSizes};
use star_ir::Ty;
use star_vm::{Host, HostError, HostRef, HostValue};

use crate::access::Access;
use crate::arg_value;
use crate::data::{self, Expected, FileContents, GivenWidths, LoadRequest, Reading};
use crate::failure::without_file;
use crate::layouts::AnyLayout;
use crate::output::Output;
use crate::part::locate;
use crate::save::{self, Target};
use crate::text;

/// Takes what a program prints.
pub(crate) trait Printer {
    /// Takes a line, line break included; `false` if nobody reads it any more.
    fn print(&mut self, line: &str) -> bool;
}

impl Printer for Output {
    fn print(&mut self, line: &str) -> bool {
        self.write(line)
    }
}

/// Serves a run.
pub(crate) struct RunHost<'a> {
    output: &'a mut dyn Printer,
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
    pub(crate) fn new(
        output: &'a mut dyn Printer,
        access: &'a Access,
        reading: Reading<'a>,
    ) -> Self {
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
        let (layout, widths) = match layout {
            Some(text) => {
                let (layout, widths) = layout_of(text).map_err(without_file)?;
                (Some(layout), widths)
            }
            None => (None, GivenWidths::default()),
        };
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
        let graph = GraphSizes { n_vertices: None, b: widths.b, h: widths.h };
        let expected = Expected { format, graph };
        let FileContents { data, .. } =
            data::read_file(self.reading, &located, max_bytes, expected)?;
        let wanted = LoadRequest { kind, layout: layout.as_ref(), file, max_bytes, widths };
        data::to_value(self.reading, data, wanted)
    }
}

impl Host for RunHost<'_> {
    fn print(&mut self, line: &str) -> Result<(), HostError> {
        match self.output.print(line) {
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
            let kind = match value {
                HostRef::Slice(_) => Kind::Slice,
                HostRef::Word(_) => Kind::Word,
                HostRef::Table(_) => Kind::Table,
            };
            let target = Target::new(&path, file, &|format| save::holds(kind, format))?;
            target.write_bits(value, self.reading.flags)?.commit()
        });
        written.map_err(|error| self.fail(error))
    }
}

/// A layout, and the widths that stand behind that of a graph or of an update stream: `weights-out h=20`,
/// `left b=6`.
fn layout_of(text: &str) -> Result<(AnyLayout, GivenWidths), Diagnostic> {
    let mut words = text.split_whitespace();
    let layout = match words.next().map(AnyLayout::parse) {
        Some(Ok(layout @ (AnyLayout::Graph(_) | AnyLayout::Updates))) => layout,
        // The name of a field may hold blanks.
        Some(Ok(AnyLayout::Numbers(_)) | Err(_)) | None => {
            return Ok((AnyLayout::parse(text)?, GivenWidths::default()));
        }
    };
    let mut widths = GivenWidths::default();
    for word in words {
        let number = |name| arg_value::width(word.strip_prefix(name)?);
        if let Some(h) = number("h=") {
            widths.h = Some(h);
        } else if let Some(b) = number("b=") {
            widths.b = Some(b);
        } else {
            let message = format!("`{}` is no width of `{layout}`", text::one_line(word));
            return Err(Diagnostic::new(Code::NoSuchLayout, message)
                .help(format!("write `{layout} h=20 b=6`, bits of weights and of codes")));
        }
    }
    Ok((layout, widths))
}

#[cfg(test)]
mod tests {
    use super::*;
    use star_io::Layout;

    #[test]
    fn widths_stand_behind_the_layout_of_a_graph() {
        let widths = |h, b| GivenWidths { h, b };
        let graph = |layout, widths| Some((AnyLayout::Graph(layout), widths));
        assert_eq!(layout_of("left").ok(), graph(Layout::Left, widths(None, None)));
        assert_eq!(layout_of(" left  b=6").ok(), graph(Layout::Left, widths(None, Some(6))));
        let updates = Some((AnyLayout::Updates, widths(Some(9), None)));
        assert_eq!(layout_of("updates h=9").ok(), updates);
        assert_eq!(layout_of("arcs h=9 b=6").ok(), graph(Layout::Arcs, widths(Some(9), Some(6))));
        for wrong in ["left 6", "left b=", "left b=-1", "left b=5000", "left h=9,b=6", ""] {
            assert_eq!(layout_of(wrong).unwrap_err().code, Code::NoSuchLayout, "{wrong}");
        }
        let (field, found) = layout_of("field:x b=6").unwrap();
        assert_eq!((field.to_string().as_str(), found), ("field:x b=6", widths(None, None)));
    }
}
