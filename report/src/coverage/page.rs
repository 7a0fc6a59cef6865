//! Coverage as a page: the shares of all files, followed by their texts. It needs no script.

use maud::{Markup, html};
use star_base::text::printable;

use super::{Branch, FileCoverage};
use crate::html::{self, PageKind, Style};

/// Returns the page.
#[must_use]
pub fn page(files: &[FileCoverage]) -> String {
    let rows = files.iter().enumerate().map(|(idx, file)| {
        html! {
            tr {
                td { (file.lines_share().shown()) }
                td { (file.branches_share().shown()) }
                td.code { a href={ "#f" (idx) } { (printable(&file.name)) } }
            }
        }
    });
    let columns = [("", "lines"), ("", "outcomes"), ("code", "file")];
    let body = html! {
        h1 { "Coverage of tests" } "\n"
        p.faint {
            "A line with a statement was run as often as the number before it says. The second \
                number is how often the condition of an " code { "if" } " on the line was true, \
                the third how often it was false."
        }
        "\n" (html::table(None, &columns, rows))
        @for (idx, file) in files.iter().enumerate() {
            h2 id={ "f" (idx) } { (printable(&file.name)) } "\n"
            (source(file))
        }
    };
    html::page(PageKind::Profile, "Coverage of tests", Style::Inside(""), &body)
}

fn source(file: &FileCoverage) -> Markup {
    let rows = (1..).zip(file.text.lines()).map(|(line, text)| {
        let runs = file.lines.get(&line).copied();
        let branches: Vec<&Branch> =
            file.branches.iter().filter(|branch| branch.line == line).collect();
        let counts = |of: fn(&Branch) -> u64| {
            branches.iter().map(|branch| of(branch).to_string()).collect::<Vec<_>>().join(", ")
        };
        let notes = branches.iter().filter_map(|branch| match (branch.n_true, branch.n_false) {
            (0, 0) => None,
            (0, _) => Some("never true"),
            (_, 0) => Some("never false"),
            (_, _) => None,
        });
        let class = match runs {
            Some(0) => Some("missed"),
            Some(_) => None,
            None => Some("quiet"),
        };
        html! {
            tr class=[class] {
                td { (runs.map_or_else(String::new, |runs| runs.to_string())) }
                td { (counts(|branch| branch.n_true)) }
                td { (counts(|branch| branch.n_false)) }
                td.code {
                    span.number { (line) } (printable(text))
                    @for note in notes { " " span.note { (note) } }
                }
            }
        }
    });
    html::table(None, &[("", "runs"), ("", "true"), ("", "false"), ("code", "source")], rows)
}
