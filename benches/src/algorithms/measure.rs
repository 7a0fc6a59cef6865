//! Jobs: ours and the peer's in turn, results compared, one line for each.

use std::time::{Duration, Instant};

use star_base::intrinsics::Intrinsic;
use star_vm::{Cpu, HostValue};

use crate::program::{Called, Compiled, median};
use crate::say::say;

/// What the columns of a line are.
pub(super) const HEADER: &str =
    "algorithm | input | ours ms | operations | ns each | peer | peer ms | ours / peer";

/// A job that takes longer than this is measured once.
const LONG: Duration = Duration::from_secs(10);

/// Rounds of a job that does not, after one that does not count.
const ROUNDS: usize = 5;

/// The measurements on graphs of one size.
pub(super) struct Bench<'a> {
    /// Vertices.
    pub(super) n: usize,
    filter: &'a str,
    with_passes: bool,
}

/// The same job by a peer.
pub(super) struct Rival<'a, T> {
    /// The peer and its function.
    pub(super) name: &'a str,
    /// Does the job.
    pub(super) work: &'a dyn Fn() -> T,
}

impl<'a> Bench<'a> {
    pub(super) fn new(n: usize, filter: &'a str, with_passes: bool) -> Self {
        Bench { n, filter, with_passes }
    }

    /// A module of the library, compiled.
    pub(super) fn module_of(&self, name: &str) -> Compiled {
        let mut modules = star_stdlib::MODULES.iter();
        let (_, text) = modules.find(|(known, _)| *known == name).expect("a module of the library");
        match self.with_passes {
            true => Compiled::optimised(Cpu::new(), text, &[]),
            false => Compiled::new(Cpu::new(), text),
        }
    }

    /// Is this algorithm wanted?
    pub(super) fn wants(&self, name: &str) -> bool {
        name.contains(self.filter)
    }

    /// Measures the routine `name` of a module, as its text says and with its intrinsic if it has one. `result` makes of the
    /// arguments afterwards what the peer's work gives.
    pub(super) fn measure<T: PartialEq + std::fmt::Debug>(
        &self,
        (module, name): (&str, &str),
        input: &str,
        args: &[HostValue],
        result: impl Fn(&[HostValue]) -> T,
        rival: Option<Rival<'_, T>>,
    ) {
        let text = self.module_of(module);
        Self::measure_one(&text, name, (name, input), args, &result, rival.as_ref());
        if Intrinsic::of_routine(module, name).is_some() {
            let with = text.with_intrinsics(module);
            let label = format!("{name}, intrinsic");
            Self::measure_one(&with, name, (&label, input), args, &result, rival.as_ref());
        }
    }

    fn measure_one<T: PartialEq + std::fmt::Debug>(
        star: &Compiled,
        name: &str,
        (label, input): (&str, &str),
        args: &[HostValue],
        result: &impl Fn(&[HostValue]) -> T,
        rival: Option<&Rival<'_, T>>,
    ) {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        let mut operations = 0;
        for round in 0..=ROUNDS {
            let mut values = star.load(args.to_vec());
            let called = star.call(name, &mut values);
            let found = result(&star.unload(values));
            operations = called.operations;
            ours.push(called.time);
            let mut longest = called.time;
            if let Some(rival) = rival {
                let (time, expected) = timed(rival.work);
                assert_eq!(found, expected, "{name} and {} agree", rival.name);
                theirs.push(time);
                longest = longest.max(time);
            }
            if longest > LONG {
                break;
            }
            if round == 0 {
                ours.clear();
                theirs.clear();
            }
        }
        let time = median(&mut ours);
        let each = time.as_secs_f64() * 1e9 / operations.max(1) as f64;
        let peer = rival.map(|rival| (rival.name, median(&mut theirs)));
        Line { name: label, input, ours: Called { time, operations }, each, peer }.print();
    }
}

/// What it gives, and the time.
pub(super) fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let begun = Instant::now();
    let given = work();
    (begun.elapsed(), given)
}

/// A line of the table.
pub(super) struct Line<'a> {
    pub(super) name: &'a str,
    pub(super) input: &'a str,
    /// A median, and the mean of the elementary operations.
    pub(super) ours: Called,
    /// Nanoseconds for each operation, over all runs.
    pub(super) each: f64,
    pub(super) peer: Option<(&'a str, Duration)>,
}

impl Line<'_> {
    pub(super) fn print(&self) {
        let Line { name, input, ours, each, peer } = self;
        let Called { time, operations } = ours;
        // An intrinsic counts none.
        let each = if *operations == 0 { "–".to_owned() } else { format!("{each:.0}") };
        let star = format!("{name} | {input} | {} | {operations} | {each}", milliseconds(*time));
        match peer {
            Some((peer, theirs)) => {
                let ratio = time.as_secs_f64() / theirs.as_secs_f64();
                let digits = if ratio < 0.1 { 4 } else { 2 };
                say!("{star} | {peer} | {} | {ratio:.digits$}", milliseconds(*theirs));
            }
            None => say!("{star} | none | |"),
        }
    }
}

fn milliseconds(time: Duration) -> String {
    let milliseconds = time.as_secs_f64() * 1e3;
    match milliseconds {
        100.0.. => format!("{milliseconds:.0}"),
        1.0.. => format!("{milliseconds:.1}"),
        _ => format!("{milliseconds:.4}"),
    }
}
