//! Checkpoints in a folder: `checkpoint.json` names the folder `state-N` that holds a file for each
//! rank.
//!
//! Note [Commit]. All ranks write their files into a new folder and wait until the system has
//! stored them. Then rank 0 replaces `checkpoint.json` by one that names this folder, and removes
//! the others. Whenever the process is killed, `checkpoint.json` therefore names a complete state.

mod digest;
mod manifest;
mod part;
mod timer;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use star_base::{Code, Diagnostic, text};
use star_io::FileError;
use star_value::{BitsRef, Value};
use star_vm::{Checkpoints, HostError, RunIdentity};

use crate::failure::no_thread;
use crate::flags::Flags;
use crate::report::Reporter;
pub use digest::{of_file, of_value};
use manifest::Manifest;
use part::{PartReader, PartWriter};
use timer::Timer;

/// The folders of checkpoints of a run.
pub struct CheckpointFolder {
    flags: Flags,
    reporter: Reporter,
    /// The folder that is written, and the least time between two checkpoints.
    to: Option<(PathBuf, Duration)>,
    from: Option<PathBuf>,
    /// The digests of the arguments, by their names.
    arguments: BTreeMap<String, u64>,
    due: Arc<AtomicBool>,
    timer: Option<Timer>,
    run: Option<RunIdentity>,
    /// The number of the last checkpoint in the folder that is written, complete or not.
    number: u64,
    writing: Option<PartWriter>,
    reading: Option<PartReader>,
    /// Number of bytes that the program has printed.
    pub printed: u64,
    /// The reason for which the run does not continue.
    pub refused: Option<Diagnostic>,
    is_resumed: bool,
}

impl CheckpointFolder {
    /// Prepares to write checkpoints to a folder at most once in a time, and to continue from the
    /// one in another, or the same, folder.
    ///
    /// # Errors
    /// E0509 if no files can be created in the first folder, L0108 if the system refuses the thread
    /// of the clock.
    pub fn new(
        to: Option<(&Path, Duration)>,
        from: Option<&Path>,
        flags: &Flags,
        reporter: &Reporter,
    ) -> Result<Self, Diagnostic> {
        let due = Arc::new(AtomicBool::new(false));
        let mut timer = None;
        let mut number = 0;
        if let Some((folder, every)) = to {
            probe(folder).map_err(|error| error.to_diagnostic())?;
            // A folder that a killed run has left is not used again.
            number = states(folder).into_iter().map(|(number, _)| number).max().unwrap_or(0);
            if every.is_zero() {
                due.store(true, Ordering::Relaxed);
            } else {
                let started = Timer::start(Arc::clone(&due), every);
                timer = Some(started.map_err(|error| no_thread("--checkpoint", &error))?);
            }
        }
        Ok(CheckpointFolder {
            flags: flags.clone(),
            reporter: *reporter,
            to: to.map(|(folder, every)| (folder.to_owned(), every)),
            from: from.map(Path::to_owned),
            arguments: BTreeMap::new(),
            due,
            timer,
            run: None,
            number,
            writing: None,
            reading: None,
            printed: 0,
            refused: None,
            is_resumed: false,
        })
    }

    /// Notes the digest of the argument of a parameter.
    pub fn add_argument(&mut self, parameter: &str, digest: u64) {
        self.arguments.insert(parameter.to_owned(), digest);
    }

    /// Tests whether the run continues from a checkpoint.
    pub fn is_resumed(&self) -> bool {
        self.is_resumed
    }

    fn manifest(&self, run: RunIdentity) -> Manifest {
        Manifest {
            number: self.number,
            n_ranks: run.n_ranks,
            program: run.program,
            arguments: self.arguments.clone(),
            printed: self.printed,
        }
    }

    fn folder(&self) -> Result<&Path, FileError> {
        let folder = self.to.as_ref().map(|(folder, _)| folder.as_path());
        folder.ok_or_else(|| FileError::new(Code::Internal, "--checkpoint", "no folder is given"))
    }

    fn current(&self) -> Result<RunIdentity, FileError> {
        let not_open = || FileError::new(Code::Internal, "--checkpoint", "the run has not begun");
        self.run.ok_or_else(not_open)
    }

    fn open_from(&mut self, run: RunIdentity) -> Result<bool, FileError> {
        let Some(from) = &self.from else { return Ok(false) };
        let stored = Manifest::read(from)?;
        stored.check(from, &self.manifest(run))?;
        let path = part_path(&state_path(from, stored.number), run.rank);
        self.reading = Some(PartReader::open(&path)?);
        self.printed = stored.printed;
        self.is_resumed = true;
        let printed = text::bytes(stored.printed);
        let from = from.display();
        self.reporter.note(&format!("continued from `{from}`, after {printed} of output"));
        Ok(true)
    }

    fn begin_part(&mut self, number: u64) -> Result<(), FileError> {
        self.number = number;
        self.due.store(false, Ordering::Relaxed);
        let state = state_path(self.folder()?, number);
        // Another rank may have created it.
        if let Err(error) = fs::create_dir(&state)
            && !state.is_dir()
        {
            return Err(part::cannot(&state, &error));
        }
        self.writing = Some(PartWriter::create(&part_path(&state, self.current()?.rank))?);
        Ok(())
    }

    fn put_part(&mut self, value: BitsRef<'_>) -> Result<(), FileError> {
        let flags = self.flags.clone();
        self.part()?.put(value, &mut || flags.stop().is_none())
    }

    fn part(&mut self) -> Result<&mut PartWriter, FileError> {
        let no_part = || FileError::new(Code::Internal, "--checkpoint", "no part has begun");
        self.writing.as_mut().ok_or_else(no_part)
    }

    fn replace(&mut self) -> Result<(), FileError> {
        let run = self.current()?;
        let folder = self.folder()?;
        let state = state_path(folder, self.number);
        for rank in 0..run.n_ranks {
            let path = part_path(&state, rank);
            if !path.is_file() {
                let message = "the folder must be the same on all hosts of a job";
                let name = path.display().to_string();
                return Err(FileError::new(Code::CannotWrite, name, message));
            }
        }
        self.manifest(run).write(folder)?;
        self.remove_states_but(Some(self.number));
        Ok(())
    }

    /// Removes the folders of states other than one.
    fn remove_states_but(&self, number: Option<u64>) {
        let Ok(folder) = self.folder() else { return };
        for (other, path) in states(folder) {
            if Some(other) != number {
                // A file that is left takes room on the disk and nothing else.
                let _ = fs::remove_dir_all(path);
            }
        }
    }
}

impl Checkpoints for CheckpointFolder {
    fn due(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.due)
    }

    fn open(&mut self, run: RunIdentity) -> Result<bool, HostError> {
        self.run = Some(run);
        self.open_from(run).map_err(host_error)
    }

    fn take(&mut self) -> Result<Value, HostError> {
        let no_state = || FileError::new(Code::Internal, "--resume", "no state is open");
        let reading = self.reading.as_mut().ok_or_else(no_state);
        reading.and_then(PartReader::take).map_err(host_error)
    }

    fn refuse(&mut self, HostError { code, message }: HostError) {
        let mut diagnostic = Diagnostic::new(code, message);
        if code != Code::OtherRun {
            diagnostic = diagnostic.help("omit `--resume` to begin again");
        }
        self.refused = Some(diagnostic);
    }

    fn next_number(&self) -> u64 {
        self.number + 1
    }

    fn begin(&mut self, number: u64) -> Result<(), HostError> {
        self.begin_part(number).map_err(host_error)
    }

    fn put(&mut self, part: BitsRef<'_>) -> Result<(), HostError> {
        self.put_part(part).map_err(host_error)
    }

    fn end(&mut self) -> Result<(), HostError> {
        self.part().and_then(PartWriter::end).map_err(host_error)
    }

    fn commit(&mut self) -> Result<(), HostError> {
        self.replace().map_err(host_error)
    }

    fn finish(&mut self, failed: Option<HostError>) {
        self.writing = None;
        if let Some(HostError { code: _, message }) = failed {
            if self.run.is_some_and(|run| run.rank == 0) {
                let stored = self.folder().ok().and_then(|folder| Manifest::read(folder).ok());
                self.remove_states_but(stored.map(|stored| stored.number));
            }
            if self.flags.stop().is_none() {
                self.reporter.warning(&format!("no checkpoint: {message}; the run continues"));
            }
        }
        match (&self.timer, &self.to) {
            (Some(timer), _) => timer.restart(),
            (None, Some(_)) => self.due.store(true, Ordering::Relaxed),
            (None, None) => {}
        }
    }
}

fn state_path(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("state-{number}"))
}

fn part_path(state: &Path, rank: usize) -> PathBuf {
    state.join(format!("rank-{rank}"))
}

/// Returns the folders of states with their numbers.
fn states(folder: &Path) -> Vec<(u64, PathBuf)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let state = |entry: fs::DirEntry| {
        let number = entry.file_name().to_str()?.strip_prefix("state-")?.parse().ok()?;
        Some((number, entry.path()))
    };
    entries.filter_map(state).collect()
}

/// Tests whether files can be created in the folder.
fn probe(folder: &Path) -> Result<(), FileError> {
    if !folder.is_dir() {
        let why = if folder.exists() { "it is not a folder" } else { "the folder does not exist" };
        let error = FileError::new(Code::CannotWrite, folder.display().to_string(), why);
        return Err(error.help("create the folder, or name another one"));
    }
    tempfile::tempfile_in(folder).map(drop).map_err(|error| part::cannot(folder, &error))
}

fn host_error(error: FileError) -> HostError {
    HostError { code: error.code, message: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::ErrorFormat;

    const RUN: RunIdentity = RunIdentity { program: 7, rank: 0, n_ranks: 1 };

    fn folder(to: &Path, from: Option<&Path>) -> CheckpointFolder {
        let reporter = Reporter::new(ErrorFormat::Text);
        let to = Some((to, Duration::ZERO));
        CheckpointFolder::new(to, from, &Flags::default(), &reporter).unwrap()
    }

    fn save(store: &mut CheckpointFolder, value: &Value) {
        let Value::Slice(bits) = value else { panic!("a slice") };
        store.begin(store.next_number()).unwrap();
        store.put(BitsRef::Slice(bits)).unwrap();
        store.end().unwrap();
        store.commit().unwrap();
        store.finish(None);
    }

    fn slice(text: &str) -> Value {
        Value::Slice(star_value::BitVector::parse(text).unwrap())
    }

    fn code(store: &mut CheckpointFolder, run: RunIdentity) -> (Code, String) {
        let error = store.open(run).unwrap_err();
        (error.code, error.message)
    }

    #[test]
    fn the_last_complete_state_is_read_and_older_ones_vanish() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = folder(dir.path(), None);
        assert!(!store.open(RUN).unwrap());
        save(&mut store, &slice("01"));
        save(&mut store, &slice("0111"));
        // A run that is killed now leaves a state that is not complete.
        store.begin(store.next_number()).unwrap();
        drop(store);
        assert_eq!(states(dir.path()).len(), 2);

        let mut store = folder(dir.path(), Some(dir.path()));
        assert!(store.open(RUN).unwrap());
        assert_eq!(store.take().unwrap(), slice("0111"));
        assert_eq!(store.take().unwrap_err().code, Code::Truncated);
        assert_eq!(store.next_number(), 4);
        save(&mut store, &slice("1"));
        assert_eq!(states(dir.path()).len(), 1);
    }

    #[test]
    fn runs_that_differ_are_refused_by_name() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = folder(dir.path(), None);
        store.add_argument("P", 3);
        store.open(RUN).unwrap();
        save(&mut store, &slice("01"));
        let again = |run, arguments: &[(&str, u64)]| {
            let mut store = folder(dir.path(), Some(dir.path()));
            arguments.iter().for_each(|(name, digest)| store.add_argument(name, *digest));
            code(&mut store, run)
        };
        let other = |found: (Code, String), part: &str| {
            assert_eq!(found.0, Code::OtherRun, "{found:?}");
            assert!(found.1.contains(part), "{found:?}");
        };
        other(again(RUN, &[("P", 4)]), "argument `P`");
        other(again(RUN, &[]), "argument `P`");
        other(again(RUN, &[("P", 3), ("n", 1)]), "argument `n`");
        other(again(RunIdentity { program: 8, ..RUN }, &[("P", 3)]), "another program");
        other(again(RunIdentity { n_ranks: 2, ..RUN }, &[("P", 3)]), "1 rank");
    }

    #[test]
    fn damaged_and_missing_files_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = folder(dir.path(), Some(dir.path()));
        assert_eq!(code(&mut store, RUN).0, Code::CannotOpen);
        let mut store = folder(dir.path(), None);
        store.open(RUN).unwrap();
        save(&mut store, &slice("01"));
        let path = part_path(&state_path(dir.path(), 1), 0);
        let good = fs::read(&path).unwrap();
        let again = || folder(dir.path(), Some(dir.path()));
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 4;
            fs::write(&path, &bad).unwrap();
            let mut store = again();
            store.open(RUN).unwrap();
            let error = store.take().unwrap_err();
            assert_eq!(error.code.as_str().get(..3), Some("E05"), "{at}: {error:?}");
            fs::write(&path, &good[..at]).unwrap();
            let mut store = again();
            store.open(RUN).unwrap();
            assert_eq!(store.take().unwrap_err().code, Code::Truncated, "{at}");
        }
        fs::remove_file(&path).unwrap();
        assert_eq!(code(&mut again(), RUN).0, Code::CannotOpen);
        let manifest = dir.path().join("checkpoint.json");
        for text in ["", "{}", "[1]", "{\"format\":1}"] {
            fs::write(&manifest, text).unwrap();
            assert_eq!(code(&mut again(), RUN).0, Code::BadFormat, "{text}");
        }
    }

    #[test]
    fn unusable_folders_are_refused_before_the_run() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        fs::write(&file, "").unwrap();
        let reporter = Reporter::new(ErrorFormat::Text);
        for path in [dir.path().join("none"), file, "/proc".into()] {
            let to = Some((path.as_path(), Duration::ZERO));
            let error = CheckpointFolder::new(to, None, &Flags::default(), &reporter).err();
            assert_eq!(error.map(|error| error.code), Some(Code::CannotWrite), "{path:?}");
        }
    }

    #[test]
    fn a_failed_attempt_leaves_the_last_state() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = folder(dir.path(), None);
        store.open(RUN).unwrap();
        save(&mut store, &slice("01"));
        store.begin(store.next_number()).unwrap();
        let error = HostError { code: Code::CannotWrite, message: "it is full".to_owned() };
        store.finish(Some(error));
        assert_eq!(states(dir.path()).len(), 1);
        let mut store = folder(dir.path(), Some(dir.path()));
        assert!(store.open(RUN).unwrap());
        assert_eq!(store.take().unwrap(), slice("01"));
    }
}
