//! Lookup of the name at a position.
//!
//! A text that is being typed often has no complete analysis: the checker does not look at the
//! arguments of an unknown routine, and the parser drops a routine that it cannot read. Such names
//! are looked up in the last analyses without syntax errors and without any errors, at the
//! corresponding position.

use std::sync::Arc;

use crate::analysis::Analysis;
use crate::document::mapped;
use crate::protocol::types::{Position, Range, Uri};
use crate::state::{Context, Refusal};
use crate::toolchain::Meaning;

/// A name that was found.
pub(crate) struct Found {
    /// The analysis to which the meaning belongs.
    pub(crate) analysis: Arc<Analysis>,
    /// The meaning.
    pub(crate) meaning: Meaning,
    /// The range of the name in the current text.
    pub(crate) range: Range,
    /// Does the meaning come from an older text?
    pub(crate) is_old: bool,
}

/// Returns the name at a position of a document.
///
/// # Errors
/// If the document cannot be read.
pub(crate) fn name_at(
    context: &Context<'_>,
    uri: &Uri,
    position: Position,
) -> Result<Option<Found>, Refusal> {
    let analysis = context.analysis(uri)?;
    let offset = analysis.offset(position);
    let root = analysis.root();
    if let Some(found) = analysis.index.at(root, offset as u32) {
        let (range, meaning) = (analysis.range(found.span), found.meaning);
        return Ok(Some(Found { analysis, meaning, range, is_old: false }));
    }
    let older = [context.state.last_parsed(uri), context.state.last_correct(uri)];
    let older = older.into_iter().flatten().filter(|old| !Arc::ptr_eq(old, &analysis));
    Ok(older.into_iter().find_map(|old| in_older(&analysis, old, offset)))
}

/// Looks the name up in an older analysis, at the corresponding position.
fn in_older(analysis: &Analysis, old: Arc<Analysis>, offset: usize) -> Option<Found> {
    let at = mapped(analysis.text(), old.text(), offset)?;
    let found = *old.index.at(old.root(), at as u32)?;
    let start = mapped(old.text(), analysis.text(), found.span.start as usize)?;
    let end = mapped(old.text(), analysis.text(), found.span.end as usize)?;
    if analysis.text().get(start..end) != old.text().get(found.span.range()) {
        return None;
    }
    let range = analysis.range_of(start..end);
    Some(Found { analysis: old, meaning: found.meaning, range, is_old: true })
}
