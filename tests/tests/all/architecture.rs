//! The invariants of the architecture (`docs/src/internals/architecture.md`), checked on the
//! sources and the dependencies.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").to_owned()
}

/// Returns the direct dependencies of every workspace crate, except those of tests and build
/// scripts.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo metadata runs");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    metadata["packages"]
        .as_array()
        .expect("packages")
        .iter()
        .map(|package| {
            let direct = package["dependencies"]
                .as_array()
                .expect("dependencies")
                .iter()
                .filter(|dependency| dependency["kind"].is_null())
                .map(|dependency| text(&dependency["name"]))
                .collect();
            (text(&package["name"]), direct)
        })
        .collect()
}

/// Returns all workspace crates with which a crate is linked.
fn linked(from: &str, direct: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut work = vec![from.to_owned()];
    while let Some(name) = work.pop() {
        for dependency in direct.get(&name).into_iter().flatten() {
            if found.insert(dependency.clone()) {
                work.push(dependency.clone());
            }
        }
    }
    found
}

#[test]
fn dependencies_have_one_direction() {
    let direct = dependencies();
    let allowed: &[(&str, &[&str])] = &[
        ("star-base", &[]),
        ("star-syntax", &["star-base"]),
        ("star-value", &["star-base"]),
        ("star-ir", &["star-base", "star-value"]),
        ("star-opt", &["star-base", "star-ir"]),
        ("star-compiler", &["star-base", "star-ir", "star-syntax", "star-value"]),
        ("star-intrinsics", &["star-base", "star-value"]),
        ("star-vm", &["star-base", "star-ir", "star-intrinsics", "star-value"]),
        ("star-shaders", &[]),
        (
            "star-gpu",
            &["star-base", "star-intrinsics", "star-ir", "star-shaders", "star-value", "star-vm"],
        ),
        ("star-io", &["star-base", "star-value"]),
        ("star-bind", &["star-base", "star-io", "star-value"]),
        ("star-stdlib", &["star-base"]),
        ("star-report", &["star-base", "star-value"]),
        ("star-doc", &["star-base", "star-compiler", "star-report", "star-syntax"]),
        (
            "star",
            &[
                "star-base",
                "star-bind",
                "star-compiler",
                "star-gpu",
                "star-io",
                "star-ir",
                "star-opt",
                "star-report",
                "star-stdlib",
                "star-syntax",
                "star-value",
                "star-vm",
            ],
        ),
        (
            "star-harness",
            &[
                "star",
                "star-base",
                "star-compiler",
                "star-gpu",
                "star-ir",
                "star-syntax",
                "star-value",
                "star-vm",
            ],
        ),
    ];
    for (name, may) in allowed {
        let ours: Vec<&String> = direct[*name]
            .iter()
            .filter(|dependency| *dependency == "star" || dependency.starts_with("star-"))
            .collect();
        for dependency in ours {
            assert!(may.contains(&dependency.as_str()), "{name} depends on {dependency}");
        }
    }
    // The fuzz targets use the tests' programs and machines, and each rank of a job runs a command.
    let may = [("star-fuzz", "star-tests"), ("star-ranks", "star-cli")];
    for (name, its) in &direct {
        for end in ["star-cli", "star-tests", "star-benches"] {
            let is_allowed = may.contains(&(name.as_str(), end));
            assert!(is_allowed || !its.contains(end), "{name} depends on {end}");
        }
    }
}

#[test]
fn machine_and_compiler_do_not_link_each_other() {
    let direct = dependencies();
    let machine = linked("star-vm", &direct);
    assert!(!machine.contains("star-syntax") && !machine.contains("star-compiler"), "{machine:?}");
    let compiler = linked("star-compiler", &direct);
    assert!(!compiler.contains("star-vm") && !compiler.contains("wgpu"), "{compiler:?}");
    for (path, text) in sources() {
        let is_server = path.starts_with("lsp/src/") && path != "lsp/src/toolchain.rs";
        let code = code(&text);
        let other = code.lines().find(|line| line.contains("use star_"));
        assert!(!is_server || other.is_none(), "{path} names a crate: {other:?}");
    }
}

/// Returns the Rust sources of the workspace, as paths from its root with `/`, and their texts.
fn sources() -> Vec<(String, String)> {
    fn collect(folder: &Path, root: &Path, found: &mut Vec<(String, String)>) {
        let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        entries.sort();
        for path in entries {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                if name != "target" && !name.starts_with('.') {
                    collect(&path, root, found);
                }
            } else if name.ends_with(".rs") || name.ends_with(".lalrpop") {
                let relative =
                    path.strip_prefix(root).expect("inside").to_string_lossy().replace('\\', "/");
                found.push((relative, std::fs::read_to_string(&path).expect("text")));
            }
        }
    }
    let mut found = Vec::new();
    collect(&root(), &root(), &mut found);
    assert!(found.len() > 30, "the sources are found");
    found
}

/// Returns the code of a file without line comments, string literals and unit tests.
fn code(text: &str) -> String {
    let end = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    text[..end]
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .map(|line| line.split('"').step_by(2).collect::<Vec<_>>().join("\"\""))
        .collect::<Vec<_>>()
        .join("\n")
}

fn only_allowed_in(word: &str, may: &[&str]) {
    for (path, text) in sources() {
        if may.iter().any(|prefix| path.starts_with(prefix))
            || path == "tests/tests/all/architecture.rs"
        {
            continue;
        }
        let code = code(&text);
        let line = code.lines().find(|line| line.contains(word));
        assert!(line.is_none(), "{path} says `{word}`: {}", line.unwrap_or_default().trim());
    }
}

#[test]
fn third_party_types_stay_in_the_edge_crates() {
    only_allowed_in("wgpu", &["vm/gpu/src/device.rs", "vm/gpu/src/device/"]);
    only_allowed_in("lalrpop", &["compiler/syntax/"]);
    only_allowed_in("logos", &["compiler/syntax/"]);
    only_allowed_in("codespan", &["report/src/message/render.rs"]);
    only_allowed_in("clap", &["cli/src/", "cli/os/", "cli/tests/"]);
    only_allowed_in("png::", &["io/src/format/png.rs", "io/src/registry.rs"]);
    only_allowed_in(
        "tiff::",
        &["io/src/format/tiff/", "io/src/format/raster.rs", "io/src/registry.rs"],
    );
    only_allowed_in("zune_", &["io/src/format/jpeg.rs"]);
    only_allowed_in("ZipArchive", &["io/src/format/npz.rs"]);
    only_allowed_in("indicatif", &["cli/os/src/progress.rs"]);
    only_allowed_in("maud", &["report/", "doc/src/site.rs"]);
    only_allowed_in("comfy_table", &["report/src/columns.rs"]);
    only_allowed_in("similar::", &["cli/src/command/fmt.rs"]);
    only_allowed_in("strsim", &["compiler/base/src/diagnostic.rs"]);
    only_allowed_in("plotters", &["report/src/page/plot.rs", "report/src/page/pdf.rs"]);
    only_allowed_in("pdf_writer", &["report/src/page/pdf.rs"]);
    only_allowed_in("rustyline", &["cli/src/repl/terminal.rs"]);
    only_allowed_in("flate2", &["io/src/packing.rs", "io/tests/"]);
    only_allowed_in("csv::", &["io/src/format/"]);
    only_allowed_in("quick_xml", &["io/src/format/graphml.rs"]);
    only_allowed_in("serde::de", &["io/src/format/node_link.rs", "lsp/src/"]);
    only_allowed_in("memmap2", &["vm/value/src/zeros.rs"]);
    only_allowed_in("mpi::", &["vm/ranks/src/"]);
    only_allowed_in("gen_lsp_types", &["lsp/src/protocol.rs"]);
    only_allowed_in("lsp_server", &["lsp/src/protocol.rs"]);
}

#[test]
fn nothing_below_the_edge_crates_accesses_the_system() {
    for word in [
        "std::fs",
        "std::env",
        "std::net",
        "std::process",
        "stdout()",
        "stderr()",
        "println!",
        "eprintln!",
        "Instant::",
        "SystemTime",
    ] {
        only_allowed_in(
            word,
            &[
                "cli/",
                "lsp/",
                "harness/",
                "star/src/files.rs",
                "star/tests/",
                "examples/embed.rs",
                "vm/gpu/src/device/stderr.rs",
                "vm/gpu/tests/",
                "vm/ranks/",
                "report/src/measure/",
                "tests/",
                "benches/",
                "fuzz/",
                "compiler/syntax/generate/",
                "io/tests/",
                "compiler/ir/tests/",
                "compiler/opt/tests/",
            ],
        );
    }
}

#[test]
fn no_code_is_unsafe() {
    only_allowed_in("unsafe", &[]);
}

/// The vector engine also serves other backends, and the layers below the interpreter do not know
/// it.
#[test]
fn the_tape_is_independent_of_its_recorders() {
    let below = [
        "vm/src/tape/",
        "vm/src/kernels/",
        "vm/src/cpu/class.rs",
        "vm/src/cpu/code.rs",
        "vm/src/cpu/compile/",
        "vm/src/cpu/copies.rs",
        "vm/src/cpu/inst.rs",
        "vm/src/cpu/lines/compile.rs",
        "vm/src/cpu/lines/mod.rs",
        "vm/src/cpu/operand.rs",
        "vm/src/cpu/parallelism.rs",
        "vm/src/cpu/pool.rs",
        "vm/src/cpu/probe.rs",
        "vm/src/cpu/recording/mod.rs",
        "vm/src/cpu/registers/mod.rs",
        "vm/src/cpu/summary.rs",
        "vm/src/cpu/table/",
        "vm/src/cpu/loop_kernels/compile.rs",
        "vm/src/cpu/loop_kernels/mod.rs",
        "vm/src/cpu/value/",
        "vm/src/cpu/window.rs",
    ];
    for (path, text) in sources() {
        if below.iter().any(|prefix| path.starts_with(prefix)) {
            let code = code(&text);
            assert!(!code.contains("Interpreter"), "{path} knows the interpreter");
            let of_cpu = code.matches("crate::cpu::").count();
            let of_threads = code.matches("crate::cpu::p").count()
                + code.matches("crate::cpu::Settings").count();
            assert!(
                !path.starts_with("vm/src/tape/") || of_cpu == of_threads,
                "{path} knows the backend"
            );
        }
    }
}

#[test]
fn files_have_a_readable_length() {
    for (path, text) in sources() {
        if path.starts_with("compiler/syntax/src/generated/") {
            continue; // written by LALRPOP
        }
        let n_lines = code(&text).lines().count();
        assert!(n_lines <= 800, "{path} has {n_lines} lines: more than one concept?");
    }
}
