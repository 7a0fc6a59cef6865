//! JSON values, one a line, for scripts.

use serde_json::Value;
use star_base::text::visible;

/// Formats the value as one line. Characters that a terminal would obey, such as control characters
/// and those that change the direction of a text, are escaped.
#[must_use]
pub fn line(value: &Value) -> String {
    let mut line = String::new();
    for c in value.to_string().chars() {
        // Characters below a blank are escaped already.
        match visible(c) == c || u32::from(c) > 0xffff {
            true => line.push(c),
            false => line.push_str(&format!("\\u{:04x}", u32::from(c))),
        }
    }
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_and_read_back() {
        let text = "a\u{9b}1m\u{202e}b\u{7f}\n\u{1b}é𝄞";
        let shown = line(&Value::from(text));
        assert_eq!(shown, "\"a\\u009b1m\\u202eb\\u007f\\n\\u001bé𝄞\"\n");
        assert_eq!(serde_json::from_str::<Value>(&shown).unwrap(), Value::from(text));
    }
}
