//! `star doctor`: system information, and its use by `star`.

use clap::Args;
use serde_json::{Map, Value, json};
use star_base::intrinsics::{Intrinsic, Signature};
use star_os::output::Output;
use star_report::columns::{self, Align};
use star_report::json;

use crate::doctor::{BackendState, Files, Findings, Memory, Processor, examine};
use crate::text;

/// Arguments of `star doctor`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  star doctor
  star doctor --json")]
pub(crate) struct DoctorArgs {
    /// Print one JSON object on one line
    #[arg(long)]
    json: bool,
}

/// Prints the system information.
pub(crate) fn run(args: &DoctorArgs, output: &mut Output) {
    let findings = examine();
    let text = if args.json { json::line(&object(&findings)) } else { table(&findings) };
    output.write(&text);
}

/// Formats one line for each item, with names on the left.
fn table(findings: &Findings) -> String {
    let Findings { processor, memory, kernels, files, backends } = findings;
    let Processor { model, architecture, features, n_threads } = processor;
    let Memory { total, available, allowed } = memory;
    let Files { max_open, max_bytes, folder, free } = files;
    let unknown = || "unknown".to_owned();
    let gibibytes = |bytes: Option<u64>| bytes.map_or_else(unknown, text::bytes);
    let no_limit = || "no limit".to_owned();
    let names = |there: bool| {
        let mut names = features.iter().filter(|(_, has)| *has == there).map(|(name, _)| *name);
        let first = names.next().unwrap_or("none").to_owned();
        names.fold(first, |list, name| format!("{list}, {name}"))
    };
    let model = model.as_deref().map_or_else(unknown, text::one_line);
    let mut rows = vec![
        ("processor".to_owned(), format!("{model}, {architecture}")),
        ("  has".to_owned(), names(true)),
        ("  lacks".to_owned(), names(false)),
        ("threads".to_owned(), n_threads.map_or_else(unknown, |n| n.to_string())),
        ("kernels".to_owned(), (*kernels).to_owned()),
        ("memory".to_owned(), gibibytes(*total)),
        ("  available".to_owned(), text::bytes(*available)),
        (
            "  allowed".to_owned(),
            allowed.map_or_else(no_limit, |bytes| format!("{} more", text::bytes(bytes))),
        ),
        ("open files".to_owned(), max_open.map_or_else(no_limit, |n| format!("at most {n}"))),
        (
            "file size".to_owned(),
            max_bytes.map_or_else(no_limit, |bytes| format!("at most {}", text::bytes(bytes))),
        ),
        ("current folder".to_owned(), {
            let folder = folder.as_deref().map(|folder| folder.display().to_string());
            let free = free.map_or_else(
                || "free space unknown".to_owned(),
                |bytes| format!("{} free", text::bytes(bytes)),
            );
            format!("{}, {free}", folder.map_or_else(unknown, |folder| text::one_line(&folder)))
        }),
    ];
    for BackendState { name, is_default, state, device, default_memory, intrinsics } in backends {
        let is_there = state.is_ok();
        let state = match (state, default_memory) {
            (Err(why), _) => why.clone(),
            (Ok(()), None) => "available".to_owned(),
            (Ok(()), Some(bytes)) => {
                let memory = text::bytes(*bytes);
                format!("available, holds values of {memory} unless `--max-memory` is set")
            }
        };
        let state = if *is_default { format!("{state}; default") } else { state };
        rows.push((format!("backend {name}"), state));
        rows.extend(device.iter().map(|device| ("  device".to_owned(), text::one_line(device))));
        rows.extend(
            intrinsics.iter().map(|intrinsic| ("  intrinsic".to_owned(), routines(*intrinsic))),
        );
        let as_written = if is_there { as_written(intrinsics) } else { Vec::new() };
        if !as_written.is_empty() {
            rows.push(("  as written".to_owned(), as_written.join(", ")));
        }
    }
    columns::lines([Align::Left; 2], rows.into_iter().map(<[String; 2]>::from))
}

fn object(findings: &Findings) -> Value {
    let Findings { processor, memory, kernels, files, backends } = findings;
    let Processor { model, architecture, features, n_threads } = processor;
    let Memory { total, available, allowed } = memory;
    let Files { max_open, max_bytes, folder, free } = files;
    let features: Map<String, Value> =
        features.iter().map(|&(name, has)| (name.to_owned(), json!(has))).collect();
    let backends: Vec<Value> = backends
        .iter()
        .map(|BackendState { name, is_default, state, device, default_memory, intrinsics }| {
            json!({
                "name": name,
                "default": is_default,
                "available": state.is_ok(),
                "reason": state.as_ref().err(),
                "device": device,
                "default_memory": default_memory,
                "intrinsics": intrinsics.iter().map(|intrinsic| of_intrinsic(*intrinsic)).collect::<Vec<Value>>(),
                "as_written": if state.is_ok() { as_written(intrinsics) } else { Vec::new() },
            })
        })
        .collect();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "processor": {
            "model": model,
            "architecture": architecture,
            "features": features,
            "threads": n_threads,
        },
        "memory": { "total": total, "available": available, "allowed": allowed },
        "kernels": kernels,
        "files": {
            "max_open": max_open,
            "max_bytes": max_bytes,
            "folder": folder.as_deref().map(|folder| folder.to_string_lossy()),
            "free": free,
        },
        "backends": backends,
    })
}

/// Returns an intrinsic by name, with the routines that it implements.
fn of_intrinsic(intrinsic: Intrinsic) -> Value {
    let Signature { name, routines, module, summary, .. } = intrinsic.signature();
    json!({ "name": name, "module": module, "routines": routines, "summary": summary })
}

/// Returns the library routines in the catalogue for which these intrinsics have no implementation.
fn as_written(intrinsics: &[Intrinsic]) -> Vec<&'static str> {
    let others = Intrinsic::ALL.iter().filter(|intrinsic| !intrinsics.contains(intrinsic));
    others.flat_map(|intrinsic| intrinsic.signature().routines).copied().collect()
}

/// Returns the library routines that an intrinsic implements, and their modules.
fn routines(intrinsic: Intrinsic) -> String {
    let Signature { routines, module, summary, .. } = intrinsic.signature();
    format!("{} of star:{module}: {summary}", routines.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_formats_report_missing_items() {
        let findings = Findings {
            processor: Processor {
                model: None,
                architecture: "x86_64",
                features: vec![("avx2", true), ("avx512f", false)],
                n_threads: Some(2),
            },
            memory: Memory { total: Some(8 << 30), available: 512 << 20, allowed: Some(1 << 30) },
            kernels: "AVX2",
            files: Files {
                max_open: None,
                max_bytes: Some(5 << 20),
                folder: Some("/work".into()),
                free: None,
            },
            backends: vec![
                BackendState {
                    name: "one",
                    is_default: true,
                    state: Ok(()),
                    device: None,
                    default_memory: Some(3 << 30),
                    intrinsics: vec![star_base::intrinsics::catalogue::closure::CLOSURE],
                },
                BackendState {
                    name: "two",
                    is_default: false,
                    state: Err("not here".to_owned()),
                    device: None,
                    default_memory: None,
                    intrinsics: Vec::new(),
                },
            ],
        };
        let text = table(&findings);
        for line in [
            "processor       unknown, x86_64\n",
            "  has           avx2\n",
            "  lacks         avx512f\n",
            "memory          8.0 GiB\n",
            "  available     512.0 MiB\n",
            "  allowed       1.0 GiB more\n",
            "open files      no limit\n",
            "file size       at most 5.0 MiB\n",
            "current folder  /work, free space unknown\n",
            "backend one     available, holds values of 3.0 GiB unless `--max-memory` is set; default\n",
            "  intrinsic     WARSHALL, WARSHALL-C, WARSHALL-adapt of star:closure: strongly connected components, ",
            "  as written    CONDENSE, REACHES, REACHABLE",
            "backend two     not here\n",
        ] {
            assert!(text.contains(line), "{line}{text}");
        }
        let object = object(&findings);
        assert_eq!(object["backends"][1]["reason"], "not here");
        assert_eq!(object["backends"][0]["reason"], Value::Null);
        assert_eq!(object["backends"][0]["default"], true);
        let intrinsic = &object["backends"][0]["intrinsics"][0];
        assert_eq!(
            (&intrinsic["name"], &intrinsic["module"]),
            (&"closure".into(), &"closure".into())
        );
        assert_eq!(intrinsic["routines"][0], "WARSHALL");
        assert_eq!(object["backends"][0]["as_written"][0], "CONDENSE");
        assert!(!text.ends_with("REACHABLE\n"), "an unavailable backend lists no routines");
        assert_eq!(
            (&object["memory"]["allowed"], &object["files"]["max_bytes"]),
            (&(1 << 30).into(), &(5 << 20).into())
        );
        assert_eq!(object["processor"]["features"]["avx512f"], false);
    }
}
