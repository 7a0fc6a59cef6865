//! Output destination on the command line: a file, or standard output, as `gr:-`.

use std::io::Write;
use std::path::Path;

use star_base::Code;
use star_bind::Encoding;
use star_bind::encoding::WriteStyle;
use star_io::{Decimal, FileError, Format, OutputRef};

use star_os::file_roles::Writer;
use star_os::flags::Flags;
use star_os::output::Output;
use star_os::save::{self, Target, Written};
use star_os::shared_file::DistributedTable;
use star_value::BitTable;

/// A file, or standard output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outlet {
    /// A file, written atomically.
    File(Target),
    /// Standard output, written incrementally.
    Stdout(Encoding),
}

impl Outlet {
    /// Parses `FILE`, whose extension selects the format, or `EXTENSION:-`. `holds` rejects formats
    /// that cannot represent the data.
    ///
    /// # Errors
    /// E0506 if the format is unknown, E0507 if it is rejected, E0509 if a check shows that the
    /// file cannot be written.
    pub(crate) fn new(
        text: &str,
        holds: &dyn Fn(Format) -> Result<(), FileError>,
    ) -> Result<Self, FileError> {
        Outlet::by(Writer::Command, text, holds)
    }

    /// Parses the destination of a writer that may replace inputs.
    ///
    /// # Errors
    /// Those of [`Outlet::new`].
    pub(crate) fn by(
        writer: Writer,
        text: &str,
        holds: &dyn Fn(Format) -> Result<(), FileError>,
    ) -> Result<Self, FileError> {
        let outlet = match Format::of_stream(text) {
            Some(_) => Encoding::new(text, text, holds).map(Outlet::Stdout),
            None => Target::by(writer, Path::new(text), text, holds).map(Outlet::File),
        };
        outlet.map_err(|error| match error.code == Code::UnknownFormat {
            true => {
                let mut formats = [Format::Dimacs].iter().chain(Format::ALL.iter());
                let format = formats.find(|format| holds(**format).is_ok());
                let extension = format.and_then(|format| format.extensions().first());
                let example = extension.unwrap_or(&"gr");
                error.help(format!("use an extension and `:-` for standard output: `{example}:-`"))
            }
            false => error,
        })
    }

    /// The same destination in this style.
    pub(crate) fn with(self, style: WriteStyle) -> Self {
        match self {
            Outlet::File(target) => Outlet::File(target.with(style)),
            Outlet::Stdout(encoding) => Outlet::Stdout(encoding.with(style)),
        }
    }

    /// The same destination; the weights of arcs in CSV files are divided by this scale.
    pub(crate) fn scaled(self, scale: Option<Decimal>) -> Self {
        match self {
            Outlet::File(target) => Outlet::File(target.scaled(scale)),
            Outlet::Stdout(encoding) => Outlet::Stdout(encoding.scaled(scale)),
        }
    }

    /// Tests whether the destination is standard output.
    pub(crate) fn is_stdout(&self) -> bool {
        matches!(self, Outlet::Stdout(_))
    }

    /// Tests whether `file` would be replaced.
    pub(crate) fn replaces(&self, file: &str) -> bool {
        match self {
            Outlet::File(target) => target.replaces(file),
            Outlet::Stdout(_) => false,
        }
    }

    /// Returns the name given by the user.
    pub(crate) fn name(&self) -> &str {
        &self.encoding().name
    }

    /// Returns the format.
    pub(crate) fn format(&self) -> Format {
        self.encoding().format
    }

    /// Tests whether the format takes a table by ranges of columns.
    pub(crate) fn takes_columns(&self) -> bool {
        self.encoding().takes_columns()
    }

    fn encoding(&self) -> &Encoding {
        match self {
            Outlet::File(target) => &target.encoding,
            Outlet::Stdout(encoding) => encoding,
        }
    }

    /// Writes data until a flag is set, to a temporary file next to the destination; also returns
    /// the number of bytes. Failures of standard output are reported when the command ends.
    ///
    /// # Errors
    /// If the format cannot represent the data, the system refuses, or a flag is set.
    pub(crate) fn write(
        self,
        data: OutputRef<'_>,
        flags: &Flags,
        output: &mut Output,
    ) -> Result<(Option<Written>, u64), FileError> {
        self.write_by(flags, output, &mut |encoding, sink| save::write(encoding, data, sink, flags))
    }

    /// Writes a table as several processes do, each its rows: see [`Target::write_rows`]. Returns
    /// the destination if that is impossible.
    ///
    /// # Errors
    /// Those of [`Target::write_rows`].
    pub(crate) fn write_rows(
        self,
        table: DistributedTable<'_>,
        flags: &Flags,
    ) -> Result<Result<(Option<Written>, u64), Self>, FileError> {
        match self {
            Outlet::File(target) if target.encoding.takes_rows() => {
                let written = target.write_rows(table, flags)?;
                Ok(written.map_err(Outlet::File))
            }
            other => Ok(Err(other)),
        }
    }

    /// Writes a table as [`Outlet::write`] does; `next` returns its next columns.
    ///
    /// # Errors
    /// Those of [`Outlet::write`], and the first error of `next`.
    pub(crate) fn write_columns(
        self,
        shape: (usize, usize),
        next: &mut dyn FnMut() -> Result<BitTable, FileError>,
        flags: &Flags,
        output: &mut Output,
    ) -> Result<(Option<Written>, u64), FileError> {
        self.write_by(flags, output, &mut |encoding, sink| {
            save::write_columns(encoding, shape, next, sink, flags)
        })
    }

    fn write_by(
        self,
        flags: &Flags,
        output: &mut Output,
        write: &mut dyn FnMut(&Encoding, &mut dyn Write) -> Result<u64, FileError>,
    ) -> Result<(Option<Written>, u64), FileError> {
        match self {
            Outlet::File(target) => {
                let (written, n_bytes) = target.write_by(flags, write)?;
                Ok((Some(written), n_bytes))
            }
            Outlet::Stdout(encoding) if output.is_closed() => {
                let message = "cannot write: standard output is closed";
                Err(FileError::new(Code::CannotWrite, encoding.name, message))
            }
            Outlet::Stdout(encoding) => match write(&encoding, output) {
                Err(_) if output.failed() => Ok((None, 0)),
                written => Ok((None, written?)),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(_: Format) -> Result<(), FileError> {
        Ok(())
    }

    #[test]
    fn a_dash_after_an_extension_is_standard_output() {
        let stdout = Outlet::new("gr:-", &all).unwrap();
        assert_eq!(
            (stdout.is_stdout(), stdout.format(), stdout.name()),
            (true, Format::Dimacs, "gr:-")
        );
        assert!(Outlet::new("csv.gz:-", &all).unwrap().is_stdout());
        for wrong in ["-", ":-", "x:-", "gz:-", "./gr:-"] {
            let error = Outlet::new(wrong, &all).unwrap_err();
            assert_eq!(error.code, Code::UnknownFormat, "{wrong}");
            assert!(error.help.iter().any(|help| help.contains("`gr:-`")), "{error:?}");
        }
    }

    #[test]
    fn data_and_printed_text_share_standard_output() {
        let mut output = Output::kept();
        output.write("before\n");
        let table = BitTable::parse(&["01", "00"]).unwrap();
        let stdout = Outlet::new("gr:-", &all).unwrap();
        let data = OutputRef::Bits((&table).into());
        let (file, n_bytes) = stdout.write(data, &Flags::default(), &mut output).unwrap();
        let text = output.into_text();
        assert!(file.is_none() && text.ends_with("a 1 2 1\n"), "{text}");
        assert_eq!(text.len() as u64, n_bytes + 7);
    }
}
