//! Variables that a routine never mentions or never reads, wherever that is in the routine.

use super::webs::in_sizes;
use crate::hir::{LocalId, Routine};
use crate::visit;

/// The use that a routine makes of a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Usage {
    /// It does not mention it.
    None,
    /// It only stores to it.
    Stored,
    /// It reads it, passes it by reference, or counts with it.
    Read,
}

/// Returns the use of each variable of a routine.
pub(crate) fn usage(routine: &Routine) -> Vec<Usage> {
    let mut n_mentions = vec![0_usize; routine.locals.len()];
    let mut n_stores = n_mentions.clone();
    visit::any_stmt(&routine.body, &mut |stmt| {
        visit::uses_of_stmt(stmt, &mut |place| n_mentions[place.local.0 as usize] += 1);
        if let Some(place) = visit::stored_to(stmt) {
            n_stores[place.local.0 as usize] += 1;
        }
        false
    });
    for LocalId(idx) in in_sizes(routine) {
        n_mentions[idx as usize] += 1;
    }
    let usage = |(n_mentions, n_stores)| match n_mentions {
        0 => Usage::None,
        _ if n_mentions == n_stores => Usage::Stored,
        _ => Usage::Read,
    };
    n_mentions.into_iter().zip(n_stores).map(usage).collect()
}
