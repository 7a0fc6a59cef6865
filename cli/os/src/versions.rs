//! The versions of files, to notice that they change.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use star_base::text;

/// The time and the size of a file after its last change.
type Version = (SystemTime, u64);

/// The versions of files; `None` for those that cannot be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Versions(BTreeMap<PathBuf, Option<Version>>);

impl Versions {
    /// Returns the current versions of files.
    pub fn of(files: impl IntoIterator<Item = PathBuf>) -> Self {
        let versions = files.into_iter().map(|file| {
            let version = version(&file);
            (file, version)
        });
        Versions(versions.collect())
    }

    /// Returns the files whose versions differ in `now` or that one of both lacks, as text.
    pub fn changed(&self, now: &Versions) -> Vec<String> {
        let (Versions(before), Versions(now)) = (self, now);
        let differs = |file: &&PathBuf| before.get(*file) != now.get(*file);
        let new = now.keys().filter(|file| !before.contains_key(*file));
        let files = before.keys().filter(differs).chain(new);
        files.map(|file| text::one_line(&file.display().to_string())).collect()
    }

    /// Adds the files of `other` that are not known yet.
    pub fn extend(&mut self, other: Versions) {
        let Versions(known) = self;
        for (file, version) in other.0 {
            known.entry(file).or_insert(version);
        }
    }
}

fn version(file: &Path) -> Option<Version> {
    let metadata = fs::metadata(file).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_new_and_deleted_files_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let now = |names: &[&str]| Versions::of(names.iter().map(|name| path(name)));
        let names = |before: &Versions, after: &Versions| {
            let strip = |file: String| file.rsplit('/').next().unwrap().to_owned();
            before.changed(after).into_iter().map(strip).collect::<Vec<_>>()
        };
        fs::write(path("a"), "1").unwrap();
        fs::write(path("b"), "1").unwrap();
        let first = now(&["a", "b", "missing"]);
        assert_eq!(names(&first, &now(&["a", "b", "missing"])), [""; 0]);
        fs::write(path("a"), "12").unwrap();
        fs::remove_file(path("b")).unwrap();
        fs::write(path("missing"), "").unwrap();
        let second = now(&["a", "b", "missing"]);
        assert_eq!(names(&first, &second), ["a", "b", "missing"]);
        assert_eq!(names(&second, &now(&["a", "b", "missing", "new"])), ["new"]);
        let mut known = second.clone();
        known.extend(now(&["new"]));
        assert_eq!(names(&known, &now(&["a", "b", "missing", "new"])), [""; 0]);
    }
}
