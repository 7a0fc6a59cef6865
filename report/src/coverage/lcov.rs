//! Coverage in the format of lcov, which editors and services read.

use super::FileCoverage;

/// Returns a record for each file.
#[must_use]
pub fn lcov(files: &[FileCoverage]) -> String {
    files.iter().map(record).collect()
}

fn record(file: &FileCoverage) -> String {
    // A name is the rest of a line.
    let name: String = file.name.chars().filter(|c| !c.is_control()).collect();
    let mut text = format!("TN:\nSF:{name}\n");
    for (idx, branch) in file.branches.iter().enumerate() {
        let outcomes = branch.outcomes();
        let ran = outcomes.iter().any(|runs| *runs > 0);
        for (outcome, runs) in outcomes.iter().enumerate() {
            let runs = if ran { runs.to_string() } else { "-".to_owned() };
            text += &format!("BRDA:{},{idx},{outcome},{runs}\n", branch.line);
        }
    }
    let (branches, lines) = (file.branches_share(), file.lines_share());
    text += &format!("BRF:{}\nBRH:{}\n", branches.all, branches.covered);
    for (line, runs) in &file.lines {
        text += &format!("DA:{line},{runs}\n");
    }
    text + &format!("LF:{}\nLH:{}\nend_of_record\n", lines.all, lines.covered)
}
