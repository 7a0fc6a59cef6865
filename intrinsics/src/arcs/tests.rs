//! Random lists of arcs against closures and rounds over all arcs.

use std::ops::Range;

use star_base::Random;

use super::*;
use crate::tests::Plain;
use crate::workers::Workers;
use crate::{Lists, Peers, put};

/// A random list of arcs; rows that are no arcs hold arbitrary codes.
struct Case {
    n: usize,
    arcs: Vec<(u32, u32, u32)>,
    tables: [BitTable; 3],
    among: Vec<u64>,
}

impl Case {
    fn random(n: usize, m: usize, most: usize, random: &mut Random) -> Case {
        let is_sorted = random.below(3) == 0;
        let mut rows: Vec<(usize, usize, usize)> = (0..m)
            .map(|_| (1 + random.below(n), 1 + random.below(n), random.below(most)))
            .collect();
        if is_sorted {
            rows.sort_unstable();
        }
        let has_all = random.below(2) == 0;
        Case::of(n, &rows, 12, |_| has_all || random.below(8) > 0)
    }

    /// Weights have this number of bits.
    fn of(
        n: usize,
        rows: &[(usize, usize, usize)],
        bits: usize,
        mut is_arc: impl FnMut(usize) -> bool,
    ) -> Case {
        let (m, width) = (rows.len(), n.ilog2() as usize + 1);
        let mut tables = [width, width, bits].map(|width| BitTable::zeros(m, width).unwrap());
        let (mut arcs, mut among) = (Vec::new(), vec![0; m.div_ceil(64)]);
        for (row, &(tail, head, weight)) in rows.iter().enumerate() {
            let is_arc = is_arc(row);
            let numbers = if is_arc { [tail, head, weight] } else { [0, usize::MAX, usize::MAX] };
            for (table, number) in tables.iter_mut().zip(numbers) {
                let width = table.n_cols();
                (0..width).for_each(|bit| table.put(row, width - 1 - bit, number >> bit & 1 == 1));
            }
            if is_arc {
                put(&mut among, row);
                arcs.push((tail as u32 - 1, head as u32 - 1, weight as u32));
            }
        }
        Case { n, arcs, tables, among }
    }

    /// Gives the arcs of some rows to their owners.
    fn shared<End: ArcEnd>(&self, both: bool, bits: usize, peers: &Thread) -> OwnedArcs<End> {
        let mut among = self.among.clone();
        for row in (0..64 * among.len()).filter(|row| row % peers.n_ranks != peers.rank) {
            among[row / 64] &= !(1 << (row % 64));
        }
        let tables = ArcTables { among: &among, ..self.tables() };
        let weight = End::HAS_WEIGHT.then_some((&self.tables[2], bits));
        let environment = Plain::default();
        let mut n_owned =
            tables.n_for_owners(weight, both, peers.n_ranks, &environment).unwrap().unwrap();
        peers.sum(&mut n_owned).unwrap();
        let n_own = n_owned[peers.rank] as usize;
        let weight = weight.map(|(weight, _)| weight);
        let owned: OwnedArcs<End> = tables.share(weight, both, n_own, peers, &environment).unwrap();
        assert_eq!(owned.n_own(), n_own);
        assert!(owned.is_of(self.n, Some(both), &among) && !owned.is_of(self.n + 1, None, &among));
        owned
    }

    fn tables(&self) -> ArcTables<'_> {
        let [left, right, _] = &self.tables;
        ArcTables { n: self.n, left, right, among: &self.among }
    }

    fn weighted(&self, both: bool, environment: &dyn Environment) -> GroupedArcs<WeightedEnd> {
        self.tables().group_weighted(&self.tables[2], 12, both, environment).unwrap().unwrap()
    }

    /// The distances with these weights, by rounds over all arcs.
    fn distances(&self, start: usize, both: bool, weight: impl Fn(u32) -> u64) -> Vec<u64> {
        let mut lengths = vec![u64::MAX; self.n];
        lengths[start] = 0;
        let mut before = Vec::new();
        while before != lengths {
            before.clone_from(&lengths);
            for &(tail, head, of_arc) in &self.arcs {
                for (from, to) in [(tail, head), (head, tail)].into_iter().take(1 + both as usize) {
                    let sum = lengths[from as usize].saturating_add(weight(of_arc));
                    lengths[to as usize] = lengths[to as usize].min(sum);
                }
            }
        }
        lengths
    }
}

fn wide(numbers: &[u32]) -> Vec<u64> {
    numbers.iter().map(|number| if *number == NONE { u64::MAX } else { (*number).into() }).collect()
}

#[test]
fn searches_agree_with_rounds_over_all_arcs() {
    let mut random = Random::new(46);
    let workers = Workers::new(Some(2), Workers::NEVER).unwrap();
    let environments: [&dyn Environment; 2] = [&Plain::default(), &workers];
    for (n, m) in [(1, 0), (1, 3), (2, 1), (9, 20), (64, 60), (65, 400), (130, 150), (40, 40_000)] {
        for most in [1, 3, 4096] {
            let case = Case::random(n, m, most, &mut random);
            let start = random.below(n);
            for (environment, both) in environments.iter().flat_map(|e| [(*e, false), (*e, true)]) {
                let context = format!("{n} vertices, {m} rows, weights below {most}, {both}");
                let arcs = case.tables().group(both, environment).unwrap().unwrap();
                let levels = arcs.levels(start, environment).unwrap();
                assert_eq!(wide(&levels), case.distances(start, both, |_| 1), "{context}");
                let found = case.weighted(both, environment).distances(start, environment).unwrap();
                let expected = case.distances(start, both, u64::from);
                let Distances::Short(short) = &found else { panic!("long: {context}") };
                assert_eq!(wide(short), expected, "{context}");
                let weight = &case.tables[2];
                let tree = case.tables().tree(weight, &found, (start, both), environment).unwrap();
                let reached = (0..n).filter(|v| expected[*v] != u64::MAX && *v != start);
                assert_eq!(crate::ones(&tree.rows).count(), reached.clone().count(), "{context}");
                for vertex in 0..n {
                    let before = tree.before[vertex] as usize;
                    assert_eq!(before != 0, reached.clone().any(|v| v == vertex), "{context}");
                    // Predecessors lead to the start.
                    let (mut at, mut n_steps) = (vertex, 0);
                    while tree.before[at] != 0 {
                        at = tree.before[at] as usize - 1;
                        n_steps += 1;
                        assert!(n_steps < n, "a cycle: {context}");
                    }
                }
            }
        }
    }
}

#[test]
fn long_distances_need_64_bits() {
    let environment = Plain::default();
    // A path of arcs of the greatest weight, and a shorter way around it.
    let n = 5;
    let arcs = GroupedArcs {
        n,
        both: false,
        among: vec![31],
        max_weight: NONE,
        starts: vec![0, 2, 3, 4, 5, 5],
        ends: vec![(1, NONE), (2, NONE), (2, NONE), (3, NONE), (4, 7)],
    };
    let found = arcs.distances(0, &environment).unwrap();
    let weight = u64::from(NONE);
    let Distances::Long(lengths) = &found else { panic!("short") };
    assert_eq!(lengths[..], [0, weight, weight, 2 * weight, 2 * weight + 7]);
    assert!(found.fit(34) && !found.fit(33));
}

#[test]
fn components_and_orders_agree_with_closures() {
    let mut random = Random::new(1972);
    let workers = Workers::new(Some(2), Workers::NEVER).unwrap();
    let environments: [&dyn Environment; 2] = [&Plain::default(), &workers];
    for (n, m) in [(1, 1), (5, 4), (30, 30), (64, 70), (100, 60), (129, 400), (20, 50_000)] {
        for round in 0..4 {
            let case = Case::random(n, m, 2, &mut random);
            let all = |both| -> Vec<Vec<u64>> {
                (0..n).map(|start| case.distances(start, both, |_| 1)).collect()
            };
            if m > 1000 && round > 0 {
                continue;
            }
            let (along, both) = (all(false), all(true));
            let first = |reaches: &dyn Fn(usize, usize) -> bool| -> Vec<u32> {
                let first = |v: usize| (0..n).find(|other| reaches(v, *other)).unwrap_or(v);
                (0..n).map(|v| first(v) as u32 + 1).collect()
            };
            let weak = first(&|v, other| both[v][other] != u64::MAX);
            let strong =
                first(&|v, other| along[v][other] != u64::MAX && along[other][v] != u64::MAX);
            for &environment in &environments {
                let both = case.tables().group(true, environment).unwrap().unwrap();
                assert_eq!(both.components(environment).unwrap(), weak, "{n} vertices, {m} rows");
                let arcs = case.tables().group(false, environment).unwrap().unwrap();
                assert_eq!(arcs.components(environment).unwrap(), weak, "{n} vertices, {m} rows");
                assert_eq!(arcs.strong(environment).unwrap(), strong, "{n} vertices, {m} rows");
                let order = arcs.topological(environment).unwrap();
                let loops = case.arcs.iter().any(|(tail, head, _)| tail == head);
                let is_acyclic = !loops && (0..n).all(|v| strong[v] as usize == v + 1);
                assert_eq!(order.is_acyclic, is_acyclic);
                for (tail, head, _) in &case.arcs {
                    let [tail, head] = [*tail, *head].map(|v| order.places[v as usize]);
                    assert!(head == 0 || (tail != 0 && tail < head));
                }
            }
        }
    }
}

/// Long chains of vertices in random order, which threads link at the same time.
#[test]
fn components_on_threads_are_those_of_one() {
    let mut random = Random::new(2018);
    let workers = Workers::new(Some(2), Workers::NEVER).unwrap();
    let n = 10 * CHUNK + 1;
    let mut order: Vec<u32> = (0..n as u32).collect();
    random.shuffle(&mut order);
    let mut expected = vec![0; n];
    let mut arcs = Vec::new();
    for chain in order.chunks(1000) {
        let first = chain.iter().min().unwrap() + 1;
        chain.iter().for_each(|vertex| expected[*vertex as usize] = first);
        arcs.extend(chain.windows(2).map(|ends| (ends[0], ends[1])));
    }
    arcs.sort_unstable();
    let mut starts: Vec<u32> = vec![0; n + 1];
    arcs.iter().for_each(|(tail, _)| starts[*tail as usize + 1] += 1);
    (0..n).for_each(|vertex| starts[vertex + 1] += starts[vertex]);
    let ends = arcs.iter().map(|arc| arc.1).collect();
    let arcs = GroupedArcs { n, both: false, among: Vec::new(), max_weight: 0, starts, ends };
    for _ in 0..20 {
        assert_eq!(arcs.components(&workers).unwrap(), expected);
    }
    assert_eq!(arcs.components(&Plain::default()).unwrap(), expected);
}

#[test]
fn codes_and_weights_outside_their_range_are_refused() {
    let environment = Plain::default();
    let mut case = Case::random(6, 70, 9, &mut Random::new(5));
    put(&mut case.among, 66);
    for (row, code, is_valid) in [(66, 6, true), (66, 7, false), (66, 0, false)] {
        for table in 0..2 {
            let before = case.tables[table].clone();
            (0..3).for_each(|bit| case.tables[table].put(row, 2 - bit, code >> bit & 1 == 1));
            let other = 1 - table;
            (0..3).for_each(|bit| case.tables[other].put(row, bit, bit == 2));
            assert_eq!(case.tables().group(false, &environment).unwrap().is_some(), is_valid);
            case.tables[table] = before;
        }
    }
    let mut case = Case::random(6, 70, 9, &mut Random::new(6));
    put(&mut case.among, 66);
    for table in 0..2 {
        (0..3).for_each(|bit| case.tables[table].put(66, bit, bit == 2));
    }
    let weight = &mut case.tables[2];
    (0..12).for_each(|bit| weight.put(66, bit, bit == 8));
    let is_read = |bits| {
        let read = case.tables().group_weighted(&case.tables[2], bits, false, &environment);
        read.unwrap().is_some()
    };
    assert_eq!([3, 4, 5, 12].map(is_read), [false, true, true, true]);
}

/// A process that is a thread; all of them give their numbers and take the result.
struct Thread<'t> {
    meeting: &'t (std::sync::Barrier, std::sync::Mutex<Vec<Vec<u64>>>),
    rank: usize,
    n_ranks: usize,
    n_exchanges: std::cell::Cell<usize>,
}

impl Thread<'_> {
    fn all(&self, given: &[u64]) -> Vec<Vec<u64>> {
        let (barrier, lists) = self.meeting;
        self.n_exchanges.set(self.n_exchanges.get() + 1);
        lists.lock().unwrap()[self.rank] = given.to_vec();
        barrier.wait();
        let all = lists.lock().unwrap().clone();
        barrier.wait();
        all
    }

    fn fold(&self, numbers: &mut [i64], with: fn(i64, i64) -> i64) {
        let given: Vec<u64> = numbers.iter().map(|number| number.cast_unsigned()).collect();
        let all = self.all(&given);
        for (idx, number) in numbers.iter_mut().enumerate() {
            let each = all.iter().map(|list| list[idx].cast_signed());
            *number = each.reduce(with).unwrap();
        }
    }
}

impl Peers for Thread<'_> {
    fn rank(&self) -> usize {
        self.rank
    }

    fn n_ranks(&self) -> usize {
        self.n_ranks
    }

    /// Few rows are whole on all processes.
    fn rows(&self, n_rows: usize, rank: usize) -> Range<usize> {
        match n_rows < 40 {
            true => 0..n_rows,
            false => n_rows * rank / self.n_ranks..n_rows * (rank + 1) / self.n_ranks,
        }
    }

    fn concat(&self, part: &[u64]) -> Result<Vec<u64>, Ended> {
        Ok(self.all(part).concat())
    }

    fn least(&self, numbers: &mut [i64]) -> Result<(), Ended> {
        self.fold(numbers, i64::min);
        Ok(())
    }

    fn greatest(&self, numbers: &mut [i64]) -> Result<(), Ended> {
        self.fold(numbers, i64::max);
        Ok(())
    }

    fn sum(&self, numbers: &mut [i64]) -> Result<(), Ended> {
        self.fold(numbers, |sum, number| sum + number);
        Ok(())
    }

    fn union(&self, set: &mut [u64]) -> Result<(), Ended> {
        let all = self.all(set);
        set.iter_mut().enumerate().for_each(|(at, limb)| {
            *limb = all.iter().fold(0, |union, other| union | other[at]);
        });
        Ok(())
    }

    fn gather(&self, list: &[u64]) -> Result<Lists, Ended> {
        let all = self.all(list);
        Ok(Lists { limbs: all.concat(), lens: all.iter().map(Vec::len).collect() })
    }

    fn trade(&self, lists: &[Vec<u64>]) -> Result<Lists, Ended> {
        assert_eq!(lists.len(), self.n_ranks);
        let given: Vec<Vec<Vec<u64>>> = lists.iter().map(|list| self.all(list)).collect();
        self.n_exchanges.set(self.n_exchanges.get() + 1 - self.n_ranks);
        let taken = &given[self.rank];
        Ok(Lists { limbs: taken.concat(), lens: taken.iter().map(Vec::len).collect() })
    }
}

/// Runs `work` on every process and returns the results by rank.
fn on_processes<T: Send>(n_ranks: usize, work: impl Fn(&Thread) -> T + Sync) -> Vec<T> {
    let barrier = std::sync::Barrier::new(n_ranks);
    let meeting = (barrier, std::sync::Mutex::new(vec![Vec::new(); n_ranks]));
    let (meeting, work) = (&meeting, &work);
    std::thread::scope(|scope| {
        let run = move |rank| {
            let n_exchanges = std::cell::Cell::new(0);
            work(&Thread { meeting, rank, n_ranks, n_exchanges })
        };
        let running = (0..n_ranks).map(|rank| scope.spawn(move || run(rank)));
        let running: Vec<_> = running.collect();
        running.into_iter().map(|process| process.join().unwrap()).collect()
    })
}

/// Levels, labels and distances in the rows of a process, and the number of exchanges for each.
type Searched = ([usize; 3], Vec<u32>, Vec<u32>, Vec<u64>);

/// Returns the results of all processes, each of which has its rows or all of them.
fn in_rows<T: Clone + PartialEq + std::fmt::Debug>(n: usize, parts: Vec<Vec<T>>) -> Vec<T> {
    match parts[0].len() == n {
        true => {
            assert!(parts.iter().all(|part| *part == parts[0]));
            parts[0].clone()
        }
        false => parts.concat(),
    }
}

#[test]
fn processes_that_share_arcs_find_the_same() {
    let mut random = Random::new(51);
    let sizes = [(1, 3), (9, 20), (65, 400), (300, 900), (700, 400), (40, 4000), (5000, 9000)];
    for (n, m) in sizes {
        for (n_processes, most, both) in
            [(1, 9, false), (2, 1, true), (3, 4096, false), (7, 9, true)]
        {
            let case = Case::random(n, m, most, &mut random);
            let start = random.below(n);
            let search = |peers: &Thread| -> Searched {
                let environment = Plain::default();
                let arcs = case.shared::<u32>(both, 12, peers);
                let weighted = case.shared::<WeightedEnd>(both, 12, peers);
                assert!(weighted.fit(12));
                peers.n_exchanges.take();
                let levels = arcs.levels(start, peers, &environment).unwrap();
                let of_levels = peers.n_exchanges.take();
                let labels = arcs.components(peers, &environment).unwrap();
                let of_labels = peers.n_exchanges.take();
                let lengths = weighted.distances(start, peers, &environment).unwrap();
                ([of_levels, of_labels, peers.n_exchanges.take()], levels, labels, lengths)
            };
            let found = on_processes(n_processes, search);
            let context = format!("{n} vertices, {m} rows, {n_processes} processes, {both}");
            let arcs = case.tables().group(both, &Plain::default()).unwrap().unwrap();
            let levels = case.distances(start, both, |_| 1);
            let deepest = levels.iter().filter(|level| **level != u64::MAX).max().unwrap();
            assert!(found.iter().all(|(n_exchanges, ..)| *n_exchanges == found[0].0), "{context}");
            let [of_levels, of_labels, _] = found[0].0;
            assert_eq!(of_levels as u64, 2 * (deepest + 1) + 1, "{context}");
            // Two to choose a vertex and its first one, some levels, what is left and its three
            // exchanges, the results.
            assert!((8..=27).contains(&of_labels), "{context}: {of_labels}");
            let mut parts = (Vec::new(), Vec::new(), Vec::new());
            for (_, levels, labels, lengths) in found {
                parts.0.push(wide(&levels));
                parts.1.push(labels);
                parts.2.push(lengths);
            }
            assert_eq!(in_rows(n, parts.0), levels, "{context}");
            let labels = arcs.components(&Plain::default()).unwrap();
            assert_eq!(in_rows(n, parts.1), labels, "{context}");
            assert_eq!(in_rows(n, parts.2), case.distances(start, both, u64::from), "{context}");
        }
    }
}

/// Components of a few vertices, so that the search leaves nearly all.
#[test]
fn processes_connect_what_a_search_leaves() {
    let (n, size) = (3000, 5);
    let rows: Vec<_> = (1..n).filter(|v| v % size > 0).map(|v| (v + 1, v, 1)).collect();
    let case = Case::of(n, &rows, 1, |_| true);
    let search = |peers: &Thread| {
        case.shared::<u32>(false, 1, peers).components(peers, &Plain::default()).unwrap()
    };
    let first = |v: usize| (v / size * size + 1) as u32;
    assert_eq!(on_processes(3, search).concat(), (0..n).map(first).collect::<Vec<_>>());
}

#[test]
fn processes_find_vertices_without_arcs() {
    for n in [1, 9, 64, 65, 130, 1000] {
        for m in [0, 5] {
            let case = Case::of(n, &vec![(1, n, 1); m], 1, |_| false);
            let search = |peers: &Thread| {
                let arcs = case.shared::<u32>(true, 1, peers);
                let levels = arcs.levels(n - 1, peers, &Plain::default()).unwrap();
                (levels, arcs.components(peers, &Plain::default()).unwrap())
            };
            let (levels, labels): (Vec<_>, Vec<_>) = on_processes(5, search).into_iter().unzip();
            assert_eq!(in_rows(n, labels), (1..=n as u32).collect::<Vec<_>>(), "{n}");
            let levels = in_rows(n, levels);
            assert_eq!((levels[n - 1], levels.iter().filter(|l| **l != NONE).count()), (0, 1));
        }
    }
}

/// Paths of arcs of the greatest weight, each in another process, and a shorter one around them.
#[test]
fn processes_share_long_distances() {
    let (n, weight) = (1000, u64::from(NONE));
    let mut rows: Vec<_> = (2..n).map(|tail| (tail, tail + 1, NONE as usize)).collect();
    rows.push((101, 1000, 5));
    let case = Case::of(n, &rows, 32, |_| true);
    let search = |peers: &Thread| {
        let arcs = case.shared::<WeightedEnd>(false, 32, peers);
        assert!(arcs.fit(32) && !arcs.fit(31));
        arcs.distances(1, peers, &Plain::default()).unwrap()
    };
    let mut expected: Vec<u64> = (0..n as u64).map(|v| v.saturating_sub(1) * weight).collect();
    (expected[0], expected[999]) = (u64::MAX, 99 * weight + 5);
    assert_eq!(on_processes(3, search).concat(), expected);
}

#[test]
fn too_many_vertices_and_invalid_ends_are_declined() {
    let case = Case::of(9, &[(1, 9, 3)], 2, |_| true);
    let accepts = |n: usize, bits: usize| {
        let tables = ArcTables { n, ..case.tables() };
        let weight = Some((&case.tables[2], bits));
        tables.n_for_owners(weight, true, 3, &Plain::default()).unwrap().is_some()
    };
    assert!(accepts(9, 2));
    assert!(!accepts(8, 2));
    assert!(!accepts(9, 1));
    assert!(!accepts(u32::MAX as usize, 2));
}
