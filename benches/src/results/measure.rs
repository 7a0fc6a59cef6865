//! The measurements of the jobs: quick sizes, or those of the goals.

use std::fs;
use std::num::NonZero;

use super::table::{Job, SECTIONS, Section};
use super::{Conditions, Figure, Row};
use crate::moving::Job as Moving;
use crate::peers::{self, Contests};
use crate::say::say;
use crate::trees::{Libcbt, Shape, compare_heaps};
use crate::{closure, dynamic, editor, front_end, gpu, moving, polyline, procedures, trees, wave};

const NO_DATA: &str = "needs the real data that `--shared DIR` names";

/// A run of measurements.
pub(super) struct Run {
    wanted: Vec<String>,
    is_full: bool,
    libcbt: Option<String>,
    contests: Contests,
    machine: String,
    commit: String,
    /// The current section, its wanted jobs, and its rows so far.
    section: Option<&'static Section>,
    jobs: Vec<&'static str>,
    rows: Vec<Row>,
}

type Figures = Result<Vec<Figure>, String>;

/// Takes a figure as soon as it is measured.
#[cfg(unix)]
type Each<'a> = &'a mut dyn FnMut(Figure);

impl Run {
    pub(super) fn new(
        wanted: Vec<String>,
        is_full: bool,
        libcbt: Option<String>,
        options: &[String],
    ) -> Result<Self, String> {
        let run = Run {
            wanted,
            is_full,
            libcbt,
            contests: Contests::new(options)?,
            machine: peers::machine_text(),
            commit: peers::commit(),
            section: None,
            jobs: Vec::new(),
            rows: Vec::new(),
        };
        match SECTIONS.iter().any(|section| section.jobs.iter().any(|job| run.wants(section, job)))
        {
            true => Ok(run),
            false => Err(format!("no job matches {}", run.wanted.join(", "))),
        }
    }

    fn wants(&self, section: &Section, job: &Job) -> bool {
        let is_it = |word: &String| word == section.name || job.name.contains(word.as_str());
        self.wanted.is_empty() || self.wanted.iter().any(is_it)
    }

    /// Measures all wanted jobs, and keeps the figures of each as soon as it is measured.
    pub(super) fn measure_all(&mut self) {
        for section in SECTIONS.iter() {
            let jobs = section.jobs.iter().filter(|job| self.wants(section, job));
            let jobs: Vec<&Job> = jobs.collect();
            (self.section, self.rows) = (Some(section), Vec::new());
            jobs.iter().for_each(|job| self.listed(job));
            self.jobs = jobs.iter().map(|job| job.name).collect();
            match section.name {
                _ if jobs.is_empty() => continue,
                "closure" => self.closure(),
                "paths" => {
                    let sizes = if self.is_full { &[5000, 16_384][..] } else { &[5000] };
                    self.job("Floyd on a graphics card", |_| gpu::figures("floyd", sizes));
                }
                "arcs" => {
                    let sizes = if self.is_full { &[1000, 2000][..] } else { &[1000] };
                    self.job("lists of arcs on a graphics card", |_| gpu::figures("arcs", sizes));
                }
                "dynamic" => self.dynamic(),
                "tables" => self.tables(),
                "cbt" => self.cbt(),
                "wave" => self.wave(),
                "polyline" => self.polyline(),
                "moving" => self.moving(),
                #[cfg(unix)]
                "commands" => self.commands(),
                #[cfg(unix)]
                "ranks" => self.ranks(),
                "front_end" => self.front_end(),
                _ => {}
            }
        }
    }

    /// Measures a job that passes each figure as soon as it is measured, which is kept at once: a
    /// run that ends early, or fails, keeps those before.
    #[cfg(unix)]
    fn one_by_one(&mut self, name: &str, measure: impl FnOnce(Each<'_>) -> Result<(), String>) {
        if !self.jobs.contains(&name) {
            return;
        }
        let mut figures = Vec::new();
        let measured = measure(&mut |figure| {
            figures.push(figure);
            self.add(name, Ok(figures.clone()));
        });
        if let Err(reason) = measured {
            match figures.is_empty() {
                true => self.add(name, Err(reason)),
                false => say!("{name}: incomplete: {reason}"),
            }
        }
    }

    /// Keeps the figures of a job, in place of earlier ones, and shows those that are new.
    fn add(&mut self, job: &str, figures: Figures) {
        let known = self.rows.iter().position(|row| row.job == job);
        let n_shown = known.map_or(0, |at| self.rows.swap_remove(at).figures.len());
        let figures = figures.and_then(|figures| match figures.is_empty() {
            true => Err("is measured with `--full` only".to_owned()),
            false => Ok(figures),
        });
        if let Err(reason) = &figures {
            say!("{job}: not measured: {reason}");
        }
        for figure in figures.iter().flatten().skip(n_shown) {
            let ratio = figure.ratio.map_or("–".to_owned(), |ratio| format!("{ratio:.3}"));
            say!("{job}: {}: {:.3e} s, ratio {ratio}", figure.input_text(), figure.ours);
        }
        let (figures, not_measured) = match figures {
            Ok(figures) => (figures.into_iter().map(Figure::rounded).collect(), None),
            Err(reason) => (Vec::new(), Some(reason)),
        };
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        let conditions = Conditions {
            machine: self.machine.clone(),
            load: load.split(' ').next().and_then(|load| load.parse().ok()).unwrap_or(0.0),
            commit: self.commit.clone(),
            date: peers::date(),
        };
        let conditions = not_measured.is_none().then_some(conditions);
        self.rows.push(Row { job: job.to_owned(), not_measured, figures, conditions });
        if let Some(section) = self.section
            && let Err(why) = super::keep(section, &self.rows)
        {
            say!("{job}: cannot keep the figures: {why}");
        }
    }

    fn job(&mut self, name: &str, measure: impl FnOnce(&mut Self) -> Figures) {
        if self.jobs.contains(&name) {
            let figures = measure(self);
            self.add(name, figures);
        }
    }

    /// Measures a job whose line in the table is sufficient.
    fn listed(&mut self, job: &Job) {
        let Some((how, inputs)) = job.measurement.split_once(": ") else { return };
        let (how, contest) = how.split_once(' ').unwrap_or((how, ""));
        let (how, threads) = how.split_once('@').unwrap_or((how, ""));
        let threads = threads.parse().ok();
        let n_cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        let figures = match how {
            "absent" => Err(inputs.to_owned()),
            _ if threads.is_some_and(|threads| threads > n_cores) => {
                Err(format!("needs {} cores", threads.unwrap_or(1)))
            }
            _ => {
                let (quick, full) = inputs.split_once("full: ").unwrap_or((inputs, ""));
                let full = if self.is_full { full } else { "" };
                let inputs = quick.split("; ").chain(full.split("; ")).filter(|it| !it.is_empty());
                let as_written = how == "as-written";
                self.contests.set_threads(threads);
                inputs.map(|input| self.contests.figure(contest, input, as_written)).collect()
            }
        };
        self.add(job.name, figures);
    }

    fn closure(&mut self) {
        let sizes = if self.is_full { &[1000, 2000, 5000][..] } else { &[1000, 2000] };
        let over = |kinds: &[&str], sizes: &[usize], measure: &dyn Fn(&str, usize) -> Figure| {
            let pairs = kinds.iter().flat_map(|kind| sizes.iter().map(move |&n| (*kind, n)));
            pairs.map(|(kind, n)| measure(kind, n)).collect::<Vec<Figure>>()
        };
        for listing in ["WARSHALL", "WARSHALL-C"] {
            let measure = |kind: &str, n| closure::published(listing, kind, n, 3);
            self.job(&format!("{listing} as published"), |_| {
                Ok(over(&closure::KINDS[..3], sizes, &measure))
            });
        }
        let sizes = [1000, 2000, 5000];
        let measure = |kind: &str, n| closure::intrinsic(kind, n, 5);
        let kinds = &closure::KINDS;
        for (name, kinds) in
            [("sparse", &kinds[..1]), ("dense", &kinds[1..2]), ("acyclic", &kinds[2..])]
        {
            self.job(&format!("closure of {name} graphs, intrinsic"), |_| {
                Ok(over(kinds, &sizes, &measure))
            });
        }
        self.job("closure of wiki-Vote, intrinsic", |run| {
            let path = run.contests.shared().ok_or(NO_DATA)?.join("graphs/wiki-Vote.txt");
            Ok(vec![closure::of_file("wiki-Vote", &path.to_string_lossy(), 5)?])
        });
        self.job("closure on all cores, intrinsic", |_| {
            Ok(over(&kinds[..2], &[20_000], &|kind, n| closure::on_all_threads(kind, n, 3)))
        });
        let sizes = if self.is_full { &[5000, 32_768][..] } else { &[5000] };
        self.job("closure on a graphics card", |_| gpu::figures("closure", sizes));
        let name = "WARSHALL as published on a graphics card";
        self.job(name, |_| gpu::figures("warshall", &[5000]));
    }

    fn dynamic(&mut self) {
        let (sizes, n_changes) =
            if self.is_full { ([2000, 5000], 1000) } else { ([500, 1000], 200) };
        let of = |measure: fn(usize, usize) -> Vec<Figure>| -> Figures {
            Ok(sizes.into_iter().flat_map(|n| measure(n, n_changes)).collect())
        };
        self.job("closure with trees after a change (Italiano)", |_| of(dynamic::closure));
        self.job("minimum spanning tree after a change", |_| of(dynamic::spanning_tree));
        self.job("shortest paths after a change", |_| of(dynamic::shortest_paths));
    }

    fn tables(&mut self) {
        let n_bits = if self.is_full { 1 << 26 } else { 1 << 22 };
        for name in ["MATCH, 32", "LESS, 32", "MIN, 32", "SETMIN, 2 × 8", "ADDV, 3 × 8"] {
            let (short, columns) = name.split_once(", ").unwrap_or((name, ""));
            self.job(&format!("{short} compared with a plain loop"), |_| {
                let figure = procedures::figure(&format!("{name} columns"), n_bits, 0.5)?;
                Ok(vec![Figure { input: format!("{columns} columns"), ..figure }])
            });
        }
        let n_rows = if self.is_full { 1_000_000_000 } else { 100_000_000 };
        self.job("tables on a graphics card", |_| gpu::figures("tables", &[n_rows]));
    }

    fn cbt(&mut self) {
        let depths = if self.is_full { &[17, 20, 25, 30][..] } else { &[17, 20, 25] };
        self.job("trees on a graphics card", |_| gpu::figures("trees", depths));
        let odd = if self.is_full { &[21, 25, 29][..] } else { &[21, 25] };
        self.job("meshes of a terrain on a graphics card", |_| gpu::figures("meshes", odd));
        let names = ["decode all leaves", "sum reduction", "reduce and decode, one core"];
        if !names.iter().any(|name| self.jobs.contains(name)) {
            return;
        }
        let depths = if self.is_full { &[10, 15, 17, 20, 23, 26][..] } else { &[10, 15, 17, 20] };
        let measure = || -> Result<[Vec<Figure>; 3], String> {
            let mut peer = self.libcbt.as_deref().map(Libcbt::start).transpose()?;
            peer.as_mut().map(compare_heaps).transpose()?;
            let mut all = [const { Vec::new() }; 3];
            for &depth in depths {
                for shape in [Shape::Perfect, Shape::Quarter, Shape::RandomQuarter] {
                    let figures = trees::measure(depth, shape, 5, &mut peer)?;
                    // The goal of the cycle is about D = 17.
                    let n_jobs = if depth <= 17 { 3 } else { 2 };
                    all[..n_jobs].iter_mut().zip(figures).for_each(|(all, it)| all.push(it));
                }
            }
            Ok(all)
        };
        let measured = measure();
        for (at, name) in names.into_iter().enumerate() {
            self.job(name, |_| measured.as_ref().map(|all| all[at].clone()).map_err(Clone::clone));
        }
    }

    fn wave(&mut self) {
        self.job("labels of generated maps", |run| {
            let mut figures = wave::generated(1000, 3)?;
            if run.is_full {
                figures.extend(wave::generated(10_000, 3)?);
            }
            Ok(figures)
        });
        self.job("labels of MovingAI maps", |run| {
            let folder = run.contests.shared().ok_or(NO_DATA)?.join("grids");
            let maps = ["maze512-8-0.map", "random512-20-0.map", "London_0_1024.map"];
            maps.iter().map(|map| wave::of_map(&folder.join(map), 3)).collect()
        });
        let sizes = if self.is_full { &[1000, 10_000][..] } else { &[1000] };
        self.job("labels on a graphics card", |_| gpu::figures("waves", sizes));
        self.job("prices of cells with weights on a graphics card", |_| {
            gpu::figures("weighed", sizes)
        });
    }

    fn polyline(&mut self) {
        let over = |measure: fn(usize, usize) -> Figures| -> Figures {
            let sizes: Result<Vec<_>, String> =
                [256, 512, 1024].map(|d| measure(d, 3)).into_iter().collect();
            Ok(sizes?.concat())
        };
        self.job("search, p = 8", |_| over(polyline::search));
        self.job("from pixels, p = 8", |_| over(polyline::from_pixels));
        let points = [256, 512, 1024];
        self.job("search on a graphics card", |_| gpu::figures("polylines", &points));
    }

    fn moving(&mut self) {
        let (n_objects, n_batches) = if self.is_full { (10_000_000, 400) } else { (1_000_000, 10) };
        let job = Moving { n_objects, n_batches, queries: true, hubs: false, peers: true };
        self.job("updates and queries, uniform", |_| Ok(vec![moving::measure(job)?]));
        let few = Moving { n_objects: 1_000_000, n_batches: 10, queries: false, ..job };
        self.job("updates alone, uniform", |_| Ok(vec![moving::measure(few)?]));
        self.job("updates and queries, hubs compared with uniform", |_| {
            let [hubs, uniform] =
                [true, false].map(|hubs| moving::measure(Moving { hubs, peers: false, ..job }));
            let (hubs, uniform) = (hubs?, uniform?.ours);
            let peers = [("ours, uniform".to_owned(), uniform)].into();
            Ok(vec![Figure { ratio: Some(uniform / hubs.ours), peers, ..hubs }])
        });
        self.job("moving objects on a graphics card", |_| {
            [false, true].map(|hubs| moving::on_card(Moving { hubs, ..job })).into_iter().collect()
        });
    }

    #[cfg(unix)]
    fn commands(&mut self) {
        for name in ["route on 1024² cells", "trace_line", "terrain, 60 frames"] {
            self.job(name, |_| Ok(vec![crate::commands::measure(name)?]));
        }
    }

    #[cfg(unix)]
    fn ranks(&mut self) {
        let (n, n_rows) = match self.is_full {
            true => (16_384, 500_000_000),
            false => (4096, 10_000_000),
        };
        let name = "WARSHALL as written, MATCH, three predicates";
        self.one_by_one(name, |each| {
            crate::ranks::searches(n_rows, each)?;
            crate::ranks::closure(n, each)
        });
        let scale = if self.is_full { 22 } else { 16 };
        self.one_by_one("breadth-first search", |each| crate::ranks::graphs(scale, &["BFS"], each));
        self.one_by_one("shortest paths, components", |each| {
            crate::ranks::graphs(scale, &["SSSP", "COMPONENTS"], each)
        });
        let (rows, n): (&[usize], usize) = match self.is_full {
            true => (&[1_000_000_000, 2_000_000_000, 4_000_000_000], 65_536),
            false => (&[10_000_000], 4096),
        };
        self.one_by_one("closure on ranks with a graphics card each", |each| {
            crate::ranks::closure_on_cards(n, each)
        });
        self.one_by_one("searches on ranks with a graphics card each", |each| {
            crate::ranks::searches_on_cards(rows, each)
        });
        self.one_by_one("iterations with one exchange", |each| crate::ranks::exchanges(each));
    }

    fn front_end(&mut self) {
        self.job("lex and parse", |_| {
            let [seconds, ..] = front_end::run(10);
            Ok(vec![Figure::new("copies of a library module", ("MB", 10), seconds, &[])])
        });
        #[cfg(unix)]
        self.job("`star check` of a program, with its start", |_| {
            Ok(vec![crate::commands::check()?])
        });
        self.job("answers of the language server", |_| editor::figures());
    }
}
