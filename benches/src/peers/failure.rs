//! Why a contestant has no time.

use star_base::Code;
use star_io::FileError;

/// Why, as a row of the file of benchmarks says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    /// A code of `star explain`, or `differs`, `peer`.
    pub(super) code: String,
    /// In words.
    pub(super) message: String,
}

impl Failure {
    /// A peer that is not there, cannot do the job, or does not answer as it should.
    pub(super) fn peer(message: impl Into<String>) -> Self {
        Failure { code: "peer".to_owned(), message: message.into() }
    }

    /// Results that are not the same.
    pub(super) fn differs(message: impl Into<String>) -> Self {
        Failure { code: "differs".to_owned(), message: message.into() }
    }

    /// A fault of ours, with its code.
    pub(super) fn of_code(code: Code, message: impl Into<String>) -> Self {
        Failure { code: code.to_string(), message: message.into() }
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        Failure::of_code(error.code, format!("{}: {}", error.file, error.message))
    }
}
