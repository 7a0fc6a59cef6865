//! `star moving`: applies a stream of updates to moving objects and answers a stream of queries.

mod batches;
mod objects;
mod picture;
mod report;

use std::collections::VecDeque;
use std::io::{self, BufWriter, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use star_base::{Code, Diagnostic};
use star_bind::encoding;
#[cfg(feature = "gpu")]
use star_intrinsics::moving::{AnswerForm, BatchAnswers};
use star_intrinsics::moving::{AnswerHash, Collector, Point, Query, Rect};
use star_intrinsics::{Ended, Workers};
use star_io::moving::NumberLimit;
use star_io::{FileError, Format, OutputRef};
use star_os::destination::Destination;
use star_os::exit::Exit;
use star_os::failure::{Failure, internal};
use star_os::flags::Flags;
use star_os::incremental_file::Sheet;
use star_os::output::Output;
use star_os::report::Reporter;
use star_os::size_args::{available_memory, parse_size, parse_time_limit};
use star_os::watchdog::Sentry;

use self::batches::{Batch, Streams};
use self::objects::{BACKENDS, Objects};
use crate::output_target::Outlet;
use crate::text;

/// Greatest id if the number of objects is not declared: their index uses 8 bytes each.
const MOST_OBJECTS: u32 = 1 << 28;

/// Arguments of `star moving`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  star gen moving -n 100000 --updates 1000000 -o u.csv --queries q.csv
  star moving u.csv q.csv -o answers.csv
  star moving u.moving q.moving --hash
  star moving u.csv q.csv --hash --picture density.png")]
#[command(after_long_help = LONG_HELP)]
pub(crate) struct MovingArgs {
    /// Updates: lines `t,id,x,y`, or `t,id,,` to remove an object; or binary
    updates: String,

    /// Queries: lines `t,qid,x1,y1,x2,y2`, borders included; or binary
    queries: Option<String>,

    /// Write the result to FILE
    ///
    /// The answers are lines `t,qid,id`, sorted. Defaults to standard output.
    #[arg(short, long = "out", alias = "output", value_name = "FILE", conflicts_with = "hash")]
    output: Option<String>,

    /// Print the number and the hash of the answers instead
    #[arg(long)]
    hash: bool,

    /// Set the number of objects; greater ids are errors
    #[arg(long, value_name = "N")]
    objects: Option<u32>,

    /// Set the area divided into cells; by default that of the first batch
    #[arg(long, value_name = "X1,Y1,X2,Y2", value_parser = area, allow_hyphen_values = true)]
    area: Option<Rect>,

    /// Draw the final positions and the last batch of queries to FILE
    #[arg(long, value_name = "FILE")]
    picture: Option<String>,

    /// Set the number of threads, at most four for each core
    ///
    /// Defaults to one for each core.
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    threads: Option<usize>,

    /// Select the backend
    ///
    /// `gpu` keeps the objects on a graphics card.
    #[arg(long, value_name = "NAME", default_value = BACKENDS[0], value_parser = BACKENDS)]
    backend: String,

    /// Select the graphics adapter of `gpu` by part of its name
    #[arg(long, value_name = "NAME")]
    adapter: Option<String>,

    /// Do not print a summary
    #[arg(short, long)]
    quiet: bool,

    /// Limit the bytes of the index, current batches and answers
    ///
    /// Accepts `1000`, `64K`, `512M` or `2G`; checked between batches. Defaults to three quarters
    /// of the available memory.
    #[arg(long, value_name = "SIZE", value_parser = parse_size, help_heading = "Limits")]
    max_memory: Option<u64>,

    /// Limit the time from the first input file on: `5`, `5s`, `200ms`, `2m`
    #[arg(long, value_name = "TIME", value_parser = parse_time_limit, help_heading = "Limits")]
    max_time: Option<Duration>,
}

const LONG_HELP: &str = "\
`t` is the batch: a query sees the updates of all earlier batches, but none of
the same batch. If a batch contains several updates of an object, the last one
counts. Timestamps must not decrease in either file.

The hash is the sum of mix64(qid * 2^32 + id) modulo 2^64, where mix64 is the
finaliser of splitmix64. It does not depend on the order of the answers.

After a fault in the updates, the preceding updates are applied, and the queries
that miss no update are answered. After a fault in the queries, the preceding
queries are answered, and the command ends with their batch.

The next batch is read while one is processed.
";

fn area(text: &str) -> Result<Rect, String> {
    let numbers: Option<Vec<i64>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    let corner = |x: i64, y: i64| Point::new(x, y).ok_or("coordinates must be within ±1073741823");
    match numbers.as_deref() {
        Some(&[x1, y1, x2, y2]) if x1 > x2 || y1 > y2 => {
            let (name, least, greatest) = if x1 > x2 { ("X", x1, x2) } else { ("Y", y1, y2) };
            Err(format!("{name}1 is {least}, greater than {name}2, which is {greatest}"))
        }
        Some(&[x1, y1, x2, y2]) => Ok(Rect::new(corner(x1, y1)?, corner(x2, y2)?)),
        _ => Err("expected four integers, as in `0,0,1000,1000`".to_owned()),
    }
}

/// Maximum number of threads for each core.
const THREADS_PER_CORE: usize = 4;

fn parse_threads(text: &str) -> Result<usize, String> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let most = THREADS_PER_CORE * cores;
    match text.parse() {
        Ok(n) if (1..=most).contains(&n) => Ok(n),
        _ => Err(format!("expected a number from 1 to {most}: {THREADS_PER_CORE} for each core")),
    }
}

/// Durations of the parts.
#[derive(Clone, Copy, Debug)]
struct Times {
    /// The index.
    index: Duration,
    /// Everything, including input and output.
    all: Duration,
}

/// Collects the answers of a batch and passes them on.
trait Answers: Collector {
    /// Ends the batch with this timestamp.
    fn batch(&mut self, time: i64, out: &mut dyn Write) -> io::Result<()>;

    /// Returns the memory used in bytes.
    fn n_bytes(&self) -> u64;

    /// The form in which a graphics card returns answers.
    #[cfg(feature = "gpu")]
    const FORM: AnswerForm;

    /// Adds answers.
    #[cfg(feature = "gpu")]
    fn add(&mut self, answers: BatchAnswers);
}

impl Answers for Vec<(u32, u32)> {
    fn batch(&mut self, time: i64, out: &mut dyn Write) -> io::Result<()> {
        self.sort_unstable();
        self.drain(..).try_for_each(|(number, id)| writeln!(out, "{time},{number},{id}"))
    }

    fn n_bytes(&self) -> u64 {
        (self.capacity() * size_of::<(u32, u32)>()) as u64
    }

    #[cfg(feature = "gpu")]
    const FORM: AnswerForm = AnswerForm::Pairs;

    #[cfg(feature = "gpu")]
    fn add(&mut self, answers: BatchAnswers) {
        match answers {
            BatchAnswers::Pairs(pairs) => self.absorb(pairs),
            BatchAnswers::Hash(_) => {}
        }
    }
}

impl Answers for AnswerHash {
    fn batch(&mut self, _: i64, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn n_bytes(&self) -> u64 {
        0
    }

    #[cfg(feature = "gpu")]
    const FORM: AnswerForm = AnswerForm::Hash;

    #[cfg(feature = "gpu")]
    fn add(&mut self, answers: BatchAnswers) {
        match answers {
            BatchAnswers::Pairs(_) => {}
            BatchAnswers::Hash(hash) => self.absorb(hash),
        }
    }
}

/// Reads the streams, applies updates and answers queries.
///
/// # Errors
/// If a file cannot be read or is invalid, output cannot be written, a limit is exceeded, or on
/// Ctrl-C.
pub(crate) fn run(
    args: &MovingArgs,
    reporter: &Reporter,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let flags = Flags::default();
    flags.catch_or_warn(reporter, "the run without a message");
    output.stop_at(&flags);
    let _clock = args.max_time.map(|time| Sentry::clock(&flags, time)).transpose()?;
    let answered = answer(args, &flags, reporter, output).map_err(Failure::with_limit_options);
    // The time limit includes the output.
    output.flush();
    answered
}

fn answer(
    args: &MovingArgs,
    flags: &Flags,
    reporter: &Reporter,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let begin = Instant::now();
    let stop = || flags.stop().is_some();
    let workers = Workers::at_most(args.threads, &stop).map_err(|ended| failed(ended, flags))?;
    let picture = args.picture.as_deref().map(|name| Outlet::new(name, &is_picture)).transpose()?;
    let place = |name: &str| Destination::with_extension(Path::new(name), name, &["csv"]);
    let place = args.output.as_deref().map(place).transpose()?;
    let mut sheet = place.map(|place| Sheet::at(place, flags)).transpose()?;

    let max_bytes = args.max_memory.unwrap_or_else(|| available_memory() / 4 * 3);
    let streams = Streams {
        updates: &args.updates,
        queries: args.queries.as_deref(),
        limit: args.objects.map_or(NumberLimit::Undeclared(MOST_OBJECTS), NumberLimit::Declared),
        max_bytes,
        flags,
    };
    let index = Objects::on(&args.backend, args.adapter.as_deref(), args.area)?;
    let (time, last_queries) = (Duration::ZERO, Vec::new());
    let begun = VecDeque::new();
    let mut run = Run { index, begun, time, last_queries, max_bytes, flags, workers: &workers };
    let (faults, hash) = match (args.hash, &mut sheet) {
        (true, _) => {
            let mut hash = AnswerHash::default();
            (run.answer(&streams, &mut hash, &mut io::sink(), None)?, Some(hash))
        }
        (false, Some(sheet)) => {
            let place = sheet.place().clone();
            let mut out = BufWriter::with_capacity(1 << 16, sheet);
            let faults = run.answer(&streams, &mut Vec::new(), &mut out, Some(&place))?;
            out.flush().map_err(|error| place.cannot(&error))?;
            (faults, None)
        }
        (false, None) => {
            let mut out = BufWriter::with_capacity(1 << 16, &mut *output);
            // Write errors are reported when the command ends.
            let faults = run.answer(&streams, &mut Vec::new(), &mut out, None)?;
            let _ = out.flush();
            (faults, None)
        }
    };
    if let Some(sheet) = sheet {
        sheet.commit()?;
    }
    if let Some(hash) = hash {
        output.write(&format!("answers {}\nhash {}\n", hash.hits, hash.hash));
    }
    if let Some(outlet) = picture {
        let points = run.index.points(flags)?;
        let drawn = picture::draw(run.index.area(), &points, &run.last_queries);
        let (written, _) = outlet.write(OutputRef::Numbers(&drawn), flags, output)?;
        written.into_iter().try_for_each(|file| file.commit())?;
    }
    if !args.quiet && !output.failed() {
        let times = Times { index: run.time, all: begin.elapsed() };
        report::outcome(&run.index.statistics(flags)?, times, reporter);
    }
    if faults.is_empty() {
        return Ok(Exit::Success);
    }
    let diagnostics: Vec<Diagnostic> = faults.iter().map(FileError::to_diagnostic).collect();
    Err(diagnostics.into())
}

/// Rejects formats that cannot hold the picture.
fn is_picture(format: Format) -> Result<(), FileError> {
    if matches!(format, Format::Png | Format::Ppm) {
        return Ok(());
    }
    Err(encoding::cannot_hold("the picture", format))
}

/// Header of the answers.
const ANSWERS: &str = "t,qid,id";

/// The index and the data for the summary.
struct Run<'a> {
    index: Objects,
    /// Timestamps of the batches whose answers were not written yet.
    begun: VecDeque<i64>,
    time: Duration,
    last_queries: Vec<Query>,
    max_bytes: u64,
    flags: &'a Flags,
    workers: &'a Workers<'a>,
}

impl Run<'_> {
    /// Processes both streams and returns their faults; what was read before a fault is kept.
    /// Without a destination, an output error ends the run and the owner of the output reports it.
    fn answer<A: Answers>(
        &mut self,
        streams: &Streams<'_>,
        answers: &mut A,
        out: &mut dyn Write,
        place: Option<&Destination>,
    ) -> Result<Vec<FileError>, Failure> {
        // The header is written with the first answers, so that streams without a readable batch
        // produce no output.
        let mut has_header = false;
        let mut write = |run: &mut Self, answers: &mut A, out: &mut dyn Write| {
            while run.index.take_answers(answers) {
                let time = run.begun.pop_front().unwrap_or_default();
                let head = match std::mem::replace(&mut has_header, true) {
                    true => Ok(()),
                    false => writeln!(out, "{ANSWERS}"),
                };
                match (head.and_then(|()| answers.batch(time, out)), place) {
                    (Ok(()), _) => {}
                    (Err(error), Some(place)) => return Err(place.cannot(&error).into()),
                    (Err(_), None) => return Ok(ControlFlow::Break(())),
                }
            }
            Ok::<_, Failure>(ControlFlow::Continue(()))
        };
        let mut faults = streams.for_each(|batch| {
            match batch {
                Some(batch) => self.period(batch, answers)?,
                None => self.finish()?,
            }
            write(self, answers, out)
        })?;
        let stopped = |fault: &FileError| matches!(fault.code, Code::Interrupted | Code::TimeLimit);
        if let Some(idx) = faults.iter().position(stopped) {
            return Err(faults.swap_remove(idx).into());
        }
        self.finish()?;
        if write(self, answers, out)?.is_break() || has_header || !faults.is_empty() {
            return Ok(faults);
        }
        match (writeln!(out, "{ANSWERS}"), place) {
            (Err(error), Some(place)) => Err(place.cannot(&error).into()),
            (Ok(()), _) | (Err(_), None) => Ok(faults),
        }
    }

    /// Completes all batches.
    fn finish(&mut self) -> Result<(), Failure> {
        let begin = Instant::now();
        self.index.finish(self.flags)?;
        self.time += begin.elapsed();
        Ok(())
    }

    fn period<A: Answers>(&mut self, batch: &mut Batch, answers: &mut A) -> Result<(), Failure> {
        // The next batch is being read meanwhile.
        let of_batches = 2 * batch.n_bytes();
        self.check_memory(self.index.n_bytes_with(batch.greatest) + of_batches)?;
        let begin = Instant::now();
        let Batch { changes, questions, time, .. } = batch;
        self.index.period(changes, questions, answers, self.workers, self.flags)?;
        self.begun.push_back(*time);
        self.time += begin.elapsed();
        self.check_memory(self.index.n_bytes() + of_batches + answers.n_bytes())?;
        if !questions.is_empty() {
            std::mem::swap(&mut self.last_queries, questions);
        }
        Ok(())
    }

    fn check_memory(&self, n_bytes: u64) -> Result<(), Failure> {
        if n_bytes <= self.max_bytes {
            return Ok(());
        }
        let (needed, budget) = text::bytes_and_budget(n_bytes, self.max_bytes);
        let message =
            format!("the moving objects need {needed} of memory, but the budget is {budget}");
        Err(Diagnostic::new(Code::DoesNotFit, message).into())
    }
}

fn failed(ended: Ended, flags: &Flags) -> Failure {
    let diagnostic = match ended {
        Ended::Interrupted => match flags.stop() {
            Some(Code::TimeLimit) => Diagnostic::new(Code::TimeLimit, "the time is up"),
            Some(_) | None => Diagnostic::new(Code::Interrupted, "interrupted"),
        },
        Ended::OutOfMemory => Diagnostic::new(
            Code::DoesNotFit,
            "not enough memory for an index of this number of \
                objects",
        ),
        Ended::Internal(fault) => internal(fault),
    };
    diagnostic.into()
}
