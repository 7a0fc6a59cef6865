//! Result files of a run, written atomically.

use std::io::Write;
use std::path::{Path, PathBuf};

use star_base::{Code, text};
use star_bind::encoding::{self, WriteStyle, writable};
use star_bind::{Encoding, Fields, ResultForm};
use star_io::{Data, Decimal, FileError, Format, OutputRef};
use star_value::{BitTable, BitsRef, Value};

use crate::destination::Destination;
use crate::file_roles::Writer;
use crate::flags::Flags;
use crate::incremental_file::Sheet;
use crate::progress::Progress;
use crate::shared_file::{self, DistributedTable, SharedFile};

/// A file to write: its destination and encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Its encoding.
    pub encoding: Encoding,
    place: Destination,
}

/// A complete file that is not yet at its destination. It is deleted when dropped.
#[derive(Debug)]
pub struct Written(Sheet);

impl Target {
    /// Creates a target at `path`, called `name` in messages; its extension selects the format.
    /// `holds` rejects formats that cannot represent the data.
    ///
    /// # Errors
    /// E0506 if the extension is unknown, E0507 if the format is rejected, E0509 if a check shows
    /// that the file cannot be written.
    pub fn new(
        path: &Path,
        name: &str,
        holds: &dyn Fn(Format) -> Result<(), FileError>,
    ) -> Result<Self, FileError> {
        Target::by(Writer::Command, path, name, holds)
    }

    /// Creates a target of a writer that may replace inputs.
    ///
    /// # Errors
    /// Those of [`Target::new`] and [`Destination::by`]; E0509 if the name is that of standard
    /// output, as `csv:-`, which is not a file.
    pub fn by(
        writer: Writer,
        path: &Path,
        name: &str,
        holds: &dyn Fn(Format) -> Result<(), FileError>,
    ) -> Result<Self, FileError> {
        if Format::of_stream(name).is_some() {
            let message = "only the command line can select standard output for data";
            let error = FileError::new(Code::CannotWrite, name, message);
            return Err(error.help("name a file; or use `--out`, which writes `var` parameters"));
        }
        let encoding = Encoding::new(name, name, holds)?;
        Ok(Target { encoding, place: Destination::by(writer, path, name)? })
    }

    /// The same target in this style.
    #[must_use]
    pub fn with(self, style: WriteStyle) -> Self {
        Target { encoding: self.encoding.with(style), ..self }
    }

    /// The same target; the weights of arcs in CSV files are divided by this scale.
    #[must_use]
    pub fn scaled(self, scale: Option<Decimal>) -> Self {
        Target { encoding: self.encoding.scaled(scale), ..self }
    }

    /// Tests whether `file` would be replaced.
    pub fn replaces(&self, file: &str) -> bool {
        self.place.replaces(file)
    }

    /// Writes the value to a temporary file next to the destination, until a flag is set.
    ///
    /// # Errors
    /// If the format cannot represent the value, the system refuses, or a flag is set.
    pub fn write(self, value: &Value, flags: &Flags) -> Result<Written, FileError> {
        let data = writable(value, &self.encoding.name)?;
        self.write_data(data, flags).map(|(written, _)| written)
    }

    /// Does what [`Target::write`] does, for bits that can be written.
    pub fn write_bits(self, value: BitsRef<'_>, flags: &Flags) -> Result<Written, FileError> {
        self.write_data(OutputRef::Bits(value), flags).map(|(written, _)| written)
    }

    /// Writes data to a temporary file next to the destination, until a flag is set; also returns
    /// the number of bytes.
    ///
    /// # Errors
    /// If the format cannot represent the data, the system refuses, or a flag is set.
    pub fn write_data(
        self,
        output: OutputRef<'_>,
        flags: &Flags,
    ) -> Result<(Written, u64), FileError> {
        self.write_by(flags, &mut |encoding, sheet| write(encoding, output, sheet, flags))
    }

    /// Writes a table as several processes do, each its rows: see [`shared_file::write`]. Returns
    /// the file, in the first process, and the number of bytes that this one wrote; the target if
    /// the processes share no file.
    ///
    /// # Errors
    /// Those of [`shared_file::write`].
    pub fn write_rows(
        self,
        table: DistributedTable<'_>,
        flags: &Flags,
    ) -> Result<Result<(Option<Written>, u64), Self>, FileError> {
        let name = self.encoding.name.clone();
        let Some(file) = shared_file::write(&self.place, &name, table, flags)? else {
            return Ok(Err(self));
        };
        let SharedFile { temporary, n_bytes } = file;
        let written = temporary.map(|file| Written(Sheet::complete(self.place, file)));
        Ok(Ok((written, n_bytes)))
    }

    /// Does what [`Target::write_data`] does, with the data that `write` writes.
    ///
    /// # Errors
    /// If `write` fails, the system refuses, or a flag is set.
    pub fn write_by(
        self,
        flags: &Flags,
        write: &mut dyn FnMut(&Encoding, &mut dyn Write) -> Result<u64, FileError>,
    ) -> Result<(Written, u64), FileError> {
        // An incomplete file is deleted like a dropped `Written`.
        let mut sheet = Sheet::at(self.place, flags)?;
        let n_bytes = write(&self.encoding, &mut sheet)?;
        Ok((Written(sheet), n_bytes))
    }
}

/// Writes bits to `[FIELDS:]FILE`, as the program or a command of a session requests; `path`
/// determines the path of the file.
///
/// # Errors
/// E0507 for another form, the errors of `path`, and those of [`Target::by`] and
/// [`Target::write_data`].
pub fn write_named(
    name: &str,
    value: BitsRef<'_>,
    path: &dyn Fn(&str) -> Result<PathBuf, FileError>,
    style: WriteStyle,
    flags: &Flags,
) -> Result<(), FileError> {
    let (fields, file) = fields_of(name)?;
    let path = path(file)?;
    let Some(fields) = fields else {
        let holds = |format| encoding::holds(value.kind(), format);
        return Target::by(Writer::Program, &path, file, &holds)?
            .write_bits(value, flags)?
            .commit();
    };
    let target = Target::by(Writer::Program, &path, file, &|format| fields.held_by(format))?;
    let numbers = fields.numbers(value, file)?;
    let (written, _) = target.with(style).write_data(OutputRef::Numbers(&numbers), flags)?;
    written.commit()
}

/// Writes data in a form to a file, as a command of a session requests; `path` determines the path
/// of the file.
///
/// # Errors
/// The errors of `path`, and those of [`Target::by`] and [`Target::write_data`].
pub fn write_form(
    form: &ResultForm,
    data: &Data,
    file: &str,
    path: &dyn Fn(&str) -> Result<PathBuf, FileError>,
    flags: &Flags,
) -> Result<(), FileError> {
    let path = path(file)?;
    let target = Target::by(Writer::Program, &path, file, &|format| form.held_by(format))?;
    let (written, _) = target.write_data(data.as_output(), flags)?;
    written.commit()
}

/// Splits `[FIELDS:]FILE`; refuses the forms of results, which refer to parameters.
fn fields_of(name: &str) -> Result<(Option<Fields>, &str), FileError> {
    match ResultForm::split(name)? {
        (None, file) => Ok((None, file)),
        (Some(ResultForm::Fields(fields)), file) => Ok((Some(fields), file)),
        (Some(_), file) => {
            let form = name[..name.len() - file.len()].trim_end_matches(':');
            let message = format!("form `{}` is only for `--out`", text::one_line(form));
            let error = FileError::new(Code::NoSuchLayout, file, message)
                .note("the form refers to the parameters of the command line");
            Err(error.help(format!(
                "name the fields and their bits, as in `records x=16 y=16:{file}`; or make the \
                    value a `var` parameter, for `--out`"
            )))
        }
    }
}

/// Writes data until a flag is set and shows the progress; returns the number of bytes.
///
/// # Errors
/// If the format cannot represent the data, the system refuses, or a flag is set.
pub fn write(
    encoding: &Encoding,
    data: OutputRef<'_>,
    output: &mut dyn Write,
    flags: &Flags,
) -> Result<u64, FileError> {
    let mut progress = Progress::writing(&encoding.name);
    encoding.write(data, output, &|| flags.stop(), &mut |n_bytes| progress.show(n_bytes))
}

/// Writes a table, the next columns of which `next` returns, as [`write()`] does.
///
/// # Errors
/// Those of [`write()`], and the first error of `next`.
pub fn write_columns(
    encoding: &Encoding,
    shape: (usize, usize),
    next: &mut dyn FnMut() -> Result<BitTable, FileError>,
    output: &mut dyn Write,
    flags: &Flags,
) -> Result<u64, FileError> {
    let mut progress = Progress::writing(&encoding.name);
    let progress = &mut |n_bytes| progress.show(n_bytes);
    encoding.write_columns(shape, next, output, &|| flags.stop(), progress)
}

impl Written {
    /// Moves the file to its destination.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn commit(self) -> Result<(), FileError> {
        self.0.commit()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use star_value::BitVector;

    use super::*;

    fn all(_: Format) -> Result<(), FileError> {
        Ok(())
    }

    fn slice() -> Value {
        Value::Slice(BitVector::from_bools(&[true, false]))
    }

    #[test]
    fn file_appears_only_after_commit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.stb");
        let target = || Target::new(&path, "x.stb", &all).unwrap();
        let flags = Flags::default();
        drop(target().write(&slice(), &flags).unwrap());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        target().write(&slice(), &flags).unwrap().commit().unwrap();
        assert!(path.is_file());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        let unset = target().write(&Value::Unset, &flags).unwrap_err();
        assert_eq!(unset.code, Code::CannotWrite);
        flags.interrupt.store(true, std::sync::atomic::Ordering::Relaxed);
        let stopped = target().write(&slice(), &flags).unwrap_err();
        assert_eq!(stopped.code, Code::Interrupted);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn flag_stops_writing_and_keeps_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.mtx");
        fs::write(&path, "old").unwrap();
        let flags = Flags::default();
        flags.deadline.store(true, std::sync::atomic::Ordering::Relaxed);
        let target = || Target::new(&path, "x.mtx", &all).unwrap();
        let late = target().write(&slice(), &flags).unwrap_err();
        assert_eq!(
            (late.code, late.message.as_str()),
            (Code::TimeLimit, "time limit reached while writing")
        );
        flags.interrupt.store(true, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(target().write(&slice(), &flags).unwrap_err().code, Code::Interrupted);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn detects_unwritable_targets_early() {
        let folder = tempfile::tempdir().unwrap();
        let code = |path: &Path, name: &str| Target::new(path, name, &all).unwrap_err().code;
        assert_eq!(code(&folder.path().join("x"), "x"), Code::UnknownFormat);
        assert_eq!(code(&folder.path().join("no/x.stb"), "no/x.stb"), Code::CannotWrite);
        fs::create_dir(folder.path().join("d.stb")).unwrap();
        assert_eq!(code(&folder.path().join("d.stb"), "d.stb"), Code::CannotWrite);
    }

    #[cfg(unix)]
    #[test]
    fn writes_the_target_of_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("a.stb"), folder.path().join("b.stb"));
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let written = Target::new(&link, "b.stb", &all).unwrap().write(&slice(), &Flags::default());
        let written = written.unwrap();
        written.commit().unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_ne!(fs::read(&file).unwrap(), b"old");
    }
}
