//! Words whose meaning depends on their place. Any word names a field after the dot of `E.w`, and
//! before `,` `:` or a string in a record type. `type`, `record`, `array` and `of` are keywords
//! only where a type may contain them. `where` begins a block where a statement may begin, and is a
//! filter after an operand in parentheses or in the head of a `forall`.

use std::ops::Range;

use logos::Logos;

use crate::errors::begins_statements;
use crate::state::begins_item;
use crate::structure::ends_operand;
use crate::token::Token;

/// Finds the names of fields in a sequence of tokens.
#[derive(Debug, Default)]
pub(crate) struct FieldNames {
    /// The preceding token and the byte at which it ends.
    before: Option<(Token, usize)>,
    /// Is the preceding token the dot after an operand?
    follows_dot: bool,
    place: Place,
    /// The number of open parentheses.
    parens: usize,
    /// Is the preceding token in the head of a `forall`?
    in_forall: bool,
}

/// The part of a text that contains a token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Elsewhere,
    /// Between `type` and `record`.
    Type,
    /// In a record type, where names of fields are expected.
    Names,
    /// After the colon of a field.
    Kind,
}

impl FieldNames {
    /// Returns the token, [`Token::Name`] if it names a field, or [`Token::Reserved`] for a keyword
    /// that has no meaning there. Comments are omitted.
    pub(crate) fn token(&mut self, token: Token, text: &str, range: Range<usize>) -> Token {
        let is_word = text[range.clone()].starts_with(|c: char| c.is_alphabetic() || c == '_');
        let joins = self.before.is_some_and(|(_, end)| end == range.start);
        let declares = || self.place == Place::Names && declares(&text[range.end..]);
        let names_field = is_word && (self.follows_dot && joins || declares());
        let before = self.before.map(|(token, _)| token);
        let next = || next(&text[range.end..]);
        let token = match token {
            _ if names_field => Token::Name,
            Token::Type if next() != Some(Token::Name) => Token::Reserved,
            Token::Record if self.place != Place::Type => Token::Reserved,
            Token::Array if self.place != Place::Kind => Token::Reserved,
            Token::Where if before.is_none_or(precedes_statement) => Token::WhereBlock,
            Token::Where
                if self.parens == 0 && !self.in_forall || !before.is_some_and(ends_operand) =>
            {
                Token::Reserved
            }
            Token::Forall if !before.is_none_or(precedes_statement) => Token::Reserved,
            Token::Elsewhere
                if !(before.is_some_and(ends_operand) || before.is_some_and(ends_statement)) =>
            {
                Token::Reserved
            }
            Token::Of
                if !matches!(before, Some(Token::Table | Token::Close | Token::CloseBracket)) =>
            {
                Token::Reserved
            }
            token => token,
        };
        self.parens = match token {
            Token::Open => self.parens + 1,
            Token::Close => self.parens.saturating_sub(1),
            token if begins_item(&token) => 0,
            _ => self.parens,
        };
        self.in_forall = match token {
            Token::Forall => true,
            Token::Do | Token::Semicolon => false,
            token => self.in_forall && !begins_item(&token),
        };
        self.place = match (self.place, token) {
            (_, Token::Type) => Place::Type,
            (_, token) if begins_item(&token) => Place::Elsewhere,
            (Place::Type, Token::Record) => Place::Names,
            (Place::Names, Token::Colon) => Place::Kind,
            (Place::Kind, Token::Semicolon) => Place::Names,
            (Place::Names | Place::Kind, Token::End) => Place::Elsewhere,
            (place, _) => place,
        };
        self.follows_dot = token == Token::Dot
            && matches!(
                self.before,
                Some((Token::Name | Token::Close | Token::CloseBracket, end)) if end == range.start
            );
        self.before = Some((token, range.end));
        token
    }
}

/// Returns whether a statement may begin after the token.
fn precedes_statement(token: Token) -> bool {
    begins_statements(token) || token == Token::Colon
}

/// Returns whether a statement may end with the token, which is no operand, or be empty after it.
fn ends_statement(token: Token) -> bool {
    matches!(token, Token::End | Token::Semicolon | Token::Do)
}

/// Returns whether a name before this text is that of a declared field.
fn declares(rest: &str) -> bool {
    matches!(next(rest), Some(Token::Comma | Token::Colon | Token::Str))
}

/// Returns the first token of a text.
fn next(text: &str) -> Option<Token> {
    Token::lexer(text).find(|token| *token != Ok(Token::Comment))?.ok()
}

#[cfg(test)]
mod tests {
    use crate::token::Token;

    fn tokens(text: &str) -> Vec<Token> {
        crate::lexemes(text).map(|(token, _)| token).collect()
    }

    #[test]
    fn any_word_is_a_name_after_the_dot_of_a_field() {
        use Token::{Dot, End, Name, Procedure, To};
        assert_eq!(tokens("E.to"), [Name, Dot, Name]);
        assert_eq!(tokens("E(1).end")[4..], [Dot, Name]);
        assert_eq!(tokens("E[1].where")[4..], [Dot, Name]);
        assert_eq!(tokens("E. to"), [Name, Dot, To]);
        assert_eq!(tokens("end.procedure"), [End, Dot, Procedure]);
    }

    #[test]
    fn where_begins_a_block_only_where_a_statement_may_begin() {
        use Token::{Elsewhere, Reserved, Where, WhereBlock};
        let wheres = |text: &str| -> Vec<Token> {
            let is_one = |token: &Token| matches!(token, Elsewhere | Reserved | Where | WhereBlock);
            tokens(text).into_iter().filter(is_one).collect()
        };
        assert_eq!(wheres("begin where X do s elsewhere t end"), [WhereBlock, Elsewhere]);
        assert_eq!(wheres("; where sum(F where X) = 1 do"), [WhereBlock, Where]);
        assert_eq!(wheres("do where X do where Y do end end"), [WhereBlock, WhereBlock]);
        // An entry of a session begins with it.
        assert_eq!(wheres("where X do s end"), [WhereBlock]);
        assert_eq!(wheres("f(where) + where"), [Reserved, Reserved]);
        assert_eq!(wheres("x := elsewhere"), [Reserved]);
        assert_eq!(wheres("forall i in X where X(i) = 1 do where Y do s end"), [Where, WhereBlock]);
        assert_eq!(wheres("x := forall; y where"), [Reserved, Reserved]);
    }

    #[test]
    fn any_word_is_a_name_where_a_record_declares_fields() {
        let names = |text: &str| tokens(text).iter().filter(|&&one| one == Token::Name).count();
        assert_eq!(names("type R = record end: bit; to, type: bit end;"), 6);
        assert_eq!(names("type R = record a: bit; of \"of\": bit; end end;"), 5);
        // A record that is not closed ends where the next item begins.
        assert_eq!(names("type R = record a: bit; type S = record b: bit end;"), 6);
        assert_eq!(names("type R = record a: bit end; proc P; begin end;"), 4);
    }
}
