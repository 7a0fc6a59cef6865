//! Omission of syntax errors that are consequences of an earlier one in the same item.

use star_base::{Code, Diagnostic, Span};

use crate::errors::ITEM_EXPECTED;
use crate::prepass::Spanned;

/// Removes from the errors, which are in text order, those that an earlier error in the same piece
/// causes.
pub(crate) fn omit<'t>(
    diagnostics: &mut Vec<Diagnostic>,
    pieces: impl Iterator<Item = &'t [Spanned]>,
    text: &str,
) {
    for piece in pieces {
        let (Some(first), Some(last)) = (piece.first(), piece.last()) else { continue };
        let within = |at: Span| first.0 <= at.start && at.start <= last.2;
        let is_here = |one: &Diagnostic| one.is_error() && one.span().is_some_and(within);
        let is_syntax = |one: &Diagnostic| one.code == Code::UnexpectedToken && is_here(one);
        let has_syntax = diagnostics.iter().any(is_syntax);
        let (mut n_before, mut is_lost) = (0_usize, false);
        diagnostics.retain(|one| {
            if !is_here(one) {
                return true;
            }
            let is_block = one.code == Code::ReservedWord && begins_block(one, text);
            let is_end = one.code == Code::UnexpectedToken && ends_block(one, text);
            let is_item = one.code == Code::UnexpectedToken && expects_item(one);
            let follows = is_lost || n_before > 0 && (is_end || is_item) || is_block && has_syntax;
            is_lost |= is_item;
            n_before += usize::from(!follows);
            !follows
        });
    }
}

fn word<'t>(diagnostic: &Diagnostic, text: &'t str) -> &'t str {
    diagnostic.span().map_or("", |span| &text[span.range()])
}

/// Returns whether it is about a keyword that is reserved only outside of its form.
fn begins_block(diagnostic: &Diagnostic, text: &str) -> bool {
    let word = word(diagnostic, text);
    ["where", "elsewhere", "type", "record", "array"].iter().any(|it| it.eq_ignore_ascii_case(word))
}

/// Returns whether it is about the end of a block whose beginning was not understood.
fn ends_block(diagnostic: &Diagnostic, text: &str) -> bool {
    let word = word(diagnostic, text);
    ["end", "until", "elsewhere"].iter().any(|it| it.eq_ignore_ascii_case(word))
}

/// Returns whether an item was expected.
fn expects_item(diagnostic: &Diagnostic) -> bool {
    diagnostic.labels.first().is_some_and(|label| label.text.ends_with(ITEM_EXPECTED))
}
