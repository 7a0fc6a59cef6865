//! The clock of a profile: the time in which the program was computing. On a busy machine a process is made to
//! wait for milliseconds wherever it happens to be, and whatever line that is would look slow.

use std::time::{Duration, Instant};

/// Longer times are compared with what the process was given in them. Asking takes part of a microsecond.
const LONG: Duration = Duration::from_micros(50);

/// Counts time in which this process computes.
#[derive(Debug)]
pub(super) struct Stopwatch {
    /// What was counted so far.
    sum: Duration,
    /// The last reading.
    last: Instant,
    /// Processor time of the process when that was asked for, and what was counted since.
    processor: Duration,
    since: Duration,
}

impl Stopwatch {
    /// Begins at zero.
    pub(super) fn start() -> Self {
        let (last, processor) = (Instant::now(), processor_time());
        Stopwatch { sum: Duration::ZERO, last, processor, since: Duration::ZERO }
    }

    /// What was counted up to now. Several threads at once count as one.
    pub(super) fn read(&mut self) -> Duration {
        let now = Instant::now();
        let passed = now.saturating_duration_since(self.last);
        self.last = now;
        self.advance(passed, processor_time)
    }

    /// Counts what passed since the last reading; `processor` says what the process was given since it began.
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

/// What all threads of this process were given by the processors.
#[cfg(unix)]
fn processor_time() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Where the system is not asked, all time counts.
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
    fn waiting_does_not_count_and_computing_does() {
        let mut watch = Stopwatch::start();
        let begin = watch.processor;
        assert_eq!(watch.advance(ms(60), || begin + ms(1)), ms(1));
        assert_eq!(watch.advance(ms(30), || begin + ms(31)), ms(31));
        // Two threads: no more than the time that passed.
        assert_eq!(watch.advance(ms(10), || begin + ms(51)), ms(41));
    }

    #[test]
    fn short_times_count_as_they_are_and_only_once() {
        let mut watch = Stopwatch::start();
        let begin = watch.processor;
        for n in 1..=10 {
            let sum = watch.advance(LONG, || unreachable!("nobody asks about a short time"));
            assert_eq!(sum, LONG * n);
        }
        // The process was given 2 ms in all, half a millisecond of which was counted.
        assert_eq!(watch.advance(ms(20), || begin + ms(2)), ms(2));
    }

    #[test]
    fn the_processors_give_time_to_what_computes() {
        let (start, mut sum) = (processor_time(), 0u64);
        while processor_time() == start {
            sum = (0..1000).fold(sum, |sum, n| std::hint::black_box(sum ^ n));
        }
        assert!(processor_time() > start, "{sum}");
    }
}
