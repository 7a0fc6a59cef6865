//! Lee's wave: all labels of a grid by the intrinsic of `star:wave`, alternately with a scalar
//! search over two queues and with the crate pathfinding, on two kinds of maps in eleven classes of
//! impassability, and on maps from files.

use std::fs::File;
use std::path::Path;

use pathfinding::directed::bfs::bfs_reach;
use star_intrinsics::Workers;
use star_intrinsics::wave::{Cell, Grid, Neighbourhood, UNREACHED, Wave};
use star_io::generate::{Blocks, Country, GenerateOptions};
use star_io::{Data, Format, ReadOptions, Shape};

use crate::results::Figure;
use crate::timing::{median, milliseconds};

/// The largest side at which the crate takes part: it keeps a hash map of all cells.
const MOST_OF_CRATE: usize = 1000;

/// Maximum distance of the goal from the corner, in cells along the diagonal.
const MOST_OFF: usize = 64;

/// Classes of impassability.
const N_CLASSES: usize = 11;

/// A grid of side `n` in which this share of the transitions is blocked, as nearly as the generator
/// can.
#[derive(Clone, Copy, Debug)]
enum Maps {
    /// Each transition on its own.
    Independent,
    /// By the heights of a country made by diamond and square, and a threshold.
    Heights,
}

impl Maps {
    const ALL: [Maps; 2] = [Maps::Independent, Maps::Heights];

    fn name(self) -> &'static str {
        match self {
            Maps::Independent => "independent",
            Maps::Heights => "heights",
        }
    }

    /// The grid of a class.
    fn of_class(self, n: usize, class: usize) -> Result<Grid, String> {
        let beta = if class == N_CLASSES - 1 { 0.6 } else { 0.05 * class as f64 + 0.025 };
        self.make(n, beta, 2002 + class as u64)
    }

    /// The grid that `star gen` makes.
    fn make(self, n: usize, beta: f64, seed: u64) -> Result<Grid, String> {
        let mut options = GenerateOptions::new(seed, 1 << 33);
        let (side, impassable) = (n as u64, beta);
        match self {
            Maps::Independent => {
                let blocks = Blocks { height: side, width: side, impassable };
                let made = blocks.generate(&mut options).map_err(|error| error.to_string())?;
                let [right, down] = &made.open.fields[..] else {
                    return Err("transitions are two fields".to_owned());
                };
                let mut grid = Grid::of_edges(n, n, |_, _| true).map_err(|e| e.to_string())?;
                for (cell, (&right, &down)) in right.values.iter().zip(&down.values).enumerate() {
                    grid.put_right(cell % n, cell / n, right != 0);
                    grid.put_down(cell % n, cell / n, down != 0);
                }
                Ok(grid)
            }
            Maps::Heights => {
                let (roughness, bits) = (0.7, 24);
                let country = Country { height: side, width: side, impassable, roughness, bits };
                let made = country.generate(&mut options).map_err(|error| error.to_string())?;
                let heights = &made.heights.fields[0].values;
                Grid::of_heights(n, heights, made.threshold).map_err(|e| e.to_string())
            }
        }
    }
}

/// The open transitions of each cell in a byte: left, up, right, down from the lowest bit.
fn bytes(grid: &Grid) -> Vec<u8> {
    let (width, height) = (grid.width(), grid.height());
    let mut open = vec![0; width * height];
    for y in 0..height {
        for x in 0..width {
            let cell = y * width + x;
            if grid.opens_right(x, y) {
                open[cell] |= 4;
                open[cell + 1] |= 1;
            }
            if grid.opens_down(x, y) {
                open[cell] |= 8;
                open[cell + width] |= 2;
            }
        }
    }
    open
}

/// Breadth-first search over two queues, labels of 16 bits.
fn two_queues(open: &[u8], width: usize, goal: usize) -> Vec<u16> {
    let mut labels = vec![u16::MAX; open.len()];
    let (mut front, mut next) = (vec![goal as u32], Vec::new());
    labels[goal] = 0;
    let mut label = 0u16;
    while !front.is_empty() && label < u16::MAX - 1 {
        label += 1;
        for &cell in &front {
            let cell = cell as usize;
            let steps = open[cell];
            let mut reach = |to: usize| {
                if labels[to] == u16::MAX {
                    labels[to] = label;
                    next.push(to as u32);
                }
            };
            if steps & 1 != 0 {
                reach(cell - 1);
            }
            if steps & 2 != 0 {
                reach(cell - width);
            }
            if steps & 4 != 0 {
                reach(cell + 1);
            }
            if steps & 8 != 0 {
                reach(cell + width);
            }
        }
        front.clear();
        std::mem::swap(&mut front, &mut next);
    }
    labels
}

/// Cells reached, the sum of their labels, and the greatest one.
fn digest(labels: impl Iterator<Item = u32>) -> (u64, u64, u32) {
    labels
        .filter(|&label| label != UNREACHED)
        .fold((0, 0, 0), |(n, sum, most), label| (n + 1, sum + u64::from(label), most.max(label)))
}

/// A goal near a place from which a wave gets far: the first along the diagonal towards the middle.
pub(crate) fn goal_near(grid: &Grid, at: usize, pool: &Workers<'_>) -> Result<Cell, String> {
    let n = grid.width();
    let mut best = (0, Cell { x: at, y: at });
    for off in 0..MOST_OFF.min(n / 2) {
        let place = if at < n / 2 { at + off } else { at - off };
        let goal = Cell { x: place, y: place };
        let wave = spread(grid, goal, pool)?;
        let n_reached = digest(wave.labels().iter()).0;
        if n_reached > n as u64 * 8 {
            return Ok(goal);
        }
        if n_reached > best.0 {
            best = (n_reached, goal);
        }
    }
    Ok(best.1)
}

fn spread(grid: &Grid, goal: Cell, pool: &Workers<'_>) -> Result<Wave, String> {
    let wave = Wave::spread(grid, Neighbourhood::VonNeumann, &[goal], None, pool);
    wave.map_err(|error| error.to_string())
}

/// The grid of a class of impassability, with independently blocked transitions.
///
/// # Errors
/// If it cannot be made.
pub(crate) fn independent(n: usize, class: usize) -> Result<Grid, String> {
    Maps::Independent.of_class(n, class)
}

/// Measures both kinds of maps in every class of impassability.
///
/// # Errors
/// If contestants find different labels.
pub(crate) fn generated(n: usize, runs: usize) -> Result<Vec<Figure>, String> {
    let mut figures = Vec::new();
    for maps in Maps::ALL {
        for class in 0..N_CLASSES {
            let grid = maps.of_class(n, class)?;
            let share = grid.n_blocked() as f64 / grid.n_transitions() as f64 * 100.0;
            for (place, at) in [("corner", n - 1), ("centre", n / 2)] {
                let name = format!("{}, {share:.0} % blocked, goal near the {place}", maps.name());
                figures.push(contest(&name, &grid, at, runs)?);
            }
        }
    }
    Ok(figures)
}

/// Measures a square MovingAI map.
///
/// # Errors
/// If the file cannot be read, or contestants find different labels.
pub(crate) fn of_map(path: &Path, runs: usize) -> Result<Figure, String> {
    let shown = path.display().to_string();
    let mut file = File::open(path).map_err(|error| format!("{shown}: {error}"))?;
    let format = Format::of_path(&shown).ok_or_else(|| format!("{shown}: unknown format"))?;
    let loaded = star_io::read(format, &mut file, &mut ReadOptions::new(&shown, 1 << 33));
    let Data::Numbers(numbers) = loaded.map_err(|error| error.to_string())?.data else {
        return Err(format!("{shown}: not a map"));
    };
    let (Shape::Grid { width, .. }, [field, ..]) = (numbers.shape, &numbers.fields[..]) else {
        return Err(format!("{shown}: not a map"));
    };
    let free: Vec<bool> = field.values.iter().map(|&value| value != 0).collect();
    let grid = Grid::of_cells(width, &free).map_err(|error| error.to_string())?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    contest(&name, &grid, width - 1, runs)
}

/// Measures ours on one thread and on all, and the peers.
fn contest(name: &str, grid: &Grid, at: usize, runs: usize) -> Result<Figure, String> {
    let workers = |n| Workers::new(Some(n), Workers::NEVER).map_err(|_| "no threads".to_owned());
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    let (one, all) = (&workers(1)?, &workers(n_threads)?);
    let open = &bytes(grid);
    let goal = goal_near(grid, at, one)?;
    let width = grid.width();
    let start = Cell { x: width - 1 - goal.x, y: width - 1 - goal.y };
    let mut times: [Vec<f64>; 5] = Default::default();
    let mut expected = None;
    let mut same = |found: (u64, u64, u32)| match *expected.get_or_insert(found) == found {
        true => Ok(found),
        false => Err("the labels differ".to_owned()),
    };
    let mut seen = (0, 0, 0);
    for run in 0..runs.max(1) {
        let (time, labels) = milliseconds(|| two_queues(open, width, goal.y * width + goal.x));
        times[2].push(time);
        let label = |&label: &u16| if label == u16::MAX { UNREACHED } else { u32::from(label) };
        seen = same(digest(labels.iter().map(label)))?;
        drop(labels);
        for (pool, which) in [(one, 0), (all, 1)] {
            let (time, wave) = milliseconds(|| spread(grid, goal, pool));
            let wave = wave?;
            times[which].push(time);
            same(digest(wave.labels().iter()))?;
            let (time, path) = milliseconds(|| wave.path(grid, start));
            path.map_err(|error| error.to_string())?;
            times[4].push(time);
        }
        if width <= MOST_OF_CRATE && run == 0 {
            let cell = |idx: usize| Cell { x: idx % width, y: idx / width };
            let steps = Neighbourhood::VonNeumann.steps();
            let next = |idx: &usize| {
                let to = steps.iter().filter_map(|&step| grid.go(cell(*idx), step));
                to.map(|to| to.y * width + to.x).collect::<Vec<usize>>()
            };
            let first = goal.y * width + goal.x;
            let (time, n_reached) = milliseconds(|| bfs_reach(first, next).count());
            times[3].push(time);
            if n_reached as u64 != seen.0 {
                return Err("pathfinding reaches other cells".to_owned());
            }
        }
    }
    let [alone, ours, scalar, theirs, path] = times.map(|times| median(times) / 1e3);
    let mut peers = vec![("two queues, scalar", scalar)];
    if !theirs.is_nan() {
        peers.push(("pathfinding", theirs));
    }
    Ok(Figure {
        threads: n_threads,
        variants: [("on one thread".to_owned(), alone), ("path alone".to_owned(), path)].into(),
        note: format!("{} waves, {} cells", seen.2, seen.0),
        ..Figure::new(name, ("n", width), ours, &peers)
    })
}
