//! The first program of the documentation compiles and runs outside of the workspace, with one
//! dependency.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Returns the first example of the documentation of the crate.
fn example() -> String {
    let text = include_str!("../src/lib.rs").lines().filter_map(|line| line.strip_prefix("//!"));
    let lines = text.skip_while(|line| *line != " ```").skip(1);
    let lines: Vec<&str> = lines.take_while(|line| *line != " ```").collect();
    let body = lines.iter().filter(|line| !line.starts_with(" # "));
    let body: String = body.map(|line| format!("{line}\n")).collect();
    format!("fn main() -> Result<(), star::Error> {{\n{body}Ok(())\n}}\n")
}

#[test]
fn a_program_with_one_dependency_runs() {
    let star = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = star.parent().expect("the workspace");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("outside");
    fs::create_dir_all(folder.join("src")).expect("a folder");
    let manifest = format!(
        "[package]\nname = \"outside\"\nedition = \"2024\"\n\n[dependencies]\nstar = {{ path = {star:?} }}\n\n\
         [workspace]\n"
    );
    fs::write(folder.join("Cargo.toml"), manifest).expect("a file");
    // The same versions as here, so that nothing is fetched.
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).expect("a file");
    fs::write(folder.join("src/main.rs"), example()).expect("a file");
    let cargo = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--offline"])
        .env_remove("CARGO_TARGET_DIR")
        .current_dir(&folder)
        .output();
    let cargo = cargo.expect("cargo runs");
    assert!(cargo.status.success(), "{}", String::from_utf8_lossy(&cargo.stderr));
}
