//! A target over the files of the command line, and those in folders of it: for examining a failure
//! or a corpus without a fuzzer.

use std::fs;
use std::io;
use std::path::Path;

/// Runs `body` over every file named on the command line.
///
/// # Errors
/// If a file cannot be read.
pub fn replay(body: fn(&[u8])) -> io::Result<()> {
    for path in std::env::args_os().skip(1) {
        replay_path(Path::new(&path), body)?;
    }
    Ok(())
}

fn replay_path(path: &Path, body: fn(&[u8])) -> io::Result<()> {
    if path.is_dir() {
        let mut entries: Vec<_> =
            fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
        entries.sort();
        return entries.iter().try_for_each(|entry| replay_path(entry, body));
    }
    println!("{}", path.display());
    body(&fs::read(path)?);
    Ok(())
}
