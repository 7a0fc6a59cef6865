//! Names of files on the command line: `FILE#ARRAY` is one array of a file that contains several,
//! `undirected:FILE` and `reverse:FILE` are a graph with another direction of its arcs,
//! `directed:FILE` one with its own. A file whose actual name is like this has priority.

use star_io::{Direction, Format};

use crate::source::Files;

/// A file and the requested part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located<'n> {
    /// The file name without the array.
    pub file: &'n str,
    /// The array to read; `None` for all.
    pub part: Option<&'n str>,
    /// The direction of the arcs of a graph, if the name says one.
    pub direction: Option<Direction>,
}

/// Determines the file that `name` refers to: the whole name if there is such a file, otherwise the
/// part before a `#`. If none of these files exists, an archive of arrays among the names,
/// otherwise the whole name.
pub fn locate<'n>(name: &'n str, files: &dyn Files) -> Located<'n> {
    let (direction, name) = match files.exists(name) {
        true => (None, name),
        false => split_direction(name),
    };
    let is_meant = |file: &str| files.exists(file) || is_archive(file);
    let archive = match files.exists(name) {
        true => None,
        false => splits(name).find(|(file, _)| is_meant(file)),
    };
    match archive {
        Some((file, part)) => Located { file, part: Some(part), direction },
        None => Located { file: name, part: None, direction },
    }
}

/// The prefixes of a direction.
const UNDIRECTED: &str = "undirected:";
const REVERSE: &str = "reverse:";
const DIRECTED: &str = "directed:";

/// Splits `undirected:FILE`, `reverse:FILE` and `directed:FILE`.
pub fn split_direction(name: &str) -> (Option<Direction>, &str) {
    let (mut direction, mut file) = (Direction::default(), name);
    loop {
        if let Some(rest) = file.strip_prefix(UNDIRECTED) {
            (direction.undirected, file) = (true, rest);
        } else if let Some(rest) = file.strip_prefix(REVERSE) {
            (direction.reverse, file) = (true, rest);
        } else if let Some(rest) = file.strip_prefix(DIRECTED) {
            file = rest;
        } else {
            return ((file.len() < name.len()).then_some(direction), file);
        }
    }
}

/// Returns the other files that `name` may refer to.
pub fn files(name: &str) -> impl Iterator<Item = &str> {
    let (direction, file) = split_direction(name);
    let whole = direction.map(|_| file);
    whole.into_iter().chain(splits(file).map(|(file, _)| file))
}

/// Returns the parts before and after each `#`.
fn splits(name: &str) -> impl Iterator<Item = (&str, &str)> {
    let splits = name.match_indices('#').map(|(at, mark)| (&name[..at], &name[at + mark.len()..]));
    splits.filter(|(file, _)| !file.is_empty())
}

fn is_archive(file: &str) -> bool {
    Format::of_path(file) == Some(Format::Npz)
}

#[cfg(test)]
mod tests {
    use star_base::Code;
    use star_io::FileError;

    use super::*;
    use crate::source::OpenFile;

    /// A set of existing file names.
    struct Named<'a>(&'a [&'a str]);

    impl Files for Named<'_> {
        fn exists(&self, file: &str) -> bool {
            self.0.contains(&file)
        }

        fn open(&self, file: &str) -> Result<OpenFile, FileError> {
            Err(FileError::new(Code::CannotOpen, file, "it has only a name"))
        }
    }

    #[test]
    fn an_existing_file_has_priority_over_an_array() {
        let located = |name: &'static str, files: &[&str]| {
            let Located { file, part, direction: _ } = locate(name, &Named(files));
            (file, part)
        };
        // No file exists: the name determines the result.
        assert_eq!(located("a.npz#x", &[]), ("a.npz", Some("x")));
        assert_eq!(located("a.npz#x#y", &[]), ("a.npz", Some("x#y")));
        assert_eq!(located("a.csv#x", &[]), ("a.csv#x", None));
        assert_eq!(located("#a.npz", &[]), ("#a.npz", None));
        assert_eq!(located("a.npz", &[]), ("a.npz", None));
        assert_eq!(located("b#1.npz", &["b#1.npz"]), ("b#1.npz", None));
        assert_eq!(located("b#1.npz#x", &["b#1.npz"]), ("b#1.npz", Some("x")));
        assert_eq!(located("c#x", &["c"]), ("c", Some("x")));
        assert_eq!(located("c#x", &["c", "c#x"]), ("c#x", None));
    }

    #[test]
    fn a_direction_precedes_a_file_unless_the_file_has_this_name() {
        let located = |name: &'static str, files: &[&str]| {
            let Located { file, direction, .. } = locate(name, &Named(files));
            (file, direction)
        };
        let undirected = Direction { undirected: true, reverse: false };
        assert_eq!(located("undirected:a.gr", &["a.gr"]), ("a.gr", Some(undirected)));
        assert_eq!(located("undirected:a.gr", &["undirected:a.gr"]), ("undirected:a.gr", None));
        let both = Direction { undirected: true, reverse: true };
        assert_eq!(located("reverse:undirected:a.npz#x", &[]), ("a.npz", Some(both)));
        assert_eq!(located("directed:a.csv", &[]), ("a.csv", Some(Direction::default())));
        assert_eq!(files("reverse:a.npz#x").collect::<Vec<_>>(), ["a.npz#x", "a.npz"]);
        assert_eq!(files("a.gr").next(), None);
    }
}
