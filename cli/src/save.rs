//! Files that a run writes: whole or not at all.

use std::io::{self, Write};
use std::path::Path;

use star_base::{BitTable, BitVector, Code};
use star_io::{FileError, Format, OutputRef, Packing};
use star_vm::{HostRef, HostValue};

use star_compiler::hir::Kind;

use crate::destination::{Destination, Temporary};
use crate::flags::Flags;
use crate::progress::Progress;
use crate::text;

/// What no format holds.
const ONLY_BITS: &str = "only tables, slices and words are written to files";

/// A file to be written: where, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// How it is written.
    pub(crate) encoding: Encoding,
    place: Destination,
}

/// How something is written: in which format, packed or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Encoding {
    /// What is written as messages show it.
    pub(crate) name: String,
    /// The format.
    pub(crate) format: Format,
    packing: Packing,
}

/// A file that is written but not yet in its place. Dropped, it leaves nothing behind.
#[derive(Debug)]
pub(crate) struct Written {
    target: Target,
    temporary: Option<Temporary>,
}

impl Target {
    /// A file at `path`, called `name` in messages; its extension says the format. `holds` refuses the formats
    /// that cannot hold what is going to be written.
    ///
    /// # Errors
    /// E0506 if the extension says none, E0507 if it is refused, E0509 if it can be seen that the file cannot
    /// be written.
    pub(crate) fn new(
        path: &Path,
        name: &str,
        holds: &dyn Fn(Format) -> Result<(), FileError>,
    ) -> Result<Self, FileError> {
        let encoding = Encoding::new(name, name, holds)?;
        Ok(Target { encoding, place: Destination::new(path, name)? })
    }

    /// Are both the same file, however it was named?
    pub(crate) fn is(&self, other: &Target) -> bool {
        self.place.is(&other.place)
    }

    /// Writes the value beside its place, until a flag is set.
    ///
    /// # Errors
    /// If the format does not hold such a value, the system refuses, or a flag is set.
    pub(crate) fn write(self, value: &HostValue, flags: &Flags) -> Result<Written, FileError> {
        let data = writable(value, &self.encoding.name)?;
        self.write_data(data, flags).map(|(written, _)| written)
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
            let n_bytes = self.encoding.write(output, &mut file, flags)?;
            return Ok((Written { target: self, temporary: None }, n_bytes));
        }
        // What is not written to its end goes as `Written` does.
        let mut file = Temporary::new(self.place.temporary()?);
        let n_bytes = self.encoding.write(output, file.as_file_mut(), flags)?;
        Ok((Written { target: self, temporary: Some(file) }, n_bytes))
    }
}

impl Encoding {
    /// The encoding that the extension of `path` says, for something called `name` in messages. `holds`
    /// refuses the formats that cannot hold what is going to be written.
    ///
    /// # Errors
    /// E0506 if the extension says none, E0507 if it is refused.
    pub(crate) fn new(
        path: &str,
        name: &str,
        holds: &dyn Fn(Format) -> Result<(), FileError>,
    ) -> Result<Self, FileError> {
        let refusal = match Format::of_path(path) {
            Some(format) => match holds(format) {
                Ok(()) => {
                    let (packing, _) = Packing::of_path(path);
                    return Ok(Encoding { name: name.to_owned(), format, packing });
                }
                Err(refusal) => FileError { file: name.to_owned(), ..refusal },
            },
            None => {
                let message = "the name does not say the format to write";
                FileError::new(Code::UnknownFormat, name, message)
            }
        };
        let formats = Format::ALL.iter().filter(|format| holds(**format).is_ok());
        let extensions = formats.flat_map(|format| format.extensions());
        let known = text::quoted_list(extensions.map(|extension| format!(".{extension}")));
        if known.is_empty() {
            return Err(refusal);
        }
        Err(refusal.help(format!("it can end in {known}, and in `.gz` behind that")))
    }

    /// Writes data until a flag is set; gives the number of bytes.
    ///
    /// # Errors
    /// If the format does not hold such data, the system refuses, or a flag is set.
    pub(crate) fn write(
        &self,
        value: OutputRef<'_>,
        output: &mut dyn Write,
        flags: &Flags,
    ) -> Result<u64, FileError> {
        let progress = Progress::writing(&self.name);
        let mut watched = Watched { output, flags, progress, n_bytes: 0 };
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

/// Refuses a format that holds no slice, no word or no table. An n × n table is a graph, too.
///
/// # Errors
/// E0507 with what the format holds; E0509 for a kind that no format holds.
pub(crate) fn holds(kind: Kind, format: Format) -> Result<(), FileError> {
    let (bits, square) = (BitVector::zeros(1), BitTable::zeros(1, 1).unwrap_or_default());
    let example = match kind {
        Kind::Slice => OutputRef::Slice(&bits),
        Kind::Word => OutputRef::Word(&bits),
        Kind::Table => OutputRef::Table(&square),
        Kind::Int | Kind::Bool | Kind::Str | Kind::Handle | Kind::Error => {
            return Err(FileError::new(Code::CannotWrite, "", ONLY_BITS));
        }
    };
    star_io::write(format, example, &mut io::sink()).map_err(|refusal| {
        // The example has a size that nobody asked for.
        let FileError { notes, .. } = refusal;
        FileError { notes, ..cannot_hold(&kind.with_article(), format) }
    })
}

/// The error that a format cannot hold something. It names no file.
pub(crate) fn cannot_hold(what: &str, format: Format) -> FileError {
    let message = format!("{what} cannot be written as {}", format.name());
    FileError::new(Code::NoSuchLayout, "", message)
}

/// The value as a writer takes it; `name` is the file in messages.
///
/// # Errors
/// E0509 if it is none that can be written.
pub(crate) fn writable<'v>(value: &'v HostValue, name: &str) -> Result<OutputRef<'v>, FileError> {
    let message = match value.bits() {
        Some(bits) => return Ok(as_output(bits)),
        None if *value == HostValue::Unset => {
            "there is nothing to write: the variable was never set"
        }
        None => ONLY_BITS,
    };
    Err(FileError::new(Code::CannotWrite, name, message))
}

/// What a program writes as a writer takes it.
fn as_output(value: HostRef<'_>) -> OutputRef<'_> {
    match value {
        HostRef::Table(table) => OutputRef::Table(table),
        HostRef::Slice(bits) => OutputRef::Slice(bits),
        HostRef::Word(bits) => OutputRef::Word(bits),
    }
}

/// An output that counts its bytes, shows how many there are, and takes no more once a flag is set.
struct Watched<'a> {
    output: &'a mut dyn Write,
    flags: &'a Flags,
    progress: Progress,
    n_bytes: u64,
}

impl Write for Watched<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.flags.stop().is_some() {
            // `ErrorKind::Interrupted` would mean: try again.
            return Err(io::Error::other("interrupted"));
        }
        // A long piece would keep the flag waiting.
        let n_written = self.output.write(&bytes[..bytes.len().min(1 << 20)])?;
        self.n_bytes += n_written as u64;
        self.progress.show(self.n_bytes);
        Ok(n_written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use star_base::BitVector;

    use super::*;

    fn all(_: Format) -> Result<(), FileError> {
        Ok(())
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

    #[test]
    fn formats_that_can_never_hold_the_value_are_refused_before() {
        let folder = tempfile::tempdir().unwrap();
        let refused = |kind: Kind, name: &str| {
            let target =
                Target::new(&folder.path().join(name), name, &|format| holds(kind, format));
            target.unwrap_err()
        };
        for name in ["q.jpg", "q.tif", "q.tiff", "q.scen", "q.co", "q.updates.gz", "q.ppm"] {
            for kind in [Kind::Table, Kind::Slice, Kind::Word] {
                let error = refused(kind, name);
                assert_eq!(error.code, Code::NoSuchLayout, "{name}");
                assert!(error.to_string().starts_with(&format!("{name}: a ")), "{error}");
                assert!(!error.message.contains('×') && error.help[0].contains("`.stb`"));
            }
        }
        assert!(refused(Kind::Slice, "q.gr").to_string().starts_with("q.gr: a slice cannot be"));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
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
