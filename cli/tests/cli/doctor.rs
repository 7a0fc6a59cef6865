//! `star doctor`.

use crate::support::Folder;

#[test]
fn both_forms_name_backends_memory_and_kernels() {
    let folder = Folder::new(&[]);
    let ran = folder.star(&["doctor"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    for name in ["processor", "threads", "kernels", "memory", "open files", "temporary files"] {
        assert!(ran.stdout.lines().any(|line| line.starts_with(name)), "{name}: {ran:?}");
    }
    let ran = folder.star(&["doctor", "--json"]);
    assert_eq!(ran.stdout.lines().count(), 1);
    let object: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(object["memory"]["available"].as_u64() > Some(1 << 20));
    assert!(object["processor"]["threads"].as_u64() >= Some(1));
    assert!(object["files"]["free"].as_u64() > Some(0), "{object}");
    // What it says of backends is true.
    for backend in object["backends"].as_array().unwrap() {
        let name = backend["name"].as_str().unwrap();
        folder.write("p.star", b"program P; begin print(1) end.");
        let run = folder.star(&["run", "p.star", "--backend", name]);
        match backend["available"].as_bool() {
            Some(true) => run.prints("1\n"),
            Some(false) | None => run.fails(2, &["error[E0607]"]),
        }
    }
}

#[test]
fn a_folder_that_is_not_there_has_no_free_bytes() {
    let folder = Folder::new(&[]);
    let mut command = folder.command(&["doctor", "--json"]);
    let output = command.env("TMPDIR", "/no/such/folder").output().unwrap();
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(object["files"]["free"].is_null());
    assert_eq!(object["files"]["temporary"], "/no/such/folder");
}
