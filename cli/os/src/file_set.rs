//! Several files of a folder that appear together: if one of them cannot be written, for instance
//! on a full disk, no new file or folder remains.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use star_base::{Code, text};
use star_io::FileError;

use crate::cleanup;
use crate::destination::Destination;
use crate::flags::{self, Flags};
use crate::temporary::Temporary;

/// Maximum number of files that are open at once.
const MAX_OPEN: usize = 128;

/// The files and the folders created for them. What was created is deleted when dropped before
/// [`FileSet::commit`].
#[derive(Debug, Default)]
pub struct FileSet {
    folders: Vec<PathBuf>,
    /// Complete files that are not yet at their destinations.
    waiting: Vec<(PathBuf, Destination, Temporary)>,
    /// New files at their destinations.
    files: Vec<PathBuf>,
}

impl FileSet {
    /// Creates a folder and its parents unless they exist; messages call it `name`.
    ///
    /// # Errors
    /// E0509 if the system refuses.
    pub fn create_folder(&mut self, path: &Path, name: &str) -> Result<(), FileError> {
        let missing = path.ancestors().take_while(|folder| {
            !folder.as_os_str().is_empty() && fs::symlink_metadata(folder).is_err()
        });
        let missing: Vec<PathBuf> = missing.map(Path::to_owned).collect();
        flags::count_signals();
        let mut created = cleanup::created();
        let done = fs::create_dir_all(path);
        let exist = missing.into_iter().rev().filter(|folder| folder.is_dir());
        self.folders.extend(exist.inspect(|folder| created.add(folder)));
        drop(created);
        done.map_err(|error| {
            let message = format!("cannot create this folder: {}", text::reason(&error));
            FileError::new(Code::CannotWrite, name, message)
        })
    }

    /// Adds a file with this text. Its folder must exist.
    ///
    /// # Errors
    /// E0509 if it cannot be written or another output has the same file, or the code of a flag
    /// that ends the wait for the reader of a pipe.
    pub fn add(&mut self, path: &Path, text: &str, flags: &Flags) -> Result<(), FileError> {
        let place = Destination::new(path, &path.display().to_string())?;
        if !place.is_regular() {
            return place.write_text(text, flags);
        }
        let mut file = place.temporary()?;
        let written = file.as_file_mut().write_all(text.as_bytes());
        written.map_err(|error| place.cannot(&error))?;
        self.waiting.push((path.to_owned(), place, file));
        if self.waiting.len() == MAX_OPEN { self.put() } else { Ok(()) }
    }

    /// Moves the files to their destinations.
    ///
    /// # Errors
    /// E0509 if the system refuses one of them.
    pub fn commit(mut self) -> Result<(), FileError> {
        self.put()?;
        let mut created = cleanup::created();
        self.files.drain(..).chain(self.folders.drain(..)).for_each(|path| created.keep(&path));
        Ok(())
    }

    fn put(&mut self) -> Result<(), FileError> {
        for (path, place, file) in self.waiting.drain(..) {
            let mut created = cleanup::created();
            let is_new = fs::symlink_metadata(&path).is_err();
            place.put(file)?;
            if is_new {
                created.add(&path);
                self.files.push(path);
            }
        }
        Ok(())
    }
}

impl Drop for FileSet {
    fn drop(&mut self) {
        self.waiting.clear();
        let mut created = cleanup::created();
        for file in &self.files {
            let _ = fs::remove_file(file);
            created.keep(file);
        }
        // A folder with other files remains.
        for folder in self.folders.iter().rev() {
            let _ = fs::remove_dir(folder);
            created.keep(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_incomplete_set_leaves_nothing_new() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("a/b");
        fs::create_dir(root.path().join("old")).unwrap();
        fs::write(root.path().join("old/x"), "old").unwrap();
        let fill = |n: usize| {
            let mut set = FileSet::default();
            set.create_folder(&folder, "b").unwrap();
            for idx in 0..n {
                set.add(&folder.join(format!("f{idx}")), "text", &Flags::default()).unwrap();
            }
            set
        };
        for n in [0, 1, MAX_OPEN + 1] {
            drop(fill(n));
            assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1, "{n}");
            fill(n).commit().unwrap();
            assert_eq!(fs::read_dir(&folder).unwrap().count(), n);
            fs::remove_dir_all(root.path().join("a")).unwrap();
        }
        let mut set = FileSet::default();
        set.create_folder(&root.path().join("old"), "old").unwrap();
        set.add(&root.path().join("old/x"), "new", &Flags::default()).unwrap();
        drop(set);
        assert_eq!(fs::read(root.path().join("old/x")).unwrap(), b"old");
        let mut set = FileSet::default();
        let code = set.create_folder(&root.path().join("old/x/y"), "y").unwrap_err().code;
        assert_eq!(code, Code::CannotWrite);
    }
}
