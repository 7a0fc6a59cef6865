//! The table of `--cost`.

use star_vm::Stats;

/// What a run used, one line each.
pub(crate) fn table(stats: &Stats) -> String {
    let Stats { operations, steps, peak_bytes, output_bytes, natives: _ } = stats;
    let rows = [
        ("elementary operations", operations),
        ("steps", steps),
        ("peak bytes of values", peak_bytes),
        ("bytes printed", output_bytes),
    ];
    let width = rows.iter().map(|(_, number)| number.to_string().len()).max();
    let width = width.unwrap_or(0);
    rows.iter().map(|(what, number)| format!("{what:<22} {number:>width$}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_below_each_other() {
        let stats =
            Stats { operations: 833, steps: 12_345, peak_bytes: 8, output_bytes: 0, natives: 0 };
        let table = table(&stats);
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines.len(), 4);
        assert!(lines.iter().all(|line| line.len() == lines[0].len()));
        assert_eq!(lines[0], "elementary operations    833");
    }
}
