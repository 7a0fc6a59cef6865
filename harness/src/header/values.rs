//! Right sides of `NAME = …`: a value, a list of values, ranges.
//!
//! Values are separated by a comma followed by a blank, so that file names, texts and options may
//! contain commas; between integers and ranges, a comma is enough.

use star_base::Diagnostic;

use super::{Values, bad};
use crate::template::{Joined, Template};

/// Names whose values contain commas.
const WHOLE: [&str; 1] = ["widths"];

/// Parses the values of `name` in a piece of a text.
///
/// # Errors
/// E0703 if a list has an empty element, or a range or template is invalid.
pub(super) fn read(joined: &Joined, name: &str, piece: &str) -> Result<Vec<Values>, Diagnostic> {
    if WHOLE.contains(&name) {
        return Ok(vec![Values::One(Template::parse(joined, piece)?)]);
    }
    let mut values = Vec::new();
    let parts = split(piece, |rest| rest.starts_with([' ', '\t']) || rest.is_empty());
    let is_list = parts.len() > 1;
    for part in parts {
        let numbers = split(part, |_| true);
        let items = if numbers.iter().all(|item| is_numeric(item)) { numbers } else { vec![part] };
        for item in items {
            if item.is_empty() && is_list {
                let message = format!("missing value of `{name}` in the list");
                return Err(bad(joined.span_of(piece), message)
                    .help("enclose a text that ends with a comma in `\"` and `\"`"));
            }
            values.push(value(joined, item)?);
        }
    }
    Ok(values)
}

/// Parses one value or range.
fn value(joined: &Joined, item: &str) -> Result<Values, Diagnostic> {
    if let Some((from, to)) = range(item) {
        let (from, to) = (Template::parse(joined, from)?, Template::parse(joined, to)?);
        return Ok(Values::Range { from, to, span: joined.span_of(item) });
    }
    Ok(Values::One(one(joined, item)?))
}

/// Parses one value of any form. Enclosing double quotes are removed, as in a shell.
///
/// # Errors
/// E0703 if a template is invalid.
pub(super) fn one(joined: &Joined, item: &str) -> Result<Template, Diagnostic> {
    let inner = item.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    Template::parse(joined, inner.unwrap_or(item))
}

/// Splits the text at commas outside of quotes and braces if `ends` accepts the text after the
/// comma.
fn split(text: &str, ends: impl Fn(&str) -> bool) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut quoted, mut depth, mut from) = (false, 0u32, 0);
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '{' if !quoted => depth += 1,
            '}' if !quoted => depth = depth.saturating_sub(1),
            ',' if !quoted && depth == 0 && ends(&text[at + 1..]) => {
                parts.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[from..].trim());
    parts
}

/// Is it an integer, an expression in braces, or a range of these?
fn is_numeric(item: &str) -> bool {
    is_end(item) || range(item).is_some()
}

/// Returns the bounds of a range.
fn range(item: &str) -> Option<(&str, &str)> {
    let (from, to) = item.split_once("..")?;
    let (from, to) = (from.trim(), to.trim());
    (is_end(from) && is_end(to)).then_some((from, to))
}

fn is_end(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number || (text.starts_with('{') && text.find('}') == Some(text.len() - 1))
}
