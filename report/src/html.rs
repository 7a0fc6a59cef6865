//! HTML pages: the common frame, table and style, light and dark. Templates escape external text;
//! [`star_base::text`] makes characters visible that a browser would not show.
//!
//! A page needs no script and no external resources.

use maud::{DOCTYPE, PreEscaped, html};
use star_base::text::printable;

pub use maud::Markup;

/// The style of every page. Rules for one kind of page begin with its class.
pub const STYLE: &str = include_str!("html.css");

/// Kind of a page, used as the class of its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageKind {
    /// Benchmarks.
    Benchmarks,
    /// Documentation.
    Documentation,
    /// A profile, or the coverage of tests.
    Profile,
}

/// Source of the style of a page.
#[derive(Clone, Copy, Debug)]
pub enum Style<'a> {
    /// A file in the same folder as the page, which contains [`STYLE`].
    File(&'a str),
    /// The page contains [`STYLE`] followed by this text.
    Inside(&'a str),
}

/// A column of a table: its class, or an empty text, and its heading.
pub type Column<'a> = (&'a str, &'a str);

/// Returns a page with this title.
#[must_use]
pub fn page(kind: PageKind, title: &str, style: Style<'_>, body: &Markup) -> String {
    let class = match kind {
        PageKind::Benchmarks => "benchmarks",
        PageKind::Documentation => "documentation",
        PageKind::Profile => "profile",
    };
    let page = html! {
        (DOCTYPE) "\n"
        html lang="en" {
            "\n" head {
                "\n" meta charset="utf-8";
                "\n" meta name="viewport" content="width=device-width, initial-scale=1";
                "\n" title { (printable(title)) }
                "\n" @match style {
                    Style::File(file) => link rel="stylesheet" href=(file);,
                    Style::Inside(more) => style { "\n" (PreEscaped(STYLE)) (PreEscaped(more)) }
                }
                "\n"
            }
            "\n" body class=(class) { "\n" (body) }
            "\n"
        }
        "\n"
    };
    page.into_string()
}

/// Returns a table in a separate box that scrolls if it is too wide; each row is a `tr`. Without
/// columns it has no headings.
pub fn table(
    class: Option<&str>,
    columns: &[Column<'_>],
    rows: impl IntoIterator<Item = Markup>,
) -> Markup {
    html! {
        div.scroll {
            table class=[class] {
                "\n" @if !columns.is_empty() {
                    thead {
                        tr {
                            @for (class, head) in columns {
                                th class=[Some(*class).filter(|class| !class.is_empty())] { (head) }
                            }
                        }
                    }
                    "\n"
                }
                tbody { "\n" @for row in rows { (row) "\n" } }
                "\n"
            }
        }
        "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_can_include_their_style() {
        let body = html! { p { "c & d" } };
        let alone =
            page(PageKind::Profile, "a < b\u{1b}", Style::Inside(".x { color: red; }\n"), &body);
        assert!(alone.contains("<title>a &lt; b␛</title>"), "{alone}");
        assert!(alone.contains("<body class=\"profile\">\n<p>c &amp; d</p>"), "{alone}");
        assert!(alone.contains("prefers-color-scheme: dark") && alone.contains(".x {"), "{alone}");
        let of_site = page(PageKind::Documentation, "a", Style::File("s.css"), &body);
        assert!(of_site.contains("href=\"s.css\"") && !of_site.contains("<style>"), "{of_site}");
    }

    #[test]
    fn tables_have_headings_only_for_columns() {
        let row = || [html! { tr { td { "1" } } }];
        let with = table(None, &[("", "a"), ("number", "b")], row()).into_string();
        let headings = "<thead><tr><th>a</th><th class=\"number\">b</th></tr></thead>";
        assert!(with.contains(headings), "{with}");
        let without = table(Some("x"), &[], row()).into_string();
        assert!(without.contains("<table class=\"x\">") && !without.contains("<th"), "{without}");
    }
}
