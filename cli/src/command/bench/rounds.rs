//! Measurement of one case: all backends, with and without intrinsics, run in rounds, so that
//! disturbances of the machine affect all of them.

use star_base::{Code, Random};
use star_os::machines::Machine;
use star_report::measure::{Budget, Median};
use star_report::record::{IntrinsicUse, Row, RowError, Source, Time};
use star_vm::{CompileOptions, Limits};

use super::contender::{Contender, Failed, KnownResult, Surroundings, refused};
use super::peer::Peer;

/// A backend with or without intrinsics, and the limits of its runs.
pub(super) struct Entrant {
    /// The backend.
    pub(super) machine: Machine,
    /// The compile options.
    pub(super) options: CompileOptions,
    /// The limits of a run.
    pub(super) limits: Limits,
}

/// The result of a case.
pub(super) struct Measured {
    /// One row for each entrant and peer.
    pub(super) rows: Vec<Row>,
    /// The results of the first entrant that succeeded, as names and hashes.
    pub(super) results: Option<Vec<(String, String)>>,
    /// Whether the user interrupted it.
    pub(super) interrupted: bool,
}

/// An entrant, or the reason why it is excluded.
type Placed = Result<Contender, (&'static str, IntrinsicUse, Failed)>;

/// Measures a case; `blank` is a row with the data that all rows share. `peers` starts the other
/// programs.
pub(super) fn measure(
    blank: &Row,
    entrants: &[Entrant],
    peers: &mut dyn Iterator<Item = Result<Peer, Failed>>,
    budget: Budget,
    random: &mut Random,
    around: &Surroundings<'_>,
) -> Measured {
    let mut placed: Vec<Placed> = Vec::new();
    let mut interrupted = false;
    for entrant in entrants {
        if let Some(contender) = enter(entrant, &placed, budget, around) {
            interrupted = matches!(contender, Err((_, _, Failed::Interrupted)));
            if !is_told(&contender, &mut placed) {
                placed.push(contender);
            }
        }
        if interrupted {
            break;
        }
    }
    let differing = differing(&placed, around.expected);
    let results = placed.iter().flatten().next().map(|first| first.results.clone());
    let mut started: Vec<Peer> = Vec::new();
    let mut failed: Vec<Row> = Vec::new();
    for peer in peers.take_while(|_| !interrupted) {
        match peer {
            Ok(peer) => started.push(peer),
            Err(Failed::Interrupted) => {
                interrupted = true;
                break;
            }
            Err(Failed::Error(error)) => {
                let source = Source::Peer;
                failed.push(Row { source, error: Some(error), routine: None, ..blank.clone() });
            }
        }
    }
    if !interrupted {
        interrupted = rounds((&mut placed, &mut started), &differing, random, around);
    }
    // Counted without intrinsics.
    let mut as_written = placed.iter().flatten().filter(|it| it.stats.intrinsics == 0);
    let operations = as_written.next().map(|contender| contender.stats.operations);
    let rows = placed.iter().zip(&differing).map(|(placed, differs)| {
        let mut row = row(blank, placed, differs.clone());
        row.operations = operations;
        row
    });
    let peers = started.iter().map(|peer| peer.row(blank)).chain(failed);
    Measured { rows: rows.chain(peers).collect(), results, interrupted }
}

/// Tests whether the failure equals that with intrinsics on the same backend. One row then
/// represents both.
fn is_told(contender: &Placed, placed: &mut [Placed]) -> bool {
    let Err((backend, _, failed)) = contender else { return false };
    let same = placed.iter_mut().find_map(|other| match other {
        Err((name, intrinsics, why)) if name == backend && why == failed => Some(intrinsics),
        Err(_) | Ok(_) => None,
    });
    match same {
        Some(intrinsics) => {
            *intrinsics = IntrinsicUse::None;
            true
        }
        None => false,
    }
}

/// Prepares an entrant. Returns `None` if it would equal another one.
fn enter(
    entrant: &Entrant,
    placed: &[Placed],
    budget: Budget,
    around: &Surroundings<'_>,
) -> Option<Placed> {
    let Entrant { machine, options, limits } = entrant;
    let name = machine.caps().name;
    let intrinsic_use = match options.intrinsics {
        _ if !may_have_intrinsics(machine, around) => IntrinsicUse::None,
        true => IntrinsicUse::On,
        false => IntrinsicUse::Off,
    };
    let takes_none = |other: &Placed| match other {
        Ok(other) => other.backend == name && other.intrinsics == IntrinsicUse::None,
        Err((other, intrinsics, _)) => *other == name && *intrinsics == IntrinsicUse::None,
    };
    if placed.iter().any(takes_none) {
        return None;
    }
    let compiled = machine.with(*options).compile(around.ready.program.clone());
    let compiled = compiled.map_err(|error| refused("the program cannot be compiled", &error));
    let warm = compiled.and_then(|compiled| {
        Contender::warm_up((name, intrinsic_use), compiled, (*limits, budget), around)
    });
    Some(match warm {
        Ok(mut contender) => {
            if intrinsic_use == IntrinsicUse::On && contender.stats.intrinsics == 0 {
                contender.intrinsics = IntrinsicUse::None;
            }
            Ok(contender)
        }
        Err(failed) => Err((name, intrinsic_use, failed)),
    })
}

/// Tests whether the program uses a routine for which the backend has an intrinsic. If not, all
/// runs are alike, even those that end before operations are counted.
fn may_have_intrinsics(machine: &Machine, around: &Surroundings<'_>) -> bool {
    let mut routines = around.ready.program.routines.iter();
    routines.any(|routine| {
        routine.intrinsic.is_some_and(|intrinsic| machine.caps().intrinsics.contains(&intrinsic))
    })
}

/// Returns an error for each entrant whose results differ from those of the first entrant, or from
/// those of the same name of other routines.
fn differing(placed: &[Placed], expected: &[KnownResult]) -> Vec<Option<RowError>> {
    let hashes: Vec<Option<(&str, &str)>> = placed
        .iter()
        .map(|placed| placed.as_ref().ok().map(|it| (it.backend, it.hash.as_str())))
        .collect();
    let errors = unlike_the_first(&hashes).into_iter().zip(placed);
    errors
        .map(|(error, placed)| {
            let results = placed.as_ref().ok().map(|it| &it.results[..]);
            error.or_else(|| unlike_another(results?, expected))
        })
        .collect()
}

/// Compares by names of backends and hashes of results, where available.
fn unlike_the_first(hashes: &[Option<(&str, &str)>]) -> Vec<Option<RowError>> {
    let first = hashes.iter().flatten().next();
    let error = |(_, hash): &(&str, &str)| {
        let (name, _) = first.filter(|(_, first)| first != hash)?;
        let message = format!("its results differ from those of {name}");
        Some(RowError { code: "differs".to_owned(), message })
    };
    hashes.iter().map(|found| found.as_ref().and_then(error)).collect()
}

/// Compares results of the same name, by their hashes.
fn unlike_another(results: &[(String, String)], expected: &[KnownResult]) -> Option<RowError> {
    let KnownResult { routine, name, .. } = expected.iter().find(|known| {
        results.iter().any(|(name, hash)| *name == known.name && *hash != known.hash)
    })?;
    let message = format!("its `{name}` differs from that of {routine}");
    Some(RowError { code: Code::TestFails.as_str().to_owned(), message })
}

/// Takes samples until all entrants and peers have enough; returns `true` if the user interrupted
/// it.
fn rounds(
    (placed, peers): (&mut [Placed], &mut [Peer]),
    differing: &[Option<RowError>],
    random: &mut Random,
    around: &Surroundings<'_>,
) -> bool {
    loop {
        let mut round: Vec<usize> = (0..placed.len())
            .filter(|&place| differing[place].is_none())
            .filter(|&place| placed[place].as_ref().is_ok_and(|it| !it.is_done()))
            .collect();
        let n_placed = placed.len();
        let waiting = (0..peers.len()).filter(|&place| !peers[place].is_done());
        round.extend(waiting.map(|place| n_placed + place));
        if round.is_empty() {
            return false;
        }
        random.shuffle(&mut round);
        for place in round {
            if let Some(peer) = place.checked_sub(n_placed) {
                match peers[peer].sample(around.flags, around.max_time) {
                    Ok(()) => continue,
                    Err(_) => return true,
                }
            }
            let Ok(contender) = &mut placed[place] else { continue };
            match contender.sample(around) {
                Ok(()) => {}
                Err(Failed::Interrupted) => return true,
                Err(failed) => {
                    placed[place] = Err((contender.backend, contender.intrinsics, failed));
                }
            }
        }
    }
}

fn row(blank: &Row, placed: &Placed, differs: Option<RowError>) -> Row {
    let with = |backend: &str, intrinsics: IntrinsicUse| Row {
        source: Source::Star,
        backend: Some(backend.to_owned()),
        intrinsics: Some(intrinsics),
        ..blank.clone()
    };
    let contender = match placed {
        Ok(contender) => contender,
        Err((backend, intrinsics, failed)) => {
            let error = match failed {
                Failed::Error(error) => error.clone(),
                Failed::Interrupted => interrupted(),
            };
            return Row { error: Some(error), ..with(backend, *intrinsics) };
        }
    };
    let time = match differs {
        Some(_) => None,
        None => time(contender),
    };
    let error = differs.or_else(|| time.is_none().then(interrupted));
    Row {
        time,
        error,
        load_s: contender.load(),
        device_s: contender.device(),
        intrinsic_calls: Some(contender.stats.intrinsics),
        peak_bytes: Some(contender.stats.peak_bytes),
        hash: Some(contender.hash.clone()),
        ..with(contender.backend, contender.intrinsics)
    }
}

fn interrupted() -> RowError {
    let message = "interrupted before the first sample".to_owned();
    RowError { code: "interrupted".to_owned(), message }
}

fn time(contender: &Contender) -> Option<Time> {
    let (samples, reached) = contender.samples();
    Some(Time::of(Median::of(samples)?, contender.repetitions() as u64, reached, samples))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_that_differ_from_the_first_are_errors() {
        let found = unlike_the_first(&[None, Some(("a", "1")), Some(("b", "2")), Some(("c", "1"))]);
        let codes: Vec<Option<&str>> =
            found.iter().map(|error| error.as_ref().map(|error| error.code.as_str())).collect();
        assert_eq!(codes, [None, None, Some("differs"), None]);
        assert!(found[2].as_ref().unwrap().message.ends_with("those of a"));
        assert_eq!(unlike_the_first(&[None, None]), [None, None]);
    }

    #[test]
    fn results_of_the_same_name_are_compared() {
        let named = |results: &[(&str, &str)]| -> Vec<(String, String)> {
            results.iter().map(|(name, hash)| ((*name).to_owned(), (*hash).to_owned())).collect()
        };
        let known = |(name, hash)| KnownResult { routine: "A".to_owned(), name, hash };
        let expected: Vec<KnownResult> =
            named(&[("X", "1"), ("D", "2")]).into_iter().map(known).collect();
        assert_eq!(unlike_another(&named(&[("D", "2"), ("Y", "3")]), &expected), None);
        let error = unlike_another(&named(&[("Y", "3"), ("D", "1")]), &expected).unwrap();
        assert_eq!(error.message, "its `D` differs from that of A");
    }
}
