//! The tokens and comments of a text in one row, for those who set a text anew.

use std::ops::Range;

use logos::Logos;

use crate::prepass;
use crate::token::Token;

/// The tokens of a text with their places in bytes, comments among them. What is no token is left out:
/// [`crate::parse`] says what is wrong with it.
pub fn lexemes(text: &str) -> impl Iterator<Item = (Token, Range<usize>)> {
    let mut after_colon = false;
    Token::lexer(text).spanned().filter_map(move |(token, range)| match token {
        Ok(Token::Comment) => Some((Token::Comment, range)),
        Ok(token) => Some((prepass::as_type(token, &text[range.clone()], &mut after_colon), range)),
        Err(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_stand_among_the_tokens_and_handles_behind_colons() {
        let all: Vec<String> =
            lexemes("handle: /* c */ Handle").map(|(token, _)| format!("{token:?}")).collect();
        assert_eq!(all, ["Name", "Colon", "Comment", "Handle"]);
    }
}
