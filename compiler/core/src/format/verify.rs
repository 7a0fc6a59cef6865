//! The last look at a formatted text: are all tokens and comments still there?

use star_syntax::lexemes;
use star_syntax::token::Token;

use super::names::Change;
use super::tokens::published;

/// Does `formatted` hold just the tokens of `text`, but for these changes, and its comments, in this order?
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

/// Do two comments differ in nothing but the indentation of their lines?
fn same_comment(one: &str, other: &str) -> bool {
    one == other || one.split('\n').map(str::trim_start).eq(other.split('\n').map(str::trim_start))
}
