//! Roles of the files of a command: no output replaces an input, and no two outputs share a file.
//! Two names denote one file if device and inode agree, or else the paths without links.
//!
//! The record is that of the process. All entries of a session, and all tests of a command, share
//! it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use star_base::{Code, text};
use star_io::FileError;

/// Maximum number of links in a chain to a file that does not exist.
const MAX_LINKS: usize = 40;

const SHARED: &str = "two outputs must not share a file";

/// The record of this process.
static RECORD: OnceLock<Mutex<Record>> = OnceLock::new();

/// The use of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// The text of a program.
    Source,
    /// Anything else.
    Data,
}

/// The writer of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writer {
    /// An option or argument of the command; it replaces neither inputs nor other outputs.
    Command,
    /// An option that writes a result to the file from which the user read it.
    Update,
    /// The running program, which may write a file repeatedly and read it meanwhile.
    Program,
    /// A session or a formatter, which replaces any file that the user names.
    User,
}

/// A regular file, or one that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity {
    /// The path without links.
    path: PathBuf,
    /// Device and inode of an existing file.
    inode: Option<(u64, u64)>,
}

#[derive(Debug, Default)]
struct Record {
    inputs: BTreeMap<Identity, (Input, String)>,
    outputs: Vec<(Identity, Writer, String)>,
    /// The paths of files that the program wrote.
    written: BTreeSet<PathBuf>,
}

/// Starts the record of the process, whose standard output is its first output.
pub fn begin() {
    let record = RECORD.get_or_init(Mutex::default);
    if let Some(stdout) = Identity::of(Path::new("/dev/stdout")) {
        let mut record = record.lock().unwrap_or_else(PoisonError::into_inner);
        record.outputs.push((stdout, Writer::Command, "standard output".to_owned()));
    }
}

/// Records a file that the command reads, called `name` in messages.
///
/// # Errors
/// E0509 if an output of the command would replace it.
pub fn read(path: &Path, name: &str, input: Input) -> Result<(), FileError> {
    in_record(path, |record, identity| record.read(identity, name, input))
}

/// Records a file that the command writes, called `name` in messages.
///
/// # Errors
/// E0509 if it would replace an input, or another output has the same file.
pub fn write(path: &Path, name: &str, writer: Writer) -> Result<(), FileError> {
    in_record(path, |record, identity| record.write(identity, name, writer))
}

/// Tests, immediately before a recorded output is written, whether it replaces an input.
///
/// # Errors
/// E0509 if so.
pub fn check(path: &Path, name: &str, writer: Writer) -> Result<(), FileError> {
    in_record(path, |record, identity| record.check(&identity, name, writer))
}

/// Records that a file was written, after the fact. A program may replace its own files.
pub fn wrote(path: &Path, writer: Writer) {
    let Some(record) = RECORD.get().filter(|_| writer == Writer::Program) else { return };
    let mut record = record.lock().unwrap_or_else(PoisonError::into_inner);
    record.written.insert(resolved(path));
}

fn in_record(
    path: &Path,
    act: impl FnOnce(&mut Record, Identity) -> Result<(), FileError>,
) -> Result<(), FileError> {
    match (RECORD.get(), Identity::of(path)) {
        (Some(record), Some(identity)) => {
            act(&mut record.lock().unwrap_or_else(PoisonError::into_inner), identity)
        }
        (None, _) | (_, None) => Ok(()),
    }
}

impl Record {
    fn read(&mut self, identity: Identity, name: &str, input: Input) -> Result<(), FileError> {
        let replaced = |(output, writer, _): &&(Identity, Writer, String)| {
            output.is(&identity) && writer.spares(input)
        };
        if let Some((.., output)) = self.outputs.iter().find(replaced) {
            return Err(replaces_input(output, name));
        }
        let (known, _) = self.inputs.entry(identity).or_insert_with(|| (input, name.to_owned()));
        if input == Input::Source {
            // A program that is also read as data remains a program.
            *known = input;
        }
        Ok(())
    }

    fn write(&mut self, identity: Identity, name: &str, writer: Writer) -> Result<(), FileError> {
        self.check(&identity, name, writer)?;
        if writer == Writer::User {
            return Ok(());
        }
        if let Some((.., other)) = self.outputs.iter().find(|(output, ..)| output.is(&identity)) {
            let message = match other == name {
                true => SHARED.to_owned(),
                false => format!("{SHARED}: `{}` is the same", text::one_line(other)),
            };
            let error = FileError::new(Code::CannotWrite, name, message);
            return Err(error.help("give each output another file"));
        }
        if writer != Writer::Program {
            self.outputs.push((identity, writer, name.to_owned()));
        }
        Ok(())
    }

    fn check(&self, identity: &Identity, name: &str, writer: Writer) -> Result<(), FileError> {
        if writer == Writer::Program && self.written.contains(&identity.path) {
            return Ok(());
        }
        let replaced = self
            .inputs
            .iter()
            .find(|(read, (input, _))| read.is(identity) && writer.spares(*input));
        match replaced {
            Some((_, (_, input))) => Err(replaces_input(name, input)),
            None => Ok(()),
        }
    }
}

impl Writer {
    /// Tests whether the writer must not replace such an input.
    fn spares(self, input: Input) -> bool {
        match (self, input) {
            (Writer::Command | Writer::Program, Input::Source | Input::Data)
            | (Writer::Update, Input::Source) => true,
            (Writer::Update, Input::Data) | (Writer::User, Input::Source | Input::Data) => false,
        }
    }
}

impl Identity {
    /// Returns the identity of a file; `None` for directories, pipes and devices.
    pub fn of(path: &Path) -> Option<Identity> {
        let path = resolved(path);
        match fs::metadata(&path) {
            Ok(metadata) if metadata.is_file() => Some(Identity { inode: inode(&metadata), path }),
            Ok(_) => None,
            Err(_) => Some(Identity { path, inode: None }),
        }
    }

    /// Tests whether both are one file.
    pub fn is(&self, other: &Identity) -> bool {
        self.path == other.path || self.inode.is_some() && self.inode == other.inode
    }
}

#[cfg(unix)]
fn inode(metadata: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> Option<(u64, u64)> {
    None
}

/// Resolves links, even those to a file that does not exist.
pub fn resolved(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            Some(_) | None => Path::new("."),
        };
        path = match (fs::canonicalize(&path), fs::read_link(&path)) {
            (Ok(canonical), _) => return canonical,
            (Err(_), Ok(target)) => folder.join(target),
            (Err(_), Err(_)) => {
                return match (fs::canonicalize(folder), path.file_name()) {
                    (Ok(folder), Some(last)) => folder.join(last),
                    _ => path,
                };
            }
        };
    }
    path
}

fn replaces_input(output: &str, input: &str) -> FileError {
    let message = match output == input {
        true => "the command reads this file, and the output would replace it".to_owned(),
        false => format!(
            "the command reads this file, as `{}`, and the output would replace it",
            text::one_line(input)
        ),
    };
    FileError::new(Code::CannotWrite, output, message).help("write the result to another file")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(record: &mut Record, steps: &[(&str, Option<Writer>, Input)]) -> Vec<Option<Code>> {
        let one = |(path, writer, input): &(&str, Option<Writer>, Input)| {
            let identity = Identity::of(Path::new(path)).unwrap();
            let done = match writer {
                Some(writer) => record.write(identity, path, *writer),
                None => record.read(identity, path, *input),
            };
            done.err().map(|error| error.code)
        };
        steps.iter().map(one).collect()
    }

    #[test]
    fn writers_spare_inputs_and_other_outputs() {
        let folder = tempfile::tempdir().unwrap();
        let name = |name: &str| folder.path().join(name).display().to_string();
        let (a, new) = (name("a"), name("new"));
        fs::write(&a, "").unwrap();
        let inputs = [Input::Source, Input::Data];
        for (writer, spared) in [
            (Writer::Command, [true, true]),
            (Writer::Update, [true, false]),
            (Writer::Program, [true, true]),
            (Writer::User, [false, false]),
        ] {
            for (input, spared) in inputs.into_iter().zip(spared) {
                let refused = spared.then_some(Code::CannotWrite);
                let steps = [(&*a, None, input), (&*a, Some(writer), input)];
                assert_eq!(codes(&mut Record::default(), &steps), [None, refused], "{writer:?}");
                let steps = [(&*a, Some(writer), input), (&*a, None, input)];
                let refused = refused.filter(|_| writer != Writer::Program);
                assert_eq!(codes(&mut Record::default(), &steps), [None, refused], "{writer:?}");
            }
        }
        let (option, input) = (Some(Writer::Command), Input::Data);
        let twice = [(&*new, option, input), (&*new, option, input)];
        assert_eq!(codes(&mut Record::default(), &twice), [None, Some(Code::CannotWrite)]);
        let twice = [Some(Writer::Program); 2].map(|writer| (&*new, writer, input));
        assert_eq!(codes(&mut Record::default(), &twice), [None, None]);
        let mixed = [(&*new, option, input), (&*new, Some(Writer::Program), input)];
        assert_eq!(codes(&mut Record::default(), &mixed), [None, Some(Code::CannotWrite)]);
    }

    #[test]
    fn programs_replace_only_their_own_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let identity = || Identity::of(&path).unwrap();
        let mut record = Record::default();
        record.write(identity(), "a", Writer::Program).unwrap();
        fs::write(&path, "").unwrap();
        record.written.insert(resolved(&path));
        record.read(identity(), "a", Input::Data).unwrap();
        assert!(record.write(identity(), "a", Writer::Program).is_ok());
        assert!(record.write(identity(), "a", Writer::Command).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_denote_their_targets() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a"), "").unwrap();
        fs::hard_link(at("a"), at("hard")).unwrap();
        symlink("a", at("soft")).unwrap();
        symlink("soft", at("softer")).unwrap();
        symlink("new", at("dangling")).unwrap();
        symlink("loop", at("loop")).unwrap();
        let same = |one: &str, other: &str| {
            Identity::of(&at(one)).unwrap().is(&Identity::of(&at(other)).unwrap())
        };
        assert!(["hard", "soft", "softer"].into_iter().all(|name| same("a", name)));
        assert!(same("dangling", "new") && !same("dangling", "a"));
        assert_eq!(resolved(&at("dangling")).file_name().unwrap(), "new");
        assert!(!same("loop", "a"));
        assert_eq!(Identity::of(folder.path()), None);
        assert_eq!(Identity::of(Path::new("/dev/null")), None);
    }
}
