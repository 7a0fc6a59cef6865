//! Measuring in turn: ours, peer, peer, ours, peer, peer …
//!
//! What is run before the rounds does not count; after it, and after the last round, the digests of
//! all results are compared with the first one. A participant that fails is out; the others
//! go on.

use std::time::{Duration, Instant};

use star_report::measure::{CONFIDENCE, Median, repetitions, resolution};

use super::failure::Failure;
use super::protocol::Hello;
use super::side::Side;

/// Rounds at least, unless they take too long: fewer give no interval.
const ROUNDS: usize = 6;

/// Rounds before the intervals are looked at.
const FIRST_LOOK: usize = 10;

/// What a sample is at least a thousand times as long as.
const TICK: Duration = Duration::from_micros(1);

/// Whose first run is this many times as long as its time has no second one before the rounds.
const MUCH_LONGER: f64 = 20.0;

/// A contest that is this many times over its time ends without all of its rounds.
const PATIENCE: u32 = 4;

/// When it is enough.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    /// For every contestant.
    pub(super) time: Duration,
    /// How far the interval may reach from the median, as a share of it.
    pub(super) width: f64,
    /// Rounds at most.
    pub(super) max_runs: usize,
}

/// A contestant made ready, or why not.
pub(super) struct Lane {
    /// What stands in messages.
    pub(super) name: String,
    /// Is it ours? Ratios are to the first of ours, and results are compared with its.
    pub(super) ours: bool,
    /// The contestant.
    pub(super) side: Result<Box<dyn Side>, Failure>,
}

/// What came of a contestant.
#[derive(Debug)]
pub(super) struct Finish {
    /// Who it is, if it got so far.
    pub(super) hello: Option<Hello>,
    /// Its times.
    pub(super) result: Result<Measured, Failure>,
}

/// Times of a contestant.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Measured {
    /// Seconds of a run, in the order of the rounds.
    pub(super) samples: Vec<f64>,
    /// Their median.
    pub(super) median: Median,
    /// Runs within a sample.
    pub(super) repetitions: u32,
    /// Is the interval as narrow as wanted?
    pub(super) reached: bool,
    /// Of the result.
    pub(super) hash: String,
    /// Ours by this one, round by round.
    pub(super) ratio: Option<Median>,
}

/// Somebody who is still in.
struct Runner {
    lane: usize,
    side: Box<dyn Side>,
    /// Seconds of the run before the rounds.
    first: f64,
    repetitions: u32,
    hash: String,
    samples: Vec<f64>,
    failure: Option<Failure>,
}

impl Runner {
    /// Keeps what it gives, or why it is out.
    fn keep<T>(&mut self, given: Result<T, Failure>) -> Option<T> {
        given.map_err(|failure| self.failure = Some(failure)).ok()
    }

    fn is_in(&self) -> bool {
        self.failure.is_none()
    }
}

/// Measures them in turn; the results stand in the order of the lanes.
pub(super) fn contest(lanes: Vec<Lane>, budget: Budget) -> Vec<Finish> {
    let names: Vec<(String, bool)> =
        lanes.iter().map(|lane| (lane.name.clone(), lane.ours)).collect();
    let mut finishes: Vec<Finish> = Vec::new();
    let mut runners: Vec<Runner> = Vec::new();
    for (idx, lane) in lanes.into_iter().enumerate() {
        let (hello, failure) = match lane.side {
            Ok(side) => {
                let hello = side.hello().clone();
                runners.push(Runner {
                    lane: idx,
                    side,
                    first: 0.0,
                    repetitions: 1,
                    hash: String::new(),
                    samples: Vec::new(),
                    failure: None,
                });
                (Some(hello), Failure::peer("not measured"))
            }
            Err(failure) => (None, failure),
        };
        finishes.push(Finish { hello, result: Err(failure) });
    }
    let resolution = resolution().max(TICK);
    for runner in &mut runners {
        let ran = runner.side.run(1);
        let Some(mut first) = runner.keep(ran) else { continue };
        // The first run of all may start threads and fill caches; the second one says how long it
        // takes.
        if first <= MUCH_LONGER * budget.time.as_secs_f64() {
            let ran = runner.side.run(1);
            let Some(second) = runner.keep(ran) else { continue };
            first = second;
        }
        runner.first = first;
        let one = Duration::try_from_secs_f64(first).unwrap_or(Duration::MAX);
        runner.repetitions = u32::try_from(repetitions(one, resolution, 1, u64::MAX)).unwrap_or(1);
    }
    compare(&mut runners, &names);
    // Whoever takes much longer than its time keeps that run as its only sample.
    let (mut quick, mut slow): (Vec<Runner>, Vec<Runner>) =
        runners.into_iter().partition(|runner| runner.first <= 2.0 * budget.time.as_secs_f64());
    rounds(&mut quick, budget);
    for runner in &mut slow {
        runner.samples = vec![runner.first];
        runner.repetitions = 1;
    }
    quick.append(&mut slow);
    quick.sort_by_key(|runner| runner.lane);
    compare(&mut quick, &names);
    let reference =
        quick.iter().find(|runner| names[runner.lane].1 && runner.is_in()).map(samples_of);
    for runner in quick {
        let lane = runner.lane;
        let ratio = match (&reference, names[lane].1) {
            (Some(ours), false) => ratio(ours, &runner.samples),
            (Some(_), true) | (None, _) => None,
        };
        finishes[lane].result = measured(runner, ratio, budget);
    }
    finishes
}

fn samples_of(runner: &Runner) -> Vec<f64> {
    runner.samples.clone()
}

/// Rounds, until it is enough.
fn rounds(runners: &mut [Runner], budget: Budget) {
    let begun = Instant::now();
    for round in 1..=budget.max_runs {
        for runner in runners.iter_mut().filter(|runner| runner.is_in()) {
            let repetitions = runner.repetitions;
            let ran = runner.side.run(repetitions);
            if let Some(seconds) = runner.keep(ran) {
                runner.samples.push(seconds / f64::from(repetitions));
            }
        }
        let n_in = runners.iter().filter(|runner| runner.is_in()).count();
        let time = budget.time * u32::try_from(n_in).unwrap_or(1);
        let spent = begun.elapsed();
        let all_narrow = || {
            runners.iter().filter(|runner| runner.is_in()).all(|r| is_narrow(&r.samples, budget))
        };
        if (round >= ROUNDS && spent >= time)
            || spent >= time * PATIENCE
            || (round >= FIRST_LOOK && all_narrow())
        {
            break;
        }
    }
}

fn is_narrow(samples: &[f64], budget: Budget) -> bool {
    Median::of(samples)
        .is_some_and(|median| median.confidence >= CONFIDENCE && median.width() <= budget.width)
}

/// Throws out those whose result is another than that of the first, ours before others.
fn compare(runners: &mut [Runner], names: &[(String, bool)]) {
    for runner in runners.iter_mut().filter(|runner| runner.is_in()) {
        let digest = runner.side.digest();
        if let Some(hash) = runner.keep(digest) {
            runner.hash = hash;
        }
    }
    let mut still = runners.iter().filter(|runner| runner.is_in());
    let first = still.clone().find(|runner| names[runner.lane].1).or_else(|| still.next());
    let Some((lane, hash)) = first.map(|runner| (runner.lane, runner.hash.clone())) else { return };
    for runner in runners.iter_mut().filter(|runner| runner.is_in() && runner.hash != hash) {
        let (theirs, name, first) = (&runner.hash, &names[runner.lane].0, &names[lane].0);
        let message = format!("the digest of the result is {theirs} by {name}, {hash} by {first}");
        runner.failure = Some(Failure::differs(message));
    }
}

/// Ours by theirs in the same round; where one of them was measured only once, that one.
fn ratio(ours: &[f64], theirs: &[f64]) -> Option<Median> {
    let ratios: Vec<f64> = match (ours, theirs) {
        ([one], _) => vec![one / Median::of(theirs)?.median],
        (_, [one]) => vec![Median::of(ours)?.median / one],
        _ => ours.iter().zip(theirs).map(|(ours, theirs)| ours / theirs).collect(),
    };
    Median::of(&ratios)
}

fn measured(runner: Runner, ratio: Option<Median>, budget: Budget) -> Result<Measured, Failure> {
    let Runner { samples, repetitions, hash, failure, .. } = runner;
    if let Some(failure) = failure {
        return Err(failure);
    }
    let median = Median::of(&samples).ok_or_else(|| Failure::peer("no samples"))?;
    let reached = is_narrow(&samples, budget);
    Ok(Measured { samples, median, repetitions, reached, hash, ratio })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Says times and a digest.
    struct Fake {
        hello: Hello,
        seconds: f64,
        digest: &'static str,
        /// Runs until it fails.
        left: u32,
    }

    impl Side for Fake {
        fn hello(&self) -> &Hello {
            &self.hello
        }

        fn run(&mut self, runs: u32) -> Result<f64, Failure> {
            if self.left == 0 {
                return Err(Failure::peer("out of breath"));
            }
            self.left -= 1;
            Ok(self.seconds * f64::from(runs))
        }

        fn digest(&mut self) -> Result<String, Failure> {
            Ok(self.digest.to_owned())
        }
    }

    fn lane(name: &str, ours: bool, seconds: f64, digest: &'static str, left: u32) -> Lane {
        let hello = Hello { peer: name.to_owned(), threads: 1, ..Hello::default() };
        let side: Box<dyn Side> = Box::new(Fake { hello, seconds, digest, left });
        Lane { name: name.to_owned(), ours, side: Ok(side) }
    }

    const BUDGET: Budget = Budget { time: Duration::from_secs(10), width: 0.02, max_runs: 50 };

    #[test]
    fn ratios_are_of_ours_to_peers() {
        let lanes = vec![lane("star", true, 0.5, "a", 99), lane("peer", false, 0.25, "a", 99)];
        let finishes = contest(lanes, BUDGET);
        let ours = finishes[0].result.as_ref().unwrap();
        let peer = finishes[1].result.as_ref().unwrap();
        assert_eq!((ours.samples.len(), ours.median.median, ours.reached), (10, 0.5, true));
        assert_eq!((ours.ratio, peer.ratio.unwrap().median), (None, 2.0));
    }

    #[test]
    fn another_result_is_an_error_that_names_both() {
        let lanes = vec![
            lane("wrong", false, 0.5, "b", 99),
            lane("star", true, 0.5, "a", 99),
            lane("right", false, 0.5, "a", 99),
        ];
        let finishes = contest(lanes, BUDGET);
        let failure = finishes[0].result.as_ref().unwrap_err();
        assert_eq!(failure.code, "differs");
        assert_eq!(failure.message, "the digest of the result is b by wrong, a by star");
        assert!(finishes[1].result.is_ok() && finishes[2].result.is_ok());
    }

    #[test]
    fn who_fails_is_out_and_the_others_go_on() {
        let missing = Lane {
            name: "missing".to_owned(),
            ours: false,
            side: Err(Failure::peer("not installed")),
        };
        let lanes = vec![
            lane("star", true, 0.5, "a", 99),
            missing,
            lane("tired", false, 0.5, "a", 3),
            lane("peer", false, 0.5, "a", 99),
        ];
        let finishes = contest(lanes, BUDGET);
        let message = |idx: usize| finishes[idx].result.as_ref().unwrap_err().message.clone();
        assert_eq!((message(1).as_str(), message(2).as_str()), ("not installed", "out of breath"));
        assert!(finishes[1].hello.is_none() && finishes[2].hello.is_some());
        assert_eq!(finishes[3].result.as_ref().unwrap().samples.len(), 10);
    }

    #[test]
    fn without_ours_peers_are_measured_and_have_no_ratio() {
        let lanes = vec![lane("star", true, 0.5, "a", 0), lane("peer", false, 0.5, "a", 99)];
        let finishes = contest(lanes, BUDGET);
        assert!(finishes[0].result.is_err());
        assert_eq!(finishes[1].result.as_ref().unwrap().ratio, None);
    }

    #[test]
    fn whoever_is_slow_is_measured_once() {
        let lanes = vec![lane("star", true, 300.0, "a", 1), lane("peer", false, 0.5, "a", 99)];
        let finishes = contest(lanes, BUDGET);
        let ours = finishes[0].result.as_ref().unwrap();
        assert_eq!((ours.samples.as_slice(), ours.reached), ([300.0].as_slice(), false));
        assert_eq!(finishes[1].result.as_ref().unwrap().ratio.unwrap().median, 600.0);
    }

    #[test]
    fn a_long_first_run_is_not_believed() {
        struct Cold(Fake, bool);
        impl Side for Cold {
            fn hello(&self) -> &Hello {
                self.0.hello()
            }

            fn run(&mut self, runs: u32) -> Result<f64, Failure> {
                let cold = std::mem::replace(&mut self.1, false);
                Ok(if cold { 100.0 } else { self.0.run(runs)? })
            }

            fn digest(&mut self) -> Result<String, Failure> {
                self.0.digest()
            }
        }
        let hello = Hello::default();
        let fake = Fake { hello, seconds: 0.5, digest: "a", left: 99 };
        let side: Box<dyn Side> = Box::new(Cold(fake, true));
        let lanes = vec![Lane { name: "cold".to_owned(), ours: false, side: Ok(side) }];
        let finishes = contest(lanes, BUDGET);
        assert_eq!(finishes[0].result.as_ref().unwrap().samples, [0.5; 10]);
    }

    #[test]
    fn short_runs_are_repeated_within_a_sample() {
        let finishes = contest(vec![lane("star", true, 1e-5, "a", 99)], BUDGET);
        let ours = finishes[0].result.as_ref().unwrap();
        assert!(ours.repetitions >= 100, "{}", ours.repetitions);
        assert!((ours.median.median - 1e-5).abs() < 1e-12);
    }
}
