//! Tests of the search with random scores.

use std::ops::Range;

use super::super::{Found, LinkTable, Search, Turn};
use super::reference::Instance;
use star_base::Random;

use super::threads;

/// The result of the search.
fn search(instance: &Instance) -> Option<(u32, Vec<usize>)> {
    if instance.guides.iter().any(Range::is_empty) {
        return None;
    }
    let turn = Turn::new(instance.a, instance.b, instance.degrees);
    let mut search = Search::new(turn, instance.d).unwrap();
    search.begin(instance.guides[0].clone(), instance.first.clone());
    for (two, scores) in instance.guides.windows(2).zip(&instance.links) {
        let table = LinkTable::new(two[0].clone(), two[1].clone(), scores, threads()).unwrap();
        search.extend(table, threads()).unwrap();
    }
    let found = search.end(&instance.last, threads()).unwrap();
    found.map(|Found { score, indices }| (score, indices))
}

/// Random scores below `end` for `n_guides` guides of d points, some of them outside the image.
fn instance(random: &mut Random, n_guides: usize, d: usize, end: usize, clips: bool) -> Instance {
    let scores = |random: &mut Random, n: usize| (0..n).map(|_| random.below(end) as u32).collect();
    let mut guides = Vec::new();
    for _ in 0..n_guides {
        let start = if clips { random.below(d) } else { 0 };
        let end = if clips { start + 1 + random.below(d - start) } else { d };
        guides.push(start..end);
    }
    Instance {
        d,
        first: scores(random, guides[0].len()),
        links: guides.windows(2).map(|two| scores(random, two[0].len() * two[1].len())).collect(),
        last: scores(random, guides[n_guides - 1].len()),
        guides,
        a: 1 + random.below(6000) as i64,
        b: random.below(300) as i64,
        degrees: [0, 1, 5, 10, 20, 30, 45, 60, 80, 90, 100, 120, 150, 179, 180][random.below(15)],
    }
}

#[test]
fn search_agrees_with_brute_force_and_the_source() {
    let mut random = Random::new(2016);
    let (mut n_none, mut n_turned) = (0, 0);
    for round in 0..4000 {
        let n_guides = 1 + random.below(5);
        let d = [2, 3, 4, 5, 6, 9][random.below(if n_guides > 3 { 4 } else { 6 })];
        // Few different scores cause ties.
        let end = [1, 2, 4, 1000][random.below(4)];
        let clips = random.below(3) == 0;
        let instance = instance(&mut random, n_guides, d, end, clips);
        let expected = instance.brute_force();
        assert_eq!(instance.cubic(), expected, "O(d³), round {round}: {instance:?}");
        assert_eq!(search(&instance), expected, "round {round}: {instance:?}");
        n_none += usize::from(expected.is_none());
        let free = Instance { degrees: 180, ..instance };
        n_turned += usize::from(free.brute_force() != expected);
    }
    assert!(n_none > 100 && n_turned > 1000, "{n_none} without a polyline, {n_turned} limited");
}

#[test]
fn search_agrees_with_the_source_beyond_a_block_of_lanes() {
    let mut random = Random::new(3);
    for round in 0..60 {
        let d = [63, 64, 65, 90, 130][random.below(5)];
        let (n_guides, end) = (1 + random.below(4), [3, 100_000][random.below(2)]);
        let clips = random.below(2) == 0;
        let instance = instance(&mut random, n_guides, d, end, clips);
        assert_eq!(search(&instance), instance.cubic(), "round {round}, d = {d}");
    }
}

#[test]
fn no_limit_equals_a_limit_that_admits_everything() {
    let mut random = Random::new(7);
    for _ in 0..200 {
        let mut instance = instance(&mut random, 4, 20, 50, true);
        // No link is steep enough for an angle of 179 degrees.
        (instance.a, instance.b, instance.degrees) = (4000, 10, 180);
        let free = search(&instance);
        instance.degrees = 179;
        assert_eq!(search(&instance), free, "{instance:?}");
    }
}

#[test]
fn a_limit_of_0_degrees_admits_at_most_the_segment() {
    let mut random = Random::new(11);
    for d in 2..12 {
        let mut instance = instance(&mut random, 3, d, 9, false);
        (instance.a, instance.b, instance.degrees) = (900, 100, 0);
        let indices = search(&instance).map(|(_, indices)| indices);
        // With an even number, no point is on the segment.
        assert_eq!(indices, (d % 2 == 1).then(|| vec![d / 2; 3]), "{d} points");
    }
}

#[test]
fn ties_go_to_the_smallest_index_on_the_last_guide() {
    let zeros = |n: usize| vec![0; n];
    let mut instance = Instance {
        d: 3,
        guides: vec![0..3, 0..3],
        first: zeros(3),
        links: vec![zeros(9)],
        last: zeros(3),
        a: 1000,
        b: 1,
        degrees: 180,
    };
    assert_eq!(search(&instance), Some((0, vec![0, 0])));
    // From 3 to 1, and from 1 to 2.
    (instance.links[0][6], instance.links[0][1]) = (5, 5);
    for degrees in [180, 90] {
        instance.degrees = degrees;
        assert_eq!(search(&instance), Some((5, vec![2, 0])), "{degrees}");
    }
}
