//! Random numbers from a seed. Their values never change: see [`super`].

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The use of random numbers. Each use has a separate stream, so that weights do not change the
/// arcs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Arcs, bits, heights, the shape of a curve.
    Shape = 0,
    /// Weights of arcs.
    Weights = 1,
    /// The numbering of vertices.
    Labels = 2,
    /// Noise in an image.
    Noise = 3,
}

/// The last 24 bytes of every key, after the seed.
const KEY_TAIL: &[u8; 24] = b"star-io generators, no.1";

/// Random numbers of ChaCha8: the key is the seed (8 bytes, little-endian) followed by `KEY_TAIL`;
/// the stream is the purpose.
pub(super) struct Random(ChaCha8Rng);

impl Random {
    /// Creates the stream of this seed for this purpose.
    pub(super) fn new(seed: u64, purpose: Purpose) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..].copy_from_slice(KEY_TAIL);
        let mut stream = ChaCha8Rng::from_seed(key);
        stream.set_stream(purpose as u64);
        Random(stream)
    }

    /// 32 random bits.
    #[inline]
    pub(super) fn bits32(&mut self) -> u32 {
        self.0.next_u32()
    }

    /// 64 random bits.
    #[inline]
    pub(super) fn bits64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A uniform number below `bound`; 0 if `bound` is 0. It is the upper half of the product of 64
    /// random bits and `bound`, with rejection to avoid bias.
    #[inline]
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        let mut product = u128::from(self.bits64()) * u128::from(bound);
        if (product as u64) < bound {
            let n_uneven = bound.wrapping_neg() % bound;
            while (product as u64) < n_uneven {
                product = u128::from(self.bits64()) * u128::from(bound);
            }
        }
        (product >> 64) as u64
    }

    /// A uniform number from `-most` to `most`; `most` is not negative.
    #[inline]
    pub(super) fn around_zero(&mut self, most: i64) -> i64 {
        let bound = most.unsigned_abs().saturating_mul(2).saturating_add(1);
        self.below(bound).wrapping_sub(most.unsigned_abs()) as i64
    }
}

/// An event with a probability that is exact to 2^-64.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chance {
    /// The number of cases out of 2^64 in which it happens.
    n_cases: u128,
}

impl Chance {
    /// Creates an event with this probability, from 0 to 1.
    pub(super) fn of(probability: f64) -> Self {
        Chance { n_cases: (probability * 18_446_744_073_709_551_616.0) as u128 }
    }

    /// Draws whether it happens.
    #[inline]
    pub(super) fn happens(self, random: &mut Random) -> bool {
        u128::from(random.bits64()) < self.n_cases
    }

    /// Draws 64 independent events, one for each bit. Random bits are compared with the probability
    /// from the highest bit down until all events are decided: about 8 draws.
    pub(super) fn limb(self, random: &mut Random) -> u64 {
        let Ok(threshold) = u64::try_from(self.n_cases) else { return u64::MAX };
        let (mut hits, mut undecided) = (0, u64::MAX);
        for bit in (0..64).rev() {
            if undecided == 0 || threshold << (63 - bit) == 0 {
                break; // equal numbers are not below
            }
            let drawn = random.bits64();
            if threshold >> bit & 1 == 1 {
                hits |= undecided & !drawn;
                undecided &= drawn;
            } else {
                undecided &= !drawn;
            }
        }
        hits
    }
}

/// Numbers of misses between hits of a repeated event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gaps {
    log_of_miss: f64,
}

impl Gaps {
    /// Creates the distribution for an event with this probability, above 0 and up to 1.
    pub(super) fn of(probability: f64) -> Self {
        Gaps { log_of_miss: libm::log1p(-probability) }
    }

    /// The next number of misses, geometrically distributed.
    #[inline]
    pub(super) fn next(self, random: &mut Random) -> u64 {
        // From 2^-53 to 1; the conversion to an integer rounds down and saturates.
        let uniform = ((random.bits64() >> 11) + 1) as f64 / 9_007_199_254_740_992.0;
        (libm::log(uniform) / self.log_of_miss) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random() -> Random {
        Random::new(1, Purpose::Shape)
    }

    #[test]
    fn purposes_and_seeds_give_different_numbers() {
        let first = |seed, purpose| Random::new(seed, purpose).bits64();
        let all = [
            first(1, Purpose::Shape),
            first(2, Purpose::Shape),
            first(1, Purpose::Weights),
            first(1, Purpose::Labels),
            first(1, Purpose::Noise),
        ];
        for (i, a) in all.iter().enumerate() {
            assert!(all[..i].iter().all(|b| a != b));
        }
        assert_eq!(first(1, Purpose::Shape), first(1, Purpose::Shape));
    }

    #[test]
    fn below_is_uniform() {
        let mut random = random();
        let mut counts = [0i32; 7];
        for _ in 0..70_000 {
            counts[random.below(7) as usize] += 1;
        }
        // Standard deviation: √(70000 · 1/7 · 6/7) = 92.6.
        assert!(counts.iter().all(|count| (count - 10_000).abs() < 463), "{counts:?}");
        assert_eq!((random.below(0), random.below(1)), (0, 0));
        // Three of four products are rejected here, and the halves remain balanced.
        let bound = (1 << 63) + (1 << 62);
        let low = (0..10_000).filter(|_| random.below(bound) < bound / 2).count() as i32;
        assert!((low - 5000).abs() < 250, "{low}");
    }

    #[test]
    fn numbers_around_zero_reach_both_ends() {
        let mut random = random();
        let drawn: Vec<i64> = (0..200).map(|_| random.around_zero(3)).collect();
        assert_eq!((drawn.iter().min(), drawn.iter().max()), (Some(&-3), Some(&3)));
        assert_eq!(random.around_zero(0), 0);
    }

    #[test]
    fn single_and_64_bit_events_match_their_probability() {
        let mut random = random();
        for probability in [0.0, 0.001, 0.25, 0.3, 0.5, 0.999, 1.0] {
            let chance = Chance::of(probability);
            let n = 64_000.0;
            let single = (0..64_000).filter(|_| chance.happens(&mut random)).count() as f64;
            let ones = (0..1000).map(|_| chance.limb(&mut random).count_ones()).sum::<u32>();
            let sigma = f64::sqrt(n * probability * (1.0 - probability));
            for found in [single, f64::from(ones)] {
                assert!((found - n * probability).abs() <= 5.0 * sigma, "{probability}: {found}");
            }
        }
    }

    #[test]
    fn gaps_match_their_probability() {
        let mut random = random();
        for probability in [0.01, 0.3, 0.9] {
            let gaps = Gaps::of(probability);
            let n = 20_000;
            let sum = (0..n).map(|_| gaps.next(&mut random)).sum::<u64>() as f64;
            let mean = (1.0 - probability) / probability;
            let sigma = f64::sqrt((1.0 - probability) / f64::from(n)) / probability;
            let found = sum / f64::from(n);
            assert!((found - mean).abs() < 5.0 * sigma, "{probability}: {found} for {mean}");
        }
        assert_eq!(Gaps::of(1.0).next(&mut random), 0);
        assert!(Gaps::of(1e-300).next(&mut random) > 1 << 60);
    }
}
