//! Files of the library on disk, so that any editor can open them. They are written when a
//! definition in them is first asked for.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::toolchain::{LIBRARY, MODULE, canonical};

/// Returns the folder of the library on disk: its name depends on the text of the library.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let texts = LIBRARY.basic.iter().chain(LIBRARY.modules);
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for byte in texts.flat_map(|(name, text)| name.bytes().chain(text.bytes())) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        canonical(&std::env::temp_dir()).join(format!("star-library-{hash:016x}"))
    })
}

/// Returns the path of a file within the folder of the library.
fn relative(name: &str) -> String {
    match name.strip_prefix(MODULE) {
        Some(module) => format!("modules/{module}.star"),
        None => name.strip_prefix("library/").unwrap_or(name).to_owned(),
    }
}

/// Returns the path of a library file, by its name in messages, and writes it if necessary.
pub(crate) fn path_of(name: &str) -> Option<PathBuf> {
    let module = name.strip_prefix(MODULE);
    let of_modules = LIBRARY.modules.iter().find(|(known, _)| Some(*known) == module);
    let (_, text) =
        of_modules.or_else(|| LIBRARY.basic.iter().find(|(known, _)| *known == name))?;
    let path = folder().join(relative(name));
    if fs::read_to_string(&path).is_ok_and(|there| there == **text) {
        return Some(path);
    }
    fs::create_dir_all(path.parent()?).ok()?;
    fs::write(&path, text).ok()?;
    Some(path)
}

/// Tests whether a file is one of these.
pub(crate) fn is_shipped(path: &Path) -> bool {
    path.starts_with(folder())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn library_files_are_written_once() {
        let path = path_of("star:closure").unwrap();
        assert!(fs::read_to_string(&path).unwrap().contains("WARSHALL"));
        assert!(is_shipped(&path) && !is_shipped(Path::new("/closure.star")));
        let (basic, _) = LIBRARY.basic[0];
        assert!(path_of(basic).unwrap().is_file());
        assert_eq!(path_of("star:none"), None);
    }
}
