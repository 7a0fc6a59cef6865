//! Comparison of the maps and problems in the shared data folder with the counts in its
//! description.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use star_io::{Data, Format, Numbers, ReadOptions, Shape, read};

use crate::support::BUDGET;

struct Expected {
    file: &'static str,
    height: usize,
    width: usize,
    n_passable: i64,
    /// Connected across the sides of cells.
    n_regions: usize,
    n_problems: usize,
    /// The longest optimal length in tenths, rounded.
    longest: i64,
}

#[rustfmt::skip]
const EXPECTED: &[Expected] = &[
    Expected { file: "32room_000.map", height: 512, width: 512, n_passable: 240_671, n_regions: 1, n_problems: 1900, longest: 7640 },
    Expected { file: "AR0300SR.map", height: 512, width: 512, n_passable: 68964, n_regions: 4, n_problems: 1280, longest: 5118 },
    Expected { file: "Berlin_1_256.map", height: 256, width: 256, n_passable: 47540, n_regions: 10, n_problems: 910, longest: 3633 },
    Expected { file: "London_0_1024.map", height: 1024, width: 1024, n_passable: 795_813, n_regions: 33, n_problems: 4010, longest: 16038 },
    Expected { file: "arena.map", height: 49, width: 49, n_passable: 2054, n_regions: 1, n_problems: 160, longest: 622 },
    Expected { file: "arena2.map", height: 209, width: 281, n_passable: 24311, n_regions: 1, n_problems: 929, longest: 3718 },
    Expected { file: "brc202d.map", height: 481, width: 530, n_passable: 43151, n_regions: 1, n_problems: 2519, longest: 10072 },
    Expected { file: "lak303d.map", height: 194, width: 194, n_passable: 14784, n_regions: 1, n_problems: 1060, longest: 4233 },
    Expected { file: "maze512-8-0.map", height: 512, width: 512, n_passable: 232_931, n_regions: 1, n_problems: 6090, longest: 24395 },
    Expected { file: "random512-20-0.map", height: 512, width: 512, n_passable: 209_281, n_regions: 1, n_problems: 1780, longest: 7153 },
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/grids")
}

fn load(path: &Path) -> Numbers {
    let name = path.display().to_string();
    let format = Format::of_path(&name).expect("a known extension");
    let mut options = ReadOptions::new(&name, BUDGET);
    options.size_hint = fs::metadata(path).ok().map(|metadata| metadata.len());
    let mut file = File::open(path).expect("the file is there");
    match read(format, &mut file, &mut options) {
        Ok(loaded) => match loaded.data {
            Data::Numbers(numbers) => numbers,
            other => panic!("{other:?} instead of numbers"),
        },
        Err(error) => panic!("{error}"),
    }
}

/// Number of regions of ones, connected across the sides of cells.
fn n_regions(cells: &[i64], height: usize, width: usize) -> usize {
    let mut rest = cells.to_vec();
    let mut n_regions = 0;
    for start in 0..rest.len() {
        if rest[start] == 0 {
            continue;
        }
        n_regions += 1;
        rest[start] = 0;
        let mut work = vec![start];
        while let Some(cell) = work.pop() {
            let (row, col) = (cell / width, cell % width);
            let sides = [
                (row > 0).then(|| cell - width),
                (row + 1 < height).then_some(cell + width),
                (col > 0).then(|| cell - 1),
                (col + 1 < width).then_some(cell + 1),
            ];
            for side in sides.into_iter().flatten() {
                if rest[side] == 1 {
                    rest[side] = 0;
                    work.push(side);
                }
            }
        }
    }
    n_regions
}

#[test]
fn maps_match_the_description() {
    for expected in EXPECTED {
        let &Expected { file, height, width, n_passable, n_regions, .. } = expected;
        let path = folder().join(file);
        if !path.exists() {
            skip(file);
            continue;
        }
        let map = load(&path);
        assert_eq!(map.shape, Shape::Grid { height, width }, "{file}");
        let cells = &map.fields[0].values;
        assert_eq!(cells.iter().sum::<i64>(), n_passable, "{file}");
        assert_eq!(self::n_regions(cells, height, width), n_regions, "{file}");
    }
}

#[test]
fn problems_match_the_description() {
    for expected in EXPECTED {
        let file = format!("{}.scen", expected.file);
        let (path, map) = (folder().join(&file), folder().join(expected.file));
        if !path.exists() {
            skip(&file);
            continue;
        }
        let (problems, map) = (load(&path), load(&map));
        assert_eq!(problems.shape, Shape::List(expected.n_problems), "{file}");
        let [_, start_x, start_y, goal_x, goal_y, length] = &problems.fields[..] else {
            panic!("{} fields", problems.fields.len())
        };
        let longest = length.values.iter().max().expect("a problem");
        assert_eq!((longest + 50) / 100, expected.longest, "{file}");
        for (x, y) in [(start_x, start_y), (goal_x, goal_y)] {
            let mut places = x.values.iter().zip(&y.values);
            let cell = |(x, y): (&i64, &i64)| {
                map.fields[0].values[*y as usize * expected.width + *x as usize]
            };
            assert!(places.all(|place| cell(place) == 1), "{file}");
        }
    }
}

#[test]
fn every_file_is_described() {
    let Ok(entries) = fs::read_dir(folder()) else { return skip("the folder") };
    for entry in entries {
        let name = entry.expect("an entry").file_name().into_string().expect("text");
        let map = name.strip_suffix(".scen").unwrap_or(&name);
        assert!(EXPECTED.iter().any(|expected| expected.file == map), "{name}");
    }
}

#[allow(clippy::print_stderr)] // a skipped test must say so
fn skip(file: &str) {
    eprintln!("skipped: {file} is not in shared/data/grids");
}
