//! What several runs took.

use std::time::Duration;

/// Median, least and most of some times, in milliseconds: `2.1 (1.9 to 3.0)`.
pub(super) fn spread(times: &[Duration]) -> String {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let (Some(least), Some(most)) = (sorted.first(), sorted.last()) else {
        return "–".to_owned();
    };
    let median = sorted[sorted.len() / 2];
    format!("{} ({} to {})", ms(median), ms(*least), ms(*most))
}

/// Milliseconds.
pub(super) fn ms(time: Duration) -> String {
    let ms = time.as_secs_f64() * 1e3;
    if ms < 100.0 { format!("{ms:.1}") } else { format!("{ms:.0}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_in_milliseconds_and_in_order() {
        let times = [30, 10, 20, 1000].map(Duration::from_millis);
        assert_eq!(spread(&times), "30.0 (10.0 to 1000)");
        assert_eq!(spread(&[]), "–");
    }
}
