//! Pieces of HTML and SVG: nothing that comes from outside gets into them unescaped.

/// A text with what HTML would take for its own escaped, in texts and in attributes. Characters that XML
/// has no place for become the replacement character.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(' '),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            character if character.is_control() => escaped.push('\u{fffd}'),
            character => escaped.push(character),
        }
    }
    escaped
}

/// An element with a text.
pub(crate) fn element(name: &str, text: &str) -> String {
    format!("<{name}>{}</{name}>", escape(text))
}

/// Likewise with a class.
pub(crate) fn classed(name: &str, class: &str, text: &str) -> String {
    format!("<{name} class=\"{class}\">{}</{name}>", escape(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_gets_through_that_html_would_take_for_its_own() {
        assert_eq!(
            escape("<script>\"&'\0\x1b\n"),
            "&lt;script&gt;&quot;&amp;&#39;\u{fffd}\u{fffd} "
        );
        assert_eq!(element("td", "a<b"), "<td>a&lt;b</td>");
        assert_eq!(classed("td", "x", "1"), "<td class=\"x\">1</td>");
    }
}
