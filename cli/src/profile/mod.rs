//! `star run --profile`: time and elementary operations of each line of a run.
//!
//! [`session`] provides the interpreter with a [`clock`] and the line of every location;
//! [`star_report::profile`] formats the results.

mod clock;
mod session;

use std::path::Path;

use star_io::FileError;
use star_os::destination::Destination;
use star_os::failure::Failure;
use star_os::flags::Flags;
use star_os::report::Reporter;
use star_report::profile::{Profile, data, page, table};

pub(crate) use session::Session;

/// The destination of a profile.
#[derive(Debug)]
pub(crate) enum Target {
    /// Standard error.
    Messages,
    /// An HTML page.
    Html(Destination),
    /// A JSON object.
    Json(Destination),
}

impl Target {
    /// Parses the value of `--profile=`; empty means standard error.
    ///
    /// # Errors
    /// E0506 if the extension selects no format, E0509 if the file cannot be written.
    pub(crate) fn new(file: &str) -> Result<Self, Failure> {
        if file.is_empty() {
            return Ok(Target::Messages);
        }
        let path = Path::new(file);
        let place = Destination::with_extension(path, file, &["html", "htm", "json"])?;
        let extension = path.extension().and_then(|extension| extension.to_str());
        let is_page = extension.is_some_and(|it| it.to_ascii_lowercase().starts_with("htm"));
        Ok(if is_page { Target::Html(place) } else { Target::Json(place) })
    }

    /// Shows or writes a profile. A flag ends the wait for the reader of a pipe.
    ///
    /// # Errors
    /// E0509 if the file cannot be written, or the code of the flag.
    pub(crate) fn put(
        &self,
        profile: &Profile<'_>,
        flags: &Flags,
        reporter: &Reporter,
    ) -> Result<(), FileError> {
        match self {
            Target::Messages => {
                reporter.profile(&table(profile), &data(profile));
                Ok(())
            }
            Target::Html(place) => place.write_text(&page(profile), flags),
            Target::Json(place) => {
                place.write_text(&star_report::json::line(&data(profile)), flags)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use star_base::Code;

    use super::*;

    #[test]
    fn the_extension_selects_the_format() {
        let folder = tempfile::tempdir().unwrap();
        let form = |name: &str| Target::new(folder.path().join(name).to_str().unwrap());
        assert!(matches!(form("a.HTML"), Ok(Target::Html(_))));
        assert!(matches!(form("a.json"), Ok(Target::Json(_))));
        assert!(matches!(Target::new(""), Ok(Target::Messages)));
        for (name, code) in [
            ("a", Code::UnknownFormat),
            ("a.txt", Code::UnknownFormat),
            ("x/a.html", Code::CannotWrite),
        ] {
            assert_eq!(form(name).unwrap_err().diagnostics[0].code, code, "{name}");
        }
    }
}
