//! Data made where a file may stand: `P='gen gnp -n 100 -p 0.1'`.

/// What begins the name of such data.
const WORD: &str = "gen";

/// The options, if a name is no file but data to be made. A file of that name is written `./gen …`.
pub fn options(name: &str) -> Option<&str> {
    let rest = name.trim_start().strip_prefix(WORD)?;
    rest.starts_with(char::is_whitespace).then_some(rest)
}
