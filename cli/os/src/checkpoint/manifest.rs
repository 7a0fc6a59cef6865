//! `checkpoint.json`: the number of the last complete state, and the run to which it belongs.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use serde_json::{Value as Json, json};
use star_base::{Code, text};
use star_io::FileError;

use super::part::cannot;
use crate::temporary::Temporary;

const NAME: &str = "checkpoint.json";

/// The version of the format of states.
const FORMAT: u64 = 1;

/// The contents of the file.
#[derive(Debug)]
pub(super) struct Manifest {
    pub(super) number: u64,
    pub(super) n_ranks: usize,
    /// The digest of the program.
    pub(super) program: u64,
    /// The digests of the arguments.
    pub(super) arguments: BTreeMap<String, u64>,
    /// Number of bytes printed before.
    pub(super) printed: u64,
}

impl Manifest {
    /// Reads the file in a folder.
    pub(super) fn read(folder: &Path) -> Result<Self, FileError> {
        let path = folder.join(NAME);
        let name = path.display().to_string();
        let read = fs::read_to_string(&path).map_err(|error| {
            let message = format!("there is no checkpoint: {}", text::reason(&error));
            FileError::new(Code::CannotOpen, &*name, message)
        })?;
        let invalid = || FileError::new(Code::BadFormat, &*name, "the checkpoint is damaged");
        let object: Json = serde_json::from_str(&read).map_err(|_| invalid())?;
        let number = |key: &str| object.get(key).and_then(Json::as_u64).ok_or_else(invalid);
        let digest = |value: &Json| u64::from_str_radix(value.as_str()?, 16).ok();
        let (format, version) = (number("format")?, object.get("star").and_then(Json::as_str));
        let ours = env!("CARGO_PKG_VERSION");
        if format != FORMAT || version.ok_or_else(invalid)? != ours {
            let theirs = version.unwrap_or("another version");
            let message =
                format!("the checkpoint was written by star {theirs}, and this is star {ours}");
            return Err(FileError::new(Code::OtherRun, &*name, message));
        }
        let arguments = object.get("arguments").and_then(Json::as_object).ok_or_else(invalid)?;
        let of_argument = |(name, value): (&String, &Json)| Some((name.clone(), digest(value)?));
        let arguments: Option<_> = arguments.iter().map(of_argument).collect();
        Ok(Manifest {
            number: number("number")?,
            n_ranks: usize::try_from(number("ranks")?).map_err(|_| invalid())?,
            program: object.get("program").and_then(digest).ok_or_else(invalid)?,
            arguments: arguments.ok_or_else(invalid)?,
            printed: number("printed")?,
        })
    }

    /// Compares the run of the checkpoint with the one that would continue it.
    pub(super) fn check(&self, folder: &Path, run: &Manifest) -> Result<(), FileError> {
        let name = folder.join(NAME).display().to_string();
        let other = |message: String| FileError::new(Code::OtherRun, &*name, message);
        if self.n_ranks != run.n_ranks {
            let (theirs, ours) = (text::count(self.n_ranks, "rank"), run.n_ranks);
            return Err(other(format!("the checkpoint is of {theirs}, and this run has {ours}")));
        }
        let names: Vec<&String> = self.arguments.keys().chain(run.arguments.keys()).collect();
        for name in names {
            if self.arguments.get(name) != run.arguments.get(name) {
                return Err(other(format!("the argument `{name}` is not that of the checkpoint")));
            }
        }
        if self.program != run.program {
            let why = "the checkpoint is of another program, or of other options";
            return Err(other(why.to_owned()));
        }
        Ok(())
    }

    /// Replaces the file in a folder.
    pub(super) fn write(&self, folder: &Path) -> Result<(), FileError> {
        let Manifest { number, n_ranks, program, arguments, printed } = self;
        let hex = |digest: &u64| format!("{digest:016x}");
        let arguments: BTreeMap<&String, String> =
            arguments.iter().map(|(name, digest)| (name, hex(digest))).collect();
        let object = json!({
            "format": FORMAT,
            "star": env!("CARGO_PKG_VERSION"),
            "number": number,
            "ranks": n_ranks,
            "program": hex(program),
            "arguments": arguments,
            "printed": printed,
        });
        let path = folder.join(NAME);
        let write = || {
            let mut temporary = Temporary::new(folder, &path)?;
            let file = temporary.as_file_mut();
            file.write_all(format!("{object:#}\n").as_bytes())?;
            file.sync_all()?;
            temporary.persist(&path)?;
            store_names(folder)
        };
        write().map_err(|error| cannot(&path, &error))
    }
}

/// Waits until the system has stored the names of the files in a folder.
fn store_names(folder: &Path) -> io::Result<()> {
    // Elsewhere a folder is not a file.
    if cfg!(unix) { fs::File::open(folder)?.sync_all() } else { Ok(()) }
}
