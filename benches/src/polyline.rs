//! Polylines of maximal objective: the search of `star:polyline` alone, in turn with the source's O(d³) programme on vector
//! instructions, and the whole job from pixels.
//!
//! Pixels are noise: the work depends on places and sizes only. Scores are compared in each round.

use multiversion::multiversion;
use star_base::Random;
use star_intrinsics::polyline::{
    Geometry, Gradient, GreyImage, Guide, LinkScores, LinkTable, Pixel, Request, Search, trace,
};
use star_intrinsics::{Environment, Workers};

use crate::say::say;
use crate::timing::{median, milliseconds};

/// Rows and columns of the image.
const SIDE: usize = 1411;

const SEED: u64 = 3;

/// Degrees; the last is no limit.
const LIMITS: [usize; 2] = [45, 180];

/// The source's GTX 750 Ti, milliseconds with copies, no limit: p = 5 to 8, d = 128 to 1024.
const SOURCE: [[f64; 4]; 4] = [
    [1.9, 7.5, 53.1, 460.9],
    [2.5, 11.4, 88.5, 787.8],
    [3.6, 14.8, 108.1, 1004.4],
    [5.4, 22.0, 157.0, 1397.8],
];

/// Less than every score.
const NONE: i32 = i32::MIN;

/// One thread, and all that take part.
struct Crews([Workers<'static>; 2]);

/// What the search takes.
struct Instance {
    request: Request,
    geometry: Geometry,
    first: Vec<u32>,
    tables: Vec<LinkTable>,
    /// The same row by row.
    rows: Vec<Vec<u32>>,
    last: Vec<u32>,
}

/// All sizes up to d = `most`, each so often; medians.
pub(crate) fn run(most: usize, runs: usize, threads: usize) -> Result<(), String> {
    let crews = Crews([workers(1)?, workers(threads)?]);
    let image = noise().ok_or("no image")?;
    say!(
        "image {SIDE} x {SIDE}, seed {SEED}; medians of {runs}, ms; {threads} threads; guides are d - 1 pixels wide\n"
    );
    say!("search alone, from score tables\n");
    say!(
        "| p | d | limit | ours, 1 thread | ours | O(d³), vectors, 1 thread | O(d³) ÷ ours, 1 thread | source |"
    );
    say!("|---|---|---|---|---|---|---|---|");
    for_all(most, |n_nodes, d, limit| {
        let request = request(n_nodes, d, limit, AHEAD);
        let instance = Instance::new(&image, request, &crews.0[1])?;
        let [one, all, cubic] = instance.contest(runs, &crews)?;
        let source = source(n_nodes, d, limit);
        say!(
            "| {n_nodes} | {d} | {} | {one:.2} | {all:.2} | {cubic:.2} | {:.1} | {source} |",
            name(limit),
            cubic / one
        );
        Ok(())
    })?;
    say!("\nfrom pixels: gradient, link scores, search\n");
    say!(
        "| p | d | limit | along an axis, 1 thread | … | across, 1 thread | … | gradient | link scores | source, search only |"
    );
    say!("|---|---|---|---|---|---|---|---|---|---|");
    for_all(most, |n_nodes, d, limit| {
        let mut cells = Vec::new();
        for ends in [AHEAD, ACROSS] {
            let request = request(n_nodes, d, limit, ends);
            let times = crews.0.each_ref().map(|crew| -> Result<f64, String> {
                let times: Result<Vec<f64>, String> = (0..runs.max(1))
                    .map(|_| {
                        let (time, answers) = milliseconds(|| trace(&image, 0, &[request], crew));
                        answers.map_err(|ended| format!("{ended:?}"))?;
                        Ok(time)
                    })
                    .collect();
                times.map(median)
            });
            for time in times {
                cells.push(format!("{:.1}", time?));
            }
        }
        let parts = parts(&image, request(n_nodes, d, limit, AHEAD), &crews.0[1])?;
        cells.extend(parts.map(|time| format!("{time:.1}")));
        say!(
            "| {n_nodes} | {d} | {} | {} | {} |",
            name(limit),
            cells.join(" | "),
            source(n_nodes, d, limit)
        );
        Ok(())
    })
}

/// The ends of the segment: along the rows, and in between rows and columns.
const AHEAD: [(i64, i64); 2] = [(350, 705), (1050, 705)];
const ACROSS: [(i64, i64); 2] = [(425, 455), (985, 875)];

fn for_all(
    most: usize,
    mut one: impl FnMut(usize, usize, usize) -> Result<(), String>,
) -> Result<(), String> {
    for n_nodes in 5..=8 {
        for d in [128, 256, 512, 1024].into_iter().filter(|&d| d <= most) {
            for limit in LIMITS {
                one(n_nodes, d, limit)?;
            }
        }
    }
    Ok(())
}

fn request(n_nodes: usize, d: usize, limit: usize, ends: [(i64, i64); 2]) -> Request {
    let [a, b] = ends.map(|(x, y)| Pixel { x, y });
    Request { a, b, n_nodes, n_points: d, width: d - 1, max_turn: limit }
}

fn name(limit: usize) -> String {
    if limit == 180 { "none".to_owned() } else { format!("{limit}°") }
}

fn source(n_nodes: usize, d: usize, limit: usize) -> String {
    let time = SOURCE[n_nodes - 5][(d / 128).ilog2() as usize];
    if limit == 180 { format!("{time}") } else { "–".to_owned() }
}

fn workers(n: usize) -> Result<Workers<'static>, String> {
    Workers::new(Some(n), Workers::NEVER).map_err(|ended| format!("{ended:?}"))
}

/// An image of noise.
fn noise() -> Option<GreyImage> {
    let mut random = Random::new(SEED);
    let pixels = (0..SIDE * SIDE).map(|_| (random.next_u64() >> 56) as u8);
    GreyImage::new(SIDE, SIDE, pixels.collect())
}

/// What the gradient takes, and the scores of all links.
fn parts(image: &GreyImage, request: Request, crew: &Workers<'_>) -> Result<[f64; 2], String> {
    star_intrinsics::install(crew, || {
        let geometry = Geometry::new(&request, SIDE, SIDE)?;
        let (of_gradient, gradient) = milliseconds(|| Gradient::within(image, 0, &geometry, crew));
        let gradient = gradient?;
        let links = LinkScores::new(&gradient);
        let guides: Vec<Guide<'_>> = geometry.guides().collect();
        let (of_links, done) = milliseconds(|| {
            guides.windows(2).try_for_each(|two| links.table(&two[0], &two[1], crew).map(drop))
        });
        done.map(|()| [of_gradient, of_links])
    })
    .map_err(|ended| format!("{ended:?}"))
}

impl Instance {
    fn new(image: &GreyImage, request: Request, crew: &Workers<'_>) -> Result<Self, String> {
        star_intrinsics::install(crew, || {
            let geometry = Geometry::new(&request, SIDE, SIDE)?;
            let gradient = Gradient::within(image, 0, &geometry, crew)?;
            let links = LinkScores::new(&gradient);
            let guides: Vec<Guide<'_>> = geometry.guides().collect();
            let pixels: Vec<Vec<Pixel>> =
                guides.iter().map(Guide::pixels).collect::<Result<_, _>>()?;
            let (begin, end) = (&pixels[0], &pixels[pixels.len() - 1]);
            let rows = pixels.windows(2).map(|two| links.between(&two[0], &two[1], crew));
            let tables = guides.windows(2).map(|two| links.table(&two[0], &two[1], crew));
            let (rows, tables) =
                (rows.collect::<Result<_, _>>()?, tables.collect::<Result<_, _>>()?);
            let first = links.between(&[request.a], begin, crew)?;
            let last = links.between(end, &[request.b], crew)?;
            drop(guides);
            Ok(Instance { request, geometry, first, tables, rows, last })
        })
        .map_err(|ended| format!("{ended:?}"))
    }

    /// Ours on one thread and on all, and the source's programme, by turns.
    fn contest(&self, runs: usize, crews: &Crews) -> Result<[f64; 3], String> {
        let mut times: [Vec<f64>; 3] = Default::default();
        for _ in 0..runs.max(1) {
            let mut scores = [None; 3];
            for (which, crew) in crews.0.iter().enumerate() {
                let tables = self.tables.clone();
                let (time, score) = star_intrinsics::install(crew, || {
                    let (time, score) = milliseconds(|| self.search(tables, crew));
                    Ok((time, score?))
                })
                .map_err(|ended| format!("{ended:?}"))?;
                times[which].push(time);
                scores[which] = score;
            }
            let (time, score) = milliseconds(|| self.cubic());
            times[2].push(time);
            scores[2] = score.map_err(|ended| format!("{ended:?}"))?;
            if scores[0] != scores[2] || scores[1] != scores[2] {
                return Err(format!("{:?}: the scores differ: {scores:?}", self.request));
            }
        }
        Ok(times.map(median))
    }

    /// Our search.
    fn search(
        &self,
        tables: Vec<LinkTable>,
        crew: &dyn Environment,
    ) -> Result<Option<u32>, star_intrinsics::Ended> {
        let mut search = Search::new(self.geometry.turn(), self.request.n_points)?;
        let guide = self.geometry.guides().next();
        search.begin(guide.map(|guide| guide.inside).unwrap_or_default(), self.first.clone());
        for table in tables {
            search.extend(table, crew)?;
        }
        Ok(search.end(&self.last, crew)?.map(|found| found.score))
    }

    /// The source's programme: for each link all links before it that the limit admits. All points lie in the image.
    fn cubic(&self) -> Result<Option<u32>, star_intrinsics::Ended> {
        let d = self.request.n_points;
        let turn = self.geometry.turn();
        let most = d as i64 - 1;
        let offset = move |idx: usize| 2 * idx as i64 - most;
        let differences = (0..2 * d - 1).map(|idx| 2 * (idx as i64 - most));
        let before = turn.before(-most..most + 1, differences, |before| 2 * before)?;
        // For each point a row with the values of the links that end there.
        let mut values = vec![NONE; d * d];
        let mut next = vec![NONE; d * d];
        for (layer, scores) in self.rows.iter().enumerate() {
            for from in 0..d {
                for to in 0..d {
                    let link = to as i64 - from as i64;
                    let best = if layer == 0 {
                        let admits = turn.admits(offset(from), 2 * link);
                        if admits { self.first[from] as i32 } else { NONE }
                    } else {
                        let admitted = &before[(link + most) as usize];
                        // Its difference is `from` less the point it comes from.
                        let start = (from as i64 - (admitted.end - 1)).max(0) as usize;
                        let end = (from as i64 - admitted.start + 1).clamp(0, d as i64) as usize;
                        greatest(values[from * d..][..d].get(start..end).unwrap_or_default())
                    };
                    next[to * d + from] = best + scores[from * d + to] as i32;
                }
            }
            std::mem::swap(&mut values, &mut next);
        }
        let ended = (0..d).flat_map(|last| {
            let admits =
                move |from: usize| turn.admits(2 * (last as i64 - from as i64), -offset(last));
            let links =
                values[last * d..][..d].iter().enumerate().filter(move |&(from, _)| admits(from));
            links.map(move |(_, &value)| value + self.last[last] as i32)
        });
        Ok(ended.max().filter(|&best| best >= 0).map(|best| best as u32))
    }
}

/// The greatest number, or [`NONE`].
#[multiversion(targets(
    "x86_64+avx2+avx512bw+avx512dq+avx512f+avx512vl+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
fn greatest(numbers: &[i32]) -> i32 {
    numbers.iter().fold(NONE, |most, &number| most.max(number))
}
