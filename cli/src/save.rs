//! Files that a run writes: whole or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use star_base::{BitTable, BitVector, Code};
use star_io::{FileError, Format, OutputRef, Packing};
use star_vm::{HostRef, HostValue};

use star_compiler::hir::Kind;

use crate::flags::Flags;
use crate::place::{Place, Temporary};
use crate::text;

/// A file to be written: where, in which format, packed or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// The file as messages show it.
    pub(crate) name: String,
    place: Place,
    format: Format,
    packing: Packing,
}

/// A file that is written but not yet in its place. Dropped, it leaves nothing behind.
#[derive(Debug)]
pub(crate) struct Written {
    target: Target,
    temporary: Option<Temporary>,
}

impl Target {
    /// A file at `path`, called `name` in messages; its extension says the format. `holds` says which formats
    /// can hold what is going to be written.
    ///
    /// # Errors
    /// E0506 if the extension says none, E0509 if it can be seen that the file cannot be written.
    pub(crate) fn new(
        path: &Path,
        name: &str,
        holds: &dyn Fn(Format) -> bool,
    ) -> Result<Self, FileError> {
        let Some(format) = Format::of_path(name) else {
            let formats = Format::ALL.iter().filter(|format| holds(**format));
            let extensions = formats.flat_map(|format| format.extensions());
            let known = text::quoted_list(extensions.map(|extension| format!(".{extension}")));
            let message = "the name does not say the format to write";
            let error = FileError::new(Code::UnknownFormat, name, message);
            return Err(error.help(format!("it can end in {known}, and in `.gz` behind that")));
        };
        let place = Place::new(path, name)?;
        let (packing, _) = Packing::of_path(name);
        Ok(Target { name: name.to_owned(), place, format, packing })
    }

    /// Are both the same file, however it was named?
    pub(crate) fn is(&self, other: &Target) -> bool {
        self.place.is(&other.place)
    }

    /// The format of the file.
    pub(crate) fn format(&self) -> Format {
        self.format
    }

    /// Writes the value beside its place, until a flag is set.
    ///
    /// # Errors
    /// If the format does not hold such a value, the system refuses, or a flag is set.
    pub(crate) fn write(self, value: &HostValue, flags: &Flags) -> Result<Written, FileError> {
        let message = match value.bits() {
            Some(bits) => return self.write_bits(bits, flags),
            None if *value == HostValue::Unset => {
                "there is nothing to write: the variable was never set"
            }
            None => "only tables, slices and words are written to files",
        };
        Err(FileError::new(Code::CannotWrite, self.name, message))
    }

    /// As [`Target::write`], for what can be written.
    pub(crate) fn write_bits(
        self,
        value: HostRef<'_>,
        flags: &Flags,
    ) -> Result<Written, FileError> {
        self.write_data(as_output(value), flags).map(|(written, _)| written)
    }

    /// Writes data beside their place, until a flag is set; gives the number of bytes, too.
    ///
    /// # Errors
    /// If the format does not hold such data, the system refuses, or a flag is set.
    pub(crate) fn write_data(
        self,
        output: OutputRef<'_>,
        flags: &Flags,
    ) -> Result<(Written, u64), FileError> {
        if !self.place.is_regular() {
            let mut file = self.place.open()?;
            let n_bytes = self.write_to(output, &mut file, flags)?;
            return Ok((Written { target: self, temporary: None }, n_bytes));
        }
        // What is not written to its end goes as `Written` does.
        let mut file = Temporary::new(self.place.temporary()?);
        let n_bytes = self.write_to(output, file.as_file_mut(), flags)?;
        Ok((Written { target: self, temporary: Some(file) }, n_bytes))
    }

    fn write_to(
        &self,
        value: OutputRef<'_>,
        file: &mut fs::File,
        flags: &Flags,
    ) -> Result<u64, FileError> {
        let mut watched = Watched { file, flags, n_bytes: 0 };
        let go_on = &mut || flags.stop().is_none();
        match star_io::write_packed(self.format, self.packing, value, &mut watched, go_on) {
            Ok(()) => Ok(watched.n_bytes),
            Err(mut error) => Err(match flags.stop() {
                Some(Code::TimeLimit) => {
                    FileError::new(Code::TimeLimit, &self.name, "the time is up while writing")
                }
                Some(code) => FileError::new(code, &self.name, "interrupted while writing"),
                None => {
                    error.file.clone_from(&self.name);
                    error
                }
            }),
        }
    }
}

impl Written {
    /// Puts the file in its place.
    ///
    /// # Errors
    /// If the system refuses.
    pub(crate) fn commit(self) -> Result<(), FileError> {
        let Written { target, temporary } = self;
        match temporary {
            None => Ok(()),
            Some(temporary) => target.place.put(temporary.into_path()),
        }
    }
}

/// Does the format hold some slice, some word or some table? An n × n table is a graph, too.
pub(crate) fn holds(kind: Kind, format: Format) -> bool {
    let (bits, square) = (BitVector::zeros(1), BitTable::zeros(1, 1).unwrap_or_default());
    let example = match kind {
        Kind::Slice => OutputRef::Slice(&bits),
        Kind::Word => OutputRef::Word(&bits),
        Kind::Table => OutputRef::Table(&square),
        Kind::Int | Kind::Bool | Kind::Str | Kind::Handle | Kind::Error => return false,
    };
    star_io::write(format, example, &mut io::sink()).is_ok()
}

/// What a program writes as a writer takes it.
fn as_output(value: HostRef<'_>) -> OutputRef<'_> {
    match value {
        HostRef::Table(table) => OutputRef::Table(table),
        HostRef::Slice(bits) => OutputRef::Slice(bits),
        HostRef::Word(bits) => OutputRef::Word(bits),
    }
}

/// A file that counts its bytes and takes no more once a flag is set.
struct Watched<'a> {
    file: &'a mut fs::File,
    flags: &'a Flags,
    n_bytes: u64,
}

impl Write for Watched<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.flags.stop().is_some() {
            // `ErrorKind::Interrupted` would mean: try again.
            return Err(io::Error::other("interrupted"));
        }
        // A long piece would keep the flag waiting.
        let n_written = self.file.write(&bytes[..bytes.len().min(1 << 20)])?;
        self.n_bytes += n_written as u64;
        Ok(n_written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use star_base::BitVector;

    use super::*;

    fn all(_: Format) -> bool {
        true
    }

    fn slice() -> HostValue {
        HostValue::Slice(BitVector::from_bools(&[true, false]))
    }

    #[test]
    fn a_file_appears_only_when_it_is_committed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.stb");
        let target = || Target::new(&path, "x.stb", &all).unwrap();
        let flags = Flags::default();
        drop(target().write(&slice(), &flags).unwrap());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        target().write(&slice(), &flags).unwrap().commit().unwrap();
        assert!(path.is_file());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        let unset = target().write(&HostValue::Unset, &flags).unwrap_err();
        assert_eq!(unset.code, Code::CannotWrite);
        flags.interrupt.store(true, std::sync::atomic::Ordering::Relaxed);
        let stopped = target().write(&slice(), &flags).unwrap_err();
        assert_eq!(stopped.code, Code::Interrupted);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_flag_ends_the_writing_and_leaves_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.mtx");
        fs::write(&path, "old").unwrap();
        let flags = Flags::default();
        flags.deadline.store(true, std::sync::atomic::Ordering::Relaxed);
        let target = || Target::new(&path, "x.mtx", &all).unwrap();
        let late = target().write(&slice(), &flags).unwrap_err();
        assert_eq!(
            (late.code, late.message.as_str()),
            (Code::TimeLimit, "the time is up while writing")
        );
        flags.interrupt.store(true, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(target().write(&slice(), &flags).unwrap_err().code, Code::Interrupted);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn targets_that_cannot_be_written_are_seen_before() {
        let folder = tempfile::tempdir().unwrap();
        let code = |path: &Path, name: &str| Target::new(path, name, &all).unwrap_err().code;
        assert_eq!(code(&folder.path().join("x"), "x"), Code::UnknownFormat);
        assert_eq!(code(&folder.path().join("no/x.stb"), "no/x.stb"), Code::CannotWrite);
        fs::create_dir(folder.path().join("d.stb")).unwrap();
        assert_eq!(code(&folder.path().join("d.stb"), "d.stb"), Code::CannotWrite);
    }

    #[test]
    fn a_name_without_a_format_is_told_those_that_can_be_written() {
        let help = |kind: Kind| {
            let error = Target::new(Path::new("x"), "x", &|format| holds(kind, format));
            error.unwrap_err().help.join(" ")
        };
        let (table, slice) = (help(Kind::Table), help(Kind::Slice));
        for can in ["`.mtx`", "`.gr`", "`.graph`", "`.stb`", "`.txt`"] {
            assert!(table.contains(can), "{can}: {table}");
        }
        for cannot in ["`.jpg`", "`.co`", "`.tiff`", "`.scen`", "`.ppm`", "`.updates`"] {
            assert!(!table.contains(cannot) && !slice.contains(cannot), "{table} {slice}");
        }
        assert!(slice.contains("`.stb`") && !slice.contains("`.gr`"), "{slice}");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_and_its_file_is_written() {
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
