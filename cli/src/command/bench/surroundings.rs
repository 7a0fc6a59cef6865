//! Environment of a measurement: the machine, this build, the memory speed.

use std::fs;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use star_base::{Code, Diagnostic, text};
use star_os::flags::Flags;
use star_os::report::Reporter;
use star_os::size_args::available_memory;
use star_os::watchdog::Sentry;
use star_report::measure::{Bandwidth, read_speed};
use star_report::record::{MachineInfo, Speed, Tool, utc};
use star_vm::kernels::Level;

use crate::doctor::{memory, processor};

/// Size of the memory buffer as a multiple of the largest cache.
const BEYOND_CACHES: usize = 4;
/// Minimum size of the buffer in bytes, for small or unknown caches.
const LEAST: usize = 128 << 20;
/// Size of the buffer with `--quick`.
pub(super) const QUICK: u64 = 8 << 20;

/// Limbs of the buffer that are filled between two checks of the flags.
const LIMBS_AT_ONCE: usize = 1 << 19;

/// Returns the machine as shown by `star doctor`.
pub(super) fn machine() -> MachineInfo {
    let (processor, memory, kernels) = (processor(), memory(), Level::detect().name());
    let there = processor.features.iter().filter(|(_, there)| *there);
    MachineInfo {
        cpu: processor.model,
        architecture: Some(processor.architecture.to_owned()),
        features: there.map(|(name, _)| (*name).to_owned()).collect(),
        kernels: Some(kernels.to_owned()),
        threads: processor.n_threads.map(|n| n as u64),
        memory_bytes: memory.total,
        os: Some(system()),
    }
}

fn system() -> String {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!("{} {}", std::env::consts::OS, release.trim()).trim().to_owned()
}

/// Returns this build of `star`.
pub(super) fn tool() -> Tool {
    let profile = if cfg!(debug_assertions) { "debug" } else { "release" };
    Tool {
        name: "star".to_owned(),
        version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        commit: option_env!("STAR_COMMIT").map(str::to_owned),
        rustc: option_env!("STAR_RUSTC").map(str::to_owned),
        profile: Some(profile.to_owned()),
    }
}

/// Returns the current date; `None` if the clock is before 1970.
pub(super) fn date() -> Option<String> {
    let passed = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    Some(utc(passed.as_secs()))
}

/// The probe of the memory speed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe<'a> {
    /// Number of threads of the machine.
    pub(super) threads: u64,
    /// Size of the buffer in bytes; by default much larger than the caches.
    pub(super) bytes: Option<u64>,
    /// Maximum size of the buffer in bytes.
    pub(super) max_memory: Option<u64>,
    /// Maximum time of the probe.
    pub(super) max_time: Option<Duration>,
    /// The flags that end the probe.
    pub(super) flags: &'a Flags,
    pub(super) reporter: &'a Reporter,
}

impl Probe<'_> {
    /// Refuses a requested size that is not available.
    ///
    /// # Errors
    /// E0608.
    pub(super) fn check(self) -> Result<(), Diagnostic> {
        let available = available_memory() / 4 * 3;
        let (most, why) = match self.max_memory {
            Some(most) if most <= available => (most, "`--max-memory` allows"),
            Some(_) | None => (available, "three quarters of the available memory are"),
        };
        let Some(wanted) = self.bytes.filter(|&wanted| wanted > most) else { return Ok(()) };
        let (wanted, shown) = (text::bytes(wanted), text::bytes(most));
        let message = format!("`--probe` requires {wanted} of memory, at most {shown} are allowed");
        let help = match most >> 20 {
            0 => format!("use `--probe {most}` or less"),
            mebibytes => format!("use `--probe {mebibytes}M` or less"),
        };
        Err(Diagnostic::new(Code::Usage, message).note(format!("{why} {shown}")).help(help))
    }

    /// Measures the speed of reading a buffer with one thread and with all threads; returns nothing
    /// if the probe was interrupted, its time is up, or the buffer cannot be allocated.
    pub(super) fn run(self, when: &str) -> Vec<Speed> {
        let flags = self.flags.without_deadline();
        let clock = self.max_time.map(|time| Sentry::clock(&flags, time)).transpose();
        let speeds = Probe { flags: &flags, ..self }.read(when);
        drop(clock);
        if speeds.is_empty() && flags.stop() == Some(Code::TimeLimit) {
            let message = "the memory speed was not measured: `--max-time` ended the probe";
            self.reporter.warning(message);
        }
        speeds
    }

    fn read(self, when: &str) -> Vec<Speed> {
        let wanted = match self.bytes {
            Some(bytes) => usize::try_from(bytes).unwrap_or(usize::MAX),
            None => (largest_cache() * BEYOND_CACHES).max(LEAST),
        };
        // A default size becomes smaller where memory is scarce.
        let scarce = if self.bytes.is_some() { u64::MAX } else { available_memory() / 4 };
        let most = self.max_memory.unwrap_or(u64::MAX).min(scarce);
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let n_limbs = wanted.min(most) / size_of::<u64>();
        let stopped = || self.flags.stop().is_some();
        let mut buffer: Vec<u64> = Vec::new();
        if buffer.try_reserve_exact(n_limbs).is_err() {
            return Vec::new();
        }
        while buffer.len() < n_limbs && !stopped() {
            let (start, end) = (buffer.len(), n_limbs.min(buffer.len() + LIMBS_AT_ONCE));
            let limbs = start as u64..end as u64;
            buffer.extend(limbs.map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        }
        let mut counts = vec![1, usize::try_from(self.threads).unwrap_or(1)];
        counts.dedup();
        let speeds = counts.into_iter().map(|threads| {
            let Bandwidth { threads, bytes, gb_per_s } = read_speed(&buffer, threads, &stopped)?;
            Some(Speed {
                threads: threads as u64,
                bytes: bytes as u64,
                read_gb_per_s: gb_per_s,
                when: Some(when.to_owned()),
            })
        });
        speeds.collect::<Option<_>>().unwrap_or_default()
    }
}

/// Returns the size of the largest cache in bytes; 0 if unknown.
fn largest_cache() -> usize {
    let sizes = (0..8).filter_map(|index| {
        let path = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/size");
        cache_size(fs::read_to_string(path).ok()?.trim())
    });
    sizes.max().unwrap_or(0)
}

/// Parses `32K`, `36864K`, `256M`.
fn cache_size(text: &str) -> Option<usize> {
    let (number, factor) = match text.strip_suffix('K') {
        Some(number) => (number, 1 << 10),
        None => (text.strip_suffix('M')?, 1 << 20),
    };
    number.parse::<usize>().ok()?.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use star_os::report::ErrorFormat;

    use super::*;

    #[test]
    fn cache_sizes_are_parsed() {
        assert_eq!(cache_size("36864K"), Some(36 << 20));
        assert_eq!(cache_size("256M"), Some(256 << 20));
        assert_eq!(cache_size("x"), None);
    }

    fn probe<'a>(flags: &'a Flags, reporter: &'a Reporter) -> Probe<'a> {
        let (bytes, max_memory, max_time) = (Some(1 << 16), None, None);
        Probe { threads: 1, bytes, max_memory, max_time, flags, reporter }
    }

    #[test]
    fn a_single_thread_is_measured_once() {
        let (flags, reporter) = (Flags::default(), Reporter::new(ErrorFormat::Text));
        let probe = probe(&flags, &reporter);
        let speeds = probe.run("before");
        assert_eq!(speeds.iter().map(|speed| speed.threads).collect::<Vec<_>>(), [1]);
        assert!(speeds[0].read_gb_per_s > 0.0);
        assert_eq!(Probe { threads: 2, bytes: Some(0), ..probe }.run("after").len(), 2);
    }

    #[test]
    fn limits_and_interrupts_bound_the_probe() {
        let (flags, reporter) = (Flags::default(), Reporter::new(ErrorFormat::Text));
        let probe = Probe { threads: 2, ..probe(&flags, &reporter) };
        let small = Probe { bytes: None, max_memory: Some(1 << 12), ..probe };
        assert!(small.run("before").iter().all(|speed| speed.bytes == 1 << 12));
        let refused = |bytes, max_memory| {
            let probe = Probe { bytes: Some(bytes), max_memory, ..probe };
            probe.check().err().map(|refused| refused.code)
        };
        assert_eq!(refused(1 << 20, Some(1 << 20)), None);
        assert_eq!(refused(1 << 20, Some(1 << 12)), Some(Code::Usage));
        assert_eq!(refused(u64::MAX, None), Some(Code::Usage));
        assert_eq!(refused(u64::MAX, Some(u64::MAX)), Some(Code::Usage));
        let timed =
            Probe { bytes: Some(1 << 30), max_time: Some(Duration::from_millis(1)), ..probe };
        assert!(timed.run("before").is_empty());
        flags.interrupt.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(probe.run("before").is_empty());
    }
}
