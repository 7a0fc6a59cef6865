//! Polylines of maximal objective: the search of `star:polyline` alone, alternately with the
//! source's program in O(d³) on vector instructions, and the whole job from pixels.
//!
//! Pixels are noise: the work depends only on positions and sizes. Scores are compared in each
//! round.

use multiversion::multiversion;
use star_base::Random;
use star_intrinsics::polyline::{
    Geometry, Gradient, GreyImage, Guide, LinkScores, LinkTable, Pixel, Request, Search, Turn,
    trace,
};
use star_intrinsics::{Environment, Workers};

use crate::results::Figure;
use crate::timing::{median, milliseconds};

/// Rows and columns of the image.
const SIDE: usize = 1411;

const SEED: u64 = 3;

/// Maximum angles in degrees; the last is no limit.
const LIMITS: [usize; 2] = [45, 180];

/// Less than every score.
const NONE: i32 = i32::MIN;

/// One thread, and all that take part.
struct Crews([Workers<'static>; 2]);

/// What the search takes.
pub(crate) struct Instance {
    request: Request,
    geometry: Geometry,
    /// The scores of the links from a.
    pub(crate) first: Vec<u32>,
    tables: Vec<LinkTable>,
    /// The same row by row.
    pub(crate) rows: Vec<Vec<u32>>,
    last: Vec<u32>,
}

/// Measures the search alone for p = 8 on one thread and d points a guide.
///
/// # Errors
/// If the scores differ.
pub(crate) fn search(d: usize, runs: usize) -> Result<Vec<Figure>, String> {
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    let crews = Crews([workers(1)?, workers(n_threads)?]);
    let image = noise().ok_or("no image")?;
    let measure = |limit| {
        let instance = Instance::new(&image, request(d, limit, AHEAD), &crews.0[1])?;
        let [one, all, cubic] = instance.contest(runs, &crews)?.map(|time| time / 1e3);
        Ok(Figure {
            variants: [(format!("on {n_threads} threads"), all)].into(),
            ..Figure::new(&name(limit), ("d", d), one, &[("O(d³) on vectors, one thread", cubic)])
        })
    };
    LIMITS.into_iter().map(measure).collect()
}

/// Measures the whole job from pixels for p = 8, d points a guide, a limit of 45°: gradient, link
/// scores, search.
///
/// # Errors
/// If there is no memory.
pub(crate) fn from_pixels(d: usize, runs: usize) -> Result<Vec<Figure>, String> {
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    let crew = workers(n_threads)?;
    let image = noise().ok_or("no image")?;
    let measure = |(name, ends)| {
        let request = request(d, 45, ends);
        let times: Result<Vec<f64>, String> = (0..runs.max(1))
            .map(|_| {
                let (time, answers) = milliseconds(|| trace(&image, 0, &[request], &crew));
                answers.map_err(|ended| format!("{ended:?}"))?;
                Ok(time)
            })
            .collect();
        let [gradient, links] = parts(&image, request, &crew)?.map(|time| time / 1e3);
        Ok(Figure {
            threads: n_threads,
            variants: [
                ("gradient alone".to_owned(), gradient),
                ("link scores alone".to_owned(), links),
            ]
            .into(),
            ..Figure::new(name, ("d", d), median(times?) / 1e3, &[])
        })
    };
    [("along an axis", AHEAD), ("across", ACROSS)].into_iter().map(measure).collect()
}

/// The ends of the segment: along the rows, and between rows and columns.
const AHEAD: [(i64, i64); 2] = [(350, 705), (1050, 705)];
const ACROSS: [(i64, i64); 2] = [(425, 455), (985, 875)];

fn request(d: usize, limit: usize, ends: [(i64, i64); 2]) -> Request {
    let [a, b] = ends.map(|(x, y)| Pixel { x, y });
    Request { a, b, n_nodes: 8, n_points: d, width: d - 1, max_turn: limit }
}

fn name(limit: usize) -> String {
    if limit == 180 { "no angle limit".to_owned() } else { format!("at most {limit}°") }
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

/// Measures the gradient, and the scores of all links.
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
    /// The instance along an axis with d points a guide and a limit in degrees.
    pub(crate) fn along_an_axis(d: usize, limit: usize) -> Result<Self, String> {
        let image = noise().ok_or("no image")?;
        let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
        Instance::new(&image, request(d, limit, AHEAD), &workers(n_threads)?)
    }

    /// The limit of angles.
    pub(crate) fn turn(&self) -> Turn {
        self.geometry.turn()
    }

    /// The greatest score.
    pub(crate) fn score(&self) -> Result<Option<u32>, String> {
        let crew = workers(1)?;
        star_intrinsics::install(&crew, || self.search(self.tables.clone(), &crew))
            .map_err(|ended| format!("{ended:?}"))
    }

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

    /// Measures ours on one thread and on all, and the source's program, alternately.
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

    /// The source's program: for each link all links before it that the limit admits. All points
    /// lie in the image.
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
        Ok(self.best(&values))
    }

    /// The greatest score, given for each point of the last guide a row with the values of the
    /// links that end there.
    pub(crate) fn best(&self, values: &[i32]) -> Option<u32> {
        let (d, turn) = (self.request.n_points, self.geometry.turn());
        let most = d as i64 - 1;
        let offset = move |idx: usize| 2 * idx as i64 - most;
        let ended = (0..d).flat_map(|last| {
            let admits =
                move |from: usize| turn.admits(2 * (last as i64 - from as i64), -offset(last));
            let links =
                values[last * d..][..d].iter().enumerate().filter(move |&(from, _)| admits(from));
            links.map(move |(_, &value)| value + self.last[last] as i32)
        });
        ended.max().filter(|&best| best >= 0).map(|best| best as u32)
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
