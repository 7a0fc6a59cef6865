//! Sizes and times on the command line, and the memory of the machine.

use std::time::Duration;

pub use star_base::quantity::{parse_count, parse_size};

/// Parses a time: `5` or `5s`, `0.5s`, `200ms`, `2m`, `1h`.
pub fn parse_time(text: &str) -> Result<Duration, String> {
    const FORMS: &str = "expected a time: `5` or `5s` for seconds, `200ms`, `2m` or `1h`";
    let lower = text.trim().to_ascii_lowercase();
    let units = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0), ("", 1.0)];
    let found =
        units.iter().find_map(|&(unit, seconds)| Some((lower.strip_suffix(unit)?, seconds)));
    let (digits, unit) = found.unwrap_or((&lower, 1.0));
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let number: f64 = match digits.parse() {
        Ok(number) if plain => number,
        _ => return Err(FORMS.to_owned()),
    };
    Duration::try_from_secs_f64(number * unit).map_err(|_| "the time is too long".to_owned())
}

/// Parses the time of a limit, which must not be zero.
pub fn parse_time_limit(text: &str) -> Result<Duration, String> {
    match parse_time(text)? {
        Duration::ZERO => Err("a time limit must be greater than 0".to_owned()),
        time => Ok(time),
    }
}

/// Returns the memory available to this process without swapping, in bytes; 4 GiB if unknown.
pub fn available_memory() -> u64 {
    let available = meminfo("MemAvailable:").unwrap_or(4 << 30);
    address_space_left().map_or(available, |left| available.min(left))
}

/// Returns the address space that this process may still use (`ulimit -v`); `None` if unlimited.
#[cfg(unix)]
pub fn address_space_left() -> Option<u64> {
    let most = rustix::process::getrlimit(rustix::process::Resource::As).current?;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    Some(most.saturating_sub(bytes_of(&status, "VmSize:").unwrap_or(0)))
}

#[cfg(not(unix))]
pub fn address_space_left() -> Option<u64> {
    None
}

/// Returns the limit on the stack of the process in bytes (`ulimit -s`); `None` if unlimited.
#[cfg(unix)]
pub fn stack_limit() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::Stack).current
}

/// Returns the limit on the stack of the process in bytes, of which nothing is known.
#[cfg(not(unix))]
pub fn stack_limit() -> Option<u64> {
    Some(0)
}

/// Returns the resident memory of this process in bytes; `None` if unknown.
pub fn resident_memory() -> Option<u64> {
    bytes_of(&std::fs::read_to_string("/proc/self/status").ok()?, "VmRSS:")
}

/// Returns the value in bytes of this name, including its colon, in the memory information of the
/// system.
pub fn meminfo(name: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    bytes_of(&text, name)
}

/// Parses the bytes in the line `NAME  NUMBER kB`.
fn bytes_of(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_without_a_unit_are_seconds() {
        assert_eq!(parse_time("5"), Ok(Duration::from_secs(5)));
        assert_eq!(parse_time("5s"), Ok(Duration::from_secs(5)));
        assert_eq!(parse_time("200ms"), Ok(Duration::from_millis(200)));
        assert_eq!(parse_time("0.5s"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_time("2m"), Ok(Duration::from_secs(120)));
        for wrong in ["", "s", "-1", "inf", "nan", "1e9", "5x", "99999999999999999999999h"] {
            assert!(parse_time(wrong).is_err(), "{wrong}");
        }
        assert_eq!(parse_time("0"), Ok(Duration::ZERO));
        for none in ["0", "0ms", "0.0h", "0.00000000001"] {
            assert!(parse_time_limit(none).is_err(), "{none}");
        }
    }

    #[test]
    fn available_memory_is_read_from_the_system() {
        let text = "MemTotal: 10 kB\nMemAvailable:    8 kB\n";
        assert_eq!(bytes_of(text, "MemAvailable:"), Some(8192));
        assert_eq!(bytes_of("MemTotal: 10 kB\n", "MemAvailable:"), None);
        assert!(available_memory() > 1 << 20);
    }
}
