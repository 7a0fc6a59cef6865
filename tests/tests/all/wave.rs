//! Lee's wave: the module of the library on every backend, and its intrinsic on the scenario files
//! of the shared data, against breadth-first search. Missing files are reported and skipped.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};

use star_intrinsics::Workers;
use star_intrinsics::wave::{Cell, Costs, Grid, Neighbourhood, UNREACHED, Wave, Weighed};
use star_tests::backends::{Mode, WITH_INTRINSICS, backends, has_others};
use star_tests::case::{Random, ends, prints, traps};
use star_tests::differ::difference;
use star_tests::run::{LIMITS, Program};
use star_value::{BitVector, Table, Value};

const BOTH: [Neighbourhood; 2] = [Neighbourhood::VonNeumann, Neighbourhood::Moore];

/// Computes the labels of a map of free cells by breadth-first search: a diagonal step requires
/// both adjacent cells to be free.
fn searched(width: usize, free: &[bool], neighbourhood: Neighbourhood, goal: usize) -> Vec<u32> {
    search(width, free, (neighbourhood, Squeeze::Never), goal)
}

/// Whether a diagonal step may lead between two walls.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Squeeze {
    Never,
    Always,
}

fn search(
    width: usize,
    free: &[bool],
    (neighbourhood, squeeze): (Neighbourhood, Squeeze),
    goal: usize,
) -> Vec<u32> {
    let height = free.len() / width;
    let is_free = |x: isize, y: isize| {
        let inside = (0..width as isize).contains(&x) && (0..height as isize).contains(&y);
        inside && free[y as usize * width + x as usize]
    };
    let mut labels = vec![UNREACHED; free.len()];
    labels[goal] = 0;
    let mut queue = VecDeque::from([goal]);
    while let Some(at) = queue.pop_front() {
        let (x, y) = ((at % width) as isize, (at / width) as isize);
        for (dx, dy) in [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (1, -1), (1, 1), (-1, 1)] {
            let is_diagonal = dx != 0 && dy != 0;
            if is_diagonal && neighbourhood == Neighbourhood::VonNeumann {
                continue;
            }
            let sides = is_free(x + dx, y) && is_free(x, y + dy);
            if !(is_free(x, y) && is_free(x + dx, y + dy) && (sides || squeeze == Squeeze::Always))
            {
                continue;
            }
            let to = (y + dy) as usize * width + (x + dx) as usize;
            if labels[to] == UNREACHED {
                labels[to] = labels[at] + 1;
                queue.push_back(to);
            }
        }
    }
    labels
}

const TRY: &str = "import \"star:wave\";
    procedure TRY(w: integer; moore: boolean; stop,start: integer; Free,Goals: slice(n);
                  var Label,Path: table; var On: slice);
    var Right,Down: slice(n);
    begin
      OPEN_CELLS(w,Free,Right,Down);
      WAVE(w,moore,stop,Right,Down,Goals,Label);
      if stop=0 then TRACE(w,moore,Right,Down,start,Label,Path,On);
    end;";

#[test]
fn the_star_text_the_intrinsic_and_a_search_agree() {
    let program = Program::new(TRY);
    let entry = program.entry("TRY");
    let compiled = program.compile_on(&backends());
    let mut random = Random::new(2002);
    for (width, height) in [(1, 1), (1, 9), (9, 1), (8, 8), (13, 7), (64, 3), (70, 12), (22, 23)] {
        for moore in [false, true] {
            let n = width * height;
            let percent = [60, 75, 90, 100][random.below(4)];
            let mut free = random.bits(n, percent);
            let (start, goal) = (random.below(n), random.below(n));
            (free[start], free[goal]) = (true, true);
            let stop = [0, random.below(n) + 1][random.below(2)];
            let mut goals = BitVector::zeros(n);
            goals.put(goal, true);
            let args = [
                Value::Int(width as i64),
                Value::Bool(moore),
                Value::Int(stop as i64),
                Value::Int(start as i64 + 1),
                Value::Slice(BitVector::from_bools(&free)),
                Value::Slice(goals),
                Value::Unset,
                Value::Unset,
                Value::Unset,
            ];
            let expected = compiled[0].run(entry, &args, LIMITS);
            for other in &compiled[1..] {
                let found = other.run(entry, &args, LIMITS);
                assert_eq!(difference(&program, &expected, &found, Mode::AsLowered), None);
                if has_others(other.name) {
                    continue;
                }
                let n_intrinsics = u64::from(WITH_INTRINSICS.contains(&other.name));
                assert_eq!(
                    found.stats.intrinsics, n_intrinsics,
                    "{} {width} x {height}",
                    other.name
                );
            }
            if stop > 0 {
                continue;
            }
            let labels = searched(width, &free, BOTH[usize::from(moore)], goal);
            let [.., Value::Table(table), Value::Table(path), Value::Slice(on)] =
                &expected.values[..]
            else {
                panic!("{:?}", expected.values)
            };
            for (cell, &label) in labels.iter().enumerate() {
                let bits = table.row(cell);
                let number = bits.iter().fold(0, |number, bit| number << 1 | u32::from(bit));
                let all_ones = (1 << bits.len()) - 1;
                assert_eq!(number, if label == UNREACHED { all_ones } else { label });
            }
            let n_cells = labels[start].wrapping_add(1) as usize;
            assert_eq!((path.n_rows(), on.count_ones() as usize), (n_cells, n_cells));
        }
    }
}

const SQUEEZE: &str = "import \"star:wave\"; import \"star:weighed\";
    procedure TRY(w,start: integer; Free,Goals: slice(n);
                  var Label,Path,Price,Way: table; var On,There: slice);
    var Right,Down,Fall,Rise: slice(n); Weight: table(n,1);
    begin
      OPEN_CELLS(w,Free,Right,Down);
      DIAGONALS(w,Free,Fall,Rise);
      WAVE8(w,0,Right,Down,Fall,Rise,Goals,Label);
      TRACE8(w,Right,Down,Fall,Rise,start,Label,Path,On);
      WCOPY('1',Free or not Free,Weight);
      WEIGHED_WAVE8(w,1,1,Right,Down,Fall,Rise,Goals,Weight,Price);
      WEIGHED_TRACE8(w,1,1,Right,Down,Fall,Rise,Weight,start,Price,Way,There);
    end;";

#[test]
fn diagonals_between_walls_agree_with_a_search() {
    let program = Program::new(SQUEEZE);
    let entry = program.entry("TRY");
    let compiled = program.compile_on(&backends());
    let mut random = Random::new(37);
    let mut n_squeezed = 0;
    for (width, height) in [(1, 1), (1, 9), (9, 1), (2, 2), (7, 5), (13, 7), (64, 3), (22, 23)] {
        for percent in [40, 55, 70, 100] {
            let n = width * height;
            let mut free = random.bits(n, percent);
            let (start, goal) = (random.below(n), random.below(n));
            (free[start], free[goal]) = (true, true);
            let mut goals = BitVector::zeros(n);
            goals.put(goal, true);
            let mut args = vec![
                Value::Int(width as i64),
                Value::Int(start as i64 + 1),
                Value::Slice(BitVector::from_bools(&free)),
                Value::Slice(goals),
            ];
            args.resize(10, Value::Unset);
            let expected = compiled[0].run(entry, &args, LIMITS);
            for other in &compiled[1..] {
                let found = other.run(entry, &args, LIMITS);
                assert_eq!(difference(&program, &expected, &found, Mode::AsLowered), None);
            }
            let number = |table: &Value, cell: usize| {
                let Value::Table(table) = table else { panic!("{table:?}") };
                let bits = table.row(cell);
                let number = bits.iter().fold(0, |number, bit| number << 1 | u32::from(bit));
                if bits.iter().all(|bit| bit) { UNREACHED } else { number }
            };
            let squeezed = (Neighbourhood::Moore, Squeeze::Always);
            let labels = search(width, &free, squeezed, goal);
            for (cell, &label) in labels.iter().enumerate() {
                let found = [4, 6].map(|at: usize| number(&expected.values[at], cell));
                assert_eq!(found, [label; 2], "{width} x {height}, cell {cell}");
            }
            let n_cells = labels[start].wrapping_add(1) as usize;
            for at in [5, 7] {
                let Value::Table(path) = &expected.values[at] else { panic!("no path") };
                assert_eq!(path.n_rows(), n_cells);
            }
            let usual = searched(width, &free, Neighbourhood::Moore, goal);
            n_squeezed += usize::from(usual[start] != labels[start]);
        }
    }
    assert!(n_squeezed > 3, "{n_squeezed}");
}

#[test]
fn invalid_sizes_and_labels_of_other_grids_trap() {
    for (calls, code, message) in [
        ("WAVE(0,false,0,'000','000','100',L)", "T0111", "a grid has a column"),
        ("WAVE(-1,false,0,'000','000','100',L)", "T0111", "a grid has a column"),
        ("WAVE(3,false,4,'110','000','100',L)", "T0101", "index 4 outside 1..3"),
        ("OPEN_CELLS(0,'111',X,Y)", "T0111", "a grid has a column"),
        ("WAVE(3,false,0,'110','000','100',L); k:=DISTANCE(0,L)", "T0101", "index 0 outside 1..3"),
        ("WAVE(3,false,0,'110','000','100',L); k:=DISTANCE(4,L)", "T0101", "index 4 outside 1..3"),
    ] {
        let trap = traps(&format!(
            "import \"star:wave\"; import \"star:weighed\"; program P;
             var L: table; T: table(3,1); X,Y: slice(3); k: integer;
             begin {calls}; end."
        ));
        assert!(trap.starts_with(code), "{calls}: {trap}");
        assert!(trap.contains(message), "{calls}: {trap}");
    }
    let traced = traps(
        "import \"star:wave\"; program P; var Label,Path: table; On: slice;
         begin
           WAVE(3,false,0,'110','000','100',Label);
           TRACE(3,false,'000','000',2,Label,Path,On);
         end.",
    );
    assert!(traced.contains("not those of this grid"), "{traced}");
}

/// Whatever the given width of the rows, a grid of fewer cells is the beginning of one.
#[test]
fn a_grid_may_be_wider_than_it_has_cells() {
    for width in ["3", "4", "9223372036854775806", "9223372036854775807"] {
        for moore in ["false", "true"] {
            let printed = prints(&format!(
                "import \"star:wave\"; import \"star:weighed\"; program P;
                 var Price,Label,Path,Way: table; W: table(3,2); On: slice(3);
                 begin
                   WCOPY('10','111',W);
                   WAVE({width},{moore},0,'110','000','100',Label);
                   TRACE({width},{moore},'110','000',3,Label,Path,On);
                   WEIGHED_WAVE({width},{moore},1,1,'110','000','100',W,Price);
                   WEIGHED_TRACE({width},{moore},1,1,'110','000',W,3,Price,Way,On);
                   print(DISTANCE(3,Label),\" \",rows(Path),\" \",DISTANCE(3,Price),\" \",rows(Way));
                 end."
            ));
            // Two steps of weight 2.
            assert_eq!(printed, "2 3 4 3\n", "{width} {moore}");
        }
    }
}

/// The labels of figure 5 of the source; `*` is a cell that the wave does not reach. The bold lines
/// are where labels of neighbours do not differ by 1.
const FIGURE: &str = "
    4  3  2  3  4  5  6  7  8  9
    3  2  1  2  3  4  5  6  7  8
    2  1  0  5  4  5  6  7  8  9
    3  2  7  6  5  6  7  8  9 10
    4  5  6  7  8  7  8  9 10 11
    5  6  7  8  9  *  9 10 11 12
    8  7  8  9 10 11 10 11 12 13
    9  8  9 10 11 12 13 12 13 14
   10 11 12 11 12 13 14 13 14 15
   11 12 13 12 13 14 15 14 15 16";

#[test]
fn the_figures_of_the_source_are_reproduced() {
    let figure: Vec<Option<i64>> =
        FIGURE.split_whitespace().map(|label| label.parse().ok()).collect();
    let is_open = |a: usize, b: usize| match (figure[a], figure.get(b)) {
        (Some(a), Some(Some(b))) => a.abs_diff(*b) == 1,
        (_, _) => false,
    };
    let right: Vec<bool> = (0..100).map(|at| at % 10 < 9 && is_open(at, at + 1)).collect();
    let down: Vec<bool> = (0..100).map(|at| is_open(at, at + 10)).collect();
    let number = |x: i64, y: i64| 10 * (y - 1) + x;
    let values = ends(
        "import \"star:wave\";
         procedure FIGURES(Right,Down,Goals: slice(n); robot: integer;
                           var Found,Third,Path: table);
         var On: slice(n); i: integer;
         begin
           WAVE(10,false,0,Right,Down,Goals,Found);
           TRACE(10,false,Right,Down,robot,Found,Path,On);
           WAVE(10,false,1,Right,Down,Goals,Third);  // to the corner: four waves
         end;",
        "FIGURES",
        vec![
            Value::Slice(BitVector::from_bools(&right)),
            Value::Slice(BitVector::from_bools(&down)),
            Value::Slice(BitVector::from_bools(
                &(1..=100).map(|at| at == number(3, 3)).collect::<Vec<bool>>(),
            )),
            Value::Int(number(9, 8)),
            Value::Unset,
            Value::Unset,
            Value::Unset,
        ],
    );
    let [.., Value::Table(found), Value::Table(fourth), Value::Table(path)] = &values[..] else {
        panic!("{values:?}")
    };
    let label = |table: &Table, cell: usize| {
        let bits = table.row(cell);
        let number = bits.iter().fold(0, |number, bit| number << 1 | i64::from(bit));
        (number < 127).then_some(number)
    };
    for (cell, &wanted) in figure.iter().enumerate() {
        assert_eq!(label(found, cell), wanted, "cell {cell}");
        // Figure 4: the cells reached by the first waves.
        assert_eq!(label(fourth, cell), wanted.filter(|&label| label <= 4), "cell {cell}");
    }
    assert_eq!(path.n_rows(), 13 + 1, "the length is the label of the robot");
    // The list of the source up to its eighth step: neighbours over open transitions, each label
    // one less.
    let list = [(9, 8), (9, 7), (8, 7), (7, 7), (7, 6), (7, 5), (6, 5), (6, 4), (5, 4)];
    for (pair, label) in list.windows(2).zip((0..13).rev()) {
        let [a, b] = [pair[0], pair[1]].map(|(x, y)| number(x, y) as usize - 1);
        assert_eq!(figure[b], Some(label));
        assert!(if a.abs_diff(b) == 1 { right[a.min(b)] } else { down[a.min(b)] });
    }
}

/// Returns the files of this kind in the folder of grids, if it exists.
fn grids() -> Option<Vec<PathBuf>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/grids");
    let files = fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    let mut maps: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|end| end == "map")).collect();
    maps.sort();
    Some(maps)
}

/// Reads a map independently: its width and which cells are free.
fn map(path: &Path) -> (usize, Vec<bool>) {
    let text = fs::read_to_string(path).expect("a map");
    let rows: Vec<&str> = text.lines().skip_while(|line| *line != "map").skip(1).collect();
    let free = rows.iter().flat_map(|row| row.chars()).map(|c| matches!(c, '.' | 'G' | 'S'));
    (rows[0].len(), free.collect())
}

/// Returns start, goal and length of the problems of a map.
fn problems(map: &Path) -> Vec<(Cell, Cell, f64)> {
    let text = fs::read_to_string(map.with_extension("map.scen")).expect("its problems");
    let problem = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let number = |idx: usize| fields[idx].parse::<usize>().expect("a number");
        let cell = |idx: usize| Cell { x: number(idx), y: number(idx + 1) };
        (cell(4), cell(6), fields[8].parse().expect("a length"))
    };
    text.lines().skip(1).filter(|line| !line.is_empty()).map(problem).collect()
}

#[expect(clippy::print_stdout, reason = "says what was not there")]
fn skip() {
    println!("skipped: no ../shared/data/grids");
}

#[test]
fn all_labels_of_the_scenario_files_agree_with_a_search() {
    let Some(maps) = grids() else { return skip() };
    let alone = Workers::new(Some(1), Workers::NEVER).unwrap();
    assert!(!maps.is_empty());
    for path in maps {
        let (width, free) = map(&path);
        let grid = Grid::of_cells(width, &free).unwrap();
        let problems = problems(&path);
        // All labels of goals spread over the map.
        for (start, goal, _) in problems.iter().step_by(problems.len() / 10 + 1) {
            for neighbourhood in BOTH {
                let expected = searched(width, &free, neighbourhood, goal.y * width + goal.x);
                let wave = Wave::spread(&grid, neighbourhood, &[*goal], None, &alone).unwrap();
                assert!(wave.labels().iter().eq(expected.iter().copied()), "{path:?} {goal:?}");
                let way = wave.path(&grid, *start).unwrap();
                assert_eq!(way.len(), expected[start.y * width + start.x] as usize + 1);
                let labels = way.iter().map(|cell| expected[cell.y * width + cell.x]);
                assert!(labels.rev().eq(0..way.len() as u32), "{path:?} {start:?} {goal:?}");
            }
        }
    }
}

#[test]
fn octile_lengths_match_the_scenario_files() {
    let Some(maps) = grids() else { return skip() };
    let alone = Workers::new(Some(1), Workers::NEVER).unwrap();
    for path in maps {
        let (width, free) = map(&path);
        let grid = Grid::of_cells(width, &free).unwrap();
        let problems = problems(&path);
        for (start, goal, length) in problems.iter().step_by(problems.len() / 6 + 1) {
            let (moore, costs) = (Neighbourhood::Moore, Costs::OCTILE);
            let weighed = Weighed::spread(&grid, moore, &[*goal], costs, &alone).unwrap();
            let way = weighed.path(&grid, moore, costs, *start).unwrap();
            let is_diagonal = |pair: &&[Cell]| pair[0].x != pair[1].x && pair[0].y != pair[1].y;
            let n_diagonal = way.windows(2).filter(is_diagonal).count();
            let n_straight = way.len() - 1 - n_diagonal;
            let found = n_straight as f64 + n_diagonal as f64 * f64::sqrt(2.0);
            // Some files give two decimals.
            assert!(
                (found - length).abs() < 0.006,
                "{path:?} {start:?} {goal:?}: {found} {length}"
            );
        }
    }
}
