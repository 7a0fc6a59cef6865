//! Searches whose rows are combined with other rows.
//!
//! Note [Narrowed searches]. `(R.a = s) and (R.b > t)` is recorded as two searches of all rows, and
//! the conjunction of the rows found. The second search need only look at the rows that the first
//! one found: its mask and the rows found begin as conjunctions with these. Then it is complete
//! where the first one found nothing, and does not read its columns there. The values between the
//! steps change, so none of them may have another use.

use super::cascade::Pair;
use super::record::ValueId;
use super::step::Users;

/// Rows to which a search is restricted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Under {
    pub(super) rows: ValueId,
    /// Whether the search is restricted to the other rows.
    pub(super) is_complemented: bool,
}

impl Under {
    /// Returns the table of the conjunction of a slice, which is stored as its complement or not,
    /// with the rows.
    pub(super) fn table(self, is_complemented: bool) -> u8 {
        match (is_complemented, self.is_complemented) {
            (false, false) => 0b1000,
            (false, true) => 0b0100,
            (true, false) => 0b1101,
            (true, true) => 0b1110,
        }
    }
}

/// Restricts each search of which only a conjunction is needed; the conjunction becomes its last
/// member.
pub(super) fn narrow(pairs: &mut [Pair], users: &mut Users<'_>) {
    for last in (0..pairs.len()).rev() {
        let Some((all, under)) = conjunction(pairs, last, users) else { continue };
        let search = search(pairs, last);
        // Its values are used here alone, so it can be as late as the conjunction.
        let is_closed = is_closed(pairs, &search, [under.rows, all], users);
        let Some(first) = search.last().filter(|_| is_closed) else { continue };
        pairs[*first].under = Some(under);
        search.iter().for_each(|at| pairs[*at].end = all);
        pairs[last].after.found = Some(all);
        pairs[last].members.push(all);
        users.take(&[all]);
    }
}

/// Returns the conjunction of the rows that a pair finds with others, if nothing else is done with
/// them.
fn conjunction(pairs: &[Pair], last: usize, users: &Users<'_>) -> Option<(ValueId, Under)> {
    let found = pairs[last].after.found?;
    let mut of = users.of(found);
    let (all, None) = (of.next()?, of.next()) else { return None };
    let lut = users.own(all).filter(|_| !users.is_root(found))?;
    let [one, other] = *lut.inputs() else { return None };
    let rows = if one == found { other } else { one };
    let value = |found_is: bool, other_is: bool| {
        lut.value(|input| if input == found { found_is } else { other_is })
    };
    // The result is stored as the rows found are.
    let by_found = pairs[last].cascade.is_complemented.found;
    let is_one = |found_is: bool, other_is: bool| value(found_is != by_found, other_is) != by_found;
    let selected = [false, true].map(|other_is| is_one(true, other_is));
    let is_conjunction = !is_one(false, false) && !is_one(false, true);
    (is_conjunction && selected[0] != selected[1])
        .then_some((all, Under { rows, is_complemented: selected[0] }))
}

/// Returns the pairs that lead to this one, from the last to the first.
fn search(pairs: &[Pair], last: usize) -> Vec<usize> {
    let mut search = vec![last];
    let mut next = last;
    while let Some(before) = (0..next).rev().find(|at| pairs[*at].after == pairs[next].before) {
        search.push(before);
        next = before;
    }
    search
}

/// Returns whether the values of a search have no uses but in itself and in the conjunction `all`
/// with these rows.
fn is_closed(
    pairs: &[Pair],
    search: &[usize],
    [rows, all]: [ValueId; 2],
    users: &Users<'_>,
) -> bool {
    let mut members: Vec<ValueId> =
        search.iter().flat_map(|at| pairs[*at].members.iter().copied()).collect();
    members.push(all);
    !members.contains(&rows)
        && search.iter().map(|at| &pairs[*at]).all(|pair| {
            let mut made = pair.after.made_since(pair.before);
            pair.under.is_none() && made.all(|made| !users.is_used_beside(made, &members))
        })
}
