//! Tests of the wave against a search cell by cell, and of the invariants of labels and paths.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};

use star_base::Random;
use star_value::{BitTable, BitVector};

use super::{
    Cell, Costs, Grid, GridError, Labels, MAX_CELLS, Neighbourhood, Step, UNREACHED, Wave,
    WaveError, Weighed,
};
use crate::environment::{Ended, InterruptPoller};
use crate::workers::Workers;

/// `n` threads.
fn workers(n: usize) -> Workers<'static> {
    Workers::new(Some(n), Workers::NEVER).unwrap()
}

/// A grid in which every transition is blocked independently with this probability, in per mille.
fn blocked(width: usize, height: usize, per_mille: usize, seed: u64) -> Grid {
    let mut random = Random::new(seed);
    let mut grid = Grid::of_edges(width, height, |_, _| true).unwrap();
    for y in 0..height {
        for x in 0..width {
            grid.put_right(x, y, random.below(1000) >= per_mille);
            grid.put_down(x, y, random.below(1000) >= per_mille);
        }
    }
    grid
}

/// Heights by the diamond-square algorithm, with the threshold that blocks this share of the
/// transitions most closely.
fn hilly(n: usize, per_mille: usize, seed: u64) -> Grid {
    let mut random = Random::new(seed);
    let side = n.next_power_of_two() + 1;
    let mut heights = vec![0i64; side * side];
    let mut step = side - 1;
    let mut range = 1 << 24;
    while step > 1 {
        let half = step / 2;
        let mut noise = |range: i64| (random.next_u64() % (2 * range as u64 + 1)) as i64 - range;
        for y in (half..side).step_by(step) {
            for x in (half..side).step_by(step) {
                let at = |y: usize, x: usize| heights[y * side + x];
                let sum = at(y - half, x - half) + at(y - half, x + half);
                let sum = sum + at(y + half, x - half) + at(y + half, x + half);
                heights[y * side + x] = sum / 4 + noise(range);
            }
        }
        for y in (0..side).step_by(half) {
            for x in ((y / half + 1) % 2 * half..side).step_by(step) {
                let around = [(0, half), (half, 0), (2 * half, half), (half, 2 * half)];
                let inside = around.iter().filter_map(|&(dy, dx)| {
                    let (y, x) = ((y + dy).checked_sub(half)?, (x + dx).checked_sub(half)?);
                    (y < side && x < side).then(|| heights[y * side + x])
                });
                let (n, sum) = inside.fold((0, 0), |(n, sum), height| (n + 1, sum + height));
                heights[y * side + x] = sum / n + noise(range);
            }
        }
        (step, range) = (half, range * 7 / 10);
    }
    let heights: Vec<i64> = (0..n * n).map(|idx| heights[idx / n * side + idx % n]).collect();
    let mut differences = Vec::new();
    for idx in 0..n * n {
        if idx % n + 1 < n {
            differences.push(heights[idx].abs_diff(heights[idx + 1]));
        }
        if idx / n + 1 < n {
            differences.push(heights[idx].abs_diff(heights[idx + n]));
        }
    }
    differences.sort_unstable();
    let n_open = differences.len() - differences.len() * per_mille / 1000;
    let threshold = differences.get(n_open).copied().unwrap_or(u64::MAX);
    Grid::of_heights(n, &heights, threshold).unwrap()
}

/// Labels by breadth-first search over the definition.
fn searched(grid: &Grid, neighbourhood: Neighbourhood, goals: &[Cell]) -> Vec<u32> {
    let mut labels = vec![UNREACHED; grid.n_cells()];
    let mut queue = VecDeque::new();
    for goal in goals {
        labels[goal.y * grid.width() + goal.x] = 0;
        queue.push_back(*goal);
    }
    while let Some(cell) = queue.pop_front() {
        let label = labels[cell.y * grid.width() + cell.x];
        for &step in neighbourhood.steps() {
            if let Some(to) = grid.go(cell, step) {
                let next = &mut labels[to.y * grid.width() + to.x];
                if *next == UNREACHED {
                    *next = label + 1;
                    queue.push_back(to);
                }
            }
        }
    }
    labels
}

fn spread(
    grid: &Grid,
    neighbourhood: Neighbourhood,
    goals: &[Cell],
    threads: &Workers<'_>,
) -> Wave {
    Wave::spread(grid, neighbourhood, goals, None, threads).unwrap()
}

/// Labels computed by all threads from the first window on, regardless of the length of the front.
fn together(
    grid: &Grid,
    neighbourhood: Neighbourhood,
    goals: &[Cell],
    threads: &Workers<'_>,
) -> Vec<u32> {
    let (labels, stats) =
        super::flood::flood(0, grid, neighbourhood, goals, None, threads).unwrap();
    assert!(stats.n_alone <= super::board::WINDOW as u32 + 1, "{stats:?}");
    labels.iter().collect()
}

/// Checks the five conditions of the source: the path begins at the robot, ends at the goal, leads
/// from neighbour to neighbour over open transitions, has as many steps as the label of the robot,
/// and no shorter one exists (`labels` are computed independently).
fn assert_optimal(
    path: &[Cell],
    grid: &Grid,
    neighbourhood: Neighbourhood,
    (start, goal): (Cell, Cell),
    labels: &[u32],
) {
    let label = labels[start.y * grid.width() + start.x];
    if label == UNREACHED {
        assert!(path.is_empty());
        return;
    }
    assert_eq!((path.first(), path.last()), (Some(&start), Some(&goal)));
    assert_eq!(path.len(), label as usize + 1);
    for pair in path.windows(2) {
        let open = neighbourhood.steps().iter().filter_map(|&step| grid.go(pair[0], step));
        let open: Vec<Cell> = open.collect();
        assert!(open.contains(&pair[1]), "{pair:?}");
        let label = |cell: Cell| labels[cell.y * grid.width() + cell.x];
        let nearer = open.iter().find(|&&cell| label(cell) + 1 == label(pair[0]));
        assert_eq!(nearer, Some(&pair[1]), "the first in the order of ties");
    }
}

const BOTH: [Neighbourhood; 2] = [Neighbourhood::VonNeumann, Neighbourhood::Moore];

#[test]
fn labels_equal_those_of_a_search_at_every_size() {
    let one = workers(1);
    let three = workers(3);
    for (idx, (width, height)) in [
        (1, 1),
        (1, 200),
        (200, 1),
        (63, 63),
        (64, 64),
        (65, 65),
        (128, 130),
        (130, 127),
        (257, 191),
        (300, 700),
    ]
    .into_iter()
    .enumerate()
    {
        for per_mille in [0, 150, 300, 420, 480] {
            let grid = blocked(width, height, per_mille, idx as u64);
            let mut random = Random::new(per_mille as u64);
            let n_goals = 1 + per_mille % 4;
            let goals: Vec<Cell> = (0..n_goals)
                .map(|_| Cell { x: random.below(width), y: random.below(height) })
                .collect();
            for neighbourhood in BOTH {
                let expected = searched(&grid, neighbourhood, &goals);
                for threads in [&one, &three] {
                    let wave = spread(&grid, neighbourhood, &goals, threads);
                    let found: Vec<u32> = wave.labels().iter().collect();
                    assert!(
                        found == expected,
                        "{width} x {height}, {per_mille}, {neighbourhood:?}"
                    );
                }
                assert!(together(&grid, neighbourhood, &goals, &three) == expected);
            }
        }
    }
}

#[test]
fn eleven_classes_of_impassability_from_two_generators() {
    let n = 200;
    let threads = workers(2);
    for class in 0..11 {
        for map in 0..30 {
            let mut random = Random::new(class * 1000 + map);
            let per_mille = match class {
                10 => 500 + random.below(501),
                class => 50 * class as usize + random.below(50),
            };
            let seed = random.next_u64();
            for grid in [blocked(n, n, per_mille, seed), hilly(n, per_mille, seed)] {
                let beta = grid.n_blocked() as f64 / grid.n_transitions() as f64;
                assert!((beta - per_mille as f64 / 1000.0).abs() < 0.02, "{beta} {per_mille}");
                let corners = (Cell { x: 0, y: 0 }, Cell { x: n - 1, y: n - 1 });
                let middle = (Cell { x: n / 2 - 3, y: n / 2 }, Cell { x: n / 2, y: n / 2 });
                for (start, goal) in [corners, middle] {
                    for neighbourhood in BOTH {
                        let expected = searched(&grid, neighbourhood, &[goal]);
                        let wave = spread(&grid, neighbourhood, &[goal], &threads);
                        assert!(wave.labels().iter().eq(expected.iter().copied()), "{class} {map}");
                        if map % 5 == 0 {
                            let labels = together(&grid, neighbourhood, &[goal], &threads);
                            assert!(labels == expected, "{class} {map}");
                        }
                        let path = wave.path(&grid, start).unwrap();
                        assert_optimal(&path, &grid, neighbourhood, (start, goal), &expected);
                    }
                }
            }
        }
    }
}

#[test]
fn long_fronts_use_all_threads_and_short_ones_one() {
    let threads = workers(2);
    let open = Grid::of_edges(4000, 4000, |_, _| true).unwrap();
    let wave = spread(&open, Neighbourhood::VonNeumann, &[Cell { x: 0, y: 0 }], &threads);
    let stats = wave.stats();
    assert!(stats.n_together > 0 && stats.n_alone > 0, "{stats:?}");
    assert_eq!(wave.labels().at(4000 * 4000 - 1), 2 * 3999);
    let corridor = Grid::of_edges(64, 2500, |a, b| a.x == b.x || a.y % 2 == 0).unwrap();
    let wave = spread(&corridor, Neighbourhood::VonNeumann, &[Cell { x: 0, y: 0 }], &threads);
    assert_eq!(wave.stats().n_together, 0);
}

#[test]
fn tiles_go_back_where_the_wave_crosses_back_and_forth() {
    let grid = blocked(640, 640, 420, 1);
    let goal = Cell { x: 320, y: 320 };
    for threads in [1, 2].map(workers) {
        let wave = spread(&grid, Neighbourhood::VonNeumann, &[goal], &threads);
        assert!(wave.stats().n_returns > 100, "{:?}", wave.stats());
        assert!(wave.labels().iter().eq(searched(&grid, Neighbourhood::VonNeumann, &[goal])));
    }
    // Along a corridor, no wave comes back.
    let corridor = Grid::of_edges(2500, 64, |a, b| a.y == b.y || a.x % 2 == 0).unwrap();
    let wave = spread(&corridor, Neighbourhood::VonNeumann, &[Cell { x: 0, y: 0 }], &workers(1));
    assert_eq!(wave.stats().n_returns, 0);
}

/// A path that winds through all cells, from the upper left on.
fn winding(width: usize, height: usize) -> Grid {
    let gap = |y: usize| if y.is_multiple_of(2) { width - 1 } else { 0 };
    Grid::of_edges(width, height, |a, b| a.y == b.y || a.x == gap(a.y)).unwrap()
}

#[test]
fn labels_widen_where_short_ones_do_not_suffice() {
    let threads = workers(1);
    // The first tile is entered at once, and left for good when 64 rows are done.
    let sizes = [(64, 3, 1), (64, 5, 2), (1000, 64, 2), (1100, 64, 3), (300, 300, 2)];
    for (width, height, n_bytes) in sizes {
        let grid = winding(width, height);
        let goal = Cell { x: 0, y: 0 };
        let wave = spread(&grid, Neighbourhood::VonNeumann, &[goal], &threads);
        assert_eq!(wave.stats().n_bytes, n_bytes, "{width} x {height}");
        let expected = searched(&grid, Neighbourhood::VonNeumann, &[goal]);
        assert!(wave.labels().iter().eq(expected));
        let end = Cell { x: if height % 2 == 0 { 0 } else { width - 1 }, y: height - 1 };
        let path = wave.path(&grid, end).unwrap();
        assert_eq!(path.len(), width * height);
        assert_eq!(path[width * height - 1], goal);
    }
}

#[test]
fn tiles_are_reentered_long_after_the_wave_left() {
    // Two waves through every tile: along the rows, and much later back between them.
    let (width, height) = (1500, 130);
    let grid = Grid::of_edges(width, height, |a, b| {
        if a.y == b.y { true } else { a.x == if a.y % 2 == 0 { width - 1 } else { 0 } }
    })
    .unwrap();
    for threads in [1, 2].map(workers) {
        let goal = Cell { x: 0, y: 0 };
        let wave = spread(&grid, Neighbourhood::VonNeumann, &[goal], &threads);
        assert!(wave.labels().iter().eq(searched(&grid, Neighbourhood::VonNeumann, &[goal])));
    }
}

#[test]
fn a_wave_may_end_at_the_start() {
    let grid = blocked(700, 700, 200, 5);
    for threads in [1, 3].map(workers) {
        for neighbourhood in BOTH {
            let (start, goal) = (Cell { x: 350, y: 300 }, Cell { x: 690, y: 10 });
            let full = spread(&grid, neighbourhood, &[goal], &threads);
            let early = Wave::spread(&grid, neighbourhood, &[goal], Some(start), &threads).unwrap();
            assert_eq!(early.distance(&grid, start), full.distance(&grid, start));
            assert_eq!(early.path(&grid, start), full.path(&grid, start));
            let most = full.distance(&grid, start).unwrap().unwrap();
            let near = full.labels().iter().map(|l| if l > most { UNREACHED } else { l });
            assert!(early.labels().iter().eq(near), "none beyond the start, and all before it");
        }
    }
}

#[test]
fn closed_start_has_no_path_and_goal_has_a_path_of_one_cell() {
    let free: Vec<bool> = "..@.@....".chars().map(|c| c == '.').collect();
    let grid = Grid::of_cells(3, &free).unwrap();
    let threads = workers(1);
    let goal = Cell { x: 0, y: 0 };
    let wave = spread(&grid, Neighbourhood::Moore, &[goal], &threads);
    assert_eq!(wave.path(&grid, Cell { x: 2, y: 0 }), Ok(Vec::new()));
    assert_eq!(wave.path(&grid, goal), Ok(vec![goal]));
    // Corners are not cut.
    assert_eq!(wave.distance(&grid, Cell { x: 2, y: 1 }), Ok(Some(5)));
    let outside = Cell { x: 3, y: 0 };
    assert_eq!(wave.distance(&grid, outside), Err(WaveError::Outside(outside)));
    let refused = Wave::spread(&grid, Neighbourhood::Moore, &[outside], None, &threads);
    assert_eq!(refused, Err(WaveError::Outside(outside)));
}

#[test]
fn grid_size_is_checked_before_allocation() {
    let side = 1 << 32;
    assert_eq!(Grid::closed(side, side), Err(GridError::TooLarge));
    assert_eq!(Grid::closed(MAX_CELLS as usize + 1, 1), Err(GridError::TooLarge));
    assert_eq!(Grid::of_heights(2, &[1, 2, 3], 1), Err(GridError::WrongLength));
    let grid = Grid::of_heights(2, &[0, 5, i64::MIN, i64::MAX], 6).unwrap();
    assert_eq!((grid.n_transitions(), grid.n_blocked()), (4, 3));
    assert!(grid.opens_right(0, 0), "heights differ by less than the threshold");
    assert!(Grid::of_heights(2, &[0, 6], 6).is_ok_and(|grid| grid.n_blocked() == 1), "strictly");
    let one = Grid::of_heights(1, &[7], 1).unwrap();
    let wave = spread(&one, Neighbourhood::Moore, &[Cell { x: 0, y: 0 }], &workers(1));
    assert_eq!(wave.labels().iter().collect::<Vec<u32>>(), [0]);
}

#[test]
fn interrupts_end_a_wave() {
    let grid = Grid::of_edges(1500, 1500, |_, _| true).unwrap();
    for n_threads in [1, 2] {
        // It is interrupted after this many polls.
        let n_polls = AtomicUsize::new(20);
        let stop = || n_polls.fetch_sub(1, Ordering::Relaxed) == 0;
        let threads = Workers::new(Some(n_threads), &stop).unwrap();
        let goal = Cell { x: 0, y: 0 };
        let ended = Wave::spread(&grid, Neighbourhood::VonNeumann, &[goal], None, &threads);
        assert_eq!(ended, Err(WaveError::Ended(Ended::Interrupted)));
        n_polls.store(20, Ordering::Relaxed);
        let costs = Costs { straight: 1, diagonal: 1, weights: None };
        let ended = Weighed::spread(&grid, Neighbourhood::Moore, &[goal], costs, &threads);
        assert_eq!(ended, Err(WaveError::Ended(Ended::Interrupted)));
    }
}

#[test]
fn unit_weights_give_the_labels_and_others_the_cheapest_path() {
    let threads = workers(1);
    let grid = blocked(90, 70, 250, 3);
    let goals = [Cell { x: 5, y: 60 }, Cell { x: 80, y: 2 }];
    for neighbourhood in BOTH {
        let costs = Costs { straight: 1, diagonal: 1, weights: None };
        let weighed = Weighed::spread(&grid, neighbourhood, &goals, costs, &threads).unwrap();
        let wave = spread(&grid, neighbourhood, &goals, &threads);
        for idx in 0..grid.n_cells() {
            let cell = Cell { x: idx % 90, y: idx / 90 };
            let label = wave.distance(&grid, cell).unwrap();
            assert_eq!(weighed.cost(&grid, cell).unwrap(), label.map(u64::from));
            let path = weighed.path(&grid, neighbourhood, costs, cell).unwrap();
            assert_eq!(path, wave.path(&grid, cell).unwrap());
        }
    }
    // A swamp in the middle of three by three cells: the path avoids it.
    let open = Grid::of_cells(3, &[true; 9]).unwrap();
    let marsh = [1, 1, 1, 1, 9, 1, 1, 1, 1];
    let costs = Costs { straight: 10, diagonal: 14, weights: Some(&marsh) };
    let (start, goal) = (Cell { x: 0, y: 1 }, Cell { x: 2, y: 1 });
    let weighed =
        Weighed::spread(&open, Neighbourhood::VonNeumann, &[goal], costs, &threads).unwrap();
    assert_eq!(weighed.cost(&open, start), Ok(Some(40)));
    let path = weighed.path(&open, Neighbourhood::VonNeumann, costs, start).unwrap();
    assert_eq!((path.len(), path[1]), (5, Cell { x: 0, y: 0 }), "up before down");
    let nothing = Costs { weights: Some(&[1, 1, 1, 0, 1, 1, 1, 1, 1]), ..costs };
    let refused = Weighed::spread(&open, Neighbourhood::Moore, &[goal], nothing, &threads);
    assert_eq!(refused, Err(WaveError::NoWeight(Cell { x: 0, y: 1 })));
}

#[test]
fn packed_transitions_and_label_columns_match_the_grid() {
    let threads = workers(1);
    for (width, height) in [(1, 1), (7, 5), (64, 3), (65, 129), (130, 70)] {
        let grid = blocked(width, height, 300, width as u64);
        let mut right = BitVector::zeros(width * height);
        let mut down = BitVector::zeros(width * height);
        for idx in 0..width * height {
            right.put(idx, grid.opens_right(idx % width, idx / width));
            // Transitions over the lower border are ignored.
            let is_last = idx / width + 1 == height;
            down.put(idx, grid.opens_down(idx % width, idx / width) || is_last);
        }
        let of_bits = |right: &BitVector| {
            Grid::of_bits(width, width * height, right.limbs(), down.limbs()).unwrap()
        };
        assert_eq!(of_bits(&right), Some(grid.clone()));
        let goal = Cell { x: width / 2, y: height / 2 };
        let wave = spread(&grid, Neighbourhood::Moore, &[goal], &threads);
        let n_bits = Labels::n_bits(width * height);
        let mut table = BitTable::zeros(width * height, n_bits).unwrap();
        wave.labels().write(&mut table, &mut InterruptPoller::new(&threads)).unwrap();
        for (cell, label) in wave.labels().iter().enumerate() {
            let bits =
                (0..n_bits).fold(0, |number, col| number << 1 | u64::from(table.get(cell, col)));
            assert_eq!(bits, u64::from(label) & ((1 << n_bits) - 1));
        }
        right.put(width - 1, true);
        assert_eq!(of_bits(&right), None);
    }
    assert_eq!([0, 1, 2, 3, 4, 255, 256].map(Labels::n_bits), [1, 1, 2, 2, 3, 8, 9]);
}

#[test]
fn steps_follow_the_order_of_ties() {
    let grid = Grid::of_cells(3, &[true; 9]).unwrap();
    let middle = Cell { x: 1, y: 1 };
    let reached: Vec<(usize, usize)> =
        Step::ALL.iter().map(|&step| grid.go(middle, step).unwrap()).map(|c| (c.x, c.y)).collect();
    assert_eq!(reached, [(0, 1), (1, 0), (2, 1), (1, 2), (0, 0), (2, 0), (2, 2), (0, 2)]);
    // From every corner, ties prefer left to up, right to down, and straight to diagonal.
    let threads = workers(1);
    let wave = spread(&grid, Neighbourhood::VonNeumann, &[Cell { x: 0, y: 0 }], &threads);
    let path = wave.path(&grid, Cell { x: 2, y: 2 }).unwrap();
    let path: Vec<(usize, usize)> = path.iter().map(|cell| (cell.x, cell.y)).collect();
    assert_eq!(path, [(2, 2), (1, 2), (0, 2), (0, 1), (0, 0)]);
}

#[test]
fn labels_from_different_goals_differ() {
    let grid = Grid::of_edges(3, 2, |_, _| true).unwrap();
    let from = |x| spread(&grid, Neighbourhood::Moore, &[Cell { x, y: 0 }], &workers(1));
    let [first, other] = [from(0), from(1)];
    assert!(first.labels() == from(0).labels());
    assert!(first.labels() != other.labels());
}
