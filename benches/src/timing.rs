//! Times of single runs.

use std::time::Instant;

/// How long some work took, and what it gave.
pub(crate) fn milliseconds<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let begin = Instant::now();
    let done = work();
    (begin.elapsed().as_secs_f64() * 1e3, done)
}

/// The one in the middle; of an even number the upper one.
pub(crate) fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}
