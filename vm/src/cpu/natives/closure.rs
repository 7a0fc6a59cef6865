//! The transitive closure of a table, in place.
//!
//! The form that the table is at home in is worked on: with lines by columns the closure of the turned graph is
//! made, which is the turned closure. Below, a line is a row of the graph, and bit j of line i an arc from i to j.
//!
//! Inner vertices of paths are the first n. The strong components among them are found, each behind those that its
//! arcs lead to ([`Components`]). In that order one line is made for each component: the arcs of its members, and
//! for every one that leads to another component all that this one reaches. An arc to what is
//! reached already is passed over, so that few are left if the nearest components come first (Note [Order]).
//! Every member then takes the line. A line beyond n is a vertex that no arc leads to: it comes last.
//! Bits beyond n are vertices without arcs: they are or-ed along.
//!
//! Note [Order]. Nobody knows the nearest component without looking at all arcs; but vertices are often
//! numbered along the arcs, or against them. So the arcs are taken from that end at which later
//! components are more frequent. In a graph numbered at random each arc taken covers a share of the
//! others, whatever the order.

use star_base::{BitTable, Limbs};

use super::components::Components;
use super::{Pace, or};
use crate::cpu::machine::Machine;
use crate::cpu::spread::Spread;
use crate::cpu::value::bytes_of;
use crate::stop::Step;

impl Machine<'_, '_, '_> {
    /// `WARSHALL(n,P)`; false if there is too little memory for it.
    pub(super) fn native_closure(&mut self) -> Step<bool> {
        let (Ok(n), table) = (usize::try_from(self.int_param(0)?), self.table_param(1)?) else {
            return Ok(false);
        };
        // Vertices are numbered in 32 bits.
        if u32::try_from(n).is_err() {
            return Ok(false);
        }
        let lines = self.table(table)?;
        let line_bytes = bytes_of(lines.n_rows().max(lines.n_cols()));
        let beside = Components::n_bytes(n).saturating_add(2 * line_bytes);
        self.native_change(table, beside, |table, machine| {
            close(table.home_mut(), n, &machine.spread)
        })
    }
}

/// Adds to each line what it reaches over the first `n` vertices. False, and nothing happened, if the
/// system refuses the memory.
pub(super) fn close(lines: &mut BitTable, n: usize, spread: &Spread<'_>) -> Step<bool> {
    let mut pace = Pace::new(spread);
    let Some(components) = Components::find(lines, n, &mut pace)? else { return Ok(false) };
    let n_limbs = lines.column_len();
    let (Ok(arcs), Ok(reached)) = (Limbs::zeros(n_limbs), Limbs::zeros(n_limbs)) else {
        return Ok(false);
    };
    let from = nearer_end(&components, n);
    let mut closing = Closing { lines, n, components: &components, arcs, reached, from, spread };
    for component in 0..components.len() {
        closing.close(components.members(component), &mut pace)?;
    }
    for line in n..closing.lines.n_cols() {
        closing.close(std::iter::once(line), &mut pace)?;
    }
    Ok(true)
}

/// The end of a line at which the arcs are begun with; see Note [Order].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    First,
    Last,
}

fn nearer_end(components: &Components, n: usize) -> End {
    let pairs = || (1..n).map(|vertex| (components.of(vertex - 1), components.of(vertex)));
    let falls = pairs().filter(|(before, here)| before > here).count();
    let rises = pairs().filter(|(before, here)| before < here).count();
    if falls >= rises { End::First } else { End::Last }
}

struct Closing<'a> {
    lines: &'a mut BitTable,
    n: usize,
    components: &'a Components,
    /// All arcs of a component.
    arcs: Limbs,
    /// What is reached over its arcs so far; of its own members, those that an arc leads to.
    reached: Limbs,
    from: End,
    spread: &'a Spread<'a>,
}

impl Closing<'_> {
    /// Closes the lines of a component, or a line beyond n.
    fn close(
        &mut self,
        members: impl ExactSizeIterator<Item = usize> + Clone,
        pace: &mut Pace<'_>,
    ) -> Step<()> {
        let Closing { lines, n, components, arcs, reached, from, spread } = self;
        let n_limbs = arcs.len();
        pace.spend(2 * n_limbs)?;
        arcs.fill(0);
        reached.fill(0);
        for member in members.clone() {
            pace.spend(n_limbs)?;
            or(arcs, lines.column_limbs(member), spread)?;
        }
        for member in members.clone().filter(|member| member < n) {
            reached[member / 64] |= arcs[member / 64] & 1 << (member % 64);
        }
        let n_inner = n.div_ceil(64);
        for idx in 0..n_inner {
            let at = match from {
                End::First => idx,
                End::Last => n_inner - 1 - idx,
            };
            let inner = if (at + 1) * 64 <= *n { u64::MAX } else { (1 << (*n % 64)) - 1 };
            loop {
                let open = arcs[at] & !reached[at] & inner;
                if open == 0 {
                    break;
                }
                let bit = match from {
                    End::First => open.trailing_zeros(),
                    End::Last => 63 - open.leading_zeros(),
                };
                let next = components.of(at * 64 + bit as usize);
                pace.spend(n_limbs)?;
                or(reached, lines.column_limbs(components.first_member(next)), spread)?;
                reached[at] |= 1 << bit;
            }
        }
        or(arcs, reached, spread)?;
        for member in members {
            pace.spend(n_limbs)?;
            lines.column_limbs_mut(member).copy_from_slice(arcs);
        }
        Ok(())
    }
}
