//! A profile as JSON. Times are whole nanoseconds, lines are counted from 1.

use serde_json::{Value, json};
use star_vm::profile::Tally;

use super::{Line, Report, Routine};

/// The report as an object.
pub(super) fn object(report: &Report<'_>) -> Value {
    let Report { title, sources: _, backend, time, samples, operations, lines, routines } = report;
    let lines: Vec<Value> = lines.iter().map(|line| of_line(report, line)).collect();
    let routines: Vec<Value> = routines.iter().map(|routine| of_routine(report, routine)).collect();
    json!({
        "profile": {
            "program": title,
            "backend": backend,
            "ns": time,
            "samples": samples,
            "operations": operations,
            "lines": lines,
            "routines": routines,
        },
    })
}

fn of_line(report: &Report<'_>, line: &Line) -> Value {
    let natives = line.natives.iter().map(|(native, tally)| {
        json!({ "native": native.signature().name, "runs": tally.runs, "ns": tally.time })
    });
    let mut object = of_tally(&line.tally);
    object["file"] = json!(report.file_name(line.file));
    object["line"] = json!(line.line_idx + 1);
    object["source"] = json!(report.source(line.file, line.line_idx));
    object["natives"] = natives.collect();
    object
}

fn of_routine(report: &Report<'_>, routine: &Routine) -> Value {
    let mut object = of_tally(&routine.tally);
    object["name"] = json!(routine.name);
    object["file"] = json!(report.file_name(routine.file));
    object["line"] = json!(routine.line_idx + 1);
    object["native"] = json!(routine.native.map(|native| native.signature().name));
    object
}

fn of_tally(tally: &Tally) -> Value {
    let Tally { time, total_time, operations, total_operations, runs } = tally;
    json!({
        "ns": time,
        "total_ns": total_time,
        "operations": operations,
        "total_operations": total_operations,
        "runs": runs,
    })
}
