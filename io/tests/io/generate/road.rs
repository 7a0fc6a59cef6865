//! Road-like grids.

use std::collections::VecDeque;

use star_io::Graph;
use star_io::generate::{Parts, Road};

use super::{is_simple, near, options};

const ROAD: Road = Road {
    height: 40,
    width: 60,
    missing: 0.0,
    diagonals: 0.0,
    parts: Parts::All,
    max_weight: Some(1000),
};

/// Sizes of the connected components, by breadth-first search.
fn part_sizes(graph: &Graph) -> Vec<usize> {
    let mut neighbours = vec![Vec::new(); graph.n_vertices];
    for arc in graph.directed_arcs() {
        neighbours[arc.tail as usize].push(arc.head as usize);
    }
    let mut seen = vec![false; graph.n_vertices];
    let mut sizes = Vec::new();
    for start in 0..graph.n_vertices {
        let mut queue = VecDeque::from([start]);
        let mut size = 0;
        while let Some(vertex) = queue.pop_front() {
            if !std::mem::replace(&mut seen[vertex], true) {
                size += 1;
                queue.extend(&neighbours[vertex]);
            }
        }
        if size > 0 {
            sizes.push(size);
        }
    }
    sizes
}

#[test]
fn complete_grid_has_all_streets_and_nothing_else() {
    for (height, width) in [(1, 1), (1, 7), (7, 1), (2, 2), (40, 60)] {
        let road = Road { height, width, ..ROAD }.generate(&mut options(1)).unwrap();
        let n_streets = height * (width - 1) + width * (height - 1);
        assert_eq!(road.graph.n_edges() as u64, n_streets);
        assert_eq!((road.n_connected, road.graph.n_vertices), {
            let n_vertices = (height * width) as usize;
            (n_vertices, n_vertices)
        });
        assert!(road.graph.symmetric && road.graph.weighted);
        is_simple(&road.graph);
        let apart = |a: u32, b: u32| u64::from(a.abs_diff(b));
        for arc in &road.graph.arcs {
            let (tail, head) = (u64::from(arc.tail), u64::from(arc.head));
            let rows = apart((tail / width) as u32, (head / width) as u32);
            let cols = apart((tail % width) as u32, (head % width) as u32);
            assert_eq!(rows + cols, 1);
        }
    }
}

#[test]
fn missing_streets_and_diagonals_have_their_probability() {
    let road = Road { missing: 0.2, diagonals: 0.3, ..ROAD }.generate(&mut options(3)).unwrap();
    is_simple(&road.graph);
    let ways = road.graph.arcs.iter().map(|arc| arc.tail - arc.head);
    let count = |way: u32| ways.clone().filter(|&other| other == way).count() as f64;
    let n_straight = f64::from(40 * 59 + 60 * 39);
    near(count(1) + count(60), n_straight * 0.8, (n_straight * 0.16).sqrt());
    let n_blocks = f64::from(39 * 59);
    for diagonal in [59, 61] {
        near(count(diagonal), n_blocks * 0.15, (n_blocks * 0.15 * 0.85).sqrt());
    }
    assert_eq!(count(1) + count(59) + count(60) + count(61), road.graph.n_edges() as f64);
}

#[test]
fn weights_are_lengths() {
    let road = Road { diagonals: 0.5, ..ROAD }.generate(&mut options(3)).unwrap();
    let mean = |ways: [u32; 2]| {
        let arcs = road.graph.arcs.iter().filter(|arc| ways.contains(&(arc.tail - arc.head)));
        let (sum, n) = arcs.fold((0, 0), |(sum, n), arc| (sum + arc.weight, n + 1));
        sum as f64 / f64::from(n)
    };
    let ratio = mean([59, 61]) / mean([1, 60]);
    assert!((1.35..1.48).contains(&ratio), "a diagonal is about √2 as long: {ratio}");
    assert!(road.graph.arcs.iter().all(|arc| (1..=1000).contains(&arc.weight)));
    let unit = Road { max_weight: Some(1), ..ROAD }.generate(&mut options(3)).unwrap();
    assert!(unit.graph.arcs.iter().all(|arc| arc.weight == 1));
    let plain = Road { max_weight: None, ..ROAD }.generate(&mut options(3)).unwrap();
    assert!(!plain.graph.weighted && plain.graph.arcs.iter().all(|arc| arc.weight == 1));
    let most = i64::from(u32::MAX);
    let long = Road { max_weight: Some(most), ..ROAD }.generate(&mut options(3)).unwrap();
    assert!(long.graph.max_weight() > most / 4 && long.graph.max_weight() <= most);
}

#[test]
fn largest_component_is_connected_and_counted() {
    for missing in [0.3, 0.45, 0.6, 0.95, 1.0] {
        let all = Road { missing, ..ROAD };
        let whole = all.generate(&mut options(9)).unwrap();
        assert_eq!(whole.graph.n_vertices, 2400);
        let largest = part_sizes(&whole.graph).into_iter().max().unwrap();
        assert_eq!(whole.n_connected, largest);
        let road = Road { parts: Parts::Largest, ..all }.generate(&mut options(9)).unwrap();
        assert_eq!((road.n_connected, road.graph.n_vertices), (largest, largest));
        assert_eq!(part_sizes(&road.graph), [largest]);
        is_simple(&road.graph);
        // The network has the streets of that component, with their weights.
        let mut weights = road.graph.arcs.iter().map(|arc| arc.weight);
        let all_weights = whole.graph.arcs.iter().map(|arc| arc.weight);
        let mut next = weights.next();
        for weight in all_weights {
            if next == Some(weight) {
                next = weights.next();
            }
        }
        assert_eq!(next, None);
    }
}
