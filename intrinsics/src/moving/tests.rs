//! Comparison of every answer with brute force: a map from id to point, and a test of each.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};

use star_base::mix64;

use super::{AnswerHash, MovingIndex, Neighbour, Point, Query, Rect, Update};
use crate::environment::Ended;
use crate::workers::Workers;

/// The expected contents of an index.
#[derive(Default)]
struct Brute {
    objects: BTreeMap<u32, Point>,
    unknown_removals: u64,
}

impl Brute {
    fn take(&mut self, updates: &[Update]) {
        for update in updates {
            match update.to {
                Some(at) => {
                    self.objects.insert(update.id, at);
                }
                None => {
                    let known = self.objects.remove(&update.id).is_some();
                    self.unknown_removals += u64::from(!known);
                }
            }
        }
    }

    fn answers(&self, queries: &[Query]) -> Vec<(u32, u32)> {
        let mut found = Vec::new();
        for query in queries {
            let (low, high) = (query.range.low(), query.range.high());
            for (&id, at) in &self.objects {
                let inside_x = low.x() <= at.x() && at.x() <= high.x();
                if inside_x && low.y() <= at.y() && at.y() <= high.y() {
                    found.push((query.number, id));
                }
            }
        }
        found.sort_unstable();
        found
    }

    fn nearest(&self, from: Point, k: usize) -> Vec<Neighbour> {
        let distance = |at: &Point| {
            let one = |a: i32, b: i32| (i128::from(a) - i128::from(b)).pow(2);
            one(at.x(), from.x()) + one(at.y(), from.y())
        };
        let mut all: Vec<(i128, u32)> =
            self.objects.iter().map(|(&id, at)| (distance(at), id)).collect();
        all.sort_unstable();
        all.truncate(k);
        let neighbour = |&(distance, id): &(i128, u32)| Neighbour {
            distance_squared: u64::try_from(distance).unwrap(),
            id,
        };
        all.iter().map(neighbour).collect()
    }
}

/// Random numbers, points and rectangles.
struct Random(star_base::Random);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0.below(n as usize) as u64
    }

    fn within(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as u64) as i64
    }

    /// A point of a square, occasionally far outside, on a line or in a hub.
    fn point(&mut self, side: i64) -> Point {
        let (x, y) = (self.within(0, side), self.within(0, side));
        match self.below(40) {
            0 => point(self.within(-3 * side, 4 * side), self.within(-3 * side, 4 * side)),
            1 => point(-x, y),
            2 => point(side / 2, y),
            3..=9 => point(side / 3 + x / 50, side / 4 + y / 50),
            _ => point(x, y),
        }
    }

    fn rect(&mut self, side: i64) -> Rect {
        let corner = self.point(side);
        let (w, h) = match self.below(30) {
            0 => (2 * side, 2 * side),
            1 => (0, 0),
            2 => (side, 0),
            3..=6 => (self.within(0, side), self.within(0, side)),
            _ => (side / 50, side / 50),
        };
        Rect::new(corner, point(i64::from(corner.x()) + w, i64::from(corner.y()) + h))
    }
}

fn point(x: i64, y: i64) -> Point {
    Point::new(x, y).unwrap()
}

fn put(id: u32, x: i64, y: i64) -> Update {
    Update { id, to: Some(point(x, y)) }
}

fn gone(id: u32) -> Update {
    Update { id, to: None }
}

fn workers() -> Workers<'static> {
    Workers::new(Some(3), Workers::NEVER).unwrap()
}

fn period(
    index: &mut MovingIndex,
    updates: &[Update],
    queries: &[Query],
    workers: &Workers<'_>,
) -> Vec<(u32, u32)> {
    let mut found: Vec<(u32, u32)> = Vec::new();
    index.period(updates, queries, &mut found, workers).unwrap();
    found.sort_unstable();
    found
}

fn ask(index: &MovingIndex, queries: &[Query], workers: &Workers<'_>) -> Vec<(u32, u32)> {
    let mut found: Vec<(u32, u32)> = Vec::new();
    index.ask(queries, &mut found, workers).unwrap();
    found.sort_unstable();
    found
}

#[test]
fn every_answer_equals_brute_force() {
    let workers = workers();
    for seed in 0..60 {
        let mut random = Random(star_base::Random::new(seed));
        let side = [1, 30, 1000, 10_000_000][seed as usize % 4];
        let n_ids = [1, 7, 300, 5000][seed as usize / 4 % 4];
        let area = (seed % 3 == 0).then(|| Rect::new(point(0, 0), point(side, side)));
        let mut index = MovingIndex::new(area);
        let mut brute = Brute::default();
        for batch in 0..8 {
            let n_updates = random.below([3, 50, 10_000][batch % 3]);
            let updates: Vec<Update> = (0..n_updates)
                .map(|_| {
                    let id = random.below(n_ids) as u32;
                    let to = (random.below(5) > 0).then(|| random.point(side));
                    Update { id, to }
                })
                .collect();
            let queries: Vec<Query> = (0..random.below(60) as u32)
                .map(|number| Query { number, range: random.rect(side) })
                .collect();
            let asked = ask(&index, &queries, &workers);
            index.reserve_ids(n_ids as usize).unwrap();
            let before = index.n_bytes();
            let room = index.most_growth(updates.len(), 3) + index.most_for_queries(&queries);
            let found = period(&mut index, &updates, &queries, &workers);
            assert_eq!(found, brute.answers(&queries), "seed {seed}, batch {batch}");
            assert_eq!(found, asked, "seed {seed}, batch {batch}");
            let growth = index.n_bytes().saturating_sub(before);
            assert!(growth <= room, "seed {seed}, batch {batch}: {growth} bytes, not {room}");
            brute.take(&updates);

            let mut all = BTreeMap::new();
            index.for_each(|id, at| assert!(all.insert(id, at).is_none(), "{id} lies twice"));
            assert_eq!(all, brute.objects, "seed {seed}, batch {batch}");
            assert_eq!(index.n_objects(), all.len() as u64);
            for id in 0..n_ids as u32 + 2 {
                assert_eq!(index.position(id), all.get(&id).copied(), "seed {seed}, id {id}");
            }
            let points: Vec<Point> = (0..5).map(|_| random.point(side)).collect();
            for k in [0, 1, 3, 100] {
                let nearest = index.nearest(&points, k, &workers).unwrap();
                for (found, &from) in nearest.iter().zip(&points) {
                    assert_eq!(*found, brute.nearest(from, k), "seed {seed}, {k} of {from:?}");
                }
            }
        }
        assert_eq!(index.statistics().updates.unknown_removals, brute.unknown_removals);
    }
}

#[test]
fn the_counts_add_up() {
    let workers = workers();
    let mut random = Random(star_base::Random::new(7));
    let mut index = MovingIndex::new(None);
    for batch in 0..20 {
        let updates: Vec<Update> = (0..5000)
            .map(|_| Update {
                id: random.below(20_000) as u32,
                to: (batch == 0 || random.below(9) > 0).then(|| random.point(100_000)),
            })
            .collect();
        let queries: Vec<Query> =
            (0..100).map(|number| Query { number, range: random.rect(100_000) }).collect();
        let found = period(&mut index, &updates, &queries, &workers);
        let its = index.statistics();
        let updates = its.updates;
        assert_eq!(updates.updates, 5000 * (batch + 1));
        let without_repeated =
            updates.in_place + updates.split + updates.inserted + updates.removed;
        let rest = updates.updates - without_repeated - updates.superseded;
        assert!(rest <= updates.unknown_removals, "{updates:?}");
        assert_eq!(its.objects, updates.inserted - updates.removed);
        assert!(its.answering.hits >= found.len() as u64);
        assert!(its.answering.candidates >= its.answering.candidate_cells / 100);
    }
    let its = index.statistics();
    assert!(its.updates.in_place > 0 && its.updates.split > 0 && its.updates.superseded > 0);
    assert!(its.updates.unknown_removals > 0 && its.answering.covered > 0, "{its:?}");
    assert!(its.answering.confirmations > its.answering.candidate_cells, "{its:?}");
}

#[test]
fn a_query_sees_earlier_batches_and_not_its_own() {
    let workers = workers();
    let mut index = MovingIndex::new(None);
    let here = Query { number: 9, range: Rect::new(point(0, 0), point(10, 10)) };
    assert_eq!(period(&mut index, &[put(1, 5, 5)], &[here], &workers), []);
    assert_eq!(period(&mut index, &[put(2, 0, 10)], &[here], &workers), [(9, 1)]);
    assert_eq!(period(&mut index, &[put(1, 11, 5)], &[here], &workers), [(9, 1), (9, 2)]);
    // An empty batch does not count as a period: the two indexes are not swapped.
    assert_eq!(period(&mut index, &[], &[here], &workers), [(9, 2)]);
    assert_eq!(period(&mut index, &[gone(2)], &[here], &workers), [(9, 2)]);
    assert_eq!(period(&mut index, &[], &[here], &workers), []);
}

#[test]
fn the_last_update_of_an_id_in_a_batch_wins() {
    let workers = workers();
    let mut index = MovingIndex::new(None);
    let batch = [put(3, 1, 1), put(4, 2, 2), put(3, 9, 9), gone(4), gone(5), put(5, 7, 7), gone(8)];
    period(&mut index, &batch, &[], &workers);
    assert_eq!(index.position(3), Some(point(9, 9)));
    assert_eq!(index.position(4), None);
    assert_eq!(index.position(5), Some(point(7, 7)));
    // Object 4 was present when it was removed; 5 and 8 were not.
    assert_eq!(index.statistics().updates.unknown_removals, 2);
    assert_eq!(index.statistics().updates.superseded, 3);
    assert_eq!(index.n_objects(), 2);
    period(&mut index, &[gone(3), gone(3), put(4, 1, 1)], &[], &workers);
    assert_eq!(index.statistics().updates.unknown_removals, 3);
    assert_eq!((index.position(3), index.n_objects()), (None, 2));
}

#[test]
fn objects_outside_the_area_keep_their_positions() {
    let workers = workers();
    let mut index = MovingIndex::new(Some(Rect::new(point(0, 0), point(100, 100))));
    let far = i64::from(Point::GREATEST);
    let updates = [put(1, -far, far), put(2, far, far), put(3, 50, 101), put(4, 50, 50)];
    period(&mut index, &updates, &[], &workers);
    let ask = |index: &mut MovingIndex, x1, y1, x2, y2| {
        let range = Rect::new(point(x1, y1), point(x2, y2));
        let found = period(index, &[], &[Query { number: 0, range }], &workers);
        found.iter().map(|&(_, id)| id).collect::<Vec<u32>>()
    };
    assert_eq!(ask(&mut index, 0, 0, 100, 100), [4]);
    assert_eq!(ask(&mut index, 0, 101, 100, 101), [3]);
    assert_eq!(ask(&mut index, -far, far - 1, -far, far), [1]);
    assert_eq!(ask(&mut index, -far, -far, far, far), [1, 2, 3, 4]);
    let nearest = index.nearest(&[point(-far, -far)], 9, &workers).unwrap();
    let squares: Vec<u64> = nearest[0].iter().map(|one| one.distance_squared).collect();
    let side = (2 * far) as u64;
    assert_eq!(nearest[0].iter().map(|one| one.id).collect::<Vec<_>>(), [4, 3, 1, 2]);
    assert_eq!((squares[2], squares[3]), (side * side, 2 * side * side));
}

#[test]
fn rejects_points_beyond_the_greatest_coordinate() {
    let far = i64::from(Point::GREATEST);
    assert!(Point::new(far, -far).is_some());
    for (x, y) in [(far + 1, 0), (0, -far - 1), (i64::MIN, 0), (0, i64::MAX)] {
        assert_eq!(Point::new(x, y), None);
    }
}

#[test]
fn new_cells_are_chosen_as_objects_multiply_or_gather() {
    let workers = workers();
    let mut random = Random(star_base::Random::new(3));
    let mut index = MovingIndex::new(None);
    period(&mut index, &[put(0, 0, 0), put(1, 999_999, 999_999)], &[], &workers);
    let mut brute = Brute::default();
    brute.take(&[put(0, 0, 0), put(1, 999_999, 999_999)]);
    for round in 0..30 {
        // First over the whole area, then in a corner of it.
        let side = if round < 15 { 999_999 } else { 9_999 };
        let updates: Vec<Update> = (0..4000)
            .map(|_| {
                put(random.below(9_000) as u32, random.within(0, side), random.within(0, side))
            })
            .collect();
        period(&mut index, &updates, &[], &workers);
        brute.take(&updates);
    }
    let its = index.statistics();
    assert!((3..=12).contains(&its.choices), "{its:?}");
    assert!(its.further_buckets <= 2 * its.cells, "{its:?}");
    let everywhere = Query { number: 1, range: Rect::EVERYWHERE };
    assert_eq!(period(&mut index, &[], &[everywhere], &workers), brute.answers(&[everywhere]));
}

#[test]
fn handles_all_objects_in_one_place() {
    let workers = workers();
    let mut index = MovingIndex::new(None);
    let updates: Vec<Update> = (0..50_000).map(|id| put(id, 5, 5)).collect();
    for _ in 0..4 {
        period(&mut index, &updates, &[], &workers);
        let all: Vec<Update> = (0..50_000).step_by(3).map(gone).collect();
        period(&mut index, &all, &[], &workers);
    }
    let range = Rect::new(point(5, 5), point(5, 5));
    let found = period(&mut index, &[], &[Query { number: 0, range }], &workers);
    let ids: BTreeSet<u32> = found.iter().map(|&(_, id)| id).collect();
    assert_eq!((found.len(), ids.len()), (33_333, 33_333));
    // Holes in full chains are reused: 2500 buckets hold all objects.
    let its = index.statistics();
    assert!(its.cells + its.further_buckets <= 2_501, "{its:?}");
}

#[test]
fn wide_queries_are_answered_in_several_passes() {
    let workers = workers();
    let mut random = Random(star_base::Random::new(5));
    let updates: Vec<Update> =
        (0..200_000).map(|id| Update { id, to: Some(random.point(1 << 20)) }).collect();
    let mut index = MovingIndex::new(None);
    period(&mut index, &updates, &[], &workers);
    let queries: Vec<Query> =
        (0..400).map(|number| Query { number, range: Rect::EVERYWHERE }).collect();
    assert!(index.statistics().cells * 400 > 1 << 22, "several passes");
    let mut found = AnswerHash::default();
    index.period(&[], &queries, &mut found, &workers).unwrap();
    assert_eq!(found.hits, 400 * 200_000);
    let its = index.statistics().answering;
    assert_eq!(its.confirmations, 400 * index.statistics().cells);
}

#[test]
fn the_hash_is_the_sum_over_the_answers() {
    let workers = workers();
    let mut random = Random(star_base::Random::new(11));
    let mut index = MovingIndex::new(None);
    let updates: Vec<Update> =
        (0..3000).map(|id| Update { id, to: Some(random.point(1000)) }).collect();
    period(&mut index, &updates, &[], &workers);
    let queries: Vec<Query> =
        (0..500).map(|idx| Query { number: u32::MAX - idx, range: random.rect(1000) }).collect();
    let found = period(&mut index, &[], &queries, &workers);
    let mut hash = AnswerHash::default();
    index.period(&[], &queries, &mut hash, &workers).unwrap();
    let sum = found.iter().fold(0u64, |sum, &(query, id)| {
        sum.wrapping_add(mix64((u64::from(query) << 32) + u64::from(id)))
    });
    assert_eq!((hash.hits, hash.hash), (found.len() as u64, sum));
    // The first two outputs of splitmix64 with seed 0.
    let golden = 0x9e37_79b9_7f4a_7c15_u64;
    assert_eq!(mix64(golden), 0xe220_a839_7b1d_cdaf);
    assert_eq!(mix64(golden.wrapping_mul(2)), 0x6e78_9e6a_a1b9_65f4);
}

#[test]
fn interrupts_and_deadlines_end_the_work() {
    let flag = AtomicBool::new(false);
    let stop = || flag.load(Ordering::Relaxed);
    let workers = Workers::new(Some(2), &stop).unwrap();
    let mut index = MovingIndex::new(None);
    period(&mut index, &[put(1, 1, 1)], &[], &workers);
    flag.store(true, Ordering::Relaxed);
    let mut found = AnswerHash::default();
    let query = Query { number: 0, range: Rect::EVERYWHERE };
    let nearest = index.nearest(&[point(0, 0)], 1, &workers);
    assert_eq!(nearest, Err(Ended::Interrupted));
    assert_eq!(index.period(&[], &[query], &mut found, &workers), Err(Ended::Interrupted));
    assert_eq!(index.period(&[put(1, 2, 2)], &[], &mut found, &workers), Err(Ended::Interrupted));
}

/// The smaller checks of source 004: 10⁵ objects, every query of 20 batches.
#[test]
fn a_hundred_thousand_objects_and_every_query() {
    let workers = workers();
    let mut random = Random(star_base::Random::new(4));
    let side = 1_000_000;
    let n = 100_000;
    let mut at: Vec<Point> =
        (0..n).map(|_| point(random.within(0, side), random.within(0, side))).collect();
    let mut index = MovingIndex::new(Some(Rect::new(point(0, 0), point(side, side))));
    let all: Vec<Update> = (0..n).map(|id| Update { id, to: Some(at[id as usize]) }).collect();
    period(&mut index, &all, &[], &workers);
    for batch in 0..20 {
        let queries: Vec<Query> = (0..50)
            .map(|number| {
                let (x, y) = (random.within(0, side), random.within(0, side));
                Query { number, range: Rect::new(point(x, y), point(x + 10_000, y + 10_000)) }
            })
            .collect();
        let mut expected = Vec::new();
        for query in &queries {
            let inside = (0..n).filter(|&id| query.range.holds(at[id as usize]));
            expected.extend(inside.map(|id| (query.number, id)));
        }
        let updates: Vec<Update> = (0..10_000)
            .map(|_| {
                let id = random.below(u64::from(n)) as u32;
                let old = at[id as usize];
                let step = |c: i32, random: &mut Random| {
                    (i64::from(c) + random.within(-20_000, 20_000)).clamp(0, side)
                };
                at[id as usize] = point(step(old.x(), &mut random), step(old.y(), &mut random));
                Update { id, to: Some(at[id as usize]) }
            })
            .collect();
        assert_eq!(period(&mut index, &updates, &queries, &workers), expected, "batch {batch}");
    }
}
