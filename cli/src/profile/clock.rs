//! The clock of a profile, which measures computing time only. On a busy machine, a process waits
//! for milliseconds at arbitrary points, and unrelated lines would appear slow.

use std::time::{Duration, Instant};

/// Longer intervals are compared with the processor time, whose query takes a fraction of a
/// microsecond.
const LONG: Duration = Duration::from_micros(50);

/// Measures the time in which this process computes.
#[derive(Debug)]
pub(super) struct Stopwatch {
    /// The total so far.
    sum: Duration,
    /// The last reading.
    last: Instant,
    /// Processor time of the process at the last query, and the time counted since.
    processor: Duration,
    since: Duration,
}

impl Stopwatch {
    /// Starts at zero.
    pub(super) fn start() -> Self {
        let (last, processor) = (Instant::now(), processor_time());
        Stopwatch { sum: Duration::ZERO, last, processor, since: Duration::ZERO }
    }

    /// Returns the total up to now. Concurrent threads count once.
    pub(super) fn read(&mut self) -> Duration {
        let now = Instant::now();
        let passed = now.saturating_duration_since(self.last);
        self.last = now;
        self.advance(passed, processor_time)
    }

    /// Adds the time since the last reading; `processor` returns the processor time of the process
    /// since its start.
    fn advance(&mut self, passed: Duration, processor: impl FnOnce() -> Duration) -> Duration {
        let counted = if passed <= LONG {
            self.since += passed;
            passed
        } else {
            let processor = processor();
            let used = processor.saturating_sub(self.processor).saturating_sub(self.since);
            (self.processor, self.since) = (processor, Duration::ZERO);
            passed.min(used)
        };
        self.sum += counted;
        self.sum
    }
}

/// Returns the processor time of all threads of this process.
#[cfg(unix)]
fn processor_time() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// On systems without a query, all time counts.
#[cfg(not(unix))]
fn processor_time() -> Duration {
    use std::sync::LazyLock;
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    #[test]
    fn computing_counts_and_waiting_does_not() {
        let mut watch = Stopwatch::start();
        let begin = watch.processor;
        assert_eq!(watch.advance(ms(60), || begin + ms(1)), ms(1));
        assert_eq!(watch.advance(ms(30), || begin + ms(31)), ms(31));
        // Two threads: at most the elapsed time.
        assert_eq!(watch.advance(ms(10), || begin + ms(51)), ms(41));
    }

    #[test]
    fn short_intervals_count_completely_and_once() {
        let mut watch = Stopwatch::start();
        let begin = watch.processor;
        for n in 1..=10 {
            let sum = watch.advance(LONG, || unreachable!("short intervals need no query"));
            assert_eq!(sum, LONG * n);
        }
        // The process received 2 ms, half a millisecond of which was already counted.
        assert_eq!(watch.advance(ms(20), || begin + ms(2)), ms(2));
    }

    #[test]
    fn computing_uses_processor_time() {
        let (start, mut sum) = (processor_time(), 0u64);
        while processor_time() == start {
            sum = (0..1000).fold(sum, |sum, n| std::hint::black_box(sum ^ n));
        }
        assert!(processor_time() > start, "{sum}");
    }
}
