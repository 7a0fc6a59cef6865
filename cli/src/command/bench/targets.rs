//! Discovery of benchmark files and headers.

use std::fs::{self, Metadata};
use std::path::Path;

use star_base::{Diagnostic, FileId};
use star_compiler::MAX_SOURCE_BYTES;
use star_harness::headers;
use star_os::flags::Flags;
use star_os::whole_file;

use crate::headers::find::{StarFile, star_files};

/// A file that may have benchmarks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// Its path.
    pub(super) path: String,
    /// Its name in rows: relative to the given folder, with `/`.
    pub(super) name: String,
}

/// Returns the files that these paths name: programs, and all programs below folders.
///
/// # Errors
/// E0111 for paths that do not exist or cannot be read.
pub(super) fn targets(paths: &[String]) -> Result<Vec<Target>, Vec<Diagnostic>> {
    let mut targets: Vec<Target> = Vec::new();
    for path in paths {
        for StarFile { file, named } in star_files(std::slice::from_ref(path))? {
            if targets.iter().any(|other| other.path == file) {
                continue;
            }
            let whole = Path::new(&file);
            let part = match named {
                true => whole.file_name().map_or(whole, Path::new),
                false => whole.strip_prefix(path).unwrap_or(whole),
            };
            let mut name = slashes(part);
            if targets.iter().any(|other| other.name == name) {
                name = slashes(whole);
            }
            targets.push(Target { path: file, name });
        }
    }
    Ok(targets)
}

fn slashes(path: &Path) -> String {
    let parts = path.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
    parts.collect::<Vec<_>>().join("/").replace("//", "/")
}

/// Tests whether the file contains a benchmark or an invalid header; true for a file that cannot be
/// read, whose error is reported where it is compiled, and for a pipe, which is read once.
pub(super) fn may_have_benchmarks(target: &Target, flags: &Flags) -> bool {
    let path = Path::new(&target.path);
    let regular = fs::metadata(path).ok().filter(Metadata::is_file);
    let read = |metadata| whole_file::read(path, &metadata, MAX_SOURCE_BYTES, &|| flags.stop());
    match regular.map(read) {
        Some(Ok(text)) => has_benchmarks(&String::from_utf8_lossy(&text)),
        Some(Err(_)) | None => true,
    }
}

/// Tests whether the text contains a benchmark or an invalid header, even if it does not compile.
fn has_benchmarks(text: &str) -> bool {
    let may = text.contains("@bench") || text.contains("@test") && text.contains("bench");
    if !may {
        return false;
    }
    let file = FileId(0);
    let (headers, faults): (_, Vec<Diagnostic>) =
        headers(file, text, &star_syntax::parse(file, text));
    !faults.is_empty() || headers.iter().any(star_harness::Header::is_benchmark)
}

#[cfg(test)]
mod tests {
    use star_base::Code;

    use super::*;

    #[test]
    fn files_below_folders_are_found_once() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for name in ["b.star", "a/c.star", "a/d.txt", ".git/e.star"] {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let root = root.display().to_string();
        let names = |paths: &[String]| {
            let found = targets(paths).unwrap();
            found.into_iter().map(|target| target.name).collect::<Vec<_>>()
        };
        assert_eq!(names(std::slice::from_ref(&root)), ["a/c.star", "b.star"]);
        assert_eq!(names(&[format!("{root}/b.star"), format!("{root}/b.star")]), ["b.star"]);
        let other = targets(&[format!("{root}/a"), root.clone()]).unwrap();
        assert_eq!(other.len(), 2);
        assert_eq!(targets(&["no such".to_owned()]).unwrap_err()[0].code, Code::SourceUnreadable);
    }

    #[test]
    fn files_with_benchmarks_or_invalid_headers_are_used() {
        assert!(has_benchmarks("/* @bench x */ program P; begin end."));
        assert!(has_benchmarks("/* @test x\n bench n = 5\n n = 1 */ program P; begin end."));
        assert!(has_benchmarks("/* @bench x\n bnech */ program P; begin"));
        assert!(!has_benchmarks("/* @test x */ program P; begin end."));
        assert!(!has_benchmarks("program P; begin print(\"@bench\") end."));
    }
}
