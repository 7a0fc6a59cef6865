//! Text fragments for messages: characters safe for a terminal, reasons of the system, counts,
//! sizes, plurals.

use std::borrow::Cow;
use std::io;

/// Returns the text with control characters and characters that hide others replaced by visible
/// ones. Line breaks and tabs stay.
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| matches!(c, '\n' | '\t') || !is_hidden(c)) {
        return Cow::Borrowed(text);
    }
    let shown = text.chars().map(|c| match c {
        '\n' | '\t' => c,
        _ => visible(c),
    });
    Cow::Owned(shown.collect())
}

/// Returns the text like [`printable`], on one line.
#[must_use]
pub fn one_line(text: &str) -> String {
    text.chars().map(visible).collect()
}

/// Returns the character itself or a visible replacement.
#[must_use]
pub fn visible(character: char) -> char {
    match character {
        '\u{7f}' => '␡',
        c if (c as u32) < 0x20 => char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}'),
        c if is_hidden(c) => '\u{fffd}',
        c => c,
    }
}

/// Returns whether it is a control character or changes the direction of text.
fn is_hidden(character: char) -> bool {
    let turns = matches!(character,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    character.is_control() || turns
}

/// Returns the system's reason, as part of a sentence.
#[must_use]
pub fn reason(error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return "the reader closed the pipe".to_owned();
    }
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => "unknown reason".to_owned(),
    }
}

/// `1 error`, `2 errors`, `2 vertices`.
#[must_use]
pub fn count(n: usize, noun: &str) -> String {
    match noun {
        _ if n == 1 => format!("{n} {noun}"),
        "vertex" => format!("{n} vertices"),
        _ => format!("{n} {noun}s"),
    }
}

/// Returns the names in backticks, separated by commas.
#[must_use]
pub fn quoted_list<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> String {
    let quoted: Vec<String> =
        names.into_iter().map(|name| format!("`{}`", name.as_ref())).collect();
    quoted.join(", ")
}

/// The number of names in a list of a message, of which a file may have any number.
pub const MAX_LISTED: usize = 12;

/// Returns the first items of a list, separated by commas, and the number of the others.
#[must_use]
pub fn listed(items: impl ExactSizeIterator<Item = String>, most: usize) -> String {
    let n_more = items.len().saturating_sub(most);
    let first = items.take(most).collect::<Vec<String>>().join(", ");
    if n_more > 0 { format!("{first} and {n_more} more") } else { first }
}

/// Returns a word for the shell: unchanged if that is safe, otherwise in quotes.
#[must_use]
pub fn shell_word(word: &str) -> String {
    let safe = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(safe) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Formats a number of bytes in a suitable unit: `3.1 GiB`, `812.0 MiB`, `3 bytes`.
#[must_use]
pub fn bytes(number: u64) -> String {
    size(u128::from(number))
}

/// Formats a larger number of bytes, like [`bytes`].
#[must_use]
pub fn size(n_bytes: u128) -> String {
    const UNITS: [&str; 8] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"];
    if n_bytes < 1024 {
        return count(n_bytes as usize, "byte");
    }
    let mut amount = n_bytes as f64 / 1024.0;
    let mut units = UNITS.iter();
    let mut unit = units.next().unwrap_or(&"");
    while amount >= 1023.95
        && let Some(next) = units.next()
    {
        amount /= 1024.0;
        unit = next;
    }
    format!("{amount:.1} {unit}")
}

/// Formats a number of bytes and a smaller budget, so that they differ.
#[must_use]
pub fn bytes_and_budget(number: u64, budget: u64) -> (String, String) {
    let rounded = (bytes(number), bytes(budget));
    if rounded.0 == rounded.1 && number != budget {
        return (format!("{number} bytes"), format!("{budget} bytes"));
    }
    rounded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_do_not_reach_a_terminal() {
        assert_eq!(printable("a\tb\nЯ"), "a\tb\nЯ");
        assert_eq!(printable("\u{1b}[2J\u{7f}"), "␛[2J␡");
        assert_eq!(one_line("a\nb\u{202e}"), "a␊b\u{fffd}");
    }

    #[test]
    fn reasons_are_parts_of_sentences() {
        let error = io::Error::from_raw_os_error(2);
        assert_eq!(reason(&error), "no such file or directory");
    }

    #[test]
    fn words_with_blanks_are_quoted_for_the_shell() {
        assert_eq!(shell_word("a-b.star"), "a-b.star");
        assert_eq!(shell_word("a b's"), r"'a b'\''s'");
    }

    #[test]
    fn bytes_are_printed_in_the_shortest_unit() {
        assert_eq!(bytes(1 << 20), "1.0 MiB");
        assert_eq!(bytes(25_769_803_776), "24.0 GiB");
        assert_eq!(
            [0, 1, 1023, 1024, 1536].map(bytes).join(", "),
            "0 bytes, 1 byte, 1023 bytes, 1.0 KiB, 1.5 KiB"
        );
        assert_eq!(bytes(99_999 << 30), "97.7 TiB");
        let differ = ("1025 bytes".to_owned(), "1024 bytes".to_owned());
        assert_eq!(bytes_and_budget(1025, 1024), differ);
    }
}
