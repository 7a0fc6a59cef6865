//! `star doctor`: what this machine has, and what `star` makes of it.

use std::fmt::Write as _;

use clap::Args;
use serde_json::{Map, Value, json};
use star_base::natives::{Native, Signature};

use crate::doctor::{BackendState, Files, Findings, Memory, Processor, examine};
use crate::json;
use crate::output::Output;
use crate::text;

/// What `star doctor` is told.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  star doctor
  star doctor --json")]
pub(crate) struct DoctorArgs {
    /// One JSON object on one line
    #[arg(long)]
    json: bool,
}

/// Says what there is.
pub(crate) fn run(args: &DoctorArgs, output: &mut Output) {
    let findings = examine();
    let text = if args.json { json::line(&object(&findings)) } else { table(&findings) };
    output.write(&text);
}

/// A line for each thing, names on the left.
fn table(findings: &Findings) -> String {
    let Findings { processor, memory, kernels, files, backends } = findings;
    let Processor { model, architecture, features, n_threads } = processor;
    let Memory { total, available } = memory;
    let Files { max_open, temporary, free } = files;
    let unknown = || "not known".to_owned();
    let gibibytes = |bytes: Option<u64>| bytes.map_or_else(unknown, text::bytes);
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
            "open files".to_owned(),
            max_open.map_or_else(|| "no limit known".to_owned(), |n| format!("{n} at most")),
        ),
        ("temporary files".to_owned(), {
            let folder = text::one_line(&temporary.display().to_string());
            format!("{folder}, {} free", gibibytes(*free))
        }),
    ];
    for BackendState { name, is_default, state, default_memory, natives } in backends {
        let state = match (state, default_memory) {
            (Err(why), _) => (*why).to_owned(),
            (Ok(()), None) => "there".to_owned(),
            (Ok(()), Some(bytes)) => {
                let memory = text::bytes(*bytes);
                format!("there, takes values of {memory} unless `--max-memory` says otherwise")
            }
        };
        let state = if *is_default { format!("{state}; the default") } else { state };
        rows.push((format!("backend {name}"), state));
        rows.extend(natives.iter().map(|native| ("  native".to_owned(), routines(*native))));
    }
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    rows.iter().fold(String::new(), |mut table, (name, value)| {
        let _ = writeln!(table, "{name:<width$}  {value}"); // a String takes any text
        table
    })
}

fn object(findings: &Findings) -> Value {
    let Findings { processor, memory, kernels, files, backends } = findings;
    let Processor { model, architecture, features, n_threads } = processor;
    let Memory { total, available } = memory;
    let Files { max_open, temporary, free } = files;
    let features: Map<String, Value> =
        features.iter().map(|&(name, has)| (name.to_owned(), json!(has))).collect();
    let backends: Vec<Value> = backends
        .iter()
        .map(|BackendState { name, is_default, state, default_memory, natives }| {
            json!({
                "name": name,
                "default": is_default,
                "available": state.is_ok(),
                "reason": state.err(),
                "default_memory": default_memory,
                "natives": natives.iter().map(ToString::to_string).collect::<Vec<String>>(),
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
        "memory": { "total": total, "available": available },
        "kernels": kernels,
        "files": {
            "max_open": max_open,
            "temporary": temporary.to_string_lossy(),
            "free": free,
        },
        "backends": backends,
    })
}

/// The library routines that a native stands for, and where to find them.
fn routines(native: Native) -> String {
    let Signature { routines, module, summary, .. } = native.signature();
    format!("{} of star:{module}: {summary}", routines.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_tell_what_is_missing() {
        let findings = Findings {
            processor: Processor {
                model: None,
                architecture: "x86_64",
                features: vec![("avx2", true), ("avx512f", false)],
                n_threads: Some(2),
            },
            memory: Memory { total: Some(8 << 30), available: 512 << 20 },
            kernels: "AVX2",
            files: Files { max_open: None, temporary: "/tmp".into(), free: None },
            backends: vec![
                BackendState {
                    name: "one",
                    is_default: true,
                    state: Ok(()),
                    default_memory: Some(3 << 30),
                    natives: &[Native::Closure],
                },
                BackendState {
                    name: "two",
                    is_default: false,
                    state: Err("not here"),
                    default_memory: None,
                    natives: &[],
                },
            ],
        };
        let text = table(&findings);
        for line in [
            "processor        not known, x86_64\n",
            "  has            avx2\n",
            "  lacks          avx512f\n",
            "memory           8.0 GiB\n",
            "  available      512.0 MiB\n",
            "temporary files  /tmp, not known free\n",
            "backend one      there, takes values of 3.0 GiB unless `--max-memory` says otherwise; the default\n",
            "  native         WARSHALL, WARSHALL-C, WARSHALL-adapt of star:closure: strong components, ",
            "backend two      not here\n",
        ] {
            assert!(text.contains(line), "{line}{text}");
        }
        let object = object(&findings);
        assert_eq!(object["backends"][1]["reason"], "not here");
        assert_eq!(object["backends"][0]["reason"], Value::Null);
        assert_eq!(object["backends"][0]["default"], true);
        assert_eq!(object["processor"]["features"]["avx512f"], false);
    }
}
