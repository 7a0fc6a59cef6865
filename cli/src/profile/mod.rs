//! `star run --profile`: where a run spent its time and its elementary operations.
//!
//! [`session`] lends the interpreter a [`clock`] and tells it which line every location is on;
//! [`star_report::profile`] shows what came of it.

mod clock;
mod session;

use std::path::Path;

use star_base::{Code, Diagnostic};
use star_io::FileError;
use star_os::destination::Destination;
use star_os::failure::Failure;
use star_os::report::Reporter;
use star_report::profile::{Profile, data, page, table};

use crate::text;

pub(crate) use session::Session;

/// Where a profile goes.
#[derive(Debug)]
pub(crate) enum Target {
    /// Standard error.
    Messages,
    /// A page.
    Html(Destination),
    /// An object.
    Json(Destination),
}

impl Target {
    /// What stands behind `--profile=`; empty for standard error.
    ///
    /// # Errors
    /// E0608 if the name has no extension that says the form, E0509 if the file cannot be written.
    pub(crate) fn new(file: &str) -> Result<Self, Failure> {
        if file.is_empty() {
            return Ok(Target::Messages);
        }
        let path = Path::new(file);
        let extension = path.extension().and_then(|extension| extension.to_str());
        let form = match extension.map(str::to_ascii_lowercase).as_deref() {
            Some("html" | "htm") => Target::Html,
            Some("json") => Target::Json,
            Some(_) | None => {
                let file = text::one_line(file);
                let message = format!("`{file}` does not say which form the profile is to have");
                let help = "write `--profile=FILE.html` or `--profile=FILE.json`";
                return Err(Diagnostic::new(Code::Usage, message).help(help).into());
            }
        };
        Ok(form(Destination::new(path, file)?))
    }

    /// Shows or writes a profile.
    ///
    /// # Errors
    /// E0509 if the file cannot be written.
    pub(crate) fn put(&self, profile: &Profile<'_>, reporter: &Reporter) -> Result<(), FileError> {
        match self {
            Target::Messages => {
                reporter.profile(&table(profile), &data(profile));
                Ok(())
            }
            Target::Html(place) => place.write_text(&page(profile)),
            Target::Json(place) => place.write_text(&star_report::json::line(&data(profile))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_of_the_file_says_the_form() {
        let folder = tempfile::tempdir().unwrap();
        let form = |name: &str| Target::new(folder.path().join(name).to_str().unwrap());
        assert!(matches!(form("a.HTML"), Ok(Target::Html(_))));
        assert!(matches!(form("a.json"), Ok(Target::Json(_))));
        assert!(matches!(Target::new(""), Ok(Target::Messages)));
        for (name, code) in
            [("a", Code::Usage), ("a.txt", Code::Usage), ("x/a.html", Code::CannotWrite)]
        {
            assert_eq!(form(name).unwrap_err().diagnostics[0].code, code, "{name}");
        }
    }
}
