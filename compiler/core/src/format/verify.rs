//! The last look at a formatted text: are all tokens and comments still there?

use star_syntax::lexemes;
use star_syntax::token::Token;

use super::tokens::Tokens;

/// Does the text hold just these tokens, spelled so, and their comments, in this order?
pub(super) fn same(tokens: &Tokens<'_>, text: &str) -> bool {
    let (mut toks, mut comments) = (tokens.toks.iter(), tokens.comments.iter());
    let mut n_seen = 0;
    let all = lexemes(text).all(|(token, range)| match token {
        Token::Comment => comments.next().is_some_and(|comment| {
            n_seen += 1;
            same_comment(comment.text, &text[range])
        }),
        _ => toks.next().is_some_and(|tok| {
            // The comments in front of it have been seen, and no others.
            tok.gap.comments.end == n_seen && tok.text == text[range]
        }),
    });
    all && toks.next().is_none() && comments.next().is_none()
}

/// Do two comments differ in nothing but the indentation of their lines?
fn same_comment(one: &str, other: &str) -> bool {
    one == other || one.split('\n').map(str::trim_start).eq(other.split('\n').map(str::trim_start))
}
