//! The graph of components of a sparse graph, with its arcs: reachability is determined by a search
//! on each query.
//!
//! Note [Searched]. The closure of c components takes c² bits, and the arcs between them no more
//! than the graph. Components are numbered so that arcs lead to lower numbers: one walk over the
//! numbers from a component down finds everything that it reaches. Two bounds save most of the
//! walk. First, a component reaches nothing below its *least* reachable number, so it does not
//! reach a component whose least number is lower (Yıldırım et al. 2010, GRAIL). Second, since the
//! numbers are in the order in which the depth-first search finished the components, each reaches
//! all numbers from some *first* one up to its own: those that the search found from it (Agrawal et
//! al. 1989, intervals of a tree cover).

use star_value::{Limbs, SparseLines};

use crate::components::Components;
use crate::environment::{Ended, InterruptPoller};
use crate::{filled, has, ones, put, reserved};

/// The arcs between components.
#[derive(Debug)]
pub(super) struct Condensation {
    /// The start of the arcs of each component, and the end of the last ones.
    starts: Vec<usize>,
    /// The components that arcs lead to, ascending for each component; all are lower than the
    /// component.
    heads: Vec<u32>,
    /// Components with an arc between their members.
    cyclic: Limbs,
    /// The least number that a component reaches, or its own.
    least: Vec<u32>,
    /// The component reaches all numbers from this one up to its own.
    first: Vec<u32>,
}

impl Condensation {
    /// An upper bound on the bytes needed to build it for the given number of components and arcs
    /// of the graph.
    pub(super) fn bytes_for(n_components: usize, n_arcs: u64) -> u64 {
        let of_components = (n_components as u64 + 1).saturating_mul(8 + 2 * 4 + 1);
        of_components.saturating_add(n_arcs.saturating_mul(4)).saturating_add(64)
    }

    pub(super) fn n_bytes(&self) -> u64 {
        Condensation::bytes_for(self.len(), self.heads.len() as u64)
    }

    /// Builds the arcs between these components of a sparse graph.
    ///
    /// # Errors
    /// If memory allocation fails, or the run is interrupted.
    pub(super) fn find(
        graph: &SparseLines,
        components: &Components,
        poller: &mut InterruptPoller<'_>,
    ) -> Result<Self, Ended> {
        let n = components.len();
        let mut cyclic = Limbs::zeros(n.div_ceil(64))?;
        // First the number of arcs from each component to others; then the start of its arcs, and
        // after filling, their end.
        let mut starts = filled(n + 1, 0_usize)?;
        let mut n_arcs = 0;
        each_arc(graph, components, poller, |from, to| {
            if from == to {
                put(&mut cyclic, from);
            } else {
                starts[from] += 1;
                n_arcs += 1;
            }
        })?;
        let mut before = 0;
        for start in &mut starts {
            before += std::mem::replace(start, before);
        }
        let mut heads = filled(n_arcs, 0_u32)?;
        each_arc(graph, components, poller, |from, to| {
            if from != to {
                heads[starts[from]] = to as u32;
                starts[from] += 1;
            }
        })?;
        let (mut least, mut first) = (filled(n, u32::MAX)?, filled(n, u32::MAX)?);
        let mut marks = Limbs::zeros(n.div_ceil(64))?;
        let (mut end, mut n_kept) = (0, 0);
        for component in 0..n {
            let begin = std::mem::replace(&mut end, starts[component]);
            poller.spend(1 + end - begin)?;
            let start = n_kept;
            n_kept = keep_each_once(&mut heads, begin..end, start, &mut marks);
            starts[component] = start;
            let arcs = &heads[start..n_kept];
            let of_heads = arcs.iter().map(|head| least[*head as usize]).min();
            least[component] = of_heads.unwrap_or(component as u32).min(component as u32);
            let mut from = component as u32;
            for head in arcs.iter().rev() {
                if head + 1 < from {
                    break;
                }
                from = from.min(first[*head as usize]);
            }
            first[component] = from;
        }
        starts[n] = n_kept;
        heads.truncate(n_kept);
        heads.shrink_to_fit();
        Ok(Condensation { starts, heads, cyclic, least, first })
    }

    /// The number of components.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn arcs(&self, component: usize) -> &[u32] {
        &self.heads[self.starts[component]..self.starts[component + 1]]
    }

    /// The answer for two components, of which the first has the higher number, if the bounds
    /// determine it; `None` if a search is needed.
    fn known(&self, from: usize, to: usize) -> Option<bool> {
        if self.first[from] as usize <= to {
            return Some(true);
        }
        (self.least[to] < self.least[from]).then_some(false)
    }

    /// Returns whether there is a path from one component to another, or to itself.
    ///
    /// # Errors
    /// If memory allocation fails, or the run is interrupted.
    pub(super) fn reaches(
        &self,
        from: usize,
        to: usize,
        poller: &mut InterruptPoller<'_>,
    ) -> Result<bool, Ended> {
        if from <= to {
            return Ok(from == to && has(&self.cyclic, from));
        }
        if let Some(known) = self.known(from, to) {
            return Ok(known);
        }
        // Numbers between the two that are reached and not yet visited.
        let base = to / 64 * 64;
        let mut open = Limbs::zeros(from / 64 + 1 - base / 64)?;
        put(&mut open, from - base);
        for at in (0..open.len()).rev() {
            poller.spend(1)?;
            while let Some(bit) = open[at].checked_ilog2() {
                open[at] &= !(1 << bit);
                let arcs = self.arcs(base + at * 64 + bit as usize);
                poller.spend(arcs.len())?;
                let lower = arcs.partition_point(|head| (*head as usize) < to);
                for head in arcs[lower..].iter().map(|head| *head as usize) {
                    match if head == to { Some(true) } else { self.known(head, to) } {
                        Some(true) => return Ok(true),
                        Some(false) => {}
                        None => put(&mut open, head - base),
                    }
                }
            }
        }
        Ok(false)
    }

    /// Marks everything that a component reaches, in a zeroed set.
    ///
    /// # Errors
    /// If the run is interrupted.
    pub(super) fn ahead(
        &self,
        from: usize,
        found: &mut [u64],
        poller: &mut InterruptPoller<'_>,
    ) -> Result<(), Ended> {
        self.arcs(from).iter().for_each(|head| put(found, *head as usize));
        for at in (self.least[from] as usize / 64..=from / 64).rev() {
            poller.spend(1)?;
            let mut open = found[at];
            while let Some(bit) = open.checked_ilog2() {
                let arcs = self.arcs(at * 64 + bit as usize);
                poller.spend(arcs.len())?;
                arcs.iter().for_each(|head| put(found, *head as usize));
                open = found[at] & ((1 << bit) - 1);
            }
        }
        if has(&self.cyclic, from) {
            put(found, from);
        }
        Ok(())
    }

    /// Marks everything that reaches a component, in a zeroed set.
    ///
    /// # Errors
    /// If the run is interrupted.
    pub(super) fn behind(
        &self,
        to: usize,
        found: &mut [u64],
        poller: &mut InterruptPoller<'_>,
    ) -> Result<(), Ended> {
        for from in to + 1..self.len() {
            poller.spend(1)?;
            let reaches = self.known(from, to).map_or_else(
                || -> Result<bool, Ended> {
                    let arcs = self.arcs(from);
                    poller.spend(arcs.len())?;
                    let is_found = |head: usize| head == to || has(found, head);
                    Ok(arcs.iter().any(|head| is_found(*head as usize)))
                },
                Ok,
            )?;
            if reaches {
                put(found, from);
            }
        }
        if has(&self.cyclic, to) {
            put(found, to);
        }
        Ok(())
    }

    /// A lower bound on the ones of the closure of the graph: for each component, what one of its
    /// arcs leads to with everything reachable from there, or the numbers from
    /// [`first`](Condensation::first) on. Each arc is read once.
    pub(super) fn least_ones(&self, components: &Components) -> Result<u64, Ended> {
        let n_members = |component: usize| components.members(component).len() as u64;
        let mut n_reached: Vec<u64> = reserved(self.len())?;
        // The number of vertices of all components before each one.
        let mut n_before: Vec<u64> = reserved(self.len() + 1)?;
        n_before.push(0);
        let mut n_ones = 0_u64;
        for component in 0..self.len() {
            let arcs = self.arcs(component).iter().map(|head| *head as usize);
            let one = |head: usize| {
                // A cyclic component already reaches its own vertices.
                let own = if has(&self.cyclic, head) { 0 } else { n_members(head) };
                n_reached[head] + own
            };
            let along = arcs.map(one).max().unwrap_or(0);
            let between = n_before[component] - n_before[self.first[component] as usize];
            let own = if has(&self.cyclic, component) { n_members(component) } else { 0 };
            n_reached.push(along.max(between) + own);
            n_before.push(n_before[component] + n_members(component));
            n_ones =
                n_ones.saturating_add(n_members(component).saturating_mul(n_reached[component]));
        }
        Ok(n_ones)
    }

    /// Bytes that [`Condensation::least_ones`] needs.
    pub(super) fn bytes_to_count(&self) -> u64 {
        (self.len() as u64 + 1).saturating_mul(2 * 8)
    }
}

/// Calls `each` with the components at the start and end of each arc, vertex by vertex, so that the
/// lines are read in memory order.
pub(super) fn each_arc(
    graph: &SparseLines,
    components: &Components,
    poller: &mut InterruptPoller<'_>,
    mut each: impl FnMut(usize, usize),
) -> Result<(), Ended> {
    let n = components.n_vertices();
    for vertex in 0..n {
        let from = components.of(vertex);
        poller.spend(1 + graph.line(vertex).places.len())?;
        graph.ones(vertex, |to| {
            // LineOrder may be longer than there are vertices.
            if to < n {
                each(from, components.of(to));
            }
        });
    }
    Ok(())
}

/// Moves the distinct numbers of a part of a list, ascending, to the left to `start`; returns their
/// end. `marks` must be zeros and is zeros again afterwards.
fn keep_each_once(
    list: &mut [u32],
    part: std::ops::Range<usize>,
    start: usize,
    marks: &mut [u64],
) -> usize {
    let mut end = start;
    if part.len() < MANY {
        list[part.clone()].sort_unstable();
        for at in part {
            if end == start || list[end - 1] != list[at] {
                list[end] = list[at];
                end += 1;
            }
        }
        return end;
    }
    let (mut least, mut greatest) = (usize::MAX, 0);
    for number in &list[part] {
        let number = *number as usize;
        (least, greatest) = (least.min(number / 64), greatest.max(number / 64));
        put(marks, number);
    }
    for (at, limb) in (least..).zip(&mut marks[least..=greatest]) {
        for number in ones(&[std::mem::take(limb)]) {
            list[end] = (at * 64 + number) as u32;
            end += 1;
        }
    }
    end
}

/// The number of elements from which they are sorted by marks.
const MANY: usize = 1 << 10;
