//! `FILE#ARRAY`: one array of a file that holds several. A file whose name really has a `#` wins.

use std::path::PathBuf;

use star_io::Format;

/// A file and what is wanted of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Located<'n> {
    /// Where it is, or would be.
    pub(crate) path: PathBuf,
    /// The file as named, without the array.
    pub(crate) file: &'n str,
    /// The array to read; `None` for all there is.
    pub(crate) part: Option<&'n str>,
}

/// Finds out which file `name` means. `path_of` gives the path of a file, or refuses to; it is asked
/// for the whole name first, then for what stands before each `#`. If none of these files exists, an
/// archive of arrays is meant if there is one among the names, and else the whole name.
///
/// # Errors
/// The refusal of the file that is meant.
pub(crate) fn locate<'n, E>(
    name: &'n str,
    path_of: impl Fn(&'n str) -> Result<PathBuf, E>,
) -> Result<Located<'n>, E> {
    let exists = |path: &Result<PathBuf, E>| matches!(path, Ok(path) if path.exists());
    let whole = path_of(name);
    if !exists(&whole) {
        for (file, part) in splits(name) {
            let path = path_of(file);
            if exists(&path) || is_archive(file) {
                return Ok(Located { path: path?, file, part: Some(part) });
            }
        }
    }
    Ok(Located { path: whole?, file: name, part: None })
}

/// The files that `name` may mean beside the file of this name.
pub(crate) fn files(name: &str) -> impl Iterator<Item = &str> {
    splits(name).map(|(file, _)| file)
}

/// What stands before and behind each `#`.
fn splits(name: &str) -> impl Iterator<Item = (&str, &str)> {
    let splits = name.match_indices('#').map(|(at, mark)| (&name[..at], &name[at + mark.len()..]));
    splits.filter(|(file, _)| !file.is_empty())
}

fn is_archive(file: &str) -> bool {
    Format::of_path(file) == Some(Format::Npz)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_that_is_there_wins_over_an_array() {
        let folder = tempfile::tempdir().unwrap();
        let located = |name: &'static str| {
            let path_of = |file: &str| Ok::<PathBuf, ()>(folder.path().join(file));
            let Located { path: _, file, part } = locate(name, path_of).unwrap();
            (file, part)
        };
        // Nothing is there: what the name says.
        assert_eq!(located("a.npz#x"), ("a.npz", Some("x")));
        assert_eq!(located("a.npz#x#y"), ("a.npz", Some("x#y")));
        assert_eq!(located("a.csv#x"), ("a.csv#x", None));
        assert_eq!(located("#a.npz"), ("#a.npz", None));
        assert_eq!(located("a.npz"), ("a.npz", None));
        fs::write(folder.path().join("b#1.npz"), "").unwrap();
        assert_eq!(located("b#1.npz"), ("b#1.npz", None));
        assert_eq!(located("b#1.npz#x"), ("b#1.npz", Some("x")));
        fs::write(folder.path().join("c"), "").unwrap();
        assert_eq!(located("c#x"), ("c", Some("x")));
        fs::write(folder.path().join("c#x"), "").unwrap();
        assert_eq!(located("c#x"), ("c#x", None));
    }

    #[test]
    fn a_refusal_is_passed_on() {
        assert_eq!(locate("a.npz#x", Err::<PathBuf, _>), Err("a.npz"));
        assert_eq!(locate("a#x", Err::<PathBuf, _>), Err("a#x"));
    }
}
