//! A profile as JSON. Times are whole nanoseconds, lines are counted from 1.

use serde_json::{Value, json};

use super::{Intrinsic, LineProfile, Profile, Routine, Tally};

/// Returns the profile as an object.
#[must_use]
pub fn data(profile: &Profile<'_>) -> Value {
    let Profile { title, sources: _, backend, time, samples, operations, lines, routines } =
        profile;
    let lines: Vec<Value> = lines.iter().map(|line| of_line(profile, line)).collect();
    let routines: Vec<Value> =
        routines.iter().map(|routine| of_routine(profile, routine)).collect();
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

fn of_line(profile: &Profile<'_>, line: &LineProfile) -> Value {
    let intrinsics = line.intrinsics.iter().map(
        |Intrinsic { name, runs, time }| json!({ "intrinsic": name, "runs": runs, "ns": time }),
    );
    let mut object = of_tally(&line.tally);
    object["file"] = json!(profile.file_name(line.file));
    object["line"] = json!(line.line_idx + 1);
    object["source"] = json!(profile.source(line.file, line.line_idx));
    object["intrinsics"] = intrinsics.collect();
    object["plan"] = json!(line.plan);
    object
}

fn of_routine(profile: &Profile<'_>, routine: &Routine) -> Value {
    let mut object = of_tally(&routine.tally);
    object["name"] = json!(routine.name);
    object["file"] = json!(profile.file_name(routine.file));
    object["line"] = json!(routine.line_idx + 1);
    object["intrinsic"] = json!(routine.intrinsic);
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
