//! Pages of HTML: the frame, the style that all of them have, light and dark, and escaping.
//!
//! A page needs no script and nothing from elsewhere.

/// The style of every page. It has colours by name: `--text`, `--faint`, `--link`, `--paper`, `--box`, `--rule`.
pub const STYLE: &str = include_str!("html.css");

/// Where a page has its style from.
#[derive(Clone, Copy, Debug)]
pub enum Style<'a> {
    /// A file beside the page, which begins with [`STYLE`].
    File(&'a str),
    /// [`STYLE`] and this stand in the page itself.
    Inside(&'a str),
}

/// A page with this title; `body` is HTML.
pub fn page(title: &str, style: Style<'_>, body: &str) -> String {
    let style = match style {
        Style::File(file) => format!("<link rel=\"stylesheet\" href=\"{file}\">"),
        Style::Inside(more) => format!("<style>\n{STYLE}{more}</style>"),
    };
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n{style}\n</head>\n<body>\n{body}</body>\n</html>\n",
        escaped(title)
    )
}

/// The text as HTML shows it; what a browser would not show is made visible.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for character in star_base::text::printable(text).chars() {
        match character {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_may_carry_its_style() {
        let alone = page("a < b", Style::Inside(".x { color: red; }\n"), "<p>c</p>\n");
        assert!(alone.contains("<title>a &lt; b</title>"), "{alone}");
        assert!(alone.contains("prefers-color-scheme: dark") && alone.contains(".x {"), "{alone}");
        let of_site = page("a", Style::File("s.css"), "");
        assert!(of_site.contains("href=\"s.css\"") && !of_site.contains("<style>"), "{of_site}");
    }
}
