//! Numbering of pairs of different vertices by consecutive codes.

/// A set of pairs of the vertices 0..n.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pairs {
    /// Both orders of two vertices; sorted by the first, then by the second.
    Ordered(u64),
    /// Each two vertices once, the greater first; in the same order.
    Unordered(u64),
}

impl Pairs {
    /// Number of pairs; n is below 2^32.
    pub(super) fn count(self) -> u64 {
        match self {
            Pairs::Ordered(n) => n * n.saturating_sub(1),
            Pairs::Unordered(n) => n * n.saturating_sub(1) / 2,
        }
    }

    /// The pair with this code, below [`Pairs::count`].
    #[inline]
    pub(super) fn pair(self, code: u64) -> (u32, u32) {
        let (first, second) = match self {
            Pairs::Ordered(n) => {
                let (first, second) = (code / (n - 1), code % (n - 1));
                (first, second + u64::from(second >= first))
            }
            Pairs::Unordered(_) => {
                let start = |first: u64| first * first.saturating_sub(1) / 2;
                // Exact except for the last digit.
                let mut first = (2.0 * code as f64).sqrt() as u64;
                while start(first + 1) <= code {
                    first += 1;
                }
                while start(first) > code {
                    first -= 1;
                }
                (first, code - start(first))
            }
        };
        (first as u32, second as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_number_all_pairs_in_order() {
        for n in [1, 2, 3, 10, 65] {
            let all: Vec<(u32, u32)> =
                (0..Pairs::Ordered(n).count()).map(|code| Pairs::Ordered(n).pair(code)).collect();
            let every = (0..n as u32).flat_map(|a| (0..n as u32).map(move |b| (a, b)));
            assert_eq!(all, every.clone().filter(|(a, b)| a != b).collect::<Vec<_>>());
            let all: Vec<(u32, u32)> = (0..Pairs::Unordered(n).count())
                .map(|code| Pairs::Unordered(n).pair(code))
                .collect();
            assert_eq!(all, every.filter(|(a, b)| a > b).collect::<Vec<_>>());
        }
    }

    #[test]
    fn greatest_codes_are_exact() {
        let n = u64::from(u32::MAX);
        for (pairs, last) in [
            (Pairs::Ordered(n), (u32::MAX - 1, u32::MAX - 2)),
            (Pairs::Unordered(n), (u32::MAX - 1, u32::MAX - 2)),
        ] {
            assert_eq!(pairs.pair(pairs.count() - 1), last);
        }
        let row = n - 1;
        let start = row * (row - 1) / 2;
        assert_eq!(Pairs::Unordered(n).pair(start), (u32::MAX - 1, 0));
        assert_eq!(Pairs::Unordered(n).pair(start - 1), (u32::MAX - 2, u32::MAX - 3));
    }
}
