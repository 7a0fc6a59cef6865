//! Conditions of the measurements: machines, bandwidth, and warnings for the reader.

use maud::{Markup, html};
use star_base::text::{self, one_line};

use crate::record::{MachineInfo, Record, Settings, Source, Speed, Tool};

use super::{NamedRecord, figures};
use crate::html;

/// Returns the differences between the machines of two records that affect a comparison of times.
pub fn differences(a: &Record, b: &Record) -> Vec<String> {
    let mut found = Vec::new();
    let mut say = |what: &str, a: Option<String>, b: Option<String>| {
        if let (Some(a), Some(b)) = (a, b)
            && a != b
        {
            found.push(format!("{what}: {a} and {b}"));
        }
    };
    let number = |number: Option<u64>| number.map(|number| number.to_string());
    let MachineInfo { cpu, architecture, features: _, kernels, threads, memory_bytes, os } =
        &a.machine;
    say("processor", cpu.clone(), b.machine.cpu.clone());
    say("architecture", architecture.clone(), b.machine.architecture.clone());
    say("kernels", kernels.clone(), b.machine.kernels.clone());
    say("threads", number(*threads), number(b.machine.threads));
    say("memory", memory_bytes.map(text::bytes), b.machine.memory_bytes.map(text::bytes));
    say("system", os.clone(), b.machine.os.clone());
    if a.tool.name == b.tool.name {
        say("build", a.tool.profile.clone(), b.tool.profile.clone());
    }
    let mut speeds: Vec<&Speed> = a.bandwidth.iter().collect();
    speeds.sort_by_key(|speed| speed.threads);
    let mut compared: Vec<(u64, &Option<String>)> = Vec::new();
    for Speed { threads, read_gb_per_s: first, when, .. } in speeds {
        // The first probe before a measurement is compared with the first one before another.
        let probe = (*threads, when);
        let n_before = compared.iter().filter(|other| **other == probe).count();
        compared.push(probe);
        let mut others = b.bandwidth.iter().filter(|speed| (speed.threads, &speed.when) == probe);
        let Some(Speed { read_gb_per_s: second, .. }) = others.nth(n_before) else { continue };
        if (first / second - 1.0).abs() > 0.1 {
            let speed = |speed: f64| Some(format!("{speed:.1} GB/s"));
            let on = text::count(usize::try_from(*threads).unwrap_or(usize::MAX), "thread");
            say(&format!("reading on {on}"), speed(*first), speed(*second));
        }
    }
    found
}

/// Returns the warnings at the start of the page: one line for each kind of warning, with a folded
/// list of the files.
pub(super) fn warnings(files: &[NamedRecord]) -> Markup {
    let mut kinds: Vec<(&str, Vec<String>)> = Vec::new();
    let mut warn = |kind: &'static str, about: String| match kinds
        .iter_mut()
        .find(|(known, _)| *known == kind)
    {
        Some((_, cases)) => cases.push(about),
        None => kinds.push((kind, vec![about])),
    };
    for NamedRecord { name, record } in files {
        if record.tool.profile.as_deref() == Some("debug") {
            warn("measured with a debug build: its times are not meaningful", name.clone());
        }
        if record.interrupted {
            warn("interrupted: only the measurements until then are included", name.clone());
        }
        let wide = |row: &&crate::record::Row| {
            row.time.as_ref().is_some_and(|time| time.reached == Some(false))
        };
        let rows = |n: usize| format!("{name}: {}", text::count(n, "row"));
        let n = record.rows.iter().filter(wide).count();
        if n > 0 {
            let kind = "intervals wider than requested (marked ~): time or runs were used up";
            warn(kind, rows(n));
        }
        let n = record.rows.iter().filter(|row| row.error.is_some()).count();
        if n > 0 {
            warn("an error instead of a time", rows(n));
        }
    }
    for other in files.iter().skip(1) {
        for difference in differences(&files[0].record, &other.record) {
            let about = format!("{} and {}: {difference}", files[0].name, other.name);
            warn("machines differ: ratios across these files are not reliable", about);
        }
    }
    html! {
        @if !kinds.is_empty() {
            div.warnings {
                @for (kind, cases) in &kinds {
                    "\n" details {
                        summary { (kind) " (" (text::count(cases.len(), if kind.starts_with("machines") { "difference" } else { "file" })) ")" }
                        ul { @for about in cases { "\n" li { (one_line(about)) } } "\n" }
                    }
                }
                "\n"
            }
            "\n"
        }
    }
}

/// Returns a table with a column for each file.
pub(super) fn machines(files: &[NamedRecord]) -> Markup {
    let mut rows: Vec<(&str, Vec<String>)> = Vec::new();
    let mut add = |name, cell: fn(&Record) -> String| {
        let cells: Vec<String> = files.iter().map(|file| cell(&file.record)).collect();
        if cells.iter().any(|cell| !cell.is_empty()) {
            rows.push((name, cells));
        }
    };
    add("processor", |record| {
        let MachineInfo { cpu, architecture, .. } = &record.machine;
        joined([cpu.clone(), architecture.clone()])
    });
    add("kernels", |record| record.machine.kernels.clone().unwrap_or_default());
    add("features", |record| record.machine.features.join(" "));
    add("threads", |record| record.machine.threads.map(figures::whole).unwrap_or_default());
    add("memory", |record| record.machine.memory_bytes.map(text::bytes).unwrap_or_default());
    add("read bandwidth", |record| {
        let speeds =
            record.bandwidth.iter().map(|Speed { threads, bytes, read_gb_per_s, when }| {
                let threads = if *threads == 1 {
                    "one thread".to_owned()
                } else {
                    format!("{threads} threads")
                };
                let when = when.as_deref().map_or_else(String::new, |when| format!(" {when}"));
                format!("{read_gb_per_s:.1} GB/s on {threads}{when} ({})", text::bytes(*bytes))
            });
        speeds.collect::<Vec<_>>().join("; ")
    });
    add("graphics card", |record| record.adapter.clone().unwrap_or_default());
    add("system", |record| record.machine.os.clone().unwrap_or_default());
    add("measured by", |record| {
        let Tool { name, version, commit, rustc, profile } = &record.tool;
        let name = match version {
            Some(version) => format!("{name} {version}"),
            None => name.clone(),
        };
        let commit = commit.as_ref().map(|commit| format!("commit {commit}"));
        let profile = profile.as_ref().map(|profile| format!("{profile} build"));
        joined([Some(name), commit, rustc.clone(), profile])
    });
    add("date", |record| record.date.clone().unwrap_or_default());
    add("enough", |record| {
        let Some(Settings { time_s, width, max_runs, confidence }) = record.settings else {
            return String::new();
        };
        format!(
            "the interval of the median ({}) within ± {}, or {}, or {} samples",
            figures::percent(confidence),
            figures::percent(width),
            figures::time(time_s),
            figures::whole(max_runs)
        )
    });
    add("seed", |record| record.seed.map(|seed| seed.to_string()).unwrap_or_default());
    add("peers", |record| {
        let peers = record.rows.iter().filter(|row| row.source == Source::Peer);
        let mut names: Vec<String> = peers.map(crate::record::Row::runner).collect();
        names.sort();
        names.dedup();
        names.join(", ")
    });
    let names = files.iter().map(|file| file.name.clone()).collect();
    let names = (files.len() > 1).then_some(("file", names));
    let rows = names.into_iter().chain(rows).map(|(name, cells)| {
        html! { tr { th { (name) } @for cell in &cells { td { (one_line(cell)) } } } }
    });
    html::table(Some("machines"), &[], rows)
}

/// Returns the explanation of the measurements at the end of the page.
pub(super) fn reading() -> Markup {
    html! {
        section {
            h2 { "How to read this" } "\n"
            p {
                "Times are medians of the runs alone; ± is the distance of the interval from the \
                    median, ~ marks an interval wider than requested. Not included in the time of \
                    a run, and shown separately: " i { "inputs" } ", \
                     reading or generating the data and converting them to slices of bits, once; " i { "load" } ", \
                     converting these to the form that the backend uses. " i { "device" } " is the part of a run \
                     that a graphics card computed, by its clock. " i { "operations" } " are the elementary operations of \
                 the STAR-machine in the program as written."
            }
            "\n" p {
                "A ratio below 1 is less time. Ratios to a peer are computed within one file if \
                    both are in it, since the speed of a machine varies; others are marked *. \
                    Exponents are fitted over at most the last four sizes, and shown for three or \
                    more. Published times were measured on other machines and, as a rule, with \
                    other inputs: they are shown with their conditions, and no ratio to them is \
                    computed."
            }
            "\n"
        }
        "\n"
    }
}

fn joined<const N: usize>(parts: [Option<String>; N]) -> String {
    parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::testing::{record, row};

    fn named(record: Record) -> NamedRecord {
        NamedRecord { name: "new.json".to_owned(), record }
    }

    #[test]
    fn different_machines_and_bandwidths_are_reported() {
        let mut a = record(Vec::new());
        let on =
            |threads, read_gb_per_s| Speed { threads, bytes: 1 << 28, read_gb_per_s, when: None };
        let speed = |read_gb_per_s| on(1, read_gb_per_s);
        a.bandwidth = vec![on(12, 30.0), speed(10.0)];
        let mut b = a.clone();
        assert_eq!(differences(&a, &b), Vec::<String>::new());
        b.machine.cpu = Some("B".to_owned());
        b.bandwidth = vec![on(12, 60.0), speed(13.0)];
        let found = [
            "processor: A and B",
            "reading on 1 thread: 10.0 GB/s and 13.0 GB/s",
            "reading on 12 threads: 30.0 GB/s and 60.0 GB/s",
        ];
        assert_eq!(differences(&a, &b), found);
        b.machine.cpu = None;
        b.bandwidth = vec![speed(10.9)];
        assert_eq!(differences(&a, &b), Vec::<String>::new());
    }

    #[test]
    fn a_record_does_not_differ_from_itself() {
        let mut a = record(Vec::new());
        let speed = |read_gb_per_s, when: Option<&str>| Speed {
            threads: 1,
            bytes: 1 << 28,
            read_gb_per_s,
            when: when.map(str::to_owned),
        };
        let (before, after) = (Some("before"), Some("after"));
        a.bandwidth = vec![speed(19.9, before), speed(16.5, after), speed(9.0, None)];
        a.bandwidth.push(speed(12.0, None));
        assert_eq!(differences(&a, &a), Vec::<String>::new());
        let mut b = a.clone();
        b.bandwidth[1].read_gb_per_s = 19.9;
        assert_eq!(differences(&a, &b), ["reading on 1 thread: 16.5 GB/s and 19.9 GB/s"]);
    }

    #[test]
    fn doubtful_measurements_have_warnings() {
        assert_eq!(warnings(&[named(record(vec![row("a", 1, 1.0)]))]).into_string(), "");
        let mut wide = row("a", 1, 1.0);
        wide.time.as_mut().unwrap().reached = Some(false);
        let mut doubtful = record(vec![wide]);
        doubtful.interrupted = true;
        doubtful.tool.profile = Some("debug".to_owned());
        let said = warnings(&[named(doubtful)]).into_string();
        assert_eq!(said.matches("<summary>").count(), 3, "{said}");
        for part in
            ["debug build", "interrupted", "intervals wider than requested", "new.json: 1 row<"]
        {
            assert!(said.contains(part), "{part}: {said}");
        }
    }

    #[test]
    fn unknown_conditions_have_no_line() {
        let table = machines(&[named(record(Vec::new()))]).into_string();
        assert!(table.contains("<th>processor</th><td>A</td>"));
        assert!(!table.contains("graphics card") && !table.contains("<th>file</th>"));
    }
}
