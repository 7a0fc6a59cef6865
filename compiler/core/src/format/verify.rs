//! Verification of a formatted text: all tokens and comments must still be there.

use star_syntax::lexemes;
use star_syntax::token::Token;

use super::names::Change;
use super::tokens::published;

/// Returns whether `formatted` has the tokens of `text`, apart from these changes, and its
/// comments, in the same order.
pub(super) fn same(text: &str, changes: &[Change], formatted: &str) -> bool {
    let mut changes = changes.iter().peekable();
    let mut found = lexemes(formatted);
    let mut before = None;
    let all = lexemes(text).all(|(token, range)| {
        let Some((found_token, found)) = found.next() else { return false };
        let (at, source, found) = (range.start, &text[range], &formatted[found]);
        if token == Token::Comment {
            return found_token == Token::Comment && same_comment(source.trim_end(), found);
        }
        let changed = changes.next_if(|(changed, _)| *changed == at);
        let spelled = changed.map(|(_, spelled)| spelled.clone());
        let spelled = spelled.unwrap_or_else(|| published(before, token, source));
        before = Some(token);
        spelled == found
    });
    all && found.next().is_none() && changes.next().is_none()
}

/// Returns whether two comments differ only in the indentation of their lines.
fn same_comment(one: &str, other: &str) -> bool {
    one == other || one.split('\n').map(str::trim_start).eq(other.split('\n').map(str::trim_start))
}
