//! `star moving`: makes the updates of a stream of moving objects and answers the questions of another.

mod picture;
mod report;
mod sheet;

use std::io::{self, BufWriter, Write};
use std::time::{Duration, Instant};

use clap::Args;
use star_base::{Code, Diagnostic};
use star_bind::{Files, Observer};
use star_edge::exit::Exit;
use star_edge::failure::Failure;
use star_edge::files::{Console, Disk};
use star_edge::flags::Flags;
use star_edge::output::Output;
use star_edge::report::Reporter;
use star_io::moving::{MovingReader, Position, Window};
use star_io::{FileError, OutputRef, ReadOptions};
use star_natives::moving::{AnswerHash, Collector, MovingIndex, Point, Query, Rect, Update};
use star_natives::{Ended, Workers};

use crate::outlet::Outlet;
use crate::text;

pub(super) use self::sheet::Sheet;

/// Ids go so far if no number of objects is declared: the index of them takes 8 bytes each.
const MOST_OBJECTS: u32 = 1 << 28;

/// What `star moving` is told.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  star gen moving -n 100000 --updates 1000000 -o updates.csv --queries queries.csv
  star moving updates.csv queries.csv -o answers.csv
  star moving updates.moving queries.moving --hash
  star moving updates.csv queries.csv --hash --picture density.png")]
#[command(after_long_help = LONG_HELP)]
pub(crate) struct MovingArgs {
    /// The updates: `t,id,x,y` in a line, `t,id,,` for an object that is gone; or the binary form
    updates: String,

    /// The questions: `t,qid,x1,y1,x2,y2` in a line, borders included; or the binary form
    queries: Option<String>,

    /// The file for the answers, `t,qid,id` sorted; standard output if left out
    #[arg(short, long, value_name = "FILE", conflicts_with = "hash")]
    output: Option<String>,

    /// Say how many answers there are, and their hash, instead
    #[arg(long)]
    hash: bool,

    /// The number of objects: a greater id is an error
    #[arg(long, value_name = "N")]
    objects: Option<u32>,

    /// The area that is cut into cells; that of the first batch if left out
    #[arg(long, value_name = "X1,Y1,X2,Y2", value_parser = area, allow_hyphen_values = true)]
    area: Option<Rect>,

    /// A picture of where the objects are in the end, with the questions of the last batch
    #[arg(long, value_name = "FILE")]
    picture: Option<String>,

    /// Threads; one for each core if left out
    #[arg(long, value_name = "N")]
    threads: Option<usize>,

    /// No summary
    #[arg(short, long)]
    quiet: bool,
}

const LONG_HELP: &str = "\
`t` is the batch: a question sees the updates of all earlier batches and none of its own. Of several
updates of an object in a batch the last one counts. Time never runs backwards in either file.

The hash is the sum of mix64(qid * 2^32 + id) modulo 2^64, mix64 being the finaliser of splitmix64: it
does not depend on the order of the answers.

If a file is faulty, what was read before is kept: the updates are made, and the questions that see no
missing update are answered.
";

fn area(text: &str) -> Result<Rect, String> {
    let numbers: Option<Vec<i64>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    let corner = |x: i64, y: i64| Point::new(x, y).ok_or("a coordinate beyond ±1073741823");
    match numbers.as_deref() {
        Some(&[x1, y1, x2, y2]) => Ok(Rect::new(corner(x1, y1)?, corner(x2, y2)?)),
        _ => Err("four whole numbers, as in `0,0,1000,1000`".to_owned()),
    }
}

/// How long things took.
#[derive(Clone, Copy, Debug)]
struct Times {
    /// The index.
    index: Duration,
    /// Everything, reading and writing included.
    all: Duration,
}

/// What takes the answers of a batch to where they go.
trait Answers: Collector {
    /// The batch of this time is answered.
    fn batch(&mut self, time: i64, out: &mut dyn Write) -> io::Result<()>;
}

impl Answers for Vec<(u32, u32)> {
    fn batch(&mut self, time: i64, out: &mut dyn Write) -> io::Result<()> {
        self.sort_unstable();
        self.drain(..).try_for_each(|(number, id)| writeln!(out, "{time},{number},{id}"))
    }
}

impl Answers for AnswerHash {
    fn batch(&mut self, _: i64, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

/// Reads, makes the updates, answers.
///
/// # Errors
/// If a file cannot be read or is faulty, an output cannot be written, memory is short, or Ctrl-C came.
pub(crate) fn run(
    args: &MovingArgs,
    reporter: &Reporter,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let begin = Instant::now();
    let flags = Flags::default();
    if let Err(error) = flags.catch_interrupts() {
        let why = text::reason(&error);
        reporter.warning(&format!("Ctrl-C ends the run without a message: {why}"));
    }
    let console = Console { flags: &flags, reporter };
    let stop = || flags.stop().is_some();
    let workers = Workers::new(args.threads, &stop).map_err(|ended| failed(ended, &flags))?;
    let picture = args.picture.as_deref().map(|name| Outlet::new(name, &|_| Ok(()))).transpose()?;
    let mut sheet = args.output.as_deref().map(Sheet::new).transpose()?;

    let mut run = Run::new(args.area);
    let (faults, hash) = match (args.hash, &mut sheet) {
        (true, _) => {
            let mut hash = AnswerHash::default();
            (run.streams(args, &console, &workers, &mut hash, &mut io::sink())?, Some(hash))
        }
        (false, Some(sheet)) => {
            let mut out = BufWriter::with_capacity(1 << 16, sheet);
            writeln!(out, "{ANSWERS}").map_err(|error| cannot_write(args, &error))?;
            let faults = run.streams(args, &console, &workers, &mut Vec::new(), &mut out)?;
            out.flush().map_err(|error| cannot_write(args, &error))?;
            (faults, None)
        }
        (false, None) => {
            let mut out = Printed { output, waiting: format!("{ANSWERS}\n").into_bytes() };
            let faults = run.streams(args, &console, &workers, &mut Vec::new(), &mut out)?;
            // Whoever does not read on is told when the command ends.
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
        let drawn = picture::draw(&run.index, &run.last_queries);
        let (written, _) = outlet.write(OutputRef::Numbers(&drawn), &flags, output)?;
        written.into_iter().try_for_each(|file| file.commit())?;
    }
    if !args.quiet && !output.failed() {
        let times = Times { index: run.time, all: begin.elapsed() };
        report::outcome(&run.index.statistics(), times, reporter);
    }
    if faults.is_empty() {
        return Ok(Exit::Success);
    }
    let diagnostics: Vec<Diagnostic> = faults.iter().map(FileError::to_diagnostic).collect();
    Err(diagnostics.into())
}

/// The names of the fields of the answers.
const ANSWERS: &str = "t,qid,id";

/// The index, and what is kept for the end.
struct Run {
    index: MovingIndex,
    time: Duration,
    last_queries: Vec<Query>,
}

impl Run {
    fn new(area: Option<Rect>) -> Run {
        Run { index: MovingIndex::new(area), time: Duration::ZERO, last_queries: Vec::new() }
    }

    /// Works through both streams, and gives the faults of these: what was read before them is kept.
    fn streams<A: Answers>(
        &mut self,
        args: &MovingArgs,
        console: &Console<'_>,
        workers: &Workers<'_>,
        answers: &mut A,
        out: &mut dyn Write,
    ) -> Result<Vec<FileError>, Failure> {
        let (greatest, declared) = match args.objects {
            Some(n) => (n, true),
            None => (MOST_OBJECTS, false),
        };
        let mut updates = Disk.open(&args.updates)?;
        let mut goes_on = |n_read| {
            (updates.progress)(n_read);
            console.stop().is_none()
        };
        let mut options = ReadOptions::new(&args.updates, u64::MAX);
        options.size_hint = updates.n_bytes;
        options.progress = Some(&mut goes_on);
        let updates = MovingReader::open(&mut updates.input, &mut options, greatest, declared)?;
        match &args.queries {
            None => self.both(updates, None, console, workers, answers, out, args),
            Some(name) => {
                let mut queries = Disk.open(name)?;
                let mut goes_on = |n_read| {
                    (queries.progress)(n_read);
                    console.stop().is_none()
                };
                let mut options = ReadOptions::new(name, u64::MAX);
                options.size_hint = queries.n_bytes;
                options.progress = Some(&mut goes_on);
                let queries =
                    MovingReader::open(&mut queries.input, &mut options, u32::MAX, false)?;
                self.both(updates, Some(queries), console, workers, answers, out, args)
            }
        }
    }

    #[allow(clippy::too_many_arguments, reason = "two streams, an output, and who watches")]
    fn both<A: Answers>(
        &mut self,
        mut updates: MovingReader<'_, '_, Position>,
        mut queries: Option<MovingReader<'_, '_, Window>>,
        console: &Console<'_>,
        workers: &Workers<'_>,
        answers: &mut A,
        out: &mut dyn Write,
        args: &MovingArgs,
    ) -> Result<Vec<FileError>, Failure> {
        let (mut changes, mut questions) = (Vec::new(), Vec::new());
        let mut faults = Vec::new();
        loop {
            let next_updates = kept(updates.time(), &mut faults).flatten();
            let n_faults = faults.len();
            let next_queries = match &mut queries {
                Some(queries) => kept(queries.time(), &mut faults).flatten(),
                None => None,
            };
            // Behind a fault of the updates, a question of a later time would not see all it has to; behind one of the
            // questions, no update matters.
            let is_blind = n_faults > 0 && next_queries > updates.last_time();
            let Some(time) = [next_updates, next_queries].into_iter().flatten().min() else {
                break;
            };
            if faults.len() > n_faults || is_blind {
                break;
            }
            changes.clear();
            questions.clear();
            if next_updates == Some(time) {
                let taken = updates.batch(|Position { id, at }| {
                    // The reader has seen to the range.
                    let to = at.and_then(|[x, y]| Point::new(x.into(), y.into()));
                    changes.push(Update { id, to });
                });
                kept(taken, &mut faults);
            }
            if let Some(queries) = &mut queries
                && next_queries == Some(time)
            {
                kept(queries.batch(|window| questions.extend(query(window))), &mut faults);
            }
            let begin = Instant::now();
            let done = self.index.period(&changes, &questions, answers, workers);
            done.map_err(|ended| failed(ended, console.flags))?;
            self.time += begin.elapsed();
            answers.batch(time, out).map_err(|error| cannot_write(args, &error))?;
            if !questions.is_empty() {
                std::mem::swap(&mut self.last_queries, &mut questions);
            }
        }
        let interrupted = faults.iter().position(|fault| fault.code == Code::Interrupted);
        match interrupted {
            Some(idx) => Err(faults.swap_remove(idx).into()),
            None => Ok(faults),
        }
    }
}

/// A question; `None` if its rectangle holds nothing.
fn query(window: Window) -> Option<Query> {
    let Window { number, low: [x1, y1], high: [x2, y2] } = window;
    let low = Point::new(x1.into(), y1.into())?;
    let high = Point::new(x2.into(), y2.into())?;
    (x1 <= x2 && y1 <= y2).then(|| Query { number, range: Rect::new(low, high) })
}

/// What was read; a fault is kept.
fn kept<T>(read: Result<T, FileError>, faults: &mut Vec<FileError>) -> Option<T> {
    read.map_err(|fault| faults.push(fault)).ok()
}

fn failed(ended: Ended, flags: &Flags) -> Failure {
    let diagnostic = match ended {
        Ended::Interrupted => {
            Diagnostic::new(flags.stop().unwrap_or(Code::Interrupted), "interrupted")
        }
        Ended::OutOfMemory => {
            Diagnostic::new(Code::DoesNotFit, "there is no memory for the index of so many objects")
        }
        Ended::Internal(why) => Diagnostic::new(Code::Internal, why),
    };
    diagnostic.into()
}

fn cannot_write(args: &MovingArgs, error: &io::Error) -> FileError {
    let name = args.output.as_deref().unwrap_or("standard output");
    FileError::new(Code::CannotWrite, name, format!("cannot write: {}", text::reason(error)))
}

/// Standard output, a buffer at a time.
struct Printed<'a> {
    output: &'a mut Output,
    waiting: Vec<u8>,
}

impl Write for Printed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.waiting.extend_from_slice(bytes);
        if self.waiting.len() >= 1 << 16 {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.write(&String::from_utf8_lossy(&self.waiting));
        self.waiting.clear();
        Ok(())
    }
}
