//! The table of a benchmark run, printed line by line as rows are measured.

use star_base::text;

use crate::page::figures;
use crate::record::Row;

/// Width of the parameters in characters.
const PARAMETERS: usize = 24;
/// Width of the backend in characters.
const BY: usize = 16;

/// The table so far.
#[derive(Default)]
pub struct Live {
    /// Is there a column for the time on a graphics card?
    has_device: bool,
    /// The row whose heading was shown last.
    last: Option<Row>,
}

impl Live {
    /// Creates a table, with or without a column for the time on a graphics card.
    pub fn new(has_device: bool) -> Self {
        Live { has_device, last: None }
    }

    /// Returns the lines of a row.
    pub fn row(&mut self, row: &Row) -> String {
        let mut lines = String::new();
        // The rows of other programs are under the heading of a routine.
        let is_under = |last: &Row| {
            let same = row.routine.is_none() || last.routine == row.routine;
            same && last.benchmark() == row.benchmark()
        };
        if !self.last.as_ref().is_some_and(is_under) {
            let gap = if self.last.is_some() { "\n" } else { "" };
            lines += &format!("{gap}{}\n", text::one_line(&row.heading()));
            lines += &self.line([
                "parameters",
                "by",
                "median",
                "±",
                "samples",
                "inputs",
                "load",
                "device",
                "operations",
            ]);
            self.last = Some(row.clone());
        }
        lines + &self.of_row(row)
    }

    fn of_row(&self, row: &Row) -> String {
        let (parameters, by) = (row.parameters_text(), row.runner());
        let Some(time) = &row.time else {
            let error = row.error.as_ref();
            let error = error.map_or_else(String::new, |it| format!("{}: {}", it.code, it.message));
            return format!(
                "  {} {} {}\n",
                column(&parameters, PARAMETERS),
                column(&by, BY),
                text::one_line(&error)
            );
        };
        let reach = match (time.runs, time.low_s.zip(time.high_s)) {
            (Some(1), _) | (_, None) => String::new(),
            (_, Some(_)) if time.median_s <= 0.0 => String::new(),
            (_, Some((low, high))) => {
                let reach = (high - time.median_s).max(time.median_s - low) / time.median_s;
                let mark = if time.reached == Some(false) { "~" } else { "" };
                format!("{mark}{}", figures::percent(reach))
            }
        };
        let runs = time.runs.map(figures::whole).unwrap_or_default();
        let inputs = row.input_s.map(figures::time).unwrap_or_default();
        let load = row.load_s.map(figures::time).unwrap_or_default();
        let device = row.device_s.map(figures::time).unwrap_or_default();
        let operations = row.operations.map(figures::whole).unwrap_or_default();
        let median = figures::time(time.median_s);
        self.line([&parameters, &by, &median, &reach, &runs, &inputs, &load, &device, &operations])
    }

    fn line(
        &self,
        [parameters, by, median, reach, runs, inputs, load, device, operations]: [&str; 9],
    ) -> String {
        let (parameters, by) = (column(parameters, PARAMETERS), column(by, BY));
        let device = if self.has_device { format!("{device:>9} ") } else { String::new() };
        let line = format!(
            "  {parameters} {by} {median:>9} {reach:>7} {runs:>7} {inputs:>9} {load:>9} {device}{operations:>15}"
        );
        format!("{}\n", line.trim_end())
    }
}

/// Formats a text on one line, padded with blanks.
fn column(text: &str, width: usize) -> String {
    format!("{:<width$}", text::one_line(text))
}

#[cfg(test)]
mod tests {
    use crate::record::{RowError, Source};

    use super::*;
    use crate::page::testing::row;

    #[test]
    fn benchmarks_have_headings_and_rows_have_lines() {
        let (mut live, mut text) = (Live::default(), String::new());
        let mut failed = row("b", 9, 1.0);
        failed.time = None;
        failed.error = Some(RowError { code: "T0101".to_owned(), message: "index\n7".to_owned() });
        for row in [row("a", 5, 0.25), row("a", 6, 0.5), failed] {
            text += &live.row(&row);
        }
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "a.star: a (F)");
        assert!(lines[1].contains("median") && lines[1].ends_with("operations"));
        assert!(lines[2].starts_with("  n=5 ") && lines[2].contains(" 250 ms "), "{}", lines[2]);
        assert!(lines[3].starts_with("  n=6 "));
        assert_eq!((lines[4], lines[5]), ("", "a.star: b (F)"));
        assert!(lines[7].contains("T0101: index") && lines.len() == 8, "{text}");
        assert!(!text.contains("device"));
    }

    #[test]
    fn other_programs_are_under_the_heading_of_a_routine() {
        let peer = Row { source: Source::Peer, routine: None, ..row("a", 5, 0.5) };
        let other = Row { routine: Some("G".to_owned()), ..row("a", 5, 0.5) };
        let mut live = Live::default();
        let text: String =
            [row("a", 5, 0.25), peer, other].iter().map(|row| live.row(row)).collect();
        let headings: Vec<&str> = text.lines().filter(|line| line.starts_with("a.star")).collect();
        assert_eq!(headings, ["a.star: a (F)", "a.star: a (G)"]);
    }

    #[test]
    fn device_times_have_a_column_if_there_is_a_device() {
        let on_card = Row { device_s: Some(0.125), ..row("a", 5, 0.25) };
        let text = Live::new(true).row(&on_card);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[1].contains(" device "), "{text}");
        assert!(lines[2].contains(" 125 ms "), "{text}");
    }
}
