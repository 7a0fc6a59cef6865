//! Coverage of tests: how often each line and each outcome of an `if` ran. [`table()`] for people,
//! [`page()`] as HTML, [`lcov()`] for other tools.

mod lcov;
mod page;

use std::collections::BTreeMap;

use star_base::text;

use crate::columns::{self, Align};

pub use lcov::lcov;
pub use page::page;

/// The coverage of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileCoverage {
    /// The name.
    pub name: String,
    /// The text.
    pub text: String,
    /// The number of runs of each line with a statement, by its number from 1.
    pub lines: BTreeMap<usize, u64>,
    /// The conditions of `if`, `while` and `until`, in the order of the text.
    pub branches: Vec<Branch>,
}

/// The outcomes of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The line of the condition, from 1.
    pub line: usize,
    /// How often it was true.
    pub n_true: u64,
    /// How often it was false.
    pub n_false: u64,
}

impl Branch {
    fn outcomes(self) -> [u64; 2] {
        [self.n_true, self.n_false]
    }
}

/// A part of a whole.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    covered: usize,
    all: usize,
}

impl Share {
    fn of(runs: impl Iterator<Item = u64>) -> Self {
        runs.fold(Share::default(), |share, runs| Share {
            covered: share.covered + usize::from(runs > 0),
            all: share.all + 1,
        })
    }

    fn and(self, other: Share) -> Share {
        Share { covered: self.covered + other.covered, all: self.all + other.all }
    }

    fn shown(self) -> String {
        match self.all {
            0 => "none".to_owned(),
            all => {
                // Rounded down: only a complete coverage is 100 %.
                let percent = self.covered * 100 / all;
                format!("{} of {all}, {percent} %", self.covered)
            }
        }
    }
}

impl FileCoverage {
    fn lines_share(&self) -> Share {
        Share::of(self.lines.values().copied())
    }

    fn branches_share(&self) -> Share {
        Share::of(self.branches.iter().flat_map(|branch| branch.outcomes()))
    }

    /// Describes what did not run: `lines 3, 7..9; line 12 never true`.
    fn missing(&self) -> String {
        let missed: Vec<usize> =
            self.lines.iter().filter(|(_, runs)| **runs == 0).map(|(line, _)| *line).collect();
        let mut parts = Vec::new();
        if !missed.is_empty() {
            parts.push(format!("not run: {}", self.ranges(&missed)));
        }
        let ran = self.branches.iter().filter(|one| one.outcomes().iter().any(|runs| *runs > 0));
        for Branch { line, n_true, n_false } in ran {
            match (n_true, n_false) {
                (0, _) => parts.push(format!("never true: {line}")),
                (_, 0) => parts.push(format!("never false: {line}")),
                (_, _) => {}
            }
        }
        parts.join("; ")
    }

    /// Formats lines that did not run as ranges. Lines without statements do not divide a range.
    fn ranges(&self, missed: &[usize]) -> String {
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        for &line in missed {
            match ranges.last_mut() {
                Some((_, last)) if self.lines.range(*last + 1..line).next().is_none() => {
                    *last = line;
                }
                Some(_) | None => ranges.push((line, line)),
            }
        }
        let shown = ranges.into_iter().map(|(first, last)| match first == last {
            true => first.to_string(),
            false => format!("{first}..{last}"),
        });
        shown.collect::<Vec<_>>().join(", ")
    }
}

/// Formats the coverage of files, one line each, and of all files together.
#[must_use]
pub fn table(files: &[FileCoverage]) -> String {
    let heads = ["file", "lines", "outcomes", ""].map(str::to_owned);
    let rows = files.iter().map(|file| {
        let (lines, branches) = (file.lines_share().shown(), file.branches_share().shown());
        [text::one_line(&file.name), lines, branches, file.missing()]
    });
    let all = |share: fn(&FileCoverage) -> Share| {
        files.iter().map(share).fold(Share::default(), Share::and).shown()
    };
    let sum = (files.len() > 1).then(|| {
        let sums = [all(FileCoverage::lines_share), all(FileCoverage::branches_share)];
        let [lines, branches] = sums;
        ["all".to_owned(), lines, branches, String::new()]
    });
    let rows = [heads].into_iter().chain(rows).chain(sum);
    columns::lines([Align::Left, Align::Left, Align::Left, Align::Left], rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn file() -> FileCoverage {
        let lines = [(2, 4), (3, 0), (5, 0), (6, 1), (8, 0)];
        let branch = |line, n_true, n_false| Branch { line, n_true, n_false };
        FileCoverage {
            name: "a.star".to_owned(),
            text: "1\n2 <\n3\n4\n5\n6\n7\n8\n".to_owned(),
            lines: lines.into_iter().collect(),
            branches: vec![branch(2, 4, 0), branch(2, 0, 1), branch(6, 1, 1), branch(8, 0, 0)],
        }
    }

    #[test]
    fn tables_name_what_did_not_run() {
        let whole = FileCoverage { name: "b.star".to_owned(), ..FileCoverage::default() };
        let expected = "\
file    lines         outcomes
a.star  2 of 5, 40 %  4 of 8, 50 %  not run: 3..5, 8; never false: 2; never true: 2
b.star  none          none
all     2 of 5, 40 %  4 of 8, 50 %
";
        assert_eq!(table(&[file(), whole]), expected);
        assert_eq!(table(&[file()]).lines().count(), 2);
    }

    #[test]
    fn lcov_has_a_record_for_each_file() {
        let expected = "\
TN:
SF:a.star
BRDA:2,0,0,4
BRDA:2,0,1,0
BRDA:2,1,0,0
BRDA:2,1,1,1
BRDA:6,2,0,1
BRDA:6,2,1,1
BRDA:8,3,0,-
BRDA:8,3,1,-
BRF:8
BRH:4
DA:2,4
DA:3,0
DA:5,0
DA:6,1
DA:8,0
LF:5
LH:2
end_of_record
";
        assert_eq!(lcov(&[file()]), expected);
    }

    #[test]
    fn pages_mark_lines_and_escape_the_text() {
        let page = page(&[file()]);
        assert!(page.contains("2 &lt;"), "{page}");
        assert!(page.contains("never false"), "{page}");
        assert_eq!(page.matches("class=\"missed\"").count(), 3, "{page}");
    }
}
