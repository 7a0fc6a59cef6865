//! The tokens and comments of a text in one sequence, for formatting.

use std::ops::Range;

use logos::Logos;

use crate::prepass;
use crate::token::Token;
use crate::words::FieldNames;

/// Returns the tokens and comments of a text with their positions in bytes. Invalid text is
/// omitted: [`crate::parse`] reports it.
pub fn lexemes(text: &str) -> impl Iterator<Item = (Token, Range<usize>)> {
    let (mut after_colon, mut fields) = (false, FieldNames::default());
    Token::lexer(text).spanned().filter_map(move |(token, range)| match token {
        Ok(Token::Comment) => Some((Token::Comment, range)),
        Ok(token) => {
            let token = fields.token(token, text, range.clone());
            Some((prepass::as_type(token, &text[range.clone()], &mut after_colon), range))
        }
        Err(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_tokens_and_handle_is_a_type_after_a_colon() {
        let all: Vec<String> =
            lexemes("handle: /* c */ Handle").map(|(token, _)| format!("{token:?}")).collect();
        assert_eq!(all, ["Name", "Colon", "Comment", "Handle"]);
    }
}
