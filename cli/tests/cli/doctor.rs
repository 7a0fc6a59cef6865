//! `star doctor`.

use crate::support::{Folder, Ran};

#[test]
fn both_formats_list_backends_memory_and_kernels() {
    let folder = Folder::new(&[]);
    let ran = folder.star(&["doctor"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    for name in ["processor", "threads", "kernels", "memory", "open files", "current folder"] {
        assert!(ran.stdout.lines().any(|line| line.starts_with(name)), "{name}: {ran:?}");
    }
    let ran = folder.star(&["doctor", "--json"]);
    assert_eq!(ran.stdout.lines().count(), 1);
    let object: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(object["memory"]["available"].as_u64() > Some(1 << 20));
    assert!(object["processor"]["threads"].as_u64() >= Some(1));
    assert!(object["files"]["free"].as_u64() > Some(0), "{object}");
    // The listed states of backends are correct.
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
fn process_limits_are_reported_and_respected() {
    let folder = Folder::new(&[]);
    // A gibibyte of address space, a file of 64 KiB.
    let ran = folder.shell("ulimit -v 1048576; ulimit -f 64; $STAR doctor --json");
    let object: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let of = |group: &str, name: &str| object[group][name].as_u64();
    let allowed = of("memory", "allowed").unwrap();
    assert!(allowed < 1 << 30 && allowed > 100 << 20, "{object}");
    assert!(of("memory", "available") <= Some(allowed), "{object}");
    assert!(
        of("files", "max_bytes").is_some_and(|bytes| (32 << 10..=64 << 10).contains(&bytes)),
        "{object}"
    );
    let mut backends = object["backends"].as_array().unwrap().iter();
    assert!(backends.all(|backend| backend["default_memory"].as_u64() < Some(allowed)));
    let text = folder.shell("ulimit -v 1048576; $STAR doctor").stdout;
    assert!(
        text.lines().any(|line| line.starts_with("  allowed") && line.ends_with("MiB more")),
        "{text}"
    );
}

#[test]
fn drivers_do_not_ask_for_a_display() {
    let folder = Folder::new(&[]);
    for value in [None, Some(""), Some("relative")] {
        let mut command = folder.command(&["doctor"]);
        command.env_remove("XDG_RUNTIME_DIR").envs(value.map(|value| ("XDG_RUNTIME_DIR", value)));
        let ran = Ran::of(command.output().unwrap());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{value:?}");
    }
}
