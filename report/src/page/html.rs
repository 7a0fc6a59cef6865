//! Elements with texts: nothing that comes from outside gets into them unescaped.

use crate::html::escaped;
use star_base::text;

/// A text on one line with what HTML would take for its own escaped, in texts and in attributes.
pub(super) fn escape(text: &str) -> String {
    escaped(&text::one_line(text))
}

/// An element with a text.
pub(super) fn element(name: &str, text: &str) -> String {
    format!("<{name}>{}</{name}>", escape(text))
}

/// Likewise with a class.
pub(super) fn classed(name: &str, class: &str, text: &str) -> String {
    format!("<{name} class=\"{class}\">{}</{name}>", escape(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_gets_through_that_html_would_take_for_its_own() {
        assert_eq!(escape("<b>\"&'"), "&lt;b&gt;&quot;&amp;&#39;");
        assert!(!escape("a\nb\u{1b}").contains(['\n', '\u{1b}']));
        assert_eq!(element("td", "a<b"), "<td>a&lt;b</td>");
        assert_eq!(classed("td", "x", "1"), "<td class=\"x\">1</td>");
    }
}
