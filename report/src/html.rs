//! Pages of HTML: the frame, the table and the style that all of them have, light and dark. Templates escape what
//! comes from outside; [`star_base::text`] makes visible what a browser would not show.
//!
//! A page needs no script and nothing from elsewhere.

use maud::{DOCTYPE, PreEscaped, html};
use star_base::text::printable;

pub use maud::Markup;

/// The style of every page. Rules for pages of one kind begin with its class.
pub const STYLE: &str = include_str!("html.css");

/// What a page shows: the class of its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageKind {
    /// Benchmarks.
    Benchmarks,
    /// Documentation.
    Documentation,
    /// A profile.
    Profile,
}

/// Where a page has its style from.
#[derive(Clone, Copy, Debug)]
pub enum Style<'a> {
    /// A file beside the page, which holds [`STYLE`].
    File(&'a str),
    /// [`STYLE`] and this stand in the page itself.
    Inside(&'a str),
}

/// A column of a table: its class, empty if it has none, and its heading.
pub type Column<'a> = (&'a str, &'a str);

/// A page with this title.
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

/// A table, in a box of its own that scrolls where it is too wide; each row is a `tr`. Without columns it has no
/// headings.
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
    fn a_page_may_carry_its_style() {
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
    fn a_table_has_headings_only_for_columns() {
        let row = || [html! { tr { td { "1" } } }];
        let with = table(None, &[("", "a"), ("number", "b")], row()).into_string();
        let headings = "<thead><tr><th>a</th><th class=\"number\">b</th></tr></thead>";
        assert!(with.contains(headings), "{with}");
        let without = table(Some("x"), &[], row()).into_string();
        assert!(without.contains("<table class=\"x\">") && !without.contains("<th"), "{without}");
    }
}
