//! Programs on a graphics card: device time between timestamps, run end to end from values on the
//! device to values on the device, and the way of values there and back; every result is that of
//! the CPU backend.

mod arcs;
mod cubic;
mod lines;
mod meshes;
mod polylines;
mod trees;
mod waves;

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use star::pipeline::backends::{Availability, BACKENDS, DeviceOptions, GpuMode};
use star::pipeline::{Compiled, LoadedRoutine, Machine, Printed};
use star_base::Random;
use star_gpu::{DeviceSettings, Gpu};
use star_value::{Argument, BitTable, BitVector, Value};
use star_vm::{CompileOptions, Control, Limits, Outcome, Stats};

use crate::closure::{acyclic, dense, shuffled, sparse};
use crate::instance::{SEED, int, ones, word};
use crate::program::{lowered, lowered_as};
use crate::results::Figure;
use crate::say::say;

/// Listings 1 and 2 of source 001, letter by letter.
const PUBLISHED: &str = include_str!("../../tests/programs/published/warshall.star");

/// Measures something at a size and prints it; returns the figures of jobs that have goals.
type Job = fn(&Bench, usize) -> Result<Vec<Figure>, String>;

/// The jobs by their names, with the sizes that they have by default.
const JOBS: &[(&str, usize, Job)] = &[
    ("costs", 64, Bench::costs),
    ("closure", 5000, Bench::closure),
    ("warshall", 5000, Bench::warshall),
    ("iterations", 1000, Bench::iterations),
    ("floyd", 5000, Bench::floyd),
    ("tables", 100_000_000, Bench::tables),
    ("lines", 1_000_000, Bench::lines),
    ("over-lines", 4096, Bench::over_lines),
    ("trees", 25, Bench::trees),
    ("waves", 1000, Bench::waves),
    ("weighed", 1000, Bench::weighed),
    ("arcs", 1000, Bench::arcs),
    ("meshes", 21, Bench::meshes),
    ("polylines", 1024, Bench::polylines),
];

/// Nanoseconds of work right before a run: clocks fall within a second without any, and take some
/// tenths to rise.
const BUSY: u64 = 400_000_000;

/// Words between 0 and the greatest length of an arc.
const LONGEST: usize = 100;

struct Bench {
    gpu: Machine,
    /// Likewise, with everything on the control unit.
    resident: Machine,
    cpu: Machine,
    /// The same adapter, for what is not a program.
    plain: Gpu,
    runs: usize,
    /// Are results compared with those of the CPU backend?
    compares: bool,
}

/// Milliseconds of a run.
#[derive(Clone, Copy)]
struct Sample {
    load: f64,
    run: f64,
    device: f64,
    back: f64,
    /// One run on the CPU backend, if results are compared.
    cpu: f64,
    stats: Stats,
}

impl Sample {
    /// A figure with the CPU backend, on all cores, as the peer.
    fn against_cpu(self, input: &str, size: (&str, usize)) -> Figure {
        let figure = self.figure(input, size.1);
        let peers = [("CPU backend", self.cpu / 1e3)];
        let peers = if self.cpu.is_nan() { &[][..] } else { &peers };
        Figure { variants: figure.variants, ..Figure::new(input, size, self.run / 1e3, peers) }
    }

    fn figure(self, input: &str, n: usize) -> Figure {
        let mut figure = Figure::new(input, ("n", n), self.run / 1e3, &[]);
        let parts = [("device", self.device), ("upload", self.load), ("read back", self.back)];
        figure.variants.extend(parts.map(|(name, time)| (name.to_owned(), time / 1e3)));
        figure
    }
}

/// `gpu JOB [N] [--runs N] [--adapter NAME] [--alone]`; all jobs without one.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let (mut plain, mut runs, mut adapter, mut compares) = (Vec::new(), 5, None, true);
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} wants a value"));
        match arg.as_str() {
            "--runs" => runs = value()?.parse().map_err(|_| "--runs wants a number")?,
            "--adapter" => adapter = Some(value()?.clone()),
            "--alone" => compares = false,
            _ => plain.push(arg.as_str()),
        }
    }
    let begun = Instant::now();
    let bench = Bench::open(adapter, runs, compares)?;
    let opened = milliseconds(begun);
    let device = bench.gpu.backend.caps().device;
    say!(
        "{device}; opened in {opened:.0} ms; seed {SEED}; medians of {runs} runs after one, milliseconds"
    );
    let wanted = plain.first().copied();
    if let Some(name) = wanted
        && !JOBS.iter().any(|(known, ..)| *known == name)
    {
        let names: Vec<&str> = JOBS.iter().map(|(name, ..)| *name).collect();
        return Err(format!("no job `{name}`; there are: {}", names.join(", ")));
    }
    for (name, usual, job) in JOBS.iter().filter(|(name, ..)| wanted.is_none_or(|it| it == *name)) {
        let n = plain.get(1).map_or(Ok(*usual), |text| text.parse());
        job(&bench, n.map_err(|_| format!("`{name}` wants a size"))?)?;
    }
    Ok(())
}

/// Returns the name and the driver of the graphics card.
///
/// # Errors
/// If there is none.
pub(crate) fn card() -> Result<String, String> {
    card_of(&Bench::open(None, 1, true)?)
}

fn card_of(bench: &Bench) -> Result<String, String> {
    let device = bench.gpu.backend.caps().device;
    // A driver for the processor is not a graphics card.
    match device.contains("llvmpipe") {
        true => Err("needs a graphics card".to_owned()),
        false => Ok(device),
    }
}

/// Figures of a job on a graphics card, by the name of the job among those of `gpu`.
pub(crate) fn figures(job: &str, sizes: &[usize]) -> Result<Vec<Figure>, String> {
    let bench = Bench::open(None, 5, true)?;
    let device = card_of(&bench)?;
    let (_, _, run) = JOBS.iter().find(|(name, ..)| *name == job).ok_or("no such job")?;
    let mut figures = Vec::new();
    for &n in sizes {
        figures.extend(run(&bench, n)?);
    }
    figures.iter_mut().for_each(|figure| figure.note.clone_from(&device));
    Ok(figures)
}

/// Writes every kernel as WGSL into a folder: the fixed ones, and those that the library and the
/// published listings become.
pub(crate) fn shaders(folder: &Path) -> Result<(), String> {
    let mut all = star_gpu::shaders();
    for (module, text) in star_stdlib::MODULES.iter().chain([&("published", PUBLISHED)]) {
        let mut program = lowered_as(&format!("star:{module}"), text);
        let options = star_opt::Options::without(&["idioms"]);
        let options = options.map_err(|error| format!("{error:?}"))?;
        star_opt::optimise(&mut program, &options).map_err(|error| format!("{error:?}"))?;
        let kernels = star_gpu::kernels(program).into_iter();
        all.extend(kernels.map(|(name, text)| (format!("{module}-{name}"), text)));
    }
    std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    for (name, text) in &all {
        let path = folder.join(format!("{name}.wgsl"));
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    say!("{} kernels in {}", all.len(), folder.display());
    Ok(())
}

impl Bench {
    fn open(adapter: Option<String>, runs: usize, compares: bool) -> Result<Self, String> {
        let open = |name: &str, mode: GpuMode| {
            let entry =
                BACKENDS.iter().find(|entry| entry.name == name).ok_or("no such backend")?;
            let wanted = DeviceOptions { adapter: adapter.as_deref(), mode };
            match entry.open_on(&wanted) {
                Availability::Ready(backend) => {
                    Ok(Machine { name: entry.name, backend, options: CompileOptions::default() })
                }
                Availability::Unavailable { reason } => Err(reason),
            }
        };
        let (gpu, resident) = (open("gpu", GpuMode::Auto)?, open("gpu", GpuMode::Resident)?);
        let cpu = open("cpu", GpuMode::Auto)?;
        let plain = Gpu::open(&DeviceSettings { adapter, ..DeviceSettings::default() })?;
        Ok(Bench { gpu, resident, cpu, plain, runs, compares })
    }

    /// A routine after all passes but those named.
    fn compiled(
        &self,
        machine: &Machine,
        text: &str,
        without: &[&str],
    ) -> Result<Compiled, String> {
        let mut program = lowered(text);
        let options = star_opt::Options::without(without).map_err(|error| format!("{error:?}"))?;
        star_opt::optimise(&mut program, &options).map_err(|error| format!("{error:?}"))?;
        machine.compile(program).map_err(|error| error.to_string())
    }

    /// Runs a routine a few times, and once on the CPU backend; a line about it.
    fn line(
        &self,
        about: &str,
        routine: (&str, &str, &[&str]),
        args: &[Value],
    ) -> Result<Sample, String> {
        self.line_on(&self.gpu, about, routine, args)
    }

    fn line_on(
        &self,
        machine: &Machine,
        about: &str,
        (text, name, without): (&str, &str, &[&str]),
        args: &[Value],
    ) -> Result<Sample, String> {
        let entry = lowered(text).find(name).ok_or("no such routine")?;
        let compiled = self.compiled(machine, text, without)?;
        let mut samples = Vec::new();
        let mut found = Vec::new();
        for round in 0..=self.runs {
            let begun = Instant::now();
            let given = args.iter().map(Argument::of).collect();
            let mut loaded = compiled.load(entry, given).map_err(|error| error.to_string())?;
            let load_time = milliseconds(begun);
            self.keep_busy()?;
            let begun = Instant::now();
            let stats = once(&mut loaded)?;
            let run = milliseconds(begun);
            let begun = Instant::now();
            found = loaded.values(&AtomicBool::new(false)).map_err(|error| error.to_string())?;
            let back = milliseconds(begun);
            let device = stats.counters.grid_nanoseconds as f64 / 1e6;
            if round > 0 || self.runs == 0 {
                let (load, cpu) = (load_time, f64::NAN);
                samples.push(Sample { load, run, device, back, cpu, stats });
            }
        }
        let cpu = if self.compares {
            self.on_cpu((text, name, without), args, &found)?
        } else {
            f64::NAN
        };
        samples.sort_by(|one, other| one.run.total_cmp(&other.run));
        let sample = Sample { cpu, ..samples[samples.len() / 2] };
        let Stats { intrinsics, counters: paths, .. } = sample.stats;
        say!(
            "{about}: run {:.3} (least {:.3}), device {:.3}, to the device {:.2}, back {:.2}; {} kernels, {intrinsics} intrinsics, {} buffers; cpu {cpu:.2}",
            sample.run,
            samples[0].run,
            sample.device,
            sample.load,
            sample.back,
            paths.grid_kernels,
            paths.grid_banks.max(1),
        );
        Ok(sample)
    }

    /// Milliseconds of the device and of a run, and its counts: the median by the first, of runs
    /// after one, again and again on the same values.
    fn median(&self, loaded: &mut LoadedRoutine) -> Result<(f64, f64, Stats), String> {
        once(loaded)?;
        let mut samples = Vec::new();
        for _ in 0..self.runs.max(1) {
            self.keep_busy()?;
            let begun = Instant::now();
            let stats = once(loaded)?;
            let device = stats.counters.grid_nanoseconds as f64 / 1e6;
            samples.push((device, milliseconds(begun), stats));
        }
        samples.sort_by(|one, other| one.0.total_cmp(&other.0));
        Ok(samples[samples.len() / 2])
    }

    fn keep_busy(&self) -> Result<(), String> {
        self.plain.keep_busy(BUSY).map_err(|error| error.to_string())
    }

    /// Milliseconds of one run on the CPU backend, whose results have to be the same.
    fn on_cpu(
        &self,
        (text, name, without): (&str, &str, &[&str]),
        args: &[Value],
        found: &[Value],
    ) -> Result<f64, String> {
        let entry = lowered(text).find(name).ok_or("no such routine")?;
        let compiled = self.compiled(&self.cpu, text, without)?;
        let given = args.iter().map(Argument::of).collect();
        let mut loaded = compiled.load(entry, given).map_err(|error| error.to_string())?;
        let begun = Instant::now();
        once(&mut loaded)?;
        let time = milliseconds(begun);
        let expected = loaded.values(&AtomicBool::new(false)).map_err(|error| error.to_string())?;
        match expected == found {
            true => Ok(time),
            false => Err(format!("{name}: the results differ from those of the CPU backend")),
        }
    }

    /// What a run costs that does next to nothing.
    fn costs(&self, n: usize) -> Result<Vec<Figure>, String> {
        let slice = || Value::Slice(BitVector::zeros(n));
        let nothing = "procedure P; begin end;";
        self.line("nothing", (nothing, "P", &[]), &[])?;
        let one = "procedure P(var X: slice); begin X(1):=1 end;";
        self.line("a bit of an argument", (one, "P", &[]), &[slice()])?;
        let local = "procedure P(var X: slice); var Y,Z: slice(X); begin SET(Y); Z:=X and Y; X:=Z xor Y end;";
        self.line("two locals", (local, "P", &[]), &[slice()])?;
        let printed =
            "procedure P(n: integer); var i: integer; begin for i:=1 to n do print(i) end;";
        let sample = self.line(&format!("{n} lines printed"), (printed, "P", &[]), &[int(n)])?;
        say!("  {:.4} ms a line", sample.run / n as f64);
        let loops = "procedure P(n: integer; var k: integer); var i: integer;
            begin k:=0; for i:=1 to n do if k<i then k:=k+2 end;";
        let most = 100_000;
        let sample =
            self.line(&format!("{most} iterations"), (loops, "P", &[]), &[int(most), int(0)])?;
        say!("  {:.4} µs each", sample.run * 1e3 / most as f64);
        Ok(Vec::new())
    }

    /// The intrinsic of the closure.
    fn closure(&self, n: usize) -> Result<Vec<Figure>, String> {
        let mut figures = Vec::new();
        for (name, graph) in graphs(n) {
            let args = [int(n), Value::from(graph)];
            let about = format!("closure, intrinsic, n = {n}, {name}");
            let sample = self.line(&about, (PUBLISHED, "WARSHALL", &[]), &args)?;
            figures.push(sample.figure(name, n));
        }
        Ok(figures)
    }

    /// Both listings, lifted.
    fn warshall(&self, n: usize) -> Result<Vec<Figure>, String> {
        let mut figures = Vec::new();
        for (name, graph) in graphs(n) {
            let args = [int(n), Value::from(graph)];
            for listing in ["WARSHALL", "WARSHALL-C"] {
                let about = format!("{listing} as published, lifted, n = {n}, {name}");
                let sample = self.line(&about, (PUBLISHED, listing, &["idioms"]), &args)?;
                figures.push(sample.figure(&format!("{listing}, {name}"), n));
            }
        }
        Ok(figures)
    }

    /// An iteration of the inner loop of WARSHALL on the control unit, one after another and as one
    /// instruction for all.
    fn iterations(&self, n: usize) -> Result<Vec<Figure>, String> {
        // Every vertex has an arc to the first half, so that each of n iterations of the outer loop
        // has n / 2 of the inner one.
        let mut graph = BitTable::zeros(n, n).map_err(|_| "no memory")?;
        (0..n).for_each(|row| (0..n / 2).for_each(|column| graph.put(row, column, true)));
        let half = ("half of all arcs", graph);
        // Elementary operations of an iteration of the inner loop, and of one of the outer loop
        // without these.
        for (listing, inner, outer) in [("WARSHALL", 5, 3), ("WARSHALL-C", 4, 3)] {
            let each = |about: &str, without: &[&str], graph: &BitTable| {
                let args = [int(n), Value::from(graph.clone())];
                let about = format!("{listing}, control unit, {about}, n = {n}");
                let sample =
                    self.line_on(&self.resident, &about, (PUBLISHED, listing, without), &args)?;
                let n_iterations = (sample.stats.operations - outer * n as u64) / inner;
                say!(
                    "  {:.3} µs for each of {n_iterations} iterations of the inner loop, {:.1} for each of the outer one; {} dispatches, {:.3} ms of the card",
                    sample.run * 1e3 / n_iterations as f64,
                    sample.run * 1e3 / n as f64,
                    sample.stats.counters.unit_dispatches,
                    sample.stats.counters.unit_nanoseconds as f64 / 1e6,
                );
                Ok::<(), String>(())
            };
            if n <= 1000 {
                each(&format!("one after another, {}", half.0), &["idioms", "lift"], &half.1)?;
            }
            for (name, graph) in std::iter::once(half.clone()).chain(graphs(n)) {
                each(&format!("all at once, {name}"), &["idioms"], &graph)?;
            }
        }
        Ok(Vec::new())
    }

    /// The intrinsic of FLOYD.
    fn floyd(&self, n: usize) -> Result<Vec<Figure>, String> {
        let mut figures = Vec::new();
        let text = "import \"star:paths\";
            procedure TRY(n,h: integer; inf: word; var D: table); begin FLOYD(n,h,inf,D) end;";
        let sums = 2 * n.max(2) * LONGEST;
        let h = usize::BITS as usize - sums.leading_zeros() as usize;
        // Its generator asks for each arc, and a full matrix takes no more time than another.
        for percent in if n > 8000 { &[100][..] } else { &[1, 100] } {
            let args = [int(n), int(h), word(u64::MAX, h), Value::from(lengths(n, h, *percent)?)];
            let about = format!("FLOYD, n = {n}, {h} bits, {percent} % of all arcs");
            let sample = self.line(&about, (text, "TRY", &[]), &args)?;
            let sums = (n as f64).powi(3);
            say!("  {:.2} · 10¹² sums a second of device time", sums / sample.device / 1e9);
            figures.push(sample.figure(&format!("{percent} % of all arcs"), n));
        }
        Ok(figures)
    }

    /// Operations on long tables of 32 columns.
    fn tables(&self, n: usize) -> Result<Vec<Figure>, String> {
        let table = |seed: u64| -> Result<Value, String> {
            let mut random = Random::new(seed);
            let mut table = BitTable::zeros(n, 32).map_err(|_| "no memory")?;
            for column in 0..32 {
                let limbs = table.column_limbs_mut(column);
                limbs.fill_with(|| random.next_u64());
                star_value::bits::zero_tail(limbs, n);
            }
            Ok(Value::from(table))
        };
        let text =
            "procedure M(T: table; X: slice; w: word; var Z: slice); begin MATCH(T,X,w,Z) end;
            procedure L(T: table; X: slice; w: word; var Z: slice); begin LESS(T,X,w,Z) end;
            procedure N(T: table; X: slice; w: word; var Z: slice); begin MIN(T,X,Z) end;
            procedure C(T: table; X: slice; w: word; var Z: slice; var k: integer);
            begin MATCH(T,X,w,Z); k:=NUMB(Z) end;
            procedure A(T: table; X: slice; w: word; var Z: slice; F: table; var R: table);
            begin ADDV(T,F,X,R) end;";
        let zeros = || Value::Slice(BitVector::zeros(n));
        let mut args = vec![table(SEED)?, ones(n), word(0x5a5a_1234, 32), zeros()];
        let mut figures = Vec::new();
        for (about, name) in [("MATCH", "M"), ("LESS", "L"), ("MIN", "N")] {
            figures.push(self.wide(about, (text, name), &args, (n, (33, 1)))?);
        }
        args.push(Value::Unset);
        figures.push(self.wide("MATCH and NUMB", (text, "C"), &args, (n, (33, 1)))?);
        args.pop();
        args.extend([
            table(SEED + 1)?,
            Value::from(BitTable::zeros(n, 32).map_err(|_| "no memory")?),
        ]);
        figures.push(self.wide("ADDV", (text, "A"), &args, (n, (65, 32)))?);
        Ok(figures)
    }

    /// A routine on lines so long that memory is all that counts, again and again on the same
    /// values, compared with a plain kernel that reads and writes as many columns.
    fn wide(
        &self,
        about: &str,
        (text, name): (&str, &str),
        args: &[Value],
        (n_rows, streams): (usize, (u32, u32)),
    ) -> Result<Figure, String> {
        let entry = lowered(text).find(name).ok_or("no such routine")?;
        let compiled = self.compiled(&self.gpu, text, &[])?;
        let given = args.iter().map(Argument::of).collect();
        let mut loaded = compiled.load(entry, given).map_err(|error| error.to_string())?;
        let (device, run, stats) = self.median(&mut loaded)?;
        let cpu = match self.compares {
            true => {
                let found = loaded.values(&AtomicBool::new(false));
                let found = found.map_err(|error| error.to_string())?;
                self.on_cpu((text, name, &[]), args, &found)?
            }
            false => f64::NAN,
        };
        drop(loaded);
        let rows = u32::try_from(n_rows).map_err(|_| "too many rows")?;
        let times = self.plain.plain_kernel(rows, streams, (BUSY, 20));
        let mut times = times.map_err(|error| error.to_string())?;
        times.sort_unstable();
        let plain = times[times.len() / 2] as f64 / 1e6;
        let bytes = f64::from(streams.0 + streams.1) * f64::from(rows) / 8.0;
        say!(
            "{about}, {rows} rows: device {device:.4}, run {run:.3}, {} kernels, {} buffers, {:.0} GB/s; plain {plain:.4}, {:.0} GB/s: {:.1} %; cpu {cpu:.2}",
            stats.counters.grid_kernels,
            stats.counters.grid_banks.max(1),
            bytes / device / 1e6,
            bytes / plain / 1e6,
            100.0 * plain / device,
        );
        let peers = [("a plain kernel with as many columns", plain / 1e3)];
        Ok(Figure::new(about, ("rows", n_rows), device / 1e3, &peers))
    }
}

/// One run to its end.
fn once(loaded: &mut LoadedRoutine) -> Result<Stats, String> {
    let flag = AtomicBool::new(false);
    let limits = Limits { steps: None, memory: None, output: None, depth: 1000 };
    let mut control = Control {
        interrupt: &flag,
        deadline: &flag,
        limits,
        host: &mut Printed::default(),
        profile: None,
        stats: Stats::default(),
    };
    match loaded.run(&mut control) {
        Outcome::Done => Ok(control.stats),
        other => Err(format!("the run ended with {other:?}")),
    }
}

/// The graphs of the figures.
fn graphs(n: usize) -> Vec<(&'static str, BitTable)> {
    let mut all = vec![("½", dense(n)), ("1.5 n arcs", sparse(n))];
    // Its generator asks for each arc.
    if n <= 10_000 {
        all.push(("acyclic", acyclic(n, shuffled(n))));
    }
    all
}

/// Arcs of random lengths with so many percent, in fields of `h` bits.
fn lengths(n: usize, h: usize, percent: usize) -> Result<BitTable, String> {
    let mut table = BitTable::zeros(n, n * h).map_err(|_| "no memory for the lengths")?;
    let mut random = Random::new(SEED);
    let mut numbers = vec![0; n];
    for to in 0..n {
        for (from, number) in numbers.iter_mut().enumerate() {
            *number = match from == to {
                true => 0,
                false if random.below(100) < percent => 1 + random.below(LONGEST) as u64,
                false => u64::MAX,
            };
        }
        for bit in 0..h {
            let column = table.column_limbs_mut(to * h + bit);
            for (limb, numbers) in column.iter_mut().zip(numbers.chunks(64)) {
                let bits = numbers.iter().enumerate();
                *limb =
                    bits.fold(0, |limb, (at, number)| limb | (number >> (h - 1 - bit) & 1) << at);
            }
        }
    }
    Ok(table)
}

fn milliseconds(begun: Instant) -> f64 {
    begun.elapsed().as_secs_f64() * 1e3
}
