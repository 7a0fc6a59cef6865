//! Runs `check`: programs on processes over MPI, compared with `star run`.

use std::path::Path;
use std::process::Command;

/// The command `star` is that of the last build of the same folder.
#[test]
fn processes_agree_with_one() {
    let ranks = Path::new(env!("CARGO_BIN_EXE_star-ranks"));
    let star = ranks.with_file_name("star");
    assert!(star.is_file(), "no {}: build `star` first", star.display());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("check");
    let status = Command::new(script).arg(star).arg(ranks).status().unwrap();
    assert!(status.success(), "{status}");
}
