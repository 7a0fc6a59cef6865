//! Shared parts of messages: quoted text, sizes in bytes, counts.

use std::fmt::Write as _;

pub(crate) use star_base::text::size;
use star_base::text::{MAX_LISTED, listed};

/// The message about a character that follows a quoted field, and the help for it.
pub(crate) const AFTER_QUOTE: &str = "a character after the closing quote of a field";
pub(crate) const HOW_TO_QUOTE: &str =
    "quotes enclose a whole field, and a quote in it is written twice: `\"a \"\"b\"\" c\"`";

/// Maximum number of characters of a file that a message quotes.
const QUOTED_CHARS: usize = 40;

/// The bytes as quoted text in backticks, at most 40 characters; unprintable characters are
/// escaped.
pub(crate) fn quote(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let elided = text.chars().count() > QUOTED_CHARS;
    let n_kept = QUOTED_CHARS - usize::from(elided);
    let mut quoted = String::from("`");
    for character in text.chars().take(n_kept) {
        if character.is_control() {
            // Writing to a String cannot fail.
            let _ = write!(quoted, "{}", character.escape_default());
        } else {
            quoted.push(character);
        }
    }
    if elided {
        quoted.push('…');
    }
    quoted.push('`');
    quoted
}

/// The first names as quoted text, and the number of the others.
pub(crate) fn quoted_names<'a>(names: impl ExactSizeIterator<Item = &'a [u8]>) -> String {
    listed(names.map(quote), MAX_LISTED)
}

/// Returns a word of a file as text.
///
/// # Errors
/// The reason why it is no text.
pub(crate) fn utf8(word: &[u8]) -> Result<&str, &'static str> {
    match std::str::from_utf8(word) {
        _ if word.contains(&0) => Err("contains a zero byte"),
        Ok(text) => Ok(text),
        Err(_) => Err("is not UTF-8"),
    }
}

/// Returns whether a text begins like UTF-16: with its byte order mark, or with an ASCII character
/// in two bytes.
pub(crate) fn is_utf16(first_bytes: &[u8]) -> bool {
    matches!(
        first_bytes,
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, 1..=0xff, ..] | [1..=0x7f, 0, ..]
    )
}

/// A number and a noun: `1 arc`, `3 arcs`.
pub(crate) fn count(n: impl Into<u128>, noun: &str) -> String {
    let n = n.into();
    let plural = if n == 1 { "" } else { "s" };
    format!("{n} {noun}{plural}")
}

/// A number and a noun in the plural, which becomes the singular for 1: `1 vertex`, `3 vertices`.
pub(crate) fn counted(n: impl Into<u128>, nouns: &str) -> String {
    let n = n.into();
    let noun = match nouns {
        _ if n != 1 => nouns,
        "vertices" => "vertex",
        "entries" => "entry",
        regular => regular.strip_suffix('s').unwrap_or(regular),
    };
    format!("{n} {noun}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_text_is_limited_to_forty_characters() {
        assert_eq!(quote(b"12x"), "`12x`");
        assert_eq!(quote(b"\0\xff"), "`\\u{0}\u{fffd}`");
        assert_eq!(quote(&[b'7'; 40]), format!("`{}`", "7".repeat(40)));
        assert_eq!(quote(&[b'7'; 41]), format!("`{}…`", "7".repeat(39)));
    }

    #[test]
    fn count_of_one_is_singular() {
        for (n, nouns, expected) in [
            (1u64, "vertices", "1 vertex"),
            (2, "vertices", "2 vertices"),
            (1, "entries", "1 entry"),
            (1, "rows", "1 row"),
            (0, "rows", "0 rows"),
        ] {
            assert_eq!(counted(n, nouns), expected);
        }
    }

    #[test]
    fn sizes_have_a_readable_unit() {
        assert_eq!(size(1), "1 byte");
        assert_eq!(size(1023), "1023 bytes");
        assert_eq!(size(1536), "1.5 KiB");
        assert_eq!(size((1 << 20) - 1), "1.0 MiB");
        assert_eq!(size(3 << 40), "3.0 TiB");
        assert!(size(u128::MAX).ends_with("YiB"));
    }
}
