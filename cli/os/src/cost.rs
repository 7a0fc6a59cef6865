//! Output of `--cost`.

use serde_json::json;
use star_report::columns::{self, Align};
use star_report::json;
use star_vm::Stats;

/// Formats the resources used by a run, one line each. `loading_bytes` is the peak memory while
/// loading arguments, 0 if nothing was read. `--max-memory` must allow the greater of the two
/// peaks.
pub fn table(stats: &Stats, loading_bytes: u64) -> String {
    let Stats { operations, steps, peak_bytes, output_bytes, intrinsics: _, counters: _ } = stats;
    let loading = (loading_bytes > 0).then_some(("peak bytes of loading", &loading_bytes));
    let rows = [("elementary operations", operations), ("steps", steps)].into_iter();
    let rows = rows.chain(loading);
    let rows = rows.chain([("peak bytes of values", peak_bytes), ("bytes printed", output_bytes)]);
    let rows = rows.map(|(what, number)| [what.to_owned(), number.to_string()]);
    columns::lines([Align::Left, Align::Right], rows)
}

/// Formats the same data as a JSON object.
pub fn json(stats: &Stats, loading_bytes: u64) -> String {
    let Stats { operations, steps, peak_bytes, output_bytes, intrinsics: _, counters: _ } = stats;
    json::line(&json!({
        "cost": {
            "operations": operations,
            "steps": steps,
            "peak_bytes": peak_bytes,
            "loading_bytes": loading_bytes,
            "output_bytes": output_bytes,
        },
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_aligned() {
        let stats = Stats { operations: 833, steps: 12_345, peak_bytes: 8, ..Stats::default() };
        let with_loading = table(&stats, 7);
        assert_eq!(with_loading.lines().nth(2), Some("peak bytes of loading      7"));
        let table = table(&stats, 0);
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines.len(), 4);
        assert!(lines.iter().all(|line| line.len() == lines[0].len()));
        assert_eq!(lines[0], "elementary operations    833");
    }
}
