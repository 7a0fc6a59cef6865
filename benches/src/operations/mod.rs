//! One operation of each kind, as a program carries it out.
//!
//! * `list`: the operations. `values`: what they work on. `reading`: the speed of plain reading.
//!   `plain`: a plain loop over as many lines.
//!
//! Operations are measured one by one, without batches (Note [Batches] of the CPU backend): in a
//! loop that never asks for a result they would work on strips in the caches. Library procedures
//! are measured as programs have them; each iteration asks for a bit of the result, so that
//! nothing is pending when the next one begins.

mod list;
mod plain;
mod reading;
mod values;

use star_value::Value;
use star_vm::Cpu;
use star_vm::cpu::Settings;
use star_vm::kernels::Kernels;

use crate::program::{Compiled, median};
use crate::results::Figure;
use crate::say::say;
use list::{OPERATIONS, Operation, OperationGroup};
use plain::Streams;
use reading::{Amount, Buffer, Reading};

/// Rounds of which the median counts, after one that does not count.
const ROUNDS: usize = 5;

/// Rounds of an operation that takes long.
const LEAST_ROUNDS: usize = 3;

/// Iterations of the loop in a round at most.
const MOST_ITERATIONS: f64 = 1e6;

/// Bits of the shortest slices.
const SHORTEST: usize = 1000;

/// What to measure.
pub(crate) struct Options<'a> {
    /// Bits of the longest slices.
    pub(crate) max_bits: usize,
    /// Those operations only whose name contains this.
    pub(crate) name: &'a str,
    /// Seconds for one operation at one length; long ones take as much as three iterations of them
    /// do.
    pub(crate) seconds: f64,
}

impl<'a> Options<'a> {
    /// Reads `[BITS [NAME]] [--time SECONDS]`; `None` if it is something else.
    pub(crate) fn of(args: &'a [String]) -> Option<Self> {
        let mut options = Options { max_bits: 1_000_000_000, name: "", seconds: 0.5 };
        let mut plain = Vec::new();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--time" => options.seconds = args.next()?.parse().ok().filter(|s| *s > 0.0)?,
                arg => plain.push(arg),
            }
        }
        let (bits, name) = match plain[..] {
            [] => return Some(options),
            [bits] => (bits, ""),
            [bits, name] => (bits, name),
            _ => return None,
        };
        let max_bits = bits.parse().ok().filter(|bits| *bits >= SHORTEST)?;
        Some(Options { max_bits, name, ..options })
    }
}

/// Times every operation on 10³, 10⁴ … bits.
///
/// # Errors
/// If no operation has such a name, or the system has no threads.
pub(crate) fn run(options: &Options<'_>) -> Result<(), String> {
    let wanted: Vec<&Operation> =
        OPERATIONS.iter().filter(|operation| operation.name.contains(options.name)).collect();
    if wanted.is_empty() {
        let names: Vec<&str> = OPERATIONS.iter().map(|operation| operation.name).collect();
        return Err(format!("no operation is called {}: {}", options.name, names.join("; ")));
    }
    let bench = Bench::new(options.seconds);
    let threads = bench.library.threads();
    say!("{} kernels, {threads} threads, seed {}", Kernels::detect().level().name(), values::SEED);
    say!(
        "operations one by one, without batches (record_limbs: usize::MAX); library procedures (those with columns) \
         as programs have them"
    );
    say!(
        "medians for one operation; GB/s of what it reads and writes at least; share of reading about as many bytes on \
         as many threads as it uses (one below 1 MiB); for library procedures the share of a plain loop that reads and \
         writes as many lines on as many threads"
    );
    let buffer = Buffer::new(options.max_bits);
    let lengths: Vec<usize> =
        std::iter::successors(Some(SHORTEST), |n_bits| n_bits.checked_mul(10))
            .take_while(|n_bits| *n_bits <= options.max_bits)
            .collect();
    let mut columns = Vec::new();
    for n_bits in &lengths {
        columns.push(bench.length(*n_bits, &wanted, &buffer));
    }
    summary(&wanted, &lengths, &columns);
    Ok(())
}

/// Measures a library procedure on slices of this length alternately with a plain loop that reads
/// and writes as many slices on as many threads; the result is the median of three rounds.
///
/// # Errors
/// If no library procedure has this name.
pub(crate) fn figure(name: &str, n_bits: usize, seconds: f64) -> Result<Figure, String> {
    let found = OPERATIONS.iter().find(|operation| operation.name == name);
    let no_such = || format!("unknown procedure `{name}`");
    let (operation, streams) =
        found.and_then(|operation| Some((operation, operation.streams?))).ok_or_else(no_such)?;
    let bench = Bench::new(seconds / 3.0);
    let mut args = vec![Value::Int(0)];
    args.extend(values::values(n_bits, operation.wants_wide(), operation.wants_narrow()));
    let nothing = bench.time(&bench.library, "", &mut args);
    let threads = bench.threads(operation, n_bits);
    let bytes = (streams.read + streams.written) as f64 * n_bits as f64 / 8.0;
    let mut rounds: Vec<(f64, f64)> = (0..3)
        .map(|_| {
            let ns = bench.time(&bench.library, &operation.iteration(), &mut args) - nothing;
            (ns.max(0.1) / 1e9, bytes / streams.speed(n_bits, threads) / 1e9)
        })
        .collect();
    rounds.sort_by(|one, other| (one.1 / one.0).total_cmp(&(other.1 / other.0)));
    let (ours, plain) = rounds[1];
    Ok(Figure {
        threads,
        ..Figure::new("random bits", ("rows", n_bits), ours, &[("a plain loop", plain)])
    })
}

/// What an operation takes at a length.
struct Cell {
    ns: f64,
    /// Of the speed of reading.
    share: Option<f64>,
    /// Of the speed of a plain loop over as many lines.
    of_plain: Option<f64>,
}

/// The backends.
struct Bench {
    /// Without batches.
    single: Cpu,
    /// As users have it.
    library: Cpu,
    seconds: f64,
}

impl Bench {
    fn new(seconds: f64) -> Self {
        let single = Settings { record_limbs: usize::MAX, ..Settings::default() };
        let single = Cpu::with(single, Kernels::detect());
        Bench { single, library: Cpu::new(), seconds }
    }

    /// Measures and prints all operations at one length.
    fn length(&self, n_bits: usize, wanted: &[&Operation], buffer: &Buffer) -> Vec<Cell> {
        let readings = self.reading(n_bits, buffer);
        let wide = wanted.iter().any(|operation| operation.wants_wide());
        let narrow = wanted.iter().any(|operation| operation.wants_narrow());
        let mut args = vec![Value::Int(0)];
        args.extend(values::values(n_bits, wide, narrow));
        let [single, library] =
            [&self.single, &self.library].map(|backend| self.time(backend, "", &mut args));
        let times: Vec<(f64, Option<f64>)> = wanted
            .iter()
            .map(|operation| {
                let (backend, nothing) = match operation.kind {
                    OperationGroup::Long | OperationGroup::Alone | OperationGroup::One => {
                        (&self.single, single)
                    }
                    OperationGroup::Library => (&self.library, library),
                };
                let ns = (self.time(backend, &operation.iteration(), &mut args) - nothing).max(0.1);
                let threads = self.threads(operation, n_bits);
                (ns, operation.streams.map(|streams| streams.speed(n_bits, threads)))
            })
            .collect();
        drop(args);
        let readings = self.reading_again(readings, n_bits, buffer);
        say!("\n{n_bits} bits");
        for reading in &readings {
            say!(
                "reading {} again and again on {}: {:.1} GB/s before, {:.1} after",
                reading.bytes(n_bits),
                threads_text(reading.threads),
                reading.before,
                reading.after,
            );
        }
        let cell =
            |(operation, time): (&&Operation, _)| self.line(operation, n_bits, time, &readings);
        wanted.iter().zip(times).map(cell).collect()
    }

    /// Prints what an operation took.
    fn line(
        &self,
        operation: &Operation,
        n_bits: usize,
        (ns, plain): (f64, Option<f64>),
        readings: &[Reading],
    ) -> Cell {
        let Operation { name, limbs, streams, .. } = operation;
        if *limbs == 0.0 {
            say!("{name:24} {ns:14.1} ns");
            return Cell { ns, share: None, of_plain: None };
        }
        let threads = self.threads(operation, n_bits);
        let amount = Amount::of(*limbs);
        let reading =
            readings.iter().find(|reading| reading.amount == amount && reading.threads == threads);
        let speed = limbs * n_bits as f64 / 8.0 / ns;
        let share = reading.map(|reading| speed / reading.mean());
        say!(
            "{name:24} {ns:14.1} ns {speed:8.1} GB/s {:6.2} of reading on {}",
            share.unwrap_or(f64::NAN),
            threads_text(threads),
        );
        let of_plain = plain.zip(*streams).map(|(plain, Streams { read, written })| {
            let of_plain = (read + written) as f64 * n_bits as f64 / 8.0 / ns / plain;
            say!("{:24} {of_plain:6.2} of a plain loop, {plain:.1} GB/s", "");
            of_plain
        });
        Cell { ns, share, of_plain }
    }

    /// On how many threads an operation works.
    fn threads(&self, operation: &Operation, n_bits: usize) -> usize {
        let touched = match operation.kind {
            OperationGroup::Alone | OperationGroup::One => return 1,
            OperationGroup::Long => 1.0,
            OperationGroup::Library => operation.limbs,
        };
        let long = touched * (n_bits / 64) as f64 >= Settings::default().parallel_limbs as f64;
        if long { self.library.threads() } else { 1 }
    }

    /// The speeds of reading, so far the same before and after.
    fn reading(&self, n_bits: usize, buffer: &Buffer) -> Vec<Reading> {
        let mut threads = vec![1, self.library.threads()];
        threads.dedup();
        let amounts = Amount::ALL.into_iter();
        let pairs =
            amounts.flat_map(|amount| threads.iter().map(move |threads| (amount, *threads)));
        let measured = pairs.map(|(amount, threads)| {
            let speed = buffer.speed(amount, threads, n_bits);
            Reading { amount, threads, before: speed, after: speed }
        });
        measured.collect()
    }

    fn reading_again(&self, before: Vec<Reading>, n_bits: usize, buffer: &Buffer) -> Vec<Reading> {
        let again = |reading: Reading| Reading {
            after: buffer.speed(reading.amount, reading.threads, n_bits),
            ..reading
        };
        before.into_iter().map(again).collect()
    }

    /// Nanoseconds of one iteration of a loop with this statement. The values come back as the
    /// loop leaves them.
    fn time(&self, backend: &Cpu, statement: &str, args: &mut Vec<Value>) -> f64 {
        let text =
            format!("{}begin for t := 1 to times do begin {statement} end end;", values::HEAD,);
        let compiled = Compiled::new(backend.clone(), &text);
        let mut round = |iterations: f64| {
            args[0] = Value::Int(iterations as i64);
            let (time, after) = compiled.run("BENCH", std::mem::take(args));
            *args = after;
            time
        };
        // The first round finds out how often a round repeats it; caches and branches learn in it,
        // too.
        let mut iterations = 1.0;
        let mut one = round(iterations).as_secs_f64();
        while one < self.seconds / 100.0 && iterations < MOST_ITERATIONS {
            iterations = (iterations * 10.0).min(MOST_ITERATIONS);
            one = round(iterations).as_secs_f64();
        }
        one /= iterations;
        let in_round = self.seconds / ROUNDS as f64;
        let iterations = (in_round / one).floor().clamp(1.0, MOST_ITERATIONS);
        let rounds = if one > in_round { LEAST_ROUNDS } else { ROUNDS };
        let mut times: Vec<_> = (0..rounds).map(|_| round(iterations)).collect();
        median(&mut times).as_nanos() as f64 / iterations
    }
}

/// All lengths side by side, as a table in Markdown: times, each followed by the share of reading
/// and that of a plain loop over as many lines.
fn summary(wanted: &[&Operation], lengths: &[usize], columns: &[Vec<Cell>]) {
    let heads: Vec<String> = lengths.iter().map(|n_bits| format!("{n_bits:e}")).collect();
    say!("\n| operation | {} |", heads.join(" | "));
    say!("|---{}|", "|---".repeat(lengths.len()));
    for (idx, operation) in wanted.iter().enumerate() {
        let cells: Vec<String> = columns.iter().map(|column| cell_text(&column[idx])).collect();
        say!("| `{}` | {} |", operation.name, cells.join(" | "));
    }
}

fn cell_text(cell: &Cell) -> String {
    let time = match cell.ns {
        ns if ns < 1e3 => format!("{ns:.0} ns"),
        ns if ns < 1e6 => format!("{:.1} µs", ns / 1e3),
        ns if ns < 1e9 => format!("{:.1} ms", ns / 1e6),
        ns => format!("{:.1} s", ns / 1e9),
    };
    match (cell.share, cell.of_plain) {
        (Some(share), Some(of_plain)) => format!("{time}, {share:.2}, {of_plain:.2}"),
        (Some(share), None) => format!("{time}, {share:.2}"),
        (None, _) => time,
    }
}

fn threads_text(threads: usize) -> String {
    format!("{threads} thread{}", if threads == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_runs_and_leaves_the_values_for_the_next() {
        let bench = Bench::new(1e-6);
        let wanted: Vec<&Operation> = OPERATIONS.iter().collect();
        let cells = bench.length(SHORTEST, &wanted, &Buffer::new(SHORTEST));
        assert_eq!(cells.len(), OPERATIONS.len());
        for (operation, cell) in wanted.iter().zip(&cells) {
            assert!(cell.ns > 0.0, "{}", operation.name);
            assert_eq!(cell.share.is_some(), operation.limbs > 0.0, "{}", operation.name);
            assert_eq!(cell.of_plain.is_some(), operation.streams.is_some(), "{}", operation.name);
        }
    }

    #[test]
    fn options_are_a_length_a_name_and_a_time() {
        let of = |args: &[&str]| {
            let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
            Options::of(&args).map(|o| (o.max_bits, o.name.to_owned(), o.seconds))
        };
        let whole = Some((1_000_000_000, String::new(), 0.5));
        assert_eq!(of(&[]), whole);
        let some = Some((10_000, "MATCH".to_owned(), 0.1));
        assert_eq!(of(&["10000", "--time", "0.1", "MATCH"]), some);
        for wrong in [&["999"][..], &["x"], &["1000", "a", "b"], &["--time"], &["--time", "0"]] {
            assert_eq!(of(wrong), None, "{wrong:?}");
        }
    }
}
