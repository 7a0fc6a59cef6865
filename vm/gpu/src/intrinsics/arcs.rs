//! The routines BFS, SSSP, SSSP_TREE and COMPONENTS of module `arcs`, and KRUSKAL of module `mst`,
//! which MST of `arcs` calls.
//!
//! The codes and weights become words. A search groups the arcs by their tails and runs windows
//! (Note \[Windows and buckets\] in star-shaders), several of them between two reads of the length
//! of the queue. A tree of shortest paths grows in rounds (Note \[Ties\]), components and a forest
//! by disjoint sets (Note \[Sets\]).

use star_shaders::Shader;
use star_shaders::intrinsics::arcs::{
    self as shaders, BITS, Ends, FIRST, GREATEST, Groups, HEAVIEST, LEAST, LENGTH, NOTES, PLACED,
    PROCESSED, TAKEN, UNFINISHED, WRONG, ZEROS,
};
use star_vm::Declined;

use super::wave::{DECLINED, LEAST_WINDOWS, MOST_WINDOWS, TOO_LARGE, WINDOW_GROUPS};
use super::work::{Executor, Units};
use super::{IntrinsicResult, NotTaken};
use crate::grid::{Given, Launch};
use crate::run::{Call, Placed, Reserved};
use crate::value::ObjectKind;

/// Limbs whose processing takes as long as a part of a vertex in a window, and as a window without
/// any.
const LIMBS_OF_A_PART: u64 = 1 << 8;
const LIMBS_OF_A_WINDOW: u64 = 1 << 16;
/// Limbs that a thread of another kernel accesses.
const LIMBS_OF_A_THREAD: u64 = 16;
/// The greatest binary logarithm of the costs in a bucket.
const MAX_SHIFT: u32 = 31;
/// Rounds of a tree between two reads, and at most: arcs without weight that connect more vertices
/// are left to the Star text.
const ROUNDS: usize = 16;
const MOST_ROUNDS: usize = 1 << 13;
/// A forest has words for all possible codes, if these are at most this number for each edge, and
/// some more.
const CODES_OF_AN_EDGE: u64 = 4;
const MORE_CODES: u64 = 256;

/// `BFS(s,n,both,left,right,S,Dist)`
pub(super) fn bfs(call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
    let (start, n, both) = (call.size(0)?, call.size(1)?, call.int(2)? != 0);
    let list = List::given(call, n, [3, 5], None)?;
    let levels = list.reserve_codes(call, 6)?;
    let graph = Graph::reserve(call, &list)?;
    let search = Search::reserve(call, graph, both)?;
    search.run(call, &list, start)?;
    search.graph.write(call, search.graph.costs, levels, 0_u32.wrapping_sub(FIRST))?;
    call.put(6, levels)
}

/// `SSSP(s,n,h,both,left,right,weight,S,Dist)`
pub(super) fn sssp(call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
    let (start, both, h) = (call.size(0)?, call.int(3)? != 0, call.size(2)?);
    let (list, distances) = weighted(call, h)?;
    let graph = Graph::reserve(call, &list)?;
    let search = Search::reserve(call, graph, both)?;
    search.run(call, &list, start)?;
    search.write(call, distances, h)?;
    call.put(8, distances)
}

/// `SSSP_TREE(s,n,h,both,left,right,weight,S,Dist,Pred,T)`
pub(super) fn sssp_tree(call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
    let (start, both, h) = (call.size(0)?, call.int(3)? != 0, call.size(2)?);
    let (list, distances) = weighted(call, h)?;
    let before = list.reserve_codes(call, 9)?;
    let marked = call.reserve(10, ObjectKind::Slice, [list.m.into(), 1])?;
    let tails = call.extra(list.n.into())?.at;
    let graph = Graph::reserve(call, &list)?.with_sets(call)?;
    let search = Search::reserve(call, graph, both)?;
    let start = search.run(call, &list, start)?;
    search.write(call, distances, h)?;
    search.graph.grow(call, vec![tails, marked.at(), start])?;
    graph.write(call, tails, before, 0)?;
    call.put(8, distances)?;
    call.put(9, before)?;
    call.put(10, marked)
}

/// Returns the arcs of `SSSP` and `SSSP_TREE`, and memory for the distances.
fn weighted(call: &mut Call<'_, '_, '_>, h: u32) -> Result<(List, Reserved), NotTaken> {
    let n = call.size(1)?;
    let list = List::given(call, n, [4, 7], Some((6, h - 1)))?;
    Ok((list, call.reserve(8, ObjectKind::Table, [n.into(), h.into()])?))
}

/// `COMPONENTS(n,left,right,S,Label)`
pub(super) fn components(call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
    let n = call.size(0)?;
    let list = List::given(call, n, [1, 3], None)?;
    let labels = list.reserve_codes(call, 4)?;
    let graph = Graph::reserve(call, &list)?.with_sets(call)?;
    graph.begin(call, &list, 0)?;
    let link = graph.over_rows(call, &shaders::link(graph.groups, graph.ends_are), vec![0])?;
    graph.join(call, &link)?;
    // Codes count from 1.
    graph.write(call, graph.parents, labels, 1)?;
    call.put(4, labels)
}

/// `KRUSKAL(left,right,weight,S,T)`
pub(super) fn kruskal(call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
    let Placed { sizes, .. } = call.object(0)?;
    // Every code may be that of a vertex.
    let n_codes = 1_u64 << sizes.columns;
    if n_codes > CODES_OF_AN_EDGE * u64::from(sizes.rows) + MORE_CODES {
        return Err(TOO_LARGE);
    }
    let n = u32::try_from(n_codes).map_err(|_| TOO_LARGE)?;
    let list = List::given(call, n, [0, 3], Some((2, u32::BITS)))?;
    let list = List { first_code: 0, ..list };
    let marked = call.reserve(4, ObjectKind::Slice, [list.m.into(), 1])?;
    let rows = call.extra(n.into())?.at;
    let graph = Graph::reserve(call, &list)?.with_sets(call)?;
    graph.begin(call, &list, 0)?;
    let least = shaders::least(graph.groups);
    let mut leasts = graph.over_rows(call, &least, vec![rows, 0])?;
    leasts.extend(graph.over_rows(call, &least, vec![rows, 1])?);
    let pick = shaders::pick(graph.groups);
    let pick = graph.over_vertices(call, &pick, vec![rows, marked.at()])?;
    let mut n_taken = 0;
    loop {
        call.launch(&leasts, graph.limbs())?;
        graph.join(call, &pick)?;
        let [taken] = call.words(graph.notes + TAKEN)?;
        if taken == n_taken {
            return call.put(4, marked);
        }
        n_taken = taken;
    }
}

/// The arguments with the arcs.
#[derive(Clone, Copy, Debug)]
struct List {
    /// Vertices and rows.
    n: u32,
    m: u32,
    left: Placed,
    right: Placed,
    /// The weights, and the most bits of each.
    weight: Option<(Placed, u32)>,
    /// The slice of the arcs.
    among: u32,
    /// The code of the first vertex.
    first_code: u32,
}

impl List {
    /// Returns the arcs: the tails are a parameter, which the heads follow, and the slice is
    /// another one. Weights are the parameter after the heads, with some bits at most.
    fn given(
        call: &Call<'_, '_, '_>,
        n: u32,
        [left, among]: [usize; 2],
        weight: Option<(usize, u32)>,
    ) -> Result<List, NotTaken> {
        let weight = match weight {
            Some((param, most_bits)) => Some((call.object(param)?, most_bits)),
            None => None,
        };
        let (left, right) = (call.object(left)?, call.object(left + 1)?);
        let among = call.object(among)?.at;
        Ok(List { n, m: left.sizes.rows, left, right, weight, among, first_code: 1 })
    }

    /// Reserves a table with a code for each vertex.
    fn reserve_codes(
        &self,
        call: &mut Call<'_, '_, '_>,
        param: usize,
    ) -> Result<Reserved, NotTaken> {
        let columns = self.left.sizes.columns;
        call.reserve(param, ObjectKind::Table, [self.n.into(), columns.into()])
    }
}

/// A list of arcs whose memory is allocated. Addresses that are not used are 0.
#[derive(Clone, Copy, Debug)]
struct Graph {
    groups: Groups,
    ends_are: Ends,
    n: u32,
    m: u32,
    arcs: u32,
    notes: u32,
    both: bool,
    costs: u32,
    places: u32,
    ends: u32,
    parents: u32,
    keys: u32,
}

impl Graph {
    /// Reserves the arcs as words; the body runs if the device has too little shared memory.
    fn reserve(call: &mut Call<'_, '_, '_>, list: &List) -> Result<Graph, NotTaken> {
        let grid = call.grid()?;
        let groups = if grid.has_small_groups() { Groups::SMALL } else { Groups::USUAL };
        if groups.shared_bytes() > grid.shared_bytes() {
            return Err(NotTaken::Declined(Declined::Body));
        }
        let ends_are = if list.weight.is_some() { Ends::Weights } else { Ends::Heads };
        let arcs = call.extra((1 + ends_are as u64) * u64::from(list.m))?.at;
        let notes = call.notes(NOTES)?;
        let (n, m, both) = (list.n, list.m, false);
        let [costs, places, ends, parents, keys] = [0; 5];
        Ok(Graph { groups, ends_are, n, m, arcs, notes, both, costs, places, ends, parents, keys })
    }

    /// Reserves sets of vertices, and a key for each.
    fn with_sets(self, call: &mut Call<'_, '_, '_>) -> Result<Graph, NotTaken> {
        let [parents, keys] = [call.extra(self.n.into())?.at, call.extra(self.n.into())?.at];
        Ok(Graph { parents, keys, ..self })
    }

    /// Returns the parameters of a kernel after the first four.
    fn given(&self, given: &[u32]) -> Vec<u32> {
        let Graph { arcs, notes, both, costs, places, ends, parents, keys, .. } = *self;
        let of_graph = [arcs, notes, both.into(), costs, places, ends, parents, keys];
        [&of_graph, given].concat()
    }

    /// Returns the dispatches of a kernel whose workgroups have some of `n` units.
    fn over(
        &self,
        call: &mut Call<'_, '_, '_>,
        shader: &Shader,
        n: u64,
        given: Vec<u32>,
    ) -> Result<Vec<Launch>, NotTaken> {
        let Graph { groups, n: n_vertices, m, .. } = *self;
        let (head, threads, limbs) = ([n_vertices, m], groups.threads, LIMBS_OF_A_THREAD);
        let units = Units { head, threads, n, limbs };
        units.launches(call, shader, &self.given(&given))
    }

    fn over_rows(
        &self,
        call: &mut Call<'_, '_, '_>,
        shader: &Shader,
        given: Vec<u32>,
    ) -> Result<Vec<Launch>, NotTaken> {
        self.over(call, shader, self.m.into(), given)
    }

    fn over_vertices(
        &self,
        call: &mut Call<'_, '_, '_>,
        shader: &Shader,
        given: Vec<u32>,
    ) -> Result<Vec<Launch>, NotTaken> {
        self.over(call, shader, self.n.into(), given)
    }

    /// Returns the limbs that a kernel over all rows or vertices accesses.
    fn limbs(&self) -> u64 {
        LIMBS_OF_A_THREAD * u64::from(self.n.max(self.m))
    }

    /// Reads the arcs, groups them if there is memory for that, and begins the search and the sets.
    /// The body runs if an arc is not valid. Returns the notes.
    fn begin(
        &self,
        call: &mut Call<'_, '_, '_>,
        list: &List,
        start: u32,
    ) -> Result<[u32; NOTES as usize], NotTaken> {
        let List { left, right, weight, among, first_code, .. } = *list;
        let (weights, most_bits) = match weight {
            Some((weight, most_bits)) => {
                ([weight.at, weight.stride, weight.sizes.columns], most_bits)
            }
            None => ([0; 3], 0),
        };
        let of_tables = [left.at, left.stride, right.at, right.stride];
        let of_codes = [left.sizes.columns, among, first_code, most_bits];
        let given = [&of_tables[..], &of_codes, &weights].concat();
        let Graph { groups, ends_are, .. } = *self;
        let mut launches = self.over_rows(call, &shaders::read(groups, ends_are), given)?;
        if self.places != 0 {
            launches.extend(self.over_vertices(call, &shaders::place(groups), vec![])?);
            launches.extend(self.over_rows(call, &shaders::fill(groups, ends_are), vec![])?);
        }
        launches.extend(self.over_vertices(call, &shaders::begin(groups), vec![start])?);
        call.launch(&launches, self.limbs())?;
        let found = call.words::<{ NOTES as usize }>(self.notes)?;
        if found[WRONG as usize] == 0 { Ok(found) } else { Err(DECLINED) }
    }

    /// Runs a kernel that joins sets until it has joined all, and makes each vertex a child of the
    /// root of its set.
    fn join(&self, call: &mut Call<'_, '_, '_>, joining: &[Launch]) -> IntrinsicResult {
        let jump = self.over_vertices(call, &shaders::jump(self.groups), vec![])?;
        let jumps: Vec<Launch> =
            (0..shaders::jumps(self.n)).flat_map(|_| jump.iter().copied()).collect();
        loop {
            call.launch(joining, self.limbs())?;
            call.launch(&jumps, self.limbs())?;
            if call.words(self.notes + UNFINISHED)? == [0] {
                return Ok(());
            }
            call.write(self.notes + UNFINISHED, &[0])?;
        }
    }

    /// Marks the arcs of a tree of shortest paths, and stores their tails for each head.
    fn grow(&self, call: &mut Call<'_, '_, '_>, given: Vec<u32>) -> IntrinsicResult {
        let Graph { groups, notes, .. } = *self;
        let link = self.over_rows(call, &shaders::link(groups, self.ends_are), vec![1])?;
        let half = |half: u32| [&[half], &given[..]].concat();
        let tree = shaders::tree(groups);
        let mut round = self.over_rows(call, &tree, half(0))?;
        round.extend(self.over_rows(call, &tree, half(1))?);
        call.launch(&link, self.limbs())?;
        if call.words(notes + ZEROS)? == [0] {
            return call.launch(&round, self.limbs());
        }
        self.join(call, &link)?;
        let rounds: Vec<Launch> = (0..ROUNDS).flat_map(|_| round.iter().copied()).collect();
        let mut n_taken = 0;
        for _ in 0..MOST_ROUNDS / ROUNDS {
            call.launch(&rounds, self.limbs())?;
            let [taken] = call.words(notes + TAKEN)?;
            if taken == n_taken {
                return Ok(());
            }
            n_taken = taken;
        }
        Err(TOO_LARGE)
    }

    /// Writes a number for each vertex, to which another one is added.
    fn write(
        &self,
        call: &mut Call<'_, '_, '_>,
        numbers: u32,
        table: Reserved,
        more: u32,
    ) -> IntrinsicResult {
        let columns = table.sizes.columns;
        let n = u64::from(self.n.div_ceil(u32::BITS)) * u64::from(columns);
        let given = vec![numbers, table.at(), table.sizes.stride(), columns, more];
        let launches = self.over(call, &shaders::write(self.groups), n, given)?;
        call.launch(&launches, n * u64::from(u32::BITS) / 2)
    }
}

/// A search whose memory is allocated.
#[derive(Clone, Copy, Debug)]
struct Search {
    graph: Graph,
    marks: u32,
    /// Two queues of this number of parts.
    queues: [u32; 2],
    n_parts: u32,
    /// The number of arcs in both directions.
    n_ends: u32,
}

impl Search {
    fn reserve(call: &mut Call<'_, '_, '_>, graph: Graph, both: bool) -> Result<Search, NotTaken> {
        let n = u64::from(graph.n);
        let n_ends = u64::from(graph.m) << u32::from(both);
        let n_parts = n + n_ends / u64::from(graph.groups.chunk);
        let costs = call.extra(n)?.at;
        let places = call.extra(2 * n)?.at;
        let ends = call.extra(graph.ends_are as u64 * n_ends)?.at;
        let marks = call.extra(n)?.at;
        let queues = [call.extra(2 * n_parts)?.at, call.extra(2 * n_parts)?.at];
        let [n_ends, n_parts] = [n_ends, n_parts].map(u32::try_from);
        let (n_ends, n_parts) = (n_ends.map_err(|_| TOO_LARGE)?, n_parts.map_err(|_| TOO_LARGE)?);
        let graph = Graph { both, costs, places, ends, ..graph };
        Ok(Search { graph, marks, queues, n_parts, n_ends })
    }

    /// Finds the costs from a vertex, which is given by its code, and returns its number. Each cost
    /// is greater by [`FIRST`].
    fn run(&self, call: &mut Call<'_, '_, '_>, list: &List, start: u32) -> Result<u32, NotTaken> {
        let Search { graph, marks, queues, n_parts, n_ends } = *self;
        let Graph { groups, notes, ends_are, n, .. } = graph;
        let start = start - 1;
        let passes = n_parts.div_ceil(groups.teams()).max(n.div_ceil(groups.threads));
        let at_once = passes.min(WINDOW_GROUPS).min(call.grid()?.max_groups());
        let iterations = u64::from(passes.div_ceil(at_once)) * u64::from(groups.iterations())
            + u64::from(n_ends / groups.chunk);
        if iterations > u64::from(call.grid()?.most_iterations()) {
            return Err(TOO_LARGE);
        }
        let kernel = call.kernel(&shaders::window(groups, ends_are))?;
        let found = graph.begin(call, list, start)?;
        let (most, shift) = match ends_are {
            // All levels are in one bucket, so a window is a level.
            Ends::Heads => (most_cost(1)?, MAX_SHIFT),
            Ends::Weights => {
                let mean_bits = found[BITS as usize] / found[BITS as usize + 1].max(1);
                let degree = (found[PLACED as usize] / n).max(1);
                let shift = (mean_bits + groups.bucket_bits).saturating_sub(degree.ilog2());
                (most_cost(found[HEAVIEST as usize])?, shift.min(MAX_SHIFT))
            }
        };
        let mut window = 0;
        loop {
            let n_windows = (window / 2).clamp(LEAST_WINDOWS, MOST_WINDOWS);
            let launches = (window..window + n_windows).map(|window| {
                let [queue, next] = [window, window + 1].map(|it| queues[it as usize % 2]);
                let mut given: Given = [0; 32];
                given[..4].copy_from_slice(&[n, window, at_once, graph.m]);
                let own = graph.given(&[marks, queue, next, shift, most]);
                given[4..4 + own.len()].copy_from_slice(&own);
                Launch { kernel, groups: [at_once, 1], given }
            });
            let launches: Vec<Launch> = launches.collect();
            // Of the windows before; the front grows between reads.
            let [processed] = call.words(notes + PROCESSED)?;
            let parts = (2 * u64::from(processed / window.max(1))).min(n_parts.into());
            let limbs = LIMBS_OF_A_WINDOW + u64::from(n) / 2 + LIMBS_OF_A_PART * parts;
            call.launch(&launches, limbs)?;
            window += n_windows;
            let found = call.words::<{ NOTES as usize }>(notes)?;
            let is_empty = |note: u32| found[(note + window % 3) as usize] == 0;
            if is_empty(LENGTH) && is_empty(LEAST) {
                return Ok(start);
            }
        }
    }

    /// Writes distances, all of which must have less than `h` bits. The body runs if one may be
    /// too long.
    fn write(&self, call: &mut Call<'_, '_, '_>, table: Reserved, h: u32) -> IntrinsicResult {
        let Search { graph, .. } = *self;
        graph.write(call, graph.costs, table, 0_u32.wrapping_sub(FIRST))?;
        let found = call.words::<{ NOTES as usize }>(graph.notes)?;
        let greatest = found[GREATEST as usize];
        if greatest > most_cost(found[HEAVIEST as usize])? {
            return Err(TOO_LARGE);
        }
        if u64::from(greatest - FIRST) >> (h - 1) != 0 {
            return Err(DECLINED);
        }
        Ok(())
    }
}

/// Returns the greatest cost to which this weight can be added.
fn most_cost(weight: u32) -> Result<u32, NotTaken> {
    (shaders::UNREACHED - 1).checked_sub(weight).ok_or(TOO_LARGE)
}
