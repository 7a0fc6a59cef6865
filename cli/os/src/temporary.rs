//! Temporary files that become the file at a destination, or vanish.
//!
//! Where the system permits it, the file has no name until then, so that no signal leaves it: not
//! even SIGKILL. Elsewhere it is a file `.star-*.tmp` next to the destination.

use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io;
use std::path::Path;
use std::thread;

use tempfile::{Builder, NamedTempFile};

/// The prefix and suffix of names next to the destination.
const NAME: [&str; 2] = [".star-", ".tmp"];

/// Returns whether this is the name of a temporary file.
pub(crate) fn is_name(name: &OsStr) -> bool {
    let [prefix, suffix] = NAME;
    name.to_str().is_some_and(|name| name.starts_with(prefix) && name.ends_with(suffix))
}

/// A temporary file. It is deleted when dropped.
///
/// Note [Closing]. When the last handle of a deleted file is closed, the system drops its pages,
/// which takes a tenth of a second or more for a file of a gigabyte. So the name is removed
/// immediately, and a separate thread closes the file: messages and other work do not wait, and the
/// end of the process overlaps with it.
#[derive(Debug)]
pub struct Temporary {
    /// `None` after the file was moved to its destination.
    file: Option<Inner>,
}

#[derive(Debug)]
enum Inner {
    #[cfg(target_os = "linux")]
    Unnamed(File),
    Named(NamedTempFile),
}

impl Temporary {
    /// Creates a file in `folder` with the permissions of `old`, or those of any new file.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn new(folder: &Path, old: &Path) -> io::Result<Self> {
        let old = fs::metadata(old).ok().map(|metadata| metadata.permissions());
        #[cfg(target_os = "linux")]
        if let Some(file) = linux::unnamed(folder, old.as_ref()) {
            return Ok(Temporary { file: Some(Inner::Unnamed(file)) });
        }
        let file = named(folder, old)?;
        Ok(Temporary { file: Some(Inner::Named(file)) })
    }

    /// Creates such a file with a name, by which other processes open it.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn with_name(folder: &Path, old: &Path) -> io::Result<Self> {
        let old = fs::metadata(old).ok().map(|metadata| metadata.permissions());
        Ok(Temporary { file: Some(Inner::Named(named(folder, old)?)) })
    }

    /// Returns the path of a file with a name.
    pub fn path(&self) -> Option<&Path> {
        match self.file.as_ref()? {
            #[cfg(target_os = "linux")]
            Inner::Unnamed(_) => None,
            Inner::Named(file) => Some(file.path()),
        }
    }

    /// Returns the file for writing.
    pub fn as_file_mut(&mut self) -> &mut File {
        match self.file.as_mut().expect("it is taken only where it ends") {
            #[cfg(target_os = "linux")]
            Inner::Unnamed(file) => file,
            Inner::Named(file) => file.as_file_mut(),
        }
    }

    /// Closes the file and moves it to `destination`, which it replaces.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn persist(mut self, destination: &Path) -> io::Result<()> {
        match self.file.take().expect("it is taken only where it ends") {
            #[cfg(target_os = "linux")]
            Inner::Unnamed(file) => linux::persist(&file, destination),
            Inner::Named(file) => {
                let persisted = file.into_temp_path().persist(destination);
                persisted.map_err(|error| error.error)
            }
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let file = match self.file.take() {
            None => return,
            #[cfg(target_os = "linux")]
            Some(Inner::Unnamed(file)) => file,
            Some(Inner::Named(file)) => {
                let (file, path) = file.into_parts();
                drop(path);
                file
            }
        };
        // Without a thread, the file is closed here.
        let _ = thread::Builder::new().name("closing".to_owned()).spawn(move || drop(file));
    }
}

fn named(folder: &Path, old: Option<Permissions>) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    let [prefix, suffix] = NAME;
    builder.prefix(prefix).suffix(suffix);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Use the permissions of any new file, not those of a private temporary file.
        builder.permissions(old.unwrap_or_else(|| Permissions::from_mode(0o666)));
    }
    #[cfg(not(unix))]
    let _ = old;
    builder.tempfile_in(folder)
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::{self, File, Permissions};
    use std::io;
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::PermissionsExt;
    use std::path::{Path, PathBuf};
    use std::process;

    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open};
    use rustix::io::Errno;

    use super::NAME;

    /// Creates a file without a name; `None` if the file system has none.
    pub(super) fn unnamed(folder: &Path, old: Option<&Permissions>) -> Option<File> {
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        let mode = old.map_or(0o666, |old| old.mode() & 0o7777);
        let file = File::from(open(folder, flags, Mode::from_raw_mode(mode)).ok()?);
        if let Some(old) = old {
            file.set_permissions(old.clone()).ok()?;
        }
        // The name is made through this folder.
        fs::symlink_metadata(name_of(&file)).is_ok().then_some(file)
    }

    fn name_of(file: &File) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
    }

    pub(super) fn persist(file: &File, destination: &Path) -> io::Result<()> {
        let link = |name: &Path| linkat(CWD, name_of(file), CWD, name, AtFlags::SYMLINK_FOLLOW);
        match link(destination) {
            Err(Errno::EXIST) => {}
            done => return Ok(done?),
        }
        // A link cannot replace a file, but a renamed file can.
        let [prefix, suffix] = NAME;
        let mut number = 0_u32;
        let named = loop {
            let name = format!("{prefix}{}-{number}{suffix}", process::id());
            let name = destination.with_file_name(name);
            match link(&name) {
                Err(Errno::EXIST) => number += 1,
                done => break done.map(|()| name)?,
            }
        };
        fs::rename(&named, destination).inspect_err(|_| drop(fs::remove_file(&named)))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn temporary_files_replace_the_destination_or_vanish() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let make = |text: &str| {
            let mut file = Temporary::new(folder.path(), &path).unwrap();
            file.as_file_mut().write_all(text.as_bytes()).unwrap();
            file
        };
        let names = || fs::read_dir(folder.path()).unwrap().count();
        drop(make("x"));
        assert_eq!(names(), 0);
        for text in ["new", "newer"] {
            make(text).persist(&path).unwrap();
            assert_eq!((fs::read_to_string(&path).unwrap().as_str(), names()), (text, 1));
        }
        let file = make("x");
        assert!(file.persist(&folder.path().join("none/a")).is_err());
        fs::create_dir(folder.path().join("d")).unwrap();
        assert!(make("x").persist(&folder.path().join("d")).is_err());
        assert_eq!(names(), 2);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn files_have_no_name_before_they_are_complete() {
        let folder = tempfile::tempdir().unwrap();
        let file = Temporary::new(folder.path(), &folder.path().join("a")).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        drop(file);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_of_the_old_file_remain() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        Temporary::new(folder.path(), &path).unwrap().persist(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    }
}
